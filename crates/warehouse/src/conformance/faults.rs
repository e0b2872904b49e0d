//! Tests that the conformance suite finds a faulty engine.

use super::{Warehouse, failures};
use crate::testing::DelegatingWriter;
use crate::{
    ActivityAnswer, ActivityQuestion, DuckWarehouse, ExperimentAnswer, ExperimentQuestion, LoadTarget, PagesAnswer,
    PagesQuestion, PairAnswer, PairQuestion, Result, Rows, SharedAnswer, SharedQuestion, StopToken, TrafficAnswer,
    TrafficQuestion, VisitorTotals, VisitorsQuestion, WarehouseOptions, WarehouseReader, WarehouseWriter, Watermark,
};
use muriel_log::LogId;

/// Fault of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    /// Counts a visitor twice.
    CountsTwice,
    /// Answers questions that were stopped.
    IgnoresStop,
    /// Removes the rows of every log.
    PrunesAll,
    /// Answers from an unfinished rebuild.
    AnswersEarly,
}

struct WrongWarehouse {
    inner: DuckWarehouse,
    wrong: Wrong,
}

impl WarehouseReader for WrongWarehouse {
    fn ask_with_networks(
        &self,
        question: &ExperimentQuestion,
        stop: &StopToken,
        wants: &mut dyn FnMut(&ExperimentAnswer) -> bool,
    ) -> Result<ExperimentAnswer> {
        let never = StopToken::new();
        let stop = if self.wrong == Wrong::IgnoresStop { &never } else { stop };
        let mut answer = self.inner.ask_with_networks(question, stop, wants)?;
        if self.wrong == Wrong::CountsTwice {
            answer.arrivals.iter_mut().take(1).for_each(|arrivals| arrivals.visitors += 1);
        }
        Ok(answer)
    }

    fn pair(&self, question: &PairQuestion, stop: &StopToken) -> Result<PairAnswer> {
        self.inner.pair(question, stop)
    }

    fn shared(&self, question: &SharedQuestion, stop: &StopToken) -> Result<SharedAnswer> {
        self.inner.shared(question, stop)
    }

    fn traffic(&self, question: &TrafficQuestion, stop: &StopToken) -> Result<TrafficAnswer> {
        self.inner.traffic(question, stop)
    }

    fn visitors(
        &self,
        question: &VisitorsQuestion,
        stop: &StopToken,
        each: &mut dyn FnMut(VisitorTotals),
    ) -> Result<()> {
        self.inner.visitors(question, stop, each)
    }

    fn activity(&self, question: &ActivityQuestion, stop: &StopToken) -> Result<ActivityAnswer> {
        self.inner.activity(question, stop)
    }

    fn pages(&self, question: &PagesQuestion, stop: &StopToken) -> Result<PagesAnswer> {
        self.inner.pages(question, stop)
    }
}

impl DelegatingWriter for WrongWarehouse {
    fn inner(&self) -> &dyn WarehouseWriter {
        &self.inner
    }

    fn intercept_load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Watermark) -> Result<()> {
        let is_early = self.wrong == Wrong::AnswersEarly && target == LoadTarget::Rebuild;
        if is_early {
            self.inner.load(LoadTarget::Answering, log, rows, mark)?;
        }
        self.inner.load(target, log, rows, mark)
    }

    fn intercept_prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        if self.wrong == Wrong::PrunesAll {
            let logs: Vec<LogId> = self.inner.watermarks().into_keys().collect();
            return logs.into_iter().map(|log| self.inner.prune(log, oldest)).sum();
        }
        self.inner.prune(log, oldest)
    }
}

#[test]
fn planted_faults_are_found() {
    let options = WarehouseOptions { memory_bytes: 128 << 20, threads: 1 };
    for (wrong, expect) in [
        (Wrong::CountsTwice, &["the largest segments are distinguished", "logs are stored side by side"][..]),
        (Wrong::IgnoresStop, &["a stopped question is not answered"]),
        (Wrong::PrunesAll, &["logs are stored side by side"]),
        (Wrong::AnswersEarly, &["a rebuild answers once it is finished"]),
    ] {
        let engine = || -> Box<dyn Warehouse> {
            Box::new(WrongWarehouse { inner: DuckWarehouse::in_memory(&options).unwrap(), wrong })
        };
        // Other tests may find the fault as well, or take long.
        let found = failures(&engine, |name| {
            ["largest", "stopped", "side by side", "rebuild"].iter().any(|part| name.contains(part))
        });
        assert!(expect.iter().all(|name| found.contains(name)), "{wrong:?}: {found:?}");
    }
}
