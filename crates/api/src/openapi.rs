//! OpenAPI contract. Facts that all operations share are added here.

use crate::error::{CODES, conflict_codes};
use crate::wire::schemas::{ErrorBody, EvaluationFailure, FieldError};
use http::Method;
use muriel_context::error::ConflictCode;
use muriel_delivery::script::Part;
use muriel_domain::access::Scope;
use muriel_domain::person::Role;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{AdditionalProperties, AnyOfBuilder, ArrayItems, SchemaType};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, Header, InfoBuilder, License, Object, ObjectBuilder, OpenApi, Ref, RefOr, Required,
    ResponseBuilder, Schema, ServerBuilder, Type,
};
use utoipa::{PartialSchema, ToSchema};

/// Completes the contract with what the routes do not declare: license, authentication, path parameters, errors.
pub(crate) fn complete(mut contract: OpenApi) -> OpenApi {
    let mut license = License::new("Apache-2.0");
    license.identifier = Some("Apache-2.0".to_owned());
    contract.info =
        InfoBuilder::new().title("Muriel").version("2.0").description(Some(DESCRIPTION)).license(Some(license)).build();
    contract.servers = Some(vec![ServerBuilder::new().url("/").build()]);
    let components = contract.components.get_or_insert_default();
    components.schemas.insert(ErrorBody::name().into(), ErrorBody::schema());
    components.schemas.insert(FieldError::name().into(), FieldError::schema());
    components.schemas.insert(EvaluationFailure::name().into(), EvaluationFailure::schema());
    join(&mut components.schemas);
    components.schemas.values_mut().for_each(open);
    components.add_security_scheme("bearer", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    let header = ApiKey::Header(ApiKeyValue::new("X-API-Key"));
    components.add_security_scheme("header", SecurityScheme::ApiKey(header));
    let cookie = "The session's cookie; `muriel` on loopback without TLS.";
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description("__Host-muriel", cookie));
    components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    let csrf = "With a session, for each request that changes something: the `csrf` of getSession. `Origin` must be the server's.";
    let csrf = ApiKey::Header(ApiKeyValue::with_description("X-Muriel-CSRF", csrf));
    components.add_security_scheme("csrf", SecurityScheme::ApiKey(csrf));
    contract.security = Some(vec![needs("bearer")]);

    for (path, item) in &mut contract.paths.paths {
        let operations = [
            (&mut item.get, Method::GET),
            (&mut item.post, Method::POST),
            (&mut item.put, Method::PUT),
            (&mut item.patch, Method::PATCH),
            (&mut item.delete, Method::DELETE),
        ];
        for (operation, method) in operations {
            if let Some(operation) = operation {
                describe(operation, path, &method);
            }
        }
    }
    contract
}

/// Merges each composed schema into one closed object, so that readers and clients see all its fields in one place, and
/// that there are no others.
fn join(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    let mut parts = BTreeSet::new();
    loop {
        let joined = schemas.iter().find_map(|(name, schema)| {
            let RefOr::T(Schema::AllOf(all)) = schema else { return None };
            let mut whole = Object::with_type(Type::Object);
            whole.description.clone_from(&all.description);
            // The schema's own fields come first, as in responses.
            let (own, others): (Vec<_>, Vec<_>) = all.items.iter().partition(|item| matches!(item, RefOr::T(_)));
            for item in own.into_iter().chain(others) {
                let item = match item {
                    RefOr::Ref(reference) => schemas.get(reference.ref_location.rsplit('/').next()?)?,
                    item => item,
                };
                // A part that is itself composed is merged first.
                let RefOr::T(Schema::Object(part)) = item else { return None };
                whole.properties.extend(part.properties.clone());
                whole.required.extend(part.required.iter().cloned());
            }
            whole.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
            Some((name.clone(), all.items.clone(), whole))
        });
        let Some((name, items, whole)) = joined else { break };
        for item in items {
            if let RefOr::Ref(reference) = item {
                parts.extend(reference.ref_location.rsplit('/').next().map(str::to_owned));
            }
        }
        schemas.insert(name, RefOr::T(Schema::Object(whole)));
    }
    for part in parts.iter().filter(|part| !SHARED_PARTS.contains(&part.as_str())) {
        schemas.remove(part);
    }
}

