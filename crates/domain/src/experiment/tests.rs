//! Operations on an experiment, as tables.

use super::*;
use crate::problem::Problem;
use serde_json::json;

const NOW: Instant = Instant::from_us(1_772_000_000_000_000);
const LATER: Instant = NOW.plus_us(1_000_000);

pub(super) fn experiment(status: Status) -> Experiment {
    let mut experiment = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".into(), NOW);
    experiment.name = "Name".into();
    experiment.url = "https://a.example/".into();
    experiment.variants_data_key = DataKey::stored(experiment.url.clone());
    experiment.variants = vec![Variant::default(), Variant::default()];
    experiment.moved(status, NOW).unwrap()
}

fn conclusion() -> Conclusion {
    Conclusion { outcome: ConclusionOutcome::Won, note: "It won.".into(), concluded_at: NOW }
}

#[test]
fn statuses_move_as_the_table_says() {
    use Status::{Draft, Inactive, Live};
    for (from, to, expect) in [
        (Draft, Draft, Ok(Draft)),
        (Draft, Live, Ok(Live)),
        (Draft, Inactive, Ok(Inactive)),
        (Live, Draft, Err(Conflict::DeactivateFirst)),
        (Live, Live, Ok(Live)),
        (Live, Inactive, Ok(Inactive)),
        (Inactive, Draft, Ok(Draft)),
        (Inactive, Live, Ok(Live)),
        (Inactive, Inactive, Ok(Inactive)),
    ] {
        let before = experiment(from);
        assert_eq!(before.moved(to, LATER).map(|after| after.lifecycle.status()), expect, "{from:?} to {to:?}");
        if from == to {
            assert_eq!(before.moved(to, LATER).unwrap(), before);
        }
        // A concluded experiment keeps its status until it is reopened.
        let concluded = Experiment { conclusion: Some(conclusion()), ..before };
        let expect = if from == to { Ok(from) } else { Err(Conflict::Concluded) };
        assert_eq!(concluded.moved(to, LATER).map(|after| after.lifecycle.status()), expect);
    }
}

#[test]
fn the_first_start_may_be_of_the_past() {
    let since = NOW.plus_us(-3_600_000_000);
    let sentence = |refusal: Refusal| match refusal {
        Refusal::Invalid(problems) => problems.iter().map(ToString::to_string).collect::<String>(),
        Refusal::Conflict(conflict) => conflict.to_string(),
    };
    for (to, started_at, expect) in [
        (Status::Live, NOW, None),
        (Status::Live, NOW.plus_us(-PAST_START_MAX_US), None),
        (Status::Live, NOW.plus_us(-PAST_START_MAX_US - 1), Some("started_at must not be before")),
        (Status::Live, NOW.plus_us(1_000), Some("started_at must not be in the future")),
        (Status::Draft, since, Some("started_at can be sent with status 1")),
        (Status::Inactive, since, Some("started_at can be sent with status 1")),
    ] {
        let moved = experiment(Status::Draft).moved_since(to, started_at, NOW).map_err(sentence);
        match expect {
            None => assert_eq!(moved.unwrap().lifecycle, Lifecycle::Live { started_at }),
            Some(expect) => assert!(moved.clone().is_err_and(|said| said.contains(expect)), "{moved:?}"),
        }
    }
    let draft = experiment(Status::Draft);
    let live = draft.moved_since(Status::Live, since.plus_us(999), NOW).unwrap();
    let first = Revision::between(&draft, live, NOW).unwrap();
    let epoch = first.epoch.unwrap();
    assert_eq!((epoch.number, epoch.started_at, epoch.opened_at), (1, since, NOW), "whole milliseconds");
    // Repeating the start changes nothing. Another start time is refused, also when it is a draft
    // again.
    let live = first.experiment;
    assert_eq!(live.moved_since(Status::Live, since, LATER).unwrap(), live);
    let has_started = |experiment: &Experiment| experiment.moved_since(Status::Live, NOW, LATER).map_err(sentence);
    assert!(has_started(&live).is_err_and(|said| said.contains("has started")));
    let paused = Revision::between(&live, live.moved(Status::Inactive, LATER).unwrap(), LATER).unwrap();
    let draft = Revision::between(&live, paused.experiment.moved(Status::Draft, LATER).unwrap(), LATER).unwrap();
    assert!(has_started(&draft.experiment).is_err());
    // A later start has its own time.
    let again = Revision::between(&draft.experiment, draft.experiment.moved(Status::Live, LATER).unwrap(), LATER);
    let epoch = again.unwrap().epoch.unwrap();
    assert_eq!((epoch.started_at, epoch.opened_at), (LATER, LATER));
}

