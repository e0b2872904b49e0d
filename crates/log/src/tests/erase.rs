use super::*;

use proptest::prelude::*;
use rusqlite::Connection;

fn key() -> RewriteKey {
    RewriteKey::new(&[7; 32])
}

/// The line of a visitor's event.
fn visit(visitor: &str, id: Uuid) -> String {
    format!("{{\"id\":\"{id}\",\"visitor\":{{\"id\":\"{visitor}\"}},\"url\":\"https://shop.example/{id}\"}}\n")
}

/// A batch of events, each with its visitor.
fn visits(project: &str, at_us: i64, events: &[(&str, Uuid)]) -> Batch {
    let received_at = Instant::from_us(at_us);
    let mut batch = Batch { project_key: project.into(), received_at, events: Vec::new(), lines: Vec::new() };
    for (visitor, id) in events {
        batch.lines.extend_from_slice(visit(visitor, *id).as_bytes());
        batch.events.push(BatchEvent { id: *id, scope: DedupScope::visitor(visitor), end: batch.lines.len() });
    }
    batch
}

/// Appends the events and returns for each whether it was new.
async fn visited(log: &Log, project: &str, at_us: i64, events: &[(&str, Uuid)]) -> Vec<bool> {
    let outcomes = log.append(visits(project, at_us, events)).await.unwrap();
    outcomes.into_iter().map(|outcome| outcome == AppendOutcome::Stored).collect()
}

/// Project, visitor and id of every event in order, from a log whose rewrites are signed.
fn all(dir: &Path) -> Vec<(String, String, Uuid)> {
    let reader = LogReader::open(dir).unwrap().with_key(key());
    let mut found = Vec::new();
    for block in reader.blocks(Position::default()).unwrap() {
        let block = block.unwrap();
        for event in block.events() {
            let visitor = visitor_of_line(event.line).unwrap();
            assert_eq!(format!("{}\n", str::from_utf8(event.line).unwrap()), visit(&visitor, event.id));
            found.push((event.project_key.to_string(), visitor.to_string(), event.id));
        }
    }
    found
}

fn verified(dir: &Path) -> VerifyReport {
    LogReader::open(dir).unwrap().with_key(key()).verify().unwrap()
}

fn of_visitor(project: &str, visitor: &str) -> Erasure {
    let what = ErasedEvents::OfVisitor(key().visitor(project, visitor));
    Erasure { job: Uuid::from_u128(9), project_key: project.into(), what }
}

fn before(project: &str, us: i64) -> Erasure {
    let what = ErasedEvents::ReceivedBefore(Instant::from_us(us));
    Erasure { job: Uuid::nil(), project_key: project.into(), what }
}

/// Runs [`super::super::erase`] on a thread that may block.
async fn erased(log: &Log, erasures: Vec<Erasure>) -> Result<EraseReport, EraseError> {
    let log = log.clone();
    let erase = move || super::super::erase(&log, &key(), Instant::from_us(77), &erasures, &mut |_| true);
    tokio::task::spawn_blocking(erase).await.unwrap()
}

/// Names of the files in `dir` that contain these bytes.
fn files_with(dir: &Path, bytes: &[u8]) -> Vec<String> {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap());
    let with = files.filter(|file| fs::read(file.path()).unwrap().windows(bytes.len()).any(|window| window == bytes));
    with.map(|file| file.file_name().into_string().unwrap()).collect()
}

/// Returns whether a file of the directory has any trace of an event: its id, its visitor, or the scope
/// number that earlier indexes stored for the visitor. Blocks are compressed, so they are also read with
/// a reader.
fn has_trace(dir: &Path, visitor: &str, id: Uuid) -> bool {
    let scope = DedupScope::visitor(visitor).number().to_be_bytes();
    [visitor.as_bytes(), id.as_bytes(), &scope].into_iter().any(|bytes| !files_with(dir, bytes).is_empty())
        || all(dir).iter().any(|(_, found, _)| found == visitor)
}

