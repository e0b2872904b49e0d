//! Checks a file of reference vectors: `cargo run -p muriel-stats --example vectors -- FILE`.
//!
//! Prints a line for each failed case and the counts per method. Exits with 1 when a case fails or the file cannot be
//! read. A case with an unknown method fails.

#[path = "../tests/vectors/mod.rs"]
mod harness;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let (Some(path), None) = (args.next(), args.next()) else {
        eprintln!("usage: vectors FILE");
        return ExitCode::FAILURE;
    };
    let checked = std::fs::read_to_string(&path).map_err(|e| e.to_string()).and_then(|text| harness::check(&text));
    match checked {
        Ok(summary) => {
            println!("{summary}");
            if summary.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{}: {problem}", path.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}
