//! The demo's data on both databases.

use muriel_tests::{On, stories};

stories![the_demo_has_a_consistent_past];

/// Half a year of starts, changes, pauses and winners. The end of a story compares what is stored of each experiment with
/// its history.
fn the_demo_has_a_consistent_past(on: On) {
    // The demo's server begins with its clock once the past is made.
    let app = on.start_with(|settings| settings.worker = false);
    let live = app.seed_demo();
    assert!(live.len() > 5, "{live:?}");
    assert!(live.iter().all(|id| !app.history(*id).is_empty()), "{live:?}");
}
