//! Experiments, whole: with their variants, goals, epochs and history.

use crate::codec::{from_json, from_word, moment, to_json};
use crate::{Error, Result, goals};
use muriel_domain::Instant;
use muriel_domain::experiment::{
    Allocation, Arm, Code, Conclusion, Control, DataKey, Epoch, Experiment, Known, Lifecycle, Outcome, Revision,
    Serving, TestType, Variant, Weights,
};
use muriel_domain::goal::Goal;
use muriel_domain::ids::{CompanyId, ExperimentId, HypothesisId, ProjectId};
use muriel_sql::{Row, Tx, Value, params};
use std::collections::BTreeMap;

/// The idea that an experiment came from, as experiments show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its id.
    pub id: HypothesisId,
    /// What the team saw.
    pub observation: Option<String>,
    /// Why it is a problem.
    pub problem: Option<String>,
    /// The change to test.
    pub solution: Option<String>,
    /// Counts its changes.
    pub revision: i64,
}

/// An experiment with what its details show of other things.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The experiment.
    pub experiment: Experiment,
    /// Where it came from.
    pub origin: Option<Origin>,
    /// The goal that decides.
    pub primary_goal: Option<Goal>,
}

impl Loaded {
    /// A text that changes with anything in the experiment's details.
    pub fn version(&self) -> String {
        let origin = self.origin.as_ref().map_or((0, 0), |origin| (origin.id.0, origin.revision));
        let goal = self.primary_goal.as_ref().map_or((0, 0), |goal| (goal.id.0, goal.revision));
        format!("{}-{}.{}-{}.{}", self.experiment.revision, origin.0, origin.1, goal.0, goal.1)
    }
}

/// An experiment as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its id.
    pub id: ExperimentId,
    /// Display name.
    pub name: String,
    /// The page that the editor opens.
    pub url: String,
    /// Whether it runs.
    pub status: muriel_domain::experiment::Status,
    /// Whether it was formally concluded.
    pub is_concluded: bool,
    /// Where it came from.
    pub origin: Option<Origin>,
    /// Whether a winner is served.
    pub serving: Serving,
    /// When it was made.
    pub created_at: Instant,
    /// When it last changed.
    pub updated_at: Instant,
}

