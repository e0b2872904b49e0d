//! Secrets of webhooks: storage and signatures.
//!
//! A secret has to be readable for signing, so it is not stored as a MAC like API keys: it is encrypted, see [`sealed`](muriel_context::sealed).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use muriel_context::error::{Error, Result};
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

#[cfg(test)]
mod tests {
    use super::*;

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
