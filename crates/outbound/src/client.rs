//! Requests to other systems: allowed addresses, timeouts, and response size limits.
//!
//! A person who can create webhooks must not use this server to reach addresses that only the server
//! can reach. So a name is resolved once for each connection, every address of it is checked, and the
//! connection uses the checked addresses. Redirects are not followed, and proxies named by the
//! environment are not used.

use ipnet::IpNet;
use std::fmt;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::TlsConfig;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

/// Timeout of resolving the host name of a new webhook.
pub(crate) const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeouts of the connection and of the whole request.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(15);
/// Most bytes of a response body that are read, so that an honest receiver can finish writing. The body is discarded.
const BODY_MAX: u64 = 64 << 10;
/// Most addresses of a name that are tried.
const ADDRESSES_MAX: usize = 16;
/// Most bytes of a response header.
const HEADER_MAX: usize = 16 << 10;

/// Networks that webhooks may reach although they are not public.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedNetworks(Vec<IpNet>);

/// The text is not a list of networks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a network such as 10.0.0.0/8; separate several by commas")]
pub struct BadNetwork(String);

impl FromStr for AllowedNetworks {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let network = |part: &str| {
            let part = part.trim();
            let network = part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            network.map_err(|_| BadNetwork(part.to_owned()))
        };
        if text.trim().is_empty() || text.trim() == "off" {
            return Ok(Self::default());
        }
        text.split(',').map(network).collect::<Result<_, _>>().map(Self)
    }
}

/// Reason why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{address} {}", if *is_own { "is an address of this server" } else { "is not a public address" })]
pub struct Forbidden {
    /// The refused address.
    address: IpAddr,
    /// True when it belongs to this machine.
    is_own: bool,
}

impl AllowedNetworks {
    /// Checks whether a webhook may use this address.
    ///
    /// # Errors
    /// Addresses that are not public, and those of this machine.
    pub fn check(&self, address: IpAddr) -> Result<(), Forbidden> {
        let address = address.to_canonical();
        if self.0.iter().any(|network| network.contains(&address)) {
            return Ok(());
        }
        if !is_public(address) {
            return Err(Forbidden { address, is_own: false });
        }
        if is_own(address) { Err(Forbidden { address, is_own: true }) } else { Ok(()) }
    }
}

/// Returns whether an address belongs to the public internet, according to the registries of special
/// addresses (RFC 6890 and its successors).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match (a, b, c) {
        // This network, private, loopback, and reserved with multicast and broadcast.
        (0 | 10 | 127 | 224..=255, ..) => true,
        // Shared by carriers; link-local, where clouds have their metadata; private.
        (100, 64..=127, _) | (169, 254, _) | (172, 16..=31, _) | (192, 168, _) => true,
        // Protocol assignments, documentation, relays of 6to4, tests of performance.
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) => true,
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Only 2000::/3 is allocated to the internet: loopback, local and mapped addresses, and
    // translations of IPv4, are outside.
    let is_global = a & 0xe000 == 0x2000;
    let is_special = match (a, b) {
        // Teredo and protocol assignments; documentation; 6to4, which holds an IPv4 address.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _) => true,
        (0x3fff, 0..=0xfff) => true,
        _ => false,
    };
    is_global && !is_special
}

/// Returns whether this machine has the address: the system would then use it as the source as well. Nothing is sent.
fn is_own(address: IpAddr) -> bool {
    let any: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let source = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == address)
}

/// Looks up the addresses of a host and port.
type Lookup = dyn Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync;

/// Resolver of host names: the system, or a function in its place.
#[derive(Clone, Default)]
pub struct Names(Option<Arc<Lookup>>);

impl Names {
    /// Creates a resolver that calls this function.
    pub fn of(lookup: impl Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(lookup)))
    }

    fn find(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        match &self.0 {
            Some(lookup) => lookup(host, port),
            None => (host, port).to_socket_addrs().map(Iterator::collect),
        }
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Names(a function)" } else { "Names(the system)" })
    }
}

/// Client for requests to other systems.
#[derive(Debug, Clone, Default)]
pub struct Outbound {
    allowed: AllowedNetworks,
    names: Names,
    agent: Arc<OnceLock<Agent>>,
}

/// Outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    /// The receiver answered with this status.
    Status(u16),
    /// The request failed for this reason.
    Failed(String),
}

impl Outbound {
    /// Creates a client that may reach these networks besides public addresses, and resolves names with `names`.
    pub fn new(allowed: AllowedNetworks, names: Names) -> Self {
        Self { allowed, names, agent: Arc::default() }
    }

