//! Checks for tests.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::milestones::{Derived, derive, page};
use muriel_sql::{Tx, params};

/// Compares the columns that migration 9 filled, and later changes wrote, with the values derived from history. Returns
/// a line for each experiment in which they differ.
pub async fn contradictions(tx: &mut dyn Tx) -> Result<Vec<String>> {
    let (mut found, mut last) = (Vec::new(), 0);
    loop {
        let page = page(tx, last).await?;
        let Some(end) = page.last() else { return Ok(found) };
        last = end.id;
        for current in &page {
            let (derived, stored) = (derive(tx, current).await?, stored(tx, current.id).await?);
            if derived != stored {
                found.push(format!("experiment {}: history says {derived:?}, stored is {stored:?}", current.id));
            }
        }
    }
}

/// Rebuilds the overview in the way of the migrations that added it for existing experiments.
pub async fn refill_overview(tx: &mut dyn Tx) -> Result<()> {
    tx.execute("DELETE FROM overview", params![]).await?;
    crate::overview_rows::fill(tx).await?;
    Ok(crate::programme::fill(tx).await?)
}

async fn stored(tx: &mut dyn Tx, id: i64) -> Result<Derived> {
    let row = tx
        .query_one(
            "SELECT first_started_at, first_opened_at, planned_visitors, deployed_at, ended_at, code_redefined_at, \
               control_redefined_at, most_variants FROM experiment WHERE experiment_id = $1",
            params![id],
        )
        .await?;
    let variants =
        tx.query("SELECT redefined_at FROM variant WHERE experiment_id = $1 ORDER BY number", params![id]).await?;
    let redefined = variants.iter().map(|row| row.opt_int("redefined_at"));
    Ok(Derived {
        first_started_at: row.opt_int("first_started_at")?,
        first_opened_at: row.opt_int("first_opened_at")?,
        planned_visitors: row.opt_int("planned_visitors")?,
        deployed_at: row.opt_int("deployed_at")?,
        ended_at: row.opt_int("ended_at")?,
        code_redefined_at: row.opt_int("code_redefined_at")?,
        control_redefined_at: row.opt_int("control_redefined_at")?,
        most_variants: row.int("most_variants")?,
        variants_redefined_at: redefined.collect::<muriel_sql::Result<_>>()?,
    })
}
