//! A client under load. It sends new and old batches until the server is gone.

use super::journal::{Journal, Notes};
use super::traffic::{Batch, EventKey, PROJECTS};
use crate::http::{Account, Answer, Connection};
use crate::violation::{Kind, Violation};
use fastrand::Rng;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of its own batches that a client remembers, to send them again.
const MAX_REMEMBERED_BATCHES: usize = 32;

/// State that all clients of a cycle share.
pub(crate) struct Load<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) accounts: &'a [Account; PROJECTS],
    pub(crate) journal: &'a Journal,
    /// Batches of earlier cycles that were acknowledged.
    pub(crate) earlier: &'a [Batch],
    /// Set right before the server is killed. Until then, a failed request is a violation.
    pub(crate) killing: AtomicBool,
    /// Requests of all clients that were answered so far.
    pub(crate) answered: AtomicU64,
    /// Events that were acknowledged in this cycle, in the order of the answers. A result
    /// has to contain those that were acknowledged before it was requested.
    pub(crate) acknowledged: Mutex<Vec<EventKey>>,
}

impl<'a> Load<'a> {
    pub(crate) fn new(
        address: SocketAddr,
        accounts: &'a [Account; PROJECTS],
        journal: &'a Journal,
        earlier: &'a [Batch],
    ) -> Self {
        let (killing, answered) = (AtomicBool::new(false), AtomicU64::new(0));
        Self { address, accounts, journal, earlier, killing, answered, acknowledged: Mutex::default() }
    }

    /// The events that were acknowledged so far.
    pub(crate) fn acknowledged(&self) -> MutexGuard<'_, Vec<EventKey>> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Outcome of a client.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) notes: Notes,
    /// Events that were acknowledged for the first time.
    pub(crate) acknowledged: u64,
    /// Events that were sent again after they had been acknowledged.
    pub(crate) repeats: u64,
    /// Requests that were answered.
    pub(crate) requests: u64,
    /// Requests that left before the kill and were never answered.
    pub(crate) hits: u64,
    /// Batches without an answer, to be sent again.
    pub(crate) unanswered: Vec<Batch>,
    /// Some batches that were acknowledged.
    pub(crate) answered: VecDeque<Batch>,
    pub(crate) violations: Vec<Violation>,
}

/// Runs until the server is gone.
pub(crate) fn run(load: &Load<'_>, rng: Rng) -> Outcome {
    let mut client = Client { load, rng, outcome: Outcome::default() };
    match Connection::open(load.address) {
        Ok(mut connection) => while client.step(&mut connection).is_some() {},
        Err(error) => client.complain(&error),
    }
    client.outcome
}

/// Sends batches one after the other to a server that is not killed.
pub(crate) fn send_all(load: &Load<'_>, batches: Vec<Batch>) -> Outcome {
    let mut client = Client { load, rng: Rng::with_seed(0), outcome: Outcome::default() };
    match Connection::open(load.address) {
        Ok(mut connection) => {
            for batch in batches {
                if client.send(&mut connection, batch).is_none() {
                    break;
                }
            }
        }
        Err(error) => client.complain(&error),
    }
    client.outcome
}

struct Client<'a> {
    load: &'a Load<'a>,
    rng: Rng,
    outcome: Outcome,
}

impl Client<'_> {
    /// Sends one or two requests. Returns `None` when the client has to stop.
    fn step(&mut self, connection: &mut Connection) -> Option<()> {
        if self.is_over() {
            return None;
        }
        let known = match self.rng.u32(..10) {
            0 => self.rng.choice(self.load.earlier),
            1 => self.rng.choice(&self.outcome.answered),
            _ => None,
        };
        if let Some(known) = known {
            let again = known.clone().sent_otherwise(&mut self.rng);
            self.outcome.repeats += again.keys().count() as u64;
            return self.send(connection, again);
        }
        let batch = Batch::new(&mut self.rng, now_ms());
        if self.rng.u32(..8) == 0 {
            self.send(connection, batch.in_other_project())?;
        }
        self.send(connection, batch)
    }

    fn send(&mut self, connection: &mut Connection, batch: Batch) -> Option<()> {
        let request = batch.request(self.load.accounts, &self.load.journal.recipe);
        let sent = connection.send_bytes(&request);
        let is_in_time = sent.is_ok() && !self.is_over();
        match sent.and_then(|()| connection.receive()) {
            Ok(answer) => self.read(batch, &answer),
            Err(error) => {
                self.outcome.hits += u64::from(is_in_time);
                self.outcome.notes.unanswered(self.load.journal, &batch);
                self.outcome.unanswered.push(batch);
                self.complain(&error);
                None
            }
        }
    }

    fn read(&mut self, batch: Batch, answer: &Answer) -> Option<()> {
        if answer.status == 503 {
            // The machine is too slow for all clients: this one stops, and its batch is
            // sent again later.
            self.outcome.notes.unanswered(self.load.journal, &batch);
            self.outcome.unanswered.push(batch);
            return None;
        }
        let results = answer.body["results"].as_array().filter(|_| answer.status == 200);
        let Some(results) = results else {
            let sentence = format!("events were answered {}", answer.summary());
            self.outcome.violations.push(Violation::new(Kind::Unexpected, "a client", sentence));
            return None;
        };
        self.outcome.requests += 1;
        self.load.answered.fetch_add(1, Ordering::SeqCst);
        let (acknowledged, violation) = self.outcome.notes.answered(self.load.journal, &batch, results);
        self.load.acknowledged().extend(batch.keys());
        self.outcome.acknowledged += acknowledged;
        self.outcome.violations.extend(violation);
        self.outcome.answered.push_back(batch);
        if self.outcome.answered.len() > MAX_REMEMBERED_BATCHES {
            self.outcome.answered.pop_front();
        }
        Some(())
    }

    /// Reports a failed connection as a violation, unless the server is being killed.
    fn complain(&mut self, error: &io::Error) {
        if !self.is_over() {
            let sentence = format!("{error}, while the server was running");
            self.outcome.violations.push(Violation::new(Kind::Unexpected, "a client", sentence));
        }
    }

    fn is_over(&self) -> bool {
        self.load.killing.load(Ordering::SeqCst)
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
