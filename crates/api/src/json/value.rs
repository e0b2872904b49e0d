//! JSON values that distinguish `1` from `1.0` and keep the order of keys.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt;

/// JSON value that has passed the checks of [`parse`](super::parse).
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number written without fraction and exponent, of magnitude at most 2⁵³.
    Int(i64),
    /// A number written with fraction or exponent, finite, of magnitude at most 2⁵³.
    Float(f64),
    /// A number beyond ±2⁵³, as written. Only [`parse_events`](super::parse_events) returns it.
    Beyond(String),
    /// A string without NUL characters.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object with unique keys, in the order sent.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Type name for messages: `an object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Int(_) => "an integer",
            Json::Float(_) | Json::Beyond(_) => "a number",
            Json::Text(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if this is a number written as one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Json::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, however it was written.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            // Within ±2⁵³ every integer is a double.
            Json::Int(value) => Some(*value as f64),
            Json::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(value) => Some(value),
            _ => None,
        }
    }

    /// The items, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Keys and values in order, if this is an object.
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Value of a key; `None` if this is not an object or lacks the key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Value as JSON text without white space.
    pub fn to_compact_string(&self) -> String {
        // This cannot fail: all keys are strings, and the writer is a string.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_compact_string())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Int(value) => serializer.serialize_i64(*value),
            Json::Float(value) => serializer.serialize_f64(*value),
            Json::Text(value) | Json::Beyond(value) => serializer.serialize_str(value),
            Json::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// Converts without the checks of [`parse`](super::parse). Numbers that do not fit into an `i64` become floats.
impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Json {
        use serde_json::Value;
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(value),
            Value::Number(number) => match number.as_i64() {
                Some(int) => Json::Int(int),
                None => Json::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Json::Text(text),
            Value::Array(items) => Json::Array(items.into_iter().map(Json::from).collect()),
            Value::Object(members) => {
                Json::Object(members.into_iter().map(|(key, value)| (key, Json::from(value))).collect())
            }
        }
    }
}
