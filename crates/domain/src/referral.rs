//! Referrers, and the kind of source that brought a visitor to a page.
//!
//! `docs/assignment-pages.md` specifies it; `contract/assignment/source.json` has examples. The warehouse
//! stores a visitor's source, so a change here also needs a new warehouse schema.

use crate::address::{ADDRESS_MAX, Address, ascii};
use std::borrow::Cow;

/// The address or name of the page that a visitor came from, as the browser sends it.
#[derive(Debug, Clone)]
pub struct Referrer<'a>(ReferrerForm<'a>);

/// An address with a host, or any other text.
#[derive(Debug, Clone)]
enum ReferrerForm<'a> {
    Address(Address<'a>),
    Other(Cow<'a, str>),
}

impl<'a> Referrer<'a> {
    /// Parses a referrer. `None` when the text is empty. An address is converted to its plain form;
    /// `android-app` is allowed as a scheme too. In any other text, characters are only escaped
    /// (step 1 of [`Address`]). Only the first 2,048 characters are used.
    pub fn parse(text: &'a str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let address = Address::of_schemes(text, &["http", "https", "android-app"]);
        Some(Self(address.map_or_else(|| ReferrerForm::Other(ascii(text, ADDRESS_MAX)), ReferrerForm::Address)))
    }

    /// The whole referrer, which `referral_rule` compares with criteria `url`.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            ReferrerForm::Address(address) => address.as_str(),
            ReferrerForm::Other(text) => text,
        }
    }

    /// The host in lower case, with a leading `www.` kept. For an Android application, the name of
    /// its package. `None` for text that is not an address.
    pub fn host(&self) -> Option<&str> {
        match &self.0 {
            ReferrerForm::Address(address) => Some(address.host()),
            ReferrerForm::Other(_) => None,
        }
    }
}

/// Source of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Typed, bookmarked, unknown, or linked from the page's own host.
    Direct,
    /// An unpaid result of a search engine.
    Search,
    /// An unpaid link on a social network.
    Social,
    /// A link in an e-mail.
    Email,
    /// An advertisement.
    Paid,
    /// Any other link.
    Referral,
}

impl Source {
    /// All sources with their words in `referral_rule`.
    pub const WORDS: [(&'static str, Source); 6] = [
        ("direct", Source::Direct),
        ("search", Source::Search),
        ("social", Source::Social),
        ("email", Source::Email),
        ("paid", Source::Paid),
        ("referral", Source::Referral),
    ];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, source)| *source == self).map_or("", |(word, _)| word)
    }
}

/// Query parameters that advertising networks add to paid clicks. A parameter with an empty value
/// does not count.
pub(crate) const CLICKS: [&str; 8] = ["gclid", "gbraid", "wbraid", "dclid", "msclkid", "ttclid", "li_fat_id", "twclid"];

/// Patterns of a campaign's `utm_medium` and of a referrer's host. The first pattern that matches
/// wins.
const KINDS: [SourcePattern; 4] = [
    SourcePattern {
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
    SourcePattern {
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
    SourcePattern {
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
    SourcePattern {
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

/// Pattern that recognises visits from one source.
struct SourcePattern {
    source: Source,
    /// Prefix of `utm_medium` that means this source: `paid` matches `paidsocial` too.
    medium: &'static str,
    /// Further whole values of `utm_medium` that mean this source.
    mediums: &'static [&'static str],
    /// Entries with a dot are hosts, and match their subdomains too. Entries without a dot match
    /// the first label of a host: `google` matches `google.de` and `google.co.uk`.
    hosts: &'static [&'static str],
}

/// Returns the source of a visit.
///
/// *Paid* when the page's address has one of the `CLICKS` with a value. Otherwise the first of the
/// `KINDS` that matches, either by `utm_medium` or by the referrer's host without a leading `www.`.
/// Of `utm_medium` only the letters A–Z count, in lower case: `E-Mail` is `email`. Otherwise
/// *direct* without a referrer, and *referral* with one. A referrer on the page's own host
/// (ignoring `www.`) is treated as absent.
///
/// ```
/// use muriel_domain::address::Address;
/// use muriel_domain::referral::{Referrer, Source, source};
///
/// let page = Address::parse("https://shop.example/?utm_medium=newsletter");
/// assert_eq!(source(None, page.as_ref()), Source::Email);
/// let search = Referrer::parse("https://www.google.de/");
/// assert_eq!(source(search, None), Source::Search);
/// ```
pub fn source(referrer: Option<Referrer>, page: Option<&Address>) -> Source {
    source_of_medium(referrer, page, page.and_then(|page| page.parameter("utm_medium")).as_deref())
}

/// Like [`source`], with a given `utm_medium`, whether or not the page's address has it.
///
/// The `CLICKS` in the page's address take precedence over the medium.
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
    let fits = |kind: &&SourcePattern| {
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

/// Like [`source_of_medium`], for texts as an event has them. An empty referrer, and a page that is
/// not an http or https address, are treated as absent.
pub fn source_of_texts(referrer: Option<&str>, page: Option<&str>, medium: Option<&str>) -> Source {
    let (referrer, page) = (referrer.and_then(Referrer::parse), page.and_then(Address::parse));
    source_of_medium(referrer, page.as_ref(), medium)
}

/// Returns whether an entry of a list of hosts matches `host`.
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

    #[test]
    fn texts_that_say_nothing_count_as_none() {
        for (referrer, page, medium, expect) in [
            (None, None, None, Source::Direct),
            (Some(""), Some("no address"), Some(""), Source::Direct),
            (Some("https://www.google.com/"), None, None, Source::Search),
            (Some("https://shop.example/a"), Some("https://www.shop.example/b"), None, Source::Direct),
            (Some("https://shop.example/a"), None, None, Source::Referral),
            (None, Some("https://shop.example/?gclid=x"), Some("email"), Source::Paid),
            (None, None, Some("E-Mail"), Source::Email),
        ] {
            assert_eq!(source_of_texts(referrer, page, medium), expect, "{referrer:?} {page:?} {medium:?}");
        }
    }

    proptest! {
        #[test]
        fn any_texts_have_a_source(referrer in any::<String>(), page in any::<String>(), medium in any::<String>()) {
            for page in [page.clone(), format!("http://{page}")] {
                source_of_texts(Some(&referrer), Some(&page), Some(&medium));
            }
        }
    }
}
