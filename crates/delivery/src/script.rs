//! The script of a project: the runtime, followed by the ruleset, the settings and the
//! parts that the ruleset needs.
//!
//! The files in `script/` are built from web/runtime by `node web/runtime/build.mjs`.

use crate::site::Site;
use muriel_assign::{Delivered, Document};
use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue};
use muriel_domain::page::{ConsentMode, PageSettings};
use muriel_domain::targeting::{Audience, Targeting};
use serde::{Deserialize, Serialize};
use serde_json::ser::{CompactFormatter, Formatter};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

mod code_analysis;
#[cfg(test)]
mod delivered_tests;
mod loop_guards;

pub use code_analysis::CodeAnalysis;
pub use loop_guards::LoopGuards;

/// JavaScript of the runtime: `(function(RULESET,SETTINGS,PARTS){…})`.
const RUNTIME: &str = include_str!("script/runtime.js");
/// JavaScript of the badge of a preview, a separate file.
pub const BADGE: &str = include_str!("script/badge.js");
/// TypeScript types of the page API and of the variables that experiments' code can use.
const TYPES: &str = include_str!("script/muriel.d.ts");
/// Inline JavaScript of pages that do not wait for the script.
const SNIPPET: &str = include_str!("script/snippet.js");

/// Functions that the script contains only if the ruleset needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Evaluation of rules about visitors.
    Rules,
    /// Traffic source of visitors: a search, a mail…
    Source,
    /// Visual changes and customers' JavaScript.
    Changes,
    /// Redirects.
    Split,
    /// Goals that happen only on the page.
    Goals,
    /// Orders that the page adds to its data layer.
    Orders,
    /// Reports of a visitor's arm to tools on the page.
    Tools,
    /// Measurements of loading and responsiveness.
    Vitals,
}

impl Part {
    /// Every part.
    pub const ALL: [Part; 8] =
        [Part::Rules, Part::Source, Part::Changes, Part::Split, Part::Goals, Part::Orders, Part::Tools, Part::Vitals];

    /// Name in the runtime's `PARTS`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Rules => "rules",
            Part::Source => "source",
            Part::Changes => "changes",
            Part::Split => "split",
            Part::Goals => "goals",
            Part::Orders => "orders",
            Part::Tools => "tools",
            Part::Vitals => "vitals",
        }
    }

    /// JavaScript of the part: an expression.
    pub fn expression(self) -> &'static str {
        let text = match self {
            Part::Rules => include_str!("script/rules.js"),
            Part::Source => include_str!("script/source.js"),
            Part::Changes => include_str!("script/changes.js"),
            Part::Split => include_str!("script/split.js"),
            Part::Goals => include_str!("script/goals.js"),
            Part::Orders => include_str!("script/orders.js"),
            Part::Tools => include_str!("script/tools.js"),
            Part::Vitals => include_str!("script/vitals.js"),
        };
        text.trim_end()
    }

    /// Returns the parts that pages with this ruleset need, in the order of [`Part::ALL`]. `health` is
    /// true when pages report their measurements.
    pub fn of(document: &Document, orders: bool, health: bool) -> Vec<Part> {
        let any = |asks: fn(&Delivered) -> bool| document.experiments.iter().any(|delivered| asks(delivered));
        Self::ALL
            .into_iter()
            .filter(|part| match part {
                Part::Rules => any(has_rules),
                Part::Source => any(needs_source),
                Part::Changes => {
                    // Style sheets also wait until an application has shown its next view.
                    let has_text = |delivered: &Delivered| {
                        code_of(delivered).map(|code| &**code).chain(sheets(delivered)).any(|text| !text.is_empty())
                    };
                    document.experiments.iter().any(|delivered| has_items(delivered, false) || has_text(delivered))
                }
                Part::Split => any(|delivered| has_items(delivered, true)),
                // Page code reports `script` goals itself.
                Part::Goals => document.goals.iter().any(|goal| goal.goal_type != "script"),
                Part::Orders => orders,
                Part::Tools => any(|delivered| !delivered.tools.is_empty()),
                // The arms of a split test are different pages, which are not compared.
                Part::Vitals => health && any(|delivered| delivered.test_type != "split"),
            })
            .collect()
    }
}

fn has_items(delivered: &Delivered, redirects: bool) -> bool {
    delivered.variants.iter().flat_map(|variant| &variant.data).any(|item| item.is_redirect() == redirects)
}

fn has_rules(delivered: &Delivered) -> bool {
    delivered.targeting != Targeting::default() || delivered.test_type == "personalization"
}

