use super::*;
use crate::error::CODES;
use crate::wire;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn contract() -> Value {
    serde_json::to_value(crate::router::contract()).unwrap()
}

fn rendered() -> String {
    super::page(&crate::router::contract())
}

fn operations(contract: &Value) -> impl Iterator<Item = &Value> {
    let paths = contract["paths"].as_object().unwrap().values();
    paths.flat_map(|item| item.as_object().unwrap().values()).filter(|node| node.get("operationId").is_some())
}

/// The values of an attribute, as they stand in the page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.match_indices(&start).map(|(at, _)| page[at + start.len()..].split('"').next().unwrap()).collect()
}

#[test]
fn every_operation_and_every_error_code_is_there() {
    let (contract, page) = (contract(), rendered());
    let ids = attributes(&page, "id");
    let mut count = 0;
    for operation in operations(&contract) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.contains(&id), "{id}");
        assert!(page.contains(&format!("<code>{id}</code>")), "{id}");
        count += 1;
    }
    assert!(count >= 20, "{count} operations");
    for (code, status, _) in CODES {
        assert!(ids.contains(&&*format!("error-{code}")), "{code}");
        assert!(page.contains(&format!("<code>{code}</code></th><td>{status}</td>")), "{code}");
    }
}

#[test]
fn every_field_and_every_parameter_is_there() {
    let (contract, page) = (contract(), rendered());
    for (name, schema) in contract["components"]["schemas"].as_object().unwrap() {
        for (field, _) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            assert!(page.contains(&format!("<code class=\"name\">{field}</code>")), "{name}.{field}");
        }
    }
    for operation in operations(&contract) {
        for parameter in operation["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            assert!(page.contains(&format!("<code class=\"name\">{name}</code>")), "{name}");
        }
    }
}

#[test]
fn every_link_in_the_page_has_its_target() {
    let page = rendered();
    let ids = attributes(&page, "id");
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "an id stands twice");
    let links = attributes(&page, "href");
    let within: Vec<_> = links.iter().filter_map(|link| link.strip_prefix('#')).collect();
    assert!(within.len() > 50);
    for link in within {
        assert!(unique.contains(&link), "#{link}");
    }
}

#[test]
fn nothing_comes_from_elsewhere() {
    let page = rendered();
    let links = attributes(&page, "href");
    let out: Vec<_> = links.into_iter().filter(|link| !link.starts_with('#')).collect();
    let style = format!("docs/style.css?{}", version(STYLE));
    assert_eq!(out, ["docs/icon.svg", &style, "openapi.json"]);
    assert!(attributes(&page, "src").is_empty());
    assert!(attributes(&page, "style").is_empty());
    for tag in ["<script", "<style", "<img", "<iframe", "<form", "<base"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    assert!(page.len() <= 350_000, "{} bytes", page.len());
}

#[test]
fn headings_go_down_one_at_a_time() {
    let page = rendered();
    let mut level = 0;
    for (at, _) in page.match_indices("<h") {
        let Some(next) = page.as_bytes()[at + 2].checked_sub(b'0').filter(|next| (1..=6).contains(next)) else {
            continue;
        };
        assert!(next <= level + 1, "{}", &page[at..at + 80]);
        level = next;
    }
    assert_eq!(page.matches("<h1").count(), 1);
    assert_eq!(page.matches("<main").count(), 1);
}

/// Elements close in the order in which they open.
#[test]
fn the_markup_is_balanced() {
    let page = rendered();
    let mut open = Vec::new();
    for piece in page.split('<').skip(1) {
        let name: String =
            piece.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '/').collect();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop().as_deref(), Some(closed), "at <{piece}"),
            None if ["", "meta", "link", "wbr"].contains(&&*name) => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn hostile_words_are_escaped_wherever_they_stand() {
    const HOSTILE: &str = "x\"'><script>alert(1)</script>";
    // Every text of the contract, and every name of a field, turns hostile.
    fn spoil(node: &mut Value) {
        match node {
            Value::String(text) if !text.starts_with("#/") && !is_word(text) => text.push_str(HOSTILE),
            Value::Array(parts) => parts.iter_mut().for_each(spoil),
            Value::Object(fields) => {
                fields.values_mut().for_each(spoil);
                if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                    *properties = std::mem::take(properties).into_iter().map(|(k, v)| (k + HOSTILE, v)).collect();
                }
            }
            _ => {}
        }
    }
    /// Words that decide how the page is built.
    fn is_word(text: &str) -> bool {
        let types = ["object", "array", "string", "integer", "number", "boolean", "null"];
        types.contains(&text) || ["path", "query", "header"].contains(&text)
    }
    let mut contract = contract();
    spoil(&mut contract);
    let paths = contract["paths"].as_object_mut().unwrap();
    *paths = std::mem::take(paths).into_iter().map(|(path, item)| (format!("{path}/{HOSTILE}"), item)).collect();
    let page = page::render(&contract, "docs/style.css");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(!page.contains("<script"), "{}", &page[page.find("<script").unwrap_or(0)..][..200]);
    for value in attributes(&page, "href").iter().chain(&attributes(&page, "id")) {
        assert!(!value.contains(['<', '>', '\'', ' ']), "{value}");
    }
}

