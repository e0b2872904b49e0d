//! The addresses of pages in the plain form that rules and reports compare.
//!
//! A browser decides the same questions with a few lines of script, so this is
//! about ASCII text, not about what a URL parser would make of it.
//! `docs/assignment.md` specifies it; `contract/assignment/url.json` and
//! `parameter.json` are its examples.

use std::borrow::Cow;

/// Most characters of an address that are looked at.
pub const ADDRESS_MAX: usize = 2_048;

/// An http or https address in its plain form, which all rules compare with:
///
/// 1. Each character outside `!` to `~` (0x21–0x7E) is written as the
///    percent-escapes of its UTF-8 bytes, in capitals; the first 2,048
///    characters of the result are kept. No escape is ever undone.
/// 2. It begins with `http://` or `https://`, then comes the authority, up to
///    the first `/`, `?` or `#`; the path, up to the first `?` or `#`; the query,
///    from `?` up to the first `#`; the fragment, from `#`. Anything else is
///    not an address.
/// 3. Of the authority, all up to its last `@` is dropped. A `:` followed by
///    nothing but digits (or nothing) at its end is the port; `:`, `:80` and
///    `:443` are dropped, whatever the scheme. What is left is the host,
///    without one dot at its end; an empty one is not an address.
/// 4. Scheme and host are folded to small letters (A–Z only). An empty path
///    becomes `/`. A `?` or `#` with nothing behind it is dropped.
///
/// What a browser shows as its location is nearly always in this form already
/// and is not copied.
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
    /// Scheme, host, port, path, query, fragment, one after the other.
    text: Cow<'a, str>,
    /// The text in small letters, where that is another text.
    folded: Option<String>,
    host_at: usize,
    host_end: usize,
    path_at: usize,
    path_end: usize,
    query_end: usize,
}

impl<'a> Address<'a> {
    /// The plain form of `text`; `None` when it is not an http or https address.
    pub fn parse(text: &'a str) -> Option<Self> {
        Self::of_schemes(text, &["http", "https"])
    }

    /// The plain form of an address with one of these schemes, in small letters without `://`.
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
        // Lengths alone do not tell: `https://a?` loses a mark and gains a slash.
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

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        &self.text[..self.host_at - 3]
    }

    /// The host in small letters, without the port, `www.` as written.
    pub fn host(&self) -> &str {
        &self.text[self.host_at..self.host_end]
    }

    /// The path: `/` and what follows.
    pub fn path(&self) -> &str {
        &self.text[self.path_at..self.path_end]
    }

    /// What follows the `?`; never empty.
    pub fn query(&self) -> Option<&str> {
        self.text[self.path_end..self.query_end].strip_prefix('?')
    }

    /// What follows the `#`; never empty.
    pub fn fragment(&self) -> Option<&str> {
        self.text[self.query_end..].strip_prefix('#')
    }

    /// The value of the first parameter of this name in the query.
    ///
    /// Read as `URLSearchParams` does: pairs are separated by `&` and empty
    /// ones skipped; the name ends at the first `=`, and without one the value
    /// is empty. In both, `+` is a blank and `%` with two hexadecimal digits a
    /// byte, any other `%` itself; the bytes are UTF-8, and each maximal part
    /// that is not becomes U+FFFD. Names differ by letter case.
    pub fn parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        self.query()?.split('&').filter(|pair| !pair.is_empty()).find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(key) == name).then(|| decoded(value))
        })
    }

    /// Host and port in small letters, the port with its colon where it is not the usual one.
    pub fn authority(&self) -> &str {
        &self.text[self.host_at..self.path_at]
    }

    /// The whole address in small letters (A–Z folded): what comparisons that ignore letter case look at.
    pub fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.text)
    }
}

/// What follows `scheme://`, in any letter case, at the beginning of `text`; `None` where it
/// begins otherwise.
pub fn after_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let head = text.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| text[scheme.len()..].strip_prefix("://"))?
}

/// `text` with each character outside 0x21–0x7E written as percent-escapes of
/// its bytes; at most `max` characters of that.
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

/// The parts of an address behind its scheme, in plain form but for the host's letter case.
#[derive(Debug, Clone, Copy)]
pub struct AddressParts<'t> {
    /// Without user, port and a dot at its end.
    pub host: &'t str,
    /// Empty, or a colon and digits; the usual ports, 80 and 443, are left out.
    pub port: &'t str,
    /// `/` and what follows.
    pub path: &'t str,
    /// Empty, or `?` and at least one character.
    pub query: &'t str,
    /// Empty, or `#` and at least one character.
    pub fragment: &'t str,
}

impl<'t> AddressParts<'t> {
    /// Takes apart what follows the scheme; any text has parts.
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

/// A name or value of a query as `URLSearchParams` reads it; see [`Address::parameter`].
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
