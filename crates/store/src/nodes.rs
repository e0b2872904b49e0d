//! Nodes: the servers that share one database. Each has its own event log, so the results of one node lack the events
//! of the others.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::{Error, MIGRATIONS, NODE_LOCK, Result};
use muriel_domain::Instant;
use muriel_sql::{Db, Lock, LockName, Row, Tx, params};

/// Version of the migration that creates the table of nodes.
const NODE_MIGRATION: i64 = 4;

/// Maximum number of stored nodes. The ones seen longest ago are removed first.
pub const NODES_MAX: i64 = 1_000;
/// Time for which a stopped node without events stays stored: one day, in microseconds.
const EMPTY_KEPT_US: i64 = 86_400_000_000;

/// Largest step back of the database's clock, in microseconds, after which leases still count. Where a node was seen
/// later than that from now, the clock has jumped, and its lease is ignored: a node that runs is seen again within
/// seconds.
const CLOCK_STEP_US: i64 = 60_000_000;

/// SQL condition that a node's lease has not ended.
fn is_live(now: &str) -> String {
    format!("(leased_until > {now} AND seen_at <= {now} + {CLOCK_STEP_US})")
}

/// SQL for the number of a node's blocks, which never decreases: a node that was just started, or whose log cannot be
/// opened, does not know of the blocks that it wrote before, and the results of other nodes still lack them.
fn most_blocks(counted: &str) -> String {
    format!("CASE WHEN {counted} > node.blocks THEN {counted} ELSE node.blocks END")
}

/// A server that uses the database, or did. Times are those of the database's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Node id, stored in its data directory.
    pub id: String,
    /// Id of its current or last run.
    pub session: String,
    /// Name of the machine.
    pub host: String,
    /// Data directory on that machine.
    pub data_dir: String,
    /// Number of blocks of its event log; 0 until it receives an event.
    pub blocks: i64,
    /// Time of the first start.
    pub started_at: Instant,
    /// Time of the last sign of life.
    pub seen_at: Instant,
    /// True until its lease ends.
    pub is_live: bool,
}

/// Description that a node registers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNode {
    /// Node id, stored in its data directory.
    pub id: String,
    /// Random id of this run.
    pub session: String,
    /// Name of the machine.
    pub host: String,
    /// Data directory on that machine.
    pub data_dir: String,
    /// Number of blocks of its event log.
    pub blocks: i64,
}

/// Registers a node with a lease of `lease_us` microseconds, unless other nodes run and `insist` is false. An earlier
/// run of the same node is replaced at once. Returns the other nodes that run.
pub async fn register(tx: &mut dyn Tx, node: &NewNode, lease_us: i64, insist: bool) -> Result<Vec<Node>> {
    // Of two nodes that start at the same time, one waits here and then sees the other.
    tx.lock(Lock::Exclusive(LockName { kind: NODE_LOCK, id: 0 })).await?;
    let mut others = others(tx, &node.id).await?;
    others.retain(|other| other.is_live);
    if !others.is_empty() && !insist {
        return Ok(others);
    }
    let now = tx.dialect().now_us();
    let sql = format!(
        "INSERT INTO node (node_id, session, host, data_dir, blocks, started_at, seen_at, leased_until) \
         VALUES ($1, $2, $3, $4, $5, {now}, {now}, {now} + $6) \
         ON CONFLICT (node_id) DO UPDATE SET session = excluded.session, host = excluded.host, \
           data_dir = excluded.data_dir, blocks = {blocks}, seen_at = excluded.seen_at, \
           leased_until = excluded.leased_until",
        blocks = most_blocks("excluded.blocks")
    );
    let NewNode { id, session, host, data_dir, blocks } = node.clone();
    tx.execute(&sql, params![id, session, host, data_dir, blocks, lease_us]).await?;
    let sql = format!("DELETE FROM node WHERE blocks = 0 AND leased_until < {now} - $1");
    tx.execute(&sql, params![EMPTY_KEPT_US]).await?;
    let sql = format!(
        "DELETE FROM node WHERE NOT {live} AND node_id IN \
           (SELECT node_id FROM node ORDER BY seen_at DESC, node_id LIMIT 1000000 OFFSET $1)",
        live = is_live(now)
    );
    tx.execute(&sql, params![NODES_MAX]).await?;
    Ok(others)
}

