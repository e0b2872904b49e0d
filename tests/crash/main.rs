//! Ends the server under load, starts it again, and checks whether everything that
//! it acknowledged is stored: `crash --what events --cycles 200`.
//!
//! In one cycle, clients write, the server is ended by `kill -9` or a power cut after
//! a moment and started again, and its data are compared. All choices come from
//! `--seed`. The moment at which a kill meets a request does not, so many cycles are
//! needed, and a seed may not repeat a failure.

mod clock;
mod events;
mod experiments;
mod findings;
mod http;
mod place;
mod power;
mod server;
mod slow;
mod violation;

use clap::{Parser, ValueEnum};
use findings::print_outcome;
use muriel_tests::{process, room};
use place::Database;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T, E = Error> = std::result::Result<T, E>;

/// Ends the server under load; nothing acknowledged may be lost.
#[derive(Debug, Parser)]
#[command(name = "crash")]
struct Args {
    /// Load, and the way in which the server is ended.
    #[arg(long, value_enum, default_value = "experiments")]
    what: Subject,
    /// Number of kills or power cuts; for experiments, on each database.
    #[arg(long, default_value_t = 40, value_name = "N")]
    cycles: u32,
    /// Database for experiments. The clock always uses PostgreSQL, everything else SQLite.
    #[arg(long, value_enum, default_value = "both")]
    database: Which,
    /// Number of connections that write at the same time [default: 8, for events 32].
    #[arg(long, value_name = "N")]
    clients: Option<usize>,
    /// Number of experiments, which are divided among the connections.
    #[arg(long, default_value_t = 12, value_name = "N")]
    experiments: usize,
    /// Number of slow connections of each kind.
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    connections: usize,
    /// Seed of all random choices [default: a new one, which is printed].
    #[arg(long)]
    seed: Option<u64>,
    /// The program to kill [default: muriel next to this program].
    #[arg(long, value_name = "PATH")]
    muriel: Option<PathBuf>,
    /// Plant faults, and fail unless every one of them is found.
    #[arg(long)]
    control: bool,
    /// Power cuts of a server that flushes late: fail unless some lose events.
    #[arg(long)]
    relaxed: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Subject {
    /// Changes of experiments, kill -9.
    Experiments,
    /// Events, kill -9.
    Events,
    /// Events, power cuts.
    Power,
    /// Events, together with many slow clients.
    Slow,
    /// Acts of the clock on two nodes, kill -9 of one.
    Clock,
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
            eprintln!("crash: {}", in_full(&*error));
            ExitCode::FAILURE
        }
    }
}

/// Text of an error with its causes.
fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Runs what the arguments say. Returns whether the run passed.
fn run(args: &Args) -> Result<bool> {
    if matches!(args.what, Subject::Power) && !room::is_inside() {
        return Ok(room::enter(std::env::args_os().skip(1), power::PROBE)?);
    }
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    println!("seed {seed}");
    if matches!(args.what, Subject::Experiments) {
        return of_experiments(args, seed);
    }
    if matches!(args.what, Subject::Clock) {
        let options = clock::Options { program: process::program(args.muriel.as_deref())?, seed };
        return if args.control {
            print_outcome(clock::control(&options))
        } else {
            print_outcome(clock::kill_often(&options, args.cycles))
        };
    }
    if matches!(args.what, Subject::Slow) {
        let program = process::program(args.muriel.as_deref())?;
        let (time, close_timeout) = (Duration::from_secs(50), Duration::from_secs(300));
        let options = slow::Options { program, each: args.connections, time, close_timeout };
        return print_outcome(slow::run(&options));
    }
    let options = events::Options {
        program: process::program(args.muriel.as_deref())?,
        clients: args.clients.unwrap_or(32).max(1),
        seed,
        load_ms: 20..=400,
    };
    match args.what {
        Subject::Power => print_outcome(power::cut_often(&options, args.cycles, args.relaxed)),
        _ if args.control => print_outcome(events::control::run(&options)),
        _ => print_outcome(events::kill_often(&options, args.cycles)),
    }
}

fn of_experiments(args: &Args, seed: u64) -> Result<bool> {
    let options = experiments::rig::Options {
        program: process::program(args.muriel.as_deref())?,
        clients: args.clients.unwrap_or(8).max(1),
        experiments: args.experiments.max(1),
        seed,
    };
    let mut is_well = true;
    for &database in args.database.databases() {
        is_well &= if args.control {
            print_outcome(experiments::control::run(&options, database))?
        } else {
            print_outcome(experiments::kill_often(&options, database, args.cycles))?
        };
    }
    Ok(is_well)
}
