//! Collects findings, and writes them as text.

use serde::Serialize;
use std::fmt::Write;

/// Severity of a finding; the worst is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should be.
    Ok,
    /// Experiments work, but something could be better.
    Warning,
    /// Experiments do not work, or not as they should.
    Problem,
}

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check: `page`, `script`, `position`, `origin`, `delivery`, `project`, `policy`, `events`.
    pub check: &'static str,
    /// Severity.
    pub status: Status,
    /// Finding in one line. It may quote the page, but has no control characters.
    pub finding: String,
    /// Advice on what to do, in one or more lines; `None` when all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// Maximum number of characters in a line: addresses and attributes of a page may be of any length.
const LINE_MAX: usize = 600;

/// Removes control characters, which a page may use to change the terminal, and shortens long lines.
fn tame(text: &str) -> String {
    let plain = |line: &str| {
        let mut letters = line.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
        let mut line: String = letters.by_ref().take(LINE_MAX).collect();
        if letters.next().is_some() {
            line.push('…');
        }
        line
    };
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Findings in the order of the checks.
#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

impl Findings {
    /// Adds that something is as it should be.
    pub(super) fn ok(&mut self, check: &'static str, finding: impl Into<String>) {
        self.add(check, Status::Ok, &finding.into(), None);
    }

    /// Adds that something could be better.
    pub(super) fn warning(&mut self, check: &'static str, finding: impl Into<String>, advice: impl Into<String>) {
        self.add(check, Status::Warning, &finding.into(), Some(&advice.into()));
    }

    /// Adds that something keeps experiments from working.
    pub(super) fn problem(&mut self, check: &'static str, finding: impl Into<String>, advice: impl Into<String>) {
        self.add(check, Status::Problem, &finding.into(), Some(&advice.into()));
    }

    fn add(&mut self, check: &'static str, status: Status, finding: &str, advice: Option<&str>) {
        let finding = tame(&finding.replace('\n', " "));
        self.0.push(Finding { check, status, finding, advice: advice.map(tame) });
    }
}

/// Each finding on a line, with advice below; `colour` adds terminal colours to the status.
pub(crate) fn text(findings: &[Finding], colour: bool) -> String {
    let wide = findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Finding { check, status, finding, advice } in findings {
        let (word, code) = match status {
            Status::Ok => ("ok", "32"),
            Status::Warning => ("warning", "33"),
            Status::Problem => ("problem", "31"),
        };
        let word = format!("{word:<7}");
        let word = if colour { format!("\x1b[{code}m{word}\x1b[0m") } else { word };
        // Writing to text cannot fail.
        let _ = writeln!(text, "{word}  {check:<wide$}  {finding}");
        for line in advice.iter().flat_map(|advice| advice.lines()) {
            let _ = writeln!(text, "{:9}{:<wide$}  {line}", "", "");
        }
    }
    text
}

#[cfg(test)]
impl Findings {
    /// Like [`crate::Report::text`], without colours.
    pub(super) fn text(&self) -> String {
        text(&self.0, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_do_not_write_to_the_terminal() {
        let mut findings = Findings::default();
        findings.warning("page", format!("a\u{1b}[31m\r\nb{}", "x".repeat(700)), "c\u{7}\nd");
        let text = findings.text();
        assert!(text.starts_with("warning  page  a\u{FFFD}[31m\u{FFFD} bx"), "{text}");
        assert!(text.ends_with("x…\n               c\u{FFFD}\n               d\n"), "{text}");
        assert_eq!(findings.0[0].finding.chars().count(), LINE_MAX + 1);
    }
}
