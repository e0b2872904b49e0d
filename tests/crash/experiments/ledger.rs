//! Ledger of the clients: what was acknowledged, and what was sent last.

use crate::experiments::parts::Links;
use std::fmt;

/// Status number of a live experiment.
pub(crate) const LIVE: i64 = 1;
/// Status number of an inactive experiment.
pub(crate) const INACTIVE: i64 = 0;
/// Status number of a draft.
pub(crate) const DRAFT: i64 = 9;

/// Everything that the run has sent.
pub(crate) struct Ledger {
    pub(crate) links: Links,
    pub(crate) owned: Vec<Owned>,
    pub(crate) created: Vec<Created>,
}

/// State of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) token: u64,
    pub(crate) status: i64,
    pub(crate) revision: i64,
    /// Number of the last epoch.
    pub(crate) epoch: i64,
}

impl State {
    /// State of a new experiment. A live one begins with an epoch.
    pub(crate) fn new(token: u64, status: i64) -> Self {
        Self { token, status, revision: 1, epoch: i64::from(status == LIVE) }
    }

    /// State after a patch, which opens an epoch if the experiment is live.
    pub(crate) fn patched(self, token: u64) -> Self {
        let epoch = self.epoch + i64::from(self.status == LIVE);
        Self { token, revision: self.revision + 1, epoch, ..self }
    }

    /// State after a start or stop. Both open an epoch.
    pub(crate) fn toggled(self) -> Self {
        let status = if self.status == LIVE { INACTIVE } else { LIVE };
        Self { status, revision: self.revision + 1, epoch: self.epoch + 1, ..self }
    }
}

impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { token, status, revision, epoch } = self;
        write!(out, "token {token}, status {status}, revision {revision}, epoch {epoch}")
    }
}

/// An experiment that one client changes, one request after the other.
#[derive(Debug, Clone)]
pub(crate) struct Owned {
    pub(crate) label: String,
    pub(crate) id: i64,
    /// State after everything that was acknowledged.
    pub(crate) known: State,
    /// State after the unanswered request, if that was applied.
    pub(crate) pending: Option<State>,
    /// Highest token that was sent. None is sent twice.
    pub(crate) last_token: u64,
}

/// An experiment that was created under load, and not changed since.
#[derive(Debug, Clone)]
pub(crate) struct Created {
    pub(crate) label: String,
    pub(crate) token: u64,
    pub(crate) status: i64,
    /// Experiment id; `None` until the creation is acknowledged.
    pub(crate) id: Option<i64>,
    /// Cycle in which its creation was sent.
    pub(crate) cycle: u32,
}

impl Created {
    /// Idempotency key of its creation, for all attempts.
    pub(crate) fn idempotency_key(&self) -> &str {
        &self.label
    }
}
