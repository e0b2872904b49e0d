//! Layers of the workspace: which crate may use which.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Workspace crates that each crate may use, outside of tests.
const MAY_USE: [(&str, &[&str]); 21] = [
    ("muriel-domain", &[]),
    ("muriel-stats", &[]),
    ("muriel-sql", &[]),
    ("muriel-assign", &["muriel-domain"]),
    ("muriel-analysis", &["muriel-domain", "muriel-stats"]),
    ("muriel-store", &["muriel-domain", "muriel-sql"]),
    ("muriel-log", &["muriel-domain", "muriel-sql"]),
    ("muriel-warehouse", &["muriel-assign", "muriel-domain", "muriel-log", "muriel-stats"]),
    (
        "muriel-results",
        &[
            "muriel-analysis",
            "muriel-domain",
            "muriel-log",
            "muriel-sql",
            "muriel-stats",
            "muriel-store",
            "muriel-warehouse",
        ],
    ),
    ("muriel-doctor", &[]),
    ("muriel-context", &["muriel-domain", "muriel-log", "muriel-sql", "muriel-store"]),
    ("muriel-outbound", &["muriel-context", "muriel-domain", "muriel-sql", "muriel-store"]),
    ("muriel-people", &["muriel-context", "muriel-domain", "muriel-outbound", "muriel-sql", "muriel-store"]),
    // What serves visitors knows no people.
    (
        "muriel-delivery",
        &[
            "muriel-assign",
            "muriel-context",
            "muriel-domain",
            "muriel-log",
            "muriel-sql",
            "muriel-store",
            "muriel-warehouse",
        ],
    ),
    (
        "muriel-service",
        &[
            "muriel-analysis",
            "muriel-assign",
            "muriel-context",
            "muriel-delivery",
            "muriel-domain",
            "muriel-log",
            "muriel-outbound",
            "muriel-people",
            "muriel-results",
            "muriel-sql",
            "muriel-store",
            "muriel-warehouse",
        ],
    ),
    // It knows no operation.
    ("muriel-http", &["muriel-sql"]),
    (
        "muriel-api",
        &[
            "muriel-analysis",
            "muriel-assign",
            "muriel-context",
            "muriel-delivery",
            "muriel-domain",
            "muriel-http",
            "muriel-log",
            "muriel-outbound",
            "muriel-people",
            "muriel-results",
            "muriel-service",
            "muriel-stats",
            "muriel-store",
            "muriel-warehouse",
        ],
    ),
    // It calls the API through a handle that it is given, according to the contract.
    ("muriel-mcp", &[]),
    (
        "muriel-worker",
        &["muriel-context", "muriel-delivery", "muriel-domain", "muriel-log", "muriel-outbound", "muriel-service"],
    ),
    (
        "muriel-demo",
        &[
            "muriel-api",
            "muriel-assign",
            "muriel-context",
            "muriel-domain",
            "muriel-http",
            "muriel-service",
            "muriel-sql",
            "muriel-store",
        ],
    ),
    (
        "muriel-cli",
        &[
            "muriel-analysis",
            "muriel-api",
            "muriel-assign",
            "muriel-context",
            "muriel-delivery",
            "muriel-demo",
            "muriel-doctor",
            "muriel-domain",
            "muriel-http",
            "muriel-log",
            "muriel-mcp",
            "muriel-outbound",
            "muriel-people",
            "muriel-results",
            "muriel-service",
            "muriel-sql",
            "muriel-store",
            "muriel-warehouse",
            "muriel-worker",
        ],
    ),
];

/// Dependencies that crates of pure decisions must not have: async, clocks, randomness, SQL and HTTP.
const IMPURE: [&str; 10] = [
    "tokio",
    "futures-util",
    "axum",
    "hyper",
    "http",
    "rusqlite",
    "tokio-postgres",
    "getrandom",
    "fastrand",
    "tracing",
];

#[test]
fn imports_go_down() {
    let used = dependencies();
    let known: BTreeSet<_> = MAY_USE.iter().map(|(name, _)| *name).chain(["muriel-tests"]).collect();
    let found: BTreeSet<_> = used.keys().map(String::as_str).collect();
    assert_eq!(found, known, "a new crate needs a floor: give it a line in MAY_USE");
    for (name, allowed) in MAY_USE {
        let ours: Vec<_> = used[name].iter().filter(|other| other.starts_with("muriel-")).collect();
        for other in ours {
            assert!(allowed.contains(&other.as_str()), "{name} must not use {other}");
        }
    }
}

#[test]
fn decisions_are_pure() {
    let used = dependencies();
    for name in ["muriel-domain", "muriel-stats", "muriel-assign", "muriel-analysis"] {
        for other in IMPURE {
            assert!(!used[name].contains(other), "{name} must not use {other}");
        }
    }
}

#[test]
fn acts_know_no_http() {
    let used = dependencies();
    for other in ["axum", "http", "http-body-util", "hyper", "hyper-util", "tower", "tower-http", "utoipa"] {
        for name in ["muriel-context", "muriel-delivery", "muriel-outbound", "muriel-people", "muriel-service"] {
            assert!(!used[name].contains(other), "{name} must not use {other}");
        }
    }
}

#[test]
fn only_the_warehouse_knows_duckdb() {
    let used = dependencies();
    let know: Vec<&String> = used.iter().filter(|(_, used)| used.contains("duckdb")).map(|(name, _)| name).collect();
    assert_eq!(know, ["muriel-warehouse"]);
    // So the log builds without it as long as it does not use the warehouse, at any depth.
    let (mut below, mut open) = (BTreeSet::new(), vec!["muriel-log"]);
    while let Some(name) = open.pop() {
        if below.insert(name) {
            open.extend(used[name].iter().map(String::as_str).filter(|other| used.contains_key(*other)));
        }
    }
    assert!(!below.contains("muriel-warehouse"), "muriel-log must not use muriel-warehouse: {below:?}");
}

/// Returns the crates of the workspace, each with its runtime dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let metadata = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("cargo metadata is JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            let used = list(&package["dependencies"]);
            let running = used.iter().filter(|other| other["kind"].is_null());
            (text(&package["name"]), running.map(|other| text(&other["name"])).collect())
        })
        .collect()
}
