//! The script for pages, and its parts in files of their own.

use super::traffic::{PathParams, delivered, encoded, path_params};
use crate::error::ApiError;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use muriel_context::digest::version_of;
use muriel_delivery::rulesets::Encoded;
use muriel_delivery::script::{self, Mount, Part};
use muriel_service::App;
use std::sync::LazyLock;

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
/// Lets pages of any origin load the script, including cross-origin isolated ones.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Parts fit only the script of the same server version, so caches must revalidate them. Few
/// pages request them.
const CACHED: HeaderValue = HeaderValue::from_static("public, no-cache");

/// Returns the script of a project: the runtime with everything that its visitors can meet.
#[utoipa::path(
    get, path = "/js/{project_key}.js", tag = "Visitor traffic", operation_id = "getScript",
    responses(
        (status = 200, description = "The script, compressed if the client accepts that, with an ETag. It never contains drafts.", body = String, content_type = "text/javascript"),
        (status = 304, description = "The version in If-None-Match is the current one."),
    ),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn script_show(
    State(app): State<App>,
    file: PathParams<String>,
    under: Option<Extension<Mount>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let file = path_params(file)?;
    let project_key = file.strip_suffix(".js").ok_or(ApiError::NotFound("project"))?;
    let delivery = app.rulesets.public(project_key)?;
    let script = delivery.script(&app.site, under.map_or(Mount::Root, |Extension(under)| under)).await?;
    app.script_fetches.note(delivery.project.id, app.clock.now());
    let response = encoded(&headers, &script.etag, &script.body, JAVASCRIPT).await;
    Ok(shared(delivered(&app, response)))
}

/// Returns the TypeScript types of the page API and of experiments' code.
#[utoipa::path(
    get, path = "/js/muriel.d.ts", tag = "Visitor traffic", operation_id = "getScriptTypes",
    responses((status = 200, description = "Declarations.", body = String, content_type = "text/plain")),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn types_show(State(app): State<App>) -> String {
    script::types(app.site.page_api.as_str())
}

/// Returns a part of the script that pages load on demand, such as what a preview needs in
/// addition.
#[utoipa::path(
    get, path = "/js/parts/{part}.js", tag = "Visitor traffic", operation_id = "getScriptPart",
    responses(
        (status = 200, description = "A script: `badge`, or a part that a preview names.", body = String, content_type = "text/javascript"),
        (status = 304, description = "The version in If-None-Match is the current one."),
    ),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn part_show(file: PathParams<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    let file = path_params(file).map_err(|_| ApiError::NotFound("part"))?;
    let part = PARTS.iter().find(|part| file.strip_suffix(".js") == Some(part.name));
    let part = part.ok_or(ApiError::NotFound("part"))?;
    let mut response = encoded(&headers, &part.etag, &part.body, JAVASCRIPT).await;
    response.headers_mut().insert(header::CACHE_CONTROL, CACHED);
    Ok(shared(response))
}

fn shared(mut response: Response) -> Response {
    response.headers_mut().insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}

/// Part ready to be served.
struct File {
    name: &'static str,
    etag: String,
    body: Encoded,
}

static PARTS: LazyLock<Vec<File>> = LazyLock::new(|| {
    let file = |name, text: String| {
        let body: bytes::Bytes = text.into();
        File { name, etag: version_of(&body), body: Encoded::new(body) }
    };
    let parts = Part::ALL.into_iter().map(|part| file(part.name(), script::part_file(part)));
    parts.chain([file("badge", script::BADGE.to_owned())]).collect()
});
