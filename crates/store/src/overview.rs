//! The overview of experiments: a small row for each, which the database filters and sorts.
//!
//! The rows are derived from the experiments and written in the same transactions, by `overview_rows`. The columns about
//! results are written when a result is checked, with the time of the check.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::backlog::fold;
use crate::experiments::{ListedExperiment, listed};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, ExperimentId, ProjectId};
use muriel_sql::{Row, Tx, Value, params};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Filter of the overview. An empty list or text restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverviewFilter {
    /// Part of the name, key, page or labels, in any letter case; or `#` and an id.
    pub search: String,
    /// Status words.
    pub statuses: Vec<String>,
    /// Label that an experiment must have.
    pub tag: String,
    /// Projects that the caller sees and selects; `None` for all projects of the company.
    pub projects: Option<Vec<ProjectId>>,
    /// Owner, in the form that history uses.
    pub owner: String,
    /// Outcome words; `none` for experiments that are not concluded.
    pub outcomes: Vec<String>,
    /// Verdict words; `unknown` for experiments without a verdict.
    pub verdicts: Vec<String>,
    /// Words of health grades.
    pub healths: Vec<String>,
    /// Handling of archived experiments.
    pub archived: ArchiveFilter,
    /// True: only experiments whose winner is served. False: only the others.
    pub served: Option<bool>,
    /// True: only experiments that are not concluded and have ended or reached their planned visitors. False: only the
    /// others.
    pub complete: Option<bool>,
    /// True: only experiments with a change that waits for a second person. False: only the others.
    pub waiting: Option<bool>,
}

/// Handling of archived experiments in a filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveFilter {
    /// Only experiments that are not archived.
    #[default]
    Exclude,
    /// All experiments.
    Include,
    /// Only archived experiments.
    Only,
}

/// Sort key of the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OverviewSort {
    /// Need for attention: broken, winner to serve, to stop, waiting for approval, complete, then live, draft and
    /// ended, then concluded and archived; within each of these, the last changed first.
    Need,
    /// Time of the last change.
    LastChange,
    /// Time of creation.
    CreatedAt,
    /// The name, in any letter case.
    Name,
    /// Live, draft, inactive.
    Status,
    /// Win, loss, no difference, keep running, do not trust.
    Verdict,
    /// Fail, warn, ok.
    Health,
    /// Visitors in all arms.
    Visitors,
    /// Days since the first start.
    Days,
    /// Time at which it will be done: the planned end or the arrival of the planned visitors, whichever comes first.
    DaysLeft,
}

impl OverviewSort {
    /// Words of the sort keys in the interface.
    pub const WORDS: [(&'static str, OverviewSort); 10] = [
        ("need", OverviewSort::Need),
        ("last_change", OverviewSort::LastChange),
        ("created_at", OverviewSort::CreatedAt),
        ("test_name", OverviewSort::Name),
        ("status", OverviewSort::Status),
        ("verdict", OverviewSort::Verdict),
        ("health", OverviewSort::Health),
        ("visitors", OverviewSort::Visitors),
        ("days", OverviewSort::Days),
        ("days_left", OverviewSort::DaysLeft),
    ];

    /// SQL expression that rows are sorted by. Null means unknown. `$15` is the current time.
    fn expression(self) -> &'static str {
        match self {
            // A time in microseconds has 16 digits, so it never outweighs the factor of the group.
            OverviewSort::Need => {
                static NEED: LazyLock<String> = LazyLock::new(|| {
                    format!(
                        "CAST(CASE WHEN o.archived <> 0 THEN 9 WHEN o.outcome <> '' THEN 8 \
                         WHEN o.status = 'live' AND (o.health = 'fail' OR o.verdict = 'do_not_trust') THEN 0 \
                         WHEN o.status <> 'draft' AND o.verdict = 'win' AND o.served_arm IS NULL THEN 1 \
                         WHEN o.status <> 'draft' AND o.verdict IN ('loss', 'no_difference') THEN 2 \
                         WHEN {WAITING} = 1 THEN 3 WHEN {COMPLETE} = 1 THEN 4 WHEN o.status = 'live' THEN 5 \
                         WHEN o.status = 'draft' THEN 6 ELSE 7 END AS BIGINT) * 10000000000000000 - o.changed_at"
                    )
                });
                NEED.as_str()
            }
            OverviewSort::LastChange => "o.changed_at",
            OverviewSort::CreatedAt => "o.created_at",
            OverviewSort::Name => "o.name_folded",
            OverviewSort::Status => "CASE o.status WHEN 'live' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END",
            OverviewSort::Verdict => {
                "CASE o.verdict WHEN 'win' THEN 0 WHEN 'loss' THEN 1 WHEN 'no_difference' THEN 2 \
                 WHEN 'keep_running' THEN 3 WHEN 'do_not_trust' THEN 4 END"
            }
            OverviewSort::Health => "CASE o.health WHEN 'fail' THEN 0 WHEN 'warn' THEN 1 WHEN 'ok' THEN 2 END",
            OverviewSort::Visitors => "o.visitors",
            OverviewSort::Days => "COALESCE(o.ended_at, CAST($15 AS BIGINT)) - o.started_at",
            OverviewSort::DaysLeft => {
                "CASE WHEN o.status <> 'live' THEN NULL WHEN o.end_date IS NULL THEN o.ready_at \
                 WHEN o.ready_at IS NULL OR o.end_date < o.ready_at THEN o.end_date ELSE o.ready_at END"
            }
        }
    }

