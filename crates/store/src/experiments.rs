//! Experiments with their variants, goals, epochs and history.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

pub(crate) mod listed;
mod rows;

use crate::goals::{self, GoalRow};
use crate::groups;
use crate::interactions;
use crate::jobs;
use crate::overview_rows;
use crate::plan_locks;
use crate::table::Json;
use crate::{Result, experiments::rows::*};
use crate::{notifications, watches};
use muriel_domain::Instant;
use muriel_domain::experiment::{Allocation, Epoch, Experiment, References, Revision, Rule, Serving, Variant};
use muriel_domain::goal::Goal;
use muriel_domain::ids::{CompanyId, ExperimentId, HypothesisId, PersonId, ProjectId};
use muriel_domain::webhook::ExperimentChange;
use muriel_sql::{Tx, params};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The hypothesis that an experiment came from, as experiments show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginHypothesis {
    /// Hypothesis id.
    pub id: HypothesisId,
    /// Observation of the team.
    pub observation: Option<String>,
    /// Reason why the observation is a problem.
    pub problem: Option<String>,
    /// The change to test.
    pub solution: Option<String>,
    /// Counts the changes of the hypothesis.
    pub revision: i64,
}

/// An experiment with the other objects that its details show.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedExperiment {
    /// The experiment.
    pub experiment: Experiment,
    /// Hypothesis that it came from.
    pub origin: Option<OriginHypothesis>,
    /// Goal that decides the experiment.
    pub primary_goal: Option<Goal>,
}

impl LoadedExperiment {
    /// Version text, which differs after any change of the experiment's details.
    pub fn version(&self) -> String {
        self.version_of(self.experiment.revision)
    }

    /// Version text with another `revision`, linked to the same hypothesis and goal.
    pub fn version_of(&self, revision: i64) -> String {
        let origin = self.origin.as_ref().map_or((0, 0), |origin| (origin.id.0, origin.revision));
        let goal = self.primary_goal.as_ref().map_or((0, 0), |goal| (goal.id.0, goal.revision));
        format!("{revision}-{}.{}-{}.{}", origin.0, origin.1, goal.0, goal.1)
    }
}

/// An experiment as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedExperiment {
    /// Experiment id.
    pub id: ExperimentId,
    /// Display name.
    pub name: String,
    /// Page that the editor opens.
    pub url: String,
    /// Draft, live or inactive.
    pub status: muriel_domain::experiment::Status,
    /// True when it was formally concluded.
    pub is_concluded: bool,
    /// Hypothesis that it came from.
    pub origin: Option<OriginHypothesis>,
    /// State of serving a winner.
    pub serving: Serving,
    /// Time of creation.
    pub created_at: Instant,
    /// Time of the last change.
    pub updated_at: Instant,
}

/// A key or person that sees only some projects of the company.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Limited {
    /// The key with this id.
    Key(String),
    /// This person.
    Person(PersonId),
}

/// The experiments of a company, newest first; with `limited` only those of the
/// projects that this key or person sees.
pub async fn list(
    tx: &mut dyn Tx,
    company: CompanyId,
    limited: Option<&Limited>,
    limit: i64,
    offset: i64,
) -> Result<Vec<ListedExperiment>> {
    static ALL: LazyLock<String> = LazyLock::new(|| statement(""));
    static OF_KEY: LazyLock<String> =
        LazyLock::new(|| statement("AND e.project_id IN (SELECT project_id FROM api_key_project WHERE key_id = $4)"));
    static OF_PERSON: LazyLock<String> =
        LazyLock::new(|| statement("AND e.project_id IN (SELECT project_id FROM person_project WHERE person_id = $4)"));
    fn statement(filter: &str) -> String {
        format!(
            "SELECT {columns}, {ORIGIN_COLUMNS} \
             FROM experiment e LEFT JOIN hypothesis h ON h.hypothesis_id = e.hypothesis_id \
             WHERE e.company_id = $1 AND e.deleted_at IS NULL {filter} \
             ORDER BY e.created_at DESC, e.experiment_id DESC LIMIT $2 OFFSET $3",
            columns = ListedRow::columns("e"),
        )
    }
    let rows = match limited {
        None => tx.query(&ALL, params![company.0, limit, offset]).await?,
        Some(Limited::Key(id)) => tx.query(&OF_KEY, params![company.0, limit, offset, id.as_str()]).await?,
        Some(Limited::Person(id)) => tx.query(&OF_PERSON, params![company.0, limit, offset, id.0]).await?,
    };
    rows.into_iter().map(|mut row| ListedRow::try_from(&mut row)?.listed(origin(&mut row)?)).collect()
}

