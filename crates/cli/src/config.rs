//! Settings: flags over environment over a TOML file over defaults.

use crate::{Error, Result};
use clap::Args;
use muriel_api::clock::Clock;
use muriel_api::limits::RateLimits;
use muriel_api::visitor::TrustedProxies;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where things are: the same for every command.
#[derive(Debug, Clone, Default, Args)]
pub struct Common {
    /// Directory for everything that is stored here [default: data].
    #[arg(long, env = "MURIEL_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// PostgreSQL instead of SQLite: postgres://user@host/database.
    #[arg(long, env = "MURIEL_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// File with the pepper of the API keys [default: pepper in the data directory].
    #[arg(long, env = "MURIEL_PEPPER_FILE", value_name = "FILE")]
    pub pepper_file: Option<PathBuf>,
    /// TOML file with settings; flags and environment win over it.
    #[arg(long, env = "MURIEL_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What only a server needs.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeFlags {
    /// Address to answer on [default: 127.0.0.1:4170].
    #[arg(long, env = "MURIEL_LISTEN", value_name = "ADDR")]
    pub listen: Option<String>,
    /// Address for Prometheus, or off [default: 127.0.0.1:4171].
    #[arg(long, env = "MURIEL_METRICS_LISTEN", value_name = "ADDR")]
    pub metrics_listen: Option<String>,
    /// Requests per second and burst, or off [default: key=1000/5000,network=2000/10000].
    #[arg(long, env = "MURIEL_RATE_LIMITS", value_name = "LIMITS")]
    pub rate_limits: Option<String>,
    /// error, warn, info, debug or trace [default: info].
    #[arg(long, env = "MURIEL_LOG_LEVEL", value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// File of MaxMind's format that tells where addresses are.
    #[arg(long, env = "MURIEL_GEO_DATABASE", value_name = "FILE")]
    pub geo_database: Option<PathBuf>,
    /// Networks of proxies whose word about a client's address counts [default: off].
    #[arg(long, env = "MURIEL_TRUSTED_PROXIES", value_name = "NETWORKS")]
    pub trusted_proxies: Option<String>,
}

/// The file. An unknown key is an error: a typing mistake must not pass for a
/// setting.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    data_dir: Option<PathBuf>,
    database_url: Option<String>,
    pepper_file: Option<PathBuf>,
    listen: Option<String>,
    metrics_listen: Option<String>,
    rate_limits: Option<String>,
    log_level: Option<String>,
    geo_database: Option<PathBuf>,
    trusted_proxies: Option<String>,
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
            Error::Setting(format!("the settings in {} make no sense: {}", path.display(), error.message()))
        })
    }
}

/// Where things are, decided.
#[derive(Debug, Clone)]
pub struct Place {
    /// Directory for everything that is stored here.
    pub data_dir: PathBuf,
    /// PostgreSQL instead of SQLite.
    pub database_url: Option<String>,
    /// File with the pepper.
    pub pepper_file: PathBuf,
}

/// Everything that a server needs, decided.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where things are.
    pub place: Place,
    /// Address to answer on.
    pub listen: SocketAddr,
    /// Address for Prometheus.
    pub metrics_listen: Option<SocketAddr>,
    /// How often keys and networks may ask.
    pub rate_limits: RateLimits,
    /// How much is logged.
    pub log_level: String,
    /// Where addresses are.
    pub geo_database: Option<PathBuf>,
    /// Whose word about an address counts.
    pub trusted_proxies: TrustedProxies,
    /// What time it is.
    pub clock: Clock,
}

impl Place {
    /// # Errors
    /// A settings file that cannot be read or makes no sense.
    pub fn load(common: &Common) -> Result<Self> {
        File::read(common.config.as_deref()).map(|file| Self::of(common, &file))
    }

    fn of(common: &Common, file: &File) -> Self {
        let data_dir = common.data_dir.clone().or_else(|| file.data_dir.clone()).unwrap_or_else(|| "data".into());
        Self {
            database_url: common.database_url.clone().or_else(|| file.database_url.clone()),
            pepper_file: common
                .pepper_file
                .clone()
                .or_else(|| file.pepper_file.clone())
                .unwrap_or_else(|| data_dir.join("pepper")),
            data_dir,
        }
    }
}

impl Settings {
    /// # Errors
    /// A settings file that cannot be read, and settings that make no sense.
    pub fn load(common: Common, flags: ServeFlags) -> Result<Self> {
        let file = File::read(common.config.as_deref())?;
        let place = Place::of(&common, &file);
        let listen = flags.listen.or(file.listen).unwrap_or_else(|| "127.0.0.1:4170".to_owned());
        let metrics = flags.metrics_listen.or(file.metrics_listen).unwrap_or_else(|| "127.0.0.1:4171".to_owned());
        let rate_limits = match flags.rate_limits.or(file.rate_limits) {
            None => RateLimits::default(),
            Some(text) => text.parse().map_err(|error| Error::Setting(format!("rate-limits: {error}")))?,
        };
        let trusted_proxies = match flags.trusted_proxies.or(file.trusted_proxies) {
            None => TrustedProxies::default(),
            Some(text) => text.parse().map_err(|error| Error::Setting(format!("trusted-proxies: {error}")))?,
        };
        Ok(Self {
            place,
            listen: address("listen", &listen)?,
            metrics_listen: if metrics == "off" { None } else { Some(address("metrics-listen", &metrics)?) },
            rate_limits,
            geo_database: flags.geo_database.or(file.geo_database),
            trusted_proxies,
            log_level: flags.log_level.or(file.log_level).unwrap_or_else(|| "info".to_owned()),
            clock: Clock::System,
        })
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
        std::fs::write(&path, "listen = \"127.0.0.1:1\"\ndata_dir = \"there\"\nrate_limits = \"off\"\n").unwrap();
        let common = Common { config: Some(path.clone()), ..Common::default() };
        let flags = ServeFlags { listen: Some("127.0.0.1:2".into()), ..ServeFlags::default() };
        let settings = Settings::load(common.clone(), flags).unwrap();
        assert_eq!(settings.listen.port(), 2);
        assert_eq!(settings.place.data_dir, Path::new("there"));
        assert_eq!(settings.place.pepper_file, Path::new("there/pepper"));
        assert_eq!(settings.rate_limits, RateLimits::OFF);

        std::fs::write(&path, "lisen = \"127.0.0.1:1\"\n").unwrap();
        let error = Settings::load(common, ServeFlags::default()).unwrap_err().to_string();
        assert!(error.contains("lisen"), "{error}");
    }
}
