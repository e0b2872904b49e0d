//! `muriel demo`: a server, with the demo's data, its shop and its visitors.

use crate::access::{WantedKey, key_create};
use crate::config::{Common, ServeFlags, Settings};
use crate::open::{Opened, open};
use crate::say::say_stderr;
use crate::scratch::{HeldDirectory, Purpose};
use crate::serve;
use crate::shutdown::Signals;
use crate::{Error, Result, logs};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use muriel_context::api_key::{ApiKey, random_text};
use muriel_context::clock::Clock;
use muriel_demo::{
    COMPANY, Company, LiveVisitors, Prepared, VisitorSettings, Welcome, reachable, shop, store_results, visit_past,
};
use muriel_domain::person::Role;
use muriel_people as people;
use muriel_service::App;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// Help of `--data-dir` for this command, whose default is temporary.
pub(crate) const DATA_DIR_HELP: &str =
    "Directory that keeps the demo's data [default: a temporary one, deleted at the end]";

/// Default number of seconds after which a bandit's weights can move again.
const BANDIT_PERIOD_S: u64 = 60;

/// Owner of the demo's company.
const OWNER: &str = "owner@northwind.example";
const OWNER_NAME: &str = "Robin Lind";

/// Flags about the demo's visitors and its shop.
#[derive(Debug, Clone, Args)]
pub(crate) struct VisitorFlags {
    /// Visits per past day, to both projects together.
    #[arg(long, env = "MURIEL_VISITORS_PER_DAY", default_value_t = 1_000, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) visitors_per_day: u64,
    /// Number of past days with visitors.
    #[arg(long, env = "MURIEL_DAYS", default_value_t = 30, value_name = "N",
          value_parser = clap::value_parser!(i64).range(1..=180))]
    pub(crate) days: i64,
    /// Seed of the simulated visitors; the same seed gives the same visitors.
    #[arg(long, env = "MURIEL_SEED", default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// Visits per second while the demo runs; 0 for none.
    #[arg(long, env = "MURIEL_LIVE_RATE", default_value_t = 1.0, value_name = "N", value_parser = rate)]
    pub(crate) live_rate: f64,
    /// Address of the shop [default: port 4172 on the address of --listen].
    #[arg(long, env = "MURIEL_SHOP_LISTEN", value_name = "ADDR")]
    pub(crate) shop_listen: Option<SocketAddr>,
    /// Simulate no visitors, neither for past days nor while the demo runs.
    #[arg(long, env = "MURIEL_NO_VISITORS")]
    pub(crate) no_visitors: bool,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.0..=1_000.0).contains(&rate) => Ok(rate),
        _ => Err("must be a number from 0 to 1000".to_owned()),
    }
}

/// Serves the demo until SIGTERM or SIGINT. Creates its data if there is none, and deletes it at the end unless the
/// flags say where to keep it.
///
/// # Errors
/// Errors of starting a server, and data that the API refuses.
pub(crate) fn run(common: Common, flags: ServeFlags, visitors: VisitorFlags) -> Result<()> {
    let listen_anywhere = flags.listen.is_none();
    let (settings, throw_away) = settings(common, flags)?;
    let _logs = logs::start(&settings.log_level)?;
    crate::block_on(until_signalled(settings, visitors, listen_anywhere, throw_away.as_ref()))
}

/// Settings, and the temporary directory, which is deleted when dropped.
fn settings(mut common: Common, mut flags: ServeFlags) -> Result<(Settings, Option<HeldDirectory>)> {
    let anywhere = common.data_dir.is_none()
        && common.database_url.is_none()
        && common.database_url_file.is_none()
        && common.config.is_none();
    let throw_away = match anywhere {
        true => Some(HeldDirectory::new(Purpose::Demo)?),
        false => None,
    };
    if let Some(directory) = &throw_away {
        common.data_dir = Some(directory.path().to_owned());
    }
    if common.config.is_none() {
        flags.log_level.get_or_insert_with(|| "warn".to_owned());
        // Short enough to watch a bandit move.
        flags.bandit_period.get_or_insert(BANDIT_PERIOD_S);
    }
    let metrics_anywhere = flags.metrics_listen.is_none();
    let mut settings = Settings::load(common, flags)?;
    if metrics_anywhere {
        settings.metrics_listen = settings.metrics_listen.map(free);
    }
    Ok((settings, throw_away))
}

