//! Answers. Each struct is one published shape; its fields are in the order in
//! which they are written.

mod account;
mod audit;
mod change_preview;
mod conclusion;
mod distribution;
mod experiments;
mod explanation;
mod goals;
mod groups;
mod hypotheses;
mod people;
mod projects;
mod rates;
mod results;
mod visitor_data;
mod webhooks;

pub(crate) use account::*;
pub(crate) use audit::*;
pub(crate) use change_preview::ChangePreview;
pub use change_preview::{FieldChange, differences};
pub(crate) use conclusion::*;
pub(crate) use distribution::*;
pub(crate) use experiments::*;
pub use explanation::{Explanation, ExplanationStep};
pub(crate) use goals::*;
pub(crate) use groups::*;
pub(crate) use hypotheses::*;
pub(crate) use people::*;
pub(crate) use projects::*;
pub(crate) use rates::*;
pub use results::{HoldoutResult, ResultAnswer};
pub(crate) use results::{PlanAnswer, TimeseriesAnswer};
pub(crate) use visitor_data::*;
pub(crate) use webhooks::*;
