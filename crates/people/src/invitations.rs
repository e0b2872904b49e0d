//! Links for joining a company and for setting a new password.

use super::members::{ProjectRole, resolved, shown_projects};
use super::passwords::Turn;
use super::sessions::{actor_of, new_password};
use super::{Browser, NewSession, SignedIn, link_mac, token};
use crate::People;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_domain::ids::{CompanyId, InvitationId, PersonId};
use muriel_domain::person::{Access, Role};
use muriel_domain::time::DAY_US;
use muriel_domain::{Instant, Problems, person, text};
use muriel_sql::Tx;
use muriel_store::invitations::{self, INVITATIONS_MAX, Invitation, Purpose};
use muriel_store::people::{self, NewPerson, Person};
use muriel_store::{lock_people, sessions, tenants};
use serde_json::{Value, json};

/// Validity of an invitation, and of a link for a new password.
const INVITATION_US: i64 = 7 * DAY_US;
const RESET_US: i64 = DAY_US;
/// Validity of the link for the first owner; restarting the server makes a new one.
const FIRST_OWNER_US: i64 = 3_600_000_000;
/// Most people of a company.
pub(super) const PEOPLE_MAX: i64 = 10_000;
/// Maximum length of a company name, in characters.
const COMPANY_MAX: usize = 255;
const NOT_FOUND: Error = Error::NotFound("invitation");

/// A person to invite.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// E-mail address, in lower case.
    pub email: String,
    /// Role in the company.
    pub role: Role,
    /// Projects that the person is limited to; `None` for all.
    pub projects: Option<Vec<ProjectRole>>,
}

/// A new link.
#[derive(Debug, Clone)]
pub struct InvitationLink {
    /// Invitation id.
    pub id: InvitationId,
    /// The link, which is not stored.
    pub link: String,
    /// Time of expiry.
    pub expires_at: Instant,
}

/// Fields that a person with a link sends.
#[derive(Clone, Default)]
pub struct Accepted {
    /// Name of the person.
    pub name: Option<String>,
    /// New password.
    pub password: String,
    /// E-mail address; only for the first owner.
    pub email: Option<String>,
    /// Company name; only for the first owner of a database without a company.
    pub company: Option<String>,
}

/// A link's purpose, and the fields that it takes.
#[derive(Debug, Clone)]
pub struct InvitationShown {
    /// The invitation.
    pub invitation: Invitation,
    /// Company name.
    pub company: Option<String>,
    /// Fields that have to be sent.
    pub takes: Vec<&'static str>,
}

/// An invitation to store, and its token.
pub(super) struct NewLink {
    pub(super) invitation: Invitation,
    token: String,
    mac: [u8; 32],
}

impl NewLink {
    fn new(people: &People, purpose: Purpose, access: Access, lasts_us: i64) -> Result<Self> {
        let (token, now) = (token()?, people.clock.now());
        let invitation = Invitation {
            id: InvitationId(0),
            purpose,
            company_id: None,
            person: None,
            email: None,
            access,
            invited_by: String::new(),
            inviter: None,
            created_at: now,
            expires_at: now.plus_us(lasts_us),
        };
        Ok(Self { invitation, mac: link_mac(people, &token), token })
    }

    /// Creates a link for a new password.
    pub(super) fn reset(people: &People, person: &Person) -> Result<Self> {
        let mut link = Self::new(people, Purpose::Reset, person.access.clone(), RESET_US)?;
        link.invitation.company_id = Some(person.company_id);
        link.invitation.person = Some(person.id);
        link.invitation.email = Some(person.email.clone());
        Ok(link)
    }

    pub(super) async fn store(self, tx: &mut dyn Tx, people: &People) -> Result<InvitationLink> {
        let id = invitations::insert(tx, &self.invitation, &self.mac).await?;
        Ok(InvitationLink { id, link: people.link(&self.token), expires_at: self.invitation.expires_at })
    }
}

/// Creates a link for the first owner. `None` when somebody can already sign in; an error with
/// instructions when there are several companies.
///
/// # Errors
/// Several companies, and when the database cannot be reached.
pub async fn first_owner(people: &People) -> Result<Option<InvitationLink>> {
    let access = Access { role: Role::Owner, projects: None };
    let (acting, mut link) = (people.clone(), NewLink::new(people, Purpose::FirstOwner, access, FIRST_OWNER_US)?);
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                lock_people(tx, None).await?;
                if people::any(tx).await? {
                    return Ok(None);
                }
                invitations::purge(tx, acting.clock.now()).await?;
                let companies = tenants::companies(tx).await?;
                if companies.len() > 1 {
                    let message = "the database has several companies and nobody who can sign in; create an owner \
                                   for each with muriel person add --email … --role owner --company …";
                    return Err(Problems::one("company", message).into());
                }
                link.invitation.company_id = companies.first().map(|(id, _)| *id);
                link.invitation.invited_by = "serve".to_owned();
                Ok(Some(link.store(tx, &acting).await?))
            })
        })
        .await
}

