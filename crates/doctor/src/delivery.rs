//! Checks the delivery of the script: its origin, its speed, its caching, and whether it is unchanged.

use super::delivered::DeliveredScript;
use super::fetch::{Cut, HttpResponse};
use super::findings::Findings;
use super::locate::Ours;
use super::page::{Page, is_javascript};
use super::{size, took};
use std::time::Duration;
use url::{Host, Url};

/// Response time above which visitors notice that the page waits.
const SLOW_RESPONSE: Duration = Duration::from_millis(500);
/// Maximum lifetime of a cached copy in seconds: ten minutes, as the server sets it. With longer ones, changes arrive
/// late.
const MAX_CACHE_SECONDS: u64 = 600;
/// Size in bytes from which on a script gains from compression.
const COMPRESSED_FROM: usize = 860;

/// Relation between two addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// Same origin.
    Own,
    /// Hosts of the same site, or ports of the same host.
    Site,
    Foreign,
}

/// Relation of an address to a page.
pub(super) fn nearness(page: &Url, other: &Url) -> Nearness {
    if page.origin() == other.origin() {
        return Nearness::Own;
    }
    let same = match (page.host(), other.host()) {
        (Some(Host::Domain(one)), Some(Host::Domain(two))) => one == two || common(one, two),
        (one, two) => one == two,
    };
    if same { Nearness::Site } else { Nearness::Foreign }
}

/// Returns whether two hosts share a domain that can be registered. Without the list of public suffixes, this means two
/// common labels, or three if they are as short as those of `co.uk`.
fn common(one: &str, two: &str) -> bool {
    let (mut ones, mut twos) = (one.rsplit('.'), two.rsplit('.'));
    let mut shared = Vec::new();
    while let (Some(one), Some(two)) = (ones.next(), twos.next()) {
        if one != two {
            break;
        }
        shared.push(one);
    }
    let is_short = |labels: &[&str]| labels[0].len() == 2 && labels[1].len() <= 3;
    shared.len() > 2 || shared.len() == 2 && !is_short(&shared)
}

/// Returns whether a browser treats an address as secure: with https, or on the machine itself.
pub(super) fn is_safe(url: &Url) -> bool {
    url.scheme() == "https"
        || match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
}

/// Returns whether fetching from this address is mixed content, which a secure page may not do.
pub(super) fn is_mixed(page: &Url, other: &Url) -> bool {
    page.scheme() == "https" && !is_safe(other)
}

/// Reports the relation of the script's origin to the page's.
pub(super) fn origin(page_url: &Url, page: &Page, script: &Url, findings: &mut Findings) {
    let host = script.origin().ascii_serialization();
    if is_mixed(page_url, script) {
        return findings.problem(
            "origin",
            "the script is requested with http on a page with https: no browser loads it",
            "Write https in its address, or begin it with //.",
        );
    }
    match nearness(page_url, script) {
        Nearness::Own => findings.ok("origin", "the page's own: it needs no other connection, and no blocker lists it"),
        Nearness::Site => findings.ok("origin", format!("{host}, of the page's own site")),
        Nearness::Foreign => {
            let prepares = |link: &&super::page::Link| link.is("preconnect") && link.href.contains(host.as_str());
            let nearer = if page.links.iter().any(|link| prepares(&link)) {
                String::new()
            } else {
                format!(
                    "\nUntil then <link rel=\"preconnect\" href=\"{host}\"> first in the head saves some of the wait."
                )
            };
            findings.warning(
                "origin",
                format!("{host}, of another site: blockers may know it, and Safari forgets its visitors in a week"),
                format!(
                    "Pass a path of your own site on to it: docs/visitors.md, \"Under a name of your own\".{nearer}"
                ),
            );
        }
    }
}

/// Requirements of the tag and the page on the script's answer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DeliveryNeeds {
    /// True when the page accepts only resources that allow to be embedded (`Cross-Origin-Embedder-Policy`).
    pub(super) is_isolated: bool,
    /// True when the page waits for the script.
    pub(super) waits: bool,
}

