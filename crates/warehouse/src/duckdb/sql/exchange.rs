//! Conversion of orders in other currencies into one currency.

use super::read::Db;
use super::{Result, literal};
use crate::answer::MAX_VALUE;
use crate::question::ExchangeRates;
use muriel_domain::rates::RATE_UNITS;

/// Converts the table `orders`, at the exchange rate of each order's day. A refund is
/// converted at the rate of its order, so that a full refund leaves a value of zero. Orders
/// without a rate keep their currency. `refunds` is true when there are refunds.
pub(super) fn convert(db: &Db<'_>, exchange: &ExchangeRates, refunds: bool) -> Result<()> {
    if exchange.spans.is_empty() {
        return Ok(());
    }
    let spans: Vec<String> = exchange
        .spans
        .iter()
        .map(|span| {
            let until = span.until.map_or(i64::MAX, muriel_domain::Instant::us);
            format!("({}, {}, {until}, {})", literal(&span.currency), span.since.us(), span.rate)
        })
        .collect();
    // Rounded half away from zero, in integers. Values are limited to MAX_VALUE anyway.
    let half = RATE_UNITS / 2;
    let worth = |column: &str| {
        format!(
            "CASE WHEN r.rate IS NULL THEN o.{column} ELSE greatest(least(
               (coalesce(o.{column}, 0)::HUGEINT * r.rate + CASE WHEN o.{column} < 0 THEN -{half} ELSE {half} END) // {RATE_UNITS},
               {MAX_VALUE}), -{MAX_VALUE})::BIGINT END AS {column}"
        )
    };
    let (at, mut replaced) = match refunds {
        true => ("o.ordered_at", vec![worth("amount"), worth("gross")]),
        false => ("o.\"at\"", vec![worth("amount")]),
    };
    replaced
        .push(format!("CASE WHEN r.rate IS NULL THEN o.currency ELSE {} END AS currency", literal(&exchange.currency)));
    db.run(&format!(
        "CREATE OR REPLACE TEMP TABLE orders AS
         WITH rates (currency, since, until, rate) AS (VALUES {spans})
         SELECT o.* REPLACE ({replaced})
         FROM orders AS o
         LEFT JOIN rates AS r ON r.currency = o.currency AND {at} >= r.since AND {at} < r.until",
        spans = spans.join(", "),
        replaced = replaced.join(", "),
    ))
}
