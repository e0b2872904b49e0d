//! Settings. Flags take precedence over the environment, a TOML file and defaults, in this order.

mod mcp;

pub use mcp::{McpFlags, McpSettings};

use crate::oidc::OidcFile;
use crate::{Error, Result};
use clap::Args;
use muriel_context::clock::Clock;
use muriel_delivery::site::Site;
use muriel_delivery::visitor::TrustedProxies;
use muriel_domain::time::DAY_US;
use muriel_http::edge::EdgeSettings;
use muriel_http::limits::RateLimits;
use muriel_log::{Durability, LogOptions, Reserve};
use muriel_outbound::{AllowedNetworks, Names};
use muriel_people::{PeopleSettings, PublicUrl};
use muriel_results::ReportTimeouts;
use muriel_service::ClockPeriods;
use muriel_sql::{Credentials, PostgresOptions};
use muriel_warehouse as warehouse;
use serde::Deserialize;
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default of [`Settings::node_lease`].
const NODE_LEASE: Duration = Duration::from_secs(20);
/// Maximum size of the file with the database's address, in bytes.
const DATABASE_URL_MAX: u64 = 64 << 10;

/// Data directory, database and settings file: the flags that all commands share.
#[derive(Debug, Clone, Default, Args)]
pub struct Common {
    /// Directory where data is stored [default: data].
    #[arg(long, env = "MURIEL_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Address of a PostgreSQL database to use instead of SQLite: postgres://user@host/database.
    #[arg(long, env = "MURIEL_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// File with the address of the database, so that its password is not among the arguments of the process.
    #[arg(long, env = "MURIEL_DATABASE_URL_FILE", value_name = "FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<PathBuf>,
    /// File with the pepper of the API keys [default: pepper in the data directory].
    #[arg(long, env = "MURIEL_PEPPER_FILE", value_name = "FILE")]
    pub pepper_file: Option<PathBuf>,
    /// TOML file with settings; flags and environment take precedence over it.
    #[arg(long, env = "MURIEL_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Names that pages use for the server.
#[derive(Debug, Clone, Default, Args)]
pub struct SiteFlags {
    /// Name of the script's API on pages, and prefix of its cookies [default: muriel].
    #[arg(long, env = "MURIEL_PAGE_API", value_name = "NAME")]
    pub page_api: Option<String>,
    /// Path under which visitor traffic is served in addition to the usual paths, such as /x.
    #[arg(long, env = "MURIEL_VISITOR_PREFIX", value_name = "PATH")]
    pub visitor_prefix: Option<String>,
}

/// Flags of servers only.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeFlags {
    /// Names that pages use for the server.
    #[command(flatten)]
    pub site: SiteFlags,
    /// Tools for agents.
    #[command(flatten)]
    pub mcp: McpFlags,
    /// Address to listen on [default: 127.0.0.1:4170].
    #[arg(long, env = "MURIEL_LISTEN", value_name = "ADDR")]
    pub listen: Option<String>,
    /// Address to listen on for people, with a host of its own: --listen then serves programs and visitors only
    /// [default: off, --listen serves people too].
    #[arg(long, env = "MURIEL_DASHBOARD_LISTEN", value_name = "ADDR")]
    pub dashboard_listen: Option<String>,
    /// URL at which people reach the server, such as `https://muriel.example`. Needed for everybody who is not on
    /// this machine [default: off, people sign in on this machine only, without TLS].
    #[arg(long, env = "MURIEL_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Address that serves metrics to Prometheus, or off [default: 127.0.0.1:4171].
    #[arg(long, env = "MURIEL_METRICS_LISTEN", value_name = "ADDR")]
    pub metrics_listen: Option<String>,
    /// Requests per second and burst, or off [default: key=1000/5000,network=2000/10000].
    #[arg(long, env = "MURIEL_RATE_LIMITS", value_name = "LIMITS")]
    pub rate_limits: Option<String>,
    /// Log level: error, warn, info, debug or trace [default: info].
    #[arg(long, env = "MURIEL_LOG_LEVEL", value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Database in MaxMind's format that maps IP addresses to geographic locations.
    #[arg(long, env = "MURIEL_GEO_DATABASE", value_name = "FILE")]
    pub geo_database: Option<PathBuf>,
    /// Networks of proxies whose X-Forwarded-For or Forwarded is trusted [default: off].
    #[arg(long, env = "MURIEL_TRUSTED_PROXIES", value_name = "NETWORKS")]
    pub trusted_proxies: Option<String>,
    /// Durability of acknowledged events: full (they survive a power cut) or relaxed (they survive a crash of the
    /// process only, but it is faster) [default: full].
    #[arg(long, env = "MURIEL_LOG_SYNC", value_name = "full|relaxed")]
    pub log_sync: Option<String>,
    /// MiB to leave free on the disk of the event log [default: 2 % of the disk, at
    /// least 64, at most 4096].
    #[arg(long, env = "MURIEL_LOG_RESERVE", value_name = "MIB", value_parser = mib, allow_negative_numbers = true)]
    pub log_reserve: Option<u64>,
    /// MiB after which a file of the event log is closed and the next one begins [default: 1024].
    #[arg(long, env = "MURIEL_LOG_ROLL", value_name = "MIB", value_parser = mib, allow_negative_numbers = true)]
    pub log_roll: Option<u64>,
    /// Days after which closed files of the event log are deleted, or off
    /// [default: 395].
    #[arg(long, env = "MURIEL_LOG_RETENTION", value_name = "DAYS")]
    pub log_retention: Option<String>,
    /// Start even if another node runs on the PostgreSQL database. Each node then reports only the events that it
    /// received, and the health check other_nodes of every result fails.
    #[arg(long, env = "MURIEL_ALONE", value_parser = clap::builder::BoolishValueParser::new())]
    pub alone: bool,
    /// Start and end experiments by their dates and rules on this node: on or off. One node at a time does it [default:
    /// on].
    #[arg(long, env = "MURIEL_WORKER", value_name = "on|off")]
    pub worker: Option<String>,
    /// Seconds after which the weights of a bandit can move again, 60 to 604800 [default: 3600].
    #[arg(long, env = "MURIEL_BANDIT_PERIOD", value_name = "SECONDS")]
    pub bandit_period: Option<u64>,
    /// Percentages of visitors to whom is_autopilot serves a winner, step by step [default: 10,50,100].
    #[arg(long, env = "MURIEL_AUTOPILOT_STEPS", value_name = "PERCENT,…")]
    pub autopilot_steps: Option<String>,
    /// Seconds that each of these steps lasts, 60 to 2592000 [default: 86400].
    #[arg(long, env = "MURIEL_AUTOPILOT_PERIOD", value_name = "SECONDS")]
    pub autopilot_period: Option<u64>,
    /// Networks that are not public and that webhooks may reach, separated by commas, such as 10.0.0.0/8 [default:
    /// off].
    #[arg(long, env = "MURIEL_WEBHOOK_ALLOW", value_name = "NETWORKS")]
    pub webhook_allow: Option<String>,
    /// MiB of memory for all queries of events together; larger queries use the disk [default: 1024].
    #[arg(long, env = "MURIEL_WAREHOUSE_MEMORY", value_name = "MIB", value_parser = mib, allow_negative_numbers = true)]
    pub warehouse_memory: Option<u64>,
}

