//! How sure we are: moments, effects, tests, power.
//!
//! Values in, values out: no clock, no randomness, no I/O. Every kind of metric becomes an [`Effect`]; tests,
//! intervals, always-valid sequences and posteriors are functions of it and never see the kind. What has no value says
//! why with an [`Undefined`], never with a quiet 0, 1 or NaN.
//!
//! | modules | what they are for |
//! |---|---|
//! | [`moments`], [`effect`], [`epochs`], [`cap`] | from units to an effect; reports |
//! | [`boundary`], [`lift`], [`multiplicity`], [`bayes`] | what an effect says, at any look; reports |
//! | [`srm`], [`contingency`] | whether the data can be trusted; reports |
//! | [`LiftPlan`], [`value_spread`] | visitors, smallest lift and power before the start; plans and simulations |
//! | [`best_arm`] | probabilities of being the best arm, and the traffic that they earn; bandits |
//! | [`quantile`], [`strata`], [`Effect::of_ratios`] | effects on quantiles, ratios and stratified metrics |
//! | [`interval`], [`power`], [`group_sequential`] | tests and plans for looks that are fixed beforehand, to compare with |
//!
//! Every function is held to reference vectors (`tests/vectors/stats.json`, whose README names the packages), to laws
//! (`tests/laws.rs`), or to error rates that are measured (`tests/simulation`, in `docs/methods.md`).
//!
//! # Examples
//!
//! ```
//! use muriel_stats::boundary::{Mixture, sequential};
//! use muriel_stats::{Effect, Sample};
//!
//! let control = Sample::of_proportion(10_000, 1_000)?;
//! let treatment = Sample::of_proportion(10_020, 1_200)?;
//! let effect = Effect::of_samples(&control, &treatment)?;
//!
//! // Planned for 20,000 visitors of both arms; valid at every look all the same.
//! let test = sequential(&effect, &Mixture::tuned(20_000.0, 0.05)?)?;
//! assert!((test.lift? - 0.1976).abs() < 1e-4);
//! assert!(test.p_value < 0.05 && test.interval.excludes(0.0));
//! # Ok::<(), muriel_stats::Undefined>(())
//! ```

pub mod bayes;
pub mod best_arm;
pub mod boundary;
pub mod cap;
pub mod contingency;
pub mod effect;
pub mod epochs;
pub mod group_sequential;
pub mod interval;
pub mod lift;
mod lift_plan;
pub mod moments;
pub mod multiplicity;
pub mod power;
mod quadrature;
pub mod quantile;
pub mod special;
pub mod srm;
pub mod strata;

pub use effect::{Adjusted, Effect};
pub use epochs::Epochs;
pub use lift_plan::{LiftPlan, log_normal_value_spread, value_spread};
pub use moments::{JointMoments, Moments, Sample};
pub use power::Sides;
pub use quantile::QuantileSample;

/// Why a statistic has no value.
///
/// When several reasons apply the first in this order is given, which is also the derived order of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// The input cannot come from real data, or a parameter is outside its range.
    InvalidInput,
    /// An arm, or the whole test, has no units.
    NoUnits,
    /// An arm has one unit, and one unit has no variance.
    TooFewUnits,
    /// The denominator of a ratio metric sums to zero.
    ZeroDenominator,
    /// A lift was asked for and the control mean is zero.
    ZeroBaseline,
    /// The standard error is zero: nothing varies in either arm.
    ZeroVariance,
    /// No finite interval or size exists.
    Unbounded,
}

impl Undefined {
    /// The name used in reports and reference vectors, such as `zero_variance`.
    pub fn reason(self) -> &'static str {
        match self {
            Undefined::InvalidInput => "invalid_input",
            Undefined::NoUnits => "no_units",
            Undefined::TooFewUnits => "too_few_units",
            Undefined::ZeroDenominator => "zero_denominator",
            Undefined::ZeroBaseline => "zero_baseline",
            Undefined::ZeroVariance => "zero_variance",
            Undefined::Unbounded => "unbounded",
        }
    }
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Undefined::InvalidInput => "the input cannot come from real data",
            Undefined::NoUnits => "an arm has no units",
            Undefined::TooFewUnits => "an arm has fewer than two units",
            Undefined::ZeroDenominator => "the denominator of the ratio sums to zero",
            Undefined::ZeroBaseline => "the control mean is zero",
            Undefined::ZeroVariance => "nothing varies in either arm",
            Undefined::Unbounded => "no finite answer exists",
        })
    }
}

impl std::error::Error for Undefined {}

/// A statistic, or the reason it has no value.
pub type Result<T> = std::result::Result<T, Undefined>;

/// Both values, or the reason that comes first in the order of [`Undefined`].
///
/// Arms are checked together with this: `?` on one after the other would report the reason of whichever came first.
///
/// # Errors
/// The smaller of the errors given.
pub fn both<A, B>(a: Result<A>, b: Result<B>) -> Result<(A, B)> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(a), Err(b)) => Err(a.min(b)),
        (Err(e), Ok(_)) | (Ok(_), Err(e)) => Err(e),
    }
}

/// A range of plausible values. Its ends may be infinite, never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end, `f64::NEG_INFINITY` when there is none.
    pub lower: f64,
    /// Upper end, `f64::INFINITY` when there is none.
    pub upper: f64,
}

impl Interval {
    /// Whether `x` is inside, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.lower <= x && x <= self.upper
    }

    /// Whether `x` is outside; an end itself is inside.
    pub fn excludes(&self, x: f64) -> bool {
        x < self.lower || self.upper < x
    }
}

/// `alpha` when it is an error rate: between 0 and 1, both excluded.
///
/// # Errors
/// `InvalidInput` otherwise.
pub(crate) fn checked_alpha(alpha: f64) -> Result<f64> {
    if alpha > 0.0 && alpha < 1.0 { Ok(alpha) } else { Err(Undefined::InvalidInput) }
}
