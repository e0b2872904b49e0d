//! The backlog of hypotheses.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use muriel_context::Precondition;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_context::names::Keyed;
use muriel_context::object_history::{ObjectStep, changed, state_at as state, steps};
use muriel_domain::Instant;
use muriel_domain::hypothesis::{Content, Hypothesis, Patch, Rating};
use muriel_domain::ids::{HypothesisId, ProjectId};
use muriel_sql::Tx;
use muriel_store::audit::ObjectRecord;
use muriel_store::experiments::HistoryEntry;
use muriel_store::hypotheses::Page;
use muriel_store::object_history::{self, Object};
use muriel_store::tenants::Project;
use muriel_store::{Intent, hypotheses, lock};
use serde_json::{Map, Value, json};

const NOT_FOUND: Error = Error::NotFound("hypothesis");

/// Returns a page of the project's hypotheses whose texts contain `search`, newest update first.
pub async fn page(
    app: &App,
    project: ProjectId,
    search: Option<&str>,
    with_archived: bool,
    limit_and_offset: (i64, i64),
) -> Result<Page> {
    Ok(hypotheses::page(&app.db, &app.backlogs, project, search, with_archived, limit_and_offset).await?)
}

/// Returns a hypothesis.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn find(app: &App, project: ProjectId, id: HypothesisId) -> Result<Hypothesis> {
    let found = app.read(move |tx| Box::pin(async move { Ok(hypotheses::find(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)
}

/// A hypothesis to create.
#[derive(Debug, Clone)]
pub struct NewHypothesis {
    /// Texts, ratings and link.
    pub content: Content,
    /// Slug; derived from the text by default.
    pub slug: Option<String>,
    /// True when the hypothesis is archived from the start, so that it is not in the backlog.
    pub archived: bool,
}

/// Returns ids and slugs of the project's hypotheses after this id, lowest id first.
pub async fn slugs(
    app: &App,
    project: ProjectId,
    after: HypothesisId,
    limit: i64,
) -> Result<Vec<(HypothesisId, String)>> {
    app.read(move |tx| Box::pin(async move { Ok(hypotheses::slugs(tx, project, after, limit).await?) })).await
}

/// Creates a hypothesis. `render` makes the response from its id and slug.
///
/// # Errors
/// A slug that is taken, and when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Project,
    key: Option<IdempotencyKey>,
    new: NewHypothesis,
    render: impl FnOnce(HypothesisId, String) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, project_id, actor, of) = (app.clock.now(), project.id, actor.clone(), project.clone());
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            lock(tx, project_id, Intent::Reshape).await?;
            if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                return Ok(stored);
            }
            let slug = match new.slug {
                None => Keyed::Hypothesis.free_key(tx, project_id, &new.content.slug()).await?,
                Some(slug) => free(tx, project_id, slug).await?,
            };
            let id = hypotheses::insert(tx, project_id, &slug, &new.content, new.archived, now).await?;
            keep(tx, id, 1, ("create", &actor.reference(), now), Map::new()).await?;
            let response = idempotency::store(tx, key.as_ref(), render(id, slug)?).await?;
            let made = audit_value(&new.content, new.archived);
            Act::within(&actor, &of, now).made(tx, "create", thing(id, &new.content), made).await?;
            Ok(response)
        })
    })
    .await
}

/// Returns the slug if no hypothesis of the project has it.
async fn free(tx: &mut dyn Tx, project: ProjectId, slug: String) -> Result<String> {
    match Keyed::Hypothesis.is_taken(tx, project, &slug).await? {
        true => Err(Error::conflict(ConflictCode::KeyTaken, "slug is taken by another hypothesis of this project")),
        false => Ok(slug),
    }
}

/// Returns the version of a hypothesis. It changes with every change of the details.
pub fn version(hypothesis: &Hypothesis) -> String {
    hypothesis.revision.to_string()
}

/// Changes fields of a hypothesis, all of them or none. Returns the version after the change.
///
/// # Errors
/// `NotFound`; then a `patch` that could not be read or leaves the hypothesis empty; `PreconditionFailed`; a slug
/// that is taken; and when the database cannot be reached.
pub async fn update(
    app: &App,
    actor: &Actor,
    project: &Project,
    id: HypothesisId,
    precondition: Precondition,
    patch: Result<Patch>,
) -> Result<String> {
    let edit = Edit::new(app, actor, project, "update");
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            let before = edit.open(tx, id).await?;
            edit.apply(tx, before, patch?, &precondition).await
        })
    })
    .await
}

