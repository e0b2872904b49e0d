//! The published contract, and checks of responses against it.

use crate::{Answer, raw};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static CONTRACT: OnceLock<Contract> = OnceLock::new();

/// The OpenAPI document that the servers of this run publish.
pub struct Contract {
    /// The document as served.
    pub text: String,
    /// The document as JSON.
    pub document: Value,
    /// All operations.
    pub operations: Vec<Operation>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// One operation of the contract.
#[derive(Debug, Clone)]
pub struct Operation {
    /// HTTP method, such as `GET`.
    pub method: String,
    /// Path, such as `/v2/project/{project_key}/goals`.
    pub path: String,
    /// Scope that a key needs.
    pub scope: String,
    /// Allowed callers: `session` for people only, `anybody` for a person who is about to sign in,
    /// `link` for holders of a link to a result; empty for keys and people, and for visitors.
    pub callers: String,
    /// Roles of people that it needs; empty where people do not call it.
    pub roles: Vec<String>,
    /// The `operationId`.
    pub id: String,
    /// True when it takes a body.
    pub takes_body: bool,
    responses: Value,
}

impl Operation {
    /// Returns whether it needs no key, because visitors call it.
    pub fn is_public(&self) -> bool {
        self.scope == "none" && self.callers.is_empty()
    }

    /// Returns whether its response is a stream without an end.
    pub fn is_stream(&self) -> bool {
        self.responses["200"]["content"].get("text/event-stream").is_some()
    }

    /// Returns whether its path is a project's in the versioned API.
    pub fn is_below_project(&self) -> bool {
        self.path.starts_with("/v2/project/{project_key}/")
    }

    /// Returns whether its errors are those of the OpenFeature Remote Evaluation Protocol.
    pub fn is_ofrep(&self) -> bool {
        self.path.contains("/ofrep/")
    }

    /// Asserts that the response is an error of this status and code, in the format of the
    /// OpenFeature protocol where the operation belongs to it.
    ///
    /// # Panics
    /// When the response differs.
    #[track_caller]
    pub fn refused(&self, answer: Answer, status: u16, code: &str) -> Answer {
        if !self.is_ofrep() {
            return answer.refused(status, code);
        }
        let expect: &[&str] = match code {
            "malformed_body" | "unsupported_media_type" => &["PARSE_ERROR"],
            "invalid_field" => &["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT"],
            "not_found" => &["FLAG_NOT_FOUND", "GENERAL"],
            _ => &["GENERAL"],
        };
        let answer = answer.has_status(status);
        let error_code = answer.body["errorCode"].as_str().unwrap_or_default();
        assert!(expect.contains(&error_code), "{} was answered {}", answer.said, answer.text());
        answer
    }

    /// Returns the path below the project, with parameters replaced by their values.
    pub fn below_project(&self, mut value_of: impl FnMut(&str) -> String) -> String {
        let below = self.path.trim_start_matches("/v2/project/{project_key}");
        let parts = below.split('/').map(|part| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(parameter) => value_of(parameter),
            None => part.to_owned(),
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// Returns whether its path names an object within the project.
    pub fn names_a_thing(&self) -> bool {
        // Visitors are not stored objects: an unknown id is a visitor without events.
        self.path.matches('{').count() > 1 && !self.path.contains("{visitor_id}")
    }

    /// Returns whether a part of a path matches a parameter of the contract, including its suffix.
    fn is_value_of(parameter: &str, part: &str) -> bool {
        let ending = parameter.strip_prefix('{').and_then(|parameter| Some(parameter.split_once('}')?.1));
        ending.is_some_and(|ending| part.len() > ending.len() && part.ends_with(ending))
    }

    fn is_at(&self, path: &str) -> bool {
        let (mut ours, mut theirs) = (self.path.split('/'), path.split('/'));
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return true,
                (Some(ours), Some(theirs)) if ours == theirs || Self::is_value_of(ours, theirs) => {}
                _ => return false,
            }
        }
    }
}

impl Contract {
    /// Returns the contract of this run.
    ///
    /// # Panics
    /// Before the first server has started.
    pub fn get() -> &'static Contract {
        CONTRACT.get().expect("a server has started")
    }

    /// Loads the contract from a server. All servers of a run have the same.
    pub(crate) fn learn(address: SocketAddr) {
        CONTRACT.get_or_init(|| {
            let request = "GET /openapi.json HTTP/1.1\r\nHost: story\r\nConnection: close\r\n\r\n";
            let answer = raw::unchecked(address, request.as_bytes());
            assert_eq!(answer.status, 200, "{answer:?}");
            Contract::parse(answer.text())
        });
    }

