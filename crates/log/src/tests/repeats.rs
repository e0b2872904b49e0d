use super::*;

const DAY: i64 = 86_400 * SECOND;

#[tokio::test]
async fn an_event_counts_once_per_project_and_id() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    let (a, b, c) = (id(1, 1), id(1, 2), id(1, 3));
    for (project, ids, expect) in [
        ("shop", vec![a, a, b], "SRS"),
        ("shop", vec![b, c, a], "RSR"),
        ("blog", vec![a, b, c, c], "SSSR"),
        ("shop", vec![c], "R"),
        ("shop", vec![a, b, c], "RRR"),
        ("blog", vec![id(0, 9), a, id(2, 9)], "SRS"),
    ] {
        let taken = log.append(batch(project, SECOND, &ids)).await.unwrap();
        let taken: String = taken.iter().map(|taken| if *taken == AppendOutcome::Stored { 'S' } else { 'R' }).collect();
        assert_eq!(taken, expect, "{project} {ids:?}");
    }
    // Batches without new events write no block.
    assert_eq!(log.last(), Position { seq: 4 });
    assert_eq!(read(dir.path()).len(), 8);
    log.close().await.unwrap();
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(stored(&log, "shop", SECOND, &[a, b, c]).await, 0);
    assert_eq!(whole(dir.path()).events, 8);
}

/// Stored events of visitors: visitor, whether sent with an API key, id.
fn sent(events: &[(&str, bool, Uuid)]) -> Batch {
    let received_at = Instant::from_us(SECOND);
    let mut batch = Batch { project_key: "shop".into(), received_at, events: Vec::new(), lines: Vec::new() };
    for (visitor, trusted, id) in events {
        let trusted_field = if *trusted { r#","vouched":true"# } else { "" };
        let line = format!("{{\"id\":\"{id}\",\"visitor\":{{\"id\":\"{visitor}\"}}{trusted_field}}}\n");
        let scope = if *trusted { DedupScope::PROJECT } else { DedupScope::visitor(visitor) };
        assert_eq!(DedupScope::of_line(line.trim_end().as_bytes()), scope, "{line}");
        batch.lines.extend_from_slice(line.as_bytes());
        batch.events.push(BatchEvent { id: *id, scope, end: batch.lines.len() });
    }
    batch
}

#[tokio::test]
async fn nobody_can_claim_the_id_of_anothers_event() {
    let dir = place();
    let mut log = Log::open(dir.path(), options()).unwrap();
    let (a, b) = (id(1, 1), id(1, 2));
    for (visitor, trusted, id, expect) in [
        // A client that guesses the id first does not affect the server that sends it with
        // a key,
        ("stranger", false, a, AppendOutcome::Stored),
        ("buyer", true, a, AppendOutcome::Stored),
        ("buyer", true, a, AppendOutcome::Repeated),
        ("another", true, a, AppendOutcome::Repeated),
        // nor another visitor, and cannot find out who sent it before.
        ("buyer", false, a, AppendOutcome::Stored),
        ("buyer", false, a, AppendOutcome::Repeated),
        ("stranger", false, a, AppendOutcome::Repeated),
        ("buyer", true, b, AppendOutcome::Stored),
        ("stranger", false, b, AppendOutcome::Stored),
        ("stranger", false, b, AppendOutcome::Repeated),
    ] {
        let taken = log.append(sent(&[(visitor, trusted, id)])).await.unwrap();
        assert_eq!(taken, [expect], "{visitor} {trusted} {id}");
    }
    let escaped = br#"{"id":"x","visitor":{"id":"st\u0072anger","attributes":{"vouched":true}}}"#;
    assert_eq!(DedupScope::of_line(escaped), DedupScope::visitor("stranger"));
    // An index rebuilt from the log gives the same outcomes.
    let claims = [("stranger", false, a), ("buyer", true, a), ("buyer", false, a), ("buyer", true, b)];
    for remade in [false, true] {
        log.close().await.unwrap();
        if remade {
            seen(dir.path()).iter().for_each(|file| fs::remove_file(file).unwrap());
        }
        log = Log::open(dir.path(), options()).unwrap();
        assert_eq!(log.append(sent(&claims)).await.unwrap(), [AppendOutcome::Repeated; 4], "{remade}");
    }
    assert_eq!(log.append(sent(&[("third", false, a)])).await.unwrap(), [AppendOutcome::Stored]);
    whole(dir.path());
}

#[tokio::test]
async fn repeats_are_recognised_for_the_window() {
    let dir = place();
    let options = LogOptions { dedup_window_us: DAY, ..options() };
    let mut log = Log::open(dir.path(), options.clone()).unwrap();
    let mut last_seen: BTreeMap<u64, i64> = BTreeMap::new();
    for step in 0..40u64 {
        let at = step as i64 * (DAY / 4);
        // Events of each age, including some that have expired.
        for n in [step, step.saturating_sub(1), step.saturating_sub(3), step / 2] {
            let new = stored(&log, "shop", at, &[id(n, n)]).await == 1;
            match last_seen.get(&n) {
                Some(seen) if at - seen < DAY => assert!(!new, "{n} at step {step}"),
                Some(_) => {}
                None => assert!(new, "{n} at step {step}"),
            }
            if new {
                last_seen.insert(n, at);
            }
        }
        if step % 7 == 3 {
            log.close().await.unwrap();
            log = Log::open(dir.path(), options.clone()).unwrap();
        }
        assert!(files_named(dir.path(), "seen").len() <= 2);
    }
    assert_ne!(files_named(dir.path(), "seen"), ["seen-1.db"]);
    // Two generations later the event is new again.
    assert_eq!(stored(&log, "shop", 40 * DAY, &[id(100, 100)]).await, 1);
    assert_eq!(stored(&log, "shop", 50 * DAY, &[id(39, 39)]).await, 1);
    // A clock that goes back does not expire anything.
    assert_eq!(stored(&log, "shop", DAY, &[id(39, 39)]).await, 0);
    whole(dir.path());
}

#[tokio::test]
async fn a_longer_window_is_filled_from_the_log() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { dedup_window_us: SECOND, ..options() }).unwrap();
    for n in 0..20 {
        stored(&log, "shop", n * SECOND, &ids(n as u64..n as u64 + 1)).await;
    }
    assert_eq!(stored(&log, "shop", 20 * SECOND, &ids(5..6)).await, 1, "forgotten");
    log.close().await.unwrap();
    let log = Log::open(dir.path(), LogOptions { dedup_window_us: 15 * SECOND, ..options() }).unwrap();
    assert_eq!(stored(&log, "shop", 20 * SECOND, &ids(5..20)).await, 0);
}

