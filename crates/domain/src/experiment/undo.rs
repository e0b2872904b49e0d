//! Restores an earlier state of an experiment from the fields in history.

use super::{Arm, Code, Conclusion, ConclusionOutcome, Control, Experiment, Lifecycle, Serving, Variant};
use crate::ids::HypothesisId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The control or a variant, as stored in [`Revision::before`](super::Revision::before).
#[derive(Deserialize)]
struct KeptArm {
    nickname: String,
    #[serde(rename = "customJS")]
    js: Arc<str>,
    #[serde(rename = "customCSS")]
    css: Arc<str>,
    /// Visual changes; empty for the control.
    #[serde(default)]
    data: Vec<super::Change>,
    /// Audience of a personalization's variant.
    #[serde(default)]
    targeting: Option<crate::targeting::Audience>,
}

/// Status and start of an experiment; only a live experiment has a start.
#[derive(Deserialize)]
struct KeptStatus {
    status: String,
    started_at: Option<crate::Instant>,
}

/// A conclusion, with the word for its outcome.
#[derive(Deserialize)]
struct KeptConclusion {
    outcome: String,
    note: String,
    at: crate::Instant,
}

/// Id of the arm that was served, and the percentage of visitors who got it.
#[derive(Deserialize)]
struct KeptWinner {
    variant_id: String,
    traffic_allocation: i64,
}

impl Experiment {
    /// Returns the experiment before a change, with the values of `before`, a
    /// [`Revision::before`](super::Revision::before). Stored times have milliseconds. Revision,
    /// epoch, milestones, allocation and the time of the last change stay as they are.
    ///
    /// `None` when a field is unknown or its value cannot be read. So history that is damaged, or
    /// from a newer release, is noticed.
    pub fn undone(mut self, before: &Map<String, Value>) -> Option<Self> {
        for (field, value) in before {
            match field.as_str() {
                "test_name" => self.name = read(value)?,
                "url" => self.url = read(value)?,
                "control" => {
                    let kept: KeptArm = read(value)?;
                    self.control = Control { nickname: kept.nickname, code: Code { js: kept.js, css: kept.css } };
                }
                "variants" => {
                    let kept: Vec<KeptArm> = read(value)?;
                    self.variants = kept
                        .into_iter()
                        .map(|kept| Variant {
                            nickname: kept.nickname,
                            code: Code { js: kept.js, css: kept.css },
                            changes: kept.data,
                            audience: kept.targeting,
                        })
                        .collect();
                }
                "custom_js" => self.custom_code.js = read(value)?,
                "custom_css" => self.custom_code.css = read(value)?,
                "configuration" => self.configuration = read(value)?,
                "targeting" => self.targeting = read(value)?,
                "groups" => self.groups = read(value)?,
                "tags" => self.tags = read(value)?,
                "plan" => self.plan = read(value)?,
                "primary_goal_key" => self.primary_goal = read(value)?,
                "secondary_goal_keys" => self.secondary_goals = read(value)?,
                "builtin_metrics" => self.builtin_metrics = read(value)?,
                "event_metrics" => self.event_metrics = read(value)?,
                "hypothesis_id" => self.hypothesis_id = read::<Option<i64>>(value)?.map(HypothesisId),
                "archived" => self.archived = read(value)?,
                "schedule" => self.schedule = read(value)?,
                "status" => self.lifecycle = lifecycle(&read(value)?)?,
                "conclusion" => {
                    self.conclusion = match read::<Option<KeptConclusion>>(value)? {
                        None => None,
                        Some(kept) => Some(conclusion(kept)?),
                    };
                }
                "serving" => self.serving = serving(value)?,
                _ => return None,
            }
        }
        Some(self)
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// Reads a status. `None` for a live experiment without a start, or for another status with one.
fn lifecycle(kept: &KeptStatus) -> Option<Lifecycle> {
    match (kept.status.as_str(), kept.started_at) {
        ("live", Some(started_at)) => Some(Lifecycle::Live { started_at }),
        ("draft", None) => Some(Lifecycle::Draft),
        ("inactive", None) => Some(Lifecycle::Inactive),
        _ => None,
    }
}

fn conclusion(kept: KeptConclusion) -> Option<Conclusion> {
    // Older releases wrote different words.
    let word = match kept.outcome.as_str() {
        "win" => "won",
        "loss" => "lost",
        "no_difference" => "inconclusive",
        word => word,
    };
    let (_, outcome) = ConclusionOutcome::WORDS.into_iter().find(|(known, _)| *known == word)?;
    Some(Conclusion { outcome, note: kept.note, concluded_at: kept.at })
}

/// Reads whether a winner is served: null for never, `"stopped"` for not any more, and otherwise an
/// object.
fn serving(value: &Value) -> Option<Serving> {
    match value {
        Value::Null => Some(Serving::Never),
        Value::String(word) => (word == "stopped").then_some(Serving::Stopped),
        value => {
            let kept: KeptWinner = read(value)?;
            Some(Serving::Winner { arm: Arm::from_id(&kept.variant_id)?, rollout: kept.traffic_allocation })
        }
    }
}
