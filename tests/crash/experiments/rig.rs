//! One run: load, kill, start, check, over and over on one database.

use crate::Result;
use crate::experiments::check;
use crate::experiments::ledger::{DRAFT, Ledger, Owned};
use crate::experiments::load::{self, Load};
use crate::experiments::parts::{self, Links};
use crate::experiments::report::Report;
use crate::http::{Account, Answer, Connection, Request};
use crate::place::{Backends, DataLocation, Database};
use crate::server::{self, Server};
use crate::violation::{Kind, Violation};
use fastrand::Rng;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Options of a run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) program: PathBuf,
    pub(crate) clients: usize,
    pub(crate) experiments: usize,
    pub(crate) seed: u64,
}

/// Minimum number of requests that are answered in a cycle before the server is killed.
const MIN_ANSWERED: u64 = 10;
/// Time limit for these answers, longer than they take on any machine.
const LOAD_DEADLINE: Duration = Duration::from_secs(180);
/// Minimum time for which clients load the server, in milliseconds.
const LOAD_MS: std::ops::RangeInclusive<u64> = 20..=150;

pub(crate) struct Rig {
    options: Options,
    rng: Rng,
    pub(crate) ledger: Ledger,
    report: Report,
    account: Account,
    /// Declared before `place`, so that it is killed before its data are deleted.
    server: Server,
    pub(crate) place: DataLocation,
    /// Backends of the server that was killed last.
    orphans: Backends,
}

impl Rig {
    /// Starts a server on a new database, with experiments that have token 0.
    pub(crate) fn new(options: &Options, database: Database) -> Result<Self> {
        let place = DataLocation::new(database)?;
        let account = server::make_project(&options.program, &place, "Rig")?;
        let server = Server::start(&options.program, &place, &[])?;
        let mut connection = Connection::open(server.address)?;
        let mut post = |path: &str, body: &Value, key: &str, name: &str| -> Result<Value> {
            let answer = connection.call(&account, &Request::post(path, body, key))?;
            match answer.status {
                201 => Ok(answer.body[name].clone()),
                _ => Err(format!("POST {path} answered {}", answer.summary()).into()),
            }
        };
        let mut links = Links { hypotheses: [0; 2], goal_keys: [String::new(), String::new()] };
        for number in 0..2 {
            let hypothesis = json!({ "observation": format!("observation {number}") });
            let id = post("/hypothesis", &hypothesis, &format!("hypothesis-{number}"), "hypothesis_id")?;
            links.hypotheses[number] = id.as_i64().unwrap_or(0);
            let goal = json!({ "goal_name": format!("Goal {number}"), "goal_type": "event", "goal_value": "done" });
            let key = post("/goal", &goal, &format!("goal-{number}"), "goal_key")?;
            links.goal_keys[number] = key.as_str().unwrap_or_default().to_owned();
        }
        let mut owned = Vec::with_capacity(options.experiments);
        for number in 0..options.experiments {
            let label = format!("owned-{number}");
            let body = parts::creation(&label, 0, DRAFT, &links);
            let id = post("/create-experiment", &body, &label, "test_id")?;
            owned.push(Owned::new(label, id.as_i64().unwrap_or(0)));
        }
        Ok(Self {
            options: options.clone(),
            rng: Rng::with_seed(options.seed),
            ledger: Ledger { links, owned, created: Vec::new() },
            report: Report::new(database),
            account,
            server,
            place,
            orphans: Vec::new(),
        })
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }

    /// Returns true with probability 1 / `times`.
    pub(crate) fn chance(&mut self, times: u32) -> bool {
        self.rng.u32(..times) == 0
    }

    /// Runs the clients for a moment, and kills the server under load.
    pub(crate) fn load_and_kill(&mut self) -> Result<()> {
        self.report.findings.cycles += 1;
        // The number of draws in a cycle depends on the kill, so each cycle has its own seed.
        self.rng = Rng::with_seed(self.options.seed.wrapping_add(self.report.findings.cycles.into()));
        let load_ms = self.rng.u64(LOAD_MS);
        let load = &Load {
            address: self.server.address,
            account: &self.account,
            links: &self.ledger.links,
            cycle: self.report.findings.cycles,
            killing: AtomicBool::new(false),
            answered: AtomicU64::new(0),
        };
        let shares = shared_out(&mut self.ledger.owned, self.options.clients);
        let (rng, server) = (&mut self.rng, &mut self.server);
        let (killed, outcomes) = thread::scope(|scope| {
            let clients: Vec<_> = shares
                .into_iter()
                .enumerate()
                .map(|(number, share)| {
                    let rng = rng.fork();
                    scope.spawn(move || load::run(load, number, share, rng))
                })
                .collect();
            thread::sleep(Duration::from_millis(load_ms));
            // On a slow machine, this time may be too short for any answers.
            let end = Instant::now() + LOAD_DEADLINE;
            while load.answered.load(Ordering::SeqCst) < MIN_ANSWERED
                && clients.iter().any(|client| !client.is_finished())
                && Instant::now() < end
            {
                thread::sleep(Duration::from_millis(1));
            }
            load.killing.store(true, Ordering::SeqCst);
            let killed = server.kill();
            let outcomes: Vec<_> = clients.into_iter().map(thread::ScopedJoinHandle::join).collect();
            (killed, outcomes)
        });
        killed?;
        let mut unanswered = 0;
        for outcome in outcomes {
            let outcome = outcome.map_err(|_| "a client panicked")?;
            unanswered += outcome.unanswered;
            self.report.patches += outcome.patches;
            self.report.creates += outcome.created.iter().filter(|created| created.id.is_some()).count() as u64;
            self.report.findings.add(outcome.violations);
            self.ledger.created.extend(outcome.created);
        }
        self.report.unanswered += unanswered;
        self.report.hits += u32::from(unanswered > 0);
        Ok(())
    }

