//! A company to look around in: its data, made through the API, and a server.

mod client;
mod data;
mod seed;
mod shop;
#[cfg(test)]
mod tests;
mod visitors;
mod welcome;

use crate::access::{WantedKey, key_create};
use crate::config::{Common, ServeFlags, Settings};
use crate::open::{Opened, open};
use crate::say::tell;
use crate::serve;
use crate::shutdown::Signals;
use crate::{Error, Result, logs};
use client::Client;
use data::{COMPANY, Project};
use muriel_api::api_key::ApiKey;
use muriel_api::clock::Clock;
use muriel_api::edge::{Edge, EdgeSettings};
use muriel_api::limits::{Limits, RateLimits};
use muriel_api::metrics::Metrics;
use muriel_api::server::{self, ServerSettings};
use muriel_api::{App, Traffic};
use muriel_domain::Instant;
use muriel_sql::Db;
use muriel_store::settings as stored;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::AbortHandle;
use visitors::{History, Live, Made};
use welcome::{Welcome, reachable};

pub(crate) use visitors::VisitorFlags;

/// What `--data-dir` means here, where it has no default that stays.
pub(crate) const DATA_DIR_HELP: &str =
    "Directory that keeps the demo's data [default: a temporary one, deleted at the end]";

/// The setting that says that the visitors of the past have been there.
const VISITED: &str = "demo_visitors";

/// Serves the demo until SIGTERM or SIGINT; its data is made where there is
/// none, and goes at the end unless the flags say where to keep it.
///
/// # Errors
/// What keeps a server from starting, and whatever the API refuses of the data.
pub(crate) fn run(common: Common, flags: ServeFlags, visitors: VisitorFlags) -> Result<()> {
    let listen_anywhere = flags.listen.is_none();
    let (settings, throw_away) = settings(common, flags)?;
    let _logs = logs::start(&settings.log_level)?;
    crate::block_on(until_signalled(settings, visitors, listen_anywhere, throw_away.as_ref()))
}

/// What is decided, with the directory that goes when it is dropped.
fn settings(mut common: Common, mut flags: ServeFlags) -> Result<(Settings, Option<TempDir>)> {
    let anywhere = common.data_dir.is_none() && common.database_url.is_none() && common.config.is_none();
    let throw_away = match anywhere {
        true => Some(
            tempfile::Builder::new().prefix("muriel-demo-").tempdir().map_err(|error| Error::Other(error.into()))?,
        ),
        false => None,
    };
    if let Some(directory) = &throw_away {
        common.data_dir = Some(directory.path().to_owned());
    }
    if common.config.is_none() {
        flags.log_level.get_or_insert_with(|| "warn".to_owned());
    }
    let metrics_anywhere = flags.metrics_listen.is_none();
    let mut settings = Settings::load(common, flags)?;
    if metrics_anywhere {
        settings.metrics_listen = settings.metrics_listen.map(free);
    }
    Ok((settings, throw_away))
}

/// The address, or one with a port that the system chooses if it is taken.
fn free(address: SocketAddr) -> SocketAddr {
    match TcpListener::bind(address) {
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => SocketAddr::new(address.ip(), 0),
        _ => address,
    }
}

