//! Authentication and authorisation: checks that run before the handler, in a fixed order.

use crate::error::ApiError;
use crate::{sessions, unknown_query};
use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use http::{HeaderMap, header};
use muriel_context::Actor;
use muriel_context::access_cache::{KnownSession, OutagePolicy};
use muriel_domain::access::Scope;
use muriel_domain::ids::CompanyId;
use muriel_domain::person::Role;
use muriel_http::request::RequestContext;
use muriel_service::{App, Principal};
use muriel_store::tenants::Project;
use std::marker::PhantomData;
use std::sync::Arc;

/// Scope that an operation needs, as a type parameter.
pub(crate) trait Needs: Send + Sync + 'static {
    const SCOPE: Scope;
    /// Policy for cached keys while the database cannot be reached.
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
/// Needs `write`, for events. They are accepted during a database outage too.
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
    // Customers' servers can evaluate during an outage, as pages can.
    const OUTAGE: OutagePolicy = OutagePolicy::UseCached;
}

/// Request extension: the request may not change code, whatever the scopes of its key.
#[derive(Debug, Clone, Copy)]
pub struct WithoutCode;

/// Authenticated caller of a project operation, with the scope that the operation needs. Either the holder of an API
/// key or a signed-in person. If the request has a key, its session cookie is ignored.
pub(crate) struct Caller<N> {
    /// Caller as an actor of the service.
    pub(crate) actor: Actor,
    /// Project named in the path.
    pub(crate) project: Arc<Project>,
    needs: PhantomData<N>,
}

impl<N> Caller<N> {
    /// The company that owns the project.
    pub(crate) fn company_id(&self) -> CompanyId {
        self.project.company_id
    }
}

impl<N: Needs> FromRequestParts<App> for Caller<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let principal = principal(parts, app, N::OUTAGE).await?;
        Self::of(parts, app, &principal).await
    }
}

impl<N: Needs> Caller<N> {
    /// Authenticates a request that needs an API key. `read` gets the key from the headers.
    ///
    /// # Errors
    /// `KeyNeeded`; `NotFound` for a project that the key does not see; `MissingScope`.
    pub(crate) async fn authenticate(
        parts: &mut Parts,
        app: &App,
        read: fn(&HeaderMap) -> Result<&str, ApiError>,
    ) -> Result<Self, ApiError> {
        let principal = with_key(parts, app, read, N::OUTAGE).await.map_err(without_session)?;
        Self::of(parts, app, &principal).await
    }

    async fn of(parts: &mut Parts, app: &App, principal: &Principal) -> Result<Self, ApiError> {
        let params = RawPathParams::from_request_parts(parts, app).await.ok();
        let wanted = params.as_ref().and_then(|params| params.iter().find(|(name, _)| *name == "project_key"));
        let key = wanted.map(|(_, key)| key);
        let (actor, project) = principal.in_project(app, key, N::SCOPE, N::OUTAGE).await?;
        unknown_query::check(parts)?;
        let actor = if parts.extensions.get::<WithoutCode>().is_some() { actor.without(Scope::Code) } else { actor };
        Ok(Self { actor, project, needs: PhantomData })
    }
}

/// Like [`Caller`], for operations that only programs call, with a key.
pub(crate) struct KeyCaller<N>(PhantomData<N>);

impl<N: Needs> FromRequestParts<App> for KeyCaller<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Caller::<N>::authenticate(parts, app, bearer).await?;
        Ok(Self(PhantomData))
    }
}

/// Like [`Caller`], for operations that only people call. A key gets 403.
pub(crate) struct PersonIn<N>(pub(crate) Caller<N>);

impl<N: Needs> FromRequestParts<App> for PersonIn<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, app).await?;
        match caller.actor {
            Actor::Key(_) => Err(ApiError::SessionNeeded),
            Actor::Person(_) | Actor::System(_) => Ok(Self(caller)),
        }
    }
}

/// Authenticated caller of a company-wide operation, with the scope that the operation needs.
pub(crate) struct CompanyCaller<N> {
    /// Key or session that authenticated the request.
    pub(crate) principal: Principal,
    /// Caller as an actor of the service.
    pub(crate) actor: Actor,
    needs: PhantomData<N>,
}

impl<N: Needs> FromRequestParts<App> for CompanyCaller<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let principal = principal(parts, app, N::OUTAGE).await?;
        let actor = principal.in_company(N::SCOPE)?;
        unknown_query::check(parts)?;
        Ok(Self { principal, actor, needs: PhantomData })
    }
}

/// Signed-in person who calls a company-wide operation, with the scope that the operation needs. A key gets 403.
pub(crate) struct Member<N> {
    /// The session.
    pub(crate) session: Arc<KnownSession>,
    /// Person as an actor of the service.
    pub(crate) actor: Actor,
    needs: PhantomData<N>,
}

impl<N> Member<N> {
    /// The company.
    pub(crate) fn company_id(&self) -> CompanyId {
        self.session.person.company_id
    }

    /// Role in the company. None for people whose access is limited to projects.
    pub(crate) fn role(&self) -> Option<Role> {
        self.session.person.access.in_company()
    }
}

impl<N: Needs> FromRequestParts<App> for Member<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        match principal(parts, app, N::OUTAGE).await? {
            Principal::Key(_) => Err(ApiError::SessionNeeded),
            Principal::Session(session) => {
                let actor = Principal::Session(session.clone()).in_company(N::SCOPE)?;
                unknown_query::check(parts)?;
                Ok(Self { session, actor, needs: PhantomData })
            }
        }
    }
}

/// Authenticates with the key in the header if there is one, otherwise with the session cookie.
async fn principal(parts: &mut Parts, app: &App, outage: OutagePolicy) -> Result<Principal, ApiError> {
    if !has_key(&parts.headers)
        && let Some(token) = sessions::token(parts, app)?
    {
        let context = RequestContext::from_request_parts(parts, app).await?;
        let session = app.access_cache.session(&token).await?;
        context.authenticated(&format!("person {}", session.person.id))?;
        sessions::check_change(parts, app, &session)?;
        return Ok(Principal::Session(session));
    }
    with_key(parts, app, bearer, outage).await
}

/// Authenticates with a key, which `read` gets from the headers.
async fn with_key(
    parts: &mut Parts,
    app: &App,
    read: fn(&HeaderMap) -> Result<&str, ApiError>,
    outage: OutagePolicy,
) -> Result<Principal, ApiError> {
    let context = RequestContext::from_request_parts(parts, app).await?;
    let key = app.access_cache.key(read(&parts.headers)?, outage).await?;
    context.authenticated(&key.stored.id)?;
    Ok(Principal::Key(key))
}

/// Maps `Unauthorized` to `KeyNeeded`, for operations that do not accept a session.
pub(crate) fn without_session(error: ApiError) -> ApiError {
    match error {
        ApiError::Unauthorized => ApiError::KeyNeeded,
        other => other,
    }
}

/// Returns the key in `Authorization: Bearer <key>`.
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

/// Returns whether the request has a key, valid or not. Ignores HTTP authentication schemes: many sites under
/// construction are protected by a password, and their browsers send those credentials along with events.
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