/// Says of each object without declared properties that it may have any. Some generators conclude from their absence that
/// the object is empty.
fn open(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            let is_object = match &object.schema_type {
                SchemaType::Type(one) => *one == Type::Object,
                SchemaType::Array(types) => types.contains(&Type::Object),
                SchemaType::AnyValue => false,
            };
            if is_object && object.properties.is_empty() && object.additional_properties.is_none() {
                object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
            }
            object.properties.values_mut().for_each(open);
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                open(items);
            }
        }
        Schema::OneOf(one) => one.items.iter_mut().for_each(open),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(open),
        Schema::AllOf(all) => all.items.iter_mut().for_each(open),
        _ => {}
    }
}

/// Parts that are also schemas in their own right.
const SHARED_PARTS: [&str; 3] = ["ExperimentPatch", "ExperimentSummary", "Runs"];

const DESCRIPTION: &str = "Experiments, hypotheses and goals. Operations need `Authorization: Bearer <API key>`; \
    the path has the key of the project. A person's session, which is a cookie, replaces the API key; a few operations \
    accept only a session. `x-scope` of an operation is the scope that a key needs; the roles that may call it are \
    listed with the scheme `session` of its `security`. All errors have the same body, with a code from a closed list. \
    Operations for visitors need no API key, and the OpenFeature operations have the error body of their protocol.";

fn needs(scheme: &str) -> SecurityRequirement {
    SecurityRequirement::new(scheme, Vec::<String>::new())
}

/// Kind of client. Authentication and errors depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// The company's programs, with a key, and its people, with a session.
    Company,
    /// The company's programs, with a key.
    Programs,
    /// The company's people, with a session.
    People,
    /// People who are about to sign in.
    Anybody,
    /// Clients of the OpenFeature Remote Evaluation Protocol, with a key.
    OpenFeature,
    /// Anybody's browser.
    Visitors,
    /// Clients with a link to a shared result.
    LinkHolders,
}

impl Audience {
    fn of(path: &str, scope: &str, callers: &str) -> Self {
        if path.contains("/ofrep/") {
            Audience::OpenFeature
        } else if callers == "session" {
            Audience::People
        } else if callers == "anybody" {
            Audience::Anybody
        } else if callers == "link" {
            Audience::LinkHolders
        } else if path.starts_with("/events/") && scope != "none" {
            Audience::Programs
        } else if scope == "none" {
            Audience::Visitors
        } else {
            Audience::Company
        }
    }
}

/// Facts of an operation that its handler declares as extensions and the contract states in another form.
struct Declared {
    scope: String,
    callers: String,
    /// Possible error codes of the 409 response, from the extension `x-conflicts`.
    conflicts: Vec<String>,
    /// Noun of the versioned object that `If-Match` refers to: `x-if-match`.
    if_match: Option<String>,
    /// True when good answers have an ETag without support for `If-None-Match`: `x-etag`.
    has_etag: bool,
    /// True when good answers have the warnings of a change of an experiment: `x-change-warnings`.
    has_change_warnings: bool,
}

impl Declared {
    /// Takes the declared facts out of the operation. `x-scope` stays, as clients read it.
    fn take(operation: &mut Operation) -> Self {
        let mut known = operation.extensions.take().unwrap_or_default();
        let scope = known.get("x-scope").and_then(Value::as_str).unwrap_or_default().to_owned();
        let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
        let conflicts = known.remove("x-conflicts");
        let conflicts = conflicts.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
        let declared = Self {
            scope,
            conflicts: conflicts.map(str::to_owned).collect(),
            callers: text(known.remove("x-callers")).unwrap_or_default(),
            if_match: text(known.remove("x-if-match")),
            has_etag: known.remove("x-etag").is_some(),
            has_change_warnings: known.remove("x-change-warnings").is_some(),
        };
        operation.extensions = Some(known);
        declared
    }
}

