//! Conclusions of experiments in answers.

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
    /// Its id.
    pub(crate) test_id: i64,
    /// Always 1.
    #[schema(value_type = schemas::Flag)]
    pub(crate) is_completed: i64,
    /// Its status: 0, or what it was while a winner is served.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// What came out.
    #[schema(value_type = schemas::ConclusionOutcome)]
    pub(crate) outcome: &'static str,
    /// The arm that is served; null without one.
    #[schema(required, example = "1")]
    pub(crate) serving_variant_id: Option<String>,
    /// To how many percent of the visitors it is served; null without one.
    #[schema(required, example = 100)]
    pub(crate) serving_traffic_allocation: Option<i64>,
}

/// An experiment was reopened.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reopened {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
    /// Always 0.
    #[schema(value_type = schemas::Flag)]
    pub(crate) is_completed: i64,
    /// Its status, which stays.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
}

/// The clock goes by the experiment as it is.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanConfirmed {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
    /// When the plan was confirmed that the clock goes by; null where it goes by the locked one and nothing was to be confirmed.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) confirmed_at: Option<Instant>,
}

/// How an experiment ended.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
    /// The conclusion; null while it is not concluded.
    #[schema(required)]
    pub(crate) conclusion: Option<ConclusionShown>,
}

/// How an experiment ended.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionShown {
    /// What came out.
    #[schema(value_type = schemas::ConclusionOutcome)]
    pub(crate) outcome: &'static str,
    /// Why, in the team's words.
    #[schema(example = "Fewer fields, more orders.")]
    pub(crate) note: String,
    /// What was learned beyond this test; empty for nothing.
    #[schema(example = "Visitors on phones leave at the address.")]
    pub(crate) learned: String,
    /// Why the outcome is right although the verdict contradicts it; null where it does not.
    #[schema(required, example = "A study with users said the same.")]
    pub(crate) override_reason: Option<String>,
    /// The hypothesis that continues this test; null without one.
    #[schema(required, example = 12)]
    pub(crate) follow_up_hypothesis_id: Option<i64>,
    /// When it was concluded.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) concluded_at: Instant,
    /// Who concluded it: a name.
    #[schema(required, example = "Ada Lovelace")]
    pub(crate) concluded_by: Option<String>,
    /// The verdict on each variant at that moment, by the variant's id; null where no result could be computed.
    #[schema(required, example = json!({ "1": "win" }))]
    pub(crate) verdicts: Option<Value>,
    /// What the verdicts were computed from, as in results; null where no result could be computed.
    #[schema(required)]
    pub(crate) manifest: Option<Value>,
}

impl ConclusionShown {
    /// A conclusion, with what is kept besides.
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
