//! Explanations of assignments in responses.

use crate::wire::schemas;
use muriel_assign::{Experiment, TraceStep, Visitor, arm_name};
use muriel_service::explain;
use serde::Serialize;
use utoipa::ToSchema;

/// All steps of a decision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Explanation {
    /// Always true.
    pub success: bool,
    /// Id of the experiment.
    pub test_id: i64,
    /// Key of the experiment.
    pub experiment_key: String,
    /// Epoch of the decision.
    pub epoch: i64,
    /// Id of the visitor.
    pub visitor: String,
    /// `Control` or `Variant N`; null if the visitor is not included.
    pub variant: Option<String>,
    /// Reason for the assignment.
    #[schema(value_type = schemas::AssignmentReason)]
    pub reason: &'static str,
    /// True when the visitor takes part and is counted.
    pub in_experiment: bool,
    /// Names of the rules that only a page can check and that were therefore skipped.
    pub unenforced: Vec<String>,
    /// Reason why the script does nothing on the context's `url`, whatever was decided: the experiment runs on other
    /// pages. Absent if it runs there, and if no `url` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub elsewhere: Option<String>,
    /// All checks, in the order in which they are made.
    pub steps: Vec<ExplanationStep>,
}

/// One check.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExplanationStep {
    /// Name of the check: `status`, `traffic`, `variant`, or a targeting rule.
    pub check: &'static str,
    /// Outcome of the check.
    #[schema(value_type = schemas::StepOutcome)]
    pub outcome: &'static str,
    /// Explanation of the outcome.
    pub detail: String,
}

impl Explanation {
    /// Explanation of the decision for this visitor.
    pub(crate) fn new(experiment: &Experiment, visitor: &Visitor<'_>, explained: explain::Explanation) -> Self {
        let explain::Explanation { decision, steps, elsewhere } = explained;
        let unenforced = experiment.unenforced_on(visitor.side).split(',').filter(|rule| !rule.is_empty());
        let step = |step: TraceStep| ExplanationStep {
            check: step.check.name(),
            outcome: step.outcome.name(),
            detail: step.detail,
        };
        Self {
            success: true,
            test_id: experiment.id,
            experiment_key: experiment.key.to_string(),
            epoch: experiment.epoch,
            visitor: visitor.id.to_owned(),
            variant: decision.arm.map(|arm| arm_name(arm).to_owned()),
            reason: decision.reason.word(),
            in_experiment: decision.in_experiment(),
            unenforced: unenforced.map(str::to_owned).collect(),
            elsewhere,
            steps: steps.into_iter().map(step).collect(),
        }
    }
}
