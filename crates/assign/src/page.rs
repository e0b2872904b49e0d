//! The addresses of pages: what rules about them see, and whether they match.
//!
//! A browser decides the same questions with a few lines of script, so every
//! rule here is about ASCII text, none about what a URL parser would make of
//! it. `docs/assignment.md` specifies them; `contract/assignment/url.json`,
//! `parameter.json` and `source.json` are its examples.

use muriel_domain::targeting::{UrlMatch, UrlRule};
use muriel_domain::{Flaw, pattern};
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

    fn of_schemes(text: &'a str, schemes: &[&str]) -> Option<Self> {
        let text = ascii(text, ADDRESS_MAX);
        let (scheme, after) = schemes.iter().find_map(|scheme| Some((*scheme, after_scheme(&text, scheme)?)))?;
        let parts = Parts::of(after);
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

    /// Host and port.
    fn authority(&self) -> &str {
        &self.text[self.host_at..self.path_at]
    }

    fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.text)
    }
}

/// What follows `scheme://`, in any letter case, at the beginning of `text`.
fn after_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let head = text.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| text[scheme.len()..].strip_prefix("://"))?
}

/// `text` with each character outside 0x21–0x7E written as percent-escapes of
/// its bytes; at most `max` characters of that.
fn ascii(text: &str, max: usize) -> Cow<'_, str> {
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

/// What follows the scheme, in plain form but for the host's letter case. Port,
/// query and fragment come with their mark.
struct Parts<'t> {
    host: &'t str,
    port: &'t str,
    path: &'t str,
    query: &'t str,
    fragment: &'t str,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Self {
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

/// An entry of `url_rule`, ready to be compared with addresses. Whether it lets
/// in or keeps out is the caller's to say.
///
/// Except for regular expressions, blanks, tabs and line ends around the rule's
/// text do not count, and step 1 of [`Address`] is done to it, without the cut.
///
/// *Simple* and *exact* take the text apart like an address. One that begins
/// with `http://` or `https://` is a whole address; one that begins with a
/// single `/` is a path, on any host and scheme; anything else is an address
/// without its scheme, which may be either, and `//` before it does not count.
/// Two paths, queries or fragments are the same when they are equal byte for
/// byte, the letters of percent-escapes in any case.
///
/// - *Simple*: same host, without one `www.` at its beginning; same port; same
///   path, without one `/` at its end. Scheme, query and fragment do not count.
/// - *Exact*: same scheme (if the rule has one), host, port, path and query,
///   and same fragment if the rule has one.
///
/// The other three look at the text of the plain form:
///
/// - *Contain*: the rule's text occurs in it, letter case (A–Z) aside.
/// - *Wildcard*: the whole of it is the rule's text, where `*` stands for any
///   run of characters, also none; letter case (A–Z) aside. A pattern in which
///   `://` comes before any other `/` is compared from the scheme on; one that
///   begins with a single `/` from the path on; any other from the host on
///   (`//` before it does not count). The address is tried with its query,
///   without it, and, when its path is `/`, without that too; the fragment
///   stays only if the pattern has a `#`.
/// - *Regex*: the expression, as [`pattern::portable`] allows it, matches
///   somewhere in it. Letter case counts.
#[derive(Debug, Clone)]
pub struct PageRule(Test);

#[derive(Debug, Clone)]
enum Test {
    Simple(Page),
    Exact(Page),
    Contain(String),
    Wildcard(Wildcard),
    Regex(regex::Regex),
}

impl PageRule {
    /// # Errors
    /// A regular expression that is not portable.
    pub fn compile(rule: &UrlRule) -> Result<Self, Flaw> {
        let text = || ascii(rule.url.trim_matches([' ', '\t', '\r', '\n']), usize::MAX);
        Ok(Self(match rule.rule {
            UrlMatch::Simple => Test::Simple(Page::of(&text())),
            UrlMatch::Exact => Test::Exact(Page::of(&text())),
            UrlMatch::Contain => Test::Contain(text().to_ascii_lowercase()),
            UrlMatch::Wildcard => Test::Wildcard(Wildcard::of(&text().to_ascii_lowercase())),
            UrlMatch::Regex => Test::Regex(pattern::portable(&rule.url)?),
        }))
    }

