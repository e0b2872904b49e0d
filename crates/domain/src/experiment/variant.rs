//! Arms of an experiment: the control and the treatment variants.

use crate::targeting::Audience;
use crate::{Flaw, Problems, text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// Maximum number of treatment variants in an experiment.
pub const VARIANTS_MAX: usize = 50;
/// Maximum length of one piece of code, in bytes.
pub const CODE_MAX: usize = 512 << 10;
/// Maximum number of visual changes in one variant.
pub const CHANGES_MAX: usize = 1_000;

/// Number of an arm: 0 is the control, `n` is `Variant n`.
///
/// An arm has two text forms, its id and its name:
///
/// ```
/// use muriel_domain::experiment::Arm;
///
/// let arm = Arm::from_name("Variant 2").unwrap();
/// assert_eq!((arm.id().as_str(), arm.to_string().as_str()), ("2", "Variant 2"));
/// assert_eq!(Arm::from_id("0"), Some(Arm::CONTROL));
/// assert!(Arm::from_name("Variant 02").is_none() && Arm::from_name("Variant 0").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arm(pub u32);

impl Arm {
    /// The baseline.
    pub const CONTROL: Arm = Arm(0);

    /// Returns the arm with this name: `Control`, `Variant 1`, `Variant 2`… Only the exact spelling is accepted, so
    /// that an arm's name has one text form.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "Control" {
            return Some(Self::CONTROL);
        }
        let number = name.strip_prefix("Variant ")?;
        let arm = Self(number.parse().ok()?);
        (arm.0 > 0 && arm.to_string() == name).then_some(arm)
    }

    /// Returns the arm with this id: `0`, `1`…
    ///
    /// `00` and `+1` are not ids. The experiment need not have the arm.
    pub fn from_id(id: &str) -> Option<Self> {
        let arm = Self(id.parse().ok()?);
        (arm.id() == id).then_some(arm)
    }

    /// Id of the arm as text, `"0"` for the control. Events and results call it `variant_id`.
    pub fn id(self) -> String {
        self.0.to_string()
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::CONTROL { out.write_str("Control") } else { write!(out, "Variant {}", self.0) }
    }
}

/// Code that runs on customers' pages. It is stored and delivered as it was sent and is never sanitised: running code
/// is its purpose, so writing it requires the scope `code`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Code {
    /// JavaScript, at most [`CODE_MAX`] bytes; empty for none.
    pub js: Arc<str>,
    /// CSS, at most [`CODE_MAX`] bytes; empty for none.
    pub css: Arc<str>,
}

impl Code {
    /// Returns whether there is neither JavaScript nor CSS. White space does not count as code.
    pub fn is_blank(&self) -> bool {
        self.js.trim().is_empty() && self.css.trim().is_empty()
    }
}

/// Checks the size of a piece of code, JavaScript or CSS. Does not check its syntax.
///
/// # Errors
/// More than 512 KiB.
pub fn parse_code(code: &str) -> Result<Arc<str>, Flaw> {
    if code.len() > CODE_MAX {
        return Err(Flaw::new("must have at most 512 KiB"));
    }
    Ok(code.into())
}

/// The baseline arm.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Control {
    /// Label for people.
    pub nickname: String,
    /// Code that only the control runs.
    pub code: Code,
}

/// Changes to the control: `None` keeps a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ControlPatch {
    /// New label.
    pub nickname: Option<String>,
    /// New JavaScript.
    pub js: Option<Arc<str>>,
    /// New CSS.
    pub css: Option<Arc<str>>,
}

impl ControlPatch {
    /// Returns the control after this patch.
    pub fn apply(self, before: &Control) -> Control {
        Control {
            nickname: self.nickname.unwrap_or_else(|| before.nickname.clone()),
            code: Code {
                js: self.js.unwrap_or_else(|| before.code.js.clone()),
                css: self.css.unwrap_or_else(|| before.code.css.clone()),
            },
        }
    }
}

/// A treatment variant. Its name follows from its position: the first is `Variant 1`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variant {
    /// Label for people.
    pub nickname: String,
    /// Code that only this variant runs.
    pub code: Code,
    /// Visual changes, applied in order.
    pub changes: Vec<Change>,
    /// Audience of the variant in a personalization; `None` in all other tests.
    pub audience: Option<Audience>,
}

