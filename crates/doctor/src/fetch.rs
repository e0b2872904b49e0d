//! Fetches a page and its resources as a browser would: with redirects and cookies, a timeout and a maximum size.

use flate2::read::MultiGzDecoder;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::{HeaderMap, Request, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use url::Url;

/// Maximum number of redirects. Browsers give up after twenty, visitors sooner.
const REDIRECTS_MAX: usize = 10;
/// Maximum number of bytes of an answer that are read, after decompression.
const BYTES_MAX: usize = 8 << 20;
/// User agent of a browser, with our own name: sites that require a browser accept it, and their logs show us.
const AGENT: &str = concat!(
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 ",
    "muriel-doctor/",
    env!("CARGO_PKG_VERSION")
);

/// Client for pages and their resources.
pub(super) struct Browser {
    agent: Agent,
    timeout: Duration,
    /// Header fields that are sent only to the host and port of this address.
    given: (Url, Vec<(String, String)>),
    /// Cookies by host and name. Cookies for whole domains are sent back only to their host.
    cookies: Vec<(String, String, String)>,
}

/// Kind of requested resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Page,
    Script,
}

/// An answer, as far as it was read.
#[derive(Debug)]
pub(super) struct HttpResponse {
    /// Address that answered, after redirects.
    pub(super) url: Url,
    /// Addresses that redirected, in order.
    pub(super) redirects: Vec<Url>,
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// Transferred bytes of the body.
    pub(super) sent: usize,
    /// Reason why `body` may be incomplete.
    pub(super) cut: Option<Cut>,
    /// Time from the last request to the first byte of its answer.
    pub(super) waited: Duration,
}

/// Reason why an answer was not read completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The body is longer than 8 MiB.
    Long,
    /// The body took longer than the timeout.
    Slow,
    /// The connection or the compression broke.
    Broken,
}

impl HttpResponse {
    /// Value of a header field, or its values separated by commas; empty without any.
    pub(super) fn header(&self, name: &str) -> String {
        let values = self.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.collect::<Vec<_>>().join(", ")
    }
}

