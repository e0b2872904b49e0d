//! Evaluation for visitors: the OpenFeature Remote Evaluation Protocol, and many visitors in one call.

use super::words::{AssignmentReason, EvaluationErrorCode};
use utoipa::ToSchema;

/// A visitor: `targetingKey`, known facts such as `country` and `url`, and attributes.
#[derive(ToSchema)]
pub(crate) struct Context {
    /// The visitor's id.
    #[schema(rename = "targetingKey", min_length = 1, max_length = 512)]
    targeting_key: String,
}

/// Request of the OpenFeature Remote Evaluation Protocol.
#[derive(ToSchema)]
pub(crate) struct EvaluationRequest {
    context: Context,
}

/// Assignment of the visitor.
#[derive(ToSchema)]
pub(crate) struct Evaluation {
    /// The experiment's key.
    key: String,
    /// `Control` or `Variant N`.
    value: String,
    /// Same as `value`.
    variant: String,
    /// `SPLIT`, `STATIC` (a winner is served), `DEFAULT` (not included) or `DISABLED` (not live).
    reason: String,
    metadata: EvaluationMetadata,
}

/// Metadata for telemetry.
#[derive(ToSchema)]
pub(crate) struct EvaluationMetadata {
    test_id: i64,
    /// Variant number as text; `0` is the control.
    variant_id: String,
    epoch: i64,
    /// True when the visitor takes part. Send an exposure only then.
    in_experiment: bool,
    reason: AssignmentReason,
    /// Rules that only a page can check and that were therefore skipped, by name, separated by commas.
    unenforced: String,
}

/// All experiments that are live or serve a winner.
#[derive(ToSchema)]
pub(crate) struct Evaluations {
    flags: Vec<Evaluation>,
}

/// An error of the OpenFeature Remote Evaluation Protocol.
#[derive(ToSchema)]
pub(crate) struct EvaluationFailure {
    key: Option<String>,
    #[schema(rename = "errorCode")]
    error_code: EvaluationErrorCode,
    #[schema(rename = "errorDetails")]
    error_details: String,
}

/// Experiments and visitors to evaluate.
#[derive(ToSchema)]
pub(crate) struct EvaluateManyBody {
    /// Keys of the experiments. Default: all experiments that are live or serve a winner.
    #[schema(max_items = 500)]
    experiment_keys: Option<Vec<String>>,
    #[schema(max_items = 1000)]
    contexts: Vec<Context>,
}

/// Assignments, one list per context.
#[derive(ToSchema)]
pub(crate) struct ManyEvaluated {
    success: bool,
    assignments: Vec<Vec<Assignment>>,
}

/// Assignment of one visitor in one experiment.
#[derive(ToSchema)]
pub(crate) struct Assignment {
    experiment_key: String,
    /// `Control` or `Variant N`.
    variant: String,
    in_experiment: bool,
    epoch: i64,
    reason: AssignmentReason,
}
