//! The real server, as a process of its own.

use crate::Result;
use crate::http::Account;
use crate::place::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Much longer than a start takes, recovery of the database included.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that is ready. Dropped, it is killed.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    child: Child,
}

/// The program to kill: the given one, or `muriel` beside this program.
pub(crate) fn program(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let this = std::env::current_exe()?;
    // The tests of this program are one folder further down, in deps.
    let beside = this.ancestors().skip(1).take(2).map(|folder| folder.join("muriel")).find(|path| path.is_file());
    beside.ok_or_else(|| {
        let folder = this.parent().unwrap_or(Path::new("."));
        let missing = format!("there is no muriel beside this program, in {}", folder.display());
        format!(
            "{missing}: build it into the same target folder (cargo build -p muriel-cli), or name one with --muriel"
        )
        .into()
    })
}

/// Makes a project of this name, and its company with the first one, with a key
/// that may do everything.
pub(crate) fn make_project(program: &Path, place: &Place, name: &str) -> Result<Account> {
    let mut command = command(program, place, &["project", "create"]);
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
    pub(crate) fn start(program: &Path, place: &Place, settings: &[&str]) -> Result<Self> {
        let mut child = command(program, place, &["serve"])
            .args(["--listen", "127.0.0.1:0", "--metrics-listen", "off"])
            .args(["--rate-limits", "off", "--log-level", "error"])
            .args(settings)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let out = child.stdout.take();
        // Killed from here on whatever happens.
        let mut server = Self { address: ([127, 0, 0, 1], 0).into(), child };
        server.address = ready(out.ok_or("the server has no output")?)?;
        Ok(server)
    }

    /// SIGSTOP: from when this returns it does nothing more.
    pub(crate) fn freeze(&self) -> Result<()> {
        let id = self.child.id();
        if !Command::new("kill").args(["-STOP", &id.to_string()]).status()?.success() {
            return Err(format!("the server, process {id}, could not be stopped").into());
        }
        // A signal takes a moment; what a thread does in the kernel it finishes.
        let deadline = Instant::now() + PATIENCE;
        while !is_frozen(id)? {
            if Instant::now() > deadline {
                return Err(format!("the server, process {id}, does not stop").into());
            }
            thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    /// SIGKILL: it gets no chance to finish anything.
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

/// Whether every thread of the process is stopped.
fn is_frozen(process: u32) -> Result<bool> {
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        // One that has just ended does nothing more either.
        let Ok(line) = std::fs::read_to_string(thread?.path().join("stat")) else { continue };
        // The state follows the name, which is in brackets and may hold any character.
        let state = line.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        if !matches!(state, Some('T' | 't')) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The address in the line that says that the server is ready.
fn ready(out: ChildStdout) -> Result<SocketAddr> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(out).read_line(&mut line);
        let _ = tell.send(read.map(|_| line));
    });
    let line = told.recv_timeout(PATIENCE).map_err(|_| "the server did not become ready in 30 s")??;
    let address = line.trim().strip_prefix("muriel ready http://").and_then(|address| address.parse().ok());
    address.ok_or_else(|| format!("the server did not become ready; it said \"{}\"", line.trim()).into())
}

/// The program on this place, with nobody's settings but ours.
fn command(program: &Path, place: &Place, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MURIEL_") {
            command.env_remove(name);
        }
    }
    command.args(words).arg("--data-dir").arg(place.data_dir());
    if let Some(url) = place.database_url() {
        command.arg("--database-url").arg(url);
    }
    command
}
