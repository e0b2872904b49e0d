//! The audit log: what acts write into it, and how it is read.

use crate::actor::Actor;
use crate::app::App;
use crate::error::Result;
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_sql::Tx;
use muriel_store::audit::{self, Entry, Filter, NewEntry, ObjectRecord, Verified};
use muriel_store::people;
use muriel_store::tenants::{self, Project};
use serde_json::{Map, Value};

/// Something that is done, to be recorded in the transaction that does it.
pub(crate) struct Act<'a> {
    /// Who does it.
    pub(crate) actor: &'a Actor,
    /// The company that it is done in.
    pub(crate) company: CompanyId,
    /// The project that it is done in.
    pub(crate) project: Option<ProjectId>,
    /// When.
    pub(crate) now: Instant,
}

impl<'a> Act<'a> {
    /// An act in a project.
    pub(crate) fn within(actor: &'a Actor, project: &Project, now: Instant) -> Self {
        Self { actor, company: project.company_id, project: Some(project.id), now }
    }

    /// An act in a company.
    pub(crate) fn of(actor: &'a Actor, company: CompanyId, now: Instant) -> Self {
        Self { actor, company, project: None, now }
    }

    /// Records that something was made.
    pub(crate) async fn made(&self, tx: &mut dyn Tx, action: &str, object: ObjectRecord, after: Value) -> Result<()> {
        self.record(tx, action, object, None, fields(after)).await
    }

    /// Records that something was removed.
    pub(crate) async fn removed(
        &self,
        tx: &mut dyn Tx,
        action: &str,
        object: ObjectRecord,
        before: Value,
    ) -> Result<()> {
        self.record(tx, action, object, fields(before), None).await
    }

    /// Records that something was changed: the fields that differ. Nothing is recorded where none does.
    pub(crate) async fn changed(
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

    /// Records what was done.
    pub(crate) async fn record(
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

/// What something is done to.
pub(crate) fn object(kind: &str, id: impl ToString, name: &str) -> ObjectRecord {
    ObjectRecord { kind: kind.to_owned(), id: id.to_string(), name: name.to_owned() }
}

fn fields(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// What is asked of the log.
#[derive(Debug, Clone, Default)]
pub struct Inquiry {
    /// Only what this actor did: a person's id or e-mail address, a key's id, a name.
    pub actor: Option<String>,
    /// Only what was done to this: a kind, or a kind and an id with `:` between.
    pub object: Option<String>,
    /// Only what was done in the project with this key.
    pub project: Option<String>,
    /// Only from this moment on.
    pub from: Option<Instant>,
    /// Only before this moment.
    pub to: Option<Instant>,
    /// Only entries with a lower number.
    pub below: Option<i64>,
    /// Entries at most.
    pub limit: i64,
}

/// A page of the log of a company, newest entry first, and the number below which the next page begins; `None` on the last.
///
/// # Errors
/// When the database cannot be reached.
pub async fn page(app: &App, company: CompanyId, inquiry: Inquiry) -> Result<(Vec<Entry>, Option<i64>)> {
    let limit = inquiry.limit;
    let mut entries = app
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
/// When the database cannot be reached. What is wrong with the log is in the answer.
pub async fn verify(app: &App, company: CompanyId) -> Result<Verified> {
    let mut verified = Verified::default();
    loop {
        let so_far = verified;
        verified = app.read(move |tx| Box::pin(async move { Ok(audit::verify(tx, company, so_far).await?) })).await?;
        if !verified.more {
            return Ok(verified);
        }
    }
}

/// The hash of an entry; `None` when there is no such entry.
///
/// # Errors
/// When the database cannot be reached.
pub async fn hash_of(app: &App, company: CompanyId, entry: i64) -> Result<Option<Vec<u8>>> {
    let filter = Filter { below: entry.checked_add(1), ..Filter::default() };
    let found = app.read(move |tx| Box::pin(async move { Ok(audit::list(tx, company, &filter, 1).await?) })).await?;
    Ok(found.into_iter().next().filter(|found| found.number == entry).map(|found| found.hash))
}