/// Settings file. An unknown key is an error, so that a misspelt setting is not ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    data_dir: Option<PathBuf>,
    database_url: Option<String>,
    database_url_file: Option<PathBuf>,
    pepper_file: Option<PathBuf>,
    listen: Option<String>,
    metrics_listen: Option<String>,
    dashboard_listen: Option<String>,
    public_url: Option<String>,
    oidc: Option<OidcFile>,
    rate_limits: Option<String>,
    log_level: Option<String>,
    geo_database: Option<PathBuf>,
    trusted_proxies: Option<String>,
    log_sync: Option<String>,
    log_reserve: Option<u64>,
    log_roll: Option<u64>,
    log_retention: Option<Retention>,
    warehouse_memory: Option<u64>,
    alone: Option<bool>,
    worker: Option<String>,
    bandit_period: Option<u64>,
    autopilot_steps: Option<String>,
    autopilot_period: Option<u64>,
    webhook_allow: Option<String>,
    page_api: Option<String>,
    visitor_prefix: Option<String>,
    mcp_hosts: Option<String>,
    mcp_code: Option<String>,
}

/// Days as a TOML number, or text as on the command line.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of days or \"off\"")]
enum Retention {
    Days(i64),
    Text(String),
}

impl From<Retention> for String {
    fn from(retention: Retention) -> Self {
        match retention {
            Retention::Days(days) => days.to_string(),
            Retention::Text(text) => text,
        }
    }
}

