use super::*;

use std::io::Write;
use std::process::Command;

use rusqlite::ffi;

/// A small separate volume; none where this process may not mount.
struct Volume(TempDir);

impl Volume {
    fn new(kib: u64) -> Option<Volume> {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(dir.path()).output();
        match mount {
            Ok(mount) if mount.status.success() => Some(Volume(dir)),
            other => {
                assert!(!may_mount(), "no volume can be mounted: {other:?}");
                // Directly to stderr, because output of tests is captured.
                let _ = writeln!(std::io::stderr(), "skipped: this needs root, and permission to mount: {other:?}");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, how: &str) -> bool {
        let how = format!("remount,{how}");
        Command::new("mount").args(["-o", &how]).arg(self.path()).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// Returns whether this process has the capability `CAP_SYS_ADMIN`, which root in a container often lacks.
fn may_mount() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & (1 << 21) != 0)
}

/// A batch whose lines do not compress.
fn dense(at_us: i64, id: Uuid, bytes: usize) -> Batch {
    let mut state = id.as_u128() as u64 | 1;
    let text: String = (0..bytes)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'#' + (state >> 57) as u8 % 64)
        })
        .filter(|c| *c != '\\')
        .collect();
    let lines = format!("\"{text}\"\n").into_bytes();
    let events = vec![BatchEvent { id, scope: DedupScope::PROJECT, end: lines.len() }];
    Batch { project_key: "shop".into(), received_at: Instant::from_us(at_us), events, lines }
}

fn stored_ids(dir: &Path) -> Vec<Uuid> {
    let blocks = LogReader::open(dir).unwrap().blocks(Position::default()).unwrap();
    blocks.flat_map(|block| block.unwrap().events().map(|event| event.id).collect::<Vec<_>>()).collect()
}

fn is_full<T>(outcome: &Result<T, AppendError>) -> bool {
    matches!(outcome, Err(AppendError::Unavailable { reason: UnavailableReason::DiskFull, .. }))
}

#[tokio::test]
async fn the_reserve_is_left_alone() {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { reserve: Reserve::Bytes(u64::MAX), ..options() }).unwrap();
    assert!(matches!(log.state(), LogState::Unavailable { reason: UnavailableReason::DiskFull, .. }));
    let refused = log.append(batch("shop", SECOND, &ids(0..1))).await;
    assert!(is_full(&refused), "{refused:?}");
    assert_eq!(log.last(), Position { seq: 0 });
    for (volume, expect) in [(0, 64 << 20), (1 << 30, 64 << 20), (1 << 35, (1 << 35) / 50), (1 << 40, 4 << 30)] {
        assert_eq!(Reserve::Usual.bytes(volume), expect);
    }

    let Some(volume) = Volume::new(8 << 10) else { return };
    let log = Log::open(volume.path(), LogOptions { reserve: Reserve::Bytes(4 << 20), ..options() }).unwrap();
    assert_eq!(log.state(), LogState::Accepting);
    assert_eq!(stored(&log, "shop", SECOND, &ids(0..5)).await, 5);
    let ballast = volume.path().join("ballast");
    fs::write(&ballast, vec![1; 5 << 20]).unwrap();
    let refused = log.append(batch("shop", SECOND, &ids(5..9))).await;
    assert!(is_full(&refused), "{refused:?}");
    assert!(matches!(log.state(), LogState::Unavailable { reason: UnavailableReason::DiskFull, .. }));
    assert_eq!(read(volume.path()).len(), 5, "it can be read meanwhile");
    fs::remove_file(&ballast).unwrap();
    assert_eq!(stored(&log, "shop", SECOND, &ids(0..9)).await, 4);
    assert_eq!(log.state(), LogState::Accepting);
    // The state changes without an append, too.
    fs::write(&ballast, vec![1; 5 << 20]).unwrap();
    until("it notices that the disk is full", || log.state() != LogState::Accepting);
    fs::remove_file(&ballast).unwrap();
    until("it notices that there is space", || log.state() == LogState::Accepting);
    log.close().await.unwrap();
    assert_eq!(whole(volume.path()).events, 9);
}

