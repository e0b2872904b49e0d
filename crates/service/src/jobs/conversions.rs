//! Reports conversions to webhooks that ask for them, about once a minute for each experiment.
//!
//! A conversion is the one that the result counts: a visitor's first event of a goal within its window
//! after the first exposure. The number already reported is stored in the transaction that writes the
//! message to the outbox. Each node reports the conversions in its own log, as its results do.

use super::findings::busy;
use super::{CLOCK, fails_by_itself, look, project};
use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::experiment::Experiment;
use muriel_domain::ids::ExperimentId;
use muriel_domain::webhook::{Event, EventType};
use muriel_results::{Computed, Inquiry};
use muriel_store::tenants::Project;
use muriel_store::{integrations, notifications};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

const MINUTE_US: i64 = 60_000_000;

/// Minute in which each experiment was last checked.
#[derive(Debug, Default)]
pub struct ConversionChecks(HashMap<ExperimentId, i64>);

/// Conversions on a goal, per arm with the control first.
struct GoalConversions {
    key: String,
    arms: Vec<u64>,
}

/// Reports the conversions since the last message. Returns the number of messages.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is checked again.
pub async fn report_conversions(app: &App, checks: &mut ConversionChecks) -> Result<usize> {
    if app.results().is_none() {
        return Ok(0);
    }
    let now = app.clock.now();
    let followed =
        app.read(move |tx| Box::pin(async move { Ok(integrations::followed_conversions(tx, now).await?) })).await?;
    checks.0.retain(|id, _| followed.iter().any(|(_, followed)| followed == id));
    let minute = now.us().div_euclid(MINUTE_US);
    let mut sent = 0;
    for (project_id, id) in followed {
        if checks.0.get(&id) == Some(&minute) {
            continue;
        }
        let Some(project) = project(app, project_id).await? else { continue };
        let is_checked = match report_experiment(app, &project, id).await {
            Ok(is_sent) => {
                sent += usize::from(is_sent);
                true
            }
            Err(error) => fails_by_itself(id, "tell_conversions", error)?,
        };
        if is_checked {
            checks.0.insert(id, minute);
        }
    }
    Ok(sent)
}

async fn report_experiment(app: &App, project: &Arc<Project>, id: ExperimentId) -> Result<bool> {
    let (experiment, computed) = match look(app, project, id, Inquiry::default()).await {
        // Too many reports are being computed: the experiment is checked again.
        Err(Error::Unavailable { .. }) => return Err(busy()),
        looked => looked?,
    };
    // Without a block there is nothing to report. A node has one log.
    let Some(log) = computed.manifest.logs.first().map(|log| log.id.to_string()) else { return Ok(false) };
    let (goals, now) = (conversions(&computed), app.clock.now());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let before = integrations::reported_conversions(tx, &log, id).await?;
                let mut counted = Vec::new();
                for goal in goals {
                    let key = goal.key.as_str();
                    let reported_before = |arm: u32| before.get(&(key.to_owned(), arm)).copied().unwrap_or(0);
                    // A lower number than reported, as when visitors turn out to have seen two arms, is not new.
                    let new: Vec<u64> = (0u32..)
                        .zip(&goal.arms)
                        .map(|(arm, converted)| converted.saturating_sub(reported_before(arm)))
                        .collect();
                    if new.iter().all(|new| *new == 0) {
                        continue;
                    }
                    for ((arm, new), converted) in (0u32..).zip(&new).zip(&goal.arms) {
                        if *new > 0 {
                            integrations::reported_conversions_set(tx, (&log, id), (key, arm), *converted).await?;
                        }
                    }
                    counted.push((goal, new));
                }
                if counted.is_empty() {
                    return Ok(false);
                }
                notifications::record_events(tx, &experiment, vec![event(&experiment, &counted)], CLOCK.name(), now)
                    .await?;
                Ok(true)
            })
        })
        .await
}

/// Conversions on the experiment's goals, the primary one first. Other metrics have no conversions.
fn conversions(computed: &Computed) -> Vec<GoalConversions> {
    let metrics = computed.manifest.metrics.iter().zip(&computed.metrics);
    let goals = metrics.filter(|(facts, _)| facts.is_goal());
    goals
        .map(|(facts, numbers)| GoalConversions {
            key: facts.key.clone(),
            arms: numbers.arms.iter().map(|arm| arm.converted).collect(),
        })
        .collect()
}

fn event(experiment: &Experiment, counted: &[(GoalConversions, Vec<u64>)]) -> Event {
    let goals: Vec<Value> = counted
        .iter()
        .map(|(goal, new)| {
            let arms = (0u32..).zip(new).zip(&goal.arms);
            let arms: Vec<Value> = arms
                .map(|((arm, new), total)| json!({ "variant_id": arm.to_string(), "conversions": new, "total": total }))
                .collect();
            json!({ "goal_key": goal.key, "variants": arms })
        })
        .collect();
    let all: u64 = counted.iter().flat_map(|(_, new)| new).sum();
    let sentence = format!(
        "there {} since the last message",
        if all == 1 { "was 1 conversion".to_owned() } else { format!("were {all} conversions") }
    );
    Event::of_result(EventType::Conversion, experiment, CLOCK.name(), sentence, json!({ "goals": goals }))
}
