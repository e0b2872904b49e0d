//! What every project delivers, in memory: visitors wait for no database.
//!
//! A write that changes what is delivered has the project's ruleset rebuilt and
//! swapped before it is answered. What others write is noticed: on SQLite by
//! their commits, on PostgreSQL by notifications, with a look at every
//! project's version every other second as a net. The last good ruleset of each
//! project is kept in a file, for a start without the database.

use crate::digest::version_of;
use crate::error::Error;
use crate::flag_template::FlagTemplate;
use crate::script::{self, Guards, Mount, ScriptSettings};
use crate::site::Site;
use bytes::Bytes;
use muriel_assign::document::WatchedGoal;
use muriel_assign::{Delivered, Document, Experiment, Ruleset};
use muriel_domain::goal::GoalType;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_sql::Db;
use muriel_store::delivery::{self, Versioned};
use muriel_store::experiments::Shape;
use muriel_store::tenants::Project;
use muriel_store::{experiments, goals, tenants};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{OnceCell, watch};

mod files;
mod warm;

pub use files::Files;

/// How often a SQLite file is looked at for others' commits.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often versions are compared where others' commits cannot be seen.
const POLL: Duration = Duration::from_secs(2);
/// From when on an unconfirmed ruleset is called stale.
const STALE_MS: i64 = 60_000;
/// Bytes up to which brotli does its best: a twentieth less for ten times the work.
const BROTLI_BEST: usize = 128 << 10;
/// Goals of a project that pages are told to watch.
const GOALS_MAX: i64 = 1_000;

/// Rulesets of all projects.
pub struct Rulesets {
    db: Db,
    /// Customers' code, as it was read.
    pub guards: Guards,
    files: Option<Files>,
    projects: RwLock<HashMap<Arc<str>, Arc<Slot>>>,
    started: std::time::Instant,
    /// When all of them were last known to be up to date, in milliseconds since
    /// the start; negative when that was before it, and [`NEVER`].
    confirmed_ms: AtomicI64,
}

/// No ruleset is known.
const NEVER: i64 = i64::MIN;

/// A project's place: what it delivers now, and who rebuilds it.
struct Slot {
    project: Arc<Project>,
    now: RwLock<Arc<Delivery>>,
    /// How many changes asked for a rebuild, and up to which one it was done.
    asked: AtomicU64,
    done: tokio::sync::Mutex<u64>,
    /// What is compressed of the next delivery when it is written, and who does so.
    wanted: std::sync::Mutex<warm::Wanted>,
    warming: tokio::sync::Mutex<()>,
}

/// What a project delivers.
pub struct Delivery {
    /// Whose it is.
    pub project: Arc<Project>,
    /// Ready to decide.
    pub ruleset: Ruleset,
    /// The constant parts of each experiment's answers, in the order of the ruleset.
    pub templates: Vec<FlagTemplate>,
    /// As it is published.
    pub body: Encoded,
    /// Changes with the body.
    pub etag: String,
    /// As pages load it, by way of the usual path and of the server's prefix.
    scripts: [OnceCell<Script>; 2],
    version: i64,
    document: Document,
    beside: ScriptSettings,
    revisions: HashMap<i64, i64>,
    guards: Guards,
}

/// A project's script.
pub struct Script {
    /// As it is loaded.
    pub body: Encoded,
    /// Changes with the body.
    pub etag: String,
    /// The names of the server that it was made for.
    site: Arc<Site>,
}

/// A body and its compressed forms: made when they are first asked for, and of later deliveries of the project when
/// those are written.
pub struct Encoded {
    /// As it is.
    pub plain: Bytes,
    gzip: OnceCell<Bytes>,
    brotli: OnceCell<Bytes>,
}

/// A compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
}

impl Encoded {
    /// A body of which no compressed form is made yet.
    pub fn new(plain: Bytes) -> Self {
        Self { plain, gzip: OnceCell::new(), brotli: OnceCell::new() }
    }

    /// The body in this form.
    pub async fn compressed(&self, encoding: Encoding) -> Bytes {
        let (cell, compress) = match encoding {
            Encoding::Gzip => (&self.gzip, gzip as fn(&[u8]) -> Vec<u8>),
            Encoding::Brotli => (&self.brotli, brotli as _),
        };
        let made = cell.get_or_init(|| async {
            let plain = self.plain.clone();
            // A megabyte of code takes a while; nobody else should wait for it.
            let compressed = tokio::task::spawn_blocking(move || compress(&plain)).await;
            compressed.map_or_else(|_| Bytes::new(), Bytes::from)
        });
        made.await.clone()
    }
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(7));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}

fn brotli(plain: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = Vec::new();
    let quality = if plain.len() <= BROTLI_BEST { 11 } else { 9 };
    let mut writer = ::brotli::CompressorWriter::new(&mut out, 4_096, quality, 22);
    let _ = writer.write_all(plain);
    drop(writer);
    out
}

