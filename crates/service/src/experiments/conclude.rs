//! Concluding an experiment, and reopening it.

use super::NOT_FOUND;
use super::change::{Change, Changed, Target};
use crate::app::App;
use crate::results;
use muriel_analysis::Verdict;
use muriel_context::actor::Actor;
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::Problems;
use muriel_domain::experiment::{Conclusion, ConclusionOutcome, Refusal, Serving};
use muriel_domain::ids::{ExperimentId, HypothesisId, ProjectId};
use muriel_results::programme::ConcludedSummary;
use muriel_results::{Computed, Inquiry, PlanBasis};
use muriel_store::conclusions::{self, ConclusionRecord};
use muriel_store::experiments::{self, LoadedExperiment};
use muriel_store::tenants::Project;
use muriel_store::{hypotheses, programme};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The conclusion of an experiment, as a request sends it.
#[derive(Debug, Clone)]
pub struct NewConclusion {
    /// Outcome of the test.
    pub outcome: ConclusionOutcome,
    /// The team's reasons.
    pub note: String,
    /// Lesson beyond this test.
    pub learned: String,
    /// Reason why the outcome is right although the verdict contradicts it.
    pub override_reason: Option<String>,
    /// Id of the arm to serve, and the percentage of visitors who get it.
    pub winner: Option<(String, i64)>,
    /// The hypothesis that continues this test.
    pub follow_up: Option<HypothesisId>,
    /// True when the result is stored later, by [`store_result`]. No result is computed now.
    pub judged_later: bool,
}

const NO_HYPOTHESIS: &str = "must be the id of one of the project's hypotheses";

/// Verdict on each variant for the top metric, by the variant's number.
type Verdicts = Vec<(usize, Verdict)>;

/// Concludes an experiment, and serves an arm if one is given. The experiment becomes inactive unless a
/// winner is served. The current verdict and the data it was computed from are stored. With an
/// `override_reason` the conclusion is possible even where they cannot be computed. `render` makes the
/// response.
///
/// # Errors
/// `NotFound`; then errors of `key` or `new`, such as an arm that the experiment does not have;
/// `PreconditionFailed`; an experiment that is already concluded or cannot serve; `NotYet` while no
/// result can be computed, and `Unavailable` where the experiment changed meanwhile; an outcome that
/// the verdict contradicts, without a reason; code that a second person has to approve; and when the
/// database cannot be reached.
pub async fn conclude(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    new: Result<NewConclusion>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (project, id) = (target.project.clone(), target.id);
    let of_project = project.id;
    let look = match &new {
        Ok(new) if new.judged_later => Ok(None),
        Ok(_) => look(app, &project, id).await.map(Some),
        // The request is refused anyway.
        Err(_) => Err(NOT_FOUND),
    };
    let mut change = Change::new(app, actor, target, "conclude").deciding();
    let concluded_by = actor.name().to_owned();
    let (response, changed) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let key = key?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, None));
                }
                let knows_follow_up = match new.as_ref().ok().and_then(|new| new.follow_up) {
                    Some(hypothesis) => hypotheses::exists(tx, of_project, hypothesis).await?,
                    None => true,
                };
                let decided = new.and_then(|new| {
                    if !knows_follow_up {
                        return Err(Problems::one("follow_up_hypothesis_id", NO_HYPOTHESIS).into());
                    }
                    let conclusion =
                        Conclusion { outcome: new.outcome, note: new.note.clone(), concluded_at: change.now };
                    let winner = new.winner.as_ref().map(|(arm, rollout)| (arm.as_str(), *rollout));
                    let after = before.experiment.concluded(conclusion, winner).map_err(refused)?;
                    let computed = usable(look, &new, before.experiment.revision)?;
                    let verdicts = computed.as_ref().map(|(shown, _)| verdicts(shown)).unwrap_or_default();
                    check_verdict(&new, &verdicts)?;
                    Ok((new, after, computed, verdicts))
                });
                let (new, after, computed, verdicts) = change.decided(&before, decided)?;
                change.approval(tx, &before.experiment, &after).await?;
                let (note, learned) = (new.note.clone(), new.learned.clone());
                let summary = computed.as_ref().and_then(|(shown, planned)| ConcludedSummary::learned(shown, planned));
                let summary = summary.map(serde_json::to_value).transpose().map_err(Error::internal)?;
                let shown = computed.as_ref().map(|(shown, _)| &**shown);
                let record = record(new, shown, &verdicts, concluded_by)?;
                change = change.with_audit_fields(audit_fields(&record));
                let changed = change.save(tx, before, after).await?;
                conclusions::put(tx, id, &record).await?;
                programme::put(tx, id, [&note, &learned], summary.as_ref()).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&changed)?).await?;
                Ok((response, Some(changed)))
            })
        })
        .await?;
    if let Some(changed) = changed {
        changed.deliver(app, &project).await;
    }
    Ok(response)
}

