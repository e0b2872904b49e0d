//! The address, the browser and the location of a visitor.
//!
//! In public requests all three come from the connection. A trusted server sends them
//! for its visitors instead. They are needed for decisions on the server, to mark bots,
//! and for stored events; the script determines most of them in the browser.

pub mod address;
pub mod agent;
pub mod geography;

use std::fmt;
use std::net::IpAddr;
use std::sync::OnceLock;

pub use address::TrustedProxies;
pub use agent::{UserAgent, UserAgents};
pub use geography::{GeoLocation, Geography};

/// Lookups of visitor properties.
#[derive(Debug)]
pub struct Visitors {
    /// Parser of `User-Agent` headers.
    pub agents: UserAgents,
    /// Locations of addresses.
    pub geography: Geography,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: TrustedProxies,
}

impl Visitors {
    /// Creates lookups with these settings. The rules for user agents are built on first use.
    pub fn new(geography: Geography, proxies: TrustedProxies) -> Visitors {
        Visitors { agents: UserAgents::new(), geography, proxies }
    }

    /// Returns the origin of a public request from this address. An empty user agent counts as a bot.
    pub fn origin(&self, address: IpAddr, user_agent: &[u8]) -> Origin {
        Origin::new(Some(address), self.agents.parse_bytes(user_agent), self.geography.clone())
    }

    /// Returns the origin of a visitor as a trusted server describes it. Missing data is
    /// unknown: without a user agent, the visitor does not count as a bot.
    pub fn origin_of(&self, address: Option<IpAddr>, user_agent: Option<&str>) -> Origin {
        Origin::new(
            address.map(|address| address.to_canonical()),
            user_agent.map_or_else(UserAgent::default, |text| self.agents.parse(text)),
            self.geography.clone(),
        )
    }
}

impl Default for Visitors {
    /// Uses neither a geographic file nor trusted proxies.
    fn default() -> Visitors {
        Visitors::new(Geography::off(), TrustedProxies::default())
    }
}

/// Origin of a visitor: address, browser and location.
///
/// Has the full address, so it must not outlive the request. Only
/// [`network`](Self::network) may be stored.
#[derive(Clone)]
pub struct Origin {
    /// Address of the visitor. `None` only if a trusted server left it out.
    pub address: Option<IpAddr>,
    /// Browser of the visitor.
    pub agent: UserAgent,
    geography: Geography,
    location: OnceLock<Option<GeoLocation>>,
}

impl Origin {
    fn new(address: Option<IpAddr>, agent: UserAgent, geography: Geography) -> Origin {
        Origin { address, agent, geography, location: OnceLock::new() }
    }

    /// Location of the visitor. The first call looks it up.
    pub fn location(&self) -> Option<&GeoLocation> {
        self.location.get_or_init(|| self.address.and_then(|address| self.geography.location(address))).as_ref()
    }

    /// The part of the address that may be stored, see [`truncated`](muriel_domain::network::truncated).
    pub fn network(&self) -> Option<IpAddr> {
        self.address.map(muriel_domain::network::truncated)
    }
}

/// Omits the full address, which must not get into logs.
impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin").field("network", &self.network()).field("agent", &self.agent).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

    fn visitors() -> Visitors {
        Visitors::new(Geography::open(geography::tests::file("city")).unwrap(), "10.0.0.0/8".parse().unwrap())
    }

    #[test]
    fn a_request_tells_who_asks() {
        let origin = visitors().origin("192.0.2.77".parse().unwrap(), FIREFOX.as_bytes());
        assert_eq!(origin.address, Some("192.0.2.77".parse().unwrap()));
        assert_eq!(origin.network().unwrap().to_string(), "192.0.2.0");
        assert_eq!(origin.agent.browser, Some("firefox"));
        assert_eq!(origin.location().and_then(|location| location.country.as_deref()), Some("DE"));
        assert!(!format!("{origin:?}").contains("192.0.2.77"));
    }

    #[test]
    fn a_server_may_leave_out_what_it_does_not_know() {
        let visitors = visitors();
        let nobody = visitors.origin_of(None, None);
        assert_eq!((nobody.address, nobody.location(), nobody.agent.is_bot), (None, None, false));
        let origin = visitors.origin_of("::ffff:192.0.2.1".parse().ok(), Some(FIREFOX));
        assert_eq!(origin.network().unwrap().to_string(), "192.0.2.0");
        assert_eq!(origin.agent.os, Some("linux"));
    }
}
