//! Values in statements and rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Error, Result};

/// A parameter of a statement or a column of a row.
///
/// Text with a NUL character and reals that are NaN are rejected as parameters, because
/// only one of the two databases can store them.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null, of any type.
    Null,
    /// A 64-bit integer. Also a boolean, as 0 or 1.
    Int(i64),
    /// A 64-bit float.
    Real(f64),
    /// UTF-8 text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// Type of the value for an error message.
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

/// Rejects parameters that only one of the two databases would accept.
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

/// A row of a result.
///
/// A column is selected by its name in the result, or by its position from 0: see
/// [`Column`]. Reading a column as a type that it does not hold, or a column that the
/// result does not have, is an [`Error::Column`] that names it. Text and blobs are moved
/// out and leave null behind.
#[derive(Clone, Debug)]
pub struct Row {
    values: Vec<Value>,
    names: ColumnNames,
}

/// Selects a column of a [`Row`]: by name, `"created_at"`, or by position from 0.
///
/// When two columns have the same name, which one is found is not specified. Statements
/// that join tables give them distinct names with `AS`.
pub trait Column: Copy {
    /// Position of the column in the row; `None` when the row does not have the column.
    fn position_in(self, row: &Row) -> Option<usize>;

    /// Position and name of the column, for an error.
    fn label(self, row: &Row) -> (usize, String);
}

impl Column for usize {
    fn position_in(self, row: &Row) -> Option<usize> {
        (self < row.values.len()).then_some(self)
    }

    fn label(self, row: &Row) -> (usize, String) {
        (self, row.names.name(self).to_owned())
    }
}

impl Column for &str {
    fn position_in(self, row: &Row) -> Option<usize> {
        row.names.position(self)
    }

    fn label(self, row: &Row) -> (usize, String) {
        (row.values.len(), self.to_owned())
    }
}

/// The column names of one result, shared by its rows.
#[derive(Clone, Debug)]
pub(crate) struct ColumnNames(Arc<NameList>);

#[derive(Debug)]
struct NameList {
    /// All names, concatenated.
    text: String,
    /// End of each name in `text`.
    ends: Vec<usize>,
    /// Index at which the next search starts. Rows are read in the order in which their
    /// statement lists the columns, so finding a name takes one comparison, whatever the
    /// number of columns. A race between threads only costs comparisons.
    next: AtomicUsize,
}

impl ColumnNames {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> ColumnNames {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for name in names {
            text.push_str(name);
            ends.push(text.len());
        }
        ColumnNames(Arc::new(NameList { text, ends, next: AtomicUsize::new(0) }))
    }

    /// Name at position `i`; `?` past the end.
    pub(crate) fn name(&self, i: usize) -> &str {
        let list = &*self.0;
        let start = i.checked_sub(1).map_or(Some(0), |last| list.ends.get(last).copied());
        start.zip(list.ends.get(i)).map_or("?", |(start, &end)| &list.text[start..end])
    }

    fn position(&self, name: &str) -> Option<usize> {
        let count = self.0.ends.len();
        let first = self.0.next.load(Ordering::Relaxed).min(count);
        let found = (first..count).chain(0..first).find(|&i| self.name(i) == name)?;
        self.0.next.store(found + 1, Ordering::Relaxed);
        Some(found)
    }
}

impl Row {
    pub(crate) fn new(values: Vec<Value>, names: ColumnNames) -> Row {
        Row { values, names }
    }

    /// Position of a column, from 0.
    ///
    /// # Errors
    /// [`Error::Column`] when the row does not have the column.
    pub fn position(&self, column: impl Column) -> Result<usize> {
        column.position_in(self).ok_or_else(|| {
            let (index, name) = column.label(self);
            let found = format!("a row of {}", self.values.len());
            Error::Column { index, name, expected: "a column", found }
        })
    }

    /// Returns whether a column is null.
    pub fn is_null(&self, column: impl Column) -> Result<bool> {
        Ok(self.values[self.position(column)?] == Value::Null)
    }

    /// Returns the integer in a column.
    pub fn int(&self, column: impl Column) -> Result<i64> {
        self.some(column, "an integer", Value::opt_int)
    }

    /// Returns the integer in a column, or `None` for null.
    pub fn opt_int(&self, column: impl Column) -> Result<Option<i64>> {
        self.get(self.position(column)?, "an integer", Value::opt_int)
    }

