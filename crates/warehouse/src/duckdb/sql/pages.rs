//! URL patterns of goals.

use duckdb::arrow::array::{Array, StringArray, UInt64Array};
use muriel_domain::goal::Trigger;
use muriel_domain::page_pattern::PagePattern;

use super::literal;
use super::read::Db;
use crate::Result;
use crate::row::hash_url;

/// URLs matched per batch.
const BATCH: usize = 250_000;

/// SQL condition on `e.url`: the URLs that the goal counts. Creates the table `pages` when each URL of the project must be
/// matched here.
pub(super) fn condition(db: &Db<'_>, project: u64, trigger: &Trigger) -> Result<String> {
    // A valid goal has a pattern.
    let Some(pattern) = PagePattern::of(trigger) else { return Ok("false".into()) };
    match &pattern {
        PagePattern::Contains(part) => Ok(format!(
            "e.url IN (SELECT url FROM urls WHERE project = {project} AND contains(text, {}))",
            literal(part)
        )),
        PagePattern::Exact(forms) => {
            let hashes: Vec<String> = forms.iter().map(|form| hash_url(form).to_string()).collect();
            Ok(format!("e.url IN ({})", hashes.join(", ")))
        }
        PagePattern::Wildcard(_) | PagePattern::Regex(_) => collect(db, project, |text| pattern.matches(text)),
    }
}

/// Creates the table `pages` of matching URLs, and returns the condition for being one of
/// them.
///
/// URLs are matched here, in batches, because the database's own patterns have other
/// semantics and can take exponential time.
fn collect(db: &Db<'_>, project: u64, matches: impl Fn(&str) -> bool) -> Result<String> {
    db.run("CREATE OR REPLACE TEMP TABLE pages (url UBIGINT)")?;
    let rows: i64 = db.row("SELECT coalesce(max(rowid) + 1, 0) FROM urls", |row| row.get(0))?;
    let mut pages = db.connection.appender_to_catalog_and_db("pages", "temp", "main")?;
    for from in (0..rows).step_by(BATCH) {
        db.stop.check()?;
        let sql = format!(
            "SELECT url, text FROM urls WHERE project = {project} AND rowid >= {from} AND rowid < {}",
            from + BATCH as i64
        );
        let mut statement = db.connection.prepare(&sql)?;
        for batch in statement.query_arrow([])? {
            let urls = batch.column(0).as_any().downcast_ref::<UInt64Array>();
            let texts = batch.column(1).as_any().downcast_ref::<StringArray>();
            let (Some(urls), Some(texts)) = (urls, texts) else {
                return Err(duckdb::Error::InvalidQuery.into());
            };
            for (row, text) in texts.iter().enumerate() {
                if text.is_some_and(&matches) {
                    pages.append_row([urls.value(row)])?;
                }
            }
        }
    }
    pages.flush()?;
    Ok("e.url IN (SELECT url FROM pages)".into())
}
