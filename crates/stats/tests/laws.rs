//! Laws that hold for any data.

use muriel_stats::bayes::{Posterior, Prior, beta_binomial, posterior};
use muriel_stats::boundary::{Mixture, Mode, decide, sequential};
use muriel_stats::interval::{Alternative, Proportion, clopper_pearson, jeffreys, newcombe, t_test, wilson, z_test};
use muriel_stats::lift::{delta_lift, fieller};
use muriel_stats::power::{DecisionRule, Looks, TreatmentVariance, units_for_proportion};
use muriel_stats::special;
use muriel_stats::{Effect, JointMoments, LiftPlan, Moments, Sample, Sides, Undefined};
use proptest::prelude::*;

fn close(a: f64, b: f64, relative: f64) -> bool {
    a == b || (a - b).abs() <= relative * a.abs().max(b.abs())
}

fn of_values(values: &[f64]) -> Moments {
    let mut m = Moments::default();
    values.iter().for_each(|&x| m.push(x));
    m
}

fn of_pairs(pairs: &[(f64, f64)]) -> JointMoments {
    let mut m = JointMoments::default();
    pairs.iter().for_each(|&(x, y)| m.push(x, y));
    m
}

/// Effects between two means, with baselines of either sign and any distance from zero.
fn effects() -> impl Strategy<Value = Effect> {
    let arm = || (2_u64..1_000_000, -5.0..5.0_f64, 1e-3..30.0_f64);
    (arm(), arm()).prop_map(|((n_c, m_c, s_c), (n_t, m_t, s_t))| {
        let sample = |n, mean, sd: f64| Sample { n, mean, variance: sd * sd };
        Effect::of_samples(&sample(n_c, m_c, s_c), &sample(n_t, m_t, s_t)).expect("samples are finite")
    })
}

