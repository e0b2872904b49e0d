//! Addresses of pages: `url.json`, `parameter.json`, `source.json`.

use super::cases;
use muriel_assign::page::PageRule;
use muriel_domain::address::Address;
use muriel_domain::referral::{Referrer, source};
use muriel_domain::targeting::UrlRule;
use serde::Deserialize;

#[derive(Deserialize)]
struct Url {
    name: String,
    rule: UrlRule,
    address: String,
    matches: bool,
}

#[test]
fn rules_match_addresses() {
    for case in cases::<Url>("url") {
        let Url { name, rule, address, matches } = case;
        let checked = UrlRule::new(&rule.url, rule.rule, rule.allowed);
        assert_eq!(checked.as_ref().ok(), Some(&rule), "{name}");
        let compiled = PageRule::compile(&rule).unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
        let answer = Address::parse(&address).is_some_and(|address| compiled.matches(&address));
        assert_eq!(answer, matches, "{name}: {} and {address}", rule.url);
    }
}

#[derive(Deserialize)]
struct Parameter {
    address: String,
    name: String,
    value: Option<String>,
}

#[test]
fn parameters_have_values() {
    for Parameter { address, name, value } in cases("parameter") {
        let parsed = Address::parse(&address);
        let answer = parsed.as_ref().and_then(|address| address.parameter(&name));
        assert_eq!(answer.as_deref(), value.as_deref(), "{name} in {address}");
    }
}

#[derive(Deserialize)]
struct Visit {
    referrer: Option<String>,
    url: Option<String>,
    source: String,
}

#[test]
fn visits_have_a_source() {
    for Visit { referrer, url, source: expect } in cases("source") {
        let page = url.as_deref().and_then(Address::parse);
        let answer = source(referrer.as_deref().and_then(Referrer::parse), page.as_ref());
        assert_eq!(answer.word(), expect, "{referrer:?} to {url:?}");
    }
}
