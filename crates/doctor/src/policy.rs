//! Evaluates what a page's Content-Security-Policy allows Muriel's script to do.
//!
//! It follows Content Security Policy Level 3 (W3C, sections 6.7 and 4.2), for the parts that the script needs: its own
//! tag, inline code, connections, and Trusted Types.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha384, Sha512};
use url::Url;

/// Place of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A header of the page's answer.
    Header,
    /// A `<meta>` element on this line, which is in effect from this byte on.
    Meta { line: usize, from: usize },
}

/// A policy. If a page has several, all of them are in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Policy {
    pub(super) origin: Origin,
    /// True when it only reports what it would forbid.
    pub(super) report_only: bool,
    directives: Vec<(String, Vec<String>)>,
}

/// The parts of a script's tag that policies check.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    /// Address of the script, after redirects.
    pub(super) url: &'a Url,
    /// True after a redirect: then paths in a policy are ignored.
    pub(super) redirected: bool,
    pub(super) nonce: &'a str,
    pub(super) integrity: &'a str,
}

/// The directive that forbids something, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) directive: String,
    pub(super) because: Because,
}

/// Reason why a list of sources does not allow something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// No source in the list matches it.
    Unnamed,
    /// `'strict-dynamic'` makes the list ignore hosts, and the tag has no nonce.
    StrictDynamic,
    /// The list has nonces, and the tag has a different one.
    OtherNonce,
}

const SCRIPT: [&str; 3] = ["script-src-elem", "script-src", "default-src"];
const CONNECT: [&str; 2] = ["connect-src", "default-src"];

impl Policy {
    /// Parses the policies in a header's value or a `<meta>` element's content. Policies without a directive are left
    /// out.
    pub(super) fn read(text: &str, origin: Origin, report_only: bool) -> Vec<Policy> {
        let one = |text: &str| Policy { origin, report_only, directives: directives(text) };
        text.split(',').map(one).filter(|policy| !policy.directives.is_empty()).collect()
    }

    /// Returns whether it is in effect at this byte of the page.
    pub(super) fn holds_at(&self, offset: usize) -> bool {
        match self.origin {
            Origin::Header => true,
            Origin::Meta { from, .. } => from <= offset,
        }
    }

    fn sources(&self, name: &str) -> Option<&[String]> {
        self.directives.iter().find(|(known, _)| known == name).map(|(_, sources)| &**sources)
    }

    /// The first of these directives that the policy has.
    fn first<'n>(&self, names: &[&'n str]) -> Option<(&'n str, &[String])> {
        names.iter().find_map(|name| Some((*name, self.sources(name)?)))
    }

    /// Returns whether scripts run at all.
    pub(super) fn runs_scripts(&self) -> bool {
        // A policy in the page itself cannot sandbox it.
        self.origin != Origin::Header
            || self.sources("sandbox").is_none_or(|words| words.iter().any(|word| is(word, "allow-scripts")))
    }

    /// Returns whether addresses with http are requested with https.
    pub(super) fn upgrades(&self) -> bool {
        !self.report_only && self.sources("upgrade-insecure-requests").is_some()
    }

    /// Checks whether the page, at `page`, may load a script with this tag of its source text.
    ///
    /// # Errors
    /// The directive that forbids it.
    pub(super) fn script(&self, tag: Tag<'_>, page: &Url) -> Result<(), Refusal> {
        let Some((directive, sources)) = self.first(&SCRIPT) else { return Ok(()) };
        if has_nonce(sources, tag.nonce) || is_whole(sources, tag.integrity) {
            return Ok(());
        }
        let strict = sources.iter().any(|source| is(source, "'strict-dynamic'"));
        if !strict && sources.iter().any(|source| matches(source, tag.url, page, tag.redirected)) {
            return Ok(());
        }
        let because = match (!tag.nonce.is_empty() && has_nonces(sources), strict) {
            (true, _) => Because::OtherNonce,
            (false, true) => Because::StrictDynamic,
            (false, false) => Because::Unnamed,
        };
        Err(Refusal { directive: directive.to_owned(), because })
    }

    /// Checks whether code with this nonce may be inline: this text, or any text.
    ///
    /// # Errors
    /// The directive that forbids it.
    pub(super) fn inline(&self, text: Option<&str>, nonce: &str) -> Result<(), Refusal> {
        let Some((directive, sources)) = self.first(&SCRIPT) else { return Ok(()) };
        let allows_all = sources.iter().any(|source| is(source, "'unsafe-inline'"))
            && !sources.iter().any(|source| {
                is(source, "'strict-dynamic'") || nonce_of(source).is_some() || hash_of(source).is_some()
            });
        if allows_all || has_nonce(sources, nonce) || text.is_some_and(|text| has_hash(sources, text)) {
            return Ok(());
        }
        let other = !nonce.is_empty() && has_nonces(sources);
        let because = if other { Because::OtherNonce } else { Because::Unnamed };
        Err(Refusal { directive: directive.to_owned(), because })
    }

    /// Checks whether the page, at `page`, may send to this address.
    ///
    /// # Errors
    /// The directive that forbids it.
    pub(super) fn connection(&self, to: &Url, page: &Url) -> Result<(), Refusal> {
        let Some((directive, sources)) = self.first(&CONNECT) else { return Ok(()) };
        match sources.iter().any(|source| matches(source, to, page, false)) {
            true => Ok(()),
            false => Err(Refusal { directive: directive.to_owned(), because: Because::Unnamed }),
        }
    }

    /// Returns whether strings become HTML or code only through a Trusted Types policy.
    pub(super) fn requires_trusted_types(&self) -> bool {
        self.sources("require-trusted-types-for").is_some_and(|words| words.iter().any(|word| is(word, "'script'")))
    }

    /// Returns whether the page may create a Trusted Types policy with this name.
    pub(super) fn takes_type_policy(&self, name: &str) -> bool {
        self.sources("trusted-types").is_none_or(|names| names.iter().any(|known| known == "*" || known == name))
    }
}

