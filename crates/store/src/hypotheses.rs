//! The backlog: hypotheses of a project.

use crate::backlog::{Backlogs, Found};
use crate::codec::{fifty, id_places};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::hypothesis::{Content, Hypothesis, Rating};
use muriel_domain::ids::{ExperimentId, HypothesisId, ProjectId};
use muriel_sql::{Db, Row, Tx, Value, params};
use std::collections::HashMap;

macro_rules! columns {
    () => {
        "h.hypothesis_id, h.observation, h.problem, h.solution, h.confidence, h.importance, h.difficulty, h.link, \
         h.archived, h.created_at, h.updated_at, h.revision"
    };
}

fn read(mut row: Row) -> Result<Hypothesis> {
    let rating = |value: Option<i64>, column| {
        value
            .map(|value| {
                Rating::new(value).map_err(|_| Error::Damaged { table: "hypothesis", column, expected: "rating" })
            })
            .transpose()
    };
    Ok(Hypothesis {
        id: HypothesisId(row.int(0)?),
        content: Content {
            observation: row.opt_text(1)?,
            problem: row.opt_text(2)?,
            solution: row.opt_text(3)?,
            confidence: rating(row.opt_int(4)?, "confidence")?,
            importance: rating(row.opt_int(5)?, "importance")?,
            difficulty: rating(row.opt_int(6)?, "difficulty")?,
            link: row.opt_text(7)?,
        },
        archived: row.flag(8)?,
        created_at: Instant::from_us(row.int(9)?),
        updated_at: Instant::from_us(row.int(10)?),
        revision: row.int(11)?,
        experiments: Vec::new(),
    })
}

/// A page of a backlog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Newest update first, then highest id.
    pub hypotheses: Vec<Hypothesis>,
    /// How many match in all.
    pub total: i64,
}

/// The page of hypotheses whose texts contain `search`; all of them without.
/// Page and total come from one snapshot.
///
/// # Errors
/// When the database cannot be reached.
pub async fn page(
    db: &Db,
    backlogs: &Backlogs,
    project: ProjectId,
    search: Option<&str>,
    archived_too: bool,
    (limit, offset): (i64, i64),
) -> Result<Page> {
    match search.map(str::trim).filter(|text| !text.is_empty()) {
        None => {
            db.read(move |tx| Box::pin(async move { plain_page(tx, project, archived_too, (limit, offset)).await }))
                .await
        }
        Some(text) => {
            let window = (usize::try_from(limit).unwrap_or(0), usize::try_from(offset).unwrap_or(usize::MAX));
            backlogs.search(db, project, text, archived_too, window).await
        }
    }
}

async fn plain_page(
    tx: &mut dyn Tx,
    project: ProjectId,
    archived_too: bool,
    (limit, offset): (i64, i64),
) -> Result<Page> {
    let page = if archived_too {
        concat!(
            "SELECT ",
            columns!(),
            " FROM hypothesis h WHERE h.project_id = $1 ORDER BY h.updated_at DESC, h.hypothesis_id DESC LIMIT $2 \
             OFFSET $3"
        )
    } else {
        concat!(
            "SELECT ",
            columns!(),
            " FROM hypothesis h WHERE h.project_id = $1 AND h.archived = 0 \
             ORDER BY h.updated_at DESC, h.hypothesis_id DESC LIMIT $2 OFFSET $3"
        )
    };
    let counts =
        tx.query_one("SELECT hypotheses, archived FROM project WHERE project_id = $1", params![project.0]).await?;
    let total = if archived_too { counts.int(0)? } else { counts.int(0)? - counts.int(1)? };
    // Past the end there is nothing to look for.
    let hypotheses = if offset < total {
        let rows = tx.query(page, params![project.0, limit, offset]).await?;
        let mut hypotheses = rows.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        link(tx, &mut hypotheses).await?;
        hypotheses
    } else {
        Vec::new()
    };
    Ok(Page { hypotheses, total })
}

/// The hypotheses that a search found, in its order.
pub(crate) async fn found(tx: &mut dyn Tx, found: &Found) -> Result<Page> {
    let ids: Vec<i64> = found.ids.iter().map(|id| id.0).collect();
    let mut by_id = HashMap::with_capacity(ids.len());
    let mut left = &ids[..];
    while !left.is_empty() {
        let (places, later) = id_places(left);
        left = later;
        let statement = concat!("SELECT ", columns!(), " FROM hypothesis h WHERE h.hypothesis_id IN (", fifty!(), ")");
        for row in tx.query(statement, places).await? {
            let hypothesis = read(row)?;
            by_id.insert(hypothesis.id, hypothesis);
        }
    }
    let mut hypotheses: Vec<_> = found.ids.iter().filter_map(|id| by_id.remove(id)).collect();
    link(tx, &mut hypotheses).await?;
    Ok(Page { hypotheses, total: found.total })
}

