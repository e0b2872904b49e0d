//! The acts of the clock: experiments that start and end by themselves.
//!
//! Two kinds of thing make the clock act. A moment that is known is a job in the database, see [`muriel_store::jobs`];
//! [`run`] does it. A number that grows with the events, such as the visitors who entered, is looked at again and again by
//! [`check_results`]. Each act is one transaction, which finds out for itself whether it is still to be done: a
//! job is taken away by the act that does it, and an act of a node that no longer leads is refused.

mod autopilot;
mod bandit;
mod conversions;
mod exposures;
mod findings;
mod interactions;
mod page_harm;
mod summaries;

pub use conversions::{ConversionLooks, tell_conversions};
pub use exposures::{ExposureLooks, tell_exposures};
pub use findings::{FindingLooks, tell_findings};
pub use interactions::{InteractionLooks, LookStep, PAIRS_MAX, interaction_totals, look_for_interactions};
pub use page_harm::{PageLooks, stop_page_harm};
pub use summaries::{SummaryLooks, summarise_results};

use crate::actor::Actor;
use crate::app::App;
use crate::error::{Error, Result};
use crate::experiments::{Change, Changed, Precondition, Target};
use crate::results::{load, not_found, report_of};
use crate::starts::{start_plan, with_plan};
use crate::warnings::{codes, invalid_code};
use muriel_analysis::{Grade, Verdict};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, ClockAct, Experiment, Rule, parse_page_url};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::time::DAY_US;
use muriel_results::{Computed, Inquiry, PlanBasis, ReportInputs};
use muriel_sql::SessionLock;
use muriel_store::experiments::LoadedExperiment;
use muriel_store::jobs::{self, Job, Watch, Watched};
use muriel_store::tenants::{self, Project};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// History has this as the actor.
pub const CLOCK: Actor = Actor::System("clock");

/// Jobs that are read at once.
const JOBS_PER_READ: i64 = 100;
/// Jobs that `muriel status` lists at most.
const LISTED_JOBS: i64 = 100;
/// The first pause after a failure; it doubles with each further one.
const FIRST_RETRY_US: i64 = 1_000_000;
/// The longest pause.
const LAST_RETRY_US: i64 = 3_600_000_000;
/// A verdict can change without new events, as days and times to convert end: it is looked at as often as this.
const LOOK_AGAIN_US: i64 = 60_000_000;

/// How the clock steers experiments by their results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockPeriods {
    /// How often weights of bandits move at most.
    pub bandit: Duration,
    /// To how many percent of the visitors a winner is served, step by step: rising, at least one.
    pub autopilot_steps: Vec<i64>,
    /// How long each step lasts.
    pub autopilot: Duration,
}

impl Default for ClockPeriods {
    fn default() -> Self {
        Self {
            bandit: Duration::from_secs(3_600),
            autopilot_steps: vec![10, 50, 100],
            autopilot: Duration::from_secs(86_400),
        }
    }
}

impl ClockPeriods {
    /// The number of the bandits' period that this moment is in: periods are counted in UTC.
    fn bandit_period(&self, at: Instant) -> i64 {
        at.us().div_euclid(self.bandit_us())
    }

    fn bandit_us(&self) -> i64 {
        i64::try_from(self.bandit.as_micros()).unwrap_or(i64::MAX).max(1)
    }

    /// When the clock looks at bandits next.
    pub fn next_bandit_look(&self, now: Instant) -> Instant {
        Instant::from_us((self.bandit_period(now) + 1).saturating_mul(self.bandit_us()))
    }
}

/// The right to act, as long as no other node has taken it.
pub struct Leadership {
    lock: SessionLock,
    term: i64,
}

impl Leadership {
    /// Becomes the leader, unless another node is.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn take(app: &App) -> Result<Option<Self>> {
        let Some(lock) = app.db.session_lock(jobs::LEADERSHIP).await? else { return Ok(None) };
        let node = app.node_id().as_deref().unwrap_or("this node").to_owned();
        let term: i64 = app
            .db
            .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(jobs::take_lead(tx, &node).await?) }))
            .await?;
        Ok(Some(Self { lock, term }))
    }

    /// Whether this node still leads, as far as it knows. Acts check it again in their transactions.
    pub async fn holds(&self) -> bool {
        self.lock.is_held().await
    }
}

/// How long a run of a task goes on, by the app's clock: where that stands still, as in tests, no slow machine cuts a run off.
#[derive(Debug)]
pub struct RunTime {
    began: Instant,
    most: Duration,
}

