//! The published shapes that the contract describes and nothing here builds:
//! bodies that are read field by field, and parts that the domain writes itself.

#![expect(dead_code, reason = "these types describe shapes to the contract and are never made")]

use muriel_domain::{audience_rules, configuration_settings, experiment, goal, targeting};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The words of a list that pairs each with its value.
fn words<T, const N: usize>(list: [(&'static str, T); N]) -> [&'static str; N] {
    list.map(|(word, _)| word)
}

/// Shapes that the derive macro cannot say: numbers and words from closed lists.
macro_rules! closed {
    ($($(#[doc = $doc:literal])* $name:ident: $kind:ident $values:expr;)*) => {$(
        $(#[doc = $doc])*
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::$kind)
                    .description(Some(concat!($($doc),*).trim()))
                    .enum_values(Some($values))
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}

closed! {
    /// A part of the script.
    PartName: String ["source", "changes", "split", "goals", "orders"];
    /// 0 or 1.
    Flag: Integer [0, 1];
    /// 9 draft, 1 live, 0 inactive.
    StatusCode: Integer [9, 1, 0];
    /// `abtest` changes the page, `split` sends to other pages, `personalization` gives each variant its audience.
    TestType: String words(experiment::TestType::WORDS);
    /// How the arms share: evenly, by chosen weights, or moved by the bandit.
    DistributionMode: String ["equal", "custom", "mab"];
    /// `paused` at a share of 0.
    ArmStatus: String ["active", "paused"];
    /// What opened an epoch.
    Reason: String words(experiment::Reason::WORDS);
    /// What counts as a conversion.
    GoalType: String words(goal::GoalType::WORDS);
    /// What a goal is for.
    GoalPurpose: String words(goal::Purpose::WORDS);
    /// How a value is compared; `gt` and `>` mean the same, and so on.
    Operator: String targeting::Operator::spellings();
    /// Must hold, or must not.
    Match: String words(targeting::Match::WORDS);
    /// Lets in, or keeps out.
    CountryMode: String words(targeting::CountryMode::WORDS);
    /// How a page's URL is compared.
    UrlMatch: String words(targeting::UrlMatch::WORDS);
    /// A kind of device.
    Device: String targeting::DEVICES;
    /// A browser.
    Browser: String targeting::BROWSERS;
    /// An operating system.
    System: String targeting::SYSTEMS;
    /// A day of the week.
    Day: String targeting::DAYS;
    /// Why a visitor gets what it gets; docs/assignment.md explains each.
    AssignmentReason: String [
        "split", "sticky", "forced", "served", "disabled", "rollout", "excluded", "traffic", "targeting", "unknown",
        "audience", "variant_gone",
    ];
    /// What is wrong with a question.
    EvaluationErrorCode: String ["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL"];
    /// What the visitor said about being recorded.
    ConsentWord: String ["granted", "denied", "unknown"];
    /// What happened.
    EventType: String words(muriel_log::Kind::WORDS);
    /// `ok` is durable, `duplicate` was there already, `invalid` was not taken.
    EventStatus: String ["ok", "duplicate", "invalid"];
    /// How a check went.
    StepOutcome: String ["pass", "fail", "unknown", "not_enforced"];
    /// A metric that needs no goal.
    BuiltinMetric: String experiment::BUILTIN_METRICS;
}

/// A moment: read as ISO 8601 with an offset, or as a date, which is its midnight
/// in UTC; shown in UTC with milliseconds.
pub(crate) struct Moment;

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some("A date-time with an offset, or a date (midnight in UTC); null for none."))
            .into()
    }
}

impl ToSchema for Moment {
    fn name() -> Cow<'static, str> {
        "Moment".into()
    }
}

/// The body of every error.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorBody {
    /// Always false.
    success: bool,
    /// A sentence for a person.
    error: String,
    /// One of the documented codes.
    code: String,
    /// Every problem that was found, with its place.
    errors: Vec<FieldError>,
    /// Identifies the request; quote it when asking for help.
    request_id: String,
}

/// What is wrong with one value.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldError {
    /// Its place: `variants[1].name`.
    field: String,
    /// What is wrong, continuing the field's name.
    message: String,
}

