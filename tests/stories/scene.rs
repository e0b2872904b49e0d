//! Common beginnings of stories.

use flate2::Compression;
use flate2::write::GzEncoder;
use muriel_log::{LogReader, Position};
use muriel_tests::{Answer, Call, Client, DEADLINE, Operation, TestApp, eventually};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One object of each kind in a project.
pub(crate) struct Things {
    pub(crate) test_id: i64,
    pub(crate) experiment_key: String,
    pub(crate) hypothesis_id: i64,
    pub(crate) goal_id: i64,
    pub(crate) group_id: i64,
    pub(crate) webhook_id: i64,
    pub(crate) delivery_id: i64,
    pub(crate) visitor_job_id: i64,
    pub(crate) proposal_id: i64,
    pub(crate) share_id: i64,
    pub(crate) exclusion_id: i64,
}

impl Things {
    /// Creates the objects; `word` is in all their texts, except the goal's key.
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
        let group = json!({ "name": word, "kind": "holdout", "percent": 5, "scope": { "tests": [test_id] } });
        let group_id = shop.post("/exclusion-group", group).created()["group_id"].as_i64().expect("an id");
        // Nothing listens at this address.
        let webhook =
            shop.post("/webhook", json!({ "url": "http://127.0.0.1:9/", "events": ["experiment.started"] })).created();
        let webhook_id = webhook["webhook_id"].as_i64().expect("an id");
        let sent = shop.call("POST", &format!("/webhook/{webhook_id}/test")).send().ok();
        let delivery_id = sent["delivery_id"].as_i64().expect("an id");
        let proposed =
            shop.post(&format!("/experiment/{test_id}/proposals"), json!({ "test_name": format!("{word} new") }));
        let proposal_id = proposed.created()["proposal_id"].as_i64().expect("an id");
        let shared = shop.post(&format!("/experiment/{test_id}/shares"), json!({})).created();
        let share_id = shared["share"]["share_id"].as_i64().expect("an id");
        let exclusion =
            shop.post("/exclusions", json!({ "kind": "source", "value": "paid", "reason": word })).created();
        let exclusion_id = exclusion["exclusion"]["exclusion_id"].as_i64().expect("an id");
        let job = shop.call("DELETE", &format!("/visitor/{word}-visitor")).send().has_status(202).body;
        let visitor_job_id = job["visitor_job_id"].as_i64().expect("an id");
        Self {
            test_id,
            experiment_key,
            hypothesis_id,
            goal_id,
            group_id,
            webhook_id,
            delivery_id,
            visitor_job_id,
            proposal_id,
            share_id,
            exclusion_id,
        }
    }

    /// Returns the path of an operation on these objects, below the project.
    pub(crate) fn path(&self, operation: &Operation) -> String {
        let below = operation.below_project(|parameter| match parameter {
            "experiment_key" => self.experiment_key.clone(),
            "test_id" => self.test_id.to_string(),
            "hypothesis_id" => self.hypothesis_id.to_string(),
            "goal_profile_id" => self.goal_id.to_string(),
            "group_id" => self.group_id.to_string(),
            "webhook_id" => self.webhook_id.to_string(),
            "delivery_id" => self.delivery_id.to_string(),
            "visitor_job_id" => self.visitor_job_id.to_string(),
            "visitor_id" => "v-1".to_owned(),
            "proposal_id" => self.proposal_id.to_string(),
            "share_id" => self.share_id.to_string(),
            "exclusion_id" => self.exclusion_id.to_string(),
            other => panic!("no value for {other}"),
        });
        if ["explainAssignment", "streamVisitor"].contains(&operation.id.as_str()) {
            below + "?visitor=v-1"
        } else {
            below
        }
    }

    /// Returns the bodies of all reads of these objects.
    pub(crate) fn all(&self, shop: &Client) -> Vec<Vec<u8>> {
        [
            format!("/experiment/{}", self.test_id),
            format!("/experiment/{}/distribution", self.test_id),
            format!("/hypothesis/{}", self.hypothesis_id),
            format!("/goal/{}", self.goal_id),
            "/experiments".to_owned(),
            "/hypotheses?include_archived=1".to_owned(),
            "/goals".to_owned(),
            "/exclusion-groups".to_owned(),
        ]
        .iter()
        .map(|path| shop.get(path).has_status(200).bytes)
        .collect()
    }
}

