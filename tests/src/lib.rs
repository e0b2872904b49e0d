//! What the black-box stories are told with: a server of one's own on either
//! database, a client that reads like prose, and a checker that holds every
//! answer to the published contract.

mod answer;
mod app;
mod client;
mod contract;
mod link;
mod postgres;
pub mod process;
pub mod raw;
pub mod room;
mod template;

pub use answer::Answer;
pub use app::{On, PASSWORD, SecondServer, TestApp};
pub use client::{Call, Client, Session};
pub use contract::{Contract, Operation};
pub use link::Link;

use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Tells each story on SQLite and on PostgreSQL.
#[macro_export]
macro_rules! stories {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { super::$name($crate::On::Sqlite) })*
        }
        mod postgres {
            $(#[test] fn $name() { super::$name($crate::On::Postgres) })*
        }
    };
}

/// Longer than anything here takes, on any machine: one that is busy or thirty
/// times slower than usual included. Only what never ends takes as long.
pub const DEADLINE: Duration = Duration::from_secs(180);

/// A directory for data whose safety is not what is tested. `scripts/with-postgres` names a place in memory for them, as most
/// of a story's time is spent on flushes otherwise, and clears it whatever becomes of this process.
///
/// # Panics
/// When it cannot be made.
pub fn scratch() -> TempDir {
    let place = std::env::var_os("MURIEL_TEST_SCRATCH").map_or_else(std::env::temp_dir, PathBuf::from);
    tempfile::tempdir_in(place).expect("a temporary directory")
}

/// Pauses between two questions of [`eventually`]: short at first, as most answers come at once.
const PAUSES_MS: [u64; 6] = [1, 1, 2, 4, 8, 16];

/// The long form of stories is asked for: `make nightly`.
pub fn is_full() -> bool {
    std::env::var_os("MURIEL_TEST_FULL").is_some()
}

/// Asks again until the answer is yes.
///
/// # Panics
/// When it is still no at the end of `within`.
#[track_caller]
pub fn eventually(what: &str, within: Duration, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + within;
    for asked in 0.. {
        if is_so() {
            return;
        }
        assert!(Instant::now() < end, "{what} did not happen within {within:?}");
        std::thread::sleep(Duration::from_millis(PAUSES_MS[usize::min(asked, PAUSES_MS.len() - 1)]));
    }
}
