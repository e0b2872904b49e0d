//! Experiments: bodies that create, change, start and serve them.

use super::configuration::Configuration;
use super::goal::GoalValue;
use super::targeting::{Audience, Targeting};
use super::words::{BuiltinMetric, GoalType, StatusCode, TestType};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Changes to an experiment. Only fields that are sent change. The value of such a field is replaced as a whole.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentPatch {
    /// New display name.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    test_name: Option<String>,
    /// New page that the editor opens. A URL, not a pattern.
    #[schema(nullable = false, max_length = 2048)]
    url: Option<String>,
    /// The complete new list of variants. Variants that are left out are deleted with their code.
    #[schema(nullable = false, min_items = 1, max_items = 50)]
    variants: Option<Vec<VariantBody>>,
    /// Current `variants_data_key` of the experiment. Required with `variants` when it is a pattern.
    #[schema(nullable = false)]
    variants_data_key: Option<String>,
    /// Label and code of the control.
    #[schema(nullable = false)]
    control: Option<ControlBody>,
    /// Same as `control` with the raw names, as an object or as a JSON string of that object.
    #[schema(nullable = false)]
    control_attr: Option<ControlAttributes>,
    /// JavaScript for all assigned visitors, including the control's.
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// CSS for all assigned visitors, including the control's.
    #[schema(nullable = false)]
    custom_css: Option<String>,
    /// Settings.
    #[schema(nullable = false)]
    configuration: Option<Configuration>,
    /// Visitors and pages on which the experiment runs.
    #[schema(nullable = false)]
    targeting: Option<Targeting>,
    /// Labels.
    #[schema(nullable = false, max_items = 100)]
    tags: Option<Vec<String>>,
    /// Keys of the goals to report in addition to the primary one; `[]` removes all of them.
    #[schema(nullable = false, max_items = 100)]
    secondary_goal_keys: Option<Vec<String>>,
    /// Key of the primary goal, which decides the result.
    primary_goal_key: Option<String>,
    /// Id of the hypothesis that it tests.
    #[schema(minimum = 1)]
    hypothesis_id: Option<i64>,
    /// Built-in metrics to report.
    #[schema(nullable = false, max_items = 100)]
    builtin_metrics: Option<Vec<BuiltinMetric>>,
    /// Raw events to report.
    #[schema(nullable = false, max_items = 100)]
    event_metrics: Option<Vec<String>>,
    /// Plan: smallest lift worth acting on, and number of visitors.
    #[schema(nullable = false)]
    plan: Option<Plan>,
}

/// RFC 7396 merge patch over the fields of a PATCH: objects merge, `null` restores a key's default.
pub(crate) struct MergePatch;

impl PartialSchema for MergePatch {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "JSON merge patch (RFC 7396) of the fields of ExperimentPatch: objects are merged, and null resets a \
                 key to its default.",
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
    /// Page that the editor opens. A URL, not a pattern.
    #[schema(max_length = 2048)]
    url: String,
    /// Variants without the control.
    #[schema(min_items = 1, max_items = 50)]
    variants: Vec<VariantBody>,
    /// Status; 9 (draft) unless given.
    #[schema(nullable = false)]
    status: Option<StatusCode>,
    /// Type; `abtest` unless given.
    #[schema(nullable = false)]
    test_type: Option<TestType>,
    /// Permanent key; generated from `test_name` unless given.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    experiment_key: Option<String>,
    /// Primary goal, which decides the result. Found by name and type, or created.
    #[schema(nullable = false)]
    primary_goal: Option<InlineGoal>,
    /// Secondary goals. Found by name and type, or created.
    #[schema(nullable = false, max_items = 100)]
    secondary_goals: Option<Vec<InlineGoal>>,
    /// URL of the page, or a pattern for a test on many pages. Default: `url`.
    #[schema(nullable = false)]
    variants_data_key: Option<String>,
    /// Label and code of the control.
    #[schema(nullable = false)]
    control: Option<ControlBody>,
    /// Same as `control` with the raw names, as an object or as a JSON string of that object.
    #[schema(nullable = false)]
    control_attr: Option<ControlAttributes>,
    /// JavaScript for all assigned visitors, including the control's.
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// CSS for all assigned visitors, including the control's.
    #[schema(nullable = false)]
    custom_css: Option<String>,
    /// Settings.
    #[schema(nullable = false)]
    configuration: Option<Configuration>,
    /// Visitors and pages on which the experiment runs.
    #[schema(nullable = false)]
    targeting: Option<Targeting>,
    /// Labels.
    #[schema(nullable = false, max_items = 100)]
    tags: Option<Vec<String>>,
    /// Keys of existing goals to report in addition to the primary one.
    #[schema(nullable = false, max_items = 100)]
    secondary_goal_keys: Option<Vec<String>>,
    /// Key of an existing goal, the primary one, which decides the result.
    primary_goal_key: Option<String>,
    /// Id of the hypothesis that it tests.
    #[schema(minimum = 1)]
    hypothesis_id: Option<i64>,
    /// Built-in metrics to report.
    #[schema(nullable = false, max_items = 100)]
    builtin_metrics: Option<Vec<BuiltinMetric>>,
    /// Raw events to report.
    #[schema(nullable = false, max_items = 100)]
    event_metrics: Option<Vec<String>>,
    /// Plan: smallest lift worth acting on, and number of visitors.
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
    /// Kind of event that counts as a conversion.
    goal_type: GoalType,
    /// Value that the type looks for, such as a selector.
    goal_value: GoalValue,
}

