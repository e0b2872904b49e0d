//! Kills the server while clients send events, starts it again, and checks that each
//! event that it acknowledged counts once: in the log, and in the result of an
//! experiment.

mod check;
mod client;
pub(crate) mod control;
mod journal;
pub(crate) mod report;
mod results;
mod tamper;
mod traffic;

use crate::Result;
use crate::http::Account;
use crate::place::{DataLocation, Database};
use crate::server::{self, Server};
use crate::violation::{Kind, Violation};
use client::{Load, Outcome};
use fastrand::Rng;
use journal::{Fate, Journal};
use muriel_log::{LogReader, Position};
use muriel_warehouse::request_rebuild;
use report::Report;
use results::{ReadResult, ResultReads};
use std::fs::{self, OpenOptions};
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use traffic::{Batch, EventKey, PROJECTS, Recipe};

/// Options of a run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) program: PathBuf,
    pub(crate) clients: usize,
    pub(crate) seed: u64,
    /// Minimum time for which clients load the server, in milliseconds.
    pub(crate) load_ms: RangeInclusive<u64>,
}

/// Minimum number of requests that are answered in a cycle before the server is killed.
const MIN_ANSWERED: u64 = 60;
/// Time limit for these answers, longer than they take on any machine.
const LOAD_DEADLINE: Duration = Duration::from_secs(180);
/// Maximum number of acknowledged batches that are remembered, to be sent again in later cycles.
const EARLIER: usize = 2_000;
/// Number of cycles after which the whole log is checked again.
const WHOLE: u32 = 20;

/// One run on one data directory.
pub(crate) struct Rig {
    options: Options,
    pub(crate) rng: Rng,
    journal: Journal,
    accounts: [Account; PROJECTS],
    pub(crate) report: Report,
    earlier: Vec<Batch>,
    unanswered: Vec<Batch>,
    /// Results that the next check of the log verifies.
    reads: Vec<ReadResult>,
    /// Events that were acknowledged since the last check of the log, in the order of the answers.
    acknowledged: Vec<EventKey>,
    /// Position up to which the log has been read.
    last: Position,
    /// Files of the warehouse of an earlier cycle: the database and its write-ahead log.
    kept_warehouse: [Option<Vec<u8>>; 2],
    /// Declared before `place`, so that it is killed before its data are deleted.
    pub(crate) server: Server,
    pub(crate) place: DataLocation,
}

impl Rig {
    /// Starts a server with two projects, each with a live experiment, and an empty log.
    pub(crate) fn new(options: &Options, name: &'static str, place: DataLocation, settings: &[&str]) -> Result<Self> {
        let first = server::make_project(&options.program, &place, "Rig")?;
        let second = server::make_project(&options.program, &place, "Other")?;
        let server = Server::start(&options.program, &place, settings)?;
        let accounts = [first, second];
        let mut recipe = Recipe { salt: options.seed, ..Recipe::default() };
        for (test, account) in recipe.tests.iter_mut().zip(&accounts) {
            *test = results::make_experiment(server.address, account)?;
        }
        recipe.began_ms = i64::try_from(client::now_ms())? + 1;
        // No event may be dated after its arrival: the server would correct its time.
        std::thread::sleep(std::time::Duration::from_millis(2));
        Ok(Self {
            options: options.clone(),
            rng: Rng::with_seed(options.seed),
            journal: Journal { recipe, ..Journal::default() },
            accounts,
            report: Report::new(name),
            earlier: Vec::new(),
            unanswered: Vec::new(),
            reads: Vec::new(),
            acknowledged: Vec::new(),
            last: Position::default(),
            kept_warehouse: [None, None],
            server,
            place,
        })
    }

