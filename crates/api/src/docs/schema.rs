//! Renders schemas as lists of fields.
//!
//! Objects unfold in place, to [`UNFOLDED`] levels. Deeper objects, and schemas
//! that contain themselves, link to the page of types, which lists the fields of
//! each. So the size of a page is bounded by the contract's size.

use super::html::{Html, id};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum levels of objects that unfold in place.
const UNFOLDED: usize = 2;
/// Maximum depth of recursion into a schema. It bounds unnamed objects, which [`UNFOLDED`] does not limit,
/// and schemas that refer to each other.
const FOLLOWED: usize = 12;

/// Direction of a body. It decides which fields get a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Request: marks required fields.
    Request,
    /// Response: marks fields that can be missing.
    Response,
}

/// Named schemas of a contract, and those of them that need an entry on the page of
/// types.
pub(super) struct Schemas<'a> {
    named: Option<&'a Map<String, Value>>,
    linked: BTreeSet<&'a str>,
}

/// Schema after following references and removing the alternative null.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolved<'a> {
    pub(super) node: &'a Value,
    pub(super) name: Option<&'a str>,
    /// Description closest to where the schema is used.
    pub(super) description: Option<&'a str>,
    pub(super) nullable: bool,
}

impl<'a> Schemas<'a> {
    pub(super) fn of(contract: &'a Value) -> Self {
        Self { named: contract.pointer("/components/schemas").and_then(Value::as_object), linked: BTreeSet::new() }
    }

