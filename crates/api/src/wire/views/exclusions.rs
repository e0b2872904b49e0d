//! Exclusions of recorded visits.

use super::ActorView;
use crate::wire::schemas;
use muriel_context::actors::Names;
use muriel_domain::Instant;
use muriel_store::exclusions::StoredExclusion;
use serde::Serialize;
use utoipa::ToSchema;

/// The visits that a project excludes from results.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionList {
    /// Always true.
    pub(crate) success: bool,
    /// Oldest first, at most 200.
    pub(crate) exclusions: Vec<Exclusion>,
}

/// Visits that results do not count.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exclusion {
    /// Identifies the exclusion.
    exclusion_id: i64,
    /// Property by which it excludes.
    #[schema(value_type = schemas::ExclusionKind)]
    kind: &'static str,
    /// Value of the property; null for all visits of a period.
    #[schema(required)]
    value: Option<String>,
    /// Only visits at or after this time; null for no limit.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    from: Option<Instant>,
    /// Only visits before this time; null for no limit.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    to: Option<Instant>,
    /// Reason that the author gave.
    #[schema(example = "Load test of 1 March")]
    reason: String,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// Author.
    created_by: ActorView,
}

/// An exclusion was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionCreated {
    /// Always true.
    pub(crate) success: bool,
    /// The new exclusion.
    pub(crate) exclusion: Exclusion,
}

/// An exclusion was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionDeleted {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the deleted exclusion.
    pub(crate) exclusion_id: i64,
}

impl Exclusion {
    pub(crate) fn new(stored: &StoredExclusion, names: &Names) -> Self {
        let exclusion = stored.exclusion.clone();
        Self {
            exclusion_id: stored.id.0,
            kind: exclusion.kind.word(),
            value: exclusion.value,
            from: exclusion.from,
            to: exclusion.until,
            reason: exclusion.reason,
            created_at: stored.created_at,
            created_by: names.get(&stored.created_by).into(),
        }
    }
}
