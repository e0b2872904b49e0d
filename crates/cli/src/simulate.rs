//! `muriel simulate`: simulates a plan many times, on synthetic or past visitors.

mod experiment;
mod flags;
mod past;
mod show;
// One of the tests uses a plan of the demo.
#[cfg(test)]
#[cfg(feature = "demo")]
mod tests;

use crate::config::Common;
use crate::{Error, Result};
use clap::Args;
use flags::{above_zero, effect, mde, part, sigma, weights};
use indicatif::{ProgressBar, ProgressStyle};
use muriel_analysis::simulate::{DAYS_MAX, Run, SimulationError, Tally};
use muriel_results::{
    PlannedExperiment, SimulatedPlan as Plan, SimulationRefusal, SimulationRequest, Traffic, TriedPlan as Tried,
};
use past::{Project, Replayed};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// `muriel simulate`
#[derive(Debug, Clone, Args)]
pub struct Simulate {
    #[command(flatten)]
    common: Common,
    /// Key of the project.
    #[arg(long, value_name = "PROJECT_KEY", requires = "experiment")]
    project: Option<String>,
    /// Key or id of the experiment whose plan is simulated. Without one, the flags define the plan.
    #[arg(long, value_name = "KEY_OR_ID", requires = "project")]
    experiment: Option<String>,

    /// Weights of the arms, the control first [default: the experiment's, else 50,50].
    #[arg(long, value_name = "WEIGHT,WEIGHT…", value_parser = weights, help_heading = "Plan")]
    weights: Option<Weights>,
    /// Confidence in percent, 50 to 99 [default: the experiment's, else 95].
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(i64).range(50..=99), help_heading = "Plan")]
    confidence: Option<i64>,
    /// Planned visitors of all arms [default: the experiment's, else none].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Plan")]
    visitors: Option<u64>,
    /// Smallest lift worth acting on, in percent [default: the experiment's, else 2].
    #[arg(long, value_name = "PERCENT", value_parser = mde, help_heading = "Plan")]
    mde: Option<f64>,
    /// End the experiment when a variant is called better or worse; `no` turns off this rule of the experiment.
    #[arg(
        long,
        value_name = "yes|no",
        num_args = 0..=1,
        default_missing_value = "yes",
        value_parser = flags::yes_or_no,
        help_heading = "Plan"
    )]
    stop_when_significant: Option<bool>,
    /// End the experiment after this many visitors; 0 turns the rule off.
    #[arg(long, value_name = "N", help_heading = "Plan")]
    stop_after_visitors: Option<u64>,
    /// End the experiment after this many conversions; 0 turns the rule off.
    #[arg(long, value_name = "N", help_heading = "Plan")]
    stop_after_conversions: Option<u64>,
    /// End the experiment after this many days; 0 turns the rule off.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(0..=i64::from(DAYS_MAX)),
        help_heading = "Plan"
    )]
    stop_after_days: Option<u32>,

    /// True lift of Variant 1 in percent [default: the smallest one worth acting on].
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = effect,
        allow_negative_numbers = true,
        conflicts_with = "replay",
        help_heading = "Visitors"
    )]
    effect: Option<f64>,
    /// Percent of the control's visitors who convert [default: the project's last two weeks, else 5].
    #[arg(long, value_name = "PERCENT", value_parser = part, conflicts_with = "replay", help_heading = "Visitors")]
    baseline_rate: Option<f64>,
    /// Visitors who enter per day [default: the project's last two weeks, else 1000].
    #[arg(long, value_name = "N", value_parser = above_zero, conflicts_with = "replay", help_heading = "Visitors")]
    daily_visitors: Option<f64>,
    /// Measure revenue: order values are lognormal with this sigma [default: 1 if the primary goal is revenue].
    #[arg(long, value_name = "SIGMA", value_parser = sigma, conflicts_with = "replay", help_heading = "Visitors")]
    revenue: Option<f64>,
    /// Days after which the experiment ends if no rule has ended it [default: the length of the plan, at most 365].
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(DAYS_MAX)),
        help_heading = "Visitors"
    )]
    days: Option<u32>,
    /// Replay the project's past visitors, with random assignment to arms. All arms saw the same page, so every call is
    /// a false alarm.
    #[arg(long, requires = "experiment", help_heading = "Visitors")]
    replay: bool,

    /// Number of experiments to simulate.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2_000,
        value_parser = clap::value_parser!(u64).range(1..=100_000),
        conflicts_with = "replay"
    )]
    runs: u64,
    /// Number of replays, each with its own random assignment.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 200,
        value_parser = clap::value_parser!(u64).range(1..=10_000),
        requires = "replay"
    )]
    salts: u64,
    /// Seed of the random numbers; the same seed gives the same report.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Weights of the arms, in hundredths, the control first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Weights(Vec<u32>);

