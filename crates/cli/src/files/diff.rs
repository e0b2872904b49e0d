//! Differences between the files and the project.

use super::content::{Fields, Kind, PERMANENT, Stored, goal_keys, is_bandit};
use super::parse::{Tree, Wanted};
use super::problems::FileProblems;
use muriel_api::check::{FieldChange, differences};
use muriel_http::body::BODY_LIMIT;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// Content of the project: the objects that the files name, and the names of all others.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) objects: Vec<Stored>,
    /// Names of all objects.
    pub(crate) names: BTreeSet<(Kind, String)>,
}

impl Project {
    fn find(&self, kind: Kind, name: &str) -> Option<&Stored> {
        self.objects.iter().find(|object| object.kind == kind && object.name == name)
    }
}

/// Options of the command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Choices {
    /// True to remove objects that are not in the files.
    pub(crate) prune: bool,
    /// True to make experiments live again that ran and were stopped.
    pub(crate) resume: bool,
}

/// Action on an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    /// Create it.
    Create,
    /// Change its fields, its status, or both.
    Update,
    /// Delete it; archive a hypothesis, because no operation deletes one.
    Remove,
}

/// A change of one object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) act: Act,
    /// Current state; `None` for a new object.
    pub(crate) stored: Option<Stored>,
    /// All fields after the change, including unchanged ones. Empty if it is removed.
    pub(crate) fields: Fields,
    /// Fields that differ, without the status.
    pub(crate) differences: Vec<FieldChange>,
    /// Word of the new status, if it changes.
    pub(crate) status: Option<String>,
}

impl Change {
    /// Body that creates or updates it, without the ids of referenced objects.
    pub(crate) fn body(&self) -> Fields {
        let top = |field: &str| field.split(['.', '[']).next().unwrap_or_default().to_owned();
        let changed: BTreeSet<String> = self.differences.iter().map(|change| top(&change.field)).collect();
        let is_new = self.act == Act::Create;
        let mut body: Fields = self
            .fields
            .iter()
            .filter(|(name, _)| is_new || changed.contains(*name))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        if self.kind != Kind::Experiment {
            return body;
        }
        body.shift_remove("status");
        if !is_new {
            PERMANENT.iter().for_each(|name| drop(body.shift_remove(*name)));
            if let Some(key) = self.fields.get("variants_data_key").filter(|_| body.contains_key("variants")) {
                body.insert("variants_data_key".to_owned(), key.clone());
            }
            let configuration = body.get_mut("configuration").and_then(Value::as_object_mut);
            if let Some(configuration) = configuration.filter(|_| is_bandit(&self.fields)) {
                configuration.insert("distribution".to_owned(), "manual".into());
            }
        }
        body
    }

    /// Returns whether it stops a live experiment.
    pub(crate) fn stops(&self) -> bool {
        self.status.is_some() && self.stored.as_ref().is_some_and(Stored::is_live)
    }
}

/// All differences.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Changes, in the order in which they are made.
    pub(crate) changes: Vec<Change>,
    /// Messages about differences that are left as they are.
    pub(crate) notes: Vec<String>,
}

/// Computes the changes that the files make in the project.
///
/// # Errors
/// Files that cannot be applied.
pub(crate) fn changes(tree: &Tree, project: &Project, choices: Choices) -> Result<Changes, FileProblems> {
    let mut found = FileProblems::default();
    let mut all = Changes::default();
    let mut ordered: Vec<&Wanted> = tree.wanted.iter().collect();
    ordered.sort_by_key(|wanted| wanted.kind);
    for wanted in ordered {
        references(wanted, tree, project, choices, &mut found);
        let change = match project.find(wanted.kind, &wanted.name) {
            None => Some(created(wanted)),
            Some(stored) => updated(wanted, stored, choices, &mut all.notes, &mut found),
        };
        if let Some(change) = change {
            fits_a_request(&change, wanted, &mut found);
            all.changes.push(change);
        }
    }
    if choices.prune {
        all.changes.extend(removals(tree, project));
    }
    if found.is_empty() { Ok(all) } else { Err(found) }
}

