use super::*;
use muriel_domain::access::{Grant, Scopes};
use muriel_domain::experiment::ConclusionOutcome;
use muriel_log::{Log, LogOptions, Reserve};
use muriel_sql::SqliteOptions;
use muriel_store::{keys, tenants};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const SHOP: &str = "http://127.0.0.1:4172";

fn pepper() -> Pepper {
    Pepper::new(&[7; 32])
}

async fn database(directory: &Path) -> Db {
    let db = Db::sqlite(&directory.join("muriel.db"), SqliteOptions::default()).unwrap();
    muriel_store::migrate(&db).await.unwrap();
    db
}

/// Prepares the demo with a new key.
async fn prepare(db: &Db, shop: &str) -> Result<(ApiKey, Prepared)> {
    let company = Company::ensure(db, &pepper()).await?;
    let key = ApiKey::generate().unwrap();
    let (id, mac) = (key.id().to_owned(), pepper().mac_of(&key).to_vec());
    db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let company_id = tenants::company_named(tx, COMPANY).await?.unwrap();
            let grant = Grant { company_id, projects: None, scopes: Scopes::all(), expires_at: None, revoked_at: None };
            let created_at = Clock::System.now();
            let stored = keys::StoredKey {
                id,
                name: "demo".to_owned(),
                mac,
                grant,
                created_by: None,
                created_at,
                last_used_at: None,
            };
            Ok(keys::insert(tx, &stored).await?)
        })
    })
    .await?;
    let prepared = company.fill(db, &pepper(), &key, shop).await?;
    Ok((key, prepared))
}

fn client(db: &Db, key: &ApiKey) -> Client {
    Client::new(App::new(db.clone(), pepper(), Clock::System, Traffic::default()), key)
}

/// All data of the company that the API returns.
struct CompanyData {
    experiments: Vec<Value>,
    hypotheses: Vec<Value>,
    goals: Vec<Value>,
}

async fn company_data(client: &Client) -> CompanyData {
    let mut data = CompanyData { experiments: Vec::new(), hypotheses: Vec::new(), goals: Vec::new() };
    let listed = client.get(Project::Shop, "experiments?limit=500").await.unwrap();
    let listed = listed["experiments"].as_array().unwrap().clone();
    for project in Project::ALL {
        for path in ["hypotheses?limit=200&include_archived=true", "goals?limit=500"] {
            let answer = client.get(project, path).await.unwrap();
            data.hypotheses.extend(answer["hypotheses"].as_array().cloned().unwrap_or_default());
            data.goals.extend(answer["goals"].as_array().cloned().unwrap_or_default());
        }
        for test in &listed {
            if let Ok(mut answer) = client.get(project, &format!("experiment/{}", test["test_id"])).await {
                data.experiments.push(answer["experiment"].take());
            }
        }
    }
    assert_eq!(data.experiments.len(), listed.len(), "every experiment is in one project");
    data
}

