use super::*;
use crate::config::Place;
use muriel_domain::experiment::Outcome;
use serde_json::Value;
use std::path::Path;

const SHOP: &str = "http://127.0.0.1:4172";

async fn opened(directory: &Path) -> Opened {
    let place = Place {
        data_dir: directory.to_owned(),
        database_url: None,
        pepper_file: directory.join("pepper"),
        postgres: muriel_sql::PostgresOptions::default(),
    };
    open(&place).await.unwrap()
}

/// Everything that the API tells of the company.
struct Told {
    experiments: Vec<Value>,
    hypotheses: Vec<Value>,
    goals: Vec<Value>,
}

async fn told(client: &Client) -> Told {
    let mut told = Told { experiments: Vec::new(), hypotheses: Vec::new(), goals: Vec::new() };
    let listed = client.get(Project::Shop, "experiments?limit=500").await.unwrap();
    let listed = listed["experiments"].as_array().unwrap().clone();
    for project in Project::ALL {
        for path in ["hypotheses?limit=200&include_archived=true", "goals?limit=500"] {
            let answer = client.get(project, path).await.unwrap();
            told.hypotheses.extend(answer["hypotheses"].as_array().cloned().unwrap_or_default());
            told.goals.extend(answer["goals"].as_array().cloned().unwrap_or_default());
        }
        for test in &listed {
            if let Ok(mut answer) = client.get(project, &format!("experiment/{}", test["test_id"])).await {
                told.experiments.push(answer["experiment"].take());
            }
        }
    }
    assert_eq!(told.experiments.len(), listed.len(), "every experiment is in one project");
    told
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
    let first = opened(directory.path()).await;
    let Prepared { api_key: key, live, .. } = prepare(&first, SHOP).await.unwrap();
    let client = Client::new(App::new(first.db.clone(), first.pepper.clone(), Clock::System, Traffic::default()), &key);
    let before = told(&client).await;
    assert_eq!((before.experiments.len(), before.hypotheses.len(), before.goals.len()), (30, 120, 12));
    assert!(!live.is_empty());

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
    first.db.close().await.unwrap();

    let again = opened(directory.path()).await;
    // Its experiments go on naming the shop where it was.
    let Prepared { api_key: new_key, live: still_live, shop } = prepare(&again, "http://127.0.0.1:1").await.unwrap();
    assert_eq!(&*shop, SHOP);
    assert_ne!(new_key.reveal(), key.reveal());
    assert_eq!(still_live, live);
    let client =
        Client::new(App::new(again.db.clone(), again.pepper.clone(), Clock::System, Traffic::default()), &new_key);
    let after = told(&client).await;
    assert_eq!(after.experiments, before.experiments);
    assert_eq!(after.hypotheses, before.hypotheses);
    assert_eq!(after.goals, before.goals);
    again.db.close().await.unwrap();
}

/// What the API does not tell: concluding is the dashboard's.
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
    for (word, _) in Outcome::WORDS {
        assert!(concluded.contains(&word), "{word}");
    }
}

/// Days that are out of order would be seeded in another order than told.
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
    let opened = opened(directory.path()).await;
    crate::access::project_create(&opened, "Acme", "Site", &Clock::System).await.unwrap();
    let Err(error) = prepare(&opened, SHOP).await else { panic!("it was not refused") };
    assert!(error.to_string().contains("a database of its own"), "{error}");
    opened.db.close().await.unwrap();
}

/// Everything that is in the log, by kind, with the exposures of each arm.
fn seen(directory: &Path) -> (usize, Vec<Value>) {
    let reader = muriel_events::log::Reader::open(directory).unwrap();
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
    let common = Common { data_dir: Some(directory.path().to_owned()), ..Common::default() };
    let listen = Some("127.0.0.1:0".to_owned());
    let flags = ServeFlags { listen, metrics_listen: Some("off".to_owned()), ..ServeFlags::default() };
    let settings = Settings::load(common, flags).unwrap();
    let running = serve::start(settings.clone()).await.unwrap();
    let opened = open(&settings.place).await.unwrap();
    let Prepared { api_key: key, shop, .. } = prepare(&opened, SHOP).await.unwrap();
    let visitors =
        VisitorFlags { visitors_per_day: 60, days: 5, seed: 1, live_rate: 0.0, shop_listen: None, no_visitors: false };
    let bar = indicatif::ProgressBar::hidden();
    let made = history(&running.app, &key, shop.clone(), visitors.clone(), &bar).await.unwrap().unwrap();
    assert_eq!(made.visits, 300);
    let (events, all) = seen(directory.path());
    assert_eq!(events as u64, made.events);

    // Who is stopped before the end sends the same again, and that counts once.
    let until = unvisited(&running.app.db).await.unwrap();
    assert_eq!(until, None);
    assert!(history(&running.app, &key, shop.clone(), visitors.clone(), &bar).await.unwrap().is_none());
    let seeded =
        running.app.db.read::<_, Error, _>(|tx| Box::pin(async move { Ok(stored::get(tx, seed::SEEDED).await?) }));
    let until = Instant::parse(&seeded.await.unwrap().unwrap()).unwrap();
    let (address, _serving) = unlimited(running.app.clone()).await.unwrap();
    let again =
        History { address, key: key.clone(), shop: shop.clone(), flags: visitors, until }.walk(&bar).await.unwrap();
    assert_eq!((again, seen(directory.path()).0), (made, events));

    let count = |is: &dyn Fn(&Value) -> bool| all.iter().filter(|event| is(event)).count();
    for kind in ["pageview", "exposure", "custom", "click", "order", "scroll", "duration"] {
        assert!(count(&|event| event["type"] == kind) > 0, "{kind}");
    }
    assert_eq!(count(&|event| event["bot"] == true), 0);
    assert_eq!(count(&|event| event["country"].is_null() || event["device"].is_null()), 0);
    let began = until.plus_us(-5 * muriel_domain::time::DAY_US).to_string();
    assert_eq!(count(&|event| event["at"].as_str().unwrap() < began.as_str()), 0);
    let trust_row = running.app.rulesets.get(Project::Shop.key()).unwrap().ruleset.experiment("trust-row").unwrap().id;
    let arms = |arm: &str| count(&|event| event["test_id"] == trust_row && event["variant_id"] == arm);
    assert!(arms("0") > 50 && arms("1") > 50);

    let live = Live { address: running.address, shop, seed: 1, rate: 100.0, known: 300 };
    let coming = tokio::spawn(live.keep_coming());
    let deadline = std::time::Instant::now() + Duration::from_secs(180);
    while seen(directory.path()).0 < events + 20 {
        assert!(std::time::Instant::now() < deadline, "nobody came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    coming.abort();
    opened.db.close().await.unwrap();
    running.stop().await.unwrap();
}

/// The three that have the most to tell.
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
    let running = include_str!("../../../../docs/running.md");
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