fn created(wanted: &Wanted) -> Change {
    let status = wanted.fields.get("status").and_then(Value::as_str).filter(|word| *word != "draft");
    Change {
        kind: wanted.kind,
        name: wanted.name.clone(),
        act: Act::Create,
        stored: None,
        fields: wanted.fields.clone(),
        differences: Vec::new(),
        status: status.map(str::to_owned),
    }
}

/// Change that turns `stored` into what is wanted; `None` if they are equal.
fn updated(
    wanted: &Wanted,
    stored: &Stored,
    choices: Choices,
    notes: &mut Vec<String>,
    found: &mut FileProblems,
) -> Option<Change> {
    let mut fields = settled(wanted, stored);
    for name in PERMANENT.iter().filter(|name| fields.get(**name) != stored.fields.get(**name)) {
        let (file, line) = wanted.origin.of(name);
        let has = stored.fields.get(*name).and_then(Value::as_str).unwrap_or_default();
        found.add(file, line, format!("{name} cannot be changed: it is {has:?} in the project"));
    }
    let status = match status(wanted, stored, choices) {
        Ok(status) => status,
        Err(note) => {
            notes.push(note);
            None
        }
    };
    let kept = stored.fields.get("status").cloned();
    if let Some(kept) = kept {
        fields.insert("status".to_owned(), kept);
    }
    let differences = differences(&Value::Object(stored.fields.clone()), &Value::Object(fields.clone()));
    let is_changed = !differences.is_empty() || status.is_some();
    is_changed.then(|| Change {
        kind: wanted.kind,
        name: wanted.name.clone(),
        act: Act::Update,
        stored: Some(stored.clone()),
        fields,
        differences,
        status,
    })
}

/// Wanted fields, with the project's values for those that the files leave alone.
fn settled(wanted: &Wanted, stored: &Stored) -> Fields {
    let mut fields = wanted.fields.clone();
    for name in &wanted.left_alone {
        match name.split_once('.') {
            None => {
                fields.insert((*name).to_owned(), stored.fields.get(*name).cloned().unwrap_or_default());
            }
            Some((object, member)) => {
                let kept = stored.fields.get(object).and_then(|object| object.get(member)).cloned();
                if let Some(members) = fields.get_mut(object).and_then(Value::as_object_mut) {
                    members.insert(member.to_owned(), kept.unwrap_or_default());
                }
            }
        }
    }
    fields
}

/// Status to move to; `None` if it does not change.
///
/// Files do not undo what people and the clock do with an experiment. They start a draft or make it inactive, and stop
/// a live experiment. They never make an experiment that has run a draft again, and restart it only with `--resume`.
///
/// # Errors
/// A message about a status that is left as it is.
fn status(wanted: &Wanted, stored: &Stored, choices: Choices) -> Result<Option<String>, String> {
    if wanted.kind != Kind::Experiment || wanted.left_alone.contains(&"status") {
        return Ok(None);
    }
    let word = |fields: &Fields| fields.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (to, from) = (word(&wanted.fields), word(&stored.fields));
    let name = &wanted.name;
    match (from.as_str(), to.as_str()) {
        (from, to) if from == to => Ok(None),
        _ if stored.is_concluded => Err(format!("experiment {name} is concluded and stays {from}; its file says {to}")),
        ("live", "draft") => {
            Err(format!("experiment {name} is live and stays live; its file says draft: write \"inactive\" to stop it"))
        }
        ("inactive", "live") if stored.has_run && !choices.resume => Err(format!(
            "experiment {name} has run and was stopped; its file says live: write \"inactive\", or start it again with --resume"
        )),
        ("inactive", "draft") if stored.has_run => {
            Err(format!("experiment {name} has run and was stopped; its file says draft: write \"inactive\""))
        }
        _ => Ok(Some(to)),
    }
}

