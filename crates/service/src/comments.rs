//! Comments of people and programs on experiments and hypotheses.

use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::Instant;
use muriel_domain::ids::{CommentId, PersonId, ProjectId};
use muriel_domain::inbox::{Notice, excerpt};
use muriel_domain::mention::{self, Mentionable};
use muriel_sql::Tx;
use muriel_store::comments::{self, Comment, Subject};
use muriel_store::inbox::NewEntry;
use muriel_store::tenants::Project;
use muriel_store::{experiments, hypotheses, inbox, people, watches};
use serde_json::json;

/// Most characters of a comment.
pub const TEXT_MAX: usize = 10_000;

/// A page of comments.
#[derive(Debug)]
pub struct Comments {
    /// The comments, newest first.
    pub comments: Vec<Comment>,
    /// Number of comments on all pages.
    pub total: i64,
    /// True when a further page exists.
    pub has_more: bool,
    /// Display names of the authors.
    pub names: Names,
}

/// Returns the comments before the one with the id `before`, newest first.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn page(
    app: &App,
    project: ProjectId,
    subject: Subject,
    before: Option<i64>,
    limit: usize,
) -> Result<Comments> {
    app.read(move |tx| {
        Box::pin(async move {
            exists(tx, project, subject).await?;
            let (before, one_more) = (before.unwrap_or(i64::MAX), i64::try_from(limit).unwrap_or(0) + 1);
            let (total, mut comments) = comments::page(tx, subject, before, one_more).await?;
            let has_more = comments.len() > limit;
            comments.truncate(limit);
            let names = Names::of(tx, comments.iter().map(|comment| comment.actor.as_str())).await?;
            Ok(Comments { comments, total, has_more, names })
        })
    })
    .await
}

/// A comment to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// Text of the comment.
    pub text: String,
    /// People it mentions, in addition to those whom the text mentions by name.
    pub mentions: Vec<PersonId>,
}

/// A stored comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Comment id.
    pub id: CommentId,
    /// People whom the comment mentions, with their names.
    pub mentioned: Vec<(PersonId, String)>,
}

/// Stores a comment, and notifies the people it mentions and those who watch the experiment. `render`
/// makes the response.
///
/// # Errors
/// `NotFound`; then a `new` or a `key` that could not be read; mentions of people who cannot see the
/// project, and names that several people have; and when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Project,
    subject: Subject,
    key: Result<Option<IdempotencyKey>>,
    new: Result<NewComment>,
    render: impl FnOnce(&Written) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, actor, project) = (app.clock.now(), actor.clone(), project.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let name = name_of(tx, project.id, subject).await?;
                let (new, key) = (new?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                let mentioned = mentioned(tx, project.id, &new).await?;
                let by = actor.reference();
                let id = comments::insert(tx, subject, now, &by, &new.text).await?;
                comments::mentions_insert(tx, id, &mentioned).await?;
                let written = Written { id, mentioned };
                let about = About { project: project.id, subject, name: &name, by: &by, at: now };
                about.notify(tx, &actor, &written, &new.text).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&written)?).await?;
                let on = match subject {
                    Subject::Experiment(id) => object("experiment", id, &name),
                    Subject::Hypothesis(id) => object("hypothesis", id, &name),
                };
                let ids: Vec<i64> = written.mentioned.iter().map(|(person, _)| person.0).collect();
                let mut made = json!({ "comment_id": id.0, "text": new.text });
                if !ids.is_empty() {
                    made["mentions"] = json!(ids);
                }
                Act::within(&actor, &project, now).made(tx, "comment", on, made).await?;
                Ok(response)
            })
        })
        .await
}

/// Resolves the people whom a comment mentions, with their names.
async fn mentioned(tx: &mut dyn Tx, project: ProjectId, new: &NewComment) -> Result<Vec<(PersonId, String)>> {
    if new.mentions.is_empty() && !new.text.contains('@') {
        return Ok(Vec::new());
    }
    let members = people::members(tx, project).await?.into_iter();
    let members: Vec<Mentionable> = members.map(|member| Mentionable { id: member.id, name: member.name }).collect();
    let found = mention::mentioned(&new.text, &members, &new.mentions)?;
    Ok(found.into_iter().map(|at| (members[at].id, members[at].name.clone())).collect())
}

/// The subject of a comment, with its author and time.
struct About<'a> {
    project: ProjectId,
    subject: Subject,
    name: &'a str,
    by: &'a str,
    at: Instant,
}

impl About<'_> {
    /// Notifies the people whom a comment mentions and the watchers of its experiment. Its author and
    /// the people mentioned watch the experiment from now on.
    async fn notify(&self, tx: &mut dyn Tx, actor: &Actor, written: &Written, text: &str) -> Result<()> {
        let mentioned: Vec<PersonId> = written.mentioned.iter().map(|(person, _)| *person).collect();
        let entry = |notice, sentence| NewEntry {
            project: self.project,
            subject: self.subject,
            name: self.name,
            notice,
            at: self.at,
            by: self.by,
            sentence,
            excerpt: Some(excerpt(text)),
            comment: Some(written.id),
            proposal: None,
        };
        inbox::notify(tx, &mentioned, &entry(Notice::Mentioned, "you were mentioned in a comment")).await?;
        let Subject::Experiment(id) = self.subject else { return Ok(()) };
        let mut others = watches::watchers(tx, self.project, id).await?;
        others.retain(|person| !mentioned.contains(person));
        inbox::notify(tx, &others, &entry(Notice::Commented, "there is a new comment on the experiment")).await?;
        for person in actor.person().into_iter().chain(mentioned) {
            watches::begin(tx, id, person).await?;
        }
        Ok(())
    }
}

/// Display name of the subject of a comment.
async fn name_of(tx: &mut dyn Tx, project: ProjectId, subject: Subject) -> Result<String> {
    match subject {
        Subject::Experiment(id) => experiments::name(tx, project, id).await?.ok_or(Error::NotFound("experiment")),
        Subject::Hypothesis(id) => {
            let found = hypotheses::find(tx, project, id).await?.ok_or(Error::NotFound("hypothesis"))?;
            let content = found.content;
            let text = [content.solution, content.problem, content.observation].into_iter().flatten();
            Ok(text.map(|text| excerpt(&text)).find(|text| !text.is_empty()).unwrap_or(found.slug))
        }
    }
}

async fn exists(tx: &mut dyn Tx, project: ProjectId, subject: Subject) -> Result<()> {
    let is_there = match subject {
        Subject::Experiment(id) => experiments::shape(tx, project, id).await?.is_some(),
        Subject::Hypothesis(id) => hypotheses::exists(tx, project, id).await?,
    };
    let noun = match subject {
        Subject::Experiment(_) => "experiment",
        Subject::Hypothesis(_) => "hypothesis",
    };
    if is_there { Ok(()) } else { Err(Error::NotFound(noun)) }
}
