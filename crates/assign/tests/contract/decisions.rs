//! Whole decisions: every other file, and comparisons with the reference implementation in
//! JavaScript.

use super::{cases, random};
use muriel_assign::{Document, Murmur3, Ruleset};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../contract/assignment")
}

/// Every file of cases, with its name.
fn files() -> Vec<(String, Value)> {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let content: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(content["feature"], name.as_str());
            (name, content)
        })
        .collect();
    files.sort_by(|(left, _), (right, _)| left.cmp(right));
    files
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn decisions() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for (feature, content) in files().iter().filter(|(_, content)| content["ruleset"].is_object()) {
        let document: Document = serde_json::from_value(content["ruleset"].clone()).unwrap();
        let ruleset =
            Ruleset::compile(&document).unwrap_or_else(|problems| panic!("{feature}: {:?}", problems.first()));
        for case in list(&content["cases"]) {
            checked += 1;
            let decided = random::outcome(&ruleset, case);
            // Only the keys of `expect` are compared.
            let expect = case["expect"].as_object().unwrap();
            let agrees = expect.iter().all(|(key, wanted)| match wanted.as_object() {
                Some(parts) => parts.iter().all(|(part, value)| decided[key][part] == *value),
                None => decided[key] == *wanted,
            });
            if !agrees || decided.get("refused").is_some() != expect.contains_key("refused") {
                failures
                    .push(format!("{feature}: {}\n  expected {}\n  decided  {decided}", case["name"], case["expect"]));
            }
        }
    }
    assert!(checked >= 500, "{checked}");
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn hashes() {
    for case in cases::<Value>("hashing") {
        let text = case["text"].as_str().unwrap();
        assert_eq!(case["hash"], Murmur3::of(text).finish(), "{text}");
        assert_eq!(case["bucket"], Murmur3::default().bucket(text), "{text}");
    }
}

#[test]
fn refusals() {
    for case in cases::<Value>("refusals") {
        let refused = match serde_json::from_value::<Document>(case["ruleset"].clone()) {
            Err(_) => Value::Null,
            Ok(document) => match Ruleset::compile(&document) {
                Ok(_) => json!([]),
                Err(problems) => json!(problems.iter().map(|problem| &problem.field).collect::<BTreeSet<_>>()),
            },
        };
        assert_eq!(refused, case["refused"], "{}", case["name"]);
    }
}

/// Output of the reference implementation for `input`.
fn reference(arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("node");
    command.arg(folder().join("run.mjs")).args(arguments);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("node cannot be started: install Node.js 20 or newer");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn reference_passes_the_cases() {
    print!("{}", reference(&[], &[]));
}

#[test]
fn reference_agrees_on_random_decisions() {
    let mut lines = Vec::new();
    let decisions: usize = (0..)
        .map(|seed| random::write_line(&mut lines, seed))
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .find(|sum| *sum >= 10_000)
        .unwrap();
    print!("{decisions} decisions: {}", reference(&["--replay"], &lines));
}
