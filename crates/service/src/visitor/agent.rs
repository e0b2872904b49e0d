//! Parsing of `User-Agent` headers.
//!
//! Browsers and systems are recognised by the rules of uap-core, crawlers by
//! the patterns of crawler-user-agents; `lists/` has both. The kind of device
//! follows from a few words that all browsers use.
//!
//! The header of an iPad is that of a Mac. Only a script on the page can tell them apart.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use ua_parser::{os, user_agent};

/// Bytes of a user agent that are read. Those of browsers have 100 to 400.
pub const LONGEST: usize = 1_024;
/// The most bytes of a name. Some names are copied from the header.
const LONGEST_NAME: usize = 64;
/// User agents of common length that are cached.
const CAPACITY: usize = 10_000;
/// Bytes that a cached user agent takes besides its text.
const OVERHEAD: u64 = 128;

/// What a user agent says about the visitor's device and browser. Cheap to clone.
///
/// By default nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserAgent {
    /// `desktop`, `mobile` or `tablet`. A television is none of them.
    pub device: Option<&'static str>,
    /// `chrome`, `safari`, `firefox`, `edge`, `ie` or `opera`.
    pub browser: Option<&'static str>,
    /// `windows`, `macOS`, `linux`, `chromeOS`, `ios` or `android`.
    pub os: Option<&'static str>,
    /// The browser's name, as `Samsung Internet`, also where `browser` is `None`.
    pub browser_name: Option<Arc<str>>,
    /// The first number of the browser's version.
    pub browser_major: Option<u32>,
    /// The operating system's name, as `Ubuntu`.
    pub os_name: Option<Arc<str>>,
    /// Whether the request comes from a program rather than a person.
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
    /// An empty cache. The rules are built on first use.
    pub fn new() -> UserAgents {
        let common = 140 + OVERHEAD;
        UserAgents {
            rules: OnceLock::new(),
            cached: Cache::with_weighter(CAPACITY, CAPACITY as u64 * common, ByLength),
        }
    }

    /// Builds the rules now, so that the first request does not wait for it: about 40 ms and
    /// 11 MiB.
    pub fn warm(&self) {
        self.rules();
    }

    fn rules(&self) -> &ParserRules {
        self.rules.get_or_init(ParserRules::build)
    }

    /// Parses a user agent. Never fails: what the text does not tell is `None`.
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

    /// As [`parse`](Self::parse), from a header's bytes. Bytes that are not UTF-8 are replaced.
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

/// The longest prefix of a text that has at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

struct ParserRules {
    browsers: user_agent::Extractor<'static>,
    systems: os::Extractor<'static>,
    bots: BotPatterns,
}

impl ParserRules {
    /// Parses the lists, which are compiled into the program. Tests prove that this succeeds.
    fn build() -> ParserRules {
        #[derive(Deserialize)]
        struct Lists {
            user_agent_parsers: Vec<user_agent::Parser<'static>>,
            os_parsers: Vec<os::Parser<'static>>,
        }

        let lists: Lists = serde_json::from_str(include_str!("lists/browsers.json")).expect("the list is tested");
        let browsers = user_agent::Builder::new().push_all(lists.user_agent_parsers).expect("the list is tested");
        let systems = os::Builder::new().push_all(lists.os_parsers).expect("the list is tested");
        ParserRules {
            browsers: browsers.build().expect("the list is tested"),
            systems: systems.build().expect("the list is tested"),
            bots: BotPatterns::build(include_str!("lists/crawlers.txt")),
        }
    }

    fn parse(&self, text: &str) -> UserAgent {
        let browser = self.browsers.extract(text);
        let system = self.systems.extract(text);
        let browser_name = browser.as_ref().and_then(|browser| name(&browser.family));
        let os_name = system.as_ref().and_then(|system| name(&system.os));
        let os = os_name.and_then(os_word);
        UserAgent {
            device: device(text, os, os_name),
            browser: browser_name.and_then(browser_word),
            os,
            browser_major: browser.as_ref().and_then(|browser| browser.major?.parse().ok()),
            browser_name: browser_name.map(Arc::from),
            os_name: os_name.map(Arc::from),
            is_bot: self.bots.is_match(text),
        }
    }
}

