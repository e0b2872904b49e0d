//! Experiments: list, details, create, update, status, delete, preview, shares.

use super::{Keyed, Sent, boxed, given, read_body};
use crate::answer::{Precondition, is_known, json, tagged, warned, written};
use crate::app::App;
use crate::auth::{Caller, Read, Write};
use crate::body::MediaType;
use crate::error::{ApiError, ConflictCode};
use crate::idempotency::{Ticket, keep, replay};
use crate::lists::ListKey;
use crate::preview;
use crate::script::Guards;
use crate::starts::settled;
use crate::warnings::{about_dropped, codes, returned, warnings};
use crate::wire::experiment::{self as wire, Creation, status_code};
use crate::wire::fields::{self, Mode, from_body};
use crate::wire::goal::GoalBody;
use crate::wire::query::Query;
use crate::wire::{schemas, views};
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use muriel_analysis::Verdict;
use muriel_domain::access::Scope;
use muriel_domain::experiment::{Arm, DataKey, Experiment, Refusal, Revision, Status, TestType};
use muriel_domain::goal::Goal;
use muriel_domain::ids::{CompanyId, ExperimentId, GoalId, ProjectId};
use muriel_domain::{Instant, Problems, text};
use muriel_results::{Inquiry, Known as KnownResult, ReportKey, StartPlan};
use muriel_sql::Tx;
use muriel_store::experiments::{self, Loaded};
use muriel_store::{Intent, delivery, goals, lock};
use std::sync::Arc;
use std::time::Duration;

const NOT_FOUND: ApiError = ApiError::NotFound("experiment");
/// How long the answer to a change that drops arms waits for what is known of them.
const RESULT_TIMEOUT: Duration = Duration::from_secs(3);

/// The id in a path; what is no id names nothing.
pub(super) fn id_in(path: &str) -> Result<ExperimentId, ApiError> {
    ExperimentId::parse(path).ok_or(NOT_FOUND)
}

/// A change of one experiment, from its request to its history.
pub(super) struct Change {
    pub(super) project: ProjectId,
    pub(super) id: ExperimentId,
    pub(super) now: Instant,
    precondition: Precondition,
    actor: String,
    action: &'static str,
}

impl Change {
    /// A change called `action` in history.
    pub(super) fn new(
        app: &App,
        caller: &Caller<Write>,
        id: ExperimentId,
        headers: &HeaderMap,
        action: &'static str,
    ) -> Self {
        Self {
            project: caller.project.id,
            id,
            now: app.clock.now(),
            precondition: Precondition::if_match(headers),
            actor: caller.key_id().to_owned(),
            action,
        }
    }

    /// The experiment, for nobody else to change until this transaction ends.
    pub(super) async fn open(&self, tx: &mut dyn Tx) -> Result<Loaded, ApiError> {
        lock(tx, self.project, Intent::ChangeExperiment(self.id)).await?;
        experiments::find(tx, self.project, self.id).await?.ok_or(NOT_FOUND)
    }

    /// What was decided about it. A precondition is judged after the body and
    /// before the act: what is wrong with the body comes first, conflicts last.
    pub(super) fn decided<T>(&self, before: &Loaded, decision: Result<T, impl Into<Refusal>>) -> Result<T, ApiError> {
        let decision = decision.map_err(Into::into);
        if !matches!(decision, Err(Refusal::Invalid(_))) {
            self.precondition.check(&before.version())?;
        }
        Ok(decision?)
    }

    /// Stores what became of it.
    pub(super) async fn save(&self, tx: &mut dyn Tx, before: &Loaded, after: Experiment) -> Result<Saved, ApiError> {
        let Some(revision) = Revision::between(&before.experiment, after, self.now) else {
            return Ok(Saved { version: before.version(), delivery_changed: false });
        };
        experiments::update(tx, &before.experiment, &revision, &self.actor, self.action).await?;
        let delivery_changed = !before.experiment.delivers_like(&revision.experiment);
        if delivery_changed {
            delivery::announce(tx, self.project).await?;
        }
        let relinked = before.experiment.hypothesis_id != revision.experiment.hypothesis_id
            || before.experiment.primary_goal != revision.experiment.primary_goal;
        if relinked {
            let after = experiments::find(tx, self.project, self.id).await?.ok_or(NOT_FOUND)?;
            return Ok(Saved { version: after.version(), delivery_changed });
        }
        let version = Loaded { experiment: revision.experiment, ..before.clone() }.version();
        Ok(Saved { version, delivery_changed })
    }
}

