//! Checks that client generators support every name and response of the contract.
//!
//! A generator converts names to identifiers of its language. It names each unnamed type after the schema and the
//! property. Where two names become equal, it drops one of the types, with the operations that use it. A property with
//! a name that the generated code itself uses fails at run time. Where a status has several bodies, a typed client gets
//! a value of unknown type. An object of which nothing is declared is taken for an empty one.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Names that methods of generated Python classes use themselves.
const RESERVED_PROPERTIES: [&str; 2] = ["cls", "self"];

/// Converts `page_health` to `PageHealth`.
fn pascal(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.map(|word| word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default()).collect()
}

/// Converts `customJS` to `custom_js`.
fn snake(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && was_lower || !letter.is_ascii_alphanumeric() {
            words.push('_');
        }
        was_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        words.extend(letter.to_lowercase().filter(char::is_ascii_alphanumeric));
    }
    words
}

/// Finds names that become equal as a file, field or constant name.
fn collisions<'n>(of: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut known: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        known.entry(snake(name)).or_default().push(name);
    }
    let known = known.into_values().filter(|names| names.len() > 1);
    known.map(|names| format!("{of}: {} become one name", names.join(" and "))).collect()
}

/// Returns whether a value of the schema can be an object.
fn is_object(schema: &Value) -> bool {
    match &schema["type"] {
        Value::Array(types) => types.contains(&json!("object")),
        one => one == "object",
    }
}

/// Returns whether a generator creates a separate type for the schema.
fn is_inline_type(schema: &Value) -> bool {
    is_object(schema) || schema.get("enum").is_some()
}

/// Collects problems of names within a schema or operation at `place`, at every depth.
fn within(place: &str, node: &Value, found: &mut Vec<String>) {
    match node {
        Value::Object(fields) => {
            if is_object(node) && !["properties", "additionalProperties"].iter().any(|word| fields.contains_key(*word))
            {
                found.push(format!("{place}: additionalProperties does not say that the object may have any"));
            }
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                found.extend(collisions(place, properties.keys().map(String::as_str)));
                let reserved = RESERVED_PROPERTIES.iter().filter(|name| properties.contains_key(**name));
                found.extend(reserved.map(|name| format!("{place}: classes in Python use the name {name} themselves")));
            }
            if let Some(words) = fields.get("enum").and_then(Value::as_array) {
                let words = words.iter().filter_map(Value::as_str);
                // A generator numbers words that do not begin with a letter.
                found.extend(collisions(
                    place,
                    words.filter(|word| word.starts_with(|first: char| first.is_alphabetic())),
                ));
            }
            fields.iter().for_each(|(name, node)| within(&format!("{place}.{name}"), node, found));
        }
        Value::Array(nodes) => nodes.iter().for_each(|node| within(place, node, found)),
        _ => {}
    }
}

/// Inline types of properties whose generated name equals that of a schema.
fn taken(schemas: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, schema) in schemas {
        for (property, of) in schema["properties"].as_object().into_iter().flatten() {
            let parts = ["oneOf", "anyOf"].iter().filter_map(|word| of[word].as_array()).flatten();
            let made_up = pascal(name) + &pascal(property);
            if schemas.contains_key(&made_up) && parts.chain([of, &of["items"]]).any(is_inline_type) {
                found.push(format!("{name}.{property}: its type would be called {made_up}, which is a schema"));
            }
        }
    }
    found
}

/// Statuses of the operation at `place` with several bodies.
fn several_bodies(place: &str, operation: &Value) -> Vec<String> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let bodies = responses.map(|(status, response)| (status, response["content"].as_object().map_or(0, Map::len)));
    let several = bodies.filter(|(_, number)| *number > 1);
    several.map(|(status, number)| format!("{place}: the status {status} has {number} bodies")).collect()
}

/// Names that a generator drops or confuses, or that break the generated code, each with its place.
fn problems(contract: &Value) -> Vec<String> {
    let schemas = contract["components"]["schemas"].as_object().unwrap();
    let mut found = taken(schemas);
    found.extend(collisions("schemas", schemas.keys().map(String::as_str)));
    let items = contract["paths"].as_object().unwrap().values().filter_map(Value::as_object);
    let ids = items.flat_map(Map::values).filter_map(|operation| operation["operationId"].as_str());
    found.extend(collisions("operations", ids));
    schemas.iter().for_each(|(name, schema)| within(name, schema, &mut found));
    for (path, item) in contract["paths"].as_object().unwrap() {
        within(path, item, &mut found);
        let operations = item.as_object().into_iter().flatten();
        found.extend(operations.flat_map(|(method, of)| several_bodies(&format!("{path}.{method}"), of)));
    }
    found
}

#[test]
fn generators_can_carry_the_contract() {
    let contract = serde_json::to_value(crate::router::contract()).unwrap();
    assert_eq!(problems(&contract), [""; 0]);
}

#[test]
fn what_generators_cannot_carry_is_found() {
    let schemas = json!({
        "PageHealth": { "properties": { "cls": { "type": "number" } } },
        "Proposal": { "properties": {
            "body": { "type": "object", "additionalProperties": true },
            "note": { "type": ["object", "null"] },
        } },
        "ProposalBody": {},
        "ProposalNote": {},
        "Sort": { "properties": { "by": { "oneOf": [{ "enum": ["a"] }] } } },
        "SortBy": { "enum": ["-days", "days", "days-left", "days_left"] },
        "proposal": { "properties": { "customJS": {}, "custom_js": {} } },
    });
    let paths = json!({
        "/a": { "get": { "operationId": "getPage", "responses": { "200": { "properties": { "self": {} } } } } },
        "/b": { "get": { "operationId": "get_page", "responses": {
            "200": { "content": { "application/json": {}, "text/csv": {} } }, "404": { "content": { "application/json": {} } },
        } } },
    });
    assert_eq!(
        problems(&json!({ "components": { "schemas": schemas }, "paths": paths })),
        [
            "Proposal.body: its type would be called ProposalBody, which is a schema",
            "Proposal.note: its type would be called ProposalNote, which is a schema",
            "Sort.by: its type would be called SortBy, which is a schema",
            "schemas: Proposal and proposal become one name",
            "operations: getPage and get_page become one name",
            "PageHealth: classes in Python use the name cls themselves",
            "Proposal.properties.note: additionalProperties does not say that the object may have any",
            "SortBy: days-left and days_left become one name",
            "proposal: customJS and custom_js become one name",
            "/a.get.responses.200: classes in Python use the name self themselves",
            "/b.get: the status 200 has 2 bodies",
        ]
    );
}
