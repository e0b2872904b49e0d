//! `muriel visitor`: the data of one visitor. All commands work next to a running server.

use crate::config::{Common, StorageSettings};
use crate::log::{Damages, Output, reader, shown};
use crate::named::no_project;
use crate::open::{Opened, open_existing};
use crate::say::say;
use crate::{Error, Result};
use clap::{Args, Subcommand};
use muriel_context::Actor;
use muriel_context::clock::Clock;
use muriel_log::{DedupScope, Position, visitor_of_line};
use muriel_service::visitor_data;
use muriel_store::tenants::{self, Project};
use muriel_store::visitor_jobs::{VisitorJob, VisitorJobState};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;

/// Interval at which `--wait` checks.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of listed deletions.
const LISTED: i64 = 1_000;

/// `muriel visitor …`
#[derive(Debug, Subcommand)]
pub enum VisitorCommand {
    /// Print every event of a visitor once, as JSON lines, from this data directory's event log.
    Export {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Visitor.
        #[command(flatten)]
        visitor: Visitor,
    },
    /// Delete all data of a visitor. The running servers do this, each in its own data directory.
    Delete {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Visitor.
        #[command(flatten)]
        visitor: Visitor,
        /// Wait until all data is deleted.
        #[arg(long)]
        wait: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List a project's deletions of visitors' data, newest first.
    Jobs {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Key of the project.
        #[arg(long, value_name = "PROJECT_KEY")]
        project: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Selection of a visitor.
#[derive(Debug, Clone, Args)]
pub struct Visitor {
    /// Key of the project.
    #[arg(long, value_name = "PROJECT_KEY")]
    project: String,
    /// Id of the visitor.
    #[arg(long, value_name = "ID", value_parser = visitor_id)]
    visitor: String,
}

fn visitor_id(text: &str) -> Result<String, String> {
    match text.chars().take(129).count() {
        1..=128 => Ok(text.to_owned()),
        _ => Err("must have 1 to 128 characters".to_owned()),
    }
}

/// Runs a command on the data of a visitor.
///
/// # Errors
/// An error that says what prevents it, and damage that was found in the event log.
pub fn run(command: VisitorCommand) -> Result<()> {
    match command {
        VisitorCommand::Export { common, visitor } => export(&common, &visitor),
        VisitorCommand::Delete { common, visitor, wait, json } => crate::block_on(async move {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let job = delete(&opened, &visitor, wait).await;
            opened.db.close().await?;
            print_deletion(&job?, json)
        }),
        VisitorCommand::Jobs { common, project, json } => crate::block_on(async move {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let listed = async {
                let project = named(&opened, &project).await?;
                Ok::<_, Error>(visitor_data::jobs(&opened.app(Clock::System), project.id, LISTED).await?)
            }
            .await;
            opened.db.close().await?;
            print_list(&listed?, json)
        }),
    }
}

/// Prints the events of a visitor. An event that was stored twice is printed once.
fn export(common: &Common, wanted: &Visitor) -> Result<()> {
    let reader = reader(common)?;
    let last = reader.last().map_err(Error::Log)?;
    let (mut damages, mut out, mut printed) = (Damages::default(), Output::new(), HashSet::new());
    for block in reader.blocks(Position::default()).map_err(Error::Log)? {
        match block {
            Err(trouble) => damages.note(trouble)?,
            Ok(block) if block.seq > last.seq => break,
            Ok(block) => {
                for event in block.of(&wanted.project) {
                    let is_of = visitor_of_line(event.line).is_some_and(|id| id == wanted.visitor);
                    if !is_of || !printed.insert((event.id, DedupScope::of_line(event.line))) {
                        continue;
                    }
                    if !out.line(&shown(event.line))? {
                        return Ok(());
                    }
                }
            }
        }
    }
    out.flush()?;
    damages.into_result()
}

async fn named(opened: &Opened, key: &str) -> Result<Project> {
    let wanted = key.to_owned();
    let found = opened
        .db
        .read::<_, Error, _>(move |tx| Box::pin(async move { Ok(tenants::project_by_key(tx, &wanted).await?) }))
        .await?;
    found.ok_or_else(|| no_project(key))
}

async fn delete(opened: &Opened, wanted: &Visitor, wait: bool) -> Result<VisitorJob> {
    let (app, project) = (opened.app(Clock::System), named(opened, &wanted.project).await?);
    let mut job = visitor_data::delete(&app, &Actor::COMMAND_LINE, &project, &wanted.visitor).await?;
    while wait && job.state() != VisitorJobState::Done {
        tokio::time::sleep(WAIT_INTERVAL).await;
        job = visitor_data::job(&app, project.id, job.id).await?;
    }
    Ok(job)
}

fn print_deletion(job: &VisitorJob, as_json: bool) -> Result<()> {
    if as_json {
        return say!("{}", job_json(job));
    }
    match job.state() {
        VisitorJobState::Done => {
            say!("Deletion {} is done: {} events were deleted.", job.id, events(job))?;
        }
        _ => {
            say!(
                "Deletion {} is recorded. The running server carries it out, or else the next server that starts.",
                job.id
            )?;
            say!("muriel visitor jobs shows its progress.")?;
        }
    }
    say!("Earlier backups still contain the visitor.")
}

fn events(job: &VisitorJob) -> i64 {
    job.nodes.iter().map(|node| node.events).sum()
}

fn job_json(job: &VisitorJob) -> Value {
    let nodes: Vec<_> = job
        .nodes
        .iter()
        .map(|node| {
            json!({
                "node": node.node_id,
                "status": node.state.word(),
                "percent": node.percent,
                "attempts": node.attempts,
                "reason": node.error,
                "events": node.events,
                "damaged_blocks": node.damaged_blocks,
                "examined_block": node.examined_block,
                "finished_at": node.finished_at,
            })
        })
        .collect();
    json!({
        "visitor_job_id": job.id,
        "status": job.state().word(),
        "requested_at": job.requested_at,
        "requested_by": job.requested_by,
        "events": events(job),
        "nodes": nodes,
    })
}

fn print_list(jobs: &[VisitorJob], as_json: bool) -> Result<()> {
    if as_json {
        return say!("{}", json!({ "jobs": jobs.iter().map(job_json).collect::<Vec<_>>() }));
    }
    if jobs.is_empty() {
        return say!("no visitor's data was deleted");
    }
    for job in jobs {
        let reasons: Vec<&str> = job.nodes.iter().filter_map(|node| node.error.as_deref()).collect();
        let reason = reasons.first().map_or_else(String::new, |reason| format!("  {reason}"));
        let (id, state, events) = (job.id, job.state().word(), events(job));
        say!("{id}  {state}  {events} events  requested {} by {}{reason}", job.requested_at, job.requested_by)?;
    }
    Ok(())
}
