//! Start checklists in responses.

use crate::wire::schemas;
use muriel_domain::ids::ExperimentId;
use muriel_service::checklist::{CheckStatus, ChecklistItem as Item};
use serde::Serialize;
use utoipa::ToSchema;

/// Checks before an experiment starts.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checklist {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// True when it can be started: no item is blocked.
    pub(crate) can_start: bool,
    /// Checks in the recommended order.
    pub(crate) items: Vec<ChecklistItem>,
}

/// A check.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChecklistItem {
    /// Name of the check.
    #[schema(value_type = schemas::ChecklistCheck)]
    pub(crate) check: &'static str,
    /// `blocked` prevents the start; `unknown` when there is no data yet.
    #[schema(value_type = schemas::ChecklistStatus)]
    pub(crate) status: &'static str,
    /// Finding, and what to do about it.
    pub(crate) sentence: String,
}

/// The result of a preview was recorded.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewReported {
    /// Always true.
    pub(crate) success: bool,
}

impl Checklist {
    /// Builds the checklist of an experiment.
    pub(crate) fn new(id: ExperimentId, items: Vec<Item>) -> Self {
        let can_start = items.iter().all(|item| item.status != CheckStatus::Blocked);
        let shown = |item: Item| ChecklistItem {
            check: item.check.word(),
            status: item.status.word(),
            sentence: item.sentence,
        };
        Self { success: true, test_id: id.0, can_start, items: items.into_iter().map(shown).collect() }
    }
}
