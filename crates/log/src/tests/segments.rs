//! Snapshots, logs restored from their segments, and cutting a log.

use super::*;
use std::path::PathBuf;

/// A copy of a log made from snapshots, like a backup without remote storage.
struct Copied {
    dir: TempDir,
    segments: Vec<Segment>,
}

impl Copied {
    fn new() -> Self {
        Self { dir: place(), segments: Vec::new() }
    }

    fn file(&self, segment: &Segment) -> PathBuf {
        self.dir.path().join(format!("{}-{}-{}", segment.after, segment.last, &segment.blocks[..8]))
    }

    fn take(&mut self, from: &Path, compare: bool) -> LogSnapshot {
        let next = self.dir.path().join("next");
        let snapshot = snapshot(from, &self.segments, compare, &next).unwrap().unwrap();
        assert_eq!(snapshot.has_new_segment, next.exists());
        self.segments = snapshot.segments.clone();
        if snapshot.has_new_segment {
            fs::rename(&next, self.file(self.segments.last().unwrap())).unwrap();
        }
        snapshot
    }

    fn restored(&self, snapshot: &LogSnapshot) -> TempDir {
        let to = place();
        for path in &snapshot.closed {
            fs::copy(path, to.path().join(path.file_name().unwrap())).unwrap();
        }
        for segment in &snapshot.segments {
            let copy = to.path().join("segment");
            fs::copy(self.file(segment), &copy).unwrap();
            append_segment(to.path(), &copy).unwrap();
        }
        to
    }
}

/// Number, hash and lines of every block of a log.
fn blocks(dir: &Path) -> Vec<(i64, [u8; 32], Vec<u8>)> {
    let blocks = LogReader::open(dir).unwrap().blocks(Position::default()).unwrap();
    blocks.map(|block| block.map(|block| (block.seq, block.hash, block.lines)).unwrap()).collect()
}

#[track_caller]
fn verified(dir: &Path) {
    let report = LogReader::open(dir).unwrap().verify().unwrap();
    assert!(report.first_damage.is_none(), "{report:?}");
}

#[tokio::test]
async fn segments_make_the_same_log_again() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let mut copied = Copied::new();
    let empty = copied.take(dir.path(), true);
    assert_eq!((empty.last.seq, empty.segments.len()), (0, 1));
    assert_eq!(LogReader::open(copied.restored(&empty).path()).unwrap().last().unwrap().seq, 0);

    for step in 0..30 {
        stored(&log, "p", step * SECOND, &ids(step as u64 * 10..step as u64 * 10 + 10)).await;
        let known = copied.segments.len();
        let snapshot = copied.take(dir.path(), step % 2 == 0);
        assert_eq!(snapshot.last.seq, step + 1);
        assert!(snapshot.segments.len() <= 8 && snapshot.segments.len() <= known + 1);
        let again = copied.take(dir.path(), true);
        assert!(!again.has_new_segment, "nothing is new");
        let restored = copied.restored(&snapshot);
        assert_eq!(blocks(restored.path()), blocks(dir.path()));
        verified(restored.path());
    }
    // The restored log can be continued and recognises its events.
    let snapshot = copied.take(dir.path(), true);
    let restored = copied.restored(&snapshot);
    let again = Log::open(restored.path(), options()).unwrap();
    assert_eq!(stored(&again, "p", 40 * SECOND, &ids(0..10)).await, 0);
    assert_eq!(stored(&again, "p", 40 * SECOND, &ids(1000..1010)).await, 10);
    again.close().await.unwrap();
    verified(restored.path());
    log.close().await.unwrap();
}

#[tokio::test]
async fn closed_files_and_what_was_pruned_are_in_a_snapshot() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    let mut copied = Copied::new();
    for step in 0..5 {
        stored(&log, "p", step * SECOND, &ids(step as u64..step as u64 + 1)).await;
        copied.take(dir.path(), false);
    }
    let prune = PruneRequest { before: Instant::from_us(2 * SECOND), force: true };
    assert!(log.prune(prune).await.unwrap().files > 0);
    let snapshot = copied.take(dir.path(), false);
    assert!(snapshot.has_new_segment, "what was pruned is new, though no block is");
    let restored = copied.restored(&snapshot);
    verified(restored.path());
    assert_eq!(blocks(restored.path()), blocks(dir.path()));
    log.close().await.unwrap();
}

#[tokio::test]
async fn rewritten_blocks_are_copied_again() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let mut copied = Copied::new();
    for step in 0..4 {
        stored(&log, "p", step * SECOND, &ids(step as u64..step as u64 + 1)).await;
        copied.take(dir.path(), true);
    }
    let before = copied.segments.clone();
    log.close().await.unwrap();
    // Like an erasure: the block keeps its number, its hash and its length.
    let conn = rusqlite::Connection::open(dir.path().join(files::ACTIVE)).unwrap();
    conn.execute("UPDATE block SET ids = zeroblob(length(ids)) WHERE seq = 3", []).unwrap();
    drop(conn);
    assert!(!copied.take(dir.path(), false).has_new_segment, "it was not to compare");
    let snapshot = copied.take(dir.path(), true);
    assert_eq!(snapshot.segments[..2], before[..2]);
    assert_eq!((snapshot.segments.len(), snapshot.segments[2].after, snapshot.segments[2].last), (3, 2, 4));
    // Segments of another log are not used, whatever their numbers.
    let other = place();
    let log = Log::open(other.path(), options()).unwrap();
    stored(&log, "p", 0, &ids(0..1)).await;
    assert_eq!(copied.take(other.path(), false).segments.len(), 1);
    log.close().await.unwrap();
}

