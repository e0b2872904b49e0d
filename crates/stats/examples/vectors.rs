//! Checks a file of reference vectors: `cargo run -p muriel-stats --example vectors -- FILE`.
//!
//! Prints a line per case that is not met and the counts per method; exits with 1 when a case is not met or the file
//! cannot be read. An unknown method is a case not met.

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
