//! Numbers as answers show them.

use muriel_analysis::LiftEstimate;
use muriel_results::Numbers;
use muriel_stats::Interval;

/// The lift of an arm over the control, in percent; nothing on the control itself.
#[derive(Default)]
pub(super) struct Lift {
    /// Difference over the control's mean.
    pub(super) lift: Option<f64>,
    /// Its lower and upper end.
    pub(super) lift_interval: Option<[f64; 2]>,
    /// Always-valid p-value.
    pub(super) p_value: Option<f64>,
}

impl Lift {
    /// The lift of the arm at the place `arm`; `points` are of all but the control.
    pub(super) fn new(points: &[LiftEstimate], arm: usize) -> Self {
        let Some(point) = beside_control(points, arm) else { return Self::default() };
        Self { lift: point.lift.map(percent), lift_interval: ends(point.lift_interval), p_value: point.p_value }
    }
}

/// What belongs to the arm at the place `arm` in a list of all arms but the control.
pub(super) fn beside_control<T>(treatments: &[T], arm: usize) -> Option<&T> {
    treatments.get(arm.checked_sub(1)?)
}

/// A fraction in percent.
pub(in crate::wire::views) fn percent(fraction: f64) -> f64 {
    100.0 * fraction
}

/// Percent of the visitors who converted; `None` without visitors.
pub(super) fn rate(numbers: &Numbers) -> Option<f64> {
    (numbers.visitors > 0).then(|| 100.0 * numbers.converted as f64 / numbers.visitors as f64)
}

/// Ends in percent; `None` where one is not finite, which JSON cannot say.
pub(super) fn ends(interval: Option<Interval>) -> Option<[f64; 2]> {
    let interval = interval?;
    let ends = [percent(interval.lower), percent(interval.upper)];
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}
