//! The page: what holds for all requests, each operation, each type, each error.

use super::example::{self, Request};
use super::html::{Html, id};
use super::schema::{Schemas, Side};
use crate::error::CODES;
use muriel_domain::access::Scope;
use serde_json::Value;

/// The methods that a path can have, with the class of their mark.
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

/// Examples can be longer than their box, and are scrolled with the keyboard too.
const REQUEST: &str = "<pre tabindex=\"0\" role=\"group\" aria-label=\"Example request\"><code>";
const ANSWER: &str = "<pre tabindex=\"0\" role=\"group\" aria-label=\"Example answer\"><code>";

/// Id, title, and what it says.
type Chapter = (&'static str, &'static str, fn(&mut Html));

/// What comes before the operations.
const CHAPTERS: &[Chapter] = &[
    ("authentication", "Authentication", authentication),
    ("requests", "Requests and answers", requests),
    ("versions", "Changing without overwriting", versions),
    ("idempotency", "Sending again safely", idempotency),
    ("paging", "Lists and paging", paging),
    ("limits", "Rate limits", limits),
];

/// An operation where it stands in the contract.
struct Operation<'a> {
    id: String,
    title: String,
    mark: &'static str,
    method: String,
    path: &'a str,
    item: &'a Value,
    node: &'a Value,
}

