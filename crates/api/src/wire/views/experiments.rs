//! Experiments in responses.

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
    /// Id of the company that owns the project.
    pub(crate) company_id: i64,
    /// Number of experiments on this page.
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
    /// URL of the tested page.
    url: String,
    /// 9 draft, 1 live, 0 inactive.
    #[schema(value_type = schemas::StatusCode)]
    status: u8,
    /// 1 when concluded.
    #[schema(value_type = schemas::Flag)]
    is_completed: u8,
    /// Id of the hypothesis that it tests.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Texts of the hypothesis; present only with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hypothesis: Option<HypothesisExcerpt>,
    /// Time of creation: ISO 8601, UTC, milliseconds.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// Time of the last change.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Instant,
    /// Variant that is served at 100 %; null while its rollout is lower and after serving stopped; absent if none was
    /// ever served.
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
    /// Observation of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<String>,
    /// Reason why the observation is a problem.
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
    /// Number of experiments on this page.
    pub(crate) count: usize,
    /// Lowest id first.
    pub(crate) experiments: Vec<ExperimentKey>,
    /// Value to send as `after` for the next page; null when there is none.
    #[schema(required)]
    pub(crate) next_after: Option<i64>,
}

/// The id and the key of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentKey {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Permanent key for servers and files.
    pub(crate) experiment_key: String,
}

/// One experiment with all its settings.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// The experiment.
    pub(crate) experiment: ExperimentDetails,
}

/// An experiment with all its settings. The value of each field that PATCH accepts can be sent back unchanged.
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
    /// 1 when concluded.
    #[schema(value_type = schemas::Flag)]
    is_completed: u8,
    /// Id of the hypothesis that it tests.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Texts of the hypothesis; present only with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hypothesis: Option<HypothesisExcerpt>,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// Time of the last change.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Instant,
    /// Variant that is served, whatever its rollout; null after serving stopped; absent if none was ever served.
    #[serde(skip_serializing_if = "Option::is_none")]
    serving_variant_id: Option<Option<String>>,
    /// Percent of the visitors who get the winner; absent if none is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    serving_traffic_allocation: Option<i64>,
    /// 1 while a winner is served.
    #[schema(value_type = schemas::Flag)]
    is_deploy: u8,
    /// Id of the company that owns the project.
    company_id: i64,
    /// Key of the project.
    project_key: String,
    /// Type of the test.
    #[schema(value_type = schemas::TestType)]
    test_type: &'static str,
    /// Permanent key for servers and files.
    experiment_key: String,
    /// The control.
    control: Control,
    /// The other variants, `Variant 1` first.
    variants: Vec<Variant>,
    /// Key under which the variants are stored.
    variants_data_key: String,
    /// JavaScript for all assigned visitors, including the control's.
    custom_js: String,
    /// CSS for all assigned visitors, including the control's.
    custom_css: String,
    /// Settings, complete with defaults.
    #[schema(value_type = schemas::Configuration)]
    configuration: Configuration,
    /// Targeting, complete with defaults; empty lists restrict nothing.
    #[schema(value_type = schemas::Targeting)]
    targeting: Targeting,
    /// Labels.
    tags: Vec<String>,
    /// Plan: smallest lift worth acting on, and number of visitors.
    #[schema(value_type = schemas::Plan)]
    plan: Plan,
    /// Primary goal, which decides the result.
    #[schema(required)]
    primary_goal: Option<Goal>,
    /// Key of the primary goal.
    #[schema(required)]
    primary_goal_key: Option<String>,
    /// Keys of the secondary goals, in order.
    secondary_goal_keys: Vec<String>,
    /// Built-in metrics to report.
    builtin_metrics: Vec<String>,
    /// Raw events to report.
    event_metrics: Vec<String>,
    /// Periods in which assignment did not change, oldest first.
    epochs: Vec<Epoch>,
    /// Next and last action of the clock.
    schedule: ExperimentSchedule,
    /// Integrations in `configuration.integration` that have an effect.
    integrations: Vec<IntegrationState>,
    /// True while it is archived; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    archived: Option<bool>,
}

/// State of an integration.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntegrationState {
    /// Name of the integration.
    #[schema(example = "ga4")]
    name: &'static str,
    /// Time at which a page last reported that it sent the integration an exposure; for `webhook`, the time at which a
    /// message was last queued. It lags by a few seconds.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_success_at: Option<Instant>,
}

/// Next and last action of the clock on an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentSchedule {
    /// Next action with a known time. Rules about results, such as completion_visitor, act in addition.
    #[schema(required)]
    next: Option<NextClockAct>,
    /// Last action, or an action that was not taken.
    #[schema(required)]
    last: Option<LastClockAct>,
}

/// A future action of the clock.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NextClockAct {
    /// Time of the action.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// Action.
    #[schema(value_type = schemas::ClockAct)]
    act: &'static str,
    /// Rule that causes it.
    #[schema(value_type = schemas::ClockRule)]
    rule: &'static str,
}

