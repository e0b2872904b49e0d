//! Experiments in answers.

use super::goals::Goal;
use crate::wire::experiment::status_code;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::experiment::{
    Arm, Change, Configuration, Due, Epoch as DomainEpoch, Experiment, Plan, Reason, Rule, Serving,
};
use muriel_domain::ids::CompanyId;
use muriel_domain::targeting::{Audience, Targeting};
use muriel_service::experiments::Created;
use muriel_store::experiments::{ListedExperiment, LoadedExperiment, OriginHypothesis};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A page of a company's experiments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentList {
    /// Always true.
    pub(crate) success: bool,
    /// The company that owns the project.
    pub(crate) company_id: i64,
    /// Experiments in this page.
    pub(crate) count: usize,
    /// Newest created first, then highest id.
    pub(crate) experiments: Vec<ExperimentSummary>,
}

/// An experiment as lists show it.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentSummary {
    /// Identifies the experiment.
    test_id: i64,
    /// Display name.
    test_name: String,
    /// The tested page.
    url: String,
    /// 9 draft, 1 live, 0 inactive.
    #[schema(value_type = schemas::StatusCode)]
    status: u8,
    /// 1 when formally concluded from the dashboard.
    #[schema(value_type = schemas::Flag)]
    is_completed: u8,
    /// The hypothesis it came from.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Present only with a hypothesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    hypothesis: Option<HypothesisExcerpt>,
    /// When it was made: ISO 8601, UTC, milliseconds.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Instant,
    /// The arm that is served at 100 %; null while its rollout is lower and after
    /// serving stopped; absent while none was ever served.
    #[serde(skip_serializing_if = "Option::is_none")]
    serving_variant_id: Option<Option<String>>,
    /// 1 while a winner is served.
    #[schema(value_type = schemas::Flag)]
    is_deploy: u8,
}

/// The texts of a hypothesis; blank ones are left out.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisExcerpt {
    /// Identifies the hypothesis.
    hypothesis_id: i64,
    /// What the team saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<String>,
    /// Why it is a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The change to test.
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
}

impl From<OriginHypothesis> for HypothesisExcerpt {
    fn from(origin: OriginHypothesis) -> Self {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Self {
            hypothesis_id: origin.id.0,
            observation: said(origin.observation),
            problem: said(origin.problem),
            solution: said(origin.solution),
        }
    }
}

impl From<ListedExperiment> for ExperimentSummary {
    fn from(listed: ListedExperiment) -> Self {
        Self {
            test_id: listed.id.0,
            test_name: listed.name,
            url: listed.url,
            status: status_code(listed.status),
            is_completed: listed.is_concluded.into(),
            hypothesis_id: listed.origin.as_ref().map(|origin| origin.id.0),
            hypothesis: listed.origin.map(Into::into),
            created_at: listed.created_at,
            updated_at: listed.updated_at,
            serving_variant_id: match listed.serving {
                Serving::Never => None,
                Serving::Winner { arm, rollout: 100 } => Some(Some(arm.id())),
                Serving::Stopped | Serving::Winner { .. } => Some(None),
            },
            is_deploy: matches!(listed.serving, Serving::Winner { .. }).into(),
        }
    }
}

/// A page of ids and keys.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentKeys {
    /// Always true.
    pub(crate) success: bool,
    /// Experiments in this page.
    pub(crate) count: usize,
    /// Lowest id first.
    pub(crate) experiments: Vec<ExperimentKey>,
    /// What to pass as `after` for the next page; null when there is none.
    #[schema(required)]
    pub(crate) next_after: Option<i64>,
}

/// The id and the key of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentKey {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Its permanent name for server-side use and in files.
    pub(crate) experiment_key: String,
}

/// An experiment whole.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// The experiment.
    pub(crate) experiment: ExperimentDetails,
}