/// Changes to an experiment. Only fields that are sent change; a field that is
/// sent takes the new value whole.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentPatch {
    /// New display name.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    test_name: Option<String>,
    /// New page for the editor; no pattern.
    #[schema(nullable = false, max_length = 2048)]
    url: Option<String>,
    /// The complete new set of treatments; those left out are deleted with their code.
    #[schema(nullable = false, min_items = 1, max_items = 50)]
    variants: Option<Vec<VariantBody>>,
    /// The key that the experiment uses already; needed with `variants` when it is a pattern.
    #[schema(nullable = false)]
    variants_data_key: Option<String>,
    /// The control's label and code.
    #[schema(nullable = false)]
    control: Option<ControlBody>,
    /// The same with the raw names, as an object or as text that holds one.
    #[schema(nullable = false)]
    control_attr: Option<ControlAttributes>,
    /// JavaScript for every assigned visitor, the control's too.
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// CSS for every assigned visitor, the control's too.
    #[schema(nullable = false)]
    custom_css: Option<String>,
    /// Settings.
    #[schema(nullable = false)]
    configuration: Option<Configuration>,
    /// For whom and where.
    #[schema(nullable = false)]
    targeting: Option<Targeting>,
    /// Labels.
    #[schema(nullable = false, max_items = 100)]
    tags: Option<Vec<String>>,
    /// Keys of the goals to report besides the primary one; `[]` removes them all.
    #[schema(nullable = false, max_items = 100)]
    secondary_goal_keys: Option<Vec<String>>,
    /// Key of the goal that decides.
    primary_goal_key: Option<String>,
    /// The hypothesis it came from.
    #[schema(minimum = 1)]
    hypothesis_id: Option<i64>,
    /// Built-in metrics to report.
    #[schema(nullable = false, max_items = 100)]
    builtin_metrics: Option<Vec<BuiltinMetric>>,
    /// Raw events to report.
    #[schema(nullable = false, max_items = 100)]
    event_metrics: Option<Vec<String>>,
    /// What it is to find out.
    #[schema(nullable = false)]
    plan: Option<Plan>,
}

/// RFC 7396 over the fields of a PATCH: objects merge, `null` returns a key to
/// its default.
pub(crate) struct MergePatch;

impl PartialSchema for MergePatch {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "RFC 7396 over the fields of ExperimentPatch: objects merge, null returns a key to its default.",
            ))
            .into()
    }
}

impl ToSchema for MergePatch {
    fn name() -> Cow<'static, str> {
        "MergePatch".into()
    }
}

/// A new experiment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentCreation {
    /// Display name.
    #[schema(min_length = 1, max_length = 255)]
    test_name: String,
    /// The page that the editor opens; no pattern.
    #[schema(max_length = 2048)]
    url: String,
    /// The treatments.
    #[schema(min_items = 1, max_items = 50)]
    variants: Vec<VariantBody>,
    /// 9 unless given.
    #[schema(nullable = false)]
    status: Option<StatusCode>,
    /// `abtest` unless given.
    #[schema(nullable = false)]
    test_type: Option<TestType>,
    /// Its permanent name; made from `test_name` unless given.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    experiment_key: Option<String>,
    /// The goal that decides, made or found by name and type.
    #[schema(nullable = false)]
    primary_goal: Option<InlineGoal>,
    /// Further goals, made or found by name and type.
    #[schema(nullable = false, max_items = 100)]
    secondary_goals: Option<Vec<InlineGoal>>,
    /// The page's URL unless given; a pattern for a test of many pages.
    #[schema(nullable = false)]
    variants_data_key: Option<String>,
    /// The control's label and code.
    #[schema(nullable = false)]
    control: Option<ControlBody>,
    /// The same with the raw names, as an object or as text that holds one.
    #[schema(nullable = false)]
    control_attr: Option<ControlAttributes>,
    /// JavaScript for every assigned visitor.
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// CSS for every assigned visitor.
    #[schema(nullable = false)]
    custom_css: Option<String>,
    /// Settings.
    #[schema(nullable = false)]
    configuration: Option<Configuration>,
    /// For whom and where.
    #[schema(nullable = false)]
    targeting: Option<Targeting>,
    /// Labels.
    #[schema(nullable = false, max_items = 100)]
    tags: Option<Vec<String>>,
    /// Keys of existing goals to report besides the primary one.
    #[schema(nullable = false, max_items = 100)]
    secondary_goal_keys: Option<Vec<String>>,
    /// Key of an existing goal that decides.
    primary_goal_key: Option<String>,
    /// The hypothesis it came from.
    #[schema(minimum = 1)]
    hypothesis_id: Option<i64>,
    /// Built-in metrics to report.
    #[schema(nullable = false, max_items = 100)]
    builtin_metrics: Option<Vec<BuiltinMetric>>,
    /// Raw events to report.
    #[schema(nullable = false, max_items = 100)]
    event_metrics: Option<Vec<String>>,
    /// What it is to find out.
    #[schema(nullable = false)]
    plan: Option<Plan>,
}

