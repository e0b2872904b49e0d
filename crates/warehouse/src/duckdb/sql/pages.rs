//! URL patterns of goals.

use duckdb::arrow::array::{Array, StringArray, UInt64Array};
use muriel_domain::goal::regular_expression;
use url::Url;

use super::literal;
use super::read::Db;
use crate::Result;
use crate::row::hash_url;

/// URLs matched per batch.
const BATCH: usize = 250_000;

/// Pattern for URLs.
pub(super) enum Pattern<'t> {
    Contains(&'t str),
    Exact(&'t str),
    Wildcard(&'t str),
    Regex(&'t str),
}

impl Pattern<'_> {
    /// SQL condition on `e.url`. Creates the table `pages` when each URL of the project
    /// must be matched here.
    pub(super) fn condition(&self, db: &Db<'_>, project: u64) -> Result<String> {
        match self {
            Pattern::Contains(part) => Ok(format!(
                "e.url IN (SELECT url FROM urls WHERE project = {project} AND contains(text, {}))",
                literal(part)
            )),
            Pattern::Exact(address) => {
                let written = Url::parse(address).map(String::from);
                let mut hashes = vec![hash_url(address).to_string()];
                hashes.extend(written.iter().map(|written| hash_url(written).to_string()));
                Ok(format!("e.url IN ({})", hashes.join(", ")))
            }
            Pattern::Wildcard(pattern) => {
                let wildcard = Wildcard::new(pattern);
                collect(db, project, |text| wildcard.matches(text))
            }
            Pattern::Regex(pattern) => match regular_expression(pattern) {
                Ok(regex) => collect(db, project, |text| regex.is_match(text)),
                // A valid goal cannot have such a pattern.
                Err(_) => Ok("false".into()),
            },
        }
    }
}

/// Creates the table `pages` of matching URLs, and returns the condition for being one of
/// them.
///
/// URLs are matched here, in batches, because the database's own patterns have other
/// semantics and can take exponential time.
fn collect(db: &Db<'_>, project: u64, matches: impl Fn(&str) -> bool) -> Result<String> {
    db.run("CREATE OR REPLACE TEMP TABLE pages (url UBIGINT)")?;
    let rows: i64 = db.row("SELECT coalesce(max(rowid) + 1, 0) FROM urls", |row| row.get(0))?;
    let mut pages = db.connection.appender_to_catalog_and_db("pages", "temp", "main")?;
    for from in (0..rows).step_by(BATCH) {
        db.stop.check()?;
        let sql = format!(
            "SELECT url, text FROM urls WHERE project = {project} AND rowid >= {from} AND rowid < {}",
            from + BATCH as i64
        );
        let mut statement = db.connection.prepare(&sql)?;
        for batch in statement.query_arrow([])? {
            let urls = batch.column(0).as_any().downcast_ref::<UInt64Array>();
            let texts = batch.column(1).as_any().downcast_ref::<StringArray>();
            let (Some(urls), Some(texts)) = (urls, texts) else {
                return Err(duckdb::Error::InvalidQuery.into());
            };
            for (row, text) in texts.iter().enumerate() {
                if text.is_some_and(&matches) {
                    pages.append_row([urls.value(row)])?;
                }
            }
        }
    }
    pages.flush()?;
    Ok("e.url IN (SELECT url FROM pages)".into())
}

/// A pattern for a whole text, in which `*` matches any characters.
struct Wildcard<'p> {
    first: &'p str,
    middle: Vec<&'p str>,
    /// `None` for a pattern without `*`.
    last: Option<&'p str>,
}

impl<'p> Wildcard<'p> {
    fn new(pattern: &'p str) -> Self {
        let Some((first, rest)) = pattern.split_once('*') else {
            return Self { first: pattern, middle: Vec::new(), last: None };
        };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        Self { first, middle: middle.split('*').filter(|part| !part.is_empty()).collect(), last: Some(last) }
    }

    fn matches(&self, text: &str) -> bool {
        let Some(last) = self.last else {
            return text == self.first;
        };
        let within = text.strip_prefix(self.first).and_then(|rest| rest.strip_suffix(last));
        let Some(mut rest) = within else {
            return false;
        };
        // Taking the first occurrence of each part leaves the most text for the following
        // parts.
        self.middle.iter().all(|part| {
            let found = rest.split_once(part);
            found.inspect(|(_, after)| rest = after).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_star_is_any_run_of_characters() {
        for (pattern, text, expect) in [
            ("https://a.example/*", "https://a.example/", true),
            ("https://a.example/*", "https://a.example/b?c=d#e", true),
            ("https://a.example/*", "http://a.example/b", false),
            ("*/thanks", "https://a.example/thanks", true),
            ("*/thanks", "https://a.example/thanks/", false),
            ("/a/*/c/*/e", "/a/b/c/d/e", true),
            ("/a/*/c/*/e", "/a/b/d/e", false),
            ("/x/*/x/", "/x/x/", false),
            ("/x/*/x/", "/x//x/", true),
            ("a**b", "ab", true),
            ("*", "", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("100%_*", "100%_x", true),
            ("1__*", "123", false),
            ("*é*", "caféine", true),
        ] {
            assert_eq!(Wildcard::new(pattern).matches(text), expect, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn a_wildcard_matches_as_its_regular_expression(pattern in "[ab*]{0,8}", text in "[ab\n]{0,10}") {
            let parts: Vec<String> = pattern.split('*').map(regex::escape).collect();
            let regex = regex::Regex::new(&format!("^(?s:{})$", parts.join(".*"))).unwrap();
            prop_assert_eq!(Wildcard::new(&pattern).matches(&text), regex.is_match(&text));
        }
    }
}
