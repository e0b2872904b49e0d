//! The acts of the clock, which starts and ends experiments automatically.
//!
//! Two kinds of trigger make the clock act. A known moment is a job in the database, see
//! [`muriel_store::jobs`]; [`run`] performs it. A number that grows with the events, such as the
//! visitors who entered, is checked repeatedly by [`check_results`]. Each act is one transaction, which
//! checks that it is still due: the act that performs a job removes it, and an act of a node that no
//! longer leads is refused.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod autopilot;
mod bandit;
mod conversions;
mod exposures;
mod findings;
mod interactions;
mod page_harm;
mod summaries;
mod trusted;

pub use conversions::{ConversionChecks, report_conversions};
pub use exposures::{ExposureChecks, report_exposures};
pub use findings::{FindingChecks, report_findings};
pub use interactions::{CheckStep, InteractionChecks, PAIRS_MAX, interaction_totals, look_for_interactions};
pub use page_harm::{PageChecks, stop_page_harm};
pub use summaries::{SummaryChecks, summarise_results};

use crate::app::App;
use crate::experiments::{Change, Changed, Target};
use crate::results::{load, not_found, report_of};
use crate::starts::{start_plan, with_plan};
use crate::warnings::{codes, invalid_code};
use muriel_analysis::{Grade, Verdict};
use muriel_context::Precondition;
use muriel_context::actor::Actor;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, ClockAct, Experiment, Rule, parse_page_url};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::time::DAY_US;
use muriel_results::concentration::Weight;
use muriel_results::{Computed, Inquiry, PlanBasis, ReportInputs};
use muriel_sql::SessionLock;
use muriel_store::experiments::LoadedExperiment;
use muriel_store::jobs::{self, Job, Watch, Watched};
use muriel_store::tenants::{self, Project};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use trusted::{Judged, reaches_by_one_network, rests_on_one_network, trusted_report};

/// The actor that history shows for acts of the clock.
pub const CLOCK: Actor = Actor::System("clock");

/// Jobs per read.
const JOBS_PER_READ: i64 = 100;
/// Most jobs that `muriel status` lists.
const LISTED_JOBS: i64 = 100;
/// First retry delay after a failure; it doubles with each further one.
const FIRST_RETRY_US: i64 = 1_000_000;
/// Longest retry delay.
const LAST_RETRY_US: i64 = 3_600_000_000;
/// Period of checks without new events: a verdict can change as days and times to convert end.
const CHECK_AGAIN_US: i64 = 60_000_000;

/// The right to act, as long as no other node has taken it over.
pub struct Leadership {
    lock: SessionLock,
    term: i64,
}

impl Leadership {
    /// Becomes the leader, unless another node is the leader.
    pub async fn take(app: &App) -> Result<Option<Self>> {
        let Some(lock) = app.db.session_lock(jobs::LEADERSHIP).await? else { return Ok(None) };
        let node = app.node_id().as_deref().unwrap_or("this node").to_owned();
        let term: i64 = app
            .db
            .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(jobs::take_lead(tx, &node).await?) }))
            .await?;
        Ok(Some(Self { lock, term }))
    }

    /// Returns whether this node still leads, as far as it knows. Acts check it again in their transactions.
    pub async fn holds(&self) -> bool {
        self.lock.is_held().await
    }
}

/// Time limit of a task's run, by the app's clock. Where the clock stands still, as in tests, a slow
/// machine cannot exceed it.
#[derive(Debug)]
pub struct RunTime {
    began: Instant,
    most: Duration,
}

impl RunTime {
    /// Starts the time limit `most` now.
    pub fn begin(app: &App, most: Duration) -> Self {
        Self { began: app.clock.now(), most }
    }

    /// Returns whether the time limit is exceeded. A clock that was set back exceeds it too.
    pub fn is_over(&self, app: &App) -> bool {
        let elapsed = app.clock.now().us() - self.began.us();
        !u64::try_from(elapsed).is_ok_and(|us| Duration::from_micros(us) < self.most)
    }
}

/// Outcome of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    /// The clock performed the act.
    Done,
    /// The act was not possible; history has the reason. The job runs again when the experiment changes.
    Blocked,
    /// Nothing remained to be done.
    Nothing,
    /// The job failed for this reason, and is retried later.
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

/// Returns the next and overdue jobs, earliest first, as `muriel status` lists them.
pub async fn next(app: &App) -> Result<Vec<Job>> {
    app.read(move |tx| Box::pin(async move { Ok(jobs::next(tx, LISTED_JOBS).await?) })).await
}

