//! What every handler can reach.

use crate::api_key::Pepper;
use crate::clock::Clock;
use crate::directory::Directory;
use crate::error::ApiError;
use crate::lists::Lists;
use crate::rulesets::{Files, Rulesets};
use muriel_domain::ids::CompanyId;
use muriel_sql::{BoxFuture, Db, Tx};
use muriel_store::backlog::{self, Backlogs};
use std::path::PathBuf;
use std::sync::Arc;

/// The state behind the API. Clones share it.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The parts of an [`App`].
pub struct Parts {
    /// Where things are kept.
    pub db: Db,
    /// What time it is.
    pub clock: Clock,
    /// Who the keys and projects are.
    pub directory: Directory,
    pub(crate) pepper: Pepper,
    pub(crate) backlogs: Backlogs,
    pub(crate) lists: Lists,
    /// What visitors meet.
    pub rulesets: Rulesets,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// The state over a database whose schema is up to date. The last good
    /// rulesets are kept in `rulesets`, if that is given.
    pub fn new(db: Db, pepper: Pepper, clock: Clock, rulesets: Option<PathBuf>) -> Self {
        Self(Arc::new(Parts {
            rulesets: Rulesets::new(db.clone(), clock.clone(), rulesets.map(Files::new)),
            directory: Directory::new(db.clone(), pepper.clone(), clock.clone()),
            lists: Lists::new(db.clone()),
            backlogs: Backlogs::new(backlog::CAPACITY),
            db,
            clock,
            pepper,
        }))
    }

    /// Runs `body` in a transaction that changes things of this company. When it
    /// answers, the change is durable and every read sees it.
    ///
    /// # Errors
    /// What `body` returns, and when the database cannot be reached.
    pub(crate) async fn write<T, F>(&self, company: CompanyId, body: F) -> Result<T, ApiError>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, ApiError>> + Send + 'static,
        T: Send + 'static,
    {
        // It goes with the result, which the database lets go of once the change
        // is committed, also when nobody waits for it any more.
        let changing = self.lists.changing(company);
        let (answer, _changing) = self
            .db
            .write::<_, ApiError, _>(move |tx| {
                let work = body(tx);
                Box::pin(async move { Ok((work.await?, changing)) })
            })
            .await?;
        Ok(answer)
    }

    /// Runs `body` over one snapshot.
    ///
    /// # Errors
    /// What `body` returns, and when the database cannot be reached.
    pub(crate) async fn read<T, F>(&self, body: F) -> Result<T, ApiError>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, ApiError>> + Send + 'static,
        T: Send + 'static,
    {
        self.db.read(body).await
    }
}
