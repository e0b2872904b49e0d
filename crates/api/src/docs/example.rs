//! Example values for a schema, and example requests as `curl` commands.

use super::html::Html;
use super::schema::{Resolved, Schemas, Side, alternatives, is_null};
use serde_json::{Map, Value, json};

/// Maximum nesting of an example value. Deeper values are left empty.
const DEPTH: usize = 10;

/// Optional fields that make an example request easier to understand.
pub(super) const ILLUSTRATIVE: &[&str] = &[
    "EventBody.test_id",
    "EventBody.variant_id",
    "VariantBody.data",
    "VariantBody.nickname",
    "ServeBody.traffic_allocation",
];

/// Fields to show in an example of a body without required fields.
pub(super) const CHANGED: &[&str] = &[
    "ExperimentPatch.tags",
    "ExperimentPatch.test_name",
    "GoalPatch.goal_name",
    "GoalPatch.window_days",
    "HypothesisBody.observation",
    "HypothesisBody.problem",
    "HypothesisBody.solution",
    "HypothesisPatch.importance",
    "HypothesisPatch.solution",
];

/// Example values that a schema does not give, by `Schema.field` or by field name alone.
fn known(field: &str) -> Option<Value> {
    Some(match field {
        "Configuration.bayesian" => json!(1),
        "Control.nickname" => json!("Original"),
        "DistributionAnswer.variants" => json!([
            { "variant_id": "0", "name": "Control", "traffic_weight": 50.0, "variant_status": "active" },
            { "variant_id": "1", "name": "Variant 1", "traffic_weight": 50.0, "variant_status": "active" },
        ]),
        "EventResult.status"
        | "EventLineTaken.status"
        | "Health.status"
        | "HealthCheck.status"
        | "RatioCheck.status"
        | "PageShare.status"
        | "PageMean.status"
        | "ChecklistItem.status" => json!("ok"),
        "Delivery.status" => json!("delivered"),
        "AnalysisResult.verdict" => json!("win"),
        "ResultAnswer.status" | "SharedResult.status" => json!("live"),
        "ErrorBody.code" => json!("invalid_field"),
        "ErrorBody.error" => json!("variants[0].name must be \"Variant 1\""),
        "ErrorBody.success" => json!(false),
        "AnalysisResult.reason" => json!("It is better than the control, at any time you look."),
        "ActorView.kind" => json!("key"),
        "ActorView.name" => json!("Release pipeline"),
        "Proposal.content_type" => json!("application/json"),
        "Proposal.note" => json!("The shorter one was asked for by support."),
        "Proposal.reason" => json!(""),
        "ChecklistItem.sentence" => json!("The script was fetched within the last day."),
        "Comment.text" => json!("The spike on Tuesday was the newsletter."),
        "Install.snippet" => {
            json!("<script src=\"https://muriel.example.com/script/prj_7Hq2ZkVt9XcRw4LmPb1NsY.js\"></script>")
        }
        "Install.async_snippet" => {
            json!("<script async src=\"https://muriel.example.com/script/prj_7Hq2ZkVt9XcRw4LmPb1NsY.js\"></script>")
        }
        "SimulatedPlan.weights" => json!([50.0, 50.0]),
        "SimulatedPlan.confidence" => json!(95.0),
        "LiveDecision.variant" => json!("Variant 1"),
        "LiveMessage.note" => json!("Only events that this server receives are shown."),
        "PreviewReport.token" => json!("…"),
        "Breakdown.dimension" => json!("device"),
        "Breakdown.value" => json!("mobile"),
        "Evaluation.key" => json!("pricing-headline"),
        "Evaluation.reason" => json!("SPLIT"),
        "Evaluation.value" | "Evaluation.variant" | "Assignment.variant" => json!("Variant 1"),
        "EvaluationMetadata.unenforced" => json!(""),
        "EventBody.id" => json!("0198c5a2-7d3e-7c11-9f60-2b8f1f0e6a54"),
        "EventBody.variant_id" => json!("1"),
        "EventsVisitor.id" => json!("visitor-1"),
        "ExperimentCreated.goal_profile_id" => json!(null),
        "ExperimentCreated.status" => json!(9),
        "ExplanationStep.check" => json!("status"),
        "ExplanationStep.detail" => json!("the experiment is live"),
        "FieldError.field" => json!("variants[0].name"),
        "FieldError.message" => json!("must be \"Variant 1\""),
        "HealthCheck.message" | "RatioCheck.message" => json!("There is enough data for a verdict."),
        "MetricResult.key" => json!("bounce_rate"),
        "MetricResult.kind" => json!("builtin"),
        "MetricResult.name" => json!("Bounce rate"),
        "MetricResult.role" => json!("guardrail"),
        "CurrencyRate.currency" | "RateSent.currency" => json!("USD"),
        "Targeting.user_rule" | "Audience.user_rule" => json!([]),
        "ShareQuery.breakdown_by" | "ShareQueryBody.breakdown_by" => json!("device"),
        "ShareQuery.epoch" | "ShareQueryBody.epoch" => json!(null),
        "Share.revoked_at" | "Share.revoked_by" => json!(null),
        "TimeRange.end" => json!("17:00"),
        "TimeRange.start" => json!("09:00"),
        "VisitorJobAnswer.status" | "VisitorJobNode.status" => json!("done"),
        "Variant.name" | "VariantBody.name" | "VariantResult.name" | "ArmShare.name" => json!("Variant 1"),
        "ServeBody.variant_id" | "WinnerServed.serving_variant_id" => json!("1"),
        "PreviewLinks.variants" => json!([
            { "variant_id": 0, "name": "Control", "preview_url": preview_url("0") },
            { "variant_id": 1, "name": "Variant 1", "preview_url": preview_url("Variant_1") },
        ]),
        "ServingStopped.is_serving" => json!(false),
        "archived" | "has_more" | "was_live" => json!(false),
        "builtin_metrics" => json!(["bounce_rate", "engagement"]),
        "company_id" => json!(12),
        "currency" => json!("EUR"),
        "completion_after_period" | "completion_conversion" | "completion_visitor" => json!(0),
        "confidence" | "difficulty" | "importance" => json!(4),
        "count" | "total" => json!(1),
        "customCSS" | "customJS" | "custom_css" | "custom_js" => json!(""),
        "data" => json!([{ "target": "#headline", "innerText": "Start free today" }]),
        "event_metrics" | "secondary_goal_keys" | "warnings" => json!([]),
        "experiment_key" => json!("pricing-headline"),
        "goal_key" | "primary_goal_key" => json!("order-completed"),
        "goal_name" => json!("Order completed"),
        "goal_profile_id" => json!(31),
        "goal_type" => json!("pageview"),
        "goal_value" => json!("/thank-you"),
        "hypothesis_id" => json!(205),
        "hypothesis_url" => json!("https://wiki.example.com/pricing-research"),
        "limit" => json!(50),
        "linked_test_ids" => json!([4711]),
        "min_count" | "epoch" => json!(1),
        "nickname" => json!("Shorter headline"),
        "observation" => json!("Most visitors leave the pricing page within ten seconds."),
        "offset" => json!(0),
        "next_offset" => json!(1),
        "problem" => json!("The headline does not say what the product does."),
        "project_key" => json!("prj_7Hq2ZkVt9XcRw4LmPb1NsY"),
        "request_id" => json!("0198c5a2-7d1e-7c3a-9b54-2f6e8a1c0d37"),
        "secondary_goals_count" => json!(0),
        "solution" => json!("Name the benefit in the headline."),
        "slug" => json!("name-the-benefit"),
        "status" => json!(1),
        "tags" => json!(["pricing"]),
        "test_id" => json!(4711),
        "test_name" => json!("Pricing headline"),
        // `Explanation.visitor` is a response field; `.visitor` is the parameter, which
        // belongs to no schema.
        "targetingKey" | "Explanation.visitor" | ".visitor" => json!("visitor-1"),
        "tz" => json!("UTC"),
        "traffic_allocation" => json!(100),
        "url" | "page_url" | "variants_data_key" => json!("https://www.example.com/pricing"),
        "weights" => json!({ "Control": 50, "Variant 1": 50 }),
        "window_days" => json!(14),
        _ => return None,
    })
}