/// Reports how the script is served. Returns its contents, if it is Muriel's.
pub(super) fn script(
    page_url: &Url,
    ours: &Ours<'_>,
    asked: DeliveryNeeds,
    answer: &HttpResponse,
    findings: &mut Findings,
) -> Option<DeliveredScript> {
    let text = String::from_utf8_lossy(&answer.body);
    if answer.status != 200 {
        unserved(ours.key.as_deref().unwrap_or_default(), answer, &text, findings);
        return None;
    }
    if !DeliveredScript::is_script(&text) {
        let begins: String = text.trim_start().chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
        findings.problem(
            "delivery",
            format!("the response is not Muriel's script: it begins with {begins:?}"),
            "Have the site's server pass this path on to Muriel, unchanged.",
        );
        return None;
    }
    if answer.cut.is_some() {
        let why = match answer.cut {
            Some(Cut::Slow) => "it took longer than the timeout",
            Some(Cut::Long) => "it is longer than 8 MiB",
            _ => "its connection or compression broke",
        };
        findings.problem(
            "delivery",
            format!("the script is incomplete: {why}"),
            "Check the proxies and networks between here and Muriel.",
        );
        return None;
    }
    let before = findings.0.len();
    faults(page_url, ours, asked, answer, findings);
    if findings.0.len() == before {
        let coding = match answer.header("content-encoding").as_str() {
            "" => String::new(),
            coding => format!(" ({coding}, {} unpacked)", size(answer.body.len())),
        };
        let kept = max_age(&answer.header("cache-control")).unwrap_or(0);
        let message = format!("{}, {}{coding}, cached for {kept} s", took(answer.waited), size(answer.sent));
        findings.ok("delivery", message);
    }
    carried(ours.key.as_deref(), &text, findings)
}

/// Reports that there is no script.
fn unserved(key: &str, answer: &HttpResponse, text: &str, findings: &mut Findings) {
    let status = answer.status;
    // Muriel's own error code for an unknown project.
    if status == 404 && text.contains("\"not_found\"") {
        return findings.problem(
            "delivery",
            format!("Muriel does not know the project {key}"),
            "muriel project list shows the keys. The tag may also lead to another server than you expect.",
        );
    }
    let (message, advice) = match status {
        404 | 405 => (
            format!("the answer is {status}, and not from Muriel"),
            "Have the site's server pass this path on to Muriel, unchanged.",
        ),
        429 => ("the answer is 429: too many requests".to_owned(), "Try again in a minute."),
        500.. => {
            (format!("the answer is {status}"), "Check the server; until it works, pages run without experiments.")
        }
        _ => (format!("the answer is {status}"), "Visitors have no account there: it must be 200 for everybody."),
    };
    findings.problem("delivery", message, advice);
}

/// Seconds for which an answer may be cached, if it says so.
fn max_age(cache_control: &str) -> Option<u64> {
    let mut found = None;
    for directive in cache_control.split(',') {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        match name.trim().to_ascii_lowercase().as_str() {
            "no-store" | "no-cache" => return Some(0),
            "max-age" => found = value.trim().trim_matches('"').parse().ok(),
            _ => {}
        }
    }
    found
}

