#!/usr/bin/env python3
"""Muriel beside its peers: the same load, in one run, on one machine.

Three questions, each at 1 and at 32 connections:

- list: the first 50 experiments, with a key
- patch: a new name for one of 50 experiments, in turn
- create: a small new experiment

Peers: Unleash (Node.js on PostgreSQL), and `reference`, a naive axum and SQLite service, with synchronous FULL (a write
is on the disk before it is answered, as with Muriel and Unleash) and NORMAL. Everybody has 50 experiments with two targeting
conditions and an even split, everybody listens on loopback, and nobody limits rates. The reference has neither keys nor
checks.

The load generator shares the machine, and the machine may be busy, so requests per second mean little by themselves. What
counts is the ratio to a peer in the same round, of which the median is given, and the CPU time per request: user and system
time of the whole process tree, its database included. Each round visits every target once; the first rounds are not counted,
because a Node server is slow until it is compiled.
"""

import argparse
import base64
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
sys.dont_write_bytecode = True

import serving  # noqa: E402

CACHE = Path(os.environ.get("MURIEL_CACHE") or Path.home() / ".cache/muriel") / "bench"
EXPERIMENTS = 50
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Target:
    """One server and the request that asks it one question."""

    question: str
    name: str
    url: str
    roots: list[int]
    load: dict
    rounds: dict = field(default_factory=dict)


# What a process tree used ------------------------------------------------------------------------------------------


