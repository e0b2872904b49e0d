use super::*;
use crate::error::CODES;
use crate::wire;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

fn contract() -> Value {
    serde_json::to_value(crate::router::contract()).unwrap()
}

fn documentation() -> Documentation {
    Documentation::new(crate::router::contract())
}

/// All rendered pages with their paths.
fn rendered() -> &'static [(String, String)] {
    static RENDERED: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let docs = documentation();
        let found = search::page(docs.index(), "q=experiment");
        let pages = docs.pages().into_iter().chain([start::page(&docs), found]);
        pages.map(|page| (page.path.clone(), docs.render(page))).collect()
    });
    &RENDERED
}

fn operations(contract: &Value) -> impl Iterator<Item = &Value> {
    let paths = contract["paths"].as_object().unwrap().values();
    paths.flat_map(|item| item.as_object().unwrap().values()).filter(|node| node.get("operationId").is_some())
}

/// Values of an attribute in the tags of a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    let tags = page.split('<').skip(1).map(|piece| piece.split('>').next().unwrap());
    tags.filter_map(|tag| tag.split_once(&start)).map(|(_, rest)| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_operation_and_every_error_code_is_there() {
    let (contract, pages) = (contract(), rendered());
    let page = |path: &str| &pages.iter().find(|(known, _)| known == path).unwrap_or_else(|| panic!("{path}")).1;
    let mut count = 0;
    for operation in operations(&contract) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(page(&format!("docs/operations/{id}")).contains(&format!("<code>{id}</code>")), "{id}");
        assert!(page("docs").contains(&format!("href=\"docs/operations/{id}\"")), "{id}");
        count += 1;
    }
    assert!(count >= 20, "{count} operations");
    for (code, status, _) in CODES {
        let errors = page("docs/errors");
        assert!(attributes(errors, "id").contains(&&*format!("error-{code}")), "{code}");
        assert!(errors.contains(&format!("<code>{code}</code></th><td>{status}</td>")), "{code}");
    }
}

#[test]
fn every_field_and_every_parameter_is_there() {
    let contract = contract();
    let named = rendered().iter().flat_map(|(_, page)| page.split("<code class=\"name\">").skip(1));
    let names: BTreeSet<_> = named.filter_map(|rest| rest.split_once("</code>")).map(|(name, _)| name).collect();
    for (name, schema) in contract["components"]["schemas"].as_object().unwrap() {
        for (field, _) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            assert!(names.contains(field.as_str()), "{name}.{field}");
        }
    }
    for operation in operations(&contract) {
        for parameter in operation["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            assert!(names.contains(name), "{name}");
        }
    }
}

/// Links are relative because a proxy may serve the site below a path. They are resolved here as browsers
/// do.
#[test]
fn every_link_has_its_target() {
    let pages = rendered();
    let ids: BTreeMap<_, _> = pages.iter().map(|(path, page)| (path.as_str(), attributes(page, "id"))).collect();
    let mut count = 0;
    for (path, page) in pages {
        let base = url::Url::parse("http://docs.test/below/").unwrap().join(path).unwrap();
        let own = &ids[path.as_str()];
        assert_eq!(own.len(), own.iter().collect::<BTreeSet<_>>().len(), "{path} has an id twice");
        for link in ["href", "src", "action"].into_iter().flat_map(|name| attributes(page, name)) {
            let target = base.join(&link.replace("&amp;", "&")).unwrap();
            if target.host_str() != Some("docs.test") {
                continue;
            }
            let to =
                target.path().strip_prefix("/below/").unwrap_or_else(|| panic!("{link} in {path} leaves the server"));
            count += 1;
            if let Some(picture) = to.strip_prefix("docs/pictures/") {
                assert!(guides::picture(picture).is_some(), "{link} in {path}");
            } else if ["", "settings/keys"].contains(&to) {
                // Pages of the dashboard, outside the documentation.
            } else if !["docs/icon.svg", "docs/style.css", "openapi.json"].contains(&to) {
                let ids = ids.get(to).unwrap_or_else(|| panic!("{link} in {path} leads nowhere"));
                if let Some(anchor) = target.fragment() {
                    assert!(ids.contains(&anchor), "{link} in {path} has no target");
                }
            }
        }
    }
    assert!(count > 1_000, "{count} links");
}

