//! Intake of events into the log.
//!
//! The caller parses each event into a [`Record`]. This module decides which events are stored, adds
//! the server's fields, and returns the outcome of each event for its sender.

use crate::integrations::{IntegrationSuccesses, NotifiedTools};
use crate::live::LiveListeners;
use crate::memory_budget::MemoryBudget;
use crate::rulesets::Delivery;
use crate::signatures::{Signatures, Signing};
use crate::visitor::Origin;
use muriel_context::Context;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::VARIANTS_MAX;
use muriel_domain::experiment::integration::ToolSet;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::kept_query::AddressFilter;
use muriel_domain::page::{ConsentMode, PageSettings};
use muriel_domain::trust::Trust;
use muriel_log::{AppendError, AppendOutcome, Batch, BatchEvent, Log};
use muriel_log::{Consent, EventKind, EventVisitor, Properties, Record};
use muriel_store::experiments::{self, Shape};
use prometheus_client::metrics::counter::Counter;
use quick_cache::sync::Cache;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use uuid::Uuid;

/// Bytes of all bodies that are arriving.
const ARRIVING_BYTES: usize = 96 << 20;
/// Bytes of all bodies that are being validated and written.
const BODIES_BYTES: usize = 128 << 20;
/// Bytes of batches of many visitors, from their arrival to their response. They have a
/// budget of their own, so that visitors' events never wait for them.
const BATCHES_BYTES: usize = 128 << 20;
/// Bytes of memory per byte of a parsed body: many small values take most.
const MEMORY_PER_BYTE: usize = 6;
/// Bytes of a record in addition to its event and its visitor.
const RECORD_OVERHEAD: usize = 512;
/// Most bytes of records that one request may produce.
const LINES_MAX: usize = 8 << 20;
/// Most bytes of one stored event.
const EVENT_MAX: usize = 32 << 10;
/// Experiments whose shapes in the database are cached.
const SHAPES: usize = 10_000;
/// TTL of a cached shape for accepting events.
const SHAPE_TTL_US: i64 = 5_000_000;
/// TTL of a cached shape for refusing events: the experiment or the arm may have been created since.
const REFUSAL_TTL_US: i64 = 200_000;
/// Upper bound of arm numbers: no experiment has this arm or a later one.
const ARMS_MAX: u32 = VARIANTS_MAX as u32 + 1;
/// Rounding step of the correction of client clocks.
const MINUTE_US: i64 = 60_000_000;
/// Timeout of reading an experiment's shape from the database.
const SHAPE_TIMEOUT: Duration = Duration::from_secs(1);
/// Retry delay after the database failed to answer.
const RETRY_AFTER: Duration = Duration::from_millis(500);
/// Tolerance for events dated ahead of the server's clock, because clocks differ. Above it the sender gets a note.
const AHEAD_TOLERANCE_US: i64 = 5 * MINUTE_US;
/// Most lost events that one health event counts: pages store fewer, and anybody can send one.
const LOST_MAX: f64 = muriel_warehouse::LOST_MAX as f64;

/// Counters of events by outcome.
#[derive(Debug, Clone, Default)]
pub struct EventCounts {
    /// Stored.
    pub stored: Counter,
    /// Duplicates of stored events.
    pub repeated: Counter,
    /// Invalid and not stored.
    pub invalid: Counter,
    /// Valid but not stored, because the log was unavailable. The sender has to retry.
    pub refused: Counter,
    /// Not stored: the visitor denied consent.
    pub consent_denied: Counter,
    /// Not stored: the project requires consent, and the request did not say that it was granted.
    pub consent_missing: Counter,
    /// Not stored: the browser sent Global Privacy Control, which the project counts as a denial.
    pub gpc: Counter,
    /// Lost by pages, as their health events report.
    pub lost_by_pages: Counter,
    /// Dated in the future, and stored with the time of receipt.
    pub ahead: Counter,
    /// Dated more than a day before their receipt, without a key: stored, but counted nowhere.
    pub late: Counter,
    /// Stored with an address that lost parameters or a fragment.
    pub shortened: Counter,
    /// Orders and refunds whose number is an unfilled template value; stored without it.
    pub unfilled: Counter,
    /// Requests of visitors who got no signature, because their network had got those of the hour.
    pub signatures_refused: Counter,
}

