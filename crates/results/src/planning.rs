//! Plans experiments: the number of visitors that one needs, before it has them.

use crate::compute::{ComputeError, Computed, values_vary};
use crate::define::ReportInputs;
use crate::inquiry::Inquiry;
use crate::manifest::{Manifest, MetricFacts};
use crate::report_cache::{ReportCache, ReportError, ReportKey, SubjectId};
use muriel_domain::Instant;
use muriel_domain::ids::ExperimentId;
use muriel_domain::time::DAY_US;
use muriel_log::LogPosition;
use muriel_stats::{LiftPlan, log_normal_value_spread};
use muriel_warehouse::{Metric, StopToken, TrafficQuestion, WarehouseReader, Watermarks};
use std::sync::Arc;

/// Period of the project's past traffic that is evaluated, in days.
const TRAFFIC_DAYS: i64 = 14;
/// Minimum number of visitors for using an experiment's own numbers.
const MIN_OWN_VISITORS: u64 = 500;
/// Default standard deviation of the logarithms of order values, as in `muriel simulate`. With it, the largest of a
/// thousand orders is worth about twenty usual ones.
pub const SIGMA: f64 = 1.0;
/// Minimum and maximum number of days of a forecast.
const MIN_FORECAST_DAYS: i64 = 14;
const MAX_FORECAST_DAYS: i64 = 90;
/// Numbers of days in which people plan to have an answer: two, four and eight weeks.
const HORIZON_DAYS: [i64; 3] = [14, 28, 56];

/// Given numbers of a plan; the others are taken from the experiment's plan and the log.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanningRequest {
    /// Smallest lift worth finding, in percent.
    pub mde: Option<f64>,
    /// Power: percentage of such lifts to be found.
    pub power: Option<f64>,
    /// Visitors who enter per day.
    pub daily_visitors: Option<f64>,
    /// Percentage of the control's visitors who convert.
    pub baseline_rate: Option<f64>,
}

/// The smallest lift that can be found by the end of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Days since the start.
    pub day: i64,
    /// Number of visitors until then.
    pub visitors: f64,
    /// Smallest lift in percent; `None` when none can be found.
    pub mde: Option<f64>,
}

/// Plan of an experiment's size and duration.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanningReport {
    /// Smallest lift to be found, in percent.
    pub mde: f64,
    /// Power: percentage of such lifts that are found.
    pub power: f64,
    /// Percentage of the control's visitors who convert; `None` when it is unknown.
    pub baseline_rate: Option<f64>,
    /// Source of the rate: `query`, `experiment` or `project`.
    pub baseline_from: Option<&'static str>,
    /// Visitors who enter per day; `None` when unknown.
    pub daily_visitors: Option<f64>,
    /// Source of the daily visitors: `query`, `experiment` or `project`.
    pub daily_from: Option<&'static str>,
    /// Visitors needed in all arms together; `None` when unknown or impossible.
    pub visitors_needed: Option<f64>,
    /// Whole days until they have entered.
    pub days: Option<i64>,
    /// Smallest lift that can be found, day by day.
    pub mde_by_day: Vec<Forecast>,
    /// Smallest lifts that experiments planned for two, four and eight weeks find at their end, whatever this one is
    /// planned for; once the experiment has started, those of its own plan. Empty when nothing is known.
    pub findable: Vec<Forecast>,
}

/// Comparison of the arm with the least traffic with the control; `None` when there is nothing to compare. Before the
/// first start it is tuned for each number of visitors that is asked about, unless a planned number exists and
/// `is_planned` says to use it.
fn lift_plan(manifest: &Manifest, value_spread: f64, is_planned: bool) -> Option<LiftPlan> {
    let design = manifest.design();
    let facts = &manifest.experiment;
    let weights: Vec<f64> = facts.arms.iter().map(|arm| arm.traffic_weight).collect();
    let treated = weights.iter().enumerate().skip(1).filter(|(_, weight)| **weight > 0.0);
    let (arm, _) = treated.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let plan = design.lift_plan(&weights, arm).ok()?.with_values(value_spread).ok()?;
    let is_settled = is_planned && facts.planned_visitors.is_some() || facts.started_at.is_some();
    if is_settled { Some(plan.with_boundary(design.boundary(arm).ok()?)) } else { Some(plan) }
}

