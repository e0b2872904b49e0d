//! API keys of a company.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use muriel_context::Context;
use muriel_context::actor::Actor;
use muriel_context::api_key::ApiKey;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_domain::access::{Grant, Scope, Scopes};
use muriel_domain::ids::{CompanyId, PersonId};
use muriel_domain::{Instant, Problems, text};
use muriel_sql::Tx;
use muriel_store::keys::{self, StoredKey};
use muriel_store::tenants::{self, Project};
use serde_json::{Value, json};

/// Maximum length of a key's name, in characters.
pub const NAME_MAX: usize = 255;

/// Most keys of a company that can be in use at once.
const KEYS_MAX: usize = 1_000;

/// Creates a key and returns it in plain text, which is available only now.
///
/// `name` says what the key is for, in its owner's words.
///
/// # Errors
/// `MissingScope` without the scope `admin`, too many keys, a system that provides no random bytes, and when the
/// database cannot be reached.
pub async fn create(context: &Context, actor: &Actor, name: String, grant: Grant) -> Result<ApiKey> {
    actor.require(Scope::Admin)?;
    let name = text::name(&name, NAME_MAX).map_err(|flaw| Problems::one("name", flaw.to_string()))?;
    let key = ApiKey::generate().map_err(Error::internal)?;
    let stored = StoredKey { created_by: actor.maker(), ..stored(context, &key, name, grant) };
    let (actor, company, now) = (actor.clone(), stored.grant.company_id, context.clock.now());
    context
        .write(company, move |tx| {
            Box::pin(async move {
                let in_use = keys::list(tx, company).await?.iter().filter(|key| key.grant.is_valid(now)).count();
                if in_use >= KEYS_MAX {
                    let message =
                        format!("cannot be accepted: the company already has {KEYS_MAX} valid keys; revoke one first");
                    return Err(Problems::one("body", message).into());
                }
                keys::insert(tx, &stored).await?;
                let after = audit_value(tx, &stored).await?;
                Act::of(&actor, company, now).made(tx, "create", object("key", &stored.id, &stored.name), after).await
            })
        })
        .await?;
    context.access_cache.invalidate();
    Ok(key)
}

/// Properties of a new key of a company.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Scopes that the key grants.
    pub scopes: Scopes,
    /// Keys of the projects that the key is limited to; `None` for all.
    pub projects: Option<Vec<String>>,
    /// Time of expiry.
    pub expires_at: Option<Instant>,
}

/// Like [`create`], limited to projects that are named by their keys.
///
/// # Errors
/// Same as [`create`], and projects that the company does not have.
pub async fn create_in(
    context: &Context,
    actor: &Actor,
    company: CompanyId,
    name: String,
    wanted: Wanted,
) -> Result<ApiKey> {
    actor.require(Scope::Admin)?;
    let Wanted { scopes, projects, expires_at } = wanted;
    let projects = match projects {
        None => None,
        Some(named) => {
            let all =
                context.read(move |tx| Box::pin(async move { Ok(tenants::projects_of(tx, company).await?) })).await?;
            let mut problems = Problems::default();
            let mut ids = Vec::with_capacity(named.len());
            for (index, key) in named.iter().enumerate() {
                match all.iter().find(|project| project.key == *key) {
                    Some(project) => ids.push(project.id),
                    None => {
                        problems.add(format!("projects[{index}]"), "must be the key of one of the company's projects");
                    }
                }
            }
            Some(problems.none_or(ids)?)
        }
    };
    let grant = Grant { company_id: company, projects, scopes, expires_at, revoked_at: None };
    create(context, actor, name, grant).await
}

/// The audit log's fields of a key.
async fn audit_value(tx: &mut dyn Tx, key: &StoredKey) -> Result<Value> {
    let projects = match &key.grant.projects {
        None => None,
        Some(limited) => {
            let all = tenants::projects_of(tx, key.grant.company_id).await?;
            let named = all.into_iter().filter(|project| limited.contains(&project.id));
            Some(named.map(|project| project.key).collect::<Vec<_>>())
        }
    };
    Ok(json!({
        "name": key.name,
        "scopes": key.grant.scopes.to_string(),
        "projects": projects,
        "expires_at": key.grant.expires_at,
    }))
}

/// Builds the stored form of a key, which has its MAC but not the key itself.
pub fn stored(context: &Context, key: &ApiKey, name: String, grant: Grant) -> StoredKey {
    let (mac, created_at) = (context.pepper.mac_of(key).to_vec(), context.clock.now());
    StoredKey { id: key.id().to_owned(), name, mac, grant, created_by: None, created_at, last_used_at: None }
}

/// Revokes the key with this id. A key that was revoked before keeps its time. With `company`, the key
/// has to belong to that company.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `NotFound`, and when the database cannot be reached.
pub async fn revoke(context: &Context, actor: &Actor, company: Option<CompanyId>, key_id: &str) -> Result<()> {
    actor.require(Scope::Admin)?;
    let (actor, key_id, now) = (actor.clone(), key_id.to_owned(), context.clock.now());
    // No list of experiments depends on the key: it is refused before any list is read.
    context
        .db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let found = keys::find(tx, &key_id).await?;
                let found = found.filter(|key| company.is_none_or(|company| company == key.grant.company_id));
                let key = found.ok_or(Error::NotFound("key"))?;
                if key.grant.revoked_at.is_some() {
                    return Ok(());
                }
                keys::revoke(tx, &key_id, now).await?;
                let before = audit_value(tx, &key).await?;
                let act = Act::of(&actor, key.grant.company_id, now);
                act.removed(tx, "revoke", object("key", &key.id, &key.name), before).await
            })
        })
        .await?;
    context.access_cache.invalidate();
    Ok(())
}

/// Revokes the keys that a person has created. Returns id and name of those that were in use.
pub(crate) async fn revoke_of(
    tx: &mut dyn Tx,
    actor: &Actor,
    company: CompanyId,
    maker: PersonId,
    now: Instant,
) -> Result<Vec<(String, String)>> {
    let mut revoked = Vec::new();
    for key in keys::list(tx, company).await? {
        if key.created_by == Some(maker) && key.grant.is_valid(now) {
            keys::revoke(tx, &key.id, now).await?;
            let before = audit_value(tx, &key).await?;
            Act::of(actor, company, now).removed(tx, "revoke", object("key", &key.id, &key.name), before).await?;
            revoked.push((key.id, key.name));
        }
    }
    Ok(revoked)
}

/// Returns a company's keys, oldest first, and its projects, from one snapshot.
pub async fn list(context: &Context, company: CompanyId) -> Result<(Vec<StoredKey>, Vec<Project>)> {
    context
        .read(move |tx| {
            Box::pin(async move { Ok((keys::list(tx, company).await?, tenants::projects_of(tx, company).await?)) })
        })
        .await
}
