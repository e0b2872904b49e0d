//! Trying a plan on made-up visitors: the experiment's, changed by what is asked, and the visitors that it is tried on.

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

/// What is asked of a simulation. What is left out is the experiment's, the project's, or assumed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulationRequest {
    /// Weights of the arms in hundredths, the control first.
    pub weights: Option<Vec<u32>>,
    /// Confidence in percent.
    pub confidence: Option<i64>,
    /// Planned visitors of all arms.
    pub visitors: Option<u64>,
    /// Smallest lift worth acting on, in percent.
    pub mde: Option<f64>,
    /// Whether a call ends it.
    pub stop_when_significant: Option<bool>,
    /// Visitors that end it; 0 switches the rule off.
    pub stop_after_visitors: Option<u64>,
    /// Conversions that end it; 0 switches the rule off.
    pub stop_after_conversions: Option<u64>,
    /// Days that end it; 0 switches the rule off.
    pub stop_after_days: Option<u32>,
    /// True lift of the first variant, in percent.
    pub effect: Option<f64>,
    /// Percent of the control's visitors who convert.
    pub baseline_rate: Option<f64>,
    /// Visitors who enter per day.
    pub daily_visitors: Option<f64>,
    /// How far lognormal order values are apart.
    pub revenue: Option<f64>,
    /// Days after which it ends if no rule has ended it.
    pub days: Option<u32>,
}

/// Why a plan cannot be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulationRefusal {
    /// The numbers contradict each other.
    #[error("this cannot be simulated: {0}")]
    Impossible(SimulationError),
    /// Order values were given for a goal, by its key, that has none.
    #[error("{0} is not a revenue goal")]
    NotRevenue(String),
    /// The experiment's goal cannot be counted.
    #[error("its goal {0}")]
    Goal(Flaw),
}

/// An experiment, as far as its plan goes.
#[derive(Debug, Clone)]
pub struct PlannedExperiment {
    /// What is known of it.
    pub manifest: Manifest,
    /// Its settings.
    pub configuration: Configuration,
    /// What its primary goal counts, if it has one.
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

    /// The goal that decides.
    pub fn goal(&self) -> Option<&MetricFacts> {
        self.manifest.top()
    }
}

/// Percent of the visitors who convert where nothing is known.
pub const DEFAULT_RATE: f64 = 5.0;
/// Visitors a day where nothing is known.
const DAILY: f64 = 1_000.0;
/// The largest lift that is looked for.
const LIFT_MAX: f64 = 10.0;
/// How often an effect is to be found.
pub const USUAL_POWER: f64 = 0.8;

/// How an experiment is judged, and when it ends.
#[derive(Debug, Clone)]
pub struct SimulatedPlan {
    /// The experiment whose plan it is.
    pub experiment: Option<PlannedExperiment>,
    /// How it is judged.
    pub design: Design,
    /// When it ends.
    pub rules: StopRules,
    /// Days that a visitor has to convert.
    pub window_days: u32,
    /// What its goal counts.
    pub measure: Measure,
    /// Whether variants have audiences of their own.
    pub is_personal: bool,
}

impl SimulatedPlan {
    /// # Errors
    /// What does not go with the experiment.
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
        // Told now, for looking at the project takes its time.
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

    /// Most that a visitor's value counts, if the goal says.
    pub fn cap(&self) -> Option<f64> {
        self.experiment.as_ref()?.metric.as_ref()?.cap
    }

    /// Days that it takes by its rules and numbers.
    fn days_needed(&self, scenario: &Scenario) -> f64 {
        // A little more than on average, so that it is the rule that ends it.
        let surely = |count: u64| count as f64 + 4.0 * (count as f64).sqrt();
        let daily = scenario.daily_visitors;
        let days = match (&self.rules, self.design.visitors) {
            (StopRules { period: Some(days), .. }, _) => f64::from(*days),
            (StopRules { visitors: Some(visitors), .. }, _) => surely(*visitors) / daily,
            (_, Some(planned)) => planned / daily,
            (StopRules { conversions: Some(conversions), .. }, _) => surely(*conversions) / (daily * scenario.rate),
            // As many as it takes to find the smallest lift worth acting on.
            _ => {
                let lifts = lifts(self.design.arms, self.design.mde);
                let scenario = Scenario { lifts, ..scenario.clone() };
                scenario.visitors_needed(&self.design, USUAL_POWER).unwrap_or(f64::INFINITY) / daily
            }
        };
        days.ceil().max(1.0)
    }

