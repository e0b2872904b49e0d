//! Checks each night whether live experiments that share visitors interact: whether one changes the
//! effect of the other.
//!
//! A check covers one project and takes many steps, one ordered pair each, so that it never occupies
//! the warehouse for long. The last step stores the findings and records the night. A check that a
//! restart or another leader interrupted begins again. After a night without a check, the next check
//! covers its events as well.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::{Leadership, check, project};
use crate::app::App;
use muriel_analysis::interaction::{self, Found, LEVEL, MIN_SHARED};
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::ids::ExperimentId;
use muriel_domain::time::DAY_US;
use muriel_results::{Inquiry, PairCheck, ReportCache, ReportError, ReportInputs};
use muriel_store::interactions::{self, Candidate, Interaction, InteractionCheck, LogPlace};
use muriel_store::tenants::Project;
use muriel_warehouse::{SHARED_TESTS_MAX, SharedVisitors};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Start of a night, in microseconds after midnight UTC.
const NIGHT_BEGINS_US: i64 = 2 * 3_600_000_000;
/// Most pairs of a project that are checked in a night, each in both orders; those that share the most visitors.
pub const PAIRS_MAX: usize = 200;
/// Period of the search for projects that are due.
const CHECK_PERIOD_US: i64 = 60_000_000;

/// The check in progress.
#[derive(Debug, Default)]
pub struct InteractionChecks {
    current: Option<ProjectCheck>,
    /// No project is searched for before this moment.
    check_at: Option<Instant>,
}

/// A check of the pairs of a project.
#[derive(Debug)]
struct ProjectCheck {
    term: i64,
    project: Arc<Project>,
    night: i64,
    /// Ordered pairs that remain: the experiment whose effect is checked, and the one that may change it.
    queue: VecDeque<(ExperimentId, ExperimentId)>,
    checked: Vec<(ExperimentId, ExperimentId, PairCheck)>,
    /// Pairs that an exclusion group separates, in either order.
    separated: BTreeSet<(ExperimentId, ExperimentId)>,
    left_out: i64,
}

/// Outcome of a step of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStep {
    /// Nothing is due.
    Idle,
    /// The check continues.
    Continued,
    /// The warehouse is busy, or still loading.
    Waiting,
    /// The check of a project ended. The last checks of all projects omitted this many pairs, because
    /// there were too many.
    Ended {
        /// Pairs that were not checked.
        left_out: i64,
    },
}

/// Takes the next step of the check in progress, or begins one.
pub async fn look_for_interactions(
    app: &App,
    leadership: &Leadership,
    checks: &mut InteractionChecks,
) -> Result<CheckStep> {
    let Some(reports) = app.results() else { return Ok(CheckStep::Waiting) };
    if checks.current.as_ref().is_some_and(|current| current.term != leadership.term) {
        // Another node has led, and perhaps checked, in between.
        checks.current = None;
    }
    let Some(current) = &mut checks.current else { return begin(app, reports, leadership.term, checks).await };
    let Some((own, other)) = current.queue.front().copied() else {
        let left_out = end(app, current).await?;
        checks.current = None;
        return Ok(CheckStep::Ended { left_out });
    };
    match check_pair(app, reports, &current.project, own, other).await? {
        Some(Ok(pair)) => current.checked.push((own, other, pair)),
        Some(Err(problem)) if is_temporary(&problem) => return Ok(CheckStep::Waiting),
        Some(Err(problem)) => {
            tracing::warn!(test_id = own.0, other_test_id = other.0, %problem, "a pair of experiments cannot be checked");
        }
        // One of the experiments was deleted.
        None => {}
    }
    current.queue.pop_front();
    Ok(CheckStep::Continued)
}

/// Returns the pairs that the last checks of all projects covered, and those that they omitted.
pub async fn interaction_totals(app: &App) -> Result<(i64, i64)> {
    app.read(|tx| Box::pin(async move { Ok(interactions::totals(tx).await?) })).await
}

/// Number of the night that a moment belongs to: the last one that has begun, counted from 1970.
fn night(at: Instant) -> i64 {
    (at.us() - NIGHT_BEGINS_US).div_euclid(DAY_US)
}

