//! Revisions: the consequences of a change.

use super::{Allocation, Experiment, FirstStart, Lifecycle, MilestoneChange, Milestones, Schedule, Serving, Weights};
use crate::Instant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A period in which assignment did not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epoch {
    /// 1 for the first start.
    pub number: i64,
    /// Start of the epoch. It lasts until the next one starts.
    pub started_at: Instant,
    /// Time of the change that opened it: `started_at`, or later when the experiment was given a first start in the
    /// past.
    pub opened_at: Instant,
    /// Reasons why it was opened, at least one.
    pub reasons: Vec<Reason>,
    /// Percentage of eligible visitors that enter during it, 0 to 100.
    pub traffic_allocation: i64,
    /// The arms' shares of those visitors, in hundredths of a percent, the control first.
    pub weights: Weights,
}

/// Change that opens an epoch. Results are computed within epochs, because mixing visitors from before and after such a
/// change would compare different things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The experiment was started, paused, resumed or ended.
    Status,
    /// An arm was added, removed, or changed for visitors.
    Variants,
    /// Other visitors are eligible.
    Targeting,
    /// The share of eligible visitors who enter changed.
    Traffic,
    /// The weights of the arms changed.
    Distribution,
    /// An exclusion group or a holdout admits other visitors.
    Groups,
}

impl Reason {
    /// All reasons with their words in the interface.
    pub const WORDS: [(&'static str, Reason); 6] = [
        ("status", Reason::Status),
        ("variants", Reason::Variants),
        ("targeting", Reason::Targeting),
        ("traffic", Reason::Traffic),
        ("distribution", Reason::Distribution),
        ("groups", Reason::Groups),
    ];
}

/// A change that is about to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// The experiment after the change, with an incremented revision, a new change time and, if necessary, a new epoch,
    /// and with updated milestones and schedule.
    pub experiment: Experiment,
    /// The epoch that the change opens. `None` when it opens none.
    pub epoch: Option<Epoch>,
    /// The changed fields with their previous values. History stores them, so that everything, including deleted code,
    /// can be restored.
    pub before: Map<String, Value>,
}

impl Revision {
    /// Returns the change from `before` to `after`; `None` when nothing changed.
    ///
    /// `after` has the revision, epoch, allocation, milestones, schedule and change time of `before`; they are updated
    /// here. Only acts of the clock have already been entered into the schedule. The change is made at `now`, or at the
    /// time of the last change when the clock was set back since. An experiment that is delivered from now on leaves
    /// the archive.
    pub fn between(before: &Experiment, after: Experiment, now: Instant) -> Option<Self> {
        let after = Experiment { archived: after.archived && !after.is_delivered(), ..after };
        let changed = changed_fields(before, &after);
        if changed.is_empty() {
            return None;
        }
        // A clock that was set back must not reverse the order of changes.
        let now = now.max(before.updated_at);
        let mut experiment = Experiment { revision: before.revision + 1, updated_at: now, ..after };
        experiment.milestones = before.milestones.after(&MilestoneChange::between(before, &experiment), now);
        experiment.allocation = allocated(&experiment);
        let reasons = epoch_reasons(before, &experiment);
        let epoch = (!reasons.is_empty()).then(|| open_epoch(&mut experiment, reasons, now));
        experiment.schedule = Schedule::moved_on(Some(before), &experiment, now);
        Some(Self { experiment, epoch, before: changed })
    }

    /// The first revision of a new experiment, created at `now`. An experiment that is live from the beginning opens
    /// its first epoch. `before` is empty.
    pub fn first(mut experiment: Experiment, now: Instant) -> Self {
        experiment.allocation = allocated(&experiment);
        experiment.milestones = Milestones::new(experiment.variants.len());
        let epoch = experiment.lifecycle.is_live().then(|| open_epoch(&mut experiment, vec![Reason::Status], now));
        experiment.schedule = Schedule::moved_on(None, &experiment, now);
        Self { experiment, epoch, before: Map::new() }
    }
}

/// The allocation for the effective weights. Before the first start no visitor has been assigned, so the ranges can be
/// contiguous.
fn allocated(experiment: &Experiment) -> Allocation {
    let weights = experiment.weights();
    if experiment.epoch == 0 { Allocation::contiguous(&weights) } else { experiment.allocation.moved_to(&weights) }
}

/// Increments the experiment's epoch and returns the new one. The first epoch also sets the [`FirstStart`].
fn open_epoch(experiment: &mut Experiment, reasons: Vec<Reason>, now: Instant) -> Epoch {
    experiment.epoch += 1;
    let started_at = match experiment.lifecycle {
        // Only the first start may be in the past.
        Lifecycle::Live { started_at } if experiment.epoch == 1 => started_at.min(now),
        _ => now,
    };
    if experiment.epoch == 1 {
        let planned_visitors = experiment.plan.visitors;
        experiment.milestones.first_start = Some(FirstStart { started_at, opened_at: now, planned_visitors });
    }
    Epoch {
        number: experiment.epoch,
        started_at,
        opened_at: now,
        reasons,
        traffic_allocation: experiment.configuration.traffic_allocation,
        weights: experiment.weights(),
    }
}