/// An experiment's columns and those of its [`OriginHypothesis`].
static FIND: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {columns}, {ORIGIN_COLUMNS} \
         FROM experiment e LEFT JOIN hypothesis h ON h.hypothesis_id = e.hypothesis_id \
         WHERE e.experiment_id = $1 AND e.project_id = $2 AND e.deleted_at IS NULL",
        columns = ExperimentRow::columns("e"),
    )
});

/// The project's experiment with this id, its hypothesis and its primary goal.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<LoadedExperiment>> {
    let Some(mut row) = tx.query_opt(&FIND, params![id.0, project.0]).await? else { return Ok(None) };
    let (primary_goal, secondary_goals) = attached_goals(tx, id).await?;
    let mut experiment = whole(ExperimentRow::try_from(&mut row)?, variants(tx, id).await?)?;
    experiment.groups = groups::places(tx, project, id).await?;
    experiment.primary_goal = primary_goal.as_ref().map(|goal: &Goal| goal.key.clone());
    experiment.secondary_goals = secondary_goals.into_iter().map(|goal| goal.key).collect();
    Ok(Some(LoadedExperiment { experiment, origin: origin(&mut row)?, primary_goal }))
}

/// Builds the experiment of a row with these variants, without its goals and groups.
fn whole(row: ExperimentRow, variants: Vec<VariantRow>) -> Result<Experiment> {
    let was_allocated = row.allocation.is_some();
    let mut experiment = Experiment::try_from(row)?;
    experiment.milestones.arms_redefined_at.extend(variants.iter().map(|row| row.redefined_at));
    experiment.variants = variants.into_iter().map(Variant::from).collect();
    if !was_allocated {
        experiment.allocation = Allocation::contiguous(&experiment.weights());
    }
    Ok(experiment)
}

