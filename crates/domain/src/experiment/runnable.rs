//! Detection of visual changes that can make a browser run code, or load something, on a customer's page.

use super::{Change, Experiment};
use crate::targeting::UrlMatch;
use serde_json::Value;

/// Keys that insert HTML.
const HTML_KEYS: [&str; 3] = ["innerHTML", "outerHTML", "htmlBlock"];

/// Types of elements whose `href` a browser only follows or displays.
const LINKS: [&str; 3] = ["a", "area", "image"];

/// Key that marks a delivered change as stored with the scope `code`. The script checks it.
pub const CODE_MARK: &str = "code";

/// Sites of an experiment's pages, as far as its rules name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sites(Vec<String>);

impl Sites {
    /// Returns the sites of an experiment's pages. Empty when a rule leaves the host open.
    ///
    /// The hosts are those of the page rules that include or, without any page rules, of the variants' key. A *contain*
    /// or *regex* rule leaves the host open, and so do excluding rules alone.
    pub fn of(experiment: &Experiment) -> Self {
        let rules = &experiment.targeting.url_rule;
        let hosts: Option<Vec<String>> = if rules.is_empty() {
            host(experiment.variants_data_key.as_str()).map(|one| vec![one])
        } else {
            let named = |rule: UrlMatch| matches!(rule, UrlMatch::Simple | UrlMatch::Exact | UrlMatch::Wildcard);
            let allowed = rules.iter().filter(|entry| entry.allowed);
            allowed.map(|entry| if named(entry.rule) { host(entry.url.trim()) } else { None }).collect()
        };
        Self(hosts.unwrap_or_default())
    }

    /// Returns whether an address is on every one of the sites: on the same host, or on a subdomain.
    fn have(&self, address: &str) -> bool {
        let is_on = |to: &str, site: &String| {
            to == site || to.strip_suffix(site.as_str()).is_some_and(|below| below.ends_with('.'))
        };
        !self.0.is_empty() && host(address).is_some_and(|to| self.0.iter().all(|site| is_on(&to, site)))
    }
}

impl Change {
    /// Returns whether the change can make a browser run or load something that was not on the page: HTML; an address
    /// in `src`; an address in `href`, except on links without a script scheme; a style that loads; an attribute that
    /// libraries run; or a redirect to a site outside of `sites`. Storing such a change requires the scope `code`.
    ///
    /// The elements that `target` selects are known only on the page. The script therefore refuses other changes to
    /// elements that run or load their content.
    pub fn carries_code(&self, sites: &Sites) -> bool {
        let item = self.as_object();
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        // An unsafe `url` counts in any kind of change; other kinds do not use the key.
        if item.contains_key("url") && !sites.have(text("url")) {
            return true;
        }
        let loads_by_href =
            item.contains_key("href") && (!selects_only(text("target"), &LINKS) || is_script(text("href")));
        let is_run_by_libraries = |name: &String| name.starts_with("data-");
        HTML_KEYS.iter().any(|key| item.contains_key(*key))
            || item.contains_key("src")
            || loads_by_href
            || item.get("style").is_some_and(|style| match style {
                Value::Object(declarations) => declarations
                    .iter()
                    .any(|(name, value)| style_loads(name) || value.as_str().is_some_and(style_loads)),
                other => other.as_str().is_some_and(style_loads),
            })
            || item.get("attributes").and_then(Value::as_object).is_some_and(|set| set.keys().any(is_run_by_libraries))
    }

    /// Returns the change as delivered to the script: with a mark exactly when it carries code, whatever mark was sent.
    #[must_use]
    pub fn marked(&self, sites: &Sites) -> Self {
        let mut item = self.as_object().clone();
        item.remove(CODE_MARK);
        if self.carries_code(sites) {
            item.insert(CODE_MARK.to_owned(), true.into());
        }
        Self::of_object(item)
    }
}

/// Returns whether an address has a scheme that can run script. Skips white space and control characters, as browsers
/// do.
fn is_script(address: &str) -> bool {
    let start: String = address.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(11).collect();
    let start = start.to_ascii_lowercase();
    ["javascript:", "data:", "vbscript:", "blob:"].iter().any(|scheme| start.starts_with(scheme))
}

