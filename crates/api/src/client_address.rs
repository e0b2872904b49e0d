//! The address of the client, also behind proxies.

use http::{HeaderMap, HeaderName, header};
use muriel_delivery::visitor::{Origin, TrustedProxies, Visitors};
use muriel_http::forwarding::Forwarding;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The header field to which proxies append the address that they forward for.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies whose word about clients is trusted.
#[derive(Debug, Clone)]
pub struct Forwarded(pub TrustedProxies);

impl Forwarding for Forwarded {
    fn is_proxy(&self, peer: IpAddr) -> bool {
        self.0.contains(peer.to_canonical())
    }

    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        client_address(peer, headers, &self.0)
    }
}

/// Describes where a request comes from: `peer` is the other end of its connection.
///
/// A request without `User-Agent` counts as a bot's.
pub(crate) fn origin(visitors: &Visitors, peer: IpAddr, headers: &HeaderMap) -> Origin {
    let user_agent = headers.get(header::USER_AGENT).map_or(&b""[..], |value| value.as_bytes());
    visitors.origin(client_address(peer, headers, &visitors.proxies), user_agent)
}

/// Address of the client.
///
/// Returns `peer` unless that is a trusted proxy. Then it reads `X-Forwarded-For`, or `Forwarded` when that is
/// absent, from the right, the end that proxies append to. The first address that is not trusted is the
/// client's. An entry that is not an address ends the walk, and the proxy that wrote it is returned. Entries
/// that a client forges are left of its own address, so they are never reached.
///
/// IPv4 addresses mapped into IPv6 are returned as IPv4.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, proxies: &TrustedProxies) -> IpAddr {
    let peer = peer.to_canonical();
    if !proxies.contains(peer) {
        return peer;
    }
    if headers.contains_key(X_FORWARDED_FOR) {
        let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
        walk(peer, proxies, lines.flat_map(|line| line.as_bytes().rsplit(|&byte| byte == b',')).map(plain))
    } else {
        let lines = headers.get_all(header::FORWARDED).iter().rev();
        walk(peer, proxies, lines.flat_map(|line| elements(line.as_bytes()).into_iter().rev()).map(forwarded_for))
    }
}

/// Entry of a forwarding header. Empty entries are ignored.
enum ForwardedEntry {
    Empty,
    Unreadable,
    Address(IpAddr),
}

fn walk(peer: IpAddr, proxies: &TrustedProxies, from_the_right: impl Iterator<Item = ForwardedEntry>) -> IpAddr {
    let mut nearest = peer;
    for entry in from_the_right {
        match entry {
            ForwardedEntry::Empty => {}
            ForwardedEntry::Unreadable => break,
            ForwardedEntry::Address(address) => {
                nearest = address;
                if !proxies.contains(address) {
                    break;
                }
            }
        }
    }
    nearest
}

fn plain(entry: &[u8]) -> ForwardedEntry {
    match entry.trim_ascii() {
        b"" => ForwardedEntry::Empty,
        entry => str::from_utf8(entry).ok().and_then(node).map_or(ForwardedEntry::Unreadable, ForwardedEntry::Address),
    }
}

