//! Rulesets in their published form, which servers, pages and files exchange.
//!
//! Names and shapes are those of the interface. Empty parts are left out, to keep what pages download small.
//!
//! [`Delivered::of`] creates the parts of a document from stored data, and
//! [`Ruleset::compile`](crate::Ruleset::compile) reads a document. It trusts nothing, because a ruleset file may have
//! been edited by hand. In between, a document is only transferred, cached and hashed.
//!
//! [`FORMAT`] changes when a reader of the previous form would misread the new one, [`HASH`] when the same visitor
//! would get another bucket. A reader that does not know a version refuses the document, because its decisions could
//! differ from those of others.

use muriel_domain::experiment::integration::is_notified_by_pages;
use muriel_domain::experiment::{Arm, Change, Code, DataKey, Experiment, Lifecycle, Serving, Sites, TestType};
use muriel_domain::goal::{Goal, GoalType, GoalValue};
use muriel_domain::group::GroupSlot;
use muriel_domain::targeting::{Audience, Targeting};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The latest version of this form: version 1 and the holdouts of experiments.
pub const FORMAT: u32 = 2;
/// The version of documents in which no experiment has a holdout. Older clients can read it.
pub const FORMAT_WITHOUT_HOLDOUTS: u32 = 1;
/// The version of hashing and bucketing, which `docs/assignment.md` describes.
pub const HASH: u32 = 1;

/// Everything that a project delivers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`FORMAT`], or [`FORMAT_WITHOUT_HOLDOUTS`].
    pub format: u32,
    /// [`HASH`].
    pub hash: u32,
    /// Key of the project.
    pub project_key: String,
    /// Experiments that visitors can meet, in ascending order of id.
    pub experiments: Vec<Arc<Delivered>>,
    /// Goals that only the page can observe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<WatchedGoal>,
}

/// An experiment as delivered to visitors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivered {
    /// Experiment id, which exposures carry.
    pub test_id: i64,
    /// Name in code, unique within a project.
    pub experiment_key: String,
    /// `abtest`, `split` or `personalization`.
    pub test_type: String,
    /// True when the experiment is live. Otherwise it is delivered because a winner is served.
    pub live: bool,
    /// Number of the epoch that exposures belong to; 1 from the first start on. Each change that moves visitors opens
    /// the next epoch, and results compare visitors within one.
    pub epoch: i64,
    /// Prefix of this experiment's hash inputs: 1 to 128 bytes. Two experiments with the same salt would give a visitor
    /// the same arm, so their effects could not be separated.
    pub salt: String,
    /// Percentage of eligible visitors that enter, 0 to 100. Raising it admits more visitors and moves none.
    pub traffic_allocation: u32,
    /// Ends of ranges in hundredths of a percent, with their arms; 0 is the control. `[[5000, 0], [10000, 1]]` is half
    /// and half. Ends ascend to 10,000. An arm may have several ranges, because a change of weights moves as few
    /// visitors as possible.
    pub ranges: Vec<(u32, u32)>,
    /// The winner that is served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving: Option<Winner>,
    /// Range in a group whose experiments share no units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusion: Option<GroupRange>,
    /// Ranges of holdouts, whose units never enter the experiment and never get its winner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holdouts: Vec<GroupRange>,
    /// Eligible visitors and pages.
    #[serde(default, skip_serializing_if = "is_default", serialize_with = "compact")]
    pub targeting: Targeting,
    /// Key of the variants: a page's URL, or a pattern.
    pub variants_data_key: String,
    /// Mode of applying changes to the page: words separated by blanks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dom_change_path: Option<String>,
    /// Trigger of variant code on dynamic pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_variant_change: Option<String>,
    /// JavaScript for every assigned visitor.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub custom_js: Arc<str>,
    /// CSS for every assigned visitor.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub custom_css: Arc<str>,
    /// Code of the control.
    #[serde(default, skip_serializing_if = "is_default")]
    pub control: ArmCode,
    /// The treatment variants, `Variant 1` first.
    pub variants: Vec<DeliveredVariant>,
    /// Tools on the page that are notified of a visitor's arm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Name of the experiment, when tools are notified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A tool on the page, with the settings that the page needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Name of the tool, such as `ga4`.
    pub name: String,
    /// Settings; everybody can read them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
}

