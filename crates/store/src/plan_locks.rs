//! The plan of an experiment as it was at its first start, with a hash over it.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::{Error, Result, hypotheses};
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, LockedPlan};
use muriel_domain::goal::Goal;
use muriel_domain::ids::ExperimentId;
use muriel_sql::{Tx, params};
use sha2::{Digest, Sha256};

/// A plan and the hash that was stored with it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanLock {
    /// The plan.
    pub plan: LockedPlan,
    /// The hash as it is stored: [`hash`] of the plan, unless somebody changed the row.
    pub hash: String,
}

/// The SHA-256 of a plan's canonical form, in hexadecimal digits.
pub fn hash(plan: &LockedPlan) -> String {
    hex(&digest(&plan.canonical()))
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Stores the plan of an experiment that starts for the first time at `at`, with its primary goal and its secondary ones.
pub(crate) async fn insert(
    tx: &mut dyn Tx,
    experiment: &Experiment,
    (primary, secondary): (Option<&Goal>, &[Goal]),
    at: Instant,
) -> Result<()> {
    let hypothesis = match experiment.hypothesis_id {
        Some(id) => hypotheses::find(tx, experiment.project_id, id).await?,
        None => None,
    };
    let plan = LockedPlan::of(experiment, at, hypothesis.as_ref(), (primary, secondary));
    let content = plan.canonical();
    let hash = digest(&content).to_vec();
    let sql = "INSERT INTO plan_lock (experiment_id, locked_at, content, hash) VALUES ($1, $2, $3, $4)";
    tx.execute(sql, params![experiment.id.0, at.us(), content, hash]).await?;
    Ok(())
}

/// The plan of the experiment at its first start; `None` before that, and where an earlier release started it.
pub async fn find(tx: &mut dyn Tx, id: ExperimentId) -> Result<Option<PlanLock>> {
    let sql = "SELECT content, hash FROM plan_lock WHERE experiment_id = $1";
    let Some(mut row) = tx.query_opt(sql, params![id.0]).await? else { return Ok(None) };
    let plan = serde_json::from_str(&row.text("content")?).map_err(|_| Error::Damaged {
        table: "plan_lock",
        row: id.to_string(),
        column: "content",
        expected: "the JSON of a plan",
    })?;
    Ok(Some(PlanLock { plan, hash: hex(&row.blob("hash")?) }))
}
