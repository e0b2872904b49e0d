//! `muriel doctor`: inspects a page and prints a report.

use crate::say::{self, say};
use crate::{Error, Result};
use clap::Args;
use muriel_doctor::{FoundScript, Inspection, Report, Status, header_field, inspect, page_address};
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// `muriel doctor`
#[derive(Debug, Args)]
pub struct Doctor {
    /// URL of the page; https if it has no scheme.
    #[arg(value_name = "URL")]
    url: String,
    /// The project whose script the page should load (its key).
    #[arg(long, value_name = "PROJECT_KEY")]
    project: Option<String>,
    /// A header field to send to the page's host, such as "Authorization: Basic …"; may be given several times.
    #[arg(long, value_name = "NAME: VALUE", value_parser = header_field)]
    header: Vec<(String, String)>,
    /// Timeout of each response, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Inspects the page and prints the report.
///
/// # Errors
/// A URL that is not the address of a page, and problems of the page.
pub fn run(args: Doctor) -> Result<()> {
    let url = page_address(&args.url).map_err(|error| Error::Refused(error.to_string()))?;
    let report = inspect(Inspection {
        url,
        project_key: args.project,
        headers: args.header,
        timeout: Duration::from_secs(args.timeout),
    });
    if args.json {
        say!("{}", as_json(&report))?;
    } else {
        say!("{}\n", report.page.as_ref().unwrap_or(&report.url))?;
        say::text(format_args!("{}\n", report.text(say::has_colour())))?;
    }
    let (url, summary) = (&report.url, report.summary());
    match report.verdict() {
        Status::Problem => Err(Error::Refused(format!("{url} has {summary}"))),
        Status::Warning if !args.json => say!("{url} takes part in experiments, with {summary}."),
        Status::Ok if !args.json => say!("{url} takes part in experiments, without problems."),
        _ => Ok(()),
    }
}

fn as_json(report: &Report) -> Value {
    let script = report.script.as_ref().map(|FoundScript { url, contents }| {
        json!({
            "url": url.as_ref().map(Url::as_str),
            "project_key": contents.project_key,
            "experiments": contents.live,
            "served": contents.served,
            "goals": contents.goals,
        })
    });
    json!({
        "url": report.url.as_str(),
        "page": report.page.as_ref().map(Url::as_str),
        "verdict": report.verdict(),
        "problems": report.count(Status::Problem),
        "warnings": report.count(Status::Warning),
        "script": script,
        "findings": report.findings,
    })
}
