//! The JSON gate: every body passes it before anything reads a field.
//!
//! serde_json alone would let through what the store cannot keep or what two
//! readers understand differently: keys that appear twice, NUL characters,
//! integers that quietly become floats, values nested without end. The gate
//! refuses these with a sentence that names the place, and hands on a value
//! that still knows `1` from `1.0` and the order of keys.
//!
//! Bodies of events hold what many pages and servers said, so one odd value must
//! not refuse the others: [`parse_events`] mends it or refuses its event alone.

use std::collections::BTreeMap;
use std::fmt;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::error::ApiError;
use muriel_domain::problem::Problem;

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 32;
/// How many values one body may hold, counting containers and their items.
pub const MAX_VALUES: usize = 50_000;
/// The largest magnitude of a number, 2⁵³: up to it every integer is exact everywhere.
pub const MAX_NUMBER: i64 = 1 << 53;
/// Odd values that are told of one event.
const FLAWS_TOLD: usize = 5;
/// What a text is called in sentences.
const THE_BODY: &str = "the body";
const THE_LINE: &str = "the line";
const TOO_DEEP: &str = "nests deeper than 32 levels";
const BEYOND: &str = "is a number beyond ±9007199254740992";

/// One JSON value that has passed the gate.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number written without fraction and exponent, at most ±2⁵³.
    Int(i64),
    /// A number written with fraction or exponent, finite, at most ±2⁵³.
    Float(f64),
    /// A number beyond ±2⁵³ as it was written. Only [`parse_events`] gives it.
    Beyond(String),
    /// A string without NUL characters.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: keys differ from each other, in the order sent.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The name of the type, as messages say it: `an object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Int(_) => "an integer",
            Json::Float(_) | Json::Beyond(_) => "a number",
            Json::Text(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if this is a number written as one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Json::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, however it was written.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            // Within ±2⁵³ every integer is a double.
            Json::Int(value) => Some(*value as f64),
            Json::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(value) => Some(value),
            _ => None,
        }
    }

    /// The items, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Keys and values in order, if this is an object.
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value of a key; none if this is no object or lacks the key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value as JSON text without white space.
    pub fn to_compact_string(&self) -> String {
        // Only non-string keys or a failing writer could make this an error; there are neither.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_compact_string())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Int(value) => serializer.serialize_i64(*value),
            Json::Float(value) => serializer.serialize_f64(*value),
            Json::Text(value) | Json::Beyond(value) => serializer.serialize_str(value),
            Json::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// The same value; numbers that no `i64` holds become floats. Nothing is checked.
impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Json {
        use serde_json::Value;
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(value),
            Value::Number(number) => match number.as_i64() {
                Some(int) => Json::Int(int),
                None => Json::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Json::Text(text),
            Value::Array(items) => Json::Array(items.into_iter().map(Json::from).collect()),
            Value::Object(members) => {
                Json::Object(members.into_iter().map(|(key, value)| (key, Json::from(value))).collect())
            }
        }
    }
}

/// The value that a body holds.
///
/// Takes time in proportion to the length of the body, times the logarithm of
/// the size of its largest object.
///
/// # Errors
/// [`ApiError::Malformed`] with the place, for: no bytes at all, text that is
/// not UTF-8 or not JSON, more than [`MAX_DEPTH`] levels or [`MAX_VALUES`]
/// values, NUL characters and lone surrogates in strings or keys, one key
/// twice in an object (compared after unescaping), numbers beyond ±2⁵³.
pub fn parse(bytes: &[u8]) -> Result<Json, ApiError> {
    read(bytes, THE_BODY, MAX_VALUES, None).map(|(value, _)| value)
}

/// A body of events. What [`parse`] refuses the whole body for is judged where it
/// stands: NUL characters and lone surrogates become U+FFFD, numbers beyond ±2⁵³
/// become [`Json::Beyond`], and an entry of `events` in which a key appears twice
/// or that nests too deeply is refused alone. The flaws say so.
///
/// # Errors
/// As [`parse`] for text that is not UTF-8 or not JSON, for too many values, for
/// a key twice or levels too deep outside of `events`, and for a `visitor.id`
/// that would have to be mended: another visitor could have the mended one.
pub fn parse_events(bytes: &[u8], max_values: usize) -> Result<(Json, Flaws), ApiError> {
    read_events(bytes, THE_BODY, max_values)
}