/// Begins a check of the first project that is due.
async fn begin(app: &App, reports: &ReportCache, term: i64, checks: &mut InteractionChecks) -> Result<CheckStep> {
    let now = app.clock.now();
    // After the clock was set back, the search must not wait until it has caught up.
    if checks.check_at.is_some_and(|at| now < at && at <= now.plus_us(CHECK_PERIOD_US)) {
        return Ok(CheckStep::Idle);
    }
    let night = night(now);
    let due = app.read(move |tx| Box::pin(async move { Ok(interactions::due(tx, night).await?) })).await?;
    let found = match due {
        Some(id) => project(app, id).await?,
        None => None,
    };
    let Some(project) = found else {
        checks.check_at = Some(now.plus_us(CHECK_PERIOD_US));
        return Ok(CheckStep::Idle);
    };
    let id = project.id;
    let candidates = app.read(move |tx| Box::pin(async move { Ok(interactions::candidates(tx, id).await?) })).await?;
    let newest: Vec<i64> = candidates.iter().take(SHARED_TESTS_MAX).map(|candidate| candidate.experiment.0).collect();
    let shared = match reports.shared_visitors(&project.key.as_str().into(), newest).await {
        Ok(shared) => shared,
        Err(problem) if is_temporary(&problem) => return Ok(CheckStep::Waiting),
        Err(problem) => {
            tracing::warn!(project = project.key, %problem, "the pairs of live experiments cannot be checked");
            Vec::new()
        }
    };
    let (pairs, left_out) = chosen(&candidates, &shared);
    let queue = pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).collect();
    let separated = separated(&candidates);
    if left_out > 0 {
        tracing::warn!(
            project = project.key,
            left_out,
            most = PAIRS_MAX,
            "too many pairs of live experiments: not all are checked for interactions"
        );
    }
    checks.current = Some(ProjectCheck { term, project, night, queue, checked: Vec::new(), separated, left_out });
    Ok(CheckStep::Continued)
}

/// Returns the pairs to check, those that share the most visitors first, and how many are omitted
/// because there are too many. Pairs that share too few visitors to judge, or that a group separates,
/// need no check.
fn chosen(candidates: &[Candidate], shared: &[SharedVisitors]) -> (Vec<(ExperimentId, ExperimentId)>, i64) {
    let separated = separated(candidates);
    let pair = |shared: &SharedVisitors| (ExperimentId(shared.test_id), ExperimentId(shared.other_test_id));
    let mut pairs: Vec<&SharedVisitors> =
        shared.iter().filter(|shared| shared.visitors >= MIN_SHARED && !separated.contains(&pair(shared))).collect();
    pairs.sort_by_key(|shared| (std::cmp::Reverse(shared.visitors), pair(shared)));
    let of = |number: usize| number * number.saturating_sub(1) / 2;
    let unknown = of(candidates.len()) - of(candidates.len().min(SHARED_TESTS_MAX));
    let left_out = unknown + pairs.len().saturating_sub(PAIRS_MAX);
    let pairs = pairs.into_iter().take(PAIRS_MAX).map(pair).collect();
    (pairs, i64::try_from(left_out).unwrap_or(i64::MAX))
}

/// Pairs within one exclusion group, in either order.
fn separated(candidates: &[Candidate]) -> BTreeSet<(ExperimentId, ExperimentId)> {
    let grouped = || candidates.iter().filter(|candidate| candidate.group.is_some());
    let others = |one: &Candidate| {
        let one = *one;
        let is_apart = move |other: &&Candidate| other.group == one.group && other.experiment != one.experiment;
        grouped().filter(is_apart).map(move |other| (one.experiment, other.experiment)).collect::<Vec<_>>()
    };
    grouped().flat_map(others).collect()
}

/// Returns whether to try again, because the failure was not caused by the pair.
fn is_temporary(problem: &ReportError) -> bool {
    match problem {
        ReportError::Busy | ReportError::Loading { .. } | ReportError::LogUnreadable(_) | ReportError::Damaged => true,
        ReportError::Failed(_) => false,
    }
}

/// Checks whether `other` changes the effect of `own`; `None` when one of them no longer exists.
async fn check_pair(
    app: &App,
    reports: &ReportCache,
    project: &Project,
    own: ExperimentId,
    other: ExperimentId,
) -> Result<Option<Result<PairCheck, ReportError>>> {
    let (node, project_id) = (app.node_id(), project.id);
    let inputs = app
        .read(move |tx| {
            Box::pin(async move {
                let inquiry = Inquiry::default();
                let own = ReportInputs::load(tx, project_id, own, &inquiry, node.as_deref()).await?;
                let other = ReportInputs::load(tx, project_id, other, &inquiry, node.as_deref()).await?;
                Ok(own.ok().zip(other.ok()))
            })
        })
        .await?;
    let Some((own, other)) = inputs else { return Ok(None) };
    let now = app.clock.now();
    Ok(Some(reports.check_pair(&project.key.as_str().into(), (&own, &other), now).await))
}

