//! The `muriel` binary: configuration, wiring, commands.
// `println!` and `eprintln!` panic when the reader has closed the pipe; `say` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod access;
mod agents;
pub mod audit;
mod backup;
pub mod config;
#[cfg(feature = "demo")]
mod demo;
pub mod doctor;
mod error;
pub mod explain;
pub mod files;
pub mod log;
mod logs;
pub mod mcp;
mod named;
mod node;
pub mod nodes;
mod oidc;
pub mod open;
mod open_events;
pub mod page;
pub mod person;
pub mod remote;
mod say;
mod scratch;
pub mod serve;
mod server_address;
mod shutdown;
pub mod simulate;
pub mod status;
mod tasks;
pub mod verify;
pub mod visitor;
mod warehouse;

pub use error::{Error, Result};

use clap::{Parser, Subcommand};
use config::{Common, ServeFlags};
use say::{say, say_stderr};
use std::process::ExitCode;

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
    /// Run the server with an example company, a shop and simulated visitors. The data is deleted at the end unless
    /// --data-dir or --database-url is given.
    #[cfg(feature = "demo")]
    #[command(mut_arg("data_dir", |arg| arg.help(demo::DATA_DIR_HELP)))]
    Demo {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        flags: ServeFlags,
        #[command(flatten)]
        visitors: demo::VisitorFlags,
    },
    #[cfg(not(feature = "demo"))]
    #[command(hide = true)]
    Demo {
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        _ignored: Vec<std::ffi::OsString>,
    },
    /// Create, list and configure projects, and print what their pages need.
    #[command(subcommand)]
    Project(access::ProjectCommand),
    /// Create, list and revoke API keys.
    #[command(subcommand)]
    Key(access::KeyCommand),
    /// Add and list people, and give them new passwords.
    #[command(subcommand)]
    Person(person::PersonCommand),
    /// Verify the audit log, the log of who did what.
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// List the servers that use a PostgreSQL database, and forget one that is gone.
    #[command(subcommand)]
    Node(nodes::NodeCommand),
    /// List the running server's background tasks: each one's period, last run and outcome.
    Status(status::Status),
    /// Check whether a page loads the script early enough, from which server, and with which Content-Security-Policy.
    Doctor(doctor::Doctor),
    /// Explain step by step which variant of an experiment a visitor gets, and why.
    Explain(explain::Explain),
    /// Count, follow, check, export, import and prune stored events.
    #[command(subcommand)]
    Log(log::LogCommand),
    /// Export or delete the data of one visitor.
    #[command(subcommand)]
    Visitor(visitor::VisitorCommand),
    /// Recompute a result from the event log, and report differences.
    Verify(verify::Verify),
    /// Simulate a test plan many times, on generated or past visitors: how often it detects an effect, and how often it
    /// reports one that does not exist.
    Simulate(Box<simulate::Simulate>),
    /// Rebuild the warehouse, the database for queries of events, from the event log.
    #[command(subcommand)]
    Warehouse(warehouse::WarehouseCommand),
    /// Offer a running server's tools for agents (Model Context Protocol) on standard input and output. The API key
    /// comes from MURIEL_API_KEY or --key-file. Agents that speak HTTP use the server's /mcp instead.
    Mcp(mcp::Mcp),
    /// Write a project's experiments, hypotheses and goals to files, for review and changes. The API key comes from
    /// MURIEL_API_KEY or --key-file.
    Export(files::Export),
    /// Show what muriel apply would change in a project, and the effects on live experiments. The exit status is 2 when
    /// there are changes.
    Plan(files::Plan),
    /// Change a project to match its files.
    Apply(files::Apply),
    /// Copy the data directory to a directory or to S3 while the server runs. Only new data is stored.
    Backup(Box<backup::Backup>),
    /// Restore a backup into a new data directory, completely or as of a time.
    Restore(backup::Restore),
    /// Print the OpenAPI 3.1 document.
    Openapi,
}

/// Runs the program with its arguments, and returns its exit status.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    // New files and directories are for their owner only, including those that libraries create and those in a data
    // directory that others can read.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    match run(cli.command) {
        Ok(status) => status,
        Err(error) => {
            say_stderr!("muriel: {}", error::sentence(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    let done = match command {
        Command::Serve { common, flags } => {
            let settings = config::Settings::load(common, flags)?;
            let _logs = logs::start(&settings.log_level)?;
            block_on(serve::until_signalled(settings))
        }
        #[cfg(feature = "demo")]
        Command::Demo { common, flags, visitors } => demo::run(common, flags, visitors),
        #[cfg(not(feature = "demo"))]
        Command::Demo { .. } => Err(Error::Refused(
            "this binary has no demo; build one that has it with `make build` in a checkout, and run target/release/muriel \
             demo"
                .to_owned(),
        )),
        Command::Project(command) => block_on(access::project(command)),
        Command::Key(command) => block_on(access::key(command)),
        Command::Person(command) => block_on(person::run(command)),
        Command::Audit(command) => block_on(audit::run(command)),
        Command::Node(command) => block_on(nodes::run(command)),
        Command::Status(args) => status::run(args),
        Command::Doctor(asked) => doctor::run(asked),
        Command::Explain(asked) => block_on(explain::run(asked)),
        Command::Log(command) => log::run(command),
        Command::Visitor(command) => visitor::run(command),
        Command::Verify(asked) => verify::run(asked),
        Command::Simulate(asked) => block_on(simulate::run(*asked)),
        Command::Warehouse(command) => warehouse::run(command),
        Command::Mcp(args) => block_on(mcp::run(args)),
        Command::Export(asked) => asked.run(),
        Command::Plan(asked) => return asked.run(),
        Command::Apply(asked) => asked.run(),
        Command::Backup(asked) => asked.run(),
        Command::Restore(asked) => asked.run(),
        Command::Openapi => {
            let contract = muriel_api::router::contract().to_pretty_json();
            say!("{}", contract.map_err(|error| Error::Other(error.into()))?)
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Other(error.into()))?;
    let done = runtime.block_on(work);
    // Work whose caller is gone may still be running; do not wait for it.
    runtime.shutdown_background();
    done
}
