//! Parses reports of previews.

use super::fields::{from_body, integer, list, parsed, text};
use crate::json::Json;
use muriel_domain::experiment::VARIANTS_MAX;
use muriel_domain::{Flaw, Problems, text as texts};
use muriel_service::preview::PreviewFound;

/// Maximum number of selectors in either list.
const SELECTORS_MAX: usize = 1_000;

/// Parses a report, with the token of its preview.
pub(crate) fn preview_report(body: &Json) -> Result<(String, PreviewFound), Problems> {
    from_body(body, |fields| {
        fields.only(&["token", "variant_id", "url", "matched", "missing"], &[]);
        let token = fields.needed("token", parsed(|token| texts::at_most(token, 256)));
        let arm = fields.needed("variant_id", integer(0..=VARIANTS_MAX as i64));
        let url = fields.needed("url", parsed(texts::web_address));
        let found = fields.found();
        let selectors = |name: &str| {
            fields.require(name);
            fields.read_deep(name, |value, place| {
                list(value, &place, SELECTORS_MAX, found, |item, place| {
                    let selector = text(item).and_then(|one| match one.len() {
                        0..=2_048 => Ok(one.to_owned()),
                        _ => Err(Flaw::new("must have at most 2048 bytes")),
                    });
                    selector.map_err(|flaw| found.add(place, flaw.to_string())).ok()
                })
            })
        };
        let (matched, missing) = (selectors("matched"), selectors("missing"));
        let arm = u32::try_from(arm?).ok()?;
        Some((token?, PreviewFound { arm, url: url?, matched: matched?, missing: missing? }))
    })
}
