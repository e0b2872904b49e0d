//! Currency rates of a project.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::Result;
use muriel_domain::ids::ProjectId;
use muriel_domain::rates::Rates;
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, lock};
use serde_json::json;

/// Returns the project's rates; `None` where it has none.
pub async fn find(app: &App, project: ProjectId) -> Result<Option<Rates>> {
    app.read(move |tx| Box::pin(async move { Ok(tenants::currency_rates(tx, project).await?) })).await
}

/// Sets the project's rates, or removes them. This affects the results of all of its experiments.
pub async fn set(app: &App, actor: &Actor, project: &Project, rates: Option<Rates>) -> Result<()> {
    let (now, project_id, actor, of) = (app.clock.now(), project.id, actor.clone(), project.clone());
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            lock(tx, project_id, Intent::Reshape).await?;
            let before = tenants::currency_rates(tx, project_id).await?;
            tenants::currency_rates_set(tx, project_id, rates.as_ref(), now).await?;
            let (was, is) = (json!({ "rates": before }), json!({ "rates": rates }));
            Act::within(&actor, &of, now).changed(tx, "set", object("rates", &of.key, ""), was, is).await
        })
    })
    .await
}
