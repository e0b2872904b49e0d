//! Measures the estimator of a programme's sum on simulated programmes, and draws the picture in the documentation.
//!
//! `cargo run -p muriel-analysis --example programmes` prints the table of docs/methods.md for 100 programmes of 50
//! tests of each kind, with `-- --full` for 500. It exits with status 1 when a promise is not kept. With `-- --picture`
//! it writes docs/pictures/programme.svg; the test below fails when that file is out of date.

#[path = "../../stats/examples/drawing/mod.rs"]
mod drawing;
#[path = "../tests/simulation/mod.rs"]
mod simulation;

use drawing::Picture;
use simulation::{KINDS, WinnerSums, measure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Number of programmes of each kind in the table of docs/methods.md, and in the picture.
const FULL: usize = 500;
/// Number of tests in a programme.
const TESTS: usize = 50;

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => table(100),
        ["--full"] => table(FULL),
        ["--picture"] => match std::fs::write(file(), picture()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", file().display());
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("unknown options: {}; known are --full and --picture", options.join(" "));
            ExitCode::from(2)
        }
    }
}

fn table(programmes: usize) -> ExitCode {
    println!("| True lifts | | Programmes | Winners | Bias ÷ sd | Covered | Expected ÷ true | Naive sum ÷ true |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let mut status = ExitCode::SUCCESS;
    for kind in &KINDS {
        let it = measure(kind, programmes, TESTS);
        println!(
            "| {} | {} | {} | {:.1} | {:+.3} ± {:.3} | {:.3} | {:.2} | {:.2} |",
            kind.name,
            kind.about,
            it.programmes.len(),
            it.winners,
            it.bias,
            it.bias_error,
            it.coverage,
            it.expected,
            it.naive
        );
        if !it.keeps(kind) {
            eprintln!("broken: {}", kind.name);
            status = ExitCode::FAILURE;
        }
    }
    status
}

/// Two dots for each programme, above its true sum: the naive sum and the expected sum. The diagonal is the truth.
fn picture() -> String {
    let kind = KINDS.iter().find(|kind| kind.name == "varied").expect("a kind of this name");
    let measured = measure(kind, FULL, TESTS);
    let mut picture = Picture::new((0.0, 60.0, false), (-0.1, 1.1));
    picture.axes(
        (&[0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0], "true sum of the winners' lifts, in percent"),
        (&[0.0, 0.25, 0.5, 0.75, 1.0], "sum of the winners' lifts"),
        true,
    );
    let dots = |of: fn(&WinnerSums) -> f64| {
        measured.programmes.iter().map(move |it| (100.0 * it.truth, of(it))).collect::<Vec<_>>()
    };
    picture.dots("other", dots(|it| it.shown));
    picture.dots("ours", dots(|it| it.expected));
    picture.line("estimate", &[(0.0, 0.0), (60.0, 0.6)]);
    let mean = |of: fn(&WinnerSums) -> f64| {
        100.0 * measured.programmes.iter().map(of).sum::<f64>() / measured.programmes.len() as f64
    };
    let (truth, naive, expected) = (mean(|it| it.truth), mean(|it| it.shown), mean(|it| it.expected));
    picture.label("of-other", (1.0, 1.03), &format!("results of the winners added up: {naive:.1} % on average"));
    picture.label("of-ours", (1.0, 0.94), &format!("expected by Muriel: {expected:.1} % on average"));
    picture.label("", (1.0, 0.85), &format!("true, the diagonal: {truth:.1} % on average"));
    picture.svg(&format!(
        "Naive and expected sum of the winners against the true one, in {} simulated programmes",
        measured.programmes.len()
    ))
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/programme.svg")
}

#[test]
fn the_picture_is_what_the_engine_says() {
    let drawn = std::fs::read_to_string(file()).expect("the picture is there");
    assert!(drawn == picture(), "it is out of date: cargo run -p muriel-analysis --example programmes -- --picture");
}