    /// Runs the clients for a moment, and kills the server under load. Results are
    /// requested all the time. With `freeze`, the server is stopped before the kill,
    /// `meanwhile` runs while clients wait, and no results are requested: a result may
    /// count events that no disk has yet.
    pub(crate) fn load(&mut self, freeze: bool, meanwhile: impl FnOnce() -> Result<()>) -> Result<()> {
        self.report.findings.cycles += 1;
        // The number of draws in a cycle depends on the kill, so each cycle has its own seed.
        self.rng = Rng::with_seed(self.options.seed.wrapping_add(self.report.findings.cycles.into()));
        let load_ms = self.rng.u64(self.options.load_ms.clone());
        let load = Load::new(self.server.address, &self.accounts, &self.journal, &self.earlier);
        let load = &load;
        let (rng, server) = (&mut self.rng, &mut self.server);
        let (ended, outcomes, asked) = thread::scope(|scope| {
            let asking = (!freeze).then(|| scope.spawn(|| results::under_load(load)));
            let clients: Vec<_> = (0..self.options.clients)
                .map(|_| {
                    let rng = rng.fork();
                    scope.spawn(move || client::run(load, rng))
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
            let frozen = if freeze { server.freeze() } else { Ok(()) };
            load.killing.store(true, Ordering::SeqCst);
            let ended = frozen.and_then(|()| meanwhile());
            // Clients wait for answers as long as the server lives.
            let killed = server.kill();
            let outcomes: Vec<_> = clients.into_iter().map(thread::ScopedJoinHandle::join).collect();
            let asked = asking.map_or_else(|| Ok(ResultReads::default()), thread::ScopedJoinHandle::join);
            (ended.and(killed), outcomes, asked)
        });
        ended?;
        let mut asked = asked.map_err(|_| "whoever asked for results panicked")?;
        let acknowledged = std::mem::take(&mut *load.acknowledged());
        asked.reads.iter_mut().for_each(|read| read.before += self.acknowledged.len());
        self.report.results_under_load += asked.reads.len() as u64;
        self.hear(asked);
        self.acknowledged.extend(acknowledged);
        let mut hits = 0;
        for outcome in outcomes {
            let outcome = outcome.map_err(|_| "a client panicked")?;
            hits += outcome.hits;
            self.report.acknowledged += outcome.acknowledged;
            self.take(outcome);
        }
        self.report.hits += u32::from(hits > 0);
        self.report.unanswered += hits;
        Ok(())
    }

    fn take(&mut self, outcome: Outcome) {
        self.report.requests += outcome.requests;
        self.report.repeats += outcome.repeats;
        self.report.findings.add(outcome.violations);
        self.journal.learn(outcome.notes);
        self.unanswered.extend(outcome.unanswered);
        for batch in outcome.answered {
            if self.earlier.len() < EARLIER {
                self.earlier.push(batch);
            } else {
                let place = self.rng.usize(..EARLIER);
                self.earlier[place] = batch;
            }
        }
    }

    fn hear(&mut self, asked: ResultReads) {
        self.report.not_loaded += asked.not_loaded;
        self.report.findings.add(asked.violations);
        self.reads.extend(asked.reads);
    }

    /// Requests the result of each project while nobody sends events. It has to count what
    /// is acknowledged, and nothing that was not sent; the next check of the log compares
    /// it exactly. Returns the new violations.
    pub(crate) fn ask_for_results(&mut self) -> Result<Vec<Violation>> {
        let asked = results::of_all(&self.quiet_load())?;
        let arms = || asked.reads.iter().flat_map(|read| read.arms);
        self.report.counted = (arms().map(|arm| arm.visitors).sum(), arms().map(|arm| arm.conversions).sum());
        let violations = asked.reads.iter().flat_map(|read| read.bounded(&self.journal)).collect();
        self.hear(asked);
        Ok(self.report.findings.add(violations))
    }

    /// Load on a server that is not killed.
    fn quiet_load(&self) -> Load<'_> {
        Load::new(self.server.address, &self.accounts, &self.journal, &[])
    }

    /// Starts the server on the data that the last one left.
    pub(crate) fn start_again(&mut self, settings: &[&str]) -> Result<()> {
        self.server = Server::start(&self.options.program, &self.place, settings)?;
        Ok(())
    }

    /// Compares what was written to the log since the last check, or the whole log, with
    /// what clients know. Then compares the results of the time between with the log.
    /// Returns the new violations.
    pub(crate) fn look(&mut self, whole: bool) -> Result<Vec<Violation>> {
        let after = if whole { Position::default() } else { self.last };
        let projects = [0, 1].map(|project: usize| self.accounts[project].project_key.as_str());
        let seen = check::look(&mut self.journal, &projects, self.place.data_dir(), after)?;
        self.last = seen.last;
        self.report.stored += seen.stored;
        self.report.blocks = seen.last.seq;
        let mut violations = seen.violations;
        let blocks = results::last_blocks(&self.journal, &std::mem::take(&mut self.acknowledged));
        for read in self.reads.drain(..) {
            self.report.results += 1;
            violations.extend(read.exact(&self.journal, seen.last.seq));
            violations.extend(read.outdated(&blocks));
        }
        Ok(self.report.findings.add(violations))
    }

    /// Checks the whole log, and marks lost events as absent instead of reporting them.
    /// Returns their number.
    pub(crate) fn forget_lost(&mut self) -> Result<u64> {
        let projects = [0, 1].map(|project: usize| self.accounts[project].project_key.as_str());
        let mut seen = check::look(&mut self.journal, &projects, self.place.data_dir(), Position::default())?;
        for key in &seen.lost {
            if let Some(entry) = self.journal.entries.get_mut(key) {
                entry.fate = Fate::Absent;
            }
        }
        seen.violations.retain(|violation| violation.kind != Kind::Lost);
        self.last = seen.last;
        self.earlier.clear();
        self.report.findings.add(seen.violations);
        Ok(seen.lost.len() as u64)
    }

    /// Sends most unanswered batches again, as clients would, and some answered ones. With
    /// `only_stored`, no unanswered batch is sent that would add to the log. The answers
    /// have to agree with the last check of the log.
    pub(crate) fn send_again(&mut self, only_stored: bool) -> Result<()> {
        let mut batches = Vec::new();
        let mut left = Vec::new();
        for batch in std::mem::take(&mut self.unanswered) {
            let is_known = |key| matches!(self.journal.fate(key), Some(Fate::Stored | Fate::Acknowledged));
            // A batch that is left out may be sent later, or never.
            if (only_stored && !batch.keys().all(is_known)) || self.rng.u32(..10) == 0 {
                left.push(batch);
            } else {
                batches.push(batch.sent_otherwise(&mut self.rng));
            }
        }
        let fresh = batches.len();
        for _ in 0..4 {
            batches.extend(self.rng.choice(&self.earlier).cloned());
        }
        self.rng.shuffle(&mut batches);
        let outcome = client::send_all(&self.quiet_load(), batches);
        self.report.again += fresh as u64;
        self.report.acknowledged += outcome.acknowledged;
        self.take(outcome);
        self.unanswered.extend(left);
        Ok(())
    }

    /// Removes the index of a killed server, or damages it so that the server can detect it.
    fn spoil_index(&mut self) -> Result<()> {
        for entry in fs::read_dir(self.place.data_dir())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with("seen-") {
                continue;
            }
            let length = entry.metadata()?.len();
            match self.rng.u32(..4) {
                0 => fs::remove_file(entry.path())?,
                _ if !name.ends_with(".db") || length == 0 => {}
                1 => OpenOptions::new().write(true).open(entry.path())?.set_len(length / 2)?,
                2 => OpenOptions::new().write(true).open(entry.path())?.write_all_at(&[0x5a; 100], 0)?,
                _ => {
                    let page = self.rng.u64(..length.div_ceil(4096)) * 4096;
                    OpenOptions::new().write(true).open(entry.path())?.write_all_at(&[0x5a; 4096], page)?;
                }
            }
        }
        self.report.spoiled += 1;
        Ok(())
    }

