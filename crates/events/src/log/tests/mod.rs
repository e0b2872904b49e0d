//! What the log promises, on real files.

use std::path::Path;
use std::sync::Arc;

use muriel_domain::Instant;
use uuid::Uuid;

use super::*;

mod story;

const SECOND: i64 = 1_000_000;

/// Options with which disks of test machines do.
fn options() -> LogOptions {
    LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }
}

/// An id of the time `ms` and the number `n`.
fn id(ms: u64, n: u64) -> Uuid {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&ms.to_be_bytes()[2..]);
    bytes[8..].copy_from_slice(&n.to_be_bytes());
    bytes[6] = 0x70;
    bytes[8] = 0x80;
    Uuid::from_bytes(bytes)
}

fn line(project: &str, id: Uuid) -> String {
    format!(
        "{{\"id\":\"{id}\",\"project\":\"{project}\",\"kind\":\"page view\",\"url\":\"https://shop.example/{id}\"}}\n"
    )
}

fn batch(project: &str, at_us: i64, ids: &[Uuid]) -> Batch {
    let mut batch = Batch {
        project_key: project.into(),
        received_at: Instant::from_us(at_us),
        events: Vec::new(),
        lines: Vec::new(),
    };
    for &id in ids {
        batch.lines.extend_from_slice(line(project, id).as_bytes());
        batch.events.push(Entry { id, end: batch.lines.len() });
    }
    batch
}

/// What a reader finds: project, id and line of each event.
fn read(dir: &Path) -> Vec<(Arc<str>, Uuid, String)> {
    let mut found = Vec::new();
    for block in Reader::open(dir).unwrap().blocks(Position::default()).unwrap() {
        for event in block.unwrap().events() {
            found.push((event.project_key.clone(), event.id, String::from_utf8(event.line.to_vec()).unwrap()));
        }
    }
    found
}

fn whole(dir: &Path) -> Verified {
    let verified = Reader::open(dir).unwrap().verify().unwrap();
    assert_eq!(verified.first_damage, None);
    verified
}
