//! Reports findings in results to webhooks and people: a health check that fails or has recovered, and a verdict.
//!
//! Results change without an act, so they are checked periodically: about once a minute while a webhook
//! asks for findings, every five minutes while only people watch. A reported finding is stored in the
//! transaction that writes it to the outbox and the inboxes, so that it is reported once, whichever
//! node leads. A verdict is reported once it also holds for signed and keyed visitors, and without any
//! single network: programs act on it.

use super::trusted::{Judged, rests_on_one_network, trusted_report};
use super::{CHECK_AGAIN_US, CLOCK, Leadership, check, fails_by_itself, look, project};
use crate::app::App;
use muriel_analysis::{Grade, Verdict};
use muriel_context::error::{Error, Result};
use muriel_domain::experiment::{Arm, Experiment};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::webhook::{Event, EventType};
use muriel_results::concentration::Weight;
use muriel_results::{Computed, Inquiry, Labels};
use muriel_store::tenants::Project;
use muriel_store::webhooks::Followed;
use muriel_store::{notifications, webhooks};
use serde_json::json;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Period of checks for experiments that only people watch: most live experiments are watched by their
/// authors, and an inbox is not read every minute.
const CHECK_FOR_PEOPLE_US: i64 = 5 * CHECK_AGAIN_US;

/// Revision and period in which each experiment was last checked.
#[derive(Debug, Default)]
pub struct FindingChecks(HashMap<ExperimentId, (i64, i64)>);

/// A finding in a result.
struct Finding {
    /// Name under which the finding is stored.
    name: String,
    event: Event,
    /// Arm and verdict that it is about; `None` for a health check.
    verdict: Option<(Arm, Verdict)>,
}

/// Checks the results that webhooks and watchers follow, and reports new findings. Returns the number of events.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is checked again.
pub async fn report_findings(app: &App, leadership: &Leadership, checks: &mut FindingChecks) -> Result<usize> {
    if app.results().is_none() {
        return Ok(0);
    }
    let followed = app.read(|tx| Box::pin(async move { Ok(webhooks::followed(tx).await?) })).await?;
    let ids: HashSet<ExperimentId> = followed.iter().map(|followed| followed.id).collect();
    checks.0.retain(|id, _| ids.contains(id));
    let mut sent = 0;
    for Followed { project: project_id, id, revision, by_webhook } in followed {
        let period = if by_webhook { CHECK_AGAIN_US } else { CHECK_FOR_PEOPLE_US };
        let state = (revision, app.clock.now().us().div_euclid(period));
        if checks.0.get(&id) == Some(&state) {
            continue;
        }
        let is_checked = match report_experiment(app, leadership.term, project_id, id).await {
            Ok(number) => {
                sent += number;
                true
            }
            Err(error) => fails_by_itself(id, "tell_findings", error)?,
        };
        if is_checked {
            checks.0.insert(id, state);
        }
    }
    Ok(sent)
}

async fn report_experiment(app: &App, term: i64, project_id: ProjectId, id: ExperimentId) -> Result<usize> {
    let Some(project) = project(app, project_id).await? else { return Ok(0) };
    let (experiment, computed) = or_busy(look(app, &project, id, Inquiry::default()).await)?;
    let (revision, now) = (experiment.revision, app.clock.now());
    let unknown = unknown_checks(&computed);
    let reported = app.read(move |tx| Box::pin(async move { Ok(webhooks::findings(tx, id).await?) })).await?;
    let mut found = Vec::new();
    for finding in findings(&experiment, &computed) {
        let is_new = !reported.contains(&finding.name);
        match finding.verdict {
            Some((arm, verdict)) if is_new && !or_busy(is_trusted(app, &project, id, arm, verdict).await)? => {}
            _ => found.push(finding),
        }
    }
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                check(tx, term).await?;
                let present = muriel_store::experiments::find(tx, experiment.project_id, id).await?;
                // The numbers belong to the experiment before its change.
                if present.is_none_or(|present| present.experiment.revision != revision) {
                    return Ok(0);
                }
                let before = webhooks::findings(tx, id).await?;
                let names: BTreeSet<&str> = found.iter().map(|finding| finding.name.as_str()).collect();
                let is_over = |name: &&String| {
                    let failed = name.strip_prefix(HEALTH);
                    failed.is_some_and(|check| !names.contains(name.as_str()) && !unknown.contains(check))
                };
                let gone: Vec<String> = before.iter().filter(is_over).cloned().collect();
                let recovered = gone.iter().map(|name| recovered(&experiment, &computed, name));
                let mut events: Vec<Event> = recovered.collect();
                let mut new = Vec::new();
                for finding in found {
                    if !before.contains(&finding.name) {
                        new.push(finding.name);
                        events.push(finding.event);
                    }
                }
                let number = events.len();
                webhooks::findings_change(tx, id, &new, &gone, now).await?;
                notifications::record_events(tx, &experiment, events, CLOCK.name(), now).await?;
                Ok(number)
            })
        })
        .await
}

