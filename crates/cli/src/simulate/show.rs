//! Output of simulations, as text or JSON.

use super::Simulate;
use super::past::{Replayed, VISITORS_MAX};
use crate::Result;
use crate::say::{self, say};
use muriel_analysis::simulate::{EndReason, RunDistribution, RunShare, Schedule, Tally};
use muriel_analysis::{Measure, Verdict};
use muriel_domain::Instant;
use muriel_results::{NumberSource as From, SimulatedPlan as Plan, TriedPlan as Tried, USUAL_POWER as POWER};
use serde_json::{Value, json};
use std::fmt::Write;

/// Prints the outcomes for synthetic visitors: `with` an effect, and `without`.
pub(super) fn simulated(tried: &Tried, with: Option<&Tally>, without: &Tally, asked: &Simulate) -> Result<()> {
    if asked.json {
        say!("{}", simulated_json(tried, with, without, asked))
    } else {
        say::text(format_args!("{}", simulated_text(tried, with, without, asked)))
    }
}

/// Prints the outcomes for past visitors.
pub(super) fn replayed(replayed: &Replayed, tally: &Tally, asked: &Simulate) -> Result<()> {
    if asked.json {
        say!("{}", replayed_json(replayed, tally, asked))
    } else {
        say::text(format_args!("{}", replayed_text(replayed, tally, asked)))
    }
}

/// Comparison of the rate of false alarms with the promised one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// Within the promised rate.
    Kept,
    /// The rate may be higher.
    Open,
    /// Above the promised rate.
    Broken,
}

impl Promise {
    pub(super) fn of(called: RunShare, promised: f64) -> Promise {
        let interval = called.interval();
        if interval.lower > promised {
            Promise::Broken
        } else if interval.upper > promised {
            Promise::Open
        } else {
            Promise::Kept
        }
    }

    /// Word in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Promise::Kept => "kept",
            Promise::Open => "open",
            Promise::Broken => "broken",
        }
    }
}

pub(super) fn simulated_text(tried: &Tried, with: Option<&Tally>, without: &Tally, asked: &Simulate) -> String {
    let mut text = String::new();
    let line = |text: &mut String, name: &str, what: &str| {
        let _ = writeln!(text, "{name:<10}{what}");
    };
    let (plan, scenario) = (&tried.plan, &tried.scenario);
    about(&mut text, plan, &tried.schedule);
    let visitors = whole(scenario.daily_visitors);
    line(&mut text, "Visitors", &format!("{visitors} a day ({})", from(tried.daily_from)));
    let rate = format!("{} % of the control's ({})", percent(scenario.rate), from(tried.rate_from));
    match scenario.sigma {
        None => line(&mut text, "Convert", &rate),
        Some(sigma) => line(&mut text, "Buy", &format!("{rate}, for lognormal values with sigma {sigma}")),
    }
    line(&mut text, "Runs", &format!("{} each, seed {}", grouped(asked.runs), asked.seed));

    let heads: Vec<String> = with
        .map(|_| format!("lift {}", signed(tried.effect)))
        .into_iter()
        .chain(["no difference".to_owned()])
        .collect();
    let tallies: Vec<&Tally> = with.into_iter().chain([without]).collect();
    let row = |text: &mut String, name: &str, cell: &dyn Fn(&Tally) -> String| {
        let cells: String = tallies.iter().map(|tally| format!("{:<25}", cell(tally))).collect();
        let _ = writeln!(text, "{name:<26}{}", cells.trim_end());
    };
    let heads: String = heads.iter().map(|head| format!("{head:<25}")).collect();
    let _ = writeln!(text, "\n{:<26}{}", "", heads.trim_end());
    for (verdict, name) in Verdict::ALL.map(|verdict| (verdict, ending(verdict))) {
        row(&mut text, name, &|tally| share(tally.verdict(verdict)));
    }
    row(&mut text, "called at any check", &|tally| share(tally.called()));
    if plan.rules.significant {
        row(&mut text, "ended early by a call", &|tally| share(tally.ended(EndReason::Significant)));
    }
    row(&mut text, "days, median", &|tally| spread(&tally.days));
    row(&mut text, "visitors, median", &|tally| spread(&tally.visitors));

    text.push('\n');
    if let Some(with) = with {
        text.push_str(&finding(tried, with));
    }
    text.push_str(&false_calls(without.called(), plan.design.alpha()));
    for note in notes(plan) {
        text.push_str(&note);
    }
    if plan.measure == Measure::Value && plan.cap().is_some() {
        text.push_str("The goal's cap does not apply to simulated values; instead the highest 1 in 1,000 are cut.\n");
    }
    if let Some(days) = tried.days_needed {
        let _ = writeln!(
            text,
            "The plan takes {} days; only the first {} are simulated.",
            whole(days),
            tried.schedule.days
        );
    }
    text
}

