//! How the script behaves on a project's pages.

use crate::{Flaw, text};
use serde::{Deserialize, Serialize};

/// Most bytes of [`Base`].
const BASE_MAX: usize = 512;

/// What a project says about the script on its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageSettings {
    /// What goes on before a visitor has answered.
    pub consent: ConsentMode,
    /// Whether Global Privacy Control counts as a denial.
    pub gpc: bool,
    /// Whether programs that drive a browser take part.
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

/// What goes on before a visitor has answered whether it may be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsentMode {
    /// Everything, unless it is denied.
    Assumed,
    /// Nothing is decided, stored or sent.
    Required,
    /// Decided and shown, with an id that is kept nowhere; sent once granted.
    Memory,
}

impl ConsentMode {
    /// Every mode with its word.
    pub const WORDS: [(&'static str, ConsentMode); 3] =
        [("assumed", ConsentMode::Assumed), ("required", ConsentMode::Required), ("memory", ConsentMode::Memory)];

    /// # Errors
    /// A word that is none of [`ConsentMode::WORDS`].
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

/// Where pages reach the server: what the paths that they fetch are put behind.
///
/// An address without query, fragment and last `/`, as `https://muriel.example`
/// or `https://shop.example/x`; a path on the page's own origin, as `/x`; or
/// nothing, which is wherever the script itself came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Base(String);

impl Base {
    /// # Errors
    /// What is neither such an address, nor such a path, nor nothing.
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
