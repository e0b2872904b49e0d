//! Inboxes: notifications for people.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::codec::{IDS, id_places, places};
use crate::comments::Subject;
use crate::people::{of_reference, sees};
use crate::table::table;
use crate::{Result, watches};
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_domain::ids::{CommentId, EntryId, PersonId, ProjectId, ProposalId};
use muriel_domain::inbox::{ENTRIES_MAX, Notice, UNREAD_MAX};
use muriel_domain::webhook::Event;
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// Maximum number of entries that one statement deletes.
const TRIMMED_AT_ONCE: i64 = 10_000;

table! {
    /// An entry of a person's inbox.
    struct EntryRow of "inbox_entry" {
        generated { entry_id: i64 }
        key {}
        fixed {
            person_id: i64,
            project_id: i64,
            kind: String,
            object_id: i64,
            name: String,
            event: String,
            at: Instant,
            actor: String,
            sentence: String,
            excerpt: Option<String>,
            comment_id: Option<i64>,
            proposal_id: Option<i64>,
        }
        changing { is_read: bool }
    }
}

/// A notification to add to inboxes.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// Project in which it happened.
    pub project: ProjectId,
    /// Object of the notification.
    pub subject: Subject,
    /// Name of the object.
    pub name: &'a str,
    /// Reason for the notification.
    pub notice: Notice,
    /// Time of the event.
    pub at: Instant,
    /// Actor, in the form that history uses.
    pub by: &'a str,
    /// Sentence that says what happened.
    pub sentence: &'a str,
    /// Beginning of a text that somebody wrote.
    pub excerpt: Option<String>,
    /// Comment that caused it, if any.
    pub comment: Option<CommentId>,
    /// Proposal that caused it, if any.
    pub proposal: Option<ProposalId>,
}

/// A notification in an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Entry id.
    pub id: EntryId,
    /// Key of the project in which it happened.
    pub project_key: String,
    /// Name of that project.
    pub project_name: String,
    /// Object of the notification.
    pub subject: Subject,
    /// Name of the object at that time.
    pub name: String,
    /// True when the object still exists.
    pub is_there: bool,
    /// Reason for the notification: the word of a [`Notice`].
    pub event: String,
    /// Time of the event.
    pub at: Instant,
    /// Actor, in the form that history uses.
    pub actor: String,
    /// Sentence that says what happened.
    pub sentence: String,
    /// Beginning of a text that somebody wrote.
    pub excerpt: Option<String>,
    /// Comment that caused it, if any.
    pub comment: Option<CommentId>,
    /// Proposal that caused it, if any.
    pub proposal: Option<ProposalId>,
    /// True when the person has read it.
    pub is_read: bool,
}

/// Notifies the people who watch an experiment of events, except the one who caused them.
pub(crate) async fn notify_watchers(
    tx: &mut dyn Tx,
    experiment: &Experiment,
    events: &[Event],
    by: &str,
    at: Instant,
) -> Result<()> {
    let notices: Vec<(&Event, Notice)> = events.iter().filter_map(|event| Some((event, Notice::of(event)?))).collect();
    if notices.is_empty() {
        return Ok(());
    }
    let to = watches::watchers(tx, experiment.project_id, experiment.id).await?;
    for (event, notice) in notices {
        let entry = NewEntry {
            project: experiment.project_id,
            subject: Subject::Experiment(experiment.id),
            name: &experiment.name,
            notice,
            at,
            by,
            sentence: event.sentence(),
            excerpt: None,
            comment: None,
            proposal: None,
        };
        notify(tx, &to, &entry).await?;
    }
    Ok(())
}

