//! Random events and questions, from so few words that many of them match.

use super::fixtures::{SECOND, START, at, question, record, trigger};
use crate::row::hash_of;
use crate::{
    CountedOutcome, Dimension, ExchangeRates, ExcludedBy, Exclusion, ExperimentQuestion, Filter, GroupRange, Metric,
    PairQuestion, Policy, Population, QUARTER_US, RateSpan,
};
use muriel_domain::Instant;
use muriel_domain::goal::GoalType;
use muriel_domain::trust::TrustPolicy;
use muriel_log::{EventKind, LATE_US, Record};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use serde_json::{Value, json};
use std::sync::Arc;

/// One of a few short words, so that events match.
pub(super) fn word(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(words)
}

pub(super) const URLS: &[&str] = &[
    "https://shop.example/",
    "https://shop.example/thanks",
    "https://shop.example/a/b?c=d",
    "https://shop.example/größe'100%",
];

/// A time within three hours, mostly one of a few.
pub(super) fn time() -> impl Strategy<Value = i64> {
    prop_oneof![(0i64..12).prop_map(|n| START + n * QUARTER_US), (0i64..2_160).prop_map(|n| START + n * 5 * SECOND),]
}

pub(super) fn event() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        4 => Just("exposure"),
        8 => word(&["pageview", "click", "submit", "appear", "scroll", "duration", "custom", "script", "identify"]),
        4 => Just("order"),
        3 => Just("health"),
    ];
    let who = (word(&["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"]), proptest::bool::weighted(0.07), time());
    let how = (
        proptest::option::of(word(&["desktop", "mobile"])),
        proptest::option::of(word(&["firefox", "safari"])),
        proptest::option::of(word(&["DE", "FR", "US"])),
        proptest::option::of(word(&["new", "returning"])),
        proptest::option::of(word(&["s1", "s2"])),
        proptest::option::of(word(&["https://elsewhere.example/x"])),
    );
    let met = (
        word(&["0", "1", "2", "3"]),
        proptest::option::of(1i64..3),
        word(&["1", "1", "1", "2"]),
        word(&["1", "0", "01", "-1", "10-1", "--", ""]),
        proptest::array::uniform6(proptest::option::of(proptest::sample::select(vec![0.0, 1.0, 2.5, 30.0, 300.0]))),
    );
    let what = (
        word(&["#buy", "Purchase"]),
        word(&["element", "text", "link"]),
        word(&["https://elsewhere.example/x", "/thanks", "https://shop.example/x"]),
        proptest::option::of(prop_oneof![
            word(&["0", "12", "75", "100", "-20.5", "-60", "-7", "-0.00001", "9.99995", "1e12"])
                .prop_map(|text| text.parse::<f64>().unwrap()),
            0.0..100.0,
        ]),
        proptest::option::of(word(&["A-1", "A-2", "A-3"])),
        proptest::option::of(word(&["EUR", "EUR", "USD"])),
        proptest::option::weighted(0.9, word(URLS)),
        word(&["shop", "shop", "shop", "shop", "shop", "other"]),
        (
            proptest::bool::weighted(0.4),
            proptest::option::weighted(0.3, word(&["A-1", "A-2", "A-3"])),
            any::<bool>(),
            proptest::option::of(word(NETWORKS)),
            proptest::bool::weighted(0.1),
        ),
    );
    (kind, who, how, met, what).prop_map(|(kind, who, how, met, what)| {
        let delay = if what.8.4 { LATE_US + 1 } else { 0 };
        let mut event = json!({
            "type": kind, "project_key": what.7, "at": at(who.2), "received_at": at(who.2 + delay),
            "visitor": { "id": who.0 }, "bot": who.1,
        });
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                event[name] = value;
            }
        };
        put("vouched", json!(what.8.0));
        put("signed", json!(what.8.2 && !what.8.0));
        put("network", json!(what.8.3));
        put("device", json!(how.0));
        put("browser", json!(how.1));
        put("country", json!(how.2));
        put("session", json!(how.4));
        put("referrer", json!(how.5));
        let url = if kind == "pageview" { Some(what.6.unwrap_or(URLS[0])) } else { what.6 };
        put("url", json!(url));
        match kind {
            "exposure" => {
                put("test_id", json!(met.2.parse::<i64>().unwrap()));
                put("variant_id", json!(met.0));
                put("epoch", json!(met.1));
                if what.8.2 && what.6 == Some(URLS[2]) {
                    put("url", json!("https://elsewhere.example/x"));
                }
                let context = json!({ "visitor_type": how.3, "landing_page": URLS[1], "utm_campaign": how.2 });
                let context: serde_json::Map<String, Value> =
                    context.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
                put("context", Value::Object(context));
            }
            "health" => {
                put("test_id", json!(met.2.parse::<i64>().unwrap()));
                put("variant_id", json!(met.0));
                put("changes", json!(Some(met.3).filter(|letters| !letters.is_empty())));
                // Each measure is present or not, independently of the others.
                let [errors, late, hidden, lcp, cls, inp] = met.4;
                put("errors", json!(errors));
                put("dropped", json!(what.3.filter(|number| *number >= 0.0)));
                // More messages than an answer contains, combined with several kinds of pages.
                let message = what.4.map(|order| format!("{order} {}", met.3));
                put("error_message", json!(message));
                put("late", json!(late));
                put("hidden_ms", json!(hidden));
                put("lcp_ms", json!(lcp.map(|lcp: f64| 40.0 * lcp)));
                put("cls", json!(cls.map(|cls: f64| cls / 100.0)));
                put("inp_ms", json!(inp.map(|inp: f64| 9.0 * inp)));
            }
            "click" if what.1 == "link" => {
                put("by", json!(what.1));
                // On a page of another site the link might lead off the site.
                put("url", json!(URLS[0]));
                put("href", json!(what.2));
            }
            "click" => {
                put("by", json!(what.1));
                put("trigger", json!(what.0));
            }
            "submit" | "appear" | "script" => {
                put("trigger", json!(what.0));
                put("properties", json!({ "prevented": met.1.is_some() }));
            }
            "scroll" | "duration" => put("value", json!(what.3.unwrap_or(50.0))),
            "custom" => put("name", json!(what.0)),
            "order" => {
                put("name", json!(what.0));
                put("value", json!(what.3));
                put("order_id", json!(what.4));
                put("currency", json!(what.5));
                if what.3.is_some_and(|value| value < 0.0) {
                    put("refund_of", json!(what.8.1));
                }
            }
            _ => {}
        }
        event
    })
}

