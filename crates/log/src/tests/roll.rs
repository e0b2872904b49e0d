use super::*;

#[tokio::test]
async fn files_follow_each_other() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 40_000, ..options() }).unwrap();
    let mut expect = Vec::new();
    for n in 0..60 {
        let ids = ids(n * 50..n * 50 + 50);
        assert_eq!(stored(&log, "shop", n as i64 * SECOND, &ids).await, 50);
        expect.extend(ids.into_iter().map(|id| ("shop".to_owned(), id)));
    }
    assert_eq!(log.last(), Position { seq: 60 });
    idle(&log).await;
    let closed = files::closed(dir.path()).unwrap();
    assert!(closed.len() >= 3, "{closed:?}");
    assert_eq!(closed[0].first, 1);
    for pair in closed.windows(2) {
        assert_eq!(pair[0].last + 1, pair[1].first);
    }
    for file in &closed {
        assert!(!files::beside(&file.path, "-wal").exists(), "closed files stand alone");
    }
    assert_eq!(read(dir.path()), expect);
    assert_eq!(whole(dir.path()).range, Some((1, 60)));
    log.close().await.unwrap();
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(log.last(), Position { seq: 60 });
    assert_eq!(stored(&log, "shop", 60 * SECOND, &ids(0..3000)).await, 0);
    assert_eq!(stored(&log, "shop", 60 * SECOND, &ids(3000..3001)).await, 1);
    // From the middle of a closed file, and from its end.
    let reader = LogReader::open(dir.path()).unwrap();
    for after in [closed[1].first, closed[1].last, 60, 61] {
        let found: Vec<i64> = reader.blocks(Position { seq: after }).unwrap().map(|block| block.unwrap().seq).collect();
        assert_eq!(found, (after + 1..=61).collect::<Vec<_>>(), "after {after}");
    }
}

#[tokio::test]
async fn a_reader_that_was_further_is_told() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    stored(&log, "shop", SECOND, &ids(0..1)).await;
    let mut blocks = LogReader::open(dir.path()).unwrap().blocks(Position { seq: 3 }).unwrap();
    let Some(Err(ReadError::Damage(damage))) = blocks.next() else { panic!("nothing is told") };
    assert_eq!((damage.seq, damage.last), (2, Some(3)));
    for n in 1..5 {
        assert!(blocks.next().is_none());
        stored(&log, "shop", SECOND, &ids(n..n + 1)).await;
        if n > 2 {
            assert_eq!(blocks.next().unwrap().unwrap().seq, n as i64 + 1);
        }
    }
}

/// Tests every state of the files that a crash can leave while a block is written, a file
/// rolled or a generation of the index created.
#[tokio::test]
async fn a_crash_at_any_point_is_survived() {
    let dir = place();
    let turning = LogOptions { dedup_window_us: 10 * SECOND, ..rolling() };
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 1 << 30, ..turning.clone() }).unwrap();
    let time = |n: u64| n as i64 * 6 * SECOND;
    let tens = |n: u64| ids(n * 10..n * 10 + 10);
    for n in 0..3 {
        stored(&log, "shop", time(n), &tens(n)).await;
    }
    log.close().await.unwrap();

    let copies = Arc::new(Mutex::new(Vec::new()));
    let log = Log::open(dir.path(), turning.clone()).unwrap();
    plant(dir.path(), {
        let (copies, dir) = (copies.clone(), dir.path().to_owned());
        move |name| {
            copies.lock().unwrap().push((name, copy(&dir)));
            None
        }
    });
    for n in 3..8 {
        assert_eq!(stored(&log, "shop", time(n), &tens(n)).await, 10);
    }
    log.close().await.unwrap();
    let copies = std::mem::take(&mut *copies.lock().unwrap());
    let points: HashSet<&str> = copies.iter().map(|(name, _)| *name).collect();
    for point in [
        "roll: closed",
        "roll: next made",
        "roll: renamed",
        "roll: done",
        "begun",
        "insert",
        "commit",
        "committed",
        "index: begun",
        "index: closed",
        "index: next made",
        "index: commit",
    ] {
        assert!(points.contains(point), "{point} in {points:?}");
    }
    for (point, dir) in copies {
        let last = whole(dir.path()).blocks;
        assert_eq!(read(dir.path()).len() as u64, last * 10, "{point}");
        for options in [LogOptions { roll_bytes: 1 << 30, ..turning.clone() }, turning.clone()] {
            let log = Log::open(dir.path(), options).unwrap();
            assert_eq!((log.last().seq as u64, log.state()), (last, LogState::Accepting), "{point}");
            // The last two are within the window.
            for n in last - 2..last {
                assert_eq!(stored(&log, "shop", time(last - 1), &tens(n)).await, 0, "{point}: {n} of {last}");
            }
            log.close().await.unwrap();
        }
        let log = Log::open(dir.path(), turning.clone()).unwrap();
        assert_eq!(stored(&log, "shop", time(last), &tens(last)).await, 10, "{point}");
        for n in last - 1..=last {
            assert_eq!(stored(&log, "shop", time(last), &tens(n)).await, 0, "{point}");
        }
        log.close().await.unwrap();
        assert_eq!(whole(dir.path()).range, Some((1, last as i64 + 1)), "{point}");
        assert!(files_named(dir.path(), "seen").len() <= 2, "{point}");
    }
}

