//! Report of an inspection.

use crate::delivered::DeliveredScript;
use crate::findings::{self, Finding, Status};
use url::Url;

/// The result of an inspection.
#[derive(Debug)]
pub struct Report {
    /// Requested address.
    pub url: Url,
    /// Address that answered, after redirects; `None` when nothing answered.
    pub page: Option<Url>,
    /// The project's script, if the page has one that could be read.
    pub script: Option<FoundScript>,
    /// Findings in the order of the checks.
    pub findings: Vec<Finding>,
}

/// A script that a page loads.
#[derive(Debug)]
pub struct FoundScript {
    /// Address that it is loaded from; `None` when all of it is inline.
    pub url: Option<Url>,
    /// Contents of the script.
    pub contents: DeliveredScript,
}

impl Report {
    /// The worst status of all findings.
    pub fn verdict(&self) -> Status {
        self.findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Ok)
    }

    /// Number of findings with this status.
    pub fn count(&self, status: Status) -> usize {
        self.findings.iter().filter(|finding| finding.status == status).count()
    }

    /// Problems and warnings in words: `2 problems and 1 warning`. Empty without any.
    pub fn summary(&self) -> String {
        let many = |count: usize, one: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {one}s")),
        };
        let (problems, warnings) = (self.count(Status::Problem), self.count(Status::Warning));
        let parts = [many(problems, "problem"), many(warnings, "warning")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    /// Each finding on a line, with advice below; `colour` adds terminal colours to the status.
    pub fn text(&self, colour: bool) -> String {
        findings::text(&self.findings, colour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Findings;

    fn report(findings: Findings) -> Report {
        let url = Url::parse("https://shop.example/").unwrap();
        Report { url, page: None, script: None, findings: findings.0 }
    }

    #[test]
    fn advice_stands_below_what_was_found() {
        let mut findings = Findings::default();
        findings.ok("page", "200");
        let well = report(findings);
        assert_eq!((well.verdict(), well.summary().as_str()), (Status::Ok, ""));
        let mut findings = Findings(well.findings);
        findings.warning("position", "waits", "Move it up.\n<script>");
        findings.warning("origin", "third", "Nearer.");
        findings.problem("policy", "forbids", "Allow it.");
        let report = report(findings);
        assert_eq!(
            report.text(false),
            "ok       page      200\n\
             warning  position  waits\n                   Move it up.\n                   <script>\n\
             warning  origin    third\n                   Nearer.\n\
             problem  policy    forbids\n                   Allow it.\n"
        );
        assert!(report.text(true).starts_with("\x1b[32mok     \x1b[0m  page"));
        assert_eq!((report.verdict(), report.summary().as_str()), (Status::Problem, "1 problem and 2 warnings"));
    }
}
