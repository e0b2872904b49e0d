//! The engines, each with the same fifty experiments in its own format.

use crate::round;
use chrono::{DateTime, Utc};
use eppo_core::eval::get_assignment;
use eppo_core::ufc::UniversalFlagConfig;
use eppo_core::{Attributes, Configuration, SdkMetadata, Str};
use muriel_assign::{Document, Fact, Ruleset, Scalar, NoopObserver, Visitor};
use muriel_domain::experiment::Arm;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use unleash_yggdrasil::{Context, EngineState, UpdateMessage};

pub const EXPERIMENTS: usize = 50;

/// Facts that are the same for all visitors.
const COUNTRY: &str = "US";
const PLAN: &str = "pro";

fn keys() -> Vec<String> {
    (1..=EXPERIMENTS).map(|n| format!("exp-{n}")).collect()
}

/// An engine that decides for all visitors, with the experiments in turn. The methods return nanoseconds per decision.
pub trait Contender {
    /// Decides with facts that were created before: visitors differ only by their ids.
    fn shared(&mut self, visitors: &[String]) -> f64;
    /// Decides with facts that are created for each visitor, which is included in the time.
    fn built(&mut self, visitors: &[String]) -> f64;
}

/// Muriel's engine.
pub struct Muriel {
    ruleset: Ruleset,
    keys: Vec<String>,
}

impl Muriel {
    pub fn new() -> Self {
        let keys = keys();
        let experiments: Vec<Value> = keys.iter().zip(1..).map(|(key, id)| Self::experiment(key, id)).collect();
        let document = json!({"format": 1, "hash": 1, "project_key": "bench", "experiments": experiments});
        let document: Document = serde_json::from_value(document).expect("the document is one of ours");
        let ruleset = Ruleset::compile(&document).expect("the document is in order");
        Self { ruleset, keys }
    }

    fn experiment(key: &str, id: i64) -> Value {
        json!({
            "test_id": id, "experiment_key": key, "test_type": "abtest", "live": true, "epoch": 1, "salt": id.to_string(),
            "traffic_allocation": 100, "ranges": [[5000, 0], [10000, 1]],
            "targeting": {
                "allowed_country": [
                    {"name": "United States", "code": "US", "rule": "whitelist"},
                    {"name": "Canada", "code": "CA", "rule": "whitelist"},
                ],
                "segment_rule": [[
                    {"criteria": "plan", "operator": "==", "value": "pro"},
                    {"criteria": "plan", "operator": "==", "value": "team"},
                ]],
            },
            "variants_data_key": "https://example.com/", "variants": [{"customJS": "document.title = 'B'"}],
        })
    }

    fn treats(&self, experiment: usize, visitor: &Visitor<'_>) -> bool {
        let experiment = self.ruleset.experiment(&self.keys[experiment]).expect("it is one of the fifty");
        experiment.decide(visitor, &mut NoopObserver).arm == Some(Arm(1))
    }
}

/// A visitor with this id and the fixed facts.
fn visitor(id: &str) -> Visitor<'_> {
    let attributes = vec![("plan", Scalar::Text(PLAN))];
    Visitor { id, country: Fact::Is(COUNTRY), attributes, ..Visitor::default() }
}

impl Contender for Muriel {
    fn shared(&mut self, visitors: &[String]) -> f64 {
        let mut visitor = visitor("");
        round(visitors, |experiment, id| {
            visitor.id = id;
            self.treats(experiment, &visitor)
        })
    }

    fn built(&mut self, visitors: &[String]) -> f64 {
        round(visitors, |experiment, id| self.treats(experiment, &visitor(id)))
    }
}

/// Eppo's engine. It takes ids as shared strings, which are created before.
pub struct Eppo {
    configuration: Configuration,
    keys: Vec<String>,
    ids: Vec<Str>,
    now: DateTime<Utc>,
}

impl Eppo {
    pub fn new(visitors: &[String]) -> Self {
        let keys = keys();
        let flags: serde_json::Map<String, Value> = keys.iter().map(|key| (key.clone(), Self::flag(key))).collect();
        let document = json!({
            "createdAt": "2026-01-01T00:00:00Z", "format": "SERVER", "environment": {"name": "bench"}, "flags": flags,
        });
        let parsed = UniversalFlagConfig::from_json(
            SdkMetadata { name: "bench", version: "1" },
            serde_json::to_vec(&document).expect("JSON can be written"),
        );
        Self {
            configuration: Configuration::from_server_response(parsed.expect("the document is one of Eppo's"), None),
            keys,
            ids: visitors.iter().map(|id| Str::from(id.as_str())).collect(),
            now: Utc::now(),
        }
    }

