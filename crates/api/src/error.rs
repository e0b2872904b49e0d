//! Errors of the operations.
//!
//! A handler returns [`ApiError`]. The [edge](muriel_http::edge) writes its body. Errors of the framework and of the
//! HTTP parser are [`HttpError`]s, which have the same form.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use muriel_context::error::{ConflictCode, ShareEnd};
use muriel_domain::problem::{Problem, Problems};
use muriel_http::error::{Failure, FieldError, HttpError, failed, retry_after};

use crate::sizes::EXPANDED_LIMIT;

/// Errors of the API.
#[derive(Debug)]
pub enum ApiError {
    /// The API key is missing or not accepted, and there is no session.
    Unauthorized,
    /// The API key is missing or not accepted, in an operation that takes no session.
    KeyNeeded,
    /// No account has this e-mail address, password and code.
    SignInFailed,
    /// The password is correct, and an authenticator code is needed too.
    TotpNeeded,
    /// The key is valid but lacks this scope.
    MissingScope(&'static str),
    /// The person is signed in but their role does not have this scope.
    RoleLacksScope(&'static str),
    /// Only a person may do this, not an API key.
    SessionNeeded,
    /// A request with a session does not come from a page of the server itself.
    CsrfFailed,
    /// The caller grants or removes a role above their own.
    RoleTooLow,
    /// The project has no such object. The word names its kind: `experiment`.
    NotFound(&'static str),
    /// A shared result that is no longer shown.
    ShareEnded(ShareEnd),
    /// Fields of the body are not valid.
    Invalid(Problems),
    /// The body cannot be parsed. The problem names the field, if one is the cause.
    Malformed(Problem),
    /// Parameters of the query are not valid.
    InvalidQuery(Problems),
    /// `If-Match` names another version than the current one.
    PreconditionFailed,
    /// The current state does not allow the operation.
    Conflict {
        /// Rule that forbids the operation.
        code: ConflictCode,
        /// Explanation for people.
        message: String,
    },
    /// The database stopped responding during a write, so it is not known whether the change was
    /// made.
    OutcomeUnknown,
    /// The server cannot answer yet.
    NotYet {
        /// Precondition that is not met yet.
        why: String,
        /// Seconds until a retry is worthwhile.
        retry_after_s: u64,
    },
    /// An error that any operation can return.
    Http(HttpError),
}

/// Words of conflict codes, for the contract of an operation that answers with them.
pub(crate) fn conflict_codes(codes: &[ConflictCode]) -> Vec<&'static str> {
    codes.iter().copied().map(conflict_code).collect()
}

/// Published code of a conflict.
fn conflict_code(code: ConflictCode) -> &'static str {
    match code {
        ConflictCode::TransitionForbidden => "transition_forbidden",
        ConflictCode::Concluded => "concluded",
        ConflictCode::AlreadyServing => "already_serving",
        ConflictCode::NotServing => "not_serving",
        ConflictCode::DraftCannotServe => "draft_cannot_serve",
        ConflictCode::VariantIsServed => "variant_is_served",
        ConflictCode::WebhookOff => "webhook_off",
        ConflictCode::GoalInUse => "goal_in_use",
        ConflictCode::MovesVisitors => "moves_visitors",
        ConflictCode::NoHoldout => "no_holdout",
        ConflictCode::LastOwner => "last_owner",
        ConflictCode::EmailTaken => "email_taken",
        ConflictCode::TotpNotBegun => "totp_not_begun",
        ConflictCode::VerdictContradicted => "verdict_contradicted",
        ConflictCode::ApprovalNeeded => "approval_needed",
        ConflictCode::ProposalDecided => "proposal_decided",
        ConflictCode::ProposalOutdated => "proposal_outdated",
        ConflictCode::OwnProposal => "own_proposal",
        ConflictCode::KeyTaken => "key_taken",
        ConflictCode::IdempotencyKeyReused => "idempotency_key_reused",
    }
}

/// Published code of a share that has ended, and advice for the reader.
fn share_end(end: ShareEnd) -> (&'static str, &'static str) {
    match end {
        ShareEnd::Expired => ("share_expired", "this link has expired; ask the sender for a new one"),
        ShareEnd::Revoked => ("share_revoked", "this link was revoked; ask the sender for a new one"),
        ShareEnd::Outdated => {
            ("share_outdated", "the goal that this link is about was deleted; ask the sender for a new one")
        }
    }
}

/// Every code with its status and meaning: the closed list that clients may rely on.
pub const CODES: &[(&str, u16, &str)] = &[
    ("invalid_field", 400, "fields of the body have invalid values; `errors` lists all of them"),
    ("invalid_parameter", 400, "query parameters have invalid values; `errors` lists all of them"),
    ("malformed_body", 400, "the body cannot be read as JSON; `errors` names the field if the error is in one"),
    ("malformed_request", 400, "the request is not valid HTTP"),
    ("unauthorized", 401, "the API key or session is missing or not accepted"),
    ("sign_in_failed", 401, "the e-mail address, the password or the code is wrong"),
    ("totp_needed", 401, "the password is right, but a code of the authenticator is also required"),
    ("missing_scope", 403, "the API key or the role lacks a scope"),
    ("session_needed", 403, "only a person who is signed in may do this"),
    ("csrf_failed", 403, "the request does not come from a page of this server, or lacks `X-Muriel-CSRF`"),
    ("role_too_low", 403, "the role is higher than the caller's own"),
    ("not_found", 404, "the object does not exist, or the key has no access to it"),
    ("unknown_route", 404, "no operation has this path"),
    ("method_not_allowed", 405, "the path does not take this method; `Allow` lists those it takes"),
    ("request_timeout", 408, "the request took too long to arrive"),
    ("transition_forbidden", 409, "the experiment's status cannot change to the requested one"),
    ("concluded", 409, "the experiment is concluded and must be reopened first"),
    ("already_serving", 409, "a winner is already served"),
    ("not_serving", 409, "no winner is served"),
    ("webhook_off", 409, "the webhook is switched off"),
    ("draft_cannot_serve", 409, "a draft cannot serve a winner"),
    ("variant_is_served", 409, "the variant is served and cannot be removed"),
    ("goal_in_use", 409, "experiments use the goal"),
    ("no_holdout", 409, "the group is an exclusion group; only holdouts have a result"),
    ("moves_visitors", 409, "visitors of live experiments would be moved; send `accept_moves` to allow it"),
    ("last_owner", 409, "the company would have no owner"),
    ("email_taken", 409, "an account with this e-mail address exists"),
    ("totp_not_begun", 409, "no authenticator is waiting for its first code"),
    ("verdict_contradicted", 409, "the outcome contradicts the verdict; give the reason in `override_reason`"),
    ("approval_needed", 409, "this change needs the approval of a second person: propose it"),
    ("proposal_decided", 409, "the proposal was already approved, rejected or withdrawn"),
    ("proposal_outdated", 409, "the experiment has changed since the proposal was made; the proposal shows both"),
    ("own_proposal", 409, "people cannot approve or reject their own proposals, and only the author can withdraw one"),
    ("key_taken", 409, "another object has this key"),
    ("idempotency_key_reused", 409, "the idempotency key was used with another body"),
    ("share_expired", 410, "the link has expired"),
    ("share_revoked", 410, "the link was revoked"),
    ("share_outdated", 410, "the goal that the link is about was deleted"),
    ("precondition_failed", 412, "`If-Match` does not name the current version"),
    ("body_too_large", 413, "the body is over the limit"),
    ("uri_too_long", 414, "the request target is over 8 KiB"),
    ("unsupported_media_type", 415, "the operation does not accept the body's media type or encoding"),
    ("rate_limited", 429, "too many requests; `Retry-After` says when to try again"),
    ("headers_too_large", 431, "the request's header fields are too large or too many"),
    ("internal", 500, "an error of the server; quote the request id when you report it"),
    ("unavailable", 503, "the server cannot answer now; `Retry-After` says when to try again"),
    (
        "outcome_unknown",
        503,
        "the database did not say whether the change was made: read before repeating it, or repeat a POST with its `Idempotency-Key`",
    ),
];

impl ApiError {
    /// Fault of the server with its cause.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> ApiError {
        HttpError::internal(cause).into()
    }

