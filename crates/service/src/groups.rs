//! Exclusion groups and holdouts of a project.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use crate::experiment_audit::audit_change;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::experiment::{ApprovalRules, Experiment, Revision};
use muriel_domain::group::{GROUPS_MAX, Group, GroupKind, GroupMember, GroupPatch, HoldoutScope, NewGroup};
use muriel_domain::ids::{ExperimentId, GroupId, ProjectId};
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::audit::ObjectRecord;
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, experiments, groups, lock};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const NOT_FOUND: Error = Error::NotFound("exclusion group");

/// The result of creating, changing or deleting a group.
#[derive(Debug, Clone)]
pub struct GroupChanged {
    /// Group id.
    pub id: GroupId,
    /// One sentence for each experiment whose visitors are affected.
    pub warnings: Vec<String>,
}

/// A requested change of a group.
#[derive(Debug, Clone, Default)]
pub struct GroupUpdate {
    /// Fields to change.
    pub patch: GroupPatch,
    /// True when visitors of live experiments may be moved.
    pub accept_moves: bool,
}

/// Returns the project's groups, oldest first.
pub async fn list(app: &App, project: ProjectId) -> Result<Vec<Group>> {
    app.read(move |tx| Box::pin(async move { Ok(groups::list(tx, project).await?) })).await
}

/// Creates a group. Visitors of live experiments are moved at once, and the response says which. `render` makes the
/// response.
///
/// # Errors
/// Problems of `new`, and when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    key: Option<IdempotencyKey>,
    new: NewGroup,
    render: impl FnOnce(&GroupChanged) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let act = GroupAct { project: project.id, actor: actor.clone(), now: app.clock.now(), accept_moves: true };
    let of = project.clone();
    let response = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                lock(tx, act.project, Intent::Reshape).await?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                let others = groups::list(tx, act.project).await?;
                if others.len() >= GROUPS_MAX {
                    let message =
                        format!("cannot be accepted: the project already has {GROUPS_MAX} groups; delete one first");
                    return Err(Problems::one("body", message).into());
                }
                let group = new.group(act.now)?;
                let concerned = act.concerned(tx, &others, &group, None).await?;
                let id = groups::insert(tx, act.project, &group).await?;
                let group = Group { id, ..group };
                let warnings = act.store_places(tx, concerned, Some(&group), id).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&GroupChanged { id, warnings })?).await?;
                Act::within(&act.actor, &of, act.now).made(tx, "create", thing(&group), audit_value(&group)).await?;
                Ok(response)
            })
        })
        .await?;
    app.rulesets.refresh(project).await;
    Ok(response)
}

/// Changes a group, and moves as few visitors as possible.
///
/// # Errors
/// `NotFound`; then an `update` that could not be read or does not fit the group; a conflict where
/// visitors of live experiments would move and this was not accepted; and when the database cannot be
/// reached.
pub async fn update(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: GroupId,
    update: Result<GroupUpdate>,
) -> Result<GroupChanged> {
    let (project_id, actor, now, of) = (project.id, actor.clone(), app.clock.now(), project.clone());
    let changed = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                lock(tx, project_id, Intent::Reshape).await?;
                let mut others = groups::list(tx, project_id).await?;
                let before = take(&mut others, id)?;
                let GroupUpdate { patch, accept_moves } = update?;
                let act = GroupAct { project: project_id, actor, now, accept_moves };
                let after = before.patched(patch, now)?;
                let concerned = act.concerned(tx, &others, &after, Some(&before)).await?;
                if after != before {
                    groups::update(tx, project_id, &after).await?;
                }
                let warnings = act.store_places(tx, concerned, Some(&after), id).await?;
                let audit = Act::within(&act.actor, &of, now);
                audit.changed(tx, "update", thing(&after), audit_value(&before), audit_value(&after)).await?;
                Ok(GroupChanged { id, warnings })
            })
        })
        .await?;
    app.rulesets.refresh(project).await;
    Ok(changed)
}

