//! Parses proposed changes: the fields of an update, or a status, and a note.

use super::experiment::{patch, status};
use super::fields::{Mode, from_body, parsed};
use crate::json::Json;
use muriel_domain::{Problems, text};
use muriel_service::experiments::Proposed;
use muriel_service::experiments::{Confirmation, StatusChange};
use muriel_service::proposals::{NewProposal, TEXT_MAX};

/// Fields of a proposal that an update does not have.
const OWN: [&str; 3] = ["status", "confirm_plan", "note"];

/// Parses a proposal. `bytes` is the body as sent.
pub(crate) fn new_proposal(body: &Json, bytes: &[u8], mode: Mode) -> Result<NewProposal, Problems> {
    let note = from_body(body, |fields| {
        let note = fields.read("note", parsed(|note| text::at_most(note, TEXT_MAX)));
        Some(note.unwrap_or_default())
    });
    let (note, proposed) = match (note, proposed(body, mode)) {
        (Ok(note), Ok(proposed)) => (note, proposed),
        (Err(mut problems), Err(more)) => {
            problems.extend(more);
            return Err(problems);
        }
        (Err(problems), Ok(_)) | (Ok(_), Err(problems)) => return Err(problems),
    };
    // This succeeds: the same bytes have been parsed as JSON before.
    let mut kept: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    if let Some(fields) = kept.as_object_mut() {
        fields.shift_remove("note");
    }
    Ok(NewProposal { proposed, body: kept.to_string(), merges: mode == Mode::Merge, note })
}

/// Parses the proposed change.
pub(crate) fn proposed(body: &Json, mode: Mode) -> Result<Proposed, Problems> {
    let Json::Object(members) = body else {
        return Err(Problems::one("body", "must be an object"));
    };
    let others: Vec<(String, Json)> =
        members.iter().filter(|(name, _)| !OWN.contains(&name.as_str())).cloned().collect();
    if members.iter().any(|(name, _)| name == "confirm_plan") {
        return from_body(body, |fields| {
            let is_other = |name: &&str| !["confirm_plan", "note"].contains(name);
            for name in members.iter().map(|(name, _)| name.as_str()).filter(is_other) {
                fields.add(name, "cannot be proposed together with confirm_plan; make two proposals");
            }
            let reason = fields.needed("confirm_plan", parsed(|text| Confirmation::Plan.reason(text)))?;
            Some(Proposed::Plan(reason))
        });
    }
    if members.iter().any(|(name, _)| name == "status") {
        return from_body(body, |fields| {
            for (name, _) in &others {
                fields.add(name, "cannot be proposed together with a status; make two proposals");
            }
            let to = fields.needed("status", status)?;
            Some(Proposed::Status(StatusChange { to, started_at: None, edit: None }))
        });
    }
    let edit = patch(&Json::Object(others), mode);
    // Problems that depend on the stored state are added when the experiment is loaded.
    Ok(Proposed::Edit(Box::new(edit)))
}
