//! Interactions: pairs of experiments of which one changes the effect of the other.

use crate::compute::ComputeError;
use crate::define::ReportInputs;
use crate::inquiry::Inquiry;
use crate::manifest::{LogPlaceFacts, Manifest};
use crate::report_cache::{ReportCache, ReportError};
use muriel_analysis::interaction::{Interaction, PairCell, interaction};
use muriel_domain::{Flaw, Instant};
use muriel_warehouse::{Metric, PairAnswer, PairQuestion, SharedQuestion, SharedVisitors};
use std::sync::Arc;

/// Result of a check of an ordered pair of experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct PairCheck {
    /// Primary goal of the experiment whose effect is checked; `None` without one.
    pub goal_key: Option<String>,
    /// Name of the other experiment.
    pub other_name: String,
    /// Time of the check.
    pub as_of: Instant,
    /// Event logs, each with the position up to which the check read it.
    pub logs: Vec<LogPlaceFacts>,
    /// Test of the pair; `None` when there is too little data, or no effect.
    pub interaction: Option<Interaction>,
}

impl ReportCache {
    /// Number of visitors that each two of these experiments share, with every event that was acknowledged before this
    /// call. Pairs without shared visitors are left out.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn shared_visitors(
        &self,
        project_key: &Arc<str>,
        test_ids: Vec<i64>,
    ) -> Result<Vec<SharedVisitors>, ReportError> {
        let question = Arc::new(SharedQuestion { project_key: project_key.clone(), test_ids });
        let head = self.head().await?;
        let ask = move |warehouse: &dyn muriel_warehouse::WarehouseReader, stop: &muriel_warehouse::StopToken| {
            let answer = warehouse.shared(&question, stop)?;
            Ok((answer.marks, answer.pairs))
        };
        self.ask(head, ask).await
    }

    /// Checks whether `other` changes the effect of `own` on its primary goal, with every event that was acknowledged
    /// before this call.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn check_pair(
        &self,
        project_key: &Arc<str>,
        (own, other): (&ReportInputs, &ReportInputs),
        now: Instant,
    ) -> Result<PairCheck, ReportError> {
        let of = |inputs: &ReportInputs| inputs.manifest(project_key, &Inquiry::default(), now);
        let (own, other) = (of(own), of(other));
        let check = PairCheck {
            goal_key: own.top().map(|metric| metric.key.clone()),
            other_name: other.experiment.test_name.clone(),
            as_of: own.as_of,
            logs: Vec::new(),
            interaction: None,
        };
        if check.goal_key.is_none() {
            return Ok(check);
        }
        let question = Arc::new(question(&own, &other).map_err(ComputeError::Manifest)?);
        let head = self.head().await?;
        let ask = move |warehouse: &dyn muriel_warehouse::WarehouseReader, stop: &muriel_warehouse::StopToken| {
            let answer = warehouse.pair(&question, stop)?;
            Ok((answer.marks.clone(), answer))
        };
        let answer = self.ask(head, ask).await?;
        let with_blocks = answer.marks.iter().filter(|(_, mark)| mark.position.seq > 0);
        let logs = with_blocks.map(|(id, mark)| LogPlaceFacts { id: *id, position: mark.position.seq }).collect();
        Ok(PairCheck { logs, interaction: judged(&own, &other, &answer), ..check })
    }
}

/// Warehouse question about a pair: the primary goal as in the result of `own`, without its values before entry.
fn question(own: &Manifest, other: &Manifest) -> Result<PairQuestion, Flaw> {
    let mut experiment = own.question(false)?;
    experiment.metrics.truncate(1);
    experiment.metrics = experiment.metrics.into_iter().map(|metric| Metric { before_us: None, ..metric }).collect();
    let mut other = other.question(false)?;
    other.metrics.clear();
    Ok(PairQuestion { experiment, other })
}

fn judged(own: &Manifest, other: &Manifest, answer: &PairAnswer) -> Option<Interaction> {
    let has_value = own.top()?.is_revenue();
    let closed = answer.cells.iter().filter(|cell| !cell.open);
    let cells: Vec<PairCell> = closed
        .map(|cell| PairCell {
            epoch: cell.epoch,
            arm: cell.variant as usize,
            other_epoch: cell.other_epoch,
            other_arm: cell.other_variant as usize,
            converted: cell.totals.converted,
            outcome: cell.totals.adjusted(has_value).x(),
        })
        .collect();
    interaction(&own.design(), &other.design(), &cells)
}
