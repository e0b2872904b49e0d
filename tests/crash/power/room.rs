//! A room of one's own: mounts and processes that nobody else sees and that end
//! with this program, however it ends.

use crate::Result;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;

/// Tells the program that it is in its room.
const INSIDE: &str = "MURIEL_CRASH_ROOM";
/// Makes one: its first process takes all others with it, the last of them the
/// mounts, and these their loop devices.
const UNSHARE: [&str; 5] = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

/// Whether this program has to be started again in a room. In one it ends with
/// whoever started it.
pub(crate) fn needs_room() -> Result<bool> {
    if std::env::var_os(INSIDE).is_none() {
        return Ok(true);
    }
    thread::Builder::new().spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    })?;
    Ok(false)
}

/// Starts this program with these arguments in a room; whether it was well. On a
/// machine that has no such rooms this says so, and nothing is wrong.
pub(crate) fn in_own_room(arguments: impl IntoIterator<Item = OsString>) -> Result<bool> {
    if let Err(why) = probe() {
        println!("skipped: cutting the power needs root, loop devices and ext4 here: {why}");
        return Ok(true);
    }
    let mut inside = Command::new("unshare");
    inside.args(UNSHARE).arg(std::env::current_exe()?).args(arguments).env(INSIDE, "1").stdin(Stdio::piped());
    let mut inside = inside.spawn()?;
    // As long as this is open the other one goes on.
    let open = inside.stdin.take();
    let status = inside.wait()?;
    drop(open);
    Ok(status.success())
}

/// Whether there can be a disk in a room.
fn probe() -> Result<()> {
    let script = "set -e; mkfs.ext4 -V; losetup --find; \
                  mount -t tmpfs muriel-power /mnt; truncate -s 1M /mnt/image; mkfs.ext4 -q -F /mnt/image; \
                  mkdir /mnt/disk; mount -t ext4 -o loop /mnt/image /mnt/disk";
    let tried = Command::new("unshare").args(UNSHARE).args(["sh", "-c", script]).stdin(Stdio::null()).output()?;
    if tried.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&tried.stderr);
    Err(said.trim().lines().last().unwrap_or("it failed without a word").to_owned().into())
}
