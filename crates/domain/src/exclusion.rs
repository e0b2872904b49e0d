//! Exclusions: recorded visits that a project does not count in results.

use crate::network::truncated;
use crate::referral::Source;
use crate::{Flaw, Instant, Problems, text};
use std::net::IpAddr;
use url::Url;

/// Maximum number of exclusions in a project. Each report compares every exposure with all of them.
pub const EXCLUSIONS_MAX: usize = 200;
/// Maximum number of characters of a reason.
pub const REASON_MAX: usize = 500;
/// Maximum number of characters of a visitor's id.
const VISITOR_MAX: usize = 128;
/// Number of hexadecimal digits of a network's hash.
const NETWORK_DIGITS: usize = 16;
/// Words for a browser, a system and a device.
const USER_AGENT_WORDS: usize = 3;
/// Maximum number of characters of such a word.
const USER_AGENT_WORD_MAX: usize = 40;

/// Kind of an exclusion: the property that it excludes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExclusionKind {
    /// Id of the visitor.
    Visitor,
    /// The visitor's network.
    Network,
    /// Origin of the page, such as `https://shop.example`.
    Origin,
    /// Browser, system and device.
    UserAgent,
    /// Traffic source of the visit.
    Source,
    /// All visitors of a period.
    Time,
}

impl ExclusionKind {
    /// All kinds with their words.
    pub const WORDS: [(&'static str, ExclusionKind); 6] = [
        ("visitor", ExclusionKind::Visitor),
        ("network", ExclusionKind::Network),
        ("origin", ExclusionKind::Origin),
        ("user_agent", ExclusionKind::UserAgent),
        ("source", ExclusionKind::Source),
        ("time", ExclusionKind::Time),
    ];

    /// Returns the kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// Checks a value and brings it into the form that is stored.
    ///
    /// # Errors
    /// A value that no exposure can have.
    pub fn value(self, value: &str) -> Result<String, Flaw> {
        match self {
            Self::Visitor => {
                let characters = value.chars().take(VISITOR_MAX + 1).count();
                match (1..=VISITOR_MAX).contains(&characters) && !value.contains('\0') {
                    true => Ok(value.to_owned()),
                    false => Err(Flaw::new(format!("must have 1 to {VISITOR_MAX} characters, none of them NUL"))),
                }
            }
            Self::Network => network(value),
            Self::Origin => origin_of(value).ok_or_else(|| {
                Flaw::new("must be the origin of pages: scheme, host and port, such as https://shop.example")
            }),
            Self::UserAgent => user_agent(value),
            Self::Source => match Source::WORDS.iter().any(|(word, _)| *word == value) {
                true => Ok(value.to_owned()),
                false => {
                    let words: Vec<&str> = Source::WORDS.iter().map(|(word, _)| *word).collect();
                    Err(Flaw::new(format!("must be one of {}", words.join(", "))))
                }
            },
            Self::Time => Err(Flaw::new("must be left out: an exclusion of the kind time has from and to")),
        }
    }
}

/// Parses the hash of a network, or an address, of which only the part that names the network is kept.
fn network(value: &str) -> Result<String, Flaw> {
    let is_hash = value.len() == NETWORK_DIGITS
        && value.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if is_hash {
        return Ok(value.to_owned());
    }
    let flaw = || {
        Flaw::new("must be an IP address, whose /24 (IPv4) or /48 (IPv6) is excluded, or a network's hash as listed")
    };
    let (address, bits) = match value.split_once('/') {
        None => (value, None),
        Some((address, bits)) => (address, Some(bits)),
    };
    let address: IpAddr = address.parse().map_err(|_| flaw())?;
    let kept = if address.to_canonical().is_ipv4() { "24" } else { "48" };
    if bits.is_some_and(|bits| bits != kept) {
        return Err(flaw());
    }
    Ok(truncated(address).to_string())
}

/// Returns the origin of a web page: scheme, host and port, without the scheme's own port. `None` for an address that
/// is not absolute, or of another scheme than http and https.
pub fn origin_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

/// Parses words for a browser, a system and a device, separated by spaces: `chrome windows desktop`.
fn user_agent(value: &str) -> Result<String, Flaw> {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    let is_known = |word: &&str| word.len() <= USER_AGENT_WORD_MAX && word.bytes().all(|byte| byte.is_ascii_graphic());
    match (1..=USER_AGENT_WORDS).contains(&words.len()) && words.iter().all(is_known) {
        true => Ok(words.join(" ")),
        false => Err(Flaw::new(
            "must have one to three words for browser, system and device, separated by spaces, such as chrome windows \
             desktop",
        )),
    }
}

/// Exposures that a project does not count: those with this property, within a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// Property that it excludes by.
    pub kind: ExclusionKind,
    /// Value of the property, in the form of [`ExclusionKind::value`]; `None` for a period.
    pub value: Option<String>,
    /// Only exposures at or after this time; `None` for no limit.
    pub from: Option<Instant>,
    /// Only exposures before this time; `None` for no limit.
    pub until: Option<Instant>,
    /// Reason, for those who read it later.
    pub reason: String,
}

