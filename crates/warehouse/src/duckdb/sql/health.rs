//! Health events: reports by pages of visitors who entered. Needs the table `entry`.

use super::read::Db;
use super::{Result, before, since};
use crate::answer::{AppliedChange, MAX_TRACKED_CHANGES, PageError, PageMeasure, PageTotals, TOP_ERRORS};
use crate::question::ExperimentQuestion;
use muriel_domain::Instant;

/// Measure columns, in the order in which [`HealthEvents::pages`] reads them.
const MEASURES: [&str; 4] = ["hidden", "lcp", "cls", "inp"];

/// The health events of an experiment.
pub(super) struct HealthEvents<'q> {
    pub(super) question: &'q ExperimentQuestion,
    pub(super) project: u64,
    pub(super) test: i64,
}

impl HealthEvents<'_> {
    /// SQL query of these events.
    fn rows(&self) -> String {
        format!(
            "SELECT * FROM health WHERE project = {project} AND test = {test}{started}{until}",
            project = self.project,
            test = self.test,
            started = since("\"at\"", self.question.started_at),
            until = before("\"at\"", self.question.until),
        )
    }

    /// Matches of changes, by arm and index of the change.
    pub(super) fn changes(&self, db: &Db<'_>) -> Result<Vec<AppliedChange>> {
        let sql = format!(
            r#"WITH
                 told AS NOT MATERIALIZED ({rows} AND asked <> 0),
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
            rows = self.rows(),
        );
        db.rows(&sql, |row| {
            Ok(AppliedChange { variant: row.get(0)?, change: row.get(1)?, pages: row.get(2)?, matched: row.get(3)? })
        })
    }

    /// Measures and failures of the arms' pages, by epoch and arm.
    pub(super) fn pages(&self, db: &Db<'_>) -> Result<Vec<PageTotals>> {
        // Events sent with an API key take precedence: if a visitor has any, only they
        // count.
        let any = |flag: &str| {
            format!(
                "CASE WHEN bool_or(told.vouched) THEN bool_or(told.{flag} AND told.vouched) ELSE bool_or(told.{flag}) END AS {flag}"
            )
        };
        let first = |measure: &str| {
            format!(
                r#"min(struct_pack(displaced := NOT told.vouched, "at" := told."at", id := told.id, measure := told.{measure}))
                     FILTER (told.{measure} IS NOT NULL).measure AS {measure}"#
            )
        };
        let sums = |measure: &str| {
            format!(
                "count({measure}), coalesce(sum({measure}), 0)::UBIGINT, coalesce(sum({measure} * {measure}), 0)::UBIGINT"
            )
        };
        let sql = format!(
            "WITH
               told AS NOT MATERIALIZED ({rows}),
               visitors AS (
                 SELECT entry.epoch, entry.variant, {failed}, {late}, {first}
                 FROM told JOIN entry ON told.visitor = entry.visitor AND told.variant = entry.variant
                 GROUP BY entry.visitor, entry.epoch, entry.variant)
             SELECT epoch, variant, count(*) FILTER (failed), count(*) FILTER (late), {sums}
             FROM visitors GROUP BY epoch, variant ORDER BY epoch, variant",
            rows = self.rows(),
            failed = any("failed"),
            late = any("late"),
            first = MEASURES.map(first).join(", "),
            sums = MEASURES.map(sums).join(", "),
        );
        let totals = db.rows(&sql, |row| {
            let measure = |at: usize| -> duckdb::Result<PageMeasure> {
                Ok(PageMeasure { visitors: row.get(at)?, sum: row.get(at + 1)?, squares: row.get(at + 2)? })
            };
            Ok(PageTotals {
                epoch: row.get(0)?,
                variant: row.get(1)?,
                failed: row.get(2)?,
                late: row.get(3)?,
                hidden: measure(4)?,
                lcp: measure(7)?,
                cls: measure(10)?,
                inp: measure(13)?,
            })
        })?;
        Ok(totals.into_iter().filter(PageTotals::has_reports).collect())
    }

    /// Messages of the errors that most visitors had, by arm.
    pub(super) fn errors(&self, db: &Db<'_>) -> Result<Vec<PageError>> {
        // The value with the most visitors among those who had an error.
        let most = |column: &str| {
            format!(
                "{column}s AS (
                   SELECT variant, error, {column} FROM counted WHERE {column} IS NOT NULL GROUP BY variant, error, {column}
                   QUALIFY row_number() OVER (
                     PARTITION BY variant, error ORDER BY count(DISTINCT visitor) DESC, {column}) = 1)"
            )
        };
        let sql = format!(
            r#"WITH
                 told AS NOT MATERIALIZED ({rows}),
                 met AS MATERIALIZED (
                   SELECT told.visitor, told.variant, told.vouched, told."at", told.error, told.page, told.browser
                   FROM told JOIN entry ON told.visitor = entry.visitor AND told.variant = entry.variant
                   WHERE told.error IS NOT NULL),
                 -- Of a visitor of whom a key vouched for anything, only that counts.
                 keyed AS (
                   SELECT DISTINCT told.visitor
                   FROM told SEMI JOIN met ON told.visitor = met.visitor AND told.variant = met.variant WHERE told.vouched),
                 counted AS (SELECT * FROM met WHERE vouched OR visitor NOT IN (SELECT visitor FROM keyed)),
                 messages AS (
                   SELECT variant, error, count(DISTINCT visitor) AS visitors, min("at") AS first_at, max("at") AS last_at
                   FROM counted GROUP BY variant, error
                   QUALIFY row_number() OVER (PARTITION BY variant ORDER BY visitors DESC, error) <= {TOP_ERRORS}),
                 {pages},
                 {browsers}
               SELECT variant, error, page, browser, visitors::UBIGINT, first_at, last_at
               FROM messages LEFT JOIN pages USING (variant, error) LEFT JOIN browsers USING (variant, error)
               ORDER BY variant, visitors DESC, error"#,
            rows = self.rows(),
            pages = most("page"),
            browsers = most("browser"),
        );
        db.rows(&sql, |row| {
            Ok(PageError {
                variant: row.get(0)?,
                message: row.get(1)?,
                url: row.get(2)?,
                browser: row.get(3)?,
                visitors: row.get(4)?,
                first_at: Instant::from_us(row.get(5)?),
                last_at: Instant::from_us(row.get(6)?),
            })
        })
    }
}
