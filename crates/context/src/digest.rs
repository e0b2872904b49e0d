//! Digests of published content.

use sha2::{Digest, Sha256};

/// Lower-case hexadecimal, two digits a byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the version of a body: equal bodies have equal versions. 32 hexadecimal digits, the first
/// half of the body's SHA-256.
pub fn version_of(body: &[u8]) -> String {
    hex(&Sha256::digest(body)[..16])
}
