//! The moments of an experiment's past that its results depend on.
//!
//! [`Revision`](super::Revision) moves them on with each change, and they are stored with the
//! experiment in the same transaction. So a result does not read the history of changes, which
//! grows without end.

use super::{Experiment, Serving, Variant};
use crate::Instant;

/// What results need to know about the past of an experiment.
///
/// Each moment is that of the last such change. Changes before the first start are kept too:
/// whoever reports compares them with [`FirstStart::opened_at`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Milestones {
    /// What was settled when it first started; `None` for one that never started.
    pub first_start: Option<FirstStart>,
    /// When a winner began to be served. Stopping keeps it.
    pub deployed_at: Option<Instant>,
    /// When it stopped being live; `None` while it is live and before its first start.
    pub ended_at: Option<Instant>,
    /// When the code that visitors of all arms run was changed.
    pub code_redefined_at: Option<Instant>,
    /// When an arm became something else to its visitors, control first: its code, its changes
    /// or its audience were changed, or another variant had its number before. An entry per
    /// arm; missing ones are `None`.
    pub arms_redefined_at: Vec<Option<Instant>>,
    /// The most variants that it had at the same time, control not counted. A variant whose
    /// number is not above it takes the number of a removed one.
    pub most_variants: usize,
}

/// What the first start of an experiment settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstStart {
    /// From when on visitors count.
    pub started_at: Instant,
    /// When it was started: later than `started_at` where it was given a start of the past.
    pub opened_at: Instant,
    /// The planned total of visitors as of then. The comparisons are tuned for it, so a plan
    /// that is made to fit the data later does not count.
    pub planned_visitors: Option<i64>,
}

/// What one change does to the [`Milestones`], without its moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MilestoneChange {
    /// It is live after the change.
    is_live: bool,
    /// It was live before, and is not after.
    ends: bool,
    /// A winner is served after the change, and none was before.
    deploys: bool,
    /// The code of all arms differs.
    redefines_code: bool,
    /// The control's code differs.
    redefines_control: bool,
    /// How many variants there were before.
    variants_before: usize,
    /// Of each variant after the change whether visitors of its number meet something else;
    /// `None` where there was no variant of this number before.
    redefines_variants: Vec<Option<bool>>,
}

impl MilestoneChange {
    /// What the change from `before` to `after` does.
    pub fn between(before: &Experiment, after: &Experiment) -> Self {
        let differs = |was: &Variant, is: &Variant| {
            was.code != is.code || was.changes != is.changes || was.audience != is.audience
        };
        let is_served = |experiment: &Experiment| matches!(experiment.serving, Serving::Winner { .. });
        Self {
            is_live: after.lifecycle.is_live(),
            ends: before.lifecycle.is_live() && !after.lifecycle.is_live(),
            deploys: is_served(after) && !is_served(before),
            redefines_code: before.custom_code != after.custom_code,
            redefines_control: before.control.code != after.control.code,
            variants_before: before.variants.len(),
            redefines_variants: after
                .variants
                .iter()
                .enumerate()
                .map(|(at, variant)| before.variants.get(at).map(|was| differs(was, variant)))
                .collect(),
        }
    }
}

impl Milestones {
    /// The milestones of a new experiment with this many variants: nothing has happened yet.
    pub fn new(variants: usize) -> Self {
        Self { arms_redefined_at: vec![None; variants + 1], most_variants: variants, ..Self::default() }
    }

    /// The milestones after a change that is made at `at`. The first start is not among them:
    /// it depends on the epoch that the change opens.
    #[must_use]
    pub fn after(&self, change: &MilestoneChange, at: Instant) -> Self {
        let most = self.most_variants.max(change.variants_before);
        let was = |arm: usize| self.arms_redefined_at.get(arm).copied().flatten();
        let control = if change.redefines_control { Some(at) } else { was(0) };
        let variants = (1..).zip(&change.redefines_variants).map(|(number, redefined)| match redefined {
            Some(true) => Some(at),
            Some(false) => was(number),
            // Another variant had this number once.
            None => (number <= most).then_some(at),
        });
        Self {
            first_start: self.first_start,
            deployed_at: if change.deploys { Some(at) } else { self.deployed_at },
            ended_at: match (change.ends, change.is_live) {
                (true, _) => Some(at),
                (false, true) => None,
                (false, false) => self.ended_at,
            },
            code_redefined_at: if change.redefines_code { Some(at) } else { self.code_redefined_at },
            arms_redefined_at: std::iter::once(control).chain(variants).collect(),
            most_variants: most.max(change.redefines_variants.len()),
        }
    }

    /// When arm `arm`, 0 for the control, last became something else to its visitors, by a
    /// change of its own or one of the code that all arms run.
    pub fn redefined_at(&self, arm: usize) -> Option<Instant> {
        self.arms_redefined_at.get(arm).copied().flatten().max(self.code_redefined_at)
    }
}
