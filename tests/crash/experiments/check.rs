//! Compares the answers of a server, and the content of its database, with what was
//! acknowledged.

use crate::Result;
use crate::experiments::ledger::{Created, Ledger, Owned, State};
use crate::experiments::parts::{self, Links};
use crate::http::Answer;
use crate::violation::{Kind, Violation};
use muriel_sql::Row;
use muriel_store::experiments::EPOCHS_MAX;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Every experiment that is not deleted, with the numbers that must agree.
pub(crate) const INSIDE: &str = "SELECT e.experiment_id, e.name, e.revision, e.epoch, \
     (SELECT count(*) FROM experiment_history h WHERE h.experiment_id = e.experiment_id), \
     (SELECT max(h.revision) FROM experiment_history h WHERE h.experiment_id = e.experiment_id), \
     (SELECT count(*) FROM epoch p WHERE p.experiment_id = e.experiment_id) \
     FROM experiment e WHERE e.deleted_at IS NULL ORDER BY e.experiment_id";

/// State of an experiment by its details.
pub(crate) struct Seen {
    state: State,
    /// True when its unanswered request was applied.
    pub(crate) has_pending: bool,
    pub(crate) violations: Vec<Violation>,
}

/// Checks an experiment that clients change. The state that is found becomes the known
/// one.
pub(crate) fn owned(owned: &mut Owned, answer: &Answer, links: &Links) -> Seen {
    let mut seen = read(&owned.label, answer, links);
    let (state, known) = (seen.state, owned.known);
    let pending = owned.pending.take();
    seen.has_pending = pending == Some(state);
    if answer.status == 200 && state != known && !seen.has_pending {
        let furthest = pending.unwrap_or(known);
        let kind = if state.token < known.token || state.revision < known.revision {
            Kind::Lost
        } else if state.token > furthest.token || state.revision > furthest.revision {
            Kind::Invented
        } else if [known, furthest].iter().any(|s| (s.token, s.status) == (state.token, state.status)) {
            Kind::Miscounted
        } else {
            Kind::Mixed
        };
        let sent = pending.map_or(String::new(), |pending| format!("; sent last {pending}"));
        let sentence = format!("it is at {state}; acknowledged {known}{sent}");
        seen.violations.push(Violation::new(kind, &owned.label, sentence));
    }
    if answer.status == 200 {
        owned.known = state;
        owned.last_token = owned.last_token.max(state.token);
    }
    seen
}

/// Checks an experiment that was created and acknowledged.
pub(crate) fn created(created: &Created, answer: &Answer, links: &Links) -> Vec<Violation> {
    let mut seen = read(&created.label, answer, links);
    let due = State::new(created.token, created.status);
    if answer.status == 200 && seen.state != due {
        let sentence = format!("it is at {}; created at {due}", seen.state);
        seen.violations.push(Violation::new(Kind::Mixed, &created.label, sentence));
    }
    seen.violations
}

/// Reads details. Every part has to have the token that is in the name.
fn read(label: &str, answer: &Answer, links: &Links) -> Seen {
    let mut violations = Vec::new();
    let mut add = |kind, sentence| violations.push(Violation::new(kind, label, sentence));
    let experiment = &answer.body["experiment"];
    let mut state = State { token: 0, status: -1, revision: 0, epoch: 0 };
    if answer.status != 200 {
        add(Kind::Lost, format!("its details answer {}", answer.summary()));
        return Seen { state, has_pending: false, violations };
    }
    state.status = experiment["status"].as_i64().unwrap_or(-1);
    state.revision = answer.revision().unwrap_or(0);
    let epochs: Vec<i64> = numbers(&experiment["epochs"]);
    state.epoch = epochs.last().copied().unwrap_or(0);
    // Details show only the last `EPOCHS_MAX` epochs. The database, when it is read, has all of them.
    let first = (state.epoch - EPOCHS_MAX).max(0) + 1;
    if !epochs.iter().copied().eq(first..=state.epoch) {
        add(Kind::Miscounted, format!("its epochs are numbered {epochs:?}"));
    }
    match experiment["test_name"].as_str().and_then(parts::read_name) {
        Some((its, token)) if its == label => {
            state.token = token;
            let other = parts::differences(&parts::patch(label, token, links), experiment);
            if !other.is_empty() {
                add(Kind::Mixed, format!("its name has token {token}, but {}", other.join(", ")));
            }
        }
        _ => add(Kind::Mixed, format!("its name is {}", experiment["test_name"])),
    }
    Seen { state, has_pending: false, violations }
}

