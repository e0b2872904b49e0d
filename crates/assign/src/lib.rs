//! Who gets what, and why.
//!
//! [`Ruleset::compile`] checks everything that a project delivers;
//! [`Experiment::decide`] then always answers: an arm or none, with a
//! [`Reason`]. One walk serves deciding and explaining: the first passes
//! [`Silent`], the second [`Recording`].
//!
//! Nothing here reads a clock, draws a number or looks anything up. What it does
//! is written down in `docs/assignment.md`, exactly enough that a client in
//! another language decides the same, and held by `contract/assignment`.

mod audience;
mod bucket;
mod condition;
mod decide;
pub mod document;
mod observe;
pub mod page;
mod ruleset;
mod tri;
mod visitor;

pub use bucket::{BUCKETS, Murmur3};
pub use condition::Scalar;
pub use decide::{Decision, Reason, arm_name};
pub use document::{Delivered, Document};
pub use observe::{Check, Observer, Outcome, Recording, Silent, Step};
pub use ruleset::{Experiment, Ruleset};
pub use tri::Tri;
pub use visitor::{Fact, ID_MAX, LocalTime, Occurrence, Place, Value, Visitor};
