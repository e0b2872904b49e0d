//! Orders and refunds: selection, deduplication, and the value of visitors.
//!
//! Anybody can send an order without a key, with any number and any value. So orders sent with an API key are counted
//! separately from the others throughout: they win when two orders have the same number, they determine the currency
//! and the plausible maximum, and nothing sent without a key reduces them.

use muriel_domain::Instant;

use super::entry::least;
use super::outcome::MetricContext;
use super::read::Db;
use super::{Result, before, literal};
use crate::answer::{LargestOrder, MAX_VALUE, MetricAnswer, VALUE_SCALE};
use crate::question::{MAX_ORDER_FACTOR, MIN_TRUSTED_ONE_IN, Metric, SHARED_BY};
use crate::row::{fixed, kind};

/// Kind of a row of `matched`: an order, a refund of an existing order, or a refund without an order.
const ORDER: u8 = 0;
const TIED: u8 = 1;
const UNTIED: u8 = 2;
/// SQL condition for a row of `matched` that is an order, to follow the table's name; see [`ORDER`].
pub(super) const IS_ORDER: &str = "what = 0";

/// Creates the table `orders`: those whose name matches `condition`, deduplicated. Deduplication happens before the
/// join with entered visitors, because another visitor's order with the same number may be the same order. With
/// `worth`, values are read as well and refunds are added. Returns whether there are refunds.
pub(super) fn collect(db: &Db<'_>, scope: &MetricContext, condition: &str, worth: bool) -> Result<bool> {
    let find = |table: &str, kind: u8, condition: &str, columns: &[&str]| -> Result<()> {
        db.run(&format!(
            r#"CREATE OR REPLACE TEMP TABLE {table} AS
               SELECT {columns} FROM events AS e
               WHERE e.project = {project} AND {condition} AND e.kind = {kind}{least}{until}"#,
            columns = columns.iter().map(|column| format!("e.{column}")).collect::<Vec<_>>().join(", "),
            project = scope.project,
            least = least("e.", scope.orders),
            until = before("e.\"at\"", scope.until),
        ))?;
        once(db, table, "id", columns)?;
        if worth && kind == kind::ORDER {
            note_repeated(db)?;
        }
        once(db, table, "unit", columns)
    };
    let mut columns = vec!["\"at\"", "id", "visitor", "unit", "vouched"];
    if !worth {
        find("orders", kind::ORDER, condition, &columns)?;
        return Ok(false);
    }
    // Reading the values takes as long as finding the orders.
    columns.extend(["amount", "currency"]);
    find("orders", kind::ORDER, condition, &columns)?;
    columns.push("refund_of");
    find("refunds", kind::REFUND, &format!("(e.refund_of IS NOT NULL OR {condition})"), &columns)?;
    db.run(
        "CREATE OR REPLACE TEMP TABLE repeated_orders AS
         SELECT * FROM repeated_orders ANTI JOIN orders USING (visitor, id)",
    )?;
    if !db.row("SELECT count(*) > 0 FROM refunds", |row| row.get(0))? {
        db.run(r#"CREATE OR REPLACE TEMP TABLE lost_refunds (visitor UBIGINT, "at" BIGINT)"#)?;
        return Ok(false);
    }
    note_lost_refunds(db, scope)?;
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE orders AS
           WITH
             -- A refund is its order's visitor's, whoever sent it, and happens after the order. One that no key
             -- vouched for is of the same visitor's orders alone, and of those that no key vouched for either.
             tied AS (
               SELECT o.visitor, r.id, greatest(r."at", o."at") AS "at", o."at" AS ordered_at, o.currency, o.vouched,
                      coalesce(o.amount, 0) AS gross, o.id AS root, -r.amount::HUGEINT AS back
               FROM refunds AS r JOIN orders AS o ON o.unit = r.refund_of
               WHERE {TAKES}),
             -- What is given back is at most what the order was worth.
             taken AS (
               SELECT *, least(gross, sum(back) OVER earlier) AS given, least(gross, sum(back) OVER earlier - back) AS given_before
               FROM tied
               WINDOW earlier AS (PARTITION BY visitor, root ORDER BY "at", id ROWS UNBOUNDED PRECEDING))
           SELECT visitor, id, "at", "at" AS ordered_at, currency, vouched, coalesce(amount, 0) AS amount,
                  coalesce(amount, 0) AS gross, id AS root, {ORDER}::UTINYINT AS what
           FROM orders
           UNION ALL
           SELECT visitor, id, "at", ordered_at, currency, vouched, (given_before - given)::BIGINT, gross, root, {TIED} FROM taken
           UNION ALL
           SELECT visitor, id, "at", "at", currency, vouched, amount, -amount, id, {UNTIED}
           FROM refunds WHERE refund_of IS NULL"#
    ))?;
    Ok(true)
}