    fn is_text(self) -> bool {
        self == OverviewSort::Name
    }
}

/// Order of a page, and the row after which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverviewPage {
    /// Sort key.
    pub sort: OverviewSort,
    /// True when the greatest value comes first.
    pub descending: bool,
    /// Last row of the page before.
    pub after: Option<OverviewMark>,
    /// Maximum number of rows.
    pub limit: i64,
    /// Current time.
    pub now: Instant,
}

/// Position of a row in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverviewMark {
    /// Value of the sort key.
    pub value: MarkValue,
    /// Experiment id, which orders rows with equal values.
    pub id: ExperimentId,
}

/// Value of a row's sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkValue {
    /// A number, or a time in microseconds. Unknown values are replaced by ±`LAST`, so that they sort last in ascending
    /// and in descending order.
    Number(i64),
    /// Folded text.
    Text(String),
}

/// A row of the overview.
#[derive(Debug, Clone, PartialEq)]
pub struct OverviewRow {
    /// The experiment as lists show it.
    pub listed: ListedExperiment,
    /// Experiment key.
    pub key: String,
    /// Key of its project.
    pub project_key: String,
    /// Labels.
    pub tags: Vec<String>,
    /// Owner, in the form that history uses.
    pub owner: String,
    /// True when it is in the archive.
    pub is_archived: bool,
    /// Outcome word of the conclusion; empty while it is not concluded.
    pub outcome: String,
    /// Time of the first start.
    pub started_at: Option<Instant>,
    /// Time of the last end; `None` while it is live.
    pub ended_at: Option<Instant>,
    /// Planned end.
    pub end_date: Option<Instant>,
    /// Expected time at which its planned visitors will have entered.
    pub ready_at: Option<Instant>,
    /// Time of the last change.
    pub changed_at: Instant,
    /// Actor of the last change.
    pub changed_by: String,
    /// Action of the last change.
    pub change_action: String,
    /// Revision of the experiment.
    pub revision: i64,
    /// Last check of its result.
    pub check: Option<ResultCheck>,
    /// Position in the order.
    pub mark: OverviewMark,
}

/// The last check of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultCheck {
    /// Time of the check.
    pub as_of: Instant,
    /// Revision of the experiment at that time.
    pub revision: i64,
    /// Verdict word; empty without a verdict.
    pub verdict: String,
    /// Word of the health grade.
    pub health: String,
    /// Visitors in all arms.
    pub visitors: i64,
    /// Expected time at which the planned visitors will have entered.
    pub ready_at: Option<Instant>,
    /// Summary, as the check wrote it.
    pub summary: Json,
}