/// Ids and revisions of a project's experiments that are delivered to visitors: live
/// ones, and those whose winner is served.
pub async fn delivered(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<(ExperimentId, i64)>> {
    let rows = tx
        .query(
            "SELECT experiment_id, revision FROM experiment WHERE project_id = $1 AND deleted_at IS NULL \
             AND (status = 'live' OR serving = 'winner') ORDER BY experiment_id",
            params![project.0],
        )
        .await?;
    rows.into_iter().map(|row| Ok((ExperimentId(row.int("experiment_id")?), row.int("revision")?))).collect()
}

/// The experiments of a project that are delivered to visitors, or will be once the
/// clock starts them.
pub async fn bound_for_visitors(tx: &mut dyn Tx, project: ProjectId) -> Result<BTreeSet<ExperimentId>> {
    let rows = tx
        .query(
            "SELECT object_id AS experiment_id FROM job WHERE project_id = $1 AND kind = $2",
            params![project.0, Rule::StartDate.word()],
        )
        .await?;
    let mut ids: BTreeSet<_> = delivered(tx, project).await?.into_iter().map(|(id, _)| id).collect();
    for row in rows {
        ids.insert(ExperimentId(row.int("experiment_id")?));
    }
    Ok(ids)
}

/// First starts of the experiments that [`delivered`] lists, by id, where they are
/// known.
pub async fn first_starts(tx: &mut dyn Tx, project: ProjectId) -> Result<BTreeMap<i64, Instant>> {
    let rows = tx
        .query(
            "SELECT experiment_id, first_started_at FROM experiment \
             WHERE project_id = $1 AND deleted_at IS NULL AND (status = 'live' OR serving = 'winner') \
               AND first_started_at IS NOT NULL",
            params![project.0],
        )
        .await?;
    rows.into_iter()
        .map(|row| Ok((row.int("experiment_id")?, Instant::from_us(row.int("first_started_at")?))))
        .collect()
}

/// An experiment as it is delivered to visitors: without its goals.
pub async fn delivery(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<Experiment>> {
    let Some(mut row) = tx.query_opt(&FIND, params![id.0, project.0]).await? else { return Ok(None) };
    let row = ExperimentRow::try_from(&mut row)?;
    let experiment = whole(row, variants(tx, id).await?)?;
    Ok(Some(Experiment { groups: groups::places(tx, project, id).await?, ..experiment }))
}

/// Shape of the project's experiment with this id; `None` for a deleted one.
pub async fn shape(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<Shape>> {
    let row = tx
        .query_opt(
            "SELECT e.epoch, (SELECT COUNT(*) FROM variant v WHERE v.experiment_id = e.experiment_id) AS variants, \
             e.first_started_at FROM experiment e WHERE e.experiment_id = $1 AND e.project_id = $2 AND e.deleted_at IS NULL",
            params![id.0, project.0],
        )
        .await?;
    row.map(|row| {
        Ok(Shape {
            epoch: row.int("epoch")?,
            arms: u32::try_from(row.int("variants")?).unwrap_or(0) + 1,
            started_at: row.opt_int("first_started_at")?.map(Instant::from_us),
        })
    })
    .transpose()
}

/// The name of an experiment.
pub async fn name(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<String>> {
    let sql = "SELECT name FROM experiment WHERE experiment_id = $1 AND project_id = $2 AND deleted_at IS NULL";
    let row = tx.query_opt(sql, params![id.0, project.0]).await?;
    Ok(row.map(|mut row| row.text("name")).transpose()?)
}

/// The epochs and arms of an experiment that an exposure can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Number of the last epoch; 0 when it never ran.
    pub epoch: i64,
    /// Number of arms, including the control.
    pub arms: u32,
    /// Time of the first start, where it is known.
    pub started_at: Option<Instant>,
}

/// The id of the project's experiment with this key.
pub async fn id_of(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<Option<ExperimentId>> {
    let row = tx
        .query_opt(
            "SELECT experiment_id FROM experiment WHERE project_id = $1 AND experiment_key = $2 AND deleted_at IS NULL",
            params![project.0, key],
        )
        .await?;
    row.map(|row| Ok(ExperimentId(row.int("experiment_id")?))).transpose()
}

/// Ids and keys of the project's experiments whose id is greater than `after`: `limit` at most, lowest id first.
pub async fn keys(
    tx: &mut dyn Tx,
    project: ProjectId,
    after: ExperimentId,
    limit: i64,
) -> Result<Vec<(ExperimentId, String)>> {
    let rows = tx
        .query(
            "SELECT experiment_id, experiment_key FROM experiment \
             WHERE project_id = $1 AND experiment_id > $2 AND deleted_at IS NULL ORDER BY experiment_id LIMIT $3",
            params![project.0, after.0, limit],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((ExperimentId(row.int("experiment_id")?), row.text("experiment_key")?))).collect()
}

async fn variants(tx: &mut dyn Tx, id: ExperimentId) -> Result<Vec<VariantRow>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM variant v WHERE v.experiment_id = $1 ORDER BY v.number", VariantRow::columns("v"))
    });
    let rows = tx.query(&STATEMENT, params![id.0]).await?;
    rows.into_iter().map(|mut row| VariantRow::try_from(&mut row)).collect()
}

/// The primary goal, and the secondary ones in their order.
pub async fn attached_goals(tx: &mut dyn Tx, id: ExperimentId) -> Result<(Option<Goal>, Vec<Goal>)> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {}, eg.role FROM experiment_goal eg JOIN goal g ON g.goal_id = eg.goal_id \
             WHERE eg.experiment_id = $1 ORDER BY eg.role, eg.position",
            GoalRow::columns("g"),
        )
    });
    let (mut primary, mut secondary) = (None, Vec::new());
    for mut row in tx.query(&STATEMENT, params![id.0]).await? {
        let goal = Goal::try_from(GoalRow::try_from(&mut row)?)?;
        if row.text("role")? == "primary" { primary = Some(goal) } else { secondary.push(goal) }
    }
    Ok((primary, secondary))
}

