//! Kills the server while clients change experiments, starts it again, and checks that
//! every change was applied completely or not at all.

pub(crate) mod check;
pub(crate) mod control;
pub(crate) mod ledger;
pub(crate) mod load;
pub(crate) mod parts;
pub(crate) mod report;
pub(crate) mod rig;

use crate::Result;
use crate::place::Database;
use report::Report;
use rig::{Options, Rig};

pub(crate) fn kill_often(options: &Options, database: Database, cycles: u32) -> Result<Report> {
    let mut rig = Rig::new(options, database)?;
    for cycle in 1..=cycles {
        rig.load_and_kill()?;
        rig.start_again()?;
        // Reading a SQLite file empties its write-ahead log. About every other cycle does
        // not read it, so that the log lasts through several kills.
        let look_inside = cycle == cycles || rig.chance(2);
        rig.check(look_inside)?;
        if cycle % 25 == 0 || cycle == cycles {
            rig.report().progress(cycles);
        }
    }
    rig.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{expect_well, program};

    fn options() -> Options {
        Options { program: program(), clients: 8, experiments: 12, seed: 1 }
    }

    fn survives(database: Database) {
        expect_well(kill_often(&options(), database, 8));
    }

    fn faults_are_found(database: Database) {
        expect_well(control::run(&options(), database));
    }

    #[test]
    fn kills_lose_nothing_on_sqlite() {
        survives(Database::Sqlite);
    }

    #[test]
    fn kills_lose_nothing_on_postgres() {
        survives(Database::Postgres);
    }

    #[test]
    fn planted_faults_are_found_on_sqlite() {
        faults_are_found(Database::Sqlite);
    }

    #[test]
    fn planted_faults_are_found_on_postgres() {
        faults_are_found(Database::Postgres);
    }
}
