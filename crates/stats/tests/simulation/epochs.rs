//! Experiments whose weights change while they run, by hand or by results.

use super::data::{binomial, normal_moments};
use super::path::{ALPHA, DEFAULT_UNITS};
use super::{Accept, Row, Seen, count};
use muriel_stats::best_arm::allocation;
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::special::{normal_cdf, normal_isf};
use muriel_stats::{Effect, Epochs, Moments, Result, Sample};
use rand_distr::{Distribution, LogNormal};

/// Epochs of a bandit, for which its boundary is tuned.
const EPOCHS: usize = 30;
/// Smallest share of an arm.
const FLOOR: f64 = 0.05;

/// Units of both arms, the control first.
#[derive(Clone, Copy, Default)]
struct Arms([Moments; 2]);

impl Arms {
    fn add(&mut self, other: &Arms) {
        for arm in 0..2 {
            self.0[arm] = self.0[arm].merge(&other.0[arm]);
        }
    }

    fn effect(&self) -> Result<Effect> {
        Effect::of_samples(&Sample::of_mean(&self.0[0])?, &Sample::of_mean(&self.0[1])?)
    }

    /// The effect with the variance of all units for both arms.
    ///
    /// An arm that gets little traffic from a bandit has a handful of conversions per epoch. Its own variance is small
    /// exactly when its mean is small, so its worst epochs look the most certain. Thirty such epochs add up to a false
    /// winner. The variance of all units follows the arm that has most of them.
    fn effect_of_one_variance(&self) -> Result<Effect> {
        let variance = self.0[0].merge(&self.0[1]).variance()?;
        let sample = |arm: &Moments| Ok(Sample { variance, ..Sample::of_mean(arm)? });
        Effect::of_samples(&sample(&self.0[0])?, &sample(&self.0[1])?)
    }
}

/// Distribution of a unit's value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Worth {
    /// 1 with the given rate, otherwise 0.
    Conversion,
    /// An order with the given rate; its lognormal sum has a logarithm with standard deviation 1.
    Order,
    /// A normal value with the mean and variance of a conversion.
    Normal,
}

/// Draws `units`, of whom the share `share` is treated.
fn arrive(units: u64, share: f64, rates: [f64; 2], worth: Worth, rng: &mut super::Rng) -> Arms {
    let treated = binomial(rng, units, share);
    let n = [units - treated, treated];
    Arms([0, 1].map(|arm| {
        let (n, p) = (n[arm], rates[arm]);
        if worth == Worth::Normal {
            return normal_moments(rng, n, p, (p * (1.0 - p)).sqrt());
        }
        let buyers = binomial(rng, n, p);
        let mut bought = Moments { n: buyers, mean: if buyers > 0 { 1.0 } else { 0.0 }, m2: 0.0 };
        if worth == Worth::Order {
            let order = LogNormal::new(0.0, 1.0).expect("a standard deviation");
            bought = Moments::default();
            (0..buyers).for_each(|_| bought.push(order.sample(rng)));
        }
        bought.merge(&Moments { n: n - buyers, mean: 0.0, m2: 0.0 })
    }))
}

/// Simulated visitors of a bandit.
#[derive(Clone, Copy)]
struct Bandit {
    /// Units per epoch.
    units: u64,
    /// Conversion rate of control in the first and in the last epoch.
    rate: (f64, f64),
    /// True lift of the second arm.
    lift: f64,
    worth: Worth,
}

/// Result of combining epochs with a check after each.
#[derive(Default)]
struct Combined {
    epochs: Vec<Result<Effect>>,
    missed: bool,
    p_value: Option<f64>,
}

impl Combined {
    fn add(&mut self, effect: Result<Effect>, mixture: &Mixture, lift: f64) {
        self.epochs.push(effect);
        let Ok(combined) = Epochs::combine(&self.epochs) else { return };
        let Ok(view) = sequential(&combined.in_epochs(), mixture) else { return };
        // Without an effect the p-value of the difference is checked, because the lift's interval may be unbounded.
        self.missed |= match lift {
            0.0 => view.p_value < ALPHA,
            lift => view.lift_interval.is_ok_and(|interval| interval.excludes(lift)),
        };
        self.p_value = combined.p_value().ok();
    }
}