    /// Checks that the host of this URL has only addresses that may be reached. `patience` is the
    /// timeout of the lookup.
    ///
    /// # Errors
    /// The fault, as the end of a sentence that begins with the field.
    pub(crate) async fn check(&self, url: &url::Url, patience: Duration) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or(443);
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let names = self.names.clone();
        let lookup = tokio::task::spawn_blocking(move || names.find(&name, port));
        let found = match tokio::time::timeout(patience, lookup).await {
            Ok(Ok(Ok(found))) => found,
            Ok(_) => return Err(format!("names the host {host}, which cannot be found; check its spelling")),
            Err(_) => {
                let seconds = patience.as_secs();
                return Err(format!("names the host {host}, which was not found within {seconds} seconds; try again"));
            }
        };
        if found.is_empty() {
            return Err(format!("names the host {host}, which has no address"));
        }
        for address in found {
            if let Err(forbidden) = self.allowed.check(address.ip()) {
                return Err(format!(
                    "must be an address that the public internet can reach, but {forbidden}; the operator of this \
                     server can allow its network with --webhook-allow"
                ));
            }
        }
        Ok(())
    }

    /// Sends a message. Blocks until there is a response, at most 15 seconds.
    pub(crate) fn post(&self, url: &str, headers: &[(&str, String)], body: &str) -> SendOutcome {
        // Parsed as when it was checked: the client's parser has rules of its own.
        let Ok(url) = url::Url::parse(url) else { return SendOutcome::Failed("the URL is not valid".to_owned()) };
        let agent = self.agent.get_or_init(|| agent(self.allowed.clone(), self.names.clone()));
        let mut request = agent.post(url.as_str()).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        match request.send(body) {
            Ok(mut response) => {
                let mut reader = response.body_mut().as_reader().take(BODY_MAX);
                // The status has arrived, so the end of the body does not matter.
                let _ = std::io::copy(&mut reader, &mut std::io::sink());
                SendOutcome::Status(response.status().as_u16())
            }
            Err(error) => SendOutcome::Failed(reason(&error)),
        }
    }
}

fn agent(allowed: AllowedNetworks, names: Names) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("Muriel-Webhooks/", env!("CARGO_PKG_VERSION")))
        .max_response_header_size(HEADER_MAX)
        // A reused connection would not be checked again.
        .max_idle_connections(0)
        .max_idle_connections_per_host(0)
        .timeout_resolve(Some(CONNECT_TIMEOUT))
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(TIMEOUT))
        .tls_config(TlsConfig::builder().root_certs(crate::tls::roots()).build())
        .build();
    Agent::with_parts(
        config,
        DefaultConnector::default(),
        GuardedResolver { allowed, names, resolver: DefaultResolver::default() },
    )
}

/// Resolver that refuses names with an address that may not be reached.
#[derive(Debug)]
struct GuardedResolver {
    allowed: AllowedNetworks,
    names: Names,
    resolver: DefaultResolver,
}

impl Resolver for GuardedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = match &self.names.0 {
            None => self.resolver.resolve(uri, config, timeout)?,
            Some(lookup) => self.looked_up(&**lookup, uri)?,
        };
        for address in found.iter() {
            self.allowed.check(address.ip()).map_err(|forbidden| ureq::Error::Other(Box::new(forbidden)))?;
        }
        Ok(found)
    }
}

impl GuardedResolver {
    fn looked_up(&self, lookup: &Lookup, uri: &Uri) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
        let mut found = self.empty();
        let addresses = lookup(uri.host().unwrap_or_default(), port).map_err(|_| ureq::Error::HostNotFound)?;
        addresses.into_iter().take(ADDRESSES_MAX).for_each(|address| found.push(address));
        if found.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(found) }
    }
}

