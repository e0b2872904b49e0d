//! Checks whether the script runs before anything is painted, and what it waits for.

use super::findings::Findings;
use super::locate::{Ours, is_snippet, on};
use super::page::{Kind, Page, Script, TextPosition};
use super::size;

/// Number of bytes of HTML before the tag that are too many: browsers have these after the second round trip at the
/// earliest.
const HTML_MANY: usize = 32 << 10;

/// The inline snippet for an asynchronous script, if the page has one.
pub(super) fn snippet(page: &Page) -> Option<&Script> {
    page.scripts.iter().find(|script| script.kind == Kind::Classic && script.src.is_none() && is_snippet(&script.text))
}

/// Reports when the script runs.
pub(super) fn check(page: &Page, ours: &Ours<'_>, findings: &mut Findings) {
    let script = ours.script;
    if matches!(script.kind, Kind::Data(_)) {
        return;
    }
    let snippet = snippet(page);
    match (&script.kind, script.is_async, script.is_deferred, snippet) {
        (Kind::Module, ..) => findings.problem(
            "position",
            "type=\"module\" makes it run after the whole page is parsed, and it does not know its own address",
            "Take the type off the tag.",
        ),
        _ if ours.url.is_none() => waited_for(page, script, findings),
        (_, true, _, None) => findings.problem(
            "position",
            "async lets the page be painted before it runs; content that is painted by then is not changed",
            "Take async off the tag, or put the lines that hide the page before it:\n\
             muriel project snippet PROJECT_KEY --async",
        ),
        (_, false, true, None) => findings.problem(
            "position",
            "defer makes it run after the whole page is parsed; content that is painted by then is not changed",
            "Take defer off the tag.",
        ),
        (_, is_async, true, Some(_)) if !is_async => findings.warning(
            "position",
            "defer makes it run after the whole page is parsed, but the page is hidden for a second at most",
            "Replace defer with async on the tag.",
        ),
        (_, true, _, Some(snippet)) => after(page, snippet, script, findings),
        _ => waited_for(page, script, findings),
    }
}

/// Reports on a script with `async` when the page has the snippet that hides content for it.
fn after(page: &Page, snippet: &Script, script: &Script, findings: &mut Findings) {
    let line = snippet.at.line;
    if snippet.at.offset > script.at.offset {
        findings.problem(
            "position",
            format!("the lines that hide the page come after the tag (line {line}): the script may run before they do"),
            "Put them before the tag.",
        );
    } else if !snippet.in_head {
        findings.problem(
            "position",
            format!(
                "the lines that hide the page are {}: content before them may be painted",
                in_body(page, snippet.at)
            ),
            "Move them and the tag into the head.",
        );
    } else {
        findings.ok(
            "position",
            format!("async; the lines that hide what experiments change are in the head (line {line})"),
        );
    }
}

/// Reports on a script that the page waits for.
fn waited_for(page: &Page, script: &Script, findings: &mut Findings) {
    let line = script.at.line;
    if !script.in_head {
        let advice = match &page.body {
            Some(body) if body.by.as_deref() != Some("body") => "Put it above that.",
            _ => "Move it into the head.",
        };
        let message =
            format!("line {line}, {}: content before it may be painted before it runs", in_body(page, script.at));
        return findings.problem("position", message, advice);
    }
    let before = |at: &TextPosition| at.offset < script.at.offset;
    let scripts: Vec<TextPosition> =
        page.scripts.iter().filter(|other| other.blocks()).map(|other| other.at).filter(before).collect();
    let sheets: Vec<TextPosition> =
        page.links.iter().filter(|link| link.blocks()).map(|link| link.at).filter(before).collect();
    let mut waits = Vec::new();
    for (places, one) in [(&scripts, "script"), (&sheets, "style sheet")] {
        match places.len() {
            0 => {}
            1 => waits.push(format!("a {one} ({})", on(places))),
            many => waits.push(format!("{many} {one}s ({})", on(places))),
        }
    }
    let html = size(script.at.offset);
    let is_far = script.at.offset > HTML_MANY;
    if waits.is_empty() && !is_far {
        return findings
            .ok("position", format!("line {line}, in the head, after {html} of HTML and nothing to wait for"));
    }
    let waits = if waits.is_empty() { String::new() } else { format!(": it waits for {}", waits.join(" and ")) };
    findings.warning(
        "position",
        format!("line {line}, in the head, after {html} of HTML{waits}"),
        "In time, but later than necessary. Move it up, to right after <meta charset>.",
    );
}

