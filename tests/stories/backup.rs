//! Backups made while the server accepts events, and the data restored from them.

use crate::recompute::{muriel, says, scene, timeless, verified};
use crate::scene::{Collector, id};
use muriel_tests::process::{Process, command, program};
use muriel_tests::{DEADLINE, On, eventually, scratch, stories};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

stories![the_next_start_removes_what_killed_commands_leave];

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

/// Commands on one data directory, with a directory for temporary files that no other test uses.
struct Commands {
    /// Directory for temporary files.
    temporary: PathBuf,
    data_dir: PathBuf,
    /// Flags that name the database.
    database: Vec<String>,
}

impl Commands {
    fn backup(&self, to: &Path) -> Command {
        self.named(&["backup", "--to", text(to)], &self.data_dir)
    }

    fn restore(&self, from: &Path, to: &Path) -> Command {
        self.named(&["restore", "--from", text(from)], to)
    }

    fn named(&self, words: &[&str], data_dir: &Path) -> Command {
        let program = program(None).unwrap_or_else(|error| panic!("{error}"));
        let mut command = command(&program, words, data_dir);
        if words[0] == "backup" {
            command.args(&self.database);
        }
        command.env("TMPDIR", &self.temporary);
        command
    }

    /// Starts a backup to `to` that waits for ever where it stores its first copy. Returns it with its directory of
    /// copies.
    fn waiting_backup(&self, to: &Path) -> (Waiting, PathBuf) {
        // A file of this name is written first, and then renamed. A pipe is opened only when somebody reads it.
        let partial = to.join("files/partial");
        // A backup that was killed before may have left the file.
        let _ = std::fs::remove_file(&partial);
        pipe(&partial);
        let before = entries(&self.temporary);
        let process = Waiting::start(self.backup(to));
        let mut copies = PathBuf::new();
        eventually("a copy for the backup", DEADLINE, || {
            let new = entries(&self.temporary).into_iter().find(|path| !before.contains(path));
            copies = new.unwrap_or_default();
            copies.join("copy").metadata().is_ok_and(|about| about.len() > 0)
        });
        (process, copies)
    }

    /// Kills a backup to `to` while it stores a copy. Returns its directory of copies.
    fn killed_backup(&self, to: &Path) -> PathBuf {
        let (process, copies) = self.waiting_backup(to);
        process.kill();
        // A regular file in place of the pipe, as far as it was written.
        let partial = to.join("files/partial");
        std::fs::remove_file(&partial).expect("removed");
        std::fs::write(&partial, "the first bytes").expect("written");
        copies
    }

    /// Kills a restoration to `to` while it reads the last file, which is a part of the log. Returns the unfinished
    /// directory.
    fn killed_restore(&self, from: &Path, to: &Path) -> PathBuf {
        let parent = to.parent().expect("a parent");
        let newest = entries(&from.join("backups")).pop_last().expect("a manifest");
        let manifest = std::fs::read_to_string(newest).expect("a manifest");
        let manifest: Value = serde_json::from_str(manifest.lines().next().expect("a line")).expect("JSON");
        let part = &manifest["log"]["segments"][0]["content"]["sha256"];
        let (part, aside) = (from.join("files").join(part.as_str().expect("a name")), from.join("aside"));
        std::fs::rename(&part, &aside).expect("renamed");
        pipe(&part);
        let before = entries(parent);
        let process = Waiting::start(self.restore(from, to));
        let mut unfinished = PathBuf::new();
        eventually("an unfinished data directory", DEADLINE, || {
            unfinished = entries(parent).into_iter().find(|path| !before.contains(path)).unwrap_or_default();
            !unfinished.as_os_str().is_empty() && !entries(&unfinished).is_empty()
        });
        process.kill();
        std::fs::rename(&aside, &part).expect("renamed");
        unfinished
    }
}

/// A command that waits for ever, killed when dropped.
struct Waiting(Child);

impl Waiting {
    fn start(mut command: Command) -> Self {
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a process"))
    }

