//! Finds Muriel's script on a page, or the reason why it is missing.

use super::delivered::DeliveredScript;
use super::findings::Findings;
use super::page::{Kind, Page, Script, TextPosition};
use url::Url;

/// Muriel's script in the page.
#[derive(Debug, Clone)]
pub(super) struct Ours<'p> {
    pub(super) script: &'p Script,
    /// Project key in its address.
    pub(super) key: Option<String>,
    /// Address that it is fetched from; `None` when all of it is inline.
    pub(super) url: Option<Url>,
}

/// Tag managers, which can insert scripts into a page, by a part of their address or code.
const MANAGERS: [(&str, &str); 7] = [
    ("googletagmanager.com/gtm.js", "Google Tag Manager"),
    ("googletagmanager.com/gtag/js", "the Google tag"),
    ("gtm.start", "Google Tag Manager"),
    ("assets.adobedtm.com", "Adobe's tag manager"),
    ("tags.tiqcdn.com", "Tealium"),
    ("/matomo/js/container_", "Matomo's tag manager"),
    ("cdn.segment.com/analytics.js", "Segment"),
];

/// The project key in an address or code with `/js/KEY.js`: the wanted one, or one of the form that
/// `muriel project create` gives.
fn key_in(text: &str, wanted: Option<&str>) -> Option<String> {
    // In JSON, the slashes of code are escaped.
    let text = text.replace("\\/", "/");
    let mut rests = text.match_indices("/js/").map(|(at, found)| &text[at + found.len()..]);
    rests.find_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')?;
        let (key, after) = rest.split_at(end);
        let is_one = key.starts_with("prj_") || Some(key) == wanted;
        (is_one && after.starts_with(".js")).then(|| key.to_owned())
    })
}

/// Returns whether a text is the inline snippet that hides parts of the page until an asynchronous script has decided.
pub fn is_snippet(text: &str) -> bool {
    // The script itself contains much of the same code.
    !DeliveredScript::is_script(text)
        && ["visibility:hidden!important", "adoptedStyleSheets", ".over="].iter().all(|part| text.contains(part))
}

/// The script's tags, in the order of the page. Addresses in the page are relative to `base`.
pub(super) fn ours<'p>(page: &'p Page, base: &Url, wanted: Option<&str>) -> Vec<Ours<'p>> {
    let of = |script: &'p Script| match &script.src {
        Some(src) => {
            let url = base.join(src).ok()?;
            let key = key_in(url.path(), wanted)?;
            Some(Ours { script, key: Some(key), url: Some(url) })
        }
        None => DeliveredScript::is_script(&script.text).then_some(Ours { script, key: None, url: None }),
    };
    page.scripts.iter().filter_map(of).collect()
}

/// Reports whether the script is on the page, once. Returns its first tag.
pub(super) fn check<'p>(page: &'p Page, base: &Url, wanted: Option<&str>, findings: &mut Findings) -> Option<Ours<'p>> {
    let all = ours(page, base, wanted);
    // A tag that runs is preferred over one that does not.
    let runs = |one: &&Ours<'p>| !matches!(one.script.kind, Kind::Data(_));
    let Some(first) = all.iter().find(runs).or(all.first()) else {
        absent(page, wanted, findings);
        return None;
    };
    let line = first.script.at.line;
    match &first.url {
        Some(url) => findings.ok("script", format!("line {line} loads {url}")),
        None => findings.ok("script", format!("line {line} contains it, inline")),
    }
    if let Kind::Data(kind) = &first.script.kind {
        held(line, kind, first.key.as_deref(), findings);
    }
    let others = all.iter().filter(|other| runs(other) && other.script.at != first.script.at);
    let (same, foreign): (Vec<_>, Vec<_>) = others.partition(|other| other.key == first.key);
    if !foreign.is_empty() {
        let keys: Vec<_> = foreign.iter().filter_map(|other| other.key.as_deref()).collect();
        let message = format!("the page loads another project's script too: {} ({})", keys.join(", "), lines(&foreign));
        findings.problem("script", message, "Only the first one runs. Keep only the tag of the right project.");
    }
    if !same.is_empty() {
        let message = format!("the page has it again ({})", lines(&same));
        findings.warning("script", message, "Only the first one runs; the others cost time. Keep one tag.");
    }
    Some(first.clone())
}