/// An experiment with everything. Each field that PATCH takes can be sent back
/// as it is read.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentDetails {
    /// Identifies the experiment.
    test_id: i64,
    /// Display name.
    test_name: String,
    /// The page that the editor opens.
    url: String,
    /// 9 draft, 1 live, 0 inactive.
    #[schema(value_type = schemas::StatusCode)]
    status: u8,
    /// 1 when formally concluded from the dashboard.
    #[schema(value_type = schemas::Flag)]
    is_completed: u8,
    /// The hypothesis it came from.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Present only with a hypothesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    hypothesis: Option<HypothesisExcerpt>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Instant,
    /// The arm that is served, whatever its rollout; null after serving stopped;
    /// absent while none was ever served.
    #[serde(skip_serializing_if = "Option::is_none")]
    serving_variant_id: Option<Option<String>>,
    /// To how many percent of the visitors the winner is served; absent while
    /// none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    serving_traffic_allocation: Option<i64>,
    /// 1 while a winner is served.
    #[schema(value_type = schemas::Flag)]
    is_deploy: u8,
    /// The company that owns the project.
    company_id: i64,
    /// The project's key.
    project_key: String,
    /// What kind of test it is.
    #[schema(value_type = schemas::TestType)]
    test_type: &'static str,
    /// Its permanent name for server-side use.
    experiment_key: String,
    /// The baseline.
    control: Control,
    /// The treatments, `Variant 1` first.
    variants: Vec<Variant>,
    /// The key under which the variants are kept.
    variants_data_key: String,
    /// JavaScript for every assigned visitor.
    custom_js: String,
    /// CSS for every assigned visitor.
    custom_css: String,
    /// Settings, complete.
    #[schema(value_type = schemas::Configuration)]
    configuration: Configuration,
    /// Targeting, complete; empty lists restrict nothing.
    #[schema(value_type = schemas::Targeting)]
    targeting: Targeting,
    /// Labels.
    tags: Vec<String>,
    /// What it is to find out.
    #[schema(value_type = schemas::Plan)]
    plan: Plan,
    /// The goal that decides.
    #[schema(required)]
    primary_goal: Option<Goal>,
    /// Its key.
    #[schema(required)]
    primary_goal_key: Option<String>,
    /// Keys of further goals, in order.
    secondary_goal_keys: Vec<String>,
    /// Built-in metrics that are reported.
    builtin_metrics: Vec<String>,
    /// Raw events that are reported.
    event_metrics: Vec<String>,
    /// Periods in which assignment did not change, first one first.
    epochs: Vec<Epoch>,
    /// What the clock will do, and did.
    schedule: ExperimentSchedule,
    /// What became of each entry of `configuration.integration` that has an effect.
    integrations: Vec<IntegrationState>,
    /// True while it is in the archive; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    archived: Option<bool>,
}

/// When an integration last succeeded.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntegrationState {
    /// Its name.
    #[schema(example = "ga4")]
    name: &'static str,
    /// When a page last said that it had told it of an arm; of `webhook` when a message was last written. A few seconds late.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_success_at: Option<Instant>,
}

/// What the clock will do to an experiment, and did last.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentSchedule {
    /// The next act whose moment is known; rules about results, such as completion_visitor, act besides.
    #[schema(required)]
    next: Option<NextClockAct>,
    /// The last act, or a start that could not be made.
    #[schema(required)]
    last: Option<LastClockAct>,
}

/// An act of the clock that is to come.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NextClockAct {
    /// When.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// What will be done.
    #[schema(value_type = schemas::ClockAct)]
    act: &'static str,
    /// By which rule.
    #[schema(value_type = schemas::ClockRule)]
    rule: &'static str,
}

/// An act of the clock.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastClockAct {
    /// When.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// What was done.
    #[schema(value_type = schemas::ClockAct)]
    act: &'static str,
    /// By which rule.
    #[schema(value_type = schemas::ClockRule)]
    rule: &'static str,
    /// The rule and its numbers in a sentence.
    #[schema(example = "1000 visitors had entered, and the limit is 1000")]
    detail: String,
    /// The numbers of that sentence, by name.
    #[schema(value_type = Object)]
    numbers: Map<String, Value>,
    /// Why it could not be done; the experiment was left as it was, and the start is tried again when the experiment changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "its end date had passed too before it could be started")]
    failed: Option<String>,
}