/// Deletes a group. All visitors can enter its experiments again.
///
/// # Errors
/// Same as [`update`].
pub async fn delete(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: GroupId,
    accept_moves: Result<bool>,
) -> Result<GroupChanged> {
    let (project_id, actor, now, of) = (project.id, actor.clone(), app.clock.now(), project.clone());
    let changed = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                lock(tx, project_id, Intent::Reshape).await?;
                let before = take(&mut groups::list(tx, project_id).await?, id)?;
                let act = GroupAct { project: project_id, actor, now, accept_moves: accept_moves? };
                let named = act.named(tx, &before).await?;
                let concerned = act.loaded(tx, &named).await?;
                groups::delete(tx, id, now).await?;
                let warnings = act.store_places(tx, concerned, None, id).await?;
                Act::within(&act.actor, &of, now).removed(tx, "delete", thing(&before), audit_value(&before)).await?;
                Ok(GroupChanged { id, warnings })
            })
        })
        .await?;
    app.rulesets.refresh(project).await;
    Ok(changed)
}

/// The audit log's reference to a group.
fn thing(group: &Group) -> ObjectRecord {
    object("group", group.id, &group.name)
}

/// The audit log's fields of a group.
fn audit_value(group: &Group) -> Value {
    let percent = |hundredths: u32| f64::from(hundredths) / 100.0;
    let mut value = json!({ "name": group.name, "kind": group.kind.word() });
    match &group.kind {
        GroupKind::Exclusion(members) => {
            let member = |member: &GroupMember| {
                let share = percent(member.to.saturating_sub(member.from));
                json!({ "test_id": member.experiment, "percent": share, "from": member.from })
            };
            value["members"] = members.iter().map(member).collect();
        }
        GroupKind::Holdout { held_out, scope, .. } => {
            value["percent"] = percent(*held_out).into();
            value["scope"] = match scope {
                HoldoutScope::Project => "project".into(),
                HoldoutScope::Experiments(named) => json!({ "tests": named }),
            };
        }
    }
    value
}

/// Removes the group with this id from the list, and returns it.
fn take(groups: &mut Vec<Group>, id: GroupId) -> Result<Group> {
    let at = groups.iter().position(|group| group.id == id).ok_or(NOT_FOUND)?;
    Ok(groups.remove(at))
}

/// A change of a group in progress.
struct GroupAct {
    project: ProjectId,
    actor: Actor,
    now: Instant,
    accept_moves: bool,
}

impl GroupAct {
    /// Returns the ids of the experiments that a group applies to.
    async fn named(&self, tx: &mut dyn Tx, group: &Group) -> Result<BTreeSet<ExperimentId>> {
        if matches!(&group.kind, GroupKind::Holdout { scope: HoldoutScope::Project, .. }) {
            // Experiments without visitors have nobody to move, but a start that was approved for a
            // date has to stay as approved.
            return Ok(experiments::bound_for_visitors(tx, self.project).await?);
        }
        Ok(group.kind.experiments().into_iter().collect())
    }

