//! Parsing of `User-Agent` headers.
//!
//! Browsers and systems are recognised by the rules of uap-core, crawlers by
//! the patterns of crawler-user-agents; `lists/` has both. The kind of device
//! follows from a few words that all browsers use.
//!
//! The header of an iPad equals that of a Mac. Only a script on the page can distinguish them.

mod bots;
mod rules;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rules::ParserRules;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Most bytes of a user agent that are parsed. Those of browsers have 100 to 400.
pub const LONGEST: usize = 1_024;
/// Number of cached user agents of typical length.
const CAPACITY: usize = 10_000;
/// Bytes that a cached user agent takes in addition to its text.
const OVERHEAD: u64 = 128;

/// Properties of the visitor's device and browser, from a user agent. Cheap to clone.
///
/// By default nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserAgent {
    /// `desktop`, `mobile` or `tablet`; `None` for televisions and other devices.
    pub device: Option<&'static str>,
    /// `chrome`, `safari`, `firefox`, `edge`, `ie` or `opera`.
    pub browser: Option<&'static str>,
    /// `windows`, `macOS`, `linux`, `chromeOS`, `ios` or `android`.
    pub os: Option<&'static str>,
    /// Name of the browser, such as `Samsung Internet`, even where `browser` is `None`.
    pub browser_name: Option<Arc<str>>,
    /// Major version of the browser.
    pub browser_major: Option<u32>,
    /// Name of the operating system, such as `Ubuntu`.
    pub os_name: Option<Arc<str>>,
    /// True when the request comes from a program rather than a person.
    pub is_bot: bool,
}

/// Parses user agents, and caches the results.
pub struct UserAgents {
    rules: OnceLock<ParserRules>,
    cached: Cache<Box<str>, UserAgent, ByLength>,
}

#[derive(Clone)]
struct ByLength;

impl Weighter<Box<str>, UserAgent> for ByLength {
    fn weight(&self, text: &Box<str>, _: &UserAgent) -> u64 {
        text.len() as u64 + OVERHEAD
    }
}

impl UserAgents {
    /// Creates an empty cache. The rules are built on first use.
    pub fn new() -> UserAgents {
        let common = 140 + OVERHEAD;
        UserAgents {
            rules: OnceLock::new(),
            cached: Cache::with_weighter(CAPACITY, CAPACITY as u64 * common, ByLength),
        }
    }

    /// Builds the rules now, so that the first request does not wait for them: about 40 ms and
    /// 11 MiB.
    pub fn warm(&self) {
        self.rules();
    }

    fn rules(&self) -> &ParserRules {
        self.rules.get_or_init(ParserRules::build)
    }

    /// Parses a user agent. Never fails: unknown properties are `None`.
    pub fn parse(&self, user_agent: &str) -> UserAgent {
        let text = cut(user_agent.trim(), LONGEST);
        match self.cached.get(text) {
            Some(agent) => agent,
            None => {
                let agent = self.rules().parse(text);
                self.cached.insert(text.into(), agent.clone());
                agent
            }
        }
    }

    /// Like [`parse`](Self::parse), from a header's bytes. Bytes that are not UTF-8 are replaced.
    pub fn parse_bytes(&self, user_agent: &[u8]) -> UserAgent {
        match str::from_utf8(user_agent) {
            Ok(text) => self.parse(text),
            Err(_) => self.parse(&String::from_utf8_lossy(&user_agent[..user_agent.len().min(LONGEST)])),
        }
    }
}

impl Default for UserAgents {
    fn default() -> UserAgents {
        UserAgents::new()
    }
}

impl fmt::Debug for UserAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserAgents").field("cached", &self.cached.len()).finish_non_exhaustive()
    }
}

/// Returns the longest prefix of a text that has at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests;
