//! Autopilot: the clock serves a winner to more and more visitors, until a metric gets worse.

use super::schedule::{ClockEntry, Rule};
use super::{Arm, Conflict, Experiment, Refusal, Serving};
use crate::Instant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A winner that the clock serves. The record is removed when a person serves another winner, changes the rollout or
/// stops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutopilotRecord {
    /// Number of the arm.
    pub arm: Arm,
    /// Percentage of the visitors who get it.
    pub rollout: i64,
    /// Time at which the clock checks whether to increase the rollout. `None` at the last step.
    pub next_at: Option<Instant>,
}

impl AutopilotRecord {
    /// Returns whether what is served is still what the clock serves.
    pub(super) fn is_served(self, serving: Serving) -> bool {
        serving == Serving::Winner { arm: self.arm, rollout: self.rollout }
    }
}

impl Experiment {
    /// Returns whether the clock will serve a winner when there is one. False while any winner is served.
    pub fn seeks_winner(&self) -> bool {
        self.follows(Rule::Autopilot) && self.schedule.autopilot.is_none()
    }

    /// The winner that autopilot is rolling out, if the rollout should continue.
    ///
    /// `None` when autopilot is off, when the experiment is concluded, and when another winner or rollout is served
    /// than the clock chose last.
    pub fn piloted(&self) -> Option<AutopilotRecord> {
        let is_on = self.configuration.is_autopilot && self.conclusion.is_none();
        self.schedule.autopilot.filter(|record| is_on && record.is_served(self.serving))
    }

    /// Returns the experiment after the clock served this record's winner, or increased its rollout. `detail` is a
    /// sentence with the `numbers`.
    ///
    /// # Errors
    /// Operations that [`Experiment::serving`] and [`Experiment::rolled_out`] refuse.
    pub fn ramped(
        &self,
        record: AutopilotRecord,
        detail: String,
        numbers: Map<String, Value>,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let mut next = match self.serving {
            Serving::Winner { .. } => self.rolled_out(record.rollout)?,
            Serving::Never | Serving::Stopped => self.serving(&record.arm.id(), record.rollout)?,
        };
        next.schedule.autopilot = Some(record);
        next.schedule.last = Some(ClockEntry::of(Rule::Autopilot, detail, numbers, now));
        Ok(next)
    }

    /// Returns the experiment after the clock stopped serving its winner because a metric got worse. `detail` is a
    /// sentence with the `numbers`.
    ///
    /// # Errors
    /// No winner is served.
    pub fn guarded(&self, detail: String, numbers: Map<String, Value>, now: Instant) -> Result<Self, Conflict> {
        let mut next = self.stopped()?;
        next.schedule.last = Some(ClockEntry::of(Rule::Guardrail, detail, numbers, now));
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Configuration, Revision, Status, TestType};
    use crate::ids::{CompanyId, ProjectId};
    use crate::time::DAY_US;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    fn changed(before: &Experiment, change: impl FnOnce(&mut Experiment)) -> Experiment {
        let mut after = before.clone();
        change(&mut after);
        Revision::between(before, after, NOW).map_or_else(|| before.clone(), |revision| revision.experiment)
    }

    fn live() -> Experiment {
        let mut draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".to_owned(), NOW);
        draft.configuration = Configuration { is_autopilot: true, ..Configuration::default() };
        draft.variants.push(Default::default());
        let draft = Revision::first(draft, NOW).experiment;
        assert!(!draft.seeks_winner());
        changed(&draft, |it| *it = it.moved(Status::Live, NOW).unwrap())
    }

    fn served(before: &Experiment, rollout: i64, next_at: Option<Instant>) -> Experiment {
        let record = AutopilotRecord { arm: Arm(1), rollout, next_at };
        changed(before, |it| *it = it.ramped(record, String::new(), Map::new(), NOW).unwrap())
    }

    #[test]
    fn a_winner_is_served_to_more_and_more() {
        let live = live();
        assert!(live.seeks_winner() && live.due().is_empty() && live.piloted().is_none());
        let tomorrow = NOW.plus_us(DAY_US);
        let ten = served(&live, 10, Some(tomorrow));
        assert_eq!(ten.serving, Serving::Winner { arm: Arm(1), rollout: 10 });
        assert_eq!((ten.seeks_winner(), ten.due().len(), ten.due()[0].at), (false, 1, tomorrow));
        assert!(ten.follows(Rule::Guardrail));
        let all = served(&ten, 100, None);
        assert_eq!((all.due(), all.piloted().map(|record| record.rollout)), (vec![], Some(100)));
        assert!(all.follows(Rule::Guardrail), "it is watched for as long as it is served");
    }

    #[test]
    fn people_and_guardrails_end_it_until_it_is_set_anew() {
        let ten = served(&live(), 10, Some(NOW.plus_us(DAY_US)));
        for (what, after) in [
            ("stopped", changed(&ten, |it| *it = it.stopped().unwrap())),
            ("guarded", changed(&ten, |it| *it = it.guarded(String::new(), Map::new(), NOW).unwrap())),
            ("another rollout", changed(&ten, |it| *it = it.rolled_out(30).unwrap())),
        ] {
            assert!(after.piloted().is_none() && !after.seeks_winner() && after.due().is_empty(), "{what}");
            assert!(!after.follows(Rule::Guardrail), "{what}");
        }
        let stopped = changed(&ten, |it| *it = it.stopped().unwrap());
        let off = changed(&stopped, |it| it.configuration.is_autopilot = false);
        assert!(!off.seeks_winner());
        assert!(changed(&off, |it| it.configuration.is_autopilot = true).seeks_winner());
        // Turning autopilot off keeps serving the winner.
        let off = changed(&ten, |it| it.configuration.is_autopilot = false);
        assert_eq!((off.serving, off.piloted(), off.due()), (ten.serving, None, vec![]));
        let on = changed(&off, |it| it.configuration.is_autopilot = true);
        assert!(on.piloted().is_some());
    }
}