/// The report that everybody reads, and the one for the plan that the first start locked.
type Reports = (Arc<Computed>, Arc<Computed>);

/// A result, and the revision of the experiment that it was computed for.
#[derive(Debug)]
struct Look {
    revision: i64,
    computed: Arc<Computed>,
    /// The result as judged by the plan that the first start locked. The programme learns from this one.
    planned: Arc<Computed>,
}

async fn look(app: &App, project: &Project, id: ExperimentId) -> Result<Look> {
    let inquiry = Inquiry::default();
    let inputs = results::load(app, project.id, id, &inquiry).await?.map_err(results::not_found)?;
    let planned = inputs.judged_by(PlanBasis::Locked, inquiry.clone());
    let computed = results::report_of(app, project, id, inquiry.clone(), false, &inputs).await?;
    let planned = match planned == inquiry {
        true => computed.clone(),
        false => results::report_of(app, project, id, planned, false, &inputs).await?,
    };
    Ok(Look { revision: inputs.experiment().revision, computed, planned })
}

/// Returns the result to conclude with. It may be missing if it cannot be computed and a reason for the
/// outcome is given. Otherwise a moment without results would end an experiment unjudged and leave its
/// record empty permanently.
fn usable(look: Result<Option<Look>>, new: &NewConclusion, revision: i64) -> Result<Option<Reports>> {
    let missing = match look {
        Ok(None) => return Ok(None),
        // The verdict would be about the experiment before its change.
        Ok(Some(look)) if look.revision != revision => return Err(Error::Unavailable { retry_after_s: 1 }),
        Ok(Some(look)) => return Ok(Some((look.computed, look.planned))),
        Err(missing @ Error::NotFound(_)) => return Err(missing),
        Err(missing) => missing,
    };
    if new.override_reason.is_some() {
        tracing::warn!(error = &missing as &dyn std::error::Error, "an experiment is concluded without its result");
        return Ok(None);
    }
    let (why, retry_after_s) = match missing {
        Error::NotYet { why, retry_after_s } => (why, retry_after_s),
        Error::Unavailable { retry_after_s } => ("the results are not available".to_owned(), retry_after_s),
        other => return Err(other),
    };
    let why = format!("no verdict can be stored: {why}; send override_reason to conclude without one");
    Err(Error::NotYet { why, retry_after_s })
}

/// Renames the field of the arm to serve: a conclusion has another name for it than the request that serves a winner.
fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Invalid(problems) => {
            let mut renamed = Problems::default();
            problems.iter().for_each(|problem| renamed.add("serve_variant_id", problem.message.clone()));
            renamed.into()
        }
        other => other.into(),
    }
}

/// The verdicts of a result; empty where there is nothing to judge.
fn verdicts(computed: &Computed) -> Verdicts {
    let top = computed.manifest.top().and(computed.report.metrics.first());
    top.into_iter().flat_map(|metric| &metric.analyses).map(|analysis| (analysis.arm, analysis.verdict)).collect()
}

/// Refuses an outcome that the verdicts contradict, unless a reason is given.
fn check_verdict(new: &NewConclusion, verdicts: &[(usize, Verdict)]) -> Result<()> {
    if new.override_reason.is_some()
        || !contradicts(new.outcome, new.winner.as_ref().map(|(arm, _)| arm.as_str()), verdicts)
    {
        return Ok(());
    }
    let said: Vec<String> =
        verdicts.iter().map(|(arm, verdict)| format!("Variant {arm}: {}", verdict.word())).collect();
    let message = format!(
        "the verdict does not say {} ({}); send override_reason if this outcome is still right",
        new.outcome.word(),
        said.join(", ")
    );
    Err(Error::conflict(ConflictCode::VerdictContradicted, message))
}

