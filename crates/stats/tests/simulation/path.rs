//! Experiments that are checked repeatedly and stopped at the first difference.

use super::data::Metric;
use super::{Accept, Row, Seen, count};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::special::normal_isf;

/// Units of both arms that comparisons are tuned for without a plan.
pub(crate) const DEFAULT_UNITS: f64 = 10_000.0;
pub(crate) const ALPHA: f64 = 0.05;

/// A monitored experiment.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) metric: Metric,
    /// Units per arm at each check.
    pub(crate) looks: Vec<u64>,
    /// True lift.
    pub(crate) lift: f64,
    pub(crate) alpha: f64,
    pub(crate) planned: f64,
}

/// Results over all checks of one run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Story {
    /// True when the always-valid interval of the difference missed the truth at some check.
    pub(crate) difference: bool,
    /// True when Fieller's interval of the lift missed the truth at some check.
    pub(crate) lift: bool,
    /// True when the delta-method interval of the lift with the same multiplier missed the truth at some check.
    pub(crate) delta: bool,
    /// True when the fixed interval of the difference missed the truth at some check.
    pub(crate) fixed: bool,
    /// True when the interval of the lift missed the truth at the check that first found a difference, or else at the
    /// last.
    pub(crate) at_stop: bool,
    /// True when a difference was found at some check.
    pub(crate) found: bool,
    /// Checks at which exactly one of the intervals of lift and difference excluded zero.
    pub(crate) disagreed: u32,
}

/// `count` checks, `step` units per arm apart.
pub(crate) fn every(step: u64, count: u64) -> Vec<u64> {
    (1..=count).map(|look| look * step).collect()
}

/// `count` checks from 10 units per arm to `last`, evenly on a logarithmic scale, all at different sizes.
pub(crate) fn log_spaced(count: usize, last: u64) -> Vec<u64> {
    let ratio = (last as f64 / 10.0).ln() / (count as f64 - 1.0);
    let mut looks: Vec<u64> = (0..count).map(|i| (10.0 * (ratio * i as f64).exp()).round() as u64).collect();
    // At first the logarithmic steps are smaller than a unit.
    for i in 1..looks.len() {
        looks[i] = looks[i].max(looks[i - 1] + 1);
    }
    looks
}

impl Watched {
    pub(crate) fn watch(&self, rng: &mut super::Rng) -> Story {
        let Watched { metric, lift, alpha, .. } = *self;
        let mixture = Mixture::tuned(self.planned, alpha).expect("a plan");
        let fixed = normal_isf(0.5 * alpha);
        let truth = lift * metric.level();
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        let (mut story, mut before, mut stopped) = (Story::default(), 0, false);
        for (i, &units) in self.looks.iter().enumerate() {
            metric.more(&mut control, units - before, 0.0, rng);
            metric.more(&mut treatment, units - before, lift, rng);
            before = units;
            let last = i + 1 == self.looks.len();
            // Without an interval there is no claim that could be wrong.
            let Ok(effect) = metric.effect(&control, &treatment) else { continue };
            let Ok(view) = sequential(&effect, &mixture) else { continue };
            let significant = view.p_value < alpha;
            let misses = view.lift_interval.is_ok_and(|interval| interval.excludes(lift));
            story.difference |= view.interval.excludes(truth);
            story.lift |= misses;
            story.found |= significant;
            story.fixed |= (effect.num - truth).abs() > fixed * view.std_error;
            if let Ok(relative) = effect.relative() {
                story.delta |= (relative.num - lift).powi(2) > view.multiplier.powi(2) * relative.var_num;
            }
            if let Ok(interval) = view.lift_interval {
                story.disagreed += u32::from(interval.excludes(0.0) != significant);
            }
            if !stopped && (significant || last) {
                stopped = true;
                story.at_stop = misses;
            }
        }
        story
    }
}

/// Metrics of the table in docs/methods.md.
pub(crate) const METRICS: [Metric; 11] = [
    Metric::Normal,
    Metric::Binary(0.5),
    Metric::Binary(0.05),
    Metric::Binary(0.005),
    Metric::Revenue(1.0),
    Metric::Revenue(1.5),
    Metric::Revenue(2.0),
    Metric::Ratio,
    Metric::Adjusted,
    Metric::AdjustedBinary,
    Metric::Quantile(0.5),
];

fn is_quantile(metric: Metric) -> bool {
    matches!(metric, Metric::Quantile(_))
}

