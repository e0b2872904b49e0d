//! The binary: configuration, wiring, commands.
// They panic when whoever reads has closed the pipe; `say` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod access;
pub mod config;
mod demo;
pub mod doctor;
mod error;
pub mod explain;
pub mod log;
mod logs;
mod named;
mod node;
pub mod nodes;
pub mod open;
pub mod page;
mod say;
mod scratch;
pub mod serve;
mod shutdown;
pub mod simulate;
pub mod verify;
mod warehouse;

pub use error::{Error, Result};

use clap::{Parser, Subcommand};
use config::{Common, ServeFlags};
use say::{say, tell};

/// Experiments you can trust, in one binary.
#[derive(Debug, Parser)]
#[command(name = "muriel", version, about = "Experiments you can trust, in one binary.", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server.
    Serve {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        flags: ServeFlags,
    },
    /// Run the server with a company to look around in, and visitors; its data goes at the end
    /// unless --data-dir or --database-url keeps it.
    #[command(mut_arg("data_dir", |arg| arg.help(demo::DATA_DIR_HELP)))]
    Demo {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        flags: ServeFlags,
        #[command(flatten)]
        visitors: demo::VisitorFlags,
    },
    /// Make, list and set up projects, and print what their pages need.
    #[command(subcommand)]
    Project(access::ProjectCommand),
    /// Make, list and revoke API keys.
    #[command(subcommand)]
    Key(access::KeyCommand),
    /// List the servers that work on a PostgreSQL database, and forget one that is gone.
    #[command(subcommand)]
    Node(nodes::NodeCommand),
    /// Look at a page: whether it loads the script early enough, from where, and with which Content-Security-Policy.
    Doctor(doctor::Doctor),
    /// Tell step by step what a visitor gets of an experiment, and why.
    Explain(explain::Explain),
    /// Count, follow, check, export, import and prune stored events.
    #[command(subcommand)]
    Log(log::LogCommand),
    /// Compute a result again from the log, and say what differs.
    Verify(verify::Verify),
    /// Try a plan many times, on simulated visitors or those of the past: how often it finds an effect, and how often
    /// it calls one that is not there.
    Simulate(Box<simulate::Simulate>),
    /// Rebuild the warehouse, which answers questions about events, from the event log.
    #[command(subcommand)]
    Warehouse(warehouse::WarehouseCommand),
    /// Print the OpenAPI 3.1 document.
    Openapi,
}

/// Runs the program with its arguments; what it returns is its exit status.
pub fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    // Whatever is made is its owner's, also by libraries, and where the data directory
    // is everybody's.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    match run(cli.command) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            tell!("muriel: {}", error::sentence(&error));
            std::process::ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Serve { common, flags } => {
            let settings = config::Settings::load(common, flags)?;
            let _logs = logs::start(&settings.log_level)?;
            block_on(serve::until_signalled(settings))
        }
        Command::Demo { common, flags, visitors } => demo::run(common, flags, visitors),
        Command::Project(command) => block_on(access::project(command)),
        Command::Key(command) => block_on(access::key(command)),
        Command::Node(command) => block_on(nodes::run(command)),
        Command::Doctor(asked) => doctor::run(asked),
        Command::Explain(asked) => block_on(explain::run(asked)),
        Command::Log(command) => log::run(command),
        Command::Verify(asked) => verify::run(asked),
        Command::Simulate(asked) => block_on(simulate::run(*asked)),
        Command::Warehouse(command) => warehouse::run(command),
        Command::Openapi => {
            let contract = muriel_api::router::contract().to_pretty_json();
            say!("{}", contract.map_err(|error| Error::Other(error.into()))?)?;
            Ok(())
        }
    }
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Other(error.into()))?;
    let done = runtime.block_on(work);
    // What is still computed for nobody is not waited for.
    runtime.shutdown_background();
    done
}
