//! Deletions of one visitor's data: the requests, and the progress of each node.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::ids::{ProjectId, VisitorJobId};
use muriel_sql::{Dialect, Row, Tx, params};

/// Node id for a SQLite database, which only one server uses.
pub const ONLY_NODE: &str = "local";
/// Maximum number of deletions that wait, counted for each node.
pub const PENDING_MAX: i64 = 10_000;

/// Progress of a node with a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorJobState {
    /// The node has not examined all of its log.
    Pending,
    /// The events are out of the log and of results. Bytes of them remain in the warehouse's file until it is rebuilt.
    Compacting,
    /// Nothing of the visitor is left.
    Done,
}

impl VisitorJobState {
    /// Words of the states.
    pub const WORDS: [(&'static str, VisitorJobState); 3] = [
        ("pending", VisitorJobState::Pending),
        ("compacting", VisitorJobState::Compacting),
        ("done", VisitorJobState::Done),
    ];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        match self {
            VisitorJobState::Pending => "pending",
            VisitorJobState::Compacting => "compacting",
            VisitorJobState::Done => "done",
        }
    }
}

/// A deletion of a visitor's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitorJob {
    /// Deletion id.
    pub id: VisitorJobId,
    /// Time of the request.
    pub requested_at: Instant,
    /// Actor who requested it.
    pub requested_by: String,
    /// Progress of each node, in the order of their ids. Empty when no node had events.
    pub nodes: Vec<NodeJob>,
}

impl VisitorJob {
    /// State of the node that has most left to do.
    pub fn state(&self) -> VisitorJobState {
        let is = |state| self.nodes.iter().any(|node| node.state == state);
        match () {
            () if is(VisitorJobState::Pending) => VisitorJobState::Pending,
            () if is(VisitorJobState::Compacting) => VisitorJobState::Compacting,
            () => VisitorJobState::Done,
        }
    }
}

/// Progress of a node with a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeJob {
    /// Node id.
    pub node_id: String,
    /// State of the deletion on the node.
    pub state: VisitorJobState,
    /// Percentage of the log that the current attempt has read.
    pub percent: i64,
    /// Number of attempts that were begun.
    pub attempts: i64,
    /// Reason why the last attempt failed.
    pub error: Option<String>,
    /// Number of deleted events.
    pub events: i64,
    /// Number of damaged blocks, which could not be examined.
    pub damaged_blocks: i64,
    /// Last block that was examined: events after it stay.
    pub examined_block: Option<i64>,
    /// Time at which it was done.
    pub finished_at: Option<Instant>,
}

/// True for a new deletion, false for one that was stored before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsNew(pub bool);

/// A deletion that a node has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingJob {
    /// Deletion id.
    pub id: VisitorJobId,
    /// Key of the project.
    pub project_key: String,
    /// HMAC that stands for the visitor.
    pub visitor_mark: [u8; 32],
    /// Id of the deletion in the log's records.
    pub log_job: String,
}

/// Stores a deletion for every node that has a log. `own` is the node that received the request, which may not be
/// registered yet. Returns the id of the deletion, or of an equal one that no node has begun. `None` when too many
/// deletions wait.
pub async fn insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    mark: [u8; 32],
    log_job: &str,
    requested: (Instant, &str),
    own: Option<&str>,
) -> Result<Option<(VisitorJobId, IsNew)>> {
    let waiting = tx
        .query_opt(
            "SELECT j.visitor_job_id FROM visitor_job j WHERE j.project_id = $1 AND j.visitor_mark = $2 AND EXISTS \
               (SELECT 1 FROM visitor_job_node n WHERE n.visitor_job_id = j.visitor_job_id) AND NOT EXISTS \
               (SELECT 1 FROM visitor_job_node n WHERE n.visitor_job_id = j.visitor_job_id \
                  AND (n.state <> 'pending' OR n.attempts > 0)) \
             ORDER BY j.visitor_job_id LIMIT 1",
            params![project.0, mark.to_vec()],
        )
        .await?;
    if let Some(row) = waiting {
        return Ok(Some((VisitorJobId(row.int("visitor_job_id")?), IsNew(false))));
    }
    let pending =
        tx.query_one("SELECT count(*) AS number FROM visitor_job_node WHERE state = 'pending'", params![]).await?;
    if pending.int("number")? >= PENDING_MAX {
        return Ok(None);
    }
    let stored = tx
        .query_one(
            "INSERT INTO visitor_job (project_id, visitor_mark, log_job, requested_at, requested_by) \
             VALUES ($1, $2, $3, $4, $5) RETURNING visitor_job_id",
            params![project.0, mark.to_vec(), log_job, requested.0.us(), requested.1],
        )
        .await?;
    let id = stored.int("visitor_job_id")?;
    let nodes = match tx.dialect() {
        Dialect::Sqlite => vec![ONLY_NODE.to_owned()],
        Dialect::Postgres => {
            let nodes = tx.query("SELECT node_id FROM node ORDER BY node_id", params![]).await?;
            let nodes = nodes.into_iter().map(|mut row| Ok(row.text("node_id")?)).collect::<Result<Vec<_>>>()?;
            let own = own.filter(|own| !nodes.iter().any(|node| node == own)).map(str::to_owned);
            nodes.into_iter().chain(own).collect()
        }
    };
    for node in nodes {
        tx.execute(
            "INSERT INTO visitor_job_node (visitor_job_id, node_id, state, percent, attempts, events, damaged_blocks) \
             VALUES ($1, $2, 'pending', 0, 0, 0, 0)",
            params![id, node],
        )
        .await?;
    }
    Ok(Some((VisitorJobId(id), IsNew(true))))
}

