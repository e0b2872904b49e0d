//! The real server, in a separate process.

use crate::Result;
use crate::http::Account;
use crate::place::DataLocation;
use muriel_tests::process;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout of a start or stop, much longer than a start with recovery of the database takes.
const TIMEOUT: Duration = Duration::from_secs(180);

/// A server that is ready. It is killed on drop.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    child: Child,
}

/// Creates a project of this name, and its company with the first one. The project's
/// key may do everything.
pub(crate) fn make_project(program: &Path, place: &DataLocation, name: &str) -> Result<Account> {
    let mut command = command(program, place, place.data_dir(), &["project", "create"]);
    let output = command.args(["--company", "Crash", "--name", name, "--json"]).output()?;
    if !output.status.success() {
        return Err(format!("muriel project create: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let made: Value = serde_json::from_slice(&output.stdout)?;
    let text = |name: &str| {
        made[name].as_str().map(str::to_owned).ok_or_else(|| format!("muriel project create tells no {name}"))
    };
    Ok(Account { project_key: text("project_key")?, api_key: text("api_key")? })
}

impl Server {
    /// Starts a server with these further settings, and waits until it answers.
    pub(crate) fn start(program: &Path, place: &DataLocation, settings: &[&str]) -> Result<Self> {
        Self::start_in(program, place, place.data_dir(), settings)
    }

    /// Like [`Server::start`], with another data directory: for one of several nodes.
    pub(crate) fn start_in(program: &Path, place: &DataLocation, data_dir: &Path, settings: &[&str]) -> Result<Self> {
        let mut child = command(program, place, data_dir, &["serve"])
            .args(["--listen", "127.0.0.1:0", "--metrics-listen", "off"])
            .args(["--rate-limits", "off", "--log-level", "error"])
            .args(settings)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let out = child.stdout.take();
        // From here on, every error drops the server, which kills the process.
        let mut server = Self { address: ([127, 0, 0, 1], 0).into(), child };
        server.address = process::ready(out.ok_or("the server has no output")?, TIMEOUT)?;
        Ok(server)
    }

    /// Stops the process with SIGSTOP. It does nothing more once this has returned.
    pub(crate) fn freeze(&self) -> Result<()> {
        let id = self.child.id();
        if !Command::new("kill").args(["-STOP", &id.to_string()]).status()?.success() {
            return Err(format!("the server, process {id}, could not be stopped").into());
        }
        // The signal takes a moment: threads first finish what they do in the kernel.
        let deadline = Instant::now() + TIMEOUT;
        while !is_frozen(id)? {
            if Instant::now() > deadline {
                return Err(format!("the server, process {id}, does not stop").into());
            }
            thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    /// Peak memory of the process, in bytes.
    pub(crate) fn most_memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
        Ok(most.trim().trim_end_matches(" kB").parse::<u64>()? << 10)
    }

    /// Sends SIGKILL, so that the server cannot finish anything.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Returns whether every thread of the process is stopped.
fn is_frozen(process: u32) -> Result<bool> {
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread that has just ended does nothing more either.
        let Ok(line) = std::fs::read_to_string(thread?.path().join("stat")) else { continue };
        // The state follows the name, which is in brackets and may hold any character.
        let state = line.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        if !matches!(state, Some('T' | 't')) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Command that runs the program on the data of `place`.
fn command(program: &Path, place: &DataLocation, data_dir: &Path, words: &[&str]) -> Command {
    let mut command = process::command(program, words, data_dir);
    if let Some(url) = place.database_url() {
        command.arg("--database-url").arg(url);
    }
    command
}
