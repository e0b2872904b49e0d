//! Operators: comparisons of a visitor's value with a rule's value.
//!
//! Values are text, numbers or booleans, and text may represent a number. This module defines exactly, down
//! to white space, how each operator reads values, because a page makes the same decisions in JavaScript:
//!
//! | operators | compare |
//! |---|---|
//! | `ex` `nx` | whether a value exists |
//! | `bt` `bf` | whether the value means true, or false |
//! | `==` `!=` | as numbers when either side is a number and both read as one, otherwise as text |
//! | `**` `!*` | whether the text contains the rule's text |
//! | `gt` `gte` `lt` `lte`, `>` `>=` `<` `<=` | as numbers |
//! | `days_gt` `days_gte` `days_lt` `days_lte` | days from the value's date to now |
//!
//! An absent value equals nothing and contains nothing, so it satisfies `nx`, `!=` and `!*` and no other operator. A
//! value that cannot be read as the operator requires satisfies no operator.

use muriel_domain::targeting::{Operator, Scalar as Stored};
use std::borrow::Cow;

/// A scalar value of a visitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    /// `true` or `false`.
    Flag(bool),
    /// A finite number.
    Number(f64),
    /// Text.
    Text(&'a str),
}

impl<'a> Scalar<'a> {
    /// The value as a number, when it is one or its text reads as one. A boolean is not a number.
    fn number(self) -> Option<f64> {
        match self {
            Scalar::Flag(_) => None,
            Scalar::Number(number) => Some(number),
            Scalar::Text(text) => number(text),
        }
    }

    /// The value as text. Numbers are in plain decimal notation, as short as possible. Numbers that would need an
    /// exponent become the empty text.
    fn text(self) -> Cow<'a, str> {
        match self {
            Scalar::Flag(true) => "true".into(),
            Scalar::Flag(false) => "false".into(),
            Scalar::Number(0.0) => "0".into(),
            Scalar::Number(number) if (1e-6..1e21).contains(&number.abs()) => number.to_string().into(),
            Scalar::Number(_) => "".into(),
            Scalar::Text(text) => text.into(),
        }
    }

    /// The truth value: true (`true`, 1, `"1"`, `"TRUE"`) or false (`false`, 0, `"0"`, `"False"`). `None` for anything
    /// else.
    fn truth(self) -> Option<bool> {
        match self {
            Scalar::Flag(flag) => Some(flag),
            Scalar::Number(1.0) => Some(true),
            Scalar::Number(0.0) => Some(false),
            Scalar::Number(_) => None,
            Scalar::Text(text) if text == "1" || text.eq_ignore_ascii_case("true") => Some(true),
            Scalar::Text(text) if text == "0" || text.eq_ignore_ascii_case("false") => Some(false),
            Scalar::Text(_) => None,
        }
    }

    /// The value as a moment, in milliseconds since 1970: an ISO 8601 date, or a number of seconds, or of milliseconds
    /// from 10¹¹ on.
    fn moment_ms(self) -> Option<f64> {
        match self {
            Scalar::Flag(_) => None,
            Scalar::Number(number) => Some(unix_ms(number)),
            Scalar::Text(text) => match number(text) {
                Some(number) => Some(unix_ms(number)),
                None => iso_ms(text).map(|ms| ms as f64),
            },
        }
    }
}

/// Converts a number of seconds, or of milliseconds from 10¹¹ on, to milliseconds since 1970. Drops parts of a
/// millisecond.
fn unix_ms(number: f64) -> f64 {
    if number.abs() < 1e11 { (number * 1_000.0).floor() } else { number.floor() }
}