    /// Removes the warehouse of a killed server, damages it, or replaces it by one from an
    /// earlier cycle, as after a restored backup. A removed one is kept for that. In some
    /// cases, the warehouse stays as it is.
    fn spoil_warehouse(&mut self) -> Result<()> {
        let dir = self.place.data_dir();
        let files = ["warehouse.duckdb", "warehouse.duckdb.wal"];
        let [path, _] = files.map(|name| dir.join(name));
        match self.rng.u32(..4) {
            0 => {}
            1 if path.exists() => {
                let length = path.metadata()?.len();
                let page = self.rng.u64(..length.div_ceil(4096)) * 4096;
                OpenOptions::new().write(true).open(&path)?.write_all_at(&[0x5a; 4096], page)?;
            }
            2 => {
                for (name, kept) in files.iter().zip(&self.kept_warehouse) {
                    let _ = fs::remove_file(dir.join(name));
                    if let Some(bytes) = kept {
                        fs::write(dir.join(name), bytes)?;
                    }
                }
            }
            _ => {
                self.kept_warehouse = files.map(|name| fs::read(dir.join(name)).ok());
                for name in files {
                    let _ = fs::remove_file(dir.join(name));
                }
            }
        }
        self.report.spoiled_warehouses += 1;
        Ok(())
    }