/// A goal by its name, type and value.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InlineGoal {
    /// Display name.
    #[schema(min_length = 1, max_length = 255)]
    goal_name: String,
    /// What counts.
    goal_type: GoalType,
    /// The value that the type looks for.
    goal_value: GoalValue,
}

/// A treatment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariantBody {
    /// `Variant 1`, `Variant 2`… by position.
    #[schema(pattern = "^Variant [1-9][0-9]?$")]
    name: String,
    /// Label for people.
    #[schema(nullable = false, max_length = 255)]
    nickname: Option<String>,
    /// Code that only this variant runs; at most 512 KiB.
    #[serde(rename = "customJS")]
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// Style that only this variant gets; at most 512 KiB.
    #[serde(rename = "customCSS")]
    #[schema(nullable = false)]
    custom_css: Option<String>,
    /// Visual changes, applied in order.
    #[schema(nullable = false, max_items = 1000)]
    data: Option<Vec<Change>>,
    /// For whom; personalizations only.
    #[schema(nullable = false)]
    targeting: Option<Audience>,
}

/// One visual change: `{target, innerText|textContent|innerHTML|outerHTML|src|href|style|class}`, `{rm}`,
/// `{refEl, dir, htmlBlock}`, `{oriEl, refEl, dir}` or, in a split test, `{url, relay_param}`. Further keys are kept.
pub(crate) struct Change;

impl PartialSchema for Change {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "One visual change: {target, innerText|textContent|innerHTML|outerHTML|src|href|style|class}, {rm}, \
                 {refEl, dir, htmlBlock}, {oriEl, refEl, dir} or, in a split test, {url, relay_param}. Further keys \
                 are kept.",
            ))
            .into()
    }
}

impl ToSchema for Change {
    fn name() -> Cow<'static, str> {
        "Change".into()
    }
}

/// The control's label and code.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlBody {
    /// Label for people.
    #[schema(nullable = false, max_length = 255)]
    nickname: Option<String>,
    /// Code that only the control runs; at most 512 KiB.
    #[serde(rename = "customJS")]
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// Style that only the control gets; at most 512 KiB.
    #[serde(rename = "customCSS")]
    #[schema(nullable = false)]
    custom_css: Option<String>,
}

/// The control's raw attributes, or text that holds them as JSON.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum ControlAttributes {
    /// JSON text of the object.
    Text(String),
    /// The object.
    Object(ControlAttributesObject),
}

/// The control's raw attributes.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlAttributesObject {
    /// Label for people.
    #[schema(nullable = false, max_length = 255)]
    name: Option<String>,
    /// Code that only the control runs.
    #[schema(nullable = false)]
    js: Option<String>,
    /// Style that only the control gets.
    #[schema(nullable = false)]
    css: Option<String>,
}

macro_rules! configuration_schema {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr, $(stored by $stored:literal,)? patch $patch:ty as $merge:ident
            => $read:ident [$($published:tt)*] { $($schema:tt)* };
    )*) => {
        /// How an experiment runs and ends. Keys that are left out return to their defaults.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Configuration {
            $($(#[doc = $doc])* #[schema($($schema)*)] $setting: Option<$($published)*>,)*
        }
    };
}
configuration_settings!(configuration_schema);

