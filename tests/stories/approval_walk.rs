//! One person alone starts nothing: random writes of an editor, where a second person has to approve
//! every change for visitors and the clock. After every write, the delivered content has to equal the
//! approved content.

use muriel_tests::{Client, On, TestApp, is_full, stories};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

stories![nothing_is_delivered_that_was_not_approved];

const MINUTE: u64 = 60;

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
    draws: Draws,
    goal: (i64, String),
    approved: BTreeMap<i64, Approved>,
    did: Vec<String>,
}

fn nothing_is_delivered_that_was_not_approved(on: On) {
    let app = on.start_with(|settings| settings.worker = false);
    let worker = app.clock_worker();
    let (walks, steps) = if is_full() { (40, 150) } else { (3, 60) };
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_nanos() as u64;
    let seed = std::env::var("MURIEL_TEST_SEED").map_or(seed, |text| text.parse().expect("a number"));
    let mut met = 0;
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
        let (draws, approved) = (Draws(seed.wrapping_add(walk)), BTreeMap::new());
        let mut walk = Walk { app: &app, worker: &worker, editor, second, draws, goal, approved, did: Vec::new() };
        for _ in 0..steps {
            walk.step();
        }
        met += walk.approved.values().filter(|one| one.met.is_some()).count();
    }
    assert!(met > 0, "nothing was ever delivered: seed {seed}");
}

/// Returns the part of the content that visitors see. Where an arm is served, no visitors are counted.
fn shown(content: &Value) -> Value {
    let fields = ["url", "variants_data_key", "control", "variants", "custom_js", "custom_css", "targeting"];
    let configured = ["traffic_allocation", "distribution", "dom_change_path", "trigger_variant_change"];
    json!([fields.map(|field| &content[field]), configured.map(|field| &content["configuration"][field])])
}

