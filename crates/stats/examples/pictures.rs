//! Draws the pictures of docs/methods.md from results of this crate.
//!
//! `cargo run -p muriel-stats --example pictures` writes them to docs/pictures/. Its test fails when a picture is not
//! what the crate computes.

mod drawing;

use drawing::{Line, Picture};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::lift::delta_lift;
use muriel_stats::special::normal_isf;
use muriel_stats::{Effect, Sample};
use rand_distr::{Binomial, Distribution};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::path::{Path, PathBuf};

const ALPHA: f64 = 0.05;
const PLANNED: f64 = 10_000.0;

/// Half the width of an interval in standard errors, by the number of units.
fn boundary() -> String {
    let mut picture = Picture::new((100.0, 1_000_000.0, true), (0.0, 7.0));
    let y: Vec<f64> = (0..=7).map(f64::from).collect();
    picture.axes((&[100.0, 1e3, 1e4, 1e5, 1e6], "visitors compared"), (&y, "standard errors to each side"), false);
    let sizes: Vec<f64> = (0..=160).map(|i| 100.0 * 10f64.powf(f64::from(i) / 40.0)).collect();
    for (class, planned) in [("ours", PLANNED), ("third", 100_000.0)] {
        let mixture = Mixture::tuned(planned, ALPHA).expect("a plan");
        let line: Vec<_> = sizes.iter().map(|t| (*t, mixture.multiplier(*t))).collect();
        picture.line(class, &line);
    }
    let fixed = normal_isf(0.5 * ALPHA);
    picture.line("other", &[(100.0, fixed), (1e6, fixed)]);
    picture.label("of-ours", (380.0, 5.55), "planned 10,000");
    picture.label("of-third", (4_600.0, 5.2), "planned 100,000");
    picture.label("of-other", (120.0, 1.5), "fixed, good for one look: 1.96");
    picture.svg("Width of the always-valid interval in standard errors, against a fixed one")
}

/// The simulated test: units per arm and day, number of days, conversion rate.
const DAILY: u64 = 1_000;
const DAYS: u64 = 28;
const RATE: f64 = 0.05;

/// One day of an A/A test: the lift with both intervals.
struct Day {
    day: f64,
    lift: f64,
    always: (f64, f64),
    fixed: (f64, f64),
}

/// Simulates an A/A test with this seed.
fn no_effect(seed: u64) -> Vec<Day> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let arriving = Binomial::new(DAILY, RATE).expect("a rate");
    let mixture = Mixture::tuned(2.0 * (DAILY * DAYS) as f64, ALPHA).expect("a plan");
    let mut converted = [0, 0];
    let day = |day: u64| {
        for arm in &mut converted {
            *arm += arriving.sample(&mut rng);
        }
        let sample = |arm: usize| Sample::of_proportion(day * DAILY, converted[arm]).expect("counts");
        let effect = Effect::of_samples(&sample(0), &sample(1)).expect("counts");
        let view = sequential(&effect, &mixture).expect("a thousand visitors");
        let fixed = muriel_stats::lift::fieller(&effect, normal_isf(0.5 * ALPHA)).expect("a thousand visitors");
        let ends = |interval: muriel_stats::Result<muriel_stats::Interval>| {
            interval.map_or((f64::NEG_INFINITY, f64::INFINITY), |interval| (interval.lower, interval.upper))
        };
        Day {
            day: day as f64,
            lift: view.lift.expect("a baseline"),
            always: ends(view.lift_interval),
            fixed: ends(fixed.interval),
        }
    };
    (1..=DAYS).map(day).collect()
}

/// First seed whose A/A test is significant by the fixed interval on at least two days after the first week, is not at
/// the end, and never is by the always-valid interval.
fn seed() -> u64 {
    let excludes = |(lower, upper): (f64, f64)| lower > 0.0 || upper < 0.0;
    let shows_peeking = |days: &Vec<Day>| {
        days.iter().filter(|day| day.day > 7.0 && excludes(day.fixed)).count() >= 2
            && days.last().is_some_and(|day| !excludes(day.fixed))
            && days.iter().all(|day| !excludes(day.always))
    };
    (1..).find(|seed| shows_peeking(&no_effect(*seed))).expect("about one seed in ten")
}