impl RunTime {
    /// Begins now, and is over after `most`.
    pub fn begin(app: &App, most: Duration) -> Self {
        Self { began: app.clock.now(), most }
    }

    /// Whether it is over. A clock that was set back ends it too.
    pub fn is_over(&self, app: &App) -> bool {
        let elapsed = app.clock.now().us() - self.began.us();
        !u64::try_from(elapsed).is_ok_and(|us| Duration::from_micros(us) < self.most)
    }
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    /// The clock acted.
    Done,
    /// It could not, and has said why in the experiment's history; it is tried again when the experiment changes.
    Blocked,
    /// There was nothing to do any more.
    Nothing,
    /// It failed for this reason, and is tried again later.
    Failed(String),
}

impl JobOutcome {
    /// `done`, `blocked`, `nothing` or `failed`: a label of metrics.
    pub fn word(&self) -> &'static str {
        match self {
            JobOutcome::Done => "done",
            JobOutcome::Blocked => "blocked",
            JobOutcome::Nothing => "nothing",
            JobOutcome::Failed(_) => "failed",
        }
    }
}

/// Jobs that come next or are overdue, the earliest first, as `muriel status` lists them.
///
/// # Errors
/// When the database cannot be reached.
pub async fn next(app: &App) -> Result<Vec<Job>> {
    app.read(move |tx| Box::pin(async move { Ok(jobs::next(tx, LISTED_JOBS).await?) })).await
}

/// The next jobs that are due, at most 100.
///
/// # Errors
/// When the database cannot be reached.
pub async fn due(app: &App) -> Result<Vec<Job>> {
    let now = app.clock.now();
    app.read(move |tx| Box::pin(async move { Ok(jobs::due(tx, now, JOBS_PER_READ).await?) })).await
}

/// Does a job. One that fails is noted with the reason, and is due again after a pause.
///
/// # Errors
/// `Unavailable` and `OutcomeUnknown` when the database cannot be reached: the job is as it was, or done.
pub async fn run(app: &App, leadership: &Leadership, job: &Job) -> Result<JobOutcome> {
    let (term, begun) = (leadership.term, job.clone());
    let is_due = app
        .db
        .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(jobs::begin(tx, &begun, term).await?) }))
        .await?;
    if !is_due {
        return Ok(JobOutcome::Nothing);
    }
    match act(app, term, job).await {
        Err(error @ (Error::Unavailable { .. } | Error::OutcomeUnknown)) => Err(error),
        Err(error) => {
            let reason = in_full(&error);
            let exponent = u32::try_from(job.attempts.clamp(0, 20)).unwrap_or(0);
            let pause = FIRST_RETRY_US.saturating_mul(1 << exponent).min(LAST_RETRY_US);
            let (failed, told, retry_at) = (job.clone(), reason.clone(), app.clock.now().plus_us(pause));
            app.db
                .write::<_, Error, _>(move |tx| {
                    Box::pin(async move { Ok(jobs::failed(tx, &failed, retry_at, &told).await?) })
                })
                .await?;
            Ok(JobOutcome::Failed(reason))
        }
        Ok(outcome) => Ok(outcome),
    }
}

async fn act(app: &App, term: i64, job: &Job) -> Result<JobOutcome> {
    let Some(project) = project(app, job.project).await? else { return Ok(JobOutcome::Nothing) };
    let target = Target { project, id: job.experiment, precondition: Precondition::None };
    match job.rule.act() {
        ClockAct::Start => start(app, term, target, job).await,
        ClockAct::Stop => stop(app, term, target, job).await,
        ClockAct::Ramp => autopilot::ramp(app, term, target, job).await,
        // It has no moment of its own: see `check_results`.
        ClockAct::Reweight => Ok(JobOutcome::Nothing),
    }
}

