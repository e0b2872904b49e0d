//! Ends experiments that are known to harm visitors' pages, where the project enables it.
//!
//! Harm is [`PageHealth::harm`](muriel_analysis::PageHealth::harm): code that fails, or pages that are
//! slower, shift more or respond later than the control's, by more than a margin. It needs no full day
//! and no conversions. Only the arms that visitors get now are judged, by the visitors who got them:
//! see [`Experiment::protected_arms`]. A person who starts the experiment again has been warned, so an
//! unchanged arm does not end it a second time.

use super::trusted::{Judged, rests_on_one_network};
use super::{CHECK_AGAIN_US, CLOCK, Leadership, apply, fails_by_itself, hold_back, object, project};
use crate::app::App;
use crate::experiments::{Change, Target};
use crate::results::{load, not_found, report_of};
use muriel_analysis::{PageHarm, PageMeasurement};
use muriel_context::Precondition;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, Experiment, Rule};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_results::concentration::Weight;
use muriel_results::{Computed, Inquiry, PlanBasis};
use muriel_store::jobs;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// State of each experiment when its pages were last checked.
#[derive(Debug, Default)]
pub struct PageChecks(HashMap<ExperimentId, PageState>);

/// State that determines a result. A result is checked once per period, however many events arrive.
#[derive(Debug, PartialEq, Eq)]
struct PageState {
    revision: i64,
    period: i64,
}

/// Checks the pages of live experiments in projects that enable it, and ends the experiments that harm
/// them. Returns the ended experiments.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is checked again.
pub async fn stop_page_harm(app: &App, leadership: &Leadership, checks: &mut PageChecks) -> Result<Vec<ExperimentId>> {
    if app.results().is_none() {
        return Ok(Vec::new());
    }
    let protected = app.read(|tx| Box::pin(async move { Ok(jobs::protected(tx).await?) })).await?;
    let ids: HashSet<ExperimentId> = protected.iter().map(|(_, id, _)| *id).collect();
    checks.0.retain(|id, _| ids.contains(id));
    let mut ended = Vec::new();
    for (project_id, id, revision) in protected {
        let state = PageState { revision, period: app.clock.now().us().div_euclid(CHECK_AGAIN_US) };
        if checks.0.get(&id) == Some(&state) {
            continue;
        }
        let is_looked_at = match protect(app, leadership.term, project_id, id).await {
            Ok(is_ended) => {
                ended.extend(is_ended.then_some(id));
                true
            }
            // The warehouse is busy, or the experiment changed meanwhile.
            Err(Error::Unavailable { .. }) => false,
            Err(error) => fails_by_itself(id, "stop_page_harm", error)?,
        };
        if is_looked_at {
            checks.0.insert(id, state);
        }
    }
    Ok(ended)
}

/// Ends the experiment if it harms pages. Returns whether it did.
async fn protect(app: &App, term: i64, project_id: ProjectId, id: ExperimentId) -> Result<bool> {
    let Some(project) = project(app, project_id).await? else { return Ok(false) };
    let inputs = load(app, project.id, id, &Inquiry::default()).await?.map_err(not_found)?;
    let experiment = inputs.experiment();
    if !experiment.follows(Rule::PageHarm) {
        return Ok(false);
    }
    // Arms that have been unchanged since the same moment share one report.
    let mut arms: BTreeMap<Option<Instant>, BTreeSet<Arm>> = BTreeMap::new();
    for protected in experiment.protected_arms() {
        arms.entry(protected.since).or_default().insert(protected.arm);
    }
    let (mut found, mut manifest, mut held_back) = (BTreeMap::new(), None, None);
    for (entered_since, arms) in arms {
        if entered_since.is_some_and(|since| since >= app.clock.now()) {
            continue;
        }
        let inquiry = Inquiry { entered_since: entered_since.map(Instant::to_ms), ..Inquiry::default() };
        let inquiry = Inquiry { trusted_only: true, ..inputs.judged_by(PlanBasis::InForce, inquiry) };
        let computed = report_of(app, &project, id, inquiry.clone(), false, &inputs).await?;
        let mut harm = harm_of(&computed, &arms, entered_since);
        for arm in arms.iter().filter(|arm| harm.contains_key(arm)).copied().collect::<Vec<_>>() {
            let judged = Judged { inquiry: inquiry.clone(), ..Judged::in_force(Weight::Visitors(arm.0 as usize)) };
            let holds = |computed: &Computed| harm_of(computed, &arms, entered_since).contains_key(&arm);
            if !experiment.is_act_confirmed(Rule::PageHarm, app.clock.now())
                && let Some(why) = rests_on_one_network(app, &project, id, &judged, holds).await?
            {
                harm.remove(&arm);
                held_back = Some(why);
            }
        }
        if manifest.is_none() && !harm.is_empty() {
            manifest = Some(serde_json::to_value(&computed.manifest).map_err(Error::internal)?);
        }
        found.extend(harm);
    }
    let target = Target { project, id, precondition: Precondition::None };
    if found.is_empty() {
        if let Some(why) = held_back {
            hold_back::<()>(app, term, target, Rule::PageHarm, why).await?;
        }
        return Ok(false);
    }
    let arms: Vec<Arm> = found.keys().copied().collect();
    let (sentences, numbers): (Vec<String>, Vec<Value>) = found.into_values().unzip();
    let detail = format!("its pages are harmed, and the project ends such experiments: {}", sentences.join(" "));
    let numbers = object(json!({ "variants": numbers }));
    let change = Change::new(app, &CLOCK, target, "stop");
    let revision = experiment.revision;
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        // The numbers belong to the experiment before its change.
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.ended_by_harm(arms, detail, numbers, now)?))
    };
    Ok(apply(app, term, change, Rule::PageHarm, None, manifest, decide).await?.is_some())
}

/// Returns the harm by these arms among visitors who entered since `since`: a sentence and the numbers for each.
fn harm_of(computed: &Computed, arms: &BTreeSet<Arm>, since: Option<Instant>) -> BTreeMap<Arm, (String, Value)> {
    let measurement = |it: &&PageMeasurement| {
        json!({
            "metric": it.metric.word(),
            "visitors": it.visitors,
            "value": it.value,
            "difference": it.difference,
            "difference_interval": it.interval.map(|interval| [interval.lower, interval.upper]),
        })
    };
    let design = computed.manifest.design();
    let found = computed.report.page.harm(&design).filter_map(|PageHarm { arm, by, message }| {
        let arm = arms.iter().copied().find(|known| known.0 as usize == arm.arm)?;
        let harmed: Vec<Value> = by.iter().map(measurement).collect();
        let mut numbers = json!({ "variant_id": arm.id(), "harmed": harmed });
        if let Some(since) = since {
            numbers["entered_since"] = json!(since);
        }
        Some((arm, (message, numbers)))
    });
    found.collect()
}

#[cfg(test)]
mod tests;
