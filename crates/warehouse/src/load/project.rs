//! Loads the events of one project.

use super::rows::{add, past};
use super::state::MAX_BATCH;
use crate::row::Rows;
use crate::{LoadTarget, Result, WarehouseWriter, Watermark};
use muriel_log::{DamagedBlocks, LogReader, Position, ReadError};

/// The result of [`load_log`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Last block that was read.
    pub position: Position,
    /// Number of events of the project that were read.
    pub events: u64,
    /// The first damaged blocks, which were skipped.
    pub damage: Option<DamagedBlocks>,
}

/// Loads the events of one project from the beginning of a log up to `up_to`. The warehouse
/// must have no rows of this log. Calls `progress` with the position after each transaction.
///
/// # Errors
/// [`Error::Log`](crate::Error::Log) when the log cannot be read; the writer's errors.
pub fn load_log(
    reader: &LogReader,
    warehouse: &dyn WarehouseWriter,
    project_key: &str,
    up_to: Position,
    progress: &mut dyn FnMut(Position),
) -> Result<LoadReport> {
    let log = reader.extent()?.log;
    let (mut mark, mut loaded, mut rows) = (Watermark::default(), LoadReport::default(), Rows::default());
    let mut blocks = reader.blocks(Position::default())?;
    loop {
        let ended = match blocks.next() {
            None => true,
            Some(Ok(block)) if block.seq > up_to.seq => true,
            // Damage after `up_to` does not affect the result.
            Some(Err(ReadError::Damage(damage))) if damage.seq > up_to.seq => true,
            Some(Ok(block)) => {
                loaded.events += add(&mut rows, &block, block.of(project_key));
                mark = Watermark { position: Position { seq: block.seq }, hash: Some(block.hash) };
                false
            }
            Some(Err(ReadError::Damage(damage))) => {
                rows.add_damage(None, damage.seq, damage.last.unwrap_or(damage.seq));
                mark = past(mark, &damage);
                loaded.damage.get_or_insert(damage);
                false
            }
            Some(Err(ReadError::Failed(error))) => return Err(error.into()),
        };
        if ended || rows.len() >= MAX_BATCH.0 || rows.bytes() >= MAX_BATCH.1 {
            rows.sort();
            warehouse.load(LoadTarget::Answering, log, &rows, mark)?;
            rows.clear();
            progress(mark.position);
        }
        if ended {
            loaded.position = mark.position;
            return Ok(loaded);
        }
    }
}