fn name(family: &str) -> Option<&str> {
    let name = cut(family.trim(), LONGEST_NAME);
    (!name.is_empty() && name != "Other" && !name.contains(char::is_control)).then_some(name)
}

/// The word for a browser of uap-core. The browser within an app is the app's, whatever its
/// engine: Facebook's is neither Safari nor Chrome.
fn browser_word(name: &str) -> Option<&'static str> {
    Some(match name {
        "Chrome" | "Chrome Mobile" | "Chrome Mobile iOS" | "Chromium" | "HeadlessChrome" => "chrome",
        "Safari" | "Mobile Safari" | "WebKit Nightly" => "safari",
        "Firefox" | "Firefox Mobile" | "Firefox iOS" | "Firefox Alpha" | "Firefox Beta" => "firefox",
        "Edge" | "Edge Mobile" => "edge",
        "IE" | "IE Mobile" | "IE Large Screen" => "ie",
        _ if name.starts_with("Opera") => "opera",
        _ => return None,
    })
}

/// The word for a system of uap-core.
fn os_word(name: &str) -> Option<&'static str> {
    Some(match name {
        "Windows" => "windows",
        "Mac OS X" | "Mac OS" => "macOS",
        "Chrome OS" => "chromeOS",
        "iOS" => "ios",
        "Android" => "android",
        "Linux" | "Ubuntu" | "Kubuntu" | "Lubuntu" | "Debian" | "Fedora" | "Red Hat" | "CentOS" | "SUSE"
        | "openSUSE" | "Linux Mint" | "Arch Linux" | "Gentoo" | "Mageia" | "Mandriva" | "Slackware" | "PCLinuxOS"
        | "Puppy" | "BackTrack" => "linux",
        _ => return None,
    })
}

/// Words of televisions, consoles and set-top boxes.
const SCREENS: [&str; 18] = [
    "SmartTV",
    "SMART-TV",
    "Smart TV",
    "HbbTV",
    "GoogleTV",
    "Google TV",
    "Android TV",
    "AppleTV",
    "Apple TV",
    " TV Safari",
    "Web0S",
    "NetCast",
    "BRAVIA",
    "CrKey",
    "Roku",
    "PlayStation",
    "Xbox",
    "Nintendo",
];
/// Words of tablets that say `Mobile` as well, or did: Amazon's, Samsung's and Google's.
const TABLETS: [&str; 11] =
    ["Tablet", "SM-T", "SM-X", "SM-P", "GT-P", "Nexus 7", "Nexus 9", "Nexus 10", "Pixel C", "Lenovo TB", "Kindle"];

/// The kind of device of a user agent.
///
/// By agreement a browser on Android says `Mobile` on a phone and not on a
/// tablet.
fn device(text: &str, os: Option<&str>, os_name: Option<&str>) -> Option<&'static str> {
    let says = |word: &str| text.contains(word);
    let android = os == Some("android") || says("Android");
    if SCREENS.iter().any(|word| says(word)) || has_model(text, "AFT") {
        return None;
    }
    if says("iPad") || says("PlayBook") || (android && (TABLETS.iter().any(|word| says(word)) || has_model(text, "KF")))
    {
        return Some("tablet");
    }
    if says("iPhone") || says("iPod") || says("Windows Phone") || says("Opera Mini") || says("Opera Mobi") {
        return Some("mobile");
    }
    if says("OpenHarmony") {
        let kinds = [("Phone;", "mobile"), ("Tablet;", "tablet"), ("PC;", "desktop")];
        return kinds.into_iter().find(|(word, _)| says(word)).map(|(_, kind)| kind);
    }
    // Windows names what it can do, as in "Tablet PC 2.0": its word says less than which system it is.
    match os {
        Some("windows" | "macOS" | "linux" | "chromeOS") if !android => return Some("desktop"),
        _ if says("Mobile") || says("Mobi/") || os == Some("ios") => return Some("mobile"),
        _ if android && (says("AppleWebKit") || says("Gecko/")) => return Some("tablet"),
        _ if android => return Some("mobile"),
        _ => {}
    }
    match os_name? {
        "FreeBSD" | "OpenBSD" | "NetBSD" | "Solaris" => Some("desktop"),
        "BlackBerry OS" | "KaiOS" | "Firefox OS" | "Symbian OS" | "Windows Mobile" | "Sailfish" => Some("mobile"),
        _ => None,
    }
}

