//! The programme: all concluded experiments together.

use super::audit::csv_file;
use super::overview::projects;
use crate::answer::json as answered;
use crate::auth::{CompanyCaller, Read};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::views;
use axum::extract::State;
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::ExperimentId;
use muriel_results::programme::ProgrammePage;
use muriel_service::{App, programme};
use muriel_store::programme::ProgrammeFilter;

/// Maximum number of experiments on a page. Their notes can be long.
const PAGE_MAX: i64 = 200;
/// Maximum number of lines of a CSV table.
const CSV_MAX: i64 = 1_000;
/// Maximum number of projects that a query names.
const PROJECTS_MAX: usize = 100;
const PARAMETERS: [&str; 7] = ["project", "outcome", "from", "to", "search", "limit", "cursor"];

/// Shows all concluded experiments together: win rate, pace, lessons, the expected lift of each result and of all
/// winners together, and how well hypotheses were rated.
///
/// Lifts are in percent, of each experiment's primary goal. Expected lifts are estimated from all concluded experiments
/// of the requested projects, independent of `from`, `to`, `outcome` and `search` (docs/methods.md describes the
/// method). Experiments that were concluded as invalid are listed and counted, but excluded from rates, sums and
/// estimates. `outcome` and `search` restrict `items` and `total` only.
#[utoipa::path(
    get, path = "/v2/programme", tag = "Dashboard", operation_id = "getProgramme",
    params(
        ("project" = inline(Option<String>), Query, description = "Keys of projects, separated by commas; all projects that the caller sees unless given."),
        ("outcome" = inline(Option<String>), Query, description = "Lists only experiments with these outcomes, separated by commas."),
        ("from" = inline(Option<String>), Query, description = "Only experiments that were concluded at this moment or later; a date is its midnight in UTC."),
        ("to" = inline(Option<String>), Query, description = "Only experiments that were concluded before this moment."),
        ("search" = inline(Option<String>), Query, max_length = 200, description = "Lists only experiments whose name, key, page, labels, note or lesson contain this text, in any letter case. An id also finds its experiment."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 200. Larger values count as 200."),
        ("cursor" = inline(Option<String>), Query, max_length = 64, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "The programme.", body = views::Programme)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn programme_show(
    State(app): State<App>,
    caller: CompanyCaller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    answered(StatusCode::OK, &programme_of(&app, &caller, uri.query(), 50, PAGE_MAX).await?)
}

/// Shows the `items` of the programme as a CSV table.
///
/// `X-Muriel-Cursor` has the cursor of the next page.
#[utoipa::path(
    get, path = "/v2/programme.csv", tag = "Dashboard", operation_id = "getProgrammeTable",
    params(
        ("project" = inline(Option<String>), Query, description = "Keys of projects, separated by commas; all projects that the caller sees unless given."),
        ("outcome" = inline(Option<String>), Query, description = "Lists only experiments with these outcomes, separated by commas."),
        ("from" = inline(Option<String>), Query, description = "Only experiments that were concluded at this moment or later; a date is its midnight in UTC."),
        ("to" = inline(Option<String>), Query, description = "Only experiments that were concluded before this moment."),
        ("search" = inline(Option<String>), Query, max_length = 200, description = "Lists only experiments whose name, key, page, labels, note or lesson contain this text, in any letter case. An id also finds its experiment."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Number of lines; 1,000 unless given, which is the maximum."),
        ("cursor" = inline(Option<String>), Query, max_length = 64, description = "The `X-Muriel-Cursor` of the previous page."),
    ),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn programme_table(
    State(app): State<App>,
    caller: CompanyCaller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let programme = programme_of(&app, &caller, uri.query(), CSV_MAX, CSV_MAX).await?;
    Ok(csv_file("programme.csv", views::programme_csv(&programme.items), programme.next_cursor))
}

/// Computes the programme for a query. `limit` is the default number of experiments, `most` the maximum.
async fn programme_of(
    app: &App,
    caller: &CompanyCaller<Read>,
    query: Option<&str>,
    limit: i64,
    most: i64,
) -> Result<views::Programme, ApiError> {
    let mut query = Query::read(query, &PARAMETERS);
    let words = ConclusionOutcome::WORDS.map(|(word, _)| word);
    let named = query.names("project", PROJECTS_MAX);
    let asked = query.words("outcome", &words);
    let of_word = |asked: &String| ConclusionOutcome::WORDS.iter().find(|(word, _)| word == asked).map(|(_, it)| *it);
    let filter = ProgrammeFilter {
        projects: None,
        search: query.text("search", 200).unwrap_or_default(),
        outcomes: asked.iter().filter_map(of_word).collect(),
        from: query.parsed("from", Instant::parse),
        to: query.parsed("to", Instant::parse),
    };
    let limit = query.limit(limit, most);
    let after = query.cursor(read_mark);
    query.finish()?;
    let filter = ProgrammeFilter { projects: projects(app, caller, named).await?, ..filter };
    let page = ProgrammePage {
        from: filter.from,
        to: filter.to,
        after,
        limit: usize::try_from(limit).unwrap_or(0),
        now: app.clock.now(),
    };
    let answer = programme::answer(app, caller.principal.company_id(), filter, page).await?;
    let last = answer.report.entries.last().filter(|_| answer.report.has_more);
    let next_cursor = last.map(|entry| format!("{}.{}", entry.row.id, entry.row.concluded_at.us()));
    Ok(views::Programme::new(answer, next_cursor))
}

/// Parses a cursor: an id, a dot, and the time when that experiment was concluded, in microseconds.
fn read_mark(text: &str) -> Option<(Instant, i64)> {
    let (id, at) = text.split_once('.')?;
    Some((Instant::from_us(at.parse().ok()?), ExperimentId::parse(id)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors() {
        assert_eq!(read_mark("7.1772359200000000"), Some((Instant::from_us(1_772_359_200_000_000), 7)));
        for wrong in ["", "7", "7.", ".5", "0.5", "x.5", "7.x", "7.5.5", "7.99999999999999999999"] {
            assert_eq!(read_mark(wrong), None, "{wrong}");
        }
    }
}
