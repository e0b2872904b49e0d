use super::*;
use crate::define::ReportInputs;
use crate::inquiry::parse_day;
use muriel_domain::experiment::{Experiment, TestType};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_warehouse::Watermark;

#[test]
fn this_release_knows_itself() {
    assert_eq!(Engine::here().check(), Ok(()));
    for (name, version, methods) in
        [("muriel", "9.9.9", METHODS), ("other", "0.1.0", METHODS), ("muriel", "0.1.0", "2")]
    {
        let engine = Engine { name: name.into(), version: version.into(), methods: methods.into() };
        assert!(engine.check().is_err(), "{name} {version} {methods}");
    }
}

#[test]
fn a_manifest_says_nothing_that_is_passed_over() {
    let now = Instant::from_us(1_772_359_200_000_000);
    let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now);
    let good = ReportInputs::of(draft, "1").manifest(&"prj".into(), &Inquiry::default(), now);
    let good = serde_json::to_value(good).unwrap();
    let checked = |place: &str, value: serde_json::Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(place).unwrap() = value;
        serde_json::from_value::<Manifest>(changed).unwrap().check()
    };
    for (place, value) in [
        ("/inquiry/tz", json!("Europe/Berlin")),
        ("/inquiry/tz", json!("-3.5")),
        ("/inquiry/filter_by", json!(["mobile", "country-DE"])),
        ("/inquiry/breakdown_by", json!("device")),
        ("/inquiry/goal_key", json!("bounce_rate")),
        ("/experiment/planned_visitors", json!(1)),
    ] {
        assert_eq!(checked(place, value.clone()), Ok(()), "{place} {value}");
    }
    for (place, value, expect) in [
        ("/inquiry/tz", json!("UTx"), "inquiry.tz must be an IANA time zone"),
        ("/inquiry/tz", json!(""), "inquiry.tz must be"),
        ("/inquiry/filter_by", json!(["phone"]), "inquiry.filter_by must be one or more of mobile"),
        ("/inquiry/filter_by", json!(["mobile", "mobile"]), "inquiry.filter_by must have each word once"),
        ("/inquiry/filter_by", json!(["MOBILE"]), "inquiry.filter_by must have"),
        ("/inquiry/breakdown_by", json!("colour"), "inquiry.breakdown_by must be one of"),
        ("/inquiry/goal_key", json!("nobody"), "inquiry.goal_key must be the key"),
        ("/inquiry/epoch", json!(1), "inquiry.epoch must be one of its epochs"),
        ("/experiment/status", json!("running"), "experiment.status must be one of draft"),
        ("/experiment/test_type", json!("ab"), "experiment.test_type must be one of"),
        ("/experiment/distribution_mode", json!("even"), "experiment.distribution_mode must be one of"),
        ("/experiment/confidence_percent", json!(30), "experiment.confidence_percent must be from 50 to 99"),
        ("/experiment/traffic_allocation", json!(101), "experiment.traffic_allocation must be from 0 to 100"),
        ("/experiment/planned_visitors", json!(0), "experiment.planned_visitors must be from 1"),
        ("/experiment/mde_percent", json!(0.0), "experiment.mde_percent must be more than 0"),
        ("/metrics/0/role", json!("main"), "metrics[0].role must be one of"),
    ] {
        let said = checked(place, value.clone()).unwrap_err().to_string();
        assert!(said.contains(expect), "{place} {value}: {said}");
    }
}

#[test]
fn interactions_are_those_that_a_look_can_find() {
    let now = Instant::from_us(1_772_359_200_000_000);
    let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now);
    let good = ReportInputs::of(draft, "1").manifest(&"prj".into(), &Inquiry::default(), now);
    let mut good = serde_json::to_value(good).unwrap();
    let arm = |id: &str| json!({ "variant_id": id, "name": id, "nickname": "", "traffic_weight": 50.0, "redefined_at": null });
    good["experiment"]["test_id"] = json!(1);
    good["experiment"]["arms"] = json!([arm("0"), arm("1")]);
    good["metrics"] = json!([{ "key": "buy", "name": "buy", "role": "primary", "kind": "event" }]);
    good["interactions"] = json!([{
        "test_id": 2, "test_name": "Other", "goal_key": "buy", "variant_id": "1", "other_variant_id": "2",
        "difference": -0.5, "interval": [-0.6, -0.4], "p_value": 0.01, "visitors": 800, "as_of": now,
        "logs": [{ "id": LogId::from_bytes([1; 16]), "position": 3 }],
    }]);
    let checked = |changed: &serde_json::Value| serde_json::from_value::<Manifest>(changed.clone()).unwrap().check();
    assert_eq!(checked(&good), Ok(()));
    for (field, value, expect) in [
        ("test_id", json!(1), "must be another experiment's"),
        ("goal_key", json!("look"), "must be the key of its primary goal"),
        ("variant_id", json!("0"), "must be a variant"),
        ("variant_id", json!("2"), "must be a variant"),
        ("other_variant_id", json!("0"), "must be a variant other"),
        ("other_variant_id", json!("01"), "must be a variant other"),
        ("interval", json!([-0.6, 0.1]), "leave out 0"),
        ("interval", json!([-0.4, -0.3]), "must have the difference in it"),
        ("interval", json!([-0.4, -0.6]), "must have the difference in it"),
        ("p_value", json!(1.5), "must be from 0 to 1"),
    ] {
        let mut changed = good.clone();
        changed["interactions"][0][field] = value.clone();
        let said = checked(&changed).unwrap_err().to_string();
        assert!(
            said.contains(&format!("interactions[0].{field} must")) && said.contains(expect),
            "{field} {value}: {said}"
        );
    }
    let mut many = good.clone();
    many["interactions"] = json!(vec![good["interactions"][0].clone(); 61]);
    let said = checked(&many).unwrap_err().to_string();
    assert!(said.contains("with 61 interactions; at most 60 are allowed"), "{said}");
}

