//! Parses exclusion groups and holdouts in request bodies.

use super::fields::{Fields, ProblemCollector, boolean, from_body, integer, list, parsed, word};
use crate::json::Json;
use muriel_domain::group::{
    GroupPatch, HoldoutScope, MEMBERS_MAX, NewGroup, NewGroupKind, WantedSlot, parse_group_name,
};
use muriel_domain::ids::{ExperimentId, MAX_SAFE};
use muriel_domain::{Flaw, Problems};
use muriel_service::groups::GroupUpdate;
use std::ops::RangeInclusive;

#[derive(Clone, Copy)]
enum Kind {
    Exclusion,
    Holdout,
}

const KINDS: [(&str, Kind); 2] = [("exclusion", Kind::Exclusion), ("holdout", Kind::Holdout)];

/// Parses a create body.
pub(crate) fn creation(body: &Json) -> Result<NewGroup, Problems> {
    from_body(body, |fields| {
        fields.only(&["name", "kind", "members", "percent", "scope"], &[]);
        let name = fields.needed("name", parsed(parse_group_name));
        let kind = match fields.needed("kind", word(&KINDS))? {
            Kind::Exclusion => {
                for other in ["percent", "scope"].into_iter().filter(|other| fields.has(other)) {
                    fields.add(other, "is only for holdouts; an exclusion group has members");
                }
                fields.require("members");
                NewGroupKind::Exclusion(members(fields)?)
            }
            Kind::Holdout => {
                if fields.has("members") {
                    fields.add("members", "is only for exclusion groups; a holdout has a scope");
                }
                fields.require("scope");
                let held_out = fields.needed("percent", hundredths(10..=5_000));
                let scope = scope(fields);
                NewGroupKind::Holdout { held_out: held_out?, scope: scope? }
            }
        };
        Some(NewGroup { name: name?, kind })
    })
}

/// Parses a PATCH body.
pub(crate) fn update(body: &Json) -> Result<GroupUpdate, Problems> {
    from_body(body, |fields| {
        fields.only(
            &["name", "members", "percent", "scope", "accept_moves"],
            &[
                ("kind", "is permanent; create another group to use another kind"),
                ("group_id", "identifies the group and cannot be changed"),
                ("created_at", "cannot be changed"),
            ],
        );
        let patch = GroupPatch {
            name: fields.read("name", parsed(parse_group_name)),
            members: members(fields),
            held_out: fields.read("percent", hundredths(10..=5_000)),
            scope: scope(fields),
        };
        Some(GroupUpdate { patch, accept_moves: fields.read("accept_moves", boolean).unwrap_or(false) })
    })
}

/// Returns whether a DELETE body allows moving visitors.
pub(crate) fn acceptance(body: &Json) -> Result<bool, Problems> {
    from_body(body, |fields| {
        fields.only(&["accept_moves"], &[]);
        Some(fields.read("accept_moves", boolean).unwrap_or(false))
    })
}

fn members(fields: &Fields<'_>) -> Option<Vec<WantedSlot>> {
    fields.read_deep("members", |value, place| {
        list(value, &place, MEMBERS_MAX, fields.found(), |item, place| member(item, place, fields.found()))
    })
}

fn member(value: &Json, place: String, found: &ProblemCollector) -> Option<WantedSlot> {
    let fields = Fields::new(value, place, found)?;
    fields.only(
        &["test_id", "percent"],
        &[
            ("from", "cannot be set; the server derives it from percent, so that as few visitors as possible move"),
            ("to", "cannot be set; the server derives it from percent, so that as few visitors as possible move"),
        ],
    );
    let experiment = fields.needed("test_id", integer(1..=MAX_SAFE)).map(ExperimentId);
    let size = fields.needed("percent", hundredths(1..=10_000));
    Some(WantedSlot { experiment: experiment?, size: size? })
}

fn scope(fields: &Fields<'_>) -> Option<HoldoutScope> {
    fields.read_deep("scope", |value, place| {
        if value.as_str() == Some("project") {
            return Some(HoldoutScope::Project);
        }
        let found = fields.found();
        if value.as_object().is_none() {
            found.add(place, "must be \"project\", or an object with the ids of experiments: {\"tests\": [1, 2]}");
            return None;
        }
        let fields = Fields::new(value, place, found)?;
        fields.only(&["tests"], &[]);
        fields.require("tests");
        let tests = fields.read_deep("tests", |value, place| {
            list(value, &place, MEMBERS_MAX, found, |item, place| match integer(1..=MAX_SAFE)(item) {
                Ok(id) => Some(ExperimentId(id)),
                Err(flaw) => {
                    found.add(place, flaw.to_string());
                    None
                }
            })
        });
        tests.map(HoldoutScope::Experiments)
    })
}

