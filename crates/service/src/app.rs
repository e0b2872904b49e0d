//! Shared state of the service.

use crate::clock_periods::ClockPeriods;
use crate::compute_queue;
use crate::compute_queue::ComputeQueue;
use crate::loading_lag::LoadingLag;
use crate::shared_reports::SharedReports;
use muriel_context::Context;
use muriel_context::NodeIdentity;
use muriel_context::api_key::Pepper;
use muriel_context::clock::Clock;
use muriel_context::last_uses::LastUses;
use muriel_delivery::intake::{EventCounts, Intake};
use muriel_delivery::rulesets::{RulesetFiles, Rulesets};
use muriel_delivery::site::Site;
use muriel_delivery::visitor::Visitors;
use muriel_domain::ids::{ProjectId, ShareId};
use muriel_log::{Log, LogState};
use muriel_outbound::Outbound;
use muriel_people::{People, PeopleSettings};
use muriel_results::ReportCache;
use muriel_sql::Db;
use muriel_store::backlog::{self, Backlogs};
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
    /// Rulesets that each project delivers to visitors.
    pub rulesets: Rulesets,
    /// Lookups of visitor properties: place and user agent.
    pub visitors: Visitors,
    /// Intake of events into the log.
    pub intake: Intake,
    results: OnceLock<Arc<ReportCache>>,
    /// Names that belong to this server: the page API's, and the visitor prefix.
    pub site: Arc<Site>,
    /// Periods of the clock's work on bandits and served winners.
    pub periods: ClockPeriods,
    /// Client for requests to other systems.
    pub outbound: Outbound,
    /// Last fetch of each project's script.
    pub script_fetches: LastUses<ProjectId>,
    /// Last opening of each share of results.
    pub share_openings: LastUses<ShareId>,
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

impl std::ops::Deref for Parts {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl App {
    /// Creates the state over a database whose schema is up to date.
    pub fn new(db: Db, pepper: Pepper, clock: Clock, traffic: Traffic) -> Self {
        let context = Context::new(db.clone(), pepper, clock, traffic.node);
        Self(Arc::new(Parts {
            rulesets: Rulesets::new(db, traffic.rulesets.map(RulesetFiles::new)),
            visitors: traffic.visitors,
            intake: Intake::new(context.clone(), traffic.log, traffic.events),
            results: traffic.results.map(OnceLock::from).unwrap_or_default(),
            site: Arc::new(traffic.site),
            periods: traffic.periods,
            outbound: traffic.outbound,
            script_fetches: LastUses::default(),
            share_openings: LastUses::default(),
            shared_reports: SharedReports::default(),
            simulations: ComputeQueue::new(compute_queue::SIMULATIONS_MAX),
            programmes: ComputeQueue::new(compute_queue::PROGRAMMES_MAX),
            lag: LoadingLag::default(),
            failing_tasks: AtomicUsize::new(0),
            backlogs: Backlogs::new(backlog::CAPACITY),
            people: People::new(context.clone(), traffic.people),
            context,
        }))
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
