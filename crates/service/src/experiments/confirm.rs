//! Confirmations by people: of a changed plan, so that the clock acts on the current experiment instead of the plan
//! locked at the first start, and of an act that the clock holds back because its finding rests on a single network.

use super::NOT_FOUND;
use super::change::{Change, Changed, Target};
use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::error::Result;
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::experiment::{Experiment, PLAN_REASON_MAX, Rule};
use muriel_domain::{Flaw, text};
use muriel_results::{Inquiry, Labels, ReportInputs};
use muriel_sql::Tx;
use muriel_store::experiments::LoadedExperiment;
use serde_json::{Map, Value};

/// Subject of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    /// The changes of the plan since the first start.
    Plan,
    /// The act that the clock holds back. The clock then acts by its rule for a day.
    Act,
}

impl Confirmation {
    /// Parses the reason for it.
    ///
    /// # Errors
    /// A blank text, and one that is too long.
    pub fn reason(self, said: &str) -> Result<String, Flaw> {
        match text::at_most(said.trim(), PLAN_REASON_MAX)? {
            reason if reason.is_empty() => Err(Flaw::new(match self {
                Self::Plan => "must say why the clock should follow the changes made after the start",
                Self::Act => "must say why the result can be trusted",
            })),
            reason => Ok(reason),
        }
    }

    /// Word in the history and the audit log.
    pub fn action(self) -> &'static str {
        match self {
            Self::Plan => "confirm plan",
            Self::Act => "confirm act",
        }
    }

    /// The experiment after the confirmation.
    async fn apply(
        self,
        tx: &mut dyn Tx,
        change: &Change,
        before: &LoadedExperiment,
        reason: String,
    ) -> Result<Experiment> {
        match self {
            Self::Plan => confirmed(tx, change, before, reason).await,
            Self::Act => change.decided(before, before.experiment.act_confirmed(change.now).map_err(Into::into)),
        }
    }

    /// Returns whether a second person may have to approve it. People may stop an experiment, and serve what visitors
    /// have met, alone, so they may let the clock do it. Weights need approval.
    fn needs_approval(self, after: &Experiment) -> bool {
        let is_of_weights = || after.schedule.confirmed_act.is_some_and(|confirmed| confirmed.rule == Rule::Bandit);
        self == Self::Plan || is_of_weights()
    }
}

/// Confirms the changed plan, or the act that the clock holds back. A plan that the clock follows already stays. `render`
/// makes the response.
///
/// # Errors
/// `NotFound`; then a `reason` or a `key` that could not be read; `PreconditionFailed`; an experiment that has not started,
/// that is concluded, or of which no act is held back; a confirmation that a second person has to approve; and when the
/// database cannot be reached.
pub async fn confirm(
    app: &App,
    actor: &Actor,
    target: Target,
    what: Confirmation,
    key: Result<Option<IdempotencyKey>>,
    reason: Result<String>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let change = Change::new(app, actor, target, what.action());
    let change = match &reason {
        Ok(reason) => {
            let fields = Map::from_iter([("reason".to_owned(), Value::from(reason.as_str()))]);
            change.with_detail(Some(fields.clone().into())).with_audit_fields(fields)
        }
        Err(_) => change,
    };
    let project = change.target.project.clone();
    let (response, changed) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let (reason, key) = (reason?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, None));
                }
                let after = what.apply(tx, &change, &before, reason).await?;
                if what.needs_approval(&after) {
                    change.approval(tx, &before.experiment, &after).await?;
                }
                let changed = change.save(tx, before, after).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&changed)?).await?;
                Ok((response, Some(changed)))
            })
        })
        .await?;
    if let Some(changed) = changed {
        changed.deliver(app, &project).await;
    }
    Ok(response)
}

/// Returns the experiment with its current state confirmed as the plan.
pub(crate) async fn confirmed(
    tx: &mut dyn Tx,
    change: &Change,
    before: &LoadedExperiment,
    reason: String,
) -> Result<Experiment> {
    let (project, id) = (change.target.project.id, change.target.id);
    let inputs = ReportInputs::load(tx, project, id, &Inquiry::default(), None).await?.map_err(|_| NOT_FOUND)?;
    let after = match inputs.to_confirm(reason, change.now) {
        Some(plan) => before.experiment.plan_confirmed(plan).map_err(Into::into),
        None => Ok(before.experiment.clone()),
    };
    change.decided(before, after)
}

/// A warning about changes that the clock does not follow until they are confirmed. `None` when no
/// such changes exist, or when this change did not touch the plan.
pub(super) async fn held_back(tx: &mut dyn Tx, changed: &Changed) -> Result<Option<String>> {
    let (before, after) = (&changed.before, &changed.after);
    let judged = |experiment: &Experiment| {
        let configuration = &experiment.configuration;
        (configuration.confidence_interval, experiment.plan.mde.to_bits(), experiment.primary_goal.clone())
    };
    let is_same = judged(before) == judged(after) && before.milestones == after.milestones;
    if after.milestones.first_start.is_none() || is_same {
        return Ok(None);
    }
    let inputs = ReportInputs::load(tx, after.project_id, after.id, &Inquiry::default(), None).await?;
    let labels =
        inputs.ok().map(|inputs| Labels::of(&inputs.manifest(&"".into(), &Inquiry::default(), after.updated_at)));
    Ok(labels.and_then(|labels| labels.held_back).map(|sentence| format!("plan: {sentence}")))
}
