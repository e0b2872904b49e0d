//! Data of one visitor in responses.

use muriel_domain::Instant;
use muriel_service::visitor_data::VisitorPage;
use muriel_store::visitor_jobs::{NodeJob, VisitorJob};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A page of a visitor's events.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisitorEvents {
    /// Always true.
    success: bool,
    /// Number of entries in `events`.
    #[schema(minimum = 0, maximum = 1_000)]
    count: usize,
    /// Events as stored, in the order of receipt.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Value>,
    /// Value to send as `cursor` for the next page; null at the end of the log. A page can have fewer events than
    /// requested, or none, and not be the last.
    #[schema(required, example = "1204-17")]
    cursor: Option<String>,
    /// Number of damaged blocks that were skipped. Events of the visitor in them are missing.
    #[schema(minimum = 0)]
    damaged_blocks: u64,
    /// Number of other servers on the same database that run or that have received events. Request the visitor's events
    /// from each of them.
    #[schema(minimum = 0)]
    other_nodes: usize,
}

impl From<VisitorPage> for VisitorEvents {
    fn from(page: VisitorPage) -> Self {
        Self {
            success: true,
            count: page.events.len(),
            events: page.events,
            cursor: page.next.map(|cursor| cursor.to_string()),
            damaged_blocks: page.damaged_blocks,
            other_nodes: page.other_nodes,
        }
    }
}

/// A deletion of a visitor's data.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisitorJobAnswer {
    /// Always true.
    success: bool,
    /// Identifies the deletion.
    #[schema(minimum = 1)]
    visitor_job_id: i64,
    /// `pending`: the event log of some node may still have events of the visitor. `compacting`: they are removed from
    /// all logs and results, but some bytes remain in a file until it is rebuilt. `done`: nothing is left.
    #[schema(value_type = VisitorJobStatus, example = "done")]
    status: &'static str,
    /// Time of the request.
    #[schema(value_type = String, format = DateTime)]
    requested_at: Instant,
    /// Requester: the id of an API key, the name of a person, or `command line`.
    #[schema(example = "3fK2aQ9z")]
    requested_by: String,
    /// Number of events deleted so far.
    #[schema(minimum = 0)]
    events: i64,
    /// Number of damaged blocks in event logs, which may contain events of the visitor.
    #[schema(minimum = 0)]
    damaged_blocks: i64,
    /// Time of completion; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    finished_at: Option<Instant>,
    /// Progress of each node. Empty when no node has an event log.
    nodes: Vec<VisitorJobNode>,
}

/// Status of a deletion.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "for the contract only")]
pub(crate) enum VisitorJobStatus {
    Pending,
    Compacting,
    Done,
}

/// Progress of a deletion on a node.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisitorJobNode {
    /// Id of the node, as in `muriel node list`; `local` on SQLite.
    #[schema(example = "local")]
    node: String,
    /// Status on this node, with the same words as for the whole deletion.
    #[schema(value_type = VisitorJobStatus, example = "done")]
    status: &'static str,
    /// Percent of its event log that was read in the current attempt.
    #[schema(minimum = 0, maximum = 100)]
    percent: i64,
    /// Number of attempts.
    #[schema(minimum = 0)]
    attempts: i64,
    /// Reason why the last attempt failed; it is retried. Null if it did not fail.
    #[schema(required, example = "the event log cannot be read")]
    reason: Option<String>,
    /// Number of events that it deleted.
    #[schema(minimum = 0)]
    events: i64,
    /// Number of damaged blocks in its event log.
    #[schema(minimum = 0)]
    damaged_blocks: i64,
    /// Last block of its event log that was examined. Events in later blocks arrived after the deletion and are kept.
    /// Null until then.
    #[schema(required, minimum = 0)]
    examined_block: Option<i64>,
    /// Time of completion; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    finished_at: Option<Instant>,
}

impl From<VisitorJob> for VisitorJobAnswer {
    fn from(job: VisitorJob) -> Self {
        let finished = job.nodes.iter().map(|node| node.finished_at).collect::<Option<Vec<_>>>();
        Self {
            success: true,
            visitor_job_id: job.id.0,
            status: job.state().word(),
            requested_at: job.requested_at,
            events: job.nodes.iter().map(|node| node.events).sum(),
            damaged_blocks: job.nodes.iter().map(|node| node.damaged_blocks).sum(),
            finished_at: finished.map(|finished| finished.into_iter().max().unwrap_or(job.requested_at)),
            requested_by: job.requested_by,
            nodes: job.nodes.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<NodeJob> for VisitorJobNode {
    fn from(node: NodeJob) -> Self {
        Self {
            node: node.node_id,
            status: node.state.word(),
            percent: node.percent,
            attempts: node.attempts,
            reason: node.error,
            events: node.events,
            damaged_blocks: node.damaged_blocks,
            examined_block: node.examined_block,
            finished_at: node.finished_at,
        }
    }
}
