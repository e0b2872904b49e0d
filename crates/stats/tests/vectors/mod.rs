//! Checks reference vectors: reads a file, computes each case and compares by the file's match rule.
//!
//! The file is `{ "schema_version": 1, "count": N, "cases": [...] }`. Each case names a `method`, its `inputs`, the
//! `expected` outputs and the `tolerance`. Used by the test, with the copy stored here, and by the example, with any
//! file.

mod adapters;
pub(crate) mod functions;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

/// One output of a method.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A number, which may be infinite.
    Number(f64),
    /// A name, such as a status.
    Text(&'static str),
    /// No value.
    Absent,
    /// Several outputs, in order.
    List(Vec<Output>),
    /// Several outputs, by name.
    Group(Outputs),
}

/// Outputs of a method by name.
pub(crate) type Outputs = BTreeMap<&'static str, Output>;

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Number(x) => write!(f, "{x:?}"),
            Output::Text(text) => f.write_str(text),
            Output::Absent => f.write_str("no value"),
            Output::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Output::Group(outputs) => {
                f.write_str("{")?;
                for (i, (name, item)) in outputs.iter().enumerate() {
                    write!(f, "{}{name}: {item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Result of checking a file of cases.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Per method: number of passed cases and of all cases.
    pub(crate) methods: BTreeMap<String, (usize, usize)>,
    /// One line per failed case.
    pub(crate) failures: Vec<String>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "FAIL {failure}")?;
        }
        let (mut met, mut seen) = (0, 0);
        for (method, (good, all)) in &self.methods {
            writeln!(f, "{method:<32}{good:>5} of {all}")?;
            met += good;
            seen += all;
        }
        write!(f, "{:<32}{met:>5} of {seen}", "all")
    }
}

/// Checks every case of a file.
///
/// # Errors
/// A message when `text` is not a file of cases.
pub(crate) fn check(text: &str) -> Result<Summary, String> {
    let file: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    if file["schema_version"].as_u64() != Some(1) {
        return Err(format!("schema_version is {}, not 1", file["schema_version"]));
    }
    let cases = file["cases"].as_array().ok_or("cases is not a list")?;
    if cases.is_empty() {
        return Err("there is no case".to_owned());
    }
    if let Some(count) = file.get("count")
        && count.as_u64() != Some(cases.len() as u64)
    {
        return Err(format!("count is {count}, but there are {} cases", cases.len()));
    }
    let mut summary = Summary::default();
    for (i, case) in cases.iter().enumerate() {
        let id = case["id"].as_str().map_or_else(|| format!("case {i}"), str::to_owned);
        let method = case["method"].as_str().unwrap_or("(no method)");
        let counts = summary.methods.entry(method.to_owned()).or_default();
        counts.1 += 1;
        let problems = check_case(method, case);
        if problems.is_empty() {
            counts.0 += 1;
        } else {
            summary.failures.push(format!("{id}: {}", problems.join("; ")));
        }
    }
    Ok(summary)
}

/// Problems of one case; empty when it passes.
fn check_case(method: &str, case: &Value) -> Vec<String> {
    let Some(expected) = case["expected"].as_object() else {
        return vec!["expected is not an object".to_owned()];
    };
    // A panic in one case must not hide the others.
    let answer = catch_unwind(AssertUnwindSafe(|| adapters::answer(method, &case["inputs"])));
    let got = match answer {
        Ok(Ok(got)) => got,
        Ok(Err(problem)) => return vec![problem],
        Err(_) => return vec!["the method panicked".to_owned()],
    };
    let mut problems = Vec::new();
    for (name, want) in expected {
        match got.get(name.as_str()) {
            Some(value) => compare(name, value, want, &[name], &case["tolerance"], &mut problems),
            None => problems.push(format!("{name} is missing, want {want}")),
        }
    }
    if let (Some(status), None) = (got.get("status"), expected.get("status")) {
        let reason = got.get("reason").map_or_else(String::new, |r| format!(" ({r})"));
        problems.push(format!("status is {status}{reason}, want values"));
    }
    // An undefined result may have the outputs that are still defined, but no inference.
    if matches!(got.get("status"), Some(Output::Text("undefined"))) {
        let inference = got.keys().filter(|name| name.starts_with("ci_") || ["p_value", "bound"].contains(name));
        problems.extend(inference.map(|name| format!("{name} is given for an undefined result")));
    }
    problems
}

/// Compares one output. `names` holds its own name and those of the groups around it, innermost first, to look up the
/// tolerance.
fn compare(path: &str, got: &Output, want: &Value, names: &[&str], tolerance: &Value, problems: &mut Vec<String>) {
    let met = match (got, want) {
        (Output::Absent, Value::Null) => true,
        (Output::Text(got), Value::String(want)) => got == want,
        (Output::Number(got), Value::String(want)) => match want.as_str() {
            "inf" => *got == f64::INFINITY,
            "-inf" => *got == f64::NEG_INFINITY,
            _ => false,
        },
        (Output::Number(got), Value::Number(number)) => match (number.as_f64(), limits(names, tolerance)) {
            // A comparison with NaN is false.
            (Some(want), Some((rel, abs))) => (got - want).abs() <= f64::max(abs, rel * want.abs()),
            _ => {
                problems.push(format!("{path} has no tolerance"));
                return;
            }
        },
        (Output::List(got), Value::Array(want)) if got.len() == want.len() => {
            for (i, (got, want)) in got.iter().zip(want).enumerate() {
                compare(&format!("{path}[{i}]"), got, want, names, tolerance, problems);
            }
            return;
        }
        (Output::Group(got), Value::Object(want)) => {
            for (name, want) in want {
                let path = format!("{path}.{name}");
                let names: Vec<&str> = std::iter::once(name.as_str()).chain(names.iter().copied()).collect();
                match got.get(name.as_str()) {
                    Some(got) => compare(&path, got, want, &names, tolerance, problems),
                    None => problems.push(format!("{path} is missing, want {want}")),
                }
            }
            return;
        }
        _ => false,
    };
    if !met {
        problems.push(format!("{path} is {got}, want {want}"));
    }
}

/// Relative and absolute tolerance of the output with these names.
fn limits(names: &[&str], tolerance: &Value) -> Option<(f64, f64)> {
    let by_name = names.iter().find_map(|name| tolerance.get(name));
    let found = by_name.or_else(|| tolerance.get("default"))?;
    Some((found["rel"].as_f64()?, found["abs"].as_f64()?))
}
