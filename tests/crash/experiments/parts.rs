//! One token in every part of an experiment.
//!
//! The content for a token depends only on its number. So a token that is found in one
//! place determines the content of all other places.

use serde_json::{Value, json};

/// Objects of the project that experiments refer to.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    pub(crate) hypotheses: [i64; 2],
    pub(crate) goal_keys: [String; 2],
}

/// PATCH body that writes the token of the experiment `label` everywhere: into ten
/// columns, the table of variants and that of goals.
///
/// Sizes, variants, goals and the hypothesis depend on the number, so that one patch
/// touches many pages and rows, and the next one others.
pub(crate) fn patch(label: &str, token: u64, links: &Links) -> Value {
    let mark = format!("{label} token {token}");
    let long = if token.is_multiple_of(10) { "// and so on\n".repeat(600) } else { String::new() };
    let code = |place: &str| format!("/* {mark}: {place} */\n{long}");
    let variants: Vec<Value> = (1..=2 + token % 3 / 2)
        .map(|number| {
            json!({
                "name": format!("Variant {number}"),
                "nickname": format!("{mark}, variant {number}"),
                "customJS": code("variant's script"),
                "customCSS": code("variant's style"),
                "data": [{ "target": "h1", "innerText": mark }],
            })
        })
        .collect();
    let hypothesis = match token / 4 % 3 {
        0 => None,
        which => Some(links.hypotheses[which as usize - 1]),
    };
    let goal_keys = &links.goal_keys[..(token % 3) as usize];
    json!({
        "test_name": mark,
        "custom_js": code("script"),
        "custom_css": code("style"),
        "control": { "nickname": mark, "customJS": code("control's script"), "customCSS": code("control's style") },
        "variants": variants,
        "configuration": { "completion_visitor": token, "traffic_allocation": 1 + token % 100 },
        "targeting": { "parameter_rule": [[{ "criteria": "token", "operator": "==", "value": mark }]] },
        "tags": [mark],
        "plan": { "visitors": token + 1 },
        "event_metrics": [mark],
        "primary_goal_key": goal_keys.first(),
        "secondary_goal_keys": goal_keys,
        "hypothesis_id": hypothesis,
    })
}

/// Body that creates an experiment with this token and status.
pub(crate) fn creation(label: &str, token: u64, status: i64, links: &Links) -> Value {
    let mut body = patch(label, token, links);
    body["url"] = json!("https://shop.example/");
    body["status"] = json!(status);
    body
}

/// Label and token in a name.
pub(crate) fn read_name(name: &str) -> Option<(&str, u64)> {
    let (label, token) = name.split_once(" token ")?;
    Some((label, token.parse().ok()?))
}

/// Places in which `found` differs from `expected`. Keys that `expected` lacks may have
/// any value.
pub(crate) fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let mut places = Vec::new();
    compare(expected, found, "", &mut places);
    places
}

fn compare(expected: &Value, found: &Value, place: &str, places: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (key, value) in expected {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                compare(value, found.get(key).unwrap_or(&Value::Null), &place, places);
            }
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                compare(expected, found, &format!("{place}[{index}]"), places);
            }
        }
        _ if expected == found => {}
        _ => {
            let shown: String = found.to_string().chars().take(60).collect();
            places.push(format!("{place} is {shown}"));
        }
    }
}
