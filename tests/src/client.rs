//! A client of the interface.

use crate::{Answer, Contract, DEADLINE};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::Request;

/// Someone who calls the interface: a key, and the project in the paths.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    address: SocketAddr,
    /// The company's name.
    pub company: String,
    /// The company's id.
    pub company_id: i64,
    /// The project in the paths.
    pub project_key: String,
    /// The bearer key that is sent, if one is.
    pub api_key: Option<String>,
    /// The session that is sent, if one is.
    pub session: Option<Session>,
    /// What every path begins with.
    pub base: String,
}

/// What a browser sends for somebody who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The cookie: its name and value.
    pub cookie: String,
    /// The cookie of the browser, which is known from now on.
    pub device: String,
    /// What changes need.
    pub csrf: String,
}

impl Session {
    /// The session of somebody who has just signed in.
    ///
    /// # Panics
    /// When the answer sets no cookies.
    #[track_caller]
    pub fn of(answer: &Answer) -> Self {
        let cookie = |name: &str| {
            let set = answer.headers.iter().filter(|(field, _)| field == "set-cookie");
            let line = set.map(|(_, line)| line).find(|line| line.starts_with(&format!("{name}=")));
            let line = line.unwrap_or_else(|| panic!("{} sets no cookie {name}: {answer:?}", answer.said));
            line.split(';').next().expect("a value").to_owned()
        };
        let csrf = answer.body["csrf"].as_str().expect("a token").to_owned();
        Self { cookie: cookie("muriel"), device: cookie("muriel-device"), csrf }
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr, company: &str, company_id: i64, project_key: &str, api_key: &str) -> Self {
        Self {
            company: company.to_owned(),
            company_id,
            project_key: project_key.to_owned(),
            api_key: Some(api_key.to_owned()),
            base: format!("/v2/project/{project_key}"),
            ..Self::anyone(address)
        }
    }

    pub(crate) fn anyone(address: SocketAddr) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(DEADLINE))
            .proxy(None)
            .build()
            .new_agent();
        Self {
            agent,
            address,
            company: String::new(),
            company_id: 0,
            project_key: String::new(),
            api_key: None,
            session: None,
            base: String::new(),
        }
    }

    /// The same key in the paths of another project.
    pub fn in_project(&self, project_key: &str) -> Self {
        Self { project_key: project_key.to_owned(), base: format!("/v2/project/{project_key}"), ..self.clone() }
    }

    /// The same paths with another key, or without one.
    pub fn with_key(&self, api_key: Option<&str>) -> Self {
        Self { api_key: api_key.map(str::to_owned), ..self.clone() }
    }

    /// The same paths with a session in place of a key.
    pub fn signed_in(&self, session: &Session) -> Self {
        Self { api_key: None, session: Some(session.clone()), ..self.clone() }
    }

    /// The same caller with paths that are whole.
    pub fn outside(&self) -> Self {
        Self { base: String::new(), ..self.clone() }
    }

    /// The origin of the server's pages.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Someone without a key, whose paths are whole.
    pub fn anyone_here(&self) -> Self {
        Self::anyone(self.address)
    }

    /// The same caller of a server at another address.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    /// A call that is still to be sent.
    pub fn call(&self, method: &str, path: &str) -> Call<'_> {
        Call {
            client: self,
            method: method.to_owned(),
            path: format!("{}{path}", self.base),
            headers: Vec::new(),
            body: None,
        }
    }

    /// Reads.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send()
    }

    /// Reads, also from a server that is not there yet with what it has to load.
    #[track_caller]
    pub fn get_when_loaded(&self, path: &str) -> Answer {
        self.call("GET", path).send_until_taken(|| false).expect("reading has no outcome that is unknown")
    }

    /// Changes.
    #[track_caller]
    pub fn patch(&self, path: &str, body: Value) -> Answer {
        self.call("PATCH", path).json(body).send()
    }

    /// Changes with `application/merge-patch+json`.
    #[track_caller]
    pub fn merge(&self, path: &str, body: Value) -> Answer {
        self.call("PATCH", path).header("content-type", "application/merge-patch+json").json(body).send()
    }

    /// Makes, or does.
    #[track_caller]
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.call("POST", path).json(body).send()
    }

    /// Removes.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path).send()
    }

    /// Makes an experiment with one variant, and what is given besides; its id.
    #[track_caller]
    pub fn experiment(&self, besides: Value) -> i64 {
        let mut body = json!({
            "test_name": "Checkout",
            "url": "https://shop.example/checkout",
            "variants": [{ "name": "Variant 1" }],
        });
        for (field, value) in besides.as_object().expect("fields") {
            body[field] = value.clone();
        }
        self.post("/create-experiment", body).created()["test_id"].as_i64().expect("an id")
    }

    /// Makes a goal for an event of this name, which is its key too; its id.
    #[track_caller]
    pub fn goal(&self, key: &str) -> i64 {
        let body = json!({ "goal_name": key, "goal_type": "event", "goal_value": key, "goal_key": key });
        self.post("/goal", body).created()["goal_profile_id"].as_i64().expect("an id")
    }

    /// Makes a hypothesis; its id.
    #[track_caller]
    pub fn hypothesis(&self, body: Value) -> i64 {
        self.post("/hypothesis", body).created()["hypothesis_id"].as_i64().expect("an id")
    }

    /// An experiment's details.
    #[track_caller]
    pub fn details(&self, test_id: i64) -> Value {
        self.get(&format!("/experiment/{test_id}")).ok()["experiment"].clone()
    }

    /// An experiment's ETag.
    #[track_caller]
    pub fn etag(&self, test_id: i64) -> String {
        self.get(&format!("/experiment/{test_id}")).etag()
    }

    /// Sets an experiment's status.
    #[track_caller]
    pub fn set_status(&self, test_id: i64, status: i64) -> Answer {
        self.patch(&format!("/experiment/{test_id}/status"), json!({ "status": status }))
    }
}

