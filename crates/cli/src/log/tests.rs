use super::export::export;
use super::{Damages, EventFilter};
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, LogReader, Reserve};
use std::path::Path;
use uuid::Uuid;

const START_US: i64 = 1_772_000_000_000_000;

/// Log with a block for each list of event numbers, of two projects in turn, a
/// day apart. Repeats are detected for an hour.
async fn log(directory: &Path, blocks: &[&[u128]]) {
    let options = LogOptions { dedup_window_us: DAY_US / 24, reserve: Reserve::Bytes(0), ..LogOptions::default() };
    let log = Log::open(directory, options).unwrap();
    for (day, numbers) in (0..).zip(blocks) {
        let mut lines = Vec::new();
        let mut events = Vec::new();
        for number in *numbers {
            lines.extend_from_slice(format!("{{\"n\":{number},\"day\":{day}}}\n").as_bytes());
            events.push(BatchEvent { id: Uuid::from_u128(*number), scope: DedupScope::PROJECT, end: lines.len() });
        }
        let project_key = if day % 2 == 0 { "prj_a" } else { "prj_b" };
        let received_at = Instant::from_us(START_US + day * DAY_US);
        log.append(Batch { project_key: project_key.into(), received_at, events, lines }).await.unwrap();
    }
    log.close().await.unwrap();
}

#[test]
fn a_terminal_is_shown_no_characters_that_control_it() {
    for (line, expect) in [
        ("{\"id\":\"plain ż 🙂\"}", "{\"id\":\"plain ż 🙂\"}"),
        ("{\"id\":\"a\u{202e}b\u{9b}31m\"}", "{\"id\":\"a\\u202eb\\u009b31m\"}"),
        ("{\"\u{200b}\":\"\u{feff}\u{7f}\u{e0001}\"}", "{\"\\u200b\":\"\\ufeff\\u007f\\udb40\\udc01\"}"),
    ] {
        let shown = super::shown(line.as_bytes());
        assert_eq!(str::from_utf8(&shown).unwrap(), expect);
        let (before, after): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(line).unwrap(), serde_json::from_slice(&shown).unwrap());
        assert_eq!(before, after);
    }
}

fn exported(directory: &Path, wanted: &EventFilter, held: u64) -> (Vec<String>, Option<String>) {
    let (mut lines, mut damages) = (Vec::new(), Damages::quiet());
    export(&LogReader::open(directory).unwrap(), wanted, held, &mut damages, &mut |line| {
        lines.push(String::from_utf8(line.to_vec()).unwrap());
        Ok(true)
    })
    .unwrap();
    (lines, damages.first)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_event_is_exported_once_however_little_is_held() {
    let directory = tempfile::tempdir().unwrap();
    // Equal numbers in the other project are different events.
    log(directory.path(), &[&[1, 2, 3], &[2, 3], &[3, 4], &[2, 9], &[1, 4, 5]]).await;
    let all = [(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (4, 2), (9, 3), (5, 4)];
    let lines =
        |of: &[(i64, i64)]| of.iter().map(|(n, day)| format!("{{\"n\":{n},\"day\":{day}}}")).collect::<Vec<_>>();
    for held in [1, 2, 5, 1_000] {
        assert_eq!(exported(directory.path(), &EventFilter::default(), held), (lines(&all), None), "{held}");
        let a = EventFilter { project: Some("prj_a".to_owned()), ..EventFilter::default() };
        let of_a = [(1, 0), (2, 0), (3, 0), (4, 2), (5, 4)];
        assert_eq!(exported(directory.path(), &a, held).0, lines(&of_a), "{held}");
        // The first selected occurrence counts as the first.
        let later = EventFilter { from: Some(Instant::from_us(START_US + DAY_US)), ..a };
        let of_later = [(3, 2), (4, 2), (1, 4), (5, 4)];
        assert_eq!(exported(directory.path(), &later, held).0, lines(&of_later), "{held}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_damaged_does_not_stand_for_its_repeats() {
    let directory = tempfile::tempdir().unwrap();
    log(directory.path(), &[&[1, 2], &[7], &[1, 3]]).await;
    damage(directory.path(), 0);
    for held in [1, 1_000] {
        let (lines, damage) = exported(directory.path(), &EventFilter::default(), held);
        assert_eq!(lines, ["{\"n\":7,\"day\":1}", "{\"n\":1,\"day\":2}", "{\"n\":3,\"day\":2}"], "{held}");
        assert!(damage.unwrap().starts_with("block 1 of "));
    }
}

/// Changes a byte in the body of a block.
fn damage(directory: &Path, nth: usize) {
    let path = directory.join("log.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let frames = bytes.windows(4).enumerate().filter(|(_, four)| *four == [0x28, 0xb5, 0x2f, 0xfd]);
    let at = frames.map(|(at, _)| at).collect::<Vec<_>>();
    // SQLite fills a page with rows from its end.
    let at = at[at.len() - 1 - nth] + 10;
    bytes[at] ^= 0x55;
    std::fs::write(&path, bytes).unwrap();
}
