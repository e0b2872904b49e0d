//! Reads request bodies: checks the media type, limits the size and the time.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt;

use crate::error::HttpError;
use crate::request::RequestContext;

/// Maximum size of a body of most operations, in bytes.
pub const BODY_LIMIT: usize = 2 << 20;
/// Timeout for receiving a whole body.
pub const BODY_DEADLINE: Duration = Duration::from_secs(30);

/// Media types that operations accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`
    Json,
    /// `application/merge-patch+json`
    MergePatch,
    /// `text/plain`: lets pages of other origins send JSON without a CORS preflight.
    Plain,
}

impl MediaType {
    /// Media type as written in `Content-Type`.
    pub fn as_str(self) -> &'static str {
        match self {
            MediaType::Json => "application/json",
            MediaType::MergePatch => "application/merge-patch+json",
            MediaType::Plain => "text/plain",
        }
    }
}

/// Reads a request body, and returns its media type and bytes.
///
/// # Errors
/// 415 unless `Content-Type` names one of `accept` in UTF-8 and the body is not compressed; 413 as
/// soon as the length is known to exceed `limit`, from `Content-Length` or by counting; 408 when
/// the body has not arrived within `deadline`.
pub async fn read_json_body(
    request: Request,
    accept: &[MediaType],
    limit: usize,
    deadline: Duration,
) -> Result<(MediaType, Bytes), HttpError> {
    let (parts, body) = request.into_parts();
    let media_type = media_type(&parts.headers, accept)?;
    let announced = body.size_hint().lower();
    if announced > limit as u64 {
        return Err(HttpError::BodyTooLarge { limit });
    }
    let _reading = parts.extensions.get::<RequestContext>().map(RequestContext::reading_body);
    let bytes = tokio::time::timeout(deadline, collect(body, announced as usize, limit, &mut Uncounted))
        .await
        .map_err(|_| HttpError::Timeout)??;
    Ok((media_type, bytes))
}

/// Checks the media type of the body.
///
/// # Errors
/// `otherwise` unless there is exactly one `Content-Type`, with one of the `accept` types, in
/// UTF-8.
pub fn has_type(headers: &HeaderMap, accept: &[&str], otherwise: HttpError) -> Result<(), HttpError> {
    match content_type(headers) {
        Some(named) if accept.iter().any(|known| known.eq_ignore_ascii_case(named)) => Ok(()),
        _ => Err(otherwise),
    }
}

/// Returns whether the body is compressed.
///
/// # Errors
/// `otherwise` for a coding that is neither gzip nor `identity`, and for gzip twice.
pub fn is_gzip(headers: &HeaderMap, otherwise: HttpError) -> Result<bool, HttpError> {
    let mut is_gzip = false;
    for coding in headers.get_all(header::CONTENT_ENCODING) {
        match coding.as_bytes() {
            coding if coding.eq_ignore_ascii_case(b"identity") => {}
            coding if coding.eq_ignore_ascii_case(b"gzip") && !is_gzip => is_gzip = true,
            _ => return Err(otherwise),
        }
    }
    Ok(is_gzip)
}

/// Memory for a body while it arrives.
pub trait Room {
    /// Error when there is not enough.
    type Error: From<HttpError>;

    /// Makes room for this many bytes in all.
    fn resize(&mut self, bytes: usize) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// Room that is not counted, because it was made before, or is small.
pub struct Uncounted;

impl Room for Uncounted {
    type Error = HttpError;

