//! Edge cases: undefined statistics give their reason, in the order of the reasons, and the others keep their value.

use muriel_stats::Undefined::{
    self, InvalidInput, NoUnits, TooFewUnits, Unbounded, ZeroBaseline, ZeroDenominator, ZeroVariance,
};
use muriel_stats::bayes::{Prior, beta_binomial, posterior, posterior_relative};
use muriel_stats::boundary::{BoundSide, Mixture, Mode, decide, sequential, sequential_bound};
use muriel_stats::interval::{
    Alternative, Proportion, agresti_caffo, clopper_pearson, jeffreys, newcombe, pooled_z_test, t_test, wilson, z_test,
};
use muriel_stats::lift::fieller;
use muriel_stats::{Effect, JointMoments, Moments, Result, Sample, both};

fn effect(control: Result<Sample>, treatment: Result<Sample>) -> Result<Effect> {
    let (control, treatment) = both(control, treatment)?;
    Effect::of_samples(&control, &treatment)
}

fn mean(n: u64, sum: f64, sum_squares: f64) -> Result<Sample> {
    Sample::of_mean(&Moments::from_sums(n, sum, sum_squares)?)
}

fn conversions(control: (u64, u64), treatment: (u64, u64)) -> Result<Effect> {
    effect(Sample::of_proportion(control.0, control.1), Sample::of_proportion(treatment.0, treatment.1))
}

#[test]
fn reasons_are_ordered_and_named() {
    let all = [InvalidInput, NoUnits, TooFewUnits, ZeroDenominator, ZeroBaseline, ZeroVariance, Unbounded];
    assert!(all.is_sorted());
    let names: Vec<_> = all.iter().map(|u| u.reason()).collect();
    assert_eq!(
        names,
        [
            "invalid_input",
            "no_units",
            "too_few_units",
            "zero_denominator",
            "zero_baseline",
            "zero_variance",
            "unbounded"
        ]
    );
}

#[test]
fn the_first_reason_wins_whichever_arm_has_it() {
    let check = |control: (u64, u64), treatment: (u64, u64), want: Undefined| {
        assert_eq!(conversions(control, treatment).err(), Some(want));
        assert_eq!(conversions(treatment, control).err(), Some(want));
    };
    check((0, 0), (5, 6), InvalidInput);
    check((1, 1), (5, 6), InvalidInput);
    check((0, 0), (1, 1), NoUnits);
    check((1, 1), (100, 20), TooFewUnits);
    assert_eq!(effect(mean(0, 0.0, 0.0), mean(10, 10.0, 9.0)).err(), Some(InvalidInput));
    assert_eq!(effect(mean(1, 2.0, 4.0), mean(0, 0.0, 0.0)).err(), Some(NoUnits));
}

#[test]
fn impossible_sums_are_told_from_rounded_ones() {
    let check = |n, sum, sum_squares, want: Result<f64>| {
        assert_eq!(Moments::from_sums(n, sum, sum_squares).map(|m| m.m2), want, "{n} {sum} {sum_squares}");
    };
    check(10, 10.0, 9.0, Err(InvalidInput));
    check(10, 10.0, 10.0, Ok(0.0));
    check(10, 10.0, f64::NAN, Err(InvalidInput));
    check(10, f64::INFINITY, 1.0, Err(InvalidInput));
    check(0, 0.0, 0.0, Ok(0.0));
    check(0, 1.0, 1.0, Err(InvalidInput));
    // Ten units of 0.1, summed one by one; then the same sum with a sum of squares that is too small by a rounding
    // error.
    let sum = (0..10).map(|_| 0.1).sum::<f64>();
    check(10, sum, (sum * sum / 10.0).next_down(), Ok(0.0));
    check(10, sum, sum * sum / 10.0 * (1.0 - 1e-12), Err(InvalidInput));
}