/// Directive names in lower case, each once, with their values.
fn directives(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for directive in text.split(';') {
        let mut words = directive.split_ascii_whitespace();
        let Some(name) = words.next().map(str::to_ascii_lowercase) else { continue };
        // If a name occurs twice, the first one counts.
        if !found.iter().any(|(known, _)| *known == name) {
            found.push((name, words.map(str::to_owned).collect()));
        }
    }
    found
}

fn is(word: &str, known: &str) -> bool {
    word.eq_ignore_ascii_case(known)
}

/// Text between `'nonce-` and `'`.
fn nonce_of(source: &str) -> Option<&str> {
    let (start, rest) = source.split_at_checked("'nonce-".len())?;
    rest.strip_suffix('\'').filter(|nonce| is(start, "'nonce-") && !nonce.is_empty())
}

/// Number of bits and value of `sha256-…`, `sha384-…` or `sha512-…`.
fn digest_of(text: &str) -> Option<(u16, &str)> {
    let (name, value) = text.split_once('-')?;
    let bits = [256, 384, 512].into_iter().find(|bits| is(name, &format!("sha{bits}")))?;
    (!value.is_empty()).then_some((bits, value))
}

fn hash_of(source: &str) -> Option<(u16, &str)> {
    digest_of(source.strip_prefix('\'')?.strip_suffix('\'')?)
}

fn has_nonces(sources: &[String]) -> bool {
    sources.iter().any(|source| nonce_of(source).is_some())
}

fn has_nonce(sources: &[String], nonce: &str) -> bool {
    !nonce.is_empty() && sources.iter().any(|source| nonce_of(source) == Some(nonce))
}

/// Converts URL-safe Base64 to the standard alphabet.
fn plain(base64: &str) -> String {
    base64.replace('-', "+").replace('_', "/")
}

fn has_hash(sources: &[String], text: &str) -> bool {
    sources.iter().filter_map(|source| hash_of(source)).any(|(bits, value)| {
        let digest = match bits {
            256 => STANDARD.encode(Sha256::digest(text)),
            384 => STANDARD.encode(Sha384::digest(text)),
            _ => STANDARD.encode(Sha512::digest(text)),
        };
        digest == plain(value)
    })
}

/// Returns whether the list has every hash of an attribute `integrity`, which has at least one.
fn is_whole(sources: &[String], integrity: &str) -> bool {
    let mut hashes =
        integrity.split_ascii_whitespace().filter_map(|word| digest_of(word.split('?').next()?)).peekable();
    let named = |(bits, value): (u16, &str)| {
        let mut known = sources.iter().filter_map(|source| hash_of(source));
        known.any(|(other, named)| bits == other && plain(named) == plain(value))
    };
    hashes.peek().is_some() && hashes.all(named)
}

