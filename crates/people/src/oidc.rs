//! Sign-in at an OpenID provider: the code flow with PKCE (OpenID Connect Core, RFC 7636).
//!
//! The data to finish a sign-in (state, nonce, verifier) is in an encrypted cookie of the browser that
//! began it: another browser cannot finish it, and abandoned sign-ins leave nothing in the database.

use super::id_token::{Expected, Identity, Keys, Token};
use super::invitations::check_room;
use super::throttle::Attempt;
use super::used_once::UsedOnce;
use super::{Browser, NewSession, SignedIn, is_device_of_anybody};
use crate::People;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use muriel_context::api_key::random_text;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_context::sealed::{seal, unseal};
use muriel_domain::Instant;
use muriel_domain::person::{self, Access, Role};
use muriel_outbound::tls::roots;
use muriel_sql::Tx;
use muriel_store::people::{self, NewPerson, Person};
use muriel_store::{invitations, lock_people, tenants};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use ureq::Agent;
use ureq::tls::TlsConfig;

/// Time limit of a sign-in at the provider.
const SIGN_IN_US: i64 = 600_000_000;
/// TTL of the provider's cached configuration.
const DISCOVERY_US: i64 = 3_600_000_000;
/// Most requests per minute for unknown keys. The limit applies to tokens that name keys which the
/// provider does not have, so that they cannot cause more requests.
const KEYS_PER_MINUTE: usize = 5;
const MINUTE_US: i64 = 60_000_000;
/// Timeout of a request to the provider, and most bytes that are read of a response.
const TIMEOUT: Duration = Duration::from_secs(10);
const BODY_MAX: u64 = 256 << 10;
/// Most requests to the provider at the same time.
const REQUESTS_MAX: usize = 4;
/// Purpose under which the cookie is encrypted.
const PURPOSE: &str = "oidc sign-in";

/// Settings of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcSettings {
    /// Display name.
    pub name: String,
    /// Issuer address, as in the provider's tokens.
    pub issuer: String,
    /// Id of this server at the provider.
    pub client_id: String,
    /// Client secret; without one the client is public.
    pub client_secret: Option<String>,
    /// Domains of e-mail addresses, in lower case, whose owners can join without an invitation.
    pub domains: Vec<String>,
    /// Role of those who join by their domain.
    pub role: Role,
    /// Company of those who join by their domain; the only company unless named.
    pub company: Option<String>,
}

/// Reason why a sign-in failed, as a word for the page that the person returns to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OidcFailure {
    /// The sign-in took too long, began in another browser, or is already finished.
    Expired,
    /// The provider refused, or its response is not valid.
    Failed,
    /// The provider knows the person, but this server does not.
    NotInvited,
    /// The provider cannot be reached.
    Unavailable,
    /// Too many codes from the same network were wrong.
    Busy,
}

impl OidcFailure {
    /// The word for the page.
    pub fn word(self) -> &'static str {
        match self {
            OidcFailure::Expired => "oidc_expired",
            OidcFailure::Failed => "oidc_failed",
            OidcFailure::NotInvited => "oidc_not_invited",
            OidcFailure::Unavailable => "oidc_unavailable",
            OidcFailure::Busy => "oidc_busy",
        }
    }
}

/// A sign-in that has begun.
#[derive(Debug, Clone)]
pub struct Begun {
    /// Address that the browser is redirected to.
    pub location: String,
    /// Value of the cookie that holds the sign-in.
    pub cookie: String,
}

/// Lifetime of the cookie, in seconds.
pub const OIDC_COOKIE_S: i64 = SIGN_IN_US / 1_000_000;

/// Content of the cookie.
#[derive(Serialize, Deserialize)]
struct Pending {
    state: String,
    nonce: String,
    verifier: String,
    redirect_uri: String,
    began_us: i64,
}

