//! Exclusion groups and holdouts.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::goals;
use crate::table::table;
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::goal::Goal;
use muriel_domain::group::{Group, GroupKind, GroupMember, GroupPlaces, GroupSlot, HoldoutScope};
use muriel_domain::ids::{ExperimentId, GoalId, GroupId, ProjectId};
use muriel_sql::{Row, Tx, params};
use std::collections::HashMap;
use std::sync::LazyLock;

table! {
    /// A group without the experiments that it names.
    struct GroupRow of "exclusion_group" {
        generated { group_id: i64 }
        key {}
        fixed {
            project_id: i64,
            kind: String,
            created_at: Instant,
        }
        changing {
            name: String,
            held_out: Option<i64>,
            held_since: Option<Instant>,
            of_project: bool,
        }
    }
}

impl GroupRow {
    fn of(project: ProjectId, group: &Group) -> Self {
        let (held_out, held_since, of_project) = match &group.kind {
            GroupKind::Exclusion(_) => (None, None, false),
            GroupKind::Holdout { held_out, scope, since } => {
                (Some(i64::from(*held_out)), Some(*since), *scope == HoldoutScope::Project)
            }
        };
        Self {
            group_id: group.id.0,
            project_id: project.0,
            kind: group.kind.word().to_owned(),
            created_at: group.created_at,
            name: group.name.clone(),
            held_out,
            held_since,
            of_project,
        }
    }

    /// The group with the experiments that it names.
    fn group(self, members: Vec<GroupMember>) -> Result<Group> {
        let kind = match (self.kind.as_str(), self.held_out.map(u32::try_from)) {
            ("exclusion", None) => GroupKind::Exclusion(members),
            ("holdout", Some(Ok(held_out))) => {
                let named = || members.iter().map(|member| member.experiment).collect();
                let scope = if self.of_project { HoldoutScope::Project } else { HoldoutScope::Experiments(named()) };
                // Earlier releases did not store it.
                GroupKind::Holdout { held_out, scope, since: self.held_since.unwrap_or(self.created_at) }
            }
            _ => return Err(self.damaged("kind", "a kind that fits held_out")),
        };
        Ok(Group { id: GroupId(self.group_id), name: self.name, kind, created_at: self.created_at })
    }
}

table! {
    /// An experiment that a group names.
    struct MemberRow of "exclusion_group_member" {
        generated {}
        key { group_id: i64, experiment_id: i64 }
        fixed {
            slot_from: i64,
            slot_to: i64,
        }
        changing {}
    }
}

impl TryFrom<MemberRow> for GroupMember {
    type Error = Error;

    fn try_from(row: MemberRow) -> Result<Self> {
        match (u32::try_from(row.slot_from), u32::try_from(row.slot_to)) {
            (Ok(from), Ok(to)) => Ok(GroupMember { experiment: ExperimentId(row.experiment_id), from, to }),
            _ => Err(row.damaged("slot_from", "the beginning of a slot")),
        }
    }
}

/// The project's groups, oldest first.
pub async fn list(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<Group>> {
    static GROUPS: LazyLock<String> = LazyLock::new(|| {
        let columns = GroupRow::columns("g");
        format!(
            "SELECT {columns} FROM exclusion_group g WHERE g.project_id = $1 AND g.deleted_at IS NULL ORDER BY g.group_id"
        )
    });
    static MEMBERS: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM exclusion_group_member m \
             JOIN exclusion_group g ON g.group_id = m.group_id AND g.deleted_at IS NULL \
             WHERE g.project_id = $1 ORDER BY m.group_id, m.slot_from, m.experiment_id",
            MemberRow::columns("m")
        )
    });
    let mut members: HashMap<i64, Vec<GroupMember>> = HashMap::new();
    for mut row in tx.query(&MEMBERS, params![project.0]).await? {
        let row = MemberRow::try_from(&mut row)?;
        members.entry(row.group_id).or_default().push(row.try_into()?);
    }
    let rows = tx.query(&GROUPS, params![project.0]).await?;
    rows.into_iter()
        .map(|mut row: Row| {
            let row = GroupRow::try_from(&mut row)?;
            let named = members.remove(&row.group_id).unwrap_or_default();
            row.group(named)
        })
        .collect()
}

/// Stores a new group and returns its id.
pub async fn insert(tx: &mut dyn Tx, project: ProjectId, group: &Group) -> Result<GroupId> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING group_id", GroupRow::insert_sql()));
    let stored = tx.query_one(&STATEMENT, GroupRow::of(project, group).insert_values()).await?;
    let id = GroupId(stored.int("group_id")?);
    members_insert(tx, id, group).await?;
    Ok(id)
}