impl File {
    fn read(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(path).map_err(|source| Error::File {
            doing: "cannot read the settings in",
            path: path.to_owned(),
            source,
        })?;
        toml::from_str(&text).map_err(|error| {
            Error::Setting(format!(
                "the settings in {} are not valid: {}",
                path.display(),
                place_and_fault(&text, &error)
            ))
        })
    }
}

/// Line, key and message of an error in a TOML file, without names of Rust types.
fn place_and_fault(text: &str, error: &toml::de::Error) -> String {
    let fault = error.message().replace("expected u64", "expected a whole number of MiB");
    let Some(start) = error.span().map(|span| span.start.min(text.len())) else { return fault };
    let before = &text.as_bytes()[..start];
    let number = before.iter().filter(|byte| **byte == b'\n').count();
    let line = text.lines().nth(number).unwrap_or_default();
    let key = line.split_once('=').map(|(key, _)| key.trim()).filter(|key| !fault.contains(*key));
    match key {
        Some(key) => format!("line {}, {key}: {fault}", number + 1),
        None => format!("line {}: {fault}", number + 1),
    }
}

/// Parses a number of MiB.
fn mib(text: &str) -> std::result::Result<u64, &'static str> {
    text.parse().map_err(|_| "must be a whole number of MiB")
}

/// Data directory, database and pepper, from flags, environment and settings file.
#[derive(Debug, Clone)]
pub struct StorageSettings {
    /// Directory where data is stored.
    pub data_dir: PathBuf,
    /// URL of the PostgreSQL database; `None` for SQLite.
    pub database_url: Option<String>,
    /// File with the pepper.
    pub pepper_file: PathBuf,
    /// Options for PostgreSQL.
    pub postgres: PostgresOptions,
}

/// All settings of a server, from flags, environment and settings file, checked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Data directory, database and settings file.
    pub storage: StorageSettings,
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Separate address to listen on for people, if any.
    pub dashboard_listen: Option<SocketAddr>,
    /// URL at which people reach the server, and sign-in settings.
    pub people: PeopleSettings,
    /// Address for Prometheus; `None` for off.
    pub metrics_listen: Option<SocketAddr>,
    /// Limits of one request.
    pub edge: EdgeSettings,
    /// Rate limits of keys and networks.
    pub rate_limits: RateLimits,
    /// Log level.
    pub log_level: String,
    /// Database of IP locations.
    pub geo_database: Option<PathBuf>,
    /// Proxies whose forwarding header fields are trusted.
    pub trusted_proxies: TrustedProxies,
    /// Options of the event log.
    pub log: LogOptions,
    /// Days after which closed files of the event log are deleted; `None` for never.
    pub log_retention_days: Option<i64>,
    /// Resource limits for queries of events.
    pub warehouse: warehouse::WarehouseOptions,
    /// Timeouts of requests for results. Only tests change the default.
    pub report_timeouts: ReportTimeouts,
    /// True to start even if other nodes run on the database.
    pub alone: bool,
    /// True to start and end experiments by their dates and rules.
    pub worker: bool,
    /// Intervals of the clock's periodic work.
    pub periods: ClockPeriods,
    /// Networks that webhooks may reach although they are not public.
    pub webhook_allow: AllowedNetworks,
    /// Name resolution for webhooks. Only tests change it from the system's.
    pub webhook_names: Names,
    /// Time after its last renewal for which the node still counts as running.
    pub node_lease: Duration,
    /// Names that pages use for the server.
    pub site: Site,
    /// Settings of the tools for agents.
    pub mcp: McpSettings,
    /// Clock, which tests replace.
    pub clock: Clock,
}

