//! Secrets of webhooks: storage and signatures.
//!
//! A secret has to be readable for signing, so it is not stored as a MAC like API keys: it is encrypted
//! (ChaCha20-Poly1305, RFC 8439) with a key derived from the pepper, which is not in the database.

use crate::error::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;

const PREFIX: &str = "whsec_";
/// Bytes of a secret; Standard Webhooks allows 24 to 64.
const SECRET_LEN: usize = 32;

/// A secret in plain text: shown once, stored encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; SECRET_LEN]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}

impl Secret {
    /// Generates a new secret.
    ///
    /// # Errors
    /// When the system provides no random bytes.
    pub(super) fn generate() -> Result<Self> {
        let mut bytes = [0; SECRET_LEN];
        getrandom::fill(&mut bytes).map_err(|error| Error::internal(error.to_string()))?;
        Ok(Self(bytes))
    }

    /// The secret in the form that is shown: `whsec_` and base64.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// Builds the `webhook-signature` of a message: one signature for each secret, separated by blanks.
pub(super) fn signatures(secrets: &[Secret], message_id: &str, timestamp_s: i64, body: &str) -> String {
    let signed = format!("{message_id}.{timestamp_s}.{body}");
    let signatures = secrets.iter().filter_map(|secret| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.bytes()).ok()?;
        mac.update(signed.as_bytes());
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    });
    signatures.collect::<Vec<_>>().join(" ")
}

/// Encrypts a text with a key, for this purpose.
///
/// # Errors
/// When the system provides no random bytes.
pub(crate) fn seal(key: &[u8; 32], purpose: &str, clear: &[u8]) -> Result<Vec<u8>> {
    let mut nonce = [0; NONCE_LEN];
    getrandom::fill(&mut nonce).map_err(|error| Error::internal(error.to_string()))?;
    let mut text = clear.to_vec();
    cipher(key)?
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(purpose.as_bytes()), &mut text)
        .map_err(|_| Error::internal("a secret could not be encrypted"))?;
    let mut sealed = nonce.to_vec();
    sealed.extend(text);
    Ok(sealed)
}

/// Decrypts a text that was encrypted with the same key for the same purpose.
///
/// # Errors
/// Any other input.
pub(crate) fn unseal(key: &[u8; 32], purpose: &str, sealed: &[u8]) -> Result<Vec<u8>> {
    let unreadable = || Error::internal("a secret cannot be decrypted: was the pepper changed?");
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(unreadable)?;
    let mut text = text.to_vec();
    let clear = cipher(key)?
        .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(purpose.as_bytes()), &mut text)
        .map_err(|_| unreadable())?;
    Ok(clear.to_vec())
}

fn cipher(key: &[u8; 32]) -> Result<LessSafeKey> {
    let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(|_| Error::internal("a key has another length"))?;
    Ok(LessSafeKey::new(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_key_and_purpose_only() {
        let (key, other) = ([1; 32], [2; 32]);
        let sealed = seal(&key, "webhook 1", b"secret").unwrap();
        assert_eq!(unseal(&key, "webhook 1", &sealed).unwrap(), b"secret");
        assert_ne!(sealed, seal(&key, "webhook 1", b"secret").unwrap(), "a nonce is used once");
        assert!(!sealed.windows(6).any(|bytes| bytes == b"secret"));
        assert!(unseal(&other, "webhook 1", &sealed).is_err());
        assert!(unseal(&key, "webhook 2", &sealed).is_err());
        for at in 0..sealed.len() {
            let mut broken = sealed.clone();
            broken[at] ^= 1;
            assert!(unseal(&key, "webhook 1", &broken).is_err(), "byte {at}");
            assert!(unseal(&key, "webhook 1", &sealed[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn every_secret_signs() {
        let secrets = [Secret([7; 32]), Secret([8; 32])];
        let both = signatures(&secrets, "msg_1", 1_700_000_000, "{}");
        let each: Vec<&str> = both.split(' ').collect();
        assert_eq!(each.len(), 2);
        // Signatures computed by the standardwebhooks 1.0 libraries of Python and JavaScript.
        assert_eq!(each[0], "v1,nuLLyheCKcS2N8JNOFt5stk98R+umYWr26/ZTfdtGM8=");
        assert_eq!(each[0], signatures(&secrets[..1], "msg_1", 1_700_000_000, "{}"));
        assert!(each.iter().all(|one| one.starts_with("v1,")));
        assert!(format!("{:?}", secrets[0]) == "Secret(…)" && secrets[0].reveal().starts_with("whsec_BwcH"));
    }
}
