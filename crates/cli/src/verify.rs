//! Verifies a result: recomputes it from the event log, and compares its statements about the experiment with the
//! database.

mod deleted;
mod history;
mod logs;
mod strict;

use self::history::{History, history};
use crate::config::Common;
use crate::say::say;
use crate::scratch::Scratch;
use crate::{Error, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use muriel_api::{HoldoutResult, ResultAnswer};
use muriel_context::clock::Clock;
use muriel_log::Position;
use muriel_results::{ComputeError, Manifest, recompute};
use muriel_warehouse::{WarehouseOptions, load_log};
use serde_json::{Map, Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of a file, in bytes.
const BYTES_MAX: u64 = 64 << 20;
/// Time by which the server's clock may be ahead of this machine's.
const MAX_CLOCK_SKEW_US: i64 = 3_600_000_000;
/// Maximum number of differences that are listed; others are only counted.
const MAX_LISTED: usize = 50;

/// `muriel verify`
#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    common: Common,
    /// The response of GET …/result as received; - reads standard input.
    #[arg(value_name = "RESULT.json")]
    result: PathBuf,
    /// Directory of an event log that the result was computed from; repeat the flag for each log [default: the data
    /// directory].
    #[arg(long = "log-dir", value_name = "DIR")]
    log_dirs: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Recomputes a result from the log, and prints differences.
///
/// # Errors
/// A file that is not a result, a log that lacks events of the result or is damaged, and values that differ.
pub fn run(asked: Verify) -> Result<()> {
    let name = asked.result.display().to_string();
    let refuse = |problem: &str| Error::Refused(format!("{name} {problem}"));
    let mut given =
        strict::read(&read(&asked.result)?).map_err(|error| refuse(&format!("is not valid JSON: {error}")))?;
    let logs = logs::open(&asked.common, &asked.log_dirs)?;
    let manifest = given.get_mut("manifest").ok_or_else(|| refuse("is not a result: it has no manifest"))?;
    if Manifest::is_of_former_format(manifest)
        && let Some(fields) = manifest.as_object_mut()
    {
        let [log] = &logs[..] else {
            return Err(refuse(
                "was made by a release that did not record the ids of logs: give exactly one --log-dir, that of the \
                 log it was computed from",
            ));
        };
        Manifest::name_log(fields, log.extent.log);
    }
    let manifest: Manifest = serde_json::from_value(manifest.clone())
        .map_err(|error| refuse(&format!("has a manifest that cannot be read: {error}")))?;
    manifest.check().map_err(|flaw| refuse(&flaw.to_string()))?;
    if manifest.as_of > Clock::System.now().plus_us(MAX_CLOCK_SKEW_US) {
        return Err(refuse(&format!("has a manifest.as_of in the future: {}", manifest.as_of)));
    }
    let chosen = logs::choose(&name, &manifest, &logs)?;
    let warehouse = Scratch::new(&WarehouseOptions::default())?;
    let (mut events, mut damage, mut notes) = (0, None, Vec::new());
    for (log, position) in &chosen {
        let bar = progress(*position);
        let loaded = load_log(&log.reader, &*warehouse, &manifest.project_key, *position, &mut |at| {
            bar.set_position(at.seq.max(0).unsigned_abs());
        });
        bar.finish_and_clear();
        let loaded = loaded.map_err(|error| Error::Other(error.into()))?;
        events += loaded.events;
        damage = damage.or(loaded.damage.map(|damage| damage.to_string()));
        if log.extent.pruned > 0 {
            notes.push(format!("retention has deleted the blocks of the log up to {}", log.extent.pruned));
        }
    }
    if !asked.log_dirs.is_empty() {
        let unused = logs.iter().filter(|log| !chosen.iter().any(|(chosen, _)| chosen.extent.log == log.extent.log));
        notes.extend(unused.map(|log| {
            format!("the log in {} is not part of the result: its id is {}", log.directory.display(), log.extent.log)
        }));
    }
    let places: Vec<Value> =
        manifest.logs.iter().map(|log| json!({ "id": log.id, "position": log.position })).collect();
    let up_to = match &chosen[..] {
        [] => "of a log without blocks".to_owned(),
        [(_, position)] => format!("up to block {}", position.seq),
        many => format!("of {} logs", many.len()),
    };
    let stored = crate::block_on(history(&asked.common, &manifest))?;
    let claimed = manifest.clone();
    let computed = recompute(manifest, &*warehouse).map_err(|failure| match failure {
        ComputeError::Manifest(flaw) => refuse(&format!("is not a result that Muriel made: its manifest {flaw}")),
        other => Error::Other(other.into()),
    })?;
    let deleted = deleted::since(&claimed, &computed.manifest);
    deleted::leave_out(&mut given, &computed.manifest);
    let computed = match &computed.manifest.holdout {
        None => serde_json::to_value(ResultAnswer::new(&computed)),
        Some(holdout) => serde_json::to_value(HoldoutResult::new(holdout.group_id, &computed)),
    };
    let computed = computed.map_err(|error| Error::Other(error.into()))?;
    let mut differences = Vec::new();
    differ(ComparedWith::Log, &computed, &given, "", &mut differences);
    match &stored {
        History::Recorded(recorded, believed) => {
            for (part, value) in recorded.as_object().into_iter().flatten() {
                let given = &given["manifest"][part];
                differ(ComparedWith::History, value, given, &format!("manifest.{part}"), &mut differences);
            }
            notes.extend(believed.iter().cloned());
        }
        History::Unavailable(why) => {
            notes.push(format!("the manifest's facts about the experiment were not checked: {why}"))
        }
    }
    let holds = differences.is_empty() && damage.is_none();
    let checks = failed_checks(&given);
    if asked.json {
        let listed: Vec<Value> = differences.iter().take(MAX_LISTED).map(Difference::as_json).collect();
        say!(
            "{}",
            json!({
                "holds": holds,
                "events": events,
                "logs": places,
                "damaged": damage,
                "deleted_since": deleted,
                "differences": listed,
                "health": checks.iter().map(|(check, status, message)| {
                    json!({ "check": check, "status": status, "message": message })
                }).collect::<Vec<_>>(),
                "notes": notes,
            })
        )?;
    } else if holds {
        say!("{name} holds: recomputed from {events} events {up_to}, every value is the same.")?;
        for (check, status, message) in &checks {
            say!("Its health check {check} {status}s: {message}")?;
        }
        for note in notes.iter().chain(&deleted) {
            say!("Note: {note}.")?;
        }
    } else {
        for sentence in &deleted {
            say!("{name} cannot be recomputed: {sentence}.")?;
        }
        if let Some(damage) = &damage {
            say!("{name} does not hold: the log that it was computed from is damaged: {damage}")?;
        }
        for difference in differences.iter().take(MAX_LISTED) {
            say!("{difference}")?;
        }
    }
    if let Some(damage) = damage {
        return Err(Error::Damaged(damage));
    }
    match differences.len() {
        0 => Ok(()),
        many if !deleted.is_empty() => Err(Error::Refused(format!(
            "{name} was computed from events that were deleted later, so its values cannot be checked; {many} differ"
        ))),
        1 => Err(Error::Refused(format!("{name} differs in one value"))),
        many => Err(Error::Refused(format!("{name} differs in {many} values"))),
    }
}

/// Health checks that fail or warn in a result, failing ones first: name, `fail` or `warn`, and message. A correctly
/// computed result need not be trustworthy.
fn failed_checks(result: &Value) -> Vec<(String, &'static str, String)> {
    let printable = |text: &str| text.chars().filter(|character| !character.is_control()).collect::<String>();
    let all = result["health"].as_object().into_iter().flatten();
    let with = |wanted: &'static str| {
        let like = all.clone().filter(move |(_, check)| check["status"] == wanted);
        like.map(move |(name, check)| {
            (printable(name), wanted, printable(check["message"].as_str().unwrap_or_default()))
        })
    };
    with("fail").chain(with("warn")).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |source| Error::File { doing: "cannot read", path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).map_err(failed)?)
    };
    input.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(Error::Refused(format!("{} is too large to be a result", path.display())));
    }
    Ok(bytes)
}

