//! Parses the files: goals, hypotheses and experiments with all fields, as the server would store them.

pub(crate) mod experiment;

use super::content::{Fields, Files, GOAL_FIELDS, HYPOTHESIS_FIELDS, Kind};
use super::names::key_of;
use super::problems::FileProblems;
use super::toml_reader::{self, Located};
use muriel_api::check;
use muriel_domain::Problems;
use muriel_domain::hypothesis::parse_slug;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// Version of the file layout.
pub(crate) const FORMAT: i64 = 1;

/// Object as described by the files.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    /// Key or slug.
    pub(crate) name: String,
    pub(crate) fields: Fields,
    /// Fields that the files leave to the project: `status`, `plan.visitors`, `variants_data_key`.
    pub(crate) left_alone: Vec<&'static str>,
    pub(crate) origin: Origin,
}

/// Location of an object in the files.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// TOML file.
    pub(crate) file: String,
    /// Path of the object in the file, which precedes the paths of its fields.
    prefix: String,
    located: Option<std::rc::Rc<Located>>,
    /// Separate files of some fields, the longest path first.
    parts: Vec<(String, String)>,
}

impl Origin {
    /// File and line of a field. Line 0 stands for the file as a whole.
    pub(crate) fn of(&self, field: &str) -> (&str, usize) {
        let is_in =
            |path: &str| field.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        if let Some((_, file)) = self.parts.iter().find(|(path, _)| is_in(path)) {
            return (file, 0);
        }
        let path = match (self.prefix.as_str(), field) {
            ("", field) => field.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, field) => format!("{prefix}.{field}"),
        };
        (&self.file, self.located.as_ref().map_or(0, |located| located.line(&path)))
    }

    fn add(&self, found: &mut FileProblems, field: &str, message: impl Into<String>) {
        let (file, line) = self.of(field);
        found.add(file, line, message);
    }

    /// Adds the problems of a body.
    fn add_all(&self, found: &mut FileProblems, problems: &Problems) {
        for problem in problems.iter() {
            let is_about_fields = !matches!(problem.field.as_str(), "" | "body");
            let field = if is_about_fields { problem.field.as_str() } else { "" };
            self.add(found, field, problem.to_string());
        }
    }
}

/// Content of the files of a directory.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Key of the project in `project.toml`.
    pub(crate) project: Option<String>,
    /// Goals, hypotheses and experiments, each kind in the order of the files.
    pub(crate) wanted: Vec<Wanted>,
}

impl Tree {
    /// Returns whether the files have an object of this name.
    pub(crate) fn has(&self, kind: Kind, name: &str) -> bool {
        self.wanted.iter().any(|wanted| wanted.kind == kind && wanted.name == name)
    }
}

/// Parses the files.
///
/// # Errors
/// All problems of all files.
pub(crate) fn read(files: &Files) -> Result<Tree, FileProblems> {
    let mut found = FileProblems::default();
    let mut tree = Tree { project: project(files, &mut found), wanted: goals(files, &mut found) };
    tree.wanted.extend(hypotheses(files, &mut found));
    tree.wanted.extend(experiment::all(files, &mut found));
    if found.is_empty() { Ok(tree) } else { Err(found) }
}

/// Parses a file as TOML, or adds its problems.
fn toml(file: &str, text: &str, found: &mut FileProblems) -> Option<Located> {
    toml_reader::parse(text)
        .map_err(|errors| errors.into_iter().for_each(|error| found.add(file, error.line, error.message)))
        .ok()
}

/// Adds a problem for each member that is not `known`.
fn only(members: &Fields, known: &[&str], origin: &Origin, path: &str, found: &mut FileProblems) {
    for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
        let field = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        origin.add(found, &field, format!("{field} {}", check::unknown_field(name, known)));
    }
}

