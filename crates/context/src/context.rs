//! The state that every act needs.

use crate::access_cache::AccessCache;
use crate::api_key::Pepper;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::list_cache::ListCache;
use crate::node::NodeIdentity;
use muriel_domain::ids::CompanyId;
use muriel_sql::{BoxFuture, Db, Tx};
use std::sync::Arc;

/// The state that every act needs. Clones share it.
#[derive(Clone)]
pub struct Context(Arc<Shared>);

/// The parts of a [`Context`].
pub struct Shared {
    /// The database.
    pub db: Db,
    /// Source of the current time.
    pub clock: Clock,
    /// The secret for the MACs of API keys, sessions and preview links.
    pub pepper: Pepper,
    /// Cache of API keys, sessions and projects.
    pub access_cache: AccessCache,
    /// Serialised lists of experiments.
    pub list_cache: ListCache,
    /// Identity of this node, where several can work on the database.
    pub node: Option<Arc<NodeIdentity>>,
}

impl std::ops::Deref for Context {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Context {
    /// Creates the state over a database whose schema is up to date.
    pub fn new(db: Db, pepper: Pepper, clock: Clock, node: Option<Arc<NodeIdentity>>) -> Self {
        Self(Arc::new(Shared {
            access_cache: AccessCache::new(db.clone(), pepper.clone(), clock.clone()),
            list_cache: ListCache::new(db.clone()),
            db,
            clock,
            pepper,
            node,
        }))
    }

    /// Runs `body` in a transaction that changes data of this company. When it returns, the change is
    /// durable and every read sees it.
    ///
    /// # Errors
    /// Those of `body`, and when the database cannot be reached.
    pub async fn write<T, F>(&self, company: CompanyId, body: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        // The database drops the result, and with it this guard, once the change is
        // committed, even when the request was cancelled.
        let changing = self.list_cache.begin_change(company);
        // Acts and their results are large, and are passed on several times on the way to the writer and back.
        let body = Box::new(body);
        let (answer, _changing) = self
            .db
            .write::<_, Error, _>(move |tx| {
                let work = body(tx);
                Box::pin(async move { Ok((Box::new(work.await?), changing)) })
            })
            .await?;
        Ok(*answer)
    }

    /// Runs `body` over one snapshot.
    ///
    /// # Errors
    /// Those of `body`, and when the database cannot be reached.
    pub async fn read<T, F>(&self, body: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        self.db.read(body).await
    }

    /// The current time in milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.clock.now().us().div_euclid(1_000)
    }

    /// The id of this node, where several can work on the database.
    pub fn node_id(&self) -> Option<Arc<str>> {
        self.node.as_ref().map(|node| node.get())
    }
}
