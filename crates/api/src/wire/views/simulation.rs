//! Simulations of plans in responses.

use crate::wire::schemas;
use muriel_analysis::simulate::{EndReason, RunDistribution, RunShare, Tally};
use muriel_analysis::{Measure, Verdict};
use muriel_results::{Simulated, TriedPlan};
use serde::Serialize;
use utoipa::ToSchema;

/// Outcome of simulating the experiment's plan many times on synthetic visitors.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Simulation {
    /// Always true.
    pub(crate) success: bool,
    /// Experiment whose plan was simulated.
    pub(crate) experiment: SimulatedExperiment,
    /// Rules for verdicts and for the end.
    pub(crate) plan: SimulatedPlan,
    /// Assumptions about the visitors.
    pub(crate) visitors: SimulatedVisitors,
    /// Seed of the random numbers.
    pub(crate) seed: u64,
    /// Number of days that the plan takes, if that exceeds the simulated ones.
    #[schema(required)]
    pub(crate) days_needed: Option<f64>,
    /// Number of visitors with which the lift is detected in 80 of 100 experiments; null if no number is enough.
    #[schema(required)]
    pub(crate) visitors_needed: Option<f64>,
    /// Smallest lift, in percent, that is detected in 80 of 100 experiments in the available time; null if there is
    /// none.
    #[schema(required)]
    pub(crate) lift_found: Option<f64>,
    /// Outcomes when the first variant has the lift; null for a lift of 0.
    #[schema(required)]
    pub(crate) with_effect: Option<RunsWithEffect>,
    /// Outcomes when there is no difference: every call is a false alarm.
    pub(crate) without_effect: Runs,
    /// Rate of false alarms compared with the promised one: `kept`, `broken`, or `open` when more runs are needed.
    #[schema(value_type = schemas::SimulationPromise)]
    pub(crate) promise: &'static str,
}

/// Experiment whose plan was simulated.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedExperiment {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Display name.
    pub(crate) test_name: String,
    /// Key of the primary goal.
    #[schema(required)]
    pub(crate) goal_key: Option<String>,
}

/// Rules of a simulated experiment for verdicts and for its end.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedPlan {
    /// Weights of the arms, in percent, control first.
    pub(crate) weights: Vec<f64>,
    /// Confidence threshold, in percent.
    pub(crate) confidence: f64,
    /// Maximum percent of experiments without a difference in which a variant is called better or worse.
    pub(crate) promised_false_calls: f64,
    /// Planned total of visitors.
    #[schema(required)]
    pub(crate) planned_visitors: Option<f64>,
    /// Smallest lift worth acting on, in percent.
    pub(crate) mde: f64,
    /// `conversion` or `revenue`.
    #[schema(value_type = schemas::SimulationMeasure)]
    pub(crate) measure: &'static str,
    /// Length of the conversion window, in days; 0 without one.
    pub(crate) window_days: u32,
    /// Maximum number of days on which visitors enter.
    pub(crate) days: u32,
    /// Rules that can end it earlier.
    pub(crate) stops: SimulatedStops,
}

/// Rules that end a simulated experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedStops {
    /// True when it ends as soon as a variant is called better or worse.
    pub(crate) significant: bool,
    /// Number of visitors after which it ends.
    #[schema(required)]
    pub(crate) visitors: Option<u64>,
    /// Number of conversions after which it ends.
    #[schema(required)]
    pub(crate) conversions: Option<u64>,
    /// Number of days after which it ends.
    #[schema(required)]
    pub(crate) days: Option<u32>,
}

/// Assumptions about the visitors of a simulation.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedVisitors {
    /// Number of visitors who enter per day.
    pub(crate) daily_visitors: f64,
    /// Source of that number.
    #[schema(value_type = schemas::NumberSource)]
    pub(crate) daily_from: &'static str,
    /// Percent of the control's visitors who convert.
    pub(crate) baseline_rate: f64,
    /// Source of that number.
    #[schema(value_type = schemas::NumberSource)]
    pub(crate) baseline_from: &'static str,
    /// Standard deviation of the logarithm of order values; null for conversions.
    #[schema(required)]
    pub(crate) sigma: Option<f64>,
}

/// Aggregated outcomes of many runs.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    /// Number of runs.
    pub(crate) runs: u64,
    /// Verdicts on the first variant at the end.
    pub(crate) verdicts: VerdictShares,
    /// Runs in which a variant was called better or worse at any check.
    pub(crate) called: RunShareView,
    /// Runs in which the first variant was called a win at any check.
    pub(crate) ever_won: RunShareView,
    /// Runs in which another variant than the first was called better or worse.
    pub(crate) others_called: RunShareView,
    /// Causes of the end.
    pub(crate) ended_by: EndShares,
    /// Number of days on which visitors entered.
    pub(crate) days: RunSpread,
    /// Number of visitors in all arms.
    pub(crate) visitors: RunSpread,
}

/// Outcomes of runs in which the first variant has a lift.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunsWithEffect {
    #[serde(flatten)]
    pub(crate) runs: Runs,
    /// True lift of the first variant, in percent.
    pub(crate) effect: f64,
    /// Runs that ended with the right verdict.
    pub(crate) power: RunShareView,
}

/// Numbers of runs by the verdict on the first variant at their end.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictShares {
    pub(crate) win: RunShareView,
    pub(crate) loss: RunShareView,
    pub(crate) no_difference: RunShareView,
    pub(crate) keep_running: RunShareView,
    pub(crate) do_not_trust: RunShareView,
}

