//! Addresses that a goal about page views counts.

use crate::goal::{GoalType, GoalValue, Trigger, regular_expression};
use url::Url;

/// The addresses of one goal about page views.
#[derive(Debug, Clone)]
pub enum PagePattern {
    /// Addresses that contain this text.
    Contains(String),
    /// Addresses that equal one of these: the text of the goal, and the form in which browsers write it.
    Exact(Vec<String>),
    /// Addresses that match as a whole.
    Wildcard(Wildcard),
    /// Addresses in which the expression finds something.
    Regex(regex::Regex),
}

impl PagePattern {
    /// Returns the addresses of the goal; `None` for a goal that is not about page views.
    pub fn of(trigger: &Trigger) -> Option<Self> {
        let GoalValue::Text(text) = trigger.value() else { return None };
        match trigger.goal_type() {
            GoalType::Pageview => Some(Self::Contains(text.clone())),
            GoalType::PageviewExact => {
                let mut forms = vec![text.clone()];
                forms.extend(Url::parse(text).map(String::from).ok().filter(|written| written != text));
                Some(Self::Exact(forms))
            }
            GoalType::PageviewWildcard => Some(Self::Wildcard(Wildcard::new(text))),
            GoalType::PageviewRegex => regular_expression(text).ok().map(Self::Regex),
            _ => None,
        }
    }

    /// Returns whether the goal counts a view of the page with this address.
    pub fn matches(&self, address: &str) -> bool {
        match self {
            Self::Contains(part) => address.contains(part),
            Self::Exact(forms) => forms.iter().any(|form| form == address),
            Self::Wildcard(wildcard) => wildcard.matches(address),
            Self::Regex(regex) => regex.is_match(address),
        }
    }
}

/// A pattern for a whole text, in which `*` matches any characters. Letter case counts.
#[derive(Debug, Clone)]
pub struct Wildcard {
    first: String,
    middle: Vec<String>,
    /// `None` for a pattern without `*`.
    last: Option<String>,
}

impl Wildcard {
    /// Reads a pattern. Every text is one.
    pub fn new(pattern: &str) -> Self {
        let Some((first, rest)) = pattern.split_once('*') else {
            return Self { first: pattern.to_owned(), middle: Vec::new(), last: None };
        };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        Self {
            first: first.to_owned(),
            middle: middle.split('*').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            last: Some(last.to_owned()),
        }
    }

    /// Returns whether the pattern matches the whole text.
    pub fn matches(&self, text: &str) -> bool {
        let Some(last) = &self.last else {
            return text == self.first;
        };
        let within = text.strip_prefix(self.first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()));
        let Some(mut rest) = within else {
            return false;
        };
        // Taking the first occurrence of each part leaves the most text for the following
        // parts.
        self.middle.iter().all(|part| {
            let found = rest.split_once(part.as_str());
            found.inspect(|(_, after)| rest = after).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_star_is_any_run_of_characters() {
        for (pattern, text, expect) in [
            ("https://a.example/*", "https://a.example/", true),
            ("https://a.example/*", "https://a.example/b?c=d#e", true),
            ("https://a.example/*", "http://a.example/b", false),
            ("*/thanks", "https://a.example/thanks", true),
            ("*/thanks", "https://a.example/thanks/", false),
            ("/a/*/c/*/e", "/a/b/c/d/e", true),
            ("/a/*/c/*/e", "/a/b/d/e", false),
            ("/x/*/x/", "/x/x/", false),
            ("/x/*/x/", "/x//x/", true),
            ("a**b", "ab", true),
            ("*", "", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("100%_*", "100%_x", true),
            ("1__*", "123", false),
            ("*é*", "caféine", true),
        ] {
            assert_eq!(Wildcard::new(pattern).matches(text), expect, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn a_wildcard_matches_as_its_regular_expression(pattern in "[ab*]{0,8}", text in "[ab\n]{0,10}") {
            let parts: Vec<String> = pattern.split('*').map(regex::escape).collect();
            let regex = regex::Regex::new(&format!("^(?s:{})$", parts.join(".*"))).unwrap();
            prop_assert_eq!(Wildcard::new(&pattern).matches(&text), regex.is_match(&text));
        }
    }
}