/// Damages the index of a closed log. The second directory holds the log as it was some
/// blocks earlier, the third another log.
type Harm = fn(&Path, &Path, &Path);

fn seen(dir: &Path) -> Vec<std::path::PathBuf> {
    files_named(dir, "seen").iter().map(|name| dir.join(name)).collect()
}

#[tokio::test]
async fn a_harmed_index_is_made_again() {
    let harms: [(&str, Harm); 12] = [
        ("removed", |dir, _, _| seen(dir).iter().for_each(|file| fs::remove_file(file).unwrap())),
        ("the older removed", |dir, _, _| fs::remove_file(&seen(dir)[0]).unwrap()),
        ("the younger removed", |dir, _, _| fs::remove_file(&seen(dir)[1]).unwrap()),
        ("the older not complete", |dir, _, _| {
            let conn = rusqlite::Connection::open(&seen(dir)[0]).unwrap();
            conn.execute_batch("DELETE FROM seen WHERE event > x'00000000025c'; UPDATE span SET seq = seq - 5")
                .unwrap();
        }),
        ("emptied", |dir, _, _| seen(dir).iter().for_each(|file| fs::write(file, "").unwrap())),
        ("overwritten", |dir, _, _| seen(dir).iter().for_each(|file| fs::write(file, "no index".repeat(999)).unwrap())),
        ("cut", |dir, _, _| {
            for file in seen(dir) {
                let bytes = fs::read(&file).unwrap();
                fs::write(file, &bytes[..bytes.len() / 2 / 4096 * 4096]).unwrap();
            }
        }),
        ("pages lost", |dir, _, _| {
            for file in seen(dir) {
                let mut bytes = fs::read(&file).unwrap();
                bytes[8192..].fill(0);
                fs::write(file, bytes).unwrap();
            }
        }),
        ("of an earlier time", |dir, earlier, _| {
            seen(dir).iter().for_each(|file| fs::remove_file(file).unwrap());
            for file in seen(earlier) {
                fs::copy(&file, dir.join(file.file_name().unwrap())).unwrap();
            }
        }),
        ("of a later time", |dir, earlier, _| {
            fs::copy(earlier.join("log.db"), dir.join("log.db")).unwrap();
        }),
        ("of another log", |dir, _, other| {
            seen(dir).iter().for_each(|file| fs::remove_file(file).unwrap());
            fs::copy(&seen(other)[0], dir.join("seen-7.db")).unwrap();
        }),
        ("a generation that is no file", |dir, _, _| fs::write(dir.join("seen-99.db"), "x").unwrap()),
    ];
    let place = place();
    let options = LogOptions { dedup_window_us: 10 * SECOND, ..options() };
    let log = Log::open(place.path(), options.clone()).unwrap();
    for n in 0..12 {
        stored(&log, "shop", n * SECOND, &ids(n as u64 * 100..n as u64 * 100 + 100)).await;
    }
    log.close().await.unwrap();
    let earlier = copy(place.path());
    let log = Log::open(place.path(), options.clone()).unwrap();
    for n in 12..18 {
        stored(&log, "shop", n * SECOND, &ids(n as u64 * 100..n as u64 * 100 + 100)).await;
    }
    log.close().await.unwrap();
    assert_eq!(seen(place.path()).len(), 2);
    let other = super::place();
    let log = Log::open(other.path(), options.clone()).unwrap();
    stored(&log, "shop", SECOND, &ids(1800..1900)).await;
    log.close().await.unwrap();

    for (what, harm) in harms {
        let dir = copy(place.path());
        harm(dir.path(), earlier.path(), other.path());
        let kept: HashSet<Uuid> = read(dir.path()).into_iter().map(|(_, id)| id).collect();
        let log = Log::open(dir.path(), options.clone()).unwrap();
        assert_eq!(log.state(), LogState::Accepting, "{what}");
        // All events of the last ten seconds, and some new ones.
        for n in 8..19 {
            let ids = ids(n * 100..n * 100 + 100);
            let new = ids.iter().filter(|id| !kept.contains(id)).count();
            assert_eq!(stored(&log, "shop", 17 * SECOND, &ids).await, new, "{what}: {n}");
        }
        log.close().await.unwrap();
        whole(dir.path());
    }
}

