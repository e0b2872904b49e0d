//! Entries of the rules. Constructors take text as the client sent it.

use crate::{Flaw, Problems, pattern, text};
use serde::{Deserialize, Serialize};

/// Groups of entries: all groups have to match, and in a group any entry.
pub type Groups<T> = Vec<Vec<T>>;

/// Kinds of device that `device_rule` can name. Televisions and consoles are not among them, so a
/// device rule excludes them.
pub const DEVICES: [&str; 3] = ["desktop", "mobile", "tablet"];
/// Browsers that `browser_rule` can name. A browser with another name matches no entry.
pub const BROWSERS: [&str; 6] = ["chrome", "safari", "firefox", "edge", "ie", "opera"];
/// Operating systems that `os_rule` can name, in the published spelling.
pub const SYSTEMS: [&str; 6] = ["windows", "macOS", "linux", "chromeOS", "ios", "android"];
/// Criteria of a referral entry.
pub const REFERRAL_CRITERIA: [&str; 3] = ["host", "url", "source"];
/// Days of the week as schedules name them, Monday first.
pub const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// All operators: the spelling, and the kind of value it compares with.
const OPERATORS: [(&str, Operand); 20] = [
    ("ex", Operand::Nothing),
    ("nx", Operand::Nothing),
    ("bt", Operand::Nothing),
    ("bf", Operand::Nothing),
    ("==", Operand::Text),
    ("!=", Operand::Text),
    ("**", Operand::Text),
    ("!*", Operand::Text),
    ("gt", Operand::Number),
    ("gte", Operand::Number),
    ("lt", Operand::Number),
    ("lte", Operand::Number),
    (">", Operand::Number),
    (">=", Operand::Number),
    ("<", Operand::Number),
    ("<=", Operand::Number),
    ("days_gt", Operand::Number),
    ("days_gte", Operand::Number),
    ("days_lt", Operand::Number),
    ("days_lte", Operand::Number),
];

/// Kind of value on the right side of an operator.
#[derive(Clone, Copy, PartialEq)]
enum Operand {
    Nothing,
    Text,
    Number,
}

/// Operator of a comparison, in the spelling that was sent (`gt` and `>` mean the same).
///
/// `ex` exists, `nx` does not; `bt` is true, `bf` false; `==` and `!=` compare text, `**` and `!*`
/// search in it; `gt gte lt lte` compare numbers; `days_…` compare how many days ago the left side
/// was. `docs/assignment.md` defines each of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Operator(String);

impl Operator {
    /// The spellings of all operators; some mean the same.
    pub fn spellings() -> [&'static str; 20] {
        OPERATORS.map(|(spelling, _)| spelling)
    }

    /// Returns the operator with this spelling.
    ///
    /// # Errors
    /// Any text that is not an operator.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if OPERATORS.iter().any(|(spelling, _)| *spelling == text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::new(format!("must be one of {}", Self::spellings().join(" "))))
        }
    }

    /// The spelling that was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Kind of value that the operator needs.
    fn operand(&self) -> Operand {
        OPERATORS.iter().find(|(spelling, _)| *spelling == self.0).map_or(Operand::Text, |(_, operand)| *operand)
    }

    /// Returns whether the operator uses only the left side (`ex`, `nx`, `bt`, `bf`).
    pub fn takes_no_value(&self) -> bool {
        self.operand() == Operand::Nothing
    }
}

/// A value in a condition: text, or a plain scalar in an event's attributes.
///
/// Deserialised as the first kind that fits: a number without a fraction is an integer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// `true` or `false`.
    Flag(bool),
    /// An integer.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// Text.
    Text(String),
}

/// Checks the value against `operator`. `None` when the operator takes no value.
fn operand(operator: &Operator, value: Option<Scalar>) -> Result<Option<Scalar>, Flaw> {
    let numeric = |value: &Scalar| match value {
        Scalar::Integer(_) | Scalar::Number(_) => true,
        Scalar::Text(text) => text.trim_ascii().parse::<f64>().is_ok_and(f64::is_finite),
        Scalar::Flag(_) => false,
    };
    match (operator.operand(), value) {
        (Operand::Nothing, _) => Ok(None),
        (_, None) => Err(Flaw::new(format!("is required with the operator {}", operator.as_str()))),
        (Operand::Number, Some(value)) if !numeric(&value) => {
            Err(Flaw::new(format!("must be a number with the operator {}", operator.as_str())))
        }
        (_, Some(Scalar::Text(text))) => Ok(Some(Scalar::Text(text::at_most(&text, 2_048)?))),
        (_, value) => Ok(value),
    }
}

