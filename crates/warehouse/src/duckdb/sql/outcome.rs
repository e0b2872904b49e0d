//! Outcomes of goals and events: the counted events per visitor, and their value.

use std::collections::BTreeMap;

use duckdb::Row;
use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use muriel_domain::trust::TrustPolicy;

use super::entry::segment;
use super::exchange;
use super::orders;
use super::pages;
use super::read::Db;
use super::{Result, before, literal};
use crate::answer::{
    GroupTotals, MetricAnswer, PairTotals, QuarterChange, QuarterClosing, Segment, Totals, TotalsChange, VALUE_SCALE,
    VisitorTotals,
};
use crate::question::{CountedOutcome, Dimension, ExperimentQuestion, JUST_BEFORE_US, Metric, QUARTER_US};
use crate::row::kind;

/// Context that all metrics of a question share.
pub(super) struct MetricContext {
    pub(super) project: u64,
    pub(super) breakdown: Option<Dimension>,
    pub(super) by_quarter: bool,
    /// Only events before this time count.
    pub(super) until: Option<Instant>,
    /// Orders that count.
    pub(super) orders: TrustPolicy,
    /// Windows that end later are open.
    pub(super) open_after: Instant,
}

impl MetricContext {
    /// Context of a question about an experiment, without a breakdown and not by quarter.
    pub(super) fn of(question: &ExperimentQuestion, project: u64) -> Self {
        let open_after = question.until.map_or(question.as_of, |until| until.min(question.as_of));
        Self {
            project,
            breakdown: None,
            by_quarter: false,
            until: question.until,
            orders: question.policy.orders,
            open_after,
        }
    }

    /// Context of events before `until`.
    pub(super) fn until(project: u64, until: Instant) -> Self {
        Self {
            project,
            breakdown: None,
            by_quarter: false,
            until: Some(until),
            orders: TrustPolicy::Any,
            open_after: until,
        }
    }
}

/// Selection of the events of an outcome.
struct Candidates {
    /// SQL condition on a row `e` of `events`. For [`Rule::Order`] and [`Rule::Revenue`] it does not contain the
    /// condition on the event's kind.
    condition: String,
    rule: Rule,
}

/// Deduplication of the events, in addition to that by event id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Each,
    /// Counts each page once per visitor.
    Page,
    /// Counts each custom event, and each order once.
    Order,
    /// Counts each order once, with its value.
    Revenue,
}

/// Selection of a project's events that match a goal, for all visitors.
pub(super) struct Matching {
    /// SQL condition on a row `e` of `events`.
    pub(super) condition: String,
    /// SQL expression whose distinct values are counted.
    pub(super) once: &'static str,
}

/// Selects the events that match this trigger.
pub(super) fn matching(db: &Db<'_>, project: u64, trigger: &Trigger) -> Result<Matching> {
    let Candidates { condition, rule } = Candidates::of(db, project, &CountedOutcome::Goal(trigger.clone()))?;
    let (custom, order) = (kind::CUSTOM, kind::ORDER);
    Ok(match rule {
        Rule::Each => Matching { condition, once: "e.id" },
        Rule::Page => Matching { condition, once: "hash(e.visitor, e.url)" },
        Rule::Order => Matching {
            condition: format!("e.kind IN ({custom}, {order}) AND coalesce(e.amount, 0) >= 0 AND {condition}"),
            once: "coalesce(e.unit, e.id)",
        },
        Rule::Revenue => Matching {
            condition: format!("e.kind = {order} AND e.amount >= 0 AND {condition}"),
            once: "coalesce(e.unit, e.id)",
        },
    })
}