/// A line of a batch: a body of events, or one event, of which everything is outside of
/// `events`.
///
/// # Errors
/// As [`parse_events`]; the sentence speaks of the line, and tells columns of it.
pub fn parse_events_line(bytes: &[u8], max_values: usize) -> Result<(Json, Flaws), ApiError> {
    read_events(bytes, THE_LINE, max_values)
}

fn read_events(bytes: &[u8], what: &'static str, max_values: usize) -> Result<(Json, Flaws), ApiError> {
    let (value, flaws) = read(bytes, what, max_values, Some(Flaws::default()))?;
    if let Some(flaw) = flaws.elsewhere.iter().find(|flaw| flaw.place == "visitor.id") {
        let (field, message) = (flaw.place.clone(), flaw.message.to_owned());
        return Err(ApiError::Malformed(Problem { field, message }));
    }
    Ok((value, flaws))
}

/// What [`parse_events`] found odd.
#[derive(Debug, Default, PartialEq)]
pub struct Flaws {
    /// In entries of `events`, by their index.
    events: BTreeMap<usize, Vec<Flaw>>,
    /// In everything else, as in `visitor.attributes`.
    elsewhere: Vec<Flaw>,
}

/// An odd value.
#[derive(Debug, Clone, PartialEq)]
pub struct Flaw {
    /// Where it stands: within its event, or in the body.
    place: String,
    message: &'static str,
    /// What became of it; none where its event is refused.
    mended: Option<&'static str>,
}

impl Flaws {
    /// Why an entry of `events` is refused, if it is.
    pub fn refusal(&self, event: usize) -> Option<String> {
        let flaw = self.events.get(&event)?.iter().find(|flaw| flaw.mended.is_none())?;
        Some(format!("{} {}", flaw.place, flaw.message))
    }

    /// What was mended of an entry of `events` and of what all entries share, in a
    /// sentence.
    pub fn note(&self, event: usize) -> Option<String> {
        let own = self.events.get(&event).into_iter().flatten();
        let told: Vec<_> = own
            .chain(&self.elsewhere)
            .filter_map(|flaw| Some(format!("{} {}; {}", flaw.place, flaw.message, flaw.mended?)))
            .collect();
        (!told.is_empty()).then(|| told.join(". "))
    }

    fn add(&mut self, place: &Place<'_>, message: &'static str, mended: Option<&'static str>) {
        let event = place.event();
        let known = match event {
            Some(event) => self.events.entry(event).or_default(),
            None => &mut self.elsewhere,
        };
        // One that refuses is told however many were mended before.
        if known.len() < FLAWS_TOLD || mended.is_none() && known.iter().all(|flaw| flaw.mended.is_some()) {
            let whole = place.to_string();
            let place = match event.map(|event| format!("events[{event}]")) {
                Some(prefix) => whole.strip_prefix(&prefix).unwrap_or(&whole).trim_start_matches('.').to_owned(),
                None => whole,
            };
            known.push(Flaw { place: if place.is_empty() { "the event".to_owned() } else { place }, message, mended });
        }
    }
}

fn read(bytes: &[u8], what: &'static str, max_values: usize, flaws: Option<Flaws>) -> Result<(Json, Flaws), ApiError> {
    if bytes.is_empty() {
        return Err(malformed(format!("{what} is empty; send {{}} where there is nothing to say")));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| malformed(format!("{what} is not UTF-8 at {}", position(what, bytes, error.valid_up_to()))))?;
    let mut reader = Reader { text, bytes, what, at: 0, values: 0, max_values, flaws };
    let value = reader.value(&Place::Root(what), 0)?;
    reader.skip_space();
    if reader.at < bytes.len() {
        return Err(reader.unexpected(&format!("the end of {what}")));
    }
    Ok((value, reader.flaws.unwrap_or_default()))
}

fn malformed(sentence: impl Into<String>) -> ApiError {
    ApiError::malformed(sentence)
}

