//! Parts of addresses that events keep: of queries, the parameters of an allow-list, and of fragments, routes. Addresses of
//! pages can contain anything, such as e-mail addresses and tokens for new passwords.

use crate::Flaw;
use crate::goal::{GoalType, GoalValue, Trigger};
use crate::page_pattern::PagePattern;
use crate::referral::CLICKS;
use crate::targeting::Targeting;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;

/// Maximum number of names in [`KeepQuery`].
pub const KEEP_QUERY_MAX: usize = 50;
/// Maximum length of a name in [`KeepQuery`], in characters.
pub const PARAMETER_MAX: usize = 64;
/// Maximum number of goals against which addresses are matched. Anybody can send megabytes of addresses in a request.
const GOALS_MAX: usize = 20;

/// Names of the parameters that events keep of addresses. A name that ends with `*` stands for all names that begin
/// with the rest.
///
/// Deserialising applies the checks of [`KeepQuery::new`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct KeepQuery(Vec<String>);

impl Default for KeepQuery {
    /// Parameters of campaigns, which breakdowns use.
    fn default() -> Self {
        Self(vec!["utm_*".to_owned()])
    }
}

impl KeepQuery {
    /// Returns the list. Repeated names are dropped.
    ///
    /// # Errors
    /// More than [`KEEP_QUERY_MAX`] names, and a name that is empty, longer than [`PARAMETER_MAX`], has a character that
    /// separates parameters, a blank or one outside ASCII, or has `*` before its end.
    pub fn new(names: Vec<String>) -> Result<Self, Flaw> {
        if names.len() > KEEP_QUERY_MAX {
            return Err(Flaw::new(format!("must have at most {KEEP_QUERY_MAX} names")));
        }
        let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_graphic() && !b"&=?#*".contains(&byte));
        let is_good =
            |name: &str| (1..=PARAMETER_MAX).contains(&name.len()) && is_plain(name.strip_suffix('*').unwrap_or(name));
        if !names.iter().all(|name| is_good(name)) {
            return Err(Flaw::new(format!(
                "must have names of parameters, each of 1 to {PARAMETER_MAX} ASCII characters without blanks and & = ? #, \
                 such as ref, or utm_* for all names that begin with utm_"
            )));
        }
        let mut seen = HashSet::new();
        Ok(Self(names.into_iter().filter(|name| seen.insert(name.clone())).collect()))
    }

    /// The names.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for KeepQuery {
    type Error = Flaw;

    fn try_from(names: Vec<String>) -> Result<Self, Flaw> {
        Self::new(names)
    }
}

/// Shortens the addresses of a project's events to what they keep.
#[derive(Debug, Default)]
pub struct AddressFilter {
    /// Names of parameters that are kept.
    names: HashSet<String>,
    /// Beginnings of names of parameters that are kept.
    prefixes: Vec<String>,
    /// Fragments that goals and rules name.
    fragments: HashSet<String>,
    /// Addresses of goals; `None` if there are too many, or a regular expression, which takes too long to match.
    goals: Option<Vec<PagePattern>>,
}

