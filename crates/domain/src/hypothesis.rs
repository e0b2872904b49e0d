//! Hypotheses: the reasons for running experiments.

use crate::ids::{ExperimentId, HypothesisId};
use crate::{Flaw, Instant, Problems, text};
use serde_json::{Map, Value, json};

/// Maximum length of a slug, in bytes.
pub const SLUG_MAX: usize = 64;
/// Maximum length of a generated slug, in bytes. Shorter than `SLUG_MAX`: people read these slugs as file names.
const MADE_SLUG_MAX: usize = 48;

/// Maximum length of each of the three texts, in characters.
pub const TEXT_MAX: usize = 10_000;

/// An idea on the backlog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// Unique in the database, never reused.
    pub id: HypothesisId,
    /// Name in files and scripts, unique in the project.
    pub slug: String,
    /// Texts, ratings and the link that the team entered.
    pub content: Content,
    /// True when the hypothesis was taken off the backlog.
    pub archived: bool,
    /// Time of creation.
    pub created_at: Instant,
    /// Time of the last change of the hypothesis, or of the set of its experiments.
    pub updated_at: Instant,
    /// 1 for a new hypothesis; each change adds 1. Used for the ETag.
    pub revision: i64,
    /// Experiments that test it, in ascending order of id.
    pub experiments: Vec<ExperimentId>,
}

/// Content that people enter. The system never writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// Observation: what the team noticed.
    pub observation: Option<String>,
    /// Problem: why the observation matters.
    pub problem: Option<String>,
    /// Solution: the change to test.
    pub solution: Option<String>,
    /// The team's confidence that the change helps, 1 to 5.
    pub confidence: Option<Rating>,
    /// Importance of the outcome, 1 to 5.
    pub importance: Option<Rating>,
    /// Amount of work, 1 to 5.
    pub difficulty: Option<Rating>,
    /// URL of the research behind it.
    pub link: Option<String>,
}

impl Hypothesis {
    /// The fields under their published names, as history compares them.
    ///
    /// Times, the revision and the set of experiments are left out.
    pub fn fields(&self) -> Map<String, Value> {
        let rating = |rating: Option<Rating>| json!(rating.map(Rating::value));
        let content = &self.content;
        let fields = [
            ("slug", json!(self.slug)),
            ("observation", json!(content.observation)),
            ("problem", json!(content.problem)),
            ("solution", json!(content.solution)),
            ("confidence", rating(content.confidence)),
            ("importance", rating(content.importance)),
            ("difficulty", rating(content.difficulty)),
            ("hypothesis_url", json!(content.link)),
            ("archived", json!(self.archived)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// A team's rating, 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rating(u8);

impl Rating {
    /// Returns the rating `value`, 1 to 5.
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

/// Reads one of the three texts.
///
/// The text may be blank. It is not trimmed.
///
/// # Errors
/// More than 10,000 characters.
pub fn parse_text(value: &str) -> Result<String, Flaw> {
    text::at_most(value, TEXT_MAX)
}

/// Checks a slug that a client sent: 1 to 64 of `a-z`, `0-9` and `-`, with a letter or digit first and last.
///
/// # Errors
/// Any other text.
pub fn parse_slug(text: &str) -> Result<String, Flaw> {
    let of_letters = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if of_letters && (1..=SLUG_MAX).contains(&text.len()) && !text.starts_with('-') && !text.ends_with('-') {
        return Ok(text.to_owned());
    }
    Err(Flaw::new("must be 1 to 64 of the characters a-z 0-9 -, and not begin or end with -"))
}

/// Generates the slug of a hypothesis with these texts: from the solution, or else the problem, or else the
/// observation. The slug may already be taken.
///
/// At most 48 bytes.
///
/// ```
/// use muriel_domain::hypothesis::slug_of;
///
/// assert_eq!(slug_of([Some("Few finish"), None, Some("Ask for less!")]), "ask-for-less");
/// assert_eq!(slug_of([Some("Few finish"), None, Some(" ")]), "few-finish");
/// assert_eq!(slug_of([Some("?"), None, None]), "hypothesis");
/// ```
pub fn slug_of([observation, problem, solution]: [Option<&str>; 3]) -> String {
    let said = [solution, problem, observation].into_iter().flatten().find(|text| !text.trim().is_empty());
    text::slug(said.unwrap_or_default(), MADE_SLUG_MAX, "hypothesis")
}

impl Content {
    /// Generates a slug; see [`slug_of`].
    pub fn slug(&self) -> String {
        slug_of([self.observation.as_deref(), self.problem.as_deref(), self.solution.as_deref()])
    }
}

/// Changes to a hypothesis: `None` keeps a field, `Some(None)` clears it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// New observation.
    pub observation: Option<Option<String>>,
    /// New problem.
    pub problem: Option<Option<String>>,
    /// New solution.
    pub solution: Option<Option<String>>,
    /// New confidence.
    pub confidence: Option<Option<Rating>>,
    /// New importance.
    pub importance: Option<Option<Rating>>,
    /// New difficulty.
    pub difficulty: Option<Option<Rating>>,
    /// New research link.
    pub link: Option<Option<String>>,
    /// True takes it off the backlog, false puts it back.
    pub archived: Option<bool>,
    /// New slug.
    pub slug: Option<String>,
}

impl Patch {
    /// Returns the content after this patch.
    ///
    /// Blank text counts as none, but is stored as it was sent. `archived` and `slug` have no effect here.
    ///
    /// # Errors
    /// All three texts would be blank: a hypothesis needs at least one.
    pub fn content(self, content: &Content) -> Result<Content, Problems> {
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
                "or problem or solution must have text; all three would be blank",
            ));
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idea_keeps_at_least_one_text() {
        let content = Content { problem: Some("slow".into()), ..Content::default() };
        let clear = Patch { problem: Some(Some("  ".into())), ..Patch::default() };
        assert!(clear.clone().content(&content).is_err());
        let moved = Patch { solution: Some(Some("faster".into())), ..clear };
        assert_eq!(moved.content(&content).unwrap().solution.as_deref(), Some("faster"));
    }

    #[test]
    fn slugs_are_names_of_files() {
        let longest = "a".repeat(SLUG_MAX);
        for (slug, good) in [
            ("a", true),
            ("shorter-form-2", true),
            ("2", true),
            (longest.as_str(), true),
            (&format!("{longest}a"), false),
            ("", false),
            ("-a", false),
            ("a-", false),
            ("A", false),
            ("a.b", false),
            ("a/b", false),
            ("..", false),
            ("\u{e9}", false),
        ] {
            assert_eq!(parse_slug(slug).is_ok(), good, "{slug}");
        }
        let content = Content { solution: Some("Say less ".repeat(20)), ..Content::default() };
        assert!(parse_slug(&content.slug()).is_ok_and(|slug| slug.len() <= MADE_SLUG_MAX));
    }

    #[test]
    fn ratings_are_one_to_five() {
        for (value, good) in [(0, false), (1, true), (5, true), (6, false), (-1, false), (257, false)] {
            assert_eq!(Rating::new(value).is_ok(), good, "{value}");
        }
    }
}
