//! What pages fetch: rulesets, previews, geography.

use super::words::PartName;
use utoipa::ToSchema;

/// A project's ruleset; docs/assignment.md describes it.
#[derive(ToSchema)]
pub(crate) struct RulesetDocument {
    /// 1.
    format: i64,
    /// The version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
}

/// What a preview shows.
#[derive(ToSchema)]
pub(crate) struct PreviewDocument {
    /// 1.
    format: i64,
    /// The version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
    /// Parts of the script that it needs, files of `/js/parts/`.
    parts: Vec<PartName>,
}

/// Where a connection comes from.
#[derive(ToSchema)]
pub(crate) struct GeographyAnswer {
    /// ISO 3166-1 alpha-2.
    country: Option<String>,
    /// `California (US)`.
    region: Option<String>,
    /// `Berlin (Berlin)`.
    city: Option<String>,
}