impl ExperimentSchedule {
    /// With what the clock will do; `bandit_look` is when it looks at bandits next.
    fn new(experiment: &Experiment, bandit_look: Instant) -> Self {
        let look = experiment.follows(Rule::Bandit).then_some(Due { at: bandit_look, rule: Rule::Bandit });
        let next = experiment.next_due().into_iter().chain(look).min().map(|due| NextClockAct {
            at: due.at,
            act: due.rule.act().word(),
            rule: due.rule.word(),
        });
        let last = experiment.schedule.last.clone().map(|entry| LastClockAct {
            at: entry.at,
            act: entry.act.word(),
            rule: entry.rule.word(),
            detail: entry.detail,
            numbers: entry.numbers,
            failed: entry.failed,
        });
        Self { next, last }
    }
}

/// The baseline arm.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// Label for people.
    nickname: String,
    /// Code that only the control runs.
    #[serde(rename = "customJS")]
    custom_js: String,
    /// Style that only the control gets.
    #[serde(rename = "customCSS")]
    custom_css: String,
}

/// A treatment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variant {
    /// `Variant 1`, `Variant 2`… by position.
    name: String,
    /// Label for people.
    nickname: String,
    /// Code that only this variant runs.
    #[serde(rename = "customJS")]
    custom_js: String,
    /// Style that only this variant gets.
    #[serde(rename = "customCSS")]
    custom_css: String,
    /// Visual changes, applied in order.
    #[schema(value_type = Vec<schemas::Change>)]
    data: Vec<Change>,
    /// For whom; personalizations only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Audience>, nullable = false)]
    targeting: Option<Audience>,
}

/// A period in which assignment did not change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Epoch {
    /// 1 for the first start.
    epoch: i64,
    /// When it began; it lasts until the next.
    #[schema(value_type = String, format = DateTime)]
    started_at: Instant,
    /// What changed to open it.
    #[schema(value_type = Vec<schemas::Reason>)]
    reasons: Vec<Reason>,
    /// Percentage of eligible visitors that enter.
    traffic_allocation: i64,
    /// Percentage of those per arm, by name.
    #[schema(value_type = schemas::Weights)]
    weights: Map<String, Value>,
}

impl From<DomainEpoch> for Epoch {
    fn from(epoch: DomainEpoch) -> Self {
        Self {
            epoch: epoch.number,
            started_at: epoch.started_at,
            reasons: epoch.reasons,
            traffic_allocation: epoch.traffic_allocation,
            weights: epoch.weights.to_object(),
        }
    }
}

impl ExperimentDetails {
    /// The details of an experiment of the project with this key. `bandit_look` is when the clock looks at bandits next,
    /// `successes` when integrations last succeeded.
    pub(crate) fn new(
        loaded: LoadedExperiment,
        epochs: Vec<DomainEpoch>,
        project_key: &str,
        bandit_look: Instant,
        successes: &BTreeMap<String, Instant>,
    ) -> Self {
        let LoadedExperiment { experiment, origin, primary_goal } = loaded;
        let (serving_variant_id, serving_traffic_allocation) = match experiment.serving {
            Serving::Never => (None, None),
            Serving::Stopped => (Some(None), None),
            Serving::Winner { arm, rollout } => (Some(Some(arm.id())), Some(rollout)),
        };
        Self {
            schedule: ExperimentSchedule::new(&experiment, bandit_look),
            integrations: experiment
                .configuration
                .integrations()
                .into_iter()
                .map(|it| IntegrationState { name: it.name, last_success_at: successes.get(it.name).copied() })
                .collect(),
            archived: experiment.archived.then_some(true),
            test_id: experiment.id.0,
            test_name: experiment.name,
            url: experiment.url,
            status: status_code(experiment.lifecycle.status()),
            is_completed: experiment.conclusion.is_some().into(),
            hypothesis_id: experiment.hypothesis_id.map(|id| id.0),
            hypothesis: origin.map(Into::into),
            created_at: experiment.created_at,
            updated_at: experiment.updated_at,
            serving_variant_id,
            serving_traffic_allocation,
            is_deploy: matches!(experiment.serving, Serving::Winner { .. }).into(),
            company_id: experiment.company_id.0,
            project_key: project_key.to_owned(),
            test_type: experiment.test_type.word(),
            experiment_key: experiment.key,
            control: Control {
                nickname: experiment.control.nickname,
                custom_js: experiment.control.code.js.to_string(),
                custom_css: experiment.control.code.css.to_string(),
            },
            variants: (1u32..)
                .zip(experiment.variants)
                .map(|(number, variant)| Variant {
                    name: Arm(number).to_string(),
                    nickname: variant.nickname,
                    custom_js: variant.code.js.to_string(),
                    custom_css: variant.code.css.to_string(),
                    data: variant.changes,
                    targeting: variant.audience,
                })
                .collect(),
            variants_data_key: experiment.variants_data_key.as_str().to_owned(),
            custom_js: experiment.custom_code.js.to_string(),
            custom_css: experiment.custom_code.css.to_string(),
            configuration: experiment.configuration,
            targeting: experiment.targeting,
            tags: experiment.tags,
            plan: experiment.plan,
            primary_goal_key: experiment.primary_goal,
            primary_goal: primary_goal.map(Into::into),
            secondary_goal_keys: experiment.secondary_goals,
            builtin_metrics: experiment.builtin_metrics,
            event_metrics: experiment.event_metrics,
            epochs: epochs.into_iter().map(Into::into).collect(),
        }
    }
}

