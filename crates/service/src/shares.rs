//! Links for reading the result of one experiment without signing in.
//!
//! A link has a random token, of which only a MAC is stored. It shows one result, with the query it was
//! created with, until it expires or is revoked. Each request checks this in the database, so that a
//! revocation takes effect on every node at once.

use crate::app::App;
use crate::results::load;
use muriel_context::access_cache::TOKEN_LEN;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::api_key::random_text;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result, ShareEnd};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::ids::{ExperimentId, ProjectId, ShareId};
use muriel_domain::time::DAY_US;
use muriel_domain::{Instant, Problems};
use muriel_results::{Computed, Inquiry, NotFound, ReportInputs, ReportKey, SubjectId};
use muriel_sql::Tx;
use muriel_store::audit::ObjectRecord;
use muriel_store::shares::{self, Share};
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, experiments, lock};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Allowed validity of a share, in days.
pub const DAYS: RangeInclusive<i64> = 1..=365;
/// Default validity of a share, in days.
pub const DEFAULT_DAYS: i64 = 30;
/// Most open shares of an experiment.
const OPEN_MAX: usize = 50;
/// Most shares of an experiment that are stored, including those that have ended.
const KEPT_MAX: usize = 200;
/// Rounding of the time of the last opening: a share is not meant to watch its readers.
const OPENED_TO_US: i64 = 3_600_000_000;

const NOT_FOUND: Error = Error::NotFound("share");

/// A share to create.
#[derive(Debug, Clone)]
pub struct NewShare {
    /// Days until it expires.
    pub expires_in_days: i64,
    /// Filters of the result.
    pub inquiry: Inquiry,
}

/// A share, with details to show.
#[derive(Debug, Clone)]
pub struct KnownShare {
    /// The share.
    pub share: Share,
    /// Filters of the result.
    pub inquiry: Inquiry,
    /// Hour in which it was last opened.
    pub opened_at: Option<Instant>,
}

/// A share that was created.
#[derive(Debug, Clone)]
pub struct MadeShare {
    /// The share.
    pub known: KnownShare,
    /// The link, which is not stored.
    pub url: String,
    /// Display name of the author.
    pub names: Names,
}

/// Creates a share. `render` makes the response, which contains the link and is stored encrypted for a
/// repeated request.
///
/// # Errors
/// `NotFound`; then a `new` or a `key` that could not be read; an unknown goal or epoch; too many open shares; and
/// when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: ExperimentId,
    key: Result<Option<IdempotencyKey>>,
    new: Result<NewShare>,
    render: impl FnOnce(MadeShare) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, cipher, actor, project) = (app.clock.now(), app.pepper.people_key(), actor.clone(), project.clone());
    let token = random_text(TOKEN_LEN).map_err(Error::internal)?;
    let (mac, url) = (mac(app, &token), format!("{}/share/{token}", app.people.origin()));
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                lock(tx, project.id, Intent::ChangeExperiment(id)).await?;
                if experiments::shape(tx, project.id, id).await?.is_none() {
                    return Err(Error::NotFound("experiment"));
                }
                let (new, key) = (new?, key?);
                if let Some(stored) = idempotency::replay_sealed(tx, &cipher, key.as_ref()).await? {
                    return Ok(stored);
                }
                check_inquiry(tx, project.id, id, &new.inquiry).await?;
                make_room(tx, project.id, id, now).await?;
                let mut share = Share {
                    id: ShareId(0),
                    project: project.id,
                    experiment: id,
                    query: serde_json::to_string(&new.inquiry).map_err(Error::internal)?,
                    created_at: now,
                    created_by: actor.reference(),
                    expires_at: now.plus_us(new.expires_in_days * DAY_US),
                    revoked_at: None,
                    revoked_by: None,
                    opened_at: None,
                };
                share.id = shares::insert(tx, &share, &mac).await?;
                let names = Names::of(tx, [share.created_by.as_str()]).await?;
                let (record, after) = (of(tx, &share).await?, audit_value(&share));
                let known = KnownShare { share, inquiry: new.inquiry, opened_at: None };
                let rendered = render(MadeShare { known, url, names })?;
                let response = idempotency::store_sealed(tx, &cipher, key.as_ref(), rendered).await?;
                Act::within(&actor, &project, now).made(tx, "share", record, after).await?;
                Ok(response)
            })
        })
        .await
}

