//! What came of an experiment, and how long it should run.

mod inquiry;

use self::inquiry::{Format, ResultQuery, TimeseriesQuery, asked, asked_by_day};
use super::experiments::id_in;
use crate::answer::{json as answered, warned};
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
    ComputeError, Computed, Inquiry, NotFound, ReportCache, ReportError, ReportInputs, ReportKey, Wanted,
};
use muriel_service::App;
use muriel_warehouse as warehouse;
use std::sync::Arc;

/// Seconds after which a report that had no place may be asked for again.
const BUSY_S: u64 = 1;
/// The same while the warehouse is filled.
const LOADING_S: u64 = 5;

/// Reports an experiment: numbers, what they mean, and whether to trust them.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/result", tag = "Results",
    operation_id = "getResult",
    params(ResultQuery),
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
    params(TimeseriesQuery),
    responses((
        status = 200, description = "A point per day and arm; in X-Muriel-Warnings, whether to trust them.",
        body = views::TimeseriesAnswer
    )),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_timeseries(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((project_key, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let computed = report(&app, &caller, &project_key, id, asked_by_day(uri.query()), true).await?;
    let answer = answered(StatusCode::OK, &views::TimeseriesAnswer::new(&computed))?;
    Ok(warned(answer, views::TimeseriesAnswer::warnings(&computed)))
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
    let planned = reports(&app)?.plan(&project_key.into(), &known, wanted, app.clock.now()).await.map_err(refused)?;
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
    let key = ReportKey { project_key: project_key.into(), test_id: id.0, inquiry: inquiry?, by_quarter };
    reports(app)?.report(&key, &known, app.clock.now()).await.map_err(refused)
}

async fn load(app: &App, caller: &Caller<Read>, id: ExperimentId, inquiry: &Inquiry) -> Result<ReportInputs, ApiError> {
    let (project, inquiry, node) = (caller.project.id, inquiry.clone(), app.node_id());
    let found = app
        .read(move |tx| {
            Box::pin(async move { Ok(ReportInputs::load(tx, project, id, &inquiry, node.as_deref()).await?) })
        })
        .await?;
    found.map_err(|unknown| match unknown {
        NotFound::Experiment => ApiError::NotFound("experiment"),
        NotFound::Goal => ApiError::InvalidQuery(Problems::one("goal_key", "matches no goal of this project")),
        NotFound::Epoch => ApiError::InvalidQuery(Problems::one("epoch", "is not an epoch of this experiment")),
    })
}

fn reports(app: &App) -> Result<&ReportCache, ApiError> {
    app.results().map(|results| &**results).ok_or(ApiError::Unavailable { retry_after_s: LOADING_S })
}

fn refused(problem: ReportError) -> ApiError {
    let not_yet = |why: String| ApiError::NotYet { why, retry_after_s: LOADING_S };
    match problem {
        ReportError::Busy => ApiError::Unavailable { retry_after_s: BUSY_S },
        ReportError::Loading { done, of } => {
            not_yet(format!("the events are still being loaded from the event log, block {done} of {of}"))
        }
        ReportError::LogUnreadable(error) => {
            if let Some(error) = error {
                tracing::warn!(error = &*error as &dyn std::error::Error, "the end of the event log cannot be read");
            }
            not_yet("the event log cannot be read, so it is not known which events a result must have".to_owned())
        }
        ReportError::Damaged => {
            not_yet("the warehouse is damaged and is being made again from the event log".to_owned())
        }
        ReportError::Failed(failure) => match &*failure {
            ComputeError::Warehouse(warehouse::Error::Memory) => {
                tracing::warn!("a report needs more memory than --warehouse-memory allows");
                not_yet("the report needs more memory than the warehouse may use (--warehouse-memory)".to_owned())
            }
            _ => ApiError::internal(failure),
        },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_too_early_is_told_for_what_to_wait() {
        let error = refused(ReportError::Loading { done: 10, of: 200 });
        assert_eq!((error.status(), error.code()), (StatusCode::SERVICE_UNAVAILABLE, "unavailable"));
        let expect = "the events are still being loaded from the event log, block 10 of 200; try again after 5 s";
        assert_eq!(error.to_string(), expect);
        let mut headers = http::HeaderMap::new();
        error.add_headers(&mut headers);
        assert_eq!(headers[header::RETRY_AFTER], "5");
    }
}
