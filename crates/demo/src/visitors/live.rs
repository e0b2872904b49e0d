//! Visitors who come while the demo runs. Like a page, they know only the project's
//! key: they fetch its ruleset and decide by themselves.

use super::chance::Chance;
use super::people::Person;
use super::visit::{MetExperiment, Visit};
use super::wire::Wire;
use super::{Site, visitors_of};
use crate::Result;
use crate::data::Project;
use muriel_assign::{EvaluationSide, NoopObserver, Visitor};
use muriel_context::clock::Clock;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant as Tick, MissedTickBehavior};

/// Time for which a ruleset is used.
const FRESH: Duration = Duration::from_secs(10);
/// Approximate duration of a visit, in microseconds.
const VISIT_US: i64 = 60_000_000;
/// Share of visits by visitors of the past.
const RETURNING: f64 = 0.3;

/// Visitors who come while the demo runs.
pub struct LiveVisitors {
    /// Address of the demo's server.
    pub address: SocketAddr,
    /// Origin of the shop.
    pub shop: Arc<str>,
    /// Seed: another number gives other visitors.
    pub seed: u64,
    /// Visits per second, above 0.
    pub rate: f64,
    /// Number of visitors of the past.
    pub known: u64,
}

impl LiveVisitors {
    /// Sends visitors until it is dropped. No error ends it.
    pub async fn keep_coming(self) {
        let mut every = tokio::time::interval(Duration::from_secs_f64(1.0 / self.rate));
        every.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut wire = Wire::new(self.address);
        let mut sites: Option<(Tick, Vec<Site>)> = None;
        // Different visitors at every start.
        let mut chance = Chance::of(&[self.seed, 3, Clock::System.now().us().unsigned_abs()]);
        loop {
            every.tick().await;
            if let Err(error) = self.one(&mut wire, &mut sites, &mut chance).await {
                tracing::debug!(error = &error as &dyn std::error::Error, "a simulated visitor was lost");
                sites = None;
            }
        }
    }

    async fn one(&self, wire: &mut Wire, sites: &mut Option<(Tick, Vec<Site>)>, chance: &mut Chance) -> Result<()> {
        if sites.as_ref().is_none_or(|(at, _)| at.elapsed() > FRESH) {
            let mut fetched = Vec::new();
            for project in Project::ALL {
                fetched.push(Site::fetch(wire, project).await?);
            }
            *sites = Some((Tick::now(), fetched));
        }
        let Some((_, sites)) = sites else { return Ok(()) };
        let is_shop = chance.below(100) < visitors_of(Project::Shop, 100);
        let project = if is_shop { Project::Shop } else { Project::Journal };
        let Some(site) = sites.iter().find(|site| site.project == project) else { return Ok(()) };

        let now = Clock::System.now();
        let known = visitors_of(project, self.known);
        let returning = known > 0 && chance.is(RETURNING);
        let number = if returning { chance.below(known) } else { (1 << 40) + chance.below(1 << 40) };
        let person = Person::new(self.seed, project, number);
        let begun = now.plus_us(-VISIT_US);
        let visit = Visit::new(project, &self.shop, person, begun, returning, Chance::of(&[chance.below(u64::MAX)]));
        let context = visit.context();
        let facts = context.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value.into()));
        let Ok(mut visitor) = Visitor::read(facts) else { return Ok(()) };
        visitor.now_ms = now.us().div_euclid(1_000);
        visitor.side = EvaluationSide::Browser;
        let met: Vec<MetExperiment<'_>> = site
            .ruleset
            .experiments()
            .iter()
            .filter_map(|experiment| {
                let decision = experiment.decide(&visitor, &mut NoopObserver);
                site.met(&experiment.key, decision.arm.filter(|_| decision.in_experiment())?)
            })
            .collect();

        let (id, agent) = (visit.person.id.clone(), format!("User-Agent: {}", visit.person.agent.header));
        let (events, over) = visit.events(&met);
        // The server shifts the times of events by the difference between `sent_at` and
        // its own clock, so that the visit ends now.
        let body = json!({ "sent_at": over, "visitor": { "id": id }, "events": events }).to_string();
        let what = format!("POST /events/{}", project.key());
        wire.send(&what, &[&agent], body.as_bytes()).await.map(drop)
    }
}