fn progress(until: Position) -> ProgressBar {
    let bar = ProgressBar::new(until.seq.max(0).unsigned_abs());
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} block {pos} of {len}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Source that a part of a result is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComparedWith {
    /// Values computed from the log.
    Log,
    /// Values stored in the database.
    History,
}

/// Difference between the result and the recomputed value.
#[derive(Debug, PartialEq)]
struct Difference {
    at: String,
    source: ComparedWith,
    computed: Option<Value>,
    given: Option<Value>,
}

impl Difference {
    fn as_json(&self) -> Value {
        let source = match self.source {
            ComparedWith::Log => "log",
            ComparedWith::History => "history",
        };
        json!({ "at": self.at, "from": source, "computed": self.computed, "given": self.given })
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
        let source = match self.source {
            ComparedWith::Log => "the log says",
            ComparedWith::History => "the database says",
        };
        write!(f, "{}: {source} {}, the result {}", self.at, shown(&self.computed), shown(&self.given))
    }
}

/// Adds every difference between two values. Numbers are equal when they are the same double.
fn differ(source: ComparedWith, computed: &Value, given: &Value, at: &str, found: &mut Vec<Difference>) {
    match (computed, given) {
        (Value::Object(computed), Value::Object(given)) => {
            let within = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
            for (name, value) in computed {
                match given.get(name) {
                    Some(other) => differ(source, value, other, &within(name), found),
                    None => {
                        found.push(Difference { at: within(name), source, computed: Some(value.clone()), given: None });
                    }
                }
            }
            for (name, value) in excess(given, computed) {
                found.push(Difference { at: within(name), source, computed: None, given: Some(value.clone()) });
            }
        }
        (Value::Array(computed), Value::Array(given)) => {
            for index in 0..computed.len().max(given.len()) {
                let within = format!("{at}[{index}]");
                match (computed.get(index), given.get(index)) {
                    (Some(value), Some(other)) => differ(source, value, other, &within, found),
                    (value, other) => {
                        found.push(Difference { at: within, source, computed: value.cloned(), given: other.cloned() });
                    }
                }
            }
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        (one, other) if one == other => {}
        (one, other) => {
            let (computed, given) = (Some(one.clone()), Some(other.clone()));
            found.push(Difference { at: at.to_owned(), source, computed, given });
        }
    }
}

fn excess<'a>(
    of: &'a Map<String, Value>,
    over: &'a Map<String, Value>,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    of.iter().filter(|(name, _)| !over.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, Reserve};
    use muriel_results::{Engine, Inquiry};

    #[test]
    fn differences_are_named_by_their_place() {
        for (computed, given, expect) in [
            (json!({ "a": 1 }), json!({ "a": 1.0 }), vec![]),
            (json!({ "a": [1, 2] }), json!({ "a": [1, 3] }), vec!["a[1]"]),
            (json!({ "a": { "b": 1 } }), json!({ "a": {} }), vec!["a.b"]),
            (json!({ "a": 1 }), json!({ "a": 1, "b": null }), vec!["b"]),
            (json!([1]), json!([1, 2]), vec!["[1]"]),
            (json!({ "a": 0.1 }), json!({ "a": 0.100_000_000_000_000_02 }), vec!["a"]),
            (json!({ "a": null }), json!({ "a": 0 }), vec!["a"]),
        ] {
            let mut found = Vec::new();
            differ(ComparedWith::Log, &computed, &given, "", &mut found);
            let places: Vec<&str> = found.iter().map(|difference| difference.at.as_str()).collect();
            assert_eq!(places, expect, "{computed} {given}");
        }
    }

    #[test]
    fn checks_that_fail_are_repeated() {
        let result = json!({ "health": {
            "status": "fail",
            "epochs": { "status": "warn", "message": "Weights changed.\u{1b}[2J" },
            "bots": { "status": "ok", "message": "None." },
            "balance": { "status": "unknown", "message": "Nothing to look at." },
            "other_nodes": { "status": "fail", "message": "2 other servers took events." },
        } });
        let expect = [
            ("other_nodes".to_owned(), "fail", "2 other servers took events.".to_owned()),
            ("epochs".to_owned(), "warn", "Weights changed.[2J".to_owned()),
        ];
        assert_eq!(failed_checks(&result), expect);
        assert_eq!(failed_checks(&json!({})), []);
    }

    /// Creates a log with an exposure of each visitor to an arm.
    fn log(directory: &Path, visitors: &[(&str, &str)], at: Instant) {
        std::fs::create_dir_all(directory).unwrap();
        crate::block_on(async {
            let options = LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() };
            let log = Log::open(directory, options).unwrap();
            let mut batch = Batch { project_key: "prj".into(), received_at: at, events: Vec::new(), lines: Vec::new() };
            for (visitor, arm) in visitors {
                let id = uuid::Uuid::now_v7();
                let exposure = json!({
                    "id": id, "type": "exposure", "project_key": "prj", "at": at, "received_at": at, "bot": false,
                    "visitor": { "id": visitor }, "test_id": 1, "variant_id": arm, "epoch": 1, "context": {},
                });
                batch.lines.extend(exposure.to_string().into_bytes());
                batch.lines.push(b'\n');
                batch.events.push(BatchEvent { id, scope: DedupScope::PROJECT, end: batch.lines.len() });
            }
            log.append(batch).await.unwrap();
            log.close().await.unwrap();
            Ok(())
        })
        .unwrap();
    }

    fn manifest(at: Instant) -> Manifest {
        let arm = |id: &str| json!({ "variant_id": id, "name": id, "nickname": "", "traffic_weight": 50.0, "redefined_at": null });
        let manifest = json!({
            "engine": Engine::here(), "project_key": "prj", "logs": [], "as_of": at.plus_us(1_000_000),
            "inquiry": Inquiry::default(),
            "experiment": {
                "test_id": 1, "test_name": "One", "status": "live", "test_type": "abtest", "confidence_percent": 95,
                "bayesian": false, "is_mab": false, "mde_percent": 10.0, "planned_visitors": null,
                "traffic_allocation": 100, "distribution_mode": "equal", "serving_variant_id": null,
                "deployed_at": null, "started_at": at.plus_us(-1_000_000), "ended_at": null,
                "arms": [arm("0"), arm("1")],
            },
            "epochs": [{ "epoch": 1, "started_at": at.plus_us(-1_000_000), "weights": [5_000, 5_000] }],
            "metrics": [{ "key": "bounce_rate", "name": "Bounce rate", "role": "secondary", "kind": "builtin" }],
        });
        serde_json::from_value(manifest).unwrap()
    }

    #[test]
    fn a_result_of_two_logs_is_computed_from_both() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other, third] = ["one", "other", "third"].map(|name| dir.path().join(name));
        let at = Clock::System.now().plus_us(-60_000_000);
        log(&one, &[("a", "0"), ("b", "1")], at);
        log(&other, &[("c", "0")], at);
        log(&third, &[("d", "0")], at);
        let warehouse = Scratch::new(&WarehouseOptions { memory_bytes: 128 << 20, threads: 1 }).unwrap();
        for directory in [&one, &other] {
            let reader = muriel_log::LogReader::open(directory).unwrap();
            load_log(&reader, &*warehouse, "prj", reader.last().unwrap(), &mut |_| ()).unwrap();
        }
        let computed = recompute(manifest(at), &*warehouse).unwrap();
        assert_eq!((&*computed.visitors, computed.manifest.logs.len()), (&[2, 1][..], 2));
        let file = dir.path().join("result.json");
        std::fs::write(&file, serde_json::to_string(&ResultAnswer::new(&computed)).unwrap()).unwrap();
        let verify = |directories: &[&PathBuf]| {
            let common = Common { data_dir: Some(dir.path().to_owned()), ..Common::default() };
            let log_dirs = directories.iter().map(|directory| (*directory).clone()).collect();
            run(Verify { common, result: file.clone(), log_dirs, json: false }).map_err(|error| error.to_string())
        };
        assert_eq!(verify(&[&one, &other]), Ok(()));
        assert_eq!(verify(&[&third, &other, &one]), Ok(()), "in any order, and one that did not go in");
        for (directories, expect) in [
            (&[&one][..], "which was not given"),
            (&[&one, &third], "which was not given"),
            (&[&one, &one], "hold the same log"),
        ] {
            let refused = verify(directories).unwrap_err();
            assert!(refused.contains(expect), "{refused}");
        }
    }
}
