//! Links that show a result to people who are not signed in.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::people::reference;
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::ids::{ExperimentId, PersonId, ProjectId, ShareId};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// A link to a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Share id. It is not secret and does not open the result.
    pub id: ShareId,
    /// Project of the experiment.
    pub project: ProjectId,
    /// Experiment whose result it shows.
    pub experiment: ExperimentId,
    /// Selection of visitors that the result is about: JSON.
    pub query: String,
    /// Time of creation.
    pub created_at: Instant,
    /// Author, in the form that history uses.
    pub created_by: String,
    /// Time from which on it is refused.
    pub expires_at: Instant,
    /// Time of the revocation.
    pub revoked_at: Option<Instant>,
    /// Actor who revoked it.
    pub revoked_by: Option<String>,
    /// Hour in which it was last opened, if that was stored.
    pub opened_at: Option<Instant>,
}

impl Share {
    /// Returns whether it still opens the result.
    pub fn is_open(&self, now: Instant) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }
}

table! {
    /// A link to a result.
    struct ShareRow of "share" {
        generated { share_id: i64 }
        key {}
        fixed {
            project_id: i64,
            experiment_id: i64,
            mac: Vec<u8>,
            query: String,
            created_at: Instant,
            created_by: String,
            expires_at: Instant,
        }
        changing {
            revoked_at: Option<Instant>,
            revoked_by: Option<String>,
            opened_at: Option<Instant>,
        }
    }
}

fn read(mut row: Row) -> Result<Share> {
    let row = ShareRow::try_from(&mut row)?;
    Ok(Share {
        id: ShareId(row.share_id),
        project: ProjectId(row.project_id),
        experiment: ExperimentId(row.experiment_id),
        query: row.query,
        created_at: row.created_at,
        created_by: row.created_by,
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
        revoked_by: row.revoked_by,
        opened_at: row.opened_at,
    })
}

/// A statement that selects the shares `s` of experiments that are not deleted.
fn select(rest: &str) -> String {
    format!(
        "SELECT {} FROM share s JOIN experiment e ON e.experiment_id = s.experiment_id AND e.deleted_at IS NULL {rest}",
        ShareRow::columns("s")
    )
}

/// Stores a new share under the MAC of its token and returns its new id. The id in `share` is not used.
pub async fn insert(tx: &mut dyn Tx, share: &Share, mac: &[u8; 32]) -> Result<ShareId> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING share_id", ShareRow::insert_sql()));
    let share = share.clone();
    let row = ShareRow {
        share_id: 0,
        project_id: share.project.0,
        experiment_id: share.experiment.0,
        mac: mac.to_vec(),
        query: share.query,
        created_at: share.created_at,
        created_by: share.created_by,
        expires_at: share.expires_at,
        revoked_at: share.revoked_at,
        revoked_by: share.revoked_by,
        opened_at: share.opened_at,
    };
    Ok(ShareId(tx.query_one(&STATEMENT, row.insert_values()).await?.int("share_id")?))
}

/// The share whose token has this MAC.
pub async fn by_mac(tx: &mut dyn Tx, mac: &[u8; 32]) -> Result<Option<Share>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("WHERE s.mac = $1"));
    tx.query_opt(&STATEMENT, params![mac.to_vec()]).await?.map(read).transpose()
}

/// The project's share with this id.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: ShareId) -> Result<Option<Share>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("WHERE s.project_id = $1 AND s.share_id = $2"));
    tx.query_opt(&STATEMENT, params![project.0, id.0]).await?.map(read).transpose()
}

/// The shares of an experiment, newest first.
pub async fn of_experiment(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Vec<Share>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| select("WHERE s.project_id = $1 AND s.experiment_id = $2 ORDER BY s.share_id DESC"));
    tx.query(&STATEMENT, params![project.0, id.0]).await?.into_iter().map(read).collect()
}

/// Deletes a share. From then on, its token is treated like one that never existed.
pub async fn delete(tx: &mut dyn Tx, id: ShareId) -> Result<()> {
    tx.execute("DELETE FROM share WHERE share_id = $1", params![id.0]).await?;
    Ok(())
}

/// Revokes the share. Returns false when it was revoked before.
pub async fn revoke(tx: &mut dyn Tx, id: ShareId, now: Instant, by: &str) -> Result<bool> {
    let sql = "UPDATE share SET revoked_at = $2, revoked_by = $3 WHERE share_id = $1 AND revoked_at IS NULL";
    Ok(tx.execute(sql, params![id.0, now.us(), by]).await? == 1)
}

/// Revokes all shares that a person has made, also those made with the person's API keys. Returns the number of those
/// that had not expired.
pub async fn revoke_of(tx: &mut dyn Tx, maker: PersonId, now: Instant, by: &str) -> Result<u64> {
    let sql = "UPDATE share SET revoked_at = $3, revoked_by = $4 WHERE revoked_at IS NULL AND expires_at > $3 \
               AND (created_by = $2 OR created_by IN (SELECT key_id FROM api_key WHERE created_by = $1))";
    Ok(tx.execute(sql, params![maker.0, reference(maker), now.us(), by]).await?)
}

/// Stores when shares were opened. A later time that is stored already stays.
pub async fn opened(tx: &mut dyn Tx, openings: &[(ShareId, Instant)]) -> Result<()> {
    for (id, at) in openings {
        let sql = "UPDATE share SET opened_at = $2 WHERE share_id = $1 AND (opened_at IS NULL OR opened_at < $2)";
        tx.execute(sql, params![id.0, at.us()]).await?;
    }
    Ok(())
}
