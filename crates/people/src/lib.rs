//! People: invitations, sign-in and access.
//!
//! A person who signs in gets a session: a random token in a cookie, whose MAC is stored. A link (of an
//! invitation, for the first owner, for a new password) is a random token too, and works once.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod id_token;
mod invitations;
pub mod keys;
mod members;
mod oidc;
mod passkeys;
mod passwords;
mod sessions;
mod throttle;
mod totp;
mod used_once;
mod webauthn;

pub use invitations::{
    Accepted, InvitationLink, InvitationShown, NewInvitation, accept, first_owner, invite, show, withdraw,
};
pub use members::{
    Ended, Members, PersonPatch, ProjectRole, ShownPerson, add, all, list, remove, reset, shown_one, update,
};
pub use oidc::{
    Begun, OIDC_COOKIE_S, OidcFailure, OidcSettings, begin as oidc_begin, domain as oidc_domain, finish as oidc_finish,
    is_safe as is_safe_address,
};
pub use passkeys::{
    creation_options as passkey_creation, enrol as passkey_enrol, list as passkeys, remove as passkey_remove,
    request_options as passkey_request, sign_in as passkey_sign_in,
};
pub use sessions::{
    RefusedSecondFactor, SignIn, begin_totp, change_password, confirm_totp, expires_at, list as sessions,
    refused as refused_second_factors, remove_totp, revoke, revoke_others, sign_in, sign_out,
};

use muriel_context::Context;
use muriel_context::access_cache::KnownSession;
use muriel_context::api_key::random_text;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, SessionId};
use muriel_sql::Tx;
use muriel_store::people::Person;
use muriel_store::sessions::Session;
use muriel_store::{invitations as stored_invitations, sessions as stored_sessions, tenants};
use oidc::Oidc;
use passwords::Passwords;
use std::sync::{Arc, OnceLock};
use throttle::Throttle;
use used_once::UsedOnce;

/// Period in which a browser is recognised after a sign-in.
pub const DEVICE_US: i64 = 180 * muriel_domain::time::DAY_US;

/// Settings of the operator about people and sign-in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleSettings {
    /// Origin at which people reach the server.
    pub public_url: Option<PublicUrl>,
    /// OpenID provider for sign-in.
    pub oidc: Option<OidcSettings>,
}

/// Sign-in and access of people. Clones share the state.
#[derive(Clone)]
pub struct People {
    context: Context,
    state: Arc<State>,
}

/// State of sign-in, in addition to the database.
struct State {
    passwords: Passwords,
    throttle: Throttle,
    /// Separate from passwords, so that password attempts do not evict its counters.
    second_factors: Throttle,
    /// Origin at which people reach the server, if the operator has set it.
    public_url: Option<PublicUrl>,
    oidc: Option<Oidc>,
    /// Challenges of passkeys that were answered successfully.
    answered: UsedOnce,
    /// Address the server listens on, at which people on this machine reach it.
    address: OnceLock<String>,
}

impl std::ops::Deref for People {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// Origin of the server's pages, at which people reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The origin as browsers write it: `https://muriel.example`.
    pub fn origin(&self) -> &str {
        &self.0
    }

    /// Returns whether the origin uses TLS, so that cookies can be limited to it.
    pub fn is_secure(&self) -> bool {
        self.0.starts_with("https://")
    }
}

/// The text is not an origin at which people can sign in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not an address such as https://muriel.example: https and a host, without a path; http only for this machine, \
     such as http://localhost:4170"
)]
pub struct BadPublicUrl(String);

impl std::str::FromStr for PublicUrl {
    type Err = BadPublicUrl;

    fn from_str(text: &str) -> std::result::Result<Self, BadPublicUrl> {
        let bad = || BadPublicUrl(text.to_owned());
        let url = url::Url::parse(text).map_err(|_| bad())?;
        let is_loopback = match url.host() {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let has_user = !url.username().is_empty() || url.password().is_some();
        let is_safe = url.scheme() == "https" || url.scheme() == "http" && is_loopback;
        if !is_safe || !is_bare || has_user || url.host().is_none() {
            return Err(bad());
        }
        Ok(Self(url.origin().ascii_serialization()))
    }
}

impl People {
    /// Creates the state of sign-in.
    pub fn new(context: Context, settings: PeopleSettings) -> Self {
        let state = State {
            passwords: Passwords::new(context.pepper.password_secret()),
            throttle: Throttle::default(),
            second_factors: Throttle::default(),
            public_url: settings.public_url,
            oidc: settings.oidc.map(Oidc::new),
            answered: passkeys::answered(),
            address: OnceLock::new(),
        };
        Self { context, state: Arc::new(state) }
    }

    /// The origin at which people reach the server, if the operator has set it. Otherwise they reach it
    /// on this machine only.
    pub fn public_url(&self) -> Option<&PublicUrl> {
        self.state.public_url.as_ref()
    }

    /// Display name of the OpenID provider, if there is one.
    pub fn provider(&self) -> Option<&str> {
        self.state.oidc.as_ref().map(Oidc::name)
    }

    /// Sets the address that the server listens on. Only the first call has an effect.
    pub fn set_address(&self, address: std::net::SocketAddr) {
        let _ = self.state.address.set(format!("http://{address}"));
    }

    /// Returns the link with this token. Browsers do not send the part after `#`, so the token is in no server log.
    fn link(&self, token: &str) -> String {
        format!("{}/invitation#{token}", self.origin())
    }