/// Reports faults of an answer that has the script.
fn faults(page_url: &Url, ours: &Ours<'_>, asked: DeliveryNeeds, answer: &HttpResponse, findings: &mut Findings) {
    const PROXY: &str = "A proxy or CDN in front of Muriel does that: have it pass the answer's headers on.";
    let script = ours.script;
    if let Some(first) = answer.redirects.first() {
        findings.warning(
            "delivery",
            format!("the tag is redirected from {first} to {}: each visitor waits for both", answer.url),
            "Write the second address into the tag.",
        );
    }
    let kind = answer.header("content-type");
    if !is_javascript(&kind) {
        let message = format!("its type is \"{kind}\"");
        if answer.header("x-content-type-options").to_ascii_lowercase().contains("nosniff") {
            findings.problem("delivery", format!("{message} and nosniff is set: no browser runs it"), PROXY);
        } else {
            findings.warning("delivery", message, format!("It should be text/javascript. {PROXY}"));
        }
    }
    if !script.integrity.is_empty() {
        findings.problem(
            "delivery",
            "the tag has an integrity: after the next change of an experiment no browser runs the script",
            "Take integrity off the tag: every change of an experiment changes the script.",
        );
    }
    let allowed = answer.header("access-control-allow-origin");
    let is_own = nearness(page_url, &answer.url) == Nearness::Own;
    match script.crossorigin.as_deref() {
        Some("use-credentials") if !is_own => findings.problem(
            "delivery",
            "the tag requests it with credentials (crossorigin), which Muriel, open to every origin, cannot allow",
            "Take crossorigin off the tag.",
        ),
        Some(_) if !is_own && allowed != "*" && allowed != page_url.origin().ascii_serialization() => findings.problem(
            "delivery",
            "the tag has crossorigin, and the answer does not allow the page's origin",
            format!("Take crossorigin off the tag. {PROXY}"),
        ),
        None if asked.is_isolated && !is_own && answer.header("cross-origin-resource-policy") != "cross-origin" => {
            findings.problem(
                "delivery",
                "the page has Cross-Origin-Embedder-Policy, and the script lacks Cross-Origin-Resource-Policy: cross-origin",
                PROXY,
            );
        }
        _ => {}
    }
    if answer.header("content-encoding").is_empty() && answer.body.len() >= COMPRESSED_FROM {
        let message = format!("it comes without compression: {} on each first visit", size(answer.sent));
        findings.warning(
            "delivery",
            message,
            "Muriel compresses it. Have the proxy pass Accept-Encoding on, or compress.",
        );
    }
    match max_age(&answer.header("cache-control")) {
        None => findings.warning("delivery", "it does not say how long it may be cached", PROXY),
        Some(0) => findings.warning("delivery", "it may not be cached: every page view waits for it", PROXY),
        Some(seconds) if seconds > MAX_CACHE_SECONDS => findings.warning(
            "delivery",
            format!("browsers cache it for {seconds} s: a stopped experiment continues to run for that long"),
            "Muriel says 60. Have the proxy or CDN pass Cache-Control on.",
        ),
        Some(_) => {}
    }
    if let Some(age) = answer.header("age").trim().parse().ok().filter(|age: &u64| *age > MAX_CACHE_SECONDS) {
        let message = format!("the copy is {age} s old: a cache on the way keeps it for longer than allowed");
        findings.warning("delivery", message, "Have the CDN follow Cache-Control.");
    }
    if answer.header("etag").is_empty() {
        findings.warning("delivery", "it has no ETag: an unchanged script is sent again", PROXY);
    }
    let stale = answer.header("x-muriel-stale");
    if !stale.is_empty() {
        findings.warning(
            "delivery",
            format!("it was last known to be up to date {stale} s ago"),
            "The server does not reach its database: see its log, and /readyz.",
        );
    }
    if asked.waits && answer.waited >= SLOW_RESPONSE {
        findings.warning(
            "delivery",
            format!("it took {} to answer, and on a first visit the page waits for it", took(answer.waited)),
            "Measured from here. Serve it closer to visitors, through a CDN that follows Cache-Control.",
        );
    }
}

/// Reports which project the script belongs to, which was requested with this key, and returns its contents.
pub(super) fn carried(key: Option<&str>, text: &str, findings: &mut Findings) -> Option<DeliveredScript> {
    let Some(carried) = DeliveredScript::read(text) else {
        findings.warning(
            "project",
            "the script differs from what Muriel sends, so its contents cannot be read",
            "Something on the way changes it, such as a CDN that minifies. Exclude this path there.",
        );
        return None;
    };
    if let Some(key) = key.filter(|key| *key != carried.project_key) {
        findings.problem(
            "project",
            format!("the script belongs to project {}, but {key} was requested", carried.project_key),
            "Something on the way mixes them up: check its cache.",
        );
    }
    let many = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let live = match carried.live {
        0 => "no experiment is live".to_owned(),
        1 => "1 experiment is live".to_owned(),
        live => format!("{live} experiments are live"),
    };
    let mut parts = vec![live];
    if carried.served > 0 {
        parts.push(format!("{} served", many(carried.served, "winner")));
    }
    parts.push(format!("{} watched on the page", many(carried.goals, "goal")));
    findings.ok("project", format!("{}: {}", carried.project_key, parts.join(", ")));
    Some(carried)
}

