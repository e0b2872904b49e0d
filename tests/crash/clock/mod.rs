//! Two nodes on one PostgreSQL, one of which is killed again and again, while experiments start and end by their dates.
//! Each act has to be done once, by either node.

mod check;
mod report;

use crate::Result;
use crate::findings::Planted;
use crate::http::{Account, Answer, Connection, Request};
use crate::place::{DataLocation, Database};
use crate::server::{self, Server};
use crate::violation::{Kind, Violation};
use fastrand::Rng;
use muriel_domain::Instant;
use report::Report;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{ops, thread};

/// Options of a run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) program: PathBuf,
    pub(crate) seed: u64,
}

/// Number of experiments that are created in each cycle.
const EACH: usize = 3;
/// Milliseconds from the creation of an experiment to its start.
const START_MS: ops::Range<i64> = 100..900;
/// Milliseconds from its start to its end: mostly longer than it takes the other node to take over.
const RUN_MS: ops::Range<i64> = 1_200..3_000;
/// Milliseconds from the creations to the kill.
const KILL_MS: ops::Range<u64> = 0..1_000;
/// Milliseconds from a kill to the restart of the node.
const AWAY_MS: ops::Range<u64> = 0..300;
/// Time limit for catching up, longer than it takes on any machine.
const DEADLINE: Duration = Duration::from_secs(180);

pub(crate) fn kill_often(options: &Options, cycles: u32) -> Result<Report> {
    let mut rig = Rig::new(options)?;
    for cycle in 1..=cycles {
        rig.cycle()?;
        if cycle % 25 == 0 || cycle == cycles {
            rig.report.progress(cycles);
        }
    }
    rig.catch_up()?;
    let violations = rig.check()?;
    rig.report.findings.add(violations);
    rig.report.findings.finish(|| rig.place.keep());
    Ok(rig.report)
}

/// Runs a few cycles, and then plants faults in the database. Each of them has to be found.
pub(crate) fn control(options: &Options) -> Result<Planted> {
    let mut rig = Rig::new(options)?;
    for _ in 0..3 {
        rig.cycle()?;
    }
    rig.catch_up()?;
    let honest = rig.check()?;
    let mut lines = vec![(honest.is_empty(), format!("nothing before faults are planted: {honest:?}"))];
    for (fault, kind, script) in check::FAULTS {
        let id = rig.completed()?;
        rig.place.tamper(script.replace("{id}", &id.to_string()))?;
        let found = rig.check()?;
        let about = check::label(id);
        let is_found = found.iter().any(|violation| violation.kind == kind && violation.about == about);
        lines.push((is_found, format!("{fault}: {}", found.first().map_or("nothing".to_owned(), ToString::to_string))));
        // The next fault is planted in another experiment.
        rig.spoiled.push(id);
    }
    Ok(Planted::new("clock", lines))
}

struct Rig {
    options: Options,
    rng: Rng,
    account: Account,
    /// Declared before `place`, so that they are killed before their data are deleted.
    nodes: [Server; 2],
    place: DataLocation,
    made: usize,
    spoiled: Vec<i64>,
    report: Report,
}

impl Rig {
    fn new(options: &Options) -> Result<Self> {
        let place = DataLocation::new(Database::Postgres)?;
        let account = server::make_project(&options.program, &place, "Rig")?;
        let nodes = [start(&options.program, &place, 0)?, start(&options.program, &place, 1)?];
        let rng = Rng::with_seed(options.seed);
        let report = Report::new();
        Ok(Self { options: options.clone(), rng, account, nodes, place, made: 0, spoiled: Vec::new(), report })
    }

