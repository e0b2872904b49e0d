//! Makes reports that were asked for lately before they are asked for again.

use crate::app::App;
use crate::error::Error;
use muriel_domain::ids::ExperimentId;
use muriel_results::{ReportCache, ReportInputs};

/// Makes reports that were asked for lately anew once events of their project have come; how many there were. Where
/// nobody asks or nothing changes it does nothing: neither the database nor the warehouse is asked.
///
/// # Errors
/// When the database cannot be reached.
pub async fn refresh_outdated(app: &App, reports: &ReportCache) -> Result<usize, Error> {
    let outdated = reports.outdated();
    let number = outdated.len();
    for (key, project) in outdated {
        let (id, inquiry, node) = (ExperimentId(key.test_id), key.inquiry.clone(), app.node_id());
        let known = app
            .read(move |tx| {
                Box::pin(async move { Ok(ReportInputs::load(tx, project, id, &inquiry, node.as_deref()).await?) })
            })
            .await?;
        if let Ok(known) = known {
            reports.warm(&key, &known, app.clock.now()).await;
        }
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api_key::Pepper;
    use crate::app::Traffic;
    use crate::clock::Clock;
    use muriel_domain::Instant as Moment;
    use muriel_domain::experiment::{Experiment, Lifecycle, Revision, TestType};
    use muriel_log::{Batch, Entry, Log, LogOptions, Reserve, Scope};
    use muriel_results::{Inquiry, ReportKey};
    use muriel_sql::{Db, SqliteOptions};
    use muriel_store::{Error, experiments, tenants};
    use muriel_warehouse::{DuckWarehouse, Loader, Options};
    use std::sync::Arc;

    const START: Moment = Moment::from_us(1_772_359_200_000_000);

    /// An event of the project.
    async fn append(log: &Log, project_key: &str, number: u128) {
        let id = uuid::Uuid::from_u128(number);
        let line = format!(
            r#"{{"id":"{id}","type":"pageview","project_key":"{project_key}","at":"{START}","received_at":"{START}","visitor":{{"id":"v"}},"bot":false}}"#
        ) + "\n";
        let (events, lines) = (vec![Entry { id, scope: Scope::PROJECT, end: line.len() }], line.into_bytes());
        log.append(Batch { project_key: project_key.into(), received_at: START, events, lines }).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn only_what_changed_and_was_asked_for_is_made() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&directory.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        muriel_store::migrate(&db).await.unwrap();
        let (project, ids) = db
            .write::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let company = tenants::company_ensure(tx, "Acme", START).await?;
                    let project = tenants::project_insert(tx, company, "prj_shop", "Shop", START).await?;
                    let mut ids = Vec::new();
                    for name in ["one", "two"] {
                        let mut one = Experiment::draft(company, project.id, TestType::AbTest, name.to_owned(), START);
                        one.lifecycle = Lifecycle::Live { started_at: START };
                        ids.push(experiments::insert(tx, &Revision::first(one, START), "test").await?);
                    }
                    Ok((project, ids))
                })
            })
            .await
            .unwrap();
        let log =
            Log::open(directory.path(), LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }).unwrap();
        let warehouse = Arc::new(DuckWarehouse::in_memory(&Options::default()).unwrap());
        let loader = Loader::start(directory.path(), warehouse.clone(), None).unwrap();
        let reports = Arc::new(ReportCache::new(warehouse, Arc::new(loader)));
        let traffic = Traffic { results: Some(reports.clone()), ..Traffic::default() };
        let clock = Clock::Manual(Arc::new(START.us().into()));
        let app = App::new(db, Pepper::new(&[7; 32]), clock, traffic);
        let rounds =
            async || (refresh_outdated(&app, &reports).await.unwrap(), refresh_outdated(&app, &reports).await.unwrap());

        append(&log, &project.key, 1).await;
        assert_eq!(rounds().await, (0, 0), "nobody asked");
        let id = ids[0];
        let known = app
            .read(move |tx| {
                Box::pin(async move { Ok(ReportInputs::load(tx, project.id, id, &Inquiry::default(), None).await?) })
            })
            .await
            .unwrap()
            .unwrap();
        let (project_key, inquiry) = (project.key.as_str().into(), Inquiry::default());
        let key = ReportKey { project_key, test_id: id.0, inquiry, by_quarter: false };
        reports.report(&key, &known, START).await.unwrap();
        assert_eq!(rounds().await, (0, 0), "nothing changed");

        append(&log, &project.key, 2).await;
        assert!(reports.loader().wait_for(log.last()).await);
        assert_eq!(rounds().await, (0, 1), "one of two experiments, once its project is quiet");
        append(&log, "prj_another", 3).await;
        assert!(reports.loader().wait_for(log.last()).await);
        assert_eq!(rounds().await, (0, 0), "events of another project change nothing");
        // What was made is what is given.
        let made = reports.report(&key, &known, START.plus_us(1_000_000)).await.unwrap();
        assert_eq!((made.manifest.as_of, made.manifest.logs[0].position), (START, 2));
        // When nothing changed, nothing is asked.
        app.db.clone().close().await.unwrap();
        assert_eq!(rounds().await, (0, 0));
    }
}
