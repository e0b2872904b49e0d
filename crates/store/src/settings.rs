//! Settings of the whole database.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use muriel_sql::{Tx, params};

/// The setting of this name. Without one, stores `value` and returns it.
pub async fn get_or_set(tx: &mut dyn Tx, name: &str, value: &str) -> Result<String> {
    tx.execute("INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", params![name, value])
        .await?;
    Ok(tx.query_one("SELECT value FROM setting WHERE name = $1", params![name]).await?.text("value")?)
}

/// The setting of this name, if there is one.
pub async fn get(tx: &mut dyn Tx, name: &str) -> Result<Option<String>> {
    let row = tx.query_opt("SELECT value FROM setting WHERE name = $1", params![name]).await?;
    Ok(row.map(|mut row| row.text("value")).transpose()?)
}