    /// Whether the address is one the rule speaks of.
    pub fn matches(&self, address: &Address) -> bool {
        match &self.0 {
            Test::Simple(page) => page.is_page_of(address),
            Test::Exact(page) => page.is_address(address),
            Test::Contain(part) => address.folded().contains(part.as_str()),
            Test::Wildcard(wildcard) => wildcard.matches(address),
            Test::Regex(regex) => regex.is_match(address.as_str()),
        }
    }
}

/// What a *simple* or *exact* rule names.
#[derive(Debug, Clone)]
struct Page {
    scheme: Option<&'static str>,
    /// Host and port; any without.
    authority: Option<String>,
    path: String,
    query: String,
    fragment: String,
}

impl Page {
    fn of(text: &str) -> Self {
        let whole = ["http", "https"].into_iter().find_map(|scheme| Some((scheme, after_scheme(text, scheme)?)));
        let (scheme, text) = whole.map_or((None, text), |(scheme, after)| (Some(scheme), after));
        let is_path = scheme.is_none() && is_path(text);
        let parts = Parts::of(if scheme.is_none() { without_slashes(text) } else { text });
        Self {
            scheme,
            authority: (!is_path).then(|| parts.host.to_ascii_lowercase() + parts.port),
            path: parts.path.to_owned(),
            query: parts.query.to_owned(),
            fragment: parts.fragment.to_owned(),
        }
    }

    fn is_page_of(&self, address: &Address) -> bool {
        fn bare(authority: &str) -> &str {
            authority.strip_prefix("www.").unwrap_or(authority)
        }
        fn open(path: &str) -> &str {
            path.strip_suffix('/').unwrap_or(path)
        }
        self.authority.as_deref().is_none_or(|authority| bare(authority) == bare(address.authority()))
            && same(open(&self.path), open(address.path()))
    }

    fn is_address(&self, address: &Address) -> bool {
        self.scheme.is_none_or(|scheme| scheme == address.scheme())
            && self.authority.as_deref().is_none_or(|authority| authority == address.authority())
            && same(&self.path, address.path())
            && same(&self.query, &address.text[address.path_end..address.query_end])
            && (self.fragment.is_empty() || same(&self.fragment, &address.text[address.query_end..]))
    }
}

/// Whether a rule's text without scheme is a path rather than a host with one.
fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.starts_with("//")
}

fn without_slashes(text: &str) -> &str {
    text.strip_prefix("//").unwrap_or(text)
}

/// Whether two texts are equal byte for byte, the digits of percent-escapes in
/// any letter case.
fn same(left: &str, right: &str) -> bool {
    fn escape(rest: &[u8]) -> Option<[u8; 2]> {
        match rest {
            [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                Some([high.to_ascii_lowercase(), low.to_ascii_lowercase()])
            }
            _ => None,
        }
    }
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    left.len() == right.len()
        && loop {
            if at == left.len() {
                break true;
            }
            let here = escape(&left[at..]);
            if here.is_some() && here == escape(&right[at..]) {
                at += 3;
            } else if left[at] == right[at] {
                at += 1;
            } else {
                break false;
            }
        }
}

/// A pattern, folded, taken apart at its stars.
#[derive(Debug, Clone)]
struct Wildcard {
    /// Where in an address the comparison begins.
    from: Start,
    /// Whether fragments are looked at.
    fragment: bool,
    /// Before the first star; all of a pattern that has none.
    head: String,
    /// Between two stars, none empty.
    middle: Vec<String>,
    /// After the last star.
    tail: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum Start {
    Scheme,
    Host,
    Path,
}

impl Wildcard {
    fn of(pattern: &str) -> Self {
        let slash = pattern.find('/').unwrap_or(pattern.len());
        let from = if pattern[..slash].ends_with(':') && pattern[slash..].starts_with("//") {
            Start::Scheme
        } else if is_path(pattern) {
            Start::Path
        } else {
            Start::Host
        };
        let mut pieces = without_slashes(pattern).split('*');
        let head = pieces.next().unwrap_or_default().to_owned();
        let tail = pieces.next_back().map(str::to_owned);
        let middle = pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect();
        Self { from, fragment: pattern.contains('#'), head, middle, tail }
    }

