//! Links with which somebody reads a result without signing in.

use super::ActorView;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_results::{Inquiry, Phase};
use muriel_service::actors::Names;
use muriel_service::shares::KnownShare;
use serde::Serialize;
use utoipa::ToSchema;

/// The links to an experiment's result.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareList {
    /// Always true.
    pub(crate) success: bool,
    /// Newest first, at most 200. Those that have ended are kept for a while.
    pub(crate) shares: Vec<Share>,
}

/// A link to a result.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Share {
    /// Identifies it. It opens nothing.
    share_id: i64,
    /// Whether it works.
    #[schema(value_type = schemas::ShareState)]
    state: &'static str,
    /// Which visitors the result is about.
    query: ShareQuery,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
    /// By whom.
    created_by: ActorView,
    /// From when on it does not work.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Instant,
    /// The hour in which it was last opened; null if never. Who opened it is not kept.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    opened_at: Option<Instant>,
    /// When it was revoked.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    revoked_at: Option<Instant>,
    /// By whom.
    #[schema(required)]
    revoked_by: Option<ActorView>,
}

/// A link was made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareCreated {
    /// Always true.
    pub(crate) success: bool,
    /// What was made.
    pub(crate) share: Share,
    /// The link. Whoever has it reads the result; it is not stored and not told again.
    #[schema(example = "https://muriel.example/share/q7J2m…")]
    pub(crate) url: String,
}

/// A link was revoked.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareRevoked {
    /// Always true.
    pub(crate) success: bool,
    /// Which one.
    pub(crate) share_id: i64,
}

/// Which visitors a result is about: what the parameters of a result are called.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareQuery {
    /// Visitors who entered on this day or later.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// Visitors who entered, and what they did, until the end of this day.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Where days begin.
    tz: String,
    /// The goal at the top; null for the primary one.
    #[schema(required)]
    goal_key: Option<String>,
    /// Words separated by commas that all hold; null for all visitors.
    #[schema(required, example = "mobile,country-DE")]
    filter_by: Option<String>,
    /// The attribute that the result is cut by.
    #[schema(required)]
    breakdown_by: Option<String>,
    /// Visitors who entered in this epoch; null for all.
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
    /// The share as it is at the moment `now`.
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