/// Adds a problem for each goal and hypothesis that an experiment refers to and that will not exist.
fn references(wanted: &Wanted, tree: &Tree, project: &Project, choices: Choices, found: &mut FileProblems) {
    let mut check = |field: &str, kind: Kind, name: &str, place: &str| {
        let is_there = project.names.contains(&(kind, name.to_owned()));
        if tree.has(kind, name) || (is_there && !(choices.prune && kind == Kind::Goal)) {
            return;
        }
        let (file, line) = wanted.origin.of(field);
        let why = if is_there { ", and --prune deletes it" } else { " or in the project" };
        found.add(file, line, format!("{field}: there is no {} {name:?} in {place}{why}", kind.word()));
    };
    if wanted.kind != Kind::Experiment {
        return;
    }
    for (field, key) in goal_keys(&wanted.fields) {
        check(&field, Kind::Goal, key, "goals.toml");
    }
    if let Some(slug) = wanted.fields.get("hypothesis").and_then(Value::as_str) {
        check("hypothesis", Kind::Hypothesis, slug, "hypotheses/");
    }
}

/// Adds a problem for a change that is too large for one request: in several it would not be atomic.
fn fits_a_request(change: &Change, wanted: &Wanted, found: &mut FileProblems) {
    let bytes = Value::Object(change.body()).to_string().len();
    // Ids and the key are added later.
    if bytes + 1_024 > BODY_LIMIT {
        let message = format!("the change has {bytes} bytes as one request, which must be below {BODY_LIMIT}");
        found.add(&wanted.origin.file, 0, message);
    }
}

/// Removals of objects that are not in the files: experiments first, because they use goals.
fn removals(tree: &Tree, project: &Project) -> Vec<Change> {
    let is_left = |stored: &&Stored| !tree.has(stored.kind, &stored.name);
    let is_gone =
        |stored: &&Stored| stored.kind != Kind::Hypothesis || stored.fields.get("archived") != Some(&json!(true));
    let mut left: Vec<&Stored> = project.objects.iter().filter(is_left).filter(is_gone).collect();
    left.sort_by_key(|stored| (std::cmp::Reverse(stored.kind), stored.name.clone()));
    let removal = |stored: &Stored| Change {
        kind: stored.kind,
        name: stored.name.clone(),
        act: Act::Remove,
        stored: Some(stored.clone()),
        fields: Fields::new(),
        differences: Vec::new(),
        status: None,
    };
    left.into_iter().map(removal).collect()
}

/// Ids of objects by kind and name, for references.
pub(crate) type Ids = HashMap<(Kind, String), i64>;

/// Body with ids in place of slugs, and with key and status for a new object.
pub(crate) fn resolved(change: &Change, mut body: Fields, ids: &Ids) -> Fields {
    if let Some(slug) = body.shift_remove("hypothesis") {
        let id = slug.as_str().and_then(|slug| ids.get(&(Kind::Hypothesis, slug.to_owned())));
        body.insert("hypothesis_id".to_owned(), id.copied().into());
    }
    if change.act == Act::Create {
        let key = match change.kind {
            Kind::Goal => "goal_key",
            Kind::Hypothesis => "slug",
            Kind::Experiment => "experiment_key",
        };
        body.insert(key.to_owned(), change.name.clone().into());
        if let Some(status) = &change.status {
            body.insert("status".to_owned(), status_code(status).into());
        }
        if change.kind == Kind::Experiment {
            // Creation accepts null for these fields only.
            body.retain(|name, value| !value.is_null() || name == "primary_goal_key" || name == "hypothesis_id");
        }
    }
    body
}

/// API number of a status.
pub(crate) fn status_code(word: &str) -> i64 {
    super::content::STATUSES.iter().find(|(known, _)| *known == word).map_or(9, |(_, code)| *code)
}

#[cfg(test)]
mod tests;
