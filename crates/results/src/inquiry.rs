//! Inquiries: which visitors a report is about, until when, and by which attribute it is broken down.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use muriel_domain::exclusion::ExclusionKind;
use muriel_domain::{Flaw, Instant};
use muriel_warehouse::{Dimension, Filter};
use serde::{Deserialize, Serialize};

/// Maximum number of words in a filter.
const FILTER_MAX: usize = 50;
/// Maximum number of characters of a word that a message repeats.
const SHOWN_CHARS: usize = 64;

/// Part of an experiment's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Until a winner was served: the test itself.
    #[default]
    PreDeploy,
    /// From the first serving of the winner on.
    PostDeploy,
    /// The whole life.
    AllTime,
}

impl Phase {
    /// Words of the phases.
    pub const WORDS: [(&'static str, Phase); 3] =
        [("pre_deploy", Phase::PreDeploy), ("post_deploy", Phase::PostDeploy), ("all_time", Phase::AllTime)];
}

/// A time zone, by its IANA name or its offset from UTC.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Zone(String);

impl Default for Zone {
    fn default() -> Self {
        Self("UTC".to_owned())
    }
}

impl Zone {
    /// Parses an IANA name or an offset: `Europe/Berlin`, `2`, `-3.5`, `+05:30`.
    ///
    /// # Errors
    /// A text that is neither a known name nor an offset of at most 14 hours in quarters of an hour.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        match zone(text) {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err(Flaw::new("must be an IANA time zone (Europe/Berlin) or an hour offset (2, -3.5, +05:30)")),
        }
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The zone; UTC for an invalid text, which [`crate::Manifest::check`] refuses.
    fn zone(&self) -> TimeZone {
        zone(&self.0).unwrap_or(TimeZone::UTC)
    }

    /// Beginning of a day in this zone; for days out of range, the first or last representable time.
    pub fn begin(&self, day: Date) -> Instant {
        let begun = day.to_zoned(self.zone()).map(|zoned| zoned.timestamp());
        let end = if day.year() < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Instant::from_us(begun.unwrap_or(end).as_microsecond())
    }

    /// Calendar day in this zone.
    pub fn day(&self, at: Instant) -> Date {
        let stamp = Timestamp::from_microsecond(at.us()).unwrap_or_default();
        stamp.to_zoned(self.zone()).date()
    }

    /// Number of days from one time to another in this zone. A begun day counts as a whole one; some days have 23 or 25
    /// hours. 0 when `to` is not later than `from`.
    pub fn days_between(&self, from: Instant, to: Instant) -> i64 {
        let zoned = |at: Instant| jiff::Timestamp::from_microsecond(at.us()).unwrap_or_default().to_zoned(self.zone());
        let (from, to) = (zoned(from), zoned(to));
        if to <= from {
            return 0;
        }
        // The span consists of whole days and some hours.
        let whole = from.until((jiff::Unit::Day, &to)).map_or(0, |apart| i64::from(apart.get_days()));
        let back = from.checked_add(jiff::Span::new().days(whole));
        whole + i64::from(back.is_ok_and(|back| back < to))
    }
}

fn zone(text: &str) -> Option<TimeZone> {
    if text.eq_ignore_ascii_case("utc") || text == "Z" {
        return Some(TimeZone::UTC);
    }
    match offset_seconds(text) {
        Some(seconds) => Offset::from_seconds(seconds).ok().map(Offset::to_time_zone),
        // Names begin with a letter; a text that begins like a number was meant as an offset.
        None if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.len() <= 64 => TimeZone::get(text).ok(),
        None => None,
    }
}

/// Seconds of `2`, `-3.5`, `+05:30`, in quarters of an hour and within 14 hours.
fn offset_seconds(text: &str) -> Option<i32> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        // A plus sign in a query string that was not encoded.
        b' ' => (1, &text[1..]),
        _ => (1, text),
    };
    let number = |text: &str| -> Option<i32> {
        (!text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let (hours, minutes) = if let Some((hours, minutes)) = digits.split_once(':') {
        (number(hours)?, if minutes.len() == 2 { number(minutes)? } else { return None })
    } else if let Some((hours, part)) = digits.split_once('.') {
        let minutes = match part {
            "0" | "00" => 0,
            "25" => 15,
            "5" | "50" => 30,
            "75" => 45,
            _ => return None,
        };
        (number(hours)?, minutes)
    } else {
        (number(digits)?, 0)
    };
    let seconds = hours * 3_600 + minutes * 60;
    (minutes < 60 && minutes % 15 == 0 && seconds <= 14 * 3_600).then_some(sign * seconds)
}

/// Request for a report: the visitors, the period and the breakdown; everything of the experiment by default.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inquiry {
    /// Only visitors who entered on this day or later.
    pub start_date: Option<Date>,
    /// Only visitors who entered, and events, until the end of this day.
    pub end_date: Option<Date>,
    /// Time zone in which days begin.
    pub tz: Zone,
    /// Goal to report in place of the primary one.
    pub goal_key: Option<String>,
    /// Words that must all hold for a visitor at entry; of several countries, one must.
    pub filter_by: Vec<String>,
    /// Attribute to break down by.
    pub breakdown_by: Option<String>,
    /// Only visitors who entered in this epoch.
    pub epoch: Option<i64>,
    /// Part of the experiment's life.
    pub report_phase: Phase,
    /// Only visitors who entered at this time or later. Only the clock sets it; readers set days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_since: Option<Instant>,
    /// Plan to judge by in place of the current experiment: its primary goal, its confidence threshold and its smallest
    /// lift. Only the clock sets it, when the experiment was changed after its first start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<PlanBasis>,
    /// True to count only visitors and orders that are signed or keyed, whatever the project's policy. Only the clock
    /// sets it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trusted_only: bool,
    /// Visitors who do not count. Only the clock and the search for suspects set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Without>,
}