/// Invites a person.
///
/// # Errors
/// `RoleTooLow`; projects that the company does not have; an address that is in use; too many people or
/// invitations; and when the database cannot be reached.
pub async fn invite(
    people: &People,
    actor: &Actor,
    company: CompanyId,
    own: Role,
    new: NewInvitation,
) -> Result<InvitationLink> {
    let access = Access { role: new.role, projects: None };
    let mut link = NewLink::new(people, Purpose::Invitation, access, INVITATION_US)?;
    link.invitation.company_id = Some(company);
    link.invitation.email = Some(new.email.clone());
    link.invitation.invited_by = actor.name().to_owned();
    link.invitation.inviter = actor.maker();
    let (acting, actor) = (people.clone(), actor.clone());
    people
        .write(company, move |tx| {
            Box::pin(async move {
                lock_people(tx, Some(company)).await?;
                let access = resolved(tx, company, new.role, new.projects).await?;
                super::members::check_may_give(own, &access)?;
                if people::by_email(tx, &new.email).await?.is_some() {
                    return Err(email_taken());
                }
                let open = invitations::list(tx, company, acting.clock.now()).await?.len() as i64;
                check_room(tx, company, open).await?;
                link.invitation.access = access;
                let invitation = link.invitation.clone();
                let made = link.store(tx, &acting).await?;
                let act = Act::of(&actor, company, acting.clock.now());
                let after = audit_value(tx, &invitation).await?;
                act.made(tx, "invite", object("invitation", made.id, &new.email), after).await?;
                Ok(made)
            })
        })
        .await
}

pub(super) fn email_taken() -> Error {
    Error::conflict(ConflictCode::EmailTaken, "an account with this e-mail address already exists")
}

/// Fails when a company has the maximum number of people or invitations.
pub(super) async fn check_room(tx: &mut dyn Tx, company: CompanyId, open: i64) -> Result<()> {
    if open >= INVITATIONS_MAX || people::count(tx, company).await? >= PEOPLE_MAX {
        let message = format!(
            "cannot be accepted: a company has at most {PEOPLE_MAX} people and {INVITATIONS_MAX} open invitations"
        );
        return Err(Problems::one("body", message).into());
    }
    Ok(())
}

async fn audit_value(tx: &mut dyn Tx, invitation: &Invitation) -> Result<Value> {
    let projects = shown_projects(tx, &invitation.access).await?;
    Ok(json!({ "email": invitation.email, "role": invitation.access.role.word(), "projects": projects }))
}

/// Withdraws an invitation that is not accepted yet.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn withdraw(people: &People, actor: &Actor, company: CompanyId, id: InvitationId) -> Result<()> {
    let (actor, now) = (actor.clone(), people.clock.now());
    people
        .write(company, move |tx| {
            Box::pin(async move {
                lock_people(tx, Some(company)).await?;
                let invitation = invitations::find_of(tx, company, id).await?.filter(|found| now < found.expires_at);
                let invitation = invitation.ok_or(NOT_FOUND)?;
                invitations::take(tx, id).await?;
                let email = invitation.email.clone().unwrap_or_default();
                let before = audit_value(tx, &invitation).await?;
                Act::of(&actor, company, now).removed(tx, "withdraw", object("invitation", id, &email), before).await
            })
        })
        .await
}

/// Returns the purpose of a link.
///
/// # Errors
/// `NotFound` for a link that was used, withdrawn or has expired, and when the database cannot be reached.
pub async fn show(people: &People, token: &str) -> Result<InvitationShown> {
    let (mac, now) = (link_mac(people, token), people.clock.now());
    people.read(move |tx| Box::pin(async move { shown(tx, &mac, now).await })).await
}

async fn shown(tx: &mut dyn Tx, mac: &[u8; 32], now: Instant) -> Result<InvitationShown> {
    let found = invitations::find(tx, mac).await?.filter(|invitation| now < invitation.expires_at);
    let invitation = found.ok_or(NOT_FOUND)?;
    // The link is for the first owner only: an older link is invalid once anybody can sign in.
    if invitation.purpose == Purpose::FirstOwner && people::any(tx).await? {
        return Err(NOT_FOUND);
    }
    let company = match invitation.company_id {
        Some(id) => Some(tenants::company_name(tx, id).await?),
        None => None,
    };
    let mut takes = Vec::new();
    if invitation.purpose == Purpose::FirstOwner {
        takes.push("email");
        if company.is_none() {
            takes.push("company");
        }
    }
    if invitation.purpose != Purpose::Reset {
        takes.push("name");
    }
    takes.push("password");
    Ok(InvitationShown { invitation, company, takes })
}

/// The sent fields, parsed for this link.
struct Checked {
    name: Option<String>,
    password: String,
    email: Option<String>,
    company: Option<String>,
}

