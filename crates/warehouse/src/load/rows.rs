//! Converts blocks of the log to rows, and computes the watermark after them.

use std::collections::HashMap;

use crate::Watermark;
use crate::row::Rows;
use muriel_log::{Block, DamagedBlocks, Event, Position, Record};

/// Adds the rows of `events`, which are some or all events of `block`. A line that is not a
/// [`Record`] is recorded as damage. Returns the number of events read.
pub(super) fn add<'b>(rows: &mut Rows, block: &Block, events: impl Iterator<Item = Event<'b>>) -> u64 {
    let (mut read, mut unread) = (0, HashMap::new());
    for event in events {
        match serde_json::from_slice::<Record>(event.line) {
            Ok(mut record) => {
                // The block's columns take precedence over the line, because events are found
                // by them.
                record.id = event.id;
                record.project_key = event.project_key.clone();
                rows.add(&record, block.seq);
                read += 1;
            }
            Err(_) => *unread.entry(event.project_key).or_insert(0) += 1,
        }
    }
    for rewrite in &block.rewrites {
        rows.add_rewrite(block.seq, rewrite);
    }
    for (project_key, events) in unread {
        tracing::warn!(block = block.seq, events, "events that cannot be parsed are not in the warehouse");
        rows.add_damage(Some(&**project_key), block.seq, block.seq);
    }
    read
}

/// Watermark after skipping damaged blocks.
pub(super) fn past(mark: Watermark, damage: &DamagedBlocks) -> Watermark {
    let last = damage.last.unwrap_or(damage.seq);
    if last <= mark.position.seq {
        return mark;
    }
    Watermark { position: Position { seq: last }, hash: None }
}