impl Walk<'_> {
    fn transcript(&self) -> String {
        format!("seed {}\n{}", self.draws.0, self.did.join("\n"))
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
        let tests = self.tests();
        if tests.len() < 2 || (tests.len() < 5 && self.draws.below(12) == 0) {
            self.create();
        } else if self.draws.below(8) == 0 {
            let minutes = self.draws.below(180);
            self.did.push(format!("{minutes} minutes pass"));
            self.app.pass(Duration::from_secs(minutes * MINUTE));
            self.app.run_clock(self.worker);
        } else {
            let id = self.draws.one(&tests);
            match self.draws.below(5) {
                0 => self.propose(id),
                1 => self.around(id),
                _ => self.act(id),
            }
        }
        self.check();
    }

    fn create(&mut self) {
        let configuration = match self.draws.below(3) {
            0 => json!({ "start_test_date": self.soon() }),
            _ => json!({}),
        };
        let body = json!({
            "test_name": "Test", "url": "https://shop.example/", "primary_goal_key": self.goal.1, "configuration": configuration,
            "status": self.draws.below(3) % 2, "variants": [{ "name": "Variant 1", "customJS": "a()" }],
        });
        self.did.push(format!("create {body}"));
        let mut made = self.editor.post("/create-experiment", body.clone());
        if made.status != 201 {
            let draft = json!({ "test_name": "Test", "url": "https://shop.example/", "primary_goal_key": self.goal.1,
                "variants": [{ "name": "Variant 1", "customJS": "a()" }] });
            made = self.editor.post("/create-experiment", draft);
        }
        let id = made.created()["test_id"].as_i64().expect("an id");
        self.approved.insert(id, Approved::default());
    }

    fn soon(&mut self) -> String {
        let minutes = self.draws.below(200);
        let now = self.app.settings.clock.now();
        now.plus_us(i64::try_from(minutes * MINUTE * 1_000_000).expect("a time")).to_string()
    }

    /// Returns a random PATCH body.
    fn patch(&mut self) -> Value {
        match self.draws.below(6) {
            0 => json!({ "test_name": format!("Test {}", self.draws.below(100)) }),
            1 => json!({ "custom_js": format!("c({})", self.draws.below(100)) }),
            2 => {
                json!({ "variants": [{ "name": "Variant 1", "data": [{ "target": "h1", "innerText": format!("{}", self.draws.below(100)) }] }] })
            }
            3 => json!({ "configuration": { "traffic_allocation": 50 + self.draws.below(50) } }),
            4 => json!({ "configuration": { "start_test_date": null } }),
            _ => json!({ "configuration": { "start_test_date": self.soon() } }),
        }
    }

    /// Performs a random write of the editor alone.
    fn act(&mut self, id: i64) {
        let path = format!("/experiment/{id}");
        let (method, path, body) = match self.draws.below(12) {
            0 | 1 => ("PATCH", format!("{path}/status"), json!({ "status": self.draws.below(2) })),
            2 => ("PATCH", format!("{path}/archive"), json!({ "archived": self.draws.below(2) == 0 })),
            3 => ("POST", format!("{path}/conclude"), {
                let mut body = json!({ "outcome": "invalid", "note": "n", "override_reason": "r" });
                if self.draws.below(2) == 0 {
                    body["serve_variant_id"] = "1".into();
                }
                body
            }),
            4 => ("POST", format!("{path}/reopen"), json!({})),
            5 => ("POST", format!("{path}/serve-winner"), json!({ "variant_id": self.draws.below(2).to_string() })),
            6 => ("POST", format!("{path}/stop-serving"), json!({})),
            7 => ("POST", format!("{path}/restore"), json!({ "revision": 1 + self.draws.below(8) })),
            _ => ("MERGE", path, self.patch()),
        };
        self.send(method, &path, body);
    }

    /// Performs a random write to other objects that changes who gets the experiment, or what is counted.
    fn around(&mut self, id: i64) {
        let group = self.editor.get("/exclusion-groups").ok()["exclusion_groups"][0]["group_id"].as_i64();
        let (method, path, body) = match (self.draws.below(5), group) {
            (0, _) => (
                "PATCH",
                format!("/goal/{}", self.goal.0),
                json!({ "goal_value": format!("v{}", self.draws.below(50)) }),
            ),
            (1, _) => ("DELETE", format!("/goal/{}", self.goal.0), Value::Null),
            (2, Some(group)) => ("DELETE", format!("/exclusion-group/{group}?accept_moves=true"), Value::Null),
            (3, _) => (
                "POST",
                "/exclusion-group".to_owned(),
                json!({ "name": "H", "kind": "holdout", "percent": 1 + self.draws.below(40), "scope": "project" }),
            ),
            (_, Some(group)) => (
                "PATCH",
                format!("/exclusion-group/{group}"),
                json!({ "percent": 1 + self.draws.below(40), "accept_moves": true }),
            ),
            (_, None) => (
                "POST",
                "/exclusion-group".to_owned(),
                json!({ "name": "E", "kind": "exclusion", "members": [{ "test_id": id, "percent": 1 + self.draws.below(99) }] }),
            ),
        };
        if method == "DELETE" && path.starts_with("/goal") && self.draws.below(4) > 0 {
            return;
        }
        self.send(method, &path, body);
        if self.editor.get(&format!("/goal/{}", self.goal.0)).status == 404 {
            let key = format!("bought-{}", self.did.len());
            self.goal = (self.editor.goal(&key), key);
        }
    }

    fn send(&mut self, method: &str, path: &str, body: Value) {
        let answer = match method {
            "MERGE" => self.editor.merge(path, body.clone()),
            "PATCH" => self.editor.patch(path, body.clone()),
            "DELETE" => self.editor.delete(path),
            _ => self.editor.post(path, body.clone()),
        };
        self.did.push(format!("{method} {path} {body}: {}", answer.status));
        assert!(answer.status < 500, "{}: {}", self.transcript(), answer.text());
    }

    /// Makes a proposal of the editor, which the second person may approve. Nobody else may.
    fn propose(&mut self, id: i64) {
        let starts = self.draws.below(3) > 0;
        let body = if starts { json!({ "status": 1 }) } else { self.patch() };
        let call = self.editor.call("POST", &format!("/experiment/{id}/proposals"));
        let made = match starts {
            true => call.json(body.clone()).send(),
            false => call.header("content-type", "application/merge-patch+json").body(body.to_string()).send(),
        };
        self.did.push(format!("propose {id} {body}: {}", made.status));
        if made.status != 201 {
            return;
        }
        let approve = format!("/proposals/{}/approve", made.created()["proposal_id"]);
        self.editor.post(&approve, json!({})).refused(409, "own_proposal");
        if self.draws.below(3) == 0 {
            return;
        }
        let answer = self.second.post(&approve, json!({}));
        self.did.push(format!("approve: {}", answer.status));
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