#[tokio::test]
async fn a_visitor_is_taken_out_of_closed_and_active_files() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 18_000, ..options() }).unwrap();
    for n in 0..80 {
        let who = if n % 10 == 3 { "gone-visitor" } else { "kept-visitor" };
        visited(&log, "shop", n as i64 * SECOND, &[("other", id(n, n)), (who, id(n, 1000 + n))]).await;
        visited(&log, "blog", n as i64 * SECOND, &[(who, id(n, n))]).await;
    }
    // The last blocks are in the active file.
    visited(&log, "shop", 90 * SECOND, &[("gone-visitor", id(90, 90))]).await;
    idle(&log).await;
    let (was, chain) = (all(dir.path()), verified(dir.path()).hashes);
    let modified = |dir: &Path| {
        let closed = files::closed(dir).unwrap();
        closed.iter().map(|file| (file.last, fs::metadata(&file.path).unwrap().modified().unwrap())).collect::<Vec<_>>()
    };
    let times = modified(dir.path());
    assert!(times.len() >= 2, "{times:?}");

    let report = erased(&log, vec![of_visitor("shop", "gone-visitor")]).await.unwrap();
    let expect: Vec<_> =
        was.iter().filter(|(project, visitor, _)| project != "shop" || visitor != "gone-visitor").cloned().collect();
    assert_eq!((report.removed, report.blocks, report.damaged), (vec![9], 9, 0));
    assert_eq!(report.examined, Position { seq: 161 });
    assert_eq!(all(dir.path()), expect);
    let after = verified(dir.path());
    assert_eq!((after.first_damage, after.damaged, after.blocks), (None, 0, 161));
    assert_eq!(after.hashes, chain, "every block has its hash, the last one too");
    assert_eq!(after.rewritten, RewriteSummary { blocks: 9, removed: 9, last_at: Some(Instant::from_us(77)) });
    for ((last, now), (was_last, was)) in modified(dir.path()).into_iter().zip(times) {
        assert_eq!(last, was_last);
        assert!(was <= now && now <= was + Duration::from_secs(1), "retention goes by these times");
    }
    assert_eq!(files_named(dir.path(), "log-").len(), files::closed(dir.path()).unwrap().len());

    // A repeated erasure has nothing to do. The same visitor id in another project is not affected.
    let again = erased(&log, vec![of_visitor("shop", "gone-visitor")]).await.unwrap();
    assert_eq!((again.removed, again.blocks, again.files), (vec![0], 0, 0));
    // An erased event that is sent again is a repeat; a new event of the same visitor is stored.
    assert_eq!(
        visited(&log, "shop", 95 * SECOND, &[("gone-visitor", id(90, 90)), ("gone-visitor", id(91, 91))]).await,
        [false, true]
    );
    let both = erased(&log, vec![of_visitor("blog", "gone-visitor"), of_visitor("shop", "gone-visitor")]).await;
    assert_eq!(both.unwrap().removed, [8, 1]);
    assert!(!has_trace(dir.path(), "gone-visitor", id(90, 90)));
    log.close().await.unwrap();
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(verified(dir.path()).first_damage, None);
    // Also when the index is rebuilt from the remaining blocks.
    log.close().await.unwrap();
    files_named(dir.path(), "seen").iter().for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(visited(&log, "shop", 99 * SECOND, &[("kept-visitor", id(0, 1000))]).await, [false]);
    assert!(!has_trace(dir.path(), "gone-visitor", id(90, 90)));
}

#[tokio::test]
async fn a_project_forgets_what_is_old_in_closed_files() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for n in 0..6 {
        visited(&log, "shop", n as i64 * SECOND, &[("a", id(n, n))]).await;
        visited(&log, "blog", n as i64 * SECOND, &[("a", id(n, n))]).await;
    }
    idle(&log).await;
    let report = erased(&log, vec![before("shop", 4 * SECOND)]).await.unwrap();
    assert_eq!((report.removed, report.blocks, report.damaged), (vec![4], 4, 0));
    let left: Vec<String> = all(dir.path()).into_iter().map(|(project, _, _)| project).collect();
    assert_eq!(left.iter().filter(|project| *project == "shop").count(), 2);
    assert_eq!(left.iter().filter(|project| *project == "blog").count(), 6);
    let reader = LogReader::open(dir.path()).unwrap();
    let rewritten = reader.rewritten_files().unwrap();
    assert_eq!(rewritten.iter().map(|file| file.records).collect::<Vec<_>>(), [1; 4]);
    let block = reader.blocks(Position::default()).unwrap().next().unwrap().unwrap();
    assert_eq!((block.seq, block.runs.len(), block.lines.len(), block.rewrites.len()), (1, 0, 0, 1));
    let rewrite = &block.rewrites[0];
    assert_eq!((rewrite.reason, &*rewrite.project_key, rewrite.removed), (RewriteReason::Retention, "shop", 1));
    assert_eq!(reader.rewritten_blocks(rewritten[0]).unwrap(), [(1, 1)]);
}