    /// Origin of the dashboard, as far as it is known: empty, or without a slash at the end.
    pub fn origin(&self) -> &str {
        let listens = self.state.address.get().map_or("", String::as_str);
        self.state.public_url.as_ref().map_or(listens, PublicUrl::origin)
    }
}

/// The browser of a request.
#[derive(Debug, Clone, Default)]
pub struct Browser {
    /// Network of the browser, as text.
    pub network: String,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Token of a recognised browser, if it has one.
    pub device: Option<String>,
}

/// The result of a sign-in.
pub struct SignedIn {
    /// The session.
    pub session: Arc<KnownSession>,
    /// Token for the session cookie, which is not stored.
    pub token: String,
    /// Token by which the browser is recognised later.
    pub device: String,
}

/// Creates a token: 256 random bits.
fn token() -> Result<String> {
    random_text(muriel_context::access_cache::TOKEN_LEN).map_err(Error::internal)
}

/// MAC under which a link's token is stored.
fn link_mac(people: &People, token: &str) -> [u8; 32] {
    people.pepper.people_mac("link", token)
}

/// Returns the token of a browser in which the person with this address signed in: the time, random
/// text, a MAC of both, and a MAC that also covers the person.
fn device_token(people: &People, email: &str) -> Result<String> {
    let body = format!("{}.{}", people.clock.now().us(), random_text(22).map_err(Error::internal)?);
    let body = format!("{body}.{}", device_mac(people, "any device", &body));
    let mac = device_mac(people, "device", &format!("{email} {body}"));
    Ok(format!("{body}.{mac}"))
}

fn device_mac(people: &People, purpose: &str, text: &str) -> String {
    muriel_context::digest::hex(&people.pepper.people_mac(purpose, text)[..16])
}

/// Returns whether the person with this address has signed in with the browser of this token.
fn is_device_of(people: &People, email: &str, token: &str) -> bool {
    let Some((body, mac)) = token.rsplit_once('.') else { return false };
    is_device(people, token, ("device", &format!("{email} {body}")), mac)
}

/// Returns whether anybody has signed in with the browser of this token. Tokens of earlier versions lack this MAC.
fn is_device_of_anybody(people: &People, token: &str) -> bool {
    let body = token.rsplit_once('.').and_then(|(body, _)| body.rsplit_once('.'));
    body.is_some_and(|(body, mac)| is_device(people, token, ("any device", body), mac))
}

fn is_device(people: &People, token: &str, (purpose, text): (&str, &str), mac: &str) -> bool {
    use subtle::ConstantTimeEq;
    let since = token.split('.').next().and_then(|moment| moment.parse::<i64>().ok());
    let is_young = since.is_some_and(|since| people.clock.now().us().saturating_sub(since) < DEVICE_US);
    let is_ours = || device_mac(people, purpose, text).as_bytes().ct_eq(mac.as_bytes());
    token.len() <= 128 && is_young && bool::from(is_ours())
}

/// A session to store, and its secrets.
struct NewSession {
    session: Session,
    token: String,
    mac: [u8; 32],
    csrf: String,
    device: String,
}

impl NewSession {
    fn new(people: &People, person: &Person, method: &str, browser: &Browser) -> Result<Self> {
        let (token, now) = (token()?, people.clock.now());
        let session = Session {
            id: SessionId(0),
            person: person.id,
            method: method.to_owned(),
            user_agent: browser.user_agent.chars().filter(|c| !c.is_control()).take(255).collect(),
            network: browser.network.clone(),
            created_at: now,
            last_seen_at: now,
        };
        let (mac, csrf) = (people.pepper.session_mac(&token), people.pepper.csrf(&token));
        Ok(Self { session, mac, csrf, device: device_token(people, &person.email)?, token })
    }

    /// Stores the session, and deletes expired sessions and invitations.
    async fn store(mut self, tx: &mut dyn Tx, person: Person) -> Result<SignedIn> {
        let now = self.session.created_at;
        stored_sessions::purge(
            tx,
            before(now, muriel_context::access_cache::SESSION_MAX_US),
            before(now, muriel_context::access_cache::SESSION_IDLE_US),
        )
        .await?;
        stored_invitations::purge(tx, now).await?;
        self.session.person = person.id;
        self.session.id = stored_sessions::insert(tx, &self.session, &self.mac).await?;
        let code_projects = tenants::with_code_for_editors(tx, person.company_id).await?;
        let session = Arc::new(KnownSession::new(self.session, person, self.csrf, code_projects));
        Ok(SignedIn { session, token: self.token, device: self.device })
    }
}

/// Returns whether anybody can sign in.
pub async fn any(people: &People) -> Result<bool> {
    people.read(|tx| Box::pin(async move { Ok(muriel_store::people::any(tx).await?) })).await
}

/// Returns the name of a company.
pub async fn company_name(people: &People, company: CompanyId) -> Result<String> {
    people.read(move |tx| Box::pin(async move { Ok(tenants::company_name(tx, company).await?) })).await
}

fn before(now: Instant, us: i64) -> Instant {
    now.plus_us(-us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_people_can_sign_in() {
        for (text, expect) in [
            ("https://muriel.example", Some("https://muriel.example")),
            ("https://Muriel.example:443/", Some("https://muriel.example")),
            ("https://muriel.example:8443", Some("https://muriel.example:8443")),
            ("http://localhost:4170", Some("http://localhost:4170")),
            ("http://127.0.0.1:4170/", Some("http://127.0.0.1:4170")),
            ("http://[::1]:4170", Some("http://[::1]:4170")),
            ("http://muriel.example", None),
            ("http://10.0.0.1", None),
            ("https://muriel.example/x", None),
            ("https://muriel.example?x", None),
            ("https://ada@muriel.example", None),
            ("ftp://localhost", None),
            ("muriel.example", None),
            ("", None),
        ] {
            let url = text.parse::<PublicUrl>();
            assert_eq!(url.as_ref().ok().map(PublicUrl::origin), expect, "{text}");
        }
    }
}
