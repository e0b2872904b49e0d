//! What to look at before a start.

use crate::wire::schemas;
use muriel_domain::ids::ExperimentId;
use muriel_service::checklist::{CheckStatus, ChecklistItem as Item};
use serde::Serialize;
use utoipa::ToSchema;

/// What to look at before an experiment starts.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checklist {
    /// Always true.
    pub(crate) success: bool,
    /// The experiment.
    pub(crate) test_id: i64,
    /// Whether it can be started: no item is blocked.
    pub(crate) can_start: bool,
    /// In the order in which they are best looked at.
    pub(crate) items: Vec<ChecklistItem>,
}

/// Something to look at.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChecklistItem {
    /// What is looked at.
    #[schema(value_type = schemas::ChecklistCheck)]
    pub(crate) check: &'static str,
    /// `blocked` is what makes a start be refused; `unknown` is what there is nothing to tell from yet.
    #[schema(value_type = schemas::ChecklistStatus)]
    pub(crate) status: &'static str,
    /// What was found, and what to do.
    pub(crate) sentence: String,
}

/// What a preview found is noted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewReported {
    /// Always true.
    pub(crate) success: bool,
}

impl Checklist {
    /// The checks of an experiment.
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
