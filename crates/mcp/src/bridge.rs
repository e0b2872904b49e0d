//! Offers the tools of a running server to a program that communicates over standard input and output.
//!
//! The bridge handles the program's side of the protocol and its versions. Tools are listed and called at the server,
//! in single requests that need no session.

use crate::BoxFuture;
use crate::server::unknown;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// Function that sends a message to the server's `/mcp` and returns the answer, or a sentence that says why there is
/// none.
pub type Forward = Arc<dyn Fn(Value) -> BoxFuture<Result<Value, String>> + Send + Sync>;

/// Version of the protocol for requests to the server, sent in the field `MCP-Protocol-Version`.
pub const VERSION: &str = "2025-11-25";

/// Answers requests on standard input and output until the input ends.
///
/// # Errors
/// A sentence that says why: the server does not answer, or refuses the key; or the program does not use the protocol.
pub async fn run(forward: Forward) -> Result<(), String> {
    let bridge = Bridge::connect(forward).await?;
    let running = rmcp::serve_server(bridge, rmcp::transport::io::stdio()).await;
    let running = running.map_err(|error| format!("the client did not open a connection: {error}"))?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// A server that forwards all work to another one.
struct Bridge {
    forward: Forward,
    info: ServerConfig,
}

impl Bridge {
    /// Initialises the connection to the server. This fails early when nothing else would work.
    async fn connect(forward: Forward) -> Result<Bridge, String> {
        let client = json!({ "name": "muriel mcp", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": client });
        let answer = forward(message("initialize", hello)).await?;
        let info = read(answer).map_err(|error| error.message.into_owned())?;
        Ok(Bridge { forward, info })
    }
}

impl ServerHandler for Bridge {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let answer = (self.forward)(message("tools/list", params)).await;
        read(answer.map_err(|sentence| ErrorData::internal_error(sentence, None))?)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = json!({ "name": call.name, "arguments": call.arguments.unwrap_or_default() });
        match (self.forward)(message("tools/call", params)).await {
            Ok(answer) => read::<CallToolResult>(answer).map(Into::into),
            // The agent can read this and try again, which it cannot with an error of the protocol.
            Err(sentence) => Ok(CallToolResult::error(vec![ContentBlock::text(sentence)]).into()),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unknown(&request))
    }
}

fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Reads the result of an answer, or its error.
fn read<T: DeserializeOwned>(mut answer: Value) -> Result<T, ErrorData> {
    if let Some(error) = answer.get_mut("error").map(Value::take) {
        return Err(serde_json::from_value(error).unwrap_or_else(|_| unexpected()));
    }
    let result = answer.get_mut("result").map(Value::take).unwrap_or_default();
    serde_json::from_value(result).map_err(|_| unexpected())
}

fn unexpected() -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, "the server's answer is not a valid MCP message", None)
}
