//! Goals of a project.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::table::{Json, table};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::goal::{Definition, Goal, GoalType, GoalValue, Purpose, Trigger};
use muriel_domain::ids::{ExperimentId, GoalId, ProjectId};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

table! {
    /// A goal.
    struct GoalRow of "goal" {
        generated { goal_id: i64 }
        key {}
        fixed {
            project_id: i64,
            goal_key: String,
            created_at: Instant,
            revision: i64,
        }
        changing {
            name: String,
            goal_type: GoalType,
            goal_value: Json<GoalValue>,
            purpose: Purpose,
            element_url: Option<String>,
            window_days: Option<i64>,
            min_count: i64,
            cap: Option<f64>,
            max_order_value: Option<f64>,
            currency: Option<String>,
        }
    }
}

impl GoalRow {
    /// Builds a row with the changing columns of a definition. The other columns have placeholders.
    fn of(definition: &Definition) -> Self {
        let definition = definition.clone();
        Self {
            goal_id: 0,
            project_id: 0,
            goal_key: String::new(),
            created_at: Instant::from_us(0),
            revision: 1,
            name: definition.name,
            goal_type: definition.trigger.goal_type(),
            goal_value: Json(definition.trigger.value().clone()),
            purpose: definition.purpose,
            element_url: definition.element_url,
            window_days: definition.window_days,
            min_count: definition.min_count,
            cap: definition.cap,
            max_order_value: definition.max_order_value,
            currency: definition.currency,
        }
    }
}

impl TryFrom<GoalRow> for Goal {
    type Error = Error;

    fn try_from(row: GoalRow) -> Result<Self> {
        let trigger = Trigger::new(row.goal_type, row.goal_value.0.clone())
            .map_err(|_| row.damaged("goal_value", "a value of the goal's type"))?;
        Ok(Goal {
            id: GoalId(row.goal_id),
            key: row.goal_key,
            definition: Definition {
                name: row.name,
                trigger,
                purpose: row.purpose,
                element_url: row.element_url,
                window_days: row.window_days,
                min_count: row.min_count,
                cap: row.cap,
                max_order_value: row.max_order_value,
                currency: row.currency,
            },
            created_at: row.created_at,
            revision: row.revision,
        })
    }
}

fn read(mut row: Row) -> Result<Goal> {
    GoalRow::try_from(&mut row)?.try_into()
}

/// A statement that selects the goals `g` for which `filter` is true.
fn select(filter: &str) -> String {
    format!(
        "SELECT {} FROM goal g WHERE g.project_id = $1 AND g.deleted_at IS NULL AND {filter}",
        GoalRow::columns("g")
    )
}

/// Goals of the project, oldest first: `limit` of them after the first `offset`.
pub async fn list(tx: &mut dyn Tx, project: ProjectId, limit: i64, offset: i64) -> Result<Vec<Goal>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("1 = 1 ORDER BY g.goal_id LIMIT $2 OFFSET $3"));
    let rows = tx.query(&STATEMENT, params![project.0, limit, offset]).await?;
    rows.into_iter().map(read).collect()
}

/// The project's goal with this id.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: GoalId) -> Result<Option<Goal>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("g.goal_id = $2"));
    tx.query_opt(&STATEMENT, params![project.0, id.0]).await?.map(read).transpose()
}

/// The project's oldest goal of this name and type.
pub async fn find_named(tx: &mut dyn Tx, project: ProjectId, name: &str, goal_type: GoalType) -> Result<Option<Goal>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| select("g.name = $2 AND g.goal_type = $3 ORDER BY g.goal_id LIMIT 1"));
    tx.query_opt(&STATEMENT, params![project.0, name, goal_type.word()]).await?.map(read).transpose()
}

