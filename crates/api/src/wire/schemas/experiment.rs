//! Experiments: bodies that create, change, start and serve them.

use super::configuration::Configuration;
use super::goal::GoalValue;
use super::targeting::{Audience, Targeting};
use super::words::{BuiltinMetric, GoalType, StatusCode, TestType};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

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

/// One visual change: `{target, innerText|textContent|innerHTML|outerHTML|src|href|style|class|attributes}`, `{rm}`,
/// `{refEl, dir, htmlBlock}`, `{oriEl, refEl, dir}` or, in a split test, `{url, relay_param}`. Further keys are kept.
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
    /// Fields that change in the same step, as an update sends them. The answer's warnings are those of the update too.
    #[schema(nullable = false)]
    changes: Option<ExperimentPatch>,
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
