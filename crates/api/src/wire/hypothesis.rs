//! Parses hypotheses in request bodies.

use super::fields::{Fields, boolean, from_body, integer, nullable, parsed};
use crate::json::Json;
use muriel_domain::hypothesis::{Content, Patch, Rating, parse_slug, parse_text};
use muriel_domain::{Problems, text};
use muriel_service::hypotheses::NewHypothesis;

/// Fields that creation and PATCH accept.
pub(in crate::wire) const HYPOTHESIS_FIELDS: [&str; 9] = [
    "slug",
    "observation",
    "problem",
    "solution",
    "confidence",
    "importance",
    "difficulty",
    "hypothesis_url",
    "archived",
];

/// Parses a create body.
pub(crate) fn creation(body: &Json) -> Result<NewHypothesis, Problems> {
    let patch = from_body(body, |fields| {
        fields.only(&HYPOTHESIS_FIELDS, &[]);
        Some(patch_fields(fields))
    })?;
    let (slug, archived) = (patch.slug.clone(), patch.archived.unwrap_or(false));
    Ok(NewHypothesis { content: patch.content(&Content::default())?, slug, archived })
}

/// Parses a PATCH body.
pub(crate) fn patch(body: &Json) -> Result<Patch, Problems> {
    from_body(body, |fields| {
        fields.only(
            &HYPOTHESIS_FIELDS,
            &[
                ("hypothesis_id", "identifies the hypothesis and cannot be changed"),
                ("linked_test_ids", "is changed with the hypothesis_id of an experiment"),
                ("created_at", "cannot be changed"),
                ("updated_at", "cannot be changed; every update sets it"),
            ],
        );
        Some(patch_fields(fields))
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
        archived: fields.read("archived", boolean),
        slug: fields.read("slug", parsed(parse_slug)),
    }
}
