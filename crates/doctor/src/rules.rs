//! Checks whether the page's policies allow the script, the code of its experiments, and its events.

use super::delivered::DeliveredScript;
use super::findings::Findings;
use super::locate::Ours;
use super::page::{Page, Script};
use super::policy::{Because, Origin, Policy, Refusal, Tag};
use ureq::http::HeaderMap;
use url::Url;

/// Name of the Trusted Types policy that the script creates.
const TYPE_POLICY: &str = "muriel";

/// The policies of a page, from its headers and `<meta>` elements.
pub(super) fn policies(headers: &HeaderMap, page: &Page) -> Vec<Policy> {
    let mut found = Vec::new();
    for (name, report_only) in [("content-security-policy", false), ("content-security-policy-report-only", true)] {
        for value in headers.get_all(name).iter() {
            found.extend(Policy::read(&String::from_utf8_lossy(value.as_bytes()), Origin::Header, report_only));
        }
    }
    for meta in &page.policies {
        let origin = Origin::Meta { line: meta.at.line, from: meta.at.offset };
        found.extend(Policy::read(&meta.content, origin, false));
    }
    found
}

/// Requests that the policies are checked against.
pub(super) struct Case<'a> {
    pub(super) page: &'a Url,
    pub(super) ours: &'a Ours<'a>,
    /// Addresses that were requested for the script, the last one being where it is; empty when it is inline.
    pub(super) from: Vec<&'a Url>,
    /// The inline snippet for an asynchronous script.
    pub(super) snippet: Option<&'a Script>,
    /// Address for events.
    pub(super) events: Option<&'a Url>,
    pub(super) carried: Option<&'a DeliveredScript>,
}

/// Reports what the policies allow.
pub(super) fn check(policies: &[Policy], case: &Case<'_>, findings: &mut Findings) {
    if policies.is_empty() {
        return findings.ok("policy", "there is no Content-Security-Policy");
    }
    let before = findings.0.len();
    let mut notes = Vec::new();
    for policy in policies {
        one(policy, case, &mut notes, findings);
    }
    trusted_types(policies, case, &mut notes, findings);
    if findings.0.len() == before {
        let mut kinds: Vec<_> = policies.iter().map(named).collect();
        kinds.dedup();
        let let_through = if kinds.len() == 1 { "lets" } else { "let" };
        findings.ok("policy", format!("{} {let_through} the script and its events through", kinds.join(" and ")));
    }
    for note in notes {
        findings.ok("policy", note);
    }
}

/// A policy in words.
fn named(policy: &Policy) -> String {
    match (policy.origin, policy.report_only) {
        (Origin::Header, false) => "Content-Security-Policy".to_owned(),
        (Origin::Header, true) => "Content-Security-Policy-Report-Only (only reports)".to_owned(),
        (Origin::Meta { line, .. }, _) => format!("the policy in <meta> on line {line}"),
    }
}

fn one(policy: &Policy, case: &Case<'_>, notes: &mut Vec<String>, findings: &mut Findings) {
    let script = case.ours.script;
    let mut report = |message: String, advice: String| {
        if policy.report_only {
            findings.warning("policy", format!("{}: {message}", named(policy)), advice);
        } else {
            findings.problem("policy", format!("{}: {message}", named(policy)), advice);
        }
    };
    if !policy.runs_scripts() {
        return report(
            "sandbox does not allow scripts".to_owned(),
            "Add allow-scripts to sandbox, or remove sandbox.".to_owned(),
        );
    }
    let mut runs = true;
    // A policy has no effect on tags above it.
    if policy.holds_at(script.at.offset) {
        let tag = |at: usize, url: &'_ Url| {
            let tag = Tag { url, redirected: at > 0, nonce: &script.nonce, integrity: &script.integrity };
            policy.script(tag, case.page).err().map(|refusal| (refusal, Some(url.origin().ascii_serialization())))
        };
        let refused = if case.from.is_empty() {
            policy.inline(Some(&script.text), &script.nonce).err().map(|refusal| (refusal, None))
        } else {
            case.from.iter().enumerate().find_map(|(at, url)| tag(at, url))
        };
        if let Some((refusal, origin)) = refused {
            runs = false;
            let advice = match origin {
                Some(origin) => tag_advice(&refusal, &origin),
                None => inline_advice(&refusal),
            };
            report(format!("{} does not allow the script", refusal.directive), advice);
        }
    }
    if let Some(snippet) = case.snippet.filter(|snippet| policy.holds_at(snippet.at.offset))
        && let Err(refusal) = policy.inline(Some(&snippet.text), &snippet.nonce)
    {
        let message =
            format!("{} does not allow the lines that hide the page (line {})", refusal.directive, snippet.at.line);
        report(message, inline_advice(&refusal));
    }
    if let Some(to) = case.events
        && let Err(refusal) = policy.connection(to, case.page)
    {
        let origin = to.origin().ascii_serialization();
        let message = format!("{} does not allow events to {origin}", refusal.directive);
        report(message, named_in("connect-src", &refusal.directive, &origin));
    }
    // If the script does not run, that was reported already.
    if runs && let Err(refusal) = policy.inline(None, &script.nonce) {
        let message = format!("{} does not allow the JavaScript of experiments", refusal.directive);
        let has = case.carried.map(|carried| carried.with_code);
        matters(
            policy.report_only,
            has,
            &format!("{}: {message}", named(policy)),
            &code_advice(&refusal),
            notes,
            findings,
        );
    }
}

