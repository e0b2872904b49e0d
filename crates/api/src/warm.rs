//! Reports of live experiments at hand before anybody asks.

use crate::app::App;
use crate::handlers::boxed;
use muriel_domain::ids::ExperimentId;
use muriel_events::log::Position;
use muriel_results::{Inquiry, Keeper, Key, Known};
use muriel_store::tenants::Project;
use muriel_store::{experiments, tenants};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often experiments are looked through.
const EVERY: Duration = Duration::from_secs(5);
/// Experiments whose reports are kept warm; beyond that they are made when asked for.
const EXPERIMENTS: usize = 200;
/// The share of the time that this may take: a fifth.
const REST_TIMES: u32 = 4;

/// Makes the reports of live experiments anew as their events come, until the
/// flag is set.
pub async fn keep_warm(app: App, mut stopped: watch::Receiver<bool>) {
    let Some(keeper) = app.results.clone() else { return };
    let mut seen: HashMap<Arc<str>, Position> = HashMap::new();
    let mut rest = EVERY;
    loop {
        tokio::select! {
            _ = stopped.wait_for(|set| *set) => return,
            () = tokio::time::sleep(rest) => {}
        }
        let began = Instant::now();
        if let Err(error) = round(&app, &keeper, &mut seen).await {
            tracing::debug!(?error, "reports could not be kept warm");
        }
        rest = EVERY.max(began.elapsed() * REST_TIMES);
    }
}

async fn round(
    app: &App,
    keeper: &Keeper,
    seen: &mut HashMap<Arc<str>, Position>,
) -> Result<(), crate::error::ApiError> {
    let projects = app.read(|tx| boxed(async move { Ok(tenants::all_projects(tx).await?) })).await?;
    let mut room = EXPERIMENTS;
    for (_, project) in projects {
        let key: Arc<str> = project.key.as_str().into();
        let touched = keeper.loader().touched(&key);
        if seen.get(&key) == Some(&touched) {
            continue;
        }
        for id in live(app, &project).await? {
            let Some(left) = room.checked_sub(1) else { return Ok(()) };
            room = left;
            warm(app, keeper, &key, &project, id).await?;
        }
        seen.insert(key, touched);
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
