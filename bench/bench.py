#!/usr/bin/env python3
"""Muriel beside its peers: the same load, in one run, on one machine.

Questions, each at 1 and at 32 connections:

- list: the first 50 experiments, with a key
- evaluate-one: which variant of one experiment a visitor gets; evaluate-fifty: of all fifty; evaluate-many: of all fifty for
  100 visitors in one request, which nobody else offers, so that it stands beside a peer's fifty, per evaluation
- patch: a new name for one of 50 experiments, in turn
- ingest-one: an event, acknowledged when it cannot be lost any more; ingest-twenty: twenty of them in a request
- create: a small new experiment

Peers: Unleash (Node.js on PostgreSQL); Unleash Edge (Rust), which evaluates from memory; `floor`, Node with an INSERT into
PostgreSQL per event; and `reference`, a naive axum service: with SQLite in synchronous FULL (a write is on the disk before it
is answered, as with Muriel and Unleash) and NORMAL; `hello` answers every visitor alike; `append` and `insert` keep the bodies
of events unread, many with one flush, in a file and in SQLite. Everybody has 50 experiments with two targeting conditions and
an even split, everybody listens on loopback, and nobody limits rates. The reference has neither keys nor checks.

The load generator shares the machine (`load µs` is its CPU time per request), and the machine may be busy, so requests per
second mean little by themselves. What counts is the ratio to a peer in the same round, of which the median is given, and the
CPU time per request: user and system time of the whole process tree, its database included. Each round visits every target
once; the first rounds are not counted, because a Node server is slow until it is compiled. Before that, the answers of a
second are read: one that does not say what it should ends the run.
"""

import argparse
import json
import os
import re
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
sys.dont_write_bytecode = True

import servers  # noqa: E402
import serving  # noqa: E402
import usage  # noqa: E402

# In the order of the run: `create` is last, as it leaves more than 50 experiments behind.
QUESTIONS = ["list", "evaluate-one", "evaluate-fifty", "evaluate-many", "patch", "ingest-one", "ingest-twenty", "create"]
# Ours is first, followed by the peers with which it is compared.
SERVERS = {
    "muriel": servers.muriel,
    "unleash": servers.unleash,
    "edge": servers.edge,
    "floor": servers.floor,
    "reference": servers.reference,
}
# The questions that each peer supports; ours supports all.
KNOWN = {
    "unleash": {"list", "patch", "create"},
    "edge": {"evaluate-one", "evaluate-fifty", "evaluate-many"},
    "floor": {"ingest-one", "ingest-twenty"},
    "reference": {"list", "evaluate-one", "patch", "ingest-one", "ingest-twenty", "create"},
}


# Measuring ---------------------------------------------------------------------------------------------------------


