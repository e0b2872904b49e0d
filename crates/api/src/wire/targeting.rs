//! Parses targeting in request bodies.

use super::fields::{Fields, Mode, ProblemCollector, boolean, integer, list, noted, parsed, text, texts, word};
use crate::json::Json;
use muriel_domain::targeting::{
    AUDIENCE_KEYS, AttributeCondition, Audience, AudiencePatch, BROWSERS, Condition, Country, CountryMode, DAYS,
    DEVICES, ENTRIES_MAX, EventRule, Groups, Match, Operator, PlaceRule, REFERRAL_CRITERIA, SYSTEMS, Scalar, Schedule,
    ScheduleGroup, TargetingPatch, TimeRange, UrlMatch, UrlRule, UserRule, language_tag, words,
};
use muriel_domain::{Flaw, audience_rules};

/// Maximum number of countries in a rule, more than exist.
const COUNTRIES_MAX: usize = 300;

/// Parses an experiment's targeting.
pub(crate) fn targeting(value: &Json, place: String, mode: Mode, found: &ProblemCollector) -> Option<TargetingPatch> {
    let fields = Fields::new(value, place, found)?;
    fields.only(&[AUDIENCE_KEYS, &["url_rule"]].concat(), &[]);
    Some(TargetingPatch {
        audience: audience_patch(&fields, mode),
        url_rule: fields.choose_deep("url_rule", mode, Vec::new, |value, place| {
            list(value, &place, ENTRIES_MAX, found, |item, place| url_rule(item, place, found))
        }),
    })
}

/// Parses the audience of a personalization's variant, which is always sent
/// whole.
pub(crate) fn audience(value: &Json, place: String, found: &ProblemCollector) -> Option<Audience> {
    let fields = Fields::new(value, place, found)?;
    fields.only(AUDIENCE_KEYS, &[("url_rule", "is only for the experiment's own targeting")]);
    Some(audience_patch(&fields, Mode::Whole).apply(&Audience::default()))
}

