//! Live experiments that change the same elements of the same page for the same visitors.

use muriel_assign::Delivered;
use muriel_assign::document::GroupRange;
use muriel_assign::page::PageRule;
use muriel_domain::address::Address;
use muriel_domain::targeting::{Targeting, UrlMatch, UrlRule};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A live experiment on the same page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Collision {
    /// Key of the other experiment.
    pub(super) key: String,
    /// Selectors that both experiments change; empty where they share only the page.
    pub(super) selectors: Vec<String>,
}

/// Returns the live experiments that share pages and visitors with `candidate`. `home` is the candidate's page.
pub(super) fn find(candidate: &Delivered, home: &str, others: &[Arc<Delivered>]) -> Vec<Collision> {
    let wanted = selectors(candidate);
    let meets = |other: &&Arc<Delivered>| {
        other.live
            && other.test_id != candidate.test_id
            && (is_on(other, home) || [candidate, other].iter().all(|one| is_on(one, &other.variants_data_key)))
            && !are_apart(candidate, other)
    };
    let mut found: Vec<Collision> = others
        .iter()
        .filter(meets)
        .map(|other| Collision {
            key: other.experiment_key.clone(),
            selectors: selectors(other).intersection(&wanted).map(|one| (*one).to_owned()).collect(),
        })
        .collect();
    found.sort_by_key(|collision| (collision.selectors.is_empty(), collision.key.clone()));
    found
}

fn selectors(experiment: &Delivered) -> BTreeSet<&str> {
    experiment
        .variants
        .iter()
        .flat_map(|variant| &variant.data)
        .flat_map(|change| change.selectors())
        .map(str::trim)
        .collect()
}

/// Returns whether the script shows the experiment at this address: by its page rules, or else by the page that its
/// variants are stored under.
fn is_on(experiment: &Delivered, url: &str) -> bool {
    let Some(address) = Address::parse(url) else { return false };
    let matches = |rule: &UrlRule| PageRule::compile(rule).is_ok_and(|rule| rule.matches(&address));
    let rules = &experiment.targeting.url_rule;
    if rules.is_empty() {
        let home = &experiment.variants_data_key;
        let rule = if home.contains('*') { UrlMatch::Wildcard } else { UrlMatch::Simple };
        return matches(&UrlRule { url: home.clone(), rule, allowed: true });
    }
    let (allowed, excluded): (Vec<&UrlRule>, Vec<&UrlRule>) = rules.iter().partition(|rule| rule.allowed);
    !excluded.iter().any(|rule| matches(rule)) && (allowed.is_empty() || allowed.iter().any(|rule| matches(rule)))
}

/// Returns whether no visitor can be in both: their ranges of one group do not overlap, or their
/// audiences exclude each other.
fn are_apart(one: &Delivered, other: &Delivered) -> bool {
    let are_disjoint =
        |one: &GroupRange, other: &GroupRange| one.salt == other.salt && (one.to <= other.from || other.to <= one.from);
    let grouped = one.exclusion.as_ref().zip(other.exclusion.as_ref());
    grouped.is_some_and(|(one, other)| are_disjoint(one, other)) || exclude(&one.targeting, &other.targeting)
}

fn exclude(one: &Targeting, other: &Targeting) -> bool {
    let lists = |targeting: &Targeting| {
        let audience = &targeting.audience;
        [audience.device_rule.clone(), audience.browser_rule.clone(), audience.os_rule.clone()]
    };
    lists(one)
        .iter()
        .zip(lists(other))
        .any(|(one, other)| !one.is_empty() && !other.is_empty() && !one.iter().any(|word| other.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_domain::experiment::{Change, DataKey, Experiment, Lifecycle, TestType, Variant};
    use muriel_domain::ids::{CompanyId, ExperimentId, ProjectId};
    use serde_json::json;

    const HOME: &str = "https://shop.example/list";

    fn experiment(id: i64, page: &str, selector: &str) -> Delivered {
        let now = Instant::from_us(0);
        let key = format!("key-{id}");
        let mut made = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, key, now);
        let change = json!({ "target": selector, "innerText": "x" });
        made.id = ExperimentId(id);
        made.lifecycle = Lifecycle::Live { started_at: now };
        made.variants_data_key = DataKey::stored(page.to_owned());
        made.variants = vec![Variant {
            changes: vec![Change::new(change.as_object().unwrap().clone()).unwrap()],
            ..Variant::default()
        }];
        Delivered::of(&made)
    }

    fn changed(mut experiment: Delivered, change: impl FnOnce(&mut Delivered)) -> Delivered {
        change(&mut experiment);
        experiment
    }

    #[test]
    fn experiments_collide_on_a_page_that_they_share_with_visitors_whom_they_share() {
        let rule = |url: &str, allowed| UrlRule { url: url.to_owned(), rule: UrlMatch::Contain, allowed };
        let range = |from, to| Some(GroupRange { group_id: Some(1), salt: "g".to_owned(), from, to });
        let phones = |it: &mut Delivered| it.targeting.audience.device_rule = vec!["mobile".to_owned()];
        let candidate = changed(experiment(1, HOME, "h1"), |it| {
            it.exclusion = range(0, 5_000);
            it.targeting.audience.device_rule = vec!["desktop".to_owned()];
        });
        let same = |other: Delivered| -> Option<Vec<String>> {
            find(&candidate, HOME, &[Arc::new(other)]).pop().map(|found| found.selectors)
        };
        let h1 = || Some(vec!["h1".to_owned()]);
        for (what, other, expect) in [
            ("the same element", experiment(2, HOME, " h1 "), h1()),
            ("another element", experiment(2, HOME, "h2"), Some(vec![])),
            ("another page", experiment(2, "https://shop.example/", "h1"), None),
            ("a pattern", experiment(2, "https://shop.example/*", "h1"), h1()),
            ("itself", experiment(1, HOME, "h1"), None),
            ("one that is not live", changed(experiment(2, HOME, "h1"), |it| it.live = false), None),
            (
                "rules",
                changed(experiment(2, "https://a.example/", "h1"), |it| {
                    it.targeting.url_rule = vec![rule("/li", true)]
                }),
                h1(),
            ),
            (
                "an exclusion",
                changed(experiment(2, HOME, "h1"), |it| it.targeting.url_rule = vec![rule("/li", false)]),
                None,
            ),
            (
                "other visitors of a group",
                changed(experiment(2, HOME, "h1"), |it| it.exclusion = range(5_000, 9_000)),
                None,
            ),
            ("some of the same", changed(experiment(2, HOME, "h1"), |it| it.exclusion = range(4_999, 9_000)), h1()),
            ("phones", changed(experiment(2, HOME, "h1"), phones), None),
        ] {
            assert_eq!(same(other), expect, "{what}");
        }
    }
}
