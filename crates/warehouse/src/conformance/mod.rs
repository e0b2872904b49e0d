//! Conformance suite for warehouse engines.
//!
//! [`check`] runs every test against an engine, given as a function that creates an empty warehouse. Most tests compare
//! its answers with those of [`reference`], which computes them record by record.

mod counting;
mod faults;
mod fixtures;
mod generators;
mod loading;
mod pairs;
mod properties;
mod reference;
mod traffic;
mod trusted_events;

use crate::{WarehouseReader, WarehouseWriter};
use std::panic::{self, AssertUnwindSafe};
use std::thread;

/// An engine: reader and writer.
pub(crate) trait Warehouse: WarehouseReader + WarehouseWriter {}

impl<W: WarehouseReader + WarehouseWriter> Warehouse for W {}

/// Creates an empty warehouse.
pub(crate) type Engine<'e> = &'e (dyn Fn() -> Box<dyn Warehouse> + Sync);

/// Panics if an answer of the engine is wrong.
type Check = fn(Engine<'_>);

/// All checks with their names.
const CHECKS: [(&str, Check); 19] = [
    ("answers equal the reference's", properties::answers_equal_the_references),
    ("answers about holdouts equal the reference's", properties::answers_about_holdouts_equal_the_references),
    ("answers about pairs equal the reference's", properties::answers_about_pairs_equal_the_references),
    ("pairs count who met the other in time", pairs::pairs_count_who_met_the_other_in_time),
    ("neither blocks nor their order matter", properties::neither_blocks_nor_order_matter),
    ("totals by network add up to totals", properties::totals_by_network_add_up_to_totals),
    ("changes by quarter add up to totals", properties::changes_by_quarter_add_up_to_totals),
    ("the largest segments are distinguished", counting::the_largest_segments_are_distinguished),
    ("the first of repeated events counts", counting::the_first_of_repeated_events_counts),
    ("events without a key do not displace trusted ones", trusted_events::vouched_events_are_not_displaced),
    (
        "the end of a report does not displace trusted events",
        trusted_events::the_end_of_a_report_does_not_displace_vouched_events,
    ),
    ("texts are data", counting::texts_are_data),
    ("a stopped question is not answered", loading::a_stopped_question_is_not_answered),
    ("traffic counts each visitor once", traffic::traffic_counts_each_visitor_once),
    ("the matches of a goal are counted by day", traffic::matches_are_counted_by_day),
    ("pages that were viewed are known", traffic::viewed_pages_are_known),
    ("logs are stored side by side", loading::logs_are_stored_side_by_side),
    ("a rebuild answers once it is finished", loading::a_rebuild_answers_once_it_is_finished),
    ("rows of rewritten blocks are replaced", loading::rows_of_rewritten_blocks_are_replaced),
];

/// Runs the checks whose names `chosen` accepts, in parallel. Returns the names of those that failed, in the order of
/// the list.
pub(crate) fn failures(engine: Engine<'_>, chosen: impl Fn(&str) -> bool) -> Vec<&'static str> {
    thread::scope(|scope| {
        let chosen = CHECKS.iter().filter(|(name, _)| chosen(name));
        let running: Vec<_> = chosen
            .map(|(name, check)| {
                (*name, scope.spawn(move || panic::catch_unwind(AssertUnwindSafe(|| check(engine))).is_ok()))
            })
            .collect();
        running.into_iter().filter_map(|(name, check)| (!check.join().unwrap_or(false)).then_some(name)).collect()
    })
}

/// Runs every check, and panics with the names of those that the engine fails; their messages are on standard error.
pub(crate) fn check(engine: Engine<'_>) {
    assert_eq!(failures(engine, |_| true), [""; 0]);
}