/// Stores the findings and the end of the check. Returns the number of omitted pairs in all projects.
async fn end(app: &App, current: &ProjectCheck) -> Result<i64> {
    let tests: Vec<Option<interaction::Interaction>> =
        current.checked.iter().map(|(_, _, pair)| pair.interaction).collect();
    let found = interaction::found(&tests, LEVEL).map_err(Error::internal)?;
    let found: Vec<Interaction> = found.iter().filter_map(|found| stored(current, found)).collect();
    let held: BTreeSet<(ExperimentId, ExperimentId)> =
        found.iter().map(|found| (found.experiment, found.other)).collect();
    // Later results for pairs found before: whether they still hold, and for which goal.
    let judged: Vec<(ExperimentId, ExperimentId, Option<String>, bool)> = current
        .checked
        .iter()
        .map(|(own, other, pair)| (*own, *other, pair.goal_key.clone(), still_holds(pair)))
        .collect();
    let pairs = i64::try_from(current.checked.len() / 2).unwrap_or(i64::MAX);
    let ended = InteractionCheck { night: current.night, ended_at: app.clock.now(), pairs, left_out: current.left_out };
    let (term, project, separated) = (current.term, current.project.id, current.separated.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                check(tx, term).await?;
                for known in interactions::of_project(tx, project).await? {
                    let pair = (known.experiment, known.other);
                    let now = judged.iter().find(|(own, other, _, _)| (*own, *other) == pair);
                    match now {
                        _ if held.contains(&pair) => {}
                        Some((_, _, goal_key, holds)) if !holds || goal_key.as_ref() != Some(&known.goal_key) => {
                            interactions::remove(tx, known.experiment, known.other).await?;
                        }
                        None if separated.contains(&pair) && !known.is_separated => {
                            interactions::put(tx, &Interaction { is_separated: true, ..known }).await?;
                        }
                        _ => {}
                    }
                }
                for found in &found {
                    interactions::put(tx, found).await?;
                }
                interactions::set_check(tx, project, ended).await?;
                Ok(interactions::totals(tx).await?.1)
            })
        })
        .await
}

/// Returns whether a pair found before stays found: it does as long as its own always-valid test is significant.
fn still_holds(pair: &PairCheck) -> bool {
    pair.interaction.is_none_or(|test| test.p_value() < LEVEL)
}

/// Builds the stored form of a finding.
fn stored(current: &ProjectCheck, found: &Found) -> Option<Interaction> {
    let (own, other, pair) = current.checked.get(found.pair)?;
    let arm = |arm: usize| u32::try_from(arm).ok();
    let place = |place: &muriel_results::LogPlaceFacts| LogPlace { id: place.id.to_string(), position: place.position };
    Some(Interaction {
        experiment: *own,
        other: *other,
        goal_key: pair.goal_key.clone()?,
        other_name: pair.other_name.clone(),
        arm: arm(found.arm)?,
        other_arm: arm(found.other_arm)?,
        difference: found.difference,
        lower: found.interval.lower,
        upper: found.interval.upper,
        p_value: found.p_value,
        visitors: i64::try_from(found.visitors).unwrap_or(i64::MAX),
        looked_at: pair.as_of,
        logs: pair.logs.iter().map(place).collect(),
        is_separated: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(id: i64, group: Option<i64>) -> Candidate {
        Candidate { experiment: ExperimentId(id), group }
    }

    fn shared(test_id: i64, other_test_id: i64, visitors: u64) -> SharedVisitors {
        SharedVisitors { test_id, other_test_id, visitors }
    }

    #[test]
    fn nights_begin_at_two() {
        for (at, expect) in [
            ("1970-01-01T02:00:00Z", 0),
            ("1970-01-02T01:59:59Z", 0),
            ("1970-01-02T02:00:00Z", 1),
            ("2026-03-01T10:00:00Z", 20_513),
        ] {
            assert_eq!(night(Instant::parse(at).unwrap()), expect, "{at}");
        }
    }

    #[test]
    fn pairs_that_share_visitors_are_chosen() {
        let candidates = [candidate(1, None), candidate(2, Some(7)), candidate(3, Some(7)), candidate(4, Some(8))];
        let pairs = [shared(1, 2, 400), shared(1, 3, 399), shared(2, 3, 9_000), shared(3, 4, 500)];
        let id = ExperimentId;
        assert_eq!(chosen(&candidates, &pairs), (vec![(id(3), id(4)), (id(1), id(2))], 0));
        assert_eq!(separated(&candidates), BTreeSet::from([(id(2), id(3)), (id(3), id(2))]));
        assert_eq!(chosen(&[], &[]), (vec![], 0));
    }

    #[test]
    fn too_many_pairs_are_left_out_and_counted() {
        let candidates: Vec<Candidate> = (1..=62).map(|id| candidate(id, None)).collect();
        let mut pairs = Vec::new();
        for one in 1..=30 {
            pairs.extend((one + 1..=30).map(|other| shared(one, other, 1_000 + (one * 100 + other) as u64)));
        }
        let (looked, left_out) = chosen(&candidates, &pairs);
        assert_eq!((looked.len(), looked[0]), (PAIRS_MAX, (ExperimentId(29), ExperimentId(30))));
        // 435 pairs share visitors, and the two oldest experiments add 60 pairs each plus their own.
        assert_eq!(left_out, 435 - 200 + 121);
    }
}
