//! The server: everything wired together, started and stopped.

use crate::config::{Place, Settings};
use crate::open::{connect, make_directory, prepare, read_pepper};
use crate::say::say;
use crate::{Error, Result};
use muriel_api::edge::{Edge, EdgeSettings};
use muriel_api::limits::{Limits, SWEEP_EVERY};
use muriel_api::metrics::Metrics;
use muriel_api::server::{self, ServerSettings};
use muriel_api::visitor::{Geography, Visitors};
use muriel_api::{App, Traffic};
use muriel_domain::time::DAY_US;
use muriel_events::log::Log;
use muriel_events::warehouse::{DuckWarehouse, Loader, Warehouse};
use muriel_results::Keeper;
use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How often uses of keys are written down and metrics told.
const HOUSE_EVERY: Duration = Duration::from_secs(5);
/// Connections that may wait to be accepted, as far as the system allows. Those
/// beyond are tried again by their clients only after a second.
const BACKLOG: u32 = 4_096;
/// How often the event log is looked through for old files.
const PRUNE_EVERY: Duration = Duration::from_secs(3_600);
/// How often a database that was away at the start is tried.
const PREPARE_AGAIN: Duration = Duration::from_millis(500);

/// A server that runs until it is stopped.
pub struct Running {
    /// Where it answers.
    pub address: SocketAddr,
    /// Where it tells its metrics, if it does.
    pub metrics_address: Option<SocketAddr>,
    /// The state behind it.
    pub app: App,
    log: Log,
    results: Arc<Keeper>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<usize>,
    watching: JoinHandle<()>,
    /// Held while it runs; the file's lock ends with it.
    _lock: File,
}

/// Opens everything and starts to answer.
///
/// # Errors
/// Whatever keeps it from answering, another server on the same data directory
/// among it.
pub async fn start(settings: Settings) -> Result<Running> {
    make_directory(&settings.place.data_dir)?;
    let lock = lock(&settings)?;
    let geography = match &settings.geo_database {
        None => Geography::off(),
        Some(path) => Geography::open(path).map_err(|error| Error::Other(error.into()))?,
    };
    let log = open_log(&settings).await?;
    let results = open_results(&settings).await?;
    let metrics = Arc::new(Metrics::new());
    let traffic = Traffic {
        site: settings.site.clone(),
        results: Some(results.clone()),
        log: Some(log.clone()),
        events: metrics.events.clone(),
        rulesets: Some(settings.place.data_dir.join("rulesets")),
        visitors: Visitors::new(geography, settings.trusted_proxies.clone()),
    };
    let (stop, stopped) = watch::channel(false);
    let app = open_app(&settings, traffic, &stopped).await?;
    let limits = Arc::new(Limits::new(settings.rate_limits, &metrics));
    drop(limits.spawn_sweep(SWEEP_EVERY));
    let router = muriel_api::router::router(app.clone());
    let edge = Edge::new(router, EdgeSettings::default(), limits, metrics.clone());

    let listener = listen(settings.listen).await?;
    let address = listener.local_addr().map_err(|error| Error::Other(error.into()))?;
    let metrics_address = match settings.metrics_listen {
        None => None,
        Some(wanted) => serve_metrics(wanted, metrics.clone(), stopped.clone()).await,
    };
    tokio::spawn(keep_house(app.clone(), metrics.clone(), stopped.clone()));
    let watching = {
        let (app, stopped) = (app.clone(), stopped.clone());
        tokio::spawn(async move { app.rulesets.watch(stopped).await })
    };
    tokio::spawn(prune(log.clone(), settings.clone(), stopped.clone()));
    tokio::spawn(muriel_api::warm::keep_warm(app.clone(), stopped.clone()));
    tokio::spawn(app.visitors.geography.clone().keep_fresh());
    let serving = tokio::spawn(server::serve(listener, edge, metrics, ServerSettings::default(), is_set(stopped)));
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "ready");
    Ok(Running { address, metrics_address, app, log, results, stop, serving, watching, _lock: lock })
}

/// The state over the database. While that is away, over the last good rulesets:
/// visitors are served and everything else waits for it.
async fn open_app(settings: &Settings, traffic: Traffic, stopped: &watch::Receiver<bool>) -> Result<App> {
    let place = &settings.place;
    let db = connect(place)?;
    let prepared = match db.ping().await {
        Ok(()) => prepare(&db, place).await,
        Err(error) => Err(error.into()),
    };
    match prepared {
        Ok(pepper) => {
            let app = App::new(db, pepper, settings.clock.clone(), traffic);
            app.rulesets.refresh_all().await.map_err(|error| Error::Other(error.to_string().into()))?;
            Ok(app)
        }
        Err(Error::Database(error)) if error.is_unavailable() => {
            let pepper = read_pepper(&place.pepper_file)?;
            let app = App::new(db, pepper, settings.clock.clone(), traffic);
            let kept = app.rulesets.restore();
            if kept == 0 {
                return Err(Error::Database(error));
            }
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                projects = kept,
                "the database is away; the last good rulesets are served until it is back"
            );
            tokio::spawn(prepare_later(app.clone(), place.clone(), stopped.clone()));
            Ok(app)
        }
        Err(error) => Err(error),
    }
}

/// The event log. Opening blocks, longest when its index has to be made again.
async fn open_log(settings: &Settings) -> Result<Log> {
    let (directory, options) = (settings.place.data_dir.clone(), settings.log.clone());
    let opened = tokio::task::spawn_blocking(move || Log::open(&directory, options)).await;
    opened.map_err(|error| Error::Other(error.into()))?.map_err(Error::Log)
}

