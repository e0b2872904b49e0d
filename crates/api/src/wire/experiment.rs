//! Parses bodies about experiments: PATCH and create bodies become domain values.

use super::fields::{
    Fields, Mode, ProblemCollector, flag, from_body, integer, list, noted, nullable, parsed, text, texts, word,
};
use super::goal::inline_goal;
use super::targeting::{audience, targeting};
use crate::json::{self, Json};
use muriel_domain::experiment::{
    BUILTIN_METRICS, CHANGES_MAX, CONFIGURATION_KEYS, Change, Code, Configuration, ConfigurationPatch, ControlPatch,
    DataKey, Distribution, DistributionPatch, ExperimentPatch, PlanPatch, Status, TestType, VARIANTS_MAX, VariantSent,
    parse_builtin_metrics, parse_code, parse_event_names, parse_goal_keys, parse_nickname, parse_page_url, parse_tags,
};
use muriel_domain::ids::{HypothesisId, MAX_SAFE};
use muriel_domain::targeting::AUDIENCE_KEYS;
use muriel_domain::{Flaw, Instant, Problems, configuration_settings};
use muriel_service::experiments::{Edit, NewExperiment, StatusChange};
use serde_json::{Map, Value};

/// Fields that PATCH changes.
pub(in crate::wire) const PATCH_FIELDS: [&str; 17] = [
    "test_name",
    "url",
    "variants",
    "variants_data_key",
    "control",
    "control_attr",
    "custom_js",
    "custom_css",
    "configuration",
    "targeting",
    "tags",
    "secondary_goal_keys",
    "primary_goal_key",
    "hypothesis_id",
    "builtin_metrics",
    "event_metrics",
    "plan",
];

/// Fields of the details that PATCH does not change, each with the way to change it.
const READ_ONLY: [(&str, &str); 16] = [
    ("test_id", "identifies the experiment and cannot be changed"),
    ("company_id", "cannot be changed"),
    ("project_key", "cannot be changed; an experiment stays in its project"),
    ("experiment_key", "is permanent; it is set when the experiment is created"),
    ("test_type", "is permanent; it is set when the experiment is created"),
    ("status", "is changed with PATCH /experiment/{test_id}/status"),
    ("is_completed", "is set only by concluding the experiment in the dashboard"),
    ("created_at", "cannot be changed"),
    ("updated_at", "cannot be changed; every update sets it"),
    ("hypothesis", "is changed with hypothesis_id, and its texts with PATCH /hypothesis/{hypothesis_id}"),
    ("primary_goal", "is changed with primary_goal_key, and the goal itself with PATCH /goal/{goal_profile_id}"),
    ("epochs", "cannot be changed; the server creates them"),
    ("archived", "is changed with PATCH /experiment/{test_id}/archive"),
    ("schedule", "cannot be changed; it is derived from configuration"),
    ("integrations", "cannot be changed; it shows when the integrations of configuration.integration last succeeded"),
    (
        "serving_variant_id",
        "is changed with POST /experiment/{test_id}/serve-winner and POST /experiment/{test_id}/stop-serving",
    ),
];

/// Message for a field with a legacy name.
const DEPLOY: (&str, &str) = (
    "is_deploy",
    "is changed with POST /experiment/{test_id}/serve-winner and POST /experiment/{test_id}/stop-serving",
);

/// Fields of the objects within an experiment, for messages to clients that send them at the top level.
fn nested() -> impl Iterator<Item = (&'static str, &'static str)> {
    let configuration = CONFIGURATION_KEYS.iter().map(|name| (*name, "is a field of configuration; send it there"));
    let targeting = AUDIENCE_KEYS.iter().chain(&["url_rule"]);
    configuration.chain(targeting.map(|name| (*name, "is a field of targeting; send it there")))
}

/// Parses a PATCH body, with its problems.
pub(crate) fn patch(body: &Json, mode: Mode) -> Edit {
    let found = ProblemCollector::default();
    let patch = Fields::new(body, "", &found).map(|fields| {
        let mut read_only = READ_ONLY.to_vec();
        read_only.push(DEPLOY);
        read_only.push(("serving_traffic_allocation", "is changed with PATCH /experiment/{test_id}/serving-rollout"));
        read_only.extend(nested());
        fields.only(&PATCH_FIELDS, &read_only);
        patch_fields(&fields, mode)
    });
    Edit { patch: patch.unwrap_or_default(), problems: found.into_problems() }
}

