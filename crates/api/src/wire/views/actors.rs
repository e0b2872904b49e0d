//! Actors in responses.

use crate::wire::schemas;
use muriel_context::actors::{Described, Kind};
use serde::Serialize;
use utoipa::ToSchema;

/// Actor of a change.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActorView {
    /// Kind of actor. Programs and agents have `key`; the clock has `system`.
    #[schema(value_type = schemas::ActorKind)]
    kind: &'static str,
    /// Id of the person, first 8 characters of the key, or name of the server's component.
    #[schema(example = "Ab3dE6gH")]
    id: String,
    /// Name of the key or person; the id if the name is not known any more.
    name: String,
}

impl From<Described> for ActorView {
    fn from(described: Described) -> Self {
        let kind = match described.kind {
            Kind::Key => "key",
            Kind::Person => "person",
            Kind::System => "system",
        };
        Self { kind, id: described.id, name: described.name }
    }
}