/// Lift and both intervals of an A/A test over time.
fn peeking() -> String {
    let days = no_effect(seed());
    let mut picture = Picture::new((1.0, DAYS as f64, false), (-0.5, 0.5));
    picture.axes((&[1.0, 7.0, 14.0, 21.0, 28.0], "day"), (&[-0.5, -0.25, 0.0, 0.25, 0.5], "lift"), true);
    let ends = |of: fn(&Day) -> (f64, f64)| -> (Line, Line) {
        days.iter().map(|day| ((day.day, of(day).0), (day.day, of(day).1))).unzip()
    };
    let (lower, upper) = ends(|day| day.always);
    picture.area("ours-area", &lower, &upper);
    picture.line("ours", &lower);
    picture.line("ours", &upper);
    let (lower, upper) = ends(|day| day.fixed);
    picture.area("other-area", &lower, &upper);
    let estimate: Vec<_> = days.iter().map(|day| (day.day, day.lift)).collect();
    picture.line("estimate", &estimate);
    picture.line("axis", &[(1.0, 0.0), (DAYS as f64, 0.0)]);
    picture.label("of-ours", (17.0, 0.36), "always valid: holds 0 on every day");
    picture.label("of-other", (17.0, -0.4), "fixed: leaves 0, and comes back");
    picture.svg("An A/A test over 28 days with the always-valid and the fixed interval of its lift")
}

/// Both intervals of the lift when 20 of 4,000 converted in control, by the number of conversions in treatment.
fn fieller() -> String {
    let units = 4_000;
    let mixture = Mixture::tuned(PLANNED, ALPHA).expect("a plan");
    let mut picture = Picture::new((0.0, 40.0, false), (-1.25, 4.0));
    picture.axes(
        (
            &[0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0],
            "conversions of 4,000 in the variant; 20 of 4,000 in control",
        ),
        (&[-1.0, 0.0, 1.0, 2.0, 3.0, 4.0], "lift"),
        true,
    );
    let control = Sample::of_proportion(units, 20).expect("counts");
    let (mut ours, mut delta): ((Line, Line), (Line, Line)) = Default::default();
    for converted in 1..=40 {
        let effect =
            Effect::of_samples(&control, &Sample::of_proportion(units, converted).expect("counts")).expect("counts");
        let view = sequential(&effect, &mixture).expect("they vary");
        let interval = view.lift_interval.expect("twenty conversions bound it");
        let (lift, se) = delta_lift(&effect).expect("they vary");
        let x = converted as f64;
        ours.0.push((x, interval.lower));
        ours.1.push((x, interval.upper));
        delta.0.push((x, lift - view.multiplier * se));
        delta.1.push((x, lift + view.multiplier * se));
    }
    picture.area("ours-area", &ours.0, &ours.1);
    picture.line("ours", &ours.0);
    picture.line("ours", &ours.1);
    picture.line("other", &delta.0);
    picture.line("other", &delta.1);
    picture.line("axis", &[(0.0, 0.0), (40.0, 0.0)]);
    picture.label("of-ours", (16.0, 3.2), "Fieller");
    picture.label("of-other", (27.0, 0.95), "delta method");
    picture.svg("Intervals of the lift by Fieller and by the delta method with the same multiplier")
}

fn pictures() -> [(&'static str, String); 3] {
    [("boundary.svg", boundary()), ("peeking.svg", peeking()), ("fieller.svg", fieller())]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures")
}

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all(folder())?;
    for (name, svg) in pictures() {
        std::fs::write(folder().join(name), svg)?;
    }
    println!("the peeking picture has seed {}", seed());
    Ok(())
}

#[test]
fn the_pictures_are_what_the_engine_says() {
    for (name, svg) in pictures() {
        let drawn = std::fs::read_to_string(folder().join(name)).unwrap();
        assert!(drawn == svg, "{name} is old: cargo run -p muriel-stats --example pictures");
    }
}
