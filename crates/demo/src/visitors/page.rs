//! Loading and response times of visitors' pages, as the script reports them.

use super::chance::Chance;
use super::people::Person;
use super::visit::MetExperiment;
use serde_json::{Value, json};

/// Share of page views whose health is measured: the setting `health` of a new project.
const MEASURED: f64 = 0.1;
/// Share of pages on which a change matches an element.
const MATCHED: f64 = 0.992;
/// Maximum number of changes in a health event.
const CHANGES_MAX: usize = 60;

/// Harm that a variant does to its pages. Variants that are not listed do none.
struct Harm {
    experiment_key: &'static str,
    variant_id: &'static str,
    /// Delay of the largest content, in milliseconds.
    later_ms: f64,
    /// Share of page views on which its code throws an error.
    throws: f64,
}

/// The row of promises moves the picture below it, and one offer of socks fails on empty baskets.
static HARMS: [Harm; 2] = [
    Harm { experiment_key: "trust-row", variant_id: "1", later_ms: 300.0, throws: 0.0 },
    Harm { experiment_key: "sock-bundle", variant_id: "2", later_ms: 0.0, throws: 0.02 },
];

/// Error message of the arm whose code throws.
const MESSAGE: &str = "TypeError: null is not an object (evaluating 'socks.checked')";

/// Simulates the pages of a visit.
pub(super) struct Pages {
    chance: Chance,
    /// Factor by which the visitor's device and connection are slower than average.
    slow: f64,
}

impl Pages {
    /// Creates the pages of a person's visit. Their random numbers do not affect the rest of the visit.
    pub(super) fn new(person: &Person, chance: &Chance) -> Self {
        let slow = if person.agent.device == "desktop" { 0.8 } else { 1.15 };
        Self { chance: Chance::of(&[8, chance.clone().below(u64::MAX)]), slow }
    }

    /// Health events of a page with these arms; `first` are the experiments that are met for the first time in the
    /// visit.
    pub(super) fn health_events(&mut self, met: &[&MetExperiment<'_>], first: &[i64]) -> Vec<Value> {
        let chance = &mut self.chance;
        let is_measured = chance.is(MEASURED);
        let (lcp, shift, inp) = (self.slow * skewed(chance, 1_700.0), shift(chance), self.slow * skewed(chance, 90.0));
        let has_input = chance.is(0.5);
        let mut events = Vec::new();
        for met in met {
            let harm = harm(met);
            let mut add = |fields: Value| {
                let mut event = json!({ "type": "health", "test_id": met.test_id, "variant_id": met.variant_id });
                if let (Value::Object(event), Value::Object(fields)) = (&mut event, fields) {
                    event.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
                }
                events.push(event);
            };
            let errors = u8::from(harm.is_some_and(|harm| chance.is(harm.throws)));
            let found: String =
                (0..met.changes.min(CHANGES_MAX)).map(|_| if chance.is(MATCHED) { '1' } else { '0' }).collect();
            let is_first = first.contains(&met.test_id) && !found.is_empty();
            if is_measured || errors > 0 || is_first {
                let missing = found.bytes().filter(|letter| *letter == b'0').count();
                let changes = if found.is_empty() { Value::Null } else { found.into() };
                add(json!({
                    "apply_ms": (10.0 * skewed(chance, 1.2)).round() / 10.0, "hidden_ms": 0, "late": 0,
                    "failed_selectors": missing, "errors": errors, "error_message": (errors > 0).then_some(MESSAGE),
                    "changes": changes,
                }));
            }
            if is_measured {
                let later = harm.map_or(0.0, |harm| harm.later_ms);
                let inp = if has_input { inp.round().into() } else { Value::Null };
                add(json!({ "lcp_ms": (lcp + later).round(), "cls": shift, "inp_ms": inp }));
            }
        }
        events
    }
}

fn harm(met: &MetExperiment<'_>) -> Option<&'static Harm> {
    HARMS.iter().find(|it| it.experiment_key == met.experiment_key && it.variant_id == met.variant_id)
}

/// A random duration around `median`, now and then several times as long.
fn skewed(chance: &mut Chance, median: f64) -> f64 {
    // The sum of six uniform numbers is nearly normal, with variance 1/2.
    let normal = (0..6).map(|_| chance.share()).sum::<f64>() - 3.0;
    median * (0.75 * normal).exp()
}

/// A layout shift: most pages have none.
fn shift(chance: &mut Chance) -> f64 {
    let size = skewed(chance, 0.02);
    if chance.is(0.4) { (size * 1e4).round() / 1e4 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Project;

    fn health_events_of(experiment_key: &str, variant_id: &str, pages: u64) -> Vec<Value> {
        let met = MetExperiment {
            test_id: 7,
            experiment_key,
            page: "https://shop.example/*",
            variant_id: variant_id.to_owned(),
            epoch: 1,
            leads: None,
            changes: 2,
        };
        let visits = 0..pages;
        let of = |number| Pages::new(&Person::new(1, Project::Shop, number), &Chance::of(&[number]));
        visits.flat_map(|number| of(number).health_events(&[&met], &[7])).collect()
    }

    fn mean(events: &[Value], field: &str) -> f64 {
        let all: Vec<f64> = events.iter().filter_map(|event| event[field].as_f64()).collect();
        assert!(all.len() > 100, "{field}: {}", all.len());
        all.iter().sum::<f64>() / all.len() as f64
    }

    #[test]
    fn one_arm_is_slow_and_another_throws() {
        let [control, slow] = ["0", "1"].map(|arm| health_events_of("trust-row", arm, 20_000));
        let later = mean(&slow, "lcp_ms") - mean(&control, "lcp_ms");
        assert!((later - 300.0).abs() < 1.0, "the same pages, each later: {later}");
        for (field, least, most) in [("lcp_ms", 1_500.0, 3_000.0), ("cls", 0.005, 0.05), ("inp_ms", 60.0, 200.0)] {
            assert!((least..most).contains(&mean(&control, field)), "{field}");
        }
        let failed = |events: &[Value]| events.iter().filter(|event| event["errors"] == 1).count();
        assert_eq!(failed(&control), 0);
        let thrown = failed(&health_events_of("sock-bundle", "2", 20_000));
        assert!((300..500).contains(&thrown), "{thrown}");
        let says = |event: &Value| (event["errors"] == 1) == (event["error_message"] == MESSAGE);
        assert!(health_events_of("sock-bundle", "2", 2_000).iter().all(says));
        let found = control.iter().filter_map(|event| event["changes"].as_str());
        let (all, matched) =
            found.fold((0, 0), |(all, matched), letters| (all + letters.len(), matched + letters.matches('1').count()));
        assert!((0.99..0.995).contains(&(matched as f64 / all as f64)), "{matched} of {all}");
    }
}
