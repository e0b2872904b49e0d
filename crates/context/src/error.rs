//! Errors of acts.

use muriel_domain::access::Scope;
use muriel_domain::experiment::{Conflict, Refusal};
use muriel_domain::problem::Problems;

/// The result of an act.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason why an act was not performed or a query not answered. Nothing was changed, except perhaps
/// with [`Error::OutcomeUnknown`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API key is unknown, has expired or was revoked.
    #[error("the API key is not accepted")]
    Unauthorized,
    /// The e-mail address and password do not match a person, or the authenticator code is wrong.
    #[error("e-mail address, password or code is wrong")]
    SignInFailed,
    /// The password is right, and an authenticator code is needed too.
    #[error("a code of the authenticator is also required")]
    TotpNeeded,
    /// There were too many sign-in attempts.
    #[error("too many attempts; try again after {retry_after_s} s")]
    Throttled {
        /// Whole seconds after which to try again, at least 1.
        retry_after_s: u64,
    },
    /// Somebody grants or removes a role above their own.
    #[error("the role is higher than the caller's own")]
    RoleTooLow,
    /// The person's role does not include this scope.
    #[error("the role does not have the scope {}", .0.name())]
    RoleLacksScope(Scope),
    /// The actor lacks this scope.
    #[error("the scope {} is needed", .0.name())]
    MissingScope(Scope),
    /// The project has no such object; the word names its kind: `experiment`.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The share no longer shows its result.
    #[error("the share no longer shows its result")]
    ShareEnded(ShareEnd),
    /// Input values of the act are invalid.
    #[error("invalid input")]
    Invalid(Problems),
    /// A query names an object that does not exist, such as a goal of a report.
    #[error("invalid inquiry")]
    InvalidInquiry(Problems),
    /// The caller could not read its input. This is reported only after the object to change is known to
    /// exist. The cause is the caller's own error, which the caller takes back out.
    #[error("the input could not be read")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The object to change has another version than the caller expects.
    #[error("the precondition does not hold")]
    PreconditionFailed,
    /// The current state does not allow the act.
    #[error("{message}")]
    Conflict {
        /// Rule that forbids the act.
        code: ConflictCode,
        /// A sentence for a person.
        message: String,
    },
    /// The request is larger than the amount that can be stored at once.
    #[error("the request is too large to be stored at once")]
    TooLarge,
    /// The act cannot be performed now.
    #[error("unavailable; try again after {retry_after_s} s")]
    Unavailable {
        /// Whole seconds after which to try again, at least 1.
        retry_after_s: u64,
    },
    /// The database stopped responding during a write, so it is not known whether the change was made.
    #[error("the database did not say whether the change was made")]
    OutcomeUnknown,
    /// The query cannot be answered until something else has happened.
    #[error("{why}")]
    NotYet {
        /// The condition that has to be met first.
        why: String,
        /// Whole seconds after which to try again, at least 1.
        retry_after_s: u64,
    },
    /// A fault of the server. The cause is for the log and is never shown to a client.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Creates a server fault with its cause.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Internal(cause.into())
    }

    /// Creates a conflict with its sentence.
    pub fn conflict(code: ConflictCode, message: impl Into<String>) -> Self {
        Error::Conflict { code, message: message.into() }
    }
}

/// Reason why a share no longer shows its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareEnd {
    /// The share has expired.
    Expired,
    /// Somebody has revoked it.
    Revoked,
    /// The goal that the share is about no longer exists.
    Outdated,
}

/// Rules that a conflict can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictCode {
    /// The lifecycle does not allow this transition.
    TransitionForbidden,
    /// The experiment is concluded and must be reopened first.
    Concluded,
    /// A winner is served already.
    AlreadyServing,
    /// No winner is served.
    NotServing,
    /// A draft cannot serve a winner.
    DraftCannotServe,
    /// The variant to be removed is the one that is served.
    VariantIsServed,
    /// Experiments use the goal.
    GoalInUse,
    /// The change affects what visitors of live experiments see, and was not accepted.
    MovesVisitors,
    /// The group is an exclusion group, and the request applies to holdouts only.
    NoHoldout,
    /// The webhook is disabled.
    WebhookOff,
    /// The company would have no owner.
    LastOwner,
    /// The e-mail address is already in use.
    EmailTaken,
    /// No authenticator secret waits for its first code.
    TotpNotBegun,
    /// The outcome contradicts the verdict, and no reason was given.
    VerdictContradicted,
    /// The project requires a second person to approve such a change.
    ApprovalNeeded,
    /// The proposal was decided before.
    ProposalDecided,
    /// The experiment has changed since the proposal was made.
    ProposalOutdated,
    /// The proposal is the actor's own, or another person's where it must be the actor's own.
    OwnProposal,
    /// Another object has this key or name.
    KeyTaken,
    /// The idempotency key was used with another body.
    IdempotencyKeyReused,
}

impl From<muriel_sql::Error> for Error {
    fn from(error: muriel_sql::Error) -> Self {
        match error {
            muriel_sql::Error::Unavailable { source } => {
                tracing::warn!(cause = &*source as &dyn std::error::Error, "the database is unavailable");
                Error::Unavailable { retry_after_s: 1 }
            }
            muriel_sql::Error::OutcomeUnknown { source } => {
                tracing::warn!(
                    cause = &*source as &dyn std::error::Error,
                    "the database did not confirm whether it has written"
                );
                Error::OutcomeUnknown
            }
            other => Error::internal(other),
        }
    }
}

impl From<muriel_store::Error> for Error {
    fn from(error: muriel_store::Error) -> Self {
        match error {
            muriel_store::Error::Sql(error) => error.into(),
            other => Error::internal(other),
        }
    }
}

impl From<Problems> for Error {
    fn from(problems: Problems) -> Self {
        Error::Invalid(problems)
    }
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        let code = match conflict {
            Conflict::DeactivateFirst
            | Conflict::HasStarted
            | Conflict::NotStarted
            | Conflict::NotConcluded
            | Conflict::IsDelivered
            | Conflict::NothingHeldBack => ConflictCode::TransitionForbidden,
            Conflict::Concluded => ConflictCode::Concluded,
            Conflict::DraftCannotServe => ConflictCode::DraftCannotServe,
            Conflict::AlreadyServing => ConflictCode::AlreadyServing,
            Conflict::NotServing => ConflictCode::NotServing,
            Conflict::VariantIsServed => ConflictCode::VariantIsServed,
        };
        Error::Conflict { code, message: conflict.to_string() }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Invalid(problems) => problems.into(),
            Refusal::Conflict(conflict) => conflict.into(),
        }
    }
}
