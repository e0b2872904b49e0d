//! Parses TOML to JSON values, with the line of each.

use serde_json::{Map, Value};
use std::collections::HashMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// TOML syntax error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TomlError {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Message without a full stop.
    pub(crate) message: String,
}

/// Values of a file with their lines.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// Top-level values.
    pub(crate) members: Map<String, Value>,
    /// Line of each value, by path: `variants[1].nickname`.
    lines: HashMap<String, usize>,
}

impl Located {
    /// Line of the value with this path, or of the nearest value that contains
    /// it.
    pub(crate) fn line(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path) {
                return *line;
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                None => return 1,
            }
        }
    }
}

/// Parses a file. Dates and times become text.
///
/// # Errors
/// All syntax errors.
pub(crate) fn parse(text: &str) -> Result<Located, Vec<TomlError>> {
    let lines = Lines::of(text);
    let (table, found) = DeTable::parse_recoverable(text);
    let mut errors: Vec<TomlError> = found
        .iter()
        .map(|error| TomlError {
            line: lines.at(error.span().map_or(0, |span| span.start)),
            message: error.message().replace('\n', ", "),
        })
        .collect();
    let mut reader = Reader { lines, located: Located::default(), errors: Vec::new() };
    let members = reader.table(table.get_ref(), "");
    if errors.is_empty() {
        errors = reader.errors;
    }
    match errors.is_empty() {
        true => Ok(Located { members, ..reader.located }),
        false => Err(errors),
    }
}

/// Start offsets of a text's lines.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(breaks).collect())
    }

    /// Line of a byte, from 1.
    fn at(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }
}

struct Reader {
    lines: Lines,
    located: Located,
    errors: Vec<TomlError>,
}

impl Reader {
    fn table(&mut self, table: &DeTable<'_>, path: &str) -> Map<String, Value> {
        let mut members = Map::new();
        // In the order of the file.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name: &str = key.get_ref();
            let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            self.located.lines.insert(inner.clone(), self.lines.at(key.span().start));
            members.insert(name.to_owned(), self.value(value, &inner));
        }
        members
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, path: &str) -> Value {
        let line = self.lines.at(value.span().start);
        match value.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(integer) => Value::from(integer),
                Err(_) => self.refuse(line, "an integer must fit into 64 bits"),
            },
            DeValue::Float(float) => match float.as_str().parse::<f64>() {
                Ok(float) if float.is_finite() => Value::from(float),
                _ => self.refuse(line, "a number must be finite"),
            },
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Datetime(moment) => Value::String(moment.to_string()),
            DeValue::Array(items) => {
                let mut values = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let inner = format!("{path}[{at}]");
                    self.located.lines.insert(inner.clone(), self.lines.at(item.span().start));
                    values.push(self.value(item, &inner));
                }
                Value::Array(values)
            }
            DeValue::Table(table) => Value::Object(self.table(table, path)),
        }
    }

    fn refuse(&mut self, line: usize, message: &str) -> Value {
        self.errors.push(TomlError { line, message: message.to_owned() });
        Value::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_know_their_lines() {
        let text =
            "a = 1\n# note\n[t]\nx.y = \"z\"\nwhen = 2026-03-01\n\n[[v]]\nn = 0x10\n\n[[v]]\nn = [\n  1.5,\n  2,\n]\n";
        let read = parse(text).unwrap();
        assert_eq!(
            Value::Object(read.members.clone()),
            json!({ "a": 1, "t": { "x": { "y": "z" }, "when": "2026-03-01" }, "v": [{ "n": 16 }, { "n": [1.5, 2] }] })
        );
        for (path, line) in [
            ("a", 1),
            ("t", 3),
            ("t.x.y", 4),
            ("t.when", 5),
            ("t.nowhere.at.all", 3),
            ("v[0].n", 8),
            ("v[1].n[1]", 13),
            ("v[1].n[7]", 11),
            ("elsewhere", 1),
        ] {
            assert_eq!(read.line(path), line, "{path}");
        }
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        for (text, line) in [
            ("a = \n", 1),
            ("a = 1\na = 2\n", 2),
            ("a = 1\n\nb = 99999999999999999999\n", 3),
            ("a = 1\nb = inf\n", 2),
            ("a = [1,\n2\n", 2),
            ("\"\"\"", 1),
        ] {
            let errors = parse(text).unwrap_err();
            assert!(errors.iter().any(|error| error.line.abs_diff(line) <= 1), "{text}: {errors:?}");
        }
        let deep = format!("a = {}1{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(parse(&deep).is_err());
    }
}
