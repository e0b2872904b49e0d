//! Currency rates: the values of other currencies in a project's own.

use crate::{Flaw, Instant, Problems};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of rates in a project: a year of daily rates for about 27 currencies.
pub const RATES_MAX: usize = 10_000;
/// Maximum value of one unit of a currency. Above it, values would no longer be exact in integers.
const RATE_MAX: f64 = 1e6;
/// Minimum value of one unit of a currency. Smaller values would be rounded to too few units.
const RATE_MIN: f64 = 1e-7;
/// A rate of 1 in the integer units that events are converted with: ten decimals.
pub const RATE_UNITS: i64 = 10_000_000_000;

/// Value of one unit of a currency, from a day on until the currency's next rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// First day of the rate, in UTC: `2026-03-01`.
    pub date: String,
    /// ISO 4217 code.
    pub currency: String,
    /// Value of one unit, in the currency of the table. From 10⁻⁷ to 1,000,000.
    pub rate: f64,
}

impl Rate {
    /// First moment of the rate: midnight in UTC at the start of its day.
    pub fn since(&self) -> Instant {
        // The date was checked when the table was made, so the fallback is never used.
        Instant::parse(&self.date).unwrap_or(Instant::from_us(i64::MAX))
    }
}

/// A project's currency rates. Orders in other currencies are converted to [`Rates::currency`].
///
/// The last rate at or before an order converts it. The table has no rate for its own currency,
/// because that rate is 1.
///
/// ```
/// use muriel_domain::{Instant, rates::{Rate, Rates}};
///
/// let rate = |date: &str, rate| Rate { date: date.into(), currency: "USD".into(), rate };
/// let rates = Rates::new("EUR", vec![rate("2026-03-02", 0.9), rate("2026-03-01", 0.8)]).unwrap();
/// let day = |text| Instant::parse(text).unwrap();
/// let known = rates.between(day("2026-03-01"), day("2026-03-02"));
/// assert_eq!(known["USD"].values().collect::<Vec<_>>(), [&0.8]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Target currency of every conversion, ISO 4217.
    currency: String,
    /// Sorted by currency, then by date.
    rates: Vec<Rate>,
}

impl Rates {
    /// Returns the table, sorted by currency and date, in whatever order the rates were sent.
    ///
    /// All problems are reported together, except that a table with more than [`RATES_MAX`] rates
    /// is not checked further.
    ///
    /// # Errors
    /// Each invalid code, date and rate, with its field; a repeated pair of currency and date; no
    /// rates at all, and more than [`RATES_MAX`].
    pub fn new(currency: &str, mut rates: Vec<Rate>) -> Result<Self, Problems> {
        let mut found = Problems::default();
        if let Err(flaw) = parse_currency(currency) {
            found.add("currency", flaw.to_string());
        }
        if rates.is_empty() {
            found.add("rates", "must have at least one rate; to remove the table, send currency null and no rates");
        }
        if rates.len() > RATES_MAX {
            found.add("rates", format!("must have at most {RATES_MAX} rates"));
            return Err(found);
        }
        let mut seen = HashSet::new();
        for (at, rate) in rates.iter().enumerate() {
            let mut add = |field: &str, message: String| found.add(format!("rates[{at}].{field}"), message);
            match parse_currency(&rate.currency) {
                Err(flaw) => add("currency", flaw.to_string()),
                Ok(()) if rate.currency == currency => {
                    add("currency", format!("must not be {currency}, the currency of the table: its rate is 1"));
                }
                Ok(()) => {}
            }
            if let Err(flaw) = parse_date(&rate.date) {
                add("date", flaw.to_string());
            }
            if !(RATE_MIN..=RATE_MAX).contains(&rate.rate) {
                add("rate", format!("must be a number from {RATE_MIN} to {RATE_MAX}: the value of 1 unit"));
            }
            if !seen.insert((&rate.currency, &rate.date)) {
                add("date", "is repeated for this currency".to_owned());
            }
        }
        if !found.is_empty() {
            return Err(found);
        }
        rates.sort_by(|a, b| (&a.currency, &a.date).cmp(&(&b.currency, &b.date)));
        Ok(Self { currency: currency.to_owned(), rates })
    }

    /// Target currency of every conversion.
    pub fn currency(&self) -> &str {
        &self.currency
    }

    /// All rates, sorted by currency and then by date.
    pub fn rates(&self) -> &[Rate] {
        &self.rates
    }

