//! Deletes old events.

use super::reader;
use crate::config::{Common, ServeFlags, Settings, StorageSettings};
use crate::open::read_pepper;
use crate::say::say;
use crate::{Error, Result};
use clap::Args;
use muriel_context::clock::Clock;
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_log as log;
use serde_json::json;
use std::collections::BTreeMap;
use uuid::Uuid;

/// `muriel log prune`
#[derive(Debug, Args)]
pub struct Prune {
    #[command(flatten)]
    common: Common,
    /// Only events of this project (its key), which are removed from the files that are old enough. The project need
    /// not have its own retention.
    #[arg(long, value_name = "PROJECT_KEY")]
    project: Option<String>,
    /// Delete files whose events were all received more than this many days ago.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=36_500))]
    older_than: i64,
    /// Delete even if the newest events are that old too, or if more than a tenth of the log, or of the project, would
    /// be deleted. Without this flag both are refused, because a wrong clock is the likely cause.
    #[arg(long)]
    force: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Prune {
    pub(super) async fn run(self) -> Result<()> {
        // Require an existing log: opening it for writing would create one.
        drop(reader(&self.common)?);
        let place = StorageSettings::load(&self.common)?;
        let options = Settings::load(self.common, ServeFlags::default())?.log;
        let log = log::Log::open(&place.data_dir, options).map_err(Error::Log)?;
        let before = Clock::System.now().plus_us(-self.older_than * DAY_US);
        if let Some(project_key) = self.project {
            let deleted = delete_of_project(&log, &place, project_key, before, self.force).await;
            log.close().await.map_err(Error::Log)?;
            return print_events(deleted?, self.older_than, self.json);
        }
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

/// Removes the old events of a project from the log. Returns their number.
async fn delete_of_project(
    log: &log::Log,
    place: &StorageSettings,
    project_key: String,
    before: Instant,
    force: bool,
) -> Result<u64> {
    let (log, key) = (log.clone(), read_pepper(&place.pepper_file)?.rewrite_key());
    let deleted = tokio::task::spawn_blocking(move || {
        let plans =
            log::plan_expiry(log.dir(), &BTreeMap::from([(project_key.clone(), before)])).map_err(Error::Log)?;
        let held = plans.get(&project_key).and_then(|plan| plan.held).filter(|_| !force);
        if let Some(held) = held {
            return Err(Error::Refused(format!(
                "nothing was deleted: {held}. Check the machine's clock; if it is right, add --force"
            )));
        }
        let what = log::ErasedEvents::ReceivedBefore(before);
        let erasures = [log::Erasure { job: Uuid::nil(), project_key: project_key.into(), what }];
        match log::erase(&log, &key, Clock::System.now(), &erasures, &mut |_| true) {
            Ok(report) => Ok(report.removed.iter().sum()),
            Err(log::EraseError::Log(error)) => Err(Error::Log(error)),
            Err(error) => Err(Error::Refused(format!("not everything was deleted: {error}; try again later"))),
        }
    });
    deleted.await.map_err(|error| Error::Other(error.into()))?
}

fn print_events(deleted: u64, days: i64, as_json: bool) -> Result<()> {
    if as_json {
        return say!("{}", json!({ "events": deleted }));
    }
    let s = if deleted == 1 { "" } else { "s" };
    let files = "files of the log that are older than";
    say!(
        "Deleted {deleted} event{s} of the project from closed {files} {days} days; log.db is never rewritten for this."
    )
}
