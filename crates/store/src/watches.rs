//! Watchers of experiments.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::codec::{id_places, places};
use crate::people::sees;
use muriel_domain::ids::{ExperimentId, PersonId, ProjectId};
use muriel_domain::inbox::WATCHERS_MAX;
use muriel_sql::{Tx, params};
use std::sync::LazyLock;

/// Returns whether a person watches an experiment; `None` when neither was ever stored.
pub async fn state(tx: &mut dyn Tx, id: ExperimentId, person: PersonId) -> Result<Option<bool>> {
    let sql = "SELECT watching FROM watch WHERE experiment_id = $1 AND person_id = $2";
    let row = tx.query_opt(sql, params![id.0, person.0]).await?;
    Ok(row.map(|row| row.flag("watching")).transpose()?)
}

/// Stores whether a person wants to watch an experiment.
pub async fn set(tx: &mut dyn Tx, id: ExperimentId, person: PersonId, watching: bool) -> Result<()> {
    tx.execute(
        "INSERT INTO watch (experiment_id, person_id, watching) VALUES ($1, $2, $3) \
         ON CONFLICT (experiment_id, person_id) DO UPDATE SET watching = excluded.watching",
        params![id.0, person.0, watching],
    )
    .await?;
    Ok(())
}

/// Makes a person who works on an experiment watch it, unless the person has stopped watching it, or the experiment has
/// [`WATCHERS_MAX`] watchers.
pub async fn begin(tx: &mut dyn Tx, id: ExperimentId, person: PersonId) -> Result<()> {
    if count_all(tx, id).await? >= WATCHERS_MAX {
        return Ok(());
    }
    tx.execute(
        "INSERT INTO watch (experiment_id, person_id, watching) VALUES ($1, $2, 1) \
         ON CONFLICT (experiment_id, person_id) DO NOTHING",
        params![id.0, person.0],
    )
    .await?;
    Ok(())
}

/// Number of people who watch an experiment, including those who do not see its project any more.
pub async fn count_all(tx: &mut dyn Tx, id: ExperimentId) -> Result<i64> {
    let sql = "SELECT COUNT(*) AS n FROM watch WHERE experiment_id = $1 AND watching = 1";
    Ok(tx.query_one(sql, params![id.0]).await?.int("n")?)
}

/// The people who watch an experiment and see its project.
pub async fn watchers(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Vec<PersonId>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT w.person_id FROM watch w JOIN person p ON p.person_id = w.person_id \
             WHERE w.experiment_id = $1 AND w.watching = 1 AND {} ORDER BY w.person_id",
            sees("$2")
        )
    });
    let rows = tx.query(&STATEMENT, params![id.0, project.0]).await?;
    rows.into_iter().map(|row| Ok(PersonId(row.int("person_id")?))).collect()
}

/// Lists those of `people` who have stopped watching an experiment.
pub async fn stopped(tx: &mut dyn Tx, id: ExperimentId, people: &[PersonId]) -> Result<Vec<PersonId>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT person_id FROM watch WHERE person_id IN ({}) AND experiment_id = ${} AND watching = 0",
            places(),
            crate::codec::IDS + 1
        )
    });
    let ids: Vec<i64> = people.iter().map(|id| id.0).collect();
    let (mut left, mut found) = (&ids[..], Vec::new());
    while !left.is_empty() {
        let (mut values, later) = id_places(left);
        values.extend(params![id.0]);
        left = later;
        for row in tx.query(&STATEMENT, values).await? {
            found.push(PersonId(row.int("person_id")?));
        }
    }
    Ok(found)
}

/// Removes all watchers of an experiment.
pub(crate) async fn remove_all(tx: &mut dyn Tx, id: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM watch WHERE experiment_id = $1", params![id.0]).await?;
    Ok(())
}
