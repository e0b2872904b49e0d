//! The configuration of an experiment.

use super::words::{Flag, Moment};
use muriel_domain::configuration_settings;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! configuration_schema {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr, $(stored by $stored:literal,)? patch $patch:ty as $merge:ident
            => $read:ident [$($published:tt)*] { $($schema:tt)* };
    )*) => {
        /// How an experiment runs and ends. Keys that are left out return to their defaults.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Configuration {
            $($(#[doc = $doc])* #[schema($($schema)*)] $setting: Option<$($published)*>,)*
        }
    };
}
configuration_settings!(configuration_schema);

/// `"equal"`, `"manual"` (the weights in force), weights, or text that holds weights as JSON.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Distribution {
    /// A word, or JSON text of the weights.
    Text(String),
    /// The weights.
    Weights(Weights),
}

/// Percent per arm, by name; they sum to 100.
pub(crate) struct Weights;

impl PartialSchema for Weights {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "Percent per arm, by name, with up to two decimals; every arm is named; they sum to 100.",
            ))
            .additional_properties(Some(
                ObjectBuilder::new().schema_type(Type::Number).minimum(Some(0.0)).maximum(Some(100.0)),
            ))
            .into()
    }
}

impl ToSchema for Weights {
    fn name() -> Cow<'static, str> {
        "Weights".into()
    }
}

/// An integration, kept as it was sent.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Integration {
    /// Its name.
    Text(String),
    /// Its settings.
    Object(serde_json::Map<String, serde_json::Value>),
}
