//! Whether the changes of arms found what they change.

use super::read::Db;
use super::{Result, before, since};
use crate::answer::{AppliedChange, MAX_TRACKED_CHANGES};
use crate::question::ExperimentQuestion;

/// What the changes found, by arm and place. Needs the table `entry`.
pub(super) fn answer(
    db: &Db<'_>,
    question: &ExperimentQuestion,
    project: u64,
    test: i64,
) -> Result<Vec<AppliedChange>> {
    let sql = format!(
        r#"WITH
             told AS NOT MATERIALIZED (
               SELECT visitor, variant, "at", id, vouched, asked, found FROM applied
               WHERE project = {project} AND test = {test}{started}{until}),
             -- Of each visitor who entered, the first in the arm that counts: of what a key vouched for, if there is any.
             first AS (
               SELECT told.variant, told.asked, told.found
               FROM told JOIN entry ON told.visitor = entry.visitor AND told.variant = entry.variant
               QUALIFY row_number() OVER (
                 PARTITION BY told.visitor ORDER BY NOT told.vouched, told."at", told.id, told.asked, told.found) = 1),
             -- Few differ from each other.
             alike AS (SELECT variant, asked, found, count(*) AS pages FROM first GROUP BY ALL),
             bits AS (
               SELECT variant, number::UINTEGER AS change, pages, (found >> number) & 1 AS matched
               FROM alike, range({MAX_TRACKED_CHANGES}) AS numbers(number) WHERE (asked >> number) & 1 = 1)
           SELECT variant, change, sum(pages)::UBIGINT, sum(pages * matched)::UBIGINT
           FROM bits GROUP BY ALL ORDER BY variant, change"#,
        started = since("\"at\"", question.started_at),
        until = before("\"at\"", question.until),
    );
    db.rows(&sql, |row| {
        Ok(AppliedChange { variant: row.get(0)?, change: row.get(1)?, pages: row.get(2)?, matched: row.get(3)? })
    })
}