/// Reason why there is no answer. Its text is the end of a sentence that begins with the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    NoHost(String),
    Refused(String),
    Certificate(&'static str),
    /// The server does not use TLS, but https was requested.
    NotTls,
    NotHttp,
    Broken,
    Slow(Duration),
    Redirects(Url),
    Circle(Url),
    NoPlace(String),
    Proxy(String),
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoHost(host) => write!(f, "cannot be reached: there is no host {host}"),
            Failure::Refused(host) => write!(f, "cannot be reached: nothing listens at {host}"),
            Failure::Certificate(why) => write!(f, "has no trusted certificate: {why}"),
            Failure::NotTls => write!(f, "answers, but not with https"),
            Failure::NotHttp => write!(f, "answers something that is not HTTP"),
            Failure::Broken => write!(f, "cannot be read: its connection or compression breaks"),
            Failure::Slow(timeout) => write!(f, "did not answer within {} s", timeout.as_secs()),
            Failure::Redirects(last) => write!(f, "redirects more than {REDIRECTS_MAX} times, last to {last}"),
            Failure::Circle(again) => write!(f, "redirects in a circle: to {again} again"),
            Failure::NoPlace(to) => write!(f, "redirects to \"{to}\", which is not the address of a page"),
            Failure::Proxy(why) => write!(f, "cannot be reached through the proxy: {why}"),
            Failure::Other(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

impl Browser {
    /// Creates a browser with a timeout for each request, and further header fields for the page's host.
    pub(super) fn new(timeout: Duration, page: &Url, fields: Vec<(String, String)>) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(AGENT)
            .accept("*/*")
            .accept_encoding("gzip, br")
            .tls_config(TlsConfig::builder().root_certs(root_certificates()).build())
            .build()
            .new_agent();
        Self { agent, timeout, given: (page.clone(), fields), cookies: Vec::new() }
    }

    /// Fetches a resource, following redirects.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub(super) fn get(&mut self, url: &Url, wanted: Resource, referrer: Option<&Url>) -> Result<HttpResponse, Failure> {
        let end = Instant::now() + self.timeout;
        let mut url = url.clone();
        let mut redirects: Vec<Url> = Vec::new();
        let mut seen = vec![(url.clone(), self.cookies.clone())];
        loop {
            let mut request = Request::get(url.as_str());
            if wanted == Resource::Page {
                request = request
                    .header(header::ACCEPT, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
                    .header(header::ACCEPT_LANGUAGE, "en-GB,en;q=0.9")
                    .header(header::UPGRADE_INSECURE_REQUESTS, "1");
            }
            if let Some(referrer) = referrer {
                request = request.header(header::REFERER, format!("{}/", referrer.origin().ascii_serialization()));
            }
            let request = self.signed(request, &url).body(());
            let request = request.map_err(|error| Failure::Other(error.to_string()))?;
            let begun = Instant::now();
            let left = end.saturating_duration_since(begun);
            if left.is_zero() {
                return Err(Failure::Slow(self.timeout));
            }
            let request = self.agent.configure_request(request).timeout_global(Some(left)).build();
            let response = self.agent.run(request).map_err(|error| self.failure(&url, error))?;
            let waited = begun.elapsed();
            self.remember(&url, response.headers());
            let status = response.status().as_u16();
            let to = response.headers().get(header::LOCATION).filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308));
            if let Some(to) = to {
                let to = String::from_utf8_lossy(to.as_bytes()).into_owned();
                let next = url.join(&to).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
                let next = next.ok_or(Failure::NoPlace(to))?;
                // Sites redirect visitors to the same address once they have set a cookie.
                let state = (next.clone(), self.cookies.clone());
                redirects.push(url);
                if seen.contains(&state) {
                    return Err(Failure::Circle(next));
                }
                if redirects.len() > REDIRECTS_MAX {
                    return Err(Failure::Redirects(next));
                }
                seen.push(state);
                url = next;
                continue;
            }
            let (parts, body) = response.into_parts();
            let (body, sent, cut) = self.body(body.into_reader(), &parts.headers)?;
            return Ok(HttpResponse { url, redirects, status, headers: parts.headers, body, sent, cut, waited });
        }
    }

    /// Sends a text from a page of this origin, as its script does.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub(super) fn post(&mut self, url: &Url, text: &'static str, origin: &str) -> Result<HttpResponse, Failure> {
        let request = Request::post(url.as_str())
            .header(header::CONTENT_TYPE, "text/plain;charset=UTF-8")
            .header(header::ORIGIN, origin);
        let request = self.signed(request, url).body(text).map_err(|error| Failure::Other(error.to_string()))?;
        let begun = Instant::now();
        let request = self.agent.configure_request(request).timeout_global(Some(self.timeout)).build();
        let response = self.agent.run(request).map_err(|error| self.failure(url, error))?;
        let waited = begun.elapsed();
        let (parts, body) = response.into_parts();
        let (body, sent, cut) = self.body(body.into_reader(), &parts.headers)?;
        let (url, status, headers) = (url.clone(), parts.status.as_u16(), parts.headers);
        Ok(HttpResponse { url, redirects: Vec::new(), status, headers, body, sent, cut, waited })
    }

    /// Adds the header fields and cookies of its host to a request.
    fn signed(&self, mut request: ureq::http::request::Builder, url: &Url) -> ureq::http::request::Builder {
        let host = url.host_str().unwrap_or_default();
        // A change from http to https is still the same host.
        if self.given.0.host() == url.host() && self.given.0.port() == url.port() {
            for (name, value) in &self.given.1 {
                request = request.header(name, value);
            }
        }
        let cookies = self.cookies.iter().filter(|(of, ..)| of == host);
        let cookies: Vec<_> = cookies.map(|(_, name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header(header::COOKIE, cookies.join("; ")) }
    }

    fn remember(&mut self, url: &Url, headers: &HeaderMap) {
        let host = url.host_str().unwrap_or_default();
        for value in headers.get_all(header::SET_COOKIE) {
            let Ok(value) = value.to_str() else { continue };
            let pair = value.split(';').next().and_then(|pair| pair.split_once('='));
            let Some((name, value)) = pair.map(|(name, value)| (name.trim(), value.trim())) else { continue };
            self.cookies.retain(|(of, known, _)| of != host || known != name);
            self.cookies.push((host.to_owned(), name.to_owned(), value.to_owned()));
        }
    }

    /// The decompressed body, the number of transferred bytes, and the reason if it is incomplete.
    fn body(&self, reader: impl Read, headers: &HeaderMap) -> Result<(Vec<u8>, usize, Option<Cut>), Failure> {
        let sent = Arc::new(AtomicUsize::new(0));
        let counted = Counted { reader, bytes: sent.clone() };
        let coding = headers.get(header::CONTENT_ENCODING).and_then(|coding| coding.to_str().ok()).unwrap_or_default();
        let mut reader: Box<dyn Read + '_> = match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Box::new(counted),
            "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(counted)),
            "br" => Box::new(brotli::Decompressor::new(counted, 16 << 10)),
            other => return Err(Failure::Other(format!("it is compressed as {other}, which was not requested"))),
        };
        let (mut body, mut buffer) = (Vec::new(), [0; 16 << 10]);
        let cut = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break None,
                Ok(count) => body.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if is_slow(&error) && body.is_empty() => return Err(Failure::Slow(self.timeout)),
                Err(error) if is_slow(&error) => break Some(Cut::Slow),
                Err(_) if body.is_empty() => return Err(Failure::Broken),
                Err(_) => break Some(Cut::Broken),
            }
            if body.len() > BYTES_MAX {
                body.truncate(BYTES_MAX);
                break Some(Cut::Long);
            }
        };
        drop(reader);
        Ok((body, sent.load(Ordering::Relaxed), cut))
    }

    fn failure(&self, url: &Url, error: ureq::Error) -> Failure {
        let host = url.host_str().unwrap_or_default();
        let place = match url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        match error {
            ureq::Error::HostNotFound => Failure::NoHost(host.to_owned()),
            ureq::Error::Timeout(_) => Failure::Slow(self.timeout),
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => Failure::NotHttp,
            ureq::Error::ConnectProxyFailed(why) => Failure::Proxy(why),
            ureq::Error::InvalidProxyUrl => Failure::Proxy("its address cannot be read".to_owned()),
            ureq::Error::Io(error) if is_slow(&error) => Failure::Slow(self.timeout),
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => Failure::Refused(place),
            // Each system has its own words for a name that does not exist.
            ureq::Error::Io(error) if error.to_string().contains("lookup address") => Failure::NoHost(host.to_owned()),
            ureq::Error::Io(error) => match error.get_ref().map(ToString::to_string) {
                Some(why) => untrusted(&why),
                None => Failure::Other(format!("{} ({place})", error.kind())),
            },
            ureq::Error::Rustls(error) => untrusted(&error.to_string()),
            other => Failure::Other(other.to_string()),
        }
    }
}

