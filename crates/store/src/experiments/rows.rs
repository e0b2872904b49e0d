//! Converts rows of the tables of experiments to and from the domain's types.

use super::{HistoryEntry, OriginHypothesis};
use crate::jobs::Watch;
use crate::table::{Json, table};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::{
    Allocation, Arm, Change, Code, Conclusion, ConclusionOutcome, Configuration, Control, DataKey, Epoch, Experiment,
    FirstStart, Lifecycle, Milestones, Plan, Reason, Schedule, Serving, TestType, Variant, Weights,
};
use muriel_domain::group::GroupPlaces;
use muriel_domain::ids::{CompanyId, ExperimentId, HypothesisId, ProjectId};
use muriel_domain::targeting::{Audience, Targeting};
use muriel_sql::Row;
use serde_json::{Map, Value};
use std::sync::Arc;

table! {
    /// An experiment without its variants and goals.
    struct ExperimentRow of "experiment" {
        generated { experiment_id: i64 }
        key {}
        fixed {
            project_id: i64,
            company_id: i64,
            experiment_key: String,
            created_at: Instant,
        }
        changing {
            test_type: TestType,
            name: String,
            url: String,
            variants_data_key: String,
            control_nickname: String,
            control_js: Arc<str>,
            control_css: Arc<str>,
            custom_js: Arc<str>,
            custom_css: Arc<str>,
            configuration: Json<Configuration>,
            targeting: Json<Targeting>,
            tags: Json<Vec<String>>,
            plan: Json<Plan>,
            builtin_metrics: Json<Vec<String>>,
            event_metrics: Json<Vec<String>>,
            hypothesis_id: Option<i64>,
            status: String,
            started_at: Option<Instant>,
            concluded_at: Option<Instant>,
            outcome: Option<ConclusionOutcome>,
            conclusion_note: Option<String>,
            serving: String,
            serving_arm: Option<i64>,
            serving_rollout: Option<i64>,
            allocation: Option<Json<Allocation>>,
            epoch: i64,
            revision: i64,
            updated_at: Instant,
            first_started_at: Option<Instant>,
            first_opened_at: Option<Instant>,
            planned_visitors: Option<i64>,
            deployed_at: Option<Instant>,
            ended_at: Option<Instant>,
            code_redefined_at: Option<Instant>,
            control_redefined_at: Option<Instant>,
            most_variants: i64,
            schedule: Json<Schedule>,
            is_watched: i64,
            archived: bool,
        }
    }
}

impl From<&Experiment> for ExperimentRow {
    fn from(experiment: &Experiment) -> Self {
        let started_at = match experiment.lifecycle {
            Lifecycle::Live { started_at } => Some(started_at),
            Lifecycle::Draft | Lifecycle::Inactive => None,
        };
        let (serving, serving_arm, serving_rollout) = match experiment.serving {
            Serving::Never => ("never", None, None),
            Serving::Stopped => ("stopped", None, None),
            Serving::Winner { arm, rollout } => ("winner", Some(i64::from(arm.0)), Some(rollout)),
        };
        let milestones = &experiment.milestones;
        let conclusion = experiment.conclusion.as_ref();
        Self {
            experiment_id: experiment.id.0,
            project_id: experiment.project_id.0,
            company_id: experiment.company_id.0,
            experiment_key: experiment.key.clone(),
            created_at: experiment.created_at,
            test_type: experiment.test_type,
            name: experiment.name.clone(),
            url: experiment.url.clone(),
            variants_data_key: experiment.variants_data_key.as_str().to_owned(),
            control_nickname: experiment.control.nickname.clone(),
            control_js: experiment.control.code.js.clone(),
            control_css: experiment.control.code.css.clone(),
            custom_js: experiment.custom_code.js.clone(),
            custom_css: experiment.custom_code.css.clone(),
            configuration: Json(experiment.configuration.clone()),
            targeting: Json(experiment.targeting.clone()),
            tags: Json(experiment.tags.clone()),
            plan: Json(experiment.plan),
            builtin_metrics: Json(experiment.builtin_metrics.clone()),
            event_metrics: Json(experiment.event_metrics.clone()),
            hypothesis_id: experiment.hypothesis_id.map(|id| id.0),
            status: experiment.lifecycle.status().word().to_owned(),
            started_at,
            concluded_at: conclusion.map(|conclusion| conclusion.concluded_at),
            outcome: conclusion.map(|conclusion| conclusion.outcome),
            conclusion_note: conclusion.map(|conclusion| conclusion.note.clone()),
            serving: serving.to_owned(),
            serving_arm,
            serving_rollout,
            allocation: Some(Json(experiment.allocation.clone())),
            epoch: experiment.epoch,
            revision: experiment.revision,
            updated_at: experiment.updated_at,
            first_started_at: milestones.first_start.map(|start| start.started_at),
            first_opened_at: milestones.first_start.map(|start| start.opened_at),
            planned_visitors: milestones.first_start.and_then(|start| start.planned_visitors),
            deployed_at: milestones.deployed_at,
            ended_at: milestones.ended_at,
            code_redefined_at: milestones.code_redefined_at,
            control_redefined_at: milestones.arms_redefined_at.first().copied().flatten(),
            most_variants: i64::try_from(milestones.most_variants).unwrap_or(i64::MAX),
            schedule: Json(experiment.schedule.clone()),
            is_watched: Watch::of(experiment).map_or(0, Watch::number),
            archived: experiment.archived,
        }
    }
}

