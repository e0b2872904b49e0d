//! Shows that the rig can fail: plants faults, and expects that each is reported.

use crate::Result;
use crate::experiments::ledger::{Created, Owned};
use crate::experiments::parts;
use crate::experiments::rig::{Options, Rig};
use crate::findings::Planted;
use crate::http::Request;
use crate::place::Database;
use crate::violation::{Kind, Violation};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

/// Maximum number of cycles for a fault, as one may find nothing to spoil.
const ATTEMPTS: u32 = 20;

/// Fault that a correct server never has.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// One part of an experiment has other content.
    CodeRewritten,
    /// Everything that an acknowledged patch wrote is gone, without a trace.
    PatchDropped,
    /// An experiment holds a token that nobody sent.
    PatchInvented,
    /// An acknowledged experiment is gone.
    CreateDropped,
    /// An acknowledged experiment is stored twice.
    CreateRepeated,
    /// An entry of the history is missing.
    HistoryGap,
    /// An epoch is missing.
    EpochGap,
}

impl Fault {
    const ALL: [Fault; 7] = [
        Fault::CodeRewritten,
        Fault::PatchDropped,
        Fault::PatchInvented,
        Fault::CreateDropped,
        Fault::CreateRepeated,
        Fault::HistoryGap,
        Fault::EpochGap,
    ];

    fn kind(self) -> Kind {
        match self {
            Fault::CodeRewritten => Kind::Mixed,
            Fault::PatchDropped | Fault::CreateDropped => Kind::Lost,
            Fault::PatchInvented => Kind::Invented,
            Fault::CreateRepeated => Kind::Duplicated,
            Fault::HistoryGap | Fault::EpochGap => Kind::Miscounted,
        }
    }
}

/// Plants every fault, each in a separate cycle.
pub(crate) fn run(options: &Options, database: Database) -> Result<Planted> {
    let mut rig = Rig::new(options, database)?;
    let mut lines = Vec::new();
    for fault in Fault::ALL {
        lines.push(plant_and_check(&mut rig, fault)?);
    }
    if rig.place.file().is_some() {
        lines.push(damage_and_check(&mut rig)?);
    }
    Ok(Planted::new(database.name(), lines))
}

fn plant_and_check(rig: &mut Rig, fault: Fault) -> Result<(bool, String)> {
    for _ in 0..ATTEMPTS {
        rig.place.tamper(keep())?;
        let before: Vec<Owned> = rig.ledger.owned.clone();
        rig.load_and_kill()?;
        let mut planted = plant_in_database(rig, fault, &before)?;
        rig.start_again()?;
        if planted.is_none() {
            planted = plant_by_request(rig, fault)?;
        }
        let violations = rig.check(true)?;
        if let Some(about) = planted {
            return Ok(verdict(fault, &about, &violations));
        }
        if let Some(other) = violations.first() {
            return Ok((false, format!("{fault:?}: before it was planted, {other}")));
        }
    }
    Ok((false, format!("{fault:?}: {ATTEMPTS} cycles had nothing to spoil")))
}

fn verdict(fault: Fault, about: &str, violations: &[Violation]) -> (bool, String) {
    let is_it = |violation: &Violation| violation.kind == fault.kind() && violation.about == about;
    match violations {
        [] => (false, format!("{fault:?} of {about}: nothing was reported")),
        violations if violations.iter().all(is_it) => {
            (true, format!("{fault:?} of {about}: {}", violations[0].sentence))
        }
        violations => {
            (false, format!("{fault:?} of {about}: {} reported, among them {}", violations.len(), violations[0]))
        }
    }
}

const TABLES: [&str; 5] = ["experiment", "variant", "experiment_goal", "epoch", "experiment_history"];

/// SQL script that copies every experiment, so that a patch can be undone.
fn keep() -> String {
    TABLES
        .iter()
        .map(|table| {
            format!("DROP TABLE IF EXISTS kept_{table}; CREATE TABLE kept_{table} AS SELECT * FROM {table};\n")
        })
        .collect()
}

/// SQL script that restores an experiment from its copy.
fn put_back(id: i64) -> String {
    let columns = "name, control_nickname, control_js, control_css, custom_js, custom_css, configuration, targeting, \
                   tags, plan, event_metrics, hypothesis_id, status, started_at, epoch, revision, updated_at, first_started_at, \
                   first_opened_at, planned_visitors, ended_at, code_redefined_at, control_redefined_at, most_variants";
    let mut script = format!(
        "UPDATE experiment SET ({columns}) = (SELECT {columns} FROM kept_experiment WHERE experiment_id = {id}) \
         WHERE experiment_id = {id};\n"
    );
    for table in &TABLES[1..] {
        script += &format!(
            "DELETE FROM {table} WHERE experiment_id = {id};\n\
             INSERT INTO {table} SELECT * FROM kept_{table} WHERE experiment_id = {id};\n"
        );
    }
    script
}

