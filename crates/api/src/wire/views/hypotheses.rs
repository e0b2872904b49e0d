//! Hypotheses in responses.

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
    /// Number of hypotheses on this page.
    pub(crate) count: i64,
    /// Number of hypotheses that match the filters.
    pub(crate) total: i64,
    /// Page size that was applied.
    pub(crate) limit: i64,
    /// Offset that was applied.
    pub(crate) offset: i64,
    /// True when there are more pages.
    pub(crate) has_more: bool,
    /// Value to send as `offset` for the next page.
    pub(crate) next_offset: i64,
}

/// A hypothesis.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hypothesis {
    /// Identifies the hypothesis.
    hypothesis_id: i64,
    /// Name in files and scripts; in details only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    slug: Option<String>,
    /// Observation of the team.
    #[schema(required)]
    observation: Option<String>,
    /// Reason why the observation is a problem.
    #[schema(required)]
    problem: Option<String>,
    /// The change to test.
    #[schema(required)]
    solution: Option<String>,
    /// Confidence, from 1 to 5.
    #[schema(required, minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// Importance, from 1 to 5.
    #[schema(required, minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// Difficulty, from 1 to 5.
    #[schema(required, minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// URL of the supporting research.
    #[schema(required)]
    hypothesis_url: Option<String>,
    /// True when archived, which takes it off the backlog. In lists only when
    /// archived hypotheses were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    archived: Option<bool>,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// Time of the last change of the hypothesis or of the set of its
    /// experiments.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Instant,
    /// Ids of experiments that test it, lowest first.
    linked_test_ids: Vec<i64>,
}

impl Hypothesis {
    /// Hypothesis as the details show it.
    pub(crate) fn details(hypothesis: DomainHypothesis) -> Self {
        let slug = Some(hypothesis.slug.clone());
        Self { slug, ..Self::listed(hypothesis, true) }
    }

    /// Hypothesis as lists show it; `archived` only on request.
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

/// A hypothesis was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the hypothesis.
    pub(crate) hypothesis_id: i64,
    /// Slug: the given one, or one generated from the text.
    pub(crate) slug: String,
}

/// A page of ids and slugs.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisSlugs {
    /// Always true.
    pub(crate) success: bool,
    /// Number of hypotheses on this page.
    pub(crate) count: usize,
    /// Lowest id first, including archived ones.
    pub(crate) hypotheses: Vec<HypothesisSlug>,
    /// Value to send as `after` for the next page; null when there is none.
    #[schema(required)]
    pub(crate) next_after: Option<i64>,
}

/// The id and the slug of a hypothesis.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisSlug {
    /// Identifies the hypothesis.
    pub(crate) hypothesis_id: i64,
    /// Name in files and scripts.
    #[schema(example = "few-visitors-reach-checkout")]
    pub(crate) slug: String,
}

/// A hypothesis was changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisChanged {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the hypothesis.
    pub(crate) hypothesis_id: i64,
}