/// The whole page, from a contract in OpenAPI 3.1. `style` is where its style sheet is.
pub(super) fn render(contract: &Value, style: &str) -> String {
    let mut schemas = Schemas::of(contract);
    let tags = operations(contract);
    let mut chapters = Html::default();
    for (anchor, title, write) in CHAPTERS {
        chapter(&mut chapters, anchor, title);
        write(&mut chapters);
        chapters.tag("</section>");
    }
    for (tag, operations) in &tags {
        chapter(&mut chapters, &format!("tag-{}", id(tag)), tag);
        if let Some(description) = tag_description(contract, tag) {
            chapters.tag("<p>").prose(description).tag("</p>");
        }
        for one in operations {
            operation(&mut chapters, &mut schemas, one);
        }
        chapters.tag("</section>");
    }
    errors(&mut chapters, &mut schemas, contract);
    let types = schemas.types();
    if !types.is_empty() {
        chapter(&mut chapters, "types", "Types");
        chapters.tag("<p>Objects that are nested deeper in the bodies above.</p>");
        types.values().for_each(|entry| _ = chapters.piece(entry));
        chapters.tag("</section>");
    }

    let info = |field: &str| contract.pointer(&format!("/info/{field}")).and_then(Value::as_str).unwrap_or_default();
    let mut page = Html::default();
    page.tag("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    page.text(info("title")).tag(" API reference</title>");
    page.tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.tag("<meta name=\"color-scheme\" content=\"light dark\">");
    page.tag("<link rel=\"icon\" type=\"image/svg+xml\" href=\"docs/icon.svg\"><link rel=\"stylesheet\" href=\"");
    page.text(style).tag("\"></head><body><a class=\"skip\" href=\"#content\">Skip to content</a>");
    let contents = contents(&tags, !types.is_empty());
    page.tag("<nav class=\"side\" aria-label=\"Contents\"><p class=\"brand\"><a href=\"#content\">")
        .text(info("title"));
    page.tag("</a></p>").piece(&contents).tag("</nav><main id=\"content\"><header><h1>").text(info("title"));
    page.tag(" API</h1><p class=\"version\">Version ").text(info("version"));
    page.tag(" · <a href=\"openapi.json\">OpenAPI 3.1 document</a></p>");
    for paragraph in info("description").split("\n\n") {
        page.tag("<p class=\"lead\">").prose(paragraph).tag("</p>");
    }
    page.tag(
        "</header><nav class=\"top\" id=\"contents\" aria-label=\"Contents\"><details><summary>Contents</summary>",
    );
    page.piece(&contents).tag("</details></nav>").piece(&chapters);
    page.tag("<a class=\"up\" href=\"#contents\">Contents</a></main></body></html>\n");
    page.into_string()
}

fn chapter(html: &mut Html, anchor: &str, title: &str) {
    html.tag("<section class=\"chapter\" id=\"").text(anchor).tag("\"><h2><a href=\"#").text(anchor).tag("\">");
    html.text(title).tag("</a></h2>");
}

fn contents(tags: &[(&str, Vec<Operation<'_>>)], with_types: bool) -> Html {
    let mut html = Html::default();
    html.tag("<ul><li><span>Basics</span><ul>");
    for (anchor, title, _) in CHAPTERS {
        html.tag("<li><a href=\"#").tag(anchor).tag("\">").tag(title).tag("</a></li>");
    }
    html.tag("</ul></li>");
    for (tag, operations) in tags {
        html.tag("<li><a href=\"#tag-").text(&id(tag)).tag("\">").text(tag).tag("</a><ul>");
        for one in operations {
            html.tag("<li><a href=\"#").text(&one.id).tag("\">").tag(one.mark).tag(" ").text(&one.title);
            html.tag("</a></li>");
        }
        html.tag("</ul></li>");
    }
    html.tag("<li><a href=\"#errors\">Errors</a></li>");
    html.tag(if with_types { "<li><a href=\"#types\">Types</a></li></ul>" } else { "</ul>" });
    html
}

/// The operations by tag, each tag where the contract has it first.
fn operations(contract: &Value) -> Vec<(&str, Vec<Operation<'_>>)> {
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

/// As one meets them: find or make one, look at it, change it, delete it.
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

/// `getPreviewUrls` as `Get preview URLs`.
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

fn tag_description<'a>(contract: &'a Value, tag: &str) -> Option<&'a str> {
    let tags = contract.get("tags")?.as_array()?;
    tags.iter().find(|one| one.get("name").is_some_and(|name| name == tag))?.get("description")?.as_str()
}

fn operation<'a>(html: &mut Html, schemas: &mut Schemas<'a>, one: &Operation<'a>) {
    html.tag("<section class=\"operation\" id=\"").text(&one.id).tag("\"><h3><a href=\"#").text(&one.id).tag("\">");
    html.text(&one.title).tag("</a>");
    if one.node.get("deprecated").is_some_and(|value| value == true) {
        html.tag(" <span class=\"required\">deprecated</span>");
    }
    html.tag("</h3><p class=\"route\">").tag(one.mark).tag(" <code>");
    route(html, one.path);
    html.tag("</code></p><div class=\"columns\"><div class=\"facts\">");
    for field in ["summary", "description"] {
        for paragraph in one.node.get(field).and_then(Value::as_str).into_iter().flat_map(|text| text.split("\n\n")) {
            html.tag("<p>").prose(paragraph).tag("</p>");
        }
    }
    html.tag("<p class=\"about\">");
    if is_public(one) {
        html.tag("No API key · ");
    } else if let Some(scope) = one.node.get("x-scope").and_then(Value::as_str) {
        html.tag("Scope <a href=\"#authentication\">").code(scope).tag("</a> · ");
    }
    html.tag("Operation <code>").text(one.node.get("operationId").and_then(Value::as_str).unwrap_or(&one.id));
    html.tag("</code></p>");
    let parameters = parameters(one);
    parameter_table(html, schemas, &parameters);
    body(html, schemas, one);
    answers(html, schemas, one);
    error_list(html, one);
    html.tag("</div><div class=\"examples\">");
    examples(html, schemas, one, &parameters);
    html.tag("</div></div></section>");
}

/// Whether it needs no key.
fn is_public(one: &Operation<'_>) -> bool {
    one.node.get("security").and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// The path with its parameters marked, and places where it may break.
fn route(html: &mut Html, path: &str) {
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

/// Those of the path first, as they stand in it; then query, then header fields.
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

fn parameter_table<'a>(html: &mut Html, schemas: &Schemas<'a>, parameters: &[&'a Value]) {
    if parameters.is_empty() {
        return;
    }
    html.tag("<h4>Parameters</h4><table class=\"parameters\"><thead><tr><th scope=\"col\">Name</th>");
    html.tag("<th scope=\"col\">Where</th><th scope=\"col\">Type</th><th scope=\"col\">Required</th>");
    html.tag("<th scope=\"col\">Description</th></tr></thead><tbody>");
    for parameter in parameters {
        html.tag("<tr><th scope=\"row\"><code class=\"name\">").text(name(parameter)).tag("</code></th><td>");
        html.text(place(parameter)).tag("</td><td class=\"type\">");
        if let Some(schema) = parameter.get("schema") {
            schemas.type_words(html, schema, 0);
        }
        html.tag(if is_required(parameter) {
            "</td><td><span class=\"required\">required</span></td><td>"
        } else {
            "</td><td class=\"no\">no</td><td>"
        });
        if let Some(description) = parameter.get("description").and_then(Value::as_str) {
            html.tag("<p>").prose(description).tag("</p>");
        }
        if let Some(schema) = parameter.get("schema") {
            schemas.constraints(html, schema);
        }
        html.tag("</td></tr>");
    }
    html.tag("</tbody></table>");
}

fn body<'a>(html: &mut Html, schemas: &mut Schemas<'a>, one: &Operation<'a>) {
    let Some(body) = one.node.get("requestBody") else { return };
    html.tag("<h4>Body</h4>");
    if let Some(description) = body.get("description").and_then(Value::as_str) {
        html.tag("<p>").prose(description).tag("</p>");
    }
    contents_of(html, schemas, body, Side::Request);
}

/// What a body can be, by media type.
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
    html.tag("<h4>Answer</h4>");
    for (status, response) in responses(one).filter(|(status, _)| !is_error(status)) {
        html.tag("<p><span class=\"status\">").text(status).tag("</span> ");
        html.prose(response.get("description").and_then(Value::as_str).unwrap_or_default()).tag("</p>");
        for (header, node) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
            html.tag("<p class=\"limits\">Header ").code(header).tag(" ");
            html.prose(node.get("description").and_then(Value::as_str).unwrap_or_default()).tag("</p>");
        }
        contents_of(html, schemas, response, Side::Answer);
    }
}

