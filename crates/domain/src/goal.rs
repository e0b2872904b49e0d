//! Goals: the outcomes that are counted.

use crate::ids::GoalId;
use crate::{Flaw, Instant, Problems, text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A tracked outcome of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// Unique in the database, never reused.
    pub id: GoalId,
    /// Permanent name in code, unique in the project. It is never reused, even after the goal is
    /// deleted, because stored events and results refer to it.
    pub key: String,
    /// Outcome that is counted, and its measurement; the part that can be edited.
    pub definition: Definition,
    /// Time of creation.
    pub created_at: Instant,
    /// 1 for a new goal; each change adds 1. A goal at revision 1 was never changed, so earlier
    /// results counted the same.
    pub revision: i64,
}

/// Definition of a goal: what it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Display name.
    pub name: String,
    /// Event with which a visitor converts, and the value it is matched against.
    pub trigger: Trigger,
    /// Purpose of the outcome for the business.
    pub purpose: Purpose,
    /// URL of the page on which the goal's element was picked.
    pub element_url: Option<String>,
    /// Days after the first exposure within which an event counts. `None` counts until the end of
    /// the test; a number is from 1 to 365.
    pub window_days: Option<i64>,
    /// Events needed for a conversion, 1 to 1,000.
    pub min_count: i64,
    /// Maximum value that one visitor contributes, in the goal's unit. Larger sums are cut to it,
    /// so that one large order does not decide a test. It is above 0 and at most 10¹².
    pub cap: Option<f64>,
    /// Largest plausible value of an order. Orders above it do not count. It is above 0 and
    /// at most [`ORDER_MAX`].
    pub max_order_value: Option<f64>,
    /// Currency that orders are counted in (ISO 4217). `None` for the currency of most buyers.
    pub currency: Option<String>,
}

/// Purpose of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Revenue.
    Sell,
    /// Use.
    Engage,
    /// Leads.
    Generate,
}

impl Purpose {
    /// Every purpose with its word.
    pub const WORDS: [(&'static str, Purpose); 3] =
        [("sell", Purpose::Sell), ("engage", Purpose::Engage), ("generate", Purpose::Generate)];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        word_of(&Self::WORDS, self)
    }
}

/// The 14 kinds of outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GoalType {
    /// A page URL contains the value.
    Pageview,
    /// A page URL equals the value.
    PageviewExact,
    /// A page URL matches; `*` stands for any run of characters.
    PageviewWildcard,
    /// A page URL matches a regular expression.
    PageviewRegex,
    /// An element matching the selector is clicked.
    ClickOnElement,
    /// An element with this visible text is clicked.
    ClickOnText,
    /// A link that leaves the site and contains the value is followed.
    ExternalLink,
    /// A form matching the selector is submitted.
    FormSubmit,
    /// An element matching the selector becomes visible.
    ElementAppears,
    /// This percentage of a page is reached.
    Scrolling,
    /// This many seconds are spent visibly on a page.
    Duration,
    /// A custom event of this name arrives.
    Event,
    /// An order event of this name arrives; its value counts.
    Revenue,
    /// Page code calls this trigger.
    Script,
}

impl GoalType {
    /// All types with their words in the interface.
    pub const WORDS: [(&'static str, GoalType); 14] = [
        ("pageview", GoalType::Pageview),
        ("pageviewExact", GoalType::PageviewExact),
        ("pageviewWildcard", GoalType::PageviewWildcard),
        ("pageviewRegex", GoalType::PageviewRegex),
        ("clickOnElement", GoalType::ClickOnElement),
        ("clickOnText", GoalType::ClickOnText),
        ("externalLink", GoalType::ExternalLink),
        ("formSubmit", GoalType::FormSubmit),
        ("elementAppears", GoalType::ElementAppears),
        ("scrolling", GoalType::Scrolling),
        ("duration", GoalType::Duration),
        ("event", GoalType::Event),
        ("revenue", GoalType::Revenue),
        ("script", GoalType::Script),
    ];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        word_of(&Self::WORDS, self)
    }
}

/// The word of a value in a list that has every value.
fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, other)| *other == value).map_or("", |(word, _)| word)
}

/// Value of a goal as the client wrote it: text, or a number for the two types that measure
/// (`scrolling`, `duration`).
///
/// `50` and `"50"` are different values, although a [`Trigger`] accepts both for a type that
/// measures.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum GoalValue {
    /// Sent as a number.
    Number(i64),
    /// Sent as text.
    Text(String),
}

