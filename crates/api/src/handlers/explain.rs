//! Explanation of a visitor's assignment.

use super::experiments::id_in;
use crate::answer::json as answered;
use crate::auth::{Caller, Read};
use crate::error::ApiError;
use crate::explain::{Explanation, explain};
use crate::json::Json;
use crate::wire::query::pairs;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_assign::{Delivered, Experiment};
use muriel_domain::Problems;
use muriel_service::App;
use muriel_service::experiments;

/// Maximum number of query parameters that describe a visitor.
const PARAMETERS_MAX: usize = 200;

/// Explains the assignment of a visitor, step by step.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/explain", tag = "Experiments",
    operation_id = "explainAssignment",
    params(
        ("visitor" = inline(String), Query, description = "The visitor's id. Every other parameter is context: `country`, `url`, `device`…, or an attribute."),
    ),
    responses((status = 200, description = "All checks, in order; `variant` is null if the visitor is not included.", body = Explanation)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn assignment_explain(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let experiment = experiments::find_delivered(&app, caller.project.id, id_in(&id)?).await?;
    let members = asked(uri.query())?;
    let delivered = Delivered::of(&experiment);
    let experiment = Experiment::compile(&delivered).map_err(|problems| {
        ApiError::internal(format!("a stored experiment does not compile: {:?}", problems.first()))
    })?;
    let explanation = explain(&delivered, &experiment, &members, &app.visitors, app.clock.now());
    answered(StatusCode::OK, &explanation.map_err(|problems| renamed(&problems))?)
}

/// Converts the query to an evaluation context.
fn asked(query: Option<&str>) -> Result<Vec<(String, Json)>, ApiError> {
    let mut problems = Problems::default();
    let mut members: Vec<(String, Json)> = Vec::new();
    for (at, (name, value)) in pairs(query).enumerate() {
        let (Some(name), Some(value)) = (name, value) else {
            problems.add(format!("parameter {}", at + 1), "must be percent-encoded UTF-8 without NUL characters");
            continue;
        };
        let name = if name == "visitor" { "targetingKey".to_owned() } else { name };
        if members.iter().any(|(known, _)| *known == name) {
            problems.add(spoken(&name), "must be given once");
        } else if members.len() == PARAMETERS_MAX {
            problems.add("query", format!("must have at most {PARAMETERS_MAX} parameters"));
            break;
        } else {
            members.push((name, Json::Text(value)));
        }
    }
    problems.none_or(members).map_err(ApiError::InvalidQuery)
}

fn spoken(name: &str) -> &str {
    if name == "targetingKey" { "visitor" } else { name }
}

fn renamed(problems: &Problems) -> ApiError {
    let mut named = Problems::default();
    for problem in problems.iter() {
        named.add(spoken(&problem.field), &*problem.message);
    }
    ApiError::InvalidQuery(named)
}
