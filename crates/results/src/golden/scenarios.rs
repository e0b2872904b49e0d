//! The experiments of the golden reports: one per kind of metric, and one per kind of comparison.

use crate::define::ReportInputs;
use crate::inquiry::{Inquiry, Phase};
use crate::manifest::{ArmFacts, Counted, EpochFacts, Manifest, MetricFacts, NodeFacts, PlanFacts, PlanNow, RateFacts};
use muriel_domain::Instant;
use muriel_domain::experiment::{
    Experiment, LockedGoal, LockedHypothesis, LockedPlan, PlannedFrom, StopRule, TestType,
};
use muriel_domain::goal::{GoalType, GoalValue};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::time::DAY_US;
use muriel_store::plan_locks::{self, PlanLock};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An experiment with its events, which get their ids in this order.
pub(super) struct Scenario {
    /// Name of its file.
    pub(super) name: &'static str,
    pub(super) manifest: Manifest,
    /// True when the report has a series by day.
    pub(super) by_day: bool,
    pub(super) events: Vec<Value>,
}

pub(super) fn all() -> Vec<Scenario> {
    vec![
        conversion(),
        goal_types(),
        rare_conversions(),
        revenue(),
        revenue_after_serving(),
        changed_weights(),
        bandit(),
        personalization(),
        broken(),
        changed_plan(),
        slow_pages(),
    ]
}

/// Start of the experiments: midnight of 2026-02-16 in UTC.
const START: i64 = 20_500 * DAY_US;
const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;

