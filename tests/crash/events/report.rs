//! Report of a run over events.

use crate::findings::{Findings, Outcome};
use crate::violation::Kind;
use std::fmt;

pub(crate) struct Report {
    pub(crate) findings: Findings,
    /// Events that were acknowledged, each counted once.
    pub(crate) acknowledged: u64,
    /// Events that were sent again although they had been acknowledged.
    pub(crate) repeats: u64,
    /// Requests that were answered.
    pub(crate) requests: u64,
    /// Cycles in which the end of the server met a request.
    pub(crate) hits: u32,
    /// Requests that were sent and never answered.
    pub(crate) unanswered: u64,
    /// Events of these requests that were found stored.
    pub(crate) stored: u64,
    /// Requests that were sent again because they were not answered.
    pub(crate) again: u64,
    /// Number of times that the index was removed or damaged.
    pub(crate) spoiled: u32,
    /// Number of times that the warehouse was removed, damaged, replaced by an older one, or left
    /// as it is on purpose.
    pub(crate) spoiled_warehouses: u32,
    /// Results that were compared with the log.
    pub(crate) results: u64,
    /// Results that were given under load; they are part of `results`.
    pub(crate) results_under_load: u64,
    /// Number of times that there was no result yet, because events were being loaded.
    pub(crate) not_loaded: u64,
    /// Visitors and conversions in the last results, all projects together.
    pub(crate) counted: (u64, u64),
    /// Blocks of the log.
    pub(crate) blocks: i64,
    /// Closed files of the log.
    pub(crate) files: usize,
    /// True when the server may lose what it acknowledged. Then little may be left to count.
    pub(crate) may_lose: bool,
}

impl Report {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            findings: Findings::new(name, &Kind::OF_EVENTS),
            acknowledged: 0,
            repeats: 0,
            requests: 0,
            hits: 0,
            unanswered: 0,
            stored: 0,
            again: 0,
            spoiled: 0,
            spoiled_warehouses: 0,
            results: 0,
            results_under_load: 0,
            not_loaded: 0,
            counted: (0, 0),
            blocks: 0,
            files: 0,
            may_lose: false,
        }
    }

    /// Reason why the run proved nothing, such as kills that met no request.
    fn idle(&self) -> Option<&'static str> {
        if self.unanswered == 0 || self.acknowledged == 0 {
            Some("no end met a request in flight")
        } else if !self.may_lose && (self.counted.0 == 0 || self.counted.1 == 0) {
            Some("no result counted a conversion")
        } else {
            None
        }
    }

    /// Prints a line of progress.
    pub(crate) fn progress(&self, cycles: u32) {
        let Self { acknowledged, unanswered, results, .. } = self;
        self.findings.progress(
            cycles,
            format_args!("{acknowledged} events acknowledged, {unanswered} requests hit, {results} results compared"),
        );
    }
}

impl Outcome for Report {
    fn is_well(&self) -> bool {
        self.findings.is_empty() && self.idle().is_none()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.findings.head(out)?;
        writeln!(
            out,
            "  acknowledged events   {} by {} answers; {} were sent again after that",
            self.acknowledged, self.requests, self.repeats
        )?;
        writeln!(
            out,
            "  requests in flight    {} without an answer, met by {} cycles; {} of their events were stored",
            self.unanswered, self.hits, self.stored
        )?;
        writeln!(out, "  sent again            {} of these requests", self.again)?;
        writeln!(
            out,
            "  log                   {} blocks, {} files closed; its index was spoiled {} times, the warehouse {} times",
            self.blocks, self.files, self.spoiled, self.spoiled_warehouses
        )?;
        writeln!(
            out,
            "  results               {} compared, {} of them given under load; {} times not loaded yet",
            self.results, self.results_under_load, self.not_loaded
        )?;
        writeln!(out, "  counted in the end    {} visitors, {} conversions", self.counted.0, self.counted.1)?;
        self.findings.tail(out, self.idle())
    }
}
