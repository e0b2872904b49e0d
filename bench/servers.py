"""Starts the servers, creates their experiments, and defines the request for each question.

Each function is a generator of targets. It puts processes that have to be stopped on the stack.
"""

import base64
import http.client
import json
import os
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import same
import serving

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("MURIEL_CACHE") or Path.home() / ".cache/muriel") / "bench"


@dataclass
class Target:
    """One server, and the request for one question."""

    question: str
    name: str
    url: str
    # The processes that, with their descendants, count as the server's.
    roots: list[int]
    # The arguments of load.lua; `ids` and `bodies` are lists.
    load: dict
    # Number of evaluations or events in a request.
    each: int = 1
    # A text that every good response contains, and the number of its occurrences.
    proof: tuple[str, int] | None = None
    rounds: dict = field(default_factory=dict)


def muriel(stack, folder, name="muriel", program=None):
    """Muriel on SQLite: the built server, or another `program` under another `name`."""
    data = folder / name
    data.mkdir()
    program = program or serving.binary("release")
    server = serving.Server(program, data, folder / f"{name}.log", options=["--log-level", "warn"])
    stack.enter_context(server)
    client = server.client("Bench", "Bench")
    ids = [client.call("POST", "/create-experiment", same.muriel_experiment(key))["test_id"] for key in same.KEYS]
    page = client.call("GET", f"/experiments?limit={same.EXPERIMENTS}")
    if page["count"] != same.EXPERIMENTS:
        sys.exit(f"{name} lists {page['count']} experiments")

    project = f"/v2/project/{client.project}"
    auth = {"auth": f"Bearer {client.key}"}

    def target(question, load, each=1, proof=None):
        return Target(question, name, server.url, [server.process.pid], load, each, proof)

    def post(path, bodies):
        return {"method": "POST", "path": path, "bodies": bodies}

    flags = f"{project}/ofrep/v1/evaluate/flags"
    evaluation = [json.dumps({"context": same.muriel_context()})]
    evaluations = [json.dumps({"contexts": [same.muriel_context(f"-{n}") for n in range(same.VISITORS)]})]
    listing = {"path": f"{project}/experiments?limit={same.EXPERIMENTS}"}
    patching = {"method": "PATCH", "path": f"{project}/experiment/{{id}}", "bodies": ['{"test_name": "name {n}"}'], "ids": ids}
    created = {"test_name": "name {n}", "url": "https://example.com/", "variants": [{"name": "Variant 1"}]}
    # Visitors send events without a key.
    collect = f"/events/{client.project}"
    inside, taken = '"in_experiment":true', '"status":"ok"'

    yield target("list", listing | auth, proof=('"test_id":', same.EXPERIMENTS))
    yield target("evaluate-one", post(f"{flags}/{{id}}", evaluation) | auth | {"ids": same.KEYS}, proof=(inside, 1))
    yield target("evaluate-fifty", post(flags, evaluation) | auth, same.EXPERIMENTS, (inside, same.EXPERIMENTS))
    many = same.VISITORS * same.EXPERIMENTS
    yield target("evaluate-many", post(f"{project}/evaluate-many", evaluations) | auth, many, (inside, many))
    yield target("patch", patching | auth)
    yield target("ingest-one", post(collect, same.ONE_EVENT) | {"ids": ids}, proof=(taken, 1))
    yield target("ingest-twenty", post(collect, same.TWENTY_EVENTS) | {"ids": ids}, 20, (taken, 20))
    yield target("create", post(f"{project}/create-experiment", [json.dumps(created)]) | auth)


def reference(stack, folder):
    """The naive service, with both settings of `synchronous`."""
    ids = list(range(1, same.EXPERIMENTS + 1))
    body = ['{"test_name": "name {n}"}']
    ask = {"list": {"path": "/experiments"}}
    ask["patch"] = {"method": "PATCH", "path": "/experiment/{id}", "bodies": body, "ids": ids}
    ask["create"] = {"method": "POST", "path": "/create-experiment", "bodies": body}
    ask["evaluate-one"] = {"method": "POST", "path": "/hello", "bodies": [json.dumps({"context": same.muriel_context()})]}

    def started(synchronous):
        data = folder / f"reference-{synchronous}"
        data.mkdir()
        return ready(stack, [CACHE / "target/release/reference", data, synchronous])

    url, pid = started("full")
    yield Target("list", "reference", url, [pid], ask["list"])
    yield Target("evaluate-one", "hello", url, [pid], ask["evaluate-one"])
    yield Target("patch", "reference full", url, [pid], ask["patch"])
    yield Target("create", "reference full", url, [pid], ask["create"])
    for question, bodies, each in (("ingest-one", same.ONE_EVENT, 1), ("ingest-twenty", same.TWENTY_EVENTS, 20)):
        for way in ("append", "insert"):
            load = {"method": "POST", "path": f"/{way}", "bodies": bodies, "ids": ids}
            yield Target(question, way, url, [pid], load, each)
    url, pid = started("normal")
    yield Target("patch", "reference normal", url, [pid], ask["patch"])
    yield Target("create", "reference normal", url, [pid], ask["create"])


def floor(stack, folder):
    """Node and PostgreSQL, with an INSERT per event."""
    postmaster = durable_postmaster()
    environment = {"DATABASE_URL": database(stack, "floor_bench"), "MODULES": str(CACHE / "pg/node_modules")}
    url, pid = ready(stack, [node(), HERE / "floor.mjs"], env=environment, cwd=folder)
    ids = list(range(1, same.EXPERIMENTS + 1))
    for question, bodies, each in (("ingest-one", same.ONE_EVENT, 1), ("ingest-twenty", same.TWENTY_EVENTS, 20)):
        load = {"method": "POST", "path": "/", "bodies": bodies, "ids": ids}
        yield Target(question, "node + postgres", url, [pid, postmaster], load, each)


