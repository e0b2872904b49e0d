//! Targeting: whether a visitor is eligible.
//!
//! A rule that is absent restricts nothing. Lists keep the order in which they
//! were sent, and values the spelling, so that what is read back is what was
//! written. Compiling rules into something that decides is `assign`'s work;
//! what is here has been checked and can be compiled.

mod rules;

pub use rules::*;

use crate::Problems;
use serde::{Deserialize, Serialize};

/// Most entries of one rule, and of one group.
pub const ENTRIES_MAX: usize = 100;

/// Rules that an experiment or a personalization variant can have.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Audience {
    /// Where the visitor came from: all of the groups, any of a group.
    pub referral_rule: Groups<Condition>,
    /// Countries let in or kept out.
    pub allowed_country: Vec<Country>,
    /// Regions let in or kept out.
    pub allowed_region: Vec<Place>,
    /// Cities let in or kept out.
    pub allowed_city: Vec<Place>,
    /// Kinds of device.
    pub device_rule: Vec<String>,
    /// Browsers.
    pub browser_rule: Vec<String>,
    /// Operating systems.
    pub os_rule: Vec<String>,
    /// New or returning visitors.
    pub user_rule: UserRule,
    /// Language tags; `en` matches `en-GB`.
    pub browser_language_rule: Vec<String>,
    /// The visitor's attributes: all of the groups, any of a group.
    pub segment_rule: Groups<Condition>,
    /// What the visitor did before: all of the entries.
    pub event_rule: Vec<EventRule>,
    /// Query parameters: all of the groups, any of a group.
    pub parameter_rule: Groups<Condition>,
    /// Audiences that the page hands over: any of them.
    pub ga4_rule: Vec<String>,
    /// Cookies: all of the groups, any of a group. Browser only.
    pub cookie_rule: Groups<Condition>,
    /// Hours of the week in the visitor's time. Browser only.
    pub schedule_rule: Option<Schedule>,
}

/// An experiment's targeting: an audience, and the pages on which it runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Flat")]
pub struct Targeting {
    /// Whom.
    #[serde(flatten)]
    pub audience: Audience,
    /// Where. An exclusion beats an inclusion.
    pub url_rule: Vec<UrlRule>,
}

/// [`Targeting`] as it is written, for reading it: a flattened field is read by
/// way of a buffer of everything, which took a tenth of a PATCH.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Flat {
    referral_rule: Groups<Condition>,
    allowed_country: Vec<Country>,
    allowed_region: Vec<Place>,
    allowed_city: Vec<Place>,
    device_rule: Vec<String>,
    browser_rule: Vec<String>,
    os_rule: Vec<String>,
    user_rule: UserRule,
    browser_language_rule: Vec<String>,
    segment_rule: Groups<Condition>,
    event_rule: Vec<EventRule>,
    parameter_rule: Groups<Condition>,
    ga4_rule: Vec<String>,
    cookie_rule: Groups<Condition>,
    schedule_rule: Option<Schedule>,
    url_rule: Vec<UrlRule>,
}

impl From<Flat> for Targeting {
    fn from(flat: Flat) -> Self {
        Self {
            audience: Audience {
                referral_rule: flat.referral_rule,
                allowed_country: flat.allowed_country,
                allowed_region: flat.allowed_region,
                allowed_city: flat.allowed_city,
                device_rule: flat.device_rule,
                browser_rule: flat.browser_rule,
                os_rule: flat.os_rule,
                user_rule: flat.user_rule,
                browser_language_rule: flat.browser_language_rule,
                segment_rule: flat.segment_rule,
                event_rule: flat.event_rule,
                parameter_rule: flat.parameter_rule,
                ga4_rule: flat.ga4_rule,
                cookie_rule: flat.cookie_rule,
                schedule_rule: flat.schedule_rule,
            },
            url_rule: flat.url_rule,
        }
    }
}

