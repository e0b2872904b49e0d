//! Partial updates: values that have been parsed, applied by a pure function.

use super::{Change, Code, ConfigurationPatch, ControlPatch, Experiment, Plan, PlanPatch, TestType, Variant};
use crate::ids::HypothesisId;
use crate::targeting::{Audience, TargetingPatch};
use crate::{Flaw, Problems, text};
use std::collections::HashSet;
use std::sync::Arc;

/// Key under which an experiment publishes its variants, an object of lists by page. It is the
/// page's URL, or a pattern for a test on many pages. It is permanent once set.
///
/// The default is empty: the key of a draft that is not set yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataKey(String);

impl DataKey {
    /// Parses a page URL (a test on one page), or a pattern with `*`.
    ///
    /// # Errors
    /// More than 2,048 bytes, white space, and text without `*` that is not a page URL.
    pub fn parse(key: &str) -> Result<Self, Flaw> {
        if key.contains('*') {
            if key.len() > 2_048 || key.chars().any(|c| c.is_control() || c.is_whitespace()) {
                return Err(Flaw::new("must have at most 2048 bytes and no white space"));
            }
            return Ok(Self(key.to_owned()));
        }
        text::web_address(key).map(Self)
    }

    /// Wraps the key of a stored experiment. It was checked when the experiment was created.
    pub fn stored(key: String) -> Self {
        Self(key)
    }