/// The experiments of a company, newest first; with `key_id` only those of the
/// projects that this key is limited to.
///
/// # Errors
/// When the database cannot be reached.
pub async fn list(
    tx: &mut dyn Tx,
    company: CompanyId,
    key_id: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Listed>> {
    macro_rules! statement {
        ($filter:literal) => {
            concat!(
                "SELECT e.experiment_id, e.name, e.url, e.status, e.started_at, e.concluded_at, e.serving, \
                 e.serving_arm, e.serving_rollout, e.created_at, e.updated_at, h.hypothesis_id, h.observation, \
                 h.problem, h.solution, h.revision \
                 FROM experiment e LEFT JOIN hypothesis h ON h.hypothesis_id = e.hypothesis_id \
                 WHERE e.company_id = $1 AND e.deleted_at IS NULL ",
                $filter,
                "ORDER BY e.created_at DESC, e.experiment_id DESC LIMIT $2 OFFSET $3"
            )
        };
    }
    let rows = match key_id {
        None => tx.query(statement!(""), params![company.0, limit, offset]).await?,
        Some(key_id) => {
            tx.query(
                statement!("AND e.project_id IN (SELECT project_id FROM api_key_project WHERE key_id = $4) "),
                params![company.0, limit, offset, key_id],
            )
            .await?
        }
    };
    rows.into_iter()
        .map(|mut row| {
            Ok(Listed {
                id: ExperimentId(row.int(0)?),
                name: row.text(1)?,
                url: row.text(2)?,
                status: lifecycle(&row.text(3)?, row.opt_int(4)?)?.status(),
                is_concluded: row.opt_int(5)?.is_some(),
                serving: serving(&row.text(6)?, row.opt_int(7)?, row.opt_int(8)?)?,
                created_at: Instant::from_us(row.int(9)?),
                updated_at: Instant::from_us(row.int(10)?),
                origin: origin(&mut row, 11)?,
            })
        })
        .collect()
}

fn origin(row: &mut Row, at: usize) -> Result<Option<Origin>> {
    let Some(id) = row.opt_int(at)? else { return Ok(None) };
    Ok(Some(Origin {
        id: HypothesisId(id),
        observation: row.opt_text(at + 1)?,
        problem: row.opt_text(at + 2)?,
        solution: row.opt_text(at + 3)?,
        revision: row.int(at + 4)?,
    }))
}

fn lifecycle(word: &str, started_at: Option<i64>) -> Result<Lifecycle> {
    let damaged = Error::Damaged { table: "experiment", column: "status", expected: "status that fits started_at" };
    match (word, started_at) {
        ("draft", None) => Ok(Lifecycle::Draft),
        ("inactive", None) => Ok(Lifecycle::Inactive),
        ("live", Some(at)) => Ok(Lifecycle::Live { started_at: Instant::from_us(at) }),
        _ => Err(damaged),
    }
}

fn serving(word: &str, arm: Option<i64>, rollout: Option<i64>) -> Result<Serving> {
    match (word, arm.and_then(|arm| u32::try_from(arm).ok()), rollout) {
        ("never", None, None) => Ok(Serving::Never),
        ("stopped", None, None) => Ok(Serving::Stopped),
        ("winner", Some(arm), Some(rollout)) => Ok(Serving::Winner { arm: Arm(arm), rollout }),
        _ => Err(Error::Damaged { table: "experiment", column: "serving", expected: "state that fits its arm" }),
    }
}

/// The columns of an experiment in the order in which [`columns_of`] fills them.
macro_rules! stored_columns {
    () => {
        "test_type, name, url, variants_data_key, control_nickname, control_js, control_css, custom_js, custom_css, \
         configuration, targeting, tags, plan, builtin_metrics, event_metrics, hypothesis_id, status, started_at, \
         concluded_at, outcome, conclusion_note, serving, serving_arm, serving_rollout, allocation, epoch, revision, \
         updated_at"
    };
}

const STORED_COLUMNS: usize = 28;

fn columns_of(experiment: &Experiment) -> [Value; STORED_COLUMNS] {
    let text = |text: &str| Value::from(text);
    let started_at = match experiment.lifecycle {
        Lifecycle::Live { started_at } => Some(started_at.us()),
        _ => None,
    };
    let (serving, arm, rollout) = match experiment.serving {
        Serving::Never => ("never", None, None),
        Serving::Stopped => ("stopped", None, None),
        Serving::Winner { arm, rollout } => ("winner", Some(i64::from(arm.0)), Some(rollout)),
    };
    let conclusion = experiment.conclusion.as_ref();
    [
        text(experiment.test_type.word()),
        text(&experiment.name),
        text(&experiment.url),
        text(experiment.variants_data_key.as_str()),
        text(&experiment.control.nickname),
        text(&experiment.control.code.js),
        text(&experiment.control.code.css),
        text(&experiment.custom_code.js),
        text(&experiment.custom_code.css),
        to_json(&experiment.configuration).into(),
        to_json(&experiment.targeting).into(),
        to_json(&experiment.tags).into(),
        to_json(&experiment.plan).into(),
        to_json(&experiment.builtin_metrics).into(),
        to_json(&experiment.event_metrics).into(),
        experiment.hypothesis_id.map(|id| id.0).into(),
        text(experiment.lifecycle.status().word()),
        started_at.into(),
        conclusion.map(|conclusion| conclusion.concluded_at.us()).into(),
        conclusion.map(|conclusion| conclusion.outcome.word()).into(),
        conclusion.map(|conclusion| conclusion.note.clone()).into(),
        text(serving),
        arm.into(),
        rollout.into(),
        to_json(&experiment.allocation).into(),
        experiment.epoch.into(),
        experiment.revision.into(),
        experiment.updated_at.us().into(),
    ]
}

/// Everything of an experiment that is in its row; [`read`] reads it, and after
/// it the [`Origin`].
macro_rules! select {
    ($filter:literal) => {
        concat!(
            "SELECT e.experiment_id, e.project_id, e.company_id, e.experiment_key, e.created_at, e.test_type, e.name, \
             e.url, e.variants_data_key, e.control_nickname, e.control_js, e.control_css, e.custom_js, e.custom_css, \
             e.configuration, e.targeting, e.tags, e.plan, e.builtin_metrics, e.event_metrics, e.hypothesis_id, \
             e.status, e.started_at, e.concluded_at, e.outcome, e.conclusion_note, e.serving, e.serving_arm, \
             e.serving_rollout, e.allocation, e.epoch, e.revision, e.updated_at, \
             h.hypothesis_id, h.observation, h.problem, h.solution, h.revision \
             FROM experiment e LEFT JOIN hypothesis h ON h.hypothesis_id = e.hypothesis_id \
             WHERE e.deleted_at IS NULL AND ",
            $filter
        )
    };
}

/// The project's experiment with this id, and what its details show.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<Loaded>> {
    const STATEMENT: &str = select!("e.experiment_id = $1 AND e.project_id = $2");
    let Some(mut row) = tx.query_opt(STATEMENT, params![id.0, project.0]).await? else { return Ok(None) };
    let (primary_goal, secondary_goals) = attached_goals(tx, id).await?;
    let mut experiment = read(&mut row, variants(tx, id).await?)?;
    experiment.primary_goal = primary_goal.as_ref().map(|goal: &Goal| goal.key.clone());
    experiment.secondary_goals = secondary_goals.into_iter().map(|goal| goal.key).collect();
    Ok(Some(Loaded { experiment, origin: origin(&mut row, 33)?, primary_goal }))
}

