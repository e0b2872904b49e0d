//! Plans: how many visitors an experiment needs.

use muriel_domain::ids::MAX_SAFE;
use muriel_results::{Forecast, PlanningReport};
use serde::Serialize;
use utoipa::ToSchema;

/// Number of visitors that an experiment needs, and the time that takes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanAnswer {
    /// Always true.
    success: bool,
    /// Identifies the experiment.
    test_id: i64,
    /// Smallest lift to detect, in percent.
    mde: f64,
    /// Statistical power: percent of such lifts that are detected.
    power: f64,
    /// Number of visitors in all arms together; null if too little is known, or no number is enough.
    #[schema(required)]
    visitors_needed: Option<i64>,
    /// Whole days until they have entered.
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
    /// Source of `daily_visitors`, in the words of `baseline_rate_from`.
    #[schema(required)]
    daily_visitors_from: Option<&'static str>,
    /// Reason why `visitors_needed` or `days` is null, and what to do about it.
    #[schema(required)]
    note: Option<String>,
    /// Smallest lift that is detected by the end of each day.
    mde_by_day: Vec<DayForecast>,
    /// Smallest lift that an experiment planned for 2, 4 or 8 weeks detects by its end, with this traffic. Once the
    /// experiment has started, its plan is fixed, and the values are for that plan. Empty if too little is known.
    findable: Vec<DayForecast>,
}

/// Smallest detectable lift by the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DayForecast {
    /// Days since the start.
    day: i64,
    /// Number of visitors by then.
    visitors: i64,
    /// Smallest lift in percent; null if no lift is detectable.
    #[schema(required)]
    mde: Option<f64>,
}

impl PlanAnswer {
    /// Response for `planned`.
    pub(crate) fn new(test_id: i64, planned: &PlanningReport) -> Self {
        Self {
            success: true,
            test_id,
            mde: planned.mde,
            power: planned.power,
            visitors_needed: visitors_needed(planned),
            days: planned.days,
            note: note(planned),
            baseline_rate: planned.baseline_rate,
            baseline_rate_from: planned.baseline_from,
            daily_visitors: planned.daily_visitors,
            daily_visitors_from: planned.daily_from,
            mde_by_day: planned.mde_by_day.iter().map(DayForecast::new).collect(),
            findable: planned.findable.iter().map(DayForecast::new).collect(),
        }
    }
}

impl DayForecast {
    fn new(day: &Forecast) -> Self {
        Self { day: day.day, visitors: day.visitors.round() as i64, mde: day.mde }
    }
}

/// Number of visitors needed, if JSON can represent it exactly.
fn visitors_needed(planned: &PlanningReport) -> Option<i64> {
    planned.visitors_needed.filter(|visitors| *visitors <= MAX_SAFE as f64).map(|visitors| visitors as i64)
}

/// Note for a plan without a number.
fn note(planned: &PlanningReport) -> Option<String> {
    let mde = planned.mde;
    if visitors_needed(planned).is_some() {
        return planned.days.is_none().then(|| {
            "In the last two weeks no visitors came who would enter, so the number of days is not known: give \
                      daily_visitors."
                .to_owned()
        });
    }
    Some(match planned.baseline_rate {
        None => "It is not known how many of the control's visitors convert: give baseline_rate, or wait for visitors \
                 and a primary goal that they reach."
            .to_owned(),
        Some(rate) if rate <= 0.0 => {
            let nobody = match planned.baseline_from {
                Some("project") => "Nobody converted in the last two weeks",
                _ => "No visitor of the control has converted",
            };
            format!("{nobody}: the baseline rate is 0, so a lift cannot be computed. Send baseline_rate.")
        }
        Some(rate) if rate * (1.0 + mde / 100.0) >= 100.0 => {
            let rate = (100.0 * rate).round() / 100.0;
            format!("A lift of {mde} % over {rate} % would mean that all visitors convert: use a smaller lift.")
        }
        Some(_) if planned.visitors_needed.is_some() => {
            "More visitors are needed than can be counted: ask for a larger lift.".to_owned()
        }
        Some(_) => {
            "No number of visitors is enough: the control or every other variant gets no visitors, or the lift is \
                    too small to be detected."
                .to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_explained() {
        let plan = |rate, needed, days| PlanningReport {
            mde: 10.0,
            power: 80.0,
            baseline_rate: rate,
            baseline_from: None,
            daily_visitors: None,
            daily_from: None,
            visitors_needed: needed,
            days,
            mde_by_day: Vec::new(),
            findable: Vec::new(),
        };
        for (planned, number, words) in [
            (plan(Some(5.0), Some(1_000.0), Some(3)), Some(1_000), None),
            (plan(Some(5.0), Some(1_000.0), None), Some(1_000), Some("In the last two weeks no visitors came")),
            (plan(None, None, None), None, Some("give baseline_rate, or wait")),
            (
                plan(Some(0.0), None, None),
                None,
                Some("No visitor of the control has converted: the baseline rate is 0"),
            ),
            (
                PlanningReport { baseline_from: Some("project"), ..plan(Some(0.0), None, None) },
                None,
                Some("Nobody converted in the last two weeks: the baseline rate is 0, so a lift cannot be computed"),
            ),
            (plan(Some(95.0 + 1.0 / 300.0), None, None), None, Some("A lift of 10 % over 95 %")),
            (plan(Some(0.001), Some(1e18), None), None, Some("than can be counted")),
            (plan(Some(5.0), None, None), None, Some("No number of visitors is enough")),
        ] {
            let answer = PlanAnswer::new(1, &planned);
            assert_eq!(answer.visitors_needed, number, "{planned:?}");
            match words {
                None => assert_eq!(answer.note, None, "{planned:?}"),
                Some(words) => assert!(answer.note.is_some_and(|note| note.contains(words)), "{words}"),
            }
        }
    }
}
