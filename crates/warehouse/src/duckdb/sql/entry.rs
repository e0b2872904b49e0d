//! Entry of visitors: time, arm, epoch and attributes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use muriel_domain::Instant;
use muriel_domain::trust::TrustPolicy;

use super::read::Db;
use super::{Result, before, literal, since};
use crate::Watermarks;
use crate::answer::{Arrivals, Balance, ExperimentAnswer, LostEvents, Segment, VisitorsByTrust};
use crate::question::{
    CountedOutcome, Dimension, ExcludedBy, Exclusion, ExperimentQuestion, Filter, NETWORKS_MAX, SEGMENTS_MAX,
};
use crate::row::kind::LOST;

/// Dimensions by which the balance of arms is checked.
const BALANCE: [Dimension; 5] =
    [Dimension::Device, Dimension::Browser, Dimension::Os, Dimension::Country, Dimension::UserType];

/// Maximum number of values per dimension in the balance.
const BALANCE_MAX: usize = 10;

/// Returns whether the dimension is part of a visitor's profile, and not a column of
/// `exposures`.
fn in_profile(dimension: Dimension) -> bool {
    BALANCE.contains(&dimension)
}

/// Selects the exposures that count: those within the experiment's arms and period. If a
/// visitor has such an exposure sent with an API key, the visitor's exposures without a
/// key do not count. Anybody can send an exposure of any visitor without a key, which
/// must not move a visitor whom a keyed exposure placed.
pub(super) struct Exposures {
    /// Exposures to the experiment's arms, at any time, including bots and late ones; an SQL condition.
    all: String,
    /// SQL condition of the exposures on pages of other origins.
    elsewhere: String,
    /// Exposures that are in time, on the project's pages, and trusted enough; an SQL condition.
    trusted: String,
    /// SQL condition of the exposures that are excluded; `None` when no exclusion exists.
    excluded: Option<String>,
    /// Exposures that the policy counts; an SQL condition.
    arms: String,
    /// SQL condition, with a leading ` AND `, that removes exposures overruled by keyed
    /// ones; empty when there are none.
    kept: &'static str,
    started: String,
    until: String,
}

impl Exposures {
    /// Creates the table `placed`, if an exposure is overruled.
    ///
    /// Ignores the end of the question: a visitor whom a keyed exposure placed later has
    /// not entered before. So each day of a time series equals a report that ends with
    /// that day.
    pub(super) fn find(db: &Db<'_>, question: &ExperimentQuestion, project: u64, test: i64) -> Result<Self> {
        let started = since("\"at\"", question.started_at);
        let all = format!("project = {project} AND test = {test} AND variant < {}", question.arms);
        let elsewhere = elsewhere(&question.policy.page_origins);
        let pages =
            if question.policy.page_origins.is_empty() { String::new() } else { format!(" AND NOT ({elsewhere})") };
        let trusted = format!("{all} AND NOT late{pages}{}", least("", question.policy.visitors));
        let excluded = excluded(&question.policy.exclusions, project);
        let arms = match &excluded {
            Some(excluded) => format!("{trusted} AND NOT ({excluded})"),
            None => trusted.clone(),
        };
        // An experiment rarely has both kinds.
        let mixed = format!(
            "SELECT coalesce(bool_or(vouched{started}) AND NOT bool_and(vouched), false) FROM exposures WHERE {arms}"
        );
        let kept = if db.row(&mixed, |row| row.get(0))? {
            db.run(&format!(
                "CREATE OR REPLACE TEMP TABLE placed AS
                 SELECT visitor FROM exposures WHERE {arms}
                 GROUP BY visitor HAVING bool_or(vouched{started}) AND NOT bool_and(vouched)"
            ))?;
            " AND (vouched OR visitor NOT IN (SELECT visitor FROM placed))"
        } else {
            ""
        };
        Ok(Self { all, elsewhere, trusted, excluded, arms, kept, started, until: before("\"at\"", question.until) })
    }

    /// SQL condition of the exposures that count, including bots.
    fn counted(&self) -> String {
        let Self { all: _, elsewhere: _, trusted: _, excluded: _, arms, kept, started, until } = self;
        format!("{arms}{started}{until}{kept}")
    }

