use super::*;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handles_on_one_directory_are_one_log() {
    let dir = place();
    let handles: Vec<Log> = (0..3).map(|_| Log::open(dir.path(), options()).unwrap()).collect();
    let mut tasks = Vec::new();
    for (h, log) in handles.iter().enumerate() {
        for task in 0..4u64 {
            let log = log.clone();
            tasks.push(tokio::spawn(async move {
                let mut new = 0;
                for n in 0..12 {
                    // Each event is sent through every handle.
                    new += stored(&log, "shop", SECOND, &ids(task * 1000 + n * 5..task * 1000 + n * 5 + 7)).await;
                    if n % 5 == h as u64 {
                        tokio::task::yield_now().await;
                    }
                }
                new
            }));
        }
    }
    let mut new = 0;
    for task in tasks {
        new += task.await.unwrap();
    }
    assert_eq!(new, 4 * (12 * 5 + 2));
    let found = read(dir.path());
    assert_eq!(found.len(), new);
    assert_eq!(found.into_iter().collect::<HashSet<_>>().len(), new);
    let last = LogReader::open(dir.path()).unwrap().last().unwrap();
    assert_eq!(whole(dir.path()).blocks, last.seq as u64);
    for log in handles {
        log.close().await.unwrap();
    }
    whole(dir.path());
}

#[tokio::test]
async fn handles_turn_and_roll_beside_each_other() {
    let dir = place();
    let options = LogOptions { dedup_window_us: 10 * SECOND, ..rolling() };
    let one = Log::open(dir.path(), options.clone()).unwrap();
    let two = Log::open(dir.path(), options.clone()).unwrap();
    for n in 0..40u64 {
        let (log, other) = if n % 3 == 0 { (&one, &two) } else { (&two, &one) };
        let at = n as i64 * 4 * SECOND;
        assert_eq!(stored(log, "shop", at, &ids(n * 10..n * 10 + 10)).await, 10);
        assert_eq!(stored(other, "shop", at, &ids(n * 10..n * 10 + 10)).await, 0);
        assert_eq!(stored(other, "shop", at, &ids((n * 10).saturating_sub(20)..n * 10)).await, 0);
    }
    one.close().await.unwrap();
    assert_eq!(stored(&two, "shop", 400 * SECOND, &ids(999..1000)).await, 1);
    two.close().await.unwrap();
    assert_eq!(whole(dir.path()).events, 401);
    assert!(files_named(dir.path(), "seen").len() <= 2);
}

/// Two processes create a log at the same time: the other one has created the file and
/// holds it open before this one checks again.
#[test]
fn a_file_that_another_process_makes_meanwhile_is_opened() {
    let (dir, made) = (place(), place());
    drop(Log::open(made.path(), options()).unwrap());
    until("the log is closed", || !made.path().join("log.db-wal").exists());
    // Holds the shared lock before the file exists, like the process that creates it does
    // afterwards.
    let other = files::lock_file(dir.path()).unwrap();
    files::lock_shared(dir.path(), &other).unwrap();
    let opening = std::thread::spawn({
        let dir = dir.path().to_owned();
        move || Log::open(&dir, options()).map(drop).map_err(|error| error.to_string())
    });
    std::thread::sleep(Duration::from_millis(50));
    let whole = dir.path().join("log.db.made");
    fs::copy(made.path().join("log.db"), &whole).unwrap();
    fs::rename(&whole, dir.path().join("log.db")).unwrap();
    assert_eq!(opening.join().unwrap(), Ok(()));
}

/// Not a test by itself: appends in a separate process and prints the acknowledged
/// events, until it is killed, is done, or is rejected repeatedly.
#[test]
#[ignore = "started by other tests"]
fn helper_process() {
    let Ok(dir) = std::env::var("MURIEL_TEST_LOG") else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("MURIEL_TEST_FIRST").unwrap_or(0);
    let end = number("MURIEL_TEST_COUNT").map_or(u64::MAX, |count| first + count);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let log = match Log::open(Path::new(&dir), LogOptions { roll_bytes: 60_000, ..options() }) {
            Ok(log) => log,
            Err(error) => return println!("not opened: {error}"),
        };
        let mut refusals = 0;
        let mut n = first;
        while n < end && refusals < 10 {
            match log.append(batch("shop", SECOND, &ids(n * 5..n * 5 + 5))).await {
                Ok(taken) => {
                    let new = taken.iter().filter(|taken| **taken == AppendOutcome::Stored).count();
                    println!("acknowledged {n} {new}");
                    n += 1;
                }
                Err(refused) => {
                    refusals += 1;
                    println!("refused: {refused}");
                }
            }
        }
        if end < u64::MAX {
            let _ = log.close().await;
        }
    });
}

fn helper(dir: &Path, first: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env("MURIEL_TEST_FIRST", first.to_string());
    spawn(command, dir)
}

