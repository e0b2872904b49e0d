//! Hypotheses.

use utoipa::ToSchema;

/// A new hypothesis; at least one of the texts says something.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisBody {
    /// Names it in files and scripts, unique in the project; made from its text unless given.
    #[schema(nullable = false, pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
    slug: Option<String>,
    /// What the team saw.
    #[schema(max_length = 10000)]
    observation: Option<String>,
    /// Why it is a problem.
    #[schema(max_length = 10000)]
    problem: Option<String>,
    /// The change to test.
    #[schema(max_length = 10000)]
    solution: Option<String>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// Research behind it: http or https.
    #[schema(max_length = 2048)]
    hypothesis_url: Option<String>,
    /// Whether it is off the backlog from the start; false unless given.
    #[schema(nullable = false)]
    archived: Option<bool>,
}

/// Changes to a hypothesis.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisPatch {
    /// Names it in files and scripts, unique in the project.
    #[schema(nullable = false, pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
    slug: Option<String>,
    /// What the team saw.
    #[schema(max_length = 10000)]
    observation: Option<String>,
    /// Why it is a problem.
    #[schema(max_length = 10000)]
    problem: Option<String>,
    /// The change to test.
    #[schema(max_length = 10000)]
    solution: Option<String>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    confidence: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<i64>,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    difficulty: Option<i64>,
    /// Research behind it: http or https.
    #[schema(max_length = 2048)]
    hypothesis_url: Option<String>,
    /// On or off the backlog.
    #[schema(nullable = false)]
    archived: Option<bool>,
}
