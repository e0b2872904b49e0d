//! Parses goals in request bodies.

use super::fields::{Fields, ProblemCollector, from_body, integer, nullable, parsed, word};
use crate::json::Json;
use muriel_domain::goal::{Definition, GoalType, GoalValue, ORDER_MAX, Patch, Purpose, Trigger};
use muriel_domain::{Flaw, Problems, text};
use muriel_service::goals::NewGoal;

const DEFINITION_FIELDS: [&str; 10] = [
    "goal_name",
    "goal_type",
    "goal_value",
    "goal_purpose",
    "element_url",
    "window_days",
    "min_count",
    "cap",
    "max_order_value",
    "currency",
];

/// Parses a create body.
pub(crate) fn creation(body: &Json) -> Result<NewGoal, Problems> {
    from_body(body, |fields| {
        let mut known = DEFINITION_FIELDS.to_vec();
        known.push("goal_key");
        fields.only(&known, &[]);
        let key = match fields.has("goal_key") {
            true => Some(fields.read("goal_key", parsed(text::key))?),
            false => None,
        };
        Some(NewGoal { definition: definition(fields)?, key })
    })
}

/// Parses a goal within a create-experiment body: name, type and value.
pub(crate) fn inline_goal(value: &Json, place: String, found: &ProblemCollector) -> Option<NewGoal> {
    let fields = Fields::new(value, place, found)?;
    fields.only(&["goal_name", "goal_type", "goal_value"], &[]);
    Some(NewGoal { definition: definition(&fields)?, key: None })
}

fn definition(fields: &Fields<'_>) -> Option<Definition> {
    for name in ["goal_name", "goal_type", "goal_value"] {
        fields.require(name);
    }
    let patch = patch_fields(fields);
    let (name, goal_type, value) = (patch.name?, patch.goal_type?, patch.value?);
    let trigger = Trigger::new(goal_type, value).map_err(|flaw| fields.add("goal_value", flaw.to_string())).ok()?;
    Some(Definition {
        name,
        trigger,
        purpose: patch.purpose.unwrap_or(Purpose::Sell),
        element_url: patch.element_url.flatten(),
        window_days: patch.window_days.flatten(),
        min_count: patch.min_count.unwrap_or(1),
        cap: patch.cap.flatten(),
        max_order_value: patch.max_order_value.flatten(),
        currency: patch.currency.flatten(),
    })
}

/// Parses a PATCH body.
pub(crate) fn patch(body: &Json) -> Result<Patch, Problems> {
    from_body(body, |fields| {
        fields.only(
            &DEFINITION_FIELDS,
            &[
                ("goal_key", "is permanent; create another goal to use another key"),
                ("goal_profile_id", "identifies the goal and cannot be changed"),
                ("created_at", "cannot be changed"),
            ],
        );
        Some(patch_fields(fields))
    })
}

fn patch_fields(fields: &Fields<'_>) -> Patch {
    Patch {
        name: fields.read("goal_name", parsed(|name| text::name(name, 255))),
        goal_type: fields.read("goal_type", word(&GoalType::WORDS)),
        value: fields.read("goal_value", |value| match value {
            Json::Int(number) => Ok(GoalValue::Number(*number)),
            Json::Text(text) => Ok(GoalValue::Text(text.clone())),
            _ => Err(Flaw::new("must be text, or an integer for scrolling and duration")),
        }),
        purpose: fields.read("goal_purpose", word(&Purpose::WORDS)),
        element_url: fields.read("element_url", nullable(parsed(text::web_address))),
        window_days: fields.read("window_days", nullable(integer(1..=365))),
        min_count: fields.read("min_count", integer(1..=1_000)),
        cap: fields.read(
            "cap",
            nullable(|value: &Json| match value.as_number() {
                Some(cap) if cap > 0.0 && cap <= 1e12 => Ok(cap),
                _ => Err(Flaw::new("must be a number above 0 and at most 1000000000000")),
            }),
        ),
        max_order_value: fields.read(
            "max_order_value",
            nullable(|value: &Json| match value.as_number() {
                Some(most) if most > 0.0 && most <= ORDER_MAX => Ok(most),
                _ => Err(Flaw::new("must be a number above 0 and at most 100000000000")),
            }),
        ),
        currency: fields.read(
            "currency",
            nullable(|value: &Json| match value.as_str() {
                Some(code) if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                    Ok(code.to_owned())
                }
                _ => Err(Flaw::new("must be a currency code of ISO 4217 in capitals, such as EUR")),
            }),
        ),
    }
}