/// Parses a create body, with its problems.
pub(crate) fn creation(body: &Json) -> NewExperiment {
    let found = ProblemCollector::default();
    let creation = Fields::new(body, "", &found).map(|fields| {
        let mut known = PATCH_FIELDS.to_vec();
        known.extend(["status", "test_type", "experiment_key", "primary_goal", "secondary_goals"]);
        let mut elsewhere = READ_ONLY.to_vec();
        elsewhere.extend(nested());
        fields.only(&known, &elsewhere);
        for name in ["test_name", "url", "variants"] {
            fields.require(name);
        }
        if fields.has("primary_goal") && fields.has("primary_goal_key") {
            fields.add("primary_goal", "and primary_goal_key exclude each other; send only one of them");
        }
        let mut patch = patch_fields(&fields, Mode::Whole);
        // For a new experiment this is the key that it will use; there is no stored key to compare
        // with.
        patch.variants_data_key = None;
        NewExperiment {
            patch,
            status: fields.read("status", status),
            test_type: fields.read("test_type", word(&TestType::WORDS)),
            key: fields.read("experiment_key", parsed(muriel_domain::text::key)),
            variants_data_key: fields.read("variants_data_key", parsed(DataKey::parse)),
            primary_goal: fields.read_deep("primary_goal", |value, place| inline_goal(value, place, &found)),
            secondary_goals: fields
                .read_deep("secondary_goals", |value, place| {
                    list(value, &place, 100, &found, |item, place| inline_goal(item, place, &found))
                })
                .unwrap_or_default(),
            is_copy: false,
            problems: Problems::default(),
        }
    });
    NewExperiment { problems: found.into_problems(), ..creation.unwrap_or_default() }
}

/// Parses a status number.
pub(crate) fn status(value: &Json) -> Result<Status, Flaw> {
    match value.as_int() {
        Some(9) => Ok(Status::Draft),
        Some(1) => Ok(Status::Live),
        Some(0) => Ok(Status::Inactive),
        _ => Err(Flaw::new("must be 9 (draft), 1 (live) or 0 (inactive)")),
    }
}

/// Number of a status.
pub(crate) fn status_code(status: Status) -> u8 {
    match status {
        Status::Draft => 9,
        Status::Live => 1,
        Status::Inactive => 0,
    }
}

/// Parses the body of a status change, with its problems.
pub(crate) fn status_change(body: &Json) -> Result<StatusChange, Problems> {
    from_body(body, |fields| {
        fields.only(&["status", "started_at", "changes"], &[]);
        let started_at = fields.read("started_at", |value| Instant::parse(text(value)?));
        let changes = fields.read("changes", |value| match value {
            Json::Object(_) => Ok(value),
            _ => Err(Flaw::new("must be an object")),
        });
        let edit = changes.map(|changes| patch(changes, Mode::Whole));
        let to = fields.needed("status", status);
        if let (None, Some(edit)) = (to, &edit) {
            fields.found().add_under("changes", &edit.problems);
        }
        Some(StatusChange { to: to?, started_at, edit: edit.map(Box::new) })
    })
}

/// Fields that a status change updates in the same transaction.
pub(crate) fn changes_in(body: &Json) -> Option<&Json> {
    body.as_object()?.iter().find(|(name, _)| name == "changes").map(|(_, changes)| changes)
}

