//! Identifiers. Integers below 2⁵³, never reused.

use std::fmt;

/// The greatest integer that ids may have. JavaScript reads numbers as doubles, which represent
/// every integer up to 2⁵³ exactly, but not every integer above it.
pub const MAX_SAFE: i64 = 1 << 53;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl $name {
            /// Parses an id: decimal digits, 1 to 2⁵³. `None` for anything else.
            ///
            /// At most 16 characters, within which leading zeros are accepted.
            pub fn parse(text: &str) -> Option<Self> {
                let digits = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
                let id = if digits { text.parse().ok()? } else { return None };
                (1..=MAX_SAFE).contains(&id).then_some(Self(id))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    )*};
}

ids! {
    /// A company: owns projects and keys.
    CompanyId,
    /// A project: owns experiments, hypotheses and goals.
    ProjectId,
    /// An experiment; `test_id` in the published interface.
    ExperimentId,
    /// A hypothesis.
    HypothesisId,
    /// A goal; `goal_profile_id` in the published interface.
    GoalId,
    /// An exclusion group or a holdout.
    GroupId,
    /// An exclusion of recorded visits from results.
    ExclusionId,
    /// A webhook.
    WebhookId,
    /// A delivery: an event queued for a webhook.
    DeliveryId,
    /// A person who signs in.
    PersonId,
    /// A session: a browser in which a person is signed in.
    SessionId,
    /// An invitation link, with which a person joins.
    InvitationId,
    /// A passkey of a person.
    PasskeyId,
    /// A job that deletes a visitor's data.
    VisitorJobId,
    /// A comment on an experiment or a hypothesis.
    CommentId,
    /// A proposal: a change that waits for a second person's approval.
    ProposalId,
    /// A share: a link that shows a result without signing in.
    ShareId,
    /// An entry of a person's inbox.
    EntryId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_decimal_digits_in_range_are_ids() {
        for (text, expect) in [
            ("1", Some(1)),
            ("9007199254740992", Some(MAX_SAFE)),
            ("9007199254740993", None),
            ("0", None),
            ("-1", None),
            ("+1", None),
            ("1.0", None),
            ("", None),
            ("１", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(ExperimentId::parse(text).map(|id| id.0), expect, "{text}");
        }
    }
}