impl EventCounts {
    fn of_refusal(&self, refusal: ConsentRefusal) -> &Counter {
        match refusal {
            ConsentRefusal::Denied => &self.consent_denied,
            ConsentRefusal::Missing => &self.consent_missing,
            ConsentRefusal::Gpc => &self.gpc,
        }
    }
}

/// The event log with the state of its intake.
pub struct Intake {
    context: Context,
    log: OnceLock<Log>,
    /// Listeners that watch visitors live.
    pub live: Arc<LiveListeners>,
    counts: EventCounts,
    /// Memory of bodies that are arriving.
    pub arriving: MemoryBudget,
    /// Memory of bodies that are being validated and written.
    pub bodies: MemoryBudget,
    /// Memory of batches of many visitors.
    pub batches: MemoryBudget,
    /// Successes of integrations that are not written yet.
    pub successes: IntegrationSuccesses,
    signatures: Signatures,
    shapes: Cache<(i64, i64), (Instant, Option<Shape>)>,
    /// Time of the last database failure.
    failed_at: Mutex<Option<std::time::Instant>>,
}

/// The outcome of one event.
#[derive(Debug, Serialize)]
pub struct IngestOutcome<'e> {
    /// The event's id as sent, if it had one.
    pub id: Option<Cow<'e, str>>,
    /// `ok`, `duplicate` or `invalid`.
    pub status: &'static str,
    /// Reason why the event is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'static, str>>,
    /// A note for the sender about an event that is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
}

/// Connects an event in the log with its outcome.
#[derive(Debug, Clone, Copy)]
pub struct OutcomeRef {
    /// Index of the outcome.
    pub outcome: usize,
    /// Number of events that the page lost, as this health event reports.
    lost: u64,
    /// Tools that the page notified of the arm, as this health event reports.
    notified: Option<NotifiedTools>,
}

impl<'e> IngestOutcome<'e> {
    /// Creates the outcome of an event that is not stored.
    pub fn invalid(id: Option<&'e str>, message: impl Into<Cow<'static, str>>) -> Self {
        Self { id: id.map(Cow::Borrowed), status: "invalid", message: Some(message.into()), note: None }
    }
}

/// Validated events of one visitor, with the valid ones serialised for the log.
pub struct PreparedEvents<'e> {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Time of receipt.
    pub received_at: Instant,
    /// One outcome for each event, in order.
    pub outcomes: Vec<IngestOutcome<'e>>,
    /// Each event that is `ok`, with its outcome.
    pub entries: Vec<(OutcomeRef, BatchEvent)>,
    /// The events as lines of JSON.
    pub lines: Vec<u8>,
}

impl Intake {
    /// Creates the intake. Without a log, events are refused until one is [attached](Intake::attach).
    pub fn new(context: Context, log: Option<Log>, counts: EventCounts) -> Self {
        Self {
            context,
            live: Arc::default(),
            log: log.map(OnceLock::from).unwrap_or_default(),
            counts,
            arriving: MemoryBudget::new(ARRIVING_BYTES),
            bodies: MemoryBudget::new(BODIES_BYTES),
            batches: MemoryBudget::new(BATCHES_BYTES),
            successes: IntegrationSuccesses::default(),
            signatures: Signatures::default(),
            shapes: Cache::new(SHAPES),
            failed_at: Mutex::default(),
        }
    }

    /// The event log, once it is open.
    pub fn log(&self) -> Option<&Log> {
        self.log.get()
    }

    /// Adds the log, if there is none.
    pub fn attach(&self, log: Log) {
        // A second call has opened the same files, so its value can be dropped.
        let _ = self.log.set(log);
    }

    /// Checks the signature that a page sent for a visitor, or issues one. Bots get none.
    pub fn sign(&self, delivery: &Delivery, visitor: (&str, Option<&str>), origin: &Origin) -> Signing {
        let project = (delivery.project.id, delivery.project.key.as_str());
        match origin.network().filter(|_| !origin.agent.is_bot) {
            Some(network) => {
                let signing =
                    self.signatures.of(&self.context.pepper, project, visitor, network, self.context.clock.now());
                self.counts.signatures_refused.inc_by((signing == Signing::Exhausted).into());
                signing
            }
            None => Signing::Exhausted,
        }
    }

