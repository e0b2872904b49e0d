//! Recent activity of a goal.

use super::NOT_FOUND;
use crate::app::App;
use crate::report_error::report_error;
use crate::results::cache;
use muriel_context::error::Result;
use muriel_domain::Instant;
use muriel_domain::goal::{Goal, Trigger};
use muriel_domain::ids::GoalId;
use muriel_domain::time::DAY_US;
use muriel_store::goals::{self, GoalUse};
use muriel_store::tenants::Project;
use muriel_warehouse::{ActivityAnswer, ActivityQuestion};

/// A goal with its activity by day.
#[derive(Debug, Clone)]
pub struct GoalActivity {
    /// The goal.
    pub goal: Goal,
    /// One entry per day, earliest first: days since 1970 in UTC, number of matching events, number of
    /// visitors who sent them.
    pub days: Vec<(i64, u64, u64)>,
    /// Time of the last match within these days.
    pub last_seen: Option<Instant>,
    /// Experiments that report the goal, lowest id first.
    pub uses: Vec<GoalUse>,
}

/// Returns the activity of a goal in the last `days`, including today.
///
/// # Errors
/// `NotFound`; `Unavailable` and `NotYet` while events cannot be queried; and when the database cannot be reached.
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

/// Returns the events that match since `from`, by day.
pub(crate) async fn matches(app: &App, project: &Project, trigger: &Trigger, from: Instant) -> Result<ActivityAnswer> {
    let question = ActivityQuestion {
        project_key: project.key.as_str().into(),
        from,
        // Visitors' clocks may be ahead.
        until: Instant::from_us((app.clock.now().us().div_euclid(DAY_US) + 1) * DAY_US),
        trigger: trigger.clone(),
    };
    cache(app)?.activity(question).await.map_err(report_error)
}