/// Creates the table `repeated_orders` of orders that share a number with others, before one of them is chosen.
fn note_repeated(db: &Db<'_>) -> Result<()> {
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE repeated_orders AS
           WITH again AS (
             SELECT unit, count(DISTINCT visitor) >= {SHARED_BY} AS shared FROM orders
             WHERE unit IS NOT NULL GROUP BY unit HAVING count(*) > 1)
           SELECT o.visitor, o.id, o."at", a.shared FROM orders AS o JOIN again AS a ON a.unit = o.unit"#
    ))
}

/// Creates the table `lost_refunds` of refunds that name an order and reduce nothing, because it does not exist or they
/// may not reduce it. Refunds of an order that belongs to another goal are not included.
fn note_lost_refunds(db: &Db<'_>, scope: &MetricContext) -> Result<()> {
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE lost_refunds AS
           SELECT r.visitor, r."at" FROM refunds AS r
           WHERE r.refund_of IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.unit = r.refund_of AND {TAKES})
             AND (EXISTS (SELECT 1 FROM orders AS o WHERE o.unit = r.refund_of)
               OR NOT EXISTS (
                 SELECT 1 FROM events AS e
                 WHERE e.project = {project} AND e.kind = {order} AND e.unit = r.refund_of{least}{until}))"#,
        project = scope.project,
        least = least("e.", scope.orders),
        until = before("e.\"at\"", scope.until),
        order = kind::ORDER,
    ))
}

/// SQL condition for a refund `r` that reduces the order `o`. A refund without a key only reduces orders of the same
/// visitor, and only those sent without a key.
const TAKES: &str = "(r.vouched OR (NOT o.vouched AND r.visitor = o.visitor))
                 AND (r.currency = o.currency OR r.currency IS NULL OR o.currency IS NULL)";

/// Keeps one row of `table` for each event or each order number, depending on `key`: the first one sent with an API
/// key, of any visitor, or else the first one of each visitor.
fn once(db: &Db<'_>, table: &str, key: &str, columns: &[&str]) -> Result<()> {
    let again = format!("SELECT count({key}) > count(DISTINCT {key}) FROM {table}");
    if db.row(&again, |row| row.get(0))? {
        let fields = columns.iter().map(|column| format!("{column} := {column}")).collect::<Vec<_>>().join(", ");
        let names = columns.join(", ");
        let first = columns.iter().map(|column| format!("first.{column}")).collect::<Vec<_>>().join(", ");
        db.run(&format!(
            r#"CREATE OR REPLACE TEMP TABLE {table} AS
               WITH
                 again AS (SELECT {key} FROM {table} WHERE {key} IS NOT NULL GROUP BY {key} HAVING count(*) > 1),
                 repeated AS (
                   SELECT *, bool_or(vouched) OVER (PARTITION BY {key}) AS known
                   FROM {table} SEMI JOIN again USING ({key}))
               SELECT {names} FROM {table} ANTI JOIN again USING ({key})
               UNION ALL
               -- The first by time, and then by whatever differs.
               SELECT {first} FROM (
                 SELECT min(struct_pack(other := NOT vouched, {fields})) AS first
                 FROM repeated GROUP BY {key}, CASE WHEN known THEN NULL ELSE visitor END)"#
        ))?;
    }
    Ok(())
}