    /// Counts an event that could not be parsed.
    pub fn count_invalid(&self) {
        self.counts.invalid.inc();
    }

    /// Counts an event that the log accepted. A duplicate gets another outcome.
    pub fn count_taken(&self, outcome: &mut IngestOutcome<'_>, stored: OutcomeRef, taken: AppendOutcome) {
        match taken {
            AppendOutcome::Stored => {
                self.counts.stored.inc();
                self.counts.lost_by_pages.inc_by(stored.lost);
                if let Some(notified) = &stored.notified {
                    self.successes.note(notified);
                }
            }
            AppendOutcome::Repeated => {
                self.counts.repeated.inc();
                outcome.status = "duplicate";
                outcome.note = None;
            }
        }
    }
}

/// Upper bound of the memory that a body takes while it is parsed.
pub fn memory_to_read(bytes: usize) -> usize {
    MEMORY_PER_BYTE * bytes
}

/// Like [`memory_to_read`], plus the records, each of which contains the visitor.
pub fn memory_to_store(bytes: usize, events: usize, visitor: &EventVisitor) -> usize {
    let visitor = serde_json::to_string(visitor).map_or(0, |visitor| visitor.len());
    memory_to_read(bytes) + (events * (visitor + RECORD_OVERHEAD)).min(LINES_MAX)
}

/// Data that the events of one visitor share, and their sender.
pub struct IncomingBatch<'e> {
    /// Time of sending, by the client's clock.
    pub sent_at: Option<Instant>,
    /// The visitor's consent, if it is known.
    pub consent: Option<Consent>,
    /// The visitor.
    pub visitor: EventVisitor,
    /// Country of the visitor, from a trusted server.
    pub country: Option<&'e str>,
    /// Origin of the visitor: address, location and user agent.
    pub origin: Origin,
    /// Trust in the sender. The times and facts of keyed requests are trusted.
    pub trust: Trust,
    /// True when the browser sent Global Privacy Control (`Sec-GPC: 1`).
    pub gpc: bool,
}

/// Reason why a visitor's events may not be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsentRefusal {
    /// The visitor denied consent.
    Denied,
    /// The project requires consent, and the request does not say that it was granted.
    Missing,
    /// The browser sent Global Privacy Control, which the project counts as a denial.
    Gpc,
}

impl ConsentRefusal {
    /// Message for the sender of an event.
    pub fn message(self) -> &'static str {
        match self {
            Self::Denied => "not stored: the visitor's consent is denied",
            Self::Missing => {
                "not stored: the project requires consent (muriel project set --consent), and the request does not have \
                 \"consent\": \"granted\""
            }
            Self::Gpc => {
                "not stored: the browser sent Sec-GPC: 1, which the project counts as a denial (muriel project set --gpc), and \
                 the request does not have \"consent\": \"granted\""
            }
        }
    }
}

/// Returns why a visitor's events may not be stored; `None` when they may. The script applies the same
/// rules before it sends, but pages also send by other means.
///
/// An answer of the visitor takes precedence, because an answer to the site is newer and more specific
/// than a browser's setting. Without one, a server with an API key is trusted to have asked; for others
/// the project's settings decide.
pub fn consent_refusal(settings: &PageSettings, batch: &ConsentFacts) -> Option<ConsentRefusal> {
    match batch.consent {
        Some(Consent::Denied) => Some(ConsentRefusal::Denied),
        Some(Consent::Granted) => None,
        Some(Consent::Unknown) | None if batch.trusted => None,
        Some(Consent::Unknown) | None if settings.gpc && batch.gpc => Some(ConsentRefusal::Gpc),
        Some(Consent::Unknown) | None => match settings.consent {
            ConsentMode::Assumed => None,
            ConsentMode::Required | ConsentMode::Memory => Some(ConsentRefusal::Missing),
        },
    }
}

/// Facts about consent in a request.
#[derive(Debug, Clone, Copy)]
pub struct ConsentFacts {
    /// The visitor's answer, if the request has one.
    pub consent: Option<Consent>,
    /// True when the request has an API key.
    pub trusted: bool,
    /// True when the browser sent Global Privacy Control (`Sec-GPC: 1`).
    pub gpc: bool,
}

