//! Three-valued logic: yes, no, and not yet known (Kleene's).
//!
//! A page decides before it knows everything: consent, attributes and place may come later. A rule that asks about such a
//! fact must not count as failed, or the visitor would be kept out for good.
//!
//! ```
//! use muriel_assign::Tri;
//!
//! assert_eq!(Tri::Yes.and(Tri::Unknown), Tri::Unknown);
//! assert_eq!(Tri::No.and(Tri::Unknown), Tri::No); // whatever comes to be known
//! assert_eq!(!Tri::Unknown, Tri::Unknown);
//! ```

/// What is known of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tri {
    /// It does not hold.
    No,
    /// What it asks about is not known yet; in the end this counts as no.
    Unknown,
    /// It holds.
    Yes,
}

impl Tri {
    /// Both: no beats not known beats yes.
    #[must_use]
    pub fn and(self, other: Tri) -> Tri {
        self.min(other)
    }

    /// Either: yes beats not known beats no.
    #[must_use]
    pub fn or(self, other: Tri) -> Tri {
        self.max(other)
    }

    /// All of them; yes when there are none. Stops at the first no.
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

    /// Any of them; no when there are none. Stops at the first yes.
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
