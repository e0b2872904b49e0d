use super::*;
use crate::experiment::{Configuration, Revision, TestType};
use crate::ids::{CompanyId, ProjectId};
use proptest::prelude::*;

const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

fn draft(configuration: Configuration) -> Experiment {
    let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".to_owned(), NOW);
    Revision::first(Experiment { configuration, ..draft }, NOW).experiment
}

fn changed(before: &Experiment, now: Instant, change: impl FnOnce(&mut Experiment)) -> Experiment {
    let mut after = before.clone();
    change(&mut after);
    Revision::between(before, after, now).map_or_else(|| before.clone(), |revision| revision.experiment)
}

fn clocked(before: &Experiment, rule: Rule, now: Instant) -> Experiment {
    let after = before.clocked(rule, String::new(), Map::new(), now).unwrap();
    Revision::between(before, after, now).unwrap().experiment
}

fn at(days: i64) -> Option<Instant> {
    Some(NOW.plus_us(days * DAY_US))
}

#[test]
fn words_are_those_of_json() {
    for (word, rule) in Rule::WORDS {
        assert_eq!((rule.word(), serde_json::to_value(rule).unwrap()), (word, Value::from(word)));
    }
}

#[test]
fn what_is_due_follows_from_the_experiment() {
    let configuration = Configuration {
        start_test_date: at(1),
        end_test_date: at(9),
        completion_after_period: Some(5),
        completion_visitor: Some(10),
        ..Configuration::default()
    };
    let due = |experiment: &Experiment| -> Vec<(Rule, Option<Instant>)> {
        experiment.due().into_iter().map(|due| (due.rule, Some(due.at))).collect()
    };
    let draft = draft(configuration);
    assert_eq!((due(&draft), draft.follows_results()), (vec![(Rule::StartDate, at(1))], false));
    let live = clocked(&draft, Rule::StartDate, NOW.plus_us(DAY_US));
    assert_eq!(due(&live), [(Rule::EndDate, at(9)), (Rule::Period, at(6))]);
    assert_eq!((live.next_due().map(|due| due.rule), live.follows_results()), (Some(Rule::Period), true));
    let ended = clocked(&live, Rule::Period, NOW.plus_us(6 * DAY_US));
    assert_eq!((due(&ended), ended.follows_results()), (vec![], false));
    // After another start, only the rules that have not acted are left.
    let again =
        changed(&ended, NOW.plus_us(7 * DAY_US), |it| *it = it.moved(Status::Live, NOW.plus_us(7 * DAY_US)).unwrap());
    assert_eq!((due(&again), again.follows_results()), (vec![(Rule::EndDate, at(9))], true));
    let longer = changed(&again, NOW.plus_us(8 * DAY_US), |it| it.configuration.completion_after_period = Some(30));
    assert_eq!(due(&longer), [(Rule::EndDate, at(9)), (Rule::Period, at(31))]);
}

#[test]
fn a_bandit_moves_while_it_is_live_and_open() {
    let mut draft = draft(Configuration { is_mab: true, ..Configuration::default() });
    draft.variants.push(Default::default());
    assert!(!draft.follows(Rule::Bandit) && draft.is_or_was_bandit() && draft.schedule.bandit.is_none());
    let live = changed(&draft, NOW, |it| *it = it.moved(Status::Live, NOW).unwrap());
    assert!(live.follows(Rule::Bandit) && live.due().is_empty() && !live.follows_results());
    let weights = Weights::of_shares(&[0.25, 0.75]).unwrap();
    let later = NOW.plus_us(DAY_US);
    for _ in 0..2 {
        let moved = live.reweighted(weights.clone(), "why".to_owned(), Map::new(), later).unwrap();
        let revision = Revision::between(&live, moved, later).unwrap();
        let opened = revision.epoch.unwrap();
        assert_eq!((opened.number, &opened.weights), (2, &weights));
        let after = revision.experiment;
        assert_eq!(after.schedule.bandit.unwrap().last_moved_at, Some(later));
        assert_eq!(after.schedule.last.as_ref().unwrap().act.word(), "reweight");
        // The bandit rule is not settled: it acts as often as necessary.
        assert!(after.follows(Rule::Bandit));
        let off = changed(&after, later, |it| it.configuration.is_mab = false);
        assert!(!off.follows(Rule::Bandit) && off.is_or_was_bandit() && off.weights() == weights);
    }
}

