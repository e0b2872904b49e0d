//! Changes the files of a log directly, in the format that `muriel-log` documents.

use crate::Result;
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use std::path::Path;
use uuid::Uuid;

/// One event of a block.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) project_key: String,
    pub(crate) id: Uuid,
    /// JSON object of the event.
    pub(crate) line: String,
}

/// Changes the blocks of `log.db`, and recomputes the chain of hashes, so that the
/// change cannot be detected by it.
pub(crate) fn rewrite(data_dir: &Path, change: impl FnOnce(&mut Vec<Vec<Stored>>) -> Result<()>) -> Result<()> {
    let conn = Connection::open(data_dir.join("log.db"))?;
    let (first, mut hash): (i64, Vec<u8>) =
        conn.query_row("SELECT after_seq, after_hash FROM file", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut times = Vec::new();
    let mut blocks = Vec::new();
    let mut rows = conn.prepare("SELECT received_at, runs, ids, body FROM block ORDER BY seq")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (runs, ids, body): (String, Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?, row.get(3)?);
        times.push(row.get::<_, i64>(0)?);
        blocks.push(opened(&runs, &ids, &body)?);
    }
    change(&mut blocks)?;
    conn.execute("DELETE FROM block", [])?;
    for (place, (block, received_at)) in blocks.iter().zip(times).enumerate() {
        let seq = first + 1 + i64::try_from(place)?;
        let runs: Vec<(&str, u32)> = block.iter().map(|event| (event.project_key.as_str(), 1)).collect();
        let runs = serde_json::to_string(&runs)?;
        let ids: Vec<u8> = block.iter().flat_map(|event| event.id.into_bytes()).collect();
        let lines: String = block.iter().map(|event| format!("{}\n", event.line)).collect();
        let body = zstd::bulk::compress(lines.as_bytes(), 1)?;
        let events = i64::try_from(block.len())?;
        let mut next = Sha256::new().chain_update(&hash);
        for number in [seq, received_at, events] {
            next.update(number.to_be_bytes());
        }
        for part in [runs.as_bytes(), &ids, &body] {
            next.update((part.len() as u64).to_be_bytes());
            next.update(part);
        }
        hash = next.finalize().to_vec();
        let values = (seq, received_at, events, &hash, &runs, &ids, &body);
        conn.execute("INSERT INTO block VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", values)?;
    }
    Ok(())
}

fn opened(runs: &str, ids: &[u8], body: &[u8]) -> Result<Vec<Stored>> {
    let runs: Vec<(String, usize)> = serde_json::from_str(runs)?;
    let keys = runs.into_iter().flat_map(|(key, events)| std::iter::repeat_n(key, events));
    let lines = String::from_utf8(zstd::stream::decode_all(body)?)?;
    let ids = ids.as_chunks::<16>().0.iter().map(|id| Uuid::from_bytes(*id));
    let events = keys.zip(ids).zip(lines.lines());
    Ok(events.map(|((project_key, id), line)| Stored { project_key, id, line: line.to_owned() }).collect())
}

/// Changes one byte in the middle of a block's lines.
pub(crate) fn change_byte(data_dir: &Path) -> Result<()> {
    let conn = Connection::open(data_dir.join("log.db"))?;
    let seq: i64 = conn.query_row("SELECT (min(seq) + max(seq)) / 2 FROM block", [], |row| row.get(0))?;
    let mut body: Vec<u8> = conn.query_row("SELECT body FROM block WHERE seq = ?1", [seq], |row| row.get(0))?;
    let middle = body.len() / 2;
    body[middle] ^= 1;
    conn.execute("UPDATE block SET body = ?2 WHERE seq = ?1", (seq, body))?;
    Ok(())
}

/// Removes a block from the middle of the file.
pub(crate) fn remove_block(data_dir: &Path) -> Result<()> {
    let conn = Connection::open(data_dir.join("log.db"))?;
    conn.execute("DELETE FROM block WHERE seq = (SELECT (min(seq) + max(seq)) / 2 FROM block)", [])?;
    Ok(())
}

/// Removes an event from the deduplication index.
pub(crate) fn forget(data_dir: &Path, id: Uuid) -> Result<()> {
    let mut gone = 0;
    for entry in std::fs::read_dir(data_dir)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with("seen-") && name.ends_with(".db") {
            let conn = Connection::open(&path)?;
            // A fingerprint begins with the first six bytes of the event's id.
            gone += conn.execute("DELETE FROM seen WHERE substr(event, 1, 6) = ?1", [&id.as_bytes()[..6]])?;
        }
    }
    if gone == 0 { Err("the index does not know the event".into()) } else { Ok(()) }
}
