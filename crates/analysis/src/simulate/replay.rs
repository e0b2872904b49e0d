//! Visitors of the past, shared anew.
//!
//! All of them saw the same page, so every arm that is called better or worse is a false alarm, on the project's own
//! traffic with all its habits: what no made-up distribution can promise.

use super::looks::{Cap, DailyEntries, MonitoredRun};
use super::{EndReason, Run, Schedule, SimulationError, check};
use crate::design::Design;
use crate::summary::Measure;

/// What a visitor did in the past.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastVisitor {
    /// Names the visitor, to whoever shares them out.
    pub unit: u64,
    /// The day of the first event, 0 for the first day of all.
    pub day: u32,
    /// Whether the visitor converted.
    pub converted: bool,
    /// The value in any unit, after any cap; 0 without one.
    pub value: f64,
}

/// A plan with the visitors of the past, to all of whom the same was shown: every
/// call is a false alarm.
#[derive(Debug, Clone)]
pub struct Replay {
    design: Design,
    schedule: Schedule,
    measure: Measure,
    /// By day.
    past: Vec<PastVisitor>,
}

impl Replay {
    /// Checks that the plan can be tried. Days after the schedule's are left out.
    ///
    /// # Errors
    /// [`SimulationError`].
    pub fn new(
        design: Design,
        schedule: Schedule,
        measure: Measure,
        mut past: Vec<PastVisitor>,
    ) -> Result<Self, SimulationError> {
        check(&design, &schedule)?;
        past.retain(|past| past.day < schedule.days);
        if past.is_empty() {
            return Err(SimulationError::NoPast);
        }
        past.sort_by_key(|past| (past.day, past.unit));
        Ok(Self { design, schedule, measure, past })
    }

    /// How many visitors there are.
    pub fn visitors(&self) -> usize {
        self.past.len()
    }

    /// What becomes of it when visitors are shared by `arm_of`: their arm, or
    /// `None` for those who do not enter. Arms beyond the design's are nobody's.
    pub fn run(&self, mut arm_of: impl FnMut(u64) -> Option<usize>) -> Run {
        let mut looks = MonitoredRun::new(&self.design, &self.schedule, self.measure, Cap::None);
        let mut left = self.past.as_slice();
        for day in 0..self.schedule.days {
            let (today, later) = left.split_at(left.partition_point(|past| past.day == day));
            left = later;
            let mut entered = vec![DailyEntries::default(); self.design.arms];
            for past in today {
                let Some(entered) = arm_of(past.unit).and_then(|arm| entered.get_mut(arm)) else { continue };
                entered.visitors += 1;
                entered.converted += u64::from(past.converted);
                if self.measure == Measure::Value && past.value != 0.0 {
                    entered.values.push(past.value);
                }
            }
            if let Some(ended) = looks.day(entered) {
                return looks.finish(ended);
            }
        }
        looks.finish(EndReason::Days)
    }
}