/// SQL: 1 when a winner is served, otherwise 0.
const SERVED: &str = "CASE WHEN o.served_arm IS NULL THEN 0 ELSE 1 END";
/// SQL: 1 when it is not concluded and has ended or reached its planned visitors, otherwise 0.
const COMPLETE: &str = "CASE WHEN o.outcome = '' AND o.started_at IS NOT NULL AND (o.status = 'inactive' \
     OR (o.status = 'live' AND o.ready_at <= o.as_of)) THEN 1 ELSE 0 END";
/// SQL: 1 when a change waits for a second person, otherwise 0.
const WAITING: &str = "CASE WHEN EXISTS (SELECT 1 FROM proposal w WHERE w.experiment_id = o.experiment_id \
     AND w.state = 'open') THEN 1 ELSE 0 END";

/// Sort value of unknown numbers, greater than any known one. It is negated for a descending order.
const LAST: i64 = i64::MAX / 2;

/// Total number of a company's experiments that match, and one page of them, from one snapshot.
pub async fn page(
    tx: &mut dyn Tx,
    company: CompanyId,
    filter: &OverviewFilter,
    page: &OverviewPage,
) -> Result<(i64, Vec<OverviewRow>)> {
    let mut values = parameters(company, filter);
    values.push(page.limit.into());
    if page.sort == OverviewSort::Days {
        values.push(page.now.us().into());
    }
    if let Some(mark) = &page.after {
        values.push(match &mark.value {
            MarkValue::Number(number) => (*number).into(),
            MarkValue::Text(text) => text.as_str().into(),
        });
        values.push(mark.id.0.into());
    }
    let rows = tx.query(statement(page), values).await?;
    let total = rows.first().map_or(Ok(0), |row| row.int("total"))?;
    let found = rows.into_iter().filter(|row| !row.opt_int("experiment_id").is_ok_and(|id| id.is_none()));
    let rows = found.map(|row| read(row, page.sort)).collect::<Result<Vec<_>>>()?;
    Ok((total, rows))
}

/// The words between bars, such as `|a|b|`; empty without words.
pub(crate) fn set<T: std::fmt::Display>(words: &[T]) -> String {
    words
        .iter()
        .fold(String::new(), |set, word| if set.is_empty() { format!("|{word}|") } else { format!("{set}{word}|") })
}

fn parameters(company: CompanyId, filter: &OverviewFilter) -> Vec<Value> {
    let projects = match &filter.projects {
        None => String::new(),
        // A caller that sees no project finds nothing.
        Some(projects) if projects.is_empty() => "|".to_owned(),
        Some(projects) => set(projects),
    };
    let outcomes: Vec<&str> = filter.outcomes.iter().map(|word| if word == "none" { "" } else { word }).collect();
    let verdicts: Vec<&str> = filter.verdicts.iter().map(|word| if word == "unknown" { "" } else { word }).collect();
    let tag = if filter.tag.is_empty() { String::new() } else { format!("\n{}\n", filter.tag) };
    let flag = |wanted: Option<bool>| match wanted {
        None => "",
        Some(false) => "|0|",
        Some(true) => "|1|",
    };
    let archived = match filter.archived {
        ArchiveFilter::Exclude => "|0|",
        ArchiveFilter::Include => "",
        ArchiveFilter::Only => "|1|",
    };
    params![
        company.0,
        projects,
        fold(filter.search.trim()),
        set(&filter.statuses),
        tag,
        filter.owner.as_str(),
        set(&outcomes),
        set(&verdicts),
        set(&filter.healths),
        archived,
        flag(filter.served),
        flag(filter.complete),
        flag(filter.waiting),
    ]
}

/// The statement of a page. Its text depends only on the order, so that few statements are prepared.
fn statement(page: &OverviewPage) -> &'static str {
    type Key = (OverviewSort, bool, bool);
    static STATEMENTS: LazyLock<Mutex<HashMap<Key, &'static str>>> = LazyLock::new(Mutex::default);
    let key = (page.sort, page.descending, page.after.is_some());
    let mut statements = STATEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    // There are at most 40 texts, so leaking them is bounded.
    statements.entry(key).or_insert_with(|| Box::leak(text(key.0, key.1, key.2).into_boxed_str()))
}