    async fn resize(&mut self, _: usize) -> Result<(), HttpError> {
        Ok(())
    }
}

/// Collects the whole body, of which `announced` bytes are expected. A body that arrives in one piece is not copied.
///
/// # Errors
/// 413 as soon as it is longer than `limit`; 400 for invalid chunks; those of `room`.
pub async fn collect<R: Room>(mut body: Body, announced: usize, limit: usize, room: &mut R) -> Result<Bytes, R::Error> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        // Invalid chunks or a closed connection: the client may not read the response.
        let frame = frame.map_err(|_| HttpError::MalformedRequest)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if first.len() + all.len() + data.len() > limit {
            return Err(HttpError::BodyTooLarge { limit }.into());
        }
        room.resize(first.len() + all.len() + data.len()).await?;
        if first.is_empty() && all.is_empty() {
            first = data;
            continue;
        }
        if all.is_empty() {
            all.reserve(announced.max(first.len() + data.len()));
            all.extend_from_slice(&std::mem::take(&mut first));
        }
        all.extend_from_slice(&data);
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// Finds the accepted type that `Content-Type` names.
fn media_type(headers: &HeaderMap, accept: &[MediaType]) -> Result<MediaType, HttpError> {
    let identity = |coding: &http::HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if !headers.get_all(header::CONTENT_ENCODING).iter().all(identity) {
        return Err(HttpError::UnsupportedMediaType { expected: "sent without Content-Encoding" });
    }
    let found = content_type(headers)
        .and_then(|named| accept.iter().find(|accepted| accepted.as_str().eq_ignore_ascii_case(named)));
    found.copied().ok_or_else(|| HttpError::UnsupportedMediaType { expected: expected(accept) })
}

/// Media type of the body; none unless there is exactly one `Content-Type`, in UTF-8.
fn content_type(headers: &HeaderMap) -> Option<&str> {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    match (types.next(), types.next()) {
        (Some(one), None) => one.to_str().ok().and_then(utf8_type),
        _ => None,
    }
}

/// Media type without parameters. None when it names a charset other than UTF-8.
fn utf8_type(value: &str) -> Option<&str> {
    let mut parts = value.split(';');
    let name = parts.next()?.trim();
    let other_charset = parts
        .filter_map(|parameter| parameter.split_once('='))
        .filter(|(key, _)| key.trim().eq_ignore_ascii_case("charset"))
        .any(|(_, charset)| {
            let charset = charset.trim().trim_matches('"');
            !charset.eq_ignore_ascii_case("utf-8") && !charset.eq_ignore_ascii_case("utf8")
        });
    (!other_charset).then_some(name)
}

fn expected(accept: &[MediaType]) -> &'static str {
    let merge = accept.contains(&MediaType::MergePatch);
    match (accept.contains(&MediaType::Json), merge) {
        (true, true) => "application/json or application/merge-patch+json",
        (false, true) => "application/merge-patch+json",
        _ => "application/json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure;

    const BOTH: &[MediaType] = &[MediaType::Json, MediaType::MergePatch];

    fn check(headers: &[(header::HeaderName, &'static str)], expect: Result<MediaType, &str>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        let got = media_type(&map, BOTH).map_err(|error| error.to_string());
        assert_eq!(got, expect.map_err(str::to_owned), "for {headers:?}");
    }

    #[test]
    fn media_types() {
        use header::{CONTENT_ENCODING, CONTENT_TYPE};
        let neither = Err("the body must be application/json or application/merge-patch+json");
        for (value, expect) in [
            ("application/json", Ok(MediaType::Json)),
            ("Application/JSON", Ok(MediaType::Json)),
            ("application/json; charset=utf-8", Ok(MediaType::Json)),
            ("application/json;charset=\"UTF-8\"; x=y", Ok(MediaType::Json)),
            ("application/merge-patch+json", Ok(MediaType::MergePatch)),
            ("application/json; charset=latin1", neither),
            ("application/json5", neither),
            ("text/plain", neither),
            ("", neither),
        ] {
            check(&[(CONTENT_TYPE, value)], expect);
        }
        check(&[], neither);
        let json = (CONTENT_TYPE, "application/json");
        check(&[json.clone(), json.clone()], neither);
        check(&[json.clone(), (CONTENT_ENCODING, "identity")], Ok(MediaType::Json));
        check(&[json, (CONTENT_ENCODING, "gzip")], Err("the body must be sent without Content-Encoding"));
    }

    fn request(body: Body) -> Request {
        Request::builder().header(header::CONTENT_TYPE, "application/json").body(body).unwrap()
    }

    async fn read(body: Body, limit: usize) -> Result<String, String> {
        let second = Duration::from_secs(1);
        match read_json_body(request(body), &[MediaType::Json], limit, second).await {
            Ok((_, bytes)) => Ok(String::from_utf8(bytes.to_vec()).unwrap()),
            Err(error) => Err(error.code().to_owned()),
        }
    }

    fn pieces(pieces: &[&'static str]) -> Body {
        let pieces: Vec<_> = pieces.iter().map(|piece| Ok::<_, std::convert::Infallible>(*piece)).collect();
        Body::from_stream(futures_util::stream::iter(pieces))
    }

    #[tokio::test]
    async fn bodies_up_to_the_limit() {
        assert_eq!(read(Body::empty(), 4).await.unwrap(), "");
        assert_eq!(read(Body::from("1234"), 4).await.unwrap(), "1234");
        assert_eq!(read(Body::from("12345"), 4).await.unwrap_err(), "body_too_large");
        assert_eq!(read(pieces(&["", "12", "", "3", "4"]), 4).await.unwrap(), "1234");
        assert_eq!(read(pieces(&["12", "345"]), 4).await.unwrap_err(), "body_too_large");
    }

    #[tokio::test]
    async fn a_body_that_never_ends() {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::convert::Infallible>>());
        let deadline = Duration::from_millis(10);
        let read = read_json_body(request(never), BOTH, 4, deadline).await;
        assert_eq!(read.unwrap_err().code(), "request_timeout");
    }
}
