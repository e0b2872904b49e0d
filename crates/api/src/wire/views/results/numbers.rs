//! Conversion of numbers for responses.

use muriel_analysis::LiftEstimate;
use muriel_results::Numbers;
use muriel_stats::Interval;

/// Lift of an arm over the control, in percent; empty for the control itself.
#[derive(Default)]
pub(super) struct Lift {
    /// Difference divided by the absolute mean of the control.
    pub(super) lift: Option<f64>,
    /// Lower and upper bound of the lift.
    pub(super) lift_interval: Option<[f64; 2]>,
    /// Always-valid p-value.
    pub(super) p_value: Option<f64>,
}

impl Lift {
    /// Lift of the arm at index `arm`. `points` has all arms but the control.
    pub(super) fn new(points: &[LiftEstimate], arm: usize) -> Self {
        let Some(point) = beside_control(points, arm) else { return Self::default() };
        Self { lift: point.lift.map(percent), lift_interval: ends(point.lift_interval), p_value: point.p_value }
    }
}

/// Entry of the arm at index `arm` in a list of all arms but the control.
pub(super) fn beside_control<T>(treatments: &[T], arm: usize) -> Option<&T> {
    treatments.get(arm.checked_sub(1)?)
}

/// Converts a fraction to percent.
pub(in crate::wire::views) fn percent(fraction: f64) -> f64 {
    100.0 * fraction
}

/// Conversion rate in percent; `None` without visitors.
pub(super) fn rate(numbers: &Numbers) -> Option<f64> {
    (numbers.visitors > 0).then(|| 100.0 * numbers.converted as f64 / numbers.visitors as f64)
}

/// Bounds in percent; `None` if one is not finite, which JSON cannot represent.
pub(super) fn ends(interval: Option<Interval>) -> Option<[f64; 2]> {
    let interval = interval?;
    let ends = [percent(interval.lower), percent(interval.upper)];
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}
