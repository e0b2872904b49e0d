use super::*;
use crate::design::EpochPlan;
use crate::summary::{Applied, Arrivals};

fn design(policy: AllocationPolicy, weights: &[Vec<u32>]) -> Design {
    Design {
        policy,
        arms: weights[0].len(),
        confidence: 0.95,
        visitors: None,
        mde: 0.02,
        epochs: weights
            .iter()
            .zip(1..)
            .map(|(weights, number)| EpochPlan { number, weights: weights.clone() })
            .collect(),
    }
}

fn fixed() -> Design {
    design(AllocationPolicy::Fixed, &[vec![50, 50]])
}

/// Half of the values are a third below the mean, half are a third above.
fn around(n: u64, mean: f64) -> Moments {
    Moments { n, mean, m2: n as f64 * (mean / 3.0).powi(2) }
}

/// Summaries of these cells, with an arrival for each.
fn summaries_of(cells: &[PageCell]) -> Summaries {
    let arrivals = cells.iter().map(|cell| Arrivals { epoch: cell.epoch, arm: cell.arm, visitors: cell.visitors });
    Summaries { arrivals: arrivals.collect(), pages: cells.to_vec(), ..Summaries::default() }
}

fn cell(arm: usize, visitors: u64) -> PageCell {
    let hidden = Moments { n: visitors / 5, mean: 0.0, m2: 0.0 };
    PageCell { epoch: 1, arm, visitors, hidden, ..PageCell::default() }
}

fn status(design: &Design, control: PageCell, variant: PageCell, metric: PageMetric) -> PageStatus {
    let health = page_health(design, &summaries_of(&[control, variant]));
    assert_eq!(health.arms[0].measurement(metric).status, PageStatus::Unknown);
    health.arms[1].measurement(metric).status
}

#[test]
fn shares_are_worse_once_that_is_known_and_harm_beyond_their_margin() {
    for (control, variant, visitors, expect) in [
        (0, 0, 99, PageStatus::Unknown),
        (0, 0, 100, PageStatus::Ok),
        // A few events among few visitors may be many.
        (0, 9, 100, PageStatus::Unknown),
        (0, 9, 5_000, PageStatus::Ok),
        (20, 22, 5_000, PageStatus::Ok),
        (0, 30, 5_000, PageStatus::Worse),
        (0, 100, 5_000, PageStatus::Harmed),
        (100, 0, 5_000, PageStatus::Better),
    ] {
        let with = |arm, failed| PageCell { failed, late: failed, ..cell(arm, visitors) };
        let found = status(&fixed(), with(0, control), with(1, variant), PageMetric::Errors);
        assert_eq!(found, expect, "{control} and {variant} of {visitors}");
    }
}

#[test]
fn means_are_worse_once_that_is_known_and_harm_beyond_their_margin() {
    for (later, measured, expect) in [
        (300.0, 99, PageStatus::Unknown),
        (0.0, 1_000, PageStatus::Ok),
        (300.0, 2_000, PageStatus::Harmed),
        (100.0, 3_000, PageStatus::Worse),
        (100.0, 100_000, PageStatus::Harmed),
        (40.0, 100_000, PageStatus::Worse),
        (-300.0, 2_000, PageStatus::Better),
    ] {
        let with = |arm, mean| PageCell { lcp: around(measured, mean), ..cell(arm, 200_000) };
        let found = status(&fixed(), with(0, 2_000.0), with(1, 2_000.0 + later), PageMetric::Lcp);
        assert_eq!(found, expect, "{later} ms of {measured}");
    }
    let steady = |arm| PageCell { cls: Moments { n: 500, mean: 0.0, m2: 0.0 }, ..cell(arm, 500) };
    assert_eq!(
        status(&fixed(), steady(0), steady(1), PageMetric::LayoutShift),
        PageStatus::Ok,
        "no page shifts at all"
    );
}

#[test]
fn harm_is_named_with_its_size_and_the_next_step() {
    let slow = |arm, mean| PageCell { lcp: around(2_000, mean), ..cell(arm, 5_000) };
    let mut summaries = summaries_of(&[slow(0, 2_000.0), PageCell { failed: 110, ..slow(1, 2_310.0) }]);
    summaries.applied = vec![Applied { arm: 1, change: 0, pages: 500, matched: 0 }];
    let health = page_health(&fixed(), &summaries);
    assert_eq!(health.check.grade, Grade::Fail);
    let found = &health.check.message;
    assert!(
        found.contains("Pages of Variant 1 show their largest content 310 ms later than those of the control ("),
        "{found}"
    );
    assert!(
        found.contains("Variant 1 fails for 2.20 % of its visitors, 2.20 points more than the control ("),
        "{found}"
    );
    let of_arm = &health.arms[1].message;
    assert!(
        of_arm.starts_with("Variant 1 changed nothing on 500 pages: its selectors match nothing there."),
        "{of_arm}"
    );
    let design = fixed();
    let harm: Vec<PageHarm> = health.harm(&design).collect();
    assert!(harm[0].message.contains("310 ms later") && !harm[0].message.contains("changed nothing"));
    let harm: Vec<_> =
        harm.iter().map(|it| (it.arm.arm, it.by.iter().map(|it| it.metric).collect::<Vec<_>>())).collect();
    assert_eq!(harm, [(1, vec![PageMetric::Errors, PageMetric::Lcp])]);
    assert_eq!(health.arms[0].message, "");
}

