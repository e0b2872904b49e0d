use super::*;

#[tokio::test]
async fn what_is_stored_comes_back() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(log.last(), Position { seq: 0 });
    assert_eq!(log.state(), LogState::Accepting);
    assert_eq!(stored(&log, "shop", SECOND, &ids(0..5)).await, 5);
    assert_eq!(stored(&log, "blog", 3 * SECOND, &ids(0..2)).await, 2);
    assert_eq!(log.append(batch("shop", SECOND, &[])).await, Ok(vec![]));
    assert_eq!(log.last(), Position { seq: 2 });

    let mut expect: Vec<(String, Uuid)> = ids(0..5).into_iter().map(|id| ("shop".to_owned(), id)).collect();
    expect.extend(ids(0..2).into_iter().map(|id| ("blog".to_owned(), id)));
    assert_eq!(read(dir.path()), expect, "beside the writer");
    log.close().await.unwrap();
    assert_eq!(read(dir.path()), expect, "after it");

    let reader = LogReader::open(dir.path()).unwrap();
    assert_eq!(reader.last().unwrap(), Position { seq: 2 });
    let blocks: Vec<Block> = reader.blocks(Position { seq: 1 }).unwrap().map(Result::unwrap).collect();
    assert_eq!((blocks.len(), blocks[0].seq, blocks[0].received_at.us()), (1, 2, 3 * SECOND));
    assert_eq!(blocks[0].of("blog").count(), 2);
    assert_eq!(blocks[0].of("shop").count(), 0);
    let summaries: Vec<BlockSummary> = reader.summaries(Position::default()).unwrap().map(Result::unwrap).collect();
    assert_eq!(summaries.iter().map(|summary| (summary.seq, summary.events)).collect::<Vec<_>>(), [(1, 5), (2, 2)]);
    let count = |from, to| reader.count(Instant::from_us(from)..Instant::from_us(to)).unwrap();
    assert_eq!(count(0, 2 * SECOND), BTreeMap::from([("shop".into(), 5)]));
    assert_eq!(count(0, 4 * SECOND), BTreeMap::from([("shop".into(), 5), ("blog".into(), 2)]));
    let verified = whole(dir.path());
    assert_eq!(
        VerifyReport { hashes: None, ..verified.clone() },
        VerifyReport {
            blocks: 2,
            events: 7,
            range: Some((1, 2)),
            hashes: None,
            pruned: 0,
            rewritten: RewriteSummary::default(),
            damaged: 0,
            first_damage: None
        }
    );
    assert_eq!(verified.hashes.map(|(_, last)| last), Some(blocks[0].hash));
}

#[tokio::test]
async fn an_empty_log_is_a_log() {
    let dir = place();
    assert!(matches!(LogReader::open(dir.path()), Err(Error::Missing { .. })));
    Log::open(dir.path(), options()).unwrap().close().await.unwrap();
    assert_eq!(read(dir.path()), []);
    assert_eq!(whole(dir.path()), VerifyReport::default());
    assert_eq!(LogReader::open(dir.path()).unwrap().last().unwrap(), Position { seq: 0 });
}

#[tokio::test]
async fn the_hash_is_the_documented_one() {
    use sha2::{Digest, Sha256};
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    for n in 0..3 {
        stored(&log, "shop", SECOND, &ids(n..n + 2)).await;
    }
    log.close().await.unwrap();
    let conn = rusqlite::Connection::open(dir.path().join("log.db")).unwrap();
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((number("PRAGMA application_id"), number("PRAGMA user_version")), (0x4d6c_6f67, 1));
    let blob = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    let mut text = b"muriel event log\n".to_vec();
    text.extend(blob("SELECT log FROM file"));
    let mut hash = Sha256::digest(&text).to_vec();
    assert_eq!(hash, blob("SELECT after_hash FROM file"));
    for seq in 1..=3 {
        let column = |name| format!("SELECT {name} FROM block WHERE seq = {seq}");
        let mut text = hash;
        for name in ["seq", "received_at", "events"] {
            text.extend(number(&column(name)).to_be_bytes());
        }
        for name in ["CAST(runs AS BLOB)", "ids", "body"] {
            let part = blob(&column(name));
            text.extend((part.len() as u64).to_be_bytes());
            text.extend(part);
        }
        hash = Sha256::digest(&text).to_vec();
        assert_eq!(hash, blob(&column("hash")), "block {seq}");
    }
}

#[tokio::test]
async fn lines_that_are_not_those_of_the_events_are_refused() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { queue_bytes: 1 << 20, ..options() }).unwrap();
    let one = id(1, 1);
    for (ends, lines, expect) in [
        (vec![3], "{}\n".to_owned(), Ok(vec![AppendOutcome::Stored])),
        (vec![2], "{}".to_owned(), Err(AppendError::Malformed)),
        (vec![3], "{}\n{}\n".to_owned(), Err(AppendError::Malformed)),
        (vec![6], "{}\n{}\n".to_owned(), Err(AppendError::Malformed)),
        (vec![3, 3], "{}\n".to_owned(), Err(AppendError::Malformed)),
        (vec![3, 2], "{}\n".to_owned(), Err(AppendError::Malformed)),
        (vec![9], "{}\n".to_owned(), Err(AppendError::Malformed)),
        (vec![], "{}\n".to_owned(), Err(AppendError::Malformed)),
        (vec![2 << 20], " ".repeat((2 << 20) - 1) + "\n", Err(AppendError::TooLarge)),
        (vec![9 << 20], " ".repeat((9 << 20) - 1) + "\n", Err(AppendError::TooLarge)),
    ] {
        let events = ends.iter().map(|&end| BatchEvent { id: one, scope: DedupScope::PROJECT, end }).collect();
        let lines = lines.into_bytes();
        let batch = Batch { project_key: "shop".into(), received_at: Instant::from_us(SECOND), events, lines };
        let seen = format!("{ends:?} {}", batch.lines.len());
        assert_eq!(log.append(batch).await, expect, "{seen}");
    }
}