/// Notifies these people, except the one who caused the event and those who do not see the project. Each of them
/// appears once in `to`. Entries above the maximum of an inbox are deleted later, by [`trim`]: here, acts on different
/// experiments would wait for each other's entries.
pub async fn notify(tx: &mut dyn Tx, to: &[PersonId], entry: &NewEntry<'_>) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let after = |number: usize| IDS + number;
        format!(
            "INSERT INTO inbox_entry (person_id, project_id, kind, object_id, name, event, at, actor, sentence, excerpt, \
               comment_id, proposal_id, is_read) \
             SELECT p.person_id, CAST(${} AS BIGINT), ${}, CAST(${} AS BIGINT), ${}, ${}, CAST(${} AS BIGINT), ${}, ${}, ${}, \
               CAST(${} AS BIGINT), CAST(${} AS BIGINT), 0 FROM person p WHERE p.person_id IN ({}) AND {}",
            after(1),
            after(2),
            after(3),
            after(4),
            after(5),
            after(6),
            after(7),
            after(8),
            after(9),
            after(10),
            after(11),
            places(),
            sees(&format!("CAST(${} AS BIGINT)", after(1)))
        )
    });
    let author = of_reference(entry.by);
    let ids: Vec<i64> = to.iter().filter(|id| Some(**id) != author).map(|id| id.0).collect();
    let (kind, object_id) = entry.subject.key();
    let mut left = &ids[..];
    while !left.is_empty() {
        let (mut values, later) = id_places(left);
        values.extend(params![
            entry.project.0,
            kind,
            object_id,
            entry.name,
            entry.notice.word(),
            entry.at.us(),
            entry.by,
            entry.sentence,
            entry.excerpt.clone(),
            entry.comment.map(|id| id.0),
            entry.proposal.map(|id| id.0)
        ]);
        tx.execute(&STATEMENT, values).await?;
        left = later;
    }
    Ok(())
}

/// Id of the newest entry of all inboxes; 0 without entries.
pub async fn last(tx: &mut dyn Tx) -> Result<i64> {
    let row = tx.query_one("SELECT COALESCE(MAX(entry_id), 0) AS last FROM inbox_entry", params![]).await?;
    Ok(row.int("last")?)
}

/// The people who got an entry after the entry `after`, up to the entry `until`, and have more entries than the
/// maximum.
pub async fn overfull(tx: &mut dyn Tx, after: i64, until: i64) -> Result<Vec<PersonId>> {
    let rows = tx
        .query(
            "SELECT t.person_id FROM \
               (SELECT DISTINCT person_id FROM inbox_entry WHERE entry_id > $1 AND entry_id <= $2) t \
             WHERE (SELECT COUNT(*) FROM inbox_entry c WHERE c.person_id = t.person_id) > $3 ORDER BY t.person_id",
            params![after, until, ENTRIES_MAX],
        )
        .await?;
    rows.into_iter().map(|row| Ok(PersonId(row.int("person_id")?))).collect()
}

/// Deletes the entries of a person above the maximum: first those of projects that the person does not see any more and
/// so cannot mark as read, then the oldest that were read. Calling it twice is safe: the second call deletes nothing
/// more.
pub async fn trim(tx: &mut dyn Tx, person: PersonId) -> Result<u64> {
    let trimmed = tx
        .execute(
            &format!(
                "DELETE FROM inbox_entry WHERE entry_id IN (SELECT i.entry_id FROM inbox_entry i \
                 JOIN person p ON p.person_id = i.person_id WHERE i.person_id = $1 \
                 ORDER BY CASE WHEN {} THEN 0 ELSE 1 END, i.is_read, i.entry_id DESC LIMIT $2 OFFSET $3)",
                sees("i.project_id")
            ),
            params![person.0, TRIMMED_AT_ONCE, ENTRIES_MAX],
        )
        .await?;
    Ok(trimmed)
}

/// A statement that selects the entries `i` of the person `$1`, of projects that the person sees.
fn of_person(columns: &str, rest: &str) -> String {
    format!(
        "SELECT {columns} FROM inbox_entry i JOIN person p ON p.person_id = i.person_id \
         JOIN project pr ON pr.project_id = i.project_id AND pr.company_id = p.company_id \
         WHERE i.person_id = $1 AND {} {rest}",
        sees("i.project_id")
    )
}

/// Columns that [`Entry`] is read from.
fn shown() -> String {
    format!(
        "{}, pr.project_key, pr.name AS project_name, CASE WHEN i.kind = 'experiment' AND NOT EXISTS (SELECT 1 FROM experiment e \
         WHERE e.experiment_id = i.object_id AND e.deleted_at IS NULL) THEN 0 ELSE 1 END AS is_there",
        EntryRow::columns("i")
    )
}

