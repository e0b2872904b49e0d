//! Random rulesets and visitors that cover all parts of a decision, as JSON, with the resulting decisions.

use muriel_assign::{ContextValue, Document, EvaluationSide, NoopObserver, Ruleset, TraceObserver, Visitor};
use muriel_domain::experiment::Arm;
use muriel_domain::targeting::AUDIENCE_KEYS;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Result of a case, in the form of its `expect`: a decision for each experiment, or the names for which the context is
/// refused.
pub(crate) fn outcome(ruleset: &Ruleset, case: &Value) -> Value {
    let context = case["visitor"].as_object().expect("a context");
    let read = Visitor::read(context.iter().map(|(name, value)| (name.as_str(), ContextValue::from(value))));
    let mut visitor = match read {
        Ok(visitor) => visitor,
        Err(problems) => {
            return json!({"refused": problems.iter().map(|problem| &problem.field).collect::<BTreeSet<_>>()});
        }
    };
    visitor.side = if case["place"] == "server" { EvaluationSide::Server } else { EvaluationSide::Browser };
    visitor.now_ms = match &case["now"] {
        Value::String(text) => text.parse::<jiff::Timestamp>().expect("a moment").as_millisecond(),
        number => number.as_i64().expect("a moment"),
    };
    let forced = &case["forced"];
    visitor.forced =
        forced["variant_id"].as_str().and_then(Arm::from_id).and_then(|arm| Some((forced["test_id"].as_i64()?, arm)));
    let decided = ruleset.experiments().iter().map(|experiment| {
        let decision = experiment.decide(&visitor, &mut NoopObserver);
        let mut trace = TraceObserver::default();
        assert_eq!(experiment.decide(&visitor, &mut trace), decision, "explained otherwise: {case}");
        let decision = json!({
            "variant": decision.arm.map(|arm| arm.to_string()),
            "reason": decision.reason.word(),
            "in_experiment": decision.in_experiment(),
            "unenforced": experiment.unenforced_on(visitor.side),
        });
        (experiment.key.to_string(), decision)
    });
    Value::Object(decided.collect())
}

/// Appends a line with a random ruleset, a visitor and the result. Returns the number of decisions.
pub(crate) fn write_line(out: &mut Vec<u8>, seed: u64) -> usize {
    let mut line = Random::new(seed).line();
    let document: Document = serde_json::from_value(line["ruleset"].clone()).expect("a ruleset");
    let ruleset = Ruleset::compile(&document).unwrap_or_else(|problems| panic!("{:?} in {line}", problems.first()));
    line["expect"] = outcome(&ruleset, &line);
    serde_json::to_writer(&mut *out, &line).expect("memory");
    out.push(b'\n');
    ruleset.experiments().len()
}

/// SplitMix64, by Steele, Lea and Flood.
pub(crate) struct Random(u64);

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NAMES: [&str; 4] = ["plan", "visits", "since", "ü"];
const OPERATORS: [&str; 20] = [
    "ex", "nx", "bt", "bf", "==", "!=", "**", "!*", "gt", "gte", "lt", "lte", ">", ">=", "<", "<=", "days_gt",
    "days_gte", "days_lt", "days_lte",
];
const TEXTS: [&str; 28] = [
    "",
    "pro",
    "PRO",
    "team",
    "é",
    "É",
    "5",
    "5.0",
    " 5\t",
    "+5.",
    "-.5e1",
    "1e3",
    "1e999",
    "0",
    "1",
    "true",
    "False",
    "NaN",
    "2026-02-28",
    "2026-03-01T10:00:00.25+01:30",
    "2026-02-30",
    "1772359200",
    "1772359200000",
    "0.1",
    "x5y",
    "\u{a0}5",
    "🙂",
    "9007199254740993",
];
const PLACES: [&str; 7] =
    ["Berlin", "berlin (Berlin)", "Berlin (Connecticut)", "Bern", "Île", "Halle (Saale)", "Halle (Saale) (X)"];
