"""A Muriel server for a script: started on a free port, called over HTTP, and stopped in any case."""

import ctypes
import http.client
import json
import os
import random
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent


def binary(profile):
    """The path of the built server, or of the one that `MURIEL_BIN` names."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(os.environ.get("MURIEL_BIN", target / profile / "muriel"))
    if not path.exists():
        sys.exit(f"{path} is not there: build it first (scripts/cargo build --bin muriel)")
    find_library()
    return path


def find_library():
    """Lets programs that this script starts find DuckDB's library, if they link it dynamically."""
    script = '. scripts/env.sh; printf %s "${LD_LIBRARY_PATH:-}"'
    path = subprocess.run(["sh", "-c", script], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    if path:
        os.environ["LD_LIBRARY_PATH"] = path


def die_with_parent():
    """Called between fork and exec: the kernel kills this child when the script that started it ends in any way."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def child(command, **options):
    """Starts a process that does not outlive the script."""
    options.setdefault("stdin", subprocess.DEVNULL)
    if sys.platform == "linux":
        options["preexec_fn"] = die_with_parent
    return subprocess.Popen([str(part) for part in command], **options)


def stop(process, patience=15):
    """Terminates a process, kills it if it does not end in time, and returns its exit status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def exit_on_signals():
    """Turns the signals that end a script into exits, so that `finally` runs."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))


def free_port():
    """A port that was free a moment ago, for servers that cannot choose one themselves.

    It is outside the range from which the system assigns ports, so it is likely to be still free when it is used.
    """
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", random.randrange(10_000, 20_000)))
            except OSError:
                continue
            return probe.getsockname()[1]


def postgres_tool(name):
    """The path of one of PostgreSQL's client programs, which Debian installs next to the server's."""
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda home: float(home.parent.name), reverse=True)
    for home in [*map(Path, os.environ["PATH"].split(":")), *homes]:
        if os.access(home / name, os.X_OK):
            return home / name
    sys.exit(f"{name} is not there: install PostgreSQL's client programs (Debian: apt-get install postgresql-client)")


def sql(url, statement):
    """Runs one statement and returns its output, a line per row."""
    command = [postgres_tool("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def fresh_database(name):
    """Creates an empty database in the cluster of `scripts/with-postgres` and returns its URL."""
    cluster = os.environ.get("MURIEL_TEST_POSTGRES")
    if not cluster:
        sys.exit("MURIEL_TEST_POSTGRES is not set: run this under scripts/with-postgres")
    sql(cluster, f'DROP DATABASE IF EXISTS "{name}"')
    sql(cluster, f'CREATE DATABASE "{name}"')
    return urlsplit(cluster)._replace(path=f"/{name}").geturl()


class Client:
    """A client for one project's API with its key, for scripts that seed data."""

    def __init__(self, url, project):
        self.address = urlsplit(url).netloc
        self.key = project["api_key"]
        self.project = project["project_key"]

    def call(self, method, path, body=None, status=range(200, 300)):
        """Makes a request below the project's path. Returns the parsed response, or ends the script if it failed."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
            text = None if body is None else json.dumps(body)
            connection.request(method, f"/v2/project/{self.project}{path}", text, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status not in status:
            sys.exit(f"{method} {path}: {answer.status} {content[:500].decode(errors='replace')}")
        return json.loads(content)


class Server:
    """`muriel serve` on a free port or the address `listen`. A context manager that stops it.

    `command` can be another command that serves, and `metrics` the address of the metrics.
    """

    def __init__(
        self, program, data, log, database=None, options=(), env=None, listen="127.0.0.1:0", command="serve", metrics="off"
    ):
        self.program, self.data, self.log, self.command = program, Path(data), Path(log), command
        # `env` has variables in addition to those of this process.
        self.env = os.environ | (env or {})
        self.store = ["--data-dir", data] + (["--database-url", database] if database else [])
        self.options = ["--listen", listen, "--metrics-listen", metrics, "--rate-limits", "off", *options]

    def __enter__(self):
        with self.log.open("wb") as log:
            command = [self.program, self.command, *self.store, *self.options]
            self.process = child(command, stdout=subprocess.PIPE, stderr=log, env=self.env)
        try:
            self.url = self._ready(60)
        except BaseException:
            stop(self.process)
            raise
        return self

    def __exit__(self, *_):
        self.status = stop(self.process)

    def _ready(self, patience):
        """Waits for the line `muriel ready URL`."""
        end, text = time.monotonic() + patience, b""
        os.set_blocking(self.process.stdout.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < end:
                for _ in selector.select(0.2):
                    text += self.process.stdout.read() or b""
                if ready := re.search(rb"muriel ready (http://\S+)\s", text):
                    return ready[1].decode()
                if self.process.poll() is not None:
                    break
        said = self.log.read_text(errors="replace")[-2000:]
        sys.exit(f"the server did not become ready (status {self.process.poll()}):\n{said}")

    def project(self, company, name):
        """Creates a project, and the company if it is new. Returns `project_key`, `api_key` and `company_id`."""
        command = [self.program, "project", "create", "--company", company, "--name", name, "--json", *self.store]
        made = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)
        if made.returncode != 0:
            sys.exit(f"project create failed (status {made.returncode}): {made.stderr}")
        return json.loads(made.stdout)

    def key(self, company, scopes):
        """Creates a key with these scopes."""
        command = [self.program, "key", "create", "--company", company, "--scopes", scopes, "--json", *self.store]
        made = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)
        if made.returncode != 0:
            sys.exit(f"key create failed (status {made.returncode}): {made.stderr}")
        return json.loads(made.stdout)["api_key"]

    def ask(self, method, path, session, body=None):
        """Makes a request of a signed-in person and returns the parsed response."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            headers = {"Origin": self.url, "Content-Type": "application/json", **session}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status not in range(200, 300):
            sys.exit(f"{method} {path}: {answer.status} {content[:500].decode(errors='replace')}")
        cookies = answer.headers.get_all("Set-Cookie") or []
        return json.loads(content) | {"cookies": [line.split(";")[0] for line in cookies]}

    def sign_in(self, company):
        """Adds an owner of a company and signs them in. Returns the headers that their browser sends."""
        email, password = "owner@example.com", "a password of scripts"
        command = [self.program, "person", "add", "--company", company, "--email", email, "--role", "owner", "--password-stdin"]
        added = subprocess.run([str(part) for part in command + self.store], input=password, capture_output=True, text=True)
        if added.returncode != 0:
            sys.exit(f"person add failed (status {added.returncode}): {added.stderr}")
        answer = self.ask("POST", "/v2/session", {}, {"email": email, "password": password})
        return {"Cookie": answer["cookies"][0], "X-Muriel-CSRF": answer["csrf"]}

    def client(self, company, name):
        """Creates a project and returns a client for it, once a running server accepts the new key, within a second."""
        client = Client(self.url, self.project(company, name))
        end = time.monotonic() + 10
        while "company_id" not in client.call("GET", "/experiments?limit=1", status=range(200, 500)):
            if time.monotonic() > end:
                sys.exit("the new key does not hold at the server after 10 seconds")
            time.sleep(0.05)
        return client
