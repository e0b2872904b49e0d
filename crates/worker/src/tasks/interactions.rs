//! Checks each night whether live experiments change each other's effects.

use super::jobs::{Leader, REST_FACTOR, give_up_after, lead};
use crate::task::{Context, Dependency, Progress, Task};
use muriel_service::App;
use muriel_service::jobs::{self, CheckStep, InteractionChecks, RunTime};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

const PERIOD: Duration = Duration::from_secs(1);
/// Time after which a run begins no further pair, so that reports can use the warehouse in between.
const RUN_TIME: Duration = Duration::from_secs(5);

/// Observer that is notified, when the check of a project ends, of the number of pairs that the last checks of all
/// projects left out.
pub type LeftOutObserver = Arc<dyn Fn(i64) + Send + Sync>;

/// Checks pairs of live experiments, one after another.
pub(super) fn look_for_interactions(app: App, leader: Leader, observe: LeftOutObserver) -> Task {
    let checks = Arc::new(Mutex::new(InteractionChecks::default()));
    let task = Task::new("look_for_interactions", PERIOD, move |_: Context| {
        let (app, leader, observe, checks) = (app.clone(), leader.clone(), observe.clone(), checks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let (time, mut checks) = (RunTime::begin(&app, RUN_TIME), checks.lock().await);
            while !time.is_over(&app) {
                let step = jobs::look_for_interactions(&app, &leading, &mut checks).await;
                match give_up_after(step, &leader).await? {
                    CheckStep::Continued => {}
                    CheckStep::Ended { left_out } => observe(left_out),
                    CheckStep::Idle | CheckStep::Waiting => break,
                }
            }
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR)
}