/// Events with ids, some of them repeated. Some repeats have the id but another visitor and
/// time.
pub(super) fn records() -> impl Strategy<Value = Vec<Record>> {
    (
        proptest::collection::vec((event(), any::<u64>()), 0..120),
        proptest::collection::vec(
            (any::<prop::sample::Index>(), proptest::option::of((word(&["v0", "v1", "v2"]), any::<bool>(), time()))),
            0..8,
        ),
    )
        .prop_map(|(events, repeats)| {
            let mut records: Vec<Record> = events
                .into_iter()
                .zip(0u128..)
                .map(|((mut event, id), number)| {
                    event["id"] = json!(uuid::Uuid::from_u128((u128::from(id) << 64) + number).to_string());
                    record(event)
                })
                .collect();
            if !records.is_empty() {
                for (repeat, another) in repeats {
                    let mut record = repeat.get(&records).clone();
                    if let Some((visitor, trusted, at)) = another {
                        record.vouched = trusted;
                        // Ids of exposures are compared only among exposures at the same time.
                        if record.kind != EventKind::Exposure {
                            record.visitor.id = visitor.to_owned();
                            record.at = Instant::from_us(at);
                        }
                    }
                    records.push(record);
                }
            }
            records
        })
}

pub(super) fn outcome() -> impl Strategy<Value = CountedOutcome> {
    let goals: Vec<(GoalType, &'static str)> = vec![
        (GoalType::Pageview, "/thanks"),
        (GoalType::Pageview, "e'100%"),
        (GoalType::PageviewExact, "https://shop.example"),
        (GoalType::PageviewWildcard, "https://*/a/*=d"),
        (GoalType::PageviewWildcard, "*ö*%"),
        (GoalType::PageviewRegex, r"/(thanks|a/.)\b"),
        (GoalType::ClickOnElement, "#buy"),
        (GoalType::ClickOnText, "#buy"),
        (GoalType::ExternalLink, "/x"),
        (GoalType::FormSubmit, "#buy"),
        (GoalType::ElementAppears, "#buy"),
        (GoalType::Scrolling, "50"),
        (GoalType::Duration, "10"),
        (GoalType::Event, "Purchase"),
        (GoalType::Revenue, "Purchase"),
        (GoalType::Revenue, "Purchase"),
        (GoalType::Script, "#buy"),
    ];
    prop_oneof![
        8 => proptest::sample::select(goals).prop_map(|(goal_type, value)| trigger(goal_type, value)),
        1 => word(&["#buy", "Purchase"]).prop_map(|name| CountedOutcome::Event(name.into())),
        2 => Just(CountedOutcome::Bounce),
        2 => Just(CountedOutcome::Engagement),
    ]
}

