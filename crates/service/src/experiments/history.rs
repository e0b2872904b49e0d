//! Changes of an experiment, the states before and after them, and the archive.

use super::NOT_FOUND;
use super::change::{Change, Changed, Target};
use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::error::{Error, Result};
use muriel_domain::experiment::Experiment;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_sql::Tx;
use muriel_store::experiments::{self, HistoryEntry};

/// Changes per read: one change can hold all code of an experiment.
const PER_READ: i64 = 50;

/// A change, with the experiment before and after it.
#[derive(Debug, Clone)]
pub struct HistoryStep {
    /// The history entry.
    pub entry: HistoryEntry,
    /// The experiment before the change.
    pub before: Experiment,
    /// The experiment after the change.
    pub after: Experiment,
}

/// A page of the changes of an experiment.
#[derive(Debug)]
pub struct HistoryPage {
    /// The changes, newest first.
    pub steps: Vec<HistoryStep>,
    /// True when a further page exists.
    pub has_more: bool,
    /// Display names of the actors.
    pub names: Names,
}

/// Returns the changes before the one that made the revision `before`, newest first.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn history(
    app: &App,
    project: ProjectId,
    id: ExperimentId,
    before: Option<i64>,
    limit: usize,
) -> Result<HistoryPage> {
    app.read(move |tx| {
        Box::pin(async move {
            let present = experiments::find(tx, project, id).await?.ok_or(NOT_FOUND)?.experiment;
            let (mut steps, mut has_more) = (Vec::new(), false);
            let mut walk = Walk::from(present);
            while let Some(step) = walk.next(tx).await? {
                if before.is_some_and(|before| step.entry.revision >= before) {
                    continue;
                }
                if steps.len() == limit {
                    has_more = true;
                    break;
                }
                steps.push(step);
            }
            let names = Names::of(tx, steps.iter().map(|step| step.entry.actor.as_str())).await?;
            Ok(HistoryPage { steps, has_more, names })
        })
    })
    .await
}

/// Returns the experiment after the change that made this revision; `None` when no change made it.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn state_at(app: &App, project: ProjectId, id: ExperimentId, revision: i64) -> Result<Option<Experiment>> {
    app.read(move |tx| {
        Box::pin(async move {
            let present = experiments::find(tx, project, id).await?.ok_or(NOT_FOUND)?.experiment;
            let mut walk = Walk::from(present);
            while let Some(step) = walk.next(tx).await? {
                if step.entry.revision <= revision {
                    return Ok((step.entry.revision == revision).then_some(step.after));
                }
            }
            Ok(None)
        })
    })
    .await
}

/// Iterator over the changes of an experiment from the last to the first, undoing each on the way.
pub(super) struct Walk {
    state: Experiment,
    /// Entries already read, the next one last.
    entries: Vec<HistoryEntry>,
    read_to: i64,
}

impl Walk {
    pub(super) fn from(present: Experiment) -> Self {
        Self { state: present, entries: Vec::new(), read_to: i64::MAX }
    }

    pub(super) async fn next(&mut self, tx: &mut dyn Tx) -> Result<Option<HistoryStep>> {
        if self.entries.is_empty() {
            self.entries = experiments::changes(tx, self.state.id, self.read_to, PER_READ).await?;
            self.entries.reverse();
        }
        let Some(entry) = self.entries.pop() else { return Ok(None) };
        self.read_to = entry.revision;
        let before = self.state.clone().undone(&entry.before).ok_or_else(|| {
            Error::internal(format!(
                "the history of experiment {} is damaged at revision {}",
                self.state.id, entry.revision
            ))
        })?;
        let after = std::mem::replace(&mut self.state, before.clone());
        Ok(Some(HistoryStep { entry, before, after }))
    }
}

/// Archives an experiment, or takes it out of the archive.
///
/// # Errors
/// `NotFound`; then errors of `archived`; `PreconditionFailed`; an experiment that visitors get; and
/// when the database cannot be reached.
pub async fn archive(app: &App, actor: &Actor, target: Target, archived: Result<bool>) -> Result<Changed> {
    let change = Change::new(app, actor, target, "archive");
    change.apply(app, move |before, _| Ok(before.experiment.filed(archived?)?)).await
}
