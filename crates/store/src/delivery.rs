//! Versions of what each project delivers to visitors.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::tenants::{self, Project};
use muriel_domain::ids::ProjectId;
use muriel_sql::{Tx, params};

/// The channel on which changes of a project's delivery are announced; the payload is
/// the project's id.
pub const CHANNEL: &str = "muriel_delivery";

/// A project, and a number that grows with every change of its experiments, its
/// goals and its settings for pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned {
    /// The project.
    pub project: Project,
    /// Grows with each change, by steps that have no meaning.
    pub version: i64,
}

/// Every project with its version.
pub async fn versions(tx: &mut dyn Tx) -> Result<Vec<Versioned>> {
    let rows = tx
        .query(
            "SELECT p.project_id, p.company_id, p.project_key, p.name, \
                    p.page_settings_revision + COALESCE(e.version, 0) + COALESCE(g.version, 0) AS version \
             FROM project p \
             LEFT JOIN (SELECT project_id, CAST(SUM(revision) AS BIGINT) AS version FROM experiment \
                        GROUP BY project_id) e ON e.project_id = p.project_id \
             LEFT JOIN (SELECT project_id, \
                               CAST(SUM(revision + CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END) AS BIGINT) AS version \
                        FROM goal GROUP BY project_id) g ON g.project_id = p.project_id \
             ORDER BY p.project_id",
            params![],
        )
        .await?;
    rows.into_iter()
        .map(|row| {
            let version = row.int("version")?;
            Ok(Versioned { project: tenants::project(row)?, version })
        })
        .collect()
}

/// The version of one project.
pub async fn version(tx: &mut dyn Tx, project: ProjectId) -> Result<i64> {
    let row = tx
        .query_one(
            "SELECT COALESCE((SELECT page_settings_revision FROM project WHERE project_id = $1), 0) \
             + COALESCE((SELECT CAST(SUM(revision) AS BIGINT) FROM experiment WHERE project_id = $1), 0) \
             + COALESCE((SELECT CAST(SUM(revision + CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END) AS BIGINT) \
                         FROM goal WHERE project_id = $1), 0) AS version",
            params![project.0],
        )
        .await?;
    Ok(row.int("version")?)
}

/// Notifies other nodes, once the transaction commits, that the delivery of this
/// project has changed.
pub async fn announce(tx: &mut dyn Tx, project: ProjectId) -> Result<()> {
    Ok(tx.notify(CHANNEL, &project.to_string()).await?)
}
