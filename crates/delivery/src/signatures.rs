//! Signatures of visitors' ids.
//!
//! Anybody can invent a visitor. So the answer to a visitor's first events has a signature of the id, which pages send
//! from then on. Each network gets a limited number per hour, so that many signed visitors need many networks or much
//! time.

use muriel_context::api_key::Pepper;
use muriel_domain::Instant;
use muriel_domain::ids::ProjectId;
use quick_cache::sync::Cache;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Signatures that a network gets per project and hour. The visitors of an office or of a mobile carrier share one.
pub const SIGNATURES_PER_HOUR: u32 = 100;
/// Networks whose signatures are counted, over all projects. Those that were seen last are kept.
const NETWORKS: usize = 100_000;
const HOUR_US: i64 = 3_600_000_000;
/// Bytes of a signature: enough that nobody guesses one, few enough for every request.
const BYTES: usize = 12;

/// Result for the visitor of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signing {
    /// The request has the visitor's signature.
    Verified,
    /// The visitor gets this signature with the answer.
    Issued(String),
    /// The network has got its signatures of this hour.
    Exhausted,
}

/// Counts the signatures of each network.
pub struct Signatures {
    /// The hour and the number of signatures in it, in the upper and the lower half.
    issued: Cache<(i64, IpAddr), Arc<AtomicU64>>,
}

impl Default for Signatures {
    fn default() -> Self {
        Self { issued: Cache::new(NETWORKS) }
    }
}

impl Signatures {
    /// Checks the signature that was sent for a visitor, or issues one. `network` is the part of the address that may
    /// be stored.
    pub fn of(
        &self,
        pepper: &Pepper,
        (project, project_key): (ProjectId, &str),
        (visitor_id, sent): (&str, Option<&str>),
        network: IpAddr,
        now: Instant,
    ) -> Signing {
        let signature = hex(&pepper.sign_visitor(project_key, visitor_id)[..BYTES]);
        match sent {
            // Any sender of this id is given the signature, so the time of the comparison reveals nothing.
            Some(sent) if sent == signature => Signing::Verified,
            _ if self.take(project, network, now) => Signing::Issued(signature),
            _ => Signing::Exhausted,
        }
    }

    fn take(&self, project: ProjectId, network: IpAddr, now: Instant) -> bool {
        let Ok(counter) = self.issued.get_or_insert_with(&(project.0, network), || Ok::<_, Infallible>(Arc::default()));
        let hour = now.us().div_euclid(HOUR_US).unsigned_abs();
        let next = |count: u64| match (count >> 32 == hour, count as u32) {
            (false, _) => Some(hour << 32 | 1),
            (true, issued) if issued < SIGNATURES_PER_HOUR => Some(count + 1),
            (true, _) => None,
        };
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: (ProjectId, &str) = (ProjectId(1), "prj_shop");

    fn issued(signing: Signing) -> String {
        match signing {
            Signing::Issued(signature) => signature,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_signature_is_of_one_visitor_in_one_project() {
        let (pepper, all) = (Pepper::new(&[7; 32]), Signatures::default());
        let network = "192.0.2.0".parse().unwrap();
        let of = |project, visitor, sent: Option<&str>| {
            all.of(&pepper, project, (visitor, sent), network, Instant::from_us(0))
        };
        let first = issued(of(SHOP, "v-1", None));
        assert_eq!(first.len(), 24);
        assert_eq!(of(SHOP, "v-1", Some(&first)), Signing::Verified);
        for (project, visitor) in [((ProjectId(2), "prj_blog"), "v-1"), (SHOP, "v-2")] {
            let other = issued(of(project, visitor, Some(&first)));
            assert_ne!(other, first);
        }
        assert_eq!(issued(of(SHOP, "v-1", Some("0"))), first);
    }

    #[test]
    fn a_network_gets_a_limited_number_per_project_and_hour() {
        let (pepper, all) = (Pepper::new(&[7; 32]), Signatures::default());
        let [home, office] = ["192.0.2.0", "198.51.100.0"].map(|network| network.parse().unwrap());
        let hours = |hours: i64| Instant::from_us(hours * HOUR_US + 5);
        let of = |project, visitor: u32, network, hour| {
            all.of(&pepper, project, (&format!("v-{visitor}"), None), network, hours(hour))
        };
        for visitor in 0..SIGNATURES_PER_HOUR {
            issued(of(SHOP, visitor, home, 10));
        }
        assert_eq!(of(SHOP, 1_000, home, 10), Signing::Exhausted);
        // Others are not affected, and a visitor with a signature needs no other.
        issued(of(SHOP, 1_000, office, 10));
        issued(of((ProjectId(2), "prj_blog"), 1_000, home, 10));
        let first = issued(of(SHOP, 1_001, home, 11));
        assert_eq!(all.of(&pepper, SHOP, ("v-1001", Some(&first)), home, hours(10)), Signing::Verified);
        // A clock that was set back starts another hour.
        issued(of(SHOP, 1_002, home, 9));
    }
}
