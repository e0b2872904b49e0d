//! A disk image in a file, its file system, and copies of the image.

use crate::Result;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Size of the disk in bytes.
const SIZE: u64 = 256 << 20;
/// Number of bytes that are copied at once.
const CHUNK: usize = 1 << 20;
/// Maximum number of readings; after these, the disk is not expected to become quiet.
const PASSES: u32 = 200;

/// A mounted disk with ext4. It is in memory that is mounted only in this process's
/// namespaces, and it disappears with them.
pub(crate) struct Disk {
    /// Mount point of that memory.
    room: TempDir,
    /// Number of the image file that is mounted.
    number: u32,
    /// Number of readings of the disk, over all copies.
    pub(crate) passes: u32,
}

impl Disk {
    /// Creates and mounts a disk with an empty file system.
    pub(crate) fn new() -> Result<Self> {
        let room = tempfile::Builder::new().prefix("muriel-power-").tempdir()?;
        run("mount", &["-t", "tmpfs", "-o", "size=2g,mode=700", "muriel-power"], &[room.path()])?;
        let disk = Self { room, number: 0, passes: 0 };
        File::create(disk.image(0))?.set_len(SIZE)?;
        // Without lazy initialization, the file system itself writes nothing later.
        let ready = ["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
        run("mkfs.ext4", &ready, &[&disk.image(0)])?;
        fs::create_dir(disk.folder())?;
        disk.mount()?;
        Ok(disk)
    }

    /// The root of the file system.
    pub(crate) fn folder(&self) -> PathBuf {
        self.room.path().join("disk")
    }

    fn image(&self, number: u32) -> PathBuf {
        self.room.path().join(format!("image-{number}"))
    }

    fn mount(&self) -> Result<()> {
        // The loop device is released with the mount.
        run("mount", &["-t", "ext4", "-o", "loop,noatime"], &[&self.image(self.number), &self.folder()])
    }

    fn unmount(&self) -> Result<()> {
        let mut tries = 0..100;
        loop {
            match run("umount", &[], &[&self.folder()]) {
                // A process that has just been killed may still hold a file.
                Err(_) if tries.next().is_some() => thread::sleep(Duration::from_millis(20)),
                done => return done,
            }
        }
    }

    /// Copies the content of the disk until two readings in a row are equal. The copy is
    /// then the content at one moment, between them.
    pub(crate) fn copy(&mut self) -> Result<()> {
        let from = File::open(self.image(self.number))?;
        let path = self.image(self.number + 1);
        let to = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        to.set_len(SIZE)?;
        let (mut is, mut was) = (vec![0; CHUNK], vec![0; CHUNK]);
        for pass in 0..PASSES {
            self.passes += 1;
            let mut is_equal = true;
            for place in (0..SIZE).step_by(CHUNK) {
                from.read_exact_at(&mut is, place)?;
                to.read_exact_at(&mut was, place)?;
                if is != was {
                    to.write_all_at(&is, place)?;
                    is_equal = false;
                }
            }
            if is_equal && pass > 0 {
                return Ok(());
            }
        }
        Err("the disk does not become quiet although nobody writes".into())
    }

    /// Deletes the mounted image, and mounts the copy in its place.
    pub(crate) fn put_copy_in_place(&mut self) -> Result<()> {
        self.unmount()?;
        fs::remove_file(self.image(self.number))?;
        self.number += 1;
        self.mount()
    }

    /// Copies the files to a directory that outlives the namespaces. Returns it.
    pub(crate) fn keep(&self) -> Result<PathBuf> {
        let kept = std::env::temp_dir().join(format!("muriel-crash-{}", fastrand::u64(..)));
        run("cp", &["-r"], &[&self.folder(), &kept])?;
        Ok(kept)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        for outcome in [self.unmount(), run("umount", &[], &[self.room.path()])] {
            if let Err(error) = outcome {
                eprintln!("crash: {error}; it goes with the room");
            }
        }
    }
}

fn run(program: &str, options: &[&str], paths: &[&Path]) -> Result<()> {
    let said = Command::new(program).args(options).args(paths).stdin(Stdio::null()).output()?;
    if said.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&said.stderr).trim()).into())
}
