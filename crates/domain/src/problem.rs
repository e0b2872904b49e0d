//! What is wrong with an input, and where.

use std::borrow::Cow;
use std::fmt;

/// Most problems that one answer lists; an input can hold thousands.
const LISTED: usize = 100;

/// What is wrong with one value, as the end of a sentence that begins with the
/// field's name: `must be between 0 and 100`.
///
/// Constructors return it because they do not know where their value stood; the caller does,
/// and makes a [`Problem`] of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw(pub Cow<'static, str>);

impl Flaw {
    /// A flaw with this wording.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A flaw and the place where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path of the value as the client wrote it: `variants[1].name`.
    pub field: String,
    /// What is wrong, continuing the field's name.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.field, self.message)
    }
}

/// All the problems found in one input, in the order in which they were found.
///
/// Holds at most 100; further ones are dropped, as the first hundred are
/// reason enough to refuse.
///
/// ```
/// use muriel_domain::Problems;
///
/// let mut variant = Problems::default();
/// variant.add("name", "must be \"Variant 2\"");
/// let mut found = Problems::default();
/// found.extend_under("variants[1]", &variant);
/// let refused = found.none_or("the variants").unwrap_err();
/// assert_eq!(refused.first().unwrap().to_string(), "variants[1].name must be \"Variant 2\"");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// A list of this problem alone.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut problems = Self::default();
        problems.add(field, message);
        problems
    }

    /// Adds a problem.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        if self.0.len() < LISTED {
            self.0.push(Problem { field: field.into(), message: message.into() });
        }
    }

    /// Adds all of the others.
    pub fn extend(&mut self, others: Problems) {
        for problem in others.0 {
            self.add(problem.field, problem.message);
        }
    }

    /// Adds all of the others with `place` in front of their fields: `name` under `variants[1]`
    /// becomes `variants[1].name`.
    pub fn extend_under(&mut self, place: &str, others: &Problems) {
        for problem in others.iter() {
            self.add(format!("{place}.{}", problem.field), &*problem.message);
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many problems the list holds, at most 100.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// In the order found.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The first problem that was found, for callers that can show only one.
    pub fn first(&self) -> Option<&Problem> {
        self.0.first()
    }

    /// `value` when no problem was found: the last line of a constructor that reports all problems.
    ///
    /// # Errors
    /// The problems, if there are any.
    pub fn none_or<T>(self, value: T) -> Result<T, Problems> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}