/// Numbers of runs by the cause of their end.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndShares {
    pub(crate) significant: RunShareView,
    pub(crate) visitors: RunShareView,
    pub(crate) conversions: RunShareView,
    pub(crate) period: RunShareView,
    pub(crate) days: RunShareView,
}

/// A share of the runs, with its 95 % confidence interval.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunShareView {
    /// Number of runs.
    pub(crate) count: u64,
    /// Share, in percent.
    pub(crate) percent: f64,
    /// Lower bound, in percent.
    pub(crate) lower: f64,
    /// Upper bound, in percent.
    pub(crate) upper: f64,
}

/// Distribution of a number over the runs.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSpread {
    /// Mean.
    pub(crate) mean: f64,
    /// Median.
    pub(crate) median: u64,
    /// 90th percentile.
    pub(crate) nine_of_ten: u64,
}

impl Simulation {
    /// Response for a simulated plan.
    pub(crate) fn new(simulated: &Simulated, seed: u64) -> Self {
        let tried = &simulated.tried;
        let alpha = tried.plan.design.alpha();
        let scenario = &tried.scenario;
        let with_effect = simulated.with_effect.as_ref().map(|tally| {
            let right = if tried.effect > 0.0 { Verdict::Win } else { Verdict::Loss };
            RunsWithEffect { runs: tally.into(), effect: 100.0 * tried.effect, power: tally.verdict(right).into() }
        });
        Self {
            success: true,
            experiment: SimulatedExperiment::of(tried),
            plan: SimulatedPlan::of(tried, alpha),
            visitors: SimulatedVisitors {
                daily_visitors: scenario.daily_visitors,
                daily_from: tried.daily_from.word(),
                baseline_rate: 100.0 * scenario.rate,
                baseline_from: tried.rate_from.word(),
                sigma: scenario.sigma,
            },
            seed,
            days_needed: tried.days_needed,
            visitors_needed: simulated.visitors_needed,
            lift_found: simulated.lift_found.map(|lift| 100.0 * lift),
            with_effect,
            without_effect: (&simulated.without_effect).into(),
            promise: promise(simulated.without_effect.called(), alpha),
        }
    }
}

/// Compares the rate of false alarms with the promised one.
fn promise(called: RunShare, promised: f64) -> &'static str {
    let interval = called.interval();
    if interval.lower > promised {
        "broken"
    } else if interval.upper > promised {
        "open"
    } else {
        "kept"
    }
}

impl SimulatedExperiment {
    fn of(tried: &TriedPlan) -> Self {
        let experiment = tried.plan.experiment.as_ref();
        let facts = experiment.map(|experiment| &experiment.manifest.experiment);
        Self {
            test_id: facts.map_or(0, |facts| facts.test_id),
            test_name: facts.map(|facts| facts.test_name.clone()).unwrap_or_default(),
            goal_key: experiment.and_then(|experiment| experiment.goal()).map(|goal| goal.key.clone()),
        }
    }
}

impl SimulatedPlan {
    fn of(tried: &TriedPlan, alpha: f64) -> Self {
        let (plan, rules) = (&tried.plan, &tried.plan.rules);
        Self {
            weights: plan.weights().iter().map(|weight| f64::from(*weight) / 100.0).collect(),
            confidence: (100.0 * plan.design.confidence).round(),
            // Rounded to remove the floating-point error of a subtraction.
            promised_false_calls: (1e4 * alpha).round() / 100.0,
            planned_visitors: plan.design.visitors,
            mde: 100.0 * plan.design.mde,
            measure: match plan.measure {
                Measure::Conversion => "conversion",
                Measure::Value => "revenue",
            },
            window_days: plan.window_days,
            days: tried.schedule.days,
            stops: SimulatedStops {
                significant: rules.significant,
                visitors: rules.visitors,
                conversions: rules.conversions,
                days: rules.period,
            },
        }
    }
}

impl From<&Tally> for Runs {
    fn from(tally: &Tally) -> Self {
        let ended = |reason| RunShareView::from(tally.ended(reason));
        let verdict = |verdict| RunShareView::from(tally.verdict(verdict));
        Self {
            runs: tally.runs,
            verdicts: VerdictShares {
                win: verdict(Verdict::Win),
                loss: verdict(Verdict::Loss),
                no_difference: verdict(Verdict::NoDifference),
                keep_running: verdict(Verdict::KeepRunning),
                do_not_trust: verdict(Verdict::DoNotTrust),
            },
            called: tally.called().into(),
            ever_won: tally.share(tally.ever_won).into(),
            others_called: tally.share(tally.others_called).into(),
            ended_by: EndShares {
                significant: ended(EndReason::Significant),
                visitors: ended(EndReason::Visitors),
                conversions: ended(EndReason::Conversions),
                period: ended(EndReason::Period),
                days: ended(EndReason::Days),
            },
            days: (&tally.days).into(),
            visitors: (&tally.visitors).into(),
        }
    }
}

impl From<RunShare> for RunShareView {
    fn from(share: RunShare) -> Self {
        let interval = share.interval();
        Self {
            count: share.count,
            percent: 100.0 * share.value(),
            lower: 100.0 * interval.lower,
            upper: 100.0 * interval.upper,
        }
    }
}

impl From<&RunDistribution> for RunSpread {
    fn from(spread: &RunDistribution) -> Self {
        Self { mean: spread.mean, median: spread.median, nine_of_ten: spread.nine_of_ten }
    }
}
