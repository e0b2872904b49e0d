//! Simulation harness: rows of data define the simulated experiments and the accepted results; one loop runs them.

mod beliefs;
mod continuous;
mod data;
mod epochs;
mod family;
mod health;
mod looks;
mod merging;
mod one_look;
mod path;
mod planning;
#[cfg(test)]
mod tests;
mod unequal;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Random number generator. Its numbers are part of the test: another generator gives other experiments.
pub(crate) type Rng = Xoshiro256PlusPlus;

/// Runs per row in the quick set.
#[allow(dead_code, reason = "the test runs the quick set, the example either")]
pub(crate) const QUICK: usize = 4_000;
/// Runs per row before a release.
#[allow(dead_code, reason = "the test runs the quick set, the example either")]
pub(crate) const FULL: usize = 40_000;

/// Accepted range of the mean over the runs. The margin is three standard errors of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Accept {
    /// This rate, plus or minus the margin.
    Near(f64),
    /// At most this rate plus the margin.
    AtMost(f64),
    /// Less than this, without a margin.
    Below(f64),
    /// At least this rate minus the margin.
    AtLeast(f64),
    /// The mean of the probabilities claimed by the runs, plus or minus the margin.
    Claimed,
    /// Uniform values between 0 and 1, by a Kolmogorov-Smirnov test at 0.001.
    Uniform,
    /// No run has a larger value.
    Largest(f64),
    /// Any result: another method, shown for comparison.
    Shown,
}

/// Result of one check in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    value: f64,
    claimed: f64,
}

impl Seen {
    /// Creates a result from a number to average.
    pub(crate) fn value(value: f64) -> Option<Seen> {
        Some(Seen { value, claimed: 0.0 })
    }

    /// Creates a result that is 1 when the event happened and 0 otherwise.
    pub(crate) fn event(happened: bool) -> Option<Seen> {
        Seen::value(f64::from(u8::from(happened)))
    }

    /// Creates a result of an event with the probability that was claimed for it.
    pub(crate) fn claim(happened: bool, claimed: f64) -> Option<Seen> {
        Some(Seen { value: f64::from(u8::from(happened)), claimed })
    }
}

/// One simulated run. Fills in the result of each check, `None` for a check that does not apply to the run.
pub(crate) type Run = Box<dyn Fn(&mut Rng, &mut [Option<Seen>]) + Sync + Send>;

