//! A client under load. It changes its experiments and creates new ones until the
//! server is gone.

use crate::experiments::ledger::{Created, DRAFT, INACTIVE, LIVE, Owned, State};
use crate::experiments::parts::{self, Links};
use crate::http::{Account, Answer, Connection, Request};
use crate::violation::{Kind, Violation};
use fastrand::Rng;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// State that all clients of a cycle share.
pub(crate) struct Load<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) account: &'a Account,
    pub(crate) links: &'a Links,
    pub(crate) cycle: u32,
    /// Set right before the server is killed. Until then, a failed request is a violation.
    pub(crate) killing: AtomicBool,
    /// Requests of all clients that were answered so far.
    pub(crate) answered: AtomicU64,
}

/// Outcome of a client.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Changes that were acknowledged.
    pub(crate) patches: u64,
    /// Requests that left before the kill and were never answered.
    pub(crate) unanswered: u64,
    /// Experiments whose creation it requested.
    pub(crate) created: Vec<Created>,
    pub(crate) violations: Vec<Violation>,
}

/// Runs client number `number` on its own experiments. Each experiment has at most one
/// request in flight, so that one of two states must be found afterwards.
pub(crate) fn run(load: &Load<'_>, number: usize, owned: &mut [Owned], rng: Rng) -> Outcome {
    let mut client = Client { load, number, rng, outcome: Outcome::default() };
    match Connection::open(load.address) {
        Ok(mut connection) => while client.step(&mut connection, owned).is_some() {},
        Err(error) => client.complain("connecting", error.to_string()),
    }
    client.outcome
}

struct Client<'a> {
    load: &'a Load<'a>,
    number: usize,
    rng: Rng,
    outcome: Outcome,
}

impl Client<'_> {
    /// Sends one request. Returns `None` when the client has to stop.
    fn step(&mut self, connection: &mut Connection, owned: &mut [Owned]) -> Option<()> {
        if self.is_over() {
            return None;
        }
        let action = self.rng.u32(..20);
        if owned.is_empty() || action == 0 {
            return self.create(connection);
        }
        let experiment = &mut owned[self.rng.usize(..owned.len())];
        if action < 3 { self.toggle(connection, experiment) } else { self.patch(connection, experiment) }
    }

    fn patch(&mut self, connection: &mut Connection, experiment: &mut Owned) -> Option<()> {
        let token = experiment.last_token + 1;
        experiment.last_token = token;
        experiment.pending = Some(experiment.known.patched(token));
        let body = parts::patch(&experiment.label, token, self.load.links);
        self.change(connection, experiment, &Request::patch(format!("/experiment/{}", experiment.id), &body))
    }

    fn toggle(&mut self, connection: &mut Connection, experiment: &mut Owned) -> Option<()> {
        let after = experiment.known.toggled();
        experiment.pending = Some(after);
        let body = json!({ "status": after.status });
        self.change(connection, experiment, &Request::patch(format!("/experiment/{}/status", experiment.id), &body))
    }

    fn change(&mut self, connection: &mut Connection, experiment: &mut Owned, request: &Request<'_>) -> Option<()> {
        let answer = self.call(connection, request, 200)?;
        let after = experiment.pending.take().unwrap_or(experiment.known);
        if answer.revision() != Some(after.revision) {
            let sentence = format!("the answer to revision {} has the tag {:?}", after.revision, answer.etag);
            self.outcome.violations.push(Violation::new(Kind::Miscounted, &experiment.label, sentence));
        }
        experiment.known = after;
        self.outcome.patches += 1;
        Some(())
    }

    fn create(&mut self, connection: &mut Connection) -> Option<()> {
        let mut created = Created {
            label: format!("made-{}-{}-{}", self.load.cycle, self.number, self.outcome.created.len()),
            token: self.rng.u64(..1_000),
            status: [DRAFT, LIVE, INACTIVE][self.rng.usize(..3)],
            id: None,
            cycle: self.load.cycle,
        };
        let body = parts::creation(&created.label, created.token, created.status, self.load.links);
        let request = Request::post("/create-experiment", &body, created.idempotency_key());
        let answer = self.call(connection, &request, 201);
        created.id = answer.as_ref().and_then(|answer| answer.body["test_id"].as_i64());
        self.outcome.created.push(created);
        answer.map(drop)
    }

    /// Sends a request. Returns the answer if its status is `due`.
    fn call(&mut self, connection: &mut Connection, request: &Request<'_>, due: u16) -> Option<Answer> {
        let sent = connection.send(self.load.account, request);
        let is_in_time = sent.is_ok() && !self.is_over();
        match sent.and_then(|()| connection.receive()) {
            Ok(answer) if answer.status == due => {
                self.load.answered.fetch_add(1, Ordering::SeqCst);
                Some(answer)
            }
            // The machine is too slow for all clients. The check shows whether the request was applied.
            Ok(answer) if answer.status == 503 => None,
            Ok(answer) => {
                let sentence = format!("{} {} answered {}", request.method, request.path, answer.summary());
                self.outcome.violations.push(Violation::new(Kind::Unexpected, &self.name(), sentence));
                None
            }
            Err(error) => {
                self.outcome.unanswered += u64::from(is_in_time);
                self.complain(&request.path, error.to_string());
                None
            }
        }
    }

    /// Reports a failed connection as a violation, unless the server is being killed.
    fn complain(&mut self, doing: &str, error: String) {
        if !self.is_over() {
            let sentence = format!("{doing}: {error}, while the server was running");
            self.outcome.violations.push(Violation::new(Kind::Unexpected, &self.name(), sentence));
        }
    }

    fn is_over(&self) -> bool {
        self.load.killing.load(Ordering::SeqCst)
    }

    fn name(&self) -> String {
        format!("client {}", self.number)
    }
}

impl Owned {
    /// A new draft with token 0.
    pub(crate) fn new(label: String, id: i64) -> Self {
        Self { label, id, known: State::new(0, DRAFT), pending: None, last_token: 0 }
    }
}
