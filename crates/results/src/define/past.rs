//! Reconstructs what was known of an experiment at a time in the past, from its history.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::{NotFound, ReportInputs, facts_of_node, is_planned_revenue, is_revenue, of_goal, to_ms, took_events_since};
use crate::locked::Judgement;
use crate::manifest::{
    Counted, ExclusionFacts, INTERACTIONS_MAX, Manifest, MetricFacts, NodeFacts, OTHER_NODES_MAX, PolicyFacts,
};
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, LockedHypothesis, MilestoneChange, Milestones};
use muriel_domain::goal::{Definition, Goal, GoalType, Purpose, Trigger};
use muriel_domain::ids::{ExperimentId, GoalId, ProjectId};
use muriel_sql::{Dialect, Tx};
use muriel_store::exclusions::StoredExclusion;
use muriel_store::nodes::Node;
use muriel_store::plan_locks;
use muriel_store::{exclusions, experiments, goals, hypotheses, interactions, nodes, tenants};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of changes that are undone.
const BACK_MAX: i64 = 10_000;
/// Time without a sign of life, in microseconds, after which a node had stopped: longer than its lease, and than the
/// differences between clocks of machines.
const STOPPED_US: i64 = 120_000_000;

/// A manifest of the past, reconstructed from the stored data.
#[derive(Debug, Clone)]
pub struct Past {
    /// The manifest, before the log is read.
    pub manifest: Manifest,
    /// Values of `manifest` that were taken from the given one because no history of them is stored, each in a
    /// sentence.
    pub believed: Vec<String>,
}

impl ReportInputs {
    /// Reconstructs the manifest that `given` would be if it was made from the data stored at `at`; `Ok(Err(_))` when
    /// that is impossible. `node` is the server that made it, if that is known.
    pub async fn past(
        tx: &mut dyn Tx,
        project: ProjectId,
        given: &Manifest,
        at: Instant,
        node: Option<&str>,
    ) -> muriel_store::Result<Result<Past, NotFound>> {
        let id = ExperimentId(given.experiment.test_id);
        let Some(loaded) = experiments::find(tx, project, id).await? else { return Ok(Err(NotFound::Experiment)) };
        let entries = experiments::history(tx, id, BACK_MAX).await?;
        let is_whole = (entries.len() as i64) < BACK_MAX;
        let (later, earlier): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| to_ms(entry.at) > at);
        if earlier.is_empty() && !is_whole {
            return Ok(Err(NotFound::Experiment));
        }
        let mut experiment = loaded.experiment;
        // The newest change comes first.
        for entry in &later {
            let Some(undone) = experiment.undone(&entry.before) else { return Ok(Err(NotFound::Experiment)) };
            experiment = undone;
        }
        if !later.is_empty() {
            experiment.milestones = milestones(&experiment, &earlier, at);
        }
        let start = experiment.milestones.first_start;
        let mut epochs = experiments::epochs(tx, id).await?;
        epochs.retain(|epoch| to_ms(epoch.opened_at) <= at);

