//! Tests of the loader, on real logs and files.

use super::*;

use std::collections::HashSet;

use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

use crate::testing::{Fault, FaultyWriter};
use crate::{
    DuckWarehouse, ExperimentQuestion, LostBlocks, Population, StopToken, WarehouseOptions, WarehouseReader, Watermark,
};
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, PruneRequest, Reserve};

const START: i64 = 1_790_000_000_000_000;

/// A log, and a directory for its warehouses.
struct Place {
    dir: TempDir,
    runtime: Runtime,
    log: Option<Log>,
    options: LogOptions,
    /// Number of events so far.
    count: u64,
}

fn small() -> WarehouseOptions {
    WarehouseOptions { memory_bytes: 256 << 20, threads: 2 }
}

impl Place {
    fn new() -> Place {
        Place::with(LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() })
    }

    /// Creates a log with one file per block.
    fn rolling() -> Place {
        Place::with(LogOptions { reserve: Reserve::Bytes(0), roll_bytes: 1, ..LogOptions::default() })
    }

    fn with(options: LogOptions) -> Place {
        // In memory where possible, because the effect of a flush cannot be observed here.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let mut place = Place { dir, runtime, log: None, options, count: 0 };
        fs::create_dir(place.log_dir()).unwrap();
        place.open();
        place
    }

    fn open(&mut self) {
        self.log = Some(Log::open(&self.log_dir(), self.options.clone()).unwrap());
    }

    fn close(&mut self) {
        let log = self.log.take().unwrap();
        self.runtime.block_on(log.close()).unwrap();
    }

    fn log_dir(&self) -> PathBuf {
        self.dir.path().join("events")
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("warehouse.duckdb")
    }

    fn request(&self) -> PathBuf {
        self.dir.path().join("warehouse.rebuild")
    }

    /// Appends a block with `count` events of `project`, a day after the previous block.
    fn block(&mut self, project: &str, count: u64) {
        let log = self.log.as_ref().unwrap();
        let received_at = Instant::from_us(START + DAY_US * log.last().seq);
        let mut batch = Batch { project_key: project.into(), received_at, events: Vec::new(), lines: Vec::new() };
        for _ in 0..count {
            self.count += 1;
            let id = Uuid::from_u128(u128::from(self.count));
            serde_json::to_writer(&mut batch.lines, &record(project, id, self.count, received_at)).unwrap();
            batch.lines.push(b'\n');
            batch.events.push(BatchEvent { id, scope: DedupScope::PROJECT, end: batch.lines.len() });
        }
        self.runtime.block_on(log.append(batch)).unwrap();
    }

    fn load(&self, warehouse: &Arc<DuckWarehouse>) -> LoadState {
        LoadState { request: Some(self.request()), ..LoadState::new(&self.log_dir(), warehouse.clone()) }
    }

    /// The expected rows of the log, loaded into a new warehouse.
    fn expected(&self) -> Vec<String> {
        let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
        finish(&mut self.load(&warehouse));
        dump(&warehouse)
    }
}

/// An event, of a kind that depends on `n`.
fn record(project: &str, id: Uuid, n: u64, at: Instant) -> Value {
    let mut record = json!({
        "id": id, "project_key": project, "at": at, "received_at": at, "bot": n.is_multiple_of(11),
        "visitor": {"id": format!("visitor {}", n % 7)}, "url": format!("https://shop.example/{}?n=1", n % 5),
        "device": format!("device {}", n % 5), "session": "s",
    });
    let kind = match n % 4 {
        0 => json!({"type": "exposure", "test_id": 1, "variant_id": (n % 2).to_string(), "epoch": 1,
            "context": {"visitor_type": "new", "referrer": "https://other.example/x"}}),
        1 => json!({"type": "pageview"}),
        2 => json!({"type": "order", "name": "Purchase", "value": n as f64 / 10.0, "currency": "EUR", "order_id": "o"}),
        _ => json!({"type": "click", "by": "link", "href": "https://away.example/"}),
    };
    record.as_object_mut().unwrap().extend(kind.as_object().unwrap().clone());
    record
}

