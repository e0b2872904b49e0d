//! What several stories begin with.

use muriel_tests::{Answer, Client, Operation};
use serde_json::{Value, json};

/// One thing of each kind in a project.
pub(crate) struct Things {
    pub(crate) test_id: i64,
    pub(crate) experiment_key: String,
    pub(crate) hypothesis_id: i64,
    pub(crate) goal_id: i64,
}

impl Things {
    /// Makes them; `word` is in all their texts, the goal's key aside.
    pub(crate) fn make(shop: &Client, word: &str) -> Self {
        let goal = json!({ "goal_name": format!("{word} bought"), "goal_type": "event", "goal_value": word, "goal_key": "bought" });
        let goal_id = shop.post("/goal", goal).created()["goal_profile_id"].as_i64().expect("an id");
        let hypothesis_id = shop.hypothesis(json!({ "observation": format!("{word} was seen") }));
        let experiment_key = format!("{word}-checkout");
        let test_id = shop.experiment(json!({
            "test_name": format!("{word} test"),
            "experiment_key": experiment_key,
            "variants": [{ "name": "Variant 1", "nickname": word, "customJS": format!("say('{word}')") }],
            "tags": [word],
            "hypothesis_id": hypothesis_id,
            "primary_goal_key": "bought",
        }));
        Self { test_id, experiment_key, hypothesis_id, goal_id }
    }

    /// The path of an operation on these things, below the project.
    pub(crate) fn path(&self, operation: &Operation) -> String {
        let below = operation.below_project(self.test_id, &self.experiment_key, self.hypothesis_id, self.goal_id);
        if operation.id == "explainAssignment" { below + "?visitor=v-1" } else { below }
    }

    /// Everything that reads tell of these things.
    pub(crate) fn all(&self, shop: &Client) -> Vec<Vec<u8>> {
        [
            format!("/experiment/{}", self.test_id),
            format!("/experiment/{}/distribution", self.test_id),
            format!("/hypothesis/{}", self.hypothesis_id),
            format!("/goal/{}", self.goal_id),
            "/experiments".to_owned(),
            "/hypotheses?include_archived=1".to_owned(),
            "/goals".to_owned(),
        ]
        .iter()
        .map(|path| shop.get(path).has_status(200).bytes)
        .collect()
    }
}

/// A body that the operation takes.
pub(crate) fn good_body(operation: &Operation) -> Option<Value> {
    let body = match operation.id.as_str() {
        "createExperiment" => {
            json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] })
        }
        "updateExperiment" => json!({ "test_name": "N" }),
        "updateExperimentStatus" => json!({ "status": 1 }),
        "serveWinner" => json!({ "variant_id": "1" }),
        "updateServingRollout" => json!({ "traffic_allocation": 50 }),
        "evaluateFlag" | "evaluateFlags" => json!({ "context": { "targetingKey": "v-1" } }),
        "evaluateMany" => json!({ "contexts": [{ "targetingKey": "v-1" }] }),
        "sendEvents" => json!({ "visitor": { "id": "v-1" }, "events": [] }),
        "createHypothesis" | "updateHypothesis" => json!({ "problem": "P" }),
        "createGoal" => json!({ "goal_name": "N", "goal_type": "event", "goal_value": "n" }),
        "updateGoal" => json!({ "goal_name": "N" }),
        _ if operation.takes_body => panic!("no body for {}", operation.id),
        _ => return None,
    };
    Some(body)
}

/// The call of an operation with a good body, if it takes one.
#[track_caller]
pub(crate) fn send(client: &Client, operation: &Operation, path: &str) -> Answer {
    let call = client.call(&operation.method, path);
    match good_body(operation) {
        Some(body) => call.json(body).send(),
        None => call.send(),
    }
}

/// An experiment's details with their ETag, to see whether anything changed.
pub(crate) fn snapshot(shop: &Client, test_id: i64) -> (Vec<u8>, String) {
    let answer = shop.get(&format!("/experiment/{test_id}")).has_status(200);
    let etag = answer.etag();
    (answer.bytes, etag)
}

/// The keys of an object, in order.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The path of an operation on things that nobody has.
pub(crate) fn unknown_path(operation: &Operation) -> String {
    operation.below_project(9_999, "nobody-has-this", 9_999, 9_999)
}
