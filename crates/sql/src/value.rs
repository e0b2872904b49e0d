//! Values that go into statements and come out of rows.

use std::sync::Arc;

use crate::{Error, Result};

/// A parameter of a statement or a column of a row.
///
/// Text with a NUL character and reals that are not a number are refused as
/// parameters, since only one of the two databases can store them.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value, of any type.
    Null,
    /// A 64-bit integer; also a flag, as 0 or 1.
    Int(i64),
    /// A 64-bit float.
    Real(f64),
    /// UTF-8 text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// What this is, in the words of an error message.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Int(_) => "an integer",
            Value::Real(_) => "a real",
            Value::Text(_) => "text",
            Value::Blob(_) => "a blob",
        }
    }
}

/// Refuses what only one of the two databases would accept.
pub(crate) fn check_params(params: &[Value]) -> Result<()> {
    for (i, value) in params.iter().enumerate() {
        let problem = match value {
            Value::Text(text) if text.as_bytes().contains(&0) => "text with a NUL character",
            Value::Real(real) if real.is_nan() => "not a number",
            _ => continue,
        };
        let number = i + 1;
        return Err(Error::Parameter { number, problem });
    }
    Ok(())
}

/// Parameters of a statement: `params![id, name, None::<i64>]`.
#[macro_export]
macro_rules! params {
    ($($v:expr),* $(,)?) => { ::std::vec![$($crate::Value::from($v)),*] };
}

impl From<i64> for Value {
    fn from(int: i64) -> Value {
        Value::Int(int)
    }
}

impl From<i32> for Value {
    fn from(int: i32) -> Value {
        Value::Int(int.into())
    }
}

impl From<u32> for Value {
    fn from(int: u32) -> Value {
        Value::Int(int.into())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Int(flag.into())
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Value {
        Value::Real(real)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<Vec<u8>> for Value {
    fn from(blob: Vec<u8>) -> Value {
        Value::Blob(blob)
    }
}

impl From<&[u8]> for Value {
    fn from(blob: &[u8]) -> Value {
        Value::Blob(blob.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// One row, its columns counted from 0.
///
/// Reading a column as what it is not is [`Error::Column`], which names it. Text
/// and blobs are taken out, leaving null.
#[derive(Clone, Debug)]
pub struct Row {
    values: Vec<Value>,
    names: Names,
}

/// The column names of one result, shared by its rows and read only to tell of
/// an error; one allocation therefore holds them all.
#[derive(Clone, Debug)]
pub(crate) struct Names(Arc<str>);

impl Names {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Names {
        let mut all = String::new();
        for name in names {
            all.push_str(name);
            all.push('\n');
        }
        Names(all.into())
    }

    pub(crate) fn name(&self, i: usize) -> String {
        self.0.lines().nth(i).unwrap_or("?").to_owned()
    }
}

impl Row {
    pub(crate) fn new(values: Vec<Value>, names: Names) -> Row {
        Row { values, names }
    }

    /// The integer in column `i`.
    pub fn int(&self, i: usize) -> Result<i64> {
        self.some(i, "an integer", Value::opt_int)
    }

    /// The integer in column `i`, or `None` for null.
    pub fn opt_int(&self, i: usize) -> Result<Option<i64>> {
        self.get(i, "an integer", Value::opt_int)
    }

    /// The flag in column `i`: an integer 0 or 1, or PostgreSQL's own boolean.
    pub fn flag(&self, i: usize) -> Result<bool> {
        self.some(i, "0 or 1", |value| match value {
            Value::Int(0) => Some(Some(false)),
            Value::Int(1) => Some(Some(true)),
            _ => None,
        })
    }

    /// The real in column `i`; an integer is converted, since SQLite gives one
    /// for an expression such as `coalesce(x, 0)`.
    pub fn real(&self, i: usize) -> Result<f64> {
        self.some(i, "a real", Value::opt_real)
    }

    /// Like [`Row::real`], or `None` for null.
    pub fn opt_real(&self, i: usize) -> Result<Option<f64>> {
        self.get(i, "a real", Value::opt_real)
    }

    /// Takes the text out of column `i`.
    pub fn text(&mut self, i: usize) -> Result<String> {
        self.opt_text(i)?.ok_or_else(|| self.wrong(i, "text", &Value::Null))
    }

    /// Takes the text out of column `i`, or `None` for null.
    pub fn opt_text(&mut self, i: usize) -> Result<Option<String>> {
        match self.take(i)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(self.wrong(i, "text", &other)),
        }
    }

    /// Takes the bytes out of column `i`.
    pub fn blob(&mut self, i: usize) -> Result<Vec<u8>> {
        self.opt_blob(i)?.ok_or_else(|| self.wrong(i, "a blob", &Value::Null))
    }

    /// Takes the bytes out of column `i`, or `None` for null.
    pub fn opt_blob(&mut self, i: usize) -> Result<Option<Vec<u8>>> {
        match self.take(i)? {
            Value::Null => Ok(None),
            Value::Blob(blob) => Ok(Some(blob)),
            other => Err(self.wrong(i, "a blob", &other)),
        }
    }

    fn take(&mut self, i: usize) -> Result<Value> {
        match self.values.get_mut(i) {
            Some(value) => Ok(std::mem::replace(value, Value::Null)),
            None => Err(self.missing(i)),
        }
    }

    /// Column `i` read by `read`, which answers `None` for the wrong type and
    /// `Some(None)` for null.
    fn get<T>(
        &self,
        i: usize,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<Option<T>>,
    ) -> Result<Option<T>> {
        let value = self.values.get(i).ok_or_else(|| self.missing(i))?;
        read(value).ok_or_else(|| self.wrong(i, expected, value))
    }

    fn some<T>(&self, i: usize, expected: &'static str, read: impl FnOnce(&Value) -> Option<Option<T>>) -> Result<T> {
        self.get(i, expected, read)?.ok_or_else(|| self.wrong(i, expected, &Value::Null))
    }

    fn wrong(&self, i: usize, expected: &'static str, found: &Value) -> Error {
        let found = match found {
            Value::Int(int) => format!("the integer {int}"),
            other => other.kind().to_owned(),
        };
        Error::Column { index: i, name: self.names.name(i), expected, found }
    }

    fn missing(&self, i: usize) -> Error {
        Error::Column {
            index: i,
            name: self.names.name(i),
            expected: "a column",
            found: format!("a row of {}", self.values.len()),
        }
    }
}

impl Value {
    fn opt_int(&self) -> Option<Option<i64>> {
        match self {
            Value::Null => Some(None),
            Value::Int(int) => Some(Some(*int)),
            _ => None,
        }
    }

    fn opt_real(&self) -> Option<Option<f64>> {
        match self {
            Value::Null => Some(None),
            Value::Real(real) => Some(Some(*real)),
            Value::Int(int) => Some(Some(*int as f64)),
            _ => None,
        }
    }
}
