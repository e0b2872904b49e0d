//! The concluded experiments of a company, with the data for searching them and for their statistics.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::backlog::fold;
use crate::codec::to_json;
use crate::overview::set;
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::{CompanyId, ExperimentId, HypothesisId, ProjectId};
use muriel_sql::{Row, Tx, params};
use serde_json::Value as Json;

/// Experiments per page of [`fill`].
const FILL_PAGE: i64 = 200;

/// Filter of concluded experiments. An empty list restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgrammeFilter {
    /// Projects that the caller sees and selects; `None` for all projects of the company.
    pub projects: Option<Vec<ProjectId>>,
    /// Part of the name, key, page, labels, note or lesson, in any letter case; or `#` and an id.
    pub search: String,
    /// Outcomes of the conclusions.
    pub outcomes: Vec<ConclusionOutcome>,
    /// Only experiments concluded at this time or later.
    pub from: Option<Instant>,
    /// Only experiments concluded before this time.
    pub to: Option<Instant>,
}

/// A concluded experiment, without its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcludedRow {
    /// Experiment id.
    pub id: ExperimentId,
    /// Time of the conclusion.
    pub concluded_at: Instant,
    /// Outcome of the conclusion.
    pub outcome: ConclusionOutcome,
    /// True when its variants are for different audiences.
    pub is_personalization: bool,
    /// Arm that is served as the winner.
    pub served_arm: Option<i64>,
    /// Confidence, importance and difficulty, 1 to 5: the current ratings of the hypothesis.
    pub ratings: [Option<i64>; 3],
    /// Result at the conclusion, as [`put`] stored it.
    pub result: Option<Json>,
    /// True when it matches the whole filter.
    pub is_listed: bool,
}

/// Names and texts of a concluded experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcludedTexts {
    /// Experiment id.
    pub id: ExperimentId,
    /// Experiment name.
    pub name: String,
    /// Experiment key.
    pub key: String,
    /// Key of its project.
    pub project_key: String,
    /// The hypothesis that it tested.
    pub hypothesis: Option<HypothesisId>,
    /// Reasons for the outcome.
    pub note: String,
    /// Lesson beyond the test.
    pub learned: String,
    /// Name of the actor who concluded it; `None` when an older release did not store it.
    pub concluded_by: Option<String>,
}

/// The concluded experiments of the filter's projects, newest first, at most `limit`. Includes those that the rest of
/// the filter excludes: [`ConcludedRow::is_listed`] tells them apart.
pub async fn concluded(
    tx: &mut dyn Tx,
    company: CompanyId,
    filter: &ProgrammeFilter,
    limit: i64,
) -> Result<Vec<ConcludedRow>> {
    let outcomes: Vec<&str> = filter.outcomes.iter().map(|outcome| outcome.word()).collect();
    let rows = tx
        .query(
            "SELECT o.experiment_id, o.concluded_at, o.outcome, o.served_arm, h.confidence, h.importance, h.difficulty, \
               r.result, CASE WHEN e.test_type = 'personalization' THEN 1 ELSE 0 END AS is_personalization, \
               CASE WHEN ($3 = '' OR replace(o.search, $3, '') <> o.search \
                   OR replace(o.conclusion_search, $3, '') <> o.conclusion_search) \
                 AND ($4 = '' OR replace($4, '|' || o.outcome || '|', '') <> $4) \
                 AND o.concluded_at >= CAST($5 AS BIGINT) AND o.concluded_at < CAST($6 AS BIGINT) \
               THEN 1 ELSE 0 END AS is_listed \
             FROM overview o \
             JOIN experiment e ON e.experiment_id = o.experiment_id \
             LEFT JOIN hypothesis h ON h.hypothesis_id = o.hypothesis_id \
             LEFT JOIN conclusion_result r ON r.experiment_id = o.experiment_id \
             WHERE o.company_id = $1 AND o.concluded_at IS NOT NULL \
               AND ($2 = '' OR replace($2, '|' || o.project_id || '|', '') <> $2) \
             ORDER BY o.concluded_at DESC, o.experiment_id DESC LIMIT $7",
            params![
                company.0,
                projects(filter),
                fold(filter.search.trim()),
                set(&outcomes),
                filter.from.map_or(i64::MIN / 2, Instant::us),
                filter.to.map_or(i64::MAX / 2, Instant::us),
                limit
            ],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// The ids of the projects between bars; empty for all projects.
fn projects(filter: &ProgrammeFilter) -> String {
    match &filter.projects {
        None => String::new(),
        // A caller that sees no project finds nothing.
        Some(projects) if projects.is_empty() => "|".to_owned(),
        Some(projects) => set(projects),
    }
}

fn read(mut row: Row) -> Result<ConcludedRow> {
    let id = ExperimentId(row.int("experiment_id")?);
    let damaged = |table: &'static str, column: &'static str, expected: &'static str| Error::Damaged {
        table,
        row: id.to_string(),
        column,
        expected,
    };
    let word = row.text("outcome")?;
    let outcome = ConclusionOutcome::WORDS.iter().find(|(known, _)| *known == word).map(|(_, outcome)| *outcome);
    let result = row.opt_text("result")?.map(|text| serde_json::from_str(&text)).transpose();
    Ok(ConcludedRow {
        id,
        concluded_at: Instant::from_us(row.int("concluded_at")?),
        outcome: outcome.ok_or_else(|| damaged("overview", "outcome", "the word of an outcome"))?,
        is_personalization: row.flag("is_personalization")?,
        served_arm: row.opt_int("served_arm")?,
        ratings: [row.opt_int("confidence")?, row.opt_int("importance")?, row.opt_int("difficulty")?],
        result: result.map_err(|_| damaged("conclusion_result", "result", "readable JSON"))?,
        is_listed: row.flag("is_listed")?,
    })
}

/// Names and texts of these experiments, in any order. Deleted experiments are left out.
pub async fn texts(tx: &mut dyn Tx, company: CompanyId, ids: &[ExperimentId]) -> Result<Vec<ConcludedTexts>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx
        .query(
            "SELECT e.experiment_id, e.name, e.experiment_key, p.project_key, e.hypothesis_id, e.conclusion_note, c.learned, \
               c.concluded_by \
             FROM overview o \
             JOIN experiment e ON e.experiment_id = o.experiment_id \
             JOIN project p ON p.project_id = e.project_id \
             LEFT JOIN conclusion c ON c.experiment_id = o.experiment_id \
             WHERE o.company_id = $1 AND o.concluded_at IS NOT NULL \
               AND replace($2, '|' || o.experiment_id || '|', '') <> $2",
            params![company.0, set(ids)],
        )
        .await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(ConcludedTexts {
                id: ExperimentId(row.int("experiment_id")?),
                name: row.text("name")?,
                key: row.text("experiment_key")?,
                project_key: row.text("project_key")?,
                hypothesis: row.opt_int("hypothesis_id")?.map(HypothesisId),
                note: row.opt_text("conclusion_note")?.unwrap_or_default(),
                learned: row.opt_text("learned")?.unwrap_or_default(),
                concluded_by: row.opt_text("concluded_by")?,
            })
        })
        .collect()
}

