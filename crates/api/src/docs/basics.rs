//! Chapters of the overview: facts that apply to all requests.

use super::example::Request;
use super::html::Html;
use super::operations::REQUEST;
use muriel_domain::access::Scope;

/// Anchor id, title, and the function that writes the chapter.
type Chapter = (&'static str, &'static str, fn(&mut Html));

/// Chapters in the order of the page.
pub(super) const CHAPTERS: &[Chapter] = &[
    ("authentication", "Authentication", authentication),
    ("requests", "Requests and answers", requests),
    ("versions", "Changing without overwriting", versions),
    ("idempotency", "Sending again safely", idempotency),
    ("paging", "Lists and paging", paging),
    ("limits", "Rate limits", limits),
];

fn authentication(html: &mut Html) {
    html.tag("<div class=\"columns\"><div class=\"facts\">");
    html.tag(
        "<p>Each request carries an API key as <code>Authorization: Bearer &lt;key&gt;</code>. A key belongs to a ",
    );
    html.tag("company and works for its projects; one that is limited to some projects sees the others as unknown. ");
    html.tag("Keys are never read from a path or a query. Without a good key the answer is 401. The OpenFeature ");
    html.tag("operations take it as <code>X-API-Key: &lt;key&gt;</code> too; what visitors fetch needs none.</p>");
    html.tag("<p>The examples take the server, the project and the key from variables of the shell. A key carries scopes, and ");
    html.tag("each operation names the one it needs:</p><dl class=\"scopes\">");
    for scope in Scope::ALL {
        html.tag("<dt>").code(scope.name()).tag("</dt><dd>").text(allows(scope)).tag("</dd>");
    }
    html.tag("</dl></div><div class=\"examples\">").tag(REQUEST);
    html.tag("export MURIEL_URL=<span class=\"s\">https://muriel.example.com</span>\n");
    html.tag("export MURIEL_PROJECT=<span class=\"s\">prj_…</span>\n");
    html.tag("export MURIEL_KEY=<span class=\"s\">mrl_…</span>\n\n");
    let target = "/v2/project/$MURIEL_PROJECT/experiments?limit=50".to_owned();
    Request { method: "GET", target, has_key: true, content_type: "", body: None }.write(html);
    html.tag("</code></pre></div></div>");
}

fn allows(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "Read experiments, hypotheses, goals and results.",
        Scope::Write => "Create, change and delete them; send events from servers.",
        Scope::Code => "Change code and HTML that run on customers' pages, besides write.",
        Scope::Evaluate => "Ask for decisions.",
        Scope::Admin => "Set currency rates, and give an experiment a start in the past.",
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
    html.tag("<a href=\"site:docs/errors#error-precondition_failed\"><code>precondition_failed</code></a>: read again, then decide. ");
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
    html.tag("<a href=\"site:docs/errors#error-idempotency_key_reused\"><code>idempotency_key_reused</code></a>.</p>");
}

fn paging(html: &mut Html) {
    html.tag("<p>Lists take <code>limit</code> and <code>offset</code>. A <code>limit</code> over the maximum counts as the ");
    html.tag("maximum; zero, negative numbers, values that are not integers and parameters given twice are 400, ");
    html.tag(
        "<a href=\"site:docs/errors#error-invalid_parameter\"><code>invalid_parameter</code></a>. <code>count</code> is the number of ",
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
    html.tag(
        "<a href=\"site:docs/errors#error-rate_limited\"><code>rate_limited</code></a>, with the seconds to wait in ",
    );
    html.tag("<code>Retry-After</code>; a 503 has that too.</p>");
}
