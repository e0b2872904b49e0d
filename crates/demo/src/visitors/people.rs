//! People who visit, with properties that stay the same from visit to visit.

use super::chance::Chance;
use crate::data::Project;

/// A visitor, always the same for the same seed, project and number.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) id: String,
    pub(super) country: &'static str,
    pub(super) language: &'static str,
    pub(super) agent: &'static Agent,
    /// Factor of their inclination to convert, compared with others.
    pub(super) keen: f64,
    /// Decides which of their exposures are lost; from 0 to below 1.
    pub(super) luck: f64,
    /// True when they have an account.
    pub(super) member: bool,
}

/// A browser on a device.
#[derive(Debug, PartialEq)]
pub(super) struct Agent {
    pub(super) device: &'static str,
    pub(super) browser: &'static str,
    pub(super) os: &'static str,
    pub(super) header: &'static str,
}

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 \
                      (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const IPAD: &str = "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                    Version/18.5 Mobile/15E148 Safari/604.1";
const ANDROID: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) \
                       Chrome/138.0.0.0 Mobile Safari/537.36";
const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                      Chrome/138.0.0.0 Safari/537.36";
const EDGE: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                    Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0";
const SAFARI: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 \
                      (KHTML, like Gecko) Version/18.5 Safari/605.1.15";
const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const LINUX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const fn agent(device: &'static str, browser: &'static str, os: &'static str, header: &'static str) -> Agent {
    Agent { device, browser, os, header }
}

static AGENTS: [(u32, Agent); 8] = [
    (26, agent("mobile", "safari", "ios", IPHONE)),
    (25, agent("mobile", "chrome", "android", ANDROID)),
    (20, agent("desktop", "chrome", "windows", CHROME)),
    (8, agent("desktop", "edge", "windows", EDGE)),
    (8, agent("desktop", "safari", "macOS", SAFARI)),
    (5, agent("desktop", "firefox", "linux", LINUX)),
    (4, agent("desktop", "firefox", "windows", FIREFOX)),
    (4, agent("tablet", "safari", "ios", IPAD)),
];

const COUNTRIES: [(u32, (&str, &str)); 11] = [
    (22, ("DE", "de-DE")),
    (18, ("SE", "sv-SE")),
    (16, ("NO", "nb-NO")),
    (8, ("AT", "de-AT")),
    (8, ("GB", "en-GB")),
    (7, ("CH", "de-CH")),
    (6, ("FI", "fi-FI")),
    (5, ("DK", "da-DK")),
    (5, ("NL", "nl-NL")),
    (3, ("FR", "fr-FR")),
    (2, ("US", "en-US")),
];

impl Person {
    pub(super) fn new(seed: u64, project: Project, number: u64) -> Self {
        let mut chance = Chance::of(&[seed, 1, project as u64, number]);
        let (country, language) = *chance.pick(&COUNTRIES);
        Self {
            id: format!("v-{:010x}", chance.below(1 << 40)),
            country,
            // One in ten uses English in any country.
            language: if chance.is(0.1) { "en-US" } else { language },
            agent: chance.pick(&AGENTS),
            keen: 0.4 + 1.2 * chance.share(),
            luck: chance.share(),
            member: chance.is(0.2),
        }
    }
}
