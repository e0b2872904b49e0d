//! API keys: their format and verification.
//!
//! `mrl_` + id (8) + secret (43) + checksum (6), all letters and digits: 61 characters that match
//! `mrl_[0-9A-Za-z]{57}`. The secret has 256 bits. The checksum rejects typing errors before any
//! lookup, and lets scanners tell a leaked key from similar text. The database stores an HMAC of the
//! whole key under a pepper that is not in the database, so neither is of use alone. A slow password
//! hash would add nothing to 256 random bits.

use crate::digest::hex;
use hmac::{Hmac, KeyInit, Mac};
use muriel_log::RewriteKey;
use sha2::Sha256;
use subtle::ConstantTimeEq;

const PREFIX: &str = "mrl_";
/// Length of a key's public id, in characters.
pub const ID_LEN: usize = 8;
const SECRET_LEN: usize = 43;
const CHECK_LEN: usize = 6;
const KEY_LEN: usize = PREFIX.len() + ID_LEN + SECRET_LEN + CHECK_LEN;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The operating system provided no random bytes.
#[derive(Debug)]
pub struct NoRandomness(getrandom::Error);

impl std::fmt::Display for NoRandomness {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the system returned no random bytes")
    }
}

impl std::error::Error for NoRandomness {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Returns `len` random letters and digits, each equally likely.
///
/// # Errors
/// When the operating system provides no random bytes.
pub fn random_text(len: usize) -> Result<String, NoRandomness> {
    let mut text = String::with_capacity(len);
    let mut bytes = [0u8; 64];
    while text.len() < len {
        getrandom::fill(&mut bytes).map_err(NoRandomness)?;
        // 248 is the greatest multiple of 62 in a byte. Bytes above it would make some characters likelier.
        let fair = bytes.iter().filter(|&&byte| byte < 248).map(|&byte| char::from(ALPHABET[usize::from(byte) % 62]));
        text.extend(fair.take(len - text.len()));
    }
    Ok(text)
}

/// An API key in plain text: shown once, never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Generates a new key.
    ///
    /// # Errors
    /// When the operating system provides no random bytes.
    pub fn generate() -> Result<Self, NoRandomness> {
        let body = format!("{PREFIX}{}", random_text(ID_LEN + SECRET_LEN)?);
        let check = checksum(&body);
        Ok(Self(body + &check))
    }

    /// Parses a key; `None` when the text cannot be a key.
    pub fn parse(text: &str) -> Option<Self> {
        let shaped = text.len() == KEY_LEN
            && text.starts_with(PREFIX)
            && text.bytes().skip(PREFIX.len()).all(|byte| byte.is_ascii_alphanumeric());
        if !shaped {
            return None;
        }
        let (body, check) = text.split_at(KEY_LEN - CHECK_LEN);
        (checksum(body) == check).then(|| Self(text.to_owned()))
    }

    /// The public part of the key, used to look it up.
    pub fn id(&self) -> &str {
        &self.0[PREFIX.len()..PREFIX.len() + ID_LEN]
    }

    /// The whole key in plain text, to show it once to its creator.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ApiKey({}…)", self.id())
    }
}

/// CRC-32 in base 62, six characters.
fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut digits = [b'0'; CHECK_LEN];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().map(|&digit| char::from(digit)).collect()
}

/// Server secret from which the keys of all MACs, signatures and encryptions are derived.
#[derive(Clone)]
pub struct Pepper {
    keys: Hmac<Sha256>,
    links: Hmac<Sha256>,
    check: Hmac<Sha256>,
    webhooks: Hmac<Sha256>,
    people: Hmac<Sha256>,
    rewrites: Hmac<Sha256>,
    visitors: Hmac<Sha256>,
}

impl Pepper {
    /// Creates a pepper from 32 or more bytes.
    pub fn new(bytes: &[u8]) -> Self {
        // Each purpose has its own derived key, so a tag of one kind is never valid as another.
        let derived = |purpose: &str| {
            let mut mac = hmac(bytes);
            mac.update(purpose.as_bytes());
            hmac(&mac.finalize().into_bytes())
        };
        Self {
            keys: derived("api keys"),
            links: derived("preview links"),
            check: derived("check"),
            webhooks: derived("webhooks"),
            people: derived("people"),
            rewrites: derived("rewrites of the event log"),
            visitors: derived("ids of visitors"),
        }
    }

