//! Builds manifests from stored data: the facts about an experiment before its events are read.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::inquiry::{Inquiry, PlanBasis};
use crate::locked::Judgement;
use crate::manifest::{
    ArmFacts, Counted, Engine, EpochFacts, ExclusionFacts, ExperimentFacts, INTERACTIONS_MAX, InteractionFacts,
    Manifest, MetricFacts, NodeFacts, OTHER_NODES_MAX, PlanFacts, PlanNow, PolicyFacts, RateFacts,
};
use muriel_domain::Instant;
#[cfg(test)]
use muriel_domain::experiment::FirstStart;
use muriel_domain::experiment::{
    Arm, ConfirmedPlan, Distribution, Epoch, Experiment, LockedGoal, LockedHypothesis, Serving, StopRule,
};
use muriel_domain::goal::{Goal, GoalType};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::rates::Rates;
use muriel_sql::Tx;
use muriel_store::interactions::{self, Interaction};
use muriel_store::plan_locks::{self, PlanLock};
use muriel_store::{exclusions, experiments, goals, nodes, tenants};
use std::sync::Arc;

mod past;
pub use past::Past;

/// Stored subject of a report.
pub trait ReportSubject: Sync {
    /// Project that it belongs to.
    fn project(&self) -> ProjectId;

    /// Version text, which changes with everything that a manifest is made of, except the log and the time.
    fn version(&self) -> &str;

    /// Manifest of a report at `now`, before the log is read.
    fn manifest(&self, project_key: &Arc<str>, inquiry: &Inquiry, now: Instant) -> Manifest;
}

/// Stored data that the manifest of an experiment is made of.
#[derive(Debug, Clone)]
pub struct ReportInputs {
    experiment: Experiment,
    /// The latest epochs.
    epochs: Vec<Epoch>,
    primary: Option<Goal>,
    secondary: Vec<Goal>,
    asked: Option<Goal>,
    /// Other nodes that run, or received events since the first start.
    other_nodes: Vec<NodeFacts>,
    /// Currency rates, if revenue is reported.
    rates: Option<Rates>,
    /// Visitors and orders that the project counts.
    policy: PolicyFacts,
    /// Visits that the project excludes.
    exclusions: Vec<ExclusionFacts>,
    /// Experiments that were found to change its effect.
    interactions: Vec<Interaction>,
    /// Plan that was locked at the first start.
    lock: Option<PlanLock>,
    /// Hypothesis that it tests, in its current form.
    hypothesis: Option<LockedHypothesis>,
    /// Version text, which changes with everything above.
    version: String,
}

/// Object that could not be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// The experiment.
    Experiment,
    /// The requested goal.
    Goal,
    /// The requested epoch.
    Epoch,
}

