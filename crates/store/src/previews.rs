//! Reports of previews: which selectors of an arm matched on a page.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::{Json, table};
use muriel_domain::Instant;
use muriel_domain::experiment::Arm;
use muriel_domain::ids::ExperimentId;
use muriel_sql::{Tx, params};
use std::sync::LazyLock;

/// Report of the last preview of an arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewReport {
    /// The arm.
    pub arm: Arm,
    /// Time of the preview.
    pub at: Instant,
    /// Page URL, without query and fragment.
    pub url: String,
    /// Selectors of the arm's changes that matched an element.
    pub matched: Vec<String>,
    /// Selectors that matched no element.
    pub missing: Vec<String>,
}

table! {
    /// Report of the last preview of an arm.
    struct ReportRow of "preview_report" {
        generated {}
        key { experiment_id: i64, arm: i64 }
        fixed {}
        changing {
            at: Instant,
            url: String,
            matched: Json<Vec<String>>,
            missing: Json<Vec<String>>,
        }
    }
}

/// Stores the report of a preview, in place of the one before.
pub async fn keep(tx: &mut dyn Tx, id: ExperimentId, report: PreviewReport) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{} ON CONFLICT (experiment_id, arm) DO UPDATE SET at = excluded.at, url = excluded.url, \
             matched = excluded.matched, missing = excluded.missing",
            ReportRow::insert_sql()
        )
    });
    let row = ReportRow {
        experiment_id: id.0,
        arm: i64::from(report.arm.0),
        at: report.at,
        url: report.url,
        matched: Json(report.matched),
        missing: Json(report.missing),
    };
    tx.execute(&STATEMENT, row.insert_values()).await?;
    Ok(())
}

/// Reports of the last preview of each arm, the control first.
pub async fn reports(tx: &mut dyn Tx, id: ExperimentId) -> Result<Vec<PreviewReport>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM preview_report r WHERE r.experiment_id = $1 ORDER BY r.arm", ReportRow::columns("r"))
    });
    let rows = tx.query(&STATEMENT, params![id.0]).await?;
    rows.into_iter()
        .map(|mut row| {
            let row = ReportRow::try_from(&mut row)?;
            Ok(PreviewReport {
                arm: Arm(u32::try_from(row.arm).map_err(|_| row.damaged("arm", "the number of a variant"))?),
                at: row.at,
                url: row.url,
                matched: row.matched.0,
                missing: row.missing.0,
            })
        })
        .collect()
}