/// SQL query of the counted orders and refunds of entered visitors, like `matched` in [`super::outcome`], with kind and
/// value. `window` is the condition on `at` and `entered` to be within the window, `before_us` the period of the
/// covariate.
///
/// A refund counts where both it and its order count. A refund after entry of an order before entry is neither an
/// effect of the arm nor known before entry.
pub(super) fn matched(refunds: bool, window: &str, before_us: i64) -> String {
    let worth = if refunds {
        "o.ordered_at, o.currency, o.vouched, o.amount, o.gross, o.root, o.what".to_owned()
    } else {
        format!(
            r#"o."at" AS ordered_at, o.currency, o.vouched, coalesce(o.amount, 0) AS amount,
               coalesce(o.amount, 0) AS gross, o.id AS root, {ORDER}::UTINYINT AS what"#
        )
    };
    format!(
        r#"SELECT visitor, id, "at", ordered_at >= entered{window} AS after, currency, vouched, amount, gross, root, what
           FROM (
             SELECT x.visitor, o.id, o."at", x."at" AS entered, {worth}
             FROM orders AS o JOIN entry AS x ON x.visitor = o.visitor)
           WHERE (ordered_at >= entered{window}) OR ("at" < entered AND ordered_at >= entered - {before_us})"#
    )
}

/// Removes orders in other currencies and implausible ones from `matched`. Creates the table `earnings`, with one row
/// for each visitor in `matched`. Returns the cap.
pub(super) fn earnings(db: &Db<'_>, metric: &Metric, refunds: bool, answer: &mut MetricAnswer) -> Result<Option<i64>> {
    note_left_out(db, metric, answer)?;
    keep_one_currency(db, metric, answer)?;
    let sure = keep_plausible(db, metric, answer)?;
    let sums = |which: &str| {
        let sum = |condition: &str| format!("coalesce(sum(amount) FILTER ({which} AND {condition}), 0)");
        [
            sum(&format!("vouched AND what < {UNTIED}")),
            sum(&format!("NOT vouched AND what < {UNTIED}")),
            sum(&format!("vouched AND what = {UNTIED}")),
            sum(&format!("NOT vouched AND what = {UNTIED}")),
        ]
    };
    let (after, earlier) = (sums("after"), sums("NOT after"));
    let trusted = format!("greatest({} + {}, 0)", after[0], after[2]);
    db.run(&format!(
        "CREATE OR REPLACE TEMP TABLE earnings AS
         SELECT visitor, count(*) FILTER (after AND what = {ORDER}) AS count, {raw}::BIGINT AS raw,
                {earlier}::BIGINT AS earlier, least({trusted}, {MAX_VALUE})::BIGINT AS vouched
         FROM matched GROUP BY visitor",
        raw = worth(&after),
        earlier = worth(&earlier),
    ))?;
    answer.orders.trusted =
        db.row(&format!("SELECT count(*) FROM matched WHERE after AND vouched AND what = {ORDER}"), |row| row.get(0))?;
    answer.orders.largest = largest_order(db, refunds)?;
    match metric.cap {
        Some(cap) => Ok(Some(fixed(cap))),
        None => usual_cap(db, if sure { "vouched" } else { "raw" }),
    }
}