/// What is wrong at a place, which the error names where it is a field.
fn wrong_at(place: &Place<'_>, message: impl Into<String>) -> ApiError {
    let (mut field, message) = (String::new(), message.into());
    place.write(&mut field);
    if field.is_empty() {
        malformed(format!("{place} {message}"))
    } else {
        ApiError::Malformed(Problem { field, message })
    }
}

/// Where a byte is: by line and column, or by column where there is one line.
fn position(what: &str, bytes: &[u8], at: usize) -> String {
    let (line, column) = line_and_column(bytes, at);
    if what == THE_LINE { format!("column {column}") } else { format!("line {line} column {column}") }
}

/// Line and column, from 1, of a byte; columns count characters.
fn line_and_column(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at.min(bytes.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    // Bytes 10xxxxxx continue a character.
    let column = before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
    (line, column)
}

/// Where in the document a value stands: a list linked towards the root, which
/// lives on the stack and costs nothing until a sentence needs it.
enum Place<'a> {
    /// The whole, with what it is called.
    Root(&'static str),
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

/// The longest key that a message repeats whole.
const KEY_CHARS: usize = 64;

/// The part of a place that a key makes: `name`, or `["odd name"]`; a long one is
/// cut, so that no answer grows with what was sent.
pub(crate) fn step(key: &str) -> String {
    let plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let cut: String = key.chars().take(KEY_CHARS).collect();
    let more = if cut.len() < key.len() { "…" } else { "" };
    if plain { format!("{cut}{more}") } else { format!("[{cut:?}{more}]") }
}

impl Place<'_> {
    /// The entry of the body's `events` that this is or is in.
    fn event(&self) -> Option<usize> {
        match self {
            Place::Index(Place::Key(Place::Root(_), "events"), index) => Some(*index),
            Place::Root(_) => None,
            Place::Key(parent, _) | Place::Index(parent, _) => parent.event(),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Place::Root(_) => {}
            Place::Index(parent, index) => {
                parent.write(out);
                out.push_str(&format!("[{index}]"));
            }
            Place::Key(parent, key) => {
                parent.write(out);
                let step = step(key);
                if !out.is_empty() && !step.starts_with('[') {
                    out.push('.');
                }
                out.push_str(&step);
            }
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Place::Root(what) = self {
            return f.write_str(what);
        }
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// A recursive descent through the text. Recursion ends at [`MAX_DEPTH`].
struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// What the text is called in sentences.
    what: &'static str,
    at: usize,
    values: usize,
    max_values: usize,
    /// Where odd values are noted instead of refused.
    flaws: Option<Flaws>,
}

/// What a string is for; messages word its problems by it.
#[derive(Clone, Copy)]
enum Role {
    Key,
    Value,
}

impl Reader<'_> {
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

    fn value(&mut self, place: &Place<'_>, depth: usize) -> Result<Json, ApiError> {
        self.skip_space();
        self.values += 1;
        if self.values > self.max_values {
            return Err(malformed(format!("{} holds more than {} values", self.what, self.max_values)));
        }
        if depth == MAX_DEPTH && matches!(self.peek(), Some(b'{' | b'[')) {
            self.odd(place, TOO_DEEP, None)?;
            self.skip_nested()?;
            return Ok(Json::Null);
        }
        match self.peek() {
            Some(b'{') => self.object(place, depth + 1),
            Some(b'[') => self.array(place, depth + 1),
            Some(b'"') => self.string(place, Role::Value).map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(place),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Notes an odd value, or refuses the body for it: always outside of `events`
    /// where it cannot be mended.
    fn odd(&mut self, place: &Place<'_>, message: &'static str, mended: Option<&'static str>) -> Result<(), ApiError> {
        match &mut self.flaws {
            Some(flaws) if mended.is_some() || place.event().is_some() => {
                flaws.add(place, message, mended);
                Ok(())
            }
            _ => Err(wrong_at(place, message)),
        }
    }

    /// Goes to the end of an array or object without reading what is in it, however
    /// deep that is.
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

    fn array(&mut self, place: &Place<'_>, depth: usize) -> Result<Json, ApiError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            let item = self.value(&Place::Index(place, items.len()), depth)?;
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

    fn object(&mut self, place: &Place<'_>, depth: usize) -> Result<Json, ApiError> {
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
            let key = self.string(place, Role::Key)?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            let value = self.value(&Place::Key(place, &key), depth)?;
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
            self.odd(&Place::Key(place, key), "appears twice", None)?;
        }
        Ok(Json::Object(members))
    }

    fn string(&mut self, place: &Place<'_>, role: Role) -> Result<String, ApiError> {
        let [nul, half] = match role {
            Role::Value => ["holds a NUL character", "holds half of a surrogate pair"],
            Role::Key => ["has a key that holds a NUL character", "has a key that holds half of a surrogate pair"],
        };
        let mended = Some("it became U+FFFD");
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
                                    self.odd(place, nul, mended)?;
                                    out.push('\u{fffd}');
                                }
                                Some(character) => out.push(character),
                                None => {
                                    self.odd(place, half, mended)?;
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
                // Without an escape it is not JSON, whoever reads it.
                Some(0) if self.flaws.is_none() => return Err(wrong_at(place, nul)),
                Some(0x00..=0x1F) => return Err(self.unexpected("an escaped character")),
                Some(_) => self.at += 1,
            }
        }
    }

    /// The character of one `\uXXXX`, or of two that make a pair; none for half a pair.
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
            // It is a character of its own, or half of another pair.
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

    fn number(&mut self, place: &Place<'_>) -> Result<Json, ApiError> {
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
                self.odd(place, BEYOND, Some("it became text"))?;
                Ok(beyond)
            }
        }
    }
}