#[tokio::test]
async fn a_log_is_cut_at_a_time() {
    // Blocks 1 to 6; the third has an earlier time, like an import.
    let times = [10, 20, 5, 30, 40, 50];
    for (name, options) in [("one file", options()), ("many", rolling())] {
        let dir = place();
        let log = Log::open(dir.path(), options.clone()).unwrap();
        for (step, time) in times.iter().enumerate() {
            stored(&log, "p", time * SECOND, &ids(step as u64..step as u64 + 1)).await;
        }
        log.close().await.unwrap();
        let all = blocks(dir.path());
        for (keep, until, expect) in
            [(0, 50, 6), (0, 49, 5), (0, 30, 4), (0, 29, 3), (0, 15, 1), (2, 15, 3), (4, 0, 4), (6, 0, 6), (0, 1, 0)]
        {
            let copy = place();
            for entry in fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap()) {
                fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
            }
            let _ = fs::remove_file(copy.path().join("log.lock"));
            let last = cut(copy.path(), Position { seq: keep }, Instant::from_us(until * SECOND)).unwrap();
            assert_eq!(last.seq, expect, "{name}: {keep} {until}");
            assert_eq!(blocks(copy.path()), all[..expect as usize], "{name}: {keep} {until}");
            for entry in fs::read_dir(copy.path()).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with("seen-")) {
                    fs::remove_file(entry).unwrap();
                }
            }
            let again = Log::open(copy.path(), LogOptions { roll_bytes: 1 << 22, ..options.clone() }).unwrap();
            stored(&again, "p", 60 * SECOND, &ids(100..101)).await;
            again.close().await.unwrap();
            assert_eq!(LogReader::open(copy.path()).unwrap().last().unwrap().seq, expect + 1);
            verified(copy.path());
        }
    }
}

/// Tables that a later version adds for blocks are kept.
#[tokio::test]
async fn tables_of_other_versions_are_kept() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for step in 0..3 {
        stored(&log, "p", step * SECOND, &ids(step as u64 * 2..step as u64 * 2 + 2)).await;
    }
    log.close().await.unwrap();
    let note = |path: &Path, table: &str| {
        let conn = rusqlite::Connection::open(path).unwrap();
        let seqs = "SELECT seq, 'n' FROM block UNION ALL SELECT 99, 'late'";
        conn.execute_batch(&format!("CREATE TABLE {table} (seq INTEGER, note TEXT); INSERT INTO {table} {seqs}"))
            .unwrap();
    };
    let notes = |path: &Path, table: &str| -> Vec<i64> {
        let conn = rusqlite::Connection::open(path).unwrap();
        let mut all = conn.prepare(&format!("SELECT seq FROM {table} ORDER BY seq")).unwrap();
        all.query_map([], |row| row.get(0)).unwrap().map(|seq| seq.unwrap()).collect()
    };
    let second = files::closed(dir.path()).unwrap()[1].path.clone();
    note(&second, "closed_note");
    note(&dir.path().join(files::ACTIVE), "active_note");
    let mut copied = Copied::new();
    let snapshot = copied.take(dir.path(), true);
    let restored = copied.restored(&snapshot);
    assert_eq!(notes(&restored.path().join(files::ACTIVE), "active_note"), [99]);
    // The second file becomes the active one and keeps its own table, without rows of the removed
    // blocks.
    assert_eq!(cut(restored.path(), Position::default(), Instant::from_us(SECOND)).unwrap().seq, 2);
    assert_eq!(cut(restored.path(), Position::default(), Instant::from_us(2 * SECOND)).unwrap().seq, 2);
    let restored = copied.restored(&snapshot);
    fs::rename(restored.path().join(second.file_name().unwrap()), restored.path().join("log-2-9.db")).unwrap();
    assert_eq!(cut(restored.path(), Position::default(), Instant::from_us(0)).unwrap().seq, 1);
    assert_eq!(notes(&restored.path().join(files::ACTIVE), "closed_note"), [0_i64; 0]);
}

#[tokio::test]
async fn segments_that_do_not_follow_are_refused() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let mut copied = Copied::new();
    for step in 0..3 {
        stored(&log, "p", step * SECOND, &ids(step as u64..step as u64 + 1)).await;
        copied.take(dir.path(), true);
    }
    log.close().await.unwrap();
    let to = place();
    let put = |segment: &Segment| {
        let copy = to.path().join("segment");
        fs::copy(copied.file(segment), &copy).unwrap();
        append_segment(to.path(), &copy)
    };
    put(&copied.segments[0]).unwrap();
    assert!(
        put(&copied.segments[2])
            .unwrap_err()
            .to_string()
            .contains("begins after block 2, but the log ends with block 1")
    );
    assert!(put(&copied.segments[0]).is_err());
    put(&copied.segments[1]).unwrap();
    assert_eq!(blocks(to.path()).len(), 2);
}
