//! The overview of all experiments.

use super::{ActorView, ExperimentSummary};
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_service::actors::Names;
use muriel_service::overview::OverviewEntry;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of the experiments that the caller sees.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Overview {
    /// Always true.
    pub(crate) success: bool,
    /// Experiments that match the filters, on all pages.
    pub(crate) total: i64,
    /// In the order that `sort` asks for; equal ones by their id.
    pub(crate) items: Vec<OverviewItem>,
    /// What to pass as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// An experiment with what there is to know at a glance. Verdict, health and visitors are of the moment `as_of`; they are
/// looked at about once a minute.
#[derive(Serialize, ToSchema)]
pub(crate) struct OverviewItem {
    #[serde(flatten)]
    pub(crate) summary: ExperimentSummary,
    /// Its permanent name for server-side use.
    pub(crate) experiment_key: String,
    /// The key of its project.
    pub(crate) project_key: String,
    /// Labels.
    pub(crate) tags: Vec<String>,
    /// Who made it.
    pub(crate) owner: ActorView,
    /// Whether it was put into the archive.
    pub(crate) archived: bool,
    /// How it was concluded; null while it is not.
    #[schema(required, value_type = Option<schemas::ConclusionOutcome>)]
    pub(crate) outcome: Option<&'static str>,
    /// What its primary metric says; null while that is not known.
    #[schema(required, value_type = Option<schemas::VerdictWord>)]
    pub(crate) verdict: Option<&'static str>,
    /// What to do, in a sentence. It says of which moment it is where the result may be another by now.
    #[schema(example = "Ship Variant 1: it beats the control by 4.1 %, at least 1.2 %.")]
    pub(crate) sentence: String,
    /// The worst of the health checks, that of the minimum data aside, which every young experiment fails; `unknown` while
    /// there is nothing to look at.
    #[schema(value_type = schemas::GradeWord)]
    pub(crate) health: &'static str,
    /// Visitors in all arms; null while that is not known.
    #[schema(required)]
    pub(crate) visitors: Option<i64>,
    /// Days since its first start, until it ended; null before.
    #[schema(required)]
    pub(crate) days: Option<i64>,
    /// Days until the planned visitors have entered, at the rate so far, or until the end date where that is earlier; null
    /// where neither is known.
    #[schema(required)]
    pub(crate) days_left: Option<i64>,
    /// The last change.
    pub(crate) last_change: LastChange,
    /// The moment that verdict, health and visitors are of; null while there are none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) as_of: Option<Instant>,
}

/// A change of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastChange {
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// By whom.
    pub(crate) actor: ActorView,
    /// What was done.
    #[schema(example = "update")]
    pub(crate) action: String,
}

impl OverviewItem {
    /// The entry, with the names of those who did something.
    pub(crate) fn new(entry: OverviewEntry, names: &Names) -> Self {
        let OverviewEntry { row, outlook, sentence, days, days_left } = entry;
        let look = row.look.as_ref();
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
            verdict: look.and_then(|look| known(&look.verdict, &words)),
            sentence,
            health: look.and_then(|look| known(&look.health, &grades)).unwrap_or("unknown"),
            visitors: outlook.map(|outlook| i64::try_from(outlook.visitors).unwrap_or(i64::MAX)),
            days,
            days_left,
            last_change: LastChange {
                at: row.changed_at,
                actor: names.get(&row.changed_by).into(),
                action: row.change_action,
            },
            as_of: look.map(|look| look.as_of),
        }
    }
}