/// A provider at which people sign in.
pub(super) struct Oidc {
    settings: OidcSettings,
    agent: OnceLock<Agent>,
    requests: Semaphore,
    discovered: Mutex<Option<(Arc<Endpoints>, Instant)>>,
    /// The known keys, and the requests for keys within the last minute.
    keys: Mutex<(Arc<Keys>, Vec<Instant>)>,
    /// Sign-ins for which the provider returned a code; none can be finished twice.
    finished: UsedOnce,
}

/// Endpoints of the provider.
struct Endpoints {
    authorization: String,
    token: String,
    keys: String,
    /// Address of claims about people that tokens omit.
    userinfo: Option<String>,
    /// True when the provider accepts the secret only in the body, not in the header.
    secret_in_body: bool,
}

impl Oidc {
    pub(super) fn new(settings: OidcSettings) -> Self {
        Self {
            settings,
            agent: OnceLock::new(),
            requests: Semaphore::new(REQUESTS_MAX),
            discovered: Mutex::default(),
            keys: Mutex::default(),
            finished: UsedOnce::new(SIGN_IN_US),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.settings.name
    }

    fn agent(&self) -> Agent {
        let made = || {
            let tls = TlsConfig::builder().root_certs(roots()).build();
            let config = Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
            config.timeout_global(Some(TIMEOUT)).tls_config(tls).build().new_agent()
        };
        self.agent.get_or_init(made).clone()
    }

    /// Sends a request to the provider and returns the JSON of the response.
    async fn ask(&self, url: &str, request: Request) -> Answer {
        let Ok(_permit) = self.requests.acquire().await else { return Err(OidcFailure::Unavailable) };
        let (agent, url) = (self.agent(), url.to_owned());
        let asked = tokio::task::spawn_blocking(move || {
            let sent = match request {
                Request::Read(None) => agent.get(&url).header("accept", "application/json").call(),
                Request::Read(Some(authorization)) => {
                    agent.get(&url).header("accept", "application/json").header("authorization", authorization).call()
                }
                Request::Form(fields, None) => agent.post(&url).header("accept", "application/json").send_form(fields),
                Request::Form(fields, Some(authorization)) => {
                    let request = agent.post(&url).header("accept", "application/json");
                    request.header("authorization", authorization).send_form(fields)
                }
            };
            let mut response = sent.map_err(|error| {
                tracing::warn!(error = &error as &dyn std::error::Error, url, "the OpenID provider cannot be reached");
                OidcFailure::Unavailable
            })?;
            let status = response.status().as_u16();
            let body = response.body_mut().with_config().limit(BODY_MAX).read_to_vec();
            let json = body.ok().and_then(|body| serde_json::from_slice::<Value>(&body).ok());
            match json {
                Some(json) if status == 200 => Ok(json),
                json => {
                    let said = json.as_ref().and_then(|json| json["error"].as_str()).unwrap_or_default();
                    tracing::warn!(status, said, url, "the OpenID provider refused the request");
                    Err(if status >= 500 { OidcFailure::Unavailable } else { OidcFailure::Failed })
                }
            }
        });
        asked.await.unwrap_or(Err(OidcFailure::Failed))
    }

    async fn endpoints(&self, now: Instant) -> Result<Arc<Endpoints>, OidcFailure> {
        let held = self.discovered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((endpoints, at)) = held
            && now.us().saturating_sub(at.us()) < DISCOVERY_US
        {
            return Ok(endpoints);
        }
        let issuer = &self.settings.issuer;
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let found = self.ask(&url, Request::Read(None)).await?;
        let fail = |why: &str| {
            tracing::warn!(issuer, why, "the OpenID provider's configuration cannot be used");
            OidcFailure::Failed
        };
        if found["issuer"].as_str() != Some(issuer) {
            return Err(fail("it names another issuer"));
        }
        let address = |name: &str| {
            let text = found[name].as_str().filter(|text| is_safe(text));
            text.map(str::to_owned).ok_or_else(|| fail("an address is missing or does not use TLS"))
        };
        let methods = found["token_endpoint_auth_methods_supported"].as_array();
        let takes = |method: &str| methods.is_none_or(|all| all.iter().any(|one| one == method));
        let endpoints = Arc::new(Endpoints {
            authorization: address("authorization_endpoint")?,
            token: address("token_endpoint")?,
            keys: address("jwks_uri")?,
            userinfo: address("userinfo_endpoint").ok(),
            secret_in_body: !takes("client_secret_basic"),
        });
        *self.discovered.lock().unwrap_or_else(PoisonError::into_inner) = Some((endpoints.clone(), now));
        Ok(endpoints)
    }

    /// Returns the provider's keys. Requests them once if the token's key is not among the known ones.
    async fn keys_for(&self, token: &Token<'_>, endpoints: &Endpoints, now: Instant) -> Result<Arc<Keys>, OidcFailure> {
        let held = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut held = held();
            let (keys, asked) = &mut *held;
            asked.retain(|at| now.us().saturating_sub(at.us()) < MINUTE_US);
            if keys.has(&token.header) || asked.len() >= KEYS_PER_MINUTE {
                return Ok(keys.clone());
            }
            // Recorded before the request, so that concurrent requests are counted too.
            asked.push(now);
        }
        let keys = Arc::new(Keys::read(&self.ask(&endpoints.keys, Request::Read(None)).await?));
        held().0 = keys.clone();
        Ok(keys)
    }