fn patch_fields(fields: &Fields<'_>, mode: Mode) -> ExperimentPatch {
    let found = fields.found();
    if fields.has("control") && fields.has("control_attr") {
        fields.add("control_attr", "and control exclude each other; send only one of them");
    }
    let names = |name, parse: fn(&[&str]) -> Result<Vec<String>, Problems>, default: &[&str]| {
        top_deep(
            fields,
            name,
            mode,
            || default.iter().map(|name| (*name).to_owned()).collect(),
            |value, place| noted(parse(&texts(value, &place, found)?), &place, found),
        )
    };
    ExperimentPatch {
        name: fields.read("test_name", parsed(|name| muriel_domain::text::name(name, 255))),
        url: fields.read("url", parsed(parse_page_url)),
        variants: fields.read_deep("variants", |value, place| variants(value, &place, found)),
        variants_data_key: fields.read("variants_data_key", text).map(str::to_owned),
        control: control(fields, mode),
        custom_js: top(fields, "custom_js", mode, Default::default, parsed(parse_code)),
        custom_css: top(fields, "custom_css", mode, Default::default, parsed(parse_code)),
        configuration: object(fields, "configuration", mode, |value, place, mode| {
            configuration(value, place, mode, found)
        }),
        targeting: object(fields, "targeting", mode, |value, place, mode| targeting(value, place, mode, found)),
        tags: names("tags", parse_tags, &[]),
        secondary_goals: names("secondary_goal_keys", parse_goal_keys, &[]),
        primary_goal: fields.read("primary_goal_key", nullable(parsed(|key| muriel_domain::text::title(key, 128)))),
        hypothesis_id: fields.read("hypothesis_id", nullable(integer(1..=MAX_SAFE))).map(|id| id.map(HypothesisId)),
        builtin_metrics: names("builtin_metrics", parse_builtin_metrics, &BUILTIN_METRICS),
        event_metrics: names("event_metrics", parse_event_names, &[]),
        plan: object(fields, "plan", mode, |value, place, mode| plan(value, place, mode, found)),
    }
}

/// Reads a top-level field with a default. A merged `null` restores the default.
fn top<'a, T>(
    fields: &Fields<'a>,
    name: &str,
    mode: Mode,
    default: impl FnOnce() -> T,
    read: impl FnOnce(&'a Json) -> Result<T, Flaw>,
) -> Option<T> {
    match (fields.get(name), mode) {
        (Some(Json::Null), Mode::Merge) => Some(default()),
        _ => fields.read(name, read),
    }
}

/// Like [`top`], for values that add problems themselves.
fn top_deep<'a, T>(
    fields: &Fields<'a>,
    name: &str,
    mode: Mode,
    default: impl FnOnce() -> T,
    read: impl FnOnce(&'a Json, String) -> Option<T>,
) -> Option<T> {
    match (fields.get(name), mode) {
        (Some(Json::Null), Mode::Merge) => Some(default()),
        _ => fields.read_deep(name, read),
    }
}

/// Reads a top-level object. A merged `null` equals an empty object sent as a replacement.
fn object<'a, T>(
    fields: &Fields<'a>,
    name: &str,
    mode: Mode,
    read: impl FnOnce(&Json, String, Mode) -> Option<T>,
) -> Option<T> {
    match (fields.get(name)?, mode) {
        (Json::Null, Mode::Merge) => read(&Json::Object(Vec::new()), fields.place(name), Mode::Whole),
        (value, mode) => read(value, fields.place(name), mode),
    }
}

fn control(fields: &Fields<'_>, mode: Mode) -> Option<ControlPatch> {
    let found = fields.found();
    let parts = |value: &Json, place: String, mode, [nickname, js, css]: [&str; 3]| {
        let fields = Fields::new(value, place, found)?;
        fields.only(&[nickname, js, css], &[]);
        Some(ControlPatch {
            nickname: fields.choose(nickname, mode, String::new, parsed(parse_nickname)),
            js: fields.choose(js, mode, Default::default, parsed(parse_code)),
            css: fields.choose(css, mode, Default::default, parsed(parse_code)),
        })
    };
    let attributes = ["name", "js", "css"];
    match fields.get("control_attr") {
        Some(Json::Text(text)) => match json::parse(text.as_bytes()) {
            Ok(value @ Json::Object(_)) => parts(&value, fields.place("control_attr"), mode, attributes),
            _ => {
                fields.add("control_attr", "must be an object, or text that contains one as JSON");
                None
            }
        },
        Some(_) => object(fields, "control_attr", mode, |value, place, mode| parts(value, place, mode, attributes)),
        None => object(fields, "control", mode, |value, place, mode| {
            parts(value, place, mode, ["nickname", "customJS", "customCSS"])
        }),
    }
}

