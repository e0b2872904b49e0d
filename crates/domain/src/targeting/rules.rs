//! The rules' entries. Each constructor takes texts as they were sent.

use crate::{Flaw, Problems, pattern, text};
use serde::{Deserialize, Serialize};

/// Groups of entries: the outer list means all, the inner any.
pub type Groups<T> = Vec<Vec<T>>;

/// Kinds of device that `device_rule` can name. Televisions and consoles are none of these, so
/// a rule about devices keeps them out.
pub const DEVICES: [&str; 3] = ["desktop", "mobile", "tablet"];
/// Browsers that `browser_rule` can name. A browser with another name matches no entry.
pub const BROWSERS: [&str; 6] = ["chrome", "safari", "firefox", "edge", "ie", "opera"];
/// Operating systems that `os_rule` can name, in the published spelling.
pub const SYSTEMS: [&str; 6] = ["windows", "macOS", "linux", "chromeOS", "ios", "android"];
/// What a referral entry can look at.
pub const REFERRAL_CRITERIA: [&str; 3] = ["host", "url", "source"];
/// Days of the week as schedules name them, Monday first.
pub const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Every operator: its spelling, and what value it compares with.
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

/// What an operator needs on its right side.
#[derive(Clone, Copy, PartialEq)]
enum Operand {
    Nothing,
    Text,
    Number,
}

/// How a value is compared, in the spelling that was sent (`gt` and `>` mean
/// the same).
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

    /// The operator with this spelling.
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

    /// What its value has to be.
    fn operand(&self) -> Operand {
        OPERATORS.iter().find(|(spelling, _)| *spelling == self.0).map_or(Operand::Text, |(_, operand)| *operand)
    }

    /// Whether the operator looks only at the left side (`ex`, `nx`, `bt`, `bf`).
    pub fn takes_no_value(&self) -> bool {
        self.operand() == Operand::Nothing
    }
}

/// A value in a condition: text, or a plain scalar in an event's attributes.
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

/// The value that `operator` needs, checked against it; `None` when it takes none.
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

/// A name that is looked up, an operator, and what it is compared with.
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
    /// What is looked at: a parameter, a cookie, an attribute.
    pub criteria: String,
    /// How it is compared.
    pub operator: Operator,
    /// The right side; `None` exactly for operators that take none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
}

impl Condition {
    /// A condition of these parts. A value is dropped if the operator takes none.
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

/// Whether an entry of `allowed_country` lets visitors in or keeps them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountryMode {
    /// Lets in.
    Whitelist,
    /// Keeps out.
    Blacklist,
}