/// A parsed event, with facts that its sender should learn about how it was read.
pub struct ReadEvent {
    /// The record.
    pub record: Record,
    /// Microseconds by which the event's time is after its receipt; 0 where it is not. The event is
    /// stored with the time of receipt.
    pub ahead_us: i64,
    /// Field of an order whose number is an unfilled template value, such as `undefined`. The record
    /// omits the number.
    pub unfilled: Option<&'static str>,
}

/// An event that is not parsed yet.
pub struct PendingEvent<'e, R> {
    /// The id as sent, for the outcome.
    pub id: Option<&'e str>,
    /// Parses the event, given the data that all events of the batch share. The error is a sentence.
    pub read: R,
    /// A sentence about values that were repaired while the body was parsed.
    pub note: Option<String>,
}

/// Data that all records of a batch share.
pub struct EventTemplate {
    /// Time of receipt of the batch.
    pub received_at: Instant,
    /// Microseconds by which the client's clock is behind the server's.
    pub behind_us: i64,
    /// A record with the fields that are equal for all events of the batch.
    pub record: Record,
}

/// Stores events. When this returns, each event that is `ok` is durable.
///
/// # Errors
/// `TooLarge` when the stored form exceeds 8 MiB, and `Unavailable` when the log cannot accept them. No
/// event is stored then.
pub async fn store<'e, R>(
    intake: &Intake,
    delivery: &Delivery,
    batch: IncomingBatch<'e>,
    events: impl ExactSizeIterator<Item = PendingEvent<'e, R>>,
) -> Result<Vec<IngestOutcome<'e>>>
where
    R: FnOnce(&EventTemplate) -> std::result::Result<ReadEvent, String>,
{
    let Some(prepared) = prepare(intake, delivery, batch, events, intake.context.clock.now()).await else {
        return Err(Error::TooLarge);
    };
    let PreparedEvents { project_key, received_at, mut outcomes, entries, lines } = prepared;
    if entries.is_empty() {
        return Ok(outcomes);
    }
    let (stored, events): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
    let taken = append(intake, Batch { project_key, received_at, events, lines }).await?;
    for (stored, taken) in stored.into_iter().zip(taken) {
        intake.count_taken(&mut outcomes[stored.outcome], stored, taken);
    }
    Ok(outcomes)
}

/// Validates events and serialises the valid ones. `None` if these take more than 8 MiB.
pub async fn prepare<'e, R>(
    intake: &Intake,
    delivery: &Delivery,
    batch: IncomingBatch<'e>,
    events: impl ExactSizeIterator<Item = PendingEvent<'e, R>>,
    received_at: Instant,
) -> Option<PreparedEvents<'e>>
where
    R: FnOnce(&EventTemplate) -> std::result::Result<ReadEvent, String>,
{
    let project_key: Arc<str> = delivery.project.key.as_str().into();
    let facts = ConsentFacts { consent: batch.consent, trusted: batch.trust == Trust::Keyed, gpc: batch.gpc };
    if let Some(refusal) = consent_refusal(delivery.page_settings(), &facts) {
        intake.counts.of_refusal(refusal).inc_by(events.len() as u64);
        return Some(PreparedEvents {
            project_key,
            received_at,
            outcomes: events.map(|event| IngestOutcome::invalid(event.id, refusal.message())).collect(),
            entries: Vec::new(),
            lines: Vec::new(),
        });
    }
    let template = template(project_key.clone(), batch, received_at);
    let scope = template.record.scope();
    let mut outcomes = Vec::with_capacity(events.len());
    let mut entries = Vec::with_capacity(events.len());
    let mut lines = Vec::with_capacity(512 * events.len());
    for PendingEvent { id, read, note: repaired } in events {
        let judged = match read(&template) {
            Ok(mut event) => {
                let is_shorter = shorten_addresses(&mut event.record, &delivery.addresses);
                intake.counts.shortened.inc_by(is_shorter.into());
                let of_reading = notes_of(&event);
                judge(intake, event.record, delivery).await.map(|(record, note)| (record, note, of_reading))
            }
            Err(message) => Err(message.into()),
        };
        let written = judged.and_then(|(record, note, of_reading)| {
            write_line(&record, &mut lines).map_err(Cow::Borrowed)?;
            Ok((record, note, of_reading))
        });
        match written {
            Err(message) => outcomes.push(IngestOutcome::invalid(id, message)),
            Ok((record, note, of_reading)) => {
                let [ahead, unfilled, _, late] = &of_reading;
                intake.counts.late.inc_by(late.is_some().into());
                intake.counts.ahead.inc_by(ahead.is_some().into());
                intake.counts.unfilled.inc_by(unfilled.is_some().into());
                let lost = record.dropped.map_or(0, |lost| lost.min(LOST_MAX) as u64);
                let stored = OutcomeRef { outcome: outcomes.len(), lost, notified: notified_tools(&record, delivery) };
                entries.push((stored, BatchEvent { id: record.id, scope, end: lines.len() }));
                let notes = [repaired, note.map(str::to_owned)].into_iter().chain(of_reading).flatten();
                let notes: Vec<String> = notes.collect();
                let note = (!notes.is_empty()).then(|| Cow::Owned(notes.join(". ")));
                outcomes.push(IngestOutcome { id: id.map(Cow::Borrowed), status: "ok", message: None, note });
            }
        }
        if lines.len() > LINES_MAX {
            return None;
        }
    }
    intake.counts.invalid.inc_by((outcomes.len() - entries.len()) as u64);
    Some(PreparedEvents { project_key, received_at, outcomes, entries, lines })
}

