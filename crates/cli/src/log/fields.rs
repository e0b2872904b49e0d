//! Explains, field by field, why a line is not an event.

use muriel_domain::Instant;
use muriel_log::EventKind;
use serde_json::{Map, Value};
use uuid::Uuid;

/// Type of a field.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Number,
    Integer,
    Flag,
    Object,
    Time,
    Id,
    OneOf(&'static [&'static str]),
}

/// Fields that every event has.
const REQUIRED: [(&str, Shape); 7] = [
    ("id", Shape::Id),
    ("type", Shape::OneOf(&[])),
    ("project_key", Shape::Text),
    ("at", Shape::Time),
    ("received_at", Shape::Time),
    ("visitor", Shape::Object),
    ("bot", Shape::Flag),
];

/// Optional fields.
const OPTIONAL: &[(&str, Shape)] = &[
    ("vouched", Shape::Flag),
    ("signed", Shape::Flag),
    ("consent", Shape::OneOf(&["granted", "denied", "unknown"])),
    ("device", Shape::Text),
    ("browser", Shape::Text),
    ("os", Shape::Text),
    ("country", Shape::Text),
    ("region", Shape::Text),
    ("city", Shape::Text),
    ("network", Shape::Text),
    ("url", Shape::Text),
    ("referrer", Shape::Text),
    ("session", Shape::Text),
    ("test_id", Shape::Integer),
    ("variant_id", Shape::Text),
    ("epoch", Shape::Integer),
    ("context", Shape::Object),
    ("by", Shape::Text),
    ("trigger", Shape::Text),
    ("href", Shape::Text),
    ("name", Shape::Text),
    ("value", Shape::Number),
    ("currency", Shape::Text),
    ("order_id", Shape::Text),
    ("quantity", Shape::Number),
    ("refund_of", Shape::Text),
    ("attributes", Shape::Object),
    ("apply_ms", Shape::Number),
    ("hidden_ms", Shape::Number),
    ("late", Shape::Number),
    ("failed_selectors", Shape::Number),
    ("errors", Shape::Number),
    ("error_message", Shape::Text),
    ("lcp_ms", Shape::Number),
    ("cls", Shape::Number),
    ("inp_ms", Shape::Number),
    ("changes", Shape::Text),
    ("integrations", Shape::Text),
    ("dropped", Shape::Number),
    ("properties", Shape::Object),
];

/// All problems of a line that could not be parsed as an event, each with its field.
pub(super) fn problems(line: &[u8]) -> String {
    let fields = match serde_json::from_slice(line) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return "it must be a JSON object".to_owned(),
        Err(error) => return format!("it is not valid JSON at column {}", error.column()),
    };
    let mut problems = Vec::new();
    for (name, shape) in REQUIRED {
        match fields.get(name) {
            None => problems.push(format!("{name} is required")),
            Some(value) => problems.extend(problem(name, value, shape)),
        }
    }
    if fields.get("project_key").is_some_and(|key| key == "") {
        problems.push("project_key must not be empty".to_owned());
    }
    if let Some(Value::Object(visitor)) = fields.get("visitor") {
        problems.extend(visitor_problems(visitor));
    }
    for (name, shape) in OPTIONAL {
        // Null equals a missing field, except for objects and flags.
        let value = fields.get(*name).filter(|value| !value.is_null() || matches!(shape, Shape::Object | Shape::Flag));
        problems.extend(value.and_then(|value| problem(name, value, *shape)));
    }
    if problems.is_empty() {
        return "it is not an event as muriel log export prints it".to_owned();
    }
    problems.join("; ")
}

fn visitor_problems(visitor: &Map<String, Value>) -> Vec<String> {
    let id = match visitor.get("id") {
        None => Some("visitor.id is required".to_owned()),
        Some(Value::String(id)) if (1..=128).contains(&id.chars().count()) => None,
        Some(_) => Some("visitor.id must be a text of 1 to 128 characters".to_owned()),
    };
    let attributes = visitor.get("attributes").and_then(|value| problem("visitor.attributes", value, Shape::Object));
    id.into_iter().chain(attributes).collect()
}

