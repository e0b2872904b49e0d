//! Advice: what to do next about an experiment, in a sentence.
//!
//! The overview, the tools for agents and other lists of experiments use these sentences. A sentence is computed from
//! stored data and the [`Outlook`], a brief result that may be some minutes old. If it is, the sentence states the time
//! of the result.

use crate::compute::Computed;
use crate::locked::Labels;
use muriel_analysis::{Grade, Verdict};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, ConclusionOutcome, Serving, Status};
use muriel_domain::time::DAY_US;
use serde::{Deserialize, Serialize};

/// Age above which a sentence states the time of the result, in microseconds.
const FRESH_US: i64 = 10 * 60_000_000;

/// Longest plan, in days, that is likely to be followed: two years.
const LONG_DAYS: i64 = 2 * 365;

/// A result in brief.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outlook {
    /// Visitors in all arms.
    pub visitors: u64,
    /// Word of the verdict on all variants together; `None` without a primary metric.
    pub verdict: Option<String>,
    /// Arm that the verdict is about: the best winner, or the first that lost.
    pub arm: Option<u32>,
    /// Lift of that arm, as a fraction.
    pub lift: Option<f64>,
    /// Interval of the lift.
    pub lift_interval: Option<[f64; 2]>,
    /// Word of the worst grade of the health checks, except the check of the minimum data.
    pub health: String,
    /// Finding of the worst health check, if it warns or fails.
    pub trouble: Option<String>,
    /// True when the only failing check is that a variant harms pages, which leaves the numbers as they are.
    #[serde(default)]
    pub is_harm: bool,
    /// Planned total of visitors.
    pub planned: Option<u64>,
    /// Reason why the verdict is exploratory: the goal that decides, or the arm, differs from the plan that was locked
    /// at the first start. `None` when neither does.
    #[serde(default)]
    pub exploratory: Option<String>,
}

impl Outlook {
    /// Summarises a report.
    pub fn of(computed: &Computed) -> Outlook {
        let planned = computed.manifest.experiment.planned_visitors.and_then(|number| u64::try_from(number).ok());
        let visitors: u64 = computed.visitors.iter().sum();
        let health = &computed.report.health;
        // Every young experiment has little data, which is not a problem to report.
        let checks: Vec<_> = health.checks().into_iter().filter(|(name, _)| *name != "minimum_data").collect();
        let needed = health.sample_ratio.grade.max(health.crossovers.grade);
        let grade = checks.iter().fold(needed, |grade, (_, check)| grade.with(check.grade));
        let mut failing = checks.iter().filter(|(_, check)| check.grade == Grade::Fail).map(|(name, _)| *name);
        let is_harm = failing.next() == Some("page") && failing.next().is_none();
        let worst = checks.iter().filter(|(_, check)| check.grade >= Grade::Warn).max_by_key(|(_, check)| check.grade);
        let top = computed.manifest.top().and(computed.report.metrics.first());
        let analyses = top.map_or(&[][..], |metric| &metric.analyses);
        let called = |verdict: Verdict| analyses.iter().filter(move |analysis| analysis.verdict == verdict);
        let all = |verdicts: &[Verdict]| analyses.iter().all(|analysis| verdicts.contains(&analysis.verdict));
        let best = called(Verdict::Win).max_by(|a, b| a.lift.unwrap_or(0.0).total_cmp(&b.lift.unwrap_or(0.0)));
        let (verdict, about) = if analyses.is_empty() {
            (None, None)
        } else if called(Verdict::DoNotTrust).next().is_some() {
            (Some(Verdict::DoNotTrust), None)
        } else if best.is_some() {
            (Some(Verdict::Win), best)
        } else if all(&[Verdict::Loss]) {
            (Some(Verdict::Loss), analyses.first())
        } else if all(&[Verdict::Loss, Verdict::NoDifference]) {
            (Some(Verdict::NoDifference), None)
        } else {
            (Some(Verdict::KeepRunning), None)
        };
        let labels = Labels::of_result(computed);
        Outlook {
            visitors,
            verdict: verdict.map(|verdict| verdict.word().to_owned()),
            arm: about.and_then(|analysis| u32::try_from(analysis.arm).ok()),
            lift: about.and_then(|analysis| analysis.lift),
            lift_interval: about.and_then(|it| it.lift_interval).map(|interval| [interval.lower, interval.upper]),
            health: grade.word().to_owned(),
            is_harm,
            trouble: worst.map(|(_, check)| check.message.clone()),
            planned,
            exploratory: match about {
                Some(analysis) => labels.of_verdict(analysis.arm),
                None => labels.top,
            },
        }
    }

