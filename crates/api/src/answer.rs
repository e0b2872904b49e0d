//! Responses with bodies, entity tags and warnings.

use crate::error::ApiError;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use muriel_context::Precondition;
use serde::Serialize;

/// Response with `body` serialised as JSON.
pub(crate) fn json<T: Serialize>(status: StatusCode, body: &T) -> Result<Response, ApiError> {
    Ok(written(status, serde_json::to_vec(body).map_err(ApiError::internal)?.into()))
}

/// Response with a body that is already JSON.
pub(crate) fn written(status: StatusCode, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Response with JSON lines.
pub(crate) fn json_lines(body: Bytes) -> Response {
    let mut response = written(StatusCode::OK, body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    response
}

/// Adds `version` as a strong `ETag`.
pub(crate) fn tagged(mut response: Response, version: &str) -> Response {
    if let Ok(tag) = HeaderValue::from_str(&tag(version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The header field with warnings about a change that was made.
pub(crate) const WARNINGS: HeaderName = HeaderName::from_static("x-muriel-warnings");
/// Maximum length of that field, in bytes: proxies refuse longer ones.
const WARNINGS_BYTES: usize = 3_000;

/// Adds the warnings as a header field: a JSON array of strings, empty when there are
/// none. Characters outside ASCII are written as JSON escapes.
pub(crate) fn warned(mut response: Response, sentences: Vec<String>) -> Response {
    let all = sentences.len();
    let mut kept = Vec::new();
    let mut bytes = 2;
    for sentence in sentences {
        let text = ascii(&serde_json::Value::from(sentence).to_string());
        bytes += text.len() + 1;
        if bytes > WARNINGS_BYTES {
            let left = all - kept.len();
            kept.push(format!("\"{left} more do not fit in this header\""));
            break;
        }
        kept.push(text);
    }
    if let Ok(value) = HeaderValue::from_str(&format!("[{}]", kept.join(","))) {
        response.headers_mut().insert(WARNINGS, value);
    }
    response
}

/// Escapes JSON so that only visible ASCII characters and spaces remain.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, ' '..='~') {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

fn tag(version: &str) -> String {
    format!("\"{version}\"")
}

/// Parses `If-Match`: the versions that the client allows the change to replace.
pub(crate) fn if_match(headers: &HeaderMap) -> Precondition {
    match tags(headers, &header::IF_MATCH) {
        Some(tags) if !tags.iter().any(|tag| tag == "*") => {
            // Weak tags and unquoted text do not name a version.
            let version = |tag: &String| Some(tag.strip_prefix('"')?.strip_suffix('"')?.to_owned());
            Precondition::OneOf(tags.iter().filter_map(version).collect())
        }
        _ => Precondition::None,
    }
}

/// Returns whether `If-None-Match` names this version.
pub(crate) fn is_known(headers: &HeaderMap, version: &str) -> bool {
    // Weak comparison is enough for a GET: a weak tag stands for the same content.
    tags(headers, &header::IF_NONE_MATCH).is_some_and(|tags| {
        tags.iter().any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == tag(version))
    })
}

/// Tags of a header field; `None` when the field is absent. Text that is not a tag is
/// kept and matches nothing.
fn tags(headers: &HeaderMap, name: &HeaderName) -> Option<Vec<String>> {
    headers.contains_key(name).then(|| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().to_owned())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_a_json_array_in_ascii() {
        let header = |sentences: &[String]| {
            let response = warned(written(StatusCode::OK, Bytes::new()), sentences.to_vec());
            response.headers()[WARNINGS].to_str().unwrap().to_owned()
        };
        assert_eq!(header(&[]), "[]");
        let odd = "\"tags\": caf\u{e9} \u{1f600}\u{7f}\n\\ \u{202e}".to_owned();
        let text = header(&[odd.clone(), "two".into()]);
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [odd, "two".into()]);
        let many = header(&vec!["\u{1f600}".repeat(100); 20]);
        assert!(many.len() < 4_096, "{}", many.len());
        let warnings: Vec<String> = serde_json::from_str(&many).unwrap();
        assert!(warnings.last().unwrap().starts_with("18 more"), "{warnings:?}");
    }

    #[test]
    fn preconditions() {
        let one_of = |versions: &[&str]| Precondition::OneOf(versions.iter().map(|one| (*one).to_owned()).collect());
        for (header, expect) in [
            (None, Precondition::None),
            (Some("\"1-0\""), one_of(&["1-0"])),
            (Some("*"), Precondition::None),
            (Some("\"2\", \"1-0\""), one_of(&["2", "1-0"])),
            (Some("W/\"1-0\""), one_of(&[])),
            (Some("1-0"), one_of(&[])),
            (Some("\""), one_of(&[])),
            (Some(""), one_of(&[])),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(value) = header {
                headers.insert(header::IF_MATCH, HeaderValue::from_static(value));
            }
            assert_eq!(if_match(&headers), expect, "{header:?}");
        }
    }
}
