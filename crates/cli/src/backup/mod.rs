//! Backups of the data directory, made while the server runs, and their restoration.
//!
//! A store has `files/`, each named by its SHA-256, and `backups/`, a manifest per backup that lists its files. A
//! manifest is written last, so an interrupted backup does not count. Contents that several backups share are stored
//! once. Only pruning removes contents, when no manifest lists them.

mod directory;
mod interrupt;
mod make;
mod manifest;
mod prune;
mod restore;
mod s3;
mod store;
#[cfg(test)]
mod tests;
mod verify;

use crate::config::{Common, StorageSettings};
use crate::error::sentence;
use crate::say::{say, say_stderr};
use crate::{Error, Result};
use clap::{Args, Subcommand};
use make::{BackupMaker, MadeBackup, second};
use manifest::{Database, Manifest};
use muriel_domain::Instant;
use prune::{Keep, NeededContents, PrunedBackups};
use s3::S3Flags;
use std::path::PathBuf;
use std::time::Duration;
use store::BackupStore;

/// `muriel backup …`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Backup {
    #[command(subcommand)]
    command: Option<BackupCommand>,
    /// Place of the backups: a directory, or s3://bucket/prefix with credentials in the environment. Only data that no
    /// earlier backup has stored there is copied.
    #[arg(long, value_name = "PLACE", required = true)]
    to: Option<String>,
    /// Make backups repeatedly until stopped, each this many seconds (5 to 86400) after the end of the previous one.
    #[arg(long, value_name = "SECONDS", requires = "keep", value_parser = clap::value_parser!(u64).range(5..=86_400))]
    every: Option<u64>,
    /// Prune afterwards: keep this many of the newest backups.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Also keep the last backup of each of the newest N days that have backups.
    #[arg(long, value_name = "N", requires = "keep")]
    keep_daily: Option<u32>,
    #[command(flatten)]
    s3: S3Flags,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum BackupCommand {
    /// List the backups in a place.
    List(PlaceArgs),
    /// Check every byte of all backups in a place against its checksum.
    Verify(PlaceArgs),
    /// Remove old backups, and data that only they need.
    Prune {
        #[command(flatten)]
        place: PlaceArgs,
        /// Keep this many of the newest backups.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        keep: u32,
        /// Also keep the last backup of each of the newest N days that have backups.
        #[arg(long, value_name = "N", default_value_t = 0)]
        keep_daily: u32,
    },
}

#[derive(Debug, Args)]
struct PlaceArgs {
    /// Place of the backups: a directory or s3://bucket/prefix.
    place: String,
    #[command(flatten)]
    s3: S3Flags,
}

/// `muriel restore`
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Place of the backups: a directory or s3://bucket/prefix.
    #[arg(long, value_name = "PLACE")]
    from: String,
    /// The data directory to create. It must be missing or empty.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// Restore the state at this time, such as 2026-03-01T09:00:00Z [default: the newest backup, complete].
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<Instant>,
    #[command(flatten)]
    s3: S3Flags,
}

fn time(text: &str) -> std::result::Result<Instant, String> {
    Instant::parse(text).map_err(|flaw| flaw.to_string())
}

impl Backup {
    pub(crate) fn run(self) -> Result<()> {
        interrupt::catch()?;
        match (self.command, self.to) {
            (Some(BackupCommand::List(args)), _) => list(&*args.open()?),
            (Some(BackupCommand::Verify(args)), _) => say_verified(&*args.open()?),
            (Some(BackupCommand::Prune { place, keep, keep_daily }), _) => {
                let store = place.open()?;
                let lock = store.lock()?;
                let keep = Keep { newest: keep, daily: keep_daily };
                say_pruned(&prune::prune(&*store, &*lock, keep, &mut NeededContents::default())?)
            }
            (None, Some(to)) => {
                let storage = StorageSettings::load(&self.common)?;
                let store = store::at(&to, &self.s3)?;
                let keep = self.keep.map(|newest| Keep { newest, daily: self.keep_daily.unwrap_or(0) });
                match (self.every, keep) {
                    (Some(seconds), Some(keep)) => follow(&storage, &*store, Duration::from_secs(seconds), keep),
                    (_, keep) => back_up(&storage, &*store, keep),
                }
            }
            (None, None) => Err(Error::Refused("name the place of the backup with --to".to_owned())),
        }
    }
}

impl PlaceArgs {
    fn open(&self) -> Result<Box<dyn BackupStore>> {
        store::at(&self.place, &self.s3)
    }
}

