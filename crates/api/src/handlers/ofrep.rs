//! OpenFeature Remote Evaluation Protocol: experiments as flags.
//!
//! The protocol has error bodies of its own; everything under its paths uses
//! them, so that clients can tell what happened.

use crate::answer::{is_known, tagged, written};
use crate::app::App;
use crate::auth::{Caller, Evaluate};
use crate::body::{BODY_DEADLINE, BODY_LIMIT, MediaType, read_json_body};
use crate::error::ApiError;
use crate::json::{self, Json};
use crate::wire::context;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use muriel_assign::{Decision, Experiment, Place, Reason, Silent, Visitor};
use muriel_domain::Problems;
use muriel_domain::experiment::Arm;
use serde::Serialize;
use std::io::Write;

/// What is wrong, in the protocol's words.
#[derive(Debug, Clone, Copy)]
enum ErrorCode {
    ParseError,
    TargetingKeyMissing,
    InvalidContext,
    FlagNotFound,
    General,
}

impl ErrorCode {
    fn word(self) -> &'static str {
        match self {
            ErrorCode::ParseError => "PARSE_ERROR",
            ErrorCode::TargetingKeyMissing => "TARGETING_KEY_MISSING",
            ErrorCode::InvalidContext => "INVALID_CONTEXT",
            ErrorCode::FlagNotFound => "FLAG_NOT_FOUND",
            ErrorCode::General => "GENERAL",
        }
    }
}

/// An error as the protocol's clients read it.
#[derive(Serialize)]
struct Failure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(rename = "errorCode")]
    code: &'static str,
    #[serde(rename = "errorDetails")]
    details: &'a str,
}

fn failure(status: StatusCode, key: Option<&str>, code: ErrorCode, details: &str) -> Response {
    let failure = Failure { key, code: code.word(), details };
    written(status, serde_json::to_vec(&failure).unwrap_or_default().into())
}

/// An error of this API as one of the protocol. Headers such as `Retry-After`
/// stay.
fn translated(error: &ApiError, key: Option<&str>) -> Response {
    let (status, _, sentence) = error.facts();
    let code = match error {
        ApiError::Malformed(_) | ApiError::UnsupportedMediaType { .. } => ErrorCode::ParseError,
        _ => ErrorCode::General,
    };
    let mut response = failure(status, key, code, &sentence);
    error.add_headers(response.headers_mut());
    response
}

fn bad_context(problems: &Problems, key: Option<&str>) -> Response {
    let details: Vec<_> = problems.iter().take(10).map(|problem| problem.to_string()).collect();
    let code = match problems.first() {
        Some(problem) if problem.field == "targetingKey" && problem.message == "is required" => {
            ErrorCode::TargetingKeyMissing
        }
        _ => ErrorCode::InvalidContext,
    };
    failure(StatusCode::BAD_REQUEST, key, code, &details.join("; "))
}

/// The members of the context in a body.
fn context_of<'j>(body: &'j Json, key: Option<&str>) -> Result<&'j [(String, Json)], Box<Response>> {
    match body.as_object() {
        None => Err(Box::new(failure(
            StatusCode::BAD_REQUEST,
            key,
            ErrorCode::ParseError,
            "the body must be an object with a context",
        ))),
        Some(_) => match body.get("context") {
            None | Some(Json::Null) => Ok(&[]),
            Some(Json::Object(members)) => Ok(members),
            Some(_) => Err(Box::new(failure(
                StatusCode::BAD_REQUEST,
                key,
                ErrorCode::InvalidContext,
                "context must be an object",
            ))),
        },
    }
}

/// Who calls, and the body, both read as far as they are good.
async fn arrive(app: &App, request: Request) -> Result<(Caller<Evaluate>, HeaderMap, Json), ApiError> {
    let (mut parts, body) = request.into_parts();
    let caller = Caller::<Evaluate>::from_request_parts(&mut parts, app).await?;
    let headers = parts.headers.clone();
    let request = Request::from_parts(parts, body);
    let (_, bytes) = read_json_body(request, &[MediaType::Json], BODY_LIMIT, BODY_DEADLINE).await?;
    Ok((caller, headers, json::parse(&bytes)?))
}

/// Evaluates one experiment.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/ofrep/v1/evaluate/flags/{experiment_key}", tag = "OpenFeature",
    operation_id = "evaluateFlag",
    request_body = crate::wire::schemas::EvaluationRequest,
    responses(
        (status = 200, description = "What the visitor gets, and why.", body = crate::wire::schemas::Evaluation),
        (status = 404, description = "No experiment has this key.", body = crate::wire::schemas::EvaluationFailure),
    ),
    extensions(("x-scope" = json!("evaluate")), ("x-protocol" = json!("ofrep")))
)]
pub(crate) async fn flag_evaluate(
    State(app): State<App>,
    Path((_, key)): Path<(String, String)>,
    request: Request,
) -> Response {
    match evaluate_one(&app, &key, request).await {
        Ok(response) => response,
        Err(error) => translated(&error, Some(&key)),
    }
}

