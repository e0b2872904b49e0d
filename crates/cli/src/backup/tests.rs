use super::directory::DirectoryStore;
use super::manifest::{BACKUPS, BackupId, FILES, StoredFile};
use super::store::Digest;
use super::*;
use crate::open;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, LogReader, Position, Reserve};
use muriel_sql::PostgresOptions;
use std::fs;
use std::path::Path;
use uuid::Uuid;

fn place(data_dir: &Path) -> StorageSettings {
    StorageSettings {
        data_dir: data_dir.to_owned(),
        database_url: None,
        pepper_file: data_dir.join("pepper"),
        postgres: PostgresOptions::default(),
    }
}

fn store(path: &Path) -> DirectoryStore {
    DirectoryStore::new(path)
}

fn make(data_dir: &Path, to: &Path) -> Result<MadeBackup> {
    BackupMaker::new(&place(data_dir), &store(to))?.make()
}

fn verify(to: &Path) -> Result<verify::VerifiedBackups> {
    verify::verify(&store(to))
}

fn restore(from: &Path, data_dir: &Path) -> Result<restore::Restored> {
    restore::restore(&store(from), None, data_dir)
}

/// Files in a folder of a store.
fn files(to: &Path, folder: &str) -> Vec<PathBuf> {
    store(to).list(folder).unwrap().iter().map(|file| to.join(folder).join(&file.name)).collect()
}

async fn append(log: &Log, number: u128) {
    let lines = format!(
        "{{\"n\":{number},\"text\":\"{}\"}}\n",
        Uuid::from_u128(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
    );
    let events = vec![BatchEvent { id: Uuid::from_u128(number), scope: DedupScope::PROJECT, end: lines.len() }];
    let received_at = Instant::from_us(1_772_000_000_000_000 + number as i64);
    let batch = Batch { project_key: "prj".into(), received_at, events, lines: lines.into_bytes() };
    log.append(batch).await.unwrap();
}

/// Creates a data directory with a database, a pepper, and a log of several files.
async fn data(data_dir: &Path) -> (Log, u128) {
    drop(open::open(&place(data_dir)).await.unwrap());
    let options = LogOptions { roll_bytes: 64 << 10, reserve: Reserve::Bytes(0), ..LogOptions::default() };
    let log = Log::open(data_dir, options).unwrap();
    let mut number = 0;
    while closed_files(data_dir).len() < 2 {
        append(&log, number).await;
        number += 1;
        assert!(number < 20_000, "the log is rolled");
    }
    (log, number)
}

fn closed_files(data_dir: &Path) -> Vec<String> {
    let names = fs::read_dir(data_dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("log-") && name.ends_with(".db")).collect()
}

fn hash(data_dir: &Path, seq: i64) -> [u8; 32] {
    LogReader::open(data_dir).unwrap().hash_at(Position { seq }).unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_restores_the_same_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, to, restored) = (dir.path().join("data"), dir.path().join("backup"), dir.path().join("restored"));
    let (log, first) = data(&data_dir).await;
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let writer = tokio::spawn({
        let log = log.clone();
        async move {
            let mut number = first;
            while stopped.try_recv().is_err() {
                append(&log, number).await;
                number += 1;
            }
        }
    });
    let before = log.last().seq;
    let made = tokio::task::spawn_blocking({
        let (data_dir, to) = (data_dir.clone(), to.clone());
        move || make(&data_dir, &to).map(|made| made.manifest.log_position())
    });
    let position = made.await.unwrap().unwrap();
    stop.send(()).unwrap();
    writer.await.unwrap();
    assert!(position >= before, "what was acknowledged before is in the backup");
    verify(&to).unwrap();

    let said = restore(&to, &restored).unwrap();
    let reader = LogReader::open(&restored).unwrap();
    assert_eq!((reader.last().unwrap().seq, said.log_position), (position, position));
    assert_eq!(hash(&restored, position), hash(&data_dir, position));
    assert_eq!(reader.blocks(Position::default()).unwrap().filter(|block| block.is_ok()).count() as i64, position);
    open::open_existing(&place(&restored)).await.unwrap();
    // The restored log can be continued.
    let again = Log::open(&restored, LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }).unwrap();
    append(&again, u128::MAX >> 1).await;
    assert_eq!(again.last().seq, position + 1);
    again.close().await.unwrap();

    log.close().await.unwrap();
    make(&data_dir, &to).unwrap();
    let made = make(&data_dir, &to).unwrap();
    assert_eq!(made.copied, (0, 0), "what is there is not stored again");
    assert_eq!(verify(&to).unwrap().backups, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_is_found_and_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, to) = (dir.path().join("data"), dir.path().join("backup"));
    let (log, _) = data(&data_dir).await;
    let made = make(&data_dir, &to).unwrap();
    let flip = |path: &Path, at: usize| {
        let mut bytes = fs::read(path).unwrap();
        bytes[at] ^= 0x20;
        fs::write(path, bytes).unwrap();
    };
    let manifest = to.join(made.id.path());
    for at in 0..fs::metadata(&manifest).unwrap().len() as usize {
        flip(&manifest, at);
        assert!(verify(&to).is_err(), "byte {at} of the manifest");
        flip(&manifest, at);
    }
    let restored = dir.path().join("restored");
    for path in files(&to, FILES) {
        let length = fs::metadata(&path).unwrap().len() as usize;
        for at in [0, length / 2, length - 1] {
            flip(&path, at);
            for said in [verify(&to).err().unwrap(), restore(&to, &restored).err().unwrap()] {
                let said = said.to_string();
                assert!(said.contains("checksum") && said.contains(&*path.to_string_lossy()), "byte {at}: {said}");
            }
            assert!(!restored.exists());
            flip(&path, at);
        }
    }
    // Whichever part of the log was deleted or truncated, the next backup repairs it.
    for path in files(&to, FILES) {
        for is_cut in [false, true] {
            if is_cut { fs::write(&path, "x") } else { fs::remove_file(&path) }.unwrap();
            let said = verify(&to).err().unwrap().to_string();
            assert!(said.contains(if is_cut { "it has 1 bytes" } else { "it is missing" }), "{said}");
            make(&data_dir, &to).unwrap();
            verify(&to).unwrap();
        }
    }
    // A damaged manifest is ignored, and its id is not reused.
    fs::write(&manifest, "damaged").unwrap();
    let id = make(&data_dir, &to).unwrap().id;
    assert!(id > made.id && verify(&to).is_err());
    fs::remove_file(&manifest).unwrap();
    verify(&to).unwrap();
    log.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_backup_is_not_taken_for_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, to, restored) = (dir.path().join("data"), dir.path().join("backup"), dir.path().join("restored"));
    drop(open::open(&place(&data_dir)).await.unwrap());
    assert!(verify(&to).err().unwrap().to_string().contains("there is no backup"));
    let partial = || {
        for folder in [FILES, BACKUPS] {
            fs::create_dir_all(to.join(folder)).unwrap();
            fs::write(to.join(folder).join("partial"), "half").unwrap();
        }
    };
    partial();
    assert!(restore(&to, &restored).err().unwrap().to_string().contains("not finished"));
    let made = make(&data_dir, &to).unwrap();
    assert_eq!(made.manifest.log_position(), 0);
    // The next backup is interrupted.
    partial();
    verify(&to).unwrap();
    let store = store(&to);
    let keep = Keep { newest: 1, daily: 0 };
    prune::prune(&store, &*store.lock().unwrap(), keep, &mut NeededContents::default()).unwrap();
    assert!(!to.join(FILES).join("partial").exists());
    // Two backups cannot run at once.
    let _lock = store.lock().unwrap();
    assert!(make(&data_dir, &to).err().unwrap().to_string().contains("another backup to"));

    fs::create_dir(&restored).unwrap();
    fs::write(restored.join("mine"), "").unwrap();
    assert!(restore(&to, &restored).err().unwrap().to_string().contains("not empty"));
    fs::remove_file(restored.join("mine")).unwrap();
    restore(&to, &restored).unwrap();
    open::open_existing(&place(&restored)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_backup_is_whole_after_pruning() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, to) = (dir.path().join("data"), dir.path().join("backup"));
    let (log, mut number) = data(&data_dir).await;
    let storage = place(&data_dir);
    let store = store(&to);
    let mut positions = Vec::new();
    {
        let mut maker = BackupMaker::new(&storage, &store).unwrap();
        for _ in 0..20 {
            for _ in 0..10 {
                append(&log, number).await;
                number += 1;
            }
            maker.make().unwrap();
            positions.push(log.last().seq);
            maker.prune(Keep { newest: 5, daily: 0 }).unwrap();
        }
    }
    log.close().await.unwrap();
    let verified = verify(&to).unwrap();
    assert_eq!((verified.backups, verified.contents), (5, files(&to, FILES).len()), "nothing is left over");
    // Restore each of them, from the newest on.
    let mut ids = manifest::list(&store).unwrap();
    for position in positions.iter().rev().take(5) {
        let restored = dir.path().join(format!("restored-{position}"));
        assert_eq!(restore(&to, &restored).unwrap().log_position, *position);
        assert_eq!(hash(&restored, *position), hash(&data_dir, *position));
        fs::remove_file(to.join(ids.pop().unwrap().path())).unwrap();
    }
}

