use super::*;

use std::collections::HashMap;

const BLOCKS: u64 = 40;

/// Creates a closed log with a few closed files and a partly filled active one. Returns
/// its blocks.
async fn sample() -> (TempDir, HashMap<i64, Block>) {
    let dir = place();
    let log = Log::open(dir.path(), LogOptions { roll_bytes: 20_000, ..options() }).unwrap();
    for n in 0..BLOCKS {
        // Some of the blocks fit into a page, others do not.
        let events = if n % 3 == 0 { 60 } else { 3 };
        assert_eq!(stored(&log, "shop", SECOND, &ids(n * 100..n * 100 + events)).await, events as usize);
    }
    log.close().await.unwrap();
    let blocks = LogReader::open(dir.path()).unwrap().blocks(Position::default()).unwrap();
    let blocks: HashMap<i64, Block> = blocks.map(|block| block.unwrap()).map(|block| (block.seq, block)).collect();
    assert_eq!(blocks.len() as u64, BLOCKS);
    assert!(files::closed(dir.path()).unwrap().len() >= 2);
    (dir, blocks)
}

/// Reads a damaged log: every block returned must be unchanged, and every other block
/// must be reported as damaged. Returns the number of lost blocks.
fn check(dir: &Path, blocks: &HashMap<i64, Block>, what: &str) -> u64 {
    let reader = LogReader::open(dir).unwrap();
    let mut missing: HashSet<i64> = blocks.keys().copied().collect();
    let (mut last, mut reported, mut to_end) = (0, HashSet::new(), i64::MAX);
    let mut pieces = 0;
    for block in reader.blocks(Position::default()).unwrap() {
        pieces += 1;
        assert!(pieces < 500, "{what}: it goes round in circles");
        match block {
            Ok(block) => {
                assert!(block.seq > last, "{what}: {} after {last}", block.seq);
                last = block.seq;
                assert_eq!(Some(&block), blocks.get(&block.seq), "{what}");
                missing.remove(&block.seq);
            }
            Err(ReadError::Damage(damage)) => match damage.last {
                Some(last) => reported.extend(damage.seq..=last.min(1000)),
                None => to_end = to_end.min(damage.seq),
            },
            // A file that cannot even be opened.
            Err(ReadError::Failed(error)) => {
                assert!(matches!(error, Error::File { .. }), "{what}: {error}");
                to_end = to_end.min(last + 1);
                break;
            }
        }
    }
    for seq in &missing {
        let tail = *missing.iter().max().unwrap() == BLOCKS as i64 && *seq > last;
        assert!(reported.contains(seq) || *seq >= to_end || tail, "{what}: {seq} is lost in silence, not {reported:?}");
    }
    let verified = reader.verify();
    if let Ok(verified) = &verified {
        let found = BLOCKS - missing.len() as u64;
        assert_eq!(verified.blocks, found, "{what}");
        assert!(missing.is_empty() || verified.first_damage.is_some() || missing.contains(&(BLOCKS as i64)), "{what}");
    }
    // Reading without bodies must not fail either.
    for summary in reader.summaries(Position { seq: 3 }).unwrap().take(500) {
        let _ = summary;
    }
    missing.len() as u64
}

#[tokio::test]
async fn flipped_bits_cost_the_blocks_they_hit() {
    let (place, blocks) = sample().await;
    let closed: Vec<String> = files_named(place.path(), "log-");
    let dir = copy(place.path());
    // With `MURIEL_TEST_SWEEP`, about ten thousand damaged files are tested.
    let sweep = std::env::var("MURIEL_TEST_SWEEP").is_ok();
    for (name, step) in [(closed[0].as_str(), 131), (closed[1].as_str(), 211), ("log.db", 61)] {
        let step = if sweep { 5 } else { step };
        let path = dir.path().join(name);
        let original = fs::read(&path).unwrap();
        let (mut harmful, mut lost, mut flips) = (0, 0, 0);
        for at in (0..original.len()).step_by(step) {
            let mut bytes = original.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, &bytes).unwrap();
            let now = check(dir.path(), &blocks, &format!("{name} at {at}"));
            // Beyond the header, damage is limited to one page of rows.
            harmful += u64::from(now > 0);
            lost += now;
            flips += 1;
        }
        println!("{name}: {flips} flips, {harmful} did harm, {lost} blocks lost");
        assert!(lost <= harmful * 4, "{name}: {lost} blocks lost by {harmful} flips");
        fs::write(&path, &original).unwrap();
    }
    assert_eq!(check(dir.path(), &blocks, "whole again"), 0);
}