/// A past action of the clock.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastClockAct {
    /// Time of the action.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// Action.
    #[schema(value_type = schemas::ClockAct)]
    act: &'static str,
    /// Rule that caused it.
    #[schema(value_type = schemas::ClockRule)]
    rule: &'static str,
    /// The rule and its numbers as a message.
    #[schema(example = "1000 visitors had entered, and the limit is 1000")]
    detail: String,
    /// The numbers of that message, by name.
    #[schema(value_type = Object)]
    numbers: Map<String, Value>,
    /// Reason why the action was not taken. The experiment was left unchanged. A start is retried when the experiment
    /// changes; a rule about the result acts once the reason is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "its end date had passed too before it could be started")]
    failed: Option<String>,
}

impl ExperimentSchedule {
    /// Schedule of an experiment. `bandit_check` is the time of the next bandit update.
    fn new(experiment: &Experiment, bandit_check: Instant) -> Self {
        let check = experiment.follows(Rule::Bandit).then_some(Due { at: bandit_check, rule: Rule::Bandit });
        let next = experiment.next_due().into_iter().chain(check).min().map(|due| NextClockAct {
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

/// The control.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// Label for people.
    nickname: String,
    /// JavaScript that only the control runs.
    #[serde(rename = "customJS")]
    custom_js: String,
    /// CSS that only the control gets.
    #[serde(rename = "customCSS")]
    custom_css: String,
}

/// A variant other than the control.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variant {
    /// `Variant 1`, `Variant 2`… by position in the list.
    name: String,
    /// Label for people.
    nickname: String,
    /// JavaScript that only this variant runs.
    #[serde(rename = "customJS")]
    custom_js: String,
    /// CSS that only this variant gets.
    #[serde(rename = "customCSS")]
    custom_css: String,
    /// Visual changes, applied in order.
    #[schema(value_type = Vec<schemas::Change>)]
    data: Vec<Change>,
    /// Visitors who get this variant; personalizations only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Audience>, nullable = false)]
    targeting: Option<Audience>,
}

/// A period in which assignment did not change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Epoch {
    /// Number of the epoch; 1 begins with the first start.
    epoch: i64,
    /// Time at which it began. It lasts until the next one begins.
    #[schema(value_type = String, format = DateTime)]
    started_at: Instant,
    /// Reasons why it began.
    #[schema(value_type = Vec<schemas::Reason>)]
    reasons: Vec<Reason>,
    /// Percentage of eligible visitors that enter.
    traffic_allocation: i64,
    /// Percentage of the entering visitors per variant, by name.
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
    /// Details of an experiment in the project with this key. `bandit_check` is the time of the next bandit update,
    /// `successes` the times of the integrations' last successes.
    pub(crate) fn new(
        loaded: LoadedExperiment,
        epochs: Vec<DomainEpoch>,
        project_key: &str,
        bandit_check: Instant,
        successes: &BTreeMap<String, Instant>,
    ) -> Self {
        let LoadedExperiment { experiment, origin, primary_goal } = loaded;
        let (serving_variant_id, serving_traffic_allocation) = match experiment.serving {
            Serving::Never => (None, None),
            Serving::Stopped => (Some(None), None),
            Serving::Winner { arm, rollout } => (Some(Some(arm.id())), Some(rollout)),
        };
        Self {
            schedule: ExperimentSchedule::new(&experiment, bandit_check),
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

/// An experiment was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Key for servers and OpenFeature: the given key, or one generated from the name.
    pub(crate) experiment_key: String,
    /// Status of the experiment.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// Id of the company that owns it.
    pub(crate) company_id: i64,
    /// Id of the primary goal.
    #[schema(required)]
    pub(crate) goal_profile_id: Option<i64>,
    /// Number of secondary goals.
    pub(crate) secondary_goals_count: usize,
    /// Planned total of visitors, if it was computed because the experiment is live and none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) planned_visitors: Option<i64>,
    /// Warnings, each with the name of the field.
    pub(crate) warnings: Vec<String>,
}

impl ExperimentCreated {
    /// Response for an experiment of this company.
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
    /// Id of the experiment.
    pub(crate) test_id: i64,
}

/// An experiment's status was set.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusUpdated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// New status.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// Planned total of visitors, if it was computed because the experiment started for the first time and none was
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) planned_visitors: Option<i64>,
    /// Warnings, each with the name of the field: for example about a missing primary goal, or code that is not valid
    /// JavaScript.
    pub(crate) warnings: Vec<String>,
}

/// An experiment was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentDeleted {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the deleted experiment.
    pub(crate) test_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
    /// True when it was live, so that visitors notice.
    pub(crate) was_live: bool,
}

/// Links that show one variant each.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewLinks {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Name of the experiment.
    pub(crate) test_name: String,
    /// URL of the experiment's page.
    pub(crate) page_url: String,
    /// The control first.
    pub(crate) variants: Vec<PreviewLink>,
}

/// A link that shows one variant to anybody who opens it, for seven days.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewLink {
    /// Variant number; 0 is the control.
    pub(crate) variant_id: u32,
    /// Name of the variant.
    pub(crate) name: String,
    /// URL of the page with the parameters that select the variant.
    pub(crate) preview_url: String,
}

/// A winner is served.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WinnerServed {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Variant that is served.
    pub(crate) serving_variant_id: String,
    /// Percent of the visitors who get it.
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
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Always null.
    #[schema(required)]
    pub(crate) serving_variant_id: Option<String>,
    /// Always false.
    pub(crate) is_serving: bool,
}
