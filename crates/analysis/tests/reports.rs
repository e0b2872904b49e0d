//! Reports of data with a known interpretation.

use muriel_analysis::{
    AllocationPolicy, Arrivals, Balance, Cell, Design, EpochPlan, Grade, Health, Measure, Metric, MetricRole, Report,
    Summaries, Summary, Verdict, report,
};
use muriel_stats::{JointMoments, Moments};
use proptest::prelude::*;

const DAY_US: i64 = 86_400_000_000;

/// Visitors and conversions of one arm.
type Counts = (u64, u64);

fn design(weights: &[&[u32]]) -> Design {
    Design {
        policy: AllocationPolicy::Fixed,
        arms: weights[0].len(),
        confidence: 0.95,
        visitors: Some(20_000.0),
        mde: 0.02,
        epochs: (1..).zip(weights).map(|(number, weights)| EpochPlan { number, weights: weights.to_vec() }).collect(),
    }
}

fn conversions((visitors, converted): Counts) -> Summary {
    let (n, x) = (visitors as f64, converted as f64);
    let moments = Moments { n: visitors, mean: x / n.max(1.0), m2: x * (n - x) / n.max(1.0) };
    Summary {
        visitors,
        converted,
        value: moments,
        adjusted: JointMoments { n: visitors, mean_x: moments.mean, m2_x: moments.m2, ..JointMoments::default() },
    }
}

fn metric(role: MetricRole, epochs: &[&[Counts]]) -> Metric {
    let cells = (1..).zip(epochs).flat_map(|(epoch, arms)| {
        arms.iter().enumerate().map(move |(arm, counts)| Cell {
            epoch,
            arm,
            open: false,
            summary: conversions(*counts),
        })
    });
    Metric { role, measure: Measure::Conversion, lower_is_better: false, cells: cells.collect() }
}

/// Summaries of two weeks with these visitors, all of them also in the arrivals.
fn summaries(metrics: Vec<Metric>) -> Summaries {
    let arrivals = metrics[0].cells.iter();
    let arrivals = arrivals.map(|cell| Arrivals { epoch: cell.epoch, arm: cell.arm, visitors: cell.summary.visitors });
    Summaries { arrivals: arrivals.collect(), observed_us: 14 * DAY_US, metrics, ..Summaries::default() }
}

fn report_of(weights: &[&[u32]], epochs: &[&[Counts]]) -> Report {
    report(&design(weights), &summaries(vec![metric(MetricRole::Primary, epochs)]))
}

fn verdicts(report: &Report) -> Vec<Vec<Verdict>> {
    report.metrics.iter().map(|metric| metric.analyses.iter().map(|analysis| analysis.verdict).collect()).collect()
}

#[test]
fn verdicts_of_one_arm() {
    use Verdict::{DoNotTrust, KeepRunning, Loss, NoDifference, Win};
    for (control, treatment, expect, why) in [
        ((10_000, 500), (10_000, 650), Win, "a clear winner"),
        ((10_000, 650), (10_000, 500), Loss, "a clear loser"),
        ((10_000, 500), (10_000, 530), KeepRunning, "a lift that may be chance"),
        ((1_000_000, 500_000), (1_000_000, 500_500), NoDifference, "a difference within 2 %"),
        ((10_000, 500), (10_700, 650), DoNotTrust, "visitors lost"),
        ((300, 30), (150, 60), DoNotTrust, "many lost of few"),
        ((1_000_000, 50_000), (990_000, 52_000), DoNotTrust, "few lost of many"),
        ((60, 10), (60, 40), KeepRunning, "too few visitors"),
        ((2_000, 2), (2_000, 40), KeepRunning, "too few conversions"),
        ((2_000, 0), (2_000, 400), Win, "nobody against many is no lack of data"),
        ((10_000, 0), (10_000, 0), KeepRunning, "nothing to compare"),
        ((0, 0), (0, 0), KeepRunning, "nobody"),
    ] {
        let report =
            report(&design(&[&[1, 1]]), &summaries(vec![metric(MetricRole::Primary, &[&[control, treatment]])]));
        assert_eq!(verdicts(&report), [[expect]], "{why}: {:?}", report.metrics[0].analyses[0]);
    }
}