/// Parses a finite number, with ASCII white space around it: decimal digits with an optional sign, fraction and
/// exponent.
///
/// `None` for other text, and for numbers that are too large for a double.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    // Rust also parses words such as `inf`, which are not numbers here.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if !plain {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses `YYYY-MM-DD`, alone or followed by `T` or a space, `HH:MM`, `:SS`, a fraction of up to nine digits, and `Z`
/// or `±HH:MM`. Returns milliseconds since 1970. Without an offset, the time is in UTC.
///
/// `None` for any other text, for days that do not exist, and for the second 60. Digits after the third of a fraction
/// are dropped.
pub(crate) fn iso_ms(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| -> Option<i64> {
        let part = bytes.get(from..to)?;
        part.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    if !is(4, b'-') || !is(7, b'-') {
        return None;
    }
    let day_ms = days_from_1970(digits(0, 4)?, digits(5, 7)?, digits(8, 10)?)? * 86_400_000;
    if bytes.len() == 10 {
        return Some(day_ms);
    }
    if !(is(10, b'T') || is(10, b' ')) || !is(13, b':') {
        return None;
    }
    let (hour, minute) = (digits(11, 13)?, digits(14, 16)?);
    let mut at = 16;
    let mut second = 0;
    let mut fraction_ms = 0;
    if is(at, b':') {
        second = digits(17, 19)?;
        at = 19;
        if is(at, b'.') {
            let length = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if !(1..=9).contains(&length) {
                return None;
            }
            for place in 0..3 {
                let digit = if place < length { i64::from(bytes[at + 1 + place] - b'0') } else { 0 };
                fraction_ms = fraction_ms * 10 + digit;
            }
            at += 1 + length;
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let offset_minutes = match bytes.get(at) {
        None => 0,
        Some(b'Z') if bytes.len() == at + 1 => 0,
        Some(sign @ (b'+' | b'-')) if bytes.len() == at + 6 && is(at + 3, b':') => {
            let (hours, minutes) = (digits(at + 1, at + 3)?, digits(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = hours * 60 + minutes;
            if *sign == b'-' { -minutes } else { minutes }
        }
        Some(_) => return None,
    };
    Some(day_ms + ((hour * 60 + minute - offset_minutes) * 60 + second) * 1_000 + fraction_ms)
}

/// Days since 1970-01-01 in the Gregorian calendar. `None` for days that do not exist.
fn days_from_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Counting years from March puts the leap day last.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(before + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

/// Returns whether `text` contains `part`. The letters A–Z equal a–z.
pub(crate) fn contains_folded(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    part.is_empty() || text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

/// Order of two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Inequality {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Inequality {
    /// Returns whether `left` and `right` are in this order. False when either is not a number.
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Inequality::Greater => left > right,
            Inequality::GreaterOrEqual => left >= right,
            Inequality::Less => left < right,
            Inequality::LessOrEqual => left <= right,
        }
    }
}

/// Condition of an operator. A `bool` is the result that satisfies the operator.
#[derive(Debug, Clone, PartialEq)]
enum Operation {
    /// A value exists.
    Exists(bool),
    /// The value has this truth value. A value that is neither true nor false satisfies neither operator.
    Truth(bool),
    /// The value equals the rule's.
    Equals(bool),
    /// The value's text contains the rule's.
    Contains(bool),
    /// Compares the value's number with this one.
    Compares(Inequality, f64),
    /// Compares the milliseconds from the value's moment to now with this number; negative for a moment in the future.
    Ago(Inequality, f64),
}

/// An operator with the rule's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    operation: Operation,
    /// The rule's value as text; empty without a value.
    text: Box<str>,
    /// True when the rule's value was written as a number.
    is_number: bool,
    /// The rule's value as a number, when it is or reads as one.
    number: Option<f64>,
}

/// Milliseconds in a day.
const DAY_MS: f64 = 86_400_000.0;

impl Comparison {
    /// Compiles an operator with the rule's value.
    ///
    /// `None` for an unknown operator, or when a required value is missing. The domain refuses both, but a ruleset file
    /// may have been written by hand.
    pub(crate) fn compile(operator: &Operator, value: Option<&Stored>) -> Option<Self> {
        let (text, is_number, number) = match value {
            None if !operator.takes_no_value() => return None,
            None => (Cow::Borrowed(""), false, None),
            Some(Stored::Flag(flag)) => (Scalar::Flag(*flag).text(), false, None),
            // All numbers are doubles, as in a browser.
            Some(Stored::Integer(integer)) => (Scalar::Number(*integer as f64).text(), true, Some(*integer as f64)),
            Some(Stored::Number(number)) => (Scalar::Number(*number).text(), true, Some(*number)),
            Some(Stored::Text(text)) => (text.as_str().into(), false, number(text)),
        };
        let compares = |order| number.map(|number| Operation::Compares(order, number));
        let ago = |order| number.map(|days| Operation::Ago(order, days * DAY_MS));
        let operation = match operator.as_str() {
            "ex" => Operation::Exists(true),
            "nx" => Operation::Exists(false),
            "bt" => Operation::Truth(true),
            "bf" => Operation::Truth(false),
            "==" => Operation::Equals(true),
            "!=" => Operation::Equals(false),
            "**" => Operation::Contains(true),
            "!*" => Operation::Contains(false),
            "gt" | ">" => compares(Inequality::Greater)?,
            "gte" | ">=" => compares(Inequality::GreaterOrEqual)?,
            "lt" | "<" => compares(Inequality::Less)?,
            "lte" | "<=" => compares(Inequality::LessOrEqual)?,
            "days_gt" => ago(Inequality::Greater)?,
            "days_gte" => ago(Inequality::GreaterOrEqual)?,
            "days_lt" => ago(Inequality::Less)?,
            "days_lte" => ago(Inequality::LessOrEqual)?,
            _ => return None,
        };
        Some(Self { operation, text: text.into(), is_number, number })
    }

    /// Returns whether the comparison holds for the visitor's value (`None` when absent). `now_ms` is the time of the
    /// decision in milliseconds since 1970; only `days_…` operators use it.
    pub(crate) fn holds(&self, left: Option<Scalar<'_>>, now_ms: i64) -> bool {
        let Some(left) = left else {
            // An absent value equals nothing and contains nothing.
            return matches!(
                self.operation,
                Operation::Exists(false) | Operation::Equals(false) | Operation::Contains(false)
            );
        };
        match self.operation {
            Operation::Exists(wanted) => wanted,
            Operation::Truth(wanted) => left.truth() == Some(wanted),
            Operation::Equals(wanted) => self.equals(left) == wanted,
            Operation::Contains(wanted) => contains_folded(&left.text(), &self.text) == wanted,
            Operation::Compares(order, right) => left.number().is_some_and(|left| order.holds(left, right)),
            Operation::Ago(order, right) => {
                left.moment_ms().is_some_and(|moment| order.holds(now_ms as f64 - moment, right))
            }
        }
    }

    /// Compares as numbers when either side was written as a number and the other reads as one. Otherwise compares as
    /// text, where the letters A–Z equal a–z.
    fn equals(&self, left: Scalar<'_>) -> bool {
        if (self.is_number || matches!(left, Scalar::Number(_)))
            && let (Some(left), Some(right)) = (left.number(), self.number)
        {
            return left == right;
        }
        left.text().eq_ignore_ascii_case(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (text, ms) in [
            ("1970-01-01", Some(0)),
            ("2026-03-01T10:00:00Z", Some(1_772_359_200_000)),
            ("2026-03-01 11:00+01:00", Some(1_772_359_200_000)),
            ("2026-03-01T10:00:00.1239", Some(1_772_359_200_123)),
            ("2026-03-01T10:00:00.5Z", Some(1_772_359_200_500)),
            ("2024-02-29", Some(1_709_164_800_000)),
            ("1969-12-31T23:59:59Z", Some(-1_000)),
            ("2023-02-29", None),
            ("2026-13-01", None),
            ("2026-03-01T24:00Z", None),
            ("2026-03-01T10", None),
            ("2026-03-01T10:00:00.Z", None),
            ("2026-03-01T10:00:00Zx", None),
            ("20260301", None),
            ("2026-03-0é", None),
        ] {
            assert_eq!(iso_ms(text), ms, "{text}");
        }
        for day in (-800_000i64..800_000).step_by(997) {
            let date = jiff::civil::date(1970, 1, 1) + jiff::SignedDuration::from_hours(24 * day);
            if (0..=9999).contains(&date.year()) {
                assert_eq!(iso_ms(&date.to_string()), Some(day * 86_400_000), "{date}");
            }
        }
    }

    #[test]
    fn numbers() {
        for (text, expect) in [
            ("5", Some(5.0)),
            (" 5.50\t", Some(5.5)),
            ("-.5e1", Some(-5.0)),
            ("+7.", Some(7.0)),
            ("1e999", None),
            ("inf", None),
            ("0x10", None),
            ("1_000", None),
            ("1,5", None),
            ("", None),
            ("e", None),
        ] {
            assert_eq!(number(text), expect, "{text}");
        }
    }
}
