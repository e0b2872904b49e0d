//! Deletes what is old.

use super::reader;
use crate::config::{Common, ServeFlags, Settings, StorageSettings};
use crate::say::say;
use crate::{Error, Result};
use clap::Args;
use muriel_domain::time::DAY_US;
use muriel_log as log;
use muriel_service::clock::Clock;
use serde_json::json;

/// `muriel log prune`
#[derive(Debug, Args)]
pub struct Prune {
    #[command(flatten)]
    common: Common,
    /// Delete files whose events were all received more than this many days ago.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=36_500))]
    older_than: i64,
    /// Delete even if the newest events are that old too, or if more than a tenth of the log would go. Without this
    /// flag both are refused: a wrong clock is the likely cause.
    #[arg(long)]
    force: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Prune {
    pub(super) async fn run(self) -> Result<()> {
        // There has to be a log: opening it to write would begin one.
        drop(reader(&self.common)?);
        let place = StorageSettings::load(&self.common)?;
        let options = Settings::load(self.common, ServeFlags::default())?.log;
        let log = log::Log::open(&place.data_dir, options).map_err(Error::Log)?;
        let before = Clock::System.now().plus_us(-self.older_than * DAY_US);
        let pruned = log.prune(log::PruneRequest { before, force: self.force }).await;
        let closed = log.close().await;
        let pruned = pruned.map_err(Error::Log)?;
        closed.map_err(Error::Log)?;
        if let Some(held) = pruned.held {
            return Err(Error::Refused(format!(
                "nothing was deleted: {held}. Check the machine's clock; if it is right, add --force"
            )));
        }
        if self.json {
            say!("{}", json!({ "files": pruned.files, "blocks": pruned.blocks, "bytes": pruned.bytes }))?;
        } else if pruned.files == 0 {
            let days = if self.older_than == 1 { "day" } else { "days" };
            let limit = self.older_than;
            say!("No closed file is older than {limit} {days}; log.db, the file being written, is never deleted.")?;
        } else {
            let (files, size) = (pruned.files, pruned.bytes as f64 / f64::from(1 << 20));
            let s = if files == 1 { "" } else { "s" };
            say!("Deleted {files} file{s} with {} blocks, {size:.1} MiB.", pruned.blocks)?;
        }
        Ok(())
    }
}
