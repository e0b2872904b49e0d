//! Shows that the rig can fail: plants faults, and expects that each is reported.

use super::journal::Fate;
use super::tamper::{self, Stored};
use super::traffic::{Batch, Item};
use super::{Options, Rig, check};
use crate::Result;
use crate::findings::Planted;
use crate::http::Connection;
use crate::place::{DataLocation, Database};
use crate::violation::{Kind, Violation};
use muriel_domain::Instant;
use muriel_log::Position;
use muriel_warehouse::{self as warehouse, DuckWarehouse, LoadTarget, Rows, WarehouseWriter};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use uuid::Uuid;

/// Number of cycles under load before faults are planted.
const CYCLES: u32 = 3;

/// Fault of a log, which is planted in a copy of a valid one.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// An acknowledged event is gone, and the chain of hashes is valid.
    Dropped,
    /// An event is stored once more.
    Repeated,
    /// An event is stored that nobody sent.
    Invented,
    /// An event of one project is stored as one of the other.
    Strayed,
    /// An event has one letter more than was sent.
    Rewritten,
    /// One byte of a block is changed in its file.
    ByteChanged,
    /// A block is gone.
    BlockMissing,
    /// The last blocks are gone.
    CutShort,
}

impl Fault {
    const ALL: [Fault; 8] = [
        Fault::Dropped,
        Fault::Repeated,
        Fault::Invented,
        Fault::Strayed,
        Fault::Rewritten,
        Fault::ByteChanged,
        Fault::BlockMissing,
        Fault::CutShort,
    ];

    /// Kind of violation that has to be reported, and kinds that may be reported with it.
    fn kinds(self) -> (Kind, &'static [Kind]) {
        match self {
            Fault::Dropped | Fault::CutShort => (Kind::Lost, &[]),
            Fault::Repeated => (Kind::Duplicated, &[]),
            Fault::Invented => (Kind::Invented, &[]),
            // If the other project has an event with the same id, it now has two.
            Fault::Strayed => (Kind::Lost, &[Kind::Invented, Kind::Duplicated, Kind::Mixed]),
            Fault::Rewritten => (Kind::Mixed, &[]),
            // The events of a block that cannot be read are lost.
            Fault::ByteChanged | Fault::BlockMissing => (Kind::Damaged, &[Kind::Lost]),
        }
    }

    fn plant(self, data_dir: &Path, rig: &Rig, victim: Uuid) -> Result<()> {
        match self {
            Fault::ByteChanged => return tamper::change_byte(data_dir),
            Fault::BlockMissing => return tamper::remove_block(data_dir),
            _ => {}
        }
        let own = rig.accounts[0].project_key.clone();
        let other = rig.accounts[1].project_key.clone();
        tamper::rewrite(data_dir, |blocks| {
            let is_victim = |event: &Stored| event.id == victim && event.project_key == own;
            let block = blocks.iter().position(|block| block.iter().any(is_victim)).ok_or("nothing to spoil")?;
            let place = blocks[block].iter().position(is_victim).ok_or("nothing to spoil")?;
            let event = &mut blocks[block][place];
            match self {
                Fault::Dropped => drop(blocks[block].remove(place)),
                Fault::Repeated => {
                    let again = event.clone();
                    blocks.last_mut().ok_or("no block")?.push(again);
                }
                Fault::Invented => {
                    let invented = Stored { id: Uuid::from_u128(victim.as_u128() ^ 1), ..event.clone() };
                    blocks[block].push(invented);
                }
                Fault::Strayed => event.project_key = other,
                Fault::Rewritten => {
                    let text = event.line.replacen("\"nonce\":\"", "\"nonce\":\"x", 1);
                    event.line = text;
                }
                Fault::CutShort => blocks.truncate(block.max(1)),
                Fault::ByteChanged | Fault::BlockMissing => {}
            }
            Ok(())
        })
    }
}

