//! Reads bodies of events: checks the media type, limits the size, the time and the memory of all together.

use axum::body::HttpBody;
use axum::extract::Request;
use bytes::Bytes;
use http::header;
use muriel_delivery::intake::Intake;
use muriel_delivery::memory_budget::Reservation;
use muriel_http::body::{BODY_DEADLINE, Room, Uncounted, collect, has_type, is_gzip};
use muriel_http::error::HttpError;
use muriel_http::request::RequestContext;

use crate::error::ApiError;
use crate::sizes::EXPANDED_LIMIT;

/// Maximum size of a body of events as sent, compressed or not, in bytes.
pub(crate) const EVENTS_LIMIT: usize = 512 << 10;
/// Maximum size of a batch of many visitors' events as sent, compressed or not, in bytes.
pub(crate) const BATCH_LIMIT: usize = 8 << 20;

/// Room from the memory that all bodies of events share.
struct Reserved<'a, 'r>(&'a mut Reservation<'r>);

impl Room for Reserved<'_, '_> {
    type Error = ApiError;

    async fn resize(&mut self, bytes: usize) -> Result<(), ApiError> {
        Ok(self.0.resize(bytes).await?)
    }
}

/// Body of events with its memory reservation. Dropping it releases the memory.
pub(crate) struct EventsBody<'r> {
    pub(crate) bytes: Bytes,
    /// Memory for parsing and writing the events.
    pub(crate) memory: Reservation<'r>,
    /// Memory for the bytes as they arrived.
    _arrived: Reservation<'r>,
}

/// Reads a body of events: JSON, as `application/json` or as `text/plain` (which beacons must use),
/// with or without gzip.
///
/// # Errors
/// 415 for other types and codings; 413 over [`EVENTS_LIMIT`] or, expanded, over
/// [`EXPANDED_LIMIT`]; 400 for invalid gzip or more than one gzip member; 408 as in
/// [`read_json_body`](muriel_http::body::read_json_body); 503 while other bodies leave too little memory.
pub(crate) async fn read_events_body(request: Request, intake: &Intake) -> Result<EventsBody<'_>, ApiError> {
    const EXPECTED: HttpError = HttpError::UnsupportedMediaType {
        expected: "application/json or text/plain, in UTF-8, without a Content-Encoding other than gzip",
    };
    let (parts, body) = request.into_parts();
    // A beacon that sends raw bytes has no `Content-Type`.
    if parts.headers.contains_key(header::CONTENT_TYPE) {
        has_type(&parts.headers, &["application/json", "text/plain"], EXPECTED)?;
    }
    let is_gzip = is_gzip(&parts.headers, EXPECTED)?;
    let announced = body.size_hint().lower();
    if announced > EVENTS_LIMIT as u64 {
        return Err(HttpError::BodyTooLarge { limit: EVENTS_LIMIT }.into());
    }
    let _reading = parts.extensions.get::<RequestContext>().map(RequestContext::reading_body);
    let (mut arrived, mut memory) = (intake.arriving.reserve(), intake.bodies.reserve());
    let mut room = Reserved(&mut arrived);
    let collected = collect(body, announced as usize, EVENTS_LIMIT, &mut room);
    let mut bytes = tokio::time::timeout(BODY_DEADLINE, collected).await.map_err(|_| HttpError::Timeout)??;
    if is_gzip {
        // The expanded size is known only after expansion, so the maximum is reserved.
        memory.resize(EXPANDED_LIMIT).await?;
        bytes = expanded(&bytes)?;
    }
    Ok(EventsBody { bytes, memory, _arrived: arrived })
}

/// Batch of many visitors' events, still compressed if it was sent so.
pub(crate) struct BatchBody<'r> {
    pub(crate) bytes: Bytes,
    pub(crate) is_gzip: bool,
    /// Memory reserved for the bytes.
    pub(crate) memory: Reservation<'r>,
}

/// Reads a batch: JSON lines, with or without gzip.
///
/// # Errors
/// 415 for other types and codings; 413 over [`BATCH_LIMIT`]; 408 as in [`read_json_body`](muriel_http::body::read_json_body); 503
/// while other batches leave too little memory.
pub(crate) async fn read_batch_body(request: Request, intake: &Intake) -> Result<BatchBody<'_>, ApiError> {
    const EXPECTED: HttpError = HttpError::UnsupportedMediaType {
        expected: "application/x-ndjson or application/jsonl, in UTF-8, without a Content-Encoding other than gzip",
    };
    let (parts, body) = request.into_parts();
    has_type(&parts.headers, &["application/x-ndjson", "application/jsonl"], EXPECTED)?;
    let is_gzip = is_gzip(&parts.headers, EXPECTED)?;
    let size = body.size_hint();
    if size.lower() > BATCH_LIMIT as u64 {
        return Err(HttpError::BodyTooLarge { limit: BATCH_LIMIT }.into());
    }
    // Reserve the whole size up front: uploads that each hold a part and wait for more would
    // deadlock.
    let mut memory = intake.batches.reserve();
    memory.resize(size.exact().map_or(BATCH_LIMIT, |bytes| bytes as usize)).await?;
    let _reading = parts.extensions.get::<RequestContext>().map(RequestContext::reading_body);
    let mut room = Uncounted;
    let collected = collect(body, size.lower() as usize, BATCH_LIMIT, &mut room);
    let bytes = tokio::time::timeout(BODY_DEADLINE, collected).await.map_err(|_| HttpError::Timeout)??;
    Ok(BatchBody { bytes, is_gzip, memory })
}

/// Expands a single gzip member.
fn expanded(bytes: &[u8]) -> Result<Bytes, ApiError> {
    use std::io::Read;
    let broken = |_| ApiError::malformed("the body is not valid gzip");
    let mut decoder = flate2::bufread::GzDecoder::new(bytes);
    // A member ends with its uncompressed length. Using it as the capacity avoids growing the
    // vector; a false length costs address space only.
    let stated_length = bytes.last_chunk().map_or(0, |last| u32::from_le_bytes(*last) as usize);
    let mut out = Vec::with_capacity(stated_length.min(EXPANDED_LIMIT) + 1);
    decoder.by_ref().take(EXPANDED_LIMIT as u64 + 1).read_to_end(&mut out).map_err(broken)?;
    if out.len() > EXPANDED_LIMIT {
        return Err(HttpError::BodyTooLarge { limit: EXPANDED_LIMIT }.into());
    }
    if !decoder.into_inner().is_empty() {
        return Err(ApiError::malformed("the body has more than one gzip member"));
    }
    Ok(out.into())
}
