//! People of a company, and their access.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::InvitationLink;
use super::invitations::{NewLink, check_room, email_taken};
use super::passwords::Turn;
use super::sessions::new_password;
use crate::People;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_domain::access::Scope;
use muriel_domain::ids::{CompanyId, PersonId};
use muriel_domain::person::{Access, PROJECTS_MAX, Role};
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::invitations::{self, Invitation};
use muriel_store::passkeys;
use muriel_store::people::{self, NewPerson, Person};
use muriel_store::{lock_people, sessions, shares, tenants};
use serde::Serialize;
use serde_json::{Value, json};

const NOT_FOUND: Error = Error::NotFound("person");

/// A project that a person is limited to, with the role there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectRole {
    /// Project key.
    pub project_key: String,
    /// Role in the project; the role in the company where it was left out.
    #[serde(serialize_with = "word")]
    pub role: Option<Role>,
}

fn word<S: serde::Serializer>(role: &Option<Role>, serializer: S) -> Result<S::Ok, S::Error> {
    role.map(Role::word).serialize(serializer)
}

/// A requested change of a person.
#[derive(Debug, Clone, Default)]
pub struct PersonPatch {
    /// Name of the person.
    pub name: Option<String>,
    /// Role in the company.
    pub role: Option<Role>,
    /// Projects that the person is limited to; `Some(None)` for all.
    pub projects: Option<Option<Vec<ProjectRole>>>,
}

/// A person, with details for other people.
#[derive(Debug, Clone)]
pub struct ShownPerson {
    /// The person.
    pub person: Person,
    /// Projects that the person is limited to; `None` for all.
    pub projects: Option<Vec<ProjectRole>>,
    /// Number of passkeys.
    pub passkeys: usize,
}

/// The people of a company.
#[derive(Debug, Clone)]
pub struct Members {
    /// The people, oldest first.
    pub people: Vec<ShownPerson>,
    /// Open invitations, oldest first, each with its projects.
    pub invitations: Vec<(Invitation, Option<Vec<ProjectRole>>)>,
}

/// Builds the access for this role, limited to these projects.
///
/// # Errors
/// Projects that the company does not have or that are named twice, and an owner with limited access.
pub(super) async fn resolved(
    tx: &mut dyn Tx,
    company: CompanyId,
    role: Role,
    projects: Option<Vec<ProjectRole>>,
) -> Result<Access> {
    let Some(wanted) = projects else { return Ok(Access { role, projects: None }) };
    if role == Role::Owner {
        return Err(Problems::one("projects", "cannot be given to an owner, who sees all of the company").into());
    }
    let mut problems = Problems::default();
    let mut found = Vec::with_capacity(wanted.len());
    if wanted.is_empty() || wanted.len() > PROJECTS_MAX {
        problems.add("projects", format!("must name 1 to {PROJECTS_MAX} projects"));
    }
    let there = tenants::projects_of(tx, company).await?;
    for (index, ProjectRole { project_key, role: there_as }) in wanted.iter().take(PROJECTS_MAX).enumerate() {
        let place = format!("projects[{index}].project_key");
        let project_role = there_as.unwrap_or(role);
        if project_role == Role::Owner {
            problems.add(format!("projects[{index}].role"), "must be viewer, editor or admin: owner is company-wide");
        }
        match there.iter().find(|project| project.key == *project_key) {
            None => problems.add(place, "must be the key of one of the company's projects"),
            Some(project) if found.iter().any(|(id, _)| *id == project.id) => problems.add(place, "is a duplicate"),
            Some(project) => found.push((project.id, project_role)),
        }
    }
    if problems.is_empty() { Ok(Access { role, projects: Some(found) }) } else { Err(problems.into()) }
}

/// Returns the projects that a person is limited to, by key.
pub(super) async fn shown_projects(tx: &mut dyn Tx, access: &Access) -> Result<Option<Vec<ProjectRole>>> {
    let Some(limited) = &access.projects else { return Ok(None) };
    let mut shown = Vec::with_capacity(limited.len());
    for (id, role) in limited {
        if let Some(project) = tenants::project_by_id(tx, *id).await? {
            shown.push(ProjectRole { project_key: project.key, role: Some(*role) });
        }
    }
    Ok(Some(shown))
}