/// Reason why the TLS handshake failed.
fn untrusted(why: &str) -> Failure {
    if why.contains("InvalidContentType") {
        return Failure::NotTls;
    }
    let Some(why) = why.strip_prefix("invalid peer certificate: ") else { return Failure::Other(why.to_owned()) };
    let known = [
        ("certificate expired", "it has expired"),
        ("certificate not valid yet", "it is not valid yet"),
        ("certificate not valid for name", "it is for another host name"),
        ("certificate revoked", "it was revoked"),
    ];
    let reason = known.iter().find(|(start, _)| why.to_ascii_lowercase().starts_with(start)).map(|(_, reason)| *reason);
    let unknown = "its issuer is unknown; SSL_CERT_FILE can name a file with your own certificate authority";
    Failure::Certificate(reason.unwrap_or(unknown))
}

fn is_slow(error: &io::Error) -> bool {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<ureq::Error>());
    error.kind() == ErrorKind::TimedOut || matches!(cause, Some(ureq::Error::Timeout(_)))
}

/// The system's certificate authorities, which may include a company's own; Mozilla's if the system has none.
pub fn root_certificates() -> RootCerts {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    let certificates = found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    RootCerts::Specific(Arc::new(certificates))
}

/// Counts the bytes that are read.
struct Counted<R> {
    reader: R,
    bytes: Arc<AtomicUsize>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.bytes.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_were_to_be_safe() {
        for (why, expect) in [
            ("received corrupt message of type InvalidContentType", "answers, but not with https"),
            (
                "invalid peer certificate: certificate expired: verification time 2 (UNIX), but certificate is not valid after 1",
                "has no trusted certificate: it has expired",
            ),
            (
                "invalid peer certificate: certificate not valid for name \"a\"; certificate is only valid for DnsName(\"b\")",
                "has no trusted certificate: it is for another host name",
            ),
            (
                "invalid peer certificate: UnknownIssuer",
                "has no trusted certificate: its issuer is unknown; SSL_CERT_FILE can name a file with your own \
                 certificate authority",
            ),
            ("peer closed", "cannot be read: peer closed"),
        ] {
            assert_eq!(untrusted(why).to_string(), expect);
        }
    }

    #[test]
    fn cookies_go_back_to_their_host_and_fields_to_the_page_s() {
        let url = |text: &str| Url::parse(text).unwrap();
        let page = url("http://shop.example/");
        let fields = vec![("Authorization".to_owned(), "Basic eDp5".to_owned())];
        let mut browser = Browser::new(Duration::from_secs(1), &page, fields);
        let mut headers = HeaderMap::new();
        for cookie in ["a=1; Path=/", "b=2", "a=3", "nonsense"] {
            headers.append(header::SET_COOKIE, cookie.parse().unwrap());
        }
        browser.remember(&page, &headers);
        for (to, cookies, field) in [
            ("http://shop.example/boots", Some("b=2; a=3"), true),
            ("https://shop.example/", Some("b=2; a=3"), true),
            ("https://shop.example:8443/", Some("b=2; a=3"), false),
            ("https://muriel.example/", None, false),
        ] {
            let request = browser.signed(Request::get(to), &url(to)).body(()).unwrap();
            let found = request.headers().get(header::COOKIE).map(|value| value.to_str().unwrap());
            assert_eq!((found, request.headers().contains_key(header::AUTHORIZATION)), (cookies, field), "{to}");
        }
    }
}
