use super::*;
use muriel_domain::ids::ExperimentId;
use serde_json::{Value, json};

const DAY_US: i64 = 86_400_000_000;

fn at(text: &str) -> Instant {
    Instant::parse(text).expect("a moment")
}

fn page() -> ProgrammePage {
    ProgrammePage { from: None, to: None, after: None, limit: 50, now: at("2026-06-15T12:00:00Z") }
}

fn kept(arms: &[(u32, f64, Option<f64>)]) -> Value {
    let arms = arms.iter().map(|(arm, lift, std_error)| {
        json!({ "arm": arm, "lift": lift, "lift_interval": [lift - 0.1, lift + 0.1], "std_error": std_error })
    });
    json!({
        "goal_key": "bought",
        "goal_name": "Bought",
        "visitors": 1_000,
        "is_trusted": true,
        "arms": arms.collect::<Vec<_>>(),
    })
}

fn row(id: i64, when: &str, outcome: ConclusionOutcome, result: Option<Value>) -> ConcludedRow {
    ConcludedRow {
        id: ExperimentId(id),
        concluded_at: at(when),
        outcome,
        is_personalization: false,
        served_arm: None,
        ratings: [None; 3],
        result,
        is_listed: true,
    }
}

#[test]
fn nothing_was_concluded() {
    let empty = report(Vec::new(), &page());
    assert_eq!((empty.totals.concluded, empty.totals.won.share(), empty.totals.per_month), (0, None, None));
    assert!(empty.totals.won.interval.is_none() && empty.totals.months.is_empty() && empty.calibration.is_empty());
    assert_eq!((empty.won_or_served.expected, empty.won_or_served.tests), (None, 0));
    assert!(empty.entries.is_empty() && !empty.has_more);
}

#[test]
fn the_newest_results_are_enough() {
    let arms: Vec<_> = (1..=50).map(|arm| (arm, 0.01, Some(0.02))).collect();
    let many = |tests: i64| -> Vec<ConcludedRow> {
        let row = |id| row(id, "2026-06-01T00:00:00Z", ConclusionOutcome::Won, Some(kept(&arms)));
        (1..=tests).rev().map(row).collect()
    };
    for (tests, learned_from) in [(3, 3), (400, 400), (401, 400)] {
        let programme = report(many(tests), &page());
        let expected = (learned_from, learned_from as usize, tests > learned_from);
        assert_eq!(
            (programme.totals.concluded as i64, programme.learned_from, programme.is_truncated),
            expected,
            "{tests}"
        );
    }
}

#[test]
fn totals_are_of_the_time_that_is_asked_for() {
    use ConclusionOutcome::{Inconclusive, Invalid, Lost, StoppedEarly, Won};
    let rows = || {
        vec![
            row(6, "2026-06-01T00:00:00Z", Won, None),
            row(5, "2026-05-31T23:59:59Z", Lost, None),
            row(4, "2026-03-02T10:00:00Z", Won, None),
            row(3, "2026-03-01T00:00:00Z", Invalid, None),
            row(2, "2026-03-01T00:00:00Z", StoppedEarly, None),
            row(1, "2025-12-31T00:00:00Z", Inconclusive, None),
        ]
    };
    let all = report(rows(), &page()).totals;
    assert_eq!((all.concluded, all.outcomes.map(|(_, count)| count)), (6, [2, 1, 1, 1, 1]));
    assert_eq!((all.won.count, all.won.of, all.won.share()), (2, 5, Some(0.4)));
    let interval = all.won.interval.expect("an interval");
    // Wilson's interval for 2 of 5, from statsmodels' proportion_confint.
    assert!((interval.lower - 0.117621).abs() < 1e-6 && (interval.upper - 0.769276).abs() < 1e-6, "{interval:?}");
    let months: Vec<_> = all.months.iter().map(|it| (it.first.to_string(), it.concluded, it.won)).collect();
    let expect = [
        ("2025-12", 1, 0),
        ("2026-01", 0, 0),
        ("2026-02", 0, 0),
        ("2026-03", 3, 1),
        ("2026-04", 0, 0),
        ("2026-05", 1, 0),
    ];
    let expect = expect.into_iter().chain([("2026-06", 1, 1)]);
    assert_eq!(months, expect.map(|(month, all, won)| (format!("{month}-01"), all, won)).collect::<Vec<_>>());
    // 166.5 days from the last day of December until noon of the 15th of June.
    assert!((all.per_month.expect("a rate") - 6.0 * 30.436_875 / 166.5).abs() < 1e-9);

    let part = ProgrammePage { from: Some(at("2026-03-01")), to: Some(at("2026-06-01")), ..page() };
    let part = report(rows(), &part);
    assert_eq!((part.totals.concluded, part.totals.won.count, part.totals.won.of), (4, 1, 3));
    assert_eq!(part.totals.months.len(), 3);
    assert_eq!((part.won_or_served.tests, part.won_or_served.without_lift), (0, 1));
    // The database decides which experiments are listed.
    assert_eq!((part.listed, part.entries.len()), (6, 6));

    // Less than a month counts as one.
    let one = report(vec![row(1, "2026-06-15T00:00:00Z", Won, None)], &page()).totals;
    assert_eq!((one.per_month, one.months.len()), (Some(1.0), 1));
    // The clock was set back after the conclusion.
    let later = report(vec![row(1, "2027-01-01T00:00:00Z", Won, None)], &page()).totals;
    assert_eq!((later.concluded, later.months.len(), later.months[0].concluded), (1, 1, 1));
    // The oldest months are left out.
    let old = vec![row(2, "2026-06-01T00:00:00Z", Won, None), row(1, "1990-01-01T00:00:00Z", Won, None)];
    let old = report(old, &page()).totals;
    assert_eq!((old.months.len(), old.months[0].first.to_string()), (120, "2016-07-01".to_owned()));
    assert_eq!(old.months.iter().map(|month| month.concluded).sum::<usize>(), 1);
}

