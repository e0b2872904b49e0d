//! Milestones: times in an experiment's past that its results depend on.
//!
//! [`Revision`](super::Revision) updates them with each change, and they are stored with the
//! experiment in the same transaction. A result therefore does not have to read the history of
//! changes, which grows without limit.

use super::{Experiment, Serving, Variant};
use crate::Instant;

/// Facts about an experiment's past that results need.
///
/// Each time is that of the last such change. Changes before the first start are included; reports
/// compare them with [`FirstStart::opened_at`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Milestones {
    /// Values set by the first start. `None` before it.
    pub first_start: Option<FirstStart>,
    /// Start of serving a winner. Kept when serving stops.
    pub deployed_at: Option<Instant>,
    /// End of being live. `None` while live, and before the first start.
    pub ended_at: Option<Instant>,
    /// Last change of the code that all arms run.
    pub code_redefined_at: Option<Instant>,
    /// Last change of each arm's meaning, the control first: of its code, its visual changes or its
    /// audience, or the reuse of its number by another variant. Missing entries mean `None`.
    pub arms_redefined_at: Vec<Option<Instant>>,
    /// Maximum number of variants at the same time, without the control. A new variant whose number
    /// is at most this reuses the number of a removed one.
    pub most_variants: usize,
}

/// Values set by an experiment's first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstStart {
    /// Time from which visitors count.
    pub started_at: Instant,
    /// Time of the operation: later than `started_at` when the start was given in the past.
    pub opened_at: Instant,
    /// Planned total number of visitors at the first start. The comparisons are tuned for it, so a
    /// plan that is adapted to the data later does not count.
    pub planned_visitors: Option<i64>,
}

/// Effect of one change on the [`Milestones`], without its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MilestoneChange {
    /// The experiment is live after the change.
    is_live: bool,
    /// The experiment was live before, and is not after.
    ends: bool,
    /// A winner is served after the change, and was not before.
    deploys: bool,
    /// The change alters the code of all arms.
    redefines_code: bool,
    /// The change alters the control's code.
    redefines_control: bool,
    /// Number of variants before the change.
    variants_before: usize,
    /// For each variant after the change, whether its meaning for visitors changes. `None` when
    /// there was no variant with this number before.
    redefines_variants: Vec<Option<bool>>,
}

impl MilestoneChange {
    /// Returns the effect of the change from `before` to `after`.
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
    /// Milestones of a new experiment with this many variants: nothing has happened yet.
    pub fn new(variants: usize) -> Self {
        Self { arms_redefined_at: vec![None; variants + 1], most_variants: variants, ..Self::default() }
    }

    /// Returns the milestones after a change at `at`. Keeps the first start, which depends on the
    /// epoch that the change opens.
    #[must_use]
    pub fn after(&self, change: &MilestoneChange, at: Instant) -> Self {
        let most = self.most_variants.max(change.variants_before);
        let was = |arm: usize| self.arms_redefined_at.get(arm).copied().flatten();
        let control = if change.redefines_control { Some(at) } else { was(0) };
        let variants = (1..).zip(&change.redefines_variants).map(|(number, redefined)| match redefined {
            Some(true) => Some(at),
            Some(false) => was(number),
            // A removed variant had this number before.
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

    /// Last change of the meaning of arm `arm` (0 for the control): of the arm itself, or of the
    /// code that all arms run. `None` when neither has changed.
    pub fn redefined_at(&self, arm: usize) -> Option<Instant> {
        self.arms_redefined_at.get(arm).copied().flatten().max(self.code_redefined_at)
    }
}