/// Checks that a person with the role `own` may grant this access.
pub(super) fn check_may_give(own: Role, access: &Access) -> Result<()> {
    let roles = access.projects.iter().flatten().map(|(_, role)| *role).chain([access.role]);
    if roles.into_iter().all(|role| own.may_give(role)) { Ok(()) } else { Err(Error::RoleTooLow) }
}

async fn shown(tx: &mut dyn Tx, person: Person) -> Result<ShownPerson> {
    let projects = shown_projects(tx, &person.access).await?;
    let passkeys = passkeys::list(tx, person.id).await?.len();
    Ok(ShownPerson { person, projects, passkeys })
}

/// Returns a person, with details for other people.
///
/// # Errors
/// `NotFound` for a person who was removed, and when the database cannot be reached.
pub async fn shown_one(people: &People, id: PersonId) -> Result<ShownPerson> {
    people
        .read(move |tx| {
            Box::pin(async move {
                let person = people::find(tx, id).await?.ok_or(NOT_FOUND)?;
                shown(tx, person).await
            })
        })
        .await
}

/// Returns the people of a company, and its open invitations.
pub async fn list(people: &People, company: CompanyId) -> Result<Members> {
    people.access_cache.flush().await?;
    let now = people.clock.now();
    people
        .read(move |tx| {
            Box::pin(async move {
                let mut all = Vec::new();
                for person in people::list(tx, company).await? {
                    all.push(shown(tx, person).await?);
                }
                let mut open = Vec::new();
                for invitation in invitations::list(tx, company, now).await? {
                    let projects = shown_projects(tx, &invitation.access).await?;
                    open.push((invitation, projects));
                }
                Ok(Members { people: all, invitations: open })
            })
        })
        .await
}

/// The audit log's fields of a person.
async fn audit_value(tx: &mut dyn Tx, person: &Person) -> Result<Value> {
    let projects = shown_projects(tx, &person.access).await?;
    Ok(json!({ "name": person.name, "role": person.access.role.word(), "projects": projects }))
}

