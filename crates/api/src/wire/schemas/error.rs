//! Schema of the body of all errors.

use utoipa::ToSchema;

/// Body of all errors.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorBody {
    /// Always false.
    success: bool,
    /// Message for people. Its wording can change.
    error: String,
    /// Error code, one of the documented list.
    code: String,
    /// All problems that were found.
    errors: Vec<FieldError>,
    /// Request id. Quote it when you ask for help.
    request_id: String,
}

/// Problem of one value.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldError {
    /// Path of the value, such as `variants[1].name`.
    field: String,
    /// Problem, worded to follow the field's name.
    message: String,
}
