//! Sign-in with passkeys, which replace password and code.
//!
//! A challenge is a text with the server's MAC, so that nothing is stored for ceremonies that are never
//! finished. A challenge that was answered is remembered for as long as it could be answered again.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::sessions::{actor_of, check_again, record_refused};
use super::used_once::UsedOnce;
use super::webauthn::{Ceremony, Read};
use super::{Browser, NewSession, SignedIn};
use crate::People;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use muriel_context::access_cache::KnownSession;
use muriel_context::api_key::random_text;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_domain::Problems;
use muriel_domain::ids::PasskeyId;
use muriel_store::passkeys::{self, PASSKEYS_MAX, Passkey};
use muriel_store::people;
use serde_json::{Value, json};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Lifetime of a challenge.
const ANSWER_US: i64 = 300_000_000;

/// Creates the memory of answered challenges.
pub(super) fn answered() -> UsedOnce {
    UsedOnce::new(ANSWER_US)
}

fn mac(people: &People, purpose: &str, body: &str) -> String {
    muriel_context::digest::hex(&people.pepper.people_mac("passkey", &format!("{purpose} {body}"))[..16])
}

/// Creates a challenge for a purpose, in the form that is sent.
fn challenge(people: &People, purpose: &str) -> Result<String> {
    let body = format!("{}.{}", people.clock.now().us(), random_text(22).map_err(Error::internal)?);
    let mac = mac(people, purpose, &body);
    Ok(URL_SAFE_NO_PAD.encode(format!("{body}.{mac}")))
}

/// Returns when the server made this challenge for this purpose; `None` for any other text.
fn made_us(people: &People, purpose: &str, sent: &str) -> Option<i64> {
    let text = URL_SAFE_NO_PAD.decode(sent).ok().and_then(|bytes| String::from_utf8(bytes).ok())?;
    let (body, given) = text.rsplit_once('.')?;
    let is_ours = bool::from(mac(people, purpose, body).as_bytes().ct_eq(given.as_bytes()));
    body.split('.').next().and_then(|moment| moment.parse().ok()).filter(|_| is_ours)
}

/// Marks a challenge as used. Returns whether it is a challenge of this server for this purpose that
/// has neither expired nor been answered. Call it once the answer is known to be valid, so that
/// invented answers are not remembered.
fn use_up(people: &People, purpose: &str, sent: &str) -> bool {
    made_us(people, purpose, sent).is_some_and(|made_us| people.state.answered.first(sent, made_us, people.clock.now()))
}

/// Returns the host of an origin, which passkeys are bound to.
///
/// # Errors
/// An IP address: browsers make passkeys for host names only.
fn host(origin: &str) -> Result<String> {
    match url::Url::parse(origin).ok().as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => Ok(name.to_owned()),
        _ => {
            let message = "cannot be used at an IP address; open the server at a host name, such as localhost";
            Err(Problems::one("credential", message).into())
        }
    }
}

fn new_purpose(session: &KnownSession) -> String {
    format!("create {}", session.session.id)
}

const SIGN_IN: &str = "get";

/// Returns the browser's options for a new passkey, in the form of `PublicKeyCredentialCreationOptionsJSON`.
///
/// # Errors
/// A wrong current `password`, `Throttled`, an IP address in place of a host name, and when the database cannot be
/// reached.
pub async fn creation_options(
    people: &People,
    session: &Arc<KnownSession>,
    password: Option<String>,
    origin: &str,
) -> Result<Value> {
    check_again(people, session, password, "password").await?;
    let (rp_id, person) = (host(origin)?, session.person.clone());
    let id = person.id;
    let known = people.read(move |tx| Box::pin(async move { Ok(passkeys::list(tx, id).await?) })).await?;
    let known = known.iter().map(|key| json!({ "type": "public-key", "id": URL_SAFE_NO_PAD.encode(&key.credential) }));
    // EdDSA, ES256 and RS256.
    let kinds = [-8, -7, -257].map(|alg| json!({ "type": "public-key", "alg": alg }));
    // A different value for each person, which reveals nothing about them.
    let handle = people.pepper.people_mac("user handle", &id.to_string());
    Ok(json!({
        "rp": { "id": rp_id, "name": "Muriel" },
        "user": { "id": URL_SAFE_NO_PAD.encode(&handle[..16]), "name": person.email, "displayName": person.name },
        "challenge": challenge(people, &new_purpose(session))?,
        "pubKeyCredParams": kinds,
        "timeout": ANSWER_US / 1_000,
        "excludeCredentials": known.collect::<Vec<_>>(),
        "authenticatorSelection": { "residentKey": "required", "requireResidentKey": true, "userVerification": "required" },
        "attestation": "none",
    }))
}