    /// How long it is watched at most, and how long it would take if that is longer.
    pub fn days(&self, asked: &SimulationRequest, scenario: &Scenario) -> (u32, Option<f64>) {
        let needed = self.days_needed(scenario);
        match asked.days {
            Some(days) => (days, None),
            None if needed > f64::from(DAYS_MAX) => (DAYS_MAX, Some(needed).filter(|days| days.is_finite())),
            None => (needed as u32, None),
        }
    }
}

/// A lift of the first variant.
fn lifts(arms: usize, lift: f64) -> Vec<f64> {
    (0..arms).map(|arm| if arm == 1 { lift } else { 0.0 }).collect()
}

/// Where a number is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberSource {
    /// It was asked for.
    Flag,
    /// The project's last two weeks.
    Project,
    /// It is assumed.
    Default,
}

impl NumberSource {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            NumberSource::Flag => "flag",
            NumberSource::Project => "project",
            NumberSource::Default => "default",
        }
    }

    /// A number by where it is known from.
    fn first(flag: Option<f64>, project: Option<f64>, default: f64) -> (f64, NumberSource) {
        match (flag, project) {
            (Some(number), _) => (number, NumberSource::Flag),
            (None, Some(number)) => (number, NumberSource::Project),
            (None, None) => (default, NumberSource::Default),
        }
    }
}

/// A plan with the visitors that it is tried on.
#[derive(Debug, Clone)]
pub struct TriedPlan {
    /// The plan.
    pub plan: SimulatedPlan,
    /// Without an effect.
    pub scenario: Scenario,
    /// How long it is watched.
    pub schedule: Schedule,
    /// Days that it would take, if they are too many.
    pub days_needed: Option<f64>,
    /// Where the rate is from.
    pub rate_from: NumberSource,
    /// Where the daily visitors are from.
    pub daily_from: NumberSource,
    /// True lift of the first variant, a fraction.
    pub effect: f64,
}

/// What the project's last two weeks tell, as far as they do.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    /// Percent of the visitors who convert: more than 0 and less than 100.
    pub rate: Option<f64>,
    /// Those who would enter on a day: more than 0.
    pub daily_visitors: Option<f64>,
}

impl TriedPlan {
    /// Whether what is asked leaves something open that the project's traffic tells.
    pub fn needs_traffic(asked: &SimulationRequest) -> bool {
        asked.baseline_rate.is_none() || asked.daily_visitors.is_none()
    }

    /// The plan with its visitors.
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

    /// The same with this lift of the first variant.
    ///
    /// # Errors
    /// A plan that cannot be tried.
    pub fn simulation(&self, lift: f64) -> Result<Simulation, SimulationRefusal> {
        Simulation::new(self.plan.design.clone(), self.schedule, &self.scenario(lift))
            .map_err(SimulationRefusal::Impossible)
    }

    /// Visitors with which the effect is found as often as is usual, if as many are
    /// planned; `None` where no number does.
    pub fn visitors_needed(&self) -> Option<f64> {
        self.scenario(self.effect).visitors_needed(&self.plan.design, USUAL_POWER).ok().map(f64::ceil)
    }

    /// The smallest lift that is found as often as is usual by those who enter in the
    /// time that there is; `None` where none is.
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

/// A plan that was tried many times.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The plan with its visitors.
    pub tried: TriedPlan,
    /// What became of it with the lift; `None` for a lift of 0.
    pub with_effect: Option<Tally>,
    /// What became of it when nothing differs.
    pub without_effect: Tally,
    /// [`TriedPlan::visitors_needed`].
    pub visitors_needed: Option<f64>,
    /// [`TriedPlan::lift_found`].
    pub lift_found: Option<f64>,
}

/// Why a simulation has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The plan cannot be tried.
    #[error(transparent)]
    Refused(#[from] SimulationRefusal),
    /// Nobody waits for it any more.
    #[error("nobody waits for the simulation")]
    Stopped,
    /// The project's traffic could not be looked at.
    #[error(transparent)]
    Traffic(#[from] ReportError),
}

/// Tries a plan `runs` times with its lift, and as often without one. It looks at `stop` between two runs.
///
/// # Errors
/// A plan that cannot be tried, and [`SimulateError::Stopped`].
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
    /// What the project's last two weeks tell of those to come.
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
