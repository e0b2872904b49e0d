//! All routes, on one page.

use crate::handlers::{
    activity, audit, checklist, comments, conclusion, copies, evaluate, events, exclusions, experiments, explain,
    goals, groups, history, hypotheses, inbox, keys, live, me, ofrep, overview, people, programme, projects, proposals,
    rates, results, script, serving, session, shares, simulation, traffic, visitor_data, webhooks,
};
use crate::sessions::SessionsOff;
use crate::{dashboard, docs, openapi, unknown_query};
use axum::middleware::from_fn;
use axum::response::Redirect;
use axum::routing::get;
use axum::{Extension, Router};
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER};
use http::{HeaderName, Method};
use muriel_delivery::script::Mount;
use muriel_http::request::X_REQUEST_ID;
use muriel_service::App;
use serde_json::Value;
use std::sync::LazyLock;
use std::time::Duration;
use tower_http::cors::{Any, CorsLayer};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Lifetime of preflight responses in browsers.
const PREFLIGHT: Duration = Duration::from_secs(7_200);

/// The versioned API, with its contract.
fn interface() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(experiments::experiment_list))
        .routes(routes!(experiments::experiment_keys))
        .routes(routes!(experiments::experiment_create))
        .routes(routes!(
            experiments::experiment_details,
            experiments::experiment_update,
            experiments::experiment_delete
        ))
        .routes(routes!(experiments::change_preview))
        .routes(routes!(experiments::experiment_set_status))
        .routes(routes!(experiments::experiment_preview_links))
        .routes(routes!(experiments::experiment_distribution))
        .routes(routes!(explain::assignment_explain))
        .routes(routes!(results::experiment_result))
        .routes(routes!(results::experiment_result_table))
        .routes(routes!(results::holdout_result))
        .routes(routes!(results::experiment_timeseries))
        .routes(routes!(results::experiment_plan))
        .routes(routes!(shares::share_list, shares::share_create))
        .routes(routes!(shares::share_revoke))
        .routes(routes!(exclusions::exclusion_list, exclusions::exclusion_create))
        .routes(routes!(exclusions::exclusion_delete))
        .routes(routes!(exclusions::suspect_list))
        .routes(routes!(serving::winner_serve))
        .routes(routes!(serving::rollout_update))
        .routes(routes!(serving::serving_stop))
        .routes(routes!(hypotheses::hypothesis_list))
        .routes(routes!(hypotheses::hypothesis_slugs))
        .routes(routes!(hypotheses::hypothesis_create))
        .routes(routes!(hypotheses::hypothesis_details, hypotheses::hypothesis_update))
        .routes(routes!(goals::goal_list))
        .routes(routes!(goals::goal_create))
        .routes(routes!(goals::goal_details, goals::goal_update, goals::goal_delete))
        .routes(routes!(groups::group_list))
        .routes(routes!(groups::group_create))
        .routes(routes!(groups::group_update, groups::group_delete))
        .routes(routes!(rates::rates_show, rates::rates_set))
        .routes(routes!(webhooks::webhook_list))
        .routes(routes!(webhooks::webhook_create))
        .routes(routes!(webhooks::webhook_update, webhooks::webhook_delete))
        .routes(routes!(webhooks::webhook_test))
        .routes(routes!(webhooks::webhook_rotate))
        .routes(routes!(webhooks::webhook_deliveries))
        .routes(routes!(webhooks::webhook_resend))
        .routes(routes!(visitor_data::visitor_show, visitor_data::visitor_delete))
        .routes(routes!(visitor_data::visitor_job_show))
        .routes(routes!(evaluate::many_evaluate))
        .routes(routes!(conclusion::conclusion_show))
        .routes(routes!(projects::settings_show, projects::settings_update))
        .routes(routes!(projects::project_list, projects::project_create))
        .routes(routes!(audit::audit_list))
        .routes(routes!(audit::audit_table))
        .routes(routes!(overview::overview_show))
        .routes(routes!(programme::programme_show))
        .routes(routes!(programme::programme_table))
        .routes(routes!(history::experiment_history))
        .routes(routes!(history::experiment_restore))
        .routes(routes!(history::restore_preview))
        .routes(routes!(history::hypothesis_history))
        .routes(routes!(history::hypothesis_restore))
        .routes(routes!(history::goal_history))
        .routes(routes!(history::goal_restore))
        .routes(routes!(copies::experiment_duplicate))
        .routes(routes!(copies::experiment_archive))
        .routes(routes!(checklist::checklist_show))
        .routes(routes!(activity::goal_activity))
        .routes(routes!(activity::install_show))
        .routes(routes!(simulation::experiment_simulate))
        .routes(routes!(comments::experiment_comments, comments::experiment_comment))
        .routes(routes!(comments::hypothesis_comments, comments::hypothesis_comment))
        .routes(routes!(proposals::proposal_list))
        .routes(routes!(proposals::experiment_proposals, proposals::proposal_create))
        .routes(routes!(proposals::proposal_withdraw))
        .routes(routes!(inbox::project_people))
        .routes(routes!(live::visitor_live))
}

