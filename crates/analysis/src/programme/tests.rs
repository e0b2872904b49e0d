use super::*;
use proptest::prelude::*;

fn result(lift: f64, std_error: f64) -> ConcludedResult {
    ConcludedResult { lift, std_error }
}

fn learnt(results: &[ConcludedResult]) -> Programme {
    Programme::learn(results).expect("results to learn from")
}

/// Values from a second implementation in Python, which sums over the whole grid and uses bisection for quantiles.
#[test]
fn reference_values() {
    let lifts = [0.08, 0.035, -0.02, 0.004, -0.001, 0.012, 0.05, -0.03];
    let errors = [0.02, 0.015, 0.02, 0.01, 0.012, 0.018, 0.03, 0.025];
    let programme = learnt(&lifts.into_iter().zip(errors).map(|(lift, error)| result(lift, error)).collect::<Vec<_>>());
    for (results, mean, sd, lower, upper) in [
        (&[0][..], 0.064778745550, 0.023015611676, 0.015343336657, 0.108280376246),
        (&[2][..], -0.004677224469, 0.012240410802, -0.038716083686, 0.013527833028),
        (&[3][..], 0.001217196513, 0.005393576723, -0.008549563426, 0.016695609693),
        (&[0, 1][..], 0.085242836866, 0.029630071528, 0.024190096497, 0.141931525230),
        (&[0, 1, 6][..], 0.102692647738, 0.041040136345, 0.023408073973, 0.185615378386),
        (&[0, 1, 2, 3, 4, 5, 6, 7][..], 0.096032022351, 0.045872297598, 0.008970895125, 0.190175712906),
    ] {
        let seen = programme.total(results, 0.95).expect("a sum");
        // The points that are left out have less than a thousandth of the weight in total.
        for (name, value, expect) in [
            ("mean", seen.mean, mean),
            ("sd", seen.sd, sd),
            ("lower", seen.interval.lower, lower),
            ("upper", seen.interval.upper, upper),
        ] {
            assert!((value - expect).abs() < 2e-6, "{results:?} {name}: {value} {expect}");
        }
    }
}

#[test]
fn what_cannot_be_learnt_from() {
    assert_eq!(Programme::learn(&[]), Err(Undefined::NoUnits));
    for wrong in [
        result(f64::NAN, 0.1),
        result(f64::INFINITY, 0.1),
        result(-1.0, 0.1),
        result(-1.5, 0.1),
        result(30_000.0, 0.1),
        result(1e-5 - 1.0, 1e-9),
        result(0.1, 0.0),
        result(0.1, -1.0),
        result(0.1, f64::NAN),
        result(0.1, f64::INFINITY),
    ] {
        assert_eq!(Programme::learn(&[result(0.0, 0.1), wrong]), Err(Undefined::InvalidInput), "{wrong:?}");
    }
    let programme = learnt(&[result(0.0, 0.1)]);
    assert_eq!(programme.lift(1, 0.95), Err(Undefined::InvalidInput));
    assert_eq!(programme.total(&[0, 1], 0.95), Err(Undefined::InvalidInput));
    for confidence in [0.0, 1.0, f64::NAN] {
        assert_eq!(programme.lift(0, confidence), Err(Undefined::InvalidInput));
        assert_eq!(programme.total(&[], confidence), Err(Undefined::InvalidInput));
    }
}

#[test]
fn the_sum_of_none_is_nothing() {
    let total = learnt(&[result(0.05, 0.02)]).total(&[], 0.95).expect("a sum");
    assert_eq!((total.mean, total.sd), (0.0, 0.0));
    assert_eq!((total.interval.lower, total.interval.upper), (0.0, 0.0));
}

/// A winner among tests without effects is more likely due to luck than a winner among tests with large effects.
#[test]
fn a_winner_is_expected_to_be_what_the_others_make_likely() {
    let winner = result(0.06, 0.02);
    let among = |others: &[ConcludedResult]| {
        let all: Vec<_> = others.iter().copied().chain([winner]).collect();
        learnt(&all).lift(others.len(), 0.95).expect("a lift").mean
    };
    let nothing: Vec<_> = (0..40).map(|at| result(0.0005 * f64::from(at % 5 - 2), 0.02)).collect();
    let much: Vec<_> = (0..40).map(|at| result(0.1 * f64::from(at % 5 - 2), 0.02)).collect();
    let (shrunk, alone, kept) = (among(&nothing), among(&[]), among(&much));
    assert!(shrunk < 0.02 && shrunk > 0.0, "{shrunk}");
    assert!(shrunk < alone && alone < kept, "{shrunk} {alone} {kept}");
    assert!(kept > 0.055 && kept < 0.06, "{kept}");
}