def processes():
    """Every process: its parent, and its CPU ticks with those of its ended children."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    return found


def tree(roots, table):
    """The processes named and all their descendants."""
    children = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found, todo = set(), [pid for pid in roots if pid in table]
    while todo:
        pid = todo.pop()
        if pid not in found:
            found.add(pid)
            todo += children.get(pid, [])
    return found


def cpu_ticks(roots):
    table = processes()
    return sum(table[pid][1] for pid in tree(roots, table))


def memory_mib(roots):
    """Proportional memory: a page that several processes share counts once in all."""
    total = 0
    for pid in tree(roots, processes()):
        try:
            if match := re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M):
                total += int(match[1])
        except OSError:
            continue
    return total / 1024


# The servers -------------------------------------------------------------------------------------------------------


def muriel(stack, folder):
    """Ours, on SQLite."""
    data = folder / "muriel"
    data.mkdir()
    server = serving.Server(serving.binary("release"), data, folder / "muriel.log", options=["--log-level", "warn"])
    stack.enter_context(server)
    client = server.client("Bench", "Bench")
    ids = []
    for n in range(EXPERIMENTS):
        experiment = {
            "test_name": f"Experiment {n}",
            "url": "https://example.com/",
            "status": 1,
            "variants": [{"name": "Variant 1", "customJS": "document.title = 'B'"}],
            "configuration": {"distribution": {"Control": 50, "Variant 1": 50}},
            "targeting": {
                "allowed_country": [
                    {"name": "United States", "code": "US", "rule": "whitelist"},
                    {"name": "Canada", "code": "CA", "rule": "whitelist"},
                ],
                "segment_rule": [
                    [
                        {"criteria": "plan", "operator": "==", "value": "pro"},
                        {"criteria": "plan", "operator": "==", "value": "team"},
                    ]
                ],
            },
        }
        ids.append(client.call("POST", "/create-experiment", experiment)["test_id"])
    page = client.call("GET", f"/experiments?limit={EXPERIMENTS}")
    if page["count"] != EXPERIMENTS:
        sys.exit(f"muriel lists {page['count']} experiments")

    project = f"/v2/project/{client.project}"
    one = {"test_name": "name {n}", "url": "https://example.com/", "variants": [{"name": "Variant 1"}]}
    listing = {"path": f"{project}/experiments?limit={EXPERIMENTS}"}
    patching = {"method": "PATCH", "path": f"{project}/experiment/{{id}}", "body": '{"test_name": "name {n}"}', "ids": ids}
    creating = {"method": "POST", "path": f"{project}/create-experiment", "body": json.dumps(one)}
    auth = {"auth": f"Bearer {client.key}"}
    for question, load in (("list", listing), ("patch", patching), ("create", creating)):
        yield Target(question, "muriel", server.url, [server.process.pid], load | auth)


def reference(stack, folder, synchronous):
    """The naive service."""
    data = folder / f"reference-{synchronous}"
    data.mkdir()
    command = [CACHE / "target/release/reference", data, synchronous]
    process = serving.child(command, stdout=subprocess.PIPE)
    stack.callback(serving.stop, process)
    url = process.stdout.readline().decode().removeprefix("ready ").strip()
    if not url:
        sys.exit("the reference did not start")
    name = f"reference {synchronous}"
    body = '{"test_name": "name {n}"}'
    ids = list(range(1, EXPERIMENTS + 1))
    # Reading is the same with both.
    if synchronous == "full":
        yield Target("list", "reference", url, [process.pid], {"path": "/experiments"})
    yield Target("patch", name, url, [process.pid], {"method": "PATCH", "path": "/experiment/{id}", "body": body, "ids": ids})
    yield Target("create", name, url, [process.pid], {"method": "POST", "path": "/create-experiment", "body": body})


def unleash(stack, folder):
    """Unleash in a database of its own; the cluster is that of with-postgres, at PostgreSQL's durable defaults."""
    cluster = os.environ.get("MURIEL_TEST_POSTGRES")
    if not cluster:
        sys.exit("MURIEL_TEST_POSTGRES is not set: start this by bench/run, or give --skip-peers")
    lax = [name for name in ("fsync", "synchronous_commit", "full_page_writes") if serving.sql(cluster, f"SHOW {name}") != "on"]
    if lax:
        sys.exit(f"the comparison would be unfair: PostgreSQL runs with {', '.join(lax)} off")
    # A backend's parent is the server itself.
    backend = serving.sql(cluster, "SELECT pg_backend_pid(), split_part(pg_read_file('postmaster.pid'), E'\\n', 1)")
    postmaster = int(backend.split("|")[1])
    database = serving.fresh_database("unleash_bench")
    stack.callback(serving.sql, cluster, 'DROP DATABASE IF EXISTS unleash_bench WITH (FORCE)')

    # The token of an own, empty instance on loopback, gone with the run.
    token = "*:*." + base64.b16encode(os.urandom(28)).decode().lower()
    port = serving.free_port()
    url = f"http://127.0.0.1:{port}"
    unlimited = "1000000000"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "DATABASE_URL": database,
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
    node = next((CACHE / "node/node_modules").glob("node-linux-*/bin/node"))
    with (folder / "unleash.log").open("wb") as log:
        command = [node, CACHE / "unleash/node_modules/unleash-server/dist/server.js"]
        process = serving.child(command, env=environment, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    stack.callback(serving.stop, process)

    def call(method, path, body=None):
        headers = {"Authorization": token, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method), timeout=30) as answer:
            return answer.read()

    end = time.monotonic() + 90
    while True:
        try:
            call("GET", "/health")
            break
        except (OSError, http.client.HTTPException):
            if process.poll() is not None or time.monotonic() > end:
                sys.exit("Unleash did not start:\n" + (folder / "unleash.log").read_text(errors="replace")[-2000:])
            time.sleep(0.3)

    flags = "/api/admin/projects/default/features"
    names = [f"experiment-{n}" for n in range(EXPERIMENTS)]
    for name in names:
        split = [{"name": v, "weight": 500, "weightType": "variable", "stickiness": "userId"} for v in ("control", "variant")]
        strategy = {
            "name": "flexibleRollout",
            "parameters": {"rollout": "100", "stickiness": "userId", "groupId": name},
            "constraints": [
                {"contextName": "country", "operator": "IN", "values": ["US", "CA"]},
                {"contextName": "plan", "operator": "IN", "values": ["pro", "team"]},
            ],
            "variants": split,
        }
        call("POST", flags, {"name": name, "type": "experiment", "description": "Few visitors reach the form"})
        call("POST", f"{flags}/{name}/environments/development/strategies", strategy)
        call("POST", f"{flags}/{name}/environments/development/on")

    change = [{"op": "replace", "path": "/description", "value": "name {n}"}]
    auth = {"auth": token}
    patching = {"method": "PATCH", "path": f"{flags}/{{id}}", "body": json.dumps(change), "ids": names}
    creating = {"method": "POST", "path": flags, "body": '{"name": "name-{n}", "type": "experiment"}'}
    for question, load in (("list", {"path": flags}), ("patch", patching), ("create", creating)):
        yield Target(question, "unleash", url, [process.pid, postmaster], load | auth)


# The measuring -----------------------------------------------------------------------------------------------------


class Numbers:
    """Hands out ranges of numbers: no request of a run uses a number twice."""

    def __init__(self):
        self.next = 0

    def take(self):
        self.next += 10_000_000
        return self.next