#[test]
fn concluding_ends_an_experiment_unless_it_serves_a_winner() {
    for (winner, status, serving) in [
        (None, Status::Inactive, Serving::Never),
        (Some(("2", 100)), Status::Live, Serving::Winner { arm: Arm(2), rollout: 100 }),
        (Some(("1", 25)), Status::Live, Serving::Winner { arm: Arm(1), rollout: 25 }),
    ] {
        let concluded = experiment(Status::Live).concluded(conclusion(), winner).unwrap();
        assert_eq!((concluded.lifecycle.status(), concluded.serving), (status, serving));
        assert_eq!(concluded.conclusion, Some(conclusion()));
        assert_eq!(concluded.concluded(conclusion(), None), Err(Conflict::Concluded.into()));
        let reopened = concluded.reopened().unwrap();
        assert_eq!((reopened.lifecycle.status(), reopened.conclusion.clone()), (status, None));
        assert_eq!(reopened.reopened(), Err(Conflict::NotConcluded));
    }
    assert!(experiment(Status::Live).concluded(conclusion(), Some(("3", 100))).is_err());
    // An experiment that already serves a winner keeps serving it.
    let serving = experiment(Status::Live).serving("0", 50).unwrap();
    assert!(serving.concluded(conclusion(), None).unwrap().lifecycle.is_live());
}

#[test]
fn winners_are_served_rolled_out_and_stopped() {
    let live = experiment(Status::Live);
    assert_eq!(live.rolled_out(50), Err(Conflict::NotServing));
    assert_eq!(live.stopped(), Err(Conflict::NotServing));
    assert_eq!(experiment(Status::Draft).serving("1", 100), Err(Conflict::DraftCannotServe.into()));
    for unknown in ["3", "-1", "01", "", "Variant 1"] {
        assert!(matches!(live.serving(unknown, 100), Err(Refusal::Invalid(_))), "{unknown}");
    }
    let serving = live.serving("2", 100).unwrap();
    assert_eq!(serving.serving("1", 100), Err(Conflict::AlreadyServing.into()));
    assert_eq!(serving.rolled_out(10).unwrap().serving, Serving::Winner { arm: Arm(2), rollout: 10 });
    assert_eq!(serving.stopped().unwrap().serving, Serving::Stopped);
    let fewer = ExperimentPatch { variants: Some(vec![VariantSent::default()]), ..ExperimentPatch::default() };
    let fewer = serving.patched(fewer, Problems::default(), &References::default()).unwrap();
    assert_eq!(serving.keeps_served(&fewer), Err(Conflict::VariantIsServed));
    assert_eq!(serving.keeps_served(&live), Ok(()));
}

#[test]
fn epochs_open_for_what_moves_visitors_and_for_nothing_else() {
    let live = Experiment { epoch: 1, ..experiment(Status::Live) };
    let paused = live.moved(Status::Inactive, LATER).unwrap();
    let with = |edit: &dyn Fn(&mut Experiment)| {
        let mut after = live.clone();
        edit(&mut after);
        after
    };
    let cases: [(&str, Experiment, Experiment, &[Reason]); 12] = [
        ("first start", experiment(Status::Draft), experiment(Status::Live), &[Reason::Status]),
        ("pause", live.clone(), paused.clone(), &[Reason::Status]),
        ("resume", paused.clone(), paused.moved(Status::Live, LATER).unwrap(), &[Reason::Status]),
        ("put aside", experiment(Status::Draft), experiment(Status::Inactive), &[]),
        ("name", live.clone(), with(&|e| e.name = "Other".into()), &[]),
        ("nickname", live.clone(), with(&|e| e.variants[0].nickname = "Blue".into()), &[]),
        ("code", live.clone(), with(&|e| e.variants[0].code.js = "a()".into()), &[Reason::Variants]),
        ("arm", live.clone(), with(&|e| e.variants.push(Variant::default())), &[Reason::Variants]),
        (
            "targeting",
            live.clone(),
            with(&|e| e.targeting.audience.device_rule = vec!["mobile".into()]),
            &[Reason::Targeting],
        ),
        ("traffic", live.clone(), with(&|e| e.configuration.traffic_allocation = 50), &[Reason::Traffic]),
        ("equal is what it was", live.clone(), with(&|e| e.configuration.distribution = Distribution::Equal), &[]),
        ("paused edits", paused.clone(), Experiment { variants: vec![Variant::default()], ..paused.clone() }, &[]),
    ];
    for (what, before, after, expect) in cases {
        let revision = Revision::between(&before, after, LATER).expect(what);
        let reasons = revision.epoch.as_ref().map_or(&[][..], |epoch| &epoch.reasons);
        assert_eq!(reasons, expect, "{what}");
        assert_eq!(revision.experiment.epoch, before.epoch + i64::from(!expect.is_empty()), "{what}");
        assert_eq!(revision.experiment.revision, before.revision + 1, "{what}");
        assert!(!revision.before.is_empty(), "{what}");
    }
    assert_eq!(Revision::between(&live, live.clone(), LATER), None);
}