#[cfg(test)]
mod tests {
    use super::super::locate;
    use super::*;
    use ureq::http::{HeaderMap, HeaderName, HeaderValue};

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn sites_are_told_from_hosts() {
        use Nearness::{Foreign, Own, Site};
        for (page, other, expect) in [
            ("https://shop.example/a", "https://shop.example/x/js/a.js", Own),
            ("https://shop.example", "https://shop.example:8443", Site),
            ("https://www.shop.example", "https://shop.example", Site),
            ("https://shop.example", "https://m.shop.example", Site),
            ("https://a.shop.example", "https://b.shop.example", Site),
            ("https://shop.example", "https://muriel.example", Foreign),
            ("https://shop.co.uk", "https://other.co.uk", Foreign),
            ("https://www.shop.co.uk", "https://m.shop.co.uk", Site),
            ("https://shop.example", "https://myshop.example", Foreign),
            ("http://127.0.0.1:4172", "http://127.0.0.1:4170", Site),
            ("http://10.0.0.1", "http://10.0.0.2", Foreign),
            ("http://[::1]:1", "http://[::1]:2", Site),
            ("http://localhost:1", "http://127.0.0.1:1", Foreign),
        ] {
            assert_eq!(nearness(&url(page), &url(other)), expect, "{page} {other}");
        }
    }

    #[test]
    fn where_the_script_comes_from() {
        let own = "<script src=/js/prj_1.js></script>";
        let preconnect = "<link rel=preconnect href=https://muriel.example>";
        for (page, html, script, expect) in [
            ("https://shop.example/", own, "https://shop.example/js/prj_1.js", "ok      "),
            ("https://shop.example/", own, "https://m.shop.example/js/prj_1.js", "ok      "),
            (
                "https://shop.example/",
                own,
                "http://m.shop.example/js/prj_1.js",
                "problem  origin  the script is requested with http",
            ),
            ("https://localhost/", own, "http://localhost:4170/js/prj_1.js", "ok      "),
            ("http://shop.example/", own, "http://m.shop.example/js/prj_1.js", "ok      "),
            (
                "https://shop.example/",
                own,
                "https://muriel.example/js/prj_1.js",
                "warning  origin  https://muriel.example, of another",
            ),
        ] {
            let mut findings = Findings::default();
            origin(&url(page), &Page::read(html), &url(script), &mut findings);
            assert!(findings.text().starts_with(expect), "{}", findings.text());
        }
        for (html, expect) in [(own, true), (preconnect, false)] {
            let mut findings = Findings::default();
            let script = url("https://muriel.example/js/prj_1.js");
            origin(&url("https://shop.example/"), &Page::read(html), &script, &mut findings);
            assert_eq!(findings.text().contains("rel=\"preconnect\""), expect);
        }
    }

    fn good() -> Vec<(&'static str, &'static str)> {
        vec![
            ("content-type", "text/javascript; charset=utf-8"),
            ("content-encoding", "br"),
            ("cache-control", "public, max-age=60, stale-while-revalidate=600"),
            ("etag", "\"1\""),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
        ]
    }