fn lines(ours: &[&Ours<'_>]) -> String {
    let places: Vec<_> = ours.iter().map(|one| one.script.at).collect();
    on(&places)
}

/// Lines in words: `line 4`, `lines 4, 6 and 7`.
pub(super) fn on(places: &[TextPosition]) -> String {
    let mut lines: Vec<_> = places.iter().map(|place| place.line).collect();
    lines.dedup();
    let numbers: Vec<_> = lines.iter().map(usize::to_string).collect();
    match numbers.as_slice() {
        [] => "no line".to_owned(),
        [one] => format!("line {one}"),
        [first @ .., last] if numbers.len() <= 6 => format!("lines {} and {last}", first.join(", ")),
        [first, .., last] => format!("{} lines from {first} to {last}", numbers.len()),
    }
}

/// Reports that something keeps the tag from running.
fn held(line: usize, kind: &str, key: Option<&str>, findings: &mut Findings) {
    let key = key.unwrap_or("prj_…");
    if kind.ends_with("-text/javascript") {
        let message =
            format!("line {line} is delayed by Cloudflare's Rocket Loader: it runs after the page is painted");
        return findings.problem("script", message, "Put data-cfasync=\"false\" on the tag.");
    }
    let (message, advice) = match kind {
        "<template>" => ("is in a <template>, where nothing runs".to_owned(), "Move it into the head.".to_owned()),
        "nomodule" => ("runs only in old browsers (nomodule)".to_owned(), "Take nomodule off the tag.".to_owned()),
        kind => (
            format!("has type=\"{kind}\", which no browser runs; a tool that changes the type later is too late"),
            format!(
                "Take the type off the tag. The script can wait for consent by itself:\n\
                 muriel project set {key} --consent required"
            ),
        ),
    };
    findings.problem("script", format!("line {line} {message}"), advice);
}

/// Reports why there is no tag, as far as the page shows it.
fn absent(page: &Page, wanted: Option<&str>, findings: &mut Findings) {
    let mut key = wanted.map(str::to_owned);
    let mut seen = |text: &str| match key_in(text, wanted) {
        None => false,
        Some(found) => {
            key.get_or_insert(found);
            true
        }
    };
    let attributes = page.scripts.iter().find(|script| script.others.iter().any(|value| seen(value)));
    let added = page.scripts.iter().find(|script| !is_snippet(&script.text) && seen(&script.text));
    let aside = page.asides.iter().find(|aside| seen(&aside.text));
    let preload = page.links.iter().find(|link| seen(&link.href));
    let manager = page.scripts.iter().find_map(|script| {
        let (_, name) = MANAGERS.iter().find(|(part, _)| {
            script.src.as_deref().is_some_and(|src| src.contains(part)) || script.text.contains(part)
        })?;
        Some((script.at.line, *name))
    });
    let snippet = page.scripts.iter().find(|script| is_snippet(&script.text));
    let message = match (attributes, added, aside, preload, manager) {
        (Some(script), ..) => format!(
            "no tag loads it: line {} has its address in an attribute other than src, so something else loads it later",
            script.at.line
        ),
        (_, Some(script), ..) => {
            format!("no tag loads it: the script on line {} adds it, which is too late", script.at.line)
        }
        (_, _, Some(aside), ..) => format!("no tag loads it: line {} has it in {}", aside.at.line, aside.kind),
        (_, _, _, Some(link), _) => {
            format!("no tag loads it: the <link> on line {} only prepares for it", link.at.line)
        }
        (_, _, _, _, Some((line, name))) => format!(
            "no tag loads it; {name} (line {line}) may add it, which the doctor cannot see, but then it runs after the \
             page is painted"
        ),
        _ => match snippet {
            Some(script) => {
                format!("the lines that hide the page are there (line {}), but no tag loads the script", script.at.line)
            }
            None => "the page does not load it".to_owned(),
        },
    };
    let key = key.as_deref().unwrap_or("prj_…");
    findings.problem(
        "script",
        message,
        format!(
            "Put it into the page's own head, before other scripts and style sheets. This command prints the tag:\n\
             muriel project snippet {key}"
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check_on(html: &str, wanted: Option<&str>, expect: Expect) -> Option<String> {
        let page = Page::read(html);
        let mut findings = Findings::default();
        let base = Url::parse("https://shop.example/boots").unwrap();
        let found =
            check(&page, &base, wanted, &mut findings).map(|ours| ours.url.map(String::from).unwrap_or_default());
        expect.assert_eq(&findings.text());
        found
    }

    #[test]
    fn keys_in_addresses() {
        for (text, wanted, expect) in [
            ("/js/prj_1.js", None, Some("prj_1")),
            ("/x/y/js/prj_a-B_2.js?v=3", None, Some("prj_a-B_2")),
            ("s.src='https:\\/\\/m.example\\/js\\/prj_1.js'", None, Some("prj_1")),
            ("/js/main.js /js/prj_1.js", None, Some("prj_1")),
            ("/js/main.js", None, None),
            ("/js/main.js", Some("main"), Some("main")),
            ("/js/prj_1.css", None, None),
            ("/js/prj_1", None, None),
            ("/js/parts/badge.js", None, None),
        ] {
            assert_eq!(key_in(text, wanted).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn a_script_is_found_by_its_address() {
        let found = check_on(
            "<head>\n<script src=\"/x/js/prj_1.js\"></script>",
            None,
            expect![[r#"
                ok       script  line 2 loads https://shop.example/x/js/prj_1.js
            "#]],
        );
        assert_eq!(found.as_deref(), Some("https://shop.example/x/js/prj_1.js"));
        let inline = "<script>(function(RULESET,SETTINGS,PARTS){})({},{},{})</script>";
        check_on(
            inline,
            None,
            expect![[r#"
                ok       script  line 1 contains it, inline
            "#]],
        );
        check_on(
            "<script src=//m.example/js/shop.js></script>",
            Some("shop"),
            expect![[r#"
                ok       script  line 1 loads https://m.example/js/shop.js
            "#]],
        );
    }

    #[test]
    fn one_is_enough() {
        let one = "<script src=/js/prj_1.js></script>\n";
        check_on(
            &format!("{one}{one}{one}"),
            None,
            expect![[r#"
                ok       script  line 1 loads https://shop.example/js/prj_1.js
                warning  script  the page has it again (lines 2 and 3)
                                 Only the first one runs; the others cost time. Keep one tag.
            "#]],
        );
        check_on(
            &format!("{one}<script src=/js/prj_2.js></script>"),
            None,
            expect![[r#"
                ok       script  line 1 loads https://shop.example/js/prj_1.js
                problem  script  the page loads another project's script too: prj_2 (line 2)
                                 Only the first one runs. Keep only the tag of the right project.
            "#]],
        );
    }

    #[test]
    fn what_keeps_a_tag_from_running() {
        check_on(
            "<script type=text/plain data-category=marketing src=/js/prj_1.js></script>",
            None,
            expect![[r#"
                ok       script  line 1 loads https://shop.example/js/prj_1.js
                problem  script  line 1 has type="text/plain", which no browser runs; a tool that changes the type later is too late
                                 Take the type off the tag. The script can wait for consent by itself:
                                 muriel project set prj_1 --consent required
            "#]],
        );
        check_on(
            "<script type=1f2-text/javascript src=/js/prj_1.js></script>",
            None,
            expect![[r#"
                ok       script  line 1 loads https://shop.example/js/prj_1.js
                problem  script  line 1 is delayed by Cloudflare's Rocket Loader: it runs after the page is painted
                                 Put data-cfasync="false" on the tag.
            "#]],
        );
    }

    #[test]
    fn a_page_without_it_says_what_it_has() {
        let paste = |key: &str, message: &str| {
            format!(
                "problem  script  {message}\n                 \
                 Put it into the page's own head, before other scripts and style sheets. This command prints the tag:\n                 \
                 muriel project snippet {key}\n"
            )
        };
        for (html, key, message) in [
            ("<p>Hello", "prj_…", "the page does not load it"),
            (
                "<script>adoptedStyleSheets;x='visibility:hidden!important';e.over=1</script>",
                "prj_…",
                "the lines that hide the page are there (line 1), but no tag loads the script",
            ),
            ("\n<!-- <script src=/js/prj_1.js></script> -->", "prj_1", "no tag loads it: line 2 has it in a comment"),
            (
                "<noscript><script src=/js/prj_1.js></script></noscript>",
                "prj_1",
                "no tag loads it: line 1 has it in <noscript>",
            ),
            (
                "<link rel=preload as=script href=/js/prj_1.js>",
                "prj_1",
                "no tag loads it: the <link> on line 1 only prepares for it",
            ),
            (
                "<script>s=document.createElement('script');s.src='/js/prj_1.js'</script>",
                "prj_1",
                "no tag loads it: the script on line 1 adds it, which is too late",
            ),
            (
                "<script type=rocketlazyloadscript data-rocket-src=/js/prj_1.js></script>",
                "prj_1",
                "no tag loads it: line 1 has its address in an attribute other than src, so something else loads it \
                 later",
            ),
            (
                "\n<script async src='https://www.googletagmanager.com/gtm.js?id=GTM-1'></script>",
                "prj_…",
                "no tag loads it; Google Tag Manager (line 2) may add it, which the doctor cannot see, but then it \
                 runs after the page is painted",
            ),
        ] {
            let page = Page::read(html);
            let mut findings = Findings::default();
            assert!(check(&page, &Url::parse("https://shop.example/").unwrap(), None, &mut findings).is_none());
            assert_eq!(findings.text(), paste(key, message), "{html}");
        }
    }
}
