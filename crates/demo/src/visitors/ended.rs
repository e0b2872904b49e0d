//! Visitors of experiments that had ended before the first simulated visits.
//!
//! Only the events that results need are sent: an exposure, and the events of goals.

use super::chance::Chance;
use super::history::ask;
use super::people::Person;
use super::wire::Wire;
use super::{VisitorSettings, moment_before};
use crate::data::{Demo, Experiment};
use crate::{Error, Result};
use muriel_context::api_key::ApiKey;
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

/// Number of visits per day at which an experiment has as many visitors as its row says.
const USUAL_PER_DAY: u64 = 1_000;
/// Number of visitors in one request.
const PER_REQUEST: usize = 1_000;
/// Number of the first of these visitors: above those of the simulated visits, so that no visitor is in both.
const FIRST: u64 = 1 << 40;

/// Sends the visitors of ended experiments.
pub(crate) struct EndedExperiments {
    /// A server without limits.
    pub(crate) address: SocketAddr,
    pub(crate) key: ApiKey,
    /// Origin of the shop.
    pub(crate) shop: Arc<str>,
    pub(crate) settings: VisitorSettings,
    /// Creation of the demo, from which days count back.
    pub(crate) now: Instant,
}

impl EndedExperiments {
    /// Sends all visitors through the server. Returns the number of events.
    ///
    /// # Errors
    /// When the server refuses something, or is busy for a long time.
    pub(crate) async fn visit(&self) -> Result<u64> {
        let authorization = format!("Authorization: Bearer {}", self.key.reveal());
        let mut wire = Wire::new(self.address);
        let (mut sent, demo) = (0, Demo::load()?);
        let answer = get(&mut wire, "/v2/project/prj_northwind_shop/experiments?limit=500", &authorization).await?;
        let listed = answer["experiments"].as_array().cloned().unwrap_or_default();
        for (row, test) in demo.experiments.iter().enumerate() {
            let named = listed.iter().find(|listed| Some(&listed["test_name"]) == test.body.get("test_name"));
            let (Some(met), Some(id)) = (&test.met, named.and_then(|listed| listed["test_id"].as_i64())) else {
                continue;
            };
            let path = format!("/v2/project/{}/experiment/{id}", test.project.key());
            let answer = get(&mut wire, &path, &authorization).await?;
            let epochs = epochs(&answer["experiment"]);
            let visitors = (met.visitors * self.settings.visitors_per_day / USUAL_PER_DAY).max(1);
            let all: Vec<u64> = (0..visitors).collect();
            for some in all.chunks(PER_REQUEST) {
                let lines: Vec<(String, usize)> =
                    some.iter().filter_map(|nth| self.visitor(row, test, (id, &epochs), *nth)).collect();
                sent += lines.iter().map(|(_, events)| *events as u64).sum::<u64>();
                let body: String = lines.into_iter().map(|(line, _)| line + "\n").collect();
                let what = format!("POST /events/{}/batch", test.project.key());
                let headers = [authorization.as_str(), "Content-Type: application/x-ndjson"];
                let answer = ask(&mut wire, &what, &headers, body.as_bytes()).await?;
                let answer = String::from_utf8_lossy(&answer);
                if let Some(line) = answer.lines().find(|line| line.contains("\"invalid\"")) {
                    return Err(Error::Other(format!("the server refused an event: {line}").into()));
                }
            }
        }
        Ok(sent)
    }

    /// The batch line of the visitor with this number, and the number of its events.
    fn visitor(
        &self,
        row: usize,
        test: &Experiment,
        (test_id, epochs): (i64, &[(i64, Instant)]),
        nth: u64,
    ) -> Option<(String, usize)> {
        let met = test.met.as_ref()?;
        let number = FIRST + row as u64 * (1 << 20) + nth;
        let person = Person::new(self.settings.seed, test.project, number);
        let mut chance = Chance::of(&[self.settings.seed, 4, row as u64, nth]);
        let [from, to] = met.days;
        let day = chance.between(to, from.max(to + 1));
        let at = moment_before(Instant::from_us((self.now.us().div_euclid(DAY_US) - day) * DAY_US), &mut chance);
        let (epoch, _) = epochs.iter().rev().find(|(_, began)| *began <= at)?;
        let arms = met.converted.values().map(Vec::len).max()?;
        let arm = chance.below(arms as u64) as usize;
        let url = test.body.get("url").and_then(Value::as_str).unwrap_or_default().replace("{shop}", &self.shop);
        let event = |mut event: Value, at: Instant, chance: &mut Chance| {
            event["id"] = chance.id(at).to_string().into();
            event["at"] = at.to_string().into();
            event
        };
        let exposure = json!({
            "type": "exposure", "test_id": test_id, "variant_id": arm.to_string(), "epoch": epoch, "url": url,
            "context": { "url": url, "visitor_type": "new" },
        });
        let mut events = vec![event(exposure, at, &mut chance)];
        for (goal, converted) in &met.converted {
            let share = converted.get(arm).copied().unwrap_or_default() / 100.0;
            if chance.is(share) {
                let done = self.conversion(goal, &url, &format!("B-{row:02}{nth:06}"), &mut chance)?;
                let mut later = at;
                for _ in 0..times(goal) {
                    later = later.plus_us(chance.between(20_000_000, 1_200_000_000));
                    events.push(event(done.clone(), later, &mut chance));
                }
            }
        }
        let visitor = json!({
            "id": person.id, "user_agent": person.agent.header, "country": person.country,
            "attributes": { "member": person.member, "language": person.language },
        });
        Some((json!({ "visitor": visitor, "events": events }).to_string(), events.len()))
    }

