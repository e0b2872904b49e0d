use super::past::Replayed;
use super::show::{Promise, grouped, replayed_json, replayed_text, simulated_json, simulated_text};
use super::*;
use crate::config::StorageSettings;
use crate::demo;
use crate::open::open;
use clap::Parser;
use muriel_analysis::simulate::RunShare;
use muriel_context::clock::Clock;
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, Reserve};
use muriel_results::NumberSource as From;
use serde_json::json;
use std::path::Path;
use uuid::Uuid;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    asked: Simulate,
}

fn parsed(line: &str) -> std::result::Result<Simulate, String> {
    let words = ["simulate"].into_iter().chain(line.split_whitespace());
    Line::try_parse_from(words).map(|line| line.asked).map_err(|error| error.to_string())
}

/// Text for a plan given by flags.
fn text(line: &str) -> String {
    let asked = parsed(line).unwrap();
    let tried = tried(&asked, planned(&asked, None).unwrap()).unwrap();
    let (with, without) = tallies(&tried, &asked);
    simulated_text(&tried, Some(&with), &without, &asked)
}

fn tallies(tried: &Tried, asked: &Simulate) -> (Tally, Tally) {
    let tally = |lift: f64| {
        let simulation = tried.simulation(lift).unwrap();
        Tally::of(&all(asked.runs, &ProgressBar::hidden(), |number| simulation.run(asked.seed, number)))
    };
    (tally(tried.effect), tally(0.0))
}

#[test]
fn a_plan_by_flags_is_tried() {
    let line = "--weights 50,30,20 --visitors 20000 --mde 10 --stop-when-significant --stop-after-visitors 20000 \
                --effect 40 --daily-visitors 2000 --runs 100";
    let report = text(line);
    for part in [
        "Variants  Control 50 %, Variant 1 30 %, Variant 2 20 %\n",
        "Plan      confidence 95 %, smallest lift worth acting on 10 %, 20,000 visitors planned\n",
        "Ends      when a variant is called better or worse, after 20,000 visitors, after 11 days at the latest, by hand\n",
        "Visitors  2,000 a day (as asked)\nConvert   5 % of the control's (assumed)\n",
        "Runs      100 each, seed 1\n",
        "lift +40 %               no difference\n",
        "With a true lift of +40 % this plan ends with a win in ",
        "Without any difference, ",
    ] {
        assert!(report.contains(part), "{part}\nin\n{report}");
    }
    assert_eq!(report, text(line), "the same seed, the same report, on however many threads");
    assert_ne!(report, text(&format!("{line} --seed 2")));

    let asked = parsed(line).unwrap();
    let tried = tried(&asked, planned(&asked, None).unwrap()).unwrap();
    let (with, without) = tallies(&tried, &asked);
    let report = simulated_json(&tried, Some(&with), &without, &asked);
    assert_eq!(report["experiment"], serde_json::Value::Null);
    assert_eq!(
        report["plan"]["stops"],
        json!({ "significant": true, "visitors": 20_000, "conversions": null, "days": null })
    );
    assert_eq!(report["plan"]["promised_false_calls"], json!(5.0));
    assert_eq!(report["with_effect"]["power"], report["with_effect"]["verdicts"]["win"]);
    assert!(report["with_effect"]["power"]["percent"].as_f64().unwrap() > 90.0, "{report}");
    let counted: u64 =
        VERDICTS.iter().map(|word| report["without_effect"]["verdicts"][word]["count"].as_u64().unwrap()).sum();
    assert_eq!(counted, 100);
}

const VERDICTS: [&str; 5] = ["win", "loss", "no_difference", "keep_running", "do_not_trust"];

#[test]
fn days_follow_from_the_plan() {
    for (line, days, needed) in [
        ("--stop-after-days 12 --visitors 99000", 12, None),
        ("--stop-after-days 12 --days 9", 9, None),
        ("--stop-after-visitors 10000", 11, None),
        ("--visitors 10000", 10, None),
        ("--visitors 10001", 11, None),
        ("--stop-after-conversions 400 --baseline-rate 10", 5, None),
        ("--visitors 10", 1, None),
        ("--visitors 1000000", 365, Some(1_000.0)),
    ] {
        let asked = parsed(line).unwrap();
        let tried = tried(&asked, planned(&asked, None).unwrap()).unwrap();
        assert_eq!((tried.schedule.days, tried.days_needed), (days, needed), "{line}");
    }
    // As many days as the smallest lift worth acting on takes.
    let asked = parsed("--mde 20").unwrap();
    let tried = tried(&asked, planned(&asked, None).unwrap()).unwrap();
    assert_eq!(f64::from(tried.schedule.days), (tried.visitors_needed().unwrap() / 1_000.0).ceil());
    // Without planned visitors it detects larger lifts only.
    let found = tried.lift_found().unwrap();
    assert!(found > 0.2 && found < 0.25, "{found}");
}

