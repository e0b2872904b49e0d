//! Links that show a result without signing in.

use super::ActorView;
use crate::wire::schemas;
use muriel_context::actors::Names;
use muriel_domain::Instant;
use muriel_results::{Inquiry, Phase};
use muriel_service::shares::KnownShare;
use serde::Serialize;
use utoipa::ToSchema;

/// Links to an experiment's result.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareList {
    /// Always true.
    pub(crate) success: bool,
    /// Newest first, at most 200. Links that have ended are listed for some time.
    pub(crate) shares: Vec<Share>,
}

/// A link to a result.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Share {
    /// Identifies the link. The id does not give access to the result.
    share_id: i64,
    /// State of the link.
    #[schema(value_type = schemas::ShareState)]
    state: &'static str,
    /// Visitors and goal of the result.
    query: ShareQuery,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// Creator of the link.
    created_by: ActorView,
    /// Time at which it expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Instant,
    /// Hour in which it was last opened; null if never. Who opened it is not stored.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    opened_at: Option<Instant>,
    /// Time of revocation; null if it is not revoked.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    revoked_at: Option<Instant>,
    /// Person who revoked it; null if it is not revoked.
    #[schema(required)]
    revoked_by: Option<ActorView>,
}

/// A link was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareCreated {
    /// Always true.
    pub(crate) success: bool,
    /// The new link.
    pub(crate) share: Share,
    /// URL. Everybody who has it can read the result. It is not stored and shown only
    /// this once.
    #[schema(example = "https://muriel.example/share/q7J2m…")]
    pub(crate) url: String,
}

/// A link was revoked.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareRevoked {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the revoked link.
    pub(crate) share_id: i64,
}

/// Visitors and goal of a result, by the names of the parameters of a result.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareQuery {
    /// Visitors who entered on this day or later.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// Last day of the result: visitors who entered, and their events, until the end
    /// of this day.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Time zone of days.
    tz: String,
    /// Key of the goal at the top; null for the primary one.
    #[schema(required)]
    goal_key: Option<String>,
    /// Filters separated by commas, which must all match; null for all visitors.
    #[schema(required, example = "mobile,country-DE")]
    filter_by: Option<String>,
    /// Attribute of the breakdown.
    #[schema(required)]
    breakdown_by: Option<String>,
    /// Epoch in which the visitors entered; null for all.
    #[schema(required)]
    epoch: Option<i64>,
    /// `pre_deploy`, `post_deploy` or `all_time`.
    report_phase: &'static str,
}

impl ShareQuery {
    pub(crate) fn new(inquiry: &Inquiry) -> Self {
        let phase = Phase::WORDS.iter().find(|(_, phase)| *phase == inquiry.report_phase);
        Self {
            start_date: inquiry.start_date.map(|day| day.to_string()),
            end_date: inquiry.end_date.map(|day| day.to_string()),
            tz: inquiry.tz.as_str().to_owned(),
            goal_key: inquiry.goal_key.clone(),
            filter_by: (!inquiry.filter_by.is_empty()).then(|| inquiry.filter_by.join(",")),
            breakdown_by: inquiry.breakdown_by.clone(),
            epoch: inquiry.epoch,
            report_phase: phase.map_or("", |(word, _)| word),
        }
    }
}

impl Share {
    /// Link with its state at the time `now`.
    pub(crate) fn new(known: &KnownShare, names: &Names, now: Instant) -> Self {
        let share = &known.share;
        Self {
            share_id: share.id.0,
            state: match share.revoked_at {
                Some(_) => "revoked",
                None if share.is_open(now) => "open",
                None => "expired",
            },
            query: ShareQuery::new(&known.inquiry),
            created_at: share.created_at,
            created_by: names.get(&share.created_by).into(),
            expires_at: share.expires_at,
            opened_at: known.opened_at,
            revoked_at: share.revoked_at,
            revoked_by: share.revoked_by.as_ref().map(|actor| names.get(actor).into()),
        }
    }
}
