//! The server: wiring, start and stop.

use crate::agents;
use crate::config::Settings;
use crate::node::{NodeFile, Registration, SharedRegistration, check_database};
use crate::open::{connect_later, make_directory, prepare, read_pepper};
use crate::open_events::{explain_if_full, is_full, open_events};
use crate::say::say;
use crate::scratch::remove_abandoned_near;
use crate::server_address::ServerAddress;
use crate::shutdown::{CLOSE_TIMEOUT, Signals, end_after};
use crate::tasks;
use crate::{Error, Result};
use muriel_api::client_address::Forwarded;
use muriel_api::metrics::Metrics;
use muriel_context::api_key::Pepper;
use muriel_delivery::visitor::{Geography, Visitors};
use muriel_domain::experiment::Rule;
use muriel_http::connection::ServerSettings;
use muriel_http::forwarding::Forwarding;
use muriel_http::limits::Limits;
use muriel_http::server;
use muriel_outbound::Outbound;
use muriel_people as people;
use muriel_service::jobs::JobOutcome;
use muriel_service::{App, Traffic, install, shares};
use muriel_sql::{BoxFuture, Db};
use muriel_worker::Worker;
use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Maximum number of connections that wait to be accepted, as far as the system allows. Clients of further ones retry
/// only after a second.
const BACKLOG: u32 = 4_096;
/// Grace period of running tasks when the server stops. Tasks that wait for a hanging database are dropped.
const TASKS_TIMEOUT: Duration = Duration::from_millis(250);
/// Timeout for writing the last uses of keys at the end.
const LAST_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause between two attempts to reach a database without which the server cannot start.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Number of attempts between log lines about waiting for the database.
const ATTEMPTS_PER_LOG_LINE: u32 = 60;

/// Running server.
pub struct Running {
    /// Address on which it listens.
    pub address: SocketAddr,
    /// Separate address on which it listens for people, if any.
    pub dashboard_address: Option<SocketAddr>,
    /// Link for the first owner, while nobody can sign in.
    pub first_owner: Option<String>,
    /// Address of its metrics; `None` if they are off.
    pub metrics_address: Option<SocketAddr>,
    /// State of the server.
    pub app: App,
    stop: watch::Sender<bool>,
    serving: Vec<JoinHandle<usize>>,
    listening: JoinHandle<()>,
    worker: Worker,
    metrics: Arc<Metrics>,
    /// This node's registration, where several nodes can use the database.
    registration: Option<SharedRegistration>,
    /// Held while the server runs; dropping it releases the file's lock.
    _lock: File,
}

