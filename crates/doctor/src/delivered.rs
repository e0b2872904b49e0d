//! Contents of a delivered script: its project, and numbers of its experiments.

use serde_json::Value;

/// Beginning of the code of every delivered script. `muriel-service` composes the script, and its tests check that it
/// is read here.
const OPENING: &str = "(function(RULESET,SETTINGS,PARTS){";
/// JSON key of an object that would set the object's prototype in JavaScript.
const PROTOTYPE: &str = "\"__proto__\":";
/// Form of that key in the script: a computed key does not set the prototype.
const COMPUTED_PROTOTYPE: &str = "[\"__proto__\"]:";

/// Contents of a project's script, as far as its text shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveredScript {
    /// The project that the script belongs to.
    pub project_key: String,
    /// Number of running experiments.
    pub live: usize,
    /// Number of experiments whose winner is served.
    pub served: usize,
    /// Number of goals that the script tracks on the page.
    pub goals: usize,
    /// Number of experiments with JavaScript of their own.
    pub with_code: usize,
    /// Number of experiments that insert HTML into the page.
    pub with_html: usize,
    /// Prefix of addresses: an origin (`https://muriel.example`), or empty for the origin of the script.
    pub base: String,
    /// The path to which the script sends events.
    pub events: String,
    /// The global name of the page API.
    pub page_api: String,
}

impl DeliveredScript {
    /// Returns whether a text is such a script, or the beginning of one.
    pub fn is_script(text: &str) -> bool {
        // The first line of the file is a comment, which a proxy may have removed.
        let opened = |text: &str| text.trim_start().starts_with(OPENING);
        opened(text)
            || text.trim_start().starts_with("//") && text.split_once('\n').is_some_and(|(_, rest)| opened(rest))
    }

    /// Reads a whole script. `None` when the text is not a script, is cut off, or was changed in transit.
    pub fn read(script: &str) -> Option<Self> {
        if !Self::is_script(script) {
            return None;
        }
        // Within a string the quotes would be escaped, so only keys are replaced.
        let text = script.get(script.find("({\"format\":")? + 1..)?.replace(COMPUTED_PROTOTYPE, PROTOTYPE);
        let (ruleset, rest) = first(&text)?;
        let (settings, _) = first(rest.strip_prefix(',')?)?;
        let experiments = ruleset["experiments"].as_array()?;
        let count = |is: fn(&Value) -> bool| experiments.iter().filter(|experiment| is(experiment)).count();
        let setting = |name: &str| settings[name].as_str().map(str::to_owned);
        let project_key = ruleset["project_key"].as_str()?.to_owned();
        // Older servers set the whole path as `events`, newer ones only a `prefix`.
        let events = setting("events").or_else(|| Some(format!("{}/events/{project_key}", setting("prefix")?)))?;
        Some(Self {
            project_key,
            live: count(|experiment| experiment["live"] == true),
            served: count(|experiment| experiment["live"] != true),
            goals: ruleset["goals"].as_array().map_or(0, Vec::len),
            with_code: count(has_code),
            with_html: count(has_html),
            base: setting("base")?,
            events,
            page_api: setting("global")?,
        })
    }
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