impl StorageSettings {
    /// Address of the database without secrets, for messages.
    pub(crate) fn shown_database(&self) -> String {
        let url = self.database_url.as_deref().unwrap_or_default();
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let rest = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
        let rest = rest.split_once('?').map_or(rest, |(place, _)| place);
        format!("{scheme}://{rest}")
    }

    /// Loads the storage settings.
    /// \n
    /// # Errors
    /// A settings file that cannot be read or is invalid.
    pub fn load(common: &Common) -> Result<Self> {
        Self::of(common, &File::read(common.config.as_deref())?)
    }

    fn of(common: &Common, file: &File) -> Result<Self> {
        let data_dir = common.data_dir.clone().or_else(|| file.data_dir.clone()).unwrap_or_else(|| "data".into());
        let is_given = common.database_url.is_some() || common.database_url_file.is_some();
        let (url, url_file) = match is_given {
            true => (&common.database_url, &common.database_url_file),
            false => (&file.database_url, &file.database_url_file),
        };
        Ok(Self {
            database_url: database_url(url.as_deref(), url_file.as_deref())?,
            pepper_file: common
                .pepper_file
                .clone()
                .or_else(|| file.pepper_file.clone())
                .unwrap_or_else(|| data_dir.join("pepper")),
            data_dir,
            postgres: PostgresOptions { credentials: credentials(), ..PostgresOptions::default() },
        })
    }
}

/// Address of the database, from a text or from a file.
fn database_url(url: Option<&str>, file: Option<&Path>) -> Result<Option<String>> {
    let path = match (url, file) {
        (Some(_), Some(_)) => {
            return Err(Error::Setting("give database-url or database-url-file, not both".to_owned()));
        }
        (url, None) => return Ok(url.map(str::to_owned)),
        (None, Some(path)) => path,
    };
    let failed =
        |source| Error::File { doing: "cannot read the address of the database in", path: path.to_owned(), source };
    let mut text = String::new();
    std::fs::File::open(path).and_then(|file| file.take(DATABASE_URL_MAX).read_to_string(&mut text)).map_err(failed)?;
    let url = text.trim();
    if url.is_empty() || url.contains(char::is_whitespace) {
        let sentence = format!("the file {} must have one line, the address of the database", path.display());
        return Err(Error::Setting(sentence));
    }
    Ok(Some(url.to_owned()))
}

/// Sources of the password, the same as for PostgreSQL's own programs.
fn credentials() -> Credentials {
    let in_home =
        || std::env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| Path::new(&home).join(".pgpass"));
    Credentials {
        password: std::env::var("PGPASSWORD").ok(),
        passfile: std::env::var_os("PGPASSFILE").filter(|path| !path.is_empty()).map(PathBuf::from).or_else(in_home),
    }
}

/// Address of the metrics in the settings file.
///
/// # Errors
/// A settings file that cannot be read.
pub(crate) fn metrics_listen(common: &Common) -> Result<Option<String>> {
    Ok(File::read(common.config.as_deref())?.metrics_listen)
}

/// URL at which people reach the server, from the settings file.
///
/// # Errors
/// A settings file that cannot be read, and a URL at which nobody can sign in.
pub(crate) fn public_url(common: &Common) -> Result<Option<PublicUrl>> {
    let text = File::read(common.config.as_deref())?.public_url;
    text.map(|text| text.parse().map_err(|error| Error::Setting(format!("public-url: {error}")))).transpose()
}

impl SiteFlags {
    /// Loads the names, with those of the settings file where no flag is given.
    ///
    /// # Errors
    /// A settings file that cannot be read, and invalid names.
    pub fn load(self, common: &Common) -> Result<Site> {
        self.over(&File::read(common.config.as_deref())?)
    }

    fn over(self, file: &File) -> Result<Site> {
        let mut site = Site::default();
        if let Some(name) = self.page_api.or_else(|| file.page_api.clone()) {
            site.page_api = name.parse().map_err(|error| Error::Setting(format!("page-api: {error}")))?;
        }
        if let Some(path) = self.visitor_prefix.or_else(|| file.visitor_prefix.clone()) {
            site.visitor_prefix = path.parse().map_err(|error| Error::Setting(format!("visitor-prefix: {error}")))?;
        }
        Ok(site)
    }
}