fn needs_source(delivered: &Delivered) -> bool {
    let asks = |audience: &Audience| {
        audience.referral_rule.iter().flat_map(|group| group.iter()).any(|condition| condition.criteria == "source")
    };
    asks(&delivered.targeting.audience)
        || delivered.variants.iter().filter_map(|variant| variant.targeting.as_ref()).any(asks)
}

/// All JavaScript pieces of an experiment.
fn code_of(delivered: &Delivered) -> impl Iterator<Item = &Arc<str>> {
    let of_variants = delivered.variants.iter().map(|variant| &variant.code.js);
    [&delivered.custom_js, &delivered.control.js].into_iter().chain(of_variants)
}

/// Like [`code_of`], mutable.
fn code_of_mut(delivered: &mut Delivered) -> impl Iterator<Item = &mut Arc<str>> {
    let of_variants = delivered.variants.iter_mut().map(|variant| &mut variant.code.js);
    [&mut delivered.custom_js, &mut delivered.control.js].into_iter().chain(of_variants)
}

/// All style sheets of an experiment.
fn sheets(delivered: &Delivered) -> impl Iterator<Item = &str> {
    let of_variants = delivered.variants.iter().map(|variant| &*variant.code.css);
    [&*delivered.custom_css, &*delivered.control.css].into_iter().chain(of_variants)
}

/// Input of the script besides the ruleset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ScriptSettings {
    /// The project's page settings.
    pub settings: PageSettings,
    /// True when the project has a revenue goal.
    pub orders: bool,
    /// First starts of experiments, by id. They are not in the script: they are used to warn senders of
    /// exposures that are dated before the start.
    pub starts: BTreeMap<i64, Instant>,
    /// Types and values of the goals that compare addresses. They are not in the script: what they name is kept of the
    /// addresses of events.
    pub address_goals: Vec<(GoalType, GoalValue)>,
}

/// Settings argument of the script. The type of the same name in web/runtime mirrors it.
#[derive(Serialize)]
struct Settings<'a> {
    base: &'a str,
    prefix: &'a str,
    global: &'a str,
    consent: ConsentMode,
    gpc: bool,
    bots: bool,
    health: u8,
}

/// Path below which a script is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mount {
    /// The root of the server.
    Root,
    /// The prefix [`Site::visitor_prefix`].
    Prefix,
}

/// Composes the script of the ruleset's project. The document's code must have its guards, from
/// [`LoopGuards::guarded`].
pub fn compose(document: &Document, script_settings: &ScriptSettings, site: &Site, under: Mount) -> String {
    let settings = &script_settings.settings;
    // Below a prefix of the site's own domain, pages send everything to the host from which they loaded the script.
    let (base, prefix) = match under {
        Mount::Root => (settings.base.as_str(), ""),
        Mount::Prefix => ("", site.visitor_prefix.as_str()),
    };
    let settings = Settings {
        base,
        prefix,
        global: site.page_api.as_str(),
        consent: settings.consent,
        gpc: settings.gpc,
        bots: settings.bots,
        health: settings.health.get(),
    };
    let mut script = RUNTIME.trim_end().to_owned();
    script.push('(');
    script += &literal(document);
    script.push(',');
    script += &literal(&settings);
    script += ",{";
    for (at, part) in Part::of(document, script_settings.orders, settings.health > 0).into_iter().enumerate() {
        if at > 0 {
            script.push(',');
        }
        script += part.name();
        script.push(':');
        script += part.expression();
    }
    script += "});\n";
    script
}

/// Returns a part as a separate file. Once it has loaded, the function is the property `muriel` of the
/// script's element.
pub fn part_file(part: Part) -> String {
    format!("document.currentScript.muriel={};\n", part.expression())
}

/// Returns the TypeScript types of the page API. `global` is its name on pages.
pub fn types(global: &str) -> String {
    TYPES.replace("\n  muriel: Muriel.Page;", &format!("\n  {global}: Muriel.Page;"))
}

/// The part of the page that is hidden until the script has decided, for at most a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetKind {
    /// Nothing: the tag blocks the page until the script has loaded.
    Blocks,
    /// The page.
    HidesPage,
    /// Elements with the attribute `data-muriel`.
    HidesMarked,
}