/// What answers questions about events, and the thread that feeds it.
async fn open_results(settings: &Settings) -> Result<Arc<Keeper>> {
    let (directory, options) = (settings.place.data_dir.clone(), settings.warehouse.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let warehouse: Arc<dyn Warehouse> =
            Arc::new(DuckWarehouse::open(&crate::warehouse::path(&directory), &options)?);
        let request = crate::warehouse::request(&directory);
        let loader = Loader::start(&directory, warehouse.clone(), muriel_api::visitor::source, Some(&request))?;
        Ok::<_, muriel_events::warehouse::Error>(Arc::new(Keeper::new(warehouse, Arc::new(loader))))
    });
    opened.await.map_err(|error| Error::Other(error.into()))?.map_err(|error| Error::Other(error.into()))
}

/// Deletes files of the event log that are older than they are kept, once an hour.
async fn prune(log: Log, settings: Settings, mut stopped: watch::Receiver<bool>) {
    let Some(days) = settings.log_retention_days else { return };
    loop {
        let before = settings.clock.now().plus_us(-days.saturating_mul(DAY_US));
        match log.prune(before).await {
            Ok(pruned) if pruned.files > 0 => {
                tracing::info!(files = pruned.files, bytes = pruned.bytes, "old files of the event log are deleted");
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "old files of the event log cannot be deleted"
                );
            }
        }
        tokio::select! {
            _ = stopped.wait_for(|set| *set) => return,
            () = tokio::time::sleep(PRUNE_EVERY) => {}
        }
    }
}

/// Prepares the database once it is back.
async fn prepare_later(app: App, place: Place, mut stopped: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            _ = stopped.wait_for(|set| *set) => return,
            () = tokio::time::sleep(PREPARE_AGAIN) => {}
        }
        match prepare(&app.db, &place).await {
            Ok(_) => {
                tracing::info!("the database is back");
                return;
            }
            Err(Error::Database(error)) if error.is_unavailable() => {}
            // Keys are refused with the wrong pepper, and a newer schema answers
            // with errors: neither harms, and both need a person.
            Err(error) => {
                tracing::error!(error = crate::error::sentence(&error), "the database is back and cannot be used");
                return;
            }
        }
    }
}

impl Running {
    /// Stops: no new connections, running requests end, what is written is safe.
    ///
    /// # Errors
    /// When the database could not be closed well.
    pub async fn stop(self) -> Result<()> {
        let _ = self.stop.send(true);
        let cut = self.serving.await.unwrap_or(0);
        if cut > 0 {
            tracing::warn!(connections = cut, "requests did not end in time and were cut");
        }
        let _ = self.watching.await;
        self.app.rulesets.flush().await;
        if let Err(error) = self.app.directory.flush().await {
            tracing::warn!(%error, "last uses of keys were not noted");
        }
        let results = self.results.clone();
        let _ = tokio::task::spawn_blocking(move || results.loader().stop()).await;
        if let Err(error) = self.log.close().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the event log was not closed in order");
        }
        self.app.db.clone().close().await?;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// As [`start`].
pub async fn until_signalled(settings: Settings) -> Result<()> {
    let mut signals = Signals::new()?;
    let running = start(settings).await?;
    say!("muriel ready http://{}", running.address)?;
    signals.wait().await;
    running.stop().await
}

/// SIGTERM and SIGINT, which end nothing by themselves while this lives.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn new() -> Result<Self> {
        let listen = |kind| signal(kind).map_err(|error| Error::Other(error.into()));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    /// Waits for one of them.
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// One server per data directory.
fn lock(settings: &Settings) -> Result<File> {
    let path = settings.place.data_dir.join("serve.lock");
    let failed = |source| Error::File { doing: "cannot lock", path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Running(settings.place.data_dir.clone())),
        Err(std::fs::TryLockError::Error(source)) => Err(failed(source)),
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    let listening = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listening().map_err(|source| Error::Listen { address: address.to_string(), source })
}

/// Where metrics are told; a taken address is worth a warning, not a refusal.
async fn serve_metrics(
    wanted: SocketAddr,
    metrics: Arc<Metrics>,
    stopped: watch::Receiver<bool>,
) -> Option<SocketAddr> {
    match listen(wanted).await {
        Ok(listener) => {
            let address = listener.local_addr().ok();
            tokio::spawn(server::serve_metrics(listener, metrics, is_set(stopped)));
            address
        }
        Err(error) => {
            tracing::warn!(error = crate::error::sentence(&error), "metrics are not served");
            None
        }
    }
}

async fn is_set(mut flag: watch::Receiver<bool>) {
    // Its sender gone means the same.
    let _ = flag.wait_for(|set| *set).await;
}

/// Writes down which keys were used, and tells how things are.
async fn keep_house(app: App, metrics: Arc<Metrics>, stopped: watch::Receiver<bool>) {
    let mut stopped = std::pin::pin!(is_set(stopped));
    loop {
        metrics.event_log_taking.set(app.takes_events().into());
        metrics.rulesets_stale_seconds.set(app.rulesets.stale_s().unwrap_or(0));
        tokio::select! {
            () = &mut stopped => return,
            () = tokio::time::sleep(HOUSE_EVERY) => {}
        }
        if let Err(error) = app.directory.flush().await {
            tracing::warn!(%error, "uses of keys were not noted");
        }
    }
}