#[test]
fn nothing_comes_from_elsewhere() {
    for (path, page) in rendered() {
        assert!(attributes(page, "src").iter().all(|src| src.starts_with("../../docs/pictures/")), "{path}");
        assert!(attributes(page, "action").iter().all(|action| action.ends_with("docs/search")), "{path}");
        for tag in ["<script", "<style", "<iframe", "<base"] {
            assert!(!page.contains(tag), "{tag} in {path}");
        }
        assert!(page.len() <= 200_000, "{path} has {} bytes", page.len());
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
}

#[test]
fn headings_go_down_one_at_a_time() {
    rendered().iter().for_each(|(path, page)| headings(path, page));
}

fn headings(path: &str, page: &str) {
    let mut level = 0;
    for (at, _) in page.match_indices("<h") {
        let Some(next) = page.as_bytes()[at + 2].checked_sub(b'0').filter(|next| (1..=6).contains(next)) else {
            continue;
        };
        assert!(next <= level + 1, "{path}: {}", page[at..].chars().take(80).collect::<String>());
        level = next;
    }
    assert_eq!(page.matches("<h1").count(), 1, "{path}");
    assert_eq!(page.matches("<main").count(), 1, "{path}");
}

/// Elements close in the order in which they open.
#[test]
fn the_markup_is_balanced() {
    rendered().iter().for_each(|(path, page)| balanced(path, page));
}

fn balanced(path: &str, page: &str) {
    let mut open = Vec::new();
    for piece in page.split('<').skip(1) {
        let name: String =
            piece.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '/').collect();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop().as_deref(), Some(closed), "{path}: at <{piece}"),
            None if ["", "meta", "link", "wbr", "input", "img", "br", "hr"].contains(&&*name) => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{path}: {open:?}");
}

#[test]
fn hostile_words_are_escaped_wherever_they_stand() {
    const HOSTILE: &str = "x\"'><script>alert(1)</script>";
    // Appends hostile text to every string of the contract and to every field name.
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
    /// Words that decide how the page is built stay unchanged.
    fn is_word(text: &str) -> bool {
        let types = ["object", "array", "string", "integer", "number", "boolean", "null"];
        types.contains(&text) || ["path", "query", "header"].contains(&text)
    }
    let mut contract = contract();
    spoil(&mut contract);
    let paths = contract["paths"].as_object_mut().unwrap();
    *paths = std::mem::take(paths).into_iter().map(|(path, item)| (format!("{path}/{HOSTILE}"), item)).collect();
    let docs = Documentation { contract, ..Documentation::default() };
    let pages: Vec<_> = docs.pages().into_iter().map(|page| docs.render(page)).collect();
    assert!(pages.iter().any(|page| page.contains("&lt;script&gt;alert(1)")));
    for page in &pages {
        assert!(!page.contains("<script"), "{}", &page[page.find("<script").unwrap_or(0)..][..200]);
        for value in attributes(page, "href").iter().chain(&attributes(page, "id")) {
            assert!(!value.contains(['<', '>', '\'', ' ']), "{value}");
        }
    }
}

/// An example must show what a value looks like.
#[test]
fn no_example_repeats_the_name_of_its_field() {
    let (mut found, mut fields) = (Vec::new(), 0);
    for (path, page) in rendered().iter().filter(|(path, _)| path.starts_with("docs/operations/")) {
        for part in page.split("<b>&quot;").skip(1) {
            let Some((name, rest)) = part.split_once("&quot;</b>: ") else { continue };
            fields += 1;
            let same = format!("<span class=\"s\">&quot;{name}&quot;</span>");
            if rest.starts_with(&same) {
                found.push(format!("{path}: {name}"));
            }
        }
    }
    assert!(fields > 500, "{fields} fields");
    assert_eq!(found, [""; 0]);
}

#[test]
fn what_is_searched_for_is_escaped_and_found() {
    let docs = documentation();
    let find = |query: &str| docs.render(search::page(docs.index(), query));
    let hostile = find("q=%3Cscript%3Ealert(1)%22");
    assert!(hostile.contains("“&lt;script&gt;alert(1)&quot;”"), "it is told");
    assert!(hostile.contains("value=\"&lt;script&gt;alert(1)&quot;\""), "and can be changed");
    for (query, path) in [
        ("q=idempotency", "docs#idempotency"),
        ("q=create+experiment", "operations/createExperiment"),
        ("q=precondition_failed", "errors"),
        ("q=peeking", "guides/methods"),
        ("q=refund_of", "operations/sendEvents"),
        ("q=traffic_allocation", "operations/updateExperiment"),
        ("q=%20EXPOSURE%20HOOK", "guides/openfeature#"),
    ] {
        let page = find(query);
        assert!(attributes(&page, "href").iter().any(|link| link.contains(path)), "{query}");
    }
    let (empty, nothing) = (find(""), find("q=zzzzzz"));
    assert!(empty.contains("Enter a word") && nothing.contains("Nothing was found"));
}