fn preview_url(arm: &str) -> String {
    format!("https://www.example.com/pricing?test-preview=4711&test-variant={arm}&test-token=…")
}

/// Example value that the schema allows.
pub(super) fn value(schemas: &Schemas<'_>, schema: &Value, side: Side) -> Value {
    of(schemas, schema, side, "", "", 0)
}

/// Example value for a parameter, as written in a path or a query.
pub(super) fn parameter(schemas: &Schemas<'_>, name: &str, schema: &Value) -> String {
    let value = of(schemas, schema, Side::Request, "", name, 0);
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn of(schemas: &Schemas<'_>, schema: &Value, side: Side, owner: &str, field: &str, depth: usize) -> Value {
    if let Some(value) = known(&format!("{owner}.{field}")).or_else(|| known(field)) {
        return value;
    }
    let Resolved { node, name, nullable, .. } = schemas.resolve(schema);
    if depth >= DEPTH {
        return Value::Null;
    }
    let first = |key: &str| node.get(key).and_then(Value::as_array).and_then(|values| values.first());
    let given = first("examples").or(node.get("example")).or(node.get("default")).or(node.get("const"));
    if let Some(given) = given.or(first("enum")) {
        return given.clone();
    }
    if node.get("properties").is_some() {
        return object(schemas, node, name.unwrap_or_default(), side, depth);
    }
    // Null where the schema allows it and no example is known.
    if nullable && side == Side::Response {
        return Value::Null;
    }
    if let Some(part) = alternatives(node).and_then(|parts| parts.iter().find(|part| !is_null(part))) {
        return of(schemas, part, side, owner, field, depth + 1);
    }
    match type_of(node) {
        Some("array") => match node.get("items") {
            Some(items) => Value::Array(vec![of(schemas, items, side, owner, "", depth + 1)]),
            None => Value::Array(Vec::new()),
        },
        Some("object") => Value::Object(Map::new()),
        Some("boolean") => Value::Bool(true),
        Some("integer" | "number") => node.get("minimum").cloned().unwrap_or(json!(1)),
        Some("string") => Value::String(text(node, field)),
        _ => Value::Null,
    }
}

fn object(schemas: &Schemas<'_>, node: &Value, owner: &str, side: Side, depth: usize) -> Value {
    let fields = Schemas::fields(node);
    let open = !fields.iter().any(|(_, _, required)| *required);
    let mut made = Map::new();
    for (name, schema, required) in fields {
        let full = format!("{owner}.{name}");
        let chosen = match side {
            Side::Request => ILLUSTRATIVE.contains(&full.as_str()) || open && CHANGED.contains(&full.as_str()),
            // Objects that are both sent and received are complete when received.
            Side::Response => open,
        };
        if !required && !chosen {
            continue;
        }
        let Resolved { node, nullable, .. } = schemas.resolve(schema);
        // Complete in a response, but with optional values unset.
        let unset = open && side == Side::Response && known(&full).is_none();
        let value = match type_of(node) {
            _ if unset && nullable => Value::Null,
            Some("array") if unset => Value::Array(Vec::new()),
            _ => of(schemas, schema, side, owner, name, depth + 1),
        };
        made.insert(name.to_owned(), value);
    }
    Value::Object(made)
}

fn text(node: &Value, field: &str) -> String {
    let format = node.get("format").and_then(Value::as_str);
    match field {
        _ if format == Some("date-time") => "2026-03-02T09:30:00.000Z".to_owned(),
        _ if format == Some("date") => "2026-03-02".to_owned(),
        _ if format == Some("uri") || field.ends_with("url") => "https://www.example.com/".to_owned(),
        "" => "text".to_owned(),
        _ => field.replace('_', " "),
    }
}

fn type_of(node: &Value) -> Option<&str> {
    match node.get("type")? {
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        name => name.as_str(),
    }
}

/// Example request as a `curl` command.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    /// Path and query, with the parameters filled in.
    pub(super) target: String,
    pub(super) has_key: bool,
    pub(super) content_type: &'a str,
    pub(super) body: Option<Value>,
}