fn checked(shown: &InvitationShown, sent: &Accepted) -> Result<Checked, Problems> {
    let mut problems = Problems::default();
    let mut field = |name: &'static str,
                     sent: &Option<String>,
                     read: &dyn Fn(&str) -> Result<String, muriel_domain::Flaw>| {
        match (shown.takes.contains(&name), sent) {
            (false, None) => None,
            (false, Some(_)) => {
                problems.add(name, "is not accepted by this link");
                None
            }
            (true, None) => {
                problems.add(name, "is required");
                None
            }
            (true, Some(text)) => read(text).map_err(|flaw| problems.add(name, flaw.to_string())).ok(),
        }
    };
    let name = field("name", &sent.name, &|text| person::name(text));
    let email = field("email", &sent.email, &|text| person::email(text));
    let company = field("company", &sent.company, &|name| text::name(name, COMPANY_MAX));
    let about = [&name, &email, &shown.invitation.email].map(|text| text.as_deref().unwrap_or_default());
    match new_password("password", &sent.password, &about) {
        Ok(password) if problems.is_empty() => Ok(Checked { name, password, email, company }),
        Ok(_) => Err(problems),
        Err(flawed) => {
            flawed.iter().for_each(|problem| problems.add(problem.field.clone(), problem.message.clone()));
            Err(problems)
        }
    }
}

/// Uses a link: creates the person, or sets the new password, and signs them in.
///
/// # Errors
/// `NotFound` as in [`show`]; problems of `sent`; an address that is in use; and when the database cannot be
/// reached.
pub async fn accept(people: &People, token: &str, sent: Result<Accepted>, browser: &Browser) -> Result<SignedIn> {
    let shown_now = show(people, token).await?;
    let checked = checked(&shown_now, &sent?)?;
    let hash = people.state.passwords.hash(checked.password.clone(), Turn::Known).await?;
    let (acting, mac, browser) = (people.clone(), link_mac(people, token), browser.clone());
    let company = shown_now.invitation.company_id;
    let signed_in = people.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            lock_people(tx, None).await?;
            if company.is_some() {
                lock_people(tx, company).await?;
            }
            let now = acting.clock.now();
            let InvitationShown { invitation, .. } = shown(tx, &mac, now).await?;
            if !invitations::take(tx, invitation.id).await? {
                return Err(NOT_FOUND);
            }
            let person = match invitation.person {
                Some(id) => with_password(tx, id, hash, now).await?,
                None => made(tx, &invitation, checked, hash, now).await?,
            };
            let new = NewSession::new(&acting, &person, "link", &browser)?;
            let signed_in = new.store(tx, person).await?;
            record(tx, &signed_in, &invitation, now).await?;
            Ok(signed_in)
        })
    });
    let signed_in = signed_in.await?;
    people.access_cache.invalidate();
    Ok(signed_in)
}

/// Sets a new password. All sessions end, and other links for a new password become invalid.
async fn with_password(tx: &mut dyn Tx, id: PersonId, hash: String, now: Instant) -> Result<Person> {
    let mut person = people::find(tx, id).await?.ok_or(NOT_FOUND)?;
    person.password = Some(hash);
    people::update(tx, &person).await?;
    invitations::withdraw_resets(tx, id, now).await?;
    sessions::revoke_all(tx, id, None).await?;
    Ok(person)
}

/// Creates the person that the link invites.
async fn made(tx: &mut dyn Tx, invitation: &Invitation, sent: Checked, hash: String, now: Instant) -> Result<Person> {
    let email =
        invitation.email.clone().or(sent.email).ok_or_else(|| Error::internal("a person has no e-mail address"))?;
    if people::by_email(tx, &email).await?.is_some() {
        return Err(email_taken());
    }
    let company_id = match (invitation.company_id, sent.company) {
        (Some(id), _) => id,
        (None, Some(name)) => tenants::company_ensure(tx, &name, now).await?,
        (None, None) => return Err(Error::internal("a person has no company")),
    };
    if invitation.purpose == Purpose::FirstOwner {
        invitations::withdraw_first(tx).await?;
    } else {
        check_room(tx, company_id, 0).await?;
    }
    let new = NewPerson {
        company_id,
        email,
        name: sent.name.unwrap_or_default(),
        access: invitation.access.clone(),
        password: Some(hash),
        oidc: None,
    };
    people::insert(tx, &new, now).await.map_err(|error| match error.unique() {
        Some("person_email_key") => email_taken(),
        _ => error.into(),
    })
}

async fn record(tx: &mut dyn Tx, signed_in: &SignedIn, invitation: &Invitation, now: Instant) -> Result<()> {
    let person = &signed_in.session.person;
    let actor = actor_of(&signed_in.session);
    let act = Act::of(&actor, person.company_id, now);
    let thing = object("person", person.id, &person.name);
    if invitation.purpose == Purpose::Reset {
        let (before, after) = (json!({}), json!({ "password": "new" }));
        return act.changed(tx, "reset password", thing, before, after).await;
    }
    let projects = shown_projects(tx, &person.access).await?;
    let after = json!({
        "email": person.email,
        "name": person.name,
        "role": person.access.role.word(),
        "projects": projects,
        "invited_by": invitation.invited_by,
    });
    act.made(tx, "join", thing, after).await
}
