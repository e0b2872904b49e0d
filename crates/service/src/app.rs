//! Shared state of the service.

use crate::access_cache::AccessCache;
use crate::api_key::Pepper;
use crate::clock::Clock;
use crate::compute_queue::ComputeQueue;
use crate::error::{Error, Result};
use crate::health::LoadingLag;
use crate::intake::{EventCounts, Intake};
use crate::jobs::ClockPeriods;
use crate::last_uses::LastUses;
use crate::list_cache::ListCache;
use crate::live::LiveListeners;
use crate::node::NodeIdentity;
use crate::people::{People, PeopleSettings};
use crate::rulesets::{Delivery, RulesetFiles, Rulesets};
use crate::shared_reports::SharedReports;
use crate::site::Site;
use crate::visitor::Visitors;
use crate::webhooks::Outbound;
use crate::{programme, simulation};
use muriel_domain::ids::{CompanyId, ProjectId, ShareId};
use muriel_log::{Log, LogState};
use muriel_results::ReportCache;
use muriel_sql::{BoxFuture, Db, Tx};
use muriel_store::backlog::{self, Backlogs};
use muriel_store::tenants::Project;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

/// State behind the API. Clones share it.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The parts of an [`App`].
pub struct Parts {
    context: Context,
    /// Sign-in state.
    pub people: People,
    /// Texts of hypotheses, case-folded for search.
    pub backlogs: Backlogs,
    /// Serialised lists of experiments.
    pub list_cache: ListCache,
    /// Rulesets that each project delivers to visitors.
    pub rulesets: Rulesets,
    /// Lookups of visitor properties: place and user agent.
    pub visitors: Visitors,
    /// Intake of events into the log.
    pub intake: Intake,
    results: OnceLock<Arc<ReportCache>>,
    /// Names that belong to this server: the page API's, and the visitor prefix.
    pub site: Arc<Site>,
    /// Identity of this node, where several can work on the database.
    pub node: Option<Arc<NodeIdentity>>,
    /// Periods of the clock's work on bandits and served winners.
    pub periods: ClockPeriods,
    /// Client for requests to other systems.
    pub outbound: Outbound,
    /// Last fetch of each project's script.
    pub script_fetches: LastUses<ProjectId>,
    /// Last opening of each share of results.
    pub share_openings: LastUses<ShareId>,
    /// Listeners that watch visitors live.
    pub live: Arc<LiveListeners>,
    pub(crate) simulations: ComputeQueue,
    pub(crate) programmes: ComputeQueue,
    pub(crate) shared_reports: SharedReports,
    pub(crate) lag: LoadingLag,
    /// Number of periodic tasks that fail repeatedly.
    pub failing_tasks: AtomicUsize,
}

/// Optional parts of an [`App`]: those that serve visitors, and settings of the operator.
#[derive(Default)]
pub struct Traffic {
    /// Directory for files of the last good rulesets. Without it none are written.
    pub rulesets: Option<PathBuf>,
    /// Lookups of visitor properties: place and user agent.
    pub visitors: Visitors,
    /// The event log. Without it events are refused.
    pub log: Option<Log>,
    /// Counters of events by outcome.
    pub events: EventCounts,
    /// The cache that computes reports. Without it they are refused.
    pub results: Option<Arc<ReportCache>>,
    /// Names that belong to this server: the page API's, and the visitor prefix.
    pub site: Site,
    /// Identity of this node, where several can work on the database.
    pub node: Option<Arc<NodeIdentity>>,
    /// Periods of the clock's work on bandits and served winners.
    pub periods: ClockPeriods,
    /// Client for requests to other systems.
    pub outbound: Outbound,
    /// Settings of the operator about people and sign-in.
    pub people: PeopleSettings,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// Creates the state over a database whose schema is up to date.
    pub fn new(db: Db, pepper: Pepper, clock: Clock, traffic: Traffic) -> Self {
        Self(Arc::new(Parts {
            rulesets: Rulesets::new(db, traffic.rulesets.map(RulesetFiles::new)),
            visitors: traffic.visitors,
            intake: Intake::new(context.clone(), live.clone(), traffic.log, traffic.events),
            results: traffic.results.map(OnceLock::from).unwrap_or_default(),
            site: Arc::new(traffic.site),
            node: traffic.node,
            periods: traffic.periods,
            outbound: traffic.outbound,
            script_fetches: LastUses::default(),
            share_openings: LastUses::default(),
            shared_reports: SharedReports::default(),
            live,
            simulations: ComputeQueue::new(compute_queue::SIMULATIONS_MAX),
            programmes: ComputeQueue::new(compute_queue::PROGRAMMES_MAX),
            lag: LoadingLag::default(),
            failing_tasks: AtomicUsize::new(0),
            access_cache: AccessCache::new(db.clone(), pepper.clone(), clock.clone()),
            list_cache: ListCache::new(db.clone()),
            backlogs: Backlogs::new(backlog::CAPACITY),
            people: People::new(context.clone(), traffic.people),
            context,
        }))
    }

