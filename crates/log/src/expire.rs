//! Plans deletions for projects that keep events for a shorter time than the log.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use muriel_domain::Instant;

use super::error::{Error, Result};
use super::files;
use super::{LogReader, Position, PruneRefusal, ReadError};

/// Events of a project that [`erase`](super::erase()) would delete with
/// [`ErasedEvents::ReceivedBefore`](super::ErasedEvents::ReceivedBefore), and whether it should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpiryPlan {
    /// Events of the project in closed files that are old enough.
    pub events: u64,
    /// All events of the project in the log.
    pub total: u64,
    /// Reason to keep the events although they are old enough: the clock may be wrong. The
    /// checks are those of [`Log::prune`](super::Log::prune), applied to the project's events
    /// instead of the bytes of files.
    pub held: Option<PruneRefusal>,
}

/// Plans the deletion of each project, by its key, of the events received before the given time.
/// Blocks the calling thread while it reads the headers of all blocks.
///
/// # Errors
/// [`Error::File`] when a file cannot be read. Damaged blocks are not
/// counted.
pub fn plan_expiry(dir: &Path, projects: &BTreeMap<String, Instant>) -> Result<BTreeMap<String, ExpiryPlan>> {
    let mut plans: BTreeMap<String, ExpiryPlan> =
        projects.keys().map(|project_key| (project_key.clone(), ExpiryPlan::default())).collect();
    let mut files = Vec::new();
    for closed in files::closed(dir)? {
        let written = fs::metadata(&closed.path).and_then(|file| file.modified());
        let written = written.map_err(|error| Error::file("examine", &closed.path, error))?;
        let written = written.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let written = Instant::from_us(i64::try_from(written.as_micros()).unwrap_or(i64::MAX));
        files.push((closed.first, closed.last, files::newest(&closed.path)?, written));
    }
    let (mut newest, mut at) = (None, 0);
    for summary in LogReader::open(dir)?.summaries(Position::default())? {
        let summary = match summary {
            Ok(summary) => summary,
            Err(ReadError::Damage(_)) => continue,
            Err(ReadError::Failed(error)) => return Err(error),
        };
        newest = newest.max(Some(summary.received_at));
        while files.get(at).is_some_and(|(_, last, ..)| *last < summary.seq) {
            at += 1;
        }
        let file = files.get(at).filter(|(first, ..)| *first <= summary.seq);
        for run in &summary.runs {
            let Some(before) = projects.get(&*run.project_key) else { continue };
            let plan = plans.entry(run.project_key.to_string()).or_default();
            plan.total += u64::from(run.events);
            if let Some((first, last, Some(newest), written)) = file
                && *newest < before.us()
            {
                plan.events += u64::from(run.events);
                if written >= before {
                    let held =
                        PruneRefusal::WrittenSince { first: *first, last: *last, written: *written, before: *before };
                    plan.held.get_or_insert(held);
                }
            }
        }
    }
    for (project_key, plan) in &mut plans {
        let Some(before) = projects.get(project_key).copied() else { continue };
        if plan.events == 0 {
            continue;
        }
        if let Some(newest) = newest.filter(|newest| *newest < before) {
            plan.held = Some(PruneRefusal::NewestIsOld { newest, before });
        } else if plan.held.is_none() && plan.events > plan.total / 10 {
            plan.held = Some(PruneRefusal::TooManyEvents { events: plan.events, total: plan.total, before });
        }
    }
    Ok(plans)
}