impl Request<'_> {
    /// Writes the command. Server, project and key are shell variables, so the command can
    /// be pasted as it is.
    pub(super) fn write(&self, html: &mut Html) {
        html.tag("curl ");
        if self.method != "GET" {
            html.tag("-X ").text(self.method).tag(" \\\n  ");
        }
        html.tag("<span class=\"s\">&quot;$MURIEL_URL").text(&self.target).tag("&quot;</span>");
        if self.has_key {
            html.tag(" \\\n  -H <span class=\"s\">&quot;Authorization: Bearer $MURIEL_KEY&quot;</span>");
        }
        if let Some(body) = &self.body {
            html.tag(" \\\n  -H <span class=\"s\">&quot;Content-Type: ").text(self.content_type);
            html.tag("&quot;</span> \\\n  -d &#39;");
            Json { shell: true }.write_body(html, self.content_type, body);
            html.tag("&#39;");
        }
    }
}

/// Writes indented JSON, with names and strings highlighted.
pub(super) fn json(html: &mut Html, value: &Value) {
    Json { shell: false }.write(html, value, 0);
}

/// Writes a response body.
pub(super) fn body(html: &mut Html, media_type: &str, value: &Value) {
    Json { shell: false }.write_body(html, media_type, value);
}

struct Json {
    /// True when the JSON is within single quotes of a shell command.
    shell: bool,
}

impl Json {
    fn write(&self, html: &mut Html, value: &Value, depth: usize) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                html.tag("{\n");
                for (at, (name, value)) in fields.iter().enumerate() {
                    html.tag(if at == 0 { "" } else { ",\n" });
                    indent(html, depth + 1);
                    html.tag("<b>").text(&self.quoted(&Value::from(name.as_str()))).tag("</b>: ");
                    self.write(html, value, depth + 1);
                }
                html.tag("\n");
                indent(html, depth);
                html.tag("}");
            }
            Value::Array(entries) => {
                html.tag("[");
                for (at, entry) in entries.iter().enumerate() {
                    html.tag(if at == 0 { "" } else { ", " });
                    self.write(html, entry, depth);
                }
                html.tag("]");
            }
            Value::String(_) => _ = html.tag("<span class=\"s\">").text(&self.quoted(value)).tag("</span>"),
            other => _ = html.text(&other.to_string()),
        }
    }

    /// JSON lines are a list with one entry per line.
    fn write_body(&self, html: &mut Html, media_type: &str, value: &Value) {
        match value {
            Value::Array(lines) if media_type == "application/x-ndjson" => {
                for (at, line) in lines.iter().enumerate() {
                    html.tag(if at == 0 { "" } else { "\n" }).text(&self.quoted(line));
                }
            }
            value => self.write(html, value, 0),
        }
    }

    fn quoted(&self, text: &Value) -> String {
        let text = text.to_string();
        if self.shell { text.replace('\'', r"'\''") } else { text }
    }
}

fn indent(html: &mut Html, depth: usize) {
    for _ in 0..depth {
        html.tag("  ");
    }
}
