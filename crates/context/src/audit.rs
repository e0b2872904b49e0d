//! The audit log: entries that acts write, and how they are read.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::actor::Actor;
use crate::context::Context;
use crate::error::Result;
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_sql::Tx;
use muriel_store::audit::{self, Entry, Filter, NewEntry, ObjectRecord, Verified};
use muriel_store::people;
use muriel_store::tenants::{self, Project};
use serde_json::{Map, Value};

/// An act that the audit log records, in the transaction that performs it.
pub struct Act<'a> {
    /// Actor of the act.
    pub actor: &'a Actor,
    /// Company in which the act is performed.
    pub company: CompanyId,
    /// Project in which the act is performed; `None` for an act in the whole company.
    pub project: Option<ProjectId>,
    /// Time of the act.
    pub now: Instant,
}

impl<'a> Act<'a> {
    /// Creates an act in a project.
    pub fn within(actor: &'a Actor, project: &Project, now: Instant) -> Self {
        Self { actor, company: project.company_id, project: Some(project.id), now }
    }

    /// Creates an act in a company.
    pub fn of(actor: &'a Actor, company: CompanyId, now: Instant) -> Self {
        Self { actor, company, project: None, now }
    }

    /// Records the creation of an object.
    pub async fn made(&self, tx: &mut dyn Tx, action: &str, object: ObjectRecord, after: Value) -> Result<()> {
        self.record(tx, action, object, None, fields(after)).await
    }

    /// Records the removal of an object.
    pub async fn removed(&self, tx: &mut dyn Tx, action: &str, object: ObjectRecord, before: Value) -> Result<()> {
        self.record(tx, action, object, fields(before), None).await
    }

    /// Records a change: the fields that differ. Records nothing when no field differs.
    pub async fn changed(
        &self,
        tx: &mut dyn Tx,
        action: &str,
        object: ObjectRecord,
        before: Value,
        after: Value,
    ) -> Result<()> {
        let (Some(mut before), Some(mut after)) = (fields(before), fields(after)) else { return Ok(()) };
        let same: Vec<String> = before
            .iter()
            .filter(|(name, value)| after.get(*name) == Some(value))
            .map(|(name, _)| name.clone())
            .collect();
        for name in same {
            before.shift_remove(&name);
            after.shift_remove(&name);
        }
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        self.record(tx, action, object, Some(before), Some(after)).await
    }

    /// Records an entry with the given fields before and after.
    pub async fn record(
        &self,
        tx: &mut dyn Tx,
        action: &str,
        object: ObjectRecord,
        before: Option<Map<String, Value>>,
        after: Option<Map<String, Value>>,
    ) -> Result<()> {
        let entry = NewEntry {
            company_id: self.company,
            at: self.now,
            actor: self.actor.record(),
            action: action.to_owned(),
            object,
            project_id: self.project,
            before,
            after,
        };
        Ok(audit::record(tx, entry).await?)
    }
}

/// Builds the reference to the object of an act.
pub fn object(kind: &str, id: impl ToString, name: &str) -> ObjectRecord {
    ObjectRecord { kind: kind.to_owned(), id: id.to_string(), name: name.to_owned() }
}

fn fields(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Filters of a query of the audit log.
#[derive(Debug, Clone, Default)]
pub struct Inquiry {
    /// Only acts of this actor: a person's id or e-mail address, a key's id, or a name.
    pub actor: Option<String>,
    /// Only acts on this object: a kind, or a kind and an id separated by `:`.
    pub object: Option<String>,
    /// Only acts in the project with this key.
    pub project: Option<String>,
    /// Only entries at or after this moment.
    pub from: Option<Instant>,
    /// Only entries before this moment.
    pub to: Option<Instant>,
    /// Only entries with a lower number.
    pub below: Option<i64>,
    /// Maximum number of entries.
    pub limit: i64,
}

/// Returns a page of the company's log, newest entry first, and the number below which the next page
/// begins; `None` on the last page.
pub async fn page(context: &Context, company: CompanyId, inquiry: Inquiry) -> Result<(Vec<Entry>, Option<i64>)> {
    let limit = inquiry.limit;
    let mut entries = context
        .read(move |tx| {
            Box::pin(async move {
                let mut filter =
                    Filter { from: inquiry.from, to: inquiry.to, below: inquiry.below, ..Filter::default() };
                if let Some(key) = inquiry.project {
                    match tenants::project_by_key(tx, &key).await? {
                        Some(project) if project.company_id == company => filter.project = Some(project.id),
                        _ => return Ok(Vec::new()),
                    }
                }
                if let Some(actor) = inquiry.actor {
                    let person = match actor.contains('@') {
                        true => people::by_email(tx, &actor.to_lowercase()).await?,
                        false => None,
                    };
                    filter.actor = Some(person.map_or(actor, |person| person.id.to_string()));
                }
                match inquiry.object.as_deref().map(|object| object.split_once(':').unwrap_or((object, ""))) {
                    None => {}
                    Some((kind, "")) => filter.object_kind = Some(kind.to_owned()),
                    Some((kind, id)) => {
                        filter.object_kind = Some(kind.to_owned());
                        filter.object_id = Some(id.to_owned());
                    }
                }
                Ok(audit::list(tx, company, &filter, limit + 1).await?)
            })
        })
        .await?;
    let is_last = entries.len() as i64 <= limit;
    entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = entries.last().filter(|_| !is_last).map(|entry| entry.number);
    Ok((entries, next))
}

/// Verifies the whole log of a company.
///
/// # Errors
/// When the database cannot be reached. Faults of the log are part of the result.
pub async fn verify(context: &Context, company: CompanyId) -> Result<Verified> {
    let mut verified = Verified::default();
    loop {
        let so_far = verified;
        verified =
            context.read(move |tx| Box::pin(async move { Ok(audit::verify(tx, company, so_far).await?) })).await?;
        if !verified.more {
            return Ok(verified);
        }
    }
}

/// Returns the hash of an entry; `None` when the entry does not exist.
pub async fn hash_of(context: &Context, company: CompanyId, entry: i64) -> Result<Option<Vec<u8>>> {
    let filter = Filter { below: entry.checked_add(1), ..Filter::default() };
    let found =
        context.read(move |tx| Box::pin(async move { Ok(audit::list(tx, company, &filter, 1).await?) })).await?;
    Ok(found.into_iter().next().filter(|found| found.number == entry).map(|found| found.hash))
}