impl Settings {
    /// Loads all settings.
    /// \n
    /// # Errors
    /// A settings file that cannot be read, and settings that are invalid.
    pub fn load(common: Common, flags: ServeFlags) -> Result<Self> {
        let file = File::read(common.config.as_deref())?;
        let place = StorageSettings::of(&common, &file)?;
        let site = flags.site.over(&file)?;
        let listen = flags.listen.or(file.listen).unwrap_or_else(|| "127.0.0.1:4170".to_owned());
        let metrics = flags.metrics_listen.or(file.metrics_listen).unwrap_or_else(|| "127.0.0.1:4171".to_owned());
        let dashboard_listen = match flags.dashboard_listen.or(file.dashboard_listen).as_deref() {
            None | Some("off") => None,
            Some(text) => Some(address("dashboard-listen", text)?),
        };
        let public_url = match flags.public_url.or(file.public_url) {
            None => None,
            Some(text) => Some(text.parse().map_err(|error| Error::Setting(format!("public-url: {error}")))?),
        };
        let rate_limits = match flags.rate_limits.or(file.rate_limits) {
            None => RateLimits::default(),
            Some(text) => text.parse().map_err(|error| Error::Setting(format!("rate-limits: {error}")))?,
        };
        let trusted_proxies = match flags.trusted_proxies.or(file.trusted_proxies) {
            None => TrustedProxies::default(),
            Some(text) => text.parse().map_err(|error| Error::Setting(format!("trusted-proxies: {error}")))?,
        };
        let webhook_allow = match flags.webhook_allow.or(file.webhook_allow) {
            None => AllowedNetworks::default(),
            Some(text) => text.parse().map_err(|error| Error::Setting(format!("webhook-allow: {error}")))?,
        };
        let log_retention_days = retention(flags.log_retention.or(file.log_retention.map(String::from)).as_deref())?;
        Ok(Self {
            storage: place,
            site,
            listen: address("listen", &listen)?,
            dashboard_listen,
            people: PeopleSettings { public_url, oidc: file.oidc.map(OidcFile::read).transpose()? },
            metrics_listen: if metrics == "off" { None } else { Some(address("metrics-listen", &metrics)?) },
            edge: EdgeSettings::default(),
            rate_limits,
            geo_database: flags.geo_database.or(file.geo_database),
            trusted_proxies,
            log: log_options(
                flags.log_sync.or(file.log_sync).as_deref(),
                flags.log_reserve.or(file.log_reserve),
                flags.log_roll.or(file.log_roll),
                log_retention_days,
            )?,
            log_retention_days,
            warehouse: warehouse_options(flags.warehouse_memory.or(file.warehouse_memory))?,
            alone: flags.alone || file.alone.unwrap_or(false),
            worker: on_or_off("worker", flags.worker.or(file.worker).as_deref(), true)?,
            mcp: McpSettings::read(
                flags.mcp.mcp_hosts.or(file.mcp_hosts).as_deref(),
                flags.mcp.mcp_code.or(file.mcp_code).as_deref(),
            )?,
            periods: periods(
                flags.bandit_period.or(file.bandit_period),
                flags.autopilot_steps.or(file.autopilot_steps).as_deref(),
                flags.autopilot_period.or(file.autopilot_period),
            )?,
            webhook_allow,
            webhook_names: Names::default(),
            report_timeouts: ReportTimeouts::default(),
            node_lease: NODE_LEASE,
            log_level: flags.log_level.or(file.log_level).unwrap_or_else(|| "info".to_owned()),
            clock: Clock::System,
        })
    }
}

fn periods(bandit_s: Option<u64>, steps: Option<&str>, autopilot_s: Option<u64>) -> Result<ClockPeriods> {
    let default = ClockPeriods::default();
    let seconds = |setting: &str, given: Option<u64>, most: u64, default: Duration| match given {
        None => Ok(default),
        Some(seconds) if (60..=most).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        Some(seconds) => Err(Error::Setting(format!("{setting} must be 60 to {most} seconds, not {seconds}"))),
    };
    Ok(ClockPeriods {
        bandit: seconds("bandit-period", bandit_s, 604_800, default.bandit)?,
        autopilot: seconds("autopilot-period", autopilot_s, 2_592_000, default.autopilot)?,
        autopilot_steps: match steps {
            None => default.autopilot_steps,
            Some(text) => autopilot_steps(text).ok_or_else(|| {
                let rule =
                    "autopilot-steps must be up to 20 whole percentages from 1 to 100, each larger than the one before";
                Error::Setting(format!("{rule}, such as 10,50,100, not \"{text}\""))
            })?,
        },
    })
}