fn text(sort: OverviewSort, descending: bool, is_after: bool) -> String {
    let (order, beyond) = if descending { ("DESC", "<") } else { ("ASC", ">") };
    let unknown = if descending { -LAST } else { LAST };
    let expression = match sort.is_text() {
        true => sort.expression().to_owned(),
        false => format!("COALESCE({}, {unknown})", sort.expression()),
    };
    let place = if sort == OverviewSort::Days { 16 } else { 15 };
    let value = if sort.is_text() { format!("${place}") } else { format!("CAST(${place} AS BIGINT)") };
    let id = format!("CAST(${} AS BIGINT)", place + 1);
    let after = match is_after {
        true => format!(
            "WHERE (m.sort_value {beyond} {value} OR (m.sort_value = {value} AND m.experiment_id {beyond} {id}))"
        ),
        false => String::new(),
    };
    let among =
        |place: &str, what: &str| format!("({place} = '' OR replace({place}, '|' || {what} || '|', '') <> {place})");
    format!(
        "WITH matching AS MATERIALIZED (
           SELECT o.experiment_id, {expression} AS sort_value FROM overview o
           WHERE o.company_id = $1
             AND {projects}
             AND ($3 = '' OR replace(o.search, $3, '') <> o.search)
             AND {statuses}
             AND ($5 = '' OR replace(o.labels, $5, '') <> o.labels)
             AND ($6 = '' OR o.owner = $6)
             AND {outcomes} AND {verdicts} AND {healths} AND {archived} AND {served} AND {complete} AND {waiting}
         )
         SELECT t.total, p.sort_value, {listed}, e.experiment_key, e.tags, pr.project_key,
           o.owner, o.archived, o.outcome AS concluded_as, o.started_at AS first_start, o.ended_at, o.end_date,
           o.ready_at, o.changed_at, o.changed_by, o.change_action, o.revision AS present_revision, o.as_of,
           o.looked_revision, o.result, o.verdict, o.health, o.visitors, {origin}
         FROM (SELECT COUNT(*) AS total FROM matching) t
         LEFT JOIN (
           SELECT m.experiment_id, m.sort_value FROM matching m {after}
           ORDER BY m.sort_value {order}, m.experiment_id {order} LIMIT $14
         ) p ON 1 = 1
         LEFT JOIN overview o ON o.experiment_id = p.experiment_id
         LEFT JOIN experiment e ON e.experiment_id = p.experiment_id
         LEFT JOIN project pr ON pr.project_id = e.project_id
         LEFT JOIN hypothesis h ON h.hypothesis_id = e.hypothesis_id
         ORDER BY p.sort_value {order}, p.experiment_id {order}",
        projects = among("$2", "o.project_id"),
        statuses = among("$4", "o.status"),
        outcomes = among("$7", "o.outcome"),
        verdicts = among("$8", "o.verdict"),
        healths = among("$9", "o.health"),
        archived = among("$10", "o.archived"),
        served = among("$11", SERVED),
        complete = among("$12", COMPLETE),
        waiting = among("$13", WAITING),
        listed = listed::columns(),
        origin = listed::ORIGIN,
    )
}

