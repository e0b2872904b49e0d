//! Converts schemas of the contract to self-contained schemas.

use crate::BadContract;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const COMPONENTS: &str = "#/components/schemas/";

/// The schema with this name.
pub(crate) fn named<'c>(contract: &'c Value, name: &str) -> Result<&'c Value, BadContract> {
    let schema = &contract["components"]["schemas"][name];
    if schema.is_object() { Ok(schema) } else { Err(BadContract(format!("there is no schema {name}"))) }
}

/// The schema, or the one that it refers to.
pub(crate) fn resolved<'c>(contract: &'c Value, schema: &'c Value) -> Result<&'c Value, BadContract> {
    match schema["$ref"].as_str().and_then(|reference| reference.strip_prefix(COMPONENTS)) {
        Some(name) => named(contract, name),
        None => Ok(schema),
    }
}

/// An object's schema, with everything that it refers to in `$defs`.
pub(crate) fn object(
    contract: &Value,
    properties: JsonObject,
    required: Vec<Value>,
    is_open: bool,
) -> Result<JsonObject, BadContract> {
    let mut whole = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": is_open,
    });
    let (mut wanted, mut defined) = (BTreeSet::new(), JsonObject::new());
    relocate(&mut whole, &mut wanted);
    while let Some(name) = wanted.pop_first() {
        if !defined.contains_key(&name) {
            let mut schema = named(contract, &name)?.clone();
            relocate(&mut schema, &mut wanted);
            defined.insert(name, schema);
        }
    }
    if !defined.is_empty() {
        whole["$defs"] = Value::Object(defined);
    }
    match whole {
        Value::Object(whole) => Ok(whole),
        _ => Err(BadContract("a schema of an object is an object".to_owned())),
    }
}

/// Points references at `$defs`, collects the names that they refer to in `wanted`, and splits lists of types, which
/// not every client can read.
fn relocate(schema: &mut Value, wanted: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Array(types)) = members.get("type")
                && !members.contains_key("anyOf")
            {
                let each = types.iter().map(|one| json!({ "type": one })).collect();
                members.shift_remove("type");
                members.insert("anyOf".to_owned(), each);
            }
            for (name, member) in members.iter_mut() {
                match member {
                    Value::String(reference) if name == "$ref" => {
                        if let Some(of) = reference.strip_prefix(COMPONENTS).map(str::to_owned) {
                            *reference = format!("#/$defs/{of}");
                            wanted.insert(of);
                        }
                    }
                    _ => relocate(member, wanted),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| relocate(item, wanted)),
        _ => {}
    }
}
