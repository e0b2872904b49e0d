//! The authenticated caller and its permissions: one rule for keys and people.

use crate::app::App;
use muriel_context::access_cache::{KnownKey, KnownSession, OutagePolicy};
use muriel_context::actor::{Actor, PersonActor};
use muriel_context::error::{Error, Result};
use muriel_domain::access::{Scope, Scopes};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_store::tenants::Project;
use std::sync::Arc;

/// An authenticated caller, before its permissions are checked.
#[derive(Clone)]
pub enum Principal {
    /// The holder of an API key.
    Key(Arc<KnownKey>),
    /// A signed-in person.
    Session(Arc<KnownSession>),
}

impl Principal {
    /// Company whose projects the caller can see.
    pub fn company_id(&self) -> CompanyId {
        match self {
            Principal::Key(key) => key.stored.grant.company_id,
            Principal::Session(session) => session.person.company_id,
        }
    }

    /// Returns the caller's actor in the project with this key, and the project.
    ///
    /// # Errors
    /// `NotFound` for a project that the caller cannot see; then `MissingScope` or `RoleLacksScope`;
    /// and when the database cannot be reached.
    pub async fn in_project(
        &self,
        app: &App,
        project_key: Option<&str>,
        scope: Scope,
        outage: OutagePolicy,
    ) -> Result<(Actor, Arc<Project>)> {
        const UNKNOWN: Error = Error::NotFound("project");
        let project = match project_key {
            Some(key) => app.access_cache.project(key, outage).await?,
            None => None,
        };
        let project = project.ok_or(UNKNOWN)?;
        let actor = self.actor_in(&project).ok_or(UNKNOWN)?;
        actor.require(scope)?;
        Ok((actor, project))
    }

    /// Returns the caller's actor in a project; `None` where the caller cannot see it.
    fn actor_in(&self, project: &Project) -> Option<Actor> {
        match self {
            Principal::Key(key) => {
                key.stored.grant.sees(project.company_id, project.id).then(|| Actor::Key(key.clone()))
            }
            Principal::Session(session) => {
                let (role, scopes) =
                    session.in_project(project.id).filter(|_| project.company_id == self.company_id())?;
                Some(Actor::Person(PersonActor { session: session.clone(), role, scopes }))
            }
        }
    }

    /// Returns the caller's actor for the whole company. A caller that is limited to some projects may
    /// read there, and finds only objects of these projects.
    ///
    /// # Errors
    /// `MissingScope` or `RoleLacksScope`.
    pub fn in_company(&self, scope: Scope) -> Result<Actor> {
        let (actor, is_limited) = match self {
            Principal::Key(key) => (Actor::Key(key.clone()), key.stored.grant.projects.is_some()),
            Principal::Session(session) => {
                let access = &session.person.access;
                let role = access.role;
                let scopes = match access.in_company() {
                    Some(role) => role.scopes(false),
                    None => Scopes::of(&[Scope::Read]),
                };
                let person = PersonActor { session: session.clone(), role, scopes };
                (Actor::Person(person), access.projects.is_some())
            }
        };
        actor.require(scope)?;
        if is_limited && scope != Scope::Read { Err(actor.lacks(scope)) } else { Ok(actor) }
    }

    /// Projects that the caller is limited to; `None` for all of the company.
    pub fn projects(&self) -> Option<Vec<ProjectId>> {
        match self {
            Principal::Key(key) => key.stored.grant.projects.clone(),
            Principal::Session(session) => {
                let projects = session.person.access.projects.as_ref()?;
                Some(projects.iter().map(|(id, _)| *id).collect())
            }
        }
    }

    /// Scopes of the caller in a project of the company; `None` where the caller cannot see it.
    pub fn scopes_in(&self, project: ProjectId) -> Option<Scopes> {
        match self {
            Principal::Key(key) => {
                let grant = &key.stored.grant;
                grant.sees(grant.company_id, project).then_some(grant.scopes)
            }
            Principal::Session(session) => session.in_project(project).map(|(_, scopes)| scopes),
        }
    }
}