    fn matches(&self, address: &Address) -> bool {
        let text = address.folded();
        let from = match self.from {
            Start::Scheme => 0,
            Start::Host => address.host_at,
            Start::Path => address.path_at,
        };
        let fragment = if self.fragment { &text[address.query_end..] } else { "" };
        let is = |end: usize| {
            if fragment.is_empty() {
                self.is(&text[from..end])
            } else {
                self.is(&[&text[from..end], fragment].concat())
            }
        };
        is(address.query_end)
            || (address.query_end > address.path_end && is(address.path_end))
            || (address.path() == "/" && is(address.path_at))
    }

    /// Whether the whole text matches. Taking the first place where a piece
    /// occurs leaves most room for the others, so none is ever tried twice.
    fn is(&self, text: &str) -> bool {
        let Some(mut text) = text.strip_prefix(self.head.as_str()) else { return false };
        let Some(tail) = &self.tail else { return text.is_empty() };
        for piece in &self.middle {
            let Some(at) = text.find(piece.as_str()) else { return false };
            text = &text[at + piece.len()..];
        }
        text.ends_with(tail.as_str())
    }
}

/// Where a visitor came from, as the browser tells it.
#[derive(Debug, Clone)]
pub struct Referrer<'a>(Origin<'a>);

#[derive(Debug, Clone)]
enum Origin<'a> {
    Address(Address<'a>),
    Other(Cow<'a, str>),
}

impl<'a> Referrer<'a> {
    /// The referrer; `None` when the text is empty. The plain form of an
    /// address, where `android-app` is a scheme too; of any other text, step 1
    /// of it.
    pub fn parse(text: &'a str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let address = Address::of_schemes(text, &["http", "https", "android-app"]);
        Some(Self(address.map_or_else(|| Origin::Other(ascii(text, ADDRESS_MAX)), Origin::Address)))
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Origin::Address(address) => address.as_str(),
            Origin::Other(text) => text,
        }
    }

    /// Its host in small letters, `www.` as written; the name of the package
    /// for an Android application.
    pub fn host(&self) -> Option<&str> {
        match &self.0 {
            Origin::Address(address) => Some(address.host()),
            Origin::Other(_) => None,
        }
    }
}

/// What kind of way led a visitor to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Typed, bookmarked, unknown, or from the page's own host.
    Direct,
    /// An unpaid result of a search engine.
    Search,
    /// An unpaid link in a social network.
    Social,
    /// A link in a mail.
    Email,
    /// An advertisement.
    Paid,
    /// A link elsewhere.
    Referral,
}

impl Source {
    /// Every source with its word in `referral_rule`.
    pub const WORDS: [(&'static str, Source); 6] = [
        ("direct", Source::Direct),
        ("search", Source::Search),
        ("social", Source::Social),
        ("email", Source::Email),
        ("paid", Source::Paid),
        ("referral", Source::Referral),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, source)| *source == self).map_or("", |(word, _)| word)
    }
}

/// Parameters that an advertising network adds to a paid click.
const CLICKS: [&str; 8] = ["gclid", "gbraid", "wbraid", "dclid", "msclkid", "ttclid", "li_fat_id", "twclid"];

/// What a campaign's `utm_medium` and a referrer's host say about the source.
/// The first that fits wins.
const KINDS: [Kind; 4] = [
    Kind {
        source: Source::Paid,
        medium: "paid",
        mediums: &[
            "affiliate",
            "affiliates",
            "banner",
            "cpa",
            "cpc",
            "cpm",
            "cpv",
            "display",
            "ppc",
            "remarketing",
            "retargeting",
        ],
        hosts: &[],
    },
    Kind {
        source: Source::Email,
        medium: "email",
        mediums: &["mail", "newsletter"],
        hosts: &[
            "mail",
            "webmail",
            "outlook",
            "e.mail.ru",
            "fastmail.com",
            "hey.com",
            "deref-gmx.net",
            "deref-web.de",
            "com.google.android.gm",
        ],
    },
    Kind {
        source: Source::Social,
        medium: "social",
        mediums: &["sm"],
        hosts: &[
            "facebook.com",
            "instagram.com",
            "threads.com",
            "threads.net",
            "messenger.com",
            "whatsapp.com",
            "x.com",
            "twitter.com",
            "t.co",
            "linkedin.com",
            "lnkd.in",
            "reddit.com",
            "pinterest",
            "pinterest.com",
            "tiktok.com",
            "youtube.com",
            "youtu.be",
            "snapchat.com",
            "tumblr.com",
            "quora.com",
            "vk.com",
            "ok.ru",
            "weibo.com",
            "xing.com",
            "bsky.app",
            "mastodon.social",
            "discord.com",
            "t.me",
            "telegram.org",
            "news.ycombinator.com",
            "com.linkedin.android",
            "com.reddit.frontpage",
            "org.telegram.messenger",
        ],
    },
    Kind {
        source: Source::Search,
        medium: "organic",
        mediums: &[],
        hosts: &[
            "google",
            "bing.com",
            "duckduckgo.com",
            "yandex",
            "ya.ru",
            "baidu.com",
            "search.yahoo.com",
            "search.yahoo.co.jp",
            "ecosia.org",
            "qwant.com",
            "startpage.com",
            "search.brave.com",
            "kagi.com",
            "mojeek.com",
            "swisscows.com",
            "metager.org",
            "metager.de",
            "search.naver.com",
            "search.daum.net",
            "search.seznam.cz",
            "sogou.com",
            "so.com",
            "coccoc.com",
            "search.aol.com",
            "ask.com",
            "com.google.android.googlequicksearchbox",
        ],
    },
];

