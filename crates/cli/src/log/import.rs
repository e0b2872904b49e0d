//! Imports events from JSON lines, each stored once.

use super::fields;
use crate::config::{Common, ServeFlags, Settings, StorageSettings};
use crate::named::no_project;
use crate::open::{make_directory, open_existing};
use crate::say::{say, say_stderr};
use crate::{Error, Result};
use clap::Args;
use futures_util::future::join_all;
use indicatif::{ProgressBar, ProgressStyle};
use muriel_domain::Instant;
use muriel_log::Record;
use muriel_log::lines::{Content, Lines};
use muriel_log::{
    AppendError, AppendOutcome, Batch, BatchEvent, DedupScope, Durability, Log, LogReader, Position, ReadError,
};
use muriel_store::tenants;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant as Clock};
use uuid::Uuid;

/// Maximum length of a line, in bytes: the server's limit for an event, and the fields that
/// it adds.
const LINE_MAX: usize = 64 << 10;
/// Maximum numbers of events and bytes that are compared with the log at a time.
const CHUNK: (usize, usize) = (100_000, 24 << 20);
/// Maximum numbers of events and bytes of a batch, which becomes a block.
const BATCH: (usize, usize) = (10_000, 4 << 20);
/// Events in a block were received in the same UTC hour, because the block stores only the
/// last time of receipt. Days, by which events are counted, are whole hours.
const BLOCK_SPAN_US: i64 = 3_600_000_000;
/// Maximum number of batches in flight. More would not fit into the log's queue.
const MAX_IN_FLIGHT: usize = 8;
/// Interval of progress messages without a terminal for a progress bar.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum attempts to append to a busy log, half a second apart.
const MAX_ATTEMPTS: u32 = 120;
/// Maximum number of refused lines that are reported individually; others are only counted.
const MAX_REPORTED: u64 = 20;

/// `muriel log import`
#[derive(Debug, Args)]
pub struct Import {
    #[command(flatten)]
    common: Common,
    /// File of JSON lines, or - for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Put all events into this project (its key) instead of their own.
    #[arg(long, value_name = "PROJECT_KEY", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    project: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Numbers of lines by outcome.
#[derive(Debug, Default)]
struct Tally {
    new: u64,
    repeated: u64,
    refused: u64,
}

impl Import {
    pub(super) async fn run(self) -> Result<()> {
        let place = StorageSettings::load(&self.common)?;
        if let Some(project) = &self.project {
            check_project(&place, project).await?;
        }
        let (from, size) = self.source()?;
        make_directory(&place.data_dir)?;
        let mut options = Settings::load(self.common.clone(), ServeFlags::default())?.log;
        // Flushed once, at the end, which is faster.
        options.durability = Durability::Relaxed;
        let log = Log::open(&place.data_dir, options).map_err(Error::Log)?;
        let mut importing = Importing {
            reader: LogReader::open(&place.data_dir).map_err(Error::Log)?,
            log: &log,
            project: self.project.as_deref(),
            bar: bar(size),
            size,
            read: 0,
            reported_at: Clock::now(),
            tally: Tally::default(),
        };
        let done = importing.all(from).await;
        let tally = importing.tally;
        importing.bar.finish_and_clear();
        let closed = log.close().await.map_err(Error::Log).and_then(|()| flush(&place.data_dir));
        if self.json {
            say!("{}", json!({ "new": tally.new, "repeated": tally.repeated, "refused": tally.refused }))?;
        } else {
            say!("{} new, {} repeated, {} refused", tally.new, tally.repeated, tally.refused)?;
        }
        done.and(closed)?;
        match tally.refused {
            0 => Ok(()),
            1 => Err(Error::Refused("1 line was refused; every other event is in the log".to_owned())),
            n => Err(Error::Refused(format!("{n} lines were refused; every other event is in the log"))),
        }
    }

