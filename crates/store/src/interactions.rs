//! Pairs of experiments that were found to interact, and the last check of each project's pairs.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::table::{Json, table};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_sql::{Row, Tx, params};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

table! {
    /// An interaction that was found.
    struct InteractionRow of "interaction" {
        generated {}
        key { experiment_id: i64, other_id: i64 }
        fixed {}
        changing {
            goal_key: String,
            other_name: String,
            arm: i64,
            other_arm: i64,
            difference: f64,
            lower: f64,
            upper: f64,
            p_value: f64,
            visitors: i64,
            looked_at: Instant,
            logs: Json<Vec<LogPlace>>,
            is_separated: bool,
        }
    }
}

/// An experiment that changes the effect of another one, with the numbers of the check that found it.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Experiment whose effect is changed.
    pub experiment: ExperimentId,
    /// Experiment that changes the effect.
    pub other: ExperimentId,
    /// Key of the goal whose metric was compared: the primary one at that time.
    pub goal_key: String,
    /// The other experiment's name at that time.
    pub other_name: String,
    /// Arm whose effect is changed, 1 for `Variant 1`.
    pub arm: u32,
    /// Arm of the other experiment, 1 for `Variant 1`.
    pub other_arm: u32,
    /// Effect of the arm among visitors in the other's arm, minus its effect among visitors in the other's control.
    pub difference: f64,
    /// Lower end of the interval of `difference`.
    pub lower: f64,
    /// Upper end of the interval of `difference`.
    pub upper: f64,
    /// The p-value after the correction for all pairs of the project.
    pub p_value: f64,
    /// Visitors who were compared.
    pub visitors: i64,
    /// Time of the check.
    pub looked_at: Instant,
    /// Event logs, each with the position up to which the check read it.
    pub logs: Vec<LogPlace>,
    /// True when an exclusion group separates the two experiments now.
    pub is_separated: bool,
}

/// Position up to which a check read an event log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPlace {
    /// Id of the log, a UUID.
    pub id: String,
    /// Last block that the check included.
    pub position: i64,
}

impl From<&Interaction> for InteractionRow {
    fn from(found: &Interaction) -> Self {
        let found = found.clone();
        Self {
            experiment_id: found.experiment.0,
            other_id: found.other.0,
            goal_key: found.goal_key,
            other_name: found.other_name,
            arm: found.arm.into(),
            other_arm: found.other_arm.into(),
            difference: found.difference,
            lower: found.lower,
            upper: found.upper,
            p_value: found.p_value,
            visitors: found.visitors,
            looked_at: found.looked_at,
            logs: Json(found.logs),
            is_separated: found.is_separated,
        }
    }
}

fn interaction(mut row: Row) -> Result<Interaction> {
    let row = InteractionRow::try_from(&mut row)?;
    let (Ok(arm), Ok(other_arm)) = (u32::try_from(row.arm), u32::try_from(row.other_arm)) else {
        return Err(row.damaged("arm", "the number of a variant"));
    };
    Ok(Interaction {
        experiment: ExperimentId(row.experiment_id),
        other: ExperimentId(row.other_id),
        goal_key: row.goal_key,
        other_name: row.other_name,
        arm,
        other_arm,
        difference: row.difference,
        lower: row.lower,
        upper: row.upper,
        p_value: row.p_value,
        visitors: row.visitors,
        looked_at: row.looked_at,
        logs: row.logs.0,
        is_separated: row.is_separated,
    })
}

/// The experiments that were found to change the effect of this one, lowest p-value first, at most `limit`.
pub async fn of_experiment(tx: &mut dyn Tx, id: ExperimentId, limit: i64) -> Result<Vec<Interaction>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let columns = InteractionRow::columns("i");
        format!(
            "SELECT {columns} FROM interaction i WHERE i.experiment_id = $1 ORDER BY i.p_value, i.other_id LIMIT $2"
        )
    });
    tx.query(&STATEMENT, params![id.0, limit]).await?.into_iter().map(interaction).collect()
}

/// All interactions that were found in a project.
pub async fn of_project(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<Interaction>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM interaction i JOIN experiment e ON e.experiment_id = i.experiment_id \
             WHERE e.project_id = $1 ORDER BY i.experiment_id, i.other_id",
            InteractionRow::columns("i")
        )
    });
    tx.query(&STATEMENT, params![project.0]).await?.into_iter().map(interaction).collect()
}

/// Stores an interaction, in place of an earlier one of the same pair.
pub async fn put(tx: &mut dyn Tx, found: &Interaction) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(InteractionRow::insert_sql);
    remove(tx, found.experiment, found.other).await?;
    tx.execute(&STATEMENT, InteractionRow::from(found).insert_values()).await?;
    Ok(())
}