#[tokio::test]
async fn what_a_project_forgets_is_checked_against_a_wrong_clock() {
    use std::time::SystemTime;
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    // One block per day, in files with the matching modification time.
    let day = |n: i64| 86_400 * SECOND * n;
    for n in 0..30 {
        visited(&log, "shop", day(n), &[("a", id(n as u64, n as u64))]).await;
        visited(&log, "blog", day(n), &[("a", id(n as u64, n as u64))]).await;
    }
    idle(&log).await;
    let plan = |project: &str, before: i64| {
        let wanted = BTreeMap::from([(project.to_owned(), Instant::from_us(before))]);
        plan_expiry(dir.path(), &wanted).unwrap()[project]
    };
    assert!(matches!(plan("shop", day(2)).held, Some(PruneRefusal::WrittenSince { first: 1, .. })));
    for (nth, file) in files::closed(dir.path()).unwrap().into_iter().enumerate() {
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * (nth as u64 / 2));
        fs::File::options().append(true).open(file.path).unwrap().set_modified(written).unwrap();
    }
    let days = |events, held| ExpiryPlan { events, total: 30, held };
    assert_eq!(plan("shop", day(0)), days(0, None));
    assert_eq!(plan("shop", day(3)), days(3, None));
    let before = Instant::from_us(day(4));
    assert_eq!(plan("shop", day(4)), days(4, Some(PruneRefusal::TooManyEvents { events: 4, total: 30, before })));
    let (newest, before) = (Instant::from_us(day(29)), Instant::from_us(day(90)));
    assert_eq!(plan("shop", day(90)), days(30, Some(PruneRefusal::NewestIsOld { newest, before })));
    assert_eq!(plan("other", day(90)), ExpiryPlan::default());
    // Rewriting must not make a file look younger than its events, and leaves nothing to delete.
    assert_eq!(erased(&log, vec![before_day(&day, 3)]).await.unwrap().removed, [3]);
    assert_eq!(plan("shop", day(3)), ExpiryPlan { events: 0, total: 27, held: None });
    assert_eq!(plan("blog", day(3)), days(3, None));
}

fn before_day(day: &dyn Fn(i64) -> i64, n: i64) -> Erasure {
    before("shop", day(n))
}

/// Changes to the files of a log without the key are detected.
#[tokio::test]
async fn a_forged_rewrite_is_found() {
    let made = place();
    let log = Log::open(made.path(), rolling()).unwrap();
    for n in 0..5 {
        visited(&log, "shop", n as i64 * SECOND, &[("a", id(n, n)), ("b", id(n, 10 + n))]).await;
    }
    idle(&log).await;
    erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
    let honest = copy(made.path());
    log.close().await.unwrap();
    assert_eq!(verified(honest.path()).first_damage, None);

    let forgeries: [(&str, &str); 8] = [
        ("other events", "UPDATE block SET ids = zeroblob(length(ids))"),
        ("another time", "UPDATE block SET received_at = received_at + 1"),
        ("another number of events in the record", "UPDATE rewrite SET removed = removed + 1"),
        ("another time in the record", "UPDATE rewrite SET at = at + 1"),
        ("another reason", "UPDATE rewrite SET reason = 'retention'"),
        ("a reason that there is not", "UPDATE rewrite SET reason = 'other'"),
        ("no record", "DELETE FROM rewrite"),
        ("a record that is not the first", "UPDATE rewrite SET nth = 2"),
    ];
    for (what, sql) in forgeries {
        let forged = copy(honest.path());
        let file = &files::closed(forged.path()).unwrap()[2];
        Connection::open(&file.path).unwrap().execute_batch(sql).unwrap();
        let report = verified(forged.path());
        assert_eq!(report.damaged, 1, "{what}");
        assert_eq!(report.first_damage.map(|damage| damage.seq), Some(3), "{what}");
    }

    // A rewrite signed with another key is consistent in itself. With another key, existing records are not accepted as
    // intact, so this uses a log without records.
    let theirs = RewriteKey::new(&[8; 32]);
    let what = ErasedEvents::OfVisitor(theirs.visitor("shop", "b"));
    let erasures = [Erasure { job: Uuid::nil(), project_key: "shop".into(), what }];
    let fresh = place();
    let log = Log::open(fresh.path(), rolling()).unwrap();
    for n in 0..3 {
        visited(&log, "shop", n as i64 * SECOND, &[("a", id(n, n)), ("b", id(n, 10 + n))]).await;
    }
    idle(&log).await;
    let writer = log.clone();
    let erase = move || super::super::erase(&writer, &theirs, Instant::from_us(1), &erasures, &mut |_| true);
    assert_eq!(tokio::task::spawn_blocking(erase).await.unwrap().unwrap().removed, [3]);
    assert_eq!(LogReader::open(fresh.path()).unwrap().verify().unwrap().damaged, 0, "without the key nobody can tell");
    assert_eq!(verified(fresh.path()).damaged, 3);
}

