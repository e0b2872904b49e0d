//! Targeting: the rules that decide whether a visitor is eligible.
//!
//! An absent rule restricts nothing. Lists keep their order, and values keep their spelling, so a
//! client reads back what it sent. `assign` compiles the rules for decisions. The values here have
//! been checked, so compiling them succeeds.

mod rules;

pub use rules::*;

use crate::Problems;
use serde::{Deserialize, Serialize};

/// Maximum number of entries in a rule, and in a group.
pub const ENTRIES_MAX: usize = 100;

/// Passes every rule of an audience to the macro `$with`, in the order in which they are published.
/// This is the only list of the rules: the types of this module, the request reader and the
/// contract's schema are generated from it.
///
/// An entry consists of a description for the contract, the rule's key, its type here, and how the
/// interface publishes it: the function that reads it from a request, its shape in the contract's
/// names, and whether null means that it is absent. An omitted rule has its type's default, which
/// restricts nothing.
#[macro_export]
macro_rules! audience_rules {
    ($with:ident) => {
        $with! {
            /// Where the visitor came from; criteria `host`, `url` or `source`.
            referral_rule: Groups<Condition> => referral_groups [Vec<Vec<Condition>>] nullable false;
            /// Countries.
            allowed_country: Vec<Country> => countries [Vec<Country>] nullable false;
            /// Regions, such as `California (US)`.
            allowed_region: Vec<PlaceRule> => places [Vec<Place>] nullable false;
            /// Cities, such as `Berlin (Berlin)`.
            allowed_city: Vec<PlaceRule> => places [Vec<Place>] nullable false;
            /// Kinds of device.
            device_rule: Vec<String> => devices [Vec<Device>] nullable false;
            /// Browsers.
            browser_rule: Vec<String> => browsers [Vec<Browser>] nullable false;
            /// Operating systems.
            os_rule: Vec<String> => systems [Vec<System>] nullable false;
            /// `new` or `returning`, alone or as a list of one.
            user_rule: UserRule => user_rule [UserRule] nullable false;
            /// Language tags; `en` matches `en-GB`.
            browser_language_rule: Vec<String> => language_tags [Vec<String>] nullable false;
            /// The visitor's attributes.
            segment_rule: Groups<Condition> => groups [Vec<Vec<Condition>>] nullable false;
            /// Earlier events of the visitor; all entries have to match.
            event_rule: Vec<EventRule> => event_rules [Vec<EventRule>] nullable false;
            /// Query parameters.
            parameter_rule: Groups<Condition> => groups [Vec<Vec<Condition>>] nullable false;
            /// Audiences that the page hands over: any of them.
            ga4_rule: Vec<String> => audience_names [Vec<String>] nullable false;
            /// Cookies; browser only.
            cookie_rule: Groups<Condition> => groups [Vec<Vec<Condition>>] nullable false;
            /// Hours of the week in the visitor's time; browser only.
            schedule_rule: Option<Schedule> => optional_schedule [Schedule] nullable true;
        }
    };
}

macro_rules! audience_types {
    ($(
        $(#[doc = $doc:literal])*
        $rule:ident: $type:ty => $read:ident [$($published:tt)*] nullable $nullable:tt;
    )*) => {
        /// Keys of [`Audience`], in the order of its fields.
        pub const AUDIENCE_KEYS: &[&str] = &[$(stringify!($rule)),*];

        /// Rules of an experiment or a personalization variant. A visitor has to match all of them;
        /// an empty rule matches everybody. In a rule with groups, every group has to match, and a
        /// group matches when any of its conditions does.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Audience {
            $($(#[doc = $doc])* pub $rule: $type,)*
        }

        /// Deserialised form of [`Targeting`]. serde reads a flattened field through a buffer of
        /// the whole object, which took a tenth of the time of a PATCH request.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct FlatTargeting {
            $($rule: $type,)*
            url_rule: Vec<UrlRule>,
        }

        impl From<FlatTargeting> for Targeting {
            fn from(flat: FlatTargeting) -> Self {
                Self { audience: Audience { $($rule: flat.$rule,)* }, url_rule: flat.url_rule }
            }
        }

        /// Changes to an audience: `None` keeps a rule, `Some` replaces the whole rule.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct AudiencePatch {
            $(#[doc = concat!("See [`Audience::", stringify!($rule), "`].")] pub $rule: Option<$type>,)*
        }

        impl AudiencePatch {
            /// Returns the audience after this patch.
            pub fn apply(self, before: &Audience) -> Audience {
                Audience { $($rule: self.$rule.unwrap_or_else(|| before.$rule.clone()),)* }
            }
        }
    };
}
audience_rules!(audience_types);

/// Targeting of an experiment: an audience, and the pages on which the experiment runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "FlatTargeting")]
pub struct Targeting {
    /// Visitors who are eligible.
    #[serde(flatten)]
    pub audience: Audience,
    /// Pages on which the experiment runs. An exclusion overrides an inclusion.
    pub url_rule: Vec<UrlRule>,
}

/// Changes to an experiment's targeting, rule by rule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetingPatch {
    /// Changes to the audience.
    pub audience: AudiencePatch,
    /// New list of pages; `None` keeps the old one.
    pub url_rule: Option<Vec<UrlRule>>,
}

impl TargetingPatch {
    /// Returns the targeting after this patch.
    pub fn apply(self, before: &Targeting) -> Targeting {
        Targeting {
            audience: self.audience.apply(&before.audience),
            url_rule: self.url_rule.unwrap_or_else(|| before.url_rule.clone()),
        }
    }
}

/// Checks that each word is one of `known`. An empty list passes.
///
/// # Errors
/// Each unknown word, with its place.
pub fn words(words: Vec<String>, known: &[&str]) -> Result<Vec<String>, Problems> {
    let mut problems = Problems::default();
    for (index, word) in words.iter().enumerate() {
        if !known.contains(&word.as_str()) {
            problems.add(format!("[{index}]"), format!("must be one of {}", known.join(", ")));
        }
    }
    problems.none_or(words)
}
