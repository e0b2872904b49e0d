//! One person alone starts nothing: random writes of an editor, where a second person has to approve
//! every change for visitors and the clock. After every write, the delivered content has to equal the
//! approved content.
//!
//! The contract says which writes there are: each one that an editor may make is drawn.

use crate::scene::{code_changes, good_body, variants_with};
use muriel_tests::{Answer, Client, Contract, On, Operation, TestApp, is_full, stories};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

stories! {
    postgres_at_night: [
        nothing_is_delivered_that_was_not_approved,
    ],
}

const MINUTE: u64 = 60;

/// Operations that are not GET, and change nothing.
const READS: [&str; 4] = ["previewChange", "previewRestore", "simulateExperiment", "evaluateMany"];

/// Decisions on proposals. All proposals are the editor's own, on which the editor may not decide.
const DECISIONS: [&str; 2] = ["approveProposal", "rejectProposal"];

/// Returns the writes of a project that an editor may make.
fn writes() -> Vec<&'static Operation> {
    let is_write = |it: &&Operation| it.method != "GET" && !READS.contains(&it.id.as_str());
    let is_editors = |it: &&Operation| it.is_below_project() && it.roles.iter().any(|role| role == "editor");
    Contract::get().operations.iter().filter(is_write).filter(is_editors).collect()
}

/// Seeded random numbers (SplitMix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).expect("a place")]
    }
}

/// The approved content of an experiment, and the content that visitors got last.
#[derive(Default)]
struct Approved {
    /// Approved content, while the experiment is delivered or waits for its start date.
    bound: Option<Value>,
    /// Content that visitors got last. A decision about results may serve it again.
    met: Option<Value>,
    /// Group places, while the experiment is delivered.
    groups: Option<Value>,
}

struct Walk<'a> {
    app: &'a TestApp,
    worker: &'a muriel_worker::Worker,
    editor: Client,
    second: Client,
    /// With this as `MURIEL_TEST_SEED`, the walk is the first.
    seed: u64,
    draws: Draws,
    goal: (i64, String),
    approved: BTreeMap<i64, Approved>,
    did: Vec<String>,
    /// Number of accepted requests, by operation.
    accepted: BTreeMap<&'static str, usize>,
}

fn nothing_is_delivered_that_was_not_approved(on: On) {
    let app = on.start_with(|settings| settings.worker = false);
    let worker = app.clock_worker();
    let (walks, steps) = if is_full() { (40, 150) } else { (3, 60) };
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_nanos() as u64;
    let seed = std::env::var("MURIEL_TEST_SEED").map_or(seed, |text| text.parse().expect("a number"));
    let (mut met, mut accepted) = (0, BTreeMap::new());
    for walk in 0..walks {
        let company = format!("Walk {walk}");
        let shop = app.project(&company, "Shop");
        app.approval_rules(&shop, true, true);
        let editors = json!({ "editors_have_code": true });
        app.scoped(&shop, "read,admin").patch("/settings", editors).ok();
        let person = |name: &str| {
            let email = format!("{name}@walk{walk}.example");
            app.person(&company, &email, "editor");
            shop.signed_in(&app.sign_in(&email))
        };
        let (editor, second) = (person("editor"), person("second"));
        let goal = (shop.goal("bought"), "bought".to_owned());
        let seed = seed.wrapping_add(walk);
        let (draws, approved) = (Draws(seed), BTreeMap::new());
        let did = Vec::new();
        let mut walk = Walk { app: &app, worker: &worker, editor, second, seed, draws, goal, approved, did, accepted };
        for _ in 0..steps {
            walk.step();
        }
        met += walk.approved.values().filter(|one| one.met.is_some()).count();
        accepted = walk.accepted;
    }
    assert!(met > 0, "nothing was ever delivered: seed {seed}");
    let drawn = writes().into_iter().map(|it| it.id.as_str()).filter(|id| !DECISIONS.contains(id));
    let refused: Vec<&str> = drawn.filter(|id| !accepted.contains_key(id)).collect();
    // A short walk is refused some of the writes each time.
    let expected = if is_full() { 0 } else { writes().len() * 3 / 4 };
    assert!(refused.len() <= expected, "never accepted: {refused:?}; seed {seed}; {accepted:?}");
}

