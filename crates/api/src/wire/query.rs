//! Query parameters.

use crate::error::ApiError;
use muriel_domain::ids::MAX_SAFE;
use muriel_domain::{Flaw, Problems};

/// Query parameters that an operation knows. Other parameters are refused earlier, or ignored by lists
/// that accept any.
pub(crate) struct Query {
    known: Vec<(&'static str, Option<String>)>,
    problems: Problems,
}

impl Query {
    /// Parses the parameters called `names`.
    pub(crate) fn read(query: Option<&str>, names: &[&'static str]) -> Self {
        let mut parsed =
            Self { known: names.iter().map(|name| (*name, None)).collect(), problems: Problems::default() };
        for (name, value) in pairs(query) {
            let Some(name) = name else { continue };
            let Some((name, slot)) = parsed.known.iter_mut().find(|(known, _)| *known == name) else { continue };
            match value {
                _ if slot.is_some() => parsed.problems.add(*name, "must be given once"),
                None => parsed.problems.add(*name, "must be percent-encoded UTF-8 without NUL characters"),
                Some(value) => *slot = Some(value),
            }
        }
        parsed
    }

    /// Creates a query with these values, each given once.
    pub(crate) fn of(values: impl Iterator<Item = (&'static str, String)>) -> Self {
        Self { known: values.map(|(name, value)| (name, Some(value))).collect(), problems: Problems::default() }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.known.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.as_deref())
    }

    /// Page size: `default` unless given, at most `max`.
    pub(crate) fn limit(&mut self, default: i64, max: i64) -> i64 {
        self.integer("limit", 1, default).min(max)
    }

    /// Number of entries to skip: 0 unless given.
    pub(crate) fn offset(&mut self) -> i64 {
        self.integer("offset", 0, 0)
    }

    /// Id after which a page begins: 0 unless given.
    pub(crate) fn after(&mut self) -> i64 {
        self.integer("after", 0, 0)
    }

    fn integer(&mut self, name: &str, least: i64, default: i64) -> i64 {
        let Some(text) = self.get(name) else { return default };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse::<i64>().ok() } else { None };
        match number.filter(|number| (least..=MAX_SAFE).contains(number)) {
            Some(number) => number,
            None => {
                self.problems.add(name, format!("must be an integer from {least} to {MAX_SAFE}"));
                default
            }
        }
    }

    /// Boolean parameter: false unless given.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        match self.get(name) {
            None | Some("false" | "0") => false,
            Some("true" | "1") => true,
            Some(_) => {
                self.problems.add(name, "must be true, false, 1 or 0");
                false
            }
        }
    }

    /// Text of at most `max` characters.
    pub(crate) fn text(&mut self, name: &str, max: usize) -> Option<String> {
        let text = self.get(name)?.to_owned();
        if text.chars().take(max + 1).count() > max {
            self.problems.add(name, format!("must have at most {max} characters"));
        }
        Some(text)
    }

    /// Words of a closed list, separated by commas; empty unless given.
    pub(crate) fn words(&mut self, name: &str, known: &[&str]) -> Vec<String> {
        let Some(text) = self.get(name) else { return Vec::new() };
        let words: Vec<String> =
            text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if words.is_empty() || words.iter().any(|word| !known.contains(&word.as_str())) {
            self.problems.add(name, format!("must be one or more of {}, separated by commas", known.join(", ")));
        }
        words
    }

    /// Names separated by commas, at most `max` of them; `None` unless given.
    pub(crate) fn names(&mut self, name: &str, max: usize) -> Option<Vec<String>> {
        let text = self.get(name)?;
        let names: Vec<String> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if names.is_empty() || names.len() > max {
            self.problems.add(name, format!("must be 1 to {max} names, separated by commas"));
        }
        Some(names)
    }

    /// An integer in a range: `default` unless given.
    pub(crate) fn number(&mut self, name: &str, (least, most): (i64, i64), default: i64) -> i64 {
        let number = self.integer(name, least, default);
        if number > most {
            self.problems.add(name, format!("must be an integer from {least} to {most}"));
        }
        number.min(most)
    }

    /// Cursor from the previous page; `None` for the first page.
    pub(crate) fn cursor<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = self.get("cursor")?;
        let place = read(text);
        if place.is_none() {
            self.problems.add("cursor", "must be the next_cursor of a response to the same query");
        }
        place
    }

    /// Value parsed with `parse`; `None` unless given.
    pub(crate) fn parsed<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, Flaw>) -> Option<T> {
        let parsed = parse(self.get(name)?);
        parsed.map_err(|flaw| self.problems.add(name, flaw.to_string())).ok()
    }

    /// Adds a problem, for example of several parameters together.
    pub(crate) fn refuse(&mut self, name: &str, problem: &str) {
        self.problems.add(name, problem);
    }

    /// Adds a problem if the parameter was given, and ignores its value.
    pub(crate) fn refuse_given(&mut self, name: &str, problem: &str) {
        let given = self.known.iter_mut().find(|(known, _)| *known == name).and_then(|(_, value)| value.take());
        if given.is_some() {
            self.refuse(name, problem);
        }
    }

    /// Ends parsing.
    /// \n
    /// # Errors
    /// Every problem of the query.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.problems.is_empty() { Ok(()) } else { Err(ApiError::InvalidQuery(self.problems)) }
    }
}

/// Names and values in the order of the query; `None` for text that is not percent-encoded UTF-8 or
/// contains a NUL character.
pub(crate) fn pairs(query: Option<&str>) -> impl Iterator<Item = (Option<String>, Option<String>)> {
    query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

/// Percent-decodes text, with `+` for a space; `None` if it is not UTF-8 or contains a NUL character.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok().filter(|d| !d.starts_with('+'))?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        for (query, expect) in [
            ("", Some((50, 0))),
            ("limit=10&offset=20", Some((10, 20))),
            ("limit=501", Some((500, 0))),
            ("limit=9007199254740992", Some((500, 0))),
            ("unknown=1&unknown=2&limit=5", Some((5, 0))),
            ("limit=%35", Some((5, 0))),
            ("limit=9007199254740993", None),
            ("limit=0", None),
            ("limit=-1", None),
            ("limit=%2B1", None),
            ("limit=1.0", None),
            ("limit=", None),
            ("limit", None),
            ("limit=ten", None),
            ("limit=5&limit=5", None),
            ("offset=-1", None),
            ("offset=%zz", None),
            ("offset=%+1", None),
        ] {
            let mut parsed = Query::read(Some(query), &["limit", "offset"]);
            let page = (parsed.limit(50, 500), parsed.offset());
            assert_eq!(parsed.finish().ok().map(|()| page), expect, "{query}");
        }
    }

    #[test]
    fn text_is_decoded_and_bounded() {
        for (query, expect) in [
            ("search=a+b%20c", Some("a b c")),
            ("search=%C3%9F", Some("ß")),
            ("search=%C3", None),
            ("search=%00", None),
        ] {
            let mut parsed = Query::read(Some(query), &["search"]);
            let text = parsed.text("search", 200);
            assert_eq!(parsed.finish().ok().and(text).as_deref(), expect, "{query}");
        }
        let mut parsed = Query::read(Some(&*format!("search={}", "%C3%9F".repeat(201))), &["search"]);
        parsed.text("search", 200);
        assert!(parsed.finish().is_err());
    }
}