/// A deletion of the project.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: VisitorJobId) -> Result<Option<VisitorJob>> {
    let sql = "SELECT visitor_job_id, requested_at, requested_by FROM visitor_job WHERE project_id = $1 AND visitor_job_id = $2";
    match tx.query_opt(sql, params![project.0, id.0]).await? {
        Some(row) => Ok(Some(job(tx, row).await?)),
        None => Ok(None),
    }
}

/// The deletions of the project, newest first, at most `limit`.
pub async fn list(tx: &mut dyn Tx, project: ProjectId, limit: i64) -> Result<Vec<VisitorJob>> {
    let sql = "SELECT visitor_job_id, requested_at, requested_by FROM visitor_job WHERE project_id = $1 \
               ORDER BY visitor_job_id DESC LIMIT $2";
    let rows = tx.query(sql, params![project.0, limit]).await?;
    let mut jobs = Vec::with_capacity(rows.len());
    for row in rows {
        jobs.push(job(tx, row).await?);
    }
    Ok(jobs)
}

async fn job(tx: &mut dyn Tx, mut row: Row) -> Result<VisitorJob> {
    let id = row.int("visitor_job_id")?;
    let nodes = tx
        .query(
            "SELECT node_id, state, percent, attempts, error, events, damaged_blocks, examined_block, finished_at \
             FROM visitor_job_node WHERE visitor_job_id = $1 ORDER BY node_id",
            params![id],
        )
        .await?;
    Ok(VisitorJob {
        id: VisitorJobId(id),
        requested_at: Instant::from_us(row.int("requested_at")?),
        requested_by: row.text("requested_by")?,
        nodes: nodes.into_iter().map(|row| node_job(id, row)).collect::<Result<_>>()?,
    })
}

fn node_job(id: i64, mut row: Row) -> Result<NodeJob> {
    let (node_id, word) = (row.text("node_id")?, row.text("state")?);
    let state = VisitorJobState::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, state)| state);
    let state = state.ok_or_else(|| Error::Damaged {
        table: "visitor_job_node",
        row: format!("{id}, {node_id}"),
        column: "state",
        expected: "a known word",
    })?;
    Ok(NodeJob {
        node_id,
        state,
        percent: row.int("percent")?,
        attempts: row.int("attempts")?,
        error: row.opt_text("error")?,
        events: row.int("events")?,
        damaged_blocks: row.int("damaged_blocks")?,
        examined_block: row.opt_int("examined_block")?,
        finished_at: row.opt_int("finished_at")?.map(Instant::from_us),
    })
}

/// The deletions that a node has in this state, oldest first, at most `limit`.
pub async fn of_node(tx: &mut dyn Tx, node: &str, state: VisitorJobState, limit: i64) -> Result<Vec<PendingJob>> {
    let rows = tx
        .query(
            "SELECT j.visitor_job_id, p.project_key, j.visitor_mark, j.log_job \
             FROM visitor_job_node n JOIN visitor_job j ON j.visitor_job_id = n.visitor_job_id \
               JOIN project p ON p.project_id = j.project_id \
             WHERE n.node_id = $1 AND n.state = $2 ORDER BY j.visitor_job_id LIMIT $3",
            params![node, state.word(), limit],
        )
        .await?;
    let pending = rows.into_iter().map(|mut row| {
        let id = row.int("visitor_job_id")?;
        let visitor_mark = row.blob("visitor_mark")?.try_into().map_err(|_| Error::Damaged {
            table: "visitor_job",
            row: id.to_string(),
            column: "visitor_mark",
            expected: "32 bytes",
        })?;
        let (project_key, log_job) = (row.text("project_key")?, row.text("log_job")?);
        Ok(PendingJob { id: VisitorJobId(id), project_key, visitor_mark, log_job })
    });
    pending.collect()
}

