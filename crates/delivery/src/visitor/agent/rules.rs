//! Rules for browsers, operating systems and kinds of device.

use super::bots::BotPatterns;
use super::{UserAgent, cut};
use serde::Deserialize;
use std::sync::Arc;
use ua_parser::{os, user_agent};

/// Maximum length of a name in bytes. Some names are copied from the header.
pub(super) const LONGEST_NAME: usize = 64;

pub(super) struct ParserRules {
    browsers: user_agent::Extractor<'static>,
    systems: os::Extractor<'static>,
    bots: BotPatterns,
}

impl ParserRules {
    /// Parses the lists, which are compiled into the program. Tests prove that this succeeds.
    pub(super) fn build() -> ParserRules {
        #[derive(Deserialize)]
        struct Lists {
            user_agent_parsers: Vec<user_agent::Parser<'static>>,
            os_parsers: Vec<os::Parser<'static>>,
        }

        let lists: Lists = serde_json::from_str(include_str!("../lists/browsers.json")).expect("the list is tested");
        let browsers = user_agent::Builder::new().push_all(lists.user_agent_parsers).expect("the list is tested");
        let systems = os::Builder::new().push_all(lists.os_parsers).expect("the list is tested");
        ParserRules {
            browsers: browsers.build().expect("the list is tested"),
            systems: systems.build().expect("the list is tested"),
            bots: BotPatterns::build(include_str!("../lists/crawlers.txt")),
        }
    }

    pub(super) fn parse(&self, text: &str) -> UserAgent {
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

/// Maps a browser name of uap-core to a browser word. The browser within an app counts as the app's, whatever its
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

/// Maps a system name of uap-core to a system word.
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
/// Words of tablets that also have, or had, `Mobile` in their user agents: Amazon's, Samsung's and Google's.
const TABLETS: [&str; 11] =
    ["Tablet", "SM-T", "SM-X", "SM-P", "GT-P", "Nexus 7", "Nexus 9", "Nexus 10", "Pixel C", "Lenovo TB", "Kindle"];

/// Returns the kind of device of a user agent.
///
/// By convention a browser on Android has `Mobile` in its user agent on a phone and not on a
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
    // Windows lists its capabilities, as in "Tablet PC 2.0", so the operating system takes precedence over that word.
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

/// Returns whether a word is one of Amazon's models: its tablets have names such as `KFTRWI`,
/// its televisions such as `AFTKA`.
fn has_model(text: &str, start: &str) -> bool {
    let capitals = |rest: &str| rest.len() >= 2 && rest.bytes().all(|byte| byte.is_ascii_uppercase());
    text.split([' ', ';', ')', '/']).any(|word| word.strip_prefix(start).is_some_and(capitals))
}