#[tokio::test]
async fn a_full_volume_loses_nothing() {
    for (roll_bytes, size) in [(1 << 30, 3000), (1 << 30, 200_000), (300_000, 20_000), (1, 50_000)] {
        let Some(volume) = Volume::new(4 << 10) else { return };
        let ballast = volume.path().join("ballast");
        fs::write(&ballast, vec![1; 1 << 20]).unwrap();
        let options = LogOptions { roll_bytes, ..options() };
        let log = Log::open(volume.path(), options.clone()).unwrap();
        let mut acknowledged = Vec::new();
        let mut n = 0;
        let mut fill = async |log: &Log, acknowledged: &mut Vec<Uuid>| {
            loop {
                n += 1;
                match log.append(dense(SECOND, id(n, n), size)).await {
                    Ok(taken) => {
                        assert_eq!(taken, [AppendOutcome::Stored]);
                        acknowledged.push(id(n, n));
                    }
                    Err(_) => return,
                }
            }
        };
        fill(&log, &mut acknowledged).await;
        assert!(matches!(log.state(), LogState::Unavailable { .. }));
        assert_eq!(stored_ids(volume.path()), acknowledged);
        let before = acknowledged.len();
        fs::remove_file(&ballast).unwrap();
        fill(&log, &mut acknowledged).await;
        assert!(acknowledged.len() > before, "it takes again, rolling after {roll_bytes} bytes");
        let _ = log.close().await;
        assert_eq!(stored_ids(volume.path()), acknowledged);
        whole(volume.path());
        // A new process may fail there, but reports it and damages nothing.
        if let Ok(log) = Log::open(volume.path(), options.clone()) {
            let _ = log.append(batch("blog", SECOND, &ids(0..1))).await;
            let _ = log.close().await;
        }
        assert!(volume.remount("size=32m"));
        let log = Log::open(volume.path(), options).unwrap();
        assert_eq!(log.state(), LogState::Accepting);
        for id in &acknowledged {
            assert_eq!(log.append(dense(SECOND, *id, 10)).await, Ok(vec![AppendOutcome::Repeated]));
        }
        log.close().await.unwrap();
        whole(volume.path());
    }
}

#[tokio::test]
async fn what_cannot_be_written_is_told_at_once() {
    type Prepare = fn(&Path);
    let cases: [(&str, Prepare, &str); 5] = [
        ("no directory", |dir| fs::remove_dir(dir).unwrap(), "cannot open"),
        ("a directory in its place", |dir| fs::create_dir(dir.join("log.db")).unwrap(), "cannot open"),
        (
            "something else",
            |dir| fs::write(dir.join("log.db"), "something else".repeat(999)).unwrap(),
            "not a database",
        ),
        ("nothing in it", |dir| fs::write(dir.join("log.db"), "").unwrap(), "it is not an event log"),
        (
            "a newer format",
            |dir| {
                let conn = rusqlite::Connection::open(dir.join("log.db")).unwrap();
                conn.execute_batch("PRAGMA application_id = 1298952039; PRAGMA user_version = 2").unwrap();
            },
            "it has format 2, but this program reads format 1",
        ),
    ];
    for (what, prepare, expect) in cases {
        let dir = place();
        prepare(dir.path());
        let error = Log::open(dir.path(), options()).unwrap_err();
        let message = super::error::chain(&error);
        assert!(message.contains(expect), "{what}: {message}");
        if what == "no directory" {
            fs::create_dir(dir.path()).unwrap();
        }
    }

    let Some(volume) = Volume::new(4 << 10) else { return };
    let log = Log::open(volume.path(), options()).unwrap();
    stored(&log, "shop", SECOND, &ids(0..3)).await;
    log.close().await.unwrap();
    assert!(volume.remount("ro"));
    let message = super::error::chain(&Log::open(volume.path(), options()).unwrap_err());
    assert!(message.to_lowercase().contains("read-only") || message.contains("readonly"), "{message}");
    assert!(volume.remount("rw"));
    let log = Log::open(volume.path(), options()).unwrap();
    assert_eq!(stored(&log, "shop", SECOND, &ids(0..4)).await, 1);
}

/// Makes `point` fail with `code` once.
fn fail_once(dir: &Path, point: &'static str, code: i32) {
    let left = AtomicBool::new(true);
    plant(dir, move |name| (name == point && left.swap(false, Ordering::Relaxed)).then_some(code));
}

