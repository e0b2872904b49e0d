//! Visitors who entered two experiments.

use duckdb::Connection;

use super::entry::{self, Exposures};
use super::outcome::{Cells, MetricContext};
use super::read::Db;
use super::{Logs, Result, done, snapshot};
use crate::answer::{PairAnswer, SharedAnswer, SharedVisitors};
use crate::question::{
    CountedOutcome, ExperimentQuestion, PairQuestion, Population, SHARED_TESTS_MAX, SharedQuestion,
    VISIT_AFTER_ENTRY_US,
};
use crate::row::hash_text;
use crate::{Error, StopToken};

/// Totals of the visitors of an experiment who also entered another one.
///
/// The metric is computed as in a result of the experiment, with all of its visitors, including its cap, its currency
/// and the largest plausible order.
pub(in crate::duckdb) fn pair(
    connection: &Connection,
    question: &PairQuestion,
    stop: &StopToken,
) -> Result<PairAnswer> {
    let PairQuestion { experiment, other } = question;
    let Some(metric) = experiment.metrics.first() else {
        return Err(Error::ExperimentQuestion("a question about two experiments has no metric".to_owned()));
    };
    snapshot(connection, stop, |db| {
        let project = hash_text(&experiment.project_key);
        enter(db, other, project)?;
        db.run(
            r#"CREATE OR REPLACE TEMP TABLE other_entry AS SELECT visitor, "at", epoch, variant FROM entry;
               DROP TABLE entry"#,
        )?;
        enter(db, experiment, project)?;
        let scope = MetricContext::of(experiment, project);
        let outcomes = done(db, &scope, metric)?;
        let window_us = match metric.outcome {
            CountedOutcome::Bounce | CountedOutcome::Engagement => Some(VISIT_AFTER_ENTRY_US),
            _ => metric.window_us,
        };
        let cells = Cells { scope: &scope, segments: &[], window_us }.pairs(db, &outcomes)?;
        Ok(PairAnswer { marks: Logs::read(db)?.marks, cells })
    })
}

/// Creates the table `entry` of visitors exposed to an experiment.
fn enter(db: &Db<'_>, question: &ExperimentQuestion, project: u64) -> Result<()> {
    let Population::Exposed { test_id } = question.population else {
        return Err(Error::ExperimentQuestion("a holdout has no visitors in common with an experiment".to_owned()));
    };
    let exposures = Exposures::find(db, question, project, test_id)?;
    entry::enter(db, question, project, &exposures)
}

/// Counts the visitors that each pair of experiments has in common.
pub(in crate::duckdb) fn shared(
    connection: &Connection,
    question: &SharedQuestion,
    stop: &StopToken,
) -> Result<SharedAnswer> {
    let tests = &question.test_ids;
    if tests.len() > SHARED_TESTS_MAX {
        let problem = format!("{} experiments are too many for one query, which takes {SHARED_TESTS_MAX}", tests.len());
        return Err(Error::ExperimentQuestion(problem));
    }
    // A list of values must not be empty, and no visitor was exposed to an experiment with this id.
    let or_nobody = if tests.is_empty() { &[0][..] } else { &tests[..] };
    let bits: Vec<String> =
        or_nobody.iter().enumerate().map(|(at, test)| format!("({test}, {})", 1i64 << at)).collect();
    let sql = format!(
        "WITH
           tests (test, bit) AS (VALUES {bits}),
           -- Which of the experiments each visitor met, one bit each: few sets differ from each other.
           met AS (
             SELECT e.visitor, bit_or(t.bit::BIGINT) AS mask FROM exposures AS e JOIN tests AS t ON t.test = e.test
             WHERE e.project = {project} AND NOT e.bot AND NOT e.late GROUP BY e.visitor),
           alike AS (SELECT mask, count(*) AS visitors FROM met GROUP BY mask),
           numbers AS (SELECT unnest(range({number})) AS number)
         SELECT a.number, b.number, sum(alike.visitors)::UBIGINT
         FROM alike JOIN numbers AS a ON (mask >> a.number) & 1 = 1 JOIN numbers AS b ON (mask >> b.number) & 1 = 1
         WHERE a.number < b.number GROUP BY ALL ORDER BY ALL",
        bits = bits.join(", "),
        project = hash_text(&question.project_key),
        number = tests.len(),
    );
    snapshot(connection, stop, |db| {
        let rows =
            db.rows(&sql, |row| Ok((row.get::<_, usize>(0)?, row.get::<_, usize>(1)?, row.get::<_, u64>(2)?)))?;
        let in_common = |(one, other, visitors): (usize, usize, u64)| {
            Some(SharedVisitors { test_id: *tests.get(one)?, other_test_id: *tests.get(other)?, visitors })
        };
        let pairs = rows.into_iter().filter_map(in_common).collect();
        Ok(SharedAnswer { marks: Logs::read(db)?.marks, pairs })
    })
}
