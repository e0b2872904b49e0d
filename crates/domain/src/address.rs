//! Page addresses, in the plain form that rules and reports compare.
//!
//! A browser makes the same decisions with a few lines of script. The rules here are therefore
//! about ASCII text, not about the results of a URL parser. `docs/assignment-pages.md` specifies them;
//! `contract/assignment/url.json` and `parameter.json` have examples.

use std::borrow::Cow;

/// Maximum number of characters of an address that are used.
pub const ADDRESS_MAX: usize = 2_048;

/// An http or https address in its plain form, which all rules compare with:
///
/// 1. Each character outside `!` to `~` (0x21–0x7E) is written as the percent-escapes of its UTF-8
///    bytes, in capitals. The first 2,048 characters of the result are kept. Escapes are never
///    decoded.
/// 2. The address begins with `http://` or `https://`. Then follow the authority, up to the first
///    `/`, `?` or `#`; the path, up to the first `?` or `#`; the query, from `?` up to the first
///    `#`; and the fragment, from `#`. Anything else is not an address.
/// 3. In the authority, everything up to its last `@` is dropped. A `:` at its end, followed by
///    digits only (or nothing), is the port; `:`, `:80` and `:443` are dropped, whatever the
///    scheme. The rest is the host, without one dot at its end. An empty host is not an address.
/// 4. Scheme and host are folded to lower case (A–Z only). An empty path becomes `/`. A `?` or `#`
///    with nothing after it is dropped.
///
/// A browser's `location` is nearly always in this form already, and is not copied then.
///
/// ```
/// use muriel_domain::address::Address;
///
/// let page = Address::parse("HTTPS://me@Shop.Example:443?q=red+shoes").unwrap();
/// assert_eq!(page.as_str(), "https://shop.example/?q=red+shoes");
/// assert_eq!((page.host(), page.path()), ("shop.example", "/"));
/// assert_eq!(page.parameter("q").unwrap(), "red shoes");
/// assert!(Address::parse("mailto:me@shop.example").is_none());
/// ```
#[derive(Debug, Clone)]
pub struct Address<'a> {
    /// Scheme, host, port, path, query and fragment, concatenated.
    text: Cow<'a, str>,
    /// The text in lower case; `None` when it equals `text`.
    folded: Option<String>,
    host_at: usize,
    host_end: usize,
    path_at: usize,
    path_end: usize,
    query_end: usize,
}

impl<'a> Address<'a> {
    /// Converts `text` to its plain form. `None` when it is not an http or https address.
    ///
    /// The text is not trimmed: with a blank in front it is not an address.
    pub fn parse(text: &'a str) -> Option<Self> {
        Self::of_schemes(text, &["http", "https"])
    }

    /// Converts an address with one of these schemes to its plain form; schemes are given in lower
    /// case without `://`.
    pub(crate) fn of_schemes(text: &'a str, schemes: &[&str]) -> Option<Self> {
        let text = ascii(text, ADDRESS_MAX);
        let (scheme, after) = schemes.iter().find_map(|scheme| Some((*scheme, after_scheme(&text, scheme)?)))?;
        let parts = AddressParts::of(after);
        if parts.host.is_empty() {
            return None;
        }
        let host_at = scheme.len() + 3;
        let host_end = host_at + parts.host.len();
        let path_at = host_end + parts.port.len();
        let path_end = path_at + parts.path.len();
        let query_end = path_end + parts.query.len();
        let end = query_end + parts.fragment.len();
        // Equal lengths are not enough: `https://a?` loses a `?` and gains a `/`.
        let is_plain = end == text.len()
            && text[path_at..].starts_with('/')
            && !text[..host_end].bytes().any(|byte| byte.is_ascii_uppercase());
        let text = if is_plain {
            text
        } else {
            let host = parts.host.to_ascii_lowercase();
            Cow::Owned([scheme, "://", &host, parts.port, parts.path, parts.query, parts.fragment].concat())
        };
        let folded = text.bytes().any(|byte| byte.is_ascii_uppercase()).then(|| text.to_ascii_lowercase());
        Some(Self { text, folded, host_at, host_end, path_at, path_end, query_end })
    }

