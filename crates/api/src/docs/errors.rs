//! Pages of error codes and of types.

use super::example;
use super::html::Html;
use super::operations::{ANSWER, Operation};
use super::schema::{Schemas, Side};
use crate::error::CODES;
use serde_json::Value;

/// Writes every error code with its status and meaning.
pub(super) fn errors<'a>(html: &mut Html, schemas: &mut Schemas<'a>, contract: &'a Value) {
    html.tag("<header><h1>Errors</h1></header><div class=\"columns\"><div class=\"facts\">");
    html.tag("<p>All errors have the same body. <code>error</code> is a sentence for people, and its wording can ");
    html.tag("change. Programs use <code>code</code>, which is one of the list below. For invalid input, ");
    html.tag("<code>errors</code> lists every problem that was found, with its field.</p>");
    if let Some(body) = contract.pointer("/components/schemas/ErrorBody") {
        schemas.body(html, body, Side::Response);
    }
    if let Some(body) = contract.pointer("/components/schemas/EvaluationFailure") {
        html.tag("<p>The OpenFeature operations have the error body of their protocol. Errors that occur before a ");
        html.tag("request reaches them have the body above.</p>");
        schemas.body(html, body, Side::Response);
    }
    html.tag("</div><div class=\"examples\"><p class=\"after\"><span class=\"status\">400</span> Answer</p>");
    html.tag(ANSWER);
    let body = serde_json::json!({ "$ref": "#/components/schemas/ErrorBody" });
    example::json(html, &example::value(schemas, &body, Side::Response));
    html.tag("</code></pre></div></div><h2 id=\"codes\"><a href=\"#codes\">Codes</a></h2>");
    html.tag("<table class=\"codes\"><thead><tr><th scope=\"col\">Code</th><th scope=\"col\">Status</th>");
    html.tag("<th scope=\"col\">Meaning</th></tr></thead><tbody>");
    for (code, status, meaning) in CODES {
        html.tag("<tr id=\"error-").tag(code).tag("\"><th scope=\"row\"><code>").tag(code).tag("</code></th><td>");
        html.text(&status.to_string()).tag("</td><td>").prose(meaning).tag("</td></tr>");
    }
    html.tag("</tbody></table>");
}

/// Writes the objects that operations link to because they are nested too deeply to unfold
/// in place.
pub(super) fn types<'a>(
    html: &mut Html,
    schemas: &mut Schemas<'a>,
    operations: impl Iterator<Item = &'a Operation<'a>>,
) {
    // Rendering the operations records which types they link to.
    let mut rendered = Html::default();
    operations.for_each(|one| one.write(&mut rendered, schemas));
    html.tag("<header><h1>Types</h1><p class=\"lead\">Objects that are nested deeply in the bodies of operations.</p></header>");
    schemas.types().values().for_each(|entry| _ = html.piece(entry));
}