/// Putting an old file with the erased events back is detected as long as the record is there.
#[tokio::test]
async fn a_rewrite_that_is_undone_is_found() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    visited(&log, "shop", SECOND, &[("a", id(0, 0)), ("b", id(0, 1))]).await;
    idle(&log).await;
    let file = files::closed(dir.path()).unwrap().remove(0).path;
    let was: (i64, String, Vec<u8>, Vec<u8>) = Connection::open(&file)
        .unwrap()
        .query_row("SELECT events, runs, ids, body FROM block", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap();
    erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
    let conn = Connection::open(&file).unwrap();
    conn.execute("UPDATE block SET events = ?1, runs = ?2, ids = ?3, body = ?4", was).unwrap();
    drop(conn);
    assert_eq!(verified(dir.path()).damaged, 1);
}

/// Blocks that differ from their written form are neither signed nor lost.
#[tokio::test]
async fn damaged_blocks_stay_and_are_counted() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 18_000, ..options() }).unwrap();
    for n in 0..40 {
        visited(&log, "shop", n as i64 * SECOND, &[("a", id(n, n)), ("b", id(n, 100 + n))]).await;
    }
    idle(&log).await;
    let file = files::closed(dir.path()).unwrap().remove(0);
    assert!(file.last >= 3);
    let conn = Connection::open(&file.path).unwrap();
    conn.execute("UPDATE block SET received_at = received_at + 1 WHERE seq = 2", []).unwrap();
    drop(conn);
    let report = erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
    assert_eq!((report.removed, report.damaged), (vec![39], 1));
    let after = verified(dir.path());
    assert_eq!((after.damaged, after.first_damage.map(|damage| damage.seq)), (1, Some(2)));
    assert_eq!(after.events, 39, "the others' events");
}

/// Tests every state of the files that a crash can leave while blocks are rewritten.
#[tokio::test]
async fn a_crash_at_any_point_loses_nothing() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 18_000, ..options() }).unwrap();
    for n in 0..50 {
        visited(&log, "shop", n as i64 * SECOND, &[("a", id(n, n)), ("b", id(n, 100 + n))]).await;
    }
    idle(&log).await;
    let was = all(dir.path());
    let copies = Arc::new(Mutex::new(Vec::new()));
    plant(dir.path(), {
        let (copies, dir) = (copies.clone(), dir.path().to_owned());
        move |name| {
            copies.lock().unwrap().push((name, copy(&dir)));
            None
        }
    });
    erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
    log.close().await.unwrap();
    let kept: Vec<_> = was.iter().filter(|(_, visitor, _)| visitor == "b").cloned().collect();
    assert_eq!(all(dir.path()), kept);
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    for point in ["rewrite: written", "rewrite: copied", "rewrite: replaced", "roll: renamed"] {
        assert!(copies.iter().any(|(name, _)| *name == point), "{point}");
    }
    for (point, dir) in copies {
        let report = verified(dir.path());
        assert_eq!((report.first_damage, report.blocks), (None, 50), "{point}");
        let found = all(dir.path());
        let others: Vec<_> = found.iter().filter(|(_, visitor, _)| visitor == "b").cloned().collect();
        assert_eq!(others, kept, "{point}");
        let log = Log::open(dir.path(), options()).unwrap();
        // Both events are known, whether erased before the crash or not.
        assert_eq!(
            visited(&log, "shop", 60 * SECOND, &[("a", id(3, 3)), ("b", id(3, 103))]).await,
            [false, false],
            "{point}"
        );
        let report = erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
        assert_eq!(report.removed, [found.len() as u64 - kept.len() as u64], "{point}");
        assert_eq!(all(dir.path()), kept, "{point}");
        log.close().await.unwrap();
        let names = fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.ends_with(".rewrite")).count(), 0, "{point}");
    }
}

