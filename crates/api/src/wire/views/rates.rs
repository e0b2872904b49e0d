//! Currency rates in answers.

use muriel_domain::rates::Rates;
use serde::Serialize;
use utoipa::ToSchema;

/// The project's currency rates.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesAnswer {
    /// Always true.
    success: bool,
    /// The currency that all is converted to; null without a table.
    #[schema(required)]
    currency: Option<String>,
    /// Rates in the table.
    count: usize,
    /// By currency, then by date.
    rates: Vec<CurrencyRate>,
}

/// What one unit of a currency is worth from a day on, until the next rate of it.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurrencyRate {
    /// The day on which it begins, in UTC.
    #[schema(format = Date)]
    date: String,
    /// ISO 4217.
    currency: String,
    /// In the currency of the table.
    rate: f64,
}

/// Currency rates were set.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesChanged {
    /// Always true.
    pub(crate) success: bool,
    /// The currency that all is converted to; null without a table.
    #[schema(required)]
    pub(crate) currency: Option<String>,
    /// Rates in the table.
    pub(crate) count: usize,
}

impl RatesAnswer {
    pub(crate) fn new(rates: Option<&Rates>) -> Self {
        let all = rates.map(Rates::rates).unwrap_or_default();
        let shown = |rate: &muriel_domain::rates::Rate| CurrencyRate {
            date: rate.date.clone(),
            currency: rate.currency.clone(),
            rate: rate.rate,
        };
        Self {
            success: true,
            currency: rates.map(|rates| rates.currency().to_owned()),
            count: all.len(),
            rates: all.iter().map(shown).collect(),
        }
    }
}