#[test]
fn a_confirmation_ends_after_a_day() {
    let draft = draft(Configuration { completion_visitor: Some(10), ..Configuration::default() });
    let live = changed(&draft, NOW, |it| *it = it.moved(Status::Live, NOW).unwrap());
    assert_eq!(live.act_confirmed(NOW).unwrap_err(), Conflict::NothingHeldBack);
    let held = live.held_back(Rule::Visitors, "one network".to_owned(), NOW);
    assert!(held.schedule.last.as_ref().is_some_and(ClockEntry::is_held_back));
    let confirmed = held.act_confirmed(NOW).unwrap();
    let end = NOW.plus_us(DAY_US);
    for (rule, at, expect) in [
        (Rule::Visitors, NOW, true),
        (Rule::Visitors, end.plus_us(-1), true),
        (Rule::Visitors, end, false),
        (Rule::Conversions, NOW, false),
    ] {
        assert_eq!(confirmed.is_act_confirmed(rule, at), expect, "{rule:?} {at}");
    }
    // A check that began before the confirmation asks for nothing.
    assert_eq!(confirmed.held_back(Rule::Visitors, "one network".to_owned(), NOW), confirmed);
    assert_ne!(confirmed.held_back(Rule::Visitors, "one network".to_owned(), end), confirmed);
}

#[test]
fn a_blocked_start_waits_for_a_change() {
    let draft = draft(Configuration { start_test_date: at(1), ..Configuration::default() });
    let now = NOW.plus_us(DAY_US);
    let blocked = Revision::between(&draft, draft.start_blocked("why".to_owned(), now), now).unwrap().experiment;
    assert_eq!(blocked.due(), []);
    let renamed = changed(&blocked, now, |it| it.name = "Another".to_owned());
    assert_eq!(renamed.due().len(), 1);
    let again = Revision::between(&renamed, renamed.start_blocked("why".to_owned(), now), now).unwrap().experiment;
    assert_eq!(again.due(), []);
}

fn protected(experiment: &Experiment) -> Vec<(u32, Option<i64>)> {
    let seconds = |at: Instant| (at.us() - NOW.us()) / 1_000_000;
    experiment.protected_arms().into_iter().map(|it| (it.arm.0, it.since.map(seconds))).collect()
}

#[test]
fn harm_is_judged_by_who_got_what_visitors_get_now() {
    let mut draft = draft(Configuration::default());
    draft.variants.extend([Default::default(), Default::default()]);
    let seconds = |seconds: i64| NOW.plus_us(seconds * 1_000_000);
    let written = changed(&draft, seconds(1), |it| it.variants[0].code.js = "one".into());
    let live = changed(&written, seconds(2), |it| *it = it.moved(Status::Live, seconds(2)).unwrap());
    assert_eq!(protected(&live), [(1, None), (2, None)], "nobody met what changed before the first start");
    // Visitors who still have the cached script get the previous version.
    let repaired = changed(&live, seconds(10), |it| it.variants[0].code.js = "two".into());
    assert_eq!(protected(&repaired), [(1, Some(130)), (2, None)]);
    let renamed = changed(&repaired, seconds(20), |it| it.name = "Another".to_owned());
    assert_eq!(protected(&renamed), protected(&repaired));
    let of_control = changed(&repaired, seconds(30), |it| it.control.code.js = "zero".into());
    assert_eq!(protected(&of_control), [(1, Some(150)), (2, Some(150))]);
    let of_all = changed(&repaired, seconds(40), |it| it.custom_code.css = "p {}".into());
    assert_eq!(protected(&of_all), [(1, Some(160)), (2, Some(160))]);
    // An arm without weight cannot harm visitors.
    let paused = changed(&repaired, seconds(50), |it| {
        it.configuration.distribution = Distribution::Weights(Weights::of_shares(&[0.5, 0.0, 0.5]).unwrap());
    });
    assert_eq!(protected(&paused), [(2, None)]);
}