fn autopilot_steps(text: &str) -> Option<Vec<i64>> {
    let steps: Vec<i64> = text.split(',').map(|step| step.trim().parse().ok()).collect::<Option<_>>()?;
    let is_rising = steps.windows(2).all(|pair| pair[0] < pair[1]);
    (is_rising && steps.len() <= 20 && steps.iter().all(|step| (1..=100).contains(step))).then_some(steps)
}

/// Parses `on` or `off`.
fn on_or_off(setting: &str, word: Option<&str>, default: bool) -> Result<bool> {
    match word {
        None => Ok(default),
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(other) => Err(Error::Setting(format!("{setting} must be on or off, not \"{other}\""))),
    }
}

fn log_options(
    sync: Option<&str>,
    reserve_mib: Option<u64>,
    roll_mib: Option<u64>,
    retention_days: Option<i64>,
) -> Result<LogOptions> {
    let durability = match sync {
        None | Some("full") => Durability::Full,
        Some("relaxed") => Durability::Relaxed,
        Some(other) => return Err(Error::Setting(format!("log-sync must be full or relaxed, not \"{other}\""))),
    };
    let mut options = LogOptions { durability, ..LogOptions::default() };
    if let Some(mib) = reserve_mib {
        options.reserve = Reserve::Bytes(mib.saturating_mul(1 << 20));
    }
    match roll_mib {
        Some(0) => return Err(Error::Setting("log-roll must be at least 1 MiB, not 0".to_owned())),
        Some(mib) => options.roll_bytes = mib.saturating_mul(1 << 20),
        None => {}
    }
    if let Some(days) = retention_days {
        // Use enough files that the oldest one is far less than the tenth of the log that retention deletes at once.
        options.roll_us = options.roll_us.min(days.saturating_mul(DAY_US / 20));
    }
    Ok(options)
}

fn warehouse_options(memory_mib: Option<u64>) -> Result<warehouse::WarehouseOptions> {
    let mut options = warehouse::WarehouseOptions::default();
    match memory_mib {
        None => {}
        Some(mib @ 64..=1_048_576) => options.memory_bytes = mib << 20,
        Some(mib) => {
            return Err(Error::Setting(format!("warehouse-memory must be from 64 to 1048576 MiB, not {mib}")));
        }
    }
    Ok(options)
}

fn retention(text: Option<&str>) -> Result<Option<i64>> {
    match text {
        None => Ok(Some(395)),
        Some("off") => Ok(None),
        Some(days) => match days.parse() {
            Ok(days) if days >= 1 => Ok(Some(days)),
            _ => Err(Error::Setting(format!("log-retention must be a number of days or off, not \"{days}\""))),
        },
    }
}