/// Visitors who do not count in a report, by the value of one property.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Without {
    /// Kind of an exclusion, such as `network`.
    pub kind: String,
    /// Value of the property, of a visitor or a network a hash.
    pub value: String,
}

impl Without {
    /// Visitors of the network with this hash.
    pub fn network(hash: &str) -> Self {
        Self { kind: ExclusionKind::Network.word().to_owned(), value: hash.to_owned() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Attribute by which only the clock breaks down results: the hash of the visitor's network.
pub const NETWORK: &str = "network";

/// The plan that a report is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanBasis {
    /// The plan that the first start locked.
    Locked,
    /// The plan that the clock follows: the one that a person confirmed last, or else the locked one.
    InForce,
}

/// Parses a day in the format of the interface.
///
/// # Errors
/// Anything but `YYYY-MM-DD` from 1970 on.
pub fn parse_day(text: &str) -> Result<Date, Flaw> {
    let flaw = || Flaw::new("must be a date like 2026-03-01");
    if text.len() != 10 || !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return Err(flaw());
    }
    let day: Date = text.parse().map_err(|_| flaw())?;
    if day.year() < 1970 { Err(Flaw::new("must not be before 1970")) } else { Ok(day) }
}

/// Parses the words of a filter: `mobile`, `desktop`, `tablet`, `new`, `returning`, `paid`, `search`, `direct`,
/// `country-DE`.
///
/// # Errors
/// The first unknown word, which the message names.
pub fn parse_filter(text: &str) -> Result<Vec<String>, Flaw> {
    let mut words: Vec<String> = Vec::new();
    for sent in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let shown: String = sent.chars().take(SHOWN_CHARS).collect();
        let word = match sent.get(..8) {
            Some(prefix) if prefix.eq_ignore_ascii_case("country-") => {
                let code = &sent[8..];
                if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                    let message = format!("must name countries by two letters, such as country-DE; {shown:?} does not");
                    return Err(Flaw::new(message));
                }
                format!("country-{}", code.to_ascii_uppercase())
            }
            _ => sent.to_ascii_lowercase(),
        };
        let known = word.starts_with("country-")
            || ["mobile", "desktop", "tablet", "new", "returning", "paid", "search", "direct"].contains(&word.as_str());
        if !known {
            return Err(Flaw::new(format!(
                "must be one or more of mobile, desktop, tablet, new, returning, paid, search, direct and country-XX, \
                 separated by commas; {shown:?} is not one of them"
            )));
        }
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() > FILTER_MAX {
            return Err(Flaw::new(format!("must have at most {FILTER_MAX} words")));
        }
    }
    Ok(words)
}