    /// Error for a body that cannot be parsed, without a field.
    pub fn malformed(sentence: impl Into<String>) -> ApiError {
        ApiError::Malformed(Problem { field: String::new(), message: sentence.into() })
    }

    /// Problems that the body lists; empty for errors without any.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        let (several, one) = match self {
            ApiError::Invalid(problems) | ApiError::InvalidQuery(problems) => (Some(problems), None),
            ApiError::Malformed(problem) if !problem.field.is_empty() => (None, Some(problem)),
            _ => (None, None),
        };
        several.into_iter().flat_map(Problems::iter).chain(one)
    }
}

impl Failure for ApiError {
    fn facts(&self) -> (StatusCode, &'static str, Cow<'_, str>) {
        use StatusCode as S;
        match self {
            ApiError::Unauthorized => (
                S::UNAUTHORIZED,
                "unauthorized",
                "a known API key, not expired and not revoked, is needed as Authorization: Bearer <key>, or a session"
                    .into(),
            ),
            ApiError::KeyNeeded => (
                S::UNAUTHORIZED,
                "unauthorized",
                "a known API key, not expired and not revoked, is needed as Authorization: Bearer <key>".into(),
            ),
            ApiError::SignInFailed => {
                (S::UNAUTHORIZED, "sign_in_failed", "the e-mail address, the password or the code is wrong".into())
            }
            ApiError::TotpNeeded => {
                (S::UNAUTHORIZED, "totp_needed", "a code of the authenticator is also required, as totp".into())
            }
            ApiError::MissingScope(scope) => {
                (S::FORBIDDEN, "missing_scope", format!("the API key lacks the scope {scope}").into())
            }
            ApiError::RoleLacksScope(scope) => {
                (S::FORBIDDEN, "missing_scope", format!("your role does not have the scope {scope} here").into())
            }
            ApiError::SessionNeeded => {
                (S::FORBIDDEN, "session_needed", "only a person who is signed in may do this, not an API key".into())
            }
            ApiError::CsrfFailed => (
                S::FORBIDDEN,
                "csrf_failed",
                "the request must come from a page of this server, with its Origin and, once somebody is signed in, \
                 with X-Muriel-CSRF"
                    .into(),
            ),
            ApiError::RoleTooLow => {
                (S::FORBIDDEN, "role_too_low", "you cannot give or take away a role above your own".into())
            }
            ApiError::NotFound(noun) => (S::NOT_FOUND, "not_found", format!("{noun} not found").into()),
            ApiError::ShareEnded(end) => {
                let (code, sentence) = share_end(*end);
                (S::GONE, code, sentence.into())
            }
            ApiError::Invalid(problems) => (S::BAD_REQUEST, "invalid_field", sentence(problems)),
            ApiError::Malformed(problem) => (S::BAD_REQUEST, "malformed_body", whole(problem).into()),
            ApiError::InvalidQuery(problems) => (S::BAD_REQUEST, "invalid_parameter", sentence(problems)),
            ApiError::PreconditionFailed => (
                S::PRECONDITION_FAILED,
                "precondition_failed",
                "If-Match does not name the current version; read it again, then retry".into(),
            ),
            ApiError::Conflict { code, message } => (S::CONFLICT, conflict_code(*code), message.as_str().into()),
            ApiError::OutcomeUnknown => (
                S::SERVICE_UNAVAILABLE,
                "outcome_unknown",
                "the database did not say whether the change was made; read it again before repeating the request, or \
                 repeat a POST with its Idempotency-Key"
                    .into(),
            ),
            ApiError::NotYet { why, retry_after_s } => {
                (S::SERVICE_UNAVAILABLE, "unavailable", format!("{why}; try again after {retry_after_s} s").into())
            }
            ApiError::Http(error) => error.facts(),
        }
    }

