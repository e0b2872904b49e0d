//! A company to look around in: its data, made through the API, and a server.

mod client;
mod data;
mod seed;
#[cfg(test)]
mod tests;
mod welcome;

use crate::access::{WantedKey, key_create};
use crate::config::{Common, ServeFlags, Settings};
use crate::open::{Opened, open};
use crate::serve::{self, Signals};
use crate::{Error, Result, logs};
use client::Client;
use data::{COMPANY, Project};
use muriel_api::api_key::ApiKey;
use muriel_api::clock::Clock;
use muriel_api::{App, Traffic};
use std::io::{IsTerminal, Write};
use std::net::{SocketAddr, TcpListener};
use tempfile::TempDir;
use welcome::Welcome;

/// Serves the demo until SIGTERM or SIGINT; its data is made where there is
/// none, and goes at the end unless the flags say where to keep it.
///
/// # Errors
/// What keeps a server from starting, and whatever the API refuses of the data.
pub(crate) fn run(common: Common, flags: ServeFlags) -> Result<()> {
    let listen_anywhere = flags.listen.is_none();
    let (settings, throw_away) = settings(common, flags)?;
    let _logs = logs::start(&settings.log_level)?;
    crate::block_on(until_signalled(settings, listen_anywhere, throw_away.as_ref()))
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

async fn until_signalled(settings: Settings, listen_anywhere: bool, throw_away: Option<&TempDir>) -> Result<()> {
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
        let prepared = prepare(&opened).await;
        opened.db.close().await?;
        prepared
    };
    let prepared = tokio::select! {
        prepared = prepared => prepared.map(Some),
        () = signals.wait() => Ok(None),
    };
    if let Ok(Some((api_key, live))) = &prepared {
        let welcome = Welcome {
            address: running.address,
            metrics_address: running.metrics_address,
            api_key: api_key.reveal().to_owned(),
            kept_in: match (throw_away, &settings.place.database_url) {
                (Some(_), _) => "in a temporary directory that goes when this stops".to_owned(),
                (None, Some(_)) => "in the database of --database-url".to_owned(),
                (None, None) => settings.place.data_dir.display().to_string(),
            },
            live: *live,
        };
        let mut out = std::io::stdout();
        let text = welcome.text(out.is_terminal() && std::env::var_os("NO_COLOR").is_none());
        // Somebody who closed the output still wants the server.
        let _ = write!(out, "muriel ready http://{}\n{text}", running.address).and_then(|()| out.flush());
        signals.wait().await;
    }
    running.stop().await?;
    prepared.map(drop)
}

/// Makes the data unless it is there; a new key, and the id of an experiment of
/// the shop that is live.
async fn prepare(opened: &Opened) -> Result<(ApiKey, Option<i64>)> {
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
        seed::seed(opened, &key, projects, now).await?;
        tracing::info!(duration_ms = started.elapsed().as_millis() as u64, "the demo's data is made");
    }
    let app = App::new(opened.db.clone(), opened.pepper.clone(), Clock::System, Traffic::default());
    let live = live_in_shop(&Client::new(app, &key)).await?;
    Ok((key, live))
}

/// An experiment of the shop that is live. The list is the company's, so each is
/// asked for in the project.
async fn live_in_shop(client: &Client) -> Result<Option<i64>> {
    let listed = client.get(Project::Shop, "experiments?limit=500").await?;
    for test in listed["experiments"].as_array().into_iter().flatten().filter(|test| test["status"] == 1) {
        let Some(id) = test["test_id"].as_i64() else { continue };
        if client.get(Project::Shop, &format!("experiment/{id}")).await.is_ok() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
