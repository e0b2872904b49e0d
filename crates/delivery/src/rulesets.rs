//! The rulesets of all projects, in memory, so that visitors' requests do not wait for the database.
//!
//! A write that changes a project's delivery rebuilds the project's ruleset and swaps it in
//! before the write is answered. Writes of other processes and nodes are detected by
//! [`Rulesets::refresh_changed`], a periodic task, and on PostgreSQL sooner by
//! [`Rulesets::listen`]. The last good ruleset of each project is stored in a file, for a start
//! while the database is unavailable.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod delivery;
mod encoded;
mod files;
mod precompress;

pub use delivery::{Delivery, Script};
pub use encoded::{Encoded, Encoding};
pub use files::RulesetFiles;

use crate::script::{LoopGuards, ScriptSettings};
use muriel_assign::document::WatchedGoal;
use muriel_assign::{Delivered, Document};
use muriel_context::error::Error;
use muriel_domain::goal::GoalType;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::kept_query::compares_addresses;
use muriel_sql::Db;
use muriel_store::delivery::Versioned;
use muriel_store::tenants::Project;
use muriel_store::{experiments, goals, tenants};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Period of [`Rulesets::refresh_changed`] where commits of other processes can be counted, which costs nothing.
const COMMITS_POLL_PERIOD: Duration = Duration::from_millis(200);
/// Period of [`Rulesets::refresh_changed`] where it has to query the version of every project.
const VERSIONS_POLL_PERIOD: Duration = Duration::from_secs(2);
/// Period after which versions are queried even if the count of commits is unchanged.
const MAX_UNVERIFIED: Duration = Duration::from_secs(10);
/// Milliseconds after which rulesets that were not confirmed to be up to date count as stale.
const STALE_MS: i64 = 60_000;
/// Most goals of a project that pages watch.
const GOALS_MAX: i64 = 1_000;

/// The rulesets of all projects.
pub struct Rulesets {
    db: Db,
    /// Customers' code with loop guards.
    pub loop_guards: LoopGuards,
    files: Option<RulesetFiles>,
    projects: RwLock<HashMap<Arc<str>, Arc<ProjectSlot>>>,
    started: Instant,
    /// Time at which all rulesets were last known to be up to date, in milliseconds since
    /// the start; negative for a time before the start. [`NEVER`] while none is loaded.
    confirmed_ms: AtomicI64,
    /// Count of other processes' commits at the last [`Rulesets::refresh_changed`] that queried
    /// versions, and its time.
    verified: Mutex<Option<(u64, Instant)>>,
}

/// Value of `confirmed_ms` while no ruleset is loaded.
const NEVER: i64 = i64::MIN;

/// The current delivery of a project, and the state of its rebuilds.
struct ProjectSlot {
    project: Arc<Project>,
    current: RwLock<Arc<Delivery>>,
    /// Number of requested rebuilds.
    requested: AtomicU64,
    /// Value of `requested` when the last rebuild began. Held during a rebuild.
    rebuilt: tokio::sync::Mutex<u64>,
    /// The compressed bodies to make for each new delivery.
    precompressed: Mutex<precompress::RequestedBodies>,
    /// Held while bodies are compressed ahead of requests.
    precompressing: tokio::sync::Mutex<()>,
}

impl Rulesets {
    /// Creates an empty set. The last good rulesets are stored in `files`.
    pub fn new(db: Db, files: Option<RulesetFiles>) -> Self {
        Self {
            db,
            loop_guards: LoopGuards::default(),
            files,
            projects: RwLock::default(),
            started: Instant::now(),
            confirmed_ms: AtomicI64::new(NEVER),
            verified: Mutex::default(),
        }
    }

    fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Returns the current delivery of the project with this key.
    pub fn get(&self, project_key: &str) -> Option<Arc<Delivery>> {
        let slot = self.projects.read().unwrap_or_else(PoisonError::into_inner).get(project_key).cloned()?;
        Some(slot.current.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Returns the project's delivery. The ruleset of a project that another process has just created is read from the
    /// database.
    ///
    /// # Errors
    /// `Unavailable` when it is not in memory and cannot be read.
    pub async fn of(&self, project: &Arc<Project>) -> Result<Arc<Delivery>, Error> {
        if let Some(delivery) = self.get(&project.key) {
            return Ok(delivery);
        }
        self.refresh(project).await;
        self.get(&project.key).ok_or(Error::Unavailable { retry_after_s: 1 })
    }

    /// Returns the delivery of the project with this key, for public requests. Does not query the database.
    ///
    /// # Errors
    /// `NotFound` for an unknown key; `Unavailable` while no project is loaded.
    pub fn public(&self, project_key: &str) -> Result<Arc<Delivery>, Error> {
        match self.get(project_key) {
            Some(delivery) => Ok(delivery),
            None if self.are_known() => Err(Error::NotFound("project")),
            None => Err(Error::Unavailable { retry_after_s: 1 }),
        }
    }

    /// Returns whether rulesets were loaded, from the database or from files. Visitors cannot be served before.
    pub fn are_known(&self) -> bool {
        self.confirmed_ms.load(Ordering::Relaxed) != NEVER
    }

    /// Seconds since the rulesets were last confirmed to be up to date; `None` below a minute.
    pub fn stale_s(&self) -> Option<i64> {
        let age_ms = self.elapsed_ms().saturating_sub(self.confirmed_ms.load(Ordering::Relaxed));
        (age_ms >= STALE_MS).then_some(age_ms / 1_000)
    }

    /// Refreshes one project's ruleset. When this returns, everything that was
    /// committed before the call is delivered. Calls during a rebuild share the next one.
    pub async fn refresh(&self, project: &Arc<Project>) {
        if let Err(error) = self.try_refresh(project).await {
            // The change is committed. The next poll delivers it.
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                project_key = project.key,
                "a change is not delivered yet"
            );
        }
    }

    async fn try_refresh(&self, project: &Arc<Project>) -> Result<(), Error> {
        let slot = self.slot(project);
        let request = slot.requested.fetch_add(1, Ordering::AcqRel) + 1;
        let mut rebuilt = slot.rebuilt.lock().await;
        if *rebuilt >= request {
            return Ok(());
        }
        let upto = slot.requested.load(Ordering::Acquire);
        let before = slot.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(after) = self.load(project, &before).await? {
            let after = Arc::new(after);
            if let Some(files) = &self.files
                && (after.etag != before.etag || after.script_settings != before.script_settings)
            {
                files.store(&after.project, after.document.clone(), after.script_settings.clone());
            }
            *slot.current.write().unwrap_or_else(PoisonError::into_inner) = after.clone();
            slot.precompress(&before, after);
        }
        *rebuilt = upto;
        Ok(())
    }

    fn slot(&self, project: &Arc<Project>) -> Arc<ProjectSlot> {
        let key: Arc<str> = project.key.as_str().into();
        if let Some(slot) = self.projects.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return slot.clone();
        }
        let mut projects = self.projects.write().unwrap_or_else(PoisonError::into_inner);
        let slot = projects.entry(key).or_insert_with(|| {
            let document = Document::new(&project.key, Vec::new(), Vec::new());
            let delivery = Delivery::new(
                project.clone(),
                document,
                ScriptSettings::default(),
                HashMap::new(),
                -1,
                self.loop_guards.clone(),
            );
            Arc::new(ProjectSlot::new(Arc::new(delivery)))
        });
        slot.clone()
    }