/// Whether a word is a model of Amazon's: its tablets have names as `KFTRWI`,
/// its televisions as `AFTKA`.
fn has_model(text: &str, start: &str) -> bool {
    let capitals = |rest: &str| rest.len() >= 2 && rest.bytes().all(|byte| byte.is_ascii_uppercase());
    text.split([' ', ';', ')', '/']).any(|word| word.strip_prefix(start).is_some_and(capitals))
}

/// The patterns that mark bots.
struct BotPatterns {
    words: AhoCorasick,
    patterns: Vec<Regex>,
    bot_words: AhoCorasick,
}

/// Words of bots that the list does not have yet, in any case: what they call themselves, the
/// address of a page about them, the tool that drives them. The first counts only as a word of
/// its own or as the end of one.
const BOT_WORDS: [&str; 12] = [
    "bot",
    "crawl",
    "spider",
    "scraper",
    "headless",
    "phantomjs",
    "selenium",
    "puppeteer",
    "playwright",
    "+http://",
    "+https://",
    "+ http",
];
/// Libraries and programs, by how their user agents start, in any case.
const LIBRARIES: [&str; 28] = [
    "apache-httpclient",
    "axios",
    "bun",
    "curl",
    "deno",
    "faraday",
    "go-http-client",
    "got",
    "guzzle",
    "guzzlehttp",
    "httpie",
    "hyper",
    "insomnia",
    "java",
    "k6",
    "libcurl",
    "node",
    "okhttp",
    "perl",
    "php",
    "postmanruntime",
    "python",
    "reqwest",
    "ruby",
    "undici",
    "ureq",
    "wget",
    "wrk",
];

impl BotPatterns {
    /// Most patterns are plain words with some escapes: all of those are looked
    /// for in one pass, and few are left that need more. Those stay apart, each
    /// with little room, so that no text makes them grow.
    fn build(list: &str) -> BotPatterns {
        let plain = list.lines().filter_map(word);
        let patterns = list.lines().filter(|pattern| word(pattern).is_none());
        let regex = |pattern| RegexBuilder::new(pattern).dfa_size_limit(64 << 10).build().expect("the list is tested");
        BotPatterns {
            words: AhoCorasick::new(plain).expect("the list is tested"),
            patterns: patterns.map(regex).collect(),
            bot_words: AhoCorasick::builder().ascii_case_insensitive(true).build(BOT_WORDS).expect("a constant"),
        }
    }

    fn is_match(&self, text: &str) -> bool {
        text.is_empty()
            || self.words.is_match(text)
            || self
                .bot_words
                .find_iter(text)
                .any(|found| found.pattern().as_usize() > 0 || ends_in_bot(text, found.range()))
            || LIBRARIES.iter().any(|library| starts_with(text, library))
            || self.patterns.iter().any(|pattern| pattern.is_match(text))
    }
}

/// Whether a `bot` is the end of a word. `Cubot` makes phones.
fn ends_in_bot(text: &str, bot: Range<usize>) -> bool {
    let before = &text.as_bytes()[..bot.start];
    let phone = before.len() >= 2 && before[before.len() - 2..].eq_ignore_ascii_case(b"cu");
    !phone && !text.as_bytes().get(bot.end).is_some_and(u8::is_ascii_alphabetic)
}

/// Whether a text starts with a word, in any case.
fn starts_with(text: &str, word: &str) -> bool {
    let (text, length) = (text.as_bytes(), word.len());
    text.get(..length).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        && !text.get(length).is_some_and(u8::is_ascii_alphanumeric)
}

