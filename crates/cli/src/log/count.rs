//! Counts events, from the headers of the blocks.

use super::{Damages, EventFilter, reader};
use crate::Result;
use crate::config::Common;
use crate::say::{self, say};
use clap::{Args, ValueEnum};
use muriel_log::{LogReader, Position};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// `muriel log count`
#[derive(Debug, Args)]
pub struct Count {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    wanted: EventFilter,
    /// Count each day separately: the UTC day on which an event was received.
    #[arg(long, value_name = "WHAT")]
    by: Option<By>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Day,
}

/// Numbers of events by day and project. The day is empty when days are not
/// counted separately.
pub(super) type Counts = BTreeMap<(String, String), u64>;

impl Count {
    pub(super) fn run(self) -> Result<()> {
        let mut damages = Damages::default();
        let counts = counts(&reader(&self.common)?, &self.wanted, self.by.is_some(), &mut damages)?;
        if self.json {
            say!("{}", as_json(&counts))?;
        } else {
            say::text(format_args!("{}", as_text(&counts, self.by.is_some())))?;
        }
        damages.into_result()
    }
}

/// Counts the selected events. Events that were stored twice count twice.
pub(super) fn counts(reader: &LogReader, wanted: &EventFilter, by_day: bool, damages: &mut Damages) -> Result<Counts> {
    let mut counts = Counts::new();
    for summary in reader.summaries(Position::default()).map_err(crate::Error::Log)? {
        match summary {
            Err(trouble) => damages.note(trouble)?,
            Ok(summary) if !wanted.is_at(summary.received_at) => {}
            Ok(summary) => {
                let day = if by_day { summary.received_at.to_string()[..10].to_owned() } else { String::new() };
                for run in summary.runs.iter().filter(|run| wanted.is_of(&run.project_key)) {
                    *counts.entry((day.clone(), run.project_key.to_string())).or_default() += u64::from(run.events);
                }
            }
        }
    }
    Ok(counts)
}

fn as_json(counts: &Counts) -> Value {
    let rows: Vec<Value> = counts
        .iter()
        .map(|((day, project), events)| match day.as_str() {
            "" => json!({ "project_key": project, "events": events }),
            day => json!({ "day": day, "project_key": project, "events": events }),
        })
        .collect();
    json!({ "counts": rows, "events": counts.values().sum::<u64>() })
}

fn as_text(counts: &Counts, by_day: bool) -> String {
    let wide = counts.keys().map(|(_, project)| project.chars().count()).fold(7, usize::max);
    let row = |day: &str, project: &str, events: &str| match by_day {
        true => format!("{day:<10}  {project:<wide$}  {events:>12}\n"),
        false => format!("{project:<wide$}  {events:>12}\n"),
    };
    let mut text = row("DAY", "PROJECT", "EVENTS");
    for ((day, project), events) in counts {
        text.push_str(&row(day, project, &events.to_string()));
    }
    text.push_str(&row("total", if by_day { "" } else { "total" }, &counts.values().sum::<u64>().to_string()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up() {
        let counts = Counts::from([
            (("2026-03-01".to_owned(), "prj_shop".to_owned()), 1_234),
            (("2026-03-02".to_owned(), "prj_a".to_owned()), 5),
        ]);
        let text = as_text(&counts, true);
        assert_eq!(
            text,
            "DAY         PROJECT         EVENTS\n\
             2026-03-01  prj_shop          1234\n\
             2026-03-02  prj_a                5\n\
             total                         1239\n"
        );
        assert_eq!(as_json(&counts)["events"], 1_239);
    }
}
