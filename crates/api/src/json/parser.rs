//! Parser: converts text to a [`Json`], or returns an error that names the position or the path.

use super::anomalies::Anomalies;
use super::path::JsonPath;
use super::{Json, MAX_DEPTH, MAX_NUMBER, THE_LINE};
use crate::error::ApiError;
use muriel_domain::problem::Problem;

const TOO_DEEP: &str = "nests deeper than 32 levels";
const BEYOND: &str = "is a number beyond ±9007199254740992";

/// Parses a whole text. Messages call it `what`.
pub(super) fn parse_document(
    bytes: &[u8],
    what: &'static str,
    max_values: usize,
    anomalies: Option<Anomalies>,
) -> Result<(Json, Anomalies), ApiError> {
    if bytes.is_empty() {
        return Err(malformed(format!("{what} is empty; send {{}} if there are no fields")));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| malformed(format!("{what} is not UTF-8 at {}", position(what, bytes, error.valid_up_to()))))?;
    let mut parser = Parser { text, bytes, what, at: 0, values: 0, max_values, anomalies };
    let value = parser.value(&JsonPath::Root(what), 0)?;
    parser.skip_space();
    if parser.at < bytes.len() {
        return Err(parser.unexpected(&format!("the end of {what}")));
    }
    Ok((value, parser.anomalies.unwrap_or_default()))
}

/// Recursive descent parser. Recursion ends at [`MAX_DEPTH`].
struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// Name of the text in messages.
    what: &'static str,
    at: usize,
    values: usize,
    max_values: usize,
    /// Collects values that do not make the whole body invalid; `None` if every anomaly does.
    anomalies: Option<Anomalies>,
}

