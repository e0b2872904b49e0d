//! How a visitor came to a page: the referrer, and the kind of source it stands for.
//!
//! `docs/assignment.md` specifies it; `contract/assignment/source.json` has its examples.
//! The warehouse stores a visitor's source, so a change here needs a new schema of the
//! warehouse as well.

use crate::address::{ADDRESS_MAX, Address, ascii};
use std::borrow::Cow;

/// The address or name of the page that a visitor came from, as the browser sends it.
#[derive(Debug, Clone)]
pub struct Referrer<'a>(ReferrerForm<'a>);

/// A referrer that has a host, or any other text.
#[derive(Debug, Clone)]
enum ReferrerForm<'a> {
    Address(Address<'a>),
    Other(Cow<'a, str>),
}

impl<'a> Referrer<'a> {
    /// The referrer; `None` when the text is empty. An address is in its plain form, where
    /// `android-app` is a scheme too; of any other text, only characters are escaped (step 1 of
    /// [`Address`]).
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

    /// Its host in small letters, `www.` as written; the name of the package
    /// for an Android application; `None` for text that is not an address.
    pub fn host(&self) -> Option<&str> {
        match &self.0 {
            ReferrerForm::Address(address) => Some(address.host()),
            ReferrerForm::Other(_) => None,
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

    /// The word that the interface and the database have for it.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, source)| *source == self).map_or("", |(word, _)| word)
    }
}

/// Parameters that an advertising network adds to a paid click.
const CLICKS: [&str; 8] = ["gclid", "gbraid", "wbraid", "dclid", "msclkid", "ttclid", "li_fat_id", "twclid"];

/// What a campaign's `utm_medium` and a referrer's host say about the source.
/// The first that fits wins.
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

/// How visits from one source are recognised.
struct SourcePattern {
    source: Source,
    /// Prefix of `utm_medium` that means this source: `paid` fits `paidsocial` too.
    medium: &'static str,
    /// Further whole values of `utm_medium` that mean this source.
    mediums: &'static [&'static str],
    /// Entries with a dot are hosts, and stand for their subdomains too. Entries without a dot
    /// are the first label of a host: `google` stands for `google.de` and `google.co.uk`.
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

/// [`source`] where the campaign's `utm_medium` is known, whether or not the page's
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

/// [`source_of_medium`] of texts as an event brings them: a referrer that is empty and a page
/// that is not an http or https address count as none.
pub fn source_of_texts(referrer: Option<&str>, page: Option<&str>, medium: Option<&str>) -> Source {
    let (referrer, page) = (referrer.and_then(Referrer::parse), page.and_then(Address::parse));
    source_of_medium(referrer, page.as_ref(), medium)
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
