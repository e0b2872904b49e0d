//! Questions as SQL, and rows as answers.
//!
//! A question is answered within one transaction, so that the whole answer is consistent.
//! It creates temporary tables, which belong to the connection and are removed with the
//! transaction:
//!
//! | table | |
//! |---|---|
//! | `placed` | visitors placed in an arm by a keyed exposure, who also have exposures without a key |
//! | `entry` | one row per visitor who entered and passes the filter: time, arm, epoch and attributes |
//! | `seen` | time of each visitor's first event within a holdout's period |
//! | `held_out` | visitors of `seen` who are held out |
//! | `other_entry` | like `entry`, for the other experiment of a pair |
//! | `alike` | number of visitors of `entry` with the same profile, by arm |
//! | `segments` | numbered values of the breakdown that have their own segment |
//! | `segment_profiles` | segment number of each profile |
//! | `pages` | URLs that match a pattern |
//! | `orders` | the orders of a metric, deduplicated, and their refunds |
//! | `refunds` | the refunds of a metric, deduplicated |
//! | `matched` | the events that count for a metric, when they are needed twice |
//! | `earnings` | value of each visitor with an order |
//! | `did` | events in the visits in which visitors entered |
//! | `active` | visitors who did not bounce, or were engaged, and since when |
//!
//! Numbers and texts are written into the SQL as literals. With known values the plan
//! skips row groups that cannot match; with parameters it would read all of them.

mod entry;
mod exchange;
mod health;
mod holdout;
mod orders;
mod outcome;
mod pages;
mod pair;
mod read;
mod visit;

use std::collections::BTreeMap;
use std::slice;

use duckdb::Connection;
use muriel_domain::Instant;

use super::mark_of;
use crate::answer::{
    ActivityAnswer, ActivityDay, ExperimentAnswer, LostBlocks, PagesAnswer, RewrittenBlocks, TrafficAnswer,
    VisitorTotals,
};
use crate::question::{
    ActivityQuestion, CountedOutcome, Dimension, ExperimentQuestion, Metric, PagesQuestion, Population,
    TrafficQuestion, VisitorsQuestion,
};
use crate::row::hash_text;
use crate::row::kind::LOST;
use crate::{Result, StopToken, VISIT_AFTER_ENTRY_US, Watermarks};
use muriel_log::LogId;

use self::outcome::{Cells, MetricContext, Outcomes};
pub(super) use self::pair::{pair, shared};
use self::read::Db;

/// Answers a question.
pub(super) fn ask(
    connection: &Connection,
    question: &ExperimentQuestion,
    stop: &StopToken,
    wants_networks: &mut dyn FnMut(&ExperimentAnswer) -> bool,
) -> Result<ExperimentAnswer> {
    snapshot(connection, stop, |db| {
        let project = hash_text(&question.project_key);
        let mut exposed = None;
        let health = match &question.population {
            Population::Exposed { test_id } => {
                let exposures = entry::Exposures::find(db, question, project, *test_id)?;
                entry::enter(db, question, project, &exposures)?;
                let events = health::HealthEvents { question, project, test: *test_id };
                let (applied, pages, errors) = (events.changes(db)?, events.pages(db)?, events.errors(db)?);
                let health = entry::health(db, question, project, &exposures)?;
                exposed = Some(exposures);
                ExperimentAnswer { applied, pages, errors, ..health }
            }
            Population::Holdout(range) => {
                holdout::enter(db, question, project, range)?;
                entry::arrived(db)?.0
            }
        };
        let scope = MetricContext {
            breakdown: question.breakdown,
            by_quarter: question.by_quarter,
            ..MetricContext::of(question, project)
        };
        let lost_events = entry::lost_events(db, question, project)?;
        let segments = entry::segments(db, question, project)?;
        visit::prepare(db, &scope, &question.metrics)?;
        let answer = |(at, metric): (usize, &Metric)| match metric.outcome {
            CountedOutcome::Bounce | CountedOutcome::Engagement => visit::answer(db, &scope, metric, &segments),
            _ => outcome::answer(db, &scope, metric, &segments, at == 0),
        };
        // The first one is computed last, so that its outcomes can be used again.
        let rest = question.metrics.iter().enumerate().skip(1).map(|rest| Ok(answer(rest)?.0));
        let rest = rest.collect::<Result<Vec<_>>>()?;
        let (mut metrics, mut first) = (Vec::new(), None);
        if let Some(metric) = question.metrics.first() {
            let (answer, outcomes) = answer((0, metric))?;
            metrics.push(answer);
            first = Some((metric, outcomes));
        }
        metrics.extend(rest);
        let logs = Logs::read(db)?;
        let mut answer = ExperimentAnswer {
            lost: logs.lost(db, project)?,
            rewritten: logs.rewritten(db, project)?,
            marks: logs.marks,
            lost_events,
            metrics,
            ..health
        };
        if wants_networks(&answer)
            && let Some((exposures, (metric, outcomes))) = exposed.zip(first)
        {
            let has_senders = question.breakdown != Some(Dimension::Network);
            if has_senders {
                exposures.add_senders(db, question)?;
            }
            let segments = entry::segments_of(db, Dimension::Network, project)?;
            let scope = MetricContext { breakdown: Some(Dimension::Network), ..MetricContext::of(question, project) };
            let window_us = match metric.outcome {
                CountedOutcome::Bounce | CountedOutcome::Engagement => Some(VISIT_AFTER_ENTRY_US),
                _ => metric.window_us,
            };
            let cells = Cells { scope: &scope, segments: &segments, window_us };
            answer.networks = cells.all(db, &outcomes)?;
            if has_senders && answer.trust.unsigned > 0 {
                let scope = MetricContext::of(question, project);
                answer.trusted = Cells { scope: &scope, segments: &[], window_us }.trusted(db, &outcomes)?;
            }
        }
        Ok(answer)
    })
}

