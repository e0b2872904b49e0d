//! Entry of a project's visitors into a holdout, held out or not.

use duckdb::Connection;
use muriel_assign::document::GroupRange;

use super::read::Db;
use super::{Result, before, since};
use crate::question::ExperimentQuestion;
use crate::row::kind::LOST;

/// Approximate number of visitors whose ids are read at once. They need memory in addition to
/// that of the statement.
const IDS_AT_ONCE: u64 = 1_000_000;

/// Creates the table `entry`. Visitors have no attributes, so a filter matches nobody.
pub(super) fn enter(db: &Db<'_>, question: &ExperimentQuestion, project: u64, range: &GroupRange) -> Result<()> {
    let from = question.from.map_or_else(String::new, |from| format!(r#" HAVING min("at") >= {}"#, from.us()));
    let (started, until) = (since("\"at\"", question.started_at), before("\"at\"", question.until));
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE seen AS
           SELECT visitor, min("at") AS "at" FROM events WHERE project = {project} AND kind <> {LOST}{started}{until}
           GROUP BY visitor{from}"#
    ))?;
    place(db, project, range)?;
    let epoch = question.epochs.first().map_or(0, |(epoch, _)| *epoch);
    let other = question.epoch.is_some_and(|asked| asked != epoch);
    let nobody = if other || question.filter != Default::default() { " WHERE false" } else { "" };
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE entry AS
           SELECT seen.visitor, seen."at", (held_out.visitor IS NULL)::UTINYINT AS variant, {epoch}::BIGINT AS epoch,
                  NULL::UBIGINT AS profile, NULL::UBIGINT AS "session", false AS several
           FROM seen LEFT JOIN held_out USING (visitor){nobody};
           DROP TABLE seen; DROP TABLE held_out"#
    ))
}

/// Creates the table `held_out`: the visitors of `seen` whose position is in the group range.
fn place(db: &Db<'_>, project: u64, range: &GroupRange) -> Result<()> {
    let is_held_out = range.membership();
    db.run("CREATE OR REPLACE TEMP TABLE held_out (visitor UBIGINT NOT NULL)")?;
    let seen: u64 = db.row("SELECT count(*) FROM seen", |row| row.get(0))?;
    let parts = seen / IDS_AT_ONCE + 1;
    for part in 0..parts {
        // Two ids with the same hash share one position, that of the smaller id.
        let sql = format!(
            "SELECT visitor, min(text) FROM visitors
             WHERE project = {project} AND visitor % {parts} = {part} AND visitor IN (SELECT visitor FROM seen)
             GROUP BY visitor"
        );
        let held_out = db.rows(&sql, |row| {
            let text: String = row.get(1)?;
            Ok(is_held_out(&text).then_some(row.get::<_, u64>(0)?))
        })?;
        append(db.connection, held_out.into_iter().flatten())?;
    }
    Ok(())
}

fn append(connection: &Connection, visitors: impl Iterator<Item = u64>) -> Result<()> {
    let mut table = connection.appender_to_catalog_and_db("held_out", "temp", "main")?;
    for visitor in visitors {
        table.append_row([visitor])?;
    }
    Ok(table.flush()?)
}