/// A holdout of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldoutRow {
    /// Key of its project.
    pub project_key: String,
    /// Id of the group.
    pub group_id: i64,
    /// Name of the group.
    pub name: String,
    /// Share of visitors that it keeps out, in hundredths of a percent.
    pub held_out: i64,
}

/// The holdouts of the filter's projects, oldest first, at most `limit`.
pub async fn holdouts(
    tx: &mut dyn Tx,
    company: CompanyId,
    filter: &ProgrammeFilter,
    limit: i64,
) -> Result<Vec<HoldoutRow>> {
    let rows = tx
        .query(
            "SELECT p.project_key, g.group_id, g.name, g.held_out FROM exclusion_group g \
             JOIN project p ON p.project_id = g.project_id \
             WHERE p.company_id = $1 AND g.kind = 'holdout' AND g.deleted_at IS NULL \
               AND ($2 = '' OR replace($2, '|' || g.project_id || '|', '') <> $2) \
             ORDER BY g.group_id LIMIT $3",
            params![company.0, projects(filter), limit],
        )
        .await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(HoldoutRow {
                project_key: row.text("project_key")?,
                group_id: row.int("group_id")?,
                name: row.text("name")?,
                held_out: row.opt_int("held_out")?.unwrap_or(0),
            })
        })
        .collect()
}

/// Stores data of a concluded experiment, in place of earlier data: `texts`, its note and lesson, for search, and
/// `result`, a summary of its result.
pub async fn put(tx: &mut dyn Tx, id: ExperimentId, texts: [&str; 2], result: Option<&Json>) -> Result<()> {
    remove(tx, id).await?;
    if let Some(result) = result {
        let sql = "INSERT INTO conclusion_result (experiment_id, result) VALUES ($1, $2)";
        tx.execute(sql, params![id.0, to_json(result)]).await?;
    }
    let sql = "UPDATE overview SET conclusion_search = $2 WHERE experiment_id = $1";
    tx.execute(sql, params![id.0, search_text(texts)]).await?;
    Ok(())
}

/// Removes what [`put`] stored.
pub(crate) async fn remove(tx: &mut dyn Tx, id: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM conclusion_result WHERE experiment_id = $1", params![id.0]).await?;
    tx.execute("UPDATE overview SET conclusion_search = '' WHERE experiment_id = $1", params![id.0]).await?;
    Ok(())
}

fn search_text(texts: [&str; 2]) -> String {
    fold(&texts.join("\n"))
}

/// Fills the columns of migration 23 for older experiments. It reads the tables as they are at that migration.
pub(crate) async fn fill(tx: &mut dyn Tx) -> muriel_sql::Result<()> {
    let mut last = 0;
    loop {
        let rows = tx
            .query(
                "SELECT e.experiment_id, e.concluded_at, e.conclusion_note, e.serving, e.serving_arm, e.hypothesis_id, c.learned \
                 FROM experiment e LEFT JOIN conclusion c ON c.experiment_id = e.experiment_id \
                 WHERE e.experiment_id > $1 AND e.deleted_at IS NULL ORDER BY e.experiment_id LIMIT $2",
                params![last, FILL_PAGE],
            )
            .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for mut row in rows {
            last = row.int("experiment_id")?;
            let is_served = row.text("serving")? == "winner";
            let note = row.opt_text("conclusion_note")?.unwrap_or_default();
            let learned = row.opt_text("learned")?.unwrap_or_default();
            tx.execute(
                "UPDATE overview SET concluded_at = $2, served_arm = $3, hypothesis_id = $4, conclusion_search = $5 \
                 WHERE experiment_id = $1",
                params![
                    last,
                    row.opt_int("concluded_at")?,
                    row.opt_int("serving_arm")?.filter(|_| is_served),
                    row.opt_int("hypothesis_id")?,
                    search_text([&note, &learned]),
                ],
            )
            .await?;
        }
    }
}