/// Returns changes that need the scope `code`, as they can make a browser run or load something.
pub(crate) fn code_changes() -> Vec<Value> {
    vec![
        json!({ "target": "h1", "innerHTML": "<b>Hi</b>" }),
        json!({ "target": "script[src]", "src": "https://evil.example/x.js" }),
        json!({ "target": "img", "src": "/b.png" }),
        json!({ "target": "base", "href": "https://evil.example/" }),
        json!({ "target": "link", "href": "https://evil.example/x.css" }),
        json!({ "target": "svg use", "href": "https://evil.example/x.svg#a" }),
        json!({ "target": "#cta", "href": "/pricing" }),
        json!({ "target": "body", "style": "background:url(https://evil.example/?x)" }),
        json!({ "target": "h1", "attributes": { "data-hx-on:click": "alert(1)" } }),
    ]
}

/// Returns a split test that redirects to another site, which needs the scope `code` too.
pub(crate) fn redirect_elsewhere() -> Value {
    json!({ "test_name": "Split", "test_type": "split", "url": "https://shop.example/a",
        "variants": variants_with(&[json!({ "url": "https://evil.example/login" })]) })
}

/// Returns the field `variants` with one variant that has these changes.
pub(crate) fn variants_with(changes: &[Value]) -> Value {
    json!([{ "name": "Variant 1", "data": changes }])
}

/// Returns a valid body for the operation.
pub(crate) fn good_body(operation: &Operation) -> Option<Value> {
    let body = match operation.id.as_str() {
        "createExperiment" => {
            json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] })
        }
        "restoreExperiment" | "previewRestore" | "restoreGoal" | "restoreHypothesis" => json!({ "revision": 1 }),
        "duplicateExperiment" => json!({ "test_name": "N" }),
        "archiveExperiment" => json!({ "archived": true }),
        "createExperimentComment" | "createHypothesisComment" => json!({ "text": "N" }),
        "createExclusion" => json!({ "kind": "visitor", "value": "v-9", "reason": "N" }),
        "createShare" => json!({ "expires_in_days": 7, "query": { "filter_by": "mobile" } }),
        "updateInboxEntry" => json!({ "read": true }),
        "readInbox" => json!({}),
        "simulateExperiment" => json!({ "runs": 1, "days": 1 }),
        "createProposal" => json!({ "test_name": "N", "note": "why" }),
        "approveProposal" | "rejectProposal" | "withdrawProposal" => json!({ "reason": "N" }),
        "reportPreview" => {
            json!({ "token": "", "variant_id": 0, "url": "https://shop.example/", "matched": [], "missing": [] })
        }
        "updateExperiment" | "previewChange" => json!({ "test_name": "N" }),
        "updateExperimentStatus" => json!({ "status": 1 }),
        "serveWinner" => json!({ "variant_id": "1" }),
        "updateServingRollout" => json!({ "traffic_allocation": 50 }),
        "evaluateFlag" | "evaluateFlags" => json!({ "context": { "targetingKey": "v-1" } }),
        "evaluateMany" => json!({ "contexts": [{ "targetingKey": "v-1" }] }),
        "sendEvents" => json!({ "visitor": { "id": "v-1" }, "events": [] }),
        "createHypothesis" | "updateHypothesis" => json!({ "problem": "P" }),
        "createGoal" => json!({ "goal_name": "N", "goal_type": "event", "goal_value": "n" }),
        "updateGoal" => json!({ "goal_name": "N" }),
        "createExclusionGroup" => json!({ "name": "N", "kind": "holdout", "percent": 5, "scope": "project" }),
        "updateExclusionGroup" => json!({ "name": "N" }),
        "createProject" => json!({ "name": "N" }),
        "createKey" => json!({ "name": "N", "scopes": ["read"] }),
        "createInvitation" => json!({ "email": "n@acme.example", "role": "viewer" }),
        "updateProjectSettings" => json!({ "gpc": true }),
        "concludeExperiment" => json!({ "outcome": "stopped_early", "note": "N" }),
        "confirmAct" => json!({ "reason": "N" }),
        "confirmPlan" => json!({ "reason": "N" }),
        "createWebhook" => json!({ "url": "http://127.0.0.1:9/", "events": ["experiment.started"] }),
        "updateWebhook" => json!({ "description": "N" }),
        "setCurrencyRates" => {
            json!({ "currency": "EUR", "rates": [{ "date": "2026-03-01", "currency": "USD", "rate": 0.9 }] })
        }
        _ if operation.takes_body => panic!("no body for {}", operation.id),
        _ => return None,
    };
    Some(body)
}