impl ReportInputs {
    /// The experiment in its state when this was loaded.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Reads the stored data of an experiment; `Ok(Err(_))` when something does not exist. `node` is the id of this
    /// server, if other servers may use the database too.
    pub async fn load(
        tx: &mut dyn Tx,
        project: ProjectId,
        id: ExperimentId,
        inquiry: &Inquiry,
        node: Option<&str>,
    ) -> muriel_store::Result<Result<ReportInputs, NotFound>> {
        let Some(loaded) = experiments::find(tx, project, id).await? else { return Ok(Err(NotFound::Experiment)) };
        let (primary, secondary) = experiments::attached_goals(tx, id).await?;
        let asked = match &inquiry.goal_key {
            None => None,
            Some(key) => match goals::find_keyed(tx, project, key).await? {
                None => return Ok(Err(NotFound::Goal)),
                goal => goal,
            },
        };
        let epochs = experiments::epochs(tx, id).await?;
        if inquiry.epoch.is_some_and(|asked| !epochs.iter().any(|epoch| epoch.number == asked)) {
            return Ok(Err(NotFound::Epoch));
        }
        let mut version = loaded.version();
        let lock = plan_locks::find(tx, id).await?;
        let goals: Vec<&Goal> = primary.iter().chain(&secondary).chain(&asked).collect();
        let planned = Judgement::planned_goals(&loaded.experiment, lock.as_ref());
        let has_revenue =
            goals.iter().any(|goal| is_revenue(goal)) || planned.iter().any(|goal| is_planned_revenue(goal));
        let since = loaded.experiment.milestones.first_start.map(|start| start.started_at);
        let Surroundings { rates, other_nodes, policy, exclusions } =
            Surroundings::load(tx, project, &goals, has_revenue, node, since, &mut version).await?;
        let interactions = interactions::of_experiment(tx, id, INTERACTIONS_MAX as i64).await?;
        for found in &interactions {
            version += &format!(" {}~{}~{}", found.other.0, found.looked_at.us(), found.is_separated);
        }
        let hypothesis = loaded.origin.map(|origin| LockedHypothesis {
            hypothesis_id: origin.id.0,
            observation: origin.observation,
            problem: origin.problem,
            solution: origin.solution,
        });
        Ok(Ok(ReportInputs {
            lock,
            hypothesis,
            experiment: loaded.experiment,
            epochs,
            primary,
            secondary,
            asked,
            other_nodes,
            rates,
            policy,
            exclusions,
            interactions,
            version,
        }))
    }

    /// Inputs for an experiment that never started, for planning it.
    pub fn unstarted(experiment: Experiment, primary: Option<Goal>) -> ReportInputs {
        ReportInputs { primary, ..Self::of(experiment, "") }
    }

    /// Inputs for an experiment without goals, epochs and history.
    pub(crate) fn of(experiment: Experiment, version: &str) -> ReportInputs {
        ReportInputs {
            experiment,
            epochs: Vec::new(),
            primary: None,
            secondary: Vec::new(),
            asked: None,
            other_nodes: Vec::new(),
            rates: None,
            policy: PolicyFacts::default(),
            exclusions: Vec::new(),
            interactions: Vec::new(),
            lock: None,
            hypothesis: None,
            version: version.to_owned(),
        }
    }

    /// Changes the inputs to those of an experiment that first started at `at`.
    #[cfg(test)]
    pub(crate) fn started(self, at: Instant) -> ReportInputs {
        let planned_visitors = self.experiment.plan.visitors;
        let mut known = self;
        known.experiment.milestones.first_start = Some(FirstStart { started_at: at, opened_at: at, planned_visitors });
        known
    }

    /// Returns whether the experiment is live.
    pub fn is_live(&self) -> bool {
        self.experiment.lifecycle.is_live()
    }

    /// Manifest of a report at `now`, before the log is read.
    pub fn manifest(&self, project_key: &Arc<str>, inquiry: &Inquiry, now: Instant) -> Manifest {
        let judgement = inquiry.judged_by.and_then(|basis| self.judgement(basis));
        let mut experiment = self.facts(inquiry.epoch);
        if let Some(judgement) = &judgement {
            experiment.confidence_percent = judgement.confidence_percent;
            experiment.mde_percent = judgement.mde;
        }
        Manifest {
            engine: Engine::here(),
            project_key: project_key.to_string(),
            logs: Vec::new(),
            as_of: to_ms(now),
            inquiry: inquiry.clone(),
            holdout: None,
            experiment,
            epochs: self
                .epochs
                .iter()
                .map(|epoch| EpochFacts {
                    epoch: epoch.number,
                    started_at: to_ms(epoch.started_at),
                    weights: epoch.weights.hundredths().to_vec(),
                })
                .collect(),
            metrics: self.metrics(judgement.as_ref()),
            other_nodes: self.other_nodes.clone(),
            currency_rates: self.rates.as_ref().map(|rates| RateFacts::of(rates, self.started_at(), to_ms(now))),
            interactions: self.interactions(judgement.as_ref()),
            policy: self.policy.for_inquiry(inquiry),
            exclusions: self.exclusions.clone(),
            plan: Some(PlanFacts::new(
                self.lock.as_ref(),
                PlanNow {
                    hypothesis: self.hypothesis.clone(),
                    stop_rule: StopRule::of(&self.experiment.configuration),
                    planned_visitors: self.experiment.plan.visitors,
                },
                self.experiment.schedule.confirmed.as_ref(),
            )),
        }
    }