def measure(target, connections, seconds, folder, numbers):
    """One burst of load on one target."""
    load = dict(target.load, **{"from": numbers.take()})
    if "ids" in load:
        ids = folder / f"{target.question}-{target.name.replace(' ', '-')}.ids"
        ids.write_text("".join(f"{one}\n" for one in load["ids"]))
        load["ids"] = ids
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "load.lua", target.url, "--"]
    before = cpu_ticks(target.roots)
    process = serving.child([*command, *(f"{k}={v}" for k, v in load.items())], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=seconds + 60)
    finally:
        serving.stop(process)
    used = cpu_ticks(target.roots) - before
    match = re.search(rb"RESULT (\{.*\})", out)
    if not match:
        sys.exit(f"wrk on {target.name}: {(out + err).decode(errors='replace')}")
    got = json.loads(match[1])
    requests = max(got["requests"], 1)
    return got | {
        "rps": got["requests"] / got["seconds"],
        "cpu_us": used / TICKS * 1e6 / requests,
        "pss_mib": memory_mib(target.roots),
        "size": got["bytes"] / requests,
    }


def table(rows):
    """Text in columns: the first to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  " + row[0].ljust(widths[0]) + "".join("  " + cell.rjust(w) for cell, w in zip(row[1:], widths[1:])))


def report(question, connections, targets):
    print(f"\n{question}, {connections} connection{'s' if connections > 1 else ''}")
    rows = [["", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "PSS MiB", "bytes", "bad"]]
    for target in targets:
        rounds = target.rounds[connections]
        mid = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
        bad = sum(one["bad"] + one["broken"] for one in rounds)
        numbers = [f"{mid['rps']:,.0f}", f"{mid['p50_us'] / 1e3:.2f}", f"{mid['p99_us'] / 1e3:.2f}"]
        numbers += [f"{mid['cpu_us']:,.1f}", f"{mid['pss_mib']:.0f}", f"{mid['size']:,.0f}", str(bad)]
        rows.append([target.name, *numbers])
    table(rows)
    # Ours beside each peer; without ours, the first peer beside the others.
    ours = targets[0]
    for peer in targets[1:]:
        pairs = list(zip(ours.rounds[connections], peer.rounds[connections]))
        rate = statistics.median(a["rps"] / max(b["rps"], 1e-9) for a, b in pairs)
        # Below one tick of the clock a burst has no CPU time to speak of.
        cpu = statistics.median(b["cpu_us"] / max(a["cpu_us"], 1e-3) for a, b in pairs)
        print(f"  {ours.name} / {peer.name}: {rate:.2f} × the requests, {cpu:.2f} × less CPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reps", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--dur", type=int, default=2, help="seconds of a round per target (2)")
    parser.add_argument("--conns", default="1,32", help="numbers of connections (1,32)")
    parser.add_argument("--warm", type=int, default=3, help="rounds before those that count, at the last of --conns (3)")
    parser.add_argument("--only", default="", help="questions and servers, by comma: list patch create muriel reference unleash")
    parser.add_argument("--skip-peers", action="store_true", help="Muriel alone")
    arguments = parser.parse_args()
    serving.exit_on_signals()

    only = set(filter(None, arguments.only.split(",")))
    servers, questions = ["muriel", "reference", "unleash"], ["list", "patch", "create"]
    if unknown := only - set(servers) - set(questions):
        parser.error(f"--only knows {', '.join(questions + servers)}, not {', '.join(sorted(unknown))}")
    servers = [name for name in servers if not only & set(servers) or name in only]
    questions = [name for name in questions if not only & set(questions) or name in only]
    if arguments.skip_peers:
        servers = ["muriel"]
    conns = [int(n) for n in arguments.conns.split(",")]

    bad = 0
    with tempfile.TemporaryDirectory(prefix="muriel-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        targets = []
        if "muriel" in servers:
            targets += muriel(stack, folder)
        if "unleash" in servers:
            targets += unleash(stack, folder)
        if "reference" in servers:
            targets += reference(stack, folder, "full")
            targets += reference(stack, folder, "normal")
        load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
        print(f"{os.cpu_count()} cores, load average {load}; {arguments.reps} rounds of {arguments.dur} s")
        numbers = Numbers()
        # `create` comes last: it leaves more than 50 experiments behind.
        for question in questions:
            group = [target for target in targets if target.question == question]
            for _ in range(arguments.warm):
                for target in group:
                    measure(target, conns[-1], arguments.dur, folder, numbers)
            for connections in conns:
                for _ in range(arguments.reps):
                    for target in group:
                        got = measure(target, connections, arguments.dur, folder, numbers)
                        target.rounds.setdefault(connections, []).append(got)
                        bad += got["bad"] + got["broken"]
                if group:
                    report(question, connections, group)
            sys.stdout.flush()
        results = HERE.parent / "target/bench.json"
        results.parent.mkdir(exist_ok=True)
        results.write_text(json.dumps([{"question": t.question, "name": t.name, "rounds": t.rounds} for t in targets], indent=1))
    if bad:
        sys.exit(f"{bad} answers were errors or never came: the numbers above mean nothing")


main()
