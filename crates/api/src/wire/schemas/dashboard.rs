//! Bodies of the operations that the dashboard uses.

use super::experiment::ExperimentPatch;
use super::words::StatusCode;
use utoipa::ToSchema;

/// Which state to restore.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreBody {
    /// A revision of the history. Its state is that after this change was made.
    #[schema(minimum = 1)]
    revision: i64,
}

/// How a copy differs.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuplicateBody {
    /// Its name; that of the original with " (copy)" unless given.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    test_name: Option<String>,
}

/// Whether an experiment is in the archive.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArchiveBody {
    /// true puts it there, false takes it out.
    archived: bool,
}

/// A comment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentBody {
    /// Plain text, not blank.
    #[schema(min_length = 1, max_length = 10000, example = "The spike on Tuesday was the newsletter.")]
    text: String,
    /// People to mention, besides those whom the text calls by `@` and their name: ids that the project's people have. Needed
    /// for a name that several people have.
    #[schema(nullable = false, max_items = 50)]
    mentions: Option<Vec<i64>>,
}

/// How to mark an entry of the inbox.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxEntryBody {
    /// Whether it counts as read.
    read: bool,
}

/// What of the inbox is read.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxReadBody {
    /// The newest entry that is; everything unless given. Entries that came after it stay unread.
    #[schema(nullable = false, minimum = 1)]
    until: Option<i64>,
}

/// How to simulate a plan.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulationBody {
    /// Experiments to simulate.
    #[schema(nullable = false, minimum = 1, maximum = 5000, default = 500)]
    runs: Option<i64>,
    /// True lift of Variant 1 in percent; the smallest lift worth acting on unless given.
    #[schema(nullable = false, minimum = -100, maximum = 1000)]
    lift: Option<f64>,
    /// Percent of the control's visitors who convert; from the project's last two weeks unless given, else 5.
    #[schema(nullable = false, exclusive_minimum = 0, exclusive_maximum = 100)]
    baseline_rate: Option<f64>,
    /// Visitors who enter per day; from the project's last two weeks unless given, else 1,000.
    #[schema(nullable = false, exclusive_minimum = 0, maximum = 100000000)]
    daily_visitors: Option<f64>,
    /// Days after which it ends if no rule has ended it; the length of the plan unless given.
    #[schema(nullable = false, minimum = 1, maximum = 365)]
    days: Option<i64>,
    /// Seed of the random numbers: the same seed gives the same answer.
    #[schema(nullable = false, minimum = 0, default = 1)]
    seed: Option<i64>,
}

/// A change to propose: the fields of an update, or the status to have.
#[derive(ToSchema)]
pub(crate) struct ChangeProposal {
    #[schema(inline)]
    #[serde(flatten)]
    patch: ExperimentPatch,
    /// The status to have. Sent without fields of an update.
    #[schema(nullable = false)]
    status: Option<StatusCode>,
    /// Why the clock is to go by what was changed of the plan since the first start. Sent without other fields but `note`.
    #[schema(nullable = false, min_length = 1, max_length = 2000)]
    confirm_plan: Option<String>,
    /// Why it is proposed.
    #[schema(nullable = false, max_length = 10000)]
    note: Option<String>,
}

/// Why the clock is to go by what was changed of the plan.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanConfirmation {
    /// The reason, which history keeps.
    #[schema(
        min_length = 1,
        max_length = 2000,
        example = "The shop moved to another checkout, whose goal is order_paid."
    )]
    reason: String,
}

/// What the one who decides says.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionBody {
    /// Why.
    #[schema(nullable = false, max_length = 10000)]
    reason: Option<String>,
}

/// What a preview of an arm found on the page.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewReport {
    /// The `test-token` of the preview link.
    #[schema(max_length = 256)]
    token: String,
    /// The arm that was shown: 0 is the control.
    #[schema(minimum = 0, maximum = 50)]
    variant_id: i64,
    /// The page that showed it.
    #[schema(max_length = 2048)]
    url: String,
    /// Selectors of the arm's visual changes that matched an element.
    #[schema(max_items = 1000)]
    matched: Vec<String>,
    /// Selectors that matched none so far.
    #[schema(max_items = 1000)]
    missing: Vec<String>,
}