    /// Criteria by which a plan judges the experiment; `None` when there is no such plan.
    fn judgement(&self, basis: PlanBasis) -> Option<Judgement<'_>> {
        let confirmed = self.experiment.schedule.confirmed.as_ref().filter(|_| basis == PlanBasis::InForce);
        let locked = || self.lock.as_ref().map(|lock| Judgement::locked(&lock.plan));
        confirmed.map(Judgement::confirmed).or_else(locked)
    }

    /// Changes an inquiry to one whose report is judged by a plan: with `judged_by` when the experiment's current
    /// criteria differ from the plan's, otherwise without it, as it would change nothing.
    pub fn judged_by(&self, basis: PlanBasis, inquiry: Inquiry) -> Inquiry {
        let departs = self.judgement(basis).is_some_and(|plan| plan.departs(&self.experiment, self.primary.as_ref()));
        Inquiry { judged_by: departs.then_some(basis), ..inquiry }
    }

    /// Reason why the clock does not act on this arm: the arm or the control was added or changed after the plan that
    /// the clock follows. `None` when it may act.
    pub fn held_back(&self, arm: usize) -> Option<String> {
        let plan = self.judgement(PlanBasis::InForce)?;
        let id = arm.to_string();
        if !plan.arms.contains(&id) {
            return Some(format!("Variant {id} was added after the plan."));
        }
        let opened_at = self.experiment.milestones.first_start.map(|start| start.opened_at);
        let redefined = |arm: usize| {
            let at = self.experiment.milestones.redefined_at(arm);
            at.is_some_and(|at| opened_at.is_some_and(|opened_at| at >= opened_at) && plan.is_before(at))
        };
        let which = redefined(arm).then(|| format!("Variant {id}"));
        let which = which.or_else(|| redefined(0).then(|| "The control".to_owned()));
        which.map(|which| format!("{which} was changed after the plan."))
    }

    /// Plan that a person would confirm now; `None` when the clock follows that plan already.
    pub fn to_confirm(&self, reason: String, now: Instant) -> Option<ConfirmedPlan> {
        let is_held = (1..self.experiment.arms()).any(|arm| self.held_back(arm).is_some());
        let departs = match self.judgement(PlanBasis::InForce) {
            Some(plan) => is_held || plan.departs(&self.experiment, self.primary.as_ref()),
            // An earlier release started it without a plan: the clock follows the current settings until a plan is
            // confirmed.
            None => true,
        };
        departs.then(|| ConfirmedPlan::of(&self.experiment, self.primary.as_ref(), reason, now))
    }

    /// Inputs for the experiment after a change, with its goals and its hypothesis after the change.
    #[must_use]
    pub fn changed_to(
        self,
        experiment: Experiment,
        (primary, secondary): (Option<Goal>, Vec<Goal>),
        hypothesis: Option<LockedHypothesis>,
    ) -> ReportInputs {
        ReportInputs { experiment, primary, secondary, hypothesis, ..self }
    }

    /// Facts of the current experiment, with the weights of `epoch` if one is requested.
    fn facts(&self, epoch: Option<i64>) -> ExperimentFacts {
        let experiment = &self.experiment;
        let configuration = &experiment.configuration;
        let asked = self.epochs.iter().find(|known| Some(known.number) == epoch);
        let weights = asked.map_or_else(|| experiment.weights(), |epoch| epoch.weights.clone());
        let milestones = &experiment.milestones;
        // Changes before the first start affected no visitor.
        let opened_at = milestones.first_start.map(|start| to_ms(start.opened_at));
        let redefined_at = |arm: usize| {
            let at = milestones.redefined_at(arm).map(to_ms);
            at.filter(|at| opened_at.is_some_and(|opened_at| *at >= opened_at))
        };
        ExperimentFacts {
            test_id: experiment.id.0,
            test_name: experiment.name.clone(),
            status: experiment.lifecycle.status().word().to_owned(),
            test_type: experiment.test_type.word().to_owned(),
            confidence_percent: configuration.confidence_interval,
            bayesian: configuration.bayesian,
            is_mab: configuration.is_mab,
            was_mab: !configuration.is_mab && experiment.is_or_was_bandit(),
            mde_percent: experiment.plan.mde,
            planned_visitors: match milestones.first_start {
                Some(start) => start.planned_visitors,
                None => experiment.plan.visitors,
            },
            traffic_allocation: configuration.traffic_allocation,
            visitors_percent: Some(experiment.groups.percent_of_visitors()).filter(|percent| *percent < 100.0),
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
            deployed_at: milestones.deployed_at.map(to_ms),
            started_at: self.started_at(),
            ended_at: milestones.ended_at.map(to_ms),
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
                        redefined_at: redefined_at(number),
                    }
                })
                .collect(),
        }
    }

    /// Interactions that were found for the goal that decides.
    fn interactions(&self, judgement: Option<&Judgement<'_>>) -> Vec<InteractionFacts> {
        let key = match judgement {
            Some(judgement) => judgement.primary_goal.map(|goal| &goal.goal_key),
            None => self.primary.as_ref().map(|goal| &goal.key),
        };
        let Some(key) = key else { return Vec::new() };
        self.interactions.iter().filter(|found| found.goal_key == *key).map(InteractionFacts::of).collect()
    }

    /// Time from which on visitors count.
    fn started_at(&self) -> Option<Instant> {
        self.experiment.milestones.first_start.map(|start| to_ms(start.started_at))
    }

    /// Metrics to report, the requested or primary goal first: that of the plan, in its form at that time, if a plan
    /// judges.
    fn metrics(&self, judgement: Option<&Judgement<'_>>) -> Vec<MetricFacts> {
        let mut metrics: Vec<MetricFacts> = Vec::new();
        let mut add = |metric: MetricFacts| {
            let known = metrics.iter().any(|other| other.key == metric.key && same_kind(other, &metric));
            if !known {
                metrics.push(metric);
            }
        };
        if let Some(planned) = judgement.and_then(|judgement| judgement.primary_goal) {
            add(of_planned(planned));
        }
        let is_judged = judgement.is_some();
        let is_primary = |goal: &Goal| !is_judged && self.primary.as_ref().is_some_and(|primary| primary.id == goal.id);
        let role = |goal: &Goal| if is_primary(goal) { "primary" } else { "secondary" };
        for goal in self.asked.iter().chain(&self.primary).chain(&self.secondary) {
            add(of_goal(goal, role(goal)));
        }
        for key in &self.experiment.builtin_metrics {
            add(of_builtin(key));
        }
        for key in &self.experiment.event_metrics {
            add(MetricFacts { key: key.clone(), name: key.clone(), role: "secondary".into(), counted: Counted::Event });
        }
        metrics
    }
}

