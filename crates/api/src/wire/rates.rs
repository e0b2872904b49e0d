//! Parses currency rates in request bodies.

use super::fields::{Fields, from_body, list, nullable, text};
use crate::json::Json;
use muriel_domain::rates::{RATES_MAX, Rate, Rates};
use muriel_domain::{Flaw, Problems};

/// Parses the table; `None` to remove it.
pub(crate) fn rates(body: &Json) -> Result<Option<Rates>, Problems> {
    let (currency, rates) = from_body(body, |fields| {
        fields.only(&["currency", "rates"], &[]);
        let currency = fields.needed("currency", nullable(|value| text(value).map(str::to_owned)));
        fields.require("rates");
        let rates = fields.read_deep("rates", |value, place| {
            list(value, &place, RATES_MAX, fields.found(), |item, place| {
                let fields = Fields::new(item, place, fields.found())?;
                fields.only(&["date", "currency", "rate"], &[]);
                let date = fields.needed("date", |value| text(value).map(str::to_owned));
                let currency = fields.needed("currency", |value| text(value).map(str::to_owned));
                let rate =
                    fields.needed("rate", |value| value.as_number().ok_or_else(|| Flaw::new("must be a number")));
                Some(Rate { date: date?, currency: currency?, rate: rate? })
            })
        });
        Some((currency?, rates?))
    })?;
    match currency {
        Some(currency) => Rates::new(&currency, rates).map(Some),
        None if rates.is_empty() => Ok(None),
        None => Err(Problems::one("currency", "must name the currency that the rates convert to, such as EUR")),
    }
}
