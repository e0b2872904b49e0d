//! `muriel log`: commands on the event log. All of them work next to a running server.

mod count;
mod export;
mod fields;
mod import;
mod prune;
mod tail;
#[cfg(test)]
mod tests;
mod verify;

use crate::config::{Common, StorageSettings};
use crate::open::read_pepper;
use crate::say::say_stderr;
use crate::{Error, Result};
use clap::{Args, Subcommand};
use muriel_domain::Instant;
use muriel_domain::text::one_line;
use muriel_log::{LogReader, ReadError};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

/// `muriel log …`
#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Count the stored events of each project.
    Count(count::Count),
    /// Print the newest events, then each new one as it arrives, as JSON lines.
    Tail(tail::Tail),
    /// Read the whole log and verify its chain of hashes.
    Verify(verify::Verify),
    /// Print every event once, as JSON lines.
    Export(export::Export),
    /// Store events from JSON lines, as printed by `muriel log export`.
    Import(import::Import),
    /// Delete closed files of the log whose events were all received long ago.
    Prune(prune::Prune),
}

/// Runs a command on the event log.
///
/// # Errors
/// An error that says what prevents it, and damage that was found.
pub fn run(command: LogCommand) -> Result<()> {
    match command {
        LogCommand::Count(count) => count.run(),
        LogCommand::Tail(tail) => tail.run(),
        LogCommand::Verify(verify) => verify.run(),
        LogCommand::Export(export) => export.run(),
        LogCommand::Import(import) => crate::block_on(import.run()),
        LogCommand::Prune(prune) => crate::block_on(prune.run()),
    }
}

/// Selection of events.
#[derive(Debug, Clone, Default, Args)]
pub struct EventFilter {
    /// Only events of this project (its key).
    #[arg(long, value_name = "PROJECT_KEY")]
    pub project: Option<String>,
    /// Only events received at or after this date or time: 2026-03-01, or 2026-03-01T09:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub from: Option<Instant>,
    /// Only events received before this date or time.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub to: Option<Instant>,
}

impl EventFilter {
    fn is_at(&self, received_at: Instant) -> bool {
        self.from.is_none_or(|from| from <= received_at) && self.to.is_none_or(|to| received_at < to)
    }

    fn is_of(&self, project_key: &str) -> bool {
        self.project.as_deref().is_none_or(|wanted| wanted == project_key)
    }
}

fn moment(text: &str) -> Result<Instant, String> {
    Instant::parse(text).map_err(|flaw| flaw.to_string())
}

/// Opens the log of the data directory for reading.
pub(crate) fn reader(common: &Common) -> Result<LogReader> {
    reader_in(&StorageSettings::load(common)?.data_dir, "--data-dir")
}

/// Adds the key that signs rewrites, so that rewrites by others count as damage. Without a pepper, signatures are not
/// checked, and a line on standard error says so.
///
/// # Errors
/// A pepper that cannot be read.
pub(crate) fn signed(reader: LogReader, common: &Common) -> Result<LogReader> {
    match read_pepper(&StorageSettings::load(common)?.pepper_file) {
        Ok(pepper) => Ok(reader.with_key(pepper.rewrite_key())),
        Err(Error::NoPepper(path)) => {
            if !reader.rewritten_files().map_err(Error::Log)?.is_empty() {
                say_stderr!(
                    "muriel: the signatures of rewritten blocks are not checked: there is no pepper in {}; name its \
                     file with --pepper-file",
                    path.display()
                );
            }
            Ok(reader)
        }
        Err(error) => Err(error),
    }
}

/// Opens the log in a directory that was given with `flag`, for reading.
///
/// # Errors
/// A directory that does not exist, cannot be read or has no log.
pub(crate) fn reader_in(directory: &std::path::Path, flag: &str) -> Result<LogReader> {
    let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let failed = |path: &std::path::Path| {
        let path = path.to_owned();
        move |source| Error::File { doing: "cannot read", path, source }
    };
    match fs::read_dir(&directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!("there is no Muriel data in {}; name its directory with {flag}", directory.display());
            return Err(Error::Refused(message));
        }
        listed => listed.map(drop).map_err(failed(&directory))?,
    }
    // SQLite's errors say less about why a file cannot be opened. Nothing is open yet, so closing the file does not
    // release a lock.
    let active = directory.join("log.db");
    match File::open(&active) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => opened.map(drop).map_err(failed(&active))?,
    }
    LogReader::open(&directory).map_err(|error| match error {
        muriel_log::Error::Missing { .. } => Error::Refused(format!(
            "there is no event log in {}; start muriel serve, which creates it, or name another directory with {flag}",
            directory.display()
        )),
        error => Error::Log(error),
    })
}

/// Damage found on a walk.
#[derive(Debug, Default)]
pub(crate) struct Damages {
    first: Option<String>,
    more: u64,
    quiet: bool,
}

impl Damages {
    /// Creates one that prints nothing, for a walk whose damage another walk reports.
    fn quiet() -> Self {
        Self { quiet: true, ..Self::default() }
    }

    /// Prints damage on standard error. Returns errors that end the walk.
    pub(crate) fn note(&mut self, trouble: ReadError) -> Result<()> {
        match trouble {
            ReadError::Failed(error) => Err(Error::Log(error)),
            ReadError::Damage(damage) => {
                if !self.quiet {
                    say_stderr!("muriel: damaged: {damage}");
                }
                match self.first {
                    None => self.first = Some(damage.to_string()),
                    Some(_) => self.more += 1,
                }
                Ok(())
            }
        }
    }

    pub(crate) fn into_result(self) -> Result<()> {
        match self {
            Damages { first: None, .. } => Ok(()),
            Damages { first: Some(first), more: 0, .. } => Err(Error::Damaged(first)),
            Damages { first: Some(first), more, .. } => Err(Error::Damaged(format!("{first}; and {more} more"))),
        }
    }
}

/// Escapes control characters and characters that disguise text, so that a line of JSON is safe on a terminal. The JSON
/// value does not change.
pub(crate) fn shown(line: &[u8]) -> Cow<'_, [u8]> {
    // Invalid UTF-8 is not JSON.
    match str::from_utf8(line).map(one_line) {
        Ok(Cow::Owned(shown)) => Cow::Owned(shown.into_bytes()),
        _ => Cow::Borrowed(line),
    }
}

/// Standard output, which the reader may close at any time.
pub(crate) struct Output {
    to: BufWriter<StdoutLock<'static>>,
    closed: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { to: BufWriter::with_capacity(1 << 16, io::stdout().lock()), closed: false }
    }

    /// Writes a line. Returns false once the reader is gone.
    pub(crate) fn line(&mut self, line: &[u8]) -> Result<bool> {
        let written = self.to.write_all(line).and_then(|()| self.to.write_all(b"\n"));
        self.checked(written)
    }

    pub(crate) fn flush(&mut self) -> Result<bool> {
        let flushed = if self.closed { Ok(()) } else { self.to.flush() };
        self.checked(flushed)
    }

    fn checked(&mut self, done: io::Result<()>) -> Result<bool> {
        match done {
            Ok(()) => Ok(!self.closed),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(false)
            }
            Err(error) => Err(Error::Other(format!("cannot write to standard output: {error}").into())),
        }
    }
}
