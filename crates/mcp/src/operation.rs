//! An operation of the API, called with the arguments of a tool.

use crate::BadContract;
use crate::schema::{self, named, resolved};
use crate::spec::Spec;
use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The argument that names the project, and the query parameter of a connection that names it for all calls.
pub(crate) const PROJECT: &str = "project_key";

/// Places of the arguments in the API's request.
pub(crate) struct Operation {
    method: Method,
    /// The path, with the names of arguments in braces.
    path: String,
    query: Vec<String>,
    /// Arguments that are header fields.
    headers: Vec<(String, HeaderName)>,
    /// The media type of the body, which has all other arguments.
    body: Option<String>,
    open_query: Option<&'static str>,
}

/// An argument from which no request can be built: its name, and the fault.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadArgument {
    pub(crate) name: String,
    pub(crate) message: &'static str,
}

fn bad(name: &str, message: &'static str) -> BadArgument {
    BadArgument { name: name.to_owned(), message }
}

impl Operation {
    /// Returns the operation of a tool, the schema of its arguments, and its summary.
    pub(crate) fn of(contract: &Value, spec: &Spec) -> Result<(Operation, JsonObject, String), BadContract> {
        let (path, method, found) = find(contract, spec.operation)?;
        let mut operation = Operation {
            method: method.to_ascii_uppercase().parse().map_err(|_| BadContract(format!("bad method {method}")))?,
            path: path.to_owned(),
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            open_query: spec.open_query,
        };
        let (mut properties, mut required) = (JsonObject::new(), Vec::new());
        let parameters = found["parameters"].as_array().map_or(&[][..], Vec::as_slice);
        let visible = parameters.iter().filter(|one| !spec.hidden.iter().any(|hidden| one["name"] == *hidden));
        for parameter in visible {
            let argument = operation.take(parameter)?;
            if parameter["required"] == true {
                required.push(argument.clone().into());
            }
            properties.insert(argument, described(parameter));
        }
        if let Some(context) = spec.open_query {
            let members = json!({ "type": ["string", "number", "boolean"] });
            properties.insert(
                context.to_owned(),
                json!({ "type": "object", "description": CONTEXT, "additionalProperties": members }),
            );
        }
        if found["requestBody"].is_object() {
            let (media_type, fields) = match spec.body {
                Some((media_type, schema)) => (media_type, named(contract, schema)?),
                None => ("application/json", &found["requestBody"]["content"]["application/json"]["schema"]),
            };
            if found["requestBody"]["content"].get(media_type).is_none() {
                return Err(BadContract(format!("{} does not take {media_type}", spec.operation)));
            }
            operation.body = Some(media_type.to_owned());
            let fields = resolved(contract, fields)?;
            for (name, field) in fields["properties"].as_object().into_iter().flatten() {
                if properties.insert(name.clone(), field.clone()).is_some() {
                    return Err(BadContract(format!("{}: {name} is both a parameter and a field", spec.operation)));
                }
            }
            required.extend(fields["required"].as_array().into_iter().flatten().cloned());
        }
        let schema = schema::object(contract, properties, required, false)?;
        Ok((operation, schema, found["summary"].as_str().unwrap_or_default().to_owned()))
    }

    /// Adds a parameter of the contract and returns the name of its argument.
    fn take(&mut self, parameter: &Value) -> Result<String, BadContract> {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        match parameter["in"].as_str() {
            Some("path") => Ok(name),
            Some("query") => {
                self.query.push(name.clone());
                Ok(name)
            }
            Some("header") => {
                let field = name.parse().map_err(|_| BadContract(format!("{name} is not a header field")))?;
                let argument = name.to_ascii_lowercase().replace('-', "_");
                self.headers.push((argument.clone(), field));
                Ok(argument)
            }
            place => Err(BadContract(format!("{name} is in {place:?}"))),
        }
    }

