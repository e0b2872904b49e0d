//! The shop's own site: on another origin than Muriel, like a customer's, with the strictest policy under which
//! Muriel's script works.

mod files;

use super::Serving;
use super::data::Project;
use crate::{Error, Result};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use muriel_http::connection::ServerSettings;
use muriel_http::metrics::HttpMetrics;
use muriel_http::server;
use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Default port of the shop; another one is used if it is taken.
pub const PORT: u16 = 4172;

/// Type of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Type {
    Html,
    Css,
    Script,
    Picture,
}

impl Type {
    fn media_type(self) -> &'static str {
        match self {
            Type::Html => "text/html; charset=utf-8",
            Type::Css => "text/css; charset=utf-8",
            Type::Script => "text/javascript; charset=utf-8",
            Type::Picture => "image/svg+xml",
        }
    }
}

/// Listens at the address. If it is taken, listens at a port that the system chooses, unless the address was `asked`
/// for.
///
/// # Errors
/// [`Error::Listen`].
pub async fn listen(address: SocketAddr, asked: bool) -> Result<TcpListener> {
    let listener = match TcpListener::bind(address).await {
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && !asked => {
            TcpListener::bind(SocketAddr::new(address.ip(), 0)).await
        }
        listener => listener,
    };
    listener.map_err(|source| Error::Listen { address: address.to_string(), source })
}

/// Serves the pages until the returned value is dropped. `muriel` is the origin from which they load the script, and to
/// which they send events.
pub fn serve(listener: TcpListener, muriel: String) -> Serving {
    let muriel: Arc<str> = muriel.into();
    let router = Router::new().fallback(move |method: Method, uri: Uri| {
        let muriel = muriel.clone();
        async move { answer(&method, uri.path(), &muriel) }
    });
    let serving = server::serve(
        listener,
        router,
        Arc::new(HttpMetrics::default()),
        ServerSettings::default(),
        std::future::pending(),
    );
    Serving(tokio::spawn(serving).abort_handle())
}

/// Answer of the shop.
fn answer(method: &Method, path: &str, muriel: &str) -> Response {
    let found = |path: &str| files::FILES.iter().find(|(known, ..)| *known == path);
    let (status, kind, content) = match (method, found(path)) {
        (&Method::GET | &Method::HEAD, Some(&(_, kind, content))) => (StatusCode::OK, kind, content),
        // Browsers without scripts send the form with POST.
        (&Method::POST, Some((page @ "/checkout/thanks", ..))) => return elsewhere(StatusCode::SEE_OTHER, page),
        (_, Some(_)) => return with_status(StatusCode::METHOD_NOT_ALLOWED, "pages accept only GET and HEAD\n".into()),
        (_, None) => match path.strip_suffix('/').and_then(found) {
            Some((page, ..)) => return elsewhere(StatusCode::PERMANENT_REDIRECT, page),
            None => (StatusCode::NOT_FOUND, Type::Html, files::MISSING),
        },
    };
    let (body, policy) = match kind {
        Type::Html => match nonce() {
            Ok(nonce) => (filled(content, &nonce, muriel).into(), policy(&nonce, muriel)),
            // Without a nonce, either no script would run or every script would.
            Err(_) => return with_status(StatusCode::INTERNAL_SERVER_ERROR, "the system has no random bytes\n".into()),
        },
        // Pictures may be opened on their own, and have inline styles.
        _ => (Body::from(content), "default-src 'none'; style-src 'unsafe-inline'".to_owned()),
    };
    let mut response = with_status(status, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind.media_type()));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn with_status(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn elsewhere(status: StatusCode, path: &'static str) -> Response {
    let mut response = with_status(status, "the page is at another address\n".into());
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(path));
    response
}

/// Only scripts with the nonce run, and only through Muriel's Trusted Types policy can text become HTML or code.
fn policy(nonce: &str, muriel: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' {muriel}; style-src 'self'; img-src 'self'; \
         connect-src {muriel}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types muriel"
    )
}

fn filled(page: &str, nonce: &str, muriel: &str) -> String {
    page.replace("{nonce}", nonce).replace("{muriel}", muriel).replace("{project}", Project::Shop.key())
}