/// Returns the address; if its port is taken, one with a port that the system chooses.
fn free(address: SocketAddr) -> SocketAddr {
    match TcpListener::bind(address) {
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => SocketAddr::new(address.ip(), 0),
        _ => address,
    }
}

async fn until_signalled(
    mut settings: Settings,
    visitors: VisitorFlags,
    listen_anywhere: bool,
    throw_away: Option<&HeldDirectory>,
) -> Result<()> {
    let mut signals = Signals::new()?;
    // Started before the data is created, because the server takes the directory's lock. Started without its clock,
    // which would act now on past events.
    let runs_clock = std::mem::replace(&mut settings.worker, false);
    let running = match serve::start(settings.clone()).await {
        Err(Error::Listen { .. }) if listen_anywhere => {
            let listen = SocketAddr::new(settings.listen.ip(), 0);
            serve::start(Settings { listen, ..settings.clone() }).await?
        }
        started => started?,
    };
    let prepared = async {
        let opened = open(&settings.storage).await?;
        let prepared = with_shop(&opened, visitors.shop_listen, settings.listen.ip()).await;
        let prepared = match prepared {
            Ok((site, key, prepared)) => owner(&opened).await.map(|password| (site, key, password, prepared)),
            Err(error) => Err(error),
        };
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
    if let Some((site, api_key, password, prepared)) = ready {
        let Prepared { live, shop } = prepared;
        let _shop_server = shop::serve(site.listener, format!("http://{}", reachable(running.address)));
        let welcome = Welcome {
            address: running.address,
            metrics_address: running.metrics_address,
            owner: (OWNER.to_owned(), password),
            api_key: api_key.reveal().to_owned(),
            kept_in: match (throw_away, &settings.storage.database_url) {
                (Some(_), _) => "in a temporary directory that is deleted at the end".to_owned(),
                (None, Some(_)) => "in the database of --database-url".to_owned(),
                (None, None) => settings.storage.data_dir.display().to_string(),
            },
            live,
            shop: site.origin,
            named: shop.to_string(),
            program: std::env::args().next().unwrap_or_else(|| "muriel".to_owned()),
            data_dir: settings.storage.data_dir.display().to_string(),
            all_there: settings.storage.database_url.is_none(),
        };
        let mut out = std::io::stdout();
        let text = welcome.text(out.is_terminal() && std::env::var_os("NO_COLOR").is_none());
        // The server keeps running even if the output is closed.
        let _ = write!(out, "muriel ready http://{}\n{text}", running.address).and_then(|()| out.flush());
        let visited = async {
            let began = || {
                if runs_clock {
                    running.run_clock()
                }
            };
            if let Err(error) = visit(&running.app, reachable(running.address), &api_key, shop, visitors, began).await {
                say_stderr!("muriel: not all visitors were simulated: {}", crate::error::sentence(&error));
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

/// The shop's listener and address.
struct DemoShop {
    listener: tokio::net::TcpListener,
    /// Origin at which browsers on this machine reach it.
    origin: String,
}

/// Creates the data unless it exists, and a new key. The shop listens on the port that the experiments expect, unless
/// that is taken or another address was `asked` for.
async fn with_shop(opened: &Opened, asked: Option<SocketAddr>, beside: IpAddr) -> Result<(DemoShop, ApiKey, Prepared)> {
    let named = muriel_demo::shop_origin(&opened.db).await?;
    let port = named.and_then(|origin| origin.rsplit(':').next()?.parse().ok()).unwrap_or(shop::PORT);
    let address = asked.unwrap_or(SocketAddr::new(beside, port));
    let listener = shop::listen(address, asked.is_some()).await?;
    let address = listener.local_addr().map_err(|error| Error::Other(error.into()))?;
    let origin = format!("http://{}", reachable(address));
    let (key, prepared) = prepare(opened, &origin).await?;
    Ok((DemoShop { listener, origin }, key, prepared))
}

/// Sets a new password for the company's owner, who is created if missing. Returns the password.
async fn owner(opened: &Opened) -> Result<String> {
    let app = opened.app(Clock::System);
    let password = random_text(16).map_err(|error| Error::Other(error.into()))?;
    match people::reset(&app.people, OWNER.to_owned(), Some(password.clone()), true).await {
        Err(muriel_context::Error::NotFound(_)) => {
            let person = (OWNER.to_owned(), OWNER_NAME.to_owned());
            people::add(&app.people, Some(COMPANY.to_owned()), person, Role::Owner, Some(password.clone())).await?;
        }
        reset => drop(reset?),
    }
    Ok(password)
}

/// Creates the data for a shop with this origin unless it exists, and a new key.
///
/// # Errors
/// A database that is not the demo's, and data that the API refuses.
pub(crate) async fn prepare(opened: &Opened, origin: &str) -> Result<(ApiKey, Prepared)> {
    let company = Company::ensure(&opened.db, &opened.pepper).await?;
    let wanted = WantedKey {
        company: COMPANY.to_owned(),
        name: "demo".to_owned(),
        scopes: "read,write,code,evaluate,admin".to_owned(),
        projects: Vec::new(),
        expires_in_days: "30".to_owned(),
    };
    let (key, _) = key_create(opened, wanted, &Clock::System).await?;
    let prepared = company.fill(&opened.db, &opened.pepper, &key, origin).await?;
    Ok((key, prepared))
}

/// Sends the visits of past days, unless that was done before. Then calls `began`, and sends visits for as long as the
/// demo runs.
async fn visit(
    app: &App,
    address: SocketAddr,
    key: &ApiKey,
    shop: Arc<str>,
    flags: VisitorFlags,
    began: impl FnOnce(),
) -> Result<()> {
    if flags.no_visitors {
        began();
        return Ok(());
    }
    let (seed, rate) = (flags.seed, flags.live_rate);
    let known = flags.visitors_per_day * flags.days.unsigned_abs() * 7 / 10;
    let then = match rate {
        0.0 => String::new(),
        rate => format!("; {rate} more every second"),
    };
    let started = std::time::Instant::now();
    let days = flags.days;
    let settings = VisitorSettings { visitors_per_day: flags.visitors_per_day, days, seed };
    let bar = bar(flags.visitors_per_day * days.unsigned_abs());
    let progress = {
        let bar = bar.clone();
        move |visits| bar.inc(visits)
    };
    let line = match visit_past(app, key, shop.clone(), settings, progress).await {
        Err(error) => {
            bar.finish_and_clear();
            // Visits already sent are kept, and the clock starts.
            began();
            return Err(error.into());
        }
        Ok(None) => format!("  the past visitors are already in the log{then}"),
        Ok(Some(sent)) => format!(
            "  {} visitors of the last {days} days, {} events in {:.1} s{then}",
            thousands(sent.visits),
            thousands(sent.events),
            started.elapsed().as_secs_f64()
        ),
    };
    bar.finish_and_clear();
    let _ = writeln!(std::io::stdout(), "{line}");
    if let Err(error) = store_results(app).await {
        say_stderr!("muriel: the concluded experiments have no results: {}", crate::error::sentence(&error));
    }
    began();
    if rate > 0.0 {
        LiveVisitors { address, shop, seed, rate, known }.keep_coming().await;
    }
    Ok(())
}

/// Progress bar on a terminal. It is shown from the first tick on.
fn bar(visits: u64) -> ProgressBar {
    let bar = ProgressBar::new(visits);
    if let Ok(style) = ProgressStyle::with_template("  {msg} {bar:32} {human_pos} of {human_len}") {
        bar.set_style(style);
    }
    bar.set_message("past visitors");
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Formats a number with thousands separators: `30,000`.
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