/// Reasons for which the change opens an epoch: starting, pausing and ending the experiment; and, while it stays live,
/// anything that moves visitors or changes what they see.
fn epoch_reasons(before: &Experiment, after: &Experiment) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let was_live = before.lifecycle.is_live();
    if before.lifecycle.status() != after.lifecycle.status() && (was_live || after.lifecycle.is_live()) {
        reasons.push(Reason::Status);
    }
    if was_live {
        let shown = |experiment: &Experiment| -> Vec<_> {
            experiment.variants.iter().map(|v| (v.code.clone(), v.changes.clone(), v.audience.clone())).collect()
        };
        if shown(before) != shown(after) {
            reasons.push(Reason::Variants);
        }
        if before.targeting != after.targeting {
            reasons.push(Reason::Targeting);
        }
        if before.configuration.traffic_allocation != after.configuration.traffic_allocation {
            reasons.push(Reason::Traffic);
        }
        if before.configuration.distribution.weights(after.arms()) != after.weights() {
            reasons.push(Reason::Distribution);
        }
        if before.groups != after.groups {
            reasons.push(Reason::Groups);
        }
    }
    reasons
}

impl Experiment {
    /// Returns the fields in which this state differs from another one, under their published names, with the values of
    /// this state.
    ///
    /// Ids, keys, revision, epoch, milestones, allocation, and the times of creation and change are not compared.
    pub fn fields_unlike(&self, other: &Experiment) -> Map<String, Value> {
        changed_fields(self, other)
    }
}

/// Returns the fields in which the two differ, under their published names, with the values of `before`.
/// [`Experiment::undone`] reads them.
fn changed_fields(before: &Experiment, after: &Experiment) -> Map<String, Value> {
    let mut changed = Map::new();
    let mut compare = |field: &str, differs: bool, value: &dyn Fn() -> Value| {
        if differs {
            changed.insert(field.to_owned(), value());
        }
    };
    compare("test_name", before.name != after.name, &|| json!(before.name));
    compare("url", before.url != after.url, &|| json!(before.url));
    compare(
        "control",
        before.control != after.control,
        &|| json!({ "nickname": before.control.nickname, "customJS": before.control.code.js, "customCSS": before.control.code.css }),
    );
    compare("variants", before.variants != after.variants, &|| {
        before
            .variants
            .iter()
            .map(|v| json!({ "nickname": v.nickname, "customJS": v.code.js, "customCSS": v.code.css, "data": v.changes, "targeting": v.audience }))
            .collect()
    });
    compare("custom_js", before.custom_code.js != after.custom_code.js, &|| json!(before.custom_code.js));
    compare("custom_css", before.custom_code.css != after.custom_code.css, &|| json!(before.custom_code.css));
    compare("configuration", before.configuration != after.configuration, &|| json!(before.configuration));
    compare("targeting", before.targeting != after.targeting, &|| json!(before.targeting));
    compare("tags", before.tags != after.tags, &|| json!(before.tags));
    compare("plan", before.plan != after.plan, &|| json!(before.plan));
    compare("primary_goal_key", before.primary_goal != after.primary_goal, &|| json!(before.primary_goal));
    compare("secondary_goal_keys", before.secondary_goals != after.secondary_goals, &|| json!(before.secondary_goals));
    compare("builtin_metrics", before.builtin_metrics != after.builtin_metrics, &|| json!(before.builtin_metrics));
    compare("event_metrics", before.event_metrics != after.event_metrics, &|| json!(before.event_metrics));
    compare("hypothesis_id", before.hypothesis_id != after.hypothesis_id, &|| json!(before.hypothesis_id));
    compare("status", before.lifecycle != after.lifecycle, &|| match before.lifecycle {
        Lifecycle::Live { started_at } => json!({ "status": "live", "started_at": started_at }),
        other => json!({ "status": other.status().word() }),
    });
    compare("conclusion", before.conclusion != after.conclusion, &|| match &before.conclusion {
        Some(conclusion) => {
            json!({ "outcome": conclusion.outcome.word(), "note": conclusion.note, "at": conclusion.concluded_at })
        }
        None => Value::Null,
    });
    compare("serving", before.serving != after.serving, &|| match before.serving {
        Serving::Never => Value::Null,
        Serving::Stopped => json!("stopped"),
        Serving::Winner { arm, rollout } => json!({ "variant_id": arm.id(), "traffic_allocation": rollout }),
    });
    compare("groups", before.groups != after.groups, &|| json!(before.groups));
    compare("archived", before.archived != after.archived, &|| json!(before.archived));
    compare("schedule", before.schedule != after.schedule, &|| json!(before.schedule));
    changed
}
