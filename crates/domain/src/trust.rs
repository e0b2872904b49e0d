//! Trust in the sender of an event, and the events that a project counts.

use crate::Flaw;
use serde::{Deserialize, Serialize};

/// Trust in the sender of an event. A later level is higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Anybody can have sent it.
    Unsigned,
    /// The visitor's id has a signature of the server, of which each network gets a limited number.
    Signed,
    /// Sent with an API key.
    Keyed,
}

/// The events that a project counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustPolicy {
    /// All of them.
    #[default]
    Any,
    /// Signed and keyed ones.
    Signed,
    /// Keyed ones.
    Keyed,
}

impl TrustPolicy {
    /// All policies with their words.
    pub const WORDS: [(&'static str, TrustPolicy); 3] =
        [("any", TrustPolicy::Any), ("signed", TrustPolicy::Signed), ("keyed", TrustPolicy::Keyed)];

    /// Returns the policy with this word.
    ///
    /// # Errors
    /// A word that is not one of [`TrustPolicy::WORDS`].
    pub fn parse(word: &str) -> Result<Self, Flaw> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, policy)| *policy).ok_or_else(|| Flaw::new("must be any, signed or keyed"))
    }

    /// Word in the interface and in stored settings.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// The least trust of events that count.
    pub fn least(self) -> Trust {
        match self {
            Self::Any => Trust::Unsigned,
            Self::Signed => Trust::Signed,
            Self::Keyed => Trust::Keyed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_have_words_and_count_what_is_trusted_enough() {
        for (word, policy) in TrustPolicy::WORDS {
            assert_eq!((TrustPolicy::parse(word).unwrap(), policy.word()), (policy, word));
            assert_eq!(serde_json::to_value(policy).unwrap(), word);
        }
        assert_eq!(TrustPolicy::parse("Any").unwrap_err().to_string(), "must be any, signed or keyed");
        let counted =
            |policy: TrustPolicy| [Trust::Unsigned, Trust::Signed, Trust::Keyed].map(|trust| trust >= policy.least());
        assert_eq!(counted(TrustPolicy::Any), [true, true, true]);
        assert_eq!(counted(TrustPolicy::Signed), [false, true, true]);
        assert_eq!(counted(TrustPolicy::Keyed), [false, false, true]);
    }
}
