//! A hypothesis: why an experiment is worth running.

use crate::ids::{ExperimentId, HypothesisId};
use crate::{Flaw, Instant, Problems, text};

/// Most characters of each of the three texts.
pub const TEXT_MAX: usize = 10_000;

/// An idea on the backlog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// Unique in the database, never used again.
    pub id: HypothesisId,
    /// Texts, ratings and the link that the team entered.
    pub content: Content,
    /// Whether it was taken off the backlog.
    pub archived: bool,
    /// When it was made.
    pub created_at: Instant,
    /// When it, or the set of its experiments, last changed.
    pub updated_at: Instant,
    /// 1 for a new one; each change adds 1, which gives its ETag.
    pub revision: i64,
    /// Experiments run from it, lowest id first.
    pub experiments: Vec<ExperimentId>,
}

/// What people enter; nothing in the system writes any of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// What the team saw.
    pub observation: Option<String>,
    /// Why it is a problem.
    pub problem: Option<String>,
    /// The change to test.
    pub solution: Option<String>,
    /// How sure the team is that the change helps, 1 to 5.
    pub confidence: Option<Rating>,
    /// How much it would matter, 1 to 5.
    pub importance: Option<Rating>,
    /// How much work it is, 1 to 5.
    pub difficulty: Option<Rating>,
    /// Research behind it.
    pub link: Option<String>,
}

/// A team's rating, 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating(u8);

impl Rating {
    /// A rating of `value`, 1 to 5.
    ///
    /// # Errors
    /// Numbers outside 1 to 5.
    pub fn new(value: i64) -> Result<Self, Flaw> {
        match u8::try_from(value) {
            Ok(value @ 1..=5) => Ok(Self(value)),
            _ => Err(Flaw::new("must be an integer from 1 to 5, or null")),
        }
    }

    /// The rating as a number, 1 to 5.
    pub fn value(self) -> i64 {
        self.0.into()
    }
}

/// One of the three texts.
///
/// # Errors
/// More than 10,000 characters.
pub fn parse_text(value: &str) -> Result<String, Flaw> {
    text::at_most(value, TEXT_MAX)
}

/// Changes to a hypothesis: `None` keeps, `Some(None)` clears.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// New observation.
    pub observation: Option<Option<String>>,
    /// New problem.
    pub problem: Option<Option<String>>,
    /// New solution.
    pub solution: Option<Option<String>>,
    /// New rating.
    pub confidence: Option<Option<Rating>>,
    /// New rating.
    pub importance: Option<Option<Rating>>,
    /// New rating.
    pub difficulty: Option<Option<Rating>>,
    /// New link.
    pub link: Option<Option<String>>,
    /// On or off the backlog.
    pub archived: Option<bool>,
}

impl Patch {
    /// The content and archived flag after this patch.
    ///
    /// # Errors
    /// When all three texts would be blank: an idea says something.
    pub fn apply(self, content: &Content, archived: bool) -> Result<(Content, bool), Problems> {
        let next = Content {
            observation: self.observation.unwrap_or_else(|| content.observation.clone()),
            problem: self.problem.unwrap_or_else(|| content.problem.clone()),
            solution: self.solution.unwrap_or_else(|| content.solution.clone()),
            confidence: self.confidence.unwrap_or(content.confidence),
            importance: self.importance.unwrap_or(content.importance),
            difficulty: self.difficulty.unwrap_or(content.difficulty),
            link: self.link.unwrap_or_else(|| content.link.clone()),
        };
        let blank = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().is_empty();
        if blank(&next.observation) && blank(&next.problem) && blank(&next.solution) {
            return Err(Problems::one(
                "observation",
                "or problem or solution must say something; all three would be blank",
            ));
        }
        Ok((next, self.archived.unwrap_or(archived)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idea_keeps_at_least_one_text() {
        let content = Content { problem: Some("slow".into()), ..Content::default() };
        let clear = Patch { problem: Some(Some("  ".into())), ..Patch::default() };
        assert!(clear.clone().apply(&content, false).is_err());
        let moved = Patch { solution: Some(Some("faster".into())), ..clear };
        let (next, archived) = moved.apply(&content, true).unwrap();
        assert_eq!(next.solution.as_deref(), Some("faster"));
        assert!(archived);
    }

    #[test]
    fn ratings_are_one_to_five() {
        for (value, good) in [(0, false), (1, true), (5, true), (6, false), (-1, false), (257, false)] {
            assert_eq!(Rating::new(value).is_ok(), good, "{value}");
        }
    }
}
