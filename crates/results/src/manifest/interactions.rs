//! Facts about interactions with other experiments.

use super::Manifest;
use muriel_domain::experiment::{Arm, VARIANTS_MAX};
use muriel_domain::{Flaw, Instant};
use muriel_log::LogId;
use muriel_store::interactions as stored;
use serde::{Deserialize, Serialize};

/// Maximum number of other experiments that a result names; those with the lowest p-values come first.
pub(crate) const INTERACTIONS_MAX: usize = 60;

/// Another experiment that was found to change the effect of this one, with the numbers of the check that found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionFacts {
    /// Id of the other experiment.
    pub test_id: i64,
    /// Name of the other experiment at that time.
    pub test_name: String,
    /// Key of the goal whose effect it changes: the primary goal.
    pub goal_key: String,
    /// Arm whose effect is changed.
    pub variant_id: String,
    /// Arm of the other experiment with which the effect differs from that with its control.
    pub other_variant_id: String,
    /// Effect with that arm minus effect with its control: a share of visitors, or a value per visitor.
    pub difference: f64,
    /// Interval of the difference, valid at any number of checks.
    pub interval: [f64; 2],
    /// The p-value after the correction for all pairs of the project.
    pub p_value: f64,
    /// Visitors who were compared.
    pub visitors: i64,
    /// Time of the check: windows that ended later were open.
    pub as_of: Instant,
    /// Event logs, each with the position up to which the check read it.
    pub logs: Vec<LogPlaceFacts>,
    /// True when an exclusion group separated the two experiments at the last check of their pair.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_separated: bool,
}

/// Position up to which a check read an event log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogPlaceFacts {
    /// Id of the log.
    pub id: LogId,
    /// Last block that was included, from 1.
    pub position: i64,
}

impl InteractionFacts {
    pub(crate) fn of(found: &stored::Interaction) -> Self {
        let place =
            |place: &stored::LogPlace| Some(LogPlaceFacts { id: place.id.parse().ok()?, position: place.position });
        Self {
            test_id: found.other.0,
            test_name: found.other_name.clone(),
            goal_key: found.goal_key.clone(),
            variant_id: Arm(found.arm).id(),
            other_variant_id: Arm(found.other_arm).id(),
            difference: found.difference,
            interval: [found.lower, found.upper],
            p_value: found.p_value,
            visitors: found.visitors,
            as_of: found.looked_at.to_ms(),
            logs: found.logs.iter().filter_map(place).collect(),
            is_separated: found.is_separated,
        }
    }

    /// Checks that it can be in the result of an experiment with this manifest.
    ///
    /// # Errors
    /// The field whose value is impossible, and the reason.
    pub(crate) fn check(&self, manifest: &Manifest) -> Result<(), (&'static str, Flaw)> {
        if self.test_id == manifest.experiment.test_id {
            return Err(("test_id", Flaw::new("must be another experiment's")));
        }
        let is_primary = manifest.metrics.iter().any(|metric| metric.key == self.goal_key && metric.role == "primary");
        if !is_primary {
            return Err(("goal_key", Flaw::new("must be the key of its primary goal")));
        }
        if !manifest.experiment.arms.iter().skip(1).any(|arm| arm.variant_id == self.variant_id) {
            return Err(("variant_id", Flaw::new("must be a variant of the experiment other than the control")));
        }
        if !(1..=VARIANTS_MAX).any(|number| number.to_string() == self.other_variant_id) {
            return Err(("other_variant_id", Flaw::new("must be a variant other than the control")));
        }
        let [lower, upper] = self.interval;
        if !(lower <= self.difference && self.difference <= upper && (lower > 0.0 || upper < 0.0)) {
            return Err(("interval", Flaw::new("must have the difference in it and leave out 0")));
        }
        if !(0.0..=1.0).contains(&self.p_value) {
            return Err(("p_value", Flaw::new("must be from 0 to 1")));
        }
        Ok(())
    }
}