/// Starts an experiment whose date has come.
async fn start(app: &App, term: i64, target: Target, job: &Job) -> Result<JobOutcome> {
    let change = Change::new(app, &CLOCK, target, "start");
    let found = crate::experiments::find(app, change.target.project.id, change.target.id).await;
    let loaded = match found {
        Err(Error::NotFound(_)) => return discarded(app, term, job).await,
        found => found?,
    };
    app.rulesets.loop_guards.prepare(codes(&loaded.experiment)).await;
    let revision = loaded.experiment.revision;
    let obstacle = obstacle(app, &loaded.experiment);
    let LoadedExperiment { experiment, primary_goal, .. } = loaded;
    let plan = start_plan(app, &change.target.project.key, experiment, primary_goal, None, change.now).await;
    let due_at = job.due_at;
    let started = change.clone();
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        // Somebody has changed it since it was looked at: the job stays, and the next attempt looks again.
        if before.revision != revision {
            return Ok(None);
        }
        let next = if let Some(why) = obstacle {
            before.start_blocked(why, now)
        } else if before.configuration.end_test_date.is_some_and(|end| end <= now) {
            before.start_missed("its end date had passed too before it could be started".to_owned(), now)
        } else {
            let detail = format!("the start date had come: {}", due_at.in_words());
            let numbers = object(json!({ "start_test_date": due_at }));
            with_plan(before.clocked(Rule::StartDate, detail, numbers, now)?, plan).0
        };
        Ok(Some(next))
    };
    let changed = apply(app, term, started, job.rule, Some(job), None, decide).await?;
    Ok(match changed {
        None => JobOutcome::Nothing,
        Some(changed) if changed.after.lifecycle.is_live() => JobOutcome::Done,
        Some(_) => JobOutcome::Blocked,
    })
}

/// Why the clock does not start an experiment as it is. A person may: these are things that nobody wants to go live while
/// nobody looks.
fn obstacle(app: &App, experiment: &Experiment) -> Option<String> {
    let url = parse_page_url(&experiment.url).err().map(|flaw| format!("url {flaw}"));
    url.or_else(|| invalid_code(experiment, &app.rulesets.loop_guards))
}

/// Ends an experiment whose date has come, or whose time is over.
async fn stop(app: &App, term: i64, target: Target, job: &Job) -> Result<JobOutcome> {
    let (rule, due_at) = (job.rule, job.due_at);
    let change = Change::new(app, &CLOCK, target, "stop");
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        let (detail, numbers) = match (rule, before.configuration.completion_after_period) {
            (Rule::Period, Some(days)) => (
                format!("{days} days had passed since the first start: {}", due_at.in_words()),
                json!({ "completion_after_period": days, "first_started_at": due_at.plus_us(-days * DAY_US) }),
            ),
            _ => (format!("the end date had come: {}", due_at.in_words()), json!({ "end_test_date": due_at })),
        };
        Ok(Some(before.clocked(rule, detail, object(numbers), now)?))
    };
    match apply(app, term, change, rule, Some(job), None, decide).await? {
        Some(_) => Ok(JobOutcome::Done),
        None => Ok(JobOutcome::Nothing),
    }
}

/// Takes away a job whose experiment is gone.
async fn discarded(app: &App, term: i64, job: &Job) -> Result<JobOutcome> {
    let job = job.clone();
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                check(tx, term).await?;
                Ok(jobs::discard(tx, &job).await?)
            })
        })
        .await?;
    Ok(JobOutcome::Nothing)
}

/// An act of the clock in its transaction: nothing when the experiment does not follow the rule any more, or `decide` says
/// so. A job that is done or needs nothing is taken away with it.
async fn apply(
    app: &App,
    term: i64,
    change: Change,
    rule: Rule,
    job: Option<&Job>,
    manifest: Option<Value>,
    decide: impl FnOnce(&Experiment, Instant) -> Result<Option<Experiment>> + Send + 'static,
) -> Result<Option<Changed>> {
    let (project, job) = (change.target.project.clone(), job.cloned());
    let changed = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                check(tx, term).await?;
                let before = change.open(tx).await?;
                // The project may have turned it off since its experiments were listed.
                if rule == Rule::PageHarm && !tenants::stops_on_page_harm(tx, before.experiment.project_id).await? {
                    return Ok(None);
                }
                // The moment may have been moved since the job was read.
                let is_due = job.as_ref().is_none_or(|job| {
                    before.experiment.due().iter().any(|due| due.rule == rule && due.at == job.due_at)
                });
                let next = if is_due && before.experiment.follows(rule) {
                    decide(&before.experiment, change.now)?
                } else {
                    None
                };
                let Some(next) = next else {
                    if let Some(job) = job.filter(|_| !before.experiment.follows(rule)) {
                        jobs::discard(tx, &job).await?;
                    }
                    return Ok(None);
                };
                let entry = next.schedule.last.as_ref();
                let detail = entry.map(|entry| {
                    json!({ "rule": rule.word(), "detail": entry.detail, "numbers": entry.numbers, "manifest": manifest })
                });
                Ok(Some(change.with_detail(detail).save(tx, before, next).await?))
            })
        })
        .await?;
    if let Some(changed) = &changed {
        changed.deliver(app, &project).await;
    }
    Ok(changed)
}

