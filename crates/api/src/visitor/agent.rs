//! What a `User-Agent` header says.
//!
//! Browsers and systems are told apart by the rules of uap-core, crawlers by
//! the patterns of crawler-user-agents; `lists/` has both. What kind of device
//! it is follows from few words that browsers have agreed on.
//!
//! An iPad says that it is a Mac. Only a script on the page can tell.

use std::fmt;
use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use regex::RegexSet;
use serde::Deserialize;
use ua_parser::{os, user_agent};

/// How many bytes of a user agent are read. Those of browsers have 100 to 400.
pub const LONGEST: usize = 1_024;
/// How many bytes of a name are kept: some names are taken from the header as they stand there.
const LONGEST_NAME: usize = 64;
/// How many user agents are remembered, if of common length.
const REMEMBERED: usize = 10_000;
/// Bytes that remembering one costs beside its text.
const OVERHEAD: u64 = 128;

/// What a user agent is. Cheap to clone.
///
/// The default is one of which nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    /// `desktop`, `mobile` or `tablet`. A television is none of them.
    pub device: Option<&'static str>,
    /// `chrome`, `safari`, `firefox`, `edge`, `ie` or `opera`.
    pub browser: Option<&'static str>,
    /// `windows`, `macOS`, `linux`, `chromeOS`, `ios` or `android`.
    pub os: Option<&'static str>,
    /// What the browser is called, as `Samsung Internet`: also one without a word above.
    pub browser_name: Option<Arc<str>>,
    /// The first number of the browser's version.
    pub browser_major: Option<u32>,
    /// What the system is called, as `Ubuntu`.
    pub os_name: Option<Arc<str>>,
    /// Whether it is a program and not a person that asks.
    pub is_bot: bool,
}

/// Reads user agents, and remembers those that it has read.
pub struct Agents {
    rules: OnceLock<Rules>,
    remembered: Cache<Box<str>, Agent, ByLength>,
}

#[derive(Clone)]
struct ByLength;

impl Weighter<Box<str>, Agent> for ByLength {
    fn weight(&self, text: &Box<str>, _: &Agent) -> u64 {
        text.len() as u64 + OVERHEAD
    }
}

impl Agents {
    /// A reader that builds its rules when it is asked first.
    pub fn new() -> Agents {
        let common = 140 + OVERHEAD;
        Agents {
            rules: OnceLock::new(),
            remembered: Cache::with_weighter(REMEMBERED, REMEMBERED as u64 * common, ByLength),
        }
    }

    /// Builds the rules: some 40 ms of work and 12 MiB, which the first reader
    /// pays for otherwise.
    pub fn warm(&self) {
        self.rules();
    }

    fn rules(&self) -> &Rules {
        self.rules.get_or_init(Rules::build)
    }

    /// What a user agent is. Never fails; of a text that says nothing, nothing is known.
    pub fn read(&self, user_agent: &str) -> Agent {
        let text = cut(user_agent.trim(), LONGEST);
        match self.remembered.get(text) {
            Some(agent) => agent,
            None => {
                let agent = self.rules().read(text);
                self.remembered.insert(text.into(), agent.clone());
                agent
            }
        }
    }

    /// As [`read`](Self::read), of a header's bytes. They are UTF-8 if the client is well-behaved.
    pub fn read_bytes(&self, user_agent: &[u8]) -> Agent {
        match str::from_utf8(user_agent) {
            Ok(text) => self.read(text),
            Err(_) => self.read(&String::from_utf8_lossy(&user_agent[..user_agent.len().min(LONGEST)])),
        }
    }
}

impl Default for Agents {
    fn default() -> Agents {
        Agents::new()
    }
}

impl fmt::Debug for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agents").field("remembered", &self.remembered.len()).finish_non_exhaustive()
    }
}

/// The longest start of a text that has at most so many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

struct Rules {
    browsers: user_agent::Extractor<'static>,
    systems: os::Extractor<'static>,
    bots: Bots,
}

