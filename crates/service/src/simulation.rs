//! Simulation of an experiment's plan with generated visitors.

use crate::app::App;
use crate::compute_queue::ComputeQueue;
use crate::report_error::report_error;
use crate::results::{cache, load, not_found};
use muriel_context::error::{Error, Result};
use muriel_domain::Problems;
use muriel_domain::ids::ExperimentId;
use muriel_results::{
    Inquiry, PlannedExperiment, SimulateError, Simulated, SimulatedPlan, SimulationRefusal, SimulationRequest, Traffic,
    TriedPlan, simulate,
};
use muriel_store::tenants::Project;
use muriel_warehouse::StopToken;

/// Most simulated days of all runs of one simulation together.
const DAYS_MAX: u64 = 250_000;

/// Parameters of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedSimulation {
    /// Changes of the experiment's plan.
    pub request: SimulationRequest,
    /// Number of simulated experiments.
    pub runs: u64,
    /// Seed of the random number generator.
    pub seed: u64,
}

/// Stops the work of a request when its future is dropped.
struct StopOnDrop(StopToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Simulates the plan of an experiment many times. The simulation stops when the caller drops the future.
///
/// # Errors
/// `NotFound`; then a `wanted` that could not be read; a plan that cannot be simulated, or takes too
/// long; `Unavailable` while too many simulations wait, and also `NotYet` while the project's events
/// cannot be queried; and when the database cannot be reached.
pub async fn run(
    app: &App,
    project: &Project,
    id: ExperimentId,
    wanted: Result<WantedSimulation>,
) -> Result<Simulated> {
    let inquiry = Inquiry::default();
    let known = load(app, project.id, id, &inquiry).await?.map_err(not_found)?;
    let WantedSimulation { request, runs, seed } = wanted?;
    let (project_key, now) = (project.key.as_str().into(), app.clock.now());
    let manifest = known.manifest(&project_key, &inquiry, now);
    let experiment = PlannedExperiment::new(manifest, known.experiment().configuration.clone()).map_err(refused)?;
    let plan = SimulatedPlan::new(&request, Some(experiment)).map_err(refused)?;
    let traffic = match TriedPlan::needs_traffic(&request) {
        true => cache(app)?.traffic(&project_key, &known, now).await.map_err(report_error)?,
        false => Traffic::default(),
    };
    let tried = TriedPlan::new(&request, plan, traffic);
    let most = DAYS_MAX / u64::from(tried.schedule.days + tried.schedule.window_days).max(1);
    if runs > most {
        let days = tried.schedule.days;
        let problem = format!("must be at most {most} for a plan of {days} days; muriel simulate has no such limit");
        return Err(Problems::one("runs", problem).into());
    }
    let permit = app.simulations.turn().await?;
    let stop = StopToken::new();
    let _stop = StopOnDrop(stop.clone());
    let simulated = tokio::task::spawn_blocking(move || {
        // Held until the simulation has stopped, even if its caller is gone.
        let _permit = permit;
        simulate(tried, runs, seed, &stop)
    });
    simulated.await.map_err(Error::internal)?.map_err(|error| match error {
        SimulateError::Refused(refusal) => refused(refusal),
        SimulateError::Stopped => ComputeQueue::full(),
        SimulateError::Traffic(error) => report_error(error),
    })
}

fn refused(refusal: SimulationRefusal) -> Error {
    Problems::one("body", refusal.to_string()).into()
}