    fn answered(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> HttpResponse {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        HttpResponse {
            url: url("https://muriel.example/js/prj_1.js"),
            redirects: Vec::new(),
            status,
            headers: map,
            body: body.into(),
            sent: 4_100,
            cut: None,
            waited: Duration::from_millis(12),
        }
    }

    const SCRIPT: &str = "(function(RULESET,SETTINGS,PARTS){a()})({\"format\":1,\"project_key\":\"prj_1\",\"experiments\":[\
        {\"live\":true,\"variants\":[]},{\"live\":false,\"variants\":[]}],\"goals\":[{}]},\
        {\"base\":\"\",\"events\":\"/events/prj_1\",\"global\":\"muriel\"},{});\n";

    fn findings_text(tag: &str, is_isolated: bool, answer: &HttpResponse) -> String {
        let page = Page::read(tag);
        let page_url = url("https://shop.example/");
        let ours = locate::ours(&page, &page_url, None).remove(0);
        let mut findings = Findings::default();
        script(&page_url, &ours, DeliveryNeeds { is_isolated, waits: true }, answer, &mut findings);
        findings.text()
    }

    const TAG: &str = "<script src=https://muriel.example/js/prj_1.js></script>";

    #[test]
    fn a_good_answer_says_what_is_in_it() {
        assert_eq!(
            findings_text(TAG, true, &answered(200, &good(), SCRIPT)),
            "ok       delivery  12 ms, 4.1 kB (br, 221 B unpacked), cached for 60 s\n\
             ok       project   prj_1: 1 experiment is live, 1 winner served, 1 goal watched on the page\n"
        );
    }

    #[test]
    fn answers_with_a_fault_each() {
        let long = format!("{SCRIPT}{}", " ".repeat(1_000));
        for (name, value, expect) in [
            ("content-type", "text/html", "warning  delivery  its type is \"text/html\""),
            ("content-encoding", "", "warning  delivery  it comes without compression: 4.1 kB on each first visit"),
            ("cache-control", "", "warning  delivery  it does not say how long it may be cached"),
            ("cache-control", "no-store", "warning  delivery  it may not be cached"),
            ("cache-control", "public, max-age=0", "warning  delivery  it may not be cached"),
            ("cache-control", "max-age=86400", "warning  delivery  browsers cache it for 86400 s"),
            ("age", "3600", "warning  delivery  the copy is 3600 s old"),
            ("etag", "", "warning  delivery  it has no ETag"),
            ("x-muriel-stale", "90", "warning  delivery  it was last known to be up to date 90 s ago"),
            ("cross-origin-resource-policy", "", "problem  delivery  the page has Cross-Origin-Embedder-Policy"),
        ] {
            let mut headers = good();
            headers.retain(|(known, _)| *known != name);
            if !value.is_empty() {
                headers.push((name, value));
            }
            let text = findings_text(TAG, true, &answered(200, &headers, &long));
            assert!(text.starts_with(expect), "{name}: {value}\n{text}");
            assert_eq!(text.matches("delivery").count(), 1, "{text}");
        }
        let mut sniffed = good();
        sniffed[0].1 = "text/html";
        sniffed.push(("x-content-type-options", "nosniff"));
        assert!(
            findings_text(TAG, false, &answered(200, &sniffed, SCRIPT)).starts_with("problem  delivery  its type is")
        );
        let slow = HttpResponse { waited: Duration::from_millis(800), ..answered(200, &good(), SCRIPT) };
        assert!(findings_text(TAG, false, &slow).starts_with("warning  delivery  it took 800 ms"));
        let sent_on = HttpResponse { redirects: vec![url("http://muriel.example/")], ..answered(200, &good(), SCRIPT) };
        assert!(
            findings_text(TAG, false, &sent_on)
                .starts_with("warning  delivery  the tag is redirected from http://muriel.example/")
        );
        let cut = HttpResponse { cut: Some(Cut::Broken), ..answered(200, &good(), SCRIPT) };
        assert!(findings_text(TAG, false, &cut).starts_with("problem  delivery  the script is incomplete"));
    }

    #[test]
    fn tags_that_ask_for_too_much() {
        for (attributes, expect) in [
            ("integrity=sha384-x", "problem  delivery  the tag has an integrity"),
            ("crossorigin=use-credentials", "problem  delivery  the tag requests it with credentials"),
            ("crossorigin", "ok       delivery"),
        ] {
            let tag = TAG.replace("<script", &format!("<script {attributes}"));
            assert!(findings_text(&tag, false, &answered(200, &good(), SCRIPT)).starts_with(expect), "{attributes}");
        }
        let tag = TAG.replace("<script", "<script crossorigin=anonymous");
        let mut headers = good();
        headers.retain(|(name, _)| *name != "access-control-allow-origin");
        assert!(
            findings_text(&tag, false, &answered(200, &headers, SCRIPT))
                .starts_with("problem  delivery  the tag has crossorigin")
        );
    }

    #[test]
    fn answers_without_the_script() {
        for (status, body, expect) in [
            (404, "{\"success\":false,\"code\":\"not_found\"}", "Muriel does not know the project prj_1"),
            (404, "<h1>Not found", "the answer is 404, and not from Muriel"),
            (503, "", "the answer is 503"),
            (401, "", "the answer is 401"),
            (
                200,
                "<!doctype html>\n<p>Hello",
                "the response is not Muriel's script: it begins with \"<!doctype html> <p>Hello\"",
            ),
            (200, "", "the response is not Muriel's script: it begins with \"\""),
        ] {
            let text = findings_text(TAG, false, &answered(status, &good(), body));
            assert_eq!(text.lines().next(), Some(format!("problem  delivery  {expect}").as_str()));
        }
        let changed = SCRIPT.replace("\"format\"", "format");
        let text = findings_text(TAG, false, &answered(200, &good(), &changed));
        assert!(text.contains("warning  project   the script differs from what Muriel sends"), "{text}");
        let other = TAG.replace("prj_1", "prj_2");
        let text = findings_text(&other, false, &answered(200, &good(), SCRIPT));
        assert!(
            text.contains("problem  project   the script belongs to project prj_1, but prj_2 was requested"),
            "{text}"
        );
    }
}