/// Results that no grid point explains lead to finite numbers, and do not affect other results.
#[test]
fn extreme_results() {
    let usual: Vec<_> = (0..20).map(|at| result(0.01 * f64::from(at % 5 - 2), 0.01)).collect();
    for extreme in [result(20_000.0, 1e-6), result(-0.9999, 1e-12), result(0.1, 1e-150), result(0.0, 1e150)] {
        let all: Vec<_> = usual.iter().copied().chain([extreme]).collect();
        let programme = learnt(&all);
        let others: Vec<usize> = (0..20).collect();
        let (one, rest) = (programme.lift(0, 0.95).expect("a lift"), programme.total(&others, 0.95).expect("a sum"));
        for estimate in [one, rest] {
            let Estimate { mean, sd, interval } = estimate;
            assert!(mean.is_finite() && sd.is_finite() && sd > 0.0, "{extreme:?} {estimate:?}");
            assert!(interval.lower < mean && mean < interval.upper, "{extreme:?} {estimate:?}");
        }
        assert!(one.mean > -0.02 && one.mean < 0.0, "{extreme:?} {one:?}");
    }
}

/// Newton's method alone jumps between -0.09 and 0.06 for ever when it looks for the upper end of the wider interval.
#[test]
fn intervals_widen_where_steps_would_cycle() {
    let results = [
        (-0.233_443_101_855_459_94, 0.113_627_035_179_591_47),
        (0.124_388_565_344_616_74, 0.103_283_189_616_967_23),
        (0.0, 0.235_525_385_645_261_68),
        (0.0, 0.071_070_749_121_583_59),
        (-0.289_372_831_567_193_07, 0.277_129_398_088_466_65),
        (-0.214_264_163_599_644_84, 0.073_260_358_915_015_53),
        (0.045_387_083_402_112_15, 0.076_231_928_634_713_43),
        (-0.063_115_799_474_392_84, 0.161_966_728_990_488_06),
        (-0.299_905_598_186_962_7, 0.106_566_873_578_488_56),
        (-0.119_964_454_016_954_16, 0.046_971_692_601_099_16),
    ];
    let programme = learnt(&results.map(|(lift, error)| result(lift, error)));
    let all: Vec<usize> = (0..results.len()).collect();
    let upper = |confidence| programme.total(&all, confidence).unwrap().interval.upper;
    assert!(upper(0.5) < upper(0.75), "{} {}", upper(0.5), upper(0.75));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn laws(values in prop::collection::vec((-0.3..0.3_f64, 0.002..0.3_f64), 1..12), confidence in 0.5..0.999_f64) {
        let results: Vec<_> = values.iter().map(|(lift, error)| result(*lift, *error)).collect();
        let programme = learnt(&results);
        let all: Vec<usize> = (0..results.len()).collect();
        let each: Vec<_> = all.iter().map(|at| programme.lift(*at, confidence).unwrap()).collect();
        let total = programme.total(&all, confidence).unwrap();
        // The expectation of a sum is the sum of the expectations.
        let sum: f64 = each.iter().map(|estimate| estimate.mean).sum();
        prop_assert!((total.mean - sum).abs() < 1e-9, "{} {sum}", total.mean);
        for estimate in each.iter().chain([&total]) {
            prop_assert!(estimate.interval.lower < estimate.interval.upper);
        }
        // A lift is between the result and the furthest mean of the prior, plus an allowance for the spread of the
        // logarithm.
        for (estimate, result) in each.iter().zip(&results) {
            prop_assert!(estimate.mean.abs() <= result.lift.abs().max(0.125) + 0.05 && estimate.sd <= 1.0);
        }
        // A higher confidence gives a wider interval.
        let wider = programme.total(&all, (1.0 + confidence) / 2.0).unwrap();
        prop_assert!(wider.interval.lower <= total.interval.lower && total.interval.upper <= wider.interval.upper);
        // The order of results does not matter.
        let turned: Vec<_> = results.iter().rev().copied().collect();
        let turned = learnt(&turned).total(&all, confidence).unwrap();
        prop_assert!((turned.mean - total.mean).abs() < 1e-9 && (turned.sd - total.sd).abs() < 1e-9);
        // Neither does the choice of the control: half as much is as far as twice as much.
        let swapped = |it: &ConcludedResult| {
            let factor = (1.0 + it.lift).recip();
            result(factor - 1.0, it.std_error * factor * factor)
        };
        let swapped = learnt(&results.iter().map(swapped).collect::<Vec<_>>());
        for (at, estimate) in each.iter().enumerate() {
            let other = swapped.lift(at, confidence).unwrap().interval;
            prop_assert!((other.lower.ln_1p() + estimate.interval.upper.ln_1p()).abs() < 1e-7);
        }
    }

    #[test]
    fn quantiles_have_their_probability(
        parts in prop::collection::vec((0.01..1.0_f64, -5.0..5.0_f64, 1e-4..9.0_f64), 1..8),
        probability in 0.001..0.999_f64,
    ) {
        let sum: f64 = parts.iter().map(|part| part.0).sum();
        let parts: Vec<_> = parts
            .into_iter()
            .map(|(weight, mean, variance)| Part { weight: weight / sum, normal: Normal { mean, variance } })
            .collect();
        let (below, density) = at_point(&parts, quantile(&parts, probability));
        // Where the density is close to 0, quantiles are far apart.
        prop_assert!((below - probability).abs() < 1e-7 * (1.0 + density), "{below} {probability}");
    }
}