/// Offsets of the row numbers in a file: the byte after the length in each cell of a
/// table leaf page, for numbers that fit into one byte.
fn row_numbers(file: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    // The first page holds the schema.
    for page in (4096..file.len()).step_by(4096).filter(|page| file[*page] == 0x0d) {
        let two = |at: usize| usize::from(file[page + at]) << 8 | usize::from(file[page + at + 1]);
        for cell in 0..two(3) {
            let at = page + two(8 + 2 * cell);
            // Rows of blocks are long enough for a length of two bytes.
            if file[at] >= 0x80 && file[at + 1] < 0x80 && file[at + 2] < 0x80 {
                found.push(at + 2);
            }
        }
    }
    found
}

#[tokio::test]
async fn a_wrong_number_hides_no_other_block() {
    let (place, blocks) = sample().await;
    let dir = copy(place.path());
    for name in files_named(place.path(), "log") {
        let path = dir.path().join(&name);
        let original = fs::read(&path).unwrap();
        let numbers = row_numbers(&original);
        assert!(!numbers.is_empty(), "{name}");
        for at in numbers {
            for number in [0x7f, original[at] ^ 1, original[at] ^ 2, original[at] ^ 4, 0] {
                let mut bytes = original.clone();
                bytes[at] = number;
                fs::write(&path, &bytes).unwrap();
                let what = format!("{name}: block {} as {number}", original[at]);
                let lost = check(dir.path(), &blocks, &what);
                assert!((1..=2).contains(&lost), "{what}: {lost} lost");
            }
        }
        fs::write(&path, &original).unwrap();
    }
}

#[tokio::test]
async fn files_that_are_cut_or_gone_leave_the_others() {
    let (place, blocks) = sample().await;
    let closed: Vec<String> = files_named(place.path(), "log-");
    let dir = copy(place.path());
    for name in [closed[1].as_str(), "log.db"] {
        let path = dir.path().join(name);
        let original = fs::read(&path).unwrap();
        for length in (0..original.len()).step_by(1531) {
            fs::write(&path, &original[..length]).unwrap();
            check(dir.path(), &blocks, &format!("{name} cut at {length}"));
        }
        let mut bytes = original.clone();
        bytes[4096..8192].fill(0xff);
        fs::write(&path, &bytes).unwrap();
        check(dir.path(), &blocks, &format!("{name} with a page overwritten"));
        fs::remove_file(&path).unwrap();
        let lost = check(dir.path(), &blocks, &format!("{name} gone"));
        assert!(lost > 0 && lost < BLOCKS, "{name} gone");
        fs::write(&path, &original).unwrap();
    }
}

