//! Past visitors of the project, from the log.

use super::{Simulate, refused};
use crate::config::Common;
use crate::say::say_stderr;
use crate::scratch::Scratch;
use crate::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};
use muriel_analysis::Measure;
use muriel_analysis::simulate::{PastVisitor, Replay, Run, Scenario, Schedule, StopRules};
use muriel_assign::{BUCKETS, Murmur3};
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_results::{
    DEFAULT_RATE, PlannedExperiment as Experiment, SIGMA, SimulatedPlan as Plan, SimulationRefusal, Traffic, lately,
};
use muriel_warehouse::{
    self as warehouse, StopToken, VALUE_SCALE, VisitorsQuestion, WarehouseOptions, WarehouseReader, load_log,
};

/// Maximum number of visitors that are replayed.
pub(super) const VISITORS_MAX: u64 = 1_000_000;
/// Default number of past days that are replayed.
const REPLAY_DAYS: u32 = 28;

fn failed(error: warehouse::Error) -> Error {
    Error::Other(error.into())
}

/// A project's events in a temporary warehouse, so that no running server is needed
/// or disturbed.
pub(super) struct Project<'a> {
    experiment: &'a Experiment,
    warehouse: Scratch,
}

impl<'a> Project<'a> {
    /// Loads the log into the warehouse.
    /// \n
    /// # Errors
    /// A log that cannot be read.
    pub(super) fn load(common: &Common, experiment: &'a Experiment) -> Result<Self> {
        let reader = crate::log::reader(common)?;
        let last = reader.last().map_err(Error::Log)?;
        let warehouse = Scratch::new(&WarehouseOptions::default())?;
        let bar = ProgressBar::new(last.seq.max(0).unsigned_abs());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} block {pos} of {len}, {eta} left") {
            bar.set_style(style);
        }
        let loaded = load_log(&reader, &*warehouse, &experiment.manifest.project_key, last, &mut |at| {
            bar.set_position(at.seq.max(0).unsigned_abs());
        });
        bar.finish_and_clear();
        if let Some(damage) = loaded.map_err(failed)?.damage {
            say_stderr!("muriel: damaged: {damage}");
        }
        Ok(Self { experiment, warehouse })
    }

    /// Conversion rate in percent, and number of visitors who would enter per day,
    /// from the last whole days; `None` where there is too little data.
    ///
    /// # Errors
    /// Errors of the warehouse.
    pub(super) fn traffic(&self) -> Result<Traffic> {
        let lately = lately(&self.experiment.manifest, &*self.warehouse, &StopToken::new());
        let lately = lately.map_err(|failure| Error::Other(failure.into()))?;
        Ok(Traffic {
            rate: lately.rate.filter(|rate| *rate > 0.0 && *rate < 100.0),
            daily_visitors: lately.daily_visitors.filter(|daily| *daily > 0.0),
        })
    }

    /// Totals of the visitors of the last days, up to now.
    fn visitors(&self, metric: &warehouse::Metric, days: i64) -> Result<Vec<warehouse::VisitorTotals>> {
        let facts = &self.experiment.manifest;
        // Today is not complete, but today's visitors count.
        let until = Instant::from_us((facts.as_of.us().div_euclid(DAY_US) + 1) * DAY_US);
        let question = VisitorsQuestion {
            project_key: facts.project_key.as_str().into(),
            from: until.plus_us(-days * DAY_US),
            until,
            metric: warehouse::Metric { before_us: None, ..metric.clone() },
            limit: VISITORS_MAX,
        };
        let mut visitors = Vec::new();
        self.warehouse.visitors(&question, &StopToken::new(), &mut |visitor| visitors.push(visitor)).map_err(failed)?;
        Ok(visitors)
    }
}

/// Share of the visitors who enter.
fn allocation(experiment: &Experiment) -> f64 {
    experiment.manifest.experiment.traffic_allocation as f64 / 100.0
}

/// Plan with the visitors of past days.
#[derive(Debug)]
pub(super) struct Replayed {
    pub(super) plan: Plan,
    pub(super) schedule: Schedule,
    /// First and last day on which visitors enter.
    pub(super) first: Instant,
    pub(super) last: Instant,
    /// Number of visitors; not all need enter.
    pub(super) visitors: u64,
    pub(super) converted: u64,
    /// Number of days that the plan takes, which may be more than are available.
    pub(super) wanted_days: u32,
    /// True when there are more visitors than are replayed.
    pub(super) is_sample: bool,
    replay: Replay,
    key: String,
    /// Number of buckets of visitors who enter.
    entering: u32,
    /// End bucket of each arm.
    ends: Vec<u32>,
}

