//! Client of a running server's API.

use super::content::{Fields, Kind, Stored};
use super::diff::{Ids, Project};
use crate::remote::{self, ANSWER_MAX, Remote};
use crate::{Error, Result};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::thread;
use std::time::Duration;
use ureq::Agent;
use ureq::http::{HeaderMap, Method, Request};
use url::Url;

/// Maximum attempts of a request that the server answers with 503.
const ATTEMPTS: u32 = 6;
/// Maximum wait between two attempts.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Number of names on a page.
const PAGE: i64 = 1_000;
/// Maximum number of objects of a kind.
const OBJECTS_MAX: usize = 100_000;

/// Client of one project's API.
pub(crate) struct Api {
    agent: Agent,
    base: Url,
    key: String,
}

/// Successful response.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) body: Value,
    /// Current version of the object.
    pub(crate) etag: Option<String>,
}

/// Failure of a request.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server refused it, with this status and message.
    Refused(u16, String),
    /// No answer was received, so the request may have been carried out or not.
    Lost(String),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(_, sentence) | Failure::Lost(sentence) => Error::Refused(sentence),
        }
    }
}

/// Conditions of a request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Conditions<'a> {
    /// Version that the object must have.
    pub(crate) etag: Option<&'a str>,
    /// Key that identifies repetitions of the request.
    pub(crate) idempotency_key: Option<&'a str>,
}

impl Api {
    pub(crate) fn new(remote: &Remote, project: &str) -> Result<Self> {
        Ok(Self::at(remote.address()?, remote.key()?, project))
    }

    /// Creates a client for a project of the server at this address.
    pub(super) fn at(mut base: Url, key: String, project: &str) -> Self {
        if let Ok(mut segments) = base.path_segments_mut() {
            segments.pop_if_empty().extend(["v2", "project", project]);
        }
        Self { agent: remote::agent(), base, key }
    }

