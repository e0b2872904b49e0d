use super::*;
use crate::experiment::{Arm, Conclusion, ConclusionOutcome, Lifecycle, TestType};
use crate::ids::CompanyId;

fn draft() -> Experiment {
    Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "checkout".to_owned(), Instant::from_us(0))
}

fn live() -> Experiment {
    Experiment { lifecycle: Lifecycle::Live { started_at: Instant::from_us(0) }, ..draft() }
}

fn told(before: Option<&Experiment>, after: Option<&Experiment>) -> Vec<&'static str> {
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
        assert_eq!(told(before.as_ref(), after.as_ref()), expect);
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
    // What comes after it is told as usual.
    let renamed = Experiment { name: "Other".to_owned(), ..after.clone() };
    assert_eq!(told(Some(&after), Some(&renamed)), ["experiment.changed"]);
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
    // A clock that is set forward does not end what was tried a few times only, and one that is set back neither.
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
