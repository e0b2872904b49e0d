//! Jobs that are due at certain moments, and the leader: the node that runs them.
//!
//! The jobs of an experiment are derived from it ([`Experiment::due`]) and are written with each change of it. The act
//! that does a job deletes it in the same transaction, so each job is done once. One node at a time is the leader and
//! runs jobs. Each leader has its own term, and an act of an earlier term is refused: see [`check_term`].
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::{Error, LEADER_LOCK, Result, tenants};
use muriel_domain::Instant;
use muriel_domain::experiment::{Due, Experiment, Rule};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_sql::{Lock, LockName, Row, Tx, params};
use std::collections::HashMap;

/// Row of the table `leader`.
const LEADER: &str = "jobs";
/// Lock that the leader's connection holds on PostgreSQL.
pub const LEADERSHIP: LockName = LockName { kind: LEADER_LOCK, id: 0 };
/// Lock that acts of a term share, and that the start of the next term takes exclusively.
const TERM: LockName = LockName { kind: LEADER_LOCK, id: 1 };

/// An act that the clock does on an experiment at a known moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Rule that it follows.
    pub rule: Rule,
    /// Experiment to act on.
    pub experiment: ExperimentId,
    /// Project of the experiment.
    pub project: ProjectId,
    /// Moment from which on it is due.
    pub due_at: Instant,
    /// Number of attempts that were begun.
    pub attempts: i64,
    /// Time of the next attempt after a failure.
    pub retry_at: Option<Instant>,
    /// Reason why the last attempt failed.
    pub error: Option<String>,
}

/// The columns that a [`Job`] is read from.
const COLUMNS: &str = "kind, object_id, project_id, due_at, attempts, retry_at, error";

fn job(mut row: Row) -> Result<Job> {
    let (kind, object_id) = (row.text("kind")?, row.int("object_id")?);
    let rule = Rule::WORDS.into_iter().find(|(word, _)| *word == kind).map(|(_, rule)| rule);
    let rule = rule.ok_or_else(|| Error::Damaged {
        table: "job",
        row: format!("{kind}, {object_id}"),
        column: "kind",
        expected: "a known word",
    })?;
    Ok(Job {
        rule,
        experiment: ExperimentId(object_id),
        project: ProjectId(row.int("project_id")?),
        due_at: Instant::from_us(row.int("due_at")?),
        attempts: row.int("attempts")?,
        retry_at: row.opt_int("retry_at")?.map(Instant::from_us),
        error: row.opt_text("error")?,
    })
}

/// Updates the jobs of an experiment after a change of it. A job whose moment stays the same keeps its attempts.
pub(crate) async fn follow(tx: &mut dyn Tx, before: Option<&Experiment>, after: &Experiment) -> Result<()> {
    let by_rule = |due: Vec<Due>| -> HashMap<Rule, Instant> { due.into_iter().map(|due| (due.rule, due.at)).collect() };
    let (was, is) = (by_rule(before.map(Experiment::due).unwrap_or_default()), by_rule(after.due()));
    for (_, rule) in Rule::WORDS {
        match (was.get(&rule), is.get(&rule)) {
            (before, Some(at)) if before != Some(at) => insert(tx, after, Due { at: *at, rule }).await?,
            (Some(_), None) => remove(tx, after.id, rule).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn insert(tx: &mut dyn Tx, experiment: &Experiment, due: Due) -> Result<()> {
    tx.execute(
        "INSERT INTO job (kind, object_id, project_id, due_at, attempts, term) VALUES ($1, $2, $3, $4, 0, 0) \
         ON CONFLICT (kind, object_id) DO UPDATE SET due_at = excluded.due_at, attempts = 0, retry_at = NULL, \
           error = NULL, term = 0",
        params![due.rule.word(), experiment.id.0, experiment.project_id.0, due.at.us()],
    )
    .await?;
    Ok(())
}

async fn remove(tx: &mut dyn Tx, experiment: ExperimentId, rule: Rule) -> Result<()> {
    tx.execute("DELETE FROM job WHERE kind = $1 AND object_id = $2", params![rule.word(), experiment.0]).await?;
    Ok(())
}

/// Removes every job of an experiment.
pub(crate) async fn remove_all(tx: &mut dyn Tx, experiment: ExperimentId) -> Result<()> {
    for (_, rule) in Rule::WORDS {
        remove(tx, experiment, rule).await?;
    }
    Ok(())
}

/// Removes a job for which nothing is to be done.
pub async fn discard(tx: &mut dyn Tx, job: &Job) -> Result<()> {
    remove(tx, job.experiment, job.rule).await
}

/// The jobs that are due at `now`, earliest first, at most `limit`.
pub async fn due(tx: &mut dyn Tx, now: Instant, limit: i64) -> Result<Vec<Job>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job WHERE due_at <= $1 AND (retry_at IS NULL OR retry_at <= $1) \
         ORDER BY due_at, object_id, kind LIMIT $2"
    );
    tx.query(&sql, params![now.us(), limit]).await?.into_iter().map(job).collect()
}

/// All jobs, overdue ones too, earliest first, at most `limit`.
pub async fn next(tx: &mut dyn Tx, limit: i64) -> Result<Vec<Job>> {
    let sql = format!("SELECT {COLUMNS} FROM job ORDER BY due_at, object_id, kind LIMIT $1");
    tx.query(&sql, params![limit]).await?.into_iter().map(job).collect()
}

/// Counts an attempt at a job in the leader's term. Returns false when the job does not exist any more, was moved, or
/// belongs to a later term.
pub async fn begin(tx: &mut dyn Tx, job: &Job, term: i64) -> Result<bool> {
    let changed = tx
        .execute(
            "UPDATE job SET attempts = attempts + 1, term = $3 WHERE kind = $1 AND object_id = $2 AND due_at = $4 AND term <= $3",
            params![job.rule.word(), job.experiment.0, term, job.due_at.us()],
        )
        .await?;
    Ok(changed > 0)
}

/// Stores why an attempt failed, and when the job is tried again.
pub async fn failed(tx: &mut dyn Tx, job: &Job, retry_at: Instant, error: &str) -> Result<()> {
    tx.execute(
        "UPDATE job SET retry_at = $3, error = $4 WHERE kind = $1 AND object_id = $2 AND due_at = $5",
        params![job.rule.word(), job.experiment.0, retry_at.us(), error, job.due_at.us()],
    )
    .await?;
    Ok(())
}

/// Begins the next term, with this node as the leader, and returns its number. Terms only increase.
pub async fn take_lead(tx: &mut dyn Tx, node: &str) -> Result<i64> {
    tx.lock(Lock::Exclusive(TERM)).await?;
    let now = tx.dialect().now_us();
    let sql = format!(
        "INSERT INTO leader (name, term, node, taken_at) VALUES ($1, 1, $2, {now}) \
         ON CONFLICT (name) DO UPDATE SET term = leader.term + 1, node = excluded.node, taken_at = excluded.taken_at \
         RETURNING term"
    );
    Ok(tx.query_one(&sql, params![LEADER, node]).await?.int("term")?)
}

/// Returns whether `term` is the current one. No other term begins before the transaction ends.
pub async fn check_term(tx: &mut dyn Tx, term: i64) -> Result<bool> {
    tx.lock(Lock::Shared(TERM)).await?;
    let row = tx.query_opt("SELECT term FROM leader WHERE name = $1", params![LEADER]).await?;
    Ok(row.map(|row| row.int("term")).transpose()? == Some(term))
}

/// A live experiment with rules about its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// Project of the experiment.
    pub project: ProjectId,
    /// Experiment id.
    pub experiment: ExperimentId,
    /// Revision of the experiment.
    pub revision: i64,
    /// Part of the result that is checked.
    pub watch: Watch,
}

