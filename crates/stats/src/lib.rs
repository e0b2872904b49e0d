//! Statistics of experiments: moments, effects, tests, power.
//!
//! All functions are pure: no clock, no randomness, no I/O. Metrics of every kind become an [`Effect`]. Tests,
//! intervals, always-valid sequences and posteriors are functions of the effect and do not depend on the kind. A
//! statistic without a value is an [`Undefined`] with the reason, never a silent 0, 1 or NaN.
//!
//! | modules | purpose; used by |
//! |---|---|
//! | [`moments`], [`effect`], [`epochs`], [`cap`] | from units to an effect; reports |
//! | [`boundary`], [`lift`], [`multiplicity`], [`bayes`] | inference about an effect at any check; reports |
//! | [`srm`], [`contingency`] | whether the data can be trusted; reports |
//! | [`LiftPlan`], [`value_spread`] | sample size, smallest lift and power before the start; plans and simulations |
//! | [`best_arm`] | probabilities of being the best arm, and traffic shares from them; bandits |
//! | [`quantile`], [`strata`], [`Effect::of_ratios`] | effects on quantiles, ratios and stratified metrics |
//! | [`interval`], [`power`], [`group_sequential`] | tests and plans for checks fixed beforehand, for comparison |
//!
//! Every function is tested against reference vectors (`tests/vectors/stats.json`, whose `generated_with` names the
//! packages), against laws (`tests/laws.rs`), or by measured error rates (`tests/simulation`, in `docs/methods.md`).
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
/// When several reasons apply, the first in this order is given. The derived order of the variants is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// The input cannot come from real data, or a parameter is outside its range.
    InvalidInput,
    /// An arm, or the whole test, has no units.
    NoUnits,
    /// An arm has one unit, which has no variance.
    TooFewUnits,
    /// The denominator of a ratio metric sums to zero.
    ZeroDenominator,
    /// A lift is requested and the control mean is zero.
    ZeroBaseline,
    /// The standard error is zero: nothing varies in either arm.
    ZeroVariance,
    /// No finite interval or size exists.
    Unbounded,
}

impl Undefined {
    /// Name used in reports and reference vectors, such as `zero_variance`.
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
            Undefined::NoUnits => "a variant has no units",
            Undefined::TooFewUnits => "a variant has fewer than two units",
            Undefined::ZeroDenominator => "the denominator of the ratio sums to zero",
            Undefined::ZeroBaseline => "the control mean is zero",
            Undefined::ZeroVariance => "nothing varies in either variant",
            Undefined::Unbounded => "no finite answer exists",
        })
    }
}

impl std::error::Error for Undefined {}

/// A statistic, or the reason it has no value.
pub type Result<T> = std::result::Result<T, Undefined>;

/// Both values, or the reason that comes first in the order of [`Undefined`].
///
/// Arms are checked together by this function: with `?` on one after the other, the reason would depend on their order.
///
/// # Errors
/// The smaller of the given errors.
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
    /// Lower end; `f64::NEG_INFINITY` when it is unbounded.
    pub lower: f64,
    /// Upper end; `f64::INFINITY` when it is unbounded.
    pub upper: f64,
}

impl Interval {
    /// Returns whether `x` is inside; the ends are inside.
    pub fn contains(&self, x: f64) -> bool {
        self.lower <= x && x <= self.upper
    }

    /// Returns whether `x` is outside; the ends are inside.
    pub fn excludes(&self, x: f64) -> bool {
        x < self.lower || self.upper < x
    }
}

/// Returns `alpha` when it is an error rate: strictly between 0 and 1.
///
/// # Errors
/// `InvalidInput` otherwise.
pub(crate) fn checked_alpha(alpha: f64) -> Result<f64> {
    if alpha > 0.0 && alpha < 1.0 { Ok(alpha) } else { Err(Undefined::InvalidInput) }
}
