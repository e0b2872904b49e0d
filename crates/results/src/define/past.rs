//! What was known of an experiment at a moment of the past, from its history.

use super::{CHANGES_MAX, Known, Unknown, of_goal, to_ms};
use crate::manifest::{Counted, Manifest, MetricFacts};
use muriel_domain::Instant;
use muriel_domain::goal::{Definition, Goal, GoalType, Purpose, Trigger};
use muriel_domain::ids::{ExperimentId, GoalId, ProjectId};
use muriel_sql::Tx;
use muriel_store::{experiments, goals};
use std::collections::HashMap;
use std::sync::Arc;

/// Changes that are gone back over at most.
const BACK_MAX: i64 = 10_000;

/// What a manifest of the past would be, by what is stored now.
#[derive(Debug, Clone)]
pub struct Past {
    /// The manifest, before the log is looked at.
    pub manifest: Manifest,
    /// Keys of goals that are others now, or gone. No history of them is kept, so the
    /// manifest above has them as the given one does.
    pub changed_goals: Vec<String>,
}

impl Known {
    /// What `given` would say of its experiment if it was made from what was stored at
    /// `at`; `Ok(Err(_))` when that cannot be told.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn past(
        tx: &mut dyn Tx,
        project: ProjectId,
        given: &Manifest,
        at: Instant,
    ) -> muriel_store::Result<Result<Past, Unknown>> {
        let id = ExperimentId(given.experiment.test_id);
        let Some(loaded) = experiments::find(tx, project, id).await? else { return Ok(Err(Unknown::Experiment)) };
        let entries = experiments::history(tx, id, BACK_MAX).await?;
        let is_whole = (entries.len() as i64) < BACK_MAX;
        let (later, mut changes): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| to_ms(entry.at) > at);
        if changes.is_empty() && !is_whole {
            return Ok(Err(Unknown::Experiment));
        }
        let mut experiment = Some(loaded.experiment);
        // The newest comes first.
        for entry in &later {
            experiment = experiment.and_then(|experiment| experiment.undone(&entry.before));
        }
        let Some(experiment) = experiment else { return Ok(Err(Unknown::Experiment)) };
        changes.reverse();
        let start = experiments::first_start(tx, id).await?.filter(|start| to_ms(start.opened_at) <= at);
        let mut epochs = experiments::epochs(tx, id).await?;
        epochs.retain(|epoch| to_ms(epoch.opened_at) <= at);

        let mut goals = Goals { given, found: HashMap::new(), changed: Vec::new() };
        let mut listed = Vec::new();
        let keys = experiment.primary_goal.iter().chain(&experiment.secondary_goals).chain(&given.inquiry.goal_key);
        for key in keys.cloned().collect::<Vec<_>>() {
            listed.push((key.clone(), goals.find(tx, project, &key).await?));
        }
        let goal = |key: &String| listed.iter().find(|(known, _)| known == key).and_then(|(_, goal)| goal.clone());
        let known = Known {
            started_at: start.map(|start| to_ms(start.started_at)),
            opened_at: start.map(|start| to_ms(start.opened_at)),
            planned_visitors: start
                .and_then(|start| changes.iter().find(|change| is_replanned(change, start.opened_at)))
                .map_or(experiment.plan.visitors, |change| change.before["plan"]["visitors"].as_i64()),
            primary: experiment.primary_goal.as_ref().and_then(goal),
            secondary: experiment.secondary_goals.iter().filter_map(goal).collect(),
            other_nodes: Vec::new(),
            rates: None,
            asked: given.inquiry.goal_key.as_ref().and_then(goal),
            changes: latest(changes),
            experiment,
            epochs,
            version: String::new(),
        };
        let manifest = known.manifest(&Arc::from(given.project_key.as_str()), &given.inquiry, given.as_of);
        Ok(Ok(Past { manifest, changed_goals: goals.changed }))
    }
}

/// Whether the plan was changed after the experiment had started.
fn is_replanned(change: &experiments::HistoryEntry, opened_at: Instant) -> bool {
    let starts = change.at == opened_at && change.before.contains_key("status");
    change.at >= opened_at && change.before.contains_key("plan") && !starts
}

/// Of each field the changes that a report looks at.
fn latest(changes: Vec<experiments::HistoryEntry>) -> Vec<experiments::HistoryEntry> {
    let mut seen: HashMap<String, i64> = HashMap::new();
    let mut kept: Vec<_> = changes
        .into_iter()
        .rev()
        .filter_map(|mut entry| {
            entry.before.retain(|field, _| {
                let count = seen.entry(field.clone()).or_default();
                *count += 1;
                *count <= CHANGES_MAX
            });
            (!entry.before.is_empty()).then_some(entry)
        })
        .collect();
    kept.reverse();
    kept
}

/// Goals as they are, or as the given manifest has them.
struct Goals<'a> {
    given: &'a Manifest,
    found: HashMap<String, Option<Goal>>,
    changed: Vec<String>,
}

impl Goals<'_> {
    async fn find(&mut self, tx: &mut dyn Tx, project: ProjectId, key: &str) -> muriel_store::Result<Option<Goal>> {
        if let Some(found) = self.found.get(key) {
            return Ok(found.clone());
        }
        let stored = goals::find_keyed(tx, project, key).await?;
        let is_goal = |facts: &&MetricFacts| facts.key == key && matches!(facts.counted, Counted::Goal { .. });
        let given = self.given.metrics.iter().find(is_goal);
        let found = match (stored, given) {
            // What never changed was so then.
            (Some(stored), _) if stored.revision == 1 => Some(stored),
            (Some(stored), Some(given)) if of_goal(&stored, &given.role) == *given => Some(stored),
            (stored, Some(given)) => {
                self.changed.push(key.to_owned());
                // Its id only has to be no other's.
                let id = GoalId(-1 - self.found.len() as i64);
                believed(given, stored.map_or(id, |stored| stored.id))
            }
            (stored, None) => stored,
        };
        self.found.insert(key.to_owned(), found.clone());
        Ok(found)
    }
}

/// The goal that a manifest tells of.
fn believed(facts: &MetricFacts, id: GoalId) -> Option<Goal> {
    let Counted::Goal { goal_type, goal_value, window_days, min_count, cap, max_order_value, currency } =
        &facts.counted
    else {
        return None;
    };
    let (_, goal_type) = GoalType::WORDS.iter().find(|(word, _)| word == goal_type)?;
    let definition = Definition {
        name: facts.name.clone(),
        trigger: Trigger::new(*goal_type, goal_value.clone()).ok()?,
        purpose: Purpose::Engage,
        element_url: None,
        window_days: *window_days,
        min_count: *min_count,
        cap: *cap,
        max_order_value: *max_order_value,
        currency: currency.clone(),
    };
    Some(Goal { id, key: facts.key.clone(), definition, created_at: Instant::from_us(0), revision: 1 })
}