fn error_list(html: &mut Html, one: &Operation<'_>) {
    let failed: Vec<_> = responses(one).filter(|(status, _)| is_error(status)).collect();
    if failed.is_empty() {
        return;
    }
    html.tag("<h4>Errors</h4><details class=\"errors\"><summary>");
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
            html.tag(" <a href=\"#error-").tag(code).tag("\"><code>").tag(code).tag("</code></a>");
        }
        html.tag("</li>");
    }
    html.tag("</ul></details>");
}

fn examples<'a>(html: &mut Html, schemas: &Schemas<'a>, one: &Operation<'a>, parameters: &[&'a Value]) {
    let (mut path, mut query) = (one.path.to_owned(), String::new());
    for parameter in parameters {
        let text = || {
            let schema = parameter.get("schema").unwrap_or(&Value::Null);
            encoded(&example::parameter(schemas, name(parameter), schema))
        };
        match place(parameter) {
            "path" => path = path.replace(&format!("{{{}}}", name(parameter)), &text()),
            // The page size tells the reader that there are pages.
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
        target: unquoted(&path) + &query,
        has_key: !is_public(one),
        content_type: content.map_or("", |(media_type, _)| media_type),
        body: content.map(|(_, schema)| example::value(schemas, schema, Side::Request)),
    };
    html.tag("<h4>Example</h4>").tag(REQUEST);
    request.write(html);
    html.tag("</code></pre>");
    let answer = responses(one).filter(|(status, _)| !is_error(status));
    for (status, schema) in answer.filter_map(|(status, node)| Some((status, first_content(Some(node))?.1))) {
        html.tag("<p class=\"after\"><span class=\"status\">").text(status).tag("</span> Answer</p>");
        html.tag(ANSWER);
        example::json(html, &example::value(schemas, schema, Side::Answer));
        html.tag("</code></pre>");
    }
}

fn first_content(node: Option<&Value>) -> Option<(&str, &Value)> {
    let (media_type, content) = node?.get("content")?.as_object()?.iter().next()?;
    Some((media_type, content.get("schema")?))
}

/// A value as it stands in a URL.
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

/// A path without what a shell reads between double quotes.
fn unquoted(path: &str) -> String {
    path.chars().filter(|letter| !matches!(letter, '"' | '$' | '`' | '\\' | '!')).collect()
}

fn errors<'a>(html: &mut Html, schemas: &mut Schemas<'a>, contract: &'a Value) {
    chapter(html, "errors", "Errors");
    html.tag("<div class=\"columns\"><div class=\"facts\">");
    html.tag("<p>Every error has one body. <code>error</code> is a sentence for a person and can change; programs ");
    html.tag("look at <code>code</code>, which is one of the list below. Of invalid input <code>errors</code> lists ");
    html.tag("everything that was found, not just the first, each with its place.</p>");
    if let Some(body) = contract.pointer("/components/schemas/ErrorBody") {
        schemas.body(html, body, Side::Answer);
    }
    if let Some(body) = contract.pointer("/components/schemas/EvaluationFailure") {
        html.tag(
            "<p>The OpenFeature operations answer in the words of their protocol; what stops a request before it ",
        );
        html.tag("reaches them has the body above.</p>");
        schemas.body(html, body, Side::Answer);
    }
    html.tag("</div><div class=\"examples\"><p class=\"after\"><span class=\"status\">400</span> Answer</p>");
    html.tag(ANSWER);
    let body = serde_json::json!({ "$ref": "#/components/schemas/ErrorBody" });
    example::json(html, &example::value(schemas, &body, Side::Answer));
    html.tag("</code></pre></div></div><h3 id=\"codes\"><a href=\"#codes\">Codes</a></h3>");
    html.tag("<table class=\"codes\"><thead><tr><th scope=\"col\">Code</th><th scope=\"col\">Status</th>");
    html.tag("<th scope=\"col\">Meaning</th></tr></thead><tbody>");
    for (code, status, meaning) in CODES {
        html.tag("<tr id=\"error-").tag(code).tag("\"><th scope=\"row\"><code>").tag(code).tag("</code></th><td>");
        html.text(&status.to_string()).tag("</td><td>").prose(meaning).tag("</td></tr>");
    }
    html.tag("</tbody></table></section>");
}

