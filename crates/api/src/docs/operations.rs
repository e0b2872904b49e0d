//! Pages of the contract's operations.

use super::example::{self, Request};
use super::html::{Html, id};
use super::schema::{Schemas, Side};
use crate::error::CODES;
use serde_json::Value;

/// HTTP methods that a path can have, with their markup.
const METHODS: &[(&str, &str)] = &[
    ("get", "<span class=\"method get\">GET</span>"),
    ("post", "<span class=\"method post\">POST</span>"),
    ("put", "<span class=\"method put\">PUT</span>"),
    ("patch", "<span class=\"method patch\">PATCH</span>"),
    ("delete", "<span class=\"method delete\">DELETE</span>"),
    ("head", "<span class=\"method get\">HEAD</span>"),
    ("options", "<span class=\"method get\">OPTIONS</span>"),
    ("trace", "<span class=\"method get\">TRACE</span>"),
];

/// Examples can be longer than their box; `tabindex` makes them scrollable with
/// the keyboard.
pub(super) const REQUEST: &str = "<pre tabindex=\"0\" role=\"group\" aria-label=\"Example request\"><code>";
pub(super) const ANSWER: &str = "<pre tabindex=\"0\" role=\"group\" aria-label=\"Example answer\"><code>";

/// Operation of the contract.
pub(super) struct Operation<'a> {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) mark: &'static str,
    method: String,
    pub(super) path: &'a str,
    item: &'a Value,
    node: &'a Value,
}

impl<'a> Operation<'a> {
    /// Writes the content of the operation's page.
    pub(super) fn write(&self, html: &mut Html, schemas: &mut Schemas<'a>) {
        operation(html, schemas, self);
    }

    /// Summary of the operation, one sentence.
    pub(super) fn summary(&self) -> &'a str {
        self.node.get("summary").and_then(Value::as_str).unwrap_or_default()
    }
}

/// Operations by tag, with tags in the order of their first use in the contract.
pub(super) fn by_tag(contract: &Value) -> Vec<(&str, Vec<Operation<'_>>)> {
    let mut tags: Vec<(&str, Vec<Operation<'_>>)> = Vec::new();
    for (path, item) in contract.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for (method, mark) in METHODS {
            let Some(node) = item.get(*method) else { continue };
            let name = node.get("operationId").and_then(Value::as_str);
            let name = name.map_or_else(|| format!("{method} {path}"), str::to_owned);
            let tag = node.pointer("/tags/0").and_then(Value::as_str).unwrap_or("Other");
            let one = Operation {
                id: id(&name),
                title: words(&name),
                mark,
                method: method.to_ascii_uppercase(),
                path,
                item,
                node,
            };
            match tags.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, operations)) => operations.push(one),
                None => tags.push((tag, vec![one])),
            }
        }
    }
    for (_, operations) in &mut tags {
        operations.sort_by_key(order);
    }
    tags
}

/// Sort key for reading order: list or create, then get one, change it, delete
/// it.
fn order(one: &Operation<'_>) -> (usize, usize, String) {
    let of_one = one.path.matches('{').count() > 1;
    let rank = match (one.method.as_str(), of_one) {
        ("GET", false) => 0,
        ("POST", false) => 1,
        ("GET", true) => 2,
        ("POST", true) => 3,
        ("DELETE", _) => 5,
        _ => 4,
    };
    (rank, one.path.matches('/').count(), one.path.to_owned())
}

/// Converts `getPreviewUrls` to `Get preview URLs`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        match letter {
            _ if words.is_empty() => words.extend(letter.to_uppercase()),
            _ if letter.is_uppercase() => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            _ => words.push(letter),
        }
    }
    words.replace(" urls", " URLs")
}

pub(super) fn tag_description<'a>(contract: &'a Value, tag: &str) -> Option<&'a str> {
    let tags = contract.get("tags")?.as_array()?;
    tags.iter().find(|one| one.get("name").is_some_and(|name| name == tag))?.get("description")?.as_str()
}