/// Changes a person. `own` is the person id of the actor, and the actor's role in the company.
///
/// # Errors
/// `NotFound`; then a `patch` that could not be read; `RoleLacksScope`, `RoleTooLow`; removing the last
/// owner's role; and when the database cannot be reached.
pub async fn update(
    people: &People,
    actor: &Actor,
    company: CompanyId,
    own: (PersonId, Option<Role>),
    id: PersonId,
    patch: Result<PersonPatch>,
) -> Result<ShownPerson> {
    let (actor, now) = (actor.clone(), people.clock.now());
    let changed = people
        .write(company, move |tx| {
            Box::pin(async move {
                let (own_id, own_role) = own;
                let is_own = own_id == id;
                if !is_own && own_role.is_none_or(|role| role < Role::Admin) {
                    return Err(Error::RoleLacksScope(Scope::Admin));
                }
                lock_people(tx, Some(company)).await?;
                let before = find(tx, company, id).await?;
                let patch = patch?;
                let mut after = before.clone();
                if let Some(name) = patch.name {
                    after.name = name;
                }
                let role = patch.role.unwrap_or(before.access.role);
                after.access = match patch.projects {
                    None => Access { role, projects: before.access.projects.clone() },
                    Some(projects) => resolved(tx, company, role, projects).await?,
                };
                if role == Role::Owner && after.access.projects.is_some() {
                    return Err(
                        Problems::one("projects", "must be null for an owner, who sees all of the company").into()
                    );
                }
                if after.access != before.access || !is_own {
                    let own_role = own_role.ok_or(Error::RoleLacksScope(Scope::Admin))?;
                    check_may_give(own_role, &before.access)?;
                    check_may_give(own_role, &after.access)?;
                }
                check_owner_left(tx, &before, Some(&after)).await?;
                if after != before {
                    people::update(tx, &after).await?;
                    let (audit_before, audit_after) = (audit_value(tx, &before).await?, audit_value(tx, &after).await?);
                    let act = Act::of(&actor, company, now);
                    act.changed(tx, "update", object("person", id, &after.name), audit_before, audit_after).await?;
                }
                shown(tx, after).await
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(changed)
}

async fn find(tx: &mut dyn Tx, company: CompanyId, id: PersonId) -> Result<Person> {
    people::find(tx, id).await?.filter(|person| person.company_id == company).ok_or(NOT_FOUND)
}

/// Checks that the company still has an owner.
async fn check_owner_left(tx: &mut dyn Tx, before: &Person, after: Option<&Person>) -> Result<()> {
    let is_owner = |person: &Person| person.access.role == Role::Owner;
    if is_owner(before) && !after.is_some_and(is_owner) && people::owners(tx, before.company_id).await? <= 1 {
        let message = "the company needs an owner, and this is its last one; make somebody else an owner first";
        return Err(Error::conflict(ConflictCode::LastOwner, message));
    }
    Ok(())
}

/// Access that ended when a person was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// Number of ended sessions.
    pub sessions: i64,
    /// Links for a new password of this person.
    pub password_links: u64,
    /// Open invitations that the person made or was the recipient of.
    pub invitations: u64,
    /// Links to results that the person or the person's keys made.
    pub shares: u64,
    /// Id and name of keys that the person made and that were in use.
    pub keys: Vec<(String, String)>,
}

impl Ended {
    /// The audit log's fields.
    fn audit_value(&self) -> Value {
        let Self { sessions, password_links, invitations, shares, keys } = self;
        let keys: Vec<&str> = keys.iter().map(|(id, _)| &**id).collect();
        json!({ "ended": {
            "sessions": sessions, "password_links": password_links, "invitations": invitations, "shares": shares, "keys": keys,
        } })
    }
}

/// Removes a person. Sessions, keys, links and invitations that the person made end as well.
///
/// # Errors
/// `NotFound`; `RoleTooLow`; the last owner; and when the database cannot be reached.
pub async fn remove(people: &People, actor: &Actor, company: CompanyId, own: Role, id: PersonId) -> Result<Ended> {
    let (actor, now) = (actor.clone(), people.clock.now());
    let ended = people
        .write(company, move |tx| {
            Box::pin(async move {
                lock_people(tx, Some(company)).await?;
                let person = find(tx, company, id).await?;
                check_may_give(own, &person.access)?;
                check_owner_left(tx, &person, None).await?;
                let mut before = audit_value(tx, &person).await?;
                before["email"] = person.email.clone().into();
                let ended = Ended {
                    sessions: sessions::revoke_all(tx, id, None).await?,
                    password_links: invitations::withdraw_resets(tx, id, now).await?,
                    invitations: invitations::withdraw_of(tx, company, (id, &person.name, &person.email), now).await?,
                    shares: shares::revoke_of(tx, id, now, &actor.reference()).await?,
                    keys: crate::keys::revoke_of(tx, &actor, company, id, now).await?,
                };
                people::remove(tx, id, now).await?;
                let act = Act::of(&actor, company, now);
                let thing = object("person", id, &person.name);
                act.record(tx, "remove", thing, before.as_object().cloned(), ended.audit_value().as_object().cloned())
                    .await?;
                Ok(ended)
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(ended)
}

/// Returns everybody in the database with the name of their company, oldest first.
pub async fn all(people: &People) -> Result<Vec<(String, ShownPerson)>> {
    people
        .read(move |tx| {
            Box::pin(async move {
                let mut all = Vec::new();
                for (company, name) in tenants::companies(tx).await? {
                    for person in people::list(tx, company).await? {
                        all.push((name.clone(), shown(tx, person).await?));
                    }
                }
                Ok(all)
            })
        })
        .await
}

/// Creates a person from the command line: with a password, or with a link that sets one. Creates the
/// company if it is new. Returns the link, if there is one.
///
/// # Errors
/// An invalid name or password, an address that is in use, and when the database cannot be reached.
pub async fn add(
    people: &People,
    company: Option<String>,
    (email, name): (String, String),
    role: Role,
    password: Option<String>,
) -> Result<Option<InvitationLink>> {
    let password = password.map(|password| new_password("password", &password, &[&email, &name])).transpose()?;
    let company = company
        .map(|name| muriel_domain::text::name(&name, 255).map_err(|flaw| Problems::one("company", flaw.to_string())))
        .transpose()?;
    let hash = match password {
        Some(password) => Some(people.state.passwords.hash(password, Turn::Known).await?),
        None => None,
    };
    let (acting, now) = (people.clone(), people.clock.now());
    let link = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                lock_people(tx, None).await?;
                let company_id = company_of(tx, company, now).await?;
                lock_people(tx, Some(company_id)).await?;
                if people::by_email(tx, &email).await?.is_some() {
                    return Err(email_taken());
                }
                check_room(tx, company_id, 0).await?;
                let has_password = hash.is_some();
                let access = Access { role, projects: None };
                let new = NewPerson { company_id, email, name, access, password: hash, oidc: None };
                let person = people::insert(tx, &new, now).await?;
                if role == Role::Owner {
                    invitations::withdraw_first(tx).await?;
                }
                let mut after = audit_value(tx, &person).await?;
                after["email"] = person.email.clone().into();
                let act = Act::of(&Actor::COMMAND_LINE, company_id, now);
                act.made(tx, "add", object("person", person.id, &person.name), after).await?;
                if has_password {
                    Ok(None)
                } else {
                    Ok(Some(NewLink::reset(&acting, &person)?.store(tx, &acting).await?))
                }
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(link)
}

/// Returns the named company, which is created if it is new, or the only one.
async fn company_of(tx: &mut dyn Tx, name: Option<String>, now: Instant) -> Result<CompanyId> {
    if let Some(name) = name {
        return Ok(tenants::company_ensure(tx, &name, now).await?);
    }
    let companies = tenants::companies(tx).await?;
    match companies.as_slice() {
        [(id, _)] => Ok(*id),
        [] => Err(Problems::one("company", "is required: there is no company yet; name one to create it").into()),
        _ => Err(Problems::one("company", "is required: there are several companies").into()),
    }
}

/// Sets a new password for a person from the command line, or returns a link that sets one, and ends
/// all sessions. With `second_factor`, the authenticator and passkeys are removed too.
///
/// # Errors
/// `NotFound`, an invalid password, and when the database cannot be reached.
pub async fn reset(
    people: &People,
    email: String,
    password: Option<String>,
    second_factor: bool,
) -> Result<Option<InvitationLink>> {
    let password = password.map(|password| new_password("password", &password, &[&email])).transpose()?;
    let hash = match password {
        Some(password) => Some(people.state.passwords.hash(password, Turn::Known).await?),
        None => None,
    };
    let (acting, now) = (people.clone(), people.clock.now());
    let link = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let mut person = people::by_email(tx, &email).await?.ok_or(NOT_FOUND)?;
                lock_people(tx, Some(person.company_id)).await?;
                let link = match hash {
                    Some(hash) => {
                        person.password = Some(hash);
                        None
                    }
                    None => Some(NewLink::reset(&acting, &person)?),
                };
                if second_factor {
                    person.totp = None;
                    person.totp_pending = None;
                    people::recovery_codes_set(tx, person.id, &[]).await?;
                    passkeys::remove_all(tx, person.id).await?;
                }
                people::update(tx, &person).await?;
                invitations::withdraw_resets(tx, person.id, now).await?;
                sessions::revoke_all(tx, person.id, None).await?;
                let act = Act::of(&Actor::COMMAND_LINE, person.company_id, now);
                let after = json!({ "second_factor_removed": second_factor, "password": link.is_none() });
                act.made(tx, "reset", object("person", person.id, &person.name), after).await?;
                match link {
                    Some(link) => Ok(Some(link.store(tx, &acting).await?)),
                    None => Ok(None),
                }
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(link)
}