impl Restore {
    pub(crate) fn run(self) -> Result<()> {
        interrupt::catch()?;
        let store = store::at(&self.from, &self.s3)?;
        let restored = restore::restore(&*store, self.until, &self.data_dir)?;
        let manifest = &restored.manifest;
        match restored.received_at {
            Some(received_at) => say!(
                "Restored {} with the events up to block {}, received at {received_at}.",
                self.data_dir.display(),
                restored.log_position
            )?,
            None => say!("Restored {}; there are no events.", self.data_dir.display())?,
        }
        say!("Visitors whose data was deleted after the backup was made have been restored too: delete them again.")?;
        let at = manifest.made_at;
        if manifest.database == Database::PostgresqlNotIncluded {
            say!("Servers on the PostgreSQL database repeat the deletions that it has recorded.")?;
            say!("The PostgreSQL database is not included: restore it with PostgreSQL's tools as of {at} or earlier.")?;
        } else {
            say!("Experiments, goals and keys are as of {at}.")?;
        }
        if !manifest.files.iter().any(|file| file.name == "pepper") {
            say!("The pepper is not included: name its file with --pepper-file, otherwise API keys are refused.")?;
        }
        Ok(())
    }
}

fn back_up(storage: &StorageSettings, store: &dyn BackupStore, keep: Option<Keep>) -> Result<()> {
    let mut maker = BackupMaker::new(storage, store)?;
    let made = maker.make()?;
    say_made(&made)?;
    let manifest = &made.manifest;
    if manifest.database == Database::PostgresqlNotIncluded {
        say!("The PostgreSQL database with the experiments and keys is not included: back it up with pg_dump.")?;
    }
    if manifest.files.iter().any(|file| file.name == "pepper") {
        say!("The backup includes the pepper of the API keys: keep it as secret as the data directory.")?;
    } else {
        say!("The pepper of the API keys is not in the data directory and not included: keep a copy of it.")?;
    }
    match keep {
        Some(keep) => say_pruned(&maker.prune(keep)?),
        None => Ok(()),
    }
}

/// Makes backups until the process is asked to stop. Failures are reported and retried.
fn follow(storage: &StorageSettings, store: &dyn BackupStore, period: Duration, keep: Keep) -> Result<()> {
    let mut maker = None;
    let mut failing = false;
    while !interrupt::is_asked() {
        match follow_once(&mut maker, storage, store, keep) {
            Ok(made) => {
                if failing {
                    say_stderr!("muriel: backups succeed again");
                }
                failing = false;
                // On an idle server, the journal would contain nothing else.
                if made.copied.0 > 0 {
                    say_made(&made)?;
                }
            }
            Err(_) if interrupt::is_asked() => break,
            Err(error) => {
                failing = true;
                say_stderr!(
                    "muriel: the backup failed and is retried in {} seconds: {}",
                    period.as_secs(),
                    sentence(&error)
                );
                // The lock may be lost, and the cached knowledge of the store may be wrong.
                maker = None;
            }
        }
        interrupt::sleep(period);
    }
    Ok(())
}

fn follow_once<'a>(
    maker: &mut Option<BackupMaker<'a>>,
    storage: &'a StorageSettings,
    store: &'a dyn BackupStore,
    keep: Keep,
) -> Result<MadeBackup> {
    let maker = match maker {
        Some(maker) => maker,
        None => maker.insert(BackupMaker::new(storage, store)?),
    };
    maker.check_lock()?;
    let made = maker.make()?;
    maker.prune(keep)?;
    Ok(made)
}

fn say_made(made: &MadeBackup) -> Result<()> {
    say!(
        "Backup {} has the events up to block {}: {} stored ({}), {} unchanged.",
        made.id,
        made.manifest.log_position(),
        counted(made.copied.0, "file"),
        size(made.copied.1),
        made.unchanged
    )
}

fn say_pruned(pruned: &PrunedBackups) -> Result<()> {
    say!(
        "Pruned {} and {} ({}); {} left.",
        counted(pruned.backups, "backup"),
        counted(pruned.contents.len(), "file"),
        size(pruned.bytes),
        counted(pruned.kept, "backup")
    )
}

fn say_verified(store: &dyn BackupStore) -> Result<()> {
    let verified = verify::verify(store)?;
    let (made_at, position) = verified.newest;
    let which = if verified.backups == 1 {
        "The backup is whole".to_owned()
    } else {
        format!("The {} backups are whole", verified.backups)
    };
    say!(
        "{which}: {}, {}. The newest was made at {} with the events up to block {position}.",
        counted(verified.contents, "file"),
        size(verified.bytes),
        second(made_at)
    )
}

fn list(store: &dyn BackupStore) -> Result<()> {
    let ids = manifest::list(store)?;
    if ids.is_empty() {
        return Err(verify::no_backup(store));
    }
    for id in ids {
        match Manifest::read(store, &id) {
            Ok(manifest) => {
                say!("{}  block {:>9}  {:>9}", manifest.made_at, manifest.log_position(), size(manifest.bytes()))?
            }
            Err(Error::Refused(problem)) => say!("{id}  {problem}")?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Formats a size for people: `512 bytes`, `1.5 MiB`.
fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "bytes";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "bytes" { counted(bytes as usize, "byte") } else { format!("{value:.1} {unit}") }
}
