//! One's own session, and what one signs in with, in answers.

use super::people::Person;
use super::projects::SessionProject;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::ids::SessionId;
use muriel_service::people;
use muriel_store::passkeys::Passkey;
use muriel_store::sessions::Session;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Who is signed in, and what they may do.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// Who is signed in.
    pub(crate) person: Person,
    /// The role in the company.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// The company's name.
    #[schema(example = "Acme")]
    pub(crate) company: String,
    /// The projects that the person sees, oldest first.
    pub(crate) projects: Vec<SessionProject>,
    /// What to send as `X-Muriel-CSRF` with each request that changes something.
    #[schema(example = "3499569de30c660a1ae3cefa2008ac72")]
    pub(crate) csrf: String,
    /// When the session ends if nothing is done with it before: 12 hours after its last use, and 30 days after the sign-in at
    /// the latest.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// Somebody signed out.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignedOut {
    /// Always true.
    pub(crate) success: bool,
    /// Always true.
    pub(crate) signed_out: bool,
}

/// The ways to sign in to this server.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInMethods {
    /// Always true.
    pub(crate) success: bool,
    /// Whether nobody can sign in yet: the server prints a link for the first owner when it starts.
    pub(crate) needs_first_owner: bool,
    /// Whether e-mail address and password are taken.
    pub(crate) password: bool,
    /// Whether passkeys are taken: browsers make them for names, not for addresses such as 127.0.0.1.
    pub(crate) passkeys: bool,
    /// The name of the OpenID provider, whose sign-in begins at `/v2/session/oidc/start`; null without one.
    #[schema(required, example = "Acme")]
    pub(crate) oidc: Option<String>,
}

/// Sessions were ended.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionsRevoked {
    /// Always true.
    pub(crate) success: bool,
    /// How many sessions were ended.
    pub(crate) revoked: i64,
}

/// One's own sessions.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionList {
    /// Always true.
    pub(crate) success: bool,
    /// How many there are.
    pub(crate) count: usize,
    /// Latest sign-in first.
    pub(crate) sessions: Vec<SessionItem>,
    /// Second factors that were wrong after the right password within the last 30 days, newest first, at most 20. If that was not
    /// you, somebody else may know your password: choose another.
    pub(crate) refused: Vec<RefusedSecondFactor>,
}

/// A second factor that was wrong after the right password.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefusedSecondFactor {
    /// When it was tried.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// What was tried: `password and code` or `passkey`.
    #[schema(example = "password and code")]
    pub(crate) method: String,
    /// The network that it was tried from: a /24 of IPv4, or a /48 of IPv6.
    #[schema(example = "203.0.113.0/24")]
    pub(crate) network: String,
}

impl From<people::RefusedSecondFactor> for RefusedSecondFactor {
    fn from(refused: people::RefusedSecondFactor) -> Self {
        let people::RefusedSecondFactor { at, method, network } = refused;
        Self { at, method, network }
    }
}

/// A browser in which somebody is signed in.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionItem {
    /// Identifies the session.
    pub(crate) session_id: i64,
    /// Whether it is the one that asks.
    pub(crate) is_current: bool,
    /// How the person signed in.
    #[schema(example = "password")]
    pub(crate) method: String,
    /// What the browser called itself, at most 255 characters.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")]
    pub(crate) user_agent: String,
    /// The network that it was begun from: a /24 of IPv4, or a /48 of IPv6.
    #[schema(example = "203.0.113.0/24")]
    pub(crate) network: String,
    /// When it was begun.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// When it was last used, to the minute.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) last_seen_at: Instant,
    /// When it ends if it is not used before.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// An authenticator that is about to be enrolled.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpBegun {
    /// Always true.
    pub(crate) success: bool,
    /// The secret in base 32, to type.
    #[schema(example = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")]
    pub(crate) secret: String,
    /// The same as an address, to show as a QR code.
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
    /// Codes for when the authenticator is lost; each works once in place of the digits. They are shown this once.
    pub(crate) recovery_codes: Vec<String>,
}

/// An authenticator was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpRemoved {
    /// Always true.
    pub(crate) success: bool,
    /// Whether there was one.
    pub(crate) removed: bool,
}

/// What a browser needs for a passkey.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyOptions {
    /// Always true.
    pub(crate) success: bool,
    /// For `PublicKeyCredential.parseCreationOptionsFromJSON`, or `parseRequestOptionsFromJSON`.
    #[schema(value_type = Object)]
    pub(crate) options: Value,
}

/// One's own passkeys.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyList {
    /// Always true.
    pub(crate) success: bool,
    /// How many there are.
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
    /// What the person calls it.
    #[schema(example = "Laptop")]
    pub(crate) name: String,
    /// When it was enrolled.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// When it was last used; null for never.
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
    /// The id it had.
    pub(crate) passkey_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
}

impl SessionItem {
    /// A session, to somebody who asks in the session `own`.
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