/// Returns the next jobs that are due, at most 100.
pub async fn due(app: &App) -> Result<Vec<Job>> {
    let now = app.clock.now();
    app.read(move |tx| Box::pin(async move { Ok(jobs::due(tx, now, JOBS_PER_READ).await?) })).await
}

/// Performs a job. A failed job is stored with the reason and retried after a delay.
///
/// # Errors
/// `Unavailable` and `OutcomeUnknown` when the database cannot be reached: the job is unchanged, or done.
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
            let (failed, message, retry_at) = (job.clone(), reason.clone(), app.clock.now().plus_us(pause));
            app.db
                .write::<_, Error, _>(move |tx| {
                    Box::pin(async move { Ok(jobs::failed(tx, &failed, retry_at, &message).await?) })
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
        // Moves of weights have no known moment: see `check_results`.
        ClockAct::Reweight => Ok(JobOutcome::Nothing),
    }
}

/// Starts an experiment whose start date has come.
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
        // The experiment was changed since it was checked: the job stays, and the next attempt checks again.
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

/// Returns the reason why the clock does not start an experiment. A person may start it: these are
/// faults that should not go live while nobody is watching.
fn obstacle(app: &App, experiment: &Experiment) -> Option<String> {
    let url = parse_page_url(&experiment.url).err().map(|flaw| format!("url {flaw}"));
    url.or_else(|| invalid_code(experiment, &app.rulesets.loop_guards))
}

/// Ends an experiment whose end date has come or whose period is over.
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

/// Removes a job whose experiment no longer exists.
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

/// Runs an act of the clock in its transaction. Does nothing when the experiment no longer follows the rule, or when
/// `decide` returns `None`. A job that is done or no longer needed is removed in the same transaction.
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
                // The project may have disabled it since its experiments were listed.
                if rule == Rule::PageHarm && !tenants::settings(tx, before.experiment.project_id).await?.stop_on_page_harm {
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

/// Fails unless `term` is the current one; otherwise another node has taken over.
async fn check(tx: &mut dyn muriel_sql::Tx, term: i64) -> Result<()> {
    match jobs::check_term(tx, term).await? {
        true => Ok(()),
        false => Err(Error::Unavailable { retry_after_s: 1 }),
    }
}

/// State of each experiment when [`check_results`] last checked its result.
#[derive(Debug, Default)]
pub struct ResultChecks {
    done: HashMap<ExperimentId, ResultState>,
    /// Experiments with changes that are not checked yet, with the moment since which they wait.
    waiting: HashMap<ExperimentId, Instant>,
}

impl ResultChecks {
    /// Removes all experiments except those for which `is_watched` is true.
    fn retain(&mut self, is_watched: impl Fn(ExperimentId) -> bool) {
        self.done.retain(|id, _| is_watched(*id));
        self.waiting.retain(|id, _| is_watched(*id));
    }

    /// Returns whether the state differs from the last check. If it does, the experiment waits from
    /// `now` on, unless it already waits.
    fn is_new(&mut self, id: ExperimentId, state: &ResultState, now: Instant) -> bool {
        let is_new = self.done.get(&id) != Some(state);
        if is_new {
            self.waiting.entry(id).or_insert(now);
        }
        is_new
    }

    /// Moment since which the experiment waits.
    fn waits_since(&self, id: ExperimentId) -> Option<Instant> {
        self.waiting.get(&id).copied()
    }

    /// Records a check of the experiment.
    fn note(&mut self, id: ExperimentId, state: ResultState) {
        self.waiting.remove(&id);
        self.done.insert(id, state);
    }
}

/// State that determines a result: the numbers are equal as long as these are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ResultState {
    revision: i64,
    generation: u64,
    last_block: i64,
    period: i64,
    bandit_period: i64,
}

