//! The inbox, watching and whom comments can mention, in answers.

use super::ActorView;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::ids::PersonId;
use muriel_service::actors::Names;
use muriel_service::watching::Watching;
use muriel_store::comments::Subject;
use muriel_store::inbox::Entry;
use muriel_store::people::Member;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of one's own inbox.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inbox {
    /// Always true.
    pub(crate) success: bool,
    /// Entries that were not read; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
    /// Newest first.
    pub(crate) entries: Vec<InboxEntry>,
    /// What to pass as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// Something that one is told.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxEntry {
    /// Identifies it.
    entry_id: i64,
    /// Why one is told: an event of webhooks, or what only people are told.
    #[schema(value_type = schemas::InboxEvent)]
    event: String,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// Whether it was read.
    read: bool,
    /// The project.
    #[schema(example = "prj_7Hq2ZkVt9XcRw4LmPb1NsY")]
    project_key: String,
    /// The project's name.
    #[schema(example = "Shop")]
    project_name: String,
    /// The experiment; null where it is about a hypothesis.
    #[schema(required)]
    test_id: Option<i64>,
    /// The hypothesis; null where it is about an experiment.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// What the experiment or the hypothesis was called then.
    #[schema(example = "Checkout with two fields")]
    name: String,
    /// Whether the experiment was deleted since.
    deleted: bool,
    /// Who did it.
    actor: ActorView,
    /// What happened, as webhooks and results say it.
    #[schema(example = "the experiment was started")]
    sentence: String,
    /// The beginning of the comment, of the note of a proposal, or of the reason of a decision; null without one.
    #[schema(required, example = json!(null))]
    excerpt: Option<String>,
    /// The comment; null where it is about something else.
    #[schema(required)]
    comment_id: Option<i64>,
    /// The proposal; null where it is about something else.
    #[schema(required)]
    proposal_id: Option<i64>,
}

impl InboxEntry {
    /// The entry, with the name of the one who did it.
    pub(crate) fn new(entry: Entry, names: &Names) -> Self {
        let (test_id, hypothesis_id) = match entry.subject {
            Subject::Experiment(id) => (Some(id.0), None),
            Subject::Hypothesis(id) => (None, Some(id.0)),
        };
        Self {
            entry_id: entry.id.0,
            event: entry.event,
            at: entry.at,
            read: entry.is_read,
            project_key: entry.project_key,
            project_name: entry.project_name,
            test_id,
            hypothesis_id,
            name: entry.name,
            deleted: !entry.is_there,
            actor: names.get(&entry.actor).into(),
            sentence: entry.sentence,
            excerpt: entry.excerpt,
            comment_id: entry.comment.map(|id| id.0),
            proposal_id: entry.proposal.map(|id| id.0),
        }
    }
}

/// How much of one's own inbox was not read.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxCount {
    /// Always true.
    pub(crate) success: bool,
    /// Entries that were not read; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
    /// The newest entry that was not read; null when all were.
    #[schema(required)]
    pub(crate) newest_unread: Option<i64>,
}

/// An entry was marked.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxEntryMarked {
    /// Always true.
    pub(crate) success: bool,
    /// The entry.
    pub(crate) entry_id: i64,
    /// Whether it counts as read.
    pub(crate) read: bool,
    /// Entries that were not read; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
}

/// Entries were marked as read.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxMarked {
    /// Always true.
    pub(crate) success: bool,
    /// How many entries were marked.
    pub(crate) marked: u64,
    /// Entries that were not read; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
}

/// Whether one watches an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchAnswer {
    /// Always true.
    success: bool,
    /// The experiment.
    test_id: i64,
    /// Whether one watches it.
    watching: bool,
    /// How many people watch it, of those who see the project.
    watchers: usize,
}

impl WatchAnswer {
    /// The answer about the experiment with this id.
    pub(crate) fn new(test_id: i64, state: Watching) -> Self {
        Self { success: true, test_id, watching: state.watching, watchers: state.watchers }
    }
}

/// People who see a project.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectPeople {
    /// Always true.
    pub(crate) success: bool,
    /// Those with a name in which a word begins with the text first, then by name.
    pub(crate) people: Vec<ProjectPerson>,
    /// Whether more people fit than are listed.
    pub(crate) has_more: bool,
}

/// Somebody who sees a project.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectPerson {
    /// Identifies them.
    person_id: i64,
    /// What others call them; several people can have the same name.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// The role in the project.
    #[schema(value_type = schemas::RoleName)]
    role: &'static str,
}

impl From<Member> for ProjectPerson {
    fn from(member: Member) -> Self {
        Self { person_id: member.id.0, name: member.name, role: member.role.word() }
    }
}

/// Somebody whom a comment mentions.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mention {
    /// Identifies them.
    person_id: i64,
    /// The name that they had when the comment was written.
    #[schema(example = "Ada Lovelace")]
    name: String,
}

impl From<(PersonId, String)> for Mention {
    fn from((id, name): (PersonId, String)) -> Self {
        Self { person_id: id.0, name }
    }
}