impl Candidates {
    fn of(db: &Db<'_>, project: u64, outcome: &CountedOutcome) -> Result<Self> {
        let trigger = match outcome {
            CountedOutcome::Goal(trigger) => trigger,
            CountedOutcome::Event(name) => return Ok(Self::event(name)),
            CountedOutcome::Bounce | CountedOutcome::Engagement => {
                return Ok(Self { condition: "false".into(), rule: Rule::Each });
            }
        };
        let text = match trigger.value() {
            GoalValue::Text(text) => text.as_str(),
            GoalValue::Number(_) => "",
        };
        let named = |kind: u8| {
            Ok(Self { condition: format!("e.kind = {kind} AND e.name = {}", literal(text)), rule: Rule::Each })
        };
        let measured = |kind: u8| {
            let least = units_of(trigger);
            Ok(Self { condition: format!("e.kind = {kind} AND e.amount >= {least}"), rule: Rule::Page })
        };
        match trigger.goal_type() {
            GoalType::Pageview | GoalType::PageviewExact | GoalType::PageviewWildcard | GoalType::PageviewRegex => {
                let matching = pages::condition(db, project, trigger)?;
                Ok(Self { condition: format!("e.kind = {} AND {matching}", kind::PAGEVIEW), rule: Rule::Each })
            }
            GoalType::ClickOnElement => named(kind::CLICK_ELEMENT),
            GoalType::ClickOnText => named(kind::CLICK_TEXT),
            GoalType::ExternalLink => Ok(Self {
                condition: format!("e.kind = {} AND contains(e.name, {})", kind::CLICK_LINK_OUT, literal(text)),
                rule: Rule::Each,
            }),
            GoalType::FormSubmit => named(kind::SUBMIT),
            GoalType::ElementAppears => named(kind::APPEAR),
            GoalType::Scrolling => measured(kind::SCROLL),
            GoalType::Duration => measured(kind::DURATION),
            GoalType::Event => Ok(Self::event(text)),
            GoalType::Revenue => Ok(Self { condition: format!("e.name = {}", literal(text)), rule: Rule::Revenue }),
            GoalType::Script => named(kind::SCRIPT),
        }
    }

    fn event(name: &str) -> Self {
        Self { condition: format!("e.name = {}", literal(name)), rule: Rule::Order }
    }

    /// Creates the table `orders`, if these are orders. Returns whether it contains refunds.
    fn collect(&self, db: &Db<'_>, scope: &MetricContext) -> Result<bool> {
        match self.rule {
            Rule::Each | Rule::Page => Ok(false),
            Rule::Order | Rule::Revenue => orders::collect(db, scope, &self.condition, self.rule == Rule::Revenue),
        }
    }