/// Numbers of a project's visitors in its last whole days, as an estimate of those to come.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lately {
    /// Percentage of them who convert by the top metric, which counts from the first event of these days on; `None`
    /// without a metric or visitors.
    pub rate: Option<f64>,
    /// Mean square over squared mean of the values of those who converted by the top metric; `None` when few converted,
    /// or no value is positive.
    pub values_vary: Option<f64>,
    /// Number of visitors who would enter per day; `None` without visitors.
    pub daily_visitors: Option<f64>,
    /// Position up to which the events of each log were included.
    pub marks: Watermarks,
}

/// Evaluates the visitors of the last two weeks before a manifest's time.
///
/// # Errors
/// [`ComputeError`].
pub fn lately(manifest: &Manifest, warehouse: &dyn WarehouseReader, stop: &StopToken) -> Result<Lately, ComputeError> {
    let question = manifest.question(false).map_err(ComputeError::Manifest)?;
    let metric = manifest.top().and(question.metrics.into_iter().next());
    let is_measured = metric.is_some();
    let until = Instant::from_us(manifest.as_of.us().div_euclid(DAY_US) * DAY_US);
    let question = TrafficQuestion {
        project_key: question.project_key,
        from: until.plus_us(-TRAFFIC_DAYS * DAY_US),
        until,
        metric: metric.map(|metric| Metric { before_us: None, ..metric }),
    };
    let traffic = warehouse.traffic(&question, stop)?;
    // Days before the project's first visitor are left out: they are not typical of later ones.
    let Some(first) = traffic.first_day else {
        return Ok(Lately { marks: traffic.marks, ..Lately::default() });
    };
    let visitors = traffic.visitors as f64;
    let days = (until.us() / DAY_US - first).max(1) as f64;
    let facts = &manifest.experiment;
    let allocation = facts.traffic_allocation as f64 / 100.0 * facts.visitors_percent.unwrap_or(100.0) / 100.0;
    Ok(Lately {
        rate: is_measured.then(|| 100.0 * traffic.converted as f64 / visitors),
        values_vary: values_vary(traffic.converted, traffic.value, traffic.value_squared),
        daily_visitors: Some(visitors / days * allocation),
        marks: traffic.marks,
    })
}

/// Returns whether the top metric compares values.
fn has_values(manifest: &Manifest) -> bool {
    manifest.top().is_some_and(MetricFacts::is_revenue)
}

