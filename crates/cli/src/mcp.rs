//! `muriel mcp`: offers the tools of a running server to an agent that starts its MCP servers as processes.
//!
//! It is a client of the server's `/mcp` and opens no data. So it works next to a running server, on any machine, with
//! the permissions of the key.

use crate::remote::{self, ANSWER_MAX, Remote};
use crate::{Error, Result};
use clap::Args;
use muriel_mcp::bridge::{self, Forward, VERSION};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;
use ureq::Agent;
use url::Url;

/// Maximum number of requests in flight to the server; others wait.
const IN_FLIGHT: usize = 8;

/// `muriel mcp`
#[derive(Debug, Args)]
pub struct Mcp {
    #[command(flatten)]
    remote: Remote,
    /// The project (its key) of all calls; the tools then have no argument for it.
    #[arg(long, env = "MURIEL_PROJECT", value_name = "PROJECT_KEY")]
    project: Option<String>,
}

/// Handles messages until standard input ends.
///
/// # Errors
/// A missing key, an invalid address, and a server that does not respond or refuses the key.
pub async fn run(args: Mcp) -> Result<()> {
    let key = args.remote.key()?;
    let address = tools(args.remote.address()?, args.project.as_deref());
    bridge::run(forward(address, key)).await.map_err(Error::Refused)
}

/// URL of the server's tools.
fn tools(mut server: Url, project: Option<&str>) -> Url {
    let path = format!("{}/mcp", server.path().trim_end_matches('/').trim_end_matches("/mcp"));
    server.set_path(&path);
    if let Some(project) = project {
        server.query_pairs_mut().append_pair("project_key", project);
    }
    server
}

fn forward(address: Url, key: String) -> Forward {
    let server = Arc::new(Server { agent: remote::agent(), address, key });
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
    /// Sends a message and returns the response.
    ///
    /// # Errors
    /// A message: there is no response, or the API refused the request.
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
        let text = response.body_mut().with_config().limit(ANSWER_MAX).read_to_string();
        let text = text.map_err(|error| format!("the response of {address} cannot be read: {error}"))?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        match (&answer["error"], answer["jsonrpc"] == "2.0") {
            (Value::Object(error), true) if !status.is_success() => {
                Err(format!("{address} refuses the request: {}", error["message"].as_str().unwrap_or_default()))
            }
            (_, true) => Ok(answer),
            (Value::String(sentence), false) => Err(format!("{address} refuses the request: {sentence}")),
            _ => Err(format!("{address} answers {status}, but not like a muriel server")),
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
            assert_eq!(tools(Url::parse(server).unwrap(), project).as_str(), expect);
        }
    }
}