/// The experiment of a row, without its variants, goals and groups.
impl TryFrom<ExperimentRow> for Experiment {
    type Error = Error;

    fn try_from(row: ExperimentRow) -> Result<Self> {
        let lifecycle = lifecycle(&row.status, row.started_at)
            .ok_or_else(|| row.damaged("status", "a status that fits started_at"))?;
        let serving = serving(&row.serving, row.serving_arm, row.serving_rollout)
            .ok_or_else(|| row.damaged("serving", "a state that fits serving_arm and serving_rollout"))?;
        let conclusion = match (row.concluded_at, row.outcome, &row.conclusion_note) {
            (Some(concluded_at), Some(outcome), Some(note)) => {
                Some(Conclusion { outcome, note: note.clone(), concluded_at })
            }
            (None, ..) => None,
            _ => return Err(row.damaged("concluded_at", "null, as outcome or conclusion_note is")),
        };
        let first_start = match (row.first_started_at, row.first_opened_at) {
            (Some(started_at), Some(opened_at)) => {
                Some(FirstStart { started_at, opened_at, planned_visitors: row.planned_visitors })
            }
            (None, None) => None,
            _ => return Err(row.damaged("first_started_at", "set where first_opened_at is")),
        };
        let most_variants =
            usize::try_from(row.most_variants).map_err(|_| row.damaged("most_variants", "a number of variants"))?;
        Ok(Experiment {
            milestones: Milestones {
                first_start,
                deployed_at: row.deployed_at,
                ended_at: row.ended_at,
                code_redefined_at: row.code_redefined_at,
                arms_redefined_at: vec![row.control_redefined_at],
                most_variants,
            },
            schedule: row.schedule.0,
            archived: row.archived,
            id: ExperimentId(row.experiment_id),
            project_id: ProjectId(row.project_id),
            company_id: CompanyId(row.company_id),
            key: row.experiment_key,
            created_at: row.created_at,
            test_type: row.test_type,
            name: row.name,
            url: row.url,
            variants_data_key: DataKey::stored(row.variants_data_key),
            control: Control {
                nickname: row.control_nickname,
                code: Code { js: row.control_js, css: row.control_css },
            },
            custom_code: Code { js: row.custom_js, css: row.custom_css },
            configuration: row.configuration.0,
            targeting: row.targeting.0,
            tags: row.tags.0,
            plan: row.plan.0,
            builtin_metrics: row.builtin_metrics.0,
            event_metrics: row.event_metrics.0,
            hypothesis_id: row.hypothesis_id.map(HypothesisId),
            lifecycle,
            conclusion,
            serving,
            allocation: match row.allocation {
                Some(Json(allocation)) => allocation,
                // Placeholder until the number of arms is known; then the allocation of
                // the weights replaces it.
                None => Allocation::contiguous(&Weights::even(1)),
            },
            epoch: row.epoch,
            revision: row.revision,
            updated_at: row.updated_at,
            // Filled in from other tables.
            groups: GroupPlaces::default(),
            primary_goal: None,
            secondary_goals: Vec::new(),
            variants: Vec::new(),
        })
    }
}

/// Lifecycle from its columns; `None` where they contradict each other.
fn lifecycle(status: &str, started_at: Option<Instant>) -> Option<Lifecycle> {
    match (status, started_at) {
        ("draft", None) => Some(Lifecycle::Draft),
        ("inactive", None) => Some(Lifecycle::Inactive),
        ("live", Some(started_at)) => Some(Lifecycle::Live { started_at }),
        _ => None,
    }
}

/// Serving state from its columns; `None` where they contradict each other.
fn serving(state: &str, arm: Option<i64>, rollout: Option<i64>) -> Option<Serving> {
    match (state, arm.map(u32::try_from), rollout) {
        ("never", None, None) => Some(Serving::Never),
        ("stopped", None, None) => Some(Serving::Stopped),
        ("winner", Some(Ok(arm)), Some(rollout)) => Some(Serving::Winner { arm: Arm(arm), rollout }),
        _ => None,
    }
}

table! {
    /// Columns of an experiment that lists show.
    struct ListedRow of "experiment" {
        generated { experiment_id: i64 }
        key {}
        fixed {}
        changing {
            name: String,
            url: String,
            status: String,
            started_at: Option<Instant>,
            concluded_at: Option<Instant>,
            serving: String,
            serving_arm: Option<i64>,
            serving_rollout: Option<i64>,
            created_at: Instant,
            updated_at: Instant,
        }
    }
}