#[test]
fn reasons_speak_of_visitors() {
    for (control, expect) in [
        ((0, 0), "There is nothing to compare yet: a variant has no visitors."),
        ((1, 1), "There is nothing to compare yet: a variant has fewer than two visitors."),
    ] {
        let report = report_of(&[&[1, 1]], &[&[control, (2, 1)]]);
        assert_eq!(report.metrics[0].analyses[0].reason, expect);
    }
}

#[test]
fn nothing_is_called_on_the_first_day() {
    let mut summaries = summaries(vec![metric(MetricRole::Primary, &[&[(10_000, 500), (10_000, 650)]])]);
    summaries.observed_us = DAY_US - 1;
    let report = report(&design(&[&[1, 1]]), &summaries);
    assert_eq!(verdicts(&report), [[Verdict::KeepRunning]]);
    assert_eq!(report.health.minimum_data.grade, Grade::Warn);
    assert!(report.metrics[0].analyses[0].p_value.is_some_and(|p| p < 0.05), "the numbers are there all the same");
}

#[test]
fn less_is_better_where_it_is() {
    let mut bounces = metric(MetricRole::Guardrail, &[&[(10_000, 6_000), (10_000, 5_500)]]);
    bounces.lower_is_better = true;
    let primary = metric(MetricRole::Primary, &[&[(10_000, 500), (10_000, 500)]]);
    let found = report(&design(&[&[1, 1]]), &summaries(vec![primary.clone(), bounces.clone()]));
    let analysis = &found.metrics[1].analyses[0];
    assert_eq!((analysis.verdict, analysis.harmed), (Verdict::Win, false));
    assert!(analysis.lift.is_some_and(|lift| lift < 0.0));
    assert!(analysis.chance_to_beat_control.is_some_and(|chance| chance > 0.99));
    for cell in &mut bounces.cells {
        cell.arm = 1 - cell.arm;
    }
    let found = report(&design(&[&[1, 1]]), &summaries(vec![primary, bounces]));
    assert_eq!((found.metrics[1].analyses[0].verdict, found.metrics[1].analyses[0].harmed), (Verdict::Loss, true));
}

#[test]
fn a_change_of_weights_is_no_effect() {
    // The arms do not differ, but conversions doubled when the weights changed.
    let epochs: &[&[Counts]] = &[&[(18_000, 900), (2_000, 100)], &[(10_000, 1_000), (10_000, 1_000)]];
    let pooled = {
        let rate = |arm: usize| {
            let sum = |of: fn(Counts) -> u64| epochs.iter().map(|arms| of(arms[arm])).sum::<u64>() as f64;
            sum(|counts| counts.1) / sum(|counts| counts.0)
        };
        rate(1) / rate(0) - 1.0
    };
    assert!(pooled > 0.3, "pooled it looks like a lift of {pooled}");
    let report = report(&design(&[&[9, 1], &[1, 1]]), &summaries(vec![metric(MetricRole::Primary, epochs)]));
    let analysis = &report.metrics[0].analyses[0];
    assert_eq!(analysis.strata, 2);
    assert!(analysis.lift.is_some_and(|lift| lift.abs() < 1e-12), "{analysis:?}");
    assert_eq!(report.health.sample_ratio.grade, Grade::Ok);
    assert_eq!(report.health.epochs.grade, Grade::Warn);
}

#[test]
fn epochs_of_equal_weights_are_one() {
    let whole =
        report(&design(&[&[1, 1]]), &summaries(vec![metric(MetricRole::Primary, &[&[(3_000, 150), (3_000, 190)]])]));
    let parts: &[&[Counts]] = &[&[(1_000, 40), (1_100, 60)], &[(2_000, 110), (1_900, 130)]];
    let parts = report(&design(&[&[1, 1], &[50, 50]]), &summaries(vec![metric(MetricRole::Primary, parts)]));
    let (whole, parts) = (&whole.metrics[0].analyses[0], &parts.metrics[0].analyses[0]);
    assert_eq!(parts.strata, 1);
    assert!((whole.lift.unwrap() - parts.lift.unwrap()).abs() < 1e-12);
}

