//! The overview of experiments: a small row of each, which is filtered and sorted by the database.
//!
//! The rows follow from the experiments and are written in the same transactions. What results say is written by whoever
//! looks at them, with the moment that it is of.

use crate::backlog::fold;
use crate::experiments::{Act, ListedExperiment, listed};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_domain::ids::{CompanyId, ExperimentId, ProjectId};
use muriel_sql::{Row, Tx, Value, params};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Rows that are filled at once.
const FILL_PAGE: i64 = 200;

/// What an experiment is searched by, folded.
fn search_text(name: &str, key: &str, url: &str, tags: &[String], id: i64) -> String {
    fold(&format!("{name}\n{key}\n{url}\n{}\n#{id}", tags.join("\n")))
}

/// Each label between line feeds, which no label has.
fn labels(tags: &[String]) -> String {
    if tags.is_empty() { String::new() } else { format!("\n{}\n", tags.join("\n")) }
}

/// Brings the row of an experiment up to date, after `act` has been done to it.
pub(crate) async fn follow(tx: &mut dyn Tx, experiment: &Experiment, act: &Act<'_>) -> Result<()> {
    let milestones = &experiment.milestones;
    let name = experiment.name.as_str();
    let served_arm = match experiment.serving {
        Serving::Winner { arm, .. } => Some(i64::from(arm.0)),
        Serving::Never | Serving::Stopped => None,
    };
    tx.execute(
        "INSERT INTO overview (experiment_id, company_id, project_id, search, name_folded, labels, owner, changed_by, \
           change_action, changed_at, created_at, revision, archived, status, outcome, started_at, ended_at, end_date, \
           concluded_at, served_arm, hypothesis_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) \
         ON CONFLICT (experiment_id) DO UPDATE SET search = excluded.search, name_folded = excluded.name_folded, \
           labels = excluded.labels, changed_by = excluded.changed_by, change_action = excluded.change_action, \
           changed_at = excluded.changed_at, revision = excluded.revision, archived = excluded.archived, \
           status = excluded.status, outcome = excluded.outcome, started_at = excluded.started_at, \
           ended_at = excluded.ended_at, end_date = excluded.end_date, concluded_at = excluded.concluded_at, \
           served_arm = excluded.served_arm, hypothesis_id = excluded.hypothesis_id",
        params![
            experiment.id.0,
            experiment.company_id.0,
            experiment.project_id.0,
            search_text(name, &experiment.key, &experiment.url, &experiment.tags, experiment.id.0),
            fold(name),
            labels(&experiment.tags),
            act.by,
            act.action,
            experiment.updated_at.us(),
            experiment.created_at.us(),
            experiment.revision,
            i64::from(experiment.archived),
            experiment.lifecycle.status().word(),
            experiment.conclusion.as_ref().map_or("", |conclusion| conclusion.outcome.word()),
            milestones.first_start.map(|start| start.started_at.us()),
            milestones.ended_at.map(Instant::us),
            experiment.configuration.end_test_date.map(Instant::us),
            experiment.conclusion.as_ref().map(|conclusion| conclusion.concluded_at.us()),
            served_arm,
            experiment.hypothesis_id.map(|id| id.0),
        ],
    )
    .await?;
    Ok(())
}

/// Takes the row of an experiment away, which was deleted.
pub(crate) async fn remove(tx: &mut dyn Tx, id: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM overview WHERE experiment_id = $1", params![id.0]).await?;
    Ok(())
}

/// Which experiments are asked for. A list that is empty restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverviewFilter {
    /// Part of the name, key, page or labels, in any letter case; or `#` and an id.
    pub search: String,
    /// Words of statuses.
    pub statuses: Vec<String>,
    /// A label.
    pub tag: String,
    /// The projects that the caller sees and asks for; `None` for all of the company.
    pub projects: Option<Vec<ProjectId>>,
    /// Who made it, as history has them.
    pub owner: String,
    /// Words of outcomes; `none` for those that are not concluded.
    pub outcomes: Vec<String>,
    /// Words of verdicts; `unknown` for those that have none.
    pub verdicts: Vec<String>,
    /// Words of grades.
    pub healths: Vec<String>,
    /// Whether those in the archive are left out, or all others.
    pub archived: ArchiveFilter,
    /// Only those whose winner is served, or only the others.
    pub served: Option<bool>,
    /// Only those that are not concluded and have ended, or whose planned visitors have entered; or only the others.
    pub complete: Option<bool>,
    /// Only those with a change that waits for a second person, or only the others.
    pub waiting: Option<bool>,
}

/// Which experiments are asked for by whether they are in the archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveFilter {
    /// Those that are not.
    #[default]
    Exclude,
    /// All.
    Include,
    /// Those that are.
    Only,
}

