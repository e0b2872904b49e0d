//! API keys of a company.

use crate::actor::Actor;
use crate::api_key::ApiKey;
use crate::app::App;
use crate::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::access::{Grant, Scope};
use muriel_domain::ids::CompanyId;
use muriel_store::keys::{self, StoredKey};
use muriel_store::tenants::{self, Project};

/// Creates a key and returns it in clear, which is the only time that it is known.
///
/// `name` says what the key is for, in its owner's words.
///
/// # Errors
/// `MissingScope` without the scope `admin`, a system that gives no random bytes, and when the
/// database cannot be reached.
pub async fn create(app: &App, actor: &Actor, name: String, grant: Grant) -> Result<ApiKey> {
    actor.require(Scope::Admin)?;
    let key = ApiKey::generate().map_err(Error::internal)?;
    let stored = stored(app, &key, name, grant);
    app.write(stored.grant.company_id, move |tx| Box::pin(async move { Ok(keys::insert(tx, &stored).await?) })).await?;
    app.access_cache.invalidate();
    Ok(key)
}

/// A key as it is stored: its MAC, never itself.
pub(crate) fn stored(app: &App, key: &ApiKey, name: String, grant: Grant) -> StoredKey {
    let (mac, created_at) = (app.pepper.mac_of(key).to_vec(), app.clock.now());
    StoredKey { id: key.id().to_owned(), name, mac, grant, created_at, last_used_at: None }
}

/// Refuses the key with this id from now on. A key that was revoked before keeps its moment.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `NotFound`, and when the database cannot be reached.
pub async fn revoke(app: &App, actor: &Actor, key_id: &str) -> Result<()> {
    actor.require(Scope::Admin)?;
    let (key_id, now): (String, Instant) = (key_id.to_owned(), app.clock.now());
    // No list of experiments depends on a key that is refused before it is looked up.
    let found = app
        .db
        .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(keys::revoke(tx, &key_id, now).await?) }))
        .await?;
    app.access_cache.invalidate();
    if found { Ok(()) } else { Err(Error::NotFound("key")) }
}

/// A company's keys, oldest first, and its projects, as of one moment.
///
/// # Errors
/// When the database cannot be reached.
pub async fn list(app: &App, company: CompanyId) -> Result<(Vec<StoredKey>, Vec<Project>)> {
    app.read(move |tx| {
        Box::pin(async move { Ok((keys::list(tx, company).await?, tenants::projects_of(tx, company).await?)) })
    })
    .await
}