#[test]
fn history_keeps_the_code_that_a_patch_deletes() {
    let mut before = experiment(Status::Draft);
    before.variants[1].code.js = "precious()".into();
    let patch = ExperimentPatch { variants: Some(vec![VariantSent::default()]), ..ExperimentPatch::default() };
    let after = before.patched(patch, Problems::default(), &References::default()).unwrap();
    assert!(before.changes_code(&after));
    let revision = Revision::between(&before, after, LATER).unwrap();
    assert_eq!(revision.before["variants"][1]["customJS"], "precious()");
}

#[test]
fn a_clock_that_was_set_back_orders_nothing_wrongly() {
    let before = Experiment { updated_at: LATER, ..experiment(Status::Draft) };
    let after = Experiment { name: "Other".into(), ..before.clone() };
    assert_eq!(Revision::between(&before, after, NOW).unwrap().experiment.updated_at, LATER);
}

#[test]
fn every_problem_is_told_at_once() {
    let patch = ExperimentPatch {
        variants_data_key: Some("https://other.example/".into()),
        secondary_goals: Some(vec!["a".into(), "known".into(), "b".into()]),
        primary_goal: Some(Some("c".into())),
        hypothesis_id: Some(Some(HypothesisId(7))),
        ..ExperimentPatch::default()
    };
    let known = References { goal_keys: ["known".to_owned()].into(), hypothesis: false };
    let found = Problems::one("test_name", "must not be blank");
    let problems = experiment(Status::Live).patched(patch, found, &known).unwrap_err();
    let fields: Vec<_> = problems.iter().map(|Problem { field, .. }| field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "test_name",
            "variants_data_key",
            "secondary_goal_keys[0]",
            "secondary_goal_keys[2]",
            "primary_goal_key",
            "hypothesis_id"
        ]
    );
}

#[test]
fn a_change_can_be_undone_from_what_history_keeps() {
    let code = |text: &str| Code { js: text.into(), css: format!("{text} {{}}").into() };
    let change: Change = serde_json::from_value(json!({ "selector": "h1", "action": "text", "value": "Hi" })).unwrap();
    let variant = |name: &str| Variant {
        nickname: name.into(),
        code: code(name),
        changes: vec![change.clone()],
        audience: Some(serde_json::from_value(json!({})).unwrap()),
    };
    let plain = experiment(Status::Draft);
    let full = Experiment {
        name: "Other".into(),
        url: "https://b.example/".into(),
        control: Control { nickname: "As it is".into(), code: code("a") },
        variants: vec![variant("b")],
        custom_code: code("c"),
        configuration: Configuration { traffic_allocation: 40, confidence_interval: 90, ..plain.configuration.clone() },
        tags: vec!["one".into()],
        plan: Plan { mde: 3.5, visitors: Some(1_000), is_computed: false },
        primary_goal: Some("bought".into()),
        secondary_goals: vec!["seen".into()],
        builtin_metrics: Vec::new(),
        event_metrics: vec!["look".into()],
        hypothesis_id: Some(HypothesisId(7)),
        lifecycle: Lifecycle::Live { started_at: LATER },
        conclusion: Some(conclusion()),
        serving: Serving::Winner { arm: Arm(1), rollout: 20 },
        ..plain.clone()
    };
    let stopped = Experiment { serving: Serving::Stopped, lifecycle: Lifecycle::Inactive, ..full.clone() };
    for (before, after) in [(&plain, &full), (&full, &plain), (&full, &stopped), (&stopped, &full)] {
        let revision = Revision::between(before, after.clone(), LATER).unwrap();
        let undone = revision.experiment.undone(&revision.before).unwrap();
        // Everything is restored except counters and derived state.
        let Experiment { allocation, epoch, milestones, revision, updated_at, .. } = undone.clone();
        assert_eq!(undone, Experiment { allocation, epoch, milestones, revision, updated_at, ..before.clone() });
    }
    let unreadable = json!({ "status": { "status": "asleep" } });
    assert_eq!(plain.undone(unreadable.as_object().unwrap()), None);
}

