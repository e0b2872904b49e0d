//! What is stored of the experiment whose plan is tried.

use crate::config::{Common, StorageSettings};
use crate::open::open_existing;
use crate::{Error, Result, named};
use muriel_domain::experiment::Configuration;
use muriel_results::{Inquiry, Manifest, MetricFacts, ReportInputs};
use muriel_service::clock::Clock;
use muriel_store::experiments;
use muriel_warehouse::Metric;
use std::sync::Arc;

/// An experiment, as far as its plan goes.
#[derive(Debug, Clone)]
pub(super) struct Experiment {
    pub(super) manifest: Manifest,
    pub(super) configuration: Configuration,
    /// What its primary goal counts, if it has one.
    pub(super) metric: Option<Metric>,
}

impl Experiment {
    /// # Errors
    /// A project or experiment that is not there; a database that cannot be used.
    pub(super) async fn load(common: &Common, project: &str, wanted: &str) -> Result<Self> {
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
        let metric = match manifest.top() {
            None => None,
            Some(_) => {
                let question = manifest.question(false).map_err(|flaw| Error::Refused(format!("its goal {flaw}")))?;
                question.metrics.into_iter().next()
            }
        };
        Ok(Self { manifest, configuration, metric })
    }

    /// The goal that decides.
    pub(super) fn goal(&self) -> Option<&MetricFacts> {
        self.manifest.top()
    }
}
