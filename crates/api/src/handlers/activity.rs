//! Goal activity, and the installation of the script.

use super::goals::id_in;
use crate::answer::json as answered;
use crate::auth::{Caller, Read};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::views;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri, header};
use muriel_service::{App, goals, install};

/// Counts how often a goal was matched in the last days, in events of all visitors, and lists the experiments that
/// report it.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/goal/{goal_profile_id}/activity", tag = "Goals", operation_id = "getGoalActivity",
    params(
        ("days" = inline(Option<i64>), Query, minimum = 1, maximum = 90, description = "Number of days, including today; 14 unless given."),
    ),
    responses((status = 200, description = "Day by day.", body = views::GoalActivity)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn goal_activity(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let mut query = Query::read(uri.query(), &["days"]);
    let days = query.number("days", (1, 90), 14);
    query.finish()?;
    let activity = goals::activity(&app, &caller.project, id, days).await?;
    answered(StatusCode::OK, &views::GoalActivity::from(activity))
}

/// Returns how to install the script on the pages of a project, and whether it was seen there.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/install", tag = "Dashboard", operation_id = "getInstall",
    responses((status = 200, description = "Pages and servers that sent events recently.", body = views::Install)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn install_show(
    State(app): State<App>,
    caller: Caller<Read>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let server = server(&headers).unwrap_or_default();
    let found = install::installation(&app, &caller.project, &server).await?;
    answered(StatusCode::OK, &views::Install::new(found, &caller.project.key))
}

/// Base URL by which this request reached the server. Only the sender of the request gets it. Except on the same
/// machine, HTTPS is assumed: browsers do not load a script over HTTP into most pages.
fn server(headers: &HeaderMap) -> Option<String> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    if host.is_empty() || host.len() > 255 || !host.chars().all(is_plain) {
        return None;
    }
    let is_local = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|local| host.strip_prefix(local).is_some_and(|port| port.is_empty() || port.starts_with(':')));
    Some(format!("{}://{host}", if is_local { "http" } else { "https" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_server_as_the_request_has_named_it() {
        for (host, expect) in [
            ("muriel.example", Some("https://muriel.example")),
            ("127.0.0.1:7000", Some("http://127.0.0.1:7000")),
            ("localhost", Some("http://localhost")),
            ("localhost.evil.example", Some("https://localhost.evil.example")),
            ("[::1]:80", Some("http://[::1]:80")),
            ("a\"><script>", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            assert_eq!(server(&headers).as_deref(), expect, "{host}");
        }
    }
}
