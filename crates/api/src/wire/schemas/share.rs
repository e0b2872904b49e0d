//! Bodies about links that show a result without signing in.

use utoipa::ToSchema;

/// A new link.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareBody {
    /// Days for which the link works.
    #[schema(nullable = false, minimum = 1, maximum = 365, default = 30)]
    expires_in_days: Option<i64>,
    /// Visitors and goal of the result. Default: all visitors and the primary goal.
    #[schema(nullable = false)]
    query: Option<ShareQueryBody>,
}

/// Visitors and goal of a result: the parameters of a result, as members of an object. Null equals a missing member.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareQueryBody {
    /// Visitors who entered on this day or later.
    #[schema(format = Date)]
    start_date: Option<String>,
    /// Last day of the result: visitors who entered, and their events, until the end of this day.
    #[schema(format = Date)]
    end_date: Option<String>,
    /// Time zone of days: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default.
    tz: Option<String>,
    /// Key of the goal to report; the primary one by default.
    goal_key: Option<String>,
    /// Filters from `mobile desktop tablet new returning paid search direct country-XX`, separated by commas.
    #[schema(example = "mobile,country-DE")]
    filter_by: Option<String>,
    /// One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`.
    breakdown_by: Option<String>,
    /// Epoch in which the visitors entered.
    #[schema(minimum = 1)]
    epoch: Option<i64>,
    /// `pre_deploy` (default), `post_deploy` or `all_time`.
    report_phase: Option<String>,
}