/// Reports on what only some experiments need; `has` is the number of such experiments, if known.
fn matters(
    report_only: bool,
    has: Option<usize>,
    message: &str,
    advice: &str,
    notes: &mut Vec<String>,
    findings: &mut Findings,
) {
    match has {
        Some(0) if report_only => {}
        Some(0) => notes.push(format!("{message}; no experiment has any now. {advice}")),
        Some(_) if !report_only => findings.problem("policy", message, advice),
        _ => findings.warning("policy", message, advice),
    }
}

/// Reports whether text may become HTML and code. Several policies may decide this together.
fn trusted_types(policies: &[Policy], case: &Case<'_>, notes: &mut Vec<String>, findings: &mut Findings) {
    for report_only in [false, true] {
        let of = || policies.iter().filter(|policy| policy.report_only == report_only);
        let closed = of().find(|policy| !policy.takes_type_policy(TYPE_POLICY));
        let Some(closed) = closed.filter(|_| of().any(Policy::requires_trusted_types)) else { continue };
        let message = format!("{}: trusted-types does not allow HTML and JavaScript of experiments", named(closed));
        let has = case.carried.map(|carried| carried.with_code + carried.with_html);
        matters(report_only, has, &message, &format!("Add {TYPE_POLICY} to trusted-types."), notes, findings);
    }
}

const OTHER_NONCE: &str = "The tag's nonce is not the policy's: generate one for both with each answer, and do not let \
                           a cache keep the page.";

/// Advice on how to allow an origin when `found` is the directive that forbids it.
fn named_in(directive: &str, found: &str, origin: &str) -> String {
    match found {
        // A separate directive, because the other types that fall back on `default-src` do not need the origin.
        "default-src" => format!("Add {directive} with the sources of default-src and {origin}."),
        found => format!("Add {origin} to {found}."),
    }
}

fn tag_advice(refusal: &Refusal, origin: &str) -> String {
    match refusal.because {
        Because::OtherNonce => OTHER_NONCE.to_owned(),
        Because::StrictDynamic => {
            "'strict-dynamic' ignores hosts: put the page's nonce on the tag, nonce=\"…\".".to_owned()
        }
        Because::Unnamed if refusal.directive == "default-src" => named_in("script-src", "default-src", origin),
        Because::Unnamed => {
            format!("Add {origin} to {}, or the page's nonce to it and to the tag.", refusal.directive)
        }
    }
}

fn inline_advice(refusal: &Refusal) -> String {
    match refusal.because {
        Because::OtherNonce => OTHER_NONCE.to_owned(),
        _ => "Put the page's nonce on it, nonce=\"…\", and into script-src.".to_owned(),
    }
}