/// A condition: the name of a value, an operator, and the value to compare with.
///
/// ```
/// use muriel_domain::targeting::{Condition, Operator};
///
/// let plan = |operator, value: Option<&str>| {
///     Condition::new("plan", Operator::parse(operator).unwrap(), value.map(str::to_owned))
/// };
/// assert!(plan("==", Some("pro")).is_ok());
/// assert!(plan("gt", Some("pro")).is_err(), "gt compares numbers");
/// assert_eq!(plan("ex", Some("ignored")).unwrap().value, None);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Name of the parameter, cookie or attribute.
    pub criteria: String,
    /// Comparison.
    pub operator: Operator,
    /// Right side. `None` exactly when the operator takes no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
}

impl Condition {
    /// Creates a condition. Drops the value when the operator takes none.
    ///
    /// The name and a value that is kept are not trimmed.
    ///
    /// # Errors
    /// A blank name or one of more than 256 bytes, and a value that is missing, longer than
    /// 2,048 characters, or not a number where the operator needs one.
    pub fn new(criteria: &str, operator: Operator, value: Option<String>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if criteria.trim().is_empty() || criteria.len() > 256 {
            problems.add("criteria", "must have 1 to 256 bytes");
        }
        let value = operand(&operator, value.map(Scalar::Text)).unwrap_or_else(|flaw| {
            problems.add("value", flaw.to_string());
            None
        });
        problems.none_or(Self { criteria: criteria.to_owned(), operator, value })
    }
}

/// Effect of an entry of `allowed_country`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountryMode {
    /// Includes visitors from the country.
    Whitelist,
    /// Excludes visitors from the country.
    Blacklist,
}

impl CountryMode {
    /// All modes with their words in the interface.
    pub const WORDS: [(&'static str, CountryMode); 2] =
        [("whitelist", CountryMode::Whitelist), ("blacklist", CountryMode::Blacklist)];
}

/// A country to include or exclude. When any entry includes, all countries that are not included
/// are excluded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Country {
    /// Display name.
    pub name: String,
    /// ISO 3166-1 alpha-2 code.
    pub code: String,
    /// Includes or excludes the country.
    pub rule: CountryMode,
}

impl Country {
    /// Creates an entry for the country with this code.
    ///
    /// # Errors
    /// A code that is not in ISO 3166-1 (XK is allowed), and a name that is blank or longer than
    /// 128 characters.
    pub fn new(name: &str, code: &str, rule: CountryMode) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if let Err(flaw) = text::title(name, 128) {
            problems.add("name", flaw.to_string());
        }
        let assigned = code.len() == 2 && COUNTRIES.as_bytes().chunks(3).any(|entry| &entry[..2] == code.as_bytes());
        if !assigned {
            problems.add("code", "must be a country code of ISO 3166-1 alpha-2 in capitals, such as DE");
        }
        problems.none_or(Self { name: name.to_owned(), code: code.to_owned(), rule })
    }
}

/// ISO 3166-1 alpha-2, and XK, which geographic databases use for Kosovo.
const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI \
GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI \
LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF \
PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL \
TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW ";

/// Requirement that something holds, or that it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Match {
    /// Must hold.
    Equal,
    /// Must not hold.
    NotEqual,
}

impl Match {
    /// Both values with their words in the interface.
    pub const WORDS: [(&'static str, Match); 2] = [("equal", Match::Equal), ("notEqual", Match::NotEqual)];
}

/// A region or a city to include or exclude.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRule {
    /// Name with the region or country in parentheses: `California (US)`, `Berlin (Berlin)`.
    pub name: String,
    /// Includes or excludes the place.
    pub rule: Match,
}

impl PlaceRule {
    /// Creates an entry for the place.
    ///
    /// # Errors
    /// A blank or long name.
    pub fn new(name: &str, rule: Match) -> Result<Self, Problems> {
        match text::title(name, 128) {
            Ok(_) => Ok(Self { name: name.to_owned(), rule }),
            Err(flaw) => Err(Problems::one("name", flaw.to_string())),
        }
    }
}

/// New or returning visitors, or both; written as text or as a list of one. The two spellings mean
/// the same and are read back as they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UserRule {
    /// Written as text.
    Word(String),
    /// Written as a list; an empty list restricts nothing.
    List(Vec<String>),
}