    /// The whole address. At most [`ADDRESS_MAX`] characters, or one more when an empty path became
    /// `/`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        &self.text[..self.host_at - 3]
    }

    /// The host in lower case, without the port. A leading `www.` is kept.
    pub fn host(&self) -> &str {
        &self.text[self.host_at..self.host_end]
    }

    /// The path, from its first `/`.
    pub fn path(&self) -> &str {
        &self.text[self.path_at..self.path_end]
    }

    /// The text after the `?`; never empty.
    pub fn query(&self) -> Option<&str> {
        self.text[self.path_end..self.query_end].strip_prefix('?')
    }

    /// The text after the `#`; never empty.
    pub fn fragment(&self) -> Option<&str> {
        self.text[self.query_end..].strip_prefix('#')
    }

    /// Returns the value of the first parameter with this name in the query.
    ///
    /// Reads the query as `URLSearchParams` does. Pairs are separated by `&`, and empty pairs are
    /// skipped. The name ends at the first `=`; without one, the value is empty. In names and
    /// values, `+` is a blank, `%` with two hexadecimal digits is a byte, and any other `%` is
    /// itself. The bytes are UTF-8; each maximal invalid part becomes U+FFFD. Names are
    /// case-sensitive.
    pub fn parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        self.query()?.split('&').filter(|pair| !pair.is_empty()).find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(key) == name).then(|| decoded(value))
        })
    }

    /// The host in lower case and the port with its colon. The default ports, 80 and 443, are left
    /// out.
    pub fn authority(&self) -> &str {
        &self.text[self.host_at..self.path_at]
    }

    /// The whole address in lower case (A–Z only), for comparisons that ignore letter case.
    pub fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.text)
    }
}

/// Returns the rest of `text` after `scheme://`, in any letter case. `None` when the text begins
/// differently.
pub fn after_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let head = text.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| text[scheme.len()..].strip_prefix("://"))?
}

/// Replaces each character outside 0x21–0x7E by the percent-escapes of its UTF-8 bytes. The result
/// is cut to `max` characters.
///
/// Borrows the text when nothing has to be escaped. The cut can fall within an escape.
pub fn ascii(text: &str, max: usize) -> Cow<'_, str> {
    let looked_at = &text.as_bytes()[..text.len().min(max)];
    if looked_at.iter().all(u8::is_ascii_graphic) {
        return Cow::Borrowed(&text[..looked_at.len()]);
    }
    let mut escaped = String::with_capacity(2 * looked_at.len());
    for &byte in looked_at {
        if byte.is_ascii_graphic() {
            escaped.push(byte.into());
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            let (high, low) = (DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]);
            escaped.extend(['%', high.into(), low.into()]);
        }
    }
    escaped.truncate(max);
    Cow::Owned(escaped)
}

/// Parts of an address after its scheme. They are in plain form except for the host's letter case.
#[derive(Debug, Clone, Copy)]
pub struct AddressParts<'t> {
    /// Host without user, port and trailing dot.
    pub host: &'t str,
    /// Empty, or a colon and digits. The default ports, 80 and 443, are left out.
    pub port: &'t str,
    /// Path, from its first `/`.
    pub path: &'t str,
    /// Empty, or `?` and at least one character.
    pub query: &'t str,
    /// Empty, or `#` and at least one character.
    pub fragment: &'t str,
}