async fn until_signalled(
    settings: Settings,
    visitors: VisitorFlags,
    listen_anywhere: bool,
    throw_away: Option<&TempDir>,
) -> Result<()> {
    let mut signals = Signals::new()?;
    // Started before the data is made: it takes the directory's lock.
    let running = match serve::start(settings.clone()).await {
        Err(Error::Listen { .. }) if listen_anywhere => {
            let listen = SocketAddr::new(settings.listen.ip(), 0);
            serve::start(Settings { listen, ..settings.clone() }).await?
        }
        started => started?,
    };
    let prepared = async {
        let opened = open(&settings.place).await?;
        let prepared = with_shop(&opened, visitors.shop_listen, settings.listen.ip()).await;
        opened.db.close().await?;
        prepared
    };
    let prepared = tokio::select! {
        prepared = prepared => prepared.map(Some),
        () = signals.wait() => Ok(None),
    };
    let (ready, failed) = match prepared {
        Ok(ready) => (ready, Ok(())),
        Err(error) => (None, Err(error)),
    };
    if let Some((site, prepared)) = ready {
        let Prepared { api_key, live, shop } = prepared;
        let _serving = shop::serve(site.listener, format!("http://{}", reachable(running.address)));
        let welcome = Welcome {
            address: running.address,
            metrics_address: running.metrics_address,
            api_key: api_key.reveal().to_owned(),
            kept_in: match (throw_away, &settings.place.database_url) {
                (Some(_), _) => "in a temporary directory that goes when this stops".to_owned(),
                (None, Some(_)) => "in the database of --database-url".to_owned(),
                (None, None) => settings.place.data_dir.display().to_string(),
            },
            live,
            shop: site.origin,
            named: shop.to_string(),
            program: std::env::args().next().unwrap_or_else(|| "muriel".to_owned()),
            data_dir: settings.place.data_dir.display().to_string(),
            all_there: settings.place.database_url.is_none(),
        };
        let mut out = std::io::stdout();
        let text = welcome.text(out.is_terminal() && std::env::var_os("NO_COLOR").is_none());
        // Somebody who closed the output still wants the server.
        let _ = write!(out, "muriel ready http://{}\n{text}", running.address).and_then(|()| out.flush());
        let visited = async {
            if let Err(error) = visit(&running.app, reachable(running.address), &api_key, shop, visitors).await {
                tell!("muriel: not all visitors came: {}", crate::error::sentence(&error));
            }
            std::future::pending().await
        };
        tokio::select! {
            () = visited => {}
            () = signals.wait() => {}
        }
    }
    running.drain().await.end(failed.is_err().into()).await;
    failed
}

/// Where the shop is.
struct Site {
    listener: tokio::net::TcpListener,
    /// As browsers on this machine reach it.
    origin: String,
}

/// What [`prepare`] gives back, with the place of the shop. It is where the
/// experiments say, if nothing else is there and nobody asked for another.
async fn with_shop(opened: &Opened, asked: Option<SocketAddr>, beside: IpAddr) -> Result<(Site, Prepared)> {
    let named = seed::shop(&opened.db).await?;
    let port = named.and_then(|origin| origin.rsplit(':').next()?.parse().ok()).unwrap_or(shop::PORT);
    let address = asked.unwrap_or(SocketAddr::new(beside, port));
    let listener = shop::listen(address, asked.is_some()).await?;
    let address = listener.local_addr().map_err(|error| Error::Other(error.into()))?;
    let origin = format!("http://{}", reachable(address));
    let prepared = prepare(opened, &origin).await?;
    Ok((Site { listener, origin }, prepared))
}

/// Lets the visitors of the past come, unless they have, and then others for as
/// long as it runs.
async fn visit(app: &App, address: SocketAddr, key: &ApiKey, shop: Arc<str>, flags: VisitorFlags) -> Result<()> {
    if flags.no_visitors {
        return Ok(());
    }
    let (seed, rate) = (flags.seed, flags.live_rate);
    let known = flags.visitors_per_day * flags.days.unsigned_abs() * 7 / 10;
    let then = match rate {
        0.0 => String::new(),
        rate => format!("; {rate} more every second"),
    };
    let started = std::time::Instant::now();
    let (visits, days) = (flags.visitors_per_day * flags.days.unsigned_abs(), flags.days);
    let bar = visitors::bar(visits);
    bar.set_message("visitors of the past");
    let line = match history(app, key, shop.clone(), flags, &bar).await {
        Err(error) => {
            bar.finish_and_clear();
            return Err(error);
        }
        Ok(None) => format!("  the visitors of the past are in the log already{then}"),
        Ok(Some(made)) => format!(
            "  {} visitors of the last {days} days, {} events in {:.1} s{then}",
            thousands(made.visits),
            thousands(made.events),
            started.elapsed().as_secs_f64()
        ),
    };
    bar.finish_and_clear();
    let _ = writeln!(std::io::stdout(), "{line}");
    if rate > 0.0 {
        Live { address, shop, seed, rate, known }.keep_coming().await;
    }
    Ok(())
}