/// Plants every fault. A fault of the log is planted in a copy of a valid log.
pub(crate) fn run(options: &Options) -> Result<Planted> {
    let options = Options { load_ms: 150..=250, ..options.clone() };
    let mut rig = Rig::new(&options, "events", DataLocation::new(Database::Sqlite)?, &[])?;
    // On a busy machine, a kill may come before the first answers. What is sent again is
    // answered in any case.
    for cycle in 1..=10 * CYCLES {
        rig.load(false, || Ok(()))?;
        rig.start_again(&[])?;
        rig.look(false)?;
        rig.send_again(false)?;
        if cycle >= CYCLES && victim(&rig).is_ok() {
            break;
        }
    }
    rig.server.kill()?;
    rig.look(true)?;
    if !rig.report.findings.is_empty() {
        let line = format!("before anything was planted: {}", rig.report);
        return Ok(Planted::new("events", vec![(false, line)]));
    }
    let victim = victim(&rig)?;
    let mut lines = Vec::new();
    for fault in Fault::ALL {
        lines.push(in_a_copy(&rig, fault, victim)?);
    }
    lines.push(known_too_early(&mut rig)?);
    lines.push(forgotten(&mut rig)?);
    lines.push(counted_too_much(&mut rig)?);
    lines.push(not_counted(&mut rig)?);
    Ok(Planted::new("events", lines))
}

/// Id of an event of the first project that was acknowledged in the middle of the run.
/// Its block has other events, as a block without events counts as damaged.
fn victim(rig: &Rig) -> Result<Uuid> {
    let mut sizes: HashMap<i64, u32> = HashMap::new();
    for entry in rig.journal.entries.values() {
        *sizes.entry(entry.block).or_default() += 1;
    }
    let is_one_of_many = |block: i64| sizes.get(&block).is_some_and(|size| *size > 1);
    let mut known: Vec<(i64, Uuid)> = rig
        .journal
        .entries
        .iter()
        .filter(|(key, entry)| key.project == 0 && entry.block > 1 && entry.fate == Fate::Acknowledged)
        .filter(|(_, entry)| is_one_of_many(entry.block))
        .map(|(key, entry)| (entry.block, key.id))
        .collect();
    known.sort_unstable();
    known.get(known.len() / 2).map(|(_, id)| *id).ok_or_else(|| "no event was acknowledged".into())
}

fn in_a_copy(rig: &Rig, fault: Fault, victim: Uuid) -> Result<(bool, String)> {
    let copy = tempfile::Builder::new().prefix("muriel-crash-").tempdir()?;
    for entry in std::fs::read_dir(rig.place.data_dir())? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), copy.path().join(entry.file_name()))?;
        }
    }
    fault.plant(copy.path(), rig, victim)?;
    let projects = [0, 1].map(|project: usize| rig.accounts[project].project_key.as_str());
    let seen = check::look(&mut rig.journal.clone(), &projects, copy.path(), Position::default())?;
    let (kind, besides) = fault.kinds();
    Ok(verdict(&format!("{fault:?}"), &seen.violations, kind, besides))
}

fn verdict(fault: &str, violations: &[Violation], kind: Kind, besides: &[Kind]) -> (bool, String) {
    let Some(first) = violations.iter().find(|violation| violation.kind == kind) else {
        return (false, format!("{fault}: of {} reported none is {}", violations.len(), kind.word()));
    };
    match violations.iter().find(|violation| violation.kind != kind && !besides.contains(&violation.kind)) {
        Some(other) => (false, format!("{fault}: also reported was {other}")),
        None => (true, format!("{fault}: {first}")),
    }
}