/// Describes why a request failed, for the webhook's owner. Contains no data that the receiver sent.
fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Other(other) => match other.downcast_ref::<Forbidden>() {
            Some(forbidden) => format!("not sent: {forbidden}"),
            None => "the request failed".to_owned(),
        },
        ureq::Error::HostNotFound => "the host cannot be found".to_owned(),
        ureq::Error::Timeout(_) => "no answer within 15 seconds".to_owned(),
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => "the answer is not HTTP".to_owned(),
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => {
            "the connection is not secure: the certificate is not trusted".to_owned()
        }
        ureq::Error::Io(error) => match error.kind() {
            std::io::ErrorKind::TimedOut => "no answer within 15 seconds".to_owned(),
            std::io::ErrorKind::ConnectionRefused => "nothing listens at the address".to_owned(),
            std::io::ErrorKind::InvalidData => {
                "the connection is not secure: the certificate is not trusted".to_owned()
            }
            _ => "the connection failed or was closed without an answer".to_owned(),
        },
        _ => "the request failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_public_addresses_are_reached() {
        let none = AllowedNetworks::default();
        for (address, is_public) in [
            ("93.184.215.14", true),
            ("8.8.8.8", true),
            ("100.63.255.255", true),
            ("172.32.0.1", true),
            ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", true),
            ("::ffff:8.8.8.8", true),
            ("0.0.0.0", false),
            ("10.0.0.1", false),
            ("100.64.0.1", false),
            ("100.127.255.255", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.192", false),
            ("192.0.2.1", false),
            ("192.88.99.1", false),
            ("192.168.1.1", false),
            ("198.18.0.1", false),
            ("198.51.100.1", false),
            ("203.0.113.1", false),
            ("224.0.0.1", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b:1::1", false),
            ("100::1", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("2002:7f00:1::", false),
            ("3fff::1", false),
            ("5f00::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
        ] {
            let parsed: IpAddr = address.parse().unwrap();
            assert_eq!(none.check(parsed).is_ok(), is_public, "{address}");
        }
    }

    #[test]
    fn networks_can_be_allowed() {
        let allowed: AllowedNetworks = "10.0.0.0/8, 127.0.0.1".parse().unwrap();
        for (address, expect) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("192.168.0.1", false),
        ] {
            assert_eq!(allowed.check(address.parse().unwrap()).is_ok(), expect, "{address}");
        }
        assert_eq!("off".parse(), Ok(AllowedNetworks::default()));
        assert!("10.0.0.0/33".parse::<AllowedNetworks>().is_err());
        assert!("example.com".parse::<AllowedNetworks>().is_err());
    }

    #[test]
    fn an_address_of_this_machine_is_known() {
        assert!(is_own(Ipv4Addr::LOCALHOST.into()));
        assert!(!is_own("93.184.215.14".parse().unwrap()));
    }

    /// Other spellings of an address are normalised before they are checked.
    #[tokio::test]
    async fn spellings_of_loopback_are_refused() {
        let outbound = Outbound::default();
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://localhost/",
            "http://169.254.169.254/latest/meta-data/",
            "http://0/",
        ] {
            let refused = outbound.check(&url::Url::parse(url).unwrap(), LOOKUP_TIMEOUT).await.unwrap_err();
            assert!(refused.contains("is not a public address"), "{url}: {refused}");
            let SendOutcome::Failed(why) = outbound.post(url, &[], "{}") else { panic!("{url} was sent") };
            assert!(
                why.starts_with("not sent: ")
                    || why == "the host cannot be found"
                    || why == "the request failed"
                    || why.contains("closed"),
                "{url}: {why}"
            );
        }
    }

    /// Generates texts from pieces that address parsers disagree about.
    fn address() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "http",
            "https",
            ":",
            "/",
            "//",
            "://",
            "\\",
            "@",
            "[",
            "]",
            "::1",
            "::ffff:127.0.0.1",
            "%",
            "%31",
            "%25eth0",
            ".",
            "0",
            "127",
            "0x7f",
            "0177",
            "2130706433",
            "93.184.215.14",
            "shop.example",
            "xn--",
            "ü",
            "１",
            "。",
            "\u{ad}",
            "?",
            "&",
            "a",
            ";",
            ",",
            "|",
        ]);
        let rest = prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat());
        (prop::sample::select(vec!["http://", "https://", "http:", "HTTP:/", ""]), rest)
            .prop_map(|(scheme, rest)| format!("{scheme}{rest}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_096))]

        /// An accepted webhook URL has the same host and port for every parser: the browser rules by
        /// which it is checked, the client, and the client without the browser rules first.
        #[test]
        fn parsers_agree_on_addresses_that_are_taken(text in address()) {
            let Ok(taken) = muriel_domain::webhook::parse_webhook_url(&text) else { return Ok(()) };
            let checked = url::Url::parse(&taken).unwrap();
            let host = checked.host_str().unwrap();
            let sent: Uri = checked.as_str().parse().unwrap();
            prop_assert_eq!((sent.host().unwrap(), sent.port_u16()), (host, checked.port()));
            if let Ok(plain) = text.parse::<Uri>() {
                let default = if plain.scheme_str() == Some("http") { 80 } else { 443 };
                let same_host = match checked.host() {
                    Some(url::Host::Ipv6(address)) => plain.host().unwrap().trim_matches(['[', ']']).parse() == Ok(address),
                    _ => plain.host().unwrap().eq_ignore_ascii_case(host),
                };
                prop_assert!(same_host, "{} and {:?}", host, plain.host());
                prop_assert_eq!(plain.port_u16().unwrap_or(default), checked.port_or_known_default().unwrap());
            }
        }
    }

    #[tokio::test]
    async fn a_name_is_not_waited_for_without_end() {
        let (answer, never) = std::sync::mpsc::channel::<()>();
        let never = std::sync::Mutex::new(never);
        let outbound = Outbound::new(
            AllowedNetworks::default(),
            Names::of(move |_, _| {
                let _ = never.lock().unwrap().recv();
                Ok(Vec::new())
            }),
        );
        let url = url::Url::parse("https://hooks.example.com/").unwrap();
        let refused = outbound.check(&url, Duration::ZERO).await.unwrap_err();
        assert_eq!(refused, "names the host hooks.example.com, which was not found within 0 seconds; try again");
        drop(answer);
    }
}
