//! Receives browsers' reports of violations of the dashboard's content security policy.
//!
//! A report is a sign of a defect or an attack, so it is logged. Anybody can send one, so its size, the logged fields
//! and the log lines per minute are limited. The metrics count the reports as requests of this route.

use axum::body::Body;
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use serde::Deserialize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::warn;

/// Maximum size of a report, in bytes.
const MAX_BYTES: usize = 16 << 10;
/// Maximum length of a logged field, in characters.
const MAX_CHARACTERS: usize = 200;
/// Maximum number of log lines per `WINDOW`.
const MAX_LINES: u32 = 20;
const WINDOW: Duration = Duration::from_secs(60);

/// Body format of `report-uri`.
#[derive(Deserialize)]
struct Sent {
    #[serde(rename = "csp-report")]
    report: Report,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Report {
    effective_directive: String,
    violated_directive: String,
    blocked_uri: String,
    document_uri: String,
    source_file: String,
    line_number: i64,
}

impl Report {
    fn parse(body: &[u8]) -> Option<Report> {
        let Report { effective_directive, violated_directive, blocked_uri, document_uri, source_file, line_number } =
            serde_json::from_slice::<Sent>(body).ok()?.report;
        Some(Report {
            effective_directive: cut(&effective_directive),
            violated_directive: cut(&violated_directive),
            blocked_uri: cut(without_query(&blocked_uri)),
            document_uri: cut(without_query(&document_uri)),
            source_file: cut(without_query(&source_file)),
            line_number,
        })
    }
}

/// Removes query and fragment: queries can contain what people searched for.
fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).collect()
}

/// Counts log lines in the current window.
struct Budget {
    since: Option<Instant>,
    lines: u32,
}

impl Budget {
    fn take(&mut self, now: Instant) -> bool {
        if self.since.is_none_or(|since| now.duration_since(since) >= WINDOW) {
            *self = Budget { since: Some(now), lines: 0 };
        }
        self.lines += u32::from(self.lines < MAX_LINES + 1);
        self.lines <= MAX_LINES
    }
}

static BUDGET: Mutex<Budget> = Mutex::new(Budget { since: None, lines: 0 });

/// Receives a report. The response does not depend on its content, because browsers ignore it.
pub(super) async fn report_take(body: Body) -> StatusCode {
    let Ok(body) = Limited::new(body, MAX_BYTES).collect().await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let Some(report) = Report::parse(&body.to_bytes()) else { return StatusCode::NO_CONTENT };
    if BUDGET.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now()) {
        let directive = Some(&report.effective_directive).filter(|it| !it.is_empty());
        warn!(
            directive = directive.unwrap_or(&report.violated_directive),
            blocked = report.blocked_uri,
            page = report.document_uri,
            source = report.source_file,
            line = report.line_number,
            "a dashboard page violated its Content-Security-Policy",
        );
    }
    StatusCode::NO_CONTENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_and_cut() {
        let body =
            br#"{"csp-report":{"effective-directive":"script-src-elem","blocked-uri":"https://x.example/a?q=1#f",
            "document-uri":"http://localhost/experiments?search=secret","line-number":7,"other":[1]}}"#;
        let report = Report::parse(body).unwrap();
        let expected = Report {
            effective_directive: "script-src-elem".into(),
            blocked_uri: "https://x.example/a".into(),
            document_uri: "http://localhost/experiments".into(),
            line_number: 7,
            ..Report::default()
        };
        assert_eq!(report, expected);
        let long = format!(r#"{{"csp-report":{{"blocked-uri":"{}"}}}}"#, "ä".repeat(5_000));
        assert_eq!(Report::parse(long.as_bytes()).unwrap().blocked_uri.chars().count(), MAX_CHARACTERS);
        for odd in ["", "[]", "{}", r#"{"csp-report":{"blocked-uri":7}}"#, "\u{0}"] {
            assert_eq!(Report::parse(odd.as_bytes()), None, "{odd}");
        }
    }

    #[test]
    fn a_minute_has_so_many_lines() {
        let (mut budget, start) = (Budget { since: None, lines: 0 }, Instant::now());
        let taken = |budget: &mut Budget, now| (0..1_000).filter(|_| budget.take(now)).count();
        assert_eq!(taken(&mut budget, start), MAX_LINES as usize);
        assert_eq!(taken(&mut budget, start + WINDOW / 2), 0);
        assert_eq!(taken(&mut budget, start + WINDOW), MAX_LINES as usize);
    }
}
