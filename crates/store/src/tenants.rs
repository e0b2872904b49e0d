//! Companies and their projects.

use crate::Result;
use crate::codec::to_json;
use crate::table::RowId;
use muriel_domain::Instant;
use muriel_domain::experiment::ApprovalRules;
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::page::PageSettings;
use muriel_domain::rates::Rates;
use muriel_sql::{Row, Tx, params};
use serde::de::DeserializeOwned;
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
///
/// # Errors
/// When the database cannot be reached.
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
///
/// # Errors
/// When the database cannot be reached.
pub async fn company_named(tx: &mut dyn Tx, name: &str) -> Result<Option<CompanyId>> {
    let row = tx.query_opt("SELECT company_id FROM company WHERE name = $1", params![name]).await?;
    row.map(|row| Ok(CompanyId(row.int("company_id")?))).transpose()
}

/// Returns whether there is a company at all.
///
/// # Errors
/// When the database cannot be reached.
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
///
/// # Errors
/// When the database cannot be reached.
pub async fn project_by_key(tx: &mut dyn Tx, key: &str) -> Result<Option<Project>> {
    let row = tx
        .query_opt("SELECT project_id, company_id, project_key, name FROM project WHERE project_key = $1", params![key])
        .await?;
    row.map(project).transpose()
}

/// The company's project of this name.
///
/// # Errors
/// When the database cannot be reached.
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
///
/// # Errors
/// When the database cannot be reached.
pub async fn project_by_id(tx: &mut dyn Tx, id: ProjectId) -> Result<Option<Project>> {
    let row = tx
        .query_opt("SELECT project_id, company_id, project_key, name FROM project WHERE project_id = $1", params![id.0])
        .await?;
    row.map(project).transpose()
}

/// Changes that a second person has to approve in the project.
///
/// # Errors
/// When the database cannot be reached.
pub async fn approval_rules(tx: &mut dyn Tx, project: ProjectId) -> Result<ApprovalRules> {
    let team = team_settings(tx, project).await?;
    Ok(ApprovalRules { code: team.approve_code, live: team.approve_live })
}

/// Stores when scripts were last fetched.
///
/// # Errors
/// When the database cannot be reached.
pub async fn script_fetched(tx: &mut dyn Tx, fetches: &[(ProjectId, Instant)]) -> Result<()> {
    for (project, at) in fetches {
        tx.execute("UPDATE project SET script_fetched_at = $2 WHERE project_id = $1", params![project.0, at.us()])
            .await?;
    }
    Ok(())
}

/// Time of the last fetch of the project's script, if it was stored.
///
/// # Errors
/// When the database cannot be reached.
pub async fn last_script_fetch(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<Instant>> {
    let sql = "SELECT script_fetched_at FROM project WHERE project_id = $1";
    let row = tx.query_opt(sql, params![project.0]).await?;
    Ok(row.map(|row| row.opt_int("script_fetched_at")).transpose()?.flatten().map(Instant::from_us))
}

/// Every company's name with its projects, both oldest first.
///
/// # Errors
/// When the database cannot be reached.
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
///
/// # Errors
/// When the database cannot be reached.
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
///
/// # Errors
/// When the database cannot be reached.
pub async fn company_name(tx: &mut dyn Tx, company: CompanyId) -> Result<String> {
    Ok(tx.query_one("SELECT name FROM company WHERE company_id = $1", params![company.0]).await?.text("name")?)
}

/// Every company with its name, oldest first.
///
/// # Errors
/// When the database cannot be reached.
pub async fn companies(tx: &mut dyn Tx) -> Result<Vec<(CompanyId, String)>> {
    let rows = tx.query("SELECT company_id, name FROM company ORDER BY company_id", params![]).await?;
    rows.into_iter().map(|mut row| Ok((CompanyId(row.int("company_id")?), row.text("name")?))).collect()
}

/// The company's projects in which editors may change code.
///
/// # Errors
/// When the database cannot be reached.
pub async fn with_code_for_editors(tx: &mut dyn Tx, company: CompanyId) -> Result<Vec<ProjectId>> {
    let sql = "SELECT project_id FROM project WHERE company_id = $1 AND editors_have_code = 1";
    let rows = tx.query(sql, params![company.0]).await?;
    rows.iter().map(|row| Ok(ProjectId(row.int("project_id")?))).collect()
}

/// Permissions of people in a project, and the changes that a second person has to
/// approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TeamSettings {
    /// True when editors may change code.
    pub editors_have_code: bool,
    /// True when a second person has to approve changes of code.
    pub approve_code: bool,
    /// True when a second person has to approve changes of live experiments.
    pub approve_live: bool,
}

/// The team settings of the project.
///
/// # Errors
/// When the database cannot be reached.
pub async fn team_settings(tx: &mut dyn Tx, project: ProjectId) -> Result<TeamSettings> {
    let sql = "SELECT editors_have_code, approve_code, approve_live FROM project WHERE project_id = $1";
    let row = tx.query_one(sql, params![project.0]).await?;
    Ok(TeamSettings {
        editors_have_code: row.flag("editors_have_code")?,
        approve_code: row.flag("approve_code")?,
        approve_live: row.flag("approve_live")?,
    })
}

/// Changes the team settings of the project.
///
/// # Errors
/// When the database cannot be reached.
pub async fn team_settings_set(tx: &mut dyn Tx, project: ProjectId, settings: TeamSettings) -> Result<()> {
    tx.execute(
        "UPDATE project SET editors_have_code = $2, approve_code = $3, approve_live = $4 WHERE project_id = $1",
        params![project.0, settings.editors_have_code, settings.approve_code, settings.approve_live],
    )
    .await?;
    Ok(())
}

