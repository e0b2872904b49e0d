//! A client of the API.

use crate::{Answer, Contract, DEADLINE};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::Request;

/// A caller of the API: a key, and the project in its paths.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    address: SocketAddr,
    /// Company name.
    pub company: String,
    /// Company id.
    pub company_id: i64,
    /// Key of the project in the paths.
    pub project_key: String,
    /// API key that is sent, if any.
    pub api_key: Option<String>,
    /// Session that is sent, if any.
    pub session: Option<Session>,
    /// Prefix of every path.
    pub base: String,
}

/// Cookies and headers that a browser sends for a signed-in person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Session cookie: name and value.
    pub cookie: String,
    /// Cookie by which the browser is recognised later.
    pub device: String,
    /// CSRF token for requests that change data.
    pub csrf: String,
}

impl Session {
    /// Reads the session from the response to a sign-in.
    ///
    /// # Panics
    /// When the response sets no cookies.
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

    /// Returns the client with the paths of another project.
    pub fn in_project(&self, project_key: &str) -> Self {
        Self { project_key: project_key.to_owned(), base: format!("/v2/project/{project_key}"), ..self.clone() }
    }

    /// Returns the client with another key, or without one.
    pub fn with_key(&self, api_key: Option<&str>) -> Self {
        Self { api_key: api_key.map(str::to_owned), ..self.clone() }
    }

    /// Returns the client with a session in place of a key.
    pub fn signed_in(&self, session: &Session) -> Self {
        Self { api_key: None, session: Some(session.clone()), ..self.clone() }
    }

    /// Returns the client with complete paths.
    pub fn outside(&self) -> Self {
        Self { base: String::new(), ..self.clone() }
    }

    /// The origin of the server's pages.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns a client of the same server without a key, which takes complete paths.
    pub fn anyone_here(&self) -> Self {
        Self::anyone(self.address)
    }

    /// Returns the client for a server at another address.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    /// Creates a request that is not sent yet.
    pub fn call(&self, method: &str, path: &str) -> Call<'_> {
        Call {
            client: self,
            method: method.to_owned(),
            path: format!("{}{path}", self.base),
            headers: Vec::new(),
            body: None,
        }
    }

    /// Sends a GET request.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send()
    }

    /// Sends a GET request, and retries while the server is still loading data.
    #[track_caller]
    pub fn get_when_loaded(&self, path: &str) -> Answer {
        self.call("GET", path).send_until_taken(|| false).expect("reading has no outcome that is unknown")
    }

    /// Sends a PATCH request.
    #[track_caller]
    pub fn patch(&self, path: &str, body: Value) -> Answer {
        self.call("PATCH", path).json(body).send()
    }

    /// Sends a PATCH request with `application/merge-patch+json`.
    #[track_caller]
    pub fn merge(&self, path: &str, body: Value) -> Answer {
        self.call("PATCH", path).header("content-type", "application/merge-patch+json").json(body).send()
    }

    /// Sends a POST request.
    #[track_caller]
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.call("POST", path).json(body).send()
    }

    /// Sends a DELETE request.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path).send()
    }

    /// Creates an experiment with one variant and the fields in `besides`. Returns the id.
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

    /// Creates a goal for an event of this name, which is also its key. Returns the id.
    #[track_caller]
    pub fn goal(&self, key: &str) -> i64 {
        let body = json!({ "goal_name": key, "goal_type": "event", "goal_value": key, "goal_key": key });
        self.post("/goal", body).created()["goal_profile_id"].as_i64().expect("an id")
    }

    /// Creates a hypothesis. Returns the id.
    #[track_caller]
    pub fn hypothesis(&self, body: Value) -> i64 {
        self.post("/hypothesis", body).created()["hypothesis_id"].as_i64().expect("an id")
    }

    /// Returns an experiment's details.
    #[track_caller]
    pub fn details(&self, test_id: i64) -> Value {
        self.get(&format!("/experiment/{test_id}")).ok()["experiment"].clone()
    }

    /// Returns an experiment's ETag.
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

/// A request that is not sent yet.
#[derive(Clone)]
pub struct Call<'c> {
    client: &'c Client,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Call<'_> {
    /// Adds this header field.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets this JSON body.
    pub fn json(self, body: Value) -> Self {
        self.body(body.to_string())
    }

    /// Sets these bytes as the body, with the JSON content type unless another one is set.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        if !self.headers.iter().any(|(name, _)| name == "content-type") {
            self.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        self.body = Some(body.into());
        self
    }

    /// Sets these bytes as the body, without a content type.
    pub fn untyped(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sends the request to a server that may be busy. While it answers 503 with a retry
    /// delay, the request is repeated after the delay, as a client should. `is_done` is checked
    /// first where the response leaves open whether the request took effect.
    ///
    /// # Panics
    /// Same as [`Call::send`], and when the server stays busy.
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

    /// Sends the request and checks the response against the contract.
    ///
    /// # Panics
    /// When there is no response, or it breaks the contract.
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
        // A header that a browser would send is omitted where a story sets it to an empty value.
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