/// What became of an experiment.
pub(super) struct Saved {
    /// The version it has now.
    pub(super) version: String,
    /// Whether visitors meet something else now.
    pub(super) delivery_changed: bool,
}

impl App {
    /// Delivers what was saved, before it is answered.
    pub(super) async fn deliver<N>(&self, caller: &Caller<N>, changed: bool) {
        if changed {
            self.rulesets.refresh(&caller.project).await;
        }
    }
}

/// Lists the experiments of the company that owns the project.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiments", tag = "Experiments", operation_id = "listExperiments",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500: more is cut to that."),
        ("offset" = inline(Option<i64>), Query, minimum = 0, description = "Experiments to skip."),
    ),
    responses((status = 200, description = "Newest created first, then highest id.", body = views::ExperimentList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_list(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "offset"]);
    let (limit, offset) = (query.limit(50, 500), query.offset());
    query.finish()?;
    let company = caller.company_id();
    let limited_to = caller.is_limited().then(|| caller.key_id().to_owned());
    let key = ListKey { company, limited_to: limited_to.clone(), limit, offset };
    // Taken before the list is read, so that a change meanwhile makes it stale.
    let stamp = app.lists.stamp(company);
    if let Some(list) = stamp.and_then(|stamp| app.lists.get(&key, stamp)) {
        return Ok(written(StatusCode::OK, list));
    }
    let listed = app
        .read(move |tx| {
            boxed(async move { Ok(experiments::list(tx, company, limited_to.as_deref(), limit, offset).await?) })
        })
        .await?;
    let list = views::ExperimentList {
        success: true,
        company_id: company.0,
        count: listed.len(),
        experiments: listed.into_iter().map(Into::into).collect(),
    };
    let list: bytes::Bytes = serde_json::to_vec(&list).map_err(ApiError::internal)?.into();
    if let Some(stamp) = stamp {
        app.lists.put(key, stamp, list.clone());
    }
    Ok(written(StatusCode::OK, list))
}

/// Reads one experiment whole.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}", tag = "Experiments", operation_id = "getExperiment",
    responses(
        (status = 200, description = "The experiment, with a strong ETag.", body = views::ExperimentAnswer),
        (status = 304, description = "The version named in If-None-Match is the present one."),
    ),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_details(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (id, project) = (id_in(&id)?, caller.project.id);
    let (loaded, epochs) = app
        .read(move |tx| {
            boxed(async move {
                let loaded = experiments::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
                let epochs = experiments::epochs(tx, id).await?;
                Ok((loaded, epochs))
            })
        })
        .await?;
    let version = loaded.version();
    if is_known(&headers, &version) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(tagged(response, &version));
    }
    let experiment = views::ExperimentDetails::new(loaded, epochs, &caller.project.key);
    Ok(tagged(json(StatusCode::OK, &views::ExperimentAnswer { success: true, experiment })?, &version))
}