/// Maximum number of epochs that [`epochs`] reads.
pub const EPOCHS_MAX: i64 = 1_000;

/// The experiment's epochs, oldest first. Where it has more than [`EPOCHS_MAX`], only
/// the last ones.
pub async fn epochs(tx: &mut dyn Tx, id: ExperimentId) -> Result<Vec<Epoch>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let columns = EpochRow::columns("e");
        format!("SELECT {columns} FROM epoch e WHERE e.experiment_id = $1 ORDER BY e.epoch DESC LIMIT $2")
    });
    let rows = tx.query(&STATEMENT, params![id.0, EPOCHS_MAX]).await?;
    rows.into_iter().rev().map(|mut row| Ok(EpochRow::try_from(&mut row)?.into())).collect()
}

/// The goals and the hypothesis named by a patch that exist in the project.
pub async fn known(
    tx: &mut dyn Tx,
    project: ProjectId,
    goal_keys: impl Iterator<Item = &str> + Send,
    hypothesis: Option<HypothesisId>,
) -> Result<References> {
    let mut known = References::default();
    for key in goal_keys {
        if !known.goal_keys.contains(key) && goals::id_of(tx, project, key).await?.is_some() {
            known.goal_keys.insert(key.to_owned());
        }
    }
    if let Some(id) = hypothesis {
        known.hypothesis = crate::hypotheses::exists(tx, project, id).await?;
    }
    Ok(known)
}

/// Returns whether an experiment of the project has this key.
pub async fn key_is_taken(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<bool> {
    Ok(id_of(tx, project, key).await?.is_some())
}

/// Stores a new experiment, made by this act, and returns its id.
///
/// # Errors
/// `experiment_project_id_experiment_key_key` when its key is taken.
pub async fn insert(tx: &mut dyn Tx, first: &Revision, act: &Act<'_>) -> Result<ExperimentId> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("{} RETURNING experiment_id", ExperimentRow::insert_sql()));
    let experiment = &first.experiment;
    let values = ExperimentRow::from(experiment).insert_values();
    let id = ExperimentId(tx.query_one(&STATEMENT, values).await?.int("experiment_id")?);
    variants_replace(tx, id, experiment).await?;
    goals_replace(tx, id, experiment).await?;
    if let Some(epoch) = &first.epoch {
        epoch_insert(tx, id, epoch).await?;
    }
    history_insert(tx, history_of(id, first, act)).await?;
    link_update(tx, None, experiment).await?;
    // `first.experiment` does not have its id yet.
    let experiment = Experiment { id, ..experiment.clone() };
    lock_plan(tx, &experiment, first).await?;
    overview_rows::follow(tx, &experiment, act.by, act.action).await?;
    jobs::follow(tx, None, &experiment).await?;
    let change = ExperimentChange { before: None, after: Some(&experiment), fields: Vec::new(), actor: act.actor };
    notifications::record_change(tx, &change, act.by, experiment.updated_at).await?;
    Ok(id)
}

/// Stores the owner of an experiment. The owner watches it from now on.
pub async fn owner_set(tx: &mut dyn Tx, id: ExperimentId, owner: PersonId) -> Result<()> {
    tx.execute("UPDATE experiment SET owner_id = $2 WHERE experiment_id = $1", params![id.0, owner.0]).await?;
    watches::begin(tx, id, owner).await
}

/// Actor and action of a change, as history shows it.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    /// Actor in messages: the id of a key, or the name of the part of the program.
    pub actor: &'a str,
    /// Actor in history and the overview.
    pub by: &'a str,
    /// Action in a word, such as `update` or `delete`.
    pub action: &'a str,
    /// Reason for an act of the clock: a JSON object with the rule, its numbers and
    /// what they were computed from.
    pub detail: Option<serde_json::Value>,
}