impl Rules {
    /// The lists are part of the program: that they can be built is a matter of its tests.
    fn build() -> Rules {
        #[derive(Deserialize)]
        struct Lists {
            user_agent_parsers: Vec<user_agent::Parser<'static>>,
            os_parsers: Vec<os::Parser<'static>>,
        }

        let lists: Lists = serde_json::from_str(include_str!("lists/browsers.json")).expect("the list is tested");
        let browsers = user_agent::Builder::new().push_all(lists.user_agent_parsers).expect("the list is tested");
        let systems = os::Builder::new().push_all(lists.os_parsers).expect("the list is tested");
        Rules {
            browsers: browsers.build().expect("the list is tested"),
            systems: systems.build().expect("the list is tested"),
            bots: Bots::build(include_str!("lists/crawlers.txt")),
        }
    }

    fn read(&self, text: &str) -> Agent {
        let browser = self.browsers.extract(text);
        let system = self.systems.extract(text);
        let browser_name = browser.as_ref().and_then(|browser| name(&browser.family));
        let os_name = system.as_ref().and_then(|system| name(&system.os));
        let os = os_name.and_then(os_word);
        Agent {
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

/// The word for a browser of uap-core. One that an app shows pages in is the
/// app's, whatever engine is in it: Facebook's is neither Safari nor Chrome.
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

/// Words of televisions, consoles and boxes beside them.
const SCREENS: [&str; 19] = [
    "TV",
    "Web0S",
    "NetCast",
    "BRAVIA",
    "CrKey",
    "AFTB",
    "AFTM",
    "AFTS",
    "AFTT",
    "AFTN",
    "AFTK",
    "AFTA",
    "AFTR",
    "Roku",
    "PlayStation",
    "PLAYSTATION",
    "Xbox",
    "Nintendo",
    "Android Automotive",
];
/// Words of tablets that say `Mobile` as well, or did: Amazon's, Samsung's and Google's.
const TABLETS: [&str; 11] =
    ["Tablet", "SM-T", "SM-X", "SM-P", "GT-P", "Nexus 7", "Nexus 9", "Nexus 10", "Pixel C", "Lenovo TB", "Kindle"];

/// What kind of device a user agent is of.
///
/// By agreement a browser on Android says `Mobile` on a phone and not on a
/// tablet.
fn device(text: &str, os: Option<&str>, os_name: Option<&str>) -> Option<&'static str> {
    let says = |word: &str| text.contains(word);
    let android = os == Some("android") || says("Android");
    if SCREENS.iter().any(|word| says(word)) {
        return None;
    }
    if says("iPad") || says("PlayBook") || (android && (TABLETS.iter().any(|word| says(word)) || fire_tablet(text))) {
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

/// Amazon's tablets have model names as `KFTRWI`.
fn fire_tablet(text: &str) -> bool {
    let model =
        |word: &str| word.len() >= 4 && word.starts_with("KF") && word.bytes().all(|byte| byte.is_ascii_uppercase());
    text.split([' ', ';', ')', '/']).any(model)
}

/// The patterns of crawlers, and what no list needs to name.
struct Bots {
    words: AhoCorasick,
    patterns: RegexSet,
}

/// What crawlers that nobody has listed yet have in common: what they call
/// themselves, or the address of a page about them. `cubot` makes phones.
const TELLING: [&str; 5] = [
    r"(?i:(?:^|[^u]|(?:^|[^c])u)bot(?:[^a-z]|$))",
    r"(?i:crawl|spider|scraper|headless|phantomjs|selenium|puppeteer|playwright)",
    r"(?i:\+\s?https?://)",
    // Libraries, and what runs scripts.
    r"(?i:^(?:curl|wget|libcurl|python|java/|go-http-client|ruby|perl|php|node|deno|bun|got|undici|axios)(?-u:\b))",
    r"(?i:^(?:okhttp|reqwest|ureq|hyper|guzzle|faraday|httpie|postmanruntime|insomnia|apache-httpclient|k6|wrk)(?-u:\b))",
];

impl Bots {
    /// Most patterns are plain words with some escapes: all of those are looked
    /// for in one pass, and few are left that need more.
    fn build(list: &str) -> Bots {
        let mut words = Vec::new();
        let mut patterns = TELLING.map(str::to_owned).to_vec();
        for pattern in list.lines() {
            match word(pattern) {
                Some(word) => words.push(word),
                None => patterns.push(pattern.to_owned()),
            }
        }
        Bots {
            words: AhoCorasick::new(words).expect("the list is tested"),
            patterns: RegexSet::new(patterns).expect("the list is tested"),
        }
    }

    fn is_match(&self, text: &str) -> bool {
        text.is_empty() || self.words.is_match(text) || self.patterns.is_match(text)
    }
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
