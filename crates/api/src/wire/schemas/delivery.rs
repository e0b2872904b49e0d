//! Schemas of documents that pages fetch: rulesets, previews, geography.

use super::words::PartName;
use utoipa::ToSchema;

/// A project's ruleset, as described in docs/assignment.md.
#[derive(ToSchema)]
pub(crate) struct RulesetDocument {
    /// Format version, 1.
    format: i64,
    /// Version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
}

/// Content of a preview.
#[derive(ToSchema)]
pub(crate) struct PreviewDocument {
    /// Format version, 1.
    format: i64,
    /// Version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
    /// Parts of the script that the preview needs, files of `/js/parts/`.
    parts: Vec<PartName>,
}

/// Location of a connection.
#[derive(ToSchema)]
pub(crate) struct GeographyAnswer {
    /// Country as an ISO 3166-1 alpha-2 code.
    country: Option<String>,
    /// Region, such as `California (US)`.
    region: Option<String>,
    /// City, such as `Berlin (Berlin)`.
    city: Option<String>,
}