#[test]
fn what_is_learned_from_and_what_is_summed() {
    use ConclusionOutcome::{Inconclusive, Invalid, Lost, Won};
    let served = |arm, row| ConcludedRow { served_arm: Some(arm), ..row };
    let distrusted = {
        let mut kept = kept(&[(1, 0.5, Some(0.02))]);
        kept["is_trusted"] = json!(false);
        kept
    };
    let day = |number: i64| format!("2026-05-{number:02}T00:00:00Z");
    let rows = vec![
        row(9, &day(9), Won, Some(kept(&[(1, 0.06, Some(0.02)), (2, 0.09, Some(0.03))]))),
        // The arm with the lower lift is served.
        served(1, row(8, &day(8), Inconclusive, Some(kept(&[(1, 0.02, Some(0.02)), (2, 0.03, Some(0.02))])))),
        served(0, row(7, &day(7), Won, Some(kept(&[(1, 0.04, Some(0.02))])))),
        row(6, &day(6), Lost, Some(kept(&[(1, -0.05, Some(0.02))]))),
        row(5, &day(5), Invalid, Some(kept(&[(1, 0.7, Some(0.02))]))),
        row(4, &day(4), Won, Some(distrusted)),
        row(3, &day(3), Won, Some(kept(&[(1, 0.08, None)]))),
        row(2, &day(2), Won, Some(json!({ "of": "a later release" }))),
        row(1, &day(1), Won, None),
        // The arms are for different audiences: the difference between them is not a lift.
        ConcludedRow {
            is_personalization: true,
            ..served(1, row(0, &day(1), Won, Some(kept(&[(1, 2.0, Some(0.02))]))))
        },
    ];
    let programme = report(rows.clone(), &page());
    assert_eq!(programme.learned_from, 4);
    let lifts: Vec<_> =
        programme.entries.iter().map(|it| (it.row.id.0, it.arm.map(|arm| (arm.arm, arm.lift)))).collect();
    let shown = [Some((2, 0.09)), Some((1, 0.02)), Some((1, 0.04)), Some((1, -0.05)), Some((1, 0.7)), Some((1, 0.5))];
    let shown = shown.into_iter().chain([Some((1, 0.08)), None, None, None]);
    assert_eq!(lifts, (0..=9).rev().zip(shown).collect::<Vec<_>>());
    let missing: Vec<_> = programme.entries.iter().map(|entry| entry.expected.err().map(NoEstimate::word)).collect();
    let reasons = ["invalid", "not_trusted", "too_few_conversions", "no_result", "no_result", "personalization"];
    assert_eq!(missing, [None; 4].into_iter().chain(reasons.map(Some)).collect::<Vec<_>>());
    assert_eq!(programme.without_estimate.map(|(_, count)| count), [1, 1, 2, 1, 1]);
    assert_eq!((programme.won_or_served.tests, programme.won_or_served.without_lift), (2, 5));
    assert!((programme.won_or_served.shown - 0.11).abs() < 1e-12);
    assert_eq!((programme.served.tests, programme.served.without_lift, programme.served.shown), (1, 1, 0.02));
    let sum = programme.won_or_served.expected.expect("a sum");
    let each: f64 = programme.entries[..2].iter().filter_map(|entry| entry.expected.ok()).map(|it| it.mean).sum();
    assert!((sum.mean - each).abs() < 1e-9 && sum.mean < 0.11 && sum.mean > 0.0, "{sum:?}");

    // The period restricts the sums, not the results that estimates are learned from.
    let part = report(rows, &ProgrammePage { from: Some(at(&day(9))), ..page() });
    assert_eq!((part.learned_from, part.won_or_served.tests), (4, 1));
    assert_eq!(part.won_or_served.expected, programme.entries[0].expected.ok());

    // An invalid experiment is not in any sum, even if its variant is served.
    let invalid = served(1, row(1, &day(1), Invalid, Some(kept(&[(1, 0.7, Some(0.02))]))));
    let programme = report(vec![invalid], &page());
    assert_eq!(
        (programme.won_or_served.tests, programme.won_or_served.without_lift, programme.totals.concluded),
        (0, 0, 1)
    );
}