    /// Expected time at which the planned visitors will have entered, at the rate since `started_at`; `now` when they
    /// have. `None` without a plan, and when too few visitors have entered for an estimate.
    pub fn ready_at(&self, started_at: Instant, now: Instant) -> Option<Instant> {
        let planned = self.planned?;
        if self.visitors >= planned {
            return Some(now);
        }
        let took = (now.us() - started_at.us()) as f64;
        if self.visitors == 0 || took <= 0.0 {
            return None;
        }
        let left = took * (planned - self.visitors) as f64 / self.visitors as f64;
        // An estimate beyond a thousand years is meaningless.
        (left < 365_000.0 * DAY_US as f64).then(|| now.plus_us(left as i64))
    }
}

/// Input for a sentence about an experiment.
#[derive(Debug, Clone)]
pub struct Standing<'a> {
    /// Status of the experiment.
    pub status: Status,
    /// Outcome of its conclusion.
    pub outcome: Option<ConclusionOutcome>,
    /// State of serving a winner.
    pub serving: Serving,
    /// True when it has ever started.
    pub has_started: bool,
    /// Days since the first start.
    pub days: Option<i64>,
    /// Days until the planned visitors have entered or the end date comes.
    pub days_left: Option<i64>,
    /// Last check of its result, and the time of that; `None` before the first check.
    pub result: Option<(&'a Outlook, Instant)>,
    /// True when it has been changed since that check.
    pub changed_since: bool,
    /// Current time.
    pub now: Instant,
}

/// Advice on what to do about an experiment, as a sentence.
pub fn sentence(standing: &Standing<'_>) -> String {
    if let Some(outcome) = standing.outcome {
        let what = match outcome_words(outcome) {
            Some(words) => format!("Concluded: {words}."),
            None => format!("Concluded as {}.", outcome.word()),
        };
        return match standing.serving {
            Serving::Winner { arm, rollout } => {
                format!("{what} {} is served to {rollout} % of the visitors.", name(arm))
            }
            _ => what,
        };
    }
    if let Serving::Winner { arm, rollout } = standing.serving {
        return format!(
            "{} is served to {rollout} % of the visitors; conclude the experiment when this is final.",
            name(arm)
        );
    }
    if !standing.has_started {
        return match standing.status {
            Status::Draft => "Finish the draft, go through its checklist and start it.".to_owned(),
            Status::Inactive => "It was put aside without having run: start it, or archive it.".to_owned(),
            Status::Live => "It has just started; nothing is known yet.".to_owned(),
        };
    }
    let is_live = standing.status == Status::Live;
    let Some((outlook, as_of)) = standing.result else {
        let state = match standing.status {
            Status::Live => "It is running",
            Status::Inactive => "It has ended",
            Status::Draft => "It has run, and is a draft again",
        };
        return format!("{state}; its result is not yet known.");
    };
    let what = about_result(standing, outlook, is_live);
    let is_old = is_live && standing.now.us() - as_of.us() > FRESH_US;
    match (standing.changed_since, is_old) {
        (true, _) => format!("As of {}, before the last change: {what}", as_of.in_words()),
        (false, true) => format!("As of {}: {what}", as_of.in_words()),
        (false, false) => what,
    }
}

fn outcome_words(outcome: ConclusionOutcome) -> Option<&'static str> {
    match outcome.word() {
        "won" | "win" => Some("a variant won"),
        "lost" | "loss" => Some("the variants did worse than the control"),
        "no_difference" => Some("there is no difference that matters"),
        "inconclusive" => Some("there was not enough data"),
        "stopped_early" => Some("it was stopped before its plan was met"),
        "invalid" => Some("its numbers cannot be used"),
        _ => None,
    }
}

/// Advice that follows from the result.
fn about_result(standing: &Standing<'_>, outlook: &Outlook, is_live: bool) -> String {
    let trouble = outlook.trouble.as_deref().map(str::trim);
    if outlook.verdict.as_deref() == Some(Verdict::DoNotTrust.word()) || outlook.health == Grade::Fail.word() {
        let why = trouble.unwrap_or("a health check fails.");
        if outlook.is_harm {
            let what =
                if is_live { "Stop it, or repair the variant" } else { "Repair the variant before it starts again" };
            return format!("{what}: {why}");
        }
        return format!("Do not trust the numbers, and find the cause: {why}");
    }
    if outlook.visitors == 0 {
        return match (is_live, standing.days.unwrap_or(0) > 0) {
            (true, true) => {
                "Nobody has entered for a day: check the script on the page, the targeting and the traffic."
            }
            (true, false) => "Nobody has entered yet.",
            (false, _) => "It has ended without any visitors.",
        }
        .to_owned();
    }
    let Some(verdict) = outlook.verdict.as_deref() else {
        return "Set a primary goal: without one there is no verdict.".to_owned();
    };
    let arm = outlook.arm.map_or_else(|| "a variant".to_owned(), |arm| name(Arm(arm)));
    let said = match verdict {
        "win" if is_live => format!("Serve {arm}: it beats the control{}.", by(outlook)),
        "win" => format!("{arm} beat the control{}: serve it, and conclude the experiment.", by(outlook)),
        "loss" => {
            let end = if is_live { "Stop it" } else { "Conclude it" };
            format!(
                "{end}: {} worse than the control{}.",
                if is_live { format!("{arm} does") } else { format!("{arm} did") },
                by(outlook)
            )
        }
        "no_difference" => {
            let end = if is_live { "Stop it" } else { "Conclude it" };
            format!("{end}: any difference between the variants and the control is too small to act on.")
        }
        _ if !is_live => "It ended without an answer: conclude it, or let it run on.".to_owned(),
        _ => keep_running(standing, outlook),
    };
    let said = match outlook.exploratory.as_deref() {
        Some(why) => format!("{said} This is exploratory: {why}"),
        None => said,
    };
    match trouble {
        Some(trouble) => format!("{said} Look at this first: {trouble}"),
        None => said,
    }
}

