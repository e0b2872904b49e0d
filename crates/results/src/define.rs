//! From what is stored to a manifest: what there is to know of an experiment
//! before its events are looked at.

use crate::inquiry::Inquiry;
use crate::manifest::{
    ArmFacts, Counted, Engine, EpochFacts, ExperimentFacts, Manifest, MetricFacts, NodeFacts, OTHER_NODES_MAX,
    RateFacts,
};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, Distribution, Epoch, Experiment, Serving, Status};
use muriel_domain::goal::{Goal, GoalType};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::rates::Rates;
use muriel_sql::Tx;
use muriel_store::experiments::{self, HistoryEntry};
use muriel_store::{goals, nodes, tenants};
use serde_json::Value;
use std::sync::Arc;

mod past;
pub use past::Past;

/// Fields whose changes results look at.
const CHANGES: [&str; 6] = ["variants", "control", "custom_js", "custom_css", "serving", "status"];
/// Changes of one field that are looked at, the last ones.
const CHANGES_MAX: i64 = 200;

/// Everything that a manifest is made of.
#[derive(Debug, Clone)]
pub struct Known {
    experiment: Experiment,
    /// When it first started.
    started_at: Option<Instant>,
    /// When that was done: later where it was given a start of the past.
    opened_at: Option<Instant>,
    /// The planned total as of then: a plan that is made to fit the data would void
    /// what is promised of the tests.
    planned_visitors: Option<i64>,
    /// The last ones.
    epochs: Vec<Epoch>,
    changes: Vec<HistoryEntry>,
    primary: Option<Goal>,
    secondary: Vec<Goal>,
    asked: Option<Goal>,
    /// Other nodes that run, or took events since it first started.
    other_nodes: Vec<NodeFacts>,
    /// What other currencies are worth, where revenue is reported.
    rates: Option<Rates>,
    /// Changes with anything above.
    version: String,
}

/// What could not be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The experiment.
    Experiment,
    /// The goal that was asked for.
    Goal,
    /// The epoch that was asked for.
    Epoch,
}