/// Holds the writer at a failpoint until a message is sent.
fn hold(dir: &Path, at: &'static str) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (reached, wait_reached) = mpsc::channel();
    let (go, wait_go) = mpsc::channel::<()>();
    let wait_go = Mutex::new(wait_go);
    plant(dir, move |name| {
        if name == at {
            let _ = reached.send(());
            // Held once: after the sender is dropped it continues.
            let _ = wait_go.lock().unwrap().recv();
        }
        None
    });
    (wait_reached, go)
}

#[tokio::test]
async fn what_waits_shares_a_commit() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let (reached, go) = hold(dir.path(), "commit");
    let mut tasks = Vec::new();
    for n in 0..100 {
        let log = log.clone();
        let project = if n % 2 == 0 { "shop" } else { "blog" };
        // Every event is sent by two tasks.
        tasks.push(tokio::spawn(async move { stored(&log, project, SECOND, &ids(n / 4 * 10..n / 4 * 10 + 10)).await }));
        if n == 0 {
            tokio::task::yield_now().await;
            reached.recv().unwrap();
        }
    }
    // One thread runs all tasks, so after a few rounds their batches are in the queue.
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    drop(go);
    let mut new = 0;
    for task in tasks {
        new += task.await.unwrap();
    }
    assert_eq!(new, 2 * 250);
    assert_eq!(log.last(), Position { seq: 2 });
    let blocks: Vec<Block> =
        LogReader::open(dir.path()).unwrap().blocks(Position::default()).unwrap().map(Result::unwrap).collect();
    assert_eq!(blocks[1].runs.len(), 2, "a run for each project");
    assert_eq!(read(dir.path()).into_iter().collect::<HashSet<_>>().len(), 500);
    assert_eq!(whole(dir.path()).events, 500);
}

#[tokio::test]
async fn blocks_tell_the_second_they_were_received_in() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let (reached, go) = hold(dir.path(), "commit");
    let times = [0, 100, 500_000, 900_000, 3_000_000, 3_500_000, 100, 9_000_000];
    let mut tasks = Vec::new();
    for (n, at) in times.into_iter().enumerate() {
        let log = log.clone();
        tasks.push(tokio::spawn(async move { stored(&log, "shop", at, &[id(1, n as u64)]).await }));
        if n == 0 {
            tokio::task::yield_now().await;
            reached.recv().unwrap();
        }
    }
    tokio::task::yield_now().await;
    drop(go);
    for task in tasks {
        assert_eq!(task.await.unwrap(), 1);
    }
    let blocks = LogReader::open(dir.path()).unwrap().summaries(Position::default()).unwrap().map(Result::unwrap);
    let blocks: Vec<(i64, u64)> = blocks.map(|block| (block.received_at.us(), block.events)).collect();
    assert_eq!(blocks, [(0, 1), (900_000, 3), (3_500_000, 2), (100, 1), (9_000_000, 1)]);
}

#[tokio::test]
async fn a_full_queue_is_busy_and_a_dropped_call_is_whole() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { queue_bytes: 4096, ..options() }).unwrap();
    let (reached, go) = hold(dir.path(), "commit");
    let first = tokio::spawn({
        let log = log.clone();
        async move { stored(&log, "shop", SECOND, &ids(0..5)).await }
    });
    tokio::task::yield_now().await;
    reached.recv().unwrap();
    let dropped = tokio::spawn({
        let log = log.clone();
        async move { stored(&log, "shop", SECOND, &ids(5..10)).await }
    });
    tokio::task::yield_now().await;
    dropped.abort();
    assert!(dropped.await.unwrap_err().is_cancelled());
    let large = ids(100..120);
    assert_eq!(log.append(batch("shop", SECOND, &large)).await, Err(AppendError::Busy));
    drop(go);
    assert_eq!(first.await.unwrap(), 5);
    assert_eq!(stored(&log, "shop", SECOND, &large).await, 20, "there is place again");
    assert_eq!(stored(&log, "shop", SECOND, &ids(5..10)).await, 0, "it was in the queue when it was dropped");
    assert_eq!(whole(dir.path()).events, 30);
}

#[tokio::test]
async fn a_closed_log_says_so() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let clone = log.clone();
    stored(&log, "shop", SECOND, &ids(0..1)).await;
    log.close().await.unwrap();
    assert!(matches!(clone.state(), LogState::Unavailable { reason: UnavailableReason::Closed, .. }));
    let refused = clone.append(batch("shop", SECOND, &ids(1..2))).await;
    assert!(matches!(refused, Err(AppendError::Unavailable { reason: UnavailableReason::Closed, .. })), "{refused:?}");
    assert!(matches!(clone.prune(PruneRequest { before: Instant::from_us(0), force: true }).await, Err(Error::Closed)));
    clone.close().await.unwrap();
    assert_eq!(files_named(dir.path(), "log"), ["log.db"]);
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = place();
    let log = Log::open(dir.path(), rolling()).unwrap();
    for n in 0..3 {
        stored(&log, "shop", SECOND, &ids(n..n + 1)).await;
    }
    idle(&log).await;
    let files = fs::read_dir(dir.path()).unwrap().map(Result::unwrap);
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", file.path().display());
    }
}