/// The text that a pattern stands for, if it stands for one.
fn word(pattern: &str) -> Option<String> {
    let mut characters = pattern.chars();
    let mut word = String::with_capacity(pattern.len());
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.push(characters.next().filter(char::is_ascii_punctuation)?),
            '.' | '^' | '$' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' => return None,
            plain => word.push(plain),
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor_time::processor_time;
    use std::sync::LazyLock;
    use std::time::Duration;

    static AGENTS: LazyLock<UserAgents> = LazyLock::new(UserAgents::new);

    /// `expect`: device, browser, system, with `-` for none, and the browser's name.
    fn check(expect: &str, text: &str) {
        let UserAgent { device, browser, os, browser_name, is_bot, .. } = AGENTS.parse(text);
        let [device, browser, os] = [device, browser, os].map(|word| word.unwrap_or("-"));
        let shown = format!("{device} {browser} {os}: {}", browser_name.as_deref().unwrap_or("-"));
        assert_eq!(shown, expect, "{text}");
        assert!(!is_bot, "{text}");
    }

    #[test]
    fn browsers_of_desktops() {
        for (expect, text) in [
            (
                "desktop chrome windows: Chrome",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
            ),
            (
                "desktop chrome macOS: Chrome",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
            ),
            (
                "desktop chrome linux: Chrome",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
            ),
            (
                "desktop chrome chromeOS: Chrome",
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
            ),
            (
                "desktop chrome linux: Chromium",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/80.0.3987.87 Chrome/80.0.3987.87 Safari/537.36",
            ),
            (
                "desktop safari macOS: Safari",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
            ),
            (
                "desktop firefox windows: Firefox",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
            ),
            (
                "desktop firefox macOS: Firefox",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
            ),
            (
                "desktop firefox linux: Firefox",
                "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            ),
            ("desktop firefox -: Firefox", "Mozilla/5.0 (X11; FreeBSD amd64; rv:140.0) Gecko/20100101 Firefox/140.0"),
            (
                "desktop edge windows: Edge",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
            ),
            (
                "desktop edge macOS: Edge",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
            ),
            (
                "desktop edge windows: Edge",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.102 Safari/537.36 Edge/18.19042",
            ),
            (
                "desktop opera windows: Opera",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/126.0.0.0",
            ),
            ("desktop opera windows: Opera", "Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18"),
            ("desktop ie windows: IE", "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko"),
            (
                "desktop ie windows: IE",
                "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; SLCC2; Tablet PC 2.0)",
            ),
            (
                "desktop chrome windows: Chrome",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Touch; Tablet PC 2.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
            ),
            (
                "desktop - windows: Vivaldi",
                "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.104 Safari/537.36 Vivaldi/4.3.2439.39",
            ),
            (
                "desktop - windows: Yandex Browser",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 YaBrowser/25.10.0.0 Safari/537.36",
            ),
            (
                "desktop - windows: Whale",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Whale/4.33.325.17 Safari/537.36",
            ),
            (
                "desktop - linux: Samsung Internet",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36",
            ),
            (
                "desktop - linux: Epiphany",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15 Epiphany/605.1.15",
            ),
        ] {
            check(expect, text);
        }
    }

    #[test]
    fn browsers_of_phones() {
        for (expect, text) in [
            (
                "mobile chrome android: Chrome Mobile",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
            ),
            (
                "mobile chrome android: Chrome Mobile",
                "Mozilla/5.0 (Linux; Android 8.1.0; CUBOT_X18_Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0.4515.159 Mobile Safari/537.36",
            ),
            (
                "mobile chrome ios: Chrome Mobile iOS",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0.7499.38 Mobile/15E148 Safari/604.1",
            ),
            (
                "mobile safari ios: Mobile Safari",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1",
            ),
            (
                "mobile firefox android: Firefox Mobile",
                "Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0",
            ),
            (
                "mobile firefox ios: Firefox iOS",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/605.1.15",
            ),
            (
                "mobile edge android: Edge Mobile",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36 EdgA/143.0.0.0",
            ),
            (
                "mobile edge ios: Edge Mobile",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 EdgiOS/143.0.3650.35 Mobile/15E148 Safari/604.1",
            ),
            (
                "mobile opera android: Opera Mobile",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 OPR/94.0.0.0",
            ),
            (
                "mobile opera android: Opera Mini",
                "Opera/9.80 (Android; Opera Mini/36.2.2254/191.256; U; en) Presto/2.12.423 Version/12.16",
            ),
            (
                "mobile ie -: IE Mobile",
                "Mozilla/5.0 (compatible; MSIE 10.0; Windows Phone 8.0; Trident/6.0; IEMobile/10.0; ARM; Touch; NOKIA; Lumia 920)",
            ),
            (
                "mobile - android: Samsung Internet",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
            ),
            (
                "mobile - android: UC Browser",
                "Mozilla/5.0 (Linux; U; Android 13; en-US; RMX3771 Build/TP1A.220905.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.7.8.1322 Mobile Safari/537.36",
            ),
            (
                "mobile - android: MiuiBrowser",
                "Mozilla/5.0 (Linux; U; Android 13; en-us; 2201117TG Build/TKQ1.221114.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/112.0.5615.136 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.8.0-gn",
            ),
            (
                "mobile - android: DuckDuckGo Mobile",
                "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.0.0 Mobile DuckDuckGo/5 Safari/537.36",
            ),
        ] {
            check(expect, text);
        }
    }

    #[test]
    fn tablets() {
        for (expect, text) in [
            (
                "tablet safari ios: Mobile Safari",
                "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
            ),
            (
                "tablet chrome ios: Chrome Mobile iOS",
                "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0.7499.38 Mobile/15E148 Safari/604.1",
            ),
            (
                "tablet chrome android: Chrome",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
            ),
            (
                "tablet firefox android: Firefox Mobile",
                "Mozilla/5.0 (Android 15; Tablet; rv:145.0) Gecko/145.0 Firefox/145.0",
            ),
            (
                "tablet - android: Samsung Internet",
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36",
            ),
            (
                "tablet - android: Amazon Silk",
                "Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/140.4.1 like Chrome/140.0.7339.207 Safari/537.36",
            ),
            (
                "tablet - android: Amazon Silk",
                "Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/120.1.1 like Chrome/120.0.6099.43 Mobile Safari/537.36",
            ),
        ] {
            check(expect, text);
        }
    }

    #[test]
    fn pages_in_apps_are_the_apps() {
        for (expect, text) in [
            (
                "mobile - ios: Facebook",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22H20 [FBAN/FBIOS;FBAV/540.0.0.33.75;FBBV/811111111;FBDV/iPhone17,1;FBMD/iPhone;FBSN/iOS;FBSV/18.7;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]",
            ),
            (
                "mobile - android: Facebook",
                "Mozilla/5.0 (Linux; Android 15; SM-S921B Build/AP3A.240905.015; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.7499.34 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/540.0.0.1.76;]",
            ),
            (
                "mobile - ios: Instagram",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 408.0.0.25.94 (iPhone17,1; iOS 18_7; en_US; en; scale=3.00; 1206x2622; 811111111)",
            ),
            (
                "mobile - ios: Google",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/397.0.836500703 Mobile/15E148 Safari/604.1",
            ),
            (
                "mobile - android: Chrome Mobile WebView",
                "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.7499.34 Mobile Safari/537.36",
            ),
            (
                "mobile - ios: Mobile Safari UI/WKWebView",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
            ),
            (
                "mobile - ios: Snapchat",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.7 Mobile/15E148 Snapchat/13.67.0.41 (like Safari/8622.1.22, panda)",
            ),
            (
                "mobile - ios: Pinterest",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]",
            ),
            (
                "mobile - ios: LINE",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/15.18.0",
            ),
        ] {
            check(expect, text);
        }
    }

    #[test]
    fn harmony_names_its_device() {
        for (kind, device) in [("Phone", "mobile"), ("Tablet", "tablet"), ("PC", "desktop")] {
            let text =
                format!("Mozilla/5.0 ({kind}; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) ArkWeb/4.1.6.1");
            assert_eq!(AGENTS.parse(&text).device, Some(device), "{text}");
        }
    }

    #[test]
    fn a_television_is_no_kind_of_device() {
        for text in [
            "Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
            "Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/7.1 Chrome/108.0.5359.1 TV Safari/537.36",
            "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36 WebAppManager",
            "Mozilla/5.0 (Linux; Android 11; AFTKA) AppleWebKit/537.36 (KHTML, like Gecko) Silk/140.4.1 like Chrome/140.0.7339.207 Safari/537.36",
            "Mozilla/5.0 (PlayStation; PlayStation 5/8.20) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15",
        ] {
            let agent = AGENTS.parse(text);
            assert_eq!((agent.device, agent.is_bot), (None, false), "{text}");
        }
    }

    #[test]
    fn bots() {
        for text in [
            "",
            "   ",
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.7499.40 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "AdsBot-Google (+http://www.google.com/adsbot.html)",
            "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
            "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
            "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
            "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "Twitterbot/1.0",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
            "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36",
            "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse",
            "Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1",
            "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
            "curl/8.17.0",
            "Wget/1.25.0",
            "python-requests/2.32.5",
            "Python/3.14 aiohttp/3.13.2",
            "Go-http-client/2.0",
            "okhttp/5.3.0",
            "Java/21.0.9",
            "axios/1.13.2",
            "node",
            "PostmanRuntime/7.49.1",
            // On no list, and yet clear.
            "Mozilla/5.0 (compatible; ExampleNewBot/1.0)",
            "Mozilla/5.0 (compatible; Somebody; +https://example.com/about)",
            "ACME-CRAWLER 3",
        ] {
            assert!(AGENTS.parse(text).is_bot, "{text}");
        }
    }

    #[test]
    fn every_pattern_of_the_list_is_looked_for() {
        let list = include_str!("lists/crawlers.txt");
        let patterns: Vec<_> = list.lines().collect();
        let words: Vec<_> = patterns.iter().filter_map(|pattern| word(pattern)).collect();
        assert!(
            patterns.len() > 1_000 && words.len() * 10 > patterns.len() * 9,
            "{} of {}",
            words.len(),
            patterns.len()
        );
        let bots = BotPatterns::build(list);
        for word in &words {
            assert!(bots.is_match(&format!("Mozilla/5.0 ({word})")), "{word}");
        }
        for (pattern, expect) in [
            (r"Googlebot\/", Some("Googlebot/")),
            (r"a\.b\-c", Some("a.b-c")),
            (r"\d", None),
            (r"a\", None),
            ("[wW]get", None),
            ("^curl", None),
            ("a.b", None),
        ] {
            assert_eq!(word(pattern).as_deref(), expect, "{pattern}");
        }
    }

    #[test]
    fn names_and_versions_are_kept() {
        let agent = AGENTS.parse("Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0");
        assert_eq!((agent.browser_major, agent.os_name.as_deref()), (Some(145), Some("Ubuntu")));
        // A family may be text of the header.
        let long = AGENTS.parse(&format!("Some{}Thing/1.0 CFNetwork/1 Darwin/1", "e".repeat(180)));
        assert!(long.browser_name.is_none_or(|name| name.len() <= LONGEST_NAME));
        let nothing = AGENTS.parse("a program of mine");
        assert_eq!(nothing, UserAgent::default());
    }

    #[test]
    fn hostile_texts_are_read_quickly() {
        AGENTS.warm();
        let words =
            "Mozilla/5.0 (Android; iPhone; Windows NT; CrOS; Linux) Chrome/1 Safari/1 Firefox/1 Version/1 Bot/1 ";
        for text in [
            "a".repeat(1 << 20),
            "A1".repeat(1 << 19),
            "\u{1F600}".repeat(1 << 18),
            "\0\u{1}\r\n\t\u{7f}".repeat(1 << 17),
            " ".repeat(1 << 20),
            "(".repeat(1 << 20),
            "Mozilla/5.0 (".repeat(1 << 16),
            words.repeat(1 << 13),
            format!("{}Googlebot/2.1", "x".repeat(LONGEST)),
        ] {
            let started = processor_time();
            let agent = AGENTS.parse(&text);
            let took = processor_time() - started;
            assert!(took < Duration::from_secs(5), "{took:?}: {text:.60}");
            assert!(agent.browser_name.is_none_or(|name| !name.contains(char::is_control)));
            AGENTS.parse_bytes(&text.as_bytes()[1..]);
        }
        for bytes in [&b"\xff\xfe\xfd"[..], b"Mozilla/5.0 \xc3", b"\x80".repeat(1 << 20).as_slice()] {
            AGENTS.parse_bytes(bytes);
        }
    }

    #[test]
    fn what_is_cached_is_bounded() {
        let agents = UserAgents::new();
        for i in 0..2 * CAPACITY {
            agents.parse(&format!("program {i}"));
        }
        assert!(agents.cached.weight() <= agents.cached.capacity());
        assert!(agents.cached.len() > CAPACITY / 2);
        assert_eq!(agents.parse("program 1"), agents.parse("program 1"));
    }
}