/// Watermark of the only log of a warehouse.
fn mark(warehouse: &DuckWarehouse) -> Watermark {
    let marks = warehouse.watermarks();
    assert!(marks.len() < 2, "{marks:?}");
    marks.into_values().next().unwrap_or_default()
}

fn finish(load: &mut LoadState) -> u32 {
    let mut steps = 1;
    while load.step().unwrap() == HasMore(true) {
        steps += 1;
    }
    steps
}

/// All rows and the watermark, in a canonical order.
fn dump(warehouse: &DuckWarehouse) -> Vec<String> {
    let mut all = vec![format!("{:?}", warehouse.watermarks())];
    warehouse
        .read(&StopToken::new(), |conn| {
            for table in ["events", "exposures", "urls", "profiles"] {
                let distinct = if matches!(table, "urls" | "profiles") { "DISTINCT" } else { "" };
                let mut rows = conn.prepare(&format!("SELECT {distinct} {table}::VARCHAR FROM {table} ORDER BY 1"))?;
                all.extend(rows.query_map([], |row| row.get(0))?.collect::<duckdb::Result<Vec<String>>>()?);
            }
            Ok(())
        })
        .unwrap();
    all
}

#[test]
fn a_killed_loader_is_gone_on_with_exactly_once() {
    let mut place = Place::new();
    for n in 0..12 {
        place.block(if n % 3 == 0 { "a" } else { "b" }, 5 + n);
    }
    let expected = place.expected();
    assert!(expected.len() > 100, "{}", expected.len());

    let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    let mut load = place.load(&warehouse);
    load.batch.0 = 20;
    let mut killed = 0;
    while load.step().unwrap() == HasMore(true) {
        // A copy of the files is the state that a killed process leaves.
        let copy = tempfile::tempdir_in(place.dir.path()).unwrap();
        let path = copy.path().join("warehouse.duckdb");
        for (from, to) in [(place.file(), path.clone()), (with(&place.file(), ".wal"), with(&path, ".wal"))] {
            if from.exists() {
                fs::copy(from, to).unwrap();
            }
        }
        let left = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
        assert_eq!(left.watermarks(), warehouse.watermarks());
        let mut load = place.load(&left);
        finish(&mut load);
        assert_eq!((dump(&left), load.generation), (expected.clone(), 0));
        killed += 1;
    }
    assert!(killed >= 4, "{killed}");
    assert_eq!(dump(&warehouse), expected);
    // Without new events nothing changes.
    assert_eq!(finish(&mut load), 1);
    assert_eq!(dump(&warehouse), expected);
}

