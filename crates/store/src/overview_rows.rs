//! Rows of the overview, which follow the experiments: each is written in the transaction of the change.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::backlog::fold;
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_domain::ids::ExperimentId;
use muriel_sql::{Tx, params};
use serde_json::Value as Json;

/// Experiments per page of [`fill`].
const FILL_PAGE: i64 = 200;

/// Folded text in which an experiment is searched.
fn search_text(name: &str, key: &str, url: &str, tags: &[String], id: i64) -> String {
    fold(&format!("{name}\n{key}\n{url}\n{}\n#{id}", tags.join("\n")))
}

/// Each label between line feeds, which labels cannot contain.
fn labels(tags: &[String]) -> String {
    if tags.is_empty() { String::new() } else { format!("\n{}\n", tags.join("\n")) }
}

/// Updates the row of an experiment after the action `action` of `by`, in the form that history uses.
pub(crate) async fn follow(tx: &mut dyn Tx, experiment: &Experiment, by: &str, action: &str) -> Result<()> {
    let milestones = &experiment.milestones;
    let name = experiment.name.as_str();
    let served_arm = match experiment.serving {
        Serving::Winner { arm, .. } => Some(i64::from(arm.0)),
        Serving::Never | Serving::Stopped => None,
    };
    tx.execute(
        "INSERT INTO overview (experiment_id, company_id, project_id, search, name_folded, labels, owner, changed_by, \
           change_action, changed_at, created_at, revision, archived, status, outcome, started_at, ended_at, end_date, \
           concluded_at, served_arm, hypothesis_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) \
         ON CONFLICT (experiment_id) DO UPDATE SET search = excluded.search, name_folded = excluded.name_folded, \
           labels = excluded.labels, changed_by = excluded.changed_by, change_action = excluded.change_action, \
           changed_at = excluded.changed_at, revision = excluded.revision, archived = excluded.archived, \
           status = excluded.status, outcome = excluded.outcome, started_at = excluded.started_at, \
           ended_at = excluded.ended_at, end_date = excluded.end_date, concluded_at = excluded.concluded_at, \
           served_arm = excluded.served_arm, hypothesis_id = excluded.hypothesis_id",
        params![
            experiment.id.0,
            experiment.company_id.0,
            experiment.project_id.0,
            search_text(name, &experiment.key, &experiment.url, &experiment.tags, experiment.id.0),
            fold(name),
            labels(&experiment.tags),
            by,
            action,
            experiment.updated_at.us(),
            experiment.created_at.us(),
            experiment.revision,
            i64::from(experiment.archived),
            experiment.lifecycle.status().word(),
            experiment.conclusion.as_ref().map_or("", |conclusion| conclusion.outcome.word()),
            milestones.first_start.map(|start| start.started_at.us()),
            milestones.ended_at.map(Instant::us),
            experiment.configuration.end_test_date.map(Instant::us),
            experiment.conclusion.as_ref().map(|conclusion| conclusion.concluded_at.us()),
            served_arm,
            experiment.hypothesis_id.map(|id| id.0),
        ],
    )
    .await?;
    Ok(())
}

/// Removes the row of a deleted experiment.
pub(crate) async fn remove(tx: &mut dyn Tx, id: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM overview WHERE experiment_id = $1", params![id.0]).await?;
    Ok(())
}

/// Creates the rows of experiments that are older than the table. It reads the tables as they are at that migration.
pub(crate) async fn fill(tx: &mut dyn Tx) -> muriel_sql::Result<()> {
    let mut last = 0;
    loop {
        let rows = tx
            .query(
                "SELECT e.experiment_id, e.company_id, e.project_id, e.name, e.experiment_key, e.url, e.tags, e.status, \
                   e.outcome, e.configuration, e.created_at, e.updated_at, e.revision, e.first_started_at, e.ended_at, \
                   COALESCE((SELECT f.actor FROM experiment_history f WHERE f.experiment_id = e.experiment_id \
                     ORDER BY f.revision LIMIT 1), 'system') AS owner, \
                   COALESCE((SELECT l.actor FROM experiment_history l WHERE l.experiment_id = e.experiment_id \
                     ORDER BY l.revision DESC LIMIT 1), 'system') AS changed_by, \
                   COALESCE((SELECT a.action FROM experiment_history a WHERE a.experiment_id = e.experiment_id \
                     ORDER BY a.revision DESC LIMIT 1), 'update') AS change_action \
                 FROM experiment e WHERE e.experiment_id > $1 AND e.deleted_at IS NULL ORDER BY e.experiment_id LIMIT $2",
                params![last, FILL_PAGE],
            )
            .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for mut row in rows {
            last = row.int("experiment_id")?;
            let (name, key, url) = (row.text("name")?, row.text("experiment_key")?, row.text("url")?);
            let tags: Vec<String> = serde_json::from_str(&row.text("tags")?).unwrap_or_default();
            let configuration: Json = serde_json::from_str(&row.text("configuration")?).unwrap_or_default();
            let end_date = configuration.get("end_test_date").and_then(Json::as_str);
            let end_date = end_date.and_then(|text| Instant::parse(text).ok()).map(Instant::us);
            tx.execute(
                "INSERT INTO overview (experiment_id, company_id, project_id, search, name_folded, labels, owner, \
                   changed_by, change_action, changed_at, created_at, revision, archived, status, outcome, started_at, \
                   ended_at, end_date) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $13, $14, $15, $16, $17)",
                params![
                    last,
                    row.int("company_id")?,
                    row.int("project_id")?,
                    search_text(&name, &key, &url, &tags, last),
                    fold(&name),
                    labels(&tags),
                    row.text("owner")?,
                    row.text("changed_by")?,
                    row.text("change_action")?,
                    row.int("updated_at")?,
                    row.int("created_at")?,
                    row.int("revision")?,
                    row.text("status")?,
                    row.opt_text("outcome")?.unwrap_or_default(),
                    row.opt_int("first_started_at")?,
                    row.opt_int("ended_at")?,
                    end_date,
                ],
            )
            .await?;
        }
    }
}
