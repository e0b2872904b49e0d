//! Parsers of flags.

use super::Weights;
use muriel_analysis::simulate::{DAILY_MAX, SIGMA_MAX};
use muriel_domain::experiment::VARIANTS_MAX;

type Parsed<T> = Result<T, String>;

fn number(text: &str) -> Parsed<f64> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite()).ok_or_else(|| "must be a number".to_owned())
}

/// Parses weights such as `50,50`, of two arms or more.
pub(super) fn weights(text: &str) -> Parsed<Weights> {
    const PROBLEM: &str = "must be weights such as 50,50 or 80,10,10, from 0 to 10000";
    let parsed: Option<Vec<u32>> = text
        .split(',')
        .map(|part| {
            let weight = number(part).ok().filter(|weight| (0.0..=10_000.0).contains(weight))?;
            Some((weight * 100.0).round() as u32)
        })
        .collect();
    let weights = parsed.ok_or(PROBLEM)?;
    if weights.len() < 2 {
        return Err("must have a weight for the control and one for each variant, such as 50,50".to_owned());
    }
    if weights.len() > VARIANTS_MAX + 1 {
        return Err(format!("has more than {VARIANTS_MAX} variants"));
    }
    if weights[0] == 0 || weights[1] == 0 {
        return Err("must give the control and the first variant a share, such as 50,50".to_owned());
    }
    Ok(Weights(weights))
}

/// Parses a conversion rate, in percent.
pub(super) fn part(text: &str) -> Parsed<f64> {
    let percent = number(text)?;
    if percent > 0.0 && percent < 100.0 { Ok(percent) } else { Err("must be more than 0 and less than 100".to_owned()) }
}

/// Parses the smallest lift worth acting on, in percent.
pub(super) fn mde(text: &str) -> Parsed<f64> {
    let percent = number(text)?;
    if percent > 0.0 && percent <= 1_000.0 {
        Ok(percent)
    } else {
        Err("must be more than 0 and at most 1000".to_owned())
    }
}

/// Parses a true lift, in percent.
pub(super) fn effect(text: &str) -> Parsed<f64> {
    let percent = number(text)?;
    if (-100.0..=1_000.0).contains(&percent) {
        Ok(percent)
    } else {
        Err("must be from -100 to 1000, in percent of the control's rate".to_owned())
    }
}

/// Parses a number of visitors per day.
pub(super) fn above_zero(text: &str) -> Parsed<f64> {
    let number = number(text)?;
    if number > 0.0 && number <= DAILY_MAX {
        Ok(number)
    } else {
        Err(format!("must be more than 0 and at most {DAILY_MAX}"))
    }
}

/// Parses the standard deviation of the logarithm of order values.
pub(super) fn sigma(text: &str) -> Parsed<f64> {
    let number = number(text)?;
    if (0.0..=SIGMA_MAX).contains(&number) { Ok(number) } else { Err(format!("must be from 0 to {SIGMA_MAX}")) }
}

/// Parses `yes` or `no`.
pub(super) fn yes_or_no(text: &str) -> Parsed<bool> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("must be yes or no".to_owned()),
    }
}