/// 128 random bits in hexadecimal, for one answer.
fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::data::{Deed, Demo};
    use super::*;
    use axum::body::to_bytes;

    const MURIEL: &str = "http://127.0.0.1:4170";

    async fn read(path: &str) -> (Response, String) {
        let mut response = answer(&Method::GET, path, MURIEL);
        let body = std::mem::take(response.body_mut());
        let text = String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().into()).unwrap();
        (response, text)
    }

    /// Every link leads to a page, and no page requests what its policy forbids.
    #[tokio::test]
    async fn pages_lead_to_pages() {
        for (path, kind, _) in files::FILES.iter().filter(|(_, kind, _)| *kind == Type::Html) {
            let (response, html) = read(path).await;
            assert_eq!((response.status(), *kind), (StatusCode::OK, Type::Html), "{path}");
            for link in named(&html) {
                let found = answer(&Method::GET, &link, MURIEL).status();
                assert_eq!(found, StatusCode::OK, "{path} leads to {link}");
            }
            for forbidden in [" style=", "<style", " onclick", "javascript:", "{nonce}", "{muriel}", "{project}"] {
                assert!(!html.contains(forbidden), "{path} has {forbidden}");
            }
            let script = html.find("<script").unwrap();
            assert!(html[script..].starts_with("<script nonce=\"") && script < html.find("<link").unwrap(), "{path}");
        }
    }

    /// Addresses within the shop that a page links to.
    fn named(html: &str) -> Vec<String> {
        let starts = [" href=\"/", " src=\"/", " action=\"/"];
        let rests = starts.iter().flat_map(|start| html.split(start).skip(1));
        rests.filter_map(|rest| Some(format!("/{}", rest.split(['"', '?']).next()?))).collect()
    }

    /// Every live experiment has a page, and so has every address to which it redirects.
    #[test]
    fn live_experiments_have_pages() {
        let demo = Demo::load().unwrap();
        let mut pages = 0;
        for test in demo.experiments.iter().filter(|test| test.project == Project::Shop) {
            let status = test.story.iter().rev().find_map(|step| match step.deed {
                Deed::Status(status) => Some(status),
                Deed::Conclude(_) => Some(0),
                _ => None,
            });
            if status != Some(1) {
                continue;
            }
            let variants = test.body["variants"].as_array().unwrap();
            let leads = variants.iter().filter_map(|variant| variant.pointer("/data/0/url"));
            for url in leads.chain([&test.body["url"]]) {
                let path = url.as_str().unwrap().strip_prefix("{shop}").unwrap();
                assert_eq!(answer(&Method::GET, path, MURIEL).status(), StatusCode::OK, "{path}");
                pages += 1;
            }
        }
        assert!(pages >= 10, "{pages}");
    }

    #[tokio::test]
    async fn each_answer_has_a_nonce_of_its_own() {
        let ((first, html), (second, _)) = (read("/").await, read("/").await);
        let policies = [&first, &second].map(|response| response.headers()[header::CONTENT_SECURITY_POLICY].clone());
        assert_ne!(policies[0], policies[1]);
        let policy = policies[0].to_str().unwrap();
        let nonce = html.split_once("<script nonce=\"").unwrap().1.split_once('"').unwrap().0;
        assert!(nonce.len() == 32 && policy.contains(&format!("script-src 'nonce-{nonce}' {MURIEL};")), "{policy}");
        assert!(html.contains("src=\"http://127.0.0.1:4170/js/prj_northwind_shop.js\""));
    }

    #[test]
    fn other_ways_to_ask() {
        for (method, path, expect, location) in [
            (Method::GET, "/boots/", StatusCode::PERMANENT_REDIRECT, Some("/boots")),
            (Method::POST, "/checkout/thanks", StatusCode::SEE_OTHER, Some("/checkout/thanks")),
            (Method::POST, "/boots", StatusCode::METHOD_NOT_ALLOWED, None),
            (Method::GET, "/sandals", StatusCode::NOT_FOUND, None),
            (Method::HEAD, "/rental/kit-finder/kit", StatusCode::OK, None),
        ] {
            let response = answer(&method, path, MURIEL);
            let leads = response.headers().get(header::LOCATION).map(|to| to.to_str().unwrap());
            assert_eq!((response.status(), leads), (expect, location), "{method} {path}");
        }
    }
}
