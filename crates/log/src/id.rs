//! The id of a log.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// The id of a log: a UUID that is generated when the log is created and stored in each
/// of its files.
///
/// Every log numbers its blocks from 1, so a position is meaningful only together with
/// the id of its log. The text form is that of a UUID in lower case with hyphens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId([u8; 16]);

impl LogId {
    /// Creates an id from its 16 bytes, the form in which files and warehouses store it.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 16 bytes of the id.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// The text is not the canonical text form of a [`LogId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the id of a log: a UUID such as 7d444840-9dc0-11d1-b245-5ffdce74fad2")]
pub struct InvalidLogId;

impl FromStr for LogId {
    type Err = InvalidLogId;

    /// Accepts only the canonical text form, so that equal ids have equal texts.
    fn from_str(text: &str) -> Result<Self, InvalidLogId> {
        let id = Uuid::try_parse(text).map_err(|_| InvalidLogId)?;
        let id = LogId(id.into_bytes());
        if id.to_string() == text { Ok(id) } else { Err(InvalidLogId) }
    }
}

impl fmt::Display for LogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Uuid::from_bytes(self.0).hyphenated().fmt(f)
    }
}

impl fmt::Debug for LogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogId({self})")
    }
}

impl Serialize for LogId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LogId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_text_form() {
        let text = "7d444840-9dc0-11d1-b245-5ffdce74fad2";
        let id: LogId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(id.as_bytes()[..4], [0x7d, 0x44, 0x48, 0x40]);
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<LogId>(&format!("\"{text}\"")).unwrap(), id);
        let bare = text.replace('-', "");
        for other in ["", "7d44", &bare, &text.to_uppercase(), &format!("{{{text}}}"), &format!("{text} ")] {
            assert_eq!(other.parse::<LogId>(), Err(InvalidLogId), "{other}");
        }
    }
}
