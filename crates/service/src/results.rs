//! Acts about results: an experiment's report, the report by day, its plan, and reports that are kept warm.
//!
//! They load the stored data of the experiment and query the [`ReportCache`], which computes a report once for
//! everybody who requests it. An inquiry that the caller could not read is reported only once the experiment
//! is known to exist, so that a missing experiment is reported first.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use crate::report_error::{LOADING_RETRY_S, report_error};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_domain::Problems;
use muriel_domain::ids::{ExperimentId, GroupId, ProjectId};
use muriel_results::{
    Computed, HoldoutInputs, Inquiry, NoHoldout, NotFound, PlanningReport, PlanningRequest, ReportCache, ReportInputs,
    ReportKey, ReportSubject, SubjectId,
};
use muriel_store::tenants::Project;
use std::sync::Arc;

/// Returns the report about an experiment, including every event that was acknowledged before this call.
///
/// # Errors
/// `NotFound`; then an `inquiry` that could not be read; `InvalidInquiry` for a goal or an epoch that does not exist;
/// `Unavailable` and `NotYet` while no report can be computed; and when the database cannot be reached.
pub async fn report(app: &App, project: &Project, id: ExperimentId, inquiry: Result<Inquiry>) -> Result<Arc<Computed>> {
    checked_report(app, project, id, inquiry, false).await
}

/// Like [`report`], with the figures of the top metric per quarter of an hour, which add up to days in any time zone.
///
/// # Errors
/// Same as [`report`].
pub async fn timeseries(
    app: &App,
    project: &Project,
    id: ExperimentId,
    inquiry: Result<Inquiry>,
) -> Result<Arc<Computed>> {
    checked_report(app, project, id, inquiry, true).await
}

/// Returns the report about a holdout: visitors who are held out, compared with all others.
///
/// # Errors
/// `NotFound`; then an `inquiry` that could not be read; a conflict for an exclusion group; otherwise
/// the same as [`report`].
pub async fn holdout_report(
    app: &App,
    project: &Project,
    id: GroupId,
    inquiry: Result<Inquiry>,
) -> Result<Arc<Computed>> {
    // Like for an experiment, a missing object is reported first.
    let fallback = Inquiry::default();
    let inputs = load_holdout(app, project.id, id, inquiry.as_ref().unwrap_or(&fallback)).await?;
    let inputs = inputs.map_err(|missing| match missing {
        NoHoldout::Group => Error::NotFound("exclusion group"),
        NoHoldout::Exclusion => Error::conflict(
            ConflictCode::NoHoldout,
            "this is an exclusion group, which does not hold out visitors; only a holdout has a result",
        ),
        NoHoldout::Goal => not_found(NotFound::Goal),
    })?;
    let (project_key, subject) = (project.key.as_str().into(), SubjectId::Holdout(id));
    let key = ReportKey { project_key, subject, inquiry: inquiry?, by_quarter: false };
    cache(app)?.report(&key, &inputs, app.clock.now()).await.map_err(report_error)
}

/// Returns the number of visitors that an experiment needs, and how many days that takes. Values that
/// `wanted` omits come from the experiment's plan and from the project's events.
///
/// # Errors
/// `NotFound`; then a `wanted` that could not be read; otherwise the same as [`report`].
pub async fn plan(
    app: &App,
    project: &Project,
    id: ExperimentId,
    wanted: Result<PlanningRequest>,
) -> Result<PlanningReport> {
    let inputs = load(app, project.id, id, &Inquiry::default()).await?.map_err(not_found)?;
    let wanted = wanted?;
    let planned = cache(app)?.plan(&project.key.as_str().into(), &inputs, wanted, app.clock.now()).await;
    planned.map_err(report_error)
}

