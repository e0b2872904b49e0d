//! Validation errors: what is wrong with an input, and where.

use std::borrow::Cow;
use std::fmt;

/// Maximum number of problems in one answer: an input can have thousands.
const LISTED: usize = 100;

/// Description of an invalid value, as the end of a sentence that begins with the field's name:
/// `must be between 0 and 100`.
///
/// Constructors return a flaw because they do not know the field of their value. The caller does,
/// and turns the flaw into a [`Problem`].
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

/// A flaw and its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path of the value as the client wrote it: `variants[1].name`.
    ///
    /// The parser of a nested value returns a path relative to that value: `[2]`, `.Control`, or empty for
    /// the whole value. Its caller adds the name of its own field in front.
    pub field: String,
    /// Description of the flaw, as the rest of a sentence that begins with the field's name.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.field, self.message)
    }
}

/// All the problems found in one input, in the order in which they were found.
///
/// Holds at most 100 problems and drops further ones: a hundred are enough to refuse an input.
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
    /// A list with one problem.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut problems = Self::default();
        problems.add(field, message);
        problems
    }

    /// Adds a problem. Does nothing when the list is full.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        if self.0.len() < LISTED {
            self.0.push(Problem { field: field.into(), message: message.into() });
        }
    }

    /// Adds all problems of `others`. Problems beyond the limit are dropped.
    pub fn extend(&mut self, others: Problems) {
        for problem in others.0 {
            self.add(problem.field, problem.message);
        }
    }

    /// Adds all problems of `others` with `place` in front of their fields: `name` under
    /// `variants[1]` becomes `variants[1].name`.
    ///
    /// A dot is always inserted. Fields that are relative, such as `[2]`, therefore need another
    /// way.
    pub fn extend_under(&mut self, place: &str, others: &Problems) {
        for problem in others.iter() {
            self.add(format!("{place}.{}", problem.field), &*problem.message);
        }
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of problems, at most 100.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Iterates over the problems in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The first problem found, for callers that can show only one.
    pub fn first(&self) -> Option<&Problem> {
        self.0.first()
    }

    /// Returns `value` when there are no problems. Constructors that report all problems end with
    /// this call.
    ///
    /// # Errors
    /// The problems, when there are any.
    pub fn none_or<T>(self, value: T) -> Result<T, Problems> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}