/// Removes from the addresses of a record what the project does not keep. Returns whether there was anything.
fn shorten_addresses(record: &mut Record, filter: &AddressFilter) -> bool {
    let mut is_shorter = false;
    let mut shorten = |address: &str| match filter.shorten(address) {
        Cow::Borrowed(_) => None,
        Cow::Owned(short) => {
            is_shorter = true;
            Some(short)
        }
    };
    for address in [&mut record.url, &mut record.referrer, &mut record.href].into_iter().flatten() {
        if let Some(short) = shorten(address) {
            *address = short;
        }
    }
    for name in ["url", "referrer", "landing_page"] {
        if let Some(Value::String(address)) = record.context.get_mut(name)
            && let Some(short) = shorten(address)
        {
            *address = short;
        }
    }
    is_shorter
}

/// Returns the tools that a page notified of an arm, if the record is a health event that reports them.
fn notified_tools(record: &Record, delivery: &Delivery) -> Option<NotifiedTools> {
    let tools = ToolSet::read(record.integrations.as_deref()?)?;
    let experiment = ExperimentId(record.test_id?);
    // A report from an automated browser does not count as a success.
    (!record.bot).then_some(NotifiedTools { project: delivery.project.id, experiment, tools, at: record.received_at })
}

/// Appends a batch to the log and passes it to the listeners of its visitors. The batch is durable when this returns.
///
/// # Errors
/// `Unavailable` when the log cannot accept it. Nothing is stored then.
pub async fn append(intake: &Intake, batch: Batch) -> Result<Vec<AppendOutcome>> {
    let Some(log) = intake.log() else { return Err(Error::Unavailable { retry_after_s: 5 }) };
    let events = batch.events.len();
    let project_key = batch.project_key.clone();
    let watched = intake.live.wants(&project_key).then(|| batch.lines.clone());
    let taken = log.append(batch).await.map_err(|refused| {
        intake.counts.refused.inc_by(events as u64);
        refusal(&refused)
    })?;
    if let Some(lines) = watched {
        intake.live.publish(&project_key, &lines, &taken);
    }
    Ok(taken)
}