/// The experiment in a row, without its goals.
fn read(row: &mut Row, variants: Vec<Variant>) -> Result<Experiment> {
    let mut experiment = Experiment {
        id: ExperimentId(row.int(0)?),
        project_id: ProjectId(row.int(1)?),
        company_id: CompanyId(row.int(2)?),
        key: row.text(3)?,
        created_at: Instant::from_us(row.int(4)?),
        test_type: from_word(&TestType::WORDS, &row.text(5)?, "experiment", "test_type")?,
        name: row.text(6)?,
        url: row.text(7)?,
        variants_data_key: DataKey::stored(row.text(8)?),
        control: Control { nickname: row.text(9)?, code: Code { js: row.text(10)?.into(), css: row.text(11)?.into() } },
        custom_code: Code { js: row.text(12)?.into(), css: row.text(13)?.into() },
        configuration: from_json(&row.text(14)?, "experiment", "configuration")?,
        targeting: from_json(&row.text(15)?, "experiment", "targeting")?,
        tags: from_json(&row.text(16)?, "experiment", "tags")?,
        plan: from_json(&row.text(17)?, "experiment", "plan")?,
        builtin_metrics: from_json(&row.text(18)?, "experiment", "builtin_metrics")?,
        event_metrics: from_json(&row.text(19)?, "experiment", "event_metrics")?,
        hypothesis_id: row.opt_int(20)?.map(HypothesisId),
        lifecycle: lifecycle(&row.text(21)?, row.opt_int(22)?)?,
        conclusion: conclusion(row, 23)?,
        serving: serving(&row.text(26)?, row.opt_int(27)?, row.opt_int(28)?)?,
        allocation: Allocation::contiguous(&Weights::even(1)),
        epoch: row.int(30)?,
        revision: row.int(31)?,
        updated_at: Instant::from_us(row.int(32)?),
        primary_goal: None,
        secondary_goals: Vec::new(),
        variants,
    };
    experiment.allocation = match row.opt_text(29)? {
        Some(allocation) => from_json(&allocation, "experiment", "allocation")?,
        None => Allocation::contiguous(&experiment.weights()),
    };
    Ok(experiment)
}

