//! Applies the changes, object by object. Each is made completely or not at all, and only if the object is as in the
//! plan.

use super::api::{Answer, Api, Conditions, Failure, Names, made_id};
use super::content::Kind;
use super::diff::{Act, Change, Ids, resolved, status_code};
use serde_json::{Value, json};
use std::collections::HashMap;
use ureq::http::Method;

/// Error that stopped an apply.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// Object, as messages name it.
    pub(crate) object: String,
    /// Reason, and the state of the object.
    pub(crate) reason: String,
}

/// Makes all changes, and calls `done` after each.
///
/// # Errors
/// The first change that could not be made. Later ones are not attempted.
pub(crate) fn apply(
    api: &Api,
    changes: &[Change],
    names: &Names,
    mut done: impl FnMut(&Change),
) -> std::result::Result<(), Stopped> {
    let mut applier = Applier { api, ids: names.ids(), slugs: names.slugs.clone() };
    for change in changes {
        let stopped = |reason| Stopped { object: format!("{} {}", change.kind.word(), change.name), reason };
        applier.make(change).map_err(stopped)?;
        done(change);
    }
    Ok(())
}

struct Applier<'a> {
    api: &'a Api,
    ids: Ids,
    slugs: HashMap<i64, String>,
}

impl Applier<'_> {
    fn make(&mut self, change: &Change) -> std::result::Result<(), String> {
        match change.act {
            Act::Create => self.create(change),
            Act::Update => self.update(change),
            Act::Remove => self.remove(change),
        }
    }

    fn create(&mut self, change: &Change) -> std::result::Result<(), String> {
        let body = Value::Object(resolved(change, change.body(), &self.ids));
        let path = match change.kind {
            Kind::Experiment => "/create-experiment",
            Kind::Goal => "/goal",
            Kind::Hypothesis => "/hypothesis",
        };
        let key = uuid::Uuid::new_v4().to_string();
        let conditions = Conditions { idempotency_key: Some(&key), ..Conditions::default() };
        let answer =
            self.api.send(Method::POST, path, Some(&body), conditions).map_err(|failure| reason(failure, change))?;
        let id = answer.body.as_object().and_then(|body| made_id(change.kind, body)).unwrap_or_default();
        self.ids.insert((change.kind, change.name.clone()), id);
        if change.kind == Kind::Hypothesis {
            self.slugs.insert(id, change.name.clone());
        }
        Ok(())
    }

    fn update(&self, change: &Change) -> std::result::Result<(), String> {
        let (id, etag) = self.unchanged(change)?;
        let path = Api::path(change.kind, id);
        let body = resolved(change, change.body(), &self.ids);
        let sent = match &change.status {
            None => self.conditional(Method::PATCH, &path, Some(&Value::Object(body)), &etag),
            Some(word) => {
                let mut step = json!({ "status": status_code(word) });
                if !body.is_empty() {
                    step["changes"] = Value::Object(body);
                }
                self.conditional(Method::PATCH, &format!("{path}/status"), Some(&step), &etag)
            }
        };
        sent.map(drop).map_err(|failure| reason(failure, change))
    }

    fn remove(&self, change: &Change) -> std::result::Result<(), String> {
        let (id, etag) = self.unchanged(change)?;
        let path = Api::path(change.kind, id);
        let sent = match change.kind {
            Kind::Hypothesis => self.conditional(Method::PATCH, &path, Some(&json!({ "archived": true })), &etag),
            _ => self.conditional(Method::DELETE, &path, None, &etag),
        };
        sent.map(drop).map_err(|failure| reason(failure, change))
    }

    fn conditional(&self, method: Method, path: &str, body: Option<&Value>, etag: &str) -> Result<Answer, Failure> {
        self.api.send(method, path, body, Conditions { etag: Some(etag), ..Conditions::default() })
    }

    /// Id and version of an object that is still as in the plan. The version alone does not show this: it also changes
    /// with an experiment's goal and hypothesis, which this apply may have changed itself.
    fn unchanged(&self, change: &Change) -> std::result::Result<(i64, String), String> {
        let Some(seen) = &change.stored else { return Err(CHANGED.to_owned()) };
        let found = self.api.details(change.kind, (seen.id, &seen.name), &self.slugs);
        match found.map_err(|failure| reason(failure, change))? {
            Some((now, etag)) if now.fields == seen.fields => Ok((seen.id, etag)),
            _ => Err(CHANGED.to_owned()),
        }
    }
}

const CHANGED: &str = "was changed by somebody else since the plan was made; this apply did not change it";

fn reason(failure: Failure, change: &Change) -> String {
    match failure {
        Failure::Refused(412, _) => CHANGED.to_owned(),
        Failure::Refused(_, sentence) => format!("was refused and is unchanged: {sentence}"),
        Failure::Lost(sentence) => {
            format!(
                "may have been {} or not: {sentence}",
                if change.act == Act::Create { "created" } else { "changed" }
            )
        }
    }
}

#[cfg(test)]
mod tests;
