//! What a script that somebody was served says of its project: the way back from [`compose`](super::compose).

use super::RUNTIME;
use serde_json::Value;

/// What a project's script carries, as far as it can be told from its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Whose script it is.
    pub project_key: String,
    /// Experiments that run.
    pub live: usize,
    /// Experiments of which a winner is served.
    pub served: usize,
    /// Goals that the page watches for.
    pub goals: usize,
    /// Experiments with JavaScript.
    pub with_code: usize,
    /// Experiments that put HTML into the page.
    pub with_html: usize,
    /// What paths begin with: `https://muriel.example`, `/x`, or nothing for the origin that the script came from.
    pub base: String,
    /// The path to which events are sent.
    pub events: String,
    /// The name of the page API.
    pub page_api: String,
}

impl Carried {
    /// Whether a text is such a script, or begins as one does.
    pub fn is_script(text: &str) -> bool {
        // Who passes it on may leave its first line out, which is a comment.
        let opened = |text: &str| text.trim_start().starts_with(opening());
        opened(text)
            || text.trim_start().starts_with("//") && text.split_once('\n').is_some_and(|(_, rest)| opened(rest))
    }

    /// What the script carries; nothing where it is none, or somebody on the way has changed it.
    pub fn read(script: &str) -> Option<Self> {
        if !Self::is_script(script) {
            return None;
        }
        // Where `super::literal` has made a key computed; in a text its quotes would be escaped.
        let text = script.get(script.find("({\"format\":")? + 1..)?.replace("[\"__proto__\"]:", super::PROTOTYPE);
        let (ruleset, rest) = first(&text)?;
        let (settings, _) = first(rest.strip_prefix(',')?)?;
        let experiments = ruleset["experiments"].as_array()?;
        let count = |is: fn(&Value) -> bool| experiments.iter().filter(|experiment| is(experiment)).count();
        let setting = |name: &str| settings[name].as_str().map(str::to_owned);
        Some(Self {
            project_key: ruleset["project_key"].as_str()?.to_owned(),
            live: count(|experiment| experiment["live"] == true),
            served: count(|experiment| experiment["live"] != true),
            goals: ruleset["goals"].as_array().map_or(0, Vec::len),
            with_code: count(has_code),
            with_html: count(has_html),
            base: setting("base")?,
            events: setting("events")?,
            page_api: setting("global")?,
        })
    }
}

/// How the script's code begins.
fn opening() -> &'static str {
    let code = RUNTIME.find('(').map_or(RUNTIME, |start| &RUNTIME[start..]);
    code.find('{').map_or(code, |end| &code[..=end])
}

/// The JSON value that a text begins with, and what follows it.
fn first(text: &str) -> Option<(Value, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}

fn variants(experiment: &Value) -> impl Iterator<Item = &Value> {
    experiment["variants"].as_array().into_iter().flatten()
}

fn has_code(experiment: &Value) -> bool {
    let is_there = |code: &Value| code.as_str().is_some_and(|code| !code.is_empty());
    is_there(&experiment["custom_js"])
        || is_there(&experiment["control"]["customJS"])
        || variants(experiment).any(|variant| is_there(&variant["customJS"]))
}

fn has_html(experiment: &Value) -> bool {
    variants(experiment)
        .flat_map(|variant| variant["data"].as_array().into_iter().flatten())
        .any(|item| ["innerHTML", "outerHTML", "htmlBlock"].iter().any(|name| item.get(name).is_some()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::document;
    use super::super::{Beside, Under, compose};
    use super::*;
    use crate::site::Site;
    use serde_json::json;

    #[test]
    fn a_script_tells_what_it_carries() {
        let site = Site { page_api: "shop".parse().unwrap(), visitor_prefix: "/x".parse().unwrap() };
        let beside = Beside {
            settings: serde_json::from_value(json!({ "base": "https://m.example" })).unwrap(),
            ..Beside::default()
        };
        let html = json!({ "refEl": "h1", "dir": "a", "htmlBlock": "</script>\u{2028}" });
        for (fields, under, live, with_code, with_html, base, events) in [
            (json!({}), Under::Root, 1, 0, 0, "https://m.example", "/events/prj_1"),
            (json!({ "live": false }), Under::Prefix, 0, 0, 0, "", "/x/events/prj_1"),
            (json!({ "variants": [{ "data": [html] }] }), Under::Prefix, 1, 0, 1, "", "/x/events/prj_1"),
            (json!({ "variants": [{ "customJS": "for (;;) a()" }] }), Under::Prefix, 1, 1, 0, "", "/x/events/prj_1"),
            (
                json!({ "custom_js": "a()", "targeting": { "url_rule": [], "__proto__": 1 } }),
                Under::Prefix,
                1,
                1,
                0,
                "",
                "/x/events/prj_1",
            ),
        ] {
            let script = compose(&document(fields.clone()), &beside, &site, under);
            let expect = Carried {
                project_key: "prj_1".to_owned(),
                live,
                served: 1 - live,
                goals: 0,
                with_code,
                with_html,
                base: base.to_owned(),
                events: events.to_owned(),
                page_api: "shop".to_owned(),
            };
            assert_eq!(Carried::read(&script), Some(expect), "{fields}");
        }
    }

    #[test]
    fn what_is_no_whole_script_tells_nothing() {
        let script = compose(&document(json!({})), &Beside::default(), &Site::default(), Under::Root);
        let cut = &script[..script.len() - 300];
        let (_, code) = cut.split_once('\n').unwrap();
        for (text, is_script) in [
            ("", false),
            ("<!doctype html>", false),
            ("// a comment\n(function(a,b,c){", false),
            (cut, true),
            (code, true),
            (RUNTIME, true),
        ] {
            assert_eq!((Carried::is_script(text), Carried::read(text)), (is_script, None), "{text:.40}");
        }
    }
}
