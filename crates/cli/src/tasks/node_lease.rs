//! Keeps this node registered in the database.

use super::run_error;
use crate::node::SharedRegistration;
use muriel_service::App;
use muriel_worker::{Dependency, Progress, Task};

/// Renews the lease several times before it ends. There is no backoff after failures: other nodes may start once the
/// lease has expired.
pub(crate) fn renew_node_lease(app: App, registration: SharedRegistration) -> Task {
    let period = registration.period();
    let task = Task::new("renew_node_lease", period, move |_| {
        let (app, registration) = (app.clone(), registration.clone());
        async move {
            registration.renew(app.log().map(|log| log.last().seq)).await.map_err(run_error)?;
            Ok(Progress::Continue)
        }
    });
    task.at_once().needs(Dependency::Database).max_backoff(period)
}
