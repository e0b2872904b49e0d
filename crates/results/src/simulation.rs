//! Simulates plans on made-up visitors: the plan of an experiment, changed by the
//! request, and the visitors of the simulation.

use crate::define::ReportInputs;
use crate::inquiry::Inquiry;
use crate::manifest::{Manifest, MetricFacts};
use crate::planning::{SIGMA, lately};
use crate::report_cache::{ReportCache, ReportError};
use muriel_analysis::simulate::{DAYS_MAX, Run, Scenario, Schedule, Simulation, SimulationError, StopRules, Tally};
use muriel_analysis::{AllocationPolicy, Design, EpochPlan, Measure};
use muriel_domain::experiment::{Configuration, Plan as Defaults};
use muriel_domain::time::DAY_US;
use muriel_domain::{Flaw, Instant};
use muriel_warehouse::{Metric, StopToken, WarehouseReader};
use std::sync::Arc;

/// Request for a simulation. Values that it leaves out are taken from the experiment or
/// the project, or assumed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulationRequest {
    /// Weights of the arms in hundredths of a percent, the control first.
    pub weights: Option<Vec<u32>>,
    /// Confidence in percent.
    pub confidence: Option<i64>,
    /// Planned visitors of all arms.
    pub visitors: Option<u64>,
    /// Smallest lift worth acting on, in percent.
    pub mde: Option<f64>,
    /// True when a significant verdict ends it.
    pub stop_when_significant: Option<bool>,
    /// Visitors that end it; 0 switches the rule off.
    pub stop_after_visitors: Option<u64>,
    /// Conversions that end it; 0 switches the rule off.
    pub stop_after_conversions: Option<u64>,
    /// Days that end it; 0 switches the rule off.
    pub stop_after_days: Option<u32>,
    /// True lift of the first variant, in percent.
    pub effect: Option<f64>,
    /// Percentage of the control's visitors who convert.
    pub baseline_rate: Option<f64>,
    /// Visitors who enter per day.
    pub daily_visitors: Option<f64>,
    /// Standard deviation of the logarithms of order values.
    pub revenue: Option<f64>,
    /// Days after which it ends if no rule has ended it.
    pub days: Option<u32>,
}

/// Reason why a plan cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulationRefusal {
    /// The numbers contradict each other.
    #[error("this cannot be simulated: {0}")]
    Impossible(SimulationError),
    /// Order values were given for a goal without values, with this key.
    #[error("{0} is not a revenue goal")]
    NotRevenue(String),
    /// The experiment's goal cannot be counted.
    #[error("its goal {0}")]
    Goal(Flaw),
}

/// The parts of an experiment that its plan depends on.
#[derive(Debug, Clone)]
pub struct PlannedExperiment {
    /// Manifest of its report.
    pub manifest: Manifest,
    /// Settings of the experiment.
    pub configuration: Configuration,
    /// Definition of its primary goal, if it has one.
    pub metric: Option<Metric>,
}

impl PlannedExperiment {
    /// # Errors
    /// A goal that cannot be counted.
    pub fn new(manifest: Manifest, configuration: Configuration) -> Result<Self, SimulationRefusal> {
        let metric = match manifest.top() {
            None => None,
            Some(_) => manifest.question(false).map_err(SimulationRefusal::Goal)?.metrics.into_iter().next(),
        };
        Ok(Self { manifest, configuration, metric })
    }

    /// Goal that decides.
    pub fn goal(&self) -> Option<&MetricFacts> {
        self.manifest.top()
    }
}

/// Default percentage of visitors who convert.
pub const DEFAULT_RATE: f64 = 5.0;
/// Default number of visitors per day.
const DAILY: f64 = 1_000.0;
/// Largest lift that is searched for, as a fraction.
const LIFT_MAX: f64 = 10.0;
/// Default power: share of effects that are to be found.
pub const USUAL_POWER: f64 = 0.8;

/// Design and end of a simulated experiment.
#[derive(Debug, Clone)]
pub struct SimulatedPlan {
    /// Experiment whose plan it is.
    pub experiment: Option<PlannedExperiment>,
    /// Design by which it is judged.
    pub design: Design,
    /// Rules that end it.
    pub rules: StopRules,
    /// Conversion window of a visitor, in days.
    pub window_days: u32,
    /// Measure of its goal.
    pub measure: Measure,
    /// True when variants have their own audiences.
    pub is_personal: bool,
}

