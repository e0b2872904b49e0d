//! The backlog: hypotheses of a project.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::backlog::{Backlogs, SearchPage};
use crate::codec::{id_places, places};
use crate::table::{Field, Unreadable, table};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::hypothesis::{Content, Hypothesis, Rating};
use muriel_domain::ids::{ExperimentId, HypothesisId, ProjectId};
use muriel_sql::{Db, Row, Tx, Value, params};
use std::collections::HashMap;
use std::sync::LazyLock;

table! {
    /// A hypothesis without the experiments run from it. `updated_at` and `revision` change too, but by expressions in
    /// the statements.
    struct HypothesisRow of "hypothesis" {
        generated { hypothesis_id: i64 }
        key {}
        fixed {
            project_id: i64,
            created_at: Instant,
            updated_at: Instant,
            revision: i64,
        }
        changing {
            slug: String,
            observation: Option<String>,
            problem: Option<String>,
            solution: Option<String>,
            confidence: Option<Rating>,
            importance: Option<Rating>,
            difficulty: Option<Rating>,
            link: Option<String>,
            archived: bool,
            seq: i64,
        }
    }
}

impl HypothesisRow {
    /// Builds a row with this content and backlog number. The other columns have placeholders.
    fn of(content: &Content, slug: &str, archived: bool, seq: i64) -> Self {
        let content = content.clone();
        Self {
            hypothesis_id: 0,
            project_id: 0,
            created_at: Instant::from_us(0),
            updated_at: Instant::from_us(0),
            revision: 1,
            slug: slug.to_owned(),
            observation: content.observation,
            problem: content.problem,
            solution: content.solution,
            confidence: content.confidence,
            importance: content.importance,
            difficulty: content.difficulty,
            link: content.link,
            archived,
            seq,
        }
    }
}

impl Field for Rating {
    fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
        Rating::new(row.int(i)?).map_err(|_| Unreadable::Expected("a rating from 1 to 5"))
    }

    fn into_value(self) -> Value {
        self.value().into()
    }
}

fn read(mut row: Row) -> Result<Hypothesis> {
    let row = HypothesisRow::try_from(&mut row)?;
    Ok(Hypothesis {
        id: HypothesisId(row.hypothesis_id),
        slug: row.slug,
        content: Content {
            observation: row.observation,
            problem: row.problem,
            solution: row.solution,
            confidence: row.confidence,
            importance: row.importance,
            difficulty: row.difficulty,
            link: row.link,
        },
        archived: row.archived,
        created_at: row.created_at,
        updated_at: row.updated_at,
        revision: row.revision,
        experiments: Vec::new(),
    })
}

/// A statement that selects hypotheses, as `h`.
fn select(rest: &str) -> String {
    format!("SELECT {} FROM hypothesis h {rest}", HypothesisRow::columns("h"))
}

/// A page of a backlog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Newest update first, then highest id.
    pub hypotheses: Vec<Hypothesis>,
    /// Number of all matches.
    pub total: i64,
}

/// The page of hypotheses whose texts contain `search`; of all hypotheses without `search`. Page and total come from
/// one snapshot.
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
            search_page(db, backlogs, project, text, archived_too, window).await
        }
    }
}

async fn plain_page(
    tx: &mut dyn Tx,
    project: ProjectId,
    archived_too: bool,
    (limit, offset): (i64, i64),
) -> Result<Page> {
    static ALL: LazyLock<String> = LazyLock::new(|| {
        select("WHERE h.project_id = $1 ORDER BY h.updated_at DESC, h.hypothesis_id DESC LIMIT $2 OFFSET $3")
    });
    static OPEN: LazyLock<String> = LazyLock::new(|| {
        select(
            "WHERE h.project_id = $1 AND h.archived = 0 \
             ORDER BY h.updated_at DESC, h.hypothesis_id DESC LIMIT $2 OFFSET $3",
        )
    });
    let page = if archived_too { &ALL } else { &OPEN };
    let counts =
        tx.query_one("SELECT hypotheses, archived FROM project WHERE project_id = $1", params![project.0]).await?;
    let total = match archived_too {
        true => counts.int("hypotheses")?,
        false => counts.int("hypotheses")? - counts.int("archived")?,
    };
    // Past the end the page is empty, so no query is needed.
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

/// The page of hypotheses whose texts contain `text`, `window` being its limit and offset.
async fn search_page(
    db: &Db,
    backlogs: &Backlogs,
    project: ProjectId,
    text: &str,
    archived_too: bool,
    window: (usize, usize),
) -> Result<Page> {
    let text = text.to_owned();
    let mut backlog = backlogs.lock(project).await;
    let (page, bytes) = db
        .read::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let matches = backlog.search(tx, &text, archived_too, window).await?;
                Ok((found(tx, &matches).await?, backlog.bytes()))
            })
        })
        .await?;
    backlogs.leave(project, bytes);
    Ok(page)
}

/// The hypotheses that a search found, in its order.
async fn found(tx: &mut dyn Tx, found: &SearchPage) -> Result<Page> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select(&format!("WHERE h.hypothesis_id IN ({})", places())));
    let ids: Vec<i64> = found.ids.iter().map(|id| id.0).collect();
    let mut by_id = HashMap::with_capacity(ids.len());
    let mut left = &ids[..];
    while !left.is_empty() {
        let (values, later) = id_places(left);
        left = later;
        for row in tx.query(&STATEMENT, values).await? {
            let hypothesis = read(row)?;
            by_id.insert(hypothesis.id, hypothesis);
        }
    }
    let mut hypotheses: Vec<_> = found.ids.iter().filter_map(|id| by_id.remove(id)).collect();
    link(tx, &mut hypotheses).await?;
    Ok(Page { hypotheses, total: found.total })
}

