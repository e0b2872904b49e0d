//! Records of concluded experiments: the lesson, and the verdict at the time of the conclusion.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::codec::to_json;
use crate::programme;
use crate::table::{Json, table};
use muriel_domain::ids::{ExperimentId, HypothesisId};
use muriel_sql::{Tx, params};
use serde_json::Value;
use std::sync::LazyLock;

/// Record of a conclusion, besides its outcome and note.
#[derive(Debug, Clone, PartialEq)]
pub struct ConclusionRecord {
    /// Lesson beyond this test; empty when there is none.
    pub learned: String,
    /// Reason for an outcome that the verdict contradicts.
    pub override_reason: Option<String>,
    /// The hypothesis that continues the test.
    pub follow_up: Option<HypothesisId>,
    /// Name of the actor who concluded it.
    pub concluded_by: String,
    /// The verdict on each variant by the variant's id; `None` where there was no result.
    pub verdicts: Option<Value>,
    /// Manifest of the result that gave the verdicts.
    pub manifest: Option<Value>,
}

table! {
    struct ConclusionRow of "conclusion" {
        generated {}
        key { experiment_id: i64 }
        fixed {
            learned: String,
            override_reason: Option<String>,
            follow_up_hypothesis_id: Option<i64>,
            concluded_by: String,
            verdicts: Option<Json<Value>>,
            manifest: Option<Json<Value>>,
        }
        changing {}
    }
}

/// Stores the record of an experiment's conclusion, in place of an earlier one.
pub async fn put(tx: &mut dyn Tx, id: ExperimentId, record: &ConclusionRecord) -> Result<()> {
    remove(tx, id).await?;
    let sql = "INSERT INTO conclusion (experiment_id, learned, override_reason, follow_up_hypothesis_id, concluded_by, verdicts, \
               manifest) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    tx.execute(
        sql,
        params![
            id.0,
            record.learned.as_str(),
            record.override_reason.clone(),
            record.follow_up.map(|id| id.0),
            record.concluded_by.as_str(),
            record.verdicts.as_ref().map(to_json),
            record.manifest.as_ref().map(to_json)
        ],
    )
    .await?;
    Ok(())
}

/// Record of an experiment's conclusion; `None` for an experiment that is open, or was concluded by an older release.
pub async fn find(tx: &mut dyn Tx, id: ExperimentId) -> Result<Option<ConclusionRecord>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM conclusion c WHERE c.experiment_id = $1", ConclusionRow::columns("c"))
    });
    let Some(mut row) = tx.query_opt(&STATEMENT, params![id.0]).await? else { return Ok(None) };
    let row = ConclusionRow::try_from(&mut row)?;
    Ok(Some(ConclusionRecord {
        learned: row.learned,
        override_reason: row.override_reason,
        follow_up: row.follow_up_hypothesis_id.map(HypothesisId),
        concluded_by: row.concluded_by,
        verdicts: row.verdicts.map(|json| json.0),
        manifest: row.manifest.map(|json| json.0),
    }))
}

/// Deletes the record of an experiment's conclusion. Used when the experiment is opened again.
pub async fn remove(tx: &mut dyn Tx, id: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM conclusion WHERE experiment_id = $1", params![id.0]).await?;
    programme::remove(tx, id).await
}