impl SimulatedPlan {
    /// # Errors
    /// A request that does not fit the experiment.
    pub fn new(asked: &SimulationRequest, experiment: Option<PlannedExperiment>) -> Result<Self, SimulationRefusal> {
        let facts = experiment.as_ref().map(|experiment| &experiment.manifest.experiment);
        let configuration = experiment.as_ref().map(|experiment| &experiment.configuration);
        let weights: Vec<u32> = match (&asked.weights, facts) {
            (Some(weights), _) => weights.clone(),
            (None, Some(facts)) => facts.arms.iter().map(|arm| (arm.traffic_weight * 100.0).round() as u32).collect(),
            (None, None) => vec![5_000, 5_000],
        };
        let confidence = asked.confidence.or(facts.map(|facts| facts.confidence_percent)).unwrap_or(95);
        let planned = asked.visitors.map(|visitors| visitors as f64);
        let stored = facts.and_then(|facts| facts.planned_visitors).map(|visitors| visitors as f64);
        let mde = asked.mde.or(facts.map(|facts| facts.mde_percent)).unwrap_or(Defaults::default().mde);
        // Checked first, because reading the project's traffic takes time.
        if asked.weights.is_none() && facts.is_some_and(|facts| facts.is_mab) {
            return Err(SimulationRefusal::Impossible(SimulationError::Bandit));
        }
        let design = Design {
            policy: AllocationPolicy::Fixed,
            arms: weights.len(),
            confidence: confidence.clamp(50, 99) as f64 / 100.0,
            visitors: planned.or(stored),
            mde: mde / 100.0,
            epochs: vec![EpochPlan { number: 1, weights }],
        };
        // A flag of 0 switches off the rule that the experiment has.
        let rule =
            |flag: Option<u64>, stored: Option<i64>| flag.or(stored.map(i64::unsigned_abs)).filter(|limit| *limit > 0);
        let period = rule(
            asked.stop_after_days.map(u64::from),
            configuration.and_then(|configuration| configuration.completion_after_period),
        );
        let rules = StopRules {
            significant: asked
                .stop_when_significant
                .or(configuration.map(|configuration| configuration.completion_stats_significant_flag))
                .unwrap_or(false),
            visitors: rule(asked.stop_after_visitors, configuration.and_then(|known| known.completion_visitor)),
            conversions: rule(
                asked.stop_after_conversions,
                configuration.and_then(|known| known.completion_conversion),
            ),
            period: period.map(|days| u32::try_from(days).unwrap_or(u32::MAX)),
        };
        let goal = experiment.as_ref().and_then(PlannedExperiment::goal);
        let is_revenue = goal.is_some_and(|goal| goal.is_revenue());
        if let (Some(goal), true) = (goal, asked.revenue.is_some() && !is_revenue) {
            return Err(SimulationRefusal::NotRevenue(goal.key.clone()));
        }
        let window_us = experiment.as_ref().and_then(|experiment| experiment.metric.as_ref()?.window_us);
        let is_personal = facts.is_some_and(|facts| facts.test_type == "personalization");
        Ok(Self {
            design,
            rules,
            window_days: u32::try_from(window_us.map_or(0, |us| us.max(0) / DAY_US)).unwrap_or(u32::MAX).min(DAYS_MAX),
            measure: if is_revenue || asked.revenue.is_some() { Measure::Value } else { Measure::Conversion },
            is_personal,
            experiment,
        })
    }

    /// The weights of the arms, the control first.
    pub fn weights(&self) -> &[u32] {
        self.design.epochs.first().map_or(&[], |epoch| &epoch.weights)
    }

    /// Largest value that a visitor contributes, if the goal sets one.
    pub fn cap(&self) -> Option<f64> {
        self.experiment.as_ref()?.metric.as_ref()?.cap
    }

    /// Number of days that it takes according to its rules and numbers.
    fn days_needed(&self, scenario: &Scenario) -> f64 {
        // A little more than the average, so that the rule ends it and not the number
        // of days.
        let surely = |count: u64| count as f64 + 4.0 * (count as f64).sqrt();
        let daily = scenario.daily_visitors;
        let days = match (&self.rules, self.design.visitors) {
            (StopRules { period: Some(days), .. }, _) => f64::from(*days),
            (StopRules { visitors: Some(visitors), .. }, _) => surely(*visitors) / daily,
            (_, Some(planned)) => planned / daily,
            (StopRules { conversions: Some(conversions), .. }, _) => surely(*conversions) / (daily * scenario.rate),
            // As many visitors as it takes to find the smallest lift worth acting on.
            _ => {
                let lifts = lifts(self.design.arms, self.design.mde);
                let scenario = Scenario { lifts, ..scenario.clone() };
                scenario.visitors_needed(&self.design, USUAL_POWER).unwrap_or(f64::INFINITY) / daily
            }
        };
        days.ceil().max(1.0)
    }

    /// Maximum number of days to simulate, and the number that it would take if that is
    /// larger.
    pub fn days(&self, asked: &SimulationRequest, scenario: &Scenario) -> (u32, Option<f64>) {
        let needed = self.days_needed(scenario);
        match asked.days {
            Some(days) => (days, None),
            None if needed > f64::from(DAYS_MAX) => (DAYS_MAX, Some(needed).filter(|days| days.is_finite())),
            None => (needed as u32, None),
        }
    }
}

