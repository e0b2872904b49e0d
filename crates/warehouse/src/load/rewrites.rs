//! Follows rewrites of the log: replaces the rows of blocks from which events were removed after
//! the blocks were loaded.
//!
//! The warehouse stores which rewrites its rows include, so rewrites made while it was closed are
//! found too.

use std::collections::HashMap;
use std::time::{Duration, Instant as Clock};

use super::rows::add;
use super::state::LoadState;
use crate::{LoadTarget, Result};
use muriel_log::{LogId, LogReader, Position, ReadError};

/// Maximum number of blocks whose rows are replaced in one transaction.
const MAX_REFRESHED_BLOCKS: usize = 2_000;
/// Pause after a rebuild before another one that only removes bytes of deleted rows: this many
/// times the duration of the last one, so that compaction takes a small part of the time, up to
/// the maximum.
const COMPACTION_PAUSE: u32 = 20;
const MAX_COMPACTION_PAUSE: Duration = Duration::from_secs(20 * 3600);

impl LoadState {
    pub(super) fn is_compaction_due(&self) -> bool {
        self.has_erased_bytes && self.compact_after.is_none_or(|after| Clock::now() >= after)
    }

    /// Called after a rebuild. Checks whether there are still bytes to remove, and sets the
    /// earliest time of the next compaction.
    pub(super) fn schedule_compaction(&mut self) {
        // The rebuild itself has succeeded. If this check fails, another rebuild follows.
        self.has_erased_bytes = self.warehouse.has_erased_bytes().unwrap_or(true);
        let took = self.rebuild_began.take().map_or(Duration::ZERO, |began| began.elapsed());
        self.compact_after = Some(Clock::now() + (took * COMPACTION_PAUSE).min(MAX_COMPACTION_PAUSE));
        // Check again: the rebuild may have read blocks before they were rewritten.
        self.pruned = None;
    }

    /// Replaces the rows of blocks that were rewritten since they were loaded, also in the
    /// warehouse of a rebuild. The answering warehouse must be loaded up to the end of the log.
    pub(super) fn follow_rewrites(&mut self, log: LogId) -> Result<()> {
        let reader = LogReader::open(&self.log)?;
        let mut has_changed = false;
        for file in reader.rewritten_files()? {
            if self.followed.get(&file.first) == Some(&file.records) {
                continue;
            }
            let blocks = reader.rewritten_blocks(file)?;
            let mark = self.main.mark.position;
            has_changed |= self.refresh(LoadTarget::Answering, log, &reader, &blocks, mark)?;
            let rebuilt = self.rebuild.as_mut().map(|cursor| {
                // The iterator may hold blocks that were read before the rewrite.
                cursor.blocks = None;
                cursor.mark.position
            });
            if let Some(mark) = rebuilt
                && self.refresh(LoadTarget::Rebuild, log, &reader, &blocks, mark)?
            {
                self.warehouse.remove_unused_texts(LoadTarget::Rebuild)?;
            }
            if file.last <= mark.seq {
                self.followed.insert(file.first, file.records);
            }
        }
        if has_changed {
            self.warehouse.remove_unused_texts(LoadTarget::Answering)?;
            self.generation += 1;
            self.has_erased_bytes = self.warehouse.has_erased_bytes()?;
        }
        Ok(())
    }

    /// Replaces the rows of those of `blocks` up to `mark` whose last rewrite is missing in the
    /// rows. Returns whether there were any.
    fn refresh(
        &mut self,
        target: LoadTarget,
        log: LogId,
        reader: &LogReader,
        blocks: &[(i64, i64)],
        mark: Position,
    ) -> Result<bool> {
        let (Some((first, _)), Some((last, _))) = (blocks.first(), blocks.last()) else { return Ok(false) };
        let stored = self.warehouse.rewritten_blocks(target, log, *first, *last)?;
        let stored: HashMap<i64, i64> = stored.into_iter().collect();
        let stale: Vec<i64> = blocks
            .iter()
            .filter(|(seq, nth)| *seq <= mark.seq && stored.get(seq) != Some(nth))
            .map(|(seq, _)| *seq)
            .collect();
        let mut at = 0;
        while at < stale.len() {
            self.rows.clear();
            let begin = at;
            while at < stale.len() && at - begin < MAX_REFRESHED_BLOCKS && self.rows.bytes() < self.batch.1 {
                self.read_block(reader, stale[at], stored.get(&stale[at]).copied().unwrap_or(0))?;
                at += 1;
            }
            self.rows.sort();
            self.warehouse.refresh(target, log, &stale[begin..at], &self.rows)?;
        }
        self.rows.clear();
        Ok(!stale.is_empty())
    }

    /// Adds the rows of a block, with the records of its rewrites after number `after`.
    fn read_block(&mut self, reader: &LogReader, seq: i64, after: i64) -> Result<()> {
        match reader.blocks(Position { seq: seq - 1 })?.next() {
            Some(Ok(block)) if block.seq == seq => {
                add(&mut self.rows, &block, block.events());
                self.rows.rewrites.retain(|row| row.seq != seq || row.nth > after);
            }
            Some(Err(ReadError::Failed(error))) => return Err(error.into()),
            // Retention has deleted the block; its rows are removed too.
            Some(Ok(_)) | None => {}
            Some(Err(ReadError::Damage(damage))) => {
                tracing::warn!(%damage, "damaged events are not in the warehouse");
                self.rows.add_damage(None, damage.seq, damage.last.unwrap_or(damage.seq));
                self.damaged.insert(damage.seq);
            }
        }
        Ok(())
    }
}
