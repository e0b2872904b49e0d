//! Why a visitor gets what it gets.

use crate::wire::schemas;
use muriel_assign::{Experiment, TraceStep, Visitor, arm_name};
use muriel_service::explain;
use serde::Serialize;
use utoipa::ToSchema;

/// Every step of a decision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Explanation {
    /// Always true.
    pub success: bool,
    /// The experiment's id.
    pub test_id: i64,
    /// Its name in code.
    pub experiment_key: String,
    /// The epoch that the decision belongs to.
    pub epoch: i64,
    /// The visitor's id.
    pub visitor: String,
    /// `Control` or `Variant N`; null where the visitor is not included.
    pub variant: Option<String>,
    /// Why, in a word.
    #[schema(value_type = schemas::AssignmentReason)]
    pub reason: &'static str,
    /// Whether the visitor takes part and is counted.
    pub in_experiment: bool,
    /// Rules that only a page can check and that were passed over, by name.
    pub unenforced: Vec<String>,
    /// Why the script on pages does nothing on the context's `url` whatever was decided, in words: the experiment takes
    /// place elsewhere. Absent where it takes place there, and where no `url` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub elsewhere: Option<String>,
    /// Every check, in the order in which they are made.
    pub steps: Vec<ExplanationStep>,
}

/// One check.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExplanationStep {
    /// What was looked at: `status`, `traffic`, `variant`, or a rule of targeting by its name.
    pub check: &'static str,
    /// How it went.
    #[schema(value_type = schemas::StepOutcome)]
    pub outcome: &'static str,
    /// In words.
    pub detail: String,
}

impl Explanation {
    /// The walk for this visitor.
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