#[test]
fn the_best_of_many_arms_must_stand_out_among_them() {
    let arms = |others: usize| -> Vec<Counts> {
        [(10_000, 500), (10_000, 620)].into_iter().chain((0..others).map(|_| (10_000, 505))).collect()
    };
    let verdict = |others: usize| {
        let weights = vec![1; others + 2];
        let arms = arms(others);
        let report = report(&design(&[&weights]), &summaries(vec![metric(MetricRole::Primary, &[&arms])]));
        let analysis = report.metrics[0].analyses[0].clone();
        (analysis.verdict, analysis.p_value.unwrap(), analysis.p_value_adjusted.unwrap())
    };
    let (alone, p, adjusted) = verdict(0);
    assert_eq!((alone, p), (Verdict::Win, adjusted));
    let (among, p, adjusted) = verdict(9);
    assert_eq!(among, Verdict::KeepRunning);
    assert!((p * 10.0 - adjusted).abs() < 1e-12);
}

#[test]
fn secondary_metrics_share_their_false_discoveries() {
    let primary = metric(MetricRole::Primary, &[&[(10_000, 500), (10_000, 505)]]);
    let doubtful = metric(MetricRole::Secondary, &[&[(10_000, 500), (10_000, 620)]]);
    let flat = metric(MetricRole::Secondary, &[&[(10_000, 800), (10_000, 802)]]);
    let of = |flats: usize| {
        let metrics = [primary.clone(), doubtful.clone()].into_iter().chain((0..flats).map(|_| flat.clone())).collect();
        report(&design(&[&[1, 1]]), &summaries(metrics)).metrics[1].analyses[0].clone()
    };
    assert_eq!(of(0).verdict, Verdict::Win);
    assert_eq!(of(9).verdict, Verdict::KeepRunning);
    assert!(of(9).p_value.unwrap() < 0.05 && of(9).p_value_adjusted.unwrap() > 0.05);
}

#[test]
fn open_windows_wait() {
    let mut primary = metric(MetricRole::Primary, &[&[(10_000, 500), (10_000, 650)]]);
    let closed = report(&design(&[&[1, 1]]), &summaries(vec![primary.clone()]));
    let late = metric(MetricRole::Primary, &[&[(5_000, 0), (5_000, 0)]]);
    primary.cells.extend(late.cells.into_iter().map(|cell| Cell { open: true, ..cell }));
    let found = report(&design(&[&[1, 1]]), &summaries(vec![primary]));
    assert_eq!(found.metrics, closed.metrics);
}

#[test]
fn checks_name_what_they_found() {
    let good = || summaries(vec![metric(MetricRole::Primary, &[&[(10_000, 500), (10_000, 500)]])]);
    let balance = |phones: u64| {
        let row =
            |value: &str, arm, visitors| Balance { dimension: "device".into(), value: value.into(), arm, visitors };
        vec![
            row("mobile", 0, 5_000),
            row("mobile", 1, phones),
            row("desktop", 0, 5_000),
            row("desktop", 1, 10_000 - phones),
        ]
    };
    for (name, change, grade, word) in [
        ("crossovers", Summaries { crossed: 300, ..good() }, Grade::Fail, "more than one variant"),
        ("crossovers", Summaries { crossed: 100, ..good() }, Grade::Warn, "more than one variant"),
        ("crossovers", Summaries { crossed: 1, ..good() }, Grade::Ok, "1 of 20000 visitors met"),
        ("crossovers", Summaries { moved: 5_000, ..good() }, Grade::Ok, "5000 more met another variant"),
        ("bots", Summaries { bots: 10, ..good() }, Grade::Ok, "left out: 10,"),
        ("bots", Summaries { bots: 10_000, ..good() }, Grade::Warn, "left out"),
        ("before_start", good(), Grade::Ok, "No exposure"),
        ("before_start", Summaries { early: 20, ..good() }, Grade::Ok, "20 visitors sent exposures"),
        ("before_start", Summaries { early: 21, ..good() }, Grade::Warn, "results do not count them"),
        ("balance", Summaries { balance: balance(5_100), ..good() }, Grade::Ok, "resemble"),
        ("balance", Summaries { balance: balance(4_000), ..good() }, Grade::Warn, "device"),
        ("minimum_data", Summaries { metrics: Vec::new(), ..good() }, Grade::Warn, "no primary goal"),
    ] {
        let report = report(&design(&[&[1, 1]]), &change);
        let check = report.health.checks().into_iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(check.grade, grade, "{name}: {}", check.message);
        assert!(check.message.contains(word), "{name}: {}", check.message);
        let distrusts = verdicts(&report).concat().contains(&Verdict::DoNotTrust);
        assert_eq!(distrusts, grade == Grade::Fail, "{name}");
    }
}

