//! Settings of the script and the events of a project's pages.

use crate::kept_query::KeepQuery;
use crate::{Flaw, text};
use serde::{Deserialize, Serialize};

/// Maximum length of [`Base`], in bytes.
const BASE_MAX: usize = 512;

/// A project's settings for the script and the events of its pages.
///
/// The defaults suit a site without a consent banner: every visitor is recorded except those who
/// deny consent, automated browsers do not take part, and one page view in ten reports page health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageSettings {
    /// Behaviour before a visitor has answered the consent question.
    pub consent: ConsentMode,
    /// True when Global Privacy Control counts as a denial.
    pub gpc: bool,
    /// True when automated browsers take part: crawlers, and browsers driven by a program.
    pub bots: bool,
    /// Percentage of page views whose health is reported.
    pub health: Percent,
    /// Prefix of every URL that the script requests.
    pub base: Base,
    /// Parameters of addresses that events keep.
    pub keep_query: KeepQuery,
}

/// Behaviour before a visitor has answered the consent question. Afterwards all modes behave the
/// same: a visitor who granted consent is recorded, one who denied it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsentMode {
    /// Everything is recorded, unless the visitor denies it.
    Assumed,
    /// Nothing is decided, stored or sent.
    Required,
    /// Variants are decided and shown, with an id that is not stored; events are kept in
    /// memory and sent once consent is granted.
    Memory,
}

impl ConsentMode {
    /// All modes with their words.
    pub const WORDS: [(&'static str, ConsentMode); 3] =
        [("assumed", ConsentMode::Assumed), ("required", ConsentMode::Required), ("memory", ConsentMode::Memory)];

    /// Returns the mode with this word.
    ///
    /// # Errors
    /// A word that is not one of [`ConsentMode::WORDS`].
    pub fn parse(word: &str) -> Result<Self, Flaw> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, mode)| *mode).ok_or_else(|| Flaw::new("must be assumed, required or memory"))
    }

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Required => "required",
            Self::Memory => "memory",
        }
    }
}

/// A whole percentage, 0 to 100.
///
/// Deserialising refuses numbers above 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Percent(u8);

impl Percent {
    /// Ten percent.
    pub const TEN: Self = Self(10);

    /// Returns the percentage, 0 to 100.
    ///
    /// # Errors
    /// More than 100.
    pub fn new(percent: u8) -> Result<Self, Flaw> {
        if percent > 100 {
            return Err(Flaw::new("must be from 0 to 100"));
        }
        Ok(Self(percent))
    }

    /// The percentage as a number, 0 to 100.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Percent {
    type Error = Flaw;

    fn try_from(percent: u8) -> Result<Self, Flaw> {
        Self::new(percent)
    }
}

/// Base address of the server: the prefix of every path that pages fetch.
///
/// One of: an address without query, fragment and trailing `/`, such as `https://muriel.example` or
/// `https://shop.example/x`; a path on the page's own origin, such as `/x`; empty, for the server
/// that delivered the script.
///
/// Deserialising applies the checks of [`Base::parse`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Base(String);

impl Base {
    /// Parses a base. The text is inserted into HTML and script unescaped, so only characters that
    /// need no escaping in either are allowed.
    ///
    /// A segment of the path must not begin with a dot, because URL parsers resolve `.` and `..`.
    ///
    /// # Errors
    /// Text that is neither such an address, nor such a path, nor empty, and more than 512 bytes.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if text.is_empty() {
            return Ok(Self(String::new()));
        }
        if text.len() > BASE_MAX {
            return Err(Flaw::new(format!("must have at most {BASE_MAX} bytes")));
        }
        let path = match text.split_once("://") {
            None => text,
            Some((_, rest)) => {
                text::web_address(text)?;
                rest.find('/').map_or("", |at| &rest[at..])
            }
        };
        // Refuses segments that a URL parser would normalise, such as `..`.
        let plain = |segment: &str| {
            let of = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
            !segment.is_empty() && segment.chars().all(of) && !segment.starts_with('.')
        };
        let good = path.is_empty() || path.strip_prefix('/').is_some_and(|path| path.split('/').all(plain));
        let host_is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/[]".contains(c));
        if !good || !host_is_plain {
            return Err(Flaw::new(
                "must be an address such as https://muriel.example, a path such as /x, or empty, without / at its end",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text as it was written; may be empty.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Base {
    type Error = Flaw;

    fn try_from(text: String) -> Result<Self, Flaw> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_server() {
        for good in [
            "",
            "/x",
            "/x/y-1",
            "https://muriel.example",
            "http://127.0.0.1:4170",
            "https://[2001:db8::1]:8443",
            "https://shop.example/x",
        ] {
            assert_eq!(Base::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "/",
            "/x/",
            "x",
            "//evil.example",
            "/../x",
            "/a b",
            "/x?y",
            "/x#y",
            "https://",
            "https://muriel.example/",
            "https://muriel.example?x=1",
            "https://muriel.example#x",
            "https://user:pass@muriel.example",
            "https://muriel.example\\x",
            "javascript:alert(1)",
            "javascript://x",
            "ftp://muriel.example",
            "https://muriel.example/<script>",
        ] {
            assert!(Base::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn modes_have_one_word() {
        for (word, mode) in ConsentMode::WORDS {
            assert_eq!((ConsentMode::parse(word), mode.word()), (Ok(mode), word));
            assert_eq!(serde_json::to_string(&mode).unwrap(), format!("\"{word}\""));
        }
        assert!(ConsentMode::parse("Assumed").is_err());
    }
}