impl Exclusion {
    /// Creates an exclusion.
    ///
    /// # Errors
    /// An invalid value or reason, a missing value, and a period that is empty or, for the kind `time`, not limited.
    pub fn new(
        kind: ExclusionKind,
        value: Option<&str>,
        (from, until): (Option<Instant>, Option<Instant>),
        reason: &str,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let value = match (kind, value) {
            (ExclusionKind::Time, None) => None,
            (_, None) => {
                problems.add("value", "is required, except for the kind time");
                None
            }
            (_, Some(value)) => kind.value(value).map_err(|flaw| problems.add("value", flaw.to_string())).ok(),
        };
        if kind == ExclusionKind::Time {
            for (field, limit) in [("from", from), ("to", until)] {
                if limit.is_none() {
                    problems.add(field, "is required for the kind time, which would exclude everybody without it");
                }
            }
        }
        if from.zip(until).is_some_and(|(from, until)| from >= until) {
            problems.add("to", "must be later than from");
        }
        let reason = text::title(reason, REASON_MAX).map_err(|flaw| problems.add("reason", flaw.to_string()));
        match (reason, problems.is_empty()) {
            (Ok(reason), true) => Ok(Self { kind, value, from, until, reason }),
            _ => Err(problems),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: ExclusionKind, value: &str) -> Result<String, String> {
        kind.value(value).map_err(|flaw| flaw.to_string())
    }

    #[test]
    fn kinds_have_words() {
        for (word, kind) in ExclusionKind::WORDS {
            assert_eq!((ExclusionKind::parse(word), kind.word()), (Some(kind), word));
        }
        assert_eq!(ExclusionKind::parse("Visitor"), None);
    }

    #[test]
    fn values_are_brought_into_one_form() {
        for (kind, sent, kept) in [
            (ExclusionKind::Visitor, " v 1", " v 1"),
            (ExclusionKind::Network, "203.0.113.77", "203.0.113.0"),
            (ExclusionKind::Network, "203.0.113.0/24", "203.0.113.0"),
            (ExclusionKind::Network, "::ffff:203.0.113.77", "203.0.113.0"),
            (ExclusionKind::Network, "2001:db8:1:2::3", "2001:db8:1::"),
            (ExclusionKind::Network, "2001:DB8:1:2::/48", "2001:db8:1::"),
            (ExclusionKind::Network, "0123456789abcdef", "0123456789abcdef"),
            (ExclusionKind::Origin, "https://Shop.example:443/a?b#c", "https://shop.example"),
            (ExclusionKind::Origin, "http://localhost:3000", "http://localhost:3000"),
            (ExclusionKind::Origin, "https://münchen.example", "https://xn--mnchen-3ya.example"),
            (ExclusionKind::UserAgent, " chrome  windows desktop ", "chrome windows desktop"),
            (ExclusionKind::Source, "paid", "paid"),
        ] {
            assert_eq!(value(kind, sent).as_deref(), Ok(kept), "{sent}");
        }
    }

    #[test]
    fn values_that_no_exposure_has_are_refused() {
        let long = "v".repeat(129);
        for (kind, sent) in [
            (ExclusionKind::Visitor, ""),
            (ExclusionKind::Visitor, "a\0b"),
            (ExclusionKind::Visitor, &long),
            (ExclusionKind::Network, ""),
            (ExclusionKind::Network, "203.0.113.0/16"),
            (ExclusionKind::Network, "203.0.113.0/"),
            (ExclusionKind::Network, "2001:db8::/24"),
            (ExclusionKind::Network, "0123456789ABCDEF"),
            (ExclusionKind::Network, "0123456789abcde"),
            (ExclusionKind::Origin, "shop.example"),
            (ExclusionKind::Origin, "ftp://shop.example"),
            (ExclusionKind::Origin, "javascript:alert(1)"),
            (ExclusionKind::UserAgent, " "),
            (ExclusionKind::UserAgent, "chrome windows desktop 12"),
            (ExclusionKind::UserAgent, "chrömé"),
            (ExclusionKind::Source, "Paid"),
            (ExclusionKind::Time, "now"),
        ] {
            assert!(value(kind, sent).is_err(), "{kind:?} {sent:?}");
        }
    }

    #[test]
    fn everything_wrong_is_named() {
        let (early, late) = (Instant::from_us(1), Instant::from_us(2));
        let problems = |kind, value, period, reason: &str| {
            let made = Exclusion::new(kind, value, period, reason);
            made.err().map(|problems| problems.iter().map(|problem| problem.field.to_string()).collect::<Vec<_>>())
        };
        let named = |fields: &[&str]| Some(fields.iter().map(|field| (*field).to_owned()).collect::<Vec<_>>());
        assert_eq!(problems(ExclusionKind::Time, None, (Some(early), Some(late)), "Load test"), None);
        assert_eq!(problems(ExclusionKind::Source, Some("paid"), (None, Some(late)), "Bots"), None);
        assert_eq!(problems(ExclusionKind::Time, None, (Some(early), None), "Load test"), named(&["to"]));
        assert_eq!(
            problems(ExclusionKind::Time, Some("x"), (None, None), ""),
            named(&["value", "from", "to", "reason"])
        );
        assert_eq!(
            problems(ExclusionKind::Visitor, None, (Some(late), Some(late)), " "),
            named(&["value", "to", "reason"])
        );
    }
}
