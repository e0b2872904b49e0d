//! Bodies about API keys.

use super::words::ScopeName;
use utoipa::ToSchema;

/// A new API key.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyBody {
    /// Purpose of the key.
    #[schema(min_length = 1, max_length = 255, example = "nightly export")]
    name: String,
    /// Permissions.
    #[schema(min_items = 1)]
    scopes: Vec<ScopeName>,
    /// Keys of the projects to which it is limited; null or left out for all projects of the company.
    #[schema(min_items = 1, max_items = 1000)]
    projects: Option<Vec<String>>,
    /// Days until it expires; null for a key that does not expire. Default: 365.
    #[schema(minimum = 1, maximum = 36500, example = 365)]
    expires_in_days: Option<i64>,
}
