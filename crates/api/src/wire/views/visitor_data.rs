//! The data of one visitor in answers.

use muriel_domain::Instant;
use muriel_service::visitor_data::VisitorPage;
use muriel_store::visitor_jobs::{NodeJob, VisitorJob};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A part of the events of a visitor.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisitorEvents {
    /// Always true.
    success: bool,
    /// How many events are in `events`.
    #[schema(minimum = 0, maximum = 1_000)]
    count: usize,
    /// The events as they are stored, in the order in which they were received.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Value>,
    /// Where the next part begins, as the parameter `cursor`; null at the end of the log. A part may have fewer events than
    /// asked for, or none, and not be the last.
    #[schema(required, example = "1204-17")]
    cursor: Option<String>,
    /// Damaged blocks that were passed: what they had of the visitor is missing.
    #[schema(minimum = 0)]
    damaged_blocks: u64,
    /// Other servers on the same database that run, or that took events: what they have of the visitor is in their own
    /// answers.
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
    /// `pending`: some node's event log may still have events of the visitor. `compacting`: they are out of all logs and
    /// results; bytes of them remain in a file until it is rebuilt. `done`: nothing is left.
    #[schema(value_type = VisitorJobStatus, example = "done")]
    status: &'static str,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    requested_at: Instant,
    /// Who asked for it: the id of an API key, the name of a person, or `command line`.
    #[schema(example = "3fK2aQ9z")]
    requested_by: String,
    /// Events that were deleted so far.
    #[schema(minimum = 0)]
    events: i64,
    /// Blocks of event logs that are damaged, so that nobody knows whether they have events of the visitor.
    #[schema(minimum = 0)]
    damaged_blocks: i64,
    /// When nothing was left; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    finished_at: Option<Instant>,
    /// How far each node is. Empty when no node has an event log.
    nodes: Vec<VisitorJobNode>,
}

/// How far a deletion is.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "for the contract only")]
pub(crate) enum VisitorJobStatus {
    Pending,
    Compacting,
    Done,
}

/// How far a node is with a deletion.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisitorJobNode {
    /// The id of the node, as `muriel node list` shows it; `local` on SQLite.
    #[schema(example = "local")]
    node: String,
    /// As the status of the deletion.
    #[schema(value_type = VisitorJobStatus, example = "done")]
    status: &'static str,
    /// Percent of its event log that was read in the present attempt.
    #[schema(minimum = 0, maximum = 100)]
    percent: i64,
    /// How often it was begun.
    #[schema(minimum = 0)]
    attempts: i64,
    /// Why the last attempt failed; it is made again. Null when it did not.
    #[schema(required, example = "the event log cannot be read")]
    reason: Option<String>,
    /// Events that it deleted.
    #[schema(minimum = 0)]
    events: i64,
    /// Blocks of its event log that are damaged.
    #[schema(minimum = 0)]
    damaged_blocks: i64,
    /// The last block of its event log that was examined: events in later blocks came after the deletion and stay. Null
    /// until then.
    #[schema(required, minimum = 0)]
    examined_block: Option<i64>,
    /// When it was done; null until then.
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