/// Result of renewing a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// The lease was extended.
    Renewed {
        /// Largest number of blocks that the node has had, including earlier runs.
        most_blocks: i64,
    },
    /// The node is not registered: it was removed.
    Unknown,
    /// Another run has taken the node's place.
    Replaced,
}

/// Renews the lease of a run.
pub async fn renew(tx: &mut dyn Tx, id: &str, session: &str, blocks: i64, lease_us: i64) -> Result<Renewal> {
    let now = tx.dialect().now_us();
    let sql = format!(
        "UPDATE node SET blocks = {blocks}, seen_at = {now}, leased_until = {now} + $4 \
         WHERE node_id = $1 AND session = $2 RETURNING blocks",
        blocks = most_blocks("$3")
    );
    if let Some(row) = tx.query_opt(&sql, params![id, session, blocks, lease_us]).await? {
        return Ok(Renewal::Renewed { most_blocks: row.int("blocks")? });
    }
    let known = tx.query_opt("SELECT 1 FROM node WHERE node_id = $1", params![id]).await?;
    Ok(if known.is_some() { Renewal::Replaced } else { Renewal::Unknown })
}

/// Ends the lease of a run, so that another node may start at once.
pub async fn leave(tx: &mut dyn Tx, id: &str, session: &str, blocks: i64) -> Result<()> {
    let now = tx.dialect().now_us();
    let sql = format!(
        "UPDATE node SET blocks = {blocks}, seen_at = {now}, leased_until = {now} WHERE node_id = $1 AND session = $2",
        blocks = most_blocks("$3")
    );
    tx.execute(&sql, params![id, session, blocks]).await?;
    Ok(())
}

/// The other nodes that run on a database whose schema is older than this program's. Empty when no migration is
/// pending, and when the schema is too old to have the table of nodes. Changes nothing: a node that will be refused
/// must not migrate the schema while others run on it.
///
/// # Errors
/// A database newer than this program, or one that cannot be reached.
pub async fn running_before_migration(db: &Db, own: &str) -> Result<Vec<Node>> {
    let pending = db.pending_migrations(MIGRATIONS).await?;
    if pending.first().is_none_or(|first| first.version <= NODE_MIGRATION) {
        return Ok(Vec::new());
    }
    let own = own.to_owned();
    let mut nodes = db.read::<_, Error, _>(move |tx| Box::pin(async move { others(tx, &own).await })).await?;
    nodes.retain(|node| node.is_live);
    Ok(nodes)
}

/// All other nodes, the one seen last first.
///
/// [`running_before_migration`] also uses this with older schemas, so it reads only columns that the table has had
/// since its creation.
pub async fn others(tx: &mut dyn Tx, own: &str) -> Result<Vec<Node>> {
    let now = tx.dialect().now_us();
    let sql = format!(
        "SELECT node_id, session, host, data_dir, blocks, started_at, seen_at, \
                CASE WHEN {live} THEN 1 ELSE 0 END AS is_live \
         FROM node WHERE node_id <> $1 ORDER BY seen_at DESC, node_id LIMIT $2",
        live = is_live(now)
    );
    tx.query(&sql, params![own, NODES_MAX]).await?.into_iter().map(Node::try_from).collect()
}

/// Removes a node that does not run. Returns false when there is none with this id.
pub async fn forget(tx: &mut dyn Tx, id: &str) -> Result<bool> {
    let now = tx.dialect().now_us();
    let sql = format!("DELETE FROM node WHERE node_id = $1 AND NOT {live}", live = is_live(now));
    let is_forgotten = tx.execute(&sql, params![id]).await? > 0;
    if is_forgotten {
        // No other node can do these deletions.
        tx.execute("DELETE FROM visitor_job_node WHERE node_id = $1 AND state <> 'done'", params![id]).await?;
    }
    Ok(is_forgotten)
}

impl TryFrom<Row> for Node {
    type Error = Error;

    fn try_from(mut row: Row) -> Result<Self> {
        Ok(Self {
            id: row.text("node_id")?,
            session: row.text("session")?,
            host: row.text("host")?,
            data_dir: row.text("data_dir")?,
            blocks: row.int("blocks")?,
            started_at: Instant::from_us(row.int("started_at")?),
            seen_at: Instant::from_us(row.int("seen_at")?),
            is_live: row.int("is_live")? == 1,
        })
    }
}