/// A goal type together with a value that fits it.
///
/// ```
/// use muriel_domain::goal::{GoalType, GoalValue, Trigger};
///
/// let half = |goal_type| Trigger::new(goal_type, GoalValue::Number(50));
/// assert!(half(GoalType::Scrolling).is_ok(), "50 % of a page");
/// assert!(half(GoalType::Event).is_err(), "the name of an event is text");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    goal_type: GoalType,
    value: GoalValue,
}

impl Trigger {
    /// Returns the pair when the value fits the type.
    ///
    /// Event names have at most 128 characters, regular expressions 512 bytes, and other texts
    /// 2,048 characters.
    ///
    /// # Errors
    /// A value that the type cannot use: blank text, a percentage outside 1 to 100, seconds outside
    /// 1 to 86,400, a malformed regular expression, or a number for a type that compares text.
    pub fn new(goal_type: GoalType, value: GoalValue) -> Result<Self, Flaw> {
        match goal_type {
            GoalType::Scrolling => measure(&value, 1..=100, "a percentage from 1 to 100")?,
            GoalType::Duration => measure(&value, 1..=86_400, "seconds from 1 to 86400")?,
            _ => {
                let GoalValue::Text(text) = &value else {
                    return Err(Flaw::new(format!("must be text for a goal of type {}", goal_type.word())));
                };
                if text.trim().is_empty() {
                    return Err(Flaw::new("must not be blank"));
                }
                match goal_type {
                    GoalType::PageviewRegex => drop(regular_expression(text)?),
                    GoalType::Event | GoalType::Revenue => drop(text::at_most(text, 128)?),
                    _ => drop(text::at_most(text, 2_048)?),
                }
            }
        }
        Ok(Self { goal_type, value })
    }

    /// Kind of outcome.
    pub fn goal_type(&self) -> GoalType {
        self.goal_type
    }

    /// Value as the client wrote it: `50` and `"50"` are returned as they were sent.
    pub fn value(&self) -> &GoalValue {
        &self.value
    }
}