/// Plants a fault in the database of a killed server. Returns the label of the spoiled
/// experiment; `None` if there is nothing to spoil, or the fault needs a request.
fn plant_in_database(rig: &mut Rig, fault: Fault, before: &[Owned]) -> Result<Option<String>> {
    let mut pairs = rig.ledger.owned.iter().zip(before);
    // Miscounting is reported once for each experiment, so the two gaps are planted in different ones.
    let (some, others) = rig.ledger.owned.split_at(rig.ledger.owned.len() / 2);
    let (owned, script) = match fault {
        Fault::CodeRewritten => (
            rig.ledger.owned.first(),
            "UPDATE experiment SET custom_js = 'somebody else wrote this' WHERE experiment_id = {id}".to_owned(),
        ),
        Fault::PatchDropped => {
            let patched = pairs.find(|(now, before)| now.known.token > before.known.token);
            (patched.map(|(now, _)| now), put_back(patched.map_or(0, |(now, _)| now.id)))
        }
        Fault::HistoryGap => (
            some.iter().find(|owned| owned.known.revision > 2),
            "DELETE FROM experiment_history WHERE experiment_id = {id} AND revision = 2".to_owned(),
        ),
        Fault::EpochGap => (
            others.iter().find(|owned| owned.known.epoch > 2),
            "DELETE FROM epoch WHERE experiment_id = {id} AND epoch = 2".to_owned(),
        ),
        Fault::PatchInvented | Fault::CreateDropped | Fault::CreateRepeated => return Ok(None),
    };
    let Some(owned) = owned else { return Ok(None) };
    rig.place.tamper(script.replace("{id}", &owned.id.to_string()))?;
    Ok(Some(owned.label.clone()))
}

/// Plants a fault with a request that the ledger does not record. Returns the label of
/// the spoiled experiment; `None` if there is nothing to spoil.
fn plant_by_request(rig: &mut Rig, fault: Fault) -> Result<Option<String>> {
    let links = &rig.ledger.links;
    let acknowledged: Vec<(&Created, i64)> =
        rig.ledger.created.iter().filter_map(|created| Some((created, created.id?))).collect();
    let (label, answer) = match fault {
        Fault::PatchInvented => {
            let Some(owned) = rig.ledger.owned.get(1) else { return Ok(None) };
            let body = parts::patch(&owned.label, owned.last_token + 3, links);
            (&owned.label, rig.call(&Request::patch(format!("/experiment/{}", owned.id), &body))?)
        }
        Fault::CreateDropped => {
            let Some((created, id)) = acknowledged.first() else { return Ok(None) };
            let mut request = Request::get(format!("/experiment/{id}"));
            request.method = "DELETE";
            (&created.label, rig.call(&request)?)
        }
        Fault::CreateRepeated => {
            let Some((created, _)) = acknowledged.last() else { return Ok(None) };
            let body = parts::creation(&created.label, created.token, created.status, links);
            (&created.label, rig.call(&Request::post("/create-experiment", &body, "another key"))?)
        }
        _ => return Ok(None),
    };
    match answer.status {
        200 | 201 => Ok(Some(label.clone())),
        _ => Err(format!("{fault:?} could not be planted: {}", answer.summary()).into()),
    }
}

/// Overwrites a page of the SQLite file, which the integrity check has to detect.
fn damage_and_check(rig: &mut Rig) -> Result<(bool, String)> {
    const PAGE: u64 = 4096;
    rig.stop()?;
    if let Some(line) = rig.place.integrity()?.first() {
        return Ok((false, format!("the file before it is damaged: {line}")));
    }
    // The check has moved the write-ahead log into the file.
    let path = rig.place.file().ok_or("there is no file")?;
    let file = OpenOptions::new().write(true).open(path)?;
    let pages = file.metadata()?.len() / PAGE;
    file.write_all_at(&[0x5a; PAGE as usize], pages / 2 * PAGE)?;
    let said = rig.place.integrity()?;
    let first = said.first().map_or("nothing was reported", |line| line.lines().last().unwrap_or_default());
    Ok((!said.is_empty(), format!("a page overwritten: {first}")))
}
