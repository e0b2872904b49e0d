//! Bounded text: the constructors that several types share.

use crate::Flaw;

/// `text` without surrounding white space, 1 to `max` characters.
///
/// # Errors
/// Blank or longer text.
pub fn title(text: &str, max: usize) -> Result<String, Flaw> {
    let text = text.trim();
    match text.chars().take(max + 1).count() {
        0 => Err(Flaw::new("must not be blank")),
        n if n > max => Err(Flaw::new(format!("must have at most {max} characters"))),
        _ => Ok(text.to_owned()),
    }
}

/// `text` as it is, at most `max` characters.
///
/// # Errors
/// Longer text.
pub fn at_most(text: &str, max: usize) -> Result<String, Flaw> {
    if text.chars().take(max + 1).count() > max {
        return Err(Flaw::new(format!("must have at most {max} characters")));
    }
    Ok(text.to_owned())
}

/// An absolute http or https address without credentials, at most 2,048 bytes,
/// kept as written.
///
/// # Errors
/// Other schemes, relative addresses, credentials, control characters, blanks.
pub fn web_address(text: &str) -> Result<String, Flaw> {
    if text.len() > 2_048 {
        return Err(Flaw::new("must have at most 2048 bytes"));
    }
    // The parser drops these silently; a stored address must mean what it shows.
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(Flaw::new("must not contain white space or control characters"));
    }
    let url = url::Url::parse(text).map_err(|_| Flaw::new("must be an absolute http or https URL"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(Flaw::new("must be an absolute http or https URL"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Flaw::new("must not contain a user name or password"));
    }
    Ok(text.to_owned())
}

/// A key made from a name: lower-case ASCII letters and digits, runs of anything
/// else become one `-`; at most `max` bytes; `fallback` when nothing is left.
///
/// ```
/// use muriel_domain::text::{numbered, slug};
///
/// assert_eq!(slug("Shorter checkout form!", 64, "test"), "shorter-checkout-form");
/// assert_eq!(slug("ジーンズ", 64, "test"), "test");
/// assert_eq!(numbered("shorter-checkout-form", 2, 10), "shorter-2");
/// ```
pub fn slug(name: &str, max: usize, fallback: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == max {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { fallback.to_owned() } else { slug.to_owned() }
}

/// `base-number`, at most `max` bytes long; `base` is cut to make room. For keys whose name is
/// taken: `checkout`, `checkout-2`, `checkout-3`. `base` is ASCII and `max` has room for the
/// number.
pub fn numbered(base: &str, number: u32, max: usize) -> String {
    let suffix = format!("-{number}");
    let stem = &base[..base.len().min(max - suffix.len())];
    format!("{}{suffix}", stem.trim_end_matches('-'))
}

/// 1 to 64 of `A-Za-z0-9._-`: what a key given by a client may be.
///
/// # Errors
/// Any other text.
pub fn key(text: &str) -> Result<String, Flaw> {
    let fits = (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if fits { Ok(text.to_owned()) } else { Err(Flaw::new("must be 1 to 64 of the characters A-Z a-z 0-9 . _ -")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses() {
        for (text, good) in [
            ("https://example.com", true),
            ("http://example.com:8080/a?b=c#d", true),
            ("https://bücher.example/ü", true),
            ("HTTPS://EXAMPLE.com/", true),
            ("ftp://example.com", false),
            ("javascript:alert(1)", false),
            ("//example.com", false),
            ("/path", false),
            ("https://", false),
            ("https://user@example.com", false),
            ("https://user:pw@example.com", false),
            ("https://exa mple.com", false),
            ("https://example.com/\n", false),
            ("", false),
        ] {
            assert_eq!(web_address(text).is_ok(), good, "{text}");
        }
        assert!(web_address(&format!("https://example.com/{}", "a".repeat(2_028))).is_ok());
        assert!(web_address(&format!("https://example.com/{}", "a".repeat(2_029))).is_err());
    }

    #[test]
    fn slugs_are_short_lower_case_and_never_empty() {
        for (name, expect) in [
            ("Checkout: shorter form!", "checkout-shorter-form"),
            ("  --A  ", "a"),
            ("Größe", "gr-e"),
            ("日本", "experiment"),
            ("abcdefghijklmnop", "abcdefghij"),
        ] {
            assert_eq!(slug(name, 10.max(expect.len()), "experiment"), expect, "{name}");
        }
    }

    #[test]
    fn numbered_keys_fit_the_limit() {
        for (base, number, expect) in
            [("key", 2, "key-2"), ("a-long-key", 4, "a-long-k-4"), ("a-long-key", 1_000, "a-lon-1000")]
        {
            assert_eq!(numbered(base, number, 10), expect);
        }
    }
}
