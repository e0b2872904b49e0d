//! The visitors of the past.

use super::chance::Chance;
use super::people::Person;
use super::visit::{MetExperiment, Visit};
use super::wire::Wire;
use super::{Site, VisitorSettings, moment_before, visitors_of};
use crate::data::Project;
use crate::{Error, Result};
use muriel_context::api_key::ApiKey;
use muriel_domain::Instant;
use muriel_domain::experiment::Arm;
use muriel_domain::time::DAY_US;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Number of connections that send events at the same time, so that many requests share
/// a commit of the log.
const CONNECTIONS: usize = 48;
/// Maximum number of requests that wait for each connection.
const MAX_QUEUED_REQUESTS: usize = 4;
/// Number of visits that are decided with one request.
const VISITS_PER_REQUEST: usize = 500;
/// Maximum number of events in one request.
const EVENTS: usize = 500;
/// Maximum number of attempts when the server is busy.
const MAX_ATTEMPTS: u32 = 20;
/// Share of visits by returning visitors.
const RETURNING: f64 = 0.28;

/// Sends the visitors of the past.
pub(crate) struct History {
    /// A server without limits.
    pub(crate) address: SocketAddr,
    pub(crate) key: ApiKey,
    /// Origin of the shop.
    pub(crate) shop: Arc<str>,
    pub(crate) settings: VisitorSettings,
    /// End of the past.
    pub(crate) until: Instant,
}

/// Numbers of what the visitors of the past sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// Number of visits.
    pub visits: u64,
    /// Number of events.
    pub events: u64,
}

/// Function that is called with each number of visits that were stored.
type Progress = Arc<dyn Fn(u64) + Send + Sync>;

/// Start of the current epoch of each delivered experiment, by its id.
type Epochs = HashMap<i64, Instant>;

#[derive(Deserialize)]
struct Decided {
    assignments: Vec<Vec<Assignment>>,
}

#[derive(Deserialize)]
struct Assignment {
    experiment_key: String,
    variant: String,
    in_experiment: bool,
}

/// A request with events that waits to be sent.
struct EventBatch {
    project: Project,
    body: Vec<u8>,
    visits: u64,
    events: u64,
}