fn spawn(mut command: Command, dir: &Path) -> Child {
    command
        .args(["--exact", "tests::handles::helper_process", "--ignored", "--nocapture", "--test-threads=1"])
        .env("MURIEL_TEST_LOG", dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the process after this many lines. Returns the numbers that it acknowledged.
fn kill_after(mut child: Child, lines: usize) -> Vec<u64> {
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut numbers = Vec::new();
    let mut note = |line: String| {
        // The test harness writes the beginning of the first line.
        if let Some((_, rest)) = line.split_once("acknowledged ") {
            let (number, new) = rest.split_once(' ').unwrap();
            assert_eq!(new, "5");
            numbers.push(number.parse().unwrap());
        }
    };
    output.by_ref().take(lines).for_each(&mut note);
    child.kill().unwrap();
    child.wait().unwrap();
    output.for_each(&mut note);
    numbers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed_lose_nothing_acknowledged() {
    let dir = place();
    let mut acknowledged: HashSet<Uuid> = HashSet::new();
    for cycle in 0..6u64 {
        // Two processes at a time, and in every other cycle a handle in this process.
        let children = [helper(dir.path(), cycle * 100_000), helper(dir.path(), cycle * 100_000 + 50_000)];
        let log = (cycle % 2 == 0).then(|| Log::open(dir.path(), options()).unwrap());
        let threads =
            children.map(|child| std::thread::spawn(move || kill_after(child, 20 + (cycle as usize * 37) % 50)));
        if let Some(log) = log {
            for n in 0..10 {
                let ids = ids(cycle * 500_000 + 450_000 + n..cycle * 500_000 + 450_001 + n);
                assert_eq!(stored(&log, "shop", SECOND, &ids).await, 1);
                acknowledged.extend(ids);
            }
            log.close().await.unwrap();
        }
        for thread in threads {
            let numbers = thread.join().unwrap();
            assert!(!numbers.is_empty(), "cycle {cycle}: a process acknowledged nothing");
            for number in numbers {
                acknowledged.extend(ids(number * 5..number * 5 + 5));
            }
        }
        whole(dir.path());
    }
    let found = read(dir.path());
    let distinct: HashSet<Uuid> = found.iter().map(|(_, id)| *id).collect();
    assert_eq!(distinct.len(), found.len(), "nothing is there twice");
    assert!(acknowledged.is_subset(&distinct));
    // The index agrees with the log after all kills.
    let log = Log::open(dir.path(), options()).unwrap();
    let all: Vec<Uuid> = distinct.into_iter().collect();
    for ids in all.chunks(5000) {
        assert_eq!(stored(&log, "shop", SECOND, ids).await, 0);
    }
}

/// Failing system calls, single ones or all from one on, as with a failing disk.
/// `MURIEL_TEST_SWEEP=300` tests the first 300 of each instead of a few.
#[test]
fn a_failing_system_call_acknowledges_nothing_false() {
    let sweep = std::env::var("MURIEL_TEST_SWEEP").ok().and_then(|text| text.parse::<u64>().ok());
    let traced = Command::new("strace").args(["-f", "-e", "trace=none", "true"]).output();
    if !traced.as_ref().is_ok_and(|traced| traced.status.success()) {
        // Directly to stderr, because output of tests is captured.
        let _ = writeln!(std::io::stderr(), "skipped: this needs strace, and permission to trace: {traced:?}");
        return;
    }
    let mut cases = Vec::new();
    for (call, error, few) in [
        ("fsync", "EIO", [9, 12, 20]),
        ("pwrite64", "EIO", [60, 150, 400]),
        ("pwrite64", "ENOSPC", [61, 151, 401]),
        ("ftruncate", "EIO", [1, 5, 9]),
        ("rename", "EIO", [1, 2, 3]),
        ("openat", "EMFILE", [40, 60, 80]),
        ("unlink", "EIO", [1, 5, 10]),
    ] {
        let numbers: Vec<u64> = match sweep {
            Some(sweep) => (1..=sweep).collect(),
            None => few.into(),
        };
        for (i, number) in numbers.into_iter().enumerate() {
            cases.push((call, error, format!("{number}{}", if i % 3 == 2 { "+" } else { "" })));
        }
    }
    let (mut acknowledged, mut disturbed) = (0, 0);
    for (call, error, when) in cases {
        let what = format!("{call} {error} {when}");
        let dir = place();
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "/dev/null", "-e", &format!("inject={call}:error={error}:when={when}")]);
        command.arg(std::env::current_exe().unwrap()).env("MURIEL_TEST_COUNT", "30");
        let mut child = spawn(command, dir.path());
        let mut sure = HashSet::new();
        let mut refusals = 0;
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once("acknowledged ") {
                let number: u64 = rest.split_once(' ').unwrap().0.parse().unwrap();
                sure.extend(ids(number * 5..number * 5 + 5));
            }
            refusals += u64::from(line.contains("refused: ") || line.contains("not opened: "));
        }
        child.wait().unwrap();
        disturbed += u64::from(refusals > 0);
        acknowledged += sure.len();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let log = Log::open(dir.path(), options()).unwrap();
            assert_eq!(log.state(), LogState::Accepting, "{what}");
            let all: Vec<Uuid> = sure.iter().copied().collect();
            assert_eq!(stored(&log, "shop", SECOND, &all).await, 0, "{what}");
            stored(&log, "shop", SECOND, &ids(0..200)).await;
            log.close().await.unwrap();
        });
        let found = read(dir.path());
        let distinct: HashSet<Uuid> = found.iter().map(|(_, id)| *id).collect();
        assert_eq!(distinct.len(), found.len(), "{what}: something is there twice");
        assert!(sure.is_subset(&distinct), "{what}");
        whole(dir.path());
    }
    println!("{acknowledged} events acknowledged, {disturbed} runs were refused something");
    assert!(acknowledged > 0 && disturbed > 0);
}
