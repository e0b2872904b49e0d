//! How the script behaves on a project's pages.

use crate::{Flaw, text};
use serde::{Deserialize, Serialize};

/// Most bytes of [`Base`].
const BASE_MAX: usize = 512;

/// A project's settings for the script on its pages.
///
/// The defaults suit a site without a consent banner: everything is recorded unless a visitor
/// denies it, automated browsers do not take part, and one page view in ten reports its health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageSettings {
    /// What happens before a visitor has answered the consent question.
    pub consent: ConsentMode,
    /// Whether Global Privacy Control counts as a denial.
    pub gpc: bool,
    /// Whether automated browsers take part: those that a program drives, and crawlers.
    pub bots: bool,
    /// Percentage of page views whose health is reported.
    pub health: Percent,
    /// Where pages reach the server.
    pub base: Base,
}

impl Default for PageSettings {
    fn default() -> Self {
        Self { consent: ConsentMode::Assumed, gpc: false, bots: false, health: Percent(10), base: Base(String::new()) }
    }
}

/// What happens before a visitor has answered whether they may be recorded. Once they have,
/// every mode does the same: a granted visitor is recorded, a denied one is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsentMode {
    /// Everything, unless it is denied.
    Assumed,
    /// Nothing is decided, stored or sent.
    Required,
    /// Variants are decided and shown, with an id that is not stored; events are kept in
    /// memory and sent once consent is granted.
    Memory,
}

impl ConsentMode {
    /// Every mode with its word.
    pub const WORDS: [(&'static str, ConsentMode); 3] =
        [("assumed", ConsentMode::Assumed), ("required", ConsentMode::Required), ("memory", ConsentMode::Memory)];

    /// The mode with this word.
    ///
    /// # Errors
    /// A word that is not one of [`ConsentMode::WORDS`].
    pub fn parse(word: &str) -> Result<Self, Flaw> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, mode)| *mode).ok_or_else(|| Flaw::new("must be assumed, required or memory"))
    }

    /// The word that the interface and the database have for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Required => "required",
            Self::Memory => "memory",
        }
    }
}

/// A whole percentage, 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Percent(u8);

impl Percent {
    /// A percentage of `percent`, 0 to 100.
    ///
    /// # Errors
    /// More than 100.
    pub fn new(percent: u8) -> Result<Self, Flaw> {
        if percent > 100 {
            return Err(Flaw::new("must be from 0 to 100"));
        }
        Ok(Self(percent))
    }

    /// The number.
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

/// Where pages reach the server: the text in front of every path that they fetch.
///
/// An address without query, fragment and last `/`, as `https://muriel.example`
/// or `https://shop.example/x`; a path on the page's own origin, as `/x`; or
/// empty, which stands for the server that delivered the script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Base(String);

impl Base {
    /// The base that this text is. It is put into HTML and script as it is, so only characters
    /// that need no escaping in either are allowed.
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
        // Nothing that a URL parser would read otherwise than it is written.
        let plain = |segment: &str| {
            let of = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
            !segment.is_empty() && segment.chars().all(of) && !segment.starts_with('.')
        };
        let good = path.is_empty() || path.strip_prefix('/').is_some_and(|path| path.split('/').all(plain));
        let host_is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/[]".contains(c));
        if !good || !host_is_plain {
            return Err(Flaw::new(
                "must be an address such as https://muriel.example, a path such as /x, or nothing, without a / at its end",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// As it was written; empty for nothing.
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
    fn what_is_stored_is_read_back_and_checked() {
        let default = PageSettings::default();
        assert_eq!(serde_json::from_str::<PageSettings>("{}").unwrap(), default);
        let text = serde_json::to_string(&default).unwrap();
        assert_eq!(text, r#"{"consent":"assumed","gpc":false,"bots":false,"health":10,"base":""}"#);
        assert_eq!(serde_json::from_str::<PageSettings>(&text).unwrap(), default);
        for bad in [r#"{"health":101}"#, r#"{"health":-1}"#, r#"{"base":"//x"}"#, r#"{"consent":"maybe"}"#] {
            assert!(serde_json::from_str::<PageSettings>(bad).is_err(), "{bad}");
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