/// A variant other than the control.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariantBody {
    /// `Variant 1`, `Variant 2`… by position in the list.
    #[schema(pattern = "^Variant [1-9][0-9]?$")]
    name: String,
    /// Label for people.
    #[schema(nullable = false, max_length = 255)]
    nickname: Option<String>,
    /// JavaScript that only this variant runs, at most 512 KiB.
    #[serde(rename = "customJS")]
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// CSS that only this variant gets, at most 512 KiB.
    #[serde(rename = "customCSS")]
    #[schema(nullable = false)]
    custom_css: Option<String>,
    /// Visual changes, applied in order.
    #[schema(nullable = false, max_items = 1000)]
    data: Option<Vec<Change>>,
    /// Visitors who get this variant; personalizations only.
    #[schema(nullable = false)]
    targeting: Option<Audience>,
}

/// One visual change: `{target, innerText|textContent|innerHTML|outerHTML|src|href|style|class|attributes}`, `{rm}`,
/// `{refEl, dir, htmlBlock}`, `{oriEl, refEl, dir}` or, in a split test, `{url, relay_param}`. Other keys are kept.
pub(crate) struct Change;

impl PartialSchema for Change {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "One visual change: {target, innerText|textContent|innerHTML|outerHTML|src|href|style|class|attributes}, {rm}, \
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

/// Label and code of the control.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlBody {
    /// Label for people.
    #[schema(nullable = false, max_length = 255)]
    nickname: Option<String>,
    /// JavaScript that only the control runs, at most 512 KiB.
    #[serde(rename = "customJS")]
    #[schema(nullable = false)]
    custom_js: Option<String>,
    /// CSS that only the control gets, at most 512 KiB.
    #[serde(rename = "customCSS")]
    #[schema(nullable = false)]
    custom_css: Option<String>,
}

/// Raw attributes of the control, or a JSON string of them.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum ControlAttributes {
    /// The object as a JSON string.
    Text(String),
    /// The object.
    Object(ControlAttributesObject),
}

/// Raw attributes of the control.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlAttributesObject {
    /// Label for people.
    #[schema(nullable = false, max_length = 255)]
    name: Option<String>,
    /// JavaScript that only the control runs.
    #[schema(nullable = false)]
    js: Option<String>,
    /// CSS that only the control gets.
    #[schema(nullable = false)]
    css: Option<String>,
}

/// Plan of an experiment.
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

/// A new status.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusBody {
    /// New status.
    status: StatusCode,
    /// Time from which visitors count: allowed with status 1 and before the first start. A test that ran elsewhere may
    /// have started up to 1,500 days ago. Needs the scope `admin`.
    #[schema(nullable = false, format = DateTime)]
    started_at: Option<String>,
    /// Fields that change in the same transaction, in the form of an update. The response includes the update's
    /// warnings.
    #[schema(nullable = false)]
    changes: Option<ExperimentPatch>,
}

/// Winner to serve, and its rollout.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServeBody {
    /// `"0"` for the control, `"1"` for `Variant 1`…
    variant_id: String,
    /// Percent of the visitors who get it.
    #[schema(nullable = false, minimum = 0, maximum = 100, default = 100)]
    traffic_allocation: Option<i64>,
}

/// New rollout.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RolloutBody {
    /// Percent of the visitors who get the winner.
    #[schema(minimum = 0, maximum = 100)]
    traffic_allocation: i64,
}