/// Checks that the experiment has the goal and epoch that the inquiry names.
async fn check_inquiry(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId, inquiry: &Inquiry) -> Result<()> {
    let (field, message) = match ReportInputs::load(tx, project, id, inquiry, None).await? {
        Ok(_) => return Ok(()),
        Err(NotFound::Experiment) => return Err(Error::NotFound("experiment")),
        Err(NotFound::Goal) => ("query.goal_key", "matches no goal of this project"),
        Err(NotFound::Epoch) => ("query.epoch", "is not an epoch of this experiment"),
    };
    Err(Problems::one(field, message).into())
}

/// Deletes the oldest ended shares, where there are too many.
///
/// # Errors
/// Too many open shares.
async fn make_room(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId, now: Instant) -> Result<()> {
    let all = shares::of_experiment(tx, project, id).await?;
    let (open, ended): (Vec<_>, Vec<_>) = all.into_iter().partition(|share| share.is_open(now));
    if open.len() >= OPEN_MAX {
        let message = format!("cannot be accepted: the experiment already has {OPEN_MAX} open links; revoke one first");
        return Err(Problems::one("body", message).into());
    }
    for share in ended.iter().skip(KEPT_MAX - OPEN_MAX) {
        shares::delete(tx, share.id).await?;
    }
    Ok(())
}

/// The shares of an experiment.
#[derive(Debug)]
pub struct Shares {
    /// The shares, newest first.
    pub shares: Vec<KnownShare>,
    /// Display names of those who created and revoked them.
    pub names: Names,
}

/// Returns the shares of an experiment, including those that have ended.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn list(app: &App, project: ProjectId, id: ExperimentId) -> Result<Shares> {
    let (found, names) = app
        .read(move |tx| {
            Box::pin(async move {
                if experiments::shape(tx, project, id).await?.is_none() {
                    return Err(Error::NotFound("experiment"));
                }
                let found = shares::of_experiment(tx, project, id).await?;
                let makers = found.iter().map(|share| share.created_by.as_str());
                let revokers = found.iter().filter_map(|share| share.revoked_by.as_deref());
                let names = Names::of(tx, makers.chain(revokers)).await?;
                Ok((found, names))
            })
        })
        .await?;
    let shares = found.into_iter().map(|share| known(app, share)).collect::<Result<_>>()?;
    Ok(Shares { shares, names })
}

fn known(app: &App, share: Share) -> Result<KnownShare> {
    let inquiry = serde_json::from_str(&share.query).map_err(Error::internal)?;
    let opened_at = share.opened_at.max(app.share_openings.last(share.id));
    Ok(KnownShare { share, inquiry, opened_at })
}

/// Revokes a share. One that was revoked before keeps its time.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn revoke(app: &App, actor: &Actor, project: &Arc<Project>, id: ShareId) -> Result<()> {
    let (now, actor, project) = (app.clock.now(), actor.clone(), project.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let share = shares::find(tx, project.id, id).await?.ok_or(NOT_FOUND)?;
                if shares::revoke(tx, id, now, &actor.reference()).await? {
                    let record = of(tx, &share).await?;
                    Act::within(&actor, &project, now).removed(tx, "revoke", record, audit_value(&share)).await?;
                }
                Ok(())
            })
        })
        .await
}

/// The audit log's reference to a share, by the name of its experiment.
async fn of(tx: &mut dyn Tx, share: &Share) -> Result<ObjectRecord> {
    let name = experiments::name(tx, share.project, share.experiment).await?;
    Ok(object("share", share.id, &name.unwrap_or_default()))
}