    fn parse(text: String) -> Self {
        let document: Value = serde_json::from_str(&text).expect("the contract is JSON");
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                let text = |name: &str| {
                    let text = operation[name].as_str();
                    text.unwrap_or_else(|| panic!("{method} {path} has no {name}")).to_owned()
                };
                let security = operation["security"].as_array().cloned().unwrap_or_default();
                let roles = security.iter().find_map(|way| way["session"].as_array()).cloned().unwrap_or_default();
                let takes_keys = security.iter().any(|way| way.get("bearer").is_some());
                let callers = match (takes_keys, roles.is_empty()) {
                    (false, false) => "session",
                    (false, true) if path.starts_with("/v2/") => "anybody",
                    (false, true) if path.starts_with("/share/") => "link",
                    _ => "",
                };
                operations.push(Operation {
                    callers: callers.to_owned(),
                    roles: roles.iter().filter_map(|role| role.as_str().map(str::to_owned)).collect(),
                    method: method.to_uppercase(),
                    path: path.clone(),
                    scope: text("x-scope"),
                    id: text("operationId"),
                    takes_body: operation.get("requestBody").is_some(),
                    responses: operation["responses"].clone(),
                });
            }
        }
        Self { text, document, operations, validators: Mutex::default() }
    }

    /// Returns the operations of a project in the versioned API that accept a key.
    pub fn keyed(&self) -> impl Iterator<Item = &Operation> {
        self.operations
            .iter()
            .filter(|operation| !operation.is_public() && operation.is_below_project() && operation.callers.is_empty())
    }

    /// Returns the operation with this id.
    ///
    /// # Panics
    /// When it does not exist.
    pub fn operation(&self, id: &str) -> &Operation {
        let found = self.operations.iter().find(|operation| operation.id == id);
        found.unwrap_or_else(|| panic!("the contract has no {id}"))
    }

    /// Checks a response against the contract.
    ///
    /// # Panics
    /// When the response breaks the contract.
    #[track_caller]
    pub(crate) fn check(method: &str, target: &str, answer: &Answer) {
        let contract = Self::get();
        let path = target.split('?').next().unwrap_or_default();
        let fail = |what: &str| -> ! { panic!("{}: {what} in {} {}", answer.said, answer.status, answer.text()) };
        let request_id = answer.header("x-request-id").unwrap_or_else(|| fail("no X-Request-Id"));
        let operation = contract.operations.iter().find(|one| one.method == method && one.is_at(path));
        // The OpenFeature protocol's errors have their own format, which the contract describes.
        let is_foreign = operation.is_some_and(Operation::is_ofrep) && answer.body.get("errorCode").is_some();
        // So do errors of the Model Context Protocol, once a request has passed the guard.
        let is_foreign = is_foreign || path == "/mcp" && answer.body["jsonrpc"] == "2.0";
        // Ended links show people an HTML page.
        let is_page = path.starts_with("/share/") && answer.header("content-type") == Some("text/html; charset=utf-8");
        if answer.status >= 400 && path != "/readyz" && !is_foreign && !is_page {
            contract.check_error(answer, request_id);
        }
        let Some(operation) = operation else { return };
        let declared = &operation.responses[answer.status.to_string()];
        if declared.is_null() {
            fail("a status that the contract does not declare");
        }
        match declared["content"].as_object() {
            None if answer.bytes.is_empty() => {}
            None => fail("a body where the contract has none"),
            Some(content) => {
                let content_type = answer.header("content-type").unwrap_or_default();
                let essence = content_type.split(';').next().unwrap_or_default();
                let Some(media) = content.get(essence) else {
                    fail("a content type that the contract does not declare");
                };
                let is_json = essence == "application/json";
                let body = match essence {
                    // The contract describes each line as an item.
                    "application/x-ndjson" => Value::Array(answer.lines()),
                    _ if is_json => answer.body.clone(),
                    _ => Value::String(answer.text()),
                };
                let validator = contract.validator(&operation.id, answer.status, essence, &media["schema"]);
                let errors: Vec<_> =
                    validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect();
                if !errors.is_empty() {
                    fail(&errors.join("\n"));
                }
                let says_success = is_json && !operation.is_ofrep() && !operation.is_public();
                if says_success && answer.status < 400 && answer.body["success"] != true {
                    fail("no success");
                }
            }
        }
    }

    #[track_caller]
    fn check_error(&self, answer: &Answer, request_id: &str) {
        let fail = |what: &str| -> ! { panic!("{}: {what} in {} {}", answer.said, answer.status, answer.text()) };
        if answer.header("content-type") != Some("application/json") {
            fail("an error that is no JSON");
        }
        let Some(error) = answer.body.as_object() else { fail("an error without a body") };
        if !error.keys().eq(["success", "error", "code", "errors", "request_id"]) {
            fail("other fields than an error has");
        }
        if error["success"] != false {
            fail("success");
        }
        if error["request_id"] != request_id {
            fail("a request id that is not the one of the header");
        }
        if error["error"].as_str().is_none_or(|sentence| sentence.trim().is_empty()) {
            fail("no sentence");
        }
        let known = muriel_api::error::CODES;
        if !known.iter().any(|(code, status, _)| error["code"] == *code && answer.status == *status) {
            fail("a code that is not listed with this status");
        }
        let Some(errors) = error["errors"].as_array() else { fail("no errors") };
        for one in errors {
            let filled = |name: &str| one[name].as_str().is_some_and(|text| !text.trim().is_empty());
            if one.as_object().is_none_or(|one| one.len() != 2) || !filled("field") || !filled("message") {
                fail("an entry of errors without field and message");
            }
        }
        let lists = error["code"] == "invalid_field" || error["code"] == "invalid_parameter";
        // An unreadable body is one fault, which may be in a field.
        let is_the_sentence = |one: &Value| {
            let text = |name: &str| one[name].as_str().unwrap_or_default();
            error["error"] == format!("{} {}", text("field"), text("message"))
        };
        let names_it = error["code"] == "malformed_body" && matches!(errors.as_slice(), [one] if is_the_sentence(one));
        if lists == errors.is_empty() && !names_it {
            fail("errors that do not go with the code");
        }
    }

    fn validator(&self, id: &str, status: u16, essence: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let validator = validators.entry(format!("{id} {status} {essence}")).or_insert_with(|| {
            let whole = json!({ "allOf": [schema], "components": self.document["components"] });
            let options =
                jsonschema::options().with_draft(jsonschema::Draft::Draft202012).should_validate_formats(true);
            Arc::new(options.build(&whole).unwrap_or_else(|error| panic!("the schema of {id} {status}: {error}")))
        });
        validator.clone()
    }
}
