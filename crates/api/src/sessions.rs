//! Session cookies: setting and reading them, and deciding which requests may use them.
//!
//! A browser sends a cookie with every request to its host, whichever page made the request. So a session is accepted
//! only when the request comes from a page of the server itself. `Origin` and `Sec-Fetch-Site` must not name another
//! origin. A request that changes something must name this origin, and must send a token that no other origin can read.

use crate::client_address;
use crate::cookies::cookies;
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::response::Response;
use http::header::{self, SET_COOKIE};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use muriel_context::access_cache::{KnownSession, SESSION_MAX_US};
use muriel_http::connection::PeerAddr;
use muriel_http::limits::Network;
use muriel_people::{Browser, DEVICE_US, OIDC_COOKIE_S, SignedIn};
use muriel_service::App;
use std::convert::Infallible;
use subtle::ConstantTimeEq;

/// CSRF token, required in requests that change something with a session.
const CSRF: HeaderName = HeaderName::from_static("x-muriel-csrf");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Request extension that marks requests to a listener without sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionsOff;

/// Names of the cookies. With TLS, their prefix prevents other hosts and plain HTTP from setting them.
struct Names {
    session: &'static str,
    device: &'static str,
    oidc: &'static str,
    is_secure: bool,
}

fn names(app: &App) -> Names {
    match app.people.public_url().is_some_and(|url| url.is_secure()) {
        true => Names {
            session: "__Host-muriel",
            device: "__Host-muriel-device",
            oidc: "__Host-muriel-oidc",
            is_secure: true,
        },
        false => Names { session: "muriel", device: "muriel-device", oidc: "muriel-oidc", is_secure: false },
    }
}

/// Origin of the server's own pages: that of `--public-url`; without one, the request's own host if that is loopback.
fn own_origin(parts: &Parts, app: &App) -> Option<String> {
    if let Some(url) = app.people.public_url() {
        return Some(url.origin().to_owned());
    }
    let host = parts.headers.get(header::HOST)?.to_str().ok()?;
    is_loopback(host).then(|| format!("http://{host}"))
}

/// Returns whether a host, with or without a port, is loopback or `localhost`, which no other machine can be.
fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Token in the session cookie. `None` without one, and where sessions are not accepted: on a listener without
/// sessions, from pages of other origins, and under a host that is not the server's.
///
/// # Errors
/// `Unauthorized` for two cookies of that name: one of them was set by somebody else.
pub(crate) fn token(parts: &Parts, app: &App) -> Result<Option<String>, ApiError> {
    if parts.extensions.get::<SessionsOff>().is_some() {
        return Ok(None);
    }
    let Some(own) = own_origin(parts, app) else { return Ok(None) };
    let site = parts.headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
    let is_change = is_change(&parts.method);
    // A change from another origin gets an error. A read is treated as one without a session.
    let is_foreign = !matches!(site, None | Some(b"same-origin" | b"none"))
        || parts.headers.get_all(header::ORIGIN).iter().any(|origin| origin.as_bytes() != own.as_bytes());
    if is_foreign && !is_change {
        return Ok(None);
    }
    one_cookie(&parts.headers, names(app).session)
}

fn one_cookie(headers: &HeaderMap, wanted: &str) -> Result<Option<String>, ApiError> {
    let mut values = cookies(headers).filter(|(name, _)| *name == wanted).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => Ok(Some(value.to_owned())),
        (Some(_), Some(_)) => Err(ApiError::Unauthorized),
    }
}

fn is_change(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

/// Refuses a change that does not come from a page of the server itself with the session's CSRF token.
///
/// # Errors
/// `CsrfFailed`.
pub(crate) fn check_change(parts: &Parts, app: &App, session: &KnownSession) -> Result<(), ApiError> {
    if !is_change(&parts.method) {
        return Ok(());
    }
    check_origin(parts, app)?;
    let mut sent = parts.headers.get_all(CSRF).iter();
    let fits = match (sent.next(), sent.next()) {
        (Some(token), None) => bool::from(token.as_bytes().ct_eq(session.csrf.as_bytes())),
        _ => false,
    };
    if fits { Ok(()) } else { Err(ApiError::CsrfFailed) }
}

/// Refuses a request that does not come from a page of the server itself.
///
/// # Errors
/// `CsrfFailed`.
pub(crate) fn check_origin(parts: &Parts, app: &App) -> Result<(), ApiError> {
    let own = own_origin(parts, app).ok_or(ApiError::CsrfFailed)?;
    let mut origins = parts.headers.get_all(header::ORIGIN).iter();
    let names_us =
        matches!((origins.next(), origins.next()), (Some(origin), None) if origin.as_bytes() == own.as_bytes());
    let site = parts.headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
    if names_us && matches!(site, None | Some(b"same-origin")) { Ok(()) } else { Err(ApiError::CsrfFailed) }
}

/// Request without a session that must come from a page of the server itself, such as a sign-in form.
pub(crate) struct OwnPage;

impl FromRequestParts<App> for OwnPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        check_origin(parts, app).map(|()| Self)
    }
}

