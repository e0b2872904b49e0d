//! Backups made while the server accepts events, and the data restored from them.

use crate::recompute::{muriel, says, scene, timeless, verified};
use crate::scene::{Collector, id};
use muriel_tests::process::{Process, command, program};
use muriel_tests::{DEADLINE, eventually, scratch};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path")
}

/// Runs the program with arguments that name all directories themselves.
fn plainly(words: &[&str]) -> Output {
    let program = program(None).unwrap_or_else(|error| panic!("{error}"));
    let mut command = command(&program, &[], Path::new("/nowhere"));
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = std::process::Command::new(&program);
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(words).output().expect("a process")
}

#[track_caller]
fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", says(output));
    says(output)
}

/// Returns the ids of all events in the log of a data directory.
fn logged(data_dir: &Path) -> HashSet<String> {
    let export = muriel(&["log", "export"], data_dir);
    assert!(export.status.success(), "{}", says(&export));
    let lines = String::from_utf8(export.stdout).expect("text");
    let id = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("an id").to_owned();
    lines.lines().map(id).collect()
}

fn closed_files(data_dir: &Path) -> usize {
    let names = std::fs::read_dir(data_dir).expect("a directory").map(|entry| entry.expect("a file").file_name());
    names.filter(|name| name.to_string_lossy().starts_with("log-")).count()
}

#[test]
fn a_backup_under_load_restores_the_same_answers() {
    let dir = scratch();
    let [data_dir, to, restored] = ["data", "backup", "restored"].map(|name| dir.path().join(name));
    // Small log files, so that some of them are closed.
    let server = Process::start(&data_dir, &["--log-roll", "1"]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let path = format!("/experiment/{test_id}/result?breakdown_by=device");
    let before = client.get_when_loaded(&path).ok();

    // Another project writes to the same log meanwhile.
    let busy = Collector::of(&server.project("Acme", "Busy"));
    let (stop, acknowledged) = (AtomicBool::new(false), Mutex::new(HashSet::new()));
    let send = || {
        let events: Vec<Value> =
            (0..200).map(|_| json!({ "type": "custom", "name": id() + &id() + &id(), "id": id() })).collect();
        busy.trusted.post("", json!({ "visitor": { "id": id() }, "events": events })).ok();
        let ids = events.iter().map(|event| event["id"].as_str().expect("an id").to_owned());
        acknowledged.lock().expect("a list").extend(ids);
    };
    let (first, known) = std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                send();
            }
        });
        eventually("a file of the log is closed", DEADLINE, || closed_files(&data_dir) > 0);
        let known = acknowledged.lock().expect("a list").clone();
        let first = muriel(&["backup", "--to", text(&to)], &data_dir);
        stop.store(true, Ordering::Relaxed);
        sender.join().expect("a sender");
        (first, known)
    });
    assert!(done(&first).contains("has the events up to block"), "{}", says(&first));
    assert!(done(&plainly(&["backup", "verify", text(&to)])).contains("The backup is whole"));

    let said = done(&plainly(&["restore", "--from", text(&to), "--data-dir", text(&restored)]));
    assert!(said.contains("with the events up to block"), "{said}");
    let found = logged(&restored);
    assert_eq!(known.difference(&found).count(), 0, "what was acknowledged before the backup is in it");
    let all = logged(&data_dir);
    assert_eq!(found.difference(&all).count(), 0, "nothing else is in it");

    // The stored result verifies against the restored log, and the restored server returns it again for the same key.
    let (holds, output, _) = verified(&before.to_string(), &restored);
    assert!(holds, "{output}");
    let again = Process::start(&restored, &[]);
    assert_eq!(
        timeless_but_for_the_log(client.at(again.address).get_when_loaded(&path).ok()),
        timeless_but_for_the_log(before)
    );
    drop(again);

    // The next backup copies only new files.
    let last = muriel(&["backup", "--to", text(&to)], &data_dir);
    let said = done(&last);
    assert!(!said.contains(" 0 unchanged"), "closed files of the log are copied once: {said}");
    assert!(done(&plainly(&["backup", "verify", text(&to)])).contains("The 2 backups are whole"));
    let pruned = done(&plainly(&["backup", "prune", text(&to), "--keep", "1"]));
    assert!(pruned.contains("Pruned 1 backup and"), "{pruned}");
    assert!(done(&plainly(&["backup", "verify", text(&to)])).contains("The backup is whole"));

    // Only the owner can read the backup.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&to).expect("a directory").permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{mode:o}");
    }
}

/// Removes the log hash as well: another project's blocks have been added meanwhile, so it belongs to another block.
fn timeless_but_for_the_log(result: Value) -> Value {
    let mut result = timeless(result);
    result["manifest"]["logs"][0]["hash"] = Value::Null;
    result
}

#[test]
fn what_is_no_backup_is_refused() {
    let dir = scratch();
    let [data_dir, to, restored] = ["data", "backup", "restored"].map(|name| dir.path().join(name));
    let server = Process::start(&data_dir, &[]);
    scene(&server.project("Acme", "Shop"));
    done(&muriel(&["backup", "--to", text(&to)], &data_dir));
    drop(server);

    let refused = |words: &[&str], expect: &str| {
        let output = plainly(words);
        assert!(!output.status.success() && says(&output).contains(expect), "{words:?}: {}", says(&output));
    };
    let restore = ["restore", "--from", text(&to), "--data-dir", text(&restored)];
    // Flips one byte in the middle of each file.
    let files: Vec<_> =
        std::fs::read_dir(to.join("files")).expect("files").map(|it| it.expect("a file").path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in &files {
        let bytes = std::fs::read(file).expect("bytes");
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        std::fs::write(file, &flipped).expect("written");
        refused(&["backup", "verify", text(&to)], text(file));
        refused(&restore, text(file));
        std::fs::write(file, &bytes).expect("written");
    }
    assert!(!restored.exists(), "nothing is left of what was refused");
    refused(&["restore", "--from", text(&to), "--data-dir", text(&data_dir)], "is not empty");
    refused(&["backup", "--to", text(&restored), "--data-dir", text(&dir.path().join("nothing"))], "no Muriel data");
    refused(&["backup", "--to", "s3://bucket/a", "--data-dir", text(&data_dir)], "AWS_ACCESS_KEY_ID");
    refused(&["backup"], "--to");
    refused(&[&restore[..], &["--until", "2020-01-01"]].concat(), "the oldest backup");
    std::fs::remove_dir_all(to.join("backups")).expect("removed");
    refused(&["backup", "verify", text(&to)], "there is no complete backup");
    refused(&restore, "there is no complete backup");
}