    /// Checks the database of everything except events, while no server runs.
    pub(crate) fn look_at_database(&mut self) -> Result<()> {
        let said = self.place.integrity()?;
        self.report
            .findings
            .add(said.into_iter().map(|line| Violation::new(Kind::Damaged, "the database", line)).collect());
        Ok(())
    }

    /// Runs the last checks: of the results, the whole log, its chain of hashes, and the database.
    pub(crate) fn finish(mut self) -> Result<Report> {
        self.ask_for_results()?;
        self.look(true)?;
        self.server.kill()?;
        let verified = LogReader::open(self.place.data_dir())?.verify()?;
        if let Some(damage) = verified.first_damage {
            self.report.findings.add(vec![Violation::new(Kind::Damaged, "the chain", damage.to_string())]);
        }
        if verified.events < self.journal.acknowledged() {
            let sentence = format!("{} events in it, {} acknowledged", verified.events, self.journal.acknowledged());
            self.report.findings.add(vec![Violation::new(Kind::Lost, "the chain", sentence)]);
        }
        self.look_at_database()?;
        self.report.files = fs::read_dir(self.place.data_dir())?
            .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("log-")))
            .count();
        self.report.findings.finish(|| self.place.keep());
        Ok(self.report)
    }
}

/// Runs these cycles, with a kill in each.
pub(crate) fn kill_often(options: &Options, cycles: u32) -> Result<Report> {
    let mut rig = Rig::new(options, "events", DataLocation::new(Database::Sqlite)?, &["--log-roll", "1"])?;
    for cycle in 1..=cycles {
        // Results are requested while the server rebuilds its warehouse.
        if cycle % 3 == 0 {
            request_rebuild(&rig.place.data_dir().join("warehouse.rebuild"))?;
        }
        rig.load(false, || Ok(()))?;
        if rig.rng.u32(..5) == 0 {
            rig.spoil_index()?;
        }
        if rig.rng.u32(..3) == 0 {
            rig.spoil_warehouse()?;
        }
        // The log has to be complete before the next start has touched it.
        if rig.rng.u32(..4) == 0 {
            rig.look(false)?;
        }
        // Most cycles have small files, so that kills meet the change to a new file.
        let roll = if rig.rng.u32(..3) == 0 { "1024" } else { "1" };
        rig.start_again(&["--log-roll", roll])?;
        rig.ask_for_results()?;
        rig.look(cycle % WHOLE == 0)?;
        rig.send_again(false)?;
        if cycle % 25 == 0 || cycle == cycles {
            rig.report.progress(cycles);
        }
    }
    rig.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{expect_well, program};

    fn options() -> Options {
        Options { program: program(), clients: 16, seed: 1, load_ms: 20..=200 }
    }

    #[test]
    fn kills_lose_no_event_and_count_none_twice() {
        expect_well(kill_often(&options(), 8));
    }

    #[test]
    fn planted_faults_are_found() {
        expect_well(control::run(&options()));
    }
}