macro_rules! read_audience {
    ($(
        $(#[doc = $doc:literal])*
        $rule:ident: $type:ty => $read:ident [$($published:tt)*] nullable $nullable:tt;
    )*) => {
        fn audience_patch(fields: &Fields<'_>, mode: Mode) -> AudiencePatch {
            AudiencePatch {
                $($rule: fields.choose_deep(stringify!($rule), mode, Default::default, |value, place| {
                    $read(value, place, fields.found())
                }),)*
            }
        }
    };
}
audience_rules!(read_audience);

fn referral_groups(value: &Json, place: String, found: &ProblemCollector) -> Option<Groups<Condition>> {
    groups_of(value, place, &REFERRAL_CRITERIA, found)
}

fn groups(value: &Json, place: String, found: &ProblemCollector) -> Option<Groups<Condition>> {
    groups_of(value, place, &[], found)
}

fn countries(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<Country>> {
    list(value, &place, COUNTRIES_MAX, found, |item, place| country(item, place, found))
}

fn places(value: &Json, at: String, found: &ProblemCollector) -> Option<Vec<PlaceRule>> {
    list(value, &at, ENTRIES_MAX, found, |item, at| place(item, at, found))
}

fn devices(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<String>> {
    known_words(value, &place, &DEVICES, found)
}

fn browsers(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<String>> {
    known_words(value, &place, &BROWSERS, found)
}

fn systems(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<String>> {
    known_words(value, &place, &SYSTEMS, found)
}

fn language_tags(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<String>> {
    list(value, &place, ENTRIES_MAX, found, |item, place| {
        parsed(language_tag)(item).map_err(|flaw| found.add(place, flaw.to_string())).ok()
    })
}

fn event_rules(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<EventRule>> {
    list(value, &place, ENTRIES_MAX, found, |item, place| event_rule(item, place, found))
}

fn optional_schedule(value: &Json, place: String, found: &ProblemCollector) -> Option<Option<Schedule>> {
    match value {
        Json::Null => Some(None),
        value => schedule(value, place, found).map(Some),
    }
}

fn known_words(value: &Json, place: &str, known: &[&str], found: &ProblemCollector) -> Option<Vec<String>> {
    let sent = texts(value, place, found)?;
    if sent.len() > ENTRIES_MAX {
        found.add(place, format!("must have at most {ENTRIES_MAX} entries"));
        return None;
    }
    noted(words(sent.into_iter().map(str::to_owned).collect(), known), place, found)
}

fn audience_names(value: &Json, place: String, found: &ProblemCollector) -> Option<Vec<String>> {
    list(value, &place, ENTRIES_MAX, found, |item, place| match item.as_str() {
        Some(name) if !name.trim().is_empty() && name.len() <= 256 => Some(name.to_owned()),
        _ => {
            found.add(place, "must be the name of an audience, 1 to 256 bytes");
            None
        }
    })
}

fn user_rule(value: &Json, place: String, found: &ProblemCollector) -> Option<UserRule> {
    let rule = match value {
        Json::Text(word) => UserRule::Word(word.clone()),
        Json::Array(items) => {
            UserRule::List(items.iter().map(|item| item.as_str().unwrap_or("?").to_owned()).collect())
        }
        _ => UserRule::Word("?".to_owned()),
    };
    rule.checked().map_err(|flaw| found.add(place, flaw.to_string())).ok()
}

/// Parses groups of conditions. `criteria` lists the allowed criteria; any are
/// allowed if it is empty.
fn groups_of(value: &Json, place: String, criteria: &[&str], found: &ProblemCollector) -> Option<Groups<Condition>> {
    list(value, &place, ENTRIES_MAX, found, |group, place| {
        list(group, &place, ENTRIES_MAX, found, |item, place| condition(item, place, criteria, found))
    })
}

fn condition(value: &Json, place: String, criteria: &[&str], found: &ProblemCollector) -> Option<Condition> {
    let fields = Fields::new(value, &*place, found)?;
    fields.only(&["criteria", "operator", "value"], &[]);
    let name = fields.needed("criteria", |value| {
        let name = text(value)?;
        if !criteria.is_empty() && !criteria.contains(&name) {
            return Err(Flaw::new(format!("must be one of {}", criteria.join(", "))));
        }
        Ok(name)
    });
    let operator = fields.needed("operator", parsed(Operator::parse));
    let (name, operator) = (name?, operator?);
    let value = match fields.get("value") {
        Some(Json::Null) if operator.takes_no_value() => None,
        Some(value) => Some(fields.read("value", |_| text(value))?.to_owned()),
        None => None,
    };
    noted(Condition::new(name, operator, value), &place, found)
}

fn country(value: &Json, place: String, found: &ProblemCollector) -> Option<Country> {
    let fields = Fields::new(value, &*place, found)?;
    fields.only(&["name", "code", "rule"], &[]);
    let name = fields.needed("name", text);
    let code = fields.needed("code", text);
    let rule = fields.needed("rule", word(&CountryMode::WORDS));
    noted(Country::new(name?, code?, rule?), &place, found)
}

fn place(value: &Json, place: String, found: &ProblemCollector) -> Option<PlaceRule> {
    let fields = Fields::new(value, &*place, found)?;
    fields.only(&["name", "rule"], &[]);
    let name = fields.needed("name", text);
    let rule = fields.needed("rule", word(&Match::WORDS));
    noted(PlaceRule::new(name?, rule?), &place, found)
}

fn event_rule(value: &Json, place: String, found: &ProblemCollector) -> Option<EventRule> {
    let fields = Fields::new(value, &*place, found)?;
    fields.only(&["rule", "name", "attributes", "min_count", "timeframe_days"], &[]);
    let rule = fields.needed("rule", word(&Match::WORDS));
    let name = fields.needed("name", text);
    fields.require("attributes");
    let attributes = fields.read_deep("attributes", |value, place| {
        list(value, &place, ENTRIES_MAX, found, |group, place| {
            list(group, &place, ENTRIES_MAX, found, |item, place| attribute(item, place, found))
        })
    });
    let min_count = fields.choose("min_count", Mode::Whole, || 1, integer(1..=1_000_000));
    let timeframe_days = fields.choose("timeframe_days", Mode::Whole, || 0, integer(0..=3_650));
    let rule = EventRule {
        rule: rule?,
        name: name?.to_owned(),
        attributes: attributes?,
        min_count: min_count?,
        timeframe_days: timeframe_days?,
    };
    noted(rule.checked(), &place, found)
}

fn attribute(value: &Json, place: String, found: &ProblemCollector) -> Option<AttributeCondition> {
    let fields = Fields::new(value, &*place, found)?;
    fields.only(&["key", "operand", "value"], &[]);
    let key = fields.needed("key", text);
    let operand = fields.needed("operand", parsed(Operator::parse));
    let (key, operand) = (key?, operand?);
    let value = match fields.get("value") {
        Some(Json::Null) if operand.takes_no_value() => None,
        Some(value) => Some(fields.read("value", |_| scalar(value))?),
        None => None,
    };
    noted(AttributeCondition::new(key, operand, value), &place, found)
}

fn scalar(value: &Json) -> Result<Scalar, Flaw> {
    match value {
        Json::Bool(flag) => Ok(Scalar::Flag(*flag)),
        Json::Int(number) => Ok(Scalar::Integer(*number)),
        Json::Float(number) => Ok(Scalar::Number(*number)),
        Json::Text(text) | Json::Beyond(text) => Ok(Scalar::Text(text.clone())),
        _ => Err(Flaw::new("must be text, a number, true or false")),
    }
}

fn url_rule(value: &Json, place: String, found: &ProblemCollector) -> Option<UrlRule> {
    let fields = Fields::new(value, &*place, found)?;
    fields.only(&["url", "rule", "allowed"], &[]);
    let url = fields.needed("url", text);
    let rule = fields.needed("rule", word(&UrlMatch::WORDS));
    let allowed = fields.choose("allowed", Mode::Whole, || true, boolean);
    noted(UrlRule::new(url?, rule?, allowed?), &place, found)
}

fn schedule(value: &Json, place: String, found: &ProblemCollector) -> Option<Schedule> {
    let fields = Fields::new(value, place, found)?;
    fields.only(&["schedule_groups"], &[]);
    fields.require("schedule_groups");
    let schedule_groups = fields.read_deep("schedule_groups", |value, place| {
        list(value, &place, ENTRIES_MAX, found, |item, place| schedule_group(item, place, found))
    })?;
    Some(Schedule { schedule_groups })
}

fn schedule_group(value: &Json, place: String, found: &ProblemCollector) -> Option<ScheduleGroup> {
    let fields = Fields::new(value, place, found)?;
    fields.only(&["days", "time_ranges"], &[]);
    fields.require("days");
    fields.require("time_ranges");
    let days = fields.read_deep("days", |value, place| known_words(value, &place, &DAYS, found));
    let time_ranges = fields.read_deep("time_ranges", |value, place| {
        list(value, &place, ENTRIES_MAX, found, |item, place| {
            let fields = Fields::new(item, &*place, found)?;
            fields.only(&["start", "end"], &[]);
            let start = fields.needed("start", text);
            let end = fields.needed("end", text);
            noted(TimeRange::new(start?, end?), &place, found)
        })
    });
    Some(ScheduleGroup { days: days?, time_ranges: time_ranges? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::contract_json;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    /// Values of each type of JSON. Each operator that takes values of a type takes the first of it.
    fn samples() -> Vec<(&'static str, Vec<Value>)> {
        let large: Value = serde_json::from_str("123456789012345678901234567890").unwrap();
        vec![
            ("string", vec![json!("5"), json!(" 1.5e3 "), json!("pro"), json!("")]),
            ("number", vec![json!(5), json!(-1.5), large]),
            ("boolean", vec![json!(true), json!(false)]),
            ("null", vec![json!(null)]),
            ("array", vec![json!(["5"]), json!([])]),
            ("object", vec![json!({ "value": "5" }), json!({})]),
        ]
    }

    /// Types of JSON that a schema of the contract allows.
    fn types(schema: &Value) -> BTreeSet<&str> {
        if let Some(path) = schema["$ref"].as_str() {
            return types(contract_json().pointer(path.trim_start_matches('#')).unwrap());
        }
        if let Some(alternatives) = schema["oneOf"].as_array() {
            return alternatives.iter().flat_map(types).collect();
        }
        match &schema["type"] {
            Value::String(word) => [&**word].into(),
            Value::Array(words) => words.iter().map(|word| word.as_str().unwrap()).collect(),
            // A schema without a type allows everything.
            _ => samples().into_iter().map(|(word, _)| word).collect(),
        }
    }

    /// Compares what a reader of conditions takes as their value with their schema in the contract.
    fn check<T>(name: &str, [left, operator]: [&str; 2], read: fn(&Json, &ProblemCollector) -> Option<T>) {
        let schema = &contract_json()["components"]["schemas"][name];
        let allowed = types(&schema["properties"]["value"]);
        assert!(!schema["required"].as_array().unwrap().contains(&json!("value")), "{name}: it may be left out");
        let takes = |condition: &Value| {
            let found = ProblemCollector::default();
            read(&Json::from(condition.clone()), &found).is_some() && found.into_problems().is_empty()
        };
        let mut taken = BTreeSet::new();
        for spelling in Operator::spellings() {
            let mut condition = json!({ left: "plan", operator: spelling });
            let takes_no_value = Operator::parse(spelling).unwrap().takes_no_value();
            assert_eq!(takes(&condition), takes_no_value, "{name} {spelling} without a value");
            for (word, values) in samples() {
                for (at, value) in values.into_iter().enumerate() {
                    condition["value"] = value;
                    let is_taken = takes(&condition);
                    assert!(!is_taken || allowed.contains(word), "the contract does not allow {name} {condition}");
                    // Text is the type that all operators take.
                    let expect = match (word, at) {
                        ("string", 0) => true,
                        ("null", _) => takes_no_value,
                        _ => is_taken,
                    };
                    assert_eq!(is_taken, expect, "{name} {condition}");
                    if is_taken {
                        taken.insert(word);
                    }
                }
            }
        }
        assert_eq!(taken, allowed, "types that the server takes, and those of the contract: {name}");
    }

    #[test]
    fn the_contract_has_the_values_of_conditions_that_the_server_takes() {
        check("Condition", ["criteria", "operator"], |value, found| condition(value, String::new(), &[], found));
        check("AttributeCondition", ["key", "operand"], |value, found| attribute(value, String::new(), found));
    }
}