    /// Kills the command, which is still running.
    #[track_caller]
    fn kill(mut self) {
        assert_eq!(self.0.try_wait().expect("a status"), None, "it ended by itself");
        self.0.kill().expect("killed");
        let status = self.0.wait().expect("a status");
        assert_eq!(status.code(), None, "a signal ended it");
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Creates a named pipe.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("a process");
    assert!(made.success(), "{}", path.display());
}

/// Paths of a directory's entries. Empty when it does not exist.
fn entries(dir: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// Everything below a directory but `others`: a file with its content, a link with its target, a directory with nothing.
fn contents(dir: &Path, others: &[&Path]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for path in entries(dir).into_iter().filter(|path| !others.contains(&&**path)) {
        let about = path.symlink_metadata().expect("an entry");
        let content = if about.is_dir() {
            all.extend(contents(&path, others));
            Vec::new()
        } else if about.is_symlink() {
            text(&path.read_link().expect("a target")).into()
        } else {
            std::fs::read(&path).expect("a file")
        };
        all.insert(path, content);
    }
    all
}

/// Creates what looks similar to the directories that killed commands leave, and belongs to somebody else.
fn strangers(dir: &Path, prefix: &str) {
    let names = [format!("{prefix}notes"), format!("other-{prefix}notes.held"), "notes.held".to_owned()];
    for name in &names {
        std::fs::create_dir_all(dir.join(name)).expect("a directory");
        std::fs::write(dir.join(name).join("copy"), "mine").expect("written");
    }
    std::os::unix::fs::symlink(&names[2], dir.join(format!("{prefix}link.held"))).expect("a link");
    std::fs::write(dir.join(format!("{prefix}file.held")), "mine").expect("written");
}

/// A backup and a restoration are killed at a known point. The next server, backup and restoration each remove what
/// these have left, and neither what a running command uses nor what belongs to others.
fn the_next_start_removes_what_killed_commands_leave(on: On) {
    let mut app = on.start();
    let collector = Collector::of(&app.project("Acme", "Shop"));
    let send = || {
        let events: Vec<Value> = (0..100).map(|_| json!({ "type": "custom", "name": id(), "id": id() })).collect();
        collector.trusted.post("", json!({ "visitor": { "id": id() }, "events": events })).ok();
    };
    let storage = &app.settings.storage;
    let dir = storage.data_dir.parent().expect("a parent").to_owned();
    // Restored directories are next to the data directory, because there a server looks for unfinished ones.
    let [temporary, to, elsewhere, restored] = ["temporary", "to", "elsewhere", "restored"].map(|name| dir.join(name));
    let database = storage.database_url.iter().flat_map(|url| ["--database-url".to_owned(), url.clone()]).collect();
    let commands = Commands { temporary, data_dir: storage.data_dir.clone(), database };
    let temporary = &commands.temporary;
    std::fs::create_dir(temporary).expect("a directory");
    send();
    for place in [&to, &elsewhere] {
        done(&commands.backup(place).output().expect("a process"));
    }
    // The next backups have to copy the database and the log again.
    app.project("Acme", "Other");
    send();
    app.stop();
    assert_eq!(entries(temporary), BTreeSet::new(), "a backup that ends leaves nothing");

    strangers(temporary, "muriel-backup-");
    strangers(&dir, ".muriel-restore-");
    let (running, in_use) = commands.waiting_backup(&elsewhere);
    // Backups and data directories change for other reasons, and so do the copies of the running backup.
    let others = [&to, &elsewhere, &restored, &commands.data_dir, &in_use].map(PathBuf::as_path);
    let here = || contents(&dir, &others);
    let before = here();

    // The next server.
    let copies = commands.killed_backup(&to);
    let unfinished = commands.killed_restore(&to, &restored);
    assert!(!restored.exists() && copies.join("copy").exists() && unfinished.exists());
    let left = here();
    let lost: Vec<_> = before.iter().filter(|(path, content)| left.get(*path) != Some(content)).collect();
    assert!(lost.is_empty(), "backups and restorations remove nothing of others: {lost:?}");
    assert!(left.len() >= before.len() + 4, "two directories and what is in them: {:?}", left.keys());
    let mut server = None;
    let flags: Vec<&str> = commands.database.iter().map(String::as_str).collect();
    // Another test that starts a process may hold a copy of the lock for a moment.
    eventually("a server", DEADLINE, || {
        server = Process::start_with_temporary(temporary, &commands.data_dir, &flags).ok();
        server.is_some()
    });
    eventually("the server removes both", DEADLINE, || !copies.exists() && !unfinished.exists());
    assert_eq!(server.expect("a server").stop(), Some(0));
    assert!(in_use.join("copy").exists(), "a running backup keeps its copies");
    assert_eq!(here(), before, "nothing else is removed");

    // The next backup, after the one that ran meanwhile is killed too.
    let copies = commands.killed_backup(&to);
    assert!(in_use.join("copy").exists(), "a running backup keeps its copies");
    running.kill();
    assert!(copies.exists() && in_use.exists());
    done(&commands.backup(&to).output().expect("a process"));
    assert!(!copies.exists() && !in_use.exists(), "the next backup removes both");
    assert!(!to.join("files/partial").exists(), "and finishes the file");
    assert!(done(&plainly(&["backup", "verify", text(&to)])).contains("The 2 backups are whole"));
    assert_eq!(here(), before, "nothing else is removed");

    // The next restoration.
    let unfinished = commands.killed_restore(&to, &restored);
    assert!(unfinished.exists());
    done(&commands.restore(&to, &restored).output().expect("a process"));
    assert!(!unfinished.exists(), "the next restoration removes it");
    assert_eq!(here(), before, "nothing else is removed");
    assert_eq!(logged(&restored), logged(&commands.data_dir));
}