/// Fails unless `term` is the present one: another node has taken over.
async fn check(tx: &mut dyn muriel_sql::Tx, term: i64) -> Result<()> {
    match jobs::check_term(tx, term).await? {
        true => Ok(()),
        false => Err(Error::Unavailable { retry_after_s: 1 }),
    }
}

/// What was known of each experiment when [`check_results`] last looked at its result.
#[derive(Debug, Default)]
pub struct Looks {
    done: HashMap<ExperimentId, Look>,
    /// Since when something is new about experiments that were not looked at yet.
    waiting: HashMap<ExperimentId, Instant>,
}

impl Looks {
    /// Forgets all experiments but those for which `is_watched` is true.
    fn retain(&mut self, is_watched: impl Fn(ExperimentId) -> bool) {
        self.done.retain(|id, _| is_watched(*id));
        self.waiting.retain(|id, _| is_watched(*id));
    }

    /// Whether something is new since the last look at it. If so, the experiment waits from `now` on, unless it does already.
    fn is_new(&mut self, id: ExperimentId, look: &Look, now: Instant) -> bool {
        let is_new = self.done.get(&id) != Some(look);
        if is_new {
            self.waiting.entry(id).or_insert(now);
        }
        is_new
    }

    /// Since when it waits.
    fn waits_since(&self, id: ExperimentId) -> Option<Instant> {
        self.waiting.get(&id).copied()
    }

    /// Notes a look at it.
    fn note(&mut self, id: ExperimentId, look: Look) {
        self.waiting.remove(&id);
        self.done.insert(id, look);
    }
}

/// Numbers are the same as long as these are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Look {
    revision: i64,
    generation: u64,
    last_block: i64,
    period: i64,
    bandit_period: i64,
}

/// Looks at the results of the live experiments that have rules about them, ends those whose rules are met, and moves the
/// weights of bandits. The experiments and the rules come back. The one about which something is new for the longest time comes
/// first, as a round over many may take long, and one whose result could not be computed goes first in the next.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is looked at again.
pub async fn check_results(app: &App, leadership: &Leadership, looks: &mut Looks) -> Result<Vec<(ExperimentId, Rule)>> {
    let Some(reports) = app.results() else { return Ok(Vec::new()) };
    let watched = app.read(|tx| Box::pin(async move { Ok(jobs::watched(tx).await?) })).await?;
    looks.retain(|id| watched.iter().any(|watched| watched.experiment == id));
    let loader = reports.loader();
    let look_at = |watched: &Watched, project: &Project, now: Instant| Look {
        revision: watched.revision,
        generation: loader.generation(),
        last_block: if watched.watch == Watch::Bandit { 0 } else { loader.touched(&project.key).seq },
        period: if watched.watch == Watch::Verdict { now.us().div_euclid(LOOK_AGAIN_US) } else { 0 },
        bandit_period: app.periods.bandit_period(now),
    };
    let mut projects: HashMap<ProjectId, Option<Arc<Project>>> = HashMap::new();
    let mut due = Vec::new();
    for watched in watched {
        let known = match projects.get(&watched.project) {
            Some(known) => known.clone(),
            None => projects.entry(watched.project).insert_entry(project(app, watched.project).await?).get().clone(),
        };
        let Some(project) = known else { continue };
        let now = app.clock.now();
        if looks.is_new(watched.experiment, &look_at(&watched, &project, now), now) {
            due.push((watched, project));
        }
    }
    due.sort_by_key(|(watched, _)| (looks.waits_since(watched.experiment), watched.experiment));
    let mut ended = Vec::new();
    for (watched, project) in due {
        // What has come since this round began is part of the result, too.
        let look = look_at(&watched, &project, app.clock.now());
        let known = looks.done.get(&watched.experiment);
        let may_move = known.is_none_or(|known| known.bandit_period != look.bandit_period);
        match check_result(app, leadership.term, &project, watched.experiment, may_move).await {
            Ok(rule) => {
                ended.extend(rule.map(|rule| (watched.experiment, rule)));
                looks.note(watched.experiment, look);
            }
            // The warehouse is busy, or it was changed meanwhile.
            Err(Error::Unavailable { .. }) => {}
            Err(error) => {
                if fails_by_itself(watched.experiment, "check_completion_rules", error)? {
                    looks.note(watched.experiment, look);
                }
            }
        }
    }
    Ok(ended)
}

