//! Inbox, watching experiments, and the people whom comments can mention.

use super::experiments::id_in;
use super::read_body;
use crate::answer::json;
use crate::auth::{Caller, Member, PersonIn, Read};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::{inbox as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_domain::ids::{EntryId, PersonId};
use muriel_domain::person::NAME_MAX;
use muriel_http::body::MediaType;
use muriel_service::{App, inbox, project_people, watching};

/// Lists the caller's inbox, newest first.
///
/// The inbox contains events of experiments that the caller watches, comments on them, mentions, and proposals that the
/// caller may approve. Entries of projects that the caller cannot see any more are not listed. The last 500 entries are
/// stored.
#[utoipa::path(
    get, path = "/v2/inbox", tag = "Inbox", operation_id = "listInbox",
    params(
        ("unread" = inline(Option<bool>), Query, description = "`true` lists only unread entries."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 100. Larger values count as 100."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::Inbox)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn inbox_list(State(app): State<App>, member: Member<Read>, uri: Uri) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["unread", "limit", "cursor"]);
    let unread = query.switch("unread");
    let limit = usize::try_from(query.limit(50, 100)).unwrap_or(1);
    let before = query.cursor(|text| EntryId::parse(text).map(|id| id.0));
    query.finish()?;
    let found = inbox::page(&app, member.session.person.id, unread, before, limit).await?;
    let next_cursor = found.entries.last().filter(|_| found.has_more).map(|last| last.id.to_string());
    let (names, unread) = (found.names, found.unread.count);
    let entries = found.entries.into_iter().map(|entry| views::InboxEntry::new(entry, &names)).collect();
    json(StatusCode::OK, &views::Inbox { success: true, unread, entries, next_cursor })
}

/// Counts the caller's unread entries.
#[utoipa::path(
    get, path = "/v2/inbox/unread", tag = "Inbox", operation_id = "countInbox",
    responses((status = 200, description = "The number, up to 100.", body = views::InboxCount)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn inbox_count(State(app): State<App>, member: Member<Read>, uri: Uri) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let unread = inbox::unread(&app, member.session.person.id).await?;
    let newest_unread = unread.newest.map(|id| id.0);
    json(StatusCode::OK, &views::InboxCount { success: true, unread: unread.count, newest_unread })
}

/// Marks an entry of the caller's inbox as read or unread.
#[utoipa::path(
    patch, path = "/v2/inbox/{entry_id}", tag = "Inbox", operation_id = "updateInboxEntry",
    request_body = schemas::InboxEntryBody,
    responses((status = 200, description = "The entry was marked.", body = views::InboxEntryMarked)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn inbox_mark(
    State(app): State<App>,
    member: Member<Read>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await;
    let id = EntryId::parse(&id).ok_or(ApiError::NotFound("inbox entry"))?;
    let read = sent.and_then(|sent| Ok(wire::entry(&sent.json)?));
    let is_read = read.as_ref().copied().unwrap_or_default();
    let unread = inbox::mark(&app, member.session.person.id, id, read.map_err(muriel_context::Error::from)).await?;
    json(
        StatusCode::OK,
        &views::InboxEntryMarked { success: true, entry_id: id.0, read: is_read, unread: unread.count },
    )
}

/// Marks the caller's whole inbox as read.
#[utoipa::path(
    post, path = "/v2/inbox/read", tag = "Inbox", operation_id = "readInbox",
    request_body = schemas::InboxReadBody,
    responses((status = 200, description = "The entries are marked as read.", body = views::InboxMarked)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn inbox_read(
    State(app): State<App>,
    member: Member<Read>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let until = wire::until(&sent.json)?;
    let (marked, unread) = inbox::mark_all(&app, member.session.person.id, until).await?;
    json(StatusCode::OK, &views::InboxMarked { success: true, marked, unread: unread.count })
}

/// Person who sends the request.
fn person(caller: &Caller<Read>) -> Result<PersonId, ApiError> {
    caller.actor.person().ok_or(ApiError::SessionNeeded)
}

/// Returns whether the caller watches an experiment.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/watch", tag = "Inbox", operation_id = "getWatch",
    responses((status = 200, description = "Whether the person watches the experiment, and the number of watchers.", body = views::WatchAnswer)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn watch_show(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let state = watching::show(&app, caller.project.id, id, person(&caller)?).await?;
    json(StatusCode::OK, &views::WatchAnswer::new(id.0, state))
}

/// Watches an experiment: its events are added to the caller's inbox.
#[utoipa::path(
    put, path = "/v2/project/{project_key}/experiment/{test_id}/watch", tag = "Inbox", operation_id = "watchExperiment",
    responses((status = 200, description = "The person watches the experiment.", body = views::WatchAnswer)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn watch_begin(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    watch(&app, &caller, &id, true).await
}

/// Stops watching an experiment. The caller's own comments and mentions do not start it again.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/experiment/{test_id}/watch", tag = "Inbox", operation_id = "unwatchExperiment",
    responses((status = 200, description = "The person does not watch the experiment.", body = views::WatchAnswer)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn watch_stop(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    watch(&app, &caller, &id, false).await
}

async fn watch(app: &App, caller: &Caller<Read>, id: &str, watching: bool) -> Result<Response, ApiError> {
    let id = id_in(id)?;
    let state = watching::set(app, caller.project.id, id, person(caller)?, watching).await?;
    json(StatusCode::OK, &views::WatchAnswer::new(id.0, state))
}

/// Lists the people who see a project, whom comments can mention.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/people", tag = "Inbox", operation_id = "listProjectPeople",
    params(
        ("search" = inline(Option<String>), Query, max_length = 255, description = "Only people whose name contains this text, in any letter case."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Maximum number of people; 20 unless given, at most 100. Larger values count as 100."),
    ),
    responses((status = 200, description = "The people.", body = views::ProjectPeople)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn project_people(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["search", "limit"]);
    let search = query.text("search", NAME_MAX).unwrap_or_default();
    let limit = usize::try_from(query.limit(20, 100)).unwrap_or(1);
    query.finish()?;
    let (found, has_more) = project_people::search(&app, caller.project.id, &search, limit).await?;
    let people = found.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::ProjectPeople { success: true, people, has_more })
}