/// Part of an experiment's result that the clock checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Numbers of visitors and conversions, checked whenever there are new ones.
    Numbers,
    /// Also the verdict, which changes without new visitors.
    Verdict,
    /// Only which arm does best, checked from time to time.
    Bandit,
}

impl Watch {
    /// Part that the clock checks for this experiment; `None` when no rule needs its result.
    pub(crate) fn of(experiment: &Experiment) -> Option<Self> {
        match () {
            () if experiment.follows(Rule::Significant) || experiment.seeks_winner() => Some(Watch::Verdict),
            () if experiment.follows(Rule::Guardrail) => Some(Watch::Verdict),
            () if experiment.follows_results() => Some(Watch::Numbers),
            () => experiment.follows(Rule::Bandit).then_some(Watch::Bandit),
        }
    }

    /// Number in the column `is_watched`.
    pub(crate) fn number(self) -> i64 {
        match self {
            Watch::Numbers => 1,
            Watch::Verdict => 2,
            Watch::Bandit => 3,
        }
    }
}

/// The live experiments, with their revisions, of projects that end experiments when they harm pages.
pub async fn protected(tx: &mut dyn Tx) -> Result<Vec<(ProjectId, ExperimentId, i64)>> {
    let sql = format!(
        "SELECT e.project_id, e.experiment_id, e.revision FROM experiment e \
         WHERE e.status = 'live' AND e.deleted_at IS NULL AND e.project_id IN \
           (SELECT project_id FROM project WHERE {}) \
         ORDER BY e.experiment_id",
        tenants::is_on("stop_on_page_harm")
    );
    let read = tx.query(&sql, params![]).await?.into_iter().map(|row| {
        Ok((ProjectId(row.int("project_id")?), ExperimentId(row.int("experiment_id")?), row.int("revision")?))
    });
    read.collect()
}

/// The live experiments that have rules about their results.
pub async fn watched(tx: &mut dyn Tx) -> Result<Vec<Watched>> {
    let rows = tx
        .query(
            "SELECT project_id, experiment_id, revision, is_watched FROM experiment WHERE is_watched > 0 AND deleted_at IS NULL \
             ORDER BY experiment_id",
            params![],
        )
        .await?;
    let watched = rows.into_iter().map(|row| {
        Ok(Watched {
            project: ProjectId(row.int("project_id")?),
            experiment: ExperimentId(row.int("experiment_id")?),
            revision: row.int("revision")?,
            watch: match row.int("is_watched")? {
                1 => Watch::Numbers,
                2 => Watch::Verdict,
                _ => Watch::Bandit,
            },
        })
    });
    watched.collect()
}
