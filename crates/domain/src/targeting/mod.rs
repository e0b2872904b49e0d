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

/// Hands every rule of an audience to the macro `$with`, in the order in which they are
/// published. This is the one list of them: the types of this module, the reader of
/// requests and the contract's schema are made from it.
///
/// An entry is a sentence for the contract, the rule's key and its type here, and then how
/// the interface publishes it: the function that reads it from a request, its shape in the
/// contract's names, and whether null stands for none. A rule that is left out has its type's
/// default, which restricts nothing.
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
            /// What the visitor did before: all of the entries.
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
        /// The keys of [`Audience`], in their order.
        pub const AUDIENCE_KEYS: &[&str] = &[$(stringify!($rule)),*];

        /// Rules that an experiment or a personalization variant can have. A visitor has to
        /// satisfy all of them; an empty rule is satisfied by everybody. In a rule of groups,
        /// all groups have to hold, and of a group any condition.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Audience {
            $($(#[doc = $doc])* pub $rule: $type,)*
        }

        /// [`Targeting`] as it is written, for reading it: serde reads a flattened field by
        /// way of a buffer of the whole object, which took a tenth of the time of a PATCH.
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

        /// Changes to an audience: a rule that is `None` stays as it is, one that is `Some` replaces
        /// the whole rule. There is no change inside a rule.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct AudiencePatch {
            $(#[doc = concat!("See [`Audience::", stringify!($rule), "`].")] pub $rule: Option<$type>,)*
        }

        impl AudiencePatch {
            /// The audience after this patch.
            pub fn apply(self, before: &Audience) -> Audience {
                Audience { $($rule: self.$rule.unwrap_or_else(|| before.$rule.clone()),)* }
            }
        }
    };
}
audience_rules!(audience_types);

/// An experiment's targeting: an audience, and the pages on which it runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "FlatTargeting")]
pub struct Targeting {
    /// Which visitors.
    #[serde(flatten)]
    pub audience: Audience,
    /// On which pages. An exclusion beats an inclusion.
    pub url_rule: Vec<UrlRule>,
}

/// Changes to an experiment's targeting, rule by rule.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetingPatch {
    /// Changes of the audience.
    pub audience: AudiencePatch,
    /// The new list of pages; `None` keeps the old one.
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
