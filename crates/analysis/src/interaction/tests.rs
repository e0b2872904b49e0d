//! Interactions between simulated experiments with known effects.

use super::*;
use crate::design::EpochPlan;
use rand_distr::{Distribution, LogNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Programmes of each kind. In 2,000 runs of each kind, 0.15 to 0.95 % found something.
const RUNS: u64 = 400;

fn design(policy: AllocationPolicy, epochs: &[&[u32]]) -> Design {
    let epochs: Vec<EpochPlan> =
        epochs.iter().zip(1..).map(|(weights, number)| EpochPlan { number, weights: weights.to_vec() }).collect();
    Design { policy, arms: epochs[0].weights.len(), confidence: 0.95, visitors: None, mde: 0.02, epochs }
}

fn fixed(weights: &[u32]) -> Design {
    design(AllocationPolicy::Fixed, &[weights])
}

/// Outcome of a visitor, by the arms that the visitor met.
type Outcome = fn(&mut Xoshiro256PlusPlus, day: usize, arms: &[usize]) -> f64;

/// Conversions and outcomes by epoch and arm of both experiments.
type Counts = BTreeMap<(i64, usize, i64, usize), (u64, Moments)>;

/// Experiments that run at the same time, with every visitor in each of them, all with the same metric.
struct Programme {
    experiments: Vec<Design>,
    outcome: Outcome,
    daily: usize,
    days: usize,
}

impl Programme {
    /// Ordered pairs of experiments.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let all = 0..self.experiments.len();
        all.clone()
            .flat_map(|own| all.clone().filter(move |other| *other != own).map(move |other| (own, other)))
            .collect()
    }

    /// Findings at each day's check.
    fn run(&self, seed: u64) -> Vec<Vec<Found>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let pairs = self.pairs();
        let mut cells = vec![Counts::new(); pairs.len()];
        let mut looks = Vec::new();
        for day in 0..self.days {
            for _ in 0..self.daily {
                let places: Vec<(i64, usize)> =
                    self.experiments.iter().map(|design| self.place(design, day, uniform(&mut random))).collect();
                let arms: Vec<usize> = places.iter().map(|(_, arm)| *arm).collect();
                let value = (self.outcome)(&mut random, day, &arms);
                for ((own, other), cells) in pairs.iter().zip(&mut cells) {
                    let key = (places[*own].0, places[*own].1, places[*other].0, places[*other].1);
                    let (converted, outcome) = cells.entry(key).or_default();
                    *converted += u64::from(value > 0.0);
                    outcome.push(value);
                }
            }
            let looked: Vec<Option<Interaction>> = pairs
                .iter()
                .zip(&cells)
                .map(|((own, other), cells)| {
                    let cells: Vec<PairCell> = cells
                        .iter()
                        .map(|(&(epoch, arm, other_epoch, other_arm), &(converted, outcome))| PairCell {
                            epoch,
                            arm,
                            other_epoch,
                            other_arm,
                            converted,
                            outcome,
                        })
                        .collect();
                    interaction(&self.experiments[*own], &self.experiments[*other], &cells)
                })
                .collect();
            looks.push(found(&looked, LEVEL).unwrap());
        }
        looks
    }

    /// Epoch and arm of a visitor who enters on a day. The epochs of each experiment divide the days evenly.
    fn place(&self, design: &Design, day: usize, draw: f64) -> (i64, usize) {
        let plan = &design.epochs[day * design.epochs.len() / self.days];
        let mut left = draw * f64::from(plan.weights.iter().sum::<u32>());
        let arm = plan.weights.iter().position(|weight| {
            left -= f64::from(*weight);
            left < 0.0
        });
        (plan.number, arm.unwrap_or(0))
    }

    /// Number of runs, out of `runs`, in which any pair is found on any day.
    fn any_found(&self, runs: u64) -> usize {
        (0..runs).filter(|seed| self.run(1_000 + seed).iter().any(|look| !look.is_empty())).count()
    }
}

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    StandardUniform.sample(random)
}

fn converts(random: &mut Xoshiro256PlusPlus, rate: f64) -> f64 {
    f64::from(u8::from(uniform(random) < rate))
}

/// Every treatment adds two points, independently of the others. The rate rises each day.
fn additive(random: &mut Xoshiro256PlusPlus, day: usize, arms: &[usize]) -> f64 {
    let treatments = arms.iter().filter(|arm| **arm > 0).count();
    converts(random, 0.05 + 0.02 * treatments as f64 + 0.002 * day as f64)
}

fn rare(random: &mut Xoshiro256PlusPlus, _: usize, _: &[usize]) -> f64 {
    converts(random, 0.01)
}