fn problem(name: &str, value: &Value, shape: Shape) -> Option<String> {
    let text = value.as_str();
    let expected = match shape {
        Shape::Text => text.is_none().then(|| "a text".to_owned()),
        Shape::Number => (!value.is_number()).then(|| "a number".to_owned()),
        Shape::Integer => value.as_i64().is_none().then(|| "an integer".to_owned()),
        Shape::Flag => (!value.is_boolean()).then(|| "true or false".to_owned()),
        Shape::Object => (!value.is_object()).then(|| "an object".to_owned()),
        Shape::Time => {
            let is_time = text.is_some_and(|text| Instant::parse(text).is_ok());
            (!is_time).then(|| "a time such as 2026-03-01T10:00:00Z".to_owned())
        }
        Shape::Id => {
            let id = text.and_then(|text| Uuid::parse_str(text).ok()).filter(|id| !id.is_nil());
            id.is_none().then(|| "a UUID other than the nil UUID".to_owned())
        }
        // For `type`: the words of all kinds.
        Shape::OneOf([]) => {
            let words = EventKind::WORDS.map(|(word, _)| word);
            (!text.is_some_and(|text| words.contains(&text))).then(|| format!("one of {}", words.join(", ")))
        }
        Shape::OneOf(words) => {
            (!text.is_some_and(|text| words.contains(&text))).then(|| format!("one of {}", words.join(", ")))
        }
    };
    expected.map(|expected| format!("{name} must be {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_log::Record;
    use serde::de::{Deserialize, Deserializer, Error, Visitor};
    use serde_json::json;

    fn event() -> Value {
        json!({
            "id": "0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a55", "type": "order", "project_key": "prj_1",
            "at": "2026-03-01T10:00:00Z", "received_at": "2026-03-01T10:00:01Z", "visitor": { "id": "v" }, "bot": false,
        })
    }

    fn check(changes: Value, expect: &str) {
        let mut event = event();
        for (name, value) in changes.as_object().unwrap() {
            if value == "(left out)" {
                event.as_object_mut().unwrap().remove(name);
            } else {
                event[name] = value.clone();
            }
        }
        assert_eq!(problems(event.to_string().as_bytes()), expect, "{event}");
    }

    #[test]
    fn all_problems_are_told_by_their_fields() {
        assert!(serde_json::from_value::<Record>(event()).is_ok());
        check(json!({}), "it is not an event as muriel log export prints it");
        check(
            json!({ "id": "(left out)", "visitor": "(left out)", "bot": "no", "value": "12", "test_id": 1.5 }),
            "id is required; visitor is required; bot must be true or false; test_id must be an integer; value must be \
             a number",
        );
        check(
            json!({ "id": "1", "visitor": { "id": "", "attributes": [] }, "at": "yesterday", "consent": "yes" }),
            "id must be a UUID other than the nil UUID; at must be a time such as 2026-03-01T10:00:00Z; visitor.id \
             must be a text of 1 to 128 characters; visitor.attributes must be an object; consent must be one of granted, \
             denied, unknown",
        );
        check(json!({ "project_key": "" }), "project_key must not be empty");
        let kinds = "type must be one of exposure, pageview, click, submit, appear, scroll, duration, custom, order, \
                     script, identify, health";
        check(json!({ "type": "purchase" }), kinds);
        assert_eq!(problems(b"[1]"), "it must be a JSON object");
        assert_eq!(problems(b"{\"id\":}"), "it is not valid JSON at column 7");
    }

    /// Fields that the event parser knows.
    fn fields_of_events() -> &'static [&'static str] {
        struct Names<'n>(&'n mut &'static [&'static str]);
        impl<'de> Deserializer<'de> for Names<'_> {
            type Error = serde::de::value::Error;

            fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
                Err(Self::Error::custom("only the names are of interest"))
            }

            fn deserialize_struct<V: Visitor<'de>>(
                self,
                _: &'static str,
                fields: &'static [&'static str],
                visitor: V,
            ) -> Result<V::Value, Self::Error> {
                *self.0 = fields;
                self.deserialize_any(visitor)
            }

            serde::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
                unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
            }
        }
        let mut names: &[_] = &[];
        assert!(Record::deserialize(Names(&mut names)).is_err());
        names
    }

    #[test]
    fn every_field_of_an_event_is_known() {
        let mut known: Vec<_> = REQUIRED.iter().chain(OPTIONAL).map(|(name, _)| *name).collect();
        let mut fields = fields_of_events().to_vec();
        known.sort_unstable();
        fields.sort_unstable();
        assert_eq!(known, fields);
    }

    /// A message about a refused event names the field, and does not name a Rust type.
    #[test]
    fn every_field_that_is_wrong_is_named() {
        let wrong = [json!([]), json!({}), json!("x"), json!(1.5), json!(true)];
        for (name, _) in REQUIRED.iter().chain(OPTIONAL) {
            let mut refused = 0;
            for value in &wrong {
                let mut event = event();
                event[*name] = value.clone();
                if serde_json::from_value::<Record>(event.clone()).is_err() {
                    refused += 1;
                    let message = problems(event.to_string().as_bytes());
                    assert!(message.contains(name), "{event}: {message}");
                }
            }
            assert!(refused > 0, "{name}");
        }
    }
}