    /// Follows references and removes the alternative null.
    pub(super) fn resolve(&self, node: &'a Value) -> Resolved<'a> {
        let mut found = Resolved { node, name: None, description: None, nullable: false };
        for _ in 0..FOLLOWED {
            let node = found.node;
            found.description = found.description.or_else(|| node.get("description").and_then(Value::as_str));
            found.nullable |= types(node).any(|name| name == "null");
            if let Some((name, target)) = self.target(node) {
                found.name = Some(name);
                found.node = target;
                continue;
            }
            let Some(alternatives) = alternatives(node) else { break };
            let mut real = alternatives.iter().filter(|one| !is_null(one));
            let (first, second) = (real.next(), real.next());
            found.nullable |= alternatives.iter().any(is_null);
            match (first, second) {
                (Some(only), None) => found.node = only,
                _ => break,
            }
        }
        found
    }

    fn target(&self, node: &'a Value) -> Option<(&'a str, &'a Value)> {
        let name = node.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")?;
        self.named?.get_key_value(name).map(|(name, node)| (name.as_str(), node))
    }

    /// Fields of an object: required ones first, then the others in the contract's
    /// order. The flag is true for required ones.
    pub(super) fn fields(node: &'a Value) -> Vec<(&'a str, &'a Value, bool)> {
        let Some(properties) = node.get("properties").and_then(Value::as_object) else { return Vec::new() };
        let required: Vec<&str> =
            node.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let first = required.iter().filter_map(|name| properties.get_key_value(*name));
        let rest = properties.iter().filter(|(name, _)| !required.contains(&name.as_str()));
        first
            .map(|(name, node)| (name.as_str(), node, true))
            .chain(rest.map(|(name, node)| (name.as_str(), node, false)))
            .collect()
    }

    /// Writes a body: its type, and its fields with the first level unfolded.
    pub(super) fn body(&mut self, html: &mut Html, node: &'a Value, side: Side) {
        let body = self.resolve(node);
        if body.node.get("properties").is_some() {
            let mut within: Vec<&str> = body.name.into_iter().collect();
            self.list(html, body.node, side, &mut within, 0);
            return;
        }
        html.tag("<p class=\"type\">");
        self.type_words(html, node, 0);
        html.tag("</p>");
        if let Some(description) = body.description {
            html.tag("<p>").prose(description).tag("</p>");
        }
        self.constraints(html, node);
        self.inner(html, node, side, &mut Vec::new(), (0, true));
    }

    fn list(&mut self, html: &mut Html, object: &'a Value, side: Side, within: &mut Vec<&'a str>, level: usize) {
        let fields = Self::fields(object);
        // Schemas that are both sent and received have no required fields, so they
        // do not say which fields are present in a response.
        let says_what_is_there = fields.iter().any(|(_, _, required)| *required);
        html.tag("<ul class=\"fields\">");
        for (name, node, required) in fields {
            html.tag("<li><div class=\"field\">").tag("<code class=\"name\">").text(name).tag("</code> ");
            html.tag("<span class=\"type\">");
            self.type_words(html, node, 0);
            html.tag("</span>");
            match side {
                Side::Request if required => html.tag(" <span class=\"required\">required</span>"),
                Side::Response if !required && says_what_is_there => {
                    html.tag(" <span class=\"mark\">can be absent</span>")
                }
                _ => html,
            };
            html.tag("</div>");
            if let Some(description) = self.resolve(node).description {
                html.tag("<p>").prose(description).tag("</p>");
            }
            self.constraints(html, node);
            self.inner(html, node, side, within, (level, required));
            html.tag("</li>");
        }
        html.tag("</ul>");
    }

    /// Writes the objects within a value: folded, or as a link. Objects that a
    /// request requires are open at first.
    fn inner(
        &mut self,
        html: &mut Html,
        node: &'a Value,
        side: Side,
        within: &mut Vec<&'a str>,
        (level, required): (usize, bool),
    ) {
        for (name, object) in self.objects(node, 0) {
            match name {
                Some(name) if level >= UNFOLDED || within.contains(&name) => {
                    self.linked.insert(name);
                    html.tag("<p class=\"more\"><a href=\"site:docs/types#type-").text(&id(name)).tag("\">Fields of ");
                    html.code(name).tag("</a></p>");
                }
                _ if level >= FOLLOWED => {}
                _ => {
                    html.tag(if required && level == 0 { "<details open>" } else { "<details>" });
                    html.tag("<summary>Fields of ").code(name.unwrap_or("the object")).tag("</summary>");
                    within.extend(name);
                    self.list(html, object, side, within, level + 1);
                    within.truncate(within.len() - usize::from(name.is_some()));
                    html.tag("</details>");
                }
            }
        }
    }

    /// Objects with fields that a value consists of or contains, through lists,
    /// maps and alternatives.
    fn objects(&self, node: &'a Value, depth: usize) -> Vec<(Option<&'a str>, &'a Value)> {
        if depth >= FOLLOWED {
            return Vec::new();
        }
        let found = self.resolve(node);
        if found.node.get("properties").is_some() {
            return vec![(found.name, found.node)];
        }
        let parts = alternatives(found.node).into_iter().flatten();
        let held = ["items", "additionalProperties"].into_iter().filter_map(|key| found.node.get(key));
        parts.chain(held).flat_map(|part| self.objects(part, depth + 1)).collect()
    }

    /// Writes the type in words, such as `list of integer or null`.
    pub(super) fn type_words(&self, html: &mut Html, node: &'a Value, depth: usize) {
        let Resolved { node, nullable, .. } = self.resolve(node);
        if depth >= FOLLOWED {
            html.tag("any value");
        } else if let Some(parts) = alternatives(node) {
            let between = if node.get("allOf").is_some() { " and " } else { " or " };
            for (at, part) in parts.iter().enumerate() {
                html.tag(if at == 0 { "" } else { between });
                self.type_words(html, part, depth + 1);
            }
        } else {
            let names: Vec<&str> = types(node).filter(|name| *name != "null").collect();
            for (at, name) in names.iter().enumerate() {
                html.tag(if at == 0 { "" } else { " or " });
                match (*name, node.get("items"), node.get("additionalProperties")) {
                    ("array", Some(items), _) => {
                        html.tag("list of ");
                        self.type_words(html, items, depth + 1);
                    }
                    ("object", _, Some(values @ Value::Object(_))) => {
                        html.tag("map of ");
                        self.type_words(html, values, depth + 1);
                    }
                    ("array", ..) => _ = html.tag("list"),
                    (other, ..) => _ = html.text(other),
                }
            }
            if names.is_empty() {
                html.tag("any value");
            }
        }
        if nullable && !alternatives(node).is_some_and(|parts| parts.iter().any(is_null)) {
            html.tag(" or null");
        }
    }

    /// Writes the allowed values, such as `1–255 characters · default 100`.
    pub(super) fn constraints(&self, html: &mut Html, node: &'a Value) {
        let mut line = Html::default();
        self.limits(&mut line, node, 0);
        if !line.is_empty() {
            html.tag("<p class=\"limits\">").piece(&line).tag("</p>");
        }
    }

    fn limits(&self, line: &mut Html, node: &'a Value, depth: usize) {
        let Resolved { node, .. } = self.resolve(node);
        if depth >= FOLLOWED {
            return;
        }
        limits_of(line, node);
        let parts = alternatives(node).into_iter().flatten();
        let held = ["items", "additionalProperties"].into_iter().filter_map(|key| node.get(key));
        for part in parts.chain(held) {
            let mut inner = Html::default();
            self.limits(&mut inner, part, depth + 1);
            if !inner.is_empty() {
                separate(line);
                line.tag(if alternatives(node).is_some() { "" } else { "each " }).piece(&inner);
            }
        }
    }

    /// Entries of the page of types, by name: one for each schema that a list of
    /// fields linked to.
    pub(super) fn types(&mut self) -> BTreeMap<&'a str, Html> {
        let mut entries = BTreeMap::new();
        // The fields of one type can link to other types.
        while let Some(name) = self.linked.iter().copied().find(|name| !entries.contains_key(name)) {
            let mut entry = Html::default();
            if let Some(node) = self.named.and_then(|named| named.get(name)) {
                entry.tag("<section class=\"kind\" id=\"type-").text(&id(name)).tag("\"><h2><a href=\"#type-");
                entry.text(&id(name)).tag("\"><code>").text(name).tag("</code></a></h2>");
                if let Some(description) = node.get("description").and_then(Value::as_str) {
                    entry.tag("<p>").prose(description).tag("</p>");
                }
                self.list(&mut entry, node, Side::Request, &mut vec![name], UNFOLDED);
                entry.tag("</section>");
            }
            entries.insert(name, entry);
        }
        entries
    }
}