/// Stores a change of `before`, and updates the jobs of the experiment.
pub async fn update(tx: &mut dyn Tx, before: &Experiment, revision: &Revision, act: &Act<'_>) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let (set, id) = (ExperimentRow::assignments(), ExperimentRow::next_place());
        format!("UPDATE experiment SET {set} WHERE experiment_id = ${id}")
    });
    let after = &revision.experiment;
    let mut values = ExperimentRow::from(after).changing_values();
    values.extend(params![before.id.0]);
    tx.execute(&STATEMENT, values).await?;
    if before.variants != after.variants {
        tx.execute("DELETE FROM variant WHERE experiment_id = $1", params![before.id.0]).await?;
        variants_replace(tx, before.id, after).await?;
    }
    if before.primary_goal != after.primary_goal || before.secondary_goals != after.secondary_goals {
        tx.execute("DELETE FROM experiment_goal WHERE experiment_id = $1", params![before.id.0]).await?;
        goals_replace(tx, before.id, after).await?;
    }
    if let Some(epoch) = &revision.epoch {
        epoch_insert(tx, before.id, epoch).await?;
    }
    lock_plan(tx, after, revision).await?;
    history_insert(tx, history_of(before.id, revision, act)).await?;
    overview_rows::follow(tx, after, act.by, act.action).await?;
    jobs::follow(tx, Some(before), after).await?;
    let fields = revision.before.keys().map(String::as_str).collect();
    let change = ExperimentChange { before: Some(before), after: Some(after), fields, actor: act.actor };
    notifications::record_change(tx, &change, act.by, after.updated_at).await?;
    link_update(tx, before.hypothesis_id, after).await
}

/// Marks an experiment as deleted: no query returns it any more. Its row stays, so that
/// its id is never used again and its history can be shown.
pub async fn delete(tx: &mut dyn Tx, experiment: &Experiment, act: &Act<'_>, now: Instant) -> Result<()> {
    tx.execute(
        "UPDATE experiment SET deleted_at = $2, revision = revision + 1 WHERE experiment_id = $1",
        params![experiment.id.0, now.us()],
    )
    .await?;
    let entry = HistoryRow {
        experiment_id: experiment.id.0,
        revision: experiment.revision + 1,
        at: now,
        actor: act.by.to_owned(),
        action: act.action.to_owned(),
        before: Json(serde_json::Map::new()),
        detail: None,
    };
    jobs::remove_all(tx, experiment.id).await?;
    overview_rows::remove(tx, experiment.id).await?;
    groups::leave(tx, experiment.id).await?;
    interactions::remove_all(tx, experiment.id).await?;
    let change = ExperimentChange { before: Some(experiment), after: None, fields: Vec::new(), actor: act.actor };
    notifications::record_change(tx, &change, act.by, now).await?;
    watches::remove_all(tx, experiment.id).await?;
    history_insert(tx, entry).await
}

async fn variants_replace(tx: &mut dyn Tx, id: ExperimentId, experiment: &Experiment) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(VariantRow::insert_sql);
    let mut redefined = experiment.milestones.arms_redefined_at.iter().skip(1).copied();
    for (number, variant) in (1i64..).zip(&experiment.variants) {
        let redefined_at = redefined.next().flatten();
        tx.execute(&STATEMENT, VariantRow::of(id, number, variant, redefined_at).insert_values()).await?;
    }
    Ok(())
}

async fn goals_replace(tx: &mut dyn Tx, id: ExperimentId, experiment: &Experiment) -> Result<()> {
    let primary = experiment.primary_goal.iter().map(|key| ("primary", 0, key));
    let secondary = (0i64..).zip(&experiment.secondary_goals).map(|(position, key)| ("secondary", position, key));
    for (role, position, key) in primary.chain(secondary) {
        tx.execute(
            "INSERT INTO experiment_goal (experiment_id, role, position, goal_id) \
             SELECT CAST($1 AS BIGINT), $2, CAST($3 AS BIGINT), goal_id FROM goal WHERE project_id = $4 AND goal_key = $5 AND deleted_at IS NULL",
            params![id.0, role, position, experiment.project_id.0, key.as_str()],
        )
        .await?;
    }
    Ok(())
}