/// Operations for people who have not signed in yet, and for holders of a link to a result. Only pages of the server
/// itself call them, so they are served where the dashboard is.
fn without_sign_in() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(session::sign_in_methods))
        .routes(routes!(session::sign_in))
        .routes(routes!(session::passkey_begin))
        .routes(routes!(session::passkey_sign_in))
        .routes(routes!(session::oidc_begin))
        .routes(routes!(session::oidc_finish))
        .routes(routes!(people::invitation_show, people::invitation_accept))
        .routes(routes!(shares::shared_result))
        .routes(routes!(shares::shared_timeseries))
        .route_layer(from_fn(unknown_query::refuse))
}

/// Operations for people in browsers. API keys are not accepted.
fn for_people() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(session::session_show, session::sign_out))
        .routes(routes!(me::passkey_list, me::passkey_create))
        .routes(routes!(me::passkey_begin))
        .routes(routes!(me::passkey_remove))
        .routes(routes!(people::person_list))
        .routes(routes!(people::invitation_create))
        .routes(routes!(people::invitation_withdraw))
        .routes(routes!(people::person_update, people::person_remove))
        .routes(routes!(me::password_change))
        .routes(routes!(me::session_list, me::sessions_revoke))
        .routes(routes!(me::session_revoke))
        .routes(routes!(me::totp_begin))
        .routes(routes!(me::totp_confirm))
        .routes(routes!(me::totp_remove))
        .routes(routes!(keys::key_list, keys::key_create))
        .routes(routes!(keys::key_revoke))
        .routes(routes!(conclusion::experiment_conclude))
        .routes(routes!(proposals::proposal_approve))
        .routes(routes!(proposals::proposal_reject))
        .routes(routes!(conclusion::experiment_reopen))
        .routes(routes!(conclusion::experiment_plan_confirm))
        .routes(routes!(conclusion::experiment_act_confirm))
        .routes(routes!(inbox::inbox_list))
        .routes(routes!(inbox::inbox_count))
        .routes(routes!(inbox::inbox_read))
        .routes(routes!(inbox::inbox_mark))
        .routes(routes!(inbox::watch_show, inbox::watch_begin, inbox::watch_stop))
}

/// Experiments as flags, for OpenFeature clients, including those in browsers.
fn open_feature() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(ofrep::flag_evaluate)).routes(routes!(ofrep::flags_evaluate)).layer(
        CorsLayer::new()
            .allow_origin(Any)
            .allow_methods([Method::POST])
            .allow_headers([AUTHORIZATION, CONTENT_TYPE, IF_NONE_MATCH, HeaderName::from_static("x-api-key")])
            .expose_headers([ETAG, RETRY_AFTER, X_REQUEST_ID])
            .vary([])
            .max_age(PREFLIGHT),
    )
}

/// Events that servers send of their visitors. No page sends them, so they get no CORS headers, and are not below the
/// prefix that sites forward.
fn visitors_of_servers() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(events::event_batch_take))
}

/// The paths that pages of every origin can read, as in the contract; those of visitors also below their prefix.
pub fn open_paths(prefix: &str) -> Vec<String> {
    let paths = |router: OpenApiRouter<App>| router.split_for_parts().1.paths.paths.into_keys();
    let below = paths(visitor_traffic()).filter(|_| !prefix.is_empty()).map(|path| format!("{prefix}{path}"));
    paths(visitor_traffic()).chain(paths(open_feature())).chain(below).collect()
}