    /// The event of this goal; `None` for a goal that the demo does not have.
    fn conversion(&self, goal: &str, url: &str, order_id: &str, chance: &mut Chance) -> Option<Value> {
        let shop = &self.shop;
        Some(match goal {
            "purchase" => json!({
                "type": "order", "name": "Purchase", "value": super::visit::price(chance), "currency": "EUR",
                "order_id": order_id, "quantity": 1, "url": format!("{shop}/checkout/thanks"),
            }),
            "added-to-basket" => {
                json!({ "type": "click", "by": "element", "trigger": "button.add-to-basket", "url": url })
            }
            "checkout-reached" => json!({ "type": "pageview", "url": format!("{shop}/checkout") }),
            "returned-twice" => json!({ "type": "custom", "name": "product_viewed", "url": url }),
            "searched" => json!({ "type": "custom", "name": "search_submitted", "url": url }),
            "article-read" => json!({ "type": "scroll", "value": 90, "url": url }),
            "three-minutes" => json!({ "type": "duration", "value": 240, "url": url }),
            "newsletter" => json!({ "type": "submit", "trigger": "form.sunday-letter", "url": url }),
            _ => return None,
        })
    }
}

/// Number of times that the event has to happen.
fn times(goal: &str) -> u32 {
    if goal == "returned-twice" { 3 } else { 1 }
}

/// Start of each epoch, in order.
fn epochs(experiment: &Value) -> Vec<(i64, Instant)> {
    let all = experiment["epochs"].as_array().into_iter().flatten();
    let began = |epoch: &Value| Some((epoch["epoch"].as_i64()?, Instant::parse(epoch["started_at"].as_str()?).ok()?));
    let mut epochs: Vec<_> = all.filter_map(began).collect();
    epochs.sort_by_key(|(_, began)| *began);
    epochs
}

async fn get(wire: &mut Wire, path: &str, authorization: &str) -> Result<Value> {
    let answer = ask(wire, &format!("GET {path}"), &[authorization], b"").await?;
    serde_json::from_slice(&answer).map_err(|error| Error::Other(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Deed, Project};

    #[test]
    fn every_goal_of_a_row_can_be_met() {
        let demo = Demo::load().unwrap();
        let of = EndedExperiments {
            address: SocketAddr::from(([127, 0, 0, 1], 1)),
            key: ApiKey::generate().unwrap(),
            shop: "https://shop.example".into(),
            settings: VisitorSettings { visitors_per_day: 1_000, days: 1, seed: 1 },
            now: Instant::from_us(1_772_359_200_000_000),
        };
        for test in &demo.experiments {
            let name = &test.body["test_name"];
            let Some(met) = &test.met else { continue };
            assert!(met.days[0] > met.days[1] && met.days[0] < test.day, "{name}");
            assert!(met.converted.contains_key(test.body["primary_goal_key"].as_str().unwrap()), "{name}");
            for (goal, converted) in &met.converted {
                let arms = test.body["variants"].as_array().unwrap().len() + 1;
                assert_eq!(converted.len(), arms, "{name} {goal}");
                assert!(of.conversion(goal, "", "B-1", &mut Chance::of(&[1])).is_some(), "{goal}");
                let is_of_project = demo.goals.iter().any(|one| {
                    one.project == test.project && one.body.get("goal_key").and_then(Value::as_str) == Some(goal)
                });
                assert!(is_of_project, "{name} {goal}");
            }
        }
        let concluded = |test: &&Experiment| test.story.iter().any(|step| matches!(step.deed, Deed::Conclude(_)));
        for test in demo.experiments.iter().filter(concluded) {
            assert!(test.met.is_some(), "{} has visitors", test.body["test_name"]);
        }
        assert!(
            Project::ALL
                .iter()
                .all(|project| demo.experiments.iter().any(|test| test.project == *project && test.met.is_some()))
        );
    }
}
