//! Schemas of an experiment's targeting and a variant's audience.

use super::words::{Browser, CountryMode, Day, Device, Match, Operator, System, UrlMatch};
use muriel_domain::audience_rules;
use utoipa::ToSchema;

macro_rules! audience_schemas {
    ($(
        $(#[doc = $doc:literal])*
        $rule:ident: $type:ty => $read:ident [$($published:tt)*] nullable $nullable:tt;
    )*) => {
        /// Visitors and pages on which an experiment runs. Missing and empty rules restrict nothing.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Targeting {
            $($(#[doc = $doc])* #[schema(nullable = $nullable)] $rule: Option<$($published)*>,)*
            /// Pages. An exclusion overrides an inclusion.
            #[schema(nullable = false)]
            url_rule: Option<Vec<UrlRule>>,
        }

        /// Audience of a personalization's variant: an experiment's targeting without `url_rule`.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Audience {
            $($(#[doc = $doc])* #[schema(nullable = $nullable)] $rule: Option<$($published)*>,)*
        }
    };
}
audience_rules!(audience_schemas);

/// A condition in a rule with groups. All groups must match; within a group, any condition.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Condition {
    /// Name of the value to compare, such as an attribute.
    #[schema(min_length = 1)]
    criteria: String,
    /// Comparison.
    operator: Operator,
    /// Value to compare with, as text even for numbers (`"5"`). Ignored for `ex`, `nx`, `bt` and `bf`, where it may be
    /// null or left out.
    #[schema(example = "5")]
    value: Option<String>,
}

/// A country that is included or excluded.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Country {
    /// Display name.
    #[schema(min_length = 1)]
    name: String,
    /// ISO 3166-1 alpha-2 code.
    #[schema(pattern = "^[A-Z]{2}$")]
    code: String,
    /// Includes or excludes it.
    rule: CountryMode,
}

/// A region or a city that is included or excluded.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// Name with its country or region, such as `California (US)` or `Berlin (Berlin)`.
    #[schema(min_length = 1)]
    name: String,
    /// Includes or excludes it.
    rule: Match,
}

/// `new` or `returning`, as text or as a list with one item.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum UserRule {
    /// The word.
    Word(String),
    /// The word in a list; empty for no restriction.
    List(Vec<String>),
}

/// Event that a visitor must, or must not, have triggered before.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventRule {
    /// Requires or forbids the event.
    rule: Match,
    /// Name of the event.
    #[schema(min_length = 1)]
    name: String,
    /// Conditions on its attributes: any group must match, with all its conditions.
    attributes: Vec<Vec<AttributeCondition>>,
    /// Minimum number of occurrences; 1 unless given.
    #[schema(nullable = false, minimum = 1, default = 1)]
    min_count: Option<i64>,
    /// Number of days to look back; 0 (no limit) unless given.
    #[schema(nullable = false, minimum = 0, default = 0)]
    timeframe_days: Option<i64>,
}

/// A condition on an event's attribute.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeCondition {
    /// Name of the attribute.
    #[schema(min_length = 1)]
    key: String,
    /// Comparison.
    operand: Operator,
    /// Value to compare with. Ignored for `ex`, `nx`, `bt` and `bf`, where it may be null or left out.
    value: Option<AttributeValue>,
}

/// Value with which an event's attribute is compared.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum AttributeValue {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
}

/// A page on which an experiment runs or does not run.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UrlRule {
    /// URL, part of one, or pattern.
    #[schema(min_length = 1)]
    url: String,
    /// Comparison.
    rule: UrlMatch,
    /// true (the default): runs there; false: does not.
    #[schema(nullable = false, default = true)]
    allowed: Option<bool>,
}

/// Hours of the week in the visitor's time zone.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Schedule {
    /// Groups, any of which must match.
    schedule_groups: Vec<ScheduleGroup>,
}

/// Days, and the hours on them.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleGroup {
    /// Days of the week.
    days: Vec<Day>,
    /// Time ranges, any of which must match.
    time_ranges: Vec<TimeRange>,
}

/// From `start` to `end`. If `end` is earlier, the range continues past midnight.
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
