//! How a goal did in the last days.

use super::NOT_FOUND;
use crate::app::App;
use crate::error::Result;
use crate::results::{cache, report_error};
use muriel_domain::Instant;
use muriel_domain::goal::{Goal, Trigger};
use muriel_domain::ids::GoalId;
use muriel_domain::time::DAY_US;
use muriel_store::goals::{self, GoalUse};
use muriel_store::tenants::Project;
use muriel_warehouse::{ActivityAnswer, ActivityQuestion};

/// A goal with its last days.
#[derive(Debug, Clone)]
pub struct GoalActivity {
    /// The goal.
    pub goal: Goal,
    /// Each of the days: its number since 1970 in UTC, events that matched, and visitors whom they are of. The earliest first.
    pub days: Vec<(i64, u64, u64)>,
    /// When it was matched last within them.
    pub last_seen: Option<Instant>,
    /// The experiments that report it, lowest id first.
    pub uses: Vec<GoalUse>,
}

/// How a goal did in the last `days`, today among them.
///
/// # Errors
/// `NotFound`; `Unavailable` and `NotYet` while no events can be looked at; and when the database cannot be reached.
pub async fn activity(app: &App, project: &Project, id: GoalId, days: i64) -> Result<GoalActivity> {
    let project_id = project.id;
    let (goal, uses) = app
        .read(move |tx| {
            Box::pin(async move {
                let goal = goals::find(tx, project_id, id).await?.ok_or(NOT_FOUND)?;
                Ok((goal, goals::uses(tx, id).await?))
            })
        })
        .await?;
    let today = app.clock.now().us().div_euclid(DAY_US);
    let first = today - days + 1;
    let from = Instant::from_us(first * DAY_US);
    let answer = matches(app, project, &goal.definition.trigger, from).await?;
    let of = |day: i64| answer.days.iter().find(|found| found.day == day);
    let days = (first..=today).map(|day| of(day).map_or((day, 0, 0), |found| (day, found.matches, found.visitors)));
    Ok(GoalActivity { days: days.collect(), last_seen: answer.last_at, uses, goal })
}

/// The events that match since then, by day.
pub(crate) async fn matches(app: &App, project: &Project, trigger: &Trigger, from: Instant) -> Result<ActivityAnswer> {
    let question = ActivityQuestion {
        project_key: project.key.as_str().into(),
        from,
        // Clocks of visitors may be ahead.
        until: Instant::from_us((app.clock.now().us().div_euclid(DAY_US) + 1) * DAY_US),
        trigger: trigger.clone(),
    };
    cache(app)?.activity(question).await.map_err(report_error)
}