/// Reads a label for people; it may be empty.
///
/// # Errors
/// More than 255 characters, and hidden characters.
pub fn parse_nickname(nickname: &str) -> Result<String, Flaw> {
    text::check_visible(nickname)?;
    text::at_most(nickname, 255)
}

/// A visual change: an object whose kind follows from its keys. Unknown keys are kept as they were sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Change(Map<String, Value>);

/// Keys that change the elements selected by `target`.
const CONTENT_KEYS: [&str; 9] =
    ["innerText", "textContent", "innerHTML", "outerHTML", "src", "href", "style", "class", "attributes"];

/// Keys of changes without `target`, and keys that limit a change to a page.
const OTHER_KEYS: [&str; 9] = ["rm", "refEl", "oriEl", "dir", "htmlBlock", "url", "relay_param", "pageUrl", "sitewide"];

impl Change {
    /// The selectors that the change looks up on the page, in no particular order. Values that are not text are
    /// skipped.
    pub fn selectors(&self) -> impl Iterator<Item = &str> {
        ["target", "rm", "oriEl", "refEl"].into_iter().filter_map(|key| self.0.get(key)?.as_str())
    }

    /// All keys with a meaning, in any kind of change.
    pub fn keys() -> Vec<&'static str> {
        [&["target"], &CONTENT_KEYS[..], &OTHER_KEYS].concat()
    }

    /// Creates a change from an object. The keys determine which of five kinds it is: content of a `target`, removal
    /// (`rm`), new HTML (`htmlBlock`), a move (`oriEl`), a redirect (`url`).
    ///
    /// An object that fits several kinds counts as the first of them. Schemes in `src` and `href` are not checked here,
    /// but by [`Change::carries_code`].
    ///
    /// # Errors
    /// An object of none of these kinds, or a known key with a value of the wrong type.
    pub fn new(item: Map<String, Value>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let has = |key: &str| item.contains_key(key);
        if has("target") && CONTENT_KEYS.iter().any(|key| has(key)) {
            selector(&item, "target", &mut problems);
        } else if has("rm") {
            selector(&item, "rm", &mut problems);
        } else if has("refEl") && has("dir") && has("htmlBlock") {
            selector(&item, "refEl", &mut problems);
            direction(&item, &mut problems);
            if !item["htmlBlock"].is_string() {
                problems.add("htmlBlock", "must be text");
            }
        } else if has("oriEl") && has("refEl") && has("dir") {
            selector(&item, "oriEl", &mut problems);
            selector(&item, "refEl", &mut problems);
            direction(&item, &mut problems);
        } else if has("url") && !has("target") {
            match item["url"].as_str() {
                None => problems.add("url", "must be text"),
                Some(url) => {
                    if let Err(flaw) = text::web_address(url) {
                        problems.add("url", flaw.to_string());
                    }
                }
            }
        } else {
            problems.add(
                "",
                "must be a change: {target, innerText|textContent|innerHTML|outerHTML|src|href|style|class|attributes}, {rm}, \
                 {refEl, dir, htmlBlock}, {oriEl, refEl, dir} or {url, relay_param}",
            );
        }
        for key in ["innerText", "textContent", "innerHTML", "outerHTML", "src", "href", "class", "pageUrl"] {
            if item.get(key).is_some_and(|value| !value.is_string()) {
                problems.add(key, "must be text");
            }
        }
        let plain = |value: &Value| value.is_string() || value.is_number();
        if !item.get("style").is_none_or(|style| match style {
            Value::Object(declarations) => declarations.values().all(plain),
            other => other.is_string(),
        }) {
            problems.add("style", "must be CSS declarations: text, or an object of texts");
        }
        if let Some(attributes) = item.get("attributes") {
            let is_fit = |set: &Map<String, Value>| {
                !set.is_empty() && set.iter().all(|(name, value)| is_attribute(name) && value.is_string())
            };
            if !attributes.as_object().is_some_and(is_fit) {
                problems.add(
                    "attributes",
                    "must be an object of texts by attribute name: value, placeholder, alt, title, aria-… or data-…",
                );
            }
        }
        for key in ["sitewide", "relay_param"] {
            if item.get(key).is_some_and(|value| !value.is_boolean()) {
                problems.add(key, "must be true or false");
            }
        }
        problems.none_or(Self(item))
    }

    /// The object as it was sent.
    pub fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns whether the change redirects the visitor to another page. The script uses the same rule: the change has
    /// a `url`, and the first of these selector keys that is not `null` is empty or absent.
    pub fn is_redirect(&self) -> bool {
        let mut selectors = ["target", "rm", "refEl", "oriEl"].iter().filter_map(|key| self.0.get(*key));
        let says_something = |value: &Value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
        };
        self.0.contains_key("url") && !selectors.find(|value| !value.is_null()).is_some_and(says_something)
    }

    /// Wraps an object that is known to be a valid change.
    pub(super) fn of_object(item: Map<String, Value>) -> Self {
        Self(item)
    }
}