fn operation<'a>(html: &mut Html, schemas: &mut Schemas<'a>, one: &Operation<'a>) {
    html.tag("<header><h1 id=\"").text(&one.id).tag("\">").text(&one.title);
    if one.node.get("deprecated").is_some_and(|value| value == true) {
        html.tag(" <span class=\"required\">deprecated</span>");
    }
    html.tag("</h1><p class=\"route\">").tag(one.mark).tag(" <code>");
    route(html, one.path);
    html.tag("</code></p></header><div class=\"columns\"><div class=\"facts\">");
    for field in ["summary", "description"] {
        for paragraph in one.node.get(field).and_then(Value::as_str).into_iter().flat_map(|text| text.split("\n\n")) {
            html.tag("<p>").prose(paragraph).tag("</p>");
        }
    }
    html.tag("<p class=\"about\">");
    if is_public(one) {
        html.tag("No API key · ");
    } else if let Some(scope) = one.node.get("x-scope").and_then(Value::as_str) {
        html.tag("Scope <a href=\"site:docs#authentication\">").code(scope).tag("</a> · ");
    }
    html.tag("Operation <code>").text(one.node.get("operationId").and_then(Value::as_str).unwrap_or(&one.id));
    html.tag("</code></p>");
    let parameters = parameters(one);
    parameter_list(html, schemas, &parameters);
    body(html, schemas, one);
    answers(html, schemas, one);
    error_list(html, one);
    html.tag("</div><div class=\"examples\">");
    examples(html, schemas, one, &parameters);
    html.tag("</div></div>");
}

/// Returns whether the operation needs no key.
fn is_public(one: &Operation<'_>) -> bool {
    one.node.get("security").and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// Writes the path with its parameters marked and with line break opportunities.
pub(super) fn route(html: &mut Html, path: &str) {
    for (at, part) in path.split('/').enumerate() {
        html.tag(if at == 0 { "" } else { "<wbr>/" });
        match part.find('}') {
            Some(end) if part.starts_with('{') => {
                let (parameter, ending) = part.split_at(end + 1);
                html.tag("<var>").text(parameter).tag("</var>").text(ending);
            }
            _ => {
                html.text(part);
            }
        }
    }
}

/// Parameters: those of the path first, in their order there; then query, then
/// header fields.
fn parameters<'a>(one: &Operation<'a>) -> Vec<&'a Value> {
    let of = |node: &'a Value| node.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let mut all: Vec<&Value> = of(one.item).chain(of(one.node)).collect();
    all.sort_by_key(|parameter| match place(parameter) {
        "path" => (0, one.path.find(&format!("{{{}}}", name(parameter)))),
        "query" => (1, None),
        "header" => (2, None),
        _ => (3, None),
    });
    all
}

fn name(parameter: &Value) -> &str {
    parameter.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn place(parameter: &Value) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or_default()
}

fn is_required(node: &Value) -> bool {
    node.get("required").is_some_and(|value| value == true)
}

fn parameter_list<'a>(html: &mut Html, schemas: &Schemas<'a>, parameters: &[&'a Value]) {
    if parameters.is_empty() {
        return;
    }
    html.tag("<h2>Parameters</h2><ul class=\"fields\">");
    for parameter in parameters {
        html.tag("<li><div class=\"field\"><code class=\"name\">")
            .text(name(parameter))
            .tag("</code> <span class=\"type\">");
        if let Some(schema) = parameter.get("schema") {
            schemas.type_words(html, schema, 0);
        }
        html.tag(" in the ").text(place(parameter)).tag("</span>");
        if is_required(parameter) {
            html.tag(" <span class=\"required\">required</span>");
        }
        html.tag("</div>");
        if let Some(description) = parameter.get("description").and_then(Value::as_str) {
            html.tag("<p>").prose(description).tag("</p>");
        }
        if let Some(schema) = parameter.get("schema") {
            schemas.constraints(html, schema);
        }
        html.tag("</li>");
    }
    html.tag("</ul>");
}

fn body<'a>(html: &mut Html, schemas: &mut Schemas<'a>, one: &Operation<'a>) {
    let Some(body) = one.node.get("requestBody") else { return };
    html.tag("<h2>Body</h2>");
    if let Some(description) = body.get("description").and_then(Value::as_str) {
        html.tag("<p>").prose(description).tag("</p>");
    }
    contents_of(html, schemas, body, Side::Request);
}

/// Writes the body's schemas, by media type.
fn contents_of<'a>(html: &mut Html, schemas: &mut Schemas<'a>, node: &'a Value, side: Side) {
    let Some(contents) = node.get("content").and_then(Value::as_object) else { return };
    for (media_type, content) in contents {
        if contents.len() > 1 || media_type != "application/json" {
            html.tag("<p class=\"media\">").code(media_type).tag("</p>");
        }
        if let Some(schema) = content.get("schema") {
            schemas.body(html, schema, side);
        }
    }
}

