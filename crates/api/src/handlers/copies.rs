//! Copies of experiments, and the archive.

use super::experiments::{id_in, target};
use super::{Sent, idempotency_key, read_body, rendered, stored};
use crate::answer::{if_match, json as answered, tagged};
use crate::auth::{Caller, Write};
use crate::error::{ApiError, conflict_codes};
use crate::json as gate;
use crate::wire::experiment as wire;
use crate::wire::fields::{Mode, boolean, from_body, parsed};
use crate::wire::{schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_context::error::ConflictCode::{ApprovalNeeded, KeyTaken, TransitionForbidden};
use muriel_domain::experiment::Experiment;
use muriel_domain::{Problems, text};
use muriel_http::body::MediaType;
use muriel_service::App;
use muriel_service::experiments::{self, Created, Edit, NewExperiment};

/// Maximum length of a name, in characters.
const NAME_MAX: usize = 255;
const SUFFIX: &str = " (copy)";

/// Creates a draft as a copy of an experiment: with its variants, targeting, goals and settings, but without start and
/// end dates.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/duplicate", tag = "Experiments", operation_id = "duplicateExperiment",
    request_body = schemas::DuplicateBody,
    responses((status = 201, description = "The copy was created.", body = views::Duplicated)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[KeyTaken]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn experiment_duplicate(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (id, headers, project) = (id_in(&id)?, request.headers().clone(), caller.project.clone());
    let sent = read_body(request, &[MediaType::Json]).await;
    let original = experiments::find(&app, project.id, id).await?;
    let sent = sent?;
    let name = copied_name(&sent)?;
    let key =
        idempotency_key(&headers, project.id, format!("experiment {id} duplicate"), &sent.bytes, app.clock.now())?;
    if_match(&headers).check(&original.version())?;
    let new = copy(original.experiment, name, &project.key)?;
    let render = |created: &Created| {
        rendered(&views::Duplicated {
            success: true,
            test_id: created.id.0,
            experiment_key: created.experiment.key.clone(),
            warnings: created.warnings.clone(),
        })
    };
    Ok(stored(StatusCode::CREATED, experiments::create(&app, &caller.actor, &project, key, new, render).await?))
}

fn copied_name(sent: &Sent) -> Result<Option<String>, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["test_name"], &[]);
        Some(fields.read("test_name", parsed(|name| text::name(name, NAME_MAX))))
    })
}

/// Copies an experiment, without its start and end dates.
fn copy(original: Experiment, name: Option<String>, project_key: &str) -> Result<NewExperiment, ApiError> {
    let name = name.unwrap_or_else(|| {
        let kept: String = original.name.chars().take(NAME_MAX - SUFFIX.len()).collect();
        format!("{}{SUFFIX}", kept.trim_end())
    });
    let (test_type, data_key) = (original.test_type, original.variants_data_key.clone());
    let mut configuration = original.configuration.clone();
    (configuration.start_test_date, configuration.end_test_date) = (None, None);
    let fields = views::patchable(Experiment { name, configuration, ..original }, project_key);
    let body = gate::parse(&serde_json::to_vec(&fields).map_err(ApiError::internal)?)?;
    let Edit { mut patch, problems } = wire::patch(&body, Mode::Whole);
    patch.variants_data_key = None;
    Ok(NewExperiment {
        patch,
        test_type: Some(test_type),
        variants_data_key: Some(data_key),
        is_copy: true,
        problems,
        ..NewExperiment::default()
    })
}

/// Archives an experiment, so that the overview leaves it out, or takes it out of the archive. An experiment that
/// visitors meet cannot be archived.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}/archive", tag = "Experiments", operation_id = "archiveExperiment",
    request_body = schemas::ArchiveBody,
    responses((status = 200, description = "The new state of the archive flag.", body = views::ArchiveUpdated)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn experiment_archive(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = target(&caller, id, request.headers());
    let archived = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(archived_of(&sent)?));
    let archived = archived.map_err(muriel_context::Error::from);
    let changed = experiments::archive(&app, &caller.actor, target, archived).await?;
    let body = views::ArchiveUpdated { success: true, test_id: id.0, archived: changed.after.archived };
    Ok(tagged(answered(StatusCode::OK, &body)?, &changed.version))
}

fn archived_of(sent: &Sent) -> Result<bool, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["archived"], &[]);
        fields.needed("archived", boolean)
    })
}