#[test]
fn bad_flags_are_told() {
    for (line, expect) in [
        ("--weights 50", "must have a weight for the control and one for each variant"),
        ("--weights 50,x", "must be weights such as 50,50"),
        ("--weights 0,50", "must give the control and the first variant a share"),
        ("--confidence 100", "100 is not in 50..=99"),
        ("--visitors 0", "0 is not in 1.."),
        ("--mde 0", "must be more than 0 and at most 1000"),
        ("--effect -101", "must be from -100 to 1000, in percent of the control's rate"),
        ("--effect lots", "must be a number"),
        ("--baseline-rate 100", "must be more than 0 and less than 100"),
        ("--daily-visitors 0", "must be more than 0 and at most 100000000"),
        ("--revenue 4", "must be from 0 to 3"),
        ("--runs 0", "0 is not in 1..=100000"),
        ("--days 366", "366 is not in 1..=365"),
        ("--salts 3", "--replay"),
        ("--replay", "--experiment"),
        ("--project prj_x", "--experiment"),
        ("--project prj_x --experiment y --replay --runs 3", "cannot be used with"),
        ("--stop-when-significant perhaps", "must be yes or no"),
    ] {
        let message = parsed(line).map(|asked| format!("{asked:?}")).unwrap_err();
        assert!(message.contains(expect), "{line}: {message}");
    }
    let asked = parsed("--baseline-rate 60 --effect 80").unwrap();
    let tried = tried(&asked, planned(&asked, None).unwrap()).unwrap();
    let message = tried.simulation(tried.effect).unwrap_err().to_string();
    assert_eq!(message, "this cannot be simulated: the effect must leave the variant's rate between 0 % and 100 %");
}

#[test]
fn promises_are_judged_by_their_interval() {
    for (count, of, promised, expect) in [
        (2, 200, 0.05, Promise::Kept),
        (6, 200, 0.05, Promise::Open),
        (30, 200, 0.05, Promise::Broken),
        (0, 10, 0.05, Promise::Open),
    ] {
        assert_eq!(Promise::of(RunShare { count, of }, promised), expect, "{count} of {of}");
    }
    let numbers = [0, 7, 999, 1_000, 1_234_567].map(grouped);
    assert_eq!(numbers, ["0", "7", "999", "1,000", "1,234,567"]);
}

/// Number of days with visitors; today is the last.
const DAYS: i64 = 40;
/// Number of visitors per day; one of every `BUYS` buys.
const DAILY: i64 = 60;
const BUYS: i64 = 6;