/// Ends the experiment if one of its rules about results is met, or else moves its weights if it is a bandit and it
/// `may_move` now; the rule.
async fn check_result(
    app: &App,
    term: i64,
    project: &Arc<Project>,
    id: ExperimentId,
    may_move: bool,
) -> Result<Option<Rule>> {
    let (inputs, computed) = judge(app, project, id, Inquiry::default()).await?;
    let experiment = inputs.experiment();
    let target = Target { project: project.clone(), id, precondition: Precondition::None };
    if let Some(winner) = autopilot::winner(&inputs, &computed) {
        return autopilot::serve(app, term, target, experiment.revision, winner, &computed).await;
    }
    if let Some(record) = experiment.piloted() {
        return autopilot::guard(app, term, target, experiment, record).await;
    }
    let Some(met) = met_rule(&inputs, &computed) else {
        let moved =
            if may_move { bandit::due_move(&app.periods, experiment, &computed, app.clock.now()) } else { None };
        return match moved {
            Some(moved) => bandit::reweight(app, term, target, experiment.revision, moved, &computed).await,
            None => Ok(None),
        };
    };
    let change = Change::new(app, &CLOCK, target, "stop");
    let manifest = serde_json::to_value(&computed.manifest).map_err(Error::internal)?;
    let (rule, revision) = (met.rule, experiment.revision);
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        // The numbers are of the experiment as it was.
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.clocked(met.rule, met.detail, met.numbers, now)?))
    };
    let changed = apply(app, term, change, rule, None, Some(manifest), decide).await?;
    Ok(changed.map(|_| rule))
}

/// The experiment with its result, as everybody reads it.
async fn look(
    app: &App,
    project: &Arc<Project>,
    id: ExperimentId,
    inquiry: Inquiry,
) -> Result<(Experiment, Arc<Computed>)> {
    let inputs = load(app, project.id, id, &inquiry).await?.map_err(not_found)?;
    let computed = report_of(app, project, id, inquiry, false, &inputs).await?;
    Ok((inputs.experiment().clone(), computed))
}

/// The experiment with its result as the clock acts on it: judged by the plan in force, whatever the primary goal, the
/// threshold and the smallest lift were changed to since.
async fn judge(
    app: &App,
    project: &Arc<Project>,
    id: ExperimentId,
    inquiry: Inquiry,
) -> Result<(ReportInputs, Arc<Computed>)> {
    let inputs = load(app, project.id, id, &inquiry).await?.map_err(not_found)?;
    let inquiry = inputs.judged_by(PlanBasis::InForce, inquiry);
    let computed = report_of(app, project, id, inquiry, false, &inputs).await?;
    Ok((inputs, computed))
}

/// A rule whose condition holds, with the numbers.
#[derive(Debug, Clone, PartialEq)]
struct MetRule {
    rule: Rule,
    detail: String,
    numbers: Map<String, Value>,
}

/// The first rule that the result meets.
fn met_rule(inputs: &ReportInputs, computed: &Computed) -> Option<MetRule> {
    let experiment = inputs.experiment();
    let configuration = &experiment.configuration;
    let visitors: u64 = computed.visitors.iter().sum();
    let top = computed.manifest.top().and(computed.metrics.first());
    let conversions = top.map(|metric| metric.arms.iter().map(|arm| arm.converted).sum::<u64>());
    let reached = |number: u64, limit: Option<i64>| {
        limit.and_then(|limit| u64::try_from(limit).ok()).filter(|limit| number >= *limit)
    };
    if experiment.follows(Rule::Visitors)
        && let Some(limit) = reached(visitors, configuration.completion_visitor)
    {
        return Some(MetRule {
            rule: Rule::Visitors,
            detail: format!("{visitors} visitors had entered, and the limit is {limit}"),
            numbers: object(json!({ "visitors": visitors, "completion_visitor": limit })),
        });
    }
    if experiment.follows(Rule::Conversions)
        && let Some(conversions) = conversions
        && let Some(limit) = reached(conversions, configuration.completion_conversion)
    {
        return Some(MetRule {
            rule: Rule::Conversions,
            detail: format!("{conversions} visitors had converted on the primary goal, and the limit is {limit}"),
            numbers: object(json!({ "conversions": conversions, "completion_conversion": limit })),
        });
    }
    if experiment.follows(Rule::Significant) { significant(inputs, computed) } else { None }
}