/// Opens everything and starts to serve.
///
/// # Errors
/// Anything that prevents serving, including another server on the same data directory.
pub async fn start(settings: Settings) -> Result<Running> {
    make_directory(&settings.storage.data_dir)?;
    let lock = lock(&settings)?;
    check_database(&settings.storage)?;
    let node = NodeFile::of(&settings.storage)?;
    let geography = match &settings.geo_database {
        None => Geography::off(),
        Some(path) => Geography::open(path).map_err(|error| Error::Other(error.into()))?,
    };
    let opened = open_events(&settings).await?;
    let metrics = Arc::new(Metrics::new());
    let traffic = Traffic {
        site: settings.site.clone(),
        results: opened.as_ref().map(|(_, results)| results.clone()),
        log: opened.as_ref().map(|(log, _)| log.clone()),
        events: metrics.events.clone(),
        rulesets: Some(settings.storage.data_dir.join("rulesets")),
        visitors: Visitors::new(geography, settings.trusted_proxies.clone()),
        node: None,
        periods: settings.periods.clone(),
        outbound: Outbound::new(settings.webhook_allow.clone(), settings.webhook_names.clone()),
        people: settings.people.clone(),
    };
    let (stop, stopped) = watch::channel(false);
    let OpenedApp { app, registration, is_prepared } = open_app(&settings, traffic, &node).await?;
    let limits = Arc::new(Limits::new(settings.rate_limits, &metrics.http));
    let edge = agents::edge(&app, &settings, &limits, &metrics)?;

    let listeners = match listen_all(&settings).await {
        Ok(listeners) => listeners,
        Err(error) => {
            // A node that has served nobody must not keep others from starting.
            if let Some(registration) = registration {
                registration.leave(app.log().map(|log| log.last().seq)).await;
            }
            return Err(error);
        }
    };
    let (listener, dashboard) = listeners;
    let local = |listener: &TcpListener| listener.local_addr().map_err(|error| Error::Other(error.into()));
    let address = local(&listener)?;
    let dashboard_address = dashboard.as_ref().map(local).transpose()?;
    app.people.set_address(dashboard_address.unwrap_or(address));
    let dashboard = dashboard.map(|listener| (listener, agents::dashboard_edge(&app, &settings, &limits, &metrics)));
    let first_owner = first_owner(&app).await;
    let worker = tasks::worker(&app, &metrics);
    worker.register(tasks::measure_health(app.clone(), metrics.clone()));
    worker.register(tasks::refresh_rulesets(app.clone()));
    worker.register(tasks::write_key_uses(app.clone()));
    worker.register(tasks::write_integration_successes(app.clone()));
    worker.register(tasks::trim_inboxes(app.clone()));
    worker.register(tasks::warm_reports(app.clone()));
    worker.register(tasks::sweep_rate_limits(limits));
    if settings.worker {
        run_clock(&worker, &app, &metrics);
    }
    if let Some(days) = settings.log_retention_days {
        let held = metrics.event_log_retention_held.clone();
        worker.register(tasks::delete_old_events(app.clone(), days, move |is_held| {
            held.set(is_held.into());
        }));
    }
    let held = metrics.project_retention_held.clone();
    worker.register(tasks::delete_expired_events(app.clone(), move |is_held| {
        held.set(is_held.into());
    }));
    worker.register(tasks::delete_visitor_data(app.clone()));
    if app.visitors.geography.is_on() {
        worker.register(tasks::refresh_geography(app.visitors.geography.clone()));
    }
    if let Some(registration) = &registration {
        worker.register(tasks::renew_node_lease(app.clone(), registration.clone()));
    }
    if !is_prepared {
        worker.register(tasks::prepare_database(app.clone(), settings.storage.clone()));
    }
    if opened.is_none() {
        worker.register(tasks::open_event_log(app.clone(), settings.clone()));
    }
    worker.start();
    let metrics_address = match settings.metrics_listen {
        None => None,
        Some(wanted) => serve_metrics(wanted, metrics.clone(), app.clone(), worker.clone(), stopped.clone()).await,
    };
    let reached = ServerAddress::new(&settings, address, dashboard_address, metrics_address);
    if let Err(error) = reached.write(&settings.storage.data_dir) {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(error, "cannot store the server's address; commands on its data directory need it as a flag");
    }
    let data_dir = settings.storage.data_dir.clone();
    tokio::task::spawn_blocking(move || remove_abandoned_near(&data_dir));
    // Notifications of the database wake this loop, so it is not a periodic task.
    let listening = {
        let (app, stopped) = (app.clone(), stopped.clone());
        tokio::spawn(async move { app.rulesets.listen(stopped).await })
    };
    let forwarding: Arc<dyn Forwarding> = Arc::new(Forwarded(settings.trusted_proxies.clone()));
    let serve = |(listener, edge)| {
        let settings = ServerSettings { forwarding: forwarding.clone(), ..ServerSettings::default() };
        tokio::spawn(server::serve(listener, edge, metrics.http.clone(), settings, is_set(stopped.clone())))
    };
    let serving = [(listener, edge)].into_iter().chain(dashboard).map(serve).collect();
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "ready");
    Ok(Running {
        address,
        dashboard_address,
        first_owner,
        metrics_address,
        app,
        stop,
        serving,
        listening,
        worker,
        metrics,
        registration,
        _lock: lock,
    })
}

/// Listens on the address for everybody, and on the one for people, if any.
async fn listen_all(settings: &Settings) -> Result<(TcpListener, Option<TcpListener>)> {
    let all = listen(settings.listen).await?;
    let dashboard = match settings.dashboard_listen {
        None => None,
        Some(wanted) => Some(listen(wanted).await?),
    };
    Ok((all, dashboard))
}

/// Link for the first owner, while nobody can sign in. The server runs without one too.
async fn first_owner(app: &App) -> Option<String> {
    match people::first_owner(&app.people).await {
        Ok(link) => link.map(|link| link.link),
        Err(muriel_context::Error::Invalid(problems)) => {
            let why = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
            tracing::warn!(why, "nobody can sign in");
            None
        }
        // The database cannot be reached, or the node may only read.
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the link for the first owner cannot be created");
            None
        }
    }
}

/// Registers the tasks of the clock and of webhooks.
fn run_clock(worker: &Worker, app: &App, metrics: &Arc<Metrics>) {
    worker.register(tasks::deliver_webhooks(app.clone()));
    worker.register(tasks::report_exposures(app.clone()));
    worker.register(tasks::report_conversions(app.clone()));
    let metrics = metrics.clone();
    let pairs_left_out = metrics.interaction_pairs_left_out.clone();
    let observe = move |rule: Rule, outcome: &JobOutcome| metrics.job_ran(rule.word(), outcome.word());
    let left_out = move |pairs: i64| {
        pairs_left_out.set(pairs);
    };
    tasks::clock(app, Arc::new(observe), Arc::new(left_out)).into_iter().for_each(|task| worker.register(task));
}

