//! Sign-in, sign-out, and a person's own password, sessions and authenticator.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::passwords::Turn;
use super::throttle::Attempt;
use super::{Browser, NewSession, SignedIn, is_device_of, totp};
use crate::People;
use muriel_context::access_cache::KnownSession;
use muriel_context::actor::{Actor, PersonActor};
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::sealed::{seal, unseal};
use muriel_domain::ids::SessionId;
use muriel_domain::person;
use muriel_domain::time::DAY_US;
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::people::{self, Person};
use muriel_store::sessions::{self, Session};
use muriel_store::{audit, invitations};
use serde_json::{Value, json};
use std::sync::Arc;

/// Recovery codes issued with an authenticator.
const RECOVERY_CODES: usize = 10;
/// Characters of a recovery code: 59 random bits.
const RECOVERY_LEN: usize = 10;

/// Maximum age of refused second factors that are shown to their person, and their maximum number.
const REFUSED_SHOWN_US: i64 = 30 * DAY_US;
const REFUSED_SHOWN_MAX: i64 = 20;

/// A sign-in request.
#[derive(Clone)]
pub struct SignIn {
    /// The e-mail address, in lower case.
    pub email: String,
    /// The password.
    pub password: String,
    /// Code of the authenticator, or a recovery code.
    pub code: Option<String>,
}

/// Signs in a person.
///
/// # Errors
/// `Throttled`; `SignInFailed` for an unknown address, a wrong password and a wrong code; `TotpNeeded`; and when the
/// database cannot be reached.
pub async fn sign_in(people: &People, sign_in: SignIn, browser: &Browser) -> Result<SignedIn> {
    let SignIn { email, password, code } = sign_in;
    let device = browser.device.as_deref().filter(|token| is_device_of(people, &email, token));
    let attempt = Attempt::password(&email, &browser.network, device);
    let throttle = &people.state.throttle;
    throttle.begin(attempt, people.clock.now()).map_err(|retry_after_s| Error::Throttled { retry_after_s })?;
    let wanted = email.clone();
    let found = people.read(move |tx| Box::pin(async move { Ok(people::by_email(tx, &wanted).await?) })).await;
    let (found, turn) = match found {
        Ok(found) => (found, if device.is_some() { Turn::Known } else { Turn::Unknown }),
        Err(error) => {
            throttle.not_judged(attempt);
            return Err(error);
        }
    };
    let stored = found.as_ref().and_then(|person| person.password.clone());
    let passwords = &people.state.passwords;
    let verdict = match passwords.verify(password.clone(), stored, turn).await {
        Ok(verdict) => verdict,
        Err(error) => {
            throttle.not_judged(attempt);
            return Err(error);
        }
    };
    let Some(person) = found.filter(|_| verdict.fits) else {
        tracing::info!(network = browser.network, "a sign-in failed");
        return Err(Error::SignInFailed);
    };
    let has_second_factor = person.totp.is_some();
    if has_second_factor {
        // The password is right. Codes are counted separately, so that a right password does not undo
        // attempts at a code.
        throttle.succeeded(attempt);
        if code.is_none() {
            return Err(Error::TotpNeeded);
        }
        let begun = people.state.second_factors.begin(attempt.second_factor(), people.clock.now());
        begun.map_err(|retry_after_s| Error::Throttled { retry_after_s })?;
    }
    let rehashed = match verdict.is_outdated {
        true => Some(passwords.hash(password, turn).await?),
        false => None,
    };
    let (acting, new) = (people.clone(), NewSession::new(people, &person, "password", browser)?);
    let network = browser.network.clone();
    let signed_in = people.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            // The person was removed, or has another password, since the first read.
            let current = people::find(tx, person.id).await?.filter(|now| now.password == person.password);
            let mut current = current.ok_or(Error::SignInFailed)?;
            if current.totp.is_some()
                && !second_factor(tx, &acting, &current, code.as_deref().unwrap_or_default()).await?
            {
                let method = "password and code";
                record_refused(tx, &acting, &current, json!({ "method": method, "network": network })).await?;
                return Ok(None);
            }
            if let Some(hash) = rehashed {
                current.password = Some(hash);
                people::update(tx, &current).await?;
            }
            let signed_in = new.store(tx, current).await?;
            record(tx, &acting, &signed_in.session, "sign in").await?;
            Ok(Some(signed_in))
        })
    });
    let Some(signed_in) = signed_in.await? else {
        tracing::warn!(network = browser.network, email, "a second factor was refused after the right password");
        return Err(Error::SignInFailed);
    };
    match has_second_factor {
        true => people.state.second_factors.succeeded(attempt.second_factor()),
        false => throttle.succeeded(attempt),
    }
    people.access_cache.invalidate();
    Ok(signed_in)
}