/// What experiments are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OverviewSort {
    /// What needs somebody: broken, to serve, to stop, waiting for approval, complete, then what runs, what is prepared and what is
    /// done; of each kind what was changed last.
    Need,
    /// The last change.
    LastChange,
    /// When it was made.
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
    /// Days until it is done.
    DaysLeft,
}

impl OverviewSort {
    /// Each with its word in the interface.
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

    /// What rows are sorted by. A null is what is not known. `$15` is now.
    fn expression(self) -> &'static str {
        match self {
            // A moment in microseconds has 16 digits.
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

/// In which order a page is, and behind which row it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverviewPage {
    /// What is sorted by.
    pub sort: OverviewSort,
    /// The greatest first.
    pub descending: bool,
    /// The last row of the page before.
    pub after: Option<OverviewMark>,
    /// Rows at most.
    pub limit: i64,
    /// The present moment.
    pub now: Instant,
}

/// The place of a row in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverviewMark {
    /// By what it is sorted.
    pub value: MarkValue,
    /// Its id.
    pub id: ExperimentId,
}

/// By what a row is sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkValue {
    /// A number or a moment. What is not known is the last in either direction.
    Number(i64),
    /// Folded text.
    Text(String),
}

/// A row of the overview.
#[derive(Debug, Clone, PartialEq)]
pub struct OverviewRow {
    /// As lists show it.
    pub listed: ListedExperiment,
    /// Its key.
    pub key: String,
    /// The key of its project.
    pub project_key: String,
    /// Labels.
    pub tags: Vec<String>,
    /// Who made it.
    pub owner: String,
    /// Whether it is in the archive.
    pub is_archived: bool,
    /// How it was concluded; empty while it is not.
    pub outcome: String,
    /// The first start.
    pub started_at: Option<Instant>,
    /// The last end; `None` while it is live.
    pub ended_at: Option<Instant>,
    /// The end that is planned.
    pub end_date: Option<Instant>,
    /// When its planned visitors will have entered.
    pub ready_at: Option<Instant>,
    /// When it was last changed, by whom and how.
    pub changed_at: Instant,
    /// By whom.
    pub changed_by: String,
    /// What was done.
    pub change_action: String,
    /// Counts its changes.
    pub revision: i64,
    /// What its result said.
    pub look: Option<ResultLook>,
    /// Its place in the order.
    pub mark: OverviewMark,
}

/// What a result said when it was last looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultLook {
    /// When.
    pub as_of: Instant,
    /// The experiment's revision then.
    pub revision: i64,
    /// The word of the verdict; empty where there is none.
    pub verdict: String,
    /// The word of the grade.
    pub health: String,
    /// Visitors in all arms.
    pub visitors: i64,
    /// When the planned visitors will have entered.
    pub ready_at: Option<Instant>,
    /// The summary, as whoever looked at it has written it.
    pub summary: Json,
}

/// Whether a winner is served, 0 or 1.
const SERVED: &str = "CASE WHEN o.served_arm IS NULL THEN 0 ELSE 1 END";
/// Whether it is not concluded and has ended, or its planned visitors have entered.
const COMPLETE: &str = "CASE WHEN o.outcome = '' AND o.started_at IS NOT NULL AND (o.status = 'inactive' \
     OR (o.status = 'live' AND o.ready_at <= o.as_of)) THEN 1 ELSE 0 END";
/// Whether a change waits for a second person.
const WAITING: &str = "CASE WHEN EXISTS (SELECT 1 FROM proposal w WHERE w.experiment_id = o.experiment_id \
     AND w.state = 'open') THEN 1 ELSE 0 END";

/// The greatest integer that stands for what is not known.
const LAST: i64 = i64::MAX / 2;

/// A page of the experiments of a company that match, and how many there are on all pages, as of one moment.
///
/// # Errors
/// When the database cannot be reached.
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

/// The words between bars; nothing where there are none.
pub(crate) fn set<T: std::fmt::Display>(words: &[T]) -> String {
    words
        .iter()
        .fold(String::new(), |set, word| if set.is_empty() { format!("|{word}|") } else { format!("{set}{word}|") })
}