fn describe(operation: &mut Operation, path: &str, method: &Method) {
    let mut declared = Declared::take(operation);
    let audience = Audience::of(path, &declared.scope, &declared.callers);
    let takes_body = operation.request_body.is_some();
    // Servers that send their visitors' events may use a key.
    let may_have_key = audience == Audience::Visitors && takes_body && path.starts_with("/events/");
    operation.security = Some(security(audience, &declared.scope, method, may_have_key));
    // Evaluations change nothing, so they need no idempotency key. Events have their own ids. Operations on a whole
    // company cannot be repeated, or repeating them does no harm.
    let is_post = *method == Method::POST
        && matches!(declared.scope.as_str(), "write" | "admin")
        && path.starts_with("/v2/project/{project_key}/");
    if is_post {
        let reused = conflict_codes(&[ConflictCode::IdempotencyKeyReused]);
        declared.conflicts.extend(reused.into_iter().map(str::to_owned));
    }
    let revalidates = operation.responses.responses.contains_key("304");

    let parameters = operation.parameters.get_or_insert_default();
    // In file names, an extension follows the parameter.
    for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.split_once('}')).map(|(name, _)| name) {
        parameters.push(path_parameter(name, audience));
    }
    if let Some(what) = &declared.if_match {
        let description = format!("Applies the change only if this is still the ETag of the {what}; otherwise 412.");
        parameters.push(header("If-Match", &description, None));
    }
    if revalidates {
        parameters.push(header("If-None-Match", "Returns 304 without a body if this is still the ETag.", None));
    }
    if is_post {
        parameters.push(header(
            "Idempotency-Key",
            "1 to 255 printable ASCII characters, not beginning or ending with a space. For a day, a repeated request \
             gets the first successful response again.",
            Some("^[!-~]([ -~]{0,253}[!-~])?$"),
        ));
    }

    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response {
            let mut promise = |name: &str, description: &str| {
                let mut header = Header::new(ObjectBuilder::new().schema_type(Type::String));
                header.description = Some(description.to_owned());
                response.headers.insert(name.to_owned(), RefOr::T(header));
            };
            promise("X-Request-Id", "Identifies the request.");
            if revalidates || declared.has_etag {
                promise("ETag", "The current version.");
            }
            if declared.has_change_warnings {
                promise("X-Muriel-Warnings", CHANGE_WARNINGS);
            }
            if is_post && status.starts_with('2') {
                promise("Idempotent-Replayed", "true when the first response is repeated.");
            }
        }
    }
    for status in error_statuses(&declared, audience, takes_body, may_have_key) {
        let response = error_response(status, &declared.conflicts, audience);
        operation.responses.responses.insert(status.to_string(), RefOr::T(response));
    }
}

/// Credentials of an operation, each an alternative: keys, and sessions with the roles that have the scope.
fn security(audience: Audience, scope: &str, method: &Method, may_have_key: bool) -> Vec<SecurityRequirement> {
    let needed = Scope::ALL.into_iter().find(|known| known.name() == scope);
    let may = |role: &Role| needed.is_none_or(|scope| role.scopes(false).has(scope));
    let roles: Vec<_> = Role::WORDS.iter().filter(|(_, role)| may(role)).map(|(word, _)| *word).collect();
    let mut session = SecurityRequirement::new("session", roles);
    if *method != Method::GET {
        session = session.add("csrf", Vec::<String>::new());
    }
    match audience {
        Audience::Company => vec![needs("bearer"), session],
        Audience::Programs => vec![needs("bearer")],
        Audience::People => vec![session],
        Audience::OpenFeature => vec![needs("bearer"), needs("header")],
        Audience::Visitors if may_have_key => vec![SecurityRequirement::default(), needs("bearer")],
        Audience::Anybody | Audience::Visitors | Audience::LinkHolders => Vec::new(),
    }
}

/// Statuses of the errors that an operation can answer with.
fn error_statuses(declared: &Declared, audience: Audience, takes_body: bool, may_have_key: bool) -> BTreeSet<u16> {
    let mut statuses = BTreeSet::from([400, 404, 405, 408, 414, 429, 431, 500, 503]);
    if !matches!(audience, Audience::Visitors | Audience::LinkHolders) || may_have_key {
        statuses.extend([401, 403]);
    }
    if audience == Audience::LinkHolders {
        statuses.insert(410);
    }
    if takes_body {
        statuses.extend([413, 415]);
    }
    if !declared.conflicts.is_empty() {
        statuses.insert(409);
    }
    if declared.if_match.is_some() {
        statuses.insert(412);
    }
    statuses
}

