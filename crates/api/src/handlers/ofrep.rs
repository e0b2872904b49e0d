//! OpenFeature Remote Evaluation Protocol: experiments as flags.
//!
//! The protocol defines its own error bodies. All responses under its paths use
//! them, so that clients can tell the errors apart.

use super::read_body;
use crate::answer::{is_known, tagged, written};
use crate::auth::{Caller, Evaluate, bearer};
use crate::error::ApiError;
use crate::json::Json;
use crate::wire::context;
use crate::wire::evaluation::flags;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use muriel_assign::{Experiment, NoopObserver, Visitor};
use muriel_delivery::evaluation;
use muriel_delivery::flag_template::FlagTemplate;
use muriel_domain::Problems;
use muriel_http::body::MediaType;
use muriel_http::error::{Failure as _, HttpError, failed};
use muriel_service::App;
use serde::Serialize;

/// Error codes of the protocol.
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

/// Error body of the protocol.
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
    written(status, body(key, code, details))
}

fn body(key: Option<&str>, code: ErrorCode, details: &str) -> Bytes {
    serde_json::to_vec(&Failure { key, code: code.word(), details }).unwrap_or_default().into()
}

/// Converts an error of this API to the protocol's format.
fn translated(error: ApiError, key: Option<&str>) -> Response {
    let code = match error {
        ApiError::Malformed(_) | ApiError::Http(HttpError::UnsupportedMediaType { .. }) => ErrorCode::ParseError,
        _ => ErrorCode::General,
    };
    let body = body(key, code, &error.facts().2);
    failed(error, Some(body))
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

/// Members of the context in a body.
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

/// Returns the API key, from the bearer token or `X-API-Key`: clients of the
/// protocol send either.
///
/// # Errors
/// `Unauthorized` unless there is exactly one key.
fn api_key(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all("x-api-key").iter();
    match (values.next(), values.next()) {
        (None, _) => bearer(headers),
        (Some(value), None) if !headers.contains_key(header::AUTHORIZATION) => {
            value.to_str().map(str::trim).map_err(|_| ApiError::Unauthorized)
        }
        _ => Err(ApiError::Unauthorized),
    }
}

/// Authenticated request of the protocol.
struct OfrepRequest {
    caller: Caller<Evaluate>,
    headers: HeaderMap,
    /// An error in the body is reported only when the experiment exists.
    body: Result<Json, ApiError>,
}

async fn authenticated(app: &App, request: Request) -> Result<OfrepRequest, ApiError> {
    let (mut parts, body) = request.into_parts();
    let caller = Caller::authenticate(&mut parts, app, api_key).await?;
    let headers = parts.headers.clone();
    let body = read_body(Request::from_parts(parts, body), &[MediaType::Json]).await.map(|sent| sent.json);
    Ok(OfrepRequest { caller, headers, body })
}

/// Evaluates one experiment.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/ofrep/v1/evaluate/flags/{experiment_key}", tag = "OpenFeature",
    operation_id = "evaluateFlag",
    request_body = crate::wire::schemas::EvaluationRequest,
    responses(
        (status = 200, description = "The visitor's variant, with the reason.", body = crate::wire::schemas::Evaluation),
        (status = 404, description = "No experiment has this key.", body = crate::wire::schemas::EvaluationFailure),
    ),
    extensions(("x-scope" = json!("evaluate")))
)]
pub(crate) async fn flag_evaluate(
    State(app): State<App>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    // A key that is not UTF-8 matches no experiment.
    let named = params.as_ref().ok().and_then(|params| params.iter().find(|(name, _)| *name == "experiment_key"));
    let key = named.map(|(_, key)| key).unwrap_or_default();
    evaluate_one(&app, key, request).await.unwrap_or_else(|error| translated(error, Some(key)))
}

async fn evaluate_one(app: &App, key: &str, request: Request) -> Result<Response, ApiError> {
    let OfrepRequest { caller, body, .. } = authenticated(app, request).await?;
    let delivery = app.rulesets.of(&caller.project).await?;
    let Some(experiment) = evaluation::find(app, &delivery, key).await? else {
        let details = "the project has no experiment with this key";
        return Ok(failure(StatusCode::NOT_FOUND, Some(key), ErrorCode::FlagNotFound, details));
    };
    let body = body?;
    let members = match context_of(&body, Some(key)) {
        Ok(members) => members,
        Err(response) => return Ok(*response),
    };
    let origin = context::origin(members, &app.visitors);
    Ok(match context::visitor(members, origin.as_ref(), app.now_ms()) {
        Ok(visitor) => evaluated(&experiment, &visitor),
        Err(problems) => bad_context(&problems, Some(key)),
    })
}

fn evaluated(experiment: &Experiment, visitor: &Visitor<'_>) -> Response {
    let mut out = Vec::with_capacity(320);
    FlagTemplate::of(experiment).write_flag(&mut out, experiment.decide(visitor, &mut NoopObserver));
    written(StatusCode::OK, out.into())
}

/// Evaluates every experiment that is delivered.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/ofrep/v1/evaluate/flags", tag = "OpenFeature",
    operation_id = "evaluateFlags",
    request_body = crate::wire::schemas::EvaluationRequest,
    responses(
        (status = 200, description = "Every experiment that is live or serves a winner, with an ETag.", body = crate::wire::schemas::Evaluations),
        (status = 304, description = "The result in If-None-Match is the current one."),
    ),
    extensions(("x-scope" = json!("evaluate")))
)]
pub(crate) async fn flags_evaluate(State(app): State<App>, request: Request) -> Response {
    evaluate_all(&app, request).await.unwrap_or_else(|error| translated(error, None))
}

async fn evaluate_all(app: &App, request: Request) -> Result<Response, ApiError> {
    let OfrepRequest { caller, headers, body } = authenticated(app, request).await?;
    let body = body?;
    let members = match context_of(&body, None) {
        Ok(members) => members,
        Err(response) => return Ok(*response),
    };
    let origin = context::origin(members, &app.visitors);
    let visitor = match context::visitor(members, origin.as_ref(), app.now_ms()) {
        Ok(visitor) => visitor,
        Err(problems) => return Ok(bad_context(&problems, None)),
    };
    let delivery = app.rulesets.of(&caller.project).await?;
    let (flags, version) = flags(&delivery, &visitor);
    if is_known(&headers, &version) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(tagged(response, &version));
    }
    let mut response = tagged(written(StatusCode::OK, flags), &version);
    // People who share a browser must not get each other's assignments.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_in_one_of_two_fields() {
        for (fields, expect) in [
            (&[("authorization", "Bearer k")][..], Some("k")),
            (&[("x-api-key", "k")], Some("k")),
            (&[("x-api-key", " k ")], Some("k")),
            (&[], None),
            (&[("authorization", "Basic k")], None),
            (&[("x-api-key", "k"), ("x-api-key", "k")], None),
            (&[("x-api-key", "k"), ("authorization", "Bearer k")], None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(*name, HeaderValue::from_static(value));
            }
            assert_eq!(api_key(&headers).ok(), expect, "{fields:?}");
        }
    }
}