impl Delivery {
    fn new(
        project: Arc<Project>,
        mut document: Document,
        beside: ScriptSettings,
        revisions: HashMap<i64, i64>,
        version: i64,
        guards: Guards,
    ) -> Self {
        let ruleset = compile(&mut document);
        let plain: Bytes = serde_json::to_vec(&document).unwrap_or_default().into();
        let etag = version_of(&plain);
        let templates = ruleset.experiments().iter().map(FlagTemplate::of).collect();
        let (body, scripts) = (Encoded::new(plain), Default::default());
        Self { project, ruleset, templates, etag, body, scripts, version, document, beside, revisions, guards }
    }

    /// The project's script. It is made when it is first asked for, or after a change where it was asked for
    /// before: whoever changes an experiment does not wait for it.
    ///
    /// # Errors
    /// When making it failed.
    pub async fn script(self: &Arc<Self>, site: &Arc<Site>, under: Mount) -> Result<&Script, Error> {
        let cell = match under {
            Mount::Root => &self.scripts[0],
            Mount::Prefix => &self.scripts[1],
        };
        let make = || async {
            let document = self.guards.guarded(&self.document).await?;
            let (delivery, site) = (self.clone(), site.clone());
            // A megabyte of code takes a while; nobody else should wait for it.
            let made = tokio::task::spawn_blocking(move || {
                let body: Bytes = script::compose(&document, &delivery.beside, &site, under).into();
                Script { etag: version_of(&body), body: Encoded::new(body), site }
            });
            made.await.map_err(Error::internal)
        };
        cell.get_or_try_init(make).await
    }

    /// What an exposure can name of an experiment that is delivered.
    pub fn shape(&self, test_id: i64) -> Option<Shape> {
        // Lowest id first.
        let experiments = self.ruleset.experiments();
        let at = experiments.binary_search_by_key(&test_id, |experiment| experiment.id).ok()?;
        let started_at = self.beside.starts.get(&test_id).copied();
        Some(Shape { epoch: experiments[at].epoch, arms: experiments[at].arms, started_at })
    }
}

/// The ruleset of what compiles; the rest leaves the document. The interface lets
/// nothing pass that does not, but an older version may have, and one bad
/// experiment must not stop the others.
fn compile(document: &mut Document) -> Ruleset {
    Ruleset::compile(document).unwrap_or_else(|problems| {
        tracing::error!(project_key = document.project_key, ?problems, "experiments that cannot be delivered");
        document.experiments.retain(|delivered| Experiment::compile(delivered).is_ok());
        Ruleset::compile(document).unwrap_or_default()
    })
}

impl Rulesets {
    /// No rulesets yet; `files` keeps the last good ones.
    pub fn new(db: Db, files: Option<Files>) -> Self {
        let started = std::time::Instant::now();
        let guards = Guards::default();
        Self { db, guards, files, projects: RwLock::default(), started, confirmed_ms: AtomicI64::new(NEVER) }
    }

    fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// What the project with this key delivers.
    pub fn get(&self, project_key: &str) -> Option<Arc<Delivery>> {
        let slot = self.projects.read().unwrap_or_else(PoisonError::into_inner).get(project_key).cloned()?;
        Some(slot.now.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Whether any are known: without, nobody can be served.
    pub fn are_known(&self) -> bool {
        self.confirmed_ms.load(Ordering::Relaxed) != NEVER
    }

    /// How long ago the rulesets were last confirmed, in seconds, once that is
    /// too long.
    pub fn stale_s(&self) -> Option<i64> {
        let age_ms = self.elapsed_ms().saturating_sub(self.confirmed_ms.load(Ordering::Relaxed));
        (age_ms >= STALE_MS).then_some(age_ms / 1_000)
    }

    /// Brings one project's ruleset up to date: when this returns, what was
    /// committed before the call is delivered. Callers that come while another
    /// one's rebuild runs share the next.
    pub async fn refresh(&self, project: &Arc<Project>) {
        if let Err(error) = self.try_refresh(project).await {
            // Committed it is, and the next look delivers it.
            tracing::warn!(%error, project_key = project.key, "a change is not delivered yet");
        }
    }

    async fn try_refresh(&self, project: &Arc<Project>) -> Result<(), Error> {
        let slot = self.slot(project);
        let mine = slot.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut done = slot.done.lock().await;
        if *done >= mine {
            return Ok(());
        }
        let upto = slot.asked.load(Ordering::Acquire);
        let before = slot.now.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(after) = self.load(project, &before).await? {
            let after = Arc::new(after);
            if let Some(files) = &self.files
                && (after.etag != before.etag || after.beside != before.beside)
            {
                files.keep(&after.project, after.document.clone(), after.beside.clone());
            }
            *slot.now.write().unwrap_or_else(PoisonError::into_inner) = after.clone();
            slot.warm(&before, after);
        }
        *done = upto;
        Ok(())
    }

    fn slot(&self, project: &Arc<Project>) -> Arc<Slot> {
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
                self.guards.clone(),
            );
            Arc::new(Slot::new(Arc::new(delivery)))
        });
        slot.clone()
    }

    /// What the project delivers now; `None` when nothing changed.
    async fn load(&self, project: &Arc<Project>, before: &Arc<Delivery>) -> Result<Option<Delivery>, Error> {
        let (id, before, project) = (project.id, before.clone(), project.clone());
        self.db
            .read::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let version = delivery::version(tx, id).await?;
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
                    let beside = ScriptSettings {
                        settings: tenants::page_settings(tx, project.id).await?,
                        starts: experiments::first_starts(tx, project.id).await?,
                        orders: goals.iter().any(|goal| goal.definition.trigger.goal_type() == GoalType::Revenue),
                    };
                    let goals: Vec<_> = goals.iter().filter_map(WatchedGoal::of).collect();
                    let document = Document::new(&project.key, delivered, goals);
                    Ok(Some(Delivery::new(project, document, beside, revisions, version, before.guards.clone())))
                })
            })
            .await
    }

    /// Brings every project up to date that changed since it was last read.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn refresh_all(&self) -> Result<(), Error> {
        let asked_ms = self.elapsed_ms();
        let versions =
            self.db.read::<_, Error, _>(|tx| Box::pin(async move { Ok(delivery::versions(tx).await?) })).await?;
        for Versioned { project, version } in versions {
            let known = self.get(&project.key);
            if known.is_none_or(|known| known.version != version) {
                self.try_refresh(&Arc::new(project)).await?;
            }
        }
        self.confirmed_ms.store(asked_ms, Ordering::Relaxed);
        Ok(())
    }

    /// Takes the last good rulesets from their files; how many there were. They
    /// count as confirmed when the newest was written, and so are stale at once.
    pub fn restore(&self) -> usize {
        let kept = self.files.as_ref().map(Files::read_all).unwrap_or_default();
        let count = kept.len();
        let mut projects = self.projects.write().unwrap_or_else(PoisonError::into_inner);
        for (project, document, beside) in kept {
            let delivery = Delivery::new(Arc::new(project), document, beside, HashMap::new(), -1, self.guards.clone());
            projects
                .entry(delivery.project.key.as_str().into())
                .or_insert_with(|| Arc::new(Slot::new(Arc::new(delivery))));
        }
        if count > 0 {
            let age_ms = self.files.as_ref().and_then(Files::age_ms).unwrap_or(0).max(STALE_MS);
            self.confirmed_ms.store(self.elapsed_ms().saturating_sub(age_ms), Ordering::Relaxed);
        }
        count
    }

    /// Watches for what others write, until `stopped`.
    pub async fn watch(&self, mut stopped: watch::Receiver<bool>) {
        let mut told = self.db.notifications(delivery::CHANNEL);
        let every = if self.db.foreign_commits().is_some() { POLL_INTERVAL } else { POLL };
        // Nobody looked since the start: the first look is a whole one.
        let mut seen = None;
        let mut since_confirmed = tokio::time::Instant::now();
        loop {
            let payload = tokio::select! {
                _ = stopped.wait_for(|set| *set) => return,
                () = tokio::time::sleep(every) => None,
                payload = next(&mut told) => payload,
            };
            let refresh = async {
                match payload.as_deref().map(str::parse) {
                    // One project was named: the others are as they were.
                    Some(Ok(id)) => self.refresh_id(ProjectId(id)).await,
                    Some(Err(_)) => self.refresh_all().await,
                    None => {
                        let commits = self.db.foreign_commits();
                        let quiet = commits.is_some() && commits == seen && since_confirmed.elapsed() < POLL * 5;
                        seen = commits;
                        if quiet {
                            return Ok(());
                        }
                        since_confirmed = tokio::time::Instant::now();
                        self.refresh_all().await
                    }
                }
            };
            let refreshed = tokio::select! {
                // A database that hangs does not hold up the end.
                _ = stopped.wait_for(|set| *set) => return,
                refreshed = refresh => refreshed,
            };
            if let Err(error) = refreshed {
                tracing::warn!(%error, "rulesets cannot be brought up to date; the last ones are served");
            }
            if let Some(files) = &self.files {
                files.flush().await;
            }
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

    /// Writes what is not in its file yet.
    pub async fn flush(&self) {
        if let Some(files) = &self.files {
            files.flush().await;
        }
    }

    /// An experiment as a preview shows it, whatever its status; asked of the
    /// database, as drafts are nowhere else.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn preview(&self, project: ProjectId, id: ExperimentId) -> Result<Option<Delivered>, Error> {
        self.db
            .read::<_, Error, _>(move |tx| {
                Box::pin(async move { Ok(experiments::delivery(tx, project, id).await?.map(|e| Delivered::of(&e))) })
            })
            .await
    }
}

impl Slot {
    fn new(delivery: Arc<Delivery>) -> Self {
        Self {
            project: delivery.project.clone(),
            now: RwLock::new(delivery),
            asked: AtomicU64::new(0),
            done: tokio::sync::Mutex::new(0),
            wanted: std::sync::Mutex::default(),
            warming: tokio::sync::Mutex::new(()),
        }
    }
}

/// The next notification, of a channel that tells any.
async fn next(told: &mut Option<tokio::sync::mpsc::Receiver<String>>) -> Option<String> {
    match told {
        Some(receiver) => receiver.recv().await,
        None => std::future::pending().await,
    }
}
