//! Parses conclusions and confirmations in request bodies.

use super::fields::{from_body, integer, parsed, word};
use crate::json::Json;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::HypothesisId;
use muriel_domain::{Problems, text as bounded};
use muriel_service::experiments::{Confirmation, NewConclusion};

/// Maximum length of a text in a conclusion, in characters.
const NOTE_MAX: usize = 10_000;

/// Parses the reason of a confirmation.
pub(crate) fn confirmation(what: Confirmation, body: &Json) -> Result<String, Problems> {
    from_body(body, |fields| {
        fields.only(&["reason"], &[]);
        fields.needed("reason", parsed(|text| what.reason(text)))
    })
}

/// Parses the conclusion of an experiment.
pub(crate) fn conclusion(body: &Json) -> Result<NewConclusion, Problems> {
    from_body(body, |fields| {
        let known = ["outcome", "note", "learned", "override_reason", "serve_variant_id", "traffic_allocation"];
        fields.only(&[&known[..], &["follow_up_hypothesis_id"]].concat(), &[]);
        let outcome = fields.needed("outcome", word(&ConclusionOutcome::WORDS));
        let note = fields.needed("note", parsed(|text| bounded::at_most(text, NOTE_MAX)));
        let learned = fields.read("learned", parsed(|text| bounded::at_most(text, NOTE_MAX)));
        let override_reason = fields.read("override_reason", parsed(|text| bounded::title(text, NOTE_MAX)));
        let arm = fields.read("serve_variant_id", parsed(|text| bounded::at_most(text, 16)));
        let rollout = fields.read("traffic_allocation", integer(1..=100));
        if fields.has("traffic_allocation") && !fields.has("serve_variant_id") {
            fields
                .found()
                .add("traffic_allocation", "requires serve_variant_id: it is the percentage of visitors who get it");
        }
        let follow_up = fields.read("follow_up_hypothesis_id", integer(1..=i64::MAX)).map(HypothesisId);
        Some(NewConclusion {
            outcome: outcome?,
            note: note?,
            learned: learned.unwrap_or_default(),
            override_reason,
            winner: arm.map(|arm| (arm, rollout.unwrap_or(100))),
            follow_up,
            judged_later: false,
        })
    })
}