/// A bandit that allocates by the probability of being best, from all data so far.
fn bandit(bandit: Bandit, fixed_test: Accept) -> Row {
    let Bandit { units, rate: (from, to), lift, worth } = bandit;
    let percent = |x: f64| (1_000.0 * x).round() / 10.0;
    let test = format!(
        "bandit, {} {}, {} per epoch, {}",
        match worth {
            Worth::Conversion => "conversions",
            Worth::Order => "orders",
            Worth::Normal => "normal",
        },
        if from == to { format!("{} %", percent(from)) } else { format!("{} to {} %", percent(from), percent(to)) },
        count(units),
        if lift == 0.0 { "A/A".to_owned() } else { format!("lift {:+} %", percent(lift)) },
    );
    let mixture = Mixture::tuned(EPOCHS as f64, ALPHA).expect("a plan");
    let fixed = normal_isf(0.5 * ALPHA);
    // For normal values variance and mean are independent, so the variance per arm is valid too.
    let own = if worth == Worth::Normal { Accept::AtMost(ALPHA) } else { Accept::Shown };
    let mut checks = vec![
        ("by epochs, truth missed at any epoch", Accept::AtMost(ALPHA)),
        ("by epochs, each arm its own variance, the same", own),
    ];
    if lift == 0.0 {
        checks.push(("by epochs, fixed test at the end", fixed_test));
        checks.push(("all visitors pooled, fixed test at the end", Accept::Shown));
    }
    Row::new(test, EPOCHS, &checks, move |rng, seen| {
        let (mut all, mut share) = (Arms::default(), 0.5);
        let (mut one, mut own) = (Combined::default(), Combined::default());
        for epoch in 0..EPOCHS {
            let rate = from + (to - from) * epoch as f64 / (EPOCHS as f64 - 1.0);
            let now = arrive(units, share, [rate, rate * (1.0 + lift)], worth, rng);
            all.add(&now);
            one.add(now.effect_of_one_variance(), &mixture, lift);
            own.add(now.effect(), &mixture, lift);
            // Closed form of the probability of being best for two arms. Half a conversion is added to the squared
            // deviations, so that an arm without conversions is not treated as known exactly.
            let noise = |m: &Moments| (m.m2 + 0.5) / (m.n as f64).max(1.0).powi(2);
            let sd = (noise(&all.0[0]) + noise(&all.0[1])).sqrt();
            let best = normal_cdf((all.0[1].mean - all.0[0].mean) / sd);
            share = allocation(&[1.0 - best, best], FLOOR).expect("probabilities")[1];
        }
        seen[0] = Seen::event(one.missed);
        seen[1] = Seen::event(own.missed);
        if lift == 0.0 {
            seen[2] = Seen::event(one.p_value.is_some_and(|p| p < ALPHA));
            seen[3] = Seen::event(all.effect().and_then(|effect| effect.z()).is_ok_and(|z| z.abs() > fixed));
        }
    })
}

/// Weights changed by hand while the rate rose: 10 % get the variant in the first week, half in the second.
fn rebalanced(lift: f64) -> Row {
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    let test = match lift {
        0.0 => "weights changed, rate from 5 to 10 %, A/A".to_owned(),
        lift => format!("weights changed, rate from 5 to 10 %, lift {:+.0} %", 100.0 * lift),
    };
    let checks = [
        ("each set of weights by itself, truth missed at any look", Accept::AtMost(ALPHA)),
        ("all visitors pooled, the same", Accept::Shown),
    ];
    Row::new(test, 14, &checks, move |rng, seen| {
        let (mut sets, mut all) = ([Arms::default(); 2], Arms::default());
        let (mut missed, mut pooled_missed) = (false, false);
        for day in 0..14 {
            let (set, share, rate) = if day < 7 { (0, 0.1, 0.05) } else { (1, 0.5, 0.1) };
            let now = arrive(2_000, share, [rate, rate * (1.0 + lift)], Worth::Conversion, rng);
            sets[set].add(&now);
            all.add(&now);
            let parts: Vec<(f64, Effect)> =
                sets.iter().filter_map(|set| set.effect().ok()).map(|effect| (effect.n, effect)).collect();
            let misses = |effect: Result<Effect>| {
                let interval = effect.and_then(|effect| sequential(&effect, &mixture)?.lift_interval);
                interval.is_ok_and(|interval| interval.excludes(lift))
            };
            missed |= misses(Effect::weighted(&parts));
            pooled_missed |= misses(all.effect());
        }
        seen[0] = Seen::event(missed);
        seen[1] = Seen::event(pooled_missed);
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let conversions = |units, rate, lift| Bandit { units, rate, lift, worth: Worth::Conversion };
    let orders = |units, rate, lift| Bandit { units, rate, lift, worth: Worth::Order };
    let values = |units, rate| Bandit { units, rate, lift: 0.0, worth: Worth::Normal };
    let (near, at_most) = (Accept::Near(ALPHA), Accept::AtMost(ALPHA));
    vec![
        bandit(values(2_000, (0.1, 0.1)), near),
        bandit(values(2_000, (0.1, 0.2)), near),
        bandit(conversions(2_000, (0.1, 0.1), 0.0), near),
        bandit(conversions(2_000, (0.1, 0.2), 0.0), near),
        bandit(conversions(400, (0.1, 0.1), 0.0), near),
        bandit(conversions(400, (0.1, 0.2), 0.0), near),
        // An arm at the floor has one conversion in about four epochs.
        bandit(conversions(400, (0.01, 0.01), 0.0), at_most),
        bandit(conversions(5_000, (0.005, 0.01), 0.0), at_most),
        bandit(conversions(2_000, (0.1, 0.2), 0.2), at_most),
        bandit(conversions(2_000, (0.1, 0.2), -0.2), at_most),
        bandit(orders(2_000, (0.04, 0.04), 0.0), at_most),
        bandit(orders(2_000, (0.04, 0.08), 0.0), at_most),
        bandit(orders(2_000, (0.04, 0.08), 0.2), at_most),
        rebalanced(0.0),
        rebalanced(0.2),
    ]
}