#[tokio::test]
async fn an_erasure_that_fails_is_begun_again() {
    use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR};
    for point in ["rewrite: written", "rewrite: copied", "rewrite: replaced"] {
        for code in [SQLITE_FULL, SQLITE_IOERR] {
            let dir = place();
            let log = Log::open(dir.path(), options()).unwrap();
            for n in 0..5 {
                visited(&log, "shop", n as i64 * SECOND, &[("a", id(n, n)), ("b", id(n, 100 + n))]).await;
            }
            plant(dir.path(), move |name| (name == point).then_some(code));
            erased(&log, vec![of_visitor("shop", "a")]).await.unwrap_err();
            assert_eq!(verified(dir.path()).first_damage, None, "{point}");
            plant(dir.path(), |_| None);
            assert_eq!(visited(&log, "shop", 9 * SECOND, &[("b", id(9, 9))]).await, [true], "{point}");
            erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
            assert_eq!(all(dir.path()).len(), 6, "{point}");
            log.close().await.unwrap();
        }
    }
}

#[tokio::test]
async fn it_stops_and_waits_where_it_has_to() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    visited(&log, "shop", SECOND, &[("a", id(1, 1))]).await;
    // Another process has the active file open, so it cannot be closed.
    let second = Log::open(dir.path(), options()).unwrap();
    assert!(matches!(erased(&log, vec![of_visitor("shop", "a")]).await, Err(EraseError::InUse)));
    // An erasure without events in the active file does not need to close it.
    assert_eq!(erased(&log, vec![of_visitor("shop", "b")]).await.unwrap().removed, [0]);
    second.close().await.unwrap();
    let lock = super::super::erase::lock_for_tests(dir.path());
    assert!(matches!(erased(&log, vec![of_visitor("shop", "a")]).await, Err(EraseError::InProgress)));
    drop(lock);
    assert_eq!(erased(&log, vec![of_visitor("shop", "a")]).await.unwrap().removed, [1]);

    let big = "x".repeat(1 << 20);
    for n in 0..8 {
        let line = format!("{{\"visitor\":{{\"id\":\"c\"}},\"url\":\"{big}{n}\"}}\n");
        let events = vec![BatchEvent { id: id(50, n), scope: DedupScope::visitor("c"), end: line.len() }];
        let received_at = Instant::from_us(SECOND);
        log.append(Batch { project_key: "shop".into(), received_at, events, lines: line.into_bytes() }).await.unwrap();
    }
    let writer = log.clone();
    let stopped = move || {
        let erasures = [of_visitor("shop", "d")];
        super::super::erase(&writer, &key(), Instant::from_us(1), &erasures, &mut |_| false)
    };
    assert!(matches!(tokio::task::spawn_blocking(stopped).await.unwrap(), Err(EraseError::Stopped)));
}

/// A file that retention deletes during its rewrite stays deleted.
#[tokio::test]
async fn a_file_that_retention_deletes_does_not_come_back() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for n in 0..4 {
        visited(&log, "shop", n * SECOND, &[("a", id(n as u64, n as u64)), ("b", id(n as u64, 100 + n as u64))]).await;
    }
    idle(&log).await;
    let done = Arc::new(AtomicBool::new(false));
    plant(dir.path(), {
        let (log, done) = (log.clone(), done.clone());
        move |name| {
            if name == "rewrite: copied" && !done.swap(true, Ordering::SeqCst) {
                let (log, all) = (log.clone(), PruneRequest { before: Instant::from_us(2 * SECOND), force: true });
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                std::thread::spawn(move || runtime.block_on(log.prune(all)).unwrap()).join().unwrap();
            }
            None
        }
    });
    let report = erased(&log, vec![of_visitor("shop", "a")]).await.unwrap();
    assert_eq!((report.removed, report.files), (vec![2], 2), "of the two files that are left");
    let after = verified(dir.path());
    assert_eq!((after.range, after.pruned, after.first_damage), (Some((3, 4)), 2, None));
}