/// Writes a log of visitors of the project, some of whom buy a day later.
async fn visitors(directory: &Path, project_key: &str, now: Instant) {
    let options = LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() };
    let log = Log::open(directory, options).unwrap();
    let today = now.us().div_euclid(DAY_US);
    let mut number = 0_u128;
    for day in 0..DAYS {
        let begin = Instant::from_us((today - DAYS + 1 + day) * DAY_US);
        let (mut lines, mut events) = (Vec::new(), Vec::new());
        let mut record_event = |visitor: String, at: Instant, what: serde_json::Value| {
            number += 1;
            let id = Uuid::from_u128(number);
            let mut record = json!({
                "id": id, "project_key": project_key, "at": at, "received_at": at, "visitor": { "id": visitor }, "bot": false,
            });
            record.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
            serde_json::to_writer(&mut lines, &record).unwrap();
            lines.push(b'\n');
            events.push(BatchEvent { id, scope: DedupScope::PROJECT, end: lines.len() });
        };
        for visitor in 0..DAILY {
            let name = |day: i64| format!("v-{day}-{visitor}");
            record_event(name(day), begin, json!({ "type": "pageview", "url": "https://shop.example/" }));
            if visitor % BUYS == 0 && day > 0 {
                let order = format!("o-{day}-{visitor}");
                let value = 20.0 + visitor as f64;
                let order = json!({ "type": "order", "name": "Purchase", "value": value, "currency": "EUR", "order_id": order });
                record_event(name(day - 1), begin, order);
            }
        }
        log.append(Batch { project_key: project_key.into(), received_at: begin, events, lines }).await.unwrap();
    }
    log.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_an_experiment_is_tried_on_its_project() {
    let directory = tempfile::tempdir().unwrap();
    let place = StorageSettings {
        data_dir: directory.path().to_owned(),
        database_url: None,
        pepper_file: directory.path().join("pepper"),
        postgres: muriel_sql::PostgresOptions::default(),
    };
    let opened = open(&place).await.unwrap();
    demo::prepare(&opened, "http://shop.example").await.unwrap();
    opened.db.close().await.unwrap();
    const PROJECT: &str = "prj_northwind_shop";
    visitors(directory.path(), PROJECT, Clock::System.now()).await;

    let line = |more: &str| {
        let asked = parsed(&format!("--project {PROJECT} --experiment basket-bar {more}")).unwrap();
        let common = Common { data_dir: Some(directory.path().to_owned()), ..Common::default() };
        Simulate { common, ..asked }
    };
    let loaded = |asked: &Simulate| {
        let asked = asked.clone();
        async move {
            let (project, experiment) = (asked.project.clone().unwrap(), asked.experiment.clone().unwrap());
            experiment::load(&asked.common, &project, &experiment).await
        }
    };

    // Synthetic visitors have the rates of the project's visitors.
    let asked = line("--runs 10 --days 20");
    let plan = planned(&asked, Some(loaded(&asked).await.unwrap())).unwrap();
    assert_eq!((plan.measure, plan.window_days), (muriel_analysis::Measure::Value, 14), "revenue within two weeks");
    let configuration = plan.experiment.as_ref().unwrap().configuration.clone();
    assert_eq!(plan.rules.significant, configuration.completion_stats_significant_flag);
    let tried = tried(&asked, plan).unwrap();
    assert_eq!((tried.daily_from, tried.rate_from), (From::Project, From::Project));
    // The demo has a holdout of 5 % of the shop's visitors.
    let allocation = configuration.traffic_allocation as f64 / 100.0 * 0.95;
    // The first day includes buyers of two days.
    assert!((tried.scenario.daily_visitors / allocation - DAILY as f64).abs() <= 1.0, "{:?}", tried.scenario);
    assert!((tried.scenario.rate - 1.0 / BUYS as f64).abs() < 0.01, "{:?}", tried.scenario);
    let (with, without) = tallies(&tried, &asked);
    let report = simulated_text(&tried, Some(&with), &without, &asked);
    assert!(report.contains("Goal      Purchase (purchase)\n"), "{report}");
    assert!(report.contains("(the project's last two weeks)"), "{report}");
    let flags = line("--stop-when-significant no --stop-after-days 3 --confidence 80 --weights 20,80");
    let changed = planned(&flags, Some(loaded(&flags).await.unwrap())).unwrap();
    assert_eq!(
        (changed.rules.significant, changed.rules.period, changed.weights()),
        (false, Some(3), &[2_000, 8_000][..])
    );

    // Its own visitors, whose two weeks are over.
    let asked = line("--replay --salts 40 --days 365 --confidence 50 --stop-when-significant no");
    let plan = planned(&asked, Some(loaded(&asked).await.unwrap())).unwrap();
    let replayed = Replayed::new(&asked, plan).unwrap();
    let days = (DAYS - 14) as u64;
    assert_eq!(u64::from(replayed.schedule.days), days);
    assert_eq!((replayed.visitors, replayed.converted), (days * DAILY as u64, days * (DAILY / BUYS) as u64));
    let runs = || all(asked.salts, &ProgressBar::hidden(), |number| replayed.run(asked.seed, number));
    let tally = Tally::of(&runs());
    assert_eq!(Tally::of(&runs()), tally);
    assert_eq!(tally.days.median, days);
    assert!(tally.visitors.median <= replayed.visitors);
    let report = replayed_text(&replayed, &tally, &asked);
    assert!(report.contains(&format!("False alarms {} of 40: ", tally.called)), "{report}");
    assert!(report.contains("every call is a false alarm"), "{report}");
    assert!(report.contains("The plan takes 365 days; the project's past has 26."), "{report}");
    let report = replayed_json(&replayed, &tally, &asked);
    assert_eq!(report["replay"]["called"]["count"], json!(tally.called));
    assert_eq!(report["promise"], json!(Promise::of(tally.called(), 0.5).word()));

    // A bandit has no plan to simulate, unless weights are given.
    let mut bandit = line("");
    bandit.experiment = Some("home-hero".to_owned());
    let message = planned(&bandit, Some(loaded(&bandit).await.unwrap())).unwrap_err().to_string();
    assert!(message.contains("its weights follow its results"), "{message}");
    bandit.weights = Some(Weights(vec![1, 1]));
    assert!(planned(&bandit, Some(loaded(&bandit).await.unwrap())).is_ok());

    // Unknown names are reported.
    let mut nowhere = line("");
    nowhere.experiment = Some("no-such".to_owned());
    let message = loaded(&nowhere).await.unwrap_err().to_string();
    assert_eq!(message, "the project has no experiment no-such");
    nowhere.project = Some("prj_none".to_owned());
    assert!(loaded(&nowhere).await.unwrap_err().to_string().contains("there is no project with the key prj_none"));
    let mut journal = line("--replay");
    journal.project = Some("prj_northwind_journal".to_owned());
    journal.experiment = Some("route-map-first".to_owned());
    let plan = planned(&journal, Some(loaded(&journal).await.unwrap())).unwrap();
    let message = Replayed::new(&journal, plan).unwrap_err().to_string();
    assert_eq!(message, "the project had no visitors in the last 28 days, so there is nothing to replay");
}