/// Description of a verdict at the end.
fn ending(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win => "ends with a win",
        Verdict::Loss => "ends with a loss",
        Verdict::NoDifference => "ends with no difference",
        Verdict::KeepRunning => "ends undecided",
        Verdict::DoNotTrust => "ends not trustworthy",
    }
}

/// Writes the plan, line by line.
fn about(text: &mut String, plan: &Plan, schedule: &Schedule) {
    let design = &plan.design;
    let mut line = |name: &str, what: &str| {
        let _ = writeln!(text, "{name:<10}{what}");
    };
    if let Some(experiment) = &plan.experiment {
        let facts = &experiment.manifest.experiment;
        line("Tried", &format!("the plan of {} ({})", facts.test_name, facts.test_id));
        line("Goal", &experiment.goal().map_or("none".to_owned(), |goal| format!("{} ({})", goal.name, goal.key)));
    }
    let all: f64 = plan.weights().iter().copied().map(f64::from).sum();
    let arms: Vec<String> = plan
        .weights()
        .iter()
        .enumerate()
        .map(|(arm, weight)| {
            let share = percent(f64::from(*weight) / all);
            if arm == 0 { format!("Control {share} %") } else { format!("Variant {arm} {share} %") }
        })
        .collect();
    line("Variants", &arms.join(", "));
    let planned = design
        .visitors
        .map_or("no number of visitors planned".to_owned(), |n| format!("{} visitors planned", whole(n)));
    let confidence = percent(design.confidence);
    line(
        "Plan",
        &format!("confidence {confidence} %, smallest lift worth acting on {} %, {planned}", percent(design.mde)),
    );
    line("Ends", &ends(plan, schedule));
    let after = match plan.window_days {
        0 => String::new(),
        1 => ", and for 1 day more until everybody's time to convert is over".to_owned(),
        days => format!(", and for {days} days more until everybody's time to convert is over"),
    };
    line("Checks", &format!("at the end of every day{after}"));
}

/// Rules that end the experiment, as a sentence.
fn ends(plan: &Plan, schedule: &Schedule) -> String {
    let rules = &plan.rules;
    let mut ends: Vec<String> = Vec::new();
    if rules.significant {
        ends.push("when a variant is called better or worse".to_owned());
    }
    if let Some(visitors) = rules.visitors {
        ends.push(format!("after {} visitors", grouped(visitors)));
    }
    if let Some(conversions) = rules.conversions {
        ends.push(format!("after {} conversions", grouped(conversions)));
    }
    let period = rules.period.filter(|days| *days <= schedule.days);
    ends.push(format!("after {}", days(period.unwrap_or(schedule.days))));
    let by_hand = if period.is_none() { " at the latest, by hand" } else { "" };
    match ends.len() {
        1 => format!("{}{}", ends[0], if period.is_none() { ", by hand" } else { "" }),
        _ => format!("{}{by_hand}", ends.join(", ")),
    }
}

/// Interpretation of the runs with an effect.
fn finding(tried: &Tried, with: &Tally) -> String {
    let right = if tried.effect > 0.0 { Verdict::Win } else { Verdict::Loss };
    let found = with.verdict(right);
    let mut text = format!(
        "With a true lift of {} this plan ends with a {} in {} % of experiments; half of all are over within {}.\n",
        signed(tried.effect),
        right.word(),
        rounded(found.value()),
        days(u32::try_from(with.days.median).unwrap_or(u32::MAX)),
    );
    let usual = 100.0 * POWER;
    if found.interval().upper < POWER {
        let takes = tried.visitors_needed().map_or(String::new(), |visitors| {
            let in_days = match (visitors / tried.scenario.daily_visitors).ceil() {
                days if days < 10_000.0 => format!(", or {} days", whole(days)),
                _ => String::new(),
            };
            format!(", which needs a plan for about {} visitors{in_days}", whole(visitors))
        });
        let _ = writeln!(text, "That is less than the usual {usual} %{takes}.");
        if let Some(lift) = tried.lift_found().filter(|_| tried.effect > 0.0) {
            let lift = signed((1e3 * lift).ceil() / 1e3);
            let _ = writeln!(text, "In the planned time it finds only lifts of {lift} or more that often.");
        }
    }
    if tried.plan.design.arms > 2 && with.others_called > 0 {
        let others = rounded(with.share(with.others_called).value());
        let _ = writeln!(text, "Another variant, which has no effect, is called in {others} % of them.");
    }
    text
}