/// A rate of a currency until some time, and another rate from then on or none.
pub(super) fn exchange() -> impl Strategy<Value = Arc<ExchangeRates>> {
    (word(&["EUR", "USD", "GBP"]), word(&["EUR", "USD"]), time(), 1i64..40_000_000_000, any::<bool>()).prop_map(
        |(currency, other, then, rate, goes_on)| {
            let then = Instant::from_us(then);
            let span = |since, until, rate| RateSpan { currency: other.to_owned(), since, until, rate };
            let mut spans = vec![span(Instant::from_us(0), Some(then), rate)];
            if goes_on {
                spans.push(span(then, None, rate / 3 + 1));
            }
            spans.retain(|span| span.currency != currency);
            Arc::new(ExchangeRates { currency: currency.to_owned(), spans })
        },
    )
}

pub(super) fn metrics() -> impl Strategy<Value = Vec<Metric>> {
    let metric = (
        outcome(),
        proptest::option::of((1i64..100).prop_map(|n| n * 60 * SECOND)),
        1i64..4,
        proptest::option::of(1.0..200.0),
        proptest::option::of((1i64..100).prop_map(|n| n * 60 * SECOND)),
        (proptest::option::weighted(0.2, 1.0..200.0), proptest::option::weighted(0.2, word(&["EUR", "USD", "SEK"]))),
        proptest::option::weighted(0.3, exchange()),
    );
    proptest::collection::vec(
        metric.prop_map(|(outcome, window_us, min_count, cap, before_us, (max_order_value, currency), exchange)| {
            Metric {
                min_count: if matches!(outcome, CountedOutcome::Bounce | CountedOutcome::Engagement) {
                    1
                } else {
                    min_count
                },
                outcome,
                window_us,
                cap,
                max_order_value,
                currency: currency.map(str::to_owned),
                before_us,
                exchange,
            }
        }),
        1..4,
    )
}

/// Networks of events.
const NETWORKS: &[&str] = &["192.0.2.0", "198.51.100.0", "2001:db8:1::"];

fn policies() -> impl Strategy<Value = Policy> {
    let trust =
        || prop_oneof![4 => Just(TrustPolicy::Any), 1 => Just(TrustPolicy::Signed), 1 => Just(TrustPolicy::Keyed)];
    let by = prop_oneof![
        word(&["v0", "v1", "v2"]).prop_map(|id| ExcludedBy::Visitor(hash_of(id))),
        word(NETWORKS).prop_map(|network| ExcludedBy::Network(hash_of(network))),
        word(&["direct", "referral"]).prop_map(|source| ExcludedBy::Source(source.to_owned())),
        word(&["https://shop.example", "https://elsewhere.example"])
            .prop_map(|origin| ExcludedBy::Origin(origin.to_owned())),
        proptest::sample::subsequence(vec!["firefox", "mobile", "linux"], 1..=2)
            .prop_map(|words| ExcludedBy::UserAgent(words.into_iter().map(str::to_owned).collect())),
        Just(ExcludedBy::Time),
    ];
    let limit = || proptest::option::of(time().prop_map(Instant::from_us));
    let exclusion = (by, limit(), limit()).prop_map(|(by, from, until)| Exclusion { by, from, until });
    let exclusions = prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(exclusion, 1..3)];
    let origins = prop_oneof![
        3 => Just(Vec::new()),
        1 => word(&["https://shop.example", "https://elsewhere.example"]).prop_map(|origin| vec![origin.to_owned()]),
    ];
    (trust(), trust(), origins, exclusions).prop_map(|(visitors, orders, page_origins, exclusions)| Policy {
        visitors,
        orders,
        page_origins,
        exclusions,
    })
}