/// Parses a percentage with at most two decimals, as hundredths of a percent.
fn hundredths(range: RangeInclusive<u32>) -> impl Fn(&Json) -> Result<u32, Flaw> {
    move |value| {
        let (least, most) = (f64::from(*range.start()) / 100.0, f64::from(*range.end()) / 100.0);
        let flaw = || Flaw::new(format!("must be a number from {least} to {most} with at most two decimals"));
        let percent = value.as_number().filter(|percent| (least..=most).contains(percent)).ok_or_else(flaw)?;
        let hundredths = (percent * 100.0).round();
        if (percent * 100.0 - hundredths).abs() > 1e-6 {
            return Err(flaw());
        }
        // The value is between 1 and 10,000.
        Ok(hundredths as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn refused(read: impl Fn(&Json) -> Option<Problems>, body: serde_json::Value) -> Vec<String> {
        let problems = read(&json::parse(body.to_string().as_bytes()).unwrap());
        problems.map_or_else(Vec::new, |problems| problems.iter().map(|it| it.field.to_string()).collect())
    }

    #[test]
    fn percentages_have_two_decimals() {
        for (text, expect) in [
            ("30", Some(3_000)),
            ("33.33", Some(3_333)),
            ("0.01", Some(1)),
            ("0.07", Some(7)),
            ("100", Some(10_000)),
            ("0.001", None),
            ("33.333", None),
            ("0", None),
            ("100.01", None),
            ("-1", None),
            ("1e999", None),
            ("\"30\"", None),
            ("null", None),
        ] {
            let read = json::parse(text.as_bytes()).ok().and_then(|value| hundredths(1..=10_000)(&value).ok());
            assert_eq!(read, expect, "{text}");
        }
    }

    #[test]
    fn bodies_name_what_is_wrong() {
        use serde_json::json;
        let member = json!({ "test_id": 1, "percent": 50 });
        for (body, expect) in [
            (json!({ "name": "G", "kind": "exclusion", "members": [member] }), vec![]),
            (json!({ "name": "G", "kind": "exclusion", "members": [] }), vec![]),
            (json!({}), vec!["name", "kind"]),
            (json!({ "name": "", "kind": "group" }), vec!["name", "kind"]),
            (json!({ "name": "G", "kind": "exclusion" }), vec!["members"]),
            (json!({ "name": "G", "kind": "exclusion", "members": [], "percent": 5 }), vec!["percent"]),
            (
                json!({ "name": "G", "kind": "exclusion", "members": [{ "test_id": "1", "percent": 50, "from": 0 }, {}] }),
                vec!["members[0].from", "members[0].test_id", "members[1].test_id", "members[1].percent"],
            ),
            (json!({ "name": "G", "kind": "holdout", "percent": 5, "scope": "project" }), vec![]),
            (json!({ "name": "G", "kind": "holdout", "percent": 5, "scope": { "tests": [1, 2] } }), vec![]),
            (json!({ "name": "G", "kind": "holdout" }), vec!["scope", "percent"]),
            (json!({ "name": "G", "kind": "holdout", "percent": 51, "scope": "all" }), vec!["percent", "scope"]),
            (
                json!({ "name": "G", "kind": "holdout", "percent": 5, "scope": { "tests": [0] }, "members": [] }),
                vec!["members", "scope.tests[0]"],
            ),
        ] {
            assert_eq!(refused(|body| creation(body).err(), body.clone()), expect, "{body}");
        }
        for (body, expect) in [
            (json!({}), vec![]),
            (json!({ "accept_moves": true, "percent": 7 }), vec![]),
            (json!({ "kind": "holdout" }), vec!["kind"]),
            (json!({ "accept_moves": 1 }), vec!["accept_moves"]),
            (json!({ "name": null }), vec!["name"]),
        ] {
            assert_eq!(refused(|body| update(body).err(), body.clone()), expect, "{body}");
        }
    }
}