#[test]
fn ratings_beside_results() {
    use ConclusionOutcome::{Invalid, Lost, Won};
    let rated = |ratings, row| ConcludedRow { ratings, ..row };
    let rows = vec![
        rated([Some(5), None, Some(1)], row(4, "2026-05-04", Won, Some(kept(&[(1, 0.06, Some(0.02))])))),
        rated([Some(5), Some(2), None], row(3, "2026-05-03", Lost, Some(kept(&[(1, 0.01, Some(0.02))])))),
        rated([Some(5), None, None], row(2, "2026-05-02", Invalid, None)),
        rated([Some(1), None, None], row(1, "2026-05-01", Lost, None)),
    ];
    let programme = report(rows, &page());
    let found: Vec<_> =
        programme.calibration.iter().map(|it| (it.rating, it.value, it.won.count, it.won.of, it.with_lift)).collect();
    assert_eq!(
        found,
        [
            ("confidence", 1, 0, 1, 0),
            ("confidence", 5, 1, 2, 2),
            ("importance", 2, 0, 1, 1),
            ("difficulty", 1, 1, 1, 1)
        ]
    );
    assert_eq!(programme.calibration[0].expected, None);
    let mean = programme.calibration[1].expected.expect("a lift").mean;
    let of = |at: usize| programme.entries[at].expected.expect("a lift").mean;
    assert!((mean - (of(0) + of(1)) / 2.0).abs() < 1e-9);
    assert_eq!(programme.calibration[3].expected, programme.entries[0].expected.ok());
}

#[test]
fn pages_are_complete_and_without_repeats() {
    // Several have the same time, so that the id decides the order.
    let when = |id: i64| Instant::from_us(at("2026-05-01").us() + id / 3 * DAY_US).to_string();
    let rows = || (1..=20).rev().map(|id| row(id, &when(id), ConclusionOutcome::Lost, None)).collect::<Vec<_>>();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let programme = report(rows(), &ProgrammePage { after, limit: 7, ..page() });
        assert_eq!(programme.listed, 20);
        seen.extend(programme.entries.iter().map(|entry| entry.row.id.0));
        after = programme.entries.last().map(|entry| (entry.row.concluded_at, entry.row.id.0));
        if !programme.has_more {
            break;
        }
    }
    assert_eq!(seen, (1..=20).rev().collect::<Vec<_>>());
    let hidden = rows().into_iter().map(|row| ConcludedRow { is_listed: row.id.0 % 2 == 0, ..row }).collect();
    let programme = report(hidden, &page());
    assert_eq!((programme.listed, programme.entries.len(), programme.totals.concluded), (10, 10, 20));
}
