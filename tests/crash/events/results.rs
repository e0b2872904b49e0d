//! Requests the results of the experiments, and compares them with the journal and the log.

use super::client::Load;
use super::journal::{Entry, Journal};
use super::traffic::{ARMS, EventKey, GOAL, PROJECTS, Role};
use crate::Result;
use crate::http::{Account, Answer, Connection, Request};
use crate::violation::{Kind, Violation};
use muriel_domain::Instant;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant as Clock};

/// Delay before a result is requested again while there is none yet.
const PAUSE: Duration = Duration::from_millis(10);
/// Timeout for a result, much longer than loading takes.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Visitors and conversions of an arm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) visitors: u64,
    pub(crate) conversions: u64,
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} visitors and {} conversions", self.visitors, self.conversions)
    }
}

/// The compared parts of a result.
#[derive(Debug)]
pub(crate) struct ReadResult {
    pub(crate) project: usize,
    pub(crate) test_id: i64,
    /// Last block of the log that it counts, as its manifest says.
    position: i64,
    pub(crate) arms: [Count; ARMS],
    /// Number of events that had been acknowledged before it was requested, counted since
    /// the last check of the log.
    pub(crate) before: usize,
}

/// Starts an experiment with a goal in a project. Returns its id.
pub(crate) fn make_experiment(address: SocketAddr, account: &Account) -> Result<i64> {
    let mut connection = Connection::open(address)?;
    let mut post = |path: &str, body: &Value| -> Result<Value> {
        let answer = connection.call(account, &Request::post(path, body, &path[1..]))?;
        match answer.status {
            201 => Ok(answer.body),
            _ => Err(format!("POST {path} answered {}", answer.summary()).into()),
        }
    };
    post("/goal", &json!({ "goal_name": GOAL, "goal_type": "event", "goal_value": GOAL, "goal_key": GOAL }))?;
    let variants: Vec<Value> = (1..ARMS).map(|number| json!({ "name": format!("Variant {number}") })).collect();
    let made = post(
        "/create-experiment",
        &json!({
            "test_name": "Rig",
            "url": "https://shop.example/",
            "status": 1,
            "variants": variants,
            "primary_goal_key": GOAL,
        }),
    )?;
    made["test_id"].as_i64().ok_or_else(|| format!("a new experiment has no id: {made}").into())
}

/// Last block of the log that a result counts; 0 before the first.
fn position(manifest: &Value) -> Option<i64> {
    manifest["logs"].as_array()?.first().map_or(Some(0), |log| log["position"].as_i64())
}

impl ReadResult {
    /// Reads an answer. Returns `None` while events are being loaded.
    fn read(project: usize, test_id: i64, before: usize, answer: &Answer) -> Result<Option<ReadResult>, Violation> {
        if answer.status == 503 {
            return Ok(None);
        }
        let mut arms = [Count::default(); ARMS];
        let shown = answer.body["variants"].as_array().filter(|shown| answer.status == 200 && shown.len() == ARMS);
        let read = shown.zip(position(&answer.body["manifest"])).and_then(|(shown, position)| {
            for (count, arm) in arms.iter_mut().zip(shown) {
                *count = Count { visitors: arm["visitors"].as_u64()?, conversions: arm["conversions"].as_u64()? };
            }
            Some(ReadResult { project, test_id, position, arms, before })
        });
        read.map(Some).ok_or_else(|| {
            let sentence = format!("its result is answered {}", answer.summary());
            Violation::new(Kind::Unexpected, &about(test_id), sentence)
        })
    }

    /// Compares the result with the least and the most that may be stored, before the log
    /// is checked.
    pub(crate) fn bounded(&self, journal: &Journal) -> Vec<Violation> {
        let [least, most] = count(journal, self.project, |entry| entry.fate.is_stored());
        self.differing(|arm, reported| {
            let (least, most) = (least[arm], most[arm]);
            let is_within = (least.visitors..=most.visitors).contains(&reported.visitors)
                && (least.conversions..=most.conversions).contains(&reported.conversions);
            (!is_within).then(|| format!("by what is acknowledged there are {least} at least, and {most} at most"))
        })
    }

    /// Compares the result with the log up to the block that it counts, after a check of
    /// the log that read up to the block `last`.
    pub(crate) fn exact(&self, journal: &Journal, last: i64) -> Vec<Violation> {
        let [due, _] = count(journal, self.project, |entry| Some(entry.block > 0 && entry.block <= self.position));
        self.differing(|arm, reported| {
            (reported != due[arm] || self.position > last)
                .then(|| format!("up to block {} of {last} the log holds {}", self.position, due[arm]))
        })
    }