/// Returns whether verdicts contradict an outcome. Without verdicts nothing is contradicted, and no verdict can show
/// that a test was stopped early or is invalid.
fn contradicts(outcome: ConclusionOutcome, winner: Option<&str>, verdicts: &[(usize, Verdict)]) -> bool {
    let any = |wanted: Verdict| verdicts.iter().any(|(_, verdict)| *verdict == wanted);
    if verdicts.is_empty() {
        return false;
    }
    match outcome {
        ConclusionOutcome::Won => {
            let named = winner.and_then(|id| id.parse::<usize>().ok()).filter(|arm| *arm > 0);
            let of_named = |arm| verdicts.iter().any(|(number, verdict)| *number == arm && *verdict == Verdict::Win);
            named.map_or(!any(Verdict::Win), |arm| !of_named(arm))
        }
        ConclusionOutcome::Lost => any(Verdict::Win) || !any(Verdict::Loss),
        ConclusionOutcome::Inconclusive => {
            any(Verdict::Win) || verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Loss)
        }
        ConclusionOutcome::StoppedEarly | ConclusionOutcome::Invalid => false,
    }
}

fn record(
    new: NewConclusion,
    computed: Option<&Computed>,
    verdicts: &[(usize, Verdict)],
    concluded_by: String,
) -> Result<ConclusionRecord> {
    let by_arm = |(arm, verdict): &(usize, Verdict)| (arm.to_string(), verdict.word().into());
    let manifest = computed.map(|computed| serde_json::to_value(&computed.manifest)).transpose();
    Ok(ConclusionRecord {
        learned: new.learned,
        override_reason: new.override_reason,
        follow_up: new.follow_up,
        concluded_by,
        verdicts: computed.map(|_| Value::Object(verdicts.iter().map(by_arm).collect())),
        manifest: manifest.map_err(Error::internal)?,
    })
}

/// Additional fields of the audit log entry for the conclusion.
fn audit_fields(record: &ConclusionRecord) -> Map<String, Value> {
    let fields = json!({
        "learned": record.learned,
        "override_reason": record.override_reason,
        "follow_up_hypothesis_id": record.follow_up.map(|id| id.0),
        "verdicts": record.verdicts,
    });
    fields.as_object().cloned().unwrap_or_default()
}

/// Reopens a concluded experiment; its status stays. `render` makes the response.
///
/// # Errors
/// `NotFound`; then errors of `key`; `PreconditionFailed`; an experiment that is not concluded; one
/// that a scheduled job would start or continue, where a second person has to approve that; and when
/// the database cannot be reached.
pub async fn reopen(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (project, id) = (target.project.clone(), target.id);
    let change = Change::new(app, actor, target, "reopen");
    let (response, changed) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let key = key?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, None));
                }
                let after = change.decided(&before, before.experiment.reopened().map_err(Error::from))?;
                change.approval(tx, &before.experiment, &after).await?;
                conclusions::remove(tx, id).await?;
                let changed = change.save(tx, before, after).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&changed)?).await?;
                Ok((response, Some(changed)))
            })
        })
        .await?;
    if let Some(changed) = changed {
        changed.deliver(app, &project).await;
    }
    Ok(response)
}