fn variants(value: &Json, place: &str, found: &ProblemCollector) -> Option<Vec<VariantSent>> {
    let items = value.as_array();
    if items.is_some_and(|items| items.is_empty() || items.len() > VARIANTS_MAX) {
        found.add(place, format!("must have 1 to {VARIANTS_MAX} treatment variants"));
        return None;
    }
    let mut number = 0;
    list(value, place, VARIANTS_MAX, found, |item, place| {
        number += 1;
        variant(item, number, place, found)
    })
}

fn variant(value: &Json, number: usize, place: String, found: &ProblemCollector) -> Option<VariantSent> {
    let fields = Fields::new(value, place, found)?;
    fields.only(&["name", "nickname", "customJS", "customCSS", "data", "targeting"], &[]);
    let expected = format!("Variant {number}");
    let name = fields.needed("name", |value| match text(value)? {
        name if name == expected => Ok(()),
        name if name.trim().eq_ignore_ascii_case("control") => {
            Err(Flaw::new("must not be the control: variants do not include it; use the field control instead"))
        }
        _ => Err(Flaw::new(format!("must be \"{expected}\""))),
    });
    let nickname = fields.choose("nickname", Mode::Whole, String::new, parsed(parse_nickname));
    let js = fields.choose("customJS", Mode::Whole, Default::default, parsed(parse_code));
    let css = fields.choose("customCSS", Mode::Whole, Default::default, parsed(parse_code));
    let changes = fields.choose_deep("data", Mode::Whole, Vec::new, |value, place| {
        list(value, &place, CHANGES_MAX, found, |item, place| {
            if !matches!(item, Json::Object(_)) {
                found.add(place, "must be an object");
                return None;
            }
            let change = noted(Change::new(to_map(item)), &place, found);
            // Unknown keys are kept, so a misspelt one is reported only when the change is invalid.
            if change.is_none() {
                Fields::new(item, place, found)?.misspelt(&Change::keys());
            }
            change
        })
    });
    let audience = match fields.has("targeting") {
        true => Some(fields.read_deep("targeting", |value, place| audience(value, place, found))?),
        false => None,
    };
    name?;
    Some(VariantSent { nickname: nickname?, code: Code { js: js?, css: css? }, changes: changes?, audience })
}

/// Converts a JSON value of any shape to its stored form.
fn to_value(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Int(number) => Value::from(*number),
        Json::Float(number) => Value::from(*number),
        Json::Text(text) | Json::Beyond(text) => Value::String(text.clone()),
        Json::Array(items) => items.iter().map(to_value).collect(),
        Json::Object(_) => Value::Object(to_map(value)),
    }
}

fn to_map(value: &Json) -> Map<String, Value> {
    value.as_object().unwrap_or_default().iter().map(|(key, value)| (key.clone(), to_value(value))).collect()
}

/// Maximum number of integrations of an experiment.
const INTEGRATIONS_MAX: usize = 50;

macro_rules! read_configuration {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr, $(stored by $stored:literal,)? patch $patch:ty as $merge:ident
            => $read:ident [$($published:tt)*] { $($schema:tt)* };
    )*) => {
        fn configuration(value: &Json, place: String, mode: Mode, found: &ProblemCollector) -> Option<ConfigurationPatch> {
            let fields = Fields::new(value, place, found)?;
            fields.only(CONFIGURATION_KEYS, &[]);
            let default = Configuration::default();
            Some(ConfigurationPatch {
                $($setting: $read(&fields, stringify!($setting), mode, default.$setting),)*
            })
        }
    };
}
configuration_settings!(read_configuration);

fn percentage(fields: &Fields<'_>, name: &str, mode: Mode, default: i64) -> Option<i64> {
    fields.choose(name, mode, || default, integer(0..=100))
}

fn confidence(fields: &Fields<'_>, name: &str, mode: Mode, default: i64) -> Option<i64> {
    fields.choose(name, mode, || default, integer(50..=99))
}

