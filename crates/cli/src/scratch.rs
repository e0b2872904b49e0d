//! A warehouse for one command.

use crate::{Error, Result};
use muriel_warehouse::{DuckWarehouse, WarehouseOptions};
use std::ops::Deref;
use tempfile::TempDir;

/// An empty warehouse in a temporary directory: what does not fit into its memory
/// goes on on the disk. It goes with the value.
pub(crate) struct Scratch {
    // Closed before its directory goes.
    warehouse: DuckWarehouse,
    _directory: TempDir,
}

impl Scratch {
    /// # Errors
    /// A temporary directory that cannot be written.
    pub(crate) fn new(options: &WarehouseOptions) -> Result<Self> {
        let failed = |error: muriel_warehouse::Error| Error::Other(error.into());
        let directory = tempfile::Builder::new().prefix("muriel-").tempdir();
        let directory = directory.map_err(|source| Error::File {
            doing: "cannot make a directory in",
            path: std::env::temp_dir(),
            source,
        })?;
        let warehouse = DuckWarehouse::open(&directory.path().join("warehouse.duckdb"), options).map_err(failed)?;
        Ok(Self { warehouse, _directory: directory })
    }
}

impl Deref for Scratch {
    type Target = DuckWarehouse;

    fn deref(&self) -> &DuckWarehouse {
        &self.warehouse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_log::{LogId, Position, Record};
    use muriel_warehouse::{LoadTarget, Rows, StopToken, TrafficQuestion, WarehouseReader, WarehouseWriter, Watermark};
    use serde_json::json;

    #[test]
    fn more_events_fit_than_memory_holds() {
        let now = Instant::from_us(1_772_359_200_000_000);
        let mut record: Record = serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "type": "custom", "project_key": "prj", "at": now, "received_at": now,
            "visitor": { "id": "" }, "bot": false, "name": "look",
        }))
        .unwrap();
        let warehouse = Scratch::new(&WarehouseOptions { memory_bytes: 24 << 20, threads: 1 }).unwrap();
        let directory = warehouse._directory.path().to_owned();
        let (blocks, each) = (8, 50_000);
        for block in 1..=blocks {
            let mut rows = Rows::default();
            for n in 0..each {
                let n = block * each + n;
                record.id = uuid::Uuid::from_u128(n as u128);
                record.visitor.id = n.to_string();
                rows.add(&record, block);
            }
            rows.sort();
            let mark = Watermark { position: Position { seq: block }, hash: None };
            warehouse.load(LoadTarget::Answering, LogId::from_bytes([7; 16]), &rows, mark).unwrap();
        }
        let question = TrafficQuestion { project_key: "prj".into(), from: now, until: now.plus_us(1), metric: None };
        let traffic = warehouse.traffic(&question, &StopToken::new()).unwrap();
        assert_eq!(traffic.visitors, (blocks * each) as u64);
        assert!(directory.exists());
        drop(warehouse);
        assert!(!directory.exists());
    }
}
