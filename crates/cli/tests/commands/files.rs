//! Tests of a project as files: exported, changed, planned and applied, with a server.

use crate::{Server, json_output};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Server with two empty projects of one company.
struct Shop {
    server: Server,
    key: String,
    projects: [String; 2],
    place: tempfile::TempDir,
}

impl Shop {
    fn start() -> Self {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        fs::create_dir(&data).unwrap();
        let first = json_output(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], &data);
        let second = json_output(&["project", "create", "--company", "Acme", "--name", "Copy", "--json"], &data);
        let text = |made: &Value, name: &str| made[name].as_str().unwrap().to_owned();
        let projects = [text(&first, "project_key"), text(&second, "project_key")];
        let server = Server::start(&[], &data);
        Self { server, key: text(&first, "api_key"), projects, place }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.place.path().join(name)
    }

    /// Runs a command on files.
    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_muriel"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("MURIEL_") {
                command.env_remove(name);
            }
        }
        let server = format!("http://{}", self.server.address);
        command.args(words).env("MURIEL_API_KEY", &self.key).env("MURIEL_SERVER", server);
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Output and error text of a command that ends with this exit status.
    #[track_caller]
    fn says(&self, words: &[&str], code: i32) -> String {
        let output = self.run(words);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        said
    }

    /// Calls an operation of the API.
    #[track_caller]
    fn ask(&self, project: usize, what: &str, body: &Value) -> Value {
        let (method, path) = what.split_once(' ').unwrap();
        let fields = [format!("Authorization: Bearer {}", self.key), "Content-Type: application/json".to_owned()];
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let request = format!("{method} /v2/project/{}/{path}", self.projects[project]);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.server.answer(&request, &fields, &body);
        assert!(answer.starts_with("HTTP/1.1 2"), "{what}: {answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Fills the first project.
    fn fill(&self) -> i64 {
        let goal = json!({ "goal_name": "Bought", "goal_type": "revenue", "goal_value": "Purchase", "cap": 500.5, "currency": "EUR" });
        self.ask(0, "POST goal", &goal);
        self.ask(0, "POST goal", &json!({ "goal_name": "Deep", "goal_type": "scrolling", "goal_value": 75 }));
        let idea = json!({ "problem": "Few finish.\nMany leave.", "solution": "Ask for less!", "confidence": 4 });
        let made = self.ask(0, "POST hypothesis", &idea);
        assert_eq!(made["slug"], "ask-for-less");
        self.ask(0, "POST hypothesis", &json!({ "problem": "Old", "slug": "old", "archived": true }));
        let live = json!({
            "test_name": "Shorter form", "experiment_key": "short-form", "url": "https://shop.example/checkout", "status": 1,
            "variants": [
                { "name": "Variant 1", "nickname": "Four fields", "customJS": "a();\n", "customCSS": ".x {}" },
                { "name": "Variant 2", "data": [{ "target": "h1", "innerText": "Hi", "extra": { "b": null, "a": 1.5 } }] },
            ],
            "control": { "nickname": "Today", "customCSS": "b {}" }, "custom_js": "all()",
            "configuration": { "traffic_allocation": 80, "distribution": { "Control": 50, "Variant 1": 25.5, "Variant 2": 24.5 } },
            "targeting": { "allowed_country": [{ "name": "Germany", "code": "DE", "rule": "whitelist" }] },
            "tags": ["form"], "plan": { "mde": 3, "visitors": 9000 },
            "hypothesis_id": made["hypothesis_id"], "primary_goal_key": "bought", "secondary_goal_keys": ["deep"],
        });
        let id = self.ask(0, "POST create-experiment", &live)["test_id"].as_i64().unwrap();
        let draft = json!({
            "test_name": "Odd", "experiment_key": "..", "url": "https://shop.example/", "variants_data_key": "https://*/",
            "test_type": "personalization",
            "variants": [{ "name": "Variant 1", "targeting": { "device_rule": ["mobile"] } }],
            "configuration": { "is_mab": 1, "integration": [{ "name": "ga4", "none": null }] },
        });
        self.ask(0, "POST create-experiment", &draft);
        id
    }
}

/// All files of a directory, without the project's name.
fn contents(directory: &Path) -> BTreeMap<String, String> {
    fn walk(at: &Path, below: &str, into: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{below}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), into);
            } else {
                into.insert(name, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(directory, "", &mut all);
    let project = all.get_mut("project.toml").unwrap();
    *project = project.lines().filter(|line| !line.starts_with("project_key")).collect();
    all
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: {text}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_project_goes_to_files_and_to_another_project_and_back() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::start();
    shop.fill();
    let (at, again) = (shop.at("files"), shop.at("again"));
    let (dir, copy) = (at.to_str().unwrap(), again.to_str().unwrap());
    shop.says(&["export", "--project", &shop.projects[0], "--dir", dir], 0);
    let first = contents(&at);
    for name in [
        "project.toml",
        "goals.toml",
        "hypotheses/ask-for-less.toml",
        "hypotheses/old.toml",
        "experiments/short-form/experiment.toml",
        "experiments/short-form/custom.js",
        "experiments/short-form/control.css",
        "experiments/short-form/variant-1.js",
        "experiments/short-form/variant-2.changes.json",
        "experiments/%2E%2E/experiment.toml",
        "experiments/%2E%2E/integration.json",
    ] {
        assert!(first.contains_key(name), "{name}: {:?}", first.keys());
    }
    let mode = fs::metadata(at.join("experiments/short-form/variant-1.js")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others can read it");
    let said = shop.says(&["plan", dir], 0);
    assert!(said.contains("Nothing to do"), "{said}");
    let said = shop.says(&["export", "--project", &shop.projects[0], "--dir", dir], 1);
    assert!(said.contains("is not empty") && said.contains("--overwrite"), "{said}");

    let other = ["--project", &shop.projects[1]];
    let said = shop.says(&["plan", dir, other[0], other[1]], 2);
    assert!(said.contains("6 to create, 0 to change, 0 to remove"), "{said}");
    let said = shop.says(&["apply", dir, other[0], other[1]], 1);
    assert!(said.contains("--yes"), "{said}");
    shop.says(&["apply", dir, other[0], other[1], "--yes"], 0);
    let said = shop.says(&["apply", dir, other[0], other[1], "--yes"], 0);
    assert!(said.contains("Nothing to do"), "{said}");
    shop.says(&["export", other[0], other[1], "--dir", copy], 0);
    assert_eq!(contents(&again), first);
    shop.says(&["export", other[0], other[1], "--dir", copy, "--overwrite"], 0);
    assert_eq!(contents(&again), first);
}

#[test]
fn a_plan_says_what_it_does_to_live_experiments_and_apply_does_it() {
    let shop = Shop::start();
    let id = shop.fill();
    let at = shop.at("files");
    let dir = at.to_str().unwrap();
    shop.says(&["export", "--project", &shop.projects[0], "--dir", dir], 0);
    let settings = at.join("experiments/short-form/experiment.toml");
    replace(&settings, "traffic_allocation = 80", "traffic_allocation = 40");
    fs::remove_file(at.join("experiments/short-form/variant-1.js")).unwrap();
    replace(&at.join("goals.toml"), "cap = 500.5", "cap = 600");
    fs::write(at.join("hypotheses/new-idea.toml"), "problem = \"New\"\n").unwrap();
    replace(&settings, "hypothesis = \"ask-for-less\"", "hypothesis = \"new-idea\"");

    let said = shop.says(&["plan", dir], 2);
    for part in [
        "configuration.traffic_allocation: 80 -> 40",
        "opens a new epoch (",
        "moves ",
        "removes code: variants[0].customJS",
        "counts past events by the new definition",
        "hypothesis: \"ask-for-less\" -> \"new-idea\"",
        "1 to create, 2 to change, 0 to remove.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let plan: Value = serde_json::from_str(&shop.says(&["plan", dir, "--json"], 2)).unwrap();
    let change = plan["changes"].as_array().unwrap().iter().find(|change| change["kind"] == "experiment").unwrap();
    assert_eq!(
        (&change["name"], &change["action"], &change["is_live"]),
        (&json!("short-form"), &json!("update"), &json!(true))
    );
    assert_eq!((&change["opens_epoch"], &change["removed_code"]), (&json!(true), &json!(["variants[0].customJS"])));

    // The goal changes first, and with it the version of the experiment. That is not a conflict.
    shop.says(&["apply", dir, "--yes"], 0);
    shop.says(&["plan", dir], 0);
    let details = shop.ask(0, &format!("GET experiment/{id}"), &Value::Null);
    assert_eq!(details["experiment"]["configuration"]["traffic_allocation"], 40);
    assert_eq!(details["experiment"]["epochs"].as_array().unwrap().len(), 2);
    assert_eq!(details["experiment"]["variants"][0]["customJS"], "");

    replace(&settings, "status = \"live\"", "status = \"inactive\"");
    let said = shop.says(&["apply", dir, "--yes"], 0);
    assert!(said.contains("stops: visitors no longer see it"), "{said}");
    replace(&settings, "status = \"inactive\"", "status = \"live\"");
    let said = shop.says(&["plan", dir], 0);
    assert!(
        said.contains("note: experiment short-form has run and was stopped") && said.contains("--resume"),
        "{said}"
    );
    // The experiment starts with its final fields, in one transaction.
    replace(&settings, "test_name = \"Shorter form\"", "test_name = \"Shortest form\"");
    shop.says(&["apply", dir, "--resume", "--yes"], 0);
    shop.says(&["plan", dir], 0);
    assert_eq!(shop.ask(0, &format!("GET experiment/{id}"), &Value::Null)["experiment"]["status"], 1);

    // Objects that are not in the files are kept, unless pruning is requested.
    fs::remove_dir_all(at.join("experiments/%2E%2E")).unwrap();
    fs::remove_file(at.join("hypotheses/ask-for-less.toml")).unwrap();
    shop.says(&["plan", dir], 0);
    let said = shop.says(&["apply", dir, "--prune", "--yes"], 0);
    assert!(said.contains("- ..  delete") && said.contains("- ask-for-less  archive"), "{said}");
    let keys = shop.ask(0, "GET experiment-keys", &Value::Null);
    assert_eq!(keys["experiments"], json!([{ "test_id": id, "experiment_key": "short-form" }]));
    shop.says(&["plan", dir, "--prune"], 0);
}

#[test]
fn refusals_change_nothing_and_say_what_was_done() {
    let shop = Shop::start();
    let at = shop.at("files");
    let dir = at.to_str().unwrap();
    shop.says(&["export", "--project", &shop.projects[0], "--dir", dir], 0);
    let experiment = "test_name = \"A\"\nurl = \"https://a.example/\"\nstatus = \"draft\"\n\n[[variants]]\n";
    for key in ["a", "b", "c"] {
        fs::create_dir_all(at.join("experiments").join(key)).unwrap();
        fs::write(at.join("experiments").join(key).join("experiment.toml"), experiment).unwrap();
    }
    fs::write(at.join("experiments/b/custom.js"), "run()").unwrap();
    replace(&at.join("experiments/c/experiment.toml"), "test_name", "test_names");
    fs::write(at.join("hypotheses.toml"), "").unwrap();
    let said = shop.says(&["apply", dir, "--yes"], 1);
    assert!(
        said.contains("experiments/c/experiment.toml:1: test_names is not a known field; did you mean \"test_name\"?"),
        "{said}"
    );
    assert_eq!(shop.ask(0, "GET experiment-keys", &Value::Null)["count"], 0);
    fs::remove_dir_all(at.join("experiments/c")).unwrap();

    // A key without the scope code creates a and fails at b, which then does not exist at all. A key with the
    // scope continues.
    let data = shop.at("data");
    let limited = json_output(&["key", "create", "--company", "Acme", "--scopes", "read,write", "--json"], &data);
    let file = shop.at("key");
    fs::write(&file, limited["api_key"].as_str().unwrap()).unwrap();
    let said = shop.says(&["apply", dir, "--yes", "--key-file", file.to_str().unwrap()], 1);
    assert!(said.contains("experiment b was refused and is unchanged"), "{said}");
    assert!(said.contains("1 of 2 changes were made before"), "{said}");
    assert_eq!(shop.ask(0, "GET experiment-keys", &Value::Null)["count"], 1);
    let said = shop.says(&["apply", dir, "--yes"], 0);
    assert!(said.contains("1 of 1 changes were made"), "{said}");

    // The key is not sent to the target of a redirect, and is required.
    fs::write(&file, "").unwrap();
    let said = shop.says(&["plan", dir, "--key-file", file.to_str().unwrap()], 1);
    assert!(said.contains("there is no API key"), "{said}");
    let said = shop.says(&["plan", dir, "--project", "../../x"], 1);
    assert!(said.contains("not found") || said.contains("no project"), "{said}");
    let said = shop.says(&["plan", shop.at("data").to_str().unwrap()], 1);
    assert!(said.contains("project.toml: the file is missing"), "{said}");
}