#[test]
fn logs_are_named_once_and_in_order() {
    let now = Instant::from_us(1_772_359_200_000_000);
    let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now);
    let mut manifest = ReportInputs::of(draft, "1").manifest(&"prj".into(), &Inquiry::default(), now);
    let [one, other] = [[1; 16], [2; 16]].map(LogId::from_bytes);
    let mark = |seq, hash| Watermark { position: Position { seq }, hash };
    let gone = [RewrittenBlocks { log: one, blocks: 2, removed: 5, expired: 4, last_at: now }];
    let lost = [LostBlocks { log: other, blocks: 1, first: 3, last: 3 }];
    manifest.set_logs(&Watermarks::from([(other, mark(7, None)), (one, mark(3, Some([0xab; 32])))]), &lost, &gone);
    let rewrites = LogRewrites { blocks: 2, events: 5, expired: 4, last_at: now };
    let damage = Some(LogDamage { blocks: 1, first_block: 3, last_block: 3 });
    let expect = [
        LogFacts { id: one, position: 3, hash: Some("ab".repeat(32)), damage: None, rewritten: Some(rewrites) },
        LogFacts { id: other, position: 7, hash: None, damage, rewritten: None },
    ];
    assert_eq!(manifest.logs, expect);
    assert_eq!(manifest.check(), Ok(()));
    assert!(manifest.has_events_up_to(LogPosition { log: one, position: Position { seq: 3 } }));
    assert!(!manifest.has_events_up_to(LogPosition { log: one, position: Position { seq: 4 } }));
    assert_eq!(manifest.position_in(LogId::from_bytes([3; 16])), Position::default());
    for (logs, expect) in [
        (vec![expect[1].clone(), expect[0].clone()], "logs[1].id must come after"),
        (vec![expect[0].clone(), expect[0].clone()], "logs[1].id must come after"),
        (vec![LogFacts { position: 0, ..expect[0].clone() }], "logs[0].position must be at least 1"),
        (vec![expect[0].clone(); 300], "with 300 logs; at most 255 are allowed"),
    ] {
        let said = Manifest { logs, ..manifest.clone() }.check().unwrap_err().to_string();
        assert!(said.contains(expect), "{said}");
    }
}

#[test]
fn the_former_format_is_read() {
    let id = LogId::from_bytes([1; 16]);
    for (former, expect) in [
        (json!({ "log_position": 0, "log_hash": null }), json!([])),
        (json!({ "log_position": 4, "log_hash": "ab" }), json!([{ "id": id, "position": 4, "hash": "ab" }])),
        (
            json!({ "log_position": 4, "log_hash": null, "log_damage": { "blocks": 1 } }),
            json!([{ "id": id, "position": 4, "hash": null, "damage": { "blocks": 1 } }]),
        ),
    ] {
        assert!(Manifest::is_of_former_format(&former));
        let Value::Object(mut manifest) = former else { unreachable!() };
        Manifest::name_log(&mut manifest, id);
        let manifest = Value::Object(manifest);
        assert_eq!(manifest, json!({ "logs": expect }));
        assert!(!Manifest::is_of_former_format(&manifest));
    }
}

#[test]
fn a_report_ends_with_its_last_day() {
    let now = Instant::from_us(1_772_359_200_000_000);
    let known =
        ReportInputs::of(Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now), "1");
    for (end_date, expect) in [
        (None, None),
        (Some("1970-01-01"), Some("1970-01-02T00:00:00.000Z")),
        (Some("2026-03-01"), Some("2026-03-02T00:00:00.000Z")),
        (Some("9999-12-30"), Some("9999-12-30T22:00:00.999Z")),
        (Some("9999-12-31"), Some("9999-12-30T22:00:00.999Z")),
    ] {
        let inquiry = Inquiry { end_date: end_date.map(|day| parse_day(day).unwrap()), ..Inquiry::default() };
        let until = known.manifest(&"prj".into(), &inquiry, now).span().1;
        assert_eq!(until.map(|until| until.to_string()).as_deref(), expect, "{end_date:?}");
    }
}

#[test]
fn the_clock_asks_about_visitors_who_entered_since_a_moment() {
    let now = Instant::from_us(1_772_359_200_000_000);
    let known =
        ReportInputs::of(Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now), "1");
    let since = Some(now);
    for (start_date, entered_since, expect) in [
        (None, None, None),
        (None, since, since),
        (Some("2026-03-01"), since, since),
        (Some("2026-03-02"), since, Some(Instant::from_us(1_772_409_600_000_000))),
    ] {
        let start_date = start_date.map(|day| parse_day(day).unwrap());
        let inquiry = Inquiry { start_date, entered_since, ..Inquiry::default() };
        let manifest = known.manifest(&"prj".into(), &inquiry, now);
        assert_eq!((manifest.span().0, manifest.question(false).unwrap().from), (expect, expect), "{start_date:?}");
        // The manifest has the field only if it was requested, and can be read back with it.
        let value = serde_json::to_value(&manifest).unwrap();
        assert_eq!(value["inquiry"].get("entered_since").is_some(), entered_since.is_some());
        assert_eq!(serde_json::from_value::<Manifest>(value).unwrap().inquiry, inquiry);
    }
}