    pub(crate) fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.send(Method::GET, path, None, Conditions::default())
    }

    /// Sends a request, with retries while the server is busy.
    pub(crate) fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        conditions: Conditions<'_>,
    ) -> Result<Answer, Failure> {
        // A lost request may have been carried out, so only repeatable requests are retried after that.
        let is_repeatable = method == Method::GET || conditions.idempotency_key.is_some();
        let mut attempt = 1;
        loop {
            match self.send_once(&method, path, body, conditions) {
                Ok(Sent::Answer(answer)) => return Ok(answer),
                Ok(Sent::Busy(_, sentence)) if attempt >= ATTEMPTS => return Err(Failure::Refused(503, sentence)),
                Ok(Sent::Busy(wait, _)) => thread::sleep(wait.unwrap_or(Duration::from_secs(1)).min(WAIT_MAX)),
                Err(Failure::Lost(_)) if is_repeatable && attempt < 3 => thread::sleep(Duration::from_millis(200)),
                Err(failure) => return Err(failure),
            }
            attempt += 1;
        }
    }

    fn send_once(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        conditions: Conditions<'_>,
    ) -> Result<Sent, Failure> {
        let address = format!("{}{path}", self.base);
        let mut request = Request::builder().method(method.clone()).uri(&address);
        request = request.header("authorization", format!("Bearer {}", self.key));
        if let Some(etag) = conditions.etag {
            request = request.header("if-match", etag);
        }
        if let Some(key) = conditions.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let lost = |error: &dyn std::fmt::Display| {
            Failure::Lost(format!("no muriel server answers at {}: {error}", self.base))
        };
        let sent = match body {
            Some(body) => request
                .header("content-type", "application/json")
                .body(body.to_string())
                .map_err(|error| lost(&error))
                .and_then(|request| self.agent.run(request).map_err(|error| lost(&error))),
            None => request
                .body(())
                .map_err(|error| lost(&error))
                .and_then(|request| self.agent.run(request).map_err(|error| lost(&error))),
        };
        let mut response = sent?;
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.body_mut().with_config().limit(ANSWER_MAX).read_to_string();
        let text = text.map_err(|error| lost(&error))?;
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() && body.is_object() {
            return Ok(Sent::Answer(Answer { body, etag: header(&headers, "etag") }));
        }
        let sentence = match body.get("error").and_then(Value::as_str) {
            Some(sentence) => printable(sentence),
            None => format!("{} answers {status}, but not like a muriel server", self.base),
        };
        match status.as_u16() {
            429 | 503 => Ok(Sent::Busy(
                header(&headers, "retry-after").and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs),
                sentence,
            )),
            code => Err(Failure::Refused(code, sentence)),
        }
    }

    /// Path of an object.
    pub(crate) fn path(kind: Kind, id: i64) -> String {
        format!("/{}/{id}", kind.word())
    }

    /// Loads an object with its version; `None` if it does not exist.
    pub(crate) fn details(
        &self,
        kind: Kind,
        (id, name): (i64, &str),
        slugs: &HashMap<i64, String>,
    ) -> Result<Option<(Stored, String)>, Failure> {
        let answer = match self.get(&Self::path(kind, id)) {
            Ok(answer) => answer,
            Err(Failure::Refused(404, _)) => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let unexpected = || Failure::Refused(0, format!("{} does not answer like a muriel server", self.base));
        let details = answer.body.get(kind.word()).and_then(Value::as_object).ok_or_else(unexpected)?;
        let etag = answer.etag.ok_or_else(unexpected)?;
        Ok(Some((Stored::new(kind, name, details, slugs), etag)))
    }

    /// Loads the project: all names, and the objects that are needed.
    pub(crate) fn project(&self, is_needed: impl Fn(Kind, &str) -> bool) -> Result<(Project, Names), Failure> {
        let mut names = Names::default();
        for (kind, path, list, id, name) in [
            (Kind::Hypothesis, "/hypothesis-slugs", "hypotheses", "hypothesis_id", "slug"),
            (Kind::Experiment, "/experiment-keys", "experiments", "test_id", "experiment_key"),
        ] {
            let mut after = Some(0);
            while let Some(start) = after {
                let page = self.get(&format!("{path}?limit={PAGE}&after={start}"))?.body;
                self.add_names(kind, &page[list], (id, name), &mut names)?;
                after = page["next_after"].as_i64().filter(|next| *next > start);
            }
        }
        let mut offset = 0;
        loop {
            let page = self.get(&format!("/goals?limit=500&offset={offset}"))?.body;
            self.add_names(Kind::Goal, &page["goals"], ("goal_profile_id", "goal_key"), &mut names)?;
            let count = page["goals"].as_array().map_or(0, Vec::len);
            if count < 500 {
                break;
            }
            offset += count;
        }
        let mut project = Project {
            objects: Vec::new(),
            names: names.all.iter().map(|(_, kind, name)| (*kind, name.clone())).collect(),
        };
        for (id, kind, name) in names.all.iter().filter(|(_, kind, name)| is_needed(*kind, name)) {
            // Objects deleted meanwhile are skipped.
            project.objects.extend(self.details(*kind, (*id, name), &names.slugs)?.map(|(stored, _)| stored));
        }
        Ok((project, names))
    }

    fn add_names(&self, kind: Kind, list: &Value, (id, name): (&str, &str), names: &mut Names) -> Result<(), Failure> {
        let unexpected = || Failure::Refused(0, format!("{} does not answer like a muriel server", self.base));
        for item in list.as_array().ok_or_else(unexpected)? {
            let (Some(id), Some(name)) = (item[id].as_i64(), item[name].as_str()) else { return Err(unexpected()) };
            if names.seen.insert((kind, id)) {
                names.all.push((id, kind, name.to_owned()));
            }
            if kind == Kind::Hypothesis {
                names.slugs.insert(id, name.to_owned());
            }
            if names.all.len() > OBJECTS_MAX {
                return Err(Failure::Refused(0, format!("the project has more than {OBJECTS_MAX} objects")));
            }
        }
        Ok(())
    }
}

/// Names of a project's objects.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: Vec<(i64, Kind, String)>,
    seen: BTreeSet<(Kind, i64)>,
    /// Slugs of hypotheses by id.
    pub(crate) slugs: HashMap<i64, String>,
}

impl Names {
    /// Ids by name.
    pub(crate) fn ids(&self) -> Ids {
        self.all.iter().map(|(id, kind, name)| ((*kind, name.clone()), *id)).collect()
    }
}

enum Sent {
    Answer(Answer),
    /// The server asks to wait, with a reason.
    Busy(Option<Duration>, String),
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Formats external text on one line, with escapes for what a terminal would interpret.
pub(crate) fn printable(text: &str) -> String {
    let text = text.replace(['\n', '\r', '\t'], " ");
    muriel_domain::text::one_line(&text).chars().take(2_000).collect()
}

/// Id of a newly created object.
pub(crate) fn made_id(kind: Kind, body: &Fields) -> Option<i64> {
    let field = match kind {
        Kind::Goal => "goal_profile_id",
        Kind::Hypothesis => "hypothesis_id",
        Kind::Experiment => "test_id",
    };
    body.get(field).and_then(Value::as_i64)
}