/// Creates an experiment.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/create-experiment", tag = "Experiments", operation_id = "createExperiment",
    request_body = schemas::ExperimentCreation,
    responses((status = 201, description = "The experiment was made.", body = views::ExperimentCreated)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn experiment_create(
    State(app): State<App>,
    caller: Caller<Write>,
    request: Request,
) -> Result<Response, ApiError> {
    let now = app.clock.now();
    let headers = request.headers().clone();
    let sent = Arc::new(read_body(request, &[MediaType::Json]).await?);
    if caller.may(Scope::Code) {
        app.rulesets.guards.read_ahead(&sent.json).await;
    }
    let guards = app.rulesets.guards.clone();
    let project = caller.project.id;
    let ticket = Ticket::of(&headers, project, "create-experiment".to_owned(), &sent.bytes, now)?;
    let maker = Maker {
        caller_may_write_code: caller.may(Scope::Code),
        actor: caller.key_id().to_owned(),
        project,
        now,
        guards,
    };
    let company = caller.company_id();
    let plan = match started(&app, project, company, sent.clone(), now).await {
        Some((experiment, goal)) => app.start_plan(&caller.project.key, experiment, goal, now).await,
        None => None,
    };
    let (made, delivery_changed) = app
        .write(company, move |tx| {
            boxed(async move {
                lock(tx, project, Intent::Reshape).await?;
                if let Some(given) = replay(tx, ticket.as_ref()).await? {
                    return Ok((given, false));
                }
                let (creation, found) = wire::creation(&sent.json);
                let created = maker.make(tx, company, creation, found, plan).await?;
                // A draft is met by nobody, and goals made with it may be watched for.
                let delivers = created.status == status_code(Status::Live) || created.secondary_goals_count > 0;
                let delivery_changed = delivers || created.goal_profile_id.is_some();
                if delivery_changed {
                    delivery::announce(tx, project).await?;
                }
                Ok((keep(tx, ticket.as_ref(), &created).await?, delivery_changed))
            })
        })
        .await?;
    app.deliver(&caller, delivery_changed).await;
    Ok(given(StatusCode::CREATED, made))
}

/// The experiment that will be live once it is made, with its primary goal, to plan it;
/// `None` when it will not be, or cannot be made.
async fn started(
    app: &App,
    project: ProjectId,
    company: CompanyId,
    sent: Arc<Sent>,
    now: Instant,
) -> Option<(Experiment, Option<Goal>)> {
    if wire::creation(&sent.json).0.status != Some(Status::Live) {
        return None;
    }
    let read = app.read(move |tx| {
        boxed(async move {
            let (creation, found) = wire::creation(&sent.json);
            let patch = creation.patch;
            let known = experiments::known(tx, project, patch.goal_keys(), patch.hypothesis_id.flatten()).await?;
            let test_type = creation.test_type.unwrap_or(TestType::AbTest);
            let draft = Experiment::draft(company, project, test_type, String::new(), now);
            let Ok(experiment) = draft.patched(patch, found, &known) else { return Ok(None) };
            let goal = match (creation.primary_goal, &experiment.primary_goal) {
                (Some(GoalBody { definition, .. }), _) => {
                    let goal_type = definition.trigger.goal_type();
                    let found = goals::find_named(tx, project, &definition.name, goal_type).await?;
                    let made = Goal { id: GoalId(0), key: String::new(), definition, created_at: now, revision: 1 };
                    Some(found.unwrap_or(made))
                }
                (None, Some(key)) => goals::find_keyed(tx, project, key).await?,
                (None, None) => None,
            };
            Ok(Some((experiment, goal)))
        })
    });
    // What is wrong is told by making it.
    read.await.ok().flatten()
}

/// Makes an experiment out of what was sent.
struct Maker {
    project: ProjectId,
    actor: String,
    caller_may_write_code: bool,
    now: Instant,
    guards: Guards,
}

impl Maker {
    async fn make(
        self,
        tx: &mut dyn Tx,
        company: CompanyId,
        creation: Creation,
        found: Problems,
        plan: Option<StartPlan>,
    ) -> Result<views::ExperimentCreated, ApiError> {
        let patch = &creation.patch;
        let hypothesis = patch.hypothesis_id.flatten();
        let known = experiments::known(tx, self.project, patch.goal_keys(), hypothesis).await?;
        let test_type = creation.test_type.unwrap_or(TestType::AbTest);
        let draft = Experiment::draft(company, self.project, test_type, String::new(), self.now);
        let mut experiment = draft.patched(creation.patch, found, &known)?;
        if draft.changes_code(&experiment) && !self.caller_may_write_code {
            return Err(ApiError::MissingScope(Scope::Code.name()));
        }
        experiment.key = self.key(tx, creation.key, &experiment.name).await?;
        experiment.variants_data_key =
            creation.variants_data_key.unwrap_or_else(|| DataKey::stored(experiment.url.clone()));
        if let Some(body) = creation.primary_goal {
            experiment.primary_goal = Some(self.goal(tx, body).await?.key);
        }
        for body in creation.secondary_goals {
            let key = self.goal(tx, body).await?.key;
            if !experiment.secondary_goals.contains(&key) {
                experiment.secondary_goals.push(key);
            }
        }
        let experiment = experiment.moved(creation.status.unwrap_or(Status::Draft), self.now)?;
        let (experiment, plan) = settled(experiment, plan);
        let first = Revision::first(experiment, self.now);
        let id = experiments::insert(tx, &first, &self.actor).await?;
        let experiment = first.experiment;
        let goal_id = match &experiment.primary_goal {
            Some(key) => goals::id_of(tx, self.project, key).await?,
            None => None,
        };
        Ok(views::ExperimentCreated {
            success: true,
            test_id: id.0,
            experiment_key: experiment.key.clone(),
            status: status_code(experiment.lifecycle.status()),
            company_id: company.0,
            goal_profile_id: goal_id.map(|id| id.0),
            secondary_goals_count: experiment.secondary_goals.len(),
            planned_visitors: plan.as_ref().and_then(|plan| plan.visitors),
            warnings: warnings(&experiment, &self.guards).into_iter().chain(plan.map(|plan| plan.message)).collect(),
        })
    }

    /// The key that was given, if it is free, or one made from the name.
    async fn key(&self, tx: &mut dyn Tx, given: Option<String>, name: &str) -> Result<String, ApiError> {
        match given {
            None => Keyed::Experiment.free_key(tx, self.project, &text::slug(name, 64, "experiment")).await,
            Some(key) if Keyed::Experiment.is_taken(tx, self.project, &key).await? => Err(ApiError::Conflict {
                code: ConflictCode::KeyTaken,
                message: "experiment_key is taken by another experiment of this project".to_owned(),
            }),
            Some(key) => Ok(key),
        }
    }

    /// The project's goal of this name and type; made if there is none.
    async fn goal(&self, tx: &mut dyn Tx, body: GoalBody) -> Result<Goal, ApiError> {
        let definition = &body.definition;
        let goal_type = definition.trigger.goal_type();
        if let Some(goal) = goals::find_named(tx, self.project, &definition.name, goal_type).await? {
            return Ok(goal);
        }
        let key = Keyed::Goal.free_key(tx, self.project, &text::slug(&definition.name, 64, "goal")).await?;
        Ok(goals::insert(tx, self.project, &key, definition, self.now).await?)
    }
}

/// Updates an experiment. Only fields that are sent change.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}", tag = "Experiments",
    operation_id = "updateExperiment",
    request_body(
        content((schemas::ExperimentPatch = "application/json"), (schemas::MergePatch = "application/merge-patch+json")),
        description = "As application/json a field that is sent takes its new value whole; as \
                       application/merge-patch+json objects merge (RFC 7396)."
    ),
    responses((
        status = 200, description = "Applied whole, with the new ETag and, in X-Muriel-Warnings, what to look at.",
        body = views::ExperimentUpdated
    )),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn experiment_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let change = Change::new(&app, &caller, id, request.headers(), "update");
    let may_write_code = caller.may(Scope::Code);
    let sent = read_body(request, &[MediaType::Json, MediaType::MergePatch]).await;
    if let (true, Ok(sent)) = (may_write_code, &sent) {
        app.rulesets.guards.read_ahead(&sent.json).await;
    }
    let node = app.node_id();
    let (saved, after, mut told, dropped) = app
        .write(caller.company_id(), move |tx| {
            boxed(async move {
                let before = change.open(tx).await?;
                let Sent { json, media_type, .. } = sent?;
                let mode = if media_type == MediaType::MergePatch { Mode::Merge } else { Mode::Whole };
                let (patch, found) = wire::patch(&json, mode);
                let hypothesis = patch.hypothesis_id.flatten();
                let known = experiments::known(tx, change.project, patch.goal_keys(), hypothesis).await?;
                let after = before.experiment.patched(patch, found, &known)?;
                if !may_write_code && before.experiment.changes_code(&after) {
                    return Err(ApiError::MissingScope(Scope::Code.name()));
                }
                change.decided(&before, before.experiment.keeps_served(&after))?;
                let told = returned(&json, mode, &before.experiment, &after);
                // What was known of arms that go is asked for before they do.
                let dropped = match before.experiment.arms() > after.arms() && has_started(&before.experiment) {
                    true => {
                        let known =
                            KnownResult::load(tx, change.project, id, &Inquiry::default(), node.as_deref()).await?;
                        known.ok().map(|known| (known, after.arms()..before.experiment.arms()))
                    }
                    false => None,
                };
                let saved = change.save(tx, &before, after.clone()).await?;
                Ok((saved, after, told, dropped))
            })
        })
        .await?;
    app.deliver(&caller, saved.delivery_changed).await;
    if let Some((known, arms)) = dropped {
        let winners = winners(&app, &caller.project.key, id, &known).await;
        told.extend(about_dropped(arms, winners.as_deref()));
    }
    app.rulesets.guards.read_all(codes(&after)).await;
    told.extend(warnings(&after, &app.rulesets.guards));
    let body = views::ExperimentUpdated { success: true, test_id: id.0 };
    Ok(warned(tagged(json(StatusCode::OK, &body)?, &saved.version), told))
}