/// Result of [`open_app`].
struct OpenedApp {
    app: App,
    /// This node's registration, where several nodes can use the database.
    registration: Option<SharedRegistration>,
    /// True when the schema is up to date; false while the database cannot be reached.
    is_prepared: bool,
}

/// Opens the database and registers this node. While PostgreSQL cannot be reached, the state uses the last good
/// rulesets: visitors are served, and everything else waits. Without such rulesets, this function waits for the
/// database.
async fn open_app(settings: &Settings, mut traffic: Traffic, node: &NodeFile) -> Result<OpenedApp> {
    let place = &settings.storage;
    let db = connect_later(place)?;
    let mut registration = Registration::new(&db, place, node, settings.node_lease)?;
    traffic.node = registration.as_ref().map(Registration::identity);
    let error = match joined(&db, settings, &mut registration).await {
        Ok(pepper) => {
            let app = App::new(db, pepper, settings.clock.clone(), traffic);
            refresh(&app).await?;
            return Ok(OpenedApp { app, registration: registration.map(Registration::shared), is_prepared: true });
        }
        Err(Error::Database(error)) if error.is_unavailable() => error,
        Err(error) => return Err(error),
    };
    if place.database_url.is_none() && !is_full(&place.data_dir) {
        return Err(Error::Database(error));
    }
    // A local file that cannot be used now will not become usable by waiting.
    let waits = place.database_url.is_some() && !error.is_refusal();
    match read_pepper(&place.pepper_file) {
        Ok(pepper) => {
            let app = App::new(db, pepper, settings.clock.clone(), traffic);
            let restored = app.rulesets.restore();
            if restored == 0 {
                if !waits {
                    return Err(explain_if_full(Error::Database(error), &place.data_dir));
                }
                wait_for_database(&app.db, settings, &mut registration, error).await?;
                refresh(&app).await?;
                return Ok(OpenedApp { app, registration: registration.map(Registration::shared), is_prepared: true });
            }
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                projects = restored,
                "the database cannot be reached; the last good rulesets are served until it responds"
            );
            // It is unknown whether other nodes run. This node serves visitors in any case, and registers as soon as
            // the database is back.
            Ok(OpenedApp { app, registration: registration.map(Registration::shared), is_prepared: false })
        }
        Err(Error::NoPepper(_)) if waits => {
            let pepper = wait_for_database(&db, settings, &mut registration, error).await?;
            let app = App::new(db, pepper, settings.clock.clone(), traffic);
            refresh(&app).await?;
            Ok(OpenedApp { app, registration: registration.map(Registration::shared), is_prepared: true })
        }
        // The error of the database is the first cause.
        Err(Error::NoPepper(_)) => Err(Error::Database(error)),
        Err(error) => Err(error),
    }
}

/// Migrates the schema and registers this node, unless another one runs. Returns the pepper of the database.
async fn joined(db: &Db, settings: &Settings, registration: &mut Option<Registration>) -> Result<Pepper> {
    let place = &settings.storage;
    match place.database_url {
        // A hanging database counts as unreachable, so that visitors are served meanwhile. The sessions are checked
        // before the first transaction, which could run statements of others.
        Some(_) => {
            muriel_sql::within(place.postgres.statement_timeout, async {
                db.check_sessions().await?;
                db.ping().await
            })
            .await?;
        }
        None => db.ping().await?,
    }
    if let Some(registration) = registration
        && !settings.alone
    {
        registration.check_before_migration().await?;
    }
    let pepper = prepare(db, place).await?;
    if let Some(registration) = registration {
        registration.register(settings.alone).await?;
    }
    NodeFile::settle(&settings.storage)?;
    Ok(pepper)
}

/// Retries until the database responds, and logs what it waits for.
async fn wait_for_database(
    db: &Db,
    settings: &Settings,
    registration: &mut Option<Registration>,
    error: muriel_sql::Error,
) -> Result<Pepper> {
    let mut error = error;
    loop {
        tracing::error!(
            database = settings.storage.shown_database(),
            error = &error as &dyn std::error::Error,
            "the database does not answer; the server waits for it"
        );
        for _ in 0..ATTEMPTS_PER_LOG_LINE {
            tokio::time::sleep(RETRY_PAUSE).await;
            match joined(db, settings, registration).await {
                Err(Error::Database(again)) if again.is_unavailable() && !again.is_refusal() => error = again,
                other => return other,
            }
        }
    }
}

async fn refresh(app: &App) -> Result<()> {
    app.rulesets.refresh_all().await.map_err(|error| Error::Other(error.to_string().into()))
}

impl Running {
    /// Starts the clock of a server that was started without it.
    pub(crate) fn run_clock(&self) {
        run_clock(&self.worker, &self.app, &self.metrics);
    }