/// `"equal"`, `"manual"` (the weights in force), weights, or text that holds weights as JSON.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Distribution {
    /// A word, or JSON text of the weights.
    Text(String),
    /// The weights.
    Weights(Weights),
}

/// Percent per arm, by name; they sum to 100.
pub(crate) struct Weights;

impl PartialSchema for Weights {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "Percent per arm, by name, with up to two decimals; every arm is named; they sum to 100.",
            ))
            .additional_properties(Some(
                ObjectBuilder::new().schema_type(Type::Number).minimum(Some(0.0)).maximum(Some(100.0)),
            ))
            .into()
    }
}

impl ToSchema for Weights {
    fn name() -> Cow<'static, str> {
        "Weights".into()
    }
}

/// An integration, kept as it was sent.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Integration {
    /// Its name.
    Text(String),
    /// Its settings.
    Object(serde_json::Map<String, serde_json::Value>),
}

/// What an experiment is to find out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// Smallest lift worth acting on, in percent.
    #[schema(nullable = false, exclusive_minimum = 0, maximum = 1000, default = 2)]
    mde: Option<f64>,
    /// Planned total of visitors.
    #[schema(minimum = 1)]
    visitors: Option<i64>,
}

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
    /// With what; left out or ignored for `ex`, `nx`, `bt` and `bf`.
    value: Option<ConditionValue>,
}

/// Text, unless the operator takes no value.
pub(crate) struct ConditionValue;

impl PartialSchema for ConditionValue {
    fn schema() -> RefOr<Schema> {
        // An ignored value may be anything, so nothing is promised here.
        ObjectBuilder::new().schema_type(utoipa::openapi::schema::SchemaType::AnyValue).into()
    }
}

impl ToSchema for ConditionValue {
    fn name() -> Cow<'static, str> {
        "ConditionValue".into()
    }
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
    /// With what; left out or ignored for `ex`, `nx`, `bt` and `bf`.
    value: Option<ConditionValue>,
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

/// A new status.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusBody {
    /// The status to move to.
    status: StatusCode,
    /// From when on visitors count, with status 1 and before the first start: a test that ran elsewhere may have started in the
    /// past, 1,500 days ago at most. Needs the scope `admin`.
    #[schema(nullable = false, format = DateTime)]
    started_at: Option<String>,
}

/// Which winner to serve, and to how many.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServeBody {
    /// `"0"` for the control, `"1"` for `Variant 1`…
    variant_id: String,
    /// To how many percent of the visitors.
    #[schema(nullable = false, minimum = 0, maximum = 100, default = 100)]
    traffic_allocation: Option<i64>,
}

/// A new rollout.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RolloutBody {
    /// To how many percent of the visitors.
    #[schema(minimum = 0, maximum = 100)]
    traffic_allocation: i64,
}

/// A new hypothesis; at least one of the texts says something.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisBody {
    /// What the team saw.
    #[schema(max_length = 10000)]
    observation: Option<String>,
    /// Why it is a problem.
    #[schema(max_length = 10000)]
    problem: Option<String>,
    /// The change to test.
    #[schema(max_length = 10000)]
    solution: Option<String>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// Research behind it: http or https.
    #[schema(max_length = 2048)]
    hypothesis_url: Option<String>,
}

/// Changes to a hypothesis.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisPatch {
    /// What the team saw.
    #[schema(max_length = 10000)]
    observation: Option<String>,
    /// Why it is a problem.
    #[schema(max_length = 10000)]
    problem: Option<String>,
    /// The change to test.
    #[schema(max_length = 10000)]
    solution: Option<String>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// Research behind it: http or https.
    #[schema(max_length = 2048)]
    hypothesis_url: Option<String>,
    /// On or off the backlog.
    #[schema(nullable = false)]
    archived: Option<bool>,
}

/// What a goal looks for: text, or an integer for `scrolling` and `duration`.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum GoalValue {
    /// Text.
    Text(String),
    /// Percent or seconds.
    Number(i64),
}

