//! Assignment: the arm that a visitor gets, and the reason.
//!
//! [`Ruleset::compile`] checks everything that a project delivers. [`Experiment::decide`] therefore always returns an
//! arm or none, with a [`Reason`]. The same code decides and explains: it takes a [`NoopObserver`] for deciding, and a
//! [`TraceObserver`] for explaining.
//!
//! Nothing here reads a clock, draws random numbers or looks anything up. `docs/assignment.md` specifies the behaviour,
//! in enough detail for a client in another language to make the same decisions. The cases in `contract/assignment`
//! test it.
//!
//! | term | meaning |
//! |---|---|
//! | unit | what is randomised: the text that is hashed, a visitor's id |
//! | arm | the control or one of the variants; the control is number 0 |
//! | bucket | a unit's place on a line of 1,000,000, by the hash of a salt and the unit |
//! | range | a part of that line that belongs to an arm; the total length of an arm's ranges is its weight |
//! | traffic | the share of eligible units that enter, on a line of its own |
//! | sticky | the arm that the visitor was given before; the caller stores it |
//! | forced | the arm that a preview requests; it is shown and not counted |
//! | exclusion | the range of a group's line that one experiment has, so that experiments share no units |
//!
//! # Examples
//!
//! ```
//! use muriel_assign::{Document, NoopObserver, Reason, Ruleset, TraceObserver, Visitor};
//!
//! let document: Document = serde_json::from_value(serde_json::json!({
//!     "format": 1, "hash": 1, "project_key": "shop",
//!     "experiments": [{
//!         "test_id": 7, "experiment_key": "checkout", "test_type": "abtest", "live": true, "epoch": 1,
//!         "salt": "exp-1", "traffic_allocation": 100, "variants_data_key": "https://shop.example/",
//!         // The control has the first half of the line, `Variant 1` the second.
//!         "ranges": [[5000, 0], [10000, 1]],
//!         "targeting": { "device_rule": ["mobile"] },
//!         "variants": [{}],
//!     }],
//! })).unwrap();
//! let ruleset = Ruleset::compile(&document).unwrap();
//! let checkout = ruleset.experiment("checkout").unwrap();
//!
//! // A name that is left out of the context is not known yet: the visitor stays out for now.
//! let context = serde_json::json!({ "targetingKey": "visitor-1" });
//! let visitor = |context: &serde_json::Value| {
//!     let facts = context.as_object().unwrap().clone();
//!     let facts: Vec<_> = facts.into_iter().collect();
//!     let decision = {
//!         let visitor = Visitor::read(facts.iter().map(|(name, value)| (name.as_str(), value.into()))).unwrap();
//!         checkout.decide(&visitor, &mut NoopObserver)
//!     };
//!     (decision.variant(), decision.reason)
//! };
//! assert_eq!(visitor(&context), ("Control", Reason::Unknown));
//!
//! let context = serde_json::json!({ "targetingKey": "visitor-1", "device": "mobile" });
//! assert_eq!(visitor(&context).1, Reason::Split);
//!
//! // The same walk, explained.
//! let mut trace = TraceObserver::default();
//! let someone = Visitor { id: "visitor-1", ..Visitor::default() };
//! checkout.decide(&someone, &mut trace);
//! let checks: Vec<_> = trace.steps.iter().map(|step| (step.check.name(), step.outcome.name())).collect();
//! assert_eq!(checks, [("status", "pass"), ("traffic", "pass"), ("device_rule", "unknown")]);
//! ```

mod audience;
mod bucket;
mod condition;
mod decide;
pub mod document;
mod group_range;
mod observe;
pub mod page;
mod ruleset;
mod tri;
mod visitor;

pub use bucket::{BUCKETS, Murmur3};
pub use condition::Scalar;
pub use decide::{Decision, Reason};
pub use document::{Delivered, Document};
pub use observe::{Check, CheckOutcome, NoopObserver, Observer, TraceObserver, TraceStep};
pub use ruleset::{Experiment, Ruleset, arm_name};
pub use tri::Tri;
pub use visitor::{ContextValue, EvaluationSide, Fact, ID_MAX, LocalTime, PastEvent, Visitor};