#[test]
fn a_check_that_has_nothing_to_look_at_is_unknown() {
    let nobody = || metric(MetricRole::Primary, &[&[(0, 0), (0, 0)]]);
    let names = |health: &Health, grade: Grade| -> Vec<&str> {
        health.checks().into_iter().filter(|(_, check)| check.grade == grade).map(|(name, _)| name).collect()
    };
    let empty = report(&design(&[&[1, 1]]), &Summaries { metrics: vec![nobody()], ..Summaries::default() });
    assert_eq!(names(&empty.health, Grade::Ok), [""; 0]);
    assert_eq!(
        names(&empty.health, Grade::Unknown),
        ["sample_ratio", "crossovers", "bots", "before_start", "epochs", "balance", "changes", "page", "other_nodes"]
    );
    assert_eq!(names(&empty.health, Grade::Warn), ["minimum_data"]);
    assert_eq!(empty.health.grade(), Grade::Warn);
    // Comparisons remain valid.
    assert_eq!((empty.health.distrust(), verdicts(&empty)), (None, vec![vec![Verdict::KeepRunning]]));
    // Bots alone are a reason for a warning.
    let bots = report(&design(&[&[1, 1]]), &Summaries { bots: 3, metrics: vec![nobody()], ..Summaries::default() });
    assert_eq!(bots.health.bots.grade, Grade::Warn);

    // Visitors without known devices cannot be checked for balance, and no page reported changes. All other checks
    // pass.
    let good = summaries(vec![metric(MetricRole::Primary, &[&[(10_000, 500), (10_000, 500)]])]);
    let found = report(&design(&[&[1, 1]]), &good);
    assert_eq!(names(&found.health, Grade::Unknown), ["balance", "changes", "page"]);
    assert_eq!(found.health.grade(), Grade::Ok);
    // Without the sample ratio, the overall grade is unknown.
    let personal = Design { policy: AllocationPolicy::Personalization, ..design(&[&[1, 1]]) };
    let found = report(&personal, &good);
    assert_eq!(names(&found.health, Grade::Unknown), ["sample_ratio", "balance", "changes", "page"]);
    assert_eq!((found.health.grade(), found.health.distrust()), (Grade::Unknown, None));
    for (grade, other, expect) in [
        (Grade::Ok, Grade::Unknown, Grade::Ok),
        (Grade::Unknown, Grade::Ok, Grade::Unknown),
        (Grade::Unknown, Grade::Warn, Grade::Warn),
        (Grade::Warn, Grade::Unknown, Grade::Warn),
        (Grade::Fail, Grade::Warn, Grade::Fail),
    ] {
        assert_eq!(grade.with(other), expect, "{grade:?} {other:?}");
    }
}

#[test]
fn many_in_an_arm_without_weight_are_a_fault() {
    for (others, strays, grade, words) in [
        (500, 0, Grade::Ok, "within chance of"),
        (500, 1, Grade::Warn, "1 visitor of 1001 was seen in a variant"),
        (500, 5, Grade::Warn, "5 visitors of 1005 were seen in a variant"),
        (500, 6, Grade::Fail, "6 visitors (0.6 %) were seen in a variant"),
        (10_000, 20, Grade::Warn, "too few to matter"),
        (10_000, 21, Grade::Fail, "cannot be compared"),
    ] {
        let arms: &[Counts] = &[(others, 50), (others, 50), (strays, strays)];
        let report = report(&design(&[&[1, 1, 0]]), &summaries(vec![metric(MetricRole::Primary, &[arms])]));
        let check = &report.health.sample_ratio;
        assert_eq!(check.grade, grade, "{strays} of {others}: {}", check.message);
        assert!(check.message.contains(words), "{strays} of {others}: {}", check.message);
        let [one, astray] = &report.metrics[0].analyses[..] else { panic!("two arms") };
        assert_eq!(one.verdict == Verdict::DoNotTrust, grade == Grade::Fail, "{strays} of {others}");
        // They are not compared, however few they are.
        assert_eq!((one.visitors, astray.p_value), (2 * others, None), "{strays} of {others}");
    }
}

