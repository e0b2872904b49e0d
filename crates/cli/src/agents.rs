//! Tools for agents: `/mcp` next to the API.

use crate::config::Settings;
use crate::{Error, Result};
use muriel_api::WithoutCode;
use muriel_api::client_address::Forwarded;
use muriel_api::guard::guarded;
use muriel_api::metrics::Metrics;
use muriel_api::router::{self, Listener};
use muriel_http::body::BODY_LIMIT;
use muriel_http::edge::{Edge, EdgeSettings};
use muriel_http::limits::Limits;
use muriel_mcp::Api;
use muriel_mcp::http::HttpSettings;
use muriel_service::App;
use std::sync::Arc;

/// The API with `/mcp` next to it. A call of a tool passes the edge twice: as a request to `/mcp`, and as the API
/// request that it makes.
pub(crate) fn edge(app: &App, settings: &Settings, limits: &Arc<Limits>, metrics: &Arc<Metrics>) -> Result<Edge> {
    let around = |router| Edge::new(router, edge_settings(settings), limits.clone(), metrics.http.clone());
    // Tools accept only API keys.
    let api = around(router::router(app.clone(), Listener::WithoutPeople));
    let allows_code = settings.mcp.allows_code;
    let call: Api = Arc::new(move |mut request| {
        if !allows_code {
            request.extensions_mut().insert(WithoutCode);
        }
        Box::pin(api.clone().answer(request))
    });
    let reached = HttpSettings { hosts: hosts(settings), allows_code, body_limit: BODY_LIMIT };
    let tools = muriel_mcp::http::methods(router::contract_json(), call, &reached)
        .map_err(|error| Error::Other(error.into()))?;
    let listener = if settings.dashboard_listen.is_some() { Listener::WithoutPeople } else { Listener::Everybody };
    Ok(around(router::router(app.clone(), listener).merge(guarded(app.clone(), "/mcp", tools))))
}

/// The API for people, on a separate listener.
pub(crate) fn dashboard_edge(app: &App, settings: &Settings, limits: &Arc<Limits>, metrics: &Arc<Metrics>) -> Edge {
    let router = router::router(app.clone(), Listener::People);
    Edge::new(router, edge_settings(settings), limits.clone(), metrics.http.clone())
}

fn edge_settings(settings: &Settings) -> EdgeSettings {
    EdgeSettings {
        forwarding: Arc::new(Forwarded(settings.trusted_proxies.clone())),
        open_paths: router::open_paths(settings.site.visitor_prefix.as_str()).into(),
        ..settings.edge.clone()
    }
}

/// Host names and addresses at which the server is reached.
fn hosts(settings: &Settings) -> Vec<String> {
    let mut hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    let listens = settings.listen.ip();
    // An address for all networks can have names and addresses that only the operator knows.
    if !listens.is_unspecified() && !listens.is_loopback() {
        hosts.push(listens.to_string());
    }
    hosts.extend(settings.mcp.hosts.iter().cloned());
    hosts
}
