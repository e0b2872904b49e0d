//! Decisions for many visitors in one call.

use super::read_body;
use crate::answer::written;
use crate::auth::{Caller, Evaluate};
use crate::error::ApiError;
use crate::wire::evaluation::{assignments, many_request};
use crate::wire::schemas;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_assign::Experiment;
use muriel_delivery::evaluation;
use muriel_delivery::rulesets::Delivery;
use muriel_domain::Problems;
use muriel_http::body::MediaType;
use muriel_service::App;
use std::borrow::Cow;

/// Evaluates experiments for up to 1,000 visitors.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/evaluate-many", tag = "OpenFeature", operation_id = "evaluateMany",
    request_body = schemas::EvaluateManyBody,
    responses((status = 200, description = "A list of assignments for each context, in the order sent.", body = schemas::ManyEvaluated)),
    extensions(("x-scope" = json!("evaluate")))
)]
pub(crate) async fn many_evaluate(
    State(app): State<App>,
    caller: Caller<Evaluate>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let many = many_request(&sent.json)?;
    let delivery = app.rulesets.of(&caller.project).await?;
    let mut problems = Problems::default();
    let experiments = match &many.keys {
        None => delivery.ruleset.experiments().iter().map(Cow::Borrowed).collect(),
        Some(keys) => named_experiments(&app, &delivery, keys, &mut problems).await?,
    };
    let body = assignments(&experiments, &many.contexts, &app.visitors, app.now_ms(), &mut problems);
    problems.none_or(())?;
    Ok(written(StatusCode::OK, body))
}

/// Finds the experiments with these keys. Adds a problem for each unknown key.
async fn named_experiments<'d>(
    app: &App,
    delivery: &'d Delivery,
    keys: &[String],
    problems: &mut Problems,
) -> Result<Vec<Cow<'d, Experiment>>, muriel_context::Error> {
    let mut experiments = Vec::with_capacity(keys.len());
    for (at, key) in keys.iter().enumerate() {
        match evaluation::find(app, delivery, key).await? {
            Some(experiment) => experiments.push(experiment),
            None => problems.add(format!("experiment_keys[{at}]"), "is not an experiment of this project"),
        }
    }
    Ok(experiments)
}
