//! Visitors: the facts about them that rules use.
//!
//! A [`Visitor`] borrows all texts, so creating one allocates only its lists. Each fact may be unknown ([`Fact`]). A
//! rule that needs an unknown fact keeps the visitor out for now, but not permanently.

use crate::condition::{Scalar, iso_ms};
use muriel_domain::Problems;
use muriel_domain::address::Address;
use muriel_domain::experiment::Arm;
use muriel_domain::referral::Referrer;

/// Maximum length of a visitor's id, in bytes.
pub const ID_MAX: usize = 512;
/// Maximum length of any other text about a visitor, in bytes.
pub(crate) const TEXT_MAX: usize = 8_192;
/// Maximum number of entries in each list about a visitor.
pub(crate) const LIST_MAX: usize = 1_000;
/// Latest moment that a JavaScript `Date` can represent.
const MOMENT_MAX_MS: f64 = 8.64e15;

/// A fact about a visitor, which may be unknown.
///
/// Rules treat the two kinds of missing fact differently: an unknown one keeps the visitor out for now, an absent one
/// decides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Fact<T> {
    /// The fact was not given.
    #[default]
    Unknown,
    /// The visitor is known not to have it.
    Absent,
    /// The known value.
    Is(T),
}

impl<T> Fact<T> {
    /// Applies a function to a known value. Unknown and absent facts stay as they are.
    pub fn map<U>(self, part: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Fact::Unknown => Fact::Unknown,
            Fact::Absent => Fact::Absent,
            Fact::Is(value) => Fact::Is(part(value)),
        }
    }

    /// Returns whether the fact is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Fact::Unknown)
    }
}

/// Place of a decision: server or browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EvaluationSide {
    /// On a server, which does not know cookies and local time. Rules about them are not checked, and the decision says
    /// so ([`Experiment::unenforced_on`](crate::Experiment::unenforced_on)).
    #[default]
    Server,
    /// On the page, which knows everything that rules need.
    Browser,
}

/// Day of the week and minute of the day, by the clock of the visitor's device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// Day of the week, 0 for Monday.
    pub weekday: u8,
    /// Minute of the day, 0 to 1,439.
    pub minute: u16,
}

/// An event that the visitor sent before this decision, for `event_rule`.
#[derive(Debug, Clone, PartialEq)]
pub struct PastEvent<'a> {
    /// Name of the event.
    pub name: &'a str,
    /// Time of the event, in milliseconds since 1970. It may be in the future; such an event counts for every period.
    pub at_ms: i64,
    /// Scalar properties of the event, by name.
    pub attributes: Vec<(&'a str, Scalar<'a>)>,
}

/// A visitor: an id, and facts that borrow their texts, for example from a request's body.
///
/// By default, every fact is unknown, and there are no attributes and no earlier variants. Set fields one by one, or
/// read them from a context with [`Visitor::read`].
#[derive(Debug, Clone, Default)]
pub struct Visitor<'a> {
    /// The unit that is bucketed, compared byte for byte; 1 to [`ID_MAX`] bytes when read from a context.
    pub id: &'a str,
    /// Place of the decision, which determines the rules that are not checked.
    pub side: EvaluationSide,
    /// Time of the decision, in milliseconds since 1970. An argument, as nothing here reads a clock.
    pub now_ms: i64,
    /// Country, as an ISO 3166-1 alpha-2 code.
    pub country: Fact<&'a str>,
    /// Region: `California (US)`, or `California`.
    pub region: Fact<&'a str>,
    /// City: `Berlin (Berlin)`, or `Berlin`.
    pub city: Fact<&'a str>,
    /// Device: `desktop`, `mobile` or `tablet`.
    pub device: Fact<&'a str>,
    /// Browser: `chrome`, `safari`…
    pub browser: Fact<&'a str>,
    /// Operating system: `windows`, `macOS`…
    pub os: Fact<&'a str>,
    /// Preferred language, as a language tag.
    pub language: Fact<&'a str>,
    /// Visitor type: `new` or `returning`.
    pub visitor_type: Fact<&'a str>,
    /// Address of the page.
    pub url: Fact<Address<'a>>,
    /// Referrer: the page that the visitor came from.
    pub referrer: Fact<Referrer<'a>>,
    /// Source, when it does not follow from the referrer: `direct`, `search`…
    pub source: Fact<&'a str>,
    /// Names of audiences that the page provided.
    pub audiences: Fact<Vec<&'a str>>,
    /// Earlier events of the visitor. A context can have at most 1,000.
    pub events: Fact<Vec<PastEvent<'a>>>,
    /// Cookies of the page. A context can have at most 1,000.
    pub cookies: Fact<Vec<(&'a str, &'a str)>>,
    /// Local time of the visitor.
    pub local_time: Fact<LocalTime>,
    /// Other attributes, by name.
    pub attributes: Vec<(&'a str, Scalar<'a>)>,
    /// Variants that the visitor was given before, by experiment key.
    pub sticky: Vec<(&'a str, Arm)>,
    /// Arm to show in a preview, with its experiment's id. Overrides every check.
    pub forced: Option<(i64, Arm)>,
}

