//! Experiments that are looked at again and again, and stopped as soon as they say something.

use super::data::Metric;
use super::{Accept, Row, Seen, count};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::special::normal_isf;

/// Units of both arms that comparisons are tuned for when nobody planned.
pub(crate) const DEFAULT_UNITS: f64 = 10_000.0;
pub(crate) const ALPHA: f64 = 0.05;

/// An experiment that is watched.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) metric: Metric,
    /// Units per arm at each look.
    pub(crate) looks: Vec<u64>,
    /// The true lift.
    pub(crate) lift: f64,
    pub(crate) alpha: f64,
    pub(crate) planned: f64,
}

/// What somebody who looked every time has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Story {
    /// The always-valid interval of the difference missed the truth at some look.
    pub(crate) difference: bool,
    /// Fieller's interval of the lift did.
    pub(crate) lift: bool,
    /// The delta-method interval of the lift with the same multiplier did.
    pub(crate) delta: bool,
    /// The fixed interval of the difference did.
    pub(crate) fixed: bool,
    /// The interval of the lift at the look at which a difference was first found, or the last one, misses the truth.
    pub(crate) at_stop: bool,
    /// A difference was found at some look.
    pub(crate) found: bool,
    /// Looks at which the interval of the lift excluded zero and that of the difference did not, or the other way.
    pub(crate) disagreed: u32,
}

/// `count` looks with `step` units per arm each.
pub(crate) fn every(step: u64, count: u64) -> Vec<u64> {
    (1..=count).map(|look| look * step).collect()
}

/// `count` looks from 10 units per arm to `last`, evenly on a logarithmic scale; no two at the same size.
pub(crate) fn log_spaced(count: usize, last: u64) -> Vec<u64> {
    let ratio = (last as f64 / 10.0).ln() / (count as f64 - 1.0);
    let mut looks: Vec<u64> = (0..count).map(|i| (10.0 * (ratio * i as f64).exp()).round() as u64).collect();
    // Early on the scale is finer than a unit.
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
            // Without an interval nothing is said, so nothing wrong is.
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

/// The metrics of the table.
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

/// A/A: nothing differs, and whoever finds something has a false winner.
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

/// There is an effect, and the intervals hold it.
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
            // The slow ones, and those that differ least from others, need not be tried every time.
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

/// The fixed interval and the delta method, asked for what only ours keep.
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