/// Role of a string. Messages about keys differ from those about values.
#[derive(Clone, Copy)]
enum StringRole {
    Key,
    Value,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn unexpected(&self, expected: &str) -> ApiError {
        let position = position(self.what, self.bytes, self.at);
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => format!("{found:?} where {expected} should be"),
            None => format!("it ends where {expected} should be"),
        };
        malformed(format!("{} is not JSON at {position}: {found}", self.what))
    }

    fn value(&mut self, path: &JsonPath<'_>, depth: usize) -> Result<Json, ApiError> {
        self.skip_space();
        self.values += 1;
        if self.values > self.max_values {
            return Err(malformed(format!("{} holds more than {} values", self.what, self.max_values)));
        }
        if depth == MAX_DEPTH && matches!(self.peek(), Some(b'{' | b'[')) {
            self.anomaly(path, TOO_DEEP, None)?;
            self.skip_nested()?;
            return Ok(Json::Null);
        }
        match self.peek() {
            Some(b'{') => self.object(path, depth + 1),
            Some(b'[') => self.array(path, depth + 1),
            Some(b'"') => self.string(path, StringRole::Value).map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(path),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Records a value that is repaired or makes its event invalid. Outside of `events`, and in other bodies
    /// than those of events, a value that cannot be repaired makes the whole body invalid.
    fn anomaly(
        &mut self,
        path: &JsonPath<'_>,
        message: &'static str,
        repair: Option<&'static str>,
    ) -> Result<(), ApiError> {
        match &mut self.anomalies {
            Some(anomalies) if repair.is_some() || path.event().is_some() => {
                anomalies.add(path, message, repair);
                Ok(())
            }
            _ => Err(wrong_at(path, message)),
        }
    }

    /// Skips to the end of an array or object without parsing its content, at any depth.
    fn skip_nested(&mut self) -> Result<(), ApiError> {
        let mut closing = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'{' => closing.push(b'}'),
                b'[' => closing.push(b']'),
                b'}' | b']' if closing.pop() != Some(byte) => return Err(self.unexpected("a value")),
                b'"' => {
                    self.at += 1;
                    while self.peek().is_some_and(|byte| byte != b'"') {
                        self.at += if self.peek() == Some(b'\\') { 2 } else { 1 };
                    }
                }
                _ => {}
            }
            self.at += 1;
            if closing.is_empty() {
                return Ok(());
            }
        }
        Err(self.unexpected("a value"))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, ApiError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.unexpected("a value"))
    }

    fn array(&mut self, path: &JsonPath<'_>, depth: usize) -> Result<Json, ApiError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            let item = self.value(&JsonPath::Index(path, items.len()), depth)?;
            items.push(item);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
        self.at += 1;
        Ok(Json::Array(items))
    }

    fn object(&mut self, path: &JsonPath<'_>, depth: usize) -> Result<Json, ApiError> {
        self.at += 1;
        let mut members: Vec<(String, Json)> = Vec::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string(path, StringRole::Key)?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            let value = self.value(&JsonPath::Key(path, &key), depth)?;
            members.push((key, value));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("',' or '}'")),
            }
        }
        self.at += 1;
        if let Some(key) = repeated_key(&members) {
            self.anomaly(&JsonPath::Key(path, key), "appears twice", None)?;
        }
        Ok(Json::Object(members))
    }

    fn string(&mut self, path: &JsonPath<'_>, role: StringRole) -> Result<String, ApiError> {
        let [nul, half] = match role {
            StringRole::Value => ["holds a NUL character", "holds half of a surrogate pair"],
            StringRole::Key => {
                ["has a key that holds a NUL character", "has a key that holds half of a surrogate pair"]
            }
        };
        let repair = Some("it became U+FFFD");
        self.at += 1;
        let mut out = String::new();
        let mut start = self.at;
        loop {
            match self.peek() {
                None => return Err(self.unexpected("'\"'")),
                Some(b'"') => {
                    out.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    let plain = match self.peek() {
                        Some(b'"') => '"',
                        Some(b'\\') => '\\',
                        Some(b'/') => '/',
                        Some(b'b') => '\u{8}',
                        Some(b'f') => '\u{c}',
                        Some(b'n') => '\n',
                        Some(b'r') => '\r',
                        Some(b't') => '\t',
                        Some(b'u') => {
                            self.at += 1;
                            match self.escaped_char()? {
                                Some('\0') => {
                                    self.anomaly(path, nul, repair)?;
                                    out.push('\u{fffd}');
                                }
                                Some(character) => out.push(character),
                                None => {
                                    self.anomaly(path, half, repair)?;
                                    out.push('\u{fffd}');
                                }
                            }
                            start = self.at;
                            continue;
                        }
                        _ => return Err(self.unexpected("an escape")),
                    };
                    out.push(plain);
                    self.at += 1;
                    start = self.at;
                }
                // An unescaped control character is not valid JSON, so it is never repaired.
                Some(0) if self.anomalies.is_none() => return Err(wrong_at(path, nul)),
                Some(0x00..=0x1F) => return Err(self.unexpected("an escaped character")),
                Some(_) => self.at += 1,
            }
        }
    }

    /// Character of one `\uXXXX`, or of two that make a surrogate pair; `None` for half a pair.
    fn escaped_char(&mut self) -> Result<Option<char>, ApiError> {
        let first = self.four_hex()?;
        if !(0xD800..=0xDBFF).contains(&first) {
            return Ok(char::from_u32(first));
        }
        if !self.bytes[self.at..].starts_with(b"\\u") {
            return Ok(None);
        }
        let next = self.at;
        self.at += 2;
        let second = self.four_hex()?;
        if !(0xDC00..=0xDFFF).contains(&second) {
            // The second escape is another character, or half of another pair.
            self.at = next;
            return Ok(None);
        }
        Ok(char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)))
    }

    fn four_hex(&mut self) -> Result<u32, ApiError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("a hexadecimal digit"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> Result<(), ApiError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self, path: &JsonPath<'_>) -> Result<Json, ApiError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if let Some(b'0'..=b'9') = self.peek() {
                return Err(self.unexpected("no digit after a leading 0"));
            }
        } else {
            self.digits()?;
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            whole = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        let number = if whole {
            let int: Option<i64> = text.parse().ok();
            int.filter(|int| (-MAX_NUMBER..=MAX_NUMBER).contains(int)).map(Json::Int)
        } else {
            let float: Option<f64> = text.parse().ok();
            float.filter(|float| float.abs() <= MAX_NUMBER as f64).map(Json::Float)
        };
        match number {
            Some(number) => Ok(number),
            None => {
                let beyond = Json::Beyond(text.to_owned());
                self.anomaly(path, BEYOND, Some("it became text"))?;
                Ok(beyond)
            }
        }
    }
}

/// Finds a key that an object has more than once.
///
/// A few keys are compared pairwise. Many are sorted, so that a malicious object costs at most n log n.
fn repeated_key(members: &[(String, Json)]) -> Option<&str> {
    const FEW: usize = 16;
    if members.len() <= FEW {
        return members.iter().enumerate().find_map(|(at, (key, _))| {
            members[..at].iter().any(|(earlier, _)| earlier == key).then_some(key.as_str())
        });
    }
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn malformed(sentence: impl Into<String>) -> ApiError {
    ApiError::malformed(sentence)
}

/// Error about the value at a path. The path becomes its field, unless it is the whole document.
fn wrong_at(path: &JsonPath<'_>, message: impl Into<String>) -> ApiError {
    let (mut field, message) = (String::new(), message.into());
    path.write(&mut field);
    if field.is_empty() {
        malformed(format!("{path} {message}"))
    } else {
        ApiError::Malformed(Problem { field, message })
    }
}

/// Position of a byte, for messages: line and column, or only the column within a line of a batch.
fn position(what: &str, bytes: &[u8], at: usize) -> String {
    let (line, column) = line_and_column(bytes, at);
    if what == THE_LINE { format!("column {column}") } else { format!("line {line} column {column}") }
}

/// Line and column of a byte, from 1. Columns count characters.
fn line_and_column(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at.min(bytes.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    // Bytes 10xxxxxx continue a UTF-8 character.
    let column = before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
    (line, column)
}