fn numbers(epochs: &Value) -> Vec<i64> {
    epochs.as_array().into_iter().flatten().map(|epoch| epoch["epoch"].as_i64().unwrap_or(-1)).collect()
}

/// Checks the rows of [`INSIDE`]: the numbers have to agree, and everything that was
/// acknowledged has to be stored once, under its id, and nothing that nobody sent.
pub(crate) fn inside(rows: Vec<Row>, ledger: &Ledger) -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    let mut present = Vec::with_capacity(rows.len());
    for mut row in rows {
        let (id, name) = (row.int(0)?, row.text(1)?);
        let (revision, epoch, entries) = (row.int(2)?, row.int(3)?, row.int(4)?);
        let (last_entry, epochs) = (row.opt_int(5)?.unwrap_or(0), row.int(6)?);
        let label = parts::read_name(&name).map_or(name.as_str(), |(label, _)| label).to_owned();
        if entries != revision || last_entry != revision {
            let sentence = format!("at revision {revision} its history has {entries} entries up to {last_entry}");
            violations.push(Violation::new(Kind::Miscounted, &label, sentence));
        }
        if epochs != epoch {
            let sentence = format!("its last epoch is {epoch}, and it has {epochs}");
            violations.push(Violation::new(Kind::Miscounted, &label, sentence));
        }
        present.push((label, id));
    }
    violations.extend(present_once(present, ledger));
    Ok(violations)
}

fn present_once(present: Vec<(String, i64)>, ledger: &Ledger) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut ids: HashMap<String, Vec<i64>> = HashMap::new();
    for (label, id) in present {
        ids.entry(label).or_default().push(id);
    }
    let owned = ledger.owned.iter().map(|owned| (&owned.label, Some(owned.id)));
    let created = ledger.created.iter().map(|created| (&created.label, created.id));
    for (label, id) in owned.chain(created) {
        let mut add = |kind, sentence| violations.push(Violation::new(kind, label, sentence));
        let found = ids.remove(label).unwrap_or_default();
        match (id, &*found) {
            (Some(id), [found]) if id == *found => {}
            (Some(id), []) => add(Kind::Lost, format!("it was acknowledged as {id} and is not there")),
            (Some(id), [found]) => add(Kind::Lost, format!("it was acknowledged as {id} and is {found}")),
            (None, [] | [_]) => {}
            (_, found) => add(Kind::Duplicated, format!("it is there as {found:?}")),
        }
    }
    for (label, ids) in ids {
        violations.push(Violation::new(Kind::Invented, &label, format!("it is there as {ids:?} and nobody sent it")));
    }
    violations
}

/// Checks the ids on all pages of the list.
pub(crate) fn listed(ids: &[i64], ledger: &Ledger) -> Vec<Violation> {
    let shown: HashSet<i64> = ids.iter().copied().collect();
    let owned = ledger.owned.iter().map(|owned| (owned.label.as_str(), owned.id));
    let created = ledger.created.iter().filter_map(|created| Some((created.label.as_str(), created.id?)));
    let all: Vec<(&str, i64)> = owned.chain(created).collect();
    let mut violations: Vec<Violation> = all
        .iter()
        .filter(|(_, id)| !shown.contains(id))
        .map(|(label, id)| Violation::new(Kind::Lost, label, format!("the list does not show {id}")))
        .collect();
    if shown.len() != ids.len() {
        violations.push(Violation::new(Kind::Duplicated, "list", "the list shows an experiment twice".to_owned()));
    }
    if shown.len() > all.len() {
        let sentence = format!("the list shows {} experiments of {}", shown.len(), all.len());
        violations.push(Violation::new(Kind::Invented, "list", sentence));
    }
    violations
}