#[test]
fn an_arm_that_is_late_harms_the_test_and_nobody() {
    let late = |arm, late| PageCell { late, ..cell(arm, 5_000) };
    let health = page_health(&fixed(), &summaries_of(&[late(0, 10), late(1, 900)]));
    assert_eq!(
        (health.arms[1].measurement(PageMetric::Late).status, health.check.grade),
        (PageStatus::Harmed, Grade::Warn)
    );
    assert!(health.check.message.contains("comes too late for 18.00 % of its visitors"), "{}", health.check.message);
    assert_eq!(health.harm(&fixed()).count(), 0);
}

#[test]
fn what_has_nothing_to_look_at_is_unknown() {
    for (design, summaries, words) in [
        (fixed(), Summaries::default(), "too little"),
        (fixed(), summaries_of(&[cell(0, 50), cell(1, 50)]), "too little"),
        (fixed(), summaries_of(&[cell(0, 5_000)]), "too little"),
        (fixed(), summaries_of(&[cell(0, 900), PageCell { hidden: Moments::default(), ..cell(1, 900) }]), "too little"),
        (
            design(AllocationPolicy::Holdout, &[vec![50, 50]]),
            summaries_of(&[cell(0, 900), cell(1, 900)]),
            "changes no page",
        ),
        (design(AllocationPolicy::Fixed, &[vec![100]]), summaries_of(&[cell(0, 5_000)]), "only one variant"),
        (
            design(AllocationPolicy::Personalization, &[vec![50, 50]]),
            summaries_of(&[cell(0, 900), cell(1, 900)]),
            "not compared",
        ),
    ] {
        let health = page_health(&design, &summaries);
        assert_eq!(health.check.grade, Grade::Unknown);
        assert!(health.check.message.contains(words), "{}", health.check.message);
    }
    let health = page_health(&fixed(), &summaries_of(&[cell(0, 5_000), cell(1, 5_000)]));
    assert_eq!(health.check.grade, Grade::Ok);
    assert!(health.check.message.contains("Not compared yet: when the largest content"), "{}", health.check.message);
}

#[test]
fn arms_that_are_not_of_the_design_count_nowhere() {
    let health =
        page_health(&fixed(), &summaries_of(&[cell(0, 500), cell(1, 500), PageCell { failed: 400, ..cell(2, 500) }]));
    assert_eq!((health.arms.len(), health.check.grade), (2, Grade::Ok));
}

#[test]
fn a_change_of_weights_is_no_difference() {
    // Pages became faster at the time when most visitors were moved to the variant.
    let weights = [vec![90, 10], vec![10, 90]];
    let of = |epoch, arm, visitors, mean| PageCell { epoch, lcp: around(visitors, mean), ..cell(arm, visitors) };
    let cells =
        [of(1, 0, 9_000, 3_000.0), of(1, 1, 1_000, 3_000.0), of(2, 0, 1_000, 2_000.0), of(2, 1, 9_000, 2_000.0)];
    for policy in [AllocationPolicy::Fixed, AllocationPolicy::Bandit] {
        let health = page_health(&design(policy, &weights), &summaries_of(&cells));
        let lcp = health.arms[1].measurement(PageMetric::Lcp);
        assert_eq!((lcp.status, lcp.difference), (PageStatus::Ok, Some(0.0)), "{policy:?}");
    }
}

/// Epochs of a bandit, in each of which the arm got `share` of a thousand visitors. In each epoch of `failed`, one of
/// them had an error.
fn batches(epochs: i64, share: u64, failed: &[i64]) -> PageHealth {
    let weights = vec![vec![1_000 - share as u32, share as u32]; epochs as usize];
    let cells = (1..=epochs).flat_map(|epoch| {
        let number = u64::from(failed.contains(&epoch));
        [PageCell { epoch, ..cell(0, 1_000 - share) }, PageCell { epoch, failed: number, ..cell(1, share) }]
    });
    page_health(&design(AllocationPolicy::Bandit, &weights), &summaries_of(&cells.collect::<Vec<_>>()))
}

#[test]
fn epochs_of_a_bandit_in_which_nothing_failed_count() {
    // One in fifty failed in each of fifteen epochs, and none in the other forty-five: 0.5 % of the visitors.
    let failed: Vec<i64> = (0..15).map(|number| 4 * number + 1).collect();
    let health = batches(60, 50, &failed);
    let errors = health.arms[1].measurement(PageMetric::Errors);
    assert!((errors.difference.unwrap() - 0.005).abs() < 1e-9, "{errors:?}");
    assert!(errors.interval.unwrap().contains(0.005) && errors.status < PageStatus::Harmed, "{errors:?}");
    // Errors in every epoch are found.
    let everywhere: Vec<i64> = (1..=60).collect();
    assert_eq!(batches(60, 50, &everywhere).arms[1].measurement(PageMetric::Errors).status, PageStatus::Harmed);
}

#[test]
fn a_bandit_whose_pages_never_fail_is_healthy() {
    for (epochs, failed) in [(1, vec![]), (2, vec![]), (9, vec![]), (9, vec![4])] {
        let health = batches(epochs, 300, &failed);
        let errors = health.arms[1].measurement(PageMetric::Errors);
        assert_eq!(errors.status, PageStatus::Ok, "{epochs} {failed:?} {errors:?}");
        let expect = failed.len() as f64 / (300.0 * epochs as f64);
        assert!((errors.difference.unwrap() - expect).abs() < 1e-12, "{errors:?}");
        assert_eq!(health.check.grade, Grade::Ok);
        assert!(!health.check.message.contains("Not compared yet: errors"), "{}", health.check.message);
    }
}