fn with(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

#[test]
fn a_closed_warehouse_is_gone_on_with() {
    let mut place = Place::rolling();
    for n in 0..6 {
        place.block("a", 10 + n);
        let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
        let mut load = place.load(&warehouse);
        assert_eq!((finish(&mut load), load.generation), (1, 0));
        assert_eq!(dump(&warehouse), place.expected());
    }
}

#[test]
fn the_rows_of_a_transaction_are_bounded() {
    let mut place = Place::new();
    for _ in 0..20 {
        place.block("a", 10);
    }
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    for batch in [(1, usize::MAX), (usize::MAX, 1)] {
        let mut load = place.load(&warehouse);
        load.batch = batch;
        warehouse.reset().unwrap();
        assert_eq!(finish(&mut load), 21);
        assert_eq!(dump(&warehouse), place.expected());
    }
    let mut load = place.load(&warehouse);
    load.batch.0 = 91;
    warehouse.reset().unwrap();
    assert_eq!(load.step().unwrap(), HasMore(true));
    // Events of bots have no rows, so a hundred events make fewer rows.
    assert_eq!(mark(&warehouse).position.seq, 10);
}

#[test]
fn what_cannot_be_used_is_made_again() {
    let mut place = Place::new();
    place.block("a", 50);
    let expected = place.expected();
    let path = place.file();
    let good = {
        let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
        finish(&mut place.load(&warehouse));
        drop(warehouse);
        fs::read(&path).unwrap()
    };
    let mut flipped = good.clone();
    // The first of the two headers of the database, which refer to the blocks in use.
    flipped[4096..3 * 4096].iter_mut().for_each(|byte| *byte ^= 0x55);
    let mut newer = good.clone();
    // Version of the file format, after a checksum and four letters.
    newer[12] = 250;
    let cases = [
        ("garbage", vec![7; 100_000]),
        ("another program's", b"SQLite format 3\0".repeat(1000)),
        ("empty", Vec::new()),
        ("cut off", good[..good.len() / 2].to_vec()),
        ("short", good[..100].to_vec()),
        ("flipped", flipped),
        ("newer", newer),
    ];
    for (case, bytes) in cases {
        fs::write(&path, &bytes).unwrap();
        let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
        assert_eq!(fs::read(with(&path, ".old")).unwrap_or_default(), bytes, "{case}");
        let mut load = place.load(&warehouse);
        finish(&mut load);
        assert_eq!(dump(&warehouse), expected, "{case}");
        assert!(!with(&path, ".old").exists(), "{case}");
        drop((load, warehouse));
        let warehouse = DuckWarehouse::open(&path, &small()).unwrap();
        assert_eq!(dump(&warehouse), expected, "{case}: once more");
    }

    // Another version of the schema.
    {
        let conn = duckdb::Connection::open(&path).unwrap();
        conn.execute_batch("UPDATE version SET schema = 999").unwrap();
    }
    let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
    assert_eq!(mark(&warehouse).position.seq, 0);
    finish(&mut place.load(&warehouse));
    assert_eq!(dump(&warehouse), expected);
}

#[test]
fn damage_that_a_question_meets_is_mended() {
    let mut place = Place::new();
    for _ in 0..20 {
        place.block("a", 500);
    }
    let expected = place.expected();
    let path = place.file();
    {
        let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
        finish(&mut place.load(&warehouse));
    }
    // After the headers: in the rows, or in their metadata.
    let mut bytes = fs::read(&path).unwrap();
    let (from, to) = (3 * 4096, bytes.len());
    bytes[from..to].iter_mut().step_by(1000).for_each(|byte| *byte ^= 0x55);
    fs::write(&path, &bytes).unwrap();

    let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
    let read = warehouse.read(&StopToken::new(), |conn| {
        Ok(conn.query_row("SELECT count(*), max(id) FROM events", [], |row| row.get::<_, i64>(0))?)
    });
    // The damage is detected on opening, or now.
    assert!(read.is_err() || mark(&warehouse).position.seq == 0, "{read:?}");
    finish(&mut place.load(&warehouse));
    assert_eq!(dump(&warehouse), expected);
}

#[test]
fn a_warehouse_of_another_log_is_emptied() {
    let mut place = Place::new();
    place.block("a", 10);
    let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    finish(&mut place.load(&warehouse));

    let mut other = Place::new();
    other.block("b", 10);
    let mut load = other.load(&warehouse);
    // The new generation is published before rows are added.
    assert_eq!(load.step().unwrap(), HasMore(true));
    assert_eq!((mark(&warehouse).position.seq, load.generation), (0, 1));
    finish(&mut load);
    assert_eq!((dump(&warehouse), load.generation), (other.expected(), 1));
}

#[test]
fn rows_answer_only_once_they_are_known_to_be_of_the_log() {
    let mut place = Place::new();
    for _ in 0..3 {
        place.block("a", 10);
    }
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    finish(&mut place.load(&warehouse));
    let start = |log: &Path| {
        let loader = Loader::start(log, warehouse.clone(), None).unwrap();
        let loaded = (loader.position().seq, loader.generation());
        loader.stop();
        assert_eq!(loader.position().seq, loaded.0, "after the thread has looked as well");
        loaded
    };
    assert_eq!(start(&place.log_dir()), (3, 0));
    // A log that cannot be read is not known to be another log.
    assert_eq!(start(&place.dir.path().join("missing")), (0, 0));
    let other = Place::new();
    assert_eq!(start(&other.log_dir()), (0, 1));
}

#[test]
fn a_warehouse_ahead_of_its_log_is_emptied() {
    let mut place = Place::new();
    place.block("a", 10);
    place.close();
    let saved = fs::read(place.log_dir().join("log.db")).unwrap();
    place.open();
    place.block("a", 10);
    let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    finish(&mut place.load(&warehouse));
    assert_eq!(mark(&warehouse).position.seq, 2);

    // The log after a power failure that lost its end.
    place.close();
    fs::remove_dir_all(place.log_dir()).unwrap();
    fs::create_dir(place.log_dir()).unwrap();
    fs::write(place.log_dir().join("log.db"), &saved).unwrap();
    place.open();
    let mut load = place.load(&warehouse);
    finish(&mut load);
    assert_eq!((dump(&warehouse), load.generation), (place.expected(), 1));
    assert_eq!(mark(&warehouse).position.seq, 1);

    // The log has grown again to the same length, with other events.
    finish(&mut place.load(&warehouse));
    place.block("a", 10);
    let marks = warehouse.watermarks();
    finish(&mut place.load(&warehouse));
    place.close();
    fs::remove_dir_all(place.log_dir()).unwrap();
    fs::create_dir(place.log_dir()).unwrap();
    fs::write(place.log_dir().join("log.db"), &saved).unwrap();
    place.open();
    place.block("b", 10);
    assert_ne!(marks, warehouse.watermarks());
    let mut load = place.load(&warehouse);
    finish(&mut load);
    assert_eq!((dump(&warehouse), load.generation), (place.expected(), 1));
}

#[test]
fn a_rebuild_gives_the_same_rows_and_answers_meanwhile() {
    let mut place = Place::new();
    for _ in 0..10 {
        place.block("a", 20);
    }
    let expected = place.expected();
    let path = place.file();
    let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
    let mut load = place.load(&warehouse);
    finish(&mut load);

    request_rebuild(&place.request()).unwrap();
    load.batch.0 = 20;
    while load.step().unwrap() == HasMore(true) {
        let rebuild = load.rebuild.as_ref().unwrap();
        assert!(rebuild.target.seq == 10 && rebuild.mark.position.seq > 0, "{:?}", rebuild.mark);
        assert_eq!(dump(&warehouse), expected);
    }
    assert_eq!((dump(&warehouse), load.generation, load.progress()), (expected.clone(), 1, None));
    assert!(!place.request().exists());

    // An interrupted rebuild leaves the old warehouse unchanged, and is started again.
    request_rebuild(&place.request()).unwrap();
    load.step().unwrap();
    drop((load, warehouse));
    let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
    assert_eq!(dump(&warehouse), expected);
    assert!(!with(&path, ".new").exists());
    let mut load = place.load(&warehouse);
    finish(&mut load);
    assert_eq!((dump(&warehouse), load.generation), (expected.clone(), 1));
    drop((load, warehouse));

    // Rebuild without a server.
    let mut seen = Vec::new();
    {
        let warehouse = Arc::new(DuckWarehouse::open(&path, &small()).unwrap());
        rebuild(&place.log_dir(), warehouse, &mut |progress| seen.push(progress.position.seq)).unwrap();
    }
    assert_eq!(seen.last(), Some(&10));
    let warehouse = DuckWarehouse::open(&path, &small()).unwrap();
    assert_eq!(dump(&warehouse), expected);
    let other = DuckWarehouse::open(&path, &small());
    assert!(matches!(other.map(drop), Err(Error::InUse { .. })));
}

#[test]
fn what_the_log_forgets_is_forgotten() {
    let mut place = Place::rolling();
    for _ in 0..6 {
        place.block("a", 3);
    }
    let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    let mut load = place.load(&warehouse);
    finish(&mut load);
    let before = dump(&warehouse);

    let log = place.log.clone().unwrap();
    let pruned = place
        .runtime
        .block_on(log.prune(PruneRequest { before: Instant::from_us(START + 4 * DAY_US), force: true }))
        .unwrap();
    assert_eq!(pruned.blocks, 4);
    load.pruned = None;
    // A concurrent reader sees its snapshot and blocks nobody.
    warehouse
        .read(&StopToken::new(), |conn| {
            let count = || conn.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap();
            conn.execute_batch("BEGIN; CREATE TEMP TABLE mine AS SELECT * FROM events")?;
            let rows = count();
            finish(&mut load);
            assert_eq!(count(), rows);
            Ok(conn.execute_batch("ROLLBACK")?)
        })
        .unwrap();
    let after = dump(&warehouse);
    assert_eq!((&after, load.generation), (&place.expected(), 1));
    assert!(after.len() < before.len());
    // URLs and profiles that occur again are stored again.
    place.block("a", 30);
    finish(&mut load);
    assert_eq!(dump(&warehouse), place.expected());
}

#[test]
fn names_are_stored_once_however_often_nothing_is_forgotten() {
    let mut place = Place::new();
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    let mut load = place.load(&warehouse);
    for _ in 0..4 {
        place.block("a", 140);
        load.pruned = None;
        finish(&mut load);
        assert_eq!(load.generation, 0);
    }
    for table in ["urls", "profiles"] {
        let (rows, different) = warehouse
            .read(&StopToken::new(), |conn| {
                let count = format!("SELECT count(*), count(DISTINCT {table}) FROM {table}");
                Ok(conn.query_row(&count, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?)
            })
            .unwrap();
        assert!(different > 3, "{table}: {different}");
        assert_eq!(rows, different, "{table}");
    }
}

#[test]
fn damage_of_the_log_is_passed() {
    let mut place = Place::new();
    for _ in 0..5 {
        place.block("a", 10);
    }
    place.close();
    {
        let conn = rusqlite::Connection::open(place.log_dir().join("log.db")).unwrap();
        conn.execute("UPDATE block SET body = x'00' WHERE seq = 3", []).unwrap();
    }
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    finish(&mut place.load(&warehouse));
    assert_eq!(mark(&warehouse).position.seq, 5);
    let loaded = [1, 2, 4, 5].map(|seq| format!("'seq': {seq}"));
    let rows = dump(&warehouse);
    for seq in loaded {
        assert!(rows.iter().any(|row| row.contains(&seq)), "{seq}");
    }
    assert!(!rows.iter().any(|row| row.contains("'seq': 3")));
    assert_eq!(lost(&warehouse, "a"), Some((1, 3, 3)));
    assert_eq!(lost(&warehouse, "another"), lost(&warehouse, "a"), "whose events they were is not known");
    // The damage is still reported after a restart, and only once.
    let mut again = place.load(&warehouse);
    finish(&mut again);
    assert_eq!(lost(&warehouse, "a"), Some((1, 3, 3)));
    assert_eq!(again.damaged, HashSet::from([3]));
    let loader = Loader::start(&place.log_dir(), warehouse.clone(), None).unwrap();
    assert_eq!(loader.damaged(), 1);
    loader.stop();

    // When the last block is damaged, the watermark after it has no hash.
    {
        let conn = rusqlite::Connection::open(place.log_dir().join("log.db")).unwrap();
        conn.execute("UPDATE block SET body = x'00' WHERE seq = 5", []).unwrap();
    }
    warehouse.reset().unwrap();
    finish(&mut place.load(&warehouse));
    assert_eq!(mark(&warehouse), Watermark { position: Position { seq: 5 }, hash: None });
    finish(&mut place.load(&warehouse));
    assert_eq!(mark(&warehouse), Watermark { position: Position { seq: 5 }, hash: None });
    assert_eq!(lost(&warehouse, "a"), Some((2, 3, 5)));
    // Retention removes the record of the damage, too.
    let log = again.log_id.unwrap();
    warehouse.prune(log, 4).unwrap();
    assert_eq!(lost(&warehouse, "a"), Some((1, 5, 5)));
    warehouse.prune(log, 6).unwrap();
    assert_eq!(lost(&warehouse, "a"), None);
    again.read_damage(log);
    assert_eq!(again.damaged, HashSet::new());
}

/// Lost blocks in a report of a project: their number, the first and the last.
fn lost(warehouse: &DuckWarehouse, project_key: &str) -> Option<(u64, i64, i64)> {
    let question = ExperimentQuestion {
        project_key: project_key.into(),
        population: Population::Exposed { test_id: 1 },
        started_at: None,
        from: None,
        until: None,
        epoch: None,
        epochs: Vec::new(),
        arms: 2,
        policy: Default::default(),
        filter: Default::default(),
        breakdown: None,
        by_quarter: false,
        as_of: Instant::from_us(START),
        metrics: Vec::new(),
    };
    let lost = warehouse.ask(&question, &StopToken::new()).unwrap().lost;
    assert!(lost.iter().all(|lost| warehouse.watermarks().contains_key(&lost.log)));
    lost.first().map(|LostBlocks { blocks, first, last, .. }| (*blocks, *first, *last))
}

#[test]
fn a_deleted_file_of_the_log_is_named_and_costs_no_rows_that_are_there() {
    let mut place = Place::rolling();
    for _ in 0..6 {
        place.block("a", 10);
    }
    place.close();
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    let mut load = place.load(&warehouse);
    finish(&mut load);
    let whole = dump(&warehouse);
    let mut files: Vec<PathBuf> = fs::read_dir(place.log_dir()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("log-"));
    files.sort();
    fs::remove_file(&files[0]).unwrap();
    load.pruned = None;
    finish(&mut load);
    assert_eq!((dump(&warehouse), lost(&warehouse, "a")), (whole, None), "its events were loaded before");
    warehouse.reset().unwrap();
    finish(&mut place.load(&warehouse));
    assert_eq!(lost(&warehouse, "a"), Some((1, 1, 1)));
}

#[test]
fn events_that_are_not_understood_are_named_to_their_project() {
    let mut place = Place::new();
    place.block("a", 10);
    let id = Uuid::from_u128(1 << 100);
    let lines = b"{\"what\": 1}\n".to_vec();
    let events = vec![BatchEvent { id, scope: DedupScope::PROJECT, end: lines.len() }];
    let batch = Batch { project_key: "b".into(), received_at: Instant::from_us(START), events, lines };
    place.runtime.block_on(place.log.as_ref().unwrap().append(batch)).unwrap();
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    finish(&mut place.load(&warehouse));
    assert_eq!(lost(&warehouse, "a"), None);
    assert_eq!(lost(&warehouse, "b"), Some((1, 2, 2)));
}

#[test]
fn one_project_can_be_loaded_alone() {
    let mut place = Place::new();
    for n in 0..6 {
        place.block(if n % 2 == 0 { "a" } else { "b" }, 10);
    }
    let reader = LogReader::open(&place.log_dir()).unwrap();
    let warehouse = DuckWarehouse::in_memory(&small()).unwrap();
    let mut reported = Vec::new();
    let up_to = Position { seq: 4 };
    let loaded = load_log(&reader, &warehouse, "b", up_to, &mut |at| reported.push(at.seq)).unwrap();
    assert_eq!(loaded, LoadReport { position: up_to, events: 20, damage: None });
    assert_eq!(reported, [4]);
    let rows = dump(&warehouse);
    let project = format!("'project': {},", crate::row::hash_text("b"));
    assert!(rows[1..].iter().all(|row| row.contains(&project)), "{rows:?}");
}

/// Makes two of three loads fail: one before and one after it was stored.
fn failing(inner: Arc<DuckWarehouse>) -> Arc<FaultyWriter> {
    Arc::new(FaultyWriter::new(inner, |load| match load % 3 {
        0 => Fault::Before,
        1 => Fault::After,
        _ => Fault::None,
    }))
}

#[test]
fn what_fails_is_tried_again() {
    let mut place = Place::new();
    for _ in 0..10 {
        place.block("a", 10);
    }
    let inner = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    let warehouse = failing(inner.clone());
    let mut load = LoadState::new(&place.log_dir(), warehouse);
    load.batch.0 = 10;
    let mut failed = 0;
    loop {
        match load.step() {
            Ok(HasMore(true)) => {}
            Ok(HasMore(false)) => break,
            Err(_) => failed += 1,
        }
    }
    assert!(failed > 5, "{failed}");
    assert_eq!(dump(&inner), place.expected());
}

#[test]
fn a_loader_is_there_when_it_is_waited_for() {
    let mut place = Place::new();
    place.block("a", 10);
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    let loader = Loader::start(&place.log_dir(), warehouse.clone(), None).unwrap();
    let waiter = Builder::new_current_thread().enable_all().build().unwrap();
    let wait = |seq: i64, patience: Duration| {
        waiter.block_on(async { tokio::time::timeout(patience, loader.wait_for(Position { seq })).await.ok() })
    };
    let patience = Duration::from_secs(180);
    assert_eq!(wait(1, patience), Some(true));
    assert_eq!((loader.touched("a").seq, loader.touched("b").seq), (1, 0));
    for n in 2..20 {
        let began = Clock::now();
        place.block(if n % 2 == 0 { "b" } else { "a" }, 10);
        assert_eq!(wait(n, patience), Some(true));
        assert_eq!(loader.position().seq, n);
        assert_eq!((loader.touched("a").seq, loader.touched("b").seq), (n - (n + 1) % 2, n - n % 2));
        // At least once, this is well before the next periodic load.
        if began.elapsed() < LOAD_INTERVAL / 2 {
            break;
        }
        assert_ne!(n, 19, "waiting does not wake the loader");
    }
    assert_eq!(wait(1000, Duration::from_millis(1)), None);
    assert_eq!((loader.progress(), loader.generation()), (None, 0));
    loader.stop();
    assert_eq!(wait(1000, patience), Some(false));
    assert_eq!(dump(&warehouse)[1..], place.expected()[1..]);
}

#[test]
fn events_that_come_during_a_rebuild_are_in_both_warehouses() {
    let mut place = Place::new();
    for _ in 0..10 {
        place.block("a", 20);
    }
    let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    let mut load = place.load(&warehouse);
    finish(&mut load);
    request_rebuild(&place.request()).unwrap();
    load.batch.0 = 20;
    assert_eq!(load.step().unwrap(), HasMore(true));
    assert_eq!(load.rebuild.as_ref().unwrap().mark.position.seq, 2);
    let mut last = 10;
    while load.rebuild.is_some() {
        // More than one block, so that the rebuild ends while events arrive.
        if last < 14 {
            place.block("b", 20);
            last += 1;
        }
        load.step().unwrap();
        assert_eq!(mark(&warehouse).position.seq, last, "the one that answers is not left behind");
    }
    assert_eq!((mark(&warehouse).position.seq, load.generation), (14, 1));
    assert_eq!(dump(&warehouse), place.expected());
    // Loading continues at the position that the rebuild has reached.
    place.block("a", 20);
    finish(&mut load);
    assert_eq!(dump(&warehouse), place.expected());
}

#[test]
fn a_rebuild_replaces_a_warehouse_that_fails() {
    let mut place = Place::new();
    for _ in 0..5 {
        place.block("a", 20);
    }
    let inner = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    let warehouse = failing(inner.clone());
    request_rebuild(&place.request()).unwrap();
    let mut load = LoadState { request: Some(place.request()), ..LoadState::new(&place.log_dir(), warehouse.clone()) };
    load.batch.0 = 20;
    finish(&mut load);
    assert_eq!(warehouse.loads(), 1, "it is not tried again meanwhile");
    assert_eq!((dump(&inner), load.is_main_given_up), (place.expected(), false));
    assert!(!place.request().exists());
}

#[test]
fn what_comes_after_a_log_that_was_deleted_by_retention_is_known() {
    let mut place = Place::rolling();
    for _ in 0..3 {
        place.block("a", 10);
    }
    let log = place.log.clone().unwrap();
    let pruned = place
        .runtime
        .block_on(log.prune(PruneRequest { before: Instant::from_us(START + 100 * DAY_US), force: true }))
        .unwrap();
    assert_eq!(pruned.blocks, 3);
    let warehouse = Arc::new(DuckWarehouse::in_memory(&small()).unwrap());
    let loader = Loader::start(&place.log_dir(), warehouse, None).unwrap();
    assert_eq!(loader.head().unwrap().position.seq, 3);
    let wait = async { tokio::time::timeout(Duration::from_secs(180), loader.wait_for(Position { seq: 3 })).await };
    assert_eq!(place.runtime.block_on(wait).ok(), Some(true));
}

/// Blocks are rewritten while the log is loaded: rows are replaced, also those of a
/// rebuild, and in the end no file contains the visitor's bytes.
#[test]
fn rewritten_blocks_are_followed_and_their_bytes_removed() {
    use muriel_log::{ErasedEvents, Erasure, RewriteKey, erase};
    let mut place = Place::rolling();
    for n in 0..20 {
        place.block(if n % 3 == 0 { "a" } else { "b" }, 20);
    }
    let key = RewriteKey::new(&[1; 32]);
    let erase_visitor = |place: &Place, project: &str, visitor: &str| {
        let what = ErasedEvents::OfVisitor(key.visitor(project, visitor));
        let erasures = [Erasure { job: Uuid::nil(), project_key: project.into(), what }];
        let log = place.log.as_ref().unwrap();
        erase(log, &key, Instant::from_us(START), &erasures, &mut |_| true).unwrap().removed[0]
    };
    let warehouse = Arc::new(DuckWarehouse::open(&place.file(), &small()).unwrap());
    let bytes_of = |visitor: &str| {
        let files =
            fs::read_dir(place.dir.path()).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file());
        let hash = super::super::row::hash_text(visitor).to_le_bytes();
        let found: Vec<PathBuf> = files
            .filter(|path| {
                let bytes = fs::read(path).unwrap();
                [visitor.as_bytes(), &hash].iter().any(|part| bytes.windows(part.len()).any(|window| window == *part))
            })
            .collect();
        found
    };
    let mut load = place.load(&warehouse);
    finish(&mut load);
    drop(load);
    warehouse.read(&StopToken::new(), |conn| Ok(conn.execute_batch("CHECKPOINT")?)).unwrap();
    assert!(!bytes_of("visitor 3").is_empty(), "the search finds what is there");

    // Rewritten while the loader is stopped, and while a rebuild has read some of the
    // blocks.
    assert!(erase_visitor(&place, "a", "visitor 3") > 0);
    let mut load = place.load(&warehouse);
    load.compact_after = Some(Clock::now() + Duration::from_secs(600));
    finish(&mut load);
    let without_marks = |rows: Vec<String>| rows.into_iter().skip(1).collect::<Vec<_>>();
    assert_eq!(without_marks(dump(&warehouse)), without_marks(place.expected()));
    assert_eq!((load.generation, load.has_erased_bytes), (1, true));
    fs::write(place.request(), b"").unwrap();
    load.batch.0 = 60;
    for _ in 0..3 {
        load.step().unwrap();
    }
    assert!(load.rebuild.is_some());
    assert!(erase_visitor(&place, "b", "visitor 3") > 0);
    load.is_follow_requested = true;
    load.step().unwrap();
    assert_eq!(without_marks(dump(&warehouse)), without_marks(place.expected()), "at once");
    finish(&mut load);
    assert!(!place.request().exists());
    assert_eq!(without_marks(dump(&warehouse)), without_marks(place.expected()), "also after the rebuild");
    // The rebuild had read blocks with the visitor, so another rebuild removes the bytes.
    assert!(load.has_erased_bytes);
    load.compact_after = None;
    load.batch = state::MAX_BATCH;
    finish(&mut load);
    assert_eq!((load.has_erased_bytes, without_marks(dump(&warehouse))), (false, without_marks(place.expected())));
    drop(load);
    warehouse.read(&StopToken::new(), |conn| Ok(conn.execute_batch("CHECKPOINT")?)).unwrap();
    assert_eq!(bytes_of("visitor 3"), Vec::<PathBuf>::new());
    assert!(!bytes_of("visitor 4").is_empty());

    // The loader's thread does the same.
    let loader = Loader::start(&place.log_dir(), warehouse.clone(), None).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(loader.follow_rewrites()), Some(false));
    assert!(erase_visitor(&place, "b", "visitor 4") > 0);
    assert!(runtime.block_on(loader.follow_rewrites()).is_some());
    assert_eq!(without_marks(dump(&warehouse)), without_marks(place.expected()));
    let deadline = Clock::now() + Duration::from_secs(60);
    while runtime.block_on(loader.follow_rewrites()) == Some(true) {
        assert!(Clock::now() < deadline, "it is compacted");
        thread::sleep(Duration::from_millis(20));
    }
    loader.stop();
    assert_eq!(runtime.block_on(loader.follow_rewrites()), None);
}
