//! Stores experiments, hypotheses, goals, projects, people and keys.
//!
//! Each query or change is one function. It takes a transaction that its caller opened
//! and returns domain values. Everything of a tenant is read together with the tenant:
//! no function reads an experiment, a hypothesis or a goal by its id alone.

pub mod audit;
pub mod backlog;
mod codec;
pub mod comments;
pub mod conclusions;
pub mod delivery;
mod error;
pub mod exclusions;
pub mod experiments;
pub mod goals;
pub mod groups;
pub mod hypotheses;
pub mod idempotency;
pub mod inbox;
pub mod integrations;
pub mod interactions;
pub mod invitations;
pub mod jobs;
pub mod keys;
mod milestones;
pub mod nodes;
pub mod notifications;
pub mod object_history;
pub mod overview;
mod overview_rows;
pub mod passkeys;
pub mod people;
pub mod plan_locks;
pub mod previews;
pub mod programme;
pub mod proposals;
mod schedules;
pub mod sessions;
pub mod settings;
pub mod shares;
mod slugs;
mod table;
pub mod tenants;
#[doc(hidden)]
pub mod testing;
pub mod visitor_jobs;
pub mod watches;
pub mod webhooks;

pub use error::{Error, Result};

use muriel_domain::ids::ProjectId;
use muriel_sql::{Db, Lock, LockName, Migration, Tx};

/// The schema's history, oldest first.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "control plane",
        sql: include_str!("../migrations/0001_control_plane.sql"),
        fill: None,
    },
    Migration { version: 2, name: "allocation", sql: include_str!("../migrations/0002_allocation.sql"), fill: None },
    Migration {
        version: 3,
        name: "page settings",
        sql: include_str!("../migrations/0003_page_settings.sql"),
        fill: None,
    },
    Migration { version: 4, name: "nodes", sql: include_str!("../migrations/0004_nodes.sql"), fill: None },
    Migration { version: 5, name: "past start", sql: include_str!("../migrations/0005_past_start.sql"), fill: None },
    Migration {
        version: 6,
        name: "order limits",
        sql: include_str!("../migrations/0006_order_limits.sql"),
        fill: None,
    },
    Migration {
        version: 7,
        name: "currency rates",
        sql: include_str!("../migrations/0007_currency_rates.sql"),
        fill: None,
    },
    Migration {
        version: 8,
        name: "rates changed",
        sql: include_str!("../migrations/0008_rates_changed.sql"),
        fill: None,
    },
    Migration {
        version: 9,
        name: "milestones",
        sql: include_str!("../migrations/0009_milestones.sql"),
        fill: Some(|tx| Box::pin(milestones::fill(tx))),
    },
    Migration {
        version: 10,
        name: "jobs",
        sql: include_str!("../migrations/0010_jobs.sql"),
        fill: Some(|tx| Box::pin(schedules::fill(tx))),
    },
    Migration {
        version: 11,
        name: "bandits and autopilot",
        sql: include_str!("../migrations/0011_steering.sql"),
        fill: None,
    },
    Migration { version: 12, name: "groups", sql: include_str!("../migrations/0012_groups.sql"), fill: None },
    Migration { version: 13, name: "webhooks", sql: include_str!("../migrations/0013_webhooks.sql"), fill: None },
    Migration {
        version: 14,
        name: "holdout_since",
        sql: include_str!("../migrations/0014_holdout_since.sql"),
        fill: None,
    },
    Migration {
        version: 15,
        name: "result_findings",
        sql: include_str!("../migrations/0015_result_findings.sql"),
        fill: None,
    },
    Migration {
        version: 16,
        name: "interactions",
        sql: include_str!("../migrations/0016_interactions.sql"),
        fill: None,
    },
    Migration {
        version: 17,
        name: "visitor data",
        sql: include_str!("../migrations/0017_visitor_data.sql"),
        fill: None,
    },
    Migration {
        version: 18,
        name: "hypothesis slugs",
        sql: include_str!("../migrations/0018_hypothesis_slugs.sql"),
        fill: Some(|tx| Box::pin(slugs::fill(tx))),
    },
    Migration {
        version: 19,
        name: "integrations",
        sql: include_str!("../migrations/0019_integrations.sql"),
        fill: None,
    },
    Migration { version: 20, name: "people", sql: include_str!("../migrations/0020_people.sql"), fill: None },
    Migration {
        version: 21,
        name: "dashboard",
        sql: include_str!("../migrations/0021_dashboard.sql"),
        fill: Some(|tx| Box::pin(overview_rows::fill(tx))),
    },
    Migration { version: 22, name: "plan lock", sql: include_str!("../migrations/0022_plan_lock.sql"), fill: None },
    Migration {
        version: 23,
        name: "programme",
        sql: include_str!("../migrations/0023_programme.sql"),
        fill: Some(|tx| Box::pin(programme::fill(tx))),
    },
    Migration { version: 24, name: "shares", sql: include_str!("../migrations/0024_shares.sql"), fill: None },
    Migration { version: 25, name: "inbox", sql: include_str!("../migrations/0025_inbox.sql"), fill: None },
    Migration { version: 26, name: "page harm", sql: include_str!("../migrations/0026_page_harm.sql"), fill: None },
    Migration {
        version: 27,
        name: "follow-up hypotheses",
        sql: include_str!("../migrations/0027_follow_up.sql"),
        fill: None,
    },
    Migration { version: 28, name: "key makers", sql: include_str!("../migrations/0028_key_makers.sql"), fill: None },
    Migration { version: 29, name: "inviters", sql: include_str!("../migrations/0029_inviters.sql"), fill: None },
    Migration {
        version: 30,
        name: "webhook slots",
        sql: include_str!("../migrations/0030_webhook_slots.sql"),
        fill: None,
    },
    Migration {
        version: 31,
        name: "project settings",
        sql: include_str!("../migrations/0031_project_settings.sql"),
        fill: Some(|tx| Box::pin(tenants::fill_settings(tx))),
    },
    Migration {
        version: 32,
        name: "project settings only",
        sql: include_str!("../migrations/0032_project_settings_only.sql"),
        fill: None,
    },
    Migration { version: 33, name: "exclusions", sql: include_str!("../migrations/0033_exclusions.sql"), fill: None },
];