/// One in ten visitors buys, for a skewed amount that the first experiment raises.
fn revenue(random: &mut Xoshiro256PlusPlus, _: usize, arms: &[usize]) -> f64 {
    let value = LogNormal::new(3.0, 1.5).unwrap().sample(random);
    if uniform(random) < 0.1 { value + 5.0 * arms[0] as f64 } else { 0.0 }
}

/// The effect of the first experiment grows from day to day, independently of the others.
fn novelty(random: &mut Xoshiro256PlusPlus, day: usize, arms: &[usize]) -> f64 {
    converts(random, 0.1 + if arms[0] > 0 { 0.02 * day as f64 } else { 0.0 })
}

/// Both treatments together remove the gains of each, and more.
fn disturbing(random: &mut Xoshiro256PlusPlus, _: usize, arms: &[usize]) -> f64 {
    let each = 0.02 * f64::from(u8::from(arms[0] == 1)) + 0.02 * f64::from(u8::from(arms[1] == 1));
    converts(random, 0.1 + each - if arms[0] == 1 && arms[1] == 1 { 0.06 } else { 0.0 })
}

#[test]
fn without_an_interaction_few_programmes_find_one() {
    let even = || fixed(&[1, 1]);
    for (what, experiments, outcome, daily) in [
        ("additive effects and a trend", vec![even(), even(), even(), even()], additive as Outcome, 400),
        ("rare conversions", vec![even(), even(), even()], rare, 600),
        ("skewed revenue", vec![even(), even(), even()], revenue, 400),
        ("small arms", vec![fixed(&[9, 1]), fixed(&[9, 1]), even()], rare, 800),
        ("several arms", vec![fixed(&[1, 1, 1]), fixed(&[2, 1, 1])], additive, 600),
        (
            "changed weights and an effect that grows",
            vec![even(), design(AllocationPolicy::Fixed, &[&[9, 1], &[1, 9]])],
            novelty,
            800,
        ),
        (
            "a bandit",
            vec![design(AllocationPolicy::Bandit, &[&[5, 5], &[2, 8], &[7, 3], &[1, 9], &[5, 5]]), even()],
            novelty,
            800,
        ),
    ] {
        let programme = Programme { experiments, outcome, daily, days: 14 };
        let (runs, any) = (RUNS, programme.any_found(RUNS));
        assert!(any as f64 <= LEVEL * runs as f64, "{what}: {any} of {runs}");
    }
}