    /// Returns the flag in a column: an integer 0 or 1, or a PostgreSQL boolean.
    pub fn flag(&self, column: impl Column) -> Result<bool> {
        self.some(column, "0 or 1", |value| match value {
            Value::Int(0) => Some(Some(false)),
            Value::Int(1) => Some(Some(true)),
            _ => None,
        })
    }

    /// Returns the real in a column. An integer is converted, because SQLite returns one
    /// for an expression such as `coalesce(x, 0)`.
    pub fn real(&self, column: impl Column) -> Result<f64> {
        self.some(column, "a real", Value::opt_real)
    }

    /// Like [`Row::real`], or `None` for null.
    pub fn opt_real(&self, column: impl Column) -> Result<Option<f64>> {
        self.get(self.position(column)?, "a real", Value::opt_real)
    }

    /// Moves the text out of a column.
    pub fn text(&mut self, column: impl Column) -> Result<String> {
        let i = self.position(column)?;
        self.opt_text(i)?.ok_or_else(|| self.wrong(i, "text", &Value::Null))
    }

    /// Moves the text out of a column, or `None` for null.
    pub fn opt_text(&mut self, column: impl Column) -> Result<Option<String>> {
        let i = self.position(column)?;
        match self.take(i) {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(self.wrong(i, "text", &other)),
        }
    }

    /// Moves the bytes out of a column.
    pub fn blob(&mut self, column: impl Column) -> Result<Vec<u8>> {
        let i = self.position(column)?;
        self.opt_blob(i)?.ok_or_else(|| self.wrong(i, "a blob", &Value::Null))
    }

    /// Moves the bytes out of a column, or `None` for null.
    pub fn opt_blob(&mut self, column: impl Column) -> Result<Option<Vec<u8>>> {
        let i = self.position(column)?;
        match self.take(i) {
            Value::Null => Ok(None),
            Value::Blob(blob) => Ok(Some(blob)),
            other => Err(self.wrong(i, "a blob", &other)),
        }
    }

    fn take(&mut self, i: usize) -> Value {
        std::mem::replace(&mut self.values[i], Value::Null)
    }

    /// Reads column `i` with `read`, which returns `None` for the wrong type and
    /// `Some(None)` for null.
    fn get<T>(
        &self,
        i: usize,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<Option<T>>,
    ) -> Result<Option<T>> {
        let value = &self.values[i];
        read(value).ok_or_else(|| self.wrong(i, expected, value))
    }

    fn some<T>(
        &self,
        column: impl Column,
        expected: &'static str,
        read: impl FnOnce(&Value) -> Option<Option<T>>,
    ) -> Result<T> {
        let i = self.position(column)?;
        self.get(i, expected, read)?.ok_or_else(|| self.wrong(i, expected, &Value::Null))
    }

    fn wrong(&self, i: usize, expected: &'static str, found: &Value) -> Error {
        let found = match found {
            Value::Int(int) => format!("the integer {int}"),
            other => other.kind().to_owned(),
        };
        Error::Column { index: i, name: self.names.name(i).to_owned(), expected, found }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let values = vec![Value::Int(7), Value::Null, Value::Text("checkout".to_owned())];
        Row::new(values, ColumnNames::new(["id", "note", "name"].into_iter()))
    }

    #[test]
    fn columns_are_read_by_name_in_any_order_and_by_position() {
        let mut row = row();
        assert_eq!(row.text("name").unwrap(), "checkout");
        assert_eq!(row.int("id").unwrap(), 7);
        assert_eq!(row.opt_int("note").unwrap(), None);
        assert!(row.is_null("note").unwrap());
        assert_eq!(row.int(0).unwrap(), 7);
        assert_eq!(row.position("name").unwrap(), 2);
        // The text has been moved out.
        assert_eq!(row.opt_text("name").unwrap(), None);
    }

    #[test]
    fn an_error_names_the_column() {
        let message = |error: Error| error.to_string();
        assert!(message(row().int("name").unwrap_err()).contains("name"));
        assert!(message(row().int("age").unwrap_err()).contains("age"));
        assert!(message(row().int(3).unwrap_err()).contains('?'));
        assert!(message(row().text("note").unwrap_err()).contains("note"));
    }
}