impl<'a> Visitor<'a> {
    /// Returns the attribute with this name.
    ///
    /// The first one counts, so an entry of `attributes` takes precedence over another name of the context. `None`
    /// means absent: an attribute is never unknown, because a client sends all attributes that it has.
    pub fn attribute(&self, name: &str) -> Option<Scalar<'a>> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Returns the variant that the visitor was given before.
    ///
    /// `None` when none was given in this experiment. The experiment need not have the arm any more.
    pub fn sticky(&self, experiment_key: &str) -> Option<Arm> {
        self.sticky.iter().find(|(key, _)| *key == experiment_key).map(|(_, arm)| *arm)
    }
}

/// A JSON value of a context by reference, independent of the library that parsed it.
#[derive(Debug, Clone, PartialEq)]
pub enum ContextValue<'a> {
    /// `null`.
    Null,
    /// A scalar value.
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
            // Every number is a double, as in a browser, so integers beyond 2⁵³ are rounded.
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
    /// Reads a visitor from a context, as OpenFeature clients send it. A name that is left out is unknown; `null` and
    /// empty text mean absent.
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
    /// | `attributes` | an object of texts, numbers and booleans |
    /// | any other name | an attribute, if the value is scalar; otherwise ignored |
    ///
    /// An attribute in `attributes` takes precedence over another one with the same name.
    ///
    /// # Errors
    /// Each known name with a value of the wrong type, texts and lists that are too long, and a missing or empty
    /// `targetingKey`.
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

    /// Sets one fact, list or attribute.
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
                // Inserted at the front, so that they take precedence over others of the same name, in whatever order a
                // client sends its members.
                let some = attributes(value).ok_or("must be an object of texts, numbers and booleans")?;
                self.attributes.splice(0..0, some);
            }
            // Clients send what they have; values that are not scalar are ignored here.
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

/// Returns the text, unless it is longer than [`TEXT_MAX`] bytes.
fn short(text: &str) -> Option<&str> {
    (text.len() <= TEXT_MAX).then_some(text)
}

/// Returns the value if it is text of at most [`TEXT_MAX`] bytes.
fn text<'a>(value: ContextValue<'a>) -> Option<&'a str> {
    match value {
        ContextValue::Scalar(Scalar::Text(text)) => short(text),
        _ => None,
    }
}

/// Returns the value if it is scalar: text that is short enough, a finite number or a boolean.
fn scalar<'a>(value: ContextValue<'a>) -> Option<Scalar<'a>> {
    match value {
        ContextValue::Scalar(Scalar::Text(text)) => short(text).map(Scalar::Text),
        ContextValue::Scalar(Scalar::Number(number)) => number.is_finite().then_some(Scalar::Number(number)),
        ContextValue::Scalar(flag) => Some(flag),
        _ => None,
    }
}

/// Reads scalar values by name. Null means an absent value.
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

/// Reads a fact. `null` and empty text mean that the visitor does not have it.
///
/// # Errors
/// A sentence for the client when the value has another type or is too long.
fn fact<'a>(value: &ContextValue<'a>) -> Result<Fact<&'a str>, &'static str> {
    match value {
        ContextValue::Null => Ok(Fact::Absent),
        ContextValue::Scalar(Scalar::Text("")) => Ok(Fact::Absent),
        ContextValue::Scalar(Scalar::Text(text)) if text.len() <= TEXT_MAX => Ok(Fact::Is(text)),
        _ => Err("must be text of at most 8192 bytes, or null"),
    }
}

/// Reads a list of at most [`LIST_MAX`] items, each with `read`. `null` means that there are none.
///
/// # Errors
/// `what`, a sentence for the client, when the value is not such a list or `read` refuses an item.
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

/// Reads an object of at most [`LIST_MAX`] members by name, each value with `read`. Like [`list`] otherwise.
///
/// # Errors
/// Errors of [`list`].
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

/// Reads an event from `{name, at, attributes}`. `at` is an ISO 8601 date or milliseconds since 1970. `None` without a
/// name or a date, because an event without a date cannot be counted.
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

/// Reads a local time such as `monday 09:30`.
fn local_time(text: &str) -> Option<LocalTime> {
    let (day, time) = text.split_once(' ')?;
    let weekday = muriel_domain::targeting::DAYS.iter().position(|known| *known == day)?;
    let minute = muriel_domain::targeting::minutes(time)?;
    Some(LocalTime { weekday: weekday as u8, minute })
}