/// Enrols a passkey that the browser has created.
///
/// # Errors
/// A credential that is invalid or already enrolled; too many passkeys; and when the database cannot be reached.
pub async fn enrol(
    people: &People,
    session: &Arc<KnownSession>,
    name: String,
    credential: &Value,
    origin: &str,
) -> Result<Passkey> {
    let wrong = |why: &str| Problems::one("credential", why);
    let rp_id = host(origin)?;
    let read = Read::of(credential).map_err(wrong)?;
    let made = read.registered(&Ceremony { origin, rp_id: &rp_id }).map_err(wrong)?;
    if !use_up(people, &new_purpose(session), read.challenge()) {
        return Err(wrong("does not answer an open challenge; start again").into());
    }
    let (actor, session, now) = (actor_of(session), session.clone(), people.clock.now());
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let person = &session.person;
                muriel_store::lock_people(tx, Some(person.company_id)).await?;
                if passkeys::list(tx, person.id).await?.len() >= PASSKEYS_MAX {
                    let message =
                        format!("cannot be accepted: there are already {PASSKEYS_MAX} passkeys; remove one first");
                    return Err(Problems::one("credential", message).into());
                }
                if passkeys::find(tx, &made.id).await?.is_some() {
                    return Err(Problems::one("credential", "is already enrolled").into());
                }
                let mut passkey = Passkey {
                    id: PasskeyId(0),
                    person: person.id,
                    name,
                    credential: made.id,
                    key: made.key,
                    count: made.count.into(),
                    created_at: now,
                    last_used_at: None,
                };
                passkey.id = passkeys::insert(tx, &passkey).await?;
                let act = Act::of(&actor, person.company_id, now);
                let after = json!({ "passkey": passkey.name });
                act.made(tx, "enrol passkey", object("person", person.id, &person.name), after).await?;
                Ok(passkey)
            })
        })
        .await
}

/// Returns the person's passkeys, oldest first.
pub async fn list(people: &People, session: &KnownSession) -> Result<Vec<Passkey>> {
    let id = session.person.id;
    people.read(move |tx| Box::pin(async move { Ok(passkeys::list(tx, id).await?) })).await
}

/// Removes one of the person's passkeys.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn remove(people: &People, session: &Arc<KnownSession>, id: PasskeyId) -> Result<()> {
    let (actor, session, now) = (actor_of(session), session.clone(), people.clock.now());
    people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let person = &session.person;
                let name = passkeys::remove(tx, person.id, id).await?.ok_or(Error::NotFound("passkey"))?;
                let act = Act::of(&actor, person.company_id, now);
                let before = json!({ "passkey": name });
                act.removed(tx, "remove passkey", object("person", person.id, &person.name), before).await
            })
        })
        .await
}

/// Returns the browser's options for a sign-in with a passkey, in the form of
/// `PublicKeyCredentialRequestOptionsJSON`. They do not reveal who has an account: the device knows its
/// passkeys.
///
/// # Errors
/// An IP address in place of a host name.
pub fn request_options(people: &People, origin: &str) -> Result<Value> {
    Ok(json!({
        "rpId": host(origin)?,
        "challenge": challenge(people, SIGN_IN)?,
        "timeout": ANSWER_US / 1_000,
        "userVerification": "required",
        "allowCredentials": [],
    }))
}

/// Signs in a person with a passkey.
///
/// # Errors
/// `SignInFailed` for a credential that is unknown or invalid, and when the database cannot be reached.
pub async fn sign_in(people: &People, credential: &Value, origin: &str, browser: &Browser) -> Result<SignedIn> {
    let refused = |why: &'static str| {
        tracing::info!(network = browser.network, why, "a sign-in with a passkey failed");
        Error::SignInFailed
    };
    let rp_id = host(origin)?;
    let read = Read::of(credential).map_err(refused)?;
    if made_us(people, SIGN_IN, read.challenge()).is_none() {
        return Err(refused("it does not answer a challenge of this server"));
    }
    let id = read.id().map_err(refused)?;
    let found = people
        .read(move |tx| {
            Box::pin(async move {
                let Some(passkey) = passkeys::find(tx, &id).await? else { return Ok(None) };
                let person = people::find(tx, passkey.person).await?;
                Ok(person.map(|person| (passkey, person)))
            })
        })
        .await?;
    let (passkey, person) = found.ok_or_else(|| refused("the passkey is not known"))?;
    let count = read.asserted(&Ceremony { origin, rp_id: &rp_id }, &passkey.key).map_err(refused)?;
    if !use_up(people, SIGN_IN, read.challenge()) {
        return Err(refused("it does not answer an open challenge"));
    }
    let new = NewSession::new(people, &person, "passkey", browser)?;
    let (acting, now, network) = (people.clone(), people.clock.now(), browser.network.clone());
    let signed_in = people
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let person = people::find(tx, person.id).await?.ok_or(Error::SignInFailed)?;
                // A use count that does not increase indicates a copied passkey.
                if !passkeys::used(tx, passkey.id, count.into(), now).await? {
                    let how = json!({ "method": "passkey", "passkey": passkey.name, "network": network });
                    record_refused(tx, &acting, &person, how).await?;
                    return Ok(None);
                }
                let signed_in = new.store(tx, person).await?;
                let session = &signed_in.session;
                let actor = actor_of(session);
                let after = json!({ "method": "passkey", "passkey": passkey.name, "network": session.session.network });
                let thing = object("session", session.session.id, &session.person.name);
                Act::of(&actor, session.person.company_id, now).made(tx, "sign in", thing, after).await?;
                Ok(Some(signed_in))
            })
        })
        .await?;
    let signed_in =
        signed_in.ok_or_else(|| refused("its use count did not increase, so it is a copy, or it was removed"))?;
    people.access_cache.invalidate();
    Ok(signed_in)
}