    fn fields(&self) -> Vec<FieldError<'_>> {
        self.problems().map(|Problem { field, message }| FieldError { field, message }).collect()
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            ApiError::Unauthorized | ApiError::KeyNeeded | ApiError::SignInFailed | ApiError::TotpNeeded => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            ApiError::NotYet { retry_after_s: seconds, .. } => retry_after(headers, *seconds),
            ApiError::OutcomeUnknown => retry_after(headers, 1),
            ApiError::Http(error) => error.add_headers(headers),
            _ => {}
        }
    }
}

/// `field message` of the first problem, and the number of further ones.
fn sentence(problems: &Problems) -> Cow<'static, str> {
    let Some(first) = problems.first() else {
        return "the request has invalid values".into();
    };
    let one = whole(first);
    match problems.len() - 1 {
        0 => one.into(),
        more => format!("{one} (and {more} more)").into(),
    }
}

/// `field message`, or only the message when there is no field.
fn whole(problem: &Problem) -> String {
    let space = if problem.field.is_empty() { "" } else { " " };
    format!("{}{space}{}", problem.field, problem.message)
}

impl From<muriel_context::Error> for ApiError {
    fn from(error: muriel_context::Error) -> Self {
        match error {
            muriel_context::Error::Unauthorized => ApiError::Unauthorized,
            muriel_context::Error::SignInFailed => ApiError::SignInFailed,
            muriel_context::Error::TotpNeeded => ApiError::TotpNeeded,
            muriel_context::Error::Throttled { retry_after_s } => HttpError::RateLimited { retry_after_s }.into(),
            muriel_context::Error::RoleTooLow => ApiError::RoleTooLow,
            muriel_context::Error::MissingScope(scope) => ApiError::MissingScope(scope.name()),
            muriel_context::Error::RoleLacksScope(scope) => ApiError::RoleLacksScope(scope.name()),
            muriel_context::Error::NotFound(noun) => ApiError::NotFound(noun),
            muriel_context::Error::ShareEnded(end) => ApiError::ShareEnded(end),
            muriel_context::Error::Invalid(problems) => ApiError::Invalid(problems),
            muriel_context::Error::InvalidInquiry(problems) => ApiError::InvalidQuery(problems),
            // This is always an error of parsing the request, which `From<ApiError>` below wrapped.
            muriel_context::Error::Unreadable(cause) => match cause.downcast::<ApiError>() {
                Ok(error) => *error,
                Err(cause) => ApiError::internal(cause),
            },
            muriel_context::Error::PreconditionFailed => ApiError::PreconditionFailed,
            muriel_context::Error::Conflict { code, message } => ApiError::Conflict { code, message },
            muriel_context::Error::TooLarge => HttpError::BodyTooLarge { limit: EXPANDED_LIMIT }.into(),
            muriel_context::Error::Unavailable { retry_after_s } => HttpError::Unavailable { retry_after_s }.into(),
            muriel_context::Error::OutcomeUnknown => ApiError::OutcomeUnknown,
            muriel_context::Error::NotYet { why, retry_after_s } => ApiError::NotYet { why, retry_after_s },
            muriel_context::Error::Internal(cause) => ApiError::internal(cause),
        }
    }
}