fn read(mut row: Row) -> Result<Entry> {
    let (project_key, project_name) = (row.text("project_key")?, row.text("project_name")?);
    let is_there = row.flag("is_there")?;
    let row = EntryRow::try_from(&mut row)?;
    let subject = Subject::of(&row.kind, row.object_id).ok_or_else(|| row.damaged("kind", "a known word"))?;
    Ok(Entry {
        id: EntryId(row.entry_id),
        project_key,
        project_name,
        subject,
        name: row.name,
        is_there,
        event: row.event,
        at: row.at,
        actor: row.actor,
        sentence: row.sentence,
        excerpt: row.excerpt,
        comment: row.comment_id.map(CommentId),
        proposal: row.proposal_id.map(ProposalId),
        is_read: row.is_read,
    })
}

/// The entries of a person's inbox with an id below `before`, newest first, at most `limit`: of projects that the
/// person sees, and with `unread` only those that were not read.
pub async fn page(tx: &mut dyn Tx, person: PersonId, unread: bool, before: i64, limit: i64) -> Result<Vec<Entry>> {
    static ALL: LazyLock<String> =
        LazyLock::new(|| of_person(&shown(), "AND i.entry_id < $2 ORDER BY i.entry_id DESC LIMIT $3"));
    static UNREAD: LazyLock<String> = LazyLock::new(|| {
        of_person(&shown(), "AND i.is_read = 0 AND i.entry_id < $2 ORDER BY i.entry_id DESC LIMIT $3")
    });
    let rows = tx.query(if unread { &UNREAD } else { &ALL }, params![person.0, before, limit]).await?;
    rows.into_iter().map(read).collect()
}

/// Unread entries of a person, of projects that the person sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// Number of entries. At most [`UNREAD_MAX`] are counted.
    pub count: i64,
    /// Id of the newest unread entry.
    pub newest: Option<EntryId>,
}

/// Counts the unread entries of a person.
pub async fn unread(tx: &mut dyn Tx, person: PersonId) -> Result<Unread> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let newest = of_person("i.entry_id", "AND i.is_read = 0 ORDER BY i.entry_id DESC LIMIT $2");
        format!("SELECT COUNT(*) AS n, MAX(u.entry_id) AS newest FROM ({newest}) u")
    });
    let row = tx.query_one(&STATEMENT, params![person.0, UNREAD_MAX]).await?;
    Ok(Unread { count: row.int("n")?, newest: row.opt_int("newest")?.map(EntryId) })
}

/// Returns whether a person has this entry, of a project that the person sees.
pub async fn has(tx: &mut dyn Tx, person: PersonId, id: EntryId) -> Result<bool> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| of_person("1 AS one", "AND i.entry_id = $2"));
    Ok(tx.query_opt(&STATEMENT, params![person.0, id.0]).await?.is_some())
}

/// Marks an entry of a person as read, or as unread.
pub async fn mark(tx: &mut dyn Tx, person: PersonId, id: EntryId, is_read: bool) -> Result<()> {
    let sql = "UPDATE inbox_entry SET is_read = $3 WHERE person_id = $1 AND entry_id = $2";
    tx.execute(sql, params![person.0, id.0, is_read]).await?;
    Ok(())
}

/// Marks the entries that a person sees, up to this id, as read. Returns the number of entries marked.
pub async fn mark_all(tx: &mut dyn Tx, person: PersonId, until: i64) -> Result<u64> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let seen = of_person("i.entry_id", "AND i.is_read = 0 AND i.entry_id <= $2");
        format!("UPDATE inbox_entry SET is_read = 1 WHERE entry_id IN ({seen})")
    });
    Ok(tx.execute(&STATEMENT, params![person.0, until]).await?)
}

/// Marks the entries that ask people to decide a proposal as read: the proposal does not wait for a decision any more.
pub async fn settle(tx: &mut dyn Tx, proposal: ProposalId) -> Result<()> {
    tx.execute(
        "UPDATE inbox_entry SET is_read = 1 WHERE proposal_id = $1 AND event = $2 AND is_read = 0",
        params![proposal.0, Notice::Proposed.word()],
    )
    .await?;
    Ok(())
}