/// The project's currency rates, whole.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatesBody {
    /// The currency that all is converted to, ISO 4217; null, with no rates, for no table.
    #[schema(required, pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
    /// At most one for each currency and day.
    #[schema(max_items = 10_000)]
    rates: Vec<RateSent>,
}

/// What one unit of a currency is worth from a day on, until the next rate of it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateSent {
    /// The day on which it begins, in UTC.
    #[schema(format = Date)]
    date: String,
    /// ISO 4217; not the currency of the table.
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: String,
    /// In the currency of the table.
    #[schema(minimum = 0.000_000_1, maximum = 1_000_000)]
    rate: f64,
}

/// A new goal.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalBody {
    /// Display name.
    #[schema(min_length = 1, max_length = 255)]
    goal_name: String,
    /// What counts.
    goal_type: GoalType,
    /// The value that the type looks for.
    goal_value: GoalValue,
    /// Its permanent key; made from the name unless given.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    goal_key: Option<String>,
    /// `sell` unless given.
    #[schema(nullable = false)]
    goal_purpose: Option<GoalPurpose>,
    /// The page on which its element was picked.
    #[schema(max_length = 2048)]
    element_url: Option<String>,
    /// Days after exposure within which an event counts.
    #[schema(minimum = 1, maximum = 365)]
    window_days: Option<i64>,
    /// Events needed for a conversion; 1 unless given.
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    min_count: Option<i64>,
    /// Most value that one visitor contributes.
    #[schema(exclusive_minimum = 0)]
    cap: Option<f64>,
    /// Most that one order can plausibly be worth; larger ones do not count.
    #[schema(exclusive_minimum = 0, maximum = 100_000_000_000_i64)]
    max_order_value: Option<f64>,
    /// The currency that orders count in (ISO 4217).
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
}

/// Changes to a goal.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalPatch {
    /// Display name.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    goal_name: Option<String>,
    /// What counts.
    #[schema(nullable = false)]
    goal_type: Option<GoalType>,
    /// The value that the type looks for.
    #[schema(nullable = false)]
    goal_value: Option<GoalValue>,
    /// What it is for.
    #[schema(nullable = false)]
    goal_purpose: Option<GoalPurpose>,
    /// The page on which its element was picked.
    #[schema(max_length = 2048)]
    element_url: Option<String>,
    /// Days after exposure within which an event counts.
    #[schema(minimum = 1, maximum = 365)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    min_count: Option<i64>,
    /// Most value that one visitor contributes.
    #[schema(exclusive_minimum = 0)]
    cap: Option<f64>,
    /// Most that one order can plausibly be worth; larger ones do not count.
    #[schema(exclusive_minimum = 0, maximum = 100_000_000_000_i64)]
    max_order_value: Option<f64>,
    /// The currency that orders count in (ISO 4217).
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
}

/// A visitor: `targetingKey`, known facts such as `country` and `url`, and attributes.
#[derive(ToSchema)]
pub(crate) struct Context {
    /// The visitor's id.
    #[schema(rename = "targetingKey", min_length = 1, max_length = 512)]
    targeting_key: String,
}

/// A question of the OpenFeature Remote Evaluation Protocol.
#[derive(ToSchema)]
pub(crate) struct EvaluationRequest {
    context: Context,
}

/// What the visitor gets.
#[derive(ToSchema)]
pub(crate) struct Evaluation {
    /// The experiment's key.
    key: String,
    /// `Control` or `Variant N`.
    value: String,
    /// The same.
    variant: String,
    /// `SPLIT`, `STATIC` (a winner is served), `DEFAULT` (not included) or `DISABLED` (not live).
    reason: String,
    metadata: EvaluationMetadata,
}

/// What telemetry needs.
#[derive(ToSchema)]
pub(crate) struct EvaluationMetadata {
    test_id: i64,
    /// `0` is the control.
    variant_id: String,
    epoch: i64,
    /// Whether the visitor takes part: an exposure is due only then.
    in_experiment: bool,
    reason: AssignmentReason,
    /// Rules that only a page can check and that were passed over, by name, separated by commas.
    unenforced: String,
}