fn has(test: &Value, path: &str) -> bool {
    test.pointer(path).is_some_and(|value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_directory_gets_the_whole_company_once() {
    let directory = tempfile::tempdir().unwrap();
    let first = database(directory.path()).await;
    let (key, Prepared { live, .. }) = prepare(&first, SHOP).await.unwrap();
    let before = company_data(&client(&first, &key)).await;
    assert_eq!((before.experiments.len(), before.hypotheses.len(), before.goals.len()), (30, 120, 12));
    assert!(!live.is_empty());

    let groups = async |project: Project| {
        let answer = client(&first, &key).get(project, "exclusion-groups").await.unwrap();
        answer["exclusion_groups"].as_array().unwrap().clone()
    };
    let (shop, journal) = (groups(Project::Shop).await, groups(Project::Journal).await);
    assert_eq!((shop.len(), &shop[0]["percent"], &shop[0]["scope"]), (1, &5.0.into(), &"project".into()));
    assert_eq!((journal.len(), journal[0]["members"].as_array().map(Vec::len)), (1, Some(2)));
    let check = |what: &str, least: usize, is: &dyn Fn(&Value) -> bool| {
        let found = before.experiments.iter().filter(|test| is(test)).count();
        assert!(found >= least, "{found} of at least {least} experiments: {what}");
    };
    let concluded = |test: &Value| test["is_completed"] == 1;
    let epochs = |test: &Value| test["epochs"].as_array().map_or(0, Vec::len);
    let share = |test: &Value| test["serving_traffic_allocation"].as_i64();
    check("draft", 4, &|test| test["status"] == 9);
    check("draft that has run", 1, &|test| test["status"] == 9 && epochs(test) > 0);
    check("live", 8, &|test| test["status"] == 1);
    check("live without a primary goal", 1, &|test| test["status"] == 1 && test["primary_goal"].is_null());
    check("paused or ended", 3, &|test| test["status"] == 0 && !concluded(test) && epochs(test) > 0);
    check("put aside", 2, &|test| test["status"] == 0 && !concluded(test) && epochs(test) == 0);
    check("concluded", 6, &|test| concluded(test));
    check("winner for all", 3, &|test| share(test) == Some(100));
    check("winner for some", 1, &|test| share(test).is_some_and(|share| share < 100));
    check("control served", 1, &|test| test["serving_variant_id"] == "0");
    check("serving stopped", 1, &|test| test.get("serving_variant_id").is_some_and(Value::is_null));
    check("split", 2, &|test| test["test_type"] == "split" && has(test, "/variants/0/data/0/url"));
    check("personal", 2, &|test| test["test_type"] == "personalization" && has(test, "/variants/0/targeting"));
    check("pattern", 2, &|test| test["variants_data_key"].as_str().is_some_and(|key| key.contains('*')));
    check("weights", 1, &|test| test["configuration"]["distribution"].is_object());
    let by_clock = |test: &Value, rule: &str| test.pointer("/schedule/last/rule").is_some_and(|it| it == rule);
    check("ended at its date", 1, &|test| test["status"] == 0 && by_clock(test, "end_date"));
    check("ended by a rule", 1, &|test| by_clock(test, "period"));
    check("scheduled", 1, &|test| test["status"] == 9 && has(test, "/schedule/next"));
    check("bandit", 1, &|test| test["configuration"]["is_mab"] == 1);
    check("epochs", 1, &|test| epochs(test) >= 5);
    check("targeting", 1, &|test| {
        test["targeting"].as_object().unwrap().keys().filter(|key| has(test, &format!("/targeting/{key}"))).count() > 8
    });
    check("hypothesis", 25, &|test| has(test, "/hypothesis/observation"));
    check("no hypothesis", 1, &|test| test["hypothesis_id"].is_null());
    check("tags", 30, &|test| has(test, "/tags"));
    check("plan", 10, &|test| has(test, "/plan/visitors"));
    check("code", 5, &|test| has(test, "/variants/0/customJS"));

    let ideas = |is: &dyn Fn(&Value) -> bool| before.hypotheses.iter().filter(|idea| is(idea)).count();
    assert!(ideas(&|idea| idea["archived"] == true) >= 8);
    assert!(ideas(&|idea| idea["confidence"].is_null()) >= 4);
    assert!(ideas(&|idea| has(idea, "/linked_test_ids")) >= 25);
    assert!(ideas(&|idea| idea["problem"].is_null()) >= 3);
    let mut texts: Vec<_> = before.hypotheses.iter().map(|idea| idea["solution"].to_string()).collect();
    texts.retain(|text| text != "null");
    let all = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), all, "each idea is another");

    let oldest = Clock::System.now().plus_us(-210 * muriel_domain::time::DAY_US).to_string();
    let now = Clock::System.now().to_string();
    for row in before.experiments.iter().chain(&before.hypotheses) {
        let (made, changed) = (row["created_at"].as_str().unwrap(), row["updated_at"].as_str().unwrap());
        assert!(*oldest < *made && made <= changed && *changed < *now, "{made} {changed}");
    }
    let contradictions =
        first.read::<_, muriel_store::Error, _>(|tx| Box::pin(muriel_store::testing::contradictions(tx)));
    assert_eq!(contradictions.await.unwrap(), Vec::<String>::new());
    first.close().await.unwrap();

    let again = database(directory.path()).await;
    // Its experiments keep the former origin of the shop.
    let (new_key, Prepared { live: still_live, shop }) = prepare(&again, "http://127.0.0.1:1").await.unwrap();
    assert_eq!(&*shop, SHOP);
    assert_ne!(new_key.reveal(), key.reveal());
    assert_eq!(still_live, live);
    let after = company_data(&client(&again, &new_key)).await;
    assert_eq!(after.experiments, before.experiments);
    assert_eq!(after.hypotheses, before.hypotheses);
    assert_eq!(after.goals, before.goals);
    again.close().await.unwrap();
}

