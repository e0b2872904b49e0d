//! Tables and their rows: [`table!`] lists a table's columns once, with their types, and
//! gives a row type, the column lists of statements, and the values of their parameters.

use crate::Error;
use crate::codec::to_json;
use muriel_domain::Instant;
use muriel_domain::experiment::{ConclusionOutcome, TestType};
use muriel_domain::goal::{GoalType, Purpose};
use muriel_domain::person::Role;
use muriel_sql::{Row, Value};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::{Display, Write as _};
use std::sync::Arc;

/// Reason why a column could not be read.
pub(crate) enum Unreadable {
    /// The column has another type, or is not in the result.
    Sql(muriel_sql::Error),
    /// The column does not hold a value of this description.
    Expected(&'static str),
}

impl From<muriel_sql::Error> for Unreadable {
    fn from(error: muriel_sql::Error) -> Self {
        Unreadable::Sql(error)
    }
}

/// A type of a column's values.
pub(crate) trait Field: Sized {
    /// Reads the value in column `i`.
    fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable>;

    /// Converts the value to a parameter.
    fn into_value(self) -> Value;
}

macro_rules! plain_fields {
    ($($type:ty: $read:ident),*) => {
        $(impl Field for $type {
            fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
                Ok(row.$read(i)?)
            }

            fn into_value(self) -> Value {
                self.into()
            }
        })*
    };
}
plain_fields!(i64: int, f64: real, bool: flag, String: text, Vec<u8>: blob);

impl<T: Field> Field for Option<T> {
    fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
        if row.is_null(i)? { Ok(None) } else { T::read(row, i).map(Some) }
    }

    fn into_value(self) -> Value {
        self.map_or(Value::Null, T::into_value)
    }
}

/// Code is an `Arc`, so that its deliveries share one copy.
impl Field for Arc<str> {
    fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
        Ok(row.text(i)?.into())
    }

    fn into_value(self) -> Value {
        Value::from(&*self)
    }
}

/// Microseconds since 1970 in UTC.
impl Field for Instant {
    fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
        Ok(Instant::from_us(row.int(i)?))
    }

    fn into_value(self) -> Value {
        self.us().into()
    }
}

/// A value that a column holds as JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Json<T>(pub T);

impl<T: Serialize + DeserializeOwned> Field for Json<T> {
    fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
        serde_json::from_str(&row.text(i)?).map(Json).map_err(|_| Unreadable::Expected("readable JSON"))
    }

    fn into_value(self) -> Value {
        to_json(&self.0).into()
    }
}

macro_rules! word_fields {
    ($($type:ty),*) => {
        $(impl Field for $type {
            fn read(row: &mut Row, i: usize) -> Result<Self, Unreadable> {
                let text = row.text(i)?;
                let found = Self::WORDS.iter().find(|(word, _)| *word == text);
                found.map(|(_, value)| *value).ok_or(Unreadable::Expected("a known word"))
            }

            fn into_value(self) -> Value {
                self.word().into()
            }
        })*
    };
}
word_fields!(TestType, ConclusionOutcome, GoalType, Purpose, Role);

/// Table and key of a row, for errors.
#[derive(Clone, Copy)]
pub(crate) struct RowId<'a> {
    pub table: &'static str,
    /// The key's columns in their order.
    pub key: &'a [&'a dyn Display],
}

impl RowId<'_> {
    /// Builds the error for a column with an invalid value.
    pub(crate) fn damaged(&self, column: &'static str, expected: &'static str) -> Error {
        let mut row = String::new();
        for part in self.key {
            let comma = if row.is_empty() { "" } else { ", " };
            let _ = write!(row, "{comma}{part}");
        }
        Error::Damaged { table: self.table, row, column, expected }
    }
}

/// Reads the value in the column with this name.
pub(crate) fn read<T: Field>(row: &mut Row, column: &'static str, id: RowId<'_>) -> Result<T, Error> {
    let i = row.position(column)?;
    T::read(row, i).map_err(|error| match error {
        Unreadable::Sql(error) => error.into(),
        Unreadable::Expected(expected) => id.damaged(column, expected),
    })
}

/// `g.name, g.revision`, with the alias `g`.
pub(crate) fn list(alias: &str, columns: &[&[&str]]) -> String {
    let names: Vec<String> = columns.concat().iter().map(|column| format!("{alias}.{column}")).collect();
    names.join(", ")
}

