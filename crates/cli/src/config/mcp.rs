//! Flags and settings of the tools for agents.

use super::on_or_off;
use crate::{Error, Result};
use clap::Args;
use ureq::http::uri::Authority;

/// Maximum number of hosts that can be named.
const HOSTS_MAX: usize = 100;

/// Flags of the tools for agents.
#[derive(Debug, Clone, Default, Args)]
pub struct McpFlags {
    /// Hosts at which agents reach /mcp, such as muriel.example, separated by commas. This machine's own names and
    /// the address of --listen are always accepted.
    #[arg(long, env = "MURIEL_MCP_HOSTS", value_name = "HOSTS")]
    pub mcp_hosts: Option<String>,
    /// Let agents change code that runs on pages, with a key that has the scope code: on or off [default: off].
    #[arg(long, env = "MURIEL_MCP_CODE", value_name = "on|off")]
    pub mcp_code: Option<String>,
}

/// Settings of the tools for agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpSettings {
    /// Hosts that requests may name, in addition to this machine's.
    pub hosts: Vec<String>,
    /// True when agents may change code, if their key may.
    pub allows_code: bool,
}

impl McpSettings {
    /// Parses the settings.
    /// \n
    /// # Errors
    /// Text that is not a host, and too many hosts.
    pub(super) fn read(hosts: Option<&str>, code: Option<&str>) -> Result<Self> {
        let named = hosts.unwrap_or_default().split(',').map(str::trim).filter(|host| !host.is_empty());
        let hosts: Vec<String> = named.map(host).collect::<Result<_>>()?;
        if hosts.len() > HOSTS_MAX {
            return Err(Error::Setting(format!("mcp-hosts must name at most {HOSTS_MAX} hosts, not {}", hosts.len())));
        }
        Ok(Self { hosts, allows_code: on_or_off("mcp-code", code, false)? })
    }
}

fn host(text: &str) -> Result<String> {
    let is_host = text.parse::<Authority>().is_ok_and(|host| !host.host().is_empty() && !text.contains(['@', '*']));
    let error = || {
        Error::Setting(format!(
            "mcp-hosts must be hosts as in an address, such as muriel.example or muriel.example:8443, not \"{text}\""
        ))
    };
    if is_host { Ok(text.to_ascii_lowercase()) } else { Err(error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_agents() {
        let hosts = |text: &str| McpSettings::read(Some(text), None).map(|settings| settings.hosts);
        assert_eq!(hosts("").unwrap(), Vec::<String>::new());
        assert_eq!(hosts("Muriel.example, a.b:8443 ,[::1]:1").unwrap(), ["muriel.example", "a.b:8443", "[::1]:1"]);
        for bad in ["https://muriel.example", "a b", "a@b", "*", "*.example", "a/b", ":80", &"a,".repeat(101)] {
            assert!(hosts(bad).is_err(), "{bad}");
        }
        assert!(!McpSettings::read(None, None).unwrap().allows_code);
        assert!(McpSettings::read(None, Some("on")).unwrap().allows_code);
        let error = McpSettings::read(None, Some("yes")).unwrap_err().to_string();
        assert_eq!(error, "mcp-code must be on or off, not \"yes\"");
    }
}
