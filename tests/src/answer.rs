//! Responses of the server.

use serde_json::Value;

/// The response to one request.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Description of the request, for failure messages.
    pub said: String,
    /// HTTP status.
    pub status: u16,
    /// Header fields with names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body as received.
    pub bytes: Vec<u8>,
    /// The body as JSON; null when it is empty.
    pub body: Value,
}

impl Answer {
    pub(crate) fn new(said: String, status: u16, headers: Vec<(String, String)>, bytes: Vec<u8>) -> Self {
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { said, status, headers, bytes, body }
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Parses the body as JSON lines.
    ///
    /// # Panics
    /// When a line is not JSON.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error} in {line}", self.said));
        text.lines().map(read).collect()
    }

    /// Returns a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns a header field that is a number.
    ///
    /// # Panics
    /// When the field is missing or is not a number.
    #[track_caller]
    pub fn header_number(&self, name: &str) -> i64 {
        let number = self.header(name).and_then(|value| value.parse().ok());
        number.unwrap_or_else(|| panic!("{}: no number in {name} of {self:?}", self.said))
    }

    /// Returns the strong entity tag.
    ///
    /// # Panics
    /// When the tag is missing or weak.
    #[track_caller]
    pub fn etag(&self) -> String {
        let tag = self.header("etag").unwrap_or_else(|| panic!("{}: no ETag in {self:?}", self.said));
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 2, "{}: {tag} is no strong tag", self.said);
        tag.to_owned()
    }

    /// Returns the body of a 200.
    ///
    /// # Panics
    /// When the response has another status.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.has_status(200).body
    }

    /// Returns the body of a 201.
    ///
    /// # Panics
    /// When the response has another status.
    #[track_caller]
    pub fn created(self) -> Value {
        self.has_status(201).body
    }

    /// Asserts the status and returns the response.
    ///
    /// # Panics
    /// When the response has another status.
    #[track_caller]
    pub fn has_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} was answered {}", self.said, self.text());
        self
    }

    /// Asserts that the response is an error of this status and code, and returns it.
    ///
    /// # Panics
    /// When the status or the code differs.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Self {
        let answer = self.has_status(status);
        assert_eq!(answer.body["code"], code, "{} was answered {}", answer.said, answer.text());
        answer
    }

    /// Returns the fields that an error names, in its order.
    pub fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().filter_map(|error| error["field"].as_str()).collect()
    }

    /// Asserts a 400 for exactly these fields, each named at least once.
    ///
    /// # Panics
    /// When the response differs.
    #[track_caller]
    pub fn invalid(self, fields: &[&str]) -> Self {
        let answer = self.refused(400, "invalid_field");
        let mut named = answer.fields();
        named.dedup();
        assert_eq!(named, fields, "{} was answered {}", answer.said, answer.text());
        answer
    }

    /// Returns the message of an error about a field.
    ///
    /// # Panics
    /// When the error does not name the field.
    #[track_caller]
    pub fn message(&self, field: &str) -> &str {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let error = errors.iter().find(|error| error["field"] == field);
        let message = error.and_then(|error| error["message"].as_str());
        message.unwrap_or_else(|| panic!("{}: nothing about {field} in {}", self.said, self.text()))
    }
}
