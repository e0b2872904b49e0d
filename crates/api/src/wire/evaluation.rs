//! Evaluation for visitors: parsing the request and writing the response.
//!
//! Responses are written as bytes from templates, because a request may ask for thousands of decisions.

use crate::error::ApiError;
use crate::json::Json;
use crate::wire::context;
use crate::wire::fields::{ProblemCollector, from_body, list, texts};
use bytes::Bytes;
use muriel_assign::{Experiment, NoopObserver, Visitor};
use muriel_delivery::flag_template::FlagTemplate;
use muriel_delivery::rulesets::Delivery;
use muriel_delivery::visitor::Visitors;
use muriel_domain::Problems;
use std::borrow::Borrow;

/// Maximum number of contexts in a call.
const CONTEXTS_MAX: usize = 1_000;
/// Maximum number of experiments that a call names.
const KEYS_MAX: usize = 500;
/// Offset basis and prime of 64-bit FNV-1a.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// Request for the assignments of many visitors.
pub(crate) struct ManyRequest<'j> {
    /// Keys of the experiments; `None` for all that are delivered.
    pub(crate) keys: Option<Vec<String>>,
    /// Members of each visitor's context.
    pub(crate) contexts: Vec<&'j [(String, Json)]>,
}

/// Parses a request for the assignments of many visitors. Problems within a context are found by [`assignments`].
///
/// # Errors
/// All other problems of the body.
pub(crate) fn many_request(body: &Json) -> Result<ManyRequest<'_>, ApiError> {
    let keys = from_body(body, |fields| {
        let found = fields.found();
        fields.only(&["experiment_keys", "contexts"], &[]);
        fields.require("contexts");
        let keys = match fields.has("experiment_keys") {
            false => Some(None),
            true => fields.read_deep("experiment_keys", |value, place| experiment_keys(value, &place, found)).map(Some),
        };
        fields.read_deep("contexts", |value, place| {
            list(value, &place, CONTEXTS_MAX, found, |context, place| {
                if context.as_object().is_none() {
                    found.add(place, "must be an object with a targetingKey");
                }
                Some(())
            })
        });
        keys
    })?;
    let contexts = body.get("contexts").and_then(Json::as_array).unwrap_or_default();
    Ok(ManyRequest { keys, contexts: contexts.iter().filter_map(Json::as_object).collect() })
}

fn experiment_keys(value: &Json, place: &str, found: &ProblemCollector) -> Option<Vec<String>> {
    let keys = texts(value, place, found)?;
    if keys.len() > KEYS_MAX {
        found.add(place, format!("must have at most {KEYS_MAX} entries"));
        return None;
    }
    Some(keys.into_iter().map(str::to_owned).collect())
}

/// Response with a list of assignments per context, one for each of `experiments`. Adds problems of contexts to
/// `problems`; the response is valid only if there are none.
pub(crate) fn assignments(
    experiments: &[impl Borrow<Experiment>],
    contexts: &[&[(String, Json)]],
    visitors: &Visitors,
    now_ms: i64,
    problems: &mut Problems,
) -> Bytes {
    let templates: Vec<FlagTemplate> =
        experiments.iter().map(|experiment| FlagTemplate::of(experiment.borrow())).collect();
    let mut out = Vec::with_capacity(64 + 96 * experiments.len() * contexts.len());
    out.extend_from_slice(b"{\"success\":true,\"assignments\":[");
    for (at, members) in contexts.iter().enumerate() {
        let origin = context::origin(members, visitors);
        let visitor = match context::visitor(members, origin.as_ref(), now_ms) {
            Ok(visitor) => visitor,
            Err(found) => {
                problems.extend_under(&format!("contexts[{at}]"), &found);
                continue;
            }
        };
        out.extend_from_slice(if at == 0 { b"[" } else { b",[" });
        for (nth, (experiment, template)) in experiments.iter().map(Borrow::borrow).zip(&templates).enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            template.write_assignment(&mut out, experiment, experiment.decide(&visitor, &mut NoopObserver));
        }
        out.push(b']');
    }
    out.extend_from_slice(b"]}");
    out.into()
}

/// Response with every delivered experiment as an OpenFeature flag, and its version.
pub(crate) fn flags(delivery: &Delivery, visitor: &Visitor<'_>) -> (Bytes, String) {
    let experiments = delivery.ruleset.experiments();
    let mut out = Vec::with_capacity(64 + 256 * experiments.len());
    out.extend_from_slice(b"{\"flags\":[");
    // The response depends only on the ruleset and the decisions, so the version is a hash of these.
    let mut hash = FNV_BASIS;
    for (at, (experiment, template)) in experiments.iter().zip(&delivery.templates).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let decision = experiment.decide(visitor, &mut NoopObserver);
        for part in [decision.arm.map_or(0, |arm| u64::from(arm.0) + 1), decision.reason as u64] {
            hash = (hash ^ part).wrapping_mul(FNV_PRIME);
        }
        template.write_flag(&mut out, decision);
    }
    out.extend_from_slice(b"]}");
    (out.into(), format!("{}-{hash:016x}", delivery.etag))
}
