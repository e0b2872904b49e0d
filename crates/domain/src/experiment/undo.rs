//! An experiment as it was before a change, from what history keeps of that.

use super::{Arm, Code, Conclusion, Control, Experiment, Lifecycle, Outcome, Serving, Variant};
use crate::ids::HypothesisId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Deserialize)]
struct KeptArm {
    nickname: String,
    #[serde(rename = "customJS")]
    js: Arc<str>,
    #[serde(rename = "customCSS")]
    css: Arc<str>,
    /// Of a variant.
    #[serde(default)]
    data: Vec<super::Change>,
    /// Of a variant.
    #[serde(default)]
    targeting: Option<crate::targeting::Audience>,
}

#[derive(Deserialize)]
struct KeptStatus {
    status: String,
    started_at: Option<crate::Instant>,
}

#[derive(Deserialize)]
struct KeptConclusion {
    outcome: String,
    note: String,
    at: crate::Instant,
}

#[derive(Deserialize)]
struct KeptWinner {
    variant_id: String,
    traffic_allocation: i64,
}

impl Experiment {
    /// The experiment before a change: with the fields that `before`, a
    /// [`Revision::before`](super::Revision::before), names as it has them. Moments are
    /// kept to the millisecond; revision, epoch, milestones, stretches of the line and
    /// the moment of the last change stay as they are.
    ///
    /// `None` when a value cannot be read, which none of ours is.
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
                "tags" => self.tags = read(value)?,
                "plan" => self.plan = read(value)?,
                "primary_goal_key" => self.primary_goal = read(value)?,
                "secondary_goal_keys" => self.secondary_goals = read(value)?,
                "builtin_metrics" => self.builtin_metrics = read(value)?,
                "event_metrics" => self.event_metrics = read(value)?,
                "hypothesis_id" => self.hypothesis_id = read::<Option<i64>>(value)?.map(HypothesisId),
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

fn lifecycle(kept: &KeptStatus) -> Option<Lifecycle> {
    match (kept.status.as_str(), kept.started_at) {
        ("live", Some(started_at)) => Some(Lifecycle::Live { started_at }),
        ("draft", None) => Some(Lifecycle::Draft),
        ("inactive", None) => Some(Lifecycle::Inactive),
        _ => None,
    }
}

fn conclusion(kept: KeptConclusion) -> Option<Conclusion> {
    let (_, outcome) = Outcome::WORDS.into_iter().find(|(word, _)| *word == kept.outcome)?;
    Some(Conclusion { outcome, note: kept.note, concluded_at: kept.at })
}

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
