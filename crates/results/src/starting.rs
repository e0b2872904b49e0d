//! Chooses the number of visitors that the comparisons of an experiment are tuned for when it starts without a planned
//! total.

use crate::compute::ComputeError;
use crate::define::ReportInputs;
use crate::inquiry::Inquiry;
use crate::manifest::{EpochFacts, Manifest};
use crate::planning::{PlanningReport, PlanningRequest, lately, plan};
use crate::report_cache::{ReportCache, ReportError};
use muriel_domain::ids::MAX_SAFE;
use muriel_domain::{Flaw, Instant};
use muriel_warehouse::{ExperimentQuestion, StopToken, WarehouseReader};
use std::sync::Arc;

/// Default number of visitors that a comparison is tuned for.
const DEFAULT_VISITORS: f64 = 10_000.0;
/// Maximum number of days of traffic that comparisons are tuned for. A comparison that is tuned for ten times the
/// visitors that come needs many more of them; one that is tuned for a tenth needs hardly any more.
const DAYS_MAX: f64 = 90.0;
/// Minimum number of visitors of a test that ran elsewhere for tuning its comparisons for them: fewer say nothing about
/// those to come.
const IMPORTED_MIN: u64 = 100;

/// Plan that a first start settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartPlan {
    /// Planned total of visitors; `None` when the project's traffic says too little.
    pub visitors: Option<i64>,
    /// Explanation for a person, in a sentence.
    pub message: String,
}

impl StartPlan {
    /// Plan for an experiment whose project has too little data.
    fn unknown() -> Self {
        let message = format!(
            "plan.visitors: none was given, and the project's last two weeks have too little data for a plan, so the \
             comparisons are tuned for {DEFAULT_VISITORS} visitors"
        );
        Self { visitors: None, message }
    }

    /// Plan for an experiment whose project's traffic could not be read in time.
    pub fn unmeasured() -> Self {
        let message = format!(
            "plan.visitors: none was given, and the project's traffic could not be read in time, so the comparisons \
             are tuned for {DEFAULT_VISITORS} visitors; for another number, set plan.visitors before the first start"
        );
        Self { visitors: None, message }
    }

    /// Plan for a test that ran elsewhere and has this many visitors already.
    fn imported(visitors: u64) -> Self {
        let message = format!(
            "plan.visitors: none was given, so the comparisons are tuned for the {visitors} visitors whose exposures were sent \
             before this start. If the test continues, set plan.visitors to its planned total before the first start"
        );
        Self { visitors: i64::try_from(visitors).ok().filter(|visitors| *visitors <= MAX_SAFE), message }
    }

    fn of(planned: &PlanningReport) -> Self {
        let known = planned.visitors_needed.zip(planned.baseline_rate).zip(planned.daily_visitors);
        let Some(((needed, rate), daily)) = known.filter(|((needed, _), _)| *needed >= 1.0) else {
            return Self::unknown();
        };
        let most = (DAYS_MAX * daily).ceil().max(DEFAULT_VISITORS).min(MAX_SAFE as f64);
        let visitors = needed.min(most);
        let (mde, rate) = (planned.mde, (100.0 * rate).round() / 100.0);
        let needs = format!(
            "a lift of {mde} % (plan.mde) of the {rate} % of visitors who converted in the project's last two weeks \
             needs {needed} visitors"
        );
        let message = if needed <= most {
            format!("plan.visitors: none was given; {needs}, for which the comparisons are tuned from now on")
        } else {
            format!(
                "plan.visitors: none was given; {needs}, more than come in {DAYS_MAX} days, so the comparisons are \
                 tuned for {visitors} from now on"
            )
        };
        Self { visitors: Some(visitors as i64), message }
    }
}

impl ReportCache {
    /// Total of visitors to plan for an experiment that starts now. It follows from the smallest lift and the project's
    /// last two weeks, or, for an experiment that started elsewhere at `since`, from the visitors that it has had since
    /// then. `None` when it has a planned total, or no primary goal to plan with.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn start_plan(
        &self,
        project_key: &Arc<str>,
        known: &ReportInputs,
        since: Option<Instant>,
        now: Instant,
    ) -> Result<Option<StartPlan>, ReportError> {
        let manifest = known.manifest(project_key, &Inquiry::default(), now);
        if manifest.experiment.planned_visitors.is_some() || manifest.top().is_none() {
            return Ok(None);
        }
        let head = self.head().await?;
        if let Some(since) = since {
            let question =
                imported(&manifest, since).map_err(|flaw| ReportError::from(ComputeError::Manifest(flaw)))?;
            let ask = move |warehouse: &dyn WarehouseReader, stop: &StopToken| {
                let answer = warehouse.ask(&question, stop)?;
                Ok((answer.marks.clone(), answer.arrivals.iter().map(|arrivals| arrivals.visitors).sum::<u64>()))
            };
            let visitors = self.ask(head, ask).await?;
            if visitors >= IMPORTED_MIN {
                return Ok(Some(StartPlan::imported(visitors)));
            }
        }
        let measured = manifest.clone();
        let ask = move |warehouse: &dyn WarehouseReader, stop: &StopToken| {
            let lately = lately(&measured, warehouse, stop)?;
            Ok((lately.marks.clone(), lately))
        };
        let lately = self.ask(head, ask).await?;
        let found = |number: Option<f64>| number.map(|number| (number, "project"));
        let (rate, daily) = (found(lately.rate), found(lately.daily_visitors));
        Ok(Some(StartPlan::of(&plan(&manifest, PlanningRequest::default(), rate, daily, lately.values_vary))))
    }
}

/// Builds the question about who entered an experiment that has not started here, as if it had started at `since`.
fn imported(manifest: &Manifest, since: Instant) -> Result<ExperimentQuestion, Flaw> {
    let mut begun = manifest.clone();
    begun.experiment.started_at = Some(since);
    begun.epochs = vec![EpochFacts { epoch: 1, started_at: since, weights: Vec::new() }];
    begun.metrics = Vec::new();
    begun.question(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_planned_as_far_as_visitors_come() {
        let planned = |needed: Option<f64>, rate: Option<f64>, daily: Option<f64>| PlanningReport {
            mde: 10.0,
            power: 80.0,
            baseline_rate: rate,
            baseline_from: None,
            daily_visitors: daily,
            daily_from: None,
            visitors_needed: needed,
            days: None,
            mde_by_day: Vec::new(),
            findable: Vec::new(),
        };
        for (needed, rate, daily, expect, said) in [
            (Some(119_607.0), Some(5.0), Some(4_000.0), Some(119_607), "needs 119607 visitors, for which"),
            (Some(119_607.0), Some(5.0), Some(1_000.5), Some(90_045), "more than come in 90 days, so"),
            (Some(119_607.0), Some(5.0), Some(0.1), Some(10_000), "tuned for 10000 from now on"),
            (Some(800.0), Some(33.333), Some(0.1), Some(800), "of the 33.33 % of visitors"),
            (Some(1e300), Some(1e-9), Some(1e300), Some(MAX_SAFE), "more than come"),
            (None, Some(0.0), Some(50.0), None, "have too little data"),
            (Some(800.0), Some(5.0), None, None, "have too little data"),
            (None, None, None, None, "tuned for 10000 visitors"),
        ] {
            let plan = StartPlan::of(&planned(needed, rate, daily));
            assert_eq!(plan.visitors, expect, "{needed:?} {daily:?}");
            assert!(plan.message.contains(said), "{said}: {}", plan.message);
        }
    }
}
