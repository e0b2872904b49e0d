//! What is known about a visitor.
//!
//! A [`Visitor`] borrows every text, so that making one allocates nothing but its lists. Each fact says whether it is
//! known ([`Fact`]): a rule that asks about one that is not keeps the visitor out for now, not for good.

use crate::condition::{Scalar, iso_ms};
use muriel_domain::Problems;
use muriel_domain::address::Address;
use muriel_domain::experiment::Arm;
use muriel_domain::referral::Referrer;

/// Most bytes of a visitor's id.
pub const ID_MAX: usize = 512;
/// Most bytes of any other text about a visitor.
pub(crate) const TEXT_MAX: usize = 8_192;
/// Most entries of each list about a visitor.
pub(crate) const LIST_MAX: usize = 1_000;
/// The last moment that a browser's dates can be.
const MOMENT_MAX_MS: f64 = 8.64e15;

/// Something about a visitor that may not be known yet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Fact<T> {
    /// Nobody has said.
    #[default]
    Unknown,
    /// It is known that the visitor does not have it.
    Absent,
    /// It is this.
    Is(T),
}

impl<T> Fact<T> {
    /// The fact about a part of the value; what is unknown or absent stays so.
    pub fn map<U>(self, part: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Fact::Unknown => Fact::Unknown,
            Fact::Absent => Fact::Absent,
            Fact::Is(value) => Fact::Is(part(value)),
        }
    }

    /// Whether nobody has said.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Fact::Unknown)
    }
}

/// Where a decision is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvaluationSide {
    /// On a server, which sees no cookies and no local time: rules about them are passed over, and the decision says so
    /// ([`Experiment::unenforced_on`](crate::Experiment::unenforced_on)).
    #[default]
    Server,
    /// On the page, which sees everything that rules ask about.
    Browser,
}

/// The visitor's day of the week and minute of the day, by the clock of the visitor's device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// 0 is Monday.
    pub weekday: u8,
    /// 0 to 1,439.
    pub minute: u16,
}

/// An event that the visitor sent before this decision, for `event_rule`.
#[derive(Debug, Clone, PartialEq)]
pub struct PastEvent<'a> {
    /// Name of the event.
    pub name: &'a str,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// The event's properties that are plain values, by name.
    pub attributes: Vec<(&'a str, Scalar<'a>)>,
}

/// A visitor: an id, and facts whose texts are borrowed from whatever carried them, such as a request's body.
///
/// The default knows nothing: every fact is unknown, there is no attribute and no earlier variant. Fields can be set one
/// by one, or read from a context with [`Visitor::read`].
#[derive(Debug, Clone, Default)]
pub struct Visitor<'a> {
    /// What is bucketed, compared byte for byte: 1 to [`ID_MAX`] bytes where it was read from a context.
    pub id: &'a str,
    /// Where this is decided, which says which rules are passed over.
    pub side: EvaluationSide,
    /// The moment of the decision, milliseconds since 1970: an argument, as nothing here reads a clock.
    pub now_ms: i64,
    /// ISO 3166-1 alpha-2.
    pub country: Fact<&'a str>,
    /// `California (US)`, or `California`.
    pub region: Fact<&'a str>,
    /// `Berlin (Berlin)`, or `Berlin`.
    pub city: Fact<&'a str>,
    /// `desktop`, `mobile` or `tablet`.
    pub device: Fact<&'a str>,
    /// `chrome`, `safari`…
    pub browser: Fact<&'a str>,
    /// `windows`, `macOS`…
    pub os: Fact<&'a str>,
    /// The preferred language as a tag.
    pub language: Fact<&'a str>,
    /// `new` or `returning`.
    pub visitor_type: Fact<&'a str>,
    /// The page's address.
    pub url: Fact<Address<'a>>,
    /// Where the visitor came from.
    pub referrer: Fact<Referrer<'a>>,
    /// `direct`, `search`…, where it does not follow from the referrer.
    pub source: Fact<&'a str>,
    /// Names of audiences that the page handed over.
    pub audiences: Fact<Vec<&'a str>>,
    /// What the visitor did before.
    pub events: Fact<Vec<PastEvent<'a>>>,
    /// Cookies of the page.
    pub cookies: Fact<Vec<(&'a str, &'a str)>>,
    /// The visitor's clock.
    pub local_time: Fact<LocalTime>,
    /// Everything else that is known, by name.
    pub attributes: Vec<(&'a str, Scalar<'a>)>,
    /// Variants that the visitor was given before, by experiment key.
    pub sticky: Vec<(&'a str, Arm)>,
    /// The arm to show whatever is decided, with its experiment's id: previews.
    pub forced: Option<(i64, Arm)>,
}

