//! Links with which somebody reads the result of one experiment without signing in.
//!
//! A link has a random token, of which only a MAC is stored. It shows one result, with the query that it was made with, until it
//! expires or is revoked. Whether it does is looked up for each request, so that a revocation holds on every node at once.

use crate::access_cache::TOKEN_LEN;
use crate::actor::Actor;
use crate::actors::Names;
use crate::api_key::random_text;
use crate::app::App;
use crate::audit::{Act, object};
use crate::error::{Error, Result, ShareEnd};
use crate::idempotency::{self, IdempotencyKey, StoredResponse};
use crate::results::load;
use crate::shared_reports::shared_report;
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

/// For how many days a share can be made.
pub const DAYS: RangeInclusive<i64> = 1..=365;
/// For how many days it is made unless somebody says so.
pub const DEFAULT_DAYS: i64 = 30;
/// Shares of an experiment that can be open at once.
const OPEN_MAX: usize = 50;
/// Shares of an experiment that are kept, with those that have ended.
const KEPT_MAX: usize = 200;
/// What is told of openings is told by the hour: a share is not there to watch its readers.
const OPENED_TO_US: i64 = 3_600_000_000;

const NOT_FOUND: Error = Error::NotFound("share");

/// A share to make.
#[derive(Debug, Clone)]
pub struct NewShare {
    /// Days until it expires.
    pub expires_in_days: i64,
    /// Which visitors the result is about.
    pub inquiry: Inquiry,
}

/// A share with what can be shown of it.
#[derive(Debug, Clone)]
pub struct KnownShare {
    /// The share.
    pub share: Share,
    /// Which visitors the result is about.
    pub inquiry: Inquiry,
    /// The hour in which it was last opened.
    pub opened_at: Option<Instant>,
}

/// A share that was made.
#[derive(Debug, Clone)]
pub struct MadeShare {
    /// The share.
    pub known: KnownShare,
    /// The link. It is not stored.
    pub url: String,
    /// The name of the one who made it.
    pub names: Names,
}

/// Makes a share. The response is what `render` makes; it has the link, and is kept encrypted for a request that is sent again.
///
/// # Errors
/// `NotFound`; then a `new` or a `key` that could not be read; a goal or an epoch that is not there; too many open shares; and
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
                let (record, told) = (of(tx, &share).await?, told(&share));
                let known = KnownShare { share, inquiry: new.inquiry, opened_at: None };
                let rendered = render(MadeShare { known, url, names })?;
                let response = idempotency::store_sealed(tx, &cipher, key.as_ref(), rendered).await?;
                Act::within(&actor, &project, now).made(tx, "share", record, told).await?;
                Ok(response)
            })
        })
        .await
}

/// Fails unless the experiment has what the inquiry names.
async fn check_inquiry(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId, inquiry: &Inquiry) -> Result<()> {
    let (field, message) = match ReportInputs::load(tx, project, id, inquiry, None).await? {
        Ok(_) => return Ok(()),
        Err(NotFound::Experiment) => return Err(Error::NotFound("experiment")),
        Err(NotFound::Goal) => ("query.goal_key", "matches no goal of this project"),
        Err(NotFound::Epoch) => ("query.epoch", "is not an epoch of this experiment"),
    };
    Err(Problems::one(field, message).into())
}

/// Deletes the oldest shares that have ended, where there are too many.
///
/// # Errors
/// Too many that are open.
async fn make_room(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId, now: Instant) -> Result<()> {
    let all = shares::of_experiment(tx, project, id).await?;
    let (open, ended): (Vec<_>, Vec<_>) = all.into_iter().partition(|share| share.is_open(now));
    if open.len() >= OPEN_MAX {
        let message = format!("is one too many: the experiment has {OPEN_MAX} links that are open; revoke one first");
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
    /// Newest first.
    pub shares: Vec<KnownShare>,
    /// The names of those who made and revoked them.
    pub names: Names,
}

/// The shares of an experiment, with those that have ended.
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

/// Refuses a share from now on. One that was revoked before keeps its moment.
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
                    Act::within(&actor, &project, now).removed(tx, "revoke", record, told(&share)).await?;
                }
                Ok(())
            })
        })
        .await
}

/// A share in the audit log, by the name of its experiment.
async fn of(tx: &mut dyn Tx, share: &Share) -> Result<ObjectRecord> {
    let name = experiments::name(tx, share.project, share.experiment).await?;
    Ok(object("share", share.id, &name.unwrap_or_default()))
}

/// What the audit log keeps of a share.
fn told(share: &Share) -> Value {
    let query: Value = serde_json::from_str(&share.query).unwrap_or_default();
    json!({ "query": query, "expires_at": share.expires_at })
}

/// A share that shows its result.
#[derive(Debug, Clone)]
pub struct OpenShare {
    /// The share.
    pub share: Share,
    /// Which visitors the result is about.
    pub inquiry: Inquiry,
    /// The project of the experiment.
    project: Project,
}

/// The share whose link has this token, which may be any text.
///
/// A text that cannot be a token is looked up as well, so that the answer and the time that it takes do not tell it from a
/// token that nobody has.
///
/// # Errors
/// `NotFound` for a token that no share has, or one of an experiment that was deleted; `ShareEnded`; and when the database
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

/// The report that the share shows: what anybody else gets who asks the same, of at most a minute ago.
///
/// # Errors
/// As [`open`]; `Unavailable` and `NotYet` while no report can be computed.
pub async fn report(app: &App, open: &OpenShare) -> Result<Arc<Computed>> {
    let computed = computed(app, open, open.inquiry.clone(), false).await?;
    let hour = app.clock.now().us().div_euclid(OPENED_TO_US) * OPENED_TO_US;
    app.share_openings.note(open.share.id, Instant::from_us(hour));
    Ok(computed)
}

/// As [`report`], day by day.
///
/// # Errors
/// As [`report`].
pub async fn timeseries(app: &App, open: &OpenShare) -> Result<Arc<Computed>> {
    // Days are not broken down.
    computed(app, open, Inquiry { breakdown_by: None, ..open.inquiry.clone() }, true).await
}

async fn computed(app: &App, open: &OpenShare, inquiry: Inquiry, by_quarter: bool) -> Result<Arc<Computed>> {
    let id = open.share.experiment;
    let inputs = load(app, open.project.id, id, &inquiry).await?.map_err(|missing| match missing {
        NotFound::Experiment => NOT_FOUND,
        NotFound::Goal | NotFound::Epoch => Error::ShareEnded(ShareEnd::Outdated),
    })?;
    let (project_key, subject) = (open.project.key.as_str().into(), SubjectId::Experiment(id));
    shared_report(app, ReportKey { project_key, subject, inquiry, by_quarter }, inputs).await
}

/// Stores when shares were last opened.
///
/// # Errors
/// When the database cannot be reached; they are stored with the next call.
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

/// The MAC under which a token is stored.
fn mac(app: &App, token: &str) -> [u8; 32] {
    app.pepper.people_mac("share", token)
}
