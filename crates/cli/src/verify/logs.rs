//! Logs from which a result is recomputed.

use crate::config::Common;
use crate::{Error, Result};
use muriel_log::{LogExtent, LogId, LogReader, Position};
use muriel_results::Manifest;
use std::path::{Path, PathBuf};

/// Maximum number of logs, the same as in a result.
const LOGS_MAX: usize = muriel_warehouse::LOGS_MAX;

/// Log given on the command line.
pub(super) struct GivenLog {
    /// Directory of the log.
    pub(super) directory: PathBuf,
    pub(super) reader: LogReader,
    pub(super) extent: LogExtent,
}

/// Opens the logs in these directories, or the one of the data directory if none is given.
///
/// # Errors
/// A directory without a log, and two directories with the same one.
pub(super) fn open(common: &Common, directories: &[PathBuf]) -> Result<Vec<GivenLog>> {
    if directories.len() > LOGS_MAX {
        return Err(Error::Refused(format!("{} logs are given; a result names at most {LOGS_MAX}", directories.len())));
    }
    let mut logs: Vec<GivenLog> = Vec::new();
    let defaults = [None];
    let given: Vec<Option<&Path>> = directories.iter().map(|directory| Some(directory.as_path())).collect();
    for directory in if given.is_empty() { &defaults[..] } else { &given[..] } {
        let reader = match directory {
            None => crate::log::signed(crate::log::reader(common)?, common)?,
            Some(directory) => crate::log::signed(crate::log::reader_in(directory, "--log-dir")?, common)?,
        };
        let directory = match directory {
            None => crate::config::StorageSettings::load(common)?.data_dir,
            Some(directory) => directory.to_path_buf(),
        };
        let extent = reader.extent().map_err(Error::Log)?;
        if let Some(same) = logs.iter().find(|other| other.extent.log == extent.log) {
            return Err(Error::Refused(format!(
                "{} and {} hold the same log, {}: give each log once",
                same.directory.display(),
                directory.display(),
                extent.log
            )));
        }
        logs.push(GivenLog { directory, reader, extent });
    }
    Ok(logs)
}

/// Finds the logs that a manifest names, each with the last block that the result
/// includes.
///
/// # Errors
/// A log that is not given, and one that lacks blocks that the result includes.
pub(super) fn choose<'l>(
    name: &str,
    manifest: &Manifest,
    logs: &'l [GivenLog],
) -> Result<Vec<(&'l GivenLog, Position)>> {
    manifest
        .logs
        .iter()
        .map(|facts| {
            let log = logs.iter().find(|log| log.extent.log == facts.id);
            let log = log.ok_or_else(|| missing(name, facts.id, logs))?;
            reaches(name, facts.position, log)?;
            Ok((log, Position { seq: facts.position }))
        })
        .collect()
}

fn missing(name: &str, id: LogId, logs: &[GivenLog]) -> Error {
    let given: Vec<String> =
        logs.iter().map(|log| format!("{} in {}", log.extent.log, log.directory.display())).collect();
    Error::Refused(format!(
        "{name} was computed from the log {id}, which was not given; another server wrote it. Add its directory with \
         --log-dir. Given: {}",
        given.join(", ")
    ))
}

/// Checks that a log has the blocks that the result includes, up to `position`.
fn reaches(name: &str, position: i64, log: &GivenLog) -> Result<()> {
    let extent = log.extent;
    if extent.last < position {
        return Err(Error::Refused(format!(
            "{name} was computed from the log up to block {position}, and the log in {} ends with block {}: it has lost \
             blocks, or is an older copy",
            log.directory.display(),
            extent.last
        )));
    }
    if position < extent.first {
        return Err(Error::Refused(format!(
            "{name} was computed from the log up to block {position}, and the log in {} begins with block {}: {}",
            log.directory.display(),
            extent.first,
            if position <= extent.pruned {
                "retention has deleted the blocks before it"
            } else {
                "the blocks before it are missing, and retention did not delete them"
            }
        )));
    }
    Ok(())
}
