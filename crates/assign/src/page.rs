//! stub
use muriel_domain::{Flaw, targeting::UrlRule};
use std::borrow::Cow;
/// a
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Address<'a>(&'a str);
impl<'a> Address<'a> {
    /// a
    pub fn parse(t: &'a str) -> Option<Self> {
        t.contains("://").then_some(Self(t))
    }
    /// a
    pub fn host(&self) -> &'a str {
        self.0
    }
    /// a
    pub fn as_str(&self) -> &'a str {
        self.0
    }
    /// a
    pub fn parameter(&self, _n: &str) -> Option<Cow<'a, str>> {
        None
    }
}
/// a
#[derive(Debug, Clone)]
pub struct PageRule;
impl PageRule {
    /// a
    pub fn compile(_r: &UrlRule) -> Result<Self, Flaw> {
        Ok(Self)
    }
    /// a
    pub fn matches(&self, _a: &Address<'_>) -> bool {
        true
    }
}
/// a
pub enum Source {
    /// a
    Direct,
}
impl Source {
    /// a
    pub fn as_str(&self) -> &'static str {
        "direct"
    }
}
/// a
pub fn source(_r: Option<&str>, _p: Option<&Address<'_>>) -> Source {
    Source::Direct
}