/// Lifts of the arms: `lift` for the first variant, otherwise 0.
fn lifts(arms: usize, lift: f64) -> Vec<f64> {
    (0..arms).map(|arm| if arm == 1 { lift } else { 0.0 }).collect()
}

/// Source of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberSource {
    /// The request.
    Flag,
    /// The project's last two weeks.
    Project,
    /// An assumption.
    Default,
}

impl NumberSource {
    /// Word in the interface.
    pub fn word(self) -> &'static str {
        match self {
            NumberSource::Flag => "flag",
            NumberSource::Project => "project",
            NumberSource::Default => "default",
        }
    }

    /// The first number that is known, with its source.
    fn first(flag: Option<f64>, project: Option<f64>, default: f64) -> (f64, NumberSource) {
        match (flag, project) {
            (Some(number), _) => (number, NumberSource::Flag),
            (None, Some(number)) => (number, NumberSource::Project),
            (None, None) => (default, NumberSource::Default),
        }
    }
}

/// A plan with the visitors of its simulation.
#[derive(Debug, Clone)]
pub struct TriedPlan {
    /// The plan.
    pub plan: SimulatedPlan,
    /// Visitors without an effect.
    pub scenario: Scenario,
    /// Duration of the experiment.
    pub schedule: Schedule,
    /// Number of days that it would take, if they exceed the maximum.
    pub days_needed: Option<f64>,
    /// Source of the rate.
    pub rate_from: NumberSource,
    /// Source of the daily visitors.
    pub daily_from: NumberSource,
    /// True lift of the first variant, as a fraction.
    pub effect: f64,
}

/// Numbers of the project's last two weeks, if they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    /// Percentage of visitors who convert: more than 0 and less than 100.
    pub rate: Option<f64>,
    /// Number of visitors who would enter per day: more than 0.
    pub daily_visitors: Option<f64>,
}

impl TriedPlan {
    /// Returns whether the request leaves out a number that the project's traffic
    /// provides.
    pub fn needs_traffic(asked: &SimulationRequest) -> bool {
        asked.baseline_rate.is_none() || asked.daily_visitors.is_none()
    }

    /// Combines a plan with the visitors of its simulation.
    pub fn new(asked: &SimulationRequest, plan: SimulatedPlan, traffic: Traffic) -> Self {
        let Traffic { rate, daily_visitors: daily } = traffic;
        let (rate, rate_from) = NumberSource::first(asked.baseline_rate, rate, DEFAULT_RATE);
        let (daily_visitors, daily_from) = NumberSource::first(asked.daily_visitors, daily, DAILY);
        let sigma = match plan.measure {
            Measure::Conversion => None,
            Measure::Value => Some(asked.revenue.unwrap_or(SIGMA)),
        };
        let scenario = Scenario { daily_visitors, rate: rate / 100.0, lifts: lifts(plan.design.arms, 0.0), sigma };
        let (days, days_needed) = plan.days(asked, &scenario);
        let schedule = Schedule { rules: plan.rules, days, window_days: plan.window_days };
        let effect = asked.effect.map_or(plan.design.mde, |percent| percent / 100.0);
        Self { plan, scenario, schedule, days_needed, rate_from, daily_from, effect }
    }

    /// Builds the simulation with this lift of the first variant.
    ///
    /// # Errors
    /// A plan that cannot be simulated.
    pub fn simulation(&self, lift: f64) -> Result<Simulation, SimulationRefusal> {
        Simulation::new(self.plan.design.clone(), self.schedule, &self.scenario(lift))
            .map_err(SimulationRefusal::Impossible)
    }

    /// Number of visitors with which the effect is found with the usual power, if that
    /// many are planned; `None` when no number is enough.
    pub fn visitors_needed(&self) -> Option<f64> {
        self.scenario(self.effect).visitors_needed(&self.plan.design, USUAL_POWER).ok().map(f64::ceil)
    }