/// Returns whether a source of a list, such as `https://*.example.com:8443/js/`, matches an address.
fn matches(source: &str, url: &Url, page: &Url, redirected: bool) -> bool {
    if is(source, "'self'") {
        return is_self(url, page);
    }
    if source.starts_with('\'') {
        return false;
    }
    if source == "*" {
        return matches!(url.scheme(), "http" | "https" | "ws" | "wss") || url.scheme() == page.scheme();
    }
    let (scheme, rest) = match source.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => match source.strip_suffix(':') {
            Some(scheme) => return scheme_matches(scheme, url.scheme()),
            None => (None, source),
        },
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':') {
        // A colon in brackets is part of an address.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    // Without a scheme, that of the page is meant, or its secure form.
    scheme_matches(scheme.unwrap_or(page.scheme()), url.scheme())
        && url.host_str().is_some_and(|of| host_matches(host, of))
        && port_matches(port, url)
        && (redirected || path_matches(path, url.path()))
}

fn is_self(url: &Url, page: &Url) -> bool {
    if url.origin() == page.origin() {
        return true;
    }
    let usual = |url: &Url| url.port().is_none();
    let safer = matches!(url.scheme(), "https" | "wss") || (page.scheme() == "http" && url.scheme() == "ws");
    url.host_str() == page.host_str()
        && (url.port_or_known_default() == page.port_or_known_default() || usual(url) && usual(page))
        && safer
}

fn scheme_matches(named: &str, scheme: &str) -> bool {
    let sisters: &[&str] = match named.to_ascii_lowercase().as_str() {
        "http" => &["http", "https"],
        "ws" => &["ws", "wss", "http", "https"],
        "wss" => &["wss", "https"],
        _ => return is(named, scheme),
    };
    sisters.contains(&scheme)
}

fn host_matches(named: &str, host: &str) -> bool {
    match named.strip_prefix('*') {
        Some("") => true,
        // `*.example.com` is not example.com itself.
        Some(end) => end.len() < host.len() && host.to_ascii_lowercase().ends_with(&end.to_ascii_lowercase()),
        None => is(named, host),
    }
}

fn port_matches(named: Option<&str>, url: &Url) -> bool {
    match named {
        // The `url` crate returns no port if it is the scheme's default.
        None => url.port().is_none(),
        Some("*") => true,
        Some(port) => port.parse().ok() == url.port_or_known_default(),
    }
}

fn path_matches(named: &str, path: &str) -> bool {
    let plain = |text: &str| percent(text.split(['?', '#']).next().unwrap_or_default());
    let (named, path) = (plain(named), plain(path));
    match named.ends_with(b"/") {
        true => path.starts_with(&named),
        false => named.is_empty() || named == path,
    }
}