/// Recomputes recently requested reports that are outdated because events of their project have arrived.
/// Returns how many there were. Without requests or changes, neither the database nor the warehouse is queried.
pub async fn refresh_outdated(app: &App) -> Result<usize> {
    let Some(reports) = app.results() else { return Ok(0) };
    let outdated = reports.outdated();
    let number = outdated.len();
    for (key, project) in outdated {
        let subject: Option<Box<dyn ReportSubject + Send>> = match key.subject {
            SubjectId::Experiment(id) => match load(app, project, id, &key.inquiry).await? {
                Ok(inputs) => Some(Box::new(inputs)),
                Err(_) => None,
            },
            SubjectId::Holdout(id) => match load_holdout(app, project, id, &key.inquiry).await? {
                Ok(inputs) => Some(Box::new(inputs)),
                Err(_) => None,
            },
        };
        if let Some(subject) = subject {
            reports.warm(&key, &*subject, app.clock.now()).await;
        }
    }
    Ok(number)
}

/// Returns the report about an experiment whose `inputs` are already loaded.
///
/// # Errors
/// `Unavailable` and `NotYet` while no report can be computed.
pub(crate) async fn report_of(
    app: &App,
    project: &Project,
    id: ExperimentId,
    inquiry: Inquiry,
    by_quarter: bool,
    inputs: &ReportInputs,
) -> Result<Arc<Computed>> {
    let subject = SubjectId::Experiment(id);
    let key = ReportKey { project_key: project.key.as_str().into(), subject, inquiry, by_quarter };
    cache(app)?.report(&key, inputs, app.clock.now()).await.map_err(report_error)
}

async fn checked_report(
    app: &App,
    project: &Project,
    id: ExperimentId,
    inquiry: Result<Inquiry>,
    by_quarter: bool,
) -> Result<Arc<Computed>> {
    // With an unreadable inquiry, this only checks that the experiment exists.
    let fallback = Inquiry::default();
    let inputs = load(app, project.id, id, inquiry.as_ref().unwrap_or(&fallback)).await?.map_err(not_found)?;
    report_of(app, project, id, inquiry?, by_quarter, &inputs).await
}

pub(crate) async fn load(
    app: &App,
    project: ProjectId,
    id: ExperimentId,
    inquiry: &Inquiry,
) -> Result<Result<ReportInputs, NotFound>> {
    let (inquiry, node) = (inquiry.clone(), app.node_id());
    app.read(move |tx| {
        Box::pin(async move { Ok(ReportInputs::load(tx, project, id, &inquiry, node.as_deref()).await?) })
    })
    .await
}

async fn load_holdout(
    app: &App,
    project: ProjectId,
    id: GroupId,
    inquiry: &Inquiry,
) -> Result<Result<HoldoutInputs, NoHoldout>> {
    let (inquiry, node) = (inquiry.clone(), app.node_id());
    app.read(move |tx| {
        Box::pin(async move { Ok(HoldoutInputs::load(tx, project, id, &inquiry, node.as_deref()).await?) })
    })
    .await
}

pub(crate) fn cache(app: &App) -> Result<&ReportCache> {
    app.results().map(|reports| &**reports).ok_or(Error::Unavailable { retry_after_s: LOADING_RETRY_S })
}

