//! Conclusions of experiments in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::experiment::Conclusion;
use muriel_store::conclusions::ConclusionRecord;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// An experiment was concluded.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Concluded {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Always 1.
    #[schema(value_type = schemas::Flag)]
    pub(crate) is_completed: i64,
    /// Status: 0, or unchanged while a winner is served.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// Outcome.
    #[schema(value_type = schemas::ConclusionOutcome)]
    pub(crate) outcome: &'static str,
    /// Variant that is served; null if no variant is served.
    #[schema(required, example = "1")]
    pub(crate) serving_variant_id: Option<String>,
    /// Percent of the visitors who get the served variant; null if no variant is served.
    #[schema(required, example = 100)]
    pub(crate) serving_traffic_allocation: Option<i64>,
}

/// An experiment was reopened.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reopened {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Always 0.
    #[schema(value_type = schemas::Flag)]
    pub(crate) is_completed: i64,
    /// Status, which does not change.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
}

/// The plan was confirmed: the clock acts on the experiment as it is.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanConfirmed {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Time at which the plan was confirmed that the clock acts on; null if it acts on the locked one and there was
    /// nothing to confirm.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) confirmed_at: Option<Instant>,
}

/// The clock acts by the rule that it held back.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActConfirmed {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// The rule.
    #[schema(value_type = schemas::ClockRule)]
    pub(crate) rule: &'static str,
    /// End of the confirmation, a day later. If the rule is not met until then, the clock judges the result without
    /// single networks again.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) confirmed_until: Instant,
}

/// Conclusion of an experiment, if it has one.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Conclusion; null if the experiment is not concluded.
    #[schema(required)]
    pub(crate) conclusion: Option<ConclusionShown>,
}

/// Conclusion of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionShown {
    /// Outcome.
    #[schema(value_type = schemas::ConclusionOutcome)]
    pub(crate) outcome: &'static str,
    /// Reason for the outcome, in the team's words.
    #[schema(example = "Fewer fields, more orders.")]
    pub(crate) note: String,
    /// Lesson beyond this test; empty if there is none.
    #[schema(example = "Visitors on phones leave at the address.")]
    pub(crate) learned: String,
    /// Reason why the outcome is right although the verdict contradicts it; null if it does not.
    #[schema(required, example = "A study with users said the same.")]
    pub(crate) override_reason: Option<String>,
    /// Id of the hypothesis that continues this test; null if there is none.
    #[schema(required, example = 12)]
    pub(crate) follow_up_hypothesis_id: Option<i64>,
    /// Time of the conclusion.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) concluded_at: Instant,
    /// Name of the person who concluded it.
    #[schema(required, example = "Ada Lovelace")]
    pub(crate) concluded_by: Option<String>,
    /// Verdict on each variant at that time, by variant id; null if no result could be computed.
    #[schema(required, example = json!({ "1": "win" }))]
    pub(crate) verdicts: Option<Value>,
    /// Manifest that the verdicts were computed from, as in results; null if no result could be computed.
    #[schema(required)]
    pub(crate) manifest: Option<Value>,
}

impl ConclusionShown {
    /// Conclusion with the data stored with it.
    pub(crate) fn new(conclusion: Conclusion, record: Option<ConclusionRecord>) -> Self {
        let (learned, override_reason, follow_up, concluded_by, verdicts, manifest) = match record {
            None => (String::new(), None, None, None, None, None),
            Some(it) => (it.learned, it.override_reason, it.follow_up, Some(it.concluded_by), it.verdicts, it.manifest),
        };
        Self {
            outcome: conclusion.outcome.word(),
            note: conclusion.note,
            learned,
            override_reason,
            follow_up_hypothesis_id: follow_up.map(|id| id.0),
            concluded_at: conclusion.concluded_at,
            concluded_by,
            verdicts,
            manifest,
        }
    }
}