impl Known {
    /// Reads what is stored about an experiment; `Ok(Err(_))` when there is no such thing.
    /// `node` is this server's id, where other servers may work on the database too.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn load(
        tx: &mut dyn Tx,
        project: ProjectId,
        id: ExperimentId,
        inquiry: &Inquiry,
        node: Option<&str>,
    ) -> muriel_store::Result<Result<Known, Unknown>> {
        let Some(loaded) = experiments::find(tx, project, id).await? else { return Ok(Err(Unknown::Experiment)) };
        let (primary, secondary) = experiments::attached_goals(tx, id).await?;
        let asked = match &inquiry.goal_key {
            None => None,
            Some(key) => match goals::find_keyed(tx, project, key).await? {
                None => return Ok(Err(Unknown::Goal)),
                goal => goal,
            },
        };
        let epochs = experiments::epochs(tx, id).await?;
        if inquiry.epoch.is_some_and(|asked| !epochs.iter().any(|epoch| epoch.number == asked)) {
            return Ok(Err(Unknown::Epoch));
        }
        let start = experiments::first_start(tx, id).await?;
        let replanned = match start {
            Some(start) => experiments::first_change_since(tx, id, "plan", start.opened_at).await?,
            None => None,
        };
        let planned_visitors = match replanned {
            Some(change) => change.before["plan"]["visitors"].as_i64(),
            None => loaded.experiment.plan.visitors,
        };
        let changes = experiments::changes_of(tx, id, &CHANGES, CHANGES_MAX).await?;
        let mut version = loaded.version();
        for goal in primary.iter().chain(&secondary).chain(&asked) {
            version += &format!(" {}.{}", goal.id.0, goal.revision);
        }
        let rates = match primary.iter().chain(&secondary).chain(&asked).any(is_revenue) {
            true => {
                version += &format!(" {}", tenants::currency_rates_revision(tx, project).await?);
                tenants::currency_rates(tx, project).await?
            }
            false => None,
        };
        let other_nodes = match node {
            Some(node) => others_since(tx, node, start.map(|start| start.started_at)).await?,
            None => Vec::new(),
        };
        for other in &other_nodes {
            let ended_us = other.ended_at.map_or(0, Instant::us);
            version += &format!(" {}-{ended_us}", other.node);
        }
        Ok(Ok(Known {
            experiment: loaded.experiment,
            started_at: start.map(|start| to_ms(start.started_at)),
            opened_at: start.map(|start| to_ms(start.opened_at)),
            planned_visitors,
            epochs,
            changes,
            primary,
            secondary,
            asked,
            other_nodes,
            rates,
            version,
        }))
    }

    /// What is known of an experiment that never started, for planning it.
    pub fn unstarted(experiment: Experiment, primary: Option<Goal>) -> Known {
        Known { primary, ..Self::of(experiment, "") }
    }

    /// What is known of an experiment without goals, epochs and history.
    pub(crate) fn of(experiment: Experiment, version: &str) -> Known {
        Known {
            planned_visitors: experiment.plan.visitors,
            experiment,
            started_at: None,
            opened_at: None,
            epochs: Vec::new(),
            changes: Vec::new(),
            primary: None,
            secondary: Vec::new(),
            asked: None,
            other_nodes: Vec::new(),
            rates: None,
            version: version.to_owned(),
        }
    }

    /// The same of an experiment that started then.
    #[cfg(test)]
    pub(crate) fn started(self, at: Instant) -> Known {
        Known { started_at: Some(at), opened_at: Some(at), ..self }
    }

    /// A text that changes with anything that a manifest is made of, but for the
    /// log and the moment.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whose experiment it is.
    pub fn project(&self) -> ProjectId {
        self.experiment.project_id
    }

    /// Whether it runs.
    pub fn is_live(&self) -> bool {
        self.experiment.lifecycle.is_live()
    }

    /// The manifest of a report of this moment, before the log is looked at.
    pub fn manifest(&self, project_key: &Arc<str>, inquiry: &Inquiry, now: Instant) -> Manifest {
        Manifest {
            engine: Engine::here(),
            project_key: project_key.to_string(),
            log_position: 0,
            log_hash: None,
            log_damage: None,
            as_of: to_ms(now),
            inquiry: inquiry.clone(),
            experiment: self.facts(inquiry.epoch),
            epochs: self
                .epochs
                .iter()
                .map(|epoch| EpochFacts {
                    epoch: epoch.number,
                    started_at: to_ms(epoch.started_at),
                    weights: epoch.weights.hundredths().to_vec(),
                })
                .collect(),
            metrics: self.metrics(),
            other_nodes: self.other_nodes.clone(),
            currency_rates: self.rates.as_ref().map(|rates| RateFacts::of(rates, self.started_at, to_ms(now))),
        }
    }

    /// The experiment as it is, with the weights of `epoch` where one is asked for.
    fn facts(&self, epoch: Option<i64>) -> ExperimentFacts {
        let experiment = &self.experiment;
        let configuration = &experiment.configuration;
        let asked = self.epochs.iter().find(|known| Some(known.number) == epoch);
        let weights = asked.map_or_else(|| experiment.weights(), |epoch| epoch.weights.clone());
        let redefined = self.redefined();
        ExperimentFacts {
            test_id: experiment.id.0,
            test_name: experiment.name.clone(),
            status: experiment.lifecycle.status().word().to_owned(),
            test_type: experiment.test_type.word().to_owned(),
            confidence_percent: configuration.confidence_interval,
            bayesian: configuration.bayesian,
            is_mab: configuration.is_mab,
            mde_percent: experiment.plan.mde,
            planned_visitors: self.planned_visitors,
            traffic_allocation: configuration.traffic_allocation,
            distribution_mode: match (&configuration.distribution, configuration.is_mab) {
                (_, true) => "mab",
                (Distribution::Weights(_), false) => "custom",
                _ => "equal",
            }
            .to_owned(),
            serving_variant_id: match experiment.serving {
                Serving::Winner { arm, .. } => Some(arm.id()),
                Serving::Never | Serving::Stopped => None,
            },
            deployed_at: self.deployed_at(),
            started_at: self.started_at,
            ended_at: self.ended_at(),
            arms: (0..experiment.arms())
                .map(|number| {
                    let arm = Arm(u32::try_from(number).unwrap_or(u32::MAX));
                    ArmFacts {
                        variant_id: arm.id(),
                        name: arm.to_string(),
                        nickname: match number.checked_sub(1) {
                            None => experiment.control.nickname.clone(),
                            Some(at) => experiment.variants[at].nickname.clone(),
                        },
                        traffic_weight: f64::from(weights.of(arm)) / 100.0,
                        redefined_at: redefined.get(number).copied().flatten(),
                    }
                })
                .collect(),
        }
    }

    /// Changes of a field with the values before them, oldest first.
    fn changes<'a>(&'a self, field: &'a str) -> impl DoubleEndedIterator<Item = (Instant, &'a Value)> {
        self.changes.iter().filter_map(move |entry| Some((to_ms(entry.at), entry.before.get(field)?)))
    }

    /// When the last winner was first served.
    fn deployed_at(&self) -> Option<Instant> {
        let is_served = |value: &Value| value.is_object();
        // The state after a change is the one before the next.
        let changes: Vec<_> = self.changes("serving").collect();
        let mut began = None;
        for (at, (moment, before)) in changes.iter().enumerate() {
            let serves = match changes.get(at + 1) {
                Some((_, next)) => is_served(next),
                None => matches!(self.experiment.serving, Serving::Winner { .. }),
            };
            if serves && !is_served(before) {
                began = Some(*moment);
            }
        }
        began
    }

    fn ended_at(&self) -> Option<Instant> {
        if self.experiment.lifecycle.status() == Status::Live || self.epochs.is_empty() {
            return None;
        }
        self.changes("status").rev().find(|(_, before)| before["status"] == "live").map(|(at, _)| at)
    }

    /// Per arm, when it last became something else after the first start.
    fn redefined(&self) -> Vec<Option<Instant>> {
        let mut redefined = vec![None; self.experiment.arms()];
        let Some(started_at) = self.opened_at else { return redefined };
        let shown = |variant: &Value| {
            let field = |name: &str| variant.get(name).cloned().unwrap_or(Value::Null);
            [field("customJS"), field("customCSS"), field("data"), field("targeting")]
        };
        let now: Value = self
            .experiment
            .variants
            .iter()
            .map(|v| {
                serde_json::json!({ "customJS": v.code.js, "customCSS": v.code.css, "data": v.changes, "targeting": v.audience })
            })
            .collect();
        let changes: Vec<_> = self.changes("variants").collect();
        let mut ever = 0;
        for (at, (moment, before)) in changes.iter().enumerate() {
            let after = changes.get(at + 1).map_or(&now, |(_, next)| *next);
            let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
            let (before, after) = (list(before), list(after));
            ever = ever.max(before.len());
            if *moment < started_at {
                continue;
            }
            for (number, variant) in after.iter().enumerate() {
                let other = match before.get(number) {
                    Some(was) => shown(was) != shown(variant),
                    // Its name was somebody else's before.
                    None => number < ever,
                };
                if other && let Some(slot) = redefined.get_mut(number + 1) {
                    *slot = Some(*moment);
                }
            }
        }
        let code = |control: &Value| [control["customJS"].clone(), control["customCSS"].clone()];
        let control = &self.experiment.control.code;
        let now = serde_json::json!({ "customJS": control.js, "customCSS": control.css });
        let changes: Vec<_> = self.changes("control").collect();
        for (at, (moment, before)) in changes.iter().enumerate() {
            let after = changes.get(at + 1).map_or(&now, |(_, next)| *next);
            if *moment >= started_at && code(before) != code(after) {
                redefined[0] = Some(*moment);
            }
        }
        // What every arm's visitors run makes all of them something else.
        let shared = self.changes("custom_js").chain(self.changes("custom_css")).map(|(moment, _)| moment);
        if let Some(last) = shared.filter(|moment| *moment >= started_at).max() {
            redefined.iter_mut().for_each(|slot| *slot = (*slot).max(Some(last)));
        }
        redefined
    }

    /// What is reported, the asked or primary goal first.
    fn metrics(&self) -> Vec<MetricFacts> {
        let mut metrics: Vec<MetricFacts> = Vec::new();
        let mut add = |metric: MetricFacts| {
            let known = metrics.iter().any(|other| other.key == metric.key && same_kind(other, &metric));
            if !known {
                metrics.push(metric);
            }
        };
        let is_primary = |goal: &Goal| self.primary.as_ref().is_some_and(|primary| primary.id == goal.id);
        let role = |goal: &Goal| if is_primary(goal) { "primary" } else { "secondary" };
        for goal in self.asked.iter().chain(&self.primary).chain(&self.secondary) {
            add(of_goal(goal, role(goal)));
        }
        for key in &self.experiment.builtin_metrics {
            let name = if key == "bounce_rate" { "Bounce rate" } else { "Engagement" };
            add(MetricFacts {
                key: key.clone(),
                name: name.into(),
                role: "guardrail".into(),
                counted: Counted::Builtin,
            });
        }
        for key in &self.experiment.event_metrics {
            add(MetricFacts { key: key.clone(), name: key.clone(), role: "secondary".into(), counted: Counted::Event });
        }
        metrics
    }
}

