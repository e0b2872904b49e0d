//! Paths of values, for messages: `variants[1].name`.

use std::fmt;

/// Maximum length of a key in a message, in characters.
const KEY_CHARS: usize = 64;

/// Path of a value in the document: a list linked towards the root. It lives on the
/// stack and costs nothing until a message needs it.
pub(super) enum JsonPath<'a> {
    /// The whole document, with its name in messages.
    Root(&'static str),
    Key(&'a JsonPath<'a>, &'a str),
    Index(&'a JsonPath<'a>, usize),
}

/// Formats a key as a step of a path: `name`, or `["odd name"]`. A long key is cut, so
/// that messages do not grow with the request.
pub(crate) fn step(key: &str) -> String {
    let plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let cut: String = key.chars().take(KEY_CHARS).collect();
    let more = if cut.len() < key.len() { "…" } else { "" };
    if plain { format!("{cut}{more}") } else { format!("[{cut:?}{more}]") }
}

impl JsonPath<'_> {
    /// Index in the body's `events` of the entry that this path is or is within.
    pub(super) fn event(&self) -> Option<usize> {
        match self {
            JsonPath::Index(JsonPath::Key(JsonPath::Root(_), "events"), index) => Some(*index),
            JsonPath::Root(_) => None,
            JsonPath::Key(parent, _) | JsonPath::Index(parent, _) => parent.event(),
        }
    }

    /// Appends the path to `out`; nothing for the root.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            JsonPath::Root(_) => {}
            JsonPath::Index(parent, index) => {
                parent.write(out);
                out.push_str(&format!("[{index}]"));
            }
            JsonPath::Key(parent, key) => {
                parent.write(out);
                let step = step(key);
                if !out.is_empty() && !step.starts_with('[') {
                    out.push('.');
                }
                out.push_str(&step);
            }
        }
    }
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let JsonPath::Root(what) = self {
            return f.write_str(what);
        }
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}
