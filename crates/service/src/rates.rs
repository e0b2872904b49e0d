//! Currency rates of a project.

use crate::app::App;
use crate::error::Result;
use muriel_domain::ids::ProjectId;
use muriel_domain::rates::Rates;
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, lock};

/// The project's rates; `None` where it has none.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find(app: &App, project: ProjectId) -> Result<Option<Rates>> {
    app.read(move |tx| Box::pin(async move { Ok(tenants::currency_rates(tx, project).await?) })).await
}

/// Sets the project's rates, or removes them. Results of all of its experiments follow.
///
/// # Errors
/// When the database cannot be reached.
pub async fn set(app: &App, project: &Project, rates: Option<Rates>) -> Result<()> {
    let (now, project_id) = (app.clock.now(), project.id);
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            lock(tx, project_id, Intent::Reshape).await?;
            Ok(tenants::currency_rates_set(tx, project_id, rates.as_ref(), now).await?)
        })
    })
    .await
}