    /// SQL query of the counted events of entered visitors, deduplicated: `visitor`, `id`, `at`, `after` (true within
    /// the window, false before entry and within the period of the covariate), and for revenue the columns that
    /// [`orders::matched`] adds.
    fn matched(&self, scope: &MetricContext, metric: &Metric, refunds: bool) -> String {
        let Self { condition, .. } = self;
        let project = scope.project;
        let window = metric.window_us.map_or_else(String::new, |window| format!(r#" AND "at" < entered + {window}"#));
        let after = format!(r#""at" >= entered{window}"#);
        // A negative period would be after entry.
        let before_us = metric.before_us.unwrap_or(0).max(0);
        let counts = format!(r#"("at" < entered AND "at" >= entered - {before_us}) OR ({after})"#);
        let until = before("e.\"at\"", scope.until);
        // Materialised before the join with the entered visitors. DuckDB does not know the size of tables created
        // within the transaction, and would join all page views with their visitors before filtering by page.
        let found = |more: &str| {
            format!(
                r#"WITH found AS MATERIALIZED (
                     SELECT e.visitor, e.id, e."at", e.url, e.vouched FROM events AS e
                     WHERE e.project = {project} AND {condition}{more}{until})"#
            )
        };
        // An event without a key must not change the time or the page of a keyed event with the same id.
        let first = r#"coalesce(min(e."at") FILTER (e.vouched), min(e."at"))"#;
        let page = "CASE WHEN bool_or(e.vouched) THEN min(e.url) FILTER (e.vouched) ELSE min(e.url) END";
        let each = |more: &str| {
            format!(
                r#"{found}
                   SELECT visitor, id, "at", {after} AS after FROM (
                     SELECT x.visitor, e.id, {first} AS "at", min(x."at") AS entered
                     FROM found AS e JOIN entry AS x ON x.visitor = e.visitor
                     GROUP BY x.visitor, e.id)
                   WHERE {counts}"#,
                found = found(more)
            )
        };
        match self.rule {
            Rule::Each => each(""),
            Rule::Revenue => orders::matched(refunds, &window, before_us),
            Rule::Order => {
                let custom = each(&format!(" AND e.kind = {}", kind::CUSTOM));
                let orders = format!(
                    r#"SELECT visitor, id, "at", {after} AS after FROM (
                         SELECT x.visitor, o.id, o."at", x."at" AS entered
                         FROM orders AS o JOIN entry AS x ON x.visitor = o.visitor)
                       WHERE {counts}"#
                );
                format!("({custom}) UNION ALL ({orders})")
            }
            Rule::Page => format!(
                r#"{found}
                   SELECT visitor, min(id) AS id, min("at") AS "at", after FROM (
                     SELECT visitor, id, page, "at", {after} AS after FROM (
                       SELECT x.visitor, e.id, {page} AS page, {first} AS "at", min(x."at") AS entered
                       FROM found AS e JOIN entry AS x ON x.visitor = e.visitor
                       GROUP BY x.visitor, e.id)
                     WHERE {counts})
                   GROUP BY visitor, page, after"#,
                found = found("")
            ),
        }
    }
}

/// Value of a scroll or duration goal, times [`VALUE_SCALE`].
fn units_of(trigger: &Trigger) -> i64 {
    let number = match trigger.value() {
        GoalValue::Number(number) => *number,
        // Triggers are validated, so the text has only digits.
        GoalValue::Text(text) => text.parse().unwrap_or(i64::MAX),
    };
    number.saturating_mul(VALUE_SCALE)
}

/// Computes the answer for a metric. The outcomes can be used until those of another metric are computed.
pub(super) fn answer(
    db: &Db<'_>,
    scope: &MetricContext,
    metric: &Metric,
    segments: &[Segment],
    is_first: bool,
) -> Result<(MetricAnswer, Outcomes)> {
    let candidates = Candidates::of(db, scope.project, &metric.outcome)?;
    let mut answer = MetricAnswer::default();
    let outcomes = outcomes(db, scope, metric, &candidates, &mut answer, is_first)?;
    let cells = Cells { scope, segments, window_us: metric.window_us };
    answer.cells = cells.all(db, &outcomes)?;
    if scope.by_quarter {
        answer.steps = steps(db, &cells, metric, &outcomes)?;
        answer.closings = cells.closings(db, &outcomes)?;
    }
    Ok((answer, outcomes))
}

/// Computes the outcomes of the visitors of `entry`.
pub(super) fn done(db: &Db<'_>, scope: &MetricContext, metric: &Metric) -> Result<Outcomes> {
    let candidates = Candidates::of(db, scope.project, &metric.outcome)?;
    outcomes(db, scope, metric, &candidates, &mut MetricAnswer::default(), false)
}

/// Calls `each` with the totals of each visitor, ordered by hash.
pub(super) fn visit_each(db: &Db<'_>, outcomes: &Outcomes, each: &mut dyn FnMut(VisitorTotals)) -> Result<()> {
    let day = muriel_domain::time::DAY_US;
    let sql = format!(
        r#"WITH {}
           SELECT x.visitor, x."at" // {day}, coalesce(o.count, 0), coalesce(o.converted, 0), coalesce(o.value, 0)
           FROM entry AS x LEFT JOIN outcomes AS o USING (visitor) ORDER BY x.visitor"#,
        outcomes.with
    );
    db.rows(&sql, |row| {
        each(VisitorTotals {
            visitor: row.get(0)?,
            day: row.get(1)?,
            count: row.get(2)?,
            converted: row.get::<_, i64>(3)? == 1,
            value: row.get(4)?,
        });
        Ok(())
    })?;
    Ok(())
}

/// Outcomes with one row per visitor who has any: `visitor`, `count`, `converted` (0 or 1), `value`, `raw` and
/// `before`.
pub(super) struct Outcomes {
    /// SQL to follow `WITH`, which defines the table `outcomes`.
    pub(super) with: String,
    /// True when the outcomes have values.
    pub(super) values: bool,
    /// Cap, times [`VALUE_SCALE`], if there is one.
    pub(super) cap: Option<i64>,
}

fn outcomes(
    db: &Db<'_>,
    scope: &MetricContext,
    metric: &Metric,
    candidates: &Candidates,
    answer: &mut MetricAnswer,
    is_first: bool,
) -> Result<Outcomes> {
    let refunds = candidates.collect(db, scope)?;
    if let Some(rates) = &metric.exchange
        && candidates.rule == Rule::Revenue
    {
        exchange::convert(db, rates, refunds)?;
    }
    let matched = candidates.matched(scope, metric, refunds);
    let least = metric.min_count.max(1);
    let values = candidates.rule == Rule::Revenue;
    let covariate = metric.before_us.is_some();
    // For pages and clicks the time comes from the page itself, and there are too many of them to store.
    let counts_just_before = is_first && covariate && matches!(candidates.rule, Rule::Order | Rule::Revenue);
    let is_form = |trigger: &Trigger| trigger.goal_type() == GoalType::FormSubmit;
    let counts_prevented = is_first && matches!(&metric.outcome, CountedOutcome::Goal(trigger) if is_form(trigger));
    let kept = values || scope.by_quarter || counts_just_before || counts_prevented;
    if kept {
        db.run(&format!("CREATE OR REPLACE TEMP TABLE matched AS {matched}"))?;
    }
    if counts_just_before {
        let orders = if values { format!(" AND m.{}", orders::IS_ORDER) } else { String::new() };
        let sql = format!(
            r#"SELECT count(DISTINCT m.visitor) FROM matched AS m JOIN entry AS x ON x.visitor = m.visitor
               WHERE NOT m.after AND m."at" < x."at" AND m."at" >= x."at" - {JUST_BEFORE_US}{orders}"#
        );
        answer.just_before = db.row(&sql, |row| row.get(0))?;
    }
    if counts_prevented {
        let sql = format!(
            r#"SELECT count(*) FROM (
                 SELECT m.visitor FROM matched AS m JOIN events AS e ON e.visitor = m.visitor AND e.id = m.id
                 WHERE m.after AND e.project = {project} AND {condition}{until}
                 GROUP BY m.visitor HAVING bool_and(coalesce(e.amount, 0) > 0))"#,
            project = scope.project,
            condition = candidates.condition,
            until = before("e.\"at\"", scope.until),
        );
        answer.only_prevented = db.row(&sql, |row| row.get(0))?;
    }
    if !values {
        let matched = if kept { String::new() } else { format!("matched AS NOT MATERIALIZED ({matched}),") };
        let before =
            if covariate { format!("(count(*) FILTER (NOT after) >= {least})::BIGINT") } else { "0".to_owned() };
        // Without a covariate, all matched events are after entry.
        let count = if covariate { "count(*) FILTER (after)" } else { "count(*)" };
        let with = format!(
            "{matched}
             outcomes AS (
               SELECT visitor, {count} AS count, ({count} >= {least})::BIGINT AS converted, 0 AS value, 0 AS raw,
                      {before} AS before
               FROM matched GROUP BY visitor)"
        );
        return Ok(Outcomes { with, values, cap: None });
    }
    if is_first {
        orders::note_uncounted(db, scope, metric, &candidates.condition, answer)?;
    }
    let cap = orders::earnings(db, metric, refunds, answer)?;
    answer.cap = cap.map(|cap| cap as f64 / VALUE_SCALE as f64);
    let capped = |column: &str| cap.map_or_else(|| column.to_owned(), |cap| format!("least({column}, {cap})"));
    if let Some(cap) = cap {
        let sql = format!("SELECT count(*) FILTER (raw > {cap}) FROM earnings");
        answer.capped = db.row(&sql, |row| row.get(0))?;
    }
    let with = format!(
        "outcomes AS (
           SELECT visitor, count, (count >= {least})::BIGINT AS converted, raw, {value} AS value, {before} AS before
           FROM earnings)",
        value = capped("raw"),
        before = if covariate { capped("earlier") } else { "0".to_owned() },
    );
    Ok(Outcomes { with, values, cap })
}

