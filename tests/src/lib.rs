//! Tools of the black-box stories: a server for each story on either database, a client with readable
//! calls, and checks of every response against the published contract.

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

/// Runs stories on SQLite and on PostgreSQL.
///
/// Stories of `postgres_at_night` run on PostgreSQL in `make nightly` only. A new story belongs to
/// `always` if PostgreSQL can decide its outcome: writers at once, restarts, order and search of
/// text, values read back, or a statement that no other story of `always` executes.
/// `tests/stories/statements` lists such statements.
#[macro_export]
macro_rules! stories {
    ($($name:ident),* $(,)?) => {
        $crate::stories! { always: [$($name),*] }
    };
    ($(always: [$($always:ident),* $(,)?] $(,)?)? $(postgres_at_night: [$($night:ident),* $(,)?] $(,)?)?) => {
        mod sqlite {
            $($(#[test] fn $always() { super::$always($crate::On::Sqlite) })*)?
            $($(#[test] fn $night() { super::$night($crate::On::Sqlite) })*)?
        }
        $(mod postgres {
            $(#[test] fn $always() { super::$always($crate::On::Postgres) })*
        })?
        $(mod postgres_at_night {
            $(#[test] fn $night() { super::$night($crate::On::Postgres) })*
        })?
    };
}

/// Longer than any step here takes, even on a busy machine or one that is thirty times slower than
/// usual. Only a hang takes this long.
pub const DEADLINE: Duration = Duration::from_secs(180);

/// Creates a directory for data whose durability is not tested. `scripts/with-postgres` provides a
/// directory in memory, because flushes would otherwise take most of a story's time, and removes it
/// even if this process crashes.
///
/// # Panics
/// When it cannot be created.
pub fn scratch() -> TempDir {
    let place = std::env::var_os("MURIEL_TEST_SCRATCH").map_or_else(std::env::temp_dir, PathBuf::from);
    tempfile::tempdir_in(place).expect("a temporary directory")
}

/// Delays between two checks of [`eventually`]: short at first, because most conditions hold quickly.
const PAUSES_MS: [u64; 6] = [1, 1, 2, 4, 8, 16];

/// Returns whether the long form of stories is requested: `make nightly`.
pub fn is_full() -> bool {
    std::env::var_os("MURIEL_TEST_FULL").is_some()
}

/// Repeats a check until it is true.
///
/// # Panics
/// When it is still false after `within`.
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
