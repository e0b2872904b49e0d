//! How many visitors an experiment needs, before it has them.

use crate::compute::Failure;
use crate::define::Known;
use crate::inquiry::Inquiry;
use crate::keeper::{Keeper, Key, Unanswered};
use crate::manifest::Manifest;
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_events::log::Position;
use muriel_events::warehouse::{Stop, TrafficQuestion};
use muriel_stats::boundary::Mixture;
use muriel_stats::special::normal_ppf;
use std::sync::Arc;

/// How far back the project's own traffic is looked at, in days.
const BACK_DAYS: i64 = 14;
/// Below this many visitors an experiment's own numbers say little.
const OWN_FROM: u64 = 500;
/// Days of a forecast, at least and at most.
const DAYS_LEAST: i64 = 14;
const DAYS_MOST: i64 = 90;

/// What is given; the rest is taken from the plan and the log.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wanted {
    /// Smallest lift worth finding, in percent.
    pub mde: Option<f64>,
    /// Percent of such lifts to be found.
    pub power: Option<f64>,
    /// Visitors who enter per day.
    pub daily_visitors: Option<f64>,
    /// Percent of the control's visitors who convert.
    pub baseline_rate: Option<f64>,
}

/// The smallest lift that is found by the end of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Days since the start.
    pub day: i64,
    /// Visitors by then.
    pub visitors: f64,
    /// In percent; `None` where none is.
    pub mde: Option<f64>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Smallest lift to be found, in percent.
    pub mde: f64,
    /// Percent of such lifts that are found.
    pub power: f64,
    /// Percent of the control's visitors who convert; `None` where nothing is known.
    pub baseline_rate: Option<f64>,
    /// `query`, `experiment` or `project`: where the rate comes from.
    pub baseline_from: Option<&'static str>,
    /// Visitors who enter per day; `None` where nothing is known.
    pub daily_visitors: Option<f64>,
    /// `query`, `experiment` or `project`: where that comes from.
    pub daily_from: Option<&'static str>,
    /// Visitors of all arms together; `None` where it is not known or cannot be.
    pub visitors_needed: Option<f64>,
    /// Whole days until they came.
    pub days: Option<i64>,
    /// What can be found day by day.
    pub mde_by_day: Vec<Forecast>,
}

/// How the arms share, and how sure the comparison is to be.
#[derive(Debug, Clone, PartialEq)]
struct Terms {
    /// Share of the control and of the arm with the least traffic.
    shares: (f64, f64),
    /// Level of one comparison.
    level: f64,
    /// Normal point of the power.
    z: f64,
}

impl Terms {
    fn new(manifest: &Manifest, power: f64) -> Option<Self> {
        let design = manifest.design();
        let weights: Vec<f64> = manifest.experiment.arms.iter().map(|arm| arm.traffic_weight).collect();
        let all: f64 = weights.iter().sum();
        let least = weights.iter().skip(1).copied().filter(|weight| *weight > 0.0).fold(f64::INFINITY, f64::min);
        let comparisons = weights.iter().skip(1).filter(|weight| **weight > 0.0).count();
        let shares = (weights.first()? / all, least / all);
        // The surest of several arms must pass the strictest level of the correction.
        let level = design.alpha() / comparisons.max(1) as f64;
        (shares.0 > 0.0 && shares.1.is_finite()).then(|| Self { shares, level, z: normal_ppf(power / 100.0) })
    }

    /// Squared standard error of the difference, times visitors.
    fn spread(&self, base: f64, lift: f64) -> f64 {
        let other = base * (1.0 + lift);
        base * (1.0 - base) / self.shares.0 + other * (1.0 - other) / self.shares.1
    }

    /// Visitors of all arms from which such a lift is found that often: at one
    /// look at the planned end, so looking on the way only finds it sooner.
    fn visitors(&self, base: f64, lift: f64) -> Option<f64> {
        if base * (1.0 + lift) >= 1.0 {
            return None;
        }
        // At the size that a boundary is tuned for its multiplier does not depend on the size.
        let k = Mixture::tuned(1.0, self.level).ok()?.multiplier(1.0);
        let difference = base * lift;
        let visitors = ((k + self.z) / difference).powi(2) * self.spread(base, lift);
        visitors.is_finite().then(|| visitors.ceil())
    }

    /// The smallest lift that is found that often by so many visitors, where the
    /// comparison is tuned for `planned`.
    fn mde(&self, base: f64, visitors: f64, planned: f64) -> Option<f64> {
        let compared = self.shares.0 + self.shares.1;
        let boundary = Mixture::tuned((planned * compared).max(2.0), self.level).ok()?;
        let k = boundary.multiplier((visitors * compared).max(1.0)) + self.z;
        let mut lift = 0.0;
        for _ in 0..100 {
            let next = k * (self.spread(base, lift) / visitors).sqrt() / base;
            if !next.is_finite() || base * (1.0 + next) >= 1.0 {
                return None;
            }
            if (next - lift).abs() <= 1e-12 * next {
                return Some(next);
            }
            lift = next;
        }
        Some(lift)
    }
}

