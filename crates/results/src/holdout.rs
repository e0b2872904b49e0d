//! Facts about a holdout before the events are read.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::define::{ReportSubject, Surroundings, is_revenue, of_builtin, of_goal, to_ms};
use crate::inquiry::Inquiry;
use crate::manifest::{
    ArmFacts, Engine, EpochFacts, ExperimentFacts, HoldoutFacts, Manifest, MetricFacts, NodeFacts, PolicyFacts,
    RateFacts,
};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, BUILTIN_METRICS, Plan, WHOLE};
use muriel_domain::goal::Goal;
use muriel_domain::group::{Group, GroupKind, GroupSlot};
use muriel_domain::ids::{GroupId, ProjectId};
use muriel_domain::rates::Rates;
use muriel_sql::Tx;
use muriel_store::{goals, groups};
use muriel_warehouse::GroupRange;
use std::sync::Arc;

/// Confidence threshold of holdouts, in percent.
const CONFIDENCE_PERCENT: i64 = 95;

/// Stored data that the manifest of a holdout is made of.
#[derive(Debug, Clone)]
pub struct HoldoutInputs {
    project: ProjectId,
    group: Group,
    held_out: u32,
    since: Instant,
    /// Most frequent primary goal of its experiments.
    usual: Option<Goal>,
    asked: Option<Goal>,
    other_nodes: Vec<NodeFacts>,
    rates: Option<Rates>,
    policy: PolicyFacts,
    version: String,
}

/// Reason why a holdout has no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHoldout {
    /// There is no such group.
    Group,
    /// The group is an exclusion group.
    Exclusion,
    /// There is no such goal.
    Goal,
}

impl HoldoutInputs {
    /// Reads the stored data of a holdout. `node` is the id of this server, if other servers may use the database too.
    pub async fn load(
        tx: &mut dyn Tx,
        project: ProjectId,
        id: GroupId,
        inquiry: &Inquiry,
        node: Option<&str>,
    ) -> muriel_store::Result<Result<HoldoutInputs, NoHoldout>> {
        let groups = groups::list(tx, project).await?;
        let Some(group) = groups.into_iter().find(|group| group.id == id) else { return Ok(Err(NoHoldout::Group)) };
        let GroupKind::Holdout { held_out, since, .. } = group.kind else { return Ok(Err(NoHoldout::Exclusion)) };
        let asked = match &inquiry.goal_key {
            None => None,
            Some(key) => match goals::find_keyed(tx, project, key).await? {
                None => return Ok(Err(NoHoldout::Goal)),
                goal => goal,
            },
        };
        let usual = groups::usual_goal(tx, project, id).await?;
        let mut version = format!("{} {held_out} {}", group.name, since.us());
        let goals: Vec<&Goal> = asked.iter().chain(&usual).collect();
        let has_revenue = goals.iter().any(|goal| is_revenue(goal));
        let Surroundings { rates, other_nodes, policy, exclusions: _ } =
            Surroundings::load(tx, project, &goals, has_revenue, node, Some(since), &mut version).await?;
        Ok(Ok(HoldoutInputs { project, group, held_out, since, usual, asked, other_nodes, rates, policy, version }))
    }

    fn metrics(&self) -> Vec<MetricFacts> {
        // If no experiment has a goal, the requested one is judged by itself.
        let usual = self.usual.as_ref().or(self.asked.as_ref());
        let asked = self.asked.as_ref().filter(|asked| usual.is_some_and(|usual| usual.id != asked.id));
        let goals = asked.map(|goal| of_goal(goal, "secondary")).into_iter();
        goals.chain(usual.map(|goal| of_goal(goal, "primary"))).chain(BUILTIN_METRICS.map(of_builtin)).collect()
    }

    /// A holdout in the form of an experiment: its visitors are the control, and the experience of all others is the
    /// variant.
    fn facts(&self) -> ExperimentFacts {
        let arm = |number: u32, name: &str, hundredths: u32| ArmFacts {
            variant_id: Arm(number).id(),
            name: name.to_owned(),
            nickname: String::new(),
            traffic_weight: f64::from(hundredths) / 100.0,
            redefined_at: None,
        };
        ExperimentFacts {
            test_id: 0,
            test_name: self.group.name.clone(),
            status: "live".to_owned(),
            test_type: "abtest".to_owned(),
            confidence_percent: CONFIDENCE_PERCENT,
            bayesian: false,
            is_mab: false,
            was_mab: false,
            mde_percent: Plan::default().mde,
            planned_visitors: None,
            traffic_allocation: 100,
            visitors_percent: None,
            distribution_mode: "custom".to_owned(),
            serving_variant_id: None,
            deployed_at: None,
            started_at: Some(to_ms(self.since)),
            ended_at: None,
            arms: vec![arm(0, "Held out", self.held_out), arm(1, "Everybody else", WHOLE - self.held_out)],
        }
    }
}

impl ReportSubject for HoldoutInputs {
    fn project(&self) -> ProjectId {
        self.project
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn manifest(&self, project_key: &Arc<str>, inquiry: &Inquiry, now: Instant) -> Manifest {
        let slot = GroupSlot { group_id: self.group.id, from: 0, to: self.held_out };
        let since = to_ms(self.since);
        Manifest {
            engine: Engine::here(),
            project_key: project_key.to_string(),
            logs: Vec::new(),
            as_of: to_ms(now),
            inquiry: inquiry.clone(),
            holdout: Some(HoldoutFacts {
                group_id: self.group.id.0,
                salt: GroupRange::from(slot).salt,
                held_out: self.held_out,
            }),
            experiment: self.facts(),
            epochs: vec![EpochFacts {
                epoch: 1,
                started_at: since,
                weights: vec![self.held_out, WHOLE - self.held_out],
            }],
            metrics: self.metrics(),
            other_nodes: self.other_nodes.clone(),
            policy: self.policy.for_inquiry(inquiry),
            // Visitors of a holdout have no exposures, which exclusions are about.
            exclusions: Vec::new(),
            currency_rates: self.rates.as_ref().map(|rates| RateFacts::of(rates, Some(since), to_ms(now))),
            interactions: Vec::new(),
            plan: None,
        }
    }
}