/// Groups visitors into cells.
pub(super) struct Cells<'a> {
    pub(super) scope: &'a MetricContext,
    pub(super) segments: &'a [Segment],
    pub(super) window_us: Option<i64>,
}

impl Cells<'_> {
    /// SQL condition for an open window of a row `x` of `entry`.
    pub(super) fn open(&self) -> String {
        self.window_us.map_or_else(
            || "false".to_owned(),
            |window| format!(r#"x."at" > {}"#, self.scope.open_after.us().saturating_sub(window)),
        )
    }

    /// Totals of all cells.
    pub(super) fn all(&self, db: &Db<'_>, outcomes: &Outcomes) -> Result<Vec<GroupTotals>> {
        self.of(db, outcomes, "")
    }

    /// Totals of all cells, of the visitors who entered with a signed or keyed exposure.
    pub(super) fn trusted(&self, db: &Db<'_>, outcomes: &Outcomes) -> Result<Vec<GroupTotals>> {
        self.of(db, outcomes, " WHERE x.trusted")
    }

    fn of(&self, db: &Db<'_>, outcomes: &Outcomes, whose: &str) -> Result<Vec<GroupTotals>> {
        let (segment, join) = segment(self.scope.breakdown, self.segments.len());
        let place = format!("x.epoch, x.variant, {segment}, {}", self.open());
        let cells = totals(db, outcomes, &place, &(join + whose), |row, at| {
            Ok::<(i64, u32, i64, bool), _>((row.get(at)?, row.get(at + 1)?, row.get(at + 2)?, row.get(at + 3)?))
        })?;
        Ok(cells
            .into_iter()
            .map(|((epoch, variant, segment, open), totals)| GroupTotals {
                epoch,
                variant,
                segment: usize::try_from(segment).ok().and_then(|segment| self.segments.get(segment).cloned()),
                open,
                totals,
            })
            .collect())
    }

    /// Totals of visitors who also entered another experiment before their window closed. Needs the table
    /// `other_entry`.
    pub(super) fn pairs(&self, db: &Db<'_>, outcomes: &Outcomes) -> Result<Vec<PairTotals>> {
        let within = self.window_us.map_or_else(String::new, |window| format!(r#" AND b."at" < x."at" + {window}"#));
        let join = format!(" JOIN other_entry AS b ON b.visitor = x.visitor{within}");
        let place = format!("x.epoch, x.variant, b.epoch, b.variant, {}", self.open());
        let cells = totals(db, outcomes, &place, &join, |row, at| {
            Ok::<(i64, u32, i64, u32, bool), _>((
                row.get(at)?,
                row.get(at + 1)?,
                row.get(at + 2)?,
                row.get(at + 3)?,
                row.get(at + 4)?,
            ))
        })?;
        let cell = |((epoch, variant, other_epoch, other_variant, open), totals)| PairTotals {
            epoch,
            variant,
            other_epoch,
            other_variant,
            open,
            totals,
        };
        Ok(cells.into_iter().map(cell).collect())
    }

    /// Totals by the quarter in which windows closed; `None` without a window.
    pub(super) fn closings(&self, db: &Db<'_>, outcomes: &Outcomes) -> Result<Option<Vec<QuarterClosing>>> {
        let Some(window) = self.window_us else { return Ok(None) };
        let place = format!(r#"(x."at" + {window} - 1) // {QUARTER_US}, x.epoch, x.variant"#);
        let closed = format!(" WHERE NOT ({})", self.open());
        let closings = totals(db, outcomes, &place, &closed, |row, at| {
            Ok::<(i64, i64, u32), _>((row.get(at)?, row.get(at + 1)?, row.get(at + 2)?))
        })?;
        let closing = |((quarter, epoch, variant), totals)| QuarterClosing { quarter, epoch, variant, totals };
        Ok(Some(closings.into_iter().map(closing).collect()))
    }

    /// Changes by quarter. `changes` is a list of `SELECT`s with the columns `visitor`, `at`, and the changes by name.
    pub(super) fn steps(&self, db: &Db<'_>, with: &str, changes: &str) -> Result<Vec<QuarterChange>> {
        let sql = format!(
            r#"WITH {with},
                 changes AS ({changes})
               SELECT c."at" // {QUARTER_US} AS quarter, x.epoch, x.variant,
                      sum(c.visitors), sum(c.converted), sum(c.count), sum(c.count_squared), sum(c.value),
                      sum(c.value_squared), sum(c.raw), sum(c.count_value), sum(c.before), sum(c.before_squared),
                      sum(c.outcome_before)
               FROM changes AS c JOIN entry AS x ON x.visitor = c.visitor
               GROUP BY ALL ORDER BY ALL"#
        );
        db.rows(&sql, |row| {
            Ok(QuarterChange {
                quarter: row.get(0)?,
                epoch: row.get(1)?,
                variant: row.get(2)?,
                totals: TotalsChange {
                    visitors: row.get(3)?,
                    converted: row.get(4)?,
                    count: row.get(5)?,
                    count_squared: row.get(6)?,
                    value: row.get(7)?,
                    value_squared: row.get(8)?,
                    raw_value: row.get(9)?,
                    count_value: row.get(10)?,
                    before: row.get(11)?,
                    before_squared: row.get(12)?,
                    outcome_before: row.get(13)?,
                },
            })
        })
    }
}

/// Totals of the visitors `x` of `entry`, grouped by `place`, a list of SQL columns. `key` reads them from a row,
/// starting at the given column. The SQL in `join` follows `x`.
fn totals<K: Ord>(
    db: &Db<'_>,
    outcomes: &Outcomes,
    place: &str,
    join: &str,
    key: impl Fn(&Row<'_>, usize) -> duckdb::Result<K>,
) -> Result<BTreeMap<K, Totals>> {
    let mut places: BTreeMap<K, Totals> = BTreeMap::new();
    let entered = format!("SELECT count(*), {place} FROM entry AS x{join} GROUP BY ALL");
    db.rows(&entered, |row| {
        places.insert(key(row, 1)?, Totals { visitors: row.get(0)?, ..Totals::default() });
        Ok(())
    })?;
    let values = if outcomes.values {
        "sum(o.value), sum(o.value::HUGEINT * o.value), sum(o.raw), sum(o.count * o.value::HUGEINT),
         sum(o.before), sum(o.before::HUGEINT * o.before), sum(o.value::HUGEINT * o.before)"
    } else {
        // 0 and 1 equal their squares.
        "0::HUGEINT, 0::HUGEINT, 0::HUGEINT, 0::HUGEINT,
         sum(o.before), sum(o.before), sum(o.before * o.converted)"
    };
    let did = format!(
        "WITH {with}
         SELECT sum(o.converted), sum(o.count), sum(o.count * o.count), {values}, {place}
         FROM outcomes AS o JOIN entry AS x ON x.visitor = o.visitor{join} GROUP BY ALL",
        with = outcomes.with
    );
    db.rows(&did, |row| {
        let totals = places.entry(key(row, 10)?).or_default();
        *totals = Totals {
            visitors: totals.visitors,
            converted: row.get(0)?,
            count: row.get(1)?,
            count_squared: row.get::<_, i128>(2)?.unsigned_abs(),
            value: row.get(3)?,
            value_squared: row.get(4)?,
            raw_value: row.get(5)?,
            count_value: row.get(6)?,
            before: row.get(7)?,
            before_squared: row.get(8)?,
            outcome_before: row.get(9)?,
        };
        Ok(())
    })?;
    Ok(places)
}

/// Changes of a metric over time. Needs the table `matched`.
fn steps(db: &Db<'_>, cells: &Cells<'_>, metric: &Metric, outcomes: &Outcomes) -> Result<Vec<QuarterChange>> {
    let least = metric.min_count.max(1);
    let capped = |value: &str| outcomes.cap.map_or_else(|| value.to_owned(), |cap| format!("least({value}, {cap})"));
    let (value, value_then) = (capped("raw"), capped("raw_then"));
    let converts = format!("(w.n = 1 AND w.k = {least})::BIGINT");
    let outcome = if outcomes.values { "w.value - w.value_then" } else { converts.as_str() };
    // For each event: whether it counts, the count up to it, and the value of the visitor with and without it.
    let raws = if outcomes.values {
        let own = orders::contributions();
        let sums: Vec<String> = own
            .iter()
            .enumerate()
            .map(|(at, own)| format!("{own} AS own{at}, sum({own}) OVER earlier AS sum{at}"))
            .collect();
        let so_far = orders::worth(&[0, 1, 2, 3].map(|at| format!("sum{at}")));
        let then = orders::worth(&[0, 1, 2, 3].map(|at| format!("(sum{at} - own{at})")));
        let (order, sums) = (orders::is_order(), sums.join(", "));
        format!(
            r#"counted AS (
                 SELECT visitor, "at", {order} AS n, sum({order}) OVER earlier AS k, {sums}
                 FROM matched WHERE after
                 WINDOW earlier AS (PARTITION BY visitor ORDER BY "at", what, id ROWS UNBOUNDED PRECEDING)),
               raws AS (
                 SELECT visitor, "at", n, k::HUGEINT AS k, {so_far}::HUGEINT AS raw, {then}::HUGEINT AS raw_then
                 FROM counted)"#
        )
    } else {
        r#"raws AS (
             SELECT visitor, "at", 1 AS n, row_number() OVER (PARTITION BY visitor ORDER BY "at", id)::HUGEINT AS k,
                    0::HUGEINT AS raw, 0::HUGEINT AS raw_then
             FROM matched WHERE after)"#
            .to_owned()
    };
    let with = format!(
        "{with}, {raws}, worth AS (SELECT *, {value} AS value, {value_then} AS value_then FROM raws)",
        with = outcomes.with
    );
    // Includes the covariate, which is known at entry.
    let changes = format!(
        r#"SELECT x.visitor, x."at", 1 AS visitors, 0 AS converted, 0 AS count, 0 AS count_squared, 0 AS value,
                  0 AS value_squared, 0 AS raw, 0 AS count_value, coalesce(o.before, 0) AS before,
                  coalesce(o.before, 0)::HUGEINT * coalesce(o.before, 0) AS before_squared, 0 AS outcome_before
           FROM entry AS x LEFT JOIN outcomes AS o ON o.visitor = x.visitor
           UNION ALL
           SELECT w.visitor, w."at", 0, {converts}, w.n, w.n * (2 * w.k - 1), w.value - w.value_then,
                  w.value * w.value - w.value_then * w.value_then, w.raw - w.raw_then,
                  w.k * w.value - (w.k - w.n) * w.value_then, 0, 0, ({outcome}) * o.before
           FROM worth AS w JOIN outcomes AS o ON o.visitor = w.visitor"#,
    );
    cells.steps(db, &with, &changes)
}
