//! Bodies about exclusions of recorded visits.

use super::ExclusionKind;
use utoipa::ToSchema;

/// A new exclusion.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionBody {
    /// Property by which it excludes.
    kind: ExclusionKind,
    /// Value of the property. `visitor`: a visitor's id. `network`: an IP address, whose /24 (IPv4) or /48 (IPv6) is
    /// excluded; visits that were sent with an API key have no network. `origin`: scheme, host and port of pages, such
    /// as `https://shop.example`. `user_agent`: one to three words for browser, system and device, such as `chrome
    /// windows desktop`. `source`: a traffic source, such as `paid`. Left out for `time`.
    #[schema(example = "203.0.113.7")]
    value: Option<String>,
    /// Only visits at or after this time. Required for `time`.
    #[schema(format = DateTime)]
    from: Option<String>,
    /// Only visits before this time. Required for `time`.
    #[schema(format = DateTime)]
    to: Option<String>,
    /// Reason, which is listed and kept in the audit log. It must not contain personal data.
    #[schema(min_length = 1, max_length = 500, example = "Load test of 1 March")]
    reason: String,
}
