//! Overview of all experiments.

use crate::answer::json as answered;
use crate::auth::{CompanyCaller, Read};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::views;
use axum::extract::State;
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::access_cache::OutagePolicy;
use muriel_context::actors;
use muriel_domain::Flaw;
use muriel_domain::access::Scope;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_service::{App, overview};
use muriel_store::overview::{ArchiveFilter, MarkValue, OverviewFilter, OverviewMark, OverviewPage, OverviewSort};

/// Maximum number of projects that a query names.
const PROJECTS_MAX: usize = 100;
const VERDICTS: [&str; 6] = ["win", "loss", "no_difference", "keep_running", "do_not_trust", "unknown"];
const PARAMETERS: [&str; 15] = [
    "search", "status", "tag", "project", "owner", "outcome", "verdict", "health", "archived", "served", "complete",
    "waiting", "sort", "limit", "cursor",
];

/// Lists the experiments that the caller sees, of all projects, each with its recommended next step.
///
/// Pages are stable while others change experiments: an unchanged experiment is neither skipped nor repeated when you
/// continue with `next_cursor`.
#[utoipa::path(
    get, path = "/v2/overview", tag = "Dashboard", operation_id = "getOverview",
    params(
        ("search" = inline(Option<String>), Query, max_length = 200, description = "Only experiments whose name, key, page or labels contain this text, in any letter case. An id also finds its experiment."),
        ("status" = inline(Option<String>), Query, description = "Statuses, separated by commas: `draft`, `live`, `inactive`."),
        ("tag" = inline(Option<String>), Query, max_length = 64, description = "Only experiments with this label."),
        ("project" = inline(Option<String>), Query, description = "Keys of projects, separated by commas."),
        ("owner" = inline(Option<String>), Query, max_length = 64, description = "Only experiments that this actor created: the `id` of an owner, or `me`."),
        ("outcome" = inline(Option<String>), Query, description = "Outcomes, separated by commas; `none` for experiments that are not concluded."),
        ("verdict" = inline(Option<String>), Query, description = "Verdicts, separated by commas: `win`, `loss`, `no_difference`, `keep_running`, `do_not_trust`, `unknown`."),
        ("health" = inline(Option<String>), Query, description = "Health statuses, separated by commas: `ok`, `warn`, `fail`, `unknown`."),
        ("archived" = inline(Option<String>), Query, description = "`exclude` (default) leaves out archived experiments, `include` lists them too, and `only` lists nothing else."),
        ("served" = inline(Option<bool>), Query, description = "Only experiments whose winner is served (`true`), or only all others (`false`)."),
        ("complete" = inline(Option<bool>), Query, description = "Only experiments that are not concluded and either have ended or have all their planned visitors (`true`), or only all others (`false`)."),
        ("waiting" = inline(Option<bool>), Query, description = "Only experiments with a change that waits for a second person (`true`), or only all others (`false`)."),
        ("sort" = inline(Option<String>), Query, description = "One of `need`, `last_change`, `created_at`, `test_name`, `status`, `verdict`, `health`, `visitors`, `days` and `days_left`, with `-` before it for descending order; `-last_change` unless given. Unknown values come last. `need` sorts by what the experiment needs: broken, to serve, to stop, waiting for approval, complete; within each, the last change first."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500. Larger values count as 500."),
        ("cursor" = inline(Option<String>), Query, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "The experiments that match.", body = views::Overview)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn overview_show(
    State(app): State<App>,
    caller: CompanyCaller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &PARAMETERS);
    let outcomes: Vec<&str> = ConclusionOutcome::WORDS.iter().map(|(word, _)| *word).chain(["none"]).collect();
    let named = query.names("project", PROJECTS_MAX);
    let (sort, descending) = query.parsed("sort", sort).unwrap_or((OverviewSort::LastChange, true));
    let owner = query.text("owner", 64).unwrap_or_default();
    let filter = OverviewFilter {
        search: query.text("search", 200).unwrap_or_default(),
        statuses: query.words("status", &["draft", "live", "inactive"]),
        tag: query.text("tag", 64).unwrap_or_default().trim().to_owned(),
        projects: None,
        owner: if owner == "me" { caller.actor.reference() } else { actors::reference_of(&owner) },
        outcomes: query.words("outcome", &outcomes),
        verdicts: query.words("verdict", &VERDICTS),
        healths: query.words("health", &["ok", "warn", "fail", "unknown"]),
        archived: query.parsed("archived", archived).unwrap_or_default(),
        served: query.parsed("served", flag),
        complete: query.parsed("complete", flag),
        waiting: query.parsed("waiting", flag),
    };
    let limit = query.limit(50, 500);
    let after = query.cursor(|text| read_mark(text, sort));
    query.finish()?;
    let filter = OverviewFilter { projects: projects(&app, &caller, named).await?, ..filter };
    let page = OverviewPage { sort, descending, after, limit, now: app.clock.now() };
    let found = overview::page(&app, caller.principal.company_id(), filter, page).await?;
    let next = found.entries.last().filter(|_| found.has_more).map(|last| write_mark(&last.row.mark));
    let names = found.names;
    let items = found.entries.into_iter().map(|entry| views::OverviewItem::new(entry, &names)).collect();
    answered(StatusCode::OK, &views::Overview { success: true, total: found.total, items, next_cursor: next })
}

/// Projects to search: those named in the query that the caller sees, or all that the caller sees. A project that the
/// caller does not see is treated as unknown.
pub(super) async fn projects(
    app: &App,
    caller: &CompanyCaller<Read>,
    named: Option<Vec<String>>,
) -> Result<Option<Vec<ProjectId>>, ApiError> {
    let Some(named) = named else { return Ok(caller.principal.projects()) };
    let company = caller.principal.company_id();
    let mut found = Vec::with_capacity(named.len());
    for key in named {
        let project = app.access_cache.project(&key, OutagePolicy::Refuse).await?;
        let sees = |id| caller.principal.scopes_in(id).is_some_and(|scopes| scopes.has(Scope::Read));
        let project = project.filter(|project| project.company_id == company && sees(project.id));
        found.extend(project.map(|project| project.id));
    }
    Ok(Some(found))
}

fn sort(text: &str) -> Result<(OverviewSort, bool), Flaw> {
    let (word, descending) = text.strip_prefix('-').map_or((text, false), |word| (word, true));
    let found = OverviewSort::WORDS.iter().find(|(known, _)| *known == word);
    found.map(|(_, sort)| (*sort, descending)).ok_or_else(|| {
        let words: Vec<&str> = OverviewSort::WORDS.iter().map(|(word, _)| *word).collect();
        Flaw::new(format!("must be one of {}, with - before it for descending order", words.join(", ")))
    })
}

fn flag(text: &str) -> Result<bool, Flaw> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Flaw::new("must be true or false")),
    }
}