/// Builds the fields that the server adds to every event of a batch.
fn template(project_key: Arc<str>, batch: IncomingBatch<'_>, received_at: Instant) -> EventTemplate {
    let IncomingBatch { sent_at, consent, visitor, country, origin, trust, gpc: _ } = batch;
    let trusted = trust == Trust::Keyed;
    let behind_us = match sent_at {
        Some(sent_at) if !trusted => clock_error_us(received_at.us() - sent_at.us()),
        _ => 0,
    };
    let location = origin.location();
    let agent = &origin.agent;
    let word = |word: Option<&'static str>, name: Option<&Arc<str>>| word.map(Arc::from).or_else(|| name.cloned());
    let record = Record {
        id: Uuid::nil(),
        kind: EventKind::Custom,
        project_key,
        at: received_at,
        received_at,
        visitor,
        bot: agent.is_bot,
        vouched: trusted,
        signed: trust == Trust::Signed,
        consent,
        device: agent.device.map(Arc::from),
        browser: word(agent.browser, agent.browser_name.as_ref()),
        os: word(agent.os, agent.os_name.as_ref()),
        country: match country {
            Some(country) if trusted => Some(country.into()),
            _ => location.and_then(|location| location.country.clone()),
        },
        region: location.and_then(|location| location.region.clone()),
        city: location.and_then(|location| location.city.clone()),
        network: origin.network().map(|network| network.to_string().into()),
        url: None,
        referrer: None,
        session: None,
        test_id: None,
        variant_id: None,
        epoch: None,
        context: Properties::new(),
        by: None,
        trigger: None,
        href: None,
        name: None,
        value: None,
        currency: None,
        order_id: None,
        refund_of: None,
        quantity: None,
        attributes: Properties::new(),
        apply_ms: None,
        hidden_ms: None,
        late: None,
        failed_selectors: None,
        lcp_ms: None,
        error_message: None,
        cls: None,
        inp_ms: None,
        changes: None,
        integrations: None,
        dropped: None,
        errors: None,
        properties: Properties::new(),
    };
    EventTemplate { received_at, behind_us, record }
}

