//! Changing an experiment's fields.

use super::NOT_FOUND;
use super::StatusChange;
use super::change::{Change, Changed, Target};
use super::confirm::held_back;
use super::plan_departures::PlannedChange;
use crate::app::App;

use crate::results;
use crate::warnings::{about_dropped, codes, patch_codes, warnings};
use muriel_analysis::Verdict;
use muriel_context::actor::Actor;
use muriel_context::error::Result;
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::Problems;
use muriel_domain::access::Scope;
use muriel_domain::experiment::{ChangeEffect, Experiment, ExperimentPatch, Revision, Status};
use muriel_domain::ids::ExperimentId;
use muriel_results::{Inquiry, ReportInputs};
use muriel_sql::Tx;
use muriel_store::experiments::{self, LoadedExperiment};
use muriel_store::tenants::Project;
use serde_json::json;
use std::time::Duration;

/// The change that is proposed.
#[derive(Debug, Clone)]
pub enum Proposed {
    /// Fields to change.
    Edit(Box<Edit>),
    /// A status to move to.
    Status(StatusChange),
    /// Confirmation of plan changes made since the first start, for this reason, so that the clock follows them.
    Plan(String),
}

/// Timeout of the experiment's report, which the response to a change that removes arms waits for.
const RESULT_TIMEOUT: Duration = Duration::from_secs(3);

/// Fields to change.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// Values of the fields; fields that could not be read are left out.
    pub patch: ExperimentPatch,
    /// Problems with values that could not be read.
    pub problems: Problems,
}

/// The result of an update.
#[derive(Debug)]
pub struct Updated {
    /// The experiment before and after, with its version.
    pub changed: Changed,
    /// Warnings that the owner should review.
    pub warnings: Vec<String>,
}

/// Changes fields of an experiment, all of them or none.
///
/// # Errors
/// `NotFound`; then an `edit` that could not be read or has problems; `MissingScope` for a
/// change of code without the scope `code`; `PreconditionFailed`; conflicts; and when the
/// database cannot be reached.
pub async fn update(app: &App, actor: &Actor, target: Target, edit: Result<Edit>) -> Result<Updated> {
    prepare_code(app, actor, &edit).await;
    let change = Change::new(app, actor, target, "update");
    let (project, id, node) = (change.target.project.clone(), change.target.id, app.node_id());
    let (changed, dropped, held) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let (after, dropped) = decide(tx, &change, &before, edit, node.as_deref()).await?;
                change.approval(tx, &before.experiment, &after).await?;
                let changed = change.save(tx, before, after).await?;
                let held = held_back(tx, &changed).await?;
                Ok((changed, dropped, held))
            })
        })
        .await?;
    changed.deliver(app, &project).await;
    let mut warnings = warnings_of(app, &project, id, (&changed.before, &changed.after), dropped).await;
    warnings.extend(held);
    Ok(Updated { changed, warnings })
}

/// Restores the fields that an experiment had after the change that made `revision`; `edit` holds them.
/// `render` makes the response, which has warnings unless it is a repeated one.
///
/// # Errors
/// Same as [`update`], and a `key` that could not be read.
pub async fn restore(
    app: &App,
    actor: &Actor,
    target: Target,
    revision: i64,
    edit: Result<Edit>,
    key: Result<Option<IdempotencyKey>>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<(StoredResponse, Option<Updated>)> {
    let detail = Some(json!({ "revision": revision }));
    let change = Change::new(app, actor, target, "restore").with_detail(detail);
    prepare_code(app, actor, &edit).await;
    let (project, id, node) = (change.target.project.clone(), change.target.id, app.node_id());
    let (response, done) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let key = key?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, None));
                }
                let (after, dropped) = decide(tx, &change, &before, edit, node.as_deref()).await?;
                change.approval(tx, &before.experiment, &after).await?;
                let changed = change.save(tx, before, after).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&changed)?).await?;
                Ok((response, Some((changed, dropped))))
            })
        })
        .await?;
    let Some((changed, dropped)) = done else { return Ok((response, None)) };
    changed.deliver(app, &project).await;
    let warnings = warnings_of(app, &project, id, (&changed.before, &changed.after), dropped).await;
    Ok((response, Some(Updated { changed, warnings })))
}

/// Analyses the code of an edit, so that neither the transaction nor a visitor waits for it.
async fn prepare_code(app: &App, actor: &Actor, edit: &Result<Edit>) {
    if let (true, Ok(edit)) = (actor.may(Scope::Code), edit) {
        app.rulesets.loop_guards.prepare(patch_codes(&edit.patch)).await;
    }
}

/// Analyses the code of a proposed edit.
pub(crate) async fn prepare(app: &App, actor: &Actor, proposed: &Proposed) {
    if let (true, Proposed::Edit(edit)) = (actor.may(Scope::Code), proposed) {
        app.rulesets.loop_guards.prepare(patch_codes(&edit.patch)).await;
    }
}

