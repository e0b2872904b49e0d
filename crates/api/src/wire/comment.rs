//! Parses comments in request bodies.

use super::fields::{from_body, integer, list, parsed};
use crate::json::Json;
use muriel_domain::ids::{MAX_SAFE, PersonId};
use muriel_domain::mention::MENTIONS_MAX;
use muriel_domain::{Flaw, Problems, text};
use muriel_service::comments::{NewComment, TEXT_MAX};

/// Parses a new comment.
pub(crate) fn comment(body: &Json) -> Result<NewComment, Problems> {
    let said = |sent: &str| match sent.trim().is_empty() {
        true => Err(Flaw::new("must not be blank")),
        false => text::at_most(sent, TEXT_MAX),
    };
    from_body(body, |fields| {
        fields.only(&["text", "mentions"], &[]);
        let text = fields.needed("text", parsed(said));
        let mentions = fields.read_deep("mentions", |value, place| {
            list(value, &place, MENTIONS_MAX, fields.found(), |item, place| match integer(1..=MAX_SAFE)(item) {
                Ok(id) => Some(PersonId(id)),
                Err(flaw) => {
                    fields.found().add(place, flaw.to_string());
                    None
                }
            })
        });
        Some(NewComment { text: text?, mentions: mentions.unwrap_or_default() })
    })
}