/// A winner, and the percentage of the visitors who get it.
///
/// The experiment's targeting still decides who is eligible. The rollout uses the traffic line. Visitors outside of it
/// see the original, and no visitor is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Winner {
    /// `"0"` is the control, `"N"` is `Variant N`.
    pub variant_id: String,
    /// Percentage of the visitors, 0 to 100.
    pub traffic_allocation: u32,
}

/// A range on a group's line, in hundredths of a percent (0 to 10,000).
///
/// Every experiment of an exclusion group hashes with the group's salt and has a range of its own, so a unit is in at
/// most one of them. Every experiment of a holdout has the same range, that of the held-out units. An empty range has
/// no units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRange {
    /// Group id, for explanations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<i64>,
    /// Prefix of the group's hash inputs.
    pub salt: String,
    /// Start, inclusive.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
}

impl From<GroupSlot> for GroupRange {
    fn from(slot: GroupSlot) -> Self {
        let salt = format!("g{}", slot.group_id);
        Self { group_id: Some(slot.group_id.0), salt, from: slot.from, to: slot.to }
    }
}

/// Code of one arm.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ArmCode {
    /// JavaScript.
    #[serde(default, rename = "customJS", skip_serializing_if = "is_blank")]
    pub js: Arc<str>,
    /// CSS.
    #[serde(default, rename = "customCSS", skip_serializing_if = "is_blank")]
    pub css: Arc<str>,
}

impl From<&Code> for ArmCode {
    fn from(code: &Code) -> Self {
        Self { js: code.js.clone(), css: code.css.clone() }
    }
}

/// A treatment variant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeliveredVariant {
    /// Code of the variant.
    #[serde(flatten)]
    pub code: ArmCode,
    /// Visual changes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Change>,
    /// Audience of the variant, in a personalization.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "compact")]
    pub targeting: Option<Audience>,
}

/// A goal that the page has to observe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchedGoal {
    /// Name of the goal in code, which the page's event carries.
    pub goal_key: String,
    /// Type of the goal in the interface, such as `clickOnElement`.
    pub goal_type: String,
    /// Selector, text, percentage or seconds, depending on the type.
    pub goal_value: GoalValue,
}

impl WatchedGoal {
    /// Converts the goal. `None` unless only the page can observe it; page views, custom events and orders are recorded
    /// whatever the goals are.
    pub fn of(goal: &Goal) -> Option<Self> {
        let trigger = &goal.definition.trigger;
        let watched = match trigger.goal_type() {
            GoalType::ClickOnElement
            | GoalType::ClickOnText
            | GoalType::ExternalLink
            | GoalType::FormSubmit
            | GoalType::ElementAppears
            | GoalType::Scrolling
            | GoalType::Duration
            | GoalType::Script => true,
            GoalType::Pageview
            | GoalType::PageviewExact
            | GoalType::PageviewWildcard
            | GoalType::PageviewRegex
            | GoalType::Event
            | GoalType::Revenue => false,
        };
        watched.then(|| Self {
            goal_key: goal.key.clone(),
            goal_type: trigger.goal_type().word().to_owned(),
            goal_value: trigger.value().clone(),
        })
    }
}

impl Document {
    /// Creates a document for this project.
    ///
    /// The format is [`FORMAT_WITHOUT_HOLDOUTS`] unless an experiment has holdouts, so that older clients can read it.
    pub fn new(project_key: &str, experiments: Vec<Arc<Delivered>>, goals: Vec<WatchedGoal>) -> Self {
        let has_holdouts = experiments.iter().any(|experiment| !experiment.holdouts.is_empty());
        let format = if has_holdouts { FORMAT } else { FORMAT_WITHOUT_HOLDOUTS };
        Self { format, hash: HASH, project_key: project_key.to_owned(), experiments, goals }
    }
}

