//! The inbox: notifications about experiments that people watch, comments that mention them, and proposals.
//!
//! The acts themselves write the entries, see [`muriel_store::inbox`]. This module reads and marks
//! them, and selects the people whom comments and proposals concern.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use muriel_context::actors::Names;
use muriel_context::error::{Error, Result};
use muriel_domain::access::Scope;
use muriel_domain::ids::{EntryId, ExperimentId, PersonId, ProjectId};
use muriel_domain::inbox::ASKED_MAX;
use muriel_sql::Tx;
use muriel_store::inbox::{self, Entry, Unread};
use muriel_store::{people, tenants, watches};
use std::collections::BTreeSet;

const NOT_FOUND: Error = Error::NotFound("inbox entry");

/// A page of a person's inbox.
#[derive(Debug)]
pub struct InboxPage {
    /// The entries, newest first.
    pub entries: Vec<Entry>,
    /// True when a further page exists.
    pub has_more: bool,
    /// Unread entries on all pages: their number and the newest.
    pub unread: Unread,
    /// Display names of the actors.
    pub names: Names,
}

/// Returns the entries of a person's inbox before the one with the id `before`, newest first; only
/// unread ones if `unread`.
pub async fn page(app: &App, person: PersonId, unread: bool, before: Option<i64>, limit: usize) -> Result<InboxPage> {
    app.read(move |tx| {
        Box::pin(async move {
            let (before, one_more) = (before.unwrap_or(i64::MAX), i64::try_from(limit).unwrap_or(0) + 1);
            let mut entries = inbox::page(tx, person, unread, before, one_more).await?;
            let has_more = entries.len() > limit;
            entries.truncate(limit);
            let names = Names::of(tx, entries.iter().map(|entry| entry.actor.as_str())).await?;
            let unread = inbox::unread(tx, person).await?;
            Ok(InboxPage { entries, has_more, unread, names })
        })
    })
    .await
}

/// Returns the number of a person's unread entries, and the newest of them.
pub async fn unread(app: &App, person: PersonId) -> Result<Unread> {
    app.read(move |tx| Box::pin(async move { Ok(inbox::unread(tx, person).await?) })).await
}

/// Marks an entry of a person's inbox as read or unread. Returns the unread entries after that.
///
/// # Errors
/// `NotFound`; then an `is_read` that could not be read; and when the database cannot be reached.
pub async fn mark(app: &App, person: PersonId, id: EntryId, is_read: Result<bool>) -> Result<Unread> {
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                if !inbox::has(tx, person, id).await? {
                    return Err(NOT_FOUND);
                }
                inbox::mark(tx, person, id, is_read?).await?;
                Ok(inbox::unread(tx, person).await?)
            })
        })
        .await
}

/// Marks a person's entries up to the id `until` as read, or all of them without one. Returns how many
/// were marked, and the unread entries after that.
pub async fn mark_all(app: &App, person: PersonId, until: Option<i64>) -> Result<(u64, Unread)> {
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let marked = inbox::mark_all(tx, person, until.unwrap_or(i64::MAX)).await?;
                Ok((marked, inbox::unread(tx, person).await?))
            })
        })
        .await
}

/// Newest entry up to which inboxes were trimmed.
#[derive(Debug, Default)]
pub struct Trimmed(i64);

/// Deletes entries above the limit per person, for people who got entries since the last run. Several
/// nodes may run it. Returns the number of deleted entries.
pub async fn trim(app: &App, trimmed: &mut Trimmed) -> Result<u64> {
    let after = trimmed.0;
    let (last, overfull) = app
        .read(move |tx| {
            Box::pin(async move {
                let last = inbox::last(tx).await?;
                Ok((last, inbox::overfull(tx, after, last).await?))
            })
        })
        .await?;
    let mut deleted = 0;
    for person in overfull {
        let delete = app.db.write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let mut deleted = 0;
                loop {
                    match inbox::trim(tx, person).await? {
                        0 => return Ok(deleted),
                        some => deleted += some,
                    }
                }
            })
        });
        deleted += delete.await?;
    }
    trimmed.0 = last;
    Ok(deleted)
}

/// Returns the people whom a proposal waits for: those who can see the project and may make such a
/// change, except those who stopped watching the experiment. Watchers come first, because at most
/// [`ASKED_MAX`] people are asked.
pub(crate) async fn deciders(
    tx: &mut dyn Tx,
    project: ProjectId,
    id: ExperimentId,
    with_code: bool,
) -> Result<Vec<PersonId>> {
    let editors_have_code = tenants::settings(tx, project).await?.editors_have_code;
    let may = |member: &people::Member| {
        let scopes = member.role.scopes(editors_have_code);
        scopes.has(Scope::Write) && (!with_code || scopes.has(Scope::Code))
    };
    let able: Vec<PersonId> =
        people::members(tx, project).await?.into_iter().filter(may).map(|member| member.id).collect();
    let stopped: BTreeSet<PersonId> = watches::stopped(tx, id, &able).await?.into_iter().collect();
    let watching: BTreeSet<PersonId> = watches::watchers(tx, project, id).await?.into_iter().collect();
    let asked = able.into_iter().filter(|person| !stopped.contains(person));
    let (mut first, others): (Vec<_>, Vec<_>) = asked.partition(|person| watching.contains(person));
    first.extend(others);
    first.truncate(ASKED_MAX);
    Ok(first)
}