/// Other nodes that run, and those that took events and were seen since.
async fn others_since(tx: &mut dyn Tx, own: &str, since: Option<Instant>) -> muriel_store::Result<Vec<NodeFacts>> {
    let others = nodes::others(tx, own).await?;
    let counts = |node: &&nodes::Node| node.is_live || took_events_since(node, since);
    Ok(others.iter().filter(counts).map(facts_of_node).take(OTHER_NODES_MAX).collect())
}

/// Whether a node may have taken events of an experiment that started then.
fn took_events_since(node: &nodes::Node, since: Option<Instant>) -> bool {
    node.blocks > 0 && since.is_some_and(|since| node.seen_at >= since)
}

fn facts_of_node(node: &nodes::Node) -> NodeFacts {
    NodeFacts {
        node: node.id.clone(),
        started_at: to_ms(node.started_at),
        ended_at: (!node.is_live).then_some(to_ms(node.seen_at)),
    }
}

fn is_revenue(goal: &Goal) -> bool {
    goal.definition.trigger.goal_type() == GoalType::Revenue
}

fn same_kind(one: &MetricFacts, other: &MetricFacts) -> bool {
    std::mem::discriminant(&one.counted) == std::mem::discriminant(&other.counted)
}

fn of_goal(goal: &Goal, role: &str) -> MetricFacts {
    let definition = &goal.definition;
    MetricFacts {
        key: goal.key.clone(),
        name: definition.name.clone(),
        role: role.to_owned(),
        counted: Counted::Goal {
            goal_type: definition.trigger.goal_type().word().to_owned(),
            goal_value: definition.trigger.value().clone(),
            window_days: definition.window_days,
            min_count: definition.min_count,
            cap: definition.cap,
            max_order_value: definition.max_order_value,
            currency: definition.currency.clone(),
        },
    }
}

/// As the interface writes it: a manifest that is read back is the same.
fn to_ms(at: Instant) -> Instant {
    Instant::from_us(at.us().div_euclid(1_000) * 1_000)
}
