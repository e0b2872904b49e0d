//! An experiment as it was before a change, from what history keeps of that.

use super::{Arm, Code, Conclusion, ConclusionOutcome, Control, Experiment, Lifecycle, Serving, Variant};
use crate::ids::HypothesisId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The control or a variant, as [`Revision::before`](super::Revision::before) keeps it.
#[derive(Deserialize)]
struct KeptArm {
    nickname: String,
    #[serde(rename = "customJS")]
    js: Arc<str>,
    #[serde(rename = "customCSS")]
    css: Arc<str>,
    /// Visual changes; the control has none.
    #[serde(default)]
    data: Vec<super::Change>,
    /// The audience of a variant of a personalization.
    #[serde(default)]
    targeting: Option<crate::targeting::Audience>,
}

/// Status and start of an experiment; only a live one has a start.
#[derive(Deserialize)]
struct KeptStatus {
    status: String,
    started_at: Option<crate::Instant>,
}

/// A conclusion, with the word of its outcome.
#[derive(Deserialize)]
struct KeptConclusion {
    outcome: String,
    note: String,
    at: crate::Instant,
}

/// The arm that was served, by its id, and to how many percent of the visitors.
#[derive(Deserialize)]
struct KeptWinner {
    variant_id: String,
    traffic_allocation: i64,
}

impl Experiment {
    /// The experiment before a change: with the fields that `before`, a
    /// [`Revision::before`](super::Revision::before), names, as it has them. Moments are
    /// kept to the millisecond; revision, epoch, milestones, allocation and
    /// the moment of the last change stay as they are.
    ///
    /// `None` when a field is unknown or its value cannot be read, so that history that was
    /// damaged or written by a newer release is noticed instead of guessed at.
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

/// Where it stood; `None` for a live experiment without a start, or another with one.
fn lifecycle(kept: &KeptStatus) -> Option<Lifecycle> {
    match (kept.status.as_str(), kept.started_at) {
        ("live", Some(started_at)) => Some(Lifecycle::Live { started_at }),
        ("draft", None) => Some(Lifecycle::Draft),
        ("inactive", None) => Some(Lifecycle::Inactive),
        _ => None,
    }
}

fn conclusion(kept: KeptConclusion) -> Option<Conclusion> {
    // Older releases wrote other words.
    let word = match kept.outcome.as_str() {
        "win" => "won",
        "loss" => "lost",
        "no_difference" => "inconclusive",
        word => word,
    };
    let (_, outcome) = ConclusionOutcome::WORDS.into_iter().find(|(known, _)| *known == word)?;
    Some(Conclusion { outcome, note: kept.note, concluded_at: kept.at })
}

/// Whether a winner was served: null never, `"stopped"` no longer, else an object.
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