def edge(stack, folder):
    """Unleash Edge, reading its features from a file."""
    features = folder / "features.json"
    features.write_text(json.dumps(same.unleash_features()))
    # A token that is used for this run only.
    token = "default:development." + base64.b16encode(os.urandom(28)).decode().lower()
    port = serving.free_port()
    url = f"http://127.0.0.1:{port}"
    command = [CACHE / "edge/bin/unleash-edge", "--port", port, "--interface", "127.0.0.1", "--disable-all-endpoint"]
    process = logged(stack, folder / "edge.log", [*command, "offline", "--bootstrap-file", features, "--tokens", token])
    await_answer(process, "Unleash Edge", folder / "edge.log", f"{url}/internal-backstage/health")

    auth = {"auth": token}
    one = {"path": f"/api/frontend/features/{{id}}?{same.UNLEASH_CONTEXT}", "ids": same.KEYS} | auth
    all_of_them = {"path": f"/api/frontend?{same.UNLEASH_CONTEXT}"} | auth
    # The text for a variant; a toggle has no payload.
    given = '"enabled":true,"payload":'
    yield Target("evaluate-one", "unleash edge", url, [process.pid], one, 1, (given, 1))
    for question in ("evaluate-fifty", "evaluate-many"):
        yield Target(question, "unleash edge", url, [process.pid], all_of_them, same.EXPERIMENTS, (given, same.EXPERIMENTS))


def unleash(stack, folder):
    """Unleash in its own database; the cluster is that of with-postgres, with PostgreSQL's durable defaults."""
    postmaster = durable_postmaster()
    # The token of a separate, empty instance on loopback, used for this run only.
    token = "*:*." + base64.b16encode(os.urandom(28)).decode().lower()
    port = serving.free_port()
    url = f"http://127.0.0.1:{port}"
    unlimited = "1000000000"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "DATABASE_URL": database(stack, "unleash_bench"),
        "DATABASE_SSL": "false",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_PORT": str(port),
        "NODE_ENV": "production",
        "LOG_LEVEL": "error",
        "CHECK_VERSION": "false",
        "SEND_TELEMETRY": "false",
        "INIT_ADMIN_API_TOKENS": token,
        "UNLEASH_FEATURE_FLAGS_LIMIT": unlimited,
        "TOKEN_AUTHENTICATION_RATE_LIMIT_PER_MINUTE": unlimited,
        "CREATE_FEATURE_RATE_LIMIT_PER_MINUTE": unlimited,
    }
    command = [node(), CACHE / "unleash/node_modules/unleash-server/dist/server.js"]
    process = logged(stack, folder / "unleash.log", command, env=environment, cwd=folder)
    await_answer(process, "Unleash", folder / "unleash.log", f"{url}/health")

    def call(method, path, body=None):
        headers = {"Authorization": token, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method), timeout=30) as answer:
            return answer.read()

    flags = "/api/admin/projects/default/features"
    for key in same.KEYS:
        call("POST", flags, {"name": key, "type": "experiment", "description": "Few visitors reach the form"})
        call("POST", f"{flags}/{key}/environments/development/strategies", same.unleash_strategy(key))
        call("POST", f"{flags}/{key}/environments/development/on")

    change = [json.dumps([{"op": "replace", "path": "/description", "value": "name {n}"}])]
    auth = {"auth": token}
    patching = {"method": "PATCH", "path": f"{flags}/{{id}}", "bodies": change, "ids": same.KEYS}
    creating = {"method": "POST", "path": flags, "bodies": ['{"name": "name-{n}", "type": "experiment"}']}
    for question, load in (("list", {"path": flags}), ("patch", patching), ("create", creating)):
        yield Target(question, "unleash", url, [process.pid, postmaster], load | auth)


# Shared helpers ----------------------------------------------------------------------------------------------------


def node():
    return next((CACHE / "node/node_modules").glob("node-linux-*/bin/node"))


def ready(stack, command, **options):
    """Starts a server that prints `ready URL`, and returns the URL and the process."""
    process = serving.child(command, stdout=subprocess.PIPE, **options)
    stack.callback(serving.stop, process)
    url = process.stdout.readline().decode().removeprefix("ready ").strip()
    if not url:
        sys.exit(f"{Path(command[0]).name} did not start")
    return url, process.pid


def logged(stack, log, command, **options):
    """Starts a server with its output in a file."""
    with log.open("wb") as output:
        process = serving.child(command, stdout=output, stderr=subprocess.STDOUT, **options)
    stack.callback(serving.stop, process)
    return process


def await_answer(process, name, log, url):
    end = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(url, timeout=30):
                return
        except (OSError, http.client.HTTPException):
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{name} did not start:\n" + log.read_text(errors="replace")[-2000:])
            time.sleep(0.1)


def cluster():
    """The cluster of scripts/with-postgres."""
    url = os.environ.get("MURIEL_TEST_POSTGRES")
    return url or sys.exit("MURIEL_TEST_POSTGRES is not set: start this by bench/run, or give --skip-peers")


def durable_postmaster():
    """The process id of PostgreSQL's server, whose settings have to make acknowledged writes durable."""
    lax = [name for name in ("fsync", "synchronous_commit", "full_page_writes") if serving.sql(cluster(), f"SHOW {name}") != "on"]
    if lax:
        sys.exit(f"the comparison would be unfair: PostgreSQL runs with {', '.join(lax)} off")
    return int(serving.sql(cluster(), "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))


def database(stack, name):
    """Creates an empty database, which is dropped at the end, and returns its URL."""
    url = serving.fresh_database(name)
    stack.callback(serving.sql, cluster(), f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    return url