    /// Smallest lift that is found with the usual power by the visitors who enter in
    /// the available time; `None` when there is none.
    pub fn lift_found(&self) -> Option<f64> {
        let comes = self.scenario.daily_visitors * f64::from(self.schedule.days);
        let visitors = self.plan.rules.visitors.map_or(comes, |enough| comes.min(enough as f64));
        let is_found =
            |lift: f64| self.scenario(lift).power(&self.plan.design, visitors).is_ok_and(|power| power >= USUAL_POWER);
        let (mut low, mut high) = (0.0, (1.0 / self.scenario.rate - 1.0).min(LIFT_MAX));
        if !is_found(high) {
            return None;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if is_found(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }

    fn scenario(&self, lift: f64) -> Scenario {
        Scenario { lifts: lifts(self.plan.design.arms, lift), ..self.scenario.clone() }
    }
}

/// A plan that was simulated many times.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The plan with its visitors.
    pub tried: TriedPlan,
    /// Results with the lift; `None` for a lift of 0.
    pub with_effect: Option<Tally>,
    /// Results without a difference between the arms.
    pub without_effect: Tally,
    /// Result of [`TriedPlan::visitors_needed`].
    pub visitors_needed: Option<f64>,
    /// Result of [`TriedPlan::lift_found`].
    pub lift_found: Option<f64>,
}

/// Reason why a simulation has no result.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The plan cannot be simulated.
    #[error(transparent)]
    Refused(#[from] SimulationRefusal),
    /// No request waits for it any more.
    #[error("nobody waits for the simulation")]
    Stopped,
    /// The project's traffic could not be read.
    #[error(transparent)]
    Traffic(#[from] ReportError),
}

/// Simulates a plan `runs` times with its lift, and as often without one. Checks `stop`
/// between two runs.
///
/// # Errors
/// A plan that cannot be simulated, and [`SimulateError::Stopped`].
pub fn simulate(tried: TriedPlan, runs: u64, seed: u64, stop: &StopToken) -> Result<Simulated, SimulateError> {
    let all = |simulation: &Simulation| -> Result<Tally, SimulateError> {
        let run = |number| match stop.is_stopped() {
            true => Err(SimulateError::Stopped),
            false => Ok(simulation.run(seed, number)),
        };
        let runs: Vec<Run> = (0..runs).map(run).collect::<Result<_, _>>()?;
        Ok(Tally::of(&runs))
    };
    let without_effect = all(&tried.simulation(0.0)?)?;
    let with_effect = match tried.effect {
        0.0 => None,
        effect => Some(all(&tried.simulation(effect)?)?),
    };
    let (visitors_needed, lift_found) = (tried.visitors_needed(), tried.lift_found());
    Ok(Simulated { tried, with_effect, without_effect, visitors_needed, lift_found })
}

impl ReportCache {
    /// Numbers of the project's last two weeks, as an estimate of the visitors to come.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn traffic(
        &self,
        project_key: &Arc<str>,
        known: &ReportInputs,
        now: Instant,
    ) -> Result<Traffic, ReportError> {
        let manifest = known.manifest(project_key, &Inquiry::default(), now);
        let head = self.head().await?;
        let ask = move |warehouse: &dyn WarehouseReader, stop: &StopToken| {
            let lately = lately(&manifest, warehouse, stop)?;
            Ok((lately.marks.clone(), lately))
        };
        let found = self.ask(head, ask).await?;
        Ok(Traffic {
            rate: found.rate.filter(|rate| *rate > 0.0 && *rate < 100.0),
            daily_visitors: found.daily_visitors.filter(|daily| *daily > 0.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried() -> TriedPlan {
        let request = SimulationRequest {
            effect: Some(30.0),
            baseline_rate: Some(10.0),
            daily_visitors: Some(500.0),
            days: Some(4),
            ..SimulationRequest::default()
        };
        TriedPlan::new(&request, SimulatedPlan::new(&request, None).unwrap(), Traffic::default())
    }

    #[test]
    fn the_same_seed_gives_the_same() {
        let run = |seed| simulate(tried(), 5, seed, &StopToken::new()).unwrap();
        let (one, again) = (run(1), run(1));
        assert_eq!((&one.with_effect, &one.without_effect), (&again.with_effect, &again.without_effect));
        assert_eq!((one.without_effect.runs, one.with_effect.map(|tally| tally.runs)), (5, Some(5)));
    }

    #[test]
    fn it_stops_when_nobody_waits() {
        let stop = StopToken::new();
        stop.stop();
        assert!(matches!(simulate(tried(), u64::MAX, 1, &stop), Err(SimulateError::Stopped)));
    }

    #[test]
    fn numbers_are_asked_for_measured_or_assumed() {
        let request = SimulationRequest { daily_visitors: Some(70.0), ..SimulationRequest::default() };
        let plan = SimulatedPlan::new(&request, None).unwrap();
        let traffic = Traffic { rate: Some(3.0), daily_visitors: Some(9.0) };
        let measured = TriedPlan::new(&request, plan.clone(), traffic);
        assert_eq!((measured.scenario.daily_visitors, measured.daily_from), (70.0, NumberSource::Flag));
        assert_eq!((measured.scenario.rate, measured.rate_from), (0.03, NumberSource::Project));
        let assumed = TriedPlan::new(&request, plan, Traffic::default());
        assert_eq!((assumed.scenario.rate, assumed.rate_from), (0.05, NumberSource::Default));
    }
}
