//! Visits and orders that a result does not count.

use crate::inquiry::Inquiry;
use muriel_domain::exclusion::{Exclusion, ExclusionKind};
use muriel_domain::page_origins::PageOrigins;
use muriel_domain::project::ProjectSettings;
use muriel_domain::trust::TrustPolicy;
use muriel_domain::{Flaw, Instant};
use muriel_store::exclusions::StoredExclusion;
use muriel_warehouse::{ExcludedBy, Exclusion as ExcludedVisits, hash_of};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Visitors and orders that count, by who sent them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyFacts {
    /// Exposures that count.
    pub visitors: TrustPolicy,
    /// Orders and refunds that count.
    pub orders: TrustPolicy,
    /// Origins of the pages whose exposures count; all if there are none.
    #[serde(default, skip_serializing_if = "PageOrigins::is_all")]
    pub page_origins: PageOrigins,
}

impl PolicyFacts {
    /// The policy of a project.
    pub(crate) fn of(settings: &ProjectSettings) -> Self {
        Self { visitors: settings.visitors, orders: settings.orders, page_origins: settings.page_origins.clone() }
    }

    /// The policy of a report on the project.
    pub(crate) fn for_inquiry(&self, inquiry: &Inquiry) -> Self {
        let least = if inquiry.trusted_only { TrustPolicy::Signed } else { TrustPolicy::Any };
        Self {
            visitors: self.visitors.max(least),
            orders: self.orders.max(least),
            page_origins: self.page_origins.clone(),
        }
    }

    pub(super) fn counts_all(&self) -> bool {
        *self == Self::default()
    }
}

/// Visits that a result does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExclusionFacts {
    /// Id of the exclusion.
    pub exclusion_id: i64,
    /// `visitor`, `network`, `origin`, `user_agent`, `source` or `time`.
    pub kind: String,
    /// Value of the property, of a visitor or a network only a hash; null for all visits of the period.
    pub value: Option<String>,
    /// Only visits at or after this time.
    pub from: Option<Instant>,
    /// Only visits before this time.
    pub to: Option<Instant>,
}

impl ExclusionFacts {
    pub(crate) fn of(stored: &StoredExclusion) -> Self {
        let Exclusion { kind, value, from, until, reason: _ } = &stored.exclusion;
        let value = value.as_deref().map(|value| match kind {
            ExclusionKind::Visitor => hash_of(value),
            ExclusionKind::Network if value.parse::<IpAddr>().is_ok() => hash_of(value),
            _ => value.to_owned(),
        });
        let (from, to) = (from.map(Instant::to_ms), until.map(Instant::to_ms));
        Self { exclusion_id: stored.id.0, kind: kind.word().to_owned(), value, from, to }
    }

    pub(super) fn excluded(&self) -> Result<ExcludedVisits, Flaw> {
        let by = excluded_by(&self.kind, self.value.clone().unwrap_or_default())?;
        Ok(ExcludedVisits { by, from: self.from, until: self.to })
    }
}

/// Parses a property by its kind of exclusion.
pub(super) fn excluded_by(kind: &str, value: String) -> Result<ExcludedBy, Flaw> {
    let known = ExclusionKind::parse(kind);
    Ok(match known.ok_or_else(|| Flaw::new(format!("has an exclusion of an unknown kind {kind:?}")))? {
        ExclusionKind::Visitor => ExcludedBy::Visitor(value),
        ExclusionKind::Network => ExcludedBy::Network(value),
        ExclusionKind::Origin => ExcludedBy::Origin(value),
        ExclusionKind::UserAgent => ExcludedBy::UserAgent(value.split(' ').map(str::to_owned).collect()),
        ExclusionKind::Source => ExcludedBy::Source(value),
        ExclusionKind::Time => ExcludedBy::Time,
    })
}