/// Returns the HTML for a page's head: the tag, preceded by the inline snippet if anything is to be hidden. It
/// needs no escaping if `base` and `prefix` were parsed.
pub fn tags(base: &str, prefix: &str, page_api: &str, key: &str, kind: SnippetKind) -> String {
    let source = format!("{base}{prefix}/js/{key}.js");
    let selector = match kind {
        SnippetKind::Blocks => return format!("<script src=\"{source}\"></script>\n"),
        SnippetKind::HidesPage => "html",
        SnippetKind::HidesMarked => "[data-muriel]",
    };
    let inline = snippet(page_api, selector);
    // Browsers fetch asynchronous scripts late unless the tag gives them priority.
    format!("<script>{inline}</script>\n<script async fetchpriority=\"high\" src=\"{source}\"></script>\n")
}

/// Returns the inline snippet for an asynchronous script: it queues calls of the page API `global` and
/// hides the elements that match `selectors` for at most a second.
fn snippet(global: &str, selectors: &str) -> String {
    let mut script = String::new();
    let mut rest = SNIPPET.trim_end();
    // The build uses capitals for placeholders only, so these words are unambiguous.
    while let Some(at) = rest.find(|c: char| c.is_ascii_uppercase()) {
        let (before, from) = rest.split_at(at);
        script += before;
        let end = from.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        match word {
            "GLOBAL" => script += &literal(global),
            "SELECTORS" => script += &literal(selectors),
            other => script += other,
        }
        rest = after;
    }
    script + rest
}

/// Serialises to JSON that means the same in JavaScript in any place: it neither ends a
/// `<script>` element nor begins an HTML comment.
fn literal<T: Serialize + ?Sized>(value: &T) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Literal(CompactFormatter));
    // Only maps with keys other than text fail, and no published type has one.
    let _ = value.serialize(&mut serializer);
    own_prototypes(String::from_utf8(bytes).unwrap_or_default())
}

/// A key that would set the object's prototype in JavaScript, but not in JSON.
const PROTOTYPE: &str = "\"__proto__\":";

/// Makes [`PROTOTYPE`] an ordinary key.
fn own_prototypes(json: String) -> String {
    if !json.contains(PROTOTYPE) {
        return json;
    }
    let mut script = String::with_capacity(json.len() + 16);
    let mut done = 0;
    for (at, _) in json.match_indices(PROTOTYPE) {
        // After a backslash it is the end of another key.
        if !json[..at].ends_with('\\') {
            script += &json[done..at];
            script += "[\"__proto__\"]:";
            done = at + PROTOTYPE.len();
        }
    }
    script + &json[done..]
}

struct Literal(CompactFormatter);

