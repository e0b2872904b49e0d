//! Moments, as the interface writes them.

use crate::Flaw;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A moment in UTC, in microseconds since 1970. Comes from outside: nothing in
/// this crate reads a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

/// Microseconds of a day.
pub const DAY_US: i64 = 86_400_000_000;

impl Instant {
    /// `us` microseconds after 1970-01-01T00:00:00Z.
    pub const fn from_us(us: i64) -> Self {
        Self(us)
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const fn us(self) -> i64 {
        self.0
    }

    /// This much later (or earlier, when negative); saturates.
    pub const fn plus_us(self, us: i64) -> Self {
        Self(self.0.saturating_add(us))
    }

    /// Reads an ISO 8601 date and time with an offset, or a date alone, which is
    /// its midnight in UTC.
    ///
    /// # Errors
    /// Anything else, and moments outside the years 1970 to 9999.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let flaw =
            || Flaw::new("must be an ISO 8601 date (2026-03-01) or a time with an offset (2026-03-01T09:00:00Z)");
        let stamp = if text.len() == 10 {
            let date: jiff::civil::Date = text.parse().map_err(|_| flaw())?;
            date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| flaw())?.timestamp()
        } else {
            text.parse::<jiff::Timestamp>().map_err(|_| flaw())?
        };
        let us = stamp.as_microsecond();
        if us < 0 { Err(Flaw::new("must not be before 1970")) } else { Ok(Self(us)) }
    }
}

impl fmt::Display for Instant {
    /// `2026-03-01T10:00:00.250Z`: UTC with milliseconds.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stamp = jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(out, "{}", stamp.strftime("%Y-%m-%dT%H:%M:%S.%3fZ"))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_and_offsets_and_writes_utc_milliseconds() {
        for (text, expect) in [
            ("2026-03-01", Some("2026-03-01T00:00:00.000Z")),
            ("2026-03-01T10:00:00.250Z", Some("2026-03-01T10:00:00.250Z")),
            ("2026-03-01T10:00:00+02:00", Some("2026-03-01T08:00:00.000Z")),
            ("2026-03-01T10:00:00", None),
            ("2026-02-30", None),
            ("1969-12-31", None),
            ("tomorrow", None),
            ("", None),
        ] {
            assert_eq!(Instant::parse(text).ok().map(|at| at.to_string()).as_deref(), expect, "{text}");
        }
    }
}
