//! Events on their way into the log.

mod batch;

use crate::app::App;
use crate::body::EXPANDED_LIMIT;
use crate::error::ApiError;
use crate::json::Json;
use crate::metrics::EventCounts;
use crate::room::Room;
use crate::rulesets::Delivery;
use crate::visitor::Origin;
use crate::wire::event::{Common, EVENT_MAX, Parcel, id_of, record};
use muriel_domain::Instant;
use muriel_domain::experiment::VARIANTS_MAX;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_events::log::{Batch, Entry, Log, Refused, Taken};
use muriel_events::{Consent, Kind, Properties, Record};
use muriel_store::experiments::{self, Shape};
use quick_cache::sync::Cache;
use serde::Serialize;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use uuid::Uuid;

/// Bytes of bodies that are on their way at one time.
const ARRIVING: usize = 96 << 20;
/// Bytes that bodies may take while they are looked at and written.
const BODIES: usize = 128 << 20;
/// Bytes that batches of many visitors take, from their arrival to their answer. They
/// have a budget of their own, so that they never keep visitors' events waiting.
const BATCHES: usize = 128 << 20;
/// What a body takes then, for each of its bytes: many small values take most.
const TIMES: usize = 6;
/// What a record has besides its event and its visitor.
const BESIDES: usize = 512;
/// Bytes of records that one request may become.
const LINES_MAX: usize = 8 << 20;
/// Experiments whose shapes in the database are cached.
const SHAPES: usize = 10_000;
/// How long such a shape is believed when it admits an event.
const SHAPE_US: i64 = 5_000_000;
/// The same when it refuses one: the experiment or the arm may have been made since.
const REFUSAL_US: i64 = 200_000;
/// No experiment has this arm or a later one.
const ARMS_MAX: u32 = VARIANTS_MAX as u32 + 1;
/// What clocks of clients are set right by.
const MINUTE_US: i64 = 60_000_000;
/// How long an event waits for the database to tell one.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long the database is left alone after it told none.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// Lost events that one health event counts: pages keep fewer, and anybody can send one.
const LOST_MAX: f64 = 1_000.0;

/// Where events go.
pub(crate) struct Intake {
    pub(crate) log: OnceLock<Log>,
    counts: EventCounts,
    pub(crate) arriving: Room,
    pub(crate) bodies: Room,
    pub(crate) batches: Room,
    shapes: Cache<(i64, i64), (Instant, Option<Shape>)>,
    /// When the database did not tell one, last.
    asked_in_vain: Mutex<Option<std::time::Instant>>,
}

/// What became of one event.
#[derive(Serialize)]
pub(crate) struct Outcome<'j> {
    pub(crate) id: Option<Cow<'j, str>>,
    pub(crate) status: &'static str,
    /// Why it is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Cow<'static, str>>,
    /// What to know of an event that is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<Cow<'static, str>>,
}

/// An event that was handed to the log.
struct Place {
    /// Which of the outcomes is its own.
    outcome: usize,
    /// How many others its page says to have lost.
    lost: u64,
}

impl<'j> Outcome<'j> {
    fn invalid(event: &'j Json, message: impl Into<Cow<'static, str>>) -> Self {
        Self { id: id_of(event).map(Cow::Borrowed), status: "invalid", message: Some(message.into()), note: None }
    }
}

/// Events that were judged: those that are good are written as the log takes them.
struct Draft<'j> {
    project_key: Arc<str>,
    received_at: Instant,
    /// One for each event, in order.
    outcomes: Vec<Outcome<'j>>,
    /// Each event that is `ok`, with the place of its outcome.
    entries: Vec<(Place, Entry)>,
    lines: Vec<u8>,
}

impl Intake {
    pub(crate) fn new(log: Option<Log>, counts: EventCounts) -> Self {
        Self {
            log: log.map(OnceLock::from).unwrap_or_default(),
            counts,
            arriving: Room::new(ARRIVING),
            bodies: Room::new(BODIES),
            batches: Room::new(BATCHES),
            shapes: Cache::new(SHAPES),
            asked_in_vain: Mutex::default(),
        }
    }
}