/// A kind of experiment that is simulated many times, and the checks of its results.
pub(crate) struct Row {
    /// Name of the experiment; also determines the seed.
    pub(crate) test: String,
    /// Number of interim checks in a run.
    pub(crate) looks: usize,
    /// Names and accepted ranges of the checks.
    pub(crate) checks: Vec<(&'static str, Accept)>,
    /// Simulates one experiment.
    pub(crate) run: Run,
    /// True when the row is too slow for the quick set.
    pub(crate) only_full: bool,
}

impl Row {
    pub(crate) fn new(
        test: impl Into<String>,
        looks: usize,
        checks: &[(&'static str, Accept)],
        run: impl Fn(&mut Rng, &mut [Option<Seen>]) + Sync + Send + 'static,
    ) -> Row {
        Row { test: test.into(), looks, checks: checks.to_vec(), run: Box::new(run), only_full: false }
    }

    /// Restricts the row to the full set.
    pub(crate) fn only_full(self) -> Row {
        Row { only_full: true, ..self }
    }

    /// Seed of the row; run i uses this plus i. An FNV-1a hash of the name, so that adding a row does not change the
    /// others.
    fn seed(&self) -> u64 {
        let name = self.test.bytes().chain(self.looks.to_string().into_bytes());
        name.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

/// Result of one check of a row.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) test: String,
    pub(crate) what: &'static str,
    pub(crate) looks: usize,
    /// Runs in which the check applied.
    pub(crate) runs: usize,
    pub(crate) measured: String,
    pub(crate) accepted: String,
    pub(crate) ok: bool,
    pub(crate) seed: u64,
}

/// Accumulated results of one check.
#[derive(Clone, Default)]
struct Tally {
    runs: usize,
    sum: f64,
    claimed: f64,
    largest: f64,
    values: Vec<f64>,
}

impl Tally {
    fn add(&mut self, seen: Seen, accept: Accept) {
        self.runs += 1;
        self.sum += seen.value;
        self.claimed += seen.claimed;
        // NaN counts as infinite, so that a check never passes because a number is missing.
        self.largest = if seen.value.is_nan() { f64::INFINITY } else { self.largest.max(seen.value) };
        if accept == Accept::Uniform {
            self.values.push(seen.value);
        }
    }

    fn merge(&mut self, other: Tally) {
        self.runs += other.runs;
        self.sum += other.sum;
        self.claimed += other.claimed;
        self.largest = self.largest.max(other.largest);
        self.values.extend(other.values);
    }

    fn line(self, row: &Row, what: &'static str, accept: Accept) -> Line {
        let runs = self.runs as f64;
        let rate = self.sum / runs;
        let margin = |p: f64| 3.0 * (p * (1.0 - p) / runs).sqrt();
        let percent = |x: f64| format!("{:.2} %", 100.0 * x);
        let between = |p: f64| (format!("{} ± {:.2}", percent(p), 100.0 * margin(p)), (rate - p).abs() <= margin(p));
        let (measured, accepted, ok) = match accept {
            Accept::Near(p) => (percent(rate), between(p).0, between(p).1),
            Accept::Claimed => {
                let claimed = self.claimed / runs;
                (percent(rate), between(claimed).0, between(claimed).1)
            }
            Accept::AtMost(p) => (percent(rate), format!("≤ {}", percent(p + margin(p))), rate <= p + margin(p)),
            Accept::AtLeast(p) => (percent(rate), format!("≥ {}", percent(p - margin(p))), rate >= p - margin(p)),
            Accept::Below(p) => (percent(rate), format!("≤ {}", percent(p)), rate <= p),
            Accept::Shown => (percent(rate), "—".to_owned(), true),
            Accept::Largest(limit) => {
                let text = |x: f64| if x == 0.0 { "0".to_owned() } else { format!("{x:.1e}") };
                (
                    text(self.largest),
                    if limit == 0.0 { "0".to_owned() } else { format!("≤ {limit:e}") },
                    self.largest <= limit,
                )
            }
            Accept::Uniform => {
                let p = uniformity(self.values);
                (format!("p = {p:.3}"), "p > 0.001".to_owned(), p > 0.001)
            }
        };
        // A check that applied to no run fails. NaN rates fail by themselves.
        let ok = ok && self.runs > 0;
        Line {
            test: row.test.clone(),
            what,
            looks: row.looks,
            runs: self.runs,
            measured,
            accepted,
            ok,
            seed: row.seed(),
        }
    }
}

/// P-value of the hypothesis that `values` are uniform on 0..1.
///
/// # Source
/// Kolmogorov's series, with Stephens' correction of its argument for a finite number of values.
fn uniformity(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let distance = values.iter().enumerate().fold(0.0, |most: f64, (i, x)| {
        let (below, above) = (x - i as f64 / n, (i as f64 + 1.0) / n - x);
        most.max(below).max(above)
    });
    let x = distance * (n.sqrt() + 0.12 + 0.11 / n.sqrt());
    if x < 0.3 {
        return 1.0;
    }
    let term = |k: i32| 2.0 * f64::from(1 - 2 * ((k - 1) % 2)) * (-2.0 * f64::from(k * k) * x * x).exp();
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

/// Runs that a thread takes at once.
const BATCH: usize = 250;

/// Runs every row `runs` times on all processors. The results do not depend on the number of processors.
pub(crate) fn run(rows: &[Row], runs: usize) -> Vec<Line> {
    let rows: Vec<&Row> = rows.iter().filter(|row| runs > QUICK || !row.only_full).collect();
    let batches = runs.div_ceil(BATCH);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Vec<Tally>>>> = Mutex::new(vec![None; rows.len() * batches]);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(at / batches) else { break };
            let first = (at % batches) * BATCH;
            let mut tallies = vec![Tally::default(); row.checks.len()];
            let mut seen = vec![None; row.checks.len()];
            for i in first..runs.min(first + BATCH) {
                seen.fill(None);
                (row.run)(&mut Rng::seed_from_u64(row.seed().wrapping_add(i as u64)), &mut seen);
                for ((tally, seen), (_, accept)) in tallies.iter_mut().zip(&seen).zip(&row.checks) {
                    if let Some(seen) = seen {
                        tally.add(*seen, *accept);
                    }
                }
            }
            done.lock().expect("no thread panics with the lock")[at] = Some(tallies);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().expect("no thread panics with the lock").into_iter();
    let mut lines = Vec::new();
    for row in rows {
        let mut sums = vec![Tally::default(); row.checks.len()];
        for tallies in done.by_ref().take(batches).flatten() {
            for (sum, tally) in sums.iter_mut().zip(tallies) {
                sum.merge(tally);
            }
        }
        lines.extend(sums.into_iter().zip(&row.checks).map(|(sum, (what, accept))| sum.line(row, what, *accept)));
    }
    lines
}

/// All promises, by groups, in the order of docs/methods.md.
pub(crate) fn groups() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("one look", one_look::rows()),
        ("always valid", path::rows()),
        ("continuous peeking", continuous::rows()),
        ("unequal arms", unequal::rows()),
        ("health", health::rows()),
        ("families", family::rows()),
        ("epochs", epochs::rows()),
        ("planned looks", looks::rows()),
        ("beliefs", beliefs::rows()),
        ("planning", planning::rows()),
        ("merging", merging::rows()),
    ]
}

/// Promises that must fail, to test that the harness detects broken ones.
#[allow(dead_code, reason = "the test asks for them, the example does not")]
pub(crate) fn broken() -> Vec<Row> {
    vec![path::broken(), planning::broken(), merging::broken()]
}

/// An integer with thousands separators: 20,000.
pub(crate) fn count(n: u64) -> String {
    if n < 1_000 { n.to_string() } else { format!("{},{:03}", count(n / 1_000), n % 1_000) }
}

/// Formats the lines as a Markdown table.
pub(crate) fn table<'a>(lines: impl IntoIterator<Item = &'a Line>) -> String {
    let mut text =
        String::from("| test | measured | looks | runs | result | accepted | ok |\n|---|---|--:|--:|--:|--:|---|\n");
    for Line { test, what, looks, runs, measured, accepted, ok, .. } in lines {
        let ok = match (ok, accepted.as_str()) {
            (true, "—") => "",
            (true, _) => "yes",
            (false, _) => "**no**",
        };
        let (looks, runs) = (count(*looks as u64), count(*runs as u64));
        writeln!(text, "| {test} | {what} | {looks} | {runs} | {measured} | {accepted} | {ok} |")
            .expect("memory takes text");
    }
    text
}
