//! Estimator of a programme's sum, on simulated programmes.

mod simulation;

use simulation::{KINDS, measure};

/// `make simulate` prints the same numbers for 500 programmes of 50 tests; `docs/methods.md` lists
/// them.
#[test]
fn the_sum_of_winners_is_not_exaggerated() {
    let (programmes, tests) = (120, 50);
    for kind in &KINDS {
        let measured = measure(kind, programmes, tests);
        let (name, count) = (kind.name, measured.programmes.len());
        assert!(count > programmes * 2 / 3, "{name}: {count} programmes had a winner");
        assert!(
            measured.keeps(kind),
            "{name}: bias {} ± {}, coverage {}, naive sum {} times the true one",
            measured.bias,
            measured.bias_error,
            measured.coverage,
            measured.naive
        );
    }
}
