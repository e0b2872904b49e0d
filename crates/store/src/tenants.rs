//! Companies and their projects.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::codec::to_json;
use crate::table::RowId;
use muriel_domain::Instant;
use muriel_domain::experiment::ApprovalRules;
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::project::ProjectSettings;
use muriel_domain::rates::Rates;
use muriel_sql::{Row, Tx, params};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A project with the company that owns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Unique in the database.
    pub id: ProjectId,
    /// Company that owns it.
    pub company_id: CompanyId,
    /// Key in API paths and on pages.
    pub key: String,
    /// Display name.
    pub name: String,
}

/// Returns the company of this name, and creates it if there is none.
pub async fn company_ensure(tx: &mut dyn Tx, name: &str, now: Instant) -> Result<CompanyId> {
    tx.execute(
        "INSERT INTO company (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        params![name, now.us()],
    )
    .await?;
    let row = tx.query_one("SELECT company_id FROM company WHERE name = $1", params![name]).await?;
    Ok(CompanyId(row.int("company_id")?))
}

/// The company of this name, if there is one.
pub async fn company_named(tx: &mut dyn Tx, name: &str) -> Result<Option<CompanyId>> {
    let row = tx.query_opt("SELECT company_id FROM company WHERE name = $1", params![name]).await?;
    row.map(|row| Ok(CompanyId(row.int("company_id")?))).transpose()
}

/// Returns whether there is a company at all.
pub async fn any(tx: &mut dyn Tx) -> Result<bool> {
    Ok(tx.query_opt("SELECT 1 FROM company LIMIT 1", params![]).await?.is_some())
}

/// Stores a new project.
///
/// # Errors
/// `project_company_id_name_key` when the company has one of this name.
pub async fn project_insert(
    tx: &mut dyn Tx,
    company: CompanyId,
    key: &str,
    name: &str,
    now: Instant,
) -> Result<Project> {
    let row = tx
        .query_one(
            "INSERT INTO project (company_id, project_key, name, created_at, backlog_seq, hypotheses, archived) \
             VALUES ($1, $2, $3, $4, 0, 0, 0) \
             RETURNING project_id",
            params![company.0, key, name, now.us()],
        )
        .await?;
    Ok(Project {
        id: ProjectId(row.int("project_id")?),
        company_id: company,
        key: key.to_owned(),
        name: name.to_owned(),
    })
}

/// The project with this key, of any company.
pub async fn project_by_key(tx: &mut dyn Tx, key: &str) -> Result<Option<Project>> {
    let row = tx
        .query_opt("SELECT project_id, company_id, project_key, name FROM project WHERE project_key = $1", params![key])
        .await?;
    row.map(project).transpose()
}

/// The company's project of this name.
pub async fn project_named(tx: &mut dyn Tx, company: CompanyId, name: &str) -> Result<Option<Project>> {
    let row = tx
        .query_opt(
            "SELECT project_id, company_id, project_key, name FROM project WHERE company_id = $1 AND name = $2",
            params![company.0, name],
        )
        .await?;
    row.map(project).transpose()
}

/// The project with this id.
pub async fn project_by_id(tx: &mut dyn Tx, id: ProjectId) -> Result<Option<Project>> {
    let row = tx
        .query_opt("SELECT project_id, company_id, project_key, name FROM project WHERE project_id = $1", params![id.0])
        .await?;
    row.map(project).transpose()
}

/// Changes that a second person has to approve in the project.
pub async fn approval_rules(tx: &mut dyn Tx, project: ProjectId) -> Result<ApprovalRules> {
    let settings = settings(tx, project).await?;
    Ok(ApprovalRules { code: settings.approve_code, live: settings.approve_live })
}

/// Stores when scripts were last fetched.
pub async fn script_fetched(tx: &mut dyn Tx, fetches: &[(ProjectId, Instant)]) -> Result<()> {
    for (project, at) in fetches {
        tx.execute("UPDATE project SET script_fetched_at = $2 WHERE project_id = $1", params![project.0, at.us()])
            .await?;
    }
    Ok(())
}

/// Time of the last fetch of the project's script, if it was stored.
pub async fn last_script_fetch(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<Instant>> {
    let sql = "SELECT script_fetched_at FROM project WHERE project_id = $1";
    let row = tx.query_opt(sql, params![project.0]).await?;
    Ok(row.map(|row| row.opt_int("script_fetched_at")).transpose()?.flatten().map(Instant::from_us))
}

/// Every company's name with its projects, both oldest first.
pub async fn all_projects(tx: &mut dyn Tx) -> Result<Vec<(String, Project)>> {
    let rows = tx
        .query(
            "SELECT p.project_id, p.company_id, p.project_key, p.name, c.name AS company_name \
             FROM project p JOIN company c ON c.company_id = p.company_id ORDER BY p.company_id, p.project_id",
            params![],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.text("company_name")?, project(row)?))).collect()
}

