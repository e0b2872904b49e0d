//! Answers. Each struct is one published shape; its fields are in the order in
//! which they are written.

mod change_preview;
mod distribution;
mod experiments;
mod explanation;
mod goals;
mod groups;
mod hypotheses;
mod rates;
mod results;
mod visitor_data;
mod webhooks;

pub(crate) use change_preview::ChangePreview;
pub use change_preview::{FieldChange, differences};
pub(crate) use distribution::*;
pub(crate) use experiments::*;
pub use explanation::{Explanation, ExplanationStep};
pub(crate) use goals::*;
pub(crate) use groups::*;
pub(crate) use hypotheses::*;
pub(crate) use rates::*;
pub use results::{HoldoutResult, ResultAnswer};
pub(crate) use results::{PlanAnswer, TimeseriesAnswer};
pub(crate) use visitor_data::*;
pub(crate) use webhooks::*;
