//! The people of a company, and invitation links.

use super::{read_body, session};
use crate::answer::json;
use crate::auth::{Admin, CompanyCaller, Member, Read};
use crate::error::{ApiError, conflict_codes};
use crate::sessions::{self, FromBrowser, OwnPage};
use crate::wire::query::Query;
use crate::wire::{person as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::{EmailTaken, LastOwner};
use muriel_domain::ids::{InvitationId, PersonId};
use muriel_http::body::MediaType;
use muriel_people as people;
use muriel_service::App;

/// Lists the people of the company, and its open invitations.
#[utoipa::path(
    get, path = "/v2/people", tag = "People", operation_id = "listPeople",
    responses((status = 200, description = "The people.", body = views::PeopleList)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn person_list(
    State(app): State<App>,
    caller: CompanyCaller<Admin>,
    uri: Uri,
) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let found = people::list(&app.people, caller.principal.company_id()).await?;
    let people: Vec<views::Person> = found.people.into_iter().map(Into::into).collect();
    let invitations = found.invitations.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::PeopleList { success: true, count: people.len(), people, invitations })
}

/// Creates an invitation link.
///
/// No message is sent: give the link to the person. It works once, and is valid for seven days.
#[utoipa::path(
    post, path = "/v2/invitation", tag = "People", operation_id = "createInvitation",
    request_body = schemas::InvitationBody,
    responses((status = 201, description = "The link.", body = views::InvitationCreated)),
    extensions(
        ("x-scope" = json!("admin")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[EmailTaken]))),
    )
)]
pub(crate) async fn invitation_create(
    State(app): State<App>,
    member: Member<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = wire::invitation(&sent.json)?;
    let own = member.role().ok_or(ApiError::RoleTooLow)?;
    let made = people::invite(&app.people, &member.actor, member.company_id(), own, new).await?;
    let (link, expires_at) = (made.link, made.expires_at);
    let answer = views::InvitationCreated { success: true, invitation_id: made.id.0, link, expires_at };
    json(StatusCode::CREATED, &answer)
}

/// Returns the purpose of an invitation link.
///
/// `token` is the part of the link after `#`. A link that was used or withdrawn, or has expired, gets 404.
#[utoipa::path(
    get, path = "/v2/invitation/{token}", tag = "People", operation_id = "getInvitation",
    responses((status = 200, description = "The company, the role and the projects that the invitation gives.", body = views::InvitationAnswer)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn invitation_show(State(app): State<App>, Path(token): Path<String>) -> Result<Response, ApiError> {
    let shown = people::show(&app.people, &token).await?;
    let invitation = shown.invitation;
    let answer = views::InvitationAnswer {
        success: true,
        purpose: invitation.purpose.word(),
        email: invitation.email,
        company: shown.company,
        role: invitation.access.role.word(),
        takes: shown.takes,
        expires_at: invitation.expires_at,
    };
    json(StatusCode::OK, &answer)
}

/// Accepts a link: creates the person or sets the new password, and signs the person in.
///
/// The response sets the session cookie.
#[utoipa::path(
    post, path = "/v2/invitation/{token}", tag = "People", operation_id = "acceptInvitation",
    request_body = schemas::AcceptBody,
    responses((status = 201, description = "The person is signed in.", body = views::SessionAnswer)),
    extensions(
        ("x-scope" = json!("none")),
        ("x-callers" = json!("anybody")),
        ("x-conflicts" = json!(conflict_codes(&[EmailTaken]))),
    )
)]
pub(crate) async fn invitation_accept(
    State(app): State<App>,
    _: OwnPage,
    FromBrowser(browser): FromBrowser,
    Path(token): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wire::accepted(&sent.json)?));
    let signed_in = people::accept(&app.people, &token, sent.map_err(Into::into), &browser).await?;
    let answer = session::shown(&app, &signed_in.session).await?;
    Ok(sessions::signed_in(json(StatusCode::CREATED, &answer)?, &app, &signed_in))
}

/// Withdraws an invitation that was not accepted yet.
#[utoipa::path(
    delete, path = "/v2/people/invitation/{invitation_id}", tag = "People", operation_id = "withdrawInvitation",
    responses((status = 200, description = "The invitation was withdrawn; its link no longer works.", body = views::InvitationWithdrawn)),
    extensions(("x-scope" = json!("admin")), ("x-callers" = json!("session")))
)]
pub(crate) async fn invitation_withdraw(
    State(app): State<App>,
    member: Member<Admin>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = InvitationId::parse(&id).ok_or(ApiError::NotFound("invitation"))?;
    people::withdraw(&app.people, &member.actor, member.company_id(), id).await?;
    json(StatusCode::OK, &views::InvitationWithdrawn { success: true, invitation_id: id.0, deleted: true })
}

/// Updates a person's name, role or projects. Only fields that are sent change.
///
/// Everybody may change their own name; other changes need the role admin. The last owner cannot lose that role.
#[utoipa::path(
    patch, path = "/v2/person/{person_id}", tag = "People", operation_id = "updatePerson",
    request_body = schemas::PersonPatch,
    responses((status = 200, description = "All changes were applied.", body = views::PersonChanged)),
    extensions(
        ("x-scope" = json!("read")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[LastOwner]))),
    )
)]
pub(crate) async fn person_update(
    State(app): State<App>,
    member: Member<Read>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    // A malformed id is treated as an unknown one.
    let id = PersonId::parse(&id).unwrap_or(PersonId(0));
    let patch = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wire::patch(&sent.json)?));
    let own = (member.session.person.id, member.role());
    let (company, patch) = (member.company_id(), patch.map_err(Into::into));
    let changed = people::update(&app.people, &member.actor, company, own, id, patch).await?;
    json(StatusCode::OK, &views::PersonChanged { success: true, person: changed.into() })
}

/// Removes a person, and revokes the access that they had or gave. History keeps their name.
///
/// Their sessions, invitations, result and preview links, and API keys are revoked. The response counts them and names
/// the keys. Where `oidc.domains` admits people, a removed person can return only with a new invitation. The last owner
/// cannot be removed.
#[utoipa::path(
    delete, path = "/v2/person/{person_id}", tag = "People", operation_id = "removePerson",
    responses((status = 200, description = "The person was removed.", body = views::PersonRemoved)),
    extensions(
        ("x-scope" = json!("admin")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[LastOwner]))),
    )
)]
pub(crate) async fn person_remove(
    State(app): State<App>,
    member: Member<Admin>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = PersonId::parse(&id).ok_or(ApiError::NotFound("person"))?;
    let own = member.role().ok_or(ApiError::RoleTooLow)?;
    let ended = people::remove(&app.people, &member.actor, member.company_id(), own, id).await?.into();
    json(StatusCode::OK, &views::PersonRemoved { success: true, person_id: id.0, deleted: true, ended })
}