    /// Returns a violation if the result lacks events that were acknowledged before it was
    /// requested. The log has to be checked first. `blocks` comes from [`last_blocks`], for
    /// the events that were acknowledged since the previous check.
    pub(crate) fn outdated(&self, blocks: &[i64]) -> Option<Violation> {
        let block = *self.before.checked_sub(1).and_then(|last| blocks.get(last))?;
        let sentence = format!(
            "it ends with block {}, and block {block} has events that were acknowledged before it was asked for",
            self.position
        );
        (self.position < block).then(|| Violation::new(Kind::Misreported, &about(self.test_id), sentence))
    }

    fn differing(&self, differs: impl Fn(usize, Count) -> Option<String>) -> Vec<Violation> {
        let of_arm = |(arm, reported): (usize, &Count)| {
            let sentence = format!("its result has {reported}, and {}", differs(arm, *reported)?);
            Some(Violation::new(Kind::Misreported, &format!("{}, arm {arm}", about(self.test_id)), sentence))
        };
        self.arms.iter().enumerate().filter_map(of_arm).collect()
    }
}

/// The fewest and the most visitors and conversions of each arm of a project.
/// `is_stored` returns `None` for an event that may be stored or not.
fn count(journal: &Journal, project: usize, is_stored: impl Fn(&Entry) -> Option<bool>) -> [[Count; ARMS]; 2] {
    let mut visitors: HashMap<u16, (usize, Visitor)> = HashMap::new();
    for (key, entry) in &journal.entries {
        let is_certain = match is_stored(entry) {
            Some(false) => continue,
            _ if key.project != project => continue,
            stored => stored.is_some(),
        };
        let role = journal.recipe.role(*key);
        let (_, visitor) = visitors.entry(key.visitor()).or_insert_with(|| (key.arm(), Visitor::default()));
        visitor.add(role, key.has_api_key(), is_certain);
    }
    let mut counts = [[Count::default(); ARMS]; 2];
    for (arm, visitor) in visitors.into_values() {
        for (count, (entered, converted)) in counts.iter_mut().zip(visitor.bounds()) {
            count[arm].visitors += u64::from(entered);
            count[arm].conversions += u64::from(converted);
        }
    }
    counts
}

/// Events of a visitor that results count.
#[derive(Debug, Default)]
struct Visitor {
    exposures: Vec<Exposure>,
    /// Last conversion of those that are certainly stored.
    last: Option<Instant>,
    /// Last conversion of all.
    last_possible: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
struct Exposure {
    at: Instant,
    has_api_key: bool,
    is_certain: bool,
}

impl Visitor {
    fn add(&mut self, role: Role, has_api_key: bool, is_certain: bool) {
        match role {
            Role::Exposure(at) => self.exposures.push(Exposure { at, has_api_key, is_certain }),
            Role::Conversion(at) => {
                self.last_possible = self.last_possible.max(Some(at));
                if is_certain {
                    self.last = self.last.max(Some(at));
                }
            }
            Role::Other(_) => {}
        }
    }