pub(super) fn questions() -> impl Strategy<Value = ExperimentQuestion> {
    let list = |words: &'static [&'static str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        prop_oneof![3 => Just(Vec::new()), 1 => proptest::sample::subsequence(words, 0..=1)]
    };
    let filter = (list(&["mobile"]), list(&["new"]), list(&["direct"]), list(&["DE"]), any::<bool>());
    let scope = (
        proptest::option::weighted(0.3, time()),
        proptest::option::weighted(0.3, time()),
        proptest::option::weighted(0.3, 1i64..3),
        proptest::collection::vec((1i64..4, time()), 0..3),
        1u32..4,
        time(),
        proptest::option::weighted(0.3, time()),
    );
    let breakdown =
        proptest::option::of(proptest::sample::select(Dimension::WORDS.map(|(_, dimension)| dimension).to_vec()));
    (scope, filter, breakdown, metrics(), policies()).prop_map(|(scope, filter, breakdown, metrics, policy)| {
        ExperimentQuestion {
            policy,
            from: scope.0.map(Instant::from_us),
            until: scope.1.map(Instant::from_us),
            epoch: scope.2,
            epochs: scope.3.into_iter().map(|(epoch, start)| (epoch, Instant::from_us(start))).collect(),
            arms: scope.4,
            filter: Filter {
                devices: filter.0,
                user_types: filter.1,
                sources: filter.2,
                countries: filter
                    .3
                    .into_iter()
                    .flat_map(|de| [de, "FR".to_owned()])
                    .take(1 + usize::from(filter.4))
                    .collect(),
            },
            breakdown,
            as_of: Instant::from_us(scope.5),
            started_at: scope.6.map(Instant::from_us),
            ..question(metrics)
        }
    })
}

/// Questions about a holdout that holds out some visitors, all or none.
pub(super) fn holdout_questions() -> impl Strategy<Value = ExperimentQuestion> {
    let range = (prop_oneof![Just(0), Just(10_000), 0u32..10_000], word(&["g1", "g2", "g3"]));
    (questions(), range).prop_map(|(question, (to, salt))| ExperimentQuestion {
        population: Population::Holdout(GroupRange { group_id: None, salt: salt.to_owned(), from: 0, to }),
        breakdown: None,
        arms: 2,
        ..question
    })
}

/// Questions about both experiments, in either order.
pub(super) fn pair_questions() -> impl Strategy<Value = PairQuestion> {
    (questions(), questions(), any::<bool>()).prop_map(|(one, other, is_first)| {
        let of = |test_id, question: ExperimentQuestion| ExperimentQuestion {
            population: Population::Exposed { test_id },
            ..comparable(question)
        };
        let (first, second) = if is_first { (1, 2) } else { (2, 1) };
        PairQuestion { experiment: of(first, one), other: of(second, other) }
    })
}

/// Replaces the breakdown by referrer, which the reference does not compute.
pub(super) fn comparable(mut question: ExperimentQuestion) -> ExperimentQuestion {
    if question.breakdown == Some(Dimension::Referrer) {
        question.breakdown = Some(Dimension::Country);
    }
    question
}

/// Runs a property over an engine, with a few dozen cases.
pub(super) fn property<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> TestCaseResult) {
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(failed) = TestRunner::new(config).run(&strategy, property) {
        panic!("{failed}");
    }
}
