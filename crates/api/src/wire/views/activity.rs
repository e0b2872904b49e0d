//! Goal activity and script installation in responses.

use crate::wire::experiment::status_code;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::experiment::Status;
use muriel_domain::time::DAY_US;
use muriel_service::goals;
use muriel_service::install::Installation;
use serde::Serialize;
use utoipa::ToSchema;

/// Activity of a goal in the last days.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalActivity {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the goal.
    pub(crate) goal_profile_id: i64,
    /// Key of the goal.
    pub(crate) goal_key: String,
    /// Days in UTC, earliest first. The last one is today, which is not complete.
    pub(crate) days: Vec<GoalDay>,
    /// Time of the last match within those days; null if there was none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_seen: Option<Instant>,
    /// Experiments that report it, lowest id first.
    pub(crate) tests: Vec<GoalTest>,
}

/// A day of a goal.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalDay {
    /// YYYY-MM-DD, in UTC.
    #[schema(format = Date)]
    pub(crate) date: String,
    /// Number of matching events, without bots.
    pub(crate) matches: i64,
    /// Number of visitors with a matching event.
    pub(crate) visitors: i64,
}

/// An experiment that reports a goal.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalTest {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Display name.
    pub(crate) test_name: String,
    /// 9 draft, 1 live, 0 inactive.
    #[schema(value_type = schemas::StatusCode)]
    pub(crate) status: u8,
    /// Role of the goal in the experiment.
    #[schema(value_type = schemas::GoalRole)]
    pub(crate) role: &'static str,
}

/// Installation of a project's script on its pages.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Install {
    /// Always true.
    pub(crate) success: bool,
    /// Key of the project.
    pub(crate) project_key: String,
    /// Lines for the head of every page, with the server's address as in this request.
    pub(crate) snippet: String,
    /// Same as `snippet`, for pages that must not wait for the script.
    pub(crate) async_snippet: String,
    /// Time at which the script was last fetched; null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_script_fetch: Option<Instant>,
    /// Time at which the last event of a page arrived; null if none has in the last seven days.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_event: Option<Instant>,
    /// Pages that sent events in the last seven days, most recent first; at most 50.
    pub(crate) pages: Vec<InstalledPage>,
    /// True when the server knows visitors' countries from their addresses. Otherwise no visitor of a page matches a
    /// rule that names countries, regions or cities.
    pub(crate) knows_places: bool,
    /// True when it knows their regions and cities too.
    pub(crate) knows_regions: bool,
}

/// A page with the script on it.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstalledPage {
    /// URL without query and fragment.
    pub(crate) url: String,
    /// Time at which its last event arrived.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) last_seen: Instant,
}

impl From<goals::GoalActivity> for GoalActivity {
    fn from(activity: goals::GoalActivity) -> Self {
        let day = |(day, matches, visitors): (i64, u64, u64)| GoalDay {
            date: Instant::from_us(day * DAY_US).to_string().chars().take(10).collect(),
            matches: i64::try_from(matches).unwrap_or(i64::MAX),
            visitors: i64::try_from(visitors).unwrap_or(i64::MAX),
        };
        let status = |word: &str| match word {
            "live" => Status::Live,
            "draft" => Status::Draft,
            _ => Status::Inactive,
        };
        Self {
            success: true,
            goal_profile_id: activity.goal.id.0,
            goal_key: activity.goal.key,
            days: activity.days.into_iter().map(day).collect(),
            last_seen: activity.last_seen,
            tests: activity
                .uses
                .into_iter()
                .map(|one| GoalTest {
                    test_id: one.experiment.0,
                    test_name: one.name,
                    status: status_code(status(&one.status)),
                    role: if one.is_primary { "primary" } else { "secondary" },
                })
                .collect(),
        }
    }
}

impl Install {
    /// Builds the response for the project with this key.
    pub(crate) fn new(found: Installation, project_key: &str) -> Self {
        let pages = found.pages.into_iter().map(|page| InstalledPage { url: page.url, last_seen: page.last_seen });
        Self {
            success: true,
            project_key: project_key.to_owned(),
            snippet: found.snippet,
            async_snippet: found.async_snippet,
            last_script_fetch: found.last_script_fetch,
            last_event: found.last_event,
            pages: pages.collect(),
            knows_places: found.knows_places,
            knows_regions: found.knows_regions,
        }
    }
}
