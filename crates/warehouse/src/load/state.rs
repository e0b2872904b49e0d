//! Steps of loading: one transaction at a time into the answering warehouse, and during a rebuild into a second one.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use super::LoadProgress;
use super::rows::{add, past};
use crate::row::Rows;
use crate::{Error, LoadTarget, Result, WarehouseWriter, Watermark};
use muriel_log::{Blocks, LogId, LogReader, Position, ReadError};

/// Maximum rows of one transaction, and maximum bytes of these rows in memory.
pub(super) const MAX_BATCH: (usize, usize) = (50_000, 64 << 20);
/// Time between two checks for blocks that retention has deleted from the log.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60);
/// Delay before a failed rebuild is started again.
const REBUILD_RETRY_DELAY: Duration = Duration::from_secs(30);
/// Maximum number of damaged block ranges that are counted.
const MAX_DAMAGED_PLACES: usize = 10_000;

/// True when there is more to load immediately.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HasMore(pub(super) bool);

/// State of the loader thread.
pub(super) struct LoadState {
    pub(super) log: PathBuf,
    pub(super) warehouse: Arc<dyn WarehouseWriter>,
    /// File whose existence requests a rebuild.
    pub(super) request: Option<PathBuf>,
    /// Cursor of the answering warehouse.
    pub(super) main: LogCursor,
    /// Cursor of the warehouse that a rebuild fills.
    pub(super) rebuild: Option<LogCursor>,
    /// True when the answering warehouse could not be loaded and is not changed until the rebuild replaces it.
    pub(super) is_main_given_up: bool,
    /// Earliest time at which a failed rebuild is started again.
    pub(super) rebuild_after: Option<Clock>,
    /// Id of the log, once the rows of the warehouse are known to belong to it.
    pub(super) log_id: Option<LogId>,
    pub(super) generation: u64,
    pub(super) touched: HashMap<Arc<str>, Position>,
    /// First blocks of damaged ranges. A set, because a rebuild finds the same ranges again.
    pub(super) damaged: HashSet<i64>,
    pub(super) rows: Rows,
    /// Maximum rows and bytes of a transaction; see [`MAX_BATCH`].
    pub(super) batch: (usize, usize),
    /// Time of the last check for blocks that retention has deleted.
    pub(super) pruned: Option<Clock>,
    /// Number of followed rewrite records in each closed file, by the file's first block; see `rewrites`.
    pub(super) followed: HashMap<i64, i64>,
    /// Set to check for rewritten blocks at the end of the log; the second flag is true when this step did so.
    pub(super) is_follow_requested: bool,
    pub(super) has_followed: bool,
    /// True when the file may have bytes of deleted data; see [`WarehouseWriter::has_erased_bytes`].
    pub(super) has_erased_bytes: bool,
    /// Start of the running rebuild, and the earliest start of the next one that only removes bytes.
    pub(super) rebuild_began: Option<Clock>,
    pub(super) compact_after: Option<Clock>,
    /// First block that retention had kept at the last check.
    pub(super) oldest: Option<i64>,
}

/// Iterator over the log, and the position up to which one warehouse is loaded.
#[derive(Default)]
pub(super) struct LogCursor {
    /// Id of the log and the iterator; `None` when iteration must be restarted.
    pub(super) blocks: Option<(LogId, Blocks)>,
    /// Watermark of the warehouse.
    pub(super) mark: Watermark,
    /// End of the log when the iteration began; 0 once it was reached.
    pub(super) target: Position,
}

impl LogCursor {
    pub(super) fn progress(&self) -> Option<LoadProgress> {
        let (position, target) = (self.mark.position, self.target);
        (position < target).then_some(LoadProgress { position, target })
    }
}

impl LoadState {
    pub(super) fn new(log: &Path, warehouse: Arc<dyn WarehouseWriter>) -> LoadState {
        LoadState {
            log: log.to_owned(),
            main: LogCursor::default(),
            warehouse,
            request: None,
            rebuild: None,
            is_main_given_up: false,
            rebuild_after: None,
            log_id: None,
            generation: 0,
            damaged: HashSet::new(),
            touched: HashMap::new(),
            rows: Rows::default(),
            batch: MAX_BATCH,
            pruned: None,
            followed: HashMap::new(),
            is_follow_requested: false,
            has_followed: false,
            has_erased_bytes: false,
            rebuild_began: None,
            compact_after: None,
            oldest: None,
        }
    }

    pub(super) fn progress(&self) -> Option<LoadProgress> {
        self.main.progress()
    }

    /// Watermark of a log in the warehouse.
    pub(super) fn stored_watermark(&self, log: LogId) -> Watermark {
        self.warehouse.watermarks().get(&log).copied().unwrap_or_default()
    }

