//! Bodies about links with which somebody reads a result without signing in.

use utoipa::ToSchema;

/// A link to make.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareBody {
    /// Days for which it works.
    #[schema(nullable = false, minimum = 1, maximum = 365, default = 30)]
    expires_in_days: Option<i64>,
    /// Which visitors the result is about; all of them unless given.
    #[schema(nullable = false)]
    query: Option<ShareQueryBody>,
}

/// Which visitors a result is about: the parameters of a result, as members of an object. Null is like one that is left out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareQueryBody {
    /// Visitors who entered on this day or later.
    #[schema(format = Date)]
    start_date: Option<String>,
    /// Visitors who entered, and what they did, until the end of this day.
    #[schema(format = Date)]
    end_date: Option<String>,
    /// Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default.
    tz: Option<String>,
    /// The goal to report; the primary one by default.
    goal_key: Option<String>,
    /// Of `mobile desktop tablet new returning paid search direct country-XX`, separated by commas.
    #[schema(example = "mobile,country-DE")]
    filter_by: Option<String>,
    /// One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`.
    breakdown_by: Option<String>,
    /// Visitors who entered in this epoch.
    #[schema(minimum = 1)]
    epoch: Option<i64>,
    /// `pre_deploy` (default), `post_deploy` or `all_time`.
    report_phase: Option<String>,
}
