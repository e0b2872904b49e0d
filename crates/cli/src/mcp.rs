//! `muriel mcp`: the tools of a running server for an agent that starts its servers as processes.
//!
//! It is a client of the server's `/mcp` and opens no data: it works beside a running server, on any machine, with what the
//! key may do.

use crate::{Error, Result};
use clap::Args;
use muriel_doctor::root_certificates;
use muriel_mcp::bridge::{self, Forward, VERSION};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use ureq::Agent;
use ureq::tls::TlsConfig;
use url::Url;

/// How long the server may take to answer. It gives up before.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of an answer at most.
const MAX_BYTES: u64 = 64 << 20;
/// Requests that are sent to the server at the same time; others wait.
const IN_FLIGHT: usize = 8;
/// Where the key is, unless a file has it.
const KEY_VARIABLE: &str = "MURIEL_API_KEY";

/// `muriel mcp`
#[derive(Debug, Args)]
pub struct Mcp {
    /// Address of the server.
    #[arg(long, env = "MURIEL_SERVER", value_name = "URL", default_value = "http://127.0.0.1:4170")]
    server: String,
    /// The project (its key) that all calls are about; tools then have no argument for it.
    #[arg(long, env = "MURIEL_PROJECT", value_name = "PROJECT_KEY")]
    project: Option<String>,
    /// File that holds the API key, instead of the variable MURIEL_API_KEY.
    #[arg(long, env = "MURIEL_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
}

/// Answers until standard input ends.
///
/// # Errors
/// No key, an address that is none, a server that does not answer or refuses the key.
pub async fn run(args: Mcp) -> Result<()> {
    let key = key(args.key_file.as_deref())?;
    let address = address(&args.server, args.project.as_deref())?;
    bridge::run(forward(address, key)).await.map_err(Error::Refused)
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
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::Setting(format!(
            "there is no API key: set {KEY_VARIABLE}, or name a file that holds one with --key-file"
        )));
    }
    Ok(key.to_owned())
}

/// Where the server has its tools.
fn address(server: &str, project: Option<&str>) -> Result<Url> {
    let error = || Error::Setting(format!("server must be an address such as http://127.0.0.1:4170, not \"{server}\""));
    let mut url = Url::parse(server).ok().filter(|url| matches!(url.scheme(), "http" | "https")).ok_or_else(error)?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Err(error());
    }
    let path = format!("{}/mcp", url.path().trim_end_matches('/').trim_end_matches("/mcp"));
    url.set_path(&path);
    if let Some(project) = project {
        url.query_pairs_mut().append_pair("project_key", project);
    }
    Ok(url)
}

fn forward(address: Url, key: String) -> Forward {
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        // A redirect would take the key to another address.
        .max_redirects(0)
        .timeout_global(Some(TIMEOUT))
        .tls_config(TlsConfig::builder().root_certs(root_certificates()).build())
        .build()
        .new_agent();
    let server = Arc::new(Server { agent, address, key });
    let permits = Arc::new(Semaphore::new(IN_FLIGHT));
    Arc::new(move |message| {
        let (server, permits) = (server.clone(), permits.clone());
        Box::pin(async move {
            let _permit = permits.acquire().await.map_err(|error| error.to_string())?;
            let sent = tokio::task::spawn_blocking(move || server.send(&message)).await;
            sent.map_err(|error| error.to_string())?
        })
    })
}

struct Server {
    agent: Agent,
    address: Url,
    key: String,
}

impl Server {
    /// The answer to a message.
    ///
    /// # Errors
    /// A sentence: that there is none, or that of the API where it refused the request.
    fn send(&self, message: &Value) -> std::result::Result<Value, String> {
        let address = &self.address;
        let mut request = self
            .agent
            .post(address.as_str())
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if message["method"] != "initialize" {
            request = request.header("mcp-protocol-version", VERSION);
        }
        let sent = request.send(message.to_string());
        let mut response = sent.map_err(|error| format!("no muriel server answers at {address}: {error}"))?;
        let status = response.status();
        let text = response.body_mut().with_config().limit(MAX_BYTES).read_to_string();
        let text = text.map_err(|error| format!("the answer of {address} cannot be read: {error}"))?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        match (&answer["error"], answer["jsonrpc"] == "2.0") {
            (Value::Object(error), true) if !status.is_success() => {
                Err(format!("{address} refuses the request: {}", error["message"].as_str().unwrap_or_default()))
            }
            (_, true) => Ok(answer),
            (Value::String(sentence), false) => Err(format!("{address} refuses the request: {sentence}")),
            _ => Err(format!("{address} answers {status}, and not as a muriel server does")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_tools() {
        for (server, project, expect) in [
            ("http://127.0.0.1:4170", None, "http://127.0.0.1:4170/mcp"),
            ("https://muriel.example/", None, "https://muriel.example/mcp"),
            ("https://example.com/muriel/mcp", Some("p&q"), "https://example.com/muriel/mcp?project_key=p%26q"),
        ] {
            assert_eq!(address(server, project).unwrap().as_str(), expect);
        }
        for bad in ["", "muriel.example", "ftp://a", "http://", "http://a?b", "http://a#b", "http://k:s@a"] {
            assert!(address(bad, None).is_err(), "{bad}");
        }
    }
}
