//! Schema of an experiment's configuration.

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
        /// Settings for running and ending an experiment. Missing keys return to their
        /// defaults.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Configuration {
            $($(#[doc = $doc])* #[schema($($schema)*)] $setting: Option<$($published)*>,)*
        }
    };
}
configuration_settings!(configuration_schema);

/// `"equal"`, `"manual"` (the weights in force), an object of weights, or a string with such
/// an object as JSON.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Distribution {
    /// `equal`, `manual`, or weights as JSON.
    Text(String),
    /// Weights by variant name.
    Weights(Weights),
}

/// Percent per variant, by name. The values sum to 100.
pub(crate) struct Weights;

impl PartialSchema for Weights {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "Percent per variant, by name, with up to two decimals. Every variant is named, and the values sum to 100.",
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

/// An integration, stored as sent.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Integration {
    /// Name of the integration.
    Text(String),
    /// Name and settings.
    Object(serde_json::Map<String, serde_json::Value>),
}
