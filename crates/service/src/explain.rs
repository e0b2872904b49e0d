//! Explaining a decision.

use muriel_assign::page::PageRule;
use muriel_assign::{Decision, Delivered, Experiment, Fact, TraceObserver, TraceStep, Visitor};
use muriel_domain::targeting::{UrlMatch, UrlRule};

/// A decision with every step that led to it.
pub struct Explanation {
    /// The decision.
    pub decision: Decision,
    /// Every check, in the order in which it was made.
    pub steps: Vec<TraceStep>,
    /// Reason why the script does nothing on the visitor's page, whatever the decision: the experiment
    /// runs on another page. `None` if it runs on this page, or no page is known.
    pub elsewhere: Option<String>,
}

/// Explains the decision for a visitor. `experiment` was compiled from `delivered`.
pub fn explain(delivered: &Delivered, experiment: &Experiment, visitor: &Visitor<'_>) -> Explanation {
    let mut trace = TraceObserver::default();
    let decision = experiment.decide(visitor, &mut trace);
    Explanation { decision, steps: trace.steps, elsewhere: elsewhere(delivered, visitor) }
}

/// Returns the reason why the script does nothing on the visitor's page. Without page rules, the script
/// shows an experiment only on the page that it was made for. This is not part of the
/// decision, because servers decide without regard to the page.
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
            "the experiment has no url_rule, so the script shows it only on {home:?}, and does nothing on {:?}; \
             servers decide regardless of the page",
            page.as_str()
        )
    })
}
