//! Explaining a decision: over HTTP, and to whoever opens the database.

use crate::json::Json;
use crate::visitor::Visitors;
use crate::wire::context;
use muriel_assign::page::PageRule;
use muriel_assign::{Delivered, Experiment, Fact, Visitor};
use muriel_domain::targeting::{UrlMatch, UrlRule};
use muriel_domain::{Instant, Problems};

pub use crate::wire::views::{Explanation, ExplanationStep};

/// Every step of the decision for the visitor that a context describes, as
/// OpenFeature clients send it: `targetingKey`, facts by their names, attributes.
/// `experiment` is what was compiled from `delivered`.
///
/// # Errors
/// What is wrong with the context, each with its name.
pub fn explain(
    delivered: &Delivered,
    experiment: &Experiment,
    members: &[(String, Json)],
    visitors: &Visitors,
    now: Instant,
) -> Result<Explanation, Problems> {
    let origin = context::origin(members, visitors);
    let visitor = context::visitor(members, origin.as_ref(), now.us().div_euclid(1_000))?;
    Ok(Explanation { elsewhere: elsewhere(delivered, &visitor), ..Explanation::of(experiment, &visitor) })
}

/// Why the script does nothing on the visitor's page, if that is known: without
/// rules about pages it shows an experiment on the page that it was made for. It
/// is no part of the decision, which servers make of every page alike.
fn elsewhere(delivered: &Delivered, visitor: &Visitor<'_>) -> Option<String> {
    let Fact::Is(page) = &visitor.url else { return None };
    if !delivered.targeting.url_rule.is_empty() {
        return None;
    }
    let home = &delivered.variants_data_key;
    let rule = if home.contains('*') { UrlMatch::Wildcard } else { UrlMatch::Simple };
    let is_there =
        PageRule::compile(&UrlRule { url: home.clone(), rule, allowed: true }).is_ok_and(|rule| rule.matches(page));
    (!is_there).then(|| {
        format!(
            "the experiment has no url_rule, so the script on pages shows it on {home:?} alone, and does nothing on \
             {:?}; servers decide all the same",
            page.as_str()
        )
    })
}