impl CountryMode {
    /// Each with its word in the interface.
    pub const WORDS: [(&'static str, CountryMode); 2] =
        [("whitelist", CountryMode::Whitelist), ("blacklist", CountryMode::Blacklist)];
}

/// A country that is let in or kept out. If any entry lets in, all other countries are out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Country {
    /// Display name.
    pub name: String,
    /// ISO 3166-1 alpha-2.
    pub code: String,
    /// In or out.
    pub rule: CountryMode,
}

impl Country {
    /// An entry for the country with this code.
    ///
    /// # Errors
    /// A code that ISO 3166-1 does not have (XK is allowed), a blank name or one of more than 128
    /// characters.
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

/// Whether something must hold or must not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Match {
    /// Must hold.
    Equal,
    /// Must not hold.
    NotEqual,
}

impl Match {
    /// Each with its word in the interface.
    pub const WORDS: [(&'static str, Match); 2] = [("equal", Match::Equal), ("notEqual", Match::NotEqual)];
}

/// A region or a city let in or kept out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRule {
    /// `California (US)`, `Berlin (Berlin)`.
    pub name: String,
    /// In or out.
    pub rule: Match,
}

impl PlaceRule {
    /// # Errors
    /// A blank or long name.
    pub fn new(name: &str, rule: Match) -> Result<Self, Problems> {
        match text::title(name, 128) {
            Ok(_) => Ok(Self { name: name.to_owned(), rule }),
            Err(flaw) => Err(Problems::one("name", flaw.to_string())),
        }
    }
}

/// New or returning visitors, or both; written as text or as a one-item list. The two spellings
/// mean the same and are read back as they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UserRule {
    /// Written as text.
    Word(String),
    /// Written as a list: empty for no restriction.
    List(Vec<String>),
}

impl Default for UserRule {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl UserRule {
    /// The rule itself, once its words are known.
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

/// A language tag such as `en` or `pt-BR`, as `navigator.language` has it. Only its shape is
/// checked: 2 to 8 letters, then parts of up to 8 letters and digits, 35 bytes in all.
///
/// # Errors
/// Text that is not shaped like one.
pub fn language_tag(tag: &str) -> Result<String, Flaw> {
    let mut parts = tag.split('-');
    let good =
        parts.next().is_some_and(|part| (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic()))
            && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
            && tag.len() <= 35;
    if good { Ok(tag.to_owned()) } else { Err(Flaw::new("must be a language tag such as en or pt-BR")) }
}

/// What a visitor must, or must not, have done before: at least `min_count` events of a name
/// that fit the conditions, within the last `timeframe_days`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRule {
    /// Must or must not.
    pub rule: Match,
    /// Name of the event.
    pub name: String,
    /// Conditions on it: any of the groups, all of a group.
    pub attributes: Vec<Vec<AttributeCondition>>,
    /// How many such events count as done, 1 to 1,000,000.
    pub min_count: i64,
    /// How many days back an event counts, up to 3,650; 0 for no limit.
    pub timeframe_days: i64,
}

impl EventRule {
    /// The rule itself, once its name and numbers are known to fit.
    ///
    /// # Errors
    /// A blank name or one of more than 128 characters, and numbers out of range, all at once.
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
    /// The attribute.
    pub key: String,
    /// How it is compared.
    pub operand: Operator,
    /// With what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Scalar>,
}

impl AttributeCondition {
    /// A condition of these parts; see [`Condition::new`].
    ///
    /// # Errors
    /// A blank key or one of more than 256 bytes, and a value that is missing or does not fit.
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

/// How a URL rule compares with the plain form of a page's address
/// ([`Address`](crate::address::Address)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UrlMatch {
    /// Same page, whatever the query, and the fragment unless it is a route.
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
    /// Each with its word in the interface.
    pub const WORDS: [(&'static str, UrlMatch); 5] = [
        ("simple", UrlMatch::Simple),
        ("exact", UrlMatch::Exact),
        ("contain", UrlMatch::Contain),
        ("wildcard", UrlMatch::Wildcard),
        ("regex", UrlMatch::Regex),
    ];
}

/// Pages on which an experiment runs, or does not. If any rule has `allowed: true`, the
/// experiment runs on no other page; one with `allowed: false` wins over it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRule {
    /// Address, part of one, or pattern.
    pub url: String,
    /// How it is compared.
    pub rule: UrlMatch,
    /// Runs there, or must not.
    pub allowed: bool,
}

impl UrlRule {
    /// A rule about these pages.
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
    /// Any of the groups.
    pub schedule_groups: Vec<ScheduleGroup>,
}

/// Days and the hours on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleGroup {
    /// `monday` to `sunday`.
    pub days: Vec<String>,
    /// Any of the ranges.
    pub time_ranges: Vec<TimeRange>,
}

/// From `start` (included) to `end` (not included), past midnight when `end` is the earlier one:
/// 22:00 to 02:00 on a Friday ends on Saturday.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRange {
    /// `HH:MM` from 00:00 to 23:59.
    pub start: String,
    /// `HH:MM` from 00:00 to 24:00, which is the end of the day.
    pub end: String,
}

impl TimeRange {
    /// The range between these times.
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

/// Minutes since midnight, 0 to 1,439, of a time from 00:00 to 23:59; `None` for any other text.
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