/// Name of the action in the audit log.
const SECOND_FACTOR_REFUSED: &str = "second factor refused";

/// Records that a person's second factor was wrong. Nobody is signed in, so the server is the actor.
pub(super) async fn record_refused(tx: &mut dyn Tx, people: &People, person: &Person, how: Value) -> Result<()> {
    let act = Act::of(&Actor::System("sign-in"), person.company_id, people.clock.now());
    act.made(tx, SECOND_FACTOR_REFUSED, object("person", person.id, &person.name), how).await
}

/// Records an act of a person on their own session.
async fn record(tx: &mut dyn Tx, people: &People, session: &Arc<KnownSession>, action: &str) -> Result<()> {
    let actor = actor_of(session);
    let act = Act::of(&actor, session.person.company_id, people.clock.now());
    let stored = &session.session;
    let after = json!({ "method": stored.method, "network": stored.network, "user_agent": stored.user_agent });
    act.made(tx, action, object("session", stored.id, &session.person.name), after).await
}

/// Creates the actor for a person who acts on their own account.
pub(super) fn actor_of(session: &Arc<KnownSession>) -> Actor {
    let role = session.person.access.role;
    Actor::Person(PersonActor { session: session.clone(), role, scopes: role.scopes(false) })
}

/// Returns whether a code is one of the person's authenticator, or a recovery code; either works once.
async fn second_factor(tx: &mut dyn Tx, people: &People, person: &Person, code: &str) -> Result<bool> {
    let Some(sealed) = &person.totp else { return Ok(false) };
    let secret = unseal(&people.pepper.people_key(), &purpose(person), sealed)?;
    if let Some(step) = totp::matching_step(&secret, code, people.clock.now(), person.totp_step) {
        return Ok(people::totp_use(tx, person.id, step).await?);
    }
    let code = normalised(code);
    Ok(code.len() == RECOVERY_LEN
        && people::recovery_code_use(tx, person.id, &recovery_mac(people, person, &code)).await?)
}

/// Purpose under which the secret of a person's authenticator is encrypted.
fn purpose(person: &Person) -> String {
    format!("totp {}", person.id)
}

fn recovery_mac(people: &People, person: &Person, code: &str) -> [u8; 32] {
    people.pepper.people_mac("recovery", &format!("{} {code}", person.id))
}

/// Removes separators from a recovery code.
fn normalised(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphanumeric()).take(RECOVERY_LEN + 1).collect()
}

/// Ends the session.
pub async fn sign_out(people: &People, session: &Arc<KnownSession>) -> Result<()> {
    let (acting, session) = (people.clone(), session.clone());
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                if sessions::revoke(tx, session.person.id, session.session.id).await? {
                    record(tx, &acting, &session, "sign out").await?;
                }
                Ok(())
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(())
}

/// Returns the person's sessions that have not expired, latest sign-in first.
pub async fn list(people: &People, session: &KnownSession) -> Result<Vec<Session>> {
    // Recent uses must be included.
    people.access_cache.flush().await?;
    let (person, now) = (session.person.id, people.clock.now());
    let mut all = people.read(move |tx| Box::pin(async move { Ok(sessions::list(tx, person).await?) })).await?;
    all.retain(|session| now < expires_at(session));
    Ok(all)
}

/// A wrong second factor after the right password: somebody else may know the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedSecondFactor {
    /// Time of the attempt.
    pub at: Instant,
    /// Method of the attempt: `password and code` or `passkey`.
    pub method: String,
    /// Network of the attempt.
    pub network: String,
}

/// Returns the person's wrong second factors within the last 30 days, newest first.
pub async fn refused(people: &People, session: &KnownSession) -> Result<Vec<RefusedSecondFactor>> {
    let (person, company) = (session.person.id.to_string(), session.person.company_id);
    let from = people.clock.now().plus_us(-REFUSED_SHOWN_US);
    let found = people
        .read(move |tx| {
            Box::pin(async move {
                let action = (SECOND_FACTOR_REFUSED, from);
                Ok(audit::of_action(tx, company, ("person", &person), action, REFUSED_SHOWN_MAX).await?)
            })
        })
        .await?;
    let refused = found.into_iter().map(|entry| {
        let after = entry.after.unwrap_or_default();
        let text = |name: &str| after[name].as_str().unwrap_or_default().to_owned();
        RefusedSecondFactor { at: entry.at, method: text("method"), network: text("network") }
    });
    Ok(refused.collect())
}

/// Moment at which a session ends unless it is used again.
pub fn expires_at(session: &Session) -> muriel_domain::Instant {
    let idle = session.last_seen_at.plus_us(muriel_context::access_cache::SESSION_IDLE_US);
    idle.min(session.created_at.plus_us(muriel_context::access_cache::SESSION_MAX_US))
}

