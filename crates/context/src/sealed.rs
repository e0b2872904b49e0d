//! Secrets that have to be readable again are encrypted (ChaCha20-Poly1305, RFC 8439) with a key derived from the pepper,
//! which is not in the database.

use crate::error::{Error, Result};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// Encrypts a text with a key, for this purpose.
///
/// # Errors
/// When the system provides no random bytes.
pub fn seal(key: &[u8; 32], purpose: &str, clear: &[u8]) -> Result<Vec<u8>> {
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
pub fn unseal(key: &[u8; 32], purpose: &str, sealed: &[u8]) -> Result<Vec<u8>> {
    let unreadable = || Error::internal("a secret cannot be decrypted: was the pepper changed?");
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(unreadable)?;
    let mut text = text.to_vec();
    let clear = cipher(key)?
        .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(purpose.as_bytes()), &mut text)
        .map_err(|_| unreadable())?;
    Ok(clear.to_vec())
}

fn cipher(key: &[u8; 32]) -> Result<LessSafeKey> {
    let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(|_| Error::internal("a key has the wrong length"))?;
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
}