/// Origin of the server's own pages, to which the OpenID provider sends the browser back.
pub(crate) struct OwnOrigin(pub(crate) String);

impl FromRequestParts<App> for OwnOrigin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        own_origin(parts, app).map(Self).ok_or(ApiError::CsrfFailed)
    }
}

/// Browser that a request comes from.
pub(crate) struct FromBrowser(pub(crate) Browser);

impl FromRequestParts<App> for FromBrowser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<PeerAddr>().map(|PeerAddr(peer)| peer.ip());
        let network = peer.map(|peer| client_address::client_address(peer, &parts.headers, &app.visitors.proxies));
        let user_agent = parts.headers.get(header::USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
        Ok(Self(Browser {
            network: network.map(Network::shown).unwrap_or_default(),
            user_agent: user_agent.unwrap_or_default().into_owned(),
            device: one_cookie(&parts.headers, names(app).device).ok().flatten(),
        }))
    }
}

/// Sets the session and device cookies after a sign-in.
pub(crate) fn signed_in(mut response: Response, app: &App, signed_in: &SignedIn) -> Response {
    let names = names(app);
    set(&mut response, &names, names.session, &signed_in.token, SESSION_MAX_US / 1_000_000);
    set(&mut response, &names, names.device, &signed_in.device, DEVICE_US / 1_000_000);
    response
}

/// Removes the session cookie.
pub(crate) fn signed_out(mut response: Response, app: &App) -> Response {
    let names = names(app);
    set(&mut response, &names, names.session, "", 0);
    response
}

/// Sets the cookie of a pending OpenID sign-in. `SameSite=Lax`, because the browser must send it when the provider
/// redirects back.
pub(crate) fn oidc_begun(mut response: Response, app: &App, sealed: &str) -> Response {
    let names = names(app);
    set_as(&mut response, &names, "Lax", names.oidc, sealed, OIDC_COOKIE_S);
    response
}

/// Cookie of a pending OpenID sign-in.
pub(crate) fn oidc_cookie(headers: &HeaderMap, app: &App) -> Option<String> {
    one_cookie(headers, names(app).oidc).ok().flatten()
}

/// Removes the cookie of a pending OpenID sign-in.
pub(crate) fn oidc_finished(mut response: Response, app: &App) -> Response {
    let names = names(app);
    set_as(&mut response, &names, "Lax", names.oidc, "", 0);
    response
}

fn set(response: &mut Response, names: &Names, name: &str, value: &str, max_age_s: i64) {
    set_as(response, names, "Strict", name, value, max_age_s);
}

fn set_as(response: &mut Response, names: &Names, same_site: &str, name: &str, value: &str, max_age_s: i64) {
    let secure = if names.is_secure { "; Secure" } else { "" };
    let line = format!("{name}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite={same_site}{secure}");
    // Tokens consist of letters, digits and dots, so this does not fail.
    if let Ok(line) = HeaderValue::from_str(&line) {
        response.headers_mut().append(SET_COOKIE, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_under_its_own_names() {
        for (host, expect) in [
            ("localhost", true),
            ("LOCALHOST:4170", true),
            ("127.0.0.1:4170", true),
            ("127.9.9.9", true),
            ("[::1]:4170", true),
            ("muriel.example", false),
            ("localhost.muriel.example", false),
            ("127.0.0.1.muriel.example", false),
            ("10.0.0.1", false),
            ("", false),
        ] {
            assert_eq!(is_loopback(host), expect, "{host}");
        }
    }

    #[test]
    fn one_cookie_or_none() {
        for (fields, expect) in [
            (&["muriel=a"][..], Ok(Some("a"))),
            (&["x=y; muriel=a; z=w"], Ok(Some("a"))),
            (&["xmuriel=a", "muriel-device=b"], Ok(None)),
            (&["muriel=a; muriel=b"], Err(())),
            (&["muriel=a", "muriel=a"], Err(())),
            (&[], Ok(None)),
        ] {
            let mut headers = HeaderMap::new();
            for field in fields {
                headers.append(header::COOKIE, HeaderValue::from_static(field));
            }
            let found = one_cookie(&headers, "muriel");
            assert_eq!(found.as_ref().map(Option::as_deref).map_err(|_| ()), expect, "{fields:?}");
        }
    }
}
