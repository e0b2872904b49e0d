//! A demo company to explore: two projects with half a year of goals, hypotheses and experiments, a shop with pages,
//! and simulated visitors, both of the past and live.
//!
//! The data is created through the API, with the clock moved between requests. [`Company::ensure`] and
//! [`Company::fill`] create it; [`visit_past`] and [`LiveVisitors`] send the visitors; [`shop`] serves the pages.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod client;
mod data;
mod error;
mod seed;
pub mod shop;
#[cfg(test)]
mod tests;
mod visitors;
mod welcome;

pub use data::COMPANY;
pub use error::{Error, Result};
pub use visitors::{LiveVisitors, Sent, VisitorSettings};
pub use welcome::{Welcome, reachable};

use client::Client;
use data::Project;
use muriel_context::api_key::{ApiKey, Pepper};
use muriel_context::clock::Clock;
use muriel_domain::Instant;
use muriel_http::connection::ServerSettings;
use muriel_http::edge::{Edge, EdgeSettings};
use muriel_http::limits::{Limits, RateLimits};
use muriel_http::metrics::HttpMetrics;
use muriel_http::server;
use muriel_service::{App, Traffic, experiments};
use muriel_sql::Db;
use muriel_store::programme::{self, ProgrammeFilter};
use muriel_store::{settings as stored, tenants};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;
use visitors::{EndedExperiments, History};

/// Setting that records that the visitors of the past have been sent.
const VISITED: &str = "demo_visitors";
/// Timeout for loading the events of concluded experiments before their results are computed.
const LOADING_TIMEOUT: Duration = Duration::from_secs(60);

/// The demo's company in a database.
#[derive(Debug)]
pub struct Company {
    /// Projects, if the company was just created and has nothing else yet.
    new_projects: Option<[Arc<muriel_store::tenants::Project>; 2]>,
    now: Instant,
}

/// Live experiments and shop of a prepared demo.
#[derive(Debug)]
pub struct Prepared {
    /// Keys and ids of the shop's experiments that are live.
    pub live: Vec<(String, i64)>,
    /// Origin of the shop that the experiments name.
    pub shop: Arc<str>,
}

impl Company {
    /// Finds the company, or creates it with its two projects if the database is empty.
    ///
    /// # Errors
    /// A database that holds other companies, or an incomplete demo; a database that cannot be reached.
    pub async fn ensure(db: &Db, pepper: &Pepper) -> Result<Self> {
        let now = Clock::System.now();
        let new_projects = match seed::is_seeded(db).await? {
            true => None,
            false => Some(seed::found(db, pepper, now).await?),
        };
        Ok(Self { new_projects, now })
    }

    /// Creates the company's data, unless it exists. `key` has every scope in both projects; `shop` is the origin of
    /// the shop, which the experiments name. Existing experiments keep the origin with which they were created.
    ///
    /// # Errors
    /// Data that the API refuses, in its words.
    pub async fn fill(self, db: &Db, pepper: &Pepper, key: &ApiKey, shop: &str) -> Result<Prepared> {
        if let Some(projects) = self.new_projects {
            let started = std::time::Instant::now();
            seed::seed(db, pepper, key, projects, shop, self.now).await?;
            tracing::info!(duration_ms = started.elapsed().as_millis() as u64, "the demo's data was created");
        }
        let app = App::new(db.clone(), pepper.clone(), Clock::System, Traffic::default());
        let live = live_in_shop(&Client::new(app, key)).await?;
        let named = seed::shop(db).await?;
        Ok(Prepared { live, shop: named.as_deref().unwrap_or(shop).into() })
    }
}

/// Origin of the shop that the experiments name; `None` before they are created.
pub async fn shop_origin(db: &Db) -> Result<Option<String>> {
    seed::shop(db).await
}

/// Keys and ids of the shop's live experiments. The list is for the whole company, so each experiment is requested in
/// the project.
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

/// Sends the visitors of the past through the server, and calls `progress` with each number of visits that were stored.
/// `None` when they were sent before. If it is interrupted, the next call sends the same visits again, which count only
/// once.
///
/// # Errors
/// When the server refuses something, or is busy for a long time.
pub async fn visit_past(
    app: &App,
    key: &ApiKey,
    shop: Arc<str>,
    settings: VisitorSettings,
    progress: impl Fn(u64) + Send + Sync + 'static,
) -> Result<Option<Sent>> {
    let Some(until) = unvisited(&app.db).await? else { return Ok(None) };
    // The experiments were created just before, by another instance of the application.
    app.rulesets.refresh_all().await.map_err(|error| Error::Other(error.to_string().into()))?;
    let (address, _serving) = unlimited(app.clone()).await?;
    let ended = EndedExperiments { address, key: key.clone(), shop: shop.clone(), settings, now: until };
    let of_ended = ended.visit().await?;
    let walked = History { address, key: key.clone(), shop, settings, until }.walk(Arc::new(progress)).await?;
    let sent = Sent { events: walked.events + of_ended, ..walked };
    let at = Clock::System.now().to_string();
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move { Ok(stored::get_or_set(tx, VISITED, &at).await.map(drop)?) })
        })
        .await?;
    Ok(Some(sent))
}

/// Stores the results of the concluded experiments, once their visitors' events are loaded. Stored results are not
/// replaced.
///
/// # Errors
/// When a result cannot be computed, or not within a minute.
pub async fn store_results(app: &App) -> Result<()> {
    let due = app
        .db
        .read::<_, Error, _>(|tx| {
            Box::pin(async move {
                let Some(company) = tenants::company_named(tx, COMPANY).await? else { return Ok(Vec::new()) };
                let mut due = Vec::new();
                for project in tenants::projects_of(tx, company).await? {
                    let of_project = ProgrammeFilter { projects: Some(vec![project.id]), ..ProgrammeFilter::default() };
                    let concluded = programme::concluded(tx, company, &of_project, i64::MAX).await?;
                    let missing = concluded.into_iter().filter(|row| row.result.is_none());
                    due.extend(missing.map(|row| (project.clone(), row.id)));
                }
                Ok(due)
            })
        })
        .await?;
    let deadline = tokio::time::Instant::now() + LOADING_TIMEOUT;
    for (project, id) in due {
        loop {
            match experiments::store_result(app, &project, id).await {
                Err(muriel_context::Error::NotYet { .. } | muriel_context::Error::Unavailable { .. })
                    if tokio::time::Instant::now() < deadline =>
                {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                stored => break stored?,
            }
        }
    }
    Ok(())
}

/// End of the past; `None` when its visitors have been sent.
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

/// A server that ends when this is dropped.
#[derive(Debug)]
pub struct Serving(AbortHandle);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Serves the same state at another address without rate limits: half a year of visitors is more than any client may
/// send in a second.
async fn unlimited(app: App) -> Result<(SocketAddr, Serving)> {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.map_err(|error| Error::Other(error.into()))?;
    let address = listener.local_addr().map_err(|error| Error::Other(error.into()))?;
    let metrics = Arc::new(HttpMetrics::default());
    let limits = Arc::new(Limits::new(RateLimits::OFF, &metrics));
    let edge = Edge::new(
        muriel_api::router::router(app, muriel_api::router::Listener::Everybody),
        EdgeSettings::default(),
        limits,
        metrics.clone(),
    );
    let serving = server::serve(listener, edge, metrics, ServerSettings::default(), std::future::pending());
    Ok((address, Serving(tokio::spawn(serving).abort_handle())))
}
