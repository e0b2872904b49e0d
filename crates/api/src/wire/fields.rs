//! Parses an object field by field, and collects all problems.

use crate::json::{self, Json};
use muriel_domain::ids::MAX_SAFE;
use muriel_domain::{Flaw, Problems};
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// Way in which an object that is sent changes the stored one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The object replaces the stored one. Missing fields return to their defaults.
    Whole,
    /// RFC 7396: missing fields keep their values, and `null` restores a field's default.
    Merge,
}

/// Collects the problems of one body.
#[derive(Debug, Default)]
pub(crate) struct ProblemCollector(RefCell<Problems>);

impl ProblemCollector {
    pub(crate) fn add(&self, field: impl Into<String>, message: impl Into<String>) {
        self.0.borrow_mut().add(field, message);
    }

    /// Adds problems whose fields are relative to `path`.
    pub(crate) fn add_under(&self, path: &str, problems: &Problems) {
        for problem in problems.iter() {
            self.add(join(path, &problem.field), &*problem.message);
        }
    }

    pub(crate) fn into_problems(self) -> Problems {
        self.0.into_inner()
    }

    /// Returns the value if there are no problems, otherwise the problems.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, Problems> {
        let problems = self.into_problems();
        match value {
            Some(value) if problems.is_empty() => Ok(value),
            _ => Err(problems),
        }
    }
}

/// Parses a body that must be an object.
///
/// # Errors
/// Every problem of the body.
pub(crate) fn from_body<T>(body: &Json, read: impl FnOnce(&Fields<'_>) -> Option<T>) -> Result<T, Problems> {
    let found = ProblemCollector::default();
    let value = Fields::new(body, "", &found).and_then(|fields| read(&fields));
    found.finish(value)
}

/// Joins the path of an inner value to `path`.
pub(crate) fn join(path: &str, inner: &str) -> String {
    match (path, inner) {
        ("", inner) => inner.trim_start_matches('.').to_owned(),
        (path, "") => path.to_owned(),
        (path, inner) if inner.starts_with(['[', '.']) => format!("{path}{inner}"),
        (path, inner) => format!("{path}.{inner}"),
    }
}

/// Object that is being parsed.
pub(crate) struct Fields<'a> {
    members: &'a [(String, Json)],
    path: String,
    found: &'a ProblemCollector,
}

impl<'a> Fields<'a> {
    /// Takes `value` as an object. Any other value is a problem.
    pub(crate) fn new(value: &'a Json, path: impl Into<String>, found: &'a ProblemCollector) -> Option<Self> {
        let path = path.into();
        match value.as_object() {
            Some(members) => Some(Self { members, path, found }),
            None => {
                let field = if path.is_empty() { "body".to_owned() } else { path };
                found.add(field, "must be an object");
                None
            }
        }
    }

    /// Path of a field.
    pub(crate) fn place(&self, name: &str) -> String {
        join(&self.path, name)
    }

    /// Adds a problem of a field.
    pub(crate) fn add(&self, name: &str, message: impl Into<String>) {
        self.found.add(self.place(name), message);
    }

