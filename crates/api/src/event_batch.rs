//! Events of many visitors in one request: JSON lines, each accepted or refused independently.
//!
//! A batch is read twice. The first pass checks only that it can be read to its end and stays within its limits. Only
//! then is anything stored. So nothing is stored of a batch that is truncated or too large, although only a part of it
//! is expanded in memory at a time.

use crate::error::ApiError;
use crate::event_body::BatchBody;
use crate::json::parse_events_line;
use crate::sizes::{BATCH_EXPANDED_LIMIT, EXPANDED_LIMIT};
use crate::wire::event::{self, VALUES_MAX};
use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use muriel_delivery::intake::{
    IngestOutcome, OutcomeRef, PreparedEvents, append, memory_to_read, memory_to_store, prepare,
};
use muriel_delivery::memory_budget::Reservation;
use muriel_delivery::rulesets::Delivery;
use muriel_domain::Instant;
use muriel_domain::trust::Trust;
use muriel_http::error::HttpError;
use muriel_log::lines::{Content, Lines};
use muriel_log::{Batch, BatchEvent};
use muriel_service::App;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Cursor};

/// Maximum length of a line, in bytes: the same as for a body of one visitor.
const LINE_MAX: usize = EXPANDED_LIMIT;
/// Maximum number of lines in a batch, including blank ones.
pub(crate) const BATCH_LINES_MAX: u64 = 100_000;
/// Maximum number of events in a batch. A line has up to 500.
const BATCH_EVENTS_MAX: usize = 100_000;
/// Number of outcomes after which the pending events are appended to the log.
const PENDING_OUTCOMES_MAX: usize = 10_000;
/// Size of the pending events, in bytes, after which they are appended to the log.
const PENDING_BYTES_MAX: usize = 4 << 20;
/// Memory per byte of pending lines, in bytes: for the events as stored and for their outcomes.
const MEMORY_PER_BYTE: usize = 4;
/// Maximum memory for pending lines, in bytes.
const PENDING_MEMORY_MAX: usize = 16 << 20;
/// Bytes after which the task yields to other tasks.
const SLICE: usize = 64 << 10;
/// Longest id that an outcome repeats, in bytes. A UUID has 36.
const ID_MAX: usize = 64;
/// Maximum length of a message about a line, in characters.
const MESSAGE_MAX: usize = 500;
/// Maximum number of different notes that are merged. Further notes are repeated at each of their events.
const NOTES_MAX: usize = 100;

/// Outcome of a line.
#[derive(Serialize)]
struct LineOutcome {
    /// Line number, from 1.
    line: u64,
    #[serde(flatten)]
    outcome: EventOrBody,
}

#[derive(Serialize)]
#[serde(untagged)]
enum EventOrBody {
    Event(IngestOutcome<'static>),
    Body { results: Vec<IngestOutcome<'static>> },
}

impl EventOrBody {
    fn events(&mut self) -> &mut [IngestOutcome<'static>] {
        match self {
            EventOrBody::Event(outcome) => std::slice::from_mut(outcome),
            EventOrBody::Body { results } => results,
        }
    }

    fn of_event(&mut self, index: usize) -> Option<&mut IngestOutcome<'static>> {
        match self {
            EventOrBody::Event(outcome) => Some(outcome),
            EventOrBody::Body { results } => results.get_mut(index),
        }
    }
}

/// Stores a batch of events from a request with an API key. Returns the outcomes of its lines, as JSON lines. Each
/// event with status `ok` is durable.
///
/// # Errors
/// - 400 for invalid gzip, too many lines, or when no line can be read; 413 when it expands to more than
///   [`BATCH_EXPANDED_LIMIT`]. Nothing of the batch is stored.
/// - `Unavailable` when the log cannot accept it, or other batches leave too little memory. A part of it may have been
///   stored; duplicates are recognised when the batch is sent again.
pub(crate) async fn take(app: &App, delivery: &Delivery, body: BatchBody<'_>) -> Result<Bytes, ApiError> {
    let BatchBody { bytes, is_gzip, memory } = body;
    let source = bytes.clone();
    let expanded = tokio::task::spawn_blocking(move || survey(source, is_gzip)).await;
    let pending = (MEMORY_PER_BYTE * expanded.map_err(ApiError::internal)??).min(PENDING_MEMORY_MAX);
    let mut intake = BatchIntake::new(app, delivery, memory, bytes.len() + pending);
    let mut lines = lines(bytes, is_gzip);
    let mut slices = 0;
    while let Some(line) = lines.next_line().map_err(ApiError::internal)? {
        match line.content {
            Content::Text(text) => intake.line(line.number, text).await?,
            Content::TooLong => {
                intake.refuse(line.number, None, &format!("the line has more than {LINE_MAX} bytes"));
            }
            Content::Nothing => {}
        }
        let read = lines.read() / SLICE as u64;
        if read != slices {
            slices = read;
            tokio::task::yield_now().await;
        }
    }
    intake.finish().await
}

fn lines(bytes: Bytes, is_gzip: bool) -> Lines<Box<dyn BufRead + Send>> {
    let bytes = Cursor::new(bytes);
    let from: Box<dyn BufRead + Send> = match is_gzip {
        // Concatenated gzip files have several members.
        true => Box::new(BufReader::with_capacity(SLICE, MultiGzDecoder::new(bytes))),
        false => Box::new(bytes),
    };
    Lines::new(from, LINE_MAX)
}

/// Checks that a batch can be read to its end and is within its limits. Returns the total size of its lines, in bytes.
fn survey(bytes: Bytes, is_gzip: bool) -> Result<usize, ApiError> {
    let mut lines = lines(bytes, is_gzip);
    let broken = |_: io::Error| ApiError::malformed("the body is not valid gzip, or is incomplete");
    let mut is_blank = true;
    while let Some(line) = lines.next_line().map_err(broken)? {
        if line.number > BATCH_LINES_MAX {
            let sentence = format!("the body has more than {BATCH_LINES_MAX} lines; send them in several requests");
            return Err(ApiError::malformed(sentence));
        }
        is_blank &= line.content == Content::Nothing;
        if lines.read() > BATCH_EXPANDED_LIMIT as u64 {
            return Err(HttpError::BodyTooLarge { limit: BATCH_EXPANDED_LIMIT }.into());
        }
    }
    if is_blank {
        return Err(ApiError::malformed("the body has no lines; send one JSON object per line"));
    }
    Ok(lines.read() as usize)
}

/// Batch whose lines are being checked and stored.
struct BatchIntake<'t> {
    app: &'t App,
    delivery: &'t Delivery,
    memory: Reservation<'t>,
    /// Memory needed in addition to the current line and the response, in bytes.
    base: usize,
    /// Checked lines whose outcomes are not in the response yet.
    judged: Vec<LineOutcome>,
    /// Number of outcomes in `judged`.
    outcomes: usize,
    /// Events to append to the log, with the index of their line in `judged` and their outcome within it.
    pending: Vec<(usize, OutcomeRef, BatchEvent)>,
    /// JSON lines of the pending events.
    pending_lines: Vec<u8>,
    /// Time when the pending events were received; `None` when there are none.
    received_at: Option<Instant>,
    /// Number of events in all lines so far.
    events: usize,
    /// True when any line could be read so far.
    is_readable: bool,
    /// Message about the first line that was refused.
    first_refusal: Option<String>,
    answer: Vec<u8>,
    notes: Vec<BatchNote>,
}