fn code_advice(refusal: &Refusal) -> String {
    match refusal.because {
        Because::OtherNonce => OTHER_NONCE.to_owned(),
        _ => "Put the page's nonce on the script's tag, nonce=\"…\", and into script-src.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::locate;
    use super::super::position::snippet;
    use super::*;

    /// Findings for a page with these policies in its header; those after a `|` are report-only.
    fn findings_text(header: &str, html: &str, with_code: usize, with_html: usize) -> String {
        let page = Page::read(html);
        let url = Url::parse("https://shop.example/").unwrap();
        let ours = locate::ours(&page, &url, None).remove(0);
        let events = Url::parse("https://muriel.example/events/prj_1").unwrap();
        let carried = DeliveredScript {
            project_key: "prj_1".to_owned(),
            live: 1,
            served: 0,
            goals: 0,
            with_code,
            with_html,
            base: String::new(),
            events: "/events/prj_1".to_owned(),
            page_api: "muriel".to_owned(),
        };
        let mut headers = HeaderMap::new();
        let (enforced, reported) = header.split_once('|').unwrap_or((header, ""));
        headers.insert("content-security-policy", enforced.parse().unwrap());
        headers.insert("content-security-policy-report-only", reported.parse().unwrap());
        let from = ours.url.clone();
        let case = Case {
            page: &url,
            ours: &ours,
            from: from.iter().collect(),
            snippet: snippet(&page),
            events: Some(&events),
            carried: Some(&carried),
        };
        let mut findings = Findings::default();
        check(&policies(&headers, &page), &case, &mut findings);
        findings.text()
    }

    #[test]
    fn each_address_on_the_way_must_be_allowed() {
        let page = Page::read(TAG);
        let url = |text: &str| Url::parse(text).unwrap();
        let (at, first, last) = (
            url("https://shop.example/"),
            url("https://muriel.example/js/prj_1.js"),
            url("https://cdn.example/js/prj_1.js"),
        );
        let ours = locate::ours(&page, &at, None).remove(0);
        for (sources, expect) in [
            ("https://muriel.example/js/ https://cdn.example/elsewhere", None),
            ("https://muriel.example/elsewhere https://cdn.example", Some("Add https://muriel.example to")),
            ("https://muriel.example", Some("Add https://cdn.example to")),
        ] {
            let from = vec![&first, &last];
            let case = Case { page: &at, ours: &ours, from, snippet: None, events: None, carried: None };
            let policies = Policy::read(&format!("script-src-elem {sources} 'unsafe-inline'"), Origin::Header, false);
            let mut findings = Findings::default();
            check(&policies, &case, &mut findings);
            let text = findings.text();
            assert_eq!(text.contains("problem"), expect.is_some(), "{text}");
            assert!(text.contains(expect.unwrap_or("lets the script")), "{text}");
        }
    }

    const TAG: &str = "<script src=https://muriel.example/js/prj_1.js></script>";
    const WITH_NONCE: &str = "<script nonce=n src=https://muriel.example/js/prj_1.js></script>";

    #[test]
    fn policies_that_let_all_through() {
        let hidden = "<script>adoptedStyleSheets;x='visibility:hidden!important';e.over=1</script>";
        for (header, html, expect) in [
            ("", TAG.to_owned(), "there is no Content-Security-Policy"),
            ("img-src 'none'", TAG.to_owned(), "Content-Security-Policy lets the script and its events through"),
            (
                "default-src 'none'; script-src 'nonce-n' https://muriel.example; connect-src https://muriel.example; \
                 require-trusted-types-for 'script'; trusted-types muriel",
                WITH_NONCE.to_owned(),
                "Content-Security-Policy lets the script and its events through",
            ),
            (
                "script-src 'nonce-n' 'strict-dynamic'|script-src 'nonce-n'",
                format!("{hidden}{WITH_NONCE}").replace("<script>", "<script nonce=n>"),
                "Content-Security-Policy and Content-Security-Policy-Report-Only (only reports) let the script and its events through",
            ),
            // A policy in the page is in effect only for what comes after it.
            (
                "",
                format!(
                    "{WITH_NONCE}<meta http-equiv=content-security-policy content=\"script-src 'nonce-n' 'self'\">"
                ),
                "the policy in <meta> on line 1 lets the script and its events through",
            ),
        ] {
            assert_eq!(findings_text(header, &html, 1, 1), format!("ok       policy  {expect}\n"), "{header}");
        }
    }

    #[test]
    fn policies_that_forbid_something() {
        let hidden = "<script>adoptedStyleSheets;x='visibility:hidden!important';e.over=1</script>";
        let meta = "<meta http-equiv=content-security-policy content=\"script-src 'unsafe-inline'\">";
        for (header, html, codes, expect) in [
            (
                "script-src 'self' 'unsafe-inline'",
                TAG.to_owned(),
                0,
                "problem  policy  Content-Security-Policy: script-src does not allow the script\n                 \
                 Add https://muriel.example to script-src, or the page's nonce to it and to the tag.\n",
            ),
            (
                "script-src 'nonce-n'",
                WITH_NONCE.replace("nonce=n", "nonce=old"),
                0,
                "problem  policy  Content-Security-Policy: script-src does not allow the script\n                 \
                 The tag's nonce is not the policy's: generate one for both with each answer, and do not let a cache \
                 keep the page.\n",
            ),
            (
                "script-src 'nonce-n' 'strict-dynamic' https:",
                TAG.to_owned(),
                0,
                "problem  policy  Content-Security-Policy: script-src does not allow the script\n                 \
                 'strict-dynamic' ignores hosts: put the page's nonce on the tag, nonce=\"…\".\n",
            ),
            (
                "",
                format!("{meta}\n{TAG}"),
                0,
                "problem  policy  the policy in <meta> on line 1: script-src does not allow the script\n                 \
                 Add https://muriel.example to script-src, or the page's nonce to it and to the tag.\n",
            ),
            (
                "default-src 'self'; script-src https: 'unsafe-inline'",
                TAG.to_owned(),
                0,
                "problem  policy  Content-Security-Policy: default-src does not allow events to https://muriel.example\n\
                 \u{20}                Add connect-src with the sources of default-src and https://muriel.example.\n",
            ),
            (
                "connect-src 'self'",
                TAG.to_owned(),
                0,
                "problem  policy  Content-Security-Policy: connect-src does not allow events to https://muriel.example\n\
                 \u{20}                Add https://muriel.example to connect-src.\n",
            ),
            (
                "script-src https://muriel.example",
                format!("{hidden}\n{TAG}"),
                0,
                "problem  policy  Content-Security-Policy: script-src does not allow the lines that hide the page \
                 (line 1)\n\
                 \u{20}                Put the page's nonce on it, nonce=\"…\", and into script-src.\n\
                 ok       policy  Content-Security-Policy: script-src does not allow the JavaScript of experiments; no \
                 experiment has any now. Put the page's nonce on the script's tag, nonce=\"…\", and into script-src.\n",
            ),
            (
                "script-src https://muriel.example",
                TAG.to_owned(),
                2,
                "problem  policy  Content-Security-Policy: script-src does not allow the JavaScript of experiments\n\
                 \u{20}                Put the page's nonce on the script's tag, nonce=\"…\", and into script-src.\n",
            ),
            (
                "sandbox allow-forms",
                TAG.to_owned(),
                0,
                "problem  policy  Content-Security-Policy: sandbox does not allow scripts\n                 \
                 Add allow-scripts to sandbox, or remove sandbox.\n",
            ),
            // One policy can require what another one makes impossible.
            (
                "require-trusted-types-for 'script', trusted-types app",
                TAG.to_owned(),
                1,
                "problem  policy  Content-Security-Policy: trusted-types does not allow HTML and JavaScript of \
                 experiments\n                 Add muriel to trusted-types.\n",
            ),
            (
                "|script-src 'unsafe-inline'",
                TAG.to_owned(),
                0,
                "warning  policy  Content-Security-Policy-Report-Only (only reports): script-src does not allow the \
                 script\n                 Add https://muriel.example to script-src, or the page's nonce to it and to \
                 the tag.\n",
            ),
        ] {
            assert_eq!(findings_text(header, &html, codes, 0), expect, "{header}");
        }
        // No policy requires Trusted Types.
        assert!(findings_text("trusted-types app", TAG, 1, 1).starts_with("ok"));
        let types = "require-trusted-types-for 'script'; trusted-types app";
        assert!(findings_text(types, TAG, 0, 0).contains("no experiment has any now. Add muriel to trusted-types."));
        assert!(findings_text(types, TAG, 0, 1).starts_with("problem"));
    }
}