/// Checks the results of the live experiments that have rules about them, ends those whose rules are
/// met, and moves the weights of bandits. Returns the experiments it acted on, with their rules. The
/// experiment that has waited longest comes first, because a round over many may take long, and one
/// whose result could not be computed comes first in the next round.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is checked again.
pub async fn check_results(
    app: &App,
    leadership: &Leadership,
    checks: &mut ResultChecks,
) -> Result<Vec<(ExperimentId, Rule)>> {
    let Some(reports) = app.results() else { return Ok(Vec::new()) };
    let watched = app.read(|tx| Box::pin(async move { Ok(jobs::watched(tx).await?) })).await?;
    checks.retain(|id| watched.iter().any(|watched| watched.experiment == id));
    let loader = reports.loader();
    let state_of = |watched: &Watched, project: &Project, now: Instant| ResultState {
        revision: watched.revision,
        generation: loader.generation(),
        last_block: if watched.watch == Watch::Bandit { 0 } else { loader.touched(&project.key).seq },
        period: if watched.watch == Watch::Verdict { now.us().div_euclid(CHECK_AGAIN_US) } else { 0 },
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
        if checks.is_new(watched.experiment, &state_of(&watched, &project, now), now) {
            due.push((watched, project));
        }
    }
    due.sort_by_key(|(watched, _)| (checks.waits_since(watched.experiment), watched.experiment));
    let mut ended = Vec::new();
    for (watched, project) in due {
        // The result includes events that arrived since this round began.
        let state = state_of(&watched, &project, app.clock.now());
        let known = checks.done.get(&watched.experiment);
        let may_move = known.is_none_or(|known| known.bandit_period != state.bandit_period);
        match check_result(app, leadership.term, &project, watched.experiment, may_move).await {
            Ok(rule) => {
                ended.extend(rule.map(|rule| (watched.experiment, rule)));
                checks.note(watched.experiment, state);
            }
            // The warehouse is busy, or the experiment changed meanwhile.
            Err(Error::Unavailable { .. }) => {}
            Err(error) => {
                if fails_by_itself(watched.experiment, "check_completion_rules", error)? {
                    checks.note(watched.experiment, state);
                }
            }
        }
    }
    Ok(ended)
}

/// Ends the experiment if one of its rules about results is met, or else moves its weights if it is a bandit and
/// `may_move`. Returns the rule.
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
    let is_confirmed = |rule| experiment.is_act_confirmed(rule, app.clock.now());
    if let Some(winner) = autopilot::winner(&inputs, &computed) {
        let arm = winner.arm;
        let holds = |computed: &Computed| autopilot::winner(&inputs, computed).is_some_and(|winner| winner.arm == arm);
        let judged = Judged::in_force(Weight::Outcome(arm.0 as usize));
        if !is_confirmed(Rule::Autopilot)
            && let Some(why) = rests_on_one_network(app, project, id, &judged, holds).await?
        {
            return hold_back(app, term, target, Rule::Autopilot, why).await;
        }
        return autopilot::serve(app, term, target, experiment.revision, winner, &computed).await;
    }
    if let Some(record) = experiment.piloted() {
        return autopilot::guard(app, term, target, experiment, record).await;
    }
    let Some(met) = met_rule(&inputs, &computed) else {
        return if may_move { move_weights(app, term, target, experiment, &computed).await } else { Ok(None) };
    };
    let held_back = match met.subject {
        _ if is_confirmed(met.rule) => None,
        Subject::Visitors(numbers) => reaches_by_one_network(app, project, id, numbers, |arm| arm.visitors).await?,
        Subject::Conversions(numbers) => reaches_by_one_network(app, project, id, numbers, |arm| arm.converted).await?,
        Subject::Arm(arm, verdict) => {
            let holds = |computed: &Computed| {
                met_rule(&inputs, computed)
                    .is_some_and(|found| matches!(found.subject, Subject::Arm(_, found) if found == verdict))
            };
            rests_on_one_network(app, project, id, &Judged::in_force(Weight::Outcome(arm.0 as usize)), holds).await?
        }
    };
    if let Some(why) = held_back {
        return hold_back(app, term, target, met.rule, why).await;
    }
    let change = Change::new(app, &CLOCK, target, "stop");
    let manifest = serde_json::to_value(&computed.manifest).map_err(Error::internal)?;
    let (rule, revision) = (met.rule, experiment.revision);
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        // The numbers belong to the experiment before its change.
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.clocked(met.rule, met.detail, met.numbers, now)?))
    };
    let changed = apply(app, term, change, rule, None, Some(manifest), decide).await?;
    Ok(changed.map(|_| rule))
}

/// Moves the weights of a bandit, by no more than the result without any single network calls for.
async fn move_weights(
    app: &App,
    term: i64,
    target: Target,
    experiment: &Experiment,
    computed: &Computed,
) -> Result<Option<Rule>> {
    let Some(mut moved) = bandit::due_move(&app.periods, experiment, computed, app.clock.now()) else {
        return Ok(None);
    };
    let limits = |computed: &Computed| {
        let other = bandit::called_for(experiment, computed);
        other.inspect(|other| moved.limit_to(other)).is_some()
    };
    let judged = Judged::in_force(Weight::Outcomes);
    if !experiment.is_act_confirmed(Rule::Bandit, app.clock.now())
        && let Some(why) = rests_on_one_network(app, &target.project, target.id, &judged, limits).await?
    {
        return hold_back(app, term, target, Rule::Bandit, why).await;
    }
    if !moved.is_large_enough() {
        return Ok(None);
    }
    bandit::reweight(app, term, target, experiment.revision, moved, computed).await
}

