//! Experiments that are evaluated for visitors.

use crate::rulesets::Delivery;
use muriel_assign::{Delivered, Experiment};
use muriel_context::Context;
use muriel_context::error::Result;
use muriel_domain::ids::ProjectId;
use muriel_store::experiments;
use std::borrow::Cow;

/// Returns the project's experiment with this key: the delivered one, or a stored one that is not
/// delivered because it is a draft or paused. Evaluating the latter gives the reason `disabled`.
///
/// # Errors
/// When the experiment is not delivered and the database cannot be reached.
pub async fn find<'d>(context: &Context, delivery: &'d Delivery, key: &str) -> Result<Option<Cow<'d, Experiment>>> {
    match delivery.ruleset.experiment(key) {
        Some(experiment) => Ok(Some(Cow::Borrowed(experiment))),
        None => Ok(undelivered(context, delivery.project.id, key).await?.map(Cow::Owned)),
    }
}

async fn undelivered(context: &Context, project: ProjectId, key: &str) -> Result<Option<Experiment>> {
    if key.is_empty() || key.len() > 64 || key.contains('\0') {
        return Ok(None);
    }
    let key = key.to_owned();
    let found = context
        .read(move |tx| {
            Box::pin(async move {
                let Some(id) = experiments::id_of(tx, project, &key).await? else { return Ok(None) };
                Ok(experiments::delivery(tx, project, id).await?)
            })
        })
        .await?;
    Ok(found.and_then(|experiment| Experiment::compile(&Delivered::of(&experiment)).ok()))
}