/// Every experiment that is live or serves a winner.
#[derive(ToSchema)]
pub(crate) struct Evaluations {
    flags: Vec<Evaluation>,
}

/// An error of the OpenFeature Remote Evaluation Protocol.
#[derive(ToSchema)]
pub(crate) struct EvaluationFailure {
    key: Option<String>,
    #[schema(rename = "errorCode")]
    error_code: EvaluationErrorCode,
    #[schema(rename = "errorDetails")]
    error_details: String,
}

/// Which experiments, for which visitors.
#[derive(ToSchema)]
pub(crate) struct EvaluateManyBody {
    /// All that are live or serve a winner unless given.
    #[schema(max_items = 500)]
    experiment_keys: Option<Vec<String>>,
    #[schema(max_items = 1000)]
    contexts: Vec<Context>,
}

/// Assignments, a list per context.
#[derive(ToSchema)]
pub(crate) struct ManyEvaluated {
    success: bool,
    assignments: Vec<Vec<Assignment>>,
}

/// What one visitor gets of one experiment.
#[derive(ToSchema)]
pub(crate) struct Assignment {
    experiment_key: String,
    /// `Control` or `Variant N`.
    variant: String,
    in_experiment: bool,
    epoch: i64,
    reason: AssignmentReason,
}

/// A project's ruleset; docs/assignment.md describes it.
#[derive(ToSchema)]
pub(crate) struct RulesetDocument {
    /// 1.
    format: i64,
    /// The version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
}

/// What a preview shows.
#[derive(ToSchema)]
pub(crate) struct PreviewDocument {
    /// 1.
    format: i64,
    /// The version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
    /// Parts of the script that it needs, files of `/js/parts/`.
    parts: Vec<PartName>,
}

/// Where a connection comes from.
#[derive(ToSchema)]
pub(crate) struct GeographyAnswer {
    /// ISO 3166-1 alpha-2.
    country: Option<String>,
    /// `California (US)`.
    region: Option<String>,
    /// `Berlin (Berlin)`.
    city: Option<String>,
}

/// Events of one visitor.
#[derive(ToSchema)]
pub(crate) struct EventsBody {
    /// When the client sends this, by its own clock: its error is taken out of `at`.
    sent_at: Option<Moment>,
    /// With `denied` nothing is stored.
    consent: Option<ConsentWord>,
    visitor: EventsVisitor,
    #[schema(max_items = 500)]
    events: Vec<EventBody>,
}

/// Whose events they are.
#[derive(ToSchema)]
pub(crate) struct EventsVisitor {
    #[schema(min_length = 1, max_length = 128)]
    id: String,
    /// At most 100 texts, numbers and booleans.
    #[schema(value_type = Option<Object>)]
    attributes: Option<()>,
    /// With a bearer key only.
    ip: Option<String>,
    /// With a bearer key only.
    user_agent: Option<String>,
    /// With a bearer key only: ISO 3166-1 alpha-2.
    country: Option<String>,
}