fn authentication(html: &mut Html) {
    html.tag("<div class=\"columns\"><div class=\"facts\">");
    html.tag(
        "<p>Each request carries an API key as <code>Authorization: Bearer &lt;key&gt;</code>. A key belongs to a ",
    );
    html.tag("company and works for its projects; one that is limited to some projects sees the others as unknown. ");
    html.tag("Keys are never read from a path or a query. Without a good key the answer is 401. The OpenFeature ");
    html.tag("operations take it as <code>X-API-Key: &lt;key&gt;</code> too; what visitors fetch needs none.</p>");
    html.tag("<p>The examples take the server and the key from two variables of the shell. A key carries scopes, and ");
    html.tag("each operation names the one it needs:</p><dl class=\"scopes\">");
    for scope in Scope::ALL {
        html.tag("<dt>").code(scope.name()).tag("</dt><dd>").text(allows(scope)).tag("</dd>");
    }
    html.tag("</dl></div><div class=\"examples\">").tag(REQUEST);
    html.tag("export MURIEL_URL=<span class=\"s\">https://muriel.example.com</span>\n");
    html.tag("export MURIEL_KEY=<span class=\"s\">mrl_…</span>\n\n");
    let target = "/v2/project/shop/experiments?limit=50".to_owned();
    Request { method: "GET", target, has_key: true, content_type: "", body: None }.write(html);
    html.tag("</code></pre></div></div>");
}