/// What the visitors of the past made; `None` if they were there before. Whoever
/// is interrupted sends the same again, which counts once.
async fn history(
    app: &App,
    key: &ApiKey,
    shop: Arc<str>,
    flags: VisitorFlags,
    bar: &indicatif::ProgressBar,
) -> Result<Option<Made>> {
    let Some(until) = unvisited(&app.db).await? else { return Ok(None) };
    // The experiments were made a moment ago and by others.
    app.rulesets.refresh_all().await.map_err(|error| Error::Other(error.to_string().into()))?;
    bar.enable_steady_tick(Duration::from_millis(100));
    let (address, _serving) = unlimited(app.clone()).await?;
    let made = History { address, key: key.clone(), shop, flags, until }.walk(bar).await?;
    let at = Clock::System.now().to_string();
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move { Ok(stored::get_or_set(tx, VISITED, &at).await.map(drop)?) })
        })
        .await?;
    Ok(Some(made))
}

/// When the past ends, if nobody has visited it yet.
async fn unvisited(db: &Db) -> Result<Option<Instant>> {
    db.read::<_, Error, _>(|tx| {
        Box::pin(async move {
            if stored::get(tx, VISITED).await?.is_some() {
                return Ok(None);
            }
            let seeded = stored::get(tx, seed::SEEDED).await?;
            Ok(seeded.and_then(|at| Instant::parse(&at).ok()))
        })
    })
    .await
}

/// Ends a server when it is dropped.
struct Serving(AbortHandle);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The same server at another address, which no limits hold for: half a year of
/// visitors is more than anybody may send in a second.
async fn unlimited(app: App) -> Result<(SocketAddr, Serving)> {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.map_err(|error| Error::Other(error.into()))?;
    let address = listener.local_addr().map_err(|error| Error::Other(error.into()))?;
    let metrics = Arc::new(Metrics::new());
    let limits = Arc::new(Limits::new(RateLimits::OFF, &metrics));
    let edge = Edge::new(muriel_api::router::router(app), EdgeSettings::default(), limits, metrics.clone());
    let serving = server::serve(listener, edge, metrics, ServerSettings::default(), std::future::pending());
    Ok((address, Serving(tokio::spawn(serving).abort_handle())))
}

/// `30,000`
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What the demo can be used with.
pub(crate) struct Prepared {
    /// A new key for both projects.
    api_key: ApiKey,
    /// Keys and ids of the shop's experiments that are live.
    live: Vec<(String, i64)>,
    /// The origin of the shop that they name.
    shop: Arc<str>,
}

/// Makes the data unless it is there, of a shop with the origin `shop`, and a
/// new key.
///
/// # Errors
/// A database that is not the demo's, and whatever the API refuses of the data.
pub(crate) async fn prepare(opened: &Opened, shop: &str) -> Result<Prepared> {
    let now = Clock::System.now();
    let projects = match seed::is_seeded(&opened.db).await? {
        true => None,
        false => Some(seed::found(&opened.db, now).await?),
    };
    let wanted = WantedKey {
        company: COMPANY.to_owned(),
        name: "demo".to_owned(),
        scopes: "read,write,code,evaluate,admin".to_owned(),
        projects: Vec::new(),
        expires_in_days: "30".to_owned(),
    };
    let (key, _) = key_create(opened, wanted, &Clock::System).await?;
    if let Some(projects) = projects {
        let started = std::time::Instant::now();
        seed::seed(opened, &key, projects, shop, now).await?;
        tracing::info!(duration_ms = started.elapsed().as_millis() as u64, "the demo's data is made");
    }
    let app = App::new(opened.db.clone(), opened.pepper.clone(), Clock::System, Traffic::default());
    let live = live_in_shop(&Client::new(app, &key)).await?;
    let named = seed::shop(&opened.db).await?;
    Ok(Prepared { api_key: key, live, shop: named.as_deref().unwrap_or(shop).into() })
}

/// Keys and ids of the shop's experiments that are live. The list is the
/// company's, so each is asked for in the project.
async fn live_in_shop(client: &Client) -> Result<Vec<(String, i64)>> {
    let listed = client.get(Project::Shop, "experiments?limit=500").await?;
    let mut live = Vec::new();
    for test in listed["experiments"].as_array().into_iter().flatten().filter(|test| test["status"] == 1) {
        let Some(id) = test["test_id"].as_i64() else { continue };
        if let Ok(details) = client.get(Project::Shop, &format!("experiment/{id}")).await {
            let key = details["experiment"]["experiment_key"].as_str().unwrap_or_default();
            live.push((key.to_owned(), id));
        }
    }
    Ok(live)
}