fn moment(fields: &Fields<'_>, name: &str, mode: Mode, default: Option<Instant>) -> Option<Option<Instant>> {
    fields.choose(name, mode, || default, nullable(parsed(Instant::parse)))
}

fn switch(fields: &Fields<'_>, name: &str, mode: Mode, default: bool) -> Option<bool> {
    fields.choose(name, mode, || default, flag)
}

fn shares(fields: &Fields<'_>, name: &str, mode: Mode, _: Distribution) -> Option<DistributionPatch> {
    fields.choose(name, mode, || DistributionPatch::Unset, |value| distribution(value, mode))
}

fn short_text(fields: &Fields<'_>, name: &str, mode: Mode, default: Option<String>) -> Option<Option<String>> {
    fields.choose(name, mode, || default, nullable(parsed(|text| muriel_domain::text::at_most(text, 255))))
}

/// Reads a limit; 0 switches it off.
fn limit(fields: &Fields<'_>, name: &str, mode: Mode, default: Option<i64>) -> Option<Option<i64>> {
    let sent = fields.choose(name, mode, || default.unwrap_or(0), integer(0..=MAX_SAFE))?;
    Some(Some(sent).filter(|limit| *limit > 0))
}

fn integrations(fields: &Fields<'_>, name: &str, mode: Mode, default: Vec<Value>) -> Option<Vec<Value>> {
    let found = fields.found();
    fields.choose_deep(
        name,
        mode,
        || default,
        |value, place| {
            list(value, &place, INTEGRATIONS_MAX, found, |item, place| match item {
                Json::Object(_) | Json::Text(_) => Some(to_value(item)),
                _ => {
                    found.add(place, "must be an object or text");
                    None
                }
            })
        },
    )
}

fn distribution(value: &Json, mode: Mode) -> Result<DistributionPatch, Flaw> {
    let flaw = || {
        Flaw::new(
            "must be null, \"equal\", \"manual\" or an object of weights such as {\"Control\": 50, \"Variant 1\": 50}",
        )
    };
    match value {
        Json::Null => Ok(DistributionPatch::Unset),
        Json::Text(word) if word == "equal" => Ok(DistributionPatch::Equal),
        Json::Text(word) if word == "manual" => Ok(DistributionPatch::InForce),
        Json::Text(text) => match json::parse(text.as_bytes()) {
            Ok(value @ Json::Object(_)) => Ok(DistributionPatch::Weights(to_map(&value))),
            _ => Err(flaw()),
        },
        Json::Object(_) if mode == Mode::Merge => Ok(DistributionPatch::Merge(to_map(value))),
        Json::Object(_) => Ok(DistributionPatch::Weights(to_map(value))),
        _ => Err(flaw()),
    }
}

fn plan(value: &Json, place: String, mode: Mode, found: &ProblemCollector) -> Option<PlanPatch> {
    let fields = Fields::new(value, place, found)?;
    fields.only(&["mde", "visitors"], &[]);
    Some(PlanPatch {
        mde: fields.choose(
            "mde",
            mode,
            || 2.0,
            |value| match value.as_number() {
                Some(percent) if percent > 0.0 && percent <= 1_000.0 => Ok(percent),
                _ => Err(Flaw::new("must be a percentage above 0 and at most 1000")),
            },
        ),
        visitors: fields.choose("visitors", mode, || None, nullable(integer(1..=MAX_SAFE))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_sent_beside_their_object_are_told_where_they_belong() {
        for (field, place) in [
            ("dom_change_path", "configuration"),
            ("traffic_allocation", "configuration"),
            ("url_rule", "targeting"),
            ("device_rule", "targeting"),
        ] {
            let body = Json::Object(vec![(field.to_owned(), Json::Null)]);
            let hint = format!("is a field of {place}; send it there");
            for problems in [patch(&body, Mode::Whole).problems, creation(&body).problems] {
                let problem = problems.iter().find(|problem| problem.to_string().starts_with(field));
                assert!(problem.is_some_and(|problem| problem.to_string().contains(&hint)), "{field}");
            }
        }
    }
}
