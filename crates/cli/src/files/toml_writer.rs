//! Writes TOML for people: one setting per line, lists of tables with one table per line, long texts unchanged.

use muriel_domain::text::is_hidden;
use serde_json::{Map, Value};

/// Maximum length of a list on one line, in characters.
const LINE: usize = 100;

/// File under construction.
#[derive(Default)]
pub(crate) struct Toml(String);

impl Toml {
    /// Writes a comment on separate lines.
    pub(crate) fn comment(&mut self, text: &str) {
        for line in text.lines() {
            self.0.push_str("# ");
            self.0.push_str(line);
            self.0.push('\n');
        }
    }

    /// Writes the head of a table, such as `[plan]` or `[[variants]]`.
    pub(crate) fn head(&mut self, head: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(head);
        self.0.push('\n');
    }

    /// Writes a value on one or more lines. TOML has no null, so a null is left out, also within an object. A null
    /// within a list cannot be written: see [`fits`].
    pub(crate) fn set(&mut self, key: &str, value: &Value) {
        if value.is_null() {
            return;
        }
        let value = match value {
            Value::String(text) if text.contains('\n') => long_text(text),
            Value::Array(items) => list(items),
            value => inline(value),
        };
        self.0.push_str(&format!("{} = {value}\n", key_text(key)));
    }

    /// Writes every member of an object, in order.
    pub(crate) fn set_all(&mut self, members: &Map<String, Value>) {
        for (key, value) in members {
            self.set(key, value);
        }
    }

    /// Returns the text of the file.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Returns whether TOML can represent the value, which must not contain null.
pub(crate) fn fits(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => items.iter().all(fits),
        Value::Object(members) => members.values().all(fits),
        _ => true,
    }
}

fn list(items: &[Value]) -> String {
    let one_line = inline(&Value::Array(items.to_vec()));
    let is_flat = !items.iter().any(|item| item.is_object() || item.is_array());
    if items.is_empty() || (is_flat && one_line.chars().count() <= LINE) {
        return one_line;
    }
    let lines: String = items.iter().map(|item| format!("  {},\n", inline(item))).collect();
    format!("[\n{lines}]")
}

fn inline(value: &Value) -> String {
    match value {
        Value::Null => "{}".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.to_string(),
            // With a point or an exponent, which marks a float in TOML.
            None => format!("{:?}", number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => short_text(text),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| format!("{} = {}", key_text(key), inline(value)))
                .collect();
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
        }
    }
}

fn key_text(key: &str) -> String {
    let is_bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { key.to_owned() } else { short_text(key) }
}

fn short_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            letter => push(&mut out, letter),
        }
    }
    out.push('"');
    out
}

/// Formats a text of several lines. TOML ignores the line break after the opening quotes.
fn long_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str("\"\"\"\n");
    let mut letters = text.chars().peekable();
    let mut quotes = 0;
    while let Some(letter) = letters.next() {
        // Three quotes would end the text, and so would one at its end.
        quotes = if letter == '"' { quotes + 1 } else { 0 };
        match letter {
            '"' if quotes == 3 || letters.peek().is_none() => {
                out.push_str("\\\"");
                quotes = 0;
            }
            '"' | '\n' => out.push(letter),
            letter => push(&mut out, letter),
        }
    }
    out.push_str("\"\"\"");
    out
}

/// Escapes control characters and characters that change the text direction, so that reviewers see the actual text.
fn push(out: &mut String, letter: char) {
    match letter {
        '\\' => out.push_str("\\\\"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        letter if is_hidden(letter) && !matches!(letter, '\u{fe00}'..='\u{fe0f}') => match u32::from(letter) {
            code @ ..=0xffff => out.push_str(&format!("\\u{code:04X}")),
            code => out.push_str(&format!("\\U{code:08X}")),
        },
        letter => out.push(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::toml_reader;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_people_read() {
        let mut toml = Toml::default();
        toml.set("test_name", &json!("Shorter \"form\""));
        toml.set("hypothesis", &Value::Null);
        toml.set("tags", &json!(["checkout", "form"]));
        toml.set("problem", &json!("One\nTwo \"\"\" \\ three\u{202e}\""));
        toml.head("[targeting]");
        toml.set("allowed_country", &json!([{ "name": "Germany", "code": "DE", "none": null }]));
        toml.set("distribution", &json!({ "Control": 50, "Variant 1": 33.5 }));
        assert_eq!(
            toml.into_text(),
            "test_name = \"Shorter \\\"form\\\"\"\ntags = [\"checkout\", \"form\"]\n\
             problem = \"\"\"\nOne\nTwo \"\"\\\" \\\\ three\\u202E\\\"\"\"\"\n\n[targeting]\n\
             allowed_country = [\n  { name = \"Germany\", code = \"DE\" },\n]\n\
             distribution = { Control = 50, \"Variant 1\" = 33.5 }\n"
        );
    }

    /// Any JSON value that TOML can represent.
    fn value() -> impl Strategy<Value = Value> {
        let text = "[\\PC\n\r\t\"\\\\\u{0}\u{7f}\u{202e}]{0,12}";
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(text, inner, 0..4).prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(members in prop::collection::hash_map("[\\PC\n\"]{0,8}", value(), 0..5)) {
            let members: Map<String, Value> = members.into_iter().collect();
            let mut toml = Toml::default();
            toml.set_all(&members);
            let text = toml.into_text();
            let read = toml_reader::parse(&text).map_err(|error| TestCaseError::fail(format!("{error:?}\n{text}")))?;
            prop_assert_eq!(read.members, members, "{}", text);
        }
    }
}
