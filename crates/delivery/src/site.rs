//! Names on customers' pages that the operator can choose.

use std::fmt;
use std::str::FromStr;

/// Configurable names of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// Global name of the script's API on pages.
    pub page_api: PageApi,
    /// Path below which visitor traffic is served in addition to the usual paths.
    pub visitor_prefix: VisitorPrefix,
}

/// Name of the global that is the script's API on a page. Names of cookies and stored items begin with
/// it.
///
/// As text: a JavaScript identifier of 1 to 32 ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageApi(String);

impl Default for PageApi {
    fn default() -> Self {
        Self("muriel".to_owned())
    }
}

impl PageApi {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is not a valid name for the page API.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a JavaScript name of at most 32 letters, digits, _ and $, such as `muriel`")]
pub struct BadPageApi(String);

impl FromStr for PageApi {
    type Err = BadPageApi;

    fn from_str(text: &str) -> Result<Self, BadPageApi> {
        let of = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let good = text.len() <= 32 && text.starts_with(|c: char| !c.is_ascii_digit()) && text.chars().all(of);
        if good { Ok(Self(text.to_owned())) } else { Err(BadPageApi(text.to_owned())) }
    }
}

/// Path below which visitor traffic is served in addition to the usual paths, so that a
/// site can forward it from a path of its own.
///
/// As text: `/x`, or `/x/y`; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisitorPrefix(String);

/// First segments of the usual paths, which cannot be a prefix.
const TAKEN: [&str; 12] =
    ["v2", "js", "ruleset", "preview", "geo", "events", "docs", "openapi.json", "livez", "readyz", "metrics", "mcp"];

impl VisitorPrefix {
    /// The path without a trailing `/`; empty for none.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is not a valid prefix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not an unused path of letters, digits, - and _, such as `/x`")]
pub struct BadVisitorPrefix(String);

impl FromStr for VisitorPrefix {
    type Err = BadVisitorPrefix;

    fn from_str(text: &str) -> Result<Self, BadVisitorPrefix> {
        let plain =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let good = text.is_empty()
            || text.len() <= 64
                && text.strip_prefix('/').is_some_and(|path| {
                    path.split('/').all(plain) && !TAKEN.contains(&path.split('/').next().unwrap_or_default())
                });
        if good { Ok(Self(text.to_owned())) } else { Err(BadVisitorPrefix(text.to_owned())) }
    }
}

impl fmt::Display for VisitorPrefix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_page_api() {
        for (text, good) in [
            ("muriel", true),
            ("_m$1", true),
            ("a".repeat(32).as_str(), true),
            ("a".repeat(33).as_str(), false),
            ("", false),
            ("1a", false),
            ("a-b", false),
            ("a.b", false),
            ("é", false),
            ("a;", false),
        ] {
            assert_eq!(text.parse::<PageApi>().is_ok(), good, "{text}");
        }
    }

    #[test]
    fn prefixes() {
        for (text, good) in [
            ("", true),
            ("/x", true),
            ("/x/y-2_z", true),
            ("x", false),
            ("/", false),
            ("/x/", false),
            ("//x", false),
            ("/x y", false),
            ("/{x}", false),
            ("/..", false),
            ("/js", false),
            ("/v2/x", false),
            ("/jsx", true),
        ] {
            assert_eq!(text.parse::<VisitorPrefix>().is_ok(), good, "{text}");
        }
    }
}