/// Counts an attempt of a node, which starts at 0 percent.
pub async fn begin(tx: &mut dyn Tx, id: VisitorJobId, node: &str) -> Result<()> {
    tx.execute(
        "UPDATE visitor_job_node SET attempts = attempts + 1, percent = 0 WHERE visitor_job_id = $1 AND node_id = $2",
        params![id.0, node],
    )
    .await?;
    Ok(())
}

/// Stores the percentage of the log that a node has read for all deletions that it has begun.
pub async fn progress(tx: &mut dyn Tx, node: &str, percent: i64) -> Result<()> {
    tx.execute(
        "UPDATE visitor_job_node SET percent = $2 WHERE node_id = $1 AND state = 'pending' AND attempts > 0",
        params![node, percent],
    )
    .await?;
    Ok(())
}

/// Stores why an attempt failed.
pub async fn failed(tx: &mut dyn Tx, id: VisitorJobId, node: &str, error: &str) -> Result<()> {
    tx.execute(
        "UPDATE visitor_job_node SET error = $3 WHERE visitor_job_id = $1 AND node_id = $2",
        params![id.0, node, error],
    )
    .await?;
    Ok(())
}

/// Result of a node's examination of its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Examined {
    /// Last block that was examined.
    pub block: i64,
    /// Number of deleted events, including earlier attempts.
    pub events: i64,
    /// Number of damaged blocks, which could not be examined.
    pub damaged_blocks: i64,
}

/// Records that a node's log has no events of the visitor any more.
pub async fn examined(tx: &mut dyn Tx, id: VisitorJobId, node: &str, found: Examined) -> Result<()> {
    tx.execute(
        "UPDATE visitor_job_node SET state = 'compacting', percent = 100, error = NULL, events = $3, \
           damaged_blocks = $4, examined_block = $5 \
         WHERE visitor_job_id = $1 AND node_id = $2 AND state = 'pending'",
        params![id.0, node, found.events, found.damaged_blocks, found.block],
    )
    .await?;
    Ok(())
}

/// A deletion that a node has done in its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExaminedJob {
    /// Deletion id.
    pub id: VisitorJobId,
    /// Id of the deletion in the log's records.
    pub log_job: String,
    /// Last block that was examined.
    pub examined_block: i64,
}

/// The deletions that removed events from a node's log.
pub async fn with_events(tx: &mut dyn Tx, node: &str) -> Result<Vec<ExaminedJob>> {
    let rows = tx
        .query(
            "SELECT j.visitor_job_id, j.log_job, n.examined_block \
             FROM visitor_job_node n JOIN visitor_job j ON j.visitor_job_id = n.visitor_job_id \
             WHERE n.node_id = $1 AND n.state <> 'pending' AND n.events > 0 ORDER BY j.visitor_job_id",
            params![node],
        )
        .await?;
    let jobs = rows.into_iter().map(|mut row| {
        Ok(ExaminedJob {
            id: VisitorJobId(row.int("visitor_job_id")?),
            log_job: row.text("log_job")?,
            examined_block: row.opt_int("examined_block")?.unwrap_or(0),
        })
    });
    jobs.collect()
}

/// Makes a node repeat a deletion.
pub async fn repeat(tx: &mut dyn Tx, id: VisitorJobId, node: &str) -> Result<()> {
    tx.execute(
        "UPDATE visitor_job_node SET state = 'pending', percent = 0, finished_at = NULL \
         WHERE visitor_job_id = $1 AND node_id = $2",
        params![id.0, node],
    )
    .await?;
    Ok(())
}

/// Marks deletions as done on a node: nothing of their visitors is left there.
pub async fn finish(tx: &mut dyn Tx, ids: &[VisitorJobId], node: &str, now: Instant) -> Result<()> {
    for id in ids {
        tx.execute(
            "UPDATE visitor_job_node SET state = 'done', error = NULL, finished_at = $3 \
             WHERE visitor_job_id = $1 AND node_id = $2 AND state = 'compacting'",
            params![id.0, node, now.us()],
        )
        .await?;
    }
    Ok(())
}
