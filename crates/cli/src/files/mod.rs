//! Experiments as files: `muriel export`, `muriel plan` and `muriel apply`.
//!
//! The commands are clients of a running server with an API key, so scopes, checks and history are the API's. `parse`
//! (files to objects), `render` (objects to files) and `diff` are pure; `folder` and `api` do the input and output.

mod api;
mod apply;
mod content;
mod diff;
mod folder;
mod names;
mod parse;
mod plan;
mod problems;
mod render;
#[cfg(test)]
mod round_trip;
mod show;
mod toml_reader;
mod toml_writer;

use crate::remote::Remote;
use crate::say::{say, say_stderr, text};
use crate::{Error, Result};
use api::{Api, Names};
use clap::Args;
use diff::{Change, Choices};
use parse::Tree;
use plan::Planned;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit status of a plan with changes.
const HAS_CHANGES: u8 = 2;

/// `muriel export`
#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    remote: Remote,
    /// Key of the project.
    #[arg(long, env = "MURIEL_PROJECT", value_name = "PROJECT_KEY")]
    project: String,
    /// Directory to write to. It is created if missing.
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Replace the files of an earlier export in the directory; other files in it are kept.
    #[arg(long)]
    overwrite: bool,
}

impl Export {
    /// Writes the files of a project.
    ///
    /// # Errors
    /// A server that does not respond or refuses, and a directory that cannot be written.
    pub(crate) fn run(self) -> Result<()> {
        let api = Api::new(&self.remote, &self.project)?;
        let (project, _) = api.project(|_, _| true)?;
        let files = render::files(&self.project, &project.objects).map_err(|(kind, name)| {
            let name = api::printable(&name);
            Error::Refused(format!("the {} {name:?} has a name that no muriel server assigns", kind.word()))
        })?;
        folder::write(&self.dir, &files, self.overwrite)?;
        let count = project.objects.len();
        say!("{} has {count} object{} in {} files", self.dir.display(), if count == 1 { "" } else { "s" }, files.len())
    }
}

/// Files to apply, and options.
#[derive(Debug, Args)]
struct Target {
    #[command(flatten)]
    remote: Remote,
    /// Directory with the files.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Key of the project, instead of the one in project.toml.
    #[arg(long, env = "MURIEL_PROJECT", value_name = "PROJECT_KEY")]
    project: Option<String>,
    /// Also delete experiments and goals that are not in the files, and archive hypotheses that are not in them.
    #[arg(long)]
    prune: bool,
    /// Also restart experiments that have run and were stopped, where their file says live.
    #[arg(long)]
    resume: bool,
}

/// Plan, with the state it was made from.
struct Prepared {
    project_key: String,
    api: Api,
    names: Names,
    planned: Vec<Planned>,
    notes: Vec<String>,
}

impl Target {
    fn prepare(&self) -> Result<Prepared> {
        let tree = tree(&self.dir)?;
        let project_key = self.project.clone().or_else(|| tree.project.clone()).ok_or_else(|| {
            Error::Setting("no project is named: add project_key to project.toml, or use --project".to_owned())
        })?;
        let api = Api::new(&self.remote, &project_key)?;
        let (project, names) = api.project(|kind, name| self.prune || tree.has(kind, name))?;
        let choices = Choices { prune: self.prune, resume: self.resume };
        let changes = diff::changes(&tree, &project, choices).map_err(|found| refused(&self.dir, &found))?;
        let notes = changes.notes.clone();
        let planned = plan::planned(&api, changes)?;
        Ok(Prepared { project_key, api, names, planned, notes })
    }
}

/// Reads and parses the files of a directory.
fn tree(directory: &Path) -> Result<Tree> {
    let files = folder::read(directory)?.map_err(|found| refused(directory, &found))?;
    parse::read(&files).map_err(|found| refused(directory, &found))
}

fn refused(directory: &Path, found: &problems::FileProblems) -> Error {
    Error::Refused(format!("{}: {found}", directory.display()))
}

/// `muriel plan`
#[derive(Debug, Args)]
pub struct Plan {
    #[command(flatten)]
    target: Target,
    /// Print the plan as JSON.
    #[arg(long)]
    json: bool,
}

impl Plan {
    /// Prints what an apply would do. Exit status: 0 without changes, otherwise [`HAS_CHANGES`].
    ///
    /// # Errors
    /// Files that cannot be applied; a server that does not respond or refuses.
    pub(crate) fn run(self) -> Result<ExitCode> {
        let Prepared { project_key, planned, notes, .. } = self.target.prepare()?;
        match self.json {
            true => say!("{:#}", show::json(&project_key, &planned, &notes))?,
            false => text(format_args!("{}", show::text(&planned, &notes)))?,
        }
        Ok(if planned.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(HAS_CHANGES) })
    }
}

/// `muriel apply`
#[derive(Debug, Args)]
pub struct Apply {
    #[command(flatten)]
    target: Target,
    /// Apply without asking. Required without a terminal.
    #[arg(long)]
    yes: bool,
}

impl Apply {
    /// Shows the plan, asks for confirmation, and makes the changes.
    ///
    /// # Errors
    /// As for [`Plan::run`]; a change that could not be made, with those made before it.
    pub(crate) fn run(self) -> Result<()> {
        if !self.yes && !std::io::stdin().is_terminal() {
            let how = "there is no terminal for the confirmation: check muriel plan, then apply with --yes";
            return Err(Error::Setting(how.to_owned()));
        }
        let Prepared { api, names, planned, notes, .. } = self.target.prepare()?;
        text(format_args!("{}", show::text(&planned, &notes)))?;
        if planned.is_empty() {
            return Ok(());
        }
        if !self.yes && !is_agreed()? {
            return Err(Error::Refused("nothing was changed".to_owned()));
        }
        let changes: Vec<Change> = planned.into_iter().map(|planned| planned.change).collect();
        let mut done = 0;
        let applied = apply::apply(&api, &changes, &names, |change| {
            done += 1;
            say_stderr!("{} {}: done", change.kind.word(), change.name);
        });
        match applied {
            Ok(()) => say!("{done} of {} changes were made.", changes.len()),
            Err(stopped) => Err(Error::Refused(format!(
                "{} {}. {done} of {} changes were made before, and none after it; apply again to continue",
                stopped.object,
                stopped.reason,
                changes.len()
            ))),
        }
    }
}

/// Asks for confirmation on the terminal.
fn is_agreed() -> Result<bool> {
    text(format_args!("Apply this? [y/N] "))?;
    let _ = std::io::stdout().flush();
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Error::Other(format!("cannot read the answer: {error}").into()))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
