//! Results of an experiment, their time series, and the required run time.

mod inquiry;

pub(super) use self::inquiry::shared_inquiry;

use self::inquiry::{HoldoutQuery, ResultQuery, TimeseriesQuery, holdout_inquiry, result_inquiry, timeseries_inquiry};
use super::audit::csv_file;
use super::experiments::id_in;
use crate::answer::{json as answered, warned};
use crate::auth::{Caller, Read};
use crate::error::{ApiError, conflict_codes};
use crate::wire::query::Query;
use crate::wire::views;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::NoHoldout;
use muriel_domain::Flaw;
use muriel_domain::ids::GroupId;
use muriel_results::PlanningRequest;
use muriel_service::{App, results};

/// Returns the result of an experiment: numbers, their meaning, and whether to trust them.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/result", tag = "Results",
    operation_id = "getResult",
    params(ResultQuery),
    responses((status = 200, description = "The result.", body = views::ResultAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_result(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let inquiry = result_inquiry(uri.query());
    let computed = results::report(&app, &caller.project, id, inquiry.map_err(Into::into)).await?;
    answered(StatusCode::OK, &views::ResultAnswer::new(&computed))
}

/// Returns the result of an experiment as a CSV table, with a line for each metric, segment and variant.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/result.csv", tag = "Results",
    operation_id = "getResultTable",
    params(ResultQuery),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_result_table(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let inquiry = result_inquiry(uri.query());
    let computed = results::report(&app, &caller.project, id, inquiry.map_err(Into::into)).await?;
    Ok(csv_file(&format!("experiment-{}.csv", id.0), views::ResultAnswer::new(&computed).csv(), None))
}

/// Returns the result of a holdout: the combined effect of all its experiments, from comparing held-out visitors
/// with all others.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/exclusion-group/{group_id}/result", tag = "Exclusion groups",
    operation_id = "getHoldoutResult",
    params(HoldoutQuery),
    responses((status = 200, description = "The result.", body = views::HoldoutResult)),
    extensions(("x-scope" = json!("read")), ("x-conflicts" = json!(conflict_codes(&[NoHoldout]))))
)]
pub(crate) async fn holdout_result(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = GroupId::parse(&id).ok_or(ApiError::NotFound("exclusion group"))?;
    let inquiry = holdout_inquiry(uri.query());
    let computed = results::holdout_report(&app, &caller.project, id, inquiry.map_err(Into::into)).await?;
    answered(StatusCode::OK, &views::HoldoutResult::new(id.0, &computed))
}

/// Returns the result of an experiment day by day, cumulative.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/timeseries", tag = "Results",
    operation_id = "getTimeseries",
    params(TimeseriesQuery),
    responses((
        status = 200, description = "A point per day and variant.", body = views::TimeseriesAnswer,
        headers((
            "X-Muriel-Warnings" = String,
            description = "A JSON array of sentences, empty without warnings: the health checks of the result that warn or fail."
        ))
    )),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_timeseries(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let inquiry = timeseries_inquiry(uri.query());
    let computed = results::timeseries(&app, &caller.project, id, inquiry.map_err(Into::into)).await?;
    let answer = answered(StatusCode::OK, &views::TimeseriesAnswer::new(&computed))?;
    Ok(warned(answer, views::TimeseriesAnswer::warnings(&computed)))
}

/// Computes how many visitors an experiment needs, and how many days that takes.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/plan", tag = "Results",
    operation_id = "getPlan",
    params(
        ("mde" = inline(Option<f64>), Query, description = "Smallest lift worth finding, in percent; the experiment's plan by default."),
        ("power" = inline(Option<f64>), Query, description = "Statistical power: percent of such lifts that are detected, 50 to 99; 80 by default."),
        ("daily_visitors" = inline(Option<f64>), Query, description = "Visitors who enter per day; from the log by default."),
        ("baseline_rate" = inline(Option<f64>), Query, description = "Percent of the control's visitors who convert; from the log by default."),
    ),
    responses((status = 200, description = "The plan.", body = views::PlanAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_plan(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let wanted = wanted_plan(uri.query());
    let planned = results::plan(&app, &caller.project, id, wanted.map_err(Into::into)).await?;
    answered(StatusCode::OK, &views::PlanAnswer::new(id.0, &planned))
}

/// Parses the query of a plan.
fn wanted_plan(query: Option<&str>) -> Result<PlanningRequest, ApiError> {
    let mut query = Query::read(query, &["mde", "power", "daily_visitors", "baseline_rate"]);
    let wanted = PlanningRequest {
        mde: query.parsed("mde", |text| number(text, 0.01, 1_000.0)),
        power: query.parsed("power", |text| number(text, 50.0, 99.0)),
        daily_visitors: query.parsed("daily_visitors", |text| number(text, 1.0, 1e12)),
        baseline_rate: query.parsed("baseline_rate", |text| number(text, 0.001, 99.999)),
    };
    query.finish().map(|()| wanted)
}

/// Parses a plain decimal number from `min` to `max`, without sign or exponent.
fn number(text: &str, min: f64, max: f64) -> Result<f64, Flaw> {
    let plain = !text.is_empty() && text.len() <= 30 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(number) if plain && (min..=max).contains(&number) => Ok(number),
        _ => Err(Flaw::new(format!("must be a number from {min} to {max}"))),
    }
}