/// Checks that the project has the experiment and the arm that a record names. Returns the record
/// with a note for its sender.
///
/// # Errors
/// The reason why it is invalid, as a sentence.
async fn judge(
    intake: &Intake,
    record: Record,
    delivery: &Delivery,
) -> std::result::Result<(Record, Option<&'static str>), Cow<'static, str>> {
    const NO_ARM: &str = "variant_id is not a variant of this experiment";
    let (Some(test_id), Some(variant)) = (record.test_id, &record.variant_id) else { return Ok((record, None)) };
    let arm = variant.parse::<u32>().unwrap_or(u32::MAX);
    // An epoch ahead of ours comes from a newer ruleset, which may have more arms: a change
    // reaches the other nodes a moment later, and not at all while they are cut off from
    // the database. The results know every epoch and arm, and omit those that never existed.
    // An exposure without an epoch stays without one: the results assign it by its time.
    let is_newer = |shape: &Shape| record.epoch.is_some_and(|epoch| epoch > shape.epoch);
    let admits = |shape: &Shape| arm < shape.arms || is_newer(shape) && arm < ARMS_MAX;
    if let Some(shape) = delivery.shape(test_id).filter(admits) {
        let note = note(&record, &shape);
        return Ok((record, note));
    }
    match stored_shape(intake, delivery.project.id, test_id, admits).await {
        Ok(Some(shape)) if admits(&shape) => {
            let note = note(&record, &shape);
            Ok((record, note))
        }
        Ok(Some(_)) => Err(NO_ARM.into()),
        Ok(None) => Err("test_id is not an experiment of this project".into()),
        // While the database is unavailable, the event is accepted unchecked.
        Err(DatabaseAway) if arm < ARMS_MAX => Ok((record, None)),
        Err(DatabaseAway) => Err(NO_ARM.into()),
    }
}

/// Returns the shape of an experiment from the database, cached for a few seconds. A shape that does
/// not admit the event is used for a shorter time, because the event is lost if the shape is
/// out of date.
///
/// A database that does not answer is not queried again for a moment, so that many events do
/// not wait one after the other.
async fn stored_shape(
    intake: &Intake,
    project: ProjectId,
    test_id: i64,
    admits: impl Fn(&Shape) -> bool,
) -> std::result::Result<Option<Shape>, DatabaseAway> {
    let now = intake.context.clock.now();
    let key = (project.0, test_id);
    if let Some((at, shape)) = intake.shapes.get(&key) {
        let ttl_us = if shape.as_ref().is_some_and(admits) { SHAPE_TTL_US } else { REFUSAL_TTL_US };
        if (0..ttl_us).contains(&(now.us() - at.us())) {
            return Ok(shape);
        }
    }
    let failed_at = || intake.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
    if failed_at().is_some_and(|at| at.elapsed() < RETRY_AFTER) {
        return Err(DatabaseAway);
    }
    let id = ExperimentId(test_id);
    let asked = intake.context.read(move |tx| Box::pin(async move { Ok(experiments::shape(tx, project, id).await?) }));
    match tokio::time::timeout(SHAPE_TIMEOUT, asked).await {
        Ok(Ok(shape)) => {
            intake.shapes.insert(key, (now, shape));
            Ok(shape)
        }
        Ok(Err(_)) | Err(_) => {
            *failed_at() = Some(std::time::Instant::now());
            Err(DatabaseAway)
        }
    }
}

/// Returns by how much a client's clock is behind the server's, negative if it is ahead, in whole minutes.
/// `apart_us` is the time of receipt by the server's clock minus the time of sending by the client's.
///
/// A smaller difference may be network delay, which varies between requests. If it were treated as
/// clock error, a slow exposure would be dated after an action of the visitor a moment later, which
/// would then not count.
fn clock_error_us(apart_us: i64) -> i64 {
    apart_us.saturating_add(MINUTE_US / 2).div_euclid(MINUTE_US) * MINUTE_US
}

/// Notes about how an event was read: its time, an unfilled order number, and a refund that names no order.
fn notes_of(event: &ReadEvent) -> [Option<String>; 4] {
    let ahead = (event.ahead_us > AHEAD_TOLERANCE_US)
        .then(|| "at is in the future by the server's clock, so the event is stored as of its receipt".to_owned());
    let unfilled = event.unfilled.map(|field| match field {
        "order_id" => "order_id looks like an unfilled template value, so it is ignored: an order without a \
                       number counts each time that it is sent"
            .to_owned(),
        _ => format!("{field} looks like an unfilled template value, so it is ignored: the refund matches no order"),
    });
    let ReadEvent { record, .. } = event;
    let is_refund = record.kind == EventKind::Order && record.value.is_some_and(|value| value < 0.0);
    let own = (is_refund && record.vouched && record.order_id.is_some() && record.refund_of.is_none()).then(|| {
        "the refund has no refund_of, so it is deducted from the order with the same order_id. If order_id is the \
         number of the refund, for instance of a credit note, name the order in refund_of"
            .to_owned()
    });
    let late = record.is_late().then(|| {
        "at is more than 24 hours before the receipt, so nothing counts the event: send events of the past with an API key"
            .to_owned()
    });
    [ahead, unfilled, own, late]
}

/// Returns the note for the sender of an exposure that no result counts, because it is dated before
/// the first start.
fn note(record: &Record, shape: &Shape) -> Option<&'static str> {
    // Results store the start in milliseconds.
    let is_early = |start: Instant| record.at.us() < start.us().div_euclid(1_000) * 1_000;
    match shape.started_at {
        _ if record.kind != EventKind::Exposure => None,
        None if shape.epoch == 0 => Some(
            "the experiment has not started, so no result counts this exposure unless you start the experiment with a \
             start before it (status 1 with started_at)",
        ),
        Some(start) if is_early(start) => {
            Some("at is before the experiment first started, so no result counts this exposure")
        }
        _ => None,
    }
}

/// The database does not answer.
struct DatabaseAway;

/// Appends the record as a line of JSON.
fn write_line(record: &Record, lines: &mut Vec<u8>) -> Result<(), &'static str> {
    let start = lines.len();
    if serde_json::to_writer(&mut *lines, record).is_err() || lines.len() - start > EVENT_MAX {
        lines.truncate(start);
        return Err("must have at most 32 KiB");
    }
    lines.push(b'\n');
    Ok(())
}

/// Returns the error for a batch that the log refused. The log itself logs when it starts and stops refusing.
fn refusal(refused: &AppendError) -> Error {
    match refused {
        AppendError::Busy => Error::Unavailable { retry_after_s: 1 },
        AppendError::Unavailable { .. } => Error::Unavailable { retry_after_s: 5 },
        AppendError::TooLarge => Error::TooLarge,
        AppendError::Malformed => Error::internal("a batch of events is malformed"),
    }
}