/// Ends one of the person's sessions.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn revoke(people: &People, session: &Arc<KnownSession>, id: SessionId) -> Result<()> {
    let (actor, session, now) = (actor_of(session), session.clone(), people.clock.now());
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                if !sessions::revoke(tx, session.person.id, id).await? {
                    return Err(Error::NotFound("session"));
                }
                let act = Act::of(&actor, session.person.company_id, now);
                act.record(tx, "revoke", object("session", id, &session.person.name), None, None).await
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(())
}

/// Ends all of the person's sessions but this one. Returns how many were ended.
pub async fn revoke_others(people: &People, session: &Arc<KnownSession>) -> Result<i64> {
    let (actor, session, now) = (actor_of(session), session.clone(), people.clock.now());
    let gone = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let gone = sessions::revoke_all(tx, session.person.id, Some(session.session.id)).await?;
                let act = Act::of(&actor, session.person.company_id, now);
                let after = json!({ "revoked": gone });
                act.made(tx, "revoke others", object("person", session.person.id, &session.person.name), after).await?;
                Ok(gone)
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(gone)
}

/// Checks the current password of a signed-in person. A person without a password needs none.
pub(super) async fn check_again(
    people: &People,
    session: &KnownSession,
    password: Option<String>,
    field: &str,
) -> Result<()> {
    let Some(stored) = session.person.password.clone() else { return Ok(()) };
    let password = password.ok_or_else(|| Problems::one(field, "is required: the current password"))?;
    // The attempts are limited, so that a stolen session does not help to guess the password.
    let device = format!("session {}", session.session.id);
    let attempt = Attempt::password(&session.person.email, "", Some(&device));
    let throttle = &people.state.throttle;
    throttle.begin(attempt, people.clock.now()).map_err(|retry_after_s| Error::Throttled { retry_after_s })?;
    if !people.state.passwords.verify(password, Some(stored), Turn::Known).await?.fits {
        return Err(Problems::one(field, "is not the current password").into());
    }
    throttle.succeeded(attempt);
    Ok(())
}

/// Changes the person's own password, and ends all other sessions. Returns how many were ended.
///
/// # Errors
/// A `new` password that is guessable, a wrong `current` password, `Throttled`, and when the database
/// cannot be reached.
pub async fn change_password(
    people: &People,
    session: &Arc<KnownSession>,
    current: Option<String>,
    new: String,
) -> Result<i64> {
    let person = &session.person;
    let new = new_password("password", &new, &[&person.email, &person.name])?;
    check_again(people, session, current, "current").await?;
    let hash = people.state.passwords.hash(new, Turn::Known).await?;
    let had_password = session.person.password.is_some();
    change_own(people, session, "password", move |person| {
        person.password = Some(hash);
        (json!({ "has_password": had_password }), json!({ "has_password": true }))
    })
    .await
}

/// Changes the person's own sign-in data, and ends all other sessions. `change` returns the audit log's
/// fields before and after.
async fn change_own(
    people: &People,
    session: &Arc<KnownSession>,
    action: &'static str,
    change: impl FnOnce(&mut Person) -> (serde_json::Value, serde_json::Value) + Send + 'static,
) -> Result<i64> {
    let (actor, session, now) = (actor_of(session), session.clone(), people.clock.now());
    let gone = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let known = &session.person;
                muriel_store::lock_people(tx, Some(known.company_id)).await?;
                let current = people::find(tx, known.id).await?.filter(|now| now.password == known.password);
                let mut current = current.ok_or(Error::Unauthorized)?;
                let (before, after) = change(&mut current);
                people::update(tx, &current).await?;
                // A link made before would replace the new password.
                invitations::withdraw_resets(tx, known.id, now).await?;
                let gone = sessions::revoke_all(tx, known.id, Some(session.session.id)).await?;
                let act = Act::of(&actor, known.company_id, now);
                act.record(
                    tx,
                    action,
                    object("person", known.id, &known.name),
                    before.as_object().cloned(),
                    after.as_object().cloned(),
                )
                .await?;
                Ok(gone)
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(gone)
}

/// Creates a secret for an authenticator. Returns it in base 32, and as the URI that authenticators read.
///
/// # Errors
/// A wrong current `password`, `Throttled`, and when the database cannot be reached.
pub async fn begin_totp(
    people: &People,
    session: &Arc<KnownSession>,
    password: Option<String>,
) -> Result<(String, String)> {
    check_again(people, session, password, "password").await?;
    let mut secret = [0; totp::SECRET_LEN];
    getrandom::fill(&mut secret).map_err(|error| Error::internal(error.to_string()))?;
    let sealed = seal(&people.pepper.people_key(), &purpose(&session.person), &secret)?;
    let id = session.person.id;
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let mut person = people::find(tx, id).await?.ok_or(Error::Unauthorized)?;
                person.totp_pending = Some(sealed);
                Ok(people::update(tx, &person).await?)
            })
        })
        .await?;
    people.access_cache.invalidate();
    let secret = totp::base32(&secret);
    let uri = totp::uri(&secret, &session.person.email);
    Ok((secret, uri))
}

