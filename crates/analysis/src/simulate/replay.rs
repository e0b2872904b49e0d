//! Past visitors, assigned again.
//!
//! All of them saw the same page, so every win or loss is a false alarm. They are the project's own traffic with all
//! its properties, which no generated distribution can guarantee.

use super::looks::{Cap, DailyEntries, MonitoredRun};
use super::{EndReason, Run, Schedule, SimulationError, check};
use crate::design::Design;
use crate::summary::Measure;

/// Past behaviour of a visitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastVisitor {
    /// Number of the visitor, for the caller that assigns arms.
    pub unit: u64,
    /// Day of the first event, 0 for the first day of all.
    pub day: u32,
    /// True when the visitor converted.
    pub converted: bool,
    /// Value in any unit, after any cap; 0 without a value.
    pub value: f64,
}

/// A plan with past visitors, who all saw the same: every win or loss is a false alarm.
#[derive(Debug, Clone)]
pub struct Replay {
    design: Design,
    schedule: Schedule,
    measure: Measure,
    /// Past visitors, sorted by day.
    past: Vec<PastVisitor>,
}

impl Replay {
    /// Checks the plan. Days after the schedule's end are left out.
    ///
    /// Visitors may be in any order. Values are used as they are, because they are already capped.
    ///
    /// # Errors
    /// Reasons of [`SimulationError`].
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

    /// Number of visitors.
    pub fn visitors(&self) -> usize {
        self.past.len()
    }

    /// Runs the experiment with visitors assigned by `arm_of`: their arm, or `None` for visitors who do not enter.
    /// Visitors of arms outside of the design are left out.
    ///
    /// `arm_of` is called once for each visitor of the days before the end, in the order of days and then of numbers.
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
