//! Authentication and authorisation: the checks before anything else, in their fixed order.

use crate::edge::RequestContext;
use crate::error::ApiError;
use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use http::{HeaderMap, header};
use muriel_domain::access::Scope;
use muriel_domain::ids::CompanyId;
use muriel_service::access_cache::OutagePolicy;
use muriel_service::{Actor, App};
use muriel_store::tenants::Project;
use std::marker::PhantomData;
use std::sync::Arc;

/// A scope that an operation needs, as a type.
pub(crate) trait Needs: Send + Sync + 'static {
    const SCOPE: Scope;
    /// Whether the operation accepts cached keys while the database is away.
    const OUTAGE: OutagePolicy = OutagePolicy::Refuse;
}

/// Needs `read`.
pub(crate) struct Read;
/// Needs `write`.
pub(crate) struct Write;
/// Needs `admin`, for settings of the whole project.
pub(crate) struct Admin;
/// Needs `evaluate`.
pub(crate) struct Evaluate;
/// Needs `write`, for events, which are taken while the database is away too.
pub(crate) struct Report;

impl Needs for Read {
    const SCOPE: Scope = Scope::Read;
}

impl Needs for Write {
    const SCOPE: Scope = Scope::Write;
}

impl Needs for Admin {
    const SCOPE: Scope = Scope::Admin;
}

impl Needs for Report {
    const SCOPE: Scope = Scope::Write;
    const OUTAGE: OutagePolicy = OutagePolicy::UseCached;
}

impl Needs for Evaluate {
    const SCOPE: Scope = Scope::Evaluate;
    // Customers' servers can decide during an outage, as pages can.
    const OUTAGE: OutagePolicy = OutagePolicy::UseCached;
}

/// In the extensions of a request that may not change code, whatever the scopes of its key.
#[derive(Debug, Clone, Copy)]
pub struct WithoutCode;

/// A request's key, which has the scope that the operation needs, in the project of the path.
pub(crate) struct Caller<N> {
    /// The key, as the actor of acts.
    pub(crate) actor: Actor,
    /// The project of the path.
    pub(crate) project: Arc<Project>,
    needs: PhantomData<N>,
}

impl<N> Caller<N> {
    /// The company that owns both the key and the project.
    pub(crate) fn company_id(&self) -> CompanyId {
        self.project.company_id
    }
}

impl<N: Needs> FromRequestParts<App> for Caller<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Self::authenticate(parts, app, bearer).await
    }
}

impl<N: Needs> Caller<N> {
    /// The caller of a request. `read` gets the key from its headers.
    ///
    /// # Errors
    /// What `read` returns; `Unauthorized`; `NotFound` for a project that the key does not see; `MissingScope`.
    pub(crate) async fn authenticate(
        parts: &mut Parts,
        app: &App,
        read: fn(&HeaderMap) -> Result<&str, ApiError>,
    ) -> Result<Self, ApiError> {
        let context = RequestContext::from_request_parts(parts, app).await?;
        let params = RawPathParams::from_request_parts(parts, app).await.ok();
        let key = app.access_cache.key(read(&parts.headers)?, N::OUTAGE).await?;
        context.authenticated(&key.stored.id)?;
        let wanted = params.as_ref().and_then(|params| params.iter().find(|(name, _)| *name == "project_key"));
        let project = match wanted {
            Some((_, project_key)) => app.access_cache.project(project_key, N::OUTAGE).await?,
            None => None,
        };
        let grant = &key.stored.grant;
        let project = project
            .filter(|project| grant.sees(project.company_id, project.id))
            .ok_or(ApiError::NotFound("project"))?;
        if !grant.scopes.has(N::SCOPE) {
            return Err(ApiError::MissingScope(N::SCOPE.name()));
        }
        let key = match parts.extensions.get::<WithoutCode>() {
            Some(WithoutCode) => Arc::new(key.without(Scope::Code)),
            None => key,
        };
        Ok(Self { actor: Actor::Key(key), project, needs: PhantomData })
    }
}

/// The key in `Authorization: Bearer <key>`.
///
/// # Errors
/// `Unauthorized` when there is no such header, more than one, another scheme,
/// no key or more than one word.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(ApiError::Unauthorized) };
    let mut words = value.to_str().unwrap_or_default().split_ascii_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(scheme), Some(key), None) if scheme.eq_ignore_ascii_case("bearer") => Ok(key),
        _ => Err(ApiError::Unauthorized),
    }
}

/// Whether a request has a key, valid or not. Browsers send the credentials of sites that are
/// protected by a password, as many are under construction, along with events; those are ignored.
pub(crate) fn has_key(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        let scheme = value.to_str().unwrap_or_default().split_ascii_whitespace().next().unwrap_or_default();
        !["basic", "digest", "negotiate", "ntlm"].iter().any(|of_sites| scheme.eq_ignore_ascii_case(of_sites))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn one_bearer_header_with_one_key() {
        for (values, expect) in [
            (&["Bearer k"][..], Some("k")),
            (&["bearer k"], Some("k")),
            (&["BEARER   k"], Some("k")),
            (&[], None),
            (&["Bearer k", "Bearer k"], None),
            (&["Bearer "], None),
            (&["Bearer k l"], None),
            (&["Basic k"], None),
            (&["k"], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
            }
            assert_eq!(bearer(&headers).ok(), expect, "{values:?}");
        }
    }
}