/// An experiment was made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
    /// What servers and OpenFeature call it: the given key, or one made from the name.
    pub(crate) experiment_key: String,
    /// Its status.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// The company that owns it.
    pub(crate) company_id: i64,
    /// The primary goal's id.
    #[schema(required)]
    pub(crate) goal_profile_id: Option<i64>,
    /// How many secondary goals it has.
    pub(crate) secondary_goals_count: usize,
    /// The planned total of visitors that was computed, as it is live and none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) planned_visitors: Option<i64>,
    /// What to look at before relying on it: sentences that name the field.
    pub(crate) warnings: Vec<String>,
}

impl ExperimentCreated {
    /// The answer for an experiment of this company.
    pub(crate) fn new(created: &Created, company: CompanyId) -> Self {
        let experiment = &created.experiment;
        Self {
            success: true,
            test_id: created.id.0,
            experiment_key: experiment.key.clone(),
            status: status_code(experiment.lifecycle.status()),
            company_id: company.0,
            goal_profile_id: created.primary_goal.map(|id| id.0),
            secondary_goals_count: experiment.secondary_goals.len(),
            planned_visitors: created.planned_visitors,
            warnings: created.warnings.clone(),
        }
    }
}

/// An experiment was changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentUpdated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
}

/// An experiment's status was set.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusUpdated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
    /// The status it has now.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// The planned total of visitors that was computed, as it was started for the first time and none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) planned_visitors: Option<i64>,
    /// What to look at, such as a missing primary goal or code that is not valid JavaScript: sentences that name the field.
    pub(crate) warnings: Vec<String>,
}

/// An experiment was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentDeleted {
    /// Always true.
    pub(crate) success: bool,
    /// The id it had.
    pub(crate) test_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
    /// Whether it was live, so that visitors notice.
    pub(crate) was_live: bool,
}

/// Links that show one arm each.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewLinks {
    /// Always true.
    pub(crate) success: bool,
    /// The experiment's id.
    pub(crate) test_id: i64,
    /// Its name.
    pub(crate) test_name: String,
    /// Its page.
    pub(crate) page_url: String,
    /// The control first.
    pub(crate) variants: Vec<PreviewLink>,
}

/// A link that shows one arm to whoever opens it, for seven days.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewLink {
    /// 0 for the control.
    pub(crate) variant_id: u32,
    /// The arm's name.
    pub(crate) name: String,
    /// The page with the parameters that ask for the arm.
    pub(crate) preview_url: String,
}

/// A winner is served.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WinnerServed {
    /// Always true.
    pub(crate) success: bool,
    /// The experiment's id.
    pub(crate) test_id: i64,
    /// The arm.
    pub(crate) serving_variant_id: String,
    /// To how many percent of the visitors.
    pub(crate) traffic_allocation: i64,
    /// Always true.
    pub(crate) is_serving: bool,
}

/// Serving stopped.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServingStopped {
    /// Always true.
    pub(crate) success: bool,
    /// The experiment's id.
    pub(crate) test_id: i64,
    /// Always null.
    #[schema(required)]
    pub(crate) serving_variant_id: Option<String>,
    /// Always false.
    pub(crate) is_serving: bool,
}
