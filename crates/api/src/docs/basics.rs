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
    ("requests", "Requests and responses", requests),
    ("versions", "Changing without overwriting", versions),
    ("idempotency", "Safe retries", idempotency),
    ("paging", "Lists and paging", paging),
    ("limits", "Rate limits", limits),
];

fn authentication(html: &mut Html) {
    html.tag("<div class=\"columns\"><div class=\"facts\">");
    html.tag(
        "<p>Each request carries an API key as <code>Authorization: Bearer &lt;key&gt;</code>. A key belongs to a ",
    );
    html.tag("company and works for its projects. A key that is limited to some projects gets 404 for all others. ");
    html.tag("Keys are never read from a path or a query. Without a valid key the response is 401. The OpenFeature ");
    html.tag("operations also accept <code>X-API-Key: &lt;key&gt;</code>. Operations for visitors need no key.</p>");
    html.tag("<p>The examples read the server, the project and the key from shell variables. A key has scopes, and ");
    html.tag("each operation names the one that it needs:</p><dl class=\"scopes\">");
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
        Scope::Code => "Change code and HTML that run on customers' pages, in addition to write.",
        Scope::Evaluate => "Evaluate experiments for visitors.",
        Scope::Admin => "Set currency rates, and set the start of an experiment to a time in the past.",
    }
}

fn requests(html: &mut Html) {
    html.tag("<p>Bodies are JSON of at most 2 MiB, nested at most 32 levels deep, with ");
    html.tag("<code>Content-Type: application/json</code>. An unknown field is an error that names the nearest known ");
    html.tag("one. Unknown query parameters are also errors, except for <code>listExperiments</code>, ");
    html.tag("<code>listHypotheses</code> and <code>explainAssignment</code>. A change is applied whole or not at ");
    html.tag("all.</p>");
    html.tag("<p>A <code>PATCH</code> changes only the fields that are sent, and replaces the value of each as a ");
    html.tag("whole. With <code>application/merge-patch+json</code> (RFC 7396), objects of an experiment are merged ");
    html.tag("instead: one key of an object can be changed alone, and null resets it to its default.</p>");
    html.tag("<p>Times are in UTC with milliseconds, such as <code>2026-03-02T09:30:00.000Z</code>. Ids are integers ");
    html.tag("below 2<sup>53</sup> and are never reused. Every response has an <code>X-Request-Id</code>: quote it ");
    html.tag("when you ask for help.</p>");
}

fn versions(html: &mut Html) {
    html.tag("<p>When you read or update an experiment, the response has a strong <code>ETag</code>, which changes ");
    html.tag("with any of its details. Send it back as <code>If-Match</code>: the change is made only if nobody has ");
    html.tag("changed the experiment since. Otherwise the response is 412, ");
    html.tag("<a href=\"site:docs/errors#error-precondition_failed\"><code>precondition_failed</code></a>: read again, then decide. ");
    html.tag("Without <code>If-Match</code> the last write wins. With <code>If-None-Match</code>, reading a version ");
    html.tag("that you already have returns 304 without a body.</p>");
}

fn idempotency(html: &mut Html) {
    html.tag("<p>When the response to a <code>POST</code> is lost, it is not known whether the server carried it ");
    html.tag("out. Give each request its own <code>Idempotency-Key</code>, 1 to 255 printable ASCII characters, such ");
    html.tag("as a new UUID, and send the same key with every retry. For 24 hours, the same key, operation and body ");
    html.tag("get the first successful response again, marked <code>Idempotent-Replayed: true</code>, and nothing is ");
    html.tag("done twice. Another body with the same key is answered with 409, ");
    html.tag("<a href=\"site:docs/errors#error-idempotency_key_reused\"><code>idempotency_key_reused</code></a>.</p>");
}

fn paging(html: &mut Html) {
    html.tag("<p>Lists take <code>limit</code> and <code>offset</code>. A <code>limit</code> over the maximum counts as the ");
    html.tag("maximum; zero, negative numbers, values that are not integers and parameters given twice are 400, ");
    html.tag(
        "<a href=\"site:docs/errors#error-invalid_parameter\"><code>invalid_parameter</code></a>. <code>count</code> is the number of ",
    );
    html.tag("entries in the page: add it to <code>offset</code> until a page is empty. Lists of hypotheses also ");
    html.tag("have <code>total</code>, <code>has_more</code> and <code>next_offset</code>.</p>");
}

fn limits(html: &mut Html) {
    html.tag("<p>Requests are limited per key and per network: by default, 1,000 per second and key, with bursts of ");
    html.tag("5,000. The header fields <code>RateLimit-Policy</code> and <code>RateLimit</code> have the limit and ");
    html.tag("the rest of it. Above the limit, the response is 429, ");
    html.tag(
        "<a href=\"site:docs/errors#error-rate_limited\"><code>rate_limited</code></a>, with the seconds to wait in ",
    );
    html.tag("<code>Retry-After</code>. A 503 has this field too.</p>");
}
