//! What an apply would do, and what that does to live experiments.

use super::api::{Api, Conditions, Failure};
use super::content::Kind;
use super::diff::{Act, Change, Changes};
use crate::{Error, Result};
use serde_json::Value;
use ureq::http::Method;

/// A change with what the server says that it does.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) change: Change,
    pub(crate) effects: Effects,
}

/// What a change does besides changing fields.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Effects {
    /// Why a new epoch begins; empty where none does.
    pub(crate) reasons: Vec<String>,
    /// Arms that become something else to their visitors, by `variant_id`.
    pub(crate) redefines: Vec<String>,
    /// What would not be as it was planned at the first start, each in a sentence.
    pub(crate) exploratory: Vec<String>,
    /// Fields whose code goes.
    pub(crate) removed_code: Vec<String>,
    /// How many visitors get another arm, or none, in percent; `None` where nobody can say.
    pub(crate) moved_visitors_percent: Option<f64>,
    pub(crate) warnings: Vec<String>,
}

/// Fields that no visitor notices, which may name what is yet to be made.
const REFERENCES: [&str; 3] = ["primary_goal_key", "secondary_goal_keys", "hypothesis"];

/// The changes with their effects.
///
/// # Errors
/// Everything that the server would refuse.
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
        // It stops with the change, so nobody is moved by it.
        effects.reasons.clear();
        effects.moved_visitors_percent = Some(0.0);
    }
    Ok(effects)
}
