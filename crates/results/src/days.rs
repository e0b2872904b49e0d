//! Days that a result covers.

use crate::manifest::Manifest;
use jiff::civil::Date;

/// Days of a result, in the reader's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Days {
    /// First day that counts; `None` before the first start.
    pub first: Option<Date>,
    /// Last day that counts.
    pub last: Option<Date>,
    /// Number of days from the start to the end or to now; begun days count as whole ones.
    pub count: i64,
}

impl Manifest {
    /// Days that count. When the requested dates leave none, returns the dates as requested.
    pub fn days(&self) -> Days {
        let (from, until) = self.span();
        let (facts, inquiry) = (&self.experiment, &self.inquiry);
        let Some(start) = from.max(facts.started_at) else { return Days::default() };
        let end = facts.ended_at.unwrap_or(self.as_of).min(self.as_of);
        let end = until.map_or(end, |until| until.min(end));
        if end <= start {
            let day = inquiry.tz.day(start);
            let (first, last) = (inquiry.start_date, inquiry.end_date);
            return Days { first: first.or(last).or(Some(day)), last: last.or(first).or(Some(day)), count: 0 };
        }
        // The end of a day is the beginning of the next.
        let last = inquiry.tz.day(end.plus_us(-1));
        Days { first: Some(inquiry.tz.day(start)), last: Some(last), count: inquiry.tz.days_between(start, end) }
    }
}

#[cfg(test)]
mod tests {
    use crate::define::ReportInputs;
    use crate::inquiry::{Inquiry, Zone, parse_day};
    use muriel_domain::Instant;
    use muriel_domain::experiment::{Experiment, TestType};
    use muriel_domain::ids::{CompanyId, ProjectId};

    #[test]
    fn days_are_those_of_the_reader() {
        let at = |text: &str| Instant::parse(text).unwrap();
        for (zone, start, as_of, asked, expect) in [
            ("UTC", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", [None, None], ["2026-03-01", "2026-03-01", "0"]),
            ("UTC", "2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z", [None, None], ["2026-03-01", "2026-03-01", "1"]),
            ("UTC", "2026-03-01T10:00:00Z", "2026-03-03T10:00:00Z", [None, None], ["2026-03-01", "2026-03-03", "2"]),
            ("UTC", "2026-03-01T10:00:00Z", "2026-03-03T10:00:01Z", [None, None], ["2026-03-01", "2026-03-03", "3"]),
            // Summer time ends with a day of 25 hours, and begins with one of 23.
            (
                "Europe/Berlin",
                "2026-10-01T12:00:00Z",
                "2026-12-01T12:00:00Z",
                [Some("2026-10-25"), Some("2026-10-25")],
                ["2026-10-25", "2026-10-25", "1"],
            ),
            (
                "Europe/Berlin",
                "2026-03-01T12:00:00Z",
                "2026-12-01T12:00:00Z",
                [Some("2026-03-28"), Some("2026-03-30")],
                ["2026-03-28", "2026-03-30", "3"],
            ),
            // Dates beyond the experiment's are cut to its own.
            (
                "UTC",
                "2026-03-02T00:00:00Z",
                "2026-03-04T00:00:00Z",
                [Some("2026-01-01"), Some("2027-01-01")],
                ["2026-03-02", "2026-03-03", "2"],
            ),
            // Dates that do not overlap with it are returned as requested.
            (
                "UTC",
                "2026-03-02T00:00:00Z",
                "2026-03-04T00:00:00Z",
                [Some("2026-01-01"), Some("2026-02-01")],
                ["2026-01-01", "2026-02-01", "0"],
            ),
            (
                "UTC",
                "2026-03-02T00:00:00Z",
                "2026-03-04T00:00:00Z",
                [None, Some("2026-02-01")],
                ["2026-02-01", "2026-02-01", "0"],
            ),
            (
                "UTC",
                "2026-03-02T00:00:00Z",
                "2026-03-04T00:00:00Z",
                [Some("2026-05-01"), None],
                ["2026-05-01", "2026-05-01", "0"],
            ),
        ] {
            let [start_date, end_date] = asked.map(|day: Option<&str>| day.map(|day| parse_day(day).unwrap()));
            let inquiry = Inquiry { tz: Zone::parse(zone).unwrap(), start_date, end_date, ..Inquiry::default() };
            let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), at(start));
            let mut manifest = ReportInputs::of(draft, "1").manifest(&"shop".into(), &inquiry, at(as_of));
            assert_eq!(manifest.days().first, start_date, "nothing has started");
            manifest.experiment.started_at = Some(at(start));
            let days = manifest.days();
            let found = [days.first.unwrap().to_string(), days.last.unwrap().to_string(), days.count.to_string()];
            assert_eq!(found, expect, "{zone} {start} {as_of} {asked:?}");
        }
    }
}
