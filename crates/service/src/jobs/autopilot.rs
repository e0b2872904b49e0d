//! Serves winners automatically, to an increasing share of visitors, and stops when a metric gets worse.

use super::trusted::{Judged, rests_on_one_network};
use super::{CLOCK, JobOutcome, apply, called, hold_back, judge, object};
use crate::app::App;
use crate::experiments::{Change, Target};
use muriel_analysis::{Grade, Verdict};
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, AutopilotRecord, Experiment, Rule};
use muriel_results::concentration::Weight;
use muriel_results::{Computed, Inquiry, Phase, ReportInputs};
use muriel_store::jobs::Job;
use serde_json::{Map, Value, json};

/// An arm to serve, with the reason.
pub(super) struct Winner {
    pub(super) arm: Arm,
    detail: String,
    numbers: Map<String, Value>,
}

/// Returns the arm to serve: the one with the largest lift among those whose verdict is `win` and that
/// made no guardrail worse. `None` when there is none, the experiment does not ask for it, or a health
/// check fails. An arm that was added or changed after the plan must be confirmed by a person first.
pub(super) fn winner(inputs: &ReportInputs, computed: &Computed) -> Option<Winner> {
    computed.manifest.top().filter(|_| inputs.experiment().seeks_winner())?;
    if computed.report.health.checks().iter().any(|(_, check)| check.grade == Grade::Fail) {
        return None;
    }
    let wins = computed.report.metrics.first()?.analyses.iter().filter(|analysis| analysis.verdict == Verdict::Win);
    let best = wins
        .filter(|analysis| inputs.held_back(analysis.arm).is_none())
        .filter(|analysis| harmed(computed, analysis.arm).is_none())
        .max_by(|one, other| one.lift.unwrap_or(0.0).total_cmp(&other.lift.unwrap_or(0.0)))?;
    let arm = arm_of(best.arm);
    Some(Winner {
        arm,
        detail: called(arm, &best.reason),
        numbers: object(json!({
            "variant_id": arm.id(),
            "lift": best.lift.map(|lift| lift * 100.0),
            "p_value_adjusted": best.p_value_adjusted,
        })),
    })
}

/// Serves the winner to the share of visitors of the first step, unless the experiment was changed
/// since it was checked.
pub(super) async fn serve(
    app: &App,
    term: i64,
    target: Target,
    revision: i64,
    winner: Winner,
    computed: &Computed,
) -> Result<Option<Rule>> {
    let change = Change::new(app, &CLOCK, target, "serve winner");
    let manifest = serde_json::to_value(&computed.manifest).map_err(Error::internal)?;
    let rollout = app.periods.autopilot_steps.first().copied().unwrap_or(100);
    let record = AutopilotRecord { arm: winner.arm, rollout, next_at: next_at(app, rollout) };
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        if before.revision != revision {
            return Ok(None);
        }
        let mut numbers = winner.numbers;
        numbers.insert("traffic_allocation".to_owned(), rollout.into());
        let detail = format!("{} It is served to {rollout} percent of the visitors.", winner.detail);
        Ok(Some(before.ramped(record, detail, numbers, now)?))
    };
    let changed = apply(app, term, change, Rule::Autopilot, None, Some(manifest), decide).await?;
    Ok(changed.map(|_| Rule::Autopilot))
}

/// Serves the winner to the share of visitors of the next step.
pub(super) async fn ramp(app: &App, term: i64, target: Target, job: &Job) -> Result<JobOutcome> {
    let change = Change::new(app, &CLOCK, target, "serving rollout");
    let (steps, periods) = (app.periods.autopilot_steps.clone(), app.periods.clone());
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        let Some(record) = before.piloted() else { return Ok(None) };
        // The configured steps may have changed since the last step.
        let rollout = steps.iter().copied().find(|step| *step > record.rollout).unwrap_or(record.rollout);
        let next_at = steps.iter().any(|step| *step > rollout).then(|| after(&periods, now));
        let detail = match rollout == record.rollout {
            true => format!("{} stays at {rollout} percent of the visitors, which is the last step", record.arm),
            false => format!(
                "{} is served to {rollout} percent of the visitors after {} percent",
                record.arm, record.rollout
            ),
        };
        let numbers = json!({
            "variant_id": record.arm.id(),
            "traffic_allocation_before": record.rollout,
            "traffic_allocation": rollout,
        });
        Ok(Some(before.ramped(AutopilotRecord { rollout, next_at, ..record }, detail, object(numbers), now)?))
    };
    let changed = apply(app, term, change, Rule::Autopilot, Some(job), None, decide).await?;
    Ok(if changed.is_some() { JobOutcome::Done } else { JobOutcome::Nothing })
}

