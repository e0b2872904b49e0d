//! The dashboard: the pages in which people plan, build and launch experiments.
//!
//! Its files are built from `web/dashboard` and embedded, so that the server needs nothing beside itself. Every address of the
//! application gives the same page, which says with a nonce of its own which script runs: files of this origin alone would not do,
//! as `/js/…` is of this origin too and has code of customers.

mod files;
mod reports;

use crate::error::ApiError;
use crate::handlers::traffic::encoded;
use axum::Router;
use axum::extract::Path;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use files::FILES;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use muriel_service::App;
use muriel_service::digest::{hex, version_of};
use muriel_service::rulesets::Encoded;
use std::sync::LazyLock;

/// Addresses of the application. It knows itself what is below them.
const PAGES: [&str; 9] = [
    "/",
    "/sign-in",
    "/invitation",
    "/experiments",
    "/programme",
    "/account",
    "/settings",
    "/settings/{*page}",
    "/p/{*page}",
];

/// A file's address names the build that it is of, so its content never changes.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The routes of the dashboard, which are not part of the versioned interface.
pub(crate) fn routes() -> Router<App> {
    let pages = PAGES.into_iter().fold(Router::new(), |router, path| router.route(path, get(page_show)));
    pages.route("/assets/{build}/{file}", get(file_show)).route("/policy-report", post(reports::report_take))
}

/// A file as it is served.
struct File {
    name: &'static str,
    media_type: &'static str,
    etag: String,
    body: Encoded,
}

/// A build of the dashboard.
struct Site {
    /// Names the build in the addresses of its files: equal files have equal names.
    build: String,
    /// The page, with `{files}` filled in; `{nonce}` is left.
    page: String,
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
        let (pages, files) = files.partition::<Vec<_>, _>(|file| file.name == "index.html");
        let page = pages.first().map(|page| String::from_utf8_lossy(&page.body.plain).into_owned()).unwrap_or_default();
        Site { page: page.replace("{files}", &format!("/assets/{build}/")), build, files }
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

/// What the page may do. `strict-dynamic` lets the one script that has the nonce load its chunks, and nothing else; without
/// Trusted Types no text becomes markup or code, whoever wrote it.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; style-src 'self'; connect-src 'self'; img-src 'self' \
         data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types \
         'none'; report-uri /policy-report"
    )
}

/// The page of the application, with a nonce that no other answer has.
async fn page_show() -> Result<Response, ApiError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| ApiError::internal(error.to_string()))?;
    let nonce = hex(&random);
    let mut response = Html(SITE.page.replace("{nonce}", &nonce)).into_response();
    let headers = response.headers_mut();
    let policy = HeaderValue::try_from(policy(&nonce)).map_err(|error| ApiError::internal(error.to_string()))?;
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
        ("referrer-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(response)
}

/// A file of this build. One of another build is 404: pages of before an upgrade load themselves again then.
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
