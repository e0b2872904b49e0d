//! The versions that a request may change.

use crate::error::{Error, Result};

/// Versions of an experiment, a goal or a hypothesis that a request may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Any version.
    None,
    /// One of these. An empty list matches no version.
    OneOf(Vec<String>),
}

impl Precondition {
    /// # Errors
    /// `PreconditionFailed` for another version.
    pub fn check(&self, version: &str) -> Result<()> {
        match self {
            Precondition::OneOf(versions) if !versions.iter().any(|one| one == version) => {
                Err(Error::PreconditionFailed)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preconditions() {
        let one_of = |versions: &[&str]| Precondition::OneOf(versions.iter().map(|one| (*one).to_owned()).collect());
        for (precondition, holds) in [
            (Precondition::None, true),
            (one_of(&["1-0"]), true),
            (one_of(&["2", "1-0"]), true),
            (one_of(&["2"]), false),
            (one_of(&[]), false),
        ] {
            assert_eq!(precondition.check("1-0").is_ok(), holds, "{precondition:?}");
        }
    }
}