impl Delivered {
    /// Converts an experiment to its delivered form. An experiment that is neither live nor serves a winner has no
    /// visitors, but can be shown in a preview.
    ///
    /// The salt is the experiment's id. Percentages are limited to 0 to 100.
    pub fn of(experiment: &Experiment) -> Self {
        let is_personal = experiment.test_type == TestType::Personalization;
        let tools = tools(experiment);
        let sites = Sites::of(experiment);
        Self {
            name: (!tools.is_empty()).then(|| experiment.name.clone()),
            tools,
            test_id: experiment.id.0,
            experiment_key: experiment.key.clone(),
            test_type: experiment.test_type.word().to_owned(),
            live: matches!(experiment.lifecycle, Lifecycle::Live { .. }),
            epoch: experiment.epoch,
            salt: experiment.id.to_string(),
            traffic_allocation: experiment.configuration.traffic_allocation.clamp(0, 100) as u32,
            ranges: experiment.allocation.ranges().iter().map(|(end, arm)| (*end, arm.0)).collect(),
            serving: match experiment.serving {
                Serving::Winner { arm, rollout } => {
                    Some(Winner { variant_id: arm.id(), traffic_allocation: rollout.clamp(0, 100) as u32 })
                }
                _ => None,
            },
            exclusion: experiment.groups.exclusion.map(GroupRange::from),
            holdouts: experiment.groups.holdouts.iter().copied().map(GroupRange::from).collect(),
            targeting: experiment.targeting.clone(),
            variants_data_key: DataKey::as_str(&experiment.variants_data_key).to_owned(),
            dom_change_path: experiment.configuration.dom_change_path.clone(),
            trigger_variant_change: experiment.configuration.trigger_variant_change.clone(),
            custom_js: experiment.custom_code.js.clone(),
            custom_css: experiment.custom_code.css.clone(),
            control: ArmCode::from(&experiment.control.code),
            variants: experiment
                .variants
                .iter()
                .map(|variant| DeliveredVariant {
                    code: ArmCode::from(&variant.code),
                    data: variant.changes.iter().map(|change| change.marked(&sites)).collect(),
                    targeting: if is_personal { variant.audience.clone() } else { None },
                })
                .collect(),
        }
    }

    /// Number of arms, including the control.
    pub fn arms(&self) -> u32 {
        self.variants.len() as u32 + 1
    }

    /// The arm that is served as winner.
    ///
    /// `None` without a winner, and for text that is not the id of an arm. The arm need not exist; compiling checks
    /// that.
    pub fn winner(&self) -> Option<Arm> {
        self.serving.as_ref().and_then(|winner| Arm::from_id(&winner.variant_id))
    }
}

/// Tools to notify. Empty unless the experiment is live, because its visitors are not counted then.
fn tools(experiment: &Experiment) -> Vec<Tool> {
    if !experiment.lifecycle.is_live() {
        return Vec::new();
    }
    let notified = experiment.configuration.integrations().into_iter().filter(|it| is_notified_by_pages(it.name));
    notified.map(|it| Tool { name: it.name.to_owned(), settings: it.settings }).collect()
}

/// Returns whether the code is empty, and left out of the ruleset.
fn is_blank(text: &Arc<str>) -> bool {
    text.is_empty()
}

/// Returns whether a part has its default value, and is left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Serialises rules without those that restrict nothing.
fn compact<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let value = serde_json::to_value(value).map_err(serde::ser::Error::custom)?;
    let Value::Object(rules) = value else { return value.serialize(serializer) };
    let rules: Map<String, Value> = rules
        .into_iter()
        .filter(|(_, rule)| !rule.is_null() && !rule.as_array().is_some_and(|entries| entries.is_empty()))
        .collect();
    rules.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::targeting::AUDIENCE_KEYS;

    /// A reader of the previous form skips a rule that it does not know, and includes visitors whom the rule excludes.
    #[test]
    fn a_new_rule_of_targeting_is_a_new_format() {
        assert_eq!((FORMAT, AUDIENCE_KEYS.len()), (2, 15), "raise FORMAT with the rules that a ruleset can have");
    }
}
