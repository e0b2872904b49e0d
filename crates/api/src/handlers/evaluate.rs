//! Decisions for many visitors in one call.

use super::read_body;
use crate::answer::written;
use crate::auth::{Caller, Evaluate};
use crate::body::MediaType;
use crate::error::ApiError;
use crate::json::Json;
use crate::wire::context;
use crate::wire::fields::{Found, from_body, list, texts};
use crate::wire::schemas;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_assign::{Experiment, NoopObserver};
use muriel_domain::Problems;
use muriel_service::App;
use muriel_service::flag_template::FlagTemplate;

/// Most contexts of one call.
const CONTEXTS_MAX: usize = 1_000;
/// Most experiments that one call names.
const KEYS_MAX: usize = 500;

/// Evaluates experiments for up to 1,000 visitors.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/evaluate-many", tag = "OpenFeature", operation_id = "evaluateMany",
    request_body = schemas::EvaluateManyBody,
    responses((status = 200, description = "A list of assignments per context, in the order sent.", body = schemas::ManyEvaluated)),
    extensions(("x-scope" = json!("evaluate")))
)]
pub(crate) async fn many_evaluate(
    State(app): State<App>,
    caller: Caller<Evaluate>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let (keys, contexts) = asked(&sent.json)?;
    let delivery = app.delivery(&caller.project).await?;
    let mut paused = Vec::new();
    let mut problems = Problems::default();
    let experiments: Vec<&Experiment> = match keys {
        None => delivery.ruleset.experiments().iter().collect(),
        Some(keys) => {
            for key in &keys {
                if delivery.ruleset.experiment(key).is_none() {
                    paused.push(app.undelivered(caller.project.id, key).await?);
                }
            }
            let mut missing = paused.iter();
            let mut found = Vec::with_capacity(keys.len());
            for (at, key) in keys.iter().enumerate() {
                match delivery.ruleset.experiment(key).or_else(|| missing.next().and_then(Option::as_ref)) {
                    Some(experiment) => found.push(experiment),
                    None => problems.add(format!("experiment_keys[{at}]"), "is not an experiment of this project"),
                }
            }
            found
        }
    };
    let frames: Vec<FlagTemplate> = experiments.iter().map(|experiment| FlagTemplate::of(experiment)).collect();
    let now_ms = app.now_ms();
    let mut out = Vec::with_capacity(64 + 96 * experiments.len() * contexts.len());
    out.extend_from_slice(b"{\"success\":true,\"assignments\":[");
    for (at, members) in contexts.into_iter().enumerate() {
        let origin = context::origin(members, &app.visitors);
        match context::visitor(members, origin.as_ref(), now_ms) {
            Err(found) => problems.extend_under(&format!("contexts[{at}]"), &found),
            Ok(visitor) => {
                out.extend_from_slice(if at == 0 { b"[" } else { b",[" });
                for (nth, (experiment, frame)) in experiments.iter().zip(&frames).enumerate() {
                    if nth > 0 {
                        out.push(b',');
                    }
                    frame.write_assignment(&mut out, experiment, experiment.decide(&visitor, &mut NoopObserver));
                }
                out.push(b']');
            }
        }
    }
    problems.none_or(())?;
    out.extend_from_slice(b"]}");
    Ok(written(StatusCode::OK, out.into()))
}

/// The keys that are named, and the contexts.
type Asked<'j> = (Option<Vec<String>>, Vec<&'j [(String, Json)]>);

fn asked(body: &Json) -> Result<Asked<'_>, ApiError> {
    let keys = from_body(body, |fields| {
        let found = fields.found();
        fields.only(&["experiment_keys", "contexts"], &[]);
        fields.require("contexts");
        let keys = match fields.has("experiment_keys") {
            false => Some(None),
            true => fields.read_deep("experiment_keys", |value, place| named(value, &place, found)).map(Some),
        };
        fields.read_deep("contexts", |value, place| {
            list(value, &place, CONTEXTS_MAX, found, |context, place| {
                if context.as_object().is_none() {
                    found.add(place, "must be an object with a targetingKey");
                }
                Some(())
            })
        });
        keys
    })?;
    let contexts = body.get("contexts").and_then(Json::as_array).unwrap_or_default();
    Ok((keys, contexts.iter().filter_map(Json::as_object).collect()))
}

fn named(value: &Json, place: &str, found: &Found) -> Option<Vec<String>> {
    let keys = texts(value, place, found)?;
    if keys.len() > KEYS_MAX {
        found.add(place, format!("must have at most {KEYS_MAX} entries"));
        return None;
    }
    Some(keys.into_iter().map(str::to_owned).collect())
}
