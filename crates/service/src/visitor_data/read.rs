//! Reading a visitor's events from the event log, a page at a time.

use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_domain::access::Scope;
use muriel_log::{LogReader, Position, ReadError, visitor_of_line};
use muriel_store::nodes;
use muriel_store::tenants::Project;
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Most events of a page.
pub const MAX_PAGE: usize = 1_000;
/// Time after which a page ends, however few events were found, because reading a log takes long.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Size in bytes at which a page ends.
const MAX_BYTES: usize = 4 << 20;
/// Pages that are read at the same time. Each keeps a core busy.
static READING: Semaphore = Semaphore::const_new(2);

/// Position in a node's log: within a block, or after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCursor {
    /// Number of the block.
    pub block: i64,
    /// Events of the block that were already read; 0 when the whole block was.
    pub events: usize,
}

impl PageCursor {
    /// Parses the text of a cursor that an earlier page returned.
    pub fn parse(text: &str) -> Option<Self> {
        let (block, events) = text.split_once('-')?;
        let cursor = Self { block: block.parse().ok()?, events: events.parse().ok()? };
        (cursor.block >= 0 && cursor.to_string() == text).then_some(cursor)
    }
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.block, self.events)
    }
}

/// A page of a visitor's events.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitorPage {
    /// The events, in the order of receipt.
    pub events: Vec<Value>,
    /// Start of the next page; `None` at the end of the log.
    pub next: Option<PageCursor>,
    /// Number of damaged blocks within the page, whose events are missing.
    pub damaged_blocks: u64,
    /// Number of other nodes that run or have accepted events. Their events are in their own logs.
    pub other_nodes: usize,
}

/// Returns the events of a visitor after `cursor`, at most `limit`, from this node's log. A page may
/// have fewer events or none without being the last. The first page is recorded in the audit log.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `Unavailable` while the log is not open or too many pages
/// are read, and when the log cannot be read.
pub async fn page(
    app: &App,
    actor: &Actor,
    project: &Project,
    visitor_id: String,
    cursor: PageCursor,
    limit: usize,
) -> Result<VisitorPage> {
    actor.require(Scope::Admin)?;
    let busy = Error::Unavailable { retry_after_s: 1 };
    let Some(log) = app.log() else { return Err(busy) };
    let Ok(permit) = READING.try_acquire() else { return Err(busy) };
    if cursor == PageCursor::default() {
        record(app, actor, project).await?;
    }
    let (dir, project_key) = (log.dir().to_owned(), Arc::from(project.key.as_str()));
    let read = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        read(dir, &project_key, &visitor_id, cursor, limit)
    });
    let page = read.await.map_err(Error::internal)?.map_err(Error::internal)?;
    let Some(own) = app.node_id() else { return Ok(page) };
    let others = app.read(move |tx| Box::pin(async move { Ok(nodes::others(tx, &own).await?) })).await?;
    Ok(VisitorPage { other_nodes: others.iter().filter(|node| node.is_live || node.blocks > 0).count(), ..page })
}

/// Records that a visitor's data is read. The audit log is permanent, so it does not name the visitor.
async fn record(app: &App, actor: &Actor, project: &Project) -> Result<()> {
    let (actor, project, now) = (actor.clone(), project.clone(), app.clock.now());
    let recorded = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let act = Act::within(&actor, &project, now);
            act.record(tx, "export", object("visitor_data", "", ""), None, None).await
        })
    });
    recorded.await
}

fn read(
    dir: PathBuf,
    project_key: &Arc<str>,
    visitor_id: &str,
    cursor: PageCursor,
    limit: usize,
) -> muriel_log::Result<VisitorPage> {
    let began = Instant::now();
    let mut page = VisitorPage { events: Vec::new(), next: None, damaged_blocks: 0, other_nodes: 0 };
    let mut bytes = 0;
    // The block of the cursor is read again for its remaining events.
    let after = cursor.block.saturating_sub(i64::from(cursor.events > 0)).max(0);
    for block in LogReader::open(&dir)?.blocks(Position { seq: after })? {
        let block = match block {
            Ok(block) => block,
            Err(ReadError::Failed(error)) => return Err(error),
            Err(ReadError::Damage(damage)) => {
                page.damaged_blocks += damage.last.unwrap_or(damage.seq).abs_diff(damage.seq) + 1;
                continue;
            }
        };
        let passed = if block.seq == cursor.block { cursor.events } else { 0 };
        for (nth, event) in block.events().enumerate().skip(passed) {
            if event.project_key != project_key || visitor_of_line(event.line).is_none_or(|id| id != visitor_id) {
                continue;
            }
            if page.events.len() >= limit || bytes >= MAX_BYTES {
                // A position before the first event of a block is the end of the previous block.
                page.next = Some(PageCursor { block: block.seq - i64::from(nth == 0), events: nth });
                return Ok(page);
            }
            bytes += event.line.len();
            // The line was already parsed as JSON above.
            page.events.extend(serde_json::from_slice::<Value>(event.line));
        }
        if began.elapsed() >= MAX_TIME {
            page.next = Some(PageCursor { block: block.seq, events: 0 });
            return Ok(page);
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_what_pages_gave() {
        for (text, expect) in [
            ("0-0", Some((0, 0))),
            ("17-3", Some((17, 3))),
            ("9223372036854775807-0", Some((i64::MAX, 0))),
            ("", None),
            ("17", None),
            ("-1-0", None),
            ("17--3", None),
            ("+17-3", None),
            ("017-3", None),
            ("17-3 ", None),
            ("9223372036854775808-0", None),
        ] {
            let cursor = PageCursor::parse(text);
            assert_eq!(cursor.map(|cursor| (cursor.block, cursor.events)), expect, "{text}");
        }
    }
}
