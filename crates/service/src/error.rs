//! Why an act was not done.

use muriel_domain::access::Scope;
use muriel_domain::experiment::{Conflict, Refusal};
use muriel_domain::problem::Problems;

/// The result of an act.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an act was not done, or a question not answered. Nothing was changed, except perhaps
/// with [`Error::OutcomeUnknown`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API key is unknown, has expired or was revoked.
    #[error("the API key is not accepted")]
    Unauthorized,
    /// Nobody signs in with this e-mail address and password, or the code is not one of the authenticator.
    #[error("e-mail address, password or code is wrong")]
    SignInFailed,
    /// The password is right, and a code of the authenticator is needed too.
    #[error("a code of the authenticator is needed")]
    TotpNeeded,
    /// Too many attempts to sign in.
    #[error("too many attempts; try again after {retry_after_s} s")]
    Throttled {
        /// Whole seconds after which to try again, at least 1.
        retry_after_s: u64,
    },
    /// Somebody gives or takes a role above their own.
    #[error("the role is above one's own")]
    RoleTooLow,
    /// The role of the person who acts does not have this scope.
    #[error("the role does not have the scope {}", .0.name())]
    RoleLacksScope(Scope),
    /// The actor lacks this scope.
    #[error("the scope {} is needed", .0.name())]
    MissingScope(Scope),
    /// There is no such thing in this project; the word says what: `experiment`.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// A share that does not show its result any more.
    #[error("the share does not show its result any more")]
    ShareEnded(ShareEnd),
    /// Values that the act was given cannot be used.
    #[error("invalid input")]
    Invalid(Problems),
    /// A question names something that does not exist, such as a goal of a report.
    #[error("invalid inquiry")]
    InvalidInquiry(Problems),
    /// The caller could not read its input, which matters once it is known that the thing to
    /// change exists. The cause is the caller's own error, for the caller to take back out.
    #[error("the input could not be read")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The thing to change has another version than the caller expects.
    #[error("the precondition does not hold")]
    PreconditionFailed,
    /// The present state does not allow the act.
    #[error("{message}")]
    Conflict {
        /// Which rule forbids it.
        code: ConflictCode,
        /// A sentence for a person.
        message: String,
    },
    /// The request is larger than what can be stored at once.
    #[error("there is too much to be stored at once")]
    TooLarge,
    /// It cannot be done now.
    #[error("unavailable; try again after {retry_after_s} s")]
    Unavailable {
        /// Whole seconds after which to try again, at least 1.
        retry_after_s: u64,
    },
    /// The database stopped answering while it wrote, so it is not known whether it has.
    #[error("the database did not say whether the change was made")]
    OutcomeUnknown,
    /// It cannot be answered until something else is done.
    #[error("{why}")]
    NotYet {
        /// What has to be done first.
        why: String,
        /// Whole seconds after which to try again, at least 1.
        retry_after_s: u64,
    },
    /// A fault of the server. The cause is for the log, never for a client.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// A fault of the server with its cause.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Internal(cause.into())
    }

    /// A conflict with its sentence.
    pub fn conflict(code: ConflictCode, message: impl Into<String>) -> Self {
        Error::Conflict { code, message: message.into() }
    }
}

/// Why a share does not show its result any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareEnd {
    /// Its time is over.
    Expired,
    /// Somebody has revoked it.
    Revoked,
    /// The goal that it is about is gone.
    Outdated,
}

/// The rules that a conflict can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictCode {
    /// The lifecycle has no such step.
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
    /// Visitors of live experiments would meet something else, which was not accepted.
    MovesVisitors,
    /// It is an exclusion group, and what was asked for is about holdouts.
    NoHoldout,
    /// The webhook is switched off.
    WebhookOff,
    /// The company would have no owner.
    LastOwner,
    /// Somebody has this e-mail address.
    EmailTaken,
    /// No secret waits for its first code.
    TotpNotBegun,
    /// The outcome contradicts the verdict, and no reason was given.
    VerdictContradicted,
    /// The project asks for a second person for such a change.
    ApprovalNeeded,
    /// The proposal was decided before.
    ProposalDecided,
    /// The experiment has changed since the proposal was made.
    ProposalOutdated,
    /// It is the actor's own proposal, or somebody else's where it has to be one's own.
    OwnProposal,
    /// Something else has this key or name.
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
                    "the database did not say whether it has written"
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
            | Conflict::IsDelivered => ConflictCode::TransitionForbidden,
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