fn keep_running(standing: &Standing<'_>, outlook: &Outlook) -> String {
    match (outlook.planned, standing.days_left) {
        (Some(planned), _) if outlook.visitors >= planned => {
            format!("All {planned} planned visitors have entered and there is no answer: stop it, or plan for more.")
        }
        (_, Some(0)) => "Keep running: it is done within a day.".to_owned(),
        (_, Some(1)) => "Keep running: 1 day is left.".to_owned(),
        (_, Some(days)) if days > LONG_DAYS => format!(
            "At this rate the plan takes {} more years: look for a larger effect, send it more visitors, or stop it.",
            days / 365
        ),
        (_, Some(days)) => format!("Keep running: {days} days are left."),
        (_, None) => "Keep running: there is no clear result yet.".to_owned(),
    }
}

/// Lift with its interval, such as ` by 4.1 %, from 1.2 % to 7.0 %`.
fn by(outlook: &Outlook) -> String {
    let percent = |fraction: f64| format!("{:.1}", (fraction * 1_000.0).round().abs() / 10.0);
    match (outlook.lift, outlook.lift_interval) {
        (Some(lift), Some([lower, upper])) if lower * upper > 0.0 => {
            let (least, most) = if lower > 0.0 { (lower, upper) } else { (upper, lower) };
            format!(" by {} %, from {} % to {} %", percent(lift), percent(least), percent(most))
        }
        (Some(lift), _) => format!(" by {} %", percent(lift)),
        (None, _) => String::new(),
    }
}