#[tokio::test]
async fn a_roll_that_fails_harms_nothing() {
    use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR};
    for point in ["roll: closed", "roll: next made", "roll: renamed", "roll: done"] {
        for code in [SQLITE_FULL, SQLITE_IOERR] {
            let dir = place();
            plant(dir.path(), move |name| (name == point).then_some(code));
            let log = Log::open(dir.path(), rolling()).unwrap();
            for n in 0..3 {
                assert_eq!(stored(&log, "shop", SECOND, &ids(n..n + 1)).await, 1, "{point}");
            }
            assert_eq!(stored(&log, "shop", SECOND, &ids(0..3)).await, 0, "{point}");
            log.close().await.unwrap();
            assert_eq!(whole(dir.path()).events, 3, "{point}");
        }
    }
}

#[tokio::test]
async fn others_with_the_file_open_put_a_roll_off() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    let rolled = || files::closed(dir.path()).unwrap().len();
    let second = Log::open(dir.path(), options()).unwrap();
    stored(&log, "shop", SECOND, &ids(0..1)).await;
    idle(&log).await;
    assert_eq!(rolled(), 0, "another handle");
    second.close().await.unwrap();

    // A program that does not use the lock file.
    let outsider = rusqlite::Connection::open(dir.path().join("log.db")).unwrap();
    let count = || outsider.query_row("SELECT count(*) FROM block", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count(), 1);
    log.close().await.unwrap();
    let log = Log::open(dir.path(), rolling()).unwrap();
    stored(&log, "shop", SECOND, &ids(1..2)).await;
    idle(&log).await;
    assert_eq!((rolled(), count()), (0, 2), "a foreign connection");
    drop(outsider);
    log.close().await.unwrap();
    let log = Log::open(dir.path(), rolling()).unwrap();
    stored(&log, "shop", SECOND, &ids(2..3)).await;
    log.close().await.unwrap();
    assert_eq!(rolled(), 1);
    assert_eq!(whole(dir.path()).blocks, 3);
}