/// Counts the visitors of a project, and those who converted.
pub(super) fn traffic(connection: &Connection, question: &TrafficQuestion, stop: &StopToken) -> Result<TrafficAnswer> {
    snapshot(connection, stop, |db| {
        let (project, until) = (hash_text(&question.project_key), question.until);
        entry::first_seen(db, project, question.from, until, None)?;
        let day = muriel_domain::time::DAY_US;
        let (visitors, first_day) = db
            .row(&format!(r#"SELECT count(*), min("at") // {day} FROM entry"#), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (converted, value, value_squared) = match &question.metric {
            None => (0, 0, 0),
            Some(metric) => {
                let sql = format!(
                    "WITH {}
                     SELECT count(*) FILTER (converted = 1), coalesce(sum(value), 0)::HUGEINT,
                            coalesce(sum(value::HUGEINT * value), 0)::HUGEINT
                     FROM outcomes",
                    done(db, &MetricContext::until(project, until), metric)?.with
                );
                db.row(&sql, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            }
        };
        let marks = Logs::read(db)?.marks;
        Ok(TrafficAnswer { visitors, converted, value, value_squared, first_day, marks })
    })
}

/// Calls `each` with the totals of each visitor of a project, ordered by the hash of the
/// visitor's id.
pub(super) fn visitors(
    connection: &Connection,
    question: &VisitorsQuestion,
    stop: &StopToken,
    each: &mut dyn FnMut(VisitorTotals),
) -> Result<()> {
    snapshot(connection, stop, |db| {
        let (project, until) = (hash_text(&question.project_key), question.until);
        entry::first_seen(db, project, question.from, until, Some(question.limit))?;
        outcome::visit_each(db, &done(db, &MetricContext::until(project, until), &question.metric)?, each)
    })
}

/// Counts the events of a goal, by day.
pub(super) fn activity(
    connection: &Connection,
    question: &ActivityQuestion,
    stop: &StopToken,
) -> Result<ActivityAnswer> {
    snapshot(connection, stop, |db| {
        let project = hash_text(&question.project_key);
        let matching = outcome::matching(db, project, &question.trigger)?;
        let (from, until) = (question.from.us(), question.until.us());
        let day = muriel_domain::time::DAY_US;
        let rows = db.rows(
            &format!(
                r#"SELECT e."at" // {day} AS day, count(DISTINCT {once}), count(DISTINCT e.visitor), max(e."at")
                   FROM events AS e
                   WHERE e.project = {project} AND e."at" >= {from} AND e."at" < {until} AND {condition}
                   GROUP BY day ORDER BY day"#,
                once = matching.once,
                condition = matching.condition,
            ),
            |row| {
                let day = ActivityDay { day: row.get(0)?, matches: row.get(1)?, visitors: row.get(2)? };
                Ok((day, row.get::<_, i64>(3)?))
            },
        )?;
        let last_at = rows.iter().map(|(_, at)| *at).max().map(Instant::from_us);
        let days = rows.into_iter().map(|(day, _)| day).collect();
        Ok(ActivityAnswer { days, last_at, marks: Logs::read(db)?.marks })
    })
}

/// Returns the most recently viewed pages of a project.
pub(super) fn viewed_pages(connection: &Connection, question: &PagesQuestion, stop: &StopToken) -> Result<PagesAnswer> {
    snapshot(connection, stop, |db| {
        let project = hash_text(&question.project_key);
        let (from, until, limit) = (question.from.us(), question.until.us(), question.limit);
        let within = format!(r#"e.project = {project} AND e."at" >= {from} AND e."at" < {until}"#);
        let pages = db.rows(
            &format!(
                r#"WITH viewed AS (
                     SELECT e.url, max(e."at") AS last FROM events AS e
                     WHERE {within} AND e.kind = {pageview} AND e.url IS NOT NULL
                     GROUP BY e.url ORDER BY last DESC, e.url LIMIT {limit}
                   )
                   SELECT any_value(u.text), v.last FROM viewed AS v
                   JOIN urls AS u ON u.project = {project} AND u.url = v.url
                   GROUP BY v.url, v.last ORDER BY v.last DESC, v.url"#,
                pageview = crate::row::kind::PAGEVIEW,
            ),
            |row| Ok((row.get(0)?, Instant::from_us(row.get(1)?))),
        )?;
        let last: Option<i64> = db
            .row(&format!(r#"SELECT max(e."at") FROM events AS e WHERE {within} AND e.kind <> {LOST}"#), |row| {
                row.get(0)
            })?;
        Ok(PagesAnswer { pages, last_event: last.map(Instant::from_us), marks: Logs::read(db)?.marks })
    })
}

/// Outcomes of the visitors of `entry`.
fn done(db: &Db<'_>, scope: &MetricContext, metric: &Metric) -> Result<Outcomes> {
    match metric.outcome {
        CountedOutcome::Bounce | CountedOutcome::Engagement => {
            visit::prepare(db, scope, slice::from_ref(metric))?;
            visit::outcomes(db, metric)
        }
        _ => outcome::done(db, scope, metric),
    }
}

/// Runs `answer` on a snapshot of the warehouse, and rolls back its temporary tables.
fn snapshot<T>(connection: &Connection, stop: &StopToken, answer: impl FnOnce(&Db<'_>) -> Result<T>) -> Result<T> {
    connection.execute_batch("BEGIN TRANSACTION")?;
    let answered = answer(&Db { connection, stop });
    let ended = connection.execute_batch("ROLLBACK");
    let answered = answered?;
    ended?;
    Ok(answered)
}

/// The logs with stored rows.
struct Logs {
    /// Log ids by the log's number in the rows.
    ids: BTreeMap<u8, LogId>,
    marks: Watermarks,
}

impl Logs {
    fn read(db: &Db<'_>) -> Result<Logs> {
        let (mut ids, mut marks) = (BTreeMap::new(), Watermarks::new());
        let rows = db.rows("SELECT number, id, seq, hash FROM logs", |row| {
            let id: Vec<u8> = row.get(1)?;
            Ok((row.get::<_, u8>(0)?, id, mark_of(row.get(2)?, row.get(3)?)))
        })?;
        for (number, id, mark) in rows {
            // Every stored id has 16 bytes.
            let Ok(id) = id.try_into() else { continue };
            ids.insert(number, LogId::from_bytes(id));
            marks.insert(LogId::from_bytes(id), mark);
        }
        Ok(Logs { ids, marks })
    }

    /// Unreadable blocks of each log that affect this project or all projects.
    fn lost(&self, db: &Db<'_>, project: u64) -> Result<Vec<LostBlocks>> {
        let sql = format!(
            "SELECT log, sum(greatest(last - first + 1, 0))::UBIGINT, min(first), max(last)
             FROM (SELECT DISTINCT log, first, last FROM damage WHERE coalesce(project, {project}) = {project})
             GROUP BY log"
        );
        let rows = db.rows(&sql, |row| {
            Ok((row.get::<_, u8>(0)?, row.get::<_, u64>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?))
        })?;
        let lost =
            |(number, blocks, first, last)| Some(LostBlocks { log: *self.ids.get(&number)?, blocks, first, last });
        let mut lost: Vec<LostBlocks> = rows.into_iter().filter_map(lost).collect();
        lost.sort_by_key(|lost| lost.log);
        Ok(lost)
    }

    /// Deletions of this project's events from each log.
    fn rewritten(&self, db: &Db<'_>, project: u64) -> Result<Vec<RewrittenBlocks>> {
        let sql = format!(
            r#"SELECT log, count(DISTINCT seq)::UBIGINT, sum(removed)::UBIGINT,
                    coalesce(sum(removed) FILTER (expired), 0)::UBIGINT, max("at")
             FROM (SELECT DISTINCT log, seq, nth, removed, expired, "at" FROM rewritten WHERE project = {project})
             GROUP BY log"#
        );
        let rows = db.rows(&sql, |row| {
            let numbers: (u64, u64, u64) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((row.get::<_, u8>(0)?, numbers, row.get::<_, i64>(4)?))
        })?;
        let rewritten = |(number, (blocks, removed, expired), last_at)| {
            let (log, last_at) = (*self.ids.get(&number)?, Instant::from_us(last_at));
            Some(RewrittenBlocks { log, blocks, removed, expired, last_at })
        };
        let mut rewritten: Vec<RewrittenBlocks> = rows.into_iter().filter_map(rewritten).collect();
        rewritten.sort_by_key(|rewritten| rewritten.log);
        Ok(rewritten)
    }
}

/// Quotes `text` as an SQL literal.
fn literal(text: &str) -> String {
    // DuckDB receives a statement as a C string, so it must not contain NUL.
    let parts: Vec<String> = text.split('\0').map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
    if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(" || chr(0) || ")) }
}

/// The condition ` AND column >= from`; empty without `from`.
fn since(column: &str, from: Option<Instant>) -> String {
    from.map_or_else(String::new, |from| format!(" AND {column} >= {}", from.us()))
}

/// The condition ` AND column < until`; empty without `until`.
fn before(column: &str, until: Option<Instant>) -> String {
    until.map_or_else(String::new, |until| format!(" AND {column} < {}", until.us()))
}
