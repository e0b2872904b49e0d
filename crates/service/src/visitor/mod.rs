//! Who asks: the address, the browser and the place of a visitor.
//!
//! On public requests all three come from the connection; a trusted server may
//! say them of its visitor instead. Pages' scripts have the same questions and
//! answer most of them in the browser; what is here serves decisions on the
//! server, the marking of bots and what is stored with an event.

pub mod address;
pub mod agent;
pub mod place;

use std::fmt;
use std::net::IpAddr;
use std::sync::OnceLock;

pub use address::{TrustedProxies, cut};
pub use agent::{Agent, Agents};
pub use place::{Geography, Place};

/// What tells a server about its visitors.
#[derive(Debug)]
pub struct Visitors {
    /// What `User-Agent` headers say.
    pub agents: Agents,
    /// Where addresses are.
    pub geography: Geography,
    /// Whose word about an address counts.
    pub proxies: TrustedProxies,
}

impl Visitors {
    /// Visitors of a server with these settings. Nothing is built before it is asked for.
    pub fn new(geography: Geography, proxies: TrustedProxies) -> Visitors {
        Visitors { agents: Agents::new(), geography, proxies }
    }

    /// A visitor who asks from this address with this user agent; an empty one counts as a
    /// bot's.
    pub fn origin(&self, address: IpAddr, user_agent: &[u8]) -> Origin {
        Origin::new(Some(address), self.agents.read_bytes(user_agent), self.geography.clone())
    }

    /// The visitor that a trusted server tells about. What it does not tell is
    /// not known: without a user agent there is no saying that it is a bot.
    pub fn origin_of(&self, address: Option<IpAddr>, user_agent: Option<&str>) -> Origin {
        Origin::new(
            address.map(|address| address.to_canonical()),
            user_agent.map_or_else(Agent::default, |text| self.agents.read(text)),
            self.geography.clone(),
        )
    }
}

impl Default for Visitors {
    /// Visitors of a server that has neither a geographic file nor trusted proxies.
    fn default() -> Visitors {
        Visitors::new(Geography::off(), TrustedProxies::default())
    }
}

/// Where a request, or what is told about a visitor, comes from.
///
/// Lives as long as the request: its address is whole, and only
/// [`network`](Self::network) is for keeping.
#[derive(Clone)]
pub struct Origin {
    /// The visitor's address. `None` only if a trusted server left it out.
    pub address: Option<IpAddr>,
    /// The visitor's browser.
    pub agent: Agent,
    geography: Geography,
    place: OnceLock<Option<Place>>,
}

impl Origin {
    fn new(address: Option<IpAddr>, agent: Agent, geography: Geography) -> Origin {
        Origin { address, agent, geography, place: OnceLock::new() }
    }

    /// Where the visitor is. Looked up when first asked.
    pub fn place(&self) -> Option<&Place> {
        self.place.get_or_init(|| self.address.and_then(|address| self.geography.place(address))).as_ref()
    }

    /// What may be kept of the address, see [`cut`].
    pub fn network(&self) -> Option<IpAddr> {
        self.address.map(cut)
    }
}

/// Without the whole address, which must not end up in a log.
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
        Visitors::new(Geography::open(place::tests::file("city")).unwrap(), "10.0.0.0/8".parse().unwrap())
    }

    #[test]
    fn a_request_tells_who_asks() {
        let origin = visitors().origin("192.0.2.77".parse().unwrap(), FIREFOX.as_bytes());
        assert_eq!(origin.address, Some("192.0.2.77".parse().unwrap()));
        assert_eq!(origin.network().unwrap().to_string(), "192.0.2.0");
        assert_eq!(origin.agent.browser, Some("firefox"));
        assert_eq!(origin.place().and_then(|place| place.country.as_deref()), Some("DE"));
        assert!(!format!("{origin:?}").contains("192.0.2.77"));
    }

    #[test]
    fn a_request_without_a_user_agent_is_a_bots() {
        let origin = visitors().origin("203.0.113.9".parse().unwrap(), b"");
        assert!(origin.agent.is_bot);
    }

    #[test]
    fn a_server_may_leave_out_what_it_does_not_know() {
        let visitors = visitors();
        let nobody = visitors.origin_of(None, None);
        assert_eq!((nobody.address, nobody.place(), nobody.agent.is_bot), (None, None, false));
        let told = visitors.origin_of("::ffff:192.0.2.1".parse().ok(), Some(FIREFOX));
        assert_eq!(told.network().unwrap().to_string(), "192.0.2.0");
        assert_eq!(told.agent.os, Some("linux"));
    }
}
