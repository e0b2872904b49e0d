//! How an experiment runs and when it ends.

use super::distribution::{Distribution, DistributionPatch};
use crate::{Instant, Problems};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of an experiment, complete. Serialises to the published object,
/// which is also how it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Configuration {
    /// Percentage of eligible visitors that enter, 0 to 100.
    pub traffic_allocation: i64,
    /// Confidence threshold in percent, 50 to 99.
    pub confidence_interval: i64,
    /// When it starts by itself.
    pub start_test_date: Option<Instant>,
    /// When it ends by itself; after the start.
    pub end_test_date: Option<Instant>,
    /// Multi-armed bandit.
    #[serde(with = "flag")]
    pub is_mab: bool,
    /// Automatic traffic.
    #[serde(with = "flag")]
    pub is_autopilot: bool,
    /// How the arms share.
    pub distribution: Distribution,
    /// Bayesian statistics, or frequentist.
    #[serde(with = "flag")]
    pub bayesian: bool,
    /// How changes are applied to the page.
    pub dom_change_path: Option<String>,
    /// When variant code runs on dynamic pages.
    pub trigger_variant_change: Option<String>,
    /// Stop after so many visitors; 0 is off.
    pub completion_visitor: i64,
    /// Stop after so many conversions; 0 is off.
    pub completion_conversion: i64,
    /// Stop when the result is significant.
    #[serde(with = "flag")]
    pub completion_stats_significant_flag: bool,
    /// Stop after so many days; 0 is off.
    pub completion_after_period: i64,
    /// Integrations that receive the experiment's data, as sent.
    pub integration: Vec<Value>,
}

impl Configuration {
    /// A sentence for each group of settings that is set and that nothing acts on yet.
    pub fn without_effect(&self) -> Vec<String> {
        let rules = [
            ("completion_visitor", self.completion_visitor > 0),
            ("completion_conversion", self.completion_conversion > 0),
            ("completion_after_period", self.completion_after_period > 0),
            ("completion_stats_significant_flag", self.completion_stats_significant_flag),
        ];
        let groups: [(&[(&str, bool)], &str); 6] = [
            (
                &[("start_test_date", self.start_test_date.is_some())],
                "is stored and starts nothing yet; start the experiment with PATCH /experiment/{test_id}/status",
            ),
            (
                &[("end_test_date", self.end_test_date.is_some())],
                "is stored and ends nothing yet; end the experiment with PATCH /experiment/{test_id}/status",
            ),
            (&rules, "is stored and ends nothing yet; end the experiment with PATCH /experiment/{test_id}/status"),
            (
                &[("is_mab", self.is_mab)],
                "is stored, and weights do not follow the results yet; set them with distribution",
            ),
            (
                &[("is_autopilot", self.is_autopilot)],
                "is stored, and traffic does not grow by itself yet; set it with traffic_allocation",
            ),
            (&[("integration", !self.integration.is_empty())], "is stored, and nothing is sent to integrations yet"),
        ];
        let said = groups.into_iter().filter_map(|(fields, what)| {
            let set: Vec<String> =
                fields.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("configuration.{name}")).collect();
            (!set.is_empty()).then(|| format!("{}: this {what}", set.join(", ")))
        });
        said.collect()
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            traffic_allocation: 100,
            confidence_interval: 95,
            start_test_date: None,
            end_test_date: None,
            is_mab: false,
            is_autopilot: false,
            distribution: Distribution::Unset,
            bayesian: true,
            dom_change_path: None,
            trigger_variant_change: None,
            completion_visitor: 0,
            completion_conversion: 0,
            completion_stats_significant_flag: false,
            completion_after_period: 0,
            integration: Vec::new(),
        }
    }
}

/// Flags are 0 or 1 in the published object.
mod flag {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(flag: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(u8::from(*flag))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        Ok(u8::deserialize(deserializer)? == 1)
    }
}

