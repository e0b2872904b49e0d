//! Currency rates.

use utoipa::ToSchema;

/// The project's currency rates, whole.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesBody {
    /// The currency that all is converted to, ISO 4217; null, with no rates, for no table.
    #[schema(required, pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
    /// At most one for each currency and day.
    #[schema(max_items = 10_000)]
    rates: Vec<RateSent>,
}

/// What one unit of a currency is worth from a day on, until the next rate of it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateSent {
    /// The day on which it begins, in UTC.
    #[schema(format = Date)]
    date: String,
    /// ISO 4217; not the currency of the table.
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: String,
    /// In the currency of the table.
    #[schema(minimum = 0.000_000_1, maximum = 1_000_000)]
    rate: f64,
}
