//! Appends rows to the tables.

use duckdb::{Connection, params};

use crate::Result;
use crate::row::{ProfileRow, RewriteRow, Rows, UrlRow, VisitorRow};

/// Appends rows of the log with number `log` in the transaction of `conn`, except the records of
/// rewrites. Columns are in the order of `schema.sql`.
pub(super) fn append(
    conn: &Connection,
    log: u8,
    rows: &Rows,
    urls: &[&UrlRow],
    profiles: &[&ProfileRow],
    visitors: &[&VisitorRow],
) -> Result<()> {
    let mut table = conn.appender("events")?;
    for row in &rows.events {
        table.append_row(params![
            row.project,
            row.visitor,
            row.at,
            row.id,
            row.kind,
            row.name,
            row.url,
            row.amount,
            row.unit,
            row.refund_of,
            row.currency,
            row.session,
            row.trusted,
            row.signed,
            log,
            row.seq
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("exposures")?;
    for row in &rows.exposures {
        table.append_row(params![
            row.project,
            row.test,
            row.visitor,
            row.variant,
            row.epoch,
            row.at,
            row.id,
            row.bot,
            row.trusted,
            row.signed,
            row.late,
            row.network,
            row.session,
            row.url,
            row.origin,
            row.profile,
            row.landing_page,
            row.referrer,
            row.utm[0],
            row.utm[1],
            row.utm[2],
            log,
            row.seq
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("health")?;
    for row in &rows.health {
        table.append_row(params![
            row.project,
            row.test,
            row.visitor,
            row.variant,
            row.at,
            row.id,
            row.trusted,
            row.asked,
            row.found,
            row.failed,
            row.late,
            row.hidden,
            row.lcp,
            row.cls,
            row.inp,
            row.error,
            row.page,
            row.browser.as_deref(),
            log,
            row.seq
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("urls")?;
    for row in urls {
        table.append_row(params![row.project, row.url, row.text])?;
    }
    table.flush()?;
    let mut table = conn.appender("profiles")?;
    for row in profiles {
        table.append_row(params![
            row.project,
            row.profile,
            row.device.as_deref(),
            row.browser.as_deref(),
            row.os.as_deref(),
            row.country.as_deref(),
            row.user_type,
            row.source
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("visitors")?;
    for row in visitors {
        table.append_row(params![row.project, row.visitor, row.text])?;
    }
    table.flush()?;
    let mut table = conn.appender("damage")?;
    for row in &rows.damage {
        table.append_row(params![row.project, log, row.first, row.last])?;
    }
    table.flush()?;
    Ok(())
}

/// Appends records of rewrites. `in_place` is true when the rows of the blocks were replaced.
pub(super) fn append_rewrites(conn: &Connection, log: u8, rows: &[RewriteRow], in_place: bool) -> Result<()> {
    let mut table = conn.appender("rewritten")?;
    for row in rows {
        let in_place = in_place && !row.is_expired;
        let RewriteRow { project, seq, nth, removed, at, is_expired } = row;
        table.append_row(params![log, seq, nth, project, removed, at, is_expired, in_place])?;
    }
    table.flush()?;
    Ok(())
}