fn has_started(experiment: &Experiment) -> bool {
    experiment.lifecycle.status() != Status::Draft
}

/// The arms that the present result calls better than the control by its first
/// metric; `None` when it is not known in time.
async fn winners(app: &App, project_key: &str, id: ExperimentId, known: &KnownResult) -> Option<Vec<usize>> {
    let reports = app.results()?;
    let key =
        ReportKey { project_key: project_key.into(), test_id: id.0, inquiry: Inquiry::default(), by_quarter: false };
    let report = reports.report(&key, known, app.clock.now());
    let computed = tokio::time::timeout(RESULT_TIMEOUT, report).await.ok()?.ok()?;
    let top = computed.manifest.top().and(computed.report.metrics.first());
    let analyses = top.into_iter().flat_map(|metric| &metric.analyses);
    Some(analyses.filter(|analysis| analysis.verdict == Verdict::Win).map(|analysis| analysis.arm).collect())
}

/// Starts, pauses, resumes or puts an experiment aside.
///
/// With `started_at` (scope `admin`) the first start is one of the past, so that visitors of a test that ran elsewhere count.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}/status", tag = "Experiments",
    operation_id = "updateExperimentStatus",
    request_body = schemas::StatusBody,
    responses((status = 200, description = "The status it has now.", body = views::StatusUpdated)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn experiment_set_status(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let change = Change::new(&app, &caller, id, request.headers(), "status");
    let may_start_in_past = caller.may(Scope::Admin);
    let sent = read_body(request, &[MediaType::Json]).await;
    let starts = sent.as_ref().is_ok_and(|sent| status_of(sent).is_ok_and(|(to, _)| to == Status::Live));
    let planned = if starts { start_plan(&app, &caller, id, change.now).await } else { None };
    let (status, moved, plan, saved) = app
        .write(caller.company_id(), move |tx| {
            boxed(async move {
                let before = change.open(tx).await?;
                let (to, started_at) = status_of(&sent?)?;
                if started_at.is_some() && !may_start_in_past {
                    return Err(ApiError::MissingScope(Scope::Admin.name()));
                }
                let decision = match started_at {
                    None => before.experiment.moved(to, change.now).map_err(Refusal::from),
                    Some(started_at) => before.experiment.moved_since(to, started_at, change.now),
                };
                let after = change.decided(&before, decision)?;
                let plan = match planned {
                    Some((revision, plan)) if revision == before.experiment.revision => Some(plan),
                    // It was changed meanwhile: it is not planned for what it is now.
                    Some(_) if before.experiment.epoch == 0 => Some(StartPlan::unmeasured()),
                    _ => None,
                };
                let (after, plan) = settled(after, plan);
                let moved = (to != before.experiment.lifecycle.status()).then(|| after.clone());
                let saved = change.save(tx, &before, after).await?;
                Ok((to, moved, plan, saved))
            })
        })
        .await?;
    app.deliver(&caller, saved.delivery_changed).await;
    let mut told = Vec::new();
    if let Some(moved) = &moved {
        app.rulesets.guards.read_all(codes(moved)).await;
        told = warnings(moved, &app.rulesets.guards);
    }
    let body = views::StatusUpdated {
        success: true,
        test_id: id.0,
        status: status_code(status),
        planned_visitors: plan.as_ref().and_then(|plan| plan.visitors),
        warnings: told.into_iter().chain(plan.map(|plan| plan.message)).collect(),
    };
    Ok(tagged(json(StatusCode::OK, &body)?, &saved.version))
}

/// The plan of an experiment that is to start for the first time, and the revision that it is
/// of.
async fn start_plan(app: &App, caller: &Caller<Write>, id: ExperimentId, now: Instant) -> Option<(i64, StartPlan)> {
    let project = caller.project.id;
    let found = app.read(move |tx| boxed(async move { Ok(experiments::find(tx, project, id).await?) })).await;
    let Loaded { experiment, primary_goal, .. } = found.ok().flatten()?;
    let revision = experiment.revision;
    let plan = app.start_plan(&caller.project.key, experiment, primary_goal, now).await?;
    Some((revision, plan))
}

/// The status that is asked for, and since when it is to count.
fn status_of(sent: &Sent) -> Result<(Status, Option<Instant>), Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["status", "started_at"], &[]);
        let started_at = fields.read("started_at", |value| Instant::parse(fields::text(value)?));
        Some((fields.needed("status", wire::status)?, started_at))
    })
}