impl Default for UserRule {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl UserRule {
    /// Returns the rule when its words are valid.
    ///
    /// # Errors
    /// A list with more than one entry, and words other than `new` and `returning`.
    pub fn checked(self) -> Result<Self, Flaw> {
        let known = |word: &String| matches!(word.as_str(), "new" | "returning");
        let good = match &self {
            Self::Word(word) => known(word),
            Self::List(list) => list.len() <= 1 && list.iter().all(known),
        };
        if good {
            Ok(self)
        } else {
            Err(Flaw::new("must be \"new\" or \"returning\", alone or as a list of one, or an empty list"))
        }
    }
}

/// Checks a language tag such as `en` or `pt-BR`, as in `navigator.language`. Only the shape is
/// checked: 2 to 8 letters, then parts of up to 8 letters and digits, 35 bytes in total.
///
/// # Errors
/// Text without this shape.
pub fn language_tag(tag: &str) -> Result<String, Flaw> {
    let mut parts = tag.split('-');
    let good =
        parts.next().is_some_and(|part| (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic()))
            && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
            && tag.len() <= 35;
    if good { Ok(tag.to_owned()) } else { Err(Flaw::new("must be a language tag such as en or pt-BR")) }
}

/// A past action that a visitor must, or must not, have done: at least `min_count` events with a
/// name that match the conditions, within the last `timeframe_days`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRule {
    /// Must or must not have done it.
    pub rule: Match,
    /// Name of the event.
    pub name: String,
    /// Conditions on the event: any of the groups, and all conditions of a group.
    pub attributes: Vec<Vec<AttributeCondition>>,
    /// Number of matching events needed, 1 to 1,000,000.
    pub min_count: i64,
    /// Days back within which an event counts, up to 3,650; 0 for no limit.
    pub timeframe_days: i64,
}

impl EventRule {
    /// Returns the rule when its name and numbers are valid.
    ///
    /// Conditions on attributes are not checked here, but by [`AttributeCondition::new`].
    ///
    /// # Errors
    /// A name that is blank or longer than 128 characters, and numbers out of range; all problems
    /// at once.
    pub fn checked(self) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if let Err(flaw) = text::title(&self.name, 128) {
            problems.add("name", flaw.to_string());
        }
        if !(1..=1_000_000).contains(&self.min_count) {
            problems.add("min_count", "must be an integer from 1 to 1000000");
        }
        if !(0..=3_650).contains(&self.timeframe_days) {
            problems.add("timeframe_days", "must be an integer from 0 to 3650");
        }
        problems.none_or(self)
    }
}

/// A condition on an event's attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributeCondition {
    /// Name of the attribute.
    pub key: String,
    /// Comparison.
    pub operand: Operator,
    /// Right side. `None` exactly when the operator takes no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
}

impl AttributeCondition {
    /// Creates a condition; see [`Condition::new`].
    ///
    /// # Errors
    /// A key that is blank or longer than 256 bytes, and a value that is missing or invalid.
    pub fn new(key: &str, operator: Operator, value: Option<Scalar>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if key.trim().is_empty() || key.len() > 256 {
            problems.add("key", "must have 1 to 256 bytes");
        }
        let value = operand(&operator, value).unwrap_or_else(|flaw| {
            problems.add("value", flaw.to_string());
            None
        });
        problems.none_or(Self { key: key.to_owned(), operand: operator, value })
    }
}

/// Comparison of a URL rule with the plain form of a page's address
/// ([`Address`](crate::address::Address)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UrlMatch {
    /// Same page: ignores the query, and also the fragment unless it is a route.
    Simple,
    /// Same address.
    Exact,
    /// Contains the text.
    Contain,
    /// `*` stands for any run of characters.
    Wildcard,
    /// A [portable](pattern::portable) regular expression.
    Regex,
}

impl UrlMatch {
    /// All comparisons with their words in the interface.
    pub const WORDS: [(&'static str, UrlMatch); 5] = [
        ("simple", UrlMatch::Simple),
        ("exact", UrlMatch::Exact),
        ("contain", UrlMatch::Contain),
        ("wildcard", UrlMatch::Wildcard),
        ("regex", UrlMatch::Regex),
    ];
}

/// Pages on which an experiment runs, or does not run. When any rule has `allowed: true`, the
/// experiment runs only on the pages of such rules. A rule with `allowed: false` overrides them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRule {
    /// Address, part of one, or pattern.
    pub url: String,
    /// Comparison.
    pub rule: UrlMatch,
    /// True when the experiment runs on these pages, false when it must not.
    pub allowed: bool,
}

impl UrlRule {
    /// Creates a rule for these pages.
    ///
    /// # Errors
    /// Blank text, more than 2,048 bytes, and a regular expression that is not
    /// [portable](pattern::portable), which browsers could read differently.
    pub fn new(url: &str, rule: UrlMatch, allowed: bool) -> Result<Self, Problems> {
        let flaw = if url.trim().is_empty() || url.len() > 2_048 {
            Some(Flaw::new("must have 1 to 2048 bytes"))
        } else if rule == UrlMatch::Regex {
            pattern::portable(url).err()
        } else {
            None
        };
        match flaw {
            None => Ok(Self { url: url.to_owned(), rule, allowed }),
            Some(flaw) => Err(Problems::one("url", flaw.to_string())),
        }
    }
}