/// Parses `192.0.2.7`, `192.0.2.7:8080`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:8080`.
fn node(text: &str) -> Option<IpAddr> {
    let bare = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    bare.or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

/// Elements of a `Forwarded` line. Commas within quotes do not separate elements.
fn elements(line: &[u8]) -> Vec<&[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    line.split(|&byte| {
        let separates = byte == b',' && !quoted;
        quoted ^= byte == b'"' && !escaped;
        escaped = quoted && byte == b'\\' && !escaped;
        separates
    })
    .collect()
}

/// Parses the `for` parameter of one element of `Forwarded` (RFC 7239). Strict, because a client could send an
/// unterminated element that would change the meaning of what a proxy appends.
fn forwarded_for(element: &[u8]) -> ForwardedEntry {
    let Ok(element) = str::from_utf8(element.trim_ascii()) else { return ForwardedEntry::Unreadable };
    if element.is_empty() {
        return ForwardedEntry::Empty;
    }
    let mut found = None;
    let mut rest = element;
    loop {
        let Some((name, after)) = rest.split_once('=') else { return ForwardedEntry::Unreadable };
        let Some((value, after)) = parameter(after) else { return ForwardedEntry::Unreadable };
        if name.trim().eq_ignore_ascii_case("for") {
            found = node(value);
        }
        match after.trim_start().strip_prefix(';') {
            Some(next) => rest = next,
            None if after.trim().is_empty() => {
                return found.map_or(ForwardedEntry::Unreadable, ForwardedEntry::Address);
            }
            None => return ForwardedEntry::Unreadable,
        }
    }
}

/// Splits off the value that the text starts with. Escapes are not decoded: no address needs them.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.split_at(text.find([';', ' ', '\t', '"']).unwrap_or(text.len())));
    };
    let mut escaped = false;
    let end = quoted.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((&quoted[..end], &quoted[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor_time::processor_time;
    use http::HeaderValue;

    #[test]
    fn a_request_says_who_asks() {
        let visitors = Visitors::new(muriel_delivery::visitor::Geography::off(), "10.0.0.0/8".parse().unwrap());
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
        let headers = HeaderMap::from_iter([
            (header::USER_AGENT, HeaderValue::from_static(firefox)),
            (X_FORWARDED_FOR, HeaderValue::from_static("192.0.2.77")),
        ]);
        let asks = origin(&visitors, "10.1.2.3".parse().unwrap(), &headers);
        assert_eq!((asks.address, asks.agent.browser), (Some("192.0.2.77".parse().unwrap()), Some("firefox")));
        assert!(origin(&visitors, "203.0.113.9".parse().unwrap(), &HeaderMap::new()).agent.is_bot);
    }

    /// `headers`: lines as `name: value`, in the order received.
    fn check(peer: &str, headers: &[&str], expect: &str) {
        let proxies = "10.0.0.0/8,192.0.2.7,2001:db8:ffff::/48".parse().unwrap();
        let headers: HeaderMap = headers
            .iter()
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| {
                (name.parse::<HeaderName>().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
            })
            .fold(HeaderMap::new(), |mut map, (name, value)| {
                map.append(name, value);
                map
            });
        let found = client_address(peer.parse().unwrap(), &headers, &proxies);
        assert_eq!(found.to_string(), expect, "{peer} {headers:?}");
    }

    #[test]
    fn the_socket_counts_unless_it_is_a_trusted_proxys() {
        check("203.0.113.5", &[], "203.0.113.5");
        check("203.0.113.5", &["x-forwarded-for: 198.51.100.1"], "203.0.113.5");
        check("203.0.113.5", &["forwarded: for=198.51.100.1"], "203.0.113.5");
        check("::ffff:203.0.113.5", &[], "203.0.113.5");
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &["x-real-ip: 198.51.100.1"], "10.0.0.1");
    }

    #[test]
    fn forwarded_addresses_are_read_from_the_right() {
        for (line, expect) in [
            ("198.51.100.1", "198.51.100.1"),
            ("198.51.100.1:4711", "198.51.100.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("::ffff:198.51.100.1", "198.51.100.1"),
            ("[::ffff:198.51.100.1]:80", "198.51.100.1"),
            ("198.51.100.1, 10.0.0.2, 192.0.2.7", "198.51.100.1"),
            ("198.51.100.1,2001:db8:ffff::9", "198.51.100.1"),
            ("198.51.100.1, ::ffff:10.0.0.2", "198.51.100.1"),
            // Every entry is a trusted proxy.
            ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
            // Forged by the client, whose own address is the first untrusted one from the right.
            ("8.8.8.8, 198.51.100.1", "198.51.100.1"),
            ("10.0.0.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("127.0.0.1, ::1, 198.51.100.1", "198.51.100.1"),
            ("8.8.8.8,, 198.51.100.1, ", "198.51.100.1"),
            // Not readable: the proxy that wrote the entry counts.
            ("198.51.100.1, unknown", "10.0.0.1"),
            ("198.51.100.1, unknown, 10.0.0.2", "10.0.0.2"),
            ("198.51.100.1, 10.0.0.2:99999", "10.0.0.1"),
            ("198.51.100.1, fe80::1%eth0", "10.0.0.1"),
            ("198.51.100.1, \u{e4}", "10.0.0.1"),
            ("[198.51.100.1]", "10.0.0.1"),
            ("\"198.51.100.1\"", "10.0.0.1"),
            (" ", "10.0.0.1"),
            ("", "10.0.0.1"),
        ] {
            check("10.0.0.1", &[&format!("x-forwarded-for: {line}")], expect);
        }
    }

    #[test]
    fn several_lines_are_one_list() {
        check("10.0.0.1", &["x-forwarded-for: 8.8.8.8", "x-forwarded-for: 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["x-forwarded-for: 198.51.100.1", "x-forwarded-for: 10.0.0.2"], "198.51.100.1");
        check("10.0.0.1", &["x-forwarded-for: 198.51.100.1, 10.0.0.3", "x-forwarded-for: 10.0.0.2"], "198.51.100.1");
        check("10.0.0.1", &["forwarded: for=8.8.8.8", "forwarded: for=198.51.100.1, for=10.0.0.2"], "198.51.100.1");
    }

    #[test]
    fn x_forwarded_for_wins_over_forwarded() {
        check("10.0.0.1", &["forwarded: for=8.8.8.8", "x-forwarded-for: 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["forwarded: for=8.8.8.8", "x-forwarded-for: unknown"], "10.0.0.1");
    }

    #[test]
    fn the_standard_header_is_read_too() {
        for (line, expect) in [
            ("for=198.51.100.1", "198.51.100.1"),
            ("For=198.51.100.1;proto=https;by=10.0.0.1", "198.51.100.1"),
            ("proto=https; for=\"198.51.100.1:4711\"", "198.51.100.1"),
            ("for=\"[2001:db8::1]:443\"", "2001:db8::1"),
            ("for=\"[2001:db8::1]\", for=10.0.0.2", "2001:db8::1"),
            ("for=8.8.8.8, for=198.51.100.1;host=\"a,b\\\",c\"", "198.51.100.1"),
            ("for=8.8.8.8, for=_hidden", "10.0.0.1"),
            ("for=8.8.8.8, for=unknown, for=10.0.0.2", "10.0.0.2"),
            ("for=8.8.8.8, proto=https", "10.0.0.1"),
            ("8.8.8.8", "10.0.0.1"),
            // An open quote sent by a client must not swallow what the proxy appends and leave an address of the
            // client's choice.
            ("for=8.8.8.8, for=\", for=198.51.100.1", "10.0.0.1"),
            ("for=8.8.8.8;x=\", for=\"[2001:db8::1]:80\"", "10.0.0.1"),
            ("for=8.8.8.8;x=\", for=198.51.100.1;by=\"[2001:db8::2]\"", "10.0.0.1"),
            ("for=8.8.8.8\\, for=198.51.100.1", "198.51.100.1"),
            ("for=\"8.8.8.8\\\", for=198.51.100.1", "10.0.0.1"),
        ] {
            check("10.0.0.1", &[&format!("forwarded: {line}")], expect);
        }
    }

    #[test]
    fn a_header_of_64_kib_is_walked_quickly() {
        let started = processor_time();
        let commas = format!("x-forwarded-for: {}", ",".repeat(64 << 10));
        check("10.0.0.1", &[&commas], "10.0.0.1");
        let quotes = format!("forwarded: {}", "for=\"10.0.0.1\",".repeat(4 << 10));
        check("10.0.0.1", &[&quotes], "10.0.0.1");
        let took = processor_time() - started;
        assert!(took.as_secs() < 10, "{took:?}");
    }
}