/// Every project of a company, oldest first.
pub async fn projects_of(tx: &mut dyn Tx, company: CompanyId) -> Result<Vec<Project>> {
    let rows = tx
        .query(
            "SELECT project_id, company_id, project_key, name FROM project WHERE company_id = $1 ORDER BY project_id",
            params![company.0],
        )
        .await?;
    rows.into_iter().map(project).collect()
}

/// The company's name.
pub async fn company_name(tx: &mut dyn Tx, company: CompanyId) -> Result<String> {
    Ok(tx.query_one("SELECT name FROM company WHERE company_id = $1", params![company.0]).await?.text("name")?)
}

/// Every company with its name, oldest first.
pub async fn companies(tx: &mut dyn Tx) -> Result<Vec<(CompanyId, String)>> {
    let rows = tx.query("SELECT company_id, name FROM company ORDER BY company_id", params![]).await?;
    rows.into_iter().map(|mut row| Ok((CompanyId(row.int("company_id")?), row.text("name")?))).collect()
}

/// Condition in SQL that a setting of `project` is on. It is exact: stored settings are compact JSON whose texts contain no
/// quotation marks. Rows that are damaged in another place do not fail the query for all projects.
pub(crate) fn is_on(setting: &str) -> String {
    format!("settings LIKE '%\"{setting}\":true%'")
}

/// The company's projects in which editors may change code.
pub async fn with_code_for_editors(tx: &mut dyn Tx, company: CompanyId) -> Result<Vec<ProjectId>> {
    let sql = format!("SELECT project_id FROM project WHERE company_id = $1 AND {}", is_on("editors_have_code"));
    let rows = tx.query(&sql, params![company.0]).await?;
    rows.iter().map(|row| Ok(ProjectId(row.int("project_id")?))).collect()
}

/// Settings of a project; the defaults for an unknown project.
pub async fn settings(tx: &mut dyn Tx, project: ProjectId) -> Result<ProjectSettings> {
    let row =
        tx.query_opt("SELECT project_id, settings FROM project WHERE project_id = $1", params![project.0]).await?;
    Ok(row.map(read_settings).transpose()?.map(|(_, settings)| settings).unwrap_or_default())
}

/// Settings of each project.
pub async fn all_settings(tx: &mut dyn Tx) -> Result<HashMap<ProjectId, ProjectSettings>> {
    tx.query("SELECT project_id, settings FROM project", params![]).await?.into_iter().map(read_settings).collect()
}

/// Changes the settings of a project. True when that changes what is delivered to pages: see
/// [`delivery::announce`](crate::delivery::announce).
pub async fn settings_set(tx: &mut dyn Tx, project: ProjectId, settings: &ProjectSettings) -> Result<bool> {
    let is_delivered = self::settings(tx, project).await?.page() != settings.page();
    tx.execute(
        "UPDATE project SET settings = $2, page_settings_revision = page_settings_revision + $3 WHERE project_id = $1",
        params![project.0, to_json(settings), i64::from(is_delivered)],
    )
    .await?;
    Ok(is_delivered)
}

/// Fills the column of migration 31 from the five columns that held settings before.
pub(crate) async fn fill_settings(tx: &mut dyn Tx) -> muriel_sql::Result<()> {
    const FLAGS: [&str; 4] = ["editors_have_code", "approve_code", "approve_live", "stop_on_page_harm"];
    let sql = "SELECT project_id, page_settings, editors_have_code, approve_code, approve_live, stop_on_page_harm FROM project";
    for mut row in tx.query(sql, params![]).await? {
        let text = row.opt_text("page_settings")?.unwrap_or_else(|| "{}".to_owned());
        // Text that cannot be read becomes a value that cannot be read either, so that reading it names the row, and the flags
        // stay with it.
        let damaged = |_| Map::from_iter([("consent".to_owned(), Value::from(text.as_str()))]);
        let mut settings: Map<String, Value> = serde_json::from_str(&text).unwrap_or_else(damaged);
        for flag in FLAGS {
            settings.insert(flag.to_owned(), row.flag(flag)?.into());
        }
        let filled = params![row.int("project_id")?, Value::Object(settings).to_string()];
        tx.execute("UPDATE project SET settings = $2 WHERE project_id = $1", filled).await?;
    }
    Ok(())
}