/// The ids and revisions of a project's experiments that visitors meet: live
/// ones, and those of which a winner is served.
///
/// # Errors
/// When the database cannot be reached.
pub async fn delivered(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<(ExperimentId, i64)>> {
    let rows = tx
        .query(
            "SELECT experiment_id, revision FROM experiment WHERE project_id = $1 AND deleted_at IS NULL \
             AND (status = 'live' OR serving = 'winner') ORDER BY experiment_id",
            params![project.0],
        )
        .await?;
    rows.into_iter().map(|row| Ok((ExperimentId(row.int(0)?), row.int(1)?))).collect()
}

/// When each of the experiments that [`delivered`] lists first started, by id.
///
/// # Errors
/// When the database cannot be reached.
pub async fn first_starts(tx: &mut dyn Tx, project: ProjectId) -> Result<BTreeMap<i64, Instant>> {
    let rows = tx
        .query(
            "SELECT e.experiment_id, MIN(p.started_at) FROM experiment e \
             JOIN epoch p ON p.experiment_id = e.experiment_id \
             WHERE e.project_id = $1 AND e.deleted_at IS NULL AND (e.status = 'live' OR e.serving = 'winner') \
             GROUP BY e.experiment_id",
            params![project.0],
        )
        .await?;
    rows.into_iter().map(|row| Ok((row.int(0)?, Instant::from_us(row.int(1)?)))).collect()
}

/// An experiment as its visitors meet it: whole but for its goals.
///
/// # Errors
/// When the database cannot be reached.
pub async fn delivery(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<Experiment>> {
    const STATEMENT: &str = select!("e.experiment_id = $1 AND e.project_id = $2");
    let Some(mut row) = tx.query_opt(STATEMENT, params![id.0, project.0]).await? else { return Ok(None) };
    let variants = variants(tx, id).await?;
    Ok(Some(read(&mut row, variants)?))
}

/// What an exposure can name of the project's experiment with this id; a deleted
/// one is not there.
///
/// # Errors
/// When the database cannot be reached.
pub async fn shape(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<Option<Shape>> {
    let row = tx
        .query_opt(
            "SELECT e.epoch, (SELECT COUNT(*) FROM variant v WHERE v.experiment_id = e.experiment_id), \
             (SELECT MIN(p.started_at) FROM epoch p WHERE p.experiment_id = e.experiment_id) FROM experiment e WHERE e.experiment_id = $1 AND e.project_id = $2 AND e.deleted_at IS NULL",
            params![id.0, project.0],
        )
        .await?;
    row.map(|row| {
        Ok(Shape {
            epoch: row.int(0)?,
            arms: u32::try_from(row.int(1)?).unwrap_or(0) + 1,
            started_at: moment(row.opt_int(2)?),
        })
    })
    .transpose()
}

/// What an exposure can name of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Number of the last epoch; 0 when it never ran.
    pub epoch: i64,
    /// How many arms it has, the control among them.
    pub arms: u32,
    /// When it first started, where that is known.
    pub started_at: Option<Instant>,
}

/// The id of the project's experiment with this key.
///
/// # Errors
/// When the database cannot be reached.
pub async fn id_of(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<Option<ExperimentId>> {
    let row = tx
        .query_opt(
            "SELECT experiment_id FROM experiment WHERE project_id = $1 AND experiment_key = $2 AND deleted_at IS NULL",
            params![project.0, key],
        )
        .await?;
    row.map(|row| Ok(ExperimentId(row.int(0)?))).transpose()
}

fn conclusion(row: &mut Row, at: usize) -> Result<Option<Conclusion>> {
    let Some(concluded_at) = moment(row.opt_int(at)?) else { return Ok(None) };
    Ok(Some(Conclusion {
        concluded_at,
        outcome: from_word(&Outcome::WORDS, &row.text(at + 1)?, "experiment", "outcome")?,
        note: row.text(at + 2)?,
    }))
}

async fn variants(tx: &mut dyn Tx, id: ExperimentId) -> Result<Vec<Variant>> {
    let rows = tx
        .query(
            "SELECT nickname, custom_js, custom_css, changes, audience FROM variant WHERE experiment_id = $1 \
             ORDER BY number",
            params![id.0],
        )
        .await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(Variant {
                nickname: row.text(0)?,
                code: Code { js: row.text(1)?.into(), css: row.text(2)?.into() },
                changes: from_json(&row.text(3)?, "variant", "changes")?,
                audience: row.opt_text(4)?.map(|audience| from_json(&audience, "variant", "audience")).transpose()?,
            })
        })
        .collect()
}

/// The primary goal, and the secondary ones in their order.
///
/// # Errors
/// When the database cannot be reached.
pub async fn attached_goals(tx: &mut dyn Tx, id: ExperimentId) -> Result<(Option<Goal>, Vec<Goal>)> {
    let rows = tx
        .query(
            concat!(
                "SELECT ",
                goals::columns!(),
                ", eg.role FROM experiment_goal eg JOIN goal g ON g.goal_id = eg.goal_id \
                 WHERE eg.experiment_id = $1 ORDER BY eg.role, eg.position"
            ),
            params![id.0],
        )
        .await?;
    let (mut primary, mut secondary) = (None, Vec::new());
    for mut row in rows {
        let goal = goals::read(&mut row, 0)?;
        if row.text(goals::COLUMNS)? == "primary" { primary = Some(goal) } else { secondary.push(goal) }
    }
    Ok((primary, secondary))
}

/// Epochs that are read at most.
pub const EPOCHS_MAX: i64 = 1_000;

/// The experiment's epochs, first one first; of more than [`EPOCHS_MAX`] the last.
///
/// # Errors
/// When the database cannot be reached.
pub async fn epochs(tx: &mut dyn Tx, id: ExperimentId) -> Result<Vec<Epoch>> {
    let rows = tx
        .query(
            "SELECT epoch, started_at, reasons, traffic_allocation, weights, opened_at FROM epoch \
             WHERE experiment_id = $1 ORDER BY epoch DESC LIMIT $2",
            params![id.0, EPOCHS_MAX],
        )
        .await?;
    rows.into_iter()
        .rev()
        .map(|mut row| {
            let weights: Weights = from_json(&row.text(4)?, "epoch", "weights")?;
            let started_at = Instant::from_us(row.int(1)?);
            Ok(Epoch {
                number: row.int(0)?,
                started_at,
                opened_at: moment(row.opt_int(5)?).unwrap_or(started_at),
                reasons: from_json(&row.text(2)?, "epoch", "reasons")?,
                traffic_allocation: row.int(3)?,
                weights,
            })
        })
        .collect()
}

/// An experiment's first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstStart {
    /// From when on visitors count.
    pub started_at: Instant,
    /// When it was started: later than `started_at` where it was given a start of the past.
    /// What is settled at the start is settled then.
    pub opened_at: Instant,
}