/// Changes to a configuration: `None` keeps what is there. Ranges have been
/// checked; what depends on the rest is checked by [`ConfigurationPatch::apply`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfigurationPatch {
    /// See [`Configuration::traffic_allocation`].
    pub traffic_allocation: Option<i64>,
    /// See [`Configuration::confidence_interval`].
    pub confidence_interval: Option<i64>,
    /// See [`Configuration::start_test_date`].
    pub start_test_date: Option<Option<Instant>>,
    /// See [`Configuration::end_test_date`].
    pub end_test_date: Option<Option<Instant>>,
    /// See [`Configuration::is_mab`].
    pub is_mab: Option<bool>,
    /// See [`Configuration::is_autopilot`].
    pub is_autopilot: Option<bool>,
    /// See [`Configuration::distribution`].
    pub distribution: Option<DistributionPatch>,
    /// See [`Configuration::bayesian`].
    pub bayesian: Option<bool>,
    /// See [`Configuration::dom_change_path`].
    pub dom_change_path: Option<Option<String>>,
    /// See [`Configuration::trigger_variant_change`].
    pub trigger_variant_change: Option<Option<String>>,
    /// See [`Configuration::completion_visitor`].
    pub completion_visitor: Option<i64>,
    /// See [`Configuration::completion_conversion`].
    pub completion_conversion: Option<i64>,
    /// See [`Configuration::completion_stats_significant_flag`].
    pub completion_stats_significant_flag: Option<bool>,
    /// See [`Configuration::completion_after_period`].
    pub completion_after_period: Option<i64>,
    /// See [`Configuration::integration`].
    pub integration: Option<Vec<Value>>,
}

impl ConfigurationPatch {
    /// The configuration after this patch, for `arms` arms.
    ///
    /// # Errors
    /// An end that is not after the start; weights that do not fit the arms.
    pub fn apply(self, before: &Configuration, arms: usize) -> Result<Configuration, Problems> {
        let mut problems = Problems::default();
        let in_force = before.distribution.resized(arms);
        let distribution = match self.distribution.map_or(Ok(in_force.clone()), |patch| patch.apply(&in_force, arms)) {
            Ok(distribution) => distribution,
            Err(found) => {
                for problem in found.iter() {
                    problems.add(format!("distribution{}", problem.field), &*problem.message);
                }
                in_force
            }
        };
        let after = Configuration {
            traffic_allocation: self.traffic_allocation.unwrap_or(before.traffic_allocation),
            confidence_interval: self.confidence_interval.unwrap_or(before.confidence_interval),
            start_test_date: self.start_test_date.unwrap_or(before.start_test_date),
            end_test_date: self.end_test_date.unwrap_or(before.end_test_date),
            is_mab: self.is_mab.unwrap_or(before.is_mab),
            is_autopilot: self.is_autopilot.unwrap_or(before.is_autopilot),
            distribution,
            bayesian: self.bayesian.unwrap_or(before.bayesian),
            dom_change_path: self.dom_change_path.unwrap_or_else(|| before.dom_change_path.clone()),
            trigger_variant_change: self
                .trigger_variant_change
                .unwrap_or_else(|| before.trigger_variant_change.clone()),
            completion_visitor: self.completion_visitor.unwrap_or(before.completion_visitor),
            completion_conversion: self.completion_conversion.unwrap_or(before.completion_conversion),
            completion_stats_significant_flag: self
                .completion_stats_significant_flag
                .unwrap_or(before.completion_stats_significant_flag),
            completion_after_period: self.completion_after_period.unwrap_or(before.completion_after_period),
            integration: self.integration.unwrap_or_else(|| before.integration.clone()),
        };
        if let (Some(start), Some(end)) = (after.start_test_date, after.end_test_date)
            && end <= start
        {
            problems.add("end_test_date", "must be after start_test_date");
        }
        problems.none_or(after)
    }
}