fn responses<'a>(one: &Operation<'a>) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let all = one.node.get("responses").and_then(Value::as_object).into_iter().flatten();
    all.map(|(status, response)| (status.as_str(), response))
}

fn is_error(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

fn answers<'a>(html: &mut Html, schemas: &mut Schemas<'a>, one: &Operation<'a>) {
    html.tag("<h2>Answer</h2>");
    for (status, response) in responses(one).filter(|(status, _)| !is_error(status)) {
        html.tag("<p><span class=\"status\">").text(status).tag("</span> ");
        html.prose(response.get("description").and_then(Value::as_str).unwrap_or_default()).tag("</p>");
        for (header, node) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
            html.tag("<p class=\"limits\">Header ").code(header).tag(" ");
            html.prose(node.get("description").and_then(Value::as_str).unwrap_or_default()).tag("</p>");
        }
        contents_of(html, schemas, response, Side::Response);
    }
}

fn error_list(html: &mut Html, one: &Operation<'_>) {
    let failed: Vec<_> = responses(one).filter(|(status, _)| is_error(status)).collect();
    if failed.is_empty() {
        return;
    }
    html.tag("<h2>Errors</h2><details class=\"errors\"><summary>");
    for (at, (status, _)) in failed.iter().enumerate() {
        html.tag(if at == 0 { "" } else { " " }).text(status);
    }
    html.tag("</summary><ul>");
    for (status, response) in failed {
        html.tag("<li><span class=\"status\">").text(status).tag("</span>");
        let mut codes = CODES.iter().filter(|(_, of, _)| of.to_string() == status).peekable();
        if codes.peek().is_none() {
            html.tag(" ").prose(response.get("description").and_then(Value::as_str).unwrap_or_default());
        }
        for (code, ..) in codes {
            html.tag(" <a href=\"site:docs/errors#error-").tag(code).tag("\"><code>").tag(code).tag("</code></a>");
        }
        html.tag("</li>");
    }
    html.tag("</ul></details>");
}

/// Path parameter that is a shell variable in examples, because every reader has
/// their own value.
const PROJECT: &str = "project_key";

fn examples<'a>(html: &mut Html, schemas: &Schemas<'a>, one: &Operation<'a>, parameters: &[&'a Value]) {
    let (mut path, mut query) = (one.path.to_owned(), String::new());
    for parameter in parameters {
        let text = || {
            let schema = parameter.get("schema").unwrap_or(&Value::Null);
            encoded(&example::parameter(schemas, name(parameter), schema))
        };
        match place(parameter) {
            "path" if name(parameter) == PROJECT => {}
            "path" => path = path.replace(&format!("{{{}}}", name(parameter)), &text()),
            // `limit` shows the reader that the list has pages.
            "query" if is_required(parameter) || name(parameter) == "limit" => {
                query.push(if query.is_empty() { '?' } else { '&' });
                query += &format!("{}={}", encoded(name(parameter)), text());
            }
            _ => {}
        }
    }
    let content = first_content(one.node.get("requestBody"));
    let request = Request {
        method: &one.method,
        // A shell variable, so that the copied command works.
        target: unquoted(&path).replace(&format!("{{{PROJECT}}}"), "$MURIEL_PROJECT") + &query,
        has_key: !is_public(one),
        content_type: content.map_or("", |(media_type, _)| media_type),
        body: content.map(|(_, schema)| example::value(schemas, schema, Side::Request)),
    };
    html.tag("<h2>Example</h2>").tag(REQUEST);
    request.write(html);
    html.tag("</code></pre>");
    let answer = responses(one).filter(|(status, _)| !is_error(status));
    let answer = answer.filter_map(|(status, node)| Some((status, first_content(Some(node))?)));
    for (status, (media_type, schema)) in answer {
        html.tag("<p class=\"after\"><span class=\"status\">").text(status).tag("</span> Answer</p>");
        html.tag(ANSWER);
        example::body(html, media_type, &example::value(schemas, schema, Side::Response));
        html.tag("</code></pre>");
    }
}

fn first_content(node: Option<&Value>) -> Option<(&str, &Value)> {
    let (media_type, content) = node?.get("content")?.as_object()?.iter().next()?;
    Some((media_type, content.get("schema")?))
}

/// Percent-encodes a value for a URL.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

/// Removes the characters that a shell interprets within double quotes.
fn unquoted(path: &str) -> String {
    path.chars().filter(|letter| !matches!(letter, '"' | '$' | '`' | '\\' | '!')).collect()
}
