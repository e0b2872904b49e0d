//! Confirming an act that the clock holds back because its finding rests on a single network.

use super::change::{Change, Changed, Target};
use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::error::Result;
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::experiment::{PLAN_REASON_MAX, Rule};
use muriel_domain::{Flaw, text};
use serde_json::{Map, Value};

/// Parses the reason for confirming an act.
///
/// # Errors
/// A blank text, and one that is too long.
pub fn act_reason(said: &str) -> Result<String, Flaw> {
    match text::at_most(said.trim(), PLAN_REASON_MAX)? {
        reason if reason.is_empty() => Err(Flaw::new("must say why the result can be trusted")),
        reason => Ok(reason),
    }
}

/// Lets the clock act for a day by the rule that it holds back. `render` makes the response.
///
/// # Errors
/// `NotFound`; then a `reason` or a `key` that could not be read; `PreconditionFailed`; an experiment of which no act is
/// held back, or that is concluded; weights of a bandit, where a second person has to approve them; and when the database
/// cannot be reached.
pub async fn confirm_act(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    reason: Result<String>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let change = Change::new(app, actor, target, "confirm act");
    let change = match &reason {
        Ok(reason) => {
            let fields = Map::from_iter([("reason".to_owned(), Value::from(reason.as_str()))]);
            change.with_detail(Some(fields.clone().into())).with_audit_fields(fields)
        }
        Err(_) => change,
    };
    let project = change.target.project.clone();
    let (response, changed) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let (_, key) = (reason?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, None));
                }
                let after = before.experiment.act_confirmed(change.now).map_err(Into::into);
                let after = change.decided(&before, after)?;
                // People may stop an experiment, and serve what visitors have met, alone. Weights need approval.
                if after.schedule.confirmed_act.is_some_and(|confirmed| confirmed.rule == Rule::Bandit) {
                    change.approval(tx, &before.experiment, &after).await?;
                }
                let changed = change.save(tx, before, after).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&changed)?).await?;
                Ok((response, Some(changed)))
            })
        })
        .await?;
    if let Some(changed) = changed {
        changed.deliver(app, &project).await;
    }
    Ok(response)
}
