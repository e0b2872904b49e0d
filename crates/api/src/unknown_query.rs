//! Refuses query parameters that an operation does not have. Ignoring a misspelt filter would return a wrong number.

use crate::error::ApiError;
use crate::wire::fields::nearest;
use crate::wire::query::pairs;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::Method;
use http::request::Parts;
use muriel_domain::Problems;
use std::collections::HashMap;
use std::sync::OnceLock;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

/// Operations that accept any parameter. The two lists ignore unknown parameters; the context of `explainAssignment`
/// has arbitrary names; providers add parameters of their own to `finishOidcSignIn`.
const OPEN: [&str; 4] = ["listExperiments", "listHypotheses", "explainAssignment", "finishOidcSignIn"];

/// The parameters of the contract. The router sets them, as it is the one who knows all operations.
static KNOWN: OnceLock<Parameters> = OnceLock::new();

/// Sets the parameters that [`check`] accepts. Only the first call has an effect.
pub(crate) fn set(contract: &OpenApi) {
    KNOWN.get_or_init(|| Parameters::of(contract));
}

/// Query parameters of each operation, by method and path.
pub(crate) struct Parameters(HashMap<(Method, String), Vec<String>>);

impl Parameters {
    /// Collects the parameters that the contract names.
    pub(crate) fn of(contract: &OpenApi) -> Self {
        let mut known = HashMap::new();
        for (path, item) in &contract.paths.paths {
            let operations = [
                (Method::GET, &item.get),
                (Method::POST, &item.post),
                (Method::PUT, &item.put),
                (Method::PATCH, &item.patch),
                (Method::DELETE, &item.delete),
            ];
            for (method, operation) in operations {
                let Some(operation) = operation.as_ref().filter(|operation| !is_open(operation)) else { continue };
                let names = operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
                    RefOr::T(one) if one.parameter_in == ParameterIn::Query => Some(one.name.clone()),
                    // Only path parameters are shared by reference.
                    RefOr::T(_) | RefOr::Ref(_) => None,
                });
                known.insert((method, path.clone()), names.collect());
            }
        }
        Self(known)
    }

    fn check(&self, method: &Method, path: &str, query: Option<&str>) -> Result<(), ApiError> {
        if query.is_none_or(str::is_empty) {
            return Ok(());
        }
        // HEAD is handled as GET.
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let Some(known) = self.0.get(&(method.clone(), path.to_owned())) else { return Ok(()) };
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let mut problems = Problems::default();
        for (name, _) in pairs(query) {
            // A name that is not text is reported by the operation itself.
            let name = name.unwrap_or_else(|| "?".to_owned());
            if known.contains(&name.as_str()) {
                continue;
            }
            let message = match (nearest(&name, &known), known.is_empty()) {
                (Some(near), _) => format!("is not a parameter of this operation; did you mean \"{near}\"?"),
                (None, true) => "is not a parameter of this operation, which has no parameters".to_owned(),
                (None, false) => {
                    format!("is not a parameter of this operation; known parameters: {}", known.join(", "))
                }
            };
            let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
            problems.add(shown, message);
        }
        if problems.is_empty() { Ok(()) } else { Err(ApiError::InvalidQuery(problems)) }
    }
}

fn is_open(operation: &Operation) -> bool {
    operation.operation_id.as_deref().is_some_and(|id| OPEN.contains(&id))
}

/// Refuses a request with query parameters that the operation does not have.
///
/// # Errors
/// `InvalidQuery`, which names each of them and a similar known parameter.
pub(crate) fn check(parts: &Parts) -> Result<(), ApiError> {
    let Some(path) = parts.extensions.get::<MatchedPath>() else { return Ok(()) };
    let known = KNOWN.get().ok_or_else(|| ApiError::internal("the router has not set the parameters of operations"))?;
    known.check(&parts.method, path.as_str(), parts.uri.query())
}

/// Middleware for operations that authenticate nobody. The others call [`check`] after authentication.
///
/// Operations for pages have neither: caches, proxies and old scripts add parameters, and a refused event is lost.
pub(crate) async fn refuse(request: Request, next: Next) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    check(&parts)?;
    Ok(next.run(Request::from_parts(parts, body)).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_are_not_there_are_refused() {
        let known = Parameters::of(crate::router::contract());
        let result = "/v2/project/{project_key}/experiment/{test_id}/result";
        for (method, path, query, expected) in [
            (Method::GET, result, None, None),
            (Method::GET, result, Some(""), None),
            (Method::GET, result, Some("filter_by=desktop"), None),
            (Method::GET, result, Some("device=desktop"), Some("known parameters: ")),
            (Method::GET, result, Some("filter-by=desktop"), Some("did you mean \"filter_by\"?")),
            (Method::HEAD, result, Some("nonsense=1"), Some("known parameters: ")),
            (Method::GET, result, Some("%FF=1"), Some("known parameters: ")),
            (Method::GET, "/v2/project/{project_key}/experiments", Some("nonsense=1"), None),
            (Method::GET, "/v2/project/{project_key}/hypotheses", Some("nonsense=1"), None),
            (Method::GET, "/v2/session/oidc/callback", Some("state=a&code=b&session_state=c"), None),
            (Method::GET, "/v2/project/{project_key}/goals", Some("nonsense=1"), Some("parameters: limit, offset")),
            (Method::POST, "/v2/project/{project_key}/goal", Some("dry_run=1"), Some("which has no parameters")),
        ] {
            let answer = known.check(&method, path, query);
            match (expected, answer) {
                (None, Ok(())) => {}
                (Some(expected), Err(ApiError::InvalidQuery(problems))) => {
                    assert!(
                        problems.iter().all(|one| one.message.contains(expected)),
                        "{path}?{query:?}: {problems:?}"
                    );
                }
                (expected, answer) => panic!("{path}?{query:?}: {expected:?} {answer:?}"),
            }
        }
    }

    #[test]
    fn the_open_operations_are_in_the_contract() {
        let items = crate::router::contract().paths.paths.values();
        let operations = items.flat_map(|item| [&item.get, &item.post]).flatten();
        assert_eq!(operations.filter(|operation| is_open(operation)).count(), OPEN.len());
    }
}
