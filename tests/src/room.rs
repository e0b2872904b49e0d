//! Separate namespaces: mounts and processes that are invisible to others and end with this program,
//! however it ends.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;

/// Environment variable that marks a program in separate namespaces.
const INSIDE: &str = "MURIEL_TEST_ROOM";
/// Creates the namespaces. Their first process takes all others with it when it ends, the last of them the
/// mounts, and these their loop devices.
const UNSHARE: [&str; 5] = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

/// Runs a test in separate namespaces, by starting this program again for that test alone. On a
/// machine that does not support them, it prints a message and does nothing.
///
/// # Panics
/// When the test fails, or this program has no test with this name.
pub fn run_isolated(test: &str, body: impl FnOnce()) {
    if is_inside() {
        return body();
    }
    if !is_supported("") {
        return;
    }
    let arguments = [test, "--exact", "--nocapture"].map(OsString::from);
    let mut command = isolated(arguments).unwrap_or_else(|error| panic!("{error}"));
    let mut inside = command.stdout(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{error}"));
    // The other process runs as long as this pipe is open.
    let open = inside.stdin.take();
    let mut has_passed = false;
    for line in BufReader::new(inside.stdout.take().expect("a pipe")).split(b'\n') {
        let line = line.expect("output");
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        // With a name that no test has, no test runs, and the program succeeds.
        has_passed |= line.starts_with("test result: ok. 1 passed;");
    }
    let status = inside.wait().expect("a status");
    drop(open);
    assert!(status.success(), "see above");
    assert!(has_passed, "no test is called {test}");
}

/// Returns whether this program is in separate namespaces. It then ends together with its parent.
///
/// # Panics
/// When no thread can be started.
pub fn is_inside() -> bool {
    if std::env::var_os(INSIDE).is_none() {
        return false;
    }
    let watch = thread::Builder::new().spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    watch.expect("a thread");
    true
}

/// Starts this program with these arguments in separate namespaces. Returns whether it succeeded. Where
/// namespaces are not available, or the script `probe` fails in them, it prints this and
/// returns success.
///
/// # Errors
/// When this program cannot be started.
pub fn enter(arguments: impl IntoIterator<Item = OsString>, probe: &str) -> std::io::Result<bool> {
    if !is_supported(probe) {
        return Ok(true);
    }
    let mut inside = isolated(arguments)?.spawn()?;
    // The other process runs as long as this pipe is open.
    let open = inside.stdin.take();
    let status = inside.wait()?;
    drop(open);
    Ok(status.success())
}

/// Command that starts this program with these arguments in separate namespaces.
fn isolated(arguments: impl IntoIterator<Item = OsString>) -> std::io::Result<Command> {
    let mut command = Command::new("unshare");
    command.args(UNSHARE).arg(std::env::current_exe()?).args(arguments).env(INSIDE, "1").stdin(Stdio::piped());
    Ok(command)
}

/// Returns whether namespaces are available and the script `probe` succeeds in them, and prints the reason if not.
fn is_supported(probe: &str) -> bool {
    let tried = tried(probe);
    if let Err(why) = &tried {
        println!("skipped: this needs root, and mounts of its own: {why}");
    }
    tried.is_ok()
}

fn tried(probe: &str) -> Result<(), String> {
    let script = format!("set -e; mount -t tmpfs muriel-room /mnt; {probe}");
    let mut command = Command::new("unshare");
    let tried = command.args(UNSHARE).args(["sh", "-c", &script]).stdin(Stdio::null()).output();
    match tried {
        Err(error) => Err(error.to_string()),
        Ok(tried) if tried.status.success() => Ok(()),
        Ok(tried) => {
            let said = String::from_utf8_lossy(&tried.stderr);
            Err(said.trim().lines().last().unwrap_or("it failed without a word").to_owned())
        }
    }
}
