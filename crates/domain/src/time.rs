//! Timestamps, and their text form in the interface.

use crate::Flaw;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A moment in UTC, in microseconds since 1970. Always an argument: nothing in this crate reads a clock.
///
/// The text form has milliseconds, so writing and reading a value loses its last three digits:
///
/// Moments before 1970 have negative values. [`Instant::parse`] refuses them.
///
/// ```
/// use muriel_domain::Instant;
///
/// let noon = Instant::parse("2026-03-01T13:00:00.0005+01:00").unwrap();
/// assert_eq!(noon.us() % 1_000_000, 500);
/// assert_eq!(noon.to_string(), "2026-03-01T12:00:00.000Z");
/// assert_eq!(noon.in_words(), "12:00 UTC on 1 Mar 2026");
/// assert_eq!(Instant::parse("2026-03-01").unwrap().to_string(), "2026-03-01T00:00:00.000Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

/// Microseconds in a day.
pub const DAY_US: i64 = 86_400_000_000;

impl Instant {
    /// `us` microseconds after 1970-01-01T00:00:00Z.
    pub const fn from_us(us: i64) -> Self {
        Self(us)
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z.
    pub const fn us(self) -> i64 {
        self.0
    }

    /// Returns the moment `us` microseconds later, or earlier when negative. Saturates instead of overflowing.
    pub const fn plus_us(self, us: i64) -> Self {
        Self(self.0.saturating_add(us))
    }

    /// Reads an ISO 8601 date and time with an offset, or a date alone, which means midnight in UTC.
    ///
    /// # Errors
    /// Any other text, and moments outside the years 1970 to 9999.
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

impl Instant {
    /// The moment cut to whole milliseconds, the precision of the text form: writing and reading this value gives it
    /// back.
    pub const fn to_ms(self) -> Self {
        Self(self.0.div_euclid(1_000) * 1_000)
    }

    /// The moment to the minute, for use in a sentence: `09:00 UTC on 1 Mar 2026`. A moment outside the calendar's
    /// range is written as by `Display`.
    pub fn in_words(self) -> String {
        jiff::Timestamp::from_microsecond(self.0)
            .map_or_else(|_| self.to_string(), |stamp| stamp.strftime("%H:%M UTC on %-d %b %Y").to_string())
    }
}

/// Formatted moment, 24 bytes: `2026-03-01T09:00:00.000Z`. Formatted by hand: every event has two of these, and a
/// general formatter took a tenth of the time spent on an event.
struct Written([u8; 24]);

impl Written {
    /// Formats a moment, cut to milliseconds. Years are clamped to 0 to 9999.
    ///
    /// # Source
    /// Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, `civil_from_days`.
    fn of(instant: Instant) -> Self {
        let ms = instant.0.div_euclid(1_000);
        let (days, of_day) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
        // Counting years from March puts the leap day last.
        let since_march_0000 = days + 719_468;
        let era = since_march_0000.div_euclid(146_097);
        let of_era = since_march_0000.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |at: usize, digits: usize, mut number: i64| {
            for place in (at..at + digits).rev() {
                text[place] = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0, 4, year.clamp(0, 9_999));
        put(5, 2, month);
        put(8, 2, day);
        put(11, 2, of_day / 3_600_000);
        put(14, 2, of_day / 60_000 % 60);
        put(17, 2, of_day / 1_000 % 60);
        put(20, 3, of_day % 1_000);
        Self(text)
    }

    fn as_str(&self) -> &str {
        // The bytes are ASCII digits and punctuation, so this never fails.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(Written::of(*self).as_str())
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Written::of(*self).as_str())
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
    fn every_day_is_written_as_calendars_have_it() {
        for days in (0..2_932_896).step_by(97) {
            let us = days * DAY_US + 12_345_678_000;
            let stamp = jiff::Timestamp::from_microsecond(us).unwrap();
            let expect = stamp.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string();
            assert_eq!(Instant::from_us(us).to_string(), expect);
        }
    }

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