/// The experiment's first start; `None` for one that never started.
///
/// # Errors
/// When the database cannot be reached.
pub async fn first_start(tx: &mut dyn Tx, id: ExperimentId) -> Result<Option<FirstStart>> {
    let statement = "SELECT started_at, opened_at FROM epoch WHERE experiment_id = $1 ORDER BY epoch LIMIT 1";
    let Some(row) = tx.query_opt(statement, params![id.0]).await? else { return Ok(None) };
    let started_at = Instant::from_us(row.int(0)?);
    Ok(Some(FirstStart { started_at, opened_at: moment(row.opt_int(1)?).unwrap_or(started_at) }))
}

/// Which of the goals and the hypothesis that a patch names the project has.
///
/// # Errors
/// When the database cannot be reached.
pub async fn known(
    tx: &mut dyn Tx,
    project: ProjectId,
    goal_keys: impl Iterator<Item = &str> + Send,
    hypothesis: Option<HypothesisId>,
) -> Result<Known> {
    let mut known = Known::default();
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

/// Whether an experiment of the project has this key.
///
/// # Errors
/// When the database cannot be reached.
pub async fn key_is_taken(tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<bool> {
    Ok(id_of(tx, project, key).await?.is_some())
}

/// Stores a new experiment, done by `actor`; its id.
///
/// # Errors
/// `experiment_project_id_experiment_key_key` when its key is taken.
pub async fn insert(tx: &mut dyn Tx, first: &Revision, actor: &str) -> Result<ExperimentId> {
    const STATEMENT: &str = concat!(
        "INSERT INTO experiment (project_id, company_id, experiment_key, created_at, ",
        stored_columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
         $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) RETURNING experiment_id"
    );
    let experiment = &first.experiment;
    let mut values =
        params![experiment.project_id.0, experiment.company_id.0, experiment.key.as_str(), experiment.created_at.us()];
    values.extend(columns_of(experiment));
    let id = ExperimentId(tx.query_one(STATEMENT, values).await?.int(0)?);
    variants_replace(tx, id, &experiment.variants).await?;
    goals_replace(tx, id, experiment).await?;
    if let Some(epoch) = &first.epoch {
        epoch_insert(tx, id, epoch).await?;
    }
    history_insert(tx, id, first, actor, "create").await?;
    link_update(tx, None, experiment).await?;
    Ok(id)
}

/// Stores a change of `before`, called `action` in history, done by `actor`.
///
/// # Errors
/// When the database cannot be reached.
pub async fn update(
    tx: &mut dyn Tx,
    before: &Experiment,
    revision: &Revision,
    actor: &str,
    action: &str,
) -> Result<()> {
    const STATEMENT: &str = concat!(
        "UPDATE experiment SET (",
        stored_columns!(),
        ") = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, \
         $24, $25, $26, $27, $28, $29) WHERE experiment_id = $1"
    );
    let after = &revision.experiment;
    let mut values = params![before.id.0];
    values.extend(columns_of(after));
    tx.execute(STATEMENT, values).await?;
    if before.variants != after.variants {
        tx.execute("DELETE FROM variant WHERE experiment_id = $1", params![before.id.0]).await?;
        variants_replace(tx, before.id, &after.variants).await?;
    }
    if before.primary_goal != after.primary_goal || before.secondary_goals != after.secondary_goals {
        tx.execute("DELETE FROM experiment_goal WHERE experiment_id = $1", params![before.id.0]).await?;
        goals_replace(tx, before.id, after).await?;
    }
    if let Some(epoch) = &revision.epoch {
        epoch_insert(tx, before.id, epoch).await?;
    }
    history_insert(tx, before.id, revision, actor, action).await?;
    link_update(tx, before.hypothesis_id, after).await
}

/// Takes an experiment out of every read. Its row stays, so that its id is never
/// used again and its history can be told.
///
/// # Errors
/// When the database cannot be reached.
pub async fn delete(tx: &mut dyn Tx, experiment: &Experiment, actor: &str, now: Instant) -> Result<()> {
    tx.execute(
        "UPDATE experiment SET deleted_at = $2, revision = revision + 1 WHERE experiment_id = $1",
        params![experiment.id.0, now.us()],
    )
    .await?;
    tx.execute(
        "INSERT INTO experiment_history (experiment_id, revision, at, actor, action, before) \
         VALUES ($1, $2, $3, $4, 'delete', '{}')",
        params![experiment.id.0, experiment.revision + 1, now.us(), actor],
    )
    .await?;
    Ok(())
}

async fn variants_replace(tx: &mut dyn Tx, id: ExperimentId, variants: &[Variant]) -> Result<()> {
    for (number, variant) in (1i64..).zip(variants) {
        tx.execute(
            "INSERT INTO variant (experiment_id, number, nickname, custom_js, custom_css, changes, audience) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                id.0,
                number,
                variant.nickname.as_str(),
                &*variant.code.js,
                &*variant.code.css,
                to_json(&variant.changes),
                variant.audience.as_ref().map(to_json)
            ],
        )
        .await?;
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
    tx.execute(
        "INSERT INTO epoch (experiment_id, epoch, started_at, reasons, traffic_allocation, weights, opened_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![
            id.0,
            epoch.number,
            epoch.started_at.us(),
            to_json(&epoch.reasons),
            epoch.traffic_allocation,
            to_json(&epoch.weights),
            Some(epoch.opened_at).filter(|opened_at| *opened_at != epoch.started_at).map(Instant::us)
        ],
    )
    .await?;
    Ok(())
}

