//! What came back.

use serde_json::Value;

/// The answer to one request.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What was asked, for messages.
    pub said: String,
    /// The status.
    pub status: u16,
    /// Header fields with names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// The body as JSON; null where there is none.
    pub body: Value,
}

impl Answer {
    pub(crate) fn new(said: String, status: u16, headers: Vec<(String, String)>, bytes: Vec<u8>) -> Self {
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { said, status, headers, bytes, body }
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The body as JSON lines.
    ///
    /// # Panics
    /// When a line is not JSON.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error} in {line}", self.said));
        text.lines().map(read).collect()
    }

    /// A header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A header field that is a number.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn header_number(&self, name: &str) -> i64 {
        let number = self.header(name).and_then(|value| value.parse().ok());
        number.unwrap_or_else(|| panic!("{}: no number in {name} of {self:?}", self.said))
    }

    /// The strong entity tag.
    ///
    /// # Panics
    /// When there is none, or a weak one.
    #[track_caller]
    pub fn etag(&self) -> String {
        let tag = self.header("etag").unwrap_or_else(|| panic!("{}: no ETag in {self:?}", self.said));
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 2, "{}: {tag} is no strong tag", self.said);
        tag.to_owned()
    }

    /// The body of a 200.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.has_status(200).body
    }

    /// The body of a 201.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn created(self) -> Value {
        self.has_status(201).body
    }

    /// This answer, which has this status.
    ///
    /// # Panics
    /// When it has another.
    #[track_caller]
    pub fn has_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} was answered {}", self.said, self.text());
        self
    }

    /// This answer, which is an error of this status and code.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Self {
        let answer = self.has_status(status);
        assert_eq!(answer.body["code"], code, "{} was answered {}", answer.said, answer.text());
        answer
    }

    /// The fields that an error names, in its order.
    pub fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().filter_map(|error| error["field"].as_str()).collect()
    }

    /// Refused with 400 for these fields and no others, each named at least once.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn invalid(self, fields: &[&str]) -> Self {
        let answer = self.refused(400, "invalid_field");
        let mut named = answer.fields();
        named.dedup();
        assert_eq!(named, fields, "{} was answered {}", answer.said, answer.text());
        answer
    }

    /// What an error says about a field.
    ///
    /// # Panics
    /// When it says nothing.
    #[track_caller]
    pub fn message(&self, field: &str) -> &str {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let error = errors.iter().find(|error| error["field"] == field);
        let message = error.and_then(|error| error["message"].as_str());
        message.unwrap_or_else(|| panic!("{}: nothing about {field} in {}", self.said, self.text()))
    }
}
