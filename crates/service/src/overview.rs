//! The overview of experiments.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use muriel_context::actors::Names;
use muriel_context::error::Result;
use muriel_domain::Instant;
use muriel_domain::experiment::{ConclusionOutcome, Status};
use muriel_domain::ids::CompanyId;
use muriel_domain::time::DAY_US;
use muriel_results::advice::{self, Outlook, Standing};
use muriel_store::overview::{self, OverviewFilter, OverviewPage, OverviewRow};

/// An experiment in the overview.
#[derive(Debug, Clone)]
pub struct OverviewEntry {
    /// The stored row.
    pub row: OverviewRow,
    /// The last summary of the result.
    pub outlook: Option<Outlook>,
    /// Recommendation in one sentence.
    pub sentence: String,
    /// Days since the first start, until the end.
    pub days: Option<i64>,
    /// Days until the planned visitors have entered, or the end date comes.
    pub days_left: Option<i64>,
}

/// A page of the overview.
#[derive(Debug)]
pub struct Overview {
    /// Number of experiments on all pages.
    pub total: i64,
    /// Experiments of this page.
    pub entries: Vec<OverviewEntry>,
    /// True when a further page exists.
    pub has_more: bool,
    /// Display names of owners and of those who changed the experiments.
    pub names: Names,
}

/// Returns a page of the company's experiments that match.
pub async fn page(app: &App, company: CompanyId, filter: OverviewFilter, page: OverviewPage) -> Result<Overview> {
    let now = page.now;
    let limit = usize::try_from(page.limit).unwrap_or(0);
    let one_more = OverviewPage { limit: page.limit + 1, ..page };
    app.read(move |tx| {
        Box::pin(async move {
            let (total, mut rows) = overview::page(tx, company, &filter, &one_more).await?;
            let has_more = rows.len() > limit;
            rows.truncate(limit);
            let actors = rows.iter().flat_map(|row| [row.owner.as_str(), row.changed_by.as_str()]);
            let names = Names::of(tx, actors).await?;
            let entries = rows.into_iter().map(|row| entry(row, now)).collect();
            Ok(Overview { total, entries, has_more, names })
        })
    })
    .await
}

fn entry(row: OverviewRow, now: Instant) -> OverviewEntry {
    let is_live = row.listed.status == Status::Live;
    let days = row.started_at.map(|start| (row.ended_at.unwrap_or(now).us() - start.us()).max(0) / DAY_US);
    let until = row.ready_at.into_iter().chain(row.end_date).min().filter(|_| is_live);
    let days_left = until.map(|at| days_of((at.us() - now.us()).max(0)));
    let outlook: Option<Outlook> =
        row.check.as_ref().and_then(|check| serde_json::from_value(check.summary.clone()).ok());
    let as_of = row.check.as_ref().map(|check| check.as_of);
    let standing = Standing {
        status: row.listed.status,
        outcome: ConclusionOutcome::WORDS.iter().find(|(word, _)| *word == row.outcome).map(|(_, outcome)| *outcome),
        serving: row.listed.serving,
        has_started: row.started_at.is_some(),
        days,
        days_left,
        result: outlook.as_ref().zip(as_of),
        changed_since: row.check.as_ref().is_some_and(|check| check.revision != row.revision),
        now,
    };
    let sentence = advice::sentence(&standing);
    OverviewEntry { outlook, sentence, days, days_left, row }
}

/// Converts microseconds to days, rounded up.
fn days_of(us: i64) -> i64 {
    us.div_euclid(DAY_US) + i64::from(us.rem_euclid(DAY_US) > 0)
}
