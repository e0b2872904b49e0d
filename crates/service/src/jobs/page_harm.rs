//! Ends experiments that are known to harm the pages of visitors, where the project says so.
//!
//! Harm is [`PageHealth::harm`](muriel_analysis::PageHealth::harm): code that fails, or pages that are slower, shift more or
//! respond later than the control's, by more than a margin. It needs no full day and no conversions. Whoever starts the
//! experiment again has been told, so it is not ended by this a second time.

use super::{CLOCK, LOOK_AGAIN_US, Leadership, MetRule, apply, fails_by_itself, look, object, project};
use crate::app::App;
use crate::error::{Error, Result};
use crate::experiments::{Change, Precondition, Target};
use muriel_analysis::{PageArm, PageMeasurement};
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, Rule};
use muriel_domain::ids::ExperimentId;
use muriel_results::{Computed, Inquiry};
use muriel_store::jobs;
use muriel_store::tenants::Project;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What was known of each experiment when its pages were last looked at.
#[derive(Debug, Default)]
pub struct PageLooks(HashMap<ExperimentId, PageLook>);

/// The numbers are the same as long as these are. However many events come, a result is looked at once in a while.
#[derive(Debug, PartialEq, Eq)]
struct PageLook {
    revision: i64,
    period: i64,
}

/// Looks at the pages of the live experiments of projects that are to be protected, and ends those that harm them. The
/// experiments that were ended come back.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is looked at again.
pub async fn stop_page_harm(app: &App, leadership: &Leadership, looks: &mut PageLooks) -> Result<Vec<ExperimentId>> {
    if app.results().is_none() {
        return Ok(Vec::new());
    }
    let protected = app.read(|tx| Box::pin(async move { Ok(jobs::protected(tx).await?) })).await?;
    let ids: HashSet<ExperimentId> = protected.iter().map(|(_, id, _)| *id).collect();
    looks.0.retain(|id, _| ids.contains(id));
    let mut ended = Vec::new();
    for (project_id, id, revision) in protected {
        let look = PageLook { revision, period: app.clock.now().us().div_euclid(LOOK_AGAIN_US) };
        if looks.0.get(&id) == Some(&look) {
            continue;
        }
        let Some(project) = project(app, project_id).await? else { continue };
        let is_looked_at = match protect(app, leadership.term, &project, id).await {
            Ok(is_ended) => {
                ended.extend(is_ended.then_some(id));
                true
            }
            // The warehouse is busy, or it was changed meanwhile.
            Err(Error::Unavailable { .. }) => false,
            Err(error) => fails_by_itself(id, "stop_page_harm", error)?,
        };
        if is_looked_at {
            looks.0.insert(id, look);
        }
    }
    Ok(ended)
}

/// Ends the experiment if it harms pages; whether it did.
async fn protect(app: &App, term: i64, project: &Arc<Project>, id: ExperimentId) -> Result<bool> {
    let (experiment, computed) = look(app, project, id, Inquiry::default()).await?;
    if !experiment.follows(Rule::PageHarm) {
        return Ok(false);
    }
    let Some(met) = harm(&computed) else { return Ok(false) };
    let target = Target { project: project.clone(), id, precondition: Precondition::None };
    let change = Change::new(app, &CLOCK, target, "stop");
    let manifest = serde_json::to_value(&computed.manifest).map_err(Error::internal)?;
    let revision = experiment.revision;
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        // The numbers are of the experiment as it was.
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.clocked(met.rule, met.detail, met.numbers, now)?))
    };
    Ok(apply(app, term, change, Rule::PageHarm, None, Some(manifest), decide).await?.is_some())
}

/// The harm that a result knows of.
fn harm(computed: &Computed) -> Option<MetRule> {
    let page = &computed.report.page;
    let found: Vec<(&PageArm, Vec<&PageMeasurement>)> = page.harm().collect();
    if found.is_empty() {
        return None;
    }
    let numbers = |it: &&PageMeasurement| {
        json!({
            "metric": it.metric.word(),
            "visitors": it.visitors,
            "value": it.value,
            "difference": it.difference,
            "difference_interval": it.interval.map(|interval| [interval.lower, interval.upper]),
        })
    };
    let arms: Vec<Value> = found
        .iter()
        .map(|(arm, by)| {
            let harmed: Vec<Value> = by.iter().map(numbers).collect();
            json!({ "variant_id": arm.arm.to_string(), "harmed": harmed })
        })
        .collect();
    Some(MetRule {
        rule: Rule::PageHarm,
        detail: format!("its pages are harmed, and the project ends experiments then: {}", page.check.message),
        numbers: object(json!({ "variants": arms })),
    })
}