#[test]
fn hostile_manifests_and_addresses_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let id = BackupId::new(Instant::from_us(0), None);
    let hostile = |name: &str, sha256: &str| {
        let content = Digest { bytes: 1, sha256: sha256.to_owned() };
        let stored = StoredFile { name: name.to_owned(), content, modified_ns: 0, source: None };
        let manifest = Manifest::new(Instant::from_us(0), Database::Included, None, vec![stored]);
        manifest.write(&store(dir.path()), &id).unwrap();
        for refused in [verify(dir.path()).err(), restore(dir.path(), &dir.path().join("new")).err()] {
            let said = refused.unwrap().to_string();
            assert!(said.contains("not the name of a file") || said.contains("not a SHA-256"), "{said}");
        }
    };
    for name in ["../muriel.db", "/etc/passwd", "log-../x.db", "", "serve.lock", "log.db"] {
        hostile(name, &"0".repeat(64));
    }
    for sha256 in ["../../etc", "", &"A".repeat(64), &format!("{}/", "0".repeat(63))] {
        hostile("muriel.db", sha256);
    }
    for address in ["ftp://x", "", "s3://", "s3://UPPER/x", "s3://bucket/../x", "s3://bucket/a//b"] {
        assert!(store::at(address, &S3Flags::default()).is_err(), "{address}");
    }
}

#[test]
fn postgresql_is_said_not_to_be_included() {
    let dir = tempfile::tempdir().unwrap();
    let storage = StorageSettings { database_url: Some("postgres://nobody".to_owned()), ..place(dir.path()) };
    let made = BackupMaker::new(&storage, &store(&dir.path().join("backup"))).unwrap().make().unwrap();
    assert_eq!((made.manifest.database, made.manifest.files.len()), (Database::PostgresqlNotIncluded, 0));
}

#[test]
fn sizes_are_readable() {
    for (bytes, expect) in
        [(0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (3 << 30, "3.0 GiB")]
    {
        assert_eq!(size(bytes), expect);
    }
}