impl Formatter for Literal {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['<', '\u{2028}', '\u{2029}']) {
            let (before, from) = rest.split_at(at);
            self.0.write_string_fragment(writer, before)?;
            let mut chars = from.chars();
            let escaped = chars.next().unwrap_or_default();
            write!(writer, "\\u{:04x}", u32::from(escaped))?;
            rest = chars.as_str();
        }
        self.0.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_assign::document::{FORMAT_WITHOUT_HOLDOUTS, HASH};
    use serde_json::{Value, json};

    #[test]
    fn types_are_of_the_name_that_pages_use() {
        assert_eq!(types("muriel"), TYPES);
        assert!(types("shop").contains("interface Window {\n  shop: Muriel.Page;\n}"));
    }

    fn delivered(fields: Value) -> Arc<Delivered> {
        let mut whole = json!({
            "test_id": 1, "experiment_key": "one", "test_type": "abtest", "live": true, "epoch": 1, "salt": "1",
            "traffic_allocation": 100, "ranges": [[5_000, 0], [10_000, 1]],
            "variants_data_key": "https://shop.example/", "variants": [{}],
        });
        for (name, value) in fields.as_object().unwrap() {
            whole[name] = value.clone();
        }
        Arc::new(serde_json::from_value(whole).unwrap())
    }

    pub(super) fn document(fields: Value) -> Document {
        Document::new("prj_1", vec![delivered(fields)], Vec::new())
    }

    #[test]
    fn parts_are_those_that_the_ruleset_asks_for() {
        let source = json!([[{ "criteria": "source", "operator": "==", "value": "search" }]]);
        for (fields, expect) in [
            (json!({}), &[] as &[Part]),
            (json!({ "variants": [{ "data": [{ "rm": "h1" }] }] }), &[Part::Changes]),
            (json!({ "variants": [{ "data": [{ "url": "https://a.example/" }] }] }), &[Part::Split]),
            (
                json!({ "variants": [{ "data": [{ "url": "https://a.example/" }] }, { "data": [{ "rm": "h1" }] }] }),
                &[Part::Changes, Part::Split],
            ),
            (json!({ "custom_js": "a()" }), &[Part::Changes]),
            (json!({ "tools": [{ "name": "ga4" }] }), &[Part::Tools]),
            (json!({ "control": { "customJS": "a()" } }), &[Part::Changes]),
            (json!({ "variants": [{ "customJS": "a()" }] }), &[Part::Changes]),
            (json!({ "custom_css": "a{}" }), &[Part::Changes]),
            (json!({ "variants": [{ "customCSS": "a{}" }] }), &[Part::Changes]),
            (json!({ "targeting": { "referral_rule": source } }), &[Part::Rules, Part::Source]),
            (json!({ "variants": [{ "targeting": { "referral_rule": source } }] }), &[Part::Source]),
            (
                json!({ "targeting": { "referral_rule": [[{ "criteria": "host", "operator": "==", "value": "a" }]] } }),
                &[Part::Rules],
            ),
        ] {
            assert_eq!(Part::of(&document(fields.clone()), false, false), expect, "{fields}");
        }
        let split = json!({ "test_type": "split" });
        for (fields, health, expect) in
            [(json!({}), true, &[Part::Vitals] as &[Part]), (json!({}), false, &[]), (split, true, &[])]
        {
            assert_eq!(Part::of(&document(fields.clone()), false, health), expect, "{fields}");
        }
        let goal = |goal_type: &str| muriel_assign::document::WatchedGoal {
            goal_key: "g".into(),
            goal_type: goal_type.into(),
            goal_value: serde_json::from_value(json!("x")).unwrap(),
        };
        let with = |types: &[&str]| Document::new("p", Vec::new(), types.iter().map(|word| goal(word)).collect());
        assert_eq!(Part::of(&with(&["script"]), true, true), [Part::Orders]);
        assert_eq!(Part::of(&with(&["script", "clickOnElement"]), false, true), [Part::Goals]);
    }

    #[test]
    fn data_is_the_same_in_javascript_and_ends_no_element() {
        for (value, expect) in [
            (json!("</script><!--"), "\"\\u003c/script>\\u003c!--\""),
            (json!("a\u{2028}b\u{2029}<"), "\"a\\u2028b\\u2029\\u003c\""),
            (json!({ "<": "\n\"\\" }), "{\"\\u003c\":\"\\n\\\"\\\\\"}"),
            (json!({ "__proto__": { "__proto__": 1 } }), "{[\"__proto__\"]:{[\"__proto__\"]:1}}"),
            (json!({ "a\"__proto__": "__proto__" }), "{\"a\\\"__proto__\":\"__proto__\"}"),
            (json!(["é", 1.5, null]), "[\"é\",1.5,null]"),
        ] {
            assert_eq!(literal(&value), expect);
        }
    }

    #[test]
    fn what_is_embedded_can_stand_inline() {
        let files = [RUNTIME, SNIPPET, BADGE].into_iter().chain(Part::ALL.map(Part::expression));
        for file in files {
            for word in ["</script", "<!--"] {
                assert!(!file.to_ascii_lowercase().contains(word), "{word}");
            }
        }
        assert!(RUNTIME.starts_with("//# allFunctionsCalledOnLoad\n(function(RULESET,SETTINGS,PARTS){"));
        assert!(RUNTIME.trim_end().ends_with("})"));
    }

    #[test]
    fn settings_name_the_prefix_under_which_the_script_came() {
        let site = Site { page_api: "shop".parse().unwrap(), visitor_prefix: "/x".parse().unwrap() };
        let settings =
            serde_json::from_value(json!({ "base": "https://m.example", "consent": "memory", "health": 25 }));
        let beside = ScriptSettings { settings: settings.unwrap(), ..ScriptSettings::default() };
        let document = Document::new("prj_1", Vec::new(), Vec::new());
        for (under, base, prefix) in [(Mount::Root, "https://m.example", ""), (Mount::Prefix, "", "/x")] {
            let script = compose(&document, &beside, &site, under);
            let expect = format!(
                "({{\"format\":{FORMAT_WITHOUT_HOLDOUTS},\"hash\":{HASH},\"project_key\":\"prj_1\",\"experiments\":[]}},{{\"base\":\"{base}\",\
                 \"prefix\":\"{prefix}\",\"global\":\"shop\",\
                 \"consent\":\"memory\",\"gpc\":false,\"bots\":false,\"health\":25}},{{}});\n"
            );
            assert_eq!(script.strip_prefix(RUNTIME.trim_end()), Some(expect.as_str()));
        }
    }
}