/// Keywords that are shown elsewhere in the list, or that mean nothing to a reader.
const SAID: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "description",
    "example",
    "examples",
    "items",
    "oneOf",
    "properties",
    "propertyNames",
    "required",
    "title",
    "type",
    // Shown in pairs, as a range:
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
];

/// Writes the limits that a schema itself sets. A keyword without wording here is
/// shown as it is, so that none is left out.
fn limits_of(line: &mut Html, node: &Value) {
    let Some(keywords) = node.as_object() else { return };
    for (least, most, unit) in
        [("minLength", "maxLength", " characters"), ("minItems", "maxItems", " entries"), ("minimum", "maximum", "")]
    {
        let range = match (keywords.get(least), keywords.get(most)) {
            (Some(least), Some(most)) => format!("{least}–{most}{unit}"),
            (None, Some(most)) => format!("at most {most}{unit}"),
            (Some(least), None) if least == 1 => format!("at least 1{}", unit.trim_end_matches('s')),
            (Some(least), None) => format!("at least {least}{unit}"),
            (None, None) => continue,
        };
        separate(line);
        line.text(&range);
    }
    for (keyword, words) in [("exclusiveMinimum", "over "), ("exclusiveMaximum", "under ")] {
        if let Some(bound) = keywords.get(keyword) {
            separate(line);
            line.tag(words).text(&bound.to_string());
        }
    }
    for (keyword, value) in keywords.iter().filter(|(keyword, _)| !SAID.contains(&keyword.as_str())) {
        let before = match (keyword.as_str(), value.as_str()) {
            ("format", Some("int32" | "int64" | "float" | "double")) => continue,
            ("format", Some(format)) => {
                separate(line);
                line.text(format);
                continue;
            }
            ("enum", _) => "one of",
            ("const", _) => "always",
            ("pattern", _) => "matches",
            (other, _) => other,
        };
        separate(line);
        line.text(before);
        match value {
            Value::Array(values) => values.iter().for_each(|value| _ = line.tag(" ").code(&plain(value))),
            Value::Bool(true) => {}
            value => _ = line.tag(" ").code(&plain(value)),
        }
    }
}

fn separate(line: &mut Html) {
    if !line.is_empty() {
        line.tag(" · ");
    }
}

/// Formats a value for people: strings without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn types(node: &Value) -> impl Iterator<Item = &str> {
    let many = node.get("type").and_then(Value::as_array).into_iter().flatten();
    node.get("type").into_iter().filter(|one| one.is_string()).chain(many).filter_map(Value::as_str)
}

/// Alternatives or parts that a schema is composed of.
pub(super) fn alternatives(node: &Value) -> Option<&Vec<Value>> {
    ["oneOf", "anyOf", "allOf"].into_iter().find_map(|key| node.get(key)?.as_array())
}

/// Returns whether the schema allows null only.
pub(super) fn is_null(node: &Value) -> bool {
    node.get("type").is_some_and(|name| name == "null")
}
