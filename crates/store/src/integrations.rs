//! Reports to integrations: the last success of each, and the exposures and conversions that were reported to webhooks.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use muriel_domain::Instant;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::time::DAY_US;
use muriel_domain::webhook::EventType;
use muriel_sql::{Tx, params};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Period after an experiment's end in which its conversions are reported, in microseconds.
const REPORTED_AFTER_END_US: i64 = DAY_US;

/// A page's successful report of an arm to an integration of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Success {
    /// Project of the page.
    pub project: ProjectId,
    /// Experiment of the arm.
    pub experiment: ExperimentId,
    /// Name of the integration.
    pub name: &'static str,
    /// Time of the report.
    pub at: Instant,
}

/// Stores successes. Ignores those of experiments that the project does not have, and those older than the stored ones.
pub async fn succeeded(tx: &mut dyn Tx, successes: &[Success]) -> Result<()> {
    let sql = "INSERT INTO integration_success (experiment_id, name, at) \
               SELECT experiment_id, CAST($3 AS TEXT), $4 FROM experiment WHERE experiment_id = $1 AND project_id = $2 \
               ON CONFLICT (experiment_id, name) DO UPDATE SET at = excluded.at \
               WHERE integration_success.at < excluded.at";
    for Success { project, experiment, name, at } in successes {
        tx.execute(sql, params![experiment.0, project.0, *name, at.us()]).await?;
    }
    Ok(())
}

/// Times of the last success of an experiment's integrations, by name.
pub async fn last_successes(tx: &mut dyn Tx, id: ExperimentId) -> Result<BTreeMap<String, Instant>> {
    let rows = tx.query("SELECT name, at FROM integration_success WHERE experiment_id = $1", params![id.0]).await?;
    rows.into_iter().map(|mut row| Ok((row.text("name")?, Instant::from_us(row.int("at")?)))).collect()
}

/// Started experiments whose configuration may name the integration `webhook`, of projects with an enabled webhook,
/// with the key of their project.
pub async fn with_webhook(tx: &mut dyn Tx) -> Result<Vec<(String, ProjectId, ExperimentId)>> {
    let sql = "SELECT p.project_key, e.project_id, e.experiment_id FROM experiment e \
               JOIN project p ON p.project_id = e.project_id \
               WHERE e.deleted_at IS NULL AND e.status <> 'draft' AND e.configuration LIKE '%\"webhook\"%' \
                 AND EXISTS (SELECT 1 FROM webhook w WHERE w.project_id = e.project_id AND w.disabled_at IS NULL)";
    let rows = tx.query(sql, params![]).await?;
    let read = rows.into_iter().map(|mut row| {
        let ids = (ProjectId(row.int("project_id")?), ExperimentId(row.int("experiment_id")?));
        Ok((row.text("project_key")?, ids.0, ids.1))
    });
    read.collect()
}

/// Block up to which the exposures of a log were reported; `None` for a log that was never read for this.
pub async fn reported_exposures(tx: &mut dyn Tx, log: &str) -> Result<Option<i64>> {
    let row = tx.query_opt("SELECT seq FROM exposures_told WHERE log = $1", params![log]).await?;
    Ok(row.map(|row| row.int("seq")).transpose()?)
}

/// Moves the block up to which exposures of a log were reported. Returns false, and changes nothing, unless it was at
/// `before`.
pub async fn reported_exposures_set(tx: &mut dyn Tx, log: &str, before: Option<i64>, after: i64) -> Result<bool> {
    let changed = match before {
        None => {
            let sql = "INSERT INTO exposures_told (log, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            tx.execute(sql, params![log, after]).await?
        }
        Some(before) => {
            let sql = "UPDATE exposures_told SET seq = $3 WHERE log = $1 AND seq = $2";
            tx.execute(sql, params![log, before, after]).await?
        }
    };
    Ok(changed > 0)
}

/// Experiments whose conversions an enabled webhook receives: live ones, and those that ended in the day before `now`.
pub async fn followed_conversions(tx: &mut dyn Tx, now: Instant) -> Result<Vec<(ProjectId, ExperimentId)>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT e.project_id, e.experiment_id FROM experiment e \
             WHERE (e.status = 'live' OR e.ended_at >= $1) AND e.deleted_at IS NULL AND e.project_id IN \
               (SELECT w.project_id FROM webhook w WHERE w.disabled_at IS NULL AND w.events LIKE '%\"{}\"%') \
             ORDER BY e.experiment_id",
            EventType::Conversion.word()
        )
    });
    let rows = tx.query(&STATEMENT, params![now.plus_us(-REPORTED_AFTER_END_US).us()]).await?;
    rows.into_iter()
        .map(|row| Ok((ProjectId(row.int("project_id")?), ExperimentId(row.int("experiment_id")?))))
        .collect()
}

/// Number of an experiment's conversions that were reported to webhooks, by goal key and arm. Only conversions from
/// events of this log count.
pub async fn reported_conversions(
    tx: &mut dyn Tx,
    log: &str,
    id: ExperimentId,
) -> Result<BTreeMap<(String, u32), u64>> {
    let sql = "SELECT goal_key, variant, converted FROM conversions_told WHERE experiment_id = $1 AND log = $2";
    let rows = tx.query(sql, params![id.0, log]).await?;
    let read = rows.into_iter().map(|mut row| {
        let arm = u32::try_from(row.int("variant")?).unwrap_or(u32::MAX);
        Ok(((row.text("goal_key")?, arm), u64::try_from(row.int("converted")?).unwrap_or(0)))
    });
    read.collect()
}

/// Stores the number of conversions on a goal in an arm that were reported to webhooks.
pub async fn reported_conversions_set(
    tx: &mut dyn Tx,
    (log, id): (&str, ExperimentId),
    (goal_key, arm): (&str, u32),
    converted: u64,
) -> Result<()> {
    let converted = i64::try_from(converted).unwrap_or(i64::MAX);
    tx.execute(
        "INSERT INTO conversions_told (log, experiment_id, goal_key, variant, converted) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (experiment_id, log, goal_key, variant) DO UPDATE SET converted = excluded.converted",
        params![log, id.0, goal_key, i64::from(arm), converted],
    )
    .await?;
    Ok(())
}