/// Simulates a plan many times, and prints the outcomes.
///
/// # Errors
/// An unknown project or experiment, a plan that cannot be simulated, and a log that cannot be read.
pub async fn run(asked: Simulate) -> Result<()> {
    let experiment = match (&asked.project, &asked.experiment) {
        (Some(project), Some(wanted)) => Some(experiment::load(&asked.common, project, wanted).await?),
        _ => None,
    };
    let plan = planned(&asked, experiment)?;
    // The simulation computes for a long time without waiting, so it must not block the runtime.
    tokio::task::spawn_blocking(move || if asked.replay { replay(&asked, plan) } else { simulate(&asked, plan) })
        .await
        .map_err(|panicked| Error::Other(panicked.into()))?
}

fn simulate(asked: &Simulate, plan: Plan) -> Result<()> {
    let tried = tried(asked, plan)?;
    let both = if tried.effect == 0.0 { 1 } else { 2 };
    let bar = bar(both * asked.runs, "experiments");
    let nothing = tried.simulation(0.0).map_err(refused)?;
    let without = Tally::of(&all(asked.runs, &bar, |number| nothing.run(asked.seed, number)));
    let with = match tried.effect {
        0.0 => None,
        effect => {
            let simulation = tried.simulation(effect).map_err(refused)?;
            Some(Tally::of(&all(asked.runs, &bar, |number| simulation.run(asked.seed, number))))
        }
    };
    bar.finish_and_clear();
    show::simulated(&tried, with.as_ref(), &without, asked)
}

/// Plan of the experiment, changed by flags.
fn planned(asked: &Simulate, experiment: Option<PlannedExperiment>) -> Result<Plan> {
    Plan::new(&asked.request(), experiment).map_err(refused)
}

/// Plan with its visitors. Reads the project's traffic if it is needed for values that no flag gives.
fn tried(asked: &Simulate, plan: Plan) -> Result<Tried> {
    let request = asked.request();
    let traffic = match &plan.experiment {
        Some(experiment) if Tried::needs_traffic(&request) => Project::load(&asked.common, experiment)?.traffic()?,
        _ => Traffic::default(),
    };
    Ok(Tried::new(&request, plan, traffic))
}

fn replay(asked: &Simulate, plan: Plan) -> Result<()> {
    let replayed = Replayed::new(asked, plan)?;
    let bar = bar(asked.salts, "replays");
    let runs = all(asked.salts, &bar, |number| replayed.run(asked.seed, number));
    bar.finish_and_clear();
    show::replayed(&replayed, &Tally::of(&runs), asked)
}

fn refused(refusal: SimulationRefusal) -> Error {
    let more = match &refusal {
        SimulationRefusal::Impossible(SimulationError::Bandit) => "; set fixed weights with --weights",
        SimulationRefusal::NotRevenue(key) => {
            return Error::Refused(format!("--revenue needs a revenue goal, and {key} is not one: leave it out"));
        }
        _ => "",
    };
    Error::Refused(format!("{refusal}{more}"))
}

impl Simulate {
    /// Request that the flags describe.
    fn request(&self) -> SimulationRequest {
        SimulationRequest {
            weights: self.weights.as_ref().map(|weights| weights.0.clone()),
            confidence: self.confidence,
            visitors: self.visitors,
            mde: self.mde,
            stop_when_significant: self.stop_when_significant,
            stop_after_visitors: self.stop_after_visitors,
            stop_after_conversions: self.stop_after_conversions,
            stop_after_days: self.stop_after_days,
            effect: self.effect,
            baseline_rate: self.baseline_rate,
            daily_visitors: self.daily_visitors,
            revenue: self.revenue,
            days: self.days,
        }
    }
}

fn bar(length: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(&format!("{{wide_bar}} {{pos}} of {{len}} {what}, {{eta}} left")) {
        bar.set_style(style);
    }
    bar
}

/// Executes runs 0 to `runs` - 1 on all cores, in any order.
fn all(runs: u64, bar: &ProgressBar, run: impl Fn(u64) -> Run + Sync) -> Vec<Run> {
    let next = AtomicU64::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= runs {
                return done;
            }
            done.push(run(number));
            bar.inc(1);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        working.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
