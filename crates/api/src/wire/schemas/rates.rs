//! Currency rates.

use utoipa::ToSchema;

/// Complete table of the project's currency rates.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesBody {
    /// Currency to which amounts are converted, ISO 4217. Null, with no rates, removes the
    /// table.
    #[schema(required, pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
    /// Rates, at most one per currency and day.
    #[schema(max_items = 10_000)]
    rates: Vec<RateSent>,
}

/// Value of one unit of a currency from a day on, until its next rate.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateSent {
    /// First day on which it applies, in UTC.
    #[schema(format = Date)]
    date: String,
    /// ISO 4217 code, different from the currency of the table.
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: String,
    /// Value of one unit in the currency of the table.
    #[schema(minimum = 0.000_000_1, maximum = 1_000_000)]
    rate: f64,
}
