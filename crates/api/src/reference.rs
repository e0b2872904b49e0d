//! The contract for machines and for people, from this server alone.
//!
//! The page is made once, from the same document that machines get. It loads a
//! style sheet and an icon from beside it and nothing else, and runs no script.

mod example;
mod html;
mod page;
mod schema;

use crate::answer::{is_known, tagged, written};
use crate::app::App;
use axum::Router;
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};
use utoipa::openapi::OpenApi;

const STYLE: &str = include_str!("reference/style.css");
const ICON: &str = include_str!("reference/icon.svg");

/// Links within the page and its own style: the page asks for no more.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// `/openapi.json` and `/docs`.
pub(crate) fn routes(contract: &OpenApi) -> Router<App> {
    let json = Bytes::from(contract.to_json().unwrap_or_default());
    let page = Document::new("text/html; charset=utf-8", page(contract));
    let style = Document::new("text/css; charset=utf-8", STYLE.to_owned());
    let icon = Document::new("image/svg+xml", ICON.to_owned());
    Router::new()
        .route("/openapi.json", get(move || async move { written(StatusCode::OK, json) }))
        .route("/docs", get(move |headers: HeaderMap| async move { page.answer(&headers) }))
        .route("/docs/style.css", get(move |headers: HeaderMap| async move { style.answer(&headers) }))
        .route("/docs/icon.svg", get(move |headers: HeaderMap| async move { icon.answer(&headers) }))
}

fn page(contract: &OpenApi) -> String {
    // A contract that serialises for machines does for people; a page without
    // operations would still say how to authenticate.
    let contract = serde_json::to_value(contract).unwrap_or_default();
    // Named by its content, so that a page never meets the style of another release.
    page::render(&contract, &format!("docs/style.css?{}", version(STYLE)))
}

/// Something that stays as it is while the server runs.
#[derive(Clone)]
struct Document {
    media_type: &'static str,
    content: Bytes,
    version: String,
}

impl Document {
    fn new(media_type: &'static str, content: String) -> Self {
        Self { media_type, version: version(&content), content: content.into() }
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let mut response = if is_known(headers, &self.version) {
            let mut response = Response::default();
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            written(StatusCode::OK, self.content.clone())
        };
        let to = response.headers_mut();
        to.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        to.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
        to.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        tagged(response, &self.version)
    }
}

fn version(content: &str) -> String {
    Sha256::digest(content).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