/// Returns whether a part of a style makes a browser load something. An escape can spell any name, so any escape
/// counts.
fn style_loads(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
    ["\\", "url(", "image(", "image-set(", "src(", "@import", "expression(", "-moz-binding", "behavior"]
        .iter()
        .any(|word| part.contains(word))
}

/// Host of an address without `www.`. `None` when the host is missing or a wildcard.
fn host(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let host = url.host_str().filter(|host| !host.contains('*'))?.trim_end_matches('.');
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// Returns whether every element that a selector matches has one of these types, as far as the text of the selector
/// shows.
fn selects_only(selector: &str, types: &[&str]) -> bool {
    // Escapes and comments can hide the end of a part.
    if selector.contains('\\') || selector.contains("/*") {
        return false;
    }
    let (mut open, mut quote) = (Vec::new(), None);
    // The compound selector being read. At the end of each alternative, it describes the matched element itself.
    let (mut compound, mut is_over) = (String::new(), false);
    let is_one = |compound: &str| {
        let name: String =
            compound.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '*')).collect();
        types.contains(&name.to_ascii_lowercase().as_str())
    };
    for c in selector.chars() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, ')' | ']') => {
                let opened = open.pop();
                if opened != Some(c) {
                    return false;
                }
            }
            (None, ',') if open.is_empty() => {
                if !is_one(&compound) {
                    return false;
                }
                compound.clear();
                is_over = false;
                continue;
            }
            (None, '>' | '+' | '~' | '|') if open.is_empty() => {
                is_over = true;
                continue;
            }
            (None, c) if c.is_whitespace() && open.is_empty() => {
                is_over |= !compound.is_empty();
                continue;
            }
            _ => {}
        }
        if is_over {
            compound.clear();
            is_over = false;
        }
        compound.push(c);
    }
    open.is_empty() && quote.is_none() && is_one(&compound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targeting::UrlRule;
    use serde_json::json;

    fn carries(item: &Value) -> bool {
        Change::new(item.as_object().unwrap().clone()).unwrap().carries_code(&Sites(vec!["shop.example".to_owned()]))
    }

    #[test]
    fn what_can_run_or_load_is_code() {
        for item in [
            json!({ "target": "h1", "innerHTML": "<b>Hi</b>" }),
            json!({ "target": "h1", "outerHTML": "" }),
            json!({ "refEl": "#a", "dir": "b", "htmlBlock": "<p>" }),
            json!({ "target": "img.hero", "src": "/b.png" }),
            json!({ "target": "script[src]", "src": "https://evil.example/x.js" }),
            json!({ "target": "base", "href": "https://evil.example/" }),
            json!({ "target": "#cta", "href": "/pricing" }),
            json!({ "target": "a, link", "href": "/x.css" }),
            json!({ "target": "a use", "href": "#x" }),
            json!({ "target": "a[title='a, a'] > use", "href": "#x" }),
            json!({ "target": ":is(a, use)", "href": "#x" }),
            json!({ "target": "\\61", "href": "#x" }),
            json!({ "target": "a", "href": " java\tscript:alert(1)" }),
            json!({ "target": "a", "href": "blob:https://shop.example/1" }),
            json!({ "target": "h1", "style": "background:url(https://evil.example/x)" }),
            json!({ "target": "h1", "style": { "background": "u\\72l(https://evil.example/x)" } }),
            json!({ "target": "h1", "style": { "background-image": "image-set('https://evil.example/x' 1x)" } }),
            json!({ "target": "h1", "style": { "color": "red", "a:url(x);b": "c" } }),
            json!({ "target": "h1", "attributes": { "data-hx-on:click": "alert(1)" } }),
            json!({ "url": "https://evil.example/login" }),
            json!({ "url": "https://notshop.example/login" }),
            json!({ "url": "https://evil.example/login", "refEl": null }),
            json!({ "url": "https://evil.example/login", "oriEl": "" }),
            json!({ "url": "https://shop.example.evil.example/login" }),
        ] {
            assert!(carries(&item), "{item}");
        }
    }

    #[test]
    fn words_links_and_looks_are_not() {
        for item in [
            json!({ "target": "h1", "innerText": "Hi", "note": { "src": 1 } }),
            json!({ "target": "a", "href": "/pricing" }),
            json!({ "target": "nav > A.cta[href*='a,b']:not(.x, .y), area, svg image", "href": "/pricing" }),
            json!({ "target": "host-element >>> a", "href": "/pricing" }),
            json!({ "target": "h1", "style": "color:red" }),
            json!({ "target": "h1", "style": { "width": "calc(100% - 2px)", "color": "rgb(1, 2, 3)" } }),
            json!({ "target": "h1", "class": "big" }),
            json!({ "target": "input", "attributes": { "placeholder": "Your name", "aria-label": "url(x)" } }),
            json!({ "rm": "script" }),
            json!({ "oriEl": "#a", "refEl": "#b", "dir": "p" }),
            json!({ "url": "https://shop.example/b" }),
            json!({ "url": "http://new.shop.example:8080/b" }),
        ] {
            assert!(!carries(&item), "{item}");
        }
    }

    #[test]
    fn a_redirect_stays_on_the_site_of_all_pages() {
        let redirect = Change::new(json!({ "url": "https://www.a.example/b" }).as_object().unwrap().clone()).unwrap();
        let stays = |key: &str, rules: &[(&str, UrlMatch, bool)]| {
            let mut experiment = super::super::tests::experiment(crate::experiment::Status::Draft);
            experiment.variants_data_key = crate::experiment::DataKey::stored(key.to_owned());
            experiment.targeting.url_rule =
                rules.iter().map(|(url, rule, allowed)| UrlRule::new(url, *rule, *allowed).unwrap()).collect();
            !redirect.carries_code(&Sites::of(&experiment))
        };
        for pages in ["", "*", "http://*", "https://*.example/", "https://a.example*", "/b", "a.example/b"] {
            assert!(!stays(pages, &[]), "{pages}: the site is not known");
        }
        for pages in ["https://a.example/*", "http://www.a.example./", "https://example/"] {
            assert!(stays(pages, &[]), "{pages}");
        }
        let (here, there) = ("https://a.example/*", "https://shop.example/");
        assert!(!stays(here, &[(there, UrlMatch::Exact, true)]), "the rules decide where it runs");
        assert!(stays(there, &[(here, UrlMatch::Wildcard, true)]));
        assert!(!stays(there, &[(here, UrlMatch::Wildcard, true), (there, UrlMatch::Simple, true)]));
        assert!(!stays(here, &[(here, UrlMatch::Contain, true)]));
        assert!(!stays(here, &[("https://a.example/no", UrlMatch::Exact, false)]), "it runs everywhere else");
    }

    #[test]
    fn a_redirect_is_what_the_script_follows() {
        for (item, is_redirect) in [
            (json!({ "url": "https://a.example/" }), true),
            (json!({ "url": "https://a.example/", "refEl": null }), true),
            (json!({ "url": "https://a.example/", "oriEl": "" }), true),
            (json!({ "url": "https://a.example/", "refEl": "", "oriEl": "#a" }), true),
            (json!({ "url": "https://a.example/", "oriEl": "#a" }), false),
            (json!({ "url": "https://a.example/", "target": "h1", "innerText": "x" }), false),
            (json!({ "target": "h1", "innerText": "x" }), false),
        ] {
            let change = Change::new(item.as_object().unwrap().clone()).unwrap();
            assert_eq!(change.is_redirect(), is_redirect, "{item}");
        }
    }

    #[test]
    fn only_the_server_marks_code() {
        let marked = |item: Value| {
            let change = Change::new(item.as_object().unwrap().clone()).unwrap();
            json!(change.marked(&Sites(Vec::new())))
        };
        let words = json!({ "target": "script", "textContent": "alert(1)" });
        let mut sent = words.clone();
        sent["code"] = true.into();
        assert_eq!(marked(sent), words);
        let html = json!({ "target": "h1", "innerHTML": "<b>", "code": false });
        assert_eq!(marked(html)["code"], true);
    }
}