/// Hours of the week during which an experiment runs, in the visitor's time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Groups of days and hours; any of them has to match.
    pub schedule_groups: Vec<ScheduleGroup>,
}

/// Days, and hours on these days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleGroup {
    /// `monday` to `sunday`. Empty for all seven.
    pub days: Vec<String>,
    /// Ranges of hours; any of them has to match. Empty for the whole day.
    pub time_ranges: Vec<TimeRange>,
}

/// A range from `start` (inclusive) to `end` (exclusive). It passes midnight when `end` is not
/// later than `start`: 22:00 to 02:00 on a Friday ends on Saturday.
///
/// Equal times mean 24 hours from `start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRange {
    /// `HH:MM` from 00:00 to 23:59.
    pub start: String,
    /// `HH:MM` from 00:00 to 24:00, which is the end of the day.
    pub end: String,
}

impl TimeRange {
    /// Creates the range between these times.
    ///
    /// # Errors
    /// Texts that are not `HH:MM` from 00:00 to 23:59 (`24:00` may end a day).
    pub fn new(start: &str, end: &str) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if minutes(start).is_none() {
            problems.add("start", "must be a time of day from 00:00 to 23:59");
        }
        if minutes(end).is_none() && end != "24:00" {
            problems.add("end", "must be a time of day from 00:00 to 24:00");
        }
        problems.none_or(Self { start: start.to_owned(), end: end.to_owned() })
    }
}

/// Returns the minutes since midnight, 0 to 1,439, for a time from 00:00 to 23:59. `None` for any
/// other text.
///
/// # Examples
///
/// ```
/// use muriel_domain::targeting::minutes;
///
/// assert_eq!(minutes("09:30"), Some(570));
/// assert_eq!(minutes("9:30"), None);
/// assert_eq!(minutes("24:00"), None);
/// ```
pub fn minutes(text: &str) -> Option<u16> {
    let digits = text.bytes().enumerate().all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() });
    if text.len() != 5 || !digits {
        return None;
    }
    let (hour, minute): (u16, u16) = (text[..2].parse().ok()?, text[3..].parse().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_need_a_value_that_fits_the_operator() {
        let condition = |operator: &str, value: Option<&str>| {
            Condition::new("utm_source", Operator::parse(operator).unwrap(), value.map(str::to_owned))
        };
        for (operator, value, expect) in [
            ("==", Some("ads"), None),
            ("==", None, Some("value is required with the operator ==")),
            ("ex", None, None),
            ("ex", Some("ignored"), None),
            ("gt", Some("3.5"), None),
            (">", Some("many"), Some("value must be a number with the operator >")),
            ("days_lt", Some("inf"), Some("value must be a number with the operator days_lt")),
        ] {
            let problem = condition(operator, value).err().map(|problems| problems.first().unwrap().to_string());
            assert_eq!(problem.as_deref(), expect, "{operator} {value:?}");
        }
        assert_eq!(condition("nx", Some("ignored")).unwrap().value, None);
        assert!(Operator::parse("=").is_err());
    }

    #[test]
    fn countries_are_those_of_the_standard() {
        for (code, good) in [
            ("DE", true),
            ("ZW", true),
            ("AD", true),
            ("de", false),
            ("UK", false),
            ("D", false),
            ("E ", false),
            (" A", false),
            ("DEU", false),
        ] {
            assert_eq!(Country::new("x", code, CountryMode::Whitelist).is_ok(), good, "{code}");
        }
        assert_eq!(COUNTRIES.len() / 3, 250);
    }

    #[test]
    fn times_of_day() {
        for (start, end, good) in [
            ("09:00", "17:30", true),
            ("22:00", "02:00", true),
            ("00:00", "24:00", true),
            ("24:00", "01:00", false),
            ("9:00", "17:00", false),
            ("09:60", "17:00", false),
            ("09-00", "17:00", false),
            ("é9:0", "17:00", false),
        ] {
            assert_eq!(TimeRange::new(start, end).is_ok(), good, "{start}-{end}");
        }
    }

    #[test]
    fn language_tags() {
        for (tag, good) in [
            ("en", true),
            ("pt-BR", true),
            ("zh-Hant-TW", true),
            ("e", false),
            ("", false),
            ("en_GB", false),
            ("en-", false),
        ] {
            assert_eq!(language_tag(tag).is_ok(), good, "{tag}");
        }
    }
}