/// How a source shows.
struct Kind {
    source: Source,
    /// What its `utm_medium` begins with.
    medium: &'static str,
    /// Its other values of `utm_medium`.
    mediums: &'static [&'static str],
    /// With a dot: a host, which stands for its subdomains too. Without: the
    /// first label of one.
    hosts: &'static [&'static str],
}

/// What kind of way led a visitor to the page.
///
/// *Paid* when the page's address has one of the `CLICKS` with a value.
/// Else the first of the `KINDS` that fits: by `utm_medium`, of which only
/// the letters A–Z count, folded (`E-Mail` is `email`), or by the referrer's
/// host without one `www.` at its beginning. Else *direct* without a referrer
/// and *referral* with one. A referrer on the page's own host (`www.` aside)
/// counts as none.
pub fn source(referrer: Option<Referrer>, page: Option<&Address>) -> Source {
    source_of_medium(referrer, page, page.and_then(|page| page.parameter("utm_medium")).as_deref())
}

/// The same where the campaign's `utm_medium` is known, whether or not the page's
/// address has it.
pub fn source_of_medium(referrer: Option<Referrer>, page: Option<&Address>, medium: Option<&str>) -> Source {
    fn bare(host: &str) -> &str {
        host.strip_prefix("www.").unwrap_or(host)
    }
    let parameter = |name| page.and_then(|page| page.parameter(name)).filter(|value| !value.is_empty());
    if CLICKS.into_iter().any(|name| parameter(name).is_some()) {
        return Source::Paid;
    }
    let medium: String = medium
        .map(|value| value.bytes().filter(u8::is_ascii_alphabetic).map(|byte| char::from(byte | 0x20)).collect())
        .unwrap_or_default();
    let home = page.map(|page| bare(page.host()));
    let referrer = referrer.filter(|referrer| home.is_none() || referrer.host().map(bare) != home);
    let host = referrer.as_ref().and_then(Referrer::host).map(bare);
    let fits = |kind: &&Kind| {
        medium.starts_with(kind.medium)
            || kind.mediums.contains(&medium.as_str())
            || host.is_some_and(|host| kind.hosts.iter().any(|entry| stands_for(entry, host)))
    };
    match KINDS.iter().find(fits) {
        Some(kind) => kind.source,
        None if referrer.is_none() => Source::Direct,
        None => Source::Referral,
    }
}

