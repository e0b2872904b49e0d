//! Integrations: tools outside Muriel that are notified of a visitor's arm.
//!
//! `configuration.integration` is stored as it was sent. This module reads the parts that have an effect. Unknown parts
//! are kept for newer servers, and produce warnings.

use serde_json::{Map, Value};

/// The integration that the server itself sends: counts of exposures, to the project's webhooks.
pub const WEBHOOK: &str = "webhook";
/// Setting of [`WEBHOOK`] that selects a single webhook to send to.
pub const WEBHOOK_ID: &str = "webhook_id";

/// Maximum length of a setting, in characters.
const TEXT_MAX: usize = 100;

/// Kind of value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingKind {
    /// Text of 1 to 100 characters.
    Text,
    /// Name of a global variable of the page.
    Name,
    /// A whole number of at least 1.
    Number,
}

impl SettingKind {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.as_str().is_some_and(|text| (1..=TEXT_MAX).contains(&text.chars().count())),
            Self::Name => value.as_str().is_some_and(is_name),
            Self::Number => value.as_i64().is_some_and(|number| number >= 1),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "must be a text of 1 to 100 characters",
            Self::Name => "must be the name of a global variable: letters, digits, _ and $",
            Self::Number => "must be a whole number from 1 on",
        }
    }
}

/// Returns whether a text is the name of a global variable: 1 to 100 of `A-Za-z0-9_$`, without a digit at the
/// beginning.
fn is_name(text: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$');
    (1..=TEXT_MAX).contains(&text.len())
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(is_part)
}

/// The known integrations with their settings. The script's module `tools.ts` defines what is sent to each tool.
const INTEGRATIONS: [(&str, &[(&str, SettingKind)]); 15] = [
    ("ga4", &[("send_to", SettingKind::Text)]),
    ("gtm", &[("event", SettingKind::Text), ("data_layer", SettingKind::Name)]),
    ("segment", &[("global", SettingKind::Name)]),
    ("rudderstack", &[("global", SettingKind::Name)]),
    ("mixpanel", &[("global", SettingKind::Name)]),
    ("amplitude", &[("global", SettingKind::Name)]),
    ("posthog", &[("global", SettingKind::Name)]),
    ("heap", &[("event", SettingKind::Text)]),
    ("matomo", &[("dimension", SettingKind::Number)]),
    ("adobe", &[("event", SettingKind::Text), ("data_layer", SettingKind::Name)]),
    ("plausible", &[("event", SettingKind::Text)]),
    ("clarity", &[]),
    ("hotjar", &[]),
    ("fullstory", &[]),
    (WEBHOOK, &[(WEBHOOK_ID, SettingKind::Number)]),
];

/// An integration that is notified of an experiment's arms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integration {
    /// Name, one of the known ones.
    pub name: &'static str,
    /// Settings that are valid; others are left out.
    pub settings: Map<String, Value>,
}

/// Returns the known integrations among these entries, each once, with their valid settings.
///
/// Of entries with the same name, the first counts. Unknown entries and invalid settings are left out; [`warnings`]
/// names them.
pub fn integrations(entries: &[Value]) -> Vec<Integration> {
    let mut found: Vec<Integration> = Vec::new();
    for entry in entries {
        let Some((name, allowed)) = name_of(entry).and_then(known) else { continue };
        if found.iter().any(|before| before.name == name) {
            continue;
        }
        let sent = settings_of(entry).cloned().unwrap_or_default();
        let is_valid = |(key, value): &(String, Value)| {
            allowed.iter().any(|(allowed, kind)| allowed == key && kind.accepts(value))
        };
        found.push(Integration { name, settings: sent.into_iter().filter(is_valid).collect() });
    }
    found
}

/// Name of an entry. `None` when it has none.
pub fn name_of(entry: &Value) -> Option<&str> {
    entry.as_str().or_else(|| entry.get("name")?.as_str())
}

/// Returns whether pages notify this integration, which `health` events may then report.
pub fn is_notified_by_pages(name: &str) -> bool {
    name != WEBHOOK && known(name).is_some()
}

/// A set of the integrations that pages notify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSet(u16);

impl ToolSet {
    /// Reads names separated by single blanks. `None` when pages do not notify one of them.
    ///
    /// A name may repeat. Empty text is not a set.
    pub fn read(text: &str) -> Option<Self> {
        let bit = |name: &str| INTEGRATIONS.iter().position(|(known, _)| *known == name && is_notified_by_pages(name));
        text.split(' ').try_fold(0, |set, name| Some(set | 1 << bit(name)?)).map(Self)
    }

    /// Names of the integrations in the set, in the order of the known ones.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        (0..).zip(INTEGRATIONS).filter(move |(at, _)| self.0 & 1 << at != 0).map(|(_, (name, _))| name)
    }
}