const PAGES: [&str; 9] = [
    "https://shop.example/",
    "https://www.shop.example/checkout?plan=pro&visits=5",
    "HTTP://Shop.Example:80/cart?plan=&x=1#top",
    "https://shop.example/?gclid=1&visits=%35",
    "https://shop.example/a/b?utm_medium=E-Mail&plan=PRO+",
    "https://other.example:8443/?%C3%BC=%F0%9F%99%82",
    "https://shop.example/checkout/?utm_medium=cpc",
    "https://shop.example/ü",
    "https://user@shop.example./?since=2026-02-28",
];
const RULES_OF_PAGES: [(&str, &str); 9] = [
    ("https://shop.example/checkout", "simple"),
    ("shop.example", "simple"),
    ("/cart", "simple"),
    ("https://shop.example/", "exact"),
    ("CHECKOUT", "contain"),
    ("plan=", "contain"),
    ("*shop.example/*", "wildcard"),
    ("/c*", "wildcard"),
    ("^https://[a-z.]+/c", "regex"),
];
const REFERRERS: [&str; 8] = [
    "https://www.google.de/",
    "https://Partner.example/List",
    "https://shop.example/x",
    "android-app://com.google.android.gm/",
    "about:blank",
    "https://t.co/x",
    "http://mail.example.org:80",
    "ü",
];