/// Stores the changed group.
pub async fn update(tx: &mut dyn Tx, project: ProjectId, group: &Group) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let (set, id) = (GroupRow::assignments(), GroupRow::next_place());
        format!("UPDATE exclusion_group SET {set} WHERE group_id = ${id}")
    });
    let mut values = GroupRow::of(project, group).changing_values();
    values.extend(params![group.id.0]);
    tx.execute(&STATEMENT, values).await?;
    members_delete(tx, group.id).await?;
    members_insert(tx, group.id, group).await
}

/// Marks a group as deleted: no query returns it any more. Its experiments get all visitors again.
pub async fn delete(tx: &mut dyn Tx, id: GroupId, now: Instant) -> Result<()> {
    tx.execute("UPDATE exclusion_group SET deleted_at = $2 WHERE group_id = $1", params![id.0, now.us()]).await?;
    members_delete(tx, id).await
}

async fn members_delete(tx: &mut dyn Tx, id: GroupId) -> Result<()> {
    tx.execute("DELETE FROM exclusion_group_member WHERE group_id = $1", params![id.0]).await?;
    Ok(())
}

async fn members_insert(tx: &mut dyn Tx, id: GroupId, group: &Group) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(MemberRow::insert_sql);
    let members = match &group.kind {
        GroupKind::Exclusion(members) => members.clone(),
        GroupKind::Holdout { .. } => {
            let named = group.kind.experiments().into_iter();
            named.map(|experiment| GroupMember { experiment, from: 0, to: 0 }).collect()
        }
    };
    for member in members {
        let row = MemberRow {
            group_id: id.0,
            experiment_id: member.experiment.0,
            slot_from: i64::from(member.from),
            slot_to: i64::from(member.to),
        };
        tx.execute(&STATEMENT, row.insert_values()).await?;
    }
    Ok(())
}

/// Removes an experiment from every group and frees its slots.
pub(crate) async fn leave(tx: &mut dyn Tx, id: ExperimentId) -> Result<()> {
    tx.execute("DELETE FROM exclusion_group_member WHERE experiment_id = $1", params![id.0]).await?;
    Ok(())
}

/// Most frequent primary goal among a holdout's experiments that ever started; the oldest goal where several are
/// equally frequent.
pub async fn usual_goal(tx: &mut dyn Tx, project: ProjectId, group: GroupId) -> Result<Option<Goal>> {
    let usual = tx
        .query_opt(
            "SELECT eg.goal_id FROM exclusion_group h \
             JOIN experiment e ON e.project_id = h.project_id AND e.deleted_at IS NULL AND e.first_started_at IS NOT NULL \
             JOIN experiment_goal eg ON eg.experiment_id = e.experiment_id AND eg.role = 'primary' \
             JOIN goal g ON g.goal_id = eg.goal_id AND g.deleted_at IS NULL \
             WHERE h.project_id = $1 AND h.group_id = $2 \
               AND (h.of_project = 1 OR EXISTS ( \
                 SELECT 1 FROM exclusion_group_member m \
                 WHERE m.group_id = h.group_id AND m.experiment_id = e.experiment_id)) \
             GROUP BY eg.goal_id ORDER BY count(*) DESC, eg.goal_id LIMIT 1",
            params![project.0, group.0],
        )
        .await?;
    match usual {
        Some(row) => goals::find(tx, project, GoalId(row.int("goal_id")?)).await,
        None => Ok(None),
    }
}

/// Slots of the exclusion group and the holdouts that restrict which visitors an experiment gets.
pub(crate) async fn places(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<GroupPlaces> {
    let rows = tx
        .query(
            "SELECT g.group_id, g.held_out, m.slot_from, m.slot_to FROM exclusion_group g \
             LEFT JOIN exclusion_group_member m ON m.group_id = g.group_id AND m.experiment_id = $2 \
             WHERE g.project_id = $1 AND g.deleted_at IS NULL AND (m.experiment_id IS NOT NULL OR g.of_project = 1) \
             ORDER BY g.group_id",
            params![project.0, id.0],
        )
        .await?;
    let mut places = GroupPlaces::default();
    for row in rows {
        let bound = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok()).unwrap_or(0);
        let group_id = GroupId(row.int("group_id")?);
        match row.opt_int("held_out")? {
            Some(held_out) => places.holdouts.push(GroupSlot { group_id, from: 0, to: bound(Some(held_out)) }),
            None => {
                let (from, to) = (bound(row.opt_int("slot_from")?), bound(row.opt_int("slot_to")?));
                places.exclusion = Some(GroupSlot { group_id, from, to });
            }
        }
    }
    Ok(places)
}