/// Bytes that a body takes in memory, at most, when it is read.
pub(crate) fn room_to_read(bytes: usize) -> usize {
    TIMES * bytes
}

/// The same with its records: each repeats its visitor.
pub(crate) fn room_to_write(bytes: usize, parcel: &Parcel<'_>) -> usize {
    let visitor = serde_json::to_string(&parcel.visitor).map_or(0, |visitor| visitor.len());
    room_to_read(bytes) + (parcel.events.len() * (visitor + BESIDES)).min(LINES_MAX)
}

/// Events of one request, and what is known about whoever sent them.
pub(crate) struct Arrival<'j> {
    pub(crate) parcel: Parcel<'j>,
    pub(crate) origin: Origin,
    /// Whether a key vouches for them.
    pub(crate) trusted: bool,
}

impl App {
    /// Takes events: when this answers, each that is `ok` is durable.
    ///
    /// # Errors
    /// `Unavailable` when the log cannot take them; then none was taken.
    pub(crate) async fn take<'j>(
        &self,
        delivery: &Delivery,
        arrival: Arrival<'j>,
    ) -> Result<Vec<Outcome<'j>>, ApiError> {
        let draft = self.draft(delivery, arrival, self.clock.now()).await;
        let Some(Draft { project_key, received_at, mut outcomes, entries, lines }) = draft else {
            return Err(ApiError::BodyTooLarge { limit: EXPANDED_LIMIT });
        };
        if entries.is_empty() {
            return Ok(outcomes);
        }
        let (places, events): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let taken = self.store(Batch { project_key, received_at, events, lines }).await?;
        for (place, taken) in places.into_iter().zip(taken) {
            self.intake.counts.tell(&mut outcomes[place.outcome], place.lost, taken);
        }
        Ok(outcomes)
    }

    /// Judges events and writes those that are good; none when they have more than
    /// [`LINES_MAX`] bytes then.
    async fn draft<'j>(&self, delivery: &Delivery, arrival: Arrival<'j>, received_at: Instant) -> Option<Draft<'j>> {
        let (events, flaws) = (arrival.parcel.events, arrival.parcel.flaws);
        if arrival.parcel.consent == Some(Consent::Denied) {
            let message = "not stored: the visitor's consent is denied";
            return Some(Draft {
                project_key: delivery.project.key.as_str().into(),
                received_at,
                outcomes: events.iter().map(|event| Outcome::invalid(event, message)).collect(),
                entries: Vec::new(),
                lines: Vec::new(),
            });
        }
        let common = self.common(delivery, arrival, received_at);
        let scope = common.record.scope();
        let mut outcomes = Vec::with_capacity(events.len());
        let mut entries = Vec::with_capacity(events.len());
        let mut lines = Vec::with_capacity(512 * events.len());
        for (index, event) in events.iter().enumerate() {
            let judged = match flaws.refusal(index) {
                Some(refusal) => Err(refusal),
                None => self.judged(event, &common, delivery).await,
            };
            match judged {
                Err(message) => outcomes.push(Outcome::invalid(event, message)),
                Ok((record, note)) => match written(&record, &mut lines) {
                    Err(message) => outcomes.push(Outcome::invalid(event, message)),
                    Ok(()) => {
                        let lost = record.dropped.map_or(0, |lost| lost.min(LOST_MAX) as u64);
                        let place = Place { outcome: outcomes.len(), lost };
                        entries.push((place, Entry { id: record.id, scope, end: lines.len() }));
                        // What was mended, and what else there is to say.
                        let told = [flaws.note(index), note.map(str::to_owned)];
                        let told = told.into_iter().flatten().collect::<Vec<_>>().join(". ");
                        let note = (!told.is_empty()).then_some(Cow::Owned(told));
                        let id = id_of(event).map(Cow::Borrowed);
                        outcomes.push(Outcome { id, status: "ok", message: None, note });
                    }
                },
            }
            if lines.len() > LINES_MAX {
                return None;
            }
        }
        self.intake.counts.invalid.inc_by((outcomes.len() - entries.len()) as u64);
        let Common { project_key, received_at, .. } = common;
        Some(Draft { project_key, received_at, outcomes, entries, lines })
    }

    /// Puts a batch into the log, where it is durable when this answers.
    ///
    /// # Errors
    /// `Unavailable` when the log cannot take it; then nothing of it was taken.
    async fn store(&self, batch: Batch) -> Result<Vec<Taken>, ApiError> {
        let Some(log) = self.intake.log.get() else { return Err(ApiError::Unavailable { retry_after_s: 5 }) };
        let events = batch.events.len();
        log.append(batch).await.map_err(|refused| {
            self.intake.counts.refused.inc_by(events as u64);
            refusal(&refused)
        })
    }

    /// What the server adds to every event of a request.
    fn common(&self, delivery: &Delivery, arrival: Arrival<'_>, received_at: Instant) -> Common {
        let Arrival { parcel, origin, trusted } = arrival;
        let behind_us = match parcel.sent_at {
            Some(sent_at) if !trusted => clock_error_us(received_at.us() - sent_at.us()),
            _ => 0,
        };
        let project_key: Arc<str> = delivery.project.key.as_str().into();
        let place = origin.place();
        let agent = &origin.agent;
        let word = |word: Option<&'static str>, name: Option<&Arc<str>>| word.map(Arc::from).or_else(|| name.cloned());
        let record = Record {
            id: Uuid::nil(),
            kind: Kind::Custom,
            project_key: project_key.clone(),
            at: received_at,
            received_at,
            visitor: parcel.visitor,
            bot: agent.is_bot,
            vouched: trusted,
            consent: parcel.consent,
            device: agent.device.map(Arc::from),
            browser: word(agent.browser, agent.browser_name.as_ref()),
            os: word(agent.os, agent.os_name.as_ref()),
            country: match parcel.told.country {
                Some(country) if trusted => Some(country.into()),
                _ => place.and_then(|place| place.country.clone()),
            },
            region: place.and_then(|place| place.region.clone()),
            city: place.and_then(|place| place.city.clone()),
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
            changes: None,
            dropped: None,
            errors: None,
            properties: Properties::new(),
        };
        Common { project_key, received_at, behind_us, record }
    }

    /// An event as it will be stored, with what its sender should know.
    ///
    /// # Errors
    /// Why it is invalid, in a sentence.
    async fn judged(
        &self,
        event: &Json,
        common: &Common,
        delivery: &Delivery,
    ) -> Result<(Record, Option<&'static str>), String> {
        let record = record(event, common)?;
        let (Some(test_id), Some(variant)) = (record.test_id, &record.variant_id) else { return Ok((record, None)) };
        let arm = variant.parse::<u32>().unwrap_or(u32::MAX);
        // An epoch ahead of ours comes from a newer ruleset, which may have more arms: a change
        // reaches the other nodes a moment later, and not at all while they are cut off from
        // the database. The results know every epoch and arm, and leave out what never was.
        // An exposure without an epoch stays without one: the results place it by its time.
        let is_newer = |shape: &Shape| record.epoch.is_some_and(|epoch| epoch > shape.epoch);
        let admits = |shape: &Shape| arm < shape.arms || is_newer(shape) && arm < ARMS_MAX;
        if let Some(shape) = delivery.shape(test_id).filter(admits) {
            let note = note(&record, &shape);
            return Ok((record, note));
        }
        match self.stored_shape(delivery.project.id, test_id, admits).await {
            Ok(Some(shape)) if admits(&shape) => {
                let note = note(&record, &shape);
                Ok((record, note))
            }
            Ok(Some(_)) => Err("variant_id is no arm of this experiment".to_owned()),
            Ok(None) => Err("test_id is no experiment of this project".to_owned()),
            // While the database is away events are taken at their word.
            Err(Away) if arm < ARMS_MAX => Ok((record, None)),
            Err(Away) => Err("variant_id is no arm of this experiment".to_owned()),
        }
    }

    /// What an exposure can name of an experiment, from the database as of a moment ago.
    /// A shape that does not admit the event is older for a shorter time: the event is
    /// lost if the shape is out of date.
    ///
    /// A database that does not answer is not asked again for a moment, so that many
    /// events do not wait one after the other.
    async fn stored_shape(
        &self,
        project: ProjectId,
        test_id: i64,
        admits: impl Fn(&Shape) -> bool,
    ) -> Result<Option<Shape>, Away> {
        let now = self.clock.now();
        let key = (project.0, test_id);
        if let Some((at, shape)) = self.intake.shapes.get(&key) {
            let believed_us = if shape.as_ref().is_some_and(admits) { SHAPE_US } else { REFUSAL_US };
            if (0..believed_us).contains(&(now.us() - at.us())) {
                return Ok(shape);
            }
        }
        let asked_in_vain = || self.intake.asked_in_vain.lock().unwrap_or_else(PoisonError::into_inner);
        if asked_in_vain().is_some_and(|at| at.elapsed() < ASK_AGAIN) {
            return Err(Away);
        }
        match tokio::time::timeout(PATIENCE, self.shape_in_database(project, test_id)).await {
            Ok(Ok(shape)) => {
                self.intake.shapes.insert(key, (now, shape));
                Ok(shape)
            }
            Ok(Err(_)) | Err(_) => {
                *asked_in_vain() = Some(std::time::Instant::now());
                Err(Away)
            }
        }
    }

    async fn shape_in_database(&self, project: ProjectId, test_id: i64) -> Result<Option<Shape>, ApiError> {
        let id = ExperimentId(test_id);
        self.read(move |tx| Box::pin(async move { Ok(experiments::shape(tx, project, id).await?) })).await
    }
}