impl<'t> AddressParts<'t> {
    /// Splits the text after the scheme. Never fails: every text has parts.
    ///
    /// The host may be empty; [`Address::parse`] refuses that.
    pub fn of(text: &'t str) -> Self {
        let (authority, text) = text.split_at(text.find(['/', '?', '#']).unwrap_or(text.len()));
        let (text, fragment) = text.split_at(text.find('#').unwrap_or(text.len()));
        let (path, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        let authority = authority.rsplit_once('@').map_or(authority, |(_, authority)| authority);
        let (host, port) = match authority.rfind(':') {
            Some(colon) if authority[colon + 1..].bytes().all(|byte| byte.is_ascii_digit()) => {
                authority.split_at(colon)
            }
            _ => (authority, ""),
        };
        Self {
            host: host.strip_suffix('.').unwrap_or(host),
            port: if matches!(port, ":" | ":80" | ":443") { "" } else { port },
            path: if path.is_empty() { "/" } else { path },
            query: if query == "?" { "" } else { query },
            fragment: if fragment == "#" { "" } else { fragment },
        }
    }
}

/// Decodes a name or value of a query as `URLSearchParams` does; see [`Address::parameter`].
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'+', _) => (b' ', after),
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                (digit(*high) << 4 | digit(*low), after)
            }
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> u8 {
    if byte.is_ascii_digit() { byte - b'0' } else { (byte | 0x20) - b'a' + 10 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_have_a_plain_form() {
        for (text, expect) in [
            ("https://shop.example/a?b=c#d", Some("https://shop.example/a?b=c#d")),
            ("HTTPS://Shop.Example/A?B#C", Some("https://shop.example/A?B#C")),
            ("http://shop.example", Some("http://shop.example/")),
            ("https://shop.example?a", Some("https://shop.example/?a")),
            ("https://shop.example#a", Some("https://shop.example/#a")),
            ("https://shop.example?", Some("https://shop.example/")),
            ("https://shop.example/a?#", Some("https://shop.example/a")),
            ("https://shop.example/a?#b", Some("https://shop.example/a#b")),
            ("https://shop.example/a#b?c#d", Some("https://shop.example/a#b?c#d")),
            ("https://shop.example/a?b?c", Some("https://shop.example/a?b?c")),
            ("https://shop.example:443/", Some("https://shop.example/")),
            ("https://shop.example:80/", Some("https://shop.example/")),
            ("https://shop.example:/", Some("https://shop.example/")),
            ("https://shop.example:8080", Some("https://shop.example:8080/")),
            ("https://shop.example.:443/", Some("https://shop.example/")),
            ("https://shop.example:x/", Some("https://shop.example:x/")),
            ("https://[::1]/", Some("https://[::1]/")),
            ("https://[::1]:80/", Some("https://[::1]/")),
            ("https://me:secret@shop.example/", Some("https://shop.example/")),
            ("https://a@b@shop.example/", Some("https://shop.example/")),
            ("https://shop.example/a@b", Some("https://shop.example/a@b")),
            ("https://shop.example/a b\u{7f}\n", Some("https://shop.example/a%20b%7F%0A")),
            ("https://shop.example/ü?ü#🛒", Some("https://shop.example/%C3%BC?%C3%BC#%F0%9F%9B%92")),
            ("https://bücher.example/", Some("https://b%c3%bccher.example/")),
            ("https://shop.example/%zz%4", Some("https://shop.example/%zz%4")),
            ("ftp://shop.example/", None),
            ("https:/shop.example/", None),
            ("https://", None),
            ("https:///a", None),
            ("https://.", None),
            ("https://@/", None),
            ("https", None),
            ("httpß://x/", None),
            ("//shop.example/", None),
            (" https://shop.example/", None),
            ("", None),
        ] {
            let address = Address::parse(text);
            assert_eq!(address.as_ref().map(Address::as_str), expect, "{text}");
        }
    }

    #[test]
    fn parts_of_an_address() {
        let address = Address::parse("https://Me@WWW.Shop.Example:8080/A/?b=c&b=d#e").unwrap();
        assert_eq!(
            (address.scheme(), address.host(), address.path(), address.query(), address.fragment()),
            ("https", "www.shop.example", "/A/", Some("b=c&b=d"), Some("e"))
        );
        assert_eq!(address.authority(), "www.shop.example:8080");
        assert_eq!(address.parameter("b").as_deref(), Some("c"));
        let address = Address::parse("http://shop.example").unwrap();
        assert_eq!((address.path(), address.query(), address.fragment()), ("/", None, None));
    }

    #[test]
    fn what_browsers_show_is_not_copied() {
        let address = Address::parse("https://shop.example:8080/a/?b=c%20d#e").unwrap();
        assert!(matches!(address.text, Cow::Borrowed(_)) && address.folded.is_none());
        assert!(matches!(
            Address::parse("https://shop.example/?a=b").unwrap().parameter("a"),
            Some(Cow::Borrowed("b"))
        ));
    }

    #[test]
    fn long_addresses_are_cut() {
        for (text, len) in [
            ("https://shop.example/".to_owned() + &"a".repeat(5_000), ADDRESS_MAX),
            ("https://shop.example/".to_owned() + &"ü".repeat(5_000), ADDRESS_MAX),
            ("https://shop.example/".to_owned() + &"a".repeat(2_027), ADDRESS_MAX),
            ("https://shop.example/".to_owned() + &"a".repeat(2_026) + "ü", ADDRESS_MAX),
            ("https://".to_owned() + &"a".repeat(5_000), ADDRESS_MAX + 1),
        ] {
            assert_eq!(Address::parse(&text).unwrap().as_str().len(), len);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn any_text_is_read(text in "(https?://)?\\PC*", more in any::<String>()) {
            for text in [text.clone(), format!("http://{more}"), format!("{text}{more}")] {
                let Some(address) = Address::parse(&text) else { continue };
                let whole = [address.scheme(), "://", address.authority(), address.path()].concat()
                    + &address.query().map(|query| format!("?{query}")).unwrap_or_default()
                    + &address.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
                prop_assert_eq!(address.as_str(), whole);
                prop_assert!(address.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert!(address.path().starts_with('/'));
                address.parameter(&more);
            }
        }
    }
}
