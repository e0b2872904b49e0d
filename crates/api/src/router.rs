//! Every route, on one page.

use crate::app::App;
use crate::handlers::{experiments, goals, hypotheses, serving};
use crate::{openapi, reference};
use axum::Router;
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The versioned interface, with its contract.
fn interface() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(experiments::experiment_list))
        .routes(routes!(experiments::experiment_create))
        .routes(routes!(
            experiments::experiment_details,
            experiments::experiment_update,
            experiments::experiment_delete
        ))
        .routes(routes!(experiments::experiment_set_status))
        .routes(routes!(experiments::experiment_preview_links))
        .routes(routes!(experiments::experiment_distribution))
        .routes(routes!(serving::winner_serve))
        .routes(routes!(serving::rollout_update))
        .routes(routes!(serving::serving_stop))
        .routes(routes!(hypotheses::hypothesis_list))
        .routes(routes!(hypotheses::hypothesis_create))
        .routes(routes!(hypotheses::hypothesis_details, hypotheses::hypothesis_update))
        .routes(routes!(goals::goal_list))
        .routes(routes!(goals::goal_create))
        .routes(routes!(goals::goal_details, goals::goal_update, goals::goal_delete))
}

/// The contract of the interface.
pub fn contract() -> OpenApi {
    openapi::complete(interface().split_for_parts().1)
}

/// The whole API over its state.
pub fn router(app: App) -> Router {
    let (interface, contract) = interface().split_for_parts();
    let contract = openapi::complete(contract);
    interface
        .route("/livez", get(crate::health::live))
        .route("/readyz", get(crate::health::ready))
        .merge(reference::routes(&contract))
        .with_state(app)
}
