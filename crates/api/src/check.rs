//! Validates bodies without a project, for programs that check files before sending them.
//!
//! Each function parses a body as the create operation does. It returns the fields as the details endpoint shows them:
//! complete, with defaults, and with every value as stored. References to goals and hypotheses are not looked up.

use crate::error::ApiError;
use crate::json::{self, Json};
use crate::wire::views::{ExperimentDetails, Goal, Hypothesis};
use crate::wire::{experiment, goal as goal_wire, hypothesis as hypothesis_wire};
use muriel_domain::experiment::{DataKey, Experiment, References, TestType};
use muriel_domain::goal::Goal as DomainGoal;
use muriel_domain::hypothesis::Hypothesis as DomainHypothesis;
use muriel_domain::ids::{CompanyId, GoalId, HypothesisId, ProjectId};
use muriel_domain::{Instant, Problems};
use muriel_store::experiments::LoadedExperiment;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub use crate::wire::fields::unknown_field;
pub use crate::wire::views::{FieldChange, differences};

const NEVER: Instant = Instant::from_us(0);

/// Maximum number of JSON values in a body to check. Higher than the limit of one request, because such a body may be
/// sent in several requests.
const MAX_VALUES: usize = 20 * json::MAX_VALUES;

/// Fields of the experiment that `createExperiment` would create from a body.
///
/// # Errors
/// Problems of the body, with the path of each value.
pub fn experiment(body: &Value) -> Result<Map<String, Value>, Problems> {
    let new = experiment::creation(&gated(body)?);
    let known = References { goal_keys: new.patch.goal_keys().map(str::to_owned).collect(), hypothesis: true };
    let test_type = new.test_type.unwrap_or(TestType::AbTest);
    let draft = Experiment::draft(CompanyId(0), ProjectId(0), test_type, new.key.unwrap_or_default(), NEVER);
    let mut made = draft.patched(new.patch, new.problems, &known)?;
    made.variants_data_key = new.variants_data_key.unwrap_or_else(|| DataKey::stored(made.url.clone()));
    let loaded = LoadedExperiment { experiment: made, origin: None, primary_goal: None };
    Ok(fields(&ExperimentDetails::new(loaded, Vec::new(), "", NEVER, &BTreeMap::new())))
}

/// Fields of the goal that `createGoal` would create from a body.
///
/// # Errors
/// Problems of the body, with the path of each value.
pub fn goal(body: &Value) -> Result<Map<String, Value>, Problems> {
    let new = goal_wire::creation(&gated(body)?)?;
    let (key, definition) = (new.key.unwrap_or_default(), new.definition);
    Ok(fields(&Goal::from(DomainGoal { id: GoalId(0), key, definition, created_at: NEVER, revision: 0 })))
}

/// Fields of the hypothesis that `createHypothesis` would create from a body.
///
/// # Errors
/// Problems of the body, with the path of each value.
pub fn hypothesis(body: &Value) -> Result<Map<String, Value>, Problems> {
    let new = hypothesis_wire::creation(&gated(body)?)?;
    Ok(fields(&Hypothesis::details(DomainHypothesis {
        id: HypothesisId(0),
        slug: new.slug.unwrap_or_default(),
        content: new.content,
        archived: new.archived,
        created_at: NEVER,
        updated_at: NEVER,
        revision: 0,
        experiments: Vec::new(),
    })))
}

/// Parses text as JSON that is valid in a body.
///
/// # Errors
/// Text that is not JSON, a key that occurs twice in an object, NUL characters, or too many levels.
pub fn json(text: &str) -> Result<Value, Problems> {
    json::parse_with(text.as_bytes(), MAX_VALUES).map_err(problems)?;
    serde_json::from_str(text).map_err(|error| Problems::one("JSON", error.to_string()))
}

/// Parses the body with the checks that the API applies to requests.
fn gated(body: &Value) -> Result<Json, Problems> {
    json::parse_with(body.to_string().as_bytes(), MAX_VALUES).map_err(problems)
}

fn problems(error: ApiError) -> Problems {
    match error {
        ApiError::Malformed(problem) => Problems::one(problem.field, problem.message),
        other => Problems::one("body", other.to_string()),
    }
}

fn fields<T: Serialize>(view: &T) -> Map<String, Value> {
    match serde_json::to_value(view) {
        Ok(Value::Object(fields)) => fields,
        // Not reachable: views serialise as objects.
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bodies_are_completed() {
        let made = experiment(&json!({
            "test_name": " A ", "url": "https://a.example/", "variants": [{ "name": "Variant 1" }], "status": 1,
            "configuration": { "start_test_date": "2026-03-01" }, "primary_goal_key": "bought",
        }))
        .unwrap();
        assert_eq!(made["test_name"], "A");
        assert_eq!(made["configuration"]["start_test_date"], "2026-03-01T00:00:00.000Z");
        assert_eq!(made["configuration"]["traffic_allocation"], 100);
        assert_eq!(made["variants_data_key"], "https://a.example/");
        let made = goal(&json!({ "goal_name": "G", "goal_type": "scrolling", "goal_value": 50 })).unwrap();
        assert_eq!((&made["goal_value"], &made["min_count"]), (&json!(50), &json!(1)));
        let made = hypothesis(&json!({ "problem": "P", "slug": "p", "archived": true })).unwrap();
        assert_eq!((&made["slug"], &made["archived"], &made["solution"]), (&json!("p"), &json!(true), &Value::Null));
    }

    #[test]
    fn problems_have_their_place() {
        let messages = |problems: Problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
        let body = json!({
            "test_name": "", "url": "https://a.example/", "variants": [{ "name": "Variant 1", "nickname": 1 }],
            "configuration": { "trafic_allocation": 1 },
        });
        let found = messages(experiment(&body).unwrap_err());
        assert!(found.iter().any(|one| one.starts_with("test_name must not be blank")), "{found:?}");
        assert!(found.iter().any(|one| one.starts_with("variants[0].nickname must be text")), "{found:?}");
        let near = "configuration.trafic_allocation is not a known field; did you mean \"traffic_allocation\"?";
        assert!(found.contains(&near.to_owned()), "{found:?}");
        let found = messages(hypothesis(&json!({ "problem": "\u{0}" })).unwrap_err());
        assert!(found[0].starts_with("problem "), "{found:?}");
    }
}
