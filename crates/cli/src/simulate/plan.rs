//! The plan that is tried: the experiment's, changed by flags, and the visitors
//! that it is tried on.

use super::experiment::Experiment;
use super::past::Project;
use super::{Simulate, refused};
use crate::{Error, Result};
use muriel_analysis::simulate::{DAYS_MAX, Scenario, Schedule, Simulation, SimulationError, StopRules};
use muriel_analysis::{AllocationPolicy, Design, EpochPlan, Measure};
use muriel_domain::experiment::Plan as Defaults;
use muriel_domain::time::DAY_US;
use muriel_results::SIGMA;

/// Percent of the visitors who convert where nothing is known.
pub(super) const RATE: f64 = 5.0;
/// Visitors a day where nothing is known.
const DAILY: f64 = 1_000.0;
/// The largest lift that is looked for.
const LIFT_MAX: f64 = 10.0;
/// How often an effect is to be found.
pub(super) const POWER: f64 = 0.8;

/// How an experiment is judged, and when it ends.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) experiment: Option<Experiment>,
    pub(super) design: Design,
    pub(super) rules: StopRules,
    pub(super) window_days: u32,
    pub(super) measure: Measure,
    /// Whether variants have audiences of their own.
    pub(super) is_personal: bool,
}

impl Plan {
    /// # Errors
    /// Flags that do not go with the experiment.
    pub(super) fn new(asked: &Simulate, experiment: Option<Experiment>) -> Result<Self> {
        let facts = experiment.as_ref().map(|experiment| &experiment.manifest.experiment);
        let configuration = experiment.as_ref().map(|experiment| &experiment.configuration);
        let weights: Vec<u32> = match (&asked.weights, facts) {
            (Some(weights), _) => weights.0.clone(),
            (None, Some(facts)) => facts.arms.iter().map(|arm| (arm.traffic_weight * 100.0).round() as u32).collect(),
            (None, None) => vec![5_000, 5_000],
        };
        let confidence = asked.confidence.or(facts.map(|facts| facts.confidence_percent)).unwrap_or(95);
        let planned = asked.visitors.map(|visitors| visitors as f64);
        let stored = facts.and_then(|facts| facts.planned_visitors).map(|visitors| visitors as f64);
        let mde = asked.mde.or(facts.map(|facts| facts.mde_percent)).unwrap_or(Defaults::default().mde);
        // Told now, for looking at the project takes its time.
        if asked.weights.is_none() && facts.is_some_and(|facts| facts.is_mab) {
            return Err(refused(SimulationError::Bandit));
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
        let goal = experiment.as_ref().and_then(Experiment::goal);
        let is_revenue = goal.is_some_and(|goal| goal.is_revenue());
        if let (Some(goal), true) = (goal, asked.revenue.is_some() && !is_revenue) {
            return Err(Error::Refused(format!(
                "--revenue is for revenue goals, which {} is not: leave it out",
                goal.key
            )));
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
    pub(super) fn weights(&self) -> &[u32] {
        self.design.epochs.first().map_or(&[], |epoch| &epoch.weights)
    }

    /// Most that a visitor's value counts, if the goal says.
    pub(super) fn cap(&self) -> Option<f64> {
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
                scenario.visitors_needed(&self.design, POWER).unwrap_or(f64::INFINITY) / daily
            }
        };
        days.ceil().max(1.0)
    }

    /// How long it is watched at most, and how long it would take if that is longer.
    pub(super) fn days(&self, asked: &Simulate, scenario: &Scenario) -> (u32, Option<f64>) {
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
pub(super) enum From {
    Flag,
    Project,
    Default,
}

impl From {
    /// Its word.
    pub(super) fn word(self) -> &'static str {
        match self {
            From::Flag => "flag",
            From::Project => "project",
            From::Default => "default",
        }
    }

    /// A number by where it is known from.
    pub(super) fn first(flag: Option<f64>, project: Option<f64>, default: f64) -> (f64, From) {
        match (flag, project) {
            (Some(number), _) => (number, From::Flag),
            (None, Some(number)) => (number, From::Project),
            (None, None) => (default, From::Default),
        }
    }
}

/// A plan with the visitors that it is tried on.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    pub(super) plan: Plan,
    /// Without an effect.
    pub(super) scenario: Scenario,
    pub(super) schedule: Schedule,
    /// Days that it would take, if they are too many.
    pub(super) days_needed: Option<f64>,
    pub(super) rate_from: From,
    pub(super) daily_from: From,
    /// True lift of the first variant, a fraction.
    pub(super) effect: f64,
}

impl Tried {
    /// Looks at the project's traffic if flags leave something open.
    ///
    /// # Errors
    /// A log that cannot be read.
    pub(super) fn new(asked: &Simulate, plan: Plan) -> Result<Self> {
        let (mut rate, mut daily) = (None, None);
        if let Some(experiment) = &plan.experiment
            && (asked.baseline_rate.is_none() || asked.daily_visitors.is_none())
        {
            (rate, daily) = Project::load(&asked.common, experiment)?.traffic()?;
        }
        let (rate, rate_from) = From::first(asked.baseline_rate, rate, RATE);
        let (daily_visitors, daily_from) = From::first(asked.daily_visitors, daily, DAILY);
        let sigma = match plan.measure {
            Measure::Conversion => None,
            Measure::Value => Some(asked.revenue.unwrap_or(SIGMA)),
        };
        let scenario = Scenario { daily_visitors, rate: rate / 100.0, lifts: lifts(plan.design.arms, 0.0), sigma };
        let (days, days_needed) = plan.days(asked, &scenario);
        let schedule = Schedule { rules: plan.rules, days, window_days: plan.window_days };
        let effect = asked.effect.map_or(plan.design.mde, |percent| percent / 100.0);
        Ok(Self { plan, scenario, schedule, days_needed, rate_from, daily_from, effect })
    }

    /// The same with this lift of the first variant.
    ///
    /// # Errors
    /// A plan that cannot be tried.
    pub(super) fn simulation(&self, lift: f64) -> Result<Simulation> {
        Simulation::new(self.plan.design.clone(), self.schedule, &self.scenario(lift)).map_err(refused)
    }

    /// Visitors with which the effect is found as often as is usual, if as many are
    /// planned; `None` where no number does.
    pub(super) fn visitors_needed(&self) -> Option<f64> {
        self.scenario(self.effect).visitors_needed(&self.plan.design, POWER).ok().map(f64::ceil)
    }

    /// The smallest lift that is found as often as is usual by those who enter in the
    /// time that there is; `None` where none is.
    pub(super) fn lift_found(&self) -> Option<f64> {
        let comes = self.scenario.daily_visitors * f64::from(self.schedule.days);
        let visitors = self.plan.rules.visitors.map_or(comes, |enough| comes.min(enough as f64));
        let is_found =
            |lift: f64| self.scenario(lift).power(&self.plan.design, visitors).is_ok_and(|power| power >= POWER);
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