/// Renames the project.
///
/// # Errors
/// `project_company_id_name_key` when the company has one of this name.
pub async fn project_rename(tx: &mut dyn Tx, project: ProjectId, name: &str) -> Result<()> {
    tx.execute("UPDATE project SET name = $2 WHERE project_id = $1", params![project.0, name]).await?;
    Ok(())
}

/// Days after which the project's events are deleted; `None` when the log keeps them as long as it can.
pub async fn retention_days(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<i64>> {
    let row = tx.query_opt("SELECT retention_days FROM project WHERE project_id = $1", params![project.0]).await?;
    Ok(row.map(|row| row.opt_int("retention_days")).transpose()?.flatten())
}

/// Changes the number of days after which the project's events are deleted.
pub async fn retention_days_set(tx: &mut dyn Tx, project: ProjectId, days: Option<i64>) -> Result<()> {
    tx.execute("UPDATE project SET retention_days = $2 WHERE project_id = $1", params![project.0, days]).await?;
    Ok(())
}

/// Keys of the projects with a retention period, each with the number of days.
pub async fn retentions(tx: &mut dyn Tx) -> Result<Vec<(String, i64)>> {
    let sql = "SELECT project_key, retention_days FROM project WHERE retention_days IS NOT NULL ORDER BY project_id";
    let rows = tx.query(sql, params![]).await?;
    rows.into_iter().map(|mut row| Ok((row.text("project_key")?, row.int("retention_days")?))).collect()
}

/// Values of other currencies in the project's own; `None` without a table.
pub async fn currency_rates(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<Rates>> {
    let row = tx.query_opt("SELECT currency_rates FROM project WHERE project_id = $1", params![project.0]).await?;
    let text = row.map(|mut row| row.opt_text("currency_rates")).transpose()?.flatten();
    text.map(|text| from_json(project, &text, "currency_rates")).transpose()
}

/// A number that changes with the project's currency rates.
pub async fn currency_rates_revision(tx: &mut dyn Tx, project: ProjectId) -> Result<i64> {
    let sql = "SELECT currency_rates_revision FROM project WHERE project_id = $1";
    let row = tx.query_opt(sql, params![project.0]).await?;
    Ok(row.map(|row| row.int("currency_rates_revision")).transpose()?.unwrap_or(0))
}

/// Returns whether the currency rates have been the same since this time.
pub async fn currency_rates_held_since(tx: &mut dyn Tx, project: ProjectId, at: Instant) -> Result<bool> {
    let sql = "SELECT currency_rates_revision, currency_rates_changed_at FROM project WHERE project_id = $1";
    let Some(row) = tx.query_opt(sql, params![project.0]).await? else { return Ok(true) };
    let (revision, changed_at) = (row.int("currency_rates_revision")?, row.opt_int("currency_rates_changed_at")?);
    Ok(revision == 0 || changed_at.is_some_and(|changed_at| changed_at <= at.us()))
}

/// Changes the currency rates.
pub async fn currency_rates_set(
    tx: &mut dyn Tx,
    project: ProjectId,
    rates: Option<&Rates>,
    now: Instant,
) -> Result<()> {
    tx.execute(
        "UPDATE project SET currency_rates = $2, currency_rates_revision = currency_rates_revision + 1, \
           currency_rates_changed_at = $3 \
         WHERE project_id = $1",
        params![project.0, rates.map(to_json), now.us()],
    )
    .await?;
    Ok(())
}

fn read_settings(mut row: Row) -> Result<(ProjectId, ProjectSettings)> {
    let id = ProjectId(row.int("project_id")?);
    let text = row.opt_text("settings")?;
    Ok((id, text.map(|text| from_json(id, &text, "settings")).transpose()?.unwrap_or_default()))
}

fn from_json<T: DeserializeOwned>(project: ProjectId, text: &str, column: &'static str) -> Result<T> {
    let id = RowId { table: "project", key: &[&project] };
    serde_json::from_str(text).map_err(|_| id.damaged(column, "readable JSON"))
}

pub(crate) fn project(mut row: Row) -> Result<Project> {
    Ok(Project {
        id: ProjectId(row.int("project_id")?),
        company_id: CompanyId(row.int("company_id")?),
        key: row.text("project_key")?,
        name: row.text("name")?,
    })
}
