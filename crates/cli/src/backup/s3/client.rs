//! S3 requests: retries, timeouts, and error messages.
//!
//! Signed URLs contain the signature and, with temporary credentials, a token. So neither URLs nor
//! the server's error texts are printed, except for error codes.

use super::super::interrupt;
use crate::{Error, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use std::io::Read;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::{self, HeaderMap, Method};
use ureq::tls::TlsConfig;
use url::Url;

/// Maximum attempts of a request, with waits of half a minute in total.
const MAX_ATTEMPTS: u32 = 8;
const FIRST_WAIT: Duration = Duration::from_millis(200);
const MAX_WAIT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout from the end of the request to the beginning of the response. Completing a large upload
/// takes minutes.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(180);
/// Timeout for the body of a request or a response: a part at 64 KiB per second.
const BODY_TIMEOUT: Duration = Duration::from_secs(130);
/// Maximum size of a response that is not a file, in bytes.
const MAX_ANSWER: u64 = 16 << 20;

#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    bucket: String,
}

/// Request without its URL, which is signed for each attempt.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    method: &'static str,
    pub(super) headers: &'a [(&'static str, String)],
    body: &'a [u8],
    /// Maximum size of the response, in bytes.
    limit: u64,
    /// Timeout for all attempts together.
    timeout: Option<Duration>,
}

impl<'a> Request<'a> {
    const fn new(method: &'static str, body: &'a [u8], headers: &'a [(&'static str, String)]) -> Self {
        Self { method, headers, body, limit: MAX_ANSWER, timeout: None }
    }

    pub(super) fn get() -> Self {
        Self::new("GET", b"", &[])
    }

    pub(super) fn put(body: &'a [u8], headers: &'a [(&'static str, String)]) -> Self {
        Self::new("PUT", body, headers)
    }

    pub(super) fn post(body: &'a [u8]) -> Self {
        Self::new("POST", body, &[])
    }

    pub(super) fn delete() -> Self {
        Self::new("DELETE", b"", &[])
    }

    pub(super) fn with_limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    pub(super) fn with_headers(self, headers: &'a [(&'static str, String)]) -> Self {
        Self { headers, ..self }
    }

    pub(super) fn within(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }
}