#[tokio::test]
async fn an_index_that_fails_costs_no_answer_and_no_repeat() {
    use rusqlite::ffi::{SQLITE_CORRUPT, SQLITE_FULL, SQLITE_IOERR_WRITE};
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { dedup_window_us: 10 * SECOND, ..options() }).unwrap();
    let mut n = 0;
    for (point, code, stored_at_first) in [
        ("index: commit", SQLITE_FULL, true),
        ("index: commit", SQLITE_IOERR_WRITE, true),
        ("index: commit", SQLITE_CORRUPT, true),
        ("index: begun", SQLITE_FULL, false),
        ("index: begun", SQLITE_IOERR_WRITE, false),
        // Rebuilt immediately, and that succeeds.
        ("index: begun", SQLITE_CORRUPT, true),
        ("index: closed", SQLITE_IOERR_WRITE, false),
        ("index: next made", SQLITE_IOERR_WRITE, false),
    ] {
        n += 30;
        let (old, new) = (ids(n * 10..n * 10 + 5), ids(n * 10 + 5..n * 10 + 9));
        // Far enough apart for a new generation to be due.
        let at = n as i64 * SECOND;
        assert_eq!(stored(&log, "shop", at - 10 * SECOND, &old).await, 5);
        let left = AtomicBool::new(true);
        plant(dir.path(), move |name| (name == point && left.swap(false, Ordering::Relaxed)).then_some(code));
        let first = log.append(batch("shop", at, &new)).await;
        assert_eq!(first.is_ok(), stored_at_first, "{point} {code}: {first:?}");
        if let Err(refused) = &first {
            let reason = if code == SQLITE_FULL { UnavailableReason::DiskFull } else { UnavailableReason::Behind };
            assert!(
                matches!(refused, AppendError::Unavailable { reason: is, .. } if *is == reason),
                "{point}: {refused}"
            );
        }
        assert_eq!(stored(&log, "shop", at, &new).await, if stored_at_first { 0 } else { 4 }, "{point} {code}");
        assert_eq!(stored(&log, "shop", at, &old).await, 0, "{point} {code}");
        assert_eq!(log.state(), LogState::Accepting);
    }
    // While it fails, batches are rejected.
    plant(dir.path(), |name| (name == "index: begun").then_some(SQLITE_CORRUPT));
    for _ in 0..2 {
        let refused = log.append(batch("shop", 999 * SECOND, &ids(9000..9001))).await;
        assert!(
            matches!(refused, Err(AppendError::Unavailable { reason: UnavailableReason::Behind, .. })),
            "{refused:?}"
        );
        assert!(matches!(log.state(), LogState::Unavailable { reason: UnavailableReason::Behind, .. }));
    }
    plant(dir.path(), |_| None);
    assert_eq!(stored(&log, "shop", 999 * SECOND, &ids(9000..9001)).await, 1);
    let all = read(dir.path());
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    whole(dir.path());
}