/// Whether an entry of a list of hosts stands for `host`.
fn stands_for(entry: &str, host: &str) -> bool {
    if entry.contains('.') {
        host.strip_suffix(entry).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    } else {
        host.split_once('.').is_some_and(|(first, _)| first == entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(url: &str, rule: UrlMatch) -> PageRule {
        PageRule::compile(&UrlRule { url: url.to_owned(), rule, allowed: true }).unwrap()
    }

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

    #[test]
    fn rules_that_are_no_portable_expressions_do_not_compile() {
        let stored = UrlRule { url: "(?i)shop".to_owned(), rule: UrlMatch::Regex, allowed: true };
        assert!(PageRule::compile(&stored).is_err());
    }

    #[test]
    fn referrers() {
        for (text, expect, host) in [
            ("https://Shop.Example", "https://shop.example/", Some("shop.example")),
            ("android-app://com.Example.app", "android-app://com.example.app/", Some("com.example.app")),
            ("about:client", "about:client", None),
            ("ü", "%C3%BC", None),
        ] {
            let referrer = Referrer::parse(text).unwrap();
            assert_eq!((referrer.as_str(), referrer.host()), (expect, host), "{text}");
        }
        assert!(Referrer::parse("").is_none());
        assert!(Address::parse("android-app://com.example.app/").is_none());
    }

    #[test]
    fn lists_of_sources_are_folded_and_name_each_entry_once() {
        let hosts: Vec<_> = KINDS.iter().flat_map(|kind| kind.hosts).collect();
        let mediums: Vec<_> = KINDS.iter().flat_map(|kind| kind.mediums.iter().chain([&kind.medium])).collect();
        for list in [hosts, mediums] {
            for (index, entry) in list.iter().enumerate() {
                assert!(!list[..index].contains(entry), "{entry}");
                assert_eq!(entry.to_ascii_lowercase(), **entry);
                assert!(!entry.starts_with("www."), "{entry}");
            }
        }
        assert_eq!(Source::WORDS.map(|(word, source)| word == source.word()), [true; 6]);
    }

    /// Whether `text` matches, by trying everything.
    fn naive(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [] => text.is_empty(),
            [b'*', pattern @ ..] => (0..=text.len()).any(|taken| naive(pattern, &text[taken..])),
            [first, pattern @ ..] => text.first() == Some(first) && naive(pattern, &text[1..]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn wildcards_agree_with_a_naive_matcher(pattern in "[ab*]{0,10}", text in "[ab]{0,12}") {
            prop_assert_eq!(Wildcard::of(&pattern).is(&text), naive(pattern.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn any_text_is_read(text in "(https?://)?\\PC*", more in any::<String>(), url in any::<String>()) {
            for text in [text.clone(), format!("http://{more}"), format!("{text}{more}")] {
                let Some(address) = Address::parse(&text) else { continue };
                let whole = [address.scheme(), "://", address.authority(), address.path()].concat()
                    + &address.query().map(|query| format!("?{query}")).unwrap_or_default()
                    + &address.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
                prop_assert_eq!(address.as_str(), whole);
                prop_assert!(address.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert!(address.path().starts_with('/'));
                address.parameter(&more);
                for kind in [UrlMatch::Simple, UrlMatch::Exact, UrlMatch::Contain, UrlMatch::Wildcard] {
                    rule(&url, kind).matches(&address);
                }
                source(Referrer::parse(&more), Some(&address));
            }
        }

        #[test]
        fn an_address_is_the_rule_that_matches_it(text in "https?://[a-z.]{1,9}(:[0-9]{1,4})?(/[a-zA-Z%ü]{0,5}){0,3}(\\?[a-z=&]{0,6})?(#[a-z]{0,3})?") {
            let Some(address) = Address::parse(&text) else { return Ok(()) };
            for kind in [UrlMatch::Simple, UrlMatch::Exact, UrlMatch::Contain, UrlMatch::Wildcard] {
                // A host that ends with two dots loses one each time it is read.
                if !address.host().ends_with('.') {
                    prop_assert!(rule(address.as_str(), kind).matches(&address), "{:?}", kind);
                }
            }
        }

        #[test]
        fn scheme_and_www_do_not_count_for_simple_rules(
            host in "[a-z]{1,5}\\.example", path in "(/[a-z]{0,3}){0,3}", other in "(/[a-z]{0,3}){0,3}", extra in "(\\?[a-z]{0,3})?(#[a-z]{0,3})?",
        ) {
            let starts = ["http://", "https://", "HTTPS://www.", "http://www.", "https://WWW."];
            let mut answers = Vec::new();
            for start in starts {
                for begin in starts {
                    let text = format!("{begin}{host}{path}{extra}");
                    let address = Address::parse(&text).unwrap();
                    answers.push(rule(&format!("{start}{host}{other}"), UrlMatch::Simple).matches(&address));
                }
            }
            prop_assert!(answers.iter().all(|answer| *answer == answers[0]));
            let is_same = path.strip_suffix('/').unwrap_or(&path) == other.strip_suffix('/').unwrap_or(&other);
            prop_assert_eq!(answers[0], is_same);
        }
    }
}