/// Fills in the experiments run from each.
async fn link(tx: &mut dyn Tx, hypotheses: &mut [Hypothesis]) -> Result<()> {
    let ids: Vec<i64> = hypotheses.iter().map(|hypothesis| hypothesis.id.0).collect();
    let mut linked: HashMap<i64, Vec<ExperimentId>> = HashMap::new();
    let mut left = &ids[..];
    while !left.is_empty() {
        let (places, later) = id_places(left);
        left = later;
        let statement = concat!(
            "SELECT hypothesis_id, experiment_id FROM experiment WHERE deleted_at IS NULL AND hypothesis_id IN (",
            fifty!(),
            ") ORDER BY experiment_id"
        );
        for row in tx.query(statement, places).await? {
            linked.entry(row.int(0)?).or_default().push(ExperimentId(row.int(1)?));
        }
    }
    for hypothesis in hypotheses {
        hypothesis.experiments = linked.remove(&hypothesis.id.0).unwrap_or_default();
    }
    Ok(())
}

/// The project's hypothesis with this id.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: HypothesisId) -> Result<Option<Hypothesis>> {
    let row = tx
        .query_opt(
            concat!("SELECT ", columns!(), " FROM hypothesis h WHERE h.hypothesis_id = $1 AND h.project_id = $2"),
            params![id.0, project.0],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut one = [read(row)?];
    link(tx, &mut one).await?;
    Ok(one.into_iter().next())
}

/// Whether the project has a hypothesis with this id.
///
/// # Errors
/// When the database cannot be reached.
pub async fn exists(tx: &mut dyn Tx, project: ProjectId, id: HypothesisId) -> Result<bool> {
    let row = tx
        .query_opt("SELECT 1 FROM hypothesis WHERE hypothesis_id = $1 AND project_id = $2", params![id.0, project.0])
        .await?;
    Ok(row.is_some())
}

/// The next number of the project's backlog, which then has so many hypotheses
/// and archived ones more. Held until the transaction ends, so that numbers
/// become visible in their order.
async fn next_seq(tx: &mut dyn Tx, project: ProjectId, more: i64, more_archived: i64) -> Result<i64> {
    let row = tx
        .query_one(
            "UPDATE project SET backlog_seq = backlog_seq + 1, hypotheses = hypotheses + $2, archived = archived + $3 \
             WHERE project_id = $1 RETURNING backlog_seq",
            params![project.0, more, more_archived],
        )
        .await?;
    Ok(row.int(0)?)
}

/// Of a hypothesis's content, for the first seven parameters of a statement.
fn content_values(content: &Content) -> Vec<Value> {
    params![
        content.observation.clone(),
        content.problem.clone(),
        content.solution.clone(),
        content.confidence.map(Rating::value),
        content.importance.map(Rating::value),
        content.difficulty.map(Rating::value),
        content.link.clone(),
    ]
}

/// Stores a new hypothesis.
///
/// # Errors
/// When the database cannot be reached.
pub async fn insert(tx: &mut dyn Tx, project: ProjectId, content: &Content, now: Instant) -> Result<HypothesisId> {
    let seq = next_seq(tx, project, 1, 0).await?;
    let mut values = content_values(content);
    values.extend(params![project.0, now.us(), seq]);
    let row = tx
        .query_one(
            "INSERT INTO hypothesis (observation, problem, solution, confidence, importance, difficulty, link, \
             project_id, archived, created_at, updated_at, revision, seq) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $9, 1, $10) RETURNING hypothesis_id",
            values,
        )
        .await?;
    Ok(HypothesisId(row.int(0)?))
}

/// Stores a hypothesis's new content.
///
/// # Errors
/// When the database cannot be reached.
pub async fn update(
    tx: &mut dyn Tx,
    project: ProjectId,
    before: &Hypothesis,
    content: &Content,
    archived: bool,
    now: Instant,
) -> Result<()> {
    let seq = next_seq(tx, project, 0, i64::from(archived) - i64::from(before.archived)).await?;
    let mut values = content_values(content);
    values.extend(params![before.id.0, archived, now.us(), seq]);
    tx.execute(
        "UPDATE hypothesis SET observation = $1, problem = $2, solution = $3, confidence = $4, importance = $5, \
         difficulty = $6, link = $7, archived = $9, \
         updated_at = CASE WHEN updated_at > $10 THEN updated_at ELSE $10 END, revision = revision + 1, seq = $11 \
         WHERE hypothesis_id = $8",
        values,
    )
    .await?;
    Ok(())
}

/// Notes that the set of a hypothesis's experiments changed, which is an update
/// of it.
///
/// # Errors
/// When the database cannot be reached.
pub async fn touch(tx: &mut dyn Tx, project: ProjectId, id: HypothesisId, now: Instant) -> Result<()> {
    let seq = next_seq(tx, project, 0, 0).await?;
    tx.execute(
        "UPDATE hypothesis SET updated_at = CASE WHEN updated_at > $2 THEN updated_at ELSE $2 END, \
         revision = revision + 1, seq = $3 WHERE hypothesis_id = $1",
        params![id.0, now.us(), seq],
    )
    .await?;
    Ok(())
}