fn project(files: &Files, found: &mut FileProblems) -> Option<String> {
    let file = "project.toml";
    let Some(text) = files.get(file) else {
        found.add(
            file,
            0,
            format!("the file is missing; create it with the line \"format = {FORMAT}\", to mark the directory"),
        );
        return None;
    };
    let located = toml(file, text, found)?;
    let origin = Origin { file: file.to_owned(), located: Some(located.into()), ..Origin::default() };
    let members = origin.located.as_ref().map(|located| located.members.clone()).unwrap_or_default();
    only(&members, &["format", "project_key"], &origin, "", found);
    if members.get("format").and_then(Value::as_i64) != Some(FORMAT) {
        origin.add(found, "format", format!("format must be {FORMAT}, the only one that this version of muriel reads"));
    }
    match members.get("project_key") {
        None => None,
        Some(Value::String(key)) if !key.is_empty() => Some(key.clone()),
        Some(_) => {
            origin.add(found, "project_key", "project_key must be the key of a project");
            None
        }
    }
}

fn goals(files: &Files, found: &mut FileProblems) -> Vec<Wanted> {
    let file = "goals.toml";
    let Some(located) = files.get(file).and_then(|text| toml(file, text, found)) else { return Vec::new() };
    let located = std::rc::Rc::new(located);
    let top = Origin { file: file.to_owned(), located: Some(located.clone()), ..Origin::default() };
    only(&located.members, &["goal"], &top, "", found);
    let items = match located.members.get("goal") {
        None => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => {
            top.add(found, "goal", "goals are written as [[goal]]");
            return Vec::new();
        }
    };
    let (mut wanted, mut keys) = (Vec::new(), BTreeSet::new());
    for (at, item) in items.iter().enumerate() {
        let prefix = format!("goal[{at}]");
        let origin = Origin { prefix, file: file.to_owned(), located: Some(located.clone()), ..Origin::default() };
        let Some(key) = item.get("goal_key").and_then(Value::as_str) else {
            origin.add(found, "goal_key", "goal_key is required and must be text");
            continue;
        };
        if !keys.insert(key) {
            origin.add(found, "goal_key", format!("goal_key {key:?} is used by another goal of this file"));
        }
        match check::goal(item) {
            Ok(details) => wanted.push(Wanted {
                kind: Kind::Goal,
                name: key.to_owned(),
                fields: GOAL_FIELDS.iter().map(|name| ((*name).to_owned(), details[*name].clone())).collect(),
                left_alone: Vec::new(),
                origin,
            }),
            Err(problems) => origin.add_all(found, &problems),
        }
    }
    wanted
}

fn hypotheses(files: &Files, found: &mut FileProblems) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    let mut names = HashMap::new();
    for (file, text) in files {
        let Some(stem) = file.strip_prefix("hypotheses/").and_then(|name| name.strip_suffix(".toml")) else { continue };
        let Some(slug) = key_of(stem).and_then(|key| parse_slug(&key).ok()) else {
            found.add(file, 0, "the name of the file is the slug: 1 to 64 of the characters a-z 0-9 -");
            continue;
        };
        if let Some(other) = names.insert(slug.clone(), file) {
            found.add(file, 0, format!("{other} is the same hypothesis, {slug}"));
        }
        let Some(located) = toml(file, text, found) else { continue };
        let body = Value::Object(located.members.clone());
        let origin = Origin { file: file.clone(), located: Some(located.into()), ..Origin::default() };
        if body.get("slug").is_some() {
            origin.add(found, "slug", "slug is the name of the file; leave it out");
            continue;
        }
        match check::hypothesis(&body) {
            Ok(details) => wanted.push(Wanted {
                kind: Kind::Hypothesis,
                name: slug,
                fields: HYPOTHESIS_FIELDS.iter().map(|name| ((*name).to_owned(), details[*name].clone())).collect(),
                left_alone: Vec::new(),
                origin,
            }),
            Err(problems) => origin.add_all(found, &problems),
        }
    }
    wanted
}

/// Member as an object; an empty one if it is missing or not an object.
fn object(members: &Fields, name: &str) -> Map<String, Value> {
    members.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests;