/// Stores the current result with a conclusion that was made without one. The reason for the outcome is
/// removed unless the verdict contradicts the outcome.
///
/// # Errors
/// `NotFound`, also for an experiment that is not concluded; `Unavailable` and `NotYet` while no result
/// can be computed; and when the database cannot be reached.
pub async fn store_result(app: &App, project: &Project, id: ExperimentId) -> Result<()> {
    let computed = look(app, project, id).await?.computed;
    let of_project = project.id;
    app.write(project.company_id, move |tx| {
        let computed = computed.clone();
        Box::pin(async move {
            let experiment = experiments::find(tx, of_project, id).await?.ok_or(NOT_FOUND)?.experiment;
            let conclusion = experiment.conclusion.as_ref().ok_or(NOT_FOUND)?;
            let before = conclusions::find(tx, id).await?.ok_or(NOT_FOUND)?;
            let winner = match experiment.serving {
                Serving::Winner { arm, .. } => Some(arm.id()),
                _ => None,
            };
            let verdicts = verdicts(&computed);
            let is_contradicted = contradicts(conclusion.outcome, winner.as_deref(), &verdicts);
            let new = NewConclusion {
                outcome: conclusion.outcome,
                note: conclusion.note.clone(),
                learned: before.learned,
                override_reason: before.override_reason.filter(|_| is_contradicted),
                winner: None,
                follow_up: before.follow_up,
                judged_later: false,
            };
            let summary = ConcludedSummary::of(&computed).map(serde_json::to_value).transpose();
            let summary = summary.map_err(Error::internal)?;
            let record = record(new, Some(&computed), &verdicts, before.concluded_by)?;
            conclusions::put(tx, id, &record).await?;
            Ok(programme::put(tx, id, [&conclusion.note, &record.learned], summary.as_ref()).await?)
        })
    })
    .await
}

/// Returns an experiment, and the record of its conclusion.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn conclusion(
    app: &App,
    project: ProjectId,
    id: ExperimentId,
) -> Result<(LoadedExperiment, Option<ConclusionRecord>)> {
    app.read(move |tx| {
        Box::pin(async move {
            let found = experiments::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            Ok((found, conclusions::find(tx, id).await?))
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_result_a_reason_is_needed() {
        let new = |reason: Option<&str>| NewConclusion {
            outcome: ConclusionOutcome::Won,
            note: String::new(),
            learned: String::new(),
            override_reason: reason.map(str::to_owned),
            winner: None,
            follow_up: None,
            judged_later: false,
        };
        let loading = || Error::NotYet { why: "events are being loaded".to_owned(), retry_after_s: 5 };
        for missing in [loading(), Error::Unavailable { retry_after_s: 5 }] {
            match usable(Err(missing), &new(None), 3) {
                Err(Error::NotYet { why, retry_after_s: 5 }) => assert!(why.contains("override_reason"), "{why}"),
                other => panic!("{other:?}"),
            }
        }
        for missing in [loading(), Error::Unavailable { retry_after_s: 5 }, Error::internal("damaged")] {
            assert!(matches!(usable(Err(missing), &new(Some("A study said so.")), 3), Ok(None)));
        }
        assert!(matches!(usable(Err(Error::internal("damaged")), &new(None), 3), Err(Error::Internal(_))));
        assert!(matches!(usable(Err(NOT_FOUND), &new(None), 3), Err(Error::NotFound(_))));
    }

    #[test]
    fn outcomes_and_verdicts() {
        use ConclusionOutcome::{Inconclusive, Invalid, Lost, StoppedEarly, Won};
        use Verdict::{DoNotTrust, KeepRunning, Loss, NoDifference, Win};
        for (outcome, winner, verdicts, expect) in [
            (Won, None, &[][..], false),
            (Won, None, &[Win], false),
            (Won, None, &[Loss, Win], false),
            (Won, Some("2"), &[Loss, Win], false),
            (Won, Some("1"), &[Loss, Win], true),
            (Won, Some("0"), &[Loss, Win], false),
            (Won, None, &[NoDifference], true),
            (Won, None, &[KeepRunning], true),
            (Won, None, &[DoNotTrust], true),
            (Lost, None, &[Loss], false),
            (Lost, None, &[Loss, NoDifference], false),
            (Lost, None, &[Loss, Win], true),
            (Lost, None, &[KeepRunning], true),
            (Inconclusive, None, &[KeepRunning], false),
            (Inconclusive, None, &[NoDifference, Loss], false),
            (Inconclusive, None, &[DoNotTrust], false),
            (Inconclusive, None, &[Win], true),
            (Inconclusive, None, &[Loss, Loss], true),
            (StoppedEarly, None, &[Win], false),
            (Invalid, None, &[Win], false),
        ] {
            let verdicts: Verdicts = (1..).zip(verdicts.iter().copied()).collect();
            assert_eq!(contradicts(outcome, winner, &verdicts), expect, "{outcome:?} {winner:?} {verdicts:?}");
        }
    }
}