    /// Problem collector, for values that are parsed separately.
    pub(crate) fn found(&self) -> &'a ProblemCollector {
        self.found
    }

    /// Adds a problem for every field that is not `known`: with its message from `elsewhere`, or
    /// else with the most similar known name.
    pub(crate) fn only(&self, known: &[&str], elsewhere: &[(&str, &str)]) {
        for (name, _) in self.members {
            if known.contains(&name.as_str()) {
                continue;
            }
            let message = match elsewhere.iter().find(|(other, _)| other == name) {
                Some((_, message)) => (*message).to_owned(),
                None => unknown_field(name, known),
            };
            self.add(&json::step(name), message);
        }
    }

    /// Adds a problem for every field whose name is similar but not equal to a `known` one.
    pub(crate) fn misspelt(&self, known: &[&str]) {
        for (name, _) in self.members.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            if let Some(near) = nearest(name, known) {
                self.add(&json::step(name), format!("is not a known field; did you mean \"{near}\"?"));
            }
        }
    }

    /// Value of a field, if it was sent.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Json> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns whether the field was sent.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds a problem if the field was not sent.
    pub(crate) fn require(&self, name: &str) {
        if !self.has(name) {
            self.add(name, "is required");
        }
    }

    /// Parses a field with `read`, whose error becomes a problem. `None` if the field was not sent
    /// or has a problem.
    pub(crate) fn read<T>(&self, name: &str, read: impl FnOnce(&'a Json) -> Result<T, Flaw>) -> Option<T> {
        match read(self.get(name)?) {
            Ok(value) => Some(value),
            Err(flaw) => {
                self.add(name, flaw.to_string());
                None
            }
        }
    }

    /// Parses a field with `read`, which adds problems itself.
    pub(crate) fn read_deep<T>(&self, name: &str, read: impl FnOnce(&'a Json, String) -> Option<T>) -> Option<T> {
        read(self.get(name)?, self.place(name))
    }

    /// Parses a required field.
    pub(crate) fn needed<T>(&self, name: &str, read: impl FnOnce(&'a Json) -> Result<T, Flaw>) -> Option<T> {
        self.require(name);
        self.read(name, read)
    }

    /// Reads a field of an object that replaces or is merged into the stored one. `None` keeps the
    /// stored value; otherwise the new value or the default.
    pub(crate) fn choose<T>(
        &self,
        name: &str,
        mode: Mode,
        default: impl FnOnce() -> T,
        read: impl FnOnce(&'a Json) -> Result<T, Flaw>,
    ) -> Option<T> {
        match (self.get(name), mode) {
            (None, Mode::Whole) | (Some(Json::Null), Mode::Merge) => Some(default()),
            (None, Mode::Merge) => None,
            (Some(_), _) => self.read(name, read),
        }
    }

    /// Like [`Fields::choose`], with a `read` that adds problems itself.
    pub(crate) fn choose_deep<T>(
        &self,
        name: &str,
        mode: Mode,
        default: impl FnOnce() -> T,
        read: impl FnOnce(&'a Json, String) -> Option<T>,
    ) -> Option<T> {
        match (self.get(name), mode) {
            (None, Mode::Whole) | (Some(Json::Null), Mode::Merge) => Some(default()),
            (None, Mode::Merge) => None,
            (Some(_), _) => self.read_deep(name, read),
        }
    }
}

/// Message about a field that is not `known`. It names the most similar known field, or all of them.
pub fn unknown_field(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("is not a known field; did you mean \"{near}\"?"),
        None => format!("is not a known field; known fields: {}", known.join(", ")),
    }
}

/// Known name that is most similar to a misspelt one, if any is similar enough.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > 64 {
        return None;
    }
    let folded = name.to_lowercase().replace(['_', '-'], "");
    known
        .iter()
        .map(|near| (strsim::damerau_levenshtein(&folded, &near.to_lowercase().replace('_', "")), *near))
        .filter(|(distance, near)| *distance * 3 <= near.len().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, near)| near)
}

/// Parses text.
pub(crate) fn text(value: &Json) -> Result<&str, Flaw> {
    value.as_str().ok_or(Flaw::new("must be text"))
}

/// Parses text with `parse`.
pub(crate) fn parsed<T>(parse: impl Fn(&str) -> Result<T, Flaw>) -> impl Fn(&Json) -> Result<T, Flaw> {
    move |value| parse(text(value)?)
}

/// Parses `null`, or a value with `read`.
pub(crate) fn nullable<'a, T>(
    read: impl Fn(&'a Json) -> Result<T, Flaw>,
) -> impl Fn(&'a Json) -> Result<Option<T>, Flaw> {
    move |value| match value {
        Json::Null => Ok(None),
        value => read(value)
            .map(Some)
            .map_err(|flaw| if flaw.0.contains("null") { flaw } else { Flaw::new(format!("{flaw}, or null")) }),
    }
}

