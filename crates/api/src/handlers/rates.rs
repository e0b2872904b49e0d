//! Exchange rates of currencies to the project's own.

use super::read_body;
use crate::answer::json;
use crate::auth::{Admin, Caller, Read};
use crate::error::ApiError;
use crate::wire::{rates as wire, schemas, views};
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_domain::rates::Rates;
use muriel_http::body::MediaType;
use muriel_service::{App, rates};

/// Returns the project's currency rates.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/currency-rates", tag = "Goals", operation_id = "getCurrencyRates",
    responses((status = 200, description = "The whole table, in a form that can be sent back.", body = views::RatesAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn rates_show(State(app): State<App>, caller: Caller<Read>) -> Result<Response, ApiError> {
    let rates = rates::find(&app, caller.project.id).await?;
    json(StatusCode::OK, &views::RatesAnswer::new(rates.as_ref()))
}

/// Sets the project's currency rates, with which orders in other currencies are converted. The results of all its
/// experiments are recomputed.
#[utoipa::path(
    put, path = "/v2/project/{project_key}/currency-rates", tag = "Goals", operation_id = "setCurrencyRates",
    request_body = schemas::RatesBody,
    responses((status = 200, description = "The new table.", body = views::RatesChanged)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn rates_set(
    State(app): State<App>,
    caller: Caller<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let rates: Option<Rates> = wire::rates(&sent.json)?;
    let changed = views::RatesChanged {
        success: true,
        currency: rates.as_ref().map(|rates| rates.currency().to_owned()),
        count: rates.as_ref().map_or(0, |rates| rates.rates().len()),
    };
    rates::set(&app, &caller.actor, &caller.project, rates).await?;
    json(StatusCode::OK, &changed)
}
