//! Measures the crate's error rates on simulated experiments and prints them as the tables of docs/methods.md.
//!
//! `cargo run --release -p muriel-stats --example simulate` runs the quick set. `-- --full` runs ten times as many;
//! group names after it select groups. Exits with status 1 when a promise is broken, and prints the seed that breaks
//! it.

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use simulation::{FULL, QUICK, groups, run, table};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| *option != "--full") {
        eprintln!("unknown option {unknown}; there is --full");
        return ExitCode::from(2);
    }
    let groups = groups();
    if let Some(unknown) = names.iter().find(|name| groups.iter().all(|(group, _)| group != name)) {
        let known: Vec<_> = groups.iter().map(|(name, _)| *name).collect();
        eprintln!("unknown group {unknown}; there are {}", known.join(", "));
        return ExitCode::from(2);
    }
    let runs = if options.is_empty() { QUICK } else { FULL };
    let mut broken = 0;
    for (name, rows) in groups.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|asked| asked == name)) {
        let lines = run(rows, runs);
        println!("### {name}\n\n{}", table(&lines));
        for line in lines.iter().filter(|line| !line.ok) {
            eprintln!("broken: {}, {}: {} (seed {:#x})", line.test, line.what, line.measured, line.seed);
            broken += 1;
        }
    }
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