#[tokio::test]
async fn retention_deletes_closed_files_from_the_oldest_on() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for (n, at) in [10, 20, 30, 25, 40, 50].into_iter().enumerate() {
        stored(&log, "shop", at * SECOND, &ids(n as u64..n as u64 + 1)).await;
    }
    // The sixth is closed with the next block at the latest, or earlier.
    let cases = [
        (5, 0, 1..=6),
        (10, 0, 1..=6),
        (11, 1, 2..=6),
        // The fourth is old enough, but follows one that is not.
        (28, 1, 3..=6),
        (31, 2, 5..=6),
    ];
    for (before, files, left) in cases {
        let pruned = prune(&log, before * SECOND).await;
        assert_eq!((pruned.files, pruned.blocks, pruned.bytes > 0), (files, files, files > 0), "before {before}");
        let verified = whole(dir.path());
        assert_eq!(verified.range, Some((*left.start(), *left.end())), "before {before}");
        assert_eq!(verified.pruned, left.start() - 1, "before {before}");
        // A reader that lags behind continues with the remaining blocks.
        let reader = LogReader::open(dir.path()).unwrap();
        let found: Vec<i64> = reader.blocks(Position { seq: 1 }).unwrap().map(|block| block.unwrap().seq).collect();
        assert_eq!(found, left.filter(|seq| *seq > 1).collect::<Vec<_>>());
    }
    prune(&log, i64::MAX).await;
    assert!(dir.path().join("log.db").exists());
    assert_eq!(stored(&log, "shop", 60 * SECOND, &ids(0..7)).await, 1, "what is deleted is still known");
    assert_eq!(log.last(), Position { seq: 7 });
    log.close().await.unwrap();
    // The index is rebuilt from the remaining blocks.
    files_named(dir.path(), "seen").iter().for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(stored(&log, "shop", 61 * SECOND, &ids(6..8)).await, 1);
    assert_eq!(whole(dir.path()).range, Some((7, 8)));
}

/// The first damage found after the block `after`.
fn first_damage(dir: &Path, after: i64) -> Option<(i64, Option<i64>)> {
    let mut blocks = LogReader::open(dir).unwrap().blocks(Position { seq: after }).unwrap();
    blocks.find_map(|block| match block {
        Err(ReadError::Damage(damage)) => Some((damage.seq, damage.last)),
        _ => None,
    })
}

#[tokio::test]
async fn a_file_that_somebody_else_deleted_is_told_apart_from_retention() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for n in 0..8 {
        stored(&log, "shop", n as i64 * SECOND, &ids(n..n + 1)).await;
    }
    prune(&log, 2 * SECOND).await;
    let remove_oldest = || {
        let oldest = files::closed(dir.path()).unwrap().remove(0);
        fs::remove_file(&oldest.path).unwrap();
        oldest.last
    };
    assert_eq!((whole(dir.path()).pruned, first_damage(dir.path(), 0)), (2, None));
    assert_eq!(remove_oldest(), 3);
    for after in [0, 2] {
        assert_eq!(first_damage(dir.path(), after), Some((3, Some(3))), "after {after}");
    }
    assert_eq!(first_damage(dir.path(), 3), None, "whoever has read them misses nothing");
    // Later files and a restart also have the record.
    stored(&log, "shop", 8 * SECOND, &ids(8..9)).await;
    log.close().await.unwrap();
    let log = Log::open(dir.path(), rolling()).unwrap();
    stored(&log, "shop", 9 * SECOND, &ids(9..10)).await;
    assert_eq!(remove_oldest(), 4);
    let verified = LogReader::open(dir.path()).unwrap().verify().unwrap();
    assert_eq!((verified.pruned, verified.damaged, verified.range), (2, 2, Some((3, 10))));
    let damage = verified.first_damage.unwrap();
    assert_eq!((damage.seq, damage.last, damage.path.as_path()), (3, Some(4), dir.path()));
    assert!(damage.problem.contains("retention did not delete"), "{damage}");
    // Later retention also covers the gap.
    prune(&log, 6 * SECOND).await;
    assert_eq!(whole(dir.path()).pruned, 6);
    // All closed files; the active file stays.
    prune(&log, 100 * SECOND).await;
    let verified = whole(dir.path());
    // The last is closed with the next block at the latest, or earlier.
    assert_eq!(verified.pruned as u64 + verified.blocks, 10);
    assert!(verified.pruned >= 9, "{verified:?}");
    log.close().await.unwrap();
}

