//! `muriel warehouse`: the database for queries of events, which is derived from the log and can be rebuilt.

use crate::config::{Common, StorageSettings};
use crate::say::{say, say_stderr};
use crate::{Error, Result};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use muriel_warehouse::{self as warehouse, DuckWarehouse, WarehouseOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Interval of checks whether a running server has finished its rebuild.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// `muriel warehouse …`
#[derive(Debug, Subcommand)]
pub(crate) enum WarehouseCommand {
    /// Rebuild the warehouse from the event log. Its content does not change. A running server rebuilds it itself and
    /// keeps serving.
    Rebuild(Rebuild),
}

/// `muriel warehouse rebuild`
#[derive(Debug, Args)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    common: Common,
}

/// Path of a data directory's warehouse.
pub(crate) fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("warehouse.duckdb")
}

/// Path of the file that asks a running server to rebuild.
pub(crate) fn request(data_dir: &Path) -> PathBuf {
    data_dir.join("warehouse.rebuild")
}

/// Runs a command on the warehouse.
///
/// # Errors
/// An error that says what prevents it.
pub(crate) fn run(command: WarehouseCommand) -> Result<()> {
    match command {
        WarehouseCommand::Rebuild(rebuild) => rebuild.run(),
    }
}

impl Rebuild {
    fn run(self) -> Result<()> {
        // Fails with a message when there is no log.
        crate::log::reader(&self.common)?;
        let data_dir = StorageSettings::load(&self.common)?.data_dir;
        let failed = |error: warehouse::Error| Error::Other(error.into());
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} block {pos} of {len}, {eta} left") {
            bar.set_style(style);
        }
        let rebuilt = DuckWarehouse::open(&path(&data_dir), &WarehouseOptions::default()).and_then(|warehouse| {
            warehouse::rebuild(&data_dir, Arc::new(warehouse), &mut |progress| {
                bar.set_length(progress.target.seq.max(0).unsigned_abs());
                bar.set_position(progress.position.seq.max(0).unsigned_abs());
            })
        });
        bar.finish_and_clear();
        match rebuilt {
            Ok(position) => say!("The warehouse holds the log up to block {}.", position.seq)?,
            Err(warehouse::Error::InUse { .. }) => {
                ask(&request(&data_dir)).map_err(failed)?;
                say!("The server has rebuilt its warehouse.")?;
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(())
    }
}

/// Asks a running server to rebuild, and waits until it has finished.
fn ask(request: &Path) -> Result<(), warehouse::Error> {
    warehouse::request_rebuild(request)?;
    say_stderr!("muriel: the running server rebuilds its warehouse and continues to answer requests");
    while request.exists() {
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}