impl ReportSubject for ReportInputs {
    fn project(&self) -> ProjectId {
        self.experiment.project_id
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn manifest(&self, project_key: &Arc<str>, inquiry: &Inquiry, now: Instant) -> Manifest {
        ReportInputs::manifest(self, project_key, inquiry, now)
    }
}

/// Inputs of a report besides its subject.
pub(crate) struct Surroundings {
    pub(crate) policy: PolicyFacts,
    pub(crate) exclusions: Vec<ExclusionFacts>,
    pub(crate) rates: Option<Rates>,
    pub(crate) other_nodes: Vec<NodeFacts>,
}

impl Surroundings {
    /// Reads the currency rates, if `has_revenue` says that a goal sums orders, and the nodes other than `node` that
    /// received events since `since`. Appends to `version` what changes with them and with the goals.
    pub(crate) async fn load(
        tx: &mut dyn Tx,
        project: ProjectId,
        goals: &[&Goal],
        has_revenue: bool,
        node: Option<&str>,
        since: Option<Instant>,
        version: &mut String,
    ) -> muriel_store::Result<Surroundings> {
        for goal in goals {
            *version += &format!(" {}.{}", goal.id.0, goal.revision);
        }
        let rates = match has_revenue {
            true => {
                *version += &format!(" {}", tenants::currency_rates_revision(tx, project).await?);
                tenants::currency_rates(tx, project).await?
            }
            false => None,
        };
        let other_nodes = match node {
            Some(node) => others_since(tx, node, since).await?,
            None => Vec::new(),
        };
        for other in &other_nodes {
            *version += &format!(" {}-{}", other.node, other.ended_at.map_or(0, Instant::us));
        }
        let policy = PolicyFacts::of(&tenants::settings(tx, project).await?);
        let origins = policy.page_origins.origins().join(" ");
        *version += &format!(" {}/{}/{origins}", policy.visitors.word(), policy.orders.word());
        let stored = exclusions::of_project(tx, project).await?;
        for exclusion in &stored {
            // Exclusions never change, and their ids are not used again.
            *version += &format!(" -{}", exclusion.id.0);
        }
        let exclusions = stored.iter().map(ExclusionFacts::of).collect();
        Ok(Surroundings { policy, exclusions, rates, other_nodes })
    }
}

/// Other nodes that run, and those that received events and were seen since `since`.
async fn others_since(tx: &mut dyn Tx, own: &str, since: Option<Instant>) -> muriel_store::Result<Vec<NodeFacts>> {
    let others = nodes::others(tx, own).await?;
    let counts = |node: &&nodes::Node| node.is_live || took_events_since(node, since);
    Ok(others.iter().filter(counts).map(facts_of_node).take(OTHER_NODES_MAX).collect())
}

/// Returns whether a node may have received events of an experiment that started at `since`.
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

pub(crate) fn is_revenue(goal: &Goal) -> bool {
    goal.definition.trigger.goal_type() == GoalType::Revenue
}

fn is_planned_revenue(goal: &LockedGoal) -> bool {
    goal.goal_type == GoalType::Revenue.word()
}

/// Primary goal of a plan, in its form at that time.
fn of_planned(goal: &LockedGoal) -> MetricFacts {
    MetricFacts {
        key: goal.goal_key.clone(),
        name: goal.goal_name.clone(),
        role: "primary".to_owned(),
        counted: Counted::Goal {
            goal_type: goal.goal_type.clone(),
            goal_value: goal.goal_value.clone(),
            window_days: goal.window_days,
            min_count: goal.min_count,
            cap: goal.cap,
            max_order_value: goal.max_order_value,
            currency: goal.currency.clone(),
        },
    }
}

fn same_kind(one: &MetricFacts, other: &MetricFacts) -> bool {
    std::mem::discriminant(&one.counted) == std::mem::discriminant(&other.counted)
}

pub(crate) fn of_builtin(key: &str) -> MetricFacts {
    let name = if key == "bounce_rate" { "Bounce rate" } else { "Engagement" };
    MetricFacts { key: key.to_owned(), name: name.into(), role: "guardrail".into(), counted: Counted::Builtin }
}

pub(crate) fn of_goal(goal: &Goal, role: &str) -> MetricFacts {
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

/// Reduces a time to milliseconds, as the interface writes it, so that a manifest that is read back is equal.
pub(crate) fn to_ms(at: Instant) -> Instant {
    at.to_ms()
}
