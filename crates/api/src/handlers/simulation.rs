//! Simulating a plan on synthetic visitors.

use super::experiments::id_in;
use super::{Sent, read_body};
use crate::answer::json as answered;
use crate::auth::{Caller, Read};
use crate::error::ApiError;
use crate::json::Json;
use crate::wire::fields::{from_body, integer};
use crate::wire::{schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_domain::ids::MAX_SAFE;
use muriel_domain::{Flaw, Problems};
use muriel_http::body::MediaType;
use muriel_results::SimulationRequest;
use muriel_service::App;
use muriel_service::simulation::{self, WantedSimulation};

/// Maximum number of simulated experiments, and the default.
const RUNS_MAX: i64 = 5_000;
const RUNS: i64 = 500;

/// Simulates the plan of an experiment many times on synthetic visitors, and reports the
/// outcomes.
///
/// Equals `muriel simulate --json`. It stops when the client disconnects.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/simulate", tag = "Results", operation_id = "simulateExperiment",
    request_body = schemas::SimulationBody,
    responses((status = 200, description = "The simulated outcome.", body = views::Simulation)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_simulate(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let wanted = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wanted(&sent)?));
    let seed = wanted.as_ref().map_or(0, |wanted| wanted.seed);
    let simulated = simulation::run(&app, &caller.project, id, wanted.map_err(Into::into)).await?;
    answered(StatusCode::OK, &views::Simulation::new(&simulated, seed))
}

fn wanted(sent: &Sent) -> Result<WantedSimulation, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["runs", "lift", "baseline_rate", "daily_visitors", "days", "seed"], &[]);
        let number = |name: &str, fits: fn(f64) -> bool, range: &'static str| {
            fields.read(name, |value: &Json| value.as_number().filter(|number| fits(*number)).ok_or(Flaw::new(range)))
        };
        let request = SimulationRequest {
            effect: number("lift", |lift| (-100.0..=1_000.0).contains(&lift), "must be a number from -100 to 1000"),
            baseline_rate: number(
                "baseline_rate",
                |rate| rate > 0.0 && rate < 100.0,
                "must be a number above 0 and below 100",
            ),
            daily_visitors: number(
                "daily_visitors",
                |daily| daily > 0.0 && daily <= 1e8,
                "must be a number above 0 and at most 100000000",
            ),
            days: fields.read("days", integer(1..=365)).and_then(|days| u32::try_from(days).ok()),
            ..SimulationRequest::default()
        };
        let runs = fields.read("runs", integer(1..=RUNS_MAX)).unwrap_or(RUNS);
        let seed = fields.read("seed", integer(0..=MAX_SAFE)).unwrap_or(1);
        Some(WantedSimulation { request, runs: runs.unsigned_abs(), seed: seed.unsigned_abs() })
    })
}