impl<'a> Visitor<'a> {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<Scalar<'a>> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The variant that the visitor was given before.
    pub fn sticky(&self, experiment_key: &str) -> Option<Arm> {
        self.sticky.iter().find(|(key, _)| *key == experiment_key).map(|(_, arm)| *arm)
    }
}

/// A JSON value of a context by reference, whichever library parsed it.
#[derive(Debug, Clone, PartialEq)]
pub enum ContextValue<'a> {
    /// `null`
    Null,
    /// A plain value.
    Scalar(Scalar<'a>),
    /// An array.
    List(Vec<ContextValue<'a>>),
    /// An object.
    Object(Vec<(&'a str, ContextValue<'a>)>),
}

impl<'a> From<&'a serde_json::Value> for ContextValue<'a> {
    fn from(value: &'a serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match value {
            Json::Null => ContextValue::Null,
            Json::Bool(flag) => ContextValue::Scalar(Scalar::Flag(*flag)),
            Json::Number(number) => ContextValue::Scalar(Scalar::Number(number.as_f64().unwrap_or_default())),
            Json::String(text) => ContextValue::Scalar(Scalar::Text(text)),
            Json::Array(items) => ContextValue::List(items.iter().map(ContextValue::from).collect()),
            Json::Object(members) => {
                ContextValue::Object(members.iter().map(|(key, value)| (key.as_str(), value.into())).collect())
            }
        }
    }
}

impl<'a> Visitor<'a> {
    /// The visitor that a context describes, as OpenFeature clients send it. A name that is left out is not known; `null`
    /// and empty text say that there is none.
    ///
    /// | name | value |
    /// |---|---|
    /// | `targetingKey` | the visitor's id, text of 1 to 512 bytes; required |
    /// | `country` `region` `city` | text: `DE`, `California (US)`, `Berlin (Berlin)` |
    /// | `device` `browser` `os` | text: `mobile`, `firefox`, `macOS` |
    /// | `language` | text: the preferred language as a tag, `en-GB` |
    /// | `visitor_type` | text: `new` or `returning` |
    /// | `url` `referrer` | text: addresses; the page's has to be http or https |
    /// | `source` | text: `direct`, `search`, `social`, `email`, `paid` or `referral` |
    /// | `audiences` | a list of texts |
    /// | `events` | a list of `{name, at, attributes}` |
    /// | `cookies` | an object of texts |
    /// | `local_time` | text: a day and a time, `monday 09:30` |
    /// | `sticky` | an object: experiment key to the name of a variant |
    /// | `attributes` | an object of texts, numbers and flags |
    /// | any other name | an attribute, if the value is plain; else it says nothing |
    ///
    /// An attribute of `attributes` is found before another of the same name.
    ///
    /// # Errors
    /// Each known name with a value of another type than it takes, texts and
    /// lists that are too long, and a missing or blank `targetingKey`.
    pub fn read(context: impl IntoIterator<Item = (&'a str, ContextValue<'a>)>) -> Result<Self, Problems> {
        let mut visitor = Self::default();
        let mut problems = Problems::default();
        for (name, value) in context {
            if let Err(what) = visitor.set(name, value) {
                problems.add(name, what);
            }
        }
        if visitor.id.is_empty() && problems.iter().all(|problem| problem.field != "targetingKey") {
            problems.add("targetingKey", "is required");
        }
        problems.none_or(visitor)
    }

