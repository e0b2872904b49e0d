//! Fills the slugs of migration 18 for hypotheses of older databases.

use muriel_domain::hypothesis::{SLUG_MAX, slug_of};
use muriel_domain::text::numbered;
use muriel_sql::{Result, Row, Tx, params};

/// Hypotheses per page.
const PAGE: i64 = 100;

/// Gives every hypothesis a slug from its text. If the slug is taken, the hypothesis's id is appended. If that is taken
/// too, the hypothesis keeps the slug that it has from its id alone.
pub(crate) async fn fill(tx: &mut dyn Tx) -> Result<()> {
    let mut last = 0;
    loop {
        let page = tx
            .query(
                "SELECT hypothesis_id, project_id, observation, problem, solution FROM hypothesis \
                 WHERE hypothesis_id > $1 ORDER BY hypothesis_id LIMIT $2",
                params![last, PAGE],
            )
            .await?;
        if page.is_empty() {
            return Ok(());
        }
        for row in page {
            last = row.int("hypothesis_id")?;
            name(tx, row).await?;
        }
    }
}

async fn name(tx: &mut dyn Tx, mut row: Row) -> Result<()> {
    let (id, project) = (row.int("hypothesis_id")?, row.int("project_id")?);
    let texts = [row.opt_text("observation")?, row.opt_text("problem")?, row.opt_text("solution")?];
    let base = slug_of(texts.each_ref().map(Option::as_deref));
    let number = u32::try_from(id).unwrap_or(u32::MAX);
    for slug in [base.clone(), numbered(&base, number, SLUG_MAX)] {
        let taken = tx
            .query_opt("SELECT 1 FROM hypothesis WHERE project_id = $1 AND slug = $2", params![project, slug.clone()])
            .await?;
        if taken.is_none() {
            tx.execute("UPDATE hypothesis SET slug = $2 WHERE hypothesis_id = $1", params![id, slug]).await?;
            return Ok(());
        }
    }
    Ok(())
}