/// A missing active file is not replaced by an empty one while the index has events of
/// its blocks.
#[tokio::test]
async fn a_file_that_is_gone_with_its_blocks_is_not_begun_anew() {
    for options in [options(), LogOptions { roll_bytes: 40_000, ..options() }] {
        let dir = place();
        let log = Log::open(dir.path(), options.clone()).unwrap();
        let closed = || files::closed(dir.path()).unwrap().last().map_or(0, |file| file.last);
        let mut sent = 0;
        while sent < 20 || log.last().seq == closed() {
            assert_eq!(stored(&log, "shop", SECOND, &ids(sent * 50..sent * 50 + 50)).await, 50);
            idle(&log).await;
            sent += 1;
            assert!(sent < 100, "each block closes a file");
        }
        let all = ids(0..sent * 50);
        log.close().await.unwrap();
        let (active, away) = (dir.path().join("log.db"), dir.path().join("away"));
        fs::rename(&active, &away).unwrap();
        for _ in 0..2 {
            let error = Log::open(dir.path(), options.clone()).unwrap_err().to_string();
            assert!(error.contains(&format!("the blocks {} to {sent}: put it back", closed() + 1)), "{error}");
            assert!(!active.exists(), "nothing is begun in its place");
        }

        fs::rename(&away, &active).unwrap();
        let log = Log::open(dir.path(), options.clone()).unwrap();
        assert_eq!(stored(&log, "shop", SECOND, &all).await, 0);
        log.close().await.unwrap();

        // Deleting the index accepts the loss: the log continues with the remaining
        // blocks, whose repeats are known.
        fs::remove_file(&active).unwrap();
        for name in files_named(dir.path(), "seen-") {
            fs::remove_file(dir.path().join(name)).unwrap();
        }
        let log = Log::open(dir.path(), options).unwrap();
        assert_eq!(log.last().seq, closed());
        let lost = (sent - closed().unsigned_abs()) as usize * 50;
        assert_eq!(stored(&log, "shop", SECOND, &all).await, lost);
    }
}

#[tokio::test]
async fn retention_that_was_cut_short_is_no_damage() {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for n in 0..4 {
        stored(&log, "shop", n as i64 * SECOND, &ids(n..n + 1)).await;
    }
    idle(&log).await;
    let before = copy(dir.path());
    prune(&log, 2 * SECOND).await;
    // The deletion is recorded, and the files still exist.
    let noted = copy(dir.path());
    for file in files::closed(before.path()).unwrap() {
        fs::copy(&file.path, noted.path().join(file.path.file_name().unwrap())).unwrap();
    }
    assert_eq!(whole(noted.path()).range, Some((1, 4)));
    // A file created by an earlier release has no record of it.
    log.close().await.unwrap();
    let conn = rusqlite::Connection::open(dir.path().join("log.db")).unwrap();
    conn.execute_batch("DROP TABLE pruned").unwrap();
    drop(conn);
    assert_eq!(first_damage(dir.path(), 0), Some((1, Some(2))));
    let log = Log::open(dir.path(), rolling()).unwrap();
    prune(&log, 3 * SECOND).await;
    assert_eq!(whole(dir.path()).pruned, 3);
}

#[tokio::test]
async fn a_small_file_is_closed_when_it_is_old() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_us: 100 * SECOND, ..options() }).unwrap();
    for (n, at) in [10, 60, 110, 111, 112].into_iter().enumerate() {
        stored(&log, "shop", at * SECOND, &ids(n as u64..n as u64 + 1)).await;
    }
    assert_eq!(files::closed(dir.path()).unwrap().len(), 1, "with the block that is 101 s after the first");
    // The active file always stays.
    let pruned = prune(&log, i64::MAX).await;
    assert_eq!((pruned.files, pruned.blocks), (1, 4));
    assert_eq!(stored(&log, "shop", 120 * SECOND, &ids(5..6)).await, 1);
    assert_eq!(whole(dir.path()).range, Some((5, 6)));
}

/// A log with one file per day, whose modification time is that day.
async fn daily(days: std::ops::Range<u64>) -> (TempDir, Log) {
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for day in days.clone() {
        stored(&log, "shop", day as i64 * DAY_US, &ids(day..day + 1)).await;
    }
    idle(&log).await;
    for (day, file) in days.zip(files::closed(dir.path()).unwrap()) {
        let written = std::time::UNIX_EPOCH + Duration::from_secs(day * 86_400);
        fs::File::options().append(true).open(&file.path).unwrap().set_modified(written).unwrap();
    }
    (dir, log)
}