pub(crate) fn not_found(missing: NotFound) -> Error {
    match missing {
        NotFound::Experiment => Error::NotFound("experiment"),
        NotFound::Goal => Error::InvalidInquiry(Problems::one("goal_key", "matches no goal of this project")),
        NotFound::Epoch => Error::InvalidInquiry(Problems::one("epoch", "is not an epoch of this experiment")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Traffic;
    use muriel_context::api_key::Pepper;
    use muriel_context::clock::Clock;
    use muriel_domain::Instant as Moment;
    use muriel_domain::experiment::{Experiment, Lifecycle, Revision, TestType};
    use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, Reserve};
    use muriel_results::ReportError;
    use muriel_sql::{Db, SqliteOptions};
    use muriel_store::{experiments, tenants};
    use muriel_warehouse::{DuckWarehouse, Loader, WarehouseOptions};
    use std::sync::atomic::{AtomicI64, Ordering};

    const START: Moment = Moment::from_us(1_772_359_200_000_000);

    const MADE: experiments::Act<'static> =
        experiments::Act { actor: "test", by: "test", action: "create", detail: None };

    /// Appends an event of the project.
    async fn append(log: &Log, project_key: &str, number: u128) {
        let id = uuid::Uuid::from_u128(number);
        let line = format!(
            r#"{{"id":"{id}","type":"pageview","project_key":"{project_key}","at":"{START}","received_at":"{START}","visitor":{{"id":"v"}},"bot":false}}"#
        ) + "\n";
        let (events, lines) = (vec![BatchEvent { id, scope: DedupScope::PROJECT, end: line.len() }], line.into_bytes());
        log.append(Batch { project_key: project_key.into(), received_at: START, events, lines }).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn only_what_changed_and_was_asked_for_is_made() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&directory.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        muriel_store::migrate(&db).await.unwrap();
        let (project, ids) = db
            .write::<_, muriel_store::Error, _>(move |tx| {
                Box::pin(async move {
                    let company = tenants::company_ensure(tx, "Acme", START).await?;
                    let project = tenants::project_insert(tx, company, "prj_shop", "Shop", START).await?;
                    let mut ids = Vec::new();
                    for name in ["one", "two"] {
                        let mut one = Experiment::draft(company, project.id, TestType::AbTest, name.to_owned(), START);
                        one.lifecycle = Lifecycle::Live { started_at: START };
                        ids.push(experiments::insert(tx, &Revision::first(one, START), &MADE).await?);
                    }
                    Ok((project, ids))
                })
            })
            .await
            .unwrap();
        let log =
            Log::open(directory.path(), LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }).unwrap();
        let warehouse = Arc::new(DuckWarehouse::in_memory(&WarehouseOptions::default()).unwrap());
        let loader = Loader::start(directory.path(), warehouse.clone(), None).unwrap();
        let reports = Arc::new(ReportCache::new(warehouse, Arc::new(loader)));
        let traffic = Traffic { results: Some(reports.clone()), ..Traffic::default() };
        let now_us = Arc::new(AtomicI64::new(START.us()));
        let app = App::new(db, Pepper::new(&[7; 32]), Clock::Manual(now_us.clone()), traffic);
        let rounds = async || (refresh_outdated(&app).await.unwrap(), refresh_outdated(&app).await.unwrap());

        append(&log, &project.key, 1).await;
        assert_eq!(rounds().await, (0, 0), "nobody asked");
        report(&app, &project, ids[0], Ok(Inquiry::default())).await.unwrap();
        assert_eq!(rounds().await, (0, 0), "nothing changed");

        append(&log, &project.key, 2).await;
        assert!(reports.loader().wait_for(log.last()).await);
        assert_eq!(rounds().await, (0, 1), "one of two experiments, once its project is quiet");
        append(&log, "prj_another", 3).await;
        assert!(reports.loader().wait_for(log.last()).await);
        assert_eq!(rounds().await, (0, 0), "events of another project change nothing");
        // The recomputed report is the one that is returned.
        now_us.fetch_add(1_000_000, Ordering::Relaxed);
        let made = report(&app, &project, ids[0], Ok(Inquiry::default())).await.unwrap();
        assert_eq!((made.manifest.as_of, made.manifest.logs[0].position), (START, 2));
        // Without changes, nothing is queried.
        app.db.clone().close().await.unwrap();
        assert_eq!(rounds().await, (0, 0));
    }
    #[test]
    fn an_error_while_events_are_loaded_tells_how_far_loading_has_come() {
        let Error::NotYet { why, retry_after_s } = report_error(ReportError::Loading { done: 10, of: 200 }) else {
            panic!("not `NotYet`")
        };
        assert_eq!(why, "the events are still being loaded from the event log, block 10 of 200");
        assert_eq!(retry_after_s, 5);
    }
}