    /// Adds the e-mail address and name from the provider's user info, where the token has no e-mail address.
    async fn completed(&self, identity: Identity, access_token: Option<&str>, endpoints: &Endpoints) -> Identity {
        let (Some(url), Some(access_token), None) = (&endpoints.userinfo, access_token, &identity.email) else {
            return identity;
        };
        match self.ask(url, Request::Read(Some(format!("Bearer {access_token}")))).await {
            // The response may describe another person (OpenID Connect Core, section 5.3.2).
            Ok(claims) if claims["sub"] == identity.subject.as_str() => identity.with(&claims),
            _ => identity,
        }
    }

    /// Returns the identity for a code of the provider.
    async fn identity(&self, code: &str, pending: &Pending, now: Instant) -> Result<Identity, OidcFailure> {
        let endpoints = self.endpoints(now).await?;
        let settings = &self.settings;
        let mut form = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.to_owned()),
            ("redirect_uri", pending.redirect_uri.clone()),
            ("code_verifier", pending.verifier.clone()),
        ];
        let mut authorization = None;
        match &settings.client_secret {
            Some(secret) if !endpoints.secret_in_body => {
                let both = format!("{}:{}", form_encoded(&settings.client_id), form_encoded(secret));
                authorization = Some(format!("Basic {}", STANDARD.encode(both)));
            }
            secret => {
                form.push(("client_id", settings.client_id.clone()));
                form.extend(secret.clone().map(|secret| ("client_secret", secret)));
            }
        }
        let answer = self.ask(&endpoints.token, Request::Form(form, authorization)).await?;
        let refused = |why: &str| {
            tracing::warn!(issuer = settings.issuer, why, "an ID token was refused");
            OidcFailure::Failed
        };
        let token = answer["id_token"].as_str().ok_or_else(|| refused("the response has no ID token"))?;
        let token = Token::read(token).map_err(refused)?;
        let keys = self.keys_for(&token, &endpoints, now).await?;
        let (issuer, client_id, nonce) = (&*settings.issuer, &*settings.client_id, &*pending.nonce);
        let identity = token.verified(&keys, &Expected { issuer, client_id, nonce, now }).map_err(refused)?;
        Ok(self.completed(identity, answer["access_token"].as_str(), &endpoints).await)
    }
}

