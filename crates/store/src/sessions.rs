//! Sessions: the browsers in which people are signed in.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::ids::{PersonId, SessionId};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// Maximum number of sessions of a person. The one used longest ago ends first.
pub const SESSIONS_MAX: i64 = 100;

/// A browser in which a person is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Unique in the database.
    pub id: SessionId,
    /// Person who is signed in.
    pub person: PersonId,
    /// Method of signing in: `password`, `link`, `oidc` or `passkey`.
    pub method: String,
    /// User agent of the browser.
    pub user_agent: String,
    /// Network of the address that signed in.
    pub network: String,
    /// Time of signing in.
    pub created_at: Instant,
    /// Time of the last use, to the minute.
    pub last_seen_at: Instant,
}

table! {
    /// A session with the MAC of its cookie.
    struct SessionRow of "session" {
        generated { session_id: i64 }
        key {}
        fixed {
            person_id: i64,
            mac: Vec<u8>,
            method: String,
            user_agent: String,
            network: String,
            created_at: Instant,
        }
        changing { last_seen_at: Instant }
    }
}

fn session(mut row: Row) -> Result<Session> {
    let row = SessionRow::try_from(&mut row)?;
    Ok(Session {
        id: SessionId(row.session_id),
        person: PersonId(row.person_id),
        method: row.method,
        user_agent: row.user_agent,
        network: row.network,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
    })
}

/// Stores a new session under the MAC of its cookie and returns its new id. Beyond [`SESSIONS_MAX`], the session used
/// longest ago ends.
pub async fn insert(tx: &mut dyn Tx, session: &Session, mac: &[u8; 32]) -> Result<SessionId> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING session_id", SessionRow::insert_sql()));
    let new = session.clone();
    let row = SessionRow {
        session_id: 0,
        person_id: new.person.0,
        mac: mac.to_vec(),
        method: new.method,
        user_agent: new.user_agent,
        network: new.network,
        created_at: new.created_at,
        last_seen_at: new.last_seen_at,
    };
    let id = SessionId(tx.query_one(&STATEMENT, row.insert_values()).await?.int("session_id")?);
    tx.execute(
        "DELETE FROM session WHERE person_id = $1 AND session_id NOT IN \
           (SELECT session_id FROM session WHERE person_id = $1 ORDER BY last_seen_at DESC, session_id DESC LIMIT $2)",
        params![session.person.0, SESSIONS_MAX],
    )
    .await?;
    Ok(id)
}

/// The session whose cookie has this MAC, expired or not.
pub async fn find(tx: &mut dyn Tx, mac: &[u8; 32]) -> Result<Option<Session>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("SELECT {} FROM session s WHERE s.mac = $1", SessionRow::columns("s")));
    tx.query_opt(&STATEMENT, params![mac.to_vec()]).await?.map(session).transpose()
}

/// The sessions of a person, latest sign-in first.
pub async fn list(tx: &mut dyn Tx, person: PersonId) -> Result<Vec<Session>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM session s WHERE s.person_id = $1 ORDER BY s.session_id DESC", SessionRow::columns("s"))
    });
    tx.query(&STATEMENT, params![person.0]).await?.into_iter().map(session).collect()
}

/// Ends one session of a person. Returns whether it existed.
pub async fn revoke(tx: &mut dyn Tx, person: PersonId, id: SessionId) -> Result<bool> {
    let sql = "DELETE FROM session WHERE person_id = $1 AND session_id = $2";
    Ok(tx.execute(sql, params![person.0, id.0]).await? == 1)
}

/// Ends all sessions of a person except `except`. Returns their number.
pub async fn revoke_all(tx: &mut dyn Tx, person: PersonId, except: Option<SessionId>) -> Result<i64> {
    let sql = "DELETE FROM session WHERE person_id = $1 AND session_id <> $2";
    let gone = tx.execute(sql, params![person.0, except.map_or(0, |id| id.0)]).await?;
    Ok(i64::try_from(gone).unwrap_or(i64::MAX))
}

/// Stores when sessions, and with them their people, were last active.
pub async fn touch(tx: &mut dyn Tx, used: &[(SessionId, PersonId, Instant)]) -> Result<()> {
    for (session, person, at) in used {
        tx.execute(
            "UPDATE session SET last_seen_at = $2 WHERE session_id = $1 AND last_seen_at < $2",
            params![session.0, at.us()],
        )
        .await?;
        tx.execute(
            "UPDATE person SET last_seen_at = $2 WHERE person_id = $1 AND (last_seen_at IS NULL OR last_seen_at < $2)",
            params![person.0, at.us()],
        )
        .await?;
    }
    Ok(())
}

/// Deletes sessions that began before `begun`, or were not used since `used`.
pub async fn purge(tx: &mut dyn Tx, begun: Instant, used: Instant) -> Result<()> {
    tx.execute("DELETE FROM session WHERE created_at <= $1 OR last_seen_at <= $2", params![begun.us(), used.us()])
        .await?;
    Ok(())
}