impl AddressFilter {
    /// Creates the filter of a project with this setting, these goals and the targeting of these experiments.
    pub fn new<'t>(keep: &KeepQuery, goals: &[Trigger], rules: impl Iterator<Item = &'t Targeting>) -> Self {
        let mut filter = Self::default();
        for name in keep.names() {
            match name.strip_suffix('*') {
                Some(prefix) => filter.prefixes.push(prefix.to_owned()),
                None => drop(filter.names.insert(name.clone())),
            }
        }
        let goals = || goals.iter().filter(|trigger| compares_addresses(trigger));
        goals().filter_map(text_of).for_each(|text| filter.name_parts_of(text));
        let is_quick = |trigger: &Trigger| trigger.goal_type() != GoalType::PageviewRegex;
        filter.goals =
            (goals().count() <= GOALS_MAX && goals().all(is_quick)).then(|| goals().filter_map(pattern_of).collect());
        for targeting in rules {
            for rule in &targeting.url_rule {
                filter.name_parts_of(&rule.url);
            }
            let conditions = targeting.audience.parameter_rule.iter().flatten();
            filter.names.extend(conditions.map(|condition| condition.criteria.clone()));
        }
        filter
    }

    /// Keeps the parameters and the fragment that a goal or a rule has in its text.
    fn name_parts_of(&mut self, text: &str) {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-.~[]%".contains(c);
        for (at, _) in text.match_indices('=') {
            let name = &text[text[..at].rfind(|c| !is_of_name(c)).map_or(0, |end| end + 1)..at];
            // In an expression such as `[?&]order=`, the name begins after the class.
            let name = name.trim_start_matches([']', '.', '-']);
            if !name.is_empty() {
                self.names.insert(name.to_owned());
            }
        }
        if let Some((_, fragment)) = text.split_once('#') {
            self.fragments.insert(fragment.trim_end_matches('*').to_owned());
        }
    }

    /// Returns what an event keeps of an address:
    ///
    /// - of the query, the parameters that are kept, and `1` as the value of those by which advertising networks mark
    ///   clicks;
    /// - the fragment, if a goal or a rule names it, or if it is a route: it begins with `/` or `!`. Its own query is
    ///   shortened, too.
    ///
    /// If a goal would count the result and not the address, or the other way round, the names of the other parameters are
    /// kept as well, without their values. They are always kept in projects with many goals or a regular expression.
    pub fn shorten<'a>(&self, address: &'a str) -> Cow<'a, str> {
        if !address.contains(['?', '#']) {
            return Cow::Borrowed(address);
        }
        let short = self.without(address, false);
        if short == address {
            return Cow::Borrowed(address);
        }
        let is_counted_alike = |pattern: &PagePattern| pattern.matches(address) == pattern.matches(&short);
        match &self.goals {
            Some(patterns) if patterns.iter().all(is_counted_alike) => Cow::Owned(short),
            _ => Cow::Owned(self.without(address, true)),
        }
    }

    /// The address without what is not kept. With `names`, other parameters keep their names.
    fn without(&self, address: &str, names: bool) -> String {
        let (front, fragment) = address.split_once('#').unwrap_or((address, ""));
        let mut short = self.without_query(front, names);
        if self.fragments.contains(fragment) || fragment.starts_with(['/', '!']) {
            short.push('#');
            short.push_str(&self.without_query(fragment, names));
        }
        short
    }

    fn without_query(&self, text: &str, names: bool) -> String {
        let Some((page, query)) = text.split_once('?') else { return text.to_owned() };
        let pair = |pair: &str| -> Option<String> {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if self.names.contains(name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                Some(pair.to_owned())
            } else if CLICKS.contains(&name) && !value.is_empty() {
                Some(format!("{name}=1"))
            } else {
                // Without `=`, the text may be the value of a parameter without a name.
                (names && pair.contains('=')).then(|| format!("{name}="))
            }
        };
        let kept: Vec<String> = query.split('&').filter(|pair| !pair.is_empty()).filter_map(pair).collect();
        if kept.is_empty() && !names { page.to_owned() } else { format!("{page}?{}", kept.join("&")) }
    }
}

fn text_of(trigger: &Trigger) -> Option<&str> {
    match trigger.value() {
        GoalValue::Text(text) => Some(text),
        GoalValue::Number(_) => None,
    }
}

/// Returns whether a goal compares addresses of pages or links.
pub fn compares_addresses(trigger: &Trigger) -> bool {
    match trigger.goal_type() {
        GoalType::Pageview
        | GoalType::PageviewExact
        | GoalType::PageviewWildcard
        | GoalType::PageviewRegex
        | GoalType::ExternalLink => true,
        GoalType::ClickOnElement
        | GoalType::ClickOnText
        | GoalType::FormSubmit
        | GoalType::ElementAppears
        | GoalType::Scrolling
        | GoalType::Duration
        | GoalType::Event
        | GoalType::Revenue
        | GoalType::Script => false,
    }
}

