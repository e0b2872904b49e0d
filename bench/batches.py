#!/usr/bin/env python3
"""Events of many visitors: what an event costs sent alone, in batches, and imported beside the server.

One event per visitor, over one connection, one request after the other, with a key. CPU is that of the server, or of
`muriel log import`, user and system together: on a busy machine look at it rather than at events/s.
"""

import argparse
import gzip
import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import serving


def event():
    return {"id": str(uuid.uuid4()), "type": "custom", "name": "signup", "at": "2026-03-01T10:00:00.000Z", "value": 1}


def visitor():
    return {"id": f"v-{uuid.uuid4()}"}


def stored(project):
    """An event in the form that `muriel log export` prints."""
    times = {"received_at": "2026-03-01T10:00:01.000Z"}
    return {**event(), "project_key": project, "visitor": visitor(), "bot": False, "vouched": True, **times}


def lines(count):
    return "".join(json.dumps({**event(), "visitor": visitor()}) + "\n" for _ in range(count)).encode()


def cpu(process):
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sent(server, client, path, bodies, headers):
    """The wall time and CPU time of sending these bodies, in seconds."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    headers = {"Authorization": f"Bearer {client.key}", **headers}
    before, start = cpu(server.process), time.perf_counter()
    for body in bodies:
        connection.request("POST", f"/events/{client.project}{path}", body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200 or b'"ok"' not in content:
            sys.exit(f"{answer.status} {content[:300]!r}")
    return time.perf_counter() - start, cpu(server.process) - before


def imported(server, client, events):
    text = "".join(json.dumps(stored(client.project)) + "\n" for _ in range(events)).encode()
    command = [server.program, "log", "import", "--data-dir", server.data, "-"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([str(part) for part in command], input=text, check=True, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=100_000, help="events of each batch, and imported (100000)")
    options.add_argument("--alone", type=int, default=5_000, help="events sent alone (5000)")
    options.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    options.add_argument("--profile", default="release", help="of the built server (release)")
    options = options.parse_args()
    serving.exit_on_signals()
    ndjson = {"Content-Type": "application/x-ndjson"}
    with tempfile.TemporaryDirectory(prefix="muriel-batches-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        server = serving.Server(serving.binary(options.profile), data, Path(folder) / "log", options=["--log-level", "warn"])
        with server:
            client = server.client("Bench", "Bench")
            print(f"{'':22}  {'events':>8}  {'events/s':>9}  {'CPU µs/event':>12}")
            for _ in range(options.rounds):
                alone = [json.dumps({"visitor": visitor(), "events": [event()]}) for _ in range(options.alone)]
                plain = [lines(1_000) for _ in range(options.events // 1_000)]
                whole = [gzip.compress(lines(options.events), 6)]
                for name, events, measured in [
                    ("alone", options.alone, lambda: sent(server, client, "", alone, {"Content-Type": "application/json"})),
                    ("batches of 1,000 lines", 1_000 * len(plain), lambda: sent(server, client, "/batch", plain, ndjson)),
                    (
                        "one batch, gzip",
                        options.events,
                        lambda: sent(server, client, "/batch", whole, {**ndjson, "Content-Encoding": "gzip"}),
                    ),
                    ("log import", options.events, lambda: imported(server, client, options.events)),
                ]:
                    took, used = measured()
                    print(f"{name:22}  {events:8}  {events / took:9.0f}  {used / events * 1e6:12.1f}", flush=True)


main()
