//! Checks whether events arrive, without recording anything.

use super::delivered::DeliveredScript;
use super::delivery::{Nearness, is_mixed, nearness};
use super::fetch::{Failure, HttpResponse};
use super::findings::Findings;
use super::took;
use url::Url;

/// A body without events, of a visitor who denied consent, so that nothing of it can be stored.
pub(super) const NOTHING: &str = r#"{"visitor":{"id":"muriel-doctor"},"consent":"denied","events":[]}"#;

/// Address to which the script on this page sends events; `script` is the address that it was fetched from.
pub(super) fn address(page: &Url, script: Option<&Url>, carried: &DeliveredScript) -> Option<Url> {
    let (base, events) = (&carried.base, &carried.events);
    match base.as_str() {
        "" => script.unwrap_or(page).join(events).ok(),
        // The base is a path on the page's own origin, or an address.
        _ => page.join(&format!("{base}{events}")).ok(),
    }
}

/// Reports the meaning of the answer to [`NOTHING`].
pub(super) fn check(page: &Url, to: &Url, answer: &Result<HttpResponse, Failure>, findings: &mut Findings) {
    const PASS: &str = "Have the proxy in front of Muriel pass on POST below this path, and the answer, unchanged.";
    if is_mixed(page, to) {
        return findings.problem(
            "events",
            format!("they would go to {to} with http, from a page with https: no browser sends them"),
            "Set the server's address for pages, with https: muriel project set PROJECT_KEY --base https://…",
        );
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => {
            return findings.problem("events", format!("{to} {failure}"), "Without events, no visitor is counted.");
        }
    };
    let (status, text) = (answer.status, String::from_utf8_lossy(&answer.body));
    let is_taken = status == 200 && text.contains("\"success\":true") && text.contains("\"results\"");
    let allowed = answer.header("access-control-allow-origin");
    let may_read =
        nearness(page, to) == Nearness::Own || allowed == "*" || allowed == page.origin().ascii_serialization();
    match status {
        200 if !is_taken => findings.problem("events", format!("the server at {to} is not Muriel"), PASS),
        200 if !may_read => findings.problem(
            "events",
            format!("{to} accepts them, but its answer lacks Access-Control-Allow-Origin: pages keep resending them"),
            PASS,
        ),
        200 => findings.ok("events", format!("{to} accepts them ({}; nothing was recorded)", took(answer.waited))),
        429 => findings.warning("events", format!("{to} answers 429: too many requests"), "Try again in a minute."),
        500.. => findings.problem(
            "events",
            format!("{to} answers {status}: it does not accept events now"),
            "Check the server: its log, and /readyz. Pages keep some events and send them later.",
        ),
        // Browsers also send a site's own password here, and Muriel treats it as an API key.
        401 => findings.problem(
            "events",
            format!("{to} answers 401"),
            "Where the site asks for a password, have the proxy drop Authorization on the way to Muriel.",
        ),
        301..=308 => findings.problem("events", format!("{to} answers {status}, and so is not Muriel"), PASS),
        _ => findings.problem("events", format!("{to} answers {status}"), PASS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use ureq::http::{HeaderMap, HeaderValue};

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn events_go_where_the_script_sends_them() {
        let script = url("https://muriel.example/x/js/prj_1.js");
        for (base, events, inline, expect) in [
            ("", "/events/prj_1", false, "https://muriel.example/events/prj_1"),
            ("", "/x/events/prj_1", false, "https://muriel.example/x/events/prj_1"),
            ("", "/events/prj_1", true, "https://shop.example/events/prj_1"),
            ("/x", "/events/prj_1", false, "https://shop.example/x/events/prj_1"),
            ("https://e.example/y", "/events/prj_1", false, "https://e.example/y/events/prj_1"),
        ] {
            let carried = DeliveredScript {
                project_key: "prj_1".to_owned(),
                live: 0,
                served: 0,
                goals: 0,
                with_code: 0,
                with_html: 0,
                base: base.to_owned(),
                events: events.to_owned(),
                page_api: "muriel".to_owned(),
            };
            let found = address(&url("https://shop.example/boots"), (!inline).then_some(&script), &carried);
            assert_eq!(found.unwrap().as_str(), expect);
        }
    }

    #[test]
    fn answers_to_nothing() {
        const TAKEN: &str = r#"{"success":true,"results":[]}"#;
        for (to, status, allowed, body, expect) in [
            ("https://m.example/e", 200, "*", TAKEN, "ok       events  https://m.example/e accepts them (9 ms;"),
            ("https://m.example/e", 200, "https://shop.example", TAKEN, "ok       events  https://m.example/e accepts"),
            ("https://shop.example/e", 200, "", TAKEN, "ok       events  https://shop.example/e accepts them"),
            ("https://m.example/e", 200, "", TAKEN, "problem  events  https://m.example/e accepts them, but its"),
            (
                "https://m.example/e",
                200,
                "*",
                "<html>",
                "problem  events  the server at https://m.example/e is not Muriel",
            ),
            ("http://m.example/e", 200, "*", TAKEN, "problem  events  they would go to http://m.example/e with http"),
            ("https://m.example/e", 401, "*", "{}", "problem  events  https://m.example/e answers 401\n"),
            ("https://m.example/e", 405, "", "", "problem  events  https://m.example/e answers 405\n"),
            ("https://m.example/e", 302, "", "", "problem  events  https://m.example/e answers 302, and so"),
            ("https://m.example/e", 503, "*", "{}", "problem  events  https://m.example/e answers 503: it does not"),
            ("https://m.example/e", 429, "*", "{}", "warning  events  https://m.example/e answers 429"),
        ] {
            let mut headers = HeaderMap::new();
            if !allowed.is_empty() {
                headers.insert("access-control-allow-origin", HeaderValue::from_static(allowed));
            }
            let answer = HttpResponse {
                url: url(to),
                redirects: Vec::new(),
                status,
                headers,
                body: body.into(),
                sent: body.len(),
                cut: None,
                waited: Duration::from_millis(9),
            };
            let mut findings = Findings::default();
            check(&url("https://shop.example/"), &url(to), &Ok(answer), &mut findings);
            assert!(findings.text().starts_with(expect), "{}", findings.text());
        }
    }
}