#[test]
fn what_goes_wrong_silently_is_told() {
    const TRIGGER: &str = "configuration.trigger_variant_change: ";
    let change = |item: serde_json::Value| Change::new(item.as_object().unwrap().clone()).unwrap();
    let words = |changes: Vec<Change>| Variant { changes, ..Variant::default() };
    let (address, text) = (json!({ "url": "https://a.example/b" }), json!({ "target": "h1", "innerText": "b" }));
    for (test_type, items, is_warned) in [
        (TestType::Split, vec![], true),
        (TestType::Split, vec![&text], true),
        (TestType::Split, vec![&text, &address], true),
        (TestType::Split, vec![&address], false),
        (TestType::Split, vec![&address, &text], false),
        (TestType::AbTest, vec![&text], false),
    ] {
        let arm = words(items.iter().map(|item| change((*item).clone())).collect());
        let split = Experiment { test_type, variants: vec![Variant::default(), arm], ..experiment(Status::Draft) };
        let warnings = split.warnings();
        assert_eq!(warnings.len(), usize::from(is_warned), "{items:?}: {warnings:?}");
        assert!(warnings.iter().all(|text| text.starts_with("variants: ") && text.contains("address")), "{warnings:?}");
    }
    for (word, expected) in [
        (None, None),
        (Some(""), None),
        (Some("load"), None),
        (Some("event:ready"), None),
        (Some("element:#late, .later"), None),
        (Some("whenever"), Some("at once")),
        (Some("onload"), Some("at once")),
        (Some("selector:#x"), Some("at once")),
        (Some(" load"), Some("at once")),
        (Some("Load"), Some("at once")),
        (Some("load:"), Some("read as load")),
        (Some("event"), Some("may never be shown")),
        (Some("event:"), Some("may never be shown")),
        (Some("element: "), Some("may never be shown")),
        (Some("element #x"), Some("may never be shown")),
    ] {
        let mut waiting = experiment(Status::Draft);
        waiting.configuration.trigger_variant_change = word.map(str::to_owned);
        let warnings = waiting.warnings();
        assert_eq!(warnings.len(), usize::from(expected.is_some()), "{word:?}: {warnings:?}");
        let is_about = |text: &String| text.starts_with(TRIGGER) && text.contains(expected.unwrap_or_default());
        assert!(warnings.iter().all(is_about), "{word:?}: {warnings:?}");
    }
    for (words, expected) in [
        (None, None),
        (Some(""), None),
        (Some("early"), None),
        (Some("once hydrated"), None),
        (Some("immediate"), None),
        (Some("mutation"), Some("\"mutation\" is not early")),
        (Some("once observe"), Some("\"observe\" is not early")),
        (Some("Hydrated"), Some("\"Hydrated\" is not early")),
        (Some("immediate hydrated"), Some("contradict each other")),
    ] {
        let mut changed = experiment(Status::Draft);
        changed.configuration.dom_change_path = words.map(str::to_owned);
        let warnings = changed.warnings();
        assert_eq!(warnings.len(), usize::from(expected.is_some()), "{words:?}: {warnings:?}");
        let is_about = |text: &String| {
            text.starts_with("configuration.dom_change_path: ") && text.contains(expected.unwrap_or_default())
        };
        assert!(warnings.iter().all(is_about), "{words:?}: {warnings:?}");
    }
    let live = experiment(Status::Live).warnings();
    assert!(matches!(&live[..], [text] if text.contains("primary_goal_key")), "{live:?}");
}