#[test]
fn the_openfeature_guide_shows_the_hooks_that_are_tested() {
    let guide = include_str!("../../../../docs/openfeature.md");
    for hook in [
        include_str!("../../../../docs/openfeature/exposure-hook.mjs"),
        include_str!("../../../../docs/openfeature/exposure_hook.py"),
    ] {
        assert!(guide.contains(hook), "docs/openfeature.md shows another hook than the one that is tested");
    }
}

#[test]
fn pages_that_are_not_there_say_so() {
    let docs = documentation();
    assert!(docs.operation("nothing").is_none() && guides::page("../x").is_none() && guides::picture("x").is_none());
    let missing = docs.missing("docs/operations/<b>");
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    assert_eq!(missing.headers()[header::CONTENT_TYPE], HTML);
    // Pages that do not exist are not stored, however many are requested.
    for number in 0..100 {
        let answer = docs.answer(&HeaderMap::new(), &format!("docs/guides/{number}"), || None);
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }
    assert!(docs.rendered.lock().unwrap().is_empty());
    let made = |times: &mut u32| {
        *times += 1;
        guides::page("results")
    };
    let mut times = 0;
    for _ in 0..2 {
        let answer = docs.answer(&HeaderMap::new(), "docs/guides/results", || made(&mut times));
        assert_eq!(answer.status(), StatusCode::OK);
    }
    assert_eq!(times, 1, "a page is made once");
}

#[test]
fn a_schema_that_holds_itself_ends() {
    let contract = json!({
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
    });
    let docs = Documentation { contract, ..Documentation::default() };
    let page: String = docs.pages().into_iter().map(|page| docs.render(page)).collect();
    assert!(page.contains("#type-Tree\"") && page.contains("id=\"type-Tree\""));
    assert!(page.contains("x-odd <code>kept</code>"), "keywords without words of their own are shown");
    assert!(page.len() < 1_000_000, "{}", page.len());
}

/// Describes how a value violates a schema: types, fields, closed lists.
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
        for side in [schema::Side::Request, schema::Side::Response] {
            let value = example::value(&schemas, &node, side);
            // Null means that the schema allows any value.
            if !value.is_null() {
                assert_eq!(misfit(&contract, &node, &value), None, "{name} {side:?}: {value:#}");
            }
        }
    }
}

#[test]
fn fields_that_examples_name_exist() {
    let contract = contract();
    for full in example::ILLUSTRATIVE.iter().chain(example::CHANGED) {
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
    check("ExperimentCreation", |json| {
        wire::experiment::creation(json).problems.first().map(|flaw| format!("{flaw:?}"))
    });
    check("ExperimentPatch", |json| {
        wire::experiment::patch(json, wire::fields::Mode::Whole).problems.first().map(|flaw| format!("{flaw:?}"))
    });
    check("GoalBody", |json| wire::goal::creation(json).err().map(|flaws| format!("{flaws:?}")));
    check("GoalPatch", |json| wire::goal::patch(json).err().map(|flaws| format!("{flaws:?}")));
    check("HypothesisBody", |json| wire::hypothesis::creation(json).err().map(|flaws| format!("{flaws:?}")));
    check("HypothesisPatch", |json| wire::hypothesis::patch(json).err().map(|flaws| format!("{flaws:?}")));
}

#[test]
fn a_page_that_is_known_is_not_sent_again() {
    // Conflicting routes would panic here.
    let _ = routes(crate::router::contract());
    let mut headers = HeaderMap::new();
    let fresh = file(&headers, HTML, "page");
    assert_eq!(fresh.status(), StatusCode::OK);
    assert_eq!(fresh.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert_eq!(fresh.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
    headers.insert(header::IF_NONE_MATCH, fresh.headers()[header::ETAG].clone());
    let known = file(&headers, HTML, "page");
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(known.headers()[header::CACHE_CONTROL], "public, max-age=300");
}
