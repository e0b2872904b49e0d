//! Explains decisions: for the API, and for commands that open the database.

use crate::json::Json;
use crate::wire::context;
use muriel_assign::{Delivered, Experiment};
use muriel_delivery::visitor::Visitors;
use muriel_domain::{Instant, Problems};
use muriel_service::explain;

pub use crate::wire::views::{Explanation, ExplanationStep};

/// Explains every step of the decision for the visitor that a context describes.
/// The context has the form that OpenFeature clients send: `targetingKey`, facts
/// by their names, and attributes. `experiment` was compiled from `delivered`.
///
/// # Errors
/// Problems of the context, each with its name.
pub fn explain(
    delivered: &Delivered,
    experiment: &Experiment,
    members: &[(String, Json)],
    visitors: &Visitors,
    now: Instant,
) -> Result<Explanation, Problems> {
    let origin = context::origin(members, visitors);
    let visitor = context::visitor(members, origin.as_ref(), now.us().div_euclid(1_000))?;
    Ok(Explanation::new(experiment, &visitor, explain::explain(delivered, experiment, &visitor)))
}
