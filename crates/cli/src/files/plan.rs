//! Plans: the changes that an apply would make, and their effects on live experiments.

use super::api::{Api, Conditions, Failure};
use super::content::Kind;
use super::diff::{Act, Change, Changes};
use crate::{Error, Result};
use serde_json::Value;
use ureq::http::Method;

/// Change with its effects according to the server.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) change: Change,
    pub(crate) effects: Effects,
}

/// Effects of a change besides its fields.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Effects {
    /// Reasons for a new epoch; empty if none begins.
    pub(crate) reasons: Vec<String>,
    /// Variants that would mean something else to their visitors, by `variant_id`.
    pub(crate) redefines: Vec<String>,
    /// Messages about departures from the plan locked at the first start.
    pub(crate) exploratory: Vec<String>,
    /// Fields whose code is removed.
    pub(crate) removed_code: Vec<String>,
    /// Percent of visitors who get another variant or none; `None` if it is not known.
    pub(crate) moved_visitors_percent: Option<f64>,
    pub(crate) warnings: Vec<String>,
}

/// Fields without effect on visitors, which may name objects that do not exist yet.
const REFERENCES: [&str; 3] = ["primary_goal_key", "secondary_goal_keys", "hypothesis"];

/// Computes the effects of the changes.
///
/// # Errors
/// All changes that the server would refuse.
pub(crate) fn planned(api: &Api, changes: Changes) -> Result<Vec<Planned>> {
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for change in changes.changes {
        match effects(api, &change) {
            Ok(effects) => all.push(Planned { change, effects }),
            Err(Failure::Refused(_, sentence)) => {
                refused.push(format!("{} {}: {sentence}", change.kind.word(), change.name));
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    match refused.is_empty() {
        true => Ok(all),
        false => Err(Error::Refused(format!("the server refuses:\n  {}", refused.join("\n  ")))),
    }
}

fn effects(api: &Api, change: &Change) -> std::result::Result<Effects, Failure> {
    let none = Effects { moved_visitors_percent: Some(0.0), ..Effects::default() };
    let (Kind::Experiment, Act::Update, Some(stored)) = (change.kind, &change.act, &change.stored) else {
        return Ok(none);
    };
    let mut body = change.body();
    REFERENCES.iter().for_each(|name| drop(body.shift_remove(*name)));
    if body.is_empty() {
        return Ok(none);
    }
    let path = format!("{}/change-preview", Api::path(change.kind, stored.id));
    let preview = api.send(Method::POST, &path, Some(&Value::Object(body)), Conditions::default())?.body;
    let texts = |name: &str| -> Vec<String> {
        preview[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut effects = Effects {
        reasons: texts("reasons"),
        redefines: texts("redefines"),
        exploratory: texts("exploratory"),
        removed_code: texts("removed_code"),
        moved_visitors_percent: preview["moved_visitors_percent"].as_f64(),
        warnings: texts("warnings"),
    };
    if change.stops() {
        // The experiment stops with the change, so no visitor is moved.
        effects.reasons.clear();
        effects.moved_visitors_percent = Some(0.0);
    }
    Ok(effects)
}
