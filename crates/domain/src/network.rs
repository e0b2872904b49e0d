//! Networks of visitors.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the part of an address that may be stored: the first 24 bits of IPv4, 48 of IPv6,
/// followed by zeros. `203.0.113.77` becomes `203.0.113.0`, `2001:db8:1:2::3` becomes
/// `2001:db8:1::`.
pub fn truncated(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() & (u32::MAX << 8)).into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 80)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_an_address() {
        for (address, kept) in [
            ("203.0.113.77", "203.0.113.0"),
            ("::ffff:203.0.113.77", "203.0.113.0"),
            ("255.255.255.255", "255.255.255.0"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
            ("2001:db8::1", "2001:db8::"),
            ("::1", "::"),
        ] {
            assert_eq!(truncated(address.parse().unwrap()).to_string(), kept, "{address}");
        }
    }
}
