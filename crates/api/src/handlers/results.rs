//! What came of an experiment, and how long it should run.

use super::boxed;
use super::experiments::id_in;
use crate::answer::json as answered;
use crate::app::App;
use crate::auth::{Caller, Read};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::views;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode, Uri, header};
use muriel_domain::ids::ExperimentId;
use muriel_domain::{Flaw, Problems};
use muriel_results::{
    Computed, Inquiry, Keeper, Key, Known, Phase, Unanswered, Unknown, Wanted, Zone, parse_breakdown, parse_day,
    parse_filter,
};
use std::sync::Arc;

/// Parameters that say which visitors are meant.
const ABOUT: [&str; 9] =
    ["start_date", "end_date", "tz", "goal_key", "filter_by", "breakdown_by", "epoch", "report_phase", "format"];
/// Seconds after which a report that had no place may be asked for again.
const BUSY_S: u64 = 1;
/// The same while the warehouse is filled.
const LOADING_S: u64 = 5;

/// Reports an experiment: numbers, what they mean, and whether to trust them.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/result", tag = "Results",
    operation_id = "getResult",
    params(
        ("start_date" = inline(Option<String>), Query, format = Date, description = "Visitors who entered on this day or later."),
        ("end_date" = inline(Option<String>), Query, format = Date, description = "Visitors who entered, and what they did, until the end of this day."),
        ("tz" = inline(Option<String>), Query, description = "Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default."),
        ("goal_key" = inline(Option<String>), Query, description = "The goal to report; the primary one by default."),
        ("filter_by" = inline(Option<String>), Query, description = "Of `mobile desktop tablet new returning paid search direct country-XX`, separated by commas: all hold at entry, of several countries one."),
        ("breakdown_by" = inline(Option<String>), Query, description = "One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`."),
        ("epoch" = inline(Option<String>), Query, description = "Visitors who entered in this epoch, or `all`."),
        ("report_phase" = inline(Option<String>), Query, description = "`pre_deploy` (default): until a winner was served; `post_deploy`: from then on; `all_time`."),
        ("format" = inline(Option<String>), Query, description = "`json` (default), or `csv`: a table for spreadsheets."),
    ),
    responses((status = 200, description = "The result.", content(
        (views::ResultAnswer = "application/json"),
        (String = "text/csv"),
    ))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_result(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((project_key, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (inquiry, format) = asked(uri.query());
    let computed = report(&app, &caller, &project_key, id, inquiry, false).await?;
    let answer = views::ResultAnswer::new(&computed);
    match format {
        Format::Json => answered(StatusCode::OK, &answer),
        Format::Csv => Ok(table(answer.csv(), id)),
    }
}

/// Reports an experiment day by day, cumulative.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/timeseries", tag = "Results",
    operation_id = "getTimeseries",
    params(
        ("start_date" = inline(Option<String>), Query, format = Date, description = "As in the result; so are the others."),
        ("end_date" = inline(Option<String>), Query, format = Date, description = "As in the result."),
        ("tz" = inline(Option<String>), Query, description = "As in the result."),
        ("goal_key" = inline(Option<String>), Query, description = "As in the result."),
        ("filter_by" = inline(Option<String>), Query, description = "As in the result."),
        ("epoch" = inline(Option<String>), Query, description = "As in the result."),
        ("report_phase" = inline(Option<String>), Query, description = "As in the result."),
    ),
    responses((status = 200, description = "A point per day and arm.", body = views::TimeseriesAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_timeseries(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((project_key, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let inquiry = asked(uri.query()).0.map(|inquiry| Inquiry { breakdown_by: None, ..inquiry });
    let computed = report(&app, &caller, &project_key, id, inquiry, true).await?;
    answered(StatusCode::OK, &views::TimeseriesAnswer::new(&computed))
}

/// Says how many visitors an experiment needs, and how many days that takes.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/plan", tag = "Results",
    operation_id = "getPlan",
    params(
        ("mde" = inline(Option<f64>), Query, description = "Smallest lift worth finding, in percent; the experiment's plan by default."),
        ("power" = inline(Option<f64>), Query, description = "Percent of such lifts to be found, 50 to 99; 80 by default."),
        ("daily_visitors" = inline(Option<f64>), Query, description = "Visitors who enter per day; from the log by default."),
        ("baseline_rate" = inline(Option<f64>), Query, description = "Percent of the control's visitors who convert; from the log by default."),
    ),
    responses((status = 200, description = "The plan.", body = views::PlanAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_plan(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((project_key, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let known = load(&app, &caller, id, &Inquiry::default()).await?;
    let mut query = Query::read(uri.query(), &["mde", "power", "daily_visitors", "baseline_rate"]);
    let wanted = Wanted {
        mde: query.parsed("mde", |text| number(text, 0.01, 1_000.0)),
        power: query.parsed("power", |text| number(text, 50.0, 99.0)),
        daily_visitors: query.parsed("daily_visitors", |text| number(text, 1.0, 1e12)),
        baseline_rate: query.parsed("baseline_rate", |text| number(text, 0.001, 99.999)),
    };
    query.finish()?;
    let keeper = keeper(&app)?;
    let key: Arc<str> = project_key.into();
    let (head, now) = (app.intake.head(), app.clock.now());
    let planned = keeper.plan(&key, &known, wanted, head, now).await.map_err(refused)?;
    answered(StatusCode::OK, &views::PlanAnswer::new(id.0, &planned))
}

/// A number in percent or visitors.
fn number(text: &str, least: f64, most: f64) -> Result<f64, Flaw> {
    let plain = !text.is_empty() && text.len() <= 30 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(number) if plain && (least..=most).contains(&number) => Ok(number),
        _ => Err(Flaw::new(format!("must be a number from {least} to {most}"))),
    }
}

/// What the answer is written as.
enum Format {
    Json,
    Csv,
}

/// The query as an inquiry.
fn asked(query: Option<&str>) -> (Result<Inquiry, ApiError>, Format) {
    let mut query = Query::read(query, &ABOUT);
    let inquiry = Inquiry {
        start_date: query.parsed("start_date", parse_day),
        end_date: query.parsed("end_date", parse_day),
        tz: query.parsed("tz", Zone::parse).unwrap_or_default(),
        goal_key: query.parsed("goal_key", |text| muriel_domain::text::title(text, 128)),
        filter_by: query.parsed("filter_by", parse_filter).unwrap_or_default(),
        breakdown_by: query.parsed("breakdown_by", parse_breakdown),
        epoch: query.parsed("epoch", epoch).flatten(),
        report_phase: query.parsed("report_phase", phase).unwrap_or_default(),
    };
    if inquiry.start_date.zip(inquiry.end_date).is_some_and(|(start, end)| end < start) {
        query.refuse("end_date", "must not be before start_date");
    }
    let format = query.parsed("format", |text| match text {
        "json" => Ok(Format::Json),
        "csv" => Ok(Format::Csv),
        _ => Err(Flaw::new("must be json or csv")),
    });
    (query.finish().map(|()| inquiry), format.unwrap_or(Format::Json))
}

fn epoch(text: &str) -> Result<Option<i64>, Flaw> {
    if text == "all" {
        return Ok(None);
    }
    let digits = !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<i64>() {
        Ok(number) if digits && number > 0 => Ok(Some(number)),
        _ => Err(Flaw::new("must be the number of an epoch, or all")),
    }
}

fn phase(text: &str) -> Result<Phase, Flaw> {
    let known = Phase::WORDS.iter().find(|(word, _)| *word == text);
    known.map(|(_, phase)| *phase).ok_or_else(|| Flaw::new("must be pre_deploy, post_deploy or all_time"))
}

/// The answer to an inquiry about an experiment of the caller's.
async fn report(
    app: &App,
    caller: &Caller<Read>,
    project_key: &str,
    id: ExperimentId,
    inquiry: Result<Inquiry, ApiError>,
    by_quarter: bool,
) -> Result<Arc<Computed>, ApiError> {
    // An experiment that is not there comes before a query that is wrong.
    let plain = Inquiry::default();
    let known = load(app, caller, id, inquiry.as_ref().unwrap_or(&plain)).await?;
    let key = Key { project_key: project_key.into(), test_id: id.0, inquiry: inquiry?, by_quarter };
    let head = app.intake.head();
    keeper(app)?.answer(&key, &known, head, app.clock.now()).await.map_err(refused)
}

async fn load(app: &App, caller: &Caller<Read>, id: ExperimentId, inquiry: &Inquiry) -> Result<Known, ApiError> {
    let (project, inquiry) = (caller.project.id, inquiry.clone());
    let found = app.read(move |tx| boxed(async move { Ok(Known::load(tx, project, id, &inquiry).await?) })).await?;
    found.map_err(|unknown| match unknown {
        Unknown::Experiment => ApiError::NotFound("experiment"),
        Unknown::Goal => ApiError::InvalidQuery(Problems::one("goal_key", "matches no goal of this project")),
        Unknown::Epoch => ApiError::InvalidQuery(Problems::one("epoch", "is no epoch of this experiment")),
    })
}

fn keeper(app: &App) -> Result<&Keeper, ApiError> {
    app.results.as_deref().ok_or(ApiError::Unavailable { retry_after_s: LOADING_S })
}

fn refused(problem: Unanswered) -> ApiError {
    match problem {
        Unanswered::Busy => ApiError::Unavailable { retry_after_s: BUSY_S },
        Unanswered::Loading { .. } => ApiError::Unavailable { retry_after_s: LOADING_S },
        Unanswered::Failed(failure) => ApiError::internal(failure),
    }
}

/// A table that browsers save under a name.
fn table(csv: String, id: ExperimentId) -> Response {
    let mut response = Response::new(Body::from(csv));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"experiment-{}.csv\"", id.0)) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    response
}
