//! Comments on experiments and hypotheses in responses.

use super::{ActorView, Mention};
use muriel_context::actors::Names;
use muriel_domain::Instant;
use muriel_service::comments::Written;
use muriel_store::comments;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of comments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of comments on all pages.
    pub(crate) total: i64,
    /// Newest first.
    pub(crate) comments: Vec<Comment>,
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A comment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comment {
    /// Identifies the comment.
    pub(crate) comment_id: i64,
    /// Time of writing.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Author. A program or an agent has the kind `key`.
    pub(crate) actor: ActorView,
    /// Plain text.
    pub(crate) text: String,
    /// People whom it mentions.
    pub(crate) mentions: Vec<Mention>,
}

/// A comment was written.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the comment.
    pub(crate) comment_id: i64,
    /// People whom it mentions. They are notified.
    pub(crate) mentioned: Vec<Mention>,
}

impl From<&Written> for CommentCreated {
    fn from(written: &Written) -> Self {
        let mentioned = written.mentioned.iter().cloned().map(Into::into).collect();
        Self { success: true, comment_id: written.id.0, mentioned }
    }
}

impl Comment {
    /// Comment with the name of its author.
    pub(crate) fn new(comment: comments::Comment, names: &Names) -> Self {
        let actor = names.get(&comment.actor).into();
        let mentions = comment.mentions.into_iter().map(Into::into).collect();
        Self { comment_id: comment.id.0, at: comment.at, actor, text: comment.text, mentions }
    }
}
