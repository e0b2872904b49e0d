//! Trusted proxies.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};

/// Networks of proxies whose forwarding headers are trusted.
///
/// As text: addresses and networks separated by commas, as
/// `10.0.0.0/8,192.0.2.7,2001:db8::/32`; `off` or empty for none. Only the prefix of a network
/// counts: `10.1.2.3/8` is `10.0.0.0/8`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Returns whether an address is in one of the networks.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The text is not a list of trusted proxies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not an address or a network; write `off` or a list such as `10.0.0.0/8,192.0.2.7,2001:db8::/32`")]
pub struct BadTrustedProxies(String);

impl FromStr for TrustedProxies {
    type Err = BadTrustedProxies;

    fn from_str(text: &str) -> Result<TrustedProxies, BadTrustedProxies> {
        let text = text.trim();
        if text.is_empty() || text == "off" {
            return Ok(TrustedProxies::default());
        }
        let network = |part: &str| {
            let part = part.trim();
            let network = part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            network.map(canonical).map_err(|_| BadTrustedProxies(part.to_owned()))
        };
        text.split(',').map(network).collect::<Result<_, _>>().map(TrustedProxies)
    }
}

/// Converts a network of IPv4 addresses mapped into IPv6 to a network of IPv4 addresses,
/// because addresses are compared in that form.
fn canonical(network: IpNet) -> IpNet {
    if let IpNet::V6(v6) = network
        && let (Some(address), Some(length)) = (v6.network().to_ipv4_mapped(), v6.prefix_len().checked_sub(96))
        && let Ok(v4) = Ipv4Net::new(address, length)
    {
        return IpNet::V4(v4);
    }
    network.trunc()
}

impl fmt::Display for TrustedProxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("off");
        }
        for (i, network) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            if network.prefix_len() == network.max_prefix_len() {
                write!(f, "{comma}{}", network.addr())?;
            } else {
                write!(f, "{comma}{network}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_says_what_is_wrong_with_it() {
        for (text, shown) in [
            ("", "off"),
            (" off ", "off"),
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("10.1.2.3/8", "10.0.0.0/8"),
            (" 192.0.2.7 , 2001:db8::/32", "192.0.2.7,2001:db8::/32"),
            ("::1,127.0.0.0/8", "::1,127.0.0.0/8"),
            ("::ffff:10.0.0.0/104,::ffff:192.0.2.1", "10.0.0.0/8,192.0.2.1"),
            ("0.0.0.0/0,::/0", "0.0.0.0/0,::/0"),
        ] {
            let proxies: TrustedProxies = text.parse().unwrap();
            assert_eq!(proxies.to_string(), shown, "{text}");
            assert_eq!(proxies.to_string().parse(), Ok(proxies), "{text}");
        }
        for (text, part) in [
            ("10.0.0.0/33", "10.0.0.0/33"),
            ("10.0.0.0/8,proxy.example", "proxy.example"),
            ("10.0.0.0/8,", ""),
            ("10.0.0.1:80", "10.0.0.1:80"),
            ("off,10.0.0.0/8", "off"),
        ] {
            let error = text.parse::<TrustedProxies>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("\"{part}\" is not")), "{text}: {error}");
        }
    }
}