/// Wraps an error of parsing a request. Some service functions first check that the object exists,
/// then parse the request by a callback.
impl From<ApiError> for muriel_context::Error {
    fn from(error: ApiError) -> Self {
        muriel_context::Error::Unreadable(Box::new(error))
    }
}

impl From<HttpError> for ApiError {
    fn from(error: HttpError) -> Self {
        ApiError::Http(error)
    }
}

impl From<Problems> for ApiError {
    fn from(problems: Problems) -> Self {
        ApiError::Invalid(problems)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.facts().2)
    }
}

impl Error for ApiError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ApiError::Http(error) => error.source(),
            _ => None,
        }
    }
}

impl IntoResponse for ApiError {
    /// Sets the status and attaches the error; the edge adds the header fields and the body.
    fn into_response(self) -> Response {
        failed(self, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(error: ApiError, expect: Expect) {
        let body = error.body("id-1");
        let text = String::from_utf8_lossy(&body);
        let mut headers = HeaderMap::new();
        error.add_headers(&mut headers);
        let mut lines = format!("{} {text}\n", error.status().as_u16());
        for (name, value) in &headers {
            lines += &format!("{name}: {}\n", value.to_str().unwrap());
        }
        expect.assert_eq(&lines);
    }

    #[test]
    fn one_body_for_every_error() {
        let two = {
            let mut problems = Problems::one("url", "must be absolute");
            problems.add("tags[3]", "is empty");
            problems
        };
        check(
            ApiError::Unauthorized,
            expect![[r#"
                401 {"success":false,"error":"a known API key, not expired and not revoked, is needed as Authorization: Bearer <key>, or a session","code":"unauthorized","errors":[],"request_id":"id-1"}
                www-authenticate: Bearer
            "#]],
        );
        check(
            ApiError::KeyNeeded,
            expect![[r#"
                401 {"success":false,"error":"a known API key, not expired and not revoked, is needed as Authorization: Bearer <key>","code":"unauthorized","errors":[],"request_id":"id-1"}
                www-authenticate: Bearer
            "#]],
        );
        check(
            ApiError::NotFound("experiment"),
            expect![[r#"
            404 {"success":false,"error":"experiment not found","code":"not_found","errors":[],"request_id":"id-1"}
        "#]],
        );
        check(
            ApiError::Invalid(Problems::one("variants[1].name", "must be \"Variant 2\"")),
            expect![[r#"
                400 {"success":false,"error":"variants[1].name must be \"Variant 2\"","code":"invalid_field","errors":[{"field":"variants[1].name","message":"must be \"Variant 2\""}],"request_id":"id-1"}
            "#]],
        );
        check(
            ApiError::InvalidQuery(two),
            expect![[r#"
            400 {"success":false,"error":"url must be absolute (and 1 more)","code":"invalid_parameter","errors":[{"field":"url","message":"must be absolute"},{"field":"tags[3]","message":"is empty"}],"request_id":"id-1"}
        "#]],
        );
        check(
            HttpError::RateLimited { retry_after_s: 0 }.into(),
            expect![[r#"
            429 {"success":false,"error":"too many requests; try again after 0 s","code":"rate_limited","errors":[],"request_id":"id-1"}
            retry-after: 1
        "#]],
        );
        check(
            ApiError::internal("the disk is gone"),
            expect![[r#"
            500 {"success":false,"error":"the server failed; quote the request id when you report it","code":"internal","errors":[],"request_id":"id-1"}
        "#]],
        );
    }

    #[test]
    fn every_code_is_listed_once() {
        let conflict = |code| ApiError::Conflict { code, message: String::new() };
        let all = [
            ApiError::Unauthorized,
            ApiError::SignInFailed,
            ApiError::TotpNeeded,
            ApiError::MissingScope("write"),
            ApiError::SessionNeeded,
            ApiError::CsrfFailed,
            ApiError::RoleTooLow,
            ApiError::NotFound("goal"),
            ApiError::ShareEnded(ShareEnd::Expired),
            ApiError::ShareEnded(ShareEnd::Revoked),
            ApiError::ShareEnded(ShareEnd::Outdated),
            HttpError::RouteNotFound.into(),
            HttpError::MethodNotAllowed.into(),
            ApiError::Invalid(Problems::default()),
            ApiError::malformed(""),
            HttpError::MalformedRequest.into(),
            ApiError::InvalidQuery(Problems::default()),
            HttpError::BodyTooLarge { limit: 1 }.into(),
            HttpError::UnsupportedMediaType { expected: "" }.into(),
            HttpError::UriTooLong.into(),
            HttpError::HeadersTooLarge.into(),
            HttpError::Timeout.into(),
            ApiError::PreconditionFailed,
            conflict(ConflictCode::TransitionForbidden),
            conflict(ConflictCode::Concluded),
            conflict(ConflictCode::AlreadyServing),
            conflict(ConflictCode::NotServing),
            conflict(ConflictCode::DraftCannotServe),
            conflict(ConflictCode::VariantIsServed),
            conflict(ConflictCode::WebhookOff),
            conflict(ConflictCode::GoalInUse),
            conflict(ConflictCode::MovesVisitors),
            conflict(ConflictCode::NoHoldout),
            conflict(ConflictCode::LastOwner),
            conflict(ConflictCode::EmailTaken),
            conflict(ConflictCode::TotpNotBegun),
            conflict(ConflictCode::VerdictContradicted),
            conflict(ConflictCode::KeyTaken),
            conflict(ConflictCode::ApprovalNeeded),
            conflict(ConflictCode::ProposalDecided),
            conflict(ConflictCode::ProposalOutdated),
            conflict(ConflictCode::OwnProposal),
            conflict(ConflictCode::IdempotencyKeyReused),
            HttpError::RateLimited { retry_after_s: 1 }.into(),
            HttpError::Unavailable { retry_after_s: 1 }.into(),
            ApiError::OutcomeUnknown,
            ApiError::internal("x"),
        ];
        let mut made: Vec<_> = all.iter().map(|e| (e.code(), e.status().as_u16())).collect();
        let mut listed: Vec<_> = CODES.iter().map(|(code, status, _)| (*code, *status)).collect();
        made.sort_unstable();
        listed.sort_unstable();
        assert_eq!(made, listed);
    }
}