/// Interpretation of the runs without a difference.
fn false_calls(called: RunShare, promised: f64) -> String {
    let (share, interval, promised_percent) = (rounded(called.value()), called.interval(), percent(promised));
    let begin = format!(
        "Without any difference, {share} % of experiments still call one; the plan promises at most \
         {promised_percent} %."
    );
    match Promise::of(called, promised) {
        Promise::Kept => format!("{begin}\n"),
        Promise::Open => {
            format!("{begin} With so few runs, up to {} % cannot be ruled out.\n", rounded(interval.upper))
        }
        Promise::Broken => format!("{begin} The plan exceeds that limit: do not base decisions on it.\n"),
    }
}

/// Further notes about a plan.
fn notes(plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    if plan.is_personal {
        notes.push("The variants have their own audiences; here every visitor is in all of them.\n".to_owned());
    }
    notes
}

pub(super) fn replayed_text(replayed: &Replayed, tally: &Tally, asked: &Simulate) -> String {
    let mut text = String::new();
    let plan = &replayed.plan;
    about(&mut text, plan, &replayed.schedule);
    let (first, last) = (day(replayed.first), day(replayed.last));
    let rate = RunShare { count: replayed.converted, of: replayed.visitors };
    let sample = if replayed.is_sample { ", a sample" } else { "" };
    let _ = writeln!(
        text,
        "{:<10}{} of the project, who first came from {first} to {last}{sample}; {} % convert",
        "Visitors",
        grouped(replayed.visitors),
        rounded(rate.value())
    );
    let _ = writeln!(text, "{:<10}{} salts, seed {}\n", "Replays", grouped(asked.salts), asked.seed);
    let (called, promised) = (tally.called(), plan.design.alpha());
    let interval = called.interval();
    let _ = writeln!(
        text,
        "False alarms {} of {}: {} % ({} to {})",
        grouped(called.count),
        grouped(called.of),
        rounded(called.value()),
        rounded(interval.lower),
        rounded(interval.upper)
    );
    if plan.rules.significant {
        let _ = writeln!(text, "Ended early by a call {}", share(tally.ended(EndReason::Significant)));
    }
    let _ = writeln!(text, "Not trustworthy at the end {}", share(tally.verdict(Verdict::DoNotTrust)));
    let _ = writeln!(text, "Days, median {}", spread(&tally.days));
    let _ = writeln!(text, "Visitors, median {}\n", spread(&tally.visitors));
    let promised_percent = percent(promised);
    let _ = match Promise::of(called, promised) {
        Promise::Kept => writeln!(
            text,
            "All variants saw the same page, so every call is a false alarm. Their rate is at most {} %, and the plan \
             promises at most {promised_percent} %.",
            rounded(interval.upper)
        ),
        Promise::Open => writeln!(
            text,
            "All variants saw the same page, so every call is a false alarm. The plan promises at most \
             {promised_percent} %; up to {} % cannot be ruled out. More --salts give a narrower range.",
            rounded(interval.upper)
        ),
        Promise::Broken => writeln!(
            text,
            "All variants saw the same page, so every call is a false alarm, and there are more than the \
             {promised_percent} % that the plan promises: this goal is not safe to decide on. All salts use the same \
             visitors, so check other days too before you reject the goal."
        ),
    };
    if replayed.schedule.days < replayed.wanted_days {
        let (has, takes) = (replayed.schedule.days, replayed.wanted_days);
        let _ = writeln!(text, "The plan takes {}; the project's past has {has}.", days(takes));
    }
    if replayed.is_sample {
        let _ = writeln!(text, "Only {} of the visitors are replayed, drawn by their hashes.", grouped(VISITORS_MAX));
    }
    for note in notes(plan) {
        text.push_str(&note);
    }
    text
}

pub(super) fn simulated_json(tried: &Tried, with: Option<&Tally>, without: &Tally, asked: &Simulate) -> Value {
    let scenario = &tried.scenario;
    let promise = Promise::of(without.called(), tried.plan.design.alpha());
    json!({
        "experiment": experiment_json(&tried.plan),
        "plan": plan_json(&tried.plan, &tried.schedule),
        "visitors": {
            "daily_visitors": scenario.daily_visitors,
            "daily_from": tried.daily_from.word(),
            "baseline_rate": 100.0 * scenario.rate,
            "baseline_from": tried.rate_from.word(),
            "sigma": scenario.sigma,
        },
        "seed": asked.seed,
        "days_needed": tried.days_needed,
        "visitors_needed": tried.visitors_needed(),
        "lift_found": tried.lift_found().map(|lift| 100.0 * lift),
        "with_effect": with.map(|tally| {
            let mut shown = tally_json(tally);
            shown["effect"] = json!(100.0 * tried.effect);
            shown["power"] = share_json(tally.verdict(if tried.effect > 0.0 { Verdict::Win } else { Verdict::Loss }));
            shown
        }),
        "without_effect": tally_json(without),
        "promise": promise.word(),
    })
}