/// Requests of pages, which need the project's key only.
fn visitor_traffic() -> OpenApiRouter<App> {
    let mut router = OpenApiRouter::new()
        .routes(routes!(traffic::ruleset_show))
        .routes(routes!(traffic::preview_show))
        .routes(routes!(traffic::preview_report))
        .routes(routes!(traffic::geography_show))
        .routes(routes!(events::events_take))
        // Files have an extension, which the router would take for a part of the parameter.
        .route("/js/{file}", get(script::script_show))
        .route("/js/muriel.d.ts", get(script::types_show))
        .route("/js/parts/{file}", get(script::part_show))
        .layer(
            CorsLayer::new()
                .allow_origin(Any)
                .allow_methods([Method::GET, Method::POST])
                .allow_headers([AUTHORIZATION, CONTENT_TYPE, CONTENT_ENCODING, IF_NONE_MATCH])
                .expose_headers([ETAG, RETRY_AFTER, X_REQUEST_ID])
                // The response is the same for every origin, so that caches keep one copy.
                .vary([])
                .max_age(PREFLIGHT),
        );
    describe::<script::__path_script_show>(&mut router);
    describe::<script::__path_types_show>(&mut router);
    describe::<script::__path_part_show>(&mut router);
    router
}

/// Adds an operation to the contract whose route differs from its published path. Only the `routes!` macro knows the
/// tag of an operation, so the tag is repeated here.
fn describe<P: utoipa::Path>(router: &mut OpenApiRouter<App>) {
    let mut operation = P::operation();
    operation.tags = Some(vec!["Visitor traffic".to_owned()]);
    router.get_openapi_mut().paths.add_path_operation(P::path(), P::methods(), operation);
}

/// All operations of the contract.
fn published() -> OpenApiRouter<App> {
    interface()
        .merge(without_sign_in())
        .merge(for_people())
        .merge(open_feature())
        .merge(visitor_traffic())
        .merge(visitors_of_servers())
}

/// Building the contract takes longer than everything else at startup, and it is the same for every server. So a
/// process builds it once, for all its routers and tools.
static CONTRACT: LazyLock<OpenApi> = LazyLock::new(|| openapi::complete(published().split_for_parts().1));
static CONTRACT_JSON: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(&*CONTRACT).expect("the contract is JSON"));
static DOCS: LazyLock<Router<App>> = LazyLock::new(|| docs::routes(&CONTRACT));
static EVERYBODY: LazyLock<Router<App>> = LazyLock::new(|| published().split_for_parts().0);
static WITHOUT_PEOPLE: LazyLock<Router<App>> = LazyLock::new(|| {
    interface().merge(open_feature()).merge(visitor_traffic()).merge(visitors_of_servers()).split_for_parts().0
});
static PEOPLE: LazyLock<Router<App>> =
    LazyLock::new(|| interface().merge(without_sign_in()).merge(for_people()).split_for_parts().0);

/// OpenAPI contract of the API.
pub fn contract() -> &'static OpenApi {
    &CONTRACT
}

/// [`contract`] as JSON.
pub fn contract_json() -> &'static Value {
    &CONTRACT_JSON
}

/// Clients that a listener serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// Programs, visitors and people, on one host.
    Everybody,
    /// Programs and visitors. Sessions are not accepted.
    WithoutPeople,
    /// People and programs. Visitor traffic, which includes customers' code, is not served.
    People,
}

/// The API for a listener, with its state.
pub fn router(app: App, listener: Listener) -> Router {
    unknown_query::set(&CONTRACT);
    let served = match listener {
        Listener::Everybody => EVERYBODY.clone(),
        Listener::WithoutPeople => WITHOUT_PEOPLE.clone(),
        Listener::People => PEOPLE.clone(),
    };
    let prefix = app.site.visitor_prefix.as_str();
    let served = match prefix {
        "" => served,
        _ if listener == Listener::People => served,
        _ => served.nest(prefix, visitor_traffic().split_for_parts().0.layer(Extension(Mount::Prefix))),
    };
    let served = match listener {
        Listener::WithoutPeople => {
            let start = get(|| async { Redirect::temporary("/docs/start") });
            served.layer(Extension(SessionsOff)).route("/", start)
        }
        Listener::Everybody | Listener::People => served.merge(dashboard::routes()),
    };
    served
        .route("/livez", get(crate::health::live))
        .route("/readyz", get(crate::health::ready))
        .merge(DOCS.clone())
        .with_state(app)
}
