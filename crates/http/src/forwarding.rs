//! Addresses of clients behind proxies.

use std::fmt::Debug;
use std::net::IpAddr;

use http::HeaderMap;

/// Knowledge of the proxies in front of the server. Limits per network count clients, and not their proxy.
pub trait Forwarding: Debug + Send + Sync {
    /// Returns whether `peer`, the other end of a connection, forwards requests of several clients.
    fn is_proxy(&self, peer: IpAddr) -> bool;

    /// Returns the address of the client whose request came from `peer`.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr;
}

/// No proxy: every peer is a client.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProxies;

impl Forwarding for NoProxies {
    fn is_proxy(&self, _: IpAddr) -> bool {
        false
    }

    fn client(&self, peer: IpAddr, _: &HeaderMap) -> IpAddr {
        peer
    }
}
