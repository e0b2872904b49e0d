//! Reports of live experiments at hand before anybody asks.

use crate::app::App;
use crate::handlers::boxed;
use muriel_domain::ids::ExperimentId;
use muriel_results::{Inquiry, Keeper, Key, Known};
use muriel_store::tenants::Project;
use muriel_store::{experiments, tenants};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often experiments are looked through.
const EVERY: Duration = Duration::from_secs(5);
/// Experiments whose reports are kept warm; beyond that they are made when asked for.
const EXPERIMENTS: usize = 200;
/// The share of the time that this may take: a fifth.
const REST_TIMES: u32 = 4;

/// Makes the reports of live experiments anew as they end to hold, with events and
/// without, until the flag is set.
pub async fn keep_warm(app: App, mut stopped: watch::Receiver<bool>) {
    let Some(keeper) = app.results.clone() else { return };
    let mut rest = EVERY;
    loop {
        tokio::select! {
            _ = stopped.wait_for(|set| *set) => return,
            () = tokio::time::sleep(rest) => {}
        }
        let began = Instant::now();
        if let Err(error) = round(&app, &keeper).await {
            tracing::debug!(?error, "reports could not be kept warm");
        }
        rest = EVERY.max(began.elapsed() * REST_TIMES);
    }
}

async fn round(app: &App, keeper: &Keeper) -> Result<(), crate::error::ApiError> {
    let projects = app.read(|tx| boxed(async move { Ok(tenants::all_projects(tx).await?) })).await?;
    let mut room = EXPERIMENTS;
    for (_, project) in projects {
        let key: Arc<str> = project.key.as_str().into();
        for id in live(app, &project).await? {
            let Some(left) = room.checked_sub(1) else { return Ok(()) };
            room = left;
            warm(app, keeper, &key, &project, id).await?;
        }
    }
    Ok(())
}

async fn live(app: &App, project: &Project) -> Result<Vec<ExperimentId>, crate::error::ApiError> {
    let project = project.id;
    let delivered = app.read(move |tx| boxed(async move { Ok(experiments::delivered(tx, project).await?) })).await?;
    Ok(delivered.into_iter().map(|(id, _)| id).collect())
}

async fn warm(
    app: &App,
    keeper: &Keeper,
    key: &Arc<str>,
    project: &Project,
    id: ExperimentId,
) -> Result<(), crate::error::ApiError> {
    let (project, inquiry) = (project.id, Inquiry::default());
    let known =
        app.read(move |tx| boxed(async move { Ok(Known::load(tx, project, id, &Inquiry::default()).await?) })).await?;
    if let Ok(known) = known {
        let key = Key { project_key: key.clone(), test_id: id.0, inquiry, by_quarter: false };
        keeper.warm(&key, &known, app.clock.now()).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api_key::Pepper;
    use crate::app::Traffic;
    use crate::clock::Clock;
    use muriel_domain::Instant as Moment;
    use muriel_domain::experiment::{Experiment, Lifecycle, Revision, TestType};
    use muriel_events::log::Position;
    use muriel_events::warehouse::{DuckWarehouse, Loader, Options};
    use muriel_sql::{Db, SqliteOptions};
    use muriel_store::Error;
    use std::sync::atomic::{AtomicI64, Ordering};

    const START: i64 = 1_772_359_200_000_000;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_experiment_without_new_events_is_kept_warm() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&directory.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        muriel_store::migrate(&db).await.unwrap();
        let now = Moment::from_us(START);
        let (project, id) = db
            .write::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let company = tenants::company_ensure(tx, "Acme", now).await?;
                    let project = tenants::project_insert(tx, company, "prj_shop", "Shop", now).await?;
                    let mut one = Experiment::draft(company, project.id, TestType::AbTest, "one".to_owned(), now);
                    one.lifecycle = Lifecycle::Live { started_at: now };
                    let id = experiments::insert(tx, &Revision::first(one, now), "test").await?;
                    Ok((project, id))
                })
            })
            .await
            .unwrap();
        let warehouse = Arc::new(DuckWarehouse::in_memory(&Options::default()).unwrap());
        let loader = Loader::start(directory.path(), warehouse.clone(), crate::visitor::source, None).unwrap();
        let keeper = Arc::new(Keeper::new(warehouse, Arc::new(loader)));
        let clock = Arc::new(AtomicI64::new(START));
        let traffic = Traffic { results: Some(keeper.clone()), ..Traffic::default() };
        let app = App::new(db, Pepper::new(&[7; 32]), Clock::Manual(clock.clone()), traffic);

        let known = app
            .read(move |tx| boxed(async move { Ok(Known::load(tx, project.id, id, &Inquiry::default()).await?) }))
            .await
            .unwrap()
            .unwrap();
        let key = Key {
            project_key: project.key.as_str().into(),
            test_id: id.0,
            inquiry: Inquiry::default(),
            by_quarter: false,
        };
        for minutes in 0..3 {
            let at = now.plus_us(minutes * 60_000_000);
            clock.store(at.us(), Ordering::SeqCst);
            round(&app, &keeper).await.unwrap();
            // Whoever asks a moment later is given what was made then.
            let later = at.plus_us(1_000_000);
            let answer = keeper.answer(&key, &known, Position::default(), later).await.unwrap();
            assert_eq!(answer.manifest.as_of, at, "{minutes}");
        }
    }
}