async fn history_insert(
    tx: &mut dyn Tx,
    id: ExperimentId,
    revision: &Revision,
    actor: &str,
    action: &str,
) -> Result<()> {
    tx.execute(
        "INSERT INTO experiment_history (experiment_id, revision, at, actor, action, before) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![
            id.0,
            revision.experiment.revision,
            revision.experiment.updated_at.us(),
            actor,
            action,
            to_json(&revision.before)
        ],
    )
    .await?;
    Ok(())
}

/// An experiment that comes to a hypothesis, or leaves one, is an update of it.
async fn link_update(tx: &mut dyn Tx, before: Option<HypothesisId>, after: &Experiment) -> Result<()> {
    if before == after.hypothesis_id {
        return Ok(());
    }
    for id in [before, after.hypothesis_id].into_iter().flatten() {
        crate::hypotheses::touch(tx, after.project_id, id, after.updated_at).await?;
    }
    Ok(())
}

/// One change of an experiment, as history keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// The revision that it made.
    pub revision: i64,
    /// When.
    pub at: Instant,
    /// By whom.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// The values that the changed fields had before it.
    pub before: serde_json::Map<String, serde_json::Value>,
}

/// The last changes of an experiment, newest first, at most `limit`.
///
/// # Errors
/// When the database cannot be reached.
pub async fn history(tx: &mut dyn Tx, id: ExperimentId, limit: i64) -> Result<Vec<HistoryEntry>> {
    let rows = tx
        .query(
            "SELECT revision, at, actor, action, before FROM experiment_history WHERE experiment_id = $1 \
             ORDER BY revision DESC LIMIT $2",
            params![id.0, limit],
        )
        .await?;
    rows.into_iter().map(entry).collect()
}