/// The audit log's fields of a share.
fn audit_value(share: &Share) -> Value {
    let query: Value = serde_json::from_str(&share.query).unwrap_or_default();
    json!({ "query": query, "expires_at": share.expires_at })
}

/// A share that is open, with the input of its result.
#[derive(Debug, Clone)]
pub struct OpenShare {
    /// The share.
    pub share: Share,
    /// Filters of the result.
    pub inquiry: Inquiry,
    /// Project of the experiment.
    project: Project,
}

/// Returns the share whose link has this token, which may be any text.
///
/// A text that cannot be a token is looked up as well, so that the response and its duration do not
/// distinguish it from an unknown token.
///
/// # Errors
/// `NotFound` for an unknown token, or one of an experiment that was deleted; `ShareEnded`; and when the database
/// cannot be reached.
pub async fn open(app: &App, token: &str) -> Result<OpenShare> {
    let (mac, now) = (mac(app, token), app.clock.now());
    let found = app
        .read(move |tx| {
            Box::pin(async move {
                let Some(share) = shares::by_mac(tx, &mac).await? else { return Ok(None) };
                Ok(tenants::project_by_id(tx, share.project).await?.map(|project| (share, project)))
            })
        })
        .await?;
    let (share, project) = found.ok_or(NOT_FOUND)?;
    if share.revoked_at.is_some() {
        return Err(Error::ShareEnded(ShareEnd::Revoked));
    }
    if !share.is_open(now) {
        return Err(Error::ShareEnded(ShareEnd::Expired));
    }
    let inquiry = serde_json::from_str(&share.query).map_err(Error::internal)?;
    Ok(OpenShare { share, inquiry, project })
}

/// Returns the report of the share: the one that the same query returns in the API, at most a minute old.
///
/// # Errors
/// Same as [`open`]; `Unavailable` and `NotYet` while no report can be computed.
pub async fn report(app: &App, open: &OpenShare) -> Result<Arc<Computed>> {
    let computed = computed(app, open, open.inquiry.clone(), false).await?;
    let hour = app.clock.now().us().div_euclid(OPENED_TO_US) * OPENED_TO_US;
    app.share_openings.note(open.share.id, Instant::from_us(hour));
    Ok(computed)
}

/// Like [`report`], by day.
///
/// # Errors
/// Same as [`report`].
pub async fn timeseries(app: &App, open: &OpenShare) -> Result<Arc<Computed>> {
    // Days have no breakdown.
    computed(app, open, Inquiry { breakdown_by: None, ..open.inquiry.clone() }, true).await
}

async fn computed(app: &App, open: &OpenShare, inquiry: Inquiry, by_quarter: bool) -> Result<Arc<Computed>> {
    let id = open.share.experiment;
    let inputs = load(app, open.project.id, id, &inquiry).await?.map_err(|missing| match missing {
        NotFound::Experiment => NOT_FOUND,
        NotFound::Goal | NotFound::Epoch => Error::ShareEnded(ShareEnd::Outdated),
    })?;
    let (project_key, subject) = (open.project.key.as_str().into(), SubjectId::Experiment(id));
    let key = ReportKey { project_key, subject, inquiry, by_quarter };
    app.shared_reports.report(app.results(), &app.clock, key, inputs).await
}

/// Stores the last opening of each share.
///
/// # Errors
/// When the database cannot be reached; the next call stores them.
pub async fn write_openings(app: &App) -> Result<()> {
    let unwritten = app.share_openings.unwritten();
    if unwritten.is_empty() {
        return Ok(());
    }
    let rows = unwritten.clone();
    app.db.write::<_, Error, _>(move |tx| Box::pin(async move { Ok(shares::opened(tx, &rows).await?) })).await?;
    app.share_openings.written(&unwritten);
    Ok(())
}

/// MAC under which a token is stored.
fn mac(app: &App, token: &str) -> [u8; 32] {
    app.pepper.people_mac("share", token)
}