fn name(arm: Arm) -> String {
    if arm == Arm::CONTROL { "The control".to_owned() } else { arm.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    fn outlook(verdict: &str, visitors: u64) -> Outlook {
        Outlook {
            visitors,
            verdict: (!verdict.is_empty()).then(|| verdict.to_owned()),
            arm: matches!(verdict, "win" | "loss").then_some(1),
            lift: Some(if verdict == "loss" { -0.05 } else { 0.0412 }),
            lift_interval: Some(if verdict == "loss" { [-0.08, -0.02] } else { [0.012, 0.07] }),
            health: "ok".to_owned(),
            trouble: None,
            is_harm: false,
            planned: Some(10_000),
            exploratory: None,
        }
    }

    fn standing<'a>(status: Status, result: Option<&'a Outlook>) -> Standing<'a> {
        Standing {
            status,
            outcome: None,
            serving: Serving::Never,
            has_started: true,
            days: Some(3),
            days_left: Some(4),
            result: result.map(|outlook| (outlook, NOW)),
            changed_since: false,
            now: NOW,
        }
    }

    #[test]
    fn what_to_do_follows_from_status_verdict_health_and_plan() {
        let failing = Outlook {
            health: "fail".to_owned(),
            trouble: Some("An arm loses visitors.".to_owned()),
            ..outlook("win", 500)
        };
        let harming = Outlook { is_harm: true, trouble: Some("It throws.".to_owned()), ..failing.clone() };
        let warned =
            Outlook { trouble: Some("Many bots.".to_owned()), health: "warn".to_owned(), ..outlook("win", 500) };
        let (live, inactive) = (Status::Live, Status::Inactive);
        let other =
            Outlook { exploratory: Some("The goal b became the primary one.".to_owned()), ..outlook("win", 500) };
        for (status, result, expect) in [
            (
                live,
                Some(other),
                "Serve Variant 1: it beats the control by 4.1 %, from 1.2 % to 7.0 %. This is exploratory: The goal b became \
                 the primary one.",
            ),
            (live, None, "It is running; its result is not yet known."),
            (inactive, None, "It has ended; its result is not yet known."),
            (
                live,
                Some(outlook("keep_running", 0)),
                "Nobody has entered for a day: check the script on the page, the targeting and the traffic.",
            ),
            (live, Some(outlook("", 5)), "Set a primary goal: without one there is no verdict."),
            (live, Some(outlook("keep_running", 500)), "Keep running: 4 days are left."),
            (
                live,
                Some(outlook("keep_running", 10_000)),
                "All 10000 planned visitors have entered and there is no answer: stop it, or plan for more.",
            ),
            (Status::Draft, None, "It has run, and is a draft again; its result is not yet known."),
            (live, Some(outlook("win", 500)), "Serve Variant 1: it beats the control by 4.1 %, from 1.2 % to 7.0 %."),
            (
                inactive,
                Some(outlook("win", 500)),
                "Variant 1 beat the control by 4.1 %, from 1.2 % to 7.0 %: serve it, and conclude the experiment.",
            ),
            (
                live,
                Some(outlook("loss", 500)),
                "Stop it: Variant 1 does worse than the control by 5.0 %, from 2.0 % to 8.0 %.",
            ),
            (
                live,
                Some(outlook("no_difference", 500)),
                "Stop it: any difference between the variants and the control is too small to act on.",
            ),
            (
                inactive,
                Some(outlook("keep_running", 500)),
                "It ended without an answer: conclude it, or let it run on.",
            ),
            (live, Some(harming.clone()), "Stop it, or repair the variant: It throws."),
            (inactive, Some(harming), "Repair the variant before it starts again: It throws."),
            (live, Some(failing), "Do not trust the numbers, and find the cause: An arm loses visitors."),
            (
                live,
                Some(warned),
                "Serve Variant 1: it beats the control by 4.1 %, from 1.2 % to 7.0 %. Look at this first: Many bots.",
            ),
        ] {
            assert_eq!(sentence(&standing(status, result.as_ref())), expect);
        }
    }

    #[test]
    fn what_is_old_is_said_to_be_of_its_moment() {
        let outlook = outlook("keep_running", 500);
        let mut slow = standing(Status::Live, Some(&outlook));
        slow.days_left = Some(LONG_DAYS);
        assert_eq!(sentence(&slow), "Keep running: 730 days are left.");
        slow.days_left = Some(LONG_DAYS + 1);
        assert!(sentence(&slow).starts_with("At this rate the plan takes 2 more years:"));
        let mut old = standing(Status::Live, Some(&outlook));
        old.now = NOW.plus_us(FRESH_US);
        assert_eq!(sentence(&old), "Keep running: 4 days are left.");
        old.now = NOW.plus_us(FRESH_US + 1);
        assert_eq!(sentence(&old), "As of 10:00 UTC on 1 Mar 2026: Keep running: 4 days are left.");
        old.changed_since = true;
        assert_eq!(
            sentence(&old),
            "As of 10:00 UTC on 1 Mar 2026, before the last change: Keep running: 4 days are left."
        );
        // The numbers of an ended experiment stay the same, so their age does not matter.
        let mut ended = standing(Status::Inactive, Some(&outlook));
        ended.now = NOW.plus_us(30 * DAY_US);
        assert!(sentence(&ended).starts_with("It ended without an answer"));
    }

    #[test]
    fn before_the_start_and_after_the_end() {
        let outlook = outlook("win", 500);
        let draft = Standing { has_started: false, days: None, ..standing(Status::Draft, None) };
        assert_eq!(sentence(&draft), "Finish the draft, go through its checklist and start it.");
        let served = Standing {
            serving: Serving::Winner { arm: Arm(1), rollout: 50 },
            ..standing(Status::Live, Some(&outlook))
        };
        assert!(sentence(&served).starts_with("Variant 1 is served to 50 % of the visitors;"));
        let concluded = Standing { outcome: Some(ConclusionOutcome::WORDS[0].1), ..served };
        assert_eq!(sentence(&concluded), "Concluded: a variant won. Variant 1 is served to 50 % of the visitors.");
    }

    #[test]
    fn the_rate_so_far_says_when_it_is_ready() {
        let outlook = outlook("keep_running", 2_500);
        let started = NOW.plus_us(-DAY_US);
        assert_eq!(outlook.ready_at(started, NOW), Some(NOW.plus_us(3 * DAY_US)));
        assert_eq!(Outlook { visitors: 10_001, ..outlook.clone() }.ready_at(started, NOW), Some(NOW));
        assert_eq!(Outlook { visitors: 0, ..outlook.clone() }.ready_at(started, NOW), None);
        assert_eq!(Outlook { planned: None, ..outlook.clone() }.ready_at(started, NOW), None);
        assert_eq!(outlook.ready_at(NOW, NOW), None);
    }
}
