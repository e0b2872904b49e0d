//! Generated visitors.

use super::looks::{Cap, DailyEntries, MonitoredRun};
use super::{DAILY_MAX, EPOCH, EndReason, Run, SIGMA_MAX, Schedule, SimulationError, check};
use crate::design::Design;
use crate::summary::Measure;
use muriel_stats::{LiftPlan, log_normal_value_spread};
use rand_distr::{Binomial, Distribution, LogNormal, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Behaviour of generated visitors.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Mean number of visitors who enter per day, above 0. All days have the same mean, and the
    /// numbers vary as for independent people (Poisson).
    pub daily_visitors: f64,
    /// Conversion rate of the control, between 0 and 1.
    pub rate: f64,
    /// Relative change of the conversion rate in each arm, as a fraction of the control's rate: 0
    /// for the control.
    pub lifts: Vec<f64>,
    /// Spread (standard deviation) of the logarithm of a converted visitor's value, which is
    /// normally distributed. `None` when only conversions count. The unit of the values does not
    /// matter. A lift adds buyers, whose values have the same distribution.
    pub sigma: Option<f64>,
}

/// A plan with a scenario of visitors.
#[derive(Debug, Clone)]
pub struct Simulation {
    design: Design,
    schedule: Schedule,
    /// For each arm: visitors per day, `None` for an arm without weight; and the conversion rate.
    arms: Vec<(Option<Poisson<f64>>, f64)>,
    values: Option<LogNormal<f64>>,
}

impl Simulation {
    /// Checks the plan and the scenario.
    ///
    /// # Errors
    /// Reasons of [`SimulationError`].
    pub fn new(design: Design, schedule: Schedule, scenario: &Scenario) -> Result<Self, SimulationError> {
        check(&design, &schedule)?;
        let is_share = |rate: f64| rate > 0.0 && rate < 1.0;
        if !(scenario.daily_visitors > 0.0 && scenario.daily_visitors <= DAILY_MAX) {
            return Err(SimulationError::Visitors);
        }
        if !is_share(scenario.rate) {
            return Err(SimulationError::Rate);
        }
        let rates: Vec<f64> = scenario.lifts.iter().map(|lift| scenario.rate * (1.0 + lift)).collect();
        if rates.len() != design.arms || !rates.iter().all(|rate| (0.0..=1.0).contains(rate)) {
            return Err(SimulationError::Lift);
        }
        let values = match scenario.sigma {
            None => None,
            Some(sigma) if !(0.0..=SIGMA_MAX).contains(&sigma) => return Err(SimulationError::Sigma),
            Some(sigma) => Some(LogNormal::new(0.0, sigma).map_err(|_| SimulationError::Sigma)?),
        };
        let weights: Vec<f64> = design.weights(EPOCH).into_iter().map(f64::from).collect();
        let all: f64 = weights.iter().sum();
        let daily = |weight: f64| match weight > 0.0 {
            false => Ok(None),
            true => {
                Poisson::new(scenario.daily_visitors * weight / all).map(Some).map_err(|_| SimulationError::Visitors)
            }
        };
        let arms =
            weights.iter().zip(rates).map(|(weight, rate)| Ok((daily(*weight)?, rate))).collect::<Result<_, _>>()?;
        Ok(Self { design, schedule, arms, values })
    }

    /// Runs the simulation for the `number`th time. The same seed and number give the same run.
    ///
    /// The visitors of all days are drawn before the first check, so the rules that end the run do
    /// not affect which visitors come.
    pub fn run(&self, seed: u64, number: u64) -> Run {
        let mut source = Xoshiro256PlusPlus::seed_from_u64(mixed(seed, number));
        let days: Vec<Vec<DailyEntries>> = (0..self.schedule.days).map(|_| self.entered(&mut source)).collect();
        let converted = days.iter().flatten().map(|entered| entered.converted).sum();
        let (measure, cap) = match self.values {
            None => (Measure::Conversion, Cap::None),
            Some(_) => (Measure::Value, Cap::Quantile { values: converted }),
        };
        let mut looks = MonitoredRun::new(&self.design, &self.schedule, measure, cap);
        for mut day in days {
            if let Some(values) = &self.values {
                for entered in &mut day {
                    entered.values = (0..entered.converted).map(|_| values.sample(&mut source)).collect();
                }
            }
            if let Some(ended) = looks.day(day) {
                return looks.finish(ended);
            }
        }
        looks.finish(EndReason::Days)
    }

    /// Visitors of a day by arm, without their values.
    fn entered(&self, source: &mut Xoshiro256PlusPlus) -> Vec<DailyEntries> {
        let of_arm = |(daily, rate): &(Option<Poisson<f64>>, f64)| {
            let visitors = daily.map_or(0, |daily| daily.sample(source) as u64);
            // The rate is between 0 and 1, so the distribution always exists.
            let converted = Binomial::new(visitors, *rate).map_or(0, |binomial| binomial.sample(source));
            DailyEntries { visitors, converted, values: Vec::new() }
        };
        self.arms.iter().map(of_arm).collect()
    }
}

/// Derives a separate seed for each run, without correlation between runs.
///
/// # Source
/// The finalizer of SplitMix64: Steele, Lea, Flood, Fast splittable pseudorandom
/// number generators, OOPSLA 2014.
fn mixed(seed: u64, number: u64) -> u64 {
    let scramble = |bits: u64| {
        let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    scramble(scramble(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_add(number))
}

impl Scenario {
    /// Visitors of all arms that this plan needs to find the lift of the first variant with
    /// probability `power`, 0 to 1, in a single check at the end. Additional checks before only
    /// find it sooner.
    ///
    /// # Errors
    /// Reasons why no such number exists, such as a lift of 0.
    pub fn visitors_needed(&self, design: &Design, power: f64) -> muriel_stats::Result<f64> {
        self.lift_plan(design)?.visitors(self.rate, self.lift(), power)
    }

    /// Probability, 0 to 1, that this plan finds the lift of the first variant in a single check
    /// after this many visitors of all arms. Real orders vary less than assumed here, because the
    /// largest are capped.
    ///
    /// # Errors
    /// Reasons why it cannot be computed, such as no visitors.
    pub fn power(&self, design: &Design, visitors: f64) -> muriel_stats::Result<f64> {
        self.lift_plan(design)?.with_boundary(design.boundary(1)?).power(self.rate, self.lift(), visitors)
    }

    fn lift_plan(&self, design: &Design) -> muriel_stats::Result<LiftPlan> {
        let weights: Vec<f64> = design.weights(EPOCH).into_iter().map(f64::from).collect();
        design.lift_plan(&weights, 1)?.with_values(log_normal_value_spread(self.sigma.unwrap_or(0.0)))
    }

    /// Lift of the first variant.
    fn lift(&self) -> f64 {
        self.lifts.get(1).copied().unwrap_or(0.0)
    }
}
