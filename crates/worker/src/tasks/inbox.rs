//! Keeps inboxes within their maximum size.

use super::act_error;
use crate::task::{Dependency, Progress, Task};
use muriel_service::App;
use muriel_service::inbox::{self, Trimmed};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

const PERIOD: Duration = Duration::from_secs(60);

/// Deletes entries above the maximum number per person. Any number of nodes may do so.
pub fn trim_inboxes(app: App) -> Task {
    let trimmed = Arc::new(Mutex::new(Trimmed::default()));
    let task = Task::new("trim_inboxes", PERIOD, move |_| {
        let (app, trimmed) = (app.clone(), trimmed.clone());
        async move {
            inbox::trim(&app, &mut *trimmed.lock().await).await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database)
}
