//! Writers that inject faults, for tests of this crate and of the crates that use it. Always compiled, because a Cargo
//! feature would build every dependent crate twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use muriel_log::LogId;

use crate::{Error, LoadTarget, Result, Rows, WarehouseWriter, Watermark, Watermarks};

/// The fault to inject into a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault: the load succeeds.
    None,
    /// Fails before anything is stored.
    Before,
    /// Returns an error after the rows were stored, as if the reply was lost.
    After,
}

/// Delegates to another writer and makes some loads into the answering rows fail with [`Error::Memory`].
pub struct FaultyWriter {
    inner: Arc<dyn WarehouseWriter>,
    fault: Box<dyn Fn(u32) -> Fault + Send + Sync>,
    loads: AtomicU32,
}

impl FaultyWriter {
    /// Creates the writer. `fault` is called with the number of the load, from 0.
    pub fn new(inner: Arc<dyn WarehouseWriter>, fault: impl Fn(u32) -> Fault + Send + Sync + 'static) -> Self {
        Self { inner, fault: Box::new(fault), loads: AtomicU32::new(0) }
    }

    /// Number of loads into the answering rows, including failed ones.
    pub fn loads(&self) -> u32 {
        self.loads.load(Ordering::Relaxed)
    }
}

impl DelegatingWriter for FaultyWriter {
    fn inner(&self) -> &dyn WarehouseWriter {
        &*self.inner
    }

    fn intercept_load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Watermark) -> Result<()> {
        let fault = match target {
            LoadTarget::Answering => (self.fault)(self.loads.fetch_add(1, Ordering::Relaxed)),
            LoadTarget::Rebuild => Fault::None,
        };
        match fault {
            Fault::None => self.inner.load(target, log, rows, mark),
            Fault::Before => Err(Error::Memory),
            Fault::After => self.inner.load(target, log, rows, mark).and(Err(Error::Memory)),
        }
    }
}

/// A writer that delegates to another one, except for intercepted calls.
pub(crate) trait DelegatingWriter: Send + Sync {
    /// The writer that all other calls are delegated to.
    fn inner(&self) -> &dyn WarehouseWriter;

    /// Called instead of [`WarehouseWriter::load`].
    fn intercept_load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Watermark) -> Result<()> {
        self.inner().load(target, log, rows, mark)
    }

    /// Called instead of [`WarehouseWriter::prune`].
    fn intercept_prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        self.inner().prune(log, oldest)
    }
}

impl<W: DelegatingWriter> WarehouseWriter for W {
    fn load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Watermark) -> Result<()> {
        self.intercept_load(target, log, rows, mark)
    }

    fn prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        self.intercept_prune(log, oldest)
    }

    fn watermarks(&self) -> Watermarks {
        self.inner().watermarks()
    }

    fn rewritten_blocks(&self, target: LoadTarget, log: LogId, first: i64, last: i64) -> Result<Vec<(i64, i64)>> {
        self.inner().rewritten_blocks(target, log, first, last)
    }

    fn refresh(&self, target: LoadTarget, log: LogId, blocks: &[i64], rows: &Rows) -> Result<()> {
        self.inner().refresh(target, log, blocks, rows)
    }

    fn remove_unused_texts(&self, target: LoadTarget) -> Result<()> {
        self.inner().remove_unused_texts(target)
    }

    fn has_erased_bytes(&self) -> Result<bool> {
        self.inner().has_erased_bytes()
    }

    fn damaged_blocks(&self, log: LogId, limit: usize) -> Result<Vec<i64>> {
        self.inner().damaged_blocks(log, limit)
    }

    fn is_damaged(&self) -> bool {
        self.inner().is_damaged()
    }

    fn recover(&self) -> Result<()> {
        self.inner().recover()
    }

    fn reset(&self) -> Result<()> {
        self.inner().reset()
    }

    fn begin_rebuild(&self) -> Result<()> {
        self.inner().begin_rebuild()
    }

    fn abandon_rebuild(&self) {
        self.inner().abandon_rebuild();
    }

    fn finish_rebuild(&self) -> Result<()> {
        self.inner().finish_rebuild()
    }
}
