//! Codes of an authenticator (TOTP, RFC 6238): SHA-1, six digits, a new one every 30 seconds.

use hmac::{Hmac, KeyInit, Mac};
use muriel_domain::Instant;
use sha1::Sha1;
use subtle::ConstantTimeEq;

/// Bytes of a secret: as many as the hash has (RFC 4226, section 4).
pub(crate) const SECRET_LEN: usize = 20;
const STEP_US: i64 = 30_000_000;
/// Steps before and after the current one whose codes are accepted: clocks differ, and typing takes time.
const SKEW: i64 = 1;
const DIGITS: u32 = 6;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Computes the code of a step, with leading zeros.
fn code(secret: &[u8], step: i64) -> String {
    // HMAC takes keys of any length; the constructor's error cannot happen.
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).unwrap_or_else(|_| Hmac::new(&Default::default()));
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[hash.len() - 1] & 0x0f);
    let four = [hash[offset] & 0x7f, hash[offset + 1], hash[offset + 2], hash[offset + 3]];
    format!("{:06}", u32::from_be_bytes(four) % 10u32.pow(DIGITS))
}

/// Returns the step of a code, around `now` and after the step that was used last; `None` for a wrong
/// code. Blanks in the code are ignored.
pub(crate) fn matching_step(secret: &[u8], given: &str, now: Instant, last: i64) -> Option<i64> {
    let given: String = given.chars().filter(|c| !c.is_whitespace()).take(16).collect();
    let present = now.us().div_euclid(STEP_US);
    // All are compared, so that the response time does not reveal which one matched.
    let matches = (present - SKEW..=present + SKEW)
        .filter(|step| bool::from(code(secret, *step).as_bytes().ct_eq(given.as_bytes())))
        .collect::<Vec<_>>();
    matches.into_iter().find(|step| *step > last)
}

/// Formats a secret in base 32 without padding, as people type it.
pub(crate) fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut buffer, mut bits) = (0u32, 0);
    for byte in bytes {
        buffer = buffer << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(buffer >> bits & 31) as usize]));
        }
        buffer &= (1 << bits) - 1;
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(buffer << (5 - bits) & 31) as usize]));
    }
    text
}

/// Builds the URI that authenticators read from a QR code.
pub(crate) fn uri(secret: &str, email: &str) -> String {
    let mut account = String::new();
    for byte in email.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' => account.push(char::from(byte)),
            byte => account += &format!("%{byte:02X}"),
        }
    }
    format!("otpauth://totp/Muriel:{account}?secret={secret}&issuer=Muriel")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_standard() {
        // RFC 6238, appendix B: the last six of its eight digits.
        let secret = b"12345678901234567890";
        for (seconds, expect) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(secret, seconds / 30), expect);
        }
    }

    #[test]
    fn a_code_holds_for_a_minute_and_once() {
        let secret = b"12345678901234567890";
        let now = Instant::from_us(1_111_111_111_000_000);
        let step = 1_111_111_111 / 30;
        for (of, expect) in [(-2, None), (-1, Some(step - 1)), (0, Some(step)), (1, Some(step + 1)), (2, None)] {
            assert_eq!(matching_step(secret, &code(secret, step + of), now, 0), expect, "{of}");
        }
        assert_eq!(matching_step(secret, " 050 471 ", now, 0), Some(step));
        assert_eq!(matching_step(secret, "050471", now, step), None);
        for wrong in ["", "05047", "0504711", "000000", "٠٥٠٤٧١"] {
            assert_eq!(matching_step(secret, wrong, now, 0), None, "{wrong}");
        }
    }

    #[test]
    fn base_32_of_the_standard() {
        // RFC 4648, section 10, without padding.
        for (text, expect) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(text.as_bytes()), expect);
        }
        assert_eq!(
            uri("ABC", "ada+x@example.com"),
            "otpauth://totp/Muriel:ada%2Bx%40example.com?secret=ABC&issuer=Muriel"
        );
    }
}