/// Changes of any of `fields`, oldest first; of more than `limit` of one the last.
///
/// # Errors
/// When the database cannot be reached.
pub async fn changes_of(tx: &mut dyn Tx, id: ExperimentId, fields: &[&str], limit: i64) -> Result<Vec<HistoryEntry>> {
    let mut entries: Vec<HistoryEntry> = Vec::new();
    for field in fields {
        let (mut below, mut left) = (i64::MAX, limit);
        while left > 0 {
            let rows = tx
                .query(
                    "SELECT revision, at, actor, action, before FROM experiment_history \
                     WHERE experiment_id = $1 AND before LIKE $2 AND revision < $3 ORDER BY revision DESC LIMIT $4",
                    params![id.0, format!("%\"{field}\":%"), below, left],
                )
                .await?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                let entry = entry(row)?;
                below = entry.revision;
                // The text may hold the words in another place.
                if entry.before.contains_key(*field) {
                    left -= 1;
                    if !entries.iter().any(|other| other.revision == entry.revision) {
                        entries.push(entry);
                    }
                }
            }
        }
    }
    entries.sort_by_key(|entry| entry.revision);
    Ok(entries)
}

/// The first change of `field` at `since` or later, other than the one that started
/// the experiment then; `None` where it was not changed since.
///
/// # Errors
/// When the database cannot be reached.
pub async fn first_change_since(
    tx: &mut dyn Tx,
    id: ExperimentId,
    field: &str,
    since: Instant,
) -> Result<Option<HistoryEntry>> {
    let mut above = 0;
    loop {
        let rows = tx
            .query(
                "SELECT revision, at, actor, action, before FROM experiment_history \
                 WHERE experiment_id = $1 AND before LIKE $2 AND revision > $3 AND at >= $4 \
                 ORDER BY revision LIMIT 10",
                params![id.0, format!("%\"{field}\":%"), above, since.us()],
            )
            .await?;
        if rows.is_empty() {
            return Ok(None);
        }
        for row in rows {
            let entry = entry(row)?;
            above = entry.revision;
            let starts = entry.at == since && entry.before.contains_key("status");
            if entry.before.contains_key(field) && !starts {
                return Ok(Some(entry));
            }
        }
    }
}

fn entry(mut row: Row) -> Result<HistoryEntry> {
    Ok(HistoryEntry {
        revision: row.int(0)?,
        at: Instant::from_us(row.int(1)?),
        actor: row.text(2)?,
        action: row.text(3)?,
        before: from_json(&row.text(4)?, "experiment_history", "before")?,
    })
}