/// Records that the clock does not act by a rule. Nobody else decides: a person who reads the reason can act.
async fn hold_back<T>(app: &App, term: i64, target: Target, rule: Rule, why: String) -> Result<Option<T>> {
    let change = Change::new(app, &CLOCK, target, "hold back");
    let decide = move |before: &Experiment, now: Instant| Ok(Some(before.held_back(rule, why, now)));
    apply(app, term, change, rule, None, None, decide).await?;
    Ok(None)
}

/// Returns the experiment with its result, as everybody reads it.
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

/// Returns the experiment with the result that the clock acts on. The plan in force decides, regardless
/// of later changes of the primary goal, the threshold and the smallest lift. Visitors who are neither signed nor keyed
/// do not count.
async fn judge(
    app: &App,
    project: &Arc<Project>,
    id: ExperimentId,
    inquiry: Inquiry,
) -> Result<(ReportInputs, Arc<Computed>)> {
    trusted_report(app, project, id, inquiry, Some(PlanBasis::InForce)).await
}

/// A rule whose condition is met, with the numbers.
#[derive(Debug, Clone)]
struct MetRule {
    rule: Rule,
    detail: String,
    numbers: Map<String, Value>,
    subject: Subject,
}

/// Subject of a rule about a result.
#[derive(Debug, Clone, Copy)]
enum Subject {
    /// The number of visitors, and its limit.
    Visitors((u64, u64)),
    /// The number of visitors who converted on the primary goal, and its limit.
    Conversions((u64, u64)),
    /// The verdict on an arm.
    Arm(Arm, Verdict),
}

/// Returns the first rule that the result meets.
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
            subject: Subject::Visitors((visitors, limit)),
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
            subject: Subject::Conversions((conversions, limit)),
        });
    }
    if experiment.follows(Rule::Significant) { significant(inputs, computed) } else { None }
}

/// Returns the rule as met when the result is significant: a variant is better or worse than the
/// control, and no health check fails. A variant that was added or changed after the plan does not
/// count until a person confirms it.
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
    let arm = Arm(u32::try_from(found.arm).unwrap_or(u32::MAX));
    let detail = called(arm, &found.reason);
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
    Some(MetRule {
        rule: Rule::Significant,
        detail,
        numbers: object(json!({ "variants": arms })),
        subject: Subject::Arm(arm, found.verdict),
    })
}

/// Turns the reason of a verdict into a sentence about its arm.
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

/// Returns whether an experiment whose check failed counts as checked: it would fail again until
/// something changes, and must not delay the others. Otherwise it is checked again immediately.
///
/// # Errors
/// `Unavailable` and `OutcomeUnknown`: the database is unavailable, so no other experiment can be checked either.
fn fails_by_itself(id: ExperimentId, task: &'static str, error: Error) -> Result<bool> {
    match error {
        // The experiment was deleted, or the warehouse is still loading or busy.
        Error::NotFound(_) | Error::NotYet { .. } => Ok(false),
        Error::Unavailable { .. } | Error::OutcomeUnknown => Err(error),
        error => {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(test_id = id.0, task, error, "an experiment cannot be checked; it is skipped for now");
            Ok(true)
        }
    }
}

/// Formats an error with its causes.
fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experiment_that_waits_longest_is_looked_at_first() {
        let state = |last_block| ResultState { revision: 1, generation: 1, last_block, period: 0, bandit_period: 0 };
        let [first, second, third] = [1, 2, 3].map(ExperimentId);
        let mut checks = ResultChecks::default();
        // At each moment: the new blocks, the order of the checks, and the checks that succeed.
        for (at, blocks, order, made) in [
            (1, [1, 1, 1], &[first, second, third][..], &[first, second][..]),
            (2, [2, 1, 1], &[third, first], &[]),
            (3, [2, 3, 1], &[third, first, second], &[third]),
            (4, [2, 4, 4], &[first, second, third], &[first, second, third]),
            (5, [2, 4, 4], &[], &[]),
        ] {
            let ids = [first, second, third].into_iter().zip(blocks);
            let mut due: Vec<_> =
                ids.clone().filter(|(id, block)| checks.is_new(*id, &state(*block), Instant::from_us(at))).collect();
            due.sort_by_key(|(id, _)| (checks.waits_since(*id), *id));
            assert_eq!(due.iter().map(|(id, _)| *id).collect::<Vec<_>>(), order, "at {at}");
            for (id, block) in ids.filter(|(id, _)| made.contains(id)) {
                checks.note(id, state(block));
            }
        }
        checks.retain(|id| id == first);
        assert!(checks.is_new(second, &state(4), Instant::from_us(6)), "it is not watched any more");
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
