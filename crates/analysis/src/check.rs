//! Result of a health check: a grade, and the findings in words.

/// Result of a check, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The check found no problem.
    Ok,
    /// The check had no data, so it neither found a problem nor ruled one out.
    Unknown,
    /// Worth knowing; comparisons remain valid.
    Warn,
    /// The condition that the check verifies does not hold.
    Fail,
}

impl Grade {
    /// Combines the grade of several checks with one more. An unknown grade is ignored: a check that does not apply to
    /// an experiment, such as that of the currency before the first order, must not hide findings of the others.
    ///
    /// # Examples
    ///
    /// ```
    /// use muriel_analysis::Grade;
    ///
    /// assert_eq!(Grade::Ok.with(Grade::Unknown), Grade::Ok);
    /// assert_eq!(Grade::Ok.with(Grade::Warn).with(Grade::Fail), Grade::Fail);
    /// ```
    #[must_use]
    pub fn with(self, other: Grade) -> Grade {
        if other == Grade::Unknown { self } else { self.max(other) }
    }

    /// Name in answers: `ok`, `unknown`, `warn` or `fail`.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Ok => "ok",
            Grade::Unknown => "unknown",
            Grade::Warn => "warn",
            Grade::Fail => "fail",
        }
    }
}

/// A check with its findings.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthCheck {
    /// Grade of the check.
    pub grade: Grade,
    /// Findings, as a sentence for people.
    pub message: String,
}

impl HealthCheck {
    /// Creates a check with this finding.
    pub fn new(grade: Grade, message: impl Into<String>) -> Self {
        Self { grade, message: message.into() }
    }
}
