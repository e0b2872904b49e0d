//! The real program, as a separate process.

use crate::{Client, Contract, DEADLINE};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Returns the path of the program: the given one, or `muriel` next to this one.
///
/// # Errors
/// When the program is not found.
pub fn program(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    // Test programs are one directory deeper, in deps.
    let beside = this.ancestors().skip(1).take(2).map(|folder| folder.join("muriel")).find(|path| path.is_file());
    beside.ok_or_else(|| {
        let folder = this.parent().unwrap_or(Path::new("."));
        format!(
            "there is no muriel beside this program, in {}: build it into the same target folder (cargo build -p muriel-cli)",
            folder.display()
        )
    })
}

/// Builds a command without the `MURIEL_` variables of the environment. Its log reserve is minimal,
/// because the disk of the test machine may have little free space.
pub fn command(program: &Path, words: &[&str], data_dir: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MURIEL_") {
            command.env_remove(name);
        }
    }
    command.env("MURIEL_LOG_RESERVE", "1").args(words).arg("--data-dir").arg(data_dir);
    command
}

/// Returns the address from the line that reports a server as ready.
///
/// # Errors
/// When the line does not appear in time.
pub fn ready(out: ChildStdout, patience: Duration) -> Result<SocketAddr, String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(out).read_line(&mut line);
        let _ = sender.send(read.map(|_| line));
    });
    let line =
        receiver.recv_timeout(patience).map_err(|_| format!("the server did not become ready in {patience:?}"))?;
    let line = line.map_err(|error| error.to_string())?;
    let address = line.trim().strip_prefix("muriel ready http://").and_then(|address| address.parse().ok());
    address.ok_or_else(|| format!("the server did not become ready; it said \"{}\"", line.trim()))
}

/// A running server process, killed when dropped.
pub struct Process {
    /// Address of the server.
    pub address: SocketAddr,
    data_dir: PathBuf,
    child: Child,
}

impl Process {
    /// Starts a server with these further settings, and waits until it is ready.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(data_dir: &Path, settings: &[&str]) -> Self {
        Self::run(serve(data_dir, settings), data_dir).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts a server as [`start`](Self::start) does, with its own directory for temporary files.
    ///
    /// # Errors
    /// When it does not start, for example because another process still holds the lock of the data directory.
    pub fn start_with_temporary(temporary: &Path, data_dir: &Path, settings: &[&str]) -> Result<Self, String> {
        let mut command = serve(data_dir, settings);
        command.env("TMPDIR", temporary);
        Self::run(command, data_dir)
    }

    fn run(mut serve: Command, data_dir: &Path) -> Result<Self, String> {
        let mut child = serve.stderr(Stdio::inherit()).spawn().expect("a process");
        let out = child.stdout.take().expect("its output");
        // From here on the process is killed in any case.
        let mut process = Self { address: ([127, 0, 0, 1], 0).into(), data_dir: data_dir.to_owned(), child };
        process.address = ready(out, DEADLINE)?;
        Contract::learn(process.address);
        Ok(process)
    }

    /// Creates a project and returns a client with a key that has every scope. The running server
    /// learns of the project a moment later.
    ///
    /// # Panics
    /// When the project cannot be created.
    pub fn project(&self, company: &str, name: &str) -> Client {
        let words = ["project", "create", "--company", company, "--name", name, "--json"];
        let program = program(None).unwrap_or_else(|error| panic!("{error}"));
        let made = command(&program, &words, &self.data_dir).output().expect("a process");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
        let text = |name: &str| made[name].as_str().expect("a text").to_owned();
        let id = made["company_id"].as_i64().expect("an id");
        Client::new(self.address, company, id, &text("project_key"), &text("api_key"))
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the current and the peak memory in bytes.
    ///
    /// # Panics
    /// Where the system does not provide them.
    pub fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a process");
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a field");
            line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
        };
        (field("VmRSS:"), field("VmHWM:"))
    }

    /// Sends SIGTERM and returns the exit status.
    ///
    /// # Panics
    /// When the process does not end.
    pub fn stop(mut self) -> Option<i32> {
        let asked = Command::new("kill").arg(self.id().to_string()).status().expect("a process");
        assert!(asked.success());
        let mut status = None;
        crate::eventually("the server ends", DEADLINE, || {
            status = self.child.try_wait().expect("a status");
            status.is_some()
        });
        status.and_then(|status| status.code())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(data_dir: &Path, settings: &[&str]) -> Command {
    let program = program(None).unwrap_or_else(|error| panic!("{error}"));
    let mut command = command(&program, &["serve"], data_dir);
    command
        .args(["--listen", "127.0.0.1:0", "--metrics-listen", "off", "--rate-limits", "off", "--log-level", "error"])
        .args(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// Returns the output of a server that does not start. It has no exit code when the server ran for
/// `patience`, after which it is killed.
///
/// # Panics
/// When the process cannot be started.
pub fn refused(data_dir: &Path, settings: &[&str], patience: Duration) -> Output {
    let mut child = serve(data_dir, settings).stderr(Stdio::piped()).spawn().expect("a process");
    let end = std::time::Instant::now() + patience;
    while child.try_wait().expect("a status").is_none() {
        if std::time::Instant::now() > end {
            let _ = child.kill();
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    child.stdout.take().expect("its output").read_to_end(&mut stdout).expect("its output");
    child.stderr.take().expect("its output").read_to_end(&mut stderr).expect("its output");
    Output { status: child.wait().expect("a status"), stdout, stderr }
}