#[test]
fn harm_by_the_same_ends_it_once() {
    let mut draft = draft(Configuration::default());
    draft.variants.extend([Default::default(), Default::default()]);
    let seconds = |seconds: i64| NOW.plus_us(seconds * 1_000_000);
    let live = changed(&draft, NOW, |it| *it = it.moved(Status::Live, NOW).unwrap());
    let ended = live.ended_by_harm([Arm(1)], "why".to_owned(), Map::new(), seconds(10)).unwrap();
    let ended = Revision::between(&live, ended, seconds(10)).unwrap().experiment;
    assert_eq!((ended.lifecycle.is_live(), ended.follows(Rule::PageHarm)), (false, false));
    assert_eq!(ended.schedule.last.as_ref().unwrap().rule, Rule::PageHarm);
    let start = |it: &Experiment| changed(it, seconds(20), |it| *it = it.moved(Status::Live, seconds(20)).unwrap());
    let is_warned = |it: &Experiment| it.schedule_warnings().iter().any(|warning| warning.contains("Variant 1"));
    // Unchanged, it keeps running, with a warning. The other variant is still protected.
    let again = start(&ended);
    assert_eq!((again.follows(Rule::PageHarm), protected(&again), is_warned(&again)), (true, vec![(2, None)], true));
    assert!(!is_warned(&ended));
    let text = serde_json::to_string(&again.schedule).unwrap();
    assert_eq!(serde_json::from_str::<Schedule>(&text).unwrap(), again.schedule);
    // Changed before or after the restart, the arm is protected again.
    let repair = |it: &Experiment| changed(it, seconds(30), |it| it.variants[0].code.js = "repaired".into());
    for (what, repaired) in [("before", start(&repair(&ended))), ("after", repair(&again))] {
        assert_eq!((protected(&repaired), is_warned(&repaired)), (vec![(1, Some(150)), (2, None)], false), "{what}");
    }
    let of_control = changed(&again, seconds(30), |it| it.control.code.js = "zero".into());
    assert_eq!(protected(&of_control), [(1, Some(150)), (2, Some(150))]);
    // A removed arm's record does not apply to a later arm with the same number.
    let fewer = changed(&ended, seconds(30), |it| it.variants.clear());
    assert!(fewer.schedule.harmed.is_empty());
}

/// A step by a person or the clock.
#[derive(Debug, Clone)]
enum Step {
    Pass(i64),
    Status(bool),
    Start(Option<i64>),
    End(Option<i64>),
    Period(Option<i64>),
    /// The clock does all due acts.
    Clock,
}

fn step() -> impl Strategy<Value = Step> {
    let day = || prop::option::of(-3..9_i64);
    prop_oneof![
        (0..4_i64).prop_map(Step::Pass),
        any::<bool>().prop_map(Step::Status),
        day().prop_map(Step::Start),
        day().prop_map(Step::End),
        prop::option::of(1..5_i64).prop_map(Step::Period),
        Just(Step::Clock),
    ]
}

proptest! {
    #[test]
    fn what_is_due_comes_to_an_end(steps in prop::collection::vec(step(), 1..40)) {
        let (mut now, mut experiment) = (NOW, draft(Configuration::default()));
        let mut acts: Vec<(Rule, Configuration)> = Vec::new();
        for step in steps {
            let after = |days: Option<i64>| days.map(|days| now.plus_us(days * DAY_US));
            experiment = match step {
                Step::Pass(days) => {
                    now = now.plus_us(days * DAY_US);
                    experiment
                }
                Step::Status(live) => {
                    let to = if live { Status::Live } else { Status::Inactive };
                    changed(&experiment, now, |it| *it = it.moved(to, now).unwrap())
                }
                Step::Start(days) => changed(&experiment, now, |it| it.configuration.start_test_date = after(days)),
                Step::End(days) => changed(&experiment, now, |it| it.configuration.end_test_date = after(days)),
                Step::Period(days) => changed(&experiment, now, |it| it.configuration.completion_after_period = days),
                Step::Clock => {
                    // The loop ends because each act settles its rule.
                    let mut rounds = 0;
                    while let Some(due) = experiment.due().into_iter().find(|due| due.at <= now) {
                        let next = clocked(&experiment, due.rule, now);
                        prop_assert_eq!(next.lifecycle.is_live(), due.rule.act() == ClockAct::Start);
                        prop_assert!(!next.follows(due.rule));
                        acts.push((due.rule, experiment.configuration.clone()));
                        experiment = next;
                        rounds += 1;
                        prop_assert!(rounds <= 3, "{:?}", acts);
                    }
                    experiment
                }
            };
            // Rules are due only when they can act.
            for due in experiment.due() {
                prop_assert_eq!(experiment.lifecycle.is_live(), due.rule.act() == ClockAct::Stop);
            }
            let text = serde_json::to_string(&experiment.schedule).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Schedule>(&text).unwrap().settled, &experiment.schedule.settled);
        }
    }
}
