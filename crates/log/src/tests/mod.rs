//! Tests of the log on real files.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant as Clock};

use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use tempfile::TempDir;
use uuid::Uuid;

use super::failpoints::plant;
use super::files;
use super::*;

mod damage;
mod disk;
mod erase;
mod handles;
mod model;
mod repeats;
mod roll;
mod segments;
mod story;

const SECOND: i64 = 1_000_000;

/// A temporary directory, in memory where possible: these tests cannot observe the effect
/// of a flush, only its duration.
fn place() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Options that work on the disks of test machines.
fn options() -> LogOptions {
    LogOptions { reserve: Reserve::Bytes(0), roll_bytes: 1 << 22, ..LogOptions::default() }
}

/// Options that roll the active file after every block.
fn rolling() -> LogOptions {
    LogOptions { roll_bytes: 1, ..options() }
}

/// An id with the time `ms` and the number `n`.
fn id(ms: u64, n: u64) -> Uuid {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&ms.to_be_bytes()[2..]);
    bytes[8..].copy_from_slice(&n.to_be_bytes());
    bytes[6] = 0x70;
    bytes[8] = 0x80;
    Uuid::from_bytes(bytes)
}

fn ids(range: std::ops::Range<u64>) -> Vec<Uuid> {
    range.map(|n| id(n, n)).collect()
}

fn line(project: &str, id: Uuid) -> String {
    format!(
        "{{\"id\":\"{id}\",\"project\":\"{project}\",\"kind\":\"page view\",\"url\":\"https://shop.example/{id}\"}}\n"
    )
}

fn batch(project: &str, at_us: i64, ids: &[Uuid]) -> Batch {
    let received_at = Instant::from_us(at_us);
    let mut batch = Batch { project_key: project.into(), received_at, events: Vec::new(), lines: Vec::new() };
    for &id in ids {
        batch.lines.extend_from_slice(line(project, id).as_bytes());
        batch.events.push(BatchEvent { id, scope: DedupScope::PROJECT, end: batch.lines.len() });
    }
    batch
}

/// Appends the events and returns how many were new.
async fn stored(log: &Log, project: &str, at_us: i64, ids: &[Uuid]) -> usize {
    let taken = log.append(batch(project, at_us, ids)).await.unwrap();
    assert_eq!(taken.len(), ids.len());
    taken.into_iter().filter(|taken| *taken == AppendOutcome::Stored).count()
}

/// Project and id of each event that a reader returns; checks that the lines match.
fn read(dir: &Path) -> Vec<(String, Uuid)> {
    let mut found = Vec::new();
    for block in LogReader::open(dir).unwrap().blocks(Position::default()).unwrap() {
        for event in block.unwrap().events() {
            assert_eq!(format!("{}\n", str::from_utf8(event.line).unwrap()), line(event.project_key, event.id));
            found.push((event.project_key.to_string(), event.id));
        }
    }
    found
}

/// Verifies a log that must be undamaged.
fn whole(dir: &Path) -> VerifyReport {
    let verified = LogReader::open(dir).unwrap().verify().unwrap();
    assert_eq!(verified.first_damage, None);
    assert_eq!(verified.damaged, 0);
    verified
}

/// Deletes closed files older than this, without the safety checks.
async fn prune(log: &Log, before_us: i64) -> PruneReport {
    log.prune(PruneRequest { before: Instant::from_us(before_us), force: true }).await.unwrap()
}

/// Waits until the writer has finished its work after a reply.
async fn idle(log: &Log) {
    prune(log, i64::MIN).await;
}

/// Copies the files of the log in their current state, as after a crash.
fn copy(from: &Path) -> TempDir {
    let to = place();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.path().join(file.file_name())).unwrap();
    }
    to
}

fn files_named(dir: &Path, start: &str) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(start) && name.ends_with(".db")).collect();
    names.sort();
    names
}

/// Waits until a condition is true.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Clock::now() + Duration::from_secs(180);
    while !done() {
        assert!(Clock::now() < deadline, "waited in vain: {what}");
        std::thread::yield_now();
    }
}