/// Returns whether a verdict that readers see also holds for signed and keyed visitors, and without any single network.
async fn is_trusted(app: &App, project: &Arc<Project>, id: ExperimentId, arm: Arm, verdict: Verdict) -> Result<bool> {
    let holds = |computed: &Computed| {
        let analyses = computed.report.metrics.first().map(|metric| metric.analyses.as_slice()).unwrap_or_default();
        analyses.iter().any(|analysis| analysis.arm == arm.0 as usize && analysis.verdict == verdict)
    };
    let (_, computed) = trusted_report(app, project, id, Inquiry::default(), None).await?;
    let judged = Judged { inquiry: Inquiry::default(), basis: None, weight: Weight::Outcome(arm.0 as usize) };
    Ok(holds(&computed) && rests_on_one_network(app, project, id, &judged, holds).await?.is_none())
}

/// Prefix of the names of failed health checks.
const HEALTH: &str = "health:";

pub(super) fn busy() -> Error {
    Error::NotYet { why: "too many reports are being made".to_owned(), retry_after_s: 1 }
}

/// Turns the error of a report that is refused because too many are being computed into one after which the experiment
/// is checked again.
fn or_busy<T>(computed: Result<T>) -> Result<T> {
    computed.map_err(|error| match error {
        Error::Unavailable { .. } => busy(),
        error => error,
    })
}

/// Checks without data. A check that failed before has not recovered because of that.
fn unknown_checks(computed: &Computed) -> BTreeSet<&'static str> {
    let checks = computed.report.health.checks();
    checks.into_iter().filter(|(_, check)| check.grade == Grade::Unknown).map(|(name, _)| name).collect()
}

/// Returns the failed health checks and the verdicts.
fn findings(experiment: &Experiment, computed: &Computed) -> Vec<Finding> {
    let checks = computed.report.health.checks();
    let failed = checks.iter().filter(|(_, check)| check.grade == Grade::Fail).map(|(name, check)| {
        let more = json!({ "check": name });
        let event = Event::of_result(EventType::HealthFailed, experiment, CLOCK.name(), check.message.clone(), more);
        Finding { name: format!("{HEALTH}{name}"), event, verdict: None }
    });
    let mut found: Vec<Finding> = failed.collect();
    let top = computed.manifest.top().zip(computed.report.metrics.first());
    if let Some((facts, metric)) = top {
        let labels = Labels::of_result(computed);
        for analysis in &metric.analyses {
            if !matches!(analysis.verdict, Verdict::Win | Verdict::Loss | Verdict::NoDifference) {
                continue;
            }
            let percent = |fraction: f64| fraction * 100.0;
            let mut more = json!({
                "variant_id": analysis.arm.to_string(),
                "verdict": analysis.verdict.word(),
                "goal_key": facts.key,
                "lift": analysis.lift.map(percent),
                "lift_interval": analysis.lift_interval.map(|it| [percent(it.lower), percent(it.upper)]),
            });
            let mut reason = analysis.reason.clone();
            if let Some(why) = labels.of_verdict(analysis.arm) {
                reason = format!("{} This is exploratory: {why}", with_stop(&reason));
                more["exploratory"] = true.into();
                more["exploratory_reason"] = why.into();
            }
            let event = Event::of_result(EventType::VerdictReached, experiment, CLOCK.name(), reason, more);
            let name = format!("verdict:{}:{}", analysis.arm, analysis.verdict.word());
            let verdict = Some((Arm(u32::try_from(analysis.arm).unwrap_or(u32::MAX)), analysis.verdict));
            found.push(Finding { name, event, verdict });
        }
    }
    found
}

/// Adds a full stop if the sentence has none.
fn with_stop(sentence: &str) -> String {
    if sentence.ends_with('.') { sentence.to_owned() } else { format!("{sentence}.") }
}

fn recovered(experiment: &Experiment, computed: &Computed, name: &str) -> Event {
    let check = name.strip_prefix(HEALTH).unwrap_or(name);
    let checks = computed.report.health.checks();
    let now = checks.iter().find(|(known, _)| *known == check).map(|(_, check)| check.message.clone());
    // This release no longer has the check.
    let sentence = now.unwrap_or_else(|| format!("the check {check} no longer fails"));
    let more = json!({ "check": check });
    Event::of_result(EventType::HealthRecovered, experiment, CLOCK.name(), sentence, more)
}
