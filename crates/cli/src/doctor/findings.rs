//! What was found, and how it is told.

use serde::Serialize;
use std::fmt::Write;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// As it should be.
    Ok,
    /// Experiments take place, but something could be better.
    Warning,
    /// Experiments do not take place, or not as they should.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// What it is about, in one word.
    pub(super) check: &'static str,
    pub(super) status: Status,
    /// What is so, in a sentence.
    pub(super) finding: String,
    /// What to do about it; nothing where all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

/// Letters of a line at most: addresses and attributes may have any number.
const LINE_MAX: usize = 600;

/// The text without what a page may have put there to change the terminal, and not endless.
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

/// What was found, in the order in which it was looked at.
#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

impl Findings {
    /// That something is as it should be.
    pub(super) fn ok(&mut self, check: &'static str, finding: impl Into<String>) {
        self.add(check, Status::Ok, &finding.into(), None);
    }

    /// That something could be better.
    pub(super) fn warning(&mut self, check: &'static str, finding: impl Into<String>, advice: impl Into<String>) {
        self.add(check, Status::Warning, &finding.into(), Some(&advice.into()));
    }

    /// That something keeps experiments from taking place.
    pub(super) fn problem(&mut self, check: &'static str, finding: impl Into<String>, advice: impl Into<String>) {
        self.add(check, Status::Problem, &finding.into(), Some(&advice.into()));
    }

    fn add(&mut self, check: &'static str, status: Status, finding: &str, advice: Option<&str>) {
        let finding = tame(&finding.replace('\n', " "));
        self.0.push(Finding { check, status, finding, advice: advice.map(tame) });
    }

    /// The worst of all.
    pub(super) fn verdict(&self) -> Status {
        self.0.iter().map(|finding| finding.status).max().unwrap_or(Status::Ok)
    }

    pub(super) fn count(&self, status: Status) -> usize {
        self.0.iter().filter(|finding| finding.status == status).count()
    }

    /// The last line: `2 problems and 1 warning`.
    pub(super) fn summary(&self) -> String {
        let many = |count: usize, one: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {one}s")),
        };
        let (problems, warnings) = (self.count(Status::Problem), self.count(Status::Warning));
        let parts = [many(problems, "problem"), many(warnings, "warning")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    /// Each on a line, with advice below.
    pub(super) fn text(&self, colour: bool) -> String {
        let wide = self.0.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
        let mut text = String::new();
        for Finding { check, status, finding, advice } in &self.0 {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_do_not_write_to_the_terminal() {
        let mut findings = Findings::default();
        findings.warning("page", format!("a\u{1b}[31m\r\nb{}", "x".repeat(700)), "c\u{7}\nd");
        let text = findings.text(false);
        assert!(text.starts_with("warning  page  a\u{FFFD}[31m\u{FFFD} bx"), "{text}");
        assert!(text.ends_with("x…\n               c\u{FFFD}\n               d\n"), "{text}");
        assert_eq!(findings.0[0].finding.chars().count(), LINE_MAX + 1);
    }

    #[test]
    fn advice_stands_below_what_was_found() {
        let mut findings = Findings::default();
        findings.ok("page", "200");
        assert_eq!((findings.verdict(), findings.summary().as_str()), (Status::Ok, ""));
        findings.warning("position", "waits", "Move it up.\n<script>");
        findings.warning("origin", "third", "Nearer.");
        findings.problem("policy", "forbids", "Allow it.");
        assert_eq!(
            findings.text(false),
            "ok       page      200\n\
             warning  position  waits\n                   Move it up.\n                   <script>\n\
             warning  origin    third\n                   Nearer.\n\
             problem  policy    forbids\n                   Allow it.\n"
        );
        assert!(findings.text(true).starts_with("\x1b[32mok     \x1b[0m  page"));
        assert_eq!((findings.verdict(), findings.summary().as_str()), (Status::Problem, "1 problem and 2 warnings"));
    }
}
