//! Bodies about conclusions.

use super::words::ConclusionOutcome;
use utoipa::ToSchema;

/// Conclusion of an experiment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionBody {
    /// Outcome.
    outcome: ConclusionOutcome,
    /// Reason for the outcome, in the team's words.
    #[schema(max_length = 10000, example = "Fewer fields, more orders.")]
    note: String,
    /// Lesson beyond this test.
    #[schema(nullable = false, max_length = 10000, example = "Visitors on phones leave at the address.")]
    learned: Option<String>,
    /// Reason why the outcome is right although the verdict contradicts it. Required in that case.
    #[schema(nullable = false, min_length = 1, max_length = 10000, example = "A study with users said the same.")]
    override_reason: Option<String>,
    /// Variant to serve from now on: `0` for the control, `1` for `Variant 1`. If it is left out, the experiment stops.
    #[schema(nullable = false, example = "1")]
    serve_variant_id: Option<String>,
    /// Percent of the visitors who get the served variant; only with `serve_variant_id`.
    #[schema(nullable = false, minimum = 1, maximum = 100, default = 100)]
    traffic_allocation: Option<i64>,
    /// Id of the hypothesis that continues this test.
    #[schema(nullable = false, minimum = 1, example = 12)]
    follow_up_hypothesis_id: Option<i64>,
}