    /// Returns whether the visitor entered and converted, in the worst case and in the best.
    ///
    /// A visitor enters with the first exposure that was sent with an API key, or with the
    /// first of all if none was. So an uncertain exposure with a key may make the entry later.
    fn bounds(&self) -> [(bool, bool); 2] {
        let first = |is_meant: fn(&Exposure) -> bool| self.exposures.iter().filter(|e| is_meant(e)).map(|e| e.at).min();
        let has_converted = |last: Option<Instant>, entered: Option<Instant>| {
            last.zip(entered).is_some_and(|(last, entered)| last >= entered)
        };
        let certain = first(|e| e.is_certain);
        let certain_by_key = first(|e| e.is_certain && e.has_api_key);
        let displacing = self.exposures.iter().filter(|e| e.has_api_key).map(|e| e.at).max();
        let latest = certain_by_key.or_else(|| certain.map(|at| displacing.map_or(at, |other| other.max(at))));
        let earliest = match certain_by_key {
            Some(_) => first(|e| e.has_api_key),
            None => first(|_| true),
        };
        [
            (latest.is_some(), has_converted(self.last, latest)),
            (earliest.is_some(), has_converted(self.last_possible, earliest)),
        ]
    }
}

/// Outcome of requests for results.
#[derive(Default)]
pub(crate) struct ResultReads {
    pub(crate) reads: Vec<ReadResult>,
    /// Number of requests that had no result yet.
    pub(crate) not_loaded: u64,
    pub(crate) violations: Vec<Violation>,
}

/// Running maximum of the blocks that hold these events, in the order of the events.
pub(crate) fn last_blocks(journal: &Journal, acknowledged: &[EventKey]) -> Vec<i64> {
    let mut last = 0;
    let blocks = acknowledged.iter().map(|key| journal.entries.get(key).map_or(0, |entry| entry.block));
    blocks
        .map(|block| {
            last = last.max(block);
            last
        })
        .collect()
}

impl ResultReads {
    /// Requests a result once. Returns false while events are being loaded.
    fn ask(&mut self, connection: &mut Connection, load: &Load<'_>, project: usize) -> Result<bool> {
        let test_id = load.journal.recipe.tests[project];
        let request = Request::get(format!("/experiment/{test_id}/result"));
        let before = load.acknowledged().len();
        let answer = connection.call(&load.accounts[project], &request)?;
        match ReadResult::read(project, test_id, before, &answer) {
            Ok(Some(read)) => self.reads.push(read),
            Ok(None) => {
                self.not_loaded += 1;
                thread::sleep(PAUSE);
                return Ok(false);
            }
            Err(violation) => self.violations.push(violation),
        }
        Ok(true)
    }
}

/// Requests results until the server is gone, so that events are loaded all the time and
/// kills meet the loading.
pub(crate) fn under_load(load: &Load<'_>) -> ResultReads {
    let mut asked = ResultReads::default();
    let is_over = || load.killing.load(Ordering::SeqCst);
    let mut ask = || -> Result<()> {
        let mut connection = Connection::open(load.address)?;
        for project in (0..PROJECTS).cycle() {
            if is_over() {
                break;
            }
            asked.ask(&mut connection, load, project)?;
        }
        Ok(())
    };
    // A connection may fail when the server is killed, and only then.
    if let Err(error) = ask()
        && !is_over()
    {
        let sentence = format!("{error}, while the server was running");
        asked.violations.push(Violation::new(Kind::Unexpected, "results", sentence));
    }
    asked
}

/// Requests the result of each project from a server that is not killed, until all
/// events are loaded.
pub(crate) fn of_all(load: &Load<'_>) -> Result<ResultReads> {
    let mut asked = ResultReads::default();
    let mut connection = Connection::open(load.address)?;
    for project in 0..PROJECTS {
        let end = Clock::now() + TIMEOUT;
        while !asked.ask(&mut connection, load, project)? {
            if Clock::now() > end {
                let sentence = format!("it has no result {TIMEOUT:?} after it was asked for");
                asked.violations.push(Violation::new(
                    Kind::Unexpected,
                    &about(load.journal.recipe.tests[project]),
                    sentence,
                ));
                break;
            }
        }
    }
    Ok(asked)
}

/// Name of an experiment in violations.
fn about(test_id: i64) -> String {
    format!("experiment {test_id}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::journal::Fate;
    use uuid::Uuid;

    #[test]
    fn a_result_without_events_that_were_acknowledged_before_is_found() {
        let key = |number| EventKey { project: 0, id: Uuid::from_u128(number) };
        let mut journal = Journal::default();
        for (number, block) in [(1, 3), (2, 2), (3, 5)] {
            journal.entries.insert(key(number), Entry { fate: Fate::Acknowledged, block });
        }
        let blocks = last_blocks(&journal, &[key(1), key(2), key(3)]);
        assert_eq!(blocks, [3, 3, 5]);
        let arms = [Count::default(); ARMS];
        for (before, position, is_outdated) in
            [(0, 0, false), (1, 3, false), (1, 2, true), (2, 3, false), (2, 2, true), (3, 4, true), (3, 5, false)]
        {
            let read = ReadResult { project: 0, test_id: 1, position, arms, before };
            assert_eq!(read.outdated(&blocks).is_some(), is_outdated, "{before} {position}");
        }
    }

    #[test]
    fn an_exposure_with_a_key_decides_when_a_visitor_enters() {
        let exposure = |at, has_api_key, is_certain| (Role::Exposure(Instant::from_us(at)), has_api_key, is_certain);
        let conversion = |at, is_certain| (Role::Conversion(Instant::from_us(at)), false, is_certain);
        let (yes, no, none) = ((true, true), (true, false), (false, false));
        for (events, bounds) in [
            (vec![conversion(1, true)], [none, none]),
            (vec![exposure(1, false, true), conversion(1, true)], [yes, yes]),
            (vec![exposure(2, false, true), conversion(1, true)], [no, no]),
            (vec![exposure(1, false, false), conversion(1, true)], [none, yes]),
            (vec![exposure(1, false, true), conversion(1, false)], [no, yes]),
            (vec![exposure(1, false, true), exposure(3, true, true), conversion(2, true)], [no, no]),
            (vec![exposure(1, false, true), exposure(3, true, false), conversion(2, true)], [no, yes]),
            (vec![exposure(3, true, true), exposure(1, true, false), conversion(2, true)], [no, yes]),
            (vec![exposure(3, true, true), exposure(1, false, false), conversion(2, true)], [no, no]),
        ] {
            let mut visitor = Visitor::default();
            for (role, has_api_key, is_certain) in events.iter().copied() {
                visitor.add(role, has_api_key, is_certain);
            }
            assert_eq!(visitor.bounds(), bounds, "{events:?}");
        }
    }
}