    /// MAC of an API key, as the database stores it.
    pub fn mac_of(&self, key: &ApiKey) -> [u8; 32] {
        tag(&self.keys, key.reveal().as_bytes())
    }

    /// Returns whether `stored` is the MAC of the key, in constant time.
    pub fn fits(&self, key: &ApiKey, stored: &[u8]) -> bool {
        self.mac_of(key).ct_eq(stored).into()
    }

    /// Signature of a link's text.
    pub fn sign(&self, text: &str) -> [u8; 32] {
        tag(&self.links, text.as_bytes())
    }

    /// Signature of a visitor's id in a project. Says that the server has seen the visitor there.
    pub fn sign_visitor(&self, project_key: &str, visitor_id: &str) -> [u8; 32] {
        tag(&self.visitors, format!("{project_key}\n{visitor_id}").as_bytes())
    }

    /// Key that encrypts the secrets of webhooks.
    pub fn webhook_key(&self) -> [u8; 32] {
        tag(&self.webhooks, b"secrets")
    }

    /// MAC of a session token, as the database stores it.
    pub fn session_mac(&self, token: &str) -> [u8; 32] {
        self.people_mac("session", token)
    }

    /// CSRF token that state-changing requests of this session must send.
    pub fn csrf(&self, token: &str) -> String {
        hex(&self.people_mac("csrf", token)[..16])
    }

    /// MAC of a text about people. A MAC made for one purpose is not valid for another.
    pub fn people_mac(&self, purpose: &str, text: &str) -> [u8; 32] {
        tag(&self.people, format!("{purpose}\n{text}").as_bytes())
    }

    /// Key that encrypts the secrets of authenticators.
    pub fn people_key(&self) -> [u8; 32] {
        tag(&self.people, b"secrets")
    }

    /// Secret that is mixed into password hashes.
    pub fn password_secret(&self) -> [u8; 32] {
        tag(&self.people, b"passwords")
    }

    /// Key that signs rewrites of the event log and derives the marks that stand for visitors whose data is
    /// deleted.
    pub fn rewrite_key(&self) -> RewriteKey {
        RewriteKey::new(&tag(&self.rewrites, b"key"))
    }

    /// Fingerprint of the pepper, to check whether a database was created with it.
    pub fn fingerprint(&self) -> String {
        hex(&tag(&self.check, b"muriel")[..16])
    }
}

impl std::fmt::Debug for Pepper {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Pepper(…)")
    }
}

fn hmac(key: &[u8]) -> Hmac<Sha256> {
    // HMAC takes keys of any length; the constructor's error cannot happen.
    Hmac::new_from_slice(key).unwrap_or_else(|_| Hmac::new(&Default::default()))
}

fn tag(mac: &Hmac<Sha256>, text: &[u8]) -> [u8; 32] {
    let mut mac = mac.clone();
    mac.update(text);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_is_recognised_by_its_own_pepper_only() {
        let key = ApiKey::generate().unwrap();
        let pepper = Pepper::new(b"0123456789abcdef0123456789abcdef");
        let stored = pepper.mac_of(&key);
        assert_eq!(key.reveal().len(), 61);
        assert_eq!(ApiKey::parse(key.reveal()), Some(key.clone()));
        assert!(pepper.fits(&key, &stored));
        assert!(!pepper.fits(&ApiKey::generate().unwrap(), &stored));
        assert!(!Pepper::new(b"another one, as long as the other").fits(&key, &stored));
        assert!(!format!("{key:?}").contains(&key.reveal()[14..]));
    }

    #[test]
    fn one_wrong_character_is_no_key() {
        let key = ApiKey::generate().unwrap();
        for at in 0..key.reveal().len() {
            let mut text = key.reveal().as_bytes().to_vec();
            text[at] = if text[at] == b'x' { b'y' } else { b'x' };
            assert_eq!(ApiKey::parse(std::str::from_utf8(&text).unwrap()), None, "at {at}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in any::<String>()) {
            prop_assert_eq!(ApiKey::parse(&text), None);
        }
    }
}
