//! How many visitors an experiment needs.

use muriel_results::Planned;
use serde::Serialize;
use utoipa::ToSchema;

/// How many visitors an experiment needs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanAnswer {
    /// Always true.
    success: bool,
    /// Identifies the experiment.
    test_id: i64,
    /// Smallest lift to be found, in percent.
    mde: f64,
    /// Percent of such lifts that are found.
    power: f64,
    /// Visitors of all arms together; null where too little is known, or no number is enough.
    #[schema(required)]
    visitors_needed: Option<f64>,
    /// Whole days until they came.
    #[schema(required)]
    days: Option<i64>,
    /// Percent of the control's visitors who convert.
    #[schema(required)]
    baseline_rate: Option<f64>,
    /// `query`, `experiment` (its own visitors) or `project` (its last two weeks).
    #[schema(required)]
    baseline_rate_from: Option<&'static str>,
    /// Visitors who enter per day.
    #[schema(required)]
    daily_visitors: Option<f64>,
    /// As `baseline_rate_from`.
    #[schema(required)]
    daily_visitors_from: Option<&'static str>,
    /// The smallest lift that is found by the end of each day.
    mde_by_day: Vec<DayForecast>,
}

/// What can be found by the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DayForecast {
    /// Days since the start.
    day: i64,
    /// Visitors by then.
    visitors: f64,
    /// In percent; null while no lift is.
    #[schema(required)]
    mde: Option<f64>,
}

impl PlanAnswer {
    /// The published shape of `planned`.
    pub(crate) fn new(test_id: i64, planned: &Planned) -> Self {
        Self {
            success: true,
            test_id,
            mde: planned.mde,
            power: planned.power,
            visitors_needed: planned.visitors_needed,
            days: planned.days,
            baseline_rate: planned.baseline_rate,
            baseline_rate_from: planned.baseline_from,
            daily_visitors: planned.daily_visitors,
            daily_visitors_from: planned.daily_from,
            mde_by_day: planned
                .mde_by_day
                .iter()
                .map(|day| DayForecast { day: day.day, visitors: day.visitors, mde: day.mde })
                .collect(),
        }
    }
}
