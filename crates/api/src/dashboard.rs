//! Serves the dashboard: the pages in which people plan, build and launch experiments.
//!
//! Its files are built from `web/dashboard` and embedded, so the server needs no other files. Every address of the
//! application returns the same page, whose nonce names the one script that may run. `script-src 'self'` would not be
//! enough: `/js/…` has the same origin and serves customers' code.

mod files;
mod reports;

use crate::error::ApiError;
use crate::handlers::shares;
use crate::handlers::traffic::{PathParams, encoded};
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use files::FILES;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use muriel_context::digest::{hex, version_of};
use muriel_delivery::rulesets::Encoded;
use muriel_http::error::Failure as _;
use muriel_http::request::RequestContext;
use muriel_service::App;
use std::sync::LazyLock;

/// Paths of the application. It routes what is below them itself.
const PAGES: [&str; 10] = [
    "/",
    "/sign-in",
    "/invitation",
    "/experiments",
    "/inbox",
    "/programme",
    "/account",
    "/settings",
    "/settings/{*page}",
    "/p/{*page}",
];

/// A file's address names its build, so its content never changes.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Routes of the dashboard. They are not part of the versioned API.
pub(crate) fn routes() -> Router<App> {
    let pages = PAGES.into_iter().fold(Router::new(), |router, path| router.route(path, get(page_show)));
    let pages = pages.route("/share/{token}", get(shared_page_show));
    pages.route("/assets/{build}/{file}", get(file_show)).route("/policy-report", post(reports::report_take))
}

/// File ready to be served.
struct File {
    name: &'static str,
    media_type: &'static str,
    etag: String,
    body: Encoded,
}

/// A build of the dashboard.
struct Site {
    /// Content hash in the addresses of the files: the same files give the same name.
    build: String,
    /// Page of the application with `{files}` filled in; `{nonce}` is still a placeholder.
    page: String,
    /// Page of a shared result; `{nonce}` and `{notice}` are still placeholders.
    shared_page: String,
    files: Vec<File>,
}

static SITE: LazyLock<Site> = LazyLock::new(|| Site::of(FILES));

impl Site {
    fn of(files: &[(&'static str, &'static [u8])]) -> Site {
        let names = files.iter().flat_map(|(name, content)| [name.as_bytes(), content]).collect::<Vec<_>>();
        let build = version_of(&names.join(&0));
        let files = files.iter().map(|(name, content)| {
            let body = Encoded::of_brotli(content);
            File { name, media_type: media_type(name), etag: version_of(&body.plain), body }
        });
        let (pages, files) = files.partition::<Vec<_>, _>(|file| file.name.ends_with(".html"));
        let page = |name: &str| {
            let found = pages.iter().find(|page| page.name == name);
            let text = found.map(|page| String::from_utf8_lossy(&page.body.plain).into_owned()).unwrap_or_default();
            text.replace("{files}", &format!("/assets/{build}/"))
        };
        Site { page: page("index.html"), shared_page: page("share.html"), build, files }
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Content security policy of a page. `strict-dynamic` lets the one script with the nonce load its chunks, and nothing
/// else. Trusted Types keep any text from becoming markup or code. `besides` has the directives of one page only.
fn policy(nonce: &str, besides: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; style-src 'self'; connect-src 'self'; img-src 'self' \
         data:; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; {besides}"
    )
}

/// Serves the page of the application.
async fn page_show() -> Result<Response, ApiError> {
    page(&SITE.page, "form-action 'self'; report-uri /policy-report", "same-origin")
}

/// Serves the page of a shared result. It is the same for everyone and does not use the session: the page reads its
/// data with the token in its address. To keep the token private, the address is left out of referrers and policy
/// reports.
async fn shared_page_show(
    State(app): State<App>,
    context: RequestContext,
    token: PathParams<String>,
) -> Result<Response, ApiError> {
    match shares::opened(&app, &context, token).await {
        Ok(_) => shared_page(StatusCode::OK, ""),
        Err(error @ (ApiError::NotFound(_) | ApiError::ShareEnded(_))) => shared_page(error.status(), notice(&error)),
        Err(error) => Err(error),
    }
}

/// Says what to do next, for browsers without scripts. The script shows the same text.
fn notice(error: &ApiError) -> &'static str {
    match error.code() {
        "share_expired" => "This link has expired. Ask the sender for a new one.",
        "share_revoked" => "This link was revoked. Ask the sender for a new one.",
        "share_outdated" => "The goal that this link is about was deleted. Ask the sender for a new one.",
        _ => "There is nothing at this address. Check that the whole link was copied, or ask the sender for a new one.",
    }
}

fn shared_page(status: StatusCode, notice: &str) -> Result<Response, ApiError> {
    let mut response = page(&SITE.shared_page.replace("{notice}", notice), "form-action 'none'", "no-referrer")?;
    *response.status_mut() = status;
    Ok(shares::private(response))
}

/// Fills in a page, with a nonce that is unique to this response.
fn page(html: &str, besides: &str, referrers: &'static str) -> Result<Response, ApiError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| ApiError::internal(error.to_string()))?;
    let nonce = hex(&random);
    let mut response = Html(html.replace("{nonce}", &nonce)).into_response();
    let headers = response.headers_mut();
    let policy =
        HeaderValue::try_from(policy(&nonce, besides)).map_err(|error| ApiError::internal(error.to_string()))?;
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
        ("referrer-policy", referrers),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Serves a file of this build. Files of other builds get 404, so pages loaded before an upgrade reload themselves.
async fn file_show(Path((build, name)): Path<(String, String)>, headers: HeaderMap) -> Result<Response, ApiError> {
    let file =
        SITE.files.iter().find(|file| file.name == name && SITE.build == build).ok_or(ApiError::NotFound("file"))?;
    let mut response = encoded(&headers, &file.etag, &file.body, file.media_type).await;
    let to = response.headers_mut();
    to.insert(header::CACHE_CONTROL, IMMUTABLE);
    to.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    Ok(response)
}

#[cfg(test)]
mod tests;