/// Header field with which the server verifies the received body.
pub(super) fn checked(body: &[u8]) -> [(&'static str, String); 1] {
    [("content-md5", BASE64_STANDARD.encode(Md5::digest(body)))]
}

pub(super) struct Answer {
    status: u16,
    headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn is_missing(&self) -> bool {
        self.status == 404
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Error code, such as `NoSuchBucket`.
    fn code(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.body);
        let (code, _) = text.split_once("<Code>")?.1.split_once("</Code>")?;
        let is_code = !code.is_empty() && code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_code.then(|| code.to_owned())
    }
}

/// Reason why an attempt failed.
enum Failure {
    /// A retry may succeed.
    Passing(String),
    Final(Error),
}

impl Client {
    pub(super) fn new(bucket: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The signature is valid for one URL only.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("Muriel-Backup/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(CONNECT_TIMEOUT))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_send_request(Some(CONNECT_TIMEOUT))
            .timeout_send_body(Some(BODY_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT))
            .timeout_recv_body(Some(BODY_TIMEOUT))
            .tls_config(TlsConfig::builder().root_certs(muriel_outbound::tls::roots()).build())
            .build();
        Self { agent: config.new_agent(), bucket: bucket.to_owned() }
    }

    /// Sends a request, with retries. Returns a response with status 2xx or 404.
    ///
    /// # Errors
    /// [`Error::ObjectStore`], which begins with `cannot ` and `doing`.
    pub(super) fn send(&self, doing: &str, request: Request<'_>, sign: impl Fn() -> Url) -> Result<Answer> {
        let begun = Instant::now();
        let mut wait = FIRST_WAIT;
        let mut last = String::new();
        let mut attempts = 0;
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                // Jitter of up to a quarter, so that clients refused together do not return
                // together.
                let jitter = u32::from(uuid::Uuid::now_v7().as_bytes()[15]);
                interrupt::sleep(wait * (192 + jitter / 2) / 256);
                wait = (wait * 2).min(MAX_WAIT);
            }
            interrupt::check()?;
            let left = request.timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            attempts += 1;
            match self.attempt(doing, Request { timeout: left, ..request }, &sign) {
                Ok(answer) => return Ok(answer),
                Err(Failure::Passing(why)) => last = why,
                Err(Failure::Final(error)) => return Err(error),
            }
        }
        Err(Error::ObjectStore(format!("cannot {doing}: {last} ({attempts} attempts)")))
    }

    /// Sends a request once, even after an interrupt.
    pub(super) fn send_once(&self, doing: &str, request: Request<'_>, sign: impl Fn() -> Url) -> Result<Answer> {
        self.attempt(doing, request, &sign).map_err(|failure| match failure {
            Failure::Passing(why) => Error::ObjectStore(format!("cannot {doing}: {why}")),
            Failure::Final(error) => error,
        })
    }

    fn attempt(&self, doing: &str, request: Request<'_>, sign: &impl Fn() -> Url) -> Result<Answer, Failure> {
        let answer = self.run(request, sign().as_str()).map_err(|why| {
            // A certificate will not be replaced within half a minute, so a retry is useless.
            if why == UNTRUSTED {
                Failure::Final(Error::ObjectStore(format!("cannot {doing}: {why}")))
            } else {
                Failure::Passing(why)
            }
        })?;
        match answer.status {
            200..=299 => Ok(answer),
            404 if answer.code().as_deref() != Some("NoSuchBucket") => Ok(answer),
            408 | 425 | 429 | 500 | 502 | 503 | 504 => Err(Failure::Passing(answer.said())),
            400 if answer.code().is_some_and(|code| PASSING.contains(&&*code)) => Err(Failure::Passing(answer.said())),
            _ => Err(Failure::Final(self.refused(doing, &answer))),
        }
    }

    fn run(&self, request: Request<'_>, url: &str) -> std::result::Result<Answer, String> {
        let mut builder = http::Request::builder().method(request.method).uri(url);
        for (name, value) in request.headers {
            builder = builder.header(*name, value);
        }
        let unsendable = |_| "the request cannot be made".to_owned();
        let timeout = request.timeout;
        let sent = if matches!(request.method, "GET" | "DELETE") {
            let request = builder.body(()).map_err(unsendable)?;
            self.agent.run(self.agent.configure_request(request).timeout_global(timeout).build())
        } else {
            let request = builder.body(request.body).map_err(unsendable)?;
            self.agent.run(self.agent.configure_request(request).timeout_global(timeout).build())
        };
        let (parts, body) = sent.map_err(|error| reason(&error))?.into_parts();
        let (status, headers) = (parts.status.as_u16(), parts.headers);
        let limit = if (200..300).contains(&status) { request.limit } else { MAX_ANSWER };
        let mut bytes = Vec::new();
        body.into_reader().take(limit + 1).read_to_end(&mut bytes).map_err(|_| "the connection was cut".to_owned())?;
        let announced = headers.get("content-length").and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if bytes.len() as u64 > limit {
            return Err(format!("the response has more than {limit} bytes"));
        }
        if request.method != Method::HEAD.as_str() && announced.is_some_and(|length| length != bytes.len() as u64) {
            return Err("the connection was cut".to_owned());
        }
        Ok(Answer { status, headers, body: bytes })
    }

    /// Error for a response, with advice on what to do.
    pub(super) fn refused(&self, doing: &str, answer: &Answer) -> Error {
        let bucket = &self.bucket;
        let code = answer.code().unwrap_or_default();
        let region = answer.header("x-amz-bucket-region").filter(|region| region.len() < 64).unwrap_or_default();
        let advice = match (&*code, answer.status) {
            ("NoSuchBucket", _) => {
                format!("the bucket {bucket} does not exist; create it, or check its name and --s3-endpoint")
            }
            ("InvalidAccessKeyId" | "InvalidSecurity" | "InvalidClientTokenId", _) => {
                "the store does not know the access key; check AWS_ACCESS_KEY_ID".to_owned()
            }
            ("SignatureDoesNotMatch", _) => {
                "the secret key does not belong to the access key, or the region is wrong; check \
                                             AWS_SECRET_ACCESS_KEY and --s3-region"
                    .to_owned()
            }
            ("ExpiredToken" | "InvalidToken", _) => {
                "the temporary credentials have expired; set new ones in the environment".to_owned()
            }
            ("RequestTimeTooSkewed", _) => "the clock of this machine is wrong".to_owned(),
            ("PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException", _)
            | (_, 301 | 307) => {
                let hint = if region.is_empty() { String::new() } else { format!(" {region}") };
                format!("the bucket {bucket} is in another region; set it with --s3-region{hint}")
            }
            (_, 401 | 403) => format!(
                "the access key may not do this; it needs s3:ListBucket on the bucket {bucket}, and s3:GetObject, s3:PutObject, \
                 s3:DeleteObject and s3:AbortMultipartUpload on its objects"
            ),
            _ => return Error::ObjectStore(format!("cannot {doing}: {}", answer.said())),
        };
        let said = if code.is_empty() { format!("HTTP {}", answer.status) } else { code };
        Error::ObjectStore(format!("cannot {doing}: {advice} ({said})"))
    }

    /// Error for a response that does not conform to S3.
    pub(super) fn unreadable(&self, doing: &str) -> Error {
        Error::ObjectStore(format!("cannot {doing}: the response does not conform to S3; check --s3-endpoint"))
    }
}

/// Codes with status 400 for which a retry may succeed.
const PASSING: [&str; 6] =
    ["BadDigest", "IncompleteBody", "RequestTimeout", "InternalError", "SlowDown", "ServiceUnavailable"];

impl Answer {
    fn said(&self) -> String {
        match self.code() {
            Some(code) => format!("the store answers {} {code}", self.status),
            None => format!("the store answers {}", self.status),
        }
    }
}

const UNTRUSTED: &str = "the certificate of the store is not trusted";

/// Reason why there is no response. The error's own text may contain the URL.
fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "the host of the store cannot be found".to_owned(),
        ureq::Error::Timeout(_) => "the store does not answer in time".to_owned(),
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => "the response is not HTTP".to_owned(),
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => UNTRUSTED.to_owned(),
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
            "the proxy in the environment cannot be used".to_owned()
        }
        ureq::Error::Io(error) => match error.kind() {
            std::io::ErrorKind::TimedOut => "the store does not answer in time".to_owned(),
            std::io::ErrorKind::ConnectionRefused => "nothing listens at the address of the store".to_owned(),
            std::io::ErrorKind::InvalidData => UNTRUSTED.to_owned(),
            _ if error.to_string().contains("lookup address") => "the host of the store cannot be found".to_owned(),
            _ => "the connection was cut".to_owned(),
        },
        _ => "the request failed".to_owned(),
    }
}