    /// Takes one fact, list or attribute.
    fn set(&mut self, name: &'a str, value: ContextValue<'a>) -> Result<(), &'static str> {
        match name {
            "targetingKey" => {
                self.id = match value {
                    ContextValue::Scalar(Scalar::Text(text)) if !text.is_empty() && text.len() <= ID_MAX => text,
                    _ => return Err("must be text of 1 to 512 bytes"),
                }
            }
            "country" => self.country = fact(&value)?,
            "region" => self.region = fact(&value)?,
            "city" => self.city = fact(&value)?,
            "device" => self.device = fact(&value)?,
            "browser" => self.browser = fact(&value)?,
            "os" => self.os = fact(&value)?,
            "language" => self.language = fact(&value)?,
            "visitor_type" => self.visitor_type = fact(&value)?,
            "source" => self.source = fact(&value)?,
            "referrer" => {
                self.referrer = match fact(&value)? {
                    Fact::Is(text) => Referrer::parse(text).map_or(Fact::Absent, Fact::Is),
                    Fact::Absent => Fact::Absent,
                    Fact::Unknown => Fact::Unknown,
                }
            }
            "url" => {
                self.url = match fact(&value)? {
                    Fact::Is(text) => {
                        Fact::Is(Address::parse(text).ok_or("must be an absolute http or https address")?)
                    }
                    Fact::Absent => Fact::Absent,
                    Fact::Unknown => Fact::Unknown,
                }
            }
            "audiences" => self.audiences = list(value, "must be a list of texts", text)?,
            "events" => self.events = list(value, "must be a list of {name, at, attributes}", past_event)?,
            "cookies" => {
                self.cookies = members(value, "must be an object of texts", |value| match value {
                    ContextValue::Scalar(Scalar::Text(text)) => short(text),
                    _ => None,
                })?;
            }
            "local_time" => {
                self.local_time = match fact(&value)? {
                    Fact::Is(text) => {
                        Fact::Is(local_time(text).ok_or("must be a day and a time such as monday 09:30")?)
                    }
                    other => other.map(|_| LocalTime { weekday: 0, minute: 0 }),
                }
            }
            "sticky" => {
                let what = "must be an object of variants such as {\"checkout\": \"Variant 1\"}";
                let arms = members(value, what, |value| match value {
                    ContextValue::Scalar(Scalar::Text(text)) => Arm::from_name(text),
                    _ => None,
                })?;
                if let Fact::Is(arms) = arms {
                    self.sticky = arms;
                }
            }
            "attributes" => {
                // In front, where they are found before others of the same name,
                // in whatever order a client sends its members.
                let some = attributes(value).ok_or("must be an object of texts, numbers and booleans")?;
                self.attributes.splice(0..0, some);
            }
            // Clients send what they have; values that are not plain are ignored here.
            _ => {
                if let Some(value) = scalar(value) {
                    self.attributes.push((name, value));
                }
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The text, unless it is longer than [`TEXT_MAX`] bytes.
fn short(text: &str) -> Option<&str> {
    (text.len() <= TEXT_MAX).then_some(text)
}

/// The value if it is text of at most [`TEXT_MAX`] bytes.
fn text<'a>(value: ContextValue<'a>) -> Option<&'a str> {
    match value {
        ContextValue::Scalar(Scalar::Text(text)) => short(text),
        _ => None,
    }
}

/// The value if it is plain: text that is short enough, a finite number or a flag.
fn scalar<'a>(value: ContextValue<'a>) -> Option<Scalar<'a>> {
    match value {
        ContextValue::Scalar(Scalar::Text(text)) => short(text).map(Scalar::Text),
        ContextValue::Scalar(Scalar::Number(number)) => number.is_finite().then_some(Scalar::Number(number)),
        ContextValue::Scalar(flag) => Some(flag),
        _ => None,
    }
}