fn shares() -> impl Strategy<Value = Proportion> {
    (1_u64..200_000, 0.0..=1.0_f64).prop_map(|(n, p)| Proportion { n, successes: (n as f64 * p) as u64 })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Merge law: any split of the units gives the same moments.
    #[test]
    fn merging_associates_and_commutes(
        values in prop::collection::vec(-1e3..1e3_f64, 0..60),
        cuts in (0.0..1.0_f64, 0.0..1.0_f64),
        shift in prop::sample::select(vec![0.0, 1e6]),
    ) {
        let values: Vec<f64> = values.iter().map(|v| v + shift).collect();
        let at = |cut: f64| (cut * values.len() as f64) as usize;
        let (i, j) = (at(cuts.0.min(cuts.1)), at(cuts.0.max(cuts.1)));
        let (a, b, c) = (of_values(&values[..i]), of_values(&values[i..j]), of_values(&values[j..]));
        let whole = of_values(&values);
        for merged in [a.merge(&b).merge(&c), a.merge(&b.merge(&c)), c.merge(&a).merge(&b)] {
            prop_assert_eq!(merged.n, whole.n);
            prop_assert!((merged.mean - whole.mean).abs() <= 1e-12 * (1e3 + shift));
            // An error of one ulp of the shift in a mean changes a squared deviation of up to 2,000.
            prop_assert!((merged.m2 - whole.m2).abs() <= 1e-11 * whole.m2 + 1e-9 * (1.0 + shift * 1e-3));
        }
    }

    #[test]
    fn merging_pairs_agrees_with_pushing_them(
        pairs in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64), 0..60),
        cut in 0.0..1.0_f64,
    ) {
        let i = (cut * pairs.len() as f64) as usize;
        let (merged, whole) = (of_pairs(&pairs[..i]).merge(&of_pairs(&pairs[i..])), of_pairs(&pairs));
        prop_assert_eq!(merged.n, whole.n);
        for (got, want, size) in [
            (merged.mean_x, whole.mean_x, 1e3),
            (merged.mean_y, whole.mean_y, 1e3),
            (merged.m2_x, whole.m2_x, 1e6),
            (merged.m2_y, whole.m2_y, 1e6),
            (merged.c, whole.c, 1e6),
        ] {
            prop_assert!((got - want).abs() <= 1e-11 * size * (1.0 + pairs.len() as f64), "{got} and {want}");
        }
        let swapped = whole.swap();
        prop_assert_eq!(swapped.x(), whole.y());
        prop_assert_eq!(swapped.swap(), whole);
    }

    /// Integers have exact sums, so moments from sums and from pushed values must agree.
    #[test]
    fn sums_and_values_give_the_same_moments(
        pairs in prop::collection::vec((0_i64..5_000, -700_i64..700), 2..80),
        shift in prop::sample::select(vec![0_i64, 3_000_000]),
    ) {
        let (mut sx, mut sxx, mut sy, mut syy, mut sxy) = (0_i64, 0_i64, 0_i64, 0_i64, 0_i64);
        for (x, y) in &pairs {
            let x = x + shift;
            sx += x;
            sxx += x * x;
            sy += y;
            syy += y * y;
            sxy += x * y;
        }
        let n = pairs.len() as u64;
        let floats: Vec<_> = pairs.iter().map(|(x, y)| ((x + shift) as f64, *y as f64)).collect();
        let pushed = of_pairs(&floats);
        let summed = JointMoments::from_sums(n, sx as f64, sxx as f64, sy as f64, syy as f64, sxy as f64);
        let summed = summed.expect("sums of real data");
        prop_assert!(close(summed.mean_x, pushed.mean_x, 1e-13));
        prop_assert!((summed.m2_x - pushed.m2_x).abs() <= 1e-9 * (pushed.m2_x + 1.0));
        prop_assert!((summed.m2_y - pushed.m2_y).abs() <= 1e-11 * (pushed.m2_y + 1.0));
        prop_assert!((summed.c - pushed.c).abs() <= 1e-9 * (pushed.m2_x * pushed.m2_y).sqrt() + 1e-6);
    }

    /// The interval and the p-value of the fixed test agree for every alternative.
    #[test]
    fn p_is_below_alpha_exactly_when_the_interval_excludes_zero(
        effect in effects(),
        alpha in 0.001..0.5_f64,
        alternative in prop::sample::select(vec![Alternative::TwoSided, Alternative::Larger, Alternative::Smaller]),
    ) {
        for test in [t_test(&effect, alpha, alternative), z_test(&effect, alpha, alternative)] {
            let test = test.expect("variances are positive");
            if !close(test.p_value, alpha, 1e-9) {
                prop_assert_eq!(test.p_value < alpha, test.interval.excludes(0.0), "{:?}", test);
            }
        }
    }

    /// With the multiplier of a test, Fieller's interval excludes zero exactly when the test rejects.
    #[test]
    fn fieller_excludes_zero_exactly_when_the_test_rejects(effect in effects(), alpha in 0.001..0.5_f64) {
        let test = t_test(&effect, alpha, Alternative::TwoSided).expect("variances are positive");
        let lift = fieller(&effect, test.critical).expect("the baseline is not exactly zero");
        match lift.interval {
            Ok(interval) => {
                prop_assert!(lift.g < 1.0);
                prop_assert!(interval.lower <= interval.upper);
                prop_assert_eq!(interval.excludes(0.0), effect.num.abs() > test.critical * test.std_error);
                let centre = effect.lift().expect("the baseline is not zero");
                prop_assert!(interval.contains(centre), "{interval:?} without {centre}");
                // At both ends, num - l * den is k standard errors from zero.
                let sign = effect.den.signum();
                for l in [interval.lower, interval.upper] {
                    let d = effect.num - l * effect.den.abs();
                    let v = effect.var_num - 2.0 * l * sign * effect.cov + l * l * effect.var_den;
                    let k = test.critical;
                    let size = effect.num.abs() + (l * effect.den).abs();
                    prop_assert!((d.abs() - k * v.sqrt()).abs() <= 1e-9 * size, "{l}: {d} and {}", k * v.sqrt());
                }
            }
            Err(reason) => {
                prop_assert_eq!(reason, Undefined::Unbounded);
                prop_assert!(lift.g >= 1.0);
            }
        }
    }

    /// Negating both arms negates the difference and the lift, because lifts are relative to |control|.
    #[test]
    fn a_negative_metric_mirrors_a_positive_one(effect in effects(), k in 1.0..4.0_f64) {
        let mirrored = Effect { num: -effect.num, den: -effect.den, ..effect };
        let (here, there) = (fieller(&effect, k), fieller(&mirrored, k));
        let (here, there) = (here.expect("defined"), there.expect("defined"));
        prop_assert_eq!(here.g, there.g);
        if let (Ok(a), Ok(b)) = (here.interval, there.interval) {
            prop_assert!(close(a.lower, -b.upper, 1e-12) && close(a.upper, -b.lower, 1e-12));
        }
        let (a, b) = (delta_lift(&effect).expect("defined"), delta_lift(&mirrored).expect("defined"));
        prop_assert!(a.0 == -b.0 && close(a.1, b.1, 1e-12));
    }

    /// Interval and p-value agree for all modes, each with its own p-value.
    #[test]
    fn modes_agree_with_themselves(
        effect in effects(),
        alpha in 0.001..0.5_f64,
        planned_units in 10.0..1e7_f64,
        ended: bool,
    ) {
        for mode in [Mode::AlwaysValid { planned_units }, Mode::Fixed, Mode::Hybrid { planned_units, ended }] {
            let decision = decide(&effect, &mode, alpha).expect("variances are positive");
            let p = decision.p_value.expect("these modes have one");
            if !close(p, alpha, 1e-9) {
                prop_assert_eq!(p < alpha, decision.interval.excludes(0.0), "{:?} {:?}", mode, decision);
            }
            if let Ok(lift) = decision.lift_interval {
                prop_assert_eq!(lift.excludes(0.0), decision.interval.excludes(0.0), "{:?} {:?}", mode, decision);
            }
        }
    }

    /// No mixture is narrower at its planned size than the exactly tuned one; the closed form is close to it.
    #[test]
    fn the_exact_tuning_is_the_narrowest(planned in 10.0..1e8_f64, alpha in 0.001..0.6_f64, off in 0.2..5.0_f64) {
        let exact = Mixture::exact(planned, alpha).expect("in range");
        let other = Mixture { r: exact.r * off, alpha };
        let closed = Mixture::tuned(planned, alpha).expect("in range");
        let best = exact.multiplier(planned);
        prop_assert!(best <= other.multiplier(planned) * (1.0 + 1e-14));
        prop_assert!(best <= closed.multiplier(planned) * (1.0 + 1e-14));
        prop_assert!(alpha > 0.3 || closed.multiplier(planned) - best < 0.002);
        // Wider than the corresponding fixed interval.
        prop_assert!(best > special::normal_isf(0.5 * alpha));
        prop_assert!(closed.multiplier_one_sided(planned) > special::normal_isf(alpha));
    }

    /// At another level the e-value does not change and still agrees with the interval.
    #[test]
    fn adjusted_levels_agree_with_the_e_value(effect in effects(), planned in 100.0..1e6_f64, level in 1e-4..0.05_f64) {
        let mixture = Mixture::tuned(planned, 0.05).expect("in range");
        let adjusted = mixture.at_level(level).expect("in range");
        let (a, b) = (sequential(&effect, &mixture), sequential(&effect, &adjusted));
        let (a, b) = (a.expect("defined"), b.expect("defined"));
        prop_assert_eq!(a.log_e, b.log_e);
        if !close(a.log_e, -level.ln(), 1e-9) {
            prop_assert_eq!(b.interval.excludes(0.0), a.log_e > -level.ln());
        }
    }

    #[test]
    fn posteriors_hold_together(
        effect in effects(),
        prior in prop::option::of((-0.2..0.2_f64, 0.001..1.0_f64)),
        alpha in 0.01..0.5_f64,
    ) {
        let prior = prior.map_or(Prior::Flat, |(mean, sd)| Prior::Normal { mean, sd });
        let of = |lower| -> Posterior { posterior(&effect, &prior, alpha, lower).expect("defined") };
        let (higher, lower) = (of(false), of(true));
        prop_assert!(close(higher.chance_to_win + lower.chance_to_win, 1.0, 1e-14));
        prop_assert_eq!(higher.expected_loss_control, lower.expected_loss_treatment);
        prop_assert_eq!(higher.expected_loss_treatment, lower.expected_loss_control);
        prop_assert!(higher.expected_loss_control >= 0.0 && higher.expected_loss_treatment >= 0.0);
        let mean = higher.expected_loss_control - higher.expected_loss_treatment;
        prop_assert!((mean - higher.mean).abs() <= 1e-12 * (higher.mean.abs() + higher.sd));
        prop_assert!(higher.sd <= effect.var_num.sqrt() * (1.0 + 1e-12));
        // The flat prior is the limit of wide ones.
        let wide = posterior(&effect, &Prior::Normal { mean: 0.0, sd: 1e12 }, alpha, false).expect("defined");
        let flat = posterior(&effect, &Prior::Flat, alpha, false).expect("defined");
        prop_assert!((wide.mean - flat.mean).abs() <= 1e-6 * flat.sd, "{wide:?} {flat:?}");
    }

    #[test]
    fn beta_binomial_is_fair(a in shares(), b in shares(), prior in (0.3..20.0_f64, 0.3..20.0_f64)) {
        let (one, other) = (beta_binomial(&a, &b, prior), beta_binomial(&b, &a, prior));
        let (one, other) = (one.expect("defined"), other.expect("defined"));
        prop_assert!((one.chance_to_win + other.chance_to_win - 1.0).abs() < 1e-10);
        prop_assert!((one.expected_loss_control - other.expected_loss_treatment).abs() < 1e-12);
        // The losses differ by the difference of the posterior means, which is known in closed form.
        let mean = |s: &Proportion| (s.successes as f64 + prior.0) / (s.n as f64 + prior.0 + prior.1);
        let difference = one.expected_loss_control - one.expected_loss_treatment;
        prop_assert!((difference - (mean(&b) - mean(&a))).abs() < 1e-12, "{one:?}");
    }

    #[test]
    fn intervals_of_a_share_hold_it(share in shares(), alpha in 0.001..0.5_f64) {
        let p = share.successes as f64 / share.n as f64;
        let exact = clopper_pearson(&share, alpha).expect("defined");
        for interval in [wilson(&share, alpha).expect("defined"), exact] {
            prop_assert!(0.0 <= interval.lower && interval.upper <= 1.0);
            prop_assert!(interval.lower <= p && p <= interval.upper, "{interval:?} without {p}");
        }
        // The exact interval contains Jeffreys' interval, which counts half of each discrete step.
        let jeffreys = jeffreys(&share, alpha).expect("defined");
        prop_assert!(exact.lower <= jeffreys.lower && jeffreys.upper <= exact.upper);
        // Failures mirror successes.
        let other = Proportion { n: share.n, successes: share.n - share.successes };
        let mirrored = wilson(&other, alpha).expect("defined");
        prop_assert!((mirrored.lower - (1.0 - wilson(&share, alpha).expect("defined").upper)).abs() < 1e-14);
    }

    #[test]
    fn newcombe_stays_inside_what_is_possible(a in shares(), b in shares(), alpha in 0.001..0.5_f64) {
        let interval = newcombe(&a, &b, alpha).expect("defined");
        prop_assert!(-1.0 <= interval.lower && interval.lower <= interval.upper && interval.upper <= 1.0);
    }

    /// Adjusting by a constant changes nothing; adjusting by a multiple of the value itself removes all variance.
    #[test]
    fn adjustment_spans_from_nothing_to_all(values in prop::collection::vec(-9_i32..9, 8..60)) {
        let (c, t) = values.split_at(values.len() / 2);
        let constant = |v: &[i32]| of_pairs(&v.iter().map(|&x| (f64::from(x), 4.0)).collect::<Vec<_>>());
        let copy = |v: &[i32]| of_pairs(&v.iter().map(|&x| (f64::from(x), 2.0 * f64::from(x))).collect::<Vec<_>>());
        let plain = Effect::of_adjusted(&constant(c), &constant(t)).expect("defined");
        prop_assert_eq!(plain.theta, 0.0);
        prop_assert_eq!(plain.variance_ratio, 1.0);
        let unadjusted = Effect::of_samples(
            &Sample::of_mean(&constant(c).x()).expect("defined"),
            &Sample::of_mean(&constant(t).x()).expect("defined"),
        ).expect("defined");
        prop_assert!(close(plain.effect.num, unadjusted.num, 1e-12));
        prop_assert!(close(plain.effect.var_num, unadjusted.var_num, 1e-12));
        let all = Effect::of_adjusted(&copy(c), &copy(t)).expect("defined");
        if all.theta != 0.0 {
            prop_assert!(close(all.theta, 0.5, 1e-12));
            prop_assert_eq!(all.effect.std_error(), Err(Undefined::ZeroVariance));
        }
    }

    /// A ratio with a denominator of one per unit is a mean.
    #[test]
    fn a_ratio_over_ones_is_a_mean(values in prop::collection::vec(-9.0..9.0_f64, 8..60)) {
        let (c, t) = values.split_at(values.len() / 2);
        let ones = |v: &[f64]| of_pairs(&v.iter().map(|&x| (x, 1.0)).collect::<Vec<_>>());
        let ratio = Effect::of_ratios(&ones(c), &ones(t)).expect("defined");
        let sample = |v: &[f64]| Sample::of_mean(&of_values(v)).expect("defined");
        let mean = Effect::of_samples(&sample(c), &sample(t)).expect("defined");
        prop_assert!((ratio.num - mean.num).abs() < 1e-12);
        prop_assert!(close(ratio.var_num, mean.var_num, 1e-12) && close(ratio.df, mean.df, 1e-12));
    }

    /// Splitting units into epochs with the same allocation and weighting by size gives the original difference.
    #[test]
    fn weighting_by_size_keeps_the_estimate(effect in effects(), other in effects(), scale in 0.1..10.0_f64) {
        let same = Effect::weighted(&[(scale, effect), (3.0 * scale, effect)]).expect("defined");
        prop_assert!(close(same.num, effect.num, 1e-12) && close(same.den, effect.den, 1e-12));
        prop_assert!(close(same.var_num, effect.var_num * (1.0 + 9.0) / 16.0, 1e-12));
        let alone = Effect::weighted(&[(scale, effect), (0.0, other)]).expect("defined");
        prop_assert!(close(alone.var_num, effect.var_num, 1e-12) && close(alone.df, effect.df, 1e-12));
    }

    #[test]
    fn quantiles_undo_distributions(ln_q in -690.0..-0.7_f64, df in 0.3..1e9_f64, a in 0.2..1e6_f64, b in 0.2..1e6_f64) {
        let q = ln_q.exp();
        prop_assert!(close(special::normal_sf(special::normal_isf(q)), q, 1e-11));
        let t = special::student_t_isf(q, df);
        prop_assert!(close(special::student_t_sf(t, df), q, 1e-10), "{t} at {q}, {df}");
        // Rounding of the argument changes a tail by the tail's logarithmic slope times an ulp.
        let x = special::beta_ppf(q, a, b);
        if x > 1e-300 {
            let slope = x * special::beta_pdf(x, a, b) / special::beta_cdf(x, a, b);
            let tolerance = 1e-11 + 4.0 * f64::EPSILON * slope;
            prop_assert!(close(special::beta_cdf(x, a, b), q, tolerance), "{x} at {q}, {a}, {b}");
        }
    }

    /// Visitors, smallest lift and power solve one relation, with or without a fixed boundary.
    #[test]
    fn a_lift_plan_has_one_relation(
        (control, treatment) in (0.05..0.5_f64, 0.05..0.5_f64),
        rate in 0.001..0.5_f64,
        lift in 0.01..0.9_f64,
        spread in 1.0..30.0_f64,
        level in 0.001..0.2_f64,
        power in 0.5..0.99_f64,
        planned in prop::option::of(100.0..1e7_f64),
    ) {
        let plan = LiftPlan::new(control, treatment, level).unwrap().with_values(spread).unwrap();
        let plan = match planned {
            None => plan,
            Some(units) => plan.with_boundary(Mixture::tuned(units, level).unwrap()),
        };
        let visitors = plan.visitors(rate, lift, power).unwrap();
        // Below two units the boundary is the one for two.
        prop_assume!(visitors * (control + treatment) >= 2.0);
        prop_assert!(close(plan.power(rate, lift, visitors).unwrap(), power, 1e-9));
        prop_assert!(close(plan.mde(rate, visitors, power).unwrap(), lift, 1e-9));
        prop_assert!(plan.power(rate, lift, 2.0 * visitors).unwrap() > power);
        prop_assert!(plan.visitors(rate, 1.01 * lift, power).unwrap() < visitors);
    }

    /// For a metric of conversions, a plan by lift equals the plan by two shares.
    #[test]
    fn a_lift_plan_of_conversions_is_that_of_shares(
        (control, treatment) in (0.05..0.5_f64, 0.05..0.5_f64),
        rate in 0.001..0.4_f64,
        lift in 0.01..1.0_f64,
        power in 0.5..0.99_f64,
    ) {
        let visitors = LiftPlan::new(control, treatment, 0.05).unwrap().visitors(rate, lift, power).unwrap();
        let both = control + treatment;
        let rule = DecisionRule { alpha: 0.05, sides: Sides::Two, looks: Looks::Any { planned_units: None } };
        let own = TreatmentVariance::Own;
        let units = units_for_proportion(rate, rate * lift, own, treatment / both, &rule, power).unwrap();
        prop_assert!(close(visitors * both, units.approximate.total(), 1e-9));
    }
}