/// `INSERT INTO table (…) VALUES ($1, …)`.
pub(crate) fn insert(table: &str, columns: &[&[&str]]) -> String {
    let columns = columns.concat();
    let places: Vec<String> = (1..=columns.len()).map(|number| format!("${number}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), places.join(", "))
}

/// `name = $1, note = $2`.
pub(crate) fn assignments(columns: &[&str]) -> String {
    let set: Vec<String> = (1..).zip(columns).map(|(number, column)| format!("{column} = ${number}")).collect();
    set.join(", ")
}

/// Declares a table: its name, and each column that is read or written, with its type.
/// Every statement and every parameter list has the columns in this order.
///
/// - `generated`: the database generates the value; not in an `INSERT`.
/// - `key`: identifies a row, together with `generated`; written once.
/// - `fixed`: written once.
/// - `changing`: written with each change.
///
/// The row type has a field per column. `columns(alias)` is a `SELECT` list,
/// `insert_sql()` and `insert_values()` store a row; `assignments()` and
/// `changing_values()` are the changing columns of an `UPDATE`, from `$1` on, and
/// `next_place()` the parameter after them. A row is read from a [`Row`] by the names
/// of the columns.
macro_rules! table {
    (
        $(#[$doc:meta])*
        struct $row:ident of $table:literal {
            generated { $($generated:ident: $generated_type:ty),* $(,)? }
            key { $($key:ident: $key_type:ty),* $(,)? }
            fixed { $($fixed:ident: $fixed_type:ty),* $(,)? }
            changing { $($changing:ident: $changing_type:ty),* $(,)? }
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub(crate) struct $row {
            $(pub $generated: $generated_type,)*
            $(pub $key: $key_type,)*
            $(pub $fixed: $fixed_type,)*
            $(pub $changing: $changing_type,)*
        }

        #[allow(dead_code, reason = "not every table needs every statement")]
        impl $row {
            const GENERATED: &'static [&'static str] = &[$(stringify!($generated)),*];
            const ONCE: &'static [&'static str] = &[$(stringify!($key),)* $(stringify!($fixed),)*];
            const CHANGING: &'static [&'static str] = &[$(stringify!($changing)),*];

            pub(crate) fn columns(alias: &str) -> String {
                $crate::table::list(alias, &[Self::GENERATED, Self::ONCE, Self::CHANGING])
            }

            pub(crate) fn insert_sql() -> String {
                $crate::table::insert($table, &[Self::ONCE, Self::CHANGING])
            }

            pub(crate) fn insert_values(self) -> Vec<muriel_sql::Value> {
                vec![$($crate::table::Field::into_value(self.$key),)* $($crate::table::Field::into_value(self.$fixed),)* $($crate::table::Field::into_value(self.$changing),)*]
            }

            pub(crate) fn assignments() -> String {
                $crate::table::assignments(Self::CHANGING)
            }

            pub(crate) fn changing_values(self) -> Vec<muriel_sql::Value> {
                vec![$($crate::table::Field::into_value(self.$changing),)*]
            }

            pub(crate) fn next_place() -> usize {
                Self::CHANGING.len() + 1
            }

            /// Builds the error for an invalid value in this row.
            fn damaged(&self, column: &'static str, expected: &'static str) -> $crate::Error {
                let key: &[&dyn std::fmt::Display] = &[$(&self.$generated,)* $(&self.$key,)*];
                $crate::table::RowId { table: $table, key }.damaged(column, expected)
            }
        }

        impl TryFrom<&mut muriel_sql::Row> for $row {
            type Error = $crate::Error;

            fn try_from(row: &mut muriel_sql::Row) -> Result<Self, $crate::Error> {
                let unnamed = $crate::table::RowId { table: $table, key: &[] };
                $(let $generated: $generated_type = $crate::table::read(row, stringify!($generated), unnamed)?;)*
                $(let $key: $key_type = $crate::table::read(row, stringify!($key), unnamed)?;)*
                let key: &[&dyn std::fmt::Display] = &[$(&$generated,)* $(&$key,)*];
                let id = $crate::table::RowId { table: $table, key };
                $(let $fixed: $fixed_type = $crate::table::read(row, stringify!($fixed), id)?;)*
                $(let $changing: $changing_type = $crate::table::read(row, stringify!($changing), id)?;)*
                Ok(Self { $($generated,)* $($key,)* $($fixed,)* $($changing,)* })
            }
        }
    };
}
pub(crate) use table;

#[cfg(test)]
mod tests {
    use super::*;

    table! {
        /// A table with a column of each group.
        struct Note of "note" {
            generated { note_id: i64 }
            key { page: String }
            fixed { created_at: Instant }
            changing { text: Option<String>, tags: Json<Vec<String>> }
        }
    }

    #[test]
    fn a_declaration_gives_every_statement_its_columns_in_one_order() {
        assert_eq!(Note::columns("n"), "n.note_id, n.page, n.created_at, n.text, n.tags");
        assert_eq!(Note::insert_sql(), "INSERT INTO note (page, created_at, text, tags) VALUES ($1, $2, $3, $4)");
        assert_eq!(Note::assignments(), "text = $1, tags = $2");
        assert_eq!(Note::next_place(), 3);
        let note = Note {
            note_id: 1,
            page: "home".to_owned(),
            created_at: Instant::from_us(5),
            text: None,
            tags: Json(vec!["a".to_owned()]),
        };
        let error = note.damaged("tags", "a list of tags").to_string();
        assert_eq!(error, "column tags of table note is not a list of tags in the row with the key 1, home");
        assert_eq!(note.clone().insert_values()[2..], [Value::Null, "[\"a\"]".into()]);
        assert_eq!(note.changing_values(), [Value::Null, "[\"a\"]".into()]);
    }
}
