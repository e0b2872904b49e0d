//! The targeting of an experiment, and the audience of a variant.

use super::words::{Browser, CountryMode, Day, Device, Match, Operator, System, UrlMatch};
use muriel_domain::audience_rules;
use utoipa::ToSchema;

macro_rules! audience_schemas {
    ($(
        $(#[doc = $doc:literal])*
        $rule:ident: $type:ty => $read:ident [$($published:tt)*] nullable $nullable:tt;
    )*) => {
        /// For whom and where an experiment runs. What is left out or empty restricts nothing.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Targeting {
            $($(#[doc = $doc])* #[schema(nullable = $nullable)] $rule: Option<$($published)*>,)*
            /// Pages; an exclusion beats an inclusion.
            #[schema(nullable = false)]
            url_rule: Option<Vec<UrlRule>>,
        }

        /// For whom a personalization's variant is: an experiment's targeting but for `url_rule`.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Audience {
            $($(#[doc = $doc])* #[schema(nullable = $nullable)] $rule: Option<$($published)*>,)*
        }
    };
}
audience_rules!(audience_schemas);

/// An entry of a rule with groups: the outer list means all, the inner any.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Condition {
    /// What is looked at.
    #[schema(min_length = 1)]
    criteria: String,
    /// How it is compared.
    operator: Operator,
    /// With what, as text, also where it is a number (`"5"`). Ignored, and so null or left out, for `ex`, `nx`, `bt` and `bf`.
    #[schema(example = "5")]
    value: Option<String>,
}

/// A country let in or kept out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Country {
    /// Display name.
    #[schema(min_length = 1)]
    name: String,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Z]{2}$")]
    code: String,
    /// In or out.
    rule: CountryMode,
}

/// A region or a city let in or kept out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// Its name.
    #[schema(min_length = 1)]
    name: String,
    /// In or out.
    rule: Match,
}

/// `new` or `returning`, alone or as a list of one.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum UserRule {
    /// The word.
    Word(String),
    /// The word in a list; empty for no restriction.
    List(Vec<String>),
}

/// What a visitor must, or must not, have done before.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventRule {
    /// Must or must not.
    rule: Match,
    /// Name of the event.
    #[schema(min_length = 1)]
    name: String,
    /// Conditions on it: any of the groups, all of a group.
    attributes: Vec<Vec<AttributeCondition>>,
    /// How often at least; 1 unless given.
    #[schema(nullable = false, minimum = 1, default = 1)]
    min_count: Option<i64>,
    /// Within how many days; 0, for ever, unless given.
    #[schema(nullable = false, minimum = 0, default = 0)]
    timeframe_days: Option<i64>,
}

/// A condition on an event's attribute.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeCondition {
    /// The attribute.
    #[schema(min_length = 1)]
    key: String,
    /// How it is compared.
    operand: Operator,
    /// With what. Ignored, and so null or left out, for `ex`, `nx`, `bt` and `bf`.
    value: Option<AttributeValue>,
}

/// What an event's attribute is compared with.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum AttributeValue {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
}

/// A page on which an experiment runs, or does not.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UrlRule {
    /// Address, part of one, or pattern.
    #[schema(min_length = 1)]
    url: String,
    /// How it is compared.
    rule: UrlMatch,
    /// Runs there (the default), or must not.
    #[schema(nullable = false, default = true)]
    allowed: Option<bool>,
}

/// Hours of the week in the visitor's time.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Schedule {
    /// Any of the groups.
    schedule_groups: Vec<ScheduleGroup>,
}

/// Days and the hours on them.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleGroup {
    /// Days of the week.
    days: Vec<Day>,
    /// Any of the ranges.
    time_ranges: Vec<TimeRange>,
}

/// From `start` to `end`, past midnight when `end` is the earlier one.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeRange {
    /// `HH:MM`.
    #[schema(pattern = "^[0-9]{2}:[0-9]{2}$")]
    start: String,
    /// `HH:MM`; `24:00` ends a day.
    #[schema(pattern = "^[0-9]{2}:[0-9]{2}$")]
    end: String,
}
