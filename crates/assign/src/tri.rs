//! Three-valued logic (Kleene's): yes, no, and not yet known.
//!
//! A page decides before it knows everything: consent, attributes and location may come later. A rule that needs such a
//! fact must not count as failed, because the visitor would be kept out permanently.
//!
//! ```
//! use muriel_assign::Tri;
//!
//! assert_eq!(Tri::Yes.and(Tri::Unknown), Tri::Unknown);
//! assert_eq!(Tri::No.and(Tri::Unknown), Tri::No); // whatever comes to be known
//! assert_eq!(!Tri::Unknown, Tri::Unknown);
//! ```

/// Truth value of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tri {
    /// The condition does not hold.
    No,
    /// The condition needs a fact that is not known yet. In the end, this counts as no.
    Unknown,
    /// The condition holds.
    Yes,
}

impl Tri {
    /// Conjunction: no takes precedence over unknown, and unknown over yes.
    #[must_use]
    pub fn and(self, other: Tri) -> Tri {
        self.min(other)
    }

    /// Disjunction: yes takes precedence over unknown, and unknown over no.
    #[must_use]
    pub fn or(self, other: Tri) -> Tri {
        self.max(other)
    }

    /// Conjunction of all; yes when there are none. Stops at the first no.
    pub fn all(questions: impl IntoIterator<Item = Tri>) -> Tri {
        let mut all = Tri::Yes;
        for question in questions {
            all = all.and(question);
            if all == Tri::No {
                break;
            }
        }
        all
    }

    /// Disjunction of all; no when there are none. Stops at the first yes.
    pub fn any(questions: impl IntoIterator<Item = Tri>) -> Tri {
        let mut any = Tri::No;
        for question in questions {
            any = any.or(question);
            if any == Tri::Yes {
                break;
            }
        }
        any
    }
}

impl std::ops::Not for Tri {
    type Output = Tri;

    fn not(self) -> Tri {
        match self {
            Tri::No => Tri::Yes,
            Tri::Unknown => Tri::Unknown,
            Tri::Yes => Tri::No,
        }
    }
}

impl From<bool> for Tri {
    fn from(known: bool) -> Tri {
        if known { Tri::Yes } else { Tri::No }
    }
}