/// The result of previewing a change.
#[derive(Debug)]
pub struct Previewed {
    /// The current experiment, with its details.
    pub before: LoadedExperiment,
    /// The experiment after the change; equal where nothing would change.
    pub after: Experiment,
    /// Effects of the change; `None` where nothing would change.
    pub effect: Option<ChangeEffect>,
    /// Parts of the analysis that would depart from the plan locked at the first start, one sentence each.
    pub exploratory: Vec<String>,
    /// Warnings that the owner should review.
    pub warnings: Vec<String>,
    /// True when a second person has to approve the change.
    pub needs_approval: bool,
}

/// Describes the effects of an [`update`] without making it.
///
/// # Errors
/// Same as [`update`].
pub async fn preview(app: &App, actor: &Actor, target: Target, edit: Result<Edit>) -> Result<Previewed> {
    let change = Change::new(app, actor, target, "preview");
    let (project, id, node) = (change.target.project.clone(), change.target.id, app.node_id());
    let (before, after, dropped, needs_approval, planned) = app
        .read(move |tx| {
            Box::pin(async move {
                let before = experiments::find(tx, change.target.project.id, id).await?.ok_or(NOT_FOUND)?;
                let (after, dropped) = decide(tx, &change, &before, edit, node.as_deref()).await?;
                let needs_approval = change.rules(tx).await?.apply_to(Some(&before.experiment), &after);
                let planned = PlannedChange::load(tx, &before.experiment, &after).await?;
                Ok((before, after, dropped, needs_approval, planned))
            })
        })
        .await?;
    let revision = Revision::between(&before.experiment, after, app.clock.now());
    let effect = revision.as_ref().map(|revision| ChangeEffect::of(&before.experiment, revision));
    let exploratory = match (&revision, planned) {
        (Some(revision), Some(planned)) => planned.departures(&revision.experiment),
        _ => Vec::new(),
    };
    let after = revision.map_or_else(|| before.experiment.clone(), |revision| revision.experiment);
    let warnings = warnings_of(app, &project, id, (&before.experiment, &after), dropped).await;
    Ok(Previewed { before, after, effect, exploratory, warnings, needs_approval })
}

/// Returns the experiment after `edit`, if it is allowed, with the inputs of its report if that removes
/// arms that visitors saw.
pub(crate) async fn decide(
    tx: &mut dyn Tx,
    change: &Change,
    before: &LoadedExperiment,
    edit: Result<Edit>,
    node: Option<&str>,
) -> Result<(Experiment, Option<ReportInputs>)> {
    let Edit { patch, problems } = edit?;
    let project = change.target.project.id;
    let hypothesis = patch.hypothesis_id.flatten();
    let known = experiments::known(tx, project, patch.goal_keys(), hypothesis).await?;
    let after = before.experiment.patched(patch, problems, &known)?;
    if before.experiment.changes_code(&after) {
        change.actor.require(Scope::Code)?;
    }
    change.decided(before, before.experiment.keeps_served(&after).map_err(Into::into))?;
    let dropped = match drops_arms(&before.experiment, &after) {
        true => report_inputs(tx, change, node).await?,
        false => None,
    };
    Ok((after, dropped))
}

/// Returns the warnings that the owner of the changed experiment should review.
pub(super) async fn warnings_of(
    app: &App,
    project: &Project,
    id: ExperimentId,
    (before, after): (&Experiment, &Experiment),
    dropped: Option<ReportInputs>,
) -> Vec<String> {
    let mut about = Vec::new();
    if let Some(inputs) = dropped {
        let winners = winners(app, project, id, &inputs).await;
        about.extend(about_dropped(after.arms()..before.arms(), winners.as_deref()));
    }
    app.rulesets.loop_guards.prepare(codes(after)).await;
    about.extend(warnings(after, &app.rulesets.loop_guards));
    about
}

/// Returns whether the change removes arms that visitors may have seen.
fn drops_arms(before: &Experiment, after: &Experiment) -> bool {
    before.arms() > after.arms() && before.lifecycle.status() != Status::Draft
}

/// Loads the inputs of the experiment's report before its arms are removed.
async fn report_inputs(tx: &mut dyn Tx, change: &Change, node: Option<&str>) -> Result<Option<ReportInputs>> {
    let (project, id) = (change.target.project.id, change.target.id);
    Ok(ReportInputs::load(tx, project, id, &Inquiry::default(), node).await?.ok())
}

/// Returns the arms that the current report judges better than the control on its first metric; `None` when no report
/// is available within [`RESULT_TIMEOUT`].
async fn winners(app: &App, project: &Project, id: ExperimentId, inputs: &ReportInputs) -> Option<Vec<usize>> {
    let report = results::report_of(app, project, id, Inquiry::default(), false, inputs);
    let computed = tokio::time::timeout(RESULT_TIMEOUT, report).await.ok()?.ok()?;
    let top = computed.manifest.top().and(computed.report.metrics.first());
    let analyses = top.into_iter().flat_map(|metric| &metric.analyses);
    Some(analyses.filter(|analysis| analysis.verdict == Verdict::Win).map(|analysis| analysis.arm).collect())
}