/// Whether the result is significant: a variant is better or worse than the control, and no health check fails. One that was
/// added or changed after the plan does not count until a person confirms it.
fn significant(inputs: &ReportInputs, computed: &Computed) -> Option<MetRule> {
    computed.manifest.top()?;
    let analyses = &computed.report.metrics.first()?.analyses;
    if computed.report.health.checks().iter().any(|(_, check)| check.grade == Grade::Fail) {
        return None;
    }
    let with = |verdict: Verdict| {
        analyses.iter().find(|analysis| analysis.verdict == verdict && inputs.held_back(analysis.arm).is_none())
    };
    let found = with(Verdict::Win).or_else(|| with(Verdict::Loss))?;
    let detail = called(Arm(u32::try_from(found.arm).unwrap_or(u32::MAX)), &found.reason);
    let arms: Vec<Value> = analyses
        .iter()
        .map(|analysis| {
            json!({
                "variant_id": analysis.arm.to_string(),
                "verdict": analysis.verdict.word(),
                "lift": analysis.lift.map(|lift| lift * 100.0),
                "p_value_adjusted": analysis.p_value_adjusted,
            })
        })
        .collect();
    Some(MetRule { rule: Rule::Significant, detail, numbers: object(json!({ "variants": arms })) })
}

/// The reason of a verdict as a sentence about its arm.
fn called(arm: Arm, reason: &str) -> String {
    match reason.strip_prefix("It ") {
        Some(rest) => format!("{arm} {rest}"),
        None => format!("{arm}: {reason}"),
    }
}

async fn project(app: &App, id: ProjectId) -> Result<Option<Arc<Project>>> {
    let found = app.read(move |tx| Box::pin(async move { Ok(tenants::project_by_id(tx, id).await?) })).await?;
    Ok(found.map(Arc::new))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Whether an experiment that could not be looked at counts as looked at: it will fail again until something changes, and must
/// not keep the others from their turn. Otherwise it is looked at again at once.
///
/// # Errors
/// `Unavailable` and `OutcomeUnknown`: the database is away, and no other experiment can be looked at either.
fn fails_by_itself(id: ExperimentId, task: &'static str, error: Error) -> Result<bool> {
    match error {
        // It was deleted, or the warehouse is still being filled or busy.
        Error::NotFound(_) | Error::NotYet { .. } => Ok(false),
        Error::Unavailable { .. } | Error::OutcomeUnknown => Err(error),
        error => {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(test_id = id.0, task, error, "an experiment cannot be looked at; it is left out for now");
            Ok(true)
        }
    }
}

/// An error with its causes.
fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experiment_that_waits_longest_is_looked_at_first() {
        let look = |last_block| Look { revision: 1, generation: 1, last_block, period: 0, bandit_period: 0 };
        let [first, second, third] = [1, 2, 3].map(ExperimentId);
        let mut looks = Looks::default();
        // At each moment: what is new, the order of the looks, and those that were made.
        for (at, blocks, order, made) in [
            (1, [1, 1, 1], &[first, second, third][..], &[first, second][..]),
            (2, [2, 1, 1], &[third, first], &[]),
            (3, [2, 3, 1], &[third, first, second], &[third]),
            (4, [2, 4, 4], &[first, second, third], &[first, second, third]),
            (5, [2, 4, 4], &[], &[]),
        ] {
            let ids = [first, second, third].into_iter().zip(blocks);
            let mut due: Vec<_> =
                ids.clone().filter(|(id, block)| looks.is_new(*id, &look(*block), Instant::from_us(at))).collect();
            due.sort_by_key(|(id, _)| (looks.waits_since(*id), *id));
            assert_eq!(due.iter().map(|(id, _)| *id).collect::<Vec<_>>(), order, "at {at}");
            for (id, block) in ids.filter(|(id, _)| made.contains(id)) {
                looks.note(id, look(block));
            }
        }
        looks.retain(|id| id == first);
        assert!(looks.is_new(second, &look(4), Instant::from_us(6)), "it is not watched any more");
    }

    #[test]
    fn one_experiment_that_fails_does_not_end_the_pass() {
        let internal = || Error::internal("the row cannot be read");
        for (error, expect) in [
            (Error::NotFound("experiment"), Some(false)),
            (Error::NotYet { why: String::new(), retry_after_s: 1 }, Some(false)),
            (internal(), Some(true)),
            (Error::PreconditionFailed, Some(true)),
            (Error::Unavailable { retry_after_s: 1 }, None),
            (Error::OutcomeUnknown, None),
        ] {
            let what = error.to_string();
            assert_eq!(fails_by_itself(ExperimentId(1), "a_task", error).ok(), expect, "{what}");
        }
    }
}
