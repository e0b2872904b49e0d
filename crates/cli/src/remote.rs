//! Shared parts of commands that are clients of a running server: its address, the API key, the connection.

use crate::server_address::ServerAddress;
use crate::{Error, Result};
use clap::Args;
use muriel_doctor::root_certificates;
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::Agent;
use ureq::tls::TlsConfig;
use url::Url;

/// Timeout of a request, longer than the server's own.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum size of a response, in bytes.
pub(crate) const ANSWER_MAX: u64 = 64 << 20;
/// Environment variable with the key, unless a file has it.
const KEY_VARIABLE: &str = "MURIEL_API_KEY";

/// Address that the server of a data directory has left there.
///
/// The key is sent to that address. So a directory that was not named, but is just in the current directory, such as
/// one in a cloned repository, is used only if its address is on this machine.
fn of_directory(named: Option<&Path>) -> Option<String> {
    let server = ServerAddress::read(named.unwrap_or(Path::new("data")))?;
    is_trusted(named, &server).then(|| server.api())
}

fn is_trusted(named: Option<&Path>, server: &ServerAddress) -> bool {
    named.is_some() || server.is_of_this_machine()
}

/// Address of the server, and the key.
#[derive(Debug, Args)]
pub struct Remote {
    /// Address of the server [default: that of the data directory's server, else http://127.0.0.1:4170].
    #[arg(long, env = "MURIEL_SERVER", value_name = "URL")]
    server: Option<String>,
    /// Data directory of a server on this machine, which contains its address [default: data].
    #[arg(long, env = "MURIEL_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// File with the API key, instead of the variable MURIEL_API_KEY.
    #[arg(long, env = "MURIEL_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Remote {
    /// Returns the key.
    ///
    /// # Errors
    /// A missing key, and a file that cannot be read.
    pub(crate) fn key(&self) -> Result<String> {
        key(self.key_file.as_deref())
    }

    /// Address of the server, without a trailing `/`.
    ///
    /// # Errors
    /// Anything but an http or https address without credentials, query and fragment.
    pub(crate) fn address(&self) -> Result<Url> {
        let of_directory = || of_directory(self.data_dir.as_deref());
        let server = self.server.clone().or_else(of_directory);
        address(server.as_deref().unwrap_or("http://127.0.0.1:4170"))
    }
}

fn key(file: Option<&Path>) -> Result<String> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path).map_err(|source| Error::File {
            doing: "cannot read the API key in",
            path: path.to_owned(),
            source,
        })?,
        None => std::env::var(KEY_VARIABLE).unwrap_or_default(),
    };
    let key = text.trim();
    if key.is_empty() {
        return Err(Error::Setting(format!(
            "there is no API key: set {KEY_VARIABLE}, or name a file that holds one with --key-file"
        )));
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::Setting("the API key has a space or a character that is not ASCII".to_owned()));
    }
    Ok(key.to_owned())
}

fn address(server: &str) -> Result<Url> {
    let error = || Error::Setting(format!("server must be an address such as http://127.0.0.1:4170, not \"{server}\""));
    let mut url = Url::parse(server).ok().filter(|url| matches!(url.scheme(), "http" | "https")).ok_or_else(error)?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Err(error());
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// HTTP client without redirects, so that the key is sent only to the server.
pub(crate) fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(TIMEOUT))
        .tls_config(TlsConfig::builder().root_certs(root_certificates()).build())
        .build()
        .new_agent()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_not_named_leads_to_this_machine_only() {
        let dir = tempfile::tempdir().unwrap();
        for (listen, is_here) in [("127.0.0.1:22000", true), ("0.0.0.0:22000", true), ("192.0.2.1:22000", false)] {
            std::fs::write(dir.path().join("address.json"), format!("{{\"listen\":\"{listen}\"}}")).unwrap();
            let server = ServerAddress::read(dir.path()).unwrap();
            assert_eq!((is_trusted(None, &server), is_trusted(Some(dir.path()), &server)), (is_here, true), "{listen}");
        }
        let named = of_directory(Some(dir.path()));
        assert_eq!(named.as_deref(), Some("http://192.0.2.1:22000"));
    }

    #[test]
    fn addresses_of_servers() {
        for (server, expect) in [
            ("http://127.0.0.1:4170", "http://127.0.0.1:4170/"),
            ("https://muriel.example/", "https://muriel.example/"),
            ("https://example.com/muriel/", "https://example.com/muriel"),
        ] {
            assert_eq!(address(server).unwrap().as_str(), expect);
        }
        for bad in ["", "muriel.example", "ftp://a", "http://", "http://a?b", "http://a#b", "http://k:s@a"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
