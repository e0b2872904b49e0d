//! Entries of the audit log about changes of experiments.

use muriel_context::actor::Actor;
use muriel_context::audit::{Act as AuditAct, object};
use muriel_context::error::Result;
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_sql::Tx;
use serde_json::{Map, Value};

/// Records a change of an experiment in the audit log: the fields that changed, and those of `additional`.
pub(crate) async fn audit_change(
    tx: &mut dyn Tx,
    actor: &Actor,
    now: Instant,
    action: &str,
    (before, after): (&Experiment, &Experiment),
    additional: Map<String, Value>,
) -> Result<()> {
    let act = AuditAct { actor, company: after.company_id, project: Some(after.project_id), now };
    let mut fields = after.fields_unlike(before);
    fields.extend(additional);
    let before = before.fields_unlike(after);
    act.record(tx, action, object("experiment", after.id, &after.name), Some(before), Some(fields)).await
}