        let mut goals = Goals { given, found: HashMap::new(), changed: Vec::new() };
        let mut listed = Vec::new();
        let keys = experiment.primary_goal.iter().chain(&experiment.secondary_goals).chain(&given.inquiry.goal_key);
        for key in keys.cloned().collect::<Vec<_>>() {
            listed.push((key.clone(), goals.find(tx, project, &key).await?));
        }
        let goal = |key: &String| listed.iter().find(|(known, _)| known == key).and_then(|(_, goal)| goal.clone());
        let lock = plan_locks::find(tx, id).await?.filter(|lock| lock.plan.locked_at <= at);
        let planned = Judgement::planned_goals(&experiment, lock.as_ref());
        let has_revenue = listed.iter().any(|(_, goal)| goal.as_ref().is_some_and(is_revenue))
            || planned.iter().any(|goal| is_planned_revenue(goal));
        let rates = match has_revenue {
            true => tenants::currency_rates(tx, project).await?,
            false => None,
        };
        // Times in manifests have no microseconds.
        let are_rates_known = tenants::currency_rates_held_since(tx, project, at.plus_us(999)).await?;
        let (other_nodes, are_nodes_known) = match (tx.dialect(), node) {
            // Only one process uses a SQLite file.
            (Dialect::Sqlite, _) => (Vec::new(), true),
            (Dialect::Postgres, None) => (given.other_nodes.clone(), false),
            (Dialect::Postgres, Some(own)) => {
                let stored = nodes::others(tx, own).await?;
                other_nodes(&given.other_nodes, &stored, own, start.map(|start| start.started_at), at)
            }
        };
        // Each check replaces the findings of the one before it.
        let check = interactions::last_check(tx, project).await?;
        let are_interactions_known = check.is_none_or(|check| to_ms(check.ended_at) <= at);
        let (hypothesis, is_hypothesis_known) = match experiment.hypothesis_id {
            None => (None, true),
            Some(id) => {
                let stored = hypotheses::find(tx, project, id).await?;
                let is_known = stored.as_ref().is_some_and(|stored| to_ms(stored.updated_at) <= at);
                (stored.as_ref().map(LockedHypothesis::of), is_known)
            }
        };
        let (exclusions, are_exclusions_known) =
            past_exclusions(&given.exclusions, &exclusions::of_project(tx, project).await?, at);
        let known = ReportInputs {
            lock,
            hypothesis,
            primary: experiment.primary_goal.as_ref().and_then(goal),
            secondary: experiment.secondary_goals.iter().filter_map(goal).collect(),
            other_nodes,
            rates,
            policy: PolicyFacts::of(&tenants::settings(tx, project).await?),
            exclusions,
            interactions: interactions::of_experiment(tx, id, INTERACTIONS_MAX as i64).await?,
            asked: given.inquiry.goal_key.as_ref().and_then(goal),
            experiment,
            epochs,
            version: String::new(),
        };
        let mut manifest = known.manifest(&Arc::from(given.project_key.as_str()), &given.inquiry, given.as_of);
        let changed = |key: &String| format!("the goal {key} was changed since: its definition was not checked");
        let mut believed: Vec<String> = goals.changed.iter().map(changed).collect();
        if !are_rates_known && manifest.currency_rates != given.currency_rates {
            manifest.currency_rates.clone_from(&given.currency_rates);
            believed.push("the currency rates were changed since: those of the result were not checked".to_owned());
        }
        if manifest.policy != given.policy {
            manifest.policy.clone_from(&given.policy);
            believed
                .push("visitors and orders count by another policy now: that of the result was not checked".to_owned());
        }
        if !are_exclusions_known {
            believed.push("exclusions were deleted since: those of the result were not checked".to_owned());
        }
        if !are_interactions_known && manifest.interactions != given.interactions {
            manifest.interactions.clone_from(&given.interactions);
            believed.push("interactions were checked again since: those of the result were not verified".to_owned());
        }
        manifest.plan = manifest.plan.filter(|plan| given.plan.is_some() || plan.content.is_some());
        if let (Some(plan), Some(given)) = (&mut manifest.plan, &given.plan)
            && !is_hypothesis_known
            && plan.believe_hypothesis(given)
        {
            believed.push("the hypothesis was changed since: its text was not checked".to_owned());
        }
        if !are_nodes_known {
            believed.push(
                "other nodes were seen since, or are forgotten: those of the result were not checked (muriel node list)"
                    .to_owned(),
            );
        }
        Ok(Ok(Past { manifest, believed }))
    }
}

/// The exclusions that a manifest of `at` names according to the stored ones, and whether that is certain. The entry of
/// `given` is taken over for an exclusion that was deleted since.
fn past_exclusions(given: &[ExclusionFacts], stored: &[StoredExclusion], at: Instant) -> (Vec<ExclusionFacts>, bool) {
    let is_stored = |facts: &&ExclusionFacts| stored.iter().any(|stored| stored.id.0 == facts.exclusion_id);
    let (_, deleted): (Vec<_>, Vec<_>) = given.iter().partition(is_stored);
    let (known, is_all) = (stored.iter().filter(|stored| to_ms(stored.created_at) <= at), deleted.is_empty());
    let mut all: Vec<ExclusionFacts> = known.map(ExclusionFacts::of).chain(deleted.into_iter().cloned()).collect();
    all.sort_by_key(|facts| facts.exclusion_id);
    (all, is_all)
}

/// The other nodes that a manifest of `at`, made by the node `own`, names according to the stored data, and whether
/// that data is sufficient. Only the first start and the last sign of life of a node are stored, so the entry of
/// `given` is taken over for a node that was seen later.
fn other_nodes(
    given: &[NodeFacts],
    stored: &[Node],
    own: &str,
    since: Option<Instant>,
    at: Instant,
) -> (Vec<NodeFacts>, bool) {
    let mut is_all = true;
    let mut had_stopped = HashMap::new();
    for node in stored {
        if !node.is_live && node.seen_at.plus_us(STOPPED_US) < at {
            had_stopped.insert(node.id.as_str(), took_events_since(node, since).then(|| facts_of_node(node)));
        } else if node.started_at.plus_us(-STOPPED_US) <= at && !is_copy_of(&node.id, own) {
            is_all &= given.iter().any(|facts| facts.node == node.id && facts.ended_at.is_none());
        }
    }
    let mut others = Vec::new();
    for facts in given {
        match had_stopped.remove(facts.node.as_str()) {
            Some(known) => others.extend(known),
            None => {
                is_all &= stored.iter().any(|node| node.id == facts.node);
                others.push(facts.clone());
            }
        }
    }
    let left = stored.iter().filter_map(|node| had_stopped.remove(node.id.as_str()).flatten());
    others.extend(left.take(OTHER_NODES_MAX.saturating_sub(given.len())));
    (others, is_all)
}

