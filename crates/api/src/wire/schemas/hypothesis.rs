//! Hypotheses.

use utoipa::ToSchema;

/// A new hypothesis. At least one of the texts must not be blank.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisBody {
    /// Name in files and scripts, unique in the project. Default: generated from the text.
    #[schema(nullable = false, pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
    slug: Option<String>,
    /// Observation of the team.
    #[schema(max_length = 10000)]
    observation: Option<String>,
    /// Reason why the observation is a problem.
    #[schema(max_length = 10000)]
    problem: Option<String>,
    /// The change to test.
    #[schema(max_length = 10000)]
    solution: Option<String>,
    /// Confidence, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// Importance, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// Difficulty, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// URL of the supporting research: http or https.
    #[schema(max_length = 2048)]
    hypothesis_url: Option<String>,
    /// true creates it archived, which keeps it off the backlog. Default: false.
    #[schema(nullable = false)]
    archived: Option<bool>,
}

/// Changes to a hypothesis.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisPatch {
    /// Name in files and scripts, unique in the project.
    #[schema(nullable = false, pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
    slug: Option<String>,
    /// Observation of the team.
    #[schema(max_length = 10000)]
    observation: Option<String>,
    /// Reason why the observation is a problem.
    #[schema(max_length = 10000)]
    problem: Option<String>,
    /// The change to test.
    #[schema(max_length = 10000)]
    solution: Option<String>,
    /// Confidence, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// Importance, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// Difficulty, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// URL of the supporting research: http or https.
    #[schema(max_length = 2048)]
    hypothesis_url: Option<String>,
    /// true archives it, which takes it off the backlog; false puts it back.
    #[schema(nullable = false)]
    archived: Option<bool>,
}
