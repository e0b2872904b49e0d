//! Whether a result is what the log says: computes it again, and holds what it says
//! of the experiment against what is stored of that.

mod history;
mod strict;

use self::history::{History, history};
use crate::config::Common;
use crate::say::say;
use crate::scratch::Scratch;
use crate::{Error, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use muriel_api::ResultAnswer;
use muriel_api::clock::Clock;
use muriel_events::log::Position;
use muriel_events::warehouse::{Options, load_log};
use muriel_results::{Failure, Manifest, recompute};
use serde_json::{Map, Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read.
const BYTES_MAX: u64 = 64 << 20;
/// How far the clock of the server may be ahead of ours.
const AHEAD_US: i64 = 3_600_000_000;
/// Differences that are told.
const TOLD: usize = 50;

/// `muriel verify`
#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    common: Common,
    /// The answer of GET …/result as it was received; - reads standard input.
    #[arg(value_name = "RESULT.json")]
    result: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Computes a result again, from the log alone.
///
/// # Errors
/// A file that is no result, a log that lacks what went into it or is not as it
/// was written, and numbers that are not the log's.
pub fn run(asked: Verify) -> Result<()> {
    let name = asked.result.display().to_string();
    let refuse = |problem: &str| Error::Refused(format!("{name} {problem}"));
    let given = strict::read(&read(&asked.result)?)
        .map_err(|error| refuse(&format!("is no JSON that can be read: {error}")))?;
    let manifest = given.get("manifest").ok_or_else(|| refuse("is no result: it has no manifest"))?;
    let manifest: Manifest = serde_json::from_value(manifest.clone())
        .map_err(|error| refuse(&format!("has a manifest that cannot be read: {error}")))?;
    manifest.check().map_err(|flaw| refuse(&flaw.to_string()))?;
    if manifest.as_of > Clock::System.now().plus_us(AHEAD_US) {
        return Err(refuse(&format!("is of a moment that is still to come: {}", manifest.as_of)));
    }
    let reader = crate::log::reader(&asked.common)?;
    let extent = reader.extent().map_err(Error::Log)?;
    let position = Position { seq: manifest.log_position };
    if extent.last < position.seq {
        return Err(Error::Refused(format!(
            "{name} was computed from the log up to block {}, and this log ends with block {}: it is of another \
             server, or has lost blocks",
            position.seq, extent.last
        )));
    }
    if 0 < position.seq && position.seq < extent.first {
        return Err(Error::Refused(format!(
            "{name} was computed from the log up to block {}, and this log begins with block {}: {}",
            position.seq,
            extent.first,
            if position.seq <= extent.pruned {
                "retention has deleted what came before"
            } else {
                "what came before is missing, and retention did not delete it"
            }
        )));
    }
    let failed = |error: muriel_events::warehouse::Error| Error::Other(error.into());
    let warehouse = Scratch::new(&Options::default())?;
    let bar = progress(position);
    let loaded =
        load_log(&reader, &*warehouse, &manifest.project_key, position, muriel_api::visitor::source, &mut |at| {
            bar.set_position(at.seq.max(0).unsigned_abs());
        })
        .map_err(failed)?;
    bar.finish_and_clear();
    let damage = loaded.damage.map(|damage| damage.to_string());
    let events = loaded.events;
    let stored = crate::block_on(history(&asked.common, &manifest))?;
    let computed = recompute(manifest, &*warehouse).map_err(|failure| match failure {
        Failure::Manifest(flaw) => refuse(&format!("is no result of ours: its manifest {flaw}")),
        other => Error::Other(other.into()),
    })?;
    let computed = serde_json::to_value(ResultAnswer::new(&computed)).map_err(|error| Error::Other(error.into()))?;
    let mut differences = Vec::new();
    differ(Source::Log, &computed, &given, "", &mut differences);
    let mut notes = Vec::new();
    if extent.pruned > 0 {
        notes.push(format!("retention has deleted the blocks of the log up to {}", extent.pruned));
    }
    match &stored {
        History::Told(told, believed) => {
            for (part, value) in told.as_object().into_iter().flatten() {
                let given = &given["manifest"][part];
                differ(Source::History, value, given, &format!("manifest.{part}"), &mut differences);
            }
            notes.extend(believed.iter().cloned());
        }
        History::Silent(why) => notes.push(format!("what the manifest says of the experiment is believed: {why}")),
    }
    let holds = differences.is_empty() && damage.is_none();
    if asked.json {
        let told: Vec<Value> = differences.iter().take(TOLD).map(Difference::as_json).collect();
        say!(
            "{}",
            json!({
                "holds": holds,
                "events": events,
                "log_position": position.seq,
                "damaged": damage,
                "differences": told,
                "notes": notes,
            })
        )?;
    } else if holds {
        say!(
            "{name} holds: computed again from {events} events up to block {}, every value is the same.",
            position.seq
        )?;
        for note in &notes {
            say!("But {note}.")?;
        }
    } else {
        if let Some(damage) = &damage {
            say!("{name} does not hold: the log that it was computed from is damaged: {damage}")?;
        }
        for difference in differences.iter().take(TOLD) {
            say!("{difference}")?;
        }
    }
    if let Some(damage) = damage {
        return Err(Error::Damaged(damage));
    }
    match differences.len() {
        0 => Ok(()),
        1 => Err(Error::Refused(format!("{name} differs in one value"))),
        many => Err(Error::Refused(format!("{name} differs in {many} values"))),
    }
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

/// What a result is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// What was computed from the log.
    Log,
    /// What is stored in the database.
    History,
}

/// A place where the result is not what it should be.
#[derive(Debug, PartialEq)]
struct Difference {
    at: String,
    source: Source,
    computed: Option<Value>,
    given: Option<Value>,
}

impl Difference {
    fn as_json(&self) -> Value {
        let source = match self.source {
            Source::Log => "log",
            Source::History => "history",
        };
        json!({ "at": self.at, "from": source, "computed": self.computed, "given": self.given })
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
        let source = match self.source {
            Source::Log => "the log says",
            Source::History => "the database says",
        };
        write!(f, "{}: {source} {}, the result {}", self.at, shown(&self.computed), shown(&self.given))
    }
}

/// Every place where two values differ. Numbers are the same when they are the
/// same double.
fn differ(source: Source, computed: &Value, given: &Value, at: &str, found: &mut Vec<Difference>) {
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
            differ(Source::Log, &computed, &given, "", &mut found);
            let places: Vec<&str> = found.iter().map(|difference| difference.at.as_str()).collect();
            assert_eq!(places, expect, "{computed} {given}");
        }
    }
}