/// A request to the provider, with the value of the `Authorization` header.
enum Request {
    Read(Option<String>),
    Form(Vec<(&'static str, String)>, Option<String>),
}

type Answer = Result<Value, OidcFailure>;

/// Returns whether an address uses TLS or is on this machine.
pub fn is_safe(text: &str) -> bool {
    let Ok(url) = url::Url::parse(text) else { return false };
    let is_loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.has_host() && (url.scheme() == "https" || url.scheme() == "http" && is_loopback)
}

fn form_encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Begins a sign-in at the provider. `origin` is that of the server's pages.
///
/// # Errors
/// `NotFound` without a provider. The inner result has the reason why the sign-in cannot begin.
pub async fn begin(people: &People, origin: &str) -> Result<Result<Begun, OidcFailure>> {
    let oidc = people.state.oidc.as_ref().ok_or(Error::NotFound("OpenID provider"))?;
    let now = people.clock.now();
    let endpoints = match oidc.endpoints(now).await {
        Ok(endpoints) => endpoints,
        Err(failure) => return Ok(Err(failure)),
    };
    let random = || random_text(43).map_err(Error::internal);
    let redirect_uri = format!("{origin}/v2/session/oidc/callback");
    let pending = Pending { state: random()?, nonce: random()?, verifier: random()?, redirect_uri, began_us: now.us() };
    let clear = serde_json::to_vec(&pending).map_err(Error::internal)?;
    let cookie = URL_SAFE_NO_PAD.encode(seal(&people.pepper.people_key(), PURPOSE, &clear)?);
    let Ok(mut location) = url::Url::parse(&endpoints.authorization) else { return Ok(Err(OidcFailure::Failed)) };
    location
        .query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &oidc.settings.client_id)
        .append_pair("redirect_uri", &pending.redirect_uri)
        .append_pair("scope", "openid email profile")
        .append_pair("state", &pending.state)
        .append_pair("nonce", &pending.nonce)
        .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(Sha256::digest(&pending.verifier)))
        .append_pair("code_challenge_method", "S256");
    Ok(Ok(Begun { location: location.into(), cookie }))
}

/// Finishes a sign-in with the state and code that the provider gave the browser.
///
/// # Errors
/// `NotFound` without a provider, and when the database cannot be reached. The inner result has the
/// reason why nobody was signed in.
pub async fn finish(
    people: &People,
    cookie: Option<&str>,
    (state, code): (Option<&str>, Option<&str>),
    browser: &Browser,
) -> Result<Result<SignedIn, OidcFailure>> {
    let oidc = people.state.oidc.as_ref().ok_or(Error::NotFound("OpenID provider"))?;
    let now = people.clock.now();
    let Some(pending) = cookie.and_then(|cookie| opened(people, cookie)) else { return Ok(Err(OidcFailure::Expired)) };
    let is_same = state.is_some_and(|state| bool::from(state.as_bytes().ct_eq(pending.state.as_bytes())));
    let is_late = now.us().saturating_sub(pending.began_us) >= SIGN_IN_US;
    if !is_same || is_late {
        return Ok(Err(OidcFailure::Expired));
    }
    // Anybody can return without a code, as often as they like, so this is not recorded.
    let Some(code) = code else { return Ok(Err(OidcFailure::Failed)) };
    // Invented codes must not use up the requests to the provider that real sign-ins need.
    let throttle = &people.state.throttle;
    let device = browser.device.as_deref().filter(|token| is_device_of_anybody(people, token));
    let attempt = Attempt::at_provider(&browser.network, device);
    if throttle.begin(attempt, now).is_err() {
        tracing::info!(network = browser.network, "too many codes of the OpenID provider were wrong");
        return Ok(Err(OidcFailure::Busy));
    }
    if !oidc.finished.first(&pending.state, pending.began_us, now) {
        return Ok(Err(OidcFailure::Expired));
    }
    match oidc.identity(code, &pending, now).await {
        Ok(identity) => {
            throttle.succeeded(attempt);
            come_in(people, &oidc.settings, identity, browser).await
        }
        Err(failure) => {
            if failure == OidcFailure::Unavailable {
                throttle.not_judged(attempt);
            }
            Ok(Err(failure))
        }
    }
}

fn opened(people: &People, cookie: &str) -> Option<Pending> {
    let sealed = URL_SAFE_NO_PAD.decode(cookie).ok()?;
    serde_json::from_slice(&unseal(&people.pepper.people_key(), PURPOSE, &sealed).ok()?).ok()
}

