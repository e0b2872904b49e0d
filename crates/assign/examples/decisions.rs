//! Random decisions as JSON lines, for other implementations to reproduce: `cargo run -p muriel-assign --example
//! decisions -- [--count 10000] [--seed 0] | node contract/assignment/run.mjs --replay`.

use std::io::Write;

#[path = "../tests/contract/random.rs"]
mod random;

fn main() -> std::io::Result<()> {
    let (count, seed) = (number("--count", 10_000), number("--seed", 0));
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut written = 0;
    for seed in seed.. {
        if written >= count {
            break;
        }
        line.clear();
        written += random::write_line(&mut line, seed) as u64;
        out.write_all(&line)?;
    }
    Ok(())
}

/// Returns the number after an option, or its default.
fn number(option: &str, default: u64) -> u64 {
    let given = std::env::args().skip_while(|argument| argument != option).nth(1);
    given.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{option} needs a number, not {text}")))
}
