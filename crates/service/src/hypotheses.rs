//! The backlog of hypotheses.

use crate::app::App;
use crate::error::{Error, Result};
use crate::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::hypothesis::{Content, Hypothesis, Patch};
use muriel_domain::ids::{HypothesisId, ProjectId};
use muriel_store::hypotheses::Page;
use muriel_store::tenants::Project;
use muriel_store::{Intent, hypotheses, lock};

const NOT_FOUND: Error = Error::NotFound("hypothesis");

/// A page of the project's hypotheses whose texts contain `search`, newest update first.
///
/// # Errors
/// When the database cannot be reached.
pub async fn page(
    app: &App,
    project: ProjectId,
    search: Option<&str>,
    with_archived: bool,
    limit_and_offset: (i64, i64),
) -> Result<Page> {
    Ok(hypotheses::page(&app.db, &app.backlogs, project, search, with_archived, limit_and_offset).await?)
}

/// A hypothesis.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn find(app: &App, project: ProjectId, id: HypothesisId) -> Result<Hypothesis> {
    let found = app.read(move |tx| Box::pin(async move { Ok(hypotheses::find(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)
}

/// Creates a hypothesis. The response is what `render` makes.
///
/// # Errors
/// When the database cannot be reached.
pub async fn create(
    app: &App,
    project: &Project,
    key: Option<IdempotencyKey>,
    content: Content,
    render: impl FnOnce(HypothesisId) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, project_id) = (app.clock.now(), project.id);
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            lock(tx, project_id, Intent::Reshape).await?;
            if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                return Ok(stored);
            }
            let id = hypotheses::insert(tx, project_id, &content, now).await?;
            idempotency::store(tx, key.as_ref(), render(id)?).await
        })
    })
    .await
}

/// Changes fields of a hypothesis, all of them or none.
///
/// # Errors
/// `NotFound`; then a `patch` that could not be read or leaves the hypothesis empty; and when
/// the database cannot be reached.
pub async fn update(app: &App, project: &Project, id: HypothesisId, patch: Result<Patch>) -> Result<()> {
    let (now, project_id) = (app.clock.now(), project.id);
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            lock(tx, project_id, Intent::Reshape).await?;
            let before = hypotheses::find(tx, project_id, id).await?.ok_or(NOT_FOUND)?;
            let (content, archived) = patch?.apply(&before.content, before.archived)?;
            if content != before.content || archived != before.archived {
                hypotheses::update(tx, project_id, &before, &content, archived, now).await?;
            }
            Ok(())
        })
    })
    .await
}
