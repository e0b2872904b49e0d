//! Stored data of the experiment whose plan is simulated.

use crate::config::{Common, StorageSettings};
use crate::open::open_existing;
use crate::{Error, Result, named};
use muriel_context::clock::Clock;
use muriel_results::{Inquiry, PlannedExperiment, ReportInputs};
use muriel_store::experiments;
use std::sync::Arc;

/// Loads the stored data of an experiment.
///
/// # Errors
/// An unknown project or experiment, and a database that cannot be used.
pub(super) async fn load(common: &Common, project: &str, wanted: &str) -> Result<PlannedExperiment> {
    let opened = open_existing(&StorageSettings::load(common)?).await?;
    let (project, wanted) = (project.to_owned(), wanted.to_owned());
    let found = opened.db.read::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let (of, id) = named::experiment(tx, &project, &wanted).await?;
            let unknown = || named::no_experiment(&wanted);
            let inquiry = Inquiry::default();
            let known = ReportInputs::load(tx, of, id, &inquiry, None).await?.map_err(|_| unknown())?;
            let loaded = experiments::find(tx, of, id).await?.ok_or_else(unknown)?;
            let manifest = known.manifest(&Arc::from(project.as_str()), &inquiry, Clock::System.now());
            Ok((manifest, loaded.experiment.configuration))
        })
    });
    let found = found.await;
    opened.db.close().await?;
    let (manifest, configuration) = found?;
    PlannedExperiment::new(manifest, configuration).map_err(|refusal| Error::Refused(refusal.to_string()))
}