impl Replayed {
    /// Loads the visitors to replay.
    /// \n
    /// # Errors
    /// An experiment without a primary goal, and a log that cannot be read or has
    /// no visitors.
    pub(super) fn new(asked: &Simulate, plan: Plan) -> Result<Self> {
        let refuse = |text: &str| Err(Error::Refused(text.to_owned()));
        let Some(experiment) = plan.experiment.as_ref() else {
            return refuse("--replay needs an experiment: name it with --project and --experiment");
        };
        let Some(metric) = experiment.metric.as_ref() else {
            return refuse("the experiment has no primary goal, so no past conversions can be counted");
        };
        let project = Project::load(&asked.common, experiment)?;
        let Traffic { rate, daily_visitors: daily } = project.traffic()?;
        let says = asked.days.is_some() || plan.rules != StopRules::default() || plan.design.visitors.is_some();
        let days = match alike(rate, daily, plan.measure) {
            Some(scenario) if says => plan.days(&asked.request(), &scenario).0,
            _ => asked.days.unwrap_or(REPLAY_DAYS),
        };
        let past_days = i64::from(days) + i64::from(plan.window_days);
        let visitors = project.visitors(metric, past_days)?;
        let today = experiment.manifest.as_of.us().div_euclid(DAY_US);
        let Some(first) = visitors.iter().map(|visitor| visitor.day).min() else {
            let message =
                format!("the project had no visitors in the last {past_days} days, so there is nothing to replay");
            return refuse(&message);
        };
        // Visitors of the last days may still convert.
        let last = today - i64::from(plan.window_days);
        if last < first {
            let days = plan.window_days;
            return Err(Error::Refused(format!(
                "visitors have {days} days to convert, and this time is not over for any visitor yet, so there is \
                 nothing to replay"
            )));
        }
        let wanted_days = days;
        let days = u32::try_from(last - first + 1).unwrap_or(u32::MAX).min(wanted_days);
        let is_sample = visitors.len() as u64 >= VISITORS_MAX;
        let past: Vec<PastVisitor> = visitors
            .into_iter()
            .filter_map(|visitor| {
                Some(PastVisitor {
                    unit: visitor.visitor,
                    day: u32::try_from(visitor.day - first).ok().filter(|day| *day < days)?,
                    converted: visitor.converted,
                    value: visitor.value as f64 / VALUE_SCALE as f64,
                })
            })
            .collect();
        let converted = past.iter().filter(|past| past.converted).count() as u64;
        let (entering, key) = (allocation(experiment), experiment.manifest.project_key.clone());
        let schedule = Schedule { rules: plan.rules, days, window_days: plan.window_days };
        let replay = Replay::new(plan.design.clone(), schedule, plan.measure, past)
            .map_err(|impossible| refused(SimulationRefusal::Impossible(impossible)))?;
        let begin = |day: i64| Instant::from_us(day.saturating_mul(DAY_US));
        Ok(Self {
            first: begin(first),
            last: begin(first + i64::from(days) - 1),
            visitors: replay.visitors() as u64,
            converted,
            wanted_days,
            is_sample,
            entering: (entering * f64::from(BUCKETS)).round() as u32,
            ends: ends(plan.weights()),
            replay,
            schedule,
            key,
            plan,
        })
    }

    /// Replay `number`: hashes all visitors with a separate salt.
    pub(super) fn run(&self, seed: u64, number: u64) -> Run {
        let salt = format!("replay:{}:{seed}:{number}", self.key);
        let (for_traffic, for_variant) = (Murmur3::of(&format!("{salt}:t:")), Murmur3::of(&format!("{salt}:v:")));
        let bucket = |hash: Murmur3, unit: u64| hash.with(&unit.to_le_bytes()).bucket("");
        self.replay.run(|unit| {
            if self.entering < BUCKETS && bucket(for_traffic, unit) >= self.entering {
                return None;
            }
            let bucket = bucket(for_variant, unit);
            self.ends.iter().position(|end| bucket < *end)
        })
    }
}

/// Scenario with the rates of the project's visitors, to compute how long a plan
/// takes; `None` if there were no visitors in the last whole days.
fn alike(rate: Option<f64>, daily: Option<f64>, measure: Measure) -> Option<Scenario> {
    let sigma = (measure == Measure::Value).then_some(SIGMA);
    Some(Scenario { daily_visitors: daily?, rate: rate.unwrap_or(DEFAULT_RATE) / 100.0, lifts: Vec::new(), sigma })
}

/// End bucket of each arm.
fn ends(weights: &[u32]) -> Vec<u32> {
    let all: u64 = weights.iter().copied().map(u64::from).sum();
    let mut below = 0;
    weights
        .iter()
        .map(|weight| {
            below += u64::from(*weight);
            (below * u64::from(BUCKETS) / all.max(1)) as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_have_their_share_of_the_buckets() {
        for (weights, expect) in [
            (vec![1, 1], vec![500_000, 1_000_000]),
            (vec![1, 1, 1], vec![333_333, 666_666, 1_000_000]),
            (vec![9_000, 0, 1_000], vec![900_000, 900_000, 1_000_000]),
        ] {
            assert_eq!(ends(&weights), expect);
        }
    }
}