/// The id of the project's goal with this key.
pub async fn id_of(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<Option<GoalId>> {
    let row = tx
        .query_opt(
            "SELECT goal_id FROM goal WHERE project_id = $1 AND goal_key = $2 AND deleted_at IS NULL",
            params![project.0, key],
        )
        .await?;
    row.map(|row| Ok(GoalId(row.int("goal_id")?))).transpose()
}

/// The project's goal with this key.
pub async fn find_keyed(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<Option<Goal>> {
    match id_of(tx, project, key).await? {
        None => Ok(None),
        Some(id) => find(tx, project, id).await,
    }
}

/// Returns whether the key was ever used in the project, even by a goal that is deleted now.
pub async fn key_is_taken(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<bool> {
    let row =
        tx.query_opt("SELECT 1 FROM goal WHERE project_id = $1 AND goal_key = $2", params![project.0, key]).await?;
    Ok(row.is_some())
}

/// Stores a new goal under a key that is free.
///
/// # Errors
/// `goal_project_id_goal_key_key` when the key is taken.
pub async fn insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    key: &str,
    definition: &Definition,
    now: Instant,
) -> Result<Goal> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING goal_id", GoalRow::insert_sql()));
    let row = GoalRow { project_id: project.0, goal_key: key.to_owned(), created_at: now, ..GoalRow::of(definition) };
    let stored = tx.query_one(&STATEMENT, row.clone().insert_values()).await?;
    GoalRow { goal_id: stored.int("goal_id")?, ..row }.try_into()
}

/// Stores a goal's new definition, and counts the change.
pub async fn update(tx: &mut dyn Tx, id: GoalId, definition: &Definition) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let (set, id) = (GoalRow::assignments(), GoalRow::next_place());
        format!("UPDATE goal SET {set}, revision = revision + 1 WHERE goal_id = ${id}")
    });
    let mut values = GoalRow::of(definition).changing_values();
    values.extend(params![id.0]);
    tx.execute(&STATEMENT, values).await?;
    Ok(())
}

/// Marks a goal as deleted; its key stays taken.
pub async fn delete(tx: &mut dyn Tx, id: GoalId, now: Instant) -> Result<()> {
    tx.execute("UPDATE goal SET deleted_at = $2, revision = revision + 1 WHERE goal_id = $1", params![id.0, now.us()])
        .await?;
    Ok(())
}

/// The experiments that report the goal, as primary or secondary, lowest id first.
pub async fn users(tx: &mut dyn Tx, id: GoalId) -> Result<Vec<ExperimentId>> {
    let rows = tx
        .query(
            "SELECT DISTINCT e.experiment_id FROM experiment_goal eg \
             JOIN experiment e ON e.experiment_id = eg.experiment_id AND e.deleted_at IS NULL \
             WHERE eg.goal_id = $1 ORDER BY e.experiment_id",
            params![id.0],
        )
        .await?;
    rows.iter().map(|row| Ok(ExperimentId(row.int("experiment_id")?))).collect()
}

/// An experiment that reports a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalUse {
    /// The experiment.
    pub experiment: ExperimentId,
    /// Experiment name.
    pub name: String,
    /// Status word: `draft`, `live` or `inactive`.
    pub status: String,
    /// True when the goal is the experiment's primary goal.
    pub is_primary: bool,
}

/// The experiments that report the goal, lowest id first.
pub async fn uses(tx: &mut dyn Tx, id: GoalId) -> Result<Vec<GoalUse>> {
    let rows = tx
        .query(
            "SELECT e.experiment_id, e.name, e.status, MIN(eg.role) AS role FROM experiment_goal eg \
             JOIN experiment e ON e.experiment_id = eg.experiment_id AND e.deleted_at IS NULL \
             WHERE eg.goal_id = $1 GROUP BY e.experiment_id, e.name, e.status ORDER BY e.experiment_id",
            params![id.0],
        )
        .await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(GoalUse {
                experiment: ExperimentId(row.int("experiment_id")?),
                is_primary: row.text("role")? == "primary",
                name: row.text("name")?,
                status: row.text("status")?,
            })
        })
        .collect()
}