/// Stores a batch that the clients have not sent yet, so that their first answer is
/// wrong.
fn known_too_early(rig: &mut Rig) -> Result<(bool, String)> {
    rig.start_again(&[])?;
    let batch = loop {
        let batch = Batch::new(&mut rig.rng, 1_700_000_000_000);
        if batch.keys().count() > 1 {
            break batch;
        }
    };
    let mut connection = Connection::open(rig.server.address)?;
    connection.send_bytes(&batch.request(&rig.accounts, &rig.journal.recipe))?;
    connection.receive()?;
    rig.unanswered = vec![batch];
    rig.earlier.clear();
    let violations = sent_again(rig)?;
    Ok(verdict("KnownTooEarly", &violations, Kind::Untrue, &[]))
}

/// Removes a stored event from the index, so that the server stores it again.
fn forgotten(rig: &mut Rig) -> Result<(bool, String)> {
    rig.server.kill()?;
    rig.look(true)?;
    // An early event: the last ones may reach the index only at the next start.
    let known = rig.journal.entries.iter().filter(|(key, entry)| key.project == 0 && entry.block > 0);
    let key = known.min_by_key(|(_, entry)| entry.block).map(|(key, _)| *key).ok_or("nothing to spoil")?;
    tamper::forget(rig.place.data_dir(), key.id)?;
    rig.start_again(&[])?;
    let batch = loop {
        let batch = Batch::new(&mut rig.rng, 1_700_000_000_000);
        if batch.project == key.project {
            break batch;
        }
    };
    rig.unanswered = vec![Batch { items: vec![Item::Event(key.id)], ..batch }];
    let mut violations = sent_again(rig)?;
    violations.extend(rig.look(true)?);
    Ok(verdict("Forgotten", &violations, Kind::Duplicated, &[Kind::Untrue]))
}

/// Adds a visitor to the warehouse whom the log does not have.
fn counted_too_much(rig: &mut Rig) -> Result<(bool, String)> {
    let at = Instant::from_us(1_000 * rig.journal.recipe.began_ms);
    let exposure = json!({
        "id": Uuid::from_u128(1),
        "project_key": rig.accounts[0].project_key,
        "at": at,
        "received_at": at,
        "visitor": { "id": "nobody" },
        "bot": false,
        "type": "exposure",
        "test_id": rig.journal.recipe.tests[0],
        "variant_id": "0",
    });
    let mut rows = Rows::default();
    rows.add(&serde_json::from_value(exposure)?, 1);
    let violations = with_other_rows(rig, &rows, false)?;
    Ok(verdict("CountedTooMuch", &violations, Kind::Misreported, &[]))
}

/// Empties the warehouse, which still reports everything as loaded.
fn not_counted(rig: &mut Rig) -> Result<(bool, String)> {
    let violations = with_other_rows(rig, &Rows::default(), true)?;
    Ok(verdict("NotCounted", &violations, Kind::Misreported, &[]))
}

/// Adds these rows to the warehouse, or puts them in place of its own with `instead`.
/// Returns the violations that are found then.
fn with_other_rows(rig: &mut Rig, rows: &Rows, instead: bool) -> Result<Vec<Violation>> {
    rig.ask_for_results()?;
    rig.look(true)?;
    rig.server.kill()?;
    let options = warehouse::WarehouseOptions { memory_bytes: 256 << 20, threads: 1 };
    let warehouse = DuckWarehouse::open(&rig.place.data_dir().join("warehouse.duckdb"), &options)?;
    let (log, mark) = warehouse.watermarks().into_iter().next().ok_or("nothing was loaded")?;
    if instead {
        warehouse.reset()?;
    }
    warehouse.load(LoadTarget::Answering, log, rows, mark)?;
    drop(warehouse);
    rig.start_again(&[])?;
    let mut violations = rig.ask_for_results()?;
    violations.extend(rig.look(true)?);
    Ok(violations)
}

/// Sends all unanswered batches again. Returns the violations that this causes.
fn sent_again(rig: &mut Rig) -> Result<Vec<Violation>> {
    let before = rig.report.findings.all().len();
    while !rig.unanswered.is_empty() {
        rig.send_again(false)?;
    }
    Ok(rig.report.findings.all()[before..].to_vec())
}