impl History {
    /// Sends all visitors through the server. The same seed and end give the same
    /// events, so events that were sent before count once.
    ///
    /// # Errors
    /// When the server refuses something, or is busy for a long time.
    pub(crate) async fn walk(&self, progress: Progress) -> Result<Sent> {
        let authorization: Arc<str> = format!("Authorization: Bearer {}", self.key.reveal()).into();
        let mut senders = Vec::with_capacity(CONNECTIONS);
        let mut working = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let (sender, batches) = mpsc::channel(MAX_QUEUED_REQUESTS);
            senders.push(sender);
            working.spawn(deliver(Wire::new(self.address), authorization.clone(), batches, progress.clone()));
        }
        let mut next = senders.iter().cycle();
        let mut wire = Wire::new(self.address);
        let mut known = [0_u64; 2];
        let mut sites = Vec::new();
        for project in Project::ALL {
            let site = Site::fetch(&mut wire, project).await?;
            let epochs = self.epochs(&mut wire, &site, &authorization).await?;
            sites.push((site, epochs));
        }
        'days: for day in (0..self.settings.days).rev() {
            for (site, epochs) in &sites {
                let project = site.project;
                let visits = self.visits(project, day, &mut known[project as usize]);
                let mut visits = visits.into_iter().peekable();
                while visits.peek().is_some() {
                    let together: Vec<Visit> = visits.by_ref().take(VISITS_PER_REQUEST).collect();
                    for batch in self.batches(&mut wire, site, epochs, &authorization, together).await? {
                        let Some(sender) = next.next() else { break 'days };
                        if sender.send(batch).await.is_err() {
                            // The sender that ended returns the reason.
                            break 'days;
                        }
                    }
                }
            }
        }
        drop(senders);
        let mut made = Sent::default();
        while let Some(ended) = working.join_next().await {
            let of_one = ended.map_err(|error| Error::Other(error.into()))??;
            made.visits += of_one.visits;
            made.events += of_one.events;
        }
        Ok(made)
    }

    /// The visits of one day, in order. `known` counts all visitors so far.
    fn visits(&self, project: Project, day: i64, known: &mut u64) -> Vec<Visit> {
        let (seed, end) = (self.settings.seed, self.until.plus_us(-day * DAY_US));
        let before = *known;
        let mut visits: Vec<Visit> = (0..visitors_of(project, self.settings.visitors_per_day))
            .map(|nth| {
                let mut chance = Chance::of(&[seed, 2, project as u64, day.unsigned_abs(), nth]);
                let returning = before > 0 && chance.is(RETURNING);
                let number = if returning { chance.below(before) } else { *known };
                *known += u64::from(!returning);
                let at = moment_before(end, &mut chance);
                Visit::new(project, &self.shop, Person::new(seed, project, number), at, returning, chance)
            })
            .collect();
        visits.sort_by_key(|visit| visit.at);
        visits
    }

    /// Decides the experiments of the visits, and builds the batches of their events.
    async fn batches(
        &self,
        wire: &mut Wire,
        site: &Site,
        epochs: &Epochs,
        authorization: &str,
        visits: Vec<Visit>,
    ) -> Result<Vec<EventBatch>> {
        let contexts: Vec<Value> = visits.iter().map(Visit::context).collect();
        let what = format!("POST /v2/project/{}/evaluate-many", site.project.key());
        let body = json!({ "contexts": contexts }).to_string();
        let answer = ask(wire, &what, &[authorization], body.as_bytes()).await?;
        let decided: Decided = serde_json::from_slice(&answer).map_err(|error| Error::Other(error.into()))?;
        let mut batches = Vec::with_capacity(visits.len());
        for (visit, assignments) in visits.into_iter().zip(decided.assignments) {
            let met: Vec<MetExperiment<'_>> = assignments
                .iter()
                .filter(|assignment| assignment.in_experiment)
                .filter_map(|assignment| site.met(&assignment.experiment_key, Arm::from_name(&assignment.variant)?))
                // No visitor takes part in an epoch before it began.
                .filter(|met| epochs.get(&met.test_id).is_some_and(|began| *began <= visit.at))
                .collect();
            let (project, visitor) = (visit.project, visit.as_json());
            let (events, _) = visit.events(&met);
            for (nth, events) in events.chunks(EVENTS).enumerate() {
                let body = json!({ "visitor": visitor, "events": events }).to_string().into_bytes();
                batches.push(EventBatch { project, body, visits: u64::from(nth == 0), events: events.len() as u64 });
            }
        }
        Ok(batches)
    }

    async fn epochs(&self, wire: &mut Wire, site: &Site, authorization: &str) -> Result<Epochs> {
        let mut epochs = Epochs::new();
        for test in site.tests.values() {
            let what = format!("GET /v2/project/{}/experiment/{}", site.project.key(), test.id);
            let answer: Value = serde_json::from_slice(&ask(wire, &what, &[authorization], b"").await?)
                .map_err(|error| Error::Other(error.into()))?;
            let all = answer["experiment"]["epochs"].as_array();
            let now = all.into_iter().flatten().find(|epoch| epoch["epoch"] == test.epoch);
            let began = now.and_then(|epoch| Instant::parse(epoch["started_at"].as_str()?).ok());
            epochs.extend(began.map(|began| (test.id, began)));
        }
        Ok(epochs)
    }
}

/// Sends batches until there are no more.
async fn deliver(
    mut wire: Wire,
    authorization: Arc<str>,
    mut batches: mpsc::Receiver<EventBatch>,
    progress: Progress,
) -> Result<Sent> {
    let mut made = Sent::default();
    while let Some(batch) = batches.recv().await {
        let what = format!("POST /events/{}", batch.project.key());
        let answer = ask(&mut wire, &what, &[&*authorization], &batch.body).await?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|error| Error::Other(error.into()))?;
        let results = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(invalid) = results.iter().find(|result| result["status"] == "invalid") {
            return Err(Error::Other(format!("the server refused an event: {}", invalid["message"]).into()));
        }
        made.visits += batch.visits;
        made.events += batch.events;
        progress(batch.visits);
    }
    Ok(made)
}

/// Returns the body of a successful answer. If the server is busy, it tries again.
pub(super) async fn ask(wire: &mut Wire, what: &str, headers: &[&str], body: &[u8]) -> Result<Vec<u8>> {
    let mut attempts = 0;
    loop {
        let answer = wire.send(what, headers, body).await?;
        match answer.status {
            200 => return Ok(answer.body),
            429 | 503 if attempts < MAX_ATTEMPTS => {
                attempts += 1;
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            status => {
                let text = String::from_utf8_lossy(&answer.body).into_owned();
                return Err(Error::Other(format!("{what} was answered with {status}: {text}").into()));
            }
        }
    }
}