/// Checks what the API does not return, because conclusions are made in the dashboard.
#[test]
fn every_outcome_was_concluded() {
    let demo = data::Demo::load().unwrap();
    let steps = demo.experiments.iter().flat_map(|test| &test.story);
    let concluded: Vec<_> = steps
        .filter_map(|step| match &step.deed {
            data::Deed::Conclude(verdict) => Some(&*verdict.outcome),
            _ => None,
        })
        .collect();
    // The experiment with invalid numbers is still live.
    for (word, _) in ConclusionOutcome::WORDS.into_iter().filter(|(word, _)| *word != "invalid") {
        assert!(concluded.contains(&word), "{word}");
    }
}

/// Steps with days out of order would be done in another order than the file has.
#[test]
fn stories_go_forward() {
    let demo = data::Demo::load().unwrap();
    for test in &demo.experiments {
        let days: Vec<_> = [test.day].into_iter().chain(test.story.iter().map(|step| step.day)).collect();
        assert!(days.is_sorted_by(|before, after| before > after), "{days:?} of {}", test.body["test_name"]);
        assert!(days.iter().all(|day| (1..200).contains(day)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_another_company_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(directory.path()).await;
    let now = Clock::System.now();
    db.write::<_, Error, _>(move |tx| Box::pin(async move { Ok(tenants::company_ensure(tx, "Acme", now).await?) }))
        .await
        .unwrap();
    let Err(error) = prepare(&db, SHOP).await else { panic!("it was not refused") };
    assert!(error.to_string().contains("a database of its own"), "{error}");
    db.close().await.unwrap();
}

/// Number of events in the log, and the events.
fn seen(directory: &Path) -> (usize, Vec<Value>) {
    let reader = muriel_log::LogReader::open(directory).unwrap();
    let mut all = Vec::new();
    for block in reader.blocks(Default::default()).unwrap() {
        let block = block.unwrap();
        all.extend(block.events().map(|event| serde_json::from_slice::<Value>(event.line).unwrap()));
    }
    (all.len(), all)
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_walk_through_the_past_once() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(directory.path()).await;
    let options = LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() };
    let log = Log::open(directory.path(), options).unwrap();
    let traffic = Traffic { log: Some(log.clone()), ..Traffic::default() };
    let app = App::new(db.clone(), pepper(), Clock::System, traffic);
    let (key, Prepared { shop, .. }) = prepare(&db, SHOP).await.unwrap();
    let settings = VisitorSettings { visitors_per_day: 60, days: 5, seed: 1 };
    let made = visit_past(&app, &key, shop.clone(), settings, |_| {}).await.unwrap().unwrap();
    assert_eq!(made.visits, 300);
    let (events, all) = seen(directory.path());
    assert_eq!(events as u64, made.events);

    // An interrupted run sends the same visits again, and they count once.
    let until = unvisited(&app.db).await.unwrap();
    assert_eq!(until, None);
    assert!(visit_past(&app, &key, shop.clone(), settings, |_| {}).await.unwrap().is_none());
    let seeded = app.db.read::<_, Error, _>(|tx| Box::pin(async move { Ok(stored::get(tx, seed::SEEDED).await?) }));
    let until = Instant::parse(&seeded.await.unwrap().unwrap()).unwrap();
    let (address, _serving) = unlimited(app.clone()).await.unwrap();
    let again = History { address, key: key.clone(), shop: shop.clone(), settings, until }
        .walk(Arc::new(|_| {}))
        .await
        .unwrap();
    assert_eq!((again.visits, seen(directory.path()).0), (made.visits, events));
    // The visitors of ended experiments are others, so their events are not sent again here.
    assert!(again.events < made.events);

    let count = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|event| is(event)).count();
    for kind in ["pageview", "exposure", "custom", "click", "order", "scroll", "duration", "health"] {
        assert!(count(&|event| event["type"] == kind) > 0, "{kind}");
    }
    assert_eq!(count(&|event| event["bot"] == true), 0);
    assert_eq!(count(&|event| event["country"].is_null() || event["device"].is_null()), 0);
    let began = until.plus_us(-5 * muriel_domain::time::DAY_US).to_string();
    assert_eq!(count(&|event| event["session"].is_string() && event["at"].as_str().unwrap() < began.as_str()), 0);
    let is_met = |test: &Value| count(&|event| event["type"] == "exposure" && event["test_id"] == test["test_id"]) > 50;
    let data = company_data(&client(&db, &key)).await;
    for test in data.experiments.iter().filter(|test| test["is_completed"] == 1) {
        assert!(is_met(test), "{}", test["test_name"]);
    }
    let trust_row = app.rulesets.get(Project::Shop.key()).unwrap().ruleset.experiment("trust-row").unwrap().id;
    let arms = |arm: &str| count(&|event| event["test_id"] == trust_row && event["variant_id"] == arm);
    assert!(arms("0") > 50 && arms("1") > 50);

    let live = LiveVisitors { address, shop, seed: 1, rate: 100.0, known: 300 };
    let coming = tokio::spawn(live.keep_coming());
    let deadline = std::time::Instant::now() + Duration::from_secs(180);
    while seen(directory.path()).0 < events + 20 {
        assert!(std::time::Instant::now() < deadline, "nobody came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    coming.abort();
    log.close().await.unwrap();
    db.close().await.unwrap();
}

/// These three have the most to show.
#[test]
fn three_experiments_of_the_shop_are_live_for_a_month() {
    let demo = data::Demo::load().unwrap();
    for key in ["compare-table", "sock-bundle", "trust-row"] {
        let test = demo.experiments.iter().find(|test| test.body.get("experiment_key") == Some(&key.into())).unwrap();
        let last = test.story.last().unwrap();
        assert!(test.project == Project::Shop && last.day > 30, "{key} changed {} days ago", last.day);
    }
}

#[test]
fn what_is_replayed_in_the_documentation_is_there() {
    let running = include_str!("../../../docs/running.md");
    let (_, command) = running.split_once("muriel simulate --data-dir demo --project ").unwrap();
    let words: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
    let ["--experiment", key, "--replay", "--confidence", confidence] = words[1..] else { panic!("{words:?}") };
    let demo = data::Demo::load().unwrap();
    let mut of_project = demo.experiments.iter().filter(|test| test.project.key() == words[0]);
    let test = of_project.find(|test| test.body.get("experiment_key") == Some(&key.into())).unwrap();
    let (_, shown) = command.split_once("```\n\n```\n").unwrap();
    for line in [
        format!("Tried     the plan of {} (", test.body["test_name"].as_str().unwrap()),
        format!("Plan      confidence {confidence} %, "),
    ] {
        assert!(shown.contains(&line), "{line}");
    }
}