    /// Runs `body` in a transaction that changes data of this company. When it returns, the change is
    /// durable and every read sees it.
    ///
    /// # Errors
    /// Those of `body`, and when the database cannot be reached.
    pub async fn write<T, F>(&self, company: CompanyId, body: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        // The database drops the result, and with it this guard, once the change is
        // committed, even when the request was cancelled.
        let changing = self.list_cache.begin_change(company);
        // Acts and their results are large, and are passed on several times on the way to the writer and back.
        let body = Box::new(body);
        let (answer, _changing) = self
            .db
            .write::<_, Error, _>(move |tx| {
                let work = body(tx);
                Box::pin(async move { Ok((Box::new(work.await?), changing)) })
            })
            .await?;
        Ok(*answer)
    }

    /// Runs `body` over one snapshot.
    ///
    /// # Errors
    /// Those of `body`, and when the database cannot be reached.
    pub async fn read<T, F>(&self, body: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        self.db.read(body).await
    }

    /// The current time in milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.clock.now().us().div_euclid(1_000)
    }

    /// Returns the project's delivery. The ruleset of a project that another process has
    /// just created is read from the database.
    ///
    /// # Errors
    /// `Unavailable` when it is not in memory and cannot be read.
    pub async fn delivery(&self, project: &Arc<Project>) -> Result<Arc<Delivery>> {
        if let Some(delivery) = self.rulesets.get(&project.key) {
            return Ok(delivery);
        }
        self.rulesets.refresh(project).await;
        self.rulesets.get(&project.key).ok_or(Error::Unavailable { retry_after_s: 1 })
    }

    /// Returns the delivery of the project with this key, for public requests. Does not query
    /// the database.
    ///
    /// # Errors
    /// `NotFound` for an unknown key; `Unavailable` while no project is loaded.
    pub fn public_delivery(&self, project_key: &str) -> Result<Arc<Delivery>> {
        match self.rulesets.get(project_key) {
            Some(delivery) => Ok(delivery),
            None if self.rulesets.are_known() => Err(Error::NotFound("project")),
            None => Err(Error::Unavailable { retry_after_s: 1 }),
        }
    }

    /// The id of this node, where several can work on the database.
    pub fn node_id(&self) -> Option<Arc<str>> {
        self.node.as_ref().map(|node| node.get())
    }

    /// The cache that computes reports, once the warehouse is open.
    pub fn results(&self) -> Option<&Arc<ReportCache>> {
        self.results.get()
    }

    /// The event log, once it is open.
    pub fn log(&self) -> Option<&Log> {
        self.intake.log()
    }

    /// Adds the log and the reports, which could not be opened at the start because the disk was full.
    /// From now on events are accepted and reports computed.
    pub fn attach(&self, log: Log, results: Arc<ReportCache>) {
        // A second call has opened the same files, so its value can be dropped.
        let _ = self.results.set(results);
        self.intake.attach(log);
    }

    /// Returns whether the event log accepts events.
    pub fn takes_events(&self) -> bool {
        self.log().is_some_and(|log| log.state() == LogState::Accepting)
    }
}