pub(super) fn replayed_json(replayed: &Replayed, tally: &Tally, asked: &Simulate) -> Value {
    let plan = &replayed.plan;
    json!({
        "experiment": experiment_json(plan),
        "plan": plan_json(plan, &replayed.schedule),
        "visitors": {
            "from": day(replayed.first),
            "to": day(replayed.last),
            "visitors": replayed.visitors,
            "converted": replayed.converted,
            "days_wanted": replayed.wanted_days,
            "is_sample": replayed.is_sample,
        },
        "seed": asked.seed,
        "replay": tally_json(tally),
        "promise": Promise::of(tally.called(), plan.design.alpha()).word(),
    })
}

fn experiment_json(plan: &Plan) -> Value {
    plan.experiment.as_ref().map_or(Value::Null, |experiment| {
        let facts = &experiment.manifest.experiment;
        json!({
            "test_id": facts.test_id,
            "test_name": facts.test_name,
            "goal_key": experiment.goal().map(|goal| &goal.key),
        })
    })
}

fn plan_json(plan: &Plan, schedule: &Schedule) -> Value {
    let (design, rules) = (&plan.design, &plan.rules);
    let weights: Vec<f64> = plan.weights().iter().map(|weight| f64::from(*weight) / 100.0).collect();
    json!({
        "weights": weights,
        "confidence": (100.0 * design.confidence).round(),
        "promised_false_calls": promised(plan),
        "planned_visitors": design.visitors,
        "mde": 100.0 * design.mde,
        "measure": match plan.measure { Measure::Conversion => "conversion", Measure::Value => "revenue" },
        "window_days": plan.window_days,
        "days": schedule.days,
        "stops": {
            "significant": rules.significant,
            "visitors": rules.visitors,
            "conversions": rules.conversions,
            "days": rules.period,
        },
    })
}

/// In percent, rounded to remove the floating-point error of a subtraction.
fn promised(plan: &Plan) -> f64 {
    (1e4 * plan.design.alpha()).round() / 100.0
}

fn tally_json(tally: &Tally) -> Value {
    let verdicts: serde_json::Map<String, Value> = Verdict::ALL
        .map(|verdict| (verdict.word().to_owned(), share_json(tally.verdict(verdict))))
        .into_iter()
        .collect();
    let ended: serde_json::Map<String, Value> =
        EndReason::ALL.iter().map(|reason| (reason.word().to_owned(), share_json(tally.ended(*reason)))).collect();
    json!({
        "runs": tally.runs,
        "verdicts": verdicts,
        "called": share_json(tally.called()),
        "ever_won": share_json(tally.share(tally.ever_won)),
        "others_called": share_json(tally.share(tally.others_called)),
        "ended_by": ended,
        "days": spread_json(&tally.days),
        "visitors": spread_json(&tally.visitors),
    })
}

fn share_json(share: RunShare) -> Value {
    let interval = share.interval();
    json!({
        "count": share.count,
        "percent": 100.0 * share.value(),
        "lower": 100.0 * interval.lower,
        "upper": 100.0 * interval.upper,
    })
}

fn spread_json(spread: &RunDistribution) -> Value {
    json!({ "mean": spread.mean, "median": spread.median, "nine_of_ten": spread.nine_of_ten })
}

/// Formats a share with its interval: `62.3 % (60.1 to 64.4)`.
fn share(share: RunShare) -> String {
    let interval = share.interval();
    format!("{} % ({} to {})", rounded(share.value()), rounded(interval.lower), rounded(interval.upper))
}

/// Formats median and mean: `14, mean 15.2`.
fn spread(spread: &RunDistribution) -> String {
    let mean = if spread.mean < 1_000.0 { format!("{:.1}", spread.mean) } else { whole(spread.mean) };
    format!("{}, mean {mean}", grouped(spread.median))
}

/// Formats a fraction in percent, with one digit after the point.
fn rounded(fraction: f64) -> String {
    format!("{:.1}", 100.0 * fraction)
}

/// Formats a fraction in percent, with at most two digits after the point.
fn percent(fraction: f64) -> String {
    format!("{}", (1e4 * fraction).round() / 100.0)
}

/// Formats a lift: `+5 %`.
fn signed(fraction: f64) -> String {
    format!("{}{} %", if fraction > 0.0 { "+" } else { "" }, percent(fraction))
}

fn days(days: u32) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

fn from(from: From) -> &'static str {
    match from {
        From::Flag => "as asked",
        From::Project => "the project's last two weeks",
        From::Default => "assumed",
    }
}

/// Formats a date.
fn day(at: Instant) -> String {
    at.to_string().chars().take(10).collect()
}

/// Formats a number rounded to an integer, grouped by thousands.
fn whole(number: f64) -> String {
    grouped(number.round() as u64)
}

/// Formats a number grouped by thousands: `12,345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