/// Returns whether the clock ends experiments of the project that are known to harm
/// their pages.
///
/// # Errors
/// When the database cannot be reached.
pub async fn stops_on_page_harm(tx: &mut dyn Tx, project: ProjectId) -> Result<bool> {
    let row = tx.query_one("SELECT stop_on_page_harm FROM project WHERE project_id = $1", params![project.0]).await?;
    Ok(row.flag("stop_on_page_harm")?)
}

/// Changes whether the clock ends experiments of the project that are known to harm
/// their pages.
///
/// # Errors
/// When the database cannot be reached.
pub async fn stop_on_page_harm_set(tx: &mut dyn Tx, project: ProjectId, stops: bool) -> Result<()> {
    tx.execute("UPDATE project SET stop_on_page_harm = $2 WHERE project_id = $1", params![project.0, stops]).await?;
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

/// Settings of the script on the project's pages.
///
/// # Errors
/// When the database cannot be reached.
pub async fn page_settings(tx: &mut dyn Tx, project: ProjectId) -> Result<PageSettings> {
    let row = tx.query_opt("SELECT page_settings FROM project WHERE project_id = $1", params![project.0]).await?;
    match row {
        Some(mut row) => read_page_settings(project, row.opt_text("page_settings")?),
        None => Ok(PageSettings::default()),
    }
}

/// Settings of the script on the pages of each project.
///
/// # Errors
/// When the database cannot be reached.
pub async fn all_page_settings(tx: &mut dyn Tx) -> Result<HashMap<ProjectId, PageSettings>> {
    let rows = tx.query("SELECT project_id, page_settings FROM project", params![]).await?;
    rows.into_iter()
        .map(|mut row| {
            let id = ProjectId(row.int("project_id")?);
            Ok((id, read_page_settings(id, row.opt_text("page_settings")?)?))
        })
        .collect()
}

/// Changes the settings of the script on the project's pages. This changes what is
/// delivered: see [`delivery::announce`](crate::delivery::announce).
///
/// # Errors
/// When the database cannot be reached.
pub async fn page_settings_set(tx: &mut dyn Tx, project: ProjectId, settings: &PageSettings) -> Result<()> {
    tx.execute(
        "UPDATE project SET page_settings = $2, page_settings_revision = page_settings_revision + 1 \
         WHERE project_id = $1",
        params![project.0, to_json(settings)],
    )
    .await?;
    Ok(())
}

/// Days after which the project's events are deleted; `None` when the log keeps them as long as it can.
///
/// # Errors
/// When the database cannot be reached.
pub async fn retention_days(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<i64>> {
    let row = tx.query_opt("SELECT retention_days FROM project WHERE project_id = $1", params![project.0]).await?;
    Ok(row.map(|row| row.opt_int("retention_days")).transpose()?.flatten())
}

/// Changes the number of days after which the project's events are deleted.
///
/// # Errors
/// When the database cannot be reached.
pub async fn retention_days_set(tx: &mut dyn Tx, project: ProjectId, days: Option<i64>) -> Result<()> {
    tx.execute("UPDATE project SET retention_days = $2 WHERE project_id = $1", params![project.0, days]).await?;
    Ok(())
}

/// The projects whose events are deleted after some days: the key of each, and the days.
///
/// # Errors
/// When the database cannot be reached.
pub async fn retentions(tx: &mut dyn Tx) -> Result<Vec<(String, i64)>> {
    let sql = "SELECT project_key, retention_days FROM project WHERE retention_days IS NOT NULL ORDER BY project_id";
    let rows = tx.query(sql, params![]).await?;
    rows.into_iter().map(|mut row| Ok((row.text("project_key")?, row.int("retention_days")?))).collect()
}

/// Values of other currencies in the project's own; `None` without a table.
///
/// # Errors
/// When the database cannot be reached.
pub async fn currency_rates(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<Rates>> {
    let row = tx.query_opt("SELECT currency_rates FROM project WHERE project_id = $1", params![project.0]).await?;
    let text = row.map(|mut row| row.opt_text("currency_rates")).transpose()?.flatten();
    text.map(|text| from_json(project, &text, "currency_rates")).transpose()
}

/// A number that changes with the project's currency rates.
///
/// # Errors
/// When the database cannot be reached.
pub async fn currency_rates_revision(tx: &mut dyn Tx, project: ProjectId) -> Result<i64> {
    let sql = "SELECT currency_rates_revision FROM project WHERE project_id = $1";
    let row = tx.query_opt(sql, params![project.0]).await?;
    Ok(row.map(|row| row.int("currency_rates_revision")).transpose()?.unwrap_or(0))
}

/// Returns whether the currency rates have been the same since this time.
///
/// # Errors
/// When the database cannot be reached.
pub async fn currency_rates_held_since(tx: &mut dyn Tx, project: ProjectId, at: Instant) -> Result<bool> {
    let sql = "SELECT currency_rates_revision, currency_rates_changed_at FROM project WHERE project_id = $1";
    let Some(row) = tx.query_opt(sql, params![project.0]).await? else { return Ok(true) };
    let (revision, changed_at) = (row.int("currency_rates_revision")?, row.opt_int("currency_rates_changed_at")?);
    Ok(revision == 0 || changed_at.is_some_and(|changed_at| changed_at <= at.us()))
}

/// Changes the currency rates.
///
/// # Errors
/// When the database cannot be reached.
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

fn read_page_settings(project: ProjectId, text: Option<String>) -> Result<PageSettings> {
    text.map_or_else(|| Ok(PageSettings::default()), |text| from_json(project, &text, "page_settings"))
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