#[test]
fn only_visitors_who_are_compared_are_judged_by() {
    // The first variant got no visitors in the second epoch, while the control got many.
    let epochs: &[&[Counts]] = &[&[(2_000, 10), (2_000, 10), (2_000, 10)], &[(9_000, 45), (0, 0), (9_000, 45)]];
    let report = report_of(&[&[1, 1, 1], &[1, 0, 1]], epochs);
    let [first, second] = &report.metrics[0].analyses[..] else { panic!("two arms") };
    assert_eq!((first.visitors, second.visitors), (4_000, 22_000));
    assert_eq!((first.lift, first.p_value), (Some(0.0), Some(1.0)));
    assert_eq!(first.exact_p_value, Some(1.0), "as many converted of as many");
    // 9 of the control's conversions are in the epoch that is compared.
    let epochs: &[&[Counts]] = &[&[(2_000, 9), (2_000, 60), (2_000, 20)], &[(9_000, 90), (0, 0), (9_000, 90)]];
    let report = report_of(&[&[1, 1, 1], &[1, 0, 1]], epochs);
    let first = &report.metrics[0].analyses[0];
    assert_eq!(
        (first.verdict, &*first.reason),
        (Verdict::KeepRunning, "One of the variants has 9 conversions; at least 10 are needed.",)
    );
}

proptest! {
    /// Any split of the visitors into cells of one epoch gives the same report.
    #[test]
    fn cells_merge(
        parts in prop::collection::vec((1_u64..2_000, 0_u64..2_000, 1_u64..2_000, 0_u64..2_000), 1..8),
    ) {
        let counts: Vec<[Counts; 2]> = parts.iter().map(|(n, x, m, y)| [(*n, *x.min(n)), (*m, *y.min(m))]).collect();
        let sum = |arm: usize| counts.iter().fold((0, 0), |(n, x), arms| (n + arms[arm].0, x + arms[arm].1));
        let whole = report(&design(&[&[1, 1]]), &summaries(vec![metric(MetricRole::Primary, &[&[sum(0), sum(1)]])]));
        let mut split = metric(MetricRole::Primary, &counts.iter().map(|arms| &arms[..]).collect::<Vec<_>>());
        for cell in &mut split.cells {
            cell.epoch = 1;
        }
        let split = report(&design(&[&[1, 1]]), &summaries(vec![split]));
        let (whole, split) = (&whole.metrics[0].analyses[0], &split.metrics[0].analyses[0]);
        prop_assert_eq!(whole.verdict, split.verdict);
        prop_assert_eq!(whole.p_value, split.p_value);
        prop_assert_eq!(whole.lift_interval, split.lift_interval);
    }

    /// The corrected verdict is never stronger than the plain p-value.
    #[test]
    fn calls_have_small_p_values(n in 200_u64..50_000, x in 0.0..1.0f64, y in 0.0..1.0f64) {
        let count = |share: f64| (n, (n as f64 * share) as u64);
        let report = report(&design(&[&[1, 1]]), &summaries(vec![metric(MetricRole::Primary, &[&[count(x), count(y)]])]));
        let analysis = &report.metrics[0].analyses[0];
        if matches!(analysis.verdict, Verdict::Win | Verdict::Loss) {
            prop_assert!(analysis.p_value.unwrap() < 0.05);
            let interval = analysis.difference_interval.unwrap();
            prop_assert!(interval.lower > 0.0 || interval.upper < 0.0);
        }
    }
}
