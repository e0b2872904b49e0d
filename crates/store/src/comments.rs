//! Comments of people and programs on experiments and hypotheses.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::codec::{id_places, places};
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::ids::{CommentId, ExperimentId, HypothesisId, PersonId};
use muriel_sql::{Tx, params};
use std::sync::LazyLock;

/// Object of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An experiment.
    Experiment(ExperimentId),
    /// A hypothesis.
    Hypothesis(HypothesisId),
}

impl Subject {
    pub(crate) fn key(self) -> (&'static str, i64) {
        match self {
            Subject::Experiment(id) => ("experiment", id.0),
            Subject::Hypothesis(id) => ("hypothesis", id.0),
        }
    }

    pub(crate) fn of(kind: &str, id: i64) -> Option<Self> {
        match kind {
            "experiment" => Some(Subject::Experiment(ExperimentId(id))),
            "hypothesis" => Some(Subject::Hypothesis(HypothesisId(id))),
            _ => None,
        }
    }
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Comment id.
    pub id: CommentId,
    /// Time of writing.
    pub at: Instant,
    /// Author, in the form that history uses.
    pub actor: String,
    /// Text of the comment.
    pub text: String,
    /// Mentioned people, with their names at that time.
    pub mentions: Vec<(PersonId, String)>,
}

table! {
    /// A comment.
    struct CommentRow of "comment" {
        generated { comment_id: i64 }
        key {}
        fixed {
            kind: String,
            object_id: i64,
            at: Instant,
            actor: String,
            text: String,
        }
        changing {}
    }
}

/// Stores a comment and returns its id.
pub async fn insert(tx: &mut dyn Tx, subject: Subject, at: Instant, actor: &str, text: &str) -> Result<CommentId> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING comment_id", CommentRow::insert_sql()));
    let (kind, object_id) = subject.key();
    let row = CommentRow {
        comment_id: 0,
        kind: kind.to_owned(),
        object_id,
        at,
        actor: actor.to_owned(),
        text: text.to_owned(),
    };
    Ok(CommentId(tx.query_one(&STATEMENT, row.insert_values()).await?.int("comment_id")?))
}

/// Total number of comments, and at most `limit` with an id below `before`, newest first.
pub async fn page(tx: &mut dyn Tx, subject: Subject, before: i64, limit: i64) -> Result<(i64, Vec<Comment>)> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM comment c WHERE c.kind = $1 AND c.object_id = $2 AND c.comment_id < $3 \
             ORDER BY c.comment_id DESC LIMIT $4",
            CommentRow::columns("c")
        )
    });
    let (kind, id) = subject.key();
    let total = tx
        .query_one("SELECT COUNT(*) AS total FROM comment WHERE kind = $1 AND object_id = $2", params![kind, id])
        .await?
        .int("total")?;
    let rows = tx.query(&STATEMENT, params![kind, id, before, limit]).await?;
    let mut comments = rows
        .into_iter()
        .map(|mut row| {
            let row = CommentRow::try_from(&mut row)?;
            let (id, mentions) = (CommentId(row.comment_id), Vec::new());
            Ok(Comment { id, at: row.at, actor: row.actor, text: row.text, mentions })
        })
        .collect::<Result<Vec<_>>>()?;
    mentions_read(tx, &mut comments).await?;
    Ok((total, comments))
}

/// Fills in the people whom the comments mention.
async fn mentions_read(tx: &mut dyn Tx, comments: &mut [Comment]) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT comment_id, person_id, name FROM comment_mention WHERE comment_id IN ({}) ORDER BY comment_id, person_id",
            places()
        )
    });
    let ids: Vec<i64> = comments.iter().map(|comment| comment.id.0).collect();
    let mut left = &ids[..];
    while !left.is_empty() {
        let (values, later) = id_places(left);
        left = later;
        for mut row in tx.query(&STATEMENT, values).await? {
            let id = CommentId(row.int("comment_id")?);
            if let Some(comment) = comments.iter_mut().find(|comment| comment.id == id) {
                comment.mentions.push((PersonId(row.int("person_id")?), row.text("name")?));
            }
        }
    }
    Ok(())
}

/// Stores the people whom a comment mentions, with their current names.
pub async fn mentions_insert(tx: &mut dyn Tx, id: CommentId, mentioned: &[(PersonId, String)]) -> Result<()> {
    for (person, name) in mentioned {
        let sql = "INSERT INTO comment_mention (comment_id, person_id, name) VALUES ($1, $2, $3)";
        tx.execute(sql, params![id.0, person.0, name.as_str()]).await?;
    }
    Ok(())
}