async fn evaluate_one(app: &App, key: &str, request: Request) -> Result<Response, ApiError> {
    let (caller, _, body) = arrive(app, request).await?;
    let members = match context_of(&body, Some(key)) {
        Ok(members) => members,
        Err(response) => return Ok(*response),
    };
    let origin = context::origin(members, &app.visitors);
    let visitor = match context::visitor(members, origin.as_ref(), app.now_ms()) {
        Ok(visitor) => visitor,
        Err(problems) => return Ok(bad_context(&problems, Some(key))),
    };
    let delivery = app.delivery(&caller.project).await?;
    let Some(experiment) = delivery.ruleset.experiment(key) else {
        let Some(paused) = app.undelivered(caller.project.id, key).await? else {
            let details = "the project has no experiment with this key";
            return Ok(failure(StatusCode::NOT_FOUND, Some(key), ErrorCode::FlagNotFound, details));
        };
        return Ok(evaluated(&paused, &visitor));
    };
    Ok(evaluated(experiment, &visitor))
}

fn evaluated(experiment: &Experiment, visitor: &Visitor<'_>) -> Response {
    let mut out = Vec::with_capacity(320);
    write_evaluation(&mut out, experiment, experiment.decide(visitor, &mut Silent));
    written(StatusCode::OK, out.into())
}

/// Evaluates every experiment that is delivered.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/ofrep/v1/evaluate/flags", tag = "OpenFeature",
    operation_id = "evaluateFlags",
    request_body = crate::wire::schemas::EvaluationRequest,
    responses(
        (status = 200, description = "Every experiment that is live or serves a winner, with an ETag.", body = crate::wire::schemas::Evaluations),
        (status = 304, description = "The result named in If-None-Match is the present one."),
    ),
    extensions(("x-scope" = json!("evaluate")), ("x-protocol" = json!("ofrep")))
)]
pub(crate) async fn flags_evaluate(State(app): State<App>, request: Request) -> Response {
    match evaluate_all(&app, request).await {
        Ok(response) => response,
        Err(error) => translated(&error, None),
    }
}

async fn evaluate_all(app: &App, request: Request) -> Result<Response, ApiError> {
    let (caller, headers, body) = arrive(app, request).await?;
    let members = match context_of(&body, None) {
        Ok(members) => members,
        Err(response) => return Ok(*response),
    };
    let origin = context::origin(members, &app.visitors);
    let visitor = match context::visitor(members, origin.as_ref(), app.now_ms()) {
        Ok(visitor) => visitor,
        Err(problems) => return Ok(bad_context(&problems, None)),
    };
    let delivery = app.delivery(&caller.project).await?;
    let experiments = delivery.ruleset.experiments();
    let mut out = Vec::with_capacity(64 + 256 * experiments.len());
    out.extend_from_slice(b"{\"flags\":[");
    // Of FNV-1a, over what was decided: the answer is made of this and the ruleset.
    let mut decided: u64 = 0xcbf2_9ce4_8422_2325;
    for (at, experiment) in experiments.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let decision = experiment.decide(&visitor, &mut Silent);
        for part in [decision.arm.map_or(0, |arm| u64::from(arm.0) + 1), decision.reason as u64] {
            decided = (decided ^ part).wrapping_mul(0x0000_0100_0000_01b3);
        }
        write_evaluation(&mut out, experiment, decision);
    }
    out.extend_from_slice(b"]}");
    let version = format!("{}-{decided:016x}", delivery.etag);
    if is_known(&headers, &version) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(tagged(response, &version));
    }
    let mut response = tagged(written(StatusCode::OK, out.into()), &version);
    // Two visitors with one browser must not get each other's.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

/// The protocol's reason for ours.
fn protocol_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Split | Reason::Sticky => "SPLIT",
        Reason::Forced => "TARGETING_MATCH",
        Reason::Served => "STATIC",
        Reason::Disabled => "DISABLED",
        Reason::Rollout
        | Reason::Excluded
        | Reason::Traffic
        | Reason::Targeting
        | Reason::Unknown
        | Reason::Audience
        | Reason::VariantGone => "DEFAULT",
    }
}

/// Keys, variants and words hold nothing that JSON would escape.
fn write_evaluation(out: &mut Vec<u8>, experiment: &Experiment, decision: Decision) {
    let variant = decision.variant();
    // Writing to memory cannot fail.
    let _ = write!(
        out,
        "{{\"key\":\"{}\",\"value\":\"{variant}\",\"variant\":\"{variant}\",\"reason\":\"{}\",\"metadata\":{{\
         \"test_id\":{},\"variant_id\":\"{}\",\"epoch\":{},\"in_experiment\":{},\"reason\":\"{}\",\"unenforced\":\"{}\"}}}}",
        experiment.key,
        protocol_reason(decision.reason),
        experiment.id,
        decision.arm.unwrap_or(Arm::CONTROL).0,
        experiment.epoch,
        decision.in_experiment(),
        decision.reason.word(),
        experiment.unenforced_at(Place::Server),
    );
}