impl EventCounts {
    /// Counts an event that the log has taken, with how many others its page says to have
    /// lost, and says so in its outcome.
    fn tell(&self, outcome: &mut Outcome<'_>, lost: u64, taken: Taken) {
        match taken {
            Taken::Stored => {
                self.stored.inc();
                self.lost_by_pages.inc_by(lost);
            }
            Taken::Repeated => {
                self.repeated.inc();
                outcome.status = "duplicate";
                outcome.note = None;
            }
        }
    }
}

/// How far a client's clock is behind ours, or ahead if negative, of a request that
/// was received `apart_us` after it was sent by that clock: whole minutes.
///
/// What is less may be the way, which is longer for one request than for the next.
/// Were it taken for the clock's error, a slow exposure would be dated after what
/// the visitor did a moment later, which would not count.
fn clock_error_us(apart_us: i64) -> i64 {
    apart_us.saturating_add(MINUTE_US / 2).div_euclid(MINUTE_US) * MINUTE_US
}

/// What the sender of an exposure should know that no result counts, as it is dated before
/// the first start.
fn note(record: &Record, shape: &Shape) -> Option<&'static str> {
    // Results know the start in milliseconds.
    let is_early = |start: Instant| record.at.us() < start.us().div_euclid(1_000) * 1_000;
    match shape.started_at {
        _ if record.kind != Kind::Exposure => None,
        None if shape.epoch == 0 => Some(
            "the experiment has not started, so no result counts this exposure unless the experiment is given a start \
             before it (status 1 with started_at)",
        ),
        Some(start) if is_early(start) => {
            Some("at is before the experiment first started, so no result counts this exposure")
        }
        _ => None,
    }
}

/// The database does not answer.
struct Away;

/// Writes the record as a line.
fn written(record: &Record, lines: &mut Vec<u8>) -> Result<(), &'static str> {
    let start = lines.len();
    if serde_json::to_writer(&mut *lines, record).is_err() || lines.len() - start > EVENT_MAX {
        lines.truncate(start);
        return Err("must have at most 32 KiB");
    }
    lines.push(b'\n');
    Ok(())
}

/// The log says in its own words when it begins and ends to refuse.
fn refusal(refused: &Refused) -> ApiError {
    match refused {
        Refused::Busy => ApiError::Unavailable { retry_after_s: 1 },
        Refused::Unavailable { .. } => ApiError::Unavailable { retry_after_s: 5 },
        Refused::TooLarge => ApiError::BodyTooLarge { limit: EXPANDED_LIMIT },
        Refused::Malformed => ApiError::internal("a batch of events was not made well"),
    }
}