#[tokio::test]
async fn what_was_changed_on_purpose_is_named() {
    let (place, blocks) = sample().await;
    let closed: Vec<String> = files_named(place.path(), "log-");
    let middle = files::closed(place.path()).unwrap()[1].clone();
    let seq = middle.first + 2;
    // A changed hash hides no content, so the block after it is intact.
    let cases = [
        (format!("UPDATE block SET events = events + 1 WHERE seq = {seq}"), seq, 1),
        (format!("UPDATE block SET received_at = 5 WHERE seq = {seq}"), seq, 1),
        (format!("UPDATE block SET runs = replace(runs, 'shop', 'blog') WHERE seq = {seq}"), seq, 1),
        (format!("UPDATE block SET ids = zeroblob(length(ids)) WHERE seq = {seq}"), seq, 1),
        (format!("UPDATE block SET body = (SELECT body FROM block WHERE seq = {}) WHERE seq = {seq}", seq + 3), seq, 1),
        (format!("UPDATE block SET hash = zeroblob(32) WHERE seq = {seq}"), seq, 1),
        (format!("UPDATE block SET hash = zeroblob(31) WHERE seq = {seq}"), seq, 1),
        (format!("DELETE FROM block WHERE seq = {seq}"), seq, 1),
        (format!("DELETE FROM block WHERE seq IN ({seq}, {})", seq + 1), seq, 2),
        (format!("DELETE FROM block WHERE seq = {}", middle.first), middle.first, 1),
        (format!("DELETE FROM block WHERE seq = {}", middle.last), middle.last, 1),
        ("UPDATE file SET after_hash = zeroblob(32)".to_owned(), middle.first, 0),
        ("UPDATE file SET log = zeroblob(16)".to_owned(), middle.first, 0),
        ("UPDATE file SET after_seq = 0".to_owned(), 0, 0),
        ("UPDATE file SET after_seq = after_seq + 2".to_owned(), 0, 0),
        ("UPDATE file SET after_seq = 9000000000000000000".to_owned(), 0, 0),
        ("DELETE FROM file".to_owned(), 0, 0),
    ];
    for (sql, first, damaged) in cases {
        let dir = copy(place.path());
        rusqlite::Connection::open(dir.path().join(&closed[1])).unwrap().execute_batch(&sql).unwrap();
        assert_eq!(check(dir.path(), &blocks, &sql), damaged, "{sql}");
        let verified = LogReader::open(dir.path()).unwrap().verify().unwrap();
        assert_eq!(verified.damaged, damaged, "{sql}");
        assert_eq!(verified.blocks + damaged, BLOCKS, "{sql}");
        if first > 0 {
            let named = verified.first_damage.unwrap();
            assert_eq!((named.seq, named.path), (first, dir.path().join(&closed[1])), "{sql}");
        }
    }
}

#[tokio::test]
async fn a_writer_goes_on_after_what_it_finds_or_refuses() {
    let (place, blocks) = sample().await;
    let original = fs::read(place.path().join("log.db")).unwrap();
    let (mut refused, mut went_on) = (0, 0);
    for at in (0..original.len()).step_by(499) {
        let dir = copy(place.path());
        let mut bytes = original.clone();
        bytes[at] ^= 0x10;
        fs::write(dir.path().join("log.db"), &bytes).unwrap();
        let Ok(log) = Log::open(dir.path(), options()) else {
            refused += 1;
            continue;
        };
        let taken = log.append(batch("shop", SECOND, &ids(90_000..90_005))).await;
        let last = log.last().seq;
        log.close().await.unwrap();
        if taken.is_ok() {
            went_on += 1;
            let found: Vec<Block> = LogReader::open(dir.path())
                .unwrap()
                .blocks(Position::default())
                .unwrap()
                .filter_map(Result::ok)
                .filter(|block| blocks.get(&block.seq) != Some(block))
                .collect();
            assert_eq!(found.len(), 1, "the new block at {last}, damaged at {at}");
            assert_eq!((found[0].seq, found[0].of("shop").count()), (last, 5));
        }
    }
    println!("{went_on} went on, {refused} refused");
    assert!(went_on > 20);

    // A log with a damaged end is continued, and the damage stays reported.
    let dir = copy(place.path());
    let conn = rusqlite::Connection::open(dir.path().join("log.db")).unwrap();
    conn.execute("UPDATE block SET received_at = 7 WHERE seq = ?1", [BLOCKS as i64]).unwrap();
    drop(conn);
    let log = Log::open(dir.path(), options()).unwrap();
    assert_eq!(stored(&log, "shop", SECOND, &ids(90_000..90_001)).await, 1);
    log.close().await.unwrap();
    let verified = LogReader::open(dir.path()).unwrap().verify().unwrap();
    assert_eq!((verified.blocks, verified.damaged), (BLOCKS, 1));
    assert_eq!(verified.first_damage.unwrap().seq, BLOCKS as i64);
}
