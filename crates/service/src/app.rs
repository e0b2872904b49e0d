//! The state that every act reaches.

use crate::api_key::Pepper;
use crate::clock::Clock;
use crate::directory::Directory;
use crate::error::{Error, Result};
use crate::health::LoadingLag;
use crate::intake::{EventCounts, Intake};
use crate::lists::Lists;
use crate::node::NodeIdentity;
use crate::rulesets::{Delivery, RulesetFiles, Rulesets};
use crate::site::Site;
use crate::visitor::Visitors;
use muriel_domain::ids::CompanyId;
use muriel_log::{Log, State};
use muriel_results::ReportCache;
use muriel_sql::{BoxFuture, Db, Tx};
use muriel_store::backlog::{self, Backlogs};
use muriel_store::tenants::Project;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

/// The state behind the API. Clones share it.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The parts of an [`App`].
pub struct Parts {
    /// Where things are kept.
    pub db: Db,
    /// What time it is.
    pub clock: Clock,
    /// Who the keys and projects are.
    pub directory: Directory,
    /// The secret that keys are stored under and links are signed with.
    pub pepper: Pepper,
    /// Texts of hypotheses, folded for search.
    pub backlogs: Backlogs,
    /// Lists of experiments that are written already.
    pub lists: Lists,
    /// What visitors meet.
    pub rulesets: Rulesets,
    /// What tells about visitors.
    pub visitors: Visitors,
    /// Where events go.
    pub intake: Intake,
    results: OnceLock<Arc<ReportCache>>,
    /// Names under which pages meet this server.
    pub site: Arc<Site>,
    /// Which node this is, where several can work on the database.
    pub node: Option<Arc<NodeIdentity>>,
    pub(crate) lag: LoadingLag,
    /// How many periodic tasks fail again and again.
    pub failing_tasks: AtomicUsize,
}

/// What only visitors need.
#[derive(Default)]
pub struct Traffic {
    /// Directory of the last good rulesets, if they are kept.
    pub rulesets: Option<PathBuf>,
    /// What tells about visitors.
    pub visitors: Visitors,
    /// Where events go; without it none are taken.
    pub log: Option<Log>,
    /// What became of them.
    pub events: EventCounts,
    /// What answers questions about them; without it none are answered.
    pub results: Option<Arc<ReportCache>>,
    /// Names under which pages meet this server.
    pub site: Site,
    /// Which node this is, where several can work on the database.
    pub node: Option<Arc<NodeIdentity>>,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// The state over a database whose schema is up to date.
    pub fn new(db: Db, pepper: Pepper, clock: Clock, traffic: Traffic) -> Self {
        Self(Arc::new(Parts {
            rulesets: Rulesets::new(db.clone(), traffic.rulesets.map(RulesetFiles::new)),
            visitors: traffic.visitors,
            intake: Intake::new(traffic.log, traffic.events),
            results: traffic.results.map(OnceLock::from).unwrap_or_default(),
            site: Arc::new(traffic.site),
            node: traffic.node,
            lag: LoadingLag::default(),
            failing_tasks: AtomicUsize::new(0),
            directory: Directory::new(db.clone(), pepper.clone(), clock.clone()),
            lists: Lists::new(db.clone()),
            backlogs: Backlogs::new(backlog::CAPACITY),
            db,
            clock,
            pepper,
        }))
    }

    /// Runs `body` in a transaction that changes things of this company. When it
    /// answers, the change is durable and every read sees it.
    ///
    /// # Errors
    /// What `body` returns, and when the database cannot be reached.
    pub async fn write<T, F>(&self, company: CompanyId, body: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        // It goes with the result, which the database lets go of once the change
        // is committed, also when nobody waits for it any more.
        let changing = self.lists.changing(company);
        let (answer, _changing) = self
            .db
            .write::<_, Error, _>(move |tx| {
                let work = body(tx);
                Box::pin(async move { Ok((work.await?, changing)) })
            })
            .await?;
        Ok(answer)
    }

    /// Runs `body` over one snapshot.
    ///
    /// # Errors
    /// What `body` returns, and when the database cannot be reached.
    pub async fn read<T, F>(&self, body: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        self.db.read(body).await
    }

    /// The present moment in milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.clock.now().us().div_euclid(1_000)
    }

    /// What a project delivers; one that was made a moment ago, by another
    /// process perhaps, is read now.
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

    /// What the project with this key delivers, for those who know nothing but
    /// the key. Asks no database.
    ///
    /// # Errors
    /// `NotFound`; `Unavailable` while no project is known at all.
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

    /// What answers questions about events, once it is open.
    pub fn results(&self) -> Option<&Arc<ReportCache>> {
        self.results.get()
    }

    /// The event log, once it is open.
    pub fn log(&self) -> Option<&Log> {
        self.intake.log.get()
    }

    /// Opens what a full disk kept closed at the start: from now on events are taken,
    /// and questions about them answered.
    pub fn attach(&self, log: Log, results: Arc<ReportCache>) {
        // Whoever is second has opened the same files.
        let _ = self.results.set(results);
        let _ = self.intake.log.set(log);
    }

    /// Whether the event log takes events.
    pub fn takes_events(&self) -> bool {
        self.log().is_some_and(|log| log.state() == State::Taking)
    }
}