    /// Builds the API request of a call with these arguments. `project` is the project of the connection.
    pub(crate) fn request(
        &self,
        mut arguments: JsonObject,
        project: Option<&str>,
    ) -> Result<Request<Body>, Vec<BadArgument>> {
        let mut problems = Vec::new();
        if let Some(project) = project.filter(|_| !self.is_below_project()) {
            // An operation about several projects is limited to the project of the connection.
            arguments.insert("project".to_owned(), project.into());
        } else if let Some(project) = project {
            match arguments.insert(PROJECT.to_owned(), project.into()) {
                Some(other) if other != project => problems.push(bad(PROJECT, "must be the project of the connection")),
                _ => {}
            }
        }
        let mut target = self.filled_path(&mut arguments, &mut problems);
        self.add_query(&mut target, &mut arguments, &mut problems);
        let mut headers = self.header_fields(&mut arguments, &mut problems);
        let body = match &self.body {
            Some(media_type) => {
                if let Ok(media_type) = HeaderValue::from_str(media_type) {
                    headers.insert(header::CONTENT_TYPE, media_type);
                }
                Body::from(Value::Object(arguments).to_string())
            }
            None => {
                let unknown = arguments.keys();
                problems.extend(unknown.map(|name| bad(name, "is not an argument of this tool")));
                Body::empty()
            }
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut request = Request::new(body);
        *request.method_mut() = self.method.clone();
        // All text from outside is percent-encoded, so only the length can be wrong.
        *request.uri_mut() = target.parse().map_err(|_| vec![bad("arguments", "are too long for an address")])?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Returns whether its path names a project.
    fn is_below_project(&self) -> bool {
        self.path.contains("{project_key}")
    }

    fn filled_path(&self, arguments: &mut JsonObject, problems: &mut Vec<BadArgument>) -> String {
        let mut filled = String::new();
        for part in self.path.split('/').skip(1) {
            filled.push('/');
            let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
                filled.push_str(part);
                continue;
            };
            match scalar(name, arguments, problems) {
                Some(text) if text.is_empty() => problems.push(bad(name, "must not be empty")),
                Some(text) => encode(&text, &mut filled),
                None if problems.iter().any(|problem| problem.name == name) => {}
                None => problems.push(bad(name, "must be given")),
            }
        }
        filled
    }

    fn add_query(&self, target: &mut String, arguments: &mut JsonObject, problems: &mut Vec<BadArgument>) {
        let mut pairs = Vec::new();
        for name in &self.query {
            pairs.extend(scalar(name, arguments, problems).map(|text| (name.clone(), text)));
        }
        if let Some(open) = self.open_query {
            match arguments.shift_remove(open) {
                None | Some(Value::Null) => {}
                Some(Value::Object(mut members)) => {
                    let names: Vec<String> = members.keys().cloned().collect();
                    let reserved: BTreeSet<&str> = self.query.iter().map(String::as_str).collect();
                    for name in names {
                        if reserved.contains(name.as_str()) {
                            problems.push(bad(&name, "must be given next to the context, not in it"));
                        } else if let Some(text) = scalar(&name, &mut members, problems) {
                            pairs.push((name, text));
                        }
                    }
                }
                Some(_) => problems.push(bad(open, "must be an object")),
            }
        }
        for (at, (name, text)) in pairs.iter().enumerate() {
            target.push(if at == 0 { '?' } else { '&' });
            encode(name, target);
            target.push('=');
            encode(text, target);
        }
    }

    fn header_fields(&self, arguments: &mut JsonObject, problems: &mut Vec<BadArgument>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, field) in &self.headers {
            let Some(text) = scalar(name, arguments, problems) else { continue };
            let text = if *field == header::IF_MATCH { quoted(text) } else { text };
            match HeaderValue::from_str(&text) {
                Ok(value) => drop(headers.insert(field, value)),
                Err(_) => problems.push(bad(name, "must be printable ASCII characters")),
            }
        }
        headers
    }
}

const CONTEXT: &str = "Facts about the visitor: `country`, `url`, `device`…, or an attribute, each with its value.";

/// Finds the path, the method and the operation with this id.
fn find<'c>(contract: &'c Value, id: &str) -> Result<(&'c str, &'c str, &'c Value), BadContract> {
    let paths = contract["paths"].as_object().into_iter().flatten();
    let mut operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    });
    let found = operations.find(|(_, _, operation)| operation["operationId"] == id);
    found.ok_or_else(|| BadContract(format!("there is no operation {id}")))
}

/// The schema of a parameter with its description.
fn described(parameter: &Value) -> Value {
    let mut schema = parameter["schema"].clone();
    if parameter["description"].is_string() && schema.is_object() {
        schema["description"] = parameter["description"].clone();
    }
    schema
}

/// Takes an argument that is a text, a number or a switch, as text. Null counts as absent.
fn scalar(name: &str, arguments: &mut JsonObject, problems: &mut Vec<BadArgument>) -> Option<String> {
    match arguments.shift_remove(name)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => {
            problems.push(bad(name, "must be text or a number"));
            None
        }
    }
}

/// An entity tag with its quotes, which agents leave out.
fn quoted(tag: String) -> String {
    if tag == "*" || tag.contains('"') { tag } else { format!("\"{tag}\"") }
}

fn encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            // Writing to a text cannot fail.
            let _ = write!(into, "%{byte:02X}");
        }
    }
}
