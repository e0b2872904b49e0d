//! Visitors who are made up.

use super::looks::{Cap, DailyEntries, MonitoredRun};
use super::{DAILY_MAX, EPOCH, EndReason, Run, SIGMA_MAX, Schedule, SimulationError, check};
use crate::design::Design;
use crate::summary::Measure;
use muriel_stats::{LiftPlan, log_normal_value_spread};
use rand_distr::{Binomial, Distribution, LogNormal, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// What visitors are like.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// How many enter on a day on average, more than 0: all days are alike, and
    /// numbers vary as those of people do who decide on their own.
    pub daily_visitors: f64,
    /// Share of the control's visitors who convert, between 0 and 1.
    pub rate: f64,
    /// Per arm, how much more of its visitors convert, as a fraction of the
    /// control's share: 0 for the control.
    pub lifts: Vec<f64>,
    /// Whoever converts brings a value, whose logarithm is normal with this
    /// spread; `None` where only conversions count. The unit of the values makes
    /// no difference. A lift brings more buyers, who buy as the others do.
    pub sigma: Option<f64>,
}

/// A plan with the visitors that it is tried on.
#[derive(Debug, Clone)]
pub struct Simulation {
    design: Design,
    schedule: Schedule,
    /// Per arm: visitors a day, `None` for an arm without weight; the share who convert.
    arms: Vec<(Option<Poisson<f64>>, f64)>,
    values: Option<LogNormal<f64>>,
}

impl Simulation {
    /// Checks that the plan can be tried.
    ///
    /// # Errors
    /// [`SimulationError`].
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

    /// What became of it the `number`th time: the same seed and number are the
    /// same run.
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

    /// The visitors of a day by arm, without their values.
    fn entered(&self, source: &mut Xoshiro256PlusPlus) -> Vec<DailyEntries> {
        let of_arm = |(daily, rate): &(Option<Poisson<f64>>, f64)| {
            let visitors = daily.map_or(0, |daily| daily.sample(source) as u64);
            // A rate is a share, so there is always such a distribution.
            let converted = Binomial::new(visitors, *rate).map_or(0, |binomial| binomial.sample(source));
            DailyEntries { visitors, converted, values: Vec::new() }
        };
        self.arms.iter().map(of_arm).collect()
    }
}

/// A seed of its own for each run, that resembles no other's.
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
    /// Visitors of all arms with which the lift of the first variant is found as
    /// often as `power` says, 0 to 1, by a plan for so many: at a single look at the
    /// end, for looks on the way only find it sooner.
    ///
    /// # Errors
    /// What makes such a number impossible, such as a lift of 0.
    pub fn visitors_needed(&self, design: &Design, power: f64) -> muriel_stats::Result<f64> {
        self.lift_plan(design)?.visitors(self.rate, self.lift(), power)
    }

    /// How often the lift of the first variant is found, 0 to 1, by this plan at a
    /// single look when so many visitors have entered, in all arms. Orders vary less
    /// than is reckoned here, as the largest are cut.
    ///
    /// # Errors
    /// What makes it impossible to say, such as no visitors.
    pub fn power(&self, design: &Design, visitors: f64) -> muriel_stats::Result<f64> {
        self.lift_plan(design)?.with_boundary(design.boundary(1)?).power(self.rate, self.lift(), visitors)
    }

    fn lift_plan(&self, design: &Design) -> muriel_stats::Result<LiftPlan> {
        let weights: Vec<f64> = design.weights(EPOCH).into_iter().map(f64::from).collect();
        design.lift_plan(&weights, 1)?.with_values(log_normal_value_spread(self.sigma.unwrap_or(0.0)))
    }

    /// The lift of the first variant.
    fn lift(&self) -> f64 {
        self.lifts.get(1).copied().unwrap_or(0.0)
    }
}