#[test]
fn a_schema_that_holds_itself_ends() {
    let page = page::render(
        &json!({
            "info": { "title": "T", "version": "1" },
            "paths": { "/tree": { "post": {
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Tree" } } } },
                "responses": { "200": { "description": "Done.", "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/Loop" } } } } },
            } } },
            "components": { "schemas": {
                "Tree": { "type": "object", "required": ["children", "other"], "properties": {
                    "children": { "type": "array", "items": { "$ref": "#/components/schemas/Tree" }, "x-odd": "kept" },
                    "other": { "$ref": "#/components/schemas/Loop" },
                    "lost": { "$ref": "#/components/schemas/Missing" },
                } },
                "Loop": { "$ref": "#/components/schemas/Loop" },
            } },
        }),
        "docs/style.css",
    );
    assert!(page.contains("href=\"#type-Tree\"") && page.contains("id=\"type-Tree\""));
    assert!(page.contains("x-odd <code>kept</code>"), "keywords without words of their own are shown");
    assert!(page.len() < 40_000, "{}", page.len());
}

/// What is wrong with a value under a schema: types, fields, closed lists.
fn misfit(contract: &Value, schema: &Value, value: &Value) -> Option<String> {
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
        return misfit(contract, contract.pointer(pointer.strip_prefix('#')?)?, value);
    }
    if let Some(parts) = schema.get("oneOf").and_then(Value::as_array) {
        let fits = parts.iter().any(|part| misfit(contract, part, value).is_none());
        return (!fits).then(|| format!("no alternative fits {value}"));
    }
    let types = match &schema["type"] {
        Value::Null => return None,
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let has = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !types.iter().any(|name| name == has || name == "number" && has == "integer") {
        return Some(format!("{value} is not of {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return Some(format!("{value} is not in the list"));
    }
    let number = |key: &str| schema[key].as_f64();
    let outside = value.as_f64().is_some_and(|n| {
        number("minimum").is_some_and(|least| n < least) || number("maximum").is_some_and(|most| n > most)
    });
    if outside {
        return Some(format!("{value} is out of range"));
    }
    let entries = value.as_array().into_iter().flatten();
    if let Some(flaw) = entries.filter_map(|entry| misfit(contract, &schema["items"], entry)).next() {
        return Some(flaw);
    }
    let fields = value.as_object()?;
    let properties = schema.get("properties").and_then(Value::as_object);
    for required in schema["required"].as_array().into_iter().flatten() {
        if !fields.contains_key(required.as_str()?) {
            return Some(format!("{required} is missing"));
        }
    }
    fields.iter().find_map(|(name, value)| match properties.and_then(|properties| properties.get(name)) {
        Some(schema) => misfit(contract, schema, value).map(|flaw| format!("{name}: {flaw}")),
        None if properties.is_some() => Some(format!("{name} is unknown")),
        None => None,
    })
}

#[test]
fn examples_fit_their_schemas() {
    let contract = contract();
    let schemas = schema::Schemas::of(&contract);
    for (name, _) in contract["components"]["schemas"].as_object().unwrap() {
        let node = json!({ "$ref": format!("#/components/schemas/{name}") });
        for side in [schema::Side::Request, schema::Side::Answer] {
            let value = example::value(&schemas, &node, side);
            // Anything goes where a schema says nothing, and null says that.
            if !value.is_null() {
                assert_eq!(misfit(&contract, &node, &value), None, "{name} {side:?}: {value:#}");
            }
        }
    }
}

#[test]
fn fields_that_examples_name_exist() {
    let contract = contract();
    for full in example::TELLING.iter().chain(example::CHANGED) {
        let (schema, field) = full.split_once('.').unwrap();
        assert!(contract["components"]["schemas"][schema]["properties"].get(field).is_some(), "{full}");
    }
}

#[test]
fn the_server_takes_the_bodies_that_it_shows() {
    let contract = contract();
    let schemas = schema::Schemas::of(&contract);
    let check = |name: &str, read: fn(&crate::json::Json) -> Option<String>| {
        let node = json!({ "$ref": format!("#/components/schemas/{name}") });
        let body = serde_json::to_vec(&example::value(&schemas, &node, schema::Side::Request)).unwrap();
        assert_eq!(read(&crate::json::parse(&body).unwrap()), None, "{}", String::from_utf8_lossy(&body));
    };
    check("ExperimentCreation", |json| wire::experiment::creation(json).1.first().map(|flaw| format!("{flaw:?}")));
    check("ExperimentPatch", |json| {
        wire::experiment::patch(json, wire::fields::Mode::Whole).1.first().map(|flaw| format!("{flaw:?}"))
    });
    check("GoalBody", |json| wire::goal::creation(json).err().map(|flaws| format!("{flaws:?}")));
    check("GoalPatch", |json| wire::goal::patch(json).err().map(|flaws| format!("{flaws:?}")));
    check("HypothesisBody", |json| wire::hypothesis::creation(json).err().map(|flaws| format!("{flaws:?}")));
    check("HypothesisPatch", |json| wire::hypothesis::patch(json).err().map(|flaws| format!("{flaws:?}")));
}

#[test]
fn a_page_that_is_known_is_not_sent_again() {
    // Routes that exclude each other would panic here.
    let _ = routes(&crate::router::contract());
    let document = Document::new("text/html; charset=utf-8", "page".to_owned());
    let mut headers = HeaderMap::new();
    let fresh = document.answer(&headers);
    assert_eq!(fresh.status(), StatusCode::OK);
    assert_eq!(fresh.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert_eq!(fresh.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
    headers.insert(header::IF_NONE_MATCH, fresh.headers()[header::ETAG].clone());
    let known = document.answer(&headers);
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(known.headers()[header::CACHE_CONTROL], "public, max-age=300");
}