/// Note that is written to the response once, at its first event, and counted from there on: thousands of events in a
/// batch can have the same note.
struct BatchNote {
    text: Cow<'static, str>,
    /// Position in the response where its text ends.
    end: usize,
    /// Number of further events with this note.
    others: u64,
}

impl<'t> BatchIntake<'t> {
    fn new(app: &'t App, delivery: &'t Delivery, memory: Reservation<'t>, base: usize) -> Self {
        Self {
            app,
            delivery,
            memory,
            base,
            judged: Vec::new(),
            outcomes: 0,
            pending: Vec::new(),
            pending_lines: Vec::new(),
            received_at: None,
            events: 0,
            is_readable: false,
            first_refusal: None,
            answer: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Checks a line.
    async fn line(&mut self, number: u64, text: &[u8]) -> Result<(), ApiError> {
        if self.outcomes >= PENDING_OUTCOMES_MAX {
            self.store().await?;
        }
        let besides = self.base + self.answer.capacity();
        self.memory.resize(besides + memory_to_read(text.len())).await?;
        let (json, anomalies) = match parse_events_line(text, VALUES_MAX) {
            Ok(read) => read,
            Err(error) => {
                self.refuse(number, None, &error.to_string());
                return Ok(());
            }
        };
        if json.as_object().is_none() {
            self.refuse(number, None, "the line must be a JSON object: an event with its visitor, or a body of events");
            return Ok(());
        }
        let id = event::id_of(&json);
        let batch = match event::line(&json, &anomalies) {
            Ok(batch) => batch,
            Err(problems) => {
                self.refuse(number, id, &event::sentence(&problems));
                return Ok(());
            }
        };
        self.is_readable = true;
        if self.events + batch.events.len() > BATCH_EVENTS_MAX {
            let message = format!(
                "not stored: this line takes the batch over {BATCH_EVENTS_MAX} events; send it in another request"
            );
            self.refuse(number, id, &message);
            return Ok(());
        }
        self.events += batch.events.len();
        self.memory.resize(besides + memory_to_store(text.len(), batch.events.len(), &batch.visitor)).await?;
        let origin = self.app.visitors.origin_of(batch.hints.ip, batch.hints.user_agent);
        let received_at = *self.received_at.get_or_insert_with(|| self.app.clock.now());
        let (batch, events) = batch.into_incoming(origin, Trust::Keyed, false);
        let Some(prepared) = prepare(&self.app.intake, self.delivery, batch, events, received_at).await else {
            let message = "its events need more than 8 MiB when stored; send them in several lines";
            self.refuse(number, id, message);
            return Ok(());
        };
        if self.pending_lines.len() + prepared.lines.len() > PENDING_BYTES_MAX {
            self.store().await?;
        }
        self.add(number, event::is_body(&json), prepared);
        Ok(())
    }

    fn add(&mut self, number: u64, is_body: bool, prepared: PreparedEvents<'_>) {
        let (line, start) = (self.judged.len(), self.pending_lines.len());
        self.received_at.get_or_insert(prepared.received_at);
        self.outcomes += prepared.outcomes.len();
        self.pending_lines.extend_from_slice(&prepared.lines);
        self.pending.extend(
            prepared
                .entries
                .into_iter()
                .map(|(stored, entry)| (line, stored, BatchEvent { end: start + entry.end, ..entry })),
        );
        let mut outcomes = prepared.outcomes.into_iter().map(owned);
        let outcome = match is_body {
            true => EventOrBody::Body { results: outcomes.collect() },
            false => match outcomes.next() {
                Some(outcome) => EventOrBody::Event(outcome),
                None => return,
            },
        };
        self.judged.push(LineOutcome { line: number, outcome });
    }

    /// Adds the outcome of a line of which nothing is stored.
    fn refuse(&mut self, number: u64, id: Option<&str>, message: &str) {
        self.app.intake.count_invalid();
        self.first_refusal.get_or_insert_with(|| format!("line {number}: {message}"));
        let outcome = owned(IngestOutcome {
            id: id.map(Cow::Borrowed),
            status: "invalid",
            message: Some(message.to_owned().into()),
            note: None,
        });
        self.outcomes += 1;
        self.judged.push(LineOutcome { line: number, outcome: EventOrBody::Event(outcome) });
    }

    /// Appends the pending events to the log, and writes the outcomes of their lines.
    async fn store(&mut self) -> Result<(), ApiError> {
        let (stored, events): (Vec<_>, Vec<_>) =
            self.pending.drain(..).map(|(line, stored, entry)| ((line, stored), entry)).unzip();
        let lines = std::mem::take(&mut self.pending_lines);
        if let Some(received_at) = self.received_at.take().filter(|_| !events.is_empty()) {
            let project_key = self.delivery.project.key.as_str().into();
            let taken = append(&self.app.intake, Batch { project_key, received_at, events, lines }).await?;
            for ((line, stored), taken) in stored.into_iter().zip(taken) {
                if let Some(outcome) = self.judged.get_mut(line).and_then(|line| line.outcome.of_event(stored.outcome))
                {
                    self.app.intake.count_taken(outcome, stored, taken);
                }
            }
        }
        self.outcomes = 0;
        for mut judged in self.judged.drain(..) {
            let new = said_once(&mut self.notes, judged.outcome.events());
            let start = self.answer.len();
            serde_json::to_writer(&mut self.answer, &judged).map_err(ApiError::internal)?;
            for note in self.notes.iter_mut().skip(new) {
                note.end = start + end_of(&self.answer[start..], &note.text).unwrap_or_default();
            }
            self.answer.push(b'\n');
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<Bytes, ApiError> {
        if let Some(problem) = self.first_refusal.take().filter(|_| !self.is_readable) {
            return Err(ApiError::malformed(format!("no line of the body can be read; {problem}")));
        }
        self.store().await?;
        // From the last note on, so that the positions of the others stay valid.
        for note in self.notes.iter().rev().filter(|note| note.others > 0) {
            let others = match note.others {
                1 => " (and of 1 other event of this batch)".to_owned(),
                others => format!(" (and of {others} other events of this batch)"),
            };
            self.answer.splice(note.end..note.end, others.into_bytes());
        }
        Ok(self.answer.into())
    }
}

/// Keeps each note at its first event only, and counts the others. Returns the number of notes that were known before
/// the call.
fn said_once(notes: &mut Vec<BatchNote>, outcomes: &mut [IngestOutcome<'static>]) -> usize {
    let known = notes.len();
    for outcome in outcomes {
        let Some(text) = outcome.note.take() else { continue };
        match notes.iter_mut().find(|note| note.text == text) {
            Some(note) => note.others += 1,
            None => {
                if notes.len() < NOTES_MAX {
                    notes.push(BatchNote { text: text.clone(), end: 0, others: 0 });
                }
                outcome.note = Some(text);
            }
        }
    }
    known
}

/// Position where a note's text ends in a line of the response, before its closing quote.
fn end_of(line: &[u8], text: &str) -> Option<usize> {
    let note = format!("\"note\":{}", serde_json::Value::from(text));
    let at = line.windows(note.len()).position(|part| part == note.as_bytes())?;
    Some(at + note.len() - 1)
}

/// Copies the outcome so that it outlives its line. An id that is too long is left out and texts are cut, so that a
/// response is not much larger than its request.
fn owned(outcome: IngestOutcome<'_>) -> IngestOutcome<'static> {
    let IngestOutcome { id, status, message, note } = outcome;
    let id = id.filter(|id| id.len() <= ID_MAX).map(|id| Cow::Owned(id.into_owned()));
    IngestOutcome { id, status, message: message.map(cut), note: note.map(cut) }
}

fn cut(text: Cow<'static, str>) -> Cow<'static, str> {
    match text.char_indices().nth(MESSAGE_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text,
    }
}
