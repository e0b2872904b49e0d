//! The body of every error.

use utoipa::ToSchema;

/// The body of every error.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorBody {
    /// Always false.
    success: bool,
    /// A sentence for a person.
    error: String,
    /// One of the documented codes.
    code: String,
    /// Every problem that was found, with its place.
    errors: Vec<FieldError>,
    /// Identifies the request; quote it when asking for help.
    request_id: String,
}

/// What is wrong with one value.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldError {
    /// Its place: `variants[1].name`.
    field: String,
    /// What is wrong, continuing the field's name.
    message: String,
}
