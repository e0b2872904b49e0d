//! Address file: a server writes its addresses to its data directory, and commands read them there.

use crate::config::Settings;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 64 << 10;
const NAME: &str = "address.json";

/// Addresses of the last server on a data directory. It may have stopped since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerAddress {
    /// Address of the API.
    listen: SocketAddr,
    /// Separate address for people, if any.
    #[serde(default)]
    dashboard_listen: Option<SocketAddr>,
    /// Address of the metrics; `None` if they are off.
    #[serde(default)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// URL at which people and pages reach the server, if it was set.
    #[serde(default)]
    pub(crate) public_url: Option<String>,
}

impl ServerAddress {
    /// Addresses of a listening server.
    pub(crate) fn new(
        settings: &Settings,
        listen: SocketAddr,
        dashboard_listen: Option<SocketAddr>,
        metrics_listen: Option<SocketAddr>,
    ) -> Self {
        let public_url = settings.people.public_url.as_ref().map(|url| url.origin().to_owned());
        Self { listen, dashboard_listen, metrics_listen, public_url }
    }

    /// Writes a temporary file and renames it, so that nobody reads a partial file.
    ///
    /// # Errors
    /// A directory that cannot be written.
    pub(crate) fn write(&self, data_dir: &Path) -> io::Result<()> {
        let beside = data_dir.join(format!(".{NAME}"));
        let mut file = File::options().create(true).truncate(true).write(true).mode(0o600).open(&beside)?;
        writeln!(file, "{}", serde_json::to_string(self)?)?;
        fs::rename(&beside, data_dir.join(NAME))
    }

    /// Reads the file; `None` if no server has run or the file cannot be read. Commands then need a flag.
    pub(crate) fn read(data_dir: &Path) -> Option<Self> {
        let mut text = String::new();
        File::open(data_dir.join(NAME)).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// URL of the API, for a client on this machine.
    pub(crate) fn api(&self) -> String {
        format!("http://{}", reachable(self.listen))
    }

    /// Returns whether the API is on this machine.
    pub(crate) fn is_of_this_machine(&self) -> bool {
        reachable(self.listen).ip().is_loopback()
    }

    /// URL at which people reach the server: the public one, or one on this machine.
    pub(crate) fn people(&self) -> String {
        let here = || format!("http://{}", reachable(self.dashboard_listen.unwrap_or(self.listen)));
        self.public_url.clone().unwrap_or_else(here)
    }
}

/// Converts an address to one that a client on this machine can use.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_wrote_is_read() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(ServerAddress::read(dir.path()), None);
        let mut address = ServerAddress {
            listen: ([0, 0, 0, 0], 22_000).into(),
            dashboard_listen: None,
            metrics_listen: Some(([127, 0, 0, 1], 22_001).into()),
            public_url: None,
        };
        for (dashboard_listen, public_url, people) in [
            (None, None, "http://127.0.0.1:22000"),
            (Some("[::]:22002"), None, "http://[::1]:22002"),
            (Some("127.0.0.1:22002"), Some("https://muriel.example"), "https://muriel.example"),
        ] {
            address.dashboard_listen = dashboard_listen.map(|text| text.parse().unwrap());
            address.public_url = public_url.map(str::to_owned);
            address.write(dir.path()).unwrap();
            let read = ServerAddress::read(dir.path()).unwrap();
            assert_eq!(
                (&read, read.api().as_str(), read.people().as_str()),
                (&address, "http://127.0.0.1:22000", people)
            );
        }
        // A newer release may write more fields, and a full disk can leave an empty file.
        fs::write(dir.path().join(NAME), r#"{"listen":"127.0.0.1:1","more":1}"#).unwrap();
        assert_eq!(ServerAddress::read(dir.path()).unwrap().api(), "http://127.0.0.1:1");
        fs::write(dir.path().join(NAME), "").unwrap();
        assert_eq!(ServerAddress::read(dir.path()), None);
    }
}
