//! The programme: all concluded experiments together.

use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::ids::{CompanyId, ExperimentId};
use muriel_results::programme::{ProgrammePage, ProgrammeReport, report};
use muriel_store::programme::{self, ConcludedTexts, HoldoutRow, ProgrammeFilter};
use std::collections::HashMap;

/// Most concluded experiments that are read, newest first: more than a large company concludes in ten years.
const TESTS_MAX: usize = 10_000;
/// Most holdouts that are listed.
const HOLDOUTS_MAX: i64 = 100;

/// A page of the programme of a company.
#[derive(Debug)]
pub struct ProgrammeAnswer {
    /// The figures, and a page of experiments.
    pub report: ProgrammeReport,
    /// Names, notes and lessons of the experiments of the page.
    pub texts: HashMap<ExperimentId, ConcludedTexts>,
    /// The holdouts of the projects.
    pub holdouts: Vec<HoldoutRow>,
    /// True when there are more concluded experiments than are read.
    pub is_truncated: bool,
}

/// Computes the programme of the filter's projects, one at a time.
///
/// # Errors
/// `Unavailable` while too many requests wait, and when the database cannot be reached.
pub async fn answer(
    app: &App,
    company: CompanyId,
    filter: ProgrammeFilter,
    page: ProgrammePage,
) -> Result<ProgrammeAnswer> {
    let permit = app.programmes.turn().await?;
    let (mut rows, holdouts) = app
        .read(move |tx| {
            Box::pin(async move {
                let rows = programme::concluded(tx, company, &filter, TESTS_MAX as i64 + 1).await?;
                Ok((rows, programme::holdouts(tx, company, &filter, HOLDOUTS_MAX).await?))
            })
        })
        .await?;
    let is_truncated = rows.len() > TESTS_MAX;
    rows.truncate(TESTS_MAX);
    // The permit is held until the texts of the page are read, because they may be as large as the figures.
    let computed = tokio::task::spawn_blocking(move || (report(rows, &page), permit));
    let (report, _permit) = computed.await.map_err(Error::internal)?;
    let is_truncated = is_truncated || report.is_truncated;
    let ids: Vec<ExperimentId> = report.entries.iter().map(|entry| entry.row.id).collect();
    let texts = app.read(move |tx| Box::pin(async move { Ok(programme::texts(tx, company, &ids).await?) })).await?;
    let texts = texts.into_iter().map(|texts| (texts.id, texts)).collect();
    Ok(ProgrammeAnswer { report, texts, holdouts, is_truncated })
}
