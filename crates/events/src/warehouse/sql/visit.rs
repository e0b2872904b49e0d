//! Bounces and engagement: what visitors did in the visit in which they entered.

use super::super::answer::{MetricAnswer, Segment, UNITS, Visitor};
use super::super::question::{Metric, Outcome, VISIT_BEFORE_US, VISIT_US};
use super::super::row::kind;
use super::outcome::{self, Cells, Outcomes, Scope};
use super::read::Db;
use super::{Result, before};

/// Percent of a page, and seconds, that are engagement.
const ENGAGED: (i64, i64) = (50, 10);

/// Answers [`Outcome::Bounce`] and [`Outcome::Engagement`].
pub(super) fn answer(db: &Db<'_>, scope: &Scope, metric: &Metric, segments: &[Segment]) -> Result<MetricAnswer> {
    let outcomes = outcomes(db, scope, metric)?;
    let cells = Cells { scope, segments, window_us: Some(VISIT_US) };
    let mut answer = MetricAnswer { cells: cells.all(db, &outcomes)?, ..MetricAnswer::default() };
    if scope.by_quarter {
        // Everybody is a bounce until proven otherwise.
        let (entered, acted) = if metric.outcome == Outcome::Bounce { (1, -1) } else { (0, 1) };
        let changes = format!(
            r#"SELECT visitor, "at", 1 AS visitors, {entered} AS converted, {entered} AS count,
                      {entered} AS count_squared, 0 AS value, 0 AS value_squared, 0 AS raw, 0 AS count_value,
                      0 AS before, 0 AS before_squared, 0 AS outcome_before
               FROM entry
               UNION ALL
               SELECT visitor, "at", 0, {acted}, {acted}, {acted}, 0, 0, 0, 0, 0, 0, 0 FROM active"#
        );
        answer.steps = cells.steps(db, &outcomes.with, &changes)?;
    }
    Ok(answer)
}

/// Tells who bounced, or was engaged, of `entry`.
pub(super) fn tell(db: &Db<'_>, scope: &Scope, metric: &Metric, tell: &mut dyn FnMut(Visitor)) -> Result<()> {
    outcome::told(db, &outcomes(db, scope, metric)?, tell)
}

/// Makes the table `active`: who did not bounce, or was engaged, and since when.
fn outcomes(db: &Db<'_>, scope: &Scope, metric: &Metric) -> Result<Outcomes> {
    let bounce = metric.outcome == Outcome::Bounce;
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
    let (percent, seconds) = (ENGAGED.0 * UNITS, ENGAGED.1 * UNITS);
    let measured = if bounce {
        String::new()
    } else {
        format!(
            " OR e.kind = {} AND e.amount >= {percent} OR e.kind = {} AND e.amount >= {seconds}",
            kind::SCROLL,
            kind::DURATION
        )
    };
    let pageview = kind::PAGEVIEW;
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE active AS
           WITH
             -- What was done during the visit, each event once.
             did AS (
               SELECT x.visitor, e.id, min(greatest(e."at", x."at")) AS "at", bool_or(e.kind <> {pageview}) AS decisive
               FROM events AS e JOIN entry AS x ON x.visitor = e.visitor
               WHERE e.project = {project} AND (e.kind IN ({pageview}, {decisive}){measured}){until}
                 AND e."at" >= x."at" - {VISIT_BEFORE_US}
                 AND (e."at" < x."at" + {VISIT_US} OR e."session" = x."session")
               GROUP BY x.visitor, e.id),
             -- The first of what is enough alone, and the second page view.
             each AS (
               SELECT visitor, min("at") FILTER (decisive) AS act, (min("at", 2) FILTER (NOT decisive))[2] AS page
               FROM did GROUP BY visitor)
           SELECT visitor, least(coalesce(act, page), coalesce(page, act)) AS "at"
           FROM each WHERE act IS NOT NULL OR page IS NOT NULL"#,
        project = scope.project,
        until = before("e.\"at\"", scope.until),
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
