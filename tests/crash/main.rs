//! Kills the server under load, starts it again, and asks whether everything
//! that it acknowledged is there: `crash --cycles 500`.
//!
//! One cycle: clients change and create experiments, `kill -9` after 20 to
//! 150 ms, start, compare. All choices come from `--seed`; the moment at which a
//! kill meets a request does not, so many cycles are needed and a seed does not
//! repeat a failure for certain.

mod check;
mod control;
mod http;
mod ledger;
mod load;
mod parts;
mod place;
mod report;
mod rig;
mod server;

use clap::{Parser, ValueEnum};
use place::Database;
use report::Report;
use rig::{Options, Rig};
use std::path::PathBuf;
use std::process::ExitCode;

type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

/// Kills the server under load; nothing acknowledged may be lost.
#[derive(Debug, Parser)]
#[command(name = "crash")]
struct Args {
    /// Kills on each database.
    #[arg(long, default_value_t = 40, value_name = "N")]
    cycles: u32,
    /// Where experiments are stored.
    #[arg(long, value_enum, default_value = "both")]
    database: Which,
    /// Connections that write at the same time.
    #[arg(long, default_value_t = 8, value_name = "N")]
    clients: usize,
    /// Experiments that they share out among them.
    #[arg(long, default_value_t = 12, value_name = "N")]
    experiments: usize,
    /// Where choices come from [default: a new one, which is printed].
    #[arg(long)]
    seed: Option<u64>,
    /// The program to kill [default: muriel beside this program].
    #[arg(long, value_name = "PATH")]
    muriel: Option<PathBuf>,
    /// Plant faults, one per cycle, and fail unless every one of them is found.
    #[arg(long)]
    control: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    Sqlite,
    Postgres,
    Both,
}

impl Which {
    fn databases(self) -> &'static [Database] {
        match self {
            Which::Sqlite => &[Database::Sqlite],
            Which::Postgres => &[Database::Postgres],
            Which::Both => &[Database::Sqlite, Database::Postgres],
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("crash: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
fn run(args: &Args) -> Result<bool> {
    let options = Options {
        program: server::program(args.muriel.as_deref())?,
        clients: args.clients.max(1),
        experiments: args.experiments.max(1),
        seed: args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32)),
    };
    println!("seed {}", options.seed);
    let mut is_well = true;
    for &database in args.databases() {
        if args.control {
            let outcome = control::run(&options, database)?;
            println!("{outcome}");
            is_well &= outcome.is_well();
        } else {
            let report = kill_often(&options, database, args.cycles)?;
            println!("{report}");
            is_well &= report.is_well();
        }
    }
    Ok(is_well)
}

impl Args {
    fn databases(&self) -> &'static [Database] {
        self.database.databases()
    }
}

fn kill_often(options: &Options, database: Database, cycles: u32) -> Result<Report> {
    let mut rig = Rig::new(options, database)?;
    for cycle in 1..=cycles {
        rig.load_and_kill()?;
        rig.start_again()?;
        // Looking into a SQLite file empties its log; left alone every other time
        // or so, the log lives through several kills.
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

    fn options() -> Options {
        Options {
            program: server::program(None).unwrap_or_else(|error| panic!("{error}")),
            clients: 8,
            experiments: 12,
            seed: 1,
        }
    }

    fn survives(database: Database) {
        let report = kill_often(&options(), database, 8).unwrap_or_else(|error| panic!("{error}"));
        assert!(report.is_well(), "{report}");
    }

    fn faults_are_found(database: Database) {
        let outcome = control::run(&options(), database).unwrap_or_else(|error| panic!("{error}"));
        assert!(outcome.is_well(), "{outcome}");
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
