//! The crate reproduces every reference vector within its tolerance.

use super::check;

const VECTORS: &str = include_str!("stats.json");

#[test]
fn every_reference_vector_is_met() {
    let summary = check(VECTORS).unwrap();
    assert!(summary.failures.is_empty(), "{summary}");
    let seen: usize = summary.methods.values().map(|(_, all)| all).sum();
    assert_eq!(seen, 297, "{summary}");
}

/// Problems of one case.
fn failures(case: &str) -> Vec<String> {
    let file = format!(r#"{{"schema_version": 1, "count": 1, "cases": [{case}]}}"#);
    check(&file).expect("a file of one case can be read").failures
}

#[test]
fn the_match_rule_refuses_what_it_should() {
    let case = |expected: &str, rel: &str| {
        failures(&format!(
            r#"{{"id": "x", "method": "moments", "inputs": {{"n": 4, "sum": 10.0, "sum_squares": 30.0}},
                "expected": {{{expected}}}, "tolerance": {{"default": {{"rel": {rel}, "abs": 0}}}}}}"#
        ))
        .len()
    };
    assert_eq!(case(r#""mean": 2.5"#, "0"), 0);
    assert_eq!(case(r#""mean": 2.50001"#, "1e-6"), 1);
    assert_eq!(case(r#""mean": 2.50001"#, "1e-5"), 0);
    assert_eq!(case(r#""mean": null"#, "1"), 1);
    assert_eq!(case(r#""mean": "inf""#, "1"), 1);
    assert_eq!(case(r#""mean": [2.5]"#, "1"), 1);
    assert_eq!(case(r#""median": 2.5"#, "1"), 1);
    assert_eq!(case(r#""status": "undefined", "reason": "no_units""#, "1"), 1);
}

#[test]
fn undefined_is_not_a_value_and_a_value_is_not_undefined() {
    let case = |n: u32, expected: &str| {
        failures(&format!(
            r#"{{"id": "x", "method": "moments", "inputs": {{"n": {n}, "sum": 7.0, "sum_squares": 49.0}},
                "expected": {{{expected}}}, "tolerance": {{"default": {{"rel": 0, "abs": 0}}}}}}"#
        ))
        .len()
    };
    assert_eq!(case(1, r#""status": "undefined", "reason": "too_few_units", "mean": 7.0"#), 0);
    assert_eq!(case(1, r#""status": "undefined", "reason": "no_units", "mean": 7.0"#), 1);
    assert_eq!(case(1, r#""mean": 7.0"#), 1);
}

#[test]
fn what_cannot_be_read_fails() {
    assert_eq!(failures(r#"{"id": "x", "method": "tea_leaves", "inputs": {}, "expected": {}}"#).len(), 1);
    assert_eq!(failures(r#"{"id": "x", "method": "moments", "inputs": {"n": 4}, "expected": {}}"#).len(), 1);
    for file in
        ["", "[]", r#"{"schema_version": 2, "cases": []}"#, r#"{"schema_version": 1, "count": 2, "cases": [{}]}"#]
    {
        assert!(check(file).is_err(), "{file}");
    }
}