    /// Adds the columns `network` and `trusted` to the table `entry`, which few questions need.
    pub(super) fn add_senders(&self, db: &Db<'_>, question: &ExperimentQuestion) -> Result<()> {
        let met = self.met(question, "network, vouched OR signed AS trusted");
        db.run(&format!(
            r#"CREATE OR REPLACE TEMP TABLE entered AS
               WITH
                 met AS NOT MATERIALIZED ({met}),
                 -- Of several exposures at that moment, any.
                 senders AS (
                   SELECT x.visitor, min(met.network) AS network, bool_or(met.trusted) AS trusted
                   FROM entry AS x JOIN met ON met.visitor = x.visitor AND met."at" = x."at" GROUP BY x.visitor)
               SELECT x.*, senders.network, senders.trusted FROM entry AS x LEFT JOIN senders ON senders.visitor = x.visitor;
               CREATE OR REPLACE TEMP TABLE entry AS SELECT * FROM entered; DROP TABLE entered"#
        ))
    }

    /// SQL query of the exposures that count, without bots. Selects `visitor`, `at`, `id`, `variant`, `epoch` and the
    /// expressions in `columns`.
    fn met(&self, question: &ExperimentQuestion, columns: &str) -> String {
        format!(
            r#"SELECT visitor, "at", id, variant, {epoch} AS epoch, {columns} FROM exposures
               WHERE {counted} AND NOT bot"#,
            epoch = epoch(&question.epochs),
            counted = self.counted(),
        )
    }
}

/// SQL condition of the exposures on pages of other origins than these. It is never NULL.
fn elsewhere(origins: &[String]) -> String {
    if origins.is_empty() {
        return "false".to_owned();
    }
    let list: Vec<String> = origins.iter().map(|origin| literal(origin)).collect();
    format!("NOT vouched AND origin IS NOT NULL AND origin NOT IN ({})", list.join(", "))
}

