use super::*;
use crate::experiment::{Arm, Conclusion, ConclusionOutcome, Lifecycle, TestType};
use crate::ids::CompanyId;

fn draft() -> Experiment {
    Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "checkout".to_owned(), Instant::from_us(0))
}

fn live() -> Experiment {
    Experiment { lifecycle: Lifecycle::Live { started_at: Instant::from_us(0) }, ..draft() }
}

fn event_names(before: Option<&Experiment>, after: Option<&Experiment>) -> Vec<&'static str> {
    let change = ExperimentChange { before, after, fields: vec!["tags"], actor: "somebody" };
    change.events().iter().map(|event| event.event.word()).collect()
}

#[test]
fn a_change_tells_what_happened() {
    let conclusion =
        Conclusion { outcome: ConclusionOutcome::Won, note: String::new(), concluded_at: Instant::from_us(0) };
    let ended = Experiment { lifecycle: Lifecycle::Inactive, ..draft() };
    let concluded = Experiment { conclusion: Some(conclusion), ..ended.clone() };
    let winner = |arm, rollout| Experiment { serving: Serving::Winner { arm: Arm(arm), rollout }, ..live() };
    let stopped = Experiment { serving: Serving::Stopped, ..live() };
    let renamed = Experiment { name: "Other".to_owned(), ..live() };
    for (before, after, expect) in [
        (None, Some(draft()), &[][..]),
        (None, Some(live()), &["experiment.started"]),
        (Some(draft()), Some(live()), &["experiment.started"]),
        (Some(live()), Some(ended.clone()), &["experiment.stopped"]),
        (Some(live()), None, &["experiment.stopped"]),
        (Some(draft()), None, &["experiment.changed"]),
        (Some(live()), Some(renamed), &["experiment.changed"]),
        (Some(live()), Some(concluded.clone()), &["experiment.stopped", "experiment.concluded"]),
        (Some(ended.clone()), Some(concluded.clone()), &["experiment.concluded"]),
        (Some(concluded), Some(ended), &["experiment.reopened"]),
        (Some(live()), Some(winner(1, 10)), &["winner.served"]),
        (Some(winner(1, 10)), Some(winner(1, 50)), &["experiment.changed"]),
        (Some(winner(1, 10)), Some(winner(2, 10)), &["winner.served"]),
        (Some(winner(1, 10)), Some(stopped), &["winner.stopped"]),
        (Some(winner(1, 10)), None, &["experiment.stopped", "winner.stopped"]),
    ] {
        assert_eq!(event_names(before.as_ref(), after.as_ref()), expect);
    }
}

#[test]
fn a_start_that_failed_tells_nothing_else() {
    let before = draft();
    let after = before.start_blocked("its code is not valid".to_owned(), Instant::from_us(7));
    let change = ExperimentChange { before: Some(&before), after: Some(&after), fields: vec![], actor: "clock" };
    let events = change.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].event, EventType::StartFailed);
    assert_eq!(events[0].data["reason"], "its code is not valid");
    assert!(events[0].data["sentence"].as_str().unwrap().contains("could not be started"));
    // The next change is reported as usual.
    let renamed = Experiment { name: "Other".to_owned(), ..after.clone() };
    assert_eq!(event_names(Some(&after), Some(&renamed)), ["experiment.changed"]);
}

#[test]
fn pauses_grow_until_five_days_are_over() {
    let first_at = Instant::from_us(0);
    let (mut now, mut seconds) = (first_at, Vec::new());
    let mut attempts = 1;
    while let Some(next) = retry_at(attempts, first_at, now) {
        seconds.push((next.us() - now.us()) / SECOND_US);
        (now, attempts) = (next, attempts + 1);
    }
    assert_eq!(seconds[..7], [5, 300, 1_800, 7_200, 18_000, 36_000, 43_200]);
    assert_eq!(now.us(), GIVE_UP_AFTER_US, "the last attempt is made after five days");
    assert_eq!(attempts, 16);
    // Setting the clock forward does not end a delivery after a few attempts. Setting it back does not either.
    assert!(retry_at(3, first_at, Instant::from_us(100 * GIVE_UP_AFTER_US)).is_some());
    assert!(retry_at(100, first_at, Instant::from_us(-GIVE_UP_AFTER_US)).is_some());
}