/// Changes to an audience, a rule each: `None` keeps what is there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AudiencePatch {
    /// See [`Audience::referral_rule`].
    pub referral_rule: Option<Groups<Condition>>,
    /// See [`Audience::allowed_country`].
    pub allowed_country: Option<Vec<Country>>,
    /// See [`Audience::allowed_region`].
    pub allowed_region: Option<Vec<Place>>,
    /// See [`Audience::allowed_city`].
    pub allowed_city: Option<Vec<Place>>,
    /// See [`Audience::device_rule`].
    pub device_rule: Option<Vec<String>>,
    /// See [`Audience::browser_rule`].
    pub browser_rule: Option<Vec<String>>,
    /// See [`Audience::os_rule`].
    pub os_rule: Option<Vec<String>>,
    /// See [`Audience::user_rule`].
    pub user_rule: Option<UserRule>,
    /// See [`Audience::browser_language_rule`].
    pub browser_language_rule: Option<Vec<String>>,
    /// See [`Audience::segment_rule`].
    pub segment_rule: Option<Groups<Condition>>,
    /// See [`Audience::event_rule`].
    pub event_rule: Option<Vec<EventRule>>,
    /// See [`Audience::parameter_rule`].
    pub parameter_rule: Option<Groups<Condition>>,
    /// See [`Audience::ga4_rule`].
    pub ga4_rule: Option<Vec<String>>,
    /// See [`Audience::cookie_rule`].
    pub cookie_rule: Option<Groups<Condition>>,
    /// See [`Audience::schedule_rule`].
    pub schedule_rule: Option<Option<Schedule>>,
}

impl AudiencePatch {
    /// The audience after this patch.
    pub fn apply(self, before: &Audience) -> Audience {
        fn or<T: Clone>(sent: Option<T>, kept: &T) -> T {
            sent.unwrap_or_else(|| kept.clone())
        }
        Audience {
            referral_rule: or(self.referral_rule, &before.referral_rule),
            allowed_country: or(self.allowed_country, &before.allowed_country),
            allowed_region: or(self.allowed_region, &before.allowed_region),
            allowed_city: or(self.allowed_city, &before.allowed_city),
            device_rule: or(self.device_rule, &before.device_rule),
            browser_rule: or(self.browser_rule, &before.browser_rule),
            os_rule: or(self.os_rule, &before.os_rule),
            user_rule: or(self.user_rule, &before.user_rule),
            browser_language_rule: or(self.browser_language_rule, &before.browser_language_rule),
            segment_rule: or(self.segment_rule, &before.segment_rule),
            event_rule: or(self.event_rule, &before.event_rule),
            parameter_rule: or(self.parameter_rule, &before.parameter_rule),
            ga4_rule: or(self.ga4_rule, &before.ga4_rule),
            cookie_rule: or(self.cookie_rule, &before.cookie_rule),
            schedule_rule: or(self.schedule_rule, &before.schedule_rule),
        }
    }
}

/// Changes to an experiment's targeting.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetingPatch {
    /// Whom.
    pub audience: AudiencePatch,
    /// Where.
    pub url_rule: Option<Vec<UrlRule>>,
}

impl TargetingPatch {
    /// The targeting after this patch.
    pub fn apply(self, before: &Targeting) -> Targeting {
        Targeting {
            audience: self.audience.apply(&before.audience),
            url_rule: self.url_rule.unwrap_or_else(|| before.url_rule.clone()),
        }
    }
}

/// A list of `words`, each one of `known`.
///
/// # Errors
/// Each other word with its place, and more than 100 of them.
pub fn words(words: Vec<String>, known: &[&str]) -> Result<Vec<String>, Problems> {
    let mut problems = Problems::default();
    for (index, word) in words.iter().enumerate() {
        if !known.contains(&word.as_str()) {
            problems.add(format!("[{index}]"), format!("must be one of {}", known.join(", ")));
        }
    }
    problems.none_or(words)
}
