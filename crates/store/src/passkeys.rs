//! Passkeys: keys of devices with which people sign in.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::ids::{PasskeyId, PersonId};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// Maximum number of passkeys of a person.
pub const PASSKEYS_MAX: usize = 20;

/// A passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Unique in the database.
    pub id: PasskeyId,
    /// Owner of the passkey.
    pub person: PersonId,
    /// Name that the person gave it.
    pub name: String,
    /// Credential id, by which the device knows it.
    pub credential: Vec<u8>,
    /// Public key (COSE).
    pub key: Vec<u8>,
    /// Signature counter of the device; 0 for a device without a counter.
    pub count: i64,
    /// Time of enrolment.
    pub created_at: Instant,
    /// Time of the last sign-in with it.
    pub last_used_at: Option<Instant>,
}

table! {
    struct PasskeyRow of "passkey" {
        generated { passkey_id: i64 }
        key {}
        fixed {
            person_id: i64,
            name: String,
            credential: Vec<u8>,
            public_key: Vec<u8>,
            created_at: Instant,
        }
        changing { use_count: i64, last_used_at: Option<Instant> }
    }
}

fn passkey(mut row: Row) -> Result<Passkey> {
    let row = PasskeyRow::try_from(&mut row)?;
    Ok(Passkey {
        id: PasskeyId(row.passkey_id),
        person: PersonId(row.person_id),
        name: row.name,
        credential: row.credential,
        key: row.public_key,
        count: row.use_count,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
    })
}

/// Stores a new passkey and returns its new id.
///
/// # Errors
/// `passkey_credential_key` when the credential is stored already.
pub async fn insert(tx: &mut dyn Tx, new: &Passkey) -> Result<PasskeyId> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING passkey_id", PasskeyRow::insert_sql()));
    let new = new.clone();
    let row = PasskeyRow {
        passkey_id: 0,
        person_id: new.person.0,
        name: new.name,
        credential: new.credential,
        public_key: new.key,
        created_at: new.created_at,
        use_count: new.count,
        last_used_at: new.last_used_at,
    };
    Ok(PasskeyId(tx.query_one(&STATEMENT, row.insert_values()).await?.int("passkey_id")?))
}

/// The passkey with this credential id.
pub async fn find(tx: &mut dyn Tx, credential: &[u8]) -> Result<Option<Passkey>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("SELECT {} FROM passkey k WHERE k.credential = $1", PasskeyRow::columns("k")));
    tx.query_opt(&STATEMENT, params![credential.to_vec()]).await?.map(passkey).transpose()
}

/// The passkeys of a person, oldest first.
pub async fn list(tx: &mut dyn Tx, person: PersonId) -> Result<Vec<Passkey>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM passkey k WHERE k.person_id = $1 ORDER BY k.passkey_id", PasskeyRow::columns("k"))
    });
    tx.query(&STATEMENT, params![person.0]).await?.into_iter().map(passkey).collect()
}

/// Records a sign-in with a passkey. Returns false when the counter is not greater than the stored one: a device with a
/// counter always counts up, so of two requests with the same count only one succeeds.
pub async fn used(tx: &mut dyn Tx, id: PasskeyId, count: i64, now: Instant) -> Result<bool> {
    let sql = "UPDATE passkey SET use_count = $2, last_used_at = $3 \
               WHERE passkey_id = $1 AND (use_count < $2 OR (use_count = 0 AND $2 = 0))";
    Ok(tx.execute(sql, params![id.0, count, now.us()]).await? == 1)
}

/// Removes one passkey of a person. Returns its name, if it existed.
pub async fn remove(tx: &mut dyn Tx, person: PersonId, id: PasskeyId) -> Result<Option<String>> {
    let sql = "DELETE FROM passkey WHERE person_id = $1 AND passkey_id = $2 RETURNING name";
    Ok(tx.query_opt(sql, params![person.0, id.0]).await?.map(|mut row| row.text("name")).transpose()?)
}

/// Removes all passkeys of a person.
pub async fn remove_all(tx: &mut dyn Tx, person: PersonId) -> Result<()> {
    tx.execute("DELETE FROM passkey WHERE person_id = $1", params![person.0]).await?;
    Ok(())
}