    /// Creates experiments that are about to start, and kills a node meanwhile.
    fn cycle(&mut self) -> Result<()> {
        self.report.findings.cycles += 1;
        let victim = self.rng.usize(..2);
        let mut connection = Connection::open(self.nodes[1 - victim].address)?;
        let mut last = 0;
        for _ in 0..EACH {
            last = self.create(&mut connection)?;
        }
        thread::sleep(Duration::from_millis(self.rng.u64(KILL_MS)));
        // A request changes one of them at that time.
        let renamed = json!({ "test_name": format!("Renamed {last}") });
        let answer = connection.call(&self.account, &Request::patch(format!("/experiment/{last}"), &renamed))?;
        expect(&answer, 200)?;
        self.nodes[victim].kill()?;
        thread::sleep(Duration::from_millis(self.rng.u64(AWAY_MS)));
        self.nodes[victim] = start(&self.options.program, &self.place, victim)?;
        Ok(())
    }

    fn create(&mut self, connection: &mut Connection) -> Result<i64> {
        self.made += 1;
        let label = format!("dated-{}", self.made);
        let begins = now().plus_us(self.rng.i64(START_MS) * 1_000);
        let ends = begins.plus_us(self.rng.i64(RUN_MS) * 1_000);
        let body = json!({
            "test_name": label,
            "url": "https://example.com/",
            "variants": [{ "name": "Variant 1" }],
            "configuration": { "start_test_date": begins.to_string(), "end_test_date": ends.to_string() },
        });
        let answer = connection.call(&self.account, &Request::post("/create-experiment", &body, &label))?;
        expect(&answer, 201)?;
        answer.body["test_id"].as_i64().ok_or_else(|| answer.summary().into())
    }

    /// Waits until the clock has no jobs left.
    fn catch_up(&mut self) -> Result<()> {
        let deadline = std::time::Instant::now() + DEADLINE;
        loop {
            let left = self.place.ask(&["SELECT COUNT(*) FROM job"])?[0][0].int(0)?;
            if left == 0 {
                return Ok(());
            }
            if std::time::Instant::now() > deadline {
                let sentence = format!("{left} jobs are still there {DEADLINE:?} after the last kill");
                self.report.findings.add(vec![Violation::new(Kind::Lost, "jobs", sentence)]);
                return Ok(());
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn check(&mut self) -> Result<Vec<Violation>> {
        let mut answers = self.place.ask(&[check::ACTS, check::TERM])?;
        let terms = answers.remove(1)[0].int(0)?;
        let looked = check::acts(answers.remove(0), self.made)?;
        self.report.takeovers = terms - 1;
        self.report.acts = looked.acts;
        self.report.missed = looked.missed;
        self.report.latest_us = looked.latest_us;
        Ok(looked.violations)
    }

    /// Id of an experiment that the clock started and ended, and in which no fault was planted.
    fn completed(&self) -> Result<i64> {
        let spoiled: Vec<String> = self.spoiled.iter().chain([&0]).map(ToString::to_string).collect();
        let question = format!("{} AND experiment_id NOT IN ({}) LIMIT 1", check::COMPLETED, spoiled.join(", "));
        let rows = self.place.ask(&[&question])?.remove(0);
        Ok(rows.first().ok_or("no experiment was started and ended")?.int(0)?)
    }
}

/// Starts the node of this number. Each node has its own data directory.
fn start(program: &Path, place: &DataLocation, number: usize) -> Result<Server> {
    let data_dir = place.data_dir().join(format!("node-{number}"));
    // Keys are checked with the pepper of the data directory where the project was created.
    let pepper = place.data_dir().join("pepper").display().to_string();
    // With `--alone`, results cover only the node's own events. No events are sent here.
    Server::start_in(program, place, &data_dir, &["--alone", "--pepper-file", &pepper])
}

fn expect(answer: &Answer, status: u16) -> Result<()> {
    if answer.status == status { Ok(()) } else { Err(format!("{status} was expected: {}", answer.summary()).into()) }
}

fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::from_us(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Parses a time in an answer of the API.
fn moment(value: &Value) -> Option<Instant> {
    Instant::parse(value.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{expect_well, program};

    #[test]
    fn acts_of_two_nodes_are_done_once() {
        expect_well(kill_often(&Options { program: program(), seed: 1 }, 8));
    }

    #[test]
    fn planted_faults_are_found() {
        expect_well(control(&Options { program: program(), seed: 2 }));
    }
}