/// Milestones after changes at intervals of a second, from a live experiment with two variants that
/// started at [`NOW`].
#[test]
fn milestones_say_when_what_visitors_meet_was_redefined() {
    type Step = fn(&mut Experiment);
    let seconds = |at: Instant| (at.us() - NOW.us()) / 1_000_000;
    let steps: [(&str, Step, [Option<i64>; 4]); 9] = [
        ("a name", |e| e.name = "Other".into(), [None, None, None, None]),
        ("a nickname", |e| e.variants[0].nickname = "Blue".into(), [None, None, None, None]),
        ("a variant's code", |e| e.variants[1].code.js = "a()".into(), [None, None, Some(3), None]),
        ("the control's code", |e| e.control.code.css = "a {}".into(), [Some(4), None, Some(3), None]),
        ("a new number", |e| e.variants.push(Variant::default()), [Some(4), None, Some(3), None]),
        ("one variant less", |e| e.variants.truncate(1), [Some(4), None, None, None]),
        ("its number again", |e| e.variants.push(Variant::default()), [Some(4), None, Some(7), None]),
        ("code of all arms", |e| e.custom_code.js = "b()".into(), [Some(8), Some(8), Some(8), Some(8)]),
        ("and one of them", |e| e.control.code.js = "c()".into(), [Some(9), Some(8), Some(8), Some(8)]),
    ];
    let mut now = Revision::first(experiment(Status::Live), NOW).experiment;
    for (number, (what, step, expect)) in (1..).zip(steps) {
        let mut after = now.clone();
        step(&mut after);
        now = Revision::between(&now, after, NOW.plus_us(number * 1_000_000)).unwrap().experiment;
        let redefined = [0, 1, 2, 3].map(|arm| now.milestones.redefined_at(arm).map(seconds));
        assert_eq!(redefined, expect, "{what}");
    }
    assert_eq!(now.milestones.most_variants, 3);
    let mut other = experiment(Status::Draft);
    other.variants[0].code.js = "next()".into();
    let first = Revision::first(other, NOW).experiment;
    assert_eq!(first.milestones, Milestones::new(2));
}

#[test]
fn milestones_keep_the_first_start_and_the_last_end_and_winner() {
    let at = |seconds: i64| NOW.plus_us(seconds * 1_000_000);
    let mut now = Revision::first(experiment(Status::Draft), NOW).experiment;
    let mut change = |seconds: i64, step: &dyn Fn(&Experiment) -> Experiment| {
        now = Revision::between(&now, step(&now), at(seconds)).unwrap().experiment;
        now.milestones.clone()
    };
    let planned =
        |visitors| move |e: &Experiment| Experiment { plan: Plan { visitors: Some(visitors), ..e.plan }, ..e.clone() };
    let moved = |to, seconds| move |e: &Experiment| e.moved(to, at(seconds)).unwrap();
    assert_eq!(change(1, &planned(500)).first_start, None);
    let start = FirstStart { started_at: at(2), opened_at: at(2), planned_visitors: Some(500) };
    assert_eq!(change(2, &moved(Status::Live, 2)).first_start, Some(start));
    // Neither a later plan nor a later start changes the values of the first start.
    assert_eq!(change(3, &planned(900)).first_start, Some(start));
    assert_eq!(change(4, &moved(Status::Inactive, 4)).ended_at, Some(at(4)));
    let again = change(5, &moved(Status::Live, 5));
    assert_eq!((again.first_start, again.ended_at), (Some(start), None));
    assert_eq!(change(6, &|e| e.serving("1", 50).unwrap()).deployed_at, Some(at(6)));
    assert_eq!(change(7, &|e| e.rolled_out(60).unwrap()).deployed_at, Some(at(6)));
    assert_eq!(change(8, &|e| e.stopped().unwrap()).deployed_at, Some(at(6)));
    assert_eq!(change(9, &|e| e.serving("2", 100).unwrap()).deployed_at, Some(at(9)));
    let concluded = change(10, &|e| Experiment { conclusion: Some(conclusion()), ..e.clone() });
    assert_eq!((concluded.deployed_at, concluded.ended_at), (Some(at(9)), None));
}
