//! Health check for other experiments that change the effect of this one.

use super::name_of;
use muriel_analysis::{Grade, HealthCheck};
use muriel_results::{Computed, InteractionFacts, MetricFacts};

/// Maximum number of other experiments that are described in full.
const MAX_DESCRIBED: usize = 3;

/// Checks for interactions with other experiments; `None` if there are none.
pub(super) fn check(computed: &Computed) -> Option<HealthCheck> {
    let found = &computed.manifest.interactions;
    if found.is_empty() {
        return None;
    }
    let mut sentences: Vec<String> = found.iter().take(MAX_DESCRIBED).map(|facts| sentence(computed, facts)).collect();
    match found.len().saturating_sub(MAX_DESCRIBED) {
        0 => {}
        1 => sentences.push("One more experiment also changes it.".to_owned()),
        more => sentences.push(format!("{more} more experiments also change it.")),
    }
    sentences.push(advice(found.iter().all(|facts| facts.is_separated), found.len()).to_owned());
    Some(HealthCheck::new(Grade::Warn, sentences.join(" ")))
}

/// Recommended action.
fn advice(are_separated: bool, number: usize) -> &'static str {
    match (are_separated, number) {
        (true, _) => {
            "They are in one exclusion group now and share no new visitors: use epoch= for the visitors since then."
        }
        (false, 1) => {
            "The effect of this experiment depends on that one: put both into an exclusion group, or end one first."
        }
        (false, _) => {
            "The effect of this experiment depends on them: put all into one exclusion group, or end the others first."
        }
    }
}

fn sentence(computed: &Computed, facts: &InteractionFacts) -> String {
    let metrics = computed.manifest.metrics.iter().zip(&computed.metrics);
    let metric = metrics.into_iter().find(|(metric, _)| metric.key == facts.goal_key && metric.role == "primary");
    let name = metric.map_or(facts.goal_key.as_str(), |(metric, _)| metric.name.as_str());
    let is_value = metric.is_some_and(|(metric, _)| MetricFacts::is_revenue(metric));
    let unit = match (is_value, metric.and_then(|(_, numbers)| numbers.currency.as_deref())) {
        (false, _) => "percentage points".to_owned(),
        (true, Some(currency)) => format!("{currency} per visitor"),
        (true, None) => "per visitor".to_owned(),
    };
    let scaled = |value: f64| if is_value { value } else { 100.0 * value };
    let way = if facts.difference > 0.0 { "higher" } else { "lower" };
    let [lower, upper] = facts.interval.map(scaled);
    let arm = facts.variant_id.parse().map_or("", |arm: usize| name_of(&computed.manifest, arm));
    format!(
        "The effect of {arm} on {name} is {:.2} {unit} {way} (interval {lower:.2} to {upper:.2}) for visitors who met \
         Variant {} of \"{}\" (experiment {}) than for those who met its control.",
        scaled(facts.difference.abs()),
        facts.other_variant_id,
        facts.test_name,
        facts.test_id,
    )
}
