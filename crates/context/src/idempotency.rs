//! Idempotency keys: a repeated request gets the response of the first one.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::error::{ConflictCode, Error, Result};
use crate::sealed::{seal, unseal};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use muriel_domain::ids::ProjectId;
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::idempotency::{self, CompletedOperation};
use sha2::{Digest, Sha256};

/// Maximum length of a key, in bytes.
const KEY_MAX: usize = 255;
/// Purpose under which responses with secrets are encrypted.
const RESPONSES: &str = "responses";

/// Identifies a request and its repetitions.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    project: ProjectId,
    operation: String,
    key: String,
    /// SHA-256 of the body: a key is valid for one body only.
    fingerprint: Vec<u8>,
    now: Instant,
}

/// The JSON of a response, and whether it was stored by an earlier request.
#[derive(Debug)]
pub struct StoredResponse {
    /// Body of the response.
    pub body: String,
    /// True when an earlier request got this response.
    pub replayed: bool,
}

impl IdempotencyKey {
    /// Creates the key `key` of a request with this body. `operation` names the act and its
    /// object: keys of different operations are independent.
    ///
    /// # Errors
    /// A key that does not have 1 to 255 printable ASCII characters.
    pub fn new(key: &str, project: ProjectId, operation: String, body: &[u8], now: Instant) -> Result<Self> {
        if key.is_empty() || key.len() > KEY_MAX || !key.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            let message = "must be given once, with 1 to 255 printable ASCII characters";
            return Err(Problems::one("Idempotency-Key", message).into());
        }
        let fingerprint = Sha256::digest(body).to_vec();
        Ok(Self { project, operation, key: key.to_owned(), fingerprint, now })
    }
}

/// Returns the response that an earlier request with this key got; `None` without a key or an earlier request.
///
/// # Errors
/// A conflict when the earlier request had another body.
pub async fn replay(tx: &mut dyn Tx, key: Option<&IdempotencyKey>) -> Result<Option<StoredResponse>> {
    let Some(key) = key else { return Ok(None) };
    match idempotency::find(tx, key.project, &key.operation, &key.key, key.now).await? {
        None => Ok(None),
        Some(done) if done.fingerprint == key.fingerprint => {
            Ok(Some(StoredResponse { body: done.response, replayed: true }))
        }
        Some(_) => Err(Error::conflict(
            ConflictCode::IdempotencyKeyReused,
            "the Idempotency-Key was used with another body; use a new key for a new request",
        )),
    }
}

/// Stores the response for requests that repeat the key, in the transaction of the act itself.
/// Stores nothing without a key.
pub async fn store(tx: &mut dyn Tx, key: Option<&IdempotencyKey>, body: String) -> Result<StoredResponse> {
    if let Some(key) = key {
        let done = CompletedOperation { fingerprint: key.fingerprint.clone(), response: body.clone() };
        idempotency::insert(tx, key.project, &key.operation, &key.key, &done, key.now).await?;
    }
    Ok(StoredResponse { body, replayed: false })
}

/// Like [`replay`], for a response with a secret, which is stored encrypted.
///
/// # Errors
/// Same as [`replay`], and a stored response that cannot be decrypted.
pub async fn replay_sealed(
    tx: &mut dyn Tx,
    cipher: &[u8; 32],
    key: Option<&IdempotencyKey>,
) -> Result<Option<StoredResponse>> {
    let Some(stored) = replay(tx, key).await? else { return Ok(None) };
    let sealed = STANDARD.decode(&stored.body).map_err(Error::internal)?;
    let body = String::from_utf8(unseal(cipher, RESPONSES, &sealed)?).map_err(Error::internal)?;
    Ok(Some(StoredResponse { body, ..stored }))
}

/// Like [`store`], for a response with a secret, which is stored encrypted.
pub async fn store_sealed(
    tx: &mut dyn Tx,
    cipher: &[u8; 32],
    key: Option<&IdempotencyKey>,
    body: String,
) -> Result<StoredResponse> {
    let sealed = STANDARD.encode(seal(cipher, RESPONSES, body.as_bytes())?);
    let stored = store(tx, key, sealed).await?;
    Ok(StoredResponse { body, ..stored })
}