#[test]
fn products_beyond_full_correlation_are_impossible() {
    let of = |products| JointMoments::from_sums(4, 10.0, 30.0, 20.0, 120.0, products);
    assert!(of(60.0).is_ok_and(|m| m.c == 10.0));
    assert_eq!(of(61.0), Err(InvalidInput));
    assert_eq!(of(39.0), Err(InvalidInput));
    assert_eq!(of(f64::NAN), Err(InvalidInput));
    assert_eq!(JointMoments::from_sums(0, 0.0, 0.0, 0.0, 0.0, 1.0), Err(InvalidInput));
}

#[test]
fn one_constant_arm_leaves_a_test() {
    let effect = effect(mean(50, 100.0, 200.0), mean(60, 132.0, 338.19)).expect("defined");
    assert_eq!(effect.df, 59.0);
    let lift = fieller(&effect, 2.0).expect("defined");
    // The baseline is known exactly, so the interval of the lift is the scaled interval of the difference.
    assert_eq!(lift.g, 0.0);
    let test = t_test(&effect, 0.05, Alternative::TwoSided).expect("defined");
    assert!(test.p_value > 0.05 && test.interval.contains(0.0));
}

#[test]
fn constant_arms_have_no_answer() {
    let same = conversions((100, 100), (100, 100)).expect("moments exist");
    let mixture = Mixture::tuned(1000.0, 0.05).expect("in range");
    assert_eq!(same.z(), Err(ZeroVariance));
    assert_eq!(t_test(&same, 0.05, Alternative::TwoSided).err(), Some(ZeroVariance));
    assert_eq!(z_test(&same, 0.05, Alternative::Larger).err(), Some(ZeroVariance));
    assert_eq!(fieller(&same, 2.0).err(), Some(ZeroVariance));
    assert_eq!(sequential(&same, &mixture).err(), Some(ZeroVariance));
    assert_eq!(sequential_bound(&same, &mixture, BoundSide::Lower).err(), Some(ZeroVariance));
    assert_eq!(decide(&same, &Mode::Fixed, 0.05).err(), Some(ZeroVariance));
    assert_eq!(decide(&same, &Mode::GroupSequential { z_bound: 2.0 }, 0.05).err(), Some(ZeroVariance));
    assert_eq!(posterior(&same, &Prior::Flat, 0.05, false).err(), Some(ZeroVariance));
    // Without conversions the lift fails because of its baseline, before its variance is checked.
    let none = conversions((100, 0), (100, 0)).expect("moments exist");
    assert_eq!(none.relative().err(), Some(ZeroBaseline));
    assert_eq!(fieller(&none, 2.0).err(), Some(ZeroBaseline));
    assert_eq!(posterior_relative(&none, &Prior::Flat, 0.05, false).err(), Some(ZeroBaseline));
    assert_eq!(posterior(&none, &Prior::Normal { mean: 0.0, sd: 0.1 }, 0.05, false).err(), Some(ZeroBaseline));
    assert_eq!(posterior(&none, &Prior::Flat, 0.05, false).err(), Some(ZeroVariance));
}

#[test]
fn a_zero_baseline_keeps_the_difference() {
    let effect = conversions((1000, 0), (1000, 12)).expect("defined");
    let mixture = Mixture::tuned(1000.0, 0.05).expect("in range");
    let view = sequential(&effect, &mixture).expect("the difference is defined");
    assert_eq!((view.lift, view.lift_interval), (Err(ZeroBaseline), Err(ZeroBaseline)));
    assert_eq!(view.g, f64::INFINITY);
    assert!(view.p_value < 0.05 && view.interval.excludes(0.0));
    assert!(posterior(&effect, &Prior::Flat, 0.05, false).is_ok());
}

#[test]
fn an_uncertain_baseline_bounds_no_lift() {
    let effect = conversions((500, 3), (500, 9)).expect("defined");
    let lift = fieller(&effect, 1.959963984540054).expect("g is defined");
    assert!((lift.g - 1.2728033559233205).abs() < 1e-12, "{}", lift.g);
    assert_eq!(lift.interval, Err(Unbounded));
}

