//! `muriel status`: background tasks of a running server.

use crate::config::{Common, ServeFlags, Settings};
use crate::say::say;
use crate::server_address::{ServerAddress, reachable};
use crate::{Error, Result};
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Timeout of the request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of the response, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// `muriel status`
#[derive(Debug, Args)]
pub struct Status {
    /// Data directory, database and settings file.
    #[command(flatten)]
    common: Common,
    /// Address of the server's metrics [default: that of the data directory's server, else 127.0.0.1:4171].
    #[arg(long, env = "MURIEL_METRICS_LISTEN", value_name = "ADDR")]
    metrics_listen: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct StatusResponse {
    tasks: Vec<TaskRow>,
    /// Missing while the database cannot be reached.
    jobs: Option<Vec<JobRow>>,
    /// Missing while the database cannot be reached, and in responses of older servers.
    interactions: Option<PairCounts>,
}

/// Pairs of experiments in the last nightly interaction checks.
#[derive(Deserialize)]
struct PairCounts {
    pairs: i64,
    left_out: i64,
    most_per_project: i64,
}

#[derive(Deserialize)]
struct JobRow {
    test_id: i64,
    act: String,
    rule: String,
    due_at: String,
    retry_at: Option<String>,
    attempts: u64,
    reason: Option<String>,
}

#[derive(Deserialize)]
struct TaskRow {
    name: String,
    period_ms: u64,
    outcome: String,
    reason: Option<String>,
    is_running: bool,
    consecutive_failures: u64,
    last_started_at: Option<String>,
    last_duration_ms: Option<f64>,
    next_due_at: Option<String>,
}

/// Queries the server on this machine, and prints its tasks and the next jobs.
///
/// # Errors
/// A server that does not respond, or has no address for metrics.
pub fn run(args: Status) -> Result<()> {
    let is_given = args.metrics_listen.is_some() || crate::config::metrics_listen(&args.common)?.is_some();
    let flags = ServeFlags { metrics_listen: args.metrics_listen, ..ServeFlags::default() };
    let settings = Settings::load(args.common, flags)?;
    let running = ServerAddress::read(&settings.storage.data_dir).filter(|_| !is_given);
    let address = running.map_or(settings.metrics_listen, |running| running.metrics_listen);
    let Some(address) = address else {
        return Err(Error::Refused(
            "metrics-listen is off, but muriel status needs that address: start the server with one, such as \
             --metrics-listen 127.0.0.1:4171"
                .to_owned(),
        ));
    };
    let url = format!("http://{}/status", reachable(address));
    let text = fetch(&url).map_err(|error| {
        Error::Refused(format!(
            "no muriel server answers at {url} ({error}); is it running, and with this --metrics-listen?"
        ))
    })?;
    let answer: Value = serde_json::from_str(&text).map_err(|error| Error::Other(error.into()))?;
    if args.json {
        return say!("{answer}");
    }
    let answer: StatusResponse = serde_json::from_value(answer).map_err(|error| Error::Other(error.into()))?;
    print(&answer.tasks)?;
    match answer.jobs {
        None => say!("\nThe jobs are unknown while the database cannot be reached."),
        Some(jobs) if jobs.is_empty() => say!("\nNo experiment has a scheduled act."),
        Some(jobs) => print_jobs(&jobs),
    }?;
    match answer.interactions {
        Some(PairCounts { pairs, left_out, most_per_project }) if left_out > 0 => say!(
            "\nThe last nightly checks for interactions included {pairs} pairs of experiments and left out {left_out}: \
             at most {most_per_project} pairs per project are checked."
        ),
        _ => Ok(()),
    }
}

fn fetch(url: &str) -> Result<String, ureq::Error> {
    let agent = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).proxy(None).build().new_agent();
    agent.get(url).call()?.body_mut().with_config().limit(MAX_BYTES).read_to_string()
}

fn print(tasks: &[TaskRow]) -> Result<()> {
    let wide = tasks.iter().map(|task| task.name.len()).fold(4, usize::max);
    say!("{:<wide$}  {:>8}  {:<8}  {:<24}  {:>9}  NEXT RUN", "TASK", "PERIOD", "OUTCOME", "LAST RUN", "TOOK")?;
    for task in tasks {
        let last = task.last_started_at.as_deref().unwrap_or("never");
        let took = task.last_duration_ms.map_or_else(String::new, |ms| format!("{ms:.1} ms"));
        let next = match (&task.next_due_at, task.is_running) {
            (_, true) => "runs now",
            (Some(at), false) => at,
            (None, false) => "never again",
        };
        let period = period(task.period_ms);
        say!("{:<wide$}  {period:>8}  {:<8}  {last:<24}  {took:>9}  {next}", task.name, task.outcome)?;
        if let Some(reason) = &task.reason {
            let reason = shown(reason);
            let times = match task.consecutive_failures {
                0 | 1 => String::new(),
                times => format!(" ({times} times in a row)"),
            };
            say!("{:<wide$}  {reason}{times}", "")?;
        }
    }
    Ok(())
}

fn print_jobs(jobs: &[JobRow]) -> Result<()> {
    say!("\n{:<10}  {:<6}  {:<12}  {:<24}  NEXT ATTEMPT", "EXPERIMENT", "ACT", "RULE", "DUE")?;
    for job in jobs {
        let retry = job.retry_at.as_deref().unwrap_or("when due");
        say!("{:<10}  {:<6}  {:<12}  {:<24}  {retry}", job.test_id, job.act, job.rule, job.due_at)?;
        if let Some(reason) = &job.reason {
            say!("{:<10}  {} ({} attempts)", "", shown(reason), job.attempts)?;
        }
    }
    Ok(())
}

/// Formats an error on one line of bounded length; it may quote external text.
fn shown(reason: &str) -> String {
    muriel_domain::text::one_line(&reason.replace(['\n', '\r', '\t'], " ")).chars().take(400).collect()
}

/// Formats a period: `500 ms`, `5 s`, `60 min`.
fn period(ms: u64) -> String {
    match ms {
        ms if ms >= 60_000 && ms % 60_000 == 0 => format!("{} min", ms / 60_000),
        ms if ms >= 1_000 && ms % 1_000 == 0 => format!("{} s", ms / 1_000),
        ms => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_in_words() {
        for (ms, expect) in
            [(500, "500 ms"), (1_500, "1500 ms"), (5_000, "5 s"), (60_000, "1 min"), (3_600_000, "60 min")]
        {
            assert_eq!(period(ms), expect);
        }
    }
}
