//! Hypotheses as they are sent.

use super::fields::{Fields, boolean, from_body, integer, nullable, parsed};
use crate::json::Json;
use muriel_domain::hypothesis::{Content, Patch, Rating, parse_text};
use muriel_domain::{Problems, text};

const CONTENT_FIELDS: [&str; 7] =
    ["observation", "problem", "solution", "confidence", "importance", "difficulty", "hypothesis_url"];

/// A create body with its problems.
pub(crate) fn creation(body: &Json) -> Result<Content, Problems> {
    let patch = from_body(body, |fields| {
        fields.only(&CONTENT_FIELDS, &[("archived", "is for updates; a new hypothesis is on the backlog")]);
        Some(patch_fields(fields))
    })?;
    patch.apply(&Content::default(), false).map(|(content, _)| content)
}

/// A PATCH body with its problems.
pub(crate) fn patch(body: &Json) -> Result<Patch, Problems> {
    from_body(body, |fields| {
        let mut known = CONTENT_FIELDS.to_vec();
        known.push("archived");
        fields.only(
            &known,
            &[
                ("hypothesis_id", "identifies the hypothesis and cannot be changed"),
                ("linked_test_ids", "is changed with the hypothesis_id of an experiment"),
                ("created_at", "cannot be changed"),
                ("updated_at", "cannot be changed; every update sets it"),
            ],
        );
        Some(Patch { archived: fields.read("archived", boolean), ..patch_fields(fields) })
    })
}

fn patch_fields(fields: &Fields<'_>) -> Patch {
    let words = |name| fields.read(name, nullable(parsed(parse_text)));
    let rating = |name| fields.read(name, nullable(|value: &Json| integer(1..=5)(value).and_then(Rating::new)));
    Patch {
        observation: words("observation"),
        problem: words("problem"),
        solution: words("solution"),
        confidence: rating("confidence"),
        importance: rating("importance"),
        difficulty: rating("difficulty"),
        link: fields.read("hypothesis_url", nullable(parsed(text::web_address))),
        archived: None,
    }
}
