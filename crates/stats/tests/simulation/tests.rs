//! Promised error rates, measured on simulated experiments with known truth.
//!
//! A promise such as "at most 5 % of tests without an effect find a difference" has no reference value. It is measured
//! on thousands of simulated tests. The quick set runs here; `cargo run --release -p muriel-stats --example simulate --
//! --full` runs ten times as many and prints the table of docs/methods.md.

use super::{QUICK, broken, groups, run, table};

/// Runs one group of promises and prints the failed lines with the seeds that reproduce them.
fn check(group: &str) {
    let rows = groups().into_iter().find(|(name, _)| *name == group).expect("the group exists").1;
    let lines = run(&rows, QUICK);
    assert!(!lines.is_empty());
    let failed: Vec<_> = lines.iter().filter(|line| !line.ok).collect();
    let seeds: Vec<_> = failed.iter().map(|line| format!("{}: seed {:#x}", line.test, line.seed)).collect();
    assert!(failed.is_empty(), "\n{}{}", table(failed.iter().copied()), seeds.join("\n"));
}

#[test]
fn a_test_at_one_look_errs_as_often_as_it_says() {
    check("one look");
}

#[test]
fn always_valid_results_hold_at_every_look() {
    check("always valid");
}

#[test]
fn always_valid_results_hold_under_continuous_peeking() {
    check("continuous peeking");
}

#[test]
fn arms_of_different_sizes_are_compared_fairly() {
    check("unequal arms");
}

#[test]
fn health_checks_seldom_cry_wolf() {
    check("health");
}

#[test]
fn families_keep_their_share_of_false_discoveries() {
    check("families");
}

#[test]
fn epochs_and_bandits_are_compared_fairly() {
    check("epochs");
}

#[test]
fn planned_looks_spend_what_they_may() {
    check("planned looks");
}

#[test]
fn beliefs_are_calibrated() {
    check("beliefs");
}

#[test]
fn planned_sizes_find_what_they_were_planned_for() {
    check("planning");
}

#[test]
fn any_split_of_the_units_gives_the_same_report() {
    check("merging");
}

/// Every group has a test in this file.
#[test]
fn no_group_is_forgotten() {
    let names: Vec<_> = groups().into_iter().map(|(name, _)| name).collect();
    let source = include_str!("tests.rs");
    for name in &names {
        assert!(source.contains(&format!("check(\"{name}\")")), "no test runs the group {name:?}");
    }
    assert_eq!(names.len(), 11);
}

/// Broken promises are detected: peeking at a fixed test exceeds 5 %, and half the units do not give the planned power.
#[test]
fn a_broken_promise_fails() {
    let rows = broken();
    let lines = run(&rows, QUICK);
    assert!(lines.len() >= 4);
    for line in lines {
        assert!(!line.ok, "{} {}: {} was accepted by {}", line.test, line.what, line.measured, line.accepted);
    }
}