/// Parses an integer in a range.
pub(crate) fn integer(range: RangeInclusive<i64>) -> impl Fn(&Json) -> Result<i64, Flaw> {
    move |value| match value.as_int() {
        Some(number) if range.contains(&number) => Ok(number),
        _ if *range.end() >= MAX_SAFE => Err(Flaw::new(format!("must be an integer of at least {}", range.start()))),
        _ => Err(Flaw::new(format!("must be an integer from {} to {}", range.start(), range.end()))),
    }
}

/// Parses 0 or 1. Equivalent values such as `true` are refused.
pub(crate) fn flag(value: &Json) -> Result<bool, Flaw> {
    match value.as_int() {
        Some(0) => Ok(false),
        Some(1) => Ok(true),
        _ => Err(Flaw::new("must be 0 or 1")),
    }
}

/// Parses `true` or `false`.
pub(crate) fn boolean(value: &Json) -> Result<bool, Flaw> {
    value.as_bool().ok_or(Flaw::new("must be true or false"))
}

/// Parses one of some words.
pub(crate) fn word<T: Copy>(words: &[(&'static str, T)]) -> impl Fn(&Json) -> Result<T, Flaw> {
    move |value| {
        let word = value.as_str();
        words.iter().find(|(known, _)| Some(*known) == word).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(known, _)| *known).collect();
            Flaw::new(format!("must be one of {}", known.join(", ")))
        })
    }
}

/// Parses a list of texts. Other items are problems.
pub(crate) fn texts<'a>(value: &'a Json, place: &str, found: &ProblemCollector) -> Option<Vec<&'a str>> {
    let Some(items) = value.as_array() else {
        found.add(place, "must be an array of texts");
        return None;
    };
    let mut texts = Vec::with_capacity(items.len());
    let mut good = true;
    for (index, item) in items.iter().enumerate() {
        match item.as_str() {
            Some(text) => texts.push(text),
            None => {
                good = false;
                found.add(format!("{place}[{index}]"), "must be text");
            }
        }
    }
    good.then_some(texts)
}

/// Parses a list of at most `max` items with `read`, which gets the path of each item. `None` when
/// any item is invalid.
pub(crate) fn list<'a, T>(
    value: &'a Json,
    place: &str,
    max: usize,
    found: &ProblemCollector,
    mut read: impl FnMut(&'a Json, String) -> Option<T>,
) -> Option<Vec<T>> {
    let Some(items) = value.as_array() else {
        found.add(place, "must be an array");
        return None;
    };
    if items.len() > max {
        found.add(place, format!("must have at most {max} entries"));
        return None;
    }
    let mut good = true;
    let mut values = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match read(item, format!("{place}[{index}]")) {
            Some(value) => values.push(value),
            None => good = false,
        }
    }
    good.then_some(values)
}

/// Returns the value of a constructor, or adds its problems under `place`.
pub(crate) fn noted<T>(result: Result<T, Problems>, place: &str, found: &ProblemCollector) -> Option<T> {
    result.map_err(|problems| found.add_under(place, &problems)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_only_when_it_is_near() {
        let known = ["bayesian", "is_mab", "traffic_allocation", "customJS"];
        for (name, expect) in [
            ("bayesien", Some("bayesian")),
            ("trafic_allocation", Some("traffic_allocation")),
            ("trafficAllocation", Some("traffic_allocation")),
            ("custom_js", Some("customJS")),
            ("isMab", Some("is_mab")),
            ("colour", None),
        ] {
            assert_eq!(nearest(name, &known), expect, "{name}");
        }
    }

    #[test]
    fn places_join_as_a_client_would_write_them() {
        for (path, inner, expect) in [
            ("", "name", "name"),
            ("variants", "[1].name", "variants[1].name"),
            ("configuration", "distribution", "configuration.distribution"),
            ("tags", "", "tags"),
            ("configuration.distribution", ".Variant 1", "configuration.distribution.Variant 1"),
        ] {
            assert_eq!(join(path, inner), expect);
        }
    }
}