class Wrk:
    """Generates bursts of load. No request of a run uses a number twice."""

    def __init__(self, folder):
        self.folder = folder
        self.next = 0

    def run(self, target, connections, seconds, **extra):
        """The counts of load.lua, and the CPU time of wrk itself."""
        self.next += 10_000_000
        load = target.load | {"from": self.next} | extra
        if "ids" in load:
            load["ids"] = self.file(target, "ids", load["ids"])
        if "bodies" in load:
            now = time.time()
            moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1e3) % 1000:03}Z"
            load["bodies"] = self.file(target, "bodies", [body.replace("{now}", moment) for body in load["bodies"]])
            load["uuid"] = uuid_start(now)
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "load.lua", target.url]
        before = spent_by_children()
        process = serving.child(
            [*command, "--", *(f"{name}={value}" for name, value in load.items())], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            out, err = process.communicate(timeout=seconds + 60)
        finally:
            serving.stop(process)
        text = (out + err).decode(errors="replace")
        match = re.search(r"RESULT (\{.*\})", text)
        if not match:
            sys.exit(f"wrk on {target.name}: {text}")
        return json.loads(match[1]) | {"load_s": spent_by_children() - before, "said": text}

    def file(self, target, kind, lines):
        path = self.folder / f"{target.question}-{target.name.replace(' ', '-')}.{kind}"
        path.write_text("".join(f"{line}\n" for line in lines))
        return path


def uuid_start(now):
    """The first four groups of a UUID v7 with the current time. load.lua counts up the last group."""
    ms = f"{int(now * 1e3):012x}"
    return f"{ms[:8]}-{ms[8:]}-7{secrets.token_hex(2)[:3]}-8{secrets.token_hex(2)[:3]}-"


def spent_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prove(wrk, target):
    """Checks the responses of one second of load."""
    text, times = target.proof
    got = wrk.run(target, 1, 1, proof=text, times=times)
    if got["unproven"] or got["broken"] or not got["requests"]:
        sys.exit(f"{target.name} does not do {target.question} as it should:\n{got['said']}")


def measure(wrk, target, connections, seconds):
    """Measures one burst of load on one target."""
    before = usage.cpu_us(target.roots)
    got = wrk.run(target, connections, seconds)
    used = usage.cpu_us(target.roots) - before
    requests = max(got["requests"], 1)
    return {
        "requests": got["requests"],
        "bad": got["bad"] + got["broken"],
        "rps": got["requests"] / got["seconds"],
        # Evaluations or events, if a request carries several.
        "ups": got["requests"] / got["seconds"] * target.each,
        "p50_ms": got["p50_us"] / 1e3,
        "p99_ms": got["p99_us"] / 1e3,
        "cpu_us": used / requests,
        "unit_cpu_us": used / requests / target.each,
        "load_us": got["load_s"] * 1e6 / requests,
        "pss_mib": usage.memory_mib(target.roots),
        "size": got["bytes"] / requests,
    }


# Output ------------------------------------------------------------------------------------------------------------


def table(rows):
    """Prints rows in columns: the first is left-aligned, numbers are right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  " + row[0].ljust(widths[0]) + "".join("  " + cell.rjust(w) for cell, w in zip(row[1:], widths[1:])))


def report(question, connections, targets):
    print(f"\n{question}, {connections} connection{'s' if connections > 1 else ''}")
    unit = "evaluation" if question.startswith("evaluate") else "event" if question.startswith("ingest") else "request"
    columns = {"req/s": ("rps", ",.0f"), "p50 ms": ("p50_ms", ".2f"), "p99 ms": ("p99_ms", ".2f"), "CPU µs/req": ("cpu_us", ",.1f")}
    if any(target.each > 1 for target in targets):
        columns |= {f"{unit}s/s": ("ups", ",.0f"), f"CPU µs/{unit}": ("unit_cpu_us", ".3f")}
    columns |= {"load µs": ("load_us", ",.1f"), "PSS MiB": ("pss_mib", ".0f"), "bytes": ("size", ",.0f")}
    rows = [["", *columns, "bad"]]
    for target in targets:
        rounds = target.rounds[connections]
        cells = [format(statistics.median(one[key] for one in rounds), style) for key, style in columns.values()]
        rows.append([target.name, *cells, str(sum(one["bad"] for one in rounds))])
    table(rows)
    # Compares ours with each peer; without ours, the first peer with the others.
    ours = targets[0]
    for peer in targets[1:]:
        pairs = list(zip(ours.rounds[connections], peer.rounds[connections]))
        rate = statistics.median(a["ups"] / max(b["ups"], 1e-9) for a, b in pairs)
        # A burst with less CPU time than a clock tick has none.
        cpu = statistics.median(b["unit_cpu_us"] / max(a["unit_cpu_us"], 1e-6) for a, b in pairs)
        print(f"  {ours.name} / {peer.name}: {rate:.2f} × the {unit}s, {cpu:.2f} × less CPU for each")


# The run -----------------------------------------------------------------------------------------------------------


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reps", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--dur", type=int, default=2, help="seconds of a round per target (2)")
    parser.add_argument("--conns", default="1,32", help="numbers of connections (1,32)")
    parser.add_argument("--warm", type=int, default=3, help="rounds before those that count, at the last of --conns (3)")
    parser.add_argument("--only", default="", help=f"questions and servers, by comma: {' '.join([*QUESTIONS, *SERVERS])}")
    parser.add_argument("--skip-peers", action="store_true", help="Muriel alone")
    parser.add_argument("--before", type=Path, help="another build of Muriel to compare with, such as that of the last release")
    parser.add_argument("--needs", action="store_true", help="print the servers that these options ask for, and end")
    options = parser.parse_args()

    only = set(filter(None, options.only.split(",")))
    if unknown := only - set(SERVERS) - set(QUESTIONS):
        parser.error(f"--only knows {', '.join([*QUESTIONS, *SERVERS])}, not {', '.join(sorted(unknown))}")
    options.questions = [name for name in QUESTIONS if not only & set(QUESTIONS) or name in only]
    named = [name for name in SERVERS if not only & set(SERVERS) or name in only]
    if options.skip_peers:
        named = ["muriel"]
    options.servers = [name for name in named if KNOWN.get(name, set(QUESTIONS)) & set(options.questions)]
    options.conns = [int(n) for n in options.conns.split(",")]
    return options


def main():
    options = read_options()
    if options.needs:
        print(" ".join(options.servers))
        return
    serving.exit_on_signals()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="muriel-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        targets = [target for server in options.servers for target in SERVERS[server](stack, folder)]
        if options.before:
            targets += servers.muriel(stack, folder, "before", options.before)
        load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
        print(f"{os.cpu_count()} cores, load average {load}; {options.reps} rounds of {options.dur} s")
        wrk = Wrk(folder)
        for question in options.questions:
            group = [target for target in targets if target.question == question]
            for target in group:
                if target.proof:
                    prove(wrk, target)
            for _ in range(options.warm):
                for target in group:
                    measure(wrk, target, options.conns[-1], options.dur)
            for connections in options.conns:
                for _ in range(options.reps):
                    for target in group:
                        got = measure(wrk, target, connections, options.dur)
                        target.rounds.setdefault(connections, []).append(got)
                        bad += got["bad"]
                if group:
                    report(question, connections, group)
            sys.stdout.flush()
        results = HERE.parent / "target/bench.json"
        results.parent.mkdir(exist_ok=True)
        results.write_text(json.dumps([{"question": t.question, "name": t.name, "rounds": t.rounds} for t in targets], indent=1))
    if bad:
        sys.exit(f"{bad} answers were errors or never came: the numbers above mean nothing")


main()
