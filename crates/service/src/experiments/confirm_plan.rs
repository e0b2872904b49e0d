//! Confirming a changed plan, so that the clock acts on the current experiment instead of the plan
//! locked at the first start.

use super::NOT_FOUND;
use super::change::{Change, Changed, Target};
use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::error::Result;
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::experiment::{Experiment, PLAN_REASON_MAX};
use muriel_domain::{Flaw, text};
use muriel_results::{Inquiry, Labels, ReportInputs};
use muriel_sql::Tx;
use muriel_store::experiments::LoadedExperiment;
use serde_json::{Map, Value};

/// Parses the reason for confirming a plan.
///
/// # Errors
/// A blank text, and one that is too long.
pub fn plan_reason(said: &str) -> Result<String, Flaw> {
    match text::at_most(said.trim(), PLAN_REASON_MAX)? {
        reason if reason.is_empty() => {
            Err(Flaw::new("must say why the clock should follow the changes made after the start"))
        }
        reason => Ok(reason),
    }
}

/// Confirms the changes made to the plan since the first start, so that the clock acts on them. Does
/// nothing when the clock already follows them. `render` makes the response.
///
/// # Errors
/// `NotFound`; then a `reason` or a `key` that could not be read; `PreconditionFailed`; an experiment
/// that has not started or is concluded; a confirmation that a second person has to approve; and when
/// the database cannot be reached.
pub async fn confirm_plan(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    reason: Result<String>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let change = Change::new(app, actor, target, "confirm plan");
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
                let after = confirmed(tx, &change, &before, reason).await?;
                change.approval(tx, &before.experiment, &after).await?;
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