/// Description of the header `X-Muriel-Warnings` in the answer to a change of an experiment.
const CHANGE_WARNINGS: &str = "A JSON array of sentences, empty without warnings: fields that were reset to their default \
                               because the sent object left them out, deleted variants that were winning, and the \
                               warnings of creating and starting.";

/// Names of the script's parts that are served as files.
fn part_names() -> impl IntoIterator<Item = &'static str> {
    Part::ALL.map(Part::name).into_iter().chain(["badge"])
}

fn path_parameter(name: &str, audience: Audience) -> RefOr<Parameter> {
    let schema = match name {
        "project_key" => ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)),
        "part" => ObjectBuilder::new().schema_type(Type::String).enum_values(Some(part_names())),
        "experiment_key" => ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(64)),
        "token" => ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(64)),
        "prefix" => ObjectBuilder::new().schema_type(Type::String).min_length(Some(8)).max_length(Some(8)),
        "visitor_id" => ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(128)),
        _ => ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1.0)),
    };
    let description = match name {
        "project_key" => "The project's key.",
        "test_id" => "The experiment's id.",
        "experiment_key" => "The experiment's key.",
        "hypothesis_id" => "The hypothesis's id.",
        "group_id" => "The group's id.",
        "webhook_id" => "The webhook's id.",
        "delivery_id" => "The delivery's id.",
        "visitor_id" => "The visitor's id, percent-encoded.",
        "visitor_job_id" => "The id of the deletion.",
        "proposal_id" => "The proposal's id.",
        "share_id" => "The share's id.",
        "exclusion_id" => "The exclusion's id.",
        "part" => "The part's name.",
        "token" if audience == Audience::LinkHolders => "The part of the link after `/share/`.",
        "token" => "The part of the link after `#`.",
        "prefix" => "The key's 8 characters after `mrl_`.",
        "person_id" => "The person's id.",
        "session_id" => "The session's id.",
        "passkey_id" => "The passkey's id.",
        "invitation_id" => "The invitation's id.",
        "entry_id" => "The entry's id.",
        _ => "The goal's id.",
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(schema))
        .build()
        .into()
}

fn header(name: &str, description: &str, pattern: Option<&str>) -> RefOr<Parameter> {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).pattern(pattern)))
        .build()
        .into()
}

fn error_response(status: u16, conflicts: &[String], audience: Audience) -> utoipa::openapi::Response {
    let possible = |code: &str| status != 409 || conflicts.iter().any(|known| known == code);
    let codes: Vec<_> = CODES.iter().filter(|(code, of, _)| *of == status && possible(code)).collect();
    let description: Vec<_> = codes.iter().map(|(code, _, meaning)| format!("`{code}`: {meaning}.")).collect();
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let mut response = ResponseBuilder::new()
        .description(description.join(" "))
        .content("application/json", ContentBuilder::new().schema(Some(error_body(status, audience))).build());
    response = response.header("X-Request-Id", Header::new(text()));
    if matches!(status, 429 | 503) {
        response = response.header("Retry-After", Header::new(ObjectBuilder::new().schema_type(Type::Integer)));
    }
    if status == 401 {
        response = response.header("WWW-Authenticate", Header::new(text()));
    }
    response.build()
}

/// Error body by status: the protocol's body where the operation responds, this API's body where the request is refused
/// before it, and either where both are possible.
fn error_body(status: u16, audience: Audience) -> RefOr<Schema> {
    let (ours, protocol) = (Ref::from_schema_name("ErrorBody"), Ref::from_schema_name("EvaluationFailure"));
    match status {
        _ if audience != Audience::OpenFeature => ours.into(),
        401 | 403 | 404 | 413 | 415 => protocol.into(),
        405 | 414 | 431 => ours.into(),
        _ => AnyOfBuilder::new().item(protocol).item(ours).into(),
    }
}