/// Deletes an experiment: it is gone from every read, and its delivery stops.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/experiment/{test_id}", tag = "Experiments",
    operation_id = "deleteExperiment",
    responses((status = 200, description = "It is gone.", body = views::ExperimentDeleted)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn experiment_delete(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let change = Change::new(&app, &caller, id, &headers, "delete");
    let (was_live, delivery_changed) = app
        .write(caller.company_id(), move |tx| {
            boxed(async move {
                let before = change.open(tx).await?;
                change.precondition.check(&before.version())?;
                experiments::delete(tx, &before.experiment, &change.actor, change.now).await?;
                let delivery_changed = before.experiment.is_delivered();
                if delivery_changed {
                    delivery::announce(tx, change.project).await?;
                }
                Ok((before.experiment.lifecycle.is_live(), delivery_changed))
            })
        })
        .await?;
    app.deliver(&caller, delivery_changed).await;
    json(StatusCode::OK, &views::ExperimentDeleted { success: true, test_id: id.0, deleted: true, was_live })
}

/// Gives a link per arm that shows it on the page, for seven days.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/preview-urls", tag = "Experiments",
    operation_id = "getPreviewUrls",
    responses((status = 200, description = "The control first.", body = views::PreviewLinks)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_preview_links(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let experiment = find(&app, caller.project.id, id_in(&id)?).await?;
    let token = preview::token(&app.pepper, caller.project.id, experiment.id, app.clock.now());
    let variants = (0..experiment.arms() as u32)
        .map(Arm)
        .map(|arm| views::PreviewLink {
            variant_id: arm.0,
            name: arm.to_string(),
            preview_url: preview::link(&experiment.url, experiment.id, arm, &token),
        })
        .collect();
    let links = views::PreviewLinks {
        success: true,
        test_id: experiment.id.0,
        test_name: experiment.name,
        page_url: experiment.url,
        variants,
    };
    json(StatusCode::OK, &links)
}

/// Tells how an experiment's traffic is shared.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/distribution", tag = "Experiments",
    operation_id = "getDistribution",
    responses((status = 200, description = "The shares in force.", body = views::DistributionAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_distribution(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let experiment = find(&app, caller.project.id, id_in(&id)?).await?;
    json(StatusCode::OK, &views::DistributionAnswer::new(&experiment))
}

async fn find(app: &App, project: ProjectId, id: ExperimentId) -> Result<Experiment, ApiError> {
    let found = app.read(move |tx| boxed(async move { Ok(experiments::find(tx, project, id).await?) })).await?;
    found.map(|loaded| loaded.experiment).ok_or(NOT_FOUND)
}
