//! Who did something, in answers.

use crate::wire::schemas;
use muriel_service::actors::{Described, Kind};
use serde::Serialize;
use utoipa::ToSchema;

/// Who did something.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActorView {
    /// What kind of actor it is. Programs and agents have a key; the clock is of the system.
    #[schema(value_type = schemas::ActorKind)]
    kind: &'static str,
    /// The person's id, the key's 8 characters, or the name of the part of the program.
    #[schema(example = "Ab3dE6gH")]
    id: String,
    /// The name of the key or the person; the id where that is not known any more.
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