fn allows(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "Read experiments, hypotheses, goals and results.",
        Scope::Write => "Create, change and delete them; send events from servers.",
        Scope::Code => "Change code and HTML that run on customers' pages, besides write.",
        Scope::Evaluate => "Ask for decisions.",
        Scope::Admin => "Manage keys and projects.",
    }
}

fn requests(html: &mut Html) {
    html.tag("<p>Bodies are JSON of at most 2 MiB, nested at most 32 levels deep, and named by ");
    html.tag("<code>Content-Type: application/json</code>. An unknown field is an error that names the nearest known ");
    html.tag("one; unknown query parameters are ignored. A change is applied whole or not at all.</p>");
    html.tag("<p>A <code>PATCH</code> changes only the fields that are sent, and a field that is sent takes its new ");
    html.tag(
        "value whole. Sent to an experiment as <code>application/merge-patch+json</code>, objects merge (RFC 7396), ",
    );
    html.tag("so that one key of them can be changed alone, and null returns it to its default.</p>");
    html.tag(
        "<p>Moments are in UTC with milliseconds, as <code>2026-03-02T09:30:00.000Z</code>. Ids are integers below ",
    );
    html.tag(
        "2<sup>53</sup> and never used again. Every answer has an <code>X-Request-Id</code>: quote it when you ask ",
    );
    html.tag("for help.</p>");
}

fn versions(html: &mut Html) {
    html.tag(
        "<p>Reading or updating an experiment answers with a strong <code>ETag</code>, which changes with anything in ",
    );
    html.tag("its details. Send it back as <code>If-Match</code>, and the change is made only if nobody changed the ");
    html.tag("experiment meanwhile; otherwise the answer is 412, ");
    html.tag("<a href=\"#error-precondition_failed\"><code>precondition_failed</code></a>: read again, then decide. ");
    html.tag("Without <code>If-Match</code> the last write wins. With <code>If-None-Match</code> a read of what you ");
    html.tag("have already is a 304 without a body.</p>");
}

fn idempotency(html: &mut Html) {
    html.tag(
        "<p>When an answer to a <code>POST</code> is lost, nobody knows whether it was done. Give each intention an ",
    );
    html.tag(
        "<code>Idempotency-Key</code> of its own, 1 to 255 printable ASCII characters, such as a fresh UUID, and ",
    );
    html.tag("send it along again with every retry. For 24 hours the same key, operation and body get the first good ");
    html.tag(
        "answer once more, marked <code>Idempotent-Replayed: true</code>, and nothing is done twice. Another body ",
    );
    html.tag("under the same key is 409, ");
    html.tag("<a href=\"#error-idempotency_key_reused\"><code>idempotency_key_reused</code></a>.</p>");
}

fn paging(html: &mut Html) {
    html.tag("<p>Lists take <code>limit</code> and <code>offset</code>. A <code>limit</code> over the maximum counts as the ");
    html.tag("maximum; zero, negative numbers, what is no integer and parameters given twice are 400, ");
    html.tag(
        "<a href=\"#error-invalid_parameter\"><code>invalid_parameter</code></a>. <code>count</code> is the number of ",
    );
    html.tag(
        "entries in the page: move <code>offset</code> on by it until a page is empty. Lists of hypotheses also tell ",
    );
    html.tag("<code>total</code>, <code>has_more</code> and <code>next_offset</code>.</p>");
}

fn limits(html: &mut Html) {
    html.tag(
        "<p>Requests are limited per key and per network: unless the server is set up otherwise, 1,000 a second per ",
    );
    html.tag(
        "key with bursts of 5,000. The <code>RateLimit-Policy</code> and <code>RateLimit</code> header fields tell ",
    );
    html.tag("the limit and what is left of it. Beyond it the answer is 429, ");
    html.tag("<a href=\"#error-rate_limited\"><code>rate_limited</code></a>, with the seconds to wait in ");
    html.tag("<code>Retry-After</code>; a 503 has that too.</p>");
}
