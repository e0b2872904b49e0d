//! The audit log.

use crate::answer::json;
use crate::auth::{Admin, CompanyCaller};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::views;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use muriel_context::audit::{self, Inquiry};
use muriel_domain::{Flaw, Instant};
use muriel_service::App;

/// Maximum number of entries of a CSV table.
const CSV_MAX: i64 = 10_000;
/// Header field with the cursor of the next page of a table.
const CURSOR: HeaderName = HeaderName::from_static("x-muriel-cursor");

/// CSV file that browsers save as `name`, which has letters and dots only.
pub(super) fn csv_file(name: &str, csv: String, next_cursor: Option<String>) -> Response {
    let mut response = Response::new(Body::from(csv));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    if let Ok(disposition) = HeaderValue::try_from(format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    if let Some(Ok(cursor)) = next_cursor.map(HeaderValue::try_from) {
        headers.insert(CURSOR, cursor);
    }
    response
}

/// Lists what was done in the company, newest first, with actor, action, and values before and after.
///
/// The hash of each entry covers the hash of the entry before, so `muriel audit verify` detects changed and missing
/// entries.
#[utoipa::path(
    get, path = "/v2/audit", tag = "Audit", operation_id = "listAudit",
    params(
        ("actor" = inline(Option<String>), Query, max_length = 255, description = "Only actions of this actor: a person's id or e-mail address, the 8 characters of a key, or a name such as `command line`."),
        ("object" = inline(Option<String>), Query, max_length = 255, description = "Only actions on objects of this kind (`experiment`), or on this object (`experiment:17`)."),
        ("project" = inline(Option<String>), Query, max_length = 64, description = "Only actions in the project with this key."),
        ("from" = inline(Option<String>), Query, description = "Only entries from this moment on; a date is its midnight in UTC."),
        ("to" = inline(Option<String>), Query, description = "Only entries before this moment."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500. Larger values count as 500."),
        ("cursor" = inline(Option<String>), Query, max_length = 32, description = "`next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "A page of the log.", body = views::AuditPage)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn audit_list(
    State(app): State<App>,
    caller: CompanyCaller<Admin>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let inquiry = inquiry(uri.query(), 50, 500)?;
    let (entries, next_cursor) = page(&app, &caller, inquiry).await?;
    json(StatusCode::OK, &views::AuditPage { success: true, count: entries.len(), entries, next_cursor })
}

/// Lists what was done in the company as a CSV table, newest first.
///
/// `X-Muriel-Cursor` has the cursor of the next page.
#[utoipa::path(
    get, path = "/v2/audit.csv", tag = "Audit", operation_id = "getAuditTable",
    params(
        ("actor" = inline(Option<String>), Query, max_length = 255, description = "Only actions of this actor: a person's id or e-mail address, the 8 characters of a key, or a name such as `command line`."),
        ("object" = inline(Option<String>), Query, max_length = 255, description = "Only actions on objects of this kind (`experiment`), or on this object (`experiment:17`)."),
        ("project" = inline(Option<String>), Query, max_length = 64, description = "Only actions in the project with this key."),
        ("from" = inline(Option<String>), Query, description = "Only entries from this moment on; a date is its midnight in UTC."),
        ("to" = inline(Option<String>), Query, description = "Only entries before this moment."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Number of entries; 10,000 unless given, which is the maximum."),
        ("cursor" = inline(Option<String>), Query, max_length = 32, description = "The `X-Muriel-Cursor` of the previous page."),
    ),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn audit_table(
    State(app): State<App>,
    caller: CompanyCaller<Admin>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let inquiry = inquiry(uri.query(), CSV_MAX, CSV_MAX)?;
    let (entries, next_cursor) = page(&app, &caller, inquiry).await?;
    Ok(csv_file("audit.csv", views::audit_csv(&entries), next_cursor))
}

/// Parses the query. `limit` is the default number of entries, `most` the maximum.
fn inquiry(query: Option<&str>, limit: i64, most: i64) -> Result<Inquiry, ApiError> {
    let mut query = Query::read(query, &["actor", "object", "project", "from", "to", "limit", "cursor"]);
    let inquiry = Inquiry {
        actor: query.text("actor", 255),
        object: query.text("object", 255),
        project: query.text("project", 64),
        from: query.parsed("from", Instant::parse),
        to: query.parsed("to", Instant::parse),
        below: query.parsed("cursor", |text| match text.parse::<i64>() {
            Ok(number) if number > 0 && !text.starts_with('+') => Ok(number),
            _ => Err(Flaw::new("must be the next_cursor of another page")),
        }),
        limit: query.limit(limit, most),
    };
    query.finish().map(|()| inquiry)
}

/// Entries of a page, and the cursor of the next one.
async fn page(
    app: &App,
    caller: &CompanyCaller<Admin>,
    inquiry: Inquiry,
) -> Result<(Vec<views::AuditEntry>, Option<String>), ApiError> {
    let (entries, next) = audit::page(app, caller.principal.company_id(), inquiry).await?;
    Ok((entries.into_iter().map(views::AuditEntry::from).collect(), next.map(|number| number.to_string())))
}