/// The purpose of strata: pooled, a growing effect looks like an interaction when weights changed.
#[test]
fn pooled_weights_would_look_like_an_interaction() {
    let changed: &[&[u32]] = &[&[9, 1], &[1, 9]];
    let programme = Programme {
        experiments: vec![fixed(&[1, 1]), design(AllocationPolicy::Fixed, changed)],
        outcome: novelty,
        daily: 800,
        days: 14,
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut pooled = [[Moments::default(); 2]; 2];
    for day in 0..14 {
        for _ in 0..800 {
            let arms: Vec<usize> = programme
                .experiments
                .iter()
                .map(|design| programme.place(design, day, uniform(&mut random)).1)
                .collect();
            pooled[arms[0]][arms[1]].push(novelty(&mut random, day, &arms));
        }
    }
    let effect = Cells(pooled).effect(false).unwrap();
    assert!(effect.num > 6.0 * effect.var_num.sqrt(), "{effect:?}");
}

#[test]
fn a_planted_interaction_is_found_and_its_size_covered() {
    let experiments = vec![fixed(&[1, 1]), fixed(&[1, 1]), fixed(&[1, 1])];
    let programme = Programme { experiments, outcome: disturbing, daily: 2_000, days: 14 };
    let (runs, mut hits, mut misses, mut others) = (20, 0, 0, 0);
    for seed in 0..runs {
        let last = programme.run(seed).pop().unwrap();
        for it in &last {
            match programme.pairs()[it.pair] {
                (0, 1) | (1, 0) => {
                    hits += 1;
                    assert!(it.interval.lower < it.interval.upper && it.interval.excludes(0.0), "{it:?}");
                    assert!(it.difference < 0.0 && it.p_value <= LEVEL && it.visitors == 28_000, "{it:?}");
                    misses += usize::from(!(it.interval.lower..=it.interval.upper).contains(&-0.06));
                }
                _ => others += 1,
            }
        }
    }
    // Both orders of the pair, which have the same numbers here.
    assert_eq!((hits, misses), (2 * runs, 0));
    assert!(others <= 2, "{others}");
}

/// Visitors with both treatments do not buy anything.
fn buying_nothing(random: &mut Xoshiro256PlusPlus, day: usize, arms: &[usize]) -> f64 {
    let value = revenue(random, day, arms);
    if arms == [1, 1] { 0.0 } else { value }
}

#[test]
fn an_interaction_of_skewed_revenue_is_found() {
    let programme = Programme {
        experiments: vec![fixed(&[1, 1]), fixed(&[1, 1])],
        outcome: buying_nothing,
        daily: 8_000,
        days: 10,
    };
    let runs = 10;
    let is_hit = |seed: u64| programme.run(seed).pop().unwrap().iter().any(|it| it.difference < 0.0);
    let hits = (0..runs).filter(|seed| is_hit(*seed)).count();
    assert!(hits >= 9, "{hits} of {runs}");
}

#[test]
fn of_several_arms_the_one_that_is_disturbed_is_named() {
    let experiments = vec![fixed(&[1, 1, 1]), fixed(&[1, 1, 1])];
    let swapped: Outcome = |random, day, arms| disturbing(random, day, &[(arms[0] == 2).into(), (arms[1] == 1).into()]);
    let programme = Programme { experiments, outcome: swapped, daily: 5_000, days: 10 };
    let last = programme.run(3).pop().unwrap();
    let named: Vec<_> = last.iter().map(|it| (it.pair, it.arm, it.other_arm)).collect();
    assert_eq!(named, [(0, 2, 1), (1, 1, 2)]);
}

/// Cells of one epoch: visitors and conversions by own arm and the other's.
fn cells(counts: &[(usize, usize, u64, u64)]) -> Vec<PairCell> {
    let cell = |&(arm, other_arm, n, converted): &(usize, usize, u64, u64)| {
        let (units, x) = (n as f64, converted as f64);
        let outcome = Moments { n, mean: x / units.max(1.0), m2: x * (units - x) / units.max(1.0) };
        PairCell { epoch: 1, arm, other_epoch: 1, other_arm, converted, outcome }
    };
    counts.iter().map(cell).collect()
}

#[test]
fn too_little_is_not_judged() {
    let even = fixed(&[1, 1]);
    for (what, counts, is_judged) in [
        ("nobody", vec![], false),
        ("enough", vec![(0, 0, 100, 10), (0, 1, 100, 10), (1, 0, 100, 10), (1, 1, 100, 10)], true),
        ("a small cell", vec![(0, 0, 500, 50), (0, 1, 500, 50), (1, 0, 500, 50), (1, 1, 99, 10)], false),
        ("no cell", vec![(0, 0, 500, 50), (0, 1, 500, 50), (1, 0, 500, 50)], false),
        ("few conversions", vec![(0, 0, 500, 9), (0, 1, 500, 10), (1, 0, 500, 10), (1, 1, 500, 10)], false),
        ("none where both are met", vec![(0, 0, 500, 50), (0, 1, 500, 50), (1, 0, 500, 50), (1, 1, 500, 0)], true),
        ("everybody converts", vec![(0, 0, 500, 500), (0, 1, 500, 500), (1, 0, 500, 500), (1, 1, 500, 500)], false),
    ] {
        let looked = interaction(&even, &even, &cells(&counts));
        assert_eq!(looked.is_some(), is_judged, "{what}: {looked:?}");
    }
    let enough = cells(&[(0, 0, 100, 10), (0, 1, 100, 10), (1, 0, 100, 10), (1, 1, 100, 90)]);
    let audiences = design(AllocationPolicy::Personalization, &[&[1, 1]]);
    assert!(interaction(&even, &even, &enough).is_some());
    assert_eq!(interaction(&audiences, &even, &enough), None);
    assert_eq!(interaction(&even, &audiences, &enough), None);
    // An arm without traffic is only seen by mistake.
    assert_eq!(interaction(&fixed(&[1, 0]), &even, &enough), None);
}

#[test]
fn pairs_are_found_among_each_other() {
    let even = fixed(&[1, 1]);
    let look =
        |last| interaction(&even, &even, &cells(&[(0, 0, 1_000, 100), (0, 1, 1_000, 100), (1, 0, 1_000, 100), last]));
    let (strong, weak, none) = (look((1, 1, 1_000, 400)), look((1, 1, 1_000, 185)), look((1, 1, 1_000, 100)));
    assert!(weak.unwrap().p_value() < LEVEL && none.unwrap().p_value() == 1.0);
    let places = |pairs: &[Option<Interaction>]| -> Vec<usize> {
        found(pairs, LEVEL).unwrap().iter().map(|found| found.pair).collect()
    };
    assert_eq!(places(&[weak]), [0]);
    // Alone among many pairs it is not significant; next to strong ones it may be.
    assert_eq!(places(&[vec![weak], vec![none; 200]].concat()), [0; 0]);
    assert_eq!(places(&[vec![None, strong], vec![none; 200]].concat()), [1]);
    assert_eq!(places(&[vec![weak], vec![None; 200]].concat()), [0], "who shares no visitor does not count");
    assert_eq!(places(&[]), [0; 0]);
}
