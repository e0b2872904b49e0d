//! The overview of all experiments in responses.

use super::{ActorView, ExperimentSummary};
use crate::wire::schemas;
use muriel_context::actors::Names;
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_service::overview::OverviewEntry;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of the experiments that the caller sees.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Overview {
    /// Always true.
    pub(crate) success: bool,
    /// Number of experiments that match the filters, on all pages.
    pub(crate) total: i64,
    /// Sorted as `sort` says, then by id.
    pub(crate) items: Vec<OverviewItem>,
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// An experiment in the overview. Verdict, health and visitors are as of `as_of`; they are updated about once a minute.
#[derive(Serialize, ToSchema)]
pub(crate) struct OverviewItem {
    #[serde(flatten)]
    pub(crate) summary: ExperimentSummary,
    /// Permanent key for servers and files.
    pub(crate) experiment_key: String,
    /// Key of the project.
    pub(crate) project_key: String,
    /// Labels.
    pub(crate) tags: Vec<String>,
    /// Creator of the experiment.
    pub(crate) owner: ActorView,
    /// True when archived.
    pub(crate) archived: bool,
    /// Outcome of the conclusion; null if it is not concluded.
    #[schema(required, value_type = Option<schemas::ConclusionOutcome>)]
    pub(crate) outcome: Option<&'static str>,
    /// Verdict of the primary metric; null if it is not known.
    #[schema(required, value_type = Option<schemas::VerdictWord>)]
    pub(crate) verdict: Option<&'static str>,
    /// Recommended action. Names the time of the result if the result may be outdated.
    #[schema(example = "Ship Variant 1: it beats the control by 4.1 %, at least 1.2 %.")]
    pub(crate) sentence: String,
    /// Worst outcome of the health checks, except for the check of the minimum data, which every young experiment
    /// fails; `unknown` when there is no data.
    #[schema(value_type = schemas::GradeWord)]
    pub(crate) health: &'static str,
    /// Number of visitors in all variants; null if it is not known.
    #[schema(required)]
    pub(crate) visitors: Option<i64>,
    /// Days from the first start to the end, or to now; null before the start.
    #[schema(required)]
    pub(crate) days: Option<i64>,
    /// Days until the planned visitors have entered, at the rate so far, or until the end date if that is earlier; null
    /// if neither is known.
    #[schema(required)]
    pub(crate) days_left: Option<i64>,
    /// The last change.
    pub(crate) last_change: LastChange,
    /// Time of verdict, health and visitors; null if there are none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) as_of: Option<Instant>,
}

/// A change of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastChange {
    /// Time of the change.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Actor of the change.
    pub(crate) actor: ActorView,
    /// Action.
    #[schema(example = "update")]
    pub(crate) action: String,
}

impl OverviewItem {
    /// Entry with the names of its actors.
    pub(crate) fn new(entry: OverviewEntry, names: &Names) -> Self {
        let OverviewEntry { row, outlook, sentence, days, days_left } = entry;
        let check = row.check.as_ref();
        let words = ["win", "loss", "no_difference", "keep_running", "do_not_trust"];
        let grades = ["ok", "warn", "fail"];
        let known = |word: &str, words: &[&'static str]| words.iter().find(|known| **known == word).copied();
        Self {
            summary: row.listed.into(),
            experiment_key: row.key,
            project_key: row.project_key,
            tags: row.tags,
            owner: names.get(&row.owner).into(),
            archived: row.is_archived,
            outcome: ConclusionOutcome::WORDS.iter().find(|(word, _)| *word == row.outcome).map(|(word, _)| *word),
            verdict: check.and_then(|check| known(&check.verdict, &words)),
            sentence,
            health: check.and_then(|check| known(&check.health, &grades)).unwrap_or("unknown"),
            visitors: outlook.map(|outlook| i64::try_from(outlook.visitors).unwrap_or(i64::MAX)),
            days,
            days_left,
            last_change: LastChange {
                at: row.changed_at,
                actor: names.get(&row.changed_by).into(),
                action: row.change_action,
            },
            as_of: check.map(|check| check.as_of),
        }
    }
}