/// Checks that the value is a whole number in `range`, written as a number or in digits.
fn measure(value: &GoalValue, range: std::ops::RangeInclusive<i64>, what: &str) -> Result<(), Flaw> {
    let number = match value {
        GoalValue::Number(number) => Some(*number),
        GoalValue::Text(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        GoalValue::Text(_) => None,
    };
    match number {
        Some(number) if range.contains(&number) => Ok(()),
        _ => Err(Flaw::new(format!("must be {what}"))),
    }
}

/// Compiles a regular expression of at most 512 bytes. Matching takes linear time, and the compiled
/// program is small.
///
/// Letter case counts. Page rules use [`portable`](crate::pattern::portable) instead, because
/// browsers evaluate them too.
///
/// # Errors
/// Expressions that are longer, malformed or too large when compiled. Look-around and
/// back-references are malformed here: they cannot be matched in linear time.
pub fn regular_expression(pattern: &str) -> Result<regex::Regex, Flaw> {
    if pattern.len() > 512 {
        return Err(Flaw::new("must have at most 512 bytes"));
    }
    // Larger programs take milliseconds on a long URL; see "linear time is not
    // a bound" in the regex crate's own documentation of size_limit.
    regex::RegexBuilder::new(pattern).size_limit(32 << 10).dfa_size_limit(32 << 10).build().map_err(|error| match error
    {
        regex::Error::CompiledTooBig(_) => {
            Flaw::new("is too large a regular expression; use fewer or smaller repetitions")
        }
        _ => Flaw::new(
            "is not a regular expression that can be matched in linear time (no look-around, no back-references)",
        ),
    })
}

impl Definition {
    /// The fields under their published names, as history compares them.
    ///
    /// All ten fields are always present. An absent value is null.
    pub fn fields(&self) -> Map<String, Value> {
        let fields = [
            ("goal_name", json!(self.name)),
            ("goal_type", json!(self.trigger.goal_type().word())),
            ("goal_value", json!(self.trigger.value())),
            ("goal_purpose", json!(self.purpose.word())),
            ("element_url", json!(self.element_url)),
            ("window_days", json!(self.window_days)),
            ("min_count", json!(self.min_count)),
            ("cap", json!(self.cap)),
            ("max_order_value", json!(self.max_order_value)),
            ("currency", json!(self.currency)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Returns the definition when its numbers are in range.
    ///
    /// Does not check texts.
    ///
    /// # Errors
    /// Each window, count, cap and largest order that is out of range, with its field.
    pub fn checked(self) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if self.window_days.is_some_and(|days| !(1..=365).contains(&days)) {
            problems.add("window_days", "must be an integer from 1 to 365, or null");
        }
        if !(1..=1_000).contains(&self.min_count) {
            problems.add("min_count", "must be an integer from 1 to 1000");
        }
        if self.cap.is_some_and(|cap| !(cap > 0.0 && cap <= 1e12)) {
            problems.add("cap", "must be a number above 0 and at most 1000000000000, or null");
        }
        if self.max_order_value.is_some_and(|most| !(most > 0.0 && most <= ORDER_MAX)) {
            problems.add("max_order_value", "must be a number above 0 and at most 100000000000, or null");
        }
        problems.none_or(self)
    }
}

/// Maximum order value that is stored; larger orders are cut to it.
pub const ORDER_MAX: f64 = 1e11;

/// Changes to a goal: `None` keeps a field, `Some(None)` clears it. The key is permanent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Patch {
    /// New name.
    pub name: Option<String>,
    /// New type. The value, new or kept, must fit it.
    pub goal_type: Option<GoalType>,
    /// New value.
    pub value: Option<GoalValue>,
    /// New purpose.
    pub purpose: Option<Purpose>,
    /// New URL of the element's page.
    pub element_url: Option<Option<String>>,
    /// New window, in days.
    pub window_days: Option<Option<i64>>,
    /// New count of events needed.
    pub min_count: Option<i64>,
    /// New cap.
    pub cap: Option<Option<f64>>,
    /// New largest plausible order.
    pub max_order_value: Option<Option<f64>>,
    /// New currency.
    pub currency: Option<Option<String>>,
}

impl Patch {
    /// Returns the definition after this patch.
    ///
    /// A new type without a new value is checked against the stored value. A problem of either is
    /// reported at `goal_value`.
    ///
    /// # Errors
    /// A type and value that do not fit, or numbers out of range.
    pub fn apply(self, before: &Definition) -> Result<Definition, Problems> {
        let trigger = Trigger::new(
            self.goal_type.unwrap_or(before.trigger.goal_type),
            self.value.unwrap_or_else(|| before.trigger.value.clone()),
        )
        .map_err(|flaw| Problems::one("goal_value", flaw.to_string()))?;
        Definition {
            name: self.name.unwrap_or_else(|| before.name.clone()),
            trigger,
            purpose: self.purpose.unwrap_or(before.purpose),
            element_url: self.element_url.unwrap_or_else(|| before.element_url.clone()),
            window_days: self.window_days.unwrap_or(before.window_days),
            min_count: self.min_count.unwrap_or(before.min_count),
            cap: self.cap.unwrap_or(before.cap),
            max_order_value: self.max_order_value.unwrap_or(before.max_order_value),
            currency: self.currency.unwrap_or_else(|| before.currency.clone()),
        }
        .checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_types() {
        let text = |text: &str| GoalValue::Text(text.into());
        for (goal_type, value, good) in [
            (GoalType::Pageview, text("/thanks"), true),
            (GoalType::Pageview, text(" "), false),
            (GoalType::Pageview, GoalValue::Number(3), false),
            (GoalType::PageviewRegex, text("^/thanks(/|$)"), true),
            (GoalType::PageviewRegex, text("(unclosed"), false),
            (GoalType::PageviewRegex, text("(?=ahead)"), false),
            (GoalType::PageviewRegex, text("((a{99}){99}){99}"), false),
            (GoalType::PageviewRegex, text(&"a".repeat(513)), false),
            (GoalType::Scrolling, GoalValue::Number(75), true),
            (GoalType::Scrolling, text("75"), true),
            (GoalType::Scrolling, text("75%"), false),
            (GoalType::Scrolling, GoalValue::Number(101), false),
            (GoalType::Duration, text("0"), false),
            (GoalType::Duration, text("30"), true),
            (GoalType::Event, text(&"x".repeat(129)), false),
        ] {
            assert_eq!(Trigger::new(goal_type, value.clone()).is_ok(), good, "{goal_type:?} {value:?}");
        }
    }
}
