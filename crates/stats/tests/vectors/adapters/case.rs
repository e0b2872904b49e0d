//! Reads the inputs of a case and collects its named outputs.

use muriel_stats::Undefined;
use muriel_stats::interval::TestResult;
use serde_json::Value;

use super::super::{Output, Outputs};

/// Reason why an adapter stopped.
pub(super) enum Stop {
    /// The statistic is undefined.
    Undefined(Undefined),
    /// The harness cannot read the case, or the crate does not have the method.
    Unreadable(String),
}

impl From<Undefined> for Stop {
    fn from(reason: Undefined) -> Stop {
        Stop::Undefined(reason)
    }
}

pub(super) type Read<T> = Result<T, Stop>;

/// Named outputs of a case, while they are collected.
pub(super) struct Table(pub(super) Outputs);

impl Table {
    pub(super) fn number(&mut self, name: &'static str, value: f64) {
        self.0.insert(name, Output::Number(value));
    }

    pub(super) fn text(&mut self, name: &'static str, value: &'static str) {
        self.0.insert(name, Output::Text(value));
    }

    pub(super) fn numbers(&mut self, name: &'static str, values: impl IntoIterator<Item = f64>) {
        self.0.insert(name, Output::List(values.into_iter().map(Output::Number).collect()));
    }

    pub(super) fn optional(value: Option<f64>) -> Output {
        value.map_or(Output::Absent, Output::Number)
    }

    pub(super) fn interval(&mut self, interval: muriel_stats::Interval) {
        self.number("ci_lower", interval.lower);
        self.number("ci_upper", interval.upper);
    }

    pub(super) fn test(&mut self, test: &TestResult) {
        self.number("std_error", test.std_error);
        self.number("df", test.df);
        self.number("p_value", test.p_value);
        self.interval(test.interval);
    }
}

/// A JSON object with inputs.
#[derive(Clone, Copy)]
pub(super) struct Input<'a>(pub(super) &'a Value);

impl<'a> Input<'a> {
    pub(super) fn get(&self, name: &str) -> Read<&'a Value> {
        self.0.get(name).ok_or_else(|| Stop::Unreadable(format!("input {name} is missing")))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    pub(super) fn object(&self, name: &str) -> Read<Input<'a>> {
        self.get(name).map(Input)
    }

    pub(super) fn f64(&self, name: &str) -> Read<f64> {
        number(name, self.get(name)?)
    }

    pub(super) fn count(&self, name: &str) -> Read<u64> {
        whole(name, self.get(name)?)
    }

    pub(super) fn text(&self, name: &str) -> Read<&'a str> {
        self.get(name)?.as_str().ok_or_else(|| Stop::Unreadable(format!("input {name} is not a text")))
    }

    pub(super) fn flag(&self, name: &str) -> Read<bool> {
        match self.0.get(name) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| Stop::Unreadable(format!("input {name} is not a flag"))),
        }
    }

    pub(super) fn list<T>(&self, name: &str, item: impl Fn(&str, &'a Value) -> Read<T>) -> Read<Vec<T>> {
        list(name, self.get(name)?, item)
    }

    pub(super) fn f64s(&self, name: &str) -> Read<Vec<f64>> {
        self.list(name, number)
    }
}

fn list<'a, T>(name: &str, value: &'a Value, item: impl Fn(&str, &'a Value) -> Read<T>) -> Read<Vec<T>> {
    let items = value.as_array().ok_or_else(|| Stop::Unreadable(format!("input {name} is not a list")))?;
    items.iter().map(|value| item(name, value)).collect()
}

pub(super) fn number(name: &str, value: &Value) -> Read<f64> {
    match value {
        Value::Number(n) => n.as_f64().ok_or_else(|| Stop::Unreadable(format!("input {name} is no double"))),
        Value::String(s) if s == "inf" => Ok(f64::INFINITY),
        Value::String(s) if s == "-inf" => Ok(f64::NEG_INFINITY),
        _ => Err(Stop::Unreadable(format!("input {name} is not a number"))),
    }
}

pub(super) fn optional_number(name: &str, value: &Value) -> Read<Option<f64>> {
    if value.is_null() { Ok(None) } else { number(name, value).map(Some) }
}

/// Reads a count. A number that is not a count cannot come from real data.
fn whole(name: &str, value: &Value) -> Read<u64> {
    if let Some(n) = value.as_u64() {
        return Ok(n);
    }
    let x = number(name, value)?;
    let exact = x >= 0.0 && x.fract() == 0.0 && x < 18_446_744_073_709_551_616.0;
    if exact { Ok(x as u64) } else { Err(Undefined::InvalidInput.into()) }
}

pub(super) fn counts(name: &str, value: &Value) -> Read<Vec<u64>> {
    list(name, value, whole)
}

pub(super) fn unknown(name: &str, value: &str) -> Stop {
    Stop::Unreadable(format!("{name} {value} is not known"))
}