fn parameters(company: CompanyId, filter: &OverviewFilter) -> Vec<Value> {
    let projects = match &filter.projects {
        None => String::new(),
        // One that sees none finds none.
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

/// The statement of a page. Its text depends on the order alone, so that there are few of them.
fn statement(page: &OverviewPage) -> &'static str {
    type Key = (OverviewSort, bool, bool);
    static STATEMENTS: LazyLock<Mutex<HashMap<Key, &'static str>>> = LazyLock::new(Mutex::default);
    let key = (page.sort, page.descending, page.after.is_some());
    let mut statements = STATEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    // 40 of them, each made once.
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
    let look = match (moment(&row, "as_of")?, row.opt_int("looked_revision")?, row.opt_text("result")?) {
        (Some(as_of), Some(revision), Some(summary)) => Some(ResultLook {
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
        look,
        mark: OverviewMark { value, id },
        listed: listed::read(&mut row)?,
    })
}

/// An experiment whose result is to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToLookAt {
    /// Its project.
    pub project: ProjectId,
    /// The experiment.
    pub id: ExperimentId,
    /// Its revision.
    pub revision: i64,
}

/// The experiments whose results are to be looked at, those that were not for the longest time first: live ones that were not
/// since `before`, changed ones, and ended ones until a day after their end.
///
/// # Errors
/// When the database cannot be reached.
pub async fn to_look_at(tx: &mut dyn Tx, before: Instant, limit: i64) -> Result<Vec<ToLookAt>> {
    let rows = tx
        .query(
            "SELECT experiment_id, project_id, revision FROM overview \
             WHERE started_at IS NOT NULL AND (as_of IS NULL OR (as_of < $1 AND (looked_revision <> revision OR ended_at IS NULL \
               OR as_of < ended_at + CAST($2 AS BIGINT)))) \
             ORDER BY COALESCE(as_of, 0), experiment_id LIMIT $3",
            params![before.us(), muriel_domain::time::DAY_US, limit],
        )
        .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ToLookAt {
                project: ProjectId(row.int("project_id")?),
                id: ExperimentId(row.int("experiment_id")?),
                revision: row.int("revision")?,
            })
        })
        .collect()
}

/// Keeps what a result said, unless a later look was kept already.
///
/// # Errors
/// When the database cannot be reached.
pub async fn looked_at(tx: &mut dyn Tx, id: ExperimentId, look: &ResultLook) -> Result<()> {
    tx.execute(
        "UPDATE overview SET as_of = $2, looked_revision = $3, result = $4, verdict = $5, health = $6, visitors = $7, \
         ready_at = $8 WHERE experiment_id = $1 AND (as_of IS NULL OR as_of <= $2)",
        params![
            id.0,
            look.as_of.us(),
            look.revision,
            crate::codec::to_json(&look.summary),
            look.verdict.as_str(),
            look.health.as_str(),
            look.visitors,
            look.ready_at.map(Instant::us),
        ],
    )
    .await?;
    Ok(())
}

/// The rows of the experiments that were there before the table. It reads the tables as they are at that migration.
pub(crate) async fn fill(tx: &mut dyn Tx) -> muriel_sql::Result<()> {
    let mut last = 0;
    loop {
        let rows = tx
            .query(
                "SELECT e.experiment_id, e.company_id, e.project_id, e.name, e.experiment_key, e.url, e.tags, e.status, \
                   e.outcome, e.configuration, e.created_at, e.updated_at, e.revision, e.first_started_at, e.ended_at, \
                   COALESCE((SELECT f.actor FROM experiment_history f WHERE f.experiment_id = e.experiment_id \
                     ORDER BY f.revision LIMIT 1), 'system') AS owner, \
                   COALESCE((SELECT l.actor FROM experiment_history l WHERE l.experiment_id = e.experiment_id \
                     ORDER BY l.revision DESC LIMIT 1), 'system') AS changed_by, \
                   COALESCE((SELECT a.action FROM experiment_history a WHERE a.experiment_id = e.experiment_id \
                     ORDER BY a.revision DESC LIMIT 1), 'update') AS change_action \
                 FROM experiment e WHERE e.experiment_id > $1 AND e.deleted_at IS NULL ORDER BY e.experiment_id LIMIT $2",
                params![last, FILL_PAGE],
            )
            .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for mut row in rows {
            last = row.int("experiment_id")?;
            let (name, key, url) = (row.text("name")?, row.text("experiment_key")?, row.text("url")?);
            let tags: Vec<String> = serde_json::from_str(&row.text("tags")?).unwrap_or_default();
            let configuration: Json = serde_json::from_str(&row.text("configuration")?).unwrap_or_default();
            let end_date = configuration.get("end_test_date").and_then(Json::as_str);
            let end_date = end_date.and_then(|text| Instant::parse(text).ok()).map(Instant::us);
            tx.execute(
                "INSERT INTO overview (experiment_id, company_id, project_id, search, name_folded, labels, owner, \
                   changed_by, change_action, changed_at, created_at, revision, archived, status, outcome, started_at, \
                   ended_at, end_date) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $13, $14, $15, $16, $17)",
                params![
                    last,
                    row.int("company_id")?,
                    row.int("project_id")?,
                    search_text(&name, &key, &url, &tags, last),
                    fold(&name),
                    labels(&tags),
                    row.text("owner")?,
                    row.text("changed_by")?,
                    row.text("change_action")?,
                    row.int("updated_at")?,
                    row.int("created_at")?,
                    row.int("revision")?,
                    row.text("status")?,
                    row.opt_text("outcome")?.unwrap_or_default(),
                    row.opt_int("first_started_at")?,
                    row.opt_int("ended_at")?,
                    end_date,
                ],
            )
            .await?;
        }
    }
}
