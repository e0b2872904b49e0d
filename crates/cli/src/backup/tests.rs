use super::*;
use crate::open;
use muriel_domain::Instant;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, LogReader, Position, Reserve};
use muriel_sql::PostgresOptions;
use uuid::Uuid;

fn place(data_dir: &Path) -> StorageSettings {
    StorageSettings {
        data_dir: data_dir.to_owned(),
        database_url: None,
        pepper_file: data_dir.join("pepper"),
        postgres: PostgresOptions::default(),
    }
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

/// A data directory with a database, a pepper, and a log of several files.
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
        let (place, to) = (place(&data_dir), to.clone());
        move || make(&place, &to)
    });
    let (manifest, _) = made.await.unwrap().unwrap();
    stop.send(()).unwrap();
    writer.await.unwrap();
    assert!(manifest.log_position >= before, "what was acknowledged before is in the backup");
    verify(&to).unwrap();

    restore(&to, &restored).unwrap();
    let reader = LogReader::open(&restored).unwrap();
    assert_eq!(reader.last().unwrap().seq, manifest.log_position);
    assert_eq!(hash(&restored, manifest.log_position), hash(&data_dir, manifest.log_position));
    assert_eq!(
        reader.blocks(Position::default()).unwrap().filter(|block| block.is_ok()).count() as i64,
        manifest.log_position
    );
    open::open_existing(&place(&restored)).await.unwrap();
    // It can be continued.
    let again = Log::open(&restored, LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }).unwrap();
    append(&again, u128::MAX >> 1).await;
    assert_eq!(again.last().seq, manifest.log_position + 1);
    again.close().await.unwrap();

    log.close().await.unwrap();
    make(&place(&data_dir), &to).unwrap();
    let (manifest, copied) = make(&place(&data_dir), &to).unwrap();
    assert_eq!(copied, manifest.files.len() - closed_files(&data_dir).len(), "closed files are copied once");
    verify(&to).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_is_found_and_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, to) = (dir.path().join("data"), dir.path().join("backup"));
    let (log, _) = data(&data_dir).await;
    let (manifest, _) = make(&place(&data_dir), &to).unwrap();
    let flip = |path: &Path, at: usize| {
        let mut bytes = fs::read(path).unwrap();
        bytes[at] ^= 0x20;
        fs::write(path, bytes).unwrap();
    };
    let listing = to.join("backup.json");
    for at in 0..fs::metadata(&listing).unwrap().len() as usize {
        flip(&listing, at);
        assert!(verify(&to).is_err(), "byte {at} of backup.json");
        flip(&listing, at);
    }
    for stored in &manifest.files {
        for at in [0, stored.bytes / 2, stored.bytes - 1] {
            flip(&stored.path(&to), at as usize);
            assert!(verify(&to).unwrap_err().to_string().contains("checksum"), "byte {at} of {}", stored.name);
            let restored = dir.path().join("restored");
            assert!(restore(&to, &restored).is_err());
            assert!(!restored.exists());
            flip(&stored.path(&to), at as usize);
        }
    }
    let lost = manifest.files.iter().find(|file| file.name.starts_with("log-")).unwrap();
    fs::remove_file(lost.path(&to)).unwrap();
    assert!(verify(&to).unwrap_err().to_string().contains("cannot be read"));
    make(&place(&data_dir), &to).unwrap();
    verify(&to).unwrap();
    log.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_backup_is_not_taken_for_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (data_dir, to, restored) = (dir.path().join("data"), dir.path().join("backup"), dir.path().join("restored"));
    drop(open::open(&place(&data_dir)).await.unwrap());
    fs::create_dir_all(to.join("files")).unwrap();
    fs::write(to.join("files/partial"), "half").unwrap();
    fs::write(to.join("backup.json.new"), "half").unwrap();
    assert!(restore(&to, &restored).unwrap_err().to_string().contains("no complete backup"));
    let (manifest, _) = make(&place(&data_dir), &to).unwrap();
    assert_eq!((manifest.log_position, to.join("files/partial").exists()), (0, false));
    // The next one dies before its end.
    fs::write(to.join("files/partial"), "half").unwrap();
    fs::write(to.join("backup.json.new"), "half").unwrap();
    verify(&to).unwrap();

    fs::create_dir(&restored).unwrap();
    fs::write(restored.join("mine"), "").unwrap();
    assert!(restore(&to, &restored).unwrap_err().to_string().contains("not empty"));
    fs::remove_file(restored.join("mine")).unwrap();
    restore(&to, &restored).unwrap();
    open::open_existing(&place(&restored)).await.unwrap();
}

#[test]
fn hostile_manifests_and_addresses_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["../muriel.db", "/etc/passwd", "log-../x.db", "", "serve.lock"] {
        let stored = StoredFile { name: name.to_owned(), bytes: 1, sha256: "0".repeat(64), modified_ns: 0 };
        Manifest::new(Database::Included, 0, vec![stored]).write(dir.path()).unwrap();
        assert!(verify(dir.path()).unwrap_err().to_string().contains("not the name of a file"), "{name}");
    }
    let stored = StoredFile { name: "muriel.db".to_owned(), bytes: 1, sha256: "../../etc".to_owned(), modified_ns: 0 };
    Manifest::new(Database::Included, 0, vec![stored]).write(dir.path()).unwrap();
    assert!(verify(dir.path()).is_err());
    let s3 = Path::new("s3://bucket/muriel");
    assert!(make(&place(dir.path()), s3).unwrap_err().to_string().contains("S3"));
    assert!(restore(s3, &dir.path().join("new")).unwrap_err().to_string().contains("S3"));
}

#[test]
fn postgresql_is_said_not_to_be_included() {
    let dir = tempfile::tempdir().unwrap();
    let place = StorageSettings { database_url: Some("postgres://nobody".to_owned()), ..place(dir.path()) };
    let (manifest, _) = make(&place, &dir.path().join("backup")).unwrap();
    assert_eq!((manifest.database, manifest.files.len()), (Database::PostgresqlNotIncluded, 0));
}