/// Sends an operation with a valid body, if it takes one.
#[track_caller]
pub(crate) fn send(client: &Client, operation: &Operation, path: &str) -> Answer {
    let call = client.call(&operation.method, path);
    match good_body(operation) {
        Some(body) => call.json(body).send(),
        None => call.send(),
    }
}

/// Returns an experiment's details with their ETag, to detect changes.
pub(crate) fn snapshot(shop: &Client, test_id: i64) -> (Vec<u8>, String) {
    let answer = shop.get(&format!("/experiment/{test_id}")).has_status(200);
    let etag = answer.etag();
    (answer.bytes, etag)
}

/// Returns the keys of an object, in order.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Returns the path of an operation on objects that do not exist.
pub(crate) fn unknown_path(operation: &Operation) -> String {
    operation.below_project(|parameter| match parameter {
        "experiment_key" => "nobody-has-this".to_owned(),
        _ => "9999".to_owned(),
    })
}

/// A sender of events to a project.
pub(crate) struct Collector {
    pub(crate) project_key: String,
    /// A client without a key.
    pub(crate) anyone: Client,
    /// A server with the project's key; its paths begin with the project's events.
    pub(crate) trusted: Client,
}

impl Collector {
    pub(crate) fn of(client: &Client) -> Self {
        let path = format!("/events/{}", client.project_key);
        let mut trusted = client.clone();
        trusted.base = path;
        let anyone = client.anyone_here();
        let ruleset = format!("/ruleset/{}", client.project_key);
        eventually("visitors know the new project", DEADLINE, || anyone.get(&ruleset).status == 200);
        Self { project_key: client.project_key.clone(), anyone, trusted }
    }

    pub(crate) fn path(&self) -> String {
        format!("/events/{}", self.project_key)
    }

    /// Creates a request without a key, not sent yet.
    pub(crate) fn call(&self) -> Call<'_> {
        self.anyone.call("POST", &self.path())
    }

    #[track_caller]
    pub(crate) fn send(&self, body: &Value) -> Outcomes {
        Outcomes { answer: self.call().json(body.clone()).send() }
    }

    /// Sends these events of one visitor.
    #[track_caller]
    pub(crate) fn take(&self, events: &[Value]) -> Outcomes {
        self.send(&json!({ "visitor": { "id": "v" }, "events": events }))
    }
}

/// Outcomes of events.
pub(crate) struct Outcomes {
    pub(crate) answer: Answer,
}

impl Outcomes {
    #[track_caller]
    pub(crate) fn results(&self) -> Vec<Value> {
        self.answer.clone().ok()["results"].as_array().expect("results").clone()
    }

    #[track_caller]
    pub(crate) fn statuses(&self) -> Vec<String> {
        self.results().iter().map(|result| result["status"].as_str().expect("a status").to_owned()).collect()
    }
}

/// Returns a new event id.
pub(crate) fn id() -> String {
    uuid::Uuid::now_v7().to_string()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns every event in the log, in order.
#[track_caller]
pub(crate) fn stored(app: &TestApp) -> Vec<Value> {
    stored_in(&app.settings.storage.data_dir)
}

/// Returns every event in the log of a data directory, in order.
#[track_caller]
pub(crate) fn stored_in(data_dir: &Path) -> Vec<Value> {
    let blocks = LogReader::open(data_dir).expect("a log").blocks(Position::default()).expect("blocks");
    let mut events = Vec::new();
    for block in blocks {
        let block = block.expect("a block that is whole");
        events.extend(block.events().map(|event| serde_json::from_slice::<Value>(event.line).expect("JSON")));
    }
    events
}

/// Returns whether `bytes` contain `needle`. Comparing windows of a long file takes seconds in a debug build.
pub(crate) fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(bytes, needle).is_some()
}

/// Returns every file below a directory, with its bytes.
pub(crate) fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if let Ok(bytes) = std::fs::read(&path) {
            found.push((path, bytes));
        }
    }
    found
}