#[test]
fn ratios_need_a_denominator() {
    let joint = |sy, syy, sxy| JointMoments::from_sums(4, 4.0, 10.0, sy, syy, sxy).expect("possible");
    let (good, bad) = (joint(8.0, 20.0, 9.0), joint(0.0, 2.0, 1.0));
    assert_eq!(Effect::of_ratios(&bad, &good).err(), Some(ZeroDenominator));
    assert_eq!(Effect::of_ratios(&good, &bad).err(), Some(ZeroDenominator));
    let mut one = JointMoments::default();
    assert_eq!(Effect::of_ratios(&one, &bad).err(), Some(NoUnits));
    one.push(1.0, 1.0);
    assert_eq!(Effect::of_ratios(&bad, &one).err(), Some(TooFewUnits));
    // The ratio is the same in every unit, so nothing varies.
    let mut flat = JointMoments::default();
    [0.1, 0.7, 0.3].iter().for_each(|&y| flat.push(3.0 * y, y));
    let effect = Effect::of_ratios(&flat, &flat).expect("defined");
    assert_eq!(effect.std_error(), Err(ZeroVariance));
}

#[test]
fn parameters_out_of_range_are_invalid() {
    let effect = conversions((1000, 100), (1000, 130)).expect("defined");
    for alpha in [0.0, 1.0, -0.1, f64::NAN] {
        assert_eq!(t_test(&effect, alpha, Alternative::TwoSided).err(), Some(InvalidInput));
        assert_eq!(Mixture::tuned(1000.0, alpha).err(), Some(InvalidInput));
        assert_eq!(posterior(&effect, &Prior::Flat, alpha, false).err(), Some(InvalidInput));
        assert_eq!(decide(&effect, &Mode::GroupSequential { z_bound: 2.0 }, alpha).err(), Some(InvalidInput));
        assert_eq!(wilson(&Proportion { n: 10, successes: 3 }, alpha).err(), Some(InvalidInput));
    }
    assert_eq!(Mixture::tuned_one_sided(1000.0, 0.5).err(), Some(InvalidInput));
    assert_eq!(Mixture::tuned(0.0, 0.05).err(), Some(InvalidInput));
    assert_eq!(Mixture::msprt(0.0, 1.0, 0.05).err(), Some(InvalidInput));
    for k in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert_eq!(fieller(&effect, k).err(), Some(InvalidInput));
    }
    for sd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(posterior(&effect, &Prior::Normal { mean: 0.0, sd }, 0.05, false).err(), Some(InvalidInput));
    }
    assert_eq!(Effect::weighted(&[]).err(), Some(NoUnits));
    assert_eq!(Effect::weighted(&[(0.0, effect)]).err(), Some(NoUnits));
    assert_eq!(Effect::weighted(&[(-1.0, effect)]).err(), Some(InvalidInput));
}

#[test]
fn shares_are_checked_before_their_intervals() {
    let (good, empty, wrong) =
        (Proportion { n: 10, successes: 3 }, Proportion { n: 0, successes: 0 }, Proportion { n: 3, successes: 4 });
    for interval in [wilson, clopper_pearson, jeffreys] {
        assert_eq!(interval(&empty, 0.05).err(), Some(NoUnits));
        assert_eq!(interval(&wrong, 0.05).err(), Some(InvalidInput));
    }
    for interval in [newcombe, agresti_caffo] {
        assert_eq!(interval(&good, &empty, 0.05).err(), Some(NoUnits));
        assert_eq!(interval(&empty, &wrong, 0.05).err(), Some(InvalidInput));
    }
    assert_eq!(pooled_z_test(&good, &empty, Alternative::TwoSided).err(), Some(NoUnits));
    assert_eq!(pooled_z_test(&empty, &wrong, Alternative::TwoSided).err(), Some(InvalidInput));
    let none = Proportion { n: 10, successes: 0 };
    assert_eq!(pooled_z_test(&none, &none, Alternative::TwoSided).err(), Some(ZeroVariance));
    assert_eq!(beta_binomial(&good, &wrong, (1.0, 1.0)).err(), Some(InvalidInput));
    assert_eq!(beta_binomial(&good, &empty, (0.0, 1.0)).err(), Some(InvalidInput));
    // Without units the posterior is the prior.
    let prior = beta_binomial(&empty, &empty, (1.0, 1.0)).expect("the prior is defined");
    assert!((prior.expected_loss_control - 1.0 / 6.0).abs() < 1e-12);
}

