//! Hypotheses in answers.

use muriel_domain::Instant;
use muriel_domain::hypothesis::{Hypothesis as DomainHypothesis, Rating};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of a project's hypotheses.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisList {
    /// Always true.
    pub(crate) success: bool,
    /// Newest update first, then highest id.
    pub(crate) hypotheses: Vec<Hypothesis>,
    /// Hypotheses in this page.
    pub(crate) count: i64,
    /// Hypotheses that match the filters.
    pub(crate) total: i64,
    /// The page size that was applied.
    pub(crate) limit: i64,
    /// The offset that was applied.
    pub(crate) offset: i64,
    /// Whether there are more past this page.
    pub(crate) has_more: bool,
    /// What to pass as `offset` for the next page.
    pub(crate) next_offset: i64,
}

/// A hypothesis.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hypothesis {
    /// Identifies the hypothesis.
    hypothesis_id: i64,
    /// Names it in files and scripts; in details only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    slug: Option<String>,
    /// What the team saw.
    #[schema(required)]
    observation: Option<String>,
    /// Why it is a problem.
    #[schema(required)]
    problem: Option<String>,
    /// The change to test.
    #[schema(required)]
    solution: Option<String>,
    /// The team's rating, 1 to 5.
    #[schema(required, minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// The team's rating, 1 to 5.
    #[schema(required, minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// The team's rating, 1 to 5.
    #[schema(required, minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// Research behind it.
    #[schema(required)]
    hypothesis_url: Option<String>,
    /// Whether it was taken off the backlog; in lists only when archived ones
    /// were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    archived: Option<bool>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// When it, or the set of its experiments, last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Instant,
    /// Experiments run from it, lowest id first.
    linked_test_ids: Vec<i64>,
}

impl Hypothesis {
    /// As its details show it.
    pub(crate) fn details(hypothesis: DomainHypothesis) -> Self {
        let slug = Some(hypothesis.slug.clone());
        Self { slug, ..Self::listed(hypothesis, true) }
    }

    /// As lists show it; `archived` only where it is asked for.
    pub(crate) fn listed(hypothesis: DomainHypothesis, show_archived: bool) -> Self {
        let content = hypothesis.content;
        Self {
            hypothesis_id: hypothesis.id.0,
            slug: None,
            observation: content.observation,
            problem: content.problem,
            solution: content.solution,
            confidence: content.confidence.map(Rating::value),
            importance: content.importance.map(Rating::value),
            difficulty: content.difficulty.map(Rating::value),
            hypothesis_url: content.link,
            archived: show_archived.then_some(hypothesis.archived),
            created_at: hypothesis.created_at,
            updated_at: hypothesis.updated_at,
            linked_test_ids: hypothesis.experiments.into_iter().map(|id| id.0).collect(),
        }
    }
}

/// One hypothesis.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// The hypothesis.
    pub(crate) hypothesis: Hypothesis,
}

/// A hypothesis was made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) hypothesis_id: i64,
    /// Its slug: the given one, or one made from its text.
    pub(crate) slug: String,
}

/// A page of ids and slugs.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisSlugs {
    /// Always true.
    pub(crate) success: bool,
    /// Hypotheses in this page.
    pub(crate) count: usize,
    /// Lowest id first; archived ones too.
    pub(crate) hypotheses: Vec<HypothesisSlug>,
    /// What to pass as `after` for the next page; null when there is none.
    #[schema(required)]
    pub(crate) next_after: Option<i64>,
}

/// The id and the slug of a hypothesis.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisSlug {
    /// Identifies the hypothesis.
    pub(crate) hypothesis_id: i64,
    /// Names it in files and scripts.
    #[schema(example = "few-visitors-reach-checkout")]
    pub(crate) slug: String,
}

/// A hypothesis was changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisChanged {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) hypothesis_id: i64,
}