/// A key that an object has more than once.
///
/// Few keys are compared pair by pair; many are sorted, so that an object made
/// to be slow costs no more than n log n.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor_time::processor_time;
    use proptest::prelude::*;
    use std::time::Duration;

    fn check(input: impl AsRef<[u8]>, expect: &str) {
        let input = input.as_ref();
        let got = match parse(input) {
            Ok(value) => value.to_compact_string(),
            Err(error) => error.to_string(),
        };
        let shown = String::from_utf8_lossy(&input[..input.len().min(200)]).into_owned();
        assert_eq!(got, expect, "for {shown}");
    }

    #[test]
    fn takes_what_json_is() {
        for (input, expect) in [
            ("{}", "{}"),
            (" \r\n\t[ ] ", "[]"),
            ("null", "null"),
            ("[true,false]", "[true,false]"),
            (r#"{"b":1,"a":2}"#, r#"{"b":1,"a":2}"#),
            ("[1,1.0,1e2,1E-2,-0,-0.0]", "[1,1.0,100.0,0.01,0,-0.0]"),
            ("[9007199254740992,-9007199254740992]", "[9007199254740992,-9007199254740992]"),
            ("1e-400", "0.0"),
            (r#""\"\\\/\b\f\n\r\t\u00e9""#, "\"\\\"\\\\/\\b\\f\\n\\r\\té\""),
            (r#""\ud83d\ude00""#, "\"😀\""),
            ("\"\u{7f}\u{2028}\"", "\"\u{7f}\u{2028}\""),
            (r#"{"":{"":1}}"#, r#"{"":{"":1}}"#),
        ] {
            check(input, expect);
        }
    }

    #[test]
    fn refuses_and_names_the_place() {
        for (input, expect) in [
            ("", "the body is empty; send {} where there is nothing to say"),
            ("  ", "the body is not JSON at line 1 column 3: it ends where a value should be"),
            ("{\n \"é\" 1}", "the body is not JSON at line 2 column 6: '1' where ':' should be"),
            ("[1,]", "the body is not JSON at line 1 column 4: ']' where a value should be"),
            ("{\"a\":1,}", "the body is not JSON at line 1 column 8: '}' where a key in quotes should be"),
            ("{} x", "the body is not JSON at line 1 column 4: 'x' where the end of the body should be"),
            ("\u{feff}{}", "the body is not JSON at line 1 column 1: '\\u{feff}' where a value should be"),
            ("nul", "the body is not JSON at line 1 column 1: 'n' where a value should be"),
            ("NaN", "the body is not JSON at line 1 column 1: 'N' where a value should be"),
            ("01", "the body is not JSON at line 1 column 2: '1' where no digit after a leading 0 should be"),
            ("1.", "the body is not JSON at line 1 column 3: it ends where a digit should be"),
            ("+1", "the body is not JSON at line 1 column 1: '+' where a value should be"),
            ("\"a", "the body is not JSON at line 1 column 3: it ends where '\"' should be"),
            ("\"\\x\"", "the body is not JSON at line 1 column 3: 'x' where an escape should be"),
            ("\"\\u12g4\"", "the body is not JSON at line 1 column 6: 'g' where a hexadecimal digit should be"),
            ("\"\n\"", "the body is not JSON at line 1 column 2: '\\n' where an escaped character should be"),
            (r#"{"configuration":{"bayesian":1,"x":2,"bayesian":1}}"#, "configuration.bayesian appears twice"),
            (r#"{"a":1,"\u0061":2}"#, "a appears twice"),
            (r#"{"a b":1,"a b":2}"#, r#"["a b"] appears twice"#),
            (r#"{"variants":[{},{"name":"x\u0000"}]}"#, "variants[1].name holds a NUL character"),
            ("[\"\0\"]", "[0] holds a NUL character"),
            (r#"{"a":{"\u0000":1}}"#, "a has a key that holds a NUL character"),
            (r#"{"\u0000":1}"#, "the body has a key that holds a NUL character"),
            (r#"["\ud800"]"#, "[0] holds half of a surrogate pair"),
            (r#"["\udc00"]"#, "[0] holds half of a surrogate pair"),
            (r#"["\ud800\ud800"]"#, "[0] holds half of a surrogate pair"),
            (r#"["\ud800x"]"#, "[0] holds half of a surrogate pair"),
            (r#"{"a":[9007199254740993]}"#, "a[0] is a number beyond ±9007199254740992"),
            (r#"{"a":-9007199254740993}"#, "a is a number beyond ±9007199254740992"),
            ("99999999999999999999999999", "the body is a number beyond ±9007199254740992"),
            ("1e16", "the body is a number beyond ±9007199254740992"),
            ("-1e999", "the body is a number beyond ±9007199254740992"),
        ] {
            check(input, expect);
        }
        check(b"{\"a\":\n\"\xff\"}", "the body is not UTF-8 at line 2 column 2");
        check(b"\"\xed\xa0\x80\"", "the body is not UTF-8 at line 1 column 2");
    }

    #[test]
    fn bodies_of_events_are_mended_or_judged_event_by_event() {
        let whole = |event: &str| format!(r#"{{"visitor":{{"id":"v"}},"events":[{event},{{"id":1}}]}}"#);
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let string_at_depth = format!("{}\"]\\\"\"{}", "[".repeat(40), "]".repeat(40));
        for (event, value, note, refusal) in [
            (r#"{"a":"x\ud83d"}"#, r#"{"a":"x�"}"#, Some("a holds half of a surrogate pair; it became U+FFFD"), None),
            (
                r#"{"a":"\ud83d\ud83d\ude00"}"#,
                r#"{"a":"�😀"}"#,
                Some("a holds half of a surrogate pair; it became U+FFFD"),
                None,
            ),
            (
                r#"{"a":"\ud83d\u0041"}"#,
                r#"{"a":"�A"}"#,
                Some("a holds half of a surrogate pair; it became U+FFFD"),
                None,
            ),
            (
                r#"{"p":{"a":"\u0000"}}"#,
                r#"{"p":{"a":"�"}}"#,
                Some("p.a holds a NUL character; it became U+FFFD"),
                None,
            ),
            (
                r#"{"p":{"\udc00":1}}"#,
                r#"{"p":{"�":1}}"#,
                Some("p has a key that holds half of a surrogate pair; it became U+FFFD"),
                None,
            ),
            (
                r#"{"p":{"a":12345678901234567890}}"#,
                r#"{"p":{"a":"12345678901234567890"}}"#,
                Some("p.a is a number beyond ±9007199254740992; it became text"),
                None,
            ),
            (
                r#"{"a":-1e300}"#,
                r#"{"a":"-1e300"}"#,
                Some("a is a number beyond ±9007199254740992; it became text"),
                None,
            ),
            (r#""\u0000""#, r#""�""#, Some("the event holds a NUL character; it became U+FFFD"), None),
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#, None, Some("a appears twice")),
            (r#"{"p":{"\u0000":1,"\ud800":2}}"#, r#"{"p":{"�":1,"�":2}}"#, None, Some("p[\"�\"] appears twice")),
            (&format!(r#"{{"a":{}}}"#, nested(40)), "", None, Some("nests deeper than 32 levels")),
            (&format!(r#"{{"a":{}}}"#, nested(100_000)), "", None, Some("nests deeper than 32 levels")),
            (&format!(r#"{{"a":{string_at_depth}}}"#), "", None, Some("nests deeper than 32 levels")),
        ] {
            let (body, flaws) = parse_events(whole(event).as_bytes(), MAX_VALUES).unwrap();
            let events = body.get("events").and_then(Json::as_array).unwrap();
            if !value.is_empty() {
                assert_eq!(events[0].to_compact_string(), value);
            }
            assert_eq!(events[1].to_compact_string(), r#"{"id":1}"#, "{event:.80}");
            assert_eq!((flaws.note(1), flaws.refusal(1)), (None, None), "{event:.80}");
            let told = flaws.refusal(0).unwrap_or_default();
            assert!(told.contains(refusal.unwrap_or_default()) && told.is_empty() == refusal.is_none(), "{told}");
            if refusal.is_none() {
                assert_eq!(flaws.note(0).as_deref(), note, "{event}");
            }
        }
    }

    #[test]
    fn odd_values_outside_of_events_are_mended_but_for_who_it_is() {
        let body = r#"{"visitor":{"id":"v","attributes":{"n":1e300,"t":"\ud83d"}},"events":[{},{}]}"#;
        let (body, flaws) = parse_events(body.as_bytes(), MAX_VALUES).unwrap();
        let visitor = body.get("visitor").unwrap().to_compact_string();
        assert_eq!(visitor, r#"{"id":"v","attributes":{"n":"1e300","t":"�"}}"#);
        let told = "visitor.attributes.n is a number beyond ±9007199254740992; it became text. \
                    visitor.attributes.t holds half of a surrogate pair; it became U+FFFD";
        assert_eq!((flaws.note(0).as_deref(), flaws.note(1).as_deref()), (Some(told), Some(told)));
        for (body, expect) in [
            (r#"{"visitor":{"id":"v\ud83d"},"events":[]}"#, "visitor.id holds half of a surrogate pair"),
            (r#"{"visitor":{"id":5e300},"events":[]}"#, "visitor.id is a number beyond ±9007199254740992"),
            (r#"{"visitor":{"id":"v"},"visitor":{"id":"w"}}"#, "visitor appears twice"),
            (r#"{"visitor":{"id":"v","id":"w"}}"#, "visitor.id appears twice"),
            (
                "{\"visitor\":{\"id\":\"\0\"}}",
                "the body is not JSON at line 1 column 19: '\\0' where an escaped character should be",
            ),
        ] {
            assert_eq!(parse_events(body.as_bytes(), MAX_VALUES).unwrap_err().to_string(), expect);
        }
        let deep = format!(r#"{{"visitor":{}}}"#, "[".repeat(40));
        assert!(parse_events(deep.as_bytes(), MAX_VALUES).unwrap_err().to_string().ends_with("32 levels"));
    }

    #[test]
    fn many_odd_values_are_told_of_in_few_words() {
        let odd = vec![r#""\u0000""#; 5_000].join(",");
        let body = format!(r#"{{"events":[{{"a":[{odd}],"b":1,"b":2}}],"visitor":[{odd}]}}"#);
        let (_, flaws) = parse_events(body.as_bytes(), MAX_VALUES).unwrap();
        assert_eq!((flaws.events[&0].len(), flaws.elsewhere.len()), (FLAWS_TOLD + 1, FLAWS_TOLD));
        assert_eq!(flaws.refusal(0).as_deref(), Some("b appears twice"));
    }

    #[test]
    fn bounds_depth_and_count() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        check(nested(MAX_DEPTH + 1), &format!("{} nests deeper than 32 levels", "[0]".repeat(MAX_DEPTH)));
        check("[".repeat(1 << 20), &format!("{} nests deeper than 32 levels", "[0]".repeat(MAX_DEPTH)));
        let list = |items: usize| format!("[{}]", vec!["0"; items].join(","));
        assert!(parse(list(MAX_VALUES - 1).as_bytes()).is_ok());
        check(list(MAX_VALUES), "the body holds more than 50000 values");
        let long = "k".repeat(1000);
        check(format!(r#"{{"{long}":1,"{long}":1}}"#), &format!("{}… appears twice", "k".repeat(64)));
    }

    #[test]
    fn hostile_bodies_stay_fast() {
        let keys = |count: usize, prefix: &str| {
            let members: Vec<_> = (0..count).map(|i| format!("\"{prefix}{i}\":0")).collect();
            format!("{{{}}}", members.join(","))
        };
        let bodies = [
            keys(100_000, "key"),
            keys(49_999, &"x".repeat(30)),
            format!("{{{}}}", vec!["\"k\":0"; 49_000].join(",")),
            format!("[{}]", "9".repeat(2 << 20)),
            format!("0.{}", "1".repeat(2 << 20)),
            format!("\"{}\"", "\\u0061".repeat(340_000)),
            "\n".repeat(2 << 20),
        ];
        for body in bodies {
            let start = processor_time();
            let _ = parse(body.as_bytes());
            let took = processor_time() - start;
            assert!(took < Duration::from_secs(10), "{} took {took:?}", &body[..20.min(body.len())]);
        }
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let text = "[^\u{0}]{0,8}";
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            (-MAX_NUMBER..=MAX_NUMBER).prop_map(Json::Int),
            (-1e15f64..1e15).prop_map(Json::Float),
            text.prop_map(Json::Text),
        ];
        leaf.prop_recursive(5, 64, 8, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Json::Array),
                prop::collection::btree_map(text, inner, 0..24).prop_map(|map| Json::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in any_json()) {
            let text = serde_json::to_string(&value).unwrap();
            prop_assert_eq!(parse(text.as_bytes()).unwrap(), value.clone());
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(parse(pretty.as_bytes()).unwrap(), value);
        }

        #[test]
        fn agrees_with_serde_json(text in r#"[\[\]{}",:truefalsn0-9.eE+\\ \-]{0,12}"#) {
            let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
            match (parse(text.as_bytes()), theirs) {
                (Ok(ours), Ok(theirs)) => {
                    // `-0` is an integer here and a float there.
                    let again: serde_json::Value = serde_json::from_str(&ours.to_compact_string()).unwrap();
                    prop_assert_eq!(
                        again.to_string().replace("-0.0", "0"),
                        theirs.to_string().replace("-0.0", "0")
                    );
                }
                (Err(_), Err(_)) => {}
                (Ok(ours), Err(error)) => prop_assert!(false, "took {ours}, serde_json says {error}"),
                (Err(error), Ok(theirs)) => {
                    let sentence = error.to_string();
                    prop_assert!(
                        sentence.ends_with("appears twice") || sentence.contains("beyond"),
                        "refused {theirs}: {sentence}"
                    );
                }
            }
        }

        #[test]
        fn mutated_documents_agree(value in any_json(), at in any::<prop::sample::Index>(), byte in prop::sample::select(br#"{}[]",:0\1eE.-"#.to_vec())) {
            let mut bytes = serde_json::to_vec(&value).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let theirs: Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
            match (parse(&bytes), theirs) {
                (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
                (Ok(ours), Err(error)) => prop_assert!(false, "took {ours}, serde_json says {error}"),
                (Err(error), Ok(theirs)) => {
                    let sentence = error.to_string();
                    // A changed digit makes `\u0001` the NUL that serde_json takes.
                    let nul = theirs.to_string().contains(r"\u0000") && sentence.contains("NUL");
                    prop_assert!(nul || sentence.ends_with("appears twice") || sentence.contains("beyond"), "{sentence}");
                }
            }
        }
    }
}
