//! Simulated visitors, who use the same interfaces as real ones: decisions and events
//! over HTTP.

mod chance;
mod ended;
mod history;
mod live;
mod page;
mod people;
mod visit;
mod wire;

pub(crate) use ended::EndedExperiments;
pub(crate) use history::History;
pub use history::Sent;
pub use live::LiveVisitors;

use super::data::Project;
use crate::{Error, Result};
use muriel_assign::{Document, Ruleset};
use muriel_domain::Instant;
use muriel_domain::experiment::Arm;
use std::collections::HashMap;
use visit::MetExperiment;
use wire::Wire;

/// Settings of the visitors of the past.
#[derive(Debug, Clone, Copy)]
pub struct VisitorSettings {
    /// Number of visits per day, to both projects together.
    pub visitors_per_day: u64,
    /// Number of days before the demo was made, at least 1.
    pub days: i64,
    /// Seed: the same number gives the same visitors.
    pub seed: u64,
}

/// Percentage of all visitors who come to the shop.
const SHOP_PERCENT: u64 = 70;

fn visitors_of(project: Project, all: u64) -> u64 {
    let shop = all * SHOP_PERCENT / 100;
    match project {
        Project::Shop => shop,
        Project::Journal => all - shop,
    }
}

/// Ruleset of a project, as visitors get it.
struct Site {
    project: Project,
    ruleset: Ruleset,
    /// Live experiments by their keys.
    tests: HashMap<String, Test>,
}

struct Test {
    id: i64,
    page: String,
    epoch: i64,
    /// Address to which each variant redirects, in a split test.
    leads: Vec<Option<String>>,
    /// Number of changes that each variant makes to its pages.
    changes: Vec<usize>,
}

impl Site {
    /// Fetches the project's ruleset.
    async fn fetch(wire: &mut Wire, project: Project) -> Result<Site> {
        let what = format!("GET /ruleset/{}", project.key());
        let answer = wire.send(&what, &[], b"").await?;
        let document: Document = serde_json::from_slice(&answer.body).map_err(|error| Error::Other(error.into()))?;
        let ruleset = Ruleset::compile(&document)
            .map_err(|problems| Error::Other(format!("the ruleset is not valid: {:?}", problems.first()).into()))?;
        let tests = document.experiments.iter().filter(|test| test.live).map(|test| {
            let leads = test.variants.iter().map(|variant| {
                let first = variant.data.first().filter(|change| change.is_redirect())?;
                first.as_object()["url"].as_str().map(str::to_owned)
            });
            let changes =
                test.variants.iter().map(|variant| variant.data.iter().filter(|change| !change.is_redirect()).count());
            let (page, leads, changes) = (test.variants_data_key.clone(), leads.collect(), changes.collect());
            let about = Test { id: test.test_id, page, epoch: test.epoch, leads, changes };
            (test.experiment_key.clone(), about)
        });
        let tests = tests.collect();
        Ok(Site { project, ruleset, tests })
    }

    /// An experiment that a visitor takes part in.
    fn met<'s>(&'s self, experiment_key: &str, variant: Arm) -> Option<MetExperiment<'s>> {
        let (experiment_key, test) = self.tests.get_key_value(experiment_key)?;
        let (variant_id, epoch) = (variant.id(), test.epoch);
        let nth = variant_id.parse::<usize>().ok().and_then(|nth| nth.checked_sub(1));
        let leads = nth.and_then(|nth| test.leads.get(nth)?.as_deref());
        let changes = nth.and_then(|nth| test.changes.get(nth).copied()).unwrap_or(0);
        Some(MetExperiment { test_id: test.id, experiment_key, page: &test.page, variant_id, epoch, leads, changes })
    }
}

/// Weight of each hour (UTC) in a day's traffic.
const HOURS: [(u32, i64); 24] = [
    (2, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (2, 4),
    (4, 5),
    (7, 6),
    (9, 7),
    (9, 8),
    (9, 9),
    (9, 10),
    (10, 11),
    (10, 12),
    (9, 13),
    (9, 14),
    (9, 15),
    (10, 16),
    (11, 17),
    (13, 18),
    (14, 19),
    (13, 20),
    (10, 21),
    (6, 22),
    (4, 23),
];

/// A random time in the day that ends at `end`, weighted by the hours of traffic.
fn moment_before(end: Instant, chance: &mut chance::Chance) -> Instant {
    const HOUR_US: i64 = 3_600_000_000;
    let hour = *chance.pick(&HOURS);
    let within = chance.between(0, HOUR_US);
    // The last time before `end` with this time of day.
    let of_day = hour * HOUR_US + within;
    let day = muriel_domain::time::DAY_US;
    let ago = (end.us() - of_day).rem_euclid(day);
    end.plus_us(-ago)
}
