//! Goals of a project.

use crate::codec::{from_json, from_word, to_json};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::goal::{Definition, Goal, GoalType, GoalValue, Purpose, Trigger};
use muriel_domain::ids::{ExperimentId, GoalId, ProjectId};
use muriel_sql::{Row, Tx, Value, params};

/// The columns of a goal under the alias `g`, for [`read`].
macro_rules! columns {
    () => {
        "g.goal_id, g.goal_key, g.name, g.goal_type, g.goal_value, g.purpose, g.element_url, g.window_days, \
         g.min_count, g.cap, g.created_at, g.revision, g.max_order_value, g.currency"
    };
}
pub(crate) use columns;

/// How many columns [`columns`] has.
pub(crate) const COLUMNS: usize = 14;

/// Reads the columns of [`columns`] from the `at`th on.
pub(crate) fn read(row: &mut Row, at: usize) -> Result<Goal> {
    let goal_type = from_word(&GoalType::WORDS, &row.text(at + 3)?, "goal", "goal_type")?;
    let value: GoalValue = from_json(&row.text(at + 4)?, "goal", "goal_value")?;
    let trigger = Trigger::new(goal_type, value).map_err(|_| Error::Damaged {
        table: "goal",
        column: "goal_value",
        expected: "value of its type",
    })?;
    Ok(Goal {
        id: GoalId(row.int(at)?),
        key: row.text(at + 1)?,
        definition: Definition {
            name: row.text(at + 2)?,
            trigger,
            purpose: from_word(&Purpose::WORDS, &row.text(at + 5)?, "goal", "purpose")?,
            element_url: row.opt_text(at + 6)?,
            window_days: row.opt_int(at + 7)?,
            min_count: row.int(at + 8)?,
            cap: row.opt_real(at + 9)?,
            max_order_value: row.opt_real(at + 12)?,
            currency: row.opt_text(at + 13)?,
        },
        created_at: Instant::from_us(row.int(at + 10)?),
        revision: row.int(at + 11)?,
    })
}

/// Goals of the project, oldest first: `limit` of them after the first `offset`.
///
/// # Errors
/// When the database cannot be reached.
pub async fn list(tx: &mut dyn Tx, project: ProjectId, limit: i64, offset: i64) -> Result<Vec<Goal>> {
    let rows = tx
        .query(
            concat!(
                "SELECT ",
                columns!(),
                " FROM goal g WHERE g.project_id = $1 AND g.deleted_at IS NULL ORDER BY g.goal_id LIMIT $2 OFFSET $3"
            ),
            params![project.0, limit, offset],
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row, 0)).collect()
}

/// The project's goal with this id.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: GoalId) -> Result<Option<Goal>> {
    let row = tx
        .query_opt(
            concat!(
                "SELECT ",
                columns!(),
                " FROM goal g WHERE g.goal_id = $1 AND g.project_id = $2 AND g.deleted_at IS NULL"
            ),
            params![id.0, project.0],
        )
        .await?;
    row.map(|mut row| read(&mut row, 0)).transpose()
}

/// The project's oldest goal of this name and type.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find_named(tx: &mut dyn Tx, project: ProjectId, name: &str, goal_type: GoalType) -> Result<Option<Goal>> {
    let row = tx
        .query_opt(
            concat!(
                "SELECT ",
                columns!(),
                " FROM goal g WHERE g.project_id = $1 AND g.name = $2 AND g.goal_type = $3 AND g.deleted_at IS NULL \
                 ORDER BY g.goal_id LIMIT 1"
            ),
            params![project.0, name, goal_type.word()],
        )
        .await?;
    row.map(|mut row| read(&mut row, 0)).transpose()
}

/// The id of the project's goal with this key.
///
/// # Errors
/// When the database cannot be reached.
pub async fn id_of(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<Option<GoalId>> {
    let row = tx
        .query_opt(
            "SELECT goal_id FROM goal WHERE project_id = $1 AND goal_key = $2 AND deleted_at IS NULL",
            params![project.0, key],
        )
        .await?;
    row.map(|row| Ok(GoalId(row.int(0)?))).transpose()
}

/// The project's goal with this key.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find_keyed(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<Option<Goal>> {
    match id_of(tx, project, key).await? {
        None => Ok(None),
        Some(id) => find(tx, project, id).await,
    }
}

/// Whether the key was ever used in the project, by a deleted goal too.
///
/// # Errors
/// When the database cannot be reached.
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
    let mut values = vec![Value::from(project.0), key.into(), now.us().into()];
    values.extend(definition_values(definition));
    let row = tx
        .query_one(
            "INSERT INTO goal (project_id, goal_key, created_at, revision, name, goal_type, goal_value, purpose, \
             element_url, window_days, min_count, cap, max_order_value, currency) \
             VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
             RETURNING goal_id",
            values,
        )
        .await?;
    Ok(Goal {
        id: GoalId(row.int(0)?),
        key: key.to_owned(),
        definition: definition.clone(),
        created_at: now,
        revision: 1,
    })
}

/// Stores a goal's new definition.
///
/// # Errors
/// When the database cannot be reached.
pub async fn update(tx: &mut dyn Tx, id: GoalId, definition: &Definition) -> Result<()> {
    let mut values = vec![Value::from(id.0)];
    values.extend(definition_values(definition));
    tx.execute(
        "UPDATE goal SET revision = revision + 1, name = $2, goal_type = $3, goal_value = $4, purpose = $5, \
         element_url = $6, window_days = $7, min_count = $8, cap = $9, max_order_value = $10, currency = $11 WHERE goal_id = $1",
        values,
    )
    .await?;
    Ok(())
}

fn definition_values(definition: &Definition) -> [Value; 10] {
    [
        definition.name.as_str().into(),
        definition.trigger.goal_type().word().into(),
        to_json(definition.trigger.value()).into(),
        definition.purpose.word().into(),
        definition.element_url.clone().into(),
        definition.window_days.into(),
        definition.min_count.into(),
        definition.cap.into(),
        definition.max_order_value.into(),
        definition.currency.clone().into(),
    ]
}

/// Marks a goal as deleted; its key stays taken.
///
/// # Errors
/// When the database cannot be reached.
pub async fn delete(tx: &mut dyn Tx, id: GoalId, now: Instant) -> Result<()> {
    tx.execute("UPDATE goal SET deleted_at = $2, revision = revision + 1 WHERE goal_id = $1", params![id.0, now.us()])
        .await?;
    Ok(())
}

/// The experiments that report the goal, as primary or secondary, lowest id first.
///
/// # Errors
/// When the database cannot be reached.
pub async fn users(tx: &mut dyn Tx, id: GoalId) -> Result<Vec<ExperimentId>> {
    let rows = tx
        .query(
            "SELECT DISTINCT e.experiment_id FROM experiment_goal eg \
             JOIN experiment e ON e.experiment_id = eg.experiment_id AND e.deleted_at IS NULL \
             WHERE eg.goal_id = $1 ORDER BY e.experiment_id",
            params![id.0],
        )
        .await?;
    rows.iter().map(|row| Ok(ExperimentId(row.int(0)?))).collect()
}