/// Returns whether a node is a copy of the same data directory: which of the two has the id of the directory depends on
/// which started first.
fn is_copy_of(node: &str, own: &str) -> bool {
    node.split('~').next() == Some(own)
}

/// Milestones at `at` of an experiment in its state at that time, from the changes up to then, newest first. The first
/// start is known without them.
fn milestones(experiment: &Experiment, changes: &[experiments::HistoryEntry], at: Instant) -> Milestones {
    let first_start = experiment.milestones.first_start.filter(|start| to_ms(start.opened_at) <= at);
    let (mut steps, mut after) = (Vec::new(), experiment.clone());
    for change in changes {
        // Changes before an unreadable one stay unknown.
        let Some(before) = after.clone().undone(&change.before) else { break };
        steps.push((MilestoneChange::between(&before, &after), change.at));
        after = before;
    }
    let first = Milestones { first_start, ..Milestones::new(after.variants.len()) };
    steps.iter().rev().fold(first, |milestones, (step, at)| milestones.after(step, *at))
}

/// Goals in their stored form, or in the form of the given manifest.
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
            // A goal that never changed was the same at that time.
            (Some(stored), _) if stored.revision == 1 => Some(stored),
            (Some(stored), Some(given)) if of_goal(&stored, &given.role) == *given => Some(stored),
            (stored, Some(given)) => {
                self.changed.push(key.to_owned());
                // The id only has to differ from those of other goals.
                let id = GoalId(-1 - self.found.len() as i64);
                believed(given, stored.map_or(id, |stored| stored.id))
            }
            (stored, None) => stored,
        };
        self.found.insert(key.to_owned(), found.clone());
        Ok(found)
    }
}

/// The goal that a manifest describes.
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

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_US: i64 = 60_000_000;
    const AT: Instant = Instant::from_us(1_000 * MINUTE_US);

    fn minutes(minutes: i64) -> Instant {
        Instant::from_us(minutes * MINUTE_US)
    }

    /// A node that was seen first and last at these minutes. The experiment starts at minute 500, and the manifest is
    /// of minute 1,000.
    fn node(id: &str, blocks: i64, started: i64, seen: i64) -> Node {
        let text = |text: &str| text.to_owned();
        Node {
            id: text(id),
            session: text("s"),
            host: text("h"),
            data_dir: text("d"),
            blocks,
            started_at: minutes(started),
            seen_at: minutes(seen),
            is_live: false,
        }
    }

    fn facts(id: &str, started: i64, ended: Option<i64>) -> NodeFacts {
        NodeFacts { node: id.to_owned(), started_at: minutes(started), ended_at: ended.map(minutes) }
    }

    #[test]
    fn other_nodes_are_held_against_what_is_stored_of_them() {
        let stopped = facts("a", 100, Some(900));
        let runs = facts("a", 100, None);
        for (what, given, stored, others, is_all) in [
            ("none", vec![], vec![], vec![], true),
            ("as it was", vec![stopped.clone()], vec![node("a", 3, 100, 900)], vec![stopped.clone()], true),
            ("left out", vec![], vec![node("a", 3, 100, 900)], vec![stopped.clone()], true),
            ("said to run", vec![runs.clone()], vec![node("a", 3, 100, 900)], vec![stopped.clone()], true),
            ("another first start", vec![facts("a", 99, Some(900))], vec![node("a", 3, 100, 900)], vec![stopped], true),
            ("took nothing", vec![runs.clone()], vec![node("a", 0, 100, 900)], vec![], true),
            ("before the experiment", vec![], vec![node("a", 3, 100, 499)], vec![], true),
            ("came later", vec![], vec![node("a", 3, 1_003, 1_100)], vec![], true),
            ("ran, and was seen since", vec![runs.clone()], vec![node("a", 3, 100, 1_100)], vec![runs.clone()], true),
            ("left out, and was seen since", vec![], vec![node("a", 3, 100, 1_100)], vec![], false),
            ("just stopped", vec![runs.clone()], vec![node("a", 3, 100, 999)], vec![runs.clone()], true),
            ("is forgotten", vec![runs.clone()], vec![], vec![runs.clone()], false),
            ("a copy of this one", vec![], vec![node("own~x", 3, 100, 1_100)], vec![], true),
        ] {
            assert_eq!(other_nodes(&given, &stored, "own", Some(minutes(500)), AT), (others, is_all), "{what}");
        }
    }

    #[test]
    fn at_most_so_many_other_nodes_are_expected() {
        let stored: Vec<Node> = (0..300).map(|number| node(&format!("n{number}"), 1, 100, 900)).collect();
        let given: Vec<NodeFacts> = stored.iter().take(OTHER_NODES_MAX).map(facts_of_node).collect();
        assert_eq!(other_nodes(&given, &stored, "own", Some(minutes(500)), AT), (given, true));
    }
}