/// SQL condition of the exposures that one of the exclusions excludes. It is never NULL. `None` without exclusions.
fn excluded(exclusions: &[Exclusion], project: u64) -> Option<String> {
    // Values of the same property and period become one list, which is compared at once.
    let mut lists: BTreeMap<(&'static str, String), Vec<String>> = BTreeMap::new();
    let mut any = Vec::new();
    let profiles = |condition: &str| {
        format!("profile IN (SELECT profile FROM profiles WHERE project = {project} AND {condition})")
    };
    for Exclusion { by, from, until } in exclusions {
        let period = since("\"at\"", *from) + &before("\"at\"", *until);
        let (column, value) = match by {
            // An invalid hash matches no visitor.
            ExcludedBy::Visitor(hash) => {
                ("visitor", u64::from_str_radix(hash, 16).map_or("NULL".to_owned(), |hash| hash.to_string()))
            }
            ExcludedBy::Network(hash) => ("network", literal(hash)),
            ExcludedBy::Origin(origin) => ("origin", literal(origin)),
            ExcludedBy::Source(source) => {
                any.push(format!("({}{period})", profiles(&format!("source = {}", literal(source)))));
                continue;
            }
            ExcludedBy::UserAgent(words) => {
                let has = |word: &String| {
                    let word = literal(word);
                    let columns = ["browser", "os", "device"];
                    format!("({})", columns.map(|column| format!("{column} IS NOT DISTINCT FROM {word}")).join(" OR "))
                };
                let words: Vec<String> = words.iter().map(has).collect();
                any.push(format!("({}{period})", profiles(&words.join(" AND "))));
                continue;
            }
            ExcludedBy::Time => {
                any.push(format!("(true{period})"));
                continue;
            }
        };
        lists.entry((column, period)).or_default().push(value);
    }
    any.extend(
        lists
            .into_iter()
            .map(|((column, period), values)| format!("coalesce({column} IN ({}){period}, false)", values.join(", "))),
    );
    (!any.is_empty()).then(|| any.join(" OR "))
}

/// SQL condition of the rows that are trusted enough, with a leading ` AND `. `of` is the prefix of their columns.
pub(super) fn least(of: &str, policy: TrustPolicy) -> String {
    match policy {
        TrustPolicy::Any => String::new(),
        TrustPolicy::Signed => format!(" AND ({of}vouched OR {of}signed)"),
        TrustPolicy::Keyed => format!(" AND {of}vouched"),
    }
}

/// Visitors with an exposure in the period of the question, counted or not, by the most trusted one.
fn by_trust(db: &Db<'_>, exposures: &Exposures) -> Result<VisitorsByTrust> {
    let Exposures { all, elsewhere, started, until, .. } = exposures;
    let sql = format!(
        "SELECT count(*) FILTER (keyed), count(*) FILTER (signed AND NOT keyed),
                count(*) FILTER (here AND NOT signed AND NOT keyed), count(*) FILTER (prompt AND NOT here), count(*)
         FROM (
           SELECT bool_or(vouched) AS keyed, bool_or(signed AND NOT late AND NOT ({elsewhere})) AS signed,
                  bool_or(NOT late AND NOT ({elsewhere})) AS here, bool_or(NOT late) AS prompt
           FROM exposures WHERE {all}{started}{until} AND NOT bot GROUP BY visitor)"
    );
    db.row(&sql, |row| {
        let [keyed, signed, unsigned, elsewhere, all] =
            [row.get::<_, u64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
        Ok(VisitorsByTrust { keyed, signed, unsigned, elsewhere, late: all - keyed - signed - unsigned - elsewhere })
    })
}

/// Visitors whose exposures in the period of the question were all excluded.
fn left_out(db: &Db<'_>, exposures: &Exposures) -> Result<u64> {
    let Exposures { trusted, excluded, started, until, .. } = exposures;
    let Some(excluded) = excluded else { return Ok(0) };
    let sql = format!(
        "SELECT count(*) FROM (
           SELECT bool_and({excluded}) AS excluded FROM exposures
           WHERE {trusted}{started}{until} AND NOT bot GROUP BY visitor)
         WHERE excluded"
    );
    db.row(&sql, |row| row.get(0))
}

/// Creates the table `entry`.
pub(super) fn enter(db: &Db<'_>, question: &ExperimentQuestion, project: u64, exposures: &Exposures) -> Result<()> {
    let mut columns = vec!["profile"];
    let visit = |outcome: &CountedOutcome| matches!(outcome, CountedOutcome::Bounce | CountedOutcome::Engagement);
    if question.metrics.iter().any(|metric| visit(&metric.outcome)) {
        columns.push("\"session\"");
    }
    if let Some(dimension) = question.breakdown
        && !in_profile(dimension)
    {
        columns.push(dimension.word());
    }
    let columns = columns.join(", ");
    let condition = condition(question, project);
    let table = if condition.is_some() { "entered" } else { "entry" };
    let met = exposures.met(question, &columns);
    let from = question.from.map_or_else(String::new, |from| format!(r#" HAVING min("at") >= {}"#, from.us()));
    let make = |once: &str| {
        db.run(&format!(
            r#"CREATE OR REPLACE TEMP TABLE {table} AS
               WITH
                 met AS NOT MATERIALIZED ({met}),
                 -- When each visitor entered, and whether the visitor met several arms.
                 first AS (
                   SELECT visitor, min("at") AS "at", min(variant) < max(variant) AS several
                   FROM met GROUP BY visitor{from})
               SELECT met.* EXCLUDE (id), first.several
               FROM met JOIN first ON met.visitor = first.visitor AND met."at" = first."at"{once}"#
        ))
    };
    make("")?;
    // A visitor rarely has several exposures at the first moment. Selecting one of them
    // needs a sort by id and then by all other columns, because an event that was stored
    // twice may have different values.
    let sql = format!("SELECT count(*) > count(DISTINCT visitor) FROM {table}");
    if db.row(&sql, |row| row.get(0))? {
        make(&format!(
            " QUALIFY row_number() OVER (PARTITION BY met.visitor ORDER BY met.id, variant, epoch, {columns}) = 1"
        ))?;
    }
    if let Some(condition) = condition {
        db.run(&format!(
            "CREATE OR REPLACE TEMP TABLE entry AS SELECT * FROM entered WHERE {condition}; DROP TABLE entered"
        ))?;
    }
    Ok(())
}

/// SQL expression for the epoch of an exposure: the one that it names if the experiment
/// has reached it, otherwise the one at its time. Clients can name any number, so an
/// epoch that was never reached must not create a group.
fn epoch(epochs: &[(i64, Instant)]) -> String {
    let mut epochs = epochs.to_vec();
    epochs.sort_unstable_by_key(|(epoch, start)| (*start, *epoch));
    let (Some((first, later)), Some(last)) = (epochs.split_first(), epochs.iter().map(|(epoch, _)| *epoch).max())
    else {
        return "coalesce(epoch, 0)".into();
    };
    let mut sql = format!("CASE WHEN epoch BETWEEN 1 AND {last} THEN epoch");
    for (epoch, start) in later.iter().rev() {
        let _ = write!(sql, r#" WHEN "at" >= {} THEN {epoch}"#, start.us());
    }
    let _ = write!(sql, " ELSE {} END", first.0);
    sql
}

/// SQL condition of the rows of `entered` that count.
fn condition(question: &ExperimentQuestion, project: u64) -> Option<String> {
    let Filter { devices, user_types, sources, countries } = &question.filter;
    let mut all = Vec::new();
    for (column, values) in [("device", devices), ("user_type", user_types), ("source", sources)] {
        all.extend(values.iter().map(|value| format!("{column} = {}", literal(value))));
    }
    if !countries.is_empty() {
        let list: Vec<String> = countries.iter().map(|country| literal(country)).collect();
        all.push(format!("country IN ({})", list.join(", ")));
    }
    if !all.is_empty() {
        let profiles = format!("SELECT profile FROM profiles WHERE project = {project} AND {}", all.join(" AND "));
        all = vec![format!("profile IN ({profiles})")];
    }
    all.extend(question.epoch.iter().map(|epoch| format!("epoch = {epoch}")));
    (!all.is_empty()).then(|| all.join(" AND "))
}

/// Numbers about the entered visitors, without metrics and watermarks.
pub(super) fn health(
    db: &Db<'_>,
    question: &ExperimentQuestion,
    project: u64,
    exposures: &Exposures,
) -> Result<ExperimentAnswer> {
    let (arrived, several) = arrived(db)?;
    let (crossed, moved) = if several == 0 { (0, 0) } else { crossed(db, question, exposures)? };
    Ok(ExperimentAnswer {
        crossed,
        moved,
        bots: bots(db, question, exposures)?,
        early: early(db, question, exposures)?,
        trust: by_trust(db, exposures)?,
        excluded: left_out(db, exposures)?,
        balance: balance(db, project)?,
        ..arrived
    })
}

/// Number of entered visitors, time of the first entry, and number of visitors with
/// several arms.
pub(super) fn arrived(db: &Db<'_>) -> Result<(ExperimentAnswer, u64)> {
    let arrivals = db
        .rows("SELECT epoch, variant, count(*) FROM entry GROUP BY ALL ORDER BY epoch, variant", |row| {
            Ok(Arrivals { epoch: row.get(0)?, variant: row.get(1)?, visitors: row.get(2)? })
        })?;
    let (first_entry, several): (Option<i64>, u64) =
        db.row(r#"SELECT min("at"), count(*) FILTER (several) FROM entry"#, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let answer = ExperimentAnswer {
        marks: Watermarks::new(),
        lost: Vec::new(),
        rewritten: Vec::new(),
        arrivals,
        crossed: 0,
        moved: 0,
        bots: 0,
        early: 0,
        trust: VisitorsByTrust::default(),
        excluded: 0,
        networks: Vec::new(),
        trusted: Vec::new(),
        lost_events: LostEvents::default(),
        first_entry: first_entry.map(Instant::from_us),
        balance: Vec::new(),
        applied: Vec::new(),
        pages: Vec::new(),
        errors: Vec::new(),
        metrics: Vec::new(),
    };
    Ok((answer, several))
}

fn crossed(db: &Db<'_>, question: &ExperimentQuestion, exposures: &Exposures) -> Result<(u64, u64)> {
    let met = exposures.met(question, "true");
    let sql = format!(
        "WITH
           met AS ({met}),
           -- Whether a visitor who met several arms met them within an epoch.
           arms AS (
             SELECT visitor, epoch, min(variant) < max(variant) AS several
             FROM met WHERE visitor IN (SELECT visitor FROM entry WHERE several) GROUP BY ALL),
           visitors AS (SELECT visitor, bool_or(several) AS crossed FROM arms GROUP BY visitor)
         SELECT count(*) FILTER (crossed), count(*) FILTER (NOT crossed) FROM visitors"
    );
    db.row(&sql, |row| Ok((row.get(0)?, row.get(1)?)))
}

fn bots(db: &Db<'_>, question: &ExperimentQuestion, exposures: &Exposures) -> Result<u64> {
    let from = question.from.map_or_else(String::new, |from| format!(r#" AND min("at") >= {}"#, from.us()));
    let sql = format!(
        r#"WITH
             met AS NOT MATERIALIZED (
               SELECT visitor, bot, "at" FROM exposures WHERE {counted})
           SELECT count(*) FROM (
             SELECT visitor FROM met WHERE visitor IN (SELECT visitor FROM met WHERE bot)
             GROUP BY visitor HAVING bool_and(bot){from})"#,
        counted = exposures.counted(),
    );
    db.row(&sql, |row| row.get(0))
}

fn early(db: &Db<'_>, question: &ExperimentQuestion, exposures: &Exposures) -> Result<u64> {
    let Some(started_at) = question.started_at else { return Ok(0) };
    let Exposures { arms, kept, .. } = exposures;
    let sql = format!(
        r#"SELECT count(DISTINCT visitor) FROM exposures WHERE {arms} AND NOT bot AND "at" < {}{kept}"#,
        started_at.us()
    );
    db.row(&sql, |row| row.get(0))
}

fn balance(db: &Db<'_>, project: u64) -> Result<Vec<Balance>> {
    let columns = BALANCE.map(Dimension::word).join(", ");
    db.run(&format!(
        "CREATE OR REPLACE TEMP TABLE alike AS
         WITH
           met AS (SELECT profile, variant, count(*) AS visitors FROM entry GROUP BY ALL),
           -- Each once.
           known AS (
             SELECT DISTINCT profile, {columns} FROM profiles
             WHERE project = {project} AND profile IN (SELECT profile FROM met))
         SELECT {columns}, variant, visitors FROM met JOIN known USING (profile)"
    ))?;
    let mut balance = Vec::new();
    for dimension in BALANCE {
        let column = dimension.word();
        let counted: Vec<(Option<String>, u32, u64)> = db
            .rows(&format!("SELECT {column}, variant, sum(visitors)::UBIGINT FROM alike GROUP BY ALL"), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let mut by_value: BTreeMap<Option<String>, BTreeMap<u32, u64>> = BTreeMap::new();
        for (value, variant, visitors) in counted {
            by_value.entry(value).or_default().insert(variant, visitors);
        }
        let unknown = by_value.remove(&None);
        let mut known: Vec<_> = by_value.into_iter().collect();
        // The sort is stable: values with the same number of visitors stay in
        // alphabetical order.
        known.sort_by_key(|(_, arms)| std::cmp::Reverse(arms.values().sum::<u64>()));
        known.truncate(BALANCE_MAX);
        for (value, arms) in known.into_iter().chain(unknown.map(|arms| (None, arms))) {
            let value: Option<Arc<str>> = value.map(Arc::from);
            balance.extend(arms.into_iter().map(|(variant, visitors)| Balance {
                dimension,
                value: value.clone(),
                variant,
                visitors,
            }));
        }
    }
    Ok(balance)
}

/// The numbered segments of the question's breakdown, from 0. See [`segment`]. Needs the table `alike`.
pub(super) fn segments(db: &Db<'_>, question: &ExperimentQuestion, project: u64) -> Result<Vec<Segment>> {
    question.breakdown.map_or(Ok(Vec::new()), |dimension| segments_of(db, dimension, project))
}

/// The numbered segments of a dimension.
pub(super) fn segments_of(db: &Db<'_>, dimension: Dimension, project: u64) -> Result<Vec<Segment>> {
    let column = dimension.word();
    let limit = if dimension == Dimension::Network { NETWORKS_MAX } else { SEGMENTS_MAX };
    let (visitors, whom) = if in_profile(dimension) { ("sum(visitors)", "alike") } else { ("count(*)", "entry") };
    db.run(&format!(
        "CREATE OR REPLACE TEMP TABLE segments AS
         WITH
           -- The largest; of as large ones, the alphabet's first.
           largest AS (
             SELECT {column} AS value, {visitors} AS visitors FROM {whom} WHERE {column} IS NOT NULL
             GROUP BY ALL ORDER BY visitors DESC, value LIMIT {limit})
         SELECT value, row_number() OVER (ORDER BY visitors DESC, value) - 1 AS segment FROM largest"
    ))?;
    let mut segments: Vec<Segment> = db.rows("SELECT value FROM segments ORDER BY segment", |row| {
        Ok(Segment::Value(row.get::<_, String>(0)?.into()))
    })?;
    segments.extend([Segment::Unknown, Segment::Rest]);
    if in_profile(dimension) {
        let (unknown, rest) = (segments.len() - 2, segments.len() - 1);
        db.run(&format!(
            "CREATE OR REPLACE TEMP TABLE segment_profiles AS
             SELECT DISTINCT p.profile,
                    CASE WHEN p.{column} IS NULL THEN {unknown} ELSE coalesce(s.segment, {rest}) END AS segment
             FROM profiles AS p LEFT JOIN segments AS s ON s.value = p.{column}
             WHERE p.project = {project}"
        ))?;
    }
    Ok(segments)
}

/// SQL column and join that give the segment's number for a row `x` of `entry`.
pub(super) fn segment(breakdown: Option<Dimension>, segments: usize) -> (String, String) {
    match breakdown {
        None => ("-1".to_owned(), String::new()),
        Some(dimension) if in_profile(dimension) => {
            ("s.segment".to_owned(), " JOIN segment_profiles AS s ON s.profile = x.profile".to_owned())
        }
        Some(dimension) => {
            let column = dimension.word();
            let (unknown, rest) = (segments - 2, segments - 1);
            (
                format!("CASE WHEN x.{column} IS NULL THEN {unknown} ELSE coalesce(s.segment, {rest}) END"),
                format!(" LEFT JOIN segments AS s ON s.value = x.{column}"),
            )
        }
    }
}

/// Events that pages of visitors in `entry` have lost after entry.
pub(super) fn lost_events(db: &Db<'_>, question: &ExperimentQuestion, project: u64) -> Result<LostEvents> {
    let until = before("e.\"at\"", question.until);
    let sql = format!(
        r#"SELECT count(DISTINCT visitor), coalesce(sum(amount), 0)::BIGINT FROM (
             SELECT e.visitor, e.id, max(e.amount) AS amount FROM events AS e JOIN entry AS x ON x.visitor = e.visitor
             WHERE e.project = {project} AND e.kind = {LOST} AND e."at" >= x."at"{until}
             GROUP BY e.visitor, e.id)"#
    );
    db.row(&sql, |row| {
        let (visitors, events): (u64, i64) = (row.get(0)?, row.get(1)?);
        Ok(LostEvents { visitors, events: events.unsigned_abs() })
    })
}

/// Creates a table `entry` of all visitors with any event, at the time of the first one.
pub(super) fn first_seen(db: &Db<'_>, project: u64, from: Instant, until: Instant, limit: Option<u64>) -> Result<()> {
    let (from, until) = (from.us(), until.us());
    let limit = limit.map_or_else(String::new, |limit| format!(" ORDER BY visitor LIMIT {limit}"));
    let scope = format!(r#"project = {project} AND "at" >= {from} AND "at" < {until}"#);
    db.run(&format!(
        r#"CREATE OR REPLACE TEMP TABLE entry AS
           SELECT visitor, min("at") AS "at", 0::UTINYINT AS variant, 0::BIGINT AS epoch, NULL::UBIGINT AS "session"
           FROM (
             SELECT visitor, "at" FROM events WHERE {scope} AND kind <> {LOST}
             UNION ALL
             SELECT visitor, "at" FROM exposures WHERE {scope} AND NOT bot AND NOT late)
           GROUP BY visitor{limit}"#
    ))
}