/// Parses an attribute to break down by.
///
/// # Errors
/// A word that is not an attribute.
pub fn parse_breakdown(text: &str) -> Result<String, Flaw> {
    match Dimension::WORDS.iter().any(|(word, _)| *word == text) {
        true => Ok(text.to_owned()),
        false => {
            let words: Vec<&str> = Dimension::WORDS.iter().map(|(word, _)| *word).collect();
            Err(Flaw::new(format!("must be one of {}", words.join(", "))))
        }
    }
}

pub(crate) fn dimension(word: &str) -> Option<Dimension> {
    let published = Dimension::WORDS.iter().find(|(known, _)| *known == word).map(|(_, dimension)| *dimension);
    published.or_else(|| (word == NETWORK).then_some(Dimension::Network))
}

impl Inquiry {
    pub(crate) fn filter(&self) -> Filter {
        let mut filter = Filter::default();
        for word in &self.filter_by {
            match word.as_str() {
                "mobile" | "desktop" | "tablet" => filter.devices.push(word.clone()),
                "new" | "returning" => filter.user_types.push(word.clone()),
                "paid" | "search" | "direct" => filter.sources.push(word.clone()),
                other => filter.countries.extend(other.strip_prefix("country-").map(str::to_owned)),
            }
        }
        filter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_names_or_quarters_of_an_hour() {
        for (text, first_of_july) in [
            ("UTC", Some("2026-07-01T00:00:00.000Z")),
            ("Europe/Berlin", Some("2026-06-30T22:00:00.000Z")),
            ("2", Some("2026-06-30T22:00:00.000Z")),
            ("+2", Some("2026-06-30T22:00:00.000Z")),
            (" 2", Some("2026-06-30T22:00:00.000Z")),
            ("-3.5", Some("2026-07-01T03:30:00.000Z")),
            ("+05:45", Some("2026-06-30T18:15:00.000Z")),
            ("14", Some("2026-06-30T10:00:00.000Z")),
            ("15", None),
            ("+05:50", None),
            ("1.3", None),
            ("", None),
            ("-", None),
            ("Mars/Base", None),
            ("../etc/passwd", None),
        ] {
            let day = parse_day("2026-07-01").unwrap();
            let begin = Zone::parse(text).ok().map(|zone| zone.begin(day).to_string());
            assert_eq!(begin.as_deref(), first_of_july, "{text:?}");
        }
    }

    #[test]
    fn days_begin_in_their_order() {
        let last = Timestamp::MAX.as_microsecond();
        for (zone, day, expect) in [
            ("UTC", "1970-01-01", 0),
            ("2", "1970-01-01", -7_200_000_000),
            ("UTC", "9999-12-30", 253_402_128_000_000_000),
            ("UTC", "9999-12-31", last),
            ("Europe/Berlin", "9999-12-31", last),
            ("-3.5", "9999-12-30", 253_402_140_600_000_000),
            ("-3.5", "9999-12-31", last),
        ] {
            let begin = Zone::parse(zone).unwrap().begin(parse_day(day).unwrap());
            assert_eq!(begin.us(), expect, "{zone} {day}");
        }
    }

    #[test]
    fn filters_are_known_words() {
        for (text, expect) in [
            ("", Some(vec![])),
            ("mobile, new", Some(vec!["mobile", "new"])),
            ("Country-de,country-AT,country-de", Some(vec!["country-DE", "country-AT"])),
            ("phone", None),
            ("country-", None),
            ("country-d1", None),
            ("country-é", None),
        ] {
            let words = parse_filter(text).ok();
            let expect = expect.map(|words| words.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(words, expect, "{text:?}");
        }
    }

    #[test]
    fn the_word_that_is_wrong_is_named() {
        for (text, word) in [
            ("mobile,Phone,laptop", "\"Phone\" is not one of them"),
            ("country-DE, country-DEU", "\"country-DEU\" does not"),
            ("countryDE", "\"countryDE\" is not one of them"),
        ] {
            let said = parse_filter(text).unwrap_err().to_string();
            assert!(said.ends_with(word), "{text}: {said}");
        }
        assert!(parse_filter(&"x".repeat(10_000)).unwrap_err().to_string().len() < 300);
    }

    #[test]
    fn days_are_written_out() {
        for (text, good) in [
            ("2026-03-01", true),
            ("2026-02-30", false),
            ("20260301", false),
            ("1969-12-31", false),
            ("2026-3-1", false),
        ] {
            assert_eq!(parse_day(text).is_ok(), good, "{text}");
        }
    }
}