    /// Runs a task of the worker at once, as [`Worker::run_now`] does. For tests.
    pub async fn run_task(&self, name: &str) -> bool {
        self.worker.run_now(name).await
    }

    /// Stops the server: no new connections, in-flight requests end, and written data is durable.
    ///
    /// # Errors
    /// When the database could not be closed properly.
    pub async fn stop(self) -> Result<()> {
        self.drain().await.0.close().await
    }

    /// Accepts no new connections, and waits for in-flight requests.
    pub(crate) async fn drain(mut self) -> Drained {
        let _ = self.stop.send(true);
        self.worker.signal_stop();
        self.app.rulesets.loop_guards.stop();
        // Requests of live streams would not end by themselves.
        self.app.intake.live.stop();
        let mut cut = 0;
        for serving in std::mem::take(&mut self.serving) {
            cut += serving.await.unwrap_or(0);
        }
        if cut > 0 {
            tracing::warn!(connections = cut, "requests did not end in time and were aborted");
        }
        Drained(self)
    }

    async fn close(self) -> Result<()> {
        let (results, log) = (self.app.results().cloned(), self.app.log().cloned());
        let close_events = async {
            if let Some(results) = results {
                let _ = tokio::task::spawn_blocking(move || results.loader().stop()).await;
            }
            if let Some(log) = log
                && let Err(error) = log.close().await
            {
                tracing::warn!(error = &error as &dyn std::error::Error, "the event log was not closed cleanly");
            }
        };
        let close_database = async {
            let _ = self.listening.await;
            self.worker.stop(TASKS_TIMEOUT).await;
            if let Some(registration) = self.registration {
                registration.leave(self.app.log().map(|log| log.last().seq)).await;
            }
            self.app.rulesets.flush().await;
            let flush = async {
                self.app.access_cache.flush().await?;
                install::write_fetches(&self.app).await?;
                shares::write_openings(&self.app).await
            };
            match tokio::time::timeout(LAST_FLUSH_TIMEOUT, flush).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, "last uses of keys, scripts and shares were not saved");
                }
                Err(_) => {
                    tracing::warn!("last uses of keys, scripts and shares were not saved: the database does not answer")
                }
            }
            self.app.db.clone().close().await
        };
        // A hanging database must not keep the log from being closed. On a slow disk, the two flush at the same time.
        let ((), closed) = tokio::join!(close_events, close_database);
        closed?;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Server that does not serve any more, but still has its files open.
pub(crate) struct Drained(Running);

impl Drained {
    /// Closes the files. If that takes too long, the process ends with `status`.
    pub(crate) async fn end(self, status: i32) {
        end_after(CLOSE_TIMEOUT, status);
        if let Err(error) = self.0.close().await {
            // Acknowledged events are durable nevertheless.
            tracing::warn!(error = crate::error::sentence(&error), "the database was not closed cleanly");
        }
    }
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// As [`start`].
pub async fn until_signalled(settings: Settings) -> Result<()> {
    let mut signals = Signals::new()?;
    // Starting may wait for the database.
    let running = tokio::select! {
        running = start(settings) => running?,
        () = signals.wait() => return Ok(()),
    };
    say!("muriel ready http://{}", running.address)?;
    if let Some(dashboard) = running.dashboard_address {
        say!("people sign in at http://{dashboard}")?;
    }
    if let Some(link) = &running.first_owner {
        say!("nobody can sign in yet; the first owner opens {link} (it works once, for an hour)")?;
    }
    signals.wait().await;
    running.drain().await.end(0).await;
    Ok(())
}

/// Locks the data directory: one server may use it at a time.
fn lock(settings: &Settings) -> Result<File> {
    let path = settings.storage.data_dir.join("serve.lock");
    let failed = |source| Error::File { doing: "cannot lock", path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Running(settings.storage.data_dir.clone())),
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

/// Serves metrics and `muriel status`. If the address is taken, logs a warning and continues.
async fn serve_metrics(
    wanted: SocketAddr,
    metrics: Arc<Metrics>,
    app: App,
    worker: Worker,
    stopped: watch::Receiver<bool>,
) -> Option<SocketAddr> {
    match listen(wanted).await {
        Ok(listener) => {
            let address = listener.local_addr().ok();
            let status = move || -> BoxFuture<'static, String> {
                let (app, worker) = (app.clone(), worker.clone());
                Box::pin(async move { tasks::status(&app, &worker).await.to_string() })
            };
            let text = move |format| metrics.render(format);
            tokio::spawn(server::serve_metrics(listener, text, status, is_set(stopped)));
            address
        }
        Err(error) => {
            tracing::warn!(error = crate::error::sentence(&error), "metrics are not served");
            None
        }
    }
}

async fn is_set(mut flag: watch::Receiver<bool>) {
    // A dropped sender means the same.
    let _ = flag.wait_for(|set| *set).await;
}