/// A call that is still to be sent.
#[derive(Clone)]
pub struct Call<'c> {
    client: &'c Client,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Call<'_> {
    /// With this header field.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this JSON body.
    pub fn json(self, body: Value) -> Self {
        self.body(body.to_string())
    }

    /// With these bytes as its body; they are called JSON unless said otherwise.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        if !self.headers.iter().any(|(name, _)| name == "content-type") {
            self.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        self.body = Some(body.into());
        self
    }

    /// With these bytes and no content type.
    pub fn untyped(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The answer of a server that may be busy: as long as it says 503 and when to
    /// come again, the call is repeated then, as a client should. `is_done` is asked
    /// first where the answer leaves open whether the call took effect.
    ///
    /// # Panics
    /// As [`Call::send`], and when the server is busy to the end.
    #[track_caller]
    pub fn send_until_taken(self, is_done: impl Fn() -> bool) -> Option<Answer> {
        let end = Instant::now() + DEADLINE;
        loop {
            let answer = self.clone().send();
            if answer.status != 503 {
                return Some(answer);
            }
            assert!(Instant::now() < end, "{} was answered {}", answer.said, answer.text());
            let wait = answer.header_number("retry-after");
            std::thread::sleep(Duration::from_secs(u64::try_from(wait).expect("seconds")));
            if answer.body["code"] == "outcome_unknown" && is_done() {
                return None;
            }
        }
    }

    /// The answer, held to the contract.
    ///
    /// # Panics
    /// When there is none, or it breaks the contract.
    #[track_caller]
    pub fn send(self) -> Answer {
        let mut request =
            Request::builder().method(self.method.as_str()).uri(format!("http://{}{}", self.client.address, self.path));
        if let Some(key) = &self.client.api_key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let sends = |name: &str| self.headers.iter().any(|(sent, _)| sent == name);
        if let Some(session) = &self.client.session {
            if !sends("cookie") {
                request = request.header("cookie", &session.cookie);
            }
            if self.method != "GET" && !sends("origin") {
                request = request.header("origin", self.client.origin());
            }
            if self.method != "GET" && !sends("x-muriel-csrf") {
                request = request.header("x-muriel-csrf", &session.csrf);
            }
        }
        // What a browser would send is left out where a story says that it is empty.
        let left_out = |name: &str, value: &str| value.is_empty() && ["origin", "x-muriel-csrf"].contains(&name);
        for (name, value) in self.headers.iter().filter(|(name, value)| !left_out(name, value)) {
            request = request.header(name, value);
        }
        let said = format!("{} {}", self.method, self.path);
        let sent = match self.body {
            Some(body) => self.client.agent.run(request.body(body).expect("a request")),
            None => self.client.agent.run(request.body(()).expect("a request")),
        };
        let response = match sent {
            Ok(response) => response,
            Err(error) => panic!("{said}: {error}"),
        };
        let (parts, mut body) = response.into_parts();
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.to_str().expect("a text header").to_owned()))
            .collect();
        let bytes = body.with_config().limit(64 << 20).read_to_vec().expect("a whole body");
        let answer = Answer::new(said, parts.status.as_u16(), headers, bytes);
        Contract::check(&self.method, &self.path, &answer);
        answer
    }
}