/// Uniform pseudo-random number from 0 to 1 for a visitor and a purpose, the same on every machine: SplitMix64.
fn draw(visitor: u64, purpose: u64) -> f64 {
    let bits = (visitor * 64 + purpose + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// A visitor who enters. [`visitors`] gives a number of them, spread evenly over some days.
#[derive(Clone, Copy)]
struct Visitor {
    number: u64,
    at: i64,
}

fn visitors(number: u64, days: i64) -> impl Iterator<Item = Visitor> {
    (0..number).map(move |n| Visitor { number: n, at: START + days * DAY_US / number as i64 * n as i64 })
}

impl Visitor {
    fn draw(self, purpose: u64) -> f64 {
        draw(self.number, purpose)
    }

    /// Returns whether something that happens to this share of visitors happens to this one.
    fn happens(self, purpose: u64, share: f64) -> bool {
        self.draw(purpose) < share
    }

    /// Arm of the visitor under these weights.
    fn arm(self, weights: &[u32]) -> usize {
        let place = self.draw(0) * f64::from(weights.iter().sum::<u32>());
        let mut end = 0.0;
        weights
            .iter()
            .position(|weight| {
                end += f64::from(*weight);
                place < end
            })
            .unwrap_or(0)
    }

    /// An event of the visitor, `after` microseconds after entry.
    fn event(self, after: i64, fields: Value) -> Value {
        let at = serde_json::to_value(Instant::from_us(self.at + after)).unwrap();
        let mut event = json!({
            "project_key": "shop", "at": at, "received_at": at, "visitor": { "id": format!("v{}", self.number) },
            "bot": false,
        });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    }

    fn exposure(self, epoch: i64, arm: usize) -> Value {
        let device = if self.happens(1, 0.6) { "mobile" } else { "desktop" };
        let country = ["DE", "FR", "US"][(3.0 * self.draw(2)) as usize];
        let user_type = if self.happens(3, 0.3) { "returning" } else { "new" };
        self.event(
            0,
            json!({
                "type": "exposure", "test_id": 1, "variant_id": arm.to_string(), "epoch": epoch, "device": device,
                "country": country, "context": { "visitor_type": user_type },
            }),
        )
    }

    fn custom(self, after: i64, name: &str) -> Value {
        self.event(after, json!({ "type": "custom", "name": name }))
    }

    fn order(self, after: i64, id: &str, value: f64, more: Value) -> Value {
        let order_id = format!("{id}-{}", self.number);
        let mut event =
            self.event(after, json!({ "type": "order", "name": "paid", "value": value, "order_id": order_id }));
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    }

    /// Value of an order, in whole cents: most are small, a few are large.
    fn order_value(self, purpose: u64) -> f64 {
        let u = self.draw(purpose);
        (1_000.0 + 9_000.0 * u * u * u + 60_000.0 * (u * u * u * u * u * u * u * u)).floor() / 100.0
    }
}

/// A live experiment with even weights, and the manifest of a report `days` after its start.
fn manifest(test_type: TestType, arms: usize, days: i64, metrics: Vec<MetricFacts>) -> Manifest {
    let now = Instant::from_us(START + days * DAY_US);
    let draft = Experiment::draft(CompanyId(1), ProjectId(1), test_type, "one".to_owned(), Instant::from_us(START));
    let mut manifest = ReportInputs::of(draft, "1").manifest(&"shop".into(), &Inquiry::default(), now);
    let arm = |number: usize| ArmFacts {
        variant_id: number.to_string(),
        name: String::new(),
        nickname: String::new(),
        traffic_weight: 100.0 / arms as f64,
        redefined_at: None,
    };
    manifest.metrics = metrics;
    let facts = &mut manifest.experiment;
    facts.test_id = 1;
    facts.status = "live".to_owned();
    facts.started_at = Some(Instant::from_us(START));
    facts.arms = (0..arms).map(arm).collect();
    manifest.epochs = vec![epoch(1, 0, vec![10_000 / arms as u32; arms])];
    manifest
}

fn epoch(number: i64, day: i64, weights: Vec<u32>) -> EpochFacts {
    EpochFacts { epoch: number, started_at: Instant::from_us(START + day * DAY_US), weights }
}

fn metric(role: &str, key: &str, counted: Counted) -> MetricFacts {
    MetricFacts { key: key.to_owned(), name: key.to_owned(), role: role.to_owned(), counted }
}

fn goal(goal_type: GoalType, value: &str) -> Counted {
    Counted::Goal {
        goal_type: goal_type.word().to_owned(),
        goal_value: GoalValue::Text(value.to_owned()),
        window_days: None,
        min_count: 1,
        cap: None,
        max_order_value: None,
        currency: None,
    }
}

/// A goal with a window in days.
fn within(days: i64, counted: Counted) -> Counted {
    match counted {
        Counted::Goal { goal_type, goal_value, min_count, cap, max_order_value, currency, .. } => {
            Counted::Goal { goal_type, goal_value, window_days: Some(days), min_count, cap, max_order_value, currency }
        }
        other => other,
    }
}

/// Three arms, a window that is open for some visitors, a covariate that helps, a secondary goal and event, and
/// guardrails.
fn conversion() -> Scenario {
    let metrics = vec![
        metric("primary", "buy", within(5, goal(GoalType::Event, "buy"))),
        metric("secondary", "thanks", goal(GoalType::Pageview, "/thanks")),
        metric("secondary", "look", Counted::Event),
        metric("guardrail", "bounce_rate", Counted::Builtin),
        metric("guardrail", "engagement", Counted::Builtin),
    ];
    let mut manifest = manifest(TestType::AbTest, 3, 16, metrics);
    manifest.experiment.planned_visitors = Some(3_000);
    manifest.experiment.mde_percent = 5.0;
    manifest.inquiry.breakdown_by = Some("device".to_owned());
    let events = visitors(3_000, 14).flat_map(|visitor| {
        let arm = visitor.arm(&[1, 1, 1]);
        // A regular customer bought before entry, and often buys again.
        let regular = visitor.happens(4, 0.2);
        let rate = if regular { 0.7 } else { 0.1 } * [1.0, 1.45, 0.95][arm];
        let buys = visitor.happens(5, rate);
        let mut events = vec![visitor.exposure(1, arm)];
        events.extend(regular.then(|| visitor.custom(-3 * DAY_US, "buy")));
        events.extend(buys.then(|| visitor.custom(20 * 60 * SECOND + (4.0 * visitor.draw(6)) as i64 * DAY_US, "buy")));
        let page = |path: &str| json!({ "type": "pageview", "url": format!("https://shop.example{path}") });
        events.push(visitor.event(SECOND, page("/")));
        events.extend(visitor.happens(7, [0.5, 0.45, 0.55][arm]).then(|| visitor.event(60 * SECOND, page("/basket"))));
        events.extend(buys.then(|| visitor.event(HOUR, page("/thanks"))));
        events.extend(visitor.happens(8, 0.4).then(|| visitor.custom(30 * SECOND, "look")));
        events
    });
    Scenario { name: "conversion", by_day: false, events: events.collect(), manifest }
}

/// Every type of goal, for the same visitors.
fn goal_types() -> Scenario {
    let types = GoalType::WORDS.iter().map(|(word, goal_type)| {
        let value = match goal_type {
            GoalType::Pageview => "/thanks",
            GoalType::PageviewExact => "https://shop.example/thanks",
            GoalType::PageviewWildcard => "https://*/th*s",
            GoalType::PageviewRegex => r"/th.nks\b",
            GoalType::Scrolling => "50",
            GoalType::Duration => "30",
            GoalType::ExternalLink => "/partner",
            GoalType::Event | GoalType::Revenue => "paid",
            GoalType::ClickOnElement
            | GoalType::ClickOnText
            | GoalType::FormSubmit
            | GoalType::ElementAppears
            | GoalType::Script => "#buy",
        };
        metric("secondary", word, goal(*goal_type, value))
    });
    let manifest = manifest(TestType::AbTest, 2, 8, types.collect());
    let events = visitors(800, 6).flat_map(|visitor| {
        let arm = visitor.arm(&[1, 1]);
        let url = "https://shop.example/thanks";
        let kinds = [
            json!({ "type": "pageview", "url": url }),
            json!({ "type": "click", "by": "element", "trigger": "#buy" }),
            json!({ "type": "click", "by": "text", "trigger": "#buy" }),
            json!({ "type": "click", "by": "link", "url": url, "href": "https://elsewhere.example/partner" }),
            json!({ "type": "submit", "trigger": "#buy" }),
            json!({ "type": "appear", "trigger": "#buy" }),
            json!({ "type": "scroll", "url": url, "value": (100.0 * visitor.draw(20)).floor() }),
            json!({ "type": "duration", "url": url, "value": (60.0 * visitor.draw(21)).floor() }),
            json!({ "type": "custom", "name": "paid" }),
            json!({ "type": "order", "name": "paid", "value": visitor.order_value(22) }),
            json!({ "type": "script", "trigger": "#buy" }),
        ];
        let happened = kinds
            .into_iter()
            .zip(0u64..)
            .filter(move |(_, kind)| visitor.happens(30 + kind, 0.1 + 0.03 * *kind as f64 + 0.05 * arm as f64));
        let happened = happened.map(move |(fields, kind)| visitor.event(10 * SECOND + kind as i64 * HOUR, fields));
        std::iter::once(visitor.exposure(1, arm)).chain(happened)
    });
    Scenario { name: "goal_types", by_day: false, events: events.collect(), manifest }
}

/// So few conversions that the exact test is shown; one of the two arms gets a fifth of the visitors.
fn rare_conversions() -> Scenario {
    let mut manifest = manifest(TestType::AbTest, 2, 10, vec![metric("primary", "buy", goal(GoalType::Event, "buy"))]);
    manifest.epochs = vec![epoch(1, 0, vec![8_000, 2_000])];
    let events = visitors(2_000, 9).flat_map(|visitor| {
        let arm = visitor.arm(&[4, 1]);
        let buys = visitor.happens(4, [0.01, 0.05][arm]);
        [Some(visitor.exposure(1, arm)), buys.then(|| visitor.custom(HOUR, "buy"))].into_iter().flatten()
    });
    Scenario { name: "rare_conversions", by_day: false, events: events.collect(), manifest }
}

/// Orders in two currencies that have rates and one that has none, refunds, the usual cap, orders before entry as a
/// covariate, and some orders from trusted requests.
fn revenue() -> Scenario {
    let metrics = vec![
        metric("primary", "paid", goal(GoalType::Revenue, "paid")),
        metric("guardrail", "bounce_rate", Counted::Builtin),
    ];
    let mut manifest = manifest(TestType::AbTest, 2, 14, metrics);
    let dollar = BTreeMap::from([("2026-02-01".to_owned(), 0.92), ("2026-02-20".to_owned(), 0.95)]);
    manifest.currency_rates =
        Some(RateFacts { currency: "EUR".to_owned(), rates: BTreeMap::from([("USD".to_owned(), dollar)]) });
    manifest.inquiry.breakdown_by = Some("country".to_owned());
    let events = visitors(3_000, 12).flat_map(|visitor| {
        let arm = visitor.arm(&[1, 1]);
        let currency = match visitor.draw(4) {
            draw if draw < 0.7 => "EUR",
            draw if draw < 0.98 => "USD",
            _ => "JPY",
        };
        let trusted = visitor.happens(5, 0.3);
        let facts = json!({ "currency": currency, "vouched": trusted });
        let regular = visitor.happens(6, 0.15);
        let value = visitor.order_value(7);
        let mut events = vec![visitor.exposure(1, arm)];
        if regular {
            events.push(visitor.order(-2 * DAY_US, "before", value, facts.clone()));
        }
        if visitor.happens(8, if regular { 0.6 } else { [0.08, 0.1][arm] }) {
            events.push(visitor.order(HOUR, "order", value, facts.clone()));
            if visitor.happens(9, 0.1) {
                events.push(visitor.order(DAY_US, "order", -value, facts.clone()));
            }
            if visitor.happens(10, 0.2) {
                events.push(visitor.order(2 * DAY_US, "again", visitor.order_value(11), facts));
            }
        }
        events
    });
    Scenario { name: "revenue", by_day: false, events: events.collect(), manifest }
}

/// A winner is served from the seventh day on; a cap and a largest plausible order are set. The report covers the time
/// after serving, by day, for mobile visitors.
fn revenue_after_serving() -> Scenario {
    let counted = Counted::Goal {
        goal_type: GoalType::Revenue.word().to_owned(),
        goal_value: GoalValue::Text("paid".to_owned()),
        window_days: Some(2),
        min_count: 1,
        cap: Some(120.0),
        max_order_value: Some(400.0),
        currency: Some("EUR".to_owned()),
    };
    let mut manifest = manifest(TestType::AbTest, 2, 14, vec![metric("primary", "paid", counted)]);
    manifest.experiment.serving_variant_id = Some("1".to_owned());
    manifest.experiment.deployed_at = Some(Instant::from_us(START + 7 * DAY_US));
    manifest.inquiry.report_phase = Phase::PostDeploy;
    manifest.inquiry.filter_by = vec!["mobile".to_owned()];
    manifest.inquiry.tz = crate::inquiry::Zone::parse("Europe/Berlin").unwrap();
    let events = visitors(2_400, 13).flat_map(|visitor| {
        let arm = visitor.arm(&[1, 1]);
        let currency = if visitor.happens(4, 0.9) { "EUR" } else { "USD" };
        let order = visitor.happens(5, [0.2, 0.24][arm]);
        let order =
            order.then(|| visitor.order(2 * HOUR, "order", visitor.order_value(6), json!({ "currency": currency })));
        [Some(visitor.exposure(1, arm)), order].into_iter().flatten()
    });
    Scenario { name: "revenue_after_serving", by_day: true, events: events.collect(), manifest }
}

/// Weights that people changed twice, while the conversion rate changes with time; by day.
fn changed_weights() -> Scenario {
    let mut manifest = manifest(TestType::AbTest, 2, 12, vec![metric("primary", "buy", goal(GoalType::Event, "buy"))]);
    let weights = [[9_000, 1_000], [5_000, 5_000], [2_000, 8_000]];
    manifest.epochs = weights.iter().zip(0..).map(|(weights, at)| epoch(at + 1, 4 * at, weights.to_vec())).collect();
    let events = visitors(3_000, 12).flat_map(move |visitor| {
        let at = (visitor.at - START) / (4 * DAY_US);
        let arm = visitor.arm(&weights[at as usize]);
        let buys = visitor.happens(4, (0.1 + 0.05 * at as f64) * [1.0, 1.2][arm]);
        [Some(visitor.exposure(at + 1, arm)), buys.then(|| visitor.custom(HOUR, "buy"))].into_iter().flatten()
    });
    Scenario { name: "changed_weights", by_day: true, events: events.collect(), manifest }
}

/// Weights that follow the results: an epoch each half day. Nobody converts in the first one.
fn bandit() -> Scenario {
    let mut manifest = manifest(TestType::AbTest, 3, 12, vec![metric("primary", "buy", goal(GoalType::Event, "buy"))]);
    manifest.experiment.is_mab = true;
    manifest.experiment.distribution_mode = "mab".to_owned();
    let weights = |at: u32| vec![4_000 - 100 * at, 3_000 - 50 * at, 3_000 + 150 * at];
    let half = DAY_US / 2;
    let started = |at: u32| Instant::from_us(START + i64::from(at) * half);
    manifest.epochs = (0..20)
        .map(|at| EpochFacts { epoch: i64::from(at) + 1, started_at: started(at), weights: weights(at) })
        .collect();
    let events = visitors(4_000, 10).flat_map(move |visitor| {
        let at = ((visitor.at - START) / half) as u32;
        let arm = visitor.arm(&weights(at));
        let buys = at > 0 && visitor.happens(4, (0.08 + 0.004 * f64::from(at)) * [1.0, 0.9, 1.3][arm]);
        let exposure = visitor.exposure(i64::from(at) + 1, arm);
        [Some(exposure), buys.then(|| visitor.custom(HOUR, "buy"))].into_iter().flatten()
    });
    Scenario { name: "bandit", by_day: false, events: events.collect(), manifest }
}

/// Arms for different audiences, so that their sizes are not compared; the report is for a requested goal and some
/// days.
fn personalization() -> Scenario {
    let metrics = vec![metric("primary", "buy", goal(GoalType::Event, "buy"))];
    let mut manifest = manifest(TestType::Personalization, 3, 8, metrics);
    manifest.inquiry.start_date = Some(jiff::civil::date(2026, 2, 17));
    manifest.inquiry.end_date = Some(jiff::civil::date(2026, 2, 20));
    manifest.inquiry.goal_key = Some("buy".to_owned());
    let events = visitors(2_000, 7).flat_map(|visitor| {
        let arm = visitor.arm(&[5, 4, 1]);
        let buys = visitor.happens(4, [0.1, 0.16, 0.1][arm]);
        [Some(visitor.exposure(1, arm)), buys.then(|| visitor.custom(HOUR, "buy"))].into_iter().flatten()
    });
    Scenario { name: "personalization", by_day: false, events: events.collect(), manifest }
}

/// Faults that health checks find: a lost third of an arm, visitors in two arms, bots, exposures from before the start,
/// changes that match nothing, another node.
fn broken() -> Scenario {
    let mut manifest = manifest(TestType::Split, 2, 6, vec![metric("primary", "buy", goal(GoalType::Event, "buy"))]);
    manifest.other_nodes =
        vec![NodeFacts { node: "other".to_owned(), started_at: Instant::from_us(START), ended_at: None }];
    let events = visitors(1_500, 5).flat_map(|visitor| {
        let arm = visitor.arm(&[3, 2]);
        let mut events = vec![visitor.exposure(1, arm)];
        if visitor.happens(4, 0.25) {
            events[0]["bot"] = json!(true);
        }
        if visitor.happens(5, 0.03) {
            let mut other = visitor.exposure(1, 1 - arm);
            other["at"] = serde_json::to_value(Instant::from_us(visitor.at + HOUR)).unwrap();
            events.push(other);
        }
        if visitor.happens(6, 0.02) {
            events[0]["at"] = serde_json::to_value(Instant::from_us(START - HOUR)).unwrap();
        }
        let changes = if arm == 1 { "10" } else { "" };
        if arm == 1 && visitor.happens(7, 0.5) {
            let health = json!({ "type": "health", "test_id": 1, "variant_id": "1", "changes": changes });
            events.push(visitor.event(SECOND, health));
        }
        events.extend(visitor.happens(8, 0.1).then(|| visitor.custom(HOUR, "buy")));
        events
    });
    Scenario { name: "broken", by_day: false, events: events.collect(), manifest }
}

/// The plan of an experiment that was to compare two arms by `buy`, and to watch two guardrails.
fn locked() -> PlanLock {
    let goal = |key: &str, window_days: Option<i64>| LockedGoal {
        goal_key: key.to_owned(),
        goal_name: key.to_owned(),
        goal_type: GoalType::Event.word().to_owned(),
        goal_value: GoalValue::Text(key.to_owned()),
        window_days,
        min_count: 1,
        cap: None,
        max_order_value: None,
        currency: None,
    };
    let plan = LockedPlan {
        test_id: 1,
        locked_at: Instant::from_us(START + HOUR),
        hypothesis: Some(hypothesis("A larger button")),
        primary_goal: Some(goal("buy", Some(5))),
        secondary_goals: vec![goal("thanks", None), goal("signup", None)],
        guardrails: vec!["bounce_rate".to_owned(), "engagement".to_owned()],
        event_metrics: vec!["look".to_owned()],
        mde: 5.0,
        confidence_percent: 90,
        stop_rule: StopRule { completion_visitor: 3_000, ..StopRule::default() },
        planned_visitors: Some(3_000),
        planned_from: Some(PlannedFrom::Given),
        arms: ["0", "1", "3"].map(str::to_owned).to_vec(),
        is_mab: None,
    };
    PlanLock { hash: plan_locks::hash(&plan), plan }
}

fn hypothesis(solution: &str) -> LockedHypothesis {
    let (observation, problem) = (Some("Few buy".to_owned()), None);
    LockedHypothesis { hypothesis_id: 1, observation, problem, solution: Some(solution.to_owned()) }
}

/// Everything departs from the plan that was locked at the start: another primary goal, a longer window, a further goal
/// and event, a missing guardrail, arms that were added, changed and removed, and everything that is not a metric. By
/// device, for mobile visitors.
fn changed_plan() -> Scenario {
    let metrics = vec![
        metric("primary", "thanks", goal(GoalType::Event, "thanks")),
        metric("secondary", "buy", within(7, goal(GoalType::Event, "buy"))),
        metric("secondary", "later", goal(GoalType::Event, "later")),
        metric("secondary", "zoom", Counted::Event),
        metric("guardrail", "bounce_rate", Counted::Builtin),
    ];
    let mut manifest = manifest(TestType::AbTest, 3, 8, metrics);
    let names = ["Control", "Variant 1", "Variant 2"];
    for (arm, name) in manifest.experiment.arms.iter_mut().zip(names) {
        arm.name = name.to_owned();
    }
    manifest.experiment.arms[1].redefined_at = Some(Instant::from_us(START + 3 * DAY_US));
    let now = PlanNow {
        hypothesis: Some(hypothesis("A smaller button")),
        stop_rule: StopRule { is_autopilot: true, ..StopRule::default() },
        planned_visitors: Some(900),
    };
    manifest.plan = Some(PlanFacts::new(Some(&locked()), now, None));
    manifest.inquiry.breakdown_by = Some("device".to_owned());
    manifest.inquiry.filter_by = vec!["mobile".to_owned()];
    let events = visitors(900, 7).flat_map(|visitor| {
        let arm = visitor.arm(&[1, 1, 1]);
        let thanks = visitor.happens(4, [0.1, 0.12, 0.1][arm]);
        [Some(visitor.exposure(1, arm)), thanks.then(|| visitor.custom(HOUR, "thanks"))].into_iter().flatten()
    });
    Scenario { name: "changed_plan", by_day: false, events: events.collect(), manifest }
}

/// A variant whose pages show their content later and whose code throws errors, and another one whose pages are like
/// the control's.
fn slow_pages() -> Scenario {
    let manifest = manifest(TestType::AbTest, 3, 6, vec![metric("primary", "buy", goal(GoalType::Event, "buy"))]);
    let events = visitors(6_000, 6).flat_map(|visitor| {
        let arm = visitor.arm(&[1, 1, 1]);
        let mut events = vec![visitor.exposure(1, arm)];
        let mut health = |after: i64, fields: Value| {
            let mut event = json!({ "type": "health", "test_id": 1, "variant_id": arm.to_string() });
            event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            events.push(visitor.event(after, event));
        };
        if visitor.happens(4, 0.4) {
            let changes = if arm > 0 { json!("11") } else { Value::Null };
            health(5 * SECOND, json!({ "apply_ms": 2, "hidden_ms": 20.0 * visitor.draw(5), "late": 0, "errors": 0 }));
            health(6 * SECOND, json!({ "changes": changes }));
            let later = if arm == 1 { 300.0 } else { 0.0 };
            let lcp = (1_200.0 + 1_500.0 * visitor.draw(6) + later).round();
            let inp = visitor.happens(8, 0.5).then(|| (16.0 + 200.0 * visitor.draw(9)).round());
            health(30 * SECOND, json!({ "lcp_ms": lcp, "cls": visitor.draw(7) / 10.0, "inp_ms": inp }));
        }
        if visitor.happens(10, if arm == 1 { 0.03 } else { 0.001 }) {
            let message = if visitor.happens(13, 0.8) { "TypeError: cart is null" } else { "blocked" };
            let url = if visitor.happens(14, 0.7) { "https://shop.example/cart?id=1" } else { "https://shop.example/" };
            health(5 * SECOND, json!({ "errors": 1, "error_message": message, "url": url, "browser": "chrome" }));
        }
        if visitor.happens(11, 0.01) {
            health(SECOND, json!({ "late": 1 }));
        }
        events.extend(visitor.happens(12, 0.1).then(|| visitor.custom(HOUR, "buy")));
        events
    });
    Scenario { name: "slow_pages", by_day: false, events: events.collect(), manifest }
}