/// One event. Which fields it has besides `id`, `type` and `at` depends on its type; those of other types are ignored.
#[derive(ToSchema)]
pub(crate) struct EventBody {
    /// A UUID made by the client, version 7 preferred; it counts once per project.
    id: String,
    #[schema(rename = "type")]
    kind: EventType,
    /// The client's time; the time of arrival unless given.
    at: Option<String>,
    /// Any type: the address of the page. A `pageview` needs it.
    #[schema(max_length = 8192)]
    url: Option<String>,
    /// Any type: the visit, in the client's words.
    #[schema(max_length = 128)]
    session: Option<String>,
    /// Any type: at most 100 texts, numbers and booleans of your own.
    #[schema(value_type = Option<Object>)]
    properties: Option<()>,
    /// Of an `exposure`, which needs it, and `health`: the experiment.
    #[schema(minimum = 1)]
    test_id: Option<i64>,
    /// Of an `exposure`, which needs it, and `health`: `"0"` for the control, or the number of a variant, as text.
    variant_id: Option<String>,
    /// Of an `exposure`: the epoch that came with the decision; that of its time unless given.
    #[schema(minimum = 1)]
    epoch: Option<i64>,
    /// Of an `exposure`: what was known of the visitor, as texts, numbers and booleans.
    #[schema(value_type = Option<Object>)]
    context: Option<()>,
    /// Of a `custom` event and an `order`, which need it: what goals ask for.
    #[schema(max_length = 128)]
    name: Option<String>,
    /// Of an `order`, which needs it: the amount, negative for a refund. Of `scroll` (percent) and `duration` (seconds),
    /// which need it. Of a `custom` event: any number.
    value: Option<f64>,
    /// Of an `order`, which needs it: ISO 4217 in capitals.
    currency: Option<String>,
    /// Of an `order`: its number in your shop. Orders of one number count once.
    #[schema(max_length = 256)]
    order_id: Option<String>,
    /// Of an `order` with a negative value: the `order_id` of the order that is paid back.
    #[schema(max_length = 256)]
    refund_of: Option<String>,
    /// Of an `order`: how many items.
    #[schema(minimum = 0)]
    quantity: Option<f64>,
    /// Of a `click`, which needs it: `element`, `text` or `link`.
    by: Option<String>,
    /// Of `submit`, `appear` and `script`, which need it, and of a `click` on an element or a text: the goal's value, such
    /// as a selector.
    #[schema(max_length = 8192)]
    trigger: Option<String>,
    /// Of a `click` on a link, which needs it: where the link leads.
    #[schema(max_length = 8192)]
    href: Option<String>,
    /// Of a `pageview`: the address that led there.
    #[schema(max_length = 8192)]
    referrer: Option<String>,
    /// Of `identify`, which needs it: what is known of the visitor from now on, at most 100 texts, numbers and booleans.
    #[schema(value_type = Option<Object>)]
    attributes: Option<()>,
}

/// A line of a batch: events of one visitor, or one event with its visitor.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum EventsLine {
    /// As `sendEvents` takes it.
    Body(EventsBody),
    /// One event.
    Event(EventWithVisitor),
}

/// An event with its visitor. Which further fields it has depends on its type.
#[derive(ToSchema)]
pub(crate) struct EventWithVisitor {
    /// A UUID made by the client, version 7 preferred; it counts once per project.
    id: String,
    #[schema(rename = "type")]
    kind: EventType,
    /// When it happened, which the key vouches for; the time of arrival unless given.
    at: Option<String>,
    visitor: EventsVisitor,
    /// With `denied` nothing is stored.
    consent: Option<ConsentWord>,
}

/// What became of a line of a batch.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum EventsLineTaken {
    /// Of a body.
    Body(BodyLineTaken),
    /// Of one event, or of a line that could not be read.
    Event(EventLineTaken),
}

/// What became of each event of a line.
#[derive(ToSchema)]
pub(crate) struct BodyLineTaken {
    /// The number of the line, from 1; blank lines count.
    #[schema(minimum = 1)]
    line: i64,
    results: Vec<EventResult>,
}

/// What became of the event of a line. A line that could not be read is `invalid`.
#[derive(ToSchema)]
pub(crate) struct EventLineTaken {
    /// The number of the line, from 1; blank lines count.
    #[schema(minimum = 1)]
    line: i64,
    /// As it was sent; null where there is none, or one of more than 64 bytes.
    id: Option<String>,
    status: EventStatus,
    /// Why it is invalid.
    message: Option<String>,
    /// As in the results of `sendEvents`.
    note: Option<String>,
}

/// What became of each event.
#[derive(ToSchema)]
pub(crate) struct EventsTaken {
    success: bool,
    results: Vec<EventResult>,
}

/// What became of one event.
#[derive(ToSchema)]
pub(crate) struct EventResult {
    /// As it was sent.
    id: Option<String>,
    status: EventStatus,
    /// Why it is invalid.
    message: Option<String>,
    /// What to know of an event that is `ok`: an exposure that is dated before the experiment first started is stored, and no
    /// result counts it; half of a surrogate pair or NUL became U+FFFD; or a number beyond ±2⁵³ became text.
    note: Option<String>,
}