/// Migrates the schema to the newest version.
///
/// # Errors
/// A database newer than this program, or one that cannot be reached.
pub async fn migrate(db: &Db) -> Result<()> {
    Ok(db.migrate(MIGRATIONS).await?)
}

/// Kinds of named lock.
const PROJECT_LOCK: i32 = 1;
const EXPERIMENT_LOCK: i32 = 2;
const NODE_LOCK: i32 = 3;
const LEADER_LOCK: i32 = 4;
const AUDIT_LOCK: i32 = 5;
const PEOPLE_LOCK: i32 = 6;

/// Locks the people of a company for changes, or, with `None`, the choice of the first
/// owner. Waits for other transactions that hold the lock.
///
/// # Errors
/// When the database cannot be reached or the wait is too long.
pub async fn lock_people(tx: &mut dyn Tx, company: Option<muriel_domain::ids::CompanyId>) -> Result<()> {
    let id = company.map_or(0, |company| company.0);
    Ok(tx.lock(Lock::Exclusive(LockName { kind: PEOPLE_LOCK, id })).await?)
}

/// Kind of change that a transaction makes in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// Changes one experiment, and relies on the goals and hypotheses that it names to
    /// stay. Changes of different experiments run at the same time.
    ChangeExperiment(muriel_domain::ids::ExperimentId),
    /// Creates or removes an object whose name or absence others rely on. Excludes all
    /// other changes of the project.
    Reshape,
}

/// Locks what `intent` relies on. Waits for other transactions that change it.
///
/// # Errors
/// When the database cannot be reached or the wait is too long.
pub async fn lock(tx: &mut dyn Tx, project: ProjectId, intent: Intent) -> Result<()> {
    let name = LockName { kind: PROJECT_LOCK, id: project.0 };
    match intent {
        Intent::Reshape => tx.lock(Lock::Exclusive(name)).await?,
        Intent::ChangeExperiment(id) => {
            tx.lock(Lock::Shared(name)).await?;
            tx.lock(Lock::Exclusive(LockName { kind: EXPERIMENT_LOCK, id: id.0 })).await?;
        }
    }
    Ok(())
}