/// A number, and its source.
type SourcedNumber = (f64, &'static str);

/// Computes a plan from known numbers: `wanted`, and where it has none, the rate and the daily visitors that were
/// found; `vary` says how values vary.
pub(crate) fn plan(
    manifest: &Manifest,
    wanted: PlanningRequest,
    rate: Option<SourcedNumber>,
    daily: Option<SourcedNumber>,
    vary: Option<f64>,
) -> PlanningReport {
    let mde = wanted.mde.unwrap_or(manifest.experiment.mde_percent);
    let power = wanted.power.unwrap_or(80.0);
    let given =
        |wanted: Option<f64>, found: Option<SourcedNumber>| wanted.map(|number| (number, "query")).or(found).unzip();
    let (baseline_rate, baseline_from) = given(wanted.baseline_rate, rate);
    let (daily_visitors, daily_from) = given(wanted.daily_visitors, daily);
    let vary = if has_values(manifest) { vary.unwrap_or_else(|| log_normal_value_spread(SIGMA)) } else { 1.0 };
    let free_plan = lift_plan(manifest, vary, false);
    let lift_plan = lift_plan(manifest, vary, true);
    let base = baseline_rate.map(|rate| rate / 100.0).filter(|base| *base > 0.0 && *base < 1.0);
    let share_found = power / 100.0;
    let visitors_needed =
        lift_plan.zip(base).and_then(|(plan, base)| plan.visitors(base, mde / 100.0, share_found).ok()).map(f64::ceil);
    let days = visitors_needed
        .zip(daily_visitors.filter(|daily| *daily > 0.0))
        .map(|(visitors, daily)| (visitors / daily).ceil().min(1e9) as i64);
    let findable = match (free_plan, base, daily_visitors.filter(|daily| *daily > 0.0)) {
        (Some(plan), Some(base), Some(daily)) => {
            let forecast = |day: i64| {
                let visitors = daily * day as f64;
                let found = plan.tuned_for(visitors).and_then(|plan| plan.mde(base, visitors, share_found));
                Forecast { day, visitors, mde: found.ok().map(|mde| 100.0 * mde) }
            };
            HORIZON_DAYS.map(forecast).to_vec()
        }
        _ => Vec::new(),
    };
    let mde_by_day = match (lift_plan, base, daily_visitors.filter(|daily| *daily > 0.0)) {
        (Some(plan), Some(base), Some(daily)) => {
            let last = days.unwrap_or(0).clamp(MIN_FORECAST_DAYS, MAX_FORECAST_DAYS);
            let found = |visitors: f64| {
                let tuned = plan.tuned_for(visitors_needed.unwrap_or(visitors))?;
                tuned.mde(base, visitors, share_found)
            };
            (1..=last)
                .map(|day| {
                    let visitors = daily * day as f64;
                    Forecast { day, visitors, mde: found(visitors).ok().map(|mde| 100.0 * mde) }
                })
                .collect()
        }
        _ => Vec::new(),
    };
    PlanningReport {
        mde,
        power,
        baseline_rate,
        baseline_from,
        daily_visitors,
        daily_from,
        visitors_needed,
        days,
        mde_by_day,
        findable,
    }
}

impl ReportCache {
    /// Computes the plan of an experiment. Numbers that `wanted` leaves out come from the experiment's own visitors, or
    /// from those of its project in the last two weeks.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn plan(
        &self,
        project_key: &Arc<str>,
        known: &ReportInputs,
        wanted: PlanningRequest,
        now: Instant,
    ) -> Result<PlanningReport, ReportError> {
        let manifest = known.manifest(project_key, &Inquiry::default(), now);
        if wanted.baseline_rate.is_some() && wanted.daily_visitors.is_some() && !has_values(&manifest) {
            return Ok(plan(&manifest, wanted, None, None, None));
        }
        let head = self.head().await?;
        self.plan_at(manifest, known, wanted, head, now).await
    }

    /// Computes the plan from the events up to `head` at least.
    pub(crate) async fn plan_at(
        &self,
        manifest: Manifest,
        known: &ReportInputs,
        wanted: PlanningRequest,
        head: LogPosition,
        now: Instant,
    ) -> Result<PlanningReport, ReportError> {
        let (project_key, test_id) = (manifest.project_key.as_str().into(), manifest.experiment.test_id);
        let subject = SubjectId::Experiment(ExperimentId(test_id));
        let key = ReportKey { project_key, subject, inquiry: manifest.inquiry.clone(), by_quarter: false };
        let computed = self.report_at(&key, known, head, now).await?;
        let (own_rate, own_daily) = own(&computed, now);
        let is_measured = computed.manifest.top().is_some();
        let own_vary = computed.values_vary;
        let is_open = own_rate.or(wanted.baseline_rate).is_none() && is_measured
            || own_daily.or(wanted.daily_visitors).is_none()
            || own_vary.is_none() && has_values(&manifest);
        let lately = if is_open {
            let manifest = manifest.clone();
            let ask = move |warehouse: &dyn WarehouseReader, stop: &StopToken| {
                let lately = lately(&manifest, warehouse, stop)?;
                Ok((lately.marks.clone(), lately))
            };
            self.ask(head, ask).await?
        } else {
            Lately::default()
        };
        let found = |own: Option<f64>, lately: Option<f64>| {
            own.map(|number| (number, "experiment")).or(lately.map(|number| (number, "project")))
        };
        let (rate, daily) = (found(own_rate, lately.rate), found(own_daily, lately.daily_visitors));
        Ok(plan(&manifest, wanted, rate, daily, own_vary.or(lately.values_vary)))
    }
}