/// Reading from the middle of the log and appending continue while blocks are rewritten.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn others_read_and_write_meanwhile() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 60_000, ..options() }).unwrap();
    for n in 0..300 {
        let who = if n % 3 == 0 { "a" } else { "b" };
        visited(&log, "shop", n as i64, &[(who, id(n, n))]).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let appends = tokio::spawn({
        let (log, stop) = (log.clone(), stop.clone());
        async move {
            let mut n = 300;
            while !stop.load(Ordering::SeqCst) {
                assert_eq!(
                    visited(&log, "shop", n as i64, &[("a", id(n, n)), ("b", id(n, 10_000 + n))]).await,
                    [true, true]
                );
                n += 1;
            }
            n - 300
        }
    });
    let reads = tokio::task::spawn_blocking({
        let (dir, stop) = (dir.path().to_owned(), stop.clone());
        move || {
            let mut passes = 0;
            while !stop.load(Ordering::SeqCst) || passes == 0 {
                let kept =
                    all(&dir).iter().filter(|(_, who, id)| who == "b" && id.as_u128() as u64 & 0xffff < 300).count();
                assert_eq!(kept, 200);
                passes += 1;
            }
        }
    });
    let mut examined = 0;
    for _ in 0..3 {
        examined = erased(&log, vec![of_visitor("shop", "a")]).await.unwrap().examined.seq;
    }
    stop.store(true, Ordering::SeqCst);
    let appended = appends.await.unwrap();
    reads.await.unwrap();
    let found = all(dir.path());
    assert_eq!(found.iter().filter(|(_, who, _)| who == "b").count() as u64, 200 + appended);
    // Only events appended after the last erasure began are left.
    let left = found.iter().filter(|(_, who, _)| who == "a").count() as i64;
    assert_eq!(left, 300 + appended as i64 - examined);
    assert_eq!(verified(dir.path()).first_damage, None);
}

#[derive(Clone, Debug)]
enum Step {
    Append { project: usize, events: Vec<(usize, u64)>, later_s: i64 },
    Erase { targets: Vec<(usize, usize)> },
    Expire { project: usize, age_s: i64 },
    Reopen,
    Prune { age_s: i64 },
}

fn step() -> impl Strategy<Value = Step> {
    let events = proptest::collection::vec((0..4usize, 0..u64::MAX), 1..8);
    let targets = proptest::collection::vec((0..2usize, 0..4usize), 1..3);
    prop_oneof![
        8 => (0..2usize, events, 0..40i64).prop_map(|(project, events, later_s)| Step::Append { project, events, later_s }),
        2 => targets.prop_map(|targets| Step::Erase { targets }),
        1 => (0..2usize, 50..300i64).prop_map(|(project, age_s)| Step::Expire { project, age_s }),
        1 => Just(Step::Reopen),
        1 => (100..400i64).prop_map(|age_s| Step::Prune { age_s }),
    ]
}

const PROJECTS: [&str; 2] = ["shop", "blog"];
/// Some ids need escapes in JSON, which other writers may escape differently.
const VISITORS: [&str; 4] = ["a", "visitor b", "ü", "0"];

/// A block of the model: its time of receipt, its events, and the number of removed ones.
struct ModelBlock {
    at: i64,
    events: Vec<(usize, usize, Uuid)>,
    removed: u64,
}

