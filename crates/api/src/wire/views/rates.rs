//! Currency rates in responses.

use muriel_domain::rates::Rates;
use serde::Serialize;
use utoipa::ToSchema;

/// The project's currency rates.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesAnswer {
    /// Always true.
    success: bool,
    /// Currency to which amounts are converted; null without a table.
    #[schema(required)]
    currency: Option<String>,
    /// Number of rates in the table.
    count: usize,
    /// Rates by currency, then by date.
    rates: Vec<CurrencyRate>,
}

/// Value of one unit of a currency from a day on, until its next rate.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurrencyRate {
    /// First day on which it applies, in UTC.
    #[schema(format = Date)]
    date: String,
    /// ISO 4217 code.
    currency: String,
    /// Value of one unit in the currency of the table.
    rate: f64,
}

/// Currency rates were set.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesChanged {
    /// Always true.
    pub(crate) success: bool,
    /// Currency to which amounts are converted; null without a table.
    #[schema(required)]
    pub(crate) currency: Option<String>,
    /// Number of rates in the table.
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
