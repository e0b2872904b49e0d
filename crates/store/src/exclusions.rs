//! Exclusions: recorded visits that a project does not count in results.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::exclusion::{Exclusion, ExclusionKind};
use muriel_domain::ids::{ExclusionId, ProjectId};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// An exclusion of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredExclusion {
    /// Exclusion id.
    pub id: ExclusionId,
    /// The exposures that do not count.
    pub exclusion: Exclusion,
    /// Time of creation.
    pub created_at: Instant,
    /// Author, in the form that history uses.
    pub created_by: String,
}

table! {
    /// An exclusion of a project.
    struct ExclusionRow of "exclusion" {
        generated { exclusion_id: i64 }
        key {}
        fixed {
            project_id: i64,
            kind: String,
            value: Option<String>,
            from_at: Option<Instant>,
            until_at: Option<Instant>,
            reason: String,
            created_at: Instant,
            created_by: String,
        }
        changing {}
    }
}

fn read(mut row: Row) -> Result<StoredExclusion> {
    let row = ExclusionRow::try_from(&mut row)?;
    let kind = ExclusionKind::parse(&row.kind).ok_or_else(|| row.damaged("kind", "a kind of exclusion"))?;
    Ok(StoredExclusion {
        id: ExclusionId(row.exclusion_id),
        exclusion: Exclusion { kind, value: row.value, from: row.from_at, until: row.until_at, reason: row.reason },
        created_at: row.created_at,
        created_by: row.created_by,
    })
}

/// Stores an exclusion and returns its id.
pub async fn insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    exclusion: &Exclusion,
    created_at: Instant,
    created_by: &str,
) -> Result<ExclusionId> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("{} RETURNING exclusion_id", ExclusionRow::insert_sql()));
    let exclusion = exclusion.clone();
    let row = ExclusionRow {
        exclusion_id: 0,
        project_id: project.0,
        kind: exclusion.kind.word().to_owned(),
        value: exclusion.value,
        from_at: exclusion.from,
        until_at: exclusion.until,
        reason: exclusion.reason,
        created_at,
        created_by: created_by.to_owned(),
    };
    Ok(ExclusionId(tx.query_one(&STATEMENT, row.insert_values()).await?.int("exclusion_id")?))
}

/// The project's exclusions, oldest first.
pub async fn of_project(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<StoredExclusion>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let columns = ExclusionRow::columns("x");
        format!("SELECT {columns} FROM exclusion x WHERE x.project_id = $1 ORDER BY x.exclusion_id")
    });
    tx.query(&STATEMENT, params![project.0]).await?.into_iter().map(read).collect()
}

/// Deletes an exclusion of the project.
pub async fn delete(tx: &mut dyn Tx, project: ProjectId, id: ExclusionId) -> Result<()> {
    let sql = "DELETE FROM exclusion WHERE project_id = $1 AND exclusion_id = $2";
    tx.execute(sql, params![project.0, id.0]).await?;
    Ok(())
}

/// Deletes the exclusions that name a visitor.
pub async fn forget_visitor(tx: &mut dyn Tx, project: ProjectId, visitor: &str) -> Result<()> {
    let sql = "DELETE FROM exclusion WHERE project_id = $1 AND kind = $2 AND value = $3";
    tx.execute(sql, params![project.0, ExclusionKind::Visitor.word().to_owned(), visitor.to_owned()]).await?;
    Ok(())
}
