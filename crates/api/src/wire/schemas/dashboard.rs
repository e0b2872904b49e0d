//! Bodies of the operations that the dashboard uses.

use super::experiment::ExperimentPatch;
use super::words::StatusCode;
use utoipa::ToSchema;

/// State to restore.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreBody {
    /// Revision in the history. The state after this change is restored.
    #[schema(minimum = 1)]
    revision: i64,
}

/// Settings of a copy.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuplicateBody {
    /// Display name. Default: the original's name with " (copy)" appended.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    test_name: Option<String>,
}

/// Archive state of an experiment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArchiveBody {
    /// true archives the experiment, false takes it out of the archive.
    archived: bool,
}

/// A comment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentBody {
    /// Plain text, not blank.
    #[schema(min_length = 1, max_length = 10000, example = "The spike on Tuesday was the newsletter.")]
    text: String,
    /// Ids of people to mention, in addition to those whom the text mentions with `@` and their name;
    /// `listProjectPeople` returns the ids. Needed for a name that several people have.
    #[schema(nullable = false, max_items = 50)]
    mentions: Option<Vec<i64>>,
}

/// Mark of an inbox entry.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxEntryBody {
    /// true marks the entry as read, false as unread.
    read: bool,
}

/// Range of inbox entries to mark as read.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxReadBody {
    /// Id of the newest entry to mark; later entries stay unread. Default: all entries are marked.
    #[schema(nullable = false, minimum = 1)]
    until: Option<i64>,
}

/// Assumptions of a simulation.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulationBody {
    /// Number of experiments to simulate.
    #[schema(nullable = false, minimum = 1, maximum = 5000, default = 500)]
    runs: Option<i64>,
    /// True lift of Variant 1, in percent. Default: the smallest lift worth acting on.
    #[schema(nullable = false, minimum = -100, maximum = 1000)]
    lift: Option<f64>,
    /// Percent of the control's visitors who convert. Default: that of the project's last two weeks, or 5.
    #[schema(nullable = false, exclusive_minimum = 0, exclusive_maximum = 100)]
    baseline_rate: Option<f64>,
    /// Visitors who enter per day. Default: that of the project's last two weeks, or 1,000.
    #[schema(nullable = false, exclusive_minimum = 0, maximum = 100000000)]
    daily_visitors: Option<f64>,
    /// Days after which an experiment ends if no rule has ended it. Default: the length of the plan.
    #[schema(nullable = false, minimum = 1, maximum = 365)]
    days: Option<i64>,
    /// Seed of the random numbers. The same seed gives the same result.
    #[schema(nullable = false, minimum = 0, default = 1)]
    seed: Option<i64>,
}

/// A proposed change: the fields of an update, or a new status.
#[derive(ToSchema)]
pub(crate) struct ChangeProposal {
    #[schema(inline)]
    #[serde(flatten)]
    patch: ExperimentPatch,
    /// New status. Cannot be combined with fields of an update.
    #[schema(nullable = false)]
    status: Option<StatusCode>,
    /// Reason for confirming the changes of the plan since the first start, so that the clock acts on the changed plan.
    /// Can be combined only with `note`.
    #[schema(nullable = false, min_length = 1, max_length = 2000)]
    confirm_plan: Option<String>,
    /// Reason for the proposal.
    #[schema(nullable = false, max_length = 10000)]
    note: Option<String>,
}

/// Confirmation that the clock acts on the changed plan.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanConfirmation {
    /// Reason, stored in the history.
    #[schema(
        min_length = 1,
        max_length = 2000,
        example = "The shop moved to another checkout, whose goal is order_paid."
    )]
    reason: String,
}

/// Confirmation that the clock acts although the result rests on a single network.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActConfirmation {
    /// Reason, stored in the history.
    #[schema(min_length = 1, max_length = 2000, example = "The network is that of our own shops.")]
    reason: String,
}

/// Comment of the person who decides.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionBody {
    /// Reason for the decision.
    #[schema(nullable = false, max_length = 10000)]
    reason: Option<String>,
}

/// Result of a variant's preview on the page.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewReport {
    /// `test-token` of the preview link.
    #[schema(max_length = 256)]
    token: String,
    /// Variant shown; 0 is the control.
    #[schema(minimum = 0, maximum = 50)]
    variant_id: i64,
    /// URL of the page that showed it.
    #[schema(max_length = 2048)]
    url: String,
    /// Selectors of the variant's visual changes that matched an element.
    #[schema(max_items = 1000)]
    matched: Vec<String>,
    /// Selectors that have not matched an element.
    #[schema(max_items = 1000)]
    missing: Vec<String>,
}