#[test]
fn every_event_has_its_word() {
    for (word, event) in EventType::WORDS {
        assert_eq!(event.word(), *word);
        assert_eq!(EventType::parse(word), Ok(*event));
    }
    assert!(EventType::parse("experiment.exploded").unwrap_err().to_string().contains("experiment.started"));
}

#[test]
fn sentences_have_no_names_of_fields() {
    let (before, after) = (live(), Experiment { name: "Other".to_owned(), ..live() });
    let fields = vec!["primary_goal_key", "tags"];
    let change = ExperimentChange { before: Some(&before), after: Some(&after), fields, actor: "somebody" };
    let events = change.events();
    assert_eq!(events[0].sentence(), "the experiment was changed: primary goal key, tags");
    assert_eq!(events[0].data["fields"], json!(["primary_goal_key", "tags"]));
    assert!(!events[0].is_routine);
}

#[test]
fn addresses_are_spelled_as_they_are_understood() {
    for (url, expect) in [
        ("https://hooks.example.com/muriel", None),
        ("HTTPS://Hooks.Example.com:8443/a/b?c=d&e=%40", None),
        ("http://93.184.215.14/", None),
        ("http://93.184.215.14", None),
        ("http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:8080/", None),
        ("http://[2606:2800:021F:0:0:0:0:1]/", None),
        ("https://xn--bcher-kva.example/", None),
        ("https://a_b.example/", None),
        ("https://shop.example/@somebody:1", None),
        ("http://93.184.215.14:0/", Some("port")),
        ("http://93.184.215.14:/", Some("port")),
        ("http://93.184.215.14:080/", Some("port")),
        ("http://[::1]:0/", Some("port")),
        ("http://93.184.215.14\\@127.0.0.1/", Some("backslash")),
        ("http://93.184.215.14/\\a", Some("backslash")),
        ("http:\\\\93.184.215.14/", Some("backslash")),
        ("http:93.184.215.14/", Some("https://")),
        ("http:/93.184.215.14/", Some("https://")),
        ("http:///93.184.215.14/", Some("93.184.215.14")),
        ("https://@shop.example/", Some("user name")),
        ("https://:@shop.example/", Some("user name")),
        ("https://a@shop.example/", Some("user name")),
        ("http://93.184.215.14./", Some("93.184.215.14")),
        ("https://shop.example./", Some("dot")),
        ("http://%39%33.184.215.14/", Some("93.184.215.14")),
        ("https://sh%6fp.example/", Some("shop.example")),
        ("http://0x7f.1/", Some("127.0.0.1")),
        ("http://0177.0.0.1/", Some("127.0.0.1")),
        ("http://2130706433/", Some("127.0.0.1")),
        ("http://127.1/", Some("127.0.0.1")),
        ("http://１２７.0.0.1/", Some("127.0.0.1")),
        ("http://127。0。0。1/", Some("127.0.0.1")),
        ("https://bücher.example/", Some("xn--bcher-kva.example")),
        ("https://sho\u{ad}p.example/", Some("shop.example")),
        ("http://[fe80::1%25eth0]/", Some("absolute")),
        ("http://[fe80::1%eth0]/", Some("absolute")),
        ("http://a!b.example/", Some("letters, digits")),
        ("https://shop.example/#a", Some("fragment")),
    ] {
        let refused = parse_webhook_url(url).err().map(|flaw| flaw.to_string());
        match (expect, &refused) {
            (None, refused) => assert_eq!(refused, &None, "{url}"),
            (Some(word), Some(why)) => assert!(why.contains(word), "{url}: {why}"),
            (Some(_), None) => panic!("{url} was taken"),
        }
    }
}