/// Fills in the experiments run from each hypothesis.
async fn link(tx: &mut dyn Tx, hypotheses: &mut [Hypothesis]) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT hypothesis_id, experiment_id FROM experiment \
             WHERE deleted_at IS NULL AND hypothesis_id IN ({}) ORDER BY experiment_id",
            places(),
        )
    });
    let ids: Vec<i64> = hypotheses.iter().map(|hypothesis| hypothesis.id.0).collect();
    let mut linked: HashMap<i64, Vec<ExperimentId>> = HashMap::new();
    let mut left = &ids[..];
    while !left.is_empty() {
        let (values, later) = id_places(left);
        left = later;
        for row in tx.query(&STATEMENT, values).await? {
            linked.entry(row.int("hypothesis_id")?).or_default().push(ExperimentId(row.int("experiment_id")?));
        }
    }
    for hypothesis in hypotheses {
        hypothesis.experiments = linked.remove(&hypothesis.id.0).unwrap_or_default();
    }
    Ok(())
}

/// The project's hypothesis with this id.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: HypothesisId) -> Result<Option<Hypothesis>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("WHERE h.hypothesis_id = $1 AND h.project_id = $2"));
    let row = tx.query_opt(&STATEMENT, params![id.0, project.0]).await?;
    let Some(row) = row else { return Ok(None) };
    let mut one = [read(row)?];
    link(tx, &mut one).await?;
    Ok(one.into_iter().next())
}

/// Returns whether the project has a hypothesis with this id.
pub async fn exists(tx: &mut dyn Tx, project: ProjectId, id: HypothesisId) -> Result<bool> {
    let row = tx
        .query_opt("SELECT 1 FROM hypothesis WHERE hypothesis_id = $1 AND project_id = $2", params![id.0, project.0])
        .await?;
    Ok(row.is_some())
}

/// Returns whether a hypothesis of the project has this slug.
pub async fn slug_is_taken(tx: &mut dyn Tx, project: ProjectId, slug: &str) -> Result<bool> {
    let row =
        tx.query_opt("SELECT 1 FROM hypothesis WHERE project_id = $1 AND slug = $2", params![project.0, slug]).await?;
    Ok(row.is_some())
}

/// Ids and slugs of the project's hypotheses, archived ones too, whose id is greater than `after`: `limit` at most, lowest
/// id first.
pub async fn slugs(
    tx: &mut dyn Tx,
    project: ProjectId,
    after: HypothesisId,
    limit: i64,
) -> Result<Vec<(HypothesisId, String)>> {
    let rows = tx
        .query(
            "SELECT hypothesis_id, slug FROM hypothesis WHERE project_id = $1 AND hypothesis_id > $2 \
             ORDER BY hypothesis_id LIMIT $3",
            params![project.0, after.0, limit],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((HypothesisId(row.int("hypothesis_id")?), row.text("slug")?))).collect()
}

/// Takes the next number of the project's backlog and adds `more` and `more_archived` to its counts. The project's row
/// is locked until the transaction ends, so that numbers become visible in their order.
async fn next_seq(tx: &mut dyn Tx, project: ProjectId, more: i64, more_archived: i64) -> Result<i64> {
    let row = tx
        .query_one(
            "UPDATE project SET backlog_seq = backlog_seq + 1, hypotheses = hypotheses + $2, archived = archived + $3 \
             WHERE project_id = $1 RETURNING backlog_seq",
            params![project.0, more, more_archived],
        )
        .await?;
    Ok(row.int("backlog_seq")?)
}

/// Stores a new hypothesis under a slug that is free.
pub async fn insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    slug: &str,
    content: &Content,
    archived: bool,
    now: Instant,
) -> Result<HypothesisId> {
    let seq = next_seq(tx, project, 1, i64::from(archived)).await?;
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("{} RETURNING hypothesis_id", HypothesisRow::insert_sql()));
    let row = HypothesisRow {
        project_id: project.0,
        created_at: now,
        updated_at: now,
        ..HypothesisRow::of(content, slug, archived, seq)
    };
    let row = tx.query_one(&STATEMENT, row.insert_values()).await?;
    Ok(HypothesisId(row.int("hypothesis_id")?))
}

/// Stores a hypothesis's new slug, content and whether it is archived.
pub async fn update(
    tx: &mut dyn Tx,
    project: ProjectId,
    before: &Hypothesis,
    after: &Hypothesis,
    now: Instant,
) -> Result<()> {
    let seq = next_seq(tx, project, 0, i64::from(after.archived) - i64::from(before.archived)).await?;
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let (set, next) = (HypothesisRow::assignments(), HypothesisRow::next_place());
        format!(
            "UPDATE hypothesis SET {set}, \
             updated_at = CASE WHEN updated_at > ${next} THEN updated_at ELSE ${next} END, revision = revision + 1 \
             WHERE hypothesis_id = ${id}",
            id = next + 1,
        )
    });
    let mut values = HypothesisRow::of(&after.content, &after.slug, after.archived, seq).changing_values();
    values.extend(params![now.us(), before.id.0]);
    tx.execute(&STATEMENT, values).await?;
    Ok(())
}

/// Counts an update of a hypothesis whose set of experiments changed.
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