    /// Loads one transaction, and during a rebuild also one into the new warehouse. After an error the next step
    /// restarts from the stored watermark.
    pub(super) fn step(&mut self) -> Result<HasMore> {
        let main = if self.is_main_given_up { Ok(false) } else { self.step_main() };
        if main.is_err() {
            self.main.blocks = None;
            self.rows.clear();
        }
        if self.rebuild.is_none() && !self.is_rebuild_due() {
            return main.map(HasMore);
        }
        let is_at_end = match &main {
            Ok(more) => !more,
            Err(error) => {
                let error = error as &dyn std::error::Error;
                tracing::warn!(
                    error,
                    "the warehouse cannot be loaded; it stays as it is until the rebuild replaces it"
                );
                self.is_main_given_up = true;
                true
            }
        };
        match self.step_rebuild(is_at_end) {
            Ok(more) => Ok(HasMore(more || !is_at_end)),
            // A failed rebuild must not stop loading of the answering warehouse.
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "the rebuild of the warehouse failed and is retried");
                self.rebuild_after = Some(Clock::now() + REBUILD_RETRY_DELAY);
                Ok(HasMore(!is_at_end))
            }
        }
    }

    fn is_rebuild_due(&self) -> bool {
        self.rebuild_after.is_none_or(|after| Clock::now() >= after)
            && (self.request.as_deref().is_some_and(Path::exists) || self.is_compaction_due())
    }

    /// Loads one transaction into the answering warehouse. Returns whether there is more.
    fn step_main(&mut self) -> Result<bool> {
        if self.warehouse.is_damaged() {
            // Reopening it would abort the rebuild, which repairs the damage as well.
            if self.rebuild.is_some() {
                return Err(Error::Damaged(None));
            }
            self.main.blocks = None;
        }
        let (log, mut blocks) = match self.main.blocks.take() {
            Some(blocks) => blocks,
            None => {
                let generation = self.generation;
                let blocks = self.open_log()?;
                if self.generation != generation {
                    // Publish the new generation before rows are added.
                    self.main.blocks = Some(blocks);
                    return Ok(true);
                }
                blocks
            }
        };
        let (mark, more) = self.read(&mut blocks, self.main.mark, true)?;
        if mark != self.main.mark {
            self.rows.sort();
            self.warehouse.load(LoadTarget::Answering, log, &self.rows, mark)?;
            self.rows.clear();
            self.main.mark = mark;
        }
        self.main.blocks = Some((log, blocks));
        if !more {
            self.main.target = Position::default();
            let is_prune_due = self.pruned.is_none_or(|pruned| pruned.elapsed() >= PRUNE_INTERVAL);
            if is_prune_due {
                self.prune()?;
                self.pruned = Some(Clock::now());
            }
            if is_prune_due || self.is_follow_requested {
                self.follow_rewrites(log)?;
                self.has_followed = true;
            }
        }
        Ok(more)
    }

    /// Loads one transaction into the warehouse of the rebuild, starting the rebuild if needed. Replaces the answering
    /// warehouse when both are at the end of the log. Returns whether there is more. An error aborts the rebuild.
    pub(super) fn step_rebuild(&mut self, is_main_at_end: bool) -> Result<bool> {
        let stepped = self.try_step_rebuild(is_main_at_end);
        if stepped.is_err() {
            self.rebuild = None;
            self.rows.clear();
            self.is_main_given_up = false;
            self.warehouse.abandon_rebuild();
        }
        stepped
    }

    fn try_step_rebuild(&mut self, is_main_at_end: bool) -> Result<bool> {
        let mut cursor = match self.rebuild.take() {
            Some(cursor) => cursor,
            None => {
                self.warehouse.begin_rebuild()?;
                self.rebuild_began = Some(Clock::now());
                tracing::info!("the warehouse is rebuilt from the log");
                LogCursor::default()
            }
        };
        let (log, mut blocks) = match cursor.blocks.take() {
            Some(blocks) => blocks,
            None => {
                let reader = LogReader::open(&self.log)?;
                let extent = reader.extent()?;
                cursor.target = Position { seq: extent.last };
                (extent.log, reader.blocks(cursor.mark.position)?)
            }
        };
        let (mark, more) = self.read(&mut blocks, cursor.mark, false)?;
        if mark != cursor.mark {
            self.rows.sort();
            self.warehouse.load(LoadTarget::Rebuild, log, &self.rows, mark)?;
            self.rows.clear();
            cursor.mark = mark;
        }
        cursor.blocks = Some((log, blocks));
        if more || !is_main_at_end {
            self.rebuild = Some(cursor);
            return Ok(more);
        }
        // It has read at least as far as the answering warehouse, so no answer becomes older.
        self.warehouse.finish_rebuild()?;
        tracing::info!(blocks = mark.position.seq, "the warehouse has been rebuilt");
        self.main = LogCursor { target: Position::default(), ..cursor };
        self.is_main_given_up = false;
        self.log_id = Some(log);
        self.begin_generation();
        self.read_damage(log);
        self.schedule_compaction();
        if let Some(request) = &self.request {
            match fs::remove_file(request) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::file("remove", request, error));
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// Opens the log after the stored watermark. Empties the warehouse first if its rows do not belong to this log.
    pub(super) fn open_log(&mut self) -> Result<(LogId, Blocks)> {
        let reader = LogReader::open(&self.log)?;
        let extent = reader.extent()?;
        if self.warehouse.is_damaged() {
            tracing::warn!("the warehouse failed; it is opened again");
            self.warehouse.recover()?;
            self.begin_generation();
        }
        let marks = self.warehouse.watermarks();
        let mark = marks.get(&extent.log).copied().unwrap_or_default();
        let stored = reader.hash_at(mark.position)?;
        let problem = if marks.keys().any(|log| *log != extent.log) {
            Some("the warehouse has events of another log")
        } else if mark.position.seq > extent.last {
            Some("the warehouse has events that the log does not have")
        } else if mark.hash.is_some() && stored.is_some() && mark.hash != stored {
            Some("the events in the warehouse differ from those in the log")
        } else {
            None
        };
        if let Some(problem) = problem {
            tracing::warn!(problem, blocks = extent.last, "the warehouse cannot be used; it is rebuilt from the log");
            self.warehouse.reset()?;
            self.begin_generation();
        }
        self.main.mark = self.stored_watermark(extent.log);
        self.read_damage(extent.log);
        self.has_erased_bytes = self.warehouse.has_erased_bytes()?;
        self.log_id = Some(extent.log);
        self.main.target = Position { seq: extent.last };
        Ok((extent.log, reader.blocks(self.main.mark.position)?))
    }

    /// Reads the damaged ranges from the warehouse.
    pub(super) fn read_damage(&mut self, log: LogId) {
        match self.warehouse.damaged_blocks(log, MAX_DAMAGED_PLACES) {
            Ok(blocks) => self.damaged = blocks.into_iter().collect(),
            // Keep the ranges found since the start.
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "the list of damaged blocks cannot be read from the warehouse");
            }
        }
    }

    /// Starts a new generation: earlier answers are no longer valid.
    fn begin_generation(&mut self) {
        self.generation += 1;
        self.oldest = None;
        self.followed.clear();
    }

    /// Converts blocks after `mark` to rows until there are enough for a transaction. Returns the new watermark, and
    /// whether there may be more.
    fn read(&mut self, blocks: &mut Blocks, mut mark: Watermark, is_main: bool) -> Result<(Watermark, bool)> {
        while self.rows.len() < self.batch.0 && self.rows.bytes() < self.batch.1 {
            match blocks.next() {
                None => {
                    // Retention may have deleted the last blocks. The next load begins after them.
                    let (position, hash) = blocks.passed();
                    let end = Watermark { position, hash };
                    return Ok((if end.position > mark.position { end } else { mark }, false));
                }
                Some(Ok(block)) => {
                    add(&mut self.rows, &block, block.events());
                    let position = Position { seq: block.seq };
                    mark = Watermark { position, hash: Some(block.hash) };
                    // A rebuild does not track projects, because finishing it invalidates all answers.
                    if is_main {
                        for run in block.runs {
                            self.touched.insert(run.project_key, position);
                        }
                    }
                }
                Some(Err(ReadError::Damage(damage))) => {
                    tracing::warn!(%damage, "damaged events are not in the warehouse");
                    self.rows.add_damage(None, damage.seq, damage.last.unwrap_or(damage.seq));
                    if self.damaged.len() < MAX_DAMAGED_PLACES {
                        self.damaged.insert(damage.seq);
                    }
                    mark = past(mark, &damage);
                }
                Some(Err(ReadError::Failed(error))) => return Err(error.into()),
            }
        }
        Ok((mark, true))
    }

    /// Removes rows of blocks that retention has deleted since the last check.
    fn prune(&mut self) -> Result<()> {
        // Rows of blocks that are missing for another reason are kept until a rebuild.
        let extent = LogReader::open(&self.log)?.extent()?;
        let oldest = extent.pruned + 1;
        if self.oldest == Some(oldest) {
            return Ok(());
        }
        let rows = self.warehouse.prune(extent.log, oldest)?;
        if rows > 0 {
            tracing::info!(rows, before = oldest, "events that retention deleted were removed from the warehouse");
            self.begin_generation();
        }
        self.read_damage(extent.log);
        self.oldest = Some(oldest);
        Ok(())
    }
}
