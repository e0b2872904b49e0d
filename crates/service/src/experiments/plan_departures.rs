//! Effects of a change on the plan that was locked at the first start.

use muriel_context::error::Result;
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, LockedHypothesis};
use muriel_domain::goal::Goal;
use muriel_results::{Inquiry, Labels, ReportInputs};
use muriel_sql::Tx;
use muriel_store::{goals, hypotheses};
use std::sync::Arc;

/// An experiment with a locked plan, and the objects that a change of it refers to.
pub(super) struct PlannedChange {
    before: ReportInputs,
    goals: (Option<Goal>, Vec<Goal>),
    hypothesis: Option<LockedHypothesis>,
}

impl PlannedChange {
    /// Reads the objects that a change from `before` to `after` refers to; `None` before the first start.
    pub(super) async fn load(tx: &mut dyn Tx, before: &Experiment, after: &Experiment) -> Result<Option<Self>> {
        if before.milestones.first_start.is_none() {
            return Ok(None);
        }
        let project = before.project_id;
        let Ok(inputs) = ReportInputs::load(tx, project, before.id, &Inquiry::default(), None).await? else {
            return Ok(None);
        };
        let primary = match &after.primary_goal {
            Some(key) => goals::find_keyed(tx, project, key).await?,
            None => None,
        };
        let mut secondary = Vec::new();
        for key in &after.secondary_goals {
            secondary.extend(goals::find_keyed(tx, project, key).await?);
        }
        let hypothesis = match after.hypothesis_id {
            Some(id) => hypotheses::find(tx, project, id).await?,
            None => None,
        };
        let hypothesis = hypothesis.as_ref().map(LockedHypothesis::of);
        Ok(Some(Self { before: inputs, goals: (primary, secondary), hypothesis }))
    }

    /// Returns the departures from the plan that `after` adds to the existing ones.
    pub(super) fn departures(self, after: &Experiment) -> Vec<String> {
        let changed_since = |inputs: &ReportInputs, now: Instant| {
            Labels::of(&inputs.manifest(&Arc::from(""), &Inquiry::default(), now)).changed_since
        };
        let known = changed_since(&self.before, after.updated_at);
        let next = self.before.changed_to(after.clone(), self.goals, self.hypothesis);
        let mut new = changed_since(&next, after.updated_at);
        new.retain(|sentence| !known.contains(sentence));
        new
    }
}