fn address(name: &str, text: &str) -> Result<SocketAddr> {
    text.parse().map_err(|_| {
        Error::Setting(format!("{name} must be an address and a port such as 127.0.0.1:4170, not \"{text}\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file_and_unknown_keys_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("muriel.toml");
        let text = "listen = \"127.0.0.1:1\"\ndata_dir = \"there\"\nrate_limits = \"off\"\n\
                    page_api = \"shop\"\nvisitor_prefix = \"/x\"\n";
        std::fs::write(&path, text).unwrap();
        let common = Common { config: Some(path.clone()), ..Common::default() };
        let site = SiteFlags { visitor_prefix: Some("/y".into()), ..SiteFlags::default() };
        let flags = ServeFlags { listen: Some("127.0.0.1:2".into()), site, ..ServeFlags::default() };
        let settings = Settings::load(common.clone(), flags).unwrap();
        assert_eq!(settings.listen.port(), 2);
        assert_eq!(settings.storage.data_dir, Path::new("there"));
        assert_eq!(settings.storage.pepper_file, Path::new("there/pepper"));
        assert_eq!(settings.rate_limits, RateLimits::OFF);
        assert_eq!(settings.site.page_api.as_str(), "shop");
        assert_eq!(settings.site.visitor_prefix.as_str(), "/y");

        for (text, expect) in [
            ("lisen = \"127.0.0.1:1\"\n", "line 1: unknown field `lisen`"),
            (
                "# sizes\nlog_roll = \"large\"\n",
                "line 2, log_roll: invalid type: string \"large\", expected a whole number of MiB",
            ),
            ("log_roll = -1\n", "line 1, log_roll: invalid value: integer `-1`, expected a whole number of MiB"),
            ("log_roll = 0\n", "log-roll must be at least 1 MiB"),
            ("log_retention = true\n", "line 1, log_retention: expected a number of days or \"off\""),
            ("log_retention = 0\n", "log-retention must be a number of days or off, not \"0\""),
            ("log_roll = \n", "line 1, log_roll: "),
            ("é = 1\n", "line 1, é: invalid unquoted key"),
            ("listen", "line 1: "),
            ("bandit_period = 59\n", "bandit-period must be 60 to 604800 seconds, not 59"),
            ("autopilot_period = 0\n", "autopilot-period must be 60 to 2592000 seconds, not 0"),
            ("autopilot_steps = \"50,10\"\n", "each larger than the one before, such as 10,50,100, not \"50,10\""),
            ("autopilot_steps = \"0\"\n", "autopilot-steps must be"),
            ("autopilot_steps = \"\"\n", "autopilot-steps must be"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Settings::load(common.clone(), ServeFlags::default()).unwrap_err().to_string();
            assert!(error.contains(expect), "{text} gives: {error}");
        }
        for (text, expect) in [("log_retention = 90", Some(90)), ("log_retention = \"off\"", None)] {
            std::fs::write(&path, text).unwrap();
            let settings = Settings::load(common.clone(), ServeFlags::default()).unwrap();
            assert_eq!(settings.log_retention_days, expect, "{text}");
        }
    }

    #[test]
    fn the_address_of_the_database_can_be_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let (settings, secret) = (dir.path().join("muriel.toml"), dir.path().join("url"));
        let common = Common { config: Some(settings.clone()), ..Common::default() };
        let of = |common: &Common| StorageSettings::load(common).map(|place| place.database_url);
        std::fs::write(&secret, "postgres://u:s3cret@h/d\n").unwrap();
        std::fs::write(&settings, format!("database_url_file = {secret:?}\n")).unwrap();
        assert_eq!(of(&common).unwrap().as_deref(), Some("postgres://u:s3cret@h/d"));
        // Either flag takes precedence over either key of the file.
        let flag = Common { database_url: Some("postgres://other/d".into()), ..common.clone() };
        assert_eq!(of(&flag).unwrap().as_deref(), Some("postgres://other/d"));
        std::fs::write(&settings, "database_url = \"postgres://other/d\"\n").unwrap();
        let flag = Common { database_url_file: Some(secret.clone()), ..common.clone() };
        assert_eq!(of(&flag).unwrap().as_deref(), Some("postgres://u:s3cret@h/d"));
        for (url, file, text, expect) in [
            ("postgres://other/d", Some(&secret), "x", "not both"),
            ("", Some(&secret), "", "must have one line"),
            ("", Some(&secret), "postgres://h/d\npostgres://h/e\n", "must have one line"),
            ("", Some(&dir.path().join("nowhere")), "", "cannot read the address of the database in"),
        ] {
            std::fs::write(&secret, text).unwrap();
            let url = Some(url.to_owned()).filter(|url| !url.is_empty());
            let both = Common { database_url: url, database_url_file: file.cloned(), ..Common::default() };
            let error = of(&both).unwrap_err().to_string();
            assert!(error.contains(expect) && !error.contains("postgres://"), "{error}");
        }
    }

    #[test]
    fn a_size_that_is_no_number_is_said_in_plain_words() {
        let command = ServeFlags::augment_args(clap::Command::new("muriel"));
        for value in ["large", "-1", "1.5", ""] {
            let error =
                command.clone().try_get_matches_from(["muriel", "--log-reserve", value]).unwrap_err().to_string();
            assert!(error.contains("must be a whole number of MiB"), "{error}");
        }
    }
}