    /// Loads those of these experiments that exist, in their state before the change.
    async fn loaded(&self, tx: &mut dyn Tx, ids: &BTreeSet<ExperimentId>) -> Result<Vec<Experiment>> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(experiments::find(tx, self.project, *id).await?.map(|loaded| loaded.experiment));
        }
        Ok(found)
    }

    /// Loads the experiments that `before` or `after` applies to, once `after` is known to be allowed to name them.
    async fn concerned(
        &self,
        tx: &mut dyn Tx,
        others: &[Group],
        after: &Group,
        before: Option<&Group>,
    ) -> Result<Vec<Experiment>> {
        let mut ids = self.named(tx, after).await?;
        if let Some(before) = before {
            ids.extend(self.named(tx, before).await?);
        }
        let found = self.loaded(tx, &ids).await?;
        let mut problems = Problems::default();
        for (at, id) in after.kind.experiments().into_iter().enumerate() {
            let field = || match after.kind {
                GroupKind::Exclusion(_) => format!("members[{at}].test_id"),
                GroupKind::Holdout { .. } => format!("scope.tests[{at}]"),
            };
            if !found.iter().any(|experiment| experiment.id == id) {
                problems.add(field(), "must be the id of an experiment of this project");
            } else if let Some(other) = others.iter().find(|other| is_exclusion(after) && is_exclusion_of(other, id)) {
                problems.add(
                    field(),
                    format!("is in the exclusion group {} ({}); remove it there first", other.id, other.name),
                );
            }
        }
        Ok(problems.none_or(found)?)
    }

    /// Changes the group places of those experiments that visitors get, each with its history and its
    /// epoch. `after` is the stored group, and `None` once it is deleted. Returns a sentence for each
    /// experiment whose visitors move.
    async fn store_places(
        &self,
        tx: &mut dyn Tx,
        concerned: Vec<Experiment>,
        after: Option<&Group>,
        id: GroupId,
    ) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        let rules = match self.actor {
            Actor::System(_) => ApprovalRules::default(),
            Actor::Key(_) | Actor::Person(_) => tenants::approval_rules(tx, self.project).await?,
        };
        let mut guarded = None;
        for before in concerned {
            let places = match after {
                Some(group) => before.groups.with(group, before.id),
                None => before.groups.without(id),
            };
            if places != before.groups && rules.guard(&before) {
                guarded.get_or_insert(before.id);
            }
            if !before.is_delivered() {
                continue;
            }
            let next = Experiment { groups: places, ..before.clone() };
            let Some(revision) = Revision::between(&before, next, self.now) else { continue };
            warnings.push(sentence(&before, &revision.experiment));
            let by = self.actor.reference();
            let act = experiments::Act { actor: self.actor.name(), by: &by, action: "exclusion group", detail: None };
            experiments::update(tx, &before, &revision, &act).await?;
            let change = (&before, &revision.experiment);
            audit_change(tx, &self.actor, self.now, "exclusion group", change, Map::new()).await?;
        }
        if let Some(id) = guarded {
            let message = format!(
                "this changes which visitors get experiment {id}, so a second person has to approve it, but groups \
                 cannot be proposed: end the experiment or remove its start date first, or let an admin turn \
                 approve_live off meanwhile"
            );
            return Err(Error::conflict(ConflictCode::ApprovalNeeded, message));
        }
        if !warnings.is_empty() && !self.accept_moves {
            let message =
                format!("this moves visitors: {}. Send \"accept_moves\": true to do it anyway", warnings.join("; "));
            return Err(Error::conflict(ConflictCode::MovesVisitors, message));
        }
        if !warnings.is_empty() {
            delivery::announce(tx, self.project).await?;
        }
        Ok(warnings)
    }
}

fn is_exclusion(group: &Group) -> bool {
    matches!(group.kind, GroupKind::Exclusion(_))
}

fn is_exclusion_of(group: &Group, id: ExperimentId) -> bool {
    is_exclusion(group) && group.kind.experiments().contains(&id)
}

/// Describes which visitors a change of groups moves.
fn sentence(before: &Experiment, after: &Experiment) -> String {
    let moved = before.groups.moved_to(&after.groups);
    let (who, enter) = if before.lifecycle.is_live() {
        ("the live experiment", "enter it")
    } else {
        ("the served winner of experiment", "get it")
    };
    let mut parts = Vec::new();
    // Where visitors are only exchanged, both shares are above 0.
    if moved.leaving > 0.0 || moved.joining <= 0.0 {
        parts.push(format!("{} percent of all visitors can no longer {enter}", rounded(moved.leaving)));
    }
    if moved.joining > 0.0 {
        parts.push(format!("{} percent can {enter} who could not before", rounded(moved.joining)));
    }
    format!("{who} {} ({}): {}", before.id, before.name, parts.join(", and "))
}

/// Rounds to at most two decimals.
fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