    /// Returns the rates needed for orders from `from` (inclusive) until `until` (exclusive), by
    /// currency and date: the last rate at or before `from`, and all that begin later. Leaves out a
    /// rate that equals the one before it.
    ///
    /// A currency whose first rate begins after `from` has no rate for the time before. The result
    /// is empty when no rate begins before `until`.
    pub fn between(&self, from: Instant, until: Instant) -> BTreeMap<String, BTreeMap<String, f64>> {
        let mut kept: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        for rate in self.rates.iter().filter(|rate| rate.since() < until) {
            let of_currency = kept.entry(rate.currency.clone()).or_default();
            if rate.since() <= from {
                of_currency.clear();
            } else if of_currency.last_key_value().is_some_and(|(_, before)| *before == rate.rate) {
                continue;
            }
            of_currency.insert(rate.date.clone(), rate.rate);
        }
        kept
    }
}

/// Checks that the text has the shape of an ISO 4217 code: three capital letters. Does not check
/// that the code is assigned, because the list changes.
///
/// # Errors
/// Any other text.
pub fn parse_currency(text: &str) -> Result<(), Flaw> {
    if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(());
    }
    Err(Flaw::new("must be a currency code of ISO 4217 in capitals, such as EUR"))
}

/// Checks that the text is a calendar day such as `2026-03-01`, from 1970 on.
///
/// # Errors
/// Any other text, and days that the month does not have.
pub fn parse_date(text: &str) -> Result<(), Flaw> {
    let is_shaped = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match Instant::parse(text) {
        Ok(at) if is_shaped && at.us() >= 0 => Ok(()),
        _ => Err(Flaw::new("must be a date like 2026-03-01, from 1970 on")),
    }
}

/// Converts a rate to [`RATE_UNITS`], rounded to the nearest. Rates are clamped to 0 to 1,000,000.
/// NaN becomes 0.
pub fn rate_units(rate: f64) -> i64 {
    (rate.clamp(0.0, RATE_MAX) * RATE_UNITS as f64).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(date: &str, currency: &str, rate: f64) -> Rate {
        Rate { date: date.into(), currency: currency.into(), rate }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let check = |currency: &str, rates: &[Rate], expect: &[&str]| {
            let found = Rates::new(currency, rates.to_vec()).map_or_else(|found| found, |_| Problems::default());
            let fields: Vec<_> = found.iter().map(|problem| problem.field.to_string()).collect();
            assert_eq!(fields, expect, "{currency} {rates:?}");
        };
        let good = rate("2026-03-01", "USD", 0.92);
        check("EUR", std::slice::from_ref(&good), &[]);
        check("eur", std::slice::from_ref(&good), &["currency"]);
        check("EUR", &[], &["rates"]);
        check("EUR", &[good.clone(), good.clone()], &["rates[1].date"]);
        check("USD", std::slice::from_ref(&good), &["rates[0].currency"]);
        for (date, code, value, field) in [
            ("2026-02-30", "USD", 1.0, "date"),
            ("2026-03-01T00:00:00Z", "USD", 1.0, "date"),
            ("1969-12-31", "USD", 1.0, "date"),
            ("2026-03-01", "US", 1.0, "currency"),
            ("2026-03-01", "USD", 0.0, "rate"),
            ("2026-03-01", "USD", -1.0, "rate"),
            ("2026-03-01", "USD", 2e6, "rate"),
            ("2026-03-01", "USD", f64::NAN, "rate"),
        ] {
            check("EUR", &[rate(date, code, value)], &[&format!("rates[0].{field}")]);
        }
        check("EUR", &vec![good; RATES_MAX + 1], &["rates"]);
    }

    #[test]
    fn what_matters_is_what_holds_in_the_time() {
        let rates = Rates::new(
            "EUR",
            vec![
                rate("2026-03-05", "USD", 0.9),
                rate("2026-03-03", "USD", 0.8),
                rate("2026-03-04", "USD", 0.8),
                rate("2026-03-01", "USD", 0.5),
                rate("2026-03-02", "USD", 0.7),
                rate("2026-03-09", "GBP", 1.2),
            ],
        )
        .unwrap();
        let at = |text: &str| Instant::parse(text).unwrap();
        let kept = rates.between(at("2026-03-02T10:00:00Z"), at("2026-03-08T00:00:00Z"));
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(text, r#"{"USD":{"2026-03-02":0.7,"2026-03-03":0.8,"2026-03-05":0.9}}"#);
        assert_eq!(rate_units(0.92), 9_200_000_000);
    }
}