#[test]
fn enormous_inputs_stay_finite_or_say_so() {
    let huge = conversions((1_000_000_000_000, 50_000_000_000), (1_000_000_000_000, 50_001_000_000));
    let huge = huge.expect("defined");
    let test = t_test(&huge, 0.05, Alternative::TwoSided).expect("defined");
    assert!((huge.df - 2e12).abs() < 2e8 && test.p_value > 0.0 && test.p_value < 1.0);
    assert_eq!(effect(mean(2, 1e200, 1e300), mean(2, 0.0, 2.0)).err(), Some(InvalidInput));
    // An e-value of e^50,000 has a finite logarithm, and its p-value is zero.
    let far = Effect { num: 400.0, den: 1.0, var_num: 1.0, var_den: 1e-4, cov: -1e-4, n: 1e4, df: 9998.0 };
    let view = sequential(&far, &Mixture::tuned(1e4, 0.05).expect("in range")).expect("defined");
    assert!(view.log_e > 5e4 && view.log_e.is_finite() && view.p_value == 0.0);
}

#[test]
fn one_sided_modes_and_halves_of_alpha_add_up() {
    let effect = conversions((1000, 100), (1000, 130)).expect("defined");
    let running = decide(&effect, &Mode::Hybrid { planned_units: 2000.0, ended: false }, 0.05).expect("defined");
    let half = Mixture::tuned(2000.0, 0.025).expect("in range");
    assert_eq!(running.interval, sequential(&effect, &half).expect("defined").interval);
    let ended = decide(&effect, &Mode::Hybrid { planned_units: 2000.0, ended: true }, 0.05).expect("defined");
    assert_eq!(ended.interval, t_test(&effect, 0.025, Alternative::TwoSided).expect("defined").interval);
    let looked = decide(&effect, &Mode::GroupSequential { z_bound: 2.5 }, 0.05).expect("defined");
    assert_eq!((looked.multiplier, looked.p_value, looked.log_e), (2.5, None, None));
    let one = Mixture::tuned_one_sided(2000.0, 0.05).expect("in range");
    let (lower, upper) =
        (sequential_bound(&effect, &one, BoundSide::Lower), sequential_bound(&effect, &one, BoundSide::Upper));
    let (lower, upper) = (lower.expect("defined"), upper.expect("defined"));
    assert!(lower.bound < effect.num && effect.num < upper.bound);
    // A one-sided 5 % bound has a smaller multiplier than a two-sided interval.
    let both_sides = decide(&effect, &Mode::AlwaysValid { planned_units: 2000.0 }, 0.05).expect("defined");
    assert!(lower.multiplier < both_sides.multiplier);
}

#[test]
fn a_treatment_of_only_zeros_loses_everything_for_sure() {
    let effect = conversions((1000, 317), (900, 0)).expect("defined");
    let lift = fieller(&effect, 3.0).expect("defined").interval.expect("the baseline is known well");
    assert!((lift.lower + 1.0).abs() < 1e-14 && (lift.upper + 1.0).abs() < 1e-14, "{lift:?}");
    assert_eq!(effect.relative().expect("defined").std_error(), Err(ZeroVariance));
}

/// A billion units in each arm need the longest continued fractions.
#[test]
fn beta_binomial_answers_at_any_size() {
    let of = |n, successes| Proportion { n, successes };
    let exact = beta_binomial(&of(1_000_000_000, 50_000_000), &of(1_000_000_000, 50_010_000), (1.0, 1.0));
    let exact = exact.expect("defined");
    let effect = conversions((1_000_000_000, 50_000_000), (1_000_000_000, 50_010_000)).expect("defined");
    let normal = posterior(&effect, &Prior::Flat, 0.05, false).expect("defined");
    assert!((exact.chance_to_win - normal.chance_to_win).abs() < 1e-5, "{exact:?} {normal:?}");
    assert!((exact.expected_loss_treatment / normal.expected_loss_treatment - 1.0).abs() < 1e-4);
}