impl ListedRow {
    /// Converts the row to a list entry, with the hypothesis that the experiment came
    /// from.
    pub(super) fn listed(self, origin: Option<OriginHypothesis>) -> Result<super::ListedExperiment> {
        let status = lifecycle(&self.status, self.started_at)
            .map(Lifecycle::status)
            .ok_or_else(|| self.damaged("status", "a status that fits started_at"))?;
        let serving = serving(&self.serving, self.serving_arm, self.serving_rollout)
            .ok_or_else(|| self.damaged("serving", "a state that fits serving_arm and serving_rollout"))?;
        Ok(super::ListedExperiment {
            id: ExperimentId(self.experiment_id),
            name: self.name,
            url: self.url,
            status,
            is_concluded: self.concluded_at.is_some(),
            origin,
            serving,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Columns that [`origin`] reads, of a hypothesis under the alias `h`.
pub(super) const ORIGIN_COLUMNS: &str = "h.hypothesis_id AS origin_id, h.observation, h.problem, h.solution, \
                                         h.revision AS origin_revision";

/// The hypothesis in a row with the [`ORIGIN_COLUMNS`], if there is one.
pub(super) fn origin(row: &mut Row) -> Result<Option<OriginHypothesis>> {
    let Some(id) = row.opt_int("origin_id")? else { return Ok(None) };
    Ok(Some(OriginHypothesis {
        id: HypothesisId(id),
        observation: row.opt_text("observation")?,
        problem: row.opt_text("problem")?,
        solution: row.opt_text("solution")?,
        revision: row.int("origin_revision")?,
    }))
}

table! {
    /// A treatment; number 1 is `Variant 1`.
    struct VariantRow of "variant" {
        generated {}
        key { experiment_id: i64, number: i64 }
        fixed {
            nickname: String,
            custom_js: Arc<str>,
            custom_css: Arc<str>,
            changes: Json<Vec<Change>>,
            audience: Option<Json<Audience>>,
            redefined_at: Option<Instant>,
        }
        changing {}
    }
}

impl VariantRow {
    pub(super) fn of(id: ExperimentId, number: i64, variant: &Variant, redefined_at: Option<Instant>) -> Self {
        let variant = variant.clone();
        Self {
            experiment_id: id.0,
            number,
            nickname: variant.nickname,
            custom_js: variant.code.js,
            custom_css: variant.code.css,
            changes: Json(variant.changes),
            audience: variant.audience.map(Json),
            redefined_at,
        }
    }
}

impl From<VariantRow> for Variant {
    fn from(row: VariantRow) -> Self {
        Variant {
            nickname: row.nickname,
            code: Code { js: row.custom_js, css: row.custom_css },
            changes: row.changes.0,
            audience: row.audience.map(|Json(audience)| audience),
        }
    }
}

table! {
    /// A period in which assignment did not change.
    struct EpochRow of "epoch" {
        generated {}
        key { experiment_id: i64, epoch: i64 }
        fixed {
            started_at: Instant,
            reasons: Json<Vec<Reason>>,
            traffic_allocation: i64,
            weights: Json<Weights>,
            opened_at: Option<Instant>,
        }
        changing {}
    }
}

impl EpochRow {
    pub(super) fn of(id: ExperimentId, epoch: &Epoch) -> Self {
        Self {
            experiment_id: id.0,
            epoch: epoch.number,
            started_at: epoch.started_at,
            reasons: Json(epoch.reasons.clone()),
            traffic_allocation: epoch.traffic_allocation,
            weights: Json(epoch.weights.clone()),
            opened_at: Some(epoch.opened_at).filter(|opened_at| *opened_at != epoch.started_at),
        }
    }
}

impl From<EpochRow> for Epoch {
    fn from(row: EpochRow) -> Self {
        Epoch {
            number: row.epoch,
            started_at: row.started_at,
            opened_at: row.opened_at.unwrap_or(row.started_at),
            reasons: row.reasons.0,
            traffic_allocation: row.traffic_allocation,
            weights: row.weights.0,
        }
    }
}

table! {
    /// One change of an experiment.
    struct HistoryRow of "experiment_history" {
        generated {}
        key { experiment_id: i64, revision: i64 }
        fixed {
            at: Instant,
            actor: String,
            action: String,
            before: Json<Map<String, Value>>,
            detail: Option<Json<Value>>,
        }
        changing {}
    }
}

impl From<HistoryRow> for HistoryEntry {
    fn from(row: HistoryRow) -> Self {
        HistoryEntry {
            revision: row.revision,
            at: row.at,
            actor: row.actor,
            action: row.action,
            before: row.before.0,
            detail: row.detail.map(|detail| detail.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_contradict_each_other_are_refused() {
        assert_eq!(lifecycle("live", None), None);
        assert_eq!(lifecycle("draft", Some(Instant::from_us(1))), None);
        assert_eq!(serving("winner", Some(-1), Some(5)), None);
        assert_eq!(serving("never", Some(1), None), None);
        assert_eq!(serving("stopped", None, None), Some(Serving::Stopped));
    }
}