/// Restores the fields of an earlier state of a hypothesis, which `patch` holds. The response is `body`.
///
/// # Errors
/// Same as [`update`], and a `key` that could not be read.
pub async fn restore(
    app: &App,
    actor: &Actor,
    project: &Project,
    id: HypothesisId,
    precondition: Precondition,
    patch: Result<Patch>,
    (key, body): (Result<Option<IdempotencyKey>>, String),
) -> Result<StoredResponse> {
    let edit = Edit::new(app, actor, project, "restore");
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            let before = edit.open(tx, id).await?;
            let (patch, key) = (patch?, key?);
            if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                return Ok(stored);
            }
            edit.apply(tx, before, patch, &precondition).await?;
            idempotency::store(tx, key.as_ref(), body).await
        })
    })
    .await
}

/// A change of a hypothesis in progress.
struct Edit {
    project: Project,
    actor: Actor,
    now: Instant,
    action: &'static str,
}

impl Edit {
    fn new(app: &App, actor: &Actor, project: &Project, action: &'static str) -> Self {
        Self { project: project.clone(), actor: actor.clone(), now: app.clock.now(), action }
    }

    /// Loads the hypothesis, and locks it until this transaction ends.
    async fn open(&self, tx: &mut dyn Tx, id: HypothesisId) -> Result<Hypothesis> {
        lock(tx, self.project.id, Intent::Reshape).await?;
        hypotheses::find(tx, self.project.id, id).await?.ok_or(NOT_FOUND)
    }

    /// Applies the patch and stores the hypothesis with its history. Returns the version after the change.
    async fn apply(
        &self,
        tx: &mut dyn Tx,
        before: Hypothesis,
        patch: Patch,
        precondition: &Precondition,
    ) -> Result<String> {
        let mut after = before.clone();
        after.archived = patch.archived.unwrap_or(before.archived);
        let slug = patch.slug.clone().filter(|slug| *slug != before.slug);
        after.content = patch.content(&before.content)?;
        precondition.check(&version(&before))?;
        if let Some(slug) = slug {
            after.slug = free(tx, self.project.id, slug).await?;
        }
        if after == before {
            return Ok(version(&before));
        }
        hypotheses::update(tx, self.project.id, &before, &after, self.now).await?;
        after.revision += 1;
        let fields = changed(&before.fields(), &after.fields());
        keep(tx, before.id, after.revision, (self.action, &self.actor.reference(), self.now), fields).await?;
        let (was, is) = (audit_value(&before.content, before.archived), audit_value(&after.content, after.archived));
        let act = Act::within(&self.actor, &self.project, self.now);
        act.changed(tx, self.action, thing(before.id, &after.content), was, is).await?;
        Ok(version(&after))
    }
}

/// Stores the history entry of a change of a hypothesis, which made this revision.
async fn keep(
    tx: &mut dyn Tx,
    id: HypothesisId,
    revision: i64,
    (action, by, at): (&str, &str, Instant),
    before: Map<String, Value>,
) -> Result<()> {
    let entry = HistoryEntry { revision, at, actor: by.to_owned(), action: action.to_owned(), before, detail: None };
    Ok(object_history::insert(tx, Object::Hypothesis(id), &entry).await?)
}

/// Returns the changes of a hypothesis before the one that made the revision `before`, newest first;
/// whether there are more; and the display names of the actors. Linking or unlinking an experiment
/// increases the revision without an entry.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn history(
    app: &App,
    project: ProjectId,
    id: HypothesisId,
    before: Option<i64>,
    limit: usize,
) -> Result<(Vec<ObjectStep>, bool, Names)> {
    app.read(move |tx| {
        Box::pin(async move {
            let found = hypotheses::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            let present = found.fields();
            let (steps, has_more) = steps(tx, Object::Hypothesis(id), present, before, limit).await?;
            let names = Names::of(tx, steps.iter().map(|step| step.entry.actor.as_str())).await?;
            Ok((steps, has_more, names))
        })
    })
    .await
}

/// Returns the fields of a hypothesis after the change that made this revision; `None` when no change made it.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn state_at(
    app: &App,
    project: ProjectId,
    id: HypothesisId,
    revision: i64,
) -> Result<Option<Map<String, Value>>> {
    app.read(move |tx| {
        Box::pin(async move {
            let found = hypotheses::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            state(tx, Object::Hypothesis(id), found.fields(), revision).await
        })
    })
    .await
}

/// The audit log's reference to a hypothesis, named by the beginning of its first text.
fn thing(id: HypothesisId, content: &Content) -> ObjectRecord {
    let texts = [&content.observation, &content.problem, &content.solution];
    let first: String =
        texts.into_iter().flatten().next().map(|text| text.chars().take(80).collect()).unwrap_or_default();
    object("hypothesis", id, &first)
}

/// The audit log's fields of a hypothesis.
fn audit_value(content: &Content, archived: bool) -> Value {
    json!({
        "observation": content.observation,
        "problem": content.problem,
        "solution": content.solution,
        "confidence": content.confidence.map(Rating::value),
        "importance": content.importance.map(Rating::value),
        "difficulty": content.difficulty.map(Rating::value),
        "hypothesis_url": content.link,
        "archived": archived,
    })
}