/// Percentage of an experiment's own visitors who convert, and number of those who enter per day, if there are enough
/// of them.
fn own(computed: &Computed, now: Instant) -> (Option<f64>, Option<f64>) {
    let entered: u64 = computed.visitors.iter().sum();
    if entered < MIN_OWN_VISITORS {
        return (None, None);
    }
    let top = computed.manifest.top().and(computed.metrics.first());
    let rate = top.and_then(|shown| shown.arms.first()?.rate()).map(|rate| 100.0 * rate);
    let until = computed.manifest.experiment.ended_at.unwrap_or(now).min(now);
    let lasted = computed.first_entry.map(|first| until.us().saturating_sub(first.us()));
    let daily = lasted.filter(|us| *us >= DAY_US).map(|us| entered as f64 * DAY_US as f64 / us as f64);
    (rate, daily)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{ArmFacts, Counted};
    use muriel_domain::experiment::{Experiment, TestType};
    use muriel_domain::goal::GoalValue;
    use muriel_domain::ids::{CompanyId, ProjectId};
    use muriel_log::Record;
    use muriel_log::{LogId, Position};
    use muriel_stats::boundary::Mixture;
    use muriel_stats::special::normal_ppf;
    use muriel_warehouse::{DuckWarehouse, LoadTarget, Loader, Rows, WarehouseOptions, WarehouseWriter, Watermark};
    use serde_json::{Value, json};

    /// Day number of today, counted from 1970.
    const TODAY: i64 = 20_513;

    fn at(day: i64, us: i64) -> Instant {
        Instant::from_us((TODAY + day) * DAY_US + us)
    }

    fn event(n: u64, visitor: &str, at: Instant, what: Value) -> Value {
        let mut event = json!({
            "id": uuid::Uuid::from_u128(n.into()), "project_key": "prj", "at": at, "received_at": at,
            "visitor": { "id": visitor }, "bot": false,
        });
        event.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        event
    }

    fn warehouse(events: impl Iterator<Item = Value>) -> DuckWarehouse {
        let warehouse = DuckWarehouse::in_memory(&WarehouseOptions { memory_bytes: 256 << 20, threads: 1 }).unwrap();
        let mut rows = Rows::default();
        for event in events {
            let record: Record = serde_json::from_value(event).unwrap();
            rows.add(&record, 1);
        }
        rows.sort();
        warehouse
            .load(
                LoadTarget::Answering,
                LogId::from_bytes([7; 16]),
                &rows,
                Watermark { position: Position { seq: 1 }, hash: None },
            )
            .unwrap();
        warehouse
    }

    fn known() -> ReportInputs {
        let now = Instant::from_us(0);
        ReportInputs::of(Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now), "1")
    }

    fn goal(window_days: Option<i64>, min_count: i64) -> MetricFacts {
        let counted = Counted::Goal {
            goal_type: "event".to_owned(),
            goal_value: GoalValue::Text("buy".to_owned()),
            window_days,
            min_count,
            cap: None,
            max_order_value: None,
            currency: None,
        };
        MetricFacts { key: "buy".to_owned(), name: "Buy".to_owned(), role: "primary".to_owned(), counted }
    }

    #[test]
    fn a_plan_goes_by_the_boundary_that_results_go_by() {
        let wanted = |mde: f64| PlanningRequest {
            mde: Some(mde),
            baseline_rate: Some(5.0),
            daily_visitors: Some(2_000.0),
            power: None,
        };
        for (planned_visitors, started_at, is_settled) in [
            (None, None, false),
            (None, Some(at(-1, 0)), true),
            (Some(30_000), None, true),
            (Some(30_000), Some(at(-1, 0)), true),
            (Some(1_000_000), Some(at(-1, 0)), true),
        ] {
            let mut manifest = known().manifest(&"prj".into(), &Inquiry::default(), at(0, 0));
            (manifest.experiment.planned_visitors, manifest.experiment.started_at) = (planned_visitors, started_at);
            manifest.experiment.arms = ["0", "1"].map(arm).into();
            let [few, many] = [5.0, 20.0].map(|mde| plan(&manifest, wanted(mde), None, None, None));
            // A settled plan finds the same lift by a given day, whatever lift is requested.
            let same = few.mde_by_day[13] == many.mde_by_day[13];
            assert_eq!(same, is_settled, "{planned_visitors:?} {:?} {:?}", few.mde_by_day[13], many.mde_by_day[13]);
            for planned in [few, many] {
                let needed = planned.visitors_needed.unwrap();
                let plan = lift_plan(&manifest, 1.0, true).unwrap().tuned_for(needed).unwrap();
                let found = |visitors: f64| 100.0 * plan.mde(0.05, visitors, 0.8).unwrap();
                assert!(found(needed) <= planned.mde * (1.0 + 1e-9), "{planned_visitors:?} {needed}");
                assert!(found(needed - 2.0) > planned.mde, "{planned_visitors:?} {needed}");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_orders_are_worth_is_planned_with() {
        // A fortnight in which every second visitor pays: all pay the same, or one in ten pays much more.
        let paid = |dear: f64| {
            (0..1_000).flat_map(move |n: u64| {
                let at = at(-10, n as i64);
                let value = if n.is_multiple_of(20) { dear } else { 10.0 };
                let order = json!({"type": "order", "name": "Paid", "value": value});
                let look = event(2 * n, &n.to_string(), at, json!({"type": "custom", "name": "look"}));
                [Some(look), n.is_multiple_of(2).then(|| event(2 * n + 1, &n.to_string(), at, order))]
            })
        };
        let revenue = |cap: Option<f64>| {
            let counted = Counted::Goal {
                goal_type: "revenue".to_owned(),
                goal_value: GoalValue::Text("Paid".to_owned()),
                window_days: None,
                min_count: 1,
                cap,
                max_order_value: None,
                currency: None,
            };
            MetricFacts { key: "paid".to_owned(), name: "Paid".to_owned(), role: "primary".to_owned(), counted }
        };
        for (dear, metric, vary) in [
            (10.0, goal(None, 1), 1.0),
            (10.0, revenue(None), 1.0),
            // Mean 19 and mean square 1,090.
            (100.0, revenue(None), 1_090.0 / 361.0),
            (100.0, revenue(Some(10.0)), 1.0),
            // Nobody paid.
            (0.0, revenue(Some(0.0)), std::f64::consts::E),
        ] {
            let warehouse = warehouse(paid(dear).flatten());
            let mut manifest = known().manifest(&"prj".into(), &Inquiry::default(), at(0, 0));
            manifest.experiment.arms = ["0", "1"].map(arm).into();
            manifest.metrics.insert(0, metric);
            let lately = lately(&manifest, &warehouse, &StopToken::new()).unwrap();
            let wanted = PlanningRequest {
                mde: Some(10.0),
                baseline_rate: Some(5.0),
                daily_visitors: Some(2_000.0),
                power: None,
            };
            let planned = plan(&manifest, wanted, None, None, lately.values_vary);
            // Variance of the value per visitor, over those who pay and those who do not.
            let variance = |rate: f64| rate * vary - rate * rate;
            let k = Mixture::tuned(1.0, 0.05).unwrap().multiplier(1.0) + normal_ppf(0.8);
            let needed = (k / 0.005).powi(2) * 2.0 * (variance(0.05) + variance(0.055));
            let computed = planned.visitors_needed.unwrap();
            assert!((computed - needed).abs() <= 1.0 + 1e-9 * needed, "{dear} {computed} {needed}");
        }
    }

    fn arm(variant_id: &str) -> ArmFacts {
        ArmFacts {
            variant_id: variant_id.to_owned(),
            name: String::new(),
            nickname: String::new(),
            traffic_weight: 50.0,
            redefined_at: None,
        }
    }

    #[test]
    fn visitors_count_once_however_often_they_come() {
        // One visitor buys on ten days of a fortnight, another only looks on its first day; nobody else comes.
        let buys = (0..10).map(|n| event(n, "buyer", at(-12 + n as i64, 5), json!({"type": "custom", "name": "buy"})));
        let looks = event(99, "other", at(-12, 3), json!({"type": "custom", "name": "look"}));
        let warehouse = warehouse(buys.chain([looks]));
        for (metric, rate) in [
            (None, None),
            (Some(goal(None, 1)), Some(50.0)),
            (Some(goal(None, 10)), Some(50.0)),
            (Some(goal(None, 11)), Some(0.0)),
            (Some(goal(Some(2), 3)), Some(0.0)),
        ] {
            let mut manifest = known().manifest(&"prj".into(), &Inquiry::default(), at(0, 1_000_000));
            manifest.experiment.traffic_allocation = 50;
            manifest.metrics.splice(0..0, metric);
            let marks = warehouse.watermarks();
            assert_eq!(marks[&LogId::from_bytes([7; 16])].position, Position { seq: 1 });
            let nothing = Lately { marks: marks.clone(), ..Lately::default() };
            let expect = Lately { rate, values_vary: None, daily_visitors: Some(2.0 / 12.0 * 0.5), marks };
            assert_eq!(
                lately(&manifest, &warehouse, &StopToken::new()).unwrap(),
                expect,
                "{:?}",
                manifest.metrics.first()
            );
            manifest.project_key = "another".to_owned();
            assert_eq!(lately(&manifest, &warehouse, &StopToken::new()).unwrap(), nothing);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_an_experiment_knows_itself_is_kept() {
        let exposed = |at: Instant| {
            let seen = json!({"type": "exposure", "test_id": 0, "variant_id": "0", "epoch": 0, "context": {}});
            (0..600).map(move |n| event(n, &n.to_string(), at, seen.clone()))
        };
        let (hour, known) = (DAY_US / 24, known().started(at(-2, 0)));
        for (entered, now, daily) in [
            (at(-2, 0), at(0, 0), Some((300.0, "experiment"))),
            (at(-2, 0), at(0, 12 * hour), Some((240.0, "experiment"))),
            (at(-1, 20 * hour), at(0, 6 * hour), Some((600.0, "project"))),
            (at(0, 0), at(0, 6 * hour), None),
        ] {
            let warehouse = Arc::new(warehouse(exposed(entered)));
            let directory = tempfile::tempdir().unwrap();
            let loader = Loader::start(directory.path(), warehouse.clone(), None).unwrap();
            let reports = ReportCache::new(warehouse, Arc::new(loader));
            let manifest = known.manifest(&"prj".into(), &Inquiry::default(), now);
            let head = LogPosition { log: LogId::from_bytes([7; 16]), position: Position::default() };
            // Without a goal, the rate is unknown unless the request gives it.
            for (baseline_rate, from) in [(None, None), (Some(3.0), Some("query"))] {
                let wanted = PlanningRequest { baseline_rate, ..PlanningRequest::default() };
                let planned = reports.plan_at(manifest.clone(), &known, wanted, head, now).await.unwrap();
                assert_eq!((planned.baseline_rate, planned.baseline_from), (baseline_rate, from));
                assert_eq!(planned.daily_visitors.zip(planned.daily_from), daily, "{entered} {now}");
            }
        }
    }
}