/// Stops serving the winner once it or a guardrail turns out worse than the control. Visitors who were counted
/// before it was served show it.
pub(super) async fn guard(
    app: &App,
    term: i64,
    target: Target,
    experiment: &Experiment,
    record: AutopilotRecord,
) -> Result<Option<Rule>> {
    let inquiry = Inquiry { report_phase: Phase::AllTime, ..Inquiry::default() };
    let (inputs, computed) = judge(app, &target.project, target.id, inquiry).await?;
    let looked_at = inputs.experiment();
    let Some(why) = worse(&computed, record.arm) else { return Ok(None) };
    let is_worse = |computed: &Computed| worse(computed, record.arm).is_some();
    let inquiry = Inquiry { report_phase: Phase::AllTime, ..Inquiry::default() };
    let judged = Judged { inquiry, ..Judged::in_force(Weight::Outcome(record.arm.0 as usize)) };
    if !experiment.is_act_confirmed(Rule::Guardrail, app.clock.now())
        && let Some(why) = rests_on_one_network(app, &target.project, target.id, &judged, is_worse).await?
    {
        return hold_back(app, term, target, Rule::Guardrail, why).await;
    }
    let revision = experiment.revision;
    if looked_at.revision != revision {
        return Ok(None);
    }
    let change = Change::new(app, &CLOCK, target, "stop serving");
    let manifest = serde_json::to_value(&computed.manifest).map_err(Error::internal)?;
    let numbers = object(json!({ "variant_id": record.arm.id(), "traffic_allocation": record.rollout, "why": why }));
    let detail = format!("{} is no longer served: {why}", record.arm);
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.guarded(detail, numbers, now)?))
    };
    let changed = apply(app, term, change, Rule::Guardrail, None, Some(manifest), decide).await?;
    Ok(changed.map(|_| Rule::Guardrail))
}

/// Describes the metric that the arm made worse.
fn worse(computed: &Computed, arm: Arm) -> Option<String> {
    let number = usize::try_from(arm.0).ok()?;
    if let Some(name) = harmed(computed, number) {
        return Some(format!("the guardrail {name} got worse"));
    }
    let primary = computed.report.metrics.first().filter(|_| computed.manifest.top().is_some())?;
    let lost = primary.analyses.iter().any(|it| it.arm == number && it.verdict == Verdict::Loss);
    lost.then(|| "it is worse than the control on the primary goal".to_owned())
}

/// Returns the first guardrail that the arm is known to have made worse.
fn harmed(computed: &Computed, arm: usize) -> Option<&str> {
    let metrics = computed.manifest.metrics.iter().zip(&computed.report.metrics);
    let harmed = |analyses: &[muriel_analysis::Analysis]| analyses.iter().any(|it| it.arm == arm && it.harmed);
    metrics.filter(|(_, metric)| harmed(&metric.analyses)).map(|(facts, _)| facts.name.as_str()).next()
}

fn next_at(app: &App, rollout: i64) -> Option<Instant> {
    let more = app.periods.autopilot_steps.iter().any(|step| *step > rollout);
    more.then(|| after(&app.periods, app.clock.now()))
}

/// End of a step that begins now.
fn after(periods: &crate::clock_periods::ClockPeriods, now: Instant) -> Instant {
    now.plus_us(i64::try_from(periods.autopilot.as_micros()).unwrap_or(i64::MAX))
}

fn arm_of(number: usize) -> Arm {
    Arm(u32::try_from(number).unwrap_or(u32::MAX))
}
