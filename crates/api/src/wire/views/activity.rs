//! Whether goals fire, and whether the script is installed.

use crate::wire::experiment::status_code;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::experiment::Status;
use muriel_domain::time::DAY_US;
use muriel_service::goals;
use muriel_service::install::Installation;
use serde::Serialize;
use utoipa::ToSchema;

/// How a goal did in the last days.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalActivity {
    /// Always true.
    pub(crate) success: bool,
    /// The goal.
    pub(crate) goal_profile_id: i64,
    /// Its key.
    pub(crate) goal_key: String,
    /// The last days in UTC, the earliest first; today is the last one and not over.
    pub(crate) days: Vec<GoalDay>,
    /// When it was matched last within those days; null when it was not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_seen: Option<Instant>,
    /// The experiments that report it, lowest id first.
    pub(crate) tests: Vec<GoalTest>,
}

/// A day of a goal.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalDay {
    /// YYYY-MM-DD, in UTC.
    #[schema(format = Date)]
    pub(crate) date: String,
    /// Events that matched, of visitors who are not bots.
    pub(crate) matches: i64,
    /// How many visitors they are of.
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
    /// Whether the goal decides, or is a further one.
    #[schema(value_type = schemas::GoalRole)]
    pub(crate) role: &'static str,
}

/// Whether a project's script is on its pages.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Install {
    /// Always true.
    pub(crate) success: bool,
    /// The project.
    pub(crate) project_key: String,
    /// The lines for the head of every page, with the server as this request has named it.
    pub(crate) snippet: String,
    /// The same, where the script may not hold up the page.
    pub(crate) async_snippet: String,
    /// When the script was last fetched; null when that was never seen.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_script_fetch: Option<Instant>,
    /// When the last event of a page came; null when none was seen.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_event: Option<Instant>,
    /// Pages that sent events lately, the one seen last first; at most 50.
    pub(crate) pages: Vec<InstalledPage>,
    /// Whether the server knows the countries of visitors by their address. Where it does not, no visitor of a page matches a rule
    /// that names countries, regions or cities.
    pub(crate) knows_places: bool,
    /// Whether it knows their regions and cities, too.
    pub(crate) knows_regions: bool,
}

/// A page with the script on it.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstalledPage {
    /// Its address, without query and fragment.
    pub(crate) url: String,
    /// When the last event of it came.
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
    /// What was found of the project with this key.
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