/// Counts the repeated orders and lost refunds of entered visitors within their window.
fn note_left_out(db: &Db<'_>, metric: &Metric, answer: &mut MetricAnswer) -> Result<()> {
    let window = metric.window_us.map_or_else(String::new, |window| format!(r#" AND l."at" < x."at" + {window}"#));
    let from = |table: &str| {
        format!(r#"FROM {table} AS l JOIN entry AS x ON x.visitor = l.visitor WHERE l."at" >= x."at"{window}"#)
    };
    let repeated = format!("SELECT count(*), count(*) FILTER (l.shared) {}", from("repeated_orders"));
    (answer.orders.repeated, answer.orders.shared) = db.row(&repeated, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let lost = format!("SELECT count(*) {}", from("lost_refunds"));
    answer.orders.lost_refunds = db.row(&lost, |row| row.get(0))?;
    Ok(())
}

/// Counts purchases of entered visitors within their window that are not among the orders: custom events with the
/// orders' name, which have no readable amount or currency, and orders that the policy does not count.
pub(super) fn note_uncounted(
    db: &Db<'_>,
    scope: &MetricContext,
    metric: &Metric,
    condition: &str,
    answer: &mut MetricAnswer,
) -> Result<()> {
    let window = metric.window_us.map_or_else(String::new, |window| format!(r#" AND e."at" < x."at" + {window}"#));
    let count = |which: &str| {
        let sql = format!(
            r#"SELECT count(*) FROM (
                 SELECT DISTINCT e.visitor, e.id FROM events AS e JOIN entry AS x ON x.visitor = e.visitor
                 WHERE e.project = {project} AND {which} AND {condition}{until} AND e."at" >= x."at"{window})"#,
            project = scope.project,
            until = before("e.\"at\"", scope.until),
        );
        db.row(&sql, |row| row.get(0))
    };
    answer.orders.unread = count(&format!("e.kind = {}", kind::CUSTOM))?;
    let least = least("e.", scope.orders);
    if !least.is_empty() {
        answer.orders.untrusted = count(&format!("e.kind = {} AND NOT (true{least})", kind::ORDER))?;
    }
    Ok(())
}

/// SQL expression for the value of a visitor, from four sums: of keyed and of other orders, both less their refunds,
/// and of refunds without an order of both kinds, which are negative. Refunds never make the value negative. Refunds
/// without a key only reduce orders without a key.
pub(super) fn worth([trusted, other, untied, other_untied]: &[String; 4]) -> String {
    format!("least(greatest({trusted} + greatest({other} + {other_untied}, 0) + {untied}, 0), {MAX_VALUE})")
}

/// SQL expressions for the contribution of a row of `matched` to the four sums of [`worth`].
pub(super) fn contributions() -> [String; 4] {
    [
        format!("vouched AND what < {UNTIED}"),
        format!("NOT vouched AND what < {UNTIED}"),
        format!("vouched AND what = {UNTIED}"),
        format!("NOT vouched AND what = {UNTIED}"),
    ]
    .map(|condition| format!("CASE WHEN {condition} THEN amount ELSE 0 END::HUGEINT"))
}

/// SQL expression for whether a row of `matched` is an order, 0 or 1.
pub(super) fn is_order() -> String {
    format!("(what = {ORDER})::BIGINT")
}

/// Keeps the rows in the goal's currency, or else in the currency of most buyers. Buyers with keyed orders are compared
/// first, because anybody can invent orders without a key.
fn keep_one_currency(db: &Db<'_>, metric: &Metric, answer: &mut MetricAnswer) -> Result<()> {
    let mut orders: Vec<(String, u64, u64)> = db.rows(
        &format!(
            "SELECT currency, count(*), count(*) FILTER (vouched) FROM matched
             WHERE after AND what = {ORDER} AND currency IS NOT NULL GROUP BY currency ORDER BY currency"
        ),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    answer.currency = match &metric.currency {
        Some(currency) => Some(currency.clone()),
        // Orders without an exchange rate are left out, however many there are.
        None if metric.exchange.is_some() && !orders.is_empty() => {
            metric.exchange.as_ref().map(|exchange| exchange.currency.clone())
        }
        None if orders.len() > 1 => db
            .rows(
                &format!(
                    "SELECT currency, count(DISTINCT visitor) FILTER (vouched) AS vouched_buyers,
                            count(DISTINCT visitor) AS buyers
                     FROM matched WHERE after AND what = {ORDER} AND currency IS NOT NULL
                     GROUP BY currency ORDER BY vouched_buyers DESC, buyers DESC, currency LIMIT 1"
                ),
                |row| row.get(0),
            )?
            .pop(),
        None => orders.first().map(|(currency, _, _)| currency.clone()),
    };
    orders.retain(|(currency, _, _)| Some(currency) != answer.currency.as_ref());
    answer.orders.other_currency = orders.iter().map(|(_, all, _)| all).sum();
    answer.orders.other_currency_trusted = orders.iter().map(|(_, _, trusted)| trusted).sum();
    let named =
        answer.currency.as_deref().map_or_else(String::new, |name| format!(" AND currency <> {}", literal(name)));
    db.run(&format!("DELETE FROM matched WHERE currency IS NOT NULL{named}"))
}

/// Removes orders above the plausible maximum, with their refunds. Returns whether enough buyers have keyed orders to
/// represent all buyers.
fn keep_plausible(db: &Db<'_>, metric: &Metric, answer: &mut MetricAnswer) -> Result<bool> {
    let orders = format!("FROM matched WHERE after AND what = {ORDER}");
    let largest: Option<i64> = db.row(&format!("SELECT max(amount) FILTER (vouched) {orders}"), |row| row.get(0))?;
    let sure = match largest {
        None => false,
        Some(_) => {
            let buyers = format!("SELECT count(DISTINCT visitor), count(DISTINCT visitor) FILTER (vouched) {orders}");
            let (all, trusted): (u64, u64) = db.row(&buyers, |row| Ok((row.get(0)?, row.get(1)?)))?;
            trusted.saturating_mul(MIN_TRUSTED_ONE_IN) >= all
        }
    };
    let (limit, whose) = match (metric.max_order_value, largest.filter(|largest| sure && *largest > 0)) {
        (Some(limit), _) => (fixed(limit), ""),
        (None, Some(largest)) => (largest.saturating_mul(MAX_ORDER_FACTOR), " AND NOT vouched"),
        (None, None) => return Ok(sure),
    };
    answer.orders.limit = Some(limit as f64 / VALUE_SCALE as f64);
    let above = format!("gross > {limit}{whose}");
    answer.orders.implausible = db.row(&format!("SELECT count(*) {orders} AND {above}"), |row| row.get(0))?;
    db.run(&format!("DELETE FROM matched WHERE {above}"))?;
    Ok(sure)
}

/// The order of `matched` with the largest value.
fn largest_order(db: &Db<'_>, refunds: bool) -> Result<Option<LargestOrder>> {
    let net = if refunds {
        // Refunds are subtracted, so that a fully refunded order does not appear.
        format!(
            r#"SELECT visitor, root, vouched, sum(amount)::BIGINT AS amount, min("at") AS "at"
               FROM matched WHERE after AND what < {UNTIED} GROUP BY visitor, root, vouched"#
        )
    } else {
        r#"SELECT visitor, root, vouched, amount, "at" FROM matched WHERE after"#.to_owned()
    };
    let sql = format!(
        r#"SELECT o.amount, o."at", x.variant, o.vouched
           FROM (SELECT * FROM ({net}) WHERE amount > 0 ORDER BY amount DESC, "at", visitor, root LIMIT 1) AS o
           JOIN entry AS x ON x.visitor = o.visitor"#
    );
    let mut largest = db.rows(&sql, |row| {
        Ok(LargestOrder {
            units: row.get(0)?,
            at: Instant::from_us(row.get(1)?),
            variant: row.get(2)?,
            trusted: row.get(3)?,
        })
    })?;
    Ok(largest.pop())
}

/// Default cap of the positive values of a column of `earnings`, by the definition of
/// [`muriel_stats::cap::default_cap_rank`]; `None` without positive values.
fn usual_cap(db: &Db<'_>, column: &str) -> Result<Option<i64>> {
    let values: u64 = db.row(&format!("SELECT count(*) FROM earnings WHERE {column} > 0"), |row| row.get(0))?;
    let Some(rank) = muriel_stats::cap::default_cap_rank(values) else { return Ok(None) };
    let sql = format!("SELECT {column} FROM earnings WHERE {column} > 0 ORDER BY {column} DESC LIMIT 1 OFFSET {rank}");
    Ok(Some(db.row(&sql, |row| row.get(0))?))
}
