//! Serves documentation for people and the OpenAPI contract for programs. Nothing is loaded from other servers.
//!
//! `/docs/start` is the start page for newcomers. `/docs` has an overview, a page for each operation, the guides of
//! `docs/*.md` and a search over all of them. Pages are made on first request, from the same contract that programs get
//! at `/openapi.json`. They load a style sheet, an icon and pictures from this server only, and run no script.

mod basics;
mod errors;
mod example;
mod guides;
mod html;
mod operations;
mod overview;
mod schema;
mod search;
mod shell;
mod start;

use crate::answer::{is_known, tagged, written};
use axum::Router;
use axum::extract::{Path, RawQuery};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use html::Html;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use muriel_service::App;
use schema::Schemas;
use serde_json::Value;
use sha2::{Digest, Sha256};
use shell::Shell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use utoipa::openapi::OpenApi;

const STYLE: &str = include_str!("docs/style.css");
const ICON: &str = include_str!("docs/icon.svg");

const HTML: &str = "text/html; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Pages need their style sheet, pictures, links and the search form, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

/// `/openapi.json` and everything under `/docs`.
pub(crate) fn routes(contract: &OpenApi) -> Router<App> {
    let json = Bytes::from(contract.to_json().unwrap_or_default());
    let docs = Arc::new(Documentation::new(contract));
    let page = |docs: &Arc<Documentation>, path: &'static str, make: fn(&Documentation) -> Page| {
        let docs = Arc::clone(docs);
        get(move |headers: HeaderMap| async move { docs.answer(&headers, path, || Some(make(&docs))) })
    };
    let (operation, guide, find) = (Arc::clone(&docs), Arc::clone(&docs), Arc::clone(&docs));
    Router::new()
        .route("/favicon.ico", get(async |headers: HeaderMap| file(&headers, SVG, ICON)))
        .route("/openapi.json", get(move || async move { written(StatusCode::OK, json) }))
        .route("/docs", page(&docs, "docs", overview::page))
        .route("/docs/start", page(&docs, "docs/start", start::page))
        .route("/docs/errors", page(&docs, "docs/errors", Documentation::errors))
        .route("/docs/types", page(&docs, "docs/types", Documentation::types))
        .route(
            "/docs/operations/{operation}",
            get(async move |Path(name): Path<String>, headers: HeaderMap| {
                operation.answer(&headers, &format!("docs/operations/{name}"), || operation.operation(&name))
            }),
        )
        .route(
            "/docs/guides/{guide}",
            get(async move |Path(name): Path<String>, headers: HeaderMap| {
                guide.answer(&headers, &format!("docs/guides/{name}"), || guides::page(&name))
            }),
        )
        .route(
            "/docs/search",
            get(async move |RawQuery(query): RawQuery, headers: HeaderMap| {
                let found = search::page(find.index(), query.as_deref().unwrap_or_default());
                file(&headers, HTML, &find.render(found))
            }),
        )
        .route("/docs/style.css", get(async |headers: HeaderMap| file(&headers, "text/css; charset=utf-8", STYLE)))
        .route("/docs/icon.svg", get(async |headers: HeaderMap| file(&headers, SVG, ICON)))
        .route(
            "/docs/pictures/{picture}",
            get(async |Path(name): Path<String>, headers: HeaderMap| match guides::picture(&name) {
                Some(picture) => file(&headers, SVG, picture),
                None => StatusCode::NOT_FOUND.into_response(),
            }),
        )
}

/// Page content without the frame that all pages share.
struct Page {
    /// Path below the root, without a leading slash.
    path: String,
    title: String,
    main: Html,
    /// Search text, on the page of search results.
    query: String,
}

impl Page {
    fn new(path: impl Into<String>, title: impl Into<String>, main: Html) -> Self {
        Self { path: path.into(), title: title.into(), main, query: String::new() }
    }
}

/// Pages of the documentation, made from the contract.
#[derive(Default)]
struct Documentation {
    contract: Value,
    index: OnceLock<search::Index>,
    /// Rendered pages by path. Only pages that exist are stored, which bounds the size.
    rendered: Mutex<BTreeMap<String, Arc<str>>>,
}

impl Documentation {
    fn new(contract: &OpenApi) -> Self {
        // Serialisation succeeds here as it does for `/openapi.json`. Without operations, the guides remain.
        Self { contract: serde_json::to_value(contract).unwrap_or_default(), ..Self::default() }
    }

    fn errors(&self) -> Page {
        let mut main = Html::default();
        errors::errors(&mut main, &mut Schemas::of(&self.contract), &self.contract);
        Page::new("docs/errors", "Errors", main)
    }

    fn types(&self) -> Page {
        let mut main = Html::default();
        let operations: Vec<_> = operations::by_tag(&self.contract).into_iter().flat_map(|(_, all)| all).collect();
        errors::types(&mut main, &mut Schemas::of(&self.contract), operations.iter());
        Page::new("docs/types", "Types", main)
    }

    fn operation(&self, name: &str) -> Option<Page> {
        let all = operations::by_tag(&self.contract);
        let one = all.iter().flat_map(|(_, operations)| operations).find(|one| one.id == name)?;
        let mut main = Html::default();
        one.write(&mut main, &mut Schemas::of(&self.contract));
        Some(Page::new(format!("docs/operations/{}", one.id), one.title.clone(), main))
    }

    /// All pages that the search covers.
    fn pages(&self) -> Vec<Page> {
        let operations = operations::by_tag(&self.contract).into_iter().flat_map(|(_, all)| all);
        let operations: Vec<_> = operations.filter_map(|one| self.operation(&one.id)).collect();
        let fixed = [overview::page(self), self.errors(), self.types()];
        operations.into_iter().chain(guides::all()).chain(fixed).collect()
    }

    /// Search index, built at the first search.
    fn index(&self) -> &search::Index {
        self.index.get_or_init(|| search::Index::of(self.pages()))
    }

    fn render(&self, page: Page) -> String {
        Shell::of(&self.contract).render(page)
    }

    /// Serves the page at `path`. `make` builds it on first request; if it returns none, the response is 404.
    fn answer(&self, headers: &HeaderMap, path: &str, make: impl FnOnce() -> Option<Page>) -> Response {
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        let known = rendered.get(path).map(Arc::clone).or_else(|| {
            let text: Arc<str> = self.render(make()?).into();
            rendered.insert(path.to_owned(), Arc::clone(&text));
            Some(text)
        });
        drop(rendered);
        known.map_or_else(|| self.missing(path), |text| file(headers, HTML, &text))
    }

    fn missing(&self, path: &str) -> Response {
        let mut main = Html::default();
        main.tag("<header><h1>This page does not exist</h1><p class=\"lead\">Use the contents or the search to find ");
        main.tag("another page.</p></header>");
        let page = Page::new(path, "Page not found", main);
        let mut response = file(&HeaderMap::new(), HTML, &self.render(page));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }
}

/// Serves content that does not change while the server runs.
fn file(headers: &HeaderMap, media_type: &'static str, content: &str) -> Response {
    let version = version(content);
    let mut response = if is_known(headers, &version) {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        written(StatusCode::OK, Bytes::copy_from_slice(content.as_bytes()))
    };
    let to = response.headers_mut();
    to.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    to.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    to.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    tagged(response, &version)
}

fn version(content: &str) -> String {
    Sha256::digest(content).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
