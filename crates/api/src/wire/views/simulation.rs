//! What a plan would do if it were run many times.

use crate::wire::schemas;
use muriel_analysis::simulate::{EndReason, RunDistribution, RunShare, Tally};
use muriel_analysis::{Measure, Verdict};
use muriel_results::{Simulated, TriedPlan};
use serde::Serialize;
use utoipa::ToSchema;

/// What the experiment's plan would do if it were run many times on made-up visitors.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Simulation {
    /// Always true.
    pub(crate) success: bool,
    /// Whose plan it is.
    pub(crate) experiment: SimulatedExperiment,
    /// How it is judged, and when it ends.
    pub(crate) plan: SimulatedPlan,
    /// The visitors that it was tried on.
    pub(crate) visitors: SimulatedVisitors,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// Days that the plan takes, where those are more than are simulated.
    #[schema(required)]
    pub(crate) days_needed: Option<f64>,
    /// Visitors with which the lift is found in 80 of 100 experiments; null where no number does.
    #[schema(required)]
    pub(crate) visitors_needed: Option<f64>,
    /// The smallest lift in percent that is found in 80 of 100 experiments in the time there is; null where none is.
    #[schema(required)]
    pub(crate) lift_found: Option<f64>,
    /// What becomes of it when the first variant has the lift; null for a lift of 0.
    #[schema(required)]
    pub(crate) with_effect: Option<RunsWithEffect>,
    /// What becomes of it when nothing differs: every call is a false alarm.
    pub(crate) without_effect: Runs,
    /// Whether false alarms are at most as many as the plan promises: `kept`, `open` (more runs are needed to say), `broken`.
    #[schema(value_type = schemas::SimulationPromise)]
    pub(crate) promise: &'static str,
}

/// The experiment whose plan is simulated.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedExperiment {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Display name.
    pub(crate) test_name: String,
    /// The goal that decides.
    #[schema(required)]
    pub(crate) goal_key: Option<String>,
}

/// How a simulated experiment is judged, and when it ends.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedPlan {
    /// The arms' weights in percent, control first.
    pub(crate) weights: Vec<f64>,
    /// In percent.
    pub(crate) confidence: f64,
    /// Percent of experiments without a difference that may be called at most.
    pub(crate) promised_false_calls: f64,
    /// The planned total of visitors.
    #[schema(required)]
    pub(crate) planned_visitors: Option<f64>,
    /// Smallest lift worth acting on, in percent.
    pub(crate) mde: f64,
    /// `conversion` or `revenue`.
    #[schema(value_type = schemas::SimulationMeasure)]
    pub(crate) measure: &'static str,
    /// Days that a visitor has to convert; 0 without such a window.
    pub(crate) window_days: u32,
    /// Days on which visitors enter at most.
    pub(crate) days: u32,
    /// The rules by which it ends earlier.
    pub(crate) stops: SimulatedStops,
}

/// The rules by which a simulated experiment ends.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedStops {
    /// When a variant is called better or worse.
    pub(crate) significant: bool,
    /// After so many visitors.
    #[schema(required)]
    pub(crate) visitors: Option<u64>,
    /// After so many conversions.
    #[schema(required)]
    pub(crate) conversions: Option<u64>,
    /// After so many days.
    #[schema(required)]
    pub(crate) days: Option<u32>,
}

/// The visitors that a plan was tried on.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedVisitors {
    /// Who enter a day.
    pub(crate) daily_visitors: f64,
    /// Where that number is from.
    #[schema(value_type = schemas::NumberSource)]
    pub(crate) daily_from: &'static str,
    /// Percent of the control's visitors who convert.
    pub(crate) baseline_rate: f64,
    /// Where that number is from.
    #[schema(value_type = schemas::NumberSource)]
    pub(crate) baseline_from: &'static str,
    /// How far lognormal order values are apart; null for conversions.
    #[schema(required)]
    pub(crate) sigma: Option<f64>,
}

/// Many runs, counted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    /// How many.
    pub(crate) runs: u64,
    /// How the first variant's run ends.
    pub(crate) verdicts: VerdictShares,
    /// Called at any look.
    pub(crate) called: RunShareView,
    /// The first variant was called a win at any look.
    pub(crate) ever_won: RunShareView,
    /// Another variant than the first was called.
    pub(crate) others_called: RunShareView,
    /// What ended them.
    pub(crate) ended_by: EndShares,
    /// Days on which visitors entered.
    pub(crate) days: RunSpread,
    /// Visitors of all arms.
    pub(crate) visitors: RunSpread,
}

/// Many runs in which the first variant has a lift.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunsWithEffect {
    #[serde(flatten)]
    pub(crate) runs: Runs,
    /// The true lift of the first variant, in percent.
    pub(crate) effect: f64,
    /// Runs that ended with the right verdict.
    pub(crate) power: RunShareView,
}

/// Runs by the verdict on the first variant at their end.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictShares {
    pub(crate) win: RunShareView,
    pub(crate) loss: RunShareView,
    pub(crate) no_difference: RunShareView,
    pub(crate) keep_running: RunShareView,
    pub(crate) do_not_trust: RunShareView,
}

/// Runs by what ended them.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndShares {
    pub(crate) significant: RunShareView,
    pub(crate) visitors: RunShareView,
    pub(crate) conversions: RunShareView,
    pub(crate) period: RunShareView,
    pub(crate) days: RunShareView,
}

/// A share of the runs, and where the share of endlessly many lies with 95 % confidence.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunShareView {
    /// How many.
    pub(crate) count: u64,
    /// In percent.
    pub(crate) percent: f64,
    /// In percent.
    pub(crate) lower: f64,
    /// In percent.
    pub(crate) upper: f64,
}

/// How a number varies over the runs.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSpread {
    /// On average.
    pub(crate) mean: f64,
    /// Half of the runs have at most this.
    pub(crate) median: u64,
    /// Nine of ten have at most this.
    pub(crate) nine_of_ten: u64,
}

impl Simulation {
    /// What became of a plan.
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

/// How false alarms compare with what was promised.
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
            // Without the dust of a subtraction.
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