fn read(mut row: Row, sort: OverviewSort) -> Result<OverviewRow> {
    let id = ExperimentId(row.int("experiment_id")?);
    let moment =
        |row: &Row, column: &str| -> Result<Option<Instant>> { Ok(row.opt_int(column)?.map(Instant::from_us)) };
    let damaged = |column: &'static str, expected: &'static str| Error::Damaged {
        table: "overview",
        row: id.to_string(),
        column,
        expected,
    };
    let tags = serde_json::from_str(&row.text("tags")?).map_err(|_| damaged("tags", "a JSON array of texts"))?;
    let ready_at = moment(&row, "ready_at")?;
    let check = match (moment(&row, "as_of")?, row.opt_int("looked_revision")?, row.opt_text("result")?) {
        (Some(as_of), Some(revision), Some(summary)) => Some(ResultCheck {
            as_of,
            revision,
            verdict: row.text("verdict")?,
            health: row.text("health")?,
            visitors: row.opt_int("visitors")?.unwrap_or(0),
            ready_at,
            summary: serde_json::from_str(&summary).map_err(|_| damaged("result", "readable JSON"))?,
        }),
        _ => None,
    };
    let value = match sort.is_text() {
        true => MarkValue::Text(row.text("sort_value")?),
        false => MarkValue::Number(row.int("sort_value")?),
    };
    Ok(OverviewRow {
        key: row.text("experiment_key")?,
        project_key: row.text("project_key")?,
        tags,
        owner: row.text("owner")?,
        is_archived: row.flag("archived")?,
        outcome: row.text("concluded_as")?,
        started_at: moment(&row, "first_start")?,
        ended_at: moment(&row, "ended_at")?,
        end_date: moment(&row, "end_date")?,
        ready_at,
        changed_at: Instant::from_us(row.int("changed_at")?),
        changed_by: row.text("changed_by")?,
        change_action: row.text("change_action")?,
        revision: row.int("present_revision")?,
        check,
        mark: OverviewMark { value, id },
        listed: listed::read(&mut row)?,
    })
}

/// An experiment whose result is due for a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueCheck {
    /// Project of the experiment.
    pub project: ProjectId,
    /// Experiment id.
    pub id: ExperimentId,
    /// Revision of the experiment.
    pub revision: i64,
    /// True when the experiment, or what its project counts, changed after the last check.
    pub is_outdated: bool,
}

/// The experiments whose results are due for a check, the ones checked longest ago first: of those not checked since
/// `before`, the live ones, the changed ones, and the ended ones until a check at least a day after their end.
pub async fn due_checks(tx: &mut dyn Tx, before: Instant, limit: i64) -> Result<Vec<DueCheck>> {
    let rows = tx
        .query(
            "SELECT experiment_id, project_id, revision, looked_revision FROM overview \
             WHERE started_at IS NOT NULL AND (as_of IS NULL OR (as_of < $1 AND (looked_revision <> revision OR ended_at IS NULL \
               OR as_of < ended_at + CAST($2 AS BIGINT)))) \
             ORDER BY COALESCE(as_of, 0), experiment_id LIMIT $3",
            params![before.us(), muriel_domain::time::DAY_US, limit],
        )
        .await?;
    rows.into_iter()
        .map(|row| {
            let revision = row.int("revision")?;
            Ok(DueCheck {
                project: ProjectId(row.int("project_id")?),
                id: ExperimentId(row.int("experiment_id")?),
                revision,
                is_outdated: row.opt_int("looked_revision")? != Some(revision),
            })
        })
        .collect()
}

/// Marks the stored checks of a project's results as outdated, because the project counts other events now.
pub async fn outdate_checks(tx: &mut dyn Tx, project: ProjectId) -> Result<()> {
    let sql = "UPDATE overview SET looked_revision = -1 WHERE project_id = $1 AND looked_revision IS NOT NULL";
    tx.execute(sql, params![project.0]).await?;
    Ok(())
}

/// Stores a check of a result, unless a later one is stored already.
pub async fn save_check(tx: &mut dyn Tx, id: ExperimentId, check: &ResultCheck) -> Result<()> {
    tx.execute(
        "UPDATE overview SET as_of = $2, looked_revision = $3, result = $4, verdict = $5, health = $6, visitors = $7, \
         ready_at = $8 WHERE experiment_id = $1 AND (as_of IS NULL OR as_of <= $2)",
        params![
            id.0,
            check.as_of.us(),
            check.revision,
            crate::codec::to_json(&check.summary),
            check.verdict.as_str(),
            check.health.as_str(),
            check.visitors,
            check.ready_at.map(Instant::us),
        ],
    )
    .await?;
    Ok(())
}
