//! The caller's session and sign-in methods in responses.

use super::people::Person;
use super::projects::SessionProject;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::ids::SessionId;
use muriel_people as people;
use muriel_store::passkeys::Passkey;
use muriel_store::sessions::Session;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The signed-in person and their permissions.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// The signed-in person.
    pub(crate) person: Person,
    /// Role in the company.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// Name of the company.
    #[schema(example = "Acme")]
    pub(crate) company: String,
    /// Projects that the person sees, oldest first.
    pub(crate) projects: Vec<SessionProject>,
    /// Token to send as `X-Muriel-CSRF` with each request that changes something.
    #[schema(example = "3499569de30c660a1ae3cefa2008ac72")]
    pub(crate) csrf: String,
    /// Time at which the session ends unless it is used before: 12 hours after its last use, and at most 30 days after
    /// the sign-in.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// A session was ended by signing out.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignedOut {
    /// Always true.
    pub(crate) success: bool,
    /// Always true.
    pub(crate) signed_out: bool,
}

/// Sign-in methods of this server.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInMethods {
    /// Always true.
    pub(crate) success: bool,
    /// True while nobody can sign in yet. The server prints a link for the first owner when it starts.
    pub(crate) needs_first_owner: bool,
    /// True when sign-in with e-mail address and password is enabled.
    pub(crate) password: bool,
    /// True when passkeys are available. Browsers create them for host names, not for addresses such as 127.0.0.1.
    pub(crate) passkeys: bool,
    /// Name of the OpenID provider, whose sign-in begins at `/v2/session/oidc/start`; null without one.
    #[schema(required, example = "Acme")]
    pub(crate) oidc: Option<String>,
}

/// Sessions were ended.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionsRevoked {
    /// Always true.
    pub(crate) success: bool,
    /// Number of sessions that were ended.
    pub(crate) revoked: i64,
}

/// Sessions of the caller.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of sessions.
    pub(crate) count: usize,
    /// Latest sign-in first.
    pub(crate) sessions: Vec<SessionItem>,
    /// Second factors that were wrong after the correct password within the last 30 days, newest first, at most 20. If
    /// you did not enter them, somebody else may know your password: choose another.
    pub(crate) refused: Vec<RefusedSecondFactor>,
}

/// A second factor that was wrong after the correct password.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefusedSecondFactor {
    /// Time of the attempt.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Method: `password and code` or `passkey`.
    #[schema(example = "password and code")]
    pub(crate) method: String,
    /// Network of the attempt: a /24 of IPv4, or a /48 of IPv6.
    #[schema(example = "203.0.113.0/24")]
    pub(crate) network: String,
}

impl From<people::RefusedSecondFactor> for RefusedSecondFactor {
    fn from(refused: people::RefusedSecondFactor) -> Self {
        let people::RefusedSecondFactor { at, method, network } = refused;
        Self { at, method, network }
    }
}

/// A signed-in browser.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionItem {
    /// Identifies the session.
    pub(crate) session_id: i64,
    /// True for the session of this request.
    pub(crate) is_current: bool,
    /// Sign-in method.
    #[schema(example = "password")]
    pub(crate) method: String,
    /// User agent of the browser, at most 255 characters.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")]
    pub(crate) user_agent: String,
    /// Network of the sign-in: a /24 of IPv4, or a /48 of IPv6.
    #[schema(example = "203.0.113.0/24")]
    pub(crate) network: String,
    /// Time of the sign-in.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// Time of the last use, to the minute.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) last_seen_at: Instant,
    /// Time at which it ends unless it is used before.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// An authenticator that is not confirmed yet.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpBegun {
    /// Always true.
    pub(crate) success: bool,
    /// Secret in base 32, to type.
    #[schema(example = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")]
    pub(crate) secret: String,
    /// Same secret as a URI, to show as a QR code.
    #[schema(
        example = "otpauth://totp/Muriel:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Muriel"
    )]
    pub(crate) uri: String,
}

/// An authenticator was enrolled.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpEnrolled {
    /// Always true.
    pub(crate) success: bool,
    /// Codes to use when the authenticator is lost. Each works once instead of the digits. They are shown only this
    /// once.
    pub(crate) recovery_codes: Vec<String>,
}

/// An authenticator was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpRemoved {
    /// Always true.
    pub(crate) success: bool,
    /// True when there was one.
    pub(crate) removed: bool,
}

/// Options for creating or using a passkey in a browser.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyOptions {
    /// Always true.
    pub(crate) success: bool,
    /// For `PublicKeyCredential.parseCreationOptionsFromJSON`, or `parseRequestOptionsFromJSON`.
    #[schema(value_type = Object)]
    pub(crate) options: Value,
}

/// Passkeys of the caller.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of passkeys.
    pub(crate) count: usize,
    /// Oldest first; at most 20.
    pub(crate) passkeys: Vec<PasskeyItem>,
}

/// A key of a device.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyItem {
    /// Identifies the passkey.
    pub(crate) passkey_id: i64,
    /// Name that the person gave it.
    #[schema(example = "Laptop")]
    pub(crate) name: String,
    /// Time of enrolment.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// Time of the last use; null if never used.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_used_at: Option<Instant>,
}

impl From<Passkey> for PasskeyItem {
    fn from(passkey: Passkey) -> Self {
        let Passkey { id, name, created_at, last_used_at, .. } = passkey;
        Self { passkey_id: id.0, name, created_at, last_used_at }
    }
}

/// A passkey was enrolled.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyEnrolled {
    /// Always true.
    pub(crate) success: bool,
    /// Identifies the passkey.
    pub(crate) passkey_id: i64,
}

/// A passkey was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyRemoved {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the removed passkey.
    pub(crate) passkey_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
}

impl SessionItem {
    /// Describes a session to the person whose current session is `own`.
    pub(crate) fn new(session: Session, own: SessionId) -> Self {
        Self {
            session_id: session.id.0,
            is_current: session.id == own,
            expires_at: people::expires_at(&session),
            method: session.method,
            user_agent: session.user_agent,
            network: session.network,
            created_at: session.created_at,
            last_seen_at: session.last_seen_at,
        }
    }
}