/// The plan of numbers that are known.
fn plan(manifest: &Manifest, wanted: Wanted, own: (Option<f64>, Option<f64>)) -> Planned {
    let mde = wanted.mde.unwrap_or(manifest.experiment.mde_percent);
    let power = wanted.power.unwrap_or(80.0);
    let (baseline_rate, daily_visitors) = (wanted.baseline_rate.or(own.0), wanted.daily_visitors.or(own.1));
    let terms = Terms::new(manifest, power);
    let base = baseline_rate.map(|rate| rate / 100.0).filter(|base| *base > 0.0 && *base < 1.0);
    let visitors_needed = terms.as_ref().zip(base).and_then(|(terms, base)| terms.visitors(base, mde / 100.0));
    let days = visitors_needed
        .zip(daily_visitors.filter(|daily| *daily > 0.0))
        .map(|(visitors, daily)| (visitors / daily).ceil().min(1e9) as i64);
    let mde_by_day = match (&terms, base, daily_visitors.filter(|daily| *daily > 0.0)) {
        (Some(terms), Some(base), Some(daily)) => {
            let last = days.unwrap_or(0).clamp(DAYS_LEAST, DAYS_MOST);
            (1..=last)
                .map(|day| {
                    let visitors = daily * day as f64;
                    let planned = visitors_needed.unwrap_or(visitors);
                    Forecast { day, visitors, mde: terms.mde(base, visitors, planned).map(|mde| 100.0 * mde) }
                })
                .collect()
        }
        _ => Vec::new(),
    };
    Planned {
        mde,
        power,
        baseline_rate,
        baseline_from: wanted.baseline_rate.map(|_| "query"),
        daily_visitors,
        daily_from: wanted.daily_visitors.map(|_| "query"),
        visitors_needed,
        days,
        mde_by_day,
    }
}

impl Keeper {
    /// The plan of an experiment. What `wanted` leaves out comes from the
    /// experiment's own visitors, or from those of its project in the last two weeks.
    ///
    /// # Errors
    /// As [`Keeper::answer`].
    pub async fn plan(
        &self,
        project_key: &Arc<str>,
        known: &Known,
        wanted: Wanted,
        head: Position,
        now: Instant,
    ) -> Result<Planned, Unanswered> {
        let inquiry = Inquiry::default();
        let manifest = known.manifest(project_key, &inquiry, now);
        if wanted.baseline_rate.is_some() && wanted.daily_visitors.is_some() {
            return Ok(plan(&manifest, wanted, (None, None)));
        }
        let test_id = manifest.experiment.test_id;
        let key = Key { project_key: project_key.clone(), test_id, inquiry, by_quarter: false };
        let computed = self.answer(&key, known, head, now).await?;
        let entered: u64 = computed.visitors.iter().sum();
        let (mut rate, mut daily, mut from) = (None, None, "experiment");
        if entered >= OWN_FROM {
            let top = computed.manifest.top().and(computed.metrics.first());
            rate = top.and_then(|shown| shown.arms.first()?.rate()).map(|rate| 100.0 * rate);
            let until = computed.manifest.experiment.ended_at.unwrap_or(now).min(now);
            let lasted = computed.first_entry.map(|first| until.us().saturating_sub(first.us()));
            daily = lasted.filter(|us| *us >= DAY_US).map(|us| entered as f64 * DAY_US as f64 / us as f64);
        }
        if rate.is_none() || daily.is_none() {
            from = "project";
            let outcome = computed.manifest.question(false).ok().and_then(|question| {
                computed.manifest.top().and(question.metrics.into_iter().next()).map(|metric| metric.outcome)
            });
            let asks_for_conversions = outcome.is_some();
            let until = Instant::from_us(now.us().div_euclid(DAY_US) * DAY_US);
            let question = TrafficQuestion {
                project_key: project_key.clone(),
                from: until.plus_us(-BACK_DAYS * DAY_US),
                until,
                outcome,
            };
            let warehouse = self.warehouse().clone();
            let traffic = tokio::task::spawn_blocking(move || warehouse.traffic(&question, &Stop::new()))
                .await
                .map_err(|panicked| Unanswered::Failed(Arc::new(Failure::Panicked(panicked.to_string()))))?
                .map_err(|error| Unanswered::Failed(Arc::new(error.into())))?;
            // Days before the project had visitors say nothing about those that have them.
            let days = traffic.iter().skip_while(|day| day.visitors == 0);
            let (count, first, converted) = days.fold((0_u64, 0, 0), |(count, first, converted), day| {
                (count + 1, first + day.first_visitors, converted + day.converted)
            });
            if count > 0 && first > 0 {
                let allocation = manifest.experiment.traffic_allocation as f64 / 100.0;
                daily = Some(first as f64 / count as f64 * allocation);
                rate = asks_for_conversions.then(|| 100.0 * converted as f64 / first as f64);
            } else {
                (rate, daily) = (None, None);
            }
        }
        let planned = plan(&manifest, wanted, (rate, daily));
        Ok(Planned {
            baseline_from: planned.baseline_from.or(planned.baseline_rate.map(|_| from)),
            daily_from: planned.daily_from.or(planned.daily_visitors.map(|_| from)),
            ..planned
        })
    }
}