async fn epoch_insert(tx: &mut dyn Tx, id: ExperimentId, epoch: &Epoch) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(EpochRow::insert_sql);
    tx.execute(&STATEMENT, EpochRow::of(id, epoch).insert_values()).await?;
    Ok(())
}

/// Locks the plan of an experiment when `revision` starts it for the first time. Its goals must be attached already.
async fn lock_plan(tx: &mut dyn Tx, experiment: &Experiment, revision: &Revision) -> Result<()> {
    match &revision.epoch {
        Some(epoch) if epoch.number == 1 => {
            let (primary, secondary) = attached_goals(tx, experiment.id).await?;
            plan_locks::insert(tx, experiment, (primary.as_ref(), &secondary), epoch.opened_at).await
        }
        _ => Ok(()),
    }
}

/// History entry of a change.
fn history_of(id: ExperimentId, revision: &Revision, act: &Act<'_>) -> HistoryRow {
    HistoryRow {
        experiment_id: id.0,
        revision: revision.experiment.revision,
        at: revision.experiment.updated_at,
        actor: act.by.to_owned(),
        action: act.action.to_owned(),
        before: Json(revision.before.clone()),
        detail: act.detail.clone().map(Json),
    }
}

async fn history_insert(tx: &mut dyn Tx, entry: HistoryRow) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(HistoryRow::insert_sql);
    tx.execute(&STATEMENT, entry.insert_values()).await?;
    Ok(())
}

/// Counts an update of each hypothesis that the experiment was linked to or unlinked
/// from.
async fn link_update(tx: &mut dyn Tx, before: Option<HypothesisId>, after: &Experiment) -> Result<()> {
    if before == after.hypothesis_id {
        return Ok(());
    }
    for id in [before, after.hypothesis_id].into_iter().flatten() {
        crate::hypotheses::touch(tx, after.project_id, id, after.updated_at).await?;
    }
    Ok(())
}

/// One change in the history of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// Revision that the change made.
    pub revision: i64,
    /// Time of the change.
    pub at: Instant,
    /// The id of the key that made it, or the name of the part of the program.
    pub actor: String,
    /// Action in a word, such as `update` or `delete`.
    pub action: String,
    /// Values of the changed fields before the change.
    pub before: serde_json::Map<String, serde_json::Value>,
    /// Reason for an act of the clock; `None` for changes by others.
    pub detail: Option<serde_json::Value>,
}

/// The last changes of an experiment, newest first, at most `limit`.
pub async fn history(tx: &mut dyn Tx, id: ExperimentId, limit: i64) -> Result<Vec<HistoryEntry>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let columns = HistoryRow::columns("h");
        format!(
            "SELECT {columns} FROM experiment_history h WHERE h.experiment_id = $1 ORDER BY h.revision DESC LIMIT $2"
        )
    });
    let rows = tx.query(&STATEMENT, params![id.0, limit]).await?;
    rows.into_iter().map(entry).collect()
}

/// Changes with a revision below `before`, newest first, at most `limit`.
pub async fn changes(tx: &mut dyn Tx, id: ExperimentId, before: i64, limit: i64) -> Result<Vec<HistoryEntry>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM experiment_history h WHERE h.experiment_id = $1 AND h.revision < $2 \
             ORDER BY h.revision DESC LIMIT $3",
            HistoryRow::columns("h")
        )
    });
    let rows = tx.query(&STATEMENT, params![id.0, before, limit]).await?;
    rows.into_iter().map(entry).collect()
}

fn entry(mut row: muriel_sql::Row) -> Result<HistoryEntry> {
    Ok(HistoryRow::try_from(&mut row)?.into())
}