/// Removes an interaction that a later check does not find.
pub async fn remove(tx: &mut dyn Tx, experiment: ExperimentId, other: ExperimentId) -> Result<()> {
    let sql = "DELETE FROM interaction WHERE experiment_id = $1 AND other_id = $2";
    tx.execute(sql, params![experiment.0, other.0]).await?;
    Ok(())
}

/// Removes all interactions that change the effect of an experiment.
pub(crate) async fn remove_all(tx: &mut dyn Tx, experiment: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM interaction WHERE experiment_id = $1", params![experiment.0]).await?;
    Ok(())
}

/// A live experiment whose pairs are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Experiment id.
    pub experiment: ExperimentId,
    /// Exclusion group of the experiment.
    pub group: Option<i64>,
}

/// The live experiments of a project, the most recently started first. Personalizations are left out: a difference
/// between audiences is not an effect.
pub async fn candidates(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<Candidate>> {
    let rows = tx
        .query(
            "SELECT e.experiment_id, \
               (SELECT max(g.group_id) FROM exclusion_group_member m \
                JOIN exclusion_group g ON g.group_id = m.group_id AND g.deleted_at IS NULL AND g.kind = 'exclusion' \
                WHERE m.experiment_id = e.experiment_id) AS group_id \
             FROM experiment e WHERE e.project_id = $1 AND e.status = 'live' AND e.deleted_at IS NULL \
               AND e.test_type <> 'personalization' \
             ORDER BY e.first_started_at DESC, e.experiment_id DESC",
            params![project.0],
        )
        .await?;
    let candidate = |row: Row| {
        Ok(Candidate { experiment: ExperimentId(row.int("experiment_id")?), group: row.opt_int("group_id")? })
    };
    rows.into_iter().map(candidate).collect()
}

/// The first project with at least two live experiments whose pairs were not checked in this night.
pub async fn due(tx: &mut dyn Tx, night: i64) -> Result<Option<ProjectId>> {
    let row = tx
        .query_opt(
            "SELECT e.project_id FROM experiment e LEFT JOIN interaction_look l ON l.project_id = e.project_id \
             WHERE e.status = 'live' AND e.deleted_at IS NULL AND (l.night IS NULL OR l.night <> $1) \
             GROUP BY e.project_id HAVING count(*) >= 2 ORDER BY e.project_id LIMIT 1",
            params![night],
        )
        .await?;
    row.map(|row| Ok(ProjectId(row.int("project_id")?))).transpose()
}

/// A finished check of a project's pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InteractionCheck {
    /// Number of the night, counted from 1970.
    pub night: i64,
    /// End of the check.
    pub ended_at: Instant,
    /// Pairs that were checked.
    pub pairs: i64,
    /// Pairs that were left out because there were too many.
    pub left_out: i64,
}

/// The last check of a project's pairs.
pub async fn last_check(tx: &mut dyn Tx, project: ProjectId) -> Result<Option<InteractionCheck>> {
    let sql = "SELECT night, ended_at, pairs, left_out FROM interaction_look WHERE project_id = $1";
    let check = |row: Row| -> Result<InteractionCheck, Error> {
        Ok(InteractionCheck {
            night: row.int("night")?,
            ended_at: Instant::from_us(row.int("ended_at")?),
            pairs: row.int("pairs")?,
            left_out: row.int("left_out")?,
        })
    };
    tx.query_opt(sql, params![project.0]).await?.map(check).transpose()
}

/// Stores a finished check of a project's pairs.
pub async fn set_check(tx: &mut dyn Tx, project: ProjectId, check: InteractionCheck) -> Result<()> {
    tx.execute(
        "INSERT INTO interaction_look (project_id, night, ended_at, pairs, left_out) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (project_id) DO UPDATE SET night = excluded.night, ended_at = excluded.ended_at, \
           pairs = excluded.pairs, left_out = excluded.left_out",
        params![project.0, check.night, check.ended_at.us(), check.pairs, check.left_out],
    )
    .await?;
    Ok(())
}

/// Pairs that the last checks of all projects included, and pairs that they left out.
pub async fn totals(tx: &mut dyn Tx) -> Result<(i64, i64)> {
    let sql = "SELECT CAST(coalesce(sum(pairs), 0) AS BIGINT) AS pairs, \
                 CAST(coalesce(sum(left_out), 0) AS BIGINT) AS left_out FROM interaction_look";
    let row = tx.query_one(sql, params![]).await?;
    Ok((row.int("pairs")?, row.int("left_out")?))
}