/// Enrols the authenticator with the most recent secret, and ends all other sessions. Returns the recovery codes.
///
/// # Errors
/// No pending secret, a wrong code, `Throttled`, and when the database cannot be reached.
pub async fn confirm_totp(people: &People, session: &Arc<KnownSession>, code: &str) -> Result<Vec<String>> {
    let known = &session.person;
    let device = format!("totp {}", session.session.id);
    let attempt = Attempt::password(&known.email, "", Some(&device));
    let throttle = &people.state.throttle;
    throttle.begin(attempt, people.clock.now()).map_err(|retry_after_s| Error::Throttled { retry_after_s })?;
    let codes = (0..RECOVERY_CODES)
        .map(|_| muriel_context::api_key::random_text(RECOVERY_LEN).map_err(Error::internal))
        .collect::<Result<Vec<_>>>()?;
    let macs: Vec<_> = codes.iter().map(|code| recovery_mac(people, known, code)).collect();
    let (acting, actor, session, code) = (people.clone(), actor_of(session), session.clone(), code.to_owned());
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let (id, company) = (session.person.id, session.person.company_id);
                muriel_store::lock_people(tx, Some(company)).await?;
                let mut person = people::find(tx, id).await?.ok_or(Error::Unauthorized)?;
                let Some(sealed) = person.totp_pending.take() else {
                    let message = "no authenticator is waiting for its first code; create a secret first";
                    return Err(Error::conflict(ConflictCode::TotpNotBegun, message));
                };
                let secret = unseal(&acting.pepper.people_key(), &purpose(&person), &sealed)?;
                let now = acting.clock.now();
                let step = totp::matching_step(&secret, &code, now, 0)
                    .ok_or_else(|| Problems::one("code", "is not the current code of the authenticator"))?;
                let had = person.totp.is_some();
                person.totp = Some(sealed);
                people::update(tx, &person).await?;
                people::totp_use(tx, id, step).await?;
                people::recovery_codes_set(tx, id, &macs).await?;
                sessions::revoke_all(tx, id, Some(session.session.id)).await?;
                let act = Act::of(&actor, company, now);
                let (before, after) = (json!({ "has_totp": had }), json!({ "has_totp": true }));
                act.record(
                    tx,
                    "enrol authenticator",
                    object("person", id, &person.name),
                    before.as_object().cloned(),
                    after.as_object().cloned(),
                )
                .await
            })
        })
        .await?;
    throttle.succeeded(attempt);
    people.access_cache.invalidate();
    Ok(codes)
}

/// Removes the person's own authenticator and recovery codes. Returns whether there was an authenticator.
///
/// # Errors
/// A wrong current `password`, `Throttled`, and when the database cannot be reached.
pub async fn remove_totp(people: &People, session: &Arc<KnownSession>, password: Option<String>) -> Result<bool> {
    check_again(people, session, password, "password").await?;
    let (actor, session, now) = (actor_of(session), session.clone(), people.clock.now());
    let removed = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                muriel_store::lock_people(tx, Some(session.person.company_id)).await?;
                let mut person = people::find(tx, session.person.id).await?.ok_or(Error::Unauthorized)?;
                let had = person.totp.take().is_some();
                person.totp_pending = None;
                people::update(tx, &person).await?;
                people::recovery_codes_set(tx, person.id, &[]).await?;
                let act = Act::of(&actor, person.company_id, now);
                let (before, after) = (json!({ "has_totp": had }), json!({ "has_totp": false }));
                act.changed(tx, "remove authenticator", object("person", person.id, &person.name), before, after)
                    .await?;
                Ok(had)
            })
        })
        .await?;
    people.access_cache.invalidate();
    Ok(removed)
}

/// Parses a new password that was sent in `field`.
///
/// # Errors
/// A password that is too short, too long or guessable, or is the person's own address or name.
pub(super) fn new_password(field: &str, password: &str, about: &[&str]) -> Result<String, Problems> {
    let flaw = |message: String| Problems::one(field, message);
    let good = person::password(password).map_err(|error| flaw(error.to_string()))?;
    let folded = good.to_lowercase();
    if about.iter().any(|about| about.chars().count() > 3 && folded == about.to_lowercase()) {
        return Err(flaw("must not be the person's own name or address".to_owned()));
    }
    Ok(good)
}