/// Signs in the person whom the provider identified.
async fn come_in(
    people: &People,
    settings: &OidcSettings,
    identity: Identity,
    browser: &Browser,
) -> Result<Result<SignedIn, OidcFailure>> {
    let (acting, settings, browser) = (people.clone(), settings.clone(), browser.clone());
    let signed_in = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                lock_people(tx, None).await?;
                let Some((person, action)) = person_of(tx, &acting, &settings, &identity).await? else {
                    return Ok(None);
                };
                let new = NewSession::new(&acting, &person, "oidc", &browser)?;
                let signed_in = new.store(tx, person).await?;
                let person = &signed_in.session.person;
                let actor = super::sessions::actor_of(&signed_in.session);
                let act = Act::of(&actor, person.company_id, acting.clock.now());
                let after = json!({ "method": "oidc", "issuer": settings.issuer, "subject": identity.subject });
                act.made(tx, action, object("person", person.id, &person.name), after).await?;
                Ok(Some(signed_in))
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(signed_in.ok_or(OidcFailure::NotInvited))
}

/// Returns the person for an identity: one who signed in with it before, one who has the verified
/// e-mail address, or a new person of a domain that may join.
async fn person_of(
    tx: &mut dyn Tx,
    people: &People,
    settings: &OidcSettings,
    identity: &Identity,
) -> Result<Option<(Person, &'static str)>> {
    if let Some(person) = people::by_oidc(tx, &settings.issuer, &identity.subject).await? {
        return Ok(Some((person, "sign in")));
    }
    let Some(email) = &identity.email else { return Ok(None) };
    let oidc = Some((settings.issuer.clone(), identity.subject.clone()));
    if let Some(mut person) = people::by_email(tx, email).await? {
        // Another person at the provider had this address before: it must not give access to that account.
        if person.oidc.as_ref().is_some_and(|(issuer, _)| *issuer == settings.issuer) {
            return Ok(None);
        }
        person.oidc = oidc;
        people::update(tx, &person).await?;
        return Ok(Some((person, "link provider")));
    }
    let domain = email.rsplit('@').next().unwrap_or_default();
    if !settings.domains.iter().any(|known| known == domain) {
        return Ok(None);
    }
    let company_id = match &settings.company {
        Some(name) => tenants::company_named(tx, name).await?,
        None => match tenants::companies(tx).await?.as_slice() {
            [(id, _)] => Some(*id),
            _ => None,
        },
    };
    let Some(company_id) = company_id else {
        tracing::warn!("nobody can join by e-mail domain: oidc.company must name an existing company");
        return Ok(None);
    };
    lock_people(tx, Some(company_id)).await?;
    let now = people.clock.now();
    let invited = invitations::open_for(tx, company_id, email, now).await?;
    // A removed person stays out, even with the right domain, until somebody invites them.
    let subject = (&*settings.issuer, &*identity.subject);
    if invited.is_none() && people::was_removed(tx, company_id, email, subject).await? {
        tracing::info!("a removed person cannot join by e-mail domain; invite them to let them in again");
        return Ok(None);
    }
    check_room(tx, company_id, 0).await?;
    let access = match invited {
        // The invitation is used up.
        Some(invitation) => {
            invitations::take(tx, invitation.id).await?;
            invitation.access
        }
        None => Access { role: settings.role, projects: None },
    };
    let name = identity.name.clone().unwrap_or_else(|| email.split('@').next().unwrap_or_default().to_owned());
    let new = NewPerson { company_id, email: email.clone(), name, access, password: None, oidc };
    Ok(Some((people::insert(tx, &new, now).await?, "join")))
}

/// Parses the domain of e-mail addresses.
///
/// # Errors
/// A text that is not a domain.
pub fn domain(text: &str) -> std::result::Result<String, muriel_domain::Flaw> {
    let text = text.trim().trim_start_matches('@').to_lowercase();
    person::email(&format!("x@{text}")).map(|_| text)
}