impl Random {
    /// Generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number from 0 to `end`, exclusive.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// One to `most` items.
    fn some<T>(&mut self, most: u64, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..=self.below(most)).map(|_| one(self)).collect()
    }

    fn number(&mut self) -> Value {
        match self.below(8) {
            0 => json!(1),
            1 => json!(0),
            2 => json!(self.below(10)),
            3 => json!(self.below(2_000) as f64 / 100.0 - 10.0),
            4 => json!(1_772_000_000 + self.below(1_000_000)),
            5 => json!(1_772_000_000_000_u64 + self.below(1_000_000_000)),
            6 => json!(self.pick(&[-0.0, 0.1, 1e21, 1e-7, 5e20, 5e-6, 1e300, 12.5, 0.30000000000000004])),
            _ => json!(self.pick(&[9_007_199_254_740_993_i64, -9_007_199_254_740_995, i64::MAX, 99_999_999_999])),
        }
    }

    fn scalar(&mut self) -> Value {
        match self.below(10) {
            0 => json!(self.chance(50)),
            1..=4 => self.number(),
            _ => json!(self.pick(&TEXTS)),
        }
    }

    fn condition(&mut self, name: &str, criteria: &str, operator: &str) -> Value {
        let spelling = self.pick(&OPERATORS);
        let value = match spelling {
            "ex" | "nx" | "bt" | "bf" => Value::Null,
            "==" | "!=" | "**" | "!*" => self.scalar(),
            _ if self.chance(50) => self.number(),
            _ => json!(self.pick(&["5", " 1.5 ", "0", "-3", "1e1", "2"])),
        };
        let mut condition = json!({criteria: name, operator: spelling});
        if !value.is_null() {
            condition["value"] = value;
        }
        condition
    }

    fn groups(&mut self) -> Value {
        json!(self.some(2, |random| {
            if random.chance(8) {
                return json!([]);
            }
            json!(random.some(3, |random| {
                let name = random.pick(&NAMES);
                random.condition(name, "criteria", "operator")
            }))
        }))
    }

    fn moment(&mut self) -> i64 {
        1_770_000_000_000 + self.below(4_000_000_000) as i64
    }

    fn time(&mut self) -> String {
        format!("{:02}:{:02}", self.below(24), self.pick(&[0, 30, 59]))
    }

    fn rule(&mut self, name: &str) -> Value {
        let words = |random: &mut Self, from: &[&'static str]| json!(random.some(2, |random| random.pick(from)));
        let places = |random: &mut Self| {
            json!(random.some(2, |random| json!({
                "name": random.pick(&PLACES), "rule": random.pick(&["equal", "equal", "notEqual"]),
            })))
        };
        match name {
            "allowed_country" => json!(self.some(3, |random| json!({
                "name": "x", "code": random.pick(&["DE", "FR", "US", "PL"]),
                "rule": random.pick(&["whitelist", "whitelist", "blacklist"]),
            }))),
            "allowed_region" | "allowed_city" => places(self),
            "device_rule" => words(self, &["desktop", "mobile", "tablet"]),
            "browser_rule" => words(self, &["chrome", "safari", "firefox"]),
            "os_rule" => words(self, &["macOS", "ios", "windows"]),
            "user_rule" if self.chance(50) => json!(self.pick(&["new", "returning"])),
            "user_rule" => json!([self.pick(&["new", "returning"])]),
            "browser_language_rule" => words(self, &["en", "en-GB", "de"]),
            "ga4_rule" => words(self, &["Buyers", "readers"]),
            "segment_rule" | "parameter_rule" | "cookie_rule" => self.groups(),
            "referral_rule" => json!(self.some(2, |random| json!(random.some(2, |random| {
                if random.chance(50) {
                    let source = random.pick(&["direct", "search", "social", "email", "paid", "referral"]);
                    json!({"criteria": "source", "operator": random.pick(&["==", "!="]), "value": source})
                } else {
                    let value = random.pick(&["google", "partner", "/", "about:blank"]);
                    let operator = random.pick(&["==", "!=", "**", "!*", "ex", "nx"]);
                    json!({"criteria": random.pick(&["host", "url"]), "operator": operator, "value": value})
                }
            })))),
            "url_rule" => json!(self.some(3, |random| {
                let (url, rule) = random.pick(&RULES_OF_PAGES);
                json!({"url": url, "rule": rule, "allowed": random.chance(70)})
            })),
            "event_rule" => json!(self.some(2, |random| {
                let attributes = if random.chance(50) {
                    json!([])
                } else {
                    json!(random.some(2, |random| {
                        if random.chance(8) {
                            return json!([]);
                        }
                        json!(random.some(2, |random| {
                            let name = random.pick(&NAMES);
                            random.condition(name, "key", "operand")
                        }))
                    }))
                };
                json!({
                    "rule": random.pick(&["equal", "equal", "notEqual"]), "name": random.pick(&["Purchase", "View"]),
                    "attributes": attributes, "min_count": 1 + random.below(3),
                    "timeframe_days": random.pick(&[0, 0, 1, 7, 30]),
                })
            })),
            "schedule_rule" => json!({"schedule_groups": self.some(2, |random| json!({
                "days": random.below(4).checked_sub(1).map_or(vec![], |most| random.some(most + 1, |random| random.pick(&DAYS))),
                "time_ranges": random.below(3).checked_sub(1).map_or(vec![], |most| random.some(most + 1, |random| json!({
                    "start": random.time(), "end": if random.chance(20) { "24:00".to_owned() } else { random.time() },
                }))),
            }))}),
            _ => panic!("no random values of {name} yet"),
        }
    }

    /// Few rules in most cases, so that visitors pass.
    fn targeting(&mut self, with_pages: bool) -> Value {
        let rules: Vec<&str> = AUDIENCE_KEYS.iter().copied().chain(with_pages.then_some("url_rule")).collect();
        let count = self.pick(&[0, 1, 1, 1, 2, 3]);
        let named = (0..count).map(|_| {
            let name = self.pick(&rules);
            let rule = if self.chance(4) && name != "schedule_rule" { json!([]) } else { self.rule(name) };
            (name.to_owned(), rule)
        });
        Value::Object(named.collect())
    }

    fn experiment(&mut self, id: u64) -> Value {
        let variants = self.below(5);
        let mut ends: Vec<u64> =
            self.some(5, |random| random.below(10_000)).into_iter().filter(|end| *end > 0).collect();
        ends.push(10_000);
        ends.sort_unstable();
        ends.dedup();
        let ranges: Vec<_> = ends.into_iter().map(|end| json!([end, self.below(variants + 1)])).collect();
        let test_type = self.pick(&["abtest", "abtest", "split", "personalization"]);
        let mut experiment = json!({
            "test_id": id, "experiment_key": format!("experiment-{id}"), "test_type": test_type,
            "live": self.chance(92), "epoch": 1, "salt": self.pick(&["1", "2", "exp-ü", "salt"]),
            "traffic_allocation": self.pick(&[100, 100, 100, 90, 50, 10, 0]), "ranges": ranges,
            "variants_data_key": "x",
            "variants": (0..variants).map(|_| {
                if self.chance(60) { json!({"targeting": self.targeting(false)}) } else { json!({}) }
            }).collect::<Vec<_>>(),
        });
        if self.chance(80) {
            experiment["targeting"] = self.targeting(true);
        }
        if self.chance(10) {
            experiment["serving"] = json!({
                "variant_id": self.below(variants + 1).to_string(), "traffic_allocation": self.pick(&[0, 30, 100]),
            });
        }
        if self.chance(15) {
            let from = self.below(10_001);
            experiment["exclusion"] = json!({"salt": "group", "from": from, "to": from + self.below(10_001 - from)});
        }
        if self.chance(15) {
            let to = self.below(5_001);
            experiment["holdouts"] = json!([
                {"salt": "held", "from": 0, "to": to},
                {"group_id": 9, "salt": "held-too", "from": to, "to": to + self.below(1_001)},
            ]);
        }
        experiment
    }

    /// A value that is rarely valid.
    fn anything(&mut self) -> Value {
        match self.below(6) {
            0 => json!([]),
            1 => json!({}),
            2 => json!([self.scalar()]),
            3 => json!({"x": self.scalar()}),
            4 => json!({"x": null}),
            _ => self.scalar(),
        }
    }

    fn attributes(&mut self) -> Value {
        let named = self.some(4, |random| {
            let value = if random.chance(10) { Value::Null } else { random.scalar() };
            (random.pick(&NAMES).to_owned(), value)
        });
        Value::Object(named.into_iter().collect())
    }

    fn fact(&mut self, name: &str) -> Value {
        match name {
            "country" => json!(self.pick(&["DE", "fr", "US", "PL", "XX"])),
            "region" | "city" => json!(self.pick(&PLACES)),
            "device" => json!(self.pick(&["desktop", "Mobile", "tablet", "tv"])),
            "browser" => json!(self.pick(&["chrome", "safari", "Firefox", "lynx"])),
            "os" => json!(self.pick(&["macos", "ios", "windows"])),
            "language" => json!(self.pick(&["en", "en-GB", "EN_us", "enm", "de-AT", "fr"])),
            "visitor_type" => json!(self.pick(&["new", "returning"])),
            "source" => json!(self.pick(&["direct", "search", "paid", "radio"])),
            "referrer" => json!(self.pick(&REFERRERS)),
            "url" => json!(self.pick(&PAGES)),
            "audiences" => json!(self.some(2, |random| random.pick(&["buyers", "Readers", "leavers"]))),
            "cookies" => {
                let named = self.some(3, |random| (random.pick(&NAMES).to_owned(), json!(random.pick(&TEXTS))));
                Value::Object(named.into_iter().collect())
            }
            "local_time" => json!(format!("{} {}", self.pick(&DAYS), self.time())),
            "events" => json!(self.some(4, |random| {
                let mut event = json!({"name": random.pick(&["Purchase", "View", "purchase"]), "at": random.moment()});
                if random.chance(30) {
                    event["at"] = json!(random.pick(&["2026-02-28", "2026-03-01T10:00:00Z", "2026-01-01 00:00-05:00"]));
                }
                if random.chance(60) {
                    event["attributes"] = random.attributes();
                }
                event
            })),
            "sticky" => {
                let given = self.some(3, |random| {
                    let variant = random.pick(&["Control", "Variant 1", "Variant 2", "Variant 3", "Variant 9"]);
                    (format!("experiment-{}", 1 + random.below(4)), json!(variant))
                });
                Value::Object(given.into_iter().collect())
            }
            _ => self.attributes(),
        }
    }

    fn context(&mut self) -> Value {
        const FACTS: [&str; 17] = [
            "country",
            "region",
            "city",
            "device",
            "browser",
            "os",
            "language",
            "visitor_type",
            "source",
            "referrer",
            "url",
            "audiences",
            "cookies",
            "local_time",
            "events",
            "sticky",
            "attributes",
        ];
        let id = match self.below(4) {
            0 => format!("visitor-{}", self.below(100_000)),
            1 => self.below(1_000_000_000).to_string(),
            2 => format!("{:08x}-0000-4000-8000-{:012x}", self.next() as u32, self.below(1 << 48)),
            _ => format!("zażółć-{}🙂", self.below(1_000)),
        };
        let mut context = Map::new();
        context.insert("targetingKey".to_owned(), json!(id));
        for name in FACTS {
            let value = match self.below(100) {
                // Sources are derived from referrers more often than given.
                0..30 => continue,
                30..90 if name == "source" => continue,
                30..40 => Value::Null,
                40 if self.chance(20) => self.anything(),
                _ => self.fact(name),
            };
            context.insert(name.to_owned(), value);
        }
        for _ in 0..self.below(4) {
            let value = if self.chance(10) { self.anything() } else { self.scalar() };
            context.insert(self.pick(&NAMES).to_owned(), value);
        }
        Value::Object(context)
    }

    /// A random ruleset with a visitor.
    pub(crate) fn line(&mut self) -> Value {
        let experiments: Vec<_> = (1..=4).map(|id| self.experiment(id)).collect();
        let mut line = json!({
            "ruleset": {"format": 2, "hash": 1, "project_key": "random", "experiments": experiments},
            "place": self.pick(&["server", "browser", "browser"]),
            "now": self.moment(),
            "visitor": self.context(),
        });
        if self.chance(6) {
            line["forced"] = json!({"test_id": 1 + self.below(5), "variant_id": self.below(4).to_string()});
        }
        line
    }
}