    /// Returns whether the key is a pattern for many pages.
    pub fn is_pattern(&self) -> bool {
        self.0.contains('*')
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A treatment variant as the client sent it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantSent {
    /// Label for people.
    pub nickname: String,
    /// Code that only this variant runs.
    pub code: Code,
    /// Visual changes.
    pub changes: Vec<Change>,
    /// Audience of the variant; only for personalizations.
    pub audience: Option<Audience>,
}

/// Changes to an experiment: `None` keeps a field, `Some(None)` clears it. Each value has been
/// checked on its own. [`Experiment::patched`] checks what depends on the experiment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExperimentPatch {
    /// New display name.
    pub name: Option<String>,
    /// New page for the editor; does not affect the variants' key.
    pub url: Option<String>,
    /// The complete new list of variants.
    pub variants: Option<Vec<VariantSent>>,
    /// Key of the variants; must equal the current one.
    pub variants_data_key: Option<String>,
    /// Changes to the control.
    pub control: Option<ControlPatch>,
    /// New JavaScript for all arms.
    pub custom_js: Option<Arc<str>>,
    /// New CSS for all arms.
    pub custom_css: Option<Arc<str>>,
    /// Changes to the configuration.
    pub configuration: Option<ConfigurationPatch>,
    /// Changes to targeting.
    pub targeting: Option<TargetingPatch>,
    /// New tags.
    pub tags: Option<Vec<String>>,
    /// New secondary goals, by key.
    pub secondary_goals: Option<Vec<String>>,
    /// New primary goal, by key.
    pub primary_goal: Option<Option<String>>,
    /// New hypothesis.
    pub hypothesis_id: Option<Option<HypothesisId>>,
    /// New built-in metrics.
    pub builtin_metrics: Option<Vec<String>>,
    /// New raw event metrics.
    pub event_metrics: Option<Vec<String>>,
    /// Changes to the plan.
    pub plan: Option<PlanPatch>,
}

impl ExperimentPatch {
    /// Goal keys in the patch. The caller looks up which of them exist, and passes those to
    /// [`Experiment::patched`] in [`References`]. Keys may repeat.
    pub fn goal_keys(&self) -> impl Iterator<Item = &str> {
        let secondary = self.secondary_goals.iter().flatten();
        secondary.chain(self.primary_goal.iter().flatten()).map(String::as_str)
    }
}

/// The goals and the hypothesis of a patch that exist in the project. Looking them up needs the
/// database, so the caller does it.
#[derive(Debug, Clone, Default)]
pub struct References {
    /// Keys from the patch that belong to goals of the project.
    pub goal_keys: HashSet<String>,
    /// True when the hypothesis of the patch belongs to the project.
    pub hypothesis: bool,
}

impl Experiment {
    /// Returns the experiment after `patch`. `found` are the problems found while reading the
    /// patch; the error has them too.
    ///
    /// Weights are first resized to the new number of arms; then the new distribution applies. A
    /// patch of the plan makes its total a given one.
    ///
    /// # Errors
    /// All problems. A refused patch is not applied in part.
    pub fn patched(&self, patch: ExperimentPatch, mut found: Problems, known: &References) -> Result<Self, Problems> {
        let mut next = self.clone();
        // With unreadable variants the number of arms is unknown, so weights cannot be checked.
        let arms_are_known = !found.iter().any(|problem| problem.field.starts_with("variants"));

        check_data_key(self, &patch, &mut found);
        unknown_goals(&patch, known, &mut found);
        if matches!(patch.hypothesis_id, Some(Some(_))) && !known.hypothesis {
            found.add("hypothesis_id", "must be the id of a hypothesis of this project");
        }
        if let Some(sent) = patch.variants {
            next.variants = fit_variants(self.test_type, sent, &mut found);
        }
        if arms_are_known {
            next.configuration.distribution = self.configuration.distribution.resized(next.arms());
            if let Some(configuration) = patch.configuration {
                match configuration.apply(&self.configuration, next.arms()) {
                    Ok(configuration) => next.configuration = configuration,
                    Err(problems) => {
                        for problem in problems.iter() {
                            found.add(format!("configuration.{}", problem.field), &*problem.message);
                        }
                    }
                }
            }
        }
        if !found.is_empty() {
            return Err(found);
        }

        if let Some(name) = patch.name {
            next.name = name;
        }
        if let Some(url) = patch.url {
            next.url = url;
        }
        if let Some(control) = patch.control {
            next.control = control.apply(&self.control);
        }
        if let Some(js) = patch.custom_js {
            next.custom_code.js = js;
        }
        if let Some(css) = patch.custom_css {
            next.custom_code.css = css;
        }
        if let Some(targeting) = patch.targeting {
            next.targeting = targeting.apply(&self.targeting);
        }
        if let Some(tags) = patch.tags {
            next.tags = tags;
        }
        if let Some(keys) = patch.secondary_goals {
            next.secondary_goals = keys;
        }
        if let Some(key) = patch.primary_goal {
            next.primary_goal = key;
        }
        if let Some(id) = patch.hypothesis_id {
            next.hypothesis_id = id;
        }
        if let Some(metrics) = patch.builtin_metrics {
            next.builtin_metrics = metrics;
        }
        if let Some(metrics) = patch.event_metrics {
            next.event_metrics = metrics;
        }
        if let Some(plan) = patch.plan {
            next.plan = Plan {
                mde: plan.mde.unwrap_or(self.plan.mde),
                visitors: plan.visitors.unwrap_or(self.plan.visitors),
                is_computed: false,
            };
        }
        Ok(next)
    }
}

/// Checks the key under which variants are sent. It must be the current one, and when that is a
/// pattern, it is required with variants. A draft without a key accepts any.
fn check_data_key(experiment: &Experiment, patch: &ExperimentPatch, found: &mut Problems) {
    let used = &experiment.variants_data_key;
    if used.as_str().is_empty() {
        return;
    }
    match &patch.variants_data_key {
        Some(sent) if sent != used.as_str() => {
            found.add("variants_data_key", format!("must be the key that this experiment uses, \"{}\"", used.as_str()));
        }
        None if used.is_pattern() && patch.variants.is_some() => {
            found.add(
                "variants_data_key",
                format!("must be sent with variants: this experiment keeps them under \"{}\"", used.as_str()),
            );
        }
        _ => {}
    }
}

/// Adds a problem for each goal key that is not in the project.
fn unknown_goals(patch: &ExperimentPatch, known: &References, found: &mut Problems) {
    let message = |key: &str| format!("\"{}\" matches no goal of this project; create it first", key.escape_debug());
    for (index, key) in patch.secondary_goals.iter().flatten().enumerate() {
        if !known.goal_keys.contains(key) {
            found.add(format!("secondary_goal_keys[{index}]"), message(key));
        }
    }
    if let Some(Some(key)) = &patch.primary_goal
        && !known.goal_keys.contains(key)
    {
        found.add("primary_goal_key", message(key));
    }
}

/// Converts the variants for an experiment of this type. Adds a problem for each audience outside a
/// personalization, and for each redirect that is not the first change of a split test's variant.
fn fit_variants(test_type: TestType, sent: Vec<VariantSent>, found: &mut Problems) -> Vec<Variant> {
    let mut variants = Vec::with_capacity(sent.len());
    for (index, variant) in sent.into_iter().enumerate() {
        let personal = test_type == TestType::Personalization;
        if variant.audience.is_some() && !personal {
            found.add(
                format!("variants[{index}].targeting"),
                "is only for personalizations; use the experiment's targeting",
            );
        }
        for (at, change) in variant.changes.iter().enumerate() {
            if change.is_redirect() && (at > 0 || test_type != TestType::Split) {
                found.add(
                    format!("variants[{index}].data[{at}]"),
                    "redirects; only the first item of a split test's variant may",
                );
            }
        }
        variants.push(Variant {
            nickname: variant.nickname,
            code: variant.code,
            changes: variant.changes,
            audience: personal.then(|| variant.audience.unwrap_or_default()),
        });
    }
    variants
}
