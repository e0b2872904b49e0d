//! What people and programs say about experiments and hypotheses.

use crate::actor::Actor;
use crate::actors::Names;
use crate::app::App;
use crate::audit::{Act, object};
use crate::error::{Error, Result};
use crate::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::ids::{CommentId, ProjectId};
use muriel_sql::Tx;
use muriel_store::comments::{self, Comment, Subject};
use muriel_store::tenants::Project;
use muriel_store::{experiments, hypotheses};
use serde_json::json;

/// Most characters of a comment.
pub const TEXT_MAX: usize = 10_000;

/// A page of comments.
#[derive(Debug)]
pub struct Comments {
    /// Newest first.
    pub comments: Vec<Comment>,
    /// On all pages.
    pub total: i64,
    /// Whether there are more.
    pub has_more: bool,
    /// The names of those who wrote them.
    pub names: Names,
}

/// The comments before the one with the id `before`, newest first.
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

/// Comments. The response is what `render` makes.
///
/// # Errors
/// `NotFound`; then a `text` or a `key` that could not be read; and when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Project,
    subject: Subject,
    key: Result<Option<IdempotencyKey>>,
    text: Result<String>,
    render: impl FnOnce(CommentId) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, actor, project) = (app.clock.now(), actor.clone(), project.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                exists(tx, project.id, subject).await?;
                let (text, key) = (text?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                let id = comments::insert(tx, subject, now, &actor.reference(), &text).await?;
                let response = idempotency::store(tx, key.as_ref(), render(id)?).await?;
                let on = match subject {
                    Subject::Experiment(id) => object("experiment", id, ""),
                    Subject::Hypothesis(id) => object("hypothesis", id, ""),
                };
                let made = json!({ "comment_id": id.0, "text": text });
                Act::within(&actor, &project, now).made(tx, "comment", on, made).await?;
                Ok(response)
            })
        })
        .await
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