/// Plain values by name; null stands for an absent value.
fn attributes<'a>(value: ContextValue<'a>) -> Option<Vec<(&'a str, Scalar<'a>)>> {
    match value {
        ContextValue::Null => Some(Vec::new()),
        ContextValue::Object(members) if members.len() <= LIST_MAX => {
            let some = members.into_iter().filter(|(_, value)| *value != ContextValue::Null);
            some.map(|(name, value)| Some((name, scalar(value)?))).collect()
        }
        _ => None,
    }
}

/// The fact in a value: `null` and empty text say that the visitor does not have it.
///
/// # Errors
/// A sentence for the client when it is another type, or too long.
fn fact<'a>(value: &ContextValue<'a>) -> Result<Fact<&'a str>, &'static str> {
    match value {
        ContextValue::Null => Ok(Fact::Absent),
        ContextValue::Scalar(Scalar::Text("")) => Ok(Fact::Absent),
        ContextValue::Scalar(Scalar::Text(text)) if text.len() <= TEXT_MAX => Ok(Fact::Is(text)),
        _ => Err("must be text of at most 8192 bytes, or null"),
    }
}

/// A list of at most [`LIST_MAX`] items, each read by `read`; `null` says that there are none.
///
/// # Errors
/// `what`, a sentence for the client, when the value is no such list or `read` refuses an item.
fn list<'a, T>(
    value: ContextValue<'a>,
    what: &'static str,
    read: impl Fn(ContextValue<'a>) -> Option<T>,
) -> Result<Fact<Vec<T>>, &'static str> {
    match value {
        ContextValue::Null => Ok(Fact::Absent),
        ContextValue::List(items) if items.len() <= LIST_MAX => {
            items.into_iter().map(read).collect::<Option<_>>().map(Fact::Is).ok_or(what)
        }
        _ => Err(what),
    }
}

/// An object of at most [`LIST_MAX`] members by name, each value read by `read`; as [`list`].
///
/// # Errors
/// As [`list`].
fn members<'a, T>(
    value: ContextValue<'a>,
    what: &'static str,
    read: impl Fn(ContextValue<'a>) -> Option<T>,
) -> Result<Fact<Vec<(&'a str, T)>>, &'static str> {
    match value {
        ContextValue::Null => Ok(Fact::Absent),
        ContextValue::Object(members) if members.len() <= LIST_MAX => {
            let read = members.into_iter().map(|(name, value)| Some((name, read(value)?)));
            read.collect::<Option<_>>().map(Fact::Is).ok_or(what)
        }
        _ => Err(what),
    }
}

/// An event from `{name, at, attributes}`. `at` is a date of ISO 8601 or milliseconds since 1970; `None` without a name
/// or a date, as an event that is not dated cannot be counted.
fn past_event<'a>(value: ContextValue<'a>) -> Option<PastEvent<'a>> {
    let ContextValue::Object(members) = value else { return None };
    let mut past_event = PastEvent { name: "", at_ms: 0, attributes: Vec::new() };
    let mut dated = false;
    for (name, value) in members {
        match (name, value) {
            ("name", ContextValue::Scalar(Scalar::Text(text))) => past_event.name = short(text)?,
            ("at", ContextValue::Scalar(Scalar::Text(text))) => (past_event.at_ms, dated) = (iso_ms(text)?, true),
            ("at", ContextValue::Scalar(Scalar::Number(ms))) if ms.abs() <= MOMENT_MAX_MS => {
                (past_event.at_ms, dated) = (ms.floor() as i64, true);
            }
            ("attributes", value) => past_event.attributes = attributes(value)?,
            _ => return None,
        }
    }
    (dated && !past_event.name.is_empty()).then_some(past_event)
}

/// `monday 09:30`.
fn local_time(text: &str) -> Option<LocalTime> {
    let (day, time) = text.split_once(' ')?;
    let weekday = muriel_domain::targeting::DAYS.iter().position(|known| *known == day)?;
    let minute = muriel_domain::targeting::minutes(time)?;
    Some(LocalTime { weekday: weekday as u8, minute })
}
