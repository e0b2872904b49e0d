//! Facts about the plan that was locked at the first start.

use muriel_domain::Flaw;
use muriel_domain::experiment::{ConfirmedPlan, LIST_MAX, LockedHypothesis, LockedPlan, StopRule, VARIANTS_MAX};
use muriel_store::plan_locks::{self, PlanLock};
use serde::{Deserialize, Serialize};

/// Plan at the first start, and the current values of it that the rest of the manifest does not have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFacts {
    /// SHA-256 of the canonical form of `content`; null where no plan was locked.
    pub hash: Option<String>,
    /// The plan; null before the first start, and when it was started by a release that locked no plans.
    pub content: Option<LockedPlan>,
    /// Current values that can differ from the plan.
    pub now: PlanNow,
    /// Criteria that the clock judges by since a person confirmed a change of the plan. The labels still follow the
    /// plan above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<ConfirmedPlan>,
}

/// Current values of the parts of a plan that no other part of a manifest has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanNow {
    /// Hypothesis that it tests.
    pub hypothesis: Option<LockedHypothesis>,
    /// Rules that end it.
    pub stop_rule: StopRule,
    /// Planned total of visitors. Results stay tuned for the total at the first start.
    pub planned_visitors: Option<i64>,
}

impl PlanFacts {
    pub(crate) fn new(lock: Option<&PlanLock>, now: PlanNow, confirmed: Option<&ConfirmedPlan>) -> Self {
        Self {
            hash: lock.map(|lock| lock.hash.clone()),
            content: lock.map(|lock| lock.plan.clone()),
            now,
            confirmed: confirmed.cloned(),
        }
    }

    /// Checks that it can come from this program, for the experiment with this id.
    ///
    /// # Errors
    /// The field, and what is wrong with it.
    pub(crate) fn check(&self, test_id: i64) -> Result<(), (&'static str, Flaw)> {
        if self.confirmed.as_ref().is_some_and(|confirmed| confirmed.arms.len() > VARIANTS_MAX + 1) {
            return Err(("confirmed", Flaw::new("has more variants than an experiment has")));
        }
        let Some(content) = &self.content else {
            return match self.hash {
                Some(_) => Err(("hash", Flaw::new("must be null, as nothing was locked"))),
                None => Ok(()),
            };
        };
        if content.secondary_goals.len() > LIST_MAX || content.arms.len() > VARIANTS_MAX + 1 {
            return Err(("content", Flaw::new("has more goals or variants than an experiment has")));
        }
        if content.test_id != test_id {
            return Err(("content.test_id", Flaw::new("must be that of the experiment")));
        }
        if !self.fits() {
            return Err((
                "hash",
                Flaw::new("must be the SHA-256 of the canonical form of its content: one of the two was changed"),
            ));
        }
        Ok(())
    }

    /// Takes over the hypothesis of `given` if it has the same id, because its past is not stored. Returns whether they
    /// differed.
    pub(crate) fn believe_hypothesis(&mut self, given: &PlanFacts) -> bool {
        let (is, said) = (&self.now.hypothesis, &given.now.hypothesis);
        let is_same = is.as_ref().zip(said.as_ref()).is_some_and(|(is, said)| is.hypothesis_id == said.hypothesis_id);
        if !is_same || is == said {
            return false;
        }
        self.now.hypothesis.clone_from(said);
        true
    }

    /// Returns whether the hash is that of the content.
    pub(crate) fn fits(&self) -> bool {
        self.content.as_ref().is_none_or(|content| self.hash.as_ref() == Some(&plan_locks::hash(content)))
    }
}
