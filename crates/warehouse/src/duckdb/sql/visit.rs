//! Bounces and engagement: events in the visit in which visitors entered.

use super::outcome::{Cells, MetricContext, Outcomes};
use super::read::Db;
use super::{Result, before};
use crate::answer::{MetricAnswer, Segment, VALUE_SCALE};
use crate::question::{CountedOutcome, Metric, VISIT_AFTER_ENTRY_US, VISIT_BEFORE_ENTRY_US};
use crate::row::kind;

/// Scroll depth in percent, and duration in seconds, from which on a visitor is engaged.
const ENGAGED: (i64, i64) = (50, 10);

/// Creates the table `did`: the events in the visitors' visits that decide one of these
/// metrics. It is shared by all metrics, because reading the events is most of the work.
/// `what` is 0 for a page view, 1 for an interaction, and 2 for an event that only counts as
/// engagement. An event that was stored twice appears twice.
pub(super) fn prepare(db: &Db<'_>, scope: &MetricContext, metrics: &[Metric]) -> Result<()> {
    let asked = |outcome: &CountedOutcome| metrics.iter().any(|metric| metric.outcome == *outcome);
    if !asked(&CountedOutcome::Bounce) && !asked(&CountedOutcome::Engagement) {
        return Ok(());
    }
    let decisive = [
        kind::CLICK_ELEMENT,
        kind::CLICK_TEXT,
        kind::CLICK_LINK,
        kind::CLICK_LINK_OUT,
        kind::SUBMIT,
        kind::CUSTOM,
        kind::ORDER,
        kind::SCRIPT,
    ];
    let decisive = decisive.map(|kind| kind.to_string()).join(", ");
    let (scroll, duration) = (kind::SCROLL, kind::DURATION);
    let (percent, seconds) = (ENGAGED.0 * VALUE_SCALE, ENGAGED.1 * VALUE_SCALE);
    let measured = if asked(&CountedOutcome::Engagement) {
        format!(" OR e.kind = {scroll} AND e.amount >= {percent} OR e.kind = {duration} AND e.amount >= {seconds}")
    } else {
        String::new()
    };
    let pageview = kind::PAGEVIEW;
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE did AS
           SELECT x.visitor, e.id, e.vouched, greatest(e."at", x."at") AS "at",
                  CASE WHEN e.kind = {pageview} THEN 0 WHEN e.kind IN ({scroll}, {duration}) THEN 2 ELSE 1 END AS what
           FROM events AS e JOIN entry AS x ON x.visitor = e.visitor
           WHERE e.project = {project} AND (e.kind IN ({pageview}, {decisive}){measured}){until}
             AND e."at" >= x."at" - {VISIT_BEFORE_ENTRY_US}
             AND (e."at" < x."at" + {VISIT_AFTER_ENTRY_US} OR e."session" = x."session")"#,
        project = scope.project,
        until = before("e.\"at\"", scope.until),
    ))
}

/// Computes the answer for [`CountedOutcome::Bounce`] or [`CountedOutcome::Engagement`],
/// after [`prepare`]. The outcomes can be used until those of another metric are computed.
pub(super) fn answer(
    db: &Db<'_>,
    scope: &MetricContext,
    metric: &Metric,
    segments: &[Segment],
) -> Result<(MetricAnswer, Outcomes)> {
    let outcomes = outcomes(db, metric)?;
    let cells = Cells { scope, segments, window_us: Some(VISIT_AFTER_ENTRY_US) };
    let is_unfed = db.row("SELECT count(*) = 0 FROM did WHERE what = 0", |row| row.get(0))?;
    let mut answer = MetricAnswer { cells: cells.all(db, &outcomes)?, is_unfed, ..MetricAnswer::default() };
    if scope.by_quarter {
        // Every visitor counts as a bounce until an event rules it out.
        let (entered, acted) = if metric.outcome == CountedOutcome::Bounce { (1, -1) } else { (0, 1) };
        let changes = format!(
            r#"SELECT visitor, "at", 1 AS visitors, {entered} AS converted, {entered} AS count,
                      {entered} AS count_squared, 0 AS value, 0 AS value_squared, 0 AS raw, 0 AS count_value,
                      0 AS before, 0 AS before_squared, 0 AS outcome_before
               FROM entry
               UNION ALL
               SELECT visitor, "at", 0, {acted}, {acted}, {acted}, 0, 0, 0, 0, 0, 0, 0 FROM active"#
        );
        answer.steps = cells.steps(db, &outcomes.with, &changes)?;
        answer.closings = cells.closings(db, &outcomes)?;
    }
    Ok((answer, outcomes))
}

/// Selects the visitors of `entry` who bounced, or were engaged, after [`prepare`]. Creates
/// the table `active`: visitors who did not bounce, or were engaged, and since when.
pub(super) fn outcomes(db: &Db<'_>, metric: &Metric) -> Result<Outcomes> {
    let bounce = metric.outcome == CountedOutcome::Bounce;
    let counts = if bounce { "WHERE what < 2" } else { "" };
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE active AS
           WITH
             -- What counts, each event once: as a key vouched for it, if one did.
             once AS (
               SELECT visitor, coalesce(min("at") FILTER (vouched), min("at")) AS "at",
                      coalesce(bool_or(what > 0) FILTER (vouched), bool_or(what > 0)) AS decisive
               FROM did {counts}
               GROUP BY visitor, id),
             -- The first of what is enough alone, and the second page view.
             each AS (
               SELECT visitor, min("at") FILTER (decisive) AS act, (min("at", 2) FILTER (NOT decisive))[2] AS page
               FROM once GROUP BY visitor)
           SELECT visitor, least(coalesce(act, page), coalesce(page, act)) AS "at"
           FROM each WHERE act IS NOT NULL OR page IS NOT NULL"#
    ))?;
    let whose = if bounce { "entry WHERE visitor NOT IN (SELECT visitor FROM active)" } else { "active" };
    Ok(Outcomes {
        with: format!(
            "outcomes AS (
               SELECT visitor, 1 AS count, 1 AS converted, 0 AS value, 0 AS raw, 0 AS before FROM {whose})"
        ),
        values: false,
        cap: None,
    })
}