fn pattern_of(trigger: &Trigger) -> Option<PagePattern> {
    match trigger.goal_type() {
        GoalType::ExternalLink => text_of(trigger).map(|text| PagePattern::Contains(text.to_owned())),
        _ => PagePattern::of(trigger),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targeting::{Condition, Operator, UrlMatch, UrlRule};
    use proptest::prelude::*;

    fn keep(names: &[&str]) -> KeepQuery {
        KeepQuery::new(names.iter().map(|name| (*name).to_owned()).collect()).unwrap()
    }

    fn goal(goal_type: GoalType, text: &str) -> Trigger {
        Trigger::new(goal_type, GoalValue::Text(text.into())).unwrap()
    }

    fn filter(names: &[&str], goals: &[(GoalType, &str)]) -> AddressFilter {
        let goals: Vec<Trigger> = goals.iter().map(|(kind, text)| goal(*kind, text)).collect();
        AddressFilter::new(&keep(names), &goals, std::iter::empty())
    }

    #[test]
    fn what_is_not_on_the_list_is_left_out() {
        let filter = filter(&["utm_*", "ref"], &[]);
        for (address, short) in [
            ("https://a.example/b", "https://a.example/b"),
            ("https://a.example/b?token=1&utm_source=x&ref=y&email=z", "https://a.example/b?utm_source=x&ref=y"),
            ("https://a.example/b?token=1", "https://a.example/b"),
            ("https://a.example/b?token", "https://a.example/b"),
            ("https://a.example/b?Ref=1", "https://a.example/b"),
            ("https://a.example/b?ref", "https://a.example/b?ref"),
            ("https://a.example/b?", "https://a.example/b"),
            ("https://a.example/b?a=1?ref=2", "https://a.example/b"),
            ("https://a.example/b?gclid=secret&fbclid=2&msclkid=", "https://a.example/b?gclid=1"),
            ("https://a.example/b#access_token=1", "https://a.example/b"),
            ("https://a.example/b?t=1#/cart?t=2&ref=3", "https://a.example/b#/cart?ref=3"),
            ("https://a.example/#!/cart", "https://a.example/#!/cart"),
            ("mailto:a@b.example?subject=c", "mailto:a@b.example"),
            ("not an address?a=b", "not an address"),
        ] {
            assert_eq!(filter.shorten(address), short, "{address}");
        }
        assert_eq!(super::tests::filter(&["*"], &[]).shorten("/b?a=1&c"), "/b?a=1&c");
        assert_eq!(super::tests::filter(&[], &[]).shorten("/b?utm_source=1"), "/b");
    }

    #[test]
    fn what_goals_and_rules_name_is_kept() {
        let by_goal =
            filter(&[], &[(GoalType::Pageview, "/thanks?order="), (GoalType::PageviewRegex, r"[?&]step=\d#done")]);
        assert_eq!(by_goal.shorten("/thanks?order=1&x=3&step=2#done"), "/thanks?order=1&x=&step=2#done");
        let rule = |url: &str| UrlRule::new(url, UrlMatch::Contain, true).unwrap();
        let mut targeting = Targeting { url_rule: vec![rule("?plan=pro")], ..Targeting::default() };
        let condition = Condition::new("coupon", Operator::parse("ex").unwrap(), None).unwrap();
        targeting.audience.parameter_rule = vec![vec![condition]];
        let by_rule = AddressFilter::new(&keep(&[]), &[], [&targeting].into_iter());
        assert_eq!(by_rule.shorten("/?plan=free&coupon=1&x=2"), "/?plan=free&coupon=1");
    }

    #[test]
    fn a_goal_counts_the_same_pages_as_before() {
        for (kind, text, address, short) in [
            // The goal does not count views with a query, so the address must not lose all of it.
            (
                GoalType::PageviewExact,
                "https://a.example/thanks",
                "https://a.example/thanks?mail=x",
                "https://a.example/thanks?mail=",
            ),
            (GoalType::PageviewRegex, "/thanks$", "/thanks?mail=x", "/thanks?mail="),
            // It counts only views with one.
            (GoalType::PageviewWildcard, "*/thanks?*", "/thanks?mail=x&secret", "/thanks?mail="),
            (GoalType::PageviewWildcard, "*/thanks?*", "/thanks?secret", "/thanks?"),
            (GoalType::ExternalLink, "/out?", "https://b.example/out?to=x", "https://b.example/out?to="),
            // The query makes no difference.
            (GoalType::Pageview, "/thanks", "/thanks?mail=x", "/thanks"),
            (GoalType::PageviewWildcard, "*/thanks*", "/thanks?mail=x", "/thanks"),
        ] {
            assert_eq!(filter(&[], &[(kind, text)]).shorten(address), short, "{text} {address}");
        }
    }

    #[test]
    fn names_are_checked() {
        let of = |name: &str| KeepQuery::new(vec![name.to_owned()]);
        for good in ["a", "utm_*", "*", "filter[size]", "a.b", &"a".repeat(PARAMETER_MAX)] {
            assert!(of(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "a&b", "a=", "?a", "a#", "a*b", "**", "é", &"a".repeat(PARAMETER_MAX + 1)] {
            assert!(of(bad).is_err(), "{bad}");
        }
        assert_eq!(keep(&["a", "b", "a"]).names(), ["a", "b"]);
        assert!(KeepQuery::new(vec!["a".into(); KEEP_QUERY_MAX + 1]).is_err());
        assert!(serde_json::from_str::<KeepQuery>(r#"["a b"]"#).is_err());
    }

    proptest! {
        #[test]
        fn no_value_that_is_not_named_is_kept(
            pairs in proptest::collection::vec(("(x|ref|utm_a|q|gclid|)", "secret[0-9]{1,3}"), 0..5),
            fragment in "(|#|#secret1|#/a|#/a\\?x=secret2)",
            goals in proptest::collection::vec(0..4_usize, 0..4),
        ) {
            let goals: Vec<_> = goals
                .into_iter()
                .map(|at| [
                    (GoalType::PageviewExact, "/p"),
                    (GoalType::PageviewWildcard, "/p?*"),
                    (GoalType::PageviewRegex, r"\?x"),
                    (GoalType::Pageview, "q"),
                ][at])
                .collect();
            let query: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let address = format!("/p?{}{fragment}", query.join("&"));
            let short = filter(&["ref", "utm_*"], &goals).shorten(&address).into_owned();
            for kept in short.split(['?', '&', '#']) {
                let is_named = kept.starts_with("ref=") || kept.starts_with("utm_");
                prop_assert!(is_named || !kept.contains("secret"), "{} of {}", short, address);
            }
            for (kind, text) in goals {
                let pattern = pattern_of(&goal(kind, text)).unwrap();
                // A fragment that is not a route is left out in any case.
                let known = if fragment.starts_with("#/") { address.as_str() } else { address.split('#').next().unwrap() };
                prop_assert_eq!(pattern.matches(&short), pattern.matches(known), "{} of {}", short, known);
            }
        }
    }
}