#[test]
fn a_lift_plan_says_why_it_has_no_answer() {
    let plan = LiftPlan::new(0.5, 0.5, 0.05).unwrap();
    for (what, got, expect) in [
        ("an arm without visitors", LiftPlan::new(0.5, 0.0, 0.05).map(|_| 0.0), Undefined::NoUnits),
        ("more than all", LiftPlan::new(0.7, 0.5, 0.05).map(|_| 0.0), Undefined::InvalidInput),
        ("no number", LiftPlan::new(f64::NAN, 0.5, 0.05).map(|_| 0.0), Undefined::InvalidInput),
        ("no level", LiftPlan::new(0.5, 0.5, 0.0).map(|_| 0.0), Undefined::InvalidInput),
        ("less than equal values", plan.with_values(0.5).map(|_| 0.0), Undefined::InvalidInput),
        ("no lift", plan.visitors(0.1, 0.0, 0.8), Undefined::Unbounded),
        ("more than everybody", plan.visitors(0.5, 1.5, 0.8), Undefined::Unbounded),
        ("nobody converts", plan.visitors(0.0, 0.1, 0.8), Undefined::ZeroBaseline),
        ("a rate that is none", plan.visitors(1.5, 0.1, 0.8), Undefined::InvalidInput),
        ("certainty", plan.visitors(0.1, 0.1, 1.0), Undefined::InvalidInput),
        ("nobody", plan.mde(0.1, 0.0, 0.8), Undefined::NoUnits),
        ("too few for any lift", plan.mde(0.1, 3.0, 0.8), Undefined::Unbounded),
        ("nobody to look at", plan.power(0.1, 0.1, 0.0), Undefined::NoUnits),
    ] {
        assert_eq!(got, Err(expect), "{what}");
    }
}
