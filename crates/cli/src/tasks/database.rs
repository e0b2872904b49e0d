//! Prepares a database that was away when the server started.

use super::run_error;
use crate::config::StorageSettings;
use crate::node::NodeFile;
use crate::open::prepare;
use muriel_service::App;
use muriel_worker::{Need, Progress, Task};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(500);

/// Brings the schema up to date once the database answers, and checks that the pepper fits it. Until that has succeeded,
/// keys are refused with a wrong pepper and a newer schema answers with errors: neither harms, and both need a person.
pub(crate) fn prepare_database(app: App, place: StorageSettings) -> Task {
    let task = Task::new("prepare_database", PERIOD, move |_| {
        let (app, place) = (app.clone(), place.clone());
        async move {
            prepare(&app.db, &place).await.map_err(run_error)?;
            if let Err(error) = NodeFile::settle(&place) {
                tracing::warn!(error = crate::error::sentence(&error), "the node's file cannot be read");
            }
            tracing::info!("the database is back");
            Ok(Progress::Finished)
        }
    });
    task.needs(Need::Database)
}
