//! What people say about experiments and hypotheses.

use super::{ActorView, Mention};
use muriel_domain::Instant;
use muriel_service::actors::Names;
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
    /// All comments, on all pages.
    pub(crate) total: i64,
    /// Newest first.
    pub(crate) comments: Vec<Comment>,
    /// What to pass as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A comment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Comment {
    /// Identifies it.
    pub(crate) comment_id: i64,
    /// When it was written.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// By whom; a program or an agent has the kind `key`.
    pub(crate) actor: ActorView,
    /// What it says: plain text.
    pub(crate) text: String,
    /// Whom it mentions.
    pub(crate) mentions: Vec<Mention>,
}

/// A comment was written.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) comment_id: i64,
    /// Whom it mentions; they are told.
    pub(crate) mentioned: Vec<Mention>,
}

impl From<&Written> for CommentCreated {
    fn from(written: &Written) -> Self {
        let mentioned = written.mentioned.iter().cloned().map(Into::into).collect();
        Self { success: true, comment_id: written.id.0, mentioned }
    }
}

impl Comment {
    /// The comment, with the name of the one who wrote it.
    pub(crate) fn new(comment: comments::Comment, names: &Names) -> Self {
        let actor = names.get(&comment.actor).into();
        let mentions = comment.mentions.into_iter().map(Into::into).collect();
        Self { comment_id: comment.id.0, at: comment.at, actor, text: comment.text, mentions }
    }
}