fn known(name: &str) -> Option<(&'static str, &'static [(&'static str, SettingKind)])> {
    INTEGRATIONS.iter().find(|(known, _)| *known == name).copied()
}

fn settings_of(entry: &Value) -> Option<&Map<String, Value>> {
    entry.get("settings")?.as_object()
}

/// Returns a sentence for each part of these entries that has no effect, with its field. Empty when all parts have an
/// effect.
pub fn warnings(entries: &[Value]) -> Vec<String> {
    let mut said = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let field = format!("configuration.integration[{at}]");
        let Some(name) = name_of(entry) else {
            said.push(format!(
                "{field}: this has no name, so nothing is sent to it; send a name, or {{\"name\", \"settings\"}}"
            ));
            continue;
        };
        let Some((name, allowed)) = known(name) else {
            let names: Vec<&str> = INTEGRATIONS.iter().map(|(name, _)| *name).collect();
            said.push(format!(
                "{field}: this is not a known integration, so nothing is sent to it; the known ones are {}",
                names.join(", ")
            ));
            continue;
        };
        if entries[..at].iter().any(|before| name_of(before) == Some(name)) {
            said.push(format!("{field}: {name} is listed before, so this entry has no effect"));
            continue;
        }
        said.extend(about_entry(&field, entry, name, allowed));
    }
    said
}

/// Returns a sentence for each part of an entry of a known integration that has no effect.
fn about_entry(field: &str, entry: &Value, name: &str, allowed: &[(&str, SettingKind)]) -> Vec<String> {
    let mut said = Vec::new();
    for key in
        entry.as_object().into_iter().flat_map(Map::keys).filter(|key| !["name", "settings"].contains(&key.as_str()))
    {
        said.push(format!("{field}.{key}: this has no effect; settings belong in `settings`"));
    }
    let Some(settings) = entry.get("settings").filter(|settings| !settings.is_null()) else { return said };
    let Some(settings) = settings.as_object() else {
        said.push(format!("{field}.settings: this has no effect: it must be an object"));
        return said;
    };
    for (key, value) in settings {
        match allowed.iter().find(|(allowed, _)| allowed == key) {
            None if allowed.is_empty() => {
                said.push(format!("{field}.settings.{key}: this has no effect: {name} has no settings"));
            }
            None => {
                let keys: Vec<&str> = allowed.iter().map(|(key, _)| *key).collect();
                said.push(format!(
                    "{field}.settings.{key}: this has no effect: the settings of {name} are {}",
                    keys.join(", ")
                ));
            }
            Some((_, kind)) if !kind.accepts(value) => {
                said.push(format!("{field}.settings.{key}: this has no effect: it {}", kind.words()));
            }
            Some(_) => {}
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(entries: Value, acts: Value, warned: &[&str]) {
        let Value::Array(entries) = entries else { panic!("a list") };
        let found: Vec<Value> =
            integrations(&entries).into_iter().map(|it| json!([it.name, Value::Object(it.settings)])).collect();
        assert_eq!(Value::Array(found), acts, "{entries:?}");
        let said = warnings(&entries);
        let fields: Vec<&str> = said.iter().map(|text| text.split_once(": ").unwrap().0).collect();
        assert_eq!(fields, warned, "{entries:?}: {said:?}");
    }

    #[test]
    fn sets_hold_what_pages_tell() {
        let read = |text: &str| ToolSet::read(text).map(|set| set.names().collect::<Vec<_>>());
        assert_eq!(read("segment ga4 segment"), Some(vec!["ga4", "segment"]));
        assert_eq!(read("fullstory"), Some(vec!["fullstory"]));
        for none in ["", " ", "ga4 ", "webhook", "ga4,gtm", "GA4"] {
            assert_eq!(read(none), None, "{none:?}");
        }
    }

    #[test]
    fn what_is_known_acts_and_what_is_not_is_warned_of() {
        let field = |rest: &str| format!("configuration.integration[0]{rest}");
        check(json!([]), json!([]), &[]);
        check(json!(["ga4", { "name": "segment" }]), json!([["ga4", {}], ["segment", {}]]), &[]);
        check(
            json!([{ "name": "ga4", "settings": { "send_to": "G-1" } }]),
            json!([["ga4", { "send_to": "G-1" }]]),
            &[],
        );
        check(
            json!([{ "name": "webhook", "settings": { "webhook_id": 3 } }]),
            json!([["webhook", { "webhook_id": 3 }]]),
            &[],
        );
        for unknown in [json!("GA4"), json!("constructor"), json!({ "kind": "ga4" }), json!({ "name": 4 }), json!("")] {
            check(json!([unknown]), json!([]), &[&field("")]);
        }
        check(json!(["gtm", { "name": "gtm" }]), json!([["gtm", {}]]), &["configuration.integration[1]"]);
        check(json!([{ "name": "ga4", "id": "G-1" }]), json!([["ga4", {}]]), &[&field(".id")]);
        check(json!([{ "name": "gtm", "settings": "x" }]), json!([["gtm", {}]]), &[&field(".settings")]);
        check(json!([{ "name": "gtm", "settings": null }]), json!([["gtm", {}]]), &[]);
        for (name, settings) in [
            ("clarity", json!({ "event": "x" })),
            ("segment", json!({ "write_key": "secret" })),
            ("segment", json!({ "global": "a.b" })),
            ("segment", json!({ "global": "9a" })),
            ("gtm", json!({ "event": "" })),
            ("gtm", json!({ "event": "é".repeat(101) })),
            ("matomo", json!({ "dimension": "1" })),
            ("matomo", json!({ "dimension": 0 })),
        ] {
            let key = settings.as_object().unwrap().keys().next().unwrap().clone();
            let entry = json!({ "name": name, "settings": settings });
            check(json!([entry]), json!([[name, {}]]), &[&field(&format!(".settings.{key}"))]);
        }
    }
}
