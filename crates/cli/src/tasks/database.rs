//! Prepares a database that could not be reached when the server started.

use super::run_error;
use crate::config::StorageSettings;
use crate::node::NodeFile;
use crate::open::prepare;
use muriel_service::App;
use muriel_worker::{Dependency, Progress, Task};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(500);

/// Migrates the schema once the database responds, and checks the pepper. Until then, a wrong pepper makes keys invalid
/// and a newer schema causes errors. Both are harmless, and both need an operator.
pub(crate) fn prepare_database(app: App, place: StorageSettings) -> Task {
    let task = Task::new("prepare_database", PERIOD, move |_| {
        let (app, place) = (app.clone(), place.clone());
        async move {
            prepare(&app.db, &place).await.map_err(run_error)?;
            if let Err(error) = NodeFile::settle(&place) {
                tracing::warn!(error = crate::error::sentence(&error), "the node's file cannot be read");
            }
            tracing::info!("the database responds again");
            Ok(Progress::Finished)
        }
    });
    task.needs(Dependency::Database)
}