fn in_body(page: &Page, at: TextPosition) -> String {
    match &page.body {
        Some(body) => match body.by.as_deref() {
            Some("body") | None if body.at.line == at.line => "in the body".to_owned(),
            Some("body") => format!("in the body (from line {})", body.at.line),
            None => format!("after the head, which ends with text on line {}", body.at.line),
            Some(name) => format!("after the head, which ends with <{name}> on line {}", body.at.line),
        },
        None => "in the body".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::locate;
    use super::*;
    use url::Url;

    const SNIPPET: &str =
        "<script>s.replaceSync(\"x\"+\"{visibility:hidden!important}\");t.adoptedStyleSheets=[];e.over=1</script>\n";

    #[test]
    fn when_it_runs() {
        let ours = "<script src=/js/prj_1.js></script>";
        let is_async = "<script async src=/js/prj_1.js></script>";
        let far = format!("<head><!--{}-->\n{ours}", "x".repeat(40_000));
        let hides_late = format!("<body>{SNIPPET}{is_async}");
        let hides_after = format!("{is_async}\n{SNIPPET}");
        let hides = format!("{SNIPPET}{is_async}");
        let deferred = format!("{SNIPPET}<script defer src=/js/prj_1.js></script>");
        let inline = "<script src=a.js></script><script>(function(RULESET,SETTINGS,PARTS){})()</script>";
        for (html, expect) in [
            (
                "<!doctype html>\n<head><meta charset=utf-8>\n<script src=/js/prj_1.js></script>",
                "ok       position  line 3, in the head, after 43 B of HTML and nothing to wait for",
            ),
            (
                "<script async src=a.js></script><script defer src=a.js></script><script type=module src=a.js></script>\
                 <script>a()</script><link rel=preload as=script href=a.js><link rel=stylesheet media=print href=a.css>\
                 <script src=/js/prj_1.js></script>",
                "ok       position  line 1, in the head, after 204 B of HTML and nothing to wait for",
            ),
            (
                "<script src=a.js></script>\n<link rel=stylesheet href=a.css>\n<script src=b.js></script>\n\
                 <script src=/js/prj_1.js></script>\n<script src=c.js></script>",
                "warning  position  line 4, in the head, after 87 B of HTML: it waits for 2 scripts (lines 1 and 3) and \
                 a style sheet (line 2)",
            ),
            (&far, "warning  position  line 2, in the head, after 40 kB of HTML"),
            (inline, "warning  position  line 1, in the head, after 26 B of HTML: it waits for a script (line 1)"),
            (
                "<head></head>\n<body>\n<p>Hello\n<script src=/js/prj_1.js></script>",
                "problem  position  line 4, in the body (from line 2): content before it may be painted before it runs",
            ),
            (
                "<head>\n<div></div>\n<script src=/js/prj_1.js></script></head>",
                "problem  position  line 3, after the head, which ends with <div> on line 2: content before it may be \
                 painted before it runs",
            ),
            (
                "<script defer src=/js/prj_1.js></script>",
                "problem  position  defer makes it run after the whole page is parsed; content that is painted by then \
                 is not changed",
            ),
            (
                is_async,
                "problem  position  async lets the page be painted before it runs; content that is painted by then is \
                 not changed",
            ),
            (
                "<script type=module src=/js/prj_1.js></script>",
                "problem  position  type=\"module\" makes it run after the whole page is parsed, and it does not know \
                 its own address",
            ),
            (&hides, "ok       position  async; the lines that hide what experiments change are in the head (line 1)"),
            (
                &deferred,
                "warning  position  defer makes it run after the whole page is parsed, but the page is hidden for a \
                 second at most",
            ),
            (
                &hides_late,
                "problem  position  the lines that hide the page are in the body: content before them may be painted",
            ),
            (
                &hides_after,
                "problem  position  the lines that hide the page come after the tag (line 2): the script may run \
                 before they do",
            ),
        ] {
            let page = Page::read(html);
            let base = Url::parse("https://shop.example/").unwrap();
            let found = locate::ours(&page, &base, None).remove(0);
            let mut findings = Findings::default();
            check(&page, &found, &mut findings);
            let text = findings.text();
            assert_eq!(text.lines().next(), Some(expect), "{html:.200}");
            assert_eq!(text.lines().count() > 1, !expect.starts_with("ok"), "{text}");
        }
    }
}