/// A/A test: nothing differs, so every difference found is a false winner.
pub(crate) fn no_effect(test: String, watched: Watched, at_most: f64) -> Row {
    let alpha = watched.alpha;
    let checks = [
        ("false winners, difference", Accept::AtMost(alpha)),
        ("the same, as expected", Accept::Below(at_most)),
        ("false winners, lift by Fieller", Accept::AtMost(alpha)),
        ("lift and difference disagree", Accept::Largest(0.0)),
        ("lift by the delta method", Accept::Shown),
        ("fixed interval at every look", Accept::Shown),
    ];
    Row::new(test, watched.looks.len(), &checks, move |rng, seen| {
        let story = watched.watch(rng);
        seen[0] = Seen::event(story.difference);
        seen[1] = seen[0];
        seen[2] = Seen::event(story.lift);
        seen[3] = Seen::value(f64::from(story.disagreed));
        seen[4] = Seen::event(story.delta);
        seen[5] = Seen::event(story.fixed);
    })
}

/// A test with an effect, which the intervals must cover.
fn effect(watched: Watched) -> Row {
    let test = format!("{}, lift {:+.0} %", watched.metric.name(), 100.0 * watched.lift);
    let checks = [
        ("true difference missed at any look", Accept::AtMost(watched.alpha)),
        ("true lift missed at any look, Fieller", Accept::AtMost(watched.alpha)),
        ("true lift covered where it stopped", Accept::AtLeast(1.0 - watched.alpha)),
        ("lift and difference disagree", Accept::Largest(0.0)),
        ("true lift missed, delta method", Accept::Shown),
        ("effect found", Accept::Shown),
    ];
    Row::new(test, watched.looks.len(), &checks, move |rng, seen| {
        let story = watched.watch(rng);
        seen[0] = Seen::event(story.difference);
        seen[1] = Seen::event(story.lift);
        seen[2] = Seen::event(!story.at_stop);
        seen[3] = Seen::value(f64::from(story.disagreed));
        seen[4] = Seen::event(story.delta);
        seen[5] = Seen::event(story.found);
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let at =
        |metric: Metric, looks: Vec<u64>| Watched { metric, looks, lift: 0.0, alpha: ALPHA, planned: DEFAULT_UNITS };
    for metric in METRICS {
        let daily = every(if is_quantile(metric) { 200 } else { 1_000 }, 14);
        rows.push(no_effect(format!("{}, A/A, daily", metric.name()), at(metric, daily.clone()), 0.025));
        for lift in [-0.2, 0.2] {
            rows.push(effect(Watched { lift, ..at(metric, daily.clone()) }));
        }
        for often in [30, 120] {
            let last = if is_quantile(metric) { 2_000 } else { 20_000 };
            let test = format!("{}, A/A, from 10 units", metric.name());
            let row = no_effect(test, at(metric, log_spaced(often, last)), ALPHA);
            // Slow metrics and those similar to others run in the full set only.
            let every_time =
                often == 30 || [Metric::Normal, Metric::Binary(0.005), Metric::Revenue(2.0)].contains(&metric);
            rows.push(if every_time { row } else { row.only_full() });
        }
    }
    for alpha in [0.5, 0.2, 0.01] {
        let test = format!("normal, A/A, daily, {:.0} % confidence", 100.0 * (1.0 - alpha));
        rows.push(no_effect(test, Watched { alpha, ..at(Metric::Normal, every(1_000, 14)) }, alpha));
        let test = format!("conversions 5 %, A/A, daily, {:.0} % confidence", 100.0 * (1.0 - alpha));
        rows.push(no_effect(test, Watched { alpha, ..at(Metric::Binary(0.05), every(1_000, 14)) }, alpha));
    }
    for planned in [1_000.0, 28_000.0, 100_000.0] {
        let test = format!("normal, A/A, daily, planned {}", count(planned as u64));
        rows.push(no_effect(test, Watched { planned, ..at(Metric::Normal, every(1_000, 14)) }, 0.025));
    }
    rows
}

/// Fails on purpose: the fixed interval and the delta method are held to promises that only the always-valid interval
/// keeps.
pub(crate) fn broken() -> Row {
    let (looks, planned) = (every(1_000, 14), DEFAULT_UNITS);
    let watched = Watched { metric: Metric::Revenue(2.0), looks, lift: 0.0, alpha: ALPHA, planned };
    let checks = [("peeking", Accept::AtMost(ALPHA)), ("delta method", Accept::AtMost(ALPHA))];
    Row::new("ways that are not ours", 14, &checks, move |rng, seen| {
        let story = watched.watch(rng);
        seen[0] = Seen::event(story.fixed);
        seen[1] = Seen::event(story.delta);
    })
}