/// Returns the part of the content that visitors see. Where an arm is served, no visitors are counted. `url` is the page
/// for previews; `variants_data_key` and the targeting say on which pages visitors get the arm.
fn shown(content: &Value) -> Value {
    let fields = ["variants_data_key", "control", "variants", "custom_js", "custom_css", "targeting"];
    let configured = ["traffic_allocation", "distribution", "dom_change_path", "trigger_variant_change"];
    json!([fields.map(|field| &content[field]), configured.map(|field| &content["configuration"][field])])
}

impl Walk<'_> {
    fn transcript(&self) -> String {
        format!("seed {}\n{}", self.seed, self.did.join("\n"))
    }

    /// Returns the content of an experiment, from its details and its goals.
    fn content(&self, id: i64) -> Value {
        let it = self.editor.details(id);
        let goals = self.editor.get("/goals").ok()["goals"].as_array().expect("goals").clone();
        let counted = |goal: &&Value| goal["goal_key"] == it["primary_goal_key"];
        let goals: Vec<&Value> = goals.iter().filter(counted).collect();
        let fields = [
            "url",
            "variants_data_key",
            "control",
            "variants",
            "custom_js",
            "custom_css",
            "targeting",
            "primary_goal_key",
            "secondary_goal_keys",
        ];
        let mut content: BTreeMap<&str, Value> = fields.map(|field| (field, it[field].clone())).into();
        let mut configuration = it["configuration"].clone();
        // The start date is irrelevant to the clock once the experiment has started.
        configuration.as_object_mut().expect("a configuration").remove("start_test_date");
        content.insert("configuration", configuration);
        content.insert("goals", json!(goals));
        json!(content)
    }

    fn tests(&self) -> Vec<i64> {
        self.approved.keys().copied().collect()
    }

    fn step(&mut self) {
        if self.tests().len() < 2 {
            self.write(Contract::get().operation("createExperiment"));
        } else if self.draws.below(8) == 0 {
            let minutes = self.draws.below(180);
            self.did.push(format!("{minutes} minutes pass"));
            self.app.pass(Duration::from_secs(minutes * MINUTE));
            // A session that nobody uses ends after hours.
            self.second.get("/goals").ok();
            self.app.run_clock(self.worker);
        } else {
            // The usual ways to start, change and stop an experiment are drawn most often.
            let usual = ["updateExperiment", "updateExperimentStatus", "createProposal", "archiveExperiment"];
            let all = writes();
            let drawn = match self.draws.below(2) {
                0 => Contract::get().operation(self.draws.one(&usual)),
                _ => self.draws.one(&all),
            };
            self.write(drawn);
        }
        self.check();
    }

    fn soon(&mut self) -> String {
        let minutes = self.draws.below(200);
        let now = self.app.settings.clock.now();
        now.plus_us(i64::try_from(minutes * MINUTE * 1_000_000).expect("a time")).to_string()
    }

    /// Returns variants with a random change that is code.
    fn code(&mut self) -> Value {
        let changes = code_changes();
        let at = self.draws.below(changes.len() as u64);
        variants_with(&changes[usize::try_from(at).expect("a place")..][..1])
    }

    /// Returns a random change of an experiment.
    fn patch(&mut self) -> Value {
        let number = self.draws.below(100);
        let soon = self.soon();
        match self.draws.below(16) {
            0 => json!({ "test_name": format!("Test {number}") }),
            1 => json!({ "custom_js": format!("c({number})") }),
            2 => json!({ "variants": variants_with(&[json!({ "target": "h1", "innerText": number.to_string() })]) }),
            3 => json!({ "configuration": { "traffic_allocation": 50 + number / 2 } }),
            4 => json!({ "configuration": { "start_test_date": null } }),
            5 => json!({ "variants": self.code() }),
            6 => {
                json!({ "targeting": { "url_rule": [{ "url": format!("https://shop.example/{number}"), "rule": "simple", "allowed": true }] } })
            }
            7 => json!({ "secondary_goal_keys": if number < 50 { json!([self.goal.1]) } else { json!([]) } }),
            8 => json!({ "configuration": { "completion_visitor": 1 + number } }),
            9 => json!({ "configuration": { "is_autopilot": number % 2 } }),
            10 => json!({ "configuration": { "is_mab": number % 2 } }),
            11 => json!({ "plan": { "mde": 5 + number } }),
            12 => json!({ "tags": [format!("t{number}")] }),
            13 => json!({ "url": format!("https://shop.example/{number}") }),
            _ => json!({ "configuration": { "start_test_date": soon } }),
        }
    }

    /// Returns a random new experiment.
    fn new_experiment(&mut self) -> Value {
        let mut body = json!({
            "test_name": "Test", "url": "https://shop.example/", "primary_goal_key": self.goal.1,
            "variants": [{ "name": "Variant 1", "customJS": "a()" }],
        });
        match self.draws.below(6) {
            0 => body["status"] = 1.into(),
            1 => body["configuration"] = json!({ "start_test_date": self.soon() }),
            2 => body["variants"] = self.code(),
            _ => {}
        }
        body
    }

    /// Returns the path of an operation, on an experiment and on other objects of the project. `None` when there is no
    /// such object.
    fn path(&mut self, operation: &Operation, test: i64) -> Option<String> {
        let mut missing = false;
        let (editor, goal) = (self.editor.clone(), self.goal.0);
        let mut first = |path: &str, list: &str, id: &str| {
            let found = editor.get(path).ok()[list][0][id].as_i64();
            missing |= found.is_none();
            found.unwrap_or_default().to_string()
        };
        let path = operation.below_project(|parameter| match parameter {
            "test_id" => test.to_string(),
            "goal_profile_id" => goal.to_string(),
            "group_id" => first("/exclusion-groups", "exclusion_groups", "group_id"),
            "hypothesis_id" => first("/hypotheses", "hypotheses", "hypothesis_id"),
            "proposal_id" => first("/proposals?state=open", "proposals", "proposal_id"),
            "exclusion_id" => first("/exclusions", "exclusions", "exclusion_id"),
            "share_id" => first(&format!("/experiment/{test}/shares"), "shares", "share_id"),
            other => panic!("no value for {other}"),
        });
        (!missing).then_some(path)
    }

    fn body(&mut self, operation: &Operation, test: i64) -> Option<Value> {
        let number = self.draws.below(100);
        let body = match operation.id.as_str() {
            "createExperiment" => self.new_experiment(),
            "updateExperiment" => self.patch(),
            "updateExperimentStatus" => match self.draws.below(4) {
                0 => json!({ "status": 1, "changes": self.patch() }),
                _ => json!({ "status": number % 2 }),
            },
            "archiveExperiment" => json!({ "archived": number < 50 }),
            "duplicateExperiment" => json!({ "test_name": "Copy" }),
            "concludeExperiment" => {
                let mut body = json!({ "outcome": "invalid", "note": "n", "override_reason": "r" });
                if number < 50 {
                    body["serve_variant_id"] = "1".into();
                }
                body
            }
            "serveWinner" => json!({ "variant_id": (number % 2).to_string() }),
            "updateServingRollout" => json!({ "traffic_allocation": 1 + number }),
            "restoreExperiment" | "restoreGoal" | "restoreHypothesis" => json!({ "revision": 1 + number % 8 }),
            "updateGoal" => json!({ "goal_value": format!("v{number}") }),
            "createGoal" => {
                json!({ "goal_name": "N", "goal_key": format!("g{}", self.did.len()), "goal_type": "event", "goal_value": "n" })
            }
            "createExclusionGroup" => match number {
                0..50 => json!({ "name": "H", "kind": "holdout", "percent": 1 + number, "scope": "project" }),
                _ => json!({ "name": "E", "kind": "exclusion", "members": [{ "test_id": test, "percent": number }] }),
            },
            "updateExclusionGroup" => json!({ "percent": 1 + number / 2, "accept_moves": true }),
            "createProposal" => match self.draws.below(4) {
                0 => self.patch(),
                1 => json!({ "confirm_plan": "r" }),
                _ => json!({ "status": 1 }),
            },
            _ => return good_body(operation).filter(|_| operation.takes_body),
        };
        Some(body)
    }

    /// Makes a random request of the editor alone.
    fn write(&mut self, operation: &'static Operation) {
        let tests = self.tests();
        let test = if tests.is_empty() { 0 } else { self.draws.one(&tests) };
        // Goals are in all experiments, so the only one is deleted rarely, and the experiments stay few.
        let is_rare = match operation.id.as_str() {
            "deleteGoal" => true,
            "createExperiment" | "duplicateExperiment" => tests.len() >= 5,
            _ => false,
        };
        if is_rare && self.draws.below(4) > 0 {
            return;
        }
        let Some(mut path) = self.path(operation, test) else { return };
        if operation.id == "deleteExclusionGroup" {
            path += "?accept_moves=true";
        }
        let body = self.body(operation, test);
        let answer = self.send(operation, &path, body.as_ref());
        if !(200..300).contains(&answer.status) {
            return;
        }
        *self.accepted.entry(&operation.id).or_default() += 1;
        match operation.id.as_str() {
            "createExperiment" | "duplicateExperiment" => {
                let id = answer.body["test_id"].as_i64().expect("an id");
                self.approved.insert(id, Approved::default());
            }
            "deleteExperiment" => drop(self.approved.remove(&test)),
            "createProposal" => self.decide(test, &answer.body["proposal_id"]),
            "deleteGoal" => {
                let key = format!("bought-{}", self.did.len());
                self.goal = (self.editor.goal(&key), key);
            }
            id if DECISIONS.contains(&id) => panic!("the editor decided on an own proposal\n{}", self.transcript()),
            _ => {}
        }
    }

    fn send(&mut self, operation: &Operation, path: &str, body: Option<&Value>) -> Answer {
        let is_change = match operation.id.as_str() {
            "updateExperiment" => true,
            "createProposal" => body.is_some_and(|body| body.get("status").or(body.get("confirm_plan")).is_none()),
            _ => false,
        };
        let call = self.editor.call(&operation.method, path);
        let answer = match body {
            None => call.send(),
            Some(body) if is_change => {
                call.header("content-type", "application/merge-patch+json").body(body.to_string()).send()
            }
            Some(body) => call.json(body.clone()).send(),
        };
        let shown = body.map(Value::to_string).unwrap_or_default();
        self.did.push(format!("{} {path} {shown}: {}", operation.method, answer.status));
        assert!(answer.status < 500, "{}: {}", self.transcript(), answer.text());
        answer
    }

    /// Decides on a proposal of the editor: mostly the second person approves it. Nobody else may.
    fn decide(&mut self, id: i64, proposal: &Value) {
        let path = |act: &str| format!("/proposals/{proposal}/{act}");
        self.editor.post(&path("approve"), json!({})).refused(409, "own_proposal");
        let draw = self.draws.below(6);
        if draw < 2 {
            // It stays open, or the second person rejects it.
            if draw == 0 {
                self.second.post(&path("reject"), json!({ "reason": "no" })).ok();
            }
            return;
        }
        let answer = self.second.post(&path("approve"), json!({}));
        self.did.push(format!("approve: {}", answer.status));
        // What was proposed may have changed since. Everything else would end the approvals of this walk.
        assert!(matches!(answer.status, 200 | 400 | 409), "{}: {}", self.transcript(), answer.text());
        if answer.status == 200 && self.is_bound(id) {
            let content = self.content(id);
            self.approved.entry(id).or_default().bound = Some(content);
        }
    }

    /// Returns whether visitors get the experiment, or will once the clock starts it.
    fn is_bound(&self, id: i64) -> bool {
        let waits = self.editor.details(id)["schedule"]["next"]["rule"] == "start_date";
        waits || self.delivered().contains_key(&id)
    }

    fn delivered(&self) -> BTreeMap<i64, Value> {
        let ruleset = self.app.anyone().get(&format!("/ruleset/{}", self.editor.project_key)).ok();
        let all = ruleset["experiments"].as_array().expect("experiments").iter();
        all.map(|it| (it["test_id"].as_i64().expect("an id"), it.clone())).collect()
    }

    fn check(&mut self) {
        let delivered = self.delivered();
        for id in self.tests() {
            let (content, is_bound) = (self.content(id), self.is_bound(id));
            let transcript = self.transcript();
            let approved = self.approved.entry(id).or_default();
            match delivered.get(&id) {
                Some(it) if it["live"] == true => {
                    assert_eq!(approved.bound.as_ref(), Some(&content), "experiment {id} is live\n{transcript}");
                }
                Some(_) => {
                    let known = [&approved.bound, &approved.met].into_iter().flatten();
                    let is_known = known.map(shown).any(|one| one == shown(&content));
                    assert!(is_known, "experiment {id} is served: {content}\n{transcript}");
                    approved.bound = Some(content.clone());
                }
                None if is_bound => {
                    assert_eq!(
                        approved.bound.as_ref(),
                        Some(&content),
                        "experiment {id} waits for its start\n{transcript}"
                    );
                }
                None => approved.bound = None,
            }
            let groups = delivered.get(&id).map(|it| json!([it["exclusion"], it["holdouts"]]));
            if groups.is_some() {
                approved.met = Some(content);
                assert!(
                    approved.groups.is_none() || approved.groups == groups,
                    "experiment {id} meets others\n{transcript}"
                );
            }
            approved.groups = groups;
        }
    }
}