    fn flag(key: &str) -> Value {
        let split = |variation: &str, start: u32| {
            json!({
                "variationKey": variation,
                "shards": [{"salt": key, "ranges": [{"start": start, "end": start + 5000}]}],
            })
        };
        json!({
            "key": key, "enabled": true, "variationType": "STRING", "totalShards": 10000,
            "variations": {
                "control": {"key": "control", "value": "control"},
                "treatment": {"key": "treatment", "value": "treatment"},
            },
            "allocations": [{
                "key": "everybody", "doLog": true,
                "rules": [{"conditions": [
                    {"attribute": "country", "operator": "ONE_OF", "value": ["US", "CA"]},
                    {"attribute": "plan", "operator": "ONE_OF", "value": ["pro", "team"]},
                ]}],
                "splits": [split("control", 0), split("treatment", 5000)],
            }],
        })
    }

    fn attributes() -> Arc<Attributes> {
        let known = [("country", COUNTRY), ("plan", PLAN)];
        Arc::new(known.into_iter().map(|(name, value)| (Str::from(name), value.into())).collect())
    }

    fn treats(&self, experiment: usize, id: &Str, attributes: &Arc<Attributes>) -> bool {
        let assigned =
            get_assignment(Some(&self.configuration), &self.keys[experiment], id, attributes, None, self.now);
        assigned
            .expect("it is one of the fifty")
            .is_some_and(|one| one.value.as_str().is_some_and(|v| v == "treatment"))
    }
}

impl Contender for Eppo {
    fn shared(&mut self, visitors: &[String]) -> f64 {
        let attributes = Self::attributes();
        let mut ids = self.ids.iter();
        round(visitors, |experiment, _| self.treats(experiment, ids.next().expect("as many ids"), &attributes))
    }

    fn built(&mut self, visitors: &[String]) -> f64 {
        round(visitors, |experiment, id| self.treats(experiment, &Str::from(id), &Self::attributes()))
    }
}

/// Unleash's engine, which its Edge and its newer clients use.
pub struct Yggdrasil {
    state: EngineState,
    keys: Vec<String>,
}

impl Yggdrasil {
    pub fn new() -> Self {
        let keys = keys();
        let features: Vec<Value> = keys.iter().map(|key| Self::feature(key)).collect();
        let document = json!({"version": 2, "features": features});
        let state = EngineState::default();
        let features = serde_json::from_value(document).expect("the document is one of Unleash's");
        state.take_state(UpdateMessage::FullResponse(features));
        Self { state, keys }
    }

    fn feature(key: &str) -> Value {
        let variant = |name: &str| json!({"name": name, "weight": 500, "stickiness": "userId"});
        json!({
            "name": key, "type": "experiment", "enabled": true,
            "strategies": [{
                "name": "flexibleRollout",
                "parameters": {"rollout": "100", "stickiness": "userId", "groupId": key},
                "constraints": [
                    {"contextName": "country", "operator": "IN", "values": ["US", "CA"]},
                    {"contextName": "plan", "operator": "IN", "values": ["pro", "team"]},
                ],
                "variants": [variant("control"), variant("treatment")],
            }],
        })
    }

    fn context(id: &str) -> Context {
        let known = [("country", COUNTRY), ("plan", PLAN)];
        let properties: HashMap<String, String> =
            known.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        Context { user_id: Some(id.to_owned()), properties: Some(properties), ..Context::default() }
    }

    fn treats(&self, experiment: usize, context: &Context) -> bool {
        self.state.get_variant(&self.keys[experiment], context, &None).name == "treatment"
    }
}

impl Contender for Yggdrasil {
    fn shared(&mut self, visitors: &[String]) -> f64 {
        let mut context = Self::context("");
        round(visitors, |experiment, id| {
            let user = context.user_id.get_or_insert_default();
            user.clear();
            user.push_str(id);
            self.treats(experiment, &context)
        })
    }

    fn built(&mut self, visitors: &[String]) -> f64 {
        round(visitors, |experiment, id| self.treats(experiment, &Self::context(id)))
    }
}
