//! Measures loading: `load [events] [directory]`. Writes a log with this number of events
//! of a shop, unless the directory has one, and loads it into a new warehouse.
//!
//! Prints events per second, the size of the file per event, and the peak memory of the
//! process.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant as Clock;

use muriel_domain::Instant;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions};
use muriel_warehouse::{DuckWarehouse, WarehouseOptions, rebuild};
use serde_json::json;
use uuid::Uuid;

const BATCH: u64 = 2_000;
const START_US: i64 = 1_790_000_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let events = arguments.next().map_or(Ok(1_000_000), |count| count.parse())?;
    let dir = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let log = dir.join("events");
    if !log.exists() {
        fs::create_dir_all(&log)?;
        write(&log, events)?;
    }

    let path = dir.join("warehouse.duckdb");
    let began = Clock::now();
    let end = rebuild(&log, Arc::new(DuckWarehouse::open(&path, &WarehouseOptions::default())?), &mut |progress| {
        eprint!("\rblock {} of {}", progress.position.seq, progress.target.seq);
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let bytes = fs::metadata(&path)?.len();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown");
    let (rate, each) = (events as f64 / seconds, bytes as f64 / events as f64);
    println!("\n{} blocks in {seconds:.1} s: {rate:.0} events/s, {each:.1} B/event, {memory}", end.seq);
    Ok(())
}

/// Pseudorandom number that is the same in every run.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn write(dir: &Path, events: u64) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let log = Log::open(dir, LogOptions::default())?;
    for first in (0..events).step_by(BATCH as usize) {
        let received_at = Instant::from_us(START_US + first as i64 * 100_000);
        let mut batch = Batch {
            project_key: format!("shop {}", first / BATCH % 8).into(),
            received_at,
            events: vec![],
            lines: vec![],
        };
        for n in first..events.min(first + BATCH) {
            let id = Uuid::from_u128(u128::from(mix(n)) << 64 | u128::from(n));
            serde_json::to_writer(&mut batch.lines, &record(n, id, &batch.project_key, received_at, events))?;
            batch.lines.push(b'\n');
            batch.events.push(BatchEvent { id, scope: DedupScope::PROJECT, end: batch.lines.len() });
        }
        runtime.block_on(log.append(batch))?;
    }
    runtime.block_on(log.close())?;
    Ok(())
}

/// A record. Each visitor has about twenty events; every seventh event is an exposure.
fn record(n: u64, id: Uuid, project: &str, at: Instant, events: u64) -> serde_json::Value {
    let chance = mix(n);
    let mut record = json!({
        "id": id, "project_key": project, "at": at, "received_at": at, "bot": false,
        "visitor": {"id": format!("v-{:x}", mix(chance % (events / 20 + 1)))}, "session": format!("s-{}", chance % 100_000),
        "url": format!("https://shop.example/product/{}?color={}", chance % 5_000, chance % 4),
        "device": "mobile", "browser": "chrome", "os": "Android", "country": "DE",
    });
    let kind = match n % 7 {
        0 => json!({"type": "exposure", "test_id": chance % 5 + 1, "variant_id": (chance % 2).to_string(), "epoch": 1,
            "context": {"visitor_type": "new", "landing_page": "https://shop.example/?utm_source=news"}}),
        1..=3 => json!({"type": "pageview", "referrer": "https://search.example/"}),
        4 => json!({"type": "click", "by": "element", "trigger": "#buy"}),
        5 => json!({"type": "scroll", "value": chance % 100}),
        _ => json!({"type": "order", "name": "Purchase", "value": (chance % 10_000) as f64 / 100.0, "currency": "EUR",
            "order_id": id}),
    };
    for (name, value) in kind.as_object().into_iter().flatten() {
        record[name] = value.clone();
    }
    record
}
