//! The inbox, watching and mentionable people in responses.

use super::ActorView;
use crate::wire::schemas;
use muriel_context::actors::Names;
use muriel_domain::Instant;
use muriel_domain::ids::PersonId;
use muriel_service::watching::Watching;
use muriel_store::comments::Subject;
use muriel_store::inbox::Entry;
use muriel_store::people::Member;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of the caller's inbox.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inbox {
    /// Always true.
    pub(crate) success: bool,
    /// Number of unread entries; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
    /// Newest first.
    pub(crate) entries: Vec<InboxEntry>,
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A notification.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxEntry {
    /// Identifies the entry.
    entry_id: i64,
    /// Event: one of webhooks, or one that only people receive.
    #[schema(value_type = schemas::InboxEvent)]
    event: String,
    /// Time of the event.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// True when it was read.
    read: bool,
    /// Key of the project.
    #[schema(example = "prj_7Hq2ZkVt9XcRw4LmPb1NsY")]
    project_key: String,
    /// Name of the project.
    #[schema(example = "Shop")]
    project_name: String,
    /// Id of the experiment; null if it is about a hypothesis.
    #[schema(required)]
    test_id: Option<i64>,
    /// Id of the hypothesis; null if it is about an experiment.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Name of the experiment, or text of the hypothesis, at that time.
    #[schema(example = "Checkout with two fields")]
    name: String,
    /// True when the experiment has been deleted since.
    deleted: bool,
    /// Actor of the event.
    actor: ActorView,
    /// Description of the event, worded as in webhooks and results.
    #[schema(example = "the experiment was started")]
    sentence: String,
    /// Beginning of the comment, of a proposal's note or of a decision's reason; null without one.
    #[schema(required, example = json!(null))]
    excerpt: Option<String>,
    /// Id of the comment; null if it is about something else.
    #[schema(required)]
    comment_id: Option<i64>,
    /// Id of the proposal; null if it is about something else.
    #[schema(required)]
    proposal_id: Option<i64>,
}

impl InboxEntry {
    /// Entry with the name of its actor.
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

/// Number of unread entries in the caller's inbox.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxCount {
    /// Always true.
    pub(crate) success: bool,
    /// Number of unread entries; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
    /// Id of the newest unread entry; null if all are read.
    #[schema(required)]
    pub(crate) newest_unread: Option<i64>,
}

/// An entry was marked.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxEntryMarked {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the entry.
    pub(crate) entry_id: i64,
    /// True when it is marked as read.
    pub(crate) read: bool,
    /// Number of unread entries; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
}

/// Entries were marked as read.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxMarked {
    /// Always true.
    pub(crate) success: bool,
    /// Number of entries that were marked.
    pub(crate) marked: u64,
    /// Number of unread entries; 100 stands for 100 or more.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) unread: i64,
}

/// Watching state of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchAnswer {
    /// Always true.
    success: bool,
    /// Id of the experiment.
    test_id: i64,
    /// True when the caller watches it.
    watching: bool,
    /// Number of people who watch it, of those who see the project.
    watchers: usize,
}

impl WatchAnswer {
    /// Response for the experiment with this id.
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
    /// People with a name in which a word begins with the text come first, then by name.
    pub(crate) people: Vec<ProjectPerson>,
    /// True when more people match than are listed.
    pub(crate) has_more: bool,
}

/// A person who sees a project.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectPerson {
    /// Identifies the person.
    person_id: i64,
    /// Name; several people can have the same.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Role in the project.
    #[schema(value_type = schemas::RoleName)]
    role: &'static str,
}

impl From<Member> for ProjectPerson {
    fn from(member: Member) -> Self {
        Self { person_id: member.id.0, name: member.name, role: member.role.word() }
    }
}

/// A person whom a comment mentions.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mention {
    /// Identifies the person.
    person_id: i64,
    /// Name of the person when the comment was written.
    #[schema(example = "Ada Lovelace")]
    name: String,
}

impl From<(PersonId, String)> for Mention {
    fn from((id, name): (PersonId, String)) -> Self {
        Self { person_id: id.0, name }
    }
}