async fn careful(log: &Log, before_us: i64) -> PruneReport {
    log.prune(PruneRequest { before: Instant::from_us(before_us), force: false }).await.unwrap()
}

#[tokio::test]
async fn a_wrong_clock_deletes_nothing() {
    let (dir, log) = daily(100..140).await;
    let before = read(dir.path());
    // Clocks ahead by up to 20,000 days, or behind: deletes nothing.
    for day in [0, 100, 141, 540, 20_000, -20_000] {
        let pruned = careful(&log, day * DAY_US).await;
        assert_eq!(pruned.files, 0, "day {day}");
        assert_eq!(pruned.held.is_some(), day > 140, "day {day}: {:?}", pruned.held);
        assert_eq!(read(dir.path()), before, "day {day}");
    }
    let Some(PruneRefusal::NewestIsOld { newest, .. }) = careful(&log, 540 * DAY_US).await.held else {
        panic!("not held")
    };
    assert_eq!(newest.us(), 139 * DAY_US);
    // While the clock is wrong, new events get the wrong time, so the newest block looks
    // new.
    stored(&log, "shop", 600 * DAY_US, &ids(600..601)).await;
    let held = careful(&log, 540 * DAY_US).await.held;
    assert!(matches!(held, Some(PruneRefusal::TooMuch { bytes, total, .. }) if bytes > total / 10), "{held:?}");
    assert_eq!(read(dir.path()).len(), before.len() + 1);
    // `force` deletes them anyway.
    let pruned = prune(&log, 540 * DAY_US).await;
    assert_eq!((pruned.files, pruned.held), (40, None));
    assert_eq!(read(dir.path()).len(), 1);
    log.close().await.unwrap();
}

#[tokio::test]
async fn retention_that_is_due_needs_nobody() {
    let (dir, log) = daily(100..140).await;
    for day in 101..=103 {
        let pruned = careful(&log, day * DAY_US).await;
        assert_eq!((pruned.files, pruned.held), (1, None), "day {day}");
    }
    // Events with an old time in a file written today: the clock was wrong then, or is
    // now.
    let oldest = &files::closed(dir.path()).unwrap()[0];
    fs::File::options().append(true).open(&oldest.path).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    let pruned = careful(&log, 105 * DAY_US).await;
    assert_eq!((pruned.files, pruned.blocks), (0, 0));
    assert!(matches!(pruned.held, Some(PruneRefusal::WrittenSince { first: 4, last: 4, .. })), "{pruned:?}");
    assert_eq!(careful(&log, 103 * DAY_US).await, PruneReport::default(), "its events are not old enough");
    assert_eq!(whole(dir.path()).range, Some((4, 40)));
    log.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_follows_a_writer_that_rolls() {
    const BLOCKS: u64 = 150;
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 30_000, ..options() }).unwrap();
    // A reading process postpones a roll, so the first roll happens before the readers
    // start.
    let mut written = 0;
    while files::closed(dir.path()).unwrap().is_empty() {
        assert!(written < BLOCKS, "it did not roll");
        assert_eq!(stored(&log, "shop", SECOND, &ids(written * 20..written * 20 + 20)).await, 20);
        written += 1;
    }
    let reader = LogReader::open(dir.path()).unwrap();
    let tail = std::thread::spawn(move || {
        let mut blocks = reader.blocks(Position::default()).unwrap();
        let mut found = Vec::new();
        until("all events", || {
            for block in &mut blocks {
                let block = block.unwrap();
                assert_eq!(block.seq as usize, found.len() / 20 + 1);
                found.extend(block.events().map(|event| event.id));
            }
            found.len() as u64 >= BLOCKS * 20
        });
        found
    });
    for n in written..BLOCKS {
        assert_eq!(stored(&log, "shop", SECOND, &ids(n * 20..n * 20 + 20)).await, 20);
    }
    assert_eq!(tail.join().unwrap(), ids(0..BLOCKS * 20));
    log.close().await.unwrap();
    assert_eq!(whole(dir.path()).blocks, BLOCKS);
}