    /// Loads the project's delivery from the database; `None` when nothing changed since `before`.
    async fn load(&self, project: &Arc<Project>, before: &Arc<Delivery>) -> Result<Option<Delivery>, Error> {
        let (id, before, project) = (project.id, before.clone(), project.clone());
        self.db
            .read::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let version = muriel_store::delivery::version(tx, id).await?;
                    if version == before.version {
                        return Ok(None);
                    }
                    let mut revisions = HashMap::new();
                    let mut delivered = Vec::new();
                    for (id, revision) in experiments::delivered(tx, project.id).await? {
                        let same = before.revisions.get(&id.0) == Some(&revision);
                        let known = before.document.experiments.iter().find(|known| same && known.test_id == id.0);
                        let experiment = match known {
                            Some(known) => Some(known.clone()),
                            None => {
                                experiments::delivery(tx, project.id, id).await?.map(|e| Arc::new(Delivered::of(&e)))
                            }
                        };
                        revisions.insert(id.0, revision);
                        delivered.extend(experiment);
                    }
                    let goals = goals::list(tx, project.id, GOALS_MAX, 0).await?;
                    let triggers = goals.iter().map(|goal| &goal.definition.trigger);
                    let script_settings = ScriptSettings {
                        settings: tenants::settings(tx, project.id).await?.page(),
                        starts: experiments::first_starts(tx, project.id).await?,
                        orders: triggers.clone().any(|trigger| trigger.goal_type() == GoalType::Revenue),
                        address_goals: triggers
                            .filter(|trigger| compares_addresses(trigger))
                            .map(|trigger| (trigger.goal_type(), trigger.value().clone()))
                            .collect(),
                    };
                    let goals: Vec<_> = goals.iter().filter_map(WatchedGoal::of).collect();
                    let document = Document::new(&project.key, delivered, goals);
                    Ok(Some(Delivery::new(
                        project,
                        document,
                        script_settings,
                        revisions,
                        version,
                        before.loop_guards.clone(),
                    )))
                })
            })
            .await
    }

    /// Refreshes every project whose version in the database differs from the one in memory.
    pub async fn refresh_all(&self) -> Result<(), Error> {
        let started_ms = self.elapsed_ms();
        let versions = self
            .db
            .read::<_, Error, _>(|tx| Box::pin(async move { Ok(muriel_store::delivery::versions(tx).await?) }))
            .await?;
        for Versioned { project, version } in versions {
            let known = self.get(&project.key);
            if known.is_none_or(|known| known.version != version) {
                self.try_refresh(&Arc::new(project)).await?;
            }
        }
        self.confirmed_ms.store(started_ms, Ordering::Relaxed);
        Ok(())
    }

    /// Reads the last good rulesets from their files. Returns how many there were. They
    /// count as confirmed when the newest file was written, but at least a minute ago, and so
    /// as stale.
    pub fn restore(&self) -> usize {
        let stored = self.files.as_ref().map(RulesetFiles::read_all).unwrap_or_default();
        let count = stored.len();
        let mut projects = self.projects.write().unwrap_or_else(PoisonError::into_inner);
        for (project, document, script_settings) in stored {
            let delivery = Delivery::new(
                Arc::new(project),
                document,
                script_settings,
                HashMap::new(),
                -1,
                self.loop_guards.clone(),
            );
            projects
                .entry(delivery.project.key.as_str().into())
                .or_insert_with(|| Arc::new(ProjectSlot::new(Arc::new(delivery))));
        }
        if count > 0 {
            let age_ms = self.files.as_ref().and_then(RulesetFiles::age_ms).unwrap_or(0).max(STALE_MS);
            self.confirmed_ms.store(self.elapsed_ms().saturating_sub(age_ms), Ordering::Relaxed);
        }
        count
    }

    /// Period of [`Rulesets::refresh_changed`].
    pub fn poll_period(&self) -> Duration {
        if self.db.foreign_commits().is_some() { COMMITS_POLL_PERIOD } else { VERSIONS_POLL_PERIOD }
    }

    /// Refreshes every project that another process or node has changed, and writes changed rulesets to their files.
    /// Where commits of other processes can be counted and there was none, the database is not queried.
    ///
    /// # Errors
    /// When the database cannot be reached. The last rulesets are served meanwhile.
    pub async fn refresh_changed(&self) -> Result<(), Error> {
        let commits = self.db.foreign_commits();
        let verified = *self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        let is_unchanged = verified.is_some_and(|(known, at)| commits == Some(known) && at.elapsed() < MAX_UNVERIFIED);
        let refreshed = if is_unchanged { Ok(()) } else { self.refresh_all().await };
        if refreshed.is_ok() && !is_unchanged {
            let verified = commits.map(|commits| (commits, Instant::now()));
            *self.verified.lock().unwrap_or_else(PoisonError::into_inner) = verified;
        }
        self.flush().await;
        refreshed
    }

    /// Refreshes projects when the database notifies of their changes, until `stopped`. Returns at once on SQLite,
    /// which has no notifications.
    ///
    /// This is a loop rather than a periodic task, because notifications wake it. [`Rulesets::refresh_changed`]
    /// covers changes that it misses or fails to load.
    pub async fn listen(&self, mut stopped: watch::Receiver<bool>) {
        let Some(mut notifications) = self.db.notifications(muriel_store::delivery::CHANNEL) else { return };
        loop {
            let payload = tokio::select! {
                _ = stopped.wait_for(|set| *set) => return,
                payload = notifications.recv() => payload,
            };
            let Some(payload) = payload else { return };
            let refresh = async {
                match payload.parse() {
                    Ok(id) => self.refresh_id(ProjectId(id)).await,
                    // An empty payload means that notifications may have been lost.
                    Err(_) => self.refresh_all().await,
                }
            };
            let refreshed = tokio::select! {
                // A hanging database must not delay the stop.
                _ = stopped.wait_for(|set| *set) => return,
                refreshed = refresh => refreshed,
            };
            if let Err(error) = refreshed {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "rulesets cannot be refreshed; the last ones are still served"
                );
            }
            self.flush().await;
        }
    }

    async fn refresh_id(&self, id: ProjectId) -> Result<(), Error> {
        let known = {
            let projects = self.projects.read().unwrap_or_else(PoisonError::into_inner);
            projects.values().find(|slot| slot.project.id == id).map(|slot| slot.project.clone())
        };
        match known {
            Some(project) => self.try_refresh(&project).await,
            None => self.refresh_all().await,
        }
    }

    /// Writes changed rulesets to their files.
    pub async fn flush(&self) {
        if let Some(files) = &self.files {
            files.flush().await;
        }
    }

    /// Returns an experiment as a preview shows it, whatever its status. It is read from the
    /// database, because drafts are not delivered.
    pub async fn preview(&self, project: ProjectId, id: ExperimentId) -> Result<Option<Delivered>, Error> {
        self.db
            .read::<_, Error, _>(move |tx| {
                Box::pin(async move { Ok(experiments::delivery(tx, project, id).await?.map(|e| Delivered::of(&e))) })
            })
            .await
    }
}

impl ProjectSlot {
    fn new(delivery: Arc<Delivery>) -> Self {
        Self {
            project: delivery.project.clone(),
            current: RwLock::new(delivery),
            requested: AtomicU64::new(0),
            rebuilt: tokio::sync::Mutex::new(0),
            precompressed: Mutex::default(),
            precompressing: tokio::sync::Mutex::new(()),
        }
    }
}