#[tokio::test]
async fn what_fails_is_not_acknowledged_and_can_be_sent_again() {
    for code in [
        ffi::SQLITE_FULL,
        ffi::SQLITE_IOERR,
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_READONLY,
        ffi::SQLITE_CORRUPT,
        ffi::SQLITE_BUSY,
        ffi::SQLITE_CANTOPEN,
    ] {
        let dir = place();
        let log = Log::open(dir.path(), options()).unwrap();
        assert_eq!(stored(&log, "shop", SECOND, &ids(0..3)).await, 3);
        let mut next = 3;
        for point in ["begun", "insert", "commit", "committed"] {
            fail_once(dir.path(), point, code);
            let refused = log.append(batch("shop", SECOND, &ids(next..next + 3))).await.unwrap_err();
            let expect = match code {
                ffi::SQLITE_BUSY => None,
                ffi::SQLITE_FULL => Some(UnavailableReason::DiskFull),
                _ => Some(UnavailableReason::Io),
            };
            match (&refused, expect) {
                (AppendError::Busy, None) => {}
                (AppendError::Unavailable { reason, .. }, Some(expect)) if *reason == expect => {
                    assert!(matches!(log.state(), LogState::Unavailable { reason, .. } if reason == expect));
                }
                _ => panic!("{point} {code}: {refused:?}"),
            }
            // A commit that was not acknowledged may still have been stored.
            let there = if point == "committed" { 3 } else { 0 };
            assert_eq!(stored(&log, "shop", SECOND, &ids(next..next + 3)).await, 3 - there, "{point} {code}");
            assert_eq!(stored(&log, "shop", SECOND, &ids(0..next)).await, 0);
            assert_eq!(log.state(), LogState::Accepting);
            next += 3;
        }
        log.close().await.unwrap();
        assert_eq!(whole(dir.path()).events, next);
        let found = read(dir.path());
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
    }
}

#[tokio::test]
async fn a_file_that_does_not_come_back_is_refused_until_it_does() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    stored(&log, "shop", SECOND, &ids(0..3)).await;
    let tries = Arc::new(AtomicU64::new(0));
    plant(dir.path(), {
        let tries = tries.clone();
        move |name| match name {
            "commit" if tries.load(Ordering::Relaxed) == 0 => Some(ffi::SQLITE_IOERR),
            "opening" if tries.fetch_add(1, Ordering::Relaxed) < 3 => Some(ffi::SQLITE_CANTOPEN),
            _ => None,
        }
    });
    let mut refusals = 0;
    until("the file can be opened", || {
        let log = log.clone();
        let answer = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(log.append(batch("shop", SECOND, &ids(3..6))))
        });
        match answer.join().unwrap() {
            Ok(taken) => {
                assert_eq!(taken, [AppendOutcome::Stored; 3]);
                true
            }
            Err(refused) => {
                assert!(matches!(refused, AppendError::Unavailable { reason: UnavailableReason::Io, .. }));
                refusals += 1;
                false
            }
        }
    });
    assert!(refusals >= 2, "{refusals}");
    assert_eq!(whole(dir.path()).events, 6);
}

#[tokio::test]
async fn an_acknowledged_block_that_is_gone_stops_the_log() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    stored(&log, "shop", SECOND, &ids(0..3)).await;
    idle(&log).await;
    let earlier = copy(dir.path());
    stored(&log, "shop", SECOND, &ids(3..6)).await;
    fail_once(dir.path(), "commit", ffi::SQLITE_IOERR);
    log.append(batch("shop", SECOND, &ids(6..9))).await.unwrap_err();
    plant(dir.path(), {
        let (dir, earlier) = (dir.path().to_owned(), earlier.path().to_owned());
        move |name| match name {
            "opening" => {
                for name in ["log.db", "log.db-wal"] {
                    let _ = fs::remove_file(dir.join(name));
                    let _ = fs::copy(earlier.join(name), dir.join(name));
                }
                None
            }
            _ => None,
        }
    });
    for _ in 0..3 {
        let refused = log.append(batch("shop", SECOND, &ids(6..9))).await;
        assert!(matches!(refused, Err(AppendError::Unavailable { reason: UnavailableReason::Io, .. })), "{refused:?}");
    }
    let LogState::Unavailable { sentence, .. } = log.state() else { panic!("it takes batches") };
    assert!(sentence.contains("block 2"), "{sentence}");
    log.close().await.unwrap();
    // After a restart, the log continues with the blocks in the file.
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(stored(&log, "shop", SECOND, &ids(0..9)).await, 6);
}

#[tokio::test]
async fn a_file_that_was_taken_away_is_missed() {
    let dir = place();
    let log = Log::open(dir.path(), options()).unwrap();
    stored(&log, "shop", SECOND, &ids(0..3)).await;
    let (path, away) = (dir.path().join("log.db"), dir.path().join("away.db"));
    fs::rename(&path, &away).unwrap();
    let refused = log.append(batch("shop", SECOND, &ids(3..6))).await;
    assert!(matches!(refused, Err(AppendError::Unavailable { reason: UnavailableReason::Io, .. })), "{refused:?}");
    assert!(!path.exists(), "nothing is begun in its place");
    fs::rename(&away, &path).unwrap();
    assert_eq!(stored(&log, "shop", SECOND, &ids(0..6)).await, 3);
    whole(dir.path());
}