    /// Opens the source. Returns its size if it is known.
    fn source(&self) -> Result<(Box<dyn BufRead>, Option<u64>)> {
        if self.file == Path::new("-") {
            return Ok((Box::new(BufReader::with_capacity(1 << 16, io::stdin())), None));
        }
        let failed = |source| Error::File { doing: "cannot read", path: self.file.clone(), source };
        let file = File::open(&self.file).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if about.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let size = Some(about.len()).filter(|_| about.is_file());
        Ok((Box::new(BufReader::with_capacity(1 << 16, file)), size))
    }
}

/// Refuses a project that the database does not have: no result would ever count its events.
/// The check is skipped without a named database, as next to a server that uses PostgreSQL.
///
/// # Errors
/// An unknown project, and a database that cannot be used.
async fn check_project(place: &StorageSettings, key: &str) -> Result<()> {
    if place.database_url.is_none() && !place.data_dir.join("muriel.db").exists() {
        return Ok(());
    }
    let db = open_existing(place).await?.db;
    let wanted = key.to_owned();
    let found = db
        .read::<_, Error, _>(move |tx| Box::pin(async move { Ok(tenants::project_by_key(tx, &wanted).await?) }))
        .await?;
    match found {
        Some(_) => Ok(()),
        None => Err(no_project(key)),
    }
}

/// Progress bar, on a terminal only.
fn bar(size: Option<u64>) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match size {
        Some(size) => (ProgressBar::new(size), "  {bar:32} {percent:>3} %  {msg}"),
        None => (ProgressBar::no_length(), "  {spinner} {msg}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Makes the written data durable. The log is closed, so closing these files does not
/// release a lock. Rolled files have been flushed already.
fn flush(directory: &Path) -> Result<()> {
    for name in ["log.db-wal", "log.db"] {
        let path = directory.join(name);
        match File::open(&path).and_then(|file| file.sync_all()) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::File { doing: "cannot flush", path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Parsed event.
struct Received {
    project_key: Arc<str>,
    id: Uuid,
    scope: DedupScope,
    received_at: Instant,
    line: Vec<u8>,
}

struct Importing<'i> {
    reader: LogReader,
    log: &'i Log,
    project: Option<&'i str>,
    bar: ProgressBar,
    /// Size of the source, if it is known, and number of bytes read so far.
    size: Option<u64>,
    read: u64,
    reported_at: Clock,
    tally: Tally,
}

impl Importing<'_> {
    async fn all(&mut self, from: Box<dyn BufRead>) -> Result<()> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        let mut lines = Lines::new(from, LINE_MAX);
        let mut number = 0;
        let mut keys: HashMap<String, Arc<str>> = HashMap::new();
        loop {
            let failed = |error| Error::Other(format!("line {} cannot be read: {error}", number + 1).into());
            let Some(line) = lines.next_line().map_err(failed)? else { break };
            number = line.number;
            match line.content {
                Content::Nothing => {}
                Content::TooLong => self.refuse(number, &format!("it has more than {LINE_MAX} bytes")),
                Content::Text(text) => match event(text, self.project, &mut keys) {
                    Ok(event) => {
                        bytes += event.line.len();
                        chunk.push(event);
                    }
                    Err(problem) => self.refuse(number, &problem),
                },
            }
            self.bar.set_position(lines.read());
            self.read = lines.read();
            if chunk.len() >= CHUNK.0 || bytes >= CHUNK.1 {
                self.store(std::mem::take(&mut chunk)).await?;
                bytes = 0;
            }
        }
        self.store(chunk).await
    }

    fn refuse(&mut self, number: u64, problem: &str) {
        self.tally.refused += 1;
        if self.tally.refused <= MAX_REPORTED {
            self.bar.suspend(|| say_stderr!("muriel: line {number} is not an event: {problem}"));
        } else if self.tally.refused == MAX_REPORTED + 1 {
            self.bar
                .suspend(|| say_stderr!("muriel: from here on, lines that are not events are counted but not shown"));
        }
    }

    /// Stores the events that the log does not have.
    ///
    /// The log itself recognises a repeat only for a limited number of days. An import looks for repeats in
    /// the whole log.
    async fn store(&mut self, chunk: Vec<Received>) -> Result<()> {
        let mut new: HashMap<(Uuid, Arc<str>, DedupScope), usize> = HashMap::with_capacity(chunk.len());
        for (at, event) in chunk.iter().enumerate() {
            new.entry((event.id, event.project_key.clone(), event.scope)).or_insert(at);
        }
        let ids: HashSet<(Uuid, Arc<str>)> =
            new.keys().map(|(id, project_key, _)| (*id, project_key.clone())).collect();
        // Ids are quick to read. The scope of an event is only in its line.
        let mut same: Option<(i64, i64)> = None;
        for block in self.reader.ids(Position::default()).map_err(Error::Log)? {
            match block {
                Ok(block) if block.iter().any(|(project_key, id)| ids.contains(&(id, project_key.clone()))) => {
                    same = Some((same.map_or(block.seq, |(first, _)| first), block.seq));
                }
                // Events in damaged blocks are stored again.
                Ok(_) | Err(ReadError::Damage(_)) => {}
                Err(ReadError::Failed(error)) => return Err(Error::Log(error)),
            }
        }
        if let Some((first, last)) = same {
            for block in self.reader.blocks(Position { seq: first - 1 }).map_err(Error::Log)? {
                match block {
                    Ok(block) if block.seq > last => break,
                    Ok(block) => {
                        for event in block.events().filter(|event| ids.contains(&(event.id, event.project_key.clone())))
                        {
                            new.remove(&(event.id, event.project_key.clone(), DedupScope::of_line(event.line)));
                        }
                    }
                    Err(ReadError::Damage(_)) => {}
                    Err(ReadError::Failed(error)) => return Err(Error::Log(error)),
                }
            }
        }
        self.tally.repeated += (chunk.len() - new.len()) as u64;
        let fresh: Vec<bool> = {
            let mut fresh = vec![false; chunk.len()];
            new.into_values().for_each(|at| fresh[at] = true);
            fresh
        };
        let events = chunk.into_iter().zip(fresh).filter_map(|(event, is_new)| is_new.then_some(event));
        let mut batches = batches(events).into_iter();
        loop {
            let some: Vec<Batch> = batches.by_ref().take(MAX_IN_FLIGHT).collect();
            if some.is_empty() {
                break;
            }
            for taken in join_all(some.into_iter().map(|batch| append(self.log, batch))).await {
                for taken in taken? {
                    match taken {
                        AppendOutcome::Stored => self.tally.new += 1,
                        AppendOutcome::Repeated => self.tally.repeated += 1,
                    }
                }
            }
        }
        self.bar.set_message(format!("{} new events", self.tally.new));
        self.report_progress();
        Ok(())
    }

    /// Prints progress from time to time, for later readers of standard error.
    fn report_progress(&mut self) {
        if !self.bar.is_hidden() || self.reported_at.elapsed() < PROGRESS_INTERVAL {
            return;
        }
        self.reported_at = Clock::now();
        let Tally { new, repeated, refused } = self.tally;
        let part = self.size.filter(|size| *size > 0).map(|size| format!(" {} % read,", 100 * self.read / size));
        say_stderr!("muriel:{} {new} new, {repeated} repeated, {refused} refused so far", part.unwrap_or_default());
    }
}

/// Parses the event of a line.
fn event(line: &[u8], project: Option<&str>, keys: &mut HashMap<String, Arc<str>>) -> Result<Received, String> {
    let mut record: Record = serde_json::from_slice(line).map_err(|_| fields::problems(line))?;
    let is_fine =
        !record.id.is_nil() && (1..=128).contains(&record.visitor.id.chars().count()) && !record.project_key.is_empty();
    if !is_fine {
        return Err(fields::problems(line));
    }
    let scope = record.scope();
    let line = match project {
        Some(project) if project != &*record.project_key => {
            record.project_key = project.into();
            serde_json::to_vec(&record).map_err(|error| error.to_string())?
        }
        // Kept byte for byte.
        _ => line.to_vec(),
    };
    let project_key = match keys.get(&*record.project_key) {
        Some(known) => known.clone(),
        None => {
            keys.insert(record.project_key.to_string(), record.project_key.clone());
            record.project_key
        }
    };
    Ok(Received { project_key, id: record.id, scope, received_at: record.received_at, line })
}

/// Groups the events in batches, each of one project and of one hour of receipt, in the
/// order of their first events.
fn batches(events: impl Iterator<Item = Received>) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    // Index of the open batch of each project and hour.
    let mut open: HashMap<(Arc<str>, i64), usize> = HashMap::new();
    for event in events {
        let hour = event.received_at.us().div_euclid(BLOCK_SPAN_US);
        let place = open.entry((event.project_key.clone(), hour)).or_insert(usize::MAX);
        let has_room = |batch: &Batch| batch.events.len() < BATCH.0 && batch.lines.len() < BATCH.1;
        if !batches.get(*place).is_some_and(has_room) {
            *place = batches.len();
            batches.push(Batch {
                project_key: event.project_key,
                received_at: event.received_at,
                events: Vec::new(),
                lines: Vec::new(),
            });
        }
        let batch = &mut batches[*place];
        batch.received_at = batch.received_at.max(event.received_at);
        batch.lines.extend_from_slice(&event.line);
        batch.lines.push(b'\n');
        batch.events.push(BatchEvent { id: event.id, scope: event.scope, end: batch.lines.len() });
    }
    batches
}

/// Stores a batch. Retries while other writers keep the log busy.
async fn append(log: &Log, batch: Batch) -> Result<Vec<AppendOutcome>> {
    let mut tries = 0;
    loop {
        match log.append(batch.clone()).await {
            Ok(taken) => return Ok(taken),
            Err(AppendError::Busy) if tries < MAX_ATTEMPTS => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            Err(refused) => {
                return Err(Error::Refused(format!(
                    "{refused}; import the file again later: events that are already stored are recognised"
                )));
            }
        }
    }
}