fn archived(text: &str) -> Result<ArchiveFilter, Flaw> {
    match text {
        "exclude" => Ok(ArchiveFilter::Exclude),
        "include" => Ok(ArchiveFilter::Include),
        "only" => Ok(ArchiveFilter::Only),
        _ => Err(Flaw::new("must be exclude, include or only")),
    }
}

/// Formats a cursor: the id and the sort value, with text in hexadecimal digits.
fn write_mark(mark: &OverviewMark) -> String {
    match &mark.value {
        MarkValue::Number(number) => format!("{}.{number}", mark.id),
        MarkValue::Text(text) => {
            let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
            format!("{}.x{digits}", mark.id)
        }
    }
}

fn read_mark(text: &str, sort: OverviewSort) -> Option<OverviewMark> {
    let (id, value) = text.split_once('.')?;
    let value = match (value.strip_prefix('x'), sort == OverviewSort::Name) {
        (Some(digits), true) if digits.len() % 2 == 0 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
            let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
            MarkValue::Text(String::from_utf8(bytes?).ok().filter(|text| !text.contains('\0'))?)
        }
        (None, false) => MarkValue::Number(value.parse().ok()?),
        _ => return None,
    };
    Some(OverviewMark { value, id: ExperimentId::parse(id)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_read_back_as_written() {
        for (value, sort) in [
            (MarkValue::Number(-5), OverviewSort::Visitors),
            (MarkValue::Number(i64::MAX / 2), OverviewSort::DaysLeft),
            (MarkValue::Text("straße.".to_owned()), OverviewSort::Name),
            (MarkValue::Text(String::new()), OverviewSort::Name),
        ] {
            let mark = OverviewMark { value, id: ExperimentId(7) };
            assert_eq!(read_mark(&write_mark(&mark), sort), Some(mark));
        }
        for wrong in ["", "7", "7.", "7.x6", "7.xzz", "7.xé", "0.5", "7.5", "-7.x61", "7.xff", "7.x00", "7.x+1"] {
            assert_eq!(read_mark(wrong, OverviewSort::Name), None, "{wrong}");
        }
        assert_eq!(read_mark("7.x61", OverviewSort::Visitors), None);
    }

    #[test]
    fn orders() {
        assert_eq!(sort("-visitors").ok(), Some((OverviewSort::Visitors, true)));
        assert_eq!(sort("test_name").ok(), Some((OverviewSort::Name, false)));
        assert!(sort("").is_err() && sort("--visitors").is_err());
    }
}