    /// Starts the server on the data that the killed one left, without a delay: PostgreSQL
    /// may still be busy with that one's last commit.
    pub(crate) fn start_again(&mut self) -> Result<()> {
        self.orphans = self.place.backends()?;
        self.server = Server::start(&self.options.program, &self.place, &[])?;
        Ok(())
    }

    /// Compares everything with what was acknowledged. With `look_inside`, the database
    /// itself is read, too. Returns the new violations.
    pub(crate) fn check(&mut self, look_inside: bool) -> Result<Vec<Violation>> {
        let mut connection = Connection::open(self.server.address)?;
        let mut violations = self.send_again(&mut connection)?;
        self.place.wait_for_end(&self.orphans)?;

        for owned in &mut self.ledger.owned {
            let answer = details(&mut connection, &self.account, owned.id)?;
            let seen = check::owned(owned, &answer, &self.ledger.links);
            self.report.applied += u64::from(seen.has_pending);
            violations.extend(seen.violations);
        }
        for created in self.ledger.created.iter().filter(|created| created.cycle == self.report.findings.cycles) {
            let Some(id) = created.id else { continue };
            let answer = details(&mut connection, &self.account, id)?;
            violations.extend(check::created(created, &answer, &self.ledger.links));
        }
        if look_inside {
            let rows = self.place.ask(&[check::INSIDE])?.remove(0);
            violations.extend(check::inside(rows, &self.ledger)?);
        }
        Ok(self.report.findings.add(violations))
    }

    /// Sends the unanswered creations again, as a client would, and one answered creation:
    /// it must give the same experiment.
    fn send_again(&mut self, connection: &mut Connection) -> Result<Vec<Violation>> {
        let mut violations = Vec::new();
        let cycle = self.report.findings.cycles;
        let mut latest: Vec<_> = self.ledger.created.iter_mut().filter(|created| created.cycle == cycle).collect();
        let answered: Vec<usize> = (0..latest.len()).filter(|&index| latest[index].id.is_some()).collect();
        let again = self.rng.choice(answered);
        for (index, created) in latest.iter_mut().enumerate() {
            if created.id.is_some() && Some(index) != again {
                continue;
            }
            let body = parts::creation(&created.label, created.token, created.status, &self.ledger.links);
            let request = Request::post("/create-experiment", &body, created.idempotency_key());
            let answer = connection.call(&self.account, &request)?;
            let mut add = |kind, sentence| violations.push(Violation::new(kind, &created.label, sentence));
            match (created.id, answer.body["test_id"].as_i64()) {
                (None, Some(id)) if answer.status == 201 => {
                    created.id = Some(id);
                    self.report.creates += 1;
                    self.report.creates_again += 1;
                    self.report.applied += u64::from(answer.is_replayed);
                }
                (Some(known), Some(id)) if answer.status == 201 && known == id && answer.is_replayed => {}
                (Some(known), Some(id)) if answer.status == 201 => {
                    add(Kind::Duplicated, format!("it was acknowledged as {known}, and sent again as {id}"));
                }
                _ => add(Kind::Unexpected, format!("sent again it answers {}", answer.summary())),
            }
        }
        Ok(violations)
    }

    /// Runs the last checks: of every created experiment, the list, and the file.
    pub(crate) fn finish(mut self) -> Result<Report> {
        let mut connection = Connection::open(self.server.address)?;
        let mut violations = Vec::new();
        for created in &self.ledger.created {
            let Some(id) = created.id else { continue };
            let answer = details(&mut connection, &self.account, id)?;
            violations.extend(check::created(created, &answer, &self.ledger.links));
        }
        violations.extend(check::listed(&self.listed(&mut connection)?, &self.ledger));
        self.server.kill()?;
        let said = self.place.integrity()?;
        self.report.file_is_sound = self.place.file().map(|_| said.is_empty());
        violations.extend(said.into_iter().map(|line| Violation::new(Kind::Mixed, "the file", line)));
        self.report.findings.add(violations);
        self.report.findings.finish(|| self.place.keep());
        Ok(self.report)
    }

    fn listed(&self, connection: &mut Connection) -> Result<Vec<i64>> {
        let mut ids = Vec::new();
        loop {
            let path = format!("/experiments?limit=500&offset={}", ids.len());
            let answer = connection.call(&self.account, &Request::get(path))?;
            let page = answer.body["experiments"].as_array().ok_or_else(|| answer.summary())?;
            if page.is_empty() {
                return Ok(ids);
            }
            ids.extend(page.iter().filter_map(|experiment| experiment["test_id"].as_i64()));
        }
    }

    /// Sends a request that the ledger does not record.
    pub(crate) fn call(&self, request: &Request<'_>) -> Result<Answer> {
        Connection::open(self.server.address)?.call(&self.account, request)
    }

    /// Kills the server without starting it again.
    pub(crate) fn stop(&mut self) -> Result<()> {
        self.server.kill()
    }
}

/// Divides the experiments into equal shares, as far as possible. With more clients than
/// experiments, some shares are empty, and their clients only create.
fn shared_out(mut owned: &mut [Owned], clients: usize) -> Vec<&mut [Owned]> {
    let mut shares = Vec::with_capacity(clients);
    for left in (1..=clients).rev() {
        let (share, rest) = owned.split_at_mut(owned.len().div_ceil(left));
        shares.push(share);
        owned = rest;
    }
    shares
}

fn details(connection: &mut Connection, account: &Account, id: i64) -> Result<Answer> {
    connection.call(account, &Request::get(format!("/experiment/{id}")))
}