/// Returns whether a change may set the attribute: only attributes that hold text or describe the element. Event
/// handlers such as `onclick` are refused.
fn is_attribute(name: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b));
    ["value", "placeholder", "alt", "title"].contains(&name)
        || ["aria-", "data-"].iter().any(|prefix| name.strip_prefix(prefix).is_some_and(is_name))
}

/// Adds a problem unless the key has non-blank text. CSS validity of the selector is not checked: only the page can
/// tell.
fn selector(item: &Map<String, Value>, key: &str, problems: &mut Problems) {
    if item.get(key).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
        problems.add(key, "must be a selector");
    }
}

/// Adds a problem unless `dir` is one of the three directions.
fn direction(item: &Map<String, Value>, problems: &mut Problems) {
    if !item.get("dir").and_then(Value::as_str).is_some_and(|dir| matches!(dir, "b" | "a" | "p")) {
        problems.add("dir", "must be \"b\" (before), \"a\" (after) or \"p\" (inside)");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arms_have_one_name_and_one_id() {
        for (name, expect) in [
            ("Control", Some(0)),
            ("Variant 1", Some(1)),
            ("Variant 50", Some(50)),
            ("Variant 0", None),
            ("Variant 01", None),
            ("variant 1", None),
            ("Variant  1", None),
            ("Variant +1", None),
            ("Variant 1 ", None),
        ] {
            assert_eq!(Arm::from_name(name).map(|arm| arm.0), expect, "{name}");
        }
        assert_eq!(Arm::from_id("0"), Some(Arm::CONTROL));
        assert_eq!(Arm::from_id("00"), None);
        assert_eq!(Arm::from_id("+1"), None);
    }

    #[test]
    fn changes_are_recognised_by_their_keys() {
        for (item, good) in [
            (json!({"target": "h1", "innerText": "Hi", "note": {"kept": 1}}), true),
            (json!({"target": "h1", "innerHTML": "<b>Hi</b>"}), true),
            (json!({"target": "a", "href": "/pricing"}), true),
            (json!({"target": "a", "href": " java\tscript:alert(1)"}), true),
            (json!({"target": "h1"}), false),
            (json!({"target": "", "style": "color:red"}), false),
            (json!({"target": "h1", "innerText": 5}), false),
            (json!({"rm": ".banner"}), true),
            (json!({"refEl": "#a", "dir": "b", "htmlBlock": "<p>"}), true),
            (json!({"refEl": "#a", "dir": "x", "htmlBlock": "<p>"}), false),
            (json!({"oriEl": "#a", "refEl": "#b", "dir": "p"}), true),
            (json!({"url": "https://example.com/b", "relay_param": true}), true),
            (json!({"url": "javascript:alert(1)"}), false),
            (json!({"target": "input", "attributes": {"placeholder": "Name", "data-x": "1"}}), true),
            (json!({"target": "input", "attributes": {"onclick": "a()"}}), false),
            (json!({"target": "input", "attributes": {"aria-": "a"}}), false),
            (json!({"target": "input", "attributes": {"title": 1}}), false),
            (json!({"target": "input", "attributes": {}}), false),
            (json!({"selector": "h1"}), false),
            (json!({}), false),
        ] {
            let Value::Object(map) = item.clone() else { unreachable!() };
            match Change::new(map) {
                Ok(change) => {
                    assert!(good, "{item}");
                    assert_eq!(json!(change), item);
                }
                Err(problems) => assert!(!good, "{item}: {problems:?}"),
            }
        }
    }
}