async fn run(steps: Vec<Step>, roll_bytes: u64) -> Result<(), TestCaseError> {
    let options = LogOptions { roll_bytes, durability: Durability::Relaxed, ..options() };
    let dir = place();
    let mut log = Log::open(dir.path(), options.clone()).unwrap();
    // Blocks by number.
    let mut model: BTreeMap<i64, ModelBlock> = BTreeMap::new();
    let mut now = 1000 * SECOND;
    let (mut next, mut hashes) = (1, BTreeMap::new());
    for step in steps {
        match step {
            Step::Append { project, events, later_s } => {
                now += later_s * SECOND;
                let events: Vec<_> =
                    events.iter().enumerate().map(|(nth, (who, n))| (*who, id(nth as u64, n >> 2))).collect();
                let sent: Vec<_> = events.iter().map(|(who, id)| (VISITORS[*who], *id)).collect();
                let stored = visited(&log, PROJECTS[project], now, &sent).await;
                let events: Vec<_> = events
                    .into_iter()
                    .zip(stored)
                    .filter(|(_, new)| *new)
                    .map(|((who, id), _)| (project, who, id))
                    .collect();
                if !events.is_empty() {
                    model.insert(next, ModelBlock { at: now, events, removed: 0 });
                    next += 1;
                }
            }
            Step::Erase { targets } => {
                let erasures =
                    targets.iter().map(|(project, who)| of_visitor(PROJECTS[*project], VISITORS[*who])).collect();
                let report = erased(&log, erasures).await.unwrap();
                let mut removed = 0;
                for block in model.values_mut() {
                    let before = block.events.len();
                    block.events.retain(|(project, who, _)| !targets.contains(&(*project, *who)));
                    removed += (before - block.events.len()) as u64;
                    block.removed += (before - block.events.len()) as u64;
                }
                prop_assert_eq!(report.removed.iter().sum::<u64>(), removed);
            }
            Step::Expire { project, age_s } => {
                let limit = now - age_s * SECOND;
                idle(&log).await;
                let closed = files::closed(dir.path()).unwrap();
                erased(&log, vec![before(PROJECTS[project], limit)]).await.unwrap();
                for file in closed {
                    if model.range(file.first..=file.last).any(|(_, block)| block.at >= limit) {
                        continue;
                    }
                    for (_, block) in model.range_mut(file.first..=file.last) {
                        let before = block.events.len();
                        block.events.retain(|(of, _, _)| *of != project);
                        block.removed += (before - block.events.len()) as u64;
                    }
                }
            }
            Step::Reopen => {
                log.close().await.unwrap();
                log = Log::open(dir.path(), options.clone()).unwrap();
            }
            Step::Prune { age_s } => {
                prune(&log, now - age_s * SECOND).await;
                let first = LogReader::open(dir.path()).unwrap().extent().unwrap().first;
                model.retain(|seq, _| *seq >= first);
            }
        }
        idle(&log).await;
        let reader = LogReader::open(dir.path()).unwrap().with_key(key());
        let mut found = Vec::new();
        for block in reader.blocks(Position::default()).unwrap() {
            let block = block.unwrap();
            // A block's hash never changes.
            prop_assert_eq!(*hashes.entry(block.seq).or_insert(block.hash), block.hash);
            let events: Vec<_> = block
                .events()
                .map(|event| {
                    let project = PROJECTS.iter().position(|project| **project == **event.project_key).unwrap();
                    let visitor = visitor_of_line(event.line).unwrap();
                    (project, VISITORS.iter().position(|known| *known == visitor).unwrap(), event.id)
                })
                .collect();
            let removed = block.rewrites.iter().map(|rewrite| rewrite.removed).sum::<u64>();
            found.push((block.seq, events, removed));
        }
        let expect: Vec<_> = model.iter().map(|(seq, block)| (*seq, block.events.clone(), block.removed)).collect();
        prop_assert_eq!(found, expect);
        let verified = reader.verify().unwrap();
        prop_assert_eq!(verified.damaged, 0);
        prop_assert_eq!(verified.rewritten.removed, model.values().map(|block| block.removed).sum::<u64>());
        // Every way of reading finds the same blocks.
        let summaries = reader.summaries(Position::default()).unwrap().map(|block| block.unwrap().events).sum::<u64>();
        prop_assert_eq!(summaries, verified.events);
    }
    log.close().await.unwrap();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_log_is_what_was_appended_and_not_erased(
        steps in proptest::collection::vec(step(), 1..30),
        roll_bytes in prop_oneof![Just(1), Just(30_000), Just(1 << 30)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(steps, roll_bytes))?;
    }
}