/// The bytes that `%`-sequences stand for.
fn percent(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high * 16 + low));
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://shop.example/boots?x=1";
    const SCRIPT: &str = "https://muriel.example/js/prj_1.js";

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn policy(text: &str) -> Policy {
        let mut policies = Policy::read(text, Origin::Header, false);
        assert_eq!(policies.len(), 1, "{text}");
        policies.remove(0)
    }

    #[test]
    fn sources_name_addresses() {
        let with_port = "https://muriel.example:8443/js/prj_1.js";
        let own = "https://shop.example/x/js/prj_1.js";
        for (source, of, expect) in [
            ("https://muriel.example", SCRIPT, true),
            ("HTTPS://MURIEL.example", SCRIPT, true),
            ("http://muriel.example", SCRIPT, true),
            ("muriel.example", SCRIPT, true),
            ("muriel.example", "http://muriel.example/js/prj_1.js", false),
            ("http://muriel.example", "http://muriel.example/js/prj_1.js", true),
            ("https://muriel.example", "http://muriel.example/js/prj_1.js", false),
            ("other.example", SCRIPT, false),
            ("example", SCRIPT, false),
            ("*.example", SCRIPT, true),
            ("*.EXAMPLE", SCRIPT, true),
            ("*.muriel.example", SCRIPT, false),
            ("https://*.muriel.example", "https://cdn.muriel.example/js/prj_1.js", true),
            ("*.uriel.example", SCRIPT, false),
            ("*", SCRIPT, true),
            ("*", "data:text/javascript,1", false),
            ("https:", SCRIPT, true),
            ("http:", SCRIPT, true),
            ("wss:", "https://muriel.example/events/prj_1", true),
            ("data:", SCRIPT, false),
            ("https://*", SCRIPT, true),
            ("https://*:*", with_port, true),
            ("'self'", SCRIPT, false),
            ("'self'", own, true),
            ("'SELF'", own, true),
            ("'self'", "https://shop.example:8443/js/prj_1.js", false),
            ("'none'", SCRIPT, false),
            ("'unsafe-inline'", SCRIPT, false),
            ("muriel.example:443", SCRIPT, true),
            ("muriel.example:8443", SCRIPT, false),
            ("muriel.example", with_port, false),
            ("muriel.example:8443", with_port, true),
            ("muriel.example:*", with_port, true),
            ("muriel.example:x", SCRIPT, false),
            ("https://muriel.example/", SCRIPT, true),
            ("https://muriel.example/js/", SCRIPT, true),
            ("https://muriel.example/js", SCRIPT, false),
            ("https://muriel.example/js/prj_1.js", SCRIPT, true),
            ("https://muriel.example/js/prj%5F1.js", SCRIPT, true),
            ("https://muriel.example/js/prj_2.js", SCRIPT, false),
            ("https://muriel.example/js/prj_1.js/", SCRIPT, false),
            ("https://127.0.0.1:4170", "https://127.0.0.1:4170/js/prj_1.js", true),
            ("https://[::1]:4170", "https://[::1]:4170/js/prj_1.js", true),
            ("https://[::1]", "https://[::1]/js/prj_1.js", true),
        ] {
            assert_eq!(matches(source, &url(of), &url(PAGE), false), expect, "{source} of {of}");
        }
        // After a redirect, paths are ignored, so that a page learns nothing about paths on other sites.
        assert!(matches("https://muriel.example/other", &url(SCRIPT), &url(PAGE), true));
        assert!(!matches("https://other.example/", &url(SCRIPT), &url(PAGE), true));
        // A page with http may load itself with https.
        assert!(matches("'self'", &url(own), &url("http://shop.example/"), false));
        assert!(!matches("'self'", &url("http://shop.example/js/prj_1.js"), &url(PAGE), false));
    }

    #[test]
    fn tags_are_allowed_by_address_nonce_and_hash() {
        let whole = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        for (text, nonce, integrity, expect) in [
            ("img-src 'none'", "", "", Ok(())),
            ("default-src 'none'", "", "", Err(("default-src", Because::Unnamed))),
            ("default-src 'none'; script-src muriel.example", "", "", Ok(())),
            ("script-src muriel.example; script-src 'none'", "", "", Ok(())),
            ("script-src muriel.example; script-src-elem 'self'", "", "", Err(("script-src-elem", Because::Unnamed))),
            ("script-src", "", "", Err(("script-src", Because::Unnamed))),
            ("script-src 'none'", "n", "", Err(("script-src", Because::Unnamed))),
            ("script-src 'nonce-n'", "n", "", Ok(())),
            ("SCRIPT-SRC 'NONCE-n'", "n", "", Ok(())),
            ("script-src 'nonce-n'", "N", "", Err(("script-src", Because::OtherNonce))),
            ("script-src 'nonce-n'", "", "", Err(("script-src", Because::Unnamed))),
            ("script-src 'nonce-'", "", "", Err(("script-src", Because::Unnamed))),
            ("script-src 'nonce-n' muriel.example", "", "", Ok(())),
            ("script-src 'nonce-n' muriel.example", "other", "", Ok(())),
            ("script-src 'strict-dynamic' 'nonce-n'", "n", "", Ok(())),
            (
                "script-src 'strict-dynamic' 'nonce-n' https: muriel.example",
                "",
                "",
                Err(("script-src", Because::StrictDynamic)),
            ),
            ("script-src 'strict-dynamic' 'nonce-n' https:", "o", "", Err(("script-src", Because::OtherNonce))),
            ("script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='", "", whole, Ok(())),
            ("script-src 'sha256-47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU='", "", whole, Ok(())),
            ("script-src 'sha384-47DEQpj8HBSa'", "", whole, Err(("script-src", Because::Unnamed))),
        ] {
            let (script, page) = (url(SCRIPT), url(PAGE));
            let tag = Tag { url: &script, redirected: false, nonce, integrity };
            let found = policy(text).script(tag, &page);
            let refused = found.as_ref().err().map(|no| (no.directive.as_str(), no.because));
            assert_eq!(refused, expect.err(), "{text}");
        }
    }

    #[test]
    fn inline_code_is_allowed_by_word_nonce_and_hash() {
        // Hash of "alert(1)".
        let hash = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        for (text, nonce, code, expect) in [
            ("img-src 'none'".to_owned(), "", None, true),
            ("script-src 'self' 'unsafe-inline'".to_owned(), "", None, true),
            ("default-src 'unsafe-inline'".to_owned(), "", None, true),
            ("script-src 'self'".to_owned(), "", None, false),
            ("script-src 'unsafe-inline' 'nonce-n'".to_owned(), "", None, false),
            ("script-src 'unsafe-inline' 'nonce-n'".to_owned(), "n", None, true),
            ("script-src 'unsafe-inline' 'strict-dynamic'".to_owned(), "", None, false),
            (format!("script-src 'unsafe-inline' {hash}"), "", None, false),
            (format!("script-src {hash}"), "", Some("alert(1)"), true),
            (format!("script-src {hash}"), "", Some("alert(2)"), false),
            (format!("script-src {hash}"), "", None, false),
            (
                "script-src 'sha384-HT2E9NfWiuQ/w1PRai+hTyqW16NIoCGA/m8VQDUopfAtcz6YQjtsMmQd5uRbVDpW'".to_owned(),
                "",
                Some("alert(1)"),
                true,
            ),
        ] {
            assert_eq!(policy(&text).inline(code, nonce).is_ok(), expect, "{text}");
        }
    }

    #[test]
    fn connections() {
        for (text, expect) in [
            ("img-src 'none'", true),
            ("connect-src 'self'", false),
            ("connect-src https://muriel.example", true),
            ("connect-src https://muriel.example/events/", true),
            ("connect-src https://muriel.example/js/", false),
            ("default-src 'self'", false),
            ("default-src 'none'; connect-src *", true),
            ("script-src 'none'", true),
        ] {
            let found = policy(text).connection(&url("https://muriel.example/events/prj_1"), &url(PAGE));
            assert_eq!(found.is_ok(), expect, "{text}");
        }
    }

    #[test]
    fn trusted_types_and_sandboxes() {
        for (text, requires, takes) in [
            ("img-src *", false, true),
            ("require-trusted-types-for 'script'", true, true),
            ("require-trusted-types-for 'script'; trusted-types", true, false),
            ("require-trusted-types-for 'script'; trusted-types 'none'", true, false),
            ("require-trusted-types-for 'script'; trusted-types app muriel", true, true),
            ("trusted-types *", false, true),
            ("trusted-types Muriel", false, false),
        ] {
            let policy = policy(text);
            assert_eq!(
                (policy.requires_trusted_types(), policy.takes_type_policy("muriel")),
                (requires, takes),
                "{text}"
            );
        }
        assert!(!policy("sandbox").runs_scripts());
        assert!(!policy("sandbox allow-forms").runs_scripts());
        assert!(policy("sandbox allow-forms allow-scripts").runs_scripts());
        let meta = Policy::read("sandbox", Origin::Meta { line: 1, from: 0 }, false);
        assert!(meta[0].runs_scripts());
        assert!(policy("upgrade-insecure-requests").upgrades());
        assert!(!Policy::read("upgrade-insecure-requests", Origin::Header, true)[0].upgrades());
    }

    #[test]
    fn one_header_may_have_several_policies() {
        for (text, expect) in [("", 0), (" ; ;", 0), ("img-src a,script-src b", 2), ("img-src a, ,", 1)] {
            assert_eq!(Policy::read(text, Origin::Header, false).len(), expect, "{text}");
        }
        let meta = &Policy::read("img-src a", Origin::Meta { line: 3, from: 40 }, false)[0];
        assert!(meta.holds_at(40) && !meta.holds_at(39));
    }
}
